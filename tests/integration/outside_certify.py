"""What a follower of STREAM_PATHS makes of worlds under commands, judged by the certificate. No two circles overlap on their paths, no centre
crosses a wall, and each path goes on where it was. The certificate is given nothing but what the stream says (follow_certify.c).

COLLIDE_CERTIFY_TICKS: how many ticks of each world (600)."""
import math
import os
import random
import subprocess
import sys
import tempfile
import unittest

import outside_paths
from followers import Follower
from outside_client import PROGRAM, circle
from outside_paths import box, crowd
from outside_wire import delimited
from outside_worlds import WithWorlds

TICKS = int(os.environ.get("COLLIDE_CERTIFY_TICKS", "600"))
CERTIFY = os.path.join(os.path.dirname(PROGRAM), "follow_certify")
DT, STEP = 1 / 60, 3
TIME, VX, VY, X, Y, END = 1, 8, 16, 32, 64, 128
NUMBERS = TIME | VX | VY | X | Y | 256 | 512 | 1024 | 2048  # bits of a row that have a number


def arena(chance):
    """64 circles among walls, 16 of which players move."""
    segments = box(16) + [dict(id=2000 + i, x1=-10 + 5 * i, y1=-4 + 2 * (i % 2), x2=-8 + 5 * i, y2=2 - 2 * (i % 3), radius=0.1 * (i % 2))
                          for i in range(5)]
    circles = [one for one in crowd(chance, 100, 15, 6.0) if clear(one["x"], one["y"], 0.9, [], segments)]
    return {"circles": circles[:64], "segments": segments}


def shots(chance):
    """Bullets that end at their hit or after a time, between circles that stay."""
    segments = box(13) + [dict(id=2001, x1=-4, y1=1, x2=5, y2=-2)]
    circles = [one for one in crowd(chance, 40, 12, 5.0) if clear(one["x"], one["y"], 0.5, [], segments)]
    return {"circles": circles, "segments": segments,
            "bounds": dict(x_min=-20, y_min=-20, x_max=20, y_max=20)}


def doors(chance):
    """A wall that moves up and one that is a door."""
    circles = crowd(chance, 30, 12, 4.0, restitution=0.8)
    circles = [one for one in circles if abs(one["x"]) > 1]
    return {"circles": circles, "segments": box(16) + [dict(id=2000, x1=-15.9, y1=-15.5, x2=15.9, y2=-15.5, vy=0.003, vx=0.0),
                                                       dict(id=2001, x1=0, y1=-10, x2=0, y2=10, radius=0.2)], "gravity_y": -3.0}


def clear(x, y, reach, circles, segments):
    """Whether a circle of that radius there is apart from these."""
    for x_other, y_other, radius in circles:
        if math.hypot(x - x_other, y - y_other) <= reach + radius:
            return False
    for wall in segments:
        dx, dy = wall["x2"] - wall["x1"], wall["y2"] - wall["y1"]
        part = min(1, max(0, ((x - wall["x1"]) * dx + (y - wall["y1"]) * dy) / (dx * dx + dy * dy)))
        if math.hypot(x - wall["x1"] - part * dx, y - wall["y1"] - part * dy) <= reach + wall.get("radius", 0):
            return False
    return True


def segments_of(scene):
    if "segments" in scene:
        return scene["segments"]
    columns = scene["segment_columns"]
    return [dict(x1=a, y1=b, x2=c, y2=d) for a, b, c, d in zip(*(columns[name] for name in ("x1", "y1", "x2", "y2")))]


class Certify(WithWorlds):
    def commands(self, chance, make, scene, follower, made):
        """What players do before the next tick: fields of Commands, or None. What is put into the world is put where there is room."""
        circles = follower.circles
        ids = sorted(circles)
        if make is arena:  # 16 players, each six times a second
            acting = [name for name in ids[:16] if chance.random() < 6 * STEP * DT]
            return dict(velocities=dict(id=acting, vx=[chance.uniform(-9, 9) for _ in acting], vy=[chance.uniform(-9, 9) for _ in acting]))
        what = chance.randrange(8)
        if what == 0 and ids:
            some = chance.sample(ids, min(len(ids), 3))
            return dict(velocities=dict(id=some, vx=[chance.uniform(-9, 9) for _ in some], vy=[chance.uniform(-9, 9) for _ in some]))
        if what == 1 and ids:
            some = chance.sample(ids, min(len(ids), 3))
            return dict(pushes=dict(id=some, force_x=[chance.uniform(-9, 9) for _ in some], force_y=[1.0 for _ in some],
                                    ticks=[chance.randint(1, 9) for _ in some]))
        if what == 2 and make is doors:
            door = [wall for wall in segments_of(scene) if wall["id"] == 2001]
            shut = all(clear(one.x, one.y, one.radius + 0.01, [], door) for one in circles.values())
            return dict(enable_segments=[2001]) if shut and chance.random() < 0.5 else dict(disable_segments=[2001])
        if what == 3 and len(ids) > 30:
            return dict(remove=[chance.choice(ids)])
        if len(ids) < 64 and (what > 5 or make is shots):
            there = [(one.x, one.y, one.radius) for one in circles.values()]
            corners = [(one["x"], one["y"]) for one in scene["circles"]]
            reach = chance.choice(scene["circles"])["radius"]
            x, y = (value + chance.uniform(-1, 1) for value in chance.choice(corners))
            walls = [dict(x1=one.x1, y1=one.y1, x2=one.x2, y2=one.y2, radius=one.radius) for one in follower.segments.values()]
            walls = walls or segments_of(scene)
            if not clear(x, y, reach + 0.05, there, walls):
                return None
            made[0] += 1
            way = chance.uniform(0, 2 * math.pi)
            speed = 40.0 if make is shots else 4.0
            more = dict(remove_groups=[1], lifetime_ticks=[90]) if make is shots else {}
            return dict(spawn=dict(id=[5000 + made[0]], x=[x], y=[y], vx=[speed * math.cos(way)], vy=[speed * math.sin(way)], radius=[reach],
                                   restitution=[1.0], **more))
        return None

    def recorded(self, make, seed, ticks=TICKS):
        """The updates of a world under commands, with how driven circles move; and how many batches took effect."""
        chance = random.Random(seed)
        scene = make(chance)
        self.talk = self.connect_talk()
        info = self.create(scene, policy=self.policy(dt=DT))
        seat = self.attach(info)
        paths = self.talk.send(subscribe=dict(stream=self.schema.STREAM_PATHS, every=STEP, driven_legs=True,
                                              spectator=dict(world=info.name, secret=info.join_secret)))
        follower, updates, made, sent = Follower(), [], [0], 0

        def read():
            updates.append(self.talk.next(paths).world_update)
            follower.update(updates[-1].SerializeToString())

        read()  # the key
        while follower.tick < ticks:
            commands = self.commands(chance, make, scene, follower, made) if chance.random() < 0.5 else None
            if commands:
                sent = seat.send(skip_missing=True, **commands)
            self.stepped(seat, STEP)
            tick = follower.tick
            while follower.tick == tick:
                read()
        seat.wait(sent)
        refused = sum(outcome.code != 0 for outcome in seat.told.values())
        self.talk.ask(destroy_world=dict(name=info.name, secret=info.owner_secret))
        return updates, sent - refused

    def certified(self, updates):
        """Whether nothing is wrong with these, and what is said of them."""
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"".join(delimited(update.SerializeToString()) for update in updates))
            file.flush()
            done = subprocess.run([CERTIFY, file.name], capture_output=True, text=True, timeout=1800, check=False)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return done.returncode == 0, done.stdout

    def judge(self, make, seed):
        updates, acted = self.recorded(make, seed)
        good, said = self.certified(updates)
        if TICKS > 6000:  # it takes minutes
            print("  %s, %d batches: %s" % (make.__name__, acted, said.strip()), file=sys.stderr, flush=True)
        self.assertTrue(good, said)
        self.assertGreater(acted, TICKS / 60)
        self.assertIn("%d ticks" % TICKS, said)

    def test_worlds(self):
        for i, make in enumerate((outside_paths.gas, arena, outside_paths.bouncing, shots, doors, outside_paths.pile)):
            with self.subTest(scene=make.__name__):
                self.judge(make, i)

    @unittest.skipUnless(os.path.exists(outside_paths.WAD), "Freedoom's maps are not here: DOOMWADDIR")
    def test_a_crowd_in_a_map(self):
        self.judge(outside_paths.map_crowd, 20)

    def spoiled(self, updates, at, spoil):
        """The same, of which one differs."""
        copy = self.schema.WorldUpdate.FromString(updates[at].SerializeToString())
        spoil(copy.paths)
        return updates[:at] + [copy] + updates[at + 1:]

    def test_a_row_that_is_missing(self):
        """A bounce that is not told is found, each time: the circle goes on into what it hit."""
        for make in (outside_paths.gas, outside_paths.bouncing):
            updates, _ = self.recorded(make, 3, 300)
            self.assertTrue(self.certified(updates)[0])
            chance, found = random.Random(1), 0
            bounces = [(at, row) for at, update in enumerate(updates) for row in bounces_of(update.paths) if at < len(updates) - 30]
            for at, row in chance.sample(bounces, 12):
                good, said = self.certified(self.spoiled(updates, at, lambda paths, row=row: row_drop(paths, row)))
                self.assertFalse(good, (make.__name__, at, row))
                found += " 0 overlaps" not in said or " 0 escapes" not in said
            self.assertGreater(found, 9)

    def test_a_bit_that_is_flipped(self):
        """In the second byte of a number of a bounce, which changes it by a part in hundreds or more."""
        updates, _ = self.recorded(outside_paths.gas, 4, 300)
        chance, found = random.Random(2), 0
        bounces = [(at, row) for at, update in enumerate(updates) for row in bounces_of(update.paths) if at < len(updates) - 30]
        for at, row in chance.sample(bounces, 12):
            def flip(paths, row=row):
                _, _, first, values = list(rows_of(paths))[row]
                if len(values) > 1:
                    paths.values = paths.values[:first + 1] + bytes([paths.values[first + 1] ^ 8]) + paths.values[first + 2:]
            good, said = self.certified(self.spoiled(updates, at, flip))
            found += not good and (" 0 overlaps" not in said or " 0 escapes" not in said)
        self.assertGreater(found, 5)


def halves(paths):
    return [code for byte in paths.codes for code in (byte & 15, byte >> 4)]


def rows_of(paths):
    """Of each row: its bits, the place of its first code, and of its first value, and its values."""
    codes, code, value = halves(paths), 0, 0
    for what in paths.what:
        count = bin(what & NUMBERS).count("1")
        size = sum(0 if one in (6, 7) else one if one <= 8 else one - 8 for one in codes[code:code + count])
        yield what, code, value, paths.values[value:value + size]
        code, value = code + count, value + size


def bounces_of(paths):
    """Rows within ticks that tell a velocity, each the only one at its time."""
    rows = list(rows_of(paths))
    for i, (what, *_) in enumerate(rows):
        alone = i + 1 == len(rows) or rows[i + 1][0] & (TIME | END)
        if what & TIME and what & (VX | VY) and not what & END and alone:
            yield i


def row_drop(paths, row):
    codes = halves(paths)
    what, code, value, values = list(rows_of(paths))[row]
    del codes[code:code + bin(what & NUMBERS).count("1")]
    codes += [0] * (len(codes) % 2)
    paths.codes = bytes(low | high << 4 for low, high in zip(codes[::2], codes[1::2]))
    paths.values = paths.values[:value] + paths.values[value + len(values):]
    del paths.body[row], paths.what[row]
    tick = 0
    while row >= paths.rows_in_tick[tick]:
        row, tick = row - paths.rows_in_tick[tick], tick + 1
    paths.rows_in_tick[tick] -= 1
