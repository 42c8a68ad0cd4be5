/* collide detect, collide respond: whether shapes touch, now and while they move, and how they respond. Reads a file. The
 * daemon or this process answers; the output is a table or the protocol's JSON. */
#include "client/cli/commands/commands.h"

#include "client/cli/connection/connection.h"
#include "client/cli/questions/answer.h"
#include "client/cli/scene/scene_json.h"
#include "client/cli/terminal/arguments.h"

#include <inttypes.h>
#include <stdio.h>

struct query_options {
	const char *command, *path, *address;
	double dt, tolerance, tolerance_relative;
	bool outline, with_skin, local;
	unsigned format;
};

/* ---- A table ---- */

static const char *
sweep_name(uint32_t sweep)
{
	switch (sweep) {
	case COLLIDE_HIT: return "hit";
	case COLLIDE_AT_START: return "at start";
	case COLLIDE_NOT_MOVING: return "not moving";
	case COLLIDE_OUT_OF_REACH: return "out of reach";
	case COLLIDE_MOVING_AWAY: return "moving away";
	case COLLIDE_PASSES: return "passes";
	case COLLIDE_ENDS_BEFORE: return "ends before";
	default: return "?";
	}
}

static const char *
bounce_name(uint32_t bounce)
{
	switch (bounce) {
	case COLLIDE_BOUNCED: return "bounced";
	case COLLIDE_RECEDING: return "receding";
	case COLLIDE_BOUNCE_APART: return "apart";
	default: return "-";
	}
}

static void
detected_counts_print(const struct collide_detect_counts *counts, bool swept)
{
	printf("%" PRIu64 " pair%s tested: %" PRIu64 " touching, %" PRIu64 " overlapping, %" PRIu64 " neither\n", counts->tested,
	       counts->tested == 1 ? "" : "s", counts->touching, counts->overlapping, counts->none);
	if (swept)
		printf("%" PRIu64 " hit, %" PRIu64 " at start, %" PRIu64 " not moving, %" PRIu64 " out of reach, %" PRIu64
		       " moving away, %" PRIu64 " pass, %" PRIu64 " end before\n",
		       counts->hit, counts->at_start, counts->not_moving, counts->out_of_reach, counts->moving_away, counts->passes,
		       counts->ends_before);
}

static bool
detected_print(void *context, const struct collide_detected *part)
{
	struct printer *printer = context;
	if (printer->format == ANSWER_JSON)
		return true;
	if (!printer->headed && part->count > 0)
		printf("%10s %10s  %-8s %-12s %13s%s\n", "a", "b", "nearest", "relation", "gap",
		       !part->sweep ? "" : "  sweep                 time      part");
	printer->headed = printer->headed || part->count > 0;
	for (size_t i = 0; i < part->count; i++) {
		printf("%10" PRIu32 " %10" PRIu32 "  %-8s %-12s %13.6g", part->a[i], part->b[i], answer_feature(part->feature[i]),
		       answer_relation(part->relation[i]), part->gap[i]);
		if (part->sweep)
			printf("  %-12s %13.6g %9.4f", sweep_name(part->sweep[i]), part->time[i], part->fraction[i]);
		putchar('\n');
	}
	if (part->counts) {
		const struct collide_detect_counts *c = part->counts;
		uint64_t swept = c->hit + c->at_start + c->not_moving + c->out_of_reach + c->moving_away + c->passes + c->ends_before;
		detected_counts_print(c, swept > 0);
	}
	return !ferror(stdout);
}

static bool
responded_print(void *context, const struct collide_responded *part)
{
	struct printer *printer = context;
	if (printer->format == ANSWER_JSON)
		return true;
	if (!printer->headed && part->count > 0)
		printf("%8s  %-12s %-6s %-8s %11s %11s %11s %11s %11s %11s %11s %11s\n", "row", "relation", "pushed", "bounce", "a.x",
		       "a.y", "b.x", "b.y", "a.vx", "a.vy", "b.vx", "b.vy");
	printer->headed = printer->headed || part->count > 0;
	for (size_t i = 0; i < part->count; i++)
		printf("%8" PRIu32 "  %-12s %-6s %-8s %11.5g %11.5g %11.5g %11.5g %11.5g %11.5g %11.5g %11.5g\n", part->row[i],
		       answer_relation(part->relation[i]), part->pushed[i] ? "yes" : "no", bounce_name(part->bounce[i]), part->a_x[i],
		       part->a_y[i], part->b_x[i], part->b_y[i], part->a_vx[i], part->a_vy[i], part->b_vx[i], part->b_vy[i]);
	if (part->counts)
		printf("%" PRIu64 " pairs: %" PRIu64 " pushed, %" PRIu64 " bounced, %" PRIu64 " receding, %" PRIu64 " apart\n",
		       part->counts->rows, part->counts->pushed, part->counts->bounced, part->counts->receding, part->counts->apart);
	return !ferror(stdout);
}

/* ---- Requests ---- */

/* The command line overrides the file. */
static void
detect_adjust(Collide__V1__Detect *detect, const struct query_options *options)
{
	if (options->dt > 0)
		detect->dt = options->dt;
	if (options->tolerance > 0)
		detect->tolerance = options->tolerance;
	if (options->tolerance_relative > 0)
		detect->tolerance_relative = options->tolerance_relative;
	if (options->outline)
		detect->reading = COLLIDE__V1__READING__READING_OUTLINE;
	if (options->with_skin)
		detect->with_skin = true;
}

static void
respond_adjust(Collide__V1__Respond *respond, const struct query_options *options)
{
	if (options->tolerance > 0)
		respond->tolerance = options->tolerance;
	if (options->tolerance_relative > 0)
		respond->tolerance_relative = options->tolerance_relative;
}

static void
json_wish(struct collide_client *client, struct printer *printer)
{
	collide_core_record(collide_client_core(client), printer->format == ANSWER_JSON ? answer_print_json : NULL, printer);
}

static bool
detect_ask(struct collide_client *client, const void *bytes, size_t count, void *printer, struct collide_error *error)
{
	const struct collide_detection detection = { .message = bytes, .message_bytes = count };
	json_wish(client, printer);
	return collide_detect(client, &detection, detected_print, printer, error);
}

static bool
respond_ask(struct collide_client *client, const void *bytes, size_t count, void *printer, struct collide_error *error)
{
	const struct collide_response response = { .message = bytes, .message_bytes = count };
	json_wish(client, printer);
	return collide_respond(client, &response, responded_print, printer, error);
}

static enum exit_status
query_command(const struct query_options *options, const ProtobufCMessageDescriptor *type)
{
	struct printer printer = { .format = options->format };
	ProtobufCMessage *message;
	char error[300];
	bool respond = type == &collide__v1__respond__descriptor;
	if (!query_json_load(options->path, type, &message, error, sizeof error)) {
		fprintf(stderr, "collide %s: %s\n", options->command, error);
		return EXIT_STATUS_USAGE;
	}
	if (respond)
		respond_adjust((Collide__V1__Respond *)(void *)message, options);
	else
		detect_adjust((Collide__V1__Detect *)(void *)message, options);
	const struct question question = { .command = options->command,
		                               .address = options->address,
		                               .local = options->local,
		                               .message = message,
		                               .ask = respond ? respond_ask : detect_ask,
		                               .context = &printer };
	enum exit_status status = question_put(&question);
	protobuf_c_message_free_unpacked(message, NULL);
	return status == EXIT_STATUS_DONE && printer.failed ? EXIT_STATUS_FAILED : status;
}

enum exit_status
cmd_detect(int argc, char **argv)
{
	struct query_options options = { .command = "detect" };
	const struct argument arguments[] = {
		{ .name = "--dt",
		  .letter = 't',
		  .kind = ARGUMENT_SECONDS,
		  .out = &options.dt,
		  .value = "S",
		  .help = "look so many seconds ahead, also as a fraction (default: only now)" },
		TOLERANCE_ARGUMENT(&options),
		TOLERANCE_RELATIVE_ARGUMENT(&options),
		{ .name = "--outline",
		  .kind = ARGUMENT_SWITCH,
		  .out = &options.outline,
		  .help = "circles are lines: a segment wholly inside does not meet them" },
		{ .name = "--with-skin",
		  .kind = ARGUMENT_SWITCH,
		  .out = &options.with_skin,
		  .help = "hits where collide run makes contact, its skin before they touch" },
		QUERY_FORMAT_ARGUMENT(&options),
		LOCAL_ARGUMENT(&options),
		CONNECTION_ARGUMENT(&options.address),
	};
	const struct command_line line = {
		.command = "detect",
		.about =
			"Tells which shapes of a scene file (\"-\": stdin) touch or overlap, and with --dt which would hit while they\n"
			"move straight on: when, where, and by how much the movement is shortened. A file with \"pairs\" in place of a\n"
			"scene, as protobuf's JSON form of collide.v1.Detect, asks about its pairs, row by row.",
		.example = "collide gen break | collide detect - --local --dt 2",
		.operand = "SCENE.json",
		.operand_required = true,
		.operand_out = &options.path,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	return query_command(&options, &collide__v1__detect__descriptor);
}

enum exit_status
cmd_respond(int argc, char **argv)
{
	struct query_options options = { .command = "respond" };
	const struct argument arguments[] = {
		TOLERANCE_ARGUMENT(&options), TOLERANCE_RELATIVE_ARGUMENT(&options), QUERY_FORMAT_ARGUMENT(&options),
		LOCAL_ARGUMENT(&options),     CONNECTION_ARGUMENT(&options.address),
	};
	const struct command_line line = {
		.command = "respond",
		.about = "Pushes pairs of a file (\"-\": stdin) out of each other, by weights, and bounces them off, by masses and\n"
				 "elasticity. The file is protobuf's JSON form of collide.v1.Respond.",
		.example =
			"echo '{\"pairs\":{\"a\":{\"radius\":[1],\"vx\":[1]},\"circles\":{\"x\":[1],\"radius\":[1]}},\"pushOut\":{},\"bounce\":{}}'"
			" | collide respond - --local",
		.operand = "PAIRS.json",
		.operand_required = true,
		.operand_out = &options.path,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	return query_command(&options, &collide__v1__respond__descriptor);
}
