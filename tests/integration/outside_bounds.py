"""Bounds of memory that hold, whatever is sent, and requests that are cancelled wherever they are. Nothing here is timed."""
import re
import resource
import time
import unittest

from outside_client import CANCELLED, DEADLINE, EXHAUSTED, PROGRAM, WithDaemon, box, circle
from outside_wire import DEADLINE_SECONDS, Connection, Daemon, varint

MIB = 1 << 20
POINT = {"scene": {"circle_columns": {"count": 1000000, "radius": [1.0]}}, "dt": 1 / 64, "ticks": 1}
SOME = {"scene": {"circle_columns": {"count": 50000, "radius": [1.0]}}, "dt": 1 / 64, "ticks": 1}
QUESTION = {"scene": {"circle_columns": {"count": 400000, "radius": [1.0]}}, "nearest": {"count": 3, "limit": [0]}}
EVENTS = {"scene": {"circles": [circle(1.1 * (i % 11) - 5.5, 1.1 * (i // 11) - 5.5, vx=1e4 + 99 * i, vy=7e3 - 55 * i)
                                for i in range(120)], "segments": box(8.0), "events_per_body_max": 1000000,
                    "work_per_tick_max": 1000000000}, "dt": 1000.0, "ticks": 1, "events": 2}


def gas(count):
    side = int(count ** 0.5) + 1
    return {"circle_columns": {"count": count, "x": [2.5 * (i % side) for i in range(count)], "y": [2.5 * (i // side) for i in range(count)],
                               "vx": [0.5], "radius": [0.5]}}


def memory_bytes(process, field):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        return int(re.search(field + r":\s+(\d+) kB", file.read()).group(1)) * 1024


def peak_bytes(process):
    return memory_bytes(process, "VmHWM")


def finals(connection, ids):
    """The final replies to these, in whatever order they come; replies to others are passed over."""
    left, found = set(ids), {}
    while left:
        message = connection.receive()
        reply = message.WhichOneof("reply")
        if message.request_id in left and reply not in ("frame", "snapshot") and not (
                reply == "queried" and message.queried.more):
            left.remove(message.request_id)
            found[message.request_id] = message
    return found


def last_of(connection, request_id):
    return finals(connection, [request_id])[request_id]


def sanitizers():
    """b"a" or b"t" of a daemon that was built with one, else None."""
    with open(PROGRAM, "rb") as program:
        found = re.search(rb"__([at])san_init", program.read())
    return found and found[1]


class Memory(WithDaemon):
    def hostile(self, *options, before=None):
        """Returns a daemon that was sent what takes much memory, and answered all of it."""
        daemon = Daemon(PROGRAM, *options, before=before)
        self.addCleanup(daemon.stop)
        connections = [Connection(daemon.port, self.schema) for _ in range(2)]
        for connection in connections:
            self.addCleanup(connection.close)
        asked = [(connection, connection.send(**request)) for connection in connections
                 for request in ({"simulate": POINT}, {"simulate": SOME}, {"query": dict(QUESTION, deadline_ms=500)}, {"simulate": SOME},
                                 {"simulate": dict(EVENTS, deadline_ms=500)})]
        for connection in connections:
            found = finals(connection, [request_id for of, request_id in asked if of is connection])
            for reply in found.values():
                self.assertIn(reply.WhichOneof("reply"), ("error", "queried", "simulate_done"))
        self.assertEqual(connections[0].ask(ping={}).WhichOneof("reply"), "pong")
        return daemon

    def test_the_process_keeps_to_its_bound(self):
        if sanitizers() == b"t":
            self.skipTest("ThreadSanitizer keeps several bytes for each")
        for workers in ("1", "4", "16"):
            daemon = self.hostile("--workers", workers, "--memory-total-bytes-max", str(256 * MIB),
                                  "--memory-bytes-max", str(192 * MIB))
            self.assertLess(peak_bytes(daemon.process), (256 + 64) * MIB, workers)

    def test_a_process_without_address_space_lives(self):
        if sanitizers() is not None:
            self.skipTest("a sanitizer reserves terabytes of addresses")
        self.hostile("--workers", "4",
                     before=lambda: resource.setrlimit(resource.RLIMIT_AS, (300 * MIB, 300 * MIB)))

    def test_a_quiet_process_gives_back_what_was_freed(self):
        """Also if something that stays lies behind it: a connection that came last. Waits as long as it takes."""
        if sanitizers() is not None:
            self.skipTest("a sanitizer keeps what is freed")
        daemon = Daemon(PROGRAM, "--log-level", "debug")
        self.addCleanup(daemon.stop)
        connections = [Connection(daemon.port, self.schema) for _ in range(200)]
        for connection in connections:  # most of a message, less than what malloc gives back at once
            connection.send_bytes(varint(500000) + bytes(450000))
        self.wait_resident(daemon, lambda size: size > 70 * MIB)
        with Connection(daemon.port, self.schema) as last:
            for connection in connections:
                connection.close()
            self.wait_resident(daemon, lambda size: size < 30 * MIB)
            self.assertEqual(last.ask(ping={}).WhichOneof("reply"), "pong")

    def wait_resident(self, daemon, is_enough):
        until = time.monotonic() + DEADLINE_SECONDS
        while not is_enough(size := memory_bytes(daemon.process, "VmRSS")):
            self.assertLess(time.monotonic(), until, size)
            time.sleep(0.1)

    def test_a_request_keeps_to_its_bound(self):
        daemon = Daemon(PROGRAM, "--workers", "1", "--memory-bytes-max", str(64 * MIB))
        self.addCleanup(daemon.stop)
        with Connection(daemon.port, self.schema) as connection:
            reply = last_of(connection, connection.send(query=QUESTION))
            self.assertEqual((reply.error.code, reply.error.reason), (EXHAUSTED, "MEMORY"), reply)
            self.assertLess(peak_bytes(daemon.process), (64 + 64) * MIB)

    def test_requests_leave_memory_to_those_of_another_address(self):
        """Two addresses hold as much as they get, in ever smaller pieces, without reading more than the first frame of each. What is larger
        than all that is left is refused for that."""
        daemon = Daemon(PROGRAM, "--workers", "2", "--memory-total-bytes-max", str(192 * MIB), "--write-timeout-ms", "3600000")
        self.addCleanup(daemon.stop)
        for host in ("127.0.0.7", "127.0.0.8"):
            for count in (60000, 20000, 6000, 2000, 600):
                while (reason := self.hold(daemon, host, count)) is None:
                    pass
                self.assertIn(reason, ("OVER_SHARE", "MEMORY"))
            self.assertEqual(reason, "OVER_SHARE")
        with Connection(daemon.port, self.schema, source="127.0.0.9") as honest:
            made = honest.ask(create_world={"scene": {"circles": [circle(0, 0)]}, "policy": {"clock": self.schema.CLOCK_CLIENT, "dt": 1 / 64}})
            self.assertEqual(made.WhichOneof("reply"), "world_info", made)
            reply = last_of(honest, honest.send(simulate={"scene": gas(6000), "dt": 1 / 64, "ticks": 2}))
            self.assertEqual(reply.WhichOneof("reply"), "simulate_done", reply)

    def hold(self, daemon, host, count):
        """A request that goes on for ever: its first reply says why it does not."""
        connection = Connection(daemon.port, self.schema, source=host)
        self.addCleanup(connection.close)
        connection.send(simulate={"scene": gas(count), "dt": 1 / 64, "ticks": 10**7, "every": 1})
        reply = connection.receive()
        return None if reply.WhichOneof("reply") == "frame" else reply.error.reason


class Ends(WithDaemon):
    def test_a_cancel_in_the_making_of_a_world(self):
        for request in ({"simulate": POINT}, {"query": dict(QUESTION, nearest={"count": 1000000, "limit": [0]})}):
            request_id = self.connection.send(**request)
            self.connection.send(cancel={"target_request_id": request_id})
            reply = last_of(self.connection, request_id)
            self.assertEqual(reply.error.code, CANCELLED, reply)

    def test_a_deadline_among_events(self):
        reply = last_of(self.connection, self.connection.send(simulate=dict(EVENTS, deadline_ms=400)))
        self.assertEqual(reply.error.code, DEADLINE, reply)


if __name__ == "__main__":
    unittest.main()
