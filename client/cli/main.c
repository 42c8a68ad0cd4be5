/* collide: the command. A table of sub-commands; each has a file in commands/. */
#include "client/cli/commands/commands.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static enum exit_status
cmd_version(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	puts("collide " COLLIDED_VERSION);
	return EXIT_STATUS_DONE;
}

static enum exit_status cmd_help(int argc, char **argv);

static const struct command {
	const char *name;
	const char *about;
	enum exit_status (*run)(int argc, char **argv);
} commands[] = {
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
	{ "help", "this text; collide help COMMAND: that of a command", cmd_help },
	{ "version", "the version of this program", cmd_version },
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static const struct command *
command_find(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static void
usage_print(FILE *to)
{
	fprintf(to, "usage: collide COMMAND [options]\n\nThe client of collided, exact 2D physics over TCP.\n\nCommands:\n");
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(to, "  %-8s %s\n", commands[i].name, commands[i].about);
	fprintf(to, "\ncollide COMMAND --help tells the options of a command, with an example.\n"
	            "The daemon is found by --connect HOST:PORT, else the variable COLLIDE_CONNECT, else at 127.0.0.1:7878.\n\n"
	            "Exit status: 0 done, 1 failed (such as a violation that --certify found), 2 used wrongly,\n"
	            "3 refused by the server, 4 no connection or a lost one, 130 ended by Ctrl-C (SIGTERM: 143).\n\n"
	            "Example:\n  collide gen galperin --count 2 | collide run - --local --ticks 120 --certify\n");
}

static enum exit_status
cmd_help(int argc, char **argv)
{
	char help[] = "--help";
	const struct command *command = argc > 1 ? command_find(argv[1]) : NULL;
	if (command && command->run != cmd_help && command->run != cmd_version)
		return command->run(2, (char *[]){ argv[1], help, NULL });
	if (argc > 1 && !command) {
		fprintf(stderr, "collide: there is no command \"%s\"; see collide help\n", argv[1]);
		return EXIT_STATUS_USAGE;
	}
	usage_print(stdout);
	return EXIT_STATUS_DONE;
}

/* Output that could not be written (a full disk) is a failure, whatever the command returned. */
static enum exit_status
status_with_stdout(enum exit_status status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	perror("collide: stdout");
	return status == EXIT_STATUS_DONE ? EXIT_STATUS_FAILED : status;
}

/* If the caller has closed a standard stream, opens it so that using it fails. Otherwise a socket or file of ours would get its
 * number, and the output with it. */
static bool
streams_guard(void)
{
	for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
		if (fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) != descriptor)
			return false;
	return true;
}

int
main(int argc, char **argv)
{
	if (!streams_guard())
		return EXIT_STATUS_FAILED;
	if (argc < 2) {
		usage_print(stderr);
		return EXIT_STATUS_USAGE;
	}
	const char *name = argv[1];
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
		name = "help";
	else if (strcmp(name, "--version") == 0)
		name = "version";
	const struct command *command = command_find(name);
	if (!command) {
		fprintf(stderr, "collide: there is no command \"%s\"; see collide help\n", name);
		return EXIT_STATUS_USAGE;
	}
	return (int)status_with_stdout(command->run(argc - 1, argv + 1));
}
