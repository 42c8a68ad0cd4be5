/* quantized_states: what all readers of an encoder have of a world within a tolerance, and what they are told of it.
 *
 * Each update the model goes on by its readers' own rule (WorldUpdate.quantized of the schema). Of a circle that is then too
 * far from where it really is, a place on a grid is told. So the tolerance holds by construction, whatever the world does. */
#ifndef COLLIDED_WORLDS_QUANTIZED_QUANTIZED_STATES_H
#define COLLIDED_WORLDS_QUANTIZED_QUANTIZED_STATES_H

#include "base/status.h"
#include "physics/physics.h"
#include "worlds/quantized/bit_coder.h"
#include "worlds/quantized/velocity_rule.h"
#include "worlds/region.h"

/* How a circle goes on: as the engine has one that is free, or straight. */
enum quantized_mode { QUANTIZED_FREE, QUANTIZED_STRAIGHT, QUANTIZED_DRIVEN, QUANTIZED_MODES };

#define QUANTIZED_HISTORIES 8

/* The reader's: two numbers of each, x and y. */
struct quantized_motion {
	double place[2], velocity[2];
	double angle, spin;
};

struct quantized_circle {
	struct quantized_motion seen; /* as readers have it, */
	struct quantized_motion real; /* and as it was, both at the last update; */
	double mean[2];               /* and its mean velocity since the one before */
	double gravity[2], keep, spin_keep, radius;
	uint32_t id;
	bool dynamic;
	uint8_t mode;    /* enum quantized_mode */
	uint8_t history; /* in which of the last three updates it was told, the last in the lowest bit */
	uint8_t rule;    /* enum velocity_rule: what was told last */
	struct rule_scores scores;
};

/* Kinds of bits. */
struct quantized_contexts {
	struct bit_context told[QUANTIZED_MODES][QUANTIZED_HISTORIES];
	struct bit_context straight[QUANTIZED_MODES], driven[QUANTIZED_MODES]; /* by the mode before */
	struct bit_context exact;
	struct bit_context rule[VELOCITY_RULES][3]; /* by the rule before; a tree of two bits */
	struct bit_context turns[2], spin_rule[3];  /* by whether it has a spin */
	struct bit_context place[2][NUMBER_CONTEXTS], velocity[2][NUMBER_CONTEXTS];
	struct bit_context angle[NUMBER_CONTEXTS], spin[NUMBER_CONTEXTS];
};

/* Initialize with all 0 and the settings. */
struct quantized_states {
	double tolerance, driven_tolerance; /* the settings: length units; > 0 */
	double dt;
	struct region region; /* only circles near to it are told */

	bool begun;
	double speed_max;
	double box[4];                    /* where the region is: x0, y0, x1, y1 */
	struct quantized_circle *circles; /* ascending by id */
	size_t count, capacity;
	struct quantized_circle *spare; /* room for the next list */
	size_t spare_capacity;
	struct body_motion *motions; /* of the world's circles that are told, at the update */
	size_t motion_count, motion_capacity;
	struct quantized_contexts contexts;
	/* Of the last update. Ids of circles that are gone, and that are to be told anew. */
	uint32_t *gone, *anew;
	size_t gone_count, gone_capacity, anew_count, anew_capacity;
};

void quantized_states_finish(struct quantized_states *states);
/* Takes the world as it is: readers begin with a key. False without memory. */
STATUS_MUST_USE bool quantized_states_begin(struct quantized_states *states, const struct world *world);
/* Takes the world after `ticks` more ticks, and appends what readers are told of circles that they have. `defined`: ids of
 * those that are told anew anyhow, ascending. Then `gone` and `anew` (with these) are set. False without memory. */
STATUS_MUST_USE bool quantized_states_update(struct quantized_states *states, const struct world *world, uint64_t ticks,
                                             const uint32_t *defined, size_t defined_count, struct buffer *out);

/* Whether its readers have this circle. */
bool quantized_states_have(const struct quantized_states *states, uint32_t id);

#endif
