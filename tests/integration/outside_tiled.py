#!/usr/bin/env python3
"""outside_tiled.py COLLIDED COLLIDE: a Tiled map becomes the scene that complex numbers say it should.

The map has every kind of object, rotations, offset layers in groups, inherited properties. Here a point is x + iy, a rotation a
product, and the flip of the y axis a conjugate; nothing of the importer's code is used.
"""
import cmath
import copy
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

COLLIDE = os.path.abspath(sys.argv[2])
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "tiled_map.json"), encoding="utf-8") as file:
    MAP = json.load(file)
WORK = tempfile.TemporaryDirectory()


def imported(tiled, *flags, status=0):
    path = os.path.join(WORK.name, "map.json")
    with open(path, "w", encoding="utf-8") as out:
        json.dump(tiled, out)
    done = subprocess.run([COLLIDE, "import", *flags, "map.json"], capture_output=True, check=False, cwd=WORK.name, timeout=600)
    assert done.returncode == status, (done.returncode, done.stderr)
    return json.loads(done.stdout) if done.stdout else None, done.stderr.decode().splitlines()


def objects(layers, offset=0j, around=()):
    """(object, offset, its layers from the innermost) of every object layer."""
    for layer in layers:
        own = offset + complex(layer.get("offsetx", 0), layer.get("offsety", 0))
        chain = (layer, *around)
        if layer["type"] == "group":
            yield from objects(layer["layers"], own, chain)
        for thing in layer.get("objects", []):
            yield thing, own, chain


def lookup(name, *chain):
    for json_object in chain:
        for entry in json_object.get("properties", []):
            if entry["name"] == name:
                return entry["value"]
    return None


def outline(thing):
    for kind in ("polyline", "polygon"):
        if kind in thing:
            return [complex(p["x"], p["y"]) for p in thing[kind]], kind == "polygon"
    w, h = thing["width"], thing["height"]
    return [0, w, complex(w, h), complex(0, h)], True


def expected(tiled, scale):
    circles, walls = [], []
    for thing, offset, chain in objects(tiled["layers"]):
        if thing.get("point") or "text" in thing:
            continue

        def put(z):
            turned = z * cmath.exp(1j * math.radians(thing["rotation"])) + complex(thing["x"], thing["y"]) + offset
            return (turned * scale).conjugate()

        def value(name, default=None):
            found = lookup(name, thing, *chain, tiled)
            return default if found is None else found

        common = {"restitution": value("restitution", 1), "friction": value("friction", 0),
                  "rollingResistance": value("rollingResistance", 0), "category": value("category", 1) % 2 ** 32,
                  "mask": value("mask", -1) % 2 ** 32, "own": lookup("id", thing)}
        if thing.get("ellipse"):
            velocity = complex(value("vx", 0), value("vy", 0)).conjugate() * scale
            kind = value("kind", "dynamic").upper().replace("BODY_KIND_", "")
            circles.append({**common, "at": put(complex(thing["width"], thing["height"]) / 2), "radius": thing["width"] / 2 * scale,
                            "velocity": velocity, "mass": value("mass", 1), "kind": kind,
                            "spin": -value("angularVelocity", 0)})
            continue
        points, closed = outline(thing)
        pairs = list(zip(points, points[1:])) + ([(points[-1], points[0])] if closed else [])
        for i, (a, b) in enumerate((a, b) for a, b in pairs if a != b):
            own = None if common["own"] is None else common["own"] + i
            walls.append({**common, "from": put(a), "to": put(b), "own": own})
    return circles, walls


class Tiled(unittest.TestCase):
    def near(self, left, right, scale=1):
        self.assertLess(abs(left - right), 1.5e-6 * max(1, scale))

    def compare(self, tiled, scale):
        scene, told = imported(tiled, "--scale", str(scale), "--names", "names.txt")
        circles, walls = expected(tiled, scale)
        self.assertEqual((len(scene["circles"]), len(scene["segments"])), (len(circles), len(walls)))
        for got, want in zip(scene["circles"], circles):
            self.near(complex(got.get("x", 0), got.get("y", 0)), want["at"])
            self.near(got["radius"], want["radius"])
            self.near(complex(got.get("vx", 0), got.get("vy", 0)), want["velocity"])
            self.assertEqual(got.get("mass", 1), want["mass"])
            self.assertEqual(got.get("angularVelocity", 0), want["spin"])
            self.assertEqual(got.get("kind", "BODY_KIND_DYNAMIC"), "BODY_KIND_" + want["kind"])
        for got, want in zip(scene["segments"], walls):
            self.near(complex(got.get("x1", 0), got.get("y1", 0)), want["from"])
            self.near(complex(got.get("x2", 0), got.get("y2", 0)), want["to"])
        for got, want in zip(scene["circles"] + scene["segments"], circles + walls):
            self.assertEqual(got.get("restitution", 1), want["restitution"])
            self.assertEqual(got.get("friction", 0), want["friction"])
            self.assertEqual(got.get("rollingResistance", 0), want["rollingResistance"])
            self.assertEqual((got.get("category", 1), got.get("mask", 2 ** 32 - 1)), (want["category"], want["mask"]))
            if want["own"] is not None:
                self.assertEqual(got["id"], want["own"])
        for rows in (scene["circles"], scene["segments"]):
            self.assertEqual(len({row.get("id") for row in rows}), len(rows))
        # The sides of a polygon share their corners to the last bit.
        ends = [(s.get("x2", 0), s.get("y2", 0)) for s in scene["segments"][2:5]]
        starts = [(s.get("x1", 0), s.get("y1", 0)) for s in scene["segments"][2:5]]
        self.assertEqual(ends, starts[1:] + starts[:1])
        self.near(scene["gravityY"], -981.5 * scale, scale)
        return scene, told

    def test_the_scene_is_the_map(self):
        for scale in (1, 0.03125, 3):
            scene, told = self.compare(MAP, scale)
        self.assertEqual([line.split(":")[0] for line in told[:-1]],
                         ['layer "ground"', 'layer "sky"', 'layer "notes"', 'layer "notes"'])
        self.assertEqual(told[-1], "map.json: 13 walls, 4 circles")
        with open(os.path.join(WORK.name, "names.txt"), encoding="utf-8") as names:
            lines = names.read().splitlines()
        self.assertIn("circle 1\tball", lines)
        self.assertIn("segment 7-10\tcrate", lines)
        # The daemon's engine takes it.
        with open(os.path.join(WORK.name, "scene.json"), "w", encoding="utf-8") as out:
            json.dump(scene, out)
        done = subprocess.run([COLLIDE, "check", "scene.json"], capture_output=True, check=False, cwd=WORK.name)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_many_objects_go_into_columns(self):
        tiled = copy.deepcopy(MAP)
        balls = tiled["layers"][2]["layers"][0]["objects"]
        for i in range(150):
            balls.append({"id": 100 + i, "name": "", "ellipse": True, "width": 4, "height": 4, "rotation": 0, "x": 10 * i, "y": 900,
                          "properties": [{"name": "mask", "type": "int", "value": i}]})
        scene, _ = imported(tiled)
        circles, _ = expected(tiled, 1)
        columns = scene["circleColumns"]
        self.assertEqual(columns["mask"], [c["mask"] for c in circles])
        self.assertEqual(columns["kind"], ["BODY_KIND_" + c["kind"] for c in circles])
        self.assertEqual(columns["mass"], [c["mass"] for c in circles])
        self.assertEqual(len(set(columns["id"])), len(circles))
        self.assertEqual([columns["id"][i] for i, c in enumerate(circles) if c["own"] is not None], [1])

    def refusal(self, change, text, names='layer "things/balls", object 11 "turned \\"ball\\""'.replace("\\", "")):
        tiled = copy.deepcopy(MAP)
        thing = tiled["layers"][2]["layers"][0]["objects"][1]
        change(thing)
        scene, told = imported(tiled, status=1)
        self.assertIsNone(scene)
        self.assertTrue(any(line.startswith(names) and text in line for line in told), told)
        self.assertIn("1 object cannot be had: nothing is written", told[-1])
        scene, told = imported(tiled, "--skip")
        self.assertEqual(len(scene["circles"]), 3)
        self.assertTrue(any(line.startswith(names) for line in told), told)

    def test_what_cannot_be_had_is_told_by_name(self):
        def prop(name, kind, value):
            return lambda thing: thing.update(properties=[{"name": name, "type": kind, "value": value}])

        self.refusal(lambda thing: thing.update(width=31), "an ellipse of 31 by 30")
        self.refusal(lambda thing: thing.update(width=0, height=0), "has no size")
        self.refusal(lambda thing: thing.update(template="ball.tx"), "template ball.tx")
        self.refusal(lambda thing: thing.update(gid=3), "a tile is a picture")
        self.refusal(lambda thing: (thing.pop("ellipse"), thing.update(capsule=True)), "a capsule")
        self.refusal(prop("mass", "string", "12"), '"mass" must be a float or an int')
        self.refusal(prop("mass", "class", {"a": 1}), '"mass" must be a float or an int')
        self.refusal(prop("mass", "float", 0), '"mass" is 0 and must be from 1e-15')
        self.refusal(prop("restitution", "float", 1.25), '"restitution" is 1.25 and must be from 0 to 1')
        self.refusal(prop("vx", "float", -1e13), '"vx" is -1e+13 and must be')
        self.refusal(lambda thing: thing.update(properties=[{"name": "kind", "type": "string", "value": "static"},
                                                            {"name": "vy", "type": "int", "value": 1}]), "and is static")
        self.refusal(prop("mask", "float", 0.5), '"mask" must be an int')
        self.refusal(prop("kind", "string", "ghost"), '"kind" must be "dynamic"')
        self.refusal(lambda thing: (thing.pop("ellipse"), thing.update(width=0)), "a rectangle of 0 by 30")
        self.refusal(lambda thing: (thing.pop("ellipse"), thing.update(properties=[{"name": "vx", "type": "int", "value": 1}])),
                     "walls do not move")
        self.refusal(lambda thing: (thing.pop("ellipse"), thing.update(polyline=[{"x": 1, "y": 1}])), "no length")

    def test_maps_that_are_none(self):
        for change, text in ((lambda m: m.update(orientation="isometric"), "only orthogonal"), (lambda m: m.pop("layers"), "no Tiled map"),
                             (lambda m: m.update(type="tileset"), "another file")):
            tiled = copy.deepcopy(MAP)
            change(tiled)
            _, told = imported(tiled, status=1)
            self.assertIn(text, told[-1])
        tiled = copy.deepcopy(MAP)
        tiled["layers"][2]["layers"][0]["objects"][1]["properties"] = [{"name": "id", "type": "int", "value": 1}]
        _, told = imported(tiled, status=1)
        self.assertIn("the id 1 is given twice", told[-1])
        imported(MAP, "--map", "E1M1", status=2)
        imported(MAP, "--circles", "5", status=2)

    def test_a_velocity_of_the_layer_is_for_those_that_move(self):
        tiled = copy.deepcopy(MAP)
        tiled["layers"][2]["layers"][0]["properties"] = [{"name": "vx", "type": "float", "value": 3}]
        scene, _ = imported(tiled)
        self.assertEqual([(c.get("vx", 0), c.get("kind")) for c in scene["circles"][:3]], [(120, None), (3, None), (0, "BODY_KIND_STATIC")])

    def test_files_that_are_none(self):
        for name, content, told in (("map.tmx", b'<?xml version="1.0"?><map/>', "export it as JSON"), ("map.bin", b"PWAD", "not a WAD file"),
                                    ("map.json", b'{"layers": [', "map.json:1:12: ")):
            with open(os.path.join(WORK.name, name), "wb") as file:
                file.write(content)
            done = subprocess.run([COLLIDE, "import", name], capture_output=True, check=False, cwd=WORK.name)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(told, done.stderr.decode())
        for name, told in (("none.json", "No such file"), (".", "Is a directory")):
            done = subprocess.run([COLLIDE, "import", name], capture_output=True, check=False, cwd=WORK.name)
            self.assertEqual(done.returncode, 2)
            self.assertIn(told, done.stderr.decode())

    def test_from_a_pipe_and_with_any_name(self):
        whole, _ = imported(MAP)
        done = subprocess.run([COLLIDE, "import", "-"], input=json.dumps(MAP).encode(), capture_output=True, check=True)
        self.assertEqual(json.loads(done.stdout), whole)
        tiled = copy.deepcopy(MAP)
        tiled["layers"][2]["layers"][0]["objects"][0]["name"] = "Kugel \u00fc \u4e2d\n\x1b[31m\t"
        imported(tiled, "--names", "n\u00e4men.txt", "-o", "sz\u00e4ne.json")
        with open(os.path.join(WORK.name, "n\u00e4men.txt"), encoding="utf-8") as names:
            self.assertIn("circle 1\tKugel \u00fc \u4e2d??[31m?\n", names.readlines())
        with open(os.path.join(WORK.name, "sz\u00e4ne.json"), encoding="utf-8") as scene:
            self.assertEqual(json.load(scene), whole)

    def test_properties_of_before_version_1_2(self):
        tiled = copy.deepcopy(MAP)
        for thing, _, chain in objects(tiled["layers"]):
            for holder in (thing, *chain, tiled):
                if isinstance(holder.get("properties"), list):
                    holder["properties"] = {entry["name"]: entry["value"] for entry in holder["properties"]}
        self.assertEqual(imported(tiled)[0], imported(MAP)[0])


unittest.main(argv=sys.argv[:1])
