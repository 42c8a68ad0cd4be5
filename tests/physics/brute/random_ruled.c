#include "physics/brute/random_kinds.h"
#include "support/random.h"

/* A circle within the one that it ignores. */
static void
shell_add(struct circle_def *shell, const struct circle_def *owner, uint64_t *state)
{
	shell->x = owner->x + random_between(state, -0.7, 0.7) * owner->radius;
	shell->y = owner->y + random_between(state, -0.7, 0.7) * owner->radius;
	shell->ignore = random_chance(state, 80) ? IGNORE_UNTIL_APART : IGNORE_ALWAYS;
	shell->ignored_circle = owner->id;
}

void
random_ruled_add(struct random_scene *scene, uint64_t *state)
{
	unsigned int ruled = random_chance(state, 80) ? 40 : 0, living = random_chance(state, 60) ? 30 : 0;
	unsigned int shells = random_chance(state, 50) ? 15 : 0;

	for (size_t i = 0; i < scene->def.segment_count; i++)
		scene->segments[i].group = (uint32_t)random_below(state, 3);
	for (size_t i = 0; i < scene->def.circle_count; i++) {
		struct circle_def *circle = &scene->circles[i];

		circle->group = (uint32_t)random_below(state, 3);
		if (random_chance(state, ruled)) {
			circle->stop_groups = random_chance(state, 50) ? random_below(state, 8) : 0;
			circle->remove_groups = random_chance(state, 50) ? random_below(state, 8) & ~circle->stop_groups : 0;
			circle->report_groups = random_below(state, 8) & ~(circle->stop_groups | circle->remove_groups);
			circle->report_groups = random_chance(state, 30) ? circle->report_groups : 0;
		}
		if (random_chance(state, living)) {
			circle->lifetime_ticks = random_chance(state, 50) ? (uint32_t)random_below(state, 5) : 0;
			circle->lifetime_s = random_chance(state, 70) ? random_between(state, 0, 5) * scene->dt : 0;
		}
		if (i > 0 && random_chance(state, shells))
			shell_add(circle, &scene->circles[random_below(state, i)], state);
	}
}
