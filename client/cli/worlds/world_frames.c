#include "client/cli/worlds/world_frames.h"

#include "base/buffer.h"
#include "client/lib/merge.h"
#include "collide/v1/collide.pb-c.h"
#include "proto/frame.h"
#include "scene/run/frame_stream.h"

#include <stdlib.h>

/* Of a message: parts of frames are far smaller. */
static const uint32_t message_bytes_max = 256u * 1024 * 1024;

struct world_frames {
	double dt;
	struct buffer bytes;
	struct merge *merge;
};

struct world_frames *
world_frames_create(double dt)
{
	struct world_frames *frames = calloc(1, sizeof *frames);
	if (!frames)
		return NULL;
	frames->dt = dt;
	frames->merge = merge_create(SIZE_MAX);
	if (frames->merge)
		return frames;
	world_frames_destroy(frames);
	return NULL;
}

void
world_frames_destroy(struct world_frames *frames)
{
	if (!frames)
		return;
	buffer_finish(&frames->bytes);
	merge_destroy(frames->merge);
	free(frames);
}

/* The parts of one frame. false: no memory. */
static bool
parts_join(struct world_frames *frames)
{
	const struct buffer *bytes = &frames->bytes;
	enum merge_result result = MERGE_MORE;
	for (size_t at = 0; at < bytes->count && result == MERGE_MORE;) {
		size_t header_bytes;
		uint32_t body_bytes;
		if (frame_header_read(bytes->bytes + at, bytes->count - at, message_bytes_max, &header_bytes, &body_bytes) != FRAME_OK)
			return false;
		Collide__V1__ServerMessage *message = collide__v1__server_message__unpack(NULL, body_bytes,
		                                                                          bytes->bytes + at + header_bytes);
		if (!message)
			return false;
		result = merge_add(frames->merge, message->frame);
		collide__v1__server_message__free_unpacked(message, NULL);
		at += header_bytes + body_bytes;
	}
	return result == MERGE_WHOLE;
}

const struct collide_frame *
world_frames_tick(struct world_frames *frames, struct world *world, const struct tick_report *report)
{
	/* Of the runner only what frames are made of is asked: it makes no tick here. */
	struct tick_runner runner = { .world = world, .dt = frames->dt, .tick = world_tick(world), .report = *report };
	const struct settings settings = { .dt = frames->dt, .every = 1, .contacts = true };
	struct frame_stream stream;
	runner.report.path_count = 0; /* they are asked for by what draws */
	runner.tick_first = runner.tick;
	frame_stream_begin(&stream, &settings, 1, &runner);
	frame_stream_on_tick(&stream, &runner);
	frames->bytes.count = 0;
	bool sent = frame_stream_send(&stream, &runner, SIZE_MAX, &frames->bytes) == SENT_ALL && !frames->bytes.failed;
	frame_stream_finish(&stream);
	return sent && parts_join(frames) ? merge_frame(frames->merge) : NULL;
}
