/* worst_scene: scenes of few bodies that are made to take long, from a handful of numbers that a search can change.
 *
 * One thread. A gene is a scene on every machine, up to the libm. */
#ifndef COLLIDED_TESTS_BENCH_WORST_SCENE_H
#define COLLIDED_TESTS_BENCH_WORST_SCENE_H

#include "physics/scenario.h"

#include <stdio.h>

enum { WORST_BODIES_MAX = 64, WORST_TRAITS = 32 };

/* Each trait is in 0..1; what it means is worst_scene.c's. */
struct worst_gene {
	double traits[WORST_TRAITS];
	uint64_t seed; /* of what is random in the scene */
};

struct worst_gene worst_gene_random(uint64_t *random);
/* Some traits others, or only the seed. */
struct worst_gene worst_gene_change(const struct worst_gene *gene, uint64_t *random);
/* Each trait of one or the other. */
struct worst_gene worst_gene_cross(const struct worst_gene *a, const struct worst_gene *b, uint64_t *random);
/* Fills a new scenario; the duration of its ticks. */
double worst_scene(const struct worst_gene *gene, struct scenario *scenario);
/* As text, exactly; reading gives false where there is no gene. */
void worst_gene_write(const struct worst_gene *gene, FILE *out);
bool worst_gene_read(struct worst_gene *gene, FILE *in);
/* As the JSON that `collide run` reads. */
void worst_scene_write(const struct scenario *scenario, FILE *out);

#endif
