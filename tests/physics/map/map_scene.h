/* map_scene: a Doom map as a user gets it: imported by the `collide` command, read from its JSON, checked as the daemon does.
 *
 * One thread. Owns the world, its certificate and the arena that the definition lives in. */
#ifndef COLLIDED_TESTS_PHYSICS_MAP_SCENE_H
#define COLLIDED_TESTS_PHYSICS_MAP_SCENE_H

#include "base/arena.h"
#include "physics/certified.h"
#include "physics/physics.h"

struct map_scene {
	struct arena arena;
	struct world_def def;
	struct world *world;
	struct certified *certified;
};

/* Whether the map file is there (Debian's package freedoom). */
bool map_available(void);
/* E1M1 with `circles` circles at ten radii per tick of `dt`. Fails the test if any step does. */
void map_scene_init(struct map_scene *map, unsigned circles, unsigned seed, double dt);
void map_scene_finish(struct map_scene *map);
/* Steps and certifies one tick; fails the test when the engine does. The certificate's findings are the caller's to look at. */
struct tick_report map_scene_tick(struct map_scene *map, double dt);
/* Of all circles, from the state. */
double map_scene_kinetic(const struct map_scene *map);

#endif
