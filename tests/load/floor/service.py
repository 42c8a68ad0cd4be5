#!/usr/bin/env python3
"""service.py BIN [--quick] [--rounds N]: what the service costs on top of what it serves, as ratios from one run: the daemon and a
floor server that does nothing take turns, so that what else the machine does falls on both. Medians over the rounds. BIN is the
folder of the programs. --quick only checks that all of it works: its figures say nothing.

The floor (floor.c) answers with the recorded bytes of the daemon's own reply, so that both move equally many; that is checked."""
import argparse
import json
import os
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
        self.process.wait(60)


def quotients(over, under):
    return [a / b for a, b in zip(over, under)]


class Service:
    def __init__(self, options, work):
        self.options, self.work = options, work
        self.collide = os.path.join(options.bin, "collide")

    def daemon(self, *flags):
        return Server(self.work, "daemon", os.path.join(self.options.bin, "collided"), "--listen", "127.0.0.1:0", "--port-file",
                      "PORT_FILE", *flags)

    def floor(self, recording, *together):
        return Server(self.work, "floor" + "".join(together), os.path.join(self.options.bin, "bench_floor"), recording, "PORT_FILE", *together)

    def scene(self, count):
        path = os.path.join(self.work, f"gas-{count}.json")
        if not os.path.exists(path):
            subprocess.run([self.collide, "gen", "gas", "--count", str(count), "-o", path], check=True)
        return path

    def bench(self, server, scene, *words):
        seconds, warm_up = ("0.3", "0.05") if self.options.quick else ("3", "0.5")
        done = subprocess.run([self.collide, "bench", scene, "--connect", server.address, "--json", "-d", seconds, "--warm-up", warm_up,
                               "--progress", "never", *map(str, words)], stdout=subprocess.PIPE, check=False)
        if done.returncode != 0:
            sys.exit(f"service.py: collide bench ended with status {done.returncode}")
        told = json.loads(done.stdout)
        requests = told["requests"]
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
        scene, recording = self.scene(32), os.path.join(self.work, "reply.bin")
        # As bench asks: the same dt, ticks and frames.
        subprocess.run([self.collide, "run", scene, "--local", "--ticks", "1", "--dt", "1/60", "--format", "none", "--record", recording],
                       check=True, stdout=subprocess.DEVNULL)
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

    def half_knee(self):
        scene, load, ratios = self.scene(32), ("--ticks", 1, "-c", 4, "-p", 4), []
        with self.daemon() as daemon:
            knee = self.bench(daemon, scene, "--find-knee", *load)["knee"]["rate"]
            if knee is None:
                if self.options.quick:  # its steps are too short for any to hold surely
                    knee = 100
                else:
                    sys.exit("service.py: no knee was found")
            print(f"    knee: {knee:,.0f} requests/s")
            for _ in range(self.options.rounds):
                response = self.bench(daemon, scene, "--rate", knee / 2, *load)["latency"]["response"]
                ratios.append(response["p99Ms"] / response["p50Ms"])
        self.row("half the knee: p99 in p50s", ratios, "x", "<= 3", lambda value: value <= 3)

    def pings(self):
        count = 1000 if self.options.quick else 100000
        scene, response, service, busy = self.scene(count), [], [], []
        with self.daemon("--workers", "2") as daemon:
            for _ in range(self.options.rounds):
                seconds = () if self.options.quick else ("-d", 10)
                told = self.bench(daemon, scene, "--ticks", 20, "--every", 20, "--states-only", "-c", 2, "--drain", 60, *seconds)
                response.append(told["ping"]["response"]["p99.9Ms"])
                service.append(told["ping"]["service"]["p99.9Ms"])
                busy.append(told["throughput"]["engineSeconds"] / told["seconds"])
        print(f"    engine threads busy: {statistics.median(busy):.2f}; from when a ping was sent: {statistics.median(service):.3f} ms")
        self.row(f"ping p99.9 while two workers step {count:,} circles", response, "ms", "<= 2", lambda value: value <= 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if options.quick:
        options.rounds = 1
    with tempfile.TemporaryDirectory() as work:
        service = Service(options, work)
        for part in service.echo, service.streamed, service.half_knee, service.pings:
            part()
            sys.stdout.flush()


main()
