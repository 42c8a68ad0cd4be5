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

static uint64_t
limit_value(const struct collide_limits *values, const struct limit *limit)
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
}

/* The Welcome itself. The features that apply are none: this client asks for none. */
static bool
info_print_json(const struct collide_welcome *welcome)
{
	Collide__V1__Welcome message = COLLIDE__V1__WELCOME__INIT;
	Collide__V1__Limits told = COLLIDE__V1__LIMITS__INIT;
	char server[sizeof welcome->server];
	memcpy(server, welcome->server, sizeof server);
	message.version = welcome->version;
	message.server = server;
	message.instance_id = welcome->instance_id;
	message.ping_interval_ms = welcome->ping_interval_ms;
	message.optional_limits_case = COLLIDE__V1__WELCOME__OPTIONAL_LIMITS_LIMITS;
	message.limits = &told;
	for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
		const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field_by_name(told.base.descriptor,
		                                                                                        limits[i].name);
		memcpy((char *)&told + field->offset, (const char *)&welcome->limits + limits[i].offset,
		       limits[i].wide ? sizeof(uint64_t) : sizeof(uint32_t));
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
