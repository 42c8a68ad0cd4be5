#include "client/cli/run/run_sink.h"

#include "client/cli/picture/note.h"
#include "client/cli/recording/save.h"
#include "client/cli/run/start_picture.h"
#include "client/cli/terminal/output.h"
#include "client/cli/terminal/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const run_formats[] = { "table", "json", "none", NULL };
const char *const run_tables[] = { "bodies", "ticks", "none", NULL };
const char *const run_events[] = { "none", "touches", "persist", NULL };

enum collide_events
run_events_asked(const struct run_options *options)
{
	static const enum collide_events asked[] = { COLLIDE_EVENTS_NONE, COLLIDE_EVENTS_TOUCHES, COLLIDE_EVENTS_PERSIST };
	return asked[options->events];
}

/* "X,Y,TEXT". */
static bool
label_read(const char *label, double *x, double *y, const char **text)
{
	char *end;
	*x = strtod(label, &end);
	if (end == label || *end != ',')
		return false;
	const char *second = end + 1;
	*y = strtod(second, &end);
	*text = end + 1;
	return end != second && *end == ',' && isfinite(*x) && isfinite(*y);
}

static void
labels_add(struct picture *picture, const struct argument_texts *labels)
{
	for (size_t i = 0; i < labels->count; i++) {
		double x, y;
		const char *text;
		if (label_read(labels->texts[i], &x, &y, &text))
			picture_label(picture, x, y, text);
	}
}

static bool
labels_check(const struct run_options *options)
{
	for (size_t i = 0; i < options->labels.count; i++) {
		double x, y;
		const char *text;
		if (!label_read(options->labels.texts[i], &x, &y, &text)) {
			fprintf(stderr, "collide %s: --label %s: must be X,Y,TEXT\n", options->command, options->labels.texts[i]);
			return false;
		}
	}
	return true;
}

bool
run_options_draw(const struct run_options *options)
{
	return options->svg_path != NULL || options->png_path != NULL;
}

/* Of struct rebuild_taker: a piece of a path is over. */
static bool
path_draw(void *picture, size_t row, const struct motion_piece *piece, double until)
{
	picture_piece(picture, row, piece, until);
	return true;
}

static bool
stop_draw(void *picture, size_t row, double t, double x, double y)
{
	(void)t;
	picture_stop(picture, row, x, y);
	return true;
}

static void
picture_options_set(struct run_sink *sink)
{
	picture_png_width(sink->picture, (unsigned)sink->options->png_width);
	labels_add(sink->picture, &sink->options->labels);
}

void
run_sink_init(struct run_sink *sink, const struct run_options *options, const struct start *start)
{
	*sink = (struct run_sink){ .options = options, .start = start, .last_tick = start->tick + options->ticks };
	sink->tally.first = start->tick;
	sink->every = options->every > 0 ? options->every : 1;
	run_table_init(&sink->table, (enum run_table_kind)options->table, (options->ticks - 1) / sink->every + 1,
	               options->every > 0);
	/* A scene that cannot be drawn cannot be simulated either. Without a picture here, the engine reports what is wrong. */
	if (run_options_draw(options) && (start->scene || start->snapshot))
		sink->picture = start_picture(start);
	if (sink->picture)
		picture_options_set(sink);
	/* Where there is no memory for this, there is none for the run: the picture lacks its paths. */
	char problem[300];
	const struct rebuild_taker taker = { .piece = path_draw, .stop = stop_draw, .context = sink->picture };
	if (sink->picture && motion_scene_read(&sink->shapes, start, problem, sizeof problem))
		sink->rebuild = rebuild_create(&sink->shapes, options->dt, &taker);
	sink->circle_count = sink->shapes.circle_count;
	sink->wall_count = sink->shapes.wall_count;
}

void
run_sink_picture(struct run_sink *sink, struct picture *picture, size_t circle_count, size_t wall_count)
{
	sink->picture = picture;
	sink->circle_count = circle_count;
	sink->wall_count = wall_count;
	picture_options_set(sink);
}

void
run_sink_finish(struct run_sink *sink)
{
	progress_stop(&sink->progress);
	frame_json_finish(&sink->json);
	text_finish(&sink->events);
	audit_destroy(sink->audit);
	rebuild_destroy(sink->rebuild);
	motion_scene_finish(&sink->shapes);
	picture_destroy(sink->picture);
}

static const char *
pair_event_name(uint32_t kind)
{
	static const char *const names[] = { "?", "begin", "hit", "persist", "end", "enter", "exit" };
	return names[kind < sizeof names / sizeof names[0] ? kind : 0];
}

/* Behind a shape, if it has one. */
static void
tag_collect(struct text *text, const uint64_t *tags, size_t i)
{
	if (tags && tags[i] != 0)
		text_format(text, " (tag %" PRIu64 ")", tags[i]);
}

/* Collects a line for each event, to be printed under the frame's. */
static void
events_collect(struct text *text, const struct collide_pair_events *events)
{
	for (size_t i = 0; i < events->count; i++) {
		text_format(text, "%10" PRIu64 " %14.9f   %-8s circle %" PRIu32, events->tick[i], events->time[i],
		            pair_event_name(events->kind[i]), events->a[i]);
		tag_collect(text, events->a_tag, i);
		text_format(text, ", %s %" PRIu32, events->feature[i] == COLLIDE_CIRCLE ? "circle" : "segment", events->b[i]);
		tag_collect(text, events->b_tag, i);
		if (events->kind[i] == COLLIDE_PAIR_HIT || events->kind[i] == COLLIDE_PAIR_PERSIST)
			text_format(text, ": impulse %.9g", events->impulse[i]);
		text_append(text, "\n");
	}
}

/* The same for the circles that a contact rule stopped. */
static void
stops_collect(struct text *text, const struct collide_path_changes *changes)
{
	for (size_t i = 0; i < changes->count; i++)
		if (changes->kind[i] == COLLIDE_PATH_STOPPED)
			text_format(text, "%10" PRIu64 " %14.9f   stop     circle %" PRIu32 "\n", changes->tick[i], changes->time[i],
			            changes->body[i]);
}

/* The same for the circles that were removed. */
static void
ends_collect(struct text *text, const struct collide_ends *ends)
{
	for (size_t i = 0; i < ends->count; i++) {
		text_format(text, "%10" PRIu64 " %14.9f   end      circle %" PRIu32 ", by %s, at (%.9g, %.9g)", ends->tick[i],
		            ends->time[i], ends->body[i], end_name(ends->reason[i] - COLLIDE_END_CONTACT), ends->x[i], ends->y[i]);
		if (ends->tag[i] != 0)
			text_format(text, ", tag %" PRIu64, ends->tag[i]);
		text_append(text, "\n");
	}
}

static void
walls_draw(struct run_sink *sink, const struct collide_frame *frame)
{
	const struct collide_moving_segments *moving = &frame->moving_segments;
	for (size_t i = 0; i < moving->count; i++)
		picture_wall_move(sink->picture, moving->id[i], moving->x1[i], moving->y1[i], moving->x2[i], moving->y2[i]);
}

/* Prints a frame that --every selects. */
static bool
frame_print(struct run_sink *sink, const struct collide_frame *frame)
{
	if (sink->options->format != RUN_NONE)
		progress_clear(&sink->progress);
	if (sink->options->format == RUN_TABLE) {
		run_table_print(&sink->table, frame, &sink->sums);
		if (sink->events.count > 0)
			fwrite(sink->events.characters, 1, sink->events.count, stdout);
	} else if (sink->options->format == RUN_JSON && !frame_json_print(&sink->json, frame, &sink->sums, stdout)) {
		return false;
	}
	if (ferror(stdout)) {
		/* The reader of the output is gone, or the disk is full: the rest of the run would be useless. */
		snprintf(sink->problem, sizeof sink->problem, "stdout: %s", strerror(errno != 0 ? errno : EIO));
		return false;
	}
	sink->events.count = 0;
	sink->sums = (struct frame_sums){ 0 };
	return true;
}

/* Every frame is drawn, whichever are printed. The picture shows all paths, and each shape at its last position. */
static void
frame_draw(struct run_sink *sink, const struct collide_frame *frame)
{
	struct picture *picture = sink->picture;
	const struct collide_contacts *contacts = &frame->contacts;
	for (size_t i = 0; i < contacts->count; i++)
		picture_contact(picture, contacts->point_x[i], contacts->point_y[i], contacts->approach_speed[i]);
	if (sink->rebuild)
		(void)rebuild_frame(sink->rebuild, frame);
	for (size_t i = 0; i < frame->ends.count; i++)
		picture_end(picture, frame->ends.body[i], frame->ends.x[i], frame->ends.y[i]);
	picture_places(picture, frame->bodies.x, frame->bodies.y, frame->bodies.count);
	picture_counts(picture, frame->tick - sink->start->tick, sink->tally.whole.collisions);
	if (frame->tick == sink->last_tick)
		walls_draw(sink, frame);
}

/* The audit begins with the first frame: by then the server has accepted the scene. */
static bool
frame_audit(struct run_sink *sink, const struct collide_frame *frame)
{
	if (!sink->audit)
		sink->audit = audit_create_start(sink->start, sink->options->dt, run_events_asked(sink->options), sink->problem,
		                                 sizeof sink->problem);
	return sink->audit != NULL && audit_frame(sink->audit, frame);
}

bool
run_sink_frame(void *context, const struct collide_frame *frame)
{
	struct run_sink *sink = context;
	const struct run_options *options = sink->options;
	snprintf(sink->problem, sizeof sink->problem, "no memory for tick %" PRIu64, frame->tick);
	tally_add(&sink->tally, frame);
	frame_sums_add(&sink->sums, frame);
	if (options->certify && !frame_audit(sink, frame))
		return false;
	if (options->format == RUN_JSON)
		frame_json_collect(&sink->json, frame);
	if (options->format == RUN_TABLE && options->events > 0)
		events_collect(&sink->events, &frame->pair_events);
	if (options->format == RUN_TABLE)
		run_table_keep(&sink->table, frame);
	/* Events are printed if they are asked for, stops and ends with the lines of ticks as well. */
	if (options->format == RUN_TABLE && (sink->table.kind == RUN_TABLE_TICKS || options->events > 0)) {
		stops_collect(&sink->events, &frame->path_changes);
		ends_collect(&sink->events, &frame->ends);
	}
	if (sink->events.failed)
		return false;
	if (sink->picture)
		frame_draw(sink, frame);
	bool wanted = frame->tick % sink->every == 0 || frame->tick == sink->last_tick;
	if (wanted && !frame_print(sink, frame))
		return false;
	progress_update(&sink->progress, frame->tick - sink->start->tick, sink->tally.whole.collisions);
	return true;
}

bool
run_sink_snapshot(void *context, const struct collide_snapshot *snapshot)
{
	struct run_sink *sink = context;
	const char *path = sink->options->save_path;
	if (!path)
		return true;
	if (!snapshot_save(path, snapshot->bytes, snapshot->count)) {
		snprintf(sink->problem, sizeof sink->problem, "%s: %s", output_is_stdout(path) ? "stdout" : path, strerror(errno));
		return false;
	}
	sink->saved_tick = snapshot->tick;
	sink->saved_bytes = snapshot->count;
	return true;
}

static bool
picture_write(const char *command, struct picture *picture, const char *path,
              bool (*write_to)(const struct picture *picture, const char *path, char *error, size_t error_size))
{
	char error[300];
	if (!path || write_to(picture, path, error, sizeof error))
		return true;
	fprintf(stderr, "collide %s: %s\n", command, error);
	return false;
}

static bool
pictures_write(struct run_sink *sink)
{
	const struct run_options *options = sink->options;
	if (!options->svg_path && !options->png_path)
		return true;
	if (!sink->picture) {
		fprintf(stderr, "collide %s: no memory for a picture\n", options->command);
		return false;
	}
	char note[NOTE_BYTES];
	note_format(&(struct run_note){ sink->circle_count, sink->wall_count, sink->tally.tick - sink->start->tick,
	                                sink->tally.whole.collisions, sink->tally.hash },
	            note);
	picture_note(sink->picture, note);
	bool svg = picture_write(options->command, sink->picture, options->svg_path, picture_write_svg);
	bool png = picture_write(options->command, sink->picture, options->png_path, picture_write_png);
	return svg && png;
}

static bool
stdout_is_taken(const struct run_options *options)
{
	return output_is_stdout(options->svg_path) || output_is_stdout(options->png_path) ||
	       output_is_stdout(options->record_path) || output_is_stdout(options->save_path);
}

enum exit_status
run_options_check(const struct run_options *options)
{
	const char *const paths[] = { options->svg_path, options->png_path, options->record_path, options->save_path };
	size_t on_stdout = 0;
	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
		on_stdout += output_is_stdout(paths[i]);
	if (on_stdout > 1 || (on_stdout == 1 && options->format != RUN_NONE)) {
		fprintf(stderr, "collide %s: a file on stdout (\"-\") goes with --format none, and one only\n", options->command);
		return EXIT_STATUS_USAGE;
	}
	if (options->threads > 0 && !options->local) {
		fprintf(stderr, "collide %s: --threads needs --local: a daemon has its own (collided --workers)\n", options->command);
		return EXIT_STATUS_USAGE;
	}
	if (options->save_every > 0 && (!options->save_path || output_is_stdout(options->save_path))) {
		fprintf(stderr, "collide %s: --save-every needs --save FILE, which holds the latest snapshot\n", options->command);
		return EXIT_STATUS_USAGE;
	}
	if (!labels_check(options))
		return EXIT_STATUS_USAGE;
	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
		if (!output_probe(options->command, paths[i]))
			return EXIT_STATUS_FAILED;
	return EXIT_STATUS_DONE;
}

enum exit_status
run_sink_end(struct run_sink *sink, const struct collide_done *done, double wall_seconds)
{
	const struct run_options *options = sink->options;
	const struct certificate_report *report = sink->audit ? audit_report(sink->audit) : NULL;
	progress_stop(&sink->progress);
	if (!done && sink->tally.whole.frames == 0)
		return EXIT_STATUS_DONE;
	bool drawn = pictures_write(sink);
	FILE *out = options->format == RUN_JSON || stdout_is_taken(options) ? stderr : stdout;
	if (options->format == RUN_TABLE && !stdout_is_taken(options))
		run_table_end(&sink->table);
	if (options->format == RUN_TABLE && (sink->table.kind != RUN_TABLE_NONE || sink->table.row_count > 0))
		fputc('\n', out);
	tally_print(&sink->tally, done, wall_seconds, report, out);
	if (sink->saved_bytes > 0) {
		char digits[2][DIGITS_GROUPED_BYTES];
		fprintf(out, "snapshot         of tick %s, %s bytes\n", digits_grouped(sink->saved_tick, digits[0]),
		        digits_grouped(sink->saved_bytes, digits[1]));
	}
	bool found = sink->audit != NULL && audit_found(sink->audit);
	if (found)
		fprintf(stderr, "collide %s: the certificate found violations\n", options->command);
	return drawn && !found ? EXIT_STATUS_DONE : EXIT_STATUS_FAILED;
}
