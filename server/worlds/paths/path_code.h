/* path_code: how a number of a path is told: Paths.codes and Paths.values of the schema.
 *
 * The folder paths/: what readers of STREAM_PATHS are told. A model of what they have is taken along with the world
 * (reader_circle.h). After each tick it is compared with what the world did, and rows tell where it would go wrong
 * (path_tick.h). Updates are made of them (path_rows.h). It is used by live. The worker that has the world. */
#ifndef COLLIDED_WORLDS_PATHS_PATH_CODE_H
#define COLLIDED_WORLDS_PATHS_PATH_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PATH_CODE_BYTES_MAX 8

static inline uint64_t
double_bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static inline bool
bits_equal(double a, double b)
{
	return double_bits(a) == double_bits(b);
}

/* A byte: the place of the number in the table (path_names.h). Only path_rows.c gives this one. */
#define PATH_CODE_NAME 5u

/* The shortest code of a number, and its bytes in `out`; *count: how many. */
uint8_t path_code(double value, double base, uint8_t out[PATH_CODE_BYTES_MAX], size_t *count);

#endif
