/* play_model: what a world must come to, beside the server's: a plain engine world, and the batches with the tick that each
 * must take effect at, in their order. Rights, ids and forces are its own; it shares nothing with server/worlds but the engine.
 */
#ifndef COLLIDED_TESTS_WORLDS_PLAY_MODEL_H
#define COLLIDED_TESTS_WORLDS_PLAY_MODEL_H

#include "physics/physics.h"

#include <stdbool.h>
#include <stdint.h>

enum { MODEL_CIRCLES = 64, MODEL_FORCES = 32, MODEL_BATCHES = 4096, MODEL_HISTORY_MAX = 20 };

enum model_kind {
	MODEL_SET,
	MODEL_ADD,
	MODEL_SPAWN,
	MODEL_REMOVE,
	MODEL_PLACE,
	MODEL_SWEEP,
	MODEL_FORCE,
	MODEL_GIVE,
	MODEL_GRAVITY, /* about no circle */
	MODEL_KINDS
};

/* A batch of one row. */
struct model_batch {
	/* As it was sent. */
	uint32_t seat, right, id_first, id_count;
	uint32_t circles_max; /* that there may be after a spawn; 0: any number */
	uint64_t sequence, tick_asked;
	enum model_kind kind;
	uint32_t id, other; /* the circle; of MODEL_GIVE the seat that gets it */
	double x, y;
	uint32_t ticks;
	bool skip_missing;

	/* What must become of it. */
	uint64_t tick;
	bool decided;
	bool restored; /* before it was decided; or after, if it was too late: that may be told when it comes, or at its turn */
	const char *reason; /* "": it took effect */
	uint32_t missing;
	bool old;      /* of the past that was replaced */
	bool unsure;   /* for want of memory: whatever was told */
	uint64_t pass; /* in which it was looked at last */
};

struct model_force {
	uint32_t id, ticks;
	double x, y;
};

/* A state, to be returned to. */
struct model_state {
	void *snapshot; /* the engine's; NULL: none is held */
	size_t count;
	uint32_t owner[MODEL_CIRCLES];
	struct model_force forces[MODEL_FORCES];
	size_t force_count;
	uint64_t tick;
};

struct model {
	struct world *world;
	double dt;
	bool refuses_late;
	uint32_t history;      /* ticks that late batches go back; 0: they do not */
	uint64_t begun;        /* its past begins after this tick */
	uint64_t dirty;        /* the least tick of those that came late since the last tick; UINT64_MAX: none did */
	uint64_t pass, remade; /* counts ticks, made again or not; ticks made again */
	uint64_t undone;       /* batches */
	uint64_t bounded;      /* spawns that were refused: there are as many circles as there may be */
	struct model_state states[MODEL_HISTORY_MAX + 1]; /* by tick modulo their number */
	bool failed;                                      /* no tick is made any more */
	uint32_t owner[MODEL_CIRCLES];                    /* by id: a seat, 0: none */
	struct model_force forces[MODEL_FORCES];
	size_t force_count;
	struct model_batch batches[MODEL_BATCHES];
	size_t batch_count;
	uint64_t tick;
};

/* A box with some circles of the ids 1, 2 .. */
void model_init(struct model *model, double dt, uint64_t seed, size_t circles);
void model_finish(struct model *model);
/* The scene that it begins with, for the server. */
struct world_def model_def(uint64_t seed, size_t circles, struct circle_def *circle_rows, struct segment_def *segment_rows);
/* It has reached the world: its tick is settled now. Ticks up to `steps_tick` were asked for before it came. */
struct model_batch *model_receive(struct model *model, const struct model_batch *batch, uint64_t steps_tick);
/* The next tick. */
void model_tick(struct model *model);
void model_keep(const struct model *model, struct model_state *state);
/* What waits must be refused (RESTORED). */
void model_return(struct model *model, const struct model_state *state);
void model_state_free(struct model_state *state);

#endif
