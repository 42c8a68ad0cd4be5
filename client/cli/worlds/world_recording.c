#include "client/cli/worlds/world_recording.h"

#include "client/cli/recording/recording.h"
#include "client/cli/terminal/colour.h"
#include "collide/v1/collide.pb-c.h"
#include "physics/describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is being read. */
struct loader {
	struct world_recording *recording;
	struct recording *file;
	Collide__V1__WorldUpdate *key; /* joined so far; NULL: none is under way */
	char problem[400];
};

/* Of the message read last. */
static bool
refuse(struct loader *loader, const char *text)
{
	char after[300];
	(void)snprintf(after, sizeof after, "after tick %" PRIu64 ": %s", loader->recording->end, text);
	recording_fault(loader->file, 0, loader->recording->key ? after : text);
	(void)snprintf(loader->problem, sizeof loader->problem, "%s", loader->file->problem);
	return false;
}

static bool
reserve(void *array_pointer, size_t *capacity, size_t count, size_t size)
{
	void **array = array_pointer;
	if (count <= *capacity)
		return true;
	size_t room = count < 64 ? 64 : 2 * count;
	void *grown = realloc(*array, room * size);
	if (!grown)
		return false;
	*array = grown;
	*capacity = room;
	return true;
}

/* ---- batches and hashes */

static bool
batch_add(struct loader *loader, const Collide__V1__AppliedBatch *applied)
{
	struct world_recording *recording = loader->recording;
	uint8_t *copy = malloc(applied->commands.len + 1);
	if (!copy ||
	    !reserve(&recording->batches, &recording->batch_capacity, recording->batch_count + 1, sizeof *recording->batches)) {
		free(copy);
		return refuse(loader, "no memory for its batches");
	}
	if (applied->commands.len > 0) /* the end of a seat has none */
		memcpy(copy, applied->commands.data, applied->commands.len);
	recording->batches[recording->batch_count] = (struct recorded_batch){ .tick = applied->tick,
		                                                                  .sequence = applied->sequence,
		                                                                  .seat = applied->seat,
		                                                                  .number = recording->batch_count,
		                                                                  .count = applied->commands.len,
		                                                                  .commands = copy };
	recording->batch_count++;
	/* What was made again has another hash. */
	while (recording->hash_count > 0 && recording->hashes[recording->hash_count - 1].tick >= applied->tick)
		recording->hash_count--;
	return true;
}

/* It was told before. */
static void
batch_undo(struct world_recording *recording, const Collide__V1__AppliedBatch *undone)
{
	size_t kept = 0;
	for (size_t i = 0; i < recording->batch_count; i++) {
		struct recorded_batch *batch = &recording->batches[i];
		if (batch->tick == undone->tick && batch->seat == undone->seat && batch->sequence == undone->sequence) {
			free(batch->commands);
			recording->undone_count++;
		} else {
			recording->batches[kept++] = *batch;
		}
	}
	recording->batch_count = kept;
	while (recording->hash_count > 0 && recording->hashes[recording->hash_count - 1].tick >= undone->tick)
		recording->hash_count--;
}

static bool
hash_add(struct loader *loader, const Collide__V1__WorldUpdate *update)
{
	struct world_recording *recording = loader->recording;
	if (update->hash_tick <= recording->begin)
		return true;
	if (!reserve(&recording->hashes, &recording->hash_capacity, recording->hash_count + 1, sizeof *recording->hashes))
		return refuse(loader, "no memory for its hashes");
	recording->hashes[recording->hash_count++] = (struct recorded_hash){ update->hash_tick, update->hash };
	return true;
}

static bool
update_take(struct loader *loader, const Collide__V1__WorldUpdate *update)
{
	struct world_recording *recording = loader->recording;
	if (!recording->key)
		return refuse(loader, "world_update.key is missing: the first one must have it");
	if (update->tick - update->ticks != recording->end)
		return refuse(loader, "world_update.ticks: ticks are missing");
	if (update->coded.len > 0)
		return refuse(loader, "world_update.coded: batches are coded, for live readers");
	for (size_t i = 0; i < update->n_applied; i++)
		if (!batch_add(loader, update->applied[i]))
			return false;
	for (size_t i = 0; i < update->n_undone; i++)
		batch_undo(recording, update->undone[i]);
	recording->end = update->tick;
	return update->hash_tick == 0 || hash_add(loader, update);
}

/* ---- keys */

static bool
key_is_whole(const Collide__V1__WorldUpdate *update)
{
	return update->optional_frame_case != COLLIDE__V1__WORLD_UPDATE__OPTIONAL_FRAME_FRAME || !update->frame->more;
}

/* Appends the snapshot's part to that which came before. */
static bool
key_join(struct loader *loader, Collide__V1__WorldUpdate *update)
{
	ProtobufCBinaryData *to = &loader->key->key->snapshot, *from = &update->key->snapshot;
	uint8_t *joined = realloc(to->data, to->len + from->len + 1);
	if (!joined)
		return refuse(loader, "no memory for a key");
	if (from->len > 0)
		memcpy(joined + to->len, from->data, from->len);
	*to = (ProtobufCBinaryData){ to->len + from->len, joined };
	return true;
}

/* The tick of the state in a key. */
static bool
key_tick(struct loader *loader, const Collide__V1__Key *key, uint64_t *tick)
{
	Collide__V1__WorldState *state = collide__v1__world_state__unpack(NULL, key->snapshot.len, key->snapshot.data);
	if (!state)
		return refuse(loader, "world_update.key.snapshot has no state of a world");
	*tick = snapshot_outline(state->engine.data, state->engine.len).tick;
	collide__v1__world_state__free_unpacked(state, NULL);
	return true;
}

/* The world begins with it. */
static bool
key_keep(struct loader *loader, const Collide__V1__WorldUpdate *key)
{
	struct world_recording *recording = loader->recording;
	Collide__V1__WorldUpdate lone = COLLIDE__V1__WORLD_UPDATE__INIT;
	if (!key_tick(loader, key->key, &lone.tick))
		return false;
	lone.optional_key_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_KEY_KEY;
	lone.key = key->key;
	recording->key_bytes = collide__v1__world_update__get_packed_size(&lone);
	recording->key = malloc(recording->key_bytes + 1);
	if (!recording->key)
		return refuse(loader, "no memory for a key");
	(void)collide__v1__world_update__pack(&lone, recording->key);
	recording->begin = lone.tick;
	recording->end = key->tick;
	return true;
}

/* The first one is kept; one after a gap cannot be. */
static bool
key_end(struct loader *loader)
{
	struct world_recording *recording = loader->recording;
	Collide__V1__WorldUpdate *key = loader->key;
	loader->key = NULL;
	bool good = true;
	if (!recording->key)
		good = key_keep(loader, key);
	else if (key->tick != recording->end)
		good = refuse(loader, "world_update.key: ticks are missing, and then another state begins");
	collide__v1__world_update__free_unpacked(key, NULL);
	return good;
}

/* Takes the update. */
static bool
key_take(struct loader *loader, Collide__V1__WorldUpdate *update)
{
	bool whole = key_is_whole(update), joined = true;
	/* Batches between its state and its tick; of a later key they are known. */
	for (size_t i = 0; joined && !loader->recording->key && i < update->n_applied; i++)
		joined = batch_add(loader, update->applied[i]);
	if (!loader->key) {
		loader->key = update;
	} else {
		joined = key_join(loader, update) && joined;
		collide__v1__world_update__free_unpacked(update, NULL);
	}
	return joined && (!whole || key_end(loader));
}

/* ---- the file */

static bool
message_take(struct loader *loader, struct recording *file)
{
	Collide__V1__ServerMessage *message = (Collide__V1__ServerMessage *)(void *)recording_unpack(
		file, &collide__v1__server_message__descriptor);
	bool good = true;
	if (!message) {
		(void)snprintf(loader->problem, sizeof loader->problem, "%s", file->problem);
		return false;
	}
	if (message->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE) {
		Collide__V1__WorldUpdate *update = message->world_update;
		message->reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY__NOT_SET;
		message->world_update = NULL;
		if (update->optional_key_case == COLLIDE__V1__WORLD_UPDATE__OPTIONAL_KEY_KEY) {
			good = key_take(loader, update);
		} else {
			good = update_take(loader, update);
			collide__v1__world_update__free_unpacked(update, NULL);
		}
	}
	collide__v1__server_message__free_unpacked(message, NULL);
	return good;
}

static int
batch_compare(const void *left, const void *right)
{
	const struct recorded_batch *a = left, *b = right;
	if (a->tick != b->tick)
		return a->tick < b->tick ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static bool
file_read(struct loader *loader, struct recording *file)
{
	enum recording_result result;
	switch (recording_kind(file)) {
	case RECORDING_OF_RUN:
		(void)snprintf(loader->problem, sizeof loader->problem,
		               "%s: is a recording of collide run, not of a world: collide verify simulates it again", file->name);
		return false;
	case RECORDING_OF_WORLD: break;
	case RECORDING_OF_NONE: (void)snprintf(loader->problem, sizeof loader->problem, "%s", file->problem); return false;
	}
	while ((result = recording_next(file)) == RECORDING_MESSAGE)
		if (!message_take(loader, file))
			return false;
	loader->recording->file_bytes = file->offset;
	if (result == RECORDING_BROKEN)
		(void)snprintf(loader->problem, sizeof loader->problem, "%s", file->problem);
	return result != RECORDING_BROKEN;
}

bool
world_recording_take(struct world_recording *recording, const char *command, struct recording *file)
{
	struct loader loader = { .recording = recording, .file = file };
	*recording = (struct world_recording){ .path = file->name };
	bool whole = file_read(&loader, file);
	if (whole && !recording->key)
		whole = refuse(&loader, "it ends within the state that it begins with");
	recording->cut = !whole;
	if (!whole) {
		problem_begin(command);
		fprintf(stderr, "%s\n", loader.problem);
	}
	if (!whole && recording->key)
		fprintf(stderr, "  what comes before is whole: ticks %" PRIu64 " to %" PRIu64 "\n", recording->begin, recording->end);
	if (loader.key)
		collide__v1__world_update__free_unpacked(loader.key, NULL);
	if (recording->batch_count > 1)
		qsort(recording->batches, recording->batch_count, sizeof *recording->batches, batch_compare);
	return recording->key != NULL;
}

bool
world_recording_load(struct world_recording *recording, const char *command, const char *path)
{
	struct recording file;
	bool good = recording_open(&file, path);
	*recording = (struct world_recording){ .path = path };
	if (good) {
		good = world_recording_take(recording, command, &file);
		recording->path = path;
	} else {
		problem_begin(command);
		fprintf(stderr, "%s\n", file.problem);
	}
	recording_close(&file);
	return good;
}

void
world_recording_free(struct world_recording *recording)
{
	for (size_t i = 0; i < recording->batch_count; i++)
		free(recording->batches[i].commands);
	free(recording->batches);
	free(recording->hashes);
	free(recording->key);
	*recording = (struct world_recording){ .path = recording->path };
}

/* ---- playing */

bool
world_play_open(struct world_play *play, const struct world_recording *recording)
{
	*play = (struct world_play){ .recording = recording, .mirror = collide_mirror_create() };
	if (!play->mirror) {
		(void)snprintf(play->error.text, sizeof play->error.text, "no memory");
		return false;
	}
	return collide_mirror_update(play->mirror, recording->key, recording->key_bytes, &play->error);
}

void
world_play_close(struct world_play *play)
{
	collide_mirror_destroy(play->mirror);
}

uint64_t
world_play_now(const struct world_play *play)
{
	return collide_mirror_state(play->mirror).tick;
}

/* The update of one tick, with `count` batches from the next on. */
static bool
tick_feed(struct world_play *play, uint64_t tick, size_t count)
{
	const struct world_recording *recording = play->recording;
	Collide__V1__WorldUpdate update = COLLIDE__V1__WORLD_UPDATE__INIT;
	Collide__V1__AppliedBatch *rows = malloc((count + 1) * sizeof *rows);
	Collide__V1__AppliedBatch **list = malloc((count + 1) * sizeof *list);
	bool fed = rows && list;
	for (size_t i = 0; fed && i < count; i++) {
		const struct recorded_batch *batch = &recording->batches[play->batch + i];
		collide__v1__applied_batch__init(&rows[i]);
		rows[i].tick = tick;
		rows[i].seat = batch->seat;
		rows[i].sequence = batch->sequence;
		rows[i].commands = (ProtobufCBinaryData){ batch->count, batch->commands };
		list[i] = &rows[i];
	}
	update.tick = tick;
	update.ticks = 1;
	update.applied = list;
	update.n_applied = count;
	if (play->hash < recording->hash_count && recording->hashes[play->hash].tick == tick) {
		update.hash_tick = tick;
		update.hash = recording->hashes[play->hash++].hash;
	}
	size_t bytes = collide__v1__world_update__get_packed_size(&update);
	uint8_t *packed = fed ? malloc(bytes + 1) : NULL;
	if (packed) {
		(void)collide__v1__world_update__pack(&update, packed);
		fed = collide_mirror_update(play->mirror, packed, bytes, &play->error);
	} else {
		(void)snprintf(play->error.text, sizeof play->error.text, "no memory");
		fed = false;
	}
	free(packed);
	free(rows);
	free(list);
	return fed;
}

bool
world_play_tick(struct world_play *play)
{
	const struct world_recording *recording = play->recording;
	uint64_t tick = world_play_now(play) + 1;
	size_t count = 0;
	/* Of before the key there is nothing to make. */
	while (play->batch < recording->batch_count && recording->batches[play->batch].tick < tick)
		play->batch++;
	while (play->batch + count < recording->batch_count && recording->batches[play->batch + count].tick == tick)
		count++;
	if (!tick_feed(play, tick, count))
		return false;
	play->batch += count;
	return true;
}
