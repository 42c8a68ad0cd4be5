"""The followers of client/follow against the server: recorded streams, each read by all of them, to the same bits as STREAM_STATES, and
places within ticks against the engine's own paths.

COLLIDE_FOLLOW_TICKS: how many ticks of each scene (600). COLLIDE_FOLLOW_SCENES: of test_streams only these (all), "damped tight".
COLLIDE_FOLLOW_ACTING: parts of steps with commands (0,0.5). COLLIDE_FOLLOW_WRITE: a folder that the streams and what is expected go to."""
import hashlib
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import outside_certify
import outside_paths
from followers import Delimited
from outside_client import PROGRAM
from outside_wire import delimited
from outside_worlds import WithWorlds

HERE = os.path.dirname(os.path.abspath(__file__))
FOLLOW = os.path.join(HERE, "../follow")
FOLLOWERS = [[sys.executable, "-B", os.path.join(FOLLOW, "follow.py")]]
if shutil.which("node"):
    FOLLOWERS.append(["node", os.path.join(FOLLOW, "follow.mjs")])
FOLLOWERS.append([os.path.join(os.path.dirname(PROGRAM), "follow_c")])
TICKS = int(os.environ.get("COLLIDE_FOLLOW_TICKS", "600"))
ACTING = [float(part) for part in os.environ.get("COLLIDE_FOLLOW_ACTING", "0,0.5").split(",")]
SCENES = os.environ.get("COLLIDE_FOLLOW_SCENES", "").split()
DT = 1 / 60


def few(chance):
    """Circles that come to lie on each other."""
    scene = outside_paths.pile(chance)
    return dict(scene, circles=scene["circles"][:6])


def digested(line):
    """A line with states in hexadecimal as one with their digest; others as they are."""
    tick, rest = line.split(" ", 1)
    return line if tick == "at" or len(rest) == 16 else "%s %s" % (tick, hashlib.sha256(bytes.fromhex(rest)).hexdigest()[:16])


class Follow(WithWorlds):
    def expected(self, update, ids):
        """The line of a tick, from its states."""
        states, bodies = hashlib.sha256(), update.frame.bodies
        angles = bodies.angle or [0.0] * len(bodies.id)
        spins = bodies.angular_velocity or [0.0] * len(bodies.id)
        for row in zip(bodies.id, bodies.x, bodies.y, bodies.vx, bodies.vy, angles, spins):
            states.update(struct.pack("<I6d", *row))
        places = update.frame.moving_segments
        for row in sorted(zip(places.id, places.x1, places.y1, places.x2, places.y2)):
            states.update(struct.pack("<I4d", *row))
        ids[update.tick] = list(bodies.id)
        return "%d %s" % (update.tick, states.hexdigest()[:16])

    def test_regions(self):
        """What outside_paths holds against states in Python, the others read in the same way."""
        for i, make in enumerate(outside_paths.SCENES):
            box = dict(x_min=-4, y_min=-12, x_max=5, y_max=1)
            stream, _, _ = self.record(make, 50 + i, 0.4, dict(region=dict(box=box)))
            first, *others = self.followed(stream, "")
            self.assertGreater(len(first), TICKS - 6)
            for other in others:
                self.assertEqual(first, other, make.__name__)

    def record(self, make, seed, acting, more=None):
        """The stream of a world, the lines that must come of it, and the scene."""
        chance = random.Random(seed)
        scene = make(chance)
        self.talk = self.connect_talk()  # the one before may have been idle for long
        info = self.create(scene, policy=self.policy(dt=DT))
        seat = self.attach(info)
        reader = dict(world=info.name, secret=info.join_secret)
        subscribe = dict(every=1, spectator=reader)
        states = self.talk.send(subscribe=dict(subscribe, stream=self.schema.STREAM_STATES))
        paths = self.talk.send(subscribe=dict(subscribe, **dict(dict(stream=self.schema.STREAM_PATHS, every=3), **(more or {}))))
        lines, stream, ids, tick, made = [], bytearray(), {0: sorted(one["id"] for one in scene["circles"])}, 0, [0]
        while tick < TICKS:
            if chance.random() < acting and ids[tick]:
                seat.send(skip_missing=True, **outside_paths.Paths.commands(self, chance, ids[tick], made))
            self.stepped(seat, 3)  # so few that the reader keeps pace, in heaps too
            tick += 3
            while self.talk.filed[states]:
                update = self.talk.filed[states].popleft().world_update
                rows = len(update.frame.ends.body) + len(update.frame.shortfalls.body)
                if update.tick > 0 and not update.HasField("key") and (update.frame.bodies.id or not rows):
                    lines.append(self.expected(update, ids))
            ids = {tick: ids[max(ids)]}
            while self.talk.filed[paths]:
                stream += delimited(self.talk.filed[paths].popleft().world_update.SerializeToString())
        self.talk.ask(destroy_world=dict(name=info.name, secret=info.owner_secret))
        return bytes(stream), lines, scene

    def followed(self, stream, places):
        """What each follower prints."""
        with tempfile.TemporaryDirectory() as folder:
            files = [os.path.join(folder, name) for name in ("stream", "places")]
            for path, content in zip(files, (stream, places.encode())):
                with open(path, "wb") as file:
                    file.write(content)
            return [[digested(line) for line in subprocess.run(command + files, check=True, capture_output=True, text=True,
                                                               timeout=1200).stdout.splitlines()] for command in FOLLOWERS]

    def test_within(self):
        """The same of states within a tolerance, which outside_within holds against states in Python: at updates and between them."""
        for i, make in enumerate(outside_paths.SCENES):
            near = dict(stream=self.schema.STREAM_STATES, tolerance=0.01, driven_tolerance=0.02)
            stream, _, scene = self.record(make, 70 + i, 0.4, near)
            chance = random.Random(i)
            asked = sorted((chance.uniform(0.1, (TICKS - 6) * DT), chance.choice(scene["circles"])["id"]) for _ in range(200))
            first, *others = self.followed(stream, "".join("%d %s\n" % (circle, time.hex()) for time, circle in asked))
            self.assertGreater(len([line for line in first if not line.startswith("at ")]), TICKS // 3 - 3)
            self.assertEqual(len([line for line in first if line.startswith("at ")]), 200)
            for other in others:
                self.assertEqual(first, other, make.__name__)
            self.write("within-%s" % make.__name__, stream, [line for line in first if not line.startswith("at ")])

    def test_limited(self):
        """The same with bytes limited, so that circles are left out; outside_limited says that it is told which."""
        left_out = 0
        for i, make in enumerate(outside_paths.SCENES):
            near = dict(stream=self.schema.STREAM_STATES, tolerance=0.0002, driven_tolerance=0.0004, bytes_per_second=768)
            stream, _, _ = self.record(make, 110 + i, 0.4, near)
            first, *others = self.followed(stream, "")
            self.assertGreater(len(first), 0)
            for other in others:
                self.assertEqual(first, other, make.__name__)
            left_out += self.left_out(stream)
            if make in (outside_paths.gas, outside_paths.heap):
                self.write("limited-%s" % make.__name__, stream, first)
        self.assertGreater(left_out, 40)

    def left_out(self, stream):
        """In how many updates circles were left out."""
        return sum(self.schema.WorldUpdate.FromString(update).stale_error > 0 for update in Delimited().take(stream))

    def test_streams(self):
        for i, make in enumerate((*outside_paths.SCENES, outside_certify.arena)):
            for acting in ACTING if not SCENES or make.__name__ in SCENES else ():
                with self.subTest(scene=make.__name__, acting=acting):
                    long = TICKS > 6000
                    stream, lines = self.compared(outside_paths.damped_for_minutes if long and make is outside_paths.damped else make, i, acting)
                    if make is not outside_certify.arena:
                        self.write("%s%s" % (make.__name__, "-acted" if acting else ""), stream, lines)

    def compared(self, make, seed, acting):
        """A world's stream and its states, which all followers make of it."""
        stream, lines, _ = self.record(make, seed, acting)
        self.assertGreaterEqual(len(lines), TICKS - 1)
        for told in self.followed(stream, ""):
            first = lines.index(told[0])
            self.assertEqual(told, lines[first:first + len(told)])
            self.assertGreater(len(told), TICKS - 6)
        if TICKS > 6000:  # it takes minutes
            print("  %s, acting %g: %d ticks of %d followers, 0 differ" % (make.__name__, acting, len(told), len(FOLLOWERS)), file=sys.stderr, flush=True)
        return stream, lines

    @unittest.skipUnless(os.path.exists(outside_paths.WAD), "Freedoom's maps are not here: DOOMWADDIR")
    def test_a_crowd_in_a_map(self):
        for acting in ACTING:
            self.compared(outside_paths.map_crowd, 11, acting)
            near = dict(stream=self.schema.STREAM_STATES, tolerance=0.05)
            stream, _, _ = self.record(outside_paths.map_crowd, 12, acting, near)
            first, *others = self.followed(stream, "")
            self.assertGreater(len(first), TICKS // 3 - 3)
            for other in others:
                self.assertEqual(first, other)

    def test_legs_under_commands(self):
        """Readers with driven_legs and without, of all and of a region: the same states."""
        for i, make in enumerate((outside_paths.heap, outside_paths.moving, outside_paths.damped, outside_paths.tight, few)):
            box = dict(x_min=-4, y_min=-12, x_max=5, y_max=1)
            acting = 0.0 if make is few else 0.4
            stream, lines, _ = self.record(make, 90 + i, acting, dict(driven_legs=True))
            for told in self.followed(stream, ""):
                first = lines.index(told[0])
                self.assertEqual(told, lines[first:first + len(told)], make.__name__)
                self.assertGreater(len(told), TICKS - 6)
            if make is few:
                self.write("legs-few", stream, lines)
            if make not in (outside_paths.heap, few):
                continue
            here, legs = [self.record(make, 90 + i, acting, dict(region=dict(box=box), driven_legs=one))[0] for one in (False, True)]
            told, *others = self.followed(here, "") + self.followed(legs, "")
            for other in others:  # a key comes a little sooner or later
                count = min(len(told), len(other))
                self.assertEqual(told[-count:], other[-count:], make.__name__)
                self.assertGreater(count, TICKS - 6)

    def test_legs_are_an_encoding(self):
        """Readers that ask for driven_legs share one encoding, and have none in common with others."""
        info = self.create(outside_paths.pile(random.Random(1)), policy=self.policy(dt=DT))
        seat = self.attach(info)
        reader = dict(world=info.name, secret=info.join_secret)
        requests = [self.talk.send(subscribe=dict(stream=self.schema.STREAM_PATHS, every=1, spectator=reader, driven_legs=legs))
                    for legs in (False, True, True, False)]
        self.stepped(seat, 150)
        self.assertEqual(self.listed(info.name).encodings, 2)
        told = [b"".join(message.world_update.SerializeToString() for message in list(self.talk.filed[request])[-140:]) for request in requests]
        self.assertEqual(told[0], told[3])
        self.assertEqual(told[1], told[2])
        self.assertGreater(len(told[1]), 1.25 * len(told[0]))

    def write(self, name, stream, lines):
        folder = os.environ.get("COLLIDE_FOLLOW_WRITE")
        if folder:
            with open(os.path.join(folder, name + ".stream"), "wb") as file:
                file.write(stream)
            with open(os.path.join(folder, name + ".states"), "w", encoding="ascii") as file:
                file.write("\n".join(lines) + "\n")

    def simulated(self, scene):
        """The engine's own pieces of path of each tick and circle, which are driven in it, and when they end."""
        frames, _ = self.connect().simulate(scene=scene, dt=DT, ticks=TICKS, every=1, paths=True)
        pieces, driven, ends = {}, set(), {}
        for frame in frames:
            changes, paths = frame.path_changes, frame.paths
            ends.update(((tick, body), time) for tick, body, time in zip(frame.ends.tick, frame.ends.body, frame.ends.time))
            driven.update((tick, body) for tick, body, kind in zip(changes.tick, changes.body, changes.kind)
                          if kind == self.schema.PATH_KIND_LED)
            for row in zip(paths.tick, paths.body, paths.time, paths.x, paths.y, paths.vx, paths.vy, paths.ax, paths.ay):
                pieces.setdefault((row[0], row[1]), []).append(row[2:])
        return pieces, driven, ends

    def places_are_the_engines(self, make, legs):
        """A thousand random times within ticks: with `legs` of all circles, half of them driven where some are; else of those that are not."""
        stream, lines, scene = self.record(make, 77, 0.0, dict(driven_legs=legs))
        pieces, driven, ends = self.simulated(scene)
        chance, asked, circles = random.Random(5), [], [one["id"] for one in scene["circles"]]
        some = sorted(key for key in driven if 12 <= key[0] < TICKS - 12 and key in pieces)
        while len(asked) < 1000:
            tick, circle = chance.randrange(12, TICKS - 12), chance.choice(circles)
            if legs and some and chance.random() < 0.5:
                tick, circle = chance.choice(some)
            if (tick, circle) in pieces and (legs or (tick, circle) not in driven):
                asked.append(((tick - 1) * DT + chance.random() * DT * 0.999, tick, circle))
        asked.sort()
        wanted = {}
        for time, tick, circle in asked:
            t = time - (tick - 1) * DT
            t0, x, y, vx, vy, ax, ay = [piece for piece in pieces[tick, circle] if piece[0] <= t][-1]
            s = t - t0
            wanted[circle, time] = "none" if t >= ends.get((tick, circle), DT) else struct.pack("<2d", x + s * (vx + 0.5 * s * ax), y + s * (vy + 0.5 * s * ay)).hex()
        places = "".join("%d %s\n" % (circle, time.hex()) for time, _, circle in asked)
        for told in self.followed(stream, places):
            answers = [line.split() for line in told if line.startswith("at ")]
            self.assertEqual(len(answers), 1000)
            for _, circle, time, place in answers:
                self.assertEqual(place[:32], wanted[int(circle), float.fromhex(time)], (make.__name__, circle, time))
            ticks = [line for line in told if not line.startswith("at ")]
            first = lines.index(ticks[0])
            self.assertEqual(ticks, lines[first:first + len(ticks)])
        return len(some)

    def test_places_within_ticks(self):
        """Places of circles that are not driven, against the pieces of path that Simulate tells."""
        for make in (outside_paths.gas, outside_paths.bouncing, outside_paths.damped):
            self.places_are_the_engines(make, False)

    def test_places_on_legs(self):
        """The same of all circles, those that the rest solver drives too."""
        driven = [self.places_are_the_engines(make, True) for make in (outside_paths.heap, outside_paths.damped, outside_paths.bullets,
                                                                        outside_paths.tight, outside_paths.belts, outside_paths.pile)]
        self.assertGreater(sum(count > TICKS for count in driven), 3, driven)
