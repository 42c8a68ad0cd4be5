/* collide check: a scene file, looked over as a compiler would. */
#include "client/cli/arguments.h"
#include "client/cli/commands.h"
#include "client/cli/scene_check.h"
#include "client/cli/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool
file_read(const char *path, struct text *text)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
	char piece[65536];
	size_t got;
	if (file == NULL)
		return false;
	errno = 0;
	while ((got = fread(piece, 1, sizeof(piece), file)) > 0)
		text_append_bytes(text, piece, got);
	bool good = !ferror(file) && !text->failed;
	int reason = text->failed ? ENOMEM : errno;
	if (file != stdin)
		fclose(file);
	errno = reason;
	return good;
}

static void
count_print(size_t count, const char *noun, const char *before)
{
	printf("%s%zu %s%s", before, count, noun, count == 1 ? "" : "s");
}

static void
summary_print(const struct scene_problems *problems)
{
	const char *before = "";
	if (problems->errors > 0) {
		count_print(problems->errors, "error", "");
		before = ", ";
	} else {
		count_print(problems->circles, "circle", "");
		count_print(problems->segments, "segment", ", ");
		before = ": ";
	}
	if (problems->warnings > 0)
		count_print(problems->warnings, "warning", before);
	else if (problems->errors == 0)
		printf("%sno problems", before);
	putchar('\n');
}

static enum exit_status
problems_print(const char *name, const struct scene_problems *problems, bool strict)
{
	for (size_t i = 0; i < problems->count; i++) {
		const struct scene_problem *problem = &problems->list[i];
		printf("%s:%u:%u: %s: %s%s%s\n", name, problem->line, problem->column, problem->warning ? "warning" : "error",
		       problem->path, problem->path[0] != '\0' ? ": " : "", problem->text);
	}
	printf("%s: ", name);
	summary_print(problems);
	return problems->errors > 0 || (strict && problems->warnings > 0) ? EXIT_STATUS_FAILED : EXIT_STATUS_DONE;
}

int
cmd_check(int argc, char **argv)
{
	const char *path = NULL;
	bool strict = false;
	const struct argument arguments[] = {
		{ .name = "--strict", .kind = ARGUMENT_SWITCH, .out = &strict, .help = "warnings are problems, too: exit status 1" },
	};
	const struct command_line line = {
		.command = "check",
		.about =
			"Tells every problem of a scene file (\"-\": stdin) with its line and column: syntax, unknown fields, wrong types,\n"
			"what the daemon would refuse by its default limits; as warnings, what overlaps at the start. Exit status 0: the\n"
			"daemon takes it; 1: it does not.",
		.example = "collide gen break -o scene.json && collide check scene.json",
		.operand = "SCENE.json",
		.operand_required = true,
		.operand_out = &path,
		.arguments = arguments,
		.count = sizeof(arguments) / sizeof(arguments[0]),
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	const char *name = strcmp(path, "-") == 0 ? "stdin" : path;
	struct text text = { 0 };
	enum exit_status status = EXIT_STATUS_USAGE;
	if (file_read(path, &text)) {
		struct scene_problems problems;
		scene_check_text(text.count > 0 ? text.characters : "", text.count, &problems);
		status = problems_print(name, &problems, strict);
		if (problems.out_of_memory) {
			fprintf(stderr, "collide check: no memory to look at all of %s\n", name);
			status = EXIT_STATUS_FAILED;
		}
		scene_problems_finish(&problems);
	} else {
		fprintf(stderr, "collide check: %s: %s\n", name, strerror(errno));
	}
	text_finish(&text);
	return status;
}
