/* body_rule: what few circles have: contact rules, a lifetime, an ignored circle, and tags. Columns of struct bodies that are
 * not there (NULL) in a world where no circle has any of it. */
#ifndef COLLIDED_WORLD_BODY_RULE_H
#define COLLIDED_WORLD_BODY_RULE_H

#include "physics/world/world.h"

/* As in struct circle_def. Definition, but for the lifetimes and `ignore`, which are state: what is left, and IGNORE_NONE once
 * they have parted. */
struct body_rule {
	uint64_t stop_groups, remove_groups, report_groups;
	double lifetime_s;
	uint32_t lifetime_ticks;
	uint32_t ignored; /* id */
	/* Within a tick that they begin (ignored_circle.h): the first of those that ignore this circle until they are apart, and
	 * the next that ignores the same one as this does. NONE: none. */
	uint32_t first_ignorer, next_ignorer;
	uint8_t ignore; /* enum ignore */
};

struct body_rule body_rule_of(const struct circle_def *def);
/* Whether a circle has anything of it. */
bool body_rule_any(const struct body_rule *rule);
/* Allocates columns for `count` bodies as needed, zeroed. False without memory; what is there already is freed by
 * body_columns_free. */
bool body_rules_alloc(struct bodies *bodies, bool rules, bool tags);
/* The same as the definitions need it. */
bool body_rules_alloc_for(struct bodies *bodies, const struct circle_def *circles, size_t count);
/* Frees those in which no body has anything. */
void body_rules_trim(struct bodies *bodies);
/* Sets what the world's settings say of them: rules, lifetimes, ignores. */
void body_rules_derive(struct world *world);

#endif
