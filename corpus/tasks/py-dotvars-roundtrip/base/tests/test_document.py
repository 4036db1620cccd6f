import unittest

import dotvars


class ReadingTest(unittest.TestCase):
    def test_forms(self):
        doc = dotvars.loads("A=1\nexport B='two words' # note\nC=\"x\\ty\"\n\n# end\nD=\n")
        self.assertEqual(
            doc.values(), {"A": "1", "B": "two words", "C": "x\ty", "D": ""}
        )

    def test_references(self):
        doc = dotvars.loads("A=1\nB=\"${A}-${HOME}-${NONE}\"\nC='${A}'\n")
        self.assertEqual(doc.get("B", {"HOME": "/h"}), "1-/h-")
        self.assertEqual(doc.get("B", raw=True), "${A}-${HOME}-${NONE}")
        self.assertEqual(doc.get("C"), "${A}")

    def test_errors(self):
        for text in ("A", "1A=x", 'A="x', "A='x' y"):
            with self.assertRaises(dotvars.ParseError) as caught:
                dotvars.loads("# first\n" + text)
            self.assertEqual(caught.exception.line, 2)


class EditingTest(unittest.TestCase):
    def test_keeps_everything_else(self):
        text = "# head\nA=1  # one\n\nexport B='x'\n"
        doc = dotvars.loads(text)
        self.assertEqual(dotvars.dumps(doc), text)
        doc.set("A", "two words")
        doc.set("B", "y")
        doc.set("C", 'say "hi"\n')
        self.assertEqual(
            dotvars.dumps(doc),
            "# head\nA=\"two words\"  # one\n\nexport B=y\nC=\"say \\\"hi\\\"\\n\"\n",
        )

    def test_unset(self):
        doc = dotvars.loads("A=1\nB=2\nA=3\n")
        self.assertTrue(doc.unset("A"))
        self.assertFalse(doc.unset("A"))
        self.assertEqual(dotvars.dumps(doc), "B=2\n")

    def test_names(self):
        with self.assertRaises(dotvars.NameError_):
            dotvars.Document().set("not a name", "x")


if __name__ == "__main__":
    unittest.main()
