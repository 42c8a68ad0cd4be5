#!/usr/bin/env python3
"""outside_recording.py COLLIDED COLLIDE SCHEMA_FOLDER: recordings as another protobuf library sees them.

Every message that `collide decode` prints must be, for Python's protobuf, the message that is in the file. Damaged files must
be refused at the byte where the damage is, and never crash anything.
"""
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest

from google.protobuf import json_format

COLLIDED, COLLIDE, SCHEMA = sys.argv[1:4]
WORK = tempfile.TemporaryDirectory()
subprocess.run(["protoc", "-I", SCHEMA, "--python_out", WORK.name, "collide/v1/collide.proto"], check=True)
sys.path.insert(0, WORK.name)
from collide.v1.collide_pb2 import ClientMessage, ServerMessage  # noqa: E402
from google.protobuf.internal.decoder import _DecodeVarint32 as varint_read  # noqa: E402
from google.protobuf.internal.encoder import _VarintBytes as varint  # noqa: E402


def collide(*arguments, status=0, data=None):
    done = subprocess.run([COLLIDE, *arguments], input=data, capture_output=True, check=False, timeout=600)
    assert done.returncode == status, (arguments, done.returncode, done.stderr)
    return done


def pieces(data):
    """(offset of the length, offset of the body, body) of each message."""
    found, at = [], 0
    while at < len(data):
        size, body = varint_read(data, at)
        found.append((at, body, data[body:body + size]))
        at = body + size
    return found


def delimited(*messages):
    return b"".join(varint(len(body)) + body for body in (message.SerializeToString() for message in messages))


def record(kind, *arguments):
    scene = os.path.join(WORK.name, kind + ".json")
    path = os.path.join(WORK.name, kind + ".bin")
    collide("gen", kind, "-o", scene)
    collide("run", scene, "--local", "--format", "none", "--record", path, *arguments)
    with open(path, "rb") as file:
        return path, file.read()


class Recordings(unittest.TestCase):
    def test_decode_prints_what_is_in_the_file(self):
        for kind, arguments in (("break", ("--ticks", "80")), ("gas", ("--ticks", "9", "--every", "4")),
                                ("galperin", ("--ticks", "30", "--dt", "1"))):
            _, data = record(kind, *arguments)
            lines = collide("decode", "-", data=data).stdout.decode().splitlines()
            messages = pieces(data)
            self.assertEqual(len(lines), len(messages))
            self.assertEqual(json_format.Parse(lines[0], ClientMessage()), ClientMessage.FromString(messages[0][2]))
            for line, (_, _, body) in zip(lines[1:], messages[1:]):
                self.assertEqual(json_format.Parse(line, ServerMessage()), ServerMessage.FromString(body))
            self.assertIn("simulateDone", lines[-1])

    def test_decode_of_every_kind_of_message(self):
        client = [ClientMessage(request_id=1, hello=dict(version_min=1, version_max=1, client_name=b"a\xff\x00\"", features=[b"x", b""])),
                  ClientMessage(request_id=2 ** 64 - 1, ping=dict(payload=bytes(range(64)))),
                  ClientMessage(request_id=3, cancel=dict(target_request_id=2 ** 63)), ClientMessage(request_id=4, describe={})]
        server = [ServerMessage(request_id=1, welcome=dict(version=1, server="collided \"1\\2\" \u00e9\u4e2d\U0001f600\n", instance_id=2 ** 64 - 1,
                                                           limits=dict(ticks_max=2 ** 64 - 1, circles_max=2 ** 32 - 1))),
                  ServerMessage(request_id=2, pong=dict(payload=b"\0\1")), ServerMessage(request_id=3, cancel_done=dict(found=True)),
                  ServerMessage(request_id=4, described=dict(file_descriptor_set=bytes(1000))),
                  ServerMessage(error=dict(code=8, text="full", retry_after_ms=7, violations=[dict(field="a"), dict(text="b")]))]
        server.append(ServerMessage(request_id=9, frame=dict(tick=1, time=0.1, hash=5, bodies=dict(
            id=[1, 2], x=[float("nan"), float("-inf")], y=[-0.0, 5e-324], vx=[1e308, 0.1], vy=[1 / 3, 2.0 ** 70]))))
        for which, messages, kind in (("client", client, ClientMessage), ("server", server, ServerMessage)):
            lines = collide("decode", "--as", which, "-", data=delimited(*messages)).stdout.decode().splitlines()
            self.assertEqual(len(lines), len(messages))
            for line, message in zip(lines, messages):
                self.assertEqual(json_format.Parse(line, kind()).SerializeToString(), message.SerializeToString())
        # Without being told: the fields of each message say which it is.
        both = [client[0], server[0], server[1], client[2], client[3], server[3], server[4]]
        lines = collide("decode", "-", data=delimited(*both)).stdout.decode().splitlines()
        names = ["hello", "welcome", "pong", "cancel", "describe", "described", "error"]
        self.assertEqual([re.findall(r'"(\w+)": \{', line)[0] for line in lines], names)

    def test_damage_is_told_with_its_byte(self):
        _, data = record("break", "--ticks", "5")
        messages = pieces(data)
        start, body, content = messages[3]
        for cut in (start + 1, body, body + 1, body + len(content) - 1):
            told = collide("decode", "-", data=data[:cut], status=1)
            self.assertEqual(told.stdout.count(b"\n"), 3)
            self.assertIn(b"stdin: byte %d: message 4: " % start, told.stderr)
        # A wrong wire type, at a known place: the tag of request_id becomes that of a string.
        told = collide("decode", "-", data=data[:body] + b"\x0a" + data[body + 1:], status=1)
        self.assertIn(b"byte %d: message 4: " % body, told.stderr)
        # A length that is none.
        told = collide("decode", "-", data=data[:start] + b"\xff" * 9, status=1)
        self.assertIn(b"byte %d: message 4: the length before it" % start, told.stderr)
        # A column that ends within a number: frame.bodies.x has 7 bytes.
        columns = b"\x12\x07" + bytes(7)
        frame = b"\x08\x01\x2a" + varint(len(columns)) + columns
        message = b"\x08\x01\x32" + varint(len(frame)) + frame
        told = collide("decode", "-", data=varint(len(message)) + message, status=1)
        self.assertIn(b"byte %d: message 1: frame.bodies.x does not hold whole elements" % (len(message) - 7 + 1), told.stderr)
        # Text that is no UTF-8. Field 8 is a request too.
        message = b"\x42\x03\x12\x01\xff"
        told = collide("decode", "--as", "server", "-", data=varint(len(message)) + message, status=1)
        self.assertIn(b"byte 5: message 1: error.text is not UTF-8", told.stderr)
        collide("decode", os.path.join(WORK.name, "no such file"), status=2)
        self.assertEqual(collide("decode", "-", data=b"").stdout, b"")

    def test_noise_never_crashes(self):
        random.seed(3)
        _, data = record("break", "--ticks", "3")
        for _ in range(150):
            noise = bytearray(data)
            for _ in range(random.randrange(1, 4)):
                noise[random.randrange(len(noise))] = random.randrange(256)
            for command in ("decode", "replay", "verify"):
                done = subprocess.run([COLLIDE, command, "-"], input=bytes(noise), capture_output=True, check=False, timeout=600)
                self.assertIn(done.returncode, (0, 1, 2, 3), done.stderr)
                self.assertNotIn(b"Sanitizer", done.stderr)

    def test_verify_finds_any_changed_number(self):
        path, data = record("break", "--ticks", "60")
        messages = [body for _, _, body in pieces(data)]
        self.assertRegex(collide("verify", path).stdout, rb"^the same: 60 frames up to tick 60, state hash [0-9a-f]{16}\n$")

        def changed(index, change):
            message = ServerMessage.FromString(messages[index])
            change(message)
            bodies = messages[:index] + [message.SerializeToString()] + messages[index + 1:]
            return collide("verify", "-", data=b"".join(varint(len(body)) + body for body in bodies), status=1).stdout

        def last_bit(columns, name, row):
            column = getattr(columns, name)
            bits = struct.unpack("<Q", struct.pack("<d", column[row]))[0]
            column[row] = struct.unpack("<d", struct.pack("<Q", bits ^ 1))[0]

        hit = next(i for i, body in enumerate(messages[1:], 1) if ServerMessage.FromString(body).frame.contacts.time)
        self.assertRegex(changed(17, lambda m: setattr(m.frame, "hash", m.frame.hash ^ 1)), rb"^differs at tick 17: the state hash: ")
        self.assertRegex(changed(9, lambda m: last_bit(m.frame.bodies, "vx", 0)), rb"^differs at tick 9: bodies\[0\]\.vx: ")
        self.assertRegex(changed(hit, lambda m: last_bit(m.frame.contacts, "impulse", 0)),
                         b"^differs at tick %d: contacts\\[0\\]\\.impulse: " % hit)
        self.assertRegex(changed(-1, lambda m: setattr(m.simulate_done, "collisions", 1)), rb"^differs at tick 60: the sums")
        self.assertRegex(changed(30, lambda m: m.frame.shortfalls.tick.append(1)), rb"^$")  # not a table: the file is damaged
        # A request that is not the one that was run.
        request = ClientMessage.FromString(messages[0])
        request.simulate.scene.circles[0].vx += 1e-9
        other = [request.SerializeToString()] + messages[1:]
        told = collide("verify", "-", data=b"".join(varint(len(body)) + body for body in other), status=1).stdout
        self.assertRegex(told, rb"^differs at tick 1: the state hash: ")
        # One that ends too soon.
        told = collide("verify", "-", data=b"".join(varint(len(body)) + body for body in messages[:-1]), status=1)
        self.assertIn(b"ends after tick 60 of 60, without the simulation's last reply", told.stderr)

    def test_schema(self):
        text = collide("schema").stdout
        with open(os.path.join(SCHEMA, "collide/v1/collide.proto"), "rb") as file:
            self.assertEqual(text, file.read())
        # Compiled anew, the text is the binary form.
        folder = os.path.join(WORK.name, "schema/collide/v1")
        os.makedirs(folder)
        with open(os.path.join(folder, "collide.proto"), "wb") as file:
            file.write(text)
        subprocess.run(["protoc", "-I", os.path.join(WORK.name, "schema"), "--include_source_info",
                        "--descriptor_set_out", os.path.join(WORK.name, "set"), "collide/v1/collide.proto"], check=True)
        with open(os.path.join(WORK.name, "set"), "rb") as file:
            self.assertEqual(collide("schema", "--format", "binary").stdout, file.read())


unittest.main(argv=sys.argv[:1])
