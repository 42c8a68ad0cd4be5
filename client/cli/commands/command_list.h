/* command_list: all commands, and the table of options of each. Set once, at the start of a program, then any thread, apart
 * from the copies. */
#ifndef COLLIDE_CLI_COMMAND_LIST_H
#define COLLIDE_CLI_COMMAND_LIST_H

#include "client/cli/commands/commands.h"
#include "client/cli/terminal/arguments.h"

#include <stddef.h>

struct command {
	const char *name;
	const char *about; /* one line */
	enum exit_status (*run)(int argc, char **argv);
};

/* More than there are. */
enum { COMMANDS_MAX = 32 };
extern const struct command *command_list;
extern size_t command_count;
/* What all below is about: the rows of command_rows.h. They are borrowed for good. */
void command_list_use(const struct command *list, size_t count);

/* NULL: there is no such command. */
const struct command *command_find(const char *name);
/* The one that was probably meant; NULL: none is nearest. */
const struct command *command_nearest(const char *word);

/* Tells on stderr that there is no command of this name. */
enum exit_status command_refuse(const char *word);

/* The command line of a command, out of its own code: what arguments_read would be given. Its texts live for ever; `arguments`
 * is a copy, which command_line_finish frees. false: no memory. */
bool command_line_copy(const struct command *command, struct command_line *out);
void command_line_finish(struct command_line *line);

#endif
