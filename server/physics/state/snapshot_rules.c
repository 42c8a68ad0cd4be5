/* Reads the rows of rules and tags. What can go wrong: values out of their range, or groups that have two rules. */
#include "physics/state/snapshot_rows.h"
#include "physics/world/body_rule.h"

static bool
problem_set(struct snapshot_problem *problem, const char *field, size_t index, const char *text)
{
	*problem = (struct snapshot_problem){ .field = field, .index = index, .text = text };
	return false;
}

static bool
row_get(const uint8_t *rows, size_t index, const struct snapshot_table *table, void *row, struct snapshot_problem *problem)
{
	const struct snapshot_field *bad = snapshot_row_get(rows, index, table, (void *const[]){ row });

	return !bad || problem_set(problem, bad->name, index, "is out of its range");
}

bool
snapshot_rules_get(struct world *world, const uint8_t *bytes, const struct snapshot_places *places,
                   struct snapshot_problem *problem)
{
	for (uint32_t i = 0; i < world->bodies.count && world->bodies.rules; i++) {
		struct body_rule *rule = &world->bodies.rules[i];

		if (!row_get(bytes + places->rules, i, &snapshot_rule_table, rule, problem))
			return false;
		if (rule->stop_groups & rule->remove_groups)
			return problem_set(problem, "rules.remove_groups", i, "must have no group of stop_groups");
		if (rule->report_groups & (rule->stop_groups | rule->remove_groups))
			return problem_set(problem, "rules.report_groups", i, "must have no group of stop_groups or remove_groups");
	}
	for (uint32_t i = 0; i < world->bodies.count && world->bodies.tags; i++)
		if (!row_get(bytes + places->tags, i, &snapshot_tag_table, &world->bodies.tags[i], problem))
			return false;
	return true;
}
