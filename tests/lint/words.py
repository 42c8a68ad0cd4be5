#!/usr/bin/env python3
"""words.py [--count] [--clean | PATH...]: the language of comments and pages.

Every sentence of a comment has at most 30 words, of a page (.md) at most 35. Neither has a word of private_words.txt, or a
pronoun of persons: a body, a thread or a program is "it". PATH is a file or a folder, the whole tree without one; --clean takes the paths of
words_clean.txt. Strings of more than three words in server/ and client/ are held to the same words, at any length. --count prints only how many findings each folder has. The exit status is 1 if there are findings."""
import argparse
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
# pylint: disable=wrong-import-position
import comments
import sentences

ROOT = os.path.dirname(os.path.dirname(HERE))
WORDS_MAX = {"markdown": 35}
WORDS_MAX_COMMENT = 30
# What others wrote, what programs write, and what is data.
SKIPPED = {"build", ".git", "node_modules", "__pycache__", "corpus", "inputs"}
# Made from comments that are held to these rules themselves.
MADE = ("docs/protocol.md",)

PERSONS = ("who", "whom", "whose", "whoever", "whomever", "nobody", "somebody", "anybody", "everybody", "everyone", "he", "she",
           "him", "himself", "his", "her", "hers", "herself")
# Where strings are for the program's users. (Tests print theirs for us.)
STRINGS = re.compile(r"(?:^|/)(?:client|server)/")
# Names (path_kind, settle.h, physics/settle.h) and code are one token, and no word.
TOKEN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[./:'’]+[A-Za-z0-9_]+)*(?:\(\))?")


def private_words(path=os.path.join(HERE, "private_words.txt")):
    """{a word or words, in lower case: (what the field says, parts of the paths of files that may say it)}."""
    table = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            line = line.split("#")[0].strip()
            if line:
                forms, field = line.split(":", 1)
                field, _, allowed = field.partition("; not in")
                table.update({form.strip().lower(): (field.strip(), allowed.split()) for form in forms.split(",")})
    return table


def files(paths):
    """Every file that the lint can read below the paths, in order."""
    for path in paths:
        if os.path.isfile(path):
            yield path
            continue
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if name not in SKIPPED)
            yield from (os.path.join(folder, name) for name in sorted(names) if comments.language(name))


def _shown(sentence):
    return sentence if len(sentence) <= 76 else sentence[:73].rstrip() + "..."


def word_findings(sentence, path, private):
    """The words of a sentence that should not be there."""
    tokens = [re.sub(r"['’]s$", "", token).lower() for token in TOKEN.findall(sentence)]
    for token in tokens:
        if token in PERSONS:
            yield f"'{token}', a person, for a thing: {_shown(sentence)}"
    for size in range(1, 4):
        for begin in range(len(tokens) - size + 1):
            phrase = " ".join(tokens[begin:begin + size])
            field, allowed = private.get(phrase, (None, ()))
            if field and not any(part in path for part in allowed):
                yield f"'{phrase}', a private word, write: {field}"


def findings(path, text, private):
    """(number of the line where the sentence's block begins, what is wrong) of a file."""
    kind = comments.language(path)
    if kind == "markdown":
        blocks = sentences.markdown_blocks(text)
    else:
        blocks = (block for number, lines in comments.comments(path, text) for block in sentences.comment_blocks(number, lines))
    words_max = WORDS_MAX.get(kind, WORDS_MAX_COMMENT)
    for number, block in blocks:
        for sentence in sentences.sentences(block):
            count = sentences.word_count(sentence)
            if count > words_max:
                yield number, f"{count} words: {_shown(sentence)}"
            yield from ((number, what) for what in word_findings(sentence, path, private))
    if kind == "c" and STRINGS.search(path):
        for number, string in comments.strings(text):
            if len(string.split()) > 3:
                yield from ((number, what) for what in word_findings(string, path, private))


def clean_paths():
    with open(os.path.join(HERE, "words_clean.txt"), encoding="utf-8") as lines:
        return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", action="store_true")
    parser.add_argument("--clean", action="store_true")
    parser.add_argument("paths", metavar="PATH", nargs="*")
    asked = parser.parse_args()
    paths = asked.paths or ["."]
    if asked.clean:
        os.chdir(ROOT)
        paths = clean_paths()
    gone = [path for path in paths if not os.path.exists(path)]
    if gone:
        sys.exit(f"words: there is no {gone[0]}")
    private, by_folder, looked_at = private_words(), {}, 0
    for path in dict.fromkeys(os.path.normpath(path) for path in files(paths)):
        if path.endswith(MADE):
            continue
        looked_at += 1
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for number, what in findings(os.path.relpath(path, ROOT), text, private):
            folder = os.path.dirname(path) or "."
            by_folder[folder] = by_folder.get(folder, 0) + 1
            if not asked.count:
                print(f"{path}:{number}: {what}")
    for folder, count in sorted(by_folder.items()):
        print(f"{count:6} {folder}")
    print(f"words: {looked_at} files, {sum(by_folder.values())} findings")
    sys.exit(1 if by_folder or not looked_at else 0)


if __name__ == "__main__":
    main()
