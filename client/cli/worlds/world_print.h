/* world_print: what is printed of worlds and maps: lines for people, or the messages of the schema.
 *
 * One thread at a time; prints on stdout. */
#ifndef COLLIDE_CLI_WORLD_PRINT_H
#define COLLIDE_CLI_WORLD_PRINT_H

#include "client/lib/collide.h"

#include <stdbool.h>
#include <stddef.h>

/* A line for each thing that is known. `owner`: with the owner secret, if it was told. */
void world_info_print(const struct collide_world_info *info, bool owner);
void map_info_print(const struct collide_map_info *info);

/* A row for each world, under a head. Costs are in parts of a core. */
void worlds_head_print(void);
void worlds_row_print(const struct collide_world_info *info);
/* CPU time of its ticks in parts of a core: what it has cost lately. 0 if it does not go by the server's clock. */
double world_cost(const struct collide_world_info *info);

/* Prints each reply about worlds as it comes, in protobuf's JSON form, one a line. */
struct world_json {
	bool hides_owner; /* the owner secret is left out: it goes to a file */
	bool failed;      /* stdout, or a reply could not be read */
};

/* From now on what the core receives is printed. `json` is borrowed by the core. */
void world_json_begin(struct world_json *json, struct collide_core *core);

#endif
