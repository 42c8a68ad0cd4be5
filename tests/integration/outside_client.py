#!/usr/bin/python3
"""A client that shares no code with the project: Debian's python3-protobuf against the real daemon.

outside_client.py COLLIDED PROTO_FOLDER MODULE [TEST...]: runs the unittest classes of outside_MODULE.py. Each starts a
daemon and talks to it with classes that protoc has just made from the .proto. OUTSIDE_FEW in the environment:
few of many random rounds.
"""
import importlib
import os
import subprocess
import sys
import tempfile
import unittest

from outside_wire import Connection, Daemon

PROGRAM, PROTO_FOLDER, MODULE = sys.argv[1:4]
# google.rpc.Code
CANCELLED, INVALID, DEADLINE, EXHAUSTED, PRECONDITION, UNIMPLEMENTED = 1, 3, 4, 8, 9, 12


def rounds(few, most):
    """How many are made of something random."""
    return few if os.environ.get("OUTSIDE_FEW") else most


def generated_schema(folder):
    subprocess.run(["protoc", "-I", PROTO_FOLDER, "--python_out", folder, "collide/v1/collide.proto"], check=True)
    sys.path.insert(0, folder)
    return importlib.import_module("collide.v1.collide_pb2")


def circle(x, y, vx=0.0, vy=0.0, radius=0.5, **more):
    return dict(x=x, y=y, vx=vx, vy=vy, radius=radius, **more)


def box(half):
    corners = [(-half, -half), (half, -half), (half, half), (-half, half)]
    return [dict(x1=a[0], y1=a[1], x2=b[0], y2=b[1]) for a, b in zip(corners, corners[1:] + corners[:1])]


class WithDaemon(unittest.TestCase):
    """Each class has a daemon of its own, with these flags; each test a connection of its own."""
    flags = ()

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.schema = cls.make_schema(cls.folder.name)
        cls.daemon = Daemon(PROGRAM, *cls.flags)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()
        cls.daemon.stop()

    @staticmethod
    def make_schema(folder):
        return generated_schema(folder)

    def setUp(self):
        self.connection = self.connect()

    def connect(self, hello=True):
        connection = Connection(self.daemon.port, self.schema, hello)
        self.addCleanup(connection.close)
        return connection

    def still_usable(self):
        self.assertEqual(self.connection.ask(ping={"payload": b"ok"}).pong.payload, b"ok")

    def refused(self, reply, code, reason=None, field=None):
        self.assertEqual(reply.WhichOneof("reply"), "error", reply)
        self.assertEqual(reply.error.code, code, reply)
        self.assertNotEqual(reply.error.text, "")
        self.assertRegex(reply.error.reason, r"^[A-Z][A-Z0-9_]+$")
        if reason is not None:
            self.assertEqual(reply.error.reason, reason, reply)
        if field is not None:
            self.assertEqual([violation.field for violation in reply.error.violations], [field], reply)
            self.assertNotEqual(reply.error.violations[0].text, "")

    def run_scene(self, scene, dt, ticks, every=0):
        frames, last = self.connection.simulate(scene=scene, dt=dt, ticks=ticks, every=every)
        self.assertEqual(last.WhichOneof("reply"), "simulate_done", last)
        self.assertEqual(last.simulate_done.ticks, ticks)
        self.assertEqual(frames[-1].tick, ticks)
        self.assertEqual(frames[-1].hash, last.simulate_done.hash)
        self.assertEqual(sum(frame.collisions for frame in frames), last.simulate_done.collisions)
        self.assertEqual(last.simulate_done.shortfalls, 0)
        return frames, last.simulate_done


if __name__ == "__main__":
    # The tests import this file by its name and must find this very module.
    sys.modules["outside_client"] = sys.modules[__name__]
    result = unittest.main(
        importlib.import_module("outside_" + MODULE), argv=[sys.argv[0], "-v", *sys.argv[4:]], exit=False).result
    sys.exit(0 if result.wasSuccessful() and result.testsRun else 1)
