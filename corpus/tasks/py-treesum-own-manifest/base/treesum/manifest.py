"""The manifest and its text format."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

ALGORITHMS = ("sha256", "sha1", "blake2b")

_HEADER = re.compile(r"treesum 1 (\w+)")
_ENTRY = re.compile(r"([0-9a-f]+) (\d+) (.+)", re.DOTALL)


class ManifestError(Exception):
    """The text is not a manifest."""


@dataclass(frozen=True)
class Entry:
    digest: str
    size: int


@dataclass
class Manifest:
    """Checksums by path, relative to the folder that was scanned."""

    algorithm: str = "sha256"
    entries: dict[str, Entry] = field(default_factory=dict)

    def dumps(self) -> str:
        lines = [f"treesum 1 {self.algorithm}\n"]
        for path in sorted(self.entries):
            entry = self.entries[path]
            lines.append(f"{entry.digest} {entry.size} {_escape(path)}\n")
        return "".join(lines)

    @classmethod
    def loads(cls, text: str) -> "Manifest":
        head, *lines = text.split("\n")
        match = _HEADER.fullmatch(head)
        if match is None or match.group(1) not in ALGORITHMS:
            raise ManifestError("not a treesum manifest")
        manifest = cls(match.group(1))
        if lines and lines[-1] == "":
            lines.pop()
        for number, line in enumerate(lines, 2):
            match = _ENTRY.fullmatch(line)
            if match is None:
                raise ManifestError(f"line {number}: malformed entry")
            path = _unescape(match.group(3))
            if path in manifest.entries:
                raise ManifestError(f"line {number}: duplicate path")
            manifest.entries[path] = Entry(match.group(1), int(match.group(2)))
        return manifest

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the manifest to *path*, replacing the file in one step."""
        target = Path(os.path.realpath(path))
        temporary = target.with_name(target.name + ".part")
        temporary.write_bytes(self.dumps().encode("utf-8", "surrogateescape"))
        os.replace(temporary, target)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> "Manifest":
        return cls.loads(Path(path).read_bytes().decode("utf-8", "surrogateescape"))


def _escape(path: str) -> str:
    return path.replace("\\", "\\\\").replace("\n", "\\n")


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], text)
