"""The functions most callers need."""

from __future__ import annotations

import os
from typing import Iterable

from .compare import Report, compare
from .hashing import entry_for
from .manifest import ALGORITHMS, Manifest
from .walk import is_excluded, iter_files

Path = str | os.PathLike[str]


def scan(root: Path, *, algorithm: str = "sha256", exclude: Iterable[str] = ()) -> Manifest:
    """Return the manifest of the files below *root*."""
    if algorithm not in ALGORITHMS:
        raise ValueError(f"unknown algorithm: {algorithm!r}")
    manifest = Manifest(algorithm)
    for path in iter_files(root, exclude):
        manifest.entries[path] = entry_for(os.path.join(root, path), algorithm)
    return manifest


def record(
    root: Path,
    target: Path,
    *,
    algorithm: str = "sha256",
    exclude: Iterable[str] = (),
) -> Manifest:
    """Write the manifest of the files below *root* to *target* and return it."""
    manifest = scan(root, algorithm=algorithm, exclude=exclude)
    manifest.write(target)
    return manifest


def verify(root: Path, source: Path, *, exclude: Iterable[str] = ()) -> Report:
    """Compare the files below *root* with the manifest at *source*.

    Paths that match *exclude* are left out on both sides.
    """
    patterns = tuple(exclude)
    old = Manifest.read(source)
    for path in [path for path in old.entries if _excluded(path, patterns)]:
        del old.entries[path]
    return compare(old, scan(root, algorithm=old.algorithm, exclude=patterns))


def _excluded(path: str, patterns: tuple[str, ...]) -> bool:
    parts = path.split("/")
    return any(
        is_excluded("/".join(parts[:count]), patterns)
        for count in range(1, len(parts) + 1)
    )
