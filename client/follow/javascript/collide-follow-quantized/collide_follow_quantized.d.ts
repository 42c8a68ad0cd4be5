/** Follows a live world of collided within a tolerance: new Follower({ quantized: Quantized }). */
import { Circle, Follower, QuantizedReader } from "../collide-follow/collide_follow.js";
import { Message } from "../collide-wire/collide_wire.js";

/** What the circles of such a follower have besides. */
export interface QuantizedCircle extends Circle {
  /** With bytes limited: for so many ticks it has not been within its tolerance; off by at most `staleError`. */
  readonly stale: number;
}

export class Quantized implements QuantizedReader {
  constructor(follower: Follower<any>, key: Message);
  /** The largest error of a place at an update. */
  readonly tolerance: number;
  /** The same of circles that are driven or asleep. */
  readonly drivenTolerance: number;
  /** What does not fit into so many is left out; 0: no limit. */
  readonly bytesPerSecond: number;
  /** Then the largest error of the circles that are stale, length units. */
  readonly staleError: number;
  /** And how many circles it is not told of yet. */
  readonly waitingCircles: number;
  key(circles: Circle[], update: Message): void;
  update(tick: number, update: Message): void;
}
