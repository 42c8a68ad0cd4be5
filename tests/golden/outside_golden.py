#!/usr/bin/python3
"""The golden messages as Google's protobuf runtime reads and writes them, and that make_golden.py makes just these files.

outside_golden.py PROTO_FOLDER
"""
import json
import os
import struct
import sys
import unittest

from google.protobuf import json_format

import make_golden

HERE = os.path.dirname(os.path.abspath(__file__))
schema = make_golden.schema_load(sys.argv[1])


def golden(file_name):
    with open(os.path.join(HERE, file_name), "rb") as file:
        return file.read()


def exact(value):
    """JSON with every number as the bits of its double, so that -0 is not 0 and 1 is 1.0."""
    if isinstance(value, dict):
        return {key: exact(member) for key, member in value.items()}
    if isinstance(value, list):
        return [exact(element) for element in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return struct.pack("<d", value)
    return value


class Golden(unittest.TestCase):
    def setUp(self):
        lines = [line.split() for line in golden("golden.txt").decode().splitlines()]
        self.cases = [(name, getattr(schema, type_name), special) for name, type_name, *special in lines]

    def test_the_files_are_those_that_the_script_makes(self):
        made = make_golden.files_make(schema)
        there = [name for name in os.listdir(HERE) if name.endswith((".bin", ".json", ".txt")) and name != "CMakeLists.txt"]
        self.assertEqual(sorted(made), sorted(there))
        for name, contents in made.items():
            self.assertEqual(golden(name), contents, name)

    def test_bytes_are_read_and_written(self):
        for name, message_type, _ in self.cases:
            data = golden(name + ".bin")
            self.assertEqual(message_type.FromString(data).SerializeToString(), data, name)

    def test_bytes_are_written_as_json(self):
        for name, message_type, _ in self.cases:
            message = message_type.FromString(golden(name + ".bin"))
            written = json.loads(json_format.MessageToJson(message))
            self.assertEqual(exact(written), exact(json.loads(golden(name + ".json"))), name)

    def test_json_is_written_as_bytes(self):
        for name, message_type, special in self.cases:
            if special != ["unknown-fields"]:
                message = json_format.Parse(golden(name + ".json"), message_type())
                self.assertEqual(message.SerializeToString(), golden(name + ".bin"), name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
