/* commands: the sub-commands of `collide`, one function each.
 *
 * argv[0] is the command's own name ("run"). Each prints its results on stdout
 * and what went wrong on stderr.
 *
 * The folder commands/ has a file cmd_NAME.c for each, and what only they share: the options and answers of questions. It may
 * use all other folders of the command. command_rows.c has them all, for main.c, for completion and for the manual pages. */
#ifndef COLLIDE_CLI_COMMANDS_H
#define COLLIDE_CLI_COMMANDS_H

#include "client/cli/terminal/exit_status.h"

#include <stdio.h>

enum exit_status cmd_ping(int argc, char **argv);
enum exit_status cmd_info(int argc, char **argv);
enum exit_status cmd_check(int argc, char **argv);
enum exit_status cmd_run(int argc, char **argv);
enum exit_status cmd_detect(int argc, char **argv);
enum exit_status cmd_query(int argc, char **argv);
enum exit_status cmd_respond(int argc, char **argv);
enum exit_status cmd_map_create(int argc, char **argv);
enum exit_status cmd_map_get(int argc, char **argv);
enum exit_status cmd_map_rm(int argc, char **argv);
enum exit_status cmd_world_create(int argc, char **argv);
enum exit_status cmd_world_set(int argc, char **argv);
enum exit_status cmd_world_step(int argc, char **argv);
enum exit_status cmd_world_send(int argc, char **argv);
enum exit_status cmd_world_list(int argc, char **argv);
enum exit_status cmd_world_info(int argc, char **argv);
enum exit_status cmd_world_snapshot(int argc, char **argv);
enum exit_status cmd_world_mirror(int argc, char **argv);
enum exit_status cmd_world_record(int argc, char **argv);
enum exit_status cmd_world_verify(int argc, char **argv);
enum exit_status cmd_world_diff(int argc, char **argv);
enum exit_status cmd_world_fork(int argc, char **argv);
enum exit_status cmd_world_restore(int argc, char **argv);
enum exit_status cmd_world_rm(int argc, char **argv);
enum exit_status cmd_watch(int argc, char **argv);
enum exit_status cmd_top(int argc, char **argv);
enum exit_status cmd_bench(int argc, char **argv);
enum exit_status cmd_bench_rooms(int argc, char **argv);
enum exit_status cmd_bench_streams(int argc, char **argv);
enum exit_status cmd_gen(int argc, char **argv);
enum exit_status cmd_import(int argc, char **argv);
enum exit_status cmd_decode(int argc, char **argv);
enum exit_status cmd_render(int argc, char **argv);
enum exit_status cmd_replay(int argc, char **argv);
enum exit_status cmd_verify(int argc, char **argv);
enum exit_status cmd_view(int argc, char **argv);
enum exit_status cmd_schema(int argc, char **argv);
enum exit_status cmd_completion(int argc, char **argv);
enum exit_status cmd_help(int argc, char **argv);
enum exit_status cmd_version(int argc, char **argv);

/* What collide says without a command. */
void usage_print(FILE *to);

#endif
