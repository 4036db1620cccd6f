"""Compares two manifests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterator

from .manifest import Manifest, ManifestError


@dataclass(frozen=True)
class Report:
    """Differences; each list is sorted by path."""

    added: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not (self.added or self.missing or self.changed)

    def lines(self) -> Iterator[str]:
        """Yield one line for each difference, sorted by path."""
        pairs = [(path, "A") for path in self.added]
        pairs += [(path, "M") for path in self.missing]
        pairs += [(path, "C") for path in self.changed]
        for path, letter in sorted(pairs):
            yield f"{letter} {path}"


def compare(old: Manifest, new: Manifest) -> Report:
    """Return what is different in *new*."""
    if old.algorithm != new.algorithm:
        raise ManifestError("the manifests use different algorithms")
    return Report(
        added=sorted(new.entries.keys() - old.entries.keys()),
        missing=sorted(old.entries.keys() - new.entries.keys()),
        changed=sorted(
            path
            for path in old.entries.keys() & new.entries.keys()
            if old.entries[path] != new.entries[path]
        ),
    )
