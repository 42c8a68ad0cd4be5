"""The tutorials of docs/netcode.md in Python, each against a daemon, and the engine by ctypes: its structs, and what goes wrong.

LIBCOLLIDE_MIRROR is the path of libcollide-mirror.so. LIBCOLLIDE_PRELOAD: what must be loaded before it, of a sanitizer."""
import ctypes
import glob
import os
import re
import shutil
import subprocess
import sys
import unittest

from outside_client import WithDaemon, circle

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
FOLDER = os.path.join(SOURCE, "client/follow/example")
sys.path.insert(0, os.path.join(SOURCE, "client/follow/python/collide_mirror"))
import collide_mirror  # pylint: disable=wrong-import-position

LIBRARY, PRELOAD = os.environ.get("LIBCOLLIDE_MIRROR"), os.environ.get("LIBCOLLIDE_PRELOAD")
STRUCTS = dict(collide_violation=collide_mirror.Violation, collide_error=collide_mirror.Error, collide_mirrored=collide_mirror.Mirrored,
               collide_followed_circle=collide_mirror.Circle, collide_mirror_corrected=collide_mirror.Corrected,
               collide_mirror_corrections=collide_mirror.Corrections, collide_mirror_difference=collide_mirror.Difference,
               collide_outcome=collide_mirror.Outcome)


class Tutorials(WithDaemon):
    def told(self, name, *arguments):
        environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0", **({"LD_PRELOAD": PRELOAD} if PRELOAD else {}))
        return subprocess.run([sys.executable, "-B", os.path.join(FOLDER, name), "127.0.0.1:%d" % self.daemon.port, *arguments], check=True,
                              capture_output=True, text=True, timeout=600, env=environment).stdout

    def test_paths(self):
        told = self.told("paths.py")
        self.assertRegex(told, r"^40 updates, [1-9]\d* turns, [1-9]\d* pictures; [1-9]\d* states compared with the server's, 0 differ$")

    @unittest.skipUnless(LIBRARY, "libcollide-mirror cannot be loaded")
    def test_predict(self):
        """As client_predict has it of the one in C."""
        told = self.told("predict.py")
        self.assertRegex(told, r"(?m)^tick \d+: the ball is at -3\.000$")
        predicted, hashes, ahead = map(int, re.search(
            r"(?m)^\d+ of (\d+) inputs as predicted, (\d+) hashes as the server's, (\d+) ticks ahead at most$", told).groups())
        self.assertGreater(min(predicted, hashes, ahead), 0, told)

    @unittest.skipUnless(LIBRARY, "libcollide-mirror cannot be loaded")
    def test_lockstep(self):
        lines = self.told("lockstep.py").splitlines()
        self.assertRegex(lines[0], r"^player 0: tick 120, the other is at \d\.\d+, 120 hashes as the server's$")
        self.assertRegex(lines[1], r"^player 1: tick 120, the other is at -\d\.\d+, 120 hashes as the server's$")

    def test_each_is_short(self):
        files = glob.glob(os.path.join(FOLDER, "*.py")) + glob.glob(os.path.join(SOURCE, "client/**/example_*.c"), recursive=True)
        self.assertGreaterEqual(len(files), 12)
        for path in files:
            with open(path, encoding="utf-8") as file:
                self.assertLess(len(file.readlines()), 150, path)


@unittest.skipUnless(LIBRARY and not PRELOAD, "libcollide-mirror cannot be loaded")
class Engine(WithDaemon):
    def test_structs_are_those_of_the_headers(self):
        """Sizes and places of all members, as the compiler has them."""
        compiler = shutil.which("cc")
        if not compiler:
            self.skipTest("there is no compiler")
        wanted, lines = [], []
        for name, struct in STRUCTS.items():
            wanted.append(ctypes.sizeof(struct))
            lines.append('printf("%%zu\\n", sizeof(struct %s));' % name)
            for member, _ in struct._fields_:
                wanted += [getattr(struct, member).offset, getattr(struct, member).size]
                lines.append('printf("%%zu\\n%%zu\\n", offsetof(struct %s, %s), sizeof((struct %s){0}.%s));' % (name, member, name, member))
        program = os.path.join(self.folder.name, "structs")
        with open(program + ".c", "w", encoding="ascii") as file:
            file.write("#include <collide.h>\n#include <collide_mirror.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void) { %s }\n" %
                       "\n".join(lines))
        subprocess.run([compiler, "-std=c17", "-I", SOURCE + "/client/lib", "-I", SOURCE + "/client/mirror", program + ".c", "-o", program],
                       check=True)
        self.assertEqual([int(line) for line in subprocess.run([program], check=True, capture_output=True).stdout.split()], wanted)

    def test_the_library_is_of_this_version(self):
        self.assertEqual(collide_mirror.LIBRARY, re.sub(r"\.\d+$", "", "libcollide-mirror.so." + self.project_version()))
        self.assertTrue(os.path.exists(os.path.join(os.path.dirname(LIBRARY), collide_mirror.LIBRARY)))

    @staticmethod
    def project_version():
        with open(SOURCE + "/CMakeLists.txt", encoding="utf-8") as file:
            return re.search(r"project\(collided VERSION ([0-9.]+)", file.read()).group(1)

    def world(self):
        """A world that is stepped, its seat, and the id of a subscription to its commands."""
        pb = self.schema
        info = self.connection.ask(create_world=dict(
            scene=dict(circles=[circle(0, 0, vx=1), circle(4, 0)]), policy=dict(dt=0.25, clock=pb.CLOCK_CLIENT, hash_every=1))).world_info
        self.connection.send(attach=dict(world=info.name, secret=info.owner_secret, right=pb.RIGHT_STEP))
        seat = self.connection.receive().attached
        reader = self.connection.send(subscribe=dict(handle=seat.handle, stream=pb.STREAM_COMMANDS, every=1))
        return seat, reader

    def test_it_is_the_server_bit_for_bit(self):
        """Also what is predicted, by the bytes of Commands that name their tick: it is confirmed, not made again."""
        pb, ticks = self.schema, []
        with collide_mirror.Mirror() as mirror:
            mirror.on_tick(lambda mirror: ticks.append(mirror.state.tick))
            with self.assertRaises(collide_mirror.MirrorError) as early:
                mirror.predict(1, 1, b"")
            self.assertEqual(early.exception.reason, "NO_KEY")
            self.assertIsNone(mirror.snapshot())
            self.assertEqual((mirror.advance(9), mirror.circles(), mirror.difference), (0, [], None))
            seat, reader = self.world()
            self.follow(mirror, reader, 0)
            batch = dict(handle=seat.handle, sequence=1, tick=3, velocities=dict(id=[1], vx=[-2.5]))
            self.connection.send(0, commands=batch)
            mirror.predict(seat.seat, 1, pb.Commands(**batch).SerializeToString())
            self.assertEqual(mirror.advance(6), 6)
            self.connection.send(step_world=dict(handle=seat.handle, ticks=6))
            self.follow(mirror, reader, 6)
            told = mirror.state
            self.assertEqual((told.predicted, told.confirmed, told.moved, told.remade, told.tick), (1, 1, 0, 0, 6))
            self.assertEqual((told.hashes, ticks), (6, [1, 2, 3, 4, 5, 6]))
            self.assertEqual([(one.id, one.radius) for one in mirror.circles()], [(0, 0.5), (1, 0.5)])
            self.assertIsNone(mirror.circle(7))
            state = self.schema.WorldState.FromString(mirror.snapshot())
            self.assertGreater(len(state.engine), 100)
            with self.assertRaises(collide_mirror.MirrorError) as broken:
                mirror.update(b"\xff")
            self.assertEqual(broken.exception.reason, "MALFORMED")

    def test_another_is_corrected(self):
        """What this player predicts is refused by the server; what it was not told of happens."""
        pb = self.schema
        with collide_mirror.Mirror() as mirror:
            seat, reader = self.world()
            self.follow(mirror, reader, 0)
            batch = dict(sequence=1, tick=2, velocities=dict(id=[0], vx=[8.0]))
            mirror.predict(seat.seat, 1, pb.Commands(**batch).SerializeToString())
            mirror.advance(2)
            self.assertEqual(mirror.circle(0).x, 0.25 + 2)
            mirror.outcome(seat.seat, pb.Outcome(sequence=1, code=7, reason="RIGHT"))
            [corrected] = mirror.corrections.circles
            self.assertEqual((corrected.id, corrected.x, corrected.gone, mirror.corrections.own), (0, 0.25 - 2, False, 1))
            self.assertEqual(mirror.circle(0).x, 0.5)

    def follow(self, mirror, reader, tick):
        while not mirror.state.ready or mirror.state.told_tick < tick:
            message = self.connection.receive()
            if message.request_id == reader:
                mirror.update(message.world_update.SerializeToString())
