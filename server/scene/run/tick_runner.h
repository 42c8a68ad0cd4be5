/* tick_runner: a world and its ticks, one after the other, each made twice if it is to check itself; and what they came to in
 * all.
 *
 * One thread at a time. Owns the world. What readers are told of the ticks is not its business (frame_stream.h). */
#ifndef COLLIDED_SCENE_RUN_TICK_RUNNER_H
#define COLLIDED_SCENE_RUN_TICK_RUNNER_H

#include "physics/physics.h"
#include "physics/self_check.h"
#include "scene/run/cost.h"
#include "wire/wire.h"

/* What ticks add up to. */
struct tick_counts {
	uint64_t events, collisions, clusters, clips;
};

void tick_counts_add(struct tick_counts *counts, const struct tick_report *report);

struct tick_runner {
	struct world *world;
	double dt;
	bool self_check;
	uint64_t contacts_per_tick_max; /* the world's, for the text of a refusal */
	uint64_t cost_offset;           /* another for each runner: which of its ticks are timed (cost_clock) */

	uint64_t tick_first, tick; /* the world's when the runner got it, and now */
	struct tick_report report; /* of that tick; as good as the world's memory for it */
	struct tick_counts total;  /* of all ticks */
	uint64_t shortfall_total;
	struct cost cost;

	/* Its own. */
	struct workspace *workspace; /* for its next ticks; NULL: the world's own memory */
	struct selfcheck check;
	uint64_t hash; /* of the state after that tick, if it was asked for */
	bool hashed;
};

/* Takes the world as it is. Begin with all 0, but for what says how to run. */
void tick_runner_begin(struct tick_runner *runner, struct world *world);
/* All 0 is fine. */
void tick_runner_finish(struct tick_runner *runner);
/* Of the world and for checking itself. */
size_t tick_runner_memory_bytes(const struct tick_runner *runner);

/* One tick; its report is in runner->report. Otherwise than STATUS_OK: *problem names the tick, and the world can only be
 * destroyed. CANCELLED: it was given up. INTERNAL: made twice, it is not the same. */
STATUS_MUST_USE enum status tick_runner_step(struct tick_runner *runner, struct wire_problem *problem);
/* Of the state after the last tick; made once, however often it is asked for. */
uint64_t tick_runner_hash(struct tick_runner *runner);

/* As simulation_workspace_set has it (simulation.h). */
void tick_runner_workspace_set(struct tick_runner *runner, struct workspace *workspace);

#endif
