/* server_record: a recording that the daemon writes into its own folder (collide world record --server).
 *
 * One thread at a time; prints on stdout. */
#ifndef COLLIDE_CLI_SERVER_RECORD_H
#define COLLIDE_CLI_SERVER_RECORD_H

#include "client/cli/terminal/colour.h"
#include "client/cli/worlds/world_key.h"

struct server_record {
	const struct world_key_options *key;
	struct collide_recording recording;
	bool end; /* the one that there is; else one begins */
};

enum exit_status server_record_run(const struct server_record *record);
/* A line of a world: "recording        ...". */
void recorded_print(const struct collide_recorded *recorded);

#endif
