#include "physics/brute/random_kinds.h"
#include "support/random.h"

/* All segments in a group of their own, which is one-sided to some of the circles' groups. */
static void
one_sided_relate(struct random_scene *scene, uint64_t *state)
{
	if (random_chance(state, 60))
		return;
	for (size_t i = 0; i < scene->def.segment_count; i++)
		scene->segments[i].group = 4;
	for (uint32_t group = 0; group < 4; group++) {
		struct relation_def *relation = &scene->relations[scene->def.relation_count];

		if (random_chance(state, 50)) {
			*relation = relation_def_default();
			relation->group_a = random_chance(state, 50) ? group : 4;
			relation->group_b = relation->group_a == group ? 4 : group;
			relation->kind = RELATION_KIND_ONE_SIDED;
			relation->has_elasticity = random_chance(state, 50);
			relation->elasticity = random_between(state, 0, 1);
			scene->def.relation_count++;
		}
	}
}

void
random_grouped_add(struct random_scene *scene, uint64_t *state)
{
	for (size_t i = 0; i < scene->def.circle_count; i++) {
		scene->circles[i].group = (uint32_t)random_below(state, 4);
		scene->circles[i].filter_group = random_chance(state, 20) ? (int32_t)random_below(state, 5) - 2 : 0;
	}
	for (size_t i = 0; i < scene->def.segment_count; i++) {
		scene->segments[i].group = random_chance(state, 30) ? (uint32_t)random_below(state, 4) : 0;
		scene->segments[i].filter_group = random_chance(state, 10) ? (int32_t)random_below(state, 5) - 2 : 0;
	}
	one_sided_relate(scene, state);
	for (uint32_t a = 0; a < 4; a++) {
		for (uint32_t b = a; b < 4; b++) {
			static const enum relation_kind kinds[] = { RELATION_KIND_BOUNCE, RELATION_KIND_NONE, RELATION_KIND_SENSOR,
				                                        RELATION_KIND_MOVE };
			struct relation_def *relation = &scene->relations[scene->def.relation_count];

			if (random_chance(state, 40))
				continue;
			*relation = relation_def_default();
			relation->group_a = random_chance(state, 50) ? a : b;
			relation->group_b = relation->group_a == a ? b : a;
			relation->kind = kinds[random_below(state, 4)];
			relation->has_elasticity = relation->kind == RELATION_KIND_BOUNCE;
			relation->elasticity = random_chance(state, 50) ? 1 : random_between(state, 0, 1);
			scene->def.relation_count++;
		}
	}
	scene->def.relations = scene->relations;
}
