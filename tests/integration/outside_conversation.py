"""Hello, ping, cancel, deadlines, and the end of a connection."""
import socket

from outside_client import CANCELLED, DEADLINE, WithDaemon, box, circle
from outside_wire import delimited


class Conversation(WithDaemon):
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
            scene={"circles": [circle(0, 0, vx=100)], "segments": box(3.0)}, dt=1.0, ticks=10_000_000, every=10_000_000,
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
            scene={"circles": [circle(0, 0, vx=100)], "segments": box(3.0)}, dt=1.0, ticks=10_000_000, every=10_000_000,
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
