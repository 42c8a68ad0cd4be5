/* recent: states of a world's last ticks in memory, to go back to at the cost of a copy (physics/keep.h).
 *
 * The worker that has the world. Owns them. What it cannot keep, for want of memory or because segments were added or removed
 * since, is in the journal's snapshots: to go back to these costs more. */
#ifndef COLLIDED_WORLDS_HISTORY_RECENT_H
#define COLLIDED_WORLDS_HISTORY_RECENT_H

#include "physics/keep.h"
#include "worlds/commands/force_list.h"
#include "worlds/commands/owner_list.h"

/* The state after a tick. */
struct recent_state {
	uint64_t tick;
	struct world_kept *kept;
	struct force_list forces;
	struct owner_list owners;
};

/* A ring, ascending by tick. */
struct recent_states {
	uint32_t history_ticks; /* 0: nothing is kept */
	uint32_t every;         /* ticks between two of them: as many as fit into the memory that there is for them */
	struct recent_state *states;
	size_t capacity, first, count;
};

void recent_states_init(struct recent_states *recent, uint32_t history_ticks);
void recent_states_finish(struct recent_states *recent);
/* Forgets all. Their memory stays for those to come. */
void recent_states_clear(struct recent_states *recent);
/* Forgets those after a tick. */
void recent_states_cut(struct recent_states *recent, uint64_t tick);
/* Forgets those that only ticks up to this one need. */
void recent_states_forget(struct recent_states *recent, uint64_t tick);
/* After each tick: keeps the state, if it is time, and forgets what is older than the history. */
void recent_states_tick(struct recent_states *recent, struct world *world, const struct force_list *forces,
                        const struct owner_list *owners);
/* The latest at or before the tick. NULL: there is none. */
const struct recent_state *recent_states_find(const struct recent_states *recent, uint64_t tick);

#endif
