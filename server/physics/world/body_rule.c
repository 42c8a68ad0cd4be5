#include "physics/world/body_rule.h"

#include "base/memory.h"
#include "base/pause.h"

struct body_rule
body_rule_of(const struct circle_def *def)
{
	return (struct body_rule){
		.stop_groups = def->stop_groups,
		.remove_groups = def->remove_groups,
		.report_groups = def->report_groups,
		.lifetime_s = def->lifetime_s,
		.lifetime_ticks = def->lifetime_ticks,
		.ignored = def->ignored_circle,
		.ignore = (uint8_t)def->ignore,
	};
}

bool
body_rule_any(const struct body_rule *rule)
{
	return (rule->stop_groups | rule->remove_groups | rule->report_groups | rule->lifetime_ticks | rule->ignored) != 0 ||
	       rule->lifetime_s != 0.0 || rule->ignore != IGNORE_NONE;
}

/* body_rule_any of its rule. */
static bool
def_has_rule(const struct circle_def *def)
{
	uint64_t groups = def->stop_groups | def->remove_groups | def->report_groups;

	return (groups | def->lifetime_ticks | def->ignored_circle) != 0 || def->lifetime_s != 0.0 || def->ignore != IGNORE_NONE;
}

bool
body_rules_alloc(struct bodies *bodies, bool rules, bool tags)
{
	size_t count = (size_t)bodies->count + 1;

	bodies->rules = rules ? memory_zeroed(count, sizeof *bodies->rules) : NULL;
	bodies->tags = tags ? memory_zeroed(count, sizeof *bodies->tags) : NULL;
	return (bodies->rules || !rules) && (bodies->tags || !tags);
}

bool
body_rules_alloc_for(struct bodies *bodies, const struct circle_def *circles, size_t count)
{
	bool rules = false, tags = false;

	for (size_t i = 0; i < count && !pause_after(2); i++) {
		rules = rules || def_has_rule(&circles[i]);
		tags = tags || circles[i].tag != 0;
	}
	return body_rules_alloc(bodies, rules, tags);
}

void
body_rules_trim(struct bodies *bodies)
{
	bool rules = false, tags = false;

	for (uint32_t i = 0; i < bodies->count && !rules && bodies->rules && !pause_after(1); i++)
		rules = body_rule_any(&bodies->rules[i]);
	for (uint32_t i = 0; i < bodies->count && !tags && bodies->tags && !pause_after(1); i++)
		tags = bodies->tags[i] != 0;
	if (!rules) {
		memory_free(bodies->rules);
		bodies->rules = NULL;
	}
	if (!tags) {
		memory_free(bodies->tags);
		bodies->tags = NULL;
	}
}

void
body_rules_derive(struct world *world)
{
	struct world_settings *settings = &world->settings;

	settings->rules = settings->lifetimes = settings->ignores = false;
	for (uint32_t i = 0; i < world->bodies.count && world->bodies.rules && !pause_after(2); i++) {
		const struct body_rule *rule = &world->bodies.rules[i];

		settings->rules = settings->rules || (rule->stop_groups | rule->remove_groups | rule->report_groups) != 0;
		settings->lifetimes = settings->lifetimes || rule->lifetime_ticks != 0 || rule->lifetime_s != 0.0;
		settings->ignores = settings->ignores || rule->ignore != IGNORE_NONE;
	}
}
