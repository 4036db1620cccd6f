"""A suite: a test runner of ours from start to end, over sealed files in a copy of the tree.

Nothing of the tree runs in this process. The report comes over a descriptor of its own and is handed on as it is; it
counts as read when everything that the run started has ended.
"""

import base64
import os
import selectors
import shutil
import signal
import stat
import time

from assay_places import end_all, track

REPORT_BYTES = 2_000_000
REPORT = 3


def run_suite(job, places):
    """Returns a frame: its kind and its body."""
    suite = job["suite"]
    env = places.environment(suite["env"])
    program = shutil.which(suite["argv"][0], path=env.get("PATH"))
    if program is None:
        message = f"{suite['argv'][0]}: not there"
        error = {"$t": "error", "name": "SuiteRunnerMissing", "message": message, "classes": ["OSError"]}
        return "unreachable", {"error": error}
    source, sink = os.pipe()
    feed, given = os.pipe()
    os.chdir(suite["cwd"])
    # The child gets these two, what it prints goes where a product's prints go, and all else that was opened here closes.
    actions = [(os.POSIX_SPAWN_DUP2, feed, 0), (os.POSIX_SPAWN_DUP2, sink, REPORT)]
    pid = os.posix_spawn(program, suite["argv"], env, file_actions=actions, setsid=True)
    track(pid)
    for descriptor in (feed, sink):
        os.close(descriptor)
    kind, body = _follow(pid, source, given, suite.get("stdin", "").encode(), job)
    end_all(job["alone"])
    if kind == "returned":
        pairs = {name: (os.path.join(job["tree"], name), os.path.join(places.tree, name)) for name in job["sealed"]}
        body["value"]["rewritten"] = [name for name, (before, after) in pairs.items() if not _is_same(before, after)]
    return kind, body


def _is_same(before, after):
    """Whether a sealed file is still what it was."""
    try:
        with open(before, "rb") as one, open(after, "rb") as other:
            return stat.S_ISREG(os.lstat(after).st_mode) and one.read() == other.read()
    except OSError:
        return False


def _follow(pid, source, given, stdin, job):
    deadline = time.monotonic() + job["timeoutMs"] / 1000
    waiting = selectors.DefaultSelector()
    for descriptor, events in ((source, selectors.EVENT_READ), (given, selectors.EVENT_WRITE)):
        os.set_blocking(descriptor, False)
        waiting.register(descriptor, events)
    report, how = b"", None
    while source in {key.fd for key in waiting.get_map().values()} or how is None:
        now = time.monotonic()
        if now > deadline:
            return "timeout", {}
        how = how or _ended(pid, job)
        for key, _ in waiting.select(min(0.02, deadline - now)):
            if key.fd == given:
                stdin = _feed(given, stdin, waiting)
                continue
            chunk = os.read(source, 65536)
            report += chunk
            if not chunk:
                waiting.unregister(source)
            if len(report) > REPORT_BYTES:
                return "limit", {"limit": "output"}
    return "returned", {"value": {"report": base64.b64encode(report).decode(), **how}}


def _ended(pid, job):
    """How the runner ended, once it has; then everything else ends, too."""
    ended, status = os.waitpid(pid, os.WNOHANG)
    if ended == 0:
        return None
    end_all(job["alone"])
    code = os.waitstatus_to_exitcode(status)
    return {"code": code, "signal": None} if code >= 0 else {"code": None, "signal": signal.Signals(-code).name}


def _feed(given, stdin, waiting):
    try:
        stdin = stdin[os.write(given, stdin[:65536]) :] if stdin else stdin
        if stdin:
            return stdin
    except BlockingIOError:
        return stdin
    except OSError:
        pass  # A runner may end without reading its input.
    waiting.unregister(given)
    os.close(given)
    return b""
