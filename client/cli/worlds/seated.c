#include "client/cli/worlds/seated.h"

#include "client/cli/connection/connection.h"
#include "client/cli/terminal/colour.h"
#include "client/cli/terminal/interrupt.h"

#include <stdio.h>

/* Milliseconds between two looks at whether Ctrl-C was pressed. */
enum { LOOK_MS = 100 };

bool
seated_open(struct seated *seated, const char *command, const char *address, enum exit_status *status)
{
	static const struct collide_options client = { .client_name = "collide", .client_version = COLLIDED_VERSION };
	const struct collide_channel_options options = { .client = &client, .retry_for_ms = SEATED_RETRY_FOR_MS };
	struct collide_error error;
	seated->command = command;
	seated->address = connection_address(address);
	seated->channel = collide_channel_create(seated->address, &options, &error);
	if (!seated->channel)
		*status = connection_error_report(command, seated->address, &error);
	return seated->channel != NULL;
}

static void
on_attached(void *context, struct collide_seat *seat, const struct collide_attached *attached)
{
	struct seated *seated = context;
	(void)seat;
	(void)attached;
	seated->attached = true;
}

static void
on_outcome(void *context, struct collide_seat *seat, uint64_t number, const struct collide_outcome *outcome)
{
	struct seated *seated = context;
	(void)seat;
	if (seated->on_outcome)
		seated->on_outcome(seated->context, number, outcome);
}

static void
on_detached(void *context, struct collide_seat *seat, const struct collide_error *error)
{
	struct seated *seated = context;
	(void)seat;
	seated->ended = true;
	seated->error = *error;
}

static bool
is_attached(void *context)
{
	const struct seated *seated = context;
	return seated->attached;
}

bool
seated_attach(struct seated *seated, const struct collide_attachment *attachment, enum exit_status *status)
{
	const struct collide_seat_handler handler = { on_attached, on_outcome, on_detached, seated };
	struct collide_error error;
	seated->seat = collide_seat_attach(seated->channel, attachment, &handler, &error);
	if (!seated->seat) {
		*status = error_report(seated->command, &error);
		return false;
	}
	return seated_wait(seated, is_attached, seated, status);
}

bool
seated_wait(struct seated *seated, bool (*done)(void *context), void *context, enum exit_status *status)
{
	struct collide_error error;
	while (!done(context)) {
		if (seated->ended) {
			*status = error_report(seated->command, &seated->error);
			return false;
		}
		if (interrupt_came(NULL)) {
			problem_begin(seated->command);
			fprintf(stderr, "interrupted\n");
			*status = interrupt_status();
			return false;
		}
		if (!collide_channel_wait(seated->channel, LOOK_MS, &error)) {
			*status = connection_error_report(seated->command, seated->address, &error);
			return false;
		}
	}
	return true;
}

static bool
has_ended(void *context)
{
	const struct seated *seated = context;
	return seated->ended;
}

bool
seated_detach(struct seated *seated, enum exit_status *status)
{
	collide_seat_detach(seated->seat);
	return seated_wait(seated, has_ended, seated, status);
}

void
seated_close(struct seated *seated)
{
	collide_channel_destroy(seated->channel);
	seated->channel = NULL;
}
