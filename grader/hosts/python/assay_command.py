"""A command check: one program of the product from start to end. Nothing of the product runs in this process."""

import base64
import os
import selectors
import stat
import subprocess
import time

from assay_places import end_all, track

STREAM_BYTES = 1_000_000
FILE_BYTES = 1_000_000
DIRECTORY_ENTRIES = 1000
# How long streams may stay open after the program ended: something that it left behind still holds them.
LINGER_S = 0.2


def run_command(job, places, terminals):
    """Returns a frame: its kind and its body. `terminals`: of the command, where it is to have them."""
    command = job["command"]
    places.lay(command.get("files"))
    argv = [places.fill(part) for part in command["argv"]]
    stdin = places.fill(command.get("stdin", "")).encode()
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    if terminals is not None:
        pipes |= {"stdout": terminals.output, "stderr": terminals.errors}
        # What there is to read comes through a pipe, also on a terminal.
        if "stdin" not in command:
            pipes["stdin"] = terminals.output
    try:
        child = subprocess.Popen(
            argv,
            cwd=places.tree if command["cwd"] == "tree" else places.tmp,
            env=places.environment(command.get("env")),
            start_new_session=True,
            **pipes,
        )
    except OSError as error:
        message = f"{argv[0]}: {error.strerror}"
        return "unreachable", {
            "error": {"$t": "error", "name": "OSError", "message": message, "classes": ["OSError"], "code": error.errno}
        }
    track(child.pid)
    if terminals is not None:
        terminals.handed_over()
    kind, body = _follow(child, terminals, stdin, time.monotonic() + job["timeoutMs"] / 1000, job["alone"])
    end_all(job["alone"])
    if kind == "exited":
        body["files"] = {name: observe_file(name, places) for name in command.get("observe", [])}
    return kind, body


def _follow(child, terminals, stdin, deadline, alone):
    outputs, spared = (child, None) if terminals is None else (terminals, terminals.pid)
    chunks = {"stdout": [], "stderr": []}
    waiting = selectors.DefaultSelector()
    for name in chunks:
        stream = getattr(outputs, name)
        os.set_blocking(stream.fileno(), False)
        waiting.register(stream, selectors.EVENT_READ, name)
    if child.stdin is not None:
        os.set_blocking(child.stdin.fileno(), False)
        waiting.register(child.stdin, selectors.EVENT_WRITE, "stdin")
    ended_at = None
    while waiting.get_map():
        now = time.monotonic()
        if child.poll() is not None and ended_at is None:
            ended_at = now
        if ended_at is not None and now - ended_at > LINGER_S:
            end_all(alone, spared)
        elif ended_at is None and now > deadline:
            return "timeout", {}
        for key, _ in waiting.select(0.02 if ended_at is not None else min(0.25, max(0.0, deadline - now))):
            if key.data == "stdin":
                stdin = _feed(child, stdin, waiting)
                continue
            chunk = key.fileobj.read(65536)
            if chunk:
                chunks[key.data].append(chunk)
                if sum(map(len, chunks[key.data])) > STREAM_BYTES:
                    return "limit", {"limit": "output"}
            elif chunk == b"":
                waiting.unregister(key.fileobj)
        if child.poll() is not None and list(waiting.get_map().values()) and all(
            key.data == "stdin" for key in waiting.get_map().values()
        ):
            break
    try:
        code = child.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return "timeout", {}
    how = {"code": code, "signal": None} if code >= 0 else {"code": None, "signal": _signal_name(-code)}
    return "exited", {**how, **{name: stream_text(b"".join(parts)) for name, parts in chunks.items()}}


def _feed(child, stdin, waiting):
    try:
        if stdin:
            stdin = stdin[os.write(child.stdin.fileno(), stdin[:65536]) :]
        if not stdin:
            waiting.unregister(child.stdin)
            child.stdin.close()
    except BlockingIOError:
        pass
    except OSError:
        # A program may end without reading its input.
        waiting.unregister(child.stdin)
        child.stdin.close()
    return stdin


def _signal_name(number):
    import signal

    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"


def stream_text(raw):
    try:
        return {"text": raw.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(raw).decode()}


def observe_file(name, places):
    """The state of a path below {tmp}, or of `{tree}/…`, without following any link."""
    root = places.tree if name.startswith("{tree}") else places.tmp
    target = os.path.normpath(os.path.join(root, places.fill(name)))
    if target != root and not target.startswith(root + os.sep):
        return {"kind": "other"}
    parts = [part for part in os.path.relpath(target, root).split(os.sep) if part != "."]
    at = root
    try:
        for index, part in enumerate(parts):
            at = os.path.join(at, part)
            mode = os.lstat(at).st_mode
            if index < len(parts) - 1 and not stat.S_ISDIR(mode):
                return {"kind": "other"} if stat.S_ISLNK(mode) else {"kind": "absent"}
        return _state(at)
    except FileNotFoundError:
        return {"kind": "absent"}
    except OSError:
        return {"kind": "other"}


def _state(at):
    found = os.lstat(at)
    if stat.S_ISLNK(found.st_mode):
        return {"kind": "link", "target": os.fsencode(os.readlink(at)).decode("utf-8", "replace")}
    if stat.S_ISDIR(found.st_mode):
        names = sorted(os.fsencode(name).decode("utf-8", "replace") for name in os.listdir(at))
        return {"kind": "other"} if len(names) > DIRECTORY_ENTRIES else {"kind": "directory", "entries": names}
    if not stat.S_ISREG(found.st_mode) or found.st_size > FILE_BYTES:
        return {"kind": "other"}
    with open(at, "rb") as file:
        return {"kind": "file", "content": stream_text(file.read()), "mode": stat.S_IMODE(found.st_mode) & 0o777}
