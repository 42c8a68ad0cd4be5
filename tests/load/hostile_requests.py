#!/usr/bin/python3
"""Random hostile requests to a daemon of 1, of 4 and of 16 workers. Its memory must keep to its bound.

hostile_requests.py COLLIDED PROTO_FOLDER [REQUESTS [SEED]]: so many to each (10,000). They come from eight addresses, are
cancelled at random, and their connections are dropped at random. Fails if the daemon ends, does not answer a ping afterwards, or
was ever larger than --memory-total-bytes-max and 64 MiB more. Prints figures; asserts no time.
"""
import collections
import os
import random
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))
sys.path.insert(0, os.path.dirname(__file__))
from outside_wire import Closed, Connection, Daemon, delimited, varint  # noqa: E402
from slow_readers import make_schema  # noqa: E402

MIB = 1 << 20
TOTAL, OWN, MORE = 256 * MIB, 192 * MIB, 64 * MIB
CLIENTS, AT_ONCE = 8, 4
FINAL_UNLESS_MORE = ("detected", "responded", "queried")


def some(draw, most):
    """A number up to this: often all of it, else as often small as large."""
    return most if draw.random() < 0.3 else int(most ** draw.random())


def numbers(draw, count, most):
    return [draw.uniform(-most, most) for _ in range(count)]


def columns(draw, count, most, speed):
    return dict(count=count, radius=[draw.choice((1e-9, 0.5, 1.0, 1e9))], x=numbers(draw, count, most), y=numbers(draw, count, most),
                vx=numbers(draw, count, speed), vy=numbers(draw, count, speed))


def point(draw):
    return {"circle_columns": {"count": some(draw, 1000000), "radius": [draw.choice((0.5, 1.0))]}}


def crowd(draw):
    count = some(draw, 4000)
    return {"circle_columns": columns(draw, count, count ** 0.5 * draw.uniform(0.2, 3.0), draw.choice((0.0, 10.0, 1e5))),
            "gravity_y": draw.choice((0.0, -10.0, -1e6)), "sleep_after": draw.choice((0.0, 0.01)), "events_per_body_max": 1000000,
            "work_per_tick_max": 1000000000}


def star(draw):
    count = some(draw, 10000)
    return {"segment_columns": dict(count=count, x1=[0.0], y1=[0.0], x2=numbers(draw, count, 1000.0), y2=numbers(draw, count, 1000.0),
                                    vx=[draw.choice((0.0, 3.0))]),
            "circle_columns": dict(count=1, x=[draw.uniform(-2.0, 2.0)], vx=[1e3], radius=[0.5])}


def simulate(draw, scene):
    return dict(scene=scene, dt=draw.choice((1e-3, 1 / 64, 1.0, 1000.0)), ticks=draw.choice((1, 10, 10**6)), every=draw.choice((0, 1, 7)),
                events=draw.randrange(4), paths=draw.random() < 0.3, self_check=draw.random() < 0.2,
                snapshot_every=draw.choice((0, 0, 1)))


def question(draw):
    rows = some(draw, 1000)
    asked = draw.choice((
        {"nearest": {"count": rows, "limit": [0]}},
        {"in_circles": {"count": rows, "radius": [1e6], "limit": [0]}},
        {"casts": {"count": rows, "move_x": [1e6], "limit": [0]}},
        {"moves": {"count": rows, "radius": [0.5], "move_x": [100.0], "move_y": [50.0]}}))
    return dict(asked, scene=draw.choice((point, crowd, star))(draw))


def request(draw):
    """A request of any kind, and its deadline."""
    kind = draw.randrange(10)
    deadline = draw.choice((5, 20, 100, 400))
    if kind < 5:
        return {"simulate": dict(simulate(draw, draw.choice((point, crowd, star))(draw)), deadline_ms=deadline)}
    if kind == 5:
        return {"simulate": dict(snapshot=draw.randbytes(some(draw, MIB)), dt=1 / 64, ticks=1, deadline_ms=deadline)}
    if kind < 8:
        return {"query": dict(question(draw), deadline_ms=deadline)}
    if kind == 8:
        return {"detect": dict(scene=draw.choice((point, crowd))(draw), dt=1.0, deadline_ms=deadline)}
    a, b = (columns(draw, some(draw, 20000), 100.0, 10.0) for _ in range(2))
    return {"respond": {"pairs": {"a": a, "circles": b}, "push_out": {}, "deadline_ms": deadline}}


class Client:
    """One after the other, connections of an address, each with a few requests under way."""

    def __init__(self, daemon, schema, host, draw, counts):
        self.daemon, self.schema, self.host, self.draw, self.counts = daemon, schema, host, draw, counts
        self.connection, self.left = None, set()

    def drop(self):
        if self.connection:
            self.connection.close()
        self.connection, self.left = None, set()

    def ask(self):
        """Sends one more, or what is no request at all."""
        if not self.connection:
            self.connection = Connection(self.daemon.port, self.schema, source=self.host)
        nonsense = self.draw.random()
        if nonsense < 0.01:
            self.connection.send_bytes(delimited(self.draw.randbytes(some(self.draw, 10000))))
        elif nonsense < 0.02:
            self.connection.send_bytes(varint(1 << 30) + b"\0")
        else:
            self.left.add(self.connection.send(**request(self.draw)))
        if self.left and self.draw.random() < 0.2:
            self.connection.send(cancel={"target_request_id": self.draw.choice(sorted(self.left))})

    def hear(self):
        """Reads all answers that are due."""
        while self.left:
            message = self.connection.receive()
            reply = message.WhichOneof("reply")
            more = reply in FINAL_UNLESS_MORE and getattr(message, reply).more
            if message.request_id not in self.left or reply in ("frame", "snapshot") or more:
                continue
            self.left.remove(message.request_id)
            self.counts[message.error.reason if reply == "error" else reply] += 1

    def turn(self):
        """Some requests, of which all are answered, or their connection is gone."""
        try:
            for _ in range(AT_ONCE):
                self.ask()
            if self.draw.random() < 0.1:
                self.counts["dropped by us"] += len(self.left)
                self.drop()
        except (BrokenPipeError, ConnectionResetError):
            self.counts["connection ended"] += 1
            self.drop()

    def end_turn(self):
        try:
            if self.connection:
                self.hear()
        except (Closed, ConnectionResetError):
            self.counts["connection ended"] += 1
            self.drop()


def peak_bytes(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1)) * 1024


def run(program, schema, workers, requests, seed):
    draw, counts = random.Random(seed + workers), collections.Counter()
    daemon = Daemon(program, "--workers", str(workers), "--memory-total-bytes-max", str(TOTAL), "--memory-bytes-max", str(OWN))
    try:
        clients = [Client(daemon, schema, f"127.0.0.{2 + i}", draw, counts) for i in range(CLIENTS)]
        for _ in range(0, requests, CLIENTS * AT_ONCE):
            for client in clients:
                client.turn()
            for client in clients:
                client.end_turn()
        for client in clients:
            client.drop()
        with Connection(daemon.port, schema) as connection:
            assert connection.ask(ping={}).WhichOneof("reply") == "pong"
        peak = peak_bytes(daemon.process.pid)
    finally:
        daemon.stop()
    print(f"{workers:2} workers: peak {peak / MIB:.0f} of {(TOTAL + MORE) // MIB} MiB;",
          ", ".join(f"{name} {count}" for name, count in counts.most_common()), flush=True)
    assert peak < TOTAL + MORE, f"{peak} bytes with {workers} workers"


def main():
    program, proto = sys.argv[1:3]
    requests = int(sys.argv[3]) if len(sys.argv) > 3 else 10000
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    with tempfile.TemporaryDirectory() as folder:
        schema = make_schema(proto, folder)
        for workers in (1, 4, 16):
            run(program, schema, workers, requests, seed)


if __name__ == "__main__":
    main()
