"""The comments of a source file, and its code without them: C and what is like it, Python, and what comments with `#`."""
import io
import os
import re
import tokenize

C_LIKE = (".c", ".h", ".cc", ".cpp", ".proto", ".js", ".mjs")
HASH_LIKE = (".sh", ".cmake", ".txt", ".yaml", ".yml", ".pc.in", ".cmake.in", ".map", ".dict")
HASH_NAMES = ("dev", "run", "Dockerfile", ".clang-format", ".clang-tidy", ".dockerignore", ".gitignore", ".gitattributes", ".npmrc")

# One alternative per kind of token. What is not a comment is kept, so that a quote in a comment opens no string.
C_TOKEN = re.compile(
    r"""(?P<block>/\*.*?(?:\*/|\Z)) | (?P<line>//[^\n]*) |
        (?P<string>"(?:[^"\\\n]|\\.)*"? | '(?:[^'\\\n]|\\.)*'?) | (?P<template>`(?:[^`\\]|\\.)*`?)""",
    re.VERBOSE | re.DOTALL)


def language(path):
    """"c", "python", "hash", "markdown", or None for a file that has no comments we know of."""
    name = os.path.basename(path)
    if name.endswith(C_LIKE):
        return "c"
    if name.endswith(".py"):
        return "python"
    if name.endswith(".md"):
        return "markdown"
    if name.endswith(HASH_LIKE) or name in HASH_NAMES:
        return "hash"
    return None


def _line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def _place(text, offset):
    """(its column, whether nothing but blanks is before it) of a place in a text."""
    before = text[text.rfind("\n", 0, offset) + 1:offset]
    return len(before.expandtabs(4)), not before.strip()


def _strip_block(raw):
    """The lines of a /* block */ without its frame. Columns are kept: indentation is meaning in a table."""
    raw = raw[2:-2] if raw.endswith("*/") else raw[2:]
    lines = raw.split("\n")
    return [lines[0].lstrip("*!")] + [re.sub(r"^\s*\*", "", line, count=1) for line in lines[1:]]


def _c(text):
    for match in C_TOKEN.finditer(text):
        if match.lastgroup == "block":
            yield _line_of(text, match.start()), _strip_block(match.group()), None
        elif match.lastgroup == "line":
            yield _line_of(text, match.start()), [match.group()[2:]], _place(text, match.start())


def _python(text):
    statement_begins = True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            if not token.string.startswith(("#!", "# pylint:", "# noqa")):
                yield token.start[0], [token.string[1:]], _place(token.line, token.start[1])
        elif token.type == tokenize.STRING and statement_begins:
            body = re.sub(r"""^[rRbBuU]*("{3}|'{3}|"|')(.*)\1$""", r"\2", token.string, flags=re.DOTALL)
            lines = body.split("\n")
            rest = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
            yield token.start[0], [lines[0]] + [line[min(rest, default=0):] for line in lines[1:]], None
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            statement_begins = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)


def _hash(text):
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("#!") or "# shellcheck" in line or "# syntax=" in line:
            continue
        quote, previous = None, " "
        for column, letter in enumerate(line):
            if quote:
                quote = None if letter == quote and previous != "\\" else quote
            elif letter in "\"'" and previous != "\\":
                quote = letter
            elif letter == "#" and previous in " \t" and line[column + 1:column + 2] in (" ", ""):
                yield number, [line[column + 1:]], _place(line, column)
                break
            previous = letter


def comments(path, text):
    """(number of the first line, lines of text) of each comment. `//` and `#` lines that follow each other are one, and so is
    such a comment that begins behind code and goes on below in its column."""
    first, lines, column = 0, [], None
    for number, more, place in {"c": _c, "python": _python, "hash": _hash}[language(path)](text):
        if place and place[1] and column is not None and number == first + len(lines) and place[0] >= column:
            lines += more
            continue
        if lines:
            yield first, lines
        first, lines, column = number, list(more), place[0] if place else None
    if lines:
        yield first, lines


def strings(text):
    """(number of the line, text) of each string of a C file."""
    for match in C_TOKEN.finditer(text):
        if match.lastgroup == "string" and match.group().startswith('"'):
            yield _line_of(text, match.start()), match.group()[1:-1].replace("\\n", " ").replace("\\t", " ")


def code(text):
    """C without its comments and with empty strings. All else stays where it is."""
    def blank(match):
        spaces = re.sub(r"[^\n]", " ", match.group())
        if match.lastgroup in ("string", "template") and len(spaces) > 1:
            return match.group()[0] + spaces[1:-1] + match.group()[-1]
        return spaces
    return C_TOKEN.sub(blank, text)
