"""client_render.py COLLIDE: the SVGs and GIFs of `collide render`, read by other code than ours: where circles are at which time."""
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

COLLIDE = sys.argv.pop(1)
WORK = tempfile.TemporaryDirectory()
SVG = "{http://www.w3.org/2000/svg}"
# A throw in a box, a wall that moves, a circle that ends, in a picture of 440 by 240: 10 pixels a unit, and an edge of 20.
SCENE = """{"gravityY": -5, "circles": [{"x": 5, "y": 5, "vx": 4, "vy": 8, "radius": 0.5},
 {"x": 5, "y": 18, "vx": 10, "radius": 0.5, "gravityScale": 0, "lifetimeS": 1}],
 "segments": [{"x2": 40}, {"x1": 40, "x2": 40, "y2": 20}, {"x1": 40, "y1": 20, "y2": 20}, {"y1": 20},
 {"x1": 38, "y1": 5, "x2": 38, "y2": 8, "vx": -1}]}"""


def path(name):
    return os.path.join(WORK.name, name)


def render(name, *words, scene=SCENE):
    return subprocess.run([COLLIDE, "render", "-", "--local", "--ticks", "120", "-o", path(name), *words], input=scene.encode(),
                          capture_output=True, check=False)


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
        values = [float(value) for value in animate.get("values").split(";")]
        times = [float(time) for time in animate.get("keyTimes").split(";")]
        assert len(values) == len(times) and times == sorted(times) and times[0] == 0 and times[-1] == 1
        at = max(i for i in range(len(times) - 1) if times[i] <= part)
        share = (part - times[at]) / (times[at + 1] - times[at]) if times[at + 1] > times[at] else 1
        if animate.get("calcMode") == "spline":
            share = bezier(*[float(number) for number in animate.get("keySplines").split(";")[at].split()], share)
        return values[at] + (values[at + 1] - values[at]) * share
    return float(element.get(attribute))


class Gif:
    """Blocks of a GIF, without its pixels."""

    def __init__(self, data):
        assert data[:6] == b"GIF89a"
        self.width, self.height, flags = struct.unpack_from("<HHB", data, 6)
        self.delays, self.boxes, self.comment, self.loops = [], [], b"", None
        at = 13 + 3 * (2 << (flags & 7))
        while data[at] != 0x3B:
            if data[at] == 0x21:
                label, at = data[at + 1], at + 2
                blocks, at = self.blocks(data, at)
                if label == 0xF9:
                    self.delays.append(struct.unpack_from("<H", blocks, 1)[0])
                elif label == 0xFE:
                    self.comment = blocks
                elif label == 0xFF:
                    self.loops = struct.unpack_from("<H", blocks, 12)[0]
            else:
                assert data[at] == 0x2C
                self.boxes.append(struct.unpack_from("<HHHH", data, at + 1))
                _, at = self.blocks(data, at + 11)
        assert at == len(data) - 1

    @staticmethod
    def blocks(data, at):
        found = b""
        while data[at] != 0:
            found += data[at + 1:at + 1 + data[at]]
            at += 1 + data[at]
        return found, at + 1


class Rendered(unittest.TestCase):
    def test_svg_is_exact(self):
        done = render("a.svg", "--width", "440")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
        root = xml.etree.ElementTree.parse(path("a.svg")).getroot()
        self.assertRegex(root.find(SVG + "desc").text, r"^collide: 2 circles, 5 walls, 120 ticks, \d+ contacts, semantics \d+, state hash")
        scale, edge = (440 - 2 * 0.03 * 440) / 40, 0.03 * 440
        thrown, other = [circle for circle in root.findall(SVG + "circle") if circle.find(SVG + "title") is not None]
        for seconds in 0, 0.1, 0.77, 1.234, 1.6, 1.99:
            x, y = 5 + 4 * seconds, 5 + 8 * seconds - 2.5 * seconds ** 2
            self.assertAlmostEqual(animated(thrown, "cx", seconds / 2), edge + x * scale, delta=0.02)
            self.assertAlmostEqual(animated(thrown, "cy", seconds / 2), float(root.get("height")) / 2 - (y - 10) * scale, delta=0.02)
        hidden = [one for one in other.findall(SVG + "animate") if one.get("attributeName") == "visibility"]
        self.assertEqual(hidden[0].get("keyTimes"), "0;0.500000")
        moves = root.find(f".//{SVG}animateTransform")
        self.assertEqual(moves.get("values"), f"0 0;{-2 * scale:.2f} -0.00")

    def test_gif_lasts_as_long(self):
        done = render("a.gif", "--width", "200", "--fps", "15", "--speed", "1/2", "--from", "0.5", "--until", "1.5")
        if b"this build of collide has no GIFs" in done.stderr:
            self.skipTest("a build without giflib")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        with open(path("a.gif"), "rb") as file:
            gif = Gif(file.read())
        self.assertEqual((gif.width, len(gif.delays), sum(gif.delays), gif.loops), (200, 30, 200, 0))
        self.assertEqual(gif.boxes[0], (0, 0, gif.width, gif.height))
        self.assertLess(max(width * height for _, _, width, height in gif.boxes[1:]), gif.width * gif.height)
        self.assertRegex(gif.comment, rb"^collide: 2 circles, 5 walls, 120 ticks, .* state hash [0-9a-f]{16}")

    def test_a_long_gif_ends_by_a_signal(self):
        """One of some years, so that only the signal ends it: the first, and with a file that is whole up to there."""
        if b"this build of collide has no GIFs" in render("b.gif", "--until", "0.1").stderr:
            self.skipTest("a build without giflib")
        with subprocess.Popen([COLLIDE, "render", "-", "--local", "--ticks", "2", "-o", path("long.gif"), "--speed", "1e-12"],
                              stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdin.write(SCENE.encode())
            process.stdin.close()
            while not os.path.exists(path("long.gif")) or os.path.getsize(path("long.gif")) < 8192:
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            try:
                self.assertEqual(process.wait(300), 130)
            finally:
                process.kill()
            self.assertIn(b"collide render: interrupted; ", process.stderr.read())
        with open(path("long.gif"), "rb") as file:
            self.assertGreater(len(Gif(file.read()).delays), 1)

    def test_of_a_recording_the_same(self):
        recording = path("run.bin")
        subprocess.run([COLLIDE, "run", "-", "--local", "--ticks", "120", "--format", "none", "--record", recording], input=SCENE.encode(),
                       check=True, capture_output=True)
        render("scene.svg", "--title", "t")
        for source, given in (recording, None), ("-", recording):
            with open(given or os.devnull, "rb") as stdin:
                subprocess.run([COLLIDE, "render", source, "-o", path("recording.svg"), "--title", "t"], stdin=stdin, check=True)
            with open(path("scene.svg"), "rb") as one, open(path("recording.svg"), "rb") as other:
                self.assertEqual(one.read(), other.read())

    def test_wrong_words(self):
        for words, text in ((("-o", path("a.png")), r"-o .*a\.png: the name ends in none of \.html, \.svg and \.gif"),
                            (("--from", "3"), r"nothing is between --from 3 s and 2 s"),
                            (("-o", path("no/such/a.svg")), r"No such file")):
            done = render("a.svg", *words)
            self.assertNotEqual(done.returncode, 0)
            self.assertRegex(done.stderr.decode(), text)
        cut = path("states.bin")
        with open(cut, "wb") as file:
            file.write(b"\x05\x08\x01\x00\x00\x00")
        done = subprocess.run([COLLIDE, "render", cut, "-o", path("b.svg")], capture_output=True, check=False)
        self.assertEqual(done.returncode, 2)

    def test_a_title_is_text(self):
        render("a.html", "--title", "</title><script>alert('&')")
        with open(path("a.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertNotIn("<script>alert", page)
        self.assertEqual(len(re.findall("<script", page)), 3)
        self.assertNotRegex(page, r"https?://(?!www\.w3\.org)")

    def test_text_that_is_not_utf_8_is_replaced(self):
        """Names of files may be in Latin-1, and are titles. A form that is too long, a surrogate and a cut character are no UTF-8 either."""
        words = b"caf\xe9 \xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x82\xac \xe2\x82"
        for name in ("latin.svg", "latin.html"):
            self.assertEqual(render(name, "--title", words).returncode, 0)
        title = xml.etree.ElementTree.parse(path("latin.svg")).getroot().find(SVG + "title").text
        self.assertEqual(title, "caf? ?? ??? ???? \u20ac ??")
        with open(path("latin.html"), encoding="utf-8") as file:
            self.assertIn(f"<title>{title}</title>", file.read())
        subprocess.run([COLLIDE, "run", "-", "--local", "--ticks", "1", "--format", "none", "--svg", path("label.svg"), "--label", b"1,2," + words],
                       input=SCENE.encode(), check=True, stdout=subprocess.DEVNULL)
        texts = [element.text for element in xml.etree.ElementTree.parse(path("label.svg")).getroot().iter(SVG + "text")]
        self.assertIn(title.replace("?", "\ufffd"), texts)


if __name__ == "__main__":
    unittest.main()
