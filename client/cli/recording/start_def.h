/* start_def: what a run begins with, as the engine's definition of a world. Only reading the scene's columns, and snapshots, is
 * code shared with the server.
 *
 * One thread at a time. The definition's arrays live until start_def_finish. */
#ifndef COLLIDE_CLI_START_DEF_H
#define COLLIDE_CLI_START_DEF_H

#include "base/arena.h"
#include "client/cli/recording/start.h"
#include "physics/physics.h"

struct start_def {
	struct arena arena;
	struct world *world; /* of the snapshot; NULL: a scene, which has not begun */
	struct world_def def;
};

/* false: `error` has the field and what is wrong. The caller calls start_def_finish in either case. */
bool start_def_read(struct start_def *out, const struct start *start, char *error, size_t error_size);
void start_def_finish(struct start_def *def);

#endif
