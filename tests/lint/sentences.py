"""Sentences of comments and of Markdown, and how many words each has.

A block ends at an empty line, at an item of a list, at a row of a table, and where indented lines begin after a colon. A
sentence ends with its block, or at `.`, `!` or `?` before a blank. Each of these is one word: a code span, a list of code spans,
an address, and a formula, which is what operators tie together (`v = a t + b`)."""
import re

ABBREVIATIONS = re.compile(r"\b(?:e\.g|i\.e|cf|vs|approx|resp|Fig|Eq|Sec|Dr|Prof|et al|pp|vol)\.$")
SENTENCE_END = re.compile(r"(?<=[.!?])[)\]\"'”*_]*(?:\s+|$)")
ITEM = re.compile(r"^\s*(?:[-*+•]|\(?\d{1,2}[.)]|\([a-z]\)|[a-z]\))\s+")
CELL_GAP = re.compile(r"\s{3,}|\t")
RULE = re.compile(r"^\s*[-=*_~#]{4,}\s*$")
OPERATOR = re.compile(r"^(?:[-+*/=<>^|&%±×·≤≥≈≠→←⇄∈∉−÷~]+|:=)$")
FENCE = re.compile(r"^\s*(```|~~~)")


def _indent(line):
    return len(line) - len(line.lstrip())


def comment_blocks(number, lines):
    """(number of its first line, text) of each block of a comment."""
    block, first, inner, indent = [], number, None, 0
    for offset, line in enumerate(lines):
        here = number + offset
        cells = [cell for cell in CELL_GAP.split(line.strip()) if cell]
        blank = not line.strip() or RULE.match(line)
        if blank or len(cells) > 1 or ITEM.match(line) or _leaves(block, line, indent, inner):
            if block:
                yield first, " ".join(block)
            block, inner = [], None
        if len(cells) > 1:
            yield from ((here, cell) for cell in cells)
            continue
        if blank:
            continue
        if not block:
            first, indent = here, _indent(line)
        if ITEM.match(line):
            inner = _indent(line)
        block.append(ITEM.sub("", line).strip())
    if block:
        yield first, " ".join(block)


def _leaves(block, line, indent, item):
    """Whether a line is no part of the block so far, by its indentation."""
    if not block:
        return False
    if item is not None:
        return _indent(line) <= item
    # The first line of a comment stands behind its opening mark, where columns mean nothing.
    return (block[-1].endswith(":") and _indent(line) > indent + 1) or (indent > 2 and _indent(line) < indent - 1)


def markdown_blocks(text):
    """(number of its first line, text) of each block of a page: paragraphs, items, headings, cells of tables."""
    block, first, fence, item = [], 1, None, None
    for number, line in enumerate(re.sub(r"<!--.*?-->", lambda m: "\n" * m.group().count("\n"), text, flags=re.DOTALL).split("\n"), 1):
        mark = FENCE.match(line)
        plain = not mark and not fence and line.strip()
        code = plain and line.startswith("    ") and not block and item is None
        starts = mark or fence or not plain or line.startswith(("#", "|", ">", "!["))
        if block and (starts or ITEM.match(line)):
            yield first, " ".join(block)
            block = []
        if mark and (not fence or mark.group(1) == fence):
            fence = None if fence else mark.group(1)
        if plain and not line.startswith(" ") and not ITEM.match(line) and not block:
            item = None
        if not plain or code:
            continue
        if line.startswith("|"):
            yield from ((number, cell) for cell in re.split(r"(?<!\\)\|", line) if re.search(r"\w", cell))
        elif line.startswith("#"):
            yield number, line.strip("# ")
        else:
            if ITEM.match(line):
                item = number
            if not block:
                first = number
            block.append(ITEM.sub("", line.lstrip("> ")).strip())
    if block:
        yield first, " ".join(block)


def plain_text(block):
    """Without markup: a code span is `CODE`, an address ADDRESS."""
    block = re.sub(r"(`+)(?:(?!\1).)+?\1", "CODE", block)
    block = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", block)
    block = re.sub(r"<?\bhttps?://[^\s>)]+>?", "ADDRESS", block)
    block = re.sub(r"</?[a-z][^>]*>", " ", block)
    return re.sub(r"\*\*|__", "", block)


def sentences(block):
    """The sentences of a block, markup taken off."""
    text, start = plain_text(block), 0
    for end in SENTENCE_END.finditer(text):
        if ABBREVIATIONS.search(text[start:end.start()]) and end.end() < len(text):
            continue
        yield text[start:end.end()].strip()
        start = end.end()
    if text[start:].strip():
        yield text[start:].strip()


def word_count(sentence):
    """Words of a sentence; code spans side by side are one, and so is what operators tie together."""
    sentence = re.sub(r"CODE(?:(?:,? and|,? or|,|/| to)? ?\(?CODE\)?)+", "CODE", sentence)
    count, tied = 0, False
    for token in sentence.split():
        bare = token.strip("()[]{},;:")
        if OPERATOR.match(bare) and len(token) <= 3:
            tied = count > 0
        elif re.search(r"\w", token):
            count += not tied
            tied = False
    return count
