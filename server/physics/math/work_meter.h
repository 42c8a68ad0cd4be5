/* work_meter: counts the work that a tick may still take, and defines the weights of what is counted (contact/work.h says why).
 * Pure. */
#ifndef COLLIDED_MATH_WORK_METER_H
#define COLLIDED_MATH_WORK_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An event of one or two bodies, with the predictions after it among up to 64 neighbours. */
#define WORK_EVENT 256u
/* Each further member of its cluster. */
#define WORK_MEMBER 128u
/* The cells that a member may have crossed, one for each so many radii of its displacement, up to a limit. Cells themselves are
 * not counted, because they must not change a bit; but they are never much smaller. */
#define WORK_CROSSING 8u
#define WORK_CROSSING_RADII 2.0
#define WORK_CROSSINGS_MAX 128u
/* A member with curved relative paths, towards all others: its acceleration is not the world's gravity, or theirs is not. The
 * time of impact of such a pair is the root of a quartic. Among 64 bodies it takes 500 to 900 ns per member. */
#define WORK_BENT 256u
/* With this many radii of possible displacement in the rest of the tick, a member may reach all of them. With less it reaches
 * fewer, by the square. */
#define WORK_BENT_RADII 16.0
/* Limit of bodies with curved relative paths: seldom are more near one body. */
#define WORK_BENT_BODIES 64u
/* A contact in one sweep of the rest solver. */
#define WORK_CONTACT 2u
/* A pair in one iteration of a cluster: selection and restitution; friction; correction of the normal impulse. */
#define WORK_PAIR 4u
/* Terms of a cluster's equations per unit; a term is one number of one row. */
#define WORK_TERMS 8u

struct work_meter {
	uint64_t used, most;
	bool spent; /* something did not fit */
};

/* Takes this many units if they are left. False: from now on none are left. */
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
