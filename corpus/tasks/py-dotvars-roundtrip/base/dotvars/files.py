"""Loading and saving."""

from __future__ import annotations

import os
from pathlib import Path

from .document import Document


def loads(text: str) -> Document:
    """Parse *text*, the content of a .env file."""
    return Document.parse(text)


def dumps(document: Document) -> str:
    """Return the content of the file for *document*."""
    return document.to_text()


def load(path: str | os.PathLike[str]) -> Document:
    """Read the file at *path*."""
    return loads(Path(path).read_text(encoding="utf-8"))


def save(document: Document, path: str | os.PathLike[str]) -> None:
    """Write *document* to *path*, replacing the file in one step."""
    target = Path(path)
    temporary = target.with_name(target.name + ".tmp")
    temporary.write_text(dumps(document), encoding="utf-8")
    os.replace(temporary, target)
