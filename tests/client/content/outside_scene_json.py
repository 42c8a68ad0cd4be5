"""Scene files against a JSON form that is not ours: google.protobuf.json_format of Debian's python3-protobuf.

usage: outside_scene_json.py SCENE_JSON_TOOL PROTO_DIR
"""
import json
import math
import random
import struct
import subprocess
import sys
import tempfile
import unittest

from google.protobuf import json_format

TOOL, PROTO = sys.argv[1], sys.argv[2]
directory = tempfile.TemporaryDirectory()
subprocess.run(["protoc", f"-I{PROTO}", f"--python_out={directory.name}", "collide/v1/collide.proto"], check=True)
sys.path.insert(0, directory.name)
from collide.v1 import collide_pb2 as pb  # noqa: E402


def tool(mode, data):
    return subprocess.run([TOOL, mode], input=data, capture_output=True)


def any_double(rng):
    kind = rng.randrange(6)
    if kind == 0:
        return rng.choice([0.0, 1.0, -1.0, 0.1, 1e300, -1e-300, 5e-324, 1.7976931348623157e308, 123456789.123456789,
                           0.000001, 2.5, 4e6, 3999999.999999999, 4000000.5])
    if kind == 1:
        return round(rng.uniform(-1000, 1000), rng.randrange(10))
    if kind == 2:
        while True:
            value = struct.unpack("<d", struct.pack("<Q", rng.getrandbits(64)))[0]
            if math.isfinite(value):
                return value
    if kind == 3:
        return float(rng.randrange(-10**6, 10**6))
    return rng.uniform(-10, 10)


def any_value(rng, field):
    if field.message_type is not None:
        return None
    if field.enum_type is not None:
        return rng.choice(field.enum_type.values).number
    if field.cpp_type == field.CPPTYPE_DOUBLE:
        return any_double(rng)
    if field.cpp_type == field.CPPTYPE_INT32:
        return rng.choice([0, 1, -1, 2**31 - 1, -2**31, rng.getrandbits(32) - 2**31])
    return rng.choice([0, 1, 7, 2**31, 2**32 - 1, rng.getrandbits(32)])


def fill(rng, message, share):
    """Sets random fields of a message, whatever the schema says they are."""
    for field in message.DESCRIPTOR.fields:
        if rng.random() > share:
            continue
        if field.label == field.LABEL_REPEATED:
            for _ in range(rng.randrange(1, 6)):
                if field.message_type is not None:
                    fill(rng, getattr(message, field.name).add(), share)
                else:
                    getattr(message, field.name).append(any_value(rng, field))
        elif field.message_type is not None:
            getattr(message, field.name).SetInParent()
            fill(rng, getattr(message, field.name), share)
        else:
            setattr(message, field.name, any_value(rng, field))
    return message


class SceneJson(unittest.TestCase):
    def test_we_read_what_python_writes(self):
        rng = random.Random(1)
        for i in range(150):
            scene = fill(rng, pb.Scene(), rng.choice([0.2, 0.5, 0.9]))
            text = json_format.MessageToJson(scene, preserving_proto_field_name=i % 2 == 1,
                                             use_integers_for_enums=i % 3 == 1)
            done = tool("pack", text.encode())
            self.assertEqual(done.returncode, 0, done.stderr.decode() + text)
            self.assertEqual(pb.Scene.FromString(done.stdout), scene, text)

    def test_python_reads_what_we_write(self):
        rng = random.Random(2)
        for _ in range(150):
            scene = fill(rng, pb.Scene(), rng.choice([0.2, 0.5, 0.9]))
            done = tool("print", scene.SerializeToString())
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            self.assertEqual(json_format.Parse(done.stdout, pb.Scene()), scene, done.stdout.decode())

    def test_we_write_no_more_than_python(self):
        """The same keys: defaults left out, what was given with a default kept, the same spelling."""
        rng = random.Random(3)
        for _ in range(100):
            scene = fill(rng, pb.Scene(), 0.6)
            done = tool("print", scene.SerializeToString())
            theirs = json.loads(json_format.MessageToJson(scene))
            self.assertEqual(json.loads(done.stdout), theirs)

    def test_unusual_numbers_cross(self):
        scene = pb.Scene(circles=[pb.Circle(x=math.inf, y=-math.inf, vx=math.nan)])
        for text in (json_format.MessageToJson(scene).encode(), tool("print", scene.SerializeToString()).stdout):
            circle = pb.Scene.FromString(tool("pack", text).stdout).circles[0]
            self.assertEqual((circle.x, circle.y), (math.inf, -math.inf))
            self.assertTrue(math.isnan(circle.vx))

    def test_both_take_the_lenient_forms(self):
        texts = ['{"circles": [{"x": "1.5", "id": "7", "mass": 1e1, "kind": 3}]}',
                 '{"circles": null, "gravityX": null, "restitution_mix": "RESTITUTION_MIX_MIN"}',
                 '{"circleColumns": {"count": 2.0, "id": ["3", 4], "x": ["-1e3", 2]}}',
                 '{"circles": [{"id": 0}]}']
        for text in texts:
            theirs = json_format.Parse(text, pb.Scene())
            done = tool("pack", text.encode())
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            self.assertEqual(pb.Scene.FromString(done.stdout), theirs, text)

    def test_both_refuse(self):
        texts = ['', '{', '{"circles": [}', '{"circlez": []}', '{"circles": {}}', '{"circles": [1]}',
                 '{"circles": [null]}', '{"circles": [{"x": "abc"}]}',
                 '{"circles": [{"x": [1]}]}', '{"circles": [{"id": -1}]}', '{"circles": [{"id": 4294967296}]}',
                 '{"circles": [{"id": 1.5}]}', '{"circles": [{"kind": "BODY"}]}', '{"circles": [{"kind": {}}]}',
                 '{"gravityX": 1, "gravityX": 2}',
                 '{"circleColumns": {"x": [1, null]}}', '{"circleColumns": {"x": 1}}', '{"gravityX": 1} x']
        for text in texts:
            with self.assertRaises(json_format.ParseError, msg=text):
                json_format.Parse(text, pb.Scene())
            done = tool("pack", text.encode())
            self.assertEqual(done.returncode, 1, text)
            self.assertTrue(done.stderr.startswith(b"stdin:"), done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
