#include "scene/run/frame_stream.h"

#include "base/check.h"
#include "base/pause.h"
#include "scene/limits.h"

#include <inttypes.h>

void
frame_stream_begin(struct frame_stream *stream, const struct settings *settings, uint64_t request_id,
                   const struct tick_runner *runner)
{
	*stream = (struct frame_stream){
		.settings = *settings,
		.request_id = request_id,
		.tick_end = runner->tick + settings->ticks,
		.contacts = frame_rows_of_contacts(world_turns(runner->world)),
		.path_changes = frame_rows_of_path_changes(),
		.shortfalls = frame_rows_of_shortfalls(),
		.pair_events = frame_rows_of_pair_events(),
		.paths = frame_rows_of_paths(),
		.places = frame_rows_of_places(),
		.ends = frame_rows_of_ends(),
	};
	report_sums_begin(&stream->sums);
}

void
frame_stream_finish(struct frame_stream *stream)
{
	frame_rows_finish(&stream->contacts);
	frame_rows_finish(&stream->path_changes);
	frame_rows_finish(&stream->shortfalls);
	frame_rows_finish(&stream->pair_events);
	frame_rows_finish(&stream->paths);
	frame_rows_finish(&stream->places);
	frame_rows_finish(&stream->ends);
	snapshot_parts_finish(&stream->snapshot);
}

size_t
frame_stream_memory_bytes(const struct frame_stream *stream)
{
	return frame_rows_memory_bytes(&stream->contacts) + frame_rows_memory_bytes(&stream->path_changes) +
	       frame_rows_memory_bytes(&stream->shortfalls) + frame_rows_memory_bytes(&stream->pair_events) +
	       frame_rows_memory_bytes(&stream->paths) + frame_rows_memory_bytes(&stream->places) +
	       frame_rows_memory_bytes(&stream->ends) + snapshot_parts_memory_bytes(&stream->snapshot);
}

/* The tick that the frame in the making will carry: the next that is a multiple of `every`, or the last. */
static uint64_t
frame_tick(const struct frame_stream *stream, const struct tick_runner *runner)
{
	uint64_t every = stream->settings.every, tick = runner->tick;
	uint64_t ticks_left = stream->tick_end - tick, past = tick % every;

	if (past == 0)
		return tick;
	return every - past < ticks_left ? tick + (every - past) : tick + ticks_left;
}

/* Writes the bodies that were taken into the room that a part has for them, if there was memory for it. */
static void
bodies_send(struct frame_stream *stream, const struct tick_runner *runner, const struct wire_body_room *room)
{
	const struct body_bytes out = {
		.id = room->id,
		.x = room->x,
		.y = room->y,
		.vx = room->vx,
		.vy = room->vy,
		.angle = room->angle,
		.spin = room->spin,
		.tag = room->tag,
	};

	if (room->id)
		world_write_bodies(runner->world, stream->bodies_sent, stream->bodies_taken, &out);
	stream->bodies_sent += stream->bodies_taken;
	stream->bodies_taken = 0;
}

/* Sends what has been taken, as a part of the frame in the making; the last part has the scalars. */
static void
part_append(struct frame_stream *stream, struct tick_runner *runner, bool last, struct buffer *out)
{
	struct wire_body_room bodies = { .turns = world_turns(runner->world), .tagged = world_tagged(runner->world) };
	struct wire_frame frame = {
		.tick = frame_tick(stream, runner), .more = !last, .body_count = stream->bodies_taken, .body_room = &bodies
	};

	frame_rows_attach_contacts(&stream->contacts, &frame);
	frame_rows_attach_path_changes(&stream->path_changes, &frame);
	frame_rows_attach_shortfalls(&stream->shortfalls, &frame);
	frame_rows_attach_pair_events(&stream->pair_events, &frame);
	frame_rows_attach_paths(&stream->paths, &frame);
	frame_rows_attach_places(&stream->places, &frame);
	frame_rows_attach_ends(&stream->ends, &frame);
	if (last) {
		frame.time = (double)runner->tick * stream->settings.dt;
		frame.hash = tick_runner_hash(runner);
		report_sums_attach(&stream->sums, &frame);
	}
	wire_frame_append(out, stream->request_id, &frame);
	bodies_send(stream, runner, &bodies);
	stream->contacts.count = 0;
	stream->path_changes.count = 0;
	stream->shortfalls.count = 0;
	stream->pair_events.count = 0;
	stream->paths.count = 0;
	stream->places.count = 0;
	stream->ends.count = 0;
}

/* Why taking rows stopped. */
enum taken { TAKEN_ALL, TAKEN_FULL, TAKEN_NO_MEMORY };

static enum taken
events_take(struct frame_stream *stream, const struct tick_runner *runner)
{
	const struct tick_report *report = &runner->report;
	size_t *next = &stream->pair_events_taken;

	for (; *next < report->pair_event_count && !pause_after(8); ++*next) {
		if (frame_rows_full(&stream->pair_events))
			return TAKEN_FULL;
		if (!frame_rows_add_pair_event(&stream->pair_events, runner->tick, &report->pair_events[*next]))
			return TAKEN_NO_MEMORY;
	}
	for (next = &stream->paths_taken; *next < report->path_count && !pause_after(8); ++*next) {
		if (frame_rows_full(&stream->paths))
			return TAKEN_FULL;
		if (!frame_rows_add_path(&stream->paths, runner->tick, &report->paths[*next]))
			return TAKEN_NO_MEMORY;
	}
	for (next = &stream->ends_taken; *next < report->end_count && !pause_after(8); ++*next) {
		if (frame_rows_full(&stream->ends))
			return TAKEN_FULL;
		if (!frame_rows_add_end(&stream->ends, runner->tick, &report->ends[*next]))
			return TAKEN_NO_MEMORY;
	}
	return TAKEN_ALL;
}

/* Copies the report's rows, as many as there is room for. */
static enum taken
report_take(struct frame_stream *stream, const struct tick_runner *runner)
{
	const struct tick_report *report = &runner->report;
	uint64_t tick = runner->tick;
	size_t *next = &stream->contacts_taken;

	for (; *next < report->contact_count && !pause_after(16); ++*next) {
		if (frame_rows_full(&stream->contacts))
			return TAKEN_FULL;
		if (!frame_rows_add_contact(&stream->contacts, tick, &report->contacts[*next]))
			return TAKEN_NO_MEMORY;
	}
	for (next = &stream->path_changes_taken; *next < report->path_change_count && !pause_after(8); ++*next) {
		if (frame_rows_full(&stream->path_changes))
			return TAKEN_FULL;
		if (!frame_rows_add_path_change(&stream->path_changes, tick, &report->path_changes[*next]))
			return TAKEN_NO_MEMORY;
	}
	for (next = &stream->shortfalls_taken; *next < report->shortfall_count && !pause_after(8); ++*next) {
		if (frame_rows_full(&stream->shortfalls))
			return TAKEN_FULL;
		if (!frame_rows_add_shortfall(&stream->shortfalls, tick, &report->shortfalls[*next]))
			return TAKEN_NO_MEMORY;
	}
	return events_take(stream, runner);
}

/* The same for the bodies of a frame that is due, and for the segments that move. */
static enum taken
bodies_take(struct frame_stream *stream, const struct tick_runner *runner)
{
	size_t left = world_body_count(runner->world) - stream->bodies_sent;

	stream->bodies_taken = left < SCENE_BODY_ROWS_MAX ? left : SCENE_BODY_ROWS_MAX;
	if (stream->bodies_taken < left)
		return TAKEN_FULL;
	for (; stream->places_sent < runner->report.place_count && !pause_after(8); stream->places_sent++) {
		if (frame_rows_full(&stream->places))
			return TAKEN_FULL;
		if (!frame_rows_add_place(&stream->places, &runner->report.places[stream->places_sent]))
			return TAKEN_NO_MEMORY;
	}
	return TAKEN_ALL;
}

static void
frame_done(struct frame_stream *stream)
{
	stream->frame_due = false;
	stream->bodies_sent = stream->places_sent = 0;
	report_sums_begin(&stream->sums);
}

/* The frame of a tick, or of ticks without one what does not fit into the rows. */
static enum sent
report_send(struct frame_stream *stream, struct tick_runner *runner, size_t count_max, struct buffer *out)
{
	for (;;) {
		enum taken taken = report_take(stream, runner);

		if (taken == TAKEN_ALL && stream->frame_due)
			taken = bodies_take(stream, runner);
		if (taken == TAKEN_NO_MEMORY) {
			out->failed = true;
			return SENT_FULL;
		}
		if (taken == TAKEN_ALL && !stream->frame_due)
			return SENT_ALL;
		if (out->count >= count_max)
			return SENT_FULL;
		part_append(stream, runner, taken == TAKEN_ALL, out);
		if (taken == TAKEN_ALL) {
			frame_done(stream);
			return SENT_ALL;
		}
	}
}

enum sent
frame_stream_send(struct frame_stream *stream, struct tick_runner *runner, size_t count_max, struct buffer *out)
{
	if (report_send(stream, runner, count_max, out) != SENT_ALL)
		return SENT_FULL;
	if (stream->snapshot_due)
		return SENT_SNAPSHOT_DUE;
	while (stream->snapshot.bytes) {
		if (out->count >= count_max || out->failed)
			return SENT_FULL;
		snapshot_parts_append(&stream->snapshot, stream->request_id, out);
	}
	return SENT_ALL;
}

enum status
frame_stream_snapshot(struct frame_stream *stream, const struct tick_runner *runner, struct wire_problem *problem)
{
	CHECK(stream->snapshot_due);
	stream->snapshot_due = false;
	enum status status = snapshot_parts_begin(&stream->snapshot, runner->world);

	if (status == STATUS_CANCELLED)
		return wire_problem_set(problem, status, "CANCELLED", "", "the snapshot after tick %" PRIu64 " was given up",
		                        runner->tick);
	if (status != STATUS_OK) {
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "",
		                        "no memory for the snapshot after tick %" PRIu64, runner->tick);
	}
	return STATUS_OK;
}

void
frame_stream_on_tick(struct frame_stream *stream, const struct tick_runner *runner)
{
	const struct settings *settings = &stream->settings;
	const struct tick_report *report = &runner->report;
	bool last = runner->tick == stream->tick_end;

	stream->contacts_taken = settings->contacts ? 0 : report->contact_count;
	stream->path_changes_taken = settings->contacts ? 0 : report->path_change_count;
	stream->shortfalls_taken = stream->pair_events_taken = stream->paths_taken = stream->ends_taken = 0;
	stream->frame_due = runner->tick % settings->every == 0 || last;
	stream->snapshot_due = settings->snapshot_every != 0 && (runner->tick % settings->snapshot_every == 0 || last);
	report_sums_add(&stream->sums, report);
}
