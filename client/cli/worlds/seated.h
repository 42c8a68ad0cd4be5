/* seated: a seat in a world that a command waits for: attached, its outcomes, its steps.
 *
 * One thread at a time. The connection comes again by itself for some seconds; then the command gives up. */
#ifndef COLLIDE_CLI_SEATED_H
#define COLLIDE_CLI_SEATED_H

#include "client/cli/terminal/exit_status.h"
#include "client/lib/collide.h"

#include <stdbool.h>

/* Milliseconds without a connection after which a command gives up. */
#define SEATED_RETRY_FOR_MS 10000

struct seated {
	const char *command, *address; /* for messages */
	struct collide_channel *channel;
	struct collide_seat *seat;
	bool attached, ended;
	struct collide_error error; /* why it ended */
	/* Called for each outcome; may be NULL. */
	void (*on_outcome)(void *context, uint64_t number, const struct collide_outcome *outcome);
	void *context;
};

/* A channel to the daemon of this address (as --connect). false: stderr says why, and *status is set. */
bool seated_open(struct seated *seated, const char *command, const char *address, enum exit_status *status);
/* Attaches and waits until it is, or is refused. */
bool seated_attach(struct seated *seated, const struct collide_attachment *attachment, enum exit_status *status);
/* Waits until `done` says so. false: the seat has ended, there is no connection for too long, or Ctrl-C; stderr says so. */
bool seated_wait(struct seated *seated, bool (*done)(void *context), void *context, enum exit_status *status);
/* Ends the seat for good, and waits for that. */
bool seated_detach(struct seated *seated, enum exit_status *status);
/* Without a detach the seat stays on the server for its time to live. */
void seated_close(struct seated *seated);

#endif
