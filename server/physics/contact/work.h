/* work: what a tick costs, counted, so that a tick can be bounded without a clock. Internal.
 *
 * A tick may take world_def.work_per_tick_max and, for each body, work_per_body_max of it. Counted is what depends on the order
 * of events alone: events that are resolved, turns of what is solved in a cluster, sweeps of the resting solver. What cells,
 * threads, predictions and ticks made twice cost is not: so the same bodies are parked whatever these are. A unit is about
 * WORK_NS on the machine of docs/performance.md where it is dearest; the constants below are what each kind took there at
 * worst.
 *
 * Whatever does not fit is not begun, and nothing after it either: a body that then has an event is parked at it (event_cut),
 * and the resting solver makes one sweep in each part. */
#ifndef COLLIDED_CONTACT_WORK_H
#define COLLIDED_CONTACT_WORK_H

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

struct cluster;
struct event;
struct world;

/* What the tick may take. */
void work_begin(struct world *world);
/* What a cluster's members will take when they are predicted. */
bool cluster_pay(struct world *world, const struct cluster *cluster);
/* In place of an event that does not fit: the bodies that it moves stand still from now on. */
void event_cut(struct world *world, const struct event *event);

#endif
