"""The host of one probe in Python: reads its job from descriptor 0, runs it, reports in frames on descriptor 3.

It shares its process with the product, so what it needs later is bound here before the product loads; see
assay_encode.py.
"""

import importlib
import importlib.util
import itertools
import json
import os
import random
import sys
import threading
import types

_host = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, _host)
from assay_encode import encode  # noqa: E402
from assay_history import History  # noqa: E402
from assay_places import Places, end_all, is_full  # noqa: E402
from assay_surroundings import enter, grow  # noqa: E402

# Without -I it is there by itself, too.
sys.path[:] = [entry for entry in sys.path if entry != _host]

CHANNEL = 3
_os_write, _os_exit, _getpid = os.write, os._exit, os.getpid
_pid = os.getpid()
_BaseException, _str, _len = BaseException, str, len
_import_module = importlib.import_module
_CoroutineType, _type = types.CoroutineType, type


def _read_input(length):
    parts = []
    while length > 0:
        part = os.read(0, length)
        if not part:
            raise SystemExit("the job was cut off")
        parts.append(part)
        length -= _len(part)
    return b"".join(parts).decode("utf-8")


# How Python runs the scenario, where it is not isolated: with the flags that anybody's has, or without assertions.
_FLAGS = {"usual": [], "optimized": ["-I", "-O"]}


def _reread(text, flags):
    """Starts Python anew with other flags, in this process and with the same job."""
    file = os.memfd_create("job")
    os.write(file, text)
    os.lseek(file, 0, os.SEEK_SET)
    os.dup2(file, 0)
    os.close(file)
    os.execv(sys.executable, [sys.executable, *flags, os.path.join(_host, "main.py"), str(_len(text)), "again"])


def _channel(nonce):
    lock = threading.Lock()
    acquire, release = lock.acquire, lock.release

    def emit(kind, text):
        frame = (nonce + " " + kind + " " + text + "\n").encode("ascii")
        acquire()
        while frame:
            frame = frame[_os_write(CHANNEL, frame) :]
        release()

    return emit


def _code_of(error):
    """What Python itself would end a process with for this exception."""
    code = error.code if isinstance(error, SystemExit) else 1
    return 0 if code is None else code if isinstance(code, int) else 1


def _to_nowhere(names):
    """The product finds its input at an end, and what it prints goes nowhere, or to terminals that nobody looks at.

    Until here our own troubles were printed.
    """
    output, errors = names or ("/dev/null", "/dev/null")
    for descriptor, name in enumerate((output, output, errors)):
        opened = os.open(name, os.O_RDWR | os.O_NOCTTY)
        os.dup2(opened, descriptor)
        os.close(opened)
    if names is not None:
        sys.stdout.reconfigure(line_buffering=True)


class _Unreachable:
    """Errors that say "the thing to load is not there"."""

    def __init__(self):
        self.errors = []


class Context:
    """What a scenario is given."""

    def __init__(self, job, places, service, emit, absent):
        self.tree = places.tree
        self.tmp = places.tmp
        self.seed = job["seed"]
        self.random = random.Random(job["seed"])
        self.input = job.get("input")
        self.service = service
        self._loads = service is None
        self._absent = absent
        self._on_load = lambda: None

        def observe(name, value):
            emit("step", '{"name":' + encode(_str(name)) + ',"value":' + encode(value) + "}")

        self.observe = observe

    def load(self, name):
        """Imports a module of the product by its dotted name."""
        if not self._loads:
            raise RuntimeError("the scenario of a service talks to it; it does not load the product")
        try:
            module = _import_module(name)
            self._on_load()
            return module
        except ModuleNotFoundError as error:
            # Missing is what was asked for, or a package on the way to it; not something that it imports itself.
            if error.name is not None and (name + ".").startswith(error.name + "."):
                self._absent.errors.append(error)
            raise


def _ours(name):
    """A module of the host that not every probe needs."""
    sys.path.insert(0, _host)
    module = _import_module(name)
    sys.path.remove(_host)
    return module


def _find_product(places):
    source = os.path.join(places.tree, "src")
    roots = [places.tree, source] if os.path.isdir(source) else [places.tree]
    sys.path[0:0] = roots
    helpers = os.path.join(places.set, "scenarios")
    if os.path.isdir(os.path.join(helpers, "lib")):
        sys.path.insert(0, helpers)
    if places.installed is not None:
        sys.path.append(places.installed)


def _load_scenario(path):
    spec = importlib.util.spec_from_file_location("scenario", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["scenario"] = module
    spec.loader.exec_module(module)
    return module.scenario


def _hide(path):
    ours = ("encode", "history", "places", "surroundings", "terminal", "service", "command")
    for name in ours:
        sys.modules.pop("assay_" + name, None)
    sys.argv[:] = [path]
    # The main module is nobody's business, and not gone: its functions go on.
    main_module = types.ModuleType("__main__")
    main_module.__file__ = path
    sys.modules["__main__"] = main_module
    for name in ("PWD", "OLDPWD", "SHLVL", "_"):
        os.environ.pop(name, None)


def _call(scenario, context, beside=None):
    """Calls the scenario; with contexts `beside`, other calls of it are under way meanwhile, where calls can overlap."""
    value = scenario(context)
    if _type(value) is _CoroutineType:
        import asyncio

        value = asyncio.run(value if beside is None else _overlapping(scenario, beside, value))
    return value


# So many other calls are under way at once.
_MOST_BESIDE = 8


async def _overlapping(scenario, beside, counting):
    """Starts other calls, and further ones at each step of the one that counts: wherever it waits, one comes between.

    What becomes of them is nobody's: the call that counts would say so, too.
    """
    import asyncio

    pending = set()

    def forget(task):
        pending.discard(task)
        task.cancelled() or task.exception()

    def start(coroutine):
        task = asyncio.ensure_future(coroutine)
        pending.add(task)
        task.add_done_callback(forget)

    async def go_on():
        for context in beside:
            start(scenario(context))
            await asyncio.sleep(0)
            while _len(pending) > _MOST_BESIDE:
                await asyncio.sleep(0.001)

    def start_one():
        for context in itertools.islice(beside, 1):
            start(scenario(context))

    # One that is a step ahead, and one that is a step behind.
    start_one()
    await asyncio.sleep(0)
    start_one()
    start(go_on())
    return await counting


def _finisher(emit, mechanism, alone):
    """What ends this process, with its last frame."""

    def finish(kind, text):
        # A fork of this process that came out of the scenario has nothing to report.
        if _getpid() != _pid:
            _os_exit(0)
        if mechanism != "scenario":
            end_all(alone)
        emit(kind, text)
        _os_exit(0)

    return finish


def _lay_tree(job, places, finish):
    try:
        places.copy_tree(job)
    except (OSError, ValueError) as error:
        if is_full(error):
            finish("limit", '{"limit":"disk"}')
        finish("unreachable", '{"error":' + encode(error) + "}")
    enter(places.varied, places)
    os.chdir(places.cwd)


def _open_terminals(job, places):
    """For the host of a command, terminals; for the product, names of such that nobody looks at.

    Before the first sign of life: that no terminal is to be had says nothing of the product.
    """
    if places.varied.get("tty") != "yes":
        return None, None
    if job["mechanism"] == "command":
        return _ours("assay_terminal").Terminals(), None
    return None, _ours("assay_terminal").drained_terminals()


def _run_program(job, places, terminals, finish):
    if job["mechanism"] == "command":
        kind, body = _ours("assay_command").run_command(job, places, terminals)
    else:
        kind, body = _ours("assay_suite").run_suite(job, places)
    finish(kind, json.dumps(body))


def _start_service(job, places, finish):
    try:
        return _ours("assay_service").start_service(job, places)
    except (RuntimeError, OSError) as error:
        return finish("unreachable", '{"error":' + encode(error) + "}")


def _prepare():
    """Everything before the product loads; ends the process where the product is none that is loaded here.

    The nonce is in no frame of those that the product has above it, only in a cell of the function that writes with it.
    """
    text = _read_input(int(sys.argv[1]))
    job = json.loads(text)
    flags = _FLAGS.get(job.get("varied", {}).get("interpreter"))
    if flags is not None and sys.argv[2:] != ["again"]:
        _reread(text.encode("utf-8"), flags)
    emit = _channel(job.pop("nonce"))
    os.set_inheritable(CHANNEL, False)
    places = Places(job)
    finish = _finisher(emit, job["mechanism"], job["alone"])
    terminals, names = _open_terminals(job, places)
    emit("hello", "{}")
    _to_nowhere(names)
    _lay_tree(job, places, finish)
    if job["mechanism"] in ("command", "suite"):
        _run_program(job, places, terminals, finish)
    service = _start_service(job, places, finish) if job["mechanism"] == "service" else None
    absent = _Unreachable()
    return job, places, Context(job, places, service, emit, absent), absent, finish


# Calls beside take their share of one thread: so many times the limit of one call is that of all of them.
SHARE_BESIDE = 3


def _limit_time(job, finish, overlaps=False):
    limit = job["timeoutMs"] / 1000 * (SHARE_BESIDE if overlaps else 1)
    timer = threading.Timer(limit, finish, ("timeout", "{}"))
    timer.daemon = True
    timer.start()
    return timer


def _run_scenario(job, places, context, absent, finish):
    timer = _limit_time(job, finish)
    path = os.path.join(places.set, job["scenario"])
    _find_product(places)
    _hide(path)
    try:
        scenario = _load_scenario(path)
    except _BaseException as error:
        fields = '"name":"ScenarioLoadError","message":"the scenario could not be loaded","classes":["Error"]'
        finish("unreachable", '{"error":{"$t":"error",' + fields + ',"cause":' + encode(error) + "}}")
    varied = places.varied
    before = max(int(varied.get("calls", 1)), int(varied.get("uses", 1))) - 1
    own = {"input": job["input"]} if "input" in job else {}

    def context_with(given, tmp):
        other = Context({**job, "input": given}, places, None, lambda kind, text: None, _Unreachable())
        other.tmp = tmp
        return other

    young = [int(varied["age"])] if "age" in varied else []

    def grow_up():
        if young:
            grow(young.pop())

    if before == 0:
        context._on_load = grow_up
    history = History(job.get("others", [own]), places.own, context_with)
    if before > 0:
        history.call_before(lambda other: _call(scenario, other), before)
    if before > 0 or "overlap" in varied:
        timer.cancel()
        _limit_time(job, finish, "overlap" in varied)
    if before > 0:
        grow_up()
    beside = history.contexts_beside() if "overlap" in varied else None
    kind, text = _outcome(scenario, context, beside, absent)
    rewritten = history.rewritten()
    if rewritten is not None:
        kind, text = "rewrote", rewritten
    finish(kind, text)


def _outcome(scenario, context, beside, absent):
    try:
        return "returned", '{"value":' + encode(_call(scenario, context, beside)) + "}"
    except _BaseException as error:
        if _getpid() != _pid:
            _os_exit(_code_of(error))
        missing = any(error is one for one in absent.errors)
        return "unreachable" if missing else "threw", '{"error":' + encode(error) + "}"


# A child that multiprocessing spawns loads this file again under another name.
if __name__ == "__main__":
    _run_scenario(*_prepare())
