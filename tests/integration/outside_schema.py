"""Clients that this folder's generated classes have no part in: one with no generated code, and the README's."""
import os
import socket
import subprocess
import sys
import tempfile
import types

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

import outside_client
from outside_client import WithDaemon, circle
from outside_wire import delimited


class Described(WithDaemon):
    """No generated code at all: the schema comes from the server."""

    @staticmethod
    def make_schema(folder):
        return None

    def setUp(self):
        # The bootstrap, by hand from the .proto's numbers: Hello {version_min: 1, version_max: 1} and Describe {}.
        with socket.create_connection(("127.0.0.1", self.daemon.port), timeout=600) as bare:
            bare.sendall(delimited(b"\x08\x01\x12\x04\x08\x01\x10\x01") + delimited(b"\x08\x02\x2a\x00"))
            bare.shutdown(socket.SHUT_WR)
            data = b"".join(iter(lambda: bare.recv(65536), b""))
        replies = []
        while data:
            value, data = self.take_varint(data)
            replies.append(data[:value])
            data = data[value:]
        self.assertEqual(len(replies), 2)
        field, rest = self.take_varint(replies[1][2:])
        self.assertEqual(field, 5 << 3 | 2)  # described
        _, rest = self.take_varint(rest)
        self.assertEqual(rest[0], 1 << 3 | 2)  # file_descriptor_set
        length, rest = self.take_varint(rest[1:])
        self.assertEqual(length, len(rest))
        files = descriptor_pb2.FileDescriptorSet.FromString(rest)
        pool = descriptor_pool.DescriptorPool()
        for file in files.file:
            pool.Add(file)
        factory = message_factory.MessageFactory(pool)
        self.schema = types.SimpleNamespace(**{
            name: factory.GetPrototype(pool.FindMessageTypeByName("collide.v1." + name))
            for name in ("ClientMessage", "ServerMessage")})
        super().setUp()

    @staticmethod
    def take_varint(data):
        value = shift = used = 0
        while True:
            value |= (data[used] & 0x7F) << shift
            shift += 7
            used += 1
            if data[used - 1] < 0x80:
                return value, data[used:]

    def test_a_dynamic_client_simulates(self):
        frames, done = self.run_scene({"circles": [circle(-2, 0, vx=1), circle(2, 0, vx=-1)]}, dt=1.0, ticks=3)
        self.assertEqual(done.collisions, 1)
        self.assertEqual(list(frames[-1].bodies.vx), [-1.0, 1.0])


class Example(WithDaemon):
    """The README's client in another language, as it stands there."""

    def test_the_readme_example(self):
        here = os.path.dirname(os.path.abspath(__file__))
        with tempfile.TemporaryDirectory() as checkout:
            os.symlink(outside_client.PROTO_FOLDER, os.path.join(checkout, "proto"))
            os.mkdir(os.path.join(checkout, "build"))
            program = os.path.join(here, "outside_example.py")
            said = subprocess.run([sys.executable, program, "127.0.0.1:%d" % self.daemon.port], cwd=checkout, check=True,
                                  stdout=subprocess.PIPE, text=True).stdout
        # They touch when the first has gone 3 of the 4 between the centres, less a skin: equal masses exchange velocities.
        places = [[float(x) for x in line.split("[")[1].rstrip("]").split(",")] for line in said.splitlines() if line.startswith("tick ")]
        for (a, b), (a_expected, b_expected) in zip(places, [(-1, 2), (0, 2), (1, 2), (1, 3), (1, 4)], strict=True):
            self.assertAlmostEqual(a, a_expected, delta=2e-9)
            self.assertAlmostEqual(b, b_expected, delta=2e-9)
        self.assertRegex(said, r"simulate_done \{\n  ticks: 5\n  events: 1\n  collisions: 1\n")
