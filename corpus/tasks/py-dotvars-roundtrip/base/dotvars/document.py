"""The content of a file: entries with everything around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Mapping

from .errors import NameError_
from .lexer import NAME, Line, lex
from .quoting import evaluate, quote


@dataclass(frozen=True)
class Entry:
    """A name with its value as written and as it is meant."""

    name: str
    value: str
    raw_value: str


class Document:
    """An editable .env file.

    If a name occurs several times the last entry counts, as in a shell.
    """

    def __init__(self, lines: list[Line] | None = None) -> None:
        self._lines: list[Line] = list(lines or [])

    @classmethod
    def parse(cls, text: str) -> "Document":
        return cls(list(lex(text)))

    # -- reading ---------------------------------------------------------

    def entries(self, environ: Mapping[str, str] | None = None) -> Iterator[Entry]:
        """Yield all entries in the order of the file."""
        known = dict(environ or {})
        for line in self._lines:
            if line.name is None:
                continue
            value = evaluate(line.raw, line.style, known)
            known[line.name] = value
            yield Entry(line.name, value, evaluate(line.raw, line.style, None))

    def values(
        self, environ: Mapping[str, str] | None = None, *, raw: bool = False
    ) -> dict[str, str]:
        """Return all values; with *raw*, references are not expanded."""
        return {
            entry.name: entry.raw_value if raw else entry.value
            for entry in self.entries(environ)
        }

    def get(
        self,
        name: str,
        environ: Mapping[str, str] | None = None,
        *,
        raw: bool = False,
    ) -> str | None:
        return self.values(environ, raw=raw).get(name)

    def names(self) -> list[str]:
        """Return the names, each once, in the order of first occurrence."""
        return list(dict.fromkeys(line.name for line in self._lines if line.name))

    # -- editing ---------------------------------------------------------

    def set(self, name: str, value: str) -> None:
        """Replace the last entry for *name*, or add one at the end."""
        if not NAME.fullmatch(name):
            raise NameError_(f"not a valid name: {name!r}")
        for index in range(len(self._lines) - 1, -1, -1):
            old = self._lines[index]
            if old.name == name:
                self._lines[index] = _entry_line(name, value, old.export, old.comment)
                return
        self._lines.append(_entry_line(name, value, False, ""))

    def unset(self, name: str) -> bool:
        """Remove all entries for *name*; tell whether there were any."""
        kept = [line for line in self._lines if line.name != name]
        found = len(kept) < len(self._lines)
        self._lines = kept
        return found

    def to_text(self) -> str:
        return "".join(line.text + "\n" for line in self._lines)


def _entry_line(name: str, value: str, export: bool, comment: str) -> Line:
    text = f"{'export ' if export else ''}{name}={quote(value)}"
    if comment:
        text += f"  {comment}"
    return next(lex(text))
