/* all_pairs: all pairs of a scene that touch or overlap, or would while they move: detect.h over many shapes.
 *
 * One thread at a time, any thread. Owns copies of what it needs of the definition, and trees of boxes that give the candidates
 * of a shape. No other memory depends on the number of pairs. Pairs are returned one by one, in the order of ids. */
#ifndef COLLIDED_PHYSICS_ALL_PAIRS_H
#define COLLIDED_PHYSICS_ALL_PAIRS_H

#include "physics/detect.h"

struct all_pairs_settings {
	struct tolerance tolerance;
	double duration;      /* 0: only as they are at the start */
	enum reading reading; /* of circles in pairs with segments */
	bool skin;            /* sweeps make contact at the engine's skin */
};

struct all_pairs_row {
	uint32_t a, b; /* ids; a is a circle, the lower id if both are */
	bool segment;  /* b is a segment */
	struct shape_distance distance;
	struct sweep sweep; /* if duration > 0 */
};

/* Results for all tested pairs, whether or not they were returned. */
struct all_pairs_counts {
	uint64_t tested;       /* pairs that were computed: their boxes, movement included, overlap and their masks let them meet */
	uint64_t relations[3]; /* by enum relation */
	uint64_t sweeps[SWEEP_OUTCOMES]; /* by enum sweep_outcome */
};

struct all_pairs;

/* Checks the definition as world_create does, ids included. Gravity and kinds do not matter here: movement is straight, and
 * static circles meet each other too. Masks and groups are respected, and pairs that relations make sensors are reported.
 * STATUS_INVALID_ARGUMENT: *problem says which field. STATUS_RESOURCE_EXHAUSTED: no memory. */
STATUS_MUST_USE enum status all_pairs_create(const struct world_def *def, const struct all_pairs_settings *settings,
                                             struct def_problem *problem, struct all_pairs **out);
void all_pairs_destroy(struct all_pairs *all_pairs);

enum all_pairs_progress {
	SURVEY_PAIR, /* the next pair is in *out */
	SURVEY_IDLE, /* some work was done and nothing found: call again */
	SURVEY_DONE,
	SURVEY_NO_MEMORY,
};

/* The next pair that touches, overlaps, or hits within the duration: ascending by a; for one a circles before segments,
 * ascending by b. A call is short: one circle's candidates, or a few hundred pairs. */
enum all_pairs_progress all_pairs_next(struct all_pairs *all_pairs, struct all_pairs_row *out);

const struct all_pairs_counts *all_pairs_counts(const struct all_pairs *all_pairs);
size_t all_pairs_memory_bytes(const struct all_pairs *all_pairs);

#endif
