/* collide world create: a world on the server, from a scene or a snapshot. */
#include "client/cli/commands/commands.h"

#include "client/cli/connection/connection.h"
#include "client/cli/recording/start.h"
#include "client/cli/scene/scene_json.h"
#include "client/cli/terminal/colour.h"
#include "client/cli/terminal/output.h"
#include "client/cli/worlds/world_change.h"
#include "client/cli/worlds/world_print.h"
#include "client/cli/worlds/world_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct world_create {
	const char *address, *path, *secret_path;
	struct collide_world_creation creation;
	struct collide_world_policy policy;
	unsigned clock, late, events;
	uint64_t hz, history_ticks, catch_up_ticks, ttl_s, seat_ttl_s, hash_every, seats_max, join_ids_max, join_circles_max,
		cpu_permille;
	bool keep, handover, json;
	struct argument_texts labels;
	/* What the operand has. */
	struct start start;
	uint8_t *bytes; /* a world's state, or a packed scene */
	struct collide_scene scene;
};

static const char *const clocks[] = { "server", "client", "paused", NULL };
static const char *const lates[] = { "next", "refuse", "resimulate", NULL };
static const char *const events[] = { "none", "touches", "persist", NULL };

/* A world's state, a snapshot of the engine, or a scene. */
static enum exit_status
begin_load(struct world_create *create)
{
	char error[300];
	const char *name = strcmp(create->path, "-") == 0 ? "stdin" : create->path;
	size_t count;
	if (!start_read_file(create->path, &create->bytes, &count)) {
		fprintf(stderr, "collide world create: %s: %s\n", name, strerror(errno));
		return EXIT_STATUS_USAGE;
	}
	if (world_state_is_one(create->bytes, count)) {
		create->creation.snapshot = create->bytes;
		create->creation.snapshot_bytes = count;
		return EXIT_STATUS_DONE;
	}
	if (!start_parse(name, create->bytes, count, &create->start, error, sizeof error)) {
		fprintf(stderr, "collide world create: %s\n", error);
		return EXIT_STATUS_USAGE;
	}
	create->bytes = NULL; /* the start's now */
	create->creation.snapshot = create->start.snapshot;
	create->creation.snapshot_bytes = create->start.snapshot_bytes;
	if (!create->start.scene)
		return EXIT_STATUS_DONE;
	create->scene.message_bytes = collide__v1__scene__get_packed_size(create->start.scene);
	create->bytes = malloc(create->scene.message_bytes + 1); /* never of size 0, which could be NULL */
	if (!create->bytes) {
		fprintf(stderr, "collide world create: no memory for the scene\n");
		return EXIT_STATUS_FAILED;
	}
	collide__v1__scene__pack(create->start.scene, create->bytes);
	create->scene.message = create->bytes;
	create->creation.scene = &create->scene;
	return EXIT_STATUS_DONE;
}

/* What the options come to. */
static enum exit_status
policy_make(struct world_create *create)
{
	struct collide_world_policy *policy = &create->policy;
	policy->clock = COLLIDE_CLOCK_SERVER + create->clock;
	policy->late = COLLIDE_LATE_NEXT_TICK + create->late;
	policy->events = create->events == 0   ? COLLIDE_EVENTS_NONE
	                 : create->events == 1 ? COLLIDE_EVENTS_TOUCHES
	                                       : COLLIDE_EVENTS_PERSIST;
	policy->tick_hz = (uint32_t)create->hz;
	policy->history_ticks = (uint32_t)create->history_ticks;
	policy->catch_up_ticks = (uint32_t)create->catch_up_ticks;
	policy->idle_ttl_ms = create->keep ? COLLIDE_TTL_NEVER : (uint32_t)(create->ttl_s * 1000);
	policy->seat_ttl_ms = (uint32_t)(create->seat_ttl_s * 1000);
	policy->hash_every = (uint32_t)create->hash_every;
	policy->seats_max = (uint32_t)create->seats_max;
	policy->join_ids_max = (uint32_t)create->join_ids_max;
	policy->join_circles_max = (uint32_t)create->join_circles_max;
	policy->cpu_permille_max = (uint32_t)create->cpu_permille;
	if (policy->dt == 0) /* of a snapshot that of its run, and no other */
		policy->dt = create->start.dt > 0 ? create->start.dt
		                                  : world_state_dt(create->creation.snapshot, create->creation.snapshot_bytes);
	if (policy->dt == 0)
		policy->dt = 1.0 / 60;
	if (!create->handover)
		create->creation.policy = policy;
	else if (!create->creation.snapshot) {
		problem_begin("world create");
		fprintf(stderr, "--handover: %s is a scene, and has no policy\n", create->path);
		return EXIT_STATUS_USAGE;
	}
	return EXIT_STATUS_DONE;
}

static enum exit_status
world_create(struct world_create *create)
{
	enum exit_status status = EXIT_STATUS_DONE;
	struct world_json printer = { .hides_owner = create->secret_path != NULL };
	struct collide_world_info info;
	struct collide_error error;
	struct collide_client *client = connection_open("world create", create->address, &status);
	if (!client)
		return status;
	if (create->json)
		world_json_begin(&printer, collide_client_core(client));
	if (!collide_create_world(client, &create->creation, &info, &error))
		status = error_report("world create", &error);
	else if (create->secret_path && info.has_secrets)
		status = world_secret_write("world create", client, create->secret_path, &info);
	if (status == EXIT_STATUS_DONE && !create->json)
		world_info_print(&info, !create->secret_path);
	collide_close(client);
	return printer.failed ? EXIT_STATUS_FAILED : status;
}

/* The table of options is long: its parts are in these two. */
#define WORLD_CLOCK_ARGUMENTS(create)                                                                                                                                                                             \
	{ .name = "--dt",                                                                                                                                                                                             \
	  .letter = 't',                                                                                                                                                                                              \
	  .kind = ARGUMENT_SECONDS,                                                                                                                                                                                   \
	  .out = &(create)->policy.dt,                                                                                                                                                                                \
	  .value = "S",                                                                                                                                                                                               \
	  .help = "seconds of the world per tick, also as a fraction (default\n1/60; of a snapshot that of its run)" },                                                                                               \
		{ .name = "--clock",                                                                                                                                                                                      \
		  .kind = ARGUMENT_CHOICE,                                                                                                                                                                                \
		  .out = &(create)->clock,                                                                                                                                                                                \
		  .choices = clocks,                                                                                                                                                                                      \
		  .value = "server|client|paused",                                                                                                                                                                        \
		  .help = "when ticks are made: by the daemon's clock, by collide world\nstep, or not at all (default server)" },                                                                                         \
		{ .name = "--hz",                                                                                                                                                                                         \
		  .kind = ARGUMENT_COUNT,                                                                                                                                                                                 \
		  .out = &(create)->hz,                                                                                                                                                                                   \
		  .minimum = 1,                                                                                                                                                                                           \
		  .maximum = 1000000,                                                                                                                                                                                     \
		  .value = "N",                                                                                                                                                                                           \
		  .help = "ticks a second by the daemon's clock (default 1 / dt)" },                                                                                                                                      \
		{ .name = "--late",                                                                                                                                                                                       \
		  .kind = ARGUMENT_CHOICE,                                                                                                                                                                                \
		  .out = &(create)->late,                                                                                                                                                                                 \
		  .choices = lates,                                                                                                                                                                                       \
		  .value = "next|refuse|resimulate",                                                                                                                                                                      \
		  .help =                                                                                                                                                                                                 \
		      "what becomes of commands for a tick that is over: they take\neffect at the next, or not at all, or at their own, and all\nticks since are made again (default next). The last needs\n--history" }, \
	{                                                                                                                                                                                                             \
		.name = "--catch-up", .kind = ARGUMENT_COUNT, .out = &(create)->catch_up_ticks, .minimum = 1, .maximum = UINT32_MAX,                                                                                      \
		.value = "N", .help = "ticks that are made up for in a row after a delay (default\n8); then the clock is set back"                                                                                        \
	}

#define WORLD_LIFE_ARGUMENTS(create)                                                                                            \
	{ .name = "--ttl",                                                                                                          \
	  .kind = ARGUMENT_COUNT,                                                                                                   \
	  .out = &(create)->ttl_s,                                                                                                  \
	  .minimum = 1,                                                                                                             \
	  .maximum = 4000000,                                                                                                       \
	  .value = "S",                                                                                                             \
	  .help = "seconds without seats and readers after which it ends by\nitself (default 60)" },                                \
		{ .name = "--keep", .kind = ARGUMENT_SWITCH, .out = &(create)->keep, .help = "it stays until collide world rm" },       \
		{ .name = "--pause-unseen",                                                                                             \
		  .kind = ARGUMENT_SWITCH,                                                                                              \
		  .out = &(create)->policy.pause_unseen,                                                                                \
		  .help = "no ticks while there is no seat with a connection, and no\nreader" },                                        \
		{ .name = "--seat-ttl",                                                                                                 \
		  .kind = ARGUMENT_COUNT,                                                                                               \
		  .out = &(create)->seat_ttl_s,                                                                                         \
		  .minimum = 1,                                                                                                         \
		  .maximum = 4000000,                                                                                                   \
		  .value = "S",                                                                                                         \
		  .help = "seconds that a seat without a connection is kept (default 15)" },                                            \
		{ .name = "--seats",                                                                                                    \
		  .kind = ARGUMENT_COUNT,                                                                                               \
		  .out = &(create)->seats_max,                                                                                          \
		  .minimum = 1,                                                                                                         \
		  .maximum = UINT32_MAX,                                                                                                \
		  .value = "N",                                                                                                         \
		  .help = "at most so many (default: the daemon's limit)" },                                                            \
		{ .name = "--join-ids",                                                                                                 \
		  .kind = ARGUMENT_COUNT,                                                                                               \
		  .out = &(create)->join_ids_max,                                                                                       \
		  .minimum = 1,                                                                                                         \
		  .maximum = UINT32_MAX,                                                                                                \
		  .value = "N",                                                                                                         \
		  .help = "ids of circles for a seat by the join secret at most (default\n256)" },                                      \
		{ .name = "--join-circles",                                                                                             \
		  .kind = ARGUMENT_COUNT,                                                                                               \
		  .out = &(create)->join_circles_max,                                                                                   \
		  .minimum = 1,                                                                                                         \
		  .maximum = UINT32_MAX,                                                                                                \
		  .value = "N",                                                                                                         \
		  .help =                                                                                                               \
		      "seats by the join secret spawn no more circles when it has so\nmany (default: 4096 more than it begins with)" }, \
		{ .name = "--history",                                                                                                  \
		  .kind = ARGUMENT_COUNT,                                                                                               \
		  .out = &(create)->history_ticks,                                                                                      \
		  .minimum = 0,                                                                                                         \
		  .maximum = UINT32_MAX,                                                                                                \
		  .value = "TICKS",                                                                                                     \
		  .help = "how far back collide world snapshot can go (default 0)" },                                                   \
		{ .name = "--hash-every",                                                                                               \
		  .kind = ARGUMENT_COUNT,                                                                                               \
		  .out = &(create)->hash_every,                                                                                         \
		  .minimum = 1,                                                                                                         \
		  .maximum = UINT32_MAX,                                                                                                \
		  .value = "TICKS",                                                                                                     \
		  .help = "how often readers are told the state's hash (default 60)" },                                                 \
		{ .name = "--events",                                                                                                   \
		  .kind = ARGUMENT_CHOICE,                                                                                              \
		  .out = &(create)->events,                                                                                             \
		  .choices = events,                                                                                                    \
		  .value = "none|touches|persist",                                                                                      \
		  .help = "of pairs, for readers that ask for them (default none: only what sensors see)" },                            \
	{                                                                                                                           \
		.name = "--cpu", .kind = ARGUMENT_COUNT, .out = &(create)->cpu_permille, .minimum = 1, .maximum = 1000,                 \
		.value = "PERMILLE", .help = "thousandths of a core that are reserved for it at most"                                   \
	}

enum exit_status
cmd_world_create(int argc, char **argv)
{
	struct world_create create = { 0 };
	struct label_texts labels;
	const struct argument arguments[] = {
		{ .name = "--name",
		  .kind = ARGUMENT_TEXT,
		  .out = &create.creation.name,
		  .value = "NAME",
		  .help = "letters, digits and -_.:/ (default: the daemon makes one)" },
		{ .name = "--map",
		  .kind = ARGUMENT_TEXT,
		  .out = &create.creation.map,
		  .value = "MAP",
		  .help = "walls of collide map create, besides the scene's own" },
		{ .name = "--label",
		  .kind = ARGUMENT_TEXTS,
		  .out = &create.labels,
		  .value = "KEY=VALUE",
		  .help = "for collide world list; may be given several times" },
		{ .name = "--secret-file",
		  .letter = 'k',
		  .kind = ARGUMENT_FILE,
		  .out = &create.secret_path,
		  .value = "FILE",
		  .help = "put the owner secret there, for its owner alone to read,\ninstead of printing it" },
		{ .name = "--handover",
		  .kind = ARGUMENT_SWITCH,
		  .out = &create.handover,
		  .help = "of collide world snapshot --handover: name, policy, labels,\nsecrets and seats as they were" },
		WORLD_CLOCK_ARGUMENTS(&create),
		WORLD_LIFE_ARGUMENTS(&create),
		CONNECTION_ARGUMENT(&create.address),
		JSON_ARGUMENT(&create.json, "the schema's WorldInfo, in one line"),
	};
	const struct command_line line = {
		.command = "world create",
		.about =
			"Makes a world that lives in the daemon, from a scene, from a snapshot of collide run --save, or from one of collide\n"
			"world snapshot (\"-\": any of them on stdin). Prints its name and two secrets: with the owner's one may do anything\n"
			"with it, with the other one may join and watch.",
		.example = "collide gen break | collide world create - --name table-1 --secret-file table-1.secret",
		.operand = "SCENE.json|SNAPSHOT",
		.operand_required = true,
		.operand_out = &create.path,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	enum exit_status status = label_options_read("world create", &create.labels, &labels);
	create.creation.labels = labels.labels;
	create.creation.label_count = create.labels.count;
	if (status == EXIT_STATUS_DONE && !output_probe("world create", create.secret_path))
		status = EXIT_STATUS_USAGE;
	if (status == EXIT_STATUS_DONE)
		status = begin_load(&create);
	if (status == EXIT_STATUS_DONE)
		status = policy_make(&create);
	if (status == EXIT_STATUS_DONE)
		status = world_create(&create);
	start_finish(&create.start);
	free(create.bytes);
	return status;
}
