/* collide world info, collide world set, collide world rm: what a world is; changes how it goes; ends it. */
#include "client/cli/commands/commands.h"

#include "client/cli/connection/connection.h"
#include "client/cli/worlds/world_change.h"

static bool
setting_put(struct collide_client *client, const struct collide_world_key *key, const void *setting,
            struct collide_world_info *info, struct collide_error *error)
{
	return collide_set_world(client, key, setting, info, error);
}

enum exit_status
cmd_world_set(int argc, char **argv)
{
	static const char *const clocks[] = { "server", "client", "paused", NULL };
	struct world_key_options options = { 0 };
	struct collide_world_setting setting = { 0 };
	struct argument_texts texts = { 0 };
	struct label_texts labels;
	unsigned clock = 0;
	uint64_t hz = 0, ttl_s = 0, join_ids_max = 0, join_circles_max = 0;
	bool clock_given = false, keep = false, json = false;
	const struct argument arguments[] = {
		{ .name = "--clock",
		  .kind = ARGUMENT_CHOICE,
		  .out = &clock,
		  .given = &clock_given,
		  .choices = clocks,
		  .value = "server|client|paused",
		  .help = "when ticks are made: by the daemon's clock, by collide world\nstep, or not at all" },
		{ .name = "--hz",
		  .kind = ARGUMENT_COUNT,
		  .out = &hz,
		  .minimum = 1,
		  .maximum = 1000000,
		  .value = "N",
		  .help = "ticks a second by the daemon's clock" },
		{ .name = "--ttl",
		  .kind = ARGUMENT_COUNT,
		  .out = &ttl_s,
		  .given = &setting.has_idle_ttl,
		  .minimum = 1,
		  .maximum = 4000000,
		  .value = "S",
		  .help = "seconds without seats and readers after which it ends" },
		{ .name = "--keep", .kind = ARGUMENT_SWITCH, .out = &keep, .help = "it stays until collide world rm" },
		{ .name = "--join-ids",
		  .kind = ARGUMENT_COUNT,
		  .out = &join_ids_max,
		  .minimum = 1,
		  .maximum = UINT32_MAX,
		  .value = "N",
		  .help = "ids of circles for a new seat by the join secret at most" },
		{ .name = "--join-circles",
		  .kind = ARGUMENT_COUNT,
		  .out = &join_circles_max,
		  .minimum = 1,
		  .maximum = UINT32_MAX,
		  .value = "N",
		  .help = "seats by the join secret spawn no more circles when it has so\nmany" },
		{ .name = "--label",
		  .kind = ARGUMENT_TEXTS,
		  .out = &texts,
		  .value = "KEY=VALUE",
		  .help = "these replace all that it has; may be given several times" },
		SECRET_FILE_ARGUMENT(&options, "the owner secret"),
		SECRET_ARGUMENT(&options),
		EPOCH_ARGUMENT(&options),
		CONNECTION_ARGUMENT(&options.address),
		JSON_ARGUMENT(&json, "the schema's WorldInfo, in one line"),
	};
	const struct command_line line = {
		.command = "world set",
		.about =
			"Changes how a world goes: its clock, its rate, how long it lives unused, what seats by the join secret\nmay spawn, its labels. What is not given stays.",
		.example =
			"collide gen break | collide world create - --name slow -k slow.secret && collide world set slow --hz 20 -k slow.secret",
		.operand = "WORLD",
		.operand_required = true,
		.operand_out = &options.name,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	enum exit_status status = label_options_read("world set", &texts, &labels);
	if (status != EXIT_STATUS_DONE)
		return status;
	setting.clock = clock_given ? COLLIDE_CLOCK_SERVER + clock : COLLIDE_CLOCK_DEFAULT;
	setting.tick_hz = (uint32_t)hz;
	setting.has_idle_ttl = setting.has_idle_ttl || keep;
	setting.idle_ttl_ms = keep ? COLLIDE_TTL_NEVER : (uint32_t)(ttl_s * 1000);
	setting.join_ids_max = (uint32_t)join_ids_max;
	setting.join_circles_max = (uint32_t)join_circles_max;
	setting.labels = labels.labels;
	setting.label_count = labels.count;
	return world_change("world set", &options, json, setting_put, &setting);
}

/* Setting nothing is answered as any setting is. */
enum exit_status
cmd_world_info(int argc, char **argv)
{
	struct world_key_options options = { 0 };
	const struct collide_world_setting nothing = { .clock = COLLIDE_CLOCK_DEFAULT };
	bool json = false;
	const struct argument arguments[] = {
		SECRET_FILE_ARGUMENT(&options, "the owner secret"),
		SECRET_ARGUMENT(&options),
		EPOCH_ARGUMENT(&options),
		CONNECTION_ARGUMENT(&options.address),
		JSON_ARGUMENT(&json, "the schema's WorldInfo, in one line"),
	};
	const struct command_line line = {
		.command = "world info",
		.about =
			"Shows what a world is: its clock, tick and contents, its seats and readers, ticks that were made again, checks that it\n"
			"made of itself, its recording, labels and join secret.",
		.example =
			"collide gen break | collide world create - --name shown -k shown.secret && collide world info shown -k shown.secret",
		.operand = "WORLD",
		.operand_required = true,
		.operand_out = &options.name,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	return world_change("world info", &options, json, setting_put, &nothing);
}

static bool
world_destroy(struct collide_client *client, const struct collide_world_key *key, const void *context,
              struct collide_world_info *info, struct collide_error *error)
{
	(void)context;
	return collide_destroy_world(client, key, info, error);
}

enum exit_status
cmd_world_rm(int argc, char **argv)
{
	struct world_key_options options = { 0 };
	bool json = false;
	const struct argument arguments[] = {
		SECRET_FILE_ARGUMENT(&options, "the owner secret"),
		SECRET_ARGUMENT(&options),
		EPOCH_ARGUMENT(&options),
		CONNECTION_ARGUMENT(&options.address),
		JSON_ARGUMENT(&json, "the schema's WorldInfo as it was, in one line"),
	};
	const struct command_line line = {
		.command = "world rm",
		.about = "Ends a world. Its seats and readers are told, and commands that wait are refused.",
		.example =
			"collide gen break | collide world create - --name short -k short.secret && collide world rm short -k short.secret",
		.operand = "WORLD",
		.operand_required = true,
		.operand_out = &options.name,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	return world_change("world rm", &options, json, world_destroy, NULL);
}
