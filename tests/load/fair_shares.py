#!/usr/bin/python3
"""Twenty fair clients beside a greedy one, and beside a fair one in its place: worker CPU, waits, pings.

fair_shares.py COLLIDED PROTO_FOLDER [SECONDS [PAIRS]]: each run is watched for so long (10), in so many pairs (3) of each kind.

From addresses of their own: fair clients bind 127.0.0.3 to 127.0.0.22. The greedy one, 127.0.0.2, sends at once
- 16 Simulate of two fast circles, each of which is one tick of seconds;
- on 16 more connections 16 requests each for frames without end, of which it reads 4 KiB/s;
- idle connections, as many as it is let in with; 127.0.0.23 has as many as it is let in with too.
From one address: 20 fair connections, and one with the 16 long ticks.

A fair client has some requests of the same work under way, and asks for the next when one is done. A client's share of the worker CPU
is what its requests took, over what all workers took. The first is their count, times what one takes in the run without a greedy client. "Kept" is that share over the one with a fair client in place of the greedy one, which is a 21st part.

Pings, 200 a second by a schedule from 127.0.0.24, are timed in a process of their own from when they were meant to be sent. What that
process itself had to wait for a core does not count: with a daemon on another machine there is no such wait.

Fails if a request of a fair client is refused. Prints figures; asserts no time.
"""
import collections
import multiprocessing
import os
import random
import select
import socket
import statistics
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))
sys.path.insert(0, os.path.dirname(__file__))
from outside_wire import Closed, Connection, Daemon, delimited, varint  # noqa: E402
from slow_readers import make_schema  # noqa: E402

FAIR, PLACES, WORKERS, SETTLE = 20, 21, os.cpu_count(), 2.0
PIPELINES = (1, 4)
IDLE_HOST, PING_HOST = "127.0.0.23", "127.0.0.24"
SIMULATE_DONE, ERROR = 7, 8  # of ServerMessage.reply
PINGS_PER_SECOND, SIP_BYTES, SIP_SECONDS = 200, 1024, 0.25


def box(half):
    corners = [(-half, -half), (half, -half), (half, half), (-half, half), (-half, -half)]
    return [dict(x1=a[0], y1=a[1], x2=b[0], y2=b[1]) for a, b in zip(corners, corners[1:])]


def gas(count):
    draw, side = random.Random(1), int(count ** 0.5)
    return dict(circles=[dict(x=3.0 * (i % side), y=3.0 * (i // side), vx=draw.uniform(-9, 9), vy=draw.uniform(-9, 9), radius=0.5)
                         for i in range(count)], segments=box(3.0 * side + 1.0))


WORK = dict(scene=gas(64), dt=1 / 60, ticks=400, every=400)
LONG = dict(scene=dict(circles=[dict(x=-1, y=0, vx=1e5, vy=3e4, radius=0.5), dict(x=1, y=0, vx=-1e5, vy=1e4, radius=0.5)],
                       segments=box(4.0), events_per_body_max=1000000, work_per_tick_max=1000000000), dt=1000.0, ticks=1)
ENDLESS = dict(scene=gas(16), dt=1 / 60, ticks=10**7, every=1)


def number_at(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


class Fair:
    """Asks for the same work again and again. Of replies only id and kind are read: the rest is not this script's to spend."""

    def __init__(self, daemon, schema, host, pipeline):
        connection = Connection(daemon.port, schema, source=host)
        self.socket, self.data = connection.socket, b""
        self.body = schema.ClientMessage(simulate=WORK).SerializeToString()
        self.next_id, self.begun, self.waits, self.count, self.pipeline = 100, {}, [], 0, pipeline
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def begin(self):
        for _ in range(self.pipeline):
            self.ask()
        self.socket.setblocking(False)

    def ask(self):
        self.next_id += 1
        self.begun[self.next_id] = time.perf_counter()
        self.socket.sendall(delimited(b"\x08" + varint(self.next_id) + self.body))

    def take(self):
        more = self.socket.recv(1 << 18)
        assert more, "a fair client was closed"
        self.data += more
        at = 0
        while (end := self.message_end(at)) is not None:
            at = end
        self.data = self.data[at:]

    def message_end(self, at):
        try:
            count, at = number_at(self.data, at)
        except IndexError:
            return None
        if len(self.data) < at + count:
            return None
        request_id, tag_at = number_at(self.data, at + 1)
        kind = number_at(self.data, tag_at)[0] >> 3
        assert kind != ERROR, self.data[at:at + count]
        if kind == SIMULATE_DONE:
            self.waits.append(time.perf_counter() - self.begun.pop(request_id))
            self.count += 1
            self.ask()
        return at + count


class Greedy:
    """Long ticks on one connection; with an address of its own also slow readers and idle connections."""

    def __init__(self, daemon, schema, host, everything):
        self.ticks, self.slow, self.idle, self.sipped = Connection(daemon.port, schema, source=host), [], [], 0.0
        for _ in range(16):
            self.ticks.send(simulate=LONG)
        if not everything:
            return
        for _ in range(16):
            connection = Connection(daemon.port, schema, source=host)
            for _ in range(16):
                connection.send(simulate=ENDLESS)
            connection.socket.setblocking(False)
            self.slow.append(connection)
        for one in (host, IDLE_HOST):
            self.idle += idle_connections(daemon, schema, one)

    def sip(self, now):
        if now - self.sipped < SIP_SECONDS:
            return
        self.sipped = now
        for connection in self.slow:
            try:
                connection.socket.recv(SIP_BYTES)
            except BlockingIOError:
                pass


def idle_connections(daemon, schema, host):
    connections = []
    while True:
        connection = Connection(daemon.port, schema, hello=False, source=host)
        connection.send(hello={"version_min": 1, "version_max": 1})
        try:
            if connection.receive().WhichOneof("reply") == "error":
                return connections
        except Closed:
            return connections
        connections.append(connection)


def waited_ns():
    """How long this thread was ready to run and had no core."""
    with open("/proc/thread-self/schedstat", encoding="ascii") as file:
        return int(file.read().split()[1])


def ping(port, body, first, out, stop):
    """Sends pings by a schedule until told to stop; what each took, in seconds."""
    connection = socket.socket()
    connection.bind((PING_HOST, 0))
    connection.connect(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sendall(first)
    connection.recv(1 << 16)
    times, due = [], time.perf_counter()
    while not stop.is_set():
        due += 1 / PINGS_PER_SECOND
        time.sleep(max(0, due - time.perf_counter()))
        due = max(due, time.perf_counter() - 1)
        waited, begun = waited_ns(), time.perf_counter()
        connection.sendall(body)
        connection.recv(1 << 16)
        ended = time.perf_counter()
        times.append((begun, ended - begun - (waited_ns() - waited) * 1e-9))
    out.put(times)


def worker_seconds(pid):
    """CPU of all threads but the first, which is the loop."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        if int(thread) != pid:
            with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="ascii") as file:
                total += int(file.read().split()[0])
    return total * 1e-9


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def serve(clients, greedy, until):
    poll = select.epoll()
    by_descriptor = {client.socket.fileno(): client for client in clients}
    for descriptor in by_descriptor:
        poll.register(descriptor, select.EPOLLIN)
    while (now := time.perf_counter()) < until:
        if greedy:
            greedy.sip(now)
        for descriptor, _ in poll.poll(min(SIP_SECONDS, until - now)):
            by_descriptor[descriptor].take()
    poll.close()


Run = collections.namedtuple("Run", "counts waits pings cpu seconds")


def run(program, schema, one_address, with_greedy, pipeline, seconds):
    daemon = Daemon(program, "--workers", str(WORKERS), "--shutdown-grace-ms", "0", "--log-level", "warning")
    try:
        hosts = ["127.0.0.1"] * PLACES if one_address else [f"127.0.0.{2 + i}" for i in range(PLACES)]
        greedy = Greedy(daemon, schema, hosts[0], not one_address) if with_greedy else None
        clients = [Fair(daemon, schema, host, pipeline) for host in hosts[1 if with_greedy else 0:]]
        stop, out = multiprocessing.Event(), multiprocessing.Queue()
        hello = schema.ClientMessage(request_id=1, hello={"version_min": 1, "version_max": 1}).SerializeToString()
        body = schema.ClientMessage(request_id=2, ping={}).SerializeToString()
        pinger = multiprocessing.Process(target=ping, args=(daemon.port, delimited(body), delimited(hello), out, stop))
        pinger.start()
        for client in clients:
            client.begin()
        serve(clients, greedy, time.perf_counter() + SETTLE)
        for client in clients:
            client.count, client.waits = 0, []
        cpu, begun = worker_seconds(daemon.process.pid), time.perf_counter()
        serve(clients, greedy, begun + seconds)
        cpu, ended = worker_seconds(daemon.process.pid) - cpu, time.perf_counter()
        stop.set()
        pings = [took for when, took in out.get() if begun <= when < ended]
        pinger.join()
        return Run([client.count for client in clients], [wait for client in clients for wait in client.waits], pings, cpu, ended - begun)
    finally:
        daemon.stop()


def pair(fair, greedy):
    """What the second run is of the first."""
    cost = fair.cpu / sum(fair.counts)
    own = sum(fair.counts) / PLACES * cost / fair.cpu
    kept = [count * cost / greedy.cpu / own for count in greedy.counts]
    return dict(kept=min(kept), kept_all=statistics.mean(kept), p99=percentile(greedy.waits, 0.99) / percentile(fair.waits, 0.99),
                wait_fair=1e3 * percentile(fair.waits, 0.99), wait=1e3 * percentile(greedy.waits, 0.99),
                ping_fair=1e3 * percentile(fair.pings, 0.99), ping=1e3 * percentile(greedy.pings, 0.99),
                cpu=greedy.cpu / greedy.seconds, cost=1e3 * cost)


# Of a row: what it is, its name, how it is printed.
COLUMNS = (("kept", "kept, least", ".2f"), ("kept_all", "mean", ".2f"), ("p99", "p99, times", ".2f"), ("wait", "ms", ".1f"),
           ("wait_fair", "ms, fair", ".1f"), ("ping", "ping p99, ms", ".2f"), ("ping_fair", "ms, fair", ".2f"),
           ("cpu", "workers, cores", ".2f"), ("cost", "ms a request", ".2f"))


def tell(name, cells):
    print(name.ljust(28) + "".join(cell.rjust(max(len(head), 5) + 3) for cell, (_, head, _) in zip(cells, COLUMNS)), flush=True)


def tell_row(name, row):
    tell(name, [format(row[key], form) for key, _, form in COLUMNS])


def main():
    program, proto = sys.argv[1:3]
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 10
    pairs = int(sys.argv[4]) if len(sys.argv) > 4 else 3
    with tempfile.TemporaryDirectory() as folder:
        schema = make_schema(proto, folder)
        tell("", [head for _, head, _ in COLUMNS])
        for one_address in (False, True):
            for pipeline in PIPELINES:
                rows = []
                for _ in range(pairs):
                    fair = run(program, schema, one_address, False, pipeline, seconds)
                    greedy = run(program, schema, one_address, True, pipeline, seconds)
                    rows.append(pair(fair, greedy))
                    tell_row(f"{'one address' if one_address else '21 addresses'}, {pipeline} under way", rows[-1])
                tell_row("  median", {name: statistics.median(row[name] for row in rows) for name in rows[0]})


if __name__ == "__main__":
    main()
