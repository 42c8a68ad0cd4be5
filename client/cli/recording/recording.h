/* recording: a file of length-delimited messages (proto/frame.h), as they went over the wire.
 *
 * A file of `collide run --record` begins with the request, a ClientMessage with Simulate; ServerMessages follow. One of
 * `collide world record` has ServerMessages with WorldUpdates. One thread at a time. A recording is read once from front to
 * back, so it may be a pipe. It may be compressed by zstd.
 *
 * The folder recording/ is the files of runs: recordings, their playback, snapshots. It may use scene/, terminal/, the client
 * library, and of the server wire and physics. check/, run/ and the commands call it. */
#ifndef COLLIDE_CLI_RECORDING_H
#define COLLIDE_CLI_RECORDING_H

#include "client/cli/recording/packed_file.h"

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes the first message sent, and all that is received. */
struct recorder {
	const char *path;
	FILE *file;
	bool request_written;
	int problem; /* errno of the first write that failed */
};

/* false: the file cannot be created, which stderr says. `path` is borrowed. */
bool recorder_open(struct recorder *recorder, const char *path);
/* A collide_record_fn; `recorder` is a struct recorder. */
void recorder_take(void *recorder, bool sent, const void *bytes, size_t count);
/* false: the file is incomplete, which stderr says. A recorder that was never opened (zeros) is fine. */
bool recorder_close(struct recorder *recorder);

enum recording_kind {
	RECORDING_OF_RUN,   /* collide run --record: its first message is a Simulate request */
	RECORDING_OF_WORLD, /* collide world record: its first message is a WorldUpdate */
	RECORDING_OF_NONE,  /* neither, or its first message is not whole: `problem` says what it is */
};

/* Reads. */
struct recording {
	const char *name; /* for errors */
	struct packed_reader file;
	uint8_t *body;
	size_t capacity;
	uint64_t offset;   /* of the next message in the file, or in what it unpacks to */
	uint8_t begin[16]; /* of the file, as far as it was read: it may be of another kind */
	size_t begin_bytes;

	bool asked;  /* recording_kind was asked: `kind` is what it said */
	bool looked; /* and has read a message that recording_next has not given yet */
	enum recording_kind kind;
	bool broken; /* for good */

	/* The message read last. */
	size_t body_bytes;
	uint64_t number;      /* counted from 1 */
	uint64_t body_offset; /* in the file */
	char problem[400];    /* "run.bin: byte 12: ..." */
};

enum recording_result {
	RECORDING_MESSAGE, /* body, body_bytes */
	RECORDING_END,     /* of the file, between two messages */
	RECORDING_BROKEN,  /* `problem` says where and why; nothing else comes after it */
};

/* "-" is stdin. false: `problem` says why. To be closed in either case. `path` is borrowed. */
bool recording_open(struct recording *recording, const char *path);
void recording_close(struct recording *recording);
enum recording_result recording_next(struct recording *recording);

/* What the file is, by its first message, which the first recording_next gives again. To be asked before
 * that, once or more often. */
enum recording_kind recording_kind(struct recording *recording);
/* The message read last, of that type; the caller frees it. NULL: `problem` names the byte and the field at which it is none.
 */
ProtobufCMessage *recording_unpack(struct recording *recording, const ProtobufCMessageDescriptor *type);
/* Whether the bytes, which begin a file, begin a recording of collide run. */
bool recording_is_one(const void *bytes, size_t count);
/* Whether what was read so far began as a file of another kind: a scene or a snapshot. Then `problem` says so. */
bool recording_is_other(struct recording *recording);
/* What is to be said of a recording where a scene was expected. */
extern const char recording_is_no_scene[];
/* Sets `problem` for a fault `offset` bytes into the message read last. */
void recording_fault(struct recording *recording, size_t offset, const char *text);

#endif
