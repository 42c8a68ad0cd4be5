#!/usr/bin/python3
"""Each reason that the server gives has one line in the schema, one code, and is given somewhere.

reasons.py ROOT. The schema's list is the comment of Error.reason in collide.proto.
"""
import pathlib
import re
import sys

# Text in capitals that is no reason: names in counters, kinds of requests, settings.
OTHERS = {"OPENED", "HELLO", "PING", "CANCEL", "DESCRIBE", "SIMULATE", "DETECT", "RESPOND", "QUERY",
          "COMMANDS", "MANY_COMMANDS", "CREDIT", "STEER", "STEP_WORLD", "ATTACH", "DETACH", "SUBSCRIBE", "CREATE_WORLD", "DESTROY_WORLD", "SET_WORLD",
          "LIST_WORLDS", "SNAPSHOT_WORLD", "RESTORE_WORLD", "FORK_WORLD", "RECORD", "END_RECORD", "CREATE_MAP", "DROP_MAP",
          "GET_MAP"}
FOLDERS = ("wire", "scene", "worlds", "session", "net")
FILES = ("daemon.c", "daemon_clients.c", "daemon_signals.c")


def documented(schema):
    """Of each line of the list: the name, and the code if the line names one."""
    comment = re.search(r"// A stable name of the reason.*?string reason = 5;", schema, re.S).group()
    rows, section = {}, None
    problems = []
    for line in comment.splitlines():
        row = re.match(r"\s*//   ([A-Z][A-Z0-9_]+)  +(.*)", line)
        heading = re.match(r"\s*// ([A-Z_]+);", line)
        if row:
            if row.group(1) in rows:
                problems.append(f"{row.group(1)} has two lines in the schema")
            code = re.match(r"([A-Z_]+): ", row.group(2))
            rows[row.group(1)] = code.group(1) if code else section
        elif re.match(r"\s*// \S", line):
            section = heading.group(1) if heading else None
    return rows, problems


def given(root):
    """Every reason in the sources: where, and with which codes."""
    places, codes = {}, {}
    server = root / "server"
    paths = [path for folder in FOLDERS for path in sorted((server / folder).rglob("*.c"))]
    for path in paths + [server / name for name in FILES]:
        text = path.read_text()
        for name in re.findall(r'"([A-Z][A-Z_]{2,})"', text):
            if name not in OTHERS:
                places.setdefault(name, path.relative_to(root))
        for code, name in re.findall(r'STATUS_([A-Z_]+), "([A-Z][A-Z_]{2,})"', text):
            codes.setdefault(name, set()).add(code)
    return places, codes


def check(schema, root):
    rows, problems = documented(schema)
    places, codes = given(root)
    problems += [f"{places[name]}: {name} has no line in the schema" for name in sorted(set(places) - set(rows))]
    problems += [f"the schema has {name}, which nothing gives" for name in sorted(set(rows) - set(places))]
    for name, with_code in sorted(codes.items()):
        if len(with_code) > 1:
            problems.append(f"{name} means one thing and is given with {' and '.join(sorted(with_code))}")
        elif rows.get(name) and rows[name] not in with_code:
            problems.append(f"{name} is given with {with_code.pop()}, the schema says {rows[name]}")
    return rows, problems


def main():
    root = pathlib.Path(sys.argv[1])
    schema = (root / "proto/collide/v1/collide.proto").read_text()
    rows, problems = check(schema, root)
    for problem in problems:
        print(problem)
    # The check itself: without a line, or with another code, a reason is found.
    _, missing = check(schema.replace("//   IDLE  ", "//   IDLER  "), root)
    _, other = check(schema.replace("FAILED_PRECONDITION: a second Hello", "INTERNAL: a second Hello"), root)
    assert len(missing) == len(problems) + 2 and len(other) == len(problems) + 1, (missing, other)
    print(f"reasons: {len(rows)} lines, {len(problems)} findings")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
