/* relation: the table of relations between groups.
 *
 * Immutable once made, so any number of threads may read it. Owns a copy of the definitions, sorted by pair of groups. */
#ifndef COLLIDED_WORLD_RELATION_H
#define COLLIDED_WORLD_RELATION_H

#include "physics/physics.h"

/* Pairs of groups. */
enum { RELATIONS_MAX = PHYSICS_GROUPS * (PHYSICS_GROUPS + 1) / 2 };

struct relations {
	size_t count;
	uint64_t sensing;                               /* bits of groups that are a SENSOR to some group */
	uint64_t one_sided;                             /* bits of groups that are ONE_SIDED to some group */
	uint16_t place[PHYSICS_GROUPS][PHYSICS_GROUPS]; /* index of a pair's definition, in either order, plus 1; 0: none */
	struct relation_def defs[];
};

/* Finds the first problem in reading order; false if there is one. */
bool relations_check(const struct relation_def *defs, size_t count, struct def_problem *problem);
/* From checked definitions, in any order. NULL if there are none, or without memory. */
struct relations *relations_create(const struct relation_def *defs, size_t count);
void relations_destroy(struct relations *relations);
size_t relations_memory_bytes(const struct relations *relations);

/* NULL if there is none. `relations` may be NULL: there are none. */
static inline const struct relation_def *
relation_find(const struct relations *relations, uint8_t a, uint8_t b)
{
	uint16_t place = relations ? relations->place[a][b] : 0;

	return place ? &relations->defs[place - 1] : NULL;
}

static inline bool
relation_one_sided(const struct relations *relations, uint8_t a, uint8_t b)
{
	const struct relation_def *relation = relation_find(relations, a, b);

	return relation && relation->kind == RELATION_KIND_ONE_SIDED;
}

/* Whether a group is ONE_SIDED to some group. */
static inline bool
relations_one_sided(const struct relations *relations, uint8_t group)
{
	return relations && (relations->one_sided >> group & 1);
}

/* The weights of two circles by a relation (NULL: none); `first` is the group of the first. False: the masses count. */
bool relation_weights(const struct relation_def *relation, uint8_t first, double weights[2]);

#endif
