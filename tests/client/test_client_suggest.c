/* Every single insertion, deletion, exchange and swap of letters finds what was meant: in every command, option, kind and
 * value, and in every flag of the daemon. Where another one is as near, nothing is suggested. What is expected follows from how
 * the words are made, not from any distance. */
#include "base/suggest.h"
#include "client/cli/commands/command_rows.h"
#include "config.h"
#include "support/effort.h"
#include "support/long_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WORD_BYTES = 48, NAMES_MAX = 96 };

/* What may be meant, and the words one letter off. */
struct names {
	const char *names[NAMES_MAX];
	size_t count;
};

struct slip {
	char word[WORD_BYTES];
	const char *origin;
};

struct slips {
	struct slip *list;
	size_t count, capacity;
};

static const char letters[] = "abcdefghijklmnopqrstuvwxyz-";

static void
slip_add(struct slips *slips, const char *word, const char *origin)
{
	if (slips->count == slips->capacity) {
		slips->capacity = 2 * slips->capacity + 1024;
		slips->list = realloc(slips->list, slips->capacity * sizeof *slips->list);
		assert_non_null(slips->list);
	}
	snprintf(slips->list[slips->count].word, WORD_BYTES, "%s", word);
	slips->list[slips->count++].origin = origin;
}

static void
slips_make(struct slips *slips, const char *name)
{
	size_t length = strlen(name);
	char word[WORD_BYTES];
	assert_true(length + 2 < WORD_BYTES);
	for (size_t i = 0; i <= length; i++)
		for (const char *letter = letters; *letter != '\0'; letter++) {
			snprintf(word, sizeof word, "%.*s%c%s", (int)i, name, *letter, name + i);
			slip_add(slips, word, name);
			if (i < length) {
				snprintf(word, sizeof word, "%.*s%c%s", (int)i, name, *letter, name + i + 1);
				slip_add(slips, word, name);
			}
		}
	for (size_t i = 0; i < length; i++) {
		snprintf(word, sizeof word, "%.*s%s", (int)i, name, name + i + 1);
		slip_add(slips, word, name);
	}
	for (size_t i = 0; i + 1 < length; i++) {
		snprintf(word, sizeof word, "%s", name);
		word[i] = name[i + 1];
		word[i + 1] = name[i];
		slip_add(slips, word, name);
	}
}

static int
slip_order(const void *a, const void *b)
{
	const struct slip *x = a, *y = b;
	int order = strcmp(x->word, y->word);
	return order != 0 ? order : strcmp(x->origin, y->origin);
}

static bool
is_name(const struct names *names, const char *word)
{
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->names[i], word) == 0)
			return true;
	return false;
}

/* Calls `nearest` for every word that is a slip of some name, or in a unit run for every fifth one; returns how many there
 * were. */
static size_t
names_try(const struct names *names, const char *(*nearest)(const void *context, const char *word), const void *context)
{
	struct slips slips = { 0 };
	size_t seen = 0;
	if (names->count == 0)
		return 0;
	for (size_t i = 0; i < names->count; i++)
		slips_make(&slips, names->names[i]);
	qsort(slips.list, slips.count, sizeof *slips.list, slip_order);
	for (size_t i = 0, next; i < slips.count; i = next) {
		const struct slip *slip = &slips.list[i];
		bool alone = true;
		for (next = i; next < slips.count && strcmp(slips.list[next].word, slip->word) == 0; next++)
			alone = alone && strcmp(slips.list[next].origin, slip->origin) == 0;
		if (is_name(names, slip->word) || slip->word[0] == '\0' || seen++ % effort(5, 1) > 0)
			continue;
		const char *found = nearest(context, slip->word);
		if (alone && (!found || strcmp(found, slip->origin) != 0))
			fail_msg("\"%s\" finds %s, not %s", slip->word, found ? found : "nothing", slip->origin);
		if (!alone && found)
			fail_msg("\"%s\" finds %s, though %s is as near", slip->word, found, slip->origin);
	}
	free(slips.list);
	return seen;
}

static const char *
command_of(const void *context, const char *word)
{
	(void)context;
	const struct command *command = command_nearest(word);
	return command ? command->name : NULL;
}

static void
commands_are_found(void **state)
{
	(void)state;
	struct names names = { .count = 0 };
	for (size_t i = 0; i < command_count; i++)
		names.names[names.count++] = command_list[i].name;
	assert_true(names_try(&names, command_of, NULL) > 300 * command_count / 2);
}

static const char *
option_of(const void *line, const char *word)
{
	return arguments_nearest(line, word);
}

static const char *
word_of(const void *context, const char *word)
{
	static struct suggest suggest;
	suggest_begin(&suggest, word);
	for (const char *const *name = context; *name; name++)
		suggest_add(&suggest, *name);
	return suggest_nearest(&suggest);
}

/* Of each command its options, with --help; the values that they may have; what it may be about. */
static void
options_and_values_are_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < command_count; i += effort(12, 1)) {
		struct command_line line;
		struct names names = { .names = { "--help" }, .count = 1 };
		assert_true(command_line_copy(&command_list[i], &line));
		for (size_t a = 0; a < line.count; a++) {
			const struct argument *argument = &line.arguments[a];
			names.names[names.count++] = argument->name;
			if (argument->alias)
				names.names[names.count++] = argument->alias;
			if (argument->kind != ARGUMENT_CHOICE)
				continue;
			struct names values = { .count = 0 };
			for (; argument->choices[values.count]; values.count++)
				values.names[values.count] = argument->choices[values.count];
			(void)names_try(&values, word_of, argument->choices);
		}
		assert_true(names_try(&names, option_of, &line) > 100 * line.count);
		struct names operands = { .count = 0 };
		for (; line.operand_choices && line.operand_choices[operands.count]; operands.count++)
			operands.names[operands.count] = line.operand_choices[operands.count];
		(void)names_try(&operands, word_of, line.operand_choices);
		command_line_finish(&line);
	}
}

static char *
no_environment(const char *name)
{
	(void)name;
	return NULL;
}

/* What the daemon's message suggests for a flag. */
static const char *
daemon_flag_of(const void *context, const char *word)
{
	(void)context;
	static char told[CONFIG_ERROR_BYTES], suggested[sizeof told];
	struct config config;
	struct config_sources sources;
	const char *argv[] = { "collided", word, NULL };
	const struct config_inputs inputs = { 2, (char *const *)(uintptr_t)argv, no_environment };
	if (config_load(&config, &sources, &inputs, told) != CONFIG_BAD)
		fail_msg("the daemon takes %s", word);
	const char *begin = strstr(told, "did you mean \"");
	if (!begin)
		return NULL;
	snprintf(suggested, sizeof suggested, "%s", begin + strlen("did you mean \""));
	*strchr(suggested, '"') = '\0';
	return suggested;
}

static void
flags_of_the_daemon_are_found(void **state)
{
	(void)state;
	static struct config_option options[CONFIG_OPTIONS_MAX];
	struct names names = { .names = { "--print-config", "--version", "--help" }, .count = 3 };
	for (size_t i = 0; config_describe(i, &options[i]); i++)
		names.names[names.count++] = options[i].flag;
	assert_true(names.count > 40);
	assert_true(names_try(&names, daemon_flag_of, NULL) > 300 * names.count);
}

/* One letter means one option within a command, and those in common mean the same in all. */
static void
letters_are_the_same_everywhere(void **state)
{
	(void)state;
	static const struct {
		char letter;
		const char *name;
	} common[] = { { 'C', "--connect" }, { 'l', "--local" }, { 'f', "--format" }, { 'j', "--json" },
		           { 'e', "--every" },   { 't', "--dt" },    { 's', "--seed" },   { 'o', "--output" } };
	for (size_t i = 0; i < command_count; i++) {
		struct command_line line;
		assert_true(command_line_copy(&command_list[i], &line));
		for (size_t a = 0; a < line.count; a++) {
			assert_int_not_equal(line.arguments[a].letter, 'h');
			for (size_t b = 0; b < a; b++)
				assert_true(line.arguments[a].letter == 0 || line.arguments[a].letter != line.arguments[b].letter);
			for (size_t c = 0; c < sizeof common / sizeof common[0]; c++)
				assert_true((line.arguments[a].letter == common[c].letter) ==
				            (strcmp(line.arguments[a].name, common[c].name) == 0));
		}
		command_line_finish(&line);
	}
}

static void
what_is_far_is_not_suggested(void **state)
{
	(void)state;
	static const char *const names[] = { "--ticks", "--tolerance", "gas", NULL };
	assert_null(word_of(names, "--xyzzy"));
	assert_null(word_of(names, "x"));
	assert_null(word_of(names, "xyz"));
	assert_null(word_of(names, ""));
	assert_string_equal(word_of(names, "--TICKS"), "--ticks");
	assert_string_equal(word_of(names, "--tolernace"), "--tolerance");
	assert_string_equal(word_of(names, "--tollerrance"), "--tolerance");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		long_case(commands_are_found),
		cmocka_unit_test(options_and_values_are_found),
		cmocka_unit_test(flags_of_the_daemon_are_found),
		cmocka_unit_test(letters_are_the_same_everywhere),
		cmocka_unit_test(what_is_far_is_not_suggested),
	};
	command_list_use(command_rows, command_row_count);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
