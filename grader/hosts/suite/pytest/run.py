"""Runs pytest over the sealed files of a suite and reports each test on a descriptor of its own.

What to do comes on standard input, before anything of the tree is loaded. pytest and all that it may load later is loaded
first: after that the tree comes first on the path, as it does under `python -m pytest`, and can shadow nothing of it.
The product shares this process and can look at every frame of it. So what is needed later is bound here, and what a report
needs is in no variable of a function that is still running, but in cells of those that write it.
"""

import importlib
import importlib.util
import json
import os
import pkgutil
import sys

_write, _leave, _dumps = os.write, os._exit, json.dumps
_int, _BaseException = int, BaseException

# Loaded by pytest when it first needs them.
_LATER = ("ast", "bdb", "cmd", "code", "difflib", "dis", "doctest", "glob", "inspect", "linecache", "locale", "pdb")
_LATER += ("platform", "pprint", "shutil", "tempfile", "timeit", "tokenize", "traceback", "typing", "unittest")
_LATER += ("unittest.case", "unittest.mock", "unittest.util", "xml.dom", "zipfile", "importlib.metadata")

# Exit codes of pytest that go with a whole report: all passed, some failed, nothing was collected.
_WHOLE = (0, 1, 5)


def _writer(descriptor, nonce):
    """Writes lines of a nonce and JSON; what is no such line was written by somebody else."""

    def say(record):
        line = (nonce + " " + _dumps(record) + "\n").encode("ascii")
        while line:
            line = line[_write(descriptor, line) :]

    return say


def _outcome(report):
    """What one phase (setup, call, teardown) of a test came to."""
    expected = hasattr(report, "wasxfail")
    if report.outcome == "skipped":
        return "xfailed" if expected else "skipped"
    if report.outcome == "failed":
        return "failed" if report.when == "call" else "error"
    return "xpassed" if expected else "passed"


class Reporter:
    """A test counts once, by the first of its phases that did not pass."""

    def __init__(self, say):
        count = 0
        phases = {}

        def logreport(report):
            phases.setdefault(report.nodeid, []).append((report.when, _outcome(report)))

        def logfinish(nodeid):
            nonlocal count
            seen = phases.pop(nodeid, [])
            other = [status for _, status in seen if status != "passed"]
            is_whole = [when for when, _ in seen] == ["setup", "call", "teardown"]
            count += 1
            say({"test": nodeid, "status": other[0] if other else "passed" if is_whole else "error"})

        def finish(code):
            if code in _WHOLE:
                say({"end": count})

        self._logreport, self._logfinish, self._finish = logreport, logfinish, finish

    def pytest_runtest_logreport(self, report):
        self._logreport(report)

    def pytest_runtest_logfinish(self, nodeid, location):
        self._logfinish(nodeid)

    def pytest_sessionfinish(self, session, exitstatus):
        self._finish(_int(exitstatus))


# Where an image of ours has pytest and what it is made of.
_SET_ASIDE = "/usr/lib/assay-pytest"


def _load_pytest(say):
    installed = os.environ.pop("PYTHONPATH", None)
    sys.path.extend(path for path in (installed, _SET_ASIDE) if path is not None)
    try:
        import _pytest
        import pytest
    except ImportError as error:
        say({"unavailable": "python3 of the image has no pytest: " + str(error)})
        _leave(0)
    later = [name for _, name, _ in pkgutil.walk_packages(_pytest.__path__, "_pytest.")]
    for name in (*later, *_LATER):
        _load(name)
    return pytest


def _load(name):
    try:
        importlib.import_module(name)
    except ImportError:
        pass


def _load_shadowed(names, say):
    """Loads what Python has by names that only the output has otherwise, and says which of them are no part of Python."""
    found = {name: importlib.util.find_spec(name) for name in names}
    for name, spec in found.items():
        if spec is not None:
            _load(name)
    ours = getattr(sys, "stdlib_module_names", ())
    libraries = [name for name, spec in found.items() if spec is not None and name not in ours and not _is_ours(spec)]
    if libraries:
        say({"shadowed": libraries})


def _is_ours(spec):
    return (spec.origin or "").startswith(_SET_ASIDE + "/")


def _prepare(job):
    """Everything before the tree can be found: pytest, and what writes the report."""
    say = _writer(job.pop("reportFd"), job.pop("nonce"))
    pytest = _load_pytest(say)
    _load_shadowed(job["added"], say)
    return pytest, [Reporter(say)]


def main():
    job = json.loads(sys.stdin.buffer.read())
    os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
    os.set_inheritable(job["reportFd"], False)
    pytest, plugins = _prepare(job)
    tree = job["tree"]
    source = os.path.join(tree, "src")
    sys.path[0:0] = [tree, source] if os.path.isdir(source) else [tree]
    sys.argv[:] = ["pytest"]
    ours = ["-c", os.path.join(job["own"], "pytest.ini"), "--rootdir", tree, "--confcutdir", tree]
    plain = ["-p", "no:cacheprovider", "-p", "no:pastebin", "-q", "--tb=no", "--continue-on-collection-errors"]
    try:
        files = [os.path.join(tree, file) for file in job["files"]]
        _leave(_int(pytest.main([*ours, *plain, *files], plugins=plugins)))
    except _BaseException:
        _leave(3)


main()
