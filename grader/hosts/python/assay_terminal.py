"""Terminals for a product, opened by `terminal.pl`, the same ones as for a product in Node.js."""

import os
import subprocess

PROGRAM = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "terminal.pl")


def drained_terminals():
    """Terminals that throw away what is written to them. Returns their names: of input and output, of errors."""
    opened = subprocess.run(
        ["perl", PROGRAM, "drain"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    return _names_in(opened.stdout)


class Terminals:
    """Terminals for one program: descriptors to give it, and where what it writes comes out."""

    def __init__(self):
        pipe = subprocess.PIPE
        # In no group of its own: it has to outlive the program until all is read.
        self._copier = subprocess.Popen(["perl", PROGRAM, "copy"], stdin=pipe, stdout=pipe, stderr=pipe)
        self.stdout, self.stderr, self.pid = self._copier.stdout, self._copier.stderr, self._copier.pid
        # Not a byte more comes until the program has them.
        names = _names_in(os.read(self.stdout.fileno(), 200))
        self.output, self.errors = (os.open(name, os.O_RDWR | os.O_NOCTTY) for name in names)

    def handed_over(self):
        """To be called once the program has the descriptors."""
        os.close(self.output)
        os.close(self.errors)
        self._copier.stdin.close()


def _names_in(line):
    names = line.decode().split()
    if len(names) != 2:
        raise RuntimeError("no terminals could be opened")
    return names
