/* gen: scenes from a few numbers and a seed. Each kind is a builder; gen.c holds the table of kinds and the command line.
 *
 * One thread at a time. The same options make the same bytes on every machine. */
#ifndef COLLIDE_CLI_GEN_H
#define COLLIDE_CLI_GEN_H

#include "client/cli/scene_build.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Circles that a generator makes at most: what the daemon can be configured to take. */
#define GEN_COUNT_MAX 1000000
/* Area fraction of a gas: what equal discs can cover of the plane, rounded down from pi / sqrt(12). How much fits a square of
 * some number of them, with their gaps, is less, and told when it is asked for more. */
#define GEN_GAS_FRACTION_MAX 0.9068
/* Area fraction of a crowd, whose places are drawn at random: above it the last ones find none. */
#define GEN_CROWD_FRACTION_MAX 0.4

struct gen_options {
	uint64_t count;
	uint64_t seed;
	double fraction; /* of the area that circles cover */
	double speed;    /* length/s */
	double radius;
	double gap;         /* between circles at the start, in radii */
	uint64_t moving;    /* cradle: circles that come in */
	uint64_t segments;  /* bullets: interior walls; galton: rows of pegs; maze: cells along a side */
	double restitution; /* of everything, 0..1 */
	double friction;    /* of everything, 0 or more */
};

/* One kind of scene. The builders add to an empty scene and return false with a text when the options cannot be met. */
struct gen_kind {
	const char *name;
	const char *about;  /* what it is, one line */
	const char *proves; /* what a run of it shows */
	const char *takes;  /* letters of the options it takes besides count, seed, restitution, friction and output; see gen.c */
	uint64_t count_min, count_max;
	uint64_t segments_min, segments_max; /* both 0: does not take them */
	double fraction_max;                 /* 0: does not take it */
	const char *count_of;                /* what is counted */
	const char *run;                     /* options of collide run that show the whole thing */
	struct gen_options defaults;
	bool (*build)(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size);
};

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
bool gen_loop(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size);

#endif
