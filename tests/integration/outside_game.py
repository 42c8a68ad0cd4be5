"""The example game of client/follow/example: bots play, a page is made of the paths, and the follower in it reads all of them."""
import json
import os
import re
import shutil
import subprocess
import sys

from outside_client import WithDaemon, box, circle

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../client/follow/example")


class Game(WithDaemon):
    def test_shots(self):
        """What a player has seen is hit, all of it, and as good as nothing if the world is asked as it is."""
        told = subprocess.run([sys.executable, "-B", os.path.join(FOLDER, "shot.py"), "127.0.0.1:%d" % self.daemon.port, "40"], check=True,
                              capture_output=True, text=True, timeout=60).stdout
        shots, now, seen = map(int, re.search(r"(\d+) shots at .* ago: (\d+) hit it as the world is, (\d+) as it was", told).groups())
        self.assertEqual((shots, seen), (40, 40), told)
        self.assertLess(now, 20, told)

    def test_arena_and_page(self):
        folder = self.folder.name
        scene, secret, page = (os.path.join(folder, name) for name in ("scene.json", "secret", "page.html"))
        circles = [circle(60.0 * (i % 4) - 90, 60.0 * (i // 4) - 90, radius=8.0) for i in range(16)]
        with open(scene, "w", encoding="utf-8") as file:
            json.dump({"circles": circles, "segments": box(150.0)}, file)
        address = "127.0.0.1:%d" % self.daemon.port
        python = [sys.executable, "-B"]
        with subprocess.Popen(python + [os.path.join(FOLDER, "arena.py"), scene, address, secret, "4"], stdout=subprocess.PIPE,
                              text=True) as arena:
            self.assertIn("16 players among 4 walls", arena.stdout.readline())
            told = subprocess.run(python + [os.path.join(FOLDER, "page.py"), address, secret, page, "2"], check=True, capture_output=True,
                                  text=True, timeout=60).stdout
            bullets, hits = map(int, re.search(r"(\d+) bullets, (\d+) hits", arena.stdout.read()).groups())
        self.assertEqual(arena.returncode, 0)
        self.assertGreater(min(bullets, hits), 5)
        self.assertGreater(int(told.split()[1]), 20)
        if not shutil.which("node"):
            self.skipTest("there is no node: the page was not read")
        with open(page, encoding="utf-8") as file:
            follower, stream = re.search(r'<script type="module">\n(.*)\nconst STREAM = "([^"]*)";', file.read(), re.S).groups()
        reader = follower + """
const updates = new Delimited().take(Buffer.from("%s", "base64")), follower = new Follower();
for (const update of updates) follower.update(update);
console.log(updates.length, follower.tick, follower.circles.size);
""" % stream
        with open(os.path.join(folder, "page.mjs"), "w", encoding="utf-8") as file:
            file.write(reader)
        numbers = subprocess.run(["node", os.path.join(folder, "page.mjs")], check=True, capture_output=True, text=True, timeout=60).stdout
        updates, tick, count = map(int, numbers.split())
        self.assertEqual(updates, int(told.split()[1]))
        self.assertGreater(tick, 60)
        self.assertGreaterEqual(count, 16)
