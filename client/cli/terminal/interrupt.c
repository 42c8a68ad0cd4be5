#include "client/cli/terminal/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static const int SIGNALS[] = { SIGINT, SIGTERM };
enum { SIGNAL_COUNT = sizeof SIGNALS / sizeof SIGNALS[0] };

static atomic_int came; /* lock-free, as a signal handler needs it; read on any thread */

static void
on_signal(int number)
{
	came = number;
	for (size_t i = 0; i < SIGNAL_COUNT; i++)
		(void)signal(SIGNALS[i], SIG_DFL);
}

void
interrupt_watch(void)
{
	/* With SA_RESTART a write to a slow pipe continues; poll and nanosleep end early nevertheless. */
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART }, before;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < SIGNAL_COUNT; i++)
		sigaddset(&action.sa_mask, SIGNALS[i]);
	for (size_t i = 0; i < SIGNAL_COUNT; i++)
		if (sigaction(SIGNALS[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			(void)sigaction(SIGNALS[i], &action, NULL);
}

void
interrupt_note(int number)
{
	came = number;
}

bool
interrupt_came(void *context)
{
	(void)context;
	return came != 0;
}

enum exit_status
interrupt_status(void)
{
	return came == SIGINT ? EXIT_STATUS_INTERRUPTED : EXIT_STATUS_TERMINATED;
}
