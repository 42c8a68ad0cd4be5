/* exit_status: how a command ended, for the shell. */
#ifndef COLLIDE_CLI_EXIT_STATUS_H
#define COLLIDE_CLI_EXIT_STATUS_H

enum exit_status {
	EXIT_STATUS_DONE = 0,
	EXIT_STATUS_FAILED = 1,        /* the work itself failed: a violation found, a file not written, no memory */
	EXIT_STATUS_USAGE = 2,         /* used wrongly, or an unreadable scene file */
	EXIT_STATUS_REFUSED = 3,       /* the server answered with an error */
	EXIT_STATUS_NO_CONNECTION = 4, /* there was none, or it was lost */
	EXIT_STATUS_INTERRUPTED = 130, /* by Ctrl-C, after the summary; the shell's convention */
	EXIT_STATUS_TERMINATED = 143,  /* the same by SIGTERM */
};

#endif
