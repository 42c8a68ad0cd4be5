/* scenes_make: what the files that make the benchmark's scenes share, and what they make. For bench_scenes only.
 *
 * One thread. A scene begins empty, with its head filled in but for worlds, flags, bounds and gravity, and with room for its
 * worlds. Numbers are those of the command line, in the order that scenes_main.c tells. Failures are cmocka's: the program
 * ends. */
#ifndef COLLIDED_TESTS_BENCH_SCENES_MAKE_H
#define COLLIDED_TESTS_BENCH_SCENES_MAKE_H

#include "bench/scene_file.h"
#include "physics/scenes.h"

static const double dt = 1.0 / 60;

/* Takes over what the scenario defines; all of a scene's worlds have the same gravity. */
void world_take(struct scene *scene, const struct scenario *from);
/* Closed: a centre out of them has escaped. */
void bounds_set(struct scene *scene, double x1, double y1, double x2, double y2);

/* scenes_uneven.c: crowds in a wide world. */
void make_uneven(struct scene *scene, const double *numbers);
void make_clusters(struct scene *scene, const double *numbers);
void make_forming(struct scene *scene, const double *numbers);

/* scenes_games.c: as games have them. */
void make_rooms(struct scene *scene, const double *numbers);
void make_alike(struct scene *scene, const double *numbers);
void make_fight(struct scene *scene, const double *numbers);
void make_game(struct scene *scene, const double *numbers);
void make_pegs(struct scene *scene, const double *numbers);

#endif
