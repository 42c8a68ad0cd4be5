/* gen_place: circles at random positions, clear of each other and of all walls so far.
 *
 * One thread at a time; owns the packing, borrows the scene and the random generator. */
#ifndef COLLIDE_CLI_GEN_PLACE_H
#define COLLIDE_CLI_GEN_PLACE_H

#include "client/cli/scene/packing.h"
#include "client/cli/scene/random.h"
#include "client/cli/scene/scene_build.h"

#include <stdbool.h>
#include <stddef.h>

struct gen_area {
	double x1, y1, x2, y2;
};

struct gen_placer {
	struct packing *packing;
	struct scene_build *build;
	struct random *random;
	double gap; /* length */
	/* Whether a centre is inside an area that is not a rectangle; NULL: every point is. Set after gen_placer_init. */
	bool (*inside)(const void *context, double x, double y);
	const void *context;
};

/* `area`: bounds of the circles' centres; at most radius_max and count_max. false: no memory, and *error says so. */
bool gen_placer_init(struct gen_placer *placer, struct scene_build *build, struct random *random, struct gen_area area,
                     double radius_max, double gap, size_t count_max, char *error, size_t error_size);
void gen_placer_finish(struct gen_placer *placer);
/* From now on keeps clear of a circle of the scene. */
void gen_placer_avoid(struct gen_placer *placer, const struct build_circle *circle);
/* Adds `circle` at a free position, wholly inside the area. false: none was found, and *error says so. */
bool gen_placer_put(struct gen_placer *placer, struct gen_area area, struct build_circle circle, char *error,
                    size_t error_size);

#endif
