"""The command line program; see the README for its commands."""

from __future__ import annotations

import argparse
import json
import os
import sys

from .document import Document
from .errors import DotvarsError
from .files import load, save
from .quoting import quote


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="dotvars", description="Edit .env files.")
    parser.add_argument("file")
    commands = parser.add_subparsers(dest="command", required=True)

    get = commands.add_parser("get", help="print a value")
    get.add_argument("name")
    get.add_argument("--raw", action="store_true")

    set_ = commands.add_parser("set", help="add or replace a value")
    set_.add_argument("name")
    set_.add_argument("value")

    unset = commands.add_parser("unset", help="remove a value")
    unset.add_argument("name")

    list_ = commands.add_parser("list", help="print all values")
    list_.add_argument("--json", action="store_true")
    list_.add_argument("--raw", action="store_true")
    return parser


def _run(args: argparse.Namespace) -> int:
    if args.command == "set" and not os.path.exists(args.file):
        document = Document()
    else:
        document = load(args.file)

    if args.command == "get":
        value = document.get(args.name, os.environ, raw=args.raw)
        if value is None:
            return 1
        print(value)
    elif args.command == "set":
        document.set(args.name, args.value)
        save(document, args.file)
    elif args.command == "unset":
        if not document.unset(args.name):
            return 1
        save(document, args.file)
    else:
        values = document.values(os.environ, raw=args.raw)
        if args.json:
            print(json.dumps(values, indent=2, ensure_ascii=False))
        else:
            for name, value in values.items():
                print(f"{name}={quote(value)}")
    return 0


def main(argv: list[str] | None = None) -> int:
    args = _parser().parse_args(argv)
    try:
        return _run(args)
    except (DotvarsError, OSError) as error:
        print(f"dotvars: {error}", file=sys.stderr)
        return 2
