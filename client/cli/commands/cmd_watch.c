/* collide watch: what happens in a world, live. */
#include "client/cli/commands/commands.h"

#include "client/cli/connection/connection.h"
#include "client/cli/run/run_sink.h"
#include "client/cli/terminal/colour.h"
#include "client/cli/terminal/interrupt.h"
#include "client/cli/terminal/progress.h"
#include "client/cli/view/live.h"
#include "client/cli/view/screen.h"
#include "client/cli/worlds/followed.h"
#include "client/cli/worlds/seated.h"
#include "client/cli/worlds/world_key.h"
#include "client/cli/worlds/world_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct watch_options {
	struct world_key_options key;
	uint64_t every, updates, credit, bytes_per_second;
	unsigned format, table, stream;
	bool contacts, events, provisional, driven_legs;
	double tolerance, driven_tolerance; /* length units; 0: to the bit */
	struct watch_region {
		struct collide_region region;
		bool of_view; /* what the picture shows */
	} region;
};

enum { WATCH_TABLE, WATCH_JSON, WATCH_VIEW };
static const char *const formats[] = { "table", "json", "view", NULL };
/* Milliseconds between two pictures. */
enum { PICTURE_MS = 33 };
static const char *const tables[] = { "bodies", "ticks", NULL };
enum { WATCH_STATES, WATCH_PATHS };
static const char *const streams[] = { "states", "paths", NULL };

/* "X0,Y0,X1,Y1", "ID:RADIUS", or "view". */
static bool
region_parse(void *out, const char *text, char problem[static ARGUMENT_PROBLEM_BYTES])
{
	struct watch_region *wish = out;
	struct collide_region *region = &wish->region;
	int end = 0;
	*wish = (struct watch_region){ .of_view = strcmp(text, "view") == 0 };
	if (wish->of_view)
		return true;
	region->kind = COLLIDE_REGION_BOX;
	if (sscanf(text, "%lf,%lf,%lf,%lf%n", &region->x_min, &region->y_min, &region->x_max, &region->y_max, &end) == 4 &&
	    text[end] == '\0')
		return true;
	region->kind = COLLIDE_REGION_AROUND;
	if (sscanf(text, "%" SCNu32 ":%lf%n", &region->circle, &region->radius, &end) == 2 && text[end] == '\0')
		return true;
	(void)snprintf(problem, ARGUMENT_PROBLEM_BYTES, "must be X0,Y0,X1,Y1, ID:RADIUS or view");
	return false;
}

/* What is seen so far. */
struct spectator {
	const struct watch_options *options;
	struct collide_channel *channel;
	struct run_table table;
	struct frame_sums sums;
	struct world_json json;
	struct live *live;                 /* of the view */
	struct collide_world_key key;      /* and what its map is asked for with */
	uint64_t map_hash;                 /* of the map that it shows; 0: none */
	struct collide_follower *follower; /* of --stream paths, and with --tolerance */
	struct collide_subscription *subscription;
	struct collide_region asked;     /* --region view: what the picture showed when it was asked for last */
	struct collide_region granted;   /* what is sent */
	bool steers;                     /* a steer has no answer yet */
	bool fits;                       /* all is to be sent, and then made to fit; */
	bool whole;                      /* all is sent */
	struct followed_columns columns; /* what it has, as a frame */
	struct canvas canvas;
	struct text out;
	bool quits;
	uint64_t tick, late_ns;
	uint64_t seen, lost_ticks;
	bool ended, failed;
	struct collide_error error;
};

static void
watch_on_connected(void *context, const struct collide_welcome *welcome)
{
	struct spectator *watch = context;
	(void)welcome;
	if (watch->options->format == WATCH_JSON)
		world_json_begin(&watch->json, collide_channel_core(watch->channel));
}

static void
watch_on_lost(void *context, const struct collide_error *error)
{
	struct spectator *watch = context;
	/* What is sent then is asked for anew. */
	watch->steers = watch->whole = false;
	watch->granted = watch->asked = (struct collide_region){ .kind = COLLIDE_REGION_BOX };
	if (watch->live)
		return; /* the picture stands still; its line says that */
	problem_begin("watch");
	fprintf(stderr, "%s; trying again\n", error->text);
}

/* What is no frame: a new beginning, ticks that were left out, a clock that was set back. */
static void
notes_print(struct spectator *watch, const struct collide_world_update *update)
{
	if (update->key)
		fprintf(stderr, "collide watch: tick %" PRIu64 ": %" PRIu32 " circles, %" PRIu32 " segments%s%s\n", update->tick,
		        update->key->scene.circles.count, update->key->scene.segments.count,
		        update->key->map[0] != '\0' ? " and the map " : "", update->key->map);
	if (update->missed_ticks > 0)
		fprintf(stderr, "collide watch: tick %" PRIu64 ": states of %" PRIu32 " ticks were left out, as this reader is slow\n",
		        update->tick, update->missed_ticks);
	if (update->lost_ticks > watch->lost_ticks)
		fprintf(stderr, "collide watch: tick %" PRIu64 ": the world's clock was set back by %" PRIu64 " ticks\n", update->tick,
		        update->lost_ticks - watch->lost_ticks);
	watch->lost_ticks = update->lost_ticks;
}

/* With bytes limited: what is left out. */
static void
left_out_print(const struct collide_follower *follower)
{
	struct collide_followed world = collide_follower_world(follower);
	size_t stale = 0;
	for (size_t i = 0; i < world.circle_count; i++)
		stale += collide_follower_circle(follower, i).stale > 0;
	printf(" %9zu %9.3g %9" PRIu32, stale, world.stale_error, world.waiting_circles);
}

/* A line for an update with states. */
static void
tick_print(const struct spectator *watch, const struct collide_world_update *update)
{
	const struct collide_frame *frame = update->frame;
	bool limited = watch->options->bytes_per_second > 0 && watch->follower;
	if (watch->seen == 0)
		printf("%12s %14s %8s %8s %10s %16s %9s%s\n", "tick", "time", "circles", "asleep", "collisions", "energy", "late, ms",
		       limited ? "  left out    off by   waiting" : "");
	char energy[32] = "-", collisions[24] = "-";
	/* Paths come without sums. */
	if (!watch->follower) {
		(void)snprintf(energy, sizeof energy, "%.9g", watch->sums.energy.kinetic_after + watch->sums.energy.potential_after);
		(void)snprintf(collisions, sizeof collisions, "%" PRIu64, watch->sums.collisions);
	}
	printf("%12" PRIu64 " %14.6f %8zu %8" PRIu64 " %10s %16s %9.3f", update->tick, frame->time, frame->bodies.count,
	       frame->asleep, collisions, energy, (double)update->late_ns * 1e-6);
	if (limited)
		left_out_print(watch->follower);
	printf("\n");
}

/* What the follower has made of an update of paths. */
static void
followed_take(struct spectator *watch, struct collide_world_update *update)
{
	if (!watch->follower || (update->frame && !update->key))
		return;
	if (followed_columns_fill(&watch->columns, watch->follower))
		update->frame = &watch->columns.frame;
	else
		watch->failed = true;
}

static bool
map_take(void *context, const struct collide_map_segments *part)
{
	struct spectator *watch = context;
	watch->failed = watch->failed || !live_map_take(watch->live, &part->segments);
	return !watch->failed;
}

/* The walls of the map that a key names, by a connection of their own. Without them the picture shows the rest. */
static void
map_show(struct spectator *watch, const struct collide_key *told)
{
	static const struct collide_options client = { .client_name = "collide", .client_version = COLLIDED_VERSION };
	const struct collide_map_key key = { .world = &watch->key };
	struct collide_error error;
	if (told->map_hash == watch->map_hash)
		return;
	live_map_begin(watch->live);
	watch->map_hash = told->map_hash;
	if (told->map[0] == '\0')
		return;
	struct collide_client *connection = collide_connect(connection_address(watch->options->key.address), &client, &error);
	if (!connection || !collide_get_map(connection, &key, map_take, watch, &error))
		live_map_begin(watch->live);
	collide_close(connection);
}

static bool
seen_enough(const struct spectator *watch)
{
	return watch->options->updates > 0 && watch->seen >= watch->options->updates;
}

static void
watch_on_update(void *context, struct collide_subscription *subscription, const struct collide_world_update *told)
{
	struct spectator *watch = context;
	struct collide_world_update whole = *told;
	const struct collide_world_update *update = &whole;
	(void)subscription;
	if (seen_enough(watch)) /* many may come at once */
		return;
	followed_take(watch, &whole);
	watch->whole = watch->whole || (update->steered != 0 && watch->granted.kind == COLLIDE_REGION_ALL);
	if (watch->live) {
		if (update->key)
			map_show(watch, update->key);
		watch->failed = watch->failed || !live_take(watch->live, update) ||
		                (watch->follower && (update->key || !told->frame) && !live_follow(watch->live, watch->follower));
		watch->tick = update->tick;
		watch->late_ns = update->late_ns;
		watch->lost_ticks = update->lost_ticks;
		watch->seen++;
		return;
	}
	notes_print(watch, update);
	if (!update->frame)
		return;
	frame_sums_add(&watch->sums, update->frame);
	/* Contacts and events may come in updates of their own: they are summed up in the state that follows. */
	if (update->frame->bodies.count == 0 && !update->key)
		return;
	if (watch->options->format == WATCH_TABLE && watch->options->table == 0)
		run_table_print(&watch->table, update->frame, &watch->sums);
	else if (watch->options->format == WATCH_TABLE)
		tick_print(watch, update);
	watch->sums = (struct frame_sums){ 0 };
	watch->seen++;
	fflush(stdout);
}

static void
watch_on_end(void *context, struct collide_subscription *subscription, const struct collide_error *error)
{
	struct spectator *watch = context;
	(void)subscription;
	watch->ended = true;
	watch->error = *error;
}

static enum exit_status
watch_loop(struct spectator *watch, const char *address)
{
	struct collide_error error;
	uint64_t most = watch->options->updates;
	while (!watch->ended && !watch->failed && !watch->json.failed && !ferror(stdout) && !seen_enough(watch)) {
		if (interrupt_came(NULL))
			return most == 0 ? EXIT_STATUS_DONE : interrupt_status();
		if (!collide_channel_wait(watch->channel, 100, &error))
			return connection_error_report("watch", address, &error);
	}
	if (watch->ended)
		return error_report("watch", &watch->error);
	if (watch->failed)
		fprintf(stderr, "collide watch: no memory\n");
	return watch->failed || watch->json.failed ? EXIT_STATUS_FAILED : EXIT_STATUS_DONE;
}

static void
watch_on_steered(void *context, struct collide_subscription *subscription, const struct collide_steered *steered,
                 const struct collide_error *error)
{
	struct spectator *watch = context;
	(void)subscription;
	(void)error; /* it goes on with what it has */
	watch->steers = false;
	if (steered)
		watch->granted = steered->region;
}

static bool
same_box(const struct collide_region *a, const struct collide_region *b)
{
	return a->kind == b->kind && a->x_min == b->x_min && a->x_max == b->x_max && a->y_min == b->y_min && a->y_max == b->y_max;
}

/* Asks for what the picture shows, unless that is sent already; once, until the picture is moved. */
static void
region_follow(struct spectator *watch)
{
	struct collide_region seen;
	struct collide_error error;
	const struct collide_region *has = &watch->granted;
	bool pending = watch->steers || !watch->subscription || !collide_channel_core(watch->channel);
	if (!watch->options->region.of_view || pending)
		return;
	if (watch->fits) {
		if (watch->whole)
			live_key(watch->live, '0');
		else if (has->kind != COLLIDE_REGION_ALL)
			watch->steers = collide_steer(watch->subscription, NULL, 0, &error);
		watch->asked.kind = COLLIDE_REGION_ALL;
		watch->fits = !watch->whole;
		return;
	}
	if (!live_region(watch->live, &watch->canvas, &seen))
		return;
	double width = seen.x_max - seen.x_min, height = seen.y_max - seen.y_min;
	bool holds = has->kind == COLLIDE_REGION_BOX && has->x_min <= seen.x_min + width / 4 &&
	             has->x_max >= seen.x_max - width / 4 && has->y_min <= seen.y_min + height / 4 &&
	             has->y_max >= seen.y_max - height / 4;
	bool is_larger = has->x_max - has->x_min > 4 * width && has->y_max - has->y_min > 4 * height;
	if ((holds && !is_larger) || same_box(&seen, &watch->asked))
		return;
	watch->asked = seen;
	watch->steers = collide_steer(watch->subscription, &seen, 0, &error);
	watch->whole = false;
}

/* The line below the picture. */
static void
status_append(struct spectator *watch, unsigned rows)
{
	char line[200];
	bool connected = collide_channel_core(watch->channel) != NULL;
	int length = snprintf(line, sizeof line, "%.40s  tick %" PRIu64 "  %zu circles  %.2f ms late  %s", watch->options->key.name,
	                      watch->tick, live_count(watch->live), (double)watch->late_ns * 1e-6,
	                      connected ? "" : "no connection, trying again  ");
	text_format(&watch->out, "\x1b[%u;1H\x1b[0m", rows);
	text_append_bytes(&watch->out, line, length < (int)sizeof line ? (size_t)length : sizeof line - 1);
	text_append(&watch->out, "\x1b[2m + - 0 zoom  hjkl move  q quit\x1b[0m\x1b[K");
}

/* false: the terminal is gone, or no memory. */
static bool
picture_show(struct spectator *watch)
{
	unsigned columns, rows;
	bool anew = screen_size(&columns, &rows);
	unsigned field = rows > 2 ? rows - 1 : 1;
	if ((anew || columns != watch->canvas.columns || field != watch->canvas.rows) &&
	    !canvas_resize(&watch->canvas, columns, field))
		return false;
	canvas_clear(&watch->canvas);
	live_draw(watch->live, &watch->canvas);
	region_follow(watch);
	watch->out.count = 0;
	/* One update, where the terminal knows of such. */
	text_append(&watch->out, "\x1b[?2026h");
	canvas_print(&watch->canvas, &watch->out);
	if (rows > 1)
		status_append(watch, rows);
	text_append(&watch->out, "\x1b[?2026l");
	return !watch->out.failed && screen_write(watch->out.characters, watch->out.count);
}

static enum exit_status
view_loop(struct spectator *watch)
{
	struct collide_error error;
	double shown = 0;
	while (!watch->ended && !watch->quits && !watch->failed && !interrupt_came(NULL)) {
		screen_settle();
		if (!collide_channel_wait(watch->channel, PICTURE_MS, &error)) {
			screen_leave();
			return connection_error_report("watch", connection_address(watch->options->key.address), &error);
		}
		for (int key = screen_key(0); key != KEY_NONE; key = screen_key(0)) {
			watch->quits = watch->quits || key == 'q' || key == 'Q';
			watch->fits = watch->fits || (key == '0' && watch->options->region.of_view);
			if (!watch->fits)
				live_key(watch->live, key);
		}
		double now = clock_now_seconds();
		if (now - shown < PICTURE_MS * 1e-3)
			continue;
		shown = now;
		watch->failed = !picture_show(watch);
	}
	screen_leave();
	if (watch->ended)
		return error_report("watch", &watch->error);
	if (watch->failed)
		fprintf(stderr, "collide watch: the terminal is gone, or there is no memory\n");
	return watch->failed ? EXIT_STATUS_FAILED : interrupt_came(NULL) ? interrupt_status() : EXIT_STATUS_DONE;
}

static enum exit_status
view_run_live(struct spectator *watch)
{
	watch->live = live_create();
	watch->canvas.colours = screen_colours();
	if (!watch->live || !screen_enter()) {
		fprintf(stderr, "collide watch: the terminal cannot be had, or there is no memory\n");
		return EXIT_STATUS_FAILED;
	}
	return view_loop(watch);
}

static enum exit_status
watch_run(const struct watch_options *options)
{
	static const struct collide_options client = { .client_name = "collide", .client_version = COLLIDED_VERSION };
	struct spectator watch = { .options = options, .whole = true };
	const struct collide_channel_options channel_options = { .client = &client,
		                                                     .retry_for_ms = SEATED_RETRY_FOR_MS,
		                                                     .on_connected = watch_on_connected,
		                                                     .on_lost = watch_on_lost,
		                                                     .context = &watch };
	struct collide_reader reader = {
		.on_update = watch_on_update, .on_end = watch_on_end, .on_steered = watch_on_steered, .context = &watch
	};
	const char *address = connection_address(options->key.address);
	struct secret secret;
	struct collide_world_key key;
	struct collide_error error;
	enum exit_status status = world_key_read("watch", &options->key, &secret, &key);
	if (status != EXIT_STATUS_DONE)
		return status;
	watch.key = key;
	const struct collide_interest interest = { .world = key.name,
		                                       .secret = key.secret,
		                                       .secret_bytes = key.secret_bytes,
		                                       .epoch = key.epoch,
		                                       .stream = options->stream == WATCH_PATHS ? COLLIDE_STREAM_PATHS
		                                                                                : COLLIDE_STREAM_STATES,
		                                       .every = (uint32_t)options->every,
		                                       .contacts = options->contacts,
		                                       .pair_events = options->events,
		                                       .provisional = options->provisional,
		                                       .credit = (uint32_t)options->credit,
		                                       .tolerance = options->tolerance,
		                                       .driven_tolerance = options->driven_tolerance,
		                                       .bytes_per_second = (uint32_t)options->bytes_per_second,
		                                       .driven_legs = options->driven_legs,
		                                       .region = options->region.region };
	run_table_init(&watch.table, RUN_TABLE_BODIES, 0, true);
	watch.channel = collide_channel_create(address, &channel_options, &error);
	if (!watch.channel)
		return connection_error_report("watch", address, &error);
	interrupt_watch();
	if (options->stream == WATCH_PATHS || options->tolerance != 0) {
		watch.follower = reader.follower = collide_follower_create(0);
		watch.failed = !watch.follower;
	}
	watch.subscription = collide_subscribe(watch.channel, NULL, &interest, &reader, &error);
	if (watch.subscription)
		status = options->format == WATCH_VIEW ? view_run_live(&watch) : watch_loop(&watch, address);
	else
		status = error_report("watch", &error);
	collide_channel_destroy(watch.channel);
	collide_follower_destroy(watch.follower);
	followed_columns_finish(&watch.columns);
	live_destroy(watch.live);
	canvas_finish(&watch.canvas);
	text_finish(&watch.out);
	return status;
}

enum exit_status
cmd_watch(int argc, char **argv)
{
	struct watch_options options = { .table = 1 };
	const struct argument arguments[] = {
		{ .name = "--every",
		  .letter = 'e',
		  .kind = ARGUMENT_COUNT,
		  .out = &options.every,
		  .minimum = 1,
		  .maximum = UINT32_MAX,
		  .value = "K",
		  .help = "at every K-th tick (default 3)" },
		{ .name = "--updates",
		  .kind = ARGUMENT_COUNT,
		  .out = &options.updates,
		  .minimum = 1,
		  .maximum = UINT64_MAX,
		  .value = "N",
		  .help = "end after so many (default: when the world ends, or by Ctrl-C)" },
		{ .name = "--format",
		  .letter = 'f',
		  .kind = ARGUMENT_CHOICE,
		  .out = &options.format,
		  .choices = formats,
		  .value = "table|json|view",
		  .help =
		      "json: the schema's WorldUpdate, one a line; view: a picture that\nmoves, in the terminal, as collide view has it" },
		{ .name = "--table",
		  .kind = ARGUMENT_CHOICE,
		  .out = &options.table,
		  .choices = tables,
		  .value = "bodies|ticks",
		  .help = "bodies: where each circle is; ticks: a line each (default)" },
		{ .name = "--stream",
		  .kind = ARGUMENT_CHOICE,
		  .out = &options.stream,
		  .choices = streams,
		  .value = "states|paths",
		  .help =
		      "what is sent: states, or paths, which are the same to the bit in far\nfewer bytes, without energies (default states)" },
		{ .name = "--region",
		  .kind = ARGUMENT_PARSED,
		  .out = &options.region,
		  .parse = region_parse,
		  .value = "X0,Y0,X1,Y1|ID:RADIUS|view",
		  .help =
		      "with --stream paths or --tolerance: only what is near to a box, to a\ncircle, or, with --format view --stream paths, to what the picture shows" },
		{ .name = "--tolerance",
		  .kind = ARGUMENT_NUMBER,
		  .out = &options.tolerance,
		  .value = "LENGTH",
		  .help = "states in a few bytes: no circle is farther than this from where it\nreally is (default: to the bit)" },
		{ .name = "--bytes-per-second",
		  .kind = ARGUMENT_COUNT,
		  .out = &options.bytes_per_second,
		  .minimum = 1,
		  .maximum = UINT32_MAX,
		  .value = "BYTES",
		  .help =
		      "with a tolerance: send no more, what matters most first; --table ticks\nsays how many circles are left out, and how far off they are" },
		{ .name = "--driven-tolerance",
		  .kind = ARGUMENT_NUMBER,
		  .out = &options.driven_tolerance,
		  .value = "LENGTH",
		  .help = "the same of circles that lie on others, or sleep (default: as the\ntolerance)" },
		{ .name = "--driven-legs",
		  .kind = ARGUMENT_SWITCH,
		  .out = &options.driven_legs,
		  .help =
		      "with --stream paths: circles that lie on others are where they really\nare between ticks too, for more bytes" },
		{ .name = "--contacts",
		  .kind = ARGUMENT_SWITCH,
		  .out = &options.contacts,
		  .help = "with json: collisions, and how paths change" },
		{ .name = "--events",
		  .kind = ARGUMENT_SWITCH,
		  .out = &options.events,
		  .help = "with json: events of pairs, as the world has them" },
		{ .name = "--provisional",
		  .kind = ARGUMENT_SWITCH,
		  .out = &options.provisional,
		  .help = "of a world that resimulates: these at once, though late\ncommands may still make others of them" },
		{ .name = "--credit",
		  .kind = ARGUMENT_COUNT,
		  .out = &options.credit,
		  .minimum = 1,
		  .maximum = UINT32_MAX,
		  .value = "N",
		  .help = "at most so many updates on their way (default: no limit)" },
		SECRET_FILE_ARGUMENT(&options.key, "the owner or join secret"),
		SECRET_ARGUMENT(&options.key),
		EPOCH_ARGUMENT(&options.key),
		CONNECTION_ARGUMENT(&options.key.address),
	};
	const struct command_line line = {
		.command = "watch",
		.about =
			"Tells what happens in a world, as it happens. It takes no seat. A lost connection comes again by itself; stderr says\n"
			"so, and what the world began with.",
		.example = "collide gen break | collide world create - --name seen -k s >out && collide watch seen -k s --updates 5",
		.operand = "WORLD",
		.operand_required = true,
		.operand_out = &options.key.name,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	char error[200];
	if (options.format == WATCH_VIEW && !screen_possible(error, sizeof error)) {
		fprintf(stderr, "collide watch: %s\n", error);
		return EXIT_STATUS_USAGE;
	}
	if (options.region.of_view && (options.format != WATCH_VIEW || options.stream != WATCH_PATHS)) {
		fprintf(stderr, "collide watch: --region view goes with --format view --stream paths\n");
		return EXIT_STATUS_USAGE;
	}
	return watch_run(&options);
}
