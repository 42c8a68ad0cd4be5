/* sleep: islands that have long been quiet fall asleep and cost nothing until something wakes them. Opt-in
 * (world_def.sleep_after).
 *
 * An island is what the rest solver solves together: circles in contacts that carry force. It falls asleep at a tick's end
 * under three conditions. It rests on something immovable. Nothing that moves by itself touches it (a conveyor does). For the
 * required time none of its circles has moved farther than CALM_RADII, and nothing has struck one in this tick. Its velocities
 * end, which the ledgers report.
 *
 * The whole island wakes at the exact time at which anything meets one of its circles, before that contact is resolved. Events
 * with sleeping bodies are predicted as with any body that stands still, so none is missed. Between ticks edits wake
 * (edit_map.c: islands that they change; world_edit.c: islands that they overlap). There are no other causes: within ticks
 * gravity, walls and the velocities of kinematic circles are constant. Code that adds a cause must call sleep_wake. One thread;
 * belongs to the world. */
#ifndef COLLIDED_RESTING_SLEEP_H
#define COLLIDED_RESTING_SLEEP_H

#include "physics/contact/cluster.h"

/* How far a quiet circle may move or turn, in radii and radians. It looks still, and the limit exceeds the accumulated errors
 * of the solver in any time that may be required. */
#define CALM_RADII 0.01

/* The sleep timer of a circle; only where the definition lets circles sleep. */
struct calm {
	double x, y, angle; /* its place when the present period began */
	double duration;    /* of that period, s; at sleep_after the next one begins */
	bool calm; /* it stayed near in the whole period before, and in this one so far. So slow drift, which every body of a large
	              island may have, does not keep it awake */
	uint32_t bed;  /* lowest circle of its sleep island; NONE: awake */
	uint32_t next; /* next circle of that island; a ring */
};

/* Allocates what a world with sleeping needs, with all bodies awake. False without memory. */
bool sleep_alloc(struct world *world);
/* To be called at a tick's end: puts islands to sleep. Failure sets world->failed. */
void sleep_fall(struct world *world);
/* Wakes a circle, if it sleeps, and its whole island. They stand still up to the end of the substep. */
void sleep_wake(struct world *world, uint32_t body, double time);
/* Wakes the bodies of an event, and those of its cluster. */
void sleep_wake_event(struct world *world, const struct event *event);
void sleep_wake_cluster(struct world *world, const struct cluster *cluster);
/* Edits, between two ticks. The first wakes a sleeping circle and its whole island, the second that circle alone. They are
 * awake from now on, which the next tick reports at its start (sleep_begin, for each that is HANDOVER_WOKEN). Counts are wrong
 * until sleep_recount. */
void sleep_rouse(struct world *world, uint32_t body);
void body_wake(struct world *world, uint32_t body);
void sleep_recount(struct world *world);
void sleep_begin(struct world *world, uint32_t body);
/* To be called after the bodies and their sleep timers have been read: puts those to sleep that slept. */
void sleep_restore(struct world *world);

#endif
