"""Detect and Respond on the wire: the published methods by their names, columns, scenes, parts."""
import math
import random

from outside_client import CANCELLED, WithDaemon, box, circle


def columns(**values):
    return {name: value if isinstance(value, list) else [float(value)] for name, value in values.items()}


class Queries(WithDaemon):
    def detect(self, **request):
        return self.connection.joined("detected", detect=request)

    def respond(self, **request):
        return self.connection.joined("responded", respond=request)

    def relation(self, distance, **more):
        answer = self.detect(pairs={"a": columns(radius=1), "circles": columns(x=distance, radius=1)}, **more)
        return answer.pairs.relation[0]

    def test_radius_hit_test(self):
        self.assertEqual(self.relation(3), self.schema.RELATION_NONE)
        self.assertEqual(self.relation(2), self.schema.RELATION_TOUCHING)
        self.assertEqual(self.relation(1), self.schema.RELATION_OVERLAPPING)
        self.assertEqual(self.relation(2.5, tolerance=0.5), self.schema.RELATION_TOUCHING)
        self.assertEqual(self.relation(2.5, tolerance_relative=0.25), self.schema.RELATION_TOUCHING)
        for scale in (1e-6, 1.0, 1e6):
            answer = self.detect(pairs={"a": columns(radius=0.1 * scale), "circles": columns(x=0.3 * scale, radius=0.2 * scale)})
            self.assertEqual(list(answer.pairs.relation), [self.schema.RELATION_TOUCHING], scale)

    def test_line_and_circle(self):
        answer = self.detect(pairs={"a": columns(x=-4, y=3, radius=2), "lines": columns(x2=3, y2=4)})
        self.assertEqual(list(answer.pairs.gap), [3.0])
        self.assertEqual(list(answer.pairs.feature), [self.schema.FEATURE_SEGMENT_FACE])
        self.assertAlmostEqual(answer.pairs.normal_x[0], -0.8)

    def test_segment_and_circle_wholly_inside_filled_and_outline(self):
        pairs = {"a": columns(radius=5), "segments": columns(x1=-1, x2=2)}
        for reading, relation, gap in ((self.schema.READING_UNSPECIFIED, self.schema.RELATION_OVERLAPPING, -5.0),
                                       (self.schema.READING_FILLED, self.schema.RELATION_OVERLAPPING, -5.0),
                                       (self.schema.READING_OUTLINE, self.schema.RELATION_NONE, 3.0)):
            answer = self.detect(pairs=pairs, reading=reading)
            self.assertEqual((list(answer.pairs.relation), list(answer.pairs.gap)), ([relation], [gap]))

    def test_pool_hall_lessons_early_outs_are_counted(self):
        moving = [[0, 0], [7.9, 0], [-99, 0], [0, 99], [99, 30], [8.6, -1.5], [8, 0], [9, 0]]
        answer = self.detect(pairs={"a": columns(radius=1, y=[0.0] * 5 + [1.5, 0.0, 0.0], vx=[float(v[0]) for v in moving],
                                                 vy=[float(v[1]) for v in moving[:5]] + [0.0] * 3),
                                    "circles": columns(x=10, radius=1)}, dt=1.0)
        s = self.schema
        self.assertEqual(list(answer.pairs.sweep),
                         [s.SWEEP_NOT_MOVING, s.SWEEP_OUT_OF_REACH, s.SWEEP_MOVING_AWAY, s.SWEEP_MOVING_AWAY, s.SWEEP_PASSES,
                          s.SWEEP_ENDS_BEFORE, s.SWEEP_HIT, s.SWEEP_HIT])
        counts = answer.counts
        self.assertEqual((counts.tested, counts.not_moving, counts.out_of_reach, counts.moving_away, counts.passes,
                          counts.ends_before, counts.hit, counts.at_start), (8, 1, 1, 2, 1, 1, 2, 0))
        self.assertEqual(answer.pairs.time[6], 1.0)
        self.assertEqual(answer.pairs.fraction[7], 8 / 9)
        self.assertEqual(answer.pairs.a_move_x[7], 9 * answer.pairs.time[7])
        self.assertEqual(answer.pairs.hit_normal_x[7], -1.0)
        self.assertEqual(list(answer.pairs.a), list(range(8)))

    def test_pool_hall_lessons_predicted_instance_moving_against_moving(self):
        answer = self.detect(pairs={"a": columns(radius=1, vx=2, vy=1), "circles": columns(x=10, radius=1, vx=-2, vy=1)}, dt=4)
        pairs = answer.pairs
        self.assertEqual([pairs.time[0], pairs.fraction[0], pairs.a_x[0], pairs.a_y[0], pairs.b_x[0], pairs.b_move_x[0],
                          pairs.hit_x[0], pairs.approach_speed[0]], [2.0, 0.5, 4.0, 2.0, 6.0, -4.0, 5.0, 4.0])
        still = self.detect(pairs={"a": columns(radius=1), "circles": columns(x=1, radius=1)})
        self.assertEqual(len(still.pairs.sweep), 0)
        self.assertEqual(len(still.pairs.time), 0)

    def test_all_pairs_of_a_scene(self):
        scene = {"circles": [circle(0, 0, id=7), circle(0.75, 0, id=3), circle(9, 0, vx=-20, id=5), circle(50, 50, id=1),
                             circle(0, 0, id=9, category=2, mask=2)],
                 "segments": [dict(x1=-1.0, y1=-0.5, x2=1.0, y2=-0.5, id=4)]}
        now = self.detect(scene=scene)
        s = self.schema
        self.assertEqual(list(zip(now.pairs.a, now.pairs.b, now.pairs.feature, now.pairs.relation)),
                         [(3, 7, s.FEATURE_CIRCLE, s.RELATION_OVERLAPPING),
                          (3, 4, s.FEATURE_SEGMENT_FACE, s.RELATION_TOUCHING),
                          (7, 4, s.FEATURE_SEGMENT_FACE, s.RELATION_TOUCHING)])
        soon = self.detect(scene=scene, dt=1.0)
        hits = [(a, b, t) for a, b, o, t in zip(soon.pairs.a, soon.pairs.b, soon.pairs.sweep, soon.pairs.time)
                if o == s.SWEEP_HIT]
        self.assertEqual([hit[:2] for hit in hits], [(3, 5), (5, 7)])
        self.assertAlmostEqual(hits[0][2], 7.25 / 20)
        self.assertEqual(hits[1][2], 8 / 20)

    def test_first_contacts_are_those_of_simulate(self):
        """With the engine's skin, the earliest hit of a scene is the first contact of Simulate, to a few ulp."""
        rng = random.Random(4)
        for _ in range(20):
            circles = [circle(4.0 * (i % 4) + rng.uniform(-1, 1), 4.0 * (i // 4) + rng.uniform(-1, 1), rng.uniform(-9, 9),
                              rng.uniform(-9, 9)) for i in range(16)]
            scene = {"circles": circles, "segments": [dict(w, id=i) for i, w in enumerate(box(20.0))]}
            answer = self.detect(scene=scene, dt=2.0, with_skin=True)
            first = min(answer.pairs.time)
            frames, _ = self.run_scene(scene, dt=2.0, ticks=1)
            self.assertAlmostEqual(frames[0].contacts.time[0], first, delta=1e-15)

    def test_many_pairs_come_in_parts(self):
        count = 300
        scene = {"circle_columns": {"count": count, "radius": [1.0]}}
        request = self.connection.send(detect={"scene": scene})
        parts = [message.detected for message in self.connection.answers(request)]
        self.assertEqual([part.more for part in parts], [True] * (len(parts) - 1) + [False])
        self.assertTrue(all(len(part.pairs.a) <= 4096 for part in parts))
        self.assertTrue(all(not part.HasField("counts") for part in parts[:-1]))
        got = [pair for part in parts for pair in zip(part.pairs.a, part.pairs.b)]
        self.assertEqual(got, [(a, b) for a in range(count) for b in range(a + 1, count)])
        self.assertEqual(parts[-1].counts.overlapping, len(got))

    def test_cancel_of_endless_pairs(self):
        scene = {"circle_columns": {"count": 200_000, "radius": [1.0]}}  # 2e10 pairs
        request = self.connection.send(detect={"scene": scene})
        cancel = self.connection.send(cancel={"target_request_id": request})
        kinds = {}
        while len(kinds) < 2:
            message = self.connection.receive()
            if message.WhichOneof("reply") != "detected":
                kinds[message.request_id] = message
        self.assertTrue(kinds[cancel].cancel_done.found)
        self.assertEqual(kinds[request].error.code, CANCELLED)

    def test_columns_of_pairs(self):
        rng = random.Random(5)
        count = 10_000
        draw = lambda low, high: [rng.uniform(low, high) for _ in range(count)]
        a, b = columns(x=draw(-2, 2), y=draw(-2, 2), radius=draw(0.1, 1)), columns(x=draw(-2, 2), y=draw(-2, 2), radius=draw(0.1, 1))
        answer = self.detect(pairs={"a": a, "circles": b})
        self.assertEqual(list(answer.pairs.a), list(range(count)))
        for i in range(count):
            gap = math.hypot(a["x"][i] - b["x"][i], a["y"][i] - b["y"][i]) - a["radius"][i] - b["radius"][i]
            self.assertAlmostEqual(answer.pairs.gap[i], gap, delta=1e-14)
        one = self.detect(pairs={"a": columns(radius=1), "circles": b})  # one circle against all
        self.assertEqual(len(one.pairs.gap), count)

    def test_flatredball_move_collision_with_weights(self):
        for weights, a_x, b_x in (({}, -0.5, 1.5), ({"weight_a": [0.0]}, -1.0, 1.0), ({"weight_b": [0.0]}, 0.0, 2.0),
                                  ({"weight_a": [3.0]}, -0.25, 1.75)):
            answer = self.respond(pairs={"a": columns(radius=1), "circles": columns(x=1, radius=1)}, push_out=weights)
            self.assertEqual((list(answer.rows.pushed), list(answer.rows.a_x), list(answer.rows.b_x)), ([True], [a_x], [b_x]))
        fixed = self.respond(pairs={"a": columns(radius=1), "circles": {**columns(x=1, radius=1), "kind": [3]}}, push_out={})
        self.assertEqual((list(fixed.rows.a_x), list(fixed.rows.b_x)), ([-1.0], [1.0]))
        wall = self.respond(pairs={"a": columns(y=0.5, radius=1), "segments": columns(x1=-9, x2=9)}, push_out={})
        self.assertEqual((list(wall.rows.a_y), wall.counts.pushed), ([1.0], 1))
        same = self.respond(pairs={"a": columns(radius=1), "circles": columns(radius=1)}, push_out={})
        self.assertEqual((list(same.rows.a_x), list(same.rows.normal_x)), ([1.0], [1.0]))

    def test_flatredball_bounce_collision_and_elastic_response_with_masses(self):
        touching = {"a": columns(radius=1, vx=1), "circles": columns(x=2, radius=1)}
        answer = self.respond(pairs=touching, bounce={})
        self.assertEqual((list(answer.rows.a_vx), list(answer.rows.b_vx), list(answer.rows.impulse)), ([0.0], [1.0], [1.0]))
        dull = self.respond(pairs=touching, bounce={"elasticity": [0.0]})
        self.assertEqual((list(dull.rows.a_vx), list(dull.rows.b_vx)), ([0.5], [0.5]))
        heavy = self.respond(pairs={"a": columns(radius=1, vx=3, mass=2), "circles": columns(x=2, radius=1)}, bounce={})
        self.assertAlmostEqual(heavy.rows.a_vx[0], 1.0)
        self.assertAlmostEqual(heavy.rows.b_vx[0], 4.0)
        for kind in (2, 3):  # one moves: the other is kinematic or static
            one = self.respond(pairs={"a": columns(radius=1, vx=4), "circles": {**columns(x=2, radius=1), "kind": [kind]}},
                               bounce={"elasticity": [0.5]})
            self.assertEqual((list(one.rows.a_vx), list(one.rows.b_vx), list(one.rows.impulse)), ([-2.0], [0.0], [6.0]))

    def test_flatredball_bounce_collision_checks_for_approach(self):
        pairs = {"a": columns(radius=1, vx=[-1.0, 1.0, 1.0]), "circles": columns(x=[1.5, 1.5, 5.0], radius=1)}
        answer = self.respond(pairs=pairs, bounce={}, push_out={})
        s = self.schema
        self.assertEqual(list(answer.rows.bounce), [s.BOUNCE_OUTCOME_RECEDING, s.BOUNCE_OUTCOME_DONE, s.BOUNCE_OUTCOME_APART])
        self.assertEqual(list(answer.rows.a_vx), [-1.0, 0.0, 1.0])
        self.assertEqual(list(answer.rows.pushed), [True, True, False])
        self.assertEqual((answer.counts.rows, answer.counts.pushed, answer.counts.bounced, answer.counts.receding,
                          answer.counts.apart), (3, 2, 1, 1, 1))
