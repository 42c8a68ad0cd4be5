#!/usr/bin/python3
"""A daemon under mixed load for a long time, with one request of a hundred hostile: its memory and its descriptors.

soak.py COLLIDED COLLIDE PROTO_FOLDER [MINUTES [WARM_UP [SEED]]]: for so long (30) after a warm-up (15 minutes), in rounds.

A round is always as much work, begun at fixed times. It has rooms with players and readers, simulations and questions of several
addresses, connections that come and go, and requests as those of hostile_requests.py. After each round all connections are closed. After a
moment of quiet, in which the daemon gives back what was freed, two sizes are noted. They are the resident memory, and what the daemon itself
counts as allocated. Of each minute the least counts, as what malloc keeps comes and goes by some MB. The slope is the median of those of all
pairs of minutes (Theil and Sen). Its interval is Sen's, widened by how much a minute is like the one before.

Fails if a descriptor is left, or an honest request is refused for another reason than a full queue. So it does if memory grows by 1 MB an
hour or more, with all of the 95 % interval above 0. If the interval has 1 MB in it the run says that it cannot tell.
"""
import collections
import itertools
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))
sys.path.insert(0, os.path.dirname(__file__))
import hostile_requests  # noqa: E402
from outside_wire import Connection, Daemon  # noqa: E402
from slow_readers import SCENE, make_schema, status_kib  # noqa: E402

# A round: so many turns, each of HONEST connections with REQUESTS; one of HOSTILE_EACH requests is hostile. It begins every PERIOD_SECONDS,
# or later on a machine that is too busy, with as much to do.
TURNS, HONEST, REQUESTS, HOSTILE_EACH = 20, 8, 5, 100
LOAD_SECONDS, QUIET_SECONDS, PERIOD_SECONDS, PATIENCE_SECONDS = 5, 3, 10, 30
# What malloc keeps for each thread fills up in the first quarter of an hour.
WARM_UP_MINUTES = 15
GROWTH_MAX = 1  # MB an hour
MINUTES_MIN = 10
BUSY = ("QUEUE_FULL", "TOO_MANY_REQUESTS", "OVER_SHARE", "MEMORY")
WALLS = [dict(x1=-9.0, y1=-1.0, x2=9.0, y2=-1.0), dict(x1=9.0, y1=-1.0, x2=9.0, y2=9.0)]


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def honest_request(draw):
    scene = dict(SCENE, segments=WALLS)
    return draw.choice((
        {"simulate": dict(scene=scene, dt=1 / 64, ticks=draw.choice((1, 30, 120)), every=10)},
        {"detect": dict(scene=scene, dt=1.0)},
        {"query": dict(scene=scene, casts={"count": 3, "x": [0.0], "y": [1.0, 2.0, 3.0], "move_x": [100.0]})}))


class Load:
    def __init__(self, daemon, schema, collide, folder, draw):
        self.daemon, self.schema, self.collide, self.folder, self.draw = daemon, schema, collide, folder, draw
        self.counts, self.rounds, self.honest, self.hostile = collections.Counter(), 0, 0, 0
        self.address = f"127.0.0.1:{daemon.port}"
        self.scene = os.path.join(folder, "gas.json")
        subprocess.run([collide, "gen", "gas", "--count", "200", "-o", self.scene], check=True)

    def benches(self):
        """The client's own load, which counts its errors."""
        seconds = str(LOAD_SECONDS)
        for words in (("rooms", "--rooms", "40", "--connections", "8", "--players", "4", "--stream", ("paths", "states")[self.rounds % 2]),
                      (self.scene, "-c", "4", "-p", "4", "--ticks", "20", "--rate", "60", "--assert", "errors<1")):
            yield subprocess.Popen([self.collide, "bench", *words, "-d", seconds, "--connect", self.address],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def ask(self, connection):
        _, last = self.answers(connection, connection.send(**honest_request(self.draw)))
        reply = last.WhichOneof("reply")
        self.honest += 1
        self.counts[last.error.reason if reply == "error" else reply] += 1
        assert reply != "error" or last.error.reason in BUSY, last

    @staticmethod
    def answers(connection, request_id):
        count = 0
        while True:
            message = connection.receive()
            assert message.request_id == request_id, message
            reply = message.WhichOneof("reply")
            count += 1
            if reply not in ("frame", "snapshot") and not (
                    reply in hostile_requests.FINAL_UNLESS_MORE and getattr(message, reply).more):
                return count, message

    def round(self):
        self.rounds += 1
        benches = list(self.benches())
        attackers = [hostile_requests.Client(self.daemon, self.schema, f"127.0.0.{50 + i}", self.draw, collections.Counter())
                     for i in range(2)]
        begin = time.monotonic()
        for turn in range(TURNS):
            time.sleep(max(0.0, begin + turn * LOAD_SECONDS / TURNS - time.monotonic()))
            connections = [Connection(self.daemon.port, self.schema, source=f"127.0.0.{2 + i}") for i in range(HONEST)]
            for _ in range(REQUESTS):
                for connection in connections:
                    self.ask(connection)
            while self.hostile * HOSTILE_EACH < self.honest:
                attacker = self.draw.choice(attackers)
                attacker.turn()
                attacker.end_turn()
                self.hostile += hostile_requests.AT_ONCE
            for connection in connections:
                connection.close()
        for attacker in attackers:
            attacker.drop()
        for bench in benches:
            said = bench.communicate()[1].decode()
            assert bench.returncode == 0, f"{bench.args}: {said}"


def rest(pid, base):
    """Waits until the daemon has closed what its clients have; how many descriptors are left over."""
    end = time.monotonic() + PATIENCE_SECONDS
    while descriptors(pid) > base and time.monotonic() < end:
        time.sleep(0.05)
    return descriptors(pid) - base


def resident_mb(pid):
    return status_kib(pid, "VmRSS:") * 1024 / 1e6


def least_of_minutes(points, begin, minutes):
    """(hours, least megabytes) of each minute after the warm-up that has some."""
    for minute in range(int(minutes)):
        some = [y for x, y in points if 0 <= x - begin - 60 * minute < 60]
        if some:
            yield minute / 60, min(some)


def likeness(values):
    """How much a value is like the one before, beside their mean: 0 to 1."""
    mean = statistics.fmean(values)
    whole = sum((value - mean) ** 2 for value in values)
    return max(0.0, sum((a - mean) * (b - mean) for a, b in itertools.pairwise(values)) / whole) if whole > 0 else 0.0


def allocated_mb(daemon):
    """What the daemon has allocated, as it tells when it is asked for its counters."""
    said = len(daemon.log_text())
    daemon.process.send_signal(signal.SIGUSR1)
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        if match := re.search(r"allocated_bytes=(\d+)", daemon.log_text()[said:]):
            return int(match[1]) / 1e6
        time.sleep(0.01)
    raise AssertionError("the daemon does not tell its counters")


def slope(points):
    """The median of the slopes of all pairs, and the ends of its 95 % interval."""
    count = len(points)
    slopes = sorted((b[1] - a[1]) / (b[0] - a[0]) for a, b in itertools.combinations(points, 2))
    rate = statistics.median(slopes)
    alike = min(likeness([y - rate * x for x, y in points]), 0.9)
    wide = 1.96 * (count * (count - 1) * (2 * count + 5) / 18 * (1 + alike) / (1 - alike)) ** 0.5
    low, high = (max(0, min(len(slopes) - 1, round((len(slopes) + sign * wide) / 2))) for sign in (-1, 1))
    return rate, slopes[low], slopes[high]


def tell(what, points, begin, minutes):
    """Whether that is seen to grow."""
    least = list(least_of_minutes(points, begin, minutes))
    if len(least) < MINUTES_MIN:
        print("too few minutes for a slope")
        return False
    rate, low, high = slope(least)
    print(f"{what} after {begin / 60:.0f} minutes of warm-up: {rate:+.3f} MB an hour (95 %: {low:+.3f} to {high:+.3f}), "
          f"{min(y for _, y in least):.2f} to {max(y for _, y in least):.2f} MB, least of each of {len(least)} minutes; "
          + (f"under {GROWTH_MAX} MB an hour" if high < GROWTH_MAX else f"over {GROWTH_MAX} MB an hour" if low >= GROWTH_MAX else
             f"this run cannot tell whether that is under {GROWTH_MAX} MB an hour"))
    return rate >= GROWTH_MAX and low > 0


def main():
    program, collide, proto = sys.argv[1:4]
    minutes, warm_up = (float(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((4, 30), (5, WARM_UP_MINUTES)))
    draw = random.Random(int(sys.argv[6]) if len(sys.argv) > 6 else 1)
    with tempfile.TemporaryDirectory() as folder:
        schema = make_schema(proto, folder)
        # What it keeps of walls that come again fills up to its own bound, which hostile ones do for hours.
        daemon = Daemon(program, "--workers", "2", "--map-cache-bytes-max", str(1 << 20))
        try:
            pid, resident, allocated, late = daemon.process.pid, [], [], 0
            base, begin = descriptors(pid), time.monotonic()
            load = Load(daemon, schema, collide, folder, draw)
            while time.monotonic() - begin < 60 * (minutes + warm_up):
                due = time.monotonic() + PERIOD_SECONDS
                load.round()
                left = rest(pid, base)
                at_once = resident_mb(pid)
                time.sleep(QUIET_SECONDS)
                now = time.monotonic() - begin
                resident.append((now, resident_mb(pid)))
                allocated.append((now, allocated_mb(daemon)))
                print(f"{now:6.0f} s  {at_once:7.2f} MB at once, {resident[-1][1]:7.2f} MB then, {allocated[-1][1]:7.3f} MB allocated  "
                      f"{left} descriptors more than at first  {load.honest} requests, {load.hostile} hostile", flush=True)
                assert left <= 0, "descriptors are left"
                late += time.monotonic() > due
                time.sleep(max(0.0, due - time.monotonic()))
        finally:
            daemon.stop()
    print(", ".join(f"{name} {count}" for name, count in load.counts.most_common()))
    print(f"{len(resident)} rounds, of which {late} took longer than {PERIOD_SECONDS} s")
    grown = [tell(what, points, 60 * warm_up, minutes) for what, points in (("resident", resident), ("allocated", allocated))]
    assert not any(grown), "memory grows"


if __name__ == "__main__":
    main()
