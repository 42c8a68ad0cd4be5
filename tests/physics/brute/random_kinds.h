/* random_kinds: what random scenes may have besides circles, walls, materials, gravity and masks. Each kind is a scene of
 * random_scene_make with something added, by a file of its own.
 *
 * One thread; no state. To add a kind: a function here, its file, a row in random_kinds.c, and what the brute force must know.
 */
#ifndef COLLIDED_TESTS_PHYSICS_BRUTE_RANDOM_KINDS_H
#define COLLIDED_TESTS_PHYSICS_BRUTE_RANDOM_KINDS_H

#include "physics/brute/random_scene.h"

struct random_kind {
	const char *name;
	void (*add)(struct random_scene *scene, uint64_t *state); /* NULL: nothing */
};

extern const struct random_kind random_kinds[];
extern const size_t random_kind_count;

/* The scene of this kind and seed. */
void random_kind_make(struct random_scene *scene, const struct random_kind *kind, uint64_t seed);

/* Friction, rolling resistance, spins and moments of inertia: each missing in some scenes. */
void random_rough_add(struct random_scene *scene, uint64_t *state);
/* Many kinematic circles, some large, some fast, some turning: they sweep up what they meet, and crush some of it. */
void random_driven_add(struct random_scene *scene, uint64_t *state);
/* Moving surfaces, damping, a greatest speed, gravity scales, circles that slide or stop: each missing in some scenes. */
void random_moved_add(struct random_scene *scene, uint64_t *state);
/* Thick and one-sided walls, and walls that end on others. */
void random_walls_add(struct random_scene *scene, uint64_t *state);

/* Segments that move, all as one or each its own way: a few or all, slow or fast. */
void random_drift_add(struct random_scene *scene, uint64_t *state);

/* Copies of the crowd far away, and a wall that long. */
void random_apart_add(struct random_scene *scene, uint64_t *state);

/* Filter groups, and relations without weights: of those the brute force knows no response. */
void random_grouped_add(struct random_scene *scene, uint64_t *state);

/* Contact rules, lifetimes, ignored circles, some of which begin within what they ignore: each missing in some scenes. */
void random_ruled_add(struct random_scene *scene, uint64_t *state);

#endif
