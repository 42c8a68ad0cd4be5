"""Bad Detect and Respond requests of each kind: the code, the reason and the field; the connection survives."""
import math

from outside_client import DEADLINE, EXHAUSTED, INVALID, WithDaemon, circle

GOOD = {"x": [0.0], "radius": [1.0]}
WALL = {"x2": [1.0]}


class BadQueries(WithDaemon):
    def refused_detect(self, field, code=INVALID, reason="BAD_FIELD", **request):
        with self.subTest(field=field, request=request):
            self.refused(self.connection.ask(detect=request), code, reason, field)
            self.still_usable()

    def refused_respond(self, field, code=INVALID, reason="BAD_FIELD", **request):
        with self.subTest(field=field, request=request):
            self.refused(self.connection.ask(respond=request), code, reason, field)
            self.still_usable()

    def test_nothing_asked(self):
        self.refused_detect("detect")
        self.refused_detect("detect.pairs.a", pairs={"circles": GOOD})
        self.refused_detect("detect.pairs", pairs={"a": GOOD})
        self.refused_detect("detect.pairs.a", pairs={"a": {}, "circles": GOOD})
        self.refused_detect("detect.pairs.circles", pairs={"a": GOOD, "circles": {}})
        self.refused_respond("respond.pairs", bounce={})
        self.refused_respond("respond", pairs={"a": GOOD, "circles": GOOD})

    def test_values_of_pairs(self):
        for field, value in (("x", math.nan), ("y", math.inf), ("vx", 1e13), ("radius", 0.0), ("radius", -1.0), ("radius", 1e10),
                             ("mass", 0.0)):
            for side in ("a", "circles"):
                pairs = {"a": GOOD, "circles": GOOD}
                pairs[side] = {"x": [0.0, 1.0, 2.0], "radius": [1.0], **{field: [1.0, 1.0, value]}}
                self.refused_detect(f"detect.pairs.{side}.{field}[2]", pairs=pairs)
        self.refused_detect("detect.pairs.a.radius", pairs={"a": {"x": [1.0]}, "circles": GOOD})
        self.refused_detect("detect.pairs.a.radius[0]", pairs={"a": {"radius": [-1.0], "count": 9}, "circles": GOOD})
        self.refused_detect("detect.pairs.a.kind[1]", pairs={"a": {"radius": [1.0], "kind": [1, 9]}, "circles": GOOD})
        self.refused_detect("detect.pairs.segments.y1[0]", pairs={"a": GOOD, "segments": {**WALL, "y1": [math.nan]}})

    def test_a_line_through_two_equal_points(self):
        for kind in ("lines", "segments"):
            self.refused_detect(f"detect.pairs.{kind}.x2[1]", pairs={"a": GOOD, kind: {"x1": [1.0, 5.0], "x2": [2.0, 5.0]}})
            self.refused_respond(f"respond.pairs.{kind}.x2", pairs={"a": GOOD, kind: {"x1": [0.0]}}, push_out={})

    def test_columns_of_pairs(self):
        three = {"x": [0.0, 1.0, 2.0], "radius": [1.0]}
        self.refused_detect("detect.pairs.a.y", pairs={"a": {**three, "y": [1.0, 2.0]}, "circles": GOOD})
        self.refused_detect("detect.pairs.circles", pairs={"a": three, "circles": {"x": [0.0, 1.0], "radius": [1.0]}})
        for name, values in (("id", [1]), ("restitution", [1.0]), ("category", [1]), ("mask", [1])):
            self.refused_detect(f"detect.pairs.a.{name}", pairs={"a": {**GOOD, name: values}, "circles": GOOD})
        self.refused_detect("detect.pairs.segments.restitution", pairs={"a": GOOD, "segments": {**WALL, "restitution": [1.0]}})

    def test_settings(self):
        pairs = {"a": GOOD, "circles": GOOD}
        for dt in (-1.0, math.nan, math.inf, 1.1e12):
            self.refused_detect("detect.dt", pairs=pairs, dt=dt)
        for tolerance in (-1.0, math.nan, 2e12):
            self.refused_detect("detect.tolerance", pairs=pairs, tolerance=tolerance)
            self.refused_respond("respond.tolerance", pairs=pairs, tolerance=tolerance, bounce={})
        self.refused_detect("detect.tolerance_relative", pairs=pairs, tolerance_relative=1.5)
        self.refused_respond("respond.tolerance_relative", pairs=pairs, tolerance_relative=-0.5, bounce={})
        self.refused_detect("detect.reading", pairs=pairs, reading=9)
        limit = self.connection.welcome.limits.deadline_ms_max
        self.refused_detect("detect.deadline_ms", EXHAUSTED, "LIMIT", pairs=pairs, deadline_ms=limit + 1)
        self.refused_respond("respond.deadline_ms", EXHAUSTED, "LIMIT", pairs=pairs, deadline_ms=limit + 1, bounce={})

    def test_scenes(self):
        self.refused_detect("detect.scene.circles[1].radius", scene={"circles": [circle(0, 0), circle(1, 1, radius=-1.0)]})
        self.refused_detect("detect.scene.circles[1].id", scene={"circles": [circle(0, 0, id=1), circle(1, 1, id=1)]})
        self.refused_detect("detect.scene.segment_columns.y2", scene={"segment_columns": {"x1": [0.0, 1.0, 2.0], "y2": [1.0, 2.0]}})

    def test_responses(self):
        pairs = {"a": {"x": [0.0, 1.0], "radius": [1.0]}, "circles": GOOD}
        self.refused_respond("respond.push_out.weight_b[1]", pairs=pairs, push_out={"weight_a": [1.0, 0.0], "weight_b": [0.0, 0.0]})
        self.refused_respond("respond.push_out.weight_b[0]", pairs=pairs, push_out={"weight_a": [0.0], "weight_b": [0.0]})
        self.refused_respond("respond.push_out.weight_a[1]", pairs=pairs, push_out={"weight_a": [1.0, -1.0]})
        self.refused_respond("respond.push_out.weight_a[0]", pairs=pairs, push_out={"weight_a": [math.inf]})
        self.refused_respond("respond.push_out.weight_a", pairs=pairs, push_out={"weight_a": [1.0, 1.0, 1.0]})
        self.refused_respond("respond.push_out.weight_b", pairs={"a": GOOD, "segments": WALL}, push_out={"weight_b": [1.0]})
        self.refused_respond("respond.bounce.elasticity[1]", pairs=pairs, bounce={"elasticity": [1.0, 1.5]})
        static = {**GOOD, "kind": [3]}
        self.refused_respond("respond.pairs.a.kind[0]", pairs={"a": static, "circles": static}, bounce={})
        self.refused_respond("respond.pairs.a.kind[0]", pairs={"a": static, "lines": WALL}, push_out={})

    def test_more_than_announced(self):
        most = self.connection.welcome.limits.circles_max
        self.refused_detect("detect.pairs.a", EXHAUSTED, "LIMIT", pairs={"a": {"radius": [1.0], "count": most + 1}, "circles": GOOD})
        self.refused_detect("detect.pairs.a", EXHAUSTED, "LIMIT",
                            pairs={"a": {"radius": [1.0], "count": 4294967295}, "circles": GOOD})
        self.refused_detect("detect.pairs.a.x", EXHAUSTED, "LIMIT",
                            pairs={"a": {"radius": [1.0], "x": [0.0] * (most + 1)}, "circles": GOOD})

    def test_deadline_of_endless_pairs(self):
        scene = {"circle_columns": {"count": 100_000, "radius": [1.0]}}
        for message in self.connection.answers(self.connection.send(detect={"scene": scene, "deadline_ms": 300})):
            last = message
        self.assertEqual(last.error.code, DEADLINE, last.error)
        self.assertEqual([violation.field for violation in last.error.violations], ["detect.deadline_ms"])
        self.still_usable()
