#include "config_file.h"

#include "base/suggest.h"
#include "config_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of a path, in an error. */
#define SHOWN "%.200s"

static bool
fail(char *error, const char *path, const char *why)
{
	snprintf(error, CONFIG_ERROR_BYTES, SHOWN ": %s", path, why);
	return false;
}

/* The file as one text, to be freed; NULL: `error` says why. */
static char *
read_file(const char *path, char *error)
{
	FILE *file = fopen(path, "r");
	char *text = malloc(CONFIG_FILE_BYTES_MAX + 1);
	const char *why = !file ? strerror(errno) : !text ? "no memory" : NULL;
	if (!why) {
		errno = 0;
		size_t count = fread(text, 1, CONFIG_FILE_BYTES_MAX + 1, file);
		why = ferror(file) ? strerror(errno) : count > CONFIG_FILE_BYTES_MAX ? "longer than 64 KiB" : NULL;
		text[why ? 0 : count] = '\0';
		if (!why && strlen(text) != count)
			why = "a byte of 0 is in it";
	}
	if (file)
		(void)fclose(file);
	if (why) {
		(void)fail(error, path, why);
		free(text);
		return NULL;
	}
	return text;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Without the blanks around it; in place. */
static char *
trim(char *text)
{
	while (is_blank(*text))
		text++;
	size_t count = strlen(text);
	while (count > 0 && is_blank(text[count - 1]))
		text[--count] = '\0';
	return text;
}

static void
cut_comment(char *line)
{
	for (char *at = line; *at != '\0'; at++)
		if (*at == '#' && (at == line || is_blank(at[-1]))) {
			*at = '\0';
			return;
		}
}

/* The option of a name that a file may have; NULL: `error` says why not. */
static const struct option *
find_option(const char *name, const char *path, unsigned number, char *error)
{
	const struct option *option = option_find(name, strlen(name));
	struct suggest suggest;
	char told[SUGGEST_TEXT_BYTES];
	if (option && !option_names_file(option))
		return option;
	if (option) {
		snprintf(error, CONFIG_ERROR_BYTES, SHOWN ":%u: a file cannot name another", path, number);
		return NULL;
	}
	suggest_begin(&suggest, name);
	for (size_t i = 0; i < config_option_count; i++)
		suggest_add(&suggest, config_options[i].name);
	snprintf(error, CONFIG_ERROR_BYTES, SHOWN ":%u: unknown setting \"%.60s\"%s", path, number, name,
	         suggest_text(&suggest, told));
	return NULL;
}

static bool
load_line(struct config *config, struct config_sources *sources, const char *path, unsigned number, char *line, char *error)
{
	char source[CONFIG_ERROR_BYTES / 2 + 64];
	cut_comment(line);
	char *name = trim(line), *equals = strchr(name, '=');
	if (name[0] == '\0')
		return true;
	if (!equals) {
		snprintf(error, CONFIG_ERROR_BYTES, SHOWN ":%u: \"%.60s\" is not NAME = VALUE", path, number, name);
		return false;
	}
	*equals = '\0';
	name = trim(name);
	cut_comment(equals + 1); /* one that begins where the value would */
	const struct option *option = find_option(name, path, number, error);
	if (!option)
		return false;
	size_t at = (size_t)(option - config_options);
	if (sources->line[at] != 0) {
		snprintf(error, CONFIG_ERROR_BYTES, SHOWN ":%u: %s is given in line %u, too", path, number, name, sources->line[at]);
		return false;
	}
	sources->of[at] = CONFIG_FILE;
	sources->line[at] = number;
	snprintf(source, sizeof source, SHOWN ":%u: %s", path, number, option->name);
	return option_set(option, config, source, trim(equals + 1), error);
}

bool
config_file_load(struct config *config, struct config_sources *sources, const char *path, char error[static CONFIG_ERROR_BYTES])
{
	config->file_text = read_file(path, error);
	bool ok = config->file_text != NULL;
	unsigned number = 0;
	for (char *line = config->file_text; ok && line;) {
		char *end = strchr(line, '\n');
		if (end)
			*end = '\0';
		ok = load_line(config, sources, path, ++number, line, error);
		line = end ? end + 1 : NULL;
	}
	return ok;
}
