/* packed_file: files of recordings, plain or compressed by zstd (RFC 8878).
 *
 * One thread at a time. What is read may be a pipe: no more is asked of it than the next bytes need. What is written is one
 * frame with a checksum. What was flushed of it can be read although the frame never ends. */
#ifndef COLLIDE_CLI_PACKED_FILE_H
#define COLLIDE_CLI_PACKED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct zstd_packer;
struct zstd_unpacker;

#define PACKED_MAGIC_BYTES 4
/* The end of a name that asks for compression. */
#define PACKED_SUFFIX ".zst"

/* Whether bytes that begin a file begin a frame of zstd. */
bool packed_is_one(const void *bytes, size_t count);
bool packed_is_name(const char *path);

struct packed_reader {
	FILE *file;
	struct zstd_unpacker *unpacker; /* NULL: plain */
	uint8_t *input;
	size_t input_size, input_at, input_wanted;
	uint64_t input_before; /* bytes of the file before `input` */
	bool looked, in_frame;
	char problem[160]; /* why packed_read gave less than was asked for; empty: the file ends there */
};

/* "-" is stdin. false with errno. To be closed in either case. */
bool packed_open(struct packed_reader *reader, const char *path);
void packed_close(struct packed_reader *reader);
/* Bytes of what was packed; fewer than `count` only at the end, or with a problem. */
size_t packed_read(struct packed_reader *reader, void *to, size_t count);

struct packed_writer {
	FILE *file;
	struct zstd_packer *packer; /* NULL: plain */
	const char *problem;        /* of packed_create: static, instead of errno; NULL: none */
	uint8_t *output;
	uint64_t bytes; /* that went to the file */
};

/* A new file. false with `problem`, or else errno. To be finished in either case. */
bool packed_create(struct packed_writer *writer, const char *path, bool packed);
/* false with errno. */
bool packed_write(struct packed_writer *writer, const void *bytes, size_t count);
/* All that was written so far can be read from the file then. */
bool packed_flush(struct packed_writer *writer);
/* Ends the frame, if nothing has failed so far. */
bool packed_finish(struct packed_writer *writer);

#endif
