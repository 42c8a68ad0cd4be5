#include "physics/world/relation.h"

#include "base/memory.h"

static bool
problem_set(struct def_problem *problem, enum def_field field, size_t index, const char *text)
{
	*problem = (struct def_problem){ .field = field, .index = index, .text = text };
	return false;
}

static bool
weight_good(double weight)
{
	return weight >= 0.0 && weight <= PHYSICS_WEIGHT_MAX; /* false for NaN */
}

static bool
weights_check(const struct relation_def *r, size_t index, struct def_problem *problem)
{
	static const char range[] = "must be from 0 to 1e15";
	bool given = r->has_weight_a || r->has_weight_b;
	double a = r->has_weight_a ? r->weight_a : 1.0, b = r->has_weight_b ? r->weight_b : 1.0;
	enum def_field field = r->has_weight_a ? DEF_RELATION_WEIGHT_A : DEF_RELATION_WEIGHT_B;

	if (given && r->kind != RELATION_KIND_BOUNCE && r->kind != RELATION_KIND_MOVE)
		return problem_set(problem, field, index, "has no meaning for this kind; leave it out");
	if (!weight_good(a))
		return problem_set(problem, DEF_RELATION_WEIGHT_A, index, range);
	if (!weight_good(b))
		return problem_set(problem, DEF_RELATION_WEIGHT_B, index, range);
	if (given && a == 0.0 && b == 0.0)
		return problem_set(problem, DEF_RELATION_WEIGHT_B, index, "must not be 0 as well: one of the two has to yield less");
	if (given && r->group_a == r->group_b && a != b)
		return problem_set(problem, field, index, "must be the other's: within one group no circle is a and none is b");
	return true;
}

static bool
relation_check(const struct relation_def *r, size_t index, struct def_problem *problem)
{
	if (r->group_a >= PHYSICS_GROUPS)
		return problem_set(problem, DEF_RELATION_GROUP_A, index, "must be from 0 to 63");
	if (r->group_b >= PHYSICS_GROUPS)
		return problem_set(problem, DEF_RELATION_GROUP_B, index, "must be from 0 to 63");
	if ((unsigned)r->kind > RELATION_KIND_ONE_SIDED)
		return problem_set(problem, DEF_RELATION_KIND, index, "must be one of the named kinds");
	if (!weights_check(r, index, problem))
		return false;
	if (r->has_elasticity && r->kind != RELATION_KIND_BOUNCE && r->kind != RELATION_KIND_ONE_SIDED)
		return problem_set(problem, DEF_RELATION_ELASTICITY, index, "has no meaning for this kind; leave it out");
	if (r->has_elasticity && !(r->elasticity >= 0.0 && r->elasticity <= 1.0))
		return problem_set(problem, DEF_RELATION_ELASTICITY, index, "must be from 0 to 1");
	return true;
}

bool
relations_check(const struct relation_def *defs, size_t count, struct def_problem *problem)
{
	if (count == 0) /* nearly always: not worth clearing a table */
		return true;

	bool seen[PHYSICS_GROUPS][PHYSICS_GROUPS] = { { false } };

	for (size_t i = 0; i < count; i++) {
		uint32_t a = defs[i].group_a, b = defs[i].group_b;

		if (!relation_check(&defs[i], i, problem))
			return false;
		if (seen[a][b])
			return problem_set(problem, DEF_RELATION_GROUP_B, i, "is related to group_a already; one relation for two groups");
		seen[a][b] = seen[b][a] = true;
	}
	return true;
}

struct relations *
relations_create(const struct relation_def *defs, size_t count)
{
	if (count == 0 || count > RELATIONS_MAX)
		return NULL;

	uint16_t given[PHYSICS_GROUPS][PHYSICS_GROUPS] = { { 0 } };
	struct relations *relations = memory_zeroed(1, sizeof *relations + count * sizeof *relations->defs);

	if (!relations)
		return NULL;
	for (size_t i = 0; i < count; i++)
		given[defs[i].group_a][defs[i].group_b] = given[defs[i].group_b][defs[i].group_a] = (uint16_t)(i + 1);
	for (uint32_t a = 0; a < PHYSICS_GROUPS; a++) {
		for (uint32_t b = a; b < PHYSICS_GROUPS; b++) {
			if (given[a][b] == 0)
				continue;
			relations->defs[relations->count++] = defs[given[a][b] - 1];
			relations->place[a][b] = relations->place[b][a] = (uint16_t)relations->count;
			if (relations->defs[relations->count - 1].kind == RELATION_KIND_SENSOR)
				relations->sensing |= UINT64_C(1) << a | UINT64_C(1) << b;
			if (relations->defs[relations->count - 1].kind == RELATION_KIND_ONE_SIDED)
				relations->one_sided |= UINT64_C(1) << a | UINT64_C(1) << b;
		}
	}
	return relations;
}

void
relations_destroy(struct relations *relations)
{
	memory_free(relations);
}

size_t
relations_memory_bytes(const struct relations *relations)
{
	return relations ? sizeof *relations + relations->count * sizeof *relations->defs : 0;
}

bool
relation_weights(const struct relation_def *relation, uint8_t first, double weights[2])
{
	if (!relation)
		return false;

	bool one_sided = relation->kind == RELATION_KIND_ONE_SIDED && relation->group_a != relation->group_b;
	double a = one_sided ? 0.0 : relation->has_weight_a ? relation->weight_a : 1.0;
	double b = relation->has_weight_b ? relation->weight_b : 1.0;
	bool is_a = first == relation->group_a;

	weights[0] = is_a ? a : b;
	weights[1] = is_a ? b : a;
	return one_sided || relation->has_weight_a || relation->has_weight_b;
}
