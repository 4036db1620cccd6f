"""Lays out files, runs steps and reports what each one gave.

input: { files: {path: text}, steps: [[operation, ...]] }
A path that begins with "@/" is made absolute; any other is relative to the current folder.
"""

import contextlib
import io
import os
import pathlib
import shutil


def scenario(ctx):
    treesum = ctx.load("treesum")
    main = ctx.load("treesum.cli").main
    top = os.path.realpath(str(ctx.tmp))
    os.chdir(top)

    def at(path):
        return top + path[1:] if path.startswith("@/") else path

    def write(path, text):
        folder = os.path.dirname(path)
        if folder:
            os.makedirs(folder, exist_ok=True)
        with open(path, "w", newline="") as file:
            file.write(text)

    def options(step, place):
        given = dict(step[place]) if len(step) > place else {}
        wrap = pathlib.Path if given.pop("pathlib", False) else str
        if given.pop("generator", False):
            given["exclude"] = (pattern for pattern in given["exclude"])
        return wrap, given

    for path, text in ctx.input["files"].items():
        write(path, text)

    results = []
    for step in ctx.input["steps"]:
        operation, *a = step
        if operation == "write":
            write(at(a[0]), a[1])
        elif operation == "remove":
            os.remove(at(a[0]))
        elif operation == "copy":
            shutil.copyfile(at(a[0]), at(a[1]))
        elif operation == "symlink":
            os.symlink(at(a[1]), at(a[0]))
        elif operation == "hardlink":
            os.link(at(a[1]), at(a[0]))
        elif operation == "mkdir":
            os.makedirs(at(a[0]))
        elif operation == "chdir":
            os.chdir(at(a[0]))
        else:
            results.append(run(operation, a, step, treesum, main, at, options))
    return results


def run(operation, a, step, treesum, main, at, options):
    try:
        if operation == "record":
            wrap, given = options(step, 3)
            manifest = treesum.record(wrap(at(a[0])), wrap(at(a[1])), **given)
            return sorted(manifest.entries)
        if operation == "verify":
            wrap, given = options(step, 3)
            report = treesum.verify(wrap(at(a[0])), wrap(at(a[1])), **given)
            return {"A": report.added, "M": report.missing, "C": report.changed, "ok": report.ok}
        if operation == "scan":
            wrap, given = options(step, 2)
            return sorted(treesum.scan(wrap(at(a[0])), **given).entries)
        if operation == "compare":
            read = treesum.Manifest.read
            return list(treesum.compare(read(at(a[0])), read(at(a[1]))).lines())
        if operation == "entries":
            return sorted(treesum.Manifest.read(at(a[0])).entries)
        if operation == "text":
            with open(at(a[0]), newline="") as file:
                return file.read()
        if operation == "is-link":
            return os.path.islink(at(a[0]))
        if operation == "exists":
            return os.path.exists(at(a[0]))
        if operation == "cli":
            out = io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
                status = main([at(word) for word in a])
            return [status, out.getvalue()]
    except Exception as error:
        return {"raised": type(error).__name__, "os": isinstance(error, OSError)}
    raise RuntimeError(f"unknown step {operation}")
