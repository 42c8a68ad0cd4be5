/* collided: reads its settings, then runs. */
#include "daemon.h"

#include <signal.h>
#include <stdlib.h>

extern char **environ; /* POSIX, of no header */

/* What a failed start and a wrong setting end with. */
#define EXIT_START_FAILED 1
#define EXIT_BAD_CONFIG 2

/* As process 1 of a container, children of others become ours. We never wait for them, so the kernel shall reap them. */
static void
ignore_children(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigemptyset(&ignore.sa_mask);
	(void)sigaction(SIGCHLD, &ignore, NULL);
}

static int
run(const struct config *config)
{
	ignore_children();
	switch (daemon_run(config)) {
	case DAEMON_ENDED: return EXIT_SUCCESS;
	case DAEMON_FAILED: return EXIT_START_FAILED;
	case DAEMON_STUCK: break;
	}
	/* A thread still uses what an orderly exit would take apart. */
	_Exit(EXIT_SUCCESS);
}

int
main(int argc, char *argv[])
{
	struct config config;
	struct config_sources sources;
	char error[CONFIG_ERROR_BYTES];
	enum config_action action = config_load(&config, &sources, argc, argv, getenv, error);
	if ((action == CONFIG_RUN || action == CONFIG_PRINT) && !config_environment_check(environ, error))
		action = CONFIG_BAD;
	switch (action) {
	case CONFIG_RUN: return run(&config);
	case CONFIG_HELP: config_print_help(stdout); return EXIT_SUCCESS;
	case CONFIG_PRINT: config_print(&config, &sources, stdout); return EXIT_SUCCESS;
	case CONFIG_VERSION: puts("collided " COLLIDED_VERSION); return EXIT_SUCCESS;
	case CONFIG_BAD: break;
	}
	fprintf(stderr, "collided: %s\n", error);
	return EXIT_BAD_CONFIG;
}
