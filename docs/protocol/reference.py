#!/usr/bin/python3
"""reference.py ROOT [--check]: draws docs/protocol.md from the comments of collide.proto; --check only says whether it is current.

protoc reads the schema and its comments, python3-protobuf its answer; nothing of the page is written by hand.
"""
import difflib
import pathlib
import re
import subprocess
import sys
import tempfile

from google.protobuf import descriptor_pb2

SCHEMA = "collide/v1/collide.proto"
COMMAND = "./dev protocol"
# Places in a descriptor, as SourceCodeInfo.Location.path numbers them.
FILE_MESSAGE, FILE_ENUM, FILE_SYNTAX = 4, 5, 12
MESSAGE_FIELD, MESSAGE_ONEOF, ENUM_VALUE = 2, 8, 2
Field = descriptor_pb2.FieldDescriptorProto
SCALARS = {number: name[len("TYPE_"):].lower() for name, number in Field.Type.items()}


def schema_read(proto):
    """The FileDescriptorProto of the schema, comments included."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "set")
        subprocess.run(["protoc", "-I", proto, "--include_source_info", f"--descriptor_set_out={out}", SCHEMA], check=True)
        return descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes()).file[0]


class Comments:
    """What is written before, behind and apart from each thing, by its path."""

    def __init__(self, file):
        self.places = {tuple(location.path): location for location in file.source_code_info.location}

    def of(self, path):
        location = self.places.get(tuple(path))
        return "\n".join(part.strip("\n") for part in (location.leading_comments, location.trailing_comments) if part) if location else ""

    def apart(self, path):
        return list(self.places[tuple(path)].leading_detached_comments)

    def line(self, path):
        return self.places[tuple(path)].span[0]


def paragraphs(text):
    """A comment as paragraphs of one line each; indented lines stay as they are."""
    out, lines = [], []
    for line in text.split("\n"):
        line = line[1:] if line.startswith(" ") else line
        if line.strip() and not line.startswith("  "):
            lines.append(line.strip())
            continue
        if lines:
            out.append(" ".join(lines))
            lines = []
        if line.strip():
            out.append("    " + line.strip())
    if lines:
        out.append(" ".join(lines))
    return out


def cell(text):
    """A comment within a row of a table."""
    return " <br>".join(part.strip() for part in paragraphs(text)).replace("|", "\\|")


def wrapped(text, width=130):
    """A paragraph in lines, as the other pages have them."""
    if text.startswith("    "):
        return text
    lines, line = [], ""
    for word in text.split(" "):
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join(lines + [line])


def type_of(field):
    name = SCALARS[field.type]
    if field.type_name:
        short = field.type_name.rsplit(".", 1)[1]
        name = f"[{short}](#{short.lower()})"
    return f"{name}, repeated" if field.label == Field.LABEL_REPEATED else name


def message_draw(message, path, comments):
    lines = [f"### {message.name}", ""]
    for text in paragraphs(comments.of(path)):
        lines += [wrapped(text), ""]
    if not message.field:
        return lines + ["Without fields.", ""]
    lines += ["| field | | type | |", "|---|--:|---|---|"]
    shown = None
    for number, field in enumerate(message.field):
        alone = True
        if field.HasField("oneof_index"):
            oneof = message.oneof_decl[field.oneof_index]
            # A oneof of one member is how a sub-message says that it may be absent.
            alone = sum(f.HasField("oneof_index") and f.oneof_index == field.oneof_index for f in message.field) == 1
            if not alone and shown != field.oneof_index:
                about = cell(comments.of([*path, MESSAGE_ONEOF, field.oneof_index]))
                lines.append(f"| *one of* `{oneof.name}`: | | | {about} |")
                shown = field.oneof_index
        absent = "optional" if field.HasField("oneof_index") and alone else ""
        about = cell(comments.of([*path, MESSAGE_FIELD, number]))
        text = " <br>".join(part for part in (absent, about) if part)
        lines.append(f"| `{field.name}` | {field.number} | {type_of(field)} | {text} |")
    return lines + [""]


def enum_draw(enum, path, comments):
    lines = [f"### {enum.name}", ""]
    for text in paragraphs(comments.of(path)):
        lines += [wrapped(text), ""]
    lines += ["| value | | |", "|---|--:|---|"]
    for number, value in enumerate(enum.value):
        lines.append(f"| `{value.name}` | {value.number} | {cell(comments.of([*path, ENUM_VALUE, number]))} |")
    return lines + [""]


def page_draw(file):
    comments = Comments(file)
    things = [([FILE_MESSAGE, i], message, message_draw) for i, message in enumerate(file.message_type)]
    things += [([FILE_ENUM, i], enum, enum_draw) for i, enum in enumerate(file.enum_type)]
    things.sort(key=lambda thing: comments.line(thing[0]))
    lines = [
        "# The protocol, message by message", "",
        f"Made by `{COMMAND}` from [collide.proto](../proto/{SCHEMA}), whose comments are the specification. Change them, not this page.", "",
    ]
    lines += [wrapped(text) + "\n" for text in paragraphs(comments.of([FILE_SYNTAX]).split("\n", 1)[1])]
    for path, thing, draw in things:
        for text in comments.apart(path):
            rule, _, title = text.strip().partition("\n")
            if re.fullmatch(r"-+", rule.strip()):
                title, _, rest = title.strip().partition(". ")
                lines += [f"## {title.rstrip('.')}", ""]
                text = rest
            lines += [wrapped(part) + "\n" for part in paragraphs(text)]
        lines += draw(thing, path, comments)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip("\n") + "\n"


def main(arguments):
    root = pathlib.Path(arguments[0])
    page = root / "docs/protocol.md"
    text = page_draw(schema_read(root / "proto"))
    if arguments[1:] == ["--check"]:
        old = page.read_text() if page.exists() else ""
        for line in difflib.unified_diff(old.splitlines(), text.splitlines(), "docs/protocol.md", "the schema", lineterm=""):
            print(line)
        if old != text:
            sys.exit(f"docs/protocol.md is not of this schema: {COMMAND}")
        print(f"protocol: {text.count('### ')} messages and enums, as in the schema")
        return
    page.write_text(text)


main(sys.argv[1:])
