/* pack: all paths of a motion in few bytes, for a page: about four a bounce off a wall, and six a side of a collision.
 *
 * One thread at a time. The unpacker is page/motion.js. It predicts each piece from the one before it: a wall or a circle is
 * met at the time at which the circle reaches it, and both turn back without loss. What is told is how the piece differs, in
 * multiples of three quanta. Both sides compute the predictions with the same operations, + - * / and sqrt, which IEEE 754
 * rounds alike everywhere. So the packer knows what will be unpacked, and no difference grows.
 *
 * The bytes, integers as varints, doubles as eight bytes with the lowest first:
 *   circles: count; each id, flags (1 static, 2 sensor, 4 dynamic), hue, radius, mass, end (both infinity where there is none)
 *   walls: count; each flags (1 sensor, 2 one-sided, 4 disabled, 8 moving), x1, y1, x2, y2, radius; if moving vx, vy
 *   turns of each circle: count; each t, and angle and spin as floats
 *   how many pieces each circle has, and in how many bytes
 *   the pieces, circle by circle
 * A piece is a code, 16 times what it hit (0 nothing, 1 circles, 2 + a wall's row, 2 + the walls + a circle's row) plus flags:
 *   1 x and y are off, 2 vx and vy are off, 4 seven doubles (t x y vx vy ax ay) instead of all that follows,
 *   8 the acceleration changes between 0 and the first of this circle that was not 0;
 * then how its time is off, and the pairs that the flags announce, all zigzag. Where two dynamic circles hit each other, the
 * time is with the lower row. */
#ifndef COLLIDE_CLI_PACK_H
#define COLLIDE_CLI_PACK_H

#include "client/cli/motion/motion.h"
#include "client/cli/terminal/text.h"

/* Length units: how far each coordinate unpacked may be from the motion's; more where 2^-45 of the coordinates is more. */
#define PACK_TOLERANCE 0x1p-31

struct pack_quanta {
	double place, velocity, time; /* powers of two */
};

struct pack_quanta pack_quanta_of(const struct motion *motion);
/* Appends the bytes. A failed append, or no memory, is remembered in *out. */
void pack_motion(const struct motion *motion, const struct pack_quanta *quanta, struct text *out);

#endif
