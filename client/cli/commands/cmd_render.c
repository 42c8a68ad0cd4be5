/* collide render: a run as a moving picture: one page that plays its exact paths, an animated SVG, or a GIF. */
#include "client/cli/commands/commands.h"

#include "client/cli/commands/motion_source.h"
#include "client/cli/render/gif.h"
#include "client/cli/render/page.h"
#include "client/cli/render/svg.h"
#include "client/cli/terminal/interrupt.h"
#include "client/cli/terminal/output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef bool (*render_write_fn)(const struct run_motion *motion, const struct render_options *options, const char *path,
                                char *error, size_t error_size);

/* Of --format, and the end of a file's name. */
static const char *const format_names[] = { "html", "svg", "gif", NULL };
static const render_write_fn formats[] = { page_write, svg_write, gif_write };
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

struct render {
	struct motion_source source;
	struct render_options options;
	const char *output, *title;
	unsigned format; /* FORMAT_COUNT: by the name of the file */
	uint64_t fps, width;
	double from, until; /* seconds; until 0: the end */
};

static bool
format_find(struct render *render)
{
	const char *dot = render->output ? strrchr(render->output, '.') : NULL;
	for (unsigned i = 0; render->format == FORMAT_COUNT && dot && i < FORMAT_COUNT; i++)
		if (strcmp(dot + 1, format_names[i]) == 0)
			render->format = i;
	if (!render->output)
		fprintf(stderr, "collide render: -o FILE.html, FILE.svg or FILE.gif is missing\n");
	else if (render->format == FORMAT_COUNT)
		fprintf(stderr, "collide render: -o %s: the name ends in none of .html, .svg and .gif, and there is no --format\n",
		        render->output);
	return render->output && render->format < FORMAT_COUNT;
}

/* The name of the scene's file, without folders and its ending. */
static void
title_make(const struct render *render, char *to, size_t size)
{
	const char *name = strrchr(render->source.path, '/');
	name = name ? name + 1 : render->source.path;
	snprintf(to, size, "%s", strcmp(name, "-") == 0 ? "collide" : name);
	char *dot = strrchr(to, '.');
	if (dot && dot != to)
		*dot = '\0';
}

static bool
part_set(struct render *render, const struct run_motion *motion)
{
	double until = render->until > 0 ? fmin(render->until, motion->duration) : motion->duration;
	render->options.first = render->from;
	render->options.last = until;
	if (render->from < until)
		return true;
	fprintf(stderr, "collide render: nothing is between --from %g s and %g s, where the picture ends\n", render->from, until);
	return false;
}

static enum exit_status
render_run(struct render *render)
{
	struct run_motion motion;
	char title[100], error[300];
	if (!output_probe("render", render->output))
		return EXIT_STATUS_FAILED;
	title_make(render, title, sizeof title);
	render->options.title = render->title ? render->title : title;
	enum exit_status status = motion_source_load(&render->source, &motion);
	if (status == EXIT_STATUS_DONE && !part_set(render, &motion))
		status = EXIT_STATUS_USAGE;
	if (status == EXIT_STATUS_DONE &&
	    !formats[render->format](&motion, &render->options, render->output, error, sizeof error)) {
		fprintf(stderr, "collide render: %s\n", error);
		status = EXIT_STATUS_FAILED;
	}
	if (status == EXIT_STATUS_DONE && formats[render->format] == gif_write && interrupt_came(NULL)) {
		fprintf(stderr, "collide render: interrupted; %s has the frames before\n", render->output);
		status = interrupt_status();
	}
	motion_finish(&motion);
	return status;
}

static enum arguments_result
render_read(struct render *render, int argc, char **argv)
{
	const struct argument arguments[] = {
		{ .name = "--output",
		  .letter = 'o',
		  .kind = ARGUMENT_FILE,
		  .out = &render->output,
		  .value = "FILE",
		  .help = "FILE.html: a page that plays; FILE.svg; FILE.gif (\"-\": stdout)" },
		{ .name = "--format",
		  .letter = 'f',
		  .kind = ARGUMENT_CHOICE,
		  .out = &render->format,
		  .choices = format_names,
		  .value = "html|svg|gif",
		  .help = "whatever the name of the file" },
		WORLD_AT_ARGUMENT(&render->source.at),
		MOTION_TICKS_ARGUMENT(&render->source),
		MOTION_DT_ARGUMENT(&render->source),
		{ .name = "--speed",
		  .kind = ARGUMENT_SECONDS,
		  .out = &render->options.speed,
		  .value = "X",
		  .help = "seconds of the run per second, also as a fraction (1)" },
		{ .name = "--from",
		  .kind = ARGUMENT_NUMBER,
		  .out = &render->from,
		  .value = "S",
		  .help = "the second of the run that an SVG or a GIF begins with (0)" },
		{ .name = "--until", .kind = ARGUMENT_NUMBER, .out = &render->until, .value = "S", .help = "and ends with (the end)" },
		{ .name = "--width",
		  .alias = "--size",
		  .kind = ARGUMENT_COUNT,
		  .out = &render->width,
		  .minimum = 50,
		  .maximum = 4000,
		  .value = "PIXELS",
		  .help = "of an SVG or a GIF (640)" },
		{ .name = "--fps",
		  .kind = ARGUMENT_COUNT,
		  .out = &render->fps,
		  .minimum = 1,
		  .maximum = 50,
		  .value = "N",
		  .help = "frames per second of a GIF (25); no browser shows more than 50" },
		{ .name = "--title",
		  .kind = ARGUMENT_TEXT,
		  .out = &render->title,
		  .value = "TEXT",
		  .help = "of a page or an SVG (the name of the scene's file)" },
		MOTION_LOCAL_ARGUMENT(&render->source),
		MOTION_THREADS_ARGUMENT(&render->source),
		CONNECTION_ARGUMENT(&render->source.address),
	};
	const struct command_line line = {
		.command = "render",
		.about =
			"Draws a run that moves: of a scene or snapshot, which is simulated, or of a recording of a run or a world (\"-\": any of\n"
			"them on stdin). --from and --until count from where it begins, which --at sets.\n"
			"A page plays every path exactly, at any speed, with pause, scrubbing, zoom and an inspector. It is one file, and needs\n"
			"no server and no network. An SVG moves without a script; a GIF moves everywhere.",
		.example = "collide gen break | collide render - --local --ticks 240 -o break.html",
		.operand = "SCENE.json|SNAPSHOT|RECORDING",
		.operand_required = true,
		.operand_out = &render->source.path,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	return arguments_read(&line, argc, argv);
}

enum exit_status
cmd_render(int argc, char **argv)
{
	struct render render = {
		.source = { .command = "render" },
		.options = { .speed = 1 },
		.format = FORMAT_COUNT,
		.fps = 25,
		.width = 640,
	};
	enum arguments_result result = render_read(&render, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	if (!format_find(&render))
		return EXIT_STATUS_USAGE;
	render.options.fps = (unsigned)render.fps;
	render.options.width = (unsigned)render.width;
	return render_run(&render);
}
