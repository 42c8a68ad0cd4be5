/* collide query: rays, circle casts, overlaps, nearest shapes, moves of a circle. Questions come from the command line or a
 * file. The daemon or this process answers; the output is tables or the protocol's JSON. */
#include "client/cli/commands/commands.h"

#include "client/cli/connection/connection.h"
#include "client/cli/questions/answer.h"
#include "client/cli/questions/query_options.h"
#include "client/cli/questions/query_picture.h"
#include "client/cli/recording/start.h"
#include "client/cli/scene/scene_json.h"
#include "client/cli/terminal/arguments.h"
#include "client/cli/terminal/colour.h"
#include "client/cli/terminal/output.h"
#include "client/cli/worlds/world_key.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct query_command {
	const char *path, *address, *svg_path, *png_path;
	struct question_texts texts;
	uint64_t count;
	double tolerance, tolerance_relative;
	struct world_key_options world;
	uint64_t tick;
	bool tick_given;
	double time;
	bool time_given;
	bool local;
	unsigned format;
};

/* ---- Tables ---- */

static const char *
question_name(uint32_t question)
{
	switch (question) {
	case COLLIDE_CAST: return "cast";
	case COLLIDE_IN_CIRCLE: return "at";
	case COLLIDE_IN_BOX: return "box";
	case COLLIDE_IN_SEGMENT: return "line";
	case COLLIDE_NEAREST: return "nearest";
	default: return "?";
	}
}

static const char *
end_name(uint32_t end)
{
	switch (end) {
	case COLLIDE_MOVE_DONE: return "done";
	case COLLIDE_MOVE_BLOCKED: return "blocked";
	case COLLIDE_MOVE_LEGS: return "out of legs";
	default: return "?";
	}
}

/* Prints the head of a table, unless it was the last one printed. */
static void
head_print(struct printer *printer, const char *head)
{
	if (!printer->table || strcmp(printer->table, head) != 0)
		puts(head);
	printer->table = head;
}

static void
hits_print(struct printer *printer, const struct collide_hits *hits)
{
	for (size_t i = 0; i < hits->count; i++) {
		head_print(printer,
		           "question      row         id  what     relation      fraction           gap       point.x       point.y"
		           "  normal.x  normal.y");
		printf("%-8s %8" PRIu32 " %10" PRIu32 "  %-8s %-12s %9.6f %13.6g", question_name(hits->question[i]), hits->row[i],
		       hits->id[i], answer_feature(hits->feature[i]), answer_relation(hits->relation[i]), hits->fraction[i],
		       hits->gap[i]);
		if (hits->normal_x[i] == 0 && hits->normal_y[i] == 0)
			printf(" %13s %13s %9s %9s\n", "-", "-", "-", "-"); /* boxes and lines have none */
		else
			printf(" %13.6g %13.6g %9.5f %9.5f\n", hits->point_x[i], hits->point_y[i], hits->normal_x[i], hits->normal_y[i]);
	}
}

static void
moves_print(struct printer *printer, const struct collide_queried *part)
{
	const struct collide_moved *moves = &part->moves;
	const struct collide_legs *legs = &part->legs;
	const struct collide_presses *presses = &part->presses;
	for (size_t i = 0; i < moves->count; i++) {
		head_print(
			printer,
			"move     end                     x             y  fraction   remaining.x   remaining.y  legs         depth");
		printf("%-8" PRIu32 " %-11s %13.9g %13.9g %9.6f %13.6g %13.6g %5" PRIu32 " %13.6g\n", moves->row[i],
		       end_name(moves->end[i]), moves->x[i], moves->y[i], moves->fraction[i], moves->remaining_x[i],
		       moves->remaining_y[i], moves->legs[i], moves->depth[i]);
	}
	for (size_t i = 0; i < legs->count; i++) {
		head_print(printer, "leg of           to.x          to.y  fraction");
		printf("%-8" PRIu32 " %13.9g %13.9g %9.6f\n", legs->row[i], legs->x[i], legs->y[i], legs->fraction[i]);
	}
	for (size_t i = 0; i < presses->count; i++) {
		head_print(printer, "press of  leg         id  what         point.x       point.y  normal.x  normal.y");
		printf("%-8" PRIu32 " %4" PRIu32 " %10" PRIu32 "  %-8s %12.6g  %12.6g %9.5f %9.5f\n", presses->row[i], presses->leg[i],
		       presses->id[i], answer_feature(presses->feature[i]), presses->point_x[i], presses->point_y[i],
		       presses->normal_x[i], presses->normal_y[i]);
	}
}

static void
kind_print(const char *name, uint64_t asked, uint64_t answered)
{
	if (asked > 0)
		printf("%s: %" PRIu64 " of %" PRIu64 " answered\n", name, answered, asked);
}

/* Where the parts go. */
struct query_sink {
	struct printer printer;
	struct query_picture *drawing; /* NULL: no picture is wanted */
};

static bool
queried_print(void *context, const struct collide_queried *part)
{
	struct query_sink *sink = context;
	struct printer *printer = &sink->printer;
	if (sink->drawing)
		query_picture_part(sink->drawing, part);
	if (printer->format == ANSWER_JSON)
		return true;
	hits_print(printer, &part->hits);
	moves_print(printer, part);
	if (part->counts) {
		const struct collide_query_counts *c = part->counts;
		uint64_t moves = c->moves_done + c->moves_blocked + c->moves_out_of_legs;
		kind_print("cast", c->casts, c->casts_hit);
		kind_print("at", c->in_circles, c->in_circles_hit);
		kind_print("box", c->in_boxes, c->in_boxes_hit);
		kind_print("line", c->in_segments, c->in_segments_hit);
		kind_print("nearest", c->nearest, c->nearest_hit);
		if (moves > 0)
			printf("move: %" PRIu64 " of %" PRIu64 " done, %" PRIu64 " blocked, %" PRIu64 " out of legs\n", c->moves_done,
			       moves, c->moves_blocked, c->moves_out_of_legs);
	}
	return !ferror(stdout);
}

/* ---- Requests ---- */

/* As question.ask. */
static bool
query_ask(struct collide_client *client, const void *bytes, size_t count, void *context, struct collide_error *error)
{
	struct query_sink *sink = context;
	const struct collide_questions questions = { .message = bytes, .message_bytes = count };
	collide_record_fn record = sink->printer.format == ANSWER_JSON ? answer_print_json : NULL;
	collide_core_record(collide_client_core(client), record, &sink->printer);
	return collide_query(client, &questions, queried_print, sink, error);
}

/* Sends the query, and draws the answer. */
static enum exit_status
query_draw(const struct query_command *command, const Collide__V1__Query *query)
{
	struct query_sink sink = { .printer = { .format = command->format } };
	char error[300];
	/* A scene that cannot be drawn cannot be queried either. Without a picture here, the engine reports what is wrong. */
	bool wanted = command->svg_path != NULL || command->png_path != NULL;
	if (wanted)
		sink.drawing = query_picture_create(query);
	const struct question question = { .command = "query",
		                               .address = command->address,
		                               .local = command->local,
		                               .message = &query->base,
		                               .ask = query_ask,
		                               .context = &sink };
	enum exit_status status = question_put(&question);
	if (status == EXIT_STATUS_DONE && sink.printer.failed)
		status = EXIT_STATUS_FAILED;
	if (status == EXIT_STATUS_DONE && wanted && !sink.drawing) {
		fprintf(stderr, "collide query: no memory for a picture\n");
		status = EXIT_STATUS_FAILED;
	} else if (status == EXIT_STATUS_DONE && wanted &&
	           !query_picture_write(sink.drawing, command->svg_path, command->png_path, error, sizeof error)) {
		fprintf(stderr, "collide query: %s\n", error);
		status = EXIT_STATUS_FAILED;
	}
	query_picture_destroy(sink.drawing);
	return status;
}

/* The command line overrides the file. */
static enum exit_status
query_run_message(const struct query_command *command, Collide__V1__Query *query)
{
	char error[300];
	if (!query_options_fill(&command->texts, query, error, sizeof error)) {
		fprintf(stderr, "collide query: %s\n", error);
		return EXIT_STATUS_USAGE;
	}
	if (command->tolerance > 0)
		query->tolerance = command->tolerance;
	if (command->tolerance_relative > 0)
		query->tolerance_relative = command->tolerance_relative;
	return query_draw(command, query);
}

/* A Query of a snapshot, without questions yet; NULL with `error`. */
static ProtobufCMessage *
query_of_snapshot(const char *path, char *error, size_t error_size)
{
	Collide__V1__Query *query = malloc(sizeof *query);
	uint8_t *bytes;
	size_t count;
	if (!query || !start_read_file(path, &bytes, &count)) {
		snprintf(error, error_size, "%s: %s", path, !query ? "no memory" : strerror(errno));
		free(query);
		return NULL;
	}
	collide__v1__query__init(query);
	query->optional_scene_case = COLLIDE__V1__QUERY__OPTIONAL_SCENE_SNAPSHOT;
	query->snapshot = (ProtobufCBinaryData){ .len = count, .data = bytes };
	return &query->base;
}

/* A Query of a world at a moment, without questions yet. NULL: no memory. */
static Collide__V1__Query *
query_make_of_moment(const struct query_command *command, const struct collide_world_key *key)
{
	Collide__V1__Query query = COLLIDE__V1__QUERY__INIT;
	Collide__V1__WorldMoment moment = COLLIDE__V1__WORLD_MOMENT__INIT;
	char name[COLLIDE_NAME_BYTES];
	uint8_t secret[COLLIDE_SECRET_BYTES], bytes[256];
	(void)snprintf(name, sizeof name, "%s", key->name);
	memcpy(secret, key->secret, sizeof secret);
	moment.world = name;
	moment.secret = (ProtobufCBinaryData){ sizeof secret, secret };
	moment.epoch = key->epoch;
	moment.optional_tick_case = command->tick_given ? COLLIDE__V1__WORLD_MOMENT__OPTIONAL_TICK_TICK
	                                                : COLLIDE__V1__WORLD_MOMENT__OPTIONAL_TICK__NOT_SET;
	moment.tick = command->tick;
	moment.time = command->time;
	query.optional_scene_case = COLLIDE__V1__QUERY__OPTIONAL_SCENE_WORLD;
	query.world = &moment;
	/* A copy of its own, to be freed as those from files. */
	if (collide__v1__query__get_packed_size(&query) > sizeof bytes)
		return NULL;
	return collide__v1__query__unpack(NULL, collide__v1__query__pack(&query, bytes), bytes);
}

static enum exit_status
query_run_moment(struct query_command *command)
{
	struct secret secret;
	struct collide_world_key key;
	if (command->path || command->local || command->svg_path || command->png_path) {
		problem_begin("query");
		fprintf(stderr, "--world goes with no scene, no picture and not with --local\n");
		return EXIT_STATUS_USAGE;
	}
	enum exit_status status = world_key_read("query", &command->world, &secret, &key);
	if (status != EXIT_STATUS_DONE)
		return status;
	Collide__V1__Query *query = query_make_of_moment(command, &key);
	if (!query) {
		fprintf(stderr, "collide query: no memory for it\n");
		return EXIT_STATUS_FAILED;
	}
	command->texts.count = command->count;
	status = query_run_message(command, query);
	collide__v1__query__free_unpacked(query, NULL);
	return status;
}

/* Whether the options for a world are given with one, and none where stdout has the answer already. */
static bool
options_check(const struct query_command *command)
{
	const char *of_world = command->tick_given          ? "--tick"
	                       : command->time_given        ? "--time"
	                       : command->world.secret      ? "--secret"
	                       : command->world.secret_path ? "--secret-file"
	                                                    : NULL;
	bool good = false;
	if (!command->world.name && of_world) {
		problem_begin("query");
		fprintf(stderr, "%s is of a world: it goes with --world NAME\n", of_world);
	} else if (output_is_stdout(command->svg_path) || output_is_stdout(command->png_path)) {
		problem_begin("query");
		fprintf(stderr, "%s -: stdout has the answer; a file is needed\n",
		        output_is_stdout(command->svg_path) ? "--svg" : "--png");
	} else if (!command->world.name && !command->path) {
		problem_begin("query");
		fprintf(stderr, "a scene, a snapshot or --world is required\n");
	} else {
		good = true;
	}
	return good;
}

static enum exit_status
query_run(struct query_command *command)
{
	if (!options_check(command))
		return EXIT_STATUS_USAGE;
	if (command->world.name)
		return query_run_moment(command);
	ProtobufCMessage *message = NULL;
	char error[300];
	bool snapshot = start_is_snapshot_file(command->path);
	if (snapshot)
		message = query_of_snapshot(command->path, error, sizeof error);
	if (snapshot ? !message : !query_json_load(command->path, &collide__v1__query__descriptor, &message, error, sizeof error)) {
		fprintf(stderr, "collide query: %s\n", error);
		return EXIT_STATUS_USAGE;
	}
	command->texts.count = command->count;
	enum exit_status status = query_run_message(command, (Collide__V1__Query *)(void *)message);
	protobuf_c_message_free_unpacked(message, NULL);
	return status;
}

#define ROWS_ARGUMENT(option, place, form, text)                                                 \
	{                                                                                            \
		.name = (option), .kind = ARGUMENT_TEXT, .out = (place), .value = (form), .help = (text) \
	}

enum exit_status
cmd_query(int argc, char **argv)
{
	struct query_command command = { .path = NULL };
	const struct argument arguments[] = {
		ROWS_ARGUMENT("--cast", &command.texts.cast, "X,Y,MX,MY[,R]",
		              "what a ray from X,Y by MX,MY, or a circle of radius R, meets first"),
		{ .name = "--all", .kind = ARGUMENT_SWITCH, .out = &command.texts.all, .help = "all that a cast meets, in order" },
		ROWS_ARGUMENT("--at", &command.texts.at, "X,Y[,R]", "what is at a point or in a circle"),
		ROWS_ARGUMENT("--box", &command.texts.box, "X0,Y0,X1,Y1", "what is in a box along the axes"),
		ROWS_ARGUMENT("--line", &command.texts.line, "X1,Y1,X2,Y2", "what a segment crosses"),
		ROWS_ARGUMENT("--nearest", &command.texts.nearest, "X,Y[,R]", "what is nearest to a point or a circle"),
		{ .name = "--count",
		  .letter = 'n',
		  .kind = ARGUMENT_COUNT,
		  .out = &command.count,
		  .minimum = 1,
		  .maximum = UINT32_MAX,
		  .value = "N",
		  .help = "how many are nearest (default 1)" },
		ROWS_ARGUMENT("--move", &command.texts.move, "X,Y,R,MX,MY",
		              "where a circle gets that is pushed by MX,MY and slides along things"),
		{ .name = "--world",
		  .kind = ARGUMENT_TEXT,
		  .out = &command.world.name,
		  .value = "NAME",
		  .help = "instead of a scene: ask a world on the daemon" },
		SECRET_FILE_ARGUMENT(&command.world, "any of its secrets"),
		SECRET_ARGUMENT(&command.world),
		{ .name = "--tick",
		  .kind = ARGUMENT_COUNT,
		  .out = &command.tick,
		  .given = &command.tick_given,
		  .minimum = 0,
		  .maximum = UINT64_MAX,
		  .value = "N",
		  .help = "of a world: as it was after this tick (default: as it is)" },
		{ .name = "--time",
		  .kind = ARGUMENT_NUMBER,
		  .out = &command.time,
		  .given = &command.time_given,
		  .value = "S",
		  .help = "and so many seconds later, within the next tick" },
		TOLERANCE_ARGUMENT(&command),
		TOLERANCE_RELATIVE_ARGUMENT(&command),
		{ .name = "--svg",
		  .kind = ARGUMENT_FILE,
		  .extension = ".svg",
		  .out = &command.svg_path,
		  .value = "FILE",
		  .help = "draw the ways of casts and moves" },
		{ .name = "--png",
		  .kind = ARGUMENT_FILE,
		  .extension = ".png",
		  .out = &command.png_path,
		  .value = "FILE",
		  .help = "the same as a PNG" },
		QUERY_FORMAT_ARGUMENT(&command),
		LOCAL_ARGUMENT(&command),
		CONNECTION_ARGUMENT(&command.address),
	};
	const struct command_line line = {
		.command = "query",
		.about =
			"Puts questions to the shapes of a scene file (\"-\": stdin) as they stand. Each option takes several rows, divided by\n"
			"\";\". A file that is protobuf's JSON form of collide.v1.Query has its own questions; a snapshot that collide run\n"
			"--save has kept is asked as it stands. A world on the daemon is asked as it is, or as it was.",
		.example =
			"collide gen break | collide query - --local --cast \"2,1,20,0;2,1,0,20,0.5\" --nearest 10,5 --move 2,1,0.5,30,4",
		.operand = "SCENE.json|SNAPSHOT",
		.operand_out = &command.path,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	return query_run(&command);
}
