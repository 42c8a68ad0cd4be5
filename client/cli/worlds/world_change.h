/* world_change: a request about a world, with its secret, that is answered by what the world is then. That is printed.
 *
 * One thread at a time; prints on stdout, and on stderr what is wrong. */
#ifndef COLLIDE_CLI_WORLD_CHANGE_H
#define COLLIDE_CLI_WORLD_CHANGE_H

#include "client/cli/worlds/world_key.h"

/* What is done with a world by its secret, and answered by its WorldInfo. */
typedef bool (*world_change_fn)(struct collide_client *client, const struct collide_world_key *key, const void *context,
                                struct collide_world_info *info, struct collide_error *error);

/* Connects, asks, and prints the answer: for people, or with `json` the schema's WorldInfo. */
enum exit_status world_change(const char *command, const struct world_key_options *options, bool json, world_change_fn change,
                              const void *context);

/* Writes the owner's secret of a world that was just made. If it cannot be written, the world is ended: no client could use it.
 */
enum exit_status world_secret_write(const char *command, struct collide_client *client, const char *path,
                                    const struct collide_world_info *info);

#endif
