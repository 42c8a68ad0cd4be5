"""STREAM_PATHS, read by client/follow/python: every state to the bit, in worlds of many kinds under random commands."""
import json
import math
import os
import random
import struct
import subprocess

from followers import Follower, FollowError
from outside_client import INVALID, PROGRAM, circle, rounds
from outside_worlds import DT, WithWorlds


def walls(*lines, **more):
    return [dict(id=1000 + i, x1=a, y1=b, x2=c, y2=d, **more) for i, (a, b, c, d) in enumerate(lines)]


def box(half, **more):
    return walls((-half, -half, half, -half), (half, -half, half, half), (half, half, -half, half), (-half, half, -half, -half), **more)


def crowd(chance, count, half, speed, **more):
    """Circles on a grid, so that none overlap, with velocities of random directions."""
    side = math.ceil(math.sqrt(count))
    step = 2 * half / side
    out = []
    for i in range(count):
        way = chance.uniform(0, 2 * math.pi)
        out.append(circle(-half + (i % side + 0.5) * step, -half + (i // side + 0.5) * step, vx=speed * math.cos(way), vy=speed * math.sin(way),
                          id=1 + 2 * i, radius=min(0.4, step / 3), **more))
    return out


def gas(chance):
    return {"circles": crowd(chance, 64, 15, 6.0), "segments": box(16)}


def bouncing(chance):
    return {"circles": crowd(chance, 48, 15, 6.0, restitution=0.9), "segments": box(16), "gravity_y": -9.81}


def heap(chance):
    """Rough circles that fall, come to rest and sleep."""
    return {"circles": crowd(chance, 40, 4, 1.0, restitution=0.1, friction=0.5), "segments": box(5, friction=0.5), "gravity_y": -9.81,
            "sleep_after": 0.4}


def rolling(chance):
    circles = crowd(chance, 10, 12, 3.0, friction=0.6, restitution=0.3, rolling_resistance=0.01)
    return {"circles": circles, "segments": box(13, friction=0.6), "gravity_y": -9.81, "gravity_x": 0.5}


def moving(chance):
    """Walls that move, doors, kinematic and static circles."""
    circles = crowd(chance, 30, 12, 4.0, restitution=0.8)
    for each, kind in zip(circles, (2, 2, 3)):
        each.update(kind=kind, **({"vx": 0.0, "vy": 0.0} if kind == 3 else {}))
    segments = box(16) + [dict(id=2000, x1=-14, y1=-15, x2=14, y2=-15, vy=0.25, vx=1 / 3),
                          dict(id=2001, x1=0, y1=-10, x2=0, y2=10, radius=0.2)]
    return {"circles": circles, "segments": segments, "gravity_y": -3.0}


def damped(chance):
    """Damping, spin, a greatest speed, gravity scales."""
    circles = crowd(chance, 40, 12, 8.0, friction=0.4, restitution=0.7)
    for i, each in enumerate(circles):
        each.update(linear_damping=0.1 * (i % 4), angular_damping=0.3 * (i % 3), gravity_scale=(1.0, 0.0, -0.5, 2.0)[i % 4],
                    angular_velocity=float(i % 5), angle=0.1 * i)
    return {"circles": circles, "segments": box(13, friction=0.3), "gravity_y": -4.0, "speed_max": 7.0}


def damped_for_minutes(chance):
    """The same with a speed below which nothing bounces. Without one, what is damped bounces off elastic walls ever lower and ever more often:
    after two minutes a tick has its fill of collisions."""
    return dict(damped(chance), restitution_threshold=0.5)


def bullets(chance):
    """Circles that end at their hit, after a time, or beyond the bounds."""
    circles = crowd(chance, 36, 12, 12.0, restitution=1.0)
    for i, each in enumerate(circles):
        if i % 3 == 0:
            each.update(remove_groups=1)
        elif i % 3 == 1:
            each.update(lifetime_ticks=20 + i)
    bounds = dict(x_min=-13, y_min=-13, x_max=13, y_max=13)
    return {"circles": circles, "segments": walls((-8, -13, 8, -13), (-8, 13, 8, 13)), "bounds": bounds}


def tight(chance):
    """Too many to fit by far, overlapping: pushes, crushes, parked circles."""
    circles = [circle(chance.uniform(-2, 2), chance.uniform(-2, 2), vx=chance.uniform(-30, 30), id=i + 1, radius=0.5, restitution=0.5)
               for i in range(30)]
    return {"circles": circles, "segments": box(3, friction=0.2), "gravity_y": -9.81, "events_per_body_max": 20}


def rules(chance):
    """Contact rules: some stop, some see; some slide; thick walls."""
    circles = crowd(chance, 40, 12, 9.0, restitution=0.8, friction=0.3)
    for i, each in enumerate(circles):
        each.update(group=i % 4, **({"stop_groups": 1 << 1} if i % 4 == 0 else {"report_groups": 1 << 3} if i % 4 == 2 else {}))
        if i % 7 == 0:
            each.update(response=chance.choice((2, 3)))
    return {"circles": circles, "segments": box(13, friction=0.4, radius=0.3), "gravity_y": chance.choice((0.0, -5.0)), "gravity_x": 1.0}


def belts(chance):
    """Surfaces that run, sensors, kinematic circles that turn, a one-sided wall and one that moves."""
    circles = crowd(chance, 40, 9, 3.0, restitution=0.2, friction=0.7, rolling_resistance=0.02)
    for i, each in enumerate(circles):
        each.update(surface_speed=chance.uniform(-3, 3) if i % 5 == 0 else 0.0, angular_damping=0.2, linear_damping=0.05)
        if i % 9 == 0:
            each.update(kind=2, vx=1.0, vy=0.3, angular_velocity=1.0)
        if i % 11 == 0:
            each.update(sensor=True)
    segments = box(10, friction=0.6, surface_speed=2.0)
    segments += [dict(id=2000, x1=-9, y1=-9, x2=9, y2=-7, one_sided=True, friction=0.5),
                 dict(id=2001, x1=-5, y1=-3, x2=5, y2=-3, vx=0.7, vy=-0.1, radius=0.1, friction=0.4)]
    return {"circles": circles, "segments": segments, "gravity_y": -9.81, "sleep_after": chance.choice((0.0, 0.3)),
            "speed_max": chance.choice((0.0, 6.0)), "restitution_threshold": 0.5}


def pile(chance):
    """Circles that turn, one above the other."""
    circles = [circle(chance.uniform(-1, 1), 1 + 0.9 * i, id=i + 1, radius=0.4, friction=0.4, restitution=0.0,
                      angular_velocity=chance.uniform(-3, 3)) for i in range(24)]
    return {"circles": circles, "segments": walls((-3, 0, 3, 0), (-3, 0, -3, 30), (3, 0, 3, 30), friction=0.5), "gravity_y": -9.81,
            "sleep_after": 0.2}


WAD = os.path.join(os.environ.get("DOOMWADDIR", "/usr/share/games/doom"), "freedoom1.wad")


def map_crowd(chance):
    """A crowd in a real map."""
    command = [os.path.join(os.path.dirname(PROGRAM), "collide"), "import", WAD, "--map", "E1M1", "--circles", "64", "--seed", "1"]
    plain = {name: value for name, value in os.environ.items() if not name.startswith("COLLIDE_")}
    scene = json.loads(subprocess.run(command, check=True, capture_output=True, timeout=600, env=plain).stdout)
    walls = {name: column for name, column in scene["segmentColumns"].items() if name != "count"}
    circles = [dict(each, id=1 + 2 * i, restitution=chance.choice((1.0, 0.9))) for i, each in enumerate(scene["circles"])]
    return {"circles": circles, "segment_columns": dict(walls, count=len(walls["x1"]))}


SCENES = (gas, bouncing, heap, rolling, moving, damped, bullets, tight)
MORE_SCENES = SCENES + (rules, belts, pile)


def bits(*values):
    return struct.pack("<%dd" % len(values), *values)


class Paths(WithWorlds):
    ticks = 240

    def commands(self, chance, ids, made):
        """A batch of random commands, as fields of Commands."""
        some = chance.sample(ids, min(len(ids), 3))
        what = chance.randrange(11)
        if what == 0:
            # Of a few directions, as players choose, and others.
            few = [6 / 7, -6 / 7, 22 / 7, -1 / 3]
            return dict(velocities=dict(id=some, vx=[chance.choice([*few, chance.uniform(-9, 9)]) for _ in some],
                                        vy=[chance.choice([*few, chance.uniform(-9, 9)]) for _ in some]))
        if what == 1:
            return dict(pushes=dict(id=some, impulse_x=[chance.uniform(-2, 2) for _ in some], impulse_y=[1.0 for _ in some]))
        if what == 2:
            return dict(pushes=dict(id=some, force_x=[chance.uniform(-9, 9) for _ in some], force_y=[1.0 for _ in some],
                                    ticks=[chance.randint(1, 9) for _ in some]))
        if what == 3:
            made[0] += 1
            return dict(spawn=dict(id=[5000 + made[0]], x=[chance.uniform(-9, 9)], y=[chance.uniform(-9, 9)], vx=[1.0], radius=[0.3],
                                   angular_velocity=[2.0], friction=[0.5], linear_damping=[chance.choice((0.0, 0.5))]))
        if what == 4:
            return dict(remove=some[:1])
        if what == 5:
            return dict(places=dict(id=some[:1], x=[chance.uniform(-9, 9)] * len(some[:1]), y=[chance.uniform(-9, 9)] * len(some[:1])))
        if what == 6:
            return dict(changes=dict(id=some, radius=[0.25 for _ in some], gravity_scale=[0.5 for _ in some]))
        if what == 7:
            return dict(disable_segments=[1001])
        if what == 8:
            return dict(places=dict(id=some, x=[chance.uniform(-9, 9) for _ in some], y=[chance.uniform(-9, 9) for _ in some], swept=True))
        if what == 9:
            return dict(gravity=dict(x=chance.uniform(-9, 9), y=chance.choice((-9.81, 0.0, chance.uniform(-9, 9)))))
        return dict(enable_segments=[1001])

    def follow(self, make, seed, every, acting):
        chance = random.Random(seed)
        scene = make(chance)
        info = self.create(scene, policy=self.policy(dt=1 / 60, hash_every=7))
        seat = self.attach(info)
        reader = dict(world=info.name, secret=info.join_secret)
        states = self.talk.send(subscribe=dict(stream=self.schema.STREAM_STATES, every=1, spectator=reader))
        paths = self.talk.send(subscribe=dict(stream=self.schema.STREAM_PATHS, every=every, contacts=seed % 2 == 0, spectator=reader))
        seen, made = {}, [0]

        def on_tick(follower):
            seen[follower.tick] = [(name, bits(one.x, one.y, one.vx, one.vy, one.angle, one.spin))
                                   for name, one in sorted(follower.circles.items())], {
                name: bits(one.x1, one.y1, one.x2, one.y2) for name, one in follower.segments.items() if one.moved}

        follower = Follower(on_tick=on_tick)
        tick = sent = 0

        def read():
            while self.talk.filed[paths]:
                follower.update(self.talk.filed[paths].popleft().world_update.SerializeToString())

        while tick < self.ticks:
            read()
            if chance.random() < acting and follower.circles:
                sent = seat.send(skip_missing=True, **self.commands(chance, sorted(follower.circles), made))
            ticks = chance.randint(1, 5)
            self.stepped(seat, ticks)
            tick += ticks
        self.stepped(seat, every - tick % every)
        read()
        self.assertEqual(sent > 3, acting > 0)
        if sent:
            seat.wait(sent)
            refused = [outcome for outcome in seat.told.values() if outcome.code]
            self.assertLess(len(refused), sent / 2)
        told = moved = 0
        while self.talk.filed[states]:
            update = self.talk.filed[states].popleft().world_update
            frame = update.frame
            if update.tick not in seen or (not frame.bodies.id and len(frame.ends.body) + len(frame.shortfalls.body) > 0):
                continue
            bodies = frame.bodies
            angles = bodies.angle or [0.0] * len(bodies.id)
            spins = bodies.angular_velocity or [0.0] * len(bodies.id)
            wanted = [(name, bits(*row)) for name, *row in zip(bodies.id, bodies.x, bodies.y, bodies.vx, bodies.vy, angles, spins)]
            circles, segments = seen[update.tick]
            self.assertEqual(circles, wanted, (make.__name__, seed, update.tick))
            told += 1
            places = frame.moving_segments
            for name, *row in zip(places.id, places.x1, places.y1, places.x2, places.y2):
                self.assertEqual(segments[name], bits(*row), (make.__name__, update.tick))
                moved += 1
        self.assertGreaterEqual(told, self.ticks - every)
        self.assertEqual(moved > 0, make in (moving, belts))
        self.talk.ask(destroy_world=dict(name=info.name, secret=info.owner_secret))

    def test_states(self):
        for i, make in enumerate(SCENES):
            with self.subTest(scene=make.__name__):
                self.follow(make, 2 * i, 1 + i % 5, 0.0)

    def test_states_under_commands(self):
        for i, make in enumerate(MORE_SCENES):
            for seed in range(rounds(1, 3)):
                with self.subTest(scene=make.__name__, seed=seed):
                    self.follow(make, 100 * i + seed, 1 + (i + seed) % 7, 0.3)

    def test_names(self):
        """Velocities that commands repeat take a byte, for readers that came later and from another region too."""
        info = self.create({"circles": [circle(4.0 * i, 0) for i in range(8)]})
        seat, ways = self.attach(info), [6 / 7, -1 / 3, 22 / 7, -5 / 9]
        spectator = dict(world=info.name, secret=info.join_secret)
        box = dict(box=dict(x_min=-100, y_min=-100, x_max=2, y_max=100))
        sizes, readers, tick = [], {}, 0

        def join(**more):
            readers[self.talk.send(subscribe=dict(stream=self.schema.STREAM_PATHS, every=1, spectator=spectator, **more))] = Follower()

        def play(ticks):
            nonlocal tick
            for _ in range(ticks):
                tick += 1
                # The first tells its numbers by their bytes; in the next ticks they are what others have told.
                for name in range(8):
                    seat.send(velocities=dict(id=[name], vx=[ways[(tick + name) % 4]], vy=[ways[(tick + 3 * name) % 4]]))
                self.stepped(seat)
                for request, follower in readers.items():
                    update = self.talk.next(request).world_update
                    while update.tick < tick or (update.HasField("key") and update.tick == tick and not follower.dt):
                        follower.update(update.SerializeToString())
                        if follower.dt and follower.tick == tick:
                            break
                        update = self.talk.next(request).world_update
                    if follower.tick < tick:
                        follower.update(update.SerializeToString())
                    sizes.append((len(update.paths.values), update.paths.anew))
                    have = {name: bits(one.vx, one.vy) for name, one in follower.circles.items()}
                    want = {name: bits(ways[(tick + name) % 4], ways[(tick + 3 * name) % 4]) for name in have}
                    self.assertEqual(have, want, tick)

        join()
        play(4)
        self.assertEqual(sizes[-1], (16, False))
        join()  # the same encoding: its key makes all begin anew
        play(4)
        self.assertEqual(sum(anew for _, anew in sizes[4:]), 2)
        self.assertEqual(sizes[-2:], [(16, False)] * 2)
        join(region=box)
        play(3)
        request = list(readers)[-1]
        self.talk.next(self.talk.send(steer=dict(subscription=request, every=1)))
        play(6)
        self.assertEqual(len(readers[request].circles), 8)
        self.assertEqual(sizes[-3:], [(16, False)] * 3)
        self.assertGreater(sum(anew for _, anew in sizes), 4)

    def region_follow(self, make, seed):
        """Three readers of parts of a world under commands: what they have is as it is, and what touches their part they have."""
        chance = random.Random(seed)
        scene = make(chance)
        info = self.create(scene, policy=self.policy(dt=1 / 60))
        seat = self.attach(info)
        spectator = dict(world=info.name, secret=info.join_secret)
        states = self.talk.send(subscribe=dict(stream=self.schema.STREAM_STATES, every=1, spectator=spectator))
        middle = chance.choice(scene["circles"])["id"]
        boxes = [(-4.0, -4.0, 3.0, 2.0), (chance.uniform(-9, 0), -12.0, chance.uniform(0, 9), 0.0)]
        regions = [dict(box=dict(zip(("x_min", "y_min", "x_max", "y_max"), box))) for box in boxes]
        regions.append(dict(around=dict(circle=middle, radius=3.0)))
        readers, made, seen = [], [0], []
        for i, region in enumerate(regions):
            request = self.talk.send(subscribe=dict(stream=self.schema.STREAM_PATHS, every=1 + i, spectator=spectator, region=region))
            seen.append({})

            def on_tick(follower, at=i):
                seen[at][follower.tick] = {name: bits(one.x, one.y, one.vx, one.vy, one.angle, one.spin)
                                           for name, one in follower.circles.items()}

            readers.append((request, Follower(on_tick=on_tick)))
        everyone, tick = sorted(one["id"] for one in scene["circles"]), 0
        while tick < 180:
            if chance.random() < 0.4:
                seat.send(skip_missing=True, **self.commands(chance, everyone, made))
            self.stepped(seat, 3)
            tick += 3
            for request, follower in readers:
                while self.talk.filed[request]:
                    follower.update(self.talk.filed[request].popleft().world_update.SerializeToString())
        radius = {one["id"]: one["radius"] for one in scene["circles"]}
        had, entered = [0, 0, 0], [0, 0, 0]
        places = {}
        while self.talk.filed[states]:
            update = self.talk.filed[states].popleft().world_update
            bodies = update.frame.bodies
            if not bodies.id:
                continue
            angles = bodies.angle or [0.0] * len(bodies.id)
            spins = bodies.angular_velocity or [0.0] * len(bodies.id)
            truth = {name: bits(*row) for name, *row in zip(bodies.id, bodies.x, bodies.y, bodies.vx, bodies.vy, angles, spins)}
            before, places = places, dict(zip(bodies.id, zip(bodies.x, bodies.y)))
            if middle in before:
                x, y = before[middle]
                boxes[2:] = [(x - 3.0, y - 3.0, x + 3.0, y + 3.0)]
            for i, box in enumerate(boxes):
                told = seen[i].get(update.tick)
                if told is None:
                    continue
                for name, state in told.items():
                    self.assertEqual(state, truth.get(name), (make.__name__, seed, i, name, update.tick))
                had[i] += len(told)
                entered[i] += len(set(told) - set(seen[i].get(update.tick - 1, told)))
                for name, (x, y) in places.items():
                    reach = min(radius.get(name, 0.25), 0.25)
                    if box[0] - reach <= x <= box[2] + reach and box[1] - reach <= y <= box[3] + reach and (i < 2 or middle in before):
                        self.assertIn(name, told, (make.__name__, seed, i, update.tick, box, x, y))
        self.talk.ask(destroy_world=dict(name=info.name, secret=info.owner_secret))
        return had, entered

    def test_regions(self):
        had, entered = [0, 0, 0], [0, 0, 0]
        for i, make in enumerate(MORE_SCENES):
            with self.subTest(scene=make.__name__):
                for sums, more in zip((had, entered), self.region_follow(make, 1000 + i)):
                    sums[:] = [a + b for a, b in zip(sums, more)]
        self.assertGreater(min(had), 1000)
        self.assertGreater(min(entered), 50)

    def test_bad_regions(self):
        info = self.create(policy=self.policy())
        spectator = dict(world=info.name, secret=info.join_secret)
        box = dict(x_min=0, y_min=0, x_max=1, y_max=1)
        cases = [
            (dict(box=dict(box, x_max=-1)), "subscribe.region.box"),
            (dict(box=dict(box, y_min=float("nan"))), "subscribe.region.box"),
            (dict(box=dict(box, x_max=1e13)), "subscribe.region.box"),
            (dict(around=dict(circle=1)), "subscribe.region.around.radius"),
            (dict(around=dict(circle=1, radius=float("inf"))), "subscribe.region.around.radius"),
            ({}, "subscribe.region"),
        ]
        for region, field in cases:
            with self.subTest(region=region):
                reply = self.talk.ask(subscribe=dict(stream=self.schema.STREAM_PATHS, spectator=spectator, region=region))
                self.refused(reply, INVALID, "BAD_FIELD", field)
        reply = self.talk.ask(subscribe=dict(stream=self.schema.STREAM_STATES, spectator=spectator, region=dict(box=box)))
        self.refused(reply, INVALID, "BAD_FIELD", "subscribe.region")

    def test_many_regions_are_not_refused(self):
        """Beyond some they share: every reader gets a key that has what it asked for."""
        circles = [circle(3 * i, 0, id=i + 1) for i in range(200)]
        info = self.create({"circles": circles}, policy=self.policy())
        for i in range(100):
            request = self.talk.send(subscribe=dict(stream=self.schema.STREAM_PATHS, spectator=dict(world=info.name, secret=info.join_secret),
                                                    region=dict(box=dict(x_min=6 * i - 1, y_min=-1, x_max=6 * i + 1, y_max=1))))
            message = self.talk.next(request)
            self.assertEqual(message.WhichOneof("reply"), "world_update", message)
            self.assertIn(2 * i + 1, message.world_update.key.scene.circle_columns.id)

    def test_a_large_world(self):
        """A key in parts, and updates that come early as there is much to tell."""
        chance, side = random.Random(4), 142
        circles = [circle(1.2 * (i % side), 1.2 * (i // side), vx=chance.uniform(-9, 9), vy=chance.uniform(-9, 9), id=i + 1)
                   for i in range(side * side)]
        edge = 1.2 * side
        segments = walls((-1, -1, edge, -1), (edge, -1, edge, edge), (edge, edge, -1, edge), (-1, edge, -1, -1))
        columns = {key: [one[key] for one in circles] for key in circles[0] if key != "radius"}
        scene = {"circle_columns": dict(columns, radius=[0.5]), "segments": segments}
        info = self.create(scene, policy=self.policy(dt=1 / 60))
        seat, reader = self.attach(info), dict(world=info.name, secret=info.join_secret)
        self.assertGreater(len(circles), 16384)
        paths = self.talk.send(subscribe=dict(stream=self.schema.STREAM_PATHS, every=40, spectator=reader))
        follower, updates = Follower(), []
        for ticks in (1, 38, 1):
            self.stepped(seat, ticks)
            while self.talk.filed[paths]:
                update = self.talk.filed[paths].popleft().world_update
                updates += [] if update.HasField("key") else [update.tick]
                follower.update(update.SerializeToString())
        self.assertEqual(follower.tick, 40)
        self.assertGreater(len(updates), 1)
        states = self.talk.send(subscribe=dict(stream=self.schema.STREAM_STATES, every=1, spectator=reader))
        truth = {}
        while len(truth) < len(circles):
            bodies = self.talk.next(states).world_update.frame.bodies
            truth.update((name, bits(*row)) for name, *row in zip(bodies.id, bodies.x, bodies.y, bodies.vx, bodies.vy))
        self.assertEqual({name: bits(one.x, one.y, one.vx, one.vy) for name, one in follower.circles.items()}, truth)
