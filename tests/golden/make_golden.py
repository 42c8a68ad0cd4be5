#!/usr/bin/python3
"""The golden messages of collide.v1, made by Google's protobuf runtime and nothing of ours.

make_golden.py PROTO_FOLDER [FOLDER]: writes NAME.bin and NAME.json of every message and the list golden.txt to FOLDER
(default: where this file is). Run it by hand after adding a message; what it writes is committed. Tests hold the committed
files against it, and C, Python and JavaScript against the files.

golden.txt has a line for each: NAME TYPE [WHAT IS SPECIAL]. The last is one of:
  unknown-fields  the message has fields that the schema does not, which the JSON form cannot hold
  minus-zero      a field outside a column or oneof is -0, which the library protobuf-c reads but leaves out when it writes
"""
import importlib
import json
import math
import os
import subprocess
import sys
import tempfile

from google.protobuf import descriptor_pb2, json_format

MOST_32, MOST_64 = 2**32 - 1, 2**64 - 1
LEAST, GREATEST, TENTH = 5e-324, 1.7976931348623157e308, 0.1
# Every number that is easily written wrong. The NaN has the bits 7ff8000000000000.
NUMBERS = [0.0, -0.0, 1.0, -1.0, TENTH, 1 / 3, 1e15, 1e22, 1e23, 123456789.123456789, 4e6, 2.0**53 + 2, LEAST, -LEAST,
           2.2250738585072014e-308, GREATEST, -GREATEST, math.inf, -math.inf, math.nan]


def circle_columns(rows):
    """All columns, each of `rows` different numbers."""
    line = [i + 0.5 for i in range(rows)]
    return dict(count=rows, id=[MOST_32 - i for i in range(rows)], x=line, y=[-v for v in line], vx=[v / 3 for v in line],
                vy=[v * 1e9 for v in line], radius=[v / 10 for v in line], mass=[1e-15 * 10**i for i in range(rows)],
                restitution=[1 / (i + 1) for i in range(rows)], kind=[i % 4 for i in range(rows)],
                category=[1 << i for i in range(rows)], mask=[MOST_32 >> i for i in range(rows)])


def segment_columns(rows):
    line = [i * 1.25 for i in range(rows)]
    return dict(count=rows, id=list(range(rows)), x1=line, y1=[v + 1 for v in line], x2=[v + 2 for v in line],
                y2=[v + TENTH for v in line], restitution=[0.5] * rows, category=[1 << 31] * rows, mask=[0] * rows)


def contact_columns(rows):
    names = """time point_x point_y normal_x normal_y approach_speed impulse a_vx_before a_vy_before a_vx_after a_vy_after
            b_vx_before b_vy_before b_vx_after b_vy_after""".split()
    return dict(tick=[i + 1 for i in range(rows)], a=[i for i in range(rows)], b=[MOST_32 - i for i in range(rows)],
                feature=[i % 4 + 1 for i in range(rows)], flags=[i % 4 for i in range(rows)],
                **{name: [(i + 1) * (k + 1) / 7 for i in range(rows)] for k, name in enumerate(names)})


def turning(columns, names):
    """The columns with those names added, full."""
    rows = max(len(column) for column in columns.values() if isinstance(column, list))
    return columns | {name: [(-1) ** (i + k) * (i + 1) / (k + 3) for i in range(rows)] for k, name in enumerate(names.split())}


def pair_columns(rows):
    doubles = """gap normal_x normal_y a_point_x a_point_y b_point_x b_point_y time fraction a_x a_y b_x b_y a_move_x a_move_y
              b_move_x b_move_y hit_x hit_y hit_normal_x hit_normal_y approach_speed""".split()
    return dict(a=list(range(rows)), b=list(range(rows)), feature=[i % 4 + 1 for i in range(rows)],
                relation=[i % 3 + 1 for i in range(rows)], sweep=[i % 7 + 1 for i in range(rows)],
                hit_feature=[i % 4 + 1 for i in range(rows)],
                **{name: [(-1) ** i * (k + TENTH) for i in range(rows)] for k, name in enumerate(doubles)})


def response_columns(rows):
    doubles = "gap normal_x normal_y a_x a_y b_x b_y a_vx a_vy b_vx b_vy impulse approach_speed".split()
    return dict(row=list(range(rows)), relation=[i % 3 + 1 for i in range(rows)], pushed=[i % 2 == 0 for i in range(rows)],
                bounce=[i % 4 for i in range(rows)],
                **{name: [k - i / 3 for i in range(rows)] for k, name in enumerate(doubles)})


def counted(names):
    return {name: i + 1 for i, name in enumerate(names.split())}


def small_file_set():
    file = descriptor_pb2.FileDescriptorProto(name="small.proto", package="small", syntax="proto3")
    file.message_type.add(name="Small").field.add(name="x", number=1, type=1, label=1, json_name="x")
    return descriptor_pb2.FileDescriptorSet(file=[file]).SerializeToString()


HAND_WRITTEN = {
    "circles": [dict(x=-2.0, vx=1.0, radius=0.5), dict(x=2.0, radius=0.5, kind=3)],
    "segments": [dict(x1=-9.0, y1=-1.0, x2=9.0, y2=-1.0)],
    "gravity_y": -9.81,
}
EVERY_FIELD = {
    "circle_columns": circle_columns(3),
    "circles": [dict(id=MOST_32, x=1.5, y=-1.5, vx=1e12, vy=-1e12, radius=1e-9, mass=1e15, restitution=0.25, kind=2,
                     category=MOST_32, mask=1)],
    "segment_columns": segment_columns(2),
    "segments": [dict(id=7, x1=TENTH, y1=0.2, x2=0.3, y2=0.4, restitution=0.75, category=2, mask=MOST_32)],
    "gravity_x": 1e12, "gravity_y": -1e12, "restitution_mix": 4, "restitution_threshold": 1e-3, "events_per_body_max": 10000,
}
# Given, and equal to what would hold without: presence is information.
PRESENT_ZEROS = {
    "circle_columns": {}, "segment_columns": {},
    "circles": [dict(id=0, mass=0.0, restitution=0.0, category=0, mask=0), {}],
    "segments": [dict(id=0, restitution=0.0, category=0, mask=0), {}],
}
ASKER = dict(category=[1, MOST_32], mask=[0], ignore_circle=[3, 4], ignore_segment=[MOST_32])
PAIRS = {"a": dict(x=[0.0, 1.0], radius=[1.0], vx=[3.0, -3.0]), "circles": dict(count=2, x=[4.0], radius=[TENTH, 0.2])}

CLIENT, SERVER = "ClientMessage", "ServerMessage"
# name, type, fields; bytes written by hand from the schema, where they are few; bytes of unknown fields to add.
MESSAGES = [
    ("client_empty", CLIENT, {}, ""),
    ("hello", CLIENT, dict(request_id=1, hello=dict(version_min=1, version_max=1)), "0801 1204 0801 1001"),
    ("hello_every_field", CLIENT, dict(request_id=1, hello=dict(
        version_min=1, version_max=MOST_32, client_name="Zoë's client".encode(), client_version=b"1.2.3",
        token=bytes(range(256)), features=[b"one", b"", b"two"]))),
    ("ping", CLIENT, dict(request_id=300, ping=dict(payload=b"\x00\xff~")), "08ac02 1a05 0a03 00ff7e"),
    ("ping_empty", CLIENT, dict(request_id=2, ping={}), "0802 1a00"),
    ("cancel_largest_ids", CLIENT, dict(request_id=MOST_64, cancel=dict(target_request_id=MOST_64 - 1)),
     "08ffffffffffffffffff01 220b 08feffffffffffffffff01"),
    ("describe", CLIENT, dict(request_id=2, describe={}), "0802 2a00"),
    ("simulate_hand_written", CLIENT, dict(request_id=3, simulate=dict(scene=HAND_WRITTEN, dt=1 / 60, ticks=600, every=60))),
    ("simulate_columns", CLIENT, dict(request_id=4, simulate=dict(
        scene={"circle_columns": circle_columns(17), "segment_columns": segment_columns(9)}, dt=TENTH, ticks=1, detail=2))),
    ("simulate_short_columns", CLIENT, dict(request_id=5, simulate=dict(
        scene={"circle_columns": dict(count=3, x=[1.0, 2.0, 3.0], radius=[0.5])}, dt=1.0, ticks=2)),
     "0805 3235 0a28 0a26 0803 1a18 000000000000f03f 0000000000000040 0000000000000840 3a08 000000000000e03f"
     "11 000000000000f03f 1802"),
    ("simulate_every_field", CLIENT, dict(request_id=6, simulate=dict(
        scene=EVERY_FIELD, dt=1e-9, ticks=MOST_64, every=MOST_64, detail=1, deadline_ms=MOST_32))),
    ("simulate_present_zeros", CLIENT, dict(request_id=7, simulate=dict(scene=PRESENT_ZEROS))),
    ("simulate_no_scene", CLIENT, dict(request_id=8, simulate=dict(dt=1.0, ticks=1, detail=2))),
    ("simulate_empty_scene", CLIENT, dict(request_id=8, simulate=dict(scene={}, dt=1.0, ticks=1, detail=2)),
     "0808 320f 0a00 11 000000000000f03f 1801 2802"),
    ("simulate_numbers", CLIENT, dict(request_id=9, simulate=dict(
        scene={"circle_columns": dict(x=NUMBERS, mass=list(reversed(NUMBERS))),
               "circles": [dict(x=v, radius=v, mass=v) for v in NUMBERS if v != 0] + [dict(mass=-0.0, restitution=-0.0)]},
        dt=math.nan, ticks=1))),
    ("simulate_minus_zero", CLIENT, dict(request_id=10, simulate=dict(
        scene={"circles": [dict(x=-0.0, vy=-0.0, radius=1.0)], "gravity_y": -0.0}, dt=1.0, ticks=1))),
    ("simulate_turning", CLIENT, dict(request_id=10, simulate=dict(scene={
        "circle_columns": turning(circle_columns(3), "friction rolling_resistance angle angular_velocity moment_of_inertia"),
        "segment_columns": turning(segment_columns(2), "friction rolling_resistance"),
        "circles": [dict(id=9, radius=1.0, friction=0.5, rolling_resistance=TENTH, angle=-1.0, angular_velocity=2.0,
                         moment_of_inertia=1e33)],
        "segments": [dict(id=9, x2=1.0, friction=1e6, rolling_resistance=0.01)], "friction_mix": 5}, dt=1.0, ticks=1))),
    ("simulate_moved", CLIENT, dict(request_id=10, simulate=dict(scene={
        "circle_columns": turning(circle_columns(3), "surface_speed linear_damping angular_damping gravity_scale")
        | {"response": [1, 2, 3]},
        "segment_columns": turning(segment_columns(2), "surface_speed"),
        "circles": [dict(id=9, radius=1.0, surface_speed=-TENTH, linear_damping=0.5, angular_damping=1e12, gravity_scale=0.0,
                         response=3), dict(id=10, radius=1.0, gravity_scale=-1e6)],
        "segments": [dict(id=9, x2=1.0, surface_speed=-1e12)], "speed_max": TENTH}, dt=1.0, ticks=1))),
    ("simulate_walls", CLIENT, dict(request_id=10, simulate=dict(scene={
        "segment_columns": dict(turning(segment_columns(3), "radius"), one_sided=[True, False, True]),
        "segments": [dict(id=9, x2=1.0, radius=TENTH, one_sided=True)]}, dt=1.0, ticks=1))),
    ("simulate_moving_walls", CLIENT, dict(request_id=10, simulate=dict(scene={
        "segment_columns": turning(segment_columns(3), "vx vy"),
        "segments": [dict(id=9, x2=1.0, vx=-1e12, vy=TENTH), dict(id=10, x2=1.0)]}, dt=1.0, ticks=1))),
    ("simulate_related", CLIENT, dict(request_id=10, simulate=dict(scene={
        "circle_columns": circle_columns(3) | dict(filter_group=[-1, 0, -(2**31)], group=[0, 63, 64]),
        "circles": [dict(radius=1.0, filter_group=2**31 - 1, group=63), dict(radius=1.0, filter_group=-5)],
        "segment_columns": segment_columns(2) | dict(filter_group=[1, -2], group=[MOST_32]),
        "segments": [dict(x2=1.0, filter_group=-7, group=1)],
        "relations": [dict(group_a=1, group_b=2, kind=4, weight_a=0.0, weight_b=TENTH), dict(elasticity=0.0, kind=1),
                      dict(group_a=63, kind=5, elasticity=0.5), {}, dict(group_b=MOST_32, kind=2), dict(kind=3)],
    }, dt=1.0, ticks=1))),
    ("query_filter_group", CLIENT, dict(request_id=10, query=dict(
        scene={}, casts=dict(x=[0.0, 1.0], asker=dict(filter_group=[-3, 3]))))),
    ("simulate_sleeping", CLIENT, dict(request_id=10, simulate=dict(
        scene={"circles": [dict(radius=1.0)], "sleep_after": TENTH}, dt=1.0, ticks=1))),
    ("simulate_sensing", CLIENT, dict(request_id=10, simulate=dict(scene={
        "circle_columns": dict(x=[1.0, 2.0, 3.0], radius=[1.0], sensor=[False, True, True]),
        "segment_columns": dict(x2=[1.0, 2.0], sensor=[True]),
        "circles": [dict(radius=1.0, sensor=True), dict(radius=2.0)], "segments": [dict(x2=1.0, sensor=True)],
        "hit_speed": TENTH}, dt=1.0, ticks=1, events=3, paths=True))),
    ("simulate_snapshot", CLIENT, dict(request_id=10, simulate=dict(
        snapshot=b"ab", dt=1.0, ticks=2, snapshot_every=3, self_check=True)),
     "080a 3213 11 000000000000f03f 1802 4803 5202 6162 5801"),
    ("detect_pairs", CLIENT, dict(request_id=11, detect=dict(pairs=PAIRS, dt=2.0, tolerance=1e-9, tolerance_relative=0.5,
                                                             with_skin=True, deadline_ms=1000))),
    ("detect_segments_outline", CLIENT, dict(request_id=12, detect=dict(
        pairs={"a": dict(radius=[5.0]), "segments": dict(x1=[-1.0], x2=[2.0])}, reading=2))),
    ("detect_lines", CLIENT, dict(request_id=13, detect=dict(
        pairs={"a": dict(x=[-4.0], y=[3.0], radius=[2.0]), "lines": dict(x2=[3.0], y2=[4.0])}))),
    ("detect_scene", CLIENT, dict(request_id=14, detect=dict(scene=EVERY_FIELD, dt=1.0, reading=1))),
    ("respond", CLIENT, dict(request_id=15, respond=dict(
        pairs=PAIRS, push_out=dict(weight_a=[0.0, 1.0], weight_b=[1e15]), bounce=dict(elasticity=[TENTH, 0.2]), tolerance=1e-6,
        tolerance_relative=1e-3, deadline_ms=1))),
    ("respond_present_empty", CLIENT, dict(request_id=16, respond=dict(
        pairs={"a": {}, "circles": {}}, push_out={}, bounce={})), "0810 420a 0a04 0a00 1200 1200 1a00"),
    ("query_every_question", CLIENT, dict(request_id=18, query=dict(
        scene=EVERY_FIELD, tolerance=1e-6, tolerance_relative=1e-3, ignore_circles=[7, MOST_32], ignore_segments=[0],
        deadline_ms=5000,
        casts=dict(count=2, x=[0.0, TENTH], y=[-1.0], move_x=[1e13], move_y=[-1e13, 0.0], radius=[0.0, 1e9], start=[1, 3],
                   limit=[0, 1000], asker=ASKER),
        in_circles=dict(count=1, x=[1.0], y=[2.0], radius=[TENTH], limit=[3], asker=ASKER),
        in_boxes=dict(count=1, x_min=[-1e12], y_min=[-2.0], x_max=[1e12], y_max=[2.0], limit=[0], asker=ASKER),
        in_segments=dict(count=3, x1=[1.0], y1=[2.0], x2=[3.0], y2=[4.0], limit=[5], asker={}),
        nearest=dict(count=2, x=[1.0], y=[2.0], radius=[0.5], gap_max=[0.0, 1e13], limit=[10], asker=ASKER),
        moves=dict(count=2, x=[1.0], y=[2.0], radius=[0.5], move_x=[3.0], move_y=[4.0], skin=[1e-3], legs_max=[256, 1],
                   asker=ASKER)))),
    ("query_present_empty", CLIENT, dict(request_id=19, query=dict(scene={}, casts={}, moves=dict(asker={}))),
     "0813 4a08 0a00 1200 3a02 4a00"),
    ("query_snapshot", CLIENT, dict(request_id=20, query=dict(snapshot=b"ab", casts={})), "0814 4a06 1200 6a02 6162"),
    ("client_of_a_later_version", CLIENT, dict(request_id=17, ping=dict(payload=b"x")), None,
     "f83f 2a  fa3f 03 616263  fd3f 01020304  f93f 0102030405060708"),

    ("server_empty", SERVER, {}, ""),
    ("welcome", SERVER, dict(request_id=1, welcome=dict(
        version=1, server="collided 0.1.0", instance_id=MOST_64, ping_interval_ms=30000, features=["a", "ünï"], limits=counted(
            """message_bytes_max frame_bytes_max requests_in_flight_max circles_max segments_max hand_written_max ticks_max
            events_per_body_max contacts_per_tick_max memory_bytes_max deadline_ms_max""")))),
    ("welcome_no_limits", SERVER, dict(request_id=1, welcome=dict(version=1, limits={})), "0801 1204 0801 2200"),
    ("pong", SERVER, dict(request_id=300, pong=dict(payload=b"\x00\xff~")), "08ac02 1a05 0a03 00ff7e"),
    ("cancel_done", SERVER, dict(request_id=2, cancel_done=dict(found=True)), "0802 2202 0801"),
    ("cancel_done_not_found", SERVER, dict(request_id=2, cancel_done={}), "0802 2200"),
    ("described", SERVER, dict(request_id=3, described=dict(file_descriptor_set=small_file_set()))),
    ("frame_states", SERVER, dict(request_id=4, frame=dict(
        tick=60, time=1.0, hash=0x0123456789ABCDEF, events=3, collisions=2, clusters=1,
        bodies=dict(id=[0, 1, MOST_32], x=[1.0, TENTH, -3.0], y=[0.0, 0.2, 1e12], vx=[1.0] * 3, vy=[-1.0] * 3),
        energy=counted("kinetic_before kinetic_after potential_before potential_after contact work push support")))),
    ("frame_every_table", SERVER, dict(request_id=5, frame=dict(
        tick=MOST_64, time=TENTH, hash=MOST_64, events=MOST_64, collisions=MOST_64, clusters=MOST_64,
        bodies=dict(id=[5], x=[1.0], y=[2.0], vx=[3.0], vy=[4.0]), contacts=contact_columns(6),
        path_changes=dict(tick=[1, 2, 3, 4, MOST_64], time=[0.0, TENTH, 0.2, 0.3, 0.4], body=[1, 2, 3, 4, MOST_32],
                          kind=[1, 2, 3, 4, 5], vector_x=[TENTH, 0.0, 0.0, 0.0, 0.0], vector_y=[0.0, -9.81, 0.0, 0.0, 0.0]),
        shortfalls=dict(tick=[1, 1, 2, MOST_64], body=[3, 4, 5, 6], flag=[1, 2, 4, 8], amount=[0.5, 1e-3, 1e-9, 1048577.0]),
        energy={}))),
    ("frame_turning", SERVER, dict(request_id=5, frame=dict(
        tick=1, time=1.0, bodies=turning(dict(id=[5, 6], x=[1.0] * 2, y=[2.0] * 2, vx=[3.0] * 2, vy=[4.0] * 2),
                                         "angle angular_velocity"),
        contacts=turning(contact_columns(3), "friction_impulse a_spin_before a_spin_after b_spin_before b_spin_after"),
        energy=dict(friction=-TENTH)))),
    ("frame_resting", SERVER, dict(request_id=5, frame=dict(
        tick=2, time=1.0, clips=7, asleep=MOST_64, energy=dict(clip=TENTH, sleep=-TENTH),
        path_changes=dict(tick=[2] * 4, time=[0.0, TENTH, 0.2, 1.0], body=[1, 2, 3, MOST_32], kind=[6, 7, 9, 8],
                          vector_x=[TENTH, 1.0, 0.0, 0.0], vector_y=[0.0, -9.81, 0.0, 0.0]),
        momentum=counted("before_x before_y after_x after_y gravity_x gravity_y outside_x outside_y")))),
    ("frame_kicked", SERVER, dict(request_id=5, frame=dict(
        tick=3, time=1.0, energy=dict(work=TENTH, damping=-TENTH),
        path_changes=dict(tick=[3], time=[0.0], body=[4], kind=[10], vector_x=[TENTH], vector_y=[-1.0])))),
    ("frame_events", SERVER, dict(request_id=5, frame=dict(
        tick=2, time=1.0, momentum={}, pair_events=dict(
            tick=[1, 1, 1, 2, 2, MOST_64], time=[0.0, 0.0, 0.0, TENTH, 0.2, 1.0], kind=[1, 2, 4, 5, 6, 3],
            a=[1, 1, 1, 2, 2, MOST_32], b=[2, 2, 2, 7, 7, 0], feature=[1, 1, 1, 2, 4, 3],
            **{name: [TENTH * i for i in range(6)] for name in
               "approach_speed impulse normal_x normal_y point_x point_y".split()}),
        paths=dict(tick=[1, 2], time=[0.0, TENTH], body=[1, MOST_32],
                   **{name: [TENTH, -TENTH] for name in "x y vx vy ax ay".split()})))),
    ("frame_moving_walls", SERVER, dict(request_id=5, frame=dict(
        tick=2, time=1.0, moving_segments=dict(id=[1, 7, MOST_32], **{name: [TENTH, -1.0 - i, 1e12] for i, name in enumerate(
            "x1 y1 x2 y2".split())})))),
    ("frame_part", SERVER, dict(request_id=5, frame=dict(tick=7, more=True, contacts=contact_columns(2)))),
    ("frame_numbers", SERVER, dict(request_id=6, frame=dict(
        tick=1, time=1.0, bodies={name: NUMBERS for name in ("x", "y", "vx", "vy")} | {"id": list(range(len(NUMBERS)))}))),
    ("frame_empty", SERVER, dict(request_id=6, frame={}), "0806 3200"),
    ("simulate_done", SERVER, dict(request_id=6, simulate_done=dict(
        ticks=600, events=2**53 + 1, collisions=4, clusters=2, shortfalls=1, hash=1 << 63, engine_seconds=TENTH,
        worker_seconds=0.2, waiting_seconds=1e-6))),
    ("simulate_done_continued", SERVER, dict(request_id=6, simulate_done=dict(ticks=1, clips=2**53 + 1, start_tick=MOST_64)),
     "0806 3a16 0801 50 8180808080808010 58 ffffffffffffffffff01"),
    ("simulate_done_cost", SERVER, dict(request_id=6, simulate_done=dict(ticks=2, cost=dict(
        read_seconds=1e-6, world_seconds=2e-6, reply_seconds=0.3, looks=2**53 + 1, foreseen=5, transfers=3, sweeps=16, shared_ticks=1,
        repeated_ticks=1, timed_ticks=2, begin_seconds=TENTH, rest_seconds=LEAST, predict_seconds=0.2, event_seconds=GREATEST,
        strip_seconds=1e-9, end_seconds=0.4)))),
    ("snapshot", SERVER, dict(request_id=6, snapshot=dict(tick=MOST_64, data=bytes(range(256)), size=MOST_64))),
    ("snapshot_part", SERVER, dict(request_id=6, snapshot=dict(tick=7, more=True, data=b"ab", size=5)),
     "0806 620a 0807 1001 1a02 6162 2005"),
    ("error_field", SERVER, dict(request_id=7, error=dict(
        code=3, text="must be greater than 0", reason="BAD_FIELD",
        violations=[dict(field="simulate.scene.circle_columns.radius[17]", text="must be greater than 0")]))),
    ("error_of_a_connection", SERVER, dict(error=dict(
        code=8, text="too many \"connections\" \\ on\tthis server — later", reason="CONNECTIONS_MAX", retry_after_ms=MOST_32,
        violations=[dict(field="a"), {}]))),
    ("detected", SERVER, dict(request_id=8, detected=dict(pairs=pair_columns(8), counts=counted(
        "tested none touching overlapping hit at_start not_moving out_of_reach moving_away passes ends_before")))),
    ("detected_part", SERVER, dict(request_id=8, detected=dict(more=True, pairs=dict(
        a=[1], b=[2], feature=[2], relation=[3], gap=[-0.0], normal_x=[1.0], normal_y=[-0.0])))),
    ("responded", SERVER, dict(request_id=9, responded=dict(rows=response_columns(5), counts=counted(
        "rows pushed bounced receding apart")))),
    ("queried", SERVER, dict(request_id=10, queried=dict(
        hits=dict(question=[1, 2, 3, 4, 5], row=[0, 0, 0, 0, MOST_32], id=[MOST_32, 0, 1, 2, 3], feature=[1, 2, 3, 4, 1],
                  relation=[1, 2, 3, 2, 3], fraction=[TENTH, 0.0, 0.0, 0.0, 0.0], gap=[0.0, -TENTH, -1.0, 0.0, 1e12],
                  **{name: [1.0 + i, TENTH, 0.0, -1.0, 1e-300] for i, name in enumerate(
                      "x y point_x point_y normal_x normal_y".split())}),
        moves=dict(row=[0, 1, MOST_32], end=[1, 2, 3], legs=[1, 2, 256], **{name: [1.0 + i, TENTH, -1e12] for i, name in enumerate(
            "x y fraction remaining_x remaining_y skin depth".split())}),
        legs=dict(row=[0, MOST_32], x=[1.0, TENTH], y=[-1.0, 2.0], fraction=[TENTH, 1.0]),
        presses=dict(row=[0, MOST_32], leg=[0, 256], id=[MOST_32, 1], feature=[1, 4], **{name: [1.0 + i, -TENTH] for i, name in
                     enumerate("gap point_x point_y normal_x normal_y".split())}),
        counts=counted("""casts casts_hit in_circles in_circles_hit in_boxes in_boxes_hit in_segments in_segments_hit nearest
            nearest_hit moves_done moves_blocked moves_out_of_legs hits""")))),
    ("queried_part", SERVER, dict(request_id=10, queried=dict(more=True, legs=dict(row=[1], x=[0.5], y=[-0.0], fraction=[1.0])))),
    ("server_of_a_later_version", SERVER, dict(request_id=17, pong=dict(payload=b"x")), None, "fa3f 00"),
]
MINUS_ZERO = {"simulate_minus_zero"}


def schema_load(proto_folder):
    folder = tempfile.mkdtemp()
    subprocess.run(["protoc", "-I", proto_folder, "--python_out", folder, "collide/v1/collide.proto"], check=True)
    sys.path.insert(0, folder)
    schema = importlib.import_module("collide.v1.collide_pb2")
    subprocess.run(["rm", "-r", folder], check=True)
    return schema


def layout(value, indent=0):
    """JSON for people: lists of numbers in one line, all else a member a line."""
    if isinstance(value, dict) and value:
        opening, closing = "{", "}"
        parts = [json.dumps(key) + ": " + layout(member, indent + 2) for key, member in value.items()]
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        opening, closing = "[", "]"
        parts = [layout(element, indent + 2) for element in value]
    else:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    separator = ",\n" + " " * (indent + 2)
    return opening + separator[1:] + separator.join(parts) + "\n" + " " * indent + closing


def files_make(schema):
    """The contents of every file, by name."""
    files, lines = {}, []
    for name, type_name, fields, *more in MESSAGES:
        by_hand, unknown = (more + [None, None])[:2]
        message = getattr(schema, type_name)(**fields)
        data = message.SerializeToString()
        if by_hand is not None and data != bytes.fromhex(by_hand):
            raise AssertionError("%s: the runtime writes %s, by hand it is %s" % (name, data.hex(), by_hand))
        special = ["minus-zero"] if name in MINUS_ZERO else []
        if unknown is not None:
            data += bytes.fromhex(unknown)
            special = ["unknown-fields"]
        files[name + ".bin"] = data
        files[name + ".json"] = (layout(json_format.MessageToDict(message)) + "\n").encode()
        lines.append(" ".join([name, type_name, *special]))
    files["golden.txt"] = ("\n".join(lines) + "\n").encode()
    return files


if __name__ == "__main__":
    target = sys.argv[2] if len(sys.argv) > 2 else os.path.dirname(os.path.abspath(__file__))
    for file_name, contents in files_make(schema_load(sys.argv[1])).items():
        with open(os.path.join(target, file_name), "wb") as out:
            out.write(contents)
