#!/usr/bin/python3
"""A daemon under mixed load for a long time, with one request of a hundred hostile: its memory and its descriptors.

soak.py COLLIDED COLLIDE PROTO_FOLDER [MINUTES [SEED]]: for so long (30), in rounds of some seconds. A round has rooms with players and
readers, simulations and questions of several addresses, and connections that come and go. Beside them are requests as those of
hostile_requests.py. After each round all connections are closed, and what the daemon still has is noted. It is noted again after a moment
of quiet, in which the daemon gives back what was freed. The first two fifths of the time are warm-up; of the rest the slope of the latter
is told, by least squares.

Fails if a descriptor is left, or an honest request is refused for another reason than a full queue. So it does if memory grows by 1 MB an
hour or more, with all of the 95 % interval above 0.
"""
import collections
import os
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))
sys.path.insert(0, os.path.dirname(__file__))
import hostile_requests  # noqa: E402
from outside_wire import Connection, Daemon  # noqa: E402
from slow_readers import SCENE, make_schema, status_kib  # noqa: E402

ROUND_SECONDS, QUIET_SECONDS, HONEST, HOSTILE_PART = 5, 3, 8, 0.01
# What malloc keeps for each thread fills up in the first quarter of an hour.
WARM_UP, PATIENCE_SECONDS = 0.4, 30
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
        self.counts, self.honest, self.hostile = collections.Counter(), 0, 0
        self.address = f"127.0.0.1:{daemon.port}"
        self.scene = os.path.join(folder, "gas.json")
        subprocess.run([collide, "gen", "gas", "--count", "200", "-o", self.scene], check=True)

    def benches(self):
        """The client's own load, which counts its errors."""
        seconds = str(ROUND_SECONDS)
        for words in (("rooms", "--rooms", "40", "--connections", "8", "--players", "4", "--stream", self.draw.choice(("paths", "states"))),
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
        benches = list(self.benches())
        attackers = [hostile_requests.Client(self.daemon, self.schema, f"127.0.0.{50 + i}", self.draw, collections.Counter())
                     for i in range(2)]
        end = time.monotonic() + ROUND_SECONDS
        while time.monotonic() < end:
            connections = [Connection(self.daemon.port, self.schema, source=f"127.0.0.{2 + i}") for i in range(HONEST)]
            for _ in range(5):
                for connection in connections:
                    self.ask(connection)
            while self.hostile < HOSTILE_PART * self.honest:
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


def slope(points):
    """Per unit of x, and the half of its 95 % interval."""
    count = len(points)
    x0, y0 = (sum(point[i] for point in points) / count for i in (0, 1))
    spread = sum((x - x0) ** 2 for x, _ in points)
    rate = sum((x - x0) * (y - y0) for x, y in points) / spread
    residue = sum((y - y0 - rate * (x - x0)) ** 2 for x, y in points)
    return rate, 1.96 * (residue / max(count - 2, 1) / spread) ** 0.5


def main():
    program, collide, proto = sys.argv[1:4]
    minutes = float(sys.argv[4]) if len(sys.argv) > 4 else 30
    draw = random.Random(int(sys.argv[5]) if len(sys.argv) > 5 else 1)
    with tempfile.TemporaryDirectory() as folder:
        schema = make_schema(proto, folder)
        # What it keeps of walls that come again fills up to its own bound, which hostile ones do for hours.
        daemon = Daemon(program, "--workers", "2", "--map-cache-bytes-max", str(1 << 20))
        try:
            pid, points = daemon.process.pid, []
            base, begin = descriptors(pid), time.monotonic()
            load = Load(daemon, schema, collide, folder, draw)
            while time.monotonic() - begin < 60 * minutes:
                load.round()
                left = rest(pid, base)
                at_once = resident_mb(pid)
                time.sleep(QUIET_SECONDS)
                points.append((time.monotonic() - begin, resident_mb(pid)))
                print(f"{points[-1][0]:6.0f} s  {at_once:7.2f} MB at once, {points[-1][1]:7.2f} MB then  {left} descriptors more than at first  "
                      f"{load.honest} requests, {load.hostile} hostile", flush=True)
                assert left <= 0, "descriptors are left"
        finally:
            daemon.stop()
    warm = [(x / 3600, y) for x, y in points if x >= WARM_UP * 60 * minutes]
    print(", ".join(f"{name} {count}" for name, count in load.counts.most_common()))
    if len(warm) < 3:
        return
    rate, half = slope(warm)
    print(f"memory after warm-up: {rate:+.2f} MB an hour (95 %: {rate - half:+.2f} to {rate + half:+.2f}), "
          f"{min(y for _, y in warm):.1f} to {max(y for _, y in warm):.1f} MB at rest in {len(warm)} rounds")
    assert rate < 1 or rate - half <= 0, "memory grows"


if __name__ == "__main__":
    main()
