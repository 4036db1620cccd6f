import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import treesum
from treesum.cli import main


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.base = Path(folder.name)
        self.root = self.base / "root"
        (self.root / "sub").mkdir(parents=True)
        (self.root / "a.txt").write_text("one")
        (self.root / "sub" / "b.txt").write_text("two")
        self.sums = self.base / "sums"

    def run_cli(self, *args):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            status = main([str(arg) for arg in args])
        return status, out.getvalue()


class ApiTest(Case):
    def test_record_and_verify(self):
        manifest = treesum.record(self.root, self.sums)
        self.assertEqual(list(manifest.entries), ["a.txt", "sub/b.txt"])
        self.assertTrue(treesum.verify(self.root, self.sums).ok)
        (self.root / "a.txt").write_text("two")
        (self.root / "sub" / "b.txt").unlink()
        (self.root / "c.txt").write_text("three")
        report = treesum.verify(self.root, self.sums)
        self.assertEqual(report, treesum.Report(["c.txt"], ["sub/b.txt"], ["a.txt"]))

    def test_exclude(self):
        manifest = treesum.scan(self.root, exclude=["sub"])
        self.assertEqual(list(manifest.entries), ["a.txt"])
        treesum.record(self.root, self.sums)
        (self.root / "sub" / "b.txt").unlink()
        self.assertTrue(treesum.verify(self.root, self.sums, exclude=["sub"]).ok)

    def test_odd_names(self):
        (self.root / "back\\slash\nnew line").write_text("x")
        manifest = treesum.scan(self.root)
        self.assertEqual(treesum.Manifest.loads(manifest.dumps()), manifest)

    def test_not_a_manifest(self):
        for text in ("", "treesum 1 md5\n", "treesum 1 sha1\nx\n"):
            with self.assertRaises(treesum.ManifestError):
                treesum.Manifest.loads(text)


class CliTest(Case):
    def test_commands(self):
        self.assertEqual(self.run_cli("scan", self.root, "-o", self.sums), (0, "2 files\n"))
        self.assertEqual(self.run_cli("verify", self.root, self.sums), (0, ""))
        (self.root / "sub" / "b.txt").write_text("changed")
        self.assertEqual(self.run_cli("verify", self.root, self.sums), (1, "C sub/b.txt\n"))
        self.assertEqual(self.run_cli("verify", self.root, self.sums, "-q"), (1, ""))
        self.run_cli("scan", self.root, "-o", self.base / "new")
        self.assertEqual(
            self.run_cli("diff", self.sums, self.base / "new"), (1, "C sub/b.txt\n")
        )

    def test_errors(self):
        self.assertEqual(self.run_cli("scan", self.base / "none")[0], 2)
        self.assertEqual(self.run_cli("verify", self.root, self.root / "a.txt")[0], 2)


if __name__ == "__main__":
    unittest.main()
