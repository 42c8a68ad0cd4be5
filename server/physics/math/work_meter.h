/* work_meter: counts the work that a tick may still take, and defines the weights of what is counted (contact/work.h says why).
 * Pure. */
#ifndef COLLIDED_MATH_WORK_METER_H
#define COLLIDED_MATH_WORK_METER_H

#include "base/pause.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An event of one or two bodies. */
#define WORK_EVENT 64u
/* Each member more that its cluster has. */
#define WORK_MEMBER 64u
/* Of each event, for so many bodies of the world, up to WORK_NEAR_BODIES. In a crowd each member has some around it, that are
 * tested for touch and predicted against. */
#define WORK_CROWD 5u
#define WORK_CROWD_BODIES 4u
/* For each member, its predictions after the event. They are with all other bodies, up to WORK_NEAR_BODIES, if it may still go
 * WORK_NEAR_RADII of its radii in the tick; with less way, by its square. Predictions themselves are not counted, as cells and
 * threads change them: this is what they come to. */
#define WORK_NEAR 1u
#define WORK_NEAR_BODIES 64u
#define WORK_NEAR_RADII 16.0
/* In addition for each of these bodies for which the relative path is curved: the time of impact is the root of a quartic. It
 * is where the member's acceleration is not the world's gravity, where the other does not fall with it, and where the rest
 * solver drives the other. */
#define WORK_BENT 16u
/* In addition for a member with a path that the world's gravity does not bend, or bends otherwise. When it leaves what it
 * touches is the root of a quartic too. */
#define WORK_LEAVE 96u
/* In addition for each segment, up to WORK_WALLS, however near. With gravity the time of impact with an end is the root of a
 * quartic, and what rests is predicted against all of them. For each that moves, as for bodies. */
#define WORK_WALL 1u
#define WORK_WALL_BENT 3u
#define WORK_WALL_MOVING 4u
#define WORK_WALLS 64u
/* The cells that a member may have crossed, one for each so many radii of its displacement, up to a limit. Cells themselves are
 * not counted, because they must not change a bit; but they are never much smaller. */
#define WORK_CROSSING 8u
/* In addition where the path is curved; and for so many segments, and moving ones, that it may come to there. */
#define WORK_CROSSING_BENT 8u
#define WORK_CROSSING_WALLS 4u
#define WORK_CROSSING_MOVING 1u
#define WORK_CROSSING_RADII 2.0
#define WORK_CROSSINGS_MAX 128u
/* A sensor, for each path that an event begins, if the world reports events of pairs; up to a limit. */
#define WORK_SENSOR 8u
#define WORK_SENSORS_MAX 64u
/* A contact in one sweep of the rest solver. */
#define WORK_CONTACT 2u
/* In addition in each substep: a body in contact, and a near pair. */
#define WORK_PART_BODY 16u
#define WORK_PART_PAIR 4u
/* A body that the rest solver drives and one that it does not, of these up to WORK_NEAR_BODIES. */
#define WORK_PART_MEET 1u
/* In addition where the first may go WORK_NEAR_RADII in the tick. */
#define WORK_PART_FAR 8u
/* An iteration of a cluster. */
#define WORK_TURN 16u
/* A pair in one iteration: selection and restitution, and as much again for every so many pairs solved with it; friction;
 * correction of the normal impulse; a sweep of both. */
#define WORK_REFLECT 1u
#define WORK_TOGETHER 8u
#define WORK_RUB 2u
#define WORK_PRESS 1u
#define WORK_RELAX 3u
/* Terms of a cluster's equations per unit; a term is one number of one row. */
#define WORK_TERMS 32u

struct work_meter {
	uint64_t used, most;
	bool spent; /* something did not fit */
};

static inline bool
work_has(const struct work_meter *work, uint64_t units)
{
	return !work->spent && units <= work->most - work->used;
}

/* Takes this many units if they are left. False: from now on none are left. */
static inline bool
work_take(struct work_meter *work, uint64_t units)
{
	if (!work_has(work, units)) {
		work->spent = true;
		return false;
	}
	work->used += units;
	return true;
}

/* The same for a part of long work, such as an iteration, with a question whether to go on (base/pause.h). False also if that
 * is not wanted any more; it does not matter then what the work leaves. */
static inline bool
work_take_part(struct work_meter *work, uint64_t units)
{
	return work_take(work, units) && !pause_after((uint32_t)units);
}

static inline bool
work_take_terms(struct work_meter *work, size_t terms)
{
	return work_take_part(work, terms / WORK_TERMS + 1);
}

#endif
