/* collide world fork: a world on the server that goes on from another. */
#include "client/cli/commands/commands.h"

#include "client/cli/connection/connection.h"
#include "client/cli/terminal/output.h"
#include "client/cli/worlds/world_change.h"
#include "client/cli/worlds/world_print.h"

struct world_fork {
	struct world_key_options trunk;
	struct collide_world_fork fork;
	const char *secret_path; /* of the new world; NULL: it is printed */
	bool json;
};

static enum exit_status
world_fork(const struct world_fork *options)
{
	struct secret secret;
	struct collide_world_key key;
	struct world_json printer = { .hides_owner = options->secret_path != NULL };
	struct collide_world_info info;
	struct collide_error error;
	enum exit_status status = world_key_read("world fork", &options->trunk, &secret, &key);
	if (status != EXIT_STATUS_DONE)
		return status;
	struct collide_client *client = connection_open("world fork", options->trunk.address, &status);
	if (!client)
		return status;
	if (options->json)
		world_json_begin(&printer, collide_client_core(client));
	if (!collide_fork_world(client, &key, &options->fork, &info, &error))
		status = error_report("world fork", &error);
	else if (options->secret_path && info.has_secrets)
		status = world_secret_write("world fork", client, options->secret_path, &info);
	if (status == EXIT_STATUS_DONE && !options->json)
		world_info_print(&info, !options->secret_path);
	collide_close(client);
	return printer.failed ? EXIT_STATUS_FAILED : status;
}

enum exit_status
cmd_world_fork(int argc, char **argv)
{
	static const char *const clocks[] = { "server", "client", "paused", NULL };
	struct world_fork options = { .json = false };
	struct argument_texts texts = { 0 };
	struct label_texts labels;
	unsigned clock = 0;
	bool clock_given = false;
	const struct argument arguments[] = {
		{ .name = "--name",
		  .kind = ARGUMENT_TEXT,
		  .out = &options.fork.name,
		  .value = "NAME",
		  .help = "of the new world (default: the daemon makes one)" },
		{ .name = "--at",
		  .kind = ARGUMENT_COUNT,
		  .out = &options.fork.at_tick,
		  .given = &options.fork.has_tick,
		  .minimum = 0,
		  .maximum = UINT64_MAX,
		  .value = "TICK",
		  .help = "from where the world was after this tick, as far as its history\nreaches (default: from where it is)" },
		{ .name = "--clock",
		  .kind = ARGUMENT_CHOICE,
		  .out = &clock,
		  .given = &clock_given,
		  .choices = clocks,
		  .value = "server|client|paused",
		  .help = "when ticks are made (default: as in the other world)" },
		{ .name = "--label",
		  .kind = ARGUMENT_TEXTS,
		  .out = &texts,
		  .value = "KEY=VALUE",
		  .help = "for collide world list; may be given several times" },
		{ .name = "--new-secret-file",
		  .kind = ARGUMENT_FILE,
		  .out = &options.secret_path,
		  .value = "FILE",
		  .help = "the new world's owner secret goes there, and is not printed" },
		SECRET_FILE_ARGUMENT(&options.trunk, "the owner secret of WORLD"),
		SECRET_ARGUMENT(&options.trunk),
		EPOCH_ARGUMENT(&options.trunk),
		CONNECTION_ARGUMENT(&options.trunk.address),
		JSON_ARGUMENT(&options.json, "the schema's WorldInfo, in one line"),
	};
	const struct command_line line = {
		.command = "world fork",
		.about =
			"Makes a world that goes on from where another stands, or stood: with its states, forces, clock and map, and secrets\n"
			"of its own. Given the same commands it goes the same way, to the bit. The other one goes on, and keeps its seats.",
		.example = "collide gen break | collide world create - --name trunk -k trunk.secret &&\n"
				   "  collide world fork trunk -k trunk.secret --name branch --new-secret-file branch.secret",
		.operand = "WORLD",
		.operand_required = true,
		.operand_out = &options.trunk.name,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	enum exit_status status = label_options_read("world fork", &texts, &labels);
	if (status != EXIT_STATUS_DONE)
		return status;
	if (!output_probe("world fork", options.secret_path))
		return EXIT_STATUS_USAGE;
	options.fork.clock = clock_given ? COLLIDE_CLOCK_SERVER + clock : COLLIDE_CLOCK_DEFAULT;
	options.fork.labels = labels.labels;
	options.fork.label_count = labels.count;
	return world_fork(&options);
}
