"""Groups and the relations between them, from a client that is not ours: what they do, and what is refused."""
import math

from outside_client import EXHAUSTED, INVALID, WithDaemon, circle

BY_MASS = 4


def head_on(**change):
    """Speeds 3 and -1, masses 2 and 5, groups 1 and 2."""
    return [circle(-2.0, 0, vx=3.0, radius=1.0, mass=2.0, group=1, **change),
            circle(2.0, 0, vx=-1.0, radius=1.0, mass=5.0, group=2, **change)]


class Relations(WithDaemon):
    def kind(self, name):
        return self.schema.RelationKind.Value("RELATION_KIND_" + name)

    def relation(self, kind, a=1, b=2, **more):
        return dict(group_a=a, group_b=b, kind=self.kind(kind), **more)

    def ends(self, circles, relations, **scene):
        """One second, two bodies: their velocities, and all contacts."""
        frames, _ = self.run_scene({"circles": circles, "relations": relations, **scene}, dt=1.0, ticks=1)
        return list(frames[-1].bodies.vx), frames[-1].contacts, frames[-1]

    def test_weights(self):
        """Each takes the other's part of both weights of the change, as FlatRedBall's masses."""
        for a, b in ((0.0, 1.0), (1.0, 0.0), (1.0, 1.0), (1.0, 3.0), (3.0, 1.0)):
            for kind, elasticity, e in (("MOVE", None, 0.0), ("BOUNCE", 0.25, 0.25), ("BOUNCE", None, 1.0)):
                with self.subTest(a=a, b=b, kind=kind, e=e):
                    more = {} if elasticity is None else dict(elasticity=elasticity)
                    velocities, contacts, frame = self.ends(head_on(), [self.relation(kind, weight_a=a, weight_b=b, **more)])
                    change = 4.0 * (1 + e)
                    self.assertAlmostEqual(velocities[0], 3 - change * b / (a + b), delta=1e-13)
                    self.assertAlmostEqual(velocities[1], -1 + change * a / (a + b), delta=1e-13)
                    self.assertAlmostEqual(contacts.impulse[0], change / (1 / 2 + 1 / 5), delta=1e-12)
                    momentum = frame.momentum
                    self.assertAlmostEqual(momentum.after_x - momentum.before_x, momentum.outside_x, delta=1e-12)
                    energy = frame.energy
                    self.assertAlmostEqual(energy.kinetic_after - energy.kinetic_before, energy.contact + energy.work, delta=1e-12)

    def test_passing(self):
        for kind in ("NONE", "SENSOR"):
            velocities, contacts, _ = self.ends(head_on(), [self.relation(kind, 2, 1)])
            self.assertEqual(velocities, [3.0, -1.0])
            self.assertEqual(len(contacts.time), 0)

    def test_one_sided_circles(self):
        velocities, _, _ = self.ends(head_on(), [self.relation("ONE_SIDED", elasticity=0.5)])
        self.assertAlmostEqual(velocities[0], -1 - 2, delta=1e-13)
        self.assertEqual(velocities[1], -1.0)

    def test_filter_groups_win_over_masks(self):
        for group, mask, meet in ((-1, 1, False), (7, 0, True), (0, 0, False), (0, 1, True)):
            velocities, _, _ = self.ends(head_on(filter_group=group, mask=mask), [])
            self.assertEqual(velocities == [3.0, -1.0], not meet)
        rows, _ = [list(x.bodies.vx) for x in self.run_scene({"circle_columns": dict(
            x=[-2.0, 2.0], vx=[3.0, -1.0], radius=[1.0], filter_group=[-4], group=[1, 2])}, 1.0, 1)[0]], None
        self.assertEqual(rows[-1], [3.0, -1.0])

    def test_by_mass_where_weights_leave_no_way(self):
        """A crate that yields completely, against a wall."""
        scene = dict(circles=[circle(-2.0, 0, vx=2.0, radius=1.0, group=1), circle(0.0, 0, radius=1.0, group=2)],
                     segments=[dict(x1=2.0, y1=-3.0, x2=2.0, y2=3.0, restitution=0.0)],
                     relations=[self.relation("MOVE", weight_a=1.0, weight_b=0.0)])
        frames, done = self.run_scene(scene, dt=0.125, ticks=32)
        self.assertEqual(done.shortfalls, 0)
        flags = [flag & BY_MASS for frame in frames for flag in frame.contacts.flags]
        self.assertTrue(any(flags) and not all(flags))
        bodies = frames[-1].bodies
        self.assertLess(bodies.x[1], 1.0)
        self.assertGreaterEqual(bodies.x[1] - bodies.x[0], 2.0)

    def test_shuffled(self):
        rows = [circle(-3 + 1.3 * i, 0.37 * (i % 3), vx=17.0 - 7 * i, vy=3.0 * i, id=10 + i, group=i % 3) for i in range(5)]
        relations = [self.relation("MOVE", 0, 1, weight_a=0.0), self.relation("BOUNCE", 2, 0, elasticity=0.5)]
        _, one = self.run_scene({"circles": rows, "relations": relations}, 1 / 60, 60, 60)
        _, other = self.run_scene({"circles": rows[::-1], "relations": relations[::-1]}, 1 / 60, 60, 60)
        self.assertEqual(one.hash, other.hash)

    def test_detect_and_query(self):
        scene = {"circles": [circle(0.0, 0, radius=1.0, group=1), circle(1.0, 0, radius=1.0, group=2, filter_group=-3)],
                 "relations": [self.relation("NONE")]}
        self.assertEqual(self.connection.ask(detect=dict(scene=scene)).detected.counts.overlapping, 0)
        scene["relations"] = [self.relation("SENSOR")]
        self.assertEqual(self.connection.ask(detect=dict(scene=scene)).detected.counts.overlapping, 1)
        for group, hits in ((0, 2), (-3, 1), (3, 2)):
            reply = self.connection.ask(query=dict(scene=scene, in_circles=dict(x=[0.5], asker=dict(filter_group=[group]))))
            self.assertEqual(len(reply.queried.hits.id), hits)

    def refused_relation(self, field, *relations, **circles):
        request = dict(scene={"circles": [{**circle(0, 0), **circles}], "relations": list(relations)}, dt=0.1, ticks=1)
        with self.subTest(field=field):
            self.refused(self.connection.ask(simulate=request), INVALID, "BAD_FIELD", "simulate.scene." + field)
            self.still_usable()

    def test_what_newcomers_get_wrong(self):
        good = self.relation("MOVE", 5, 6)
        self.refused_relation("circles[0].group", group=64)
        self.refused_relation("relations[1].group_a", good, self.relation("MOVE", 64, 1))
        self.refused_relation("relations[0].group_b", self.relation("MOVE", 1, 2**32 - 1))
        self.refused_relation("relations[1].group_b", good, self.relation("NONE", 6, 5))  # the same two groups
        self.refused_relation("relations[0].kind", dict(group_a=1, kind=9))
        for name in ("weight_a", "weight_b"):
            for value in (-1.0, 2e15, math.nan, math.inf):
                self.refused_relation("relations[0]." + name, self.relation("BOUNCE", **{name: value}))
        self.refused_relation("relations[0].weight_b", self.relation("MOVE", weight_a=0.0, weight_b=0.0))
        self.refused_relation("relations[0].weight_a", self.relation("MOVE", 3, 3, weight_a=2.0))
        self.refused_relation("relations[0].weight_a", self.relation("NONE", weight_a=1.0))
        for value in (-0.5, 1.5, math.nan):
            self.refused_relation("relations[0].elasticity", self.relation("BOUNCE", elasticity=value))
        self.refused_relation("relations[0].elasticity", self.relation("MOVE", elasticity=0.5))
        columns = {"x": [0.0, 5.0], "radius": [1.0], "group": [3, 77]}
        reply = self.connection.ask(simulate=dict(scene={"circle_columns": columns}, dt=0.1, ticks=1))
        self.refused(reply, INVALID, "BAD_FIELD", "simulate.scene.circle_columns.group[1]")
        pairs = {"a": dict(radius=[1.0], group=[1]), "circles": dict(radius=[1.0])}
        self.refused(self.connection.ask(detect=dict(pairs=pairs)), INVALID, "BAD_FIELD", "detect.pairs.a.group")

    def test_every_pair_of_groups(self):
        """All 2,080 in one scene, and one more."""
        relations = [self.relation("MOVE", a, b) for a in range(64) for b in range(a, 64)]
        velocities, _, _ = self.ends(head_on(), relations)
        self.assertAlmostEqual(velocities[0], velocities[1], delta=1e-12)
        reply = self.connection.ask(simulate=dict(scene={"relations": relations + relations[:1]}, dt=0.1, ticks=1))
        self.refused(reply, EXHAUSTED, "LIMIT", "simulate.scene.relations")
