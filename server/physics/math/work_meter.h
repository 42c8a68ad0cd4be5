/* work_meter: counts the work that a tick may still take, and defines the weights of what is counted (contact/work.h says why).
 * Pure. */
#ifndef COLLIDED_MATH_WORK_METER_H
#define COLLIDED_MATH_WORK_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An event of one or two bodies. */
#define WORK_EVENT 64u
/* Each member more that its cluster has. */
#define WORK_MEMBER 64u
/* For each member, its predictions after the event. They are with all other bodies, up to WORK_NEAR_BODIES, if it may still go
 * WORK_NEAR_RADII of its radii in the tick; with less way, by its square. Predictions themselves are not counted, as cells and
 * threads change them: this is what they come to. */
#define WORK_NEAR 1u
#define WORK_NEAR_BODIES 64u
#define WORK_NEAR_RADII 16.0
/* The same where the relative paths are bent: the member's acceleration is not the world's gravity, or theirs is not. When two
 * such meet is the root of a quartic. */
#define WORK_BENT 16u
/* Where a member comes from: the cells that it may have crossed, for each so many radii of its way, up to so many. Cells are
 * not counted, as they change no bit; but they are never much smaller. */
#define WORK_CROSSING 8u
#define WORK_CROSSING_RADII 2.0
#define WORK_CROSSINGS_MAX 128u
/* A sensor, of each path that an event begins, where the world tells events of pairs; so many at most. */
#define WORK_SENSOR 8u
#define WORK_SENSORS_MAX 64u
/* A contact in one sweep of the resting solver. */
#define WORK_CONTACT 2u
/* And in each part of a tick, beside its sweeps: a body in touch, and a near pair. */
#define WORK_PART_BODY 16u
#define WORK_PART_PAIR 4u
/* A turn of a cluster. */
#define WORK_TURN 16u
/* A pair in one turn: chosen and reflected, and by so many pairs together; rubbed; pressed. */
#define WORK_REFLECT 1u
#define WORK_TOGETHER 8u
#define WORK_RUB 2u
#define WORK_PRESS 1u
/* Terms of a cluster's equations for one unit: a term is one number of one row. */
#define WORK_TERMS 32u

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
