#!/usr/bin/python3
"""Many readers of one large world, each of a region of its own: what those that read slowly cost the others.

many_readers.py COLLIDED PROTO_FOLDER [CIRCLES [READERS [SLOW [TURNS]]]]: 5,000 circles, 200 readers, 20 of which read 1 KiB/s, 12 turns
without these and 12 with them, one after the other. Prints figures; asserts no time. Fails if a healthy reader misses a tick, if there are more
than 40 encodings, or if bytes do not fall with the region.

When an update came is what the kernel says (SO_TIMESTAMPNS): what this script is busy with does not count. How late an update is is
counted from the one that came soonest after its tick in the whole run. A turn is told by the p99 of that over all healthy readers. Of the
turns medians are compared; the interval of their ratio is a bootstrap over pairs of turns. The loop's time is that of the daemon's first
thread. On a busy machine `chrt -f 1` before the command keeps most of other programs out of it.

What that does not keep out is in two more figures of the daemon's threads, counted by the kernel from update to update. They ran for so long,
and waited for a core. What slow readers cost the others would be in the first; the second is the machine.
"""
import collections
import os
import random
import selectors
import socket
import statistics
import struct
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))
from outside_wire import Closed, Connection, Daemon  # noqa: E402
from slow_readers import make_schema  # noqa: E402

DT, HALF, VIEW = 1 / 60, 400.0, 40.0
# Seconds: until what a slow reader has not read fills the buffers of both kernels, some 80 KB; and of a turn, in which it comes to be behind.
SETTLE, TURN = 7.0, 6.0
TIMESTAMPNS = 35  # SO_TIMESTAMPNS of Linux, which socket does not name


def scene(count, chance):
    side = int(count ** 0.5) + 1
    step = 2 * HALF / side
    circles = [dict(id=i + 1, x=-HALF + (i % side + 0.5) * step, y=-HALF + (i // side + 0.5) * step, vx=chance.uniform(-20, 20),
                    vy=chance.uniform(-20, 20), radius=1.0) for i in range(count)]
    corners = [(-HALF, -HALF), (HALF, -HALF), (HALF, HALF), (-HALF, HALF), (-HALF, -HALF)]
    return dict(circles=circles, segments=[dict(x1=a[0], y1=a[1], x2=b[0], y2=b[1]) for a, b in zip(corners, corners[1:])])


def region_any(chance):
    x, y = chance.uniform(-HALF, HALF - VIEW), chance.uniform(-HALF, HALF - VIEW)
    return dict(x_min=x, y_min=y, x_max=x + VIEW, y_max=y + VIEW)


class Reader:
    """A subscription on a connection of its own. What comes is only put aside, with the time at which it came."""

    def __init__(self, daemon, schema, info, region, slow=False):
        self.schema, self.slow = schema, slow
        connection = Connection(daemon.port, schema, buffer_bytes=2048 if slow else None)
        self.socket, self.connection = connection.socket, connection
        self.socket.setsockopt(socket.SOL_SOCKET, TIMESTAMPNS, 1)
        more = dict(region=dict(box=region)) if region else {}
        connection.send(subscribe=dict(stream=schema.STREAM_PATHS, spectator=dict(world=info.name, secret=info.join_secret), **more))
        self.socket.setblocking(False)
        self.last, self.came, self.data = time.monotonic(), [], b""
        self.tick, self.blurred, self.gaps = None, 0, 0

    def read(self):
        try:
            data, told, _, _ = self.socket.recvmsg(1 << 16, 64)
        except BlockingIOError:
            return
        if not data:
            raise Closed
        # Of what came just before the kernel began to note it there is none.
        seconds, nanoseconds = struct.unpack("qq", told[0][2]) if told else (time.time(), 0)
        self.came.append((data, seconds + 1e-9 * nanoseconds))

    def sip(self, now):
        """1 KiB/s."""
        if now - self.last >= 0.25:
            self.last = now
            try:
                self.socket.recv(256)
            except BlockingIOError:
                pass

    def take(self):
        """What came since the last call: (bytes, [(tick, when it came less when its tick was due, but for a constant)])."""
        late, count = [], 0
        for data, when in self.came:
            self.data += data
            whole, before = 0, len(late)
            while (message := self.next_message()) is not None:
                update, whole = self.schema.ServerMessage.FromString(message).world_update, whole + 1
                if update.HasField("key"):
                    self.tick = update.tick
                    self.gaps += update.missed_ticks
                    continue
                count += len(message) + 2
                self.gaps += self.tick is not None and update.tick - self.tick != update.ticks
                self.tick = update.tick
                late.append((update.tick, when - (update.tick + update.lost_ticks) * DT))
            if whole > 1:  # of these the kernel says when the last one came
                self.blurred += whole - 1
                del late[before:-1]
        self.came = []
        return count, late

    def next_message(self):
        count = at = 0
        for at in range(min(5, len(self.data))):
            count |= (self.data[at] & 127) << 7 * at
            if self.data[at] < 128:
                break
        else:
            return None
        if len(self.data) < at + 1 + count:
            return None
        message, self.data = self.data[at + 1:at + 1 + count], self.data[at + 1 + count:]
        return message


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))] if values else float("nan")


def loop_seconds(daemon):
    pid = daemon.process.pid
    with open("/proc/%d/task/%d/schedstat" % (pid, pid), encoding="ascii") as file:
        return int(file.read().split()[0]) * 1e-9


def threads_seconds(daemon):
    """Of all threads of the daemon: for how long they ran, and waited for a core."""
    folder, ran, waited = "/proc/%d/task" % daemon.process.pid, 0, 0
    for thread in os.listdir(folder):
        with open(os.path.join(folder, thread, "schedstat"), encoding="ascii") as file:
            numbers = file.read().split()
        ran, waited = ran + int(numbers[0]), waited + int(numbers[1])
    return ran * 1e-9, waited * 1e-9


# Bytes a second of a healthy reader; how late each update was, and the first of each tick; from that to the last; the loop's seconds a second.
# And of each update for how long the daemon's threads ran, and waited.
Turn = collections.namedtuple("Turn", "rate late first spread loop ran waited")


class Run:
    def __init__(self, program, schema, circles):
        self.chance, self.daemon, self.schema = random.Random(3), Daemon(program), schema
        self.owner = Connection(self.daemon.port, schema)
        policy = dict(dt=DT, clock=schema.CLOCK_SERVER, cpu_permille_max=900)
        self.owner.send(create_world=dict(scene=scene(circles, self.chance), policy=policy))
        self.info = self.owner.receive().world_info
        self.choose, self.healthy, self.slow, self.blurred = selectors.DefaultSelector(), [], [], 0

    def add(self, regions):
        for region in regions:
            reader = Reader(self.daemon, self.schema, self.info, region)
            self.healthy.append(reader)
            self.choose.register(reader.socket, selectors.EVENT_READ, reader)

    def slow_begin(self, regions):
        self.slow = [Reader(self.daemon, self.schema, self.info, region, True) for region in regions]

    def slow_end(self):
        for reader in self.slow:
            reader.connection.close()
        self.slow = []

    def go(self, seconds):
        """Reads for so long. Returns what the daemon's threads took for each update, looked at when nothing has come for a while."""
        end, took, came, last = time.monotonic() + seconds, [], False, threads_seconds(self.daemon)
        while (now := time.monotonic()) < end:
            some = self.choose.select(0.02)
            for key, _ in some:
                key.data.read()
            if came and not some:
                took.append(threads_seconds(self.daemon))
            came = bool(some)
            for reader in self.slow:
                reader.sip(now)
        return [(b[0] - a[0], b[1] - a[1]) for a, b in zip([last] + took, took)]

    def turn(self):
        for _ in range(2):  # the first one takes its time, in which updates come that are not read one by one
            for reader in self.healthy:
                reader.take()
                reader.blurred = 0
            self.go(0.2)
        loop, begin = loop_seconds(self.daemon), time.monotonic()
        took = self.go(TURN)
        seconds = time.monotonic() - begin
        loop = (loop_seconds(self.daemon) - loop) / seconds
        taken = [reader.take() for reader in self.healthy]
        late, ticks = [], {}
        for _, some in taken:
            for tick, value in some:
                late.append(value)
                ticks.setdefault(tick, []).append(value)
        self.blurred += sum(reader.blurred for reader in self.healthy)
        return Turn(sum(count for count, _ in taken) / len(taken) / seconds, late, [min(some) for some in ticks.values()],
                    [max(some) - min(some) for some in ticks.values()], loop, *zip(*took))

    def listed(self):
        self.owner.send(list_worlds=dict())
        return self.owner.receive().worlds.worlds[0]


def compared(title, unit, pairs):
    """Medians of both kinds of turns, and of their ratio with an interval of 95 %."""
    chance = random.Random(1)

    def ratio(some):
        return statistics.median(pair[1] for pair in some) / statistics.median(pair[0] for pair in some)

    again = sorted(ratio(chance.choices(pairs, k=len(pairs))) for _ in range(4000))
    print("%-36s without %8.3f, with %8.3f %s: ratio %.3f (%.3f .. %.3f)" % (
        title, statistics.median(pair[0] for pair in pairs), statistics.median(pair[1] for pair in pairs), unit, ratio(pairs), again[100],
        again[3899]), flush=True)


def regions_run(program, schema, circles, readers, slow, turns):
    run = Run(program, schema, circles)
    run.add([region_any(run.chance) for _ in range(readers - slow)])
    slow_regions = [region_any(run.chance) for _ in range(slow)]
    run.go(2.0)
    found, most = [], 0
    for _ in range(turns):
        run.go(1.0)
        alone = run.turn()
        run.slow_begin(slow_regions)
        run.go(SETTLE)
        beside = run.turn()
        listed = run.listed()
        most = max(most, listed.encodings)
        run.slow_end()
        found.append((alone, beside))
    least = min(min(turn.late) for pair in found for turn in pair)
    rate = statistics.median(turn.rate for pair in found for turn in pair)
    gaps = sum(reader.gaps for reader in run.healthy)
    print("%d readers of regions, %d of them slow in each second turn: %d encodings, %.2f KB/s a reader, %d gaps, tick %.2f ms, %d lost; "
          "%d updates, which came with another, are left out" % (
              readers, slow, most, rate / 1000, gaps, 1e3 * listed.tick_seconds, listed.lost_ticks, run.blurred))
    for part in (0.5, 0.99):
        def of(values, base=0.0, part=part):
            return 1e3 * (percentile(values, part) - base)
        name = "p%g of a turn" % (100 * part)
        compared("late, " + name, "ms", [tuple(of(turn.late, least) for turn in pair) for pair in found])
        compared("the first of a tick, " + name, "ms", [tuple(of(turn.first, least) for turn in pair) for pair in found])
        compared("from first to last, " + name, "ms", [tuple(of(turn.spread) for turn in pair) for pair in found])
        compared("threads ran, " + name, "ms", [tuple(of(turn.ran) for turn in pair) for pair in found])
        compared("threads waited, " + name, "ms", [tuple(of(turn.waited) for turn in pair) for pair in found])
    compared("the loop", "ms/s", [tuple(1e3 * turn.loop for turn in pair) for pair in found])
    run.daemon.stop()
    return rate, gaps, most


def main():
    program, proto = sys.argv[1:3]
    circles, readers, slow, turns = ([int(word) for word in sys.argv[3:]] + [5000, 200, 20, 12][len(sys.argv) - 3:])
    with tempfile.TemporaryDirectory() as folder:
        schema = make_schema(proto, folder)
        rate, gaps, encodings = regions_run(program, schema, circles, readers, slow, turns)
        whole = Run(program, schema, circles)
        whole.add([None] * 20)
        whole.go(2.0)
        all_rate = whole.turn().rate
        whole.daemon.stop()
        print("20 readers of all: %.2f KB/s a reader" % (all_rate / 1000))
    sys.exit(gaps > 0 or encodings > 40 or not rate < all_rate / 2)


if __name__ == "__main__":
    main()
