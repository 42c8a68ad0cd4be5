/** Follows a live world of collided by its paths. Any number that counts ticks is exact up to 2^53. */
import { Message } from "../collide-wire/collide_wire.js";

/** What came is no update of such a stream, or not the next one. */
export class FollowError extends Error {}

/** A circle as it is after the last tick; its numbers are those of collide.proto. */
export interface Circle {
  readonly id: number;
  readonly x: number;
  readonly y: number;
  readonly vx: number;
  readonly vy: number;
  readonly angle: number;
  readonly spin: number;
  readonly radius: number;
  /** BodyKind: 0 and 1 dynamic, 2 kinematic, 3 static. */
  readonly kind: number;
  readonly tag: bigint;
  /** By the rest solver: between ticks it is drawn straight from place to place, unless `driven_legs` were asked for.
   *  With a tolerance also one that sleeps. */
  readonly driven: boolean;
  /** With a tolerance never. */
  readonly asleep: boolean;
}

/** A segment where it is after the last tick. */
export interface Segment {
  readonly id: number;
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
  readonly radius: number;
  readonly vx: number;
  readonly vy: number;
  readonly disabled: boolean;
}

/** What reads a stream within a tolerance: `Quantized` of collide-follow-quantized. */
export interface QuantizedReader {
  key(circles: Circle[], update: Message): void;
  update(tick: number, update: Message): void;
}

export interface Options<Q extends QuantizedReader = QuantizedReader> {
  /** How many ticks (with a tolerance: updates) back `place` can tell of; 16 if it is not given. */
  history?: number;
  /** Called after each tick; with a tolerance after each update. */
  onTick?: (follower: Follower<Q>) => void;
  /** Reads streams within a tolerance. Without it these are refused. */
  quantized?: new (follower: Follower<any>, key: Message) => Q;
}

export class Follower<Q extends QuantizedReader = QuantizedReader> {
  constructor(options?: Options<Q>);
  /** By id, ascending. */
  readonly circles: Map<number, Circle>;
  /** By id; without those of `map`, but for those that are switched otherwise than there. */
  readonly segments: Map<number, Segment>;
  readonly map: string;
  readonly epoch: bigint;
  readonly dt: number;
  readonly tick: number;
  /** Seconds of the world after the last tick. */
  readonly time: number;
  /** Of the whole world, at `hashTick`. */
  readonly hash: bigint;
  readonly hashTick: number;
  /** Of the last key: ticks that were never told, as this reader was slow. */
  readonly missedTicks: number;
  /** Of a stream within a tolerance; null: a stream of paths. */
  readonly quantized: Q | null;
  /** Takes the bytes of the next WorldUpdate of a subscription. After an error it takes nothing but a key: what it has
   *  may be half. */
  update(bytes: Uint8Array): void;
  /** Where a circle is at a time of the world; null: it was not there, or that is too long ago. */
  place(id: number, time: number): { x: number; y: number; angle: number } | null;
  /** For what reads other streams: takes a WorldChange, and returns the circles that are new. */
  change(change: Message): Circle[];
  /** For these: so many ticks are over, in which circles moved along pieces. */
  went(ticks: number, pieces: Map<number, object[]>): void;
}

/** For these: what damping and the greatest speed leave of a circle's velocity in a tick. */
export function slow(circle: Circle, speedMax: number): void;
