#!/usr/bin/env python3
"""test_words.py: words.py fails on what it is there to find, each fault alone, and on nothing else. Texts of known length."""
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
# pylint: disable=wrong-import-position
import comments
import sentences
import words

PRIVATE = {"agenda": ("wake-up schedule", []), "hot body": ("solver body", []), "leg": ("displacement", ["mover"])}
EXACTLY_30 = " ".join(["word"] * 29) + " end."
ONE_OVER = "word " + EXACTLY_30


def found(path, text):
    return list(words.findings(path, text, PRIVATE))


def counts(block):
    return [sentences.word_count(sentence) for sentence in sentences.sentences(block)]


class Length(unittest.TestCase):
    def test_thirty_words_and_one_over(self):
        for form in ("/* {} */\n", "// {}\n", "int x; /* {} */\n", 'char *s = "/*"; // {}\n'):
            self.assertEqual(found("server/a.c", form.format(EXACTLY_30)), [], form)
            self.assertEqual([line for line, _ in found("server/a.c", form.format(ONE_OVER))], [1], form)
        for name in ("a.py", "a.sh", "CMakeLists.txt", "a.cmake"):
            self.assertEqual(found(name, f"x\n# {EXACTLY_30}\n"), [], name)
            self.assertEqual([line for line, _ in found(name, f"x\n# {ONE_OVER}\n")], [2], name)
        self.assertEqual(len(found("a.proto", f"message A {{\n  // {ONE_OVER}\n}}\n")), 1)
        self.assertEqual(len(found("a.py", f'def a():\n    """{ONE_OVER}"""\n    return """{ONE_OVER}"""\n')), 1)

    def test_thirty_five_in_a_page(self):
        self.assertEqual(found("a.md", "word " * 5 + EXACTLY_30), [])
        self.assertEqual(len(found("a.md", "word " * 6 + EXACTLY_30)), 1)

    def test_a_sentence_goes_on_over_lines(self):
        halves = ONE_OVER.split(" ", 15)
        first, second = " ".join(halves[:15]), halves[15]
        for text in (f"/* {first}\n * {second} */", f"// {first}\n// {second}", f"int a; // {first}\n       // {second}"):
            self.assertEqual(len(found("a.c", text)), 1, text)
        self.assertEqual(len(found("a.sh", f"# {first}\n# {second}\n")), 1)
        self.assertEqual(found("a.c", f"int a; // {first}\n// {second}"), [])  # the second is of what comes below
        self.assertEqual(found("a.c", f"// {first}\nint a; // {second}"), [])

    def test_blocks_end_sentences(self):
        part = "word " * 20
        for between in ("\n *\n * ", "\n * - ", "\n * 2. ", ". ", "? ", ".) ", "\n * -----\n * "):
            self.assertEqual(found("a.c", f"/* {part.strip()}{between}{part} */"), [], between)
        for between in (", ", "; ", ": ", "\n * ", " (", " e.g. ", " 0.5 ", "\n * x.c "):
            self.assertEqual(len(found("a.c", f"/* {part.strip()}{between}{part} */")), 1, between)

    def test_an_item_goes_on(self):
        self.assertEqual(len(found("a.c", "/* List:\n * - " + "word " * 20 + "\n *   " + "word " * 20 + "\n */")), 1)
        self.assertEqual(len(found("a.md", "- " + "word " * 20 + "\n  " + "word " * 20 + "\n")), 1)

    def test_rows_of_a_table(self):
        row = "   ".join(["cell of five little words"] * 8)
        self.assertEqual(found("a.c", f"/* Table:\n *   {row}\n *   {row}\n */"), [])
        self.assertEqual(found("a.md", "| " + " | ".join(["cell of words"] * 20) + " |\n|---|\n"), [])
        self.assertEqual(len(found("a.md", "| a | " + "word " * 36 + "|\n")), 1)

    def test_what_is_one_word(self):
        self.assertEqual(counts("So v = u + a * t at last."), [4])
        self.assertEqual(counts("The `x of y` and [a link](http://long.example/of words) here."), [6])
        self.assertEqual(counts("See `a`, `b` and `c`."), [2])
        self.assertEqual(counts("See https://example.org/a.b?c now."), [3])
        self.assertEqual(counts("A well-known 1e-9 and/or 3.5 m/s."), [6])

    def test_ends(self):
        self.assertEqual(counts("One two. three four? Five (six seven.) Eight, e.g. nine, i.e. ten."), [2, 2, 3, 5])
        self.assertEqual(counts("**Bold it is.** Then 3.5 of `a. b` in step.c goes."), [3, 7])

    def test_code_in_a_page_is_no_sentence(self):
        for code in (f"```c\n// {ONE_OVER} who\n```\n", f"Do:\n\n    {ONE_OVER} {ONE_OVER} who\n", f"A `{ONE_OVER} who` b\n",
                     f"<!-- {ONE_OVER} who -->\n"):
            self.assertEqual(found("a.md", code), [], code)
        self.assertEqual(len(found("a.md", "```\nx\n```\nThe one who asks.\n")), 1)


class Words(unittest.TestCase):
    def test_persons(self):
        for person in ("who", "Whom", "whose", "nobody", "He", "his", "everybody", "himself", "Somebody's"):
            self.assertEqual(len(found("a.c", f"/* The body {person} moved. */")), 1, person)
        self.assertEqual(found("a.c", "/* The whole, here, hers apart: WHO_ASKS, he_x, `who`, who.c, who() */"),
                         [(1, "'hers', a person, for a thing: The whole, here, hers apart: WHO_ASKS, he_x, CODE, who.c, who()")])

    def test_private_words(self):
        self.assertEqual(len(found("a.c", "/* On the agenda of a body. */")), 1)
        self.assertEqual(len(found("a.c", "/* The agenda's end, and a hot\n * body. */")), 2)
        self.assertEqual(found("a.c", "/* agenda_next, agenda.h, physics/agenda.h, `agenda` and a body that is hot. */\nint agenda;"), [])
        self.assertEqual(len(found("server/a.c", "/* A leg. */")), 1)
        self.assertEqual(found("server/mover.c", "/* A leg. */"), [])

    def test_strings_of_the_program_only(self):
        line = 'say("a circle who moves\\n");\n'
        self.assertEqual(len(found("client/cli/a.c", line)), 1)
        self.assertEqual(len(found("server/a.c", line)), 1)
        self.assertEqual(found("tests/a.c", line), [])
        self.assertEqual(found("server/a.c", 'say("who");\n'), [])

    def test_the_list_is_read(self):
        table = words.private_words()
        self.assertGreater(len(table), 20)
        self.assertTrue(all(field for field, _ in table.values()))
        self.assertIn(".proto", table["leg"][1])
        self.assertNotIn("part", table)


class Sources(unittest.TestCase):
    def test_code_keeps_its_lines(self):
        text = 'int a; /* b\n * c */ char *d = "e /* f"; // g\nint h;\n'
        self.assertEqual(comments.code(text), 'int a;     \n        char *d = "      ";     \nint h;\n')

    def test_a_hash_in_a_string_begins_no_comment(self):
        self.assertEqual(list(comments.comments("a.sh", 'echo "# who" \'# who\' ${a#b} $# # yes\n')), [(1, [" yes"])])
        self.assertEqual(list(comments.comments("a.c", "char *a = \"// who\", b = '\"'; // yes\n")), [(1, [" yes"])])


class Command(unittest.TestCase):
    def run_on(self, text, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "a.c"), "w", encoding="utf-8") as file:
                file.write(text)
            return subprocess.run([sys.executable, "-B", os.path.join(HERE, "words.py"), *arguments, folder], check=False,
                                  capture_output=True, text=True)

    def test_status(self):
        self.assertEqual(self.run_on("/* Good. */\n").returncode, 0)
        bad = self.run_on("/* Good. */\n/* Nobody. */\n")
        self.assertEqual(bad.returncode, 1)
        self.assertIn("a.c:2: 'nobody'", bad.stdout)
        counted = self.run_on("/* Nobody. */\n", "--count")
        self.assertEqual(counted.returncode, 1)
        self.assertNotIn("a.c", counted.stdout)

    def test_what_is_not_there(self):
        gone = self.run_on("/* Good. */\n", "/no/such/folder")
        self.assertEqual(gone.returncode, 1)
        self.assertIn("there is no /no/such/folder", gone.stderr)


if __name__ == "__main__":
    unittest.main()
