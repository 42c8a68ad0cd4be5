/* relate: relations between groups, for tests of the engine. */
#ifndef COLLIDED_TESTS_PHYSICS_RELATE_H
#define COLLIDED_TESTS_PHYSICS_RELATE_H

#include "physics/scenario.h"

static inline struct relation_def
related(uint32_t a, uint32_t b, enum relation_kind kind)
{
	struct relation_def relation = relation_def_default();
	relation.group_a = a;
	relation.group_b = b;
	relation.kind = kind;
	return relation;
}

static inline struct relation_def
weighted(struct relation_def relation, double a, double b)
{
	relation.has_weight_a = relation.has_weight_b = true;
	relation.weight_a = a;
	relation.weight_b = b;
	return relation;
}

static inline void
relations_put(struct scenario *scenario, const struct relation_def *relations, size_t count)
{
	scenario->def.relations = relations;
	scenario->def.relation_count = count;
}

#endif
