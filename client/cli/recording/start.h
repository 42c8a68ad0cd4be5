/* start: what a run begins with, a scene or a snapshot. The first bytes of a file tell the two apart.
 *
 * One thread at a time. */
#ifndef COLLIDE_CLI_START_H
#define COLLIDE_CLI_START_H

#include "collide/v1/collide.pb-c.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct world;

struct start {
	const Collide__V1__Scene *scene; /* NULL: a snapshot */
	const uint8_t *snapshot;
	size_t snapshot_bytes;
	uint64_t tick; /* of the snapshot; 0 for a scene */
	double dt;     /* of the ticks that the snapshot had; 0: it had none, or a scene */

	/* Owned, if start_load has read them from a file. */
	Collide__V1__Scene *own_scene;
	uint8_t *own_bytes;
};

/* Reads a scene file or a snapshot; "-" is stdin. false: `error` says why. The caller calls start_finish in either case. */
bool start_load(const char *path, struct start *out, char *error, size_t error_size);
/* The same from memory, which is taken if it succeeds; `name` stands for the path in errors. */
bool start_parse(const char *name, uint8_t *bytes, size_t count, struct start *out, char *error, size_t error_size);
/* The start of a request, which is borrowed. false: it has neither. */
bool start_of_request(const Collide__V1__Simulate *request, struct start *out);
void start_finish(struct start *start);

/* Whether a file begins as a snapshot does. false for what can be read only once: stdin ("-"), a pipe. */
bool start_is_snapshot_file(const char *path);
/* Reads a whole file, or stdin. The caller frees *bytes; false with errno. */
bool start_read_file(const char *path, uint8_t **bytes, size_t *count);

/* The world of a snapshot, to be destroyed by the caller. NULL: the bytes are no snapshot, or no memory. */
struct world *start_restore(const uint8_t *snapshot, size_t count);

#endif
