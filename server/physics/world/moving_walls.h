/* moving_walls: walls that move.
 *
 * For the whole of a tick, a moving segment is stored where it was at the tick's start: x1, y1, x2, y2 and its vertices' x and
 * y. A computation for a later time uses the segment's frame: it subtracts the displacement so far from positions, and the
 * segment's velocity from velocities. In that frame the segment is at rest, and everything about static walls holds. For a
 * static segment these subtractions change no bit.
 *
 * At the tick's end the displacement grows by velocity times dt. The ends are the defined ones plus the displacement, rounded
 * once. So segments of one velocity that share a point share it for ever. */
#ifndef COLLIDED_WORLD_MOVING_WALLS_H
#define COLLIDED_WORLD_MOVING_WALLS_H

#include "physics/world/world.h"

/* A path in the frame that moves at (vx, vy); its t0 stays. */
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

/* The ends that decide about joints: those of a moving segment are as defined, so that its joints never change. */
static inline void
segment_ends(const struct segment *segment, double ends[4])
{
	ends[0] = segment->moving ? segment->home[0] : segment->x1;
	ends[1] = segment->moving ? segment->home[1] : segment->y1;
	ends[2] = segment->moving ? segment->home[2] : segment->x2;
	ends[3] = segment->moving ? segment->home[3] : segment->y2;
}

/* Whether two segments move together, and always have, if they move at all. */
static inline bool
segments_move_together(const struct segment *a, const struct segment *b)
{
	if (a->vx != b->vx || a->vy != b->vy)
		return false;
	return !a->moving || (a->moved[0] == b->moved[0] && a->moved[1] == b->moved[1]);
}

/* Lists the moving walls; vertices must have been made. False without memory. */
bool moving_walls_find(struct world *world);
/* At a tick's start: sets the rounding of the walls' places during the tick. */
void moving_walls_begin(struct world *world);
/* At its end: moves them. */
void moving_walls_finish(struct world *world);
/* Places the moving walls anew, between two ticks: their displacements were set. */
void moving_walls_place(struct world *world);
/* Places a segment by its definition and its displacement. */
void segment_place(struct segment *segment);

#endif
