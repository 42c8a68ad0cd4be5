"""The example game of client/follow/example: bots play, a page is made of the paths, and the follower in it reads all of them."""
import json
import os
import re
import shutil
import subprocess
import sys

from outside_client import PROGRAM, WithDaemon, box, circle
from outside_wire import Daemon

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../client/follow/example")


class Game(WithDaemon):
    def test_shots(self):
        """What a player has seen is hit, all of it, and as good as nothing if the world is asked as it is."""
        told = subprocess.run([sys.executable, "-B", os.path.join(FOLDER, "shot.py"), "127.0.0.1:%d" % self.daemon.port, "40"], check=True,
                              capture_output=True, text=True, timeout=3600).stdout
        shots, now, seen = map(int, re.search(r"(\d+) shots at .* ago: (\d+) hit it as the world is, (\d+) as it was", told).groups())
        self.assertEqual((shots, seen), (40, 40), told)
        self.assertLess(now, 20, told)

    def test_arena_and_page(self):
        """For as long as it takes until some bullets have hit, and the page has some updates."""
        seconds = 2
        while not self.arena_and_page(seconds):
            seconds *= 2

    def arena_and_page(self, seconds):
        """Of a daemon of its own, as the game's world has a name. False: there was too little in this time."""
        folder = self.folder.name
        daemon = Daemon(PROGRAM)
        self.addCleanup(daemon.stop)
        scene, secret, page = (os.path.join(folder, name) for name in ("scene.json", "secret", "page.html"))
        circles = [circle(60.0 * (i % 4) - 90, 60.0 * (i // 4) - 90, radius=8.0) for i in range(16)]
        with open(scene, "w", encoding="utf-8") as file:
            json.dump({"circles": circles, "segments": box(150.0)}, file)
        address = "127.0.0.1:%d" % daemon.port
        python = [sys.executable, "-B"]
        with subprocess.Popen(python + [os.path.join(FOLDER, "arena.py"), scene, address, secret, str(2 * seconds)], stdout=subprocess.PIPE,
                              text=True) as arena:
            self.assertIn("16 players among 4 walls", arena.stdout.readline())
            told = subprocess.run(python + [os.path.join(FOLDER, "page.py"), address, secret, page, str(seconds)], check=False, capture_output=True,
                                  text=True, timeout=3600)
            bullets, hits = map(int, re.search(r"(\d+) bullets, (\d+) hits", arena.stdout.read()).groups())
        self.assertEqual(arena.returncode, 0)
        if told.returncode:  # it began a minute after the game was over
            self.assertIn("NO_SUCH_WORLD", told.stderr)
            return False
        told = told.stdout
        if min(bullets, hits) <= 5 or int(told.split()[1]) <= 20:
            return False
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
        numbers = subprocess.run(["node", os.path.join(folder, "page.mjs")], check=True, capture_output=True, text=True, timeout=3600).stdout
        updates, tick, count = map(int, numbers.split())
        self.assertEqual(updates, int(told.split()[1]))
        self.assertGreater(tick, 20)
        self.assertGreaterEqual(count, 16)
        return True
