/* import: a Doom map as a scene. One-sided and impassable lines become walls, each once; lines of no length are left out.
 * Circles start at random places that player 1 can reach without crossing a wall. Doors, lifts and teleporters count as open;
 * so do steps and windows with passable lines. Doors may become sensors. map_region.h says how the region is found, and why no
 * circle can leave it.
 *
 * One thread at a time. The same map and options make the same scene on every machine.
 *
 * The folder maps/ is scenes from maps of Doom and of Tiled. It may use scene/ and terminal/. The command import calls it. */
#ifndef COLLIDE_CLI_IMPORT_H
#define COLLIDE_CLI_IMPORT_H

#include "client/cli/maps/tiled.h"
#include "client/cli/maps/wad.h"
#include "client/cli/scene/scene_build.h"
#include "client/cli/terminal/exit_status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Different radii in one map. */
#define IMPORT_RADII_MAX 8

struct import_options {
	const char *wad, *map, *output;
	uint64_t circles, seed;
	double radii[IMPORT_RADII_MAX];
	size_t radius_count;
	double speed; /* length/s; NAN: by radii per tick */
	double radii_per_tick_least,
		radii_per_tick_most; /* a range in which each circle has its own speed, or twice the same; NAN: by speed */
	double dt;
	double gap; /* in radii */
	double restitution, friction;
	double gravity_x, gravity_y;
	bool doors;        /* Doom: as sensors */
	double scale;      /* Tiled: length units per pixel */
	const char *names; /* Tiled: the file that gets the names of objects */
	bool skip;         /* Tiled: go on without objects that cannot be imported */
	enum tiled_kind kind;
};

/* Imports a Tiled map (client/cli/maps/tiled.h); returns the exit status. */
enum exit_status import_tiled(const struct import_options *options);

/* Adds walls and circles to an empty scene. *area is that of all reachable centres, in square map units. On failure `error`
 * says why: no start, not closed, no room for all circles, a radius too small for the grid, no memory. */
bool import_scene(const struct import_options *options, const struct wad_map *map, struct scene_build *build, double *area,
                  char *error, size_t error_size);

#endif
