"use strict";
// The golden messages of tests/golden as @bufbuild/protobuf reads and writes them, by the schema as a FileDescriptorSet.
//
// outside_golden.js GOLDEN_FOLDER DESCRIPTOR_SET
const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");
const { fromBinary, fromJson, toBinary, toJson } = require("@bufbuild/protobuf");
const { schemaOf } = require("./wire.js");

const [folder, descriptorSet] = process.argv.slice(2);
const schema = schemaOf(fs.readFileSync(descriptorSet));
const golden = (name) => fs.readFileSync(path.join(folder, name));
const goldenJson = (name) => JSON.parse(golden(`${name}.json`).toString("utf8"));
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const cases = golden("golden.txt").toString("ascii").trim().split("\n").map((line) => {
  const [name, type, special] = line.split(" ");
  return { name, type: schema[type], special };
});

test("there are at least twenty", () => {
  assert.ok(cases.length >= 40);
  assert.ok(cases.every(({ type }) => type !== undefined));
});

test("bytes are read and written", () => {
  for (const { name, type } of cases) {
    const bytes = golden(`${name}.bin`);
    assert.equal(hex(toBinary(type, fromBinary(type, bytes))), hex(bytes), name);
  }
});

test("bytes are written as JSON", () => {
  // Strict equality of objects tells -0 from 0.
  for (const { name, type } of cases) {
    assert.deepStrictEqual(toJson(type, fromBinary(type, golden(`${name}.bin`))), goldenJson(name), name);
  }
});

test("JSON is written as bytes", () => {
  for (const { name, type, special } of cases) {
    if (special !== "unknown-fields") {
      assert.equal(hex(toBinary(type, fromJson(type, goldenJson(name)))), hex(golden(`${name}.bin`)), name);
    }
  }
});
