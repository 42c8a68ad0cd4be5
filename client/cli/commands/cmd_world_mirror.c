/* collide world mirror: follows a world with the engine, by what is commanded in it, and compares its hashes with the daemon's.
 */
#include "client/cli/commands/commands.h"

#include "client/cli/connection/connection.h"
#include "client/cli/terminal/colour.h"
#include "client/cli/terminal/interrupt.h"
#include "client/cli/worlds/world_key.h"
#include "client/mirror/mirror.h"

#include <inttypes.h>
#include <stdio.h>

struct world_mirror {
	struct world_key_options key;
	uint64_t ticks, every, ahead, report;

	struct collide_channel *channel;
	struct collide_mirror *mirror;
	bool begun, ended, differed;
	uint64_t first, reported, bytes; /* ticks; bytes of updates behind the first key */
	struct collide_error end;
};

static void
figures_print(const struct world_mirror *run)
{
	struct collide_mirrored told = collide_mirror_state(run->mirror);
	uint64_t ticks = told.told_tick - run->first;
	printf("ticks            %" PRIu64 " to %" PRIu64 ", %" PRIu64 " made again\n", run->first, told.told_tick, told.remade);
	printf("batches          %" PRIu64 ", %" PRIu64 " of them undone\n", told.batches, told.undone);
	printf("hashes           %" PRIu64 " as the daemon's, %" PRIu64 " left\n", told.hashes, told.hashes_left);
	printf("corrections      %" PRIu64 " of %" PRIu64 " circles\n", told.corrections, told.corrected);
	if (ticks > 0)
		printf("bytes            %.0f in a second of the world\n", (double)run->bytes / ((double)ticks * told.dt));
	(void)fflush(stdout);
}

/* Says what a hash was about that differed. */
static void
difference_print(struct world_mirror *run)
{
	struct collide_mirror_difference difference;
	if (!run->differed || collide_mirror_state(run->mirror).in_doubt || !collide_mirror_difference(run->mirror, &difference))
		return;
	printf("after tick %" PRIu64 " the hash is another: %s\n", difference.hash_tick,
	       !difference.compared      ? "the state could not be compared"
	       : difference.text[0] == 0 ? "the same again by the next key"
	                                 : difference.text);
	run->differed = false;
	run->ended = true;
}

static bool
mirror_take(void *context, const void *update, size_t bytes, struct collide_error *error)
{
	struct world_mirror *run = context;
	bool taken = collide_mirror_update(run->mirror, update, bytes, error);
	struct collide_mirrored told = collide_mirror_state(run->mirror);
	if (run->begun)
		run->bytes += bytes;
	else if (told.ready) {
		run->begun = true;
		run->first = run->reported = told.told_tick;
	}
	run->differed = run->differed || (!taken && told.in_doubt);
	if (!taken && !told.in_doubt)
		fprintf(stderr, "collide world mirror: %s: %s; it asks for a key\n", error->reason, error->text);
	difference_print(run);
	return taken;
}

static void
on_update(void *context, struct collide_subscription *subscription, const struct collide_world_update *update)
{
	struct world_mirror *run = context;
	(void)subscription;
	(void)collide_mirror_advance(run->mirror, update->tick + run->ahead);
	if (run->report > 0 && update->tick - run->reported >= run->report) {
		run->reported = update->tick;
		figures_print(run);
	}
	run->ended = run->ended || (run->ticks > 0 && update->tick - run->first >= run->ticks);
}

static void
on_end(void *context, struct collide_subscription *subscription, const struct collide_error *error)
{
	struct world_mirror *run = context;
	(void)subscription;
	run->ended = true;
	run->end = *error;
}

/* Until there are as many ticks as were asked for, or it is interrupted, or the world ends. */
static enum exit_status
mirror_follow_world(struct world_mirror *run)
{
	struct collide_error error;
	struct collide_mirror_difference difference;
	while (!run->ended && !interrupt_came(NULL))
		if (!collide_channel_wait(run->channel, 100, &error))
			return error_report("world mirror", &error);
	if (run->end.code != COLLIDE_OK)
		fprintf(stderr, "collide world mirror: the subscription ended: %s\n", run->end.reason);
	if (run->begun)
		figures_print(run);
	return run->begun && !collide_mirror_difference(run->mirror, &difference) ? EXIT_STATUS_DONE : EXIT_STATUS_FAILED;
}

static enum exit_status
mirror_run(struct world_mirror *run)
{
	struct secret secret;
	struct collide_world_key key;
	struct collide_error error;
	enum exit_status status = world_key_read("world mirror", &run->key, &secret, &key);
	if (status != EXIT_STATUS_DONE)
		return status;
	const char *address = connection_address(run->key.address);
	const struct collide_channel_options options = { .retry_for_ms = 10000 };
	const struct collide_reader reader = {
		.on_update = on_update, .on_end = on_end, .context = run, .take = mirror_take, .take_context = run
	};
	const struct collide_interest interest = { .world = key.name,
		                                       .secret = key.secret,
		                                       .secret_bytes = key.secret_bytes,
		                                       .epoch = key.epoch,
		                                       .stream = COLLIDE_STREAM_COMMANDS,
		                                       .every = (uint32_t)run->every };
	run->channel = collide_channel_create(address, &options, &error);
	if (!run->channel)
		return connection_error_report("world mirror", address, &error);
	interrupt_watch();
	if (collide_subscribe(run->channel, NULL, &interest, &reader, &error))
		status = mirror_follow_world(run);
	else
		status = error_report("world mirror", &error);
	collide_channel_destroy(run->channel);
	return status;
}

enum exit_status
cmd_world_mirror(int argc, char **argv)
{
	struct world_mirror run = { .every = 6 };
	const struct argument arguments[] = {
		{ .name = "--ticks",
		  .letter = 'n',
		  .kind = ARGUMENT_COUNT,
		  .out = &run.ticks,
		  .minimum = 1,
		  .maximum = UINT64_MAX,
		  .value = "N",
		  .help = "so many ticks (default: until Ctrl-C, or the world's end)" },
		{ .name = "--every",
		  .letter = 'e',
		  .kind = ARGUMENT_COUNT,
		  .out = &run.every,
		  .minimum = 1,
		  .maximum = 3600,
		  .value = "K",
		  .help = "ticks from one message to the next (default 6)" },
		{ .name = "--ahead",
		  .kind = ARGUMENT_COUNT,
		  .out = &run.ahead,
		  .minimum = 0,
		  .maximum = COLLIDE_MIRROR_AHEAD_MAX,
		  .value = "N",
		  .help = "ticks to go ahead of what was told (default 0): what comes then corrects it" },
		{ .name = "--report",
		  .kind = ARGUMENT_COUNT,
		  .out = &run.report,
		  .minimum = 1,
		  .maximum = UINT64_MAX,
		  .value = "N",
		  .help = "prints after each N ticks, and not only at the end" },
		SECRET_FILE_ARGUMENT(&run.key, "any of the world's secrets"),
		SECRET_ARGUMENT(&run.key),
		EPOCH_ARGUMENT(&run.key),
		CONNECTION_ARGUMENT(&run.key.address),
	};
	const struct command_line line = {
		.command = "world mirror",
		.about = "Follows a world with the engine, by what is commanded in it, and compares its hashes with the daemon's.\n"
				 "If one differs it says in which tick, circle and field, and ends with an error.",
		.example = "collide gen break | collide world create - --name here -k s >out && collide world mirror here -k s -n 90",
		.operand = "NAME",
		.operand_required = true,
		.operand_out = &run.key.name,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	run.mirror = collide_mirror_create();
	if (!run.mirror) {
		problem_begin("world mirror");
		fprintf(stderr, "no memory\n");
		return EXIT_STATUS_FAILED;
	}
	enum exit_status status = mirror_run(&run);
	collide_mirror_destroy(run.mirror);
	return status;
}
