/* Reads the rows of rules, tags and switches. What can go wrong: values out of their range, groups that have two rules,
 * switches of walls that are not there or that the map cannot switch; memory. */
#include "base/pause.h"
#include "physics/state/snapshot_rows.h"
#include "physics/world/body_rule.h"
#include "physics/world/wall_switch.h"

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
	for (uint32_t i = 0; i < world->bodies.count && world->bodies.rules && !pause_after(1); i++) {
		struct body_rule *rule = &world->bodies.rules[i];

		if (!row_get(bytes + places->rules, i, &snapshot_rule_table, rule, problem))
			return false;
		if (rule->stop_groups & rule->remove_groups)
			return problem_set(problem, "rules.remove_groups", i, "must have no group of stop_groups");
		if (rule->report_groups & (rule->stop_groups | rule->remove_groups))
			return problem_set(problem, "rules.report_groups", i, "must have no group of stop_groups or remove_groups");
	}
	for (uint32_t i = 0; i < world->bodies.count && world->bodies.tags && !pause_after(1); i++)
		if (!row_get(bytes + places->tags, i, &snapshot_tag_table, &world->bodies.tags[i], problem))
			return false;
	return true;
}

/* Which walls are disabled. Of a map's that may be others than it says. */
enum status
snapshot_switches_get(struct world *world, const uint8_t *rows, size_t count, struct snapshot_problem *problem)
{
	struct walls *walls = &world->walls;
	const size_t words = walls_off_words(walls);

	if (count == 0)
		return walls_off_find(walls) ? STATUS_OK : STATUS_RESOURCE_EXHAUSTED;
	if (count != words) {
		problem_set(problem, "counts.switches", 0, "must be a number of 64 bits for each 64 walls of the map, or none");
		return STATUS_INVALID_ARGUMENT;
	}
	if (!walls_off_copy(walls))
		return STATUS_RESOURCE_EXHAUSTED;
	for (size_t k = 0; k < words && !pause_after(1); k++)
		if (!row_get(rows, k, &snapshot_switch_table, &walls->off[k], problem))
			return STATUS_INVALID_ARGUMENT;
	if (walls->off[words - 1] >> walls->segment_count % 64) {
		problem_set(problem, "switches.off", words - 1, "must have no bit without a wall");
		return STATUS_INVALID_ARGUMENT;
	}
	for (uint32_t i = 0; i < walls->segment_count && !pause_after(1); i++) {
		if (wall_is_off(walls, i) == walls->segments[i].disabled || !wall_is_tied(&walls->segments[i]))
			continue;
		problem_set(problem, "switches.off", i / 64, "disables a wall at an end that the map does not have");
		return STATUS_INVALID_ARGUMENT;
	}
	return STATUS_OK;
}
