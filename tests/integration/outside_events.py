"""Events of pairs, sensors and paths, as tables on the wire."""
import math

from outside_client import INVALID, WithDaemon, box, circle


class Events(WithDaemon):
    def simulate(self, scene, ticks, dt=1 / 64, **more):
        frames, last = self.connection.simulate(scene=scene, dt=dt, ticks=ticks, **more)
        self.assertEqual(last.WhichOneof("reply"), "simulate_done", last)
        return frames

    def rows(self, frames):
        """(seconds since the start, kind, a, b, feature) of every event."""
        name = self.schema.PairEventKind.Name
        rows = []
        for frame in frames:
            e = frame.pair_events
            for column in e.DESCRIPTOR.fields:
                if not column.name.endswith("_tag"):  # left out where there is none
                    self.assertEqual(len(getattr(e, column.name)), len(e.tick), column.name)
            rows += [((t - 1) / 64 + s, name(k)[len("PAIR_EVENT_KIND_"):], a, b, f)
                     for t, s, k, a, b, f in zip(e.tick, e.time, e.kind, e.a, e.b, e.feature)]
        return rows

    def test_sensors_tell_without_being_asked(self):
        scene = {"circles": [circle(0, 0, vx=3.0), circle(5, 0, radius=2.0, kind=3, sensor=True)],
                 "segments": [dict(x1=10.0, y1=-1.0, x2=10.0, y2=1.0, sensor=True)]}
        for detail in (0, self.schema.DETAIL_STATES):
            frames = self.simulate(scene, 256, every=64, detail=detail)
            rows = self.rows(frames)
            self.assertEqual([row[1] for row in rows], ["ENTER", "EXIT", "ENTER", "EXIT"])
            for row, at in zip(rows, (2.5 / 3, 7.5 / 3, 9.5 / 3, 10.5 / 3)):
                self.assertAlmostEqual(row[0], at, delta=1e-12)
            self.assertEqual({row[4] for row in rows[:2]}, {self.schema.FEATURE_CIRCLE})
            self.assertEqual({row[4] for row in rows[2:]}, {self.schema.FEATURE_SEGMENT_FACE})
            self.assertEqual(frames[-1].collisions, 0)

    def test_columns_of_sensors(self):
        columns = dict(x=[0.0, 2.0, 6.0], vx=[1.0, 0.0, 0.0], radius=[0.5], sensor=[False, True, True])
        rows = self.rows(self.simulate({"circle_columns": columns}, 224))
        self.assertEqual([row[1:4] for row in rows], [("ENTER", 0, 1), ("EXIT", 0, 1)])

    def test_touches(self):
        ball = circle(0, 5.5, restitution=0.5)
        scene = {"circles": [ball], "segments": [dict(x1=-5, x2=5, restitution=0.5)], "gravity_y": -10.0}
        self.assertEqual(self.rows(self.simulate(scene, 64 * 6)), [])
        rows = self.rows(self.simulate(scene, 64 * 6, events=self.schema.EVENTS_TOUCHES))
        kinds = [row[1] for row in rows]
        bounces = kinds.count("END")
        self.assertGreater(bounces, 5)
        self.assertEqual(kinds[:3 * bounces], ["BEGIN", "HIT", "END"] * bounces)
        self.assertEqual(kinds[3 * bounces], "BEGIN")
        self.assertEqual(kinds.count("BEGIN"), bounces + 1)
        at, flight = 1.0, 1.0
        for i in range(bounces):
            self.assertAlmostEqual(rows[3 * i][0], at, delta=1e-6)
            at, flight = at + flight, flight / 2
        rows = self.rows(self.simulate(scene, 64 * 6, events=self.schema.EVENTS_PERSIST))
        persists = [row for row in rows if row[1] == "PERSIST"]
        self.assertGreater(len(persists), 100)
        scene["hit_speed"] = 4.0
        rows = self.rows(self.simulate(scene, 64 * 6, events=self.schema.EVENTS_TOUCHES))
        self.assertEqual([row[1] for row in rows].count("HIT"), 2)

    def test_every_begin_has_its_end(self):
        circles = [circle(-4 + 2 * (i % 5), -3 + 2 * (i // 5), vx=7.0 - 3 * (i % 6), vy=2.0 * (i % 7), restitution=0.4)
                   for i in range(20)] + [circle(1, 1, radius=3, kind=3, sensor=True)]
        scene = {"circles": circles, "segments": box(6.0), "gravity_y": -5.0}
        frames = self.simulate(scene, 640, every=7, events=self.schema.EVENTS_TOUCHES)
        opened, last = set(), 0.0
        for at, kind, a, b, feature in self.rows(frames):
            self.assertGreaterEqual(at, last)
            last = at
            pair = (kind in ("ENTER", "EXIT"), a, b, feature == self.schema.FEATURE_CIRCLE)
            if kind in ("BEGIN", "ENTER"):
                self.assertNotIn(pair, opened)
                opened.add(pair)
            else:
                self.assertIn(pair, opened)
            if kind in ("END", "EXIT"):
                opened.remove(pair)
        bodies = frames[-1].bodies
        inside = {a for a in range(20) if math.hypot(bodies.x[a] - 1, bodies.y[a] - 1) <= 3.5}
        self.assertEqual({pair[1] for pair in opened if pair[0]}, inside)

    def test_tags(self):
        """Every event has the tags of its sides, those of circles that ended too. Without tags there are no such columns."""
        circles = [circle(-4 + 2 * (i % 5), -3 + 2 * (i // 5), vx=7.0 - 3 * (i % 6), vy=2.0 * (i % 7), restitution=0.9)
                   for i in range(20)] + [circle(1, 1, radius=2, kind=3, sensor=True)]
        scene = {"circles": circles, "segments": box(6.0), "gravity_y": -5.0}
        for frame in self.simulate(scene, 128, events=self.schema.EVENTS_TOUCHES):
            self.assertEqual((len(frame.pair_events.a_tag), len(frame.pair_events.b_tag)), (0, 0))
        tags = {i: 2 ** 64 - 1 - i if i % 3 == 0 else 0 for i in range(21)}
        for i, one in enumerate(circles):
            one.update(tag=tags[i], **({"remove_groups": 1} if i in (3, 6) else {}))
        seen, kinds = set(), set()
        for frame in self.simulate(scene, 512, every=7, events=self.schema.EVENTS_TOUCHES):
            e = frame.pair_events
            columns = [list(column) or [0] * len(e.tick) for column in (e.a_tag, e.b_tag)]
            for a, b, feature, kind, a_tag, b_tag in zip(e.a, e.b, e.feature, e.kind, *columns):
                self.assertEqual((a_tag, b_tag), (tags[a], tags[b] if feature == self.schema.FEATURE_CIRCLE else 0))
                seen.update((a_tag, b_tag))
                kinds.add(kind)
        self.assertGreater(len(seen), 6)
        self.assertIn(tags[3], seen)
        self.assertGreaterEqual(len(kinds), 5)

    def test_paths(self):
        """The rows of a tick, put together, lead from state to state."""
        scene = {"circles": [circle(0, 3, vx=1.0), circle(0.1, 0), circle(0, -4, kind=3)], "segments": box(6.0),
                 "gravity_y": -10.0}
        frames = self.simulate(scene, 128, every=4, paths=True)
        at = {0: (0.0, 3.0), 1: (0.1, 0.0)}
        rows = [row for f in frames for row in zip(*(getattr(f.paths, column.name) for column in f.paths.DESCRIPTOR.fields))]
        self.assertEqual({row[2] for row in rows}, {0, 1})
        self.assertGreater(len(rows), 2 * 128)
        for i, (tick, time, body, x, y, vx, vy, ax, ay) in enumerate(rows):
            self.assertAlmostEqual(at[body][0], x, delta=1e-12)
            self.assertAlmostEqual(at[body][1], y, delta=1e-12)
            follows = i + 1 < len(rows) and rows[i + 1][0] == tick and rows[i + 1][2] == body
            s = (rows[i + 1][1] if follows else 1 / 64) - time
            at[body] = (x + s * vx + s * s * ax / 2, y + s * vy + s * s * ay / 2)
        for body in (0, 1):
            self.assertAlmostEqual(frames[-1].bodies.x[body], at[body][0], delta=1e-12)
            self.assertAlmostEqual(frames[-1].bodies.y[body], at[body][1], delta=1e-12)

    def test_what_is_refused(self):
        scene = {"circles": [circle(0, 0)]}
        self.refused(self.connection.ask(simulate=dict(scene=scene, dt=1.0, ticks=1, events=9)), INVALID)
        self.refused(self.connection.ask(simulate=dict(scene=dict(scene, hit_speed=-1.0), dt=1.0, ticks=1)), INVALID,
                     "BAD_FIELD", "simulate.scene.hit_speed")
        columns = dict(count=3, radius=[1.0], sensor=[True, False])
        self.refused(self.connection.ask(simulate=dict(scene={"circle_columns": columns}, dt=1.0, ticks=1)), INVALID,
                     "BAD_FIELD", "simulate.scene.circle_columns.sensor")
        pairs = {"a": dict(radius=[1.0], sensor=[True]), "circles": dict(radius=[1.0])}
        self.refused(self.connection.ask(detect=dict(pairs=pairs)), INVALID, "BAD_FIELD", "detect.pairs.a.sensor")
        self.still_usable()
