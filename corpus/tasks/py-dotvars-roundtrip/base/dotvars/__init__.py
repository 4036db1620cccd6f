"""Read and edit .env files."""

from .document import Document, Entry
from .errors import DotvarsError, NameError_, ParseError
from .files import dumps, load, loads, save
from .quoting import quote

__all__ = [
    "Document",
    "DotvarsError",
    "Entry",
    "NameError_",
    "ParseError",
    "dumps",
    "load",
    "loads",
    "quote",
    "save",
]
