/* map_scene: a Doom map as a user gets it: imported by the `collide` command, read from its JSON, checked as the client does.
 *
 * One thread. Owns the world, its certificate and the arena that the definition lives in. */
#ifndef COLLIDED_TESTS_PHYSICS_MAP_SCENE_H
#define COLLIDED_TESTS_PHYSICS_MAP_SCENE_H

#include "base/arena.h"
#include "physics/certified.h"
#include "physics/physics.h"

/* What `collide import` is asked for. */
struct map_order {
	const char *wad, *map;
	const char *radii_per_tick; /* "10" or "5:20" */
	unsigned circles, seed;
	double dt;
	const char *const *options; /* more of `collide import`, ended by NULL; NULL: none */
	unsigned events;            /* of world_def */
	unsigned jitter_ulps;       /* each coordinate of each wall's end is moved by up to so many; 0: none */
	uint64_t jitter_seed;
};

struct map_scene {
	struct arena arena;
	struct world_def def;
	struct world *world;
	struct certified *certified;
	struct segment_def *jittered; /* the walls, if they were moved; else NULL */
	double dt;
	double engine_seconds; /* by the clock, in world_step alone */
};

/* Whether both map files are there. */
bool maps_available(void);
/* false with a text: what `collide import` said, or why its scene was refused; nothing is then to be finished. */
bool map_scene_init(struct map_scene *map, const struct map_order *order, char *error, size_t error_size);
void map_scene_finish(struct map_scene *map);
/* Steps and certifies one tick. The certificate's findings are the caller's to look at. false: the engine or the certificate
 * failed, with a text. */
bool map_scene_tick(struct map_scene *map, struct tick_report *report, char *error, size_t error_size);
/* Of all circles, from the state. */
double map_scene_kinetic(const struct map_scene *map);

#endif
