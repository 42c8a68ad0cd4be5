"""STREAM_STATES with a tolerance, read by client/follow/python: every place of every update is within it, in worlds of many kinds under
random commands. Readers that come later have the same. What is refused."""
import math
import os
import random
import unittest

import outside_paths
from followers import Follower, FollowError
from outside_client import EXHAUSTED, INVALID, circle, rounds
from outside_paths import bits
from outside_worlds import WithWorlds

# COLLIDE_WITHIN_TICKS: of each world of test_places.


class Within(WithWorlds):
    ticks = int(os.environ.get("COLLIDE_WITHIN_TICKS", "300"))

    def follow(self, make, seed, acting, tolerance, driven=0.0, every=3):
        """The largest errors of places and angles, and bytes."""
        chance = random.Random(seed)
        scene = make(chance)
        info = self.create(scene, policy=self.policy(dt=1 / 60))
        seat = self.attach(info)
        spectator = dict(world=info.name, secret=info.join_secret)
        near = dict(stream=self.schema.STREAM_STATES, every=every, spectator=spectator, tolerance=tolerance, driven_tolerance=driven)
        states = self.talk.send(subscribe=dict(stream=self.schema.STREAM_STATES, every=1, spectator=spectator))
        readers, seen, made, size, tick, sent = [], [], [0], 0, 0, 0

        def reader_add():
            at = len(seen)
            seen.append({})

            def on_tick(follower):
                seen[at][follower.tick] = [(name, bits(one.x, one.y, one.vx, one.vy, one.angle, one.spin), one.x, one.y, one.angle, one.radius)
                                           for name, one in sorted(follower.circles.items())], {
                    name: bits(one.x1, one.y1, one.x2, one.y2) for name, one in follower.segments.items() if one.moved}

            readers.append((self.talk.send(subscribe=near), Follower(on_tick=on_tick)))

        reader_add()
        while tick < self.ticks:
            if len(readers) < 2 and tick > self.ticks / 3:
                reader_add()
            if chance.random() < acting and readers[0][1].circles:
                sent = seat.send(skip_missing=True, **outside_paths.Paths.commands(self, chance, sorted(readers[0][1].circles), made))
            self.stepped(seat, every)
            tick += every
            for request, follower in readers:
                while self.talk.filed[request]:
                    data = self.talk.filed[request].popleft().world_update.SerializeToString()
                    size += len(data)
                    follower.update(data)
        self.assertEqual(sent > 3, acting > 0)
        place_error = angle_error = 0.0
        told = both = 0
        while self.talk.filed[states]:
            update = self.talk.filed[states].popleft().world_update
            bodies = update.frame.bodies
            if update.tick not in seen[0] or (not bodies.id and len(update.frame.ends.body) + len(update.frame.shortfalls.body) > 0):
                continue
            circles, segments = seen[0][update.tick]
            self.assertEqual([one[0] for one in circles], list(bodies.id), (make.__name__, seed, update.tick))
            for (_, _, x, y, angle, radius), real_x, real_y, real_angle in zip(circles, bodies.x, bodies.y, bodies.angle or [0.0] * len(circles)):
                place_error = max(place_error, math.hypot(x - real_x, y - real_y))
                angle_error = max(angle_error, abs(angle - real_angle) * radius)
            places = update.frame.moving_segments
            for name, *row in zip(places.id, places.x1, places.y1, places.x2, places.y2):
                self.assertEqual(segments[name], bits(*row), (make.__name__, update.tick))
            told += 1
            if update.tick in seen[1]:
                self.assertEqual(seen[1][update.tick], seen[0][update.tick])
                both += 1
        self.assertGreaterEqual(told, self.ticks // every - 2)
        self.assertGreaterEqual(both, self.ticks // every // 2)
        self.talk.ask(destroy_world=dict(name=info.name, secret=info.owner_secret))
        return place_error, angle_error, size

    def test_places(self):
        turned = 0
        for i, make in enumerate(outside_paths.SCENES):
            for acting in (0.0, 0.4):
                for tolerance in (0.05, 0.002)[:rounds(1, 2)]:
                    with self.subTest(scene=make.__name__, acting=acting, tolerance=tolerance):
                        place, angle, _ = self.follow(make, i, acting, tolerance, every=1 + i % 4)
                        self.assertLessEqual(place, tolerance)
                        self.assertLessEqual(angle, tolerance)
                        self.assertGreater(place, tolerance / 100)  # it is not simply exact
                        turned += angle > 0
        self.assertGreater(turned, rounds(4, 8))

    @unittest.skipUnless(os.path.exists(outside_paths.WAD), "Freedoom's maps are not here: DOOMWADDIR")
    def test_a_crowd_in_a_map(self):
        place, _, _ = self.follow(outside_paths.map_crowd, 4, 0.4, 0.05)
        self.assertLessEqual(place, 0.05)
        self.assertGreater(place, 0.0005)

    def test_those_that_are_driven(self):
        """Only circles that the rest solver drives may be so far off."""
        place, _, coarse = self.follow(outside_paths.gas, 3, 0.0, 0.002, 0.1)
        self.assertLessEqual(place, 0.002)
        place, angle, coarse = self.follow(outside_paths.pile, 4, 0.4, 0.002, 0.1)
        self.assertLessEqual(max(place, angle), 0.1)
        self.assertGreater(place, 0.002)
        _, _, fine = self.follow(outside_paths.pile, 4, 0.4, 0.002)
        self.assertLess(coarse, fine)

    def test_far_and_fine(self):
        """Where the grid is too fine for the numbers, they are told as they are."""
        def far(chance):
            return {"circles": [circle(9e11 + 10 * i, -9e11, vx=chance.uniform(-5, 5), vy=3.0, id=i + 1) for i in range(20)]}
        for tolerance in (1e-12, 1e-3, 1e12):
            place, _, _ = self.follow(far, 1, 0.0, tolerance)
            self.assertLessEqual(place, tolerance)

    def test_a_world_that_stands_still(self):
        info = self.create(outside_paths.gas(random.Random(1)), policy=self.policy(dt=1 / 60))
        seat = self.attach(info)
        near = dict(stream=self.schema.STREAM_STATES, spectator=dict(world=info.name, secret=info.join_secret), tolerance=0.01)
        first = self.talk.send(subscribe=near)
        self.stepped(seat, 30)
        key = self.talk.next(first).world_update.key
        self.assertEqual((key.tolerance, key.driven_tolerance, len(key.quantized)), (0.01, 0.01, 64))
        second = self.talk.send(subscribe=near)  # the world stands still; its reader has a key at once
        follower = Follower()
        follower.update(self.talk.next(second).world_update.SerializeToString())
        self.assertEqual(follower.tick, 30)
        with self.assertRaises(FollowError):
            update = self.schema.WorldUpdate(tick=33, ticks=3, quantized=b"\xff" * 4000)
            follower.update(update.SerializeToString())
        # More ticks than any `every` has: refused before the first is made.
        with self.assertRaisesRegex(FollowError, "does not follow"):
            follower.update(self.schema.WorldUpdate(tick=30 + 3601, ticks=3601).SerializeToString())
        self.assertEqual(follower.tick, 30)

    def test_what_is_refused(self):
        info = self.create(policy=self.policy())
        spectator = dict(world=info.name, secret=info.join_secret)
        states, paths = self.schema.STREAM_STATES, self.schema.STREAM_PATHS
        for more, field in (
                (dict(stream=paths, tolerance=0.1), "subscribe.tolerance"),
                (dict(stream=states, tolerance=0.1, driven_legs=True), "subscribe.driven_legs"),
                (dict(stream=states, driven_legs=True), "subscribe.driven_legs"),
                (dict(stream=self.schema.STREAM_COMMANDS, driven_legs=True), "subscribe.driven_legs"),
                (dict(stream=states, tolerance=-1.0), "subscribe.tolerance"),
                (dict(stream=states, tolerance=1e-13), "subscribe.tolerance"),
                (dict(stream=states, tolerance=float("nan")), "subscribe.tolerance"),
                (dict(stream=states, tolerance=float("inf")), "subscribe.tolerance"),
                (dict(stream=states, driven_tolerance=0.1), "subscribe.driven_tolerance"),
                (dict(stream=states, tolerance=0.1, driven_tolerance=0.01), "subscribe.driven_tolerance"),
                (dict(stream=states, tolerance=0.1, driven_tolerance=float("nan")), "subscribe.driven_tolerance"),
                (dict(stream=states, tolerance=0.1, region=dict(box=dict(x_min=0, y_min=0, x_max=-1, y_max=1))), "subscribe.region.box")):
            with self.subTest(more=more):
                self.refused(self.talk.ask(subscribe=dict(spectator=spectator, **more)), INVALID, "BAD_FIELD", field)
        reply = self.talk.ask(subscribe=dict(spectator=spectator, stream=states, tolerance=0.1, every=121))
        self.refused(reply, EXHAUSTED, "LIMIT", "subscribe.every")
        request = self.talk.send(subscribe=dict(spectator=spectator, stream=states, tolerance=0.1))
        self.talk.next(request)
        self.refused(self.talk.ask(steer=dict(subscription=request, every=121)), EXHAUSTED, "LIMIT", "steer.every")

    def test_regions(self):
        """What touches a region at an update is told, and is within the tolerance; what is told is there, and near."""
        entered = left = 0
        for i, make in enumerate(outside_paths.SCENES):
            chance = random.Random(900 + i)
            scene = make(chance)
            info = self.create(scene, policy=self.policy(dt=1 / 60))
            seat = self.attach(info)
            spectator = dict(world=info.name, secret=info.join_secret)
            middle = chance.choice(scene["circles"])["id"]
            boxes = [(-4.0, -4.0, 3.0, 2.0), None]
            regions = [dict(box=dict(zip(("x_min", "y_min", "x_max", "y_max"), boxes[0]))), dict(around=dict(circle=middle, radius=3.0))]
            states = self.talk.send(subscribe=dict(stream=self.schema.STREAM_STATES, every=1, spectator=spectator))
            readers = [(self.talk.send(subscribe=dict(stream=self.schema.STREAM_STATES, every=2, spectator=spectator, tolerance=0.01,
                                                      region=region, contacts=True)), Follower()) for region in regions]
            for request, follower in readers:  # their keys, while there is the circle that one of them is about
                follower.update(self.talk.next(request).world_update.SerializeToString())
            seen, tick, made = [{}, {}], 0, [0]
            while tick < 150:
                if chance.random() < 0.4:
                    everyone = sorted(one["id"] for one in scene["circles"])
                    seat.send(skip_missing=True, **outside_paths.Paths.commands(self, chance, everyone, made))
                self.stepped(seat, 2)
                tick += 2
                for at, (request, follower) in enumerate(readers):
                    while self.talk.filed[request]:
                        follower.update(self.talk.filed[request].popleft().world_update.SerializeToString())
                        seen[at][follower.tick] = {name: (one.x, one.y) for name, one in follower.circles.items()}
            while self.talk.filed[states]:
                update = self.talk.filed[states].popleft().world_update
                bodies = update.frame.bodies
                if not bodies.id or update.tick not in seen[0]:
                    continue
                real = dict(zip(bodies.id, zip(bodies.x, bodies.y)))
                if middle in real:
                    boxes[1] = (real[middle][0] - 3, real[middle][1] - 3, real[middle][0] + 3, real[middle][1] + 3)
                for at, box in enumerate(boxes):
                    told, before = seen[at].get(update.tick), seen[at].get(update.tick - 2)
                    if told is None:
                        continue
                    for name, (x, y) in told.items():
                        self.assertLessEqual(math.dist((x, y), real[name]), 0.01)
                    for name, (x, y) in real.items():
                        if box and box[0] - 0.1 <= x <= box[2] + 0.1 and box[1] - 0.1 <= y <= box[3] + 0.1:
                            self.assertIn(name, told, (make.__name__, at, update.tick))
                    entered += len(set(told) - set(before or told))
                    left += len(set(before or told) - set(told))
            self.assertLess(len(seen[0][150]), max(2, len(scene["circles"])))
            self.talk.ask(destroy_world=dict(name=info.name, secret=info.owner_secret))
        self.assertGreater(min(entered, left), 50)

    def test_about_a_circle_that_is_not_there(self):
        """It is nowhere, not at the origin, until there is a circle with that id."""
        scene = {"circles": [dict(id=1, x=0, y=0, radius=0.5), dict(id=2, x=9, y=9, radius=0.5)]}
        for stream, tolerance in ((self.schema.STREAM_PATHS, 0.0), (self.schema.STREAM_STATES, 0.01)):
            info = self.create(scene, policy=self.policy(dt=1 / 60))
            seat = self.attach(info)
            request = self.talk.send(subscribe=dict(stream=stream, every=1, tolerance=tolerance, region=dict(around=dict(circle=3, radius=3.0)),
                                                    spectator=dict(world=info.name, secret=info.join_secret)))
            follower = Follower()
            follower.update(self.talk.next(request).world_update.SerializeToString())
            self.assertEqual(sorted(follower.circles), [])
            seat.send(spawn=dict(id=[3], x=[9.0], y=[7.0], radius=[0.5]))
            self.stepped(seat, 4)
            while self.talk.filed[request]:
                follower.update(self.talk.filed[request].popleft().world_update.SerializeToString())
            self.assertEqual(sorted(follower.circles), [2, 3])

    def test_it_is_steered(self):
        """To another `every`: by a key."""
        info = self.create(outside_paths.gas(random.Random(1)), policy=self.policy(dt=1 / 60))
        seat = self.attach(info)
        request = self.talk.send(subscribe=dict(stream=self.schema.STREAM_STATES, tolerance=0.01,
                                                spectator=dict(world=info.name, secret=info.join_secret)))
        follower, ticks = Follower(), [0]
        follower.update(self.talk.next(request).world_update.SerializeToString())  # the key, before there is a tick
        self.stepped(seat, 6)
        self.assertEqual(self.talk.ask(steer=dict(subscription=request, every=5)).steered.every, 5)
        for _ in range(8):
            self.stepped(seat, 3)
            self.talk.ask(ping={})
        while self.talk.filed[request]:
            follower.update(self.talk.filed[request].popleft().world_update.SerializeToString())
            ticks.append(follower.tick)
        self.assertEqual(ticks[:3] + ticks[-2:], [0, 3, 6, 25, 30])
