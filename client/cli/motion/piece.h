/* piece: a stretch of a path, straight or a parabola, as the protocol tells it: x + v t + a t^2 / 2 from its start on.
 *
 * Any thread. Times are seconds since the start of the run.
 *
 * The folder motion/ is how shapes move between the frames of a run: exact pieces of path, from what a client receives. It may
 * use recording/, scene/, terminal/, the client library, and of the server scene and physics. Pictures and view/ and render/
 * read it. */
#ifndef COLLIDE_CLI_PIECE_H
#define COLLIDE_CLI_PIECE_H

#include <stdbool.h>
#include <stdint.h>

/* Why a piece begins. */
enum piece_cause {
	PIECE_GOES_ON, /* no contact */
	PIECE_BY_CIRCLE,
	PIECE_BY_WALL,
};
struct motion_piece {
	double t; /* when it begins */
	double x, y, vx, vy, ax, ay;
	uint32_t other; /* the row of what it hit */
	uint8_t cause;  /* enum piece_cause; of several contacts at one time, the last */
	bool jumps;     /* it does not begin where the one before it ends: pushed out of an overlap */
};

struct piece_point {
	double x, y;
};

static inline struct piece_point
piece_at(const struct motion_piece *piece, double t)
{
	double s = t - piece->t;
	return (struct piece_point){
		piece->x + s * (piece->vx + s * (0.5 * piece->ax)),
		piece->y + s * (piece->vy + s * (0.5 * piece->ay)),
	};
}

static inline struct piece_point
piece_velocity_at(const struct motion_piece *piece, double t)
{
	double s = t - piece->t;
	return (struct piece_point){ piece->vx + s * piece->ax, piece->vy + s * piece->ay };
}

/* How many equal parts of the stretch from its start to `until` are as good as straight: each leaves its chord by at most
 * `flatness` (> 0). 1 for a straight piece; at most PIECE_PARTS_MAX. */
#define PIECE_PARTS_MAX 4096
unsigned piece_parts(const struct motion_piece *piece, double until, double flatness);

#endif
