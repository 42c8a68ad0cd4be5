/* quantized_states: what all readers of an encoder have of a world within a tolerance, and what they are told of it.
 *
 * Each update the model goes on by its readers' own rule (WorldUpdate.quantized of the schema). Of a circle that is then too
 * far from where it really is, a place on a grid is told. So the tolerance holds by construction, whatever the world does. */
#ifndef COLLIDED_WORLDS_QUANTIZED_QUANTIZED_STATES_H
#define COLLIDED_WORLDS_QUANTIZED_QUANTIZED_STATES_H

#include "base/status.h"
#include "physics/physics.h"
#include "worlds/quantized/bit_coder.h"
#include "worlds/quantized/limited_choice.h"
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
	uint32_t stale;  /* with bytes limited: ticks in a row for which it was told to be beyond its tolerance */
	struct rule_scores scores;
};

/* Where `stale` ends to be counted: 17 minutes at 1,000 Hz. */
#define QUANTIZED_STALE_MAX (1u << 20)

/* Kinds of bits. */
struct quantized_contexts {
	struct bit_context told[QUANTIZED_MODES][QUANTIZED_HISTORIES];
	struct bit_context straight[QUANTIZED_MODES], driven[QUANTIZED_MODES]; /* by the mode before */
	struct bit_context exact;
	struct bit_context rule[VELOCITY_RULES][3]; /* by the rule before; a tree of two bits */
	struct bit_context turns[2], spin_rule[3];  /* by whether it has a spin */
	struct bit_context place[2][NUMBER_CONTEXTS], velocity[2][NUMBER_CONTEXTS];
	struct bit_context angle[NUMBER_CONTEXTS], spin[NUMBER_CONTEXTS];
	/* With bytes limited only. */
	struct bit_context told_stale[QUANTIZED_HISTORIES];
	struct bit_context stale[QUANTIZED_MODES][2]; /* by whether it was so before */
};

/* Of how many of them readers know. */
static inline size_t
quantized_context_count(bool limited)
{
	size_t all = sizeof(struct quantized_contexts), last = QUANTIZED_HISTORIES + 2 * QUANTIZED_MODES;

	return all / sizeof(struct bit_context) - (limited ? 0 : last);
}

/* Initialize with all 0 and the settings. */
struct quantized_states {
	double tolerance, driven_tolerance; /* the settings: length units; > 0 */
	double dt;
	struct region region; /* only circles near to it are told */
	bool limited;         /* what does not fit into the bytes of an update is left out */

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
	/* With bytes limited: the largest error of circles that were left out, and how many are not told of yet. */
	double stale_error;
	size_t waiting_count;
	struct limited_choice choice;
};

void quantized_states_finish(struct quantized_states *states);
/* Takes the world as it is: readers begin with a key. False without memory. */
STATUS_MUST_USE bool quantized_states_begin(struct quantized_states *states, const struct world *world);
/* Takes the world after `ticks` more ticks, and appends what readers are told of circles that they have. `defined`: ids of
 * those that are told anew anyhow, ascending. Then `gone` and `anew` (with these) are set. False without memory. */
STATUS_MUST_USE bool quantized_states_update(struct quantized_states *states, const struct world *world, uint64_t ticks,
                                             const uint32_t *defined, size_t defined_count, struct buffer *out);
/* The same with bytes limited: `bytes` are for all of this. */
STATUS_MUST_USE bool quantized_states_update_limited(struct quantized_states *states, const struct world *world, uint64_t ticks,
                                                     const uint32_t *defined, size_t defined_count, size_t bytes,
                                                     struct buffer *out);
/* With bytes limited: what those of `anew` have taken. */
void quantized_states_note_anew(struct quantized_states *states, size_t bytes);

/* Whether its readers have this circle. */
bool quantized_states_have(const struct quantized_states *states, uint32_t id);

#endif
