/* work_meter: counts what a tick may still take, and the weights of what is counted (contact/work.h says why). Pure. */
#ifndef COLLIDED_MATH_WORK_METER_H
#define COLLIDED_MATH_WORK_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An event of one or two bodies, with what is predicted after it among up to 64. */
#define WORK_EVENT 256u
/* Each member more that its cluster has. */
#define WORK_MEMBER 128u
/* Where a member comes from: the cells that it may have crossed, for each so many radii of its way, up to so many. Cells are
 * not counted, as they change no bit; but they are never much smaller. */
#define WORK_CROSSING 8u
#define WORK_CROSSING_RADII 2.0
#define WORK_CROSSINGS_MAX 128u
/* A member of which the relative paths are bent, towards all others: its acceleration is not the world's gravity, or theirs is
 * not. When two such meet is the root of a quartic: among 64 it takes some 500 to 900 ns of a member. */
#define WORK_BENT 256u
/* So many radii that it may go in the rest of the tick bring it to all of them; less to fewer, by the square. */
#define WORK_BENT_RADII 16.0
/* Bodies that see each other bent: more than so many are seldom near one. */
#define WORK_BENT_BODIES 64u
/* A contact in one sweep of the resting solver. */
#define WORK_CONTACT 2u
/* A pair in one turn of a cluster: chosen and reflected; rubbed; pressed. */
#define WORK_PAIR 4u
/* Terms of a cluster's equations for one unit: a term is one number of one row. */
#define WORK_TERMS 8u

struct work_meter {
	uint64_t used, most;
	bool spent; /* something did not fit */
};

/* Takes so many units, if they are there. False: from now on there are none. */
static inline bool
work_take(struct work_meter *work, uint64_t units)
{
	if (work->spent || units > work->most - work->used) {
		work->spent = true;
		return false;
	}
	work->used += units;
	return true;
}

static inline bool
work_take_terms(struct work_meter *work, size_t terms)
{
	return work_take(work, terms / WORK_TERMS + 1);
}

#endif
