#include "client/cli/recording/recording.h"

#include "client/cli/recording/message_scan.h"
#include "client/cli/terminal/output.h"
#include "collide/v1/collide.pb-c.h"
#include "physics/describe.h"
#include "proto/frame.h"
#include "wire/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of one message. A larger length is noise; the client library has the same bound. */
static const uint32_t BODY_BYTES_MAX = 256u * 1024 * 1024;
/* Memory grows by this much as bytes are read, never by the number announced. */
static const size_t PIECE_BYTES = (size_t)1 << 20;

bool
recorder_open(struct recorder *recorder, const char *path)
{
	*recorder = (struct recorder){ .path = path, .file = output_open(path) };
	if (!recorder->file)
		fprintf(stderr, "collide run: %s: %s\n", path, strerror(errno));
	return recorder->file != NULL;
}

void
recorder_take(void *context, bool sent, const void *bytes, size_t count)
{
	struct recorder *recorder = context;
	if (sent && recorder->request_written)
		return; /* pings while waiting are not part of the simulation */
	recorder->request_written = true;
	errno = 0;
	if (fwrite(bytes, 1, count, recorder->file) != count && recorder->problem == 0)
		recorder->problem = errno != 0 ? errno : EIO;
}

bool
recorder_close(struct recorder *recorder)
{
	if (!recorder->file)
		return true;
	errno = 0;
	if (!output_close(recorder->file) && recorder->problem == 0)
		recorder->problem = errno != 0 ? errno : EIO;
	recorder->file = NULL;
	if (recorder->problem != 0)
		fprintf(stderr, "collide run: %s: %s\n", recorder->path, strerror(recorder->problem));
	return recorder->problem == 0;
}

bool
recording_open(struct recording *recording, const char *path)
{
	bool from_stdin = strcmp(path, "-") == 0;
	*recording = (struct recording){ .name = from_stdin ? "stdin" : path };
	bool opened = packed_open(&recording->file, path);
	if (!opened)
		snprintf(recording->problem, sizeof recording->problem, "%s: %s", path, strerror(errno));
	return opened;
}

void
recording_close(struct recording *recording)
{
	packed_close(&recording->file);
	free(recording->body);
	recording->body = NULL;
}

const char recording_is_no_scene[] = "is a recording, not a scene: collide replay plays it, collide verify simulates it again";

bool
recording_is_one(const void *bytes, size_t count)
{
	if (packed_is_one(bytes, count))
		return true;
	/* ClientMessage.request_id, the first field of every request, as a varint. No text has this byte. */
	static const uint8_t request_id_tag = 1 << 3;
	size_t header_bytes;
	uint32_t body_bytes;
	return frame_header_read(bytes, count, BODY_BYTES_MAX, &header_bytes, &body_bytes) == FRAME_OK && body_bytes > 0 &&
	       count > header_bytes && ((const uint8_t *)bytes)[header_bytes] == request_id_tag;
}

static void
begin_keep(struct recording *recording, const uint8_t *bytes, size_t count)
{
	size_t room = sizeof recording->begin - recording->begin_bytes, kept = count < room ? count : room;
	memcpy(recording->begin + recording->begin_bytes, bytes, kept);
	recording->begin_bytes += kept;
}

/* JSON begins with a brace, or blanks before it, and what may follow. */
bool
recording_is_other(struct recording *recording)
{
	static const char blanks[] = " \t\r\n";
	const uint8_t *begin = recording->begin;
	const char *what = NULL;
	if (snapshot_is_one(begin, recording->begin_bytes))
		what = "a snapshot; collide run goes on from one";
	else if (recording->begin_bytes > 1 && begin[0] != '\0' && begin[1] != '\0' && strchr("{[ \t\r\n", begin[0]) &&
	         (strchr(blanks, begin[1]) || strchr("\"{}[]", begin[1])))
		what = "JSON, such as a scene; collide run simulates one";
	if (what)
		snprintf(recording->problem, sizeof recording->problem, "%s: not a recording but %s", recording->name, what);
	return what != NULL;
}

static const char *
byte_name(const struct recording *recording)
{
	return recording->file.unpacker ? "unpacked byte" : "byte";
}

static void
problem_set(struct recording *recording, uint64_t offset, uint64_t number, const char *text)
{
	snprintf(recording->problem, sizeof recording->problem, "%s: %s %" PRIu64 ": message %" PRIu64 ": %s", recording->name,
	         byte_name(recording), offset, number, text);
}

static enum recording_result
recording_broken(struct recording *recording, const char *text)
{
	recording->broken = true;
	if (recording->number == 0 && recording_is_other(recording))
		return RECORDING_BROKEN;
	problem_set(recording, recording->offset, recording->number + 1, text);
	return RECORDING_BROKEN;
}

static enum recording_result
recording_short(struct recording *recording, size_t had, uint32_t wanted)
{
	char text[120];
	if (recording->file.problem[0] != '\0')
		return recording_broken(recording, recording->file.problem);
	snprintf(text, sizeof text, "the file ends after %zu of its %" PRIu32 " bytes", had, wanted);
	return recording_broken(recording, text);
}

static enum recording_result
header_read(struct recording *recording, size_t *header_bytes, uint32_t *body_bytes)
{
	uint8_t header[FRAME_HEADER_BYTES_MAX];
	for (size_t count = 0; count < sizeof header;) {
		bool there = packed_read(&recording->file, &header[count], 1) == 1;
		if (!there && recording->file.problem[0] != '\0')
			return recording_broken(recording, recording->file.problem);
		if (!there)
			return count == 0 ? RECORDING_END : recording_broken(recording, "the file ends within the length before it");
		count++;
		begin_keep(recording, &header[count - 1], 1);
		switch (frame_header_read(header, count, BODY_BYTES_MAX, header_bytes, body_bytes)) {
		case FRAME_OK: return RECORDING_MESSAGE;
		case FRAME_SHORT: break;
		case FRAME_MALFORMED: return recording_broken(recording, "the length before it is not a varint in its shortest form");
		case FRAME_TOO_LARGE: return recording_broken(recording, "its length is more than any message has");
		}
	}
	return recording_broken(recording, "the length before it is not a varint");
}

static bool
body_reserve(struct recording *recording, size_t bytes)
{
	if (bytes <= recording->capacity)
		return true;
	size_t capacity = 2 * recording->capacity > bytes ? 2 * recording->capacity : bytes;
	uint8_t *body = realloc(recording->body, capacity);
	if (!body)
		return false;
	recording->body = body;
	recording->capacity = capacity;
	return true;
}

static enum recording_result
message_read(struct recording *recording)
{
	size_t header_bytes, had = 0;
	uint32_t body_bytes;
	if (recording->broken) /* what follows is not where a message begins */
		return RECORDING_BROKEN;
	enum recording_result result = header_read(recording, &header_bytes, &body_bytes);
	if (result != RECORDING_MESSAGE)
		return result;
	do {
		size_t piece = body_bytes - had < PIECE_BYTES ? body_bytes - had : PIECE_BYTES;
		if (!body_reserve(recording, had + piece + 1)) /* an empty body must have an address as well */
			return recording_broken(recording, "no memory for it");
		size_t got = packed_read(&recording->file, recording->body + had, piece);
		begin_keep(recording, recording->body + had, got);
		had += got;
		if (got < piece)
			return recording_short(recording, had, body_bytes);
	} while (had < body_bytes);
	recording->number++;
	recording->body_bytes = body_bytes;
	recording->body_offset = recording->offset + header_bytes;
	recording->offset = recording->body_offset + body_bytes;
	return RECORDING_MESSAGE;
}

void
recording_fault(struct recording *recording, size_t offset, const char *text)
{
	if (recording->number == 1 && recording_is_other(recording))
		return;
	problem_set(recording, recording->body_offset + offset, recording->number, text);
}

enum recording_result
recording_next(struct recording *recording)
{
	bool looked = recording->looked;
	recording->looked = false;
	return looked ? RECORDING_MESSAGE : message_read(recording);
}

ProtobufCMessage *
recording_unpack(struct recording *recording, const ProtobufCMessageDescriptor *type)
{
	struct message_fault fault;
	struct message_unknown unknown;
	ProtobufCMessage *message = NULL;
	if (!message_scan(type, recording->body, recording->body_bytes, &unknown, &fault))
		recording_fault(recording, fault.offset, fault.text);
	else if (!(message = protobuf_c_message_unpack(type, NULL, recording->body_bytes, recording->body)))
		recording_fault(recording, 0, "no memory for it");
	return message;
}

/* The field of the message read last that is behind its request_id; 0: it does not begin so. */
static uint32_t
second_field(const struct recording *recording)
{
	struct reader reader = reader_of(recording->body, recording->body_bytes);
	struct wire_field field = { 0 };
	if (reader_tag(&reader, &field.number, &field.type) || field.number != 1 || field.type != WIRE_VARINT ||
	    reader_value(&reader, &field) || reader_tag(&reader, &field.number, &field.type))
		return 0;
	return field.type == WIRE_BYTES ? field.number : 0;
}

static enum recording_kind
kind_find(struct recording *recording)
{
	enum recording_result result = message_read(recording);
	recording->looked = result == RECORDING_MESSAGE;
	if (result == RECORDING_END)
		snprintf(recording->problem, sizeof recording->problem, "%s: is empty", recording->name);
	if (result != RECORDING_MESSAGE)
		return RECORDING_OF_NONE;
	switch (second_field(recording)) {
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE: return RECORDING_OF_RUN;
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE: return RECORDING_OF_WORLD;
	default: break;
	}
	if (!recording_is_other(recording))
		snprintf(recording->problem, sizeof recording->problem,
		         "%s: %s %" PRIu64 ": is no recording: its first message has neither simulate, as those of collide run, nor "
		         "world_update, as those of collide world record",
		         recording->name, byte_name(recording), recording->body_offset);
	return RECORDING_OF_NONE;
}

enum recording_kind
recording_kind(struct recording *recording)
{
	if (!recording->asked)
		recording->kind = kind_find(recording);
	recording->asked = true;
	return recording->kind;
}
