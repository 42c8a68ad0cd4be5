/* drift: walls that move.
 *
 * A segment that moves stays, for the whole of a tick, where it was at its start: x1, y1, x2, y2 and its vertices' x and y.
 * Whoever wants to know how something stands to it at a later time looks from it: he takes from positions what it has moved by
 * then, and from velocities its own. Seen so it is at rest, and all that is known of walls at rest holds. For one that is at
 * rest these differences change no bit.
 *
 * At the tick's end the way it has come grows by velocity times dt, and the ends are what was defined plus that way, rounded
 * once. So segments of one velocity that share a point share it for ever. */
#ifndef COLLIDED_WORLD_MOVING_WALLS_H
#define COLLIDED_WORLD_MOVING_WALLS_H

#include "physics/world/world.h"

/* A path as what moves at (vx, vy) sees it; its t0 stays. */
static inline struct body
path_seen(const struct body *path, double vx, double vy)
{
	struct body seen = *path;

	seen.x -= vx * path->t0;
	seen.y -= vy * path->t0;
	seen.vx -= vx;
	seen.vy -= vy;
	return seen;
}

/* The ends as far as joints are concerned: of what moves as they were defined, so that they never change. */
static inline void
segment_ends(const struct segment *segment, double ends[4])
{
	ends[0] = segment->moving ? segment->home[0] : segment->x1;
	ends[1] = segment->moving ? segment->home[1] : segment->y1;
	ends[2] = segment->moving ? segment->home[2] : segment->x2;
	ends[3] = segment->moving ? segment->home[3] : segment->y2;
}

/* Whether two segments move as one, and always have, if they move at all. */
static inline bool
segments_move_together(const struct segment *a, const struct segment *b)
{
	if (a->vx != b->vx || a->vy != b->vy)
		return false;
	return !a->moving || (a->moved[0] == b->moved[0] && a->moved[1] == b->moved[1]);
}

/* Lists what moves; vertices must have been made. False without memory. */
bool drift_find(struct world *world);
/* At a tick's start: the rounding of where the walls come in it. */
void drift_begin(struct world *world);
/* At its end: moves them. */
void drift_finish(struct world *world);
/* Puts a segment where its definition and its way say. */
void segment_place(struct segment *segment);

#endif
