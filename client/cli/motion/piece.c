#include "client/cli/motion/piece.h"

#include <math.h>

unsigned
piece_parts(const struct motion_piece *piece, double until, double flatness)
{
	/* The sagitta of a parabola over a time h is |a| h^2 / 8; a part of n has h / n. */
	double h = until - piece->t, sagitta = hypot(piece->ax, piece->ay) * h * h / 8;
	if (!(sagitta > flatness))
		return 1;
	double parts = ceil(sqrt(sagitta / flatness));
	return parts < PIECE_PARTS_MAX ? (unsigned)parts : PIECE_PARTS_MAX;
}
