// Follows a live world of collided by its paths: every state to the bit, and where each circle is at any time.
//
//     const follower = new Follower();
//     follower.update(bytes); // a Uint8Array: each WorldUpdate of a subscription to STREAM_PATHS, in order
//     const { x, y, angle } = follower.place(7, follower.time - 0.01);
//
// It goes by the rule of Paths in collide.proto. It runs in browsers as they are, with collide-wire in the folder
// beside it. Streams within a tolerance are read by collide-follow-quantized, which a follower can be given.
import { Message } from "../collide-wire/collide_wire.js";

// What a row of Paths has, and its numbers in their order.
const TIME = 1, FREE = 2, DRIVEN = 4, VX = 8, VY = 16, X = 32, Y = 64, END = 128, SPIN = 256, ANGLE = 512, AX = 1024,
  AY = 2048, HELD = 4096, ASLEEP = 8192, REMOVED = 16384;
const NUMBERS = [[VX, "vx"], [VY, "vy"], [X, "x"], [Y, "y"], [SPIN, "spin"], [ANGLE, "angle"], [AX, "ax"], [AY, "ay"]];
const NAME = 5; // of Paths.codes
const TICKS_MAX = 3600; // of an update: `every` of a Subscribe is no more
const STATIC = 3; // BodyKind; 0 and 1 are dynamic
// Columns of definitions, as collide-wire takes them.
const CIRCLE = [["x", 3, 0], ["y", 4, 0], ["vx", 5, 0], ["vy", 6, 0], ["radius", 7, 0], ["mass", 8, 1],
  ["angle", 15, 0], ["spin", 16, 0], ["linearDamping", 19, 0], ["angularDamping", 20, 0], ["gravityScale", 21, 1],
  ["kind", 10, 0, "varint"], ["tag", 33, 0n, "fixed64"]];
const SEGMENT = [["x1", 3, 0], ["y1", 4, 0], ["x2", 5, 0], ["y2", 6, 0], ["radius", 16, 0],
  ["vx", 18, 0], ["vy", 19, 0], ["disabled", 20, 0, "varint"]];

/** What came is no update of such a stream, or not the next one. */
export class FollowError extends Error {}

function last(list, holds) {
  for (let i = list.length - 1; i >= 0; i--) if (holds(list[i])) return list[i];
  return null;
}

function pull(circle, gravity) {
  [circle.gx, circle.gy] = gravity.map((g) => (circle.kind > 1 ? 0 : circle.gravityScale * g));
}

function free(circle) {
  Object.assign(circle, { driven: false, asleep: false, held: false, leg: null, ax: circle.gx, ay: circle.gy });
}

function sleep(circle) {
  Object.assign(circle, { driven: false, held: false, asleep: true, leg: null, vx: 0, vy: 0, spin: 0, ax: 0, ay: 0 });
}

function begin(circle, speedMax) {
  Object.assign(circle, { t0: 0, leg: null });
  if (circle.kind > 1 || circle.driven || circle.asleep) return;
  slow(circle, speedMax);
  if (!circle.held) Object.assign(circle, { ax: circle.gx, ay: circle.gy });
}

/** What damping and the greatest speed leave of its velocity in a tick. */
export function slow(circle, speedMax) {
  circle.vx *= circle.keep;
  circle.vy *= circle.keep;
  circle.spin *= circle.spinKeep;
  const speed = speedMax > 0 ? Math.sqrt(circle.vx * circle.vx + circle.vy * circle.vy) : 0;
  if (speed > speedMax) {
    circle.vx *= speedMax / speed;
    circle.vy *= speedMax / speed;
  }
}

const stands = (circle) => (circle.driven && !circle.leg) || circle.asleep || circle.kind === STATIC;

function go(circle, time) {
  const s = time - circle.t0;
  circle.t0 = time;
  if (stands(circle)) return;
  if (circle.leg) {
    circle.x += s * circle.leg.vx;
    circle.y += s * circle.leg.vy;
  } else {
    circle.x += s * (circle.vx + 0.5 * s * circle.ax);
    circle.y += s * (circle.vy + 0.5 * s * circle.ay);
    circle.vx += s * circle.ax;
    circle.vy += s * circle.ay;
  }
  if (circle.spin !== 0) circle.angle += s * circle.spin;
}

/** How it moves on, up to its next piece. */
function piece(circle) {
  const { t0, x, y, angle, gone } = circle;
  if (stands(circle)) return { t0, x, y, vx: 0, vy: 0, ax: 0, ay: 0, angle, spin: 0, gone };
  const { vx, vy, ax, ay } = circle.leg ? { ...circle.leg, ax: 0, ay: 0 } : circle;
  return { t0, x, y, vx, vy, ax, ay, angle, spin: circle.spin, gone };
}

/** The numbers of rows: as they are, or as differences to what the reader has there (the base). */
class Numbers {
  constructor(paths, before) {
    Object.assign(this, { codes: paths.last(5), codeAt: 0, values: paths.last(6), at: 0 });
    // Velocities of commands, which may come again, and how many there were.
    const { names, named } = before && !paths.last(7, 0) ? before : { names: [], named: 0 };
    Object.assign(this, { names, named, scratch: new DataView(new ArrayBuffer(8)) });
  }

  /** A velocity of a command may be named, or be named later. */
  next(base, command = false) {
    if (this.codeAt >= 2 * this.codes.length) throw new FollowError("codes that end too early");
    const code = (this.codes[this.codeAt >> 1] >> (this.codeAt % 2 * 4)) & 15;
    this.codeAt++;
    if (code === NAME && command) {
      const number = this.names[this.values[this.at++]];
      if (number === undefined) throw new FollowError("a name of nothing");
      return number;
    }
    if (code === NAME) throw new FollowError("a name of what has none");
    if (code === 6 || code === 7) return code === 7 ? base : -base;
    const { scratch } = this, count = code <= 8 ? code : code - 8;
    if (this.at + count > this.values.length) throw new FollowError("numbers that end too early");
    scratch.setBigUint64(0, 0n);
    for (let i = 0; i < count; i++) scratch.setUint8(code <= 8 ? i : 7 - i, this.values[this.at++]);
    if (code > 8) {
      const step = scratch.getBigUint64(0);
      scratch.setFloat64(0, base);
      scratch.setBigUint64(0, BigInt.asUintN(64, scratch.getBigUint64(0) + (step & 1n ? ~(step >> 1n) : step >> 1n)));
    }
    const number = code === 4 ? scratch.getFloat32(0) : scratch.getFloat64(0);
    if (command && count >= 2) this.names[this.named++ % 256] = number;
    return number;
  }
}

export class Follower {
  constructor({ history = 16, onTick = null, quantized = null } = {}) {
    Object.assign(this, { history, onTick, quantized: null, _Quantized: quantized, _numbers: null });
    Object.assign(this, { tick: 0, hash: 0n, hashTick: 0, missedTicks: 0, epoch: 0n, dt: 0, map: "" });
    Object.assign(this, { circles: new Map(), segments: new Map(), past: [], _ready: false });
  }

  get time() { return this.tick * this.dt; }

  update(bytes) {
    const ready = this._ready; // after an error only a key is taken: what it has may be half
    this._ready = false;
    const update = new Message(bytes), tick = update.last(1, 0);
    const epoch = update.message(8).number(1, "fixed64"), another = epoch !== 0n && epoch !== this.epoch;
    if (update.has(4) || another) { // of another past none is left
      Object.assign(this, { hash: update.number(4, "fixed64"), hashTick: update.last(5, 0) });
    }
    if (update.has(8)) this._key(tick, update, ready);
    else if (!update.has(10)) { // contacts, events and ends are not needed to go on
      const ticks = tick - this.tick;
      if (!ready || ticks !== update.last(2, 0) || ticks > TICKS_MAX) {
        throw new FollowError(`tick ${tick} does not follow tick ${this.tick}`);
      }
      if (this.quantized) this.quantized.update(tick, update);
      else this._paths(tick, update.message(11));
    }
    this._ready = ready || update.has(8);
  }

  place(id, time) {
    const past = last(this.past, ({ start }) => start <= time);
    const t = past && Math.min(time - past.start, past.length);
    const way = past && last(past.pieces.get(id) || [], ({ t0 }) => t0 <= t);
    if (!way || way.gone) return null;
    const { x, y, vx, vy, ax, ay, angle, spin } = way, s = t - way.t0;
    return { x: x + s * (vx + 0.5 * s * ax), y: y + s * (vy + 0.5 * s * ay), angle: angle + s * spin };
  }

  _key(tick, update, ready) {
    const key = update.message(8), scene = key.message(2);
    if (key.has(5)) { // the first of its parts
      Object.assign(this, { circles: new Map(), segments: new Map(), past: [], _numbers: null });
      Object.assign(this, { tick, missedTicks: update.last(3, 0), epoch: key.number(1, "fixed64") });
      Object.assign(this, { dt: key.number(5), map: key.text(3) });
      Object.assign(this, { gravity: [scene.number(5), scene.number(6)], speedMax: scene.number(12) });
      const near = key.number(17) > 0;
      if (near && !this._Quantized) throw new FollowError("within a tolerance: for collide-follow-quantized");
      this.quantized = near ? new this._Quantized(this, key) : null;
    } else if (!ready) throw new FollowError("a part of a key, the first of which it does not have");
    const part = this._shapes(scene.message(1), scene.message(3), key.message(13), key, 8);
    if (this.quantized) this.quantized.key(part, update);
  }

  /** Takes a WorldChange. Returns the circles that are new. */
  change(change) {
    change.column(1, "fixed32").forEach((id) => this.circles.delete(id));
    change.column(2, "fixed32").forEach((id) => this.segments.delete(id));
    if (change.has(14)) {
      this.gravity = [1, 2].map((field) => change.message(14).number(field));
      this.circles.forEach((circle) => pull(circle, this.gravity));
    }
    return this._shapes(change.message(3), change.message(4), change.message(8), change, 9);
  }

  /** Adds circles, which move as `ways` says from this field on, and segments, of which some move. */
  _shapes(circleRows, segmentRows, motions, ways, field) {
    const circles = circleRows.rows(CIRCLE);
    for (const circle of circles) {
      Object.assign(circle, { t0: 0, gone: false });
      circle.keep = 1 / (1 + this.dt * circle.linearDamping);
      circle.spinKeep = 1 / (1 + this.dt * circle.angularDamping);
      pull(circle, this.gravity);
      free(circle);
      this.circles.set(circle.id, circle);
    }
    ways.column(field).forEach((at) => { circles[at].driven = true; });
    ways.column(field + 1).forEach((at) => sleep(circles[at]));
    const ax = ways.column(field + 3, "double"), ay = ways.column(field + 4, "double");
    ways.column(field + 2).forEach((at, i) => Object.assign(circles[at], { held: true, ax: ax[i], ay: ay[i] }));
    for (const segment of segmentRows.rows(SEGMENT)) {
      this.segments.set(segment.id, { ...segment, disabled: !!segment.disabled, home: null });
    }
    const homes = [2, 3, 4, 5, 6, 7].map((column) => motions.column(column, "double"));
    motions.column(1, "fixed32").forEach((id, i) => {
      const [x1, y1, x2, y2, ...moved] = homes.map((values) => values[i]);
      if (this.segments.has(id)) Object.assign(this.segments.get(id), { home: [x1, y1, x2, y2], moved });
    });
    if (circles.length > 0) this.circles = new Map([...this.circles].sort(([a], [b]) => a - b));
    return circles;
  }

  _paths(tick, paths) {
    const changes = paths.messages(1), [counts, body, what] = [2, 3, 4].map((field) => paths.column(field));
    const counted = counts.reduce((sum, count) => sum + count, 0);
    if (counts.length > tick - this.tick || counted !== body.length || counted !== what.length) {
      throw new FollowError("other rows than are counted");
    }
    this._numbers = new Numbers(paths, this._numbers);
    if (tick === this.tick) changes.forEach((change) => this.change(change)); // another region
    for (let i = 0, row = 0; this.tick < tick; i++) {
      changes.filter((change) => change.last(7, 0) === this.tick + 1).forEach((change) => this.change(change));
      const end = row + (counts[i] || 0);
      this._tick(body.slice(row, end), what.slice(row, end));
      row = end;
    }
  }

  _tick(body, what) {
    const circles = [...this.circles.values()], pieces = new Map();
    let time = 0, before = null;
    for (const circle of circles) {
      begin(circle, this.speedMax);
      pieces.set(circle.id, [piece(circle)]);
    }
    for (let i = 0; i < body.length; i++) {
      const circle = circles[body[i]], ends = (what[i] & END) !== 0;
      if (!circle) throw new FollowError("a row of no circle");
      if (what[i] & (TIME | END)) before = null;
      if (what[i] & TIME) time = this._numbers.next(time);
      if (ends) time = this.dt;
      go(circle, time);
      before = this._row(circle, what[i], before);
      if (!ends) pieces.get(circle.id).push(piece(circle));
    }
    for (const circle of circles) {
      const ways = pieces.get(circle.id), way = ways[ways.length - 1], s = this.dt - way.t0;
      if (circle.driven && !circle.leg && s > 0) { // straight to its place then
        Object.assign(way, { vx: (circle.x - way.x) / s, vy: (circle.y - way.y) / s });
      }
      go(circle, this.dt);
      if (circle.gone) this.circles.delete(circle.id);
    }
    this.went(1, pieces);
    if (this.onTick) this.onTick(this);
  }

  /** So many ticks are over, in which circles moved along these pieces. */
  went(ticks, pieces) {
    const before = this.past.slice(Math.max(0, this.past.length + 1 - this.history));
    this.past = [...before, { start: this.time, length: ticks * this.dt, pieces }];
    for (const segment of this.segments.values()) {
      for (let i = 0; i < ticks && segment.home; i++) {
        segment.moved = [segment.moved[0] + segment.vx * this.dt, segment.moved[1] + segment.vy * this.dt];
        const [x1, y1, x2, y2] = segment.home.map((end, side) => end + segment.moved[side % 2]);
        Object.assign(segment, { x1, y1, x2, y2 });
      }
    }
    this.tick += ticks;
  }

  /** Takes a row. `before`, of the row before, and what is returned: a mass, and what its velocity has lost. */
  _row(circle, what, before) {
    if (what & FREE) free(circle);
    if (what & DRIVEN) Object.assign(circle, { driven: true, asleep: false, held: false });
    const ends = (what & END) !== 0, leg = circle.driven && what & VX && !ends;
    if (leg) {
      const { vx, vy } = circle.leg || circle;
      circle.leg = { vx: this._numbers.next(vx), vy: this._numbers.next(vy) };
    }
    const lost = {}, numbers = leg ? what & ~(VX | VY) : what;
    for (const [bit, name] of NUMBERS) {
      if (!(numbers & bit)) continue;
      const old = circle[name], speed = bit === VX || bit === VY;
      let base = old;
      if (ends && circle.driven && !circle.leg && (bit === X || bit === Y)) base += this.dt * circle[`v${name}`];
      else if (before && name in before.lost && circle.kind < 2) base += before.mass / circle.mass * before.lost[name];
      circle[name] = this._numbers.next(base, speed && circle.t0 === 0 && !ends);
      if (speed) lost[name] = old - circle[name];
    }
    if (what & HELD) circle.held = true;
    if (what & ASLEEP) sleep(circle);
    if (what & REMOVED) circle.gone = true;
    return circle.kind < 2 && circle.t0 > 0 && !leg ? { mass: circle.mass, lost } : null;
  }
}
