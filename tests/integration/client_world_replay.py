#!/usr/bin/env python3
"""client_world_replay.py COLLIDED COLLIDE: recordings of worlds, played.

A world with all that commands do to it is recorded, and played by replay and render. From any tick on it has the same bits. In pictures
each shape is seen while it is there, and where its states say.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

COLLIDED, COLLIDE = map(os.path.abspath, sys.argv[1:3])
WORK = tempfile.TemporaryDirectory()
os.chdir(WORK.name)
SVG = "{http://www.w3.org/2000/svg}"
TICKS, DT = 240, 1 / 60
EFFECT = []  # the ticks at which the batches took effect
SCENE = """{"gravityY": -6, "circles": [
 {"id": 0, "x": 5, "y": 5, "vx": 4, "vy": 8, "radius": 0.5}, {"id": 1, "x": 12, "y": 8, "vx": -3, "radius": 0.8, "angularVelocity": 2},
 {"id": 2, "x": 20, "y": 10, "vx": 6, "vy": 2, "radius": 0.6}, {"id": 3, "x": 30, "y": 6, "radius": 1, "kind": "BODY_KIND_STATIC"},
 {"id": 4, "x": 34, "y": 15, "vx": -9, "radius": 0.7, "gravityScale": 0}],
 "segments": [{"id": 0, "x2": 40}, {"id": 1, "x1": 40, "x2": 40, "y2": 20}, {"id": 2, "x1": 40, "y1": 20, "y2": 20}, {"id": 3, "y1": 20},
 {"id": 4, "x1": 15, "x2": 15, "y2": 12}, {"id": 5, "x1": 38, "y1": 5, "x2": 38, "y2": 8, "vx": -2}]}"""
# One circle is there for less than a tick. A static one is put elsewhere. One gets another radius, one another place.
BATCHES = [
    '{"spawn": {"id": [50, 51], "x": [3, 37], "y": [15, 16], "vx": [20, -600], "vy": [0, 0], "radius": [0.3, 0.2],'
    ' "lifetimeS": [0.71, 0.01]}, "remove": [2]}',
    '{"places": {"id": [1, 3], "x": [25, 8], "y": [18, 2]}, "disableSegments": [4]}',
    '{"enableSegments": [4], "changes": {"id": [0], "radius": [1.1]},'
    ' "spawnSegments": {"id": [9], "x1": [20], "y1": [9], "x2": [28], "y2": [11]}}',
    '{"removeSegments": [9], "velocities": {"id": [4], "vx": [15], "vy": [3]}}',
]


def collide(*arguments, status=0, data=None):
    done = subprocess.run([COLLIDE, *arguments], input=data, capture_output=True, check=False, timeout=120)
    assert done.returncode == status, (arguments, done.returncode, done.stderr)
    return done


def wait_until(there):
    end = time.monotonic() + 60
    while not there():
        assert time.monotonic() < end
        time.sleep(0.02)


def world_record():
    with open("box.json", "w", encoding="utf-8") as scene:
        scene.write(SCENE)
    collide("world", "create", "box.json", "--name", "box", "--clock", "client", "-k", "box.secret")
    key = ["-k", "box.secret"]
    recorder = subprocess.Popen([COLLIDE, "world", "record", "box", *key, "-o", "box.rec", "-n", str(TICKS), "-e", "1"],
                                stdout=subprocess.DEVNULL)
    wait_until(lambda: os.path.exists("box.rec") and os.path.getsize("box.rec") > 0)
    tick = 0
    for batch, before in zip(BATCHES, (29, 59, 89, 149)):
        if tick < before:
            collide("world", "step", "box", *key, "-n", str(before - tick))
        tick = max(tick, before)
        with open("batch.json", "w", encoding="utf-8") as out:
            out.write(f'{{"tick": "{tick + 1}", {batch[1:]}')
        sender = subprocess.Popen([COLLIDE, "world", "send", "box", "batch.json", "--right", "all", *key], stdout=subprocess.PIPE)
        while sender.poll() is None:
            time.sleep(0.1)
            collide("world", "step", "box", *key, "-n", "1")
            tick += 1
        sent = sender.stdout.read().decode()
        assert sender.returncode == 0 and "took" in sent, sent
        EFFECT.append(int(re.findall(r"took effect at tick +(\d+)", sent)[0]))
    stepped = collide("world", "step", "box", *key, "-n", str(TICKS - tick))
    assert recorder.wait(60) == 0
    return hash_of(stepped)


def hash_of(done):
    return re.findall(r"state hash +([0-9a-f]{16})", done.stdout.decode())[-1]


def frames(*arguments):
    return collide("replay", "box.rec", "--format", "json", *arguments).stdout.splitlines()


def bezier(x1, y1, x2, y2, part):
    """SMIL's spline: y where x is `part`."""
    low, high = 0.0, 1.0
    for _ in range(60):
        s = (low + high) / 2
        if 3 * s * (1 - s) ** 2 * x1 + 3 * s * s * (1 - s) * x2 + s ** 3 < part:
            low = s
        else:
            high = s
    return 3 * s * (1 - s) ** 2 * y1 + 3 * s * s * (1 - s) * y2 + s ** 3


def animated(element, attribute, part):
    """What an attribute is at a part of the animation."""
    for animate in element.findall(SVG + "animate"):
        if animate.get("attributeName") != attribute:
            continue
        values, times = animate.get("values").split(";"), [float(at) for at in animate.get("keyTimes").split(";")]
        assert len(values) == len(times) and times == sorted(times) and times[0] == 0
        if animate.get("calcMode") == "discrete":
            return values[max(i for i in range(len(times)) if times[i] <= part)]
        values = [float(value) for value in values]
        at = max(i for i in range(len(times) - 1) if times[i] <= part)
        share = (part - times[at]) / (times[at + 1] - times[at]) if times[at + 1] > times[at] else 1
        if animate.get("calcMode") == "spline":
            share = bezier(*[float(number) for number in animate.get("keySplines").split(";")[at].split()], share)
        return values[at] + (values[at + 1] - values[at]) * share
    return element.get(attribute)


class Svg:
    """A picture that moves, as a viewer of SVGs shows it."""

    def __init__(self, name, *arguments):
        collide("render", "box.rec", "-o", name, "--width", "440", *arguments)
        self.root = xml.etree.ElementTree.parse(name).getroot()
        # The floor is 40 units long, from the origin on.
        left, self.zero, right, _ = map(float, re.findall(r"[\d.]+", next(self.root.iter(SVG + "path")).get("d")))
        self.left, self.scale = left, (right - left) / 40

    def circles(self, part):
        """{id: (x, y, r)} of those that are seen, in units of the world."""
        found = {}
        for circle in self.root.findall(SVG + "circle"):
            title = circle.find(SVG + "title")
            if title is None or animated(circle, "visibility", part) == "hidden":
                continue
            number = int(title.text.split()[1])
            assert number not in found
            x, y = float(animated(circle, "cx", part)), float(animated(circle, "cy", part))
            edge = float(circle.get("r")) + float(circle.get("stroke-width")) / 2
            found[number] = ((x - self.left) / self.scale, (self.zero - y) / self.scale, edge / self.scale)
        return found

    def walls(self, part):
        """{(x1, y1, x2, y2): whether it is dashed} of walls that are seen, as they are at the start of the picture."""
        found = {}
        for wall in self.root.iter(SVG + "path"):
            if animated(wall, "visibility", part) != "hidden":
                x1, y1, x2, y2 = map(float, re.findall(r"[\d.]+", wall.get("d")))
                ends = (x1 - self.left, self.zero - y1, x2 - self.left, self.zero - y2)
                found[tuple(round(end / self.scale) for end in ends)] = wall.get("stroke-dasharray") is not None
        return found


class Replay(unittest.TestCase):
    def test_last_state(self):
        self.assertEqual(HASH, hash_of(collide("replay", "box.rec", "--format", "none")))

    def test_seek(self):
        """From each tick on every number of every frame is that of playing all."""
        everything = frames()
        self.assertEqual(TICKS, len(everything))
        for tick in sorted({0, 29, 200, 239, *EFFECT, *(tick - 1 for tick in EFFECT)}):
            self.assertEqual(everything[tick:], frames("--at", str(tick)))
            if tick > 0:
                verified = hash_of(collide("world", "verify", "box.rec", "--at", str(tick)))
                self.assertEqual(json.loads(everything[tick - 1])["hash"], str(int(verified, 16)))
        self.assertEqual(everything[120:130], frames("--at", "2s", "-n", "10"))
        self.assertEqual(everything[129:], frames("--at", "2.15s"))

    def test_seek_beyond(self):
        for at in ("240", "1000", "4s", "1e300s"):
            told = collide("replay", "box.rec", "--at", at, status=2).stderr.decode()
            self.assertIn("the recording has the ticks 0 to 240, so that it can begin after 0 to 239 (0 s to 3.98333333 s)", told)

    def test_render_states(self):
        """What is seen at the end of a tick is what its frame says."""
        svg, states = Svg("box.svg"), [json.loads(line)["bodies"] for line in frames()]
        radius = {0: 0.5, 1: 0.8, 2: 0.6, 3: 1, 4: 0.7, 50: 0.3}
        for tick in range(1, TICKS):
            seen, bodies = svg.circles((tick - 1e-3) / TICKS), states[tick - 1]
            self.assertEqual(bodies["id"], sorted(seen), tick)
            for i, number in enumerate(bodies["id"]):
                wanted = 1.1 if number == 0 and tick >= EFFECT[2] else radius[number]
                x, y, r = seen[number]
                self.assertAlmostEqual(bodies["x"][i], x, delta=0.03, msg=f"circle {number} after tick {tick}")
                self.assertAlmostEqual(bodies["y"][i], y, delta=0.03, msg=f"circle {number} after tick {tick}")
                self.assertAlmostEqual(wanted, r, delta=2e-3)
        # Within a tick: a bullet of 0.01 s, at 600 units a second.
        x, y, _ = svg.circles((EFFECT[0] - 1 + 0.3) / TICKS)[51]
        self.assertAlmostEqual(37 - 600 * 0.3 * DT, x, delta=0.2)
        self.assertAlmostEqual(16, y, delta=0.02)
        self.assertNotIn(51, svg.circles((EFFECT[0] - 1 + 0.7) / TICKS))

    def test_render_walls(self):
        svg = Svg("walls.svg")
        _, off, on, gone = EFFECT
        for tick in (1, off - 2, off, on - 2, on, gone - 2, gone, TICKS - 1):
            dashed, there = off <= tick < on - 1, on <= tick < gone - 1
            walls = svg.walls(tick / TICKS)
            self.assertEqual(dashed, walls[15, 0, 15, 12], tick)
            self.assertEqual(there, (20, 9, 28, 11) in walls, tick)
            self.assertEqual(6 + there, len(walls))

    def test_render_at(self):
        """It begins where --at says."""
        svg, states = Svg("at.svg", "--at", "100", "-n", "40"), [json.loads(line)["bodies"] for line in frames("--at", "100")]
        for tick in range(1, 40):
            seen = svg.circles((tick - 1e-3) / 40)
            self.assertEqual(states[tick - 1]["id"], sorted(seen))
            for i, number in enumerate(states[tick - 1]["id"]):
                self.assertAlmostEqual(states[tick - 1]["x"][i], seen[number][0], delta=0.03)
                self.assertAlmostEqual(states[tick - 1]["y"][i], seen[number][1], delta=0.03)

    def test_picture(self):
        collide("replay", "box.rec", "--format", "none", "--svg", "box_paths.svg")
        with open("box_paths.svg", encoding="utf-8") as picture:
            self.assertIn(f"hash {HASH}", picture.read())

    def test_speed(self):
        """At its own rate: 30 ticks take no less than 29 of their 30 times."""
        began = time.monotonic()
        self.assertEqual(30, len(frames("--ticks", "30", "--speed", "1")))
        self.assertGreaterEqual(time.monotonic() - began, 29 * DT)

    def test_cut(self):
        """What came before the cut is played; then it is said where and why it ends."""
        with open("box.rec", "rb") as whole:
            data = whole.read()
        with open("cut.rec", "wb") as cut:
            cut.write(data[:-5])
        everything = frames()
        done = collide("replay", "cut.rec", "--format", "json", status=1)
        self.assertEqual(everything[:TICKS - 1], done.stdout.splitlines())
        self.assertRegex(done.stderr.decode(), r"^collide replay: cut.rec: byte \d+: message \d+: the file ends after \d+ of its \d+ bytes\n"
                         r"  what comes before is whole: ticks 0 to 239\n")
        self.assertIn(b"cut.rec: byte", collide("render", "cut.rec", "-o", "cut.svg").stderr)
        self.assertIn(b"cut.rec: byte", collide("world", "verify", "cut.rec", "-o", "cut.world", status=1).stderr)
        self.assertTrue(os.path.getsize("cut.world") > 0)
        with open("none.rec", "wb") as none:
            none.write(data[:1000])
        self.assertIn(b"none.rec: byte 0: message 1: the file ends after", collide("replay", "none.rec", status=2).stderr)


if __name__ == "__main__":
    daemon = subprocess.Popen([COLLIDED, "--listen", "127.0.0.1:0", "--port-file", "port"], stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: os.path.exists("port") and os.path.getsize("port") > 0)
        with open("port", encoding="utf-8") as port:
            os.environ["COLLIDE_CONNECT"] = "127.0.0.1:" + port.read().strip()
        HASH = world_record()
        unittest.main(argv=sys.argv[:1])
    finally:
        daemon.terminate()
        daemon.wait(30)
