"""Runs the command line program several times on one file and reports statuses and outputs.

input: {"file": text or null, "runs": [[argument, ...], ...], "process": bool, "env": {...}, "read": bool}
With "read", what the last run printed is also read with dotvars.loads.
"""

import contextlib
import io
import os
import subprocess
import sys


def scenario(ctx):
    given = ctx.input
    path = os.path.join(ctx.tmp, "app.env")
    if given.get("file") is not None:
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(given["file"])
    os.environ.update(given.get("env", {}))
    result = []
    out = ""
    for arguments in given["runs"]:
        if given.get("process"):
            done = subprocess.run(
                [sys.executable, "-B", "-m", "dotvars", path, *arguments],
                cwd=ctx.tree, capture_output=True, text=True, encoding="utf-8", stdin=subprocess.DEVNULL,
            )
            status, out, err = done.returncode, done.stdout, done.stderr
        else:
            main = ctx.load("dotvars.cli").main
            stdout, stderr = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
                try:
                    status = main([path, *arguments])
                except SystemExit as stop:
                    status = stop.code
            out, err = stdout.getvalue(), stderr.getvalue()
        result.append([status, out, err != ""])
    if given.get("read"):
        doc = ctx.load("dotvars").loads(out)
        return {"values": doc.values(), "raw": doc.values(raw=True)}
    return result
