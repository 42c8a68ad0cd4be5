/* command_rows: the table of all commands, a row for each file cmd_*.c. Constant. Programs give it to command_list_use; the
 * commands that tell of all others read it there, so that no file of commands depends on itself. */
#ifndef COLLIDE_CLI_COMMAND_ROWS_H
#define COLLIDE_CLI_COMMAND_ROWS_H

#include "client/cli/commands/command_list.h"

extern const struct command command_rows[];
extern const size_t command_row_count;

#endif
