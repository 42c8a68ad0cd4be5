/* collide check: checks a scene file as a compiler would, or a snapshot as the daemon does before it restores one. */
#include "client/cli/commands/commands.h"

#include "client/cli/check/scene_check.h"
#include "client/cli/recording/start.h"
#include "client/cli/terminal/arguments.h"
#include "physics/describe.h"
#include "scene/definition/restore.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* A snapshot has no lines: only the daemon's reason to refuse it can be reported. */
static enum exit_status
snapshot_check(const char *name, const uint8_t *bytes, size_t count)
{
	const struct scene_limits limits = scene_limits_default();
	struct wire_problem problem;
	struct world *world;
	if (scene_world_restore(bytes, count, &limits, "snapshot", &world, &problem) != STATUS_OK) {
		printf("%s: error: %s: %s\n%s: 1 error\n", name, problem.field, problem.text, name);
		return EXIT_STATUS_FAILED;
	}
	printf("%s: snapshot after tick %" PRIu64 ": ", name, world_tick(world));
	count_print(world_body_count(world), "circle", "");
	count_print(world_segment_count(world), "segment", ", ");
	puts(": no problems");
	world_destroy(world);
	return EXIT_STATUS_DONE;
}

static enum exit_status
text_check(const char *name, const char *text, size_t count, bool strict)
{
	struct scene_problems problems;
	scene_check_text(text, count, &problems);
	enum exit_status status = problems_print(name, &problems, strict);
	if (problems.out_of_memory) {
		fprintf(stderr, "collide check: no memory to look at all of %s\n", name);
		status = EXIT_STATUS_FAILED;
	}
	scene_problems_finish(&problems);
	return status;
}

enum exit_status
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
			"what the daemon would refuse by its default limits; as warnings, what overlaps at the start. Of a snapshot: what\n"
			"the daemon would refuse it for. Exit status 0: the daemon takes it; 1: it does not.",
		.example = "collide gen break -o scene.json && collide check scene.json",
		.operand = "SCENE.json|SNAPSHOT",
		.operand_required = true,
		.operand_out = &path,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	const char *name = strcmp(path, "-") == 0 ? "stdin" : path;
	uint8_t *bytes;
	size_t count;
	if (!start_read_file(path, &bytes, &count)) {
		fprintf(stderr, "collide check: %s: %s\n", name, strerror(errno));
		return EXIT_STATUS_USAGE;
	}
	enum exit_status status = count > 0 && snapshot_is_one(bytes, count)
	                              ? snapshot_check(name, bytes, count)
	                              : text_check(name, count > 0 ? (const char *)bytes : "", count, strict);
	free(bytes);
	return status;
}
