#!/usr/bin/env python3
"""client_world_replay.py COLLIDED COLLIDE: recordings of worlds, played.

A world with all that commands do to it is recorded, and played by replay and render. From any tick on it has the same bits. In pictures
each shape is seen while it is there, and where its states say.

TESTS_ZSTD=OFF in the environment: the command was built so, and no recording is compressed.
"""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

COLLIDED, COLLIDE = map(os.path.abspath, sys.argv[1:3])
WITH_ZSTD = os.environ.get("TESTS_ZSTD", "ON") != "OFF"
needs_zstd = unittest.skipUnless(WITH_ZSTD, "the command was built without zstd")
PAGE_WORLD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "node/page_world.js")
WORK = tempfile.TemporaryDirectory()
os.chdir(WORK.name)
SVG = "{http://www.w3.org/2000/svg}"
TICKS, DT = 240, 1 / 60
EFFECT = []  # the ticks at which the batches took effect
KILLED = []  # the tick of the world when a recorder was killed
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
    done = subprocess.run([COLLIDE, *arguments], input=data, capture_output=True, check=False, timeout=600)
    assert done.returncode == status, (arguments, done.returncode, done.stderr)
    return done


def wait_until(there):
    end = time.monotonic() + 600
    while not there():
        assert time.monotonic() < end
        time.sleep(0.02)


def world_record():
    with open("box.json", "w", encoding="utf-8") as scene:
        scene.write(SCENE)
    collide("world", "create", "box.json", "--name", "box", "--clock", "client", "-k", "box.secret")
    key = ["-k", "box.secret"]
    recorders = [recorder_start(key, "box.rec")]
    if WITH_ZSTD:
        recorders += [recorder_start(key, "box.rec.zst"), recorder_start(key, "killed.rec", "--zstd")]
    tick = 0
    for batch, before in zip(BATCHES, (29, 59, 89, 149)):
        if tick < before:
            collide("world", "step", "box", *key, "-n", str(before - tick))
        tick = max(tick, before)
        with open("batch.json", "w", encoding="utf-8") as out:
            out.write(f'{{"tick": "{tick + 1}", {batch[1:]}')
        sender = subprocess.Popen([COLLIDE, "world", "send", "box", "batch.json", "--right", "all", *key], stdout=subprocess.PIPE)
        pause = 0.1
        while sender.poll() is None:  # tick by tick, ever more slowly: a sender that takes its time costs few ticks
            time.sleep(pause)
            pause *= 1.5
            collide("world", "step", "box", *key, "-n", "1")
            tick += 1
        sent = sender.stdout.read().decode()
        assert sender.returncode == 0 and "took" in sent, sent
        EFFECT.append(int(re.findall(r"took effect at tick +(\d+)", sent)[0]))
    # What came by now is soon in the file, and stays there when the recorder is killed.
    if WITH_ZSTD:
        wait_until(lambda: len(subprocess.run([COLLIDE, "replay", "killed.rec", "--format", "json"], capture_output=True,
                                              check=False).stdout.splitlines()) >= tick)
        KILLED.append(tick)
        recorders[2].kill()
    stepped = collide("world", "step", "box", *key, "-n", str(TICKS - tick))
    for recorder in recorders[:2]:
        assert recorder.wait(600) == 0
    return hash_of(stepped)


def recorder_start(key, name, *more):
    """It has written the state that the world begins with."""
    recorder = subprocess.Popen([COLLIDE, "world", "record", "box", *key, "-o", name, "-n", str(TICKS), "-e", "1", *more],
                                stdout=subprocess.DEVNULL)
    wait_until(lambda: os.path.exists(name) and os.path.getsize(name) > 0)
    return recorder


def hash_of(done):
    return re.findall(r"state hash +([0-9a-f]{16})", done.stdout.decode())[-1]


def frames(*arguments):
    name = () if arguments and not arguments[0].startswith("-") else ("box.rec",)
    return collide("replay", *name, "--format", "json", *arguments).stdout.splitlines()


def pieces(data):
    """The messages of a file."""
    found, at = [], 0
    while at < len(data):
        size = shift = 0
        while True:
            byte, at = data[at], at + 1
            size |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        found.append(data[at:at + size])
        at += size
    return found


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
        source = () if arguments and not arguments[0].startswith("-") else ("box.rec",)
        collide("render", *source, "-o", name, "--width", "440", *arguments)
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

    @needs_zstd
    def test_compressed(self):
        """A file that is compressed is the same recording; as another program unpacks it, too."""
        with open("box.rec", "rb") as plain, open("box.rec.zst", "rb") as packed:
            plain, packed = plain.read(), packed.read()
        self.assertLess(len(packed), len(plain))
        if shutil.which("zstd"):
            unpacked = subprocess.run(["zstd", "-d", "-c"], input=packed, capture_output=True, check=True).stdout
            self.assertEqual(len(pieces(unpacked)), len(collide("decode", "box.rec.zst").stdout.splitlines()))
            with open("unpacked.rec", "wb") as out:
                out.write(unpacked)
            self.assertEqual(HASH, hash_of(collide("world", "verify", "unpacked.rec")))
        everything = frames()
        self.assertEqual(everything, frames("box.rec.zst"))
        self.assertEqual(everything, collide("replay", "-", "--format", "json", data=packed).stdout.splitlines())
        self.assertEqual(HASH, hash_of(collide("world", "verify", "box.rec.zst")))
        self.assertIn(b"the same states from tick 0 to 240", collide("world", "diff", "box.rec", "box.rec.zst").stdout)
        self.assertEqual(Svg("plain.svg").circles(0.5), Svg("packed.svg", "box.rec.zst").circles(0.5))
        collide("render", "-", "-o", "piped.svg", data=packed)

    @needs_zstd
    def test_killed(self):
        """The recorder was killed when the file had this tick: nothing of it is lost."""
        everything, tick = frames(), KILLED[0]
        done = collide("replay", "killed.rec", "--format", "json", status=1)
        self.assertEqual(everything[:tick], done.stdout.splitlines())
        self.assertRegex(done.stderr.decode(), r"^collide replay: killed.rec: unpacked byte \d+: message \d+: the file ends within a frame of "
                         r"zstd, which was not written to its end\n  what comes before is whole: ticks 0 to %d\n" % tick)
        collide("world", "verify", "killed.rec", "-o", "killed.world", status=1)
        collide("world", "create", "killed.world", "--name", "again", "--clock", "client", "-k", "again.secret")

    @needs_zstd
    def test_damaged(self):
        """Wherever it is cut or changed: what is wrong is said, what is printed is right, and nothing crashes."""
        with open("box.rec.zst", "rb") as whole:
            data, everything = whole.read(), frames()
        random.seed(5)
        cuts = [data[:random.randrange(1, len(data))] for _ in range(25)]
        for _ in range(60):
            noise = bytearray(data)
            noise[random.randrange(4, len(noise))] ^= 1 << random.randrange(8)
            cuts.append(bytes(noise))
        for damaged in cuts:
            done = subprocess.run([COLLIDE, "replay", "-", "--format", "json"], input=damaged, capture_output=True, check=False, timeout=600)
            lines = done.stdout.splitlines()
            if done.returncode == 0:  # a bit of no meaning, such as of the size of the window
                self.assertEqual(everything, lines)
                continue
            self.assertIn(done.returncode, (1, 2), done.stderr)
            self.assertRegex(done.stderr, rb"^collide replay: stdin: (unpacked byte|byte|\S.* hash|after tick)")
            if damaged in cuts[:25]:
                self.assertEqual(everything[:len(lines)], lines)

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

    def test_summary(self):
        """What a part comes to is of that part."""
        told = collide("replay", "box.rec", "--at", "100", "-n", "20", "--format", "none").stdout.decode()
        self.assertRegex(told, r"(?m)^ticks +20 of 4 circles, 2 s of the scene$")
        self.assertRegex(told, r"(?m)^energy drift +\S+, \S+ of the largest kinetic energy")
        # Energy that commands gave and took is theirs, and no momentum is unexplained.
        whole = collide("replay", "box.rec", "--format", "none").stdout.decode()
        self.assertRegex(whole, r"(?m)^  given by +commands \d+")
        self.assertNotIn("unexplained", whole)

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

    def test_render_colours(self):
        """A circle that is defined anew, or put elsewhere, keeps its colour."""
        fills = {}
        for circle in Svg("colours.svg").root.findall(SVG + "circle"):
            if circle.find(SVG + "title") is not None:
                fills.setdefault(circle.find(SVG + "title").text, []).append(circle.get("fill"))
        self.assertEqual({2}, {len(fills[f"circle {number}"]) for number in (0, 1, 3)})
        self.assertEqual({1}, {len(set(colours)) for colours in fills.values()})
        self.assertGreater(len({colours[0] for colours in fills.values()}), 5)

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

    def test_page(self):
        if not shutil.which("node"):
            self.skipTest("there is no node: the page was not read")
        collide("render", "box.rec", "-o", "box.html")
        with open("box.jsonl", "wb") as out:
            out.write(b"\n".join(frames()))
        told = subprocess.run(["node", PAGE_WORLD, "box.html", "box.jsonl"], check=True, capture_output=True, timeout=600).stdout
        self.assertEqual(b"240 ticks, 6 walls at the start, 7 at most\n", told)

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
