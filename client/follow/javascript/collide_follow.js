// Follows a live world of collided, exactly: every state to the bit, and where each circle is at any time between ticks.
//
//     const follower = new Follower();
//     follower.update(bytes); // a Uint8Array: each WorldUpdate of a subscription to STREAM_PATHS, in order
//     const { x, y, angle } = follower.place(7, follower.time - 0.01);
//
// Or, of a subscription to STREAM_STATES with a tolerance: places at updates within that, and straight lines between them.
//
// It needs nothing, runs in browsers as they are, and goes by the rules of Paths and Quantized in collide.proto.

const TIME = 1, FREE = 2, DRIVEN = 4, VX = 8, VY = 16, END = 128, HELD = 4096, ASLEEP = 8192, REMOVED = 16384;
const NUMBERS = [[VX, "vx"], [VY, "vy"], [32, "x"], [64, "y"], [256, "spin"], [512, "angle"], [1024, "ax"], [2048, "ay"]];
const NAME = 5; // of Paths.codes
const STATIC = 3, TICKS_MAX = 3600; // of BodyKind, where 0 and 1 are dynamic; the most ticks of an update
const NONE = new Uint8Array(0);

export class FollowError extends Error {}

function varint(data, from) {
  let value = 0, scale = 1;
  for (let at = from; at < data.length && at < from + 10; at++, scale *= 128) {
    value += (data[at] & 127) * scale;
    if (data[at] < 128) return [value, at + 1];
  }
  throw new FollowError("a number that ends too early");
}

/** The fields of a serialized message by number: of each all values, numbers or bytes. */
function fields(data) {
  const found = new Map();
  for (let at = 0; at < data.length;) {
    let tag, value, end;
    [tag, at] = varint(data, at);
    const kind = tag & 7;
    if (kind === 0) {
      [value, end] = varint(data, at);
    } else {
      let count = kind === 1 ? 8 : kind === 5 ? 4 : NaN;
      if (kind === 2) [count, at] = varint(data, at);
      end = at + count;
      if (!(end <= data.length)) throw new FollowError("a field of no kind, or one that ends too early");
      value = data.subarray(at, end);
    }
    const number = Math.floor(tag / 8);
    found.has(number) ? found.get(number).push(value) : found.set(number, [value]);
    at = end;
  }
  return found;
}

const last = (message, field, other) => (message.has(field) ? message.get(field)[message.get(field).length - 1] : other);
const view = (data) => new DataView(data.buffer, data.byteOffset, data.byteLength);
const double = (message, field) => (message.has(field) ? view(last(message, field)).getFloat64(0, true) : 0);
const float = (message, field) => (message.has(field) ? view(last(message, field)).getFloat32(0, true) : 0);
const fixed64 = (message, field) => (message.has(field) ? view(last(message, field)).getBigUint64(0, true) : 0n);
const text = (message, field) => new TextDecoder().decode(last(message, field, NONE));

function varints(data) {
  const out = [];
  for (let at = 0; at < data.length;) {
    const [value, next] = varint(data, at);
    out.push(value);
    at = next;
  }
  return out;
}

function column(data, bytes, read) {
  const from = view(data);
  return Array.from({ length: data.length / bytes }, (_, i) => read(from, i * bytes));
}

const doubles = (data) => column(data, 8, (from, at) => from.getFloat64(at, true));
const ids = (data) => column(data, 4, (from, at) => from.getUint32(at, true));
const tags = (data) => column(data, 8, (from, at) => from.getBigUint64(at, true));

/** Rows of columns of definitions, of which one element may stand for all. `columns`: name, field, default, reader. */
function rows(data, columns) {
  const message = fields(data);
  const named = ids(last(message, 2, NONE));
  const out = named.map((id) => ({ id }));
  for (const [name, field, other, read] of columns) {
    const values = message.has(field) ? (read || doubles)(last(message, field)) : [other];
    out.forEach((row, i) => { row[name] = values[values.length === named.length ? i : 0]; });
  }
  return out;
}

const CIRCLE = [["x", 3, 0], ["y", 4, 0], ["vx", 5, 0], ["vy", 6, 0], ["radius", 7, 0], ["angle", 15, 0], ["spin", 16, 0], ["keep", 19, 0],
  ["spinKeep", 20, 0], ["gravityScale", 21, 1], ["mass", 8, 1], ["kind", 10, 0, varints], ["tag", 33, 0n, tags]];
const SEGMENT = [["x1", 3, 0], ["y1", 4, 0], ["x2", 5, 0], ["y2", 6, 0], ["radius", 16, 0], ["vx", 18, 0], ["vy", 19, 0],
  ["disabled", 20, 0, varints]];

const pull = (circle, gravity) => { [circle.gx, circle.gy] = gravity.map((g) => (circle.kind > 1 ? 0 : circle.gravityScale * g)); };
const free = (circle) => Object.assign(circle, { driven: false, asleep: false, held: false, leg: null, ax: circle.gx, ay: circle.gy });
const sleep = (circle) => Object.assign(circle, { driven: false, held: false, asleep: true, leg: null, vx: 0, vy: 0, spin: 0, ax: 0, ay: 0 });

function kick(circle, speedMax) {
  circle.vx *= circle.keep;
  circle.vy *= circle.keep;
  circle.spin *= circle.spinKeep;
  if (speedMax > 0) {
    const speed = Math.sqrt(circle.vx * circle.vx + circle.vy * circle.vy);
    if (speed > speedMax) {
      const part = speedMax / speed;
      Object.assign(circle, { vx: circle.vx * part, vy: circle.vy * part });
    }
  }
}

function begin(circle, speedMax) {
  Object.assign(circle, { t0: 0, leg: null });
  if (circle.kind > 1 || circle.driven || circle.asleep) return;
  kick(circle, speedMax);
  if (!circle.held) Object.assign(circle, { ax: circle.gx, ay: circle.gy });
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

/** From t0 on it moves so, up to its next piece. */
function piece(circle) {
  const { t0, x, y, angle, gone } = circle;
  if (stands(circle)) return { t0, x, y, vx: 0, vy: 0, ax: 0, ay: 0, angle, spin: 0, gone };
  if (circle.leg) return { t0, x, y, ...circle.leg, ax: 0, ay: 0, angle, spin: circle.spin, gone };
  return { t0, x, y, vx: circle.vx, vy: circle.vy, ax: circle.ax, ay: circle.ay, angle, spin: circle.spin, gone };
}

/** So many ticks, as a reader within a tolerance takes it to go. */
function goOn(circle, ticks, dt, speedMax) {
  const flies = circle.mode === 0 && circle.kind < 2, gx = flies ? circle.gx : 0, gy = flies ? circle.gy : 0;
  for (let i = 0; i < ticks; i++) {
    if (flies) kick(circle, speedMax);
    circle.x += dt * (circle.vx + 0.5 * dt * gx);
    circle.y += dt * (circle.vy + 0.5 * dt * gy);
    circle.vx += dt * gx;
    circle.vy += dt * gy;
    circle.angle += dt * circle.spin;
  }
}

/** The coder of Quantized: bits of which it is known how often they were set. `contexts`: fast and slow of each, in turns. */
class Bits {
  constructor(data, contexts) {
    Object.assign(this, { data, contexts, at: 0, range: 0xffffffff, code: 0 });
    for (let i = 0; i < 4; i++) this._byte();
  }

  _byte() { this.code = ((this.code << 8) | (this.at < this.data.length ? this.data[this.at] : 0)) >>> 0; this.at++; }

  _widen() {
    while (this.range < 0x1000000) {
      this.range = (this.range << 8) >>> 0;
      this._byte();
    }
  }

  bit(context) {
    const { contexts } = this, at = 2 * context, bound = (this.range >>> 15) * ((contexts[at] + contexts[at + 1]) >> 1);
    const bit = this.code >= bound;
    if (bit) this.code -= bound;
    this.range = bit ? this.range - bound : bound;
    for (const [i, shift] of [[at, 5], [at + 1, 7]]) contexts[i] += bit ? -(contexts[i] >> shift) : (32768 - contexts[i]) >> shift;
    this._widen();
    return bit ? 1 : 0;
  }

  /** At most 32 bits of which nothing is known. */
  plain(count) {
    let bits = 0;
    for (let i = 0; i < count; i++) {
      this.range >>>= 1;
      const bit = this.code >= this.range;
      if (bit) this.code -= this.range;
      bits = bits * 2 + (bit ? 1 : 0);
      this._widen();
    }
    return bits;
  }

  exact() {
    const scratch = new DataView(new ArrayBuffer(8));
    scratch.setUint32(0, this.plain(32));
    scratch.setUint32(4, this.plain(32));
    return scratch.getFloat64(0);
  }

  tree(first) {
    const high = this.bit(first);
    return 2 * high + this.bit(first + 1 + high);
  }

  number(first) {
    if (!this.bit(first)) return 0;
    const negative = this.bit(first + 1);
    let length = 1;
    while (length < 24 && this.bit(first + 1 + length)) length++;
    let size = length === 1 ? 1 : 2 + this.bit(first + 23 + length);
    if (length > 2) size = size * 2 ** (length - 2) + this.plain(length - 2);
    return negative ? -size : size;
  }
}

// Where the contexts of each kind begin, in the order of Quantized.
const TOLD = 0, STRAIGHT = 24, LED = 27, EXACT = 30, RULE = 31, TURNS = 43, SPIN_RULE = 45, PLACE = 48, VELOCITY = 144, ANGLES = 240,
  SPINS = 288, CONTEXTS = 336, STALE = 344, CONTEXTS_LIMITED = 350;
const STALE_MAX = 1 << 20;

export class Follower {
  constructor({ history = 16, onTick = null } = {}) {
    Object.assign(this, { history, onTick, circles: new Map(), segments: new Map(), order: [], past: [], map: "", dt: 0, ready: false });
    Object.assign(this, { tick: 0, hash: 0n, hashTick: 0, epoch: 0n, missedTicks: 0, gravity: [0, 0], speedMax: 0 });
    Object.assign(this, { tolerance: 0, drivenTolerance: 0, contexts: [], bytesPerSecond: 0, staleError: 0, waitingCircles: 0 });
    this.scratch = new DataView(new ArrayBuffer(8));
  }

  get time() { return this.tick * this.dt; }

  update(bytes) {
    const update = fields(bytes);
    const tick = last(update, 1, 0);
    if (update.has(4)) Object.assign(this, { hash: fixed64(update, 4), hashTick: last(update, 5, 0) });
    if (update.has(8) || !update.has(10)) Object.assign(this, { staleError: float(update, 20), waitingCircles: last(update, 21, 0) });
    if (update.has(8)) return this._key(tick, fields(last(update, 8)), update);
    if (update.has(10)) return undefined; // contacts, events and ends: not needed to go on
    if (!this.ready || tick - this.tick !== last(update, 2, 0) || tick - this.tick > TICKS_MAX) throw new FollowError(`tick ${tick} does not follow tick ${this.tick}`);
    if (this.tolerance > 0) return this._quantized(tick, last(update, 18, NONE), fields(last(update, 9, NONE)));
    return this._paths(tick, fields(last(update, 11, NONE)));
  }

  place(id, time) {
    for (let i = this.past.length - 1; i >= 0; i--) {
      const { start, length, pieces } = this.past[i];
      if (time < start) continue;
      const ways = pieces.get(id);
      if (!ways) return null;
      const t = Math.min(time - start, length);
      let at = ways.length - 1;
      while (at > 0 && ways[at].t0 > t) at--;
      const { t0, x, y, vx, vy, ax, ay, angle, spin, gone } = ways[at];
      const s = t - t0;
      return gone ? null : { x: x + s * (vx + 0.5 * s * ax), y: y + s * (vy + 0.5 * s * ay), angle: angle + s * spin };
    }
    return null;
  }

  _key(tick, key, update) {
    const scene = fields(last(key, 2, NONE));
    if (key.has(5)) { // of a key in parts the first
      Object.assign(this, { circles: new Map(), segments: new Map(), past: [], tick, missedTicks: last(update, 3, 0), names: [], named: 0 });
      Object.assign(this, { dt: double(key, 5), epoch: fixed64(key, 1), map: text(key, 3) });
      Object.assign(this, { gravity: [double(scene, 5), double(scene, 6)], speedMax: double(scene, 12) });
      Object.assign(this, { tolerance: double(key, 17), drivenTolerance: double(key, 18), bytesPerSecond: last(key, 19, 0) });
      this.contexts = column(last(key, 16, NONE), 2, (from, at) => from.getUint16(at, true));
      const contexts = this.bytesPerSecond > 0 ? CONTEXTS_LIMITED : CONTEXTS;
      if (this.contexts.length !== (this.tolerance > 0 ? 2 * contexts : 0)) throw new FollowError("a key without its coder");
    }
    const part = this._circles(last(scene, 1, NONE), key, 8), told = last(key, 15, NONE);
    told.forEach((byte, i) => {
      const mode = byte & 3;
      Object.assign(part[i], { mode, history: (byte >> 2) & 7, rule: byte >> 5, driven: mode === 2 });
    });
    varints(last(key, 20, NONE)).forEach((stale, i) => { part[i].stale = stale; });
    this._segments(last(scene, 3, NONE));
    this._motions(last(key, 13, NONE));
    this._order();
    this.ready = true;
  }

  _order() { this.order = [...this.circles.values()].sort((a, b) => a.id - b.id); }

  _circles(data, told, field) { // `told` has how they move, from this field on
    const part = rows(data, CIRCLE).map((circle) => {
      circle.keep = 1 / (1 + this.dt * circle.keep);
      circle.spinKeep = 1 / (1 + this.dt * circle.spinKeep);
      pull(circle, this.gravity);
      Object.assign(circle, { t0: 0, gone: false, mode: 0, history: 0, rule: 0, stale: 0 });
      free(circle);
      this.circles.set(circle.id, circle);
      return circle;
    });
    varints(last(told, field, NONE)).forEach((at) => { part[at].driven = true; });
    varints(last(told, field + 1, NONE)).forEach((at) => sleep(part[at]));
    const ax = doubles(last(told, field + 3, NONE)), ay = doubles(last(told, field + 4, NONE));
    varints(last(told, field + 2, NONE)).forEach((at, i) => Object.assign(part[at], { held: true, ax: ax[i], ay: ay[i] }));
    return part;
  }

  _segments(data) {
    for (const segment of rows(data, SEGMENT)) this.segments.set(segment.id, { ...segment, disabled: !!segment.disabled, home: null });
  }

  _motions(data) {
    const motions = fields(data);
    const columns = [2, 3, 4, 5, 6, 7].map((field) => doubles(last(motions, field, NONE)));
    ids(last(motions, 1, NONE)).forEach((id, i) => {
      const [x1, y1, x2, y2, x, y] = columns.map((values) => values[i]);
      if (this.segments.has(id)) Object.assign(this.segments.get(id), { home: [x1, y1, x2, y2], moved: [x, y] });
    });
  }

  _change(change) {
    ids(last(change, 1, NONE)).forEach((id) => this.circles.delete(id));
    ids(last(change, 2, NONE)).forEach((id) => this.segments.delete(id));
    if (change.has(14)) {
      const gravity = fields(last(change, 14));
      this.gravity = [double(gravity, 1), double(gravity, 2)];
      this.circles.forEach((circle) => pull(circle, this.gravity));
    }
    this._circles(last(change, 3, NONE), change, 9);
    this._segments(last(change, 4, NONE));
    this._motions(last(change, 8, NONE));
    this._order();
  }

  _paths(tick, paths) {
    const [counts, body, what] = [2, 3, 4].map((field) => varints(last(paths, field, NONE)));
    const changes = (paths.get(1) || []).map(fields);
    Object.assign(this, { codes: last(paths, 5, NONE), codeAt: 0, values: last(paths, 6, NONE), valueAt: 0 });
    if (last(paths, 7, 0)) Object.assign(this, { names: [], named: 0 });
    if (tick === this.tick) changes.forEach((change) => this._change(change)); // Steer
    for (let at = 0, row = 0; this.tick < tick; at++) {
      changes.filter((change) => last(change, 7, 0) === this.tick + 1).forEach((change) => this._change(change));
      const end = row + (counts[at] || 0);
      this._tick(body.slice(row, end), what.slice(row, end));
      row = end;
    }
  }

  _tick(body, what) {
    const start = this.time, pieces = new Map();
    let time = 0;
    this.before = null;
    for (const circle of this.order) {
      begin(circle, this.speedMax);
      pieces.set(circle.id, [piece(circle)]);
    }
    for (let i = 0; i < body.length; i++) {
      const circle = this.order[body[i]];
      if (!circle) throw new FollowError(`there is no circle ${body[i]}`);
      if (what[i] & (TIME | END)) this.before = null;
      if (what[i] & TIME) time = this._number(time);
      if (what[i] & END) time = this.dt;
      go(circle, time);
      this._row(circle, what[i]);
      if (!(what[i] & END)) pieces.get(circle.id).push(piece(circle));
    }
    for (const circle of this.order) {
      const way = pieces.get(circle.id)[pieces.get(circle.id).length - 1], s = this.dt - way.t0;
      if (circle.driven && !circle.leg && s > 0) Object.assign(way, { vx: (circle.x - way.x) / s, vy: (circle.y - way.y) / s });
      go(circle, this.dt);
      if (circle.gone) this.circles.delete(circle.id);
    }
    if (this.circles.size < this.order.length) this._order();
    this._segmentsGo();
    this.tick++;
    this._keep({ start, length: this.dt, pieces });
  }

  _segmentsGo() {
    for (const segment of this.segments.values()) {
      if (!segment.home) continue;
      const moved = [segment.moved[0] + segment.vx * this.dt, segment.moved[1] + segment.vy * this.dt];
      const [x1, y1, x2, y2] = segment.home.map((end, i) => end + moved[i % 2]);
      Object.assign(segment, { moved, x1, y1, x2, y2 });
    }
  }

  _keep(way) {
    this.past = [...this.past.slice(Math.max(0, this.past.length + 1 - this.history)), way];
    if (this.onTick) this.onTick(this);
  }

  _quantized(tick, data, change) {
    const start = this.time, ticks = tick - this.tick, length = ticks * this.dt, pieces = new Map();
    const anew = ids(last(fields(last(change, 3, NONE)), 2, NONE)), gone = new Set([...anew, ...ids(last(change, 1, NONE))]);
    const bits = new Bits(data, this.contexts);
    for (const circle of ticks > 0 ? this.order : []) {
      if (gone.has(circle.id)) continue;
      const { x, y, angle } = circle;
      goOn(circle, ticks, this.dt, this.speedMax);
      const told = bits.bit(circle.stale > 0 ? CONTEXTS + circle.history : TOLD + 8 * circle.mode + circle.history);
      if (told) this._told(circle, bits, length, (circle.stale + ticks) * this.dt);
      const stale = !told && this.bytesPerSecond > 0 && bits.bit(STALE + 2 * circle.mode + (circle.stale > 0 ? 1 : 0));
      circle.stale = stale ? Math.min(circle.stale + ticks, STALE_MAX) : 0;
      circle.history = (2 * circle.history + told) & 7;
      const ways = { vx: (circle.x - x) / length, vy: (circle.y - y) / length, spin: (circle.angle - angle) / length };
      pieces.set(circle.id, [{ t0: 0, x, y, ax: 0, ay: 0, angle, ...ways, gone: false }]);
    }
    if (bits.at < data.length) throw new FollowError("bytes that are left over");
    for (let i = 0; i < ticks; i++) this._segmentsGo();
    this._change(change);
    this.tick = tick;
    if (ticks > 0) this._keep({ start, length, pieces });
  }

  _told(circle, bits, time, waited) {
    const before = circle.mode;
    circle.mode = bits.bit(STRAIGHT + before) ? 1 + bits.bit(LED + before) : 0;
    circle.driven = circle.mode === 2;
    if (bits.bit(EXACT)) {
      for (const name of ["x", "y", "vx", "vy", "angle", "spin"]) circle[name] = bits.exact();
      circle.rule = 0;
      return;
    }
    const follow = (name, speed, rule, way, grid, first) => {
      let velocity = rule === 2 ? 0 : circle[speed];
      if (rule === 1 || rule === 3) velocity += way / waited;
      if (rule === 3) velocity += bits.number(first) * (grid / (16 * time));
      circle[speed] = velocity;
      circle[name] += way;
    };
    const grid = 1.414 * (circle.driven ? this.drivenTolerance : this.tolerance);
    const steps = ["x", "y"].map((name) => [name, bits.number(PLACE + 48 * (circle.history & 1))]);
    circle.rule = bits.tree(RULE + 3 * circle.rule);
    for (const [name, step] of steps) follow(name, `v${name}`, circle.rule, step * grid, grid, VELOCITY + (step === 0 ? 48 : 0));
    if (bits.bit(TURNS + (circle.spin !== 0 ? 1 : 0))) {
      const fine = grid / circle.radius, way = bits.number(ANGLES) * fine;
      follow("angle", "spin", bits.tree(SPIN_RULE), way, fine, SPINS);
    }
  }

  _row(circle, what) {
    if (what & FREE) free(circle);
    if (what & DRIVEN) Object.assign(circle, { driven: true, asleep: false, held: false });
    const { before } = this, changed = {}, leg = circle.driven && what & VX && !(what & END);
    if (leg) {
      const { vx, vy } = circle.leg || circle;
      circle.leg = { vx: this._number(vx), vy: this._number(vy) };
    }
    const numbers = leg ? what & ~(VX | VY) : what;
    for (const [bit, name] of NUMBERS.filter(([number]) => numbers & number)) {
      const old = circle[name];
      let base = old;
      if (what & END && circle.driven && !circle.leg && (bit === 32 || bit === 64)) base += this.dt * circle[`v${name}`];
      else if (before && name in before.changed && circle.kind < 2) base += (before.mass / circle.mass) * before.changed[name];
      circle[name] = bit <= 16 && circle.t0 === 0 && !(what & END) ? this._velocity(base) : this._number(base);
      if (bit <= 16) changed[name] = old - circle[name];
    }
    this.before = circle.kind < 2 && circle.t0 > 0 && !leg ? { mass: circle.mass, changed } : null;
    if (what & HELD) circle.held = true;
    if (what & ASLEEP) sleep(circle);
    if (what & REMOVED) circle.gone = true;
  }

  /** Of a command: it may be named, or be named later. */
  _velocity(base) {
    const at = this.valueAt;
    if (this._code() === NAME) {
      this.codeAt++;
      const number = this.names[this.values[this.valueAt++]];
      if (number === undefined) throw new FollowError("a name of nothing");
      return number;
    }
    const number = this._number(base);
    if (this.valueAt - at >= 2) this.names[this.named++ % 256] = number;
    return number;
  }

  _code() {
    return (this.codes[this.codeAt >> 1] >> (this.codeAt % 2 * 4)) & 15;
  }

  _number(base) {
    if (this.codeAt >= 2 * this.codes.length) throw new FollowError("codes that end too early");
    const code = this._code();
    this.codeAt++;
    if (code === NAME) throw new FollowError("a name of what has none");
    if (code === 6 || code === 7) return code === 7 ? base : -base;
    const count = code <= 8 ? code : code - 8, { scratch } = this;
    if (this.valueAt + count > this.values.length) throw new FollowError("numbers that end too early");
    scratch.setBigUint64(0, 0n);
    for (let i = 0; i < count; i++) scratch.setUint8(code <= 8 ? i : 7 - i, this.values[this.valueAt++]);
    if (code > 8) {
      const step = scratch.getBigUint64(0), z = step & 1n ? ~(step >> 1n) : step >> 1n;
      scratch.setFloat64(0, base);
      scratch.setBigUint64(0, BigInt.asUintN(64, scratch.getBigUint64(0) + z));
    }
    return code === 4 ? scratch.getFloat32(0) : scratch.getFloat64(0);
  }
}
