"""Computes the entry of one file."""

from __future__ import annotations

import hashlib
import os

from .manifest import Entry


def entry_for(path: str | os.PathLike[str], algorithm: str = "sha256") -> Entry:
    """Return checksum and size of the file at *path*."""
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, algorithm)
        size = file.tell()
    return Entry(digest.hexdigest(), size)
