// follow.mjs FILE PLACES: as follow.py, by the follower in JavaScript.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

import { Quantized } from "../../client/follow/javascript/collide-follow-quantized/collide_follow_quantized.js";
import { Follower } from "../../client/follow/javascript/collide-follow/collide_follow.js";
import { Delimited } from "../../client/follow/javascript/collide-wire/collide_wire.js";

// A number as Python's float.hex writes it, and back.
function fromHex(text) {
  const [, sign, whole, part, exponent] = /^(-?)0x([01])(?:\.([0-9a-f]*))?p([+-]\d+)$/.exec(text);
  return (sign ? -1 : 1) * (Number(whole) + parseInt(part || "0", 16) / 16 ** (part || "").length) * 2 ** Number(exponent);
}

function bytes(layout, values) {
  const out = Buffer.alloc(layout === "id" ? 4 : 8 * values.length);
  if (layout === "id") out.writeUInt32LE(values[0]);
  else values.forEach((value, i) => out.writeDoubleLE(value, 8 * i));
  return out;
}

function digest(follower) {
  const states = createHash("sha256");
  for (const { id, x, y, vx, vy, angle, spin } of follower.circles.values()) states.update(bytes("id", [id])).update(bytes("", [x, y, vx, vy, angle, spin]));
  for (const { id, x1, y1, x2, y2, home } of [...follower.segments.values()].sort((a, b) => a.id - b.id))
    if (home) states.update(bytes("id", [id])).update(bytes("", [x1, y1, x2, y2]));
  return states.digest("hex").slice(0, 16);
}

const [path, places] = process.argv.slice(2);
const asked = readFileSync(places, "utf8").split("\n").filter(Boolean).map((line) => line.split(" "));
const lines = [];
const follower = new Follower({
  quantized: Quantized,
  onTick: () => {
    lines.push(`${follower.tick} ${digest(follower)}`);
    while (asked.length > 0 && fromHex(asked[0][1]) <= follower.time) {
      const [id, time] = asked.shift();
      const place = follower.place(Number(id), fromHex(time));
      lines.push(`at ${id} ${time} ${place ? bytes("", [place.x, place.y, place.angle]).toString("hex") : "none"}`);
    }
  },
});
for (const update of new Delimited().take(readFileSync(path))) follower.update(update);
process.stdout.write(`${lines.join("\n")}\n`);
