"""Finds the files below a folder."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from typing import Iterable, Iterator


def is_excluded(path: str, patterns: Iterable[str]) -> bool:
    """Tell whether the relative *path* matches one of *patterns*."""
    name = path.rpartition("/")[2]
    return any(
        fnmatchcase(path if "/" in pattern else name, pattern) for pattern in patterns
    )


def iter_files(
    root: str | os.PathLike[str], exclude: Iterable[str] = ()
) -> Iterator[str]:
    """Yield the relative paths of all regular files below *root*."""
    patterns = tuple(exclude)
    with os.scandir(root):  # fails at once if root is not a folder
        pass
    yield from _iter(os.fspath(root), "", patterns)


def _iter(folder: str, prefix: str, patterns: tuple[str, ...]) -> Iterator[str]:
    with os.scandir(folder) as found:
        items = sorted(found, key=lambda item: item.name)
    for item in items:
        path = prefix + item.name
        if is_excluded(path, patterns):
            continue
        if item.is_dir(follow_symlinks=False):
            yield from _iter(item.path, path + "/", patterns)
        elif item.is_file(follow_symlinks=False):
            yield path
