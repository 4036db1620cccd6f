"""The notation of values: bare, 'single' and "double"."""

from __future__ import annotations

import re
from typing import Mapping

BARE = "bare"
SINGLE = "single"
DOUBLE = "double"

_SAFE = re.compile(r"[A-Za-z0-9_./:@%+,=\\^~-]+")
_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")

_ESCAPES = (
    ("\n", "\\n"),
    ("\r", "\\r"),
    ("\t", "\\t"),
    ('"', '\\"'),
)


def quote(value: str) -> str:
    """Return the notation of *value*, in quotes where needed."""
    if _SAFE.fullmatch(value):
        return value
    if "$" in value and not re.search(r"['\n\r]", value):
        return f"'{value}'"
    for char, escape in _ESCAPES:
        value = value.replace(char, escape)
    return f'"{value}"'


def unquote(raw: str, style: str) -> str:
    """Return the text that *raw*, the part between the quotes, stands for."""
    if style != DOUBLE:
        return raw
    for char, escape in _ESCAPES:
        raw = raw.replace(escape, char)
    return raw


def expand(text: str, variables: Mapping[str, str]) -> str:
    """Replace each ${NAME} in *text*; unknown names become empty."""
    return _REFERENCE.sub(lambda m: variables.get(m.group(1), ""), text)


def evaluate(raw: str, style: str, variables: Mapping[str, str] | None) -> str:
    """Return the value of an entry; without *variables* nothing is expanded."""
    text = unquote(raw, style)
    if variables is None or style == SINGLE:
        return text
    return expand(text, variables)
