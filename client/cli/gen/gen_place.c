#include "client/cli/gen/gen_place.h"

#include <stdio.h>

/* Draws per circle before giving up. */
enum { DRAWS_MAX = 20000 };

bool
gen_placer_init(struct gen_placer *placer, struct scene_build *build, struct random *random, struct gen_area area,
                double radius_max, double gap, size_t count_max, char *error, size_t error_size)
{
	*placer = (struct gen_placer){ .build = build, .random = random, .gap = gap };
	placer->packing = packing_create(area.x1, area.y1, area.x2, area.y2, radius_max, count_max);
	if (!placer->packing)
		snprintf(error, error_size, "no memory");
	return placer->packing != NULL;
}

void
gen_placer_finish(struct gen_placer *placer)
{
	packing_destroy(placer->packing);
}

void
gen_placer_avoid(struct gen_placer *placer, const struct build_circle *circle)
{
	packing_add(placer->packing, circle->x, circle->y, circle->radius);
}

bool
gen_placer_put(struct gen_placer *placer, struct gen_area area, struct build_circle circle, char *error, size_t error_size)
{
	/* Rounding moves a position by at most half of 1e-6. */
	double margin = circle.radius + placer->gap + 1e-6;
	for (int draw = 0; draw < DRAWS_MAX && area.x1 + margin < area.x2 - margin && area.y1 + margin < area.y2 - margin; draw++) {
		circle.x = round_position(random_between(placer->random, area.x1 + margin, area.x2 - margin));
		circle.y = round_position(random_between(placer->random, area.y1 + margin, area.y2 - margin));
		if (placer->inside && !placer->inside(placer->context, circle.x, circle.y))
			continue;
		if (packing_is_free(placer->packing, circle.x, circle.y, circle.radius, placer->gap) &&
		    scene_build_is_clear(placer->build, circle.x, circle.y, circle.radius + placer->gap)) {
			gen_placer_avoid(placer, &circle);
			scene_build_circle(placer->build, circle);
			return true;
		}
	}
	snprintf(error, error_size, "only %zu circles fit; try fewer, or a smaller radius", placer->build->circle_count);
	return false;
}
