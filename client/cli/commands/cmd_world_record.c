/* collide world record: writes what is commanded in a world into a file, from which every state can be made again. */
#include "client/cli/commands/commands.h"

#include "client/cli/connection/connection.h"
#include "client/cli/recording/packed_file.h"
#include "client/cli/terminal/colour.h"
#include "client/cli/terminal/interrupt.h"
#include "client/cli/terminal/progress.h"
#include "client/cli/worlds/server_record.h"
#include "client/cli/worlds/world_key.h"
#include "collide/v1/collide.pb-c.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* From one flush of the file to the next. Each costs a compressed file some bytes. */
enum { FLUSH_MS = 100, FLUSH_PACKED_MS = 500 };

struct world_record {
	struct world_key_options key;
	const char *path;
	uint64_t ticks, every;
	bool by_server, ends_server; /* --server, --end */

	struct collide_channel *channel;
	bool packed; /* --zstd */
	struct packed_writer file;
	bool begun, ended, failed; /* failed: to write, with errno in `problem` */
	int problem;
	double flushed; /* when */
	uint64_t first, tick, bytes;
	struct collide_error end;
};

/* A varint of at most ten bytes, from *at on; 0 where it ends too early. */
static uint64_t
varint_read(const uint8_t *bytes, size_t count, size_t *at)
{
	uint64_t value = 0;
	for (unsigned shift = 0; *at < count && shift < 64; shift += 7) {
		uint8_t byte = bytes[(*at)++];
		value |= (uint64_t)(byte & 0x7f) << shift;
		if ((byte & 0x80) == 0)
			return value;
	}
	return 0;
}

/* Whether a message, its length in front, is an update: the field behind its request_id says. */
static bool
is_update(const uint8_t *bytes, size_t count)
{
	size_t at = 0;
	(void)varint_read(bytes, count, &at);
	if (varint_read(bytes, count, &at) == 1 << 3)
		(void)varint_read(bytes, count, &at);
	else
		return false;
	return varint_read(bytes, count, &at) >> 3 == COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE;
}

static void
record_take(void *context, bool sent, const void *bytes, size_t count)
{
	struct world_record *record = context;
	if (sent || record->failed || record->ended || !is_update(bytes, count))
		return;
	record->bytes += count;
	record->failed = !packed_write(&record->file, bytes, count);
	record->problem = errno;
}

static void
on_connected(void *context, const struct collide_welcome *welcome)
{
	struct world_record *record = context;
	(void)welcome;
	collide_core_record(collide_channel_core(record->channel), record_take, record);
}

static void
on_update(void *context, struct collide_subscription *subscription, const struct collide_world_update *update)
{
	struct world_record *record = context;
	(void)subscription;
	if (!record->begun)
		record->first = update->tick;
	record->begun = true;
	record->tick = update->tick;
	record->ended = record->ticks > 0 && record->tick - record->first >= record->ticks;
}

static void
on_end(void *context, struct collide_subscription *subscription, const struct collide_error *error)
{
	struct world_record *record = context;
	(void)subscription;
	record->ended = true;
	record->end = *error;
}

/* What has come, into the file: a recorder that is killed loses what came after. */
static void
record_flush(struct world_record *record)
{
	double now = clock_now_seconds();
	if (record->failed || now - record->flushed < (record->file.packer ? FLUSH_PACKED_MS : FLUSH_MS) / 1e3)
		return;
	record->flushed = now;
	record->failed = !packed_flush(&record->file);
	record->problem = errno;
}

/* Until there are as many ticks as were asked for, or it is interrupted, or the world ends. */
static enum exit_status
record_follow(struct world_record *record)
{
	struct collide_error error;
	while (!record->ended && !record->failed && !interrupt_came(NULL)) {
		if (!collide_channel_wait(record->channel, FLUSH_MS, &error))
			return error_report("world record", &error);
		record_flush(record);
	}
	if (record->failed) {
		problem_begin("world record");
		fprintf(stderr, "%s: %s\n", record->path, strerror(record->problem));
		return EXIT_STATUS_FAILED;
	}
	if (record->end.code != COLLIDE_OK)
		fprintf(stderr, "collide world record: the subscription ended: %s\n", record->end.reason);
	return record->begun ? EXIT_STATUS_DONE : EXIT_STATUS_FAILED;
}

static enum exit_status
record_run(struct world_record *record)
{
	struct secret secret;
	struct collide_world_key key;
	struct collide_error error;
	enum exit_status status = world_key_read("world record", &record->key, &secret, &key);
	if (status != EXIT_STATUS_DONE)
		return status;
	const char *address = connection_address(record->key.address);
	const struct collide_channel_options options = { .retry_for_ms = 10000, .on_connected = on_connected, .context = record };
	const struct collide_reader reader = { .on_update = on_update, .on_end = on_end, .context = record };
	const struct collide_interest interest = { .world = key.name,
		                                       .secret = key.secret,
		                                       .secret_bytes = key.secret_bytes,
		                                       .epoch = key.epoch,
		                                       .stream = COLLIDE_STREAM_COMMANDS,
		                                       .every = (uint32_t)record->every };
	record->channel = collide_channel_create(address, &options, &error);
	if (!record->channel)
		return connection_error_report("world record", address, &error);
	interrupt_watch();
	if (collide_subscribe(record->channel, NULL, &interest, &reader, &error))
		status = record_follow(record);
	else
		status = error_report("world record", &error);
	collide_channel_destroy(record->channel);
	return status;
}

static void
summary_print(const struct world_record *record)
{
	printf("ticks %" PRIu64 " to %" PRIu64 ", %" PRIu64 " bytes", record->first, record->tick, record->bytes);
	if (record->file.bytes != record->bytes)
		printf(", compressed %" PRIu64, record->file.bytes);
	printf(" in %s\n", record->path);
}

/* What the daemon does by itself has nothing to do with files here. */
static enum exit_status
record_on_server(const struct world_record *record)
{
	const struct server_record order = {
		.key = &record->key,
		.recording = { .file = record->path, .ticks = record->ticks, .every = (uint32_t)record->every },
		.end = record->ends_server,
	};
	const char *wrong = record->packed                                                    ? "--zstd"
	                    : record->by_server && record->ends_server                        ? "--server"
	                    : record->ends_server && record->path                             ? "--output"
	                    : record->ends_server && (record->ticks > 0 || record->every > 0) ? "--ticks or --every"
	                                                                                      : NULL;
	if (wrong) {
		problem_begin("world record");
		fprintf(stderr, "%s does not go with %s\n", wrong, record->ends_server ? "--end" : "--server");
		return EXIT_STATUS_USAGE;
	}
	return server_record_run(&order);
}

enum exit_status
cmd_world_record(int argc, char **argv)
{
	struct world_record record = { .path = NULL };
	const struct argument arguments[] = {
		{ .name = "--output",
		  .letter = 'o',
		  .kind = ARGUMENT_FILE,
		  .out = &record.path,
		  .value = "FILE",
		  .help = "where to; a name in .zst: compressed" },
		{ .name = "--zstd", .kind = ARGUMENT_SWITCH, .out = &record.packed, .help = "compressed by zstd, whatever the name" },
		{ .name = "--ticks",
		  .letter = 'n',
		  .kind = ARGUMENT_COUNT,
		  .out = &record.ticks,
		  .minimum = 1,
		  .maximum = UINT64_MAX,
		  .value = "N",
		  .help = "so many ticks (default: until Ctrl-C, or the world's end)" },
		{ .name = "--every",
		  .letter = 'e',
		  .kind = ARGUMENT_COUNT,
		  .out = &record.every,
		  .minimum = 1,
		  .maximum = 3600,
		  .value = "K",
		  .help = "ticks from one message to the next (default 3, of the daemon's\nown recordings 30)" },
		{ .name = "--server",
		  .kind = ARGUMENT_SWITCH,
		  .out = &record.by_server,
		  .help =
		      "the daemon writes the file, into its --record-dir, and goes on\nwithout this command; --output is its name there, NAME.rec\n"
		      "(default: the daemon makes one)" },
		{ .name = "--end",
		  .kind = ARGUMENT_SWITCH,
		  .out = &record.ends_server,
		  .help = "ends the daemon's recording, and waits until the file is whole" },
		SECRET_FILE_ARGUMENT(&record.key, "any of the world's secrets; with --server and --end the owner's"),
		SECRET_ARGUMENT(&record.key),
		EPOCH_ARGUMENT(&record.key),
		CONNECTION_ARGUMENT(&record.key.address),
	};
	const struct command_line line = {
		.command = "world record",
		.about =
			"Writes a world's state and then what is commanded in it: a few bytes for each input, nothing while none comes.\n"
			"collide world verify makes every tick of it again, to the bit; collide replay, view and render play it. All read\n"
			"compressed files too. A recorder that is killed loses less than the last second.",
		.example =
			"collide gen break | collide world create - --name taped -k s >out && collide world record taped -k s -o taped.rec -n 30",
		.operand = "NAME",
		.operand_required = true,
		.operand_out = &record.key.name,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	if (record.by_server || record.ends_server)
		return record_on_server(&record);
	if (!record.path) {
		problem_begin("world record");
		fprintf(stderr, "--output is required\n");
		return EXIT_STATUS_USAGE;
	}
	if (!packed_create(&record.file, record.path, record.packed || packed_is_name(record.path))) {
		problem_begin("world record");
		fprintf(stderr, "%s: %s\n", record.path, record.file.problem ? record.file.problem : strerror(errno));
		(void)packed_finish(&record.file);
		return EXIT_STATUS_FAILED;
	}
	enum exit_status status = record_run(&record);
	if (!packed_finish(&record.file) && status == EXIT_STATUS_DONE) {
		problem_begin("world record");
		fprintf(stderr, "%s: %s\n", record.path, strerror(errno));
		status = EXIT_STATUS_FAILED;
	}
	if (status == EXIT_STATUS_DONE)
		summary_print(&record);
	return status;
}
