/* collide world step: ticks of a world that goes by a client's clock. */
#include "client/cli/commands/commands.h"

#include "client/cli/connection/connection.h"
#include "client/cli/scene/message_json.h"
#include "client/cli/terminal/interrupt.h"
#include "client/cli/worlds/seated.h"
#include "client/cli/worlds/world_key.h"
#include "collide/v1/collide.pb-c.h"

#include <inttypes.h>
#include <stdio.h>

/* What became of the step. */
struct stepping {
	bool answered, good;
	struct collide_stepped stepped;
	struct collide_error error;
};

static void
on_stepped(void *context, struct collide_seat *seat, const struct collide_stepped *stepped, const struct collide_error *error)
{
	struct stepping *stepping = context;
	(void)seat;
	stepping->answered = true;
	stepping->good = stepped != NULL;
	if (stepped)
		stepping->stepped = *stepped;
	else
		stepping->error = *error;
}

static bool
is_answered(void *context)
{
	const struct stepping *stepping = context;
	return stepping->answered;
}

static bool
stepped_print(const struct collide_stepped *stepped, bool json)
{
	Collide__V1__Stepped message = COLLIDE__V1__STEPPED__INIT;
	if (!json)
		return printf("tick %" PRIu64 ", state hash %016" PRIx64 "\n", stepped->tick, stepped->hash) > 0;
	message.tick = stepped->tick;
	message.hash = stepped->hash;
	return message_json_write(stdout, &message.base, MESSAGE_JSON_LINE);
}

static enum exit_status
world_step(const struct world_key_options *options, const struct collide_step *step, bool json)
{
	struct secret secret;
	struct collide_world_key key;
	struct stepping stepping = { 0 };
	struct seated seated = { 0 };
	enum exit_status status = world_key_read("world step", options, &secret, &key);
	if (status != EXIT_STATUS_DONE || !seated_open(&seated, "world step", options->address, &status))
		return status;
	interrupt_watch();
	const struct collide_attachment attachment = { .world = key.name,
		                                           .epoch = key.epoch,
		                                           .secret = key.secret,
		                                           .secret_bytes = key.secret_bytes,
		                                           .right = COLLIDE_RIGHT_STEP,
		                                           .label = "collide world step" };
	if (seated_attach(&seated, &attachment, &status)) {
		if (!collide_seat_step(seated.seat, step, on_stepped, &stepping, &stepping.error))
			status = error_report("world step", &stepping.error);
		else if (seated_wait(&seated, is_answered, &stepping, &status)) {
			if (!stepping.good)
				status = error_report("world step", &stepping.error);
			else if (!stepped_print(&stepping.stepped, json))
				status = EXIT_STATUS_FAILED;
			enum exit_status ended;
			(void)seated_detach(&seated, &ended); /* else it ends by itself */
		}
	}
	seated_close(&seated);
	return status;
}

enum exit_status
cmd_world_step(int argc, char **argv)
{
	struct world_key_options options = { 0 };
	struct collide_step step = { .ticks = 1 };
	bool json = false;
	const struct argument arguments[] = {
		{ .name = "--ticks",
		  .letter = 'n',
		  .kind = ARGUMENT_COUNT,
		  .out = &step.ticks,
		  .minimum = 1,
		  .maximum = UINT64_MAX,
		  .value = "N",
		  .help = "how many (default 1)" },
		{ .name = "--expect",
		  .kind = ARGUMENT_COUNT,
		  .out = &step.expect_tick,
		  .given = &step.has_expect,
		  .minimum = 0,
		  .maximum = UINT64_MAX,
		  .value = "TICK",
		  .help =
		      "only if the world is at this tick; if it is behind these ticks\nalready, nothing is done: to try again is harmless" },
		SECRET_FILE_ARGUMENT(&options, "the owner secret"),
		SECRET_ARGUMENT(&options),
		EPOCH_ARGUMENT(&options),
		CONNECTION_ARGUMENT(&options.address),
		JSON_ARGUMENT(&json, "the schema's Stepped, in one line"),
	};
	const struct command_line line = {
		.command = "world step",
		.about = "Makes ticks of a world that goes by a client's clock (--clock client), and prints where it is then.",
		.example =
			"collide gen break | collide world create - --clock client --name stepped -k s && collide world step stepped -k s -n 60",
		.operand = "WORLD",
		.operand_required = true,
		.operand_out = &options.name,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	return world_step(&options, &step, json);
}
