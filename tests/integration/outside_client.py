#!/usr/bin/python3
"""A client that shares no code with the project: Debian's python3-protobuf against the real daemon.

outside_client.py COLLIDED PROTO_FOLDER CLASS: starts the daemon, makes classes from the .proto with protoc (or, for Described,
from what the server itself tells), and runs the unittest class of that name below.
"""
import importlib
import math
import os
import socket
import subprocess
import sys
import tempfile
import types
import unittest

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from outside_wire import Closed, Connection, Daemon, delimited, varint

PROGRAM, PROTO_FOLDER = sys.argv[1:3]
# google.rpc.Code
CANCELLED, INVALID, DEADLINE, EXHAUSTED, PRECONDITION, UNIMPLEMENTED = 1, 3, 4, 8, 9, 12


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
    """Each class has a daemon of its own; each test a connection of its own."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.schema = cls.make_schema(cls.folder.name)
        cls.daemon = Daemon(PROGRAM)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()
        cls.daemon.stop()

    @staticmethod
    def make_schema(folder):
        return generated_schema(folder)

    def setUp(self):
        self.connection = self.connect()
        self.addCleanup(lambda: self.connection.close())

    def connect(self, hello=True):
        connection = Connection(self.daemon.port, self.schema, hello)
        self.addCleanup(connection.close)
        return connection

    def run_scene(self, scene, dt, ticks, every=0):
        frames, last = self.connection.simulate(scene=scene, dt=dt, ticks=ticks, every=every)
        self.assertEqual(last.WhichOneof("reply"), "simulate_done", last)
        self.assertEqual(last.simulate_done.ticks, ticks)
        self.assertEqual(frames[-1].tick, ticks)
        self.assertEqual(frames[-1].hash, last.simulate_done.hash)
        self.assertEqual(sum(frame.collisions for frame in frames), last.simulate_done.collisions)
        self.assertEqual(last.simulate_done.shortfalls, 0)
        return frames, last.simulate_done


class Physics(WithDaemon):
    """The analytic cases, as numbers on the wire."""

    def test_cradle(self):
        """k balls at speed 1 into n touching ones: the last k leave with it."""
        for count, moving in ((5, 1), (5, 2), (7, 3)):
            with self.subTest(count=count, moving=moving):
                balls = [circle(i - 4.0, 0, vx=1.0) for i in range(moving)]
                balls += [circle(float(i), 0) for i in range(moving, count)]
                frames, _ = self.run_scene({"circles": balls}, dt=0.5, ticks=12)
                bodies = frames[-1].bodies
                expected = [0.0] * (count - moving) + [1.0] * moving
                for got, want in zip(bodies.vx, expected):
                    self.assertAlmostEqual(got, want, delta=1e-12)
                for got in bodies.vy:
                    self.assertAlmostEqual(got, 0.0, delta=1e-12)

    def test_cradle_with_gaps(self):
        balls = [circle(-3.0, 0, vx=1.0)] + [circle(1.5 * i, 0) for i in range(4)]
        frames, done = self.run_scene({"circles": balls}, dt=0.25, ticks=40)
        self.assertEqual(done.collisions, 4)
        self.assertEqual(list(frames[-1].bodies.vx), [0.0, 0.0, 0.0, 0.0, 1.0])

    def test_symmetric_break(self):
        """One ball into two that touch, all at once: it goes back at v/5, they leave at 2 sqrt(3)/5 v and +-30 degrees."""
        speed = 3.0
        scene = {"circles": [circle(-2.0, 0, vx=speed), circle(0, 0.5), circle(0, -0.5)]}
        frames, done = self.run_scene(scene, dt=1.0, ticks=2, every=2)
        bodies = frames[-1].bodies
        self.assertAlmostEqual(bodies.vx[0], -speed / 5, delta=1e-8)
        self.assertAlmostEqual(bodies.vy[0], 0, delta=1e-12)
        for row, side in ((1, 1), (2, -1)):
            self.assertAlmostEqual(math.hypot(bodies.vx[row], bodies.vy[row]), 2 * math.sqrt(3) / 5 * speed, delta=1e-8)
            self.assertAlmostEqual(math.degrees(math.atan2(bodies.vy[row], bodies.vx[row])), side * 30, delta=1e-6)
        self.assertEqual(done.clusters, 1)
        contacts = frames[-1].contacts
        self.assertEqual(len(set(contacts.time)), 1)
        self.assertEqual({*zip(contacts.a, contacts.b)} - {(1, 2)}, {(0, 1), (0, 2)})

    def test_galperin_314(self):
        """A wall and masses 1 : 100^2 collide as often as pi has it."""
        scene = {
            "circles": [circle(1.0, 0, radius=0.1), circle(3.0, 0, vx=-1.0, radius=0.1, mass=10000.0)],
            "segments": [dict(x1=0.0, y1=-1.0, x2=0.0, y2=1.0)],
        }
        frames, done = self.run_scene(scene, dt=0.125, ticks=80, every=8)
        self.assertEqual(done.collisions, 314)
        times = [(t, s) for frame in frames for t, s in zip(frame.contacts.tick, frame.contacts.time)]
        self.assertEqual(len(times), 314)
        self.assertEqual(times, sorted(times))
        energy = frames[-1].energy.kinetic_after
        self.assertAlmostEqual(energy / 5000.0, 1.0, delta=1e-12)
        features = [feature for frame in frames for feature in frame.contacts.feature]
        self.assertEqual(features.count(self.schema.FEATURE_CIRCLE), 157)
        self.assertEqual(features.count(self.schema.FEATURE_SEGMENT_FACE), 157)

    def test_same_bits_for_rows_columns_and_any_order(self):
        rows = [circle(-3 + 1.3 * i, 0.37 * (i % 3), vx=17.0 - 7 * i, vy=3.0 * i, id=10 + i) for i in range(5)]
        walls = box(6.0)
        columns = {name: [row[name] for row in rows] for name in ("id", "x", "y", "vx", "vy")}
        columns["radius"] = [0.5]
        _, by_rows = self.run_scene({"circles": rows, "segments": walls}, 1 / 60, 240, 60)
        _, shuffled = self.run_scene({"circles": rows[::-1], "segments": walls}, 1 / 60, 240, 240)
        _, by_columns = self.run_scene({"circle_columns": columns, "segments": walls}, 1 / 60, 240, 7)
        self.assertGreater(by_rows.collisions, 25)
        self.assertEqual(by_rows.hash, shuffled.hash)
        self.assertEqual(by_rows.hash, by_columns.hash)

    def test_frames_have_full_columns(self):
        scene = {"circles": [circle(-2, 0, vx=5), circle(2, 0.1, vx=-5)], "segments": box(4.0)}
        frames, done = self.run_scene(scene, 1 / 60, 120, 50)
        self.assertEqual([frame.tick for frame in frames], [50, 100, 120])
        self.assertAlmostEqual(frames[-1].time, 2.0, delta=1e-12)
        rows = 0
        for frame in frames:
            self.assertEqual({len(column) for _, column in frame.bodies.ListFields()}, {2})
            columns = {len(getattr(frame.contacts, field.name)) for field in frame.contacts.DESCRIPTOR.fields}
            self.assertEqual(len(columns), 1)
            rows += columns.pop()
        self.assertEqual(rows, done.collisions)

    def test_ten_clients_get_their_own_frames(self):
        connections = [self.connect() for _ in range(10)]
        ids = [one.send(simulate=dict(scene={"circles": [circle(0, 0, vx=float(i))]}, dt=1.0, ticks=5))
               for i, one in enumerate(connections)]
        for i, one in enumerate(connections):
            *frames, last = one.answers(ids[i])
            self.assertEqual(last.WhichOneof("reply"), "simulate_done")
            self.assertEqual([list(message.frame.bodies.x) for message in frames], [[float(i * k)] for k in range(1, 6)])


class Conversation(WithDaemon):
    """Hello, ping, cancel, deadlines, and the end of a connection."""

    def test_welcome(self):
        welcome = self.connection.welcome
        self.assertEqual(welcome.version, 1)
        self.assertRegex(welcome.server, r"^collided \d+\.\d+\.\d+")
        self.assertNotEqual(welcome.instance_id, 0)
        for field in ("message_bytes_max", "requests_in_flight_max", "circles_max", "segments_max", "hand_written_max",
                      "ticks_max", "events_per_body_max", "contacts_per_tick_max", "memory_bytes_max"):
            self.assertGreater(getattr(welcome.limits, field), 0, field)
        self.assertEqual(self.connect().welcome.instance_id, welcome.instance_id)

    def test_ping_gives_the_payload_back(self):
        for payload in (b"", b"\x00\xff", b"x" * 64):
            self.assertEqual(self.connection.ask(ping={"payload": payload}).pong.payload, payload)

    def test_ping_and_cancel_while_simulating(self):
        long = self.connection.send(simulate=dict(
            scene={"circles": [circle(0, 0, vx=100)], "segments": box(3.0)}, dt=1.0, ticks=1_000_000, every=1_000_000,
            detail=self.schema.DETAIL_STATES))
        ping = self.connection.send(ping={"payload": b"still there"})
        cancel = self.connection.send(cancel={"target_request_id": long})
        last = {}
        while len(last) < 3:
            message = self.connection.receive()
            if message.WhichOneof("reply") != "frame":
                self.assertNotIn(message.request_id, last)
                last[message.request_id] = message
        self.assertEqual(last[ping].pong.payload, b"still there")
        self.assertTrue(last[cancel].cancel_done.found)
        self.assertEqual(last[long].error.code, CANCELLED)

    def test_cancel_of_nothing(self):
        self.assertFalse(self.connection.ask(cancel={"target_request_id": 999}).cancel_done.found)

    def test_deadline(self):
        last = self.connection.ask(simulate=dict(
            scene={"circles": [circle(0, 0, vx=100)], "segments": box(3.0)}, dt=1.0, ticks=1_000_000, every=1_000_000,
            detail=self.schema.DETAIL_STATES, deadline_ms=1))
        self.assertEqual(last.error.code, DEADLINE)
        self.assertEqual(self.connection.ask(ping={}).WhichOneof("reply"), "pong")

    def test_half_close_still_gets_the_replies(self):
        request = self.connection.send(simulate=dict(scene={"circles": [circle(0, 0, vx=1)]}, dt=1.0, ticks=3))
        self.connection.socket.shutdown(socket.SHUT_WR)
        *frames, last = self.connection.answers(request)
        self.assertEqual(len(frames), 3)
        self.assertEqual(last.simulate_done.ticks, 3)
        self.assertEqual(self.connection.wait_closed(), [])

    def test_pipelined_requests_in_one_segment(self):
        messages = [self.schema.ClientMessage(request_id=i, ping={"payload": b"%d" % i}) for i in range(1, 9)]
        connection = self.connect()
        connection.send_bytes(b"".join(delimited(m.SerializeToString()) for m in messages))
        got = {m.request_id: m.pong.payload for m in (connection.receive() for _ in messages)}
        self.assertEqual(got, {i: b"%d" % i for i in range(1, 9)})

    def test_byte_by_byte(self):
        message = self.schema.ClientMessage(request_id=5, ping={"payload": b"slow"})
        self.connection.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in delimited(message.SerializeToString()):
            self.connection.send_bytes(bytes([byte]))
        self.assertEqual(self.connection.receive().pong.payload, b"slow")


class BadInput(WithDaemon):
    """One of each kind; the code, the reason and the field, and whether the connection survives."""

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

    def refused_simulate(self, field, code=INVALID, reason="BAD_FIELD", **request):
        request = {"scene": {"circles": [circle(0, 0)]}, "dt": 0.1, "ticks": 1, **request}
        with self.subTest(field=field):
            self.refused(self.connection.ask(simulate=request), code, reason, field)
            self.still_usable()

    def refused_circle(self, field, **change):
        row = {**circle(0, 0), **change}
        self.refused_simulate("simulate.scene.circles[1]." + field, scene={"circles": [circle(9, 9), row]})

    def refused_segment(self, field, **change):
        row = {**dict(x1=0.0, y1=0.0, x2=1.0, y2=0.0), **change}
        self.refused_simulate("simulate.scene.segments[0]." + field, scene={"segments": [row]})

    def test_numbers_that_are_none(self):
        for field in ("x", "y", "vx", "vy", "radius", "mass", "restitution"):
            for value in (math.nan, math.inf, -math.inf):
                self.refused_circle(field, **{field: value})
        for field in ("x1", "y1", "x2", "y2", "restitution"):
            self.refused_segment(field, **{field: math.nan})
        for field in ("gravity_x", "gravity_y", "restitution_threshold"):
            self.refused_simulate("simulate.scene." + field, scene={"circles": [circle(0, 0)], field: math.inf})
        self.refused_simulate("simulate.dt", dt=math.nan)

    def test_circles_out_of_range(self):
        self.refused_circle("radius", radius=-1.0)
        self.refused_circle("radius", radius=0.0)
        self.refused_circle("radius", radius=1e10)
        self.refused_circle("mass", mass=0.0)
        self.refused_circle("mass", mass=-1.0)
        self.refused_circle("x", x=1.1e12)
        self.refused_circle("y", y=-1e300)
        self.refused_circle("vx", vx=1e200)
        self.refused_circle("restitution", restitution=1.5)
        self.refused_circle("restitution", restitution=-0.1)
        self.refused_circle("kind", kind=77)
        self.refused_circle("vx", kind=self.schema.BODY_KIND_STATIC, vx=1.0)

    def test_segments_out_of_range(self):
        self.refused_segment("x2", x2=0.0)  # both ends equal
        self.refused_segment("x1", x1=2e12)
        self.refused_segment("restitution", restitution=2.0)

    def test_ids_given_twice(self):
        circles = [circle(5.0 * i, 0, id=i % 2) for i in range(3)]
        self.refused_simulate("simulate.scene.circles[2].id", scene={"circles": circles})
        walls = [dict(x1=0.0, y1=float(i), x2=1.0, y2=float(i), id=7) for i in range(2)]
        self.refused_simulate("simulate.scene.segments[1].id", scene={"segments": walls})
        columns = {"id": [4, 5, 4], "x": [0.0, 5.0, 10.0], "radius": [1.0]}
        self.refused_simulate("simulate.scene.circle_columns.id[2]", scene={"circle_columns": columns})

    def test_columns(self):
        self.refused_simulate("simulate.scene.circle_columns.y",
                              scene={"circle_columns": {"x": [0.0, 5.0, 9.0], "y": [0.0, 1.0], "radius": [1.0]}})
        self.refused_simulate("simulate.scene.circle_columns.x",
                              scene={"circle_columns": {"count": 5, "x": [0.0, 5.0, 9.0], "radius": [1.0]}})
        self.refused_simulate("simulate.scene.circle_columns.id",
                              scene={"circle_columns": {"count": 2, "id": [1], "x": [0.0, 5.0], "radius": [1.0]}})
        self.refused_simulate("simulate.scene.circle_columns.vx[1]",
                              scene={"circle_columns": {"x": [0.0, 5.0], "vx": [0.0, math.nan], "radius": [1.0]}})
        self.refused_simulate("simulate.scene.segment_columns.y2",
                              scene={"segment_columns": {"x1": [0.0, 1.0, 2.0], "x2": [5.0], "y2": [1.0, 2.0]}})

    def test_simulate_itself(self):
        for dt in (0.0, -1.0, 1e-10, 1e4):
            self.refused_simulate("simulate.dt", dt=dt)
        self.refused_simulate("simulate.ticks", ticks=0)
        self.refused_simulate("simulate.ticks", EXHAUSTED, "LIMIT", ticks=self.connection.welcome.limits.ticks_max + 1)
        self.refused_simulate("simulate.detail", detail=9)
        self.refused_simulate("simulate.scene.restitution_mix",
                              scene={"circles": [circle(0, 0)], "restitution_mix": 9})
        self.refused_simulate("simulate.scene.events_per_body_max", EXHAUSTED, "LIMIT", scene={
            "circles": [circle(0, 0)], "events_per_body_max": self.connection.welcome.limits.events_per_body_max + 1})
        self.refused(self.connection.ask(simulate={"dt": 0.1, "ticks": 1}), INVALID, "BAD_FIELD", "simulate.scene")
        self.still_usable()

    def test_more_than_announced(self):
        limits = self.connection.welcome.limits
        row = self.schema.Circle(radius=1.0)
        reply = self.connection.ask(simulate={
            "scene": {"circles": [row] * (limits.hand_written_max + 1)}, "dt": 0.1, "ticks": 1})
        self.refused(reply, EXHAUSTED, "LIMIT", "simulate.scene.circles")
        self.still_usable()
        reply = self.connection.ask(simulate={
            "scene": {"circle_columns": {"count": limits.circles_max + 1, "radius": [1.0]}}, "dt": 0.1, "ticks": 1})
        self.refused(reply, EXHAUSTED, "LIMIT", "simulate.scene.circle_columns")
        self.still_usable()
        self.refused(self.connection.ask(ping={"payload": b"x" * 65}), EXHAUSTED, "LIMIT", "ping.payload")
        self.still_usable()

    def raw(self, body):
        self.connection.send_bytes(delimited(body))
        return self.connection.receive()

    def test_well_framed_nonsense(self):
        ping = self.schema.ClientMessage(request_id=3, ping={"payload": b"a"}).SerializeToString()
        envelope = self.schema.ClientMessage(request_id=3).SerializeToString()
        unknown = b"".join(varint(field << 3) + b"\x01" for field in range(100, 120))
        cases = (
            ("garbage", b"\xff\xfe\xfd\xfc", "MALFORMED"),
            ("a length beyond the end", b"\x08\x03\x1a\x7f", "MALFORMED"),
            ("a group", b"\x08\x03\x1b\x1c", "MALFORMED"),
            ("field number 0", b"\x08\x03\x02\x00", "MALFORMED"),
            ("a varint that is not canonical", b"\x08\x83\x00\x1a\x00", "MALFORMED"),
            ("a varint of eleven bytes", b"\x08" + b"\xff" * 10 + b"\x01", "MALFORMED"),
            ("the request given twice", ping + ping[2:], "MALFORMED"),
            ("a payload given twice", envelope + b"\x1a\x06\x0a\x01a\x0a\x01b", "FIELD_TWICE"),
            ("many unknown fields", envelope + b"\x1a" + varint(len(unknown)) + unknown, "UNKNOWN_FIELD"),
            ("a number where bytes belong", envelope + b"\x1a\x02\x08\x01", "WRONG_TYPE"),
        )
        for name, body, reason in cases:
            with self.subTest(name):
                self.refused(self.raw(body), INVALID, reason)
                self.still_usable()

    def test_unknown_request(self):
        for name, body, code, reason in (("no request", b"\x08\x03", INVALID, "NO_REQUEST"),
                                         ("a request of the future", b"\x08\x03\xa2\x06\x00", UNIMPLEMENTED,
                                          "UNKNOWN_REQUEST")):
            with self.subTest(name):
                reply = self.raw(body)
                self.assertEqual(reply.request_id, 3)
                self.refused(reply, code, reason)
                self.still_usable()

    def test_request_id_zero(self):
        self.refused(self.connection.ask(request_id=0, ping={}), INVALID, "REQUEST_ID", "request_id")
        self.still_usable()

    def test_request_id_under_way(self):
        long = dict(scene={"circles": [circle(0, 0, vx=100)], "segments": box(3.0)}, dt=1.0, ticks=1_000_000,
                    every=1_000_000, detail=self.schema.DETAIL_STATES)
        self.connection.send(request_id=77, simulate=long)
        self.connection.send(request_id=77, simulate=long)
        reply = self.connection.receive()
        self.assertEqual(reply.request_id, 77)
        self.refused(reply, INVALID, "REQUEST_ID", "request_id")
        self.connection.send(request_id=78, cancel={"target_request_id": 77})
        kinds = sorted(self.connection.receive().WhichOneof("reply") for _ in range(2))
        self.assertEqual(kinds, ["cancel_done", "error"])

    def test_too_many_requests_under_way(self):
        allowed = self.connection.welcome.limits.requests_in_flight_max
        long = dict(scene={"circles": [circle(0, 0, vx=100)], "segments": box(3.0)}, dt=1.0, ticks=1_000_000,
                    every=1_000_000, detail=self.schema.DETAIL_STATES)
        for i in range(allowed + 1):
            self.connection.send(request_id=1000 + i, simulate=long)
        reply = self.connection.receive()
        self.assertEqual(reply.request_id, 1000 + allowed, reply)
        self.refused(reply, EXHAUSTED, "REQUESTS_IN_FLIGHT")
        self.assertGreater(reply.error.retry_after_ms, 0)
        # A closed connection looks like a half-closed one, which gets its replies: so end them, or the daemon finishes them.
        for i in range(allowed):
            self.connection.send(request_id=2000 + i, cancel={"target_request_id": 1000 + i})
        replies = [self.connection.receive() for _ in range(2 * allowed)]
        self.assertEqual(sum(reply.WhichOneof("reply") == "error" for reply in replies), allowed)

    def closed_after(self, connection, code=None, reason=None):
        """One error at most, then the end."""
        said = connection.wait_closed()
        self.assertLessEqual(len(said), 1, said)
        if code is not None:
            self.assertEqual(len(said), 1)
            self.refused(said[0], code, reason)
        # The daemon itself is none the worse.
        self.assertEqual(self.connect().ask(ping={}).WhichOneof("reply"), "pong")

    def test_length_over_the_limit(self):
        for length in (self.connection.welcome.limits.message_bytes_max + 1, 0xFFFFFFFF):
            connection = self.connect()
            connection.send_bytes(varint(length))
            self.closed_after(connection, EXHAUSTED, "FRAME_TOO_LARGE")

    def test_broken_framing(self):
        for name, data in {"six bytes of length": b"\xff" * 6, "not canonical": b"\x81\x80\x00",
                           "over 32 bits": b"\xff\xff\xff\xff\x7f"}.items():
            with self.subTest(name):
                connection = self.connect()
                connection.send_bytes(data)
                self.closed_after(connection, INVALID, "FRAME_MALFORMED")

    def test_another_protocol_on_the_port(self):
        for name, data in {"HTTP": b"GET / HTTP/1.1\r\nHost: here\r\n\r\n", "TLS": bytes.fromhex("16030100c8010000c40303"),
                           "SSH": b"SSH-2.0-OpenSSH_9.2\r\n"}.items():
            with self.subTest(name):
                connection = self.connect(hello=False)
                connection.send_bytes(data + b"\r\n" * 200)
                connection.socket.shutdown(socket.SHUT_WR)
                self.closed_after(connection)

    def test_a_request_before_hello(self):
        connection = self.connect(hello=False)
        connection.send(ping={})
        self.closed_after(connection, PRECONDITION, "HELLO_FIRST")

    def test_hello_again(self):
        reply = self.connection.ask(hello={"version_min": 1, "version_max": 1})
        self.refused(reply, PRECONDITION, "HELLO_TWICE")
        self.still_usable()

    def test_a_version_that_is_not_spoken(self):
        for low, high in ((2, 9), (0, 0)):
            connection = self.connect(hello=False)
            connection.send(hello={"version_min": low, "version_max": high})
            said = connection.wait_closed()
            self.assertEqual(len(said), 1)
            self.refused(said[0], PRECONDITION, "VERSION")
            self.assertIn("1", said[0].error.text)  # what would have worked
        self.assertEqual(self.connect().welcome.version, 1)

    def test_a_hello_that_is_too_long(self):
        connection = self.connect(hello=False)
        connection.send(hello={"version_min": 1, "version_max": 1, "client_name": b"n" * 129})
        said = connection.wait_closed()
        self.refused(said[0], EXHAUSTED, "LIMIT", "hello.client_name")

    def test_end_of_stream_in_the_middle_of_a_message(self):
        connection = self.connect()
        connection.send_bytes(b"\x20half")
        connection.socket.shutdown(socket.SHUT_WR)
        self.closed_after(connection, INVALID, "FRAME_TRUNCATED")

    def test_reset_in_the_middle_of_a_simulation(self):
        connection = self.connect()
        connection.send(simulate=dict(scene={"circles": [circle(0, 0, vx=9)], "segments": box(3.0)}, dt=1.0, ticks=100_000))
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        connection.close()
        self.still_usable()


class Described(WithDaemon):
    """No generated code at all: the schema comes from the server."""

    @staticmethod
    def make_schema(folder):
        return None

    def setUp(self):
        # The bootstrap, by hand from the .proto's numbers: Hello {version_min: 1, version_max: 1} and Describe {}.
        with socket.create_connection(("127.0.0.1", self.daemon.port), timeout=60) as bare:
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
            os.symlink(PROTO_FOLDER, os.path.join(checkout, "proto"))
            os.mkdir(os.path.join(checkout, "build"))
            program = os.path.join(here, "outside_example.py")
            said = subprocess.run([sys.executable, program, "127.0.0.1:%d" % self.daemon.port], cwd=checkout, check=True,
                                  stdout=subprocess.PIPE, text=True).stdout
        self.assertIn("welcome {", said)
        self.assertEqual(said.count("frame {"), 5)
        self.assertRegex(said, r"simulate_done \{\n  ticks: 5\n  events: 1\n  collisions: 1\n")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[3:]])
