"""The analytic cases, as numbers on the wire."""
import math

from outside_client import WithDaemon, box, circle

TURNING = {"friction_impulse", "a_spin_before", "a_spin_after", "b_spin_before", "b_spin_after"}


class Physics(WithDaemon):
    def test_cradle(self):
        """k balls at speed 1 into n touching ones: the last k leave with it."""
        for count, moving in ((5, 1), (5, 2), (7, 3)):
            with self.subTest(count=count, moving=moving):
                balls = [circle(i - 4.0, 0, vx=1.0) for i in range(moving)]
                balls += [circle(float(i), 0) for i in range(moving, count)]
                frames, _ = self.run_scene({"circles": balls}, dt=0.5, ticks=12)
                bodies = frames[-1].bodies
                expected = [0.0] * (count - moving) + [1.0] * moving
                for got, want in zip(bodies.vx, expected):
                    self.assertAlmostEqual(got, want, delta=1e-12)
                for got in bodies.vy:
                    self.assertAlmostEqual(got, 0.0, delta=1e-12)

    def test_cradle_with_gaps(self):
        balls = [circle(-3.0, 0, vx=1.0)] + [circle(1.5 * i, 0) for i in range(4)]
        frames, done = self.run_scene({"circles": balls}, dt=0.25, ticks=40)
        self.assertEqual(done.collisions, 4)
        self.assertEqual(list(frames[-1].bodies.vx), [0.0, 0.0, 0.0, 0.0, 1.0])

    def test_symmetric_break(self):
        """One ball into two that touch, all at once: it goes back at v/5, they leave at 2 sqrt(3)/5 v and +-30 degrees."""
        speed = 3.0
        scene = {"circles": [circle(-2.0, 0, vx=speed), circle(0, 0.5), circle(0, -0.5)]}
        frames, done = self.run_scene(scene, dt=1.0, ticks=2, every=2)
        bodies = frames[-1].bodies
        self.assertAlmostEqual(bodies.vx[0], -speed / 5, delta=1e-8)
        self.assertAlmostEqual(bodies.vy[0], 0, delta=1e-12)
        for row, side in ((1, 1), (2, -1)):
            self.assertAlmostEqual(math.hypot(bodies.vx[row], bodies.vy[row]), 2 * math.sqrt(3) / 5 * speed, delta=1e-8)
            self.assertAlmostEqual(math.degrees(math.atan2(bodies.vy[row], bodies.vx[row])), side * 30, delta=1e-6)
        self.assertEqual(done.clusters, 1)
        contacts = frames[-1].contacts
        self.assertEqual(len(set(contacts.time)), 1)
        self.assertEqual({*zip(contacts.a, contacts.b)} - {(1, 2)}, {(0, 1), (0, 2)})

    def test_galperin_314(self):
        """A wall and masses 1 : 100^2 collide as often as pi has it."""
        scene = {
            "circles": [circle(1.0, 0, radius=0.1), circle(3.0, 0, vx=-1.0, radius=0.1, mass=10000.0)],
            "segments": [dict(x1=0.0, y1=-1.0, x2=0.0, y2=1.0)],
        }
        frames, done = self.run_scene(scene, dt=0.125, ticks=80, every=8)
        self.assertEqual(done.collisions, 314)
        times = [(t, s) for frame in frames for t, s in zip(frame.contacts.tick, frame.contacts.time)]
        self.assertEqual(len(times), 314)
        self.assertEqual(times, sorted(times))
        energy = frames[-1].energy.kinetic_after
        self.assertAlmostEqual(energy / 5000.0, 1.0, delta=1e-12)
        features = [feature for frame in frames for feature in frame.contacts.feature]
        self.assertEqual(features.count(self.schema.FEATURE_CIRCLE), 157)
        self.assertEqual(features.count(self.schema.FEATURE_SEGMENT_FACE), 157)

    def test_same_bits_for_rows_columns_and_any_order(self):
        rows = [circle(-3 + 1.3 * i, 0.37 * (i % 3), vx=17.0 - 7 * i, vy=3.0 * i, id=10 + i) for i in range(5)]
        walls = box(6.0)
        columns = {name: [row[name] for row in rows] for name in ("id", "x", "y", "vx", "vy")}
        columns["radius"] = [0.5]
        _, by_rows = self.run_scene({"circles": rows, "segments": walls}, 1 / 60, 240, 60)
        _, shuffled = self.run_scene({"circles": rows[::-1], "segments": walls}, 1 / 60, 240, 240)
        _, by_columns = self.run_scene({"circle_columns": columns, "segments": walls}, 1 / 60, 240, 7)
        self.assertGreater(by_rows.collisions, 25)
        self.assertEqual(by_rows.hash, shuffled.hash)
        self.assertEqual(by_rows.hash, by_columns.hash)

    def test_frames_have_full_columns(self):
        scene = {"circles": [circle(-2, 0, vx=5), circle(2, 0.1, vx=-5)], "segments": box(4.0)}
        frames, done = self.run_scene(scene, 1 / 60, 120, 50)
        self.assertEqual([frame.tick for frame in frames], [50, 100, 120])
        self.assertAlmostEqual(frames[-1].time, 2.0, delta=1e-12)
        rows = 0
        for frame in frames:
            self.assertEqual({len(column) for _, column in frame.bodies.ListFields()}, {2})
            columns = {field.name: len(column) for field, column in frame.contacts.ListFields()}
            if not columns:
                continue
            # Nothing turns here.
            self.assertEqual(set(columns), {f.name for f in frame.contacts.DESCRIPTOR.fields} - TURNING)
            self.assertEqual(len(set(columns.values())), 1)
            rows += columns["tick"]
        self.assertEqual(rows, done.collisions)

    def test_rough_bounce(self):
        """A third of the slip goes into movement and two thirds into spin, unless friction is too small for it."""
        for friction, slip_left in ((10.0, 0.0), (0.1, 5 - 3 * 0.1 * 2 * 2)):
            with self.subTest(friction=friction):
                scene = {"circles": [circle(0, 1.5, vx=5, vy=-2, friction=friction)],
                         "segments": [dict(x1=-9.0, x2=99.0, friction=friction)]}
                frames, done = self.run_scene(scene, dt=0.25, ticks=4, every=4)
                bodies, contacts = frames[-1].bodies, frames[-1].contacts
                self.assertEqual(done.collisions, 1)
                self.assertEqual({len(column) for _, column in contacts.ListFields()}, {1})
                self.assertEqual({f.name for f, _ in contacts.ListFields()}, {f.name for f in contacts.DESCRIPTOR.fields})
                push = (5 - slip_left) / 3
                self.assertAlmostEqual(bodies.vx[0], 5 - push, delta=1e-12)
                self.assertAlmostEqual(bodies.vy[0], 2, delta=1e-12)
                self.assertAlmostEqual(bodies.angular_velocity[0], -2 * push / 0.5, delta=1e-12)
                self.assertAlmostEqual(bodies.angle[0], -2 * push / 0.5 * (1 - contacts.time[0] - 0.25 * (contacts.tick[0] - 1)),
                                       delta=1e-12)
                self.assertAlmostEqual(contacts.friction_impulse[0], push, delta=1e-12)
                self.assertAlmostEqual(frames[-1].energy.friction, -push * (5 + slip_left) / 2, delta=1e-12)

    def test_ten_clients_get_their_own_frames(self):
        connections = [self.connect() for _ in range(10)]
        ids = [one.send(simulate=dict(scene={"circles": [circle(0, 0, vx=float(i))]}, dt=1.0, ticks=5))
               for i, one in enumerate(connections)]
        for i, one in enumerate(connections):
            *frames, last = one.answers(ids[i])
            self.assertEqual(last.WhichOneof("reply"), "simulate_done")
            self.assertEqual([list(message.frame.bodies.x) for message in frames], [[float(i * k)] for k in range(1, 6)])
