#include "client/cli/recording/packed_file.h"

#include "client/cli/recording/zstd_frame.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t magic[PACKED_MAGIC_BYTES] = { 0x28, 0xb5, 0x2f, 0xfd };
/* A recording grows slowly, and is kept for long. */
enum { LEVEL = 15 };

bool
packed_is_one(const void *bytes, size_t count)
{
	return count >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

bool
packed_is_name(const char *path)
{
	size_t length = strlen(path), suffix = sizeof PACKED_SUFFIX - 1;
	return length > suffix && strcmp(path + length - suffix, PACKED_SUFFIX) == 0;
}

/* ---- reading */

bool
packed_open(struct packed_reader *reader, const char *path)
{
	*reader = (struct packed_reader){ .file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb") };
	return reader->file != NULL;
}

void
packed_close(struct packed_reader *reader)
{
	if (reader->file && reader->file != stdin)
		fclose(reader->file);
	zstd_unpacker_destroy(reader->unpacker);
	free(reader->input);
	*reader = (struct packed_reader){ .file = NULL };
}

static void
problem_set(struct packed_reader *reader, const char *text)
{
	(void)snprintf(reader->problem, sizeof reader->problem, "%s", text);
}

/* More of the file, as much as is wanted of it. false: there is none, or a problem. */
static bool
input_read(struct packed_reader *reader)
{
	size_t most = FRAME_BLOCK_BYTES, wanted = reader->input_wanted < most ? reader->input_wanted : most;
	reader->input_before += reader->input_size;
	errno = 0;
	reader->input_size = fread(reader->input, 1, wanted, reader->file);
	reader->input_at = 0;
	if (ferror(reader->file))
		problem_set(reader, strerror(errno != 0 ? errno : EIO));
	return reader->input_size > 0 && reader->problem[0] == '\0';
}

/* What the file is, by its first bytes. */
static void
reader_look(struct packed_reader *reader)
{
	reader->looked = true;
	reader->input = malloc(FRAME_BLOCK_BYTES);
	if (!reader->input) {
		problem_set(reader, "no memory for it");
		return;
	}
	reader->input_wanted = sizeof magic;
	if (!input_read(reader) || !packed_is_one(reader->input, reader->input_size))
		return;
	reader->unpacker = zstd_unpacker_create();
	if (!reader->unpacker)
		problem_set(reader, zstd_frame_missing);
}

static size_t
plain_read(struct packed_reader *reader, uint8_t *to, size_t count)
{
	size_t left = reader->input_size - reader->input_at, had = left < count ? left : count;
	if (had > 0)
		memcpy(to, reader->input + reader->input_at, had);
	reader->input_at += had;
	errno = 0;
	had += had < count ? fread(to + had, 1, count - had, reader->file) : 0;
	if (had < count && ferror(reader->file))
		problem_set(reader, strerror(errno != 0 ? errno : EIO));
	return had;
}

static size_t
frames_read(struct packed_reader *reader, uint8_t *to, size_t count)
{
	struct zstd_step step = { .output = to, .output_count = count };
	while (step.output_used < count && reader->problem[0] == '\0') {
		size_t before = step.output_used;
		step.input = reader->input;
		step.input_count = reader->input_size;
		step.input_used = reader->input_at;
		bool good = zstd_unpack(reader->unpacker, &step);
		bool moved = step.output_used > before || step.input_used > reader->input_at;
		reader->input_at = step.input_used;
		if (!good) {
			(void)snprintf(reader->problem, sizeof reader->problem,
			               "its zstd is damaged before byte %" PRIu64 " of the file: %s",
			               reader->input_before + step.input_used, step.problem);
			break;
		}
		/* Without input it tells of a frame to come. */
		if (moved) {
			reader->in_frame = step.wanted > 0;
			reader->input_wanted = step.wanted > 0 ? step.wanted : sizeof magic + 1;
		}
		if (moved || reader->input_at < reader->input_size || input_read(reader))
			continue;
		if (reader->in_frame && reader->problem[0] == '\0')
			problem_set(reader, "the file ends within a frame of zstd, which was not written to its end");
		break;
	}
	return step.output_used;
}

size_t
packed_read(struct packed_reader *reader, void *to, size_t count)
{
	if (!reader->looked)
		reader_look(reader);
	if (reader->problem[0] != '\0')
		return 0;
	return reader->unpacker ? frames_read(reader, to, count) : plain_read(reader, to, count);
}

/* ---- writing */

bool
packed_create(struct packed_writer *writer, const char *path, bool packed)
{
	*writer = (struct packed_writer){ .file = NULL };
	/* Before a file that is there is emptied. */
	if (packed) {
		writer->output = malloc(FRAME_BLOCK_BYTES);
		writer->packer = zstd_packer_create(LEVEL);
		if (!writer->output || !writer->packer) {
			writer->problem = zstd_frame_missing;
			return false;
		}
	}
	writer->file = fopen(path, "wb");
	return writer->file != NULL;
}

static bool
bytes_put(struct packed_writer *writer, const void *bytes, size_t count)
{
	writer->bytes += count;
	errno = 0;
	if (fwrite(bytes, 1, count, writer->file) == count)
		return true;
	errno = errno != 0 ? errno : EIO;
	return false;
}

static bool
frame_put(struct packed_writer *writer, const void *bytes, size_t count, enum pack_how how)
{
	struct zstd_step step = { .input = bytes, .input_count = count, .output = writer->output };
	do {
		step.output_used = 0;
		step.output_count = FRAME_BLOCK_BYTES;
		if (!zstd_pack(writer->packer, &step, how)) {
			errno = ENOMEM;
			return false;
		}
		if (!bytes_put(writer, writer->output, step.output_used))
			return false;
	} while (how == PACK_GO_ON ? step.input_used < step.input_count : step.wanted > 0);
	return true;
}

bool
packed_write(struct packed_writer *writer, const void *bytes, size_t count)
{
	return writer->packer ? frame_put(writer, bytes, count, PACK_GO_ON) : bytes_put(writer, bytes, count);
}

bool
packed_flush(struct packed_writer *writer)
{
	if (writer->packer && !frame_put(writer, NULL, 0, PACK_FLUSH))
		return false;
	errno = 0;
	if (fflush(writer->file) == 0)
		return true;
	errno = errno != 0 ? errno : EIO;
	return false;
}

bool
packed_finish(struct packed_writer *writer)
{
	bool good = writer->file != NULL;
	if (good && writer->packer && !writer->problem)
		good = frame_put(writer, NULL, 0, PACK_END);
	int problem = errno;
	errno = 0;
	if (writer->file && fclose(writer->file) != 0 && good) {
		good = false;
		problem = errno != 0 ? errno : EIO;
	}
	zstd_packer_destroy(writer->packer);
	free(writer->output);
	*writer = (struct packed_writer){ .bytes = writer->bytes };
	errno = problem;
	return good;
}
