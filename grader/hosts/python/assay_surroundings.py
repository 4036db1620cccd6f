"""What a run's surroundings have that the plain ones have not: variables, folders, the working directory, the umask."""

import os
import time

# Where HOME and TMPDIR stand when they are not short: nothing that a shell would read as more than a name.
LONG = os.path.join("Eigene Dateien", "données", "日本語", "a", "b", "c")
# What lies in a working directory that is in use. Names that no shell expands, so a check's own files stay alone.
FILES = {".notes": "to do\n", ".cache/seen": ""}
# What no kernel takes: by this the library that shifts clocks is told to let them leap (images/clock.c).
LEAP_PRIORITY = 19
_setpriority, _monotonic = os.setpriority, time.monotonic
_leapt = []
TERMINAL = {"SHELL": "/bin/sh", "USER": "dev", "LOGNAME": "dev", "EDITOR": "vi"}


def home_of(root, varied):
    """The folder below `root` in which home and tmp stand."""
    return os.path.join(root, LONG) if varied.get("folders") == "long" else root


def enter(varied, places):
    """Sets what belongs to the process. Last before the product starts: files of ours are made by then."""
    os.environ["HOME"] = places.home
    os.environ["TMPDIR"] = places.tmp
    for key, name in (("nodeEnv", "NODE_ENV"), ("ci", "CI"), ("terminal", "TERM")):
        if key in varied:
            os.environ[name] = varied[key]
    if "terminal" in varied:
        os.environ.update(TERMINAL)
    if "variables" in varied:
        _unset(varied)
    if varied.get("workdir") == "in use":
        _use(places.cwd)
    if "umask" in varied:
        os.umask(int(varied["umask"], 8))


def grow(seconds):
    """Makes this process older, by all clocks. Where the image has no library for it, surroundings never ask for it."""
    try:
        _setpriority(os.PRIO_PROCESS, -seconds, LEAP_PRIORITY)
        _leapt.append(seconds)
    except OSError:
        # It stays as young as it is.
        pass


def now():
    """Seconds, for what is measured: without leaps."""
    return _monotonic() - (_leapt[0] if _leapt else 0)


def _unset(varied):
    """Leaves out variables that many machines do not set, but for what is asked for by another dimension."""
    kept = [name for name, dimension in (("TZ", "timeZone"), ("LANG", "language")) if dimension in varied]
    for name in {"TMPDIR", "LC_CTYPE", "TZ", "LANG"}.difference(kept):
        os.environ.pop(name, None)
    if varied["variables"] == "C":
        os.environ["LC_CTYPE"] = "C"


def _use(folder):
    for name, content in FILES.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not os.path.exists(path):
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
