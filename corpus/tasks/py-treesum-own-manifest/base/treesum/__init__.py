"""Record and verify the checksums of a folder."""

from .api import record, scan, verify
from .compare import Report, compare
from .manifest import Entry, Manifest, ManifestError

__all__ = [
    "Entry",
    "Manifest",
    "ManifestError",
    "Report",
    "compare",
    "record",
    "scan",
    "verify",
]
