/* all_pairs: all pairs of a scene that touch or overlap, or would while they move: detect.h over many shapes.
 *
 * One thread at a time, any thread. Owns copies of what it needs of the definition, and trees of boxes that give the candidates
 * of a shape. No other memory depends on the number of pairs. Pairs are returned one by one, in the order of ids. */
#ifndef COLLIDED_PHYSICS_ALL_PAIRS_H
#define COLLIDED_PHYSICS_ALL_PAIRS_H

#include "physics/detect.h"

struct survey_settings {
	struct tolerance tolerance;
	double duration;      /* 0: only as they are at the start */
	enum reading reading; /* of circles in pairs with segments */
	bool skin;            /* sweeps make contact at the engine's skin */
};

struct survey_pair {
	uint32_t a, b; /* ids; a is a circle, the lower id if both are */
	bool segment;  /* b is a segment */
	struct closeness closeness;
	struct sweep sweep; /* if duration > 0 */
};

/* Results for all tested pairs, whether or not they were returned. */
struct survey_counts {
	uint64_t tested;       /* pairs that were computed: their boxes, movement included, overlap and their masks let them meet */
	uint64_t relations[3]; /* by enum relation */
	uint64_t sweeps[SWEEP_OUTCOMES]; /* by enum sweep_outcome */
};

struct survey;

/* Checks the definition as world_create does, ids included. Gravity and kinds do not matter here: movement is straight, and
 * static circles meet each other too. Masks and groups are respected, and pairs that relations make sensors are reported.
 * STATUS_INVALID_ARGUMENT: *problem says which field. STATUS_RESOURCE_EXHAUSTED: no memory. */
STATUS_MUST_USE enum status survey_create(const struct world_def *def, const struct survey_settings *settings,
                                          struct def_problem *problem, struct survey **out);
void survey_destroy(struct survey *survey);

enum survey_progress {
	SURVEY_PAIR, /* the next pair is in *out */
	SURVEY_IDLE, /* some work was done and nothing found: call again */
	SURVEY_DONE,
	SURVEY_NO_MEMORY,
};

/* The next pair that touches, overlaps, or hits within the duration: ascending by a; for one a circles before segments,
 * ascending by b. A call is short: one circle's candidates, or a few hundred pairs. */
enum survey_progress survey_next(struct survey *survey, struct survey_pair *out);

const struct survey_counts *survey_counts(const struct survey *survey);
size_t survey_memory_bytes(const struct survey *survey);

#endif
