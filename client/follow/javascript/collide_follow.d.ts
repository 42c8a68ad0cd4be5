/** Follows a live world of collided, exactly or within a tolerance. Any number that counts ticks is exact up to 2^53. */

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
  /** By the rest solver: between ticks it is drawn straight from place to place, unless `driven_legs` were asked for. With a tolerance also one
   *  that sleeps. */
  readonly driven: boolean;
  /** With a tolerance never. */
  readonly asleep: boolean;
  /** With bytes limited: for so many ticks it has not been within its tolerance; off by at most `staleError`. */
  readonly stale: number;
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

export interface Options {
  /** How many ticks (with a tolerance: updates) back `place` can tell of; 16 if it is not given. */
  history?: number;
  /** Called after each tick; with a tolerance after each update. */
  onTick?: (follower: Follower) => void;
}

export class Follower {
  constructor(options?: Options);
  /** By id. */
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
  /** Of STREAM_STATES with a tolerance: the largest error of a place at an update; 0: a stream of paths. */
  readonly tolerance: number;
  /** The same of circles that are driven or asleep. */
  readonly drivenTolerance: number;
  /** With a tolerance: what does not fit into so many is left out; 0: no limit. */
  readonly bytesPerSecond: number;
  /** Then the largest error of the circles that are stale, length units. */
  readonly staleError: number;
  /** And how many circles it is not told of yet. */
  readonly waitingCircles: number;
  /** Takes the bytes of the next WorldUpdate of a subscription. */
  update(bytes: Uint8Array): void;
  /** Where a circle is at a time of the world; null: it was not there, or that is too long ago. */
  place(id: number, time: number): { x: number; y: number; angle: number } | null;
}
