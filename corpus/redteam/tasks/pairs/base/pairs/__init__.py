"""Lines `key=value`."""

from pairs.core import parse
from pairs.output import dump

__all__ = ["dump", "parse"]
