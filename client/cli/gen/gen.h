/* gen: scenes from a few numbers and a seed. Each kind of scene has a builder; gen_kinds.h is the table of them.
 *
 * One thread at a time. The same options make the same bytes on every machine.
 *
 * The folder gen/ is the scenes of `collide gen`. It may use scene/. The commands gen and bench call it. */
#ifndef COLLIDE_CLI_GEN_H
#define COLLIDE_CLI_GEN_H

#include "client/cli/scene/scene_build.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Circles that a generator makes at most: the most that a daemon can be configured to take. */
#define GEN_COUNT_MAX 1000000
/* Largest area fraction of a gas: the densest packing of equal discs, rounded down from pi / sqrt(12). In a square, and with
 * gaps, less fits; a request for more is refused. */
#define GEN_GAS_FRACTION_MAX 0.9068
/* Largest area fraction of a crowd. Its positions are drawn at random, and above this the last circles find none. */
#define GEN_CROWD_FRACTION_MAX 0.4

struct gen_options {
	uint64_t count;
	uint64_t seed;
	double fraction; /* of the area, covered by circles */
	double speed;    /* length/s */
	double radius;
	double gap;         /* between circles at the start, in radii */
	uint64_t moving;    /* cradle: circles that come in; duel: bullets of each fighter */
	uint64_t segments;  /* bullets: interior walls; galton: rows of pegs; maze: cells along a side; duel: walls on each side */
	double restitution; /* of all shapes, 0..1 */
	double friction;    /* of all shapes, 0 or more */
};

/* The builders add to an empty scene. false with a text: the options cannot be met. */
bool gen_gas(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size);
bool gen_bullets(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size);
bool gen_break(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size);
bool gen_cradle(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size);
bool gen_galperin(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size);
bool gen_galton(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size);
bool gen_pinball(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size);
bool gen_pile(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size);
bool gen_crowd(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size);
bool gen_maze(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size);
bool gen_duel(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size);
bool gen_loop(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size);

#endif
