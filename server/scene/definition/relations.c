#include "base/pause.h"
#include "scene/definition/shape_defs.h"
#include "scene/fields/field_path.h"
#include "scene/fields/kinds.h"

#include <stdio.h>

/* False: its kind has no name. */
static bool
relation_read(const Collide__V1__GroupRelation *relation, struct relation_def *def)
{
	*def = relation_def_default();
	def->group_a = relation->group_a;
	def->group_b = relation->group_b;
	if (relation->optional_weight_a_case == COLLIDE__V1__GROUP_RELATION__OPTIONAL_WEIGHT_A_WEIGHT_A) {
		def->has_weight_a = true;
		def->weight_a = relation->weight_a;
	}
	if (relation->optional_weight_b_case == COLLIDE__V1__GROUP_RELATION__OPTIONAL_WEIGHT_B_WEIGHT_B) {
		def->has_weight_b = true;
		def->weight_b = relation->weight_b;
	}
	if (relation->optional_elasticity_case == COLLIDE__V1__GROUP_RELATION__OPTIONAL_ELASTICITY_ELASTICITY) {
		def->has_elasticity = true;
		def->elasticity = relation->elasticity;
	}
	return kind_relation(relation->kind, &def->kind);
}

enum status
shapes_relations(struct arena *arena, const Collide__V1__Scene *scene, const char *path, const struct relation_def **out,
                 size_t *count, struct diagnostics *diagnostics)
{
	struct relation_def *defs = arena_array(arena, scene->n_relations, sizeof *defs);
	enum status status = STATUS_OK;

	if (!defs)
		return wire_problem_set(diagnostics->problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", path, "no memory for its relations");
	for (size_t i = 0; status == STATUS_OK && i < scene->n_relations && !pause_after(4); i++) {
		if (!relation_read(scene->relations[i], &defs[i])) {
			struct path_place place = { .path = path, .list = "relations", .name = "kind", .index = i };
			char text[sizeof diagnostics->problem->text];

			(void)snprintf(text, sizeof text, "%d is not a RelationKind", (int)scene->relations[i]->kind);
			status = path_problem(diagnostics->problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", place, text);
			status = diagnostics_add(diagnostics, status);
		}
	}
	*out = defs;
	*count = scene->n_relations;
	return status;
}
