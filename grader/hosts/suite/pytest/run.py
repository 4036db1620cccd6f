"""Runs pytest over the sealed files of a suite and reports each test on a descriptor of its own.

What to do comes on standard input, before anything of the tree is loaded. pytest and all that it may load later is loaded
first: after that the tree comes first on the path, as it does under `python -m pytest`, and can shadow nothing of it.
The product shares this process, so what is needed later is bound here.
"""

import importlib
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


class Report:
    """Lines of a nonce and JSON; what is no such line was written by somebody else."""

    def __init__(self, descriptor, nonce):
        self.count = 0

        def say(record):
            line = (nonce + " " + _dumps(record) + "\n").encode("ascii")
            while line:
                line = line[_write(descriptor, line) :]

        self.say = say


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

    def __init__(self, report):
        self.report = report
        self.phases = {}

    def pytest_runtest_logreport(self, report):
        self.phases.setdefault(report.nodeid, []).append((report.when, _outcome(report)))

    def pytest_runtest_logfinish(self, nodeid, location):
        phases = self.phases.pop(nodeid, [])
        other = [status for _, status in phases if status != "passed"]
        is_whole = [when for when, _ in phases] == ["setup", "call", "teardown"]
        status = other[0] if other else "passed" if is_whole else "error"
        self.report.count += 1
        self.report.say({"test": nodeid, "status": status})


# Where an image of ours has pytest and what it is made of.
_SET_ASIDE = "/usr/lib/assay-pytest"


def _load_pytest(report):
    installed = os.environ.pop("PYTHONPATH", None)
    sys.path.extend(path for path in (installed, _SET_ASIDE) if path is not None)
    try:
        import _pytest
        import pytest
    except ImportError as error:
        report.say({"unavailable": "python3 of the image has no pytest: " + str(error)})
        _leave(0)
    later = [name for _, name, _ in pkgutil.walk_packages(_pytest.__path__, "_pytest.")]
    for name in (*later, *_LATER):
        try:
            importlib.import_module(name)
        except ImportError:
            pass
    return pytest


def main():
    job = json.loads(sys.stdin.buffer.read())
    os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
    os.set_inheritable(job["reportFd"], False)
    report = Report(job["reportFd"], job["nonce"])
    pytest = _load_pytest(report)
    tree = job["tree"]
    source = os.path.join(tree, "src")
    sys.path[0:0] = [tree, source] if os.path.isdir(source) else [tree]
    sys.argv[:] = ["pytest"]
    ours = ["-c", os.path.join(job["own"], "pytest.ini"), "--rootdir", tree, "--confcutdir", tree]
    plain = ["-p", "no:cacheprovider", "-p", "no:pastebin", "-q", "--tb=no", "--continue-on-collection-errors"]
    try:
        files = [os.path.join(tree, file) for file in job["files"]]
        code = _int(pytest.main([*ours, *plain, *files], plugins=[Reporter(report)]))
    except _BaseException:
        _leave(3)
    if code in (0, 1, 5):
        report.say({"end": report.count})
    _leave(code)


main()
