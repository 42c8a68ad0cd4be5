/* generate: scenes that degenerate on purpose.
 *
 * A family draws a scene of size about 1 to 10, radii about 1/2, near the origin. Then all of it is scaled and moved: radii
 * from 1e-9 to 1e6, offsets of 0 to 1e9. Each coordinate is moved by 0, 1, 2, 16 or 64 ulp either way. */
#ifndef COLLIDED_TESTS_OUTSIDE_GENERATE_H
#define COLLIDED_TESTS_OUTSIDE_GENERATE_H

#include "outside/draft.h"

/* A family; draws from draft->random alone. */
typedef void (*generate_fn)(struct draft *draft);

struct generate_family {
	const char *name;
	generate_fn make;
	double weight; /* how often, among all */
};

extern const struct generate_family generate_families[];
extern const size_t generate_family_count;

/* The scene of a seed; `family` is its index, or generate_family_count: as the seed has it. Returns the family's index. With
 * `rules` all have contact rules, lifetimes and the like, and a quarter of those of no given family are of "ruled". */
size_t generate(struct draft *draft, uint64_t seed, size_t family, bool rules);
/* Lengths times `scale`, then moved. Times stay, so speeds and accelerations are scaled too. */
void generate_place(struct draft *draft, double scale, double x, double y);
/* Each coordinate by up to `ulps`: 0, or one of 1, 2, 16, 64 either way. */
void generate_nudge(struct draft *draft, unsigned ulps);

void generate_analytic(struct draft *draft);
void generate_polygon(struct draft *draft);
void generate_chain(struct draft *draft);
void generate_junction(struct draft *draft);
void generate_wedge(struct draft *draft);
void generate_tangent(struct draft *draft);
void generate_lattice(struct draft *draft);
void generate_map(struct draft *draft);
void generate_soup(struct draft *draft);
void generate_ruled(struct draft *draft);
/* To a scene of another family, before it is placed. */
void generate_rules_add(struct draft *draft);

#endif
