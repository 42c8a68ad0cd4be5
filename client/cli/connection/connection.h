/* connection: what every command that talks to a daemon shares: its address, and reports of errors.
 *
 * The folder connection/ is the way to a server: a daemon, or the real session within this process. It may use terminal/, the
 * client library, and of the server session and jobs. bench/ and the commands that need a server call it. */
#ifndef COLLIDE_CLI_CONNECTION_H
#define COLLIDE_CLI_CONNECTION_H

#include "client/cli/terminal/arguments.h"
#include "client/cli/terminal/exit_status.h"
#include "client/lib/collide.h"

#define CONNECTION_ADDRESS_DEFAULT "127.0.0.1:7878"

/* The --connect argument, for the table of a command. `place` is a const char * that starts as NULL. */
#define CONNECTION_ARGUMENT(place)                                                                                            \
	{                                                                                                                         \
		.name = "--connect", .letter = 'C', .alias = "--server", .kind = ARGUMENT_TEXT, .out = (place), .value = "HOST:PORT", \
		.help = "the daemon (default: COLLIDE_CONNECT, else " CONNECTION_ADDRESS_DEFAULT ")"                                  \
	}

/* The address given, or that of the environment, or the default. */
const char *connection_address(const char *given);
/* As error_report, of an address from connection_address: with the variable's name if it comes from there, and a hint how one
 * is chosen if no daemon answered. */
enum exit_status connection_error_report(const char *command, const char *address, const struct collide_error *error);
/* Connects. NULL after reporting the reason on stderr, with *status set. */
struct collide_client *connection_open(const char *command, const char *given, enum exit_status *status);
/* The same in this process, without a daemon (local.h). */
struct collide_client *connection_open_local(const char *command, unsigned threads, enum exit_status *status);
/* Reports an error and its fields on stderr. Returns the exit status that fits. */
enum exit_status error_report(const char *command, const struct collide_error *error);

#endif
