"""The command line program; see the README for its commands."""

from __future__ import annotations

import argparse
import sys

from .api import scan, verify
from .compare import Report, compare
from .manifest import ALGORITHMS, Manifest, ManifestError


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="treesum", description="Checksums of folders.")
    commands = parser.add_subparsers(dest="command", required=True)

    scan_ = commands.add_parser("scan", help="record checksums")
    scan_.add_argument("root")
    scan_.add_argument("-o", "--output", metavar="FILE")
    scan_.add_argument("-a", "--algorithm", choices=ALGORITHMS, default="sha256")
    scan_.add_argument("-x", "--exclude", metavar="PATTERN", action="append", default=[])

    verify_ = commands.add_parser("verify", help="compare a folder with a manifest")
    verify_.add_argument("root")
    verify_.add_argument("file")
    verify_.add_argument("-q", "--quiet", action="store_true")
    verify_.add_argument("-x", "--exclude", metavar="PATTERN", action="append", default=[])

    diff = commands.add_parser("diff", help="compare two manifests")
    diff.add_argument("old")
    diff.add_argument("new")
    return parser


def _finish(report: Report, quiet: bool = False) -> int:
    if not quiet:
        for line in report.lines():
            print(line)
    return 0 if report.ok else 1


def _run(args: argparse.Namespace) -> int:
    if args.command == "scan":
        manifest = scan(args.root, algorithm=args.algorithm, exclude=args.exclude)
        if args.output is None:
            print(manifest.dumps(), end="")
        else:
            manifest.write(args.output)
            print(f"{len(manifest.entries)} files")
        return 0
    if args.command == "verify":
        return _finish(verify(args.root, args.file, exclude=args.exclude), args.quiet)
    return _finish(compare(Manifest.read(args.old), Manifest.read(args.new)))


def main(argv: list[str] | None = None) -> int:
    args = _parser().parse_args(argv)
    try:
        return _run(args)
    except (ManifestError, OSError) as error:
        print(f"treesum: {error}", file=sys.stderr)
        return 2
