/* collide view: a run that moves, in the terminal. */
#include "client/cli/commands/commands.h"

#include "client/cli/commands/motion_source.h"
#include "client/cli/terminal/interrupt.h"
#include "client/cli/view/screen.h"
#include "client/cli/view/view.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static enum exit_status
motion_show(const struct run_motion *motion, const char *path, double speed)
{
	const char *name = strrchr(path, '/');
	name = name ? name + 1 : path;
	switch (view_run(motion, strcmp(name, "-") == 0 ? "" : name, speed)) {
	case VIEW_QUIT: return EXIT_STATUS_DONE;
	case VIEW_INTERRUPTED: return interrupt_status();
	case VIEW_FAILED: break;
	}
	fprintf(stderr, "collide view: the terminal: %s\n", strerror(errno));
	return EXIT_STATUS_FAILED;
}

enum exit_status
cmd_view(int argc, char **argv)
{
	struct motion_source source = { .command = "view" };
	double speed = 1;
	const struct argument arguments[] = {
		WORLD_AT_ARGUMENT(&source.at),
		MOTION_TICKS_ARGUMENT(&source),
		MOTION_DT_ARGUMENT(&source),
		{ .name = "--speed",
		  .kind = ARGUMENT_SECONDS,
		  .out = &speed,
		  .value = "X",
		  .help = "seconds of the run per second, also as a fraction (1)" },
		MOTION_LOCAL_ARGUMENT(&source),
		MOTION_THREADS_ARGUMENT(&source),
		CONNECTION_ARGUMENT(&source.address),
	};
	const struct command_line line = {
		.command = "view",
		.about =
			"Shows a run that moves, in Braille dots: of a scene or snapshot, which is simulated first, or of a recording of a run or\n"
			"a world (\"-\": any of them on stdin). Works through ssh; the terminal needs UTF-8. Space plays and pauses, the arrows scrub and change\n"
			"the speed, \",\" and \".\" step by a tick, \"+\", \"-\" and hjkl zoom and move, \"q\" quits. Colours: COLORTERM=truecolor for all\n"
			"of them, NO_COLOR for none.",
		.example = "collide gen break | collide view - --local --ticks 300",
		.operand = "SCENE.json|SNAPSHOT|RECORDING",
		.operand_required = true,
		.operand_out = &source.path,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	char error[200];
	if (!screen_possible(error, sizeof error)) {
		fprintf(stderr, "collide view: %s\n", error);
		return EXIT_STATUS_USAGE;
	}
	struct run_motion motion;
	enum exit_status status = motion_source_load(&source, &motion);
	if (status == EXIT_STATUS_DONE)
		status = motion_show(&motion, source.path, speed);
	motion_finish(&motion);
	return status;
}
