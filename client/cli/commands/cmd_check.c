/* collide check: checks a scene file as a compiler would, or a snapshot as the daemon does before it restores one. */
#include "client/cli/commands/commands.h"

#include "client/cli/check/scene_check.h"
#include "client/cli/recording/recording.h"
#include "client/cli/recording/start.h"
#include "client/cli/scene/json_text.h"
#include "client/cli/terminal/arguments.h"
#include "client/cli/terminal/colour.h"
#include "physics/describe.h"
#include "scene/definition/restore.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A scene, or "stdin", and how it is reported. */
struct check_command {
	const char *path, *name;
	const char *text; /* of a scene */
	size_t count;
	bool strict, json;
};

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

/* On a terminal, the line of a problem and a mark under its place. Of a long line what is around it; control characters, and
 * what is no ASCII, which may be wider or narrower than a column, as dots. */
static void
place_print(const struct check_command *check, const struct scene_problem *problem)
{
	enum { BEFORE = 50, AFTER = 60 };
	size_t at = problem->offset < check->count ? problem->offset : check->count, begin = at, end = at;
	while (begin > 0 && at - begin < BEFORE && check->text[begin - 1] != '\n')
		begin--;
	while (end < check->count && end - at < AFTER && check->text[end] != '\n')
		end++;
	printf("  %s", begin > 0 && check->text[begin - 1] != '\n' ? "..." : "");
	for (size_t i = begin; i < end; i++)
		putchar(check->text[i] >= 0x20 && check->text[i] < 0x7f ? check->text[i] : '.');
	printf("\n  %*s%s^%s\n", (int)(at - begin) + (begin > 0 && check->text[begin - 1] != '\n' ? 3 : 0), "",
	       colour(stdout, COLOUR_MARK), colour(stdout, COLOUR_END));
}

static void
problem_print(const struct check_command *check, const struct scene_problem *problem)
{
	const char *end = colour(stdout, COLOUR_END);
	printf("%s%s:%u:%u:%s %s%s:%s %s%s%s\n", colour(stdout, COLOUR_HEADING), check->name, problem->line, problem->column, end,
	       colour(stdout, problem->warning ? COLOUR_WARNING : COLOUR_ERROR), problem->warning ? "warning" : "error", end,
	       problem->path, problem->path[0] != '\0' ? ": " : "", problem->text);
	if (isatty(STDOUT_FILENO) == 1)
		place_print(check, problem);
}

/* A file's name, in which bytes that are not UTF-8 cannot stay as they are. */
static json_t *
name_json(const char *name)
{
	json_t *whole = json_string(name);
	char *plain = whole ? NULL : strdup(name);
	for (char *at = plain; at && *at != '\0'; at++)
		if ((unsigned char)*at >= 0x80)
			*at = '?';
	json_t *result = whole ? whole : json_string(plain);
	free(plain);
	return result;
}

/* One object: what the lines say, with names. */
static bool
problems_print_json(const struct check_command *check, const struct scene_problems *problems)
{
	json_t *list = json_array();
	for (size_t i = 0; i < problems->count; i++) {
		const struct scene_problem *problem = &problems->list[i];
		if (json_array_append_new(list, json_pack("{s:i,s:i,s:s,s:s,s:s}", "line", (int)problem->line, "column",
		                                          (int)problem->column, "severity", problem->warning ? "warning" : "error",
		                                          "field", problem->path, "text", problem->text)) != 0) {
			json_decref(list);
			return json_tree_print(NULL, stdout);
		}
	}
	return json_tree_print(json_pack("{s:o,s:I,s:I,s:I,s:I,s:o}", "file", name_json(check->name), "errors",
	                                 (json_int_t)problems->errors, "warnings", (json_int_t)problems->warnings, "circles",
	                                 (json_int_t)problems->circles, "segments", (json_int_t)problems->segments, "problems",
	                                 list),
	                       stdout);
}

static enum exit_status
problems_print(const struct check_command *check, const struct scene_problems *problems)
{
	bool told = true;
	if (check->json)
		told = problems_print_json(check, problems);
	for (size_t i = 0; i < problems->count && !check->json; i++)
		problem_print(check, &problems->list[i]);
	if (!check->json) {
		printf("%s: ", check->name);
		summary_print(problems);
	}
	return !told || problems->errors > 0 || (check->strict && problems->warnings > 0) ? EXIT_STATUS_FAILED : EXIT_STATUS_DONE;
}

static enum exit_status
snapshot_report(const struct check_command *check, const struct wire_problem *problem, const struct world *world)
{
	bool told = true;
	if (check->json)
		told = json_tree_print(world ? json_pack("{s:o,s:i,s:i,s:I,s:I,s:s,s:[]}", "file", name_json(check->name), "errors", 0,
		                                         "warnings", 0, "circles", (json_int_t)world_body_count(world), "segments",
		                                         (json_int_t)world_segment_count(world), "snapshot", "whole", "problems")
		                             : json_pack("{s:o,s:i,s:i,s:[{s:s,s:s,s:s}]}", "file", name_json(check->name), "errors", 1,
		                                         "warnings", 0, "problems", "severity", "error", "field", problem->field,
		                                         "text", problem->text),
		                       stdout);
	else if (!world)
		printf("%s: error: %s: %s\n%s: 1 error\n", check->name, problem->field, problem->text, check->name);
	else {
		printf("%s: snapshot after tick %" PRIu64 ": ", check->name, world_tick(world));
		count_print(world_body_count(world), "circle", "");
		count_print(world_segment_count(world), "segment", ", ");
		puts(": no problems");
	}
	return told && world ? EXIT_STATUS_DONE : EXIT_STATUS_FAILED;
}

/* A snapshot has no lines: only the daemon's reason to refuse it can be reported. */
static enum exit_status
snapshot_check(const struct check_command *check, const uint8_t *bytes, size_t count)
{
	const struct scene_limits limits = scene_limits_default();
	struct wire_problem problem;
	struct world *world = NULL;
	bool good = scene_world_restore(bytes, count, &limits, "snapshot", &world, &problem) == STATUS_OK;
	enum exit_status status = snapshot_report(check, &problem, good ? world : NULL);
	if (good)
		world_destroy(world);
	return status;
}

static enum exit_status
text_check(const struct check_command *check)
{
	struct scene_problems problems;
	scene_check_text(check->text, check->count, &problems);
	enum exit_status status = problems_print(check, &problems);
	if (problems.out_of_memory) {
		fprintf(stderr, "collide check: no memory to look at all of %s\n", check->name);
		status = EXIT_STATUS_FAILED;
	}
	scene_problems_finish(&problems);
	return status;
}

enum exit_status
cmd_check(int argc, char **argv)
{
	struct check_command check = { 0 };
	const struct argument arguments[] = {
		{ .name = "--strict",
		  .kind = ARGUMENT_SWITCH,
		  .out = &check.strict,
		  .help = "warnings are problems, too: exit status 1" },
		JSON_ARGUMENT(&check.json, "one JSON object: file, errors, warnings, circles, segments,\n"
		                           "problems (line, column, severity, field, text)"),
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
		.operand_out = &check.path,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	check.name = strcmp(check.path, "-") == 0 ? "stdin" : check.path;
	uint8_t *bytes;
	if (!start_read_file(check.path, &bytes, &check.count)) {
		fprintf(stderr, "collide check: %s: %s\n", check.name, strerror(errno));
		return EXIT_STATUS_USAGE;
	}
	check.text = check.count > 0 ? (const char *)bytes : "";
	enum exit_status status = EXIT_STATUS_USAGE;
	if (check.count > 0 && snapshot_is_one(bytes, check.count))
		status = snapshot_check(&check, bytes, check.count);
	else if (recording_is_one(bytes, check.count))
		fprintf(stderr, "collide check: %s: %s\n", check.name, recording_is_no_scene);
	else
		status = text_check(&check);
	free(bytes);
	return status;
}
