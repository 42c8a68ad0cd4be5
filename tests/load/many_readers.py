#!/usr/bin/python3
"""Many readers of one large world, each of a region of its own, some of them slow: encodings, bytes, and when updates come.

many_readers.py COLLIDED PROTO_FOLDER [CIRCLES [READERS [SLOW [SECONDS]]]]: 5,000 circles, 200 readers, 20 of which read 1 KiB/s, 20 s. Runs
without slow readers, then with them, then with all readers of the whole world. Prints figures; asserts no time. Fails if a healthy reader
misses a tick, or if there are more than 40 encodings.
"""
import os
import random
import selectors
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))
from outside_wire import Connection, Daemon  # noqa: E402
from slow_readers import make_schema  # noqa: E402

DT, HALF, VIEW = 1 / 60, 400.0, 40.0


def scene(count, chance):
    side = int(count ** 0.5) + 1
    step = 2 * HALF / side
    circles = [dict(id=i + 1, x=-HALF + (i % side + 0.5) * step, y=-HALF + (i // side + 0.5) * step, vx=chance.uniform(-20, 20),
                    vy=chance.uniform(-20, 20), radius=1.0) for i in range(count)]
    corners = [(-HALF, -HALF), (HALF, -HALF), (HALF, HALF), (-HALF, HALF), (-HALF, -HALF)]
    return dict(circles=circles, segments=[dict(x1=a[0], y1=a[1], x2=b[0], y2=b[1]) for a, b in zip(corners, corners[1:])])


class Reader:
    """A subscription on a connection of its own, of which only the lengths and heads of messages are looked at."""

    def __init__(self, daemon, schema, info, region, slow):
        self.schema, self.slow = schema, slow
        connection = Connection(daemon.port, schema)
        more = dict(region=dict(box=region)) if region else {}
        connection.send(subscribe=dict(stream=schema.STREAM_PATHS, spectator=dict(world=info.name, secret=info.join_secret), **more))
        self.socket, self.data, self.bytes, self.key = connection.socket, b"", 0, 0
        self.connection, self.ticks, self.late, self.missed = connection, [], [], 0
        self.socket.setblocking(False)
        self.last = time.monotonic()

    def read(self, now):
        room = 1 << 16
        if self.slow:
            if now - self.last < 0.25:
                return
            room, self.last = 256, now
        try:
            self.data += self.socket.recv(room)
        except BlockingIOError:
            return
        while True:
            count = at = 0
            for at in range(min(5, len(self.data))):
                count |= (self.data[at] & 127) << 7 * at
                if self.data[at] < 128:
                    break
            else:
                return
            if len(self.data) < at + 1 + count:
                return
            self.take(self.data[at + 1:at + 1 + count], now)
            self.data = self.data[at + 1 + count:]

    def take(self, body, now):
        update = self.schema.ServerMessage.FromString(body).world_update
        if update.HasField("key"):
            self.key += len(body)
            self.missed += update.missed_ticks
            return
        self.bytes += len(body) + 2
        self.ticks.append(update.tick)
        self.late.append(now - update.tick * DT)


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))] if values else float("nan")


def run(title, program, schema, circles, readers, slow, seconds, regions=True):
    chance, daemon = random.Random(3), Daemon(program)
    owner = Connection(daemon.port, schema)
    owner.send(create_world=dict(scene=scene(circles, chance), policy=dict(dt=DT, clock=schema.CLOCK_SERVER, cpu_permille_max=900)))
    info = owner.receive().world_info
    listed, all_readers, choose = info, [], selectors.DefaultSelector()
    for i in range(readers):
        x, y = chance.uniform(-HALF, HALF - VIEW), chance.uniform(-HALF, HALF - VIEW)
        region = dict(x_min=x, y_min=y, x_max=x + VIEW, y_max=y + VIEW) if regions else None
        all_readers.append(Reader(daemon, schema, info, region, i < slow))
        choose.register(all_readers[-1].socket, selectors.EVENT_READ, all_readers[-1])
    begin = time.monotonic()
    settled = False
    while time.monotonic() < begin + 3 + seconds:
        now = time.monotonic()
        if not settled and now > begin + 3:
            settled = True
            for reader in all_readers:
                reader.bytes, reader.late, reader.ticks = 0, [], reader.ticks[-1:]
            owner.send(list_worlds=dict())
            listed = owner.receive().worlds.worlds[0]
        for key, _ in choose.select(0.02):
            key.data.read(time.monotonic())
        if slow:
            time.sleep(0.001)
    healthy = all_readers[slow:]
    least = min(min(reader.late) for reader in healthy)
    late = [value - least for reader in healthy for value in reader.late]
    gaps = sum(b - a != 3 for reader in healthy for a, b in zip(reader.ticks, reader.ticks[1:])) + sum(reader.missed for reader in healthy)
    rate = sum(reader.bytes for reader in healthy) / len(healthy) / seconds / 1000
    print("%-34s %3d encodings, %7.2f KB/s a reader, later than the first by p50 %.2f p99 %.2f ms, %d gaps, tick %.2f ms, %d lost" % (
        title, listed.encodings, rate, 1e3 * percentile(late, 0.5), 1e3 * percentile(late, 0.99), gaps, 1e3 * listed.tick_seconds,
        listed.lost_ticks), flush=True)
    daemon.stop()
    return gaps, listed.encodings


def main():
    program, proto = sys.argv[1:3]
    circles, readers, slow, seconds = ([int(word) for word in sys.argv[3:]] + [5000, 200, 20, 20][len(sys.argv) - 3:])
    with tempfile.TemporaryDirectory() as folder:
        schema = make_schema(proto, folder)
        found = [run("%d readers of regions" % (readers - slow), program, schema, circles, readers - slow, 0, seconds),
                 run("%d and %d slow ones" % (readers - slow, slow), program, schema, circles, readers, slow, seconds),
                 run("20 readers of all", program, schema, circles, 20, 0, seconds, regions=False)]
    sys.exit(any(gaps > 0 for gaps, _ in found[:2]) or any(encodings > 40 for _, encodings in found))


if __name__ == "__main__":
    main()
