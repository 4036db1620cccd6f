"""python3 -m pairs: what standard input holds, one line for each."""

import sys

from pairs import parse


def main():
    try:
        found = parse(sys.stdin.read())
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    for key in sorted(found):
        print(f"{key}: {found[key]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
