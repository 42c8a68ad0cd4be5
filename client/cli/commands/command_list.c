#include "client/cli/commands/command_list.h"

#include "base/suggest.h"
#include "client/cli/terminal/colour.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

const struct command command_list[] = {
	{ "run", "simulate a scene; print frames, check them, draw them", cmd_run },
	{ "check", "tell every problem of a scene file, with line and column", cmd_check },
	{ "gen", "make a scene: gas, break, bullets, galton, pinball ... (gen --help)", cmd_gen },
	{ "import", "make a scene from a map of Tiled or of a Doom WAD file", cmd_import },
	{ "detect", "tell which shapes touch, now and while they move", cmd_detect },
	{ "query", "cast rays and circles, find what is where, move a character", cmd_query },
	{ "respond", "push pairs apart and bounce them off", cmd_respond },
	{ "decode", "print a recording, or any delimited messages, as JSON", cmd_decode },
	{ "view", "show a run that moves, in the terminal", cmd_view },
	{ "render", "draw a run that moves: a page, an animated SVG or a GIF", cmd_render },
	{ "replay", "play a recording: print its frames, check them, draw them", cmd_replay },
	{ "verify", "simulate a recording again and compare every tick", cmd_verify },
	{ "schema", "print the protocol's schema", cmd_schema },
	{ "ping", "measure the round trip to the daemon", cmd_ping },
	{ "info", "show what the daemon is and its limits", cmd_info },
	{ "bench", "put load on the daemon; measure throughput and latency", cmd_bench },
	{ "completion", "print what makes a shell complete commands, options and values", cmd_completion },
	{ "help", "this text; collide help COMMAND: that of a command", cmd_help },
	{ "version", "the version of this program", cmd_version },
};
const size_t command_count = sizeof command_list / sizeof command_list[0];
static_assert(sizeof command_list / sizeof command_list[0] <= COMMANDS_MAX, "COMMANDS_MAX is too small");

const struct command *
command_find(const char *name)
{
	for (size_t i = 0; i < command_count; i++)
		if (strcmp(command_list[i].name, name) == 0)
			return &command_list[i];
	return NULL;
}

const struct command *
command_nearest(const char *word)
{
	struct suggest suggest;
	suggest_begin(&suggest, word);
	for (size_t i = 0; i < command_count; i++)
		suggest_add(&suggest, command_list[i].name);
	const char *nearest = suggest_nearest(&suggest);
	return nearest ? command_find(nearest) : NULL;
}

enum exit_status
command_refuse(const char *word)
{
	/* In place of a command there may be these. */
	static const char *const options[] = { "--help", "--version" };
	const struct command *nearest = command_nearest(word);
	struct suggest suggest;
	suggest_begin(&suggest, word);
	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
		suggest_add(&suggest, options[i]);
	const char *option = suggest_nearest(&suggest);
	problem_begin(NULL);
	if (nearest || option)
		fprintf(stderr, "there is no command %s; did you mean \"%s\"?\n", word, nearest ? nearest->name : option);
	else
		fprintf(stderr, "there is no command %s; see collide help\n", word);
	return EXIT_STATUS_USAGE;
}

struct copy {
	struct command_line *out;
	bool done;
};

/* An arguments_observe_fn. */
static void
line_take(void *context, const struct command_line *line)
{
	struct copy *copy = context;
	struct argument *arguments = malloc((line->count + 1) * sizeof *arguments); /* never of size 0 */
	if (!arguments)
		return;
	if (line->count > 0)
		memcpy(arguments, line->arguments, line->count * sizeof *arguments);
	*copy->out = *line;
	copy->out->arguments = arguments;
	copy->done = true;
}

bool
command_line_copy(const struct command *command, struct command_line *out)
{
	char name[] = "collide";
	struct copy copy = { .out = out };
	arguments_observe(line_take, &copy);
	(void)command->run(1, (char *[]){ name, NULL });
	arguments_observe(NULL, NULL);
	return copy.done;
}

void
command_line_finish(struct command_line *line)
{
	free((void *)(uintptr_t)line->arguments);
	line->arguments = NULL;
}
