/* collide render: a run as a moving picture: one page that plays its exact paths, an animated SVG, or a GIF. */
#include "client/cli/commands/commands.h"

#include "client/cli/commands/motion_source.h"
#include "client/cli/render/page.h"
#include "client/cli/terminal/output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct render_format {
	const char *name; /* of --format, and the end of a file's name */
	bool (*write)(const struct motion *motion, const struct render_options *options, const char *path, char *error,
	              size_t error_size);
};

static const struct render_format formats[] = {
	{ "html", page_write },
};
static const char *const format_names[] = { "html", NULL };
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

enum exit_status
cmd_render(int argc, char **argv)
{
	struct motion_source source = { .command = "render", .threads = 1 };
	struct render_options options = { .speed = 1 };
	const char *path = NULL;
	(void)format_names;
	const struct argument arguments[] = {
		{ .name = "--output", .alias = "-o", .kind = ARGUMENT_TEXT, .out = &path, .value = "FILE", .help = "x" },
		MOTION_TICKS_ARGUMENT(&source), MOTION_DT_ARGUMENT(&source),      MOTION_LOCAL_ARGUMENT(&source),
		MOTION_THREADS_ARGUMENT(&source), CONNECTION_ARGUMENT(&source.address),
	};
	const struct command_line line = { .command = "render", .about = "x", .example = "x", .operand = "SCENE", .operand_required = true, .operand_out = &source.path, .arguments = arguments, .count = sizeof arguments / sizeof arguments[0] };
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	struct motion motion;
	char error[300];
	options.title = "x";
	enum exit_status status = motion_source_load(&source, &motion);
	if (status == EXIT_STATUS_DONE && !formats[0].write(&motion, &options, path, error, sizeof error)) {
		fprintf(stderr, "collide render: %s\n", error);
		status = EXIT_STATUS_FAILED;
	}
	fprintf(stderr, "%zu pieces\n", motion.piece_count);
	motion_finish(&motion);
	return status;
}
