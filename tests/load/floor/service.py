#!/usr/bin/env python3
"""service.py BIN [--quick] [--rounds N] [--only PART]: what the service costs on top of what it serves, as ratios from one run.
The daemon and a floor server that does nothing take turns, so that other load of the machine affects both. Medians over the
rounds. BIN is the folder of the programs. --quick only checks that all of it works: its figures say nothing. PART is echo,
streamed, knee or ping.

With --against OTHER two builds of the daemon take turns instead, say before and after a change. What BIN's serves and costs is divided
by what OTHER's does. Told are medians of --rounds pairs (20) with the 95 % interval of a bootstrap over the pairs. The client is
OTHER's, so that an older daemon understands it.

What a figure owes to the machine is told beside it: what was stolen from it by its host, and what the floor comes to in the same place.

The floor (floor.c) answers with the recorded bytes of the daemon's own reply, so that both move equally many; that is checked."""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time


class Server:
    """A daemon or floor on a port of its own."""

    def __init__(self, work, name, *command):
        self.port_file = os.path.join(work, name + ".port")
        if os.path.exists(self.port_file):
            os.unlink(self.port_file)
        self.process = subprocess.Popen([word.replace("PORT_FILE", self.port_file) for word in command], stderr=subprocess.DEVNULL)
        while not os.path.exists(self.port_file) or not open(self.port_file, encoding="ascii").read().endswith("\n"):
            if self.process.poll() is not None:
                sys.exit(f"service.py: {name} ended with status {self.process.returncode}")
            time.sleep(0.01)
        with open(self.port_file, encoding="ascii") as file:
            self.address = "127.0.0.1:" + file.read().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(600)


    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            times = file.read().rsplit(")", 1)[1].split()
        return (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")


class Spinners:
    """Two programs that only count: what two busy workers are to the floor, without any of their work."""

    def __enter__(self):
        self.processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


def quotients(over, under):
    return [a / b for a, b in zip(over, under)]


def median_interval(values):
    """The median, and the interval in which it is in 95 % of 10,000 draws of as many with replacement."""
    chance = random.Random(1)
    medians = sorted(statistics.median(chance.choices(values, k=len(values))) for _ in range(10000))
    return statistics.median(values), medians[250], medians[9750]


def cpu_times():
    """Jiffies of all cores: stolen by the host, and all. (0, 1) where the system does not tell."""
    try:
        with open("/proc/stat", encoding="ascii") as file:
            times = list(map(int, file.readline().split()[1:9]))
        return times[7], sum(times)
    except (OSError, ValueError, IndexError):
        return 0, 1


class Service:
    def __init__(self, options, work):
        self.options, self.work = options, work
        self.collide = os.path.join(options.against or options.bin, "collide")

    def daemon(self, *flags):
        return self.daemon_of("daemon", self.options.bin, *flags)

    def daemon_of(self, name, folder, *flags):
        return Server(self.work, name, os.path.join(folder, "collided"), "--listen", "127.0.0.1:0", "--port-file", "PORT_FILE", *flags)

    def floor(self, recording, *together):
        return Server(self.work, "floor" + "".join(together), os.path.join(self.options.bin, "bench_floor"), recording, "PORT_FILE", *together)

    def scene(self, count):
        path = os.path.join(self.work, f"gas-{count}.json")
        if not os.path.exists(path):
            subprocess.run([self.collide, "gen", "gas", "--count", str(count), "-o", path], check=True)
        return path

    def reply(self, scene):
        """A recording of the reply that bench asks for: the same dt, ticks and frames."""
        path = os.path.join(self.work, "reply.bin")
        if not os.path.exists(path):
            subprocess.run([self.collide, "run", scene, "--local", "--ticks", "1", "--dt", "1/60", "--format", "none", "--record", path],
                           check=True, stdout=subprocess.DEVNULL)
        return path

    def bench(self, server, scene, *words):
        seconds, warm_up = ("0.3", "0.05") if self.options.quick else ("3", "0.5")
        # A machine that has no core for so long lets nothing begin: that says nothing of the service.
        for _ in range(5):
            done = subprocess.run([self.collide, "bench", scene, "--connect", server.address, "--json", "-d", seconds, "--warm-up", warm_up,
                                   "--progress", "never", *map(str, words)], stdout=subprocess.PIPE, check=False)
            if done.returncode != 0:
                sys.exit(f"service.py: collide bench ended with status {done.returncode}")
            told = json.loads(done.stdout)
            requests = told["requests"]
            if requests["scheduled"]:
                break
        if requests["failed"] or requests["unfinished"] or not requests["completed"]:
            sys.exit(f"service.py: not every request was answered: {requests}")
        for warning in told["generator"]["warnings"]:
            print(f"    warning: {warning}")
        return told

    def row(self, name, figures, unit, goal=None, holds=None):
        """One figure: median, least and most over the rounds, and whether the goal is reached, if there is one."""
        middle = statistics.median(figures)
        said = "" if goal is None else "  goal " + goal + (": reached" if holds(middle) else ": NOT reached")
        print(f"{name:<67} {middle:9.3f} {unit:<2} ({min(figures):.3f} to {max(figures):.3f}){said}")

    def echo(self):
        """Pipelined Simulate of 32 circles x 1 tick, against the floor at equal bytes."""
        scene = self.scene(32)
        recording = self.reply(scene)
        rates = {"daemon": [], "floor": [], "floor, answers together": []}
        with self.daemon() as daemon, self.floor(recording) as floor, self.floor(recording, "together") as together:
            for _ in range(self.options.rounds):
                sizes, blur = {}, 0.01
                for name, server in zip(rates, (daemon, floor, together)):
                    told = self.bench(server, scene, "--ticks", 1, "-c", 4, "-p", 16)["throughput"]
                    rates[name].append(told["requestsPerSecond"])
                    sizes[name] = told["bytesReceived"] / told["requests"]
                    # What is under way when the window begins and ends: at most 64 requests each time.
                    blur = max(blur, 2 * 64 / told["requests"])
                if max(sizes.values()) > (1 + blur) * min(sizes.values()):
                    sys.exit(f"service.py: the bytes per reply differ: {sizes}")
        for name, rate in rates.items():
            print(f"    {name}: {statistics.median(rate):,.0f} requests/s")
        title = "32 circles x 1 tick, pipelined: requests/s of the floor"
        self.row(title, quotients(rates["daemon"], rates["floor"]), "x", ">= 0.5", lambda value: value >= 0.5)
        self.row(title + " (together)", quotients(rates["daemon"], rates["floor, answers together"]), "x")

    def streamed(self):
        """1,000 circles x 60 ticks streamed, against the engine alone."""
        scene, ratios = self.scene(1000), []
        repetitions = 3 if self.options.quick else 15
        with self.daemon() as daemon:
            for _ in range(self.options.rounds):
                alone = subprocess.run([os.path.join(self.options.bin, "bench_engine_alone"), scene, "60", str(repetitions)],
                                       stdout=subprocess.PIPE, check=True, text=True)
                told = self.bench(daemon, scene, "--ticks", 60, "-c", 1)
                ratios.append(told["latency"]["response"]["p50Ms"] / statistics.median(map(float, alone.stdout.split())))
        self.row("1,000 circles x 60 ticks, streamed: time of the engine alone", ratios, "x", "<= 1.3", lambda value: value <= 1.3)

    def pairs(self):
        """This build's daemon by another one's, in turns."""
        loads = {"32 circles x 1 tick, pipelined": (self.scene(32), "--ticks", 1, "-c", 4, "-p", 16),
                 "1,000 circles x 60 ticks, streamed": (self.scene(1000), "--ticks", 60, "-c", 1)}
        with self.daemon_of("this", self.options.bin) as this, self.daemon_of("other", self.options.against) as other:
            for title, (scene, *words) in loads.items():
                rates, costs = [], []
                for turn in range(self.options.rounds):
                    told = {}
                    for server in (this, other)[::-1 if turn % 2 else 1]:
                        before = server.cpu_seconds()
                        run = self.bench(server, scene, *words)
                        told[server] = run["throughput"]["requestsPerSecond"], (server.cpu_seconds() - before) / run["requests"]["completed"]
                    rates.append(told[this][0] / told[other][0])
                    costs.append(told[this][1] / told[other][1])
                for name, values in (("requests/s", rates), ("CPU time of the daemon a request", costs)):
                    middle, least, most = median_interval(values)
                    print(f"{title}: {name:<33} {middle:.3f} of the other's (95 %: {least:.3f} to {most:.3f})")
                sys.stdout.flush()

    def half_knee(self):
        """The open model at half the knee, against the floor at the same rate."""
        scene, load = self.scene(32), ("--ticks", 1, "-c", 4, "-p", 4)
        told = {"daemon": [], "floor": []}
        with self.daemon() as daemon, self.floor(self.reply(scene)) as floor:
            knee = self.bench(daemon, scene, "--find-knee", *load)["knee"]["rate"]
            if knee is None:
                if self.options.quick:  # its steps are too short for any to hold surely
                    knee = 100
                else:
                    sys.exit("service.py: no knee was found")
            print(f"    knee: {knee:,.0f} requests/s")
            for _ in range(self.options.rounds):
                for name, server in zip(told, (daemon, floor)):
                    told[name].append(self.bench(server, scene, "--rate", knee / 2, *load)["latency"]["response"])
        for name, rounds in told.items():
            p50, p99 = (statistics.median(each[key] for each in rounds) for key in ("p50Ms", "p99Ms"))
            print(f"    {name}: p50 {p50:.3f} ms, p99 {p99:.3f} ms")
        ratios = {name: [each["p99Ms"] / each["p50Ms"] for each in rounds] for name, rounds in told.items()}
        self.row("half the knee: p99 in p50s", ratios["daemon"], "x", "<= 3", lambda value: value <= 3)
        self.row("    the floor's at the same rate", ratios["floor"], "x")
        self.row("    p99 of the floor's", quotients(*([each["p99Ms"] for each in told[name]] for name in ("daemon", "floor"))), "x")

    def pings(self):
        """Pings while both cores are busy: with two workers, and of the floor with two programs that only count."""
        count = 1000 if self.options.quick else 100000
        seconds = () if self.options.quick else ("-d", 10)
        large, small = self.scene(count), self.scene(32)
        told, busy = {"daemon": [], "floor": []}, []
        with self.daemon("--workers", "2") as daemon, self.floor(self.reply(small)) as floor:
            for _ in range(self.options.rounds):
                run = self.bench(daemon, large, "--ticks", 20, "--every", 20, "--states-only", "-c", 2, "--drain", 60, *seconds)
                told["daemon"].append(run["ping"])
                busy.append(run["throughput"]["engineSeconds"] / run["seconds"])
                with Spinners():
                    told["floor"].append(self.bench(floor, small, "--ticks", 1, "-c", 1, "--rate", 20, *seconds)["ping"])
        print(f"    engine threads busy: {statistics.median(busy):.2f}")
        for name, rounds in told.items():
            for time_of, meaning in ("response", "from when it was due"), ("service", "from when it was sent"), ("served", "with a core"):
                each = [ping[time_of] for ping in rounds if ping[time_of] is not None]
                if each:
                    said = ", ".join(f"{key[:-2]} {statistics.median(one[key] for one in each):.3f}"
                                     for key in ("p50Ms", "p99Ms", "p99.9Ms"))
                    print(f"    {name}, {meaning}: {said} ms")
        self.row(f"ping p99.9 while two workers step {count:,} circles", [ping["response"]["p99.9Ms"] for ping in told["daemon"]], "ms",
                 "<= 2", lambda value: value <= 2)
        self.row("    the floor's while two programs count", [ping["response"]["p99.9Ms"] for ping in told["floor"]], "ms")


PARTS = {"echo": Service.echo, "streamed": Service.streamed, "knee": Service.half_knee, "ping": Service.pings}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--against", metavar="OTHER")
    parser.add_argument("--only", action="append", choices=PARTS)
    options = parser.parse_args()
    options.rounds = 1 if options.quick else options.rounds or (20 if options.against else 5)
    with tempfile.TemporaryDirectory() as work:
        service = Service(options, work)
        if options.against:
            service.pairs()
            return
        for name in options.only or PARTS:
            stolen, all_times = cpu_times()
            PARTS[name](service)
            stolen, all_times = (after - before for after, before in zip(cpu_times(), (stolen, all_times)))
            print(f"    stolen by the host meanwhile: {100 * stolen / max(all_times, 1):.1f} % of the cores")
            sys.stdout.flush()


main()
