"""Splits the text of a file into lines that are entries or something else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Iterator

from .errors import ParseError
from .quoting import BARE, DOUBLE, SINGLE

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_HEAD = re.compile(r"\s*(export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=[ \t]*")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"')
_SINGLE = re.compile(r"'([^']*)'")
_TAIL = re.compile(r"\s*(#.*)?")
_BARE_END = re.compile(r"\s+#.*|\s+$")


@dataclass(frozen=True)
class Line:
    """One line; *name* is None for blank lines and comments."""

    text: str
    name: str | None = None
    raw: str = ""
    style: str = BARE
    export: bool = False
    comment: str = ""


def lex(text: str) -> Iterator[Line]:
    """Yield the lines of *text*, without their line breaks."""
    lines = text.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    for number, line in enumerate(lines, 1):
        yield _lex_line(line.removesuffix("\r"), number)


def _lex_line(line: str, number: int) -> Line:
    stripped = line.strip()
    if not stripped or stripped.startswith("#"):
        return Line(line)

    head = _HEAD.match(line)
    if head is None:
        raise ParseError("expected NAME=value", number)
    export, name = head.group(1) is not None, head.group(2)
    rest = line[head.end():]

    if rest[:1] in ("'", '"'):
        pattern, style = (_SINGLE, SINGLE) if rest[0] == "'" else (_DOUBLE, DOUBLE)
        match = pattern.match(rest)
        if match is None:
            raise ParseError("missing closing quote", number)
        tail = _TAIL.fullmatch(rest, match.end())
        if tail is None:
            raise ParseError("unexpected text after the closing quote", number)
        return Line(line, name, match.group(1), style, export, tail.group(1) or "")

    if rest.startswith("#"):
        return Line(line, name, "", BARE, export, rest)
    end = _BARE_END.search(rest)
    raw = rest[: end.start()] if end else rest
    comment = end.group().strip() if end else ""
    return Line(line, name, raw, BARE, export, comment)
