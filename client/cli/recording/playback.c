#include "client/cli/recording/playback.h"

#include "client/lib/done.h"
#include "client/lib/failure.h"
#include "client/lib/merge.h"

#include <inttypes.h>
#include <string.h>

static bool
playback_fail(struct playback *playback, const char *text)
{
	snprintf(playback->problem, sizeof playback->problem, "%s: %s", playback->recording.name, text);
	return false;
}

/* Copies the recording's problem into the playback's. */
static bool
recording_fail(struct playback *playback)
{
	memcpy(playback->problem, playback->recording.problem, sizeof playback->problem);
	return false;
}

/* The message read last, unpacked; NULL with `problem` set. */
static ProtobufCMessage *
message_unpack(struct playback *playback, const ProtobufCMessageDescriptor *type)
{
	ProtobufCMessage *message = recording_unpack(&playback->recording, type);
	if (!message)
		recording_fail(playback);
	return message;
}

static bool
request_read(struct playback *playback)
{
	if (recording_kind(&playback->recording) == RECORDING_OF_WORLD)
		return playback_fail(playback, "is a recording of a world: collide world verify makes its ticks again");
	if (!playback->recording.looked)
		return recording_fail(playback);
	(void)recording_next(&playback->recording);
	playback->message = (Collide__V1__ClientMessage *)(void *)message_unpack(playback,
	                                                                         &collide__v1__client_message__descriptor);
	if (!playback->message)
		return false;
	const Collide__V1__Simulate *request = playback->message->request_case == COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE
	                                           ? playback->message->simulate
	                                           : NULL;
	if (!request) {
		recording_fail(playback); /* recording_kind may have said what it is */
		return playback->problem[0] == '\0' && playback_fail(playback, "its first message asks for no simulation");
	}
	if (!start_of_request(request, &playback->start))
		return playback_fail(playback, "its simulate has neither scene nor snapshot");
	playback->request = request;
	return true;
}

bool
playback_open(struct playback *playback, const char *path)
{
	struct recording recording;
	if (recording_open(&recording, path))
		return playback_begin(playback, &recording);
	*playback = (struct playback){ .recording = recording };
	return recording_fail(playback);
}

bool
playback_begin(struct playback *playback, const struct recording *recording)
{
	*playback = (struct playback){ .recording = *recording };
	if (!request_read(playback))
		return false;
	playback->merge = merge_create(SIZE_MAX);
	return playback->merge != NULL || playback_fail(playback, "no memory");
}

void
playback_close(struct playback *playback)
{
	if (playback->message)
		collide__v1__client_message__free_unpacked(playback->message, NULL);
	merge_destroy(playback->merge);
	recording_close(&playback->recording);
}

static enum playback_step
playback_broken(struct playback *playback, const char *text)
{
	recording_fault(&playback->recording, 0, text);
	recording_fail(playback);
	return PLAYBACK_BROKEN;
}

/* Takes one reply of the request. false: it completes no step. */
static bool
reply_take(struct playback *playback, const Collide__V1__ServerMessage *reply, enum playback_step *step)
{
	switch (reply->reply_case) {
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_FRAME: break;
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_SIMULATE_DONE:
		playback->done = done_of(reply->simulate_done);
		*step = merge_is_partial(playback->merge) ? playback_broken(playback, "the simulation ends within a frame")
		                                          : PLAYBACK_DONE;
		return true;
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR:
		failure_from_message(&playback->error, reply->error);
		*step = PLAYBACK_REFUSED;
		return true;
	default: return false;
	}
	switch (merge_add(playback->merge, reply->frame)) {
	case MERGE_WHOLE: *step = PLAYBACK_FRAME; return true;
	case MERGE_MORE: return false;
	case MERGE_MALFORMED: *step = playback_broken(playback, "the columns of its frame do not fit together"); return true;
	case MERGE_TOO_LARGE:
	case MERGE_NO_MEMORY: break;
	}
	*step = playback_broken(playback, "no memory for its frame");
	return true;
}

static enum playback_step
recording_over(struct playback *playback)
{
	char text[120];
	snprintf(text, sizeof text, "ends after tick %" PRIu64 " of %" PRIu64 ", without the simulation's last reply",
	         playback->tick, playback->start.tick + playback->request->ticks);
	playback_fail(playback, text);
	return PLAYBACK_BROKEN;
}

/* What follows a recording relies on ticks that ascend. */
static enum playback_step
frame_give(struct playback *playback, const struct collide_frame **frame)
{
	const struct collide_frame *whole = merge_frame(playback->merge);
	uint64_t before = playback->tick > playback->start.tick ? playback->tick : playback->start.tick;
	char text[120];
	if (whole->tick <= before) {
		snprintf(text, sizeof text, "its frame is of tick %" PRIu64 ", which is not after tick %" PRIu64, whole->tick, before);
		return playback_broken(playback, text);
	}
	*frame = whole;
	playback->tick = whole->tick;
	return PLAYBACK_FRAME;
}

enum playback_step
playback_next(struct playback *playback, const struct collide_frame **frame)
{
	enum playback_step step = PLAYBACK_BROKEN;
	bool found = false;
	while (!found) {
		switch (recording_next(&playback->recording)) {
		case RECORDING_MESSAGE: break;
		case RECORDING_END: return recording_over(playback);
		case RECORDING_BROKEN: recording_fail(playback); return PLAYBACK_BROKEN;
		}
		Collide__V1__ServerMessage *reply = (Collide__V1__ServerMessage *)(void *)message_unpack(
			playback, &collide__v1__server_message__descriptor);
		if (!reply)
			return PLAYBACK_BROKEN;
		/* Errors that end the connection belong to no request. */
		bool ours = reply->request_id == playback->message->request_id || reply->request_id == 0;
		found = ours && reply_take(playback, reply, &step);
		collide__v1__server_message__free_unpacked(reply, NULL);
	}
	return step == PLAYBACK_FRAME ? frame_give(playback, frame) : step;
}
