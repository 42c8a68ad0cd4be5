#!/usr/bin/env python3
"""dialect.py [--count] [--fix] [--clean | PATH...]: one way to write what C lets one write in several, in the files below PATH (all of ours).

- No braces around a single statement of one line (clang-format does so as well, where it is there: RemoveBracesLLVM).
- A pointer is tested as `x` and `!x`; `x != NULL` is for a value that is kept, given or returned.
- `sizeof x`, and `sizeof(type)`.
- A variable is declared where it first gets its value.

--clean takes the paths of dialect_clean.txt. --fix rewrites all of them; run clang-format afterwards. The exit status is 1 if something is left."""
import argparse
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
# pylint: disable=wrong-import-position
import comments

ROOT = os.path.dirname(os.path.dirname(HERE))
FOLDERS = ("client", "proto", "server", "tests")
SKIPPED = {"build", "node_modules", "corpus"}
TOKEN = re.compile(r"[A-Za-z_]\w*|\.?\d(?:[eEpP][-+]|[\w.])*|\" *\"|' *'|->|\+\+|--|<<=?|>>=?|[-+*/%&|^=!<>]=|&&|\|\||\.\.\.|[^\s\w]")
CHECKS = {"if", "while", "CHECK", "VALIDATE", "assert"}
TYPE_WORDS = {"void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "bool", "const", "volatile", "struct",
              "union", "enum", "size_t", "FILE", "vec2", "aabb", "va_list", "_Atomic", "sig_atomic_t"}
TYPE_NAME = re.compile(r"^(?:\w+_t|\w+_fn|Collide__V1__\w+|ProtobufC\w+|protobuf_c_boolean|uv_\w+|__m\d+\w*|atomic_\w+)$")
STATEMENTS = {"if", "else", "for", "while", "do", "switch", "return", "break", "continue", "goto", "case", "default", "sizeof"}


class Source:
    """A C file as tokens: `words`, where each begins in the text, its line, and the partner of each bracket."""

    def __init__(self, text):
        self.text = comments.code(text)
        spans = [(match.start(), match.group()) for match in TOKEN.finditer(self._without_directives())]
        self.at = [start for start, _ in spans]
        self.words = [word for _, word in spans]
        self.partner, open_ = {}, []
        for i, word in enumerate(self.words):
            if word in "([{":
                open_.append(i)
            elif word in ")]}" and open_:
                self.partner[i] = open_.pop()
                self.partner[self.partner[i]] = i
        self.enclosing = [None] * len(self.words)
        open_ = []
        for i, word in enumerate(self.words):
            if word in ")]}" and open_:
                open_.pop()
            self.enclosing[i] = open_[-1] if open_ else None
            if word in "([{":
                open_.append(i)

    def _without_directives(self):
        """Directives apart from the bodies of macros, which are code."""
        def blank(match):
            return re.sub(r"[^\n]", " ", match.group(1)) + match.group(2)
        text = re.sub(r"^([ \t]*#[ \t]*define[ \t]+\w+(?:\([^)\n]*\))?)(.*)$", blank, self.text, flags=re.M)
        return re.sub(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.M)

    def word(self, i):
        return self.words[i] if 0 <= i < len(self.words) else ""

    def line(self, i):
        return self.text.count("\n", 0, self.at[i]) + 1

    def end(self, i):
        return self.at[i] + len(self.words[i])


# --- pointers and NULL ---

def operand_begin(source, last):
    """The first token of the operand that ends at a token: names, members, indices, calls, and what points to them."""
    i = last
    while source.word(i) in (")", "]"):
        i = source.partner.get(i, i) - 1
    i = i if re.match(r"\w|\"", source.word(i)) and source.word(i) not in STATEMENTS | {"return"} | CHECKS else i + 1
    while source.word(i - 1) in ("->", "."):
        i = operand_begin(source, i - 2)
    while source.word(i - 1) == "*" and (source.word(i - 2) in STATEMENTS or not re.match(r"[\w)\]]", source.word(i - 2))):
        i -= 1
    return i


def is_condition(source, i):
    """Whether the comparison at a token decides only where to go: its value goes nowhere."""
    while True:
        opened = source.enclosing[i]
        last = source.partner.get(opened, len(source.words)) if opened is not None else len(source.words)
        at = i
        while at < last and source.word(at) not in (",", ";", ":", "=", "}"):
            if source.word(at) == "?":
                return True
            at = source.partner[at] + 1 if source.word(at) in "([{" and at in source.partner else at + 1
        if opened is None or source.word(opened) != "(":
            return False
        before = source.word(opened - 1)
        if before in CHECKS:
            return True
        if before == "for":
            return sum(source.word(k) == ";" and source.enclosing[k] == opened for k in range(opened, i)) == 1
        after = source.word(last + 1)
        if re.match(r"\w|[\])]", before) and before not in STATEMENTS:
            return False  # a call's argument
        if after in ("==", "!=", "+", "-", "*", "|", "&", "^") or before in ("==", "!=", "+", "-", "|", "&", "^"):
            return False
        i = opened


def null_findings(source):
    for i, word in enumerate(source.words):
        if word != "NULL":
            continue
        before = source.word(i - 1)
        if before == "==":
            yield i, "a pointer is tested as !x, not x == NULL", ("not", i)
        elif before == "!=" and is_condition(source, i - 1):
            yield i, "a pointer is tested as x, not x != NULL", ("is", i)
        elif source.word(i + 1) in ("==", "!="):
            yield i, "a pointer is tested as x or !x, not NULL == x", None


# --- sizeof ---

def is_type(source, first, last, types):
    words = source.words[first:last + 1]
    return words[0] in TYPE_WORDS or bool(TYPE_NAME.match(words[0])) or words[0] in types


def sizeof_findings(source, types):
    for i, word in enumerate(source.words):
        if word != "sizeof" or source.word(i + 1) != "(":
            continue
        close = source.partner.get(i + 1)
        if close is None or close == i + 2 or is_type(source, i + 2, close - 1, types):
            continue
        if source.word(close + 1) in ("->", ".", "["):
            continue  # the parentheses are the operand's
        inside = source.words[i + 2:close]
        simple = not any(w in ("+", "-", "/", "%", "?", "&&", "||", "==", "<", ">") or (w in "*&" and k > 0 and
                                                                                       re.match(r"[\w)\]]", inside[k - 1]))
                         for k, w in enumerate(inside) if source.enclosing[i + 2 + k] == i + 1)
        if simple and inside[0] != "(":
            yield i, "sizeof x, with parentheses only for a type", ("sizeof", i, close)


# --- braces ---

BRACED = re.compile(r"^(\t*)((?:if|for|while) \(.*\)|\} else if \(.*\)|(?:\} )?else) \{\n(\t*[^\s{}/][^{}\n]*;)[ \t]*\n\1\}([^\n]*)$", re.M)


def brace_findings(source):
    """Only what is sure: no part of a chain with other braces, no comment inside."""
    for match in BRACED.finditer(source.text):
        rest = match.group(4).strip()
        if rest or match.group(2).startswith("}") or re.match(r"\t*(?:if|for|while|do)\b", match.group(3)):
            continue
        yield match.start(), "no braces around a single statement", ("brace", match.span())


# --- declarations ---

DECLARATION = re.compile(r"^(\t+)((?:(?:const|struct|unsigned|enum|long|union) )*\w+) (\*?\w+(?:, \*?\w+)*);$", re.M)


def declaration_findings(source):
    for match in DECLARATION.finditer(source.text):
        indent, type_, names = match.groups()
        if type_.split()[0] in STATEMENTS or type_.split()[0] in ("typedef", "extern", "static"):
            continue
        end = re.compile(rf"^\t{{0,{len(indent) - 1}}}\}}", re.M).search(source.text, match.end())
        rest = source.text[match.end():end.start() if end else len(source.text)]
        for name in (part.strip(" *") for part in names.split(",")):
            first = re.search(rf"(?<![\w.>]){name}\b", rest)
            if not first:
                continue
            begin = rest.rfind("\n", 0, first.start()) + 1
            line = rest[begin:].split("\n")[0]
            fix = ("declare", match.span(), name, match.end() + first.start())
            if re.match(rf"{indent}{name} = ", line):
                yield match.start(), f"declare {name} where it gets its value", fix
            elif re.match(rf"{indent}for \({name} = ", line):
                # Unless it is used after the loop, at the same depth.
                after = re.search(rf"\n{indent}[^\t\n}}]", rest[first.start():])
                tail = rest[first.start() + after.end() - 1:] if after else ""
                if not re.search(rf"(?<![\w.>]){name}\b", tail):
                    yield match.start(), f"declare {name} in its loop", fix


def declaration_mended(text, at, span, name):
    """The text with one name of a declaration moved to where it gets its value."""
    indent, type_, names = DECLARATION.match(text[span[0]:span[1]]).groups()
    names = names.split(", ")
    mine = next(part for part in names if part.strip("*") == name)
    names.remove(mine)
    text = text[:at] + f"{type_} {mine}" + text[at + len(name):]
    if names:
        return text[:span[0]] + f"{indent}{type_} {', '.join(names)};" + text[span[1]:]
    # An empty line that set the declarations apart goes with the last of them.
    begin, end = span[0], span[1] + 1
    if text[end:end + 1] == "\n" and text[:begin].endswith("{\n"):
        end += 1
    return text[:begin] + text[end:]


def types_of(paths):
    """Names that typedefs of ours give."""
    found = set()
    for path in paths:
        with open(path, encoding="utf-8") as file:
            found.update(re.findall(r"^typedef [^;(]*?\b(\w+);", file.read(), re.M))
            file.seek(0)
            found.update(re.findall(r"^\} (\w+);", file.read(), re.M))
    return found


def files(paths):
    for path in paths:
        if os.path.isfile(path):
            yield path
            continue
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if name not in SKIPPED)
            yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith((".c", ".h")))


def findings(text, types):
    """(line, what, how to mend it or None), by line."""
    source = Source(text)
    found = [(source.line(i), what, fix) for i, what, fix in (*null_findings(source), *sizeof_findings(source, types))]
    found += [(source.text.count("\n", 0, at) + 1, what, fix)
              for at, what, fix in (*brace_findings(source), *declaration_findings(source))]
    return source, sorted(found, key=lambda finding: finding[0])


def mended(text, types):
    """The text without what can be rewritten by rule; the code that it compiles to is the same."""
    source, found = findings(text, types)
    cuts = []  # (begin, end, instead)
    for _, _, fix in found:
        if fix and fix[0] == "sizeof":
            cuts.append((source.end(fix[1]), source.end(fix[1] + 1), " "))
            cuts.append((source.at[fix[2]], source.end(fix[2]), ""))
        elif fix and fix[0] in ("not", "is"):
            null = fix[1]
            cuts.append((source.end(null - 2), source.end(null), ""))
            if fix[0] == "not":
                begin = source.at[operand_begin(source, null - 2)]
                cuts.append((begin, begin, "!"))
        elif fix and fix[0] == "brace":
            begin, end = fix[1]
            opened, closed = text.index(" {\n", begin, end), text.rindex("\n", begin, end)
            cuts += [(opened, opened + 2, ""), (closed, end, "")]
    for begin, end, instead in sorted(cuts, reverse=True):
        text = text[:begin] + instead + text[end:]
    while True:
        found = [fix for _, _, fix in findings(text, types)[1] if fix and fix[0] == "declare"]
        if not found:
            return text
        _, span, name, at = found[0]
        text = declaration_mended(text, at, span, name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", action="store_true")
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("--clean", action="store_true")
    parser.add_argument("paths", metavar="PATH", nargs="*")
    asked = parser.parse_args()
    folders = asked.paths or [os.path.join(ROOT, folder) for folder in FOLDERS]
    if asked.clean:
        os.chdir(ROOT)
        with open(os.path.join(HERE, "dialect_clean.txt"), encoding="utf-8") as lines:
            folders = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    gone = [path for path in folders if not os.path.exists(path)]
    if gone:
        sys.exit(f"dialect: there is no {gone[0]}")
    paths = list(files(folders))
    types, total, by_folder = types_of(files([os.path.join(ROOT, folder) for folder in FOLDERS])), 0, {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if asked.fix:
            new = mended(text, types)
            if new != text:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(new)
                text = new
        for line, what, _ in findings(text, types)[1]:
            total += 1
            key = (os.path.dirname(path), re.sub(r"declare \w+ ", "declare ", what))
            by_folder[key] = by_folder.get(key, 0) + 1
            if not asked.count:
                print(f"{path}:{line}: {what}")
    if asked.count:
        for (folder, what), count in sorted(by_folder.items()):
            print(f"{count:6} {folder}: {what}")
    print(f"dialect: {len(paths)} files, {total} findings")
    sys.exit(1 if total or not paths else 0)


if __name__ == "__main__":
    main()
