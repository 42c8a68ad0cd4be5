/* collide world send: batches of commands for a world, and what became of them. */
#include "client/cli/commands/commands.h"

#include "client/cli/connection/connection.h"
#include "client/cli/scene/message_json.h"
#include "client/cli/scene/scene_json.h"
#include "client/cli/terminal/colour.h"
#include "client/cli/terminal/interrupt.h"
#include "client/cli/worlds/seated.h"
#include "client/cli/worlds/world_key.h"
#include "collide/v1/collide.pb-c.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct send_options {
	struct world_key_options key;
	const char *token_path;
	struct argument_texts operands; /* the world, and files */
	unsigned right;
	uint64_t ids;
	bool json;
};

static const char *const rights[] = { "own", "all", NULL };

/* Batches that were read from files. */
struct batches {
	size_t count, decided, refused;
	Collide__V1__Commands *messages[ARGUMENT_TEXTS_MAX]; /* owned */
	bool json, failed;
};

static void
batches_finish(struct batches *batches)
{
	for (size_t i = 0; i < batches->count; i++)
		collide__v1__commands__free_unpacked(batches->messages[i], NULL);
}

static enum exit_status
batches_load(const struct argument_texts *operands, struct batches *batches)
{
	char error[300];
	for (size_t i = 1; i < operands->count; i++) {
		ProtobufCMessage *message;
		if (!query_json_load(operands->texts[i], &collide__v1__commands__descriptor, &message, error, sizeof error)) {
			fprintf(stderr, "collide world send: %s\n", error);
			return EXIT_STATUS_USAGE;
		}
		batches->messages[batches->count++] = (Collide__V1__Commands *)(void *)message;
	}
	return EXIT_STATUS_DONE;
}

static bool
outcome_print_json(const struct collide_outcome *outcome)
{
	Collide__V1__Outcome message = COLLIDE__V1__OUTCOME__INIT;
	message.sequence = outcome->sequence;
	message.tick = outcome->tick;
	message.code = (Collide__V1__Code)outcome->code;
	message.reason = (char *)(uintptr_t)outcome->reason;
	message.field = (char *)(uintptr_t)outcome->field;
	message.text = (char *)(uintptr_t)outcome->text;
	message.missing = outcome->missing;
	return message_json_write(stdout, &message.base, MESSAGE_JSON_LINE);
}

static void
outcome_print(uint64_t number, const struct collide_outcome *outcome)
{
	if (number == 0)
		printf("batch of before  ");
	else
		printf("batch %-10" PRIu64 " ", number);
	if (outcome->code == COLLIDE_OK && outcome->tick > 0)
		printf("took effect at tick %" PRIu64, outcome->tick);
	else if (outcome->code == COLLIDE_OK)
		printf("took effect");
	else
		printf("refused (%s, %s): %s%s%s", collide_code_name(outcome->code), outcome->reason, outcome->field,
		       outcome->field[0] != '\0' ? ": " : "", outcome->text);
	if (outcome->missing > 0)
		printf(", but for %" PRIu32 " rows of what is not there", outcome->missing);
	putchar('\n');
}

static void
on_outcome(void *context, uint64_t number, const struct collide_outcome *outcome)
{
	struct batches *batches = context;
	if (number > batches->decided) /* else it is undone */
		batches->decided = number;
	batches->refused += number > 0 && outcome->code != COLLIDE_OK;
	if (!batches->json)
		outcome_print(number, outcome);
	else if (!outcome_print_json(outcome))
		batches->failed = true;
	fflush(stdout);
}

static bool
all_decided(void *context)
{
	const struct batches *batches = context;
	return batches->decided == batches->count;
}

static bool
batch_send(struct collide_seat *seat, const Collide__V1__Commands *message, struct collide_error *error)
{
	size_t count = collide__v1__commands__get_packed_size(message);
	uint8_t *bytes = malloc(count + 1); /* never of size 0, which could be NULL */
	if (!bytes) {
		*error = (struct collide_error){ .code = COLLIDE_RESOURCE_EXHAUSTED,
			                             .origin = COLLIDE_FROM_LIBRARY,
			                             .text = "no memory" };
		return false;
	}
	collide__v1__commands__pack(message, bytes);
	const struct collide_batch batch = { .message = bytes, .message_bytes = count };
	bool good = collide_seat_send(seat, &batch, error) != 0;
	free(bytes);
	return good;
}

static void
attached_print(const struct collide_attached *attached)
{
	fprintf(stderr, "seat %" PRIu32 " at tick %" PRIu64, attached->seat, attached->tick);
	if (attached->id_count > 0)
		fprintf(stderr, ", with the ids %" PRIu32 " to %" PRIu32, attached->id_first,
		        attached->id_first + attached->id_count - 1);
	fputc('\n', stderr);
}

/* With a file for the token the seat is kept; otherwise it ends. */
static enum exit_status
seat_leave(struct seated *seated, const struct send_options *options, enum exit_status status)
{
	enum exit_status ended;
	if (options->token_path && status != EXIT_STATUS_USAGE)
		return status;
	(void)seated_detach(seated, &ended); /* else it ends by itself */
	return status;
}

static enum exit_status
batches_send(struct seated *seated, const struct send_options *options, struct batches *batches)
{
	enum exit_status status = EXIT_STATUS_DONE;
	const struct collide_attached *attached = collide_seat_attached(seated->seat);
	struct collide_error error;
	attached_print(attached);
	if (options->token_path)
		status = secret_write("world send", options->token_path, attached->token);
	for (size_t i = 0; status == EXIT_STATUS_DONE && i < batches->count; i++)
		if (!batch_send(seated->seat, batches->messages[i], &error))
			status = error_report("world send", &error);
	if (status != EXIT_STATUS_DONE || !seated_wait(seated, all_decided, batches, &status))
		return status;
	return batches->failed ? EXIT_STATUS_FAILED : batches->refused > 0 ? EXIT_STATUS_REFUSED : EXIT_STATUS_DONE;
}

/* By the token in the file, if there is one; else by the secret. */
static enum exit_status
attachment_make(const struct send_options *options, struct secret *secret, struct secret *token,
                struct collide_attachment *attachment)
{
	struct collide_world_key key = { .name = options->key.name };
	enum exit_status status = EXIT_STATUS_DONE;
	token->given = false;
	if (options->token_path && access(options->token_path, F_OK) == 0)
		status = secret_read("world send", "token", NULL, options->token_path, token);
	if (status == EXIT_STATUS_DONE && !token->given)
		status = world_key_read("world send", &options->key, secret, &key);
	*attachment = (struct collide_attachment){ .world = options->key.name,
		                                       .epoch = options->key.epoch,
		                                       .secret = key.secret,
		                                       .secret_bytes = key.secret_bytes,
		                                       .token = token->given ? token->bytes : NULL,
		                                       .right = COLLIDE_RIGHT_OWN + options->right,
		                                       .ids = (uint32_t)options->ids,
		                                       .label = "collide world send" };
	return status;
}

static enum exit_status
world_send(const struct send_options *options)
{
	struct batches batches = { .json = options->json };
	struct seated seated = { .on_outcome = on_outcome, .context = &batches };
	struct secret secret, token;
	struct collide_attachment attachment;
	enum exit_status status = attachment_make(options, &secret, &token, &attachment);
	if (status == EXIT_STATUS_DONE)
		status = batches_load(&options->operands, &batches);
	if (status == EXIT_STATUS_DONE && seated_open(&seated, "world send", options->key.address, &status)) {
		interrupt_watch();
		if (seated_attach(&seated, &attachment, &status))
			status = seat_leave(&seated, options, batches_send(&seated, options, &batches));
		seated_close(&seated);
	}
	batches_finish(&batches);
	return status;
}

enum exit_status
cmd_world_send(int argc, char **argv)
{
	struct send_options options = { 0 };
	const struct argument arguments[] = {
		{ .name = "--right",
		  .kind = ARGUMENT_CHOICE,
		  .out = &options.right,
		  .choices = rights,
		  .value = "own|all",
		  .help =
		      "what the seat may do: with its own circles, or everything; the\nlatter with the owner secret only (default own)" },
		{ .name = "--ids",
		  .kind = ARGUMENT_COUNT,
		  .out = &options.ids,
		  .minimum = 0,
		  .maximum = UINT32_MAX,
		  .value = "N",
		  .help = "reserve so many ids of circles for the seat (default 0)" },
		{ .name = "--token-file",
		  .kind = ARGUMENT_FILE,
		  .out = &options.token_path,
		  .value = "FILE",
		  .help = "keep the seat: its token is put there, and from then on taken\nfrom there instead of a secret" },
		SECRET_FILE_ARGUMENT(&options.key, "the owner or join secret"),
		SECRET_ARGUMENT(&options.key),
		EPOCH_ARGUMENT(&options.key),
		CONNECTION_ARGUMENT(&options.key.address),
		JSON_ARGUMENT(&options.json, "the schema's Outcome of each batch, one a line"),
	};
	const struct command_line line = {
		.command = "world send",
		.about =
			"Sends batches of commands, and tells what became of each: when all are decided it ends, with status 3 if one was\n"
			"refused. Each file is a Commands of the schema in protobuf's JSON form (\"-\": stdin); handle, sequence and acked do\n"
			"not count. Which ids the seat has is told on stderr.",
		.example =
			"collide gen break | collide world create - --name kicked -k s && echo '{\"velocities\":{\"id\":[0],\"vx\":[5],\"vy\":[0]}}' |\n"
			"  collide world send kicked - --right all -k s",
		.operand = "WORLD COMMANDS.json...",
		.operands_out = &options.operands,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	if (options.operands.count < 2) {
		problem_begin("world send");
		fprintf(stderr, "%s is missing; see collide world send --help\n",
		        options.operands.count == 0 ? "WORLD" : "COMMANDS.json");
		return EXIT_STATUS_USAGE;
	}
	options.key.name = options.operands.texts[0];
	return world_send(&options);
}
