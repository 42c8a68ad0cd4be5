/* collide decode: delimited messages as JSON, one a line.
 *
 * The stream does not say which side sent a message. It is read as the type, ClientMessage or ServerMessage, that has all its
 * fields. The few messages that fit both (an empty Ping or Pong) are taken to go the way of the one before. */
#include "client/cli/commands/commands.h"

#include "client/cli/recording/message_scan.h"
#include "client/cli/recording/recording.h"
#include "client/cli/scene/message_json.h"
#include "client/cli/terminal/arguments.h"
#include "collide/v1/collide.pb-c.h"

#include <stdio.h>

enum direction { DIRECTION_CLIENT, DIRECTION_SERVER, DIRECTION_AUTO };

static const ProtobufCMessageDescriptor *const message_types[] = {
	[DIRECTION_CLIENT] = &collide__v1__client_message__descriptor,
	[DIRECTION_SERVER] = &collide__v1__server_message__descriptor,
};

struct reading {
	bool good;
	struct message_unknown unknown;
	struct message_fault fault;
};

static struct reading
reading_try(enum direction direction, const struct recording *recording)
{
	struct reading reading;
	reading.good = message_scan(message_types[direction], recording->body, recording->body_bytes, &reading.unknown,
	                            &reading.fault);
	return reading;
}

static bool
reading_fits(const struct reading *reading)
{
	return reading->good && reading->unknown.outer + reading->unknown.inner == 0;
}

/* Which side sent a message, judged by both readings of it. */
static enum direction
direction_choose(const struct reading *client, const struct reading *server, enum direction before)
{
	bool client_fits = reading_fits(client), server_fits = reading_fits(server);
	if (client_fits != server_fits)
		return client_fits ? DIRECTION_CLIENT : DIRECTION_SERVER;
	if (client->unknown.outer != server->unknown.outer)
		return client->unknown.outer < server->unknown.outer ? DIRECTION_CLIENT : DIRECTION_SERVER;
	if (client->good != server->good)
		return client->good ? DIRECTION_CLIENT : DIRECTION_SERVER;
	/* Noise is reported as the type that it resembles for longer. */
	if (!client->good && client->fault.offset != server->fault.offset)
		return client->fault.offset > server->fault.offset ? DIRECTION_CLIENT : DIRECTION_SERVER;
	return before;
}

static bool
message_print(struct recording *recording, enum direction direction)
{
	ProtobufCMessage *message = protobuf_c_message_unpack(message_types[direction], NULL, recording->body_bytes,
	                                                      recording->body);
	if (!message) {
		recording_fault(recording, 0, "no memory for it");
		return false;
	}
	/* A failed write is noticed at the end, as for every command. */
	bool written = message_json_write(stdout, message, MESSAGE_JSON_LINE);
	protobuf_c_message_free_unpacked(message, NULL);
	return written;
}

static bool
stream_decode(struct recording *recording, enum direction asked)
{
	enum direction direction = asked == DIRECTION_AUTO ? DIRECTION_CLIENT : asked;
	enum recording_result result;
	size_t left_out = 0;
	while ((result = recording_next(recording)) == RECORDING_MESSAGE) {
		struct reading readings[] = { reading_try(DIRECTION_CLIENT, recording), reading_try(DIRECTION_SERVER, recording) };
		if (asked == DIRECTION_AUTO)
			direction = direction_choose(&readings[0], &readings[1], direction);
		const struct reading *reading = &readings[direction];
		if (!reading->good) {
			recording_fault(recording, reading->fault.offset, reading->fault.text);
			return false;
		}
		if (!message_print(recording, direction))
			return false;
		left_out += reading->unknown.outer + reading->unknown.inner;
	}
	if (left_out > 0)
		fprintf(stderr, "collide decode: %zu fields that this program does not know were left out\n", left_out);
	return result == RECORDING_END;
}

enum exit_status
cmd_decode(int argc, char **argv)
{
	static const char *const directions[] = { "client", "server", "auto", NULL };
	const char *path = NULL;
	unsigned direction = DIRECTION_AUTO;
	const struct argument arguments[] = {
		{ .name = "--as",
		  .kind = ARGUMENT_CHOICE,
		  .out = &direction,
		  .choices = directions,
		  .value = "client|server|auto",
		  .help = "what the messages are: ClientMessage, ServerMessage, or whichever\n"
		          "each one fits (default)" },
	};
	const struct command_line line = {
		.command = "decode",
		.about =
			"Prints a file of length-delimited messages (\"-\": stdin), such as a recording, as JSON: one message a line, in\n"
			"protobuf's JSON form. What is no message is told with its byte offset; what comes before it is printed.",
		.example = "collide gen cradle | collide run - --local --format none --record run.bin && collide decode run.bin",
		.operand = "FILE",
		.operand_required = true,
		.operand_out = &path,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;

	struct recording recording;
	bool opened = recording_open(&recording, path), good = opened && stream_decode(&recording, (enum direction)direction);
	if (!good && recording.problem[0] != '\0') {
		fflush(stdout); /* what could be read comes first, on a terminal too */
		fprintf(stderr, "collide decode: %s\n", recording.problem);
	}
	recording_close(&recording);
	return good ? EXIT_STATUS_DONE : opened ? EXIT_STATUS_FAILED : EXIT_STATUS_USAGE;
}
