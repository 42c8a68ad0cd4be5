/* sleep: islands that have long been calm lie still and cost nothing until something wakes them. Opt-in
 * (world_def.sleep_after).
 *
 * An island is what the resting solver solves together: circles in contacts that carry. It falls asleep at a tick's end if it
 * rests on something immovable, nothing that moves by itself touches it (a conveyor does), and each of its circles has for so
 * long not gone farther than CALM_RADII, and has been struck by nothing in this tick. Its velocities end, which the ledgers
 * tell.
 *
 * It wakes, all of it, at the exact time at which anything meets one of its circles, before that contact is resolved: events
 * with sleepers are predicted as with anything else that stands still, so none is missed. Between ticks edits wake (edit_map.c:
 * whom they concern; world_edit.c: whom they overlap). Other causes do not exist: within ticks gravity, walls and the
 * velocities of kinematic circles are constant. Whoever adds one calls sleep_wake. One thread; belongs to the world. */
#ifndef COLLIDED_RESTING_SLEEP_H
#define COLLIDED_RESTING_SLEEP_H

#include "physics/contact/cluster.h"

/* How far a calm circle goes or turns, in radii and radians: what one sees as standing still, and more than the solver's
 * errors add up to in any time asked for. */
#define CALM_RADII 0.01

/* State of a circle; only where the definition lets circles sleep. */
struct calm {
	double x, y, angle; /* where it was when its present period began */
	double duration;    /* of that, s; from sleep_after on the next one begins */
	bool calm;          /* it stayed near in the whole period before, and in this one so far: so slow drift, which no body of
	                       a large island may be without, does not keep it awake */
	uint32_t bed;       /* the lowest circle of the island that it sleeps in; NONE: awake */
	uint32_t next;      /* of that island; a ring */
};

/* What a world needs whose definition lets circles sleep: all awake. False without memory. */
bool sleep_alloc(struct world *world);
/* At a tick's end: who falls asleep. Failure sets world->failed. */
void sleep_fall(struct world *world);
/* Wakes a circle, if it sleeps, and all of its island. They stand still up to the end of the part of the tick. */
void sleep_wake(struct world *world, uint32_t body, double time);
/* Wakes whom an event concerns, and whom its cluster does. */
void sleep_wake_event(struct world *world, const struct event *event);
void sleep_wake_cluster(struct world *world, const struct cluster *cluster);
/* Edits, between two ticks. Wakes a circle that sleeps and all of its island, or that circle alone: awake from now on, which
 * the next tick tells at its start (sleep_begin, of each that is HANDOVER_WOKEN). Counts are wrong up to sleep_recount. */
void sleep_rouse(struct world *world, uint32_t body);
void body_rouse(struct world *world, uint32_t body);
void sleep_recount(struct world *world);
void sleep_begin(struct world *world, uint32_t body);
/* After the bodies and their calms have been read: puts those to sleep that slept. */
void sleep_restore(struct world *world);

#endif
