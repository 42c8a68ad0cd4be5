/* command_list: all commands, and the table of options of each. Set once, at the start of a program, then any thread, apart
 * from the copies. */
#ifndef COLLIDE_CLI_COMMAND_LIST_H
#define COLLIDE_CLI_COMMAND_LIST_H

#include "client/cli/commands/commands.h"
#include "client/cli/terminal/arguments.h"

#include <stddef.h>

/* A name may have two words, such as "world create": commands of one first word are a group. */
struct command {
	const char *name;
	const char *about; /* one line */
	enum exit_status (*run)(int argc, char **argv);
};

enum { COMMAND_WORD_BYTES = 32 };
/* More than there are. */
enum { COMMANDS_MAX = 40 };
extern const struct command *command_list;
extern size_t command_count;
/* What all below is about: the rows of command_rows.h. They are borrowed for good. */
void command_list_use(const struct command *list, size_t count);

/* NULL: there is no such command. */
const struct command *command_find(const char *name);
/* The command of the first words; *used is how many its name has. NULL: there is none. */
const struct command *command_of_words(int count, char *const *words, int *used);
/* Whether some command's name begins with this word, and another follows. */
bool command_is_group(const char *word);
/* Whether the command at this place is the first of the list with its first word, which goes to `word`. */
bool command_first_word(size_t at, char word[static COMMAND_WORD_BYTES]);
/* The commands of a group, for people. */
void command_group_print(const char *group, FILE *to);
/* The one that was probably meant; NULL: none is nearest. */
const struct command *command_nearest(const char *word);

/* Tells on stderr that there is no command of this name; of a group's name alone, what it may be followed by. */
enum exit_status command_refuse(const char *word);

/* The command line of a command, out of its own code: what arguments_read would be given. Its texts live for ever; `arguments`
 * is a copy, which command_line_finish frees. false: no memory. */
bool command_line_copy(const struct command *command, struct command_line *out);
void command_line_finish(struct command_line *line);

#endif
