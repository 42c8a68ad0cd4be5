"""Bad input of each kind: the code, the reason and the field it gets, and whether the connection survives."""
import math
import socket

from outside_client import EXHAUSTED, INVALID, PRECONDITION, UNIMPLEMENTED, WithDaemon, box, circle
from outside_wire import delimited, varint


class BadInput(WithDaemon):
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
        for name in ("work_per_tick_max", "work_per_body_max"):
            self.refused_simulate(f"simulate.scene.{name}", EXHAUSTED, "LIMIT", scene={
                "circles": [circle(0, 0)], name: getattr(self.connection.welcome.limits, name) + 1})
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
        long = dict(scene={"circles": [circle(0, 0, vx=100)], "segments": box(3.0)}, dt=1.0, ticks=10_000_000,
                    every=10_000_000, detail=self.schema.DETAIL_STATES)
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
        long = dict(scene={"circles": [circle(0, 0, vx=100)], "segments": box(3.0)}, dt=1.0, ticks=10_000_000,
                    every=10_000_000, detail=self.schema.DETAIL_STATES)
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
