#!/usr/bin/env python3
"""test_dialect.py: dialect.py finds each deviation alone, passes what is right beside it, and --fix writes the right form."""
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
# pylint: disable=wrong-import-position
import dialect


def in_function(body):
    return "int\nf(void)\n{\n" + "".join(f"\t{line}\n" if line else "\n" for line in body.split("\n")) + "}\n"


class Case(unittest.TestCase):
    def wrong(self, body, right):
        """The body has one finding, and mended it is `right`, which has none."""
        text = in_function(body)
        found = dialect.findings(text, {"vec2"})[1]
        self.assertEqual(len(found), 1, (body, found))
        self.assertEqual(dialect.mended(text, {"vec2"}), in_function(right))
        self.right(right)

    def right(self, body):
        self.assertEqual(dialect.findings(in_function(body), {"vec2"})[1], [], body)


class Pointers(Case):
    def test_not(self):
        self.wrong("if (a == NULL)\n\treturn 0;", "if (!a)\n\treturn 0;")
        self.wrong("bool b = a->b[i].c == NULL;", "bool b = !a->b[i].c;")
        self.wrong("return *field == NULL || b;", "return !*field || b;")
        self.wrong("while ((a = next(b)) == NULL)\n\tc();", "while (!(a = next(b)))\n\tc();")
        self.wrong('return strchr("(", b[c()]) == NULL ? 1 : 2;', 'return !strchr("(", b[c()]) ? 1 : 2;')

    def test_is(self):
        self.wrong("if (a != NULL)\n\tb();", "if (a)\n\tb();")
        self.wrong("while (b && (c || *a != NULL))\n\tb();", "while (b && (c || *a))\n\tb();")
        self.wrong("for (i = 0; a != NULL; i++)\n\tb();", "for (i = 0; a; i++)\n\tb();")
        self.wrong("return a != NULL && b ? 1 : 2;", "return a && b ? 1 : 2;")
        self.wrong("CHECK(a->run != NULL);", "CHECK(a->run);")

    def test_values(self):
        for value in ("return a != NULL;", "bool b = c || a != NULL;", "f(a != NULL);", "if ((a != NULL) == (b > 0))\n\tc();",
                      "if (f(a != NULL))\n\tc();", "x = (struct x){ .y = a != NULL };", "for (p = q != NULL; p; p--)\n\tc();",
                      "assert_true((a != NULL) + (b != NULL) == 1);"):
            self.right(value)

    def test_comments_and_strings(self):
        self.right('f("a == NULL"); /* a == NULL */')


class Sizes(Case):
    def test_expressions(self):
        self.wrong("f(sizeof(a));", "f(sizeof a);")
        self.wrong("f(sizeof(*a->b));", "f(sizeof *a->b);")
        self.wrong("return n * sizeof(a[0]) + 1;", "return n * sizeof a[0] + 1;")

    def test_types(self):
        for form in ("sizeof(double)", "sizeof(struct x *)", "sizeof(vec2)", "sizeof(uint32_t)", "sizeof(Collide__V1__Frame)",
                     "sizeof(char[4])", "sizeof a / sizeof a[0]", "sizeof *a", "sizeof(a + b)", "sizeof((array)[0])"):
            self.right(f"f({form});")


class Braces(Case):
    def test_single_statements(self):
        self.wrong("if (a) {\n\tb();\n}", "if (a)\n\tb();")
        self.wrong("for (;;) {\n\tb();\n}\nc();", "for (;;)\n\tb();\nc();")
        self.wrong("while (f(a)) {\n\treturn 1;\n}", "while (f(a))\n\treturn 1;")

    def test_needed(self):
        for body in ("if (a) {\n\tb();\n\tc();\n}", "if (a) {\n\tb();\n} else {\n\tc();\n\td();\n}", "if (a) {\n\tif (b)\n\t\tc();\n}",
                     "if (a) {\n\t/* Why. */\n\tb();\n}", "do {\n\tb();\n} while (c);", "struct x {\n\tint y;\n};",
                     "switch (a) {\ncase 1: b();\n}"):
            self.right(body)


class Declarations(Case):
    def test_apart(self):
        self.wrong("double a;\n\nb();\na = c();\nd(a);", "b();\ndouble a = c();\nd(a);")
        self.wrong("const struct x *a, *b;\n\nf(&b);\na = c();", "const struct x *b;\n\nf(&b);\nconst struct x *a = c();")
        self.wrong("size_t i;\n\nfor (i = 0; i < n; i++)\n\tb(i);\nc();", "for (size_t i = 0; i < n; i++)\n\tb(i);\nc();")

    def test_needed(self):
        for body in ("double a;\nf(&a);\na = 1;", "double a;\nif (b)\n\ta = 1;\nelse\n\ta = 2;\nf(a);",
                     "size_t i;\nfor (i = 0; i < n; i++)\n\tb(i);\nreturn i;", "struct x a;\na.y = 1;", "int a[2];\na[0] = 1;",
                     "static int a;\na = 1;", "x->a = 1;"):
            self.right(body)

    def test_members(self):
        self.assertEqual(dialect.findings("struct x {\n\tint a;\n\tint b;\n};\nvoid f(void)\n{\n\ta = 1;\n}\n", set())[1], [])


class Command(unittest.TestCase):
    def run_on(self, text, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.c")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            ended = subprocess.run([sys.executable, "-B", os.path.join(HERE, "dialect.py"), *arguments, folder], check=False,
                                   capture_output=True, text=True)
            with open(path, encoding="utf-8") as file:
                return ended, file.read()

    def test_status(self):
        bad, good = in_function("if (a == NULL)\n\tb();"), in_function("if (!a)\n\tb();")
        self.assertEqual(self.run_on(good)[0].returncode, 0)
        ended, after = self.run_on(bad)
        self.assertEqual((ended.returncode, after), (1, bad))
        self.assertIn("a.c:4: a pointer is tested as !x", ended.stdout)
        ended, after = self.run_on(bad, "--fix")
        self.assertEqual((ended.returncode, after), (0, good))


if __name__ == "__main__":
    unittest.main()
