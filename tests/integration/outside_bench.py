#!/usr/bin/env python3
"""outside_bench.py COLLIDED COLLIDE: the load generator against a real daemon. Checked are the shape of its JSON as
docs/load.md has it, the page, conditions and exit statuses, mixes, the open model, the knee. No figure is held to a time: the machine
may stand still for as long as a load lasts. All that was sent is waited for, and a load in which nothing happened is made again, longer."""
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as xml

COLLIDED, COLLIDE = map(os.path.abspath, sys.argv[1:3])
WORK = tempfile.TemporaryDirectory()
ADDRESS = None
LATENCY = {"count", "minMs", "meanMs", "p50Ms", "p90Ms", "p99Ms", "p99.9Ms", "p99.99Ms", "p99.999Ms", "maxMs"}
PATIENCE = 1200  # seconds; only what hangs takes so long
PERCENTILES = ["minMs", "p50Ms", "p90Ms", "p99Ms", "p99.9Ms", "p99.99Ms", "p99.999Ms", "maxMs"]


def path(name):
    return os.path.join(WORK.name, name)


def setUpModule():
    global ADDRESS, DAEMON
    port = path("port")
    DAEMON = subprocess.Popen([COLLIDED, "--listen", "127.0.0.1:0", "--port-file", port], stderr=subprocess.DEVNULL)
    while not os.path.exists(port) or os.path.getsize(port) == 0:
        assert DAEMON.poll() is None
        time.sleep(0.01)
    with open(port, encoding="ascii") as file:
        ADDRESS = f"127.0.0.1:{file.read().strip()}"
    for name, count in ("small", 8), ("large", 40):
        subprocess.run([COLLIDE, "gen", "gas", "--count", str(count), "-o", path(name)], check=True)


def tearDownModule():
    DAEMON.terminate()
    assert DAEMON.wait(600) == 0


def run(*words):
    return subprocess.run([COLLIDE, "bench", "--connect", ADDRESS, "-d", "0.5", "--warm-up", "0.1", "--drain", "600", "--ticks", "2",
                           *map(str, words)], capture_output=True, check=False, timeout=PATIENCE, cwd=WORK.name, text=True)


def bench(*words, status=0):
    done = run(*words)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done


def figures(*words, **more):
    lines = bench("--json", *words, **more).stdout.splitlines()
    assert len(lines) == 1
    return json.loads(lines[0])


def measured(make, enough):
    """What `make` tells of a load of so many seconds, once there was enough to measure."""
    seconds = 0.5
    while not enough(told := make(seconds)):
        seconds *= 2
    return told


class Json(unittest.TestCase):
    def latency(self, latency):
        self.assertEqual(set(latency), LATENCY if latency["count"] else {"count"})
        values = [latency[name] for name in PERCENTILES if name in latency]
        self.assertEqual(values, sorted(values))

    def test_its_shape(self):
        told = figures("small:3", "large", "--rate", 100, "-c", 4, "-p", 3, "--assert", "p50<3600s,rate>=0")
        self.assertEqual(list(told), ["format", "server", "client", "plan", "seconds", "stoppedEarly", "requests", "throughput", "latency",
                                      "curves", "ping", "scenes", "perSecond", "generator", "knee", "assertions"])
        self.assertEqual(told["format"], "collide.bench/1")
        plan = told["plan"]
        self.assertEqual((plan["model"], plan["rate"], plan["connections"], plan["pipeline"]), ("open", 100, 4, 3))
        self.assertEqual((plan["ticksPerRequest"], plan["every"], plan["statesOnly"]), (2, 1, False))
        self.assertEqual((plan["warmUpSeconds"], plan["seconds"], plan["drainSeconds"]), (0.1, 0.5, 600))
        self.assertEqual(plan["scenes"], [{"name": "small", "weight": 3, "circles": 8}, {"name": "large", "weight": 1, "circles": 40}])
        requests = told["requests"]
        self.assertEqual(requests, {"scheduled": 50, "completed": 50, "failed": 0, "unfinished": 0, "oldestUnfinishedMs": 0, "errors": {}})
        self.assertEqual(set(told["throughput"]),
                         {"requests", "ticks", "circleTicks", "collisions", "frames", "bytesReceived", "bytesSent", "engineSeconds",
                          "workerSeconds", "waitingSeconds", "requestsPerSecond", "ticksPerSecond", "circleTicksPerSecond",
                          "bytesPerSecond"})
        self.assertEqual(list(told["ping"]), ["response", "service", "served"])
        served = told["ping"].pop("served")
        if served is not None:  # this system tells
            self.latency(served)
            self.assertEqual(served["count"], told["ping"]["service"]["count"])
            self.assertLessEqual(served.get("maxMs", 0), told["ping"]["service"].get("maxMs", 0))
        for pair in [told["latency"], told["ping"], *told["scenes"]]:
            self.assertEqual(list(pair), ["response", "service"])
            for latency in pair.values():
                self.latency(latency)
        self.assertEqual(told["latency"]["response"]["count"], 50)
        # Of all 60, with those of the warm-up, exactly 45 and 15; which of them are in the window is a matter of where they fall.
        of_scenes = [scene["response"]["count"] for scene in told["scenes"]]
        self.assertEqual(sum(of_scenes), 50)
        self.assertTrue(35 <= of_scenes[0] <= 45, of_scenes)
        for curve in told["curves"].values():
            self.assertEqual(curve, sorted(curve))
            self.assertEqual(curve[-1][0], 1)
        self.assertEqual(set(told["perSecond"][0]),
                         {"start", "seconds", "completed", "failed", "p50Ms", "p99Ms", "maxMs", "underWay", "waiting"})
        self.assertEqual(sum(second["completed"] for second in told["perSecond"]), told["throughput"]["requests"])
        self.assertEqual(set(told["generator"]), {"busyShare", "cpuShare", "noCoreShare", "late", "warnings"})
        self.latency(told["generator"]["late"])
        self.assertIsNone(told["knee"])
        self.assertEqual([(row["condition"], row["holds"]) for row in told["assertions"]], [("p50<3600s", True), ("rate>=0", True)])

    def test_every_tick_is_counted(self):
        told = measured(lambda seconds: figures("large", "--states-only", "-d", seconds), lambda told: told["throughput"]["requests"] > 1)
        done = told["throughput"]
        self.assertEqual((done["ticks"], done["circleTicks"]), (2 * done["requests"], 80 * done["requests"]))
        self.assertEqual((told["plan"]["model"], told["plan"]["rate"]), ("closed", None))
        self.assertEqual(told["latency"]["response"], told["latency"]["service"])


class Conditions(unittest.TestCase):
    def test_one_that_fails_is_told_and_the_report_is_printed(self):
        done = bench("small", "--rate", 20, "--assert", "p99<3600s, max<1us", "--assert", "rate>=0", status=1)
        self.assertRegex(done.stderr, r"^collide bench: assertion failed: max<1us: [\d.]+ ms\n$")
        self.assertRegex(done.stdout, r"(?m)^assertion +p99<3600s: holds$")
        self.assertRegex(done.stdout, r"(?m)^assertion +max<1us: FAILED$")
        told = figures("small", "--rate", 20, "--assert", "max<1us", status=1)
        self.assertEqual([row["holds"] for row in told["assertions"]], [False])

    def test_what_cannot_be_meant_is_refused_before_anything_runs(self):
        for words, text in ((["--assert", "p98<5ms"], '"p98"'), (["--assert", "knee>5"], "--find-knee"), (["--rate", "1e9"], "--rate"), (["--rate", "0"], "--rate"),
                            (["small:0"], "weight"), (["-d", "1e9"], "86400"), (["--pipeline", "65536"], "at most"),
                            (["no-such-file:2"], "no-such-file"), ([str(i) for i in range(17)], "too many")):
            done = bench(*words, status=2)
            self.assertEqual(done.stdout, "")
            self.assertIn(text, done.stderr)


class Page(unittest.TestCase):
    def test_it_is_whole_in_itself(self):
        done = bench("small", "--rate", 200, "--html", "page.html", "--progress", "always")
        self.assertRegex(done.stderr, r"(?m)^ +0\.5 s +[\d.]+/s  p50 [\d.]+  p99 [\d.]+  max [\d.]+ ms  \d+ under way(  \d+ waiting)?$")
        with open(path("page.html"), encoding="utf-8") as file:
            text = file.read()
        root = xml.fromstring(text.split("\n", 1)[1])
        names = [element.tag.split("}")[1] for element in root.iter()]
        self.assertEqual(names.count("svg"), 3)
        self.assertGreaterEqual(names.count("polyline"), 6)
        self.assertFalse({"script", "link", "img", "iframe", "object", "use"} & set(names))
        links = [value for element in root.iter() for name, value in element.attrib.items() if "href" in name or "src" in name]
        self.assertEqual(links, [])
        self.assertNotIn("url(", text)
        # The points of every curve are within its drawing.
        for element in root.iter("{http://www.w3.org/2000/svg}polyline"):
            points = [tuple(map(float, point.split(","))) for point in element.get("points").split()]
            self.assertTrue(points and all(0 <= x <= 760 and 0 <= y <= 320 for x, y in points))

    def test_a_page_that_cannot_be_written_is_told_before_the_load(self):
        done = bench("small", "-d", 86400, "--html", "no/such/folder/page.html", status=1)  # which it would not end in time
        self.assertIn("no/such/folder/page.html", done.stderr)


class Knee(unittest.TestCase):
    def sought(self, asked, *words):
        """What is told of a search, and the duration that was asked for: the first at which some request ended in the probe."""
        while (done := run("--json", "--find-knee", "-d", asked, *words)).returncode == 1:
            self.assertIn("the knee needs a longer --duration", done.stderr)
            asked *= 2
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout), asked

    def test_the_search_is_told(self):
        """That the steps are those of a search, and what is found is what they say. Whether a rate holds is the machine's: what the search
        makes of it is shown in test_load_plan."""
        told, asked = self.sought(0.2, "large", "--knee-p99", 1000, "--ticks", 60, "--html", "knee.html")
        knee, least = told["knee"], max(0.01, 1 / (10 * asked))
        self.assertEqual(set(knee), {"rate", "firstThatFailed", "p99BoundMs", "closedModelRate", "steps"})
        self.assertEqual(knee["p99BoundMs"], 1000)
        steps = knee["steps"]
        self.assertTrue(1 <= len(steps) <= 65)
        self.assertAlmostEqual(steps[0]["rate"], max(knee["closedModelRate"] / 8, least))
        for step in steps:
            self.assertEqual(set(step), {"rate", "seconds", "achieved", "p50Ms", "p99Ms", "completed", "failed", "held"})
            self.assertAlmostEqual(step["seconds"], min(max(asked, 20 / step["rate"]), 10 * asked), 6)
            self.assertGreater(step["completed"] + step["failed"], 0)
            self.assertTrue(not step["held"] or step["p99Ms"] <= 1000)
        held, failed = ([step["rate"] for step in steps if step["held"] == holds] for holds in (True, False))
        self.assertEqual(knee["rate"], max(held, default=None))
        self.assertEqual((told["plan"]["rate"], round(told["plan"]["seconds"], 6)),
                         next((step["rate"], round(step["seconds"], 6)) for step in reversed(steps) if not held or step["rate"] == knee["rate"]))
        if knee["firstThatFailed"] is not None:
            self.assertIn(knee["firstThatFailed"], failed)
        if held and knee["firstThatFailed"] is not None and len(steps) < 64:
            self.assertLess(knee["rate"], knee["firstThatFailed"])
            self.assertLessEqual(knee["firstThatFailed"], 1.0501 * knee["rate"])
        if not held:
            self.assertLess(steps[-1]["rate"], 2 * least)
        with open(path("knee.html"), encoding="utf-8") as file:
            self.assertEqual(len(re.findall("<svg", file.read())), 4)

    def test_no_rate_holds_a_bound_of_a_microsecond(self):
        done = bench("small", "--find-knee", "--knee-p99", 0.001, "--rate", 0.05, "-d", 0.05, "--assert", "knee>1", status=1)
        self.assertIn("none found", done.stdout)
        self.assertIn("assertion failed: knee>1: nothing was measured", done.stderr)


class Rooms(unittest.TestCase):
    def rooms(self, *words, status=0):
        done = subprocess.run([COLLIDE, "bench", "rooms", "--connect", ADDRESS, "--circles", "8", "--walls", "12", "--warm-up", "0.1",
                               "--duration", "0.5", *map(str, words)], capture_output=True, check=False, timeout=PATIENCE, text=True)
        self.assertEqual(done.returncode, status, (done.stdout, done.stderr))
        return done.stdout

    def test_json(self):
        def figures_of(told):
            """Those that are of something which happened."""
            counts, cores = told["counts"], told["coresBusy"]
            return (counts["updates"], counts["inputs"], counts["inputsDecided"], told["bareWait"]["count"], cores["daemonThreads"]["loop"],
                    cores["daemonThreads"]["dueTicks"], cores["daemon"], told["dueToGiven"]["count"])

        told = measured(lambda seconds: json.loads(self.rooms("--rooms", 3, "--players", 2, "--inputs", 20, "--connections", 2,
                                                              "--pid", DAEMON.pid, "--json", "--duration", seconds)),
                        lambda told: min(figures_of(told)) > 0)
        self.assertEqual(list(told), ["format", "server", "plan", "seconds", "stoppedEarly", "late", "dueToReceived", "dueToGiven", "bareWait",
                                      "inputMargin", "bareWaitRealtime", "counts", "coresBusy", "memoryBytes", "knee", "floors"])
        self.assertEqual((told["server"], told["floors"]), ("daemon", []))
        self.assertEqual((told["plan"]["rooms"], told["plan"]["circles"], told["plan"]["connections"], told["knee"]), (3, 8, 2, None))
        counts = told["counts"]
        self.assertEqual(told["late"]["count"], counts["updates"])
        self.assertEqual(told["dueToReceived"]["count"], counts["updates"])
        self.assertEqual((counts["inputsRefused"], counts["failedWorlds"]), (0, 0))
        threads = told["coresBusy"]["daemonThreads"]
        self.assertEqual(sorted(threads), ["background", "disk", "dueTicks", "loop", "other", "requests"])
        self.assertGreater(told["memoryBytes"]["server"], 0)
        self.assertEqual(json.loads(subprocess.run([COLLIDE, "world", "list", "--connect", ADDRESS, "--json"], check=True,
                                                   capture_output=True, text=True).stdout), {}, "the rooms are gone")

    def test_floors(self):
        def happened(floor):
            return min(floor["late"]["count"], floor["counts"]["inputsDecided"], floor["coresBusy"]["daemon"], floor["dueToGiven"]["count"]) > 0

        told = measured(lambda seconds: json.loads(self.rooms("--rooms", 3, "--players", 1, "--inputs", 20, "--history", 8, "--connections", 1,
                                                              "--floor", "both", "--json", "--duration", seconds)),
                        lambda told: all(map(happened, told["floors"])))
        self.assertEqual([floor["server"] for floor in told["floors"]], ["a thread per room", "a process per room"])
        for floor in told["floors"]:
            self.assertEqual((floor["plan"]["rooms"], floor["plan"]["connections"]), (3, 3))
            self.assertEqual((floor["counts"]["inputsRefused"], floor["counts"]["failedWorlds"]), (0, 0))
            self.assertGreater(floor["memoryBytes"]["rooms"], 0)
        self.assertIn("---- a process per room", self.rooms("--rooms", 2, "--floor", "process"))

    def test_a_knee_beside_a_floor(self):
        told = self.rooms("--rooms", 1, "--players", 0, "--find-knee", "--knee-late", "0.000001", "--floor", "thread")
        self.assertEqual(told.count("knee               0 rooms"), 2, told)

    def test_knee(self):
        told = json.loads(self.rooms("--rooms", 2, "--players", 0, "--every", 1, "--find-knee", "--knee-late", "0.000001", "--json"))
        steps = told["knee"]["steps"]  # no rooms are so punctual: the search ends with one
        self.assertEqual({step["held"] for step in steps}, {False})
        self.assertEqual((steps[-1]["rooms"], told["knee"]["held"], told["knee"]["failed"]), (1, 0, 1))

    def test_wrong_use(self):
        self.rooms("--players", 9, status=2)

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
