#!/usr/bin/env python3
"""outside_check.py COLLIDED COLLIDE: every problem of a scene file is told at its own line and column.

Files are written here with known mistakes and odd layout: blanks and line ends anywhere, keys and names with escapes, characters
outside ASCII, keys given twice. The writer notes where each mistake is, counting characters as an editor does.
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest

COLLIDE = os.path.abspath(sys.argv[2])
WORK = tempfile.TemporaryDirectory()


def check(text, *flags):
    path = os.path.join(WORK.name, "scene.json")
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    done = subprocess.run([COLLIDE, "check", *flags, "scene.json"], capture_output=True, cwd=WORK.name, timeout=600, check=False)
    lines = done.stdout.decode().splitlines()
    problems = [re.fullmatch(r"scene\.json:(\d+):(\d+): (error|warning): (.*)", line) for line in lines[:-1]]
    assert all(problems), (lines, done.stderr)
    found = [(int(m[1]), int(m[2]), m[3], m[4]) for m in problems]
    assert lines and lines[-1].startswith("scene.json: "), done
    assert done.returncode == (1 if any(kind == "error" for _, _, kind, _ in found) else 0), (done, found)
    assert found == sorted(found, key=lambda p: p[:2])
    return found


class Writer:
    """Writes JSON with odd layout and remembers where marked places begin."""

    def __init__(self, rng):
        self.rng, self.text, self.places = rng, [], []
        self.line = self.column = 1

    def put(self, piece):
        self.text.append(piece)
        for character in piece:
            if character == "\n":
                self.line, self.column = self.line + 1, 1
            else:
                self.column += 1

    def blank(self):
        self.put("".join(self.rng.choice([" ", "\t", "\n", "\r\n", "  "]) for _ in range(self.rng.choice([0, 0, 0, 1, 1, 2]))))

    def mark(self, path, text):
        self.places.append((self.line, self.column, "error", f"{path}: {text}" if path else text))

    def string(self, value):
        out = []
        for character in value:
            if self.rng.random() < 0.15:
                out.append("".join(f"\\u{unit:04x}" for unit in
                                   memoryview(character.encode("utf-16-le")).cast("H")))
            else:
                out.append(json.dumps(character, ensure_ascii=self.rng.random() < 0.3)[1:-1])
        self.put('"' + "".join(out) + '"')

    def members(self, members):
        """(key, write value, mark of the key or None)"""
        self.put("{")
        for i, (key, write, bad_key) in enumerate(members):
            self.put("," if i else "")
            self.blank()
            if bad_key:
                self.mark(*bad_key)
            self.string(key)
            self.blank()
            self.put(":")
            self.blank()
            write()
            self.blank()
        self.put("}")

    def elements(self, writes):
        self.put("[")
        for i, write in enumerate(writes):
            self.put("," if i else "")
            self.blank()
            write()
            self.blank()
        self.put("]")

    def anything(self, depth=0):
        kind = self.rng.randrange(6 if depth < 3 else 4)
        if kind == 0:
            self.string(self.rng.choice(["", "a]}{[,:\"\\", "\u00e9\u4e2d\U0001f600", "//", "\n\t\b"]))
        elif kind == 1:
            self.put(self.rng.choice(["0", "-1.5e-7", "12", "true", "false", "null"]))
        elif kind in (2, 3):
            self.put(self.rng.choice(["{}", "[]", "[[]]", "{ }"]))
        elif kind == 4:
            self.elements([lambda: self.anything(depth + 1)] * self.rng.randrange(4))
        else:
            self.members([(f"k{i}\u00df\U0001f680\"", lambda: self.anything(depth + 1), None) for i in range(self.rng.randrange(4))])


BAD_NUMBERS = (("\"four\"", "must be a number"), ("true", "must be a number"), ("[1]", "must be a number"),
               ("{\"x\": [1, 2]}", "must be a number"), ("\" 1\"", "must be a number"))


RANGES = {"mass": "must be greater than 0", "restitution": "must be from 0 to 1", "radius": "must be greater than 0"}


def circle(writer, rng, index):
    """Members are [key, text of the value, what is wrong with it, what is wrong with the key]."""
    path = f"scene.circles[{index}]"
    members = []
    for name, good, bad in (("x", str(10 * index), "1e13"), ("y", "-0.5", "-2e12"), ("vx", "1", "1e300"), ("mass", "2", "0"),
                            ("restitution", "0.5", "1.01"), ("radius", "1", "-1")):
        chance = rng.random()
        if chance < 0.75 or name == "x" and chance > 0.95:
            members.append([name, good, None, None])
        elif chance < 0.85:
            told = RANGES.get(name, "must be a finite number of magnitude at most 1e12")
            members.append([name, bad, (f"{path}.{name}", told), None])
        elif chance < 0.95:
            text, told = rng.choice(BAD_NUMBERS)
            members.append([name, text, (f"{path}.{name}", told), None])
    if rng.random() < 0.2:
        key = rng.choice(["\u00e9\"\\\u4e2d", "a.b[0]", "/"])
        members.append([key, None, None, (f"{path}.{key}", "unknown field")])
    if rng.random() < 0.1:
        members.append(["raduis", "1", None, (f"{path}.raduis", "unknown field; did you mean \"radius\"?")])
    if rng.random() < 0.15:
        members.append([members[0][0], "1", None, None])
    rng.shuffle(members)
    # Of two with the same key the later is to blame, and the one that is read.
    for i, later in enumerate(members):
        for before in members[:i]:
            if before[0] == later[0]:
                before[2] = None
                later[3] = ("", "the key was given before")
    if not any(key == "radius" for key, *_ in members):
        writer.mark(f"{path}.radius", "must be greater than 0")

    def value(text, wrong):
        def write():
            if wrong:
                writer.mark(*wrong)
            if text is None:
                writer.anything()
            else:
                writer.put(text)
        return write

    writer.members([(key, value(text, wrong), bad_key) for key, text, wrong, bad_key in members])


class Check(unittest.TestCase):
    maxDiff = None

    def test_every_mistake_is_found_where_it_is(self):
        rng = random.Random(5)
        total = 0
        for _ in range(250):
            writer = Writer(rng)
            writer.blank()
            count = rng.randrange(1, 6)
            members = [("circles", lambda n=count: writer.elements([lambda i=i: circle(writer, rng, i) for i in range(n)]), None)]
            if rng.random() < 0.3:
                members.append(("gravityX", lambda: (writer.mark("scene.gravityX", "must be a number"), writer.put("[]")), None))
            if rng.random() < 0.3:
                members.append(("\U0001f600", writer.anything, ("scene.\U0001f600", "unknown field")))
            rng.shuffle(members)
            writer.members(members)
            writer.blank()
            text = "".join(writer.text)
            parsed = json.loads(text)
            self.assertIn("circles", parsed)
            found = [(*place, re.sub(r'^the key ".*" was', "the key was", told)) for *place, told in check(text)]
            found = [(*place, re.sub(r"unknown field; (Scene has circleColumns, circles|Circle has id, x, y), .*", "unknown field", told))
                     for *place, told in found]
            self.assertEqual(sorted(found), sorted(writer.places), text)
            total += len(found)
        self.assertGreater(total, 400)

    def test_syntax(self):
        self.assertEqual(check("{\n  \"circles\": [\n    {\"x\": 1,}\n]}"),
                         [(3, 13, "error", "string or '}' expected near '}'")])
        for text in ("", "{", "{\"a\": 01}", "[1", "{\"circles\": [nul]}", "\"x\"", "{\"x\": \"\\ud800\"}", "{\"x\": 1e999}", "{} {}"):
            found = check(text)
            self.assertEqual(len(found), 1, text)

    def test_columns(self):
        text = ("{\"circleColumns\": {\"count\": 4,\n"
                " \"x\": [0, 10, 20],\n"
                " \"radius\": [1, -1, 1, \"a\"],\n"
                " \"id\": [3, 3, 3, 4], \"kind\": [1, 2, 9, \"BODY_KIND_STATIC\"]},\n"
                " \"segments\": [{\"x2\": 1}, {\"x1\": 2, \"x2\": 2}, 7]}")
        told = [(line, column, message.split(": ")[0]) for line, column, _, message in check(text)]
        self.assertEqual(told, [(2, 7, "scene.circle_columns.x"), (3, 16, "scene.circle_columns.radius[1]"),
                                (3, 23, "scene.circleColumns.radius[3]"), (4, 12, "scene.circle_columns.id[1]"),
                                (4, 15, "scene.circle_columns.id[2]"), (4, 37, "scene.circleColumns.kind[2]"),
                                (5, 42, "scene.segments[1].x2"), (5, 46, "scene.segments[2]")])
        # One for all; nothing for the many rows that lack it.
        self.assertEqual(check("{\"circle_columns\": {\"x\": [1, 2, 3], \"radius\": [-1]}}"),
                         [(1, 48, "error", "scene.circle_columns.radius[0]: must be greater than 0")])
        self.assertEqual([problem[:2] for problem in check("{\"circle_columns\": {\"x\": [1, 2, 3]}}")], [(1, 20)])
        self.assertEqual([problem[3] for problem in check("{\"circleColumns\": {\"radius\": [1]}, \"circle_columns\": {}}")],
                         ["scene.circle_columns: given twice"])

    def test_overlaps_are_warnings_with_their_depth(self):
        found = check("{\"circles\": [{\"radius\": 1},\n{\"x\": 1.5, \"radius\": 1},\n{\"x\": 20, \"radius\": 1, \"mask\": 2},\n"
                      "{\"x\": 20, \"radius\": 1}, {\"x\": 22, \"radius\": 1}],\n"
                      "\"segments\": [{\"x1\": 22.75, \"y1\": -3, \"x2\": 22.75, \"y2\": 3}]}")
        self.assertEqual(found, [(2, 1, "warning", "scene.circles[1]: overlaps scene.circles[0] by 0.5 at the start"),
                                 (4, 25, "warning", "scene.circles[4]: overlaps scene.segments[0] by 0.25 at the start")])
        done = subprocess.run([COLLIDE, "check", "--strict", "scene.json"], capture_output=True, cwd=WORK.name, check=False)
        self.assertEqual(done.returncode, 1)

    def test_what_makes_no_contact_overlaps_nothing(self):
        """An ignored circle, by either side; a group that is only reported; a disabled wall. Each with its opposite."""
        bullet, off = {"id": 2, "radius": 0.1, "group": 3}, {"disabled": True}

        def problems(mine, other, wall):
            return check(json.dumps({"circles": [{"id": 1, "radius": 1, "x": 1.05, **other}, {**bullet, **mine}],
                                     "segments": [{"x1": -0.05, "y1": -1, "x2": -0.05, "y2": 1, **wall}]}))

        for mine, other, wall in (({"ignore": "IGNORE_ALWAYS", "ignoredCircle": 1}, {}, off),
                                  ({"ignore": "IGNORE_UNTIL_APART", "ignoredCircle": 1}, {}, off),
                                  ({}, {"ignore": "IGNORE_ALWAYS", "ignoredCircle": 2}, off),
                                  ({"reportGroups": "3"}, {}, {"group": 1}), ({}, {"reportGroups": "8"}, off)):
            self.assertEqual(problems(mine, other, wall), [], (mine, other, wall))
        for mine in ({"ignoredCircle": 1}, {"ignore": "IGNORE_ALWAYS", "ignoredCircle": 7}, {"reportGroups": "4"}):
            self.assertEqual(len(problems(mine, {}, {})), 2, mine)

    def test_sensors_and_one_sided_walls_overlap_nothing(self):
        """A sensor of either kind; a one-sided wall, which lets pass what overlaps it. A wall is as thick as it is."""
        def problems(circle, wall, x=1.2):
            return check(json.dumps({"circles": [{"radius": 1, "x": x}, {"radius": 0.5, "x": x, **circle}],
                                     "segments": [{"y1": -1, "y2": 1, **wall}]}))

        sensor = {"sensor": True}
        self.assertEqual(problems(sensor, {}), [])
        self.assertEqual(problems(sensor, {"radius": 0.1}), [])
        self.assertEqual(problems(sensor, {"radius": 0.5, **sensor}), [])
        self.assertEqual([told for *_, told in problems(sensor, {"radius": 0.5})],
                         ["scene.circles[0]: overlaps scene.segments[0] by 0.3 at the start"])
        for x in (0.5, -0.5):
            self.assertEqual(problems(sensor, {"oneSided": True}, x), [])
        self.assertEqual(len(problems({}, {})), 1)

    def test_clean_is_what_a_simulation_takes(self):
        """Spoiled at random: check and run agree, whatever they say."""
        rng = random.Random(9)
        both = [0, 0]
        for _ in range(120):
            scene = {"circles": [{"x": 3 * i, "radius": 1, "id": i} for i in range(4)], "segments": [{"x1": -5, "x2": -5, "y2": 1}]}
            for _ in range(rng.randrange(0, 3)):
                target = rng.choice(scene["circles"] + [scene])
                key = rng.choice(["x", "radius", "id", "mass", "kind", "gravityY", "eventsPerBodyMax", "mask", "restitution"])
                target[key] = rng.choice([0, 1, -1, 2, 1e6 + 1, 4294967296, 0.5, "1", "x", None, [], True])
            text = json.dumps(scene)
            problems = check(text)
            ran = subprocess.run([COLLIDE, "run", "-", "--local", "--ticks", "1"], input=text.encode(), capture_output=True, check=False)
            errors = [p for p in problems if p[2] == "error"]
            self.assertEqual(bool(errors), ran.returncode != 0, (text, problems, ran.stderr))
            both[bool(errors)] += 1
        self.assertGreater(min(both), 20)


unittest.main(argv=sys.argv[:1])
