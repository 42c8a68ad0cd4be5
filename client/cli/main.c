/* collide: the command. The sub-commands are in commands/command_list.c; each has a file there. */
#include "base/variables.h"
#include "client/cli/commands/command_list.h"
#include "client/cli/terminal/colour.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

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

static const char *
variable_at(void *context, size_t index)
{
	static const char *const names[] = { "COLLIDE_CONNECT", NULL };
	(void)context;
	return names[index];
}

/* A variable of ours that nothing reads is a mistake that would otherwise show nowhere. */
static bool
environment_check(void)
{
	char problem[VARIABLE_PROBLEM_BYTES];
	if (!variable_unknown(environ, "COLLIDE_", variable_at, NULL, problem))
		return true;
	problem_begin(NULL);
	fprintf(stderr, "%s\n", problem);
	return false;
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
	if (!command)
		return (int)command_refuse(name);
	if (!environment_check())
		return EXIT_STATUS_USAGE;
	return (int)status_with_stdout(command->run(argc - 1, argv + 1));
}
