/* config_options: the table of settings, and what sets, prints and compares one of them.
 *
 * Immutable; any thread. */
#ifndef COLLIDED_CONFIG_OPTIONS_H
#define COLLIDED_CONFIG_OPTIONS_H

#include "config.h"

enum option_type {
	OPTION_PATH,
	OPTION_ADDRESS,
	OPTION_WEIGHTS,
	OPTION_U32,
	OPTION_U64,
	OPTION_LEVEL,
	OPTION_FORMAT,
};

struct option {
	const char *name; /* of the flag, without its dashes */
	const char *unit; /* as --help shows the value */
	enum option_type type;
	size_t offset;
	uint64_t min, max;
	const char *help;
	bool reloads; /* SIGHUP reads it again */
};

extern const struct option config_options[];
extern const size_t config_option_count;

/* Bytes of "COLLIDED_QUEUE_MAX". */
#define VARIABLE_BYTES 64
#define VARIABLE_PREFIX "COLLIDED_"
void option_variable(const struct option *option, char name[static VARIABLE_BYTES]);

/* NULL: there is none of this name. */
const struct option *option_find(const char *name, size_t count);
/* Whether it is the one that names the file of settings, which the file itself cannot have. */
bool option_names_file(const struct option *option);
/* The names that an option of this type may have, with NULL at the end; NULL for others. */
const char *const *option_choices(enum option_type type);
/* Borrows the text. `source` names the flag, the variable or the line, for the error. */
bool option_set(const struct option *option, struct config *config, const char *source, const char *text,
                char error[static CONFIG_ERROR_BYTES]);
void option_print_value(const struct option *option, const struct config *config, FILE *out);
bool option_equal(const struct option *option, const struct config *a, const struct config *b);

#endif
