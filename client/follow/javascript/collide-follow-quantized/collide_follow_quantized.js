// Follows a live world of collided within a tolerance: places at updates, and straight lines between them.
//
//     const follower = new Follower({ quantized: Quantized });
//     follower.update(bytes); // each WorldUpdate of a subscription to STREAM_STATES with a tolerance, in order
//     const { x, y, angle } = follower.place(7, follower.time - 0.01);
//     const worst = follower.quantized.staleError;
//
// It goes by the rule of Quantized in collide.proto, and is given to a Follower of collide-follow, in the folder beside
// it. That then reads both kinds of streams: exact paths, and these.
import { FollowError, slow } from "../collide-follow/collide_follow.js";

// Where the contexts of each kind begin, in the order of Quantized.
const TOLD = 0, STRAIGHT = 24, LED = 27, EXACT = 30, RULE = 31, TURNS = 43, SPIN_RULE = 45, PLACE = 48, VELOCITY = 144,
  ANGLES = 240, SPINS = 288, CONTEXTS = 336, STALE = 344, CONTEXTS_LIMITED = 350;
const STALE_MAX = 1 << 20;

/** The range coder: bits of which it is known how often they were set. `contexts` has that: fast and slow of each. */
class Bits {
  constructor(data, contexts) {
    Object.assign(this, { data, contexts, at: 0, range: 0xffffffff, code: 0 });
    for (let i = 0; i < 4; i++) this._byte();
  }

  _byte() {
    this.code = ((this.code << 8) | (this.at < this.data.length ? this.data[this.at] : 0)) >>> 0;
    this.at++;
  }

  _widen() {
    while (this.range < 0x1000000) {
      this.range = (this.range << 8) >>> 0;
      this._byte();
    }
  }

  bit(context) {
    const { contexts } = this, at = 2 * context;
    const bound = (this.range >>> 15) * ((contexts[at] + contexts[at + 1]) >> 1);
    const bit = this.code >= bound;
    if (bit) this.code -= bound;
    this.range = bit ? this.range - bound : bound;
    for (const [i, shift] of [[at, 5], [at + 1, 7]]) {
      contexts[i] += bit ? -(contexts[i] >> shift) : (32768 - contexts[i]) >> shift;
    }
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

  /** One of four. */
  tree(first) {
    const high = this.bit(first);
    return 2 * high + this.bit(first + 1 + high);
  }

  /** A whole number: how many bits it has, and these. */
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

export class Quantized {
  constructor(follower, key) {
    Object.assign(this, { follower, tolerance: key.number(17), drivenTolerance: key.number(18) });
    Object.assign(this, { bytesPerSecond: key.last(19, 0), staleError: 0, waitingCircles: 0 });
    this.contexts = key.column(16, "fixed16");
    const contexts = this.bytesPerSecond > 0 ? CONTEXTS_LIMITED : CONTEXTS;
    if (this.contexts.length !== 2 * contexts) throw new FollowError("a key without its coder");
    // One that is surer might make the range empty.
    const good = this.contexts.every((estimate) => estimate > 0 && estimate < 32768);
    if (!good) throw new FollowError("a coder that is surer than any can be");
  }

  /** A part of a key. */
  key(circles, update) {
    const key = update.message(8);
    this._begin(circles, update);
    key.last(15).forEach((byte, i) => {
      const mode = byte & 3;
      Object.assign(circles[i], { mode, history: (byte >> 2) & 7, rule: byte >> 5, driven: mode === 2 });
    });
    key.column(20).forEach((stale, i) => { circles[i].stale = stale; });
  }

  _begin(circles, update) {
    Object.assign(this, { staleError: update.number(20, "float"), waitingCircles: update.last(21, 0) });
    for (const circle of circles) Object.assign(circle, { mode: 0, history: 0, rule: 0, stale: 0 });
  }

  update(tick, update) {
    const { follower } = this, change = update.message(9), pieces = new Map();
    const ticks = tick - follower.tick, time = ticks * follower.dt, bits = new Bits(update.last(18), this.contexts);
    // Those that come anew are gone, too.
    const gone = new Set([...change.message(3).column(2, "fixed32"), ...change.column(1, "fixed32")]);
    for (const circle of ticks > 0 ? follower.circles.values() : []) {
      if (gone.has(circle.id)) continue;
      const { x, y, angle } = circle;
      this.goOn(circle, ticks);
      this._told(circle, bits, ticks);
      const way = { vx: (circle.x - x) / time, vy: (circle.y - y) / time, spin: (circle.angle - angle) / time };
      pieces.set(circle.id, [{ t0: 0, x, y, angle, ax: 0, ay: 0, ...way, gone: false }]);
    }
    if (bits.at < update.last(18).length) throw new FollowError("bytes that are left over");
    if (ticks > 0) follower.went(ticks, pieces);
    this._begin(follower.change(change), update);
    if (ticks > 0 && follower.onTick) follower.onTick(follower);
  }

  /** Where a reader takes it to be so many ticks later. */
  goOn(circle, ticks) {
    const { dt, speedMax } = this.follower, free = circle.mode === 0 && circle.kind < 2;
    const gx = free ? circle.gx : 0, gy = free ? circle.gy : 0;
    for (let i = 0; i < ticks; i++) {
      if (free) slow(circle, speedMax);
      circle.x += dt * (circle.vx + 0.5 * dt * gx);
      circle.y += dt * (circle.vy + 0.5 * dt * gy);
      circle.vx += dt * gx;
      circle.vy += dt * gy;
      circle.angle += dt * circle.spin;
    }
  }

  /** What is told of a circle, if anything. */
  _told(circle, bits, ticks) {
    const told = bits.bit(circle.stale > 0 ? CONTEXTS + circle.history : TOLD + 8 * circle.mode + circle.history);
    if (told) {
      const before = circle.mode, { dt } = this.follower;
      circle.mode = bits.bit(STRAIGHT + before) ? 1 + bits.bit(LED + before) : 0;
      circle.driven = circle.mode === 2;
      if (bits.bit(EXACT)) {
        for (const name of ["x", "y", "vx", "vy", "angle", "spin"]) circle[name] = bits.exact();
        circle.rule = 0;
      } else this._corrected(circle, bits, ticks * dt, (circle.stale + ticks) * dt);
    }
    const stale = !told && this.bytesPerSecond > 0 && bits.bit(STALE + 2 * circle.mode + (circle.stale > 0 ? 1 : 0));
    circle.stale = stale ? Math.min(circle.stale + ticks, STALE_MAX) : 0;
    circle.history = (2 * circle.history + told) & 7;
  }

  /** By steps of a grid. Velocities follow from these, as a rule says. */
  _corrected(circle, bits, time, waited) {
    const correct = (name, speed, rule, way, grid, first) => {
      let velocity = rule === 2 ? 0 : circle[speed];
      if (rule === 1 || rule === 3) velocity += way / waited;
      if (rule === 3) velocity += bits.number(first) * (grid / (16 * time));
      circle[speed] = velocity;
      circle[name] += way;
    };
    const grid = 1.414 * (circle.driven ? this.drivenTolerance : this.tolerance);
    const steps = ["x", "y"].map((name) => [name, bits.number(PLACE + 48 * (circle.history & 1))]);
    circle.rule = bits.tree(RULE + 3 * circle.rule);
    for (const [name, step] of steps) {
      correct(name, `v${name}`, circle.rule, step * grid, grid, VELOCITY + (step === 0 ? 48 : 0));
    }
    if (bits.bit(TURNS + (circle.spin !== 0 ? 1 : 0))) {
      const fine = grid / circle.radius, way = bits.number(ANGLES) * fine;
      correct("angle", "spin", bits.tree(SPIN_RULE), way, fine, SPINS);
    }
  }
}
