/* space_scene: random scenes for questions about space, made to hold what is hard: clusters, grids, ties, touching, shapes of
 * very different sizes, far from the origin.
 *
 * The caller owns the scene. The same numbers from the same seed everywhere. */
#ifndef COLLIDED_TESTS_PHYSICS_SPACE_SCENE_H
#define COLLIDED_TESTS_PHYSICS_SPACE_SCENE_H

#include "physics/space.h"

enum { SPACE_SCENE_CIRCLES_MAX = 60, SPACE_SCENE_SEGMENTS_MAX = 60 };

enum space_scene_kind {
	SPACE_SCENE_SPREAD,   /* sizes over many orders, here and there */
	SPACE_SCENE_CLUSTERS, /* much in few places */
	SPACE_SCENE_GRID,     /* whole numbers: touching, ties, shared points */
	SPACE_SCENE_FAR,      /* coordinates about 2^30 */
	SPACE_SCENE_MAZE,     /* a closed room of segments with joined walls and posts */
	SPACE_SCENE_KINDS,
};

struct space_scene {
	enum space_scene_kind kind;
	double origin; /* about which coordinates lie */
	double extent; /* how far from it */
	struct circle_def circles[SPACE_SCENE_CIRCLES_MAX];
	struct segment_def segments[SPACE_SCENE_SEGMENTS_MAX];
	struct world_def def; /* of the above */
};

void space_scene_make(struct space_scene *scene, enum space_scene_kind kind, uint64_t *random);
struct space *space_scene_space(const struct space_scene *scene);

/* A coordinate, a length and a way as fit the scene: on its lattice if it has one, now and then at a place where something is.
 */
void space_scene_place(const struct space_scene *scene, uint64_t *random, double place[2]);
double space_scene_radius(const struct space_scene *scene, uint64_t *random);
void space_scene_way(const struct space_scene *scene, uint64_t *random, double way[2]);

#endif
