/* world_recording: a file of what was commanded in a world (collide world record), and the world that the engine makes of it.
 *
 * A file has the ServerMessages of a subscription to STREAM_COMMANDS, length-delimited, as they came. It is read as a whole:
 * batches that were undone are left out, and those that came late are in their places. So each tick is made once. One thread at
 * a time. */
#ifndef COLLIDE_CLI_WORLD_RECORDING_H
#define COLLIDE_CLI_WORLD_RECORDING_H

#include "client/mirror/mirror.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recorded_batch {
	uint64_t tick, sequence;
	uint32_t seat;
	size_t number; /* in the order of the file */
	size_t count;
	uint8_t *commands;
};

struct recorded_hash {
	uint64_t tick, hash;
};

struct world_recording {
	const char *path; /* borrowed */
	uint8_t *key;     /* a serialized WorldUpdate with the snapshot; NULL: none has come */
	size_t key_bytes;
	uint64_t begin, end; /* ticks */
	struct recorded_batch *batches;
	size_t batch_count, batch_capacity, undone_count;
	struct recorded_hash *hashes;
	size_t hash_count, hash_capacity;
	uint64_t file_bytes;
	bool cut; /* the file is cut off or damaged: this is what came before that */
};

struct recording;

/* Reads a file. What is wrong with it is on stderr, of `command`. false: there is no tick to make. A file that is cut off or
 * damaged behind its first state is good up to there (`cut`). To be freed in either case. */
bool world_recording_load(struct world_recording *recording, const char *command, const char *path);
/* The same of a file that is open, of which nothing was read but its kind. It stays the caller's, as its name does. */
bool world_recording_take(struct world_recording *recording, const char *command, struct recording *file);
void world_recording_free(struct world_recording *recording);

/* A recording that is played. */
struct world_play {
	const struct world_recording *recording;
	struct collide_mirror *mirror;
	size_t batch, hash; /* the next */
	struct collide_error error;
};

/* At its first tick. false: error says why. To be closed in either case. */
bool world_play_open(struct world_play *play, const struct world_recording *recording);
void world_play_close(struct world_play *play);
/* Makes the next tick, and compares its hash, if the recording has it. false: error says why; there must be one. */
bool world_play_tick(struct world_play *play);
uint64_t world_play_now(const struct world_play *play);

#endif
