"""Where things stand: the tree, a folder of the check's own, what is laid into it, and how everything is ended."""

import base64
import errno
import os
import shutil
import signal

from assay_surroundings import home_of


# The variables that this process was given for the product: none of its own.
INHERITED = (
    *("PATH", "HOME", "TMPDIR", "LANG", "LC_CTYPE", "TZ"),
    *("NODE_ENV", "CI", "TERM", "SHELL", "USER", "LOGNAME", "EDITOR"),
    *("LD_PRELOAD", "CLOCK_AHEAD_S"),
)


class Places:
    def __init__(self, job):
        self.root = job["root"]
        self.varied = job.get("varied", {})
        self.own = home_of(self.root, self.varied)
        self.tmp = os.path.join(self.own, "tmp")
        self.home = os.path.join(self.own, "home")
        self.set = os.path.join(self.root, "set")
        # The folder of a scenario's own is empty; one that it merely stands in need not be.
        apart = self.varied.get("workdir") == "in use" and job["mechanism"] == "scenario"
        self.cwd = os.path.join(self.own, "work") if apart else self.tmp
        for folder in (self.tmp, self.home, self.set, self.cwd):
            os.makedirs(folder, exist_ok=True)
        self.tree = job.get("copyTo", job["tree"])
        installed = os.path.join(os.path.dirname(job["tree"]), "site-packages")
        self.installed = installed if os.path.isdir(installed) else None
        for name, content in job["files"].items():
            path = os.path.join(self.set, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(base64.b64decode(content))

    def copy_tree(self, job):
        """Gives a run its own copy of the tree, where it is to have one. Whether it fits is the tree's doing."""
        if "copyTo" in job:
            shutil.copytree(job["tree"], self.tree, symlinks=True)

    def fill(self, text):
        return text.replace("{tree}", self.tree).replace("{tmp}", self.tmp)

    def environment(self, added):
        base = {name: os.environ[name] for name in INHERITED if name in os.environ}
        if self.installed is not None:
            base["PYTHONPATH"] = self.installed
        return {**base, **{name: self.fill(value) for name, value in (added or {}).items()}}

    def lay(self, files):
        for name, content in (files or {}).items():
            path = os.path.normpath(os.path.join(self.tmp, self.fill(name)))
            if not path.startswith(self.tmp + os.sep):
                raise ValueError(f"a file outside {{tmp}}: {name}")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(self.fill(content))


def is_full(error):
    """Whether there was no room for something. A copy of a tree lists the errors of all its files."""
    causes = [str(part[-1]) for part in error.args[0]] if isinstance(error, shutil.Error) else [str(error)]
    words = [os.strerror(number) for number in (errno.ENOSPC, errno.EDQUOT)]
    return any(word in cause for cause in causes for word in words)


_groups = set()


def track(pid):
    """Remembers the process group of a child that was started in a session of its own."""
    _groups.add(pid)


def end_all(alone, spared=None):
    """Kills everything until nothing is left; in a box (`alone`) that is every other process of this user.

    But for one of ours that has to end by itself.
    """
    for group in _groups:
        _kill(-group)
    _groups.clear()
    if alone:
        for _ in range(100):
            others = [pid for pid in _others() if pid != spared]
            if not others:
                return
            for pid in others:
                _kill(pid)


def _kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        pass


def _others():
    mine = (os.getpid(), os.getppid())
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) in (1, *mine):
            continue
        try:
            if os.stat(f"/proc/{name}").st_uid != os.getuid():
                continue
            with open(f"/proc/{name}/stat", encoding="latin-1") as file:
                if file.read().rpartition(")")[2].split()[0] != "Z":
                    found.append(int(name))
        except OSError:
            pass
    return found
