"use strict";
// A client in Node that shares no code with the project and has none generated: everything it knows of the messages it has from
// the daemon's own Describe. Answers are held against what can be worked out by hand.
//
// outside_node.js COLLIDED
const assert = require("node:assert/strict");
const childProcess = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { after, before, test } = require("node:test");
const { create, toBinary } = require("@bufbuild/protobuf");
const { BareConnection, Connection, Daemon, delimited, describe, schemaOf } = require("./wire.js");

let daemon, schema, connection, sweep, relation, feature, code;

before(async () => {
  daemon = await Daemon.start(process.argv[2]);
  schema = schemaOf(await describe(daemon.port));
  sweep = schema.enumOf("Sweep");
  relation = schema.enumOf("Relation");
  feature = schema.enumOf("Feature");
  code = schema.enumOf("Code");
  connection = await Connection.open(daemon.port, schema);
});

after(async () => {
  connection?.close();
  await daemon?.stop();
});

const near = (value, expected, within, what) =>
  assert.ok(Math.abs(value - expected) <= within, `${what ?? "value"}: ${value} is not ${expected} ± ${within}`);

/** The parts of a Detected or Responded in one. */
function joined(replies, kind, table) {
  const columns = {};
  for (const { case: name, value } of replies) {
    assert.equal(name, kind, JSON.stringify(value, (_, v) => (typeof v === "bigint" ? `${v}` : v)));
    for (const [field, column] of Object.entries(value[table].value ?? {})) {
      if (Array.isArray(column)) {
        (columns[field] ??= []).push(...column);
      }
    }
  }
  return { columns, counts: replies.at(-1).value.optionalCounts.value, parts: replies.map(({ value }) => value) };
}

async function detect(request) {
  connection.send({ detect: request });
  return joined(await connection.answers(), "detected", "optionalPairs");
}

async function respond(request) {
  connection.send({ respond: request });
  return joined(await connection.answers(), "responded", "optionalRows");
}

async function simulate(request, by = connection) {
  by.send({ simulate: request });
  const replies = await by.answers();
  const done = replies.pop();
  assert.equal(done.case, "simulateDone", done.value.text);
  const frames = replies.map(({ case: name, value }) => (assert.equal(name, "frame"), value));
  assert.equal(frames.at(-1).hash, done.value.hash);
  assert.equal(done.value.shortfalls, 0n);
  return { frames, done: done.value };
}

test("the example of the README runs as it stands there", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "collided-example-"));
  try {
    fs.copyFileSync(path.join(__dirname, "example.mjs"), path.join(folder, "example.mjs"));
    fs.symlinkSync(path.join(process.env.NODE_PATH), path.join(folder, "node_modules"));
    fs.writeFileSync(path.join(folder, "collide.binpb"), await describe(daemon.port));
    const said = await new Promise((resolve, reject) =>
      childProcess.execFile(process.execPath, ["example.mjs", `127.0.0.1:${daemon.port}`], { cwd: folder },
        (error, out) => (error ? reject(error) : resolve(out))));
    const places = [...said.matchAll(/^tick \d: x = (.*),(.*)$/gm)].map(([, a, b]) => [Number(a), Number(b)]);
    // The first goes 3 in 3 s, as far as the second is; then the second goes on with its velocity.
    [[-1, 2], [0, 2], [1, 2], [1, 3], [1, 4]].forEach(([a, b], i) => {
      near(places[i][0], a, 2e-9, `first at tick ${i + 1}`);
      near(places[i][1], b, 2e-9, `second at tick ${i + 1}`);
    });
    assert.match(said, /simulateDone: \{\n\s+ticks: '5',\n\s+events: '1',\n\s+collisions: '1'/);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});

test("welcome tells the version and the limits", () => {
  const { case: name, value } = connection.welcome;
  assert.equal(name, "welcome");
  assert.equal(value.version, 1);
  assert.match(value.server, /^collided \d+\.\d+\.\d+/);
  assert.notEqual(value.instanceId, 0n);
  assert.ok(value.optionalLimits.value.circlesMax > 0);
});

test("head-on hits, by rows", async () => {
  // Gap g, speeds u and v towards each other: they touch after g / (u + v).
  const rows = [[8, 2, 2], [8, 4, 0], [1, 0.5, 0], [1e-3, 1, 1], [1e6, 1e6, 1e6], [6, 1, 1]];
  const { columns, counts } = await detect({
    pairs: {
      a: { radius: [1], vx: rows.map(([, u]) => u) },
      circles: { x: rows.map(([gap]) => gap + 1.5), radius: [0.5], vx: rows.map(([, , v]) => -v) },
    },
    dt: 2.5,
  });
  rows.forEach(([gap, u, v], i) => {
    const time = gap / (u + v);
    const hits = time <= 2.5;
    near(columns.gap[i], gap, 2 ** -50 * (gap + 2), `gap of ${i}`);
    assert.equal(columns.sweep[i], hits ? sweep.SWEEP_HIT : sweep.SWEEP_OUT_OF_REACH, `sweep of ${i}`);
    near(columns.time[i], hits ? time : 2.5, 1e-12 * time, `time of ${i}`);
    near(columns.fraction[i], hits ? time / 2.5 : 1, 1e-12, `fraction of ${i}`);
    near(columns.aMoveX[i], u * columns.time[i], 1e-9, `movement of ${i}`);
    near(columns.approachSpeed[i], hits ? u + v : 0, 1e-9, `approach of ${i}`);
    assert.equal(columns.hitNormalX[i], hits ? -1 : 0, `normal of ${i}`);
  });
  assert.deepEqual([counts.tested, counts.hit, counts.outOfReach], [6n, 5n, 1n]);
});

test("a message made member by member, not from JSON", async () => {
  const message = create(schema.ClientMessage, {
    requestId: 1000n,
    request: {
      case: "detect",
      value: {
        what: {
          case: "pairs",
          value: {
            optionalA: { case: "a", value: { x: [-4], y: [3], radius: [2] } },
            b: { case: "lines", value: { x2: [3], y2: [4] } },
          },
        },
      },
    },
  });
  connection.bare.send(toBinary(schema.ClientMessage, message));
  const { columns } = joined(await connection.answers(), "detected", "optionalPairs");
  // The line through (0, 0) and (3, 4) is 5 away from (-4, 3).
  assert.deepEqual(columns.gap, [3]);
  assert.deepEqual(columns.feature, [feature.FEATURE_SEGMENT_FACE]);
  near(columns.normalX[0], -0.8, 1e-15);
  near(columns.normalY[0], 0.6, 1e-15);
});

test("relations of circles and segments", async () => {
  const pair = async (b, more = {}) =>
    (await detect({ pairs: { a: { radius: [5] }, segments: b }, ...more })).columns;
  const inside = { x1: [-1], x2: [2] };
  let columns = await pair(inside);
  assert.deepEqual([columns.relation, columns.gap], [[relation.RELATION_OVERLAPPING], [-5]]);
  columns = await pair(inside, { reading: "READING_OUTLINE" });
  assert.deepEqual([columns.relation, columns.gap], [[relation.RELATION_NONE], [3]]);
  columns = await pair({ x1: [3], y1: [4], x2: [9], y2: [4] });
  assert.deepEqual([columns.relation, columns.gap], [[relation.RELATION_TOUCHING], [0]]);
  assert.deepEqual(columns.feature, [feature.FEATURE_SEGMENT_END_1]);
});

test("all pairs of a scene come in parts", async () => {
  const count = 120;
  const { columns, counts, parts } = await detect({ scene: { circleColumns: { count, radius: [1] } } });
  const pairs = columns.a.map((a, i) => [a, columns.b[i]]);
  const expected = [];
  for (let a = 0; a < count; a++) {
    for (let b = a + 1; b < count; b++) {
      expected.push([a, b]);
    }
  }
  assert.deepEqual(pairs, expected);
  assert.ok(parts.length >= 2);
  assert.ok(parts.every((part, i) => part.more === i < parts.length - 1));
  assert.equal(counts.overlapping, BigInt(expected.length));
});

test("a push and a bounce", async () => {
  const { columns, counts } = await respond({
    pairs: { a: { radius: [1], vx: [3], mass: [2] }, circles: { x: [1.5], radius: [1] } },
    pushOut: {},
    bounce: {},
  });
  assert.deepEqual([columns.pushed, columns.aX, columns.bX], [[true], [-0.25], [1.75]]);
  // u' = u (m - n) / (m + n), v' = 2 m u / (m + n)
  near(columns.aVx[0], 1, 1e-15);
  near(columns.bVx[0], 4, 1e-15);
  assert.deepEqual([counts.pushed, counts.bounced], [1n, 1n]);
});

test("two circles meet head-on", async () => {
  const { frames, done } = await simulate({
    scene: { circles: [{ x: -2, vx: 1, radius: 0.5 }, { x: 2, vx: -1, radius: 0.5 }] }, dt: 0.25, ticks: 12,
  });
  assert.equal(frames.length, 12);
  assert.equal(done.collisions, 1n);
  const contacts = frames.map((frame) => frame.optionalContacts.value).filter(Boolean);
  assert.equal(contacts.length, 1);
  // They touch when each has gone 1.5, less the skin of 1e-9 at most; in the tick that ends at 1.5.
  near(Number(contacts[0].tick[0] - 1n) * 0.25 + contacts[0].time[0], 1.5, 1e-9, "time");
  near(contacts[0].pointX[0], 0, 1e-9, "point");
  assert.deepEqual([contacts[0].normalX, contacts[0].impulse], [[-1], [2]]);
  frames.forEach((frame, i) => {
    const time = 0.25 * (i + 1), away = Math.max(2 - time, time - 1);
    near(frame.optionalBodies.value.x[0], -away, 2e-9, `tick ${frame.tick}`);
    near(frame.optionalBodies.value.x[1], away, 2e-9, `tick ${frame.tick}`);
    near(frame.optionalEnergy.value.kineticAfter, 1, 1e-15, "energy");
  });
});

test("a cradle hands the speed to its last ball", async () => {
  const { frames } = await simulate({
    scene: { circleColumns: { x: [-7.5, 0, 2, 4, 6], vx: [10, 0, 0, 0, 0], radius: [1] } }, dt: 1, ticks: 1,
  });
  const { x, vx } = frames[0].optionalBodies.value;
  const contacts = frames[0].optionalContacts.value;
  vx.forEach((speed, i) => near(speed, i === 4 ? 10 : 0, 1e-12, `speed of ${i}`));
  // The first is stopped after 5.5, which takes 0.55; the last goes on for 0.45.
  [-2, 0, 2, 4, 10.5].forEach((place, i) => near(x[i], place, 1e-7, `place of ${i}`));
  contacts.time.forEach((time) => near(time, 0.55, 1e-8, "time"));
  assert.deepEqual(new Set(contacts.a.map((a, i) => `${a}-${contacts.b[i]}`)), new Set(["0-1", "1-2", "2-3", "3-4"]));
  assert.equal(frames[0].collisions, BigInt(contacts.a.length));
});

test("a ball between two walls is where reflection puts it", async () => {
  const wall = (x) => ({ x1: x, y1: -5, x2: x, y2: 5 });
  const { frames, done } = await simulate({
    scene: { circles: [{ vx: 3, radius: 0.5 }], segments: [wall(-2), wall(2)] }, dt: 0.25, ticks: 60,
  });
  frames.forEach((frame, i) => {
    // Unfolded, it is at 3 t; the room for the centre is 3 wide.
    const phase = (((3 * 0.25 * (i + 1) + 1.5) % 6) + 6) % 6;
    near(frame.optionalBodies.value.x[0], (phase < 3 ? phase : 6 - phase) - 1.5, 1e-7, `tick ${frame.tick}`);
  });
  assert.equal(done.collisions, 15n); // one at 0.5 s and one every second
});

test("-0 is 0", async () => {
  const hashOf = async (zero) =>
    (await simulate({
      scene: {
        circles: [{ x: zero, y: zero, vx: zero, radius: 1, kind: "BODY_KIND_KINEMATIC" }],
        circleColumns: { x: [9, zero], y: [zero, 9], vy: [zero], radius: [1] }, gravityX: zero,
      },
      dt: 1, ticks: 2,
    })).done.hash;
  assert.equal(await hashOf(-0), await hashOf(0));
});

const GOOD = { x: [0], radius: [1] };
const INVALID = "CODE_INVALID_ARGUMENT", FULL = "CODE_RESOURCE_EXHAUSTED";
const simulating = (scene, more = {}) => ({ simulate: { scene, dt: 1, ticks: 1, ...more } });
const pairs = (what, a, b, more = {}) => ({ [what]: { pairs: { a, ...b }, ...more } });

for (const [what, request, name, reason, field] of [
  ["no request", {}, INVALID, "NO_REQUEST", undefined],
  ["a second Hello", { hello: { versionMin: 1, versionMax: 1 } }, "CODE_FAILED_PRECONDITION", "HELLO_TWICE", "hello"],
  ["no scene", { simulate: { dt: 1, ticks: 1 } }, INVALID, "BAD_FIELD", "simulate.scene"],
  ["no dt", simulating({}, { dt: 0 }), INVALID, "BAD_FIELD", "simulate.dt"],
  ["NaN for dt", simulating({}, { dt: "NaN" }), INVALID, "BAD_FIELD", "simulate.dt"],
  ["no radius", simulating({ circles: [{ radius: 1 }, {}] }), INVALID, "BAD_FIELD", "simulate.scene.circles[1].radius"],
  ["NaN in a column", simulating({ circleColumns: { x: [0, 3, "NaN"], radius: [1] } }), INVALID, "BAD_FIELD",
    "simulate.scene.circle_columns.x[2]"],
  ["columns of unequal length", simulating({ circleColumns: { x: [0, 3, 6], y: [0, 1], radius: [1] } }), INVALID, "BAD_FIELD",
    "simulate.scene.circle_columns.y"],
  ["an id twice", simulating({ circles: [{ id: 4, radius: 1 }, { id: 4, x: 5, radius: 1 }] }), INVALID, "BAD_FIELD",
    "simulate.scene.circles[1].id"],
  ["an enum number without a name", simulating({ circles: [{ radius: 1, kind: 99 }] }), INVALID, "BAD_FIELD",
    "simulate.scene.circles[0].kind"],
  ["too many ticks", simulating({}, { ticks: "18446744073709551615" }), FULL, "LIMIT", "simulate.ticks"],
  ["an infinite speed", pairs("detect", { ...GOOD, vx: ["-Infinity"] }, { circles: GOOD }), INVALID, "BAD_FIELD",
    "detect.pairs.a.vx[0]"],
  ["a line through two equal points", pairs("detect", GOOD, { lines: { x1: [1, 5], x2: [2, 5] } }), INVALID, "BAD_FIELD",
    "detect.pairs.lines.x2[1]"],
  ["sides of unequal length", pairs("detect", { x: [0, 1, 2], radius: [1] }, { circles: { x: [0, 1], radius: [1] } }), INVALID,
    "BAD_FIELD", "detect.pairs.circles"],
  ["nothing to do", pairs("respond", GOOD, { circles: GOOD }), INVALID, "BAD_FIELD", "respond"],
  ["two weights of 0", pairs("respond", GOOD, { circles: GOOD }, { pushOut: { weightA: [0], weightB: [0] } }), INVALID,
    "BAD_FIELD", "respond.push_out.weight_b[0]"],
]) {
  test(`refused: ${what}`, async () => {
    const { case: kind, value } = await connection.ask(request);
    assert.equal(kind, "error");
    assert.equal(value.code, code[name], value.text);
    assert.equal(value.reason, reason);
    assert.deepEqual(value.violations.map((violation) => violation.field), field === undefined ? [] : [field]);
    assert.notEqual(value.text, "");
    const pong = await connection.ask({ ping: { payload: btoa("still there") } });
    assert.equal(Buffer.from(pong.value.payload).toString(), "still there");
  });
}

test("what is no message ends nothing", async () => {
  for (const [hex, reason] of [
    ["ff", "MALFORMED"], // a tag without an end
    ["0a00", "MALFORMED"], // request_id as bytes
    ["08e0071a002a00", "MALFORMED"], // Ping and Describe
    ["08e0071a020801", "WRONG_TYPE"], // Ping.payload as an integer
    ["08e0071a060a01610a0162", "FIELD_TWICE"], // Ping.payload twice
    ["08e007a20600", "UNKNOWN_REQUEST"], // field 100
    ["1a00", "REQUEST_ID"], // none
  ]) {
    connection.bare.send(Buffer.from(hex, "hex"));
    const { reply } = await connection.receive();
    assert.deepEqual([reply.case, reply.value.reason], ["error", reason], hex);
  }
  assert.equal((await connection.ask({ ping: {} })).case, "pong");
});

test("a byte at a time, both ways", async () => {
  const slow = await Connection.open(daemon.port, schema, { byteByByte: true });
  const scene = { circles: [{ x: -2, vx: 1, radius: 0.5 }, { x: 2, vx: -1, radius: 0.5 }] };
  const whole = await simulate({ scene, dt: 1, ticks: 3 });
  for (const byte of delimited(slow.pack({ simulate: { scene, dt: 1, ticks: 3 } }))) {
    await new Promise((resolve) => slow.bare.socket.write(Buffer.of(byte), resolve));
  }
  const replies = await slow.answers();
  assert.deepEqual(replies.slice(0, -1).map(({ value }) => value.hash), whole.frames.map(({ hash }) => hash));
  assert.equal(replies.at(-1).value.hash, whole.done.hash);
  assert.equal(slow.bare.pendingBytes(), 0);
  slow.close();
});

test("many messages in one segment, then a half-closed connection", async () => {
  const fast = await Connection.open(daemon.port, schema);
  const pings = 300, queries = 8;
  const bodies = [];
  for (let i = 0; i < pings; i++) {
    bodies.push(fast.pack({ ping: { payload: btoa(`${i}`) } }));
  }
  for (let i = 0; i < queries; i++) {
    bodies.push(fast.pack(pairs("detect", GOOD, { circles: { x: [2 + i], radius: [1] } })));
  }
  fast.bare.send(...bodies);
  fast.bare.socket.end();
  const got = new Map();
  for (let message; (message = await fast.receive()) !== null; ) {
    assert.ok(!got.has(message.requestId), "answered twice");
    got.set(message.requestId, message.reply);
  }
  assert.equal(fast.bare.pendingBytes(), 0);
  fast.close();
  const first = 2n; // after Hello
  assert.equal(got.size, pings + queries);
  for (let i = 0; i < pings; i++) {
    assert.equal(Buffer.from(got.get(first + BigInt(i)).value.payload).toString(), `${i}`);
  }
  for (let i = 0; i < queries; i++) {
    const { case: kind, value } = got.get(first + BigInt(pings + i));
    assert.equal(kind, "detected");
    assert.deepEqual(value.optionalPairs.value.gap, [i]);
  }
});

test("what is not said first, or is not collide", async () => {
  for (const [hex, reason] of [["0408021a00", "HELLO_FIRST"], ["474554202f20485454502f312e310d0a0d0a", "NOT_COLLIDE"],
    ["0a0801120608e80710e807", "VERSION"], ["8080808001", "FRAME_TOO_LARGE"],
    ["8080808010", "FRAME_MALFORMED"]]) {
    const bare = await BareConnection.open(daemon.port);
    bare.socket.write(Buffer.from(hex, "hex"));
    const connectionOf = Object.assign(new Connection(), { schema, bare });
    const { reply } = await connectionOf.receive();
    assert.deepEqual([reply.case, reply.value.reason], ["error", reason], hex);
    assert.equal(await bare.receiveBody(), null, "the server closes");
    bare.close();
  }
});
