/* brute: an event-by-event simulator of all pairs, to hold the engine against.
 *
 * One thread. Follows one world tick by tick. Within a tick it walks along the engine's events. From the current paths it
 * predicts every pair's next contact by its own slow means, and compares the engine's next event with the earliest of them.
 * Then it takes over the engine's velocities and goes on from there, so that chaos does not count. */
#ifndef COLLIDED_TESTS_PHYSICS_BRUTE_BRUTE_H
#define COLLIDED_TESTS_PHYSICS_BRUTE_BRUTE_H

#include "physics/brute/gap.h"
#include "physics/physics.h"

/* How much has been seen, so that a test can tell that it tested something. */
struct brute_counts {
	uint64_t contacts;  /* that happened and were the earliest of all pairs */
	uint64_t ties;      /* other pairs that were due before one of them, shown to be so by rounding only */
	uint64_t secondary; /* resolved together with another contact */
	uint64_t resting;
	uint64_t isolated; /* held against the mixed restitution */
	uint64_t elastic;  /* runs of contacts with energy held to be constant */
	uint64_t stuck;    /* rough contacts alone that ended without slip, as they must within Coulomb's bound */
	uint64_t slid;     /* and those at the bound */
	uint64_t led;      /* paths of the resting solver followed */
	uint64_t still;    /* bodies parked or crushed */
	uint64_t stops;    /* by rules */
	uint64_t ends;     /* by rules and of lifetimes */
	uint64_t changes;  /* path changes followed */
	uint64_t pairs;    /* predictions made */
};

struct brute;

/* The definition's arrays are copied. NULL without memory. */
struct brute *brute_create(const struct world_def *def);
void brute_destroy(struct brute *brute);
/* Follows the tick that `report` is about, `world` being at its end. False: the engine is wrong, or this is; `why` says where.
 * The tick's counts are added to *counts. */
bool brute_tick(struct brute *brute, const struct world *world, double dt, const struct tick_report *report,
                struct brute_counts *counts, char *why, size_t why_bytes);

#endif
