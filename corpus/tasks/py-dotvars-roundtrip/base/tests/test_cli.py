import contextlib
import io
import os
import tempfile
import unittest

from dotvars.cli import main


class CliTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "app.env")

    def run_cli(self, *args):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            status = main([self.path, *args])
        return status, out.getvalue()

    def test_set_get_list(self):
        self.assertEqual(self.run_cli("set", "A", "two words"), (0, ""))
        self.assertEqual(self.run_cli("set", "B", "1"), (0, ""))
        self.assertEqual(self.run_cli("get", "A"), (0, "two words\n"))
        self.assertEqual(self.run_cli("list"), (0, 'A="two words"\nB=1\n'))
        self.assertEqual(
            self.run_cli("list", "--json"), (0, '{\n  "A": "two words",\n  "B": "1"\n}\n')
        )
        self.assertEqual(self.run_cli("unset", "A"), (0, ""))
        self.assertEqual(self.run_cli("get", "A"), (1, ""))

    def test_missing_file(self):
        self.assertEqual(self.run_cli("get", "A")[0], 2)


if __name__ == "__main__":
    unittest.main()
