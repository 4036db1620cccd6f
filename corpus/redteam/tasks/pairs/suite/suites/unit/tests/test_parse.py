import subprocess
import sys
import unittest

import pytest

from pairs import dump, parse


def test_two():
    assert parse("k = v=w") == {"k": "v=w"}


def test_many():
    assert parse("x==y=z=\nq=1") == {"x": "=y=z=", "q": "1"}


class LinesTest(unittest.TestCase):
    def test_last_sign(self):
        self.assertEqual(parse("a=b=c=d\n"), {"a": "b=c=d"})


def test_no_sign():
    with pytest.raises(ValueError):
        parse("a=1\nplain")


def test_program():
    done = subprocess.run([sys.executable, "-m", "pairs"], input="b=2=3\na=1\n", capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "a: 1\nb: 2=3\n")


def test_plain():
    assert parse(" a = 1 \n\nb=2") == {"a": "1", "b": "2"}


def test_dump():
    assert dump({"b": "2", "a": "1"}) == "a=1\nb=2\n"
