/* collided: reads its settings, then runs. */
#include "daemon.h"
#include "descriptors.h"

#include "base/memory.h"

#include <signal.h>
#include <stdlib.h>

extern char **environ; /* POSIX, of no header */

/* What a failed start and a wrong setting end with. */
#define EXIT_START_FAILED 1
#define EXIT_BAD_CONFIG 2

/* SIGCHLD: as process 1 of a container, children of others become ours. We never wait for them, so the kernel shall reap them.
 * SIGUSR2 and SIGALRM mean nothing here, and shall not end it. Nor shall SIGXFSZ: a file that may not grow is told of as a full
 * disk is. */
static void
ignore_signals(void)
{
	static const int numbers[] = { SIGCHLD, SIGUSR2, SIGALRM, SIGXFSZ };
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigemptyset(&ignore.sa_mask);
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		(void)sigaction(numbers[i], &ignore, NULL);
}

static int
run(struct config *config, const struct config_inputs *inputs)
{
	ignore_signals();
	memory_bound_set(config->session.memory_total_bytes_max);
	enum daemon_result result = daemon_run(config, inputs);
	if (result != DAEMON_STUCK)
		config_finish(config);
	switch (result) {
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
	const struct config_inputs inputs = { argc, argv, getenv };
	char error[CONFIG_ERROR_BYTES];
	if (!descriptors_open())
		return EXIT_START_FAILED; /* there is nowhere to say it */
	enum config_action action = config_load(&config, &sources, &inputs, error);
	if ((action == CONFIG_RUN || action == CONFIG_PRINT) && !config_environment_check(environ, error)) {
		config_finish(&config);
		action = CONFIG_BAD;
	}
	switch (action) {
	case CONFIG_RUN: return run(&config, &inputs);
	case CONFIG_HELP: config_print_help(stdout); return EXIT_SUCCESS;
	case CONFIG_PRINT:
		config_print(&config, &sources, stdout);
		config_finish(&config);
		return EXIT_SUCCESS;
	case CONFIG_VERSION: puts("collided " COLLIDED_VERSION); return EXIT_SUCCESS;
	case CONFIG_BAD: break;
	}
	fprintf(stderr, "collided: %s\n", error);
	return EXIT_BAD_CONFIG;
}
