/* frame_stream: what one reader is due of a runner's ticks: frames in parts, sums since the last frame, snapshots.
 *
 * One thread at a time. A tick's report stays in the engine; its rows are copied into columns until a frame is due. When a kind
 * of rows is full, a part goes out early. While the reader takes no more, the rest of the report waits where it is: the runner
 * must not be stepped before frame_stream_send has said SENT_ALL. So a stream holds a fixed number of rows, whatever happens in
 * a tick and however many ticks lie between frames. A snapshot is copied out of the world and goes out after the tick's frame.
 *
 * What can go wrong: no memory for rows (out->failed) or for a snapshot. */
#ifndef COLLIDED_SCENE_RUN_FRAME_STREAM_H
#define COLLIDED_SCENE_RUN_FRAME_STREAM_H

#include "scene/run/frame_rows.h"
#include "scene/run/report_sums.h"
#include "scene/run/settings.h"
#include "scene/run/snapshot_parts.h"
#include "scene/run/tick_runner.h"

struct frame_stream {
	struct settings settings;
	uint64_t request_id;
	uint64_t tick_end; /* the last tick has a frame, and a snapshot if there are any, whatever its number */

	/* How much of the runner's last report is in the rows or sent. */
	size_t contacts_taken, path_changes_taken, shortfalls_taken, pair_events_taken, paths_taken, ends_taken;
	bool frame_due;                  /* that tick's frame has not been sent to its last part */
	size_t bodies_sent, places_sent; /* of it */
	size_t bodies_taken;             /* for its next part: those after bodies_sent, which stay in the world until then */

	struct frame_rows contacts, path_changes, shortfalls, pair_events, paths, places, ends; /* not yet sent */
	struct report_sums sums;                                                                /* since the last frame */

	bool snapshot_due; /* that tick's snapshot has not been begun */
	struct snapshot_parts snapshot;
};

/* For a runner before its first tick. */
void frame_stream_begin(struct frame_stream *stream, const struct settings *settings, uint64_t request_id,
                        const struct tick_runner *runner);
/* All 0 is fine. */
void frame_stream_finish(struct frame_stream *stream);
/* Of rows and a snapshot on its way. */
size_t frame_stream_memory_bytes(const struct frame_stream *stream);

/* After a tick of the runner: what of it is due. */
void frame_stream_on_tick(struct frame_stream *stream, const struct tick_runner *runner);

enum sent {
	SENT_ALL,  /* nothing is left but rows that wait for the next frame */
	SENT_FULL, /* `out` is as long as it may be; or out->failed */
	SENT_SNAPSHOT_DUE,
};

/* Appends what is due until `out` has count_max bytes, and then not more than one part. SENT_SNAPSHOT_DUE: after the frame a
 * snapshot is, for which frame_stream_snapshot is to be called; then go on. */
enum sent frame_stream_send(struct frame_stream *stream, struct tick_runner *runner, size_t count_max, struct buffer *out);
/* Copies the snapshot that is due. Otherwise than STATUS_OK: *problem says why. */
STATUS_MUST_USE enum status frame_stream_snapshot(struct frame_stream *stream, const struct tick_runner *runner,
                                                  struct wire_problem *problem);

#endif
