"use strict";
// What `collide run --format json` and `collide gen` print, as @bufbuild/protobuf reads it, by the schema as a FileDescriptorSet.
//
// outside_json.js COLLIDE DESCRIPTOR_SET
const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const test = require("node:test");
const { fromBinary, fromJson, toBinary, toJson } = require("@bufbuild/protobuf");
const { schemaOf } = require("./wire.js");

const [collide, descriptorSet] = process.argv.slice(2);
const schema = schemaOf(fs.readFileSync(descriptorSet));
const run = (words, input) => execFileSync(collide, words, { input, maxBuffer: 1 << 28, stdio: ["pipe", "pipe", "ignore"] }).toString("utf8");

test("frames and scenes are read, and written as they were", () => {
  const frame = schema.Frame;
  const scene = schema.Scene;
  for (const kind of ["gas", "duel"]) {
    const text = run(["gen", kind]);
    assert.deepStrictEqual(toJson(scene, fromJson(scene, JSON.parse(text))), JSON.parse(text), kind);
    const lines = run(["run", "-", "--local", "--ticks", "30", "--every", "4", "--events", "touches", "--format", "json"], text).trim().split("\n");
    assert.equal(lines.length, 8);
    for (const line of lines) {
      const message = fromJson(frame, JSON.parse(line));
      assert.deepStrictEqual(toJson(frame, message), JSON.parse(line), kind);
      assert.deepStrictEqual(fromBinary(frame, toBinary(frame, message)), message, kind);
    }
  }
});
