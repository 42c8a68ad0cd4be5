/* collide world snapshot, collide world restore: a world's state in a file, and back. */
#include "client/cli/commands/commands.h"

#include "client/cli/connection/connection.h"
#include "client/cli/recording/start.h"
#include "client/cli/scene/scene_json.h"
#include "client/cli/terminal/colour.h"
#include "client/cli/terminal/output.h"
#include "client/cli/worlds/world_change.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A Scene goes out as a scene file. */
static bool
scene_write(const struct collide_snapshot *snapshot, FILE *file)
{
	Collide__V1__Scene *scene = collide__v1__scene__unpack(NULL, snapshot->count, snapshot->bytes);
	bool good = scene && scene_json_write(file, scene);
	if (scene)
		collide__v1__scene__free_unpacked(scene, NULL);
	return good;
}

static enum exit_status
snapshot_write(const char *path, const struct collide_snapshot *snapshot, const struct collide_world_moment *moment)
{
	FILE *file = moment->handover ? output_open_private(path) : output_open(path);
	bool good = file && (moment->as_scene ? scene_write(snapshot, file)
	                                      : fwrite(snapshot->bytes, 1, snapshot->count, file) == snapshot->count);
	if (file && !output_close(file))
		good = false;
	if (!good) {
		problem_begin("world snapshot");
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return EXIT_STATUS_FAILED;
	}
	if (!output_is_stdout(path))
		printf("tick %" PRIu64 ", %zu bytes in %s\n", snapshot->tick, snapshot->count, path);
	return EXIT_STATUS_DONE;
}

static enum exit_status
snapshot_take(const struct world_key_options *options, const struct collide_world_moment *moment, const char *path)
{
	struct secret secret;
	struct collide_world_key key;
	struct collide_snapshot snapshot;
	struct collide_error error;
	enum exit_status status = world_key_read("world snapshot", options, &secret, &key);
	if (status != EXIT_STATUS_DONE)
		return status;
	struct collide_client *client = connection_open("world snapshot", options->address, &status);
	if (!client)
		return status;
	if (!collide_snapshot_world(client, &key, moment, &snapshot, &error))
		status = error_report("world snapshot", &error);
	else
		status = snapshot_write(path, &snapshot, moment);
	collide_close(client);
	return status;
}

enum exit_status
cmd_world_snapshot(int argc, char **argv)
{
	struct world_key_options options = { 0 };
	struct collide_world_moment moment = { 0 };
	const char *path = "-";
	const struct argument arguments[] = {
		{ .name = "--output",
		  .letter = 'o',
		  .kind = ARGUMENT_FILE,
		  .out = &path,
		  .value = "FILE",
		  .help = "where to (default \"-\": stdout)" },
		{ .name = "--at",
		  .kind = ARGUMENT_COUNT,
		  .out = &moment.at_tick,
		  .given = &moment.has_tick,
		  .minimum = 0,
		  .maximum = UINT64_MAX,
		  .value = "TICK",
		  .help = "as it was after this tick, as far as its history reaches" },
		{ .name = "--handover",
		  .kind = ARGUMENT_SWITCH,
		  .out = &moment.handover,
		  .help = "for another daemon: with secrets, seats with their tokens, and\ncommands that wait" },
		{ .name = "--scene",
		  .kind = ARGUMENT_SWITCH,
		  .out = &moment.as_scene,
		  .help = "instead a scene file of where everything is. It does not go\non to the same bits" },
		SECRET_FILE_ARGUMENT(&options, "the owner secret"),
		SECRET_ARGUMENT(&options),
		EPOCH_ARGUMENT(&options),
		CONNECTION_ARGUMENT(&options.address),
	};
	const struct command_line line = {
		.command = "world snapshot",
		.about =
			"Saves a world's state, from which collide world create and collide world restore go on to the same bits. With\n"
			"--handover the file has secrets in it, and only its owner may read it.",
		.example =
			"collide gen break | collide world create - --name saved -k s && collide world snapshot saved -k s -o saved.world",
		.operand = "WORLD",
		.operand_required = true,
		.operand_out = &options.name,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	if (moment.handover && moment.as_scene) {
		problem_begin("world snapshot");
		fprintf(stderr, "--handover and --scene are both given: one is meant\n");
		return EXIT_STATUS_USAGE;
	}
	if (!output_probe("world snapshot", path))
		return EXIT_STATUS_USAGE;
	return snapshot_take(&options, &moment, path);
}

struct saved {
	const uint8_t *bytes;
	size_t count;
};

static bool
saved_put(struct collide_client *client, const struct collide_world_key *key, const void *context,
          struct collide_world_info *info, struct collide_error *error)
{
	const struct saved *saved = context;
	return collide_restore_world(client, key, saved->bytes, saved->count, info, error);
}

enum exit_status
cmd_world_restore(int argc, char **argv)
{
	struct world_key_options options = { 0 };
	const char *path = NULL;
	bool json = false;
	const struct argument arguments[] = {
		{ .name = "--from",
		  .kind = ARGUMENT_FILE,
		  .out = &path,
		  .value = "FILE",
		  .help = "of collide world snapshot (\"-\": stdin); required" },
		SECRET_FILE_ARGUMENT(&options, "the owner secret"),
		SECRET_ARGUMENT(&options),
		EPOCH_ARGUMENT(&options),
		CONNECTION_ARGUMENT(&options.address),
		JSON_ARGUMENT(&json, "the schema's WorldInfo, in one line"),
	};
	const struct command_line line = {
		.command = "world restore",
		.about =
			"Gives a world another past: the state of a snapshot, and a new epoch. Seats may be taken up again with their\n"
			"tokens; commands that wait are refused.",
		.example =
			"collide gen break | collide world create - --name again -k s && collide world snapshot again -k s -o s.world &&\n"
			"  collide world restore again -k s --from s.world",
		.operand = "WORLD",
		.operand_required = true,
		.operand_out = &options.name,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	uint8_t *bytes = NULL;
	size_t count;
	if (!path) {
		problem_begin("world restore");
		fprintf(stderr, "--from FILE is missing; see collide world restore --help\n");
		return EXIT_STATUS_USAGE;
	}
	if (!start_read_file(path, &bytes, &count)) {
		problem_begin("world restore");
		fprintf(stderr, "--from %s: %s\n", path, strerror(errno));
		return EXIT_STATUS_USAGE;
	}
	const struct saved saved = { bytes, count };
	enum exit_status status = world_change("world restore", &options, json, saved_put, &saved);
	free(bytes);
	return status;
}
