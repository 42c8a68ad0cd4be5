/* collide map create, get and rm: walls that many worlds have in common. */
#include "client/cli/commands/commands.h"

#include "client/cli/connection/connection.h"
#include "client/cli/scene/scene_json.h"
#include "client/cli/terminal/colour.h"
#include "client/cli/terminal/output.h"
#include "client/cli/worlds/map_walls.h"
#include "client/cli/worlds/walls.h"
#include "client/cli/worlds/world_print.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The walls of a scene file, packed. The caller frees creation->message. */
static enum exit_status
walls_load(const char *path, struct collide_map_creation *creation)
{
	char error[300];
	const char *problem;
	Collide__V1__Scene *scene;
	if (!scene_json_load(path, &scene, error, sizeof error)) {
		fprintf(stderr, "collide map create: %s\n", error);
		return EXIT_STATUS_USAGE;
	}
	creation->message = walls_pack(scene, &creation->message_bytes, &problem);
	scene_json_free(scene);
	if (creation->message)
		return EXIT_STATUS_DONE;
	problem_begin("map create");
	fprintf(stderr, "%s: %s\n", path, problem);
	return EXIT_STATUS_USAGE;
}

/* What is done with a map, and answered by its MapInfo. */
typedef bool (*map_change_fn)(struct collide_client *client, const void *context, struct collide_map_info *info,
                              struct collide_error *error);

static enum exit_status
map_change(const char *command, const char *address, bool json, map_change_fn change, const void *context)
{
	enum exit_status status = EXIT_STATUS_DONE;
	struct world_json printer = { 0 };
	struct collide_map_info info;
	struct collide_error error;
	struct collide_client *client = connection_open(command, address, &status);
	if (!client)
		return status;
	if (json)
		world_json_begin(&printer, collide_client_core(client));
	if (!change(client, context, &info, &error))
		status = error_report(command, &error);
	else if (!json)
		map_info_print(&info);
	collide_close(client);
	return printer.failed ? EXIT_STATUS_FAILED : status;
}

static bool
map_create(struct collide_client *client, const void *creation, struct collide_map_info *info, struct collide_error *error)
{
	return collide_create_map(client, creation, info, error);
}

enum exit_status
cmd_map_create(int argc, char **argv)
{
	const char *address = NULL, *path = NULL;
	struct collide_map_creation creation = { 0 };
	uint64_t ttl_s = 0;
	bool json = false, for_ever = false;
	const struct argument arguments[] = {
		{ .name = "--name",
		  .kind = ARGUMENT_TEXT,
		  .out = &creation.name,
		  .value = "NAME",
		  .help = "letters, digits and -_.:/ (default: the daemon makes one)" },
		{ .name = "--ttl",
		  .kind = ARGUMENT_COUNT,
		  .out = &ttl_s,
		  .minimum = 1,
		  .maximum = 4000000,
		  .value = "S",
		  .help = "seconds that it stays without a world in it (default 60)" },
		{ .name = "--keep", .kind = ARGUMENT_SWITCH, .out = &for_ever, .help = "it stays until collide map rm" },
		CONNECTION_ARGUMENT(&address),
		JSON_ARGUMENT(&json, "the schema's MapInfo, in one line"),
	};
	const struct command_line line = {
		.command = "map create",
		.about =
			"Gives the daemon the walls of a scene, which any number of worlds can then have in common: kept once, with all\n"
			"that is computed from them. Circles of the scene do not count.",
		.example = "collide gen pinball | collide map create - --name table --json",
		.operand = "SCENE.json",
		.operand_required = true,
		.operand_out = &path,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	creation.ttl_ms = for_ever ? COLLIDE_TTL_NEVER : (uint32_t)(ttl_s * 1000);
	enum exit_status status = walls_load(path, &creation);
	if (status == EXIT_STATUS_DONE)
		status = map_change("map create", address, json, map_create, &creation);
	free((void *)(uintptr_t)creation.message);
	return status;
}

static enum exit_status
walls_save(const struct map_walls *walls, const char *path)
{
	errno = 0; /* memory that is wanting may not set it */
	FILE *file = output_open(path);
	bool good = file && map_walls_write(walls, file);
	if (file && !output_close(file))
		good = false;
	if (good)
		return EXIT_STATUS_DONE;
	problem_begin("map get");
	fprintf(stderr, "%s: %s\n", path, errno != 0 ? strerror(errno) : "no memory");
	return EXIT_STATUS_FAILED;
}

enum exit_status
cmd_map_get(int argc, char **argv)
{
	const char *address = NULL, *name = NULL, *path = "-";
	const struct argument arguments[] = {
		{ .name = "--output",
		  .letter = 'o',
		  .kind = ARGUMENT_FILE,
		  .out = &path,
		  .value = "FILE",
		  .help = "instead of stdout" },
		CONNECTION_ARGUMENT(&address),
	};
	const struct command_line line = {
		.command = "map get",
		.about = "Writes the walls of a map as a scene file without circles.",
		.example = "collide gen pinball | collide map create - --name seen >out && collide map get seen -o seen.json",
		.operand = "MAP",
		.operand_required = true,
		.operand_out = &name,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	enum exit_status status = EXIT_STATUS_DONE;
	if (!output_probe("map get", path))
		return EXIT_STATUS_FAILED;
	struct collide_client *client = connection_open("map get", address, &status);
	if (!client)
		return status;
	const struct collide_map_key key = { .name = name };
	struct map_walls walls = { 0 };
	struct collide_error error;
	if (!collide_get_map(client, &key, map_walls_take, &walls, &error))
		status = error_report("map get", &error);
	collide_close(client);
	if (status == EXIT_STATUS_DONE)
		status = walls_save(&walls, path);
	map_walls_finish(&walls);
	return status;
}

static bool
map_drop(struct collide_client *client, const void *name, struct collide_map_info *info, struct collide_error *error)
{
	return collide_drop_map(client, name, info, error);
}

enum exit_status
cmd_map_rm(int argc, char **argv)
{
	const char *address = NULL, *name = NULL;
	bool json = false;
	const struct argument arguments[] = {
		CONNECTION_ARGUMENT(&address),
		JSON_ARGUMENT(&json, "the schema's MapInfo as it was, in one line"),
	};
	const struct command_line line = {
		.command = "map rm",
		.about = "Drops a map. Worlds in it keep it, new ones do not find it.",
		.example = "collide gen pinball | collide map create - --name old >out && collide map rm old",
		.operand = "MAP",
		.operand_required = true,
		.operand_out = &name,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	return map_change("map rm", address, json, map_drop, name);
}
