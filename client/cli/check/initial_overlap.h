/* initial_overlap: shapes of a scene that overlap before it begins. Any thread. */
#ifndef COLLIDE_CLI_INITIAL_OVERLAP_H
#define COLLIDE_CLI_INITIAL_OVERLAP_H

#include "physics/physics.h"

#include <stdbool.h>
#include <stddef.h>

struct initial_overlap {
	size_t circle; /* index in the definition; the later one of two circles */
	size_t other;  /* index of the other circle, or of the segment */
	bool with_segment;
	double depth;
};

typedef void (*initial_overlap_fn)(void *context, const struct initial_overlap *overlap);

/* Reports pairs that can collide and overlap by more than the engine calls touching. At least one of the pair is dynamic. The
 * bound is the larger of 2^-46 of the largest coordinate and 1e-9 of the smaller radius. Values must be those that world_create
 * accepts. Stops after as many pairs as the engine takes. false: no memory. */
bool initial_overlaps_find(const struct world_def *def, initial_overlap_fn report, void *context);

#endif
