#!/usr/bin/python3
"""Rooms beside what others ask of the same daemon: how late their ticks begin, with each attack of docs/hostile.md and without.

rooms_beside.py COLLIDED COLLIDE PROTO_FOLDER [--rooms N] [--seconds S] [--rounds N] [--realtime] [--workers N] [--only NAME ...]
                [--other COLLIDED]

In turns, `collide bench rooms` alone, then beside each kind of company. Attackers have addresses of their own. Each run has its bare
wait, since a busy machine delays whatever waits. The last kinds are no attacks: a world of 100,000 circles and 20 clients that simulate; worlds
that go back in every tick. With --other each run is made with a daemon that has a change, too, and then without, in turns.
Prints figures; asserts no time. Fails if a room lost its world, or the company was not served at all.
"""
import argparse
import collections
import json
import multiprocessing
import os
import random
import resource
import select
import socket
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))
sys.path.insert(0, os.path.dirname(__file__))
from outside_client import box, circle  # noqa: E402
from outside_wire import Closed, Connection, Daemon  # noqa: E402
from slow_readers import make_schema  # noqa: E402

FAST = {"circles": [circle(-1, 0, vx=1e5, vy=3e4), circle(1, 0, vx=-1e5, vy=1e4)], "segments": box(4.0), "events_per_body_max": 1000000,
        "work_per_tick_max": 1000000000}
FRAMES = {"simulate": {"scene": {"circles": [circle(2.0 * i, 0, vx=1.0) for i in range(100)]}, "dt": 1 / 64, "ticks": 10**7, "every": 1}}
LONG = {"simulate": {"scene": FAST, "dt": 1000.0, "ticks": 1, "every": 1}}
POINT = {"simulate": {"scene": {"circle_columns": {"count": 1000000, "radius": [0.5]}}, "dt": 1 / 64, "ticks": 1}}
STAR = {"simulate": {"scene": {"segment_columns": {"count": 300000, "x1": [0.0], "y1": [0.0], "x2": [float(i % 997) for i in range(300000)],
                                                   "y2": [float(i // 997 + 1) for i in range(300000)]},
                               "circles": [circle(-2, -2)]}, "dt": 1 / 64, "ticks": 1}}
TOUCHES = {"simulate": {"scene": {"circle_columns": {"count": 120, "radius": [1.0]}}, "dt": 1 / 64, "ticks": 10, "events": 1,
                        "deadline_ms": 400}}


def crowd(count):
    """A gas of so many circles."""
    side = int(count ** 0.5) + 1
    return {"circle_columns": {"count": count, "x": [2.5 * (i % side) for i in range(count)], "y": [2.5 * (i // side) for i in range(count)],
                               "vx": [float(i * 7 % 11 - 5) for i in range(count)], "vy": [float(i * 5 % 11 - 5) for i in range(count)],
                               "radius": [0.5]}}


LARGE = {"simulate": {"scene": crowd(60000), "dt": 1 / 60, "ticks": 2, "every": 1}}


# ---- What is asked, each in a process of its own, until that is killed. `told` counts replies.

def asking(port, schema, told, host, request, at_once=16):
    """Keeps so many requests under way on a connection, and reads all that comes."""
    with Connection(port, schema, source=host) as connection:
        for _ in range(at_once):
            connection.send(**request)
        while True:
            if connection.receive().WhichOneof("reply") not in ("frame", "snapshot"):
                told.value += 1
                connection.send(**request)


def sipping(port, schema, told, host):
    """16 connections with 16 requests for frames without end each, of which a KiB a second is read."""
    connections = [Connection(port, schema, source=host) for _ in range(16)]
    for connection in connections:
        for _ in range(16):
            connection.send(**FRAMES)
    while True:
        time.sleep(0.25)
        for connection in connections:
            told.value += len(connection.socket.recv(256)) > 0


def reading(port, schema, told, host, kib_per_second):
    """An honest client with a slow link: four requests for frames without end, of which it reads so much. `told` are bytes."""
    with Connection(port, schema, source=host) as connection:
        for _ in range(4):
            connection.send(**FRAMES)
        begin = time.monotonic()
        while True:
            more = len(connection.socket.recv(kib_per_second * 128))
            assert more > 0, "the daemon has closed it"
            told.value += more
            time.sleep(max(0.0, begin + told.value / 1024 / kib_per_second - time.monotonic()))


def babbling(port, _, told, host):
    """Says what no client says, 500 times a second if it can: each is told so and closed, and is worth a line of the log."""
    begin = time.monotonic()
    while True:
        with socket.create_connection(("127.0.0.1", port), source_address=(host, 0)) as client:
            client.sendall(b"GET / HTTP/1.0\r\n\r\n")
            while client.recv(4096):
                pass
        told.value += 1
        time.sleep(max(0.0, begin + told.value / 500 - time.monotonic()))


def idling(port, schema, told, host):
    """Connections that do nothing, as many as an address may have."""
    kept = []
    while len(kept) < 512:
        try:
            kept.append(Connection(port, schema, source=host))
            told.value += 1
        except (Closed, OSError, AssertionError):  # told that there is no place
            break
    while True:
        time.sleep(10)


def knocking(port, _, told, host):
    """Connects and leaves, 3,000 times a second if it can."""
    begin = time.monotonic()
    while True:
        with socket.create_connection(("127.0.0.1", port), source_address=(host, 0)):
            told.value += 1
        time.sleep(max(0.0, begin + told.value / 3000 - time.monotonic()))


def simulating(port, schema, told, host, sums):
    """One of the 20 clients beside a large world: 1,000 circles for 60 ticks, one after the other. `sums`: requests, seconds of workers
    and of waiting for them."""
    with Connection(port, schema, source=host) as connection:
        while True:
            last = connection.ask(simulate={"scene": crowd(1000), "dt": 1 / 60, "ticks": 60})
            assert last.WhichOneof("reply") == "simulate_done", last
            told.value += 1
            with sums.get_lock():
                for i, more in enumerate((1, last.simulate_done.worker_seconds, last.simulate_done.waiting_seconds)):
                    sums[i] += more


def large_world(port, schema, told, host):
    """A world of 100,000 circles by the server's clock; `told` are the ticks that it has made."""
    with Connection(port, schema, source=host) as connection:
        connection.ask(create_world={"name": "large", "scene": crowd(100000), "policy": {"dt": 1 / 60, "tick_hz": 60, "cpu_permille_max": 1000,
                                                                                          "idle_ttl_ms": 0xffffffff}})
        while True:
            time.sleep(0.2)
            told.value = connection.ask(list_worlds={"prefix": "large"}).worlds.worlds[0].tick


HEAPS, BACK = 4, 9


def heap(seed):
    """64 rough circles that fall on a floor between two walls, and never sleep."""
    chance = random.Random(seed)
    circles = [circle(chance.uniform(-2.5, 2.5), 1 + 1.2 * i, radius=chance.uniform(0.3, 0.5), friction=0.5, restitution=0.2, id=i + 1)
               for i in range(64)]
    walls = [dict(x1=-4, y1=0, x2=4, y2=0, friction=0.5), dict(x1=-4, y1=0, x2=-4, y2=200), dict(x1=4, y1=200, x2=4, y2=0)]
    return {"circles": circles, "segments": walls, "gravity_y": -9.81}


def going_back(port, schema, told, host):
    """Heaps that get a push in each tick, for one that was BACK ticks ago; `told` counts these."""
    policy = {"dt": 1 / 60, "tick_hz": 60, "late": schema.LATE_RESIMULATE, "history_ticks": 16, "cpu_permille_max": 200}
    with Connection(port, schema, source=host) as connection:
        seats = []
        for i in range(HEAPS):
            info = connection.ask(create_world={"name": f"back/{i}", "scene": heap(i), "policy": policy}).world_info
            attached = connection.ask(attach={"world": info.name, "secret": info.owner_secret, "right": schema.RIGHT_ALL}).attached
            tick = connection.ask(list_worlds={"prefix": info.name}).worlds.worlds[0].tick
            seats.append((attached.handle, tick - 60 * time.monotonic()))
        number, begin = 0, time.monotonic()
        while True:
            number += 1
            for handle, first in seats:
                tick = max(1, int(first + 60 * time.monotonic()) - BACK)
                push = {"id": [10 + number % 8], "vx": [0.125 * (-1) ** number], "vy": [0.0]}
                connection.send(commands={"handle": handle, "sequence": number, "tick": tick, "add_velocities": push})
                told.value += 1
            while select.select([connection.socket], [], [], max(0.0, begin + number / 60 - time.monotonic()))[0]:
                if not connection.socket.recv(65536):
                    return


SIMULATED = multiprocessing.Array("d", 3)
COMPANY = {
    "nothing": [],
    "D1: 16 ticks of seconds": [(asking, "127.0.0.2", LONG)],
    "D2: 256 replies read slowly": [(sipping, "127.0.0.3")],
    "D3: readers of 8 to 128 KiB/s": [(reading, f"127.0.0.{43 + i}", 8 << i) for i in range(5)],
    "D4: walls that share an end": [(asking, "127.0.0.4", STAR, 2)],
    "D4: a million at one point": [(asking, "127.0.0.5", POINT, 2)],
    "D5: a memory bound": [(asking, "127.0.0.48", LARGE, 8), (asking, "127.0.0.49", LARGE, 8)],
    "D6: stderr closed": [(babbling, "127.0.0.50")],
    "D7: touches of a crowd": [(asking, "127.0.0.6", TOUCHES)],
    "D8: idle connections": [(idling, "127.0.0.7"), (idling, "127.0.0.8")],
    "D9: 3,000 connections/s": [(knocking, "127.0.0.9")],
    "D1, D2 and D8 at once": [(asking, "127.0.0.2", LONG), (sipping, "127.0.0.3"), (idling, "127.0.0.7"), (idling, "127.0.0.8")],
    "100,000 circles, 20 clients": [(large_world, "127.0.0.10")] + [(simulating, f"127.0.0.{11 + i}", SIMULATED) for i in range(20)],
    "worlds that go back": [(going_back, "127.0.0.40")],
}


# Of the daemon: flags, and what is done in its process before it starts.
FLAGS = {"D5: a memory bound": ["--memory-total-bytes-max", str(192 << 20)]}
BEFORE = {"D6: stderr closed": lambda: os.close(2)}


class Run:
    def __init__(self, options, schema):
        self.options, self.schema = options, schema

    def remade(self, daemon):
        """Of the worlds that go back: ticks that were made again so far, and the seconds that one takes."""
        with Connection(daemon.port, self.schema, source="127.0.0.40") as connection:
            worlds = connection.ask(list_worlds={"prefix": "back/"}).worlds.worlds
            return sum(world.resimulated_ticks for world in worlds), max((world.tick_seconds for world in worlds), default=0.0)

    @staticmethod
    def bytes(daemon):
        """The most memory that the daemon's process has had."""
        with open(f"/proc/{daemon.process.pid}/status", encoding="ascii") as status:
            return 1024 * int(next(line for line in status if line.startswith("VmHWM")).split()[1])

    def large(self, daemon):
        """The large world, or None."""
        with Connection(daemon.port, self.schema, source="127.0.0.10") as connection:
            return next(iter(connection.ask(list_worlds={"prefix": "large"}).worlds.worlds), None)

    def once(self, name, program):
        """One run of rooms on that daemon beside that company: what `collide bench rooms` said, and how much the company was told."""
        options = self.options
        flags = ["--workers", str(options.workers)] if options.workers else []
        flags += ["--realtime", "1"] if options.realtime else []
        daemon = Daemon(program, "--worlds-per-address-cpu-percent", "70", *flags, *FLAGS.get(name, []), before=BEFORE.get(name))
        told = [multiprocessing.Value("Q", 0) for _ in COMPANY[name]]
        company = [multiprocessing.Process(target=what, args=(daemon.port, self.schema, count, *more), daemon=True)
                   for (what, *more), count in zip(COMPANY[name], told)]
        try:
            for process in company:
                process.start()
            time.sleep(1.5 if company else 0)
            while any(what is large_world for what, *_ in COMPANY[name]) and not self.large(daemon):
                time.sleep(0.1)
            before, sums, large = [count.value for count in told], list(SIMULATED), self.large(daemon)
            remade = self.remade(daemon)
            words = [options.collide, "bench", "rooms", "--connect", f"127.0.0.1:{daemon.port}", "--pid", str(daemon.process.pid),
                     "--rooms", str(options.rooms), "--connections", "20", "-d", str(options.seconds), "--json"]
            run = json.loads(subprocess.run(words + (["--realtime"] if options.realtime else []), check=True, capture_output=True,
                                            text=True).stdout)
            run["company"] = [count.value - since for count, since in zip(told, before)]
            run["bytes"] = self.bytes(daemon)
            run["simulated"] = [after - since for after, since in zip(SIMULATED, sums)]
            run["large"] = [self.large(daemon), large]
            run["remade"] = [self.remade(daemon), remade]
            assert all(process.is_alive() for process in company), "some of the company has failed"
        finally:
            for process in company:
                process.kill()
                process.join()
            daemon.stop()
        assert run["counts"]["failedWorlds"] == 0, run["counts"]
        return run


def went_back(run):
    (ticks, tick_seconds), (before, _) = run["remade"]
    if ticks > before:
        print(f"    made again:       {(ticks - before) / run['seconds']:.0f} ticks a second, of up to {1e6 * tick_seconds:.0f} us")


def classes(run):
    """Of the run beside a large world: what each class had of the cores, how late it was, how long it waited."""
    large, before = run["large"]
    if not large:
        return
    seconds, (count, worked, waited) = run["seconds"], run["simulated"]
    ticks = large.tick - before.tick
    print(f"    rooms:            {run['plan']['rooms']} at {run['plan']['tickHz']} Hz, late p99 {run['late']['p99Ms']:.3f} ms, "
          f"most {run['late']['maxMs']:.3f} ms")
    print(f"    the large world:  {ticks} ticks, {ticks * large.tick_seconds / seconds:.2f} cores, {1e3 * large.tick_seconds:.1f} ms a tick, late by "
          f"{1e3 * large.late_seconds_max:.0f} ms at most, {large.lost_ticks - before.lost_ticks} ticks lost")
    print(f"    clients:          {count / seconds:.0f} requests/s, each with a worker for {1e3 * worked / max(count, 1):.1f} ms, in part put aside, "
          f"after {1e3 * waited / max(count, 1):.1f} ms of waiting")


def shown(runs, key, field):
    values = [run[key].get(field, float("nan")) for run in runs]
    return f"{statistics.median(values):.3f}" + (f" ({min(values):.3f} to {max(values):.3f})" if len(values) > 1 else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collided")
    parser.add_argument("collide")
    parser.add_argument("proto")
    parser.add_argument("--rooms", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--realtime", action="store_true")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--other", help="daemon without the change that is measured")
    parser.add_argument("--only", action="append", help="beginning of a kind of company")
    options = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4096)), hard))
    names = [name for name in COMPANY if not options.only or name == "nothing" or name.startswith(tuple(options.only))]
    runs = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        run = Run(options, make_schema(options.proto, folder))
        for _ in range(options.rounds):
            for name in names:
                for program in filter(None, (options.collided, options.other)):
                    runs[name, program].append(run.once(name, program))
    print(f"{options.rooms} rooms, {options.seconds:g} s, {options.rounds} rounds{', real-time' if options.realtime else ''}; milliseconds")
    for (name, program), some in runs.items():
        print(f"{name}{', ' + program if options.other else ''}:")
        for key in "late", "dueToGiven", "bareWait":
            print(f"    {key:12} p50 {shown(some, key, 'p50Ms')}, p99 {shown(some, key, 'p99Ms')}, p99.9 {shown(some, key, 'p99.9Ms')}")
        print(f"    lost {[one['counts']['lostTicks'] for one in some]}, missed {[one['counts']['updatesMissed'] for one in some]}, "
              f"cores of the daemon {[round(one['coresBusy']['daemon'], 2) for one in some]}, MB {[one['bytes'] >> 20 for one in some]}, company was told {[one['company'] for one in some]}")
        for one in some:
            classes(one)
            went_back(one)


if __name__ == "__main__":
    main()
