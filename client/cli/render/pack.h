/* pack: all paths of a motion in few bytes, for a page: about four a bounce off a wall, and six a side of a collision.
 *
 * One thread at a time. The unpacker is page/motion.js. It predicts each piece from the one before it. A wall or a circle is
 * met at the time at which the circle reaches it; both turn back without loss. What is told is how the piece differs, in
 * multiples of three quanta. Both sides compute the predictions with the same operations, + - * / and sqrt, which IEEE 754
 * rounds alike everywhere. So the packer knows what will be unpacked, and no difference grows.
 *
 * The bytes, in this order; integers are varints, doubles have eight bytes with the lowest first.
 * - Circles: their count. Each has its id; flags (1 static, 2 sensor, 4 dynamic); hue; radius; mass; begin; end. Mass and
 * end are infinite where there is none.
 * - Walls: their count. Each has flags (1 sensor, 2 one-sided, 4 disabled, 8 moving, 16 coming or going); x1, y1, x2, y2;
 * radius; if moving vx, vy; if coming or going begin, end.
 * - Turns of each circle: their count. Each has its t; angle and spin as floats.
 * - How many pieces each circle has, and in how many bytes; then the pieces, circle by circle.
 *
 * A piece is a code, 16 times what it hit plus flags. 0: nothing, 1: circles. 2 + a row: that wall; 2 + the walls + a row: that
 * circle. After the code comes how its time is off, then the pairs that the flags announce, all zigzag. The flags:
 * - 1: x and y are off; 2: vx and vy are off.
 * - 4: seven doubles (t x y vx vy ax ay) instead of all that follows.
 * - 8: the acceleration changes between 0 and the first of this circle that was not 0.
 * Where two dynamic circles hit each other, the time is with the lower row. */
#ifndef COLLIDE_CLI_PACK_H
#define COLLIDE_CLI_PACK_H

#include "client/cli/motion/motion.h"
#include "client/cli/terminal/text.h"

/* Length units: how far each coordinate unpacked may be from the motion's; more where 2^-45 of the coordinates is more. */
#define PACK_TOLERANCE 0x1p-31

struct pack_quanta {
	double place, velocity, time; /* powers of two */
};

struct pack_quanta pack_quanta_of(const struct run_motion *motion);
/* Appends the bytes. A failed append, or no memory, is remembered in *out. */
void pack_motion(const struct run_motion *motion, const struct pack_quanta *quanta, struct text *out);

#endif
