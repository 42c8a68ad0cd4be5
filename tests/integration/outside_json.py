#!/usr/bin/env python3
"""outside_json.py COLLIDED COLLIDE SCHEMA_FOLDER: everything that the command prints as JSON, as Python's protobuf reads it.

What is a message of the schema is parsed strictly, unknown names refused, and compared with the message that went over the wire.
What is none has the members that its help names. Every number has as few digits as Python's repr of the same double.
"""
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

from google.protobuf import json_format

COLLIDED, COLLIDE, SCHEMA = map(os.path.abspath, sys.argv[1:4])
WORK = tempfile.TemporaryDirectory()
subprocess.run(["protoc", "-I", SCHEMA, "--python_out", WORK.name, "collide/v1/collide.proto"], check=True)
sys.path.insert(0, WORK.name)
from collide.v1.collide_pb2 import (ClientMessage, Detected, Frame, Queried, Responded, Scene, ServerMessage,  # noqa: E402
                                    Welcome)
from google.protobuf.internal.decoder import _DecodeVarint32 as varint_read  # noqa: E402


class Daemon:
    def __enter__(self):
        port = os.path.join(WORK.name, "port")
        self.process = subprocess.Popen([COLLIDED, "--listen", "127.0.0.1:0", "--port-file", port], stderr=subprocess.DEVNULL)
        while not os.path.exists(port) or os.path.getsize(port) == 0:
            assert self.process.poll() is None
            time.sleep(0.05)
        with open(port, encoding="ascii") as file:
            return "127.0.0.1:" + file.read().strip()

    def __exit__(self, *_):
        self.process.terminate()
        assert self.process.wait(600) == 0


def collide(*words, data=None, status=0):
    done = subprocess.run([COLLIDE, *map(str, words)], input=data, capture_output=True, check=False, timeout=600, cwd=WORK.name)
    assert done.returncode == status, (words, done)
    return done.stdout.decode()


def digits(text):
    return len(text.lower().split("e")[0].replace(".", "").replace("-", "").strip("0"))


def number(text):
    value = float(text)
    assert digits(text) <= digits(repr(value)), f"{text} could be {value!r}"
    return value


def loads(text):
    return json.loads(text, parse_float=number)


def messages(path):
    with open(os.path.join(WORK.name, path), "rb") as file:
        data = file.read()
    found, at = [], 0
    while at < len(data):
        size, body = varint_read(data, at)
        found.append(data[body:body + size])
        at = body + size
    return found


def without_empty(frame):
    """A table without rows is as none."""
    for field, value in frame.ListFields():
        if field.message_type and field.name != "bodies" and value.ByteSize() == 0:
            frame.ClearField(field.name)
    return frame


# A ball that slides to rest on a floor, one that spins, one that stands, and a door that moves.
REST = {"gravityY": -9.81, "circles": [{"y": 0.5, "vx": 1, "radius": 0.5, "restitution": 0, "friction": 0.5, "tag": str(2 ** 63)},
                                       {"x": 3, "y": 2, "radius": 0.5, "friction": 1, "angularVelocity": 3},
                                       {"x": -3, "y": 0.5, "radius": 0.5, "kind": "BODY_KIND_STATIC"}],
        "segments": [{"x1": -9, "y1": 0, "x2": 9, "y2": 0, "friction": 0.5}, {"x1": 8, "y1": 1, "x2": 8, "y2": 2, "vx": 0.1}]}


class Json(unittest.TestCase):
    def frames(self, kind, *words):
        if kind == "rest":
            with open(os.path.join(WORK.name, "scene.json"), "w", encoding="utf-8") as file:
                json.dump(REST, file)
        else:
            collide("gen", kind, "-o", "scene.json")
        lines = collide("run", "scene.json", "--local", "--format", "json", "--record", "run.bin", *words).splitlines()
        sent = [ServerMessage.FromString(body).frame for body in messages("run.bin")[1:-1]]
        self.assertEqual(len(lines), len(sent))
        for line, frame in zip(lines, sent):
            loads(line)
            self.assertEqual(json_format.Parse(line, Frame()), without_empty(frame))
        self.assertEqual(collide("replay", "run.bin", "--format", "json").splitlines(), lines)
        return lines

    def test_frames_are_the_servers(self):
        everything = "".join(line for kind, words in (
            ("gas", ("--ticks", 20, "--every", 3)), ("rest", ("--ticks", 40, "--events", "persist", "--paths")),
            ("duel", ("--ticks", 60, "--every", 7)), ("galperin", ("--ticks", 30, "--dt", 1)),
            ("cradle", ("--ticks", 30, "--events", "touches"))) for line in self.frames(kind, *words))
        for table in "bodies", "contacts", "pathChanges", "pairEvents", "paths", "ends", "energy", "momentum", "movingSegments":
            self.assertIn(f'"{table}": {{', everything)

    def test_frames_of_ticks_in_between_are_added_up(self):
        collide("gen", "gas", "-o", "scene.json")
        words = ("run", "scene.json", "--local", "--ticks", 20, "--every", 5, "--format", "json")
        whole = [json_format.Parse(line, Frame()) for line in collide(*words).splitlines()]
        added = [json_format.Parse(line, Frame()) for line in collide(*words, "--certify").splitlines()]
        for a, b in zip(whole, added, strict=True):
            self.assertEqual((a.tick, a.hash, a.bodies, a.contacts, a.collisions), (b.tick, b.hash, b.bodies, b.contacts, b.collisions))

    def test_scenes(self):
        for kind in "gas", "maze", "duel":
            text = collide("gen", kind)
            loads(text)
            self.assertTrue(json_format.Parse(text, Scene()).ByteSize() > 100)

    def test_answers(self):
        collide("gen", "break", "-o", "break.json")
        pairs = {"pairs": {"a": {"radius": [1], "vx": [1]}, "circles": {"x": [1], "radius": [1]}}, "pushOut": {}, "bounce": {}}
        for kind, words, data in ((Detected, ("detect", "break.json", "--dt", 2), None), (Responded, ("respond", "-"), json.dumps(pairs).encode()),
                                  (Queried, ("query", "break.json", "--cast", "2,1,20,0", "--nearest", "10,5", "--move", "2,1,0.5,30,4"), None)):
            lines = collide(*words, "--local", "--format", "json", data=data).splitlines()
            self.assertTrue(lines)
            for line in lines:
                loads(line)
                self.assertTrue(json_format.Parse(line, kind()).ByteSize() > 10)

    def test_recordings(self):
        collide("gen", "duel", "-o", "scene.json")
        collide("run", "scene.json", "--local", "--format", "none", "--ticks", 20, "--record", "run.bin", "--save", "end.state")
        lines, sent = collide("decode", "run.bin").splitlines(), messages("run.bin")
        self.assertEqual(json_format.Parse(lines[0], ClientMessage()), ClientMessage.FromString(sent[0]))
        for line, body in zip(lines[1:], sent[1:], strict=True):
            loads(line)
            self.assertEqual(json_format.Parse(line, ServerMessage()), ServerMessage.FromString(body))
        self.assertTrue(json_format.Parse(lines[-1], ServerMessage()).HasField("simulate_done"))

    def test_of_a_daemon(self):
        with Daemon() as address:
            text = collide("info", "--json", "--connect", address)
            self.assertEqual(collide("info", "-f", "json", "-C", address), text)
            welcome = json_format.Parse(text, Welcome())
            self.assertEqual(welcome.version, 1)
            self.assertNotEqual(welcome.instance_id, 0)
            # The same as the table has.
            table = dict((line.split() + [""])[:2] for line in collide("info", "-C", address).splitlines())
            self.assertEqual(welcome.limits.ticks_max, int(table["ticks_max"]))
            self.assertEqual(f"{welcome.instance_id:016x}", table["instance"])
            for limits in (welcome.limits, welcome.limits.worlds):
                for field in limits.DESCRIPTOR.fields:
                    if field.name != "worlds":
                        self.assertEqual(str(getattr(limits, field.name)), table[field.name], field.name)
            pings = [loads(line) for line in collide("ping", "--json", "-c", 3, "--interval", 1, "-C", address).splitlines()]
            self.assertEqual([set(ping) for ping in pings], [{"server", "roundTripMs"}] * 3)
            self.assertEqual(pings[0]["server"], welcome.server)
            bench = loads(collide("bench", "-j", "-C", address, "-d", "0.2", "--warm-up", 0, "-n", 2))
            self.assertEqual(bench["server"], welcome.server)

    def test_what_is_no_message(self):
        version = loads(collide("version", "--json"))
        self.assertEqual((version["program"], version["protocol"]), ("collide", "collide.v1"))
        self.assertEqual("collide " + version["version"], collide("--version").strip())
        collide("gen", "break", "-o", "break.json")
        good = loads(collide("check", "--json", "break.json"))
        self.assertEqual((good["file"], good["errors"], good["circles"], good["problems"]), ("break.json", 0, 16, []))
        bad = loads(collide("check", "-j", "-", data=b'{"circles": [\n {"raduis": 1}]}', status=1))
        self.assertEqual((bad["file"], bad["errors"]), ("stdin", 2))
        problem = next(problem for problem in bad["problems"] if problem["field"] == "scene.circles[0].raduis")
        self.assertEqual(problem, {"line": 2, "column": 3, "severity": "error", "field": "scene.circles[0].raduis",
                                   "text": 'unknown field; did you mean "radius"?'})
        # A name that is longer than what is told of it is cut between characters; that of a file need not be UTF-8.
        for before in ("", "x"):
            name = before + 300 * "é"
            long = loads(collide("check", "-j", "-", data=json.dumps({name: 1}, ensure_ascii=False).encode(), status=1))
            self.assertTrue(("scene." + name).startswith(long["problems"][0]["field"]))
            self.assertTrue(long["problems"][0]["field"].endswith("éé"))
        with open(os.path.join(WORK.name.encode(), b"caf\xe9.json"), "wb") as file:
            file.write(b"{}")
        self.assertEqual(loads(collide("check", "-j", os.fsdecode(b"caf\xe9.json")))["file"], "caf?.json")
        collide("run", "break.json", "--local", "--format", "none", "--ticks", 3, "--save", "end.state")
        whole = loads(collide("check", "--json", "end.state"))
        self.assertEqual((whole["errors"], whole["circles"]), (0, 16))


unittest.main(argv=sys.argv[:1])
