"""Query on the wire: what the questions mean, in columns and parts, against a brute force of its own; refusals."""
import math
import random

from outside_client import EXHAUSTED, INVALID, WithDaemon, box, circle


class Questions(WithDaemon):
    def query(self, **request):
        return self.connection.joined("queried", query=request)

    def rows(self, hits, *names):
        return list(zip(*(getattr(hits, name) for name in names)))

    def test_a_ray_and_a_wide_cast(self):
        scene = {"circles": [circle(5, 0, radius=1.0, id=7), circle(9, 0.5, radius=1.0, id=3)],
                 "segments": [dict(x1=2.0, y1=-1.0, x2=2.0, y2=3.0, id=1)]}
        answer = self.query(scene=scene, casts=dict(move_x=[16.0], radius=[0.0, 1.0], limit=[0]))
        s = self.schema
        hits = answer.hits
        self.assertEqual(self.rows(hits, "row", "id", "feature"),
                         [(0, 1, s.FEATURE_SEGMENT_FACE), (0, 7, s.FEATURE_CIRCLE), (0, 3, s.FEATURE_CIRCLE),
                          (1, 1, s.FEATURE_SEGMENT_FACE), (1, 7, s.FEATURE_CIRCLE), (1, 3, s.FEATURE_CIRCLE)])
        self.assertEqual(list(hits.fraction)[:2], [2 / 16, 4 / 16])
        self.assertEqual(list(hits.fraction)[3:5], [1 / 16, 3 / 16])
        self.assertEqual(set(hits.question), {s.QUESTION_CAST})
        self.assertEqual((hits.normal_x[0], hits.normal_y[0], hits.point_x[0]), (-1.0, 0.0, 2.0))
        self.assertEqual((answer.counts.casts, answer.counts.casts_hit, answer.counts.hits), (2, 2, 6))
        first = self.query(scene=scene, casts=dict(move_x=[16.0], asker=dict(ignore_segment=[1])))
        self.assertEqual(list(first.hits.id), [7])

    def test_starting_inside(self):
        scene = {"circles": [circle(0, 0, radius=2.0), circle(6, 0, radius=1.0)]}
        s = self.schema
        for start, expected in ((s.CAST_START_UNSPECIFIED, [0]), (s.CAST_START_HITS, [0]), (s.CAST_START_APPROACHES, [1]),
                                (s.CAST_START_PASSES, [1])):
            answer = self.query(scene=scene, casts=dict(x=[1.0], move_x=[8.0], start=[start]))
            self.assertEqual(list(answer.hits.id), expected, start)
        answer = self.query(scene=scene, casts=dict(x=[1.0]))
        self.assertEqual((list(answer.hits.gap), list(answer.hits.relation)), ([-1.0], [s.RELATION_OVERLAPPING]))

    def test_what_is_where(self):
        s = self.schema
        scene = {"circles": [circle(0, 0, radius=1.0), circle(4, 0, radius=1.0)], "segments": [dict(x1=0.0, y1=3.0, x2=9.0, y2=3.0)]}
        answer = self.query(scene=scene, in_circles=dict(x=[0.5, 2.0, 20.0], radius=[0.0, 1.0, 0.0]),
                            in_boxes=dict(x_min=[3.0], y_min=[0.5], x_max=[5.0], y_max=[3.0]),
                            in_segments=dict(x1=[4.0], y1=[0.0], x2=[4.0], y2=[5.0]))
        self.assertEqual(self.rows(answer.hits, "question", "row", "id", "feature", "relation"),
                         [(s.QUESTION_IN_CIRCLE, 0, 0, s.FEATURE_CIRCLE, s.RELATION_OVERLAPPING),
                          (s.QUESTION_IN_CIRCLE, 1, 0, s.FEATURE_CIRCLE, s.RELATION_TOUCHING),
                          (s.QUESTION_IN_CIRCLE, 1, 1, s.FEATURE_CIRCLE, s.RELATION_TOUCHING),
                          (s.QUESTION_IN_BOX, 0, 1, s.FEATURE_CIRCLE, s.RELATION_OVERLAPPING),
                          (s.QUESTION_IN_BOX, 0, 0, s.FEATURE_SEGMENT_FACE, s.RELATION_TOUCHING),
                          (s.QUESTION_IN_SEGMENT, 0, 1, s.FEATURE_CIRCLE, s.RELATION_OVERLAPPING),
                          (s.QUESTION_IN_SEGMENT, 0, 0, s.FEATURE_SEGMENT_FACE, s.RELATION_OVERLAPPING)])
        self.assertEqual((answer.counts.in_circles, answer.counts.in_circles_hit), (3, 2))

    def test_nearest(self):
        scene = {"circles": [circle(float(x), 0, radius=0.5, id=20 - x) for x in range(1, 10)]}
        answer = self.query(scene=scene, nearest=dict(x=[5.0, 0.0], radius=[0.25], limit=[3, 1], gap_max=[10.0, 0.25]))
        self.assertEqual(self.rows(answer.hits, "row", "id", "gap"), [(0, 15, -0.75), (0, 14, 0.25), (0, 16, 0.25), (1, 19, 0.25)])

    def test_a_character_in_a_room(self):
        scene = {"segments": box(5.0)}
        answer = self.query(scene=scene, moves=dict(radius=[0.5], move_x=[20.0, 3.0], move_y=[-2.0, 0.0], legs_max=[0]))
        s, moves = self.schema, answer.moves
        # To the wall, then along it by what is left of the push.
        self.assertEqual(list(moves.end), [s.MOVE_END_DONE, s.MOVE_END_DONE])
        self.assertAlmostEqual(moves.y[0], -2.0, 12)
        self.assertAlmostEqual(moves.x[0], 4.5, 5)
        self.assertLess(moves.x[0], 4.5)
        self.assertEqual((moves.x[1], moves.y[1], moves.fraction[1]), (3.0, 0.0, 1.0))
        self.assertEqual(list(answer.legs.row), [0] * moves.legs[0] + [1])
        self.assertEqual(answer.legs.x[moves.legs[0] - 1], moves.x[0])
        self.assertEqual(answer.presses.feature[0], s.FEATURE_SEGMENT_FACE)

    def test_many_answers_come_in_parts(self):
        scene = {"circle_columns": dict(count=3000, radius=[1.0])}
        parts = [message.queried for message in
                 self.connection.answers(self.connection.send(query=dict(scene=scene, in_circles=dict(count=4))))]
        self.assertEqual([len(part.hits.id) for part in parts], [4096, 4096, 12000 - 8192])
        self.assertEqual([part.more for part in parts], [True, True, False])
        self.assertEqual(parts[-1].counts.hits, 12000)

    def test_rays_against_a_brute_force(self):
        # Plain floating point from the textbook: it agrees but for its rounding.
        rng = random.Random(4)
        for _ in range(20):
            circles = [(rng.uniform(-50, 50), rng.uniform(-50, 50), rng.uniform(0.1, 5)) for _ in range(100)]
            rays = [[rng.uniform(-60, 60) for _ in range(4)] for _ in range(50)]
            answer = self.query(scene={"circle_columns": dict(x=[c[0] for c in circles], y=[c[1] for c in circles],
                                                              radius=[c[2] for c in circles])},
                                casts=dict(x=[r[0] for r in rays], y=[r[1] for r in rays], move_x=[r[2] for r in rays],
                                           move_y=[r[3] for r in rays], start=[self.schema.CAST_START_PASSES]))
            told = dict(zip(answer.hits.row, zip(answer.hits.fraction, answer.hits.id)))
            for row, (x, y, mx, my) in enumerate(rays):
                best = None
                for number, (cx, cy, r) in enumerate(circles):
                    dx, dy, a = x - cx, y - cy, mx * mx + my * my
                    b, c = dx * mx + dy * my, dx * dx + dy * dy - r * r
                    if c < 0 or b * b - a * c < 0:
                        continue
                    t = (-b - math.sqrt(b * b - a * c)) / a
                    if 0 <= t <= 1 and (best is None or t < best[0]):
                        best = t, number
                if best is None:
                    self.assertNotIn(row, told)
                else:
                    self.assertAlmostEqual(told[row][0], best[0], 9)
                    self.assertEqual(told[row][1], best[1])


class BadQuestions(WithDaemon):
    def refused_query(self, field, code=INVALID, reason="BAD_FIELD", **request):
        with self.subTest(field=field, request=request):
            self.refused(self.connection.ask(query=request), code, reason, field)
            self.still_usable()

    def test_nothing_asked(self):
        self.refused_query("query.scene", casts=dict(move_x=[1.0]))
        self.refused_query("query", scene={})
        self.refused_query("query.casts", scene={}, casts={})
        self.refused_query("query.moves.radius", scene={}, moves=dict(move_x=[1.0]))

    def test_values(self):
        good = dict(x=[0.0, 1.0, 2.0])
        for field, value in (("x", math.nan), ("y", 1.1e12), ("move_x", math.inf), ("move_y", 1.1e13), ("radius", -1.0),
                             ("radius", 1e-10)):
            self.refused_query(f"query.casts.{field}[2]", scene={}, casts={**good, field: [0.0, 1.0, value]})
        self.refused_query("query.casts.start[1]", scene={}, casts=dict(start=[1, 9]))
        self.refused_query("query.casts.y", scene={}, casts={**good, "y": [1.0, 2.0]})
        self.refused_query("query.nearest.asker.mask", scene={}, nearest={**good, "asker": dict(mask=[1, 2])})
        self.refused_query("query.nearest.gap_max[0]", scene={}, nearest={**good, "gap_max": [-1.0]})
        self.refused_query("query.in_boxes.x_max", scene={}, in_boxes=dict(x_min=[1.0]))
        self.refused_query("query.in_segments.x2[0]", scene={}, in_segments=dict(x2=[math.inf]))
        self.refused_query("query.in_circles.radius[0]", scene={}, in_circles=dict(radius=[1e10]))
        self.refused_query("query.moves.radius[0]", scene={}, moves=dict(radius=[0.0]))
        self.refused_query("query.moves.skin[0]", scene={}, moves=dict(radius=[1.0], skin=[-1.0]))
        self.refused_query("query.moves.legs_max[0]", scene={}, moves=dict(radius=[1.0], legs_max=[257]))
        self.refused_query("query.tolerance", scene={}, casts=good, tolerance=-1.0)
        self.refused_query("query.tolerance_relative", scene={}, casts=good, tolerance_relative=2.0)
        self.refused_query("query.scene.circles[0].radius", scene={"circles": [circle(0, 0, radius=-1.0)]}, casts=good)

    def test_limits(self):
        self.refused_query("query.casts", EXHAUSTED, "LIMIT", scene={}, casts=dict(count=1000001))
        self.refused_query("query.ignore_circles", EXHAUSTED, "LIMIT", scene={}, casts=dict(count=1), ignore_circles=[1] * 65)
