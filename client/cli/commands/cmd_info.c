/* collide info: what the daemon's Welcome says, and its schema on request. */
#include "client/cli/commands/commands.h"

#include "client/cli/connection/connection.h"
#include "client/cli/scene/message_json.h"
#include "collide/v1/collide.pb-c.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct limit {
	const char *name; /* as in Limits */
	const char *about;
	size_t offset;
	bool wide; /* 64 bits */
} limits[] = {
#define LIMIT(field, text, is_wide)                                   \
	{                                                                 \
#field, text, offsetof(struct collide_limits, field), is_wide \
	}
	LIMIT(message_bytes_max, "of one request", false),
	LIMIT(frame_bytes_max, "of one message back, about", false),
	LIMIT(requests_in_flight_max, "per connection", false),
	LIMIT(circles_max, "per scene", false),
	LIMIT(segments_max, "per scene", false),
	LIMIT(hand_written_max, "circles, and segments, given one by one", false),
	LIMIT(ticks_max, "per simulation", true),
	LIMIT(events_per_body_max, "in one tick, the most a scene may ask for", false),
	LIMIT(work_per_tick_max, "counted work of a tick, the most a scene may ask for", true),
	LIMIT(work_per_body_max, "the same for each circle", true),
	LIMIT(contacts_per_tick_max, "a tick with more ends its simulation", true),
	LIMIT(memory_bytes_max, "of one scene and its world", true),
	LIMIT(deadline_ms_max, "the longest deadline; 0: none", false),
#undef LIMIT
};

/* Of worlds that live on the server: members of WorldLimits. */
static const struct limit world_limits[] = {
#define LIMIT(field, text, is_wide)                                         \
	{                                                                       \
#field, text, offsetof(struct collide_world_limits, field), is_wide \
	}
	LIMIT(worlds_max, "on the server", false),
	LIMIT(worlds_per_account_max, "of one address", false),
	LIMIT(maps_max, "on the server", false),
	LIMIT(seats_per_world_max, "", false),
	LIMIT(subscriptions_per_world_max, "", false),
	LIMIT(tick_hz_max, "ticks a second", false),
	LIMIT(batches_waiting_max, "of one seat, received and not decided", false),
	LIMIT(batch_rows_max, "of all its tables together", false),
	LIMIT(batch_bytes_max, "of one message with batches", false),
	LIMIT(ahead_ticks_max, "how far ahead a batch may name its tick", false),
	LIMIT(history_ticks_max, "how far back a snapshot may go", false),
	LIMIT(world_bytes_max, "of one world", true),
	LIMIT(journal_bytes_max, "of commands that a world's history needs", true),
	LIMIT(owed_bytes_max, "of contacts and events that wait for one reader", true),
	LIMIT(kept_bytes_max, "of updates for readers that come back", true),
	LIMIT(batches_per_second_max, "of one seat", false),
	LIMIT(bytes_per_second_max, "the same of bytes", false),
	LIMIT(outcomes_max, "kept of one seat", false),
	LIMIT(resimulated_ticks_max, "that a world may make again in a second", false),
#undef LIMIT
};

static uint64_t
limit_value(const void *values, const struct limit *limit)
{
	const void *place = (const char *)values + limit->offset;
	return limit->wide ? *(const uint64_t *)place : *(const uint32_t *)place;
}

static void
info_print(const struct collide_welcome *welcome)
{
	printf("server                  %s\n", welcome->server);
	printf("protocol                collide.v%" PRIu32 "\n", welcome->version);
	printf("instance                %016" PRIx64 "\n", welcome->instance_id);
	printf("ping_interval_ms        %" PRIu32 "\n", welcome->ping_interval_ms);
	for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
		printf("%-23s %-12" PRIu64 " %s\n", limits[i].name, limit_value(&welcome->limits, &limits[i]), limits[i].about);
	puts("worlds");
	for (size_t i = 0; i < sizeof world_limits / sizeof world_limits[0]; i++)
		printf("  %-28s %-12" PRIu64 " %s\n", world_limits[i].name, limit_value(&welcome->limits.worlds, &world_limits[i]),
		       world_limits[i].about);
}

/* Copies limits into the message that has members of their names. */
static void
limits_fill(ProtobufCMessage *message, const void *values, const struct limit *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field_by_name(message->descriptor,
		                                                                                        rows[i].name);
		memcpy((char *)message + field->offset, (const char *)values + rows[i].offset,
		       rows[i].wide ? sizeof(uint64_t) : sizeof(uint32_t));
	}
}

/* The Welcome itself. The features that apply are none: this client asks for none. */
static bool
info_print_json(const struct collide_welcome *welcome)
{
	Collide__V1__Welcome message = COLLIDE__V1__WELCOME__INIT;
	Collide__V1__Limits told = COLLIDE__V1__LIMITS__INIT;
	Collide__V1__WorldLimits worlds = COLLIDE__V1__WORLD_LIMITS__INIT;
	char server[sizeof welcome->server];
	memcpy(server, welcome->server, sizeof server);
	message.version = welcome->version;
	message.server = server;
	message.instance_id = welcome->instance_id;
	message.ping_interval_ms = welcome->ping_interval_ms;
	message.optional_limits_case = COLLIDE__V1__WELCOME__OPTIONAL_LIMITS_LIMITS;
	message.limits = &told;
	limits_fill(&told.base, &welcome->limits, limits, sizeof limits / sizeof limits[0]);
	limits_fill(&worlds.base, &welcome->limits.worlds, world_limits, sizeof world_limits / sizeof world_limits[0]);
	if (welcome->limits.worlds.worlds_max > 0) {
		told.optional_worlds_case = COLLIDE__V1__LIMITS__OPTIONAL_WORLDS_WORLDS;
		told.worlds = &worlds;
	}
	return message_json_write(stdout, &message.base, MESSAGE_JSON_LINE);
}

static enum exit_status
schema_print(struct collide_client *client)
{
	struct collide_error error;
	const void *bytes;
	size_t count;
	if (!collide_describe(client, &bytes, &count, &error))
		return error_report("info", &error);
	return fwrite(bytes, 1, count, stdout) == count ? EXIT_STATUS_DONE : EXIT_STATUS_FAILED;
}

enum exit_status
cmd_info(int argc, char **argv)
{
	static const char *const formats[] = { "table", "json", NULL };
	const char *address = NULL;
	bool schema = false, json = false;
	unsigned format = 0;
	const struct argument arguments[] = {
		CONNECTION_ARGUMENT(&address),
		{ .name = "--format",
		  .letter = 'f',
		  .kind = ARGUMENT_CHOICE,
		  .out = &format,
		  .choices = formats,
		  .value = "table|json",
		  .help = "how to print it (default table)" },
		JSON_ARGUMENT(&json, "the same as --format json: the schema's Welcome"),
		{ .name = "--schema",
		  .kind = ARGUMENT_SWITCH,
		  .out = &schema,
		  .help = "write the daemon's FileDescriptorSet to stdout instead" },
	};
	const struct command_line line = {
		.command = "info",
		.about = "Shows the daemon's version and every limit that applies to a connection.",
		.example = "collide info --json",
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;

	enum exit_status status = EXIT_STATUS_DONE;
	struct collide_client *client = connection_open("info", address, &status);
	if (!client)
		return status;
	if (schema)
		status = schema_print(client);
	else if (json || format == 1)
		status = info_print_json(collide_client_welcome(client)) ? EXIT_STATUS_DONE : EXIT_STATUS_FAILED;
	else
		info_print(collide_client_welcome(client));
	collide_close(client);
	return status;
}
