/* A recording's file: its kind, its messages, and its playback. Each message that was read is in the file where the reader says
 * it is. What the scan lets pass protobuf-c unpacks. What is broken is told with the file's name. A playback ends once, its
 * frames have columns of one length and ticks that grow. */
#include "fuzz/fuzz_target.h"
#include "fuzz/input_file.h"
#include "fuzz/message_mutator.h"
#include "fuzz/stream_mutator.h"

#include "base/check.h"
#include "client/cli/recording/playback.h"
#include "client/cli/recording/recording.h"

#include <math.h>
#include <string.h>

static void
problem_check(const char *problem, const char *path)
{
	size_t length = strlen(path);
	CHECK(strncmp(problem, path, length) == 0 && problem[length] == ':' && strlen(problem) > length + 2);
}

static void
messages_read(const char *path, const uint8_t *bytes, size_t count)
{
	struct recording recording;
	enum recording_result result;
	uint64_t at = 0;
	CHECK(recording_open(&recording, path));
	bool is_run = count % 2 == 0 && recording_kind(&recording) == RECORDING_OF_RUN;
	while ((result = recording_next(&recording)) == RECORDING_MESSAGE) {
		bool plain = !recording.file.unpacker;
		CHECK(recording.body_offset > at || (at == 0 && recording.body_offset > 0));
		at = recording.body_offset;
		CHECK(recording.offset == at + recording.body_bytes && (!plain || recording.offset <= count));
		CHECK(!plain || recording.body_bytes == 0 || memcmp(recording.body, bytes + at, recording.body_bytes) == 0);
		ProtobufCMessage *message = recording_unpack(&recording, is_run && recording.number == 1
		                                                             ? &collide__v1__client_message__descriptor
		                                                             : &collide__v1__server_message__descriptor);
		if (message)
			protobuf_c_message_free_unpacked(message, NULL);
		else
			problem_check(recording.problem, path);
	}
	if (result == RECORDING_BROKEN)
		problem_check(recording.problem, path);
	else
		CHECK(recording.file.unpacker || recording.offset == count);
	recording_close(&recording);
}

static void
frame_check(const struct collide_frame *frame)
{
	double sum = 0;
	for (size_t i = 0; i < frame->bodies.count; i++)
		sum += frame->bodies.x[i] + frame->bodies.vy[i] + frame->bodies.id[i];
	for (size_t i = 0; i < frame->contacts.count; i++)
		sum += frame->contacts.time[i] + frame->contacts.impulse[i] + frame->contacts.b_vy_after[i];
	/* That all was read: a sanitizer sees what is not there. */
	CHECK(isnan(sum) || !isnan(sum));
}

static void
playback_read(const char *path)
{
	struct playback playback;
	const struct collide_frame *frame = NULL;
	enum playback_step step = PLAYBACK_BROKEN;
	if (playback_open(&playback, path)) {
		uint64_t tick = playback.start.tick;
		while ((step = playback_next(&playback, &frame)) == PLAYBACK_FRAME) {
			CHECK(frame->tick == playback.tick && frame->tick >= tick);
			tick = frame->tick;
			frame_check(frame);
		}
	}
	if (step == PLAYBACK_BROKEN)
		problem_check(playback.problem, path);
	playback_close(&playback);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	const char *path = input_file(bytes, count);
	messages_read(path, bytes, count);
	playback_read(path);
	return 0;
}

static const ProtobufCMessageDescriptor *
type_of(size_t index)
{
	return index == 0 ? &collide__v1__client_message__descriptor : &collide__v1__server_message__descriptor;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *bytes, size_t count, size_t count_max, unsigned mutation)
{
	return stream_mutate(type_of, bytes, count, count_max, mutation);
}
