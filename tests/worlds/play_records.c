/* Recordings in a play: files in memory on a disk that is slow, and at times breaks. What a file has, a mirror plays: after
 * each message its state is the world's. Every file has one end, whatever became of its world and of those that asked. */
#include "worlds/play.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- the outside */

static void *
file_open(void *context, const char *name, const void *account, void *recording)
{
	struct play *play = context;
	size_t length = strlen(name);
	bool paused = test_enter();
	assert_true(account && length > 4 && strcmp(name + length - 4, ".rec") == 0 && !strchr(name, '/'));
	for (size_t i = 0; i < RECORDS; i++) {
		struct play_record *record = &play->record[i];
		if (record->recording)
			continue;
		*record = (struct play_record){ .recording = recording, .world = play->record_world };
		record->mirror = collide_mirror_create();
		assert_non_null(record->mirror);
		test_leave(paused);
		return record;
	}
	test_leave(paused);
	return NULL; /* no memory */
}

static bool
file_append(void *file, const uint8_t *front, size_t front_count, struct shared_bytes *block)
{
	struct play_record *record = file;
	size_t count = front_count + block->count;
	assert_true(!record->closed && front_count > 0 && front_count <= WORLDS_FILE_FRONT_BYTES_MAX);
	if (random_below(&play_here->random, 200) == 0)
		return false; /* no memory */
	if (record->count + count > record->capacity) {
		record->capacity = 2 * (record->count + count);
		record->bytes = realloc(record->bytes, record->capacity);
		assert_non_null(record->bytes);
	}
	memcpy(record->bytes + record->count, front, front_count);
	memcpy(record->bytes + record->count + front_count, block->bytes, block->count);
	record->count += count;
	return true;
}

static uint64_t
file_waiting(void *file)
{
	const struct play_record *record = file;
	return record->count - record->written;
}

static void
file_close(void *file)
{
	struct play_record *record = file;
	assert_false(record->closed);
	record->closed = true;
}

static void
file_tell(void *context, const struct recording_line *line)
{
	struct play *play = context;
	play->records_slow += line->ended && strcmp(line->ended, "DISK_SLOW") == 0;
	assert_true(line->first_tick <= line->tick || line->tick == 0);
}

struct worlds_files
play_files(struct play *play)
{
	return (struct worlds_files){ file_open, file_append, file_waiting, file_close, file_tell, play };
}

/* ---- the disk */

/* The message that begins there; its length is in front. */
static size_t
message_play(struct play_record *record, size_t at)
{
	uint64_t length = 0;
	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte = record->bytes[at++];
		length |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			break;
	}
	assert_true(at + length <= record->count);
	Collide__V1__ServerMessage *message = collide__v1__server_message__unpack(NULL, (size_t)length, record->bytes + at);
	assert_non_null(message);
	assert_int_equal(message->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE);
	play_mirror_take(record->mirror, record->world, message->world_update);
	play_here->recorded++;
	collide__v1__server_message__free_unpacked(message, NULL);
	return at + (size_t)length;
}

static void
record_end(struct play *play, struct play_record *record, const char *reason)
{
	const struct worlds_file_news news = {
		.ended = true, .reason = reason, .text = reason ? reason : "", .bytes = record->written
	};
	struct play_record over = *record;
	*record = (struct play_record){ .recording = NULL };
	play->records_ended++;
	server_enter();
	worlds_on_file(over.recording, &news);
	server_leave();
	collide_mirror_destroy(over.mirror);
	free(over.bytes);
}

void
records_turn(struct play *play, bool breaks)
{
	struct play_record *record = &play->record[random_below(&play->random, RECORDS)];
	if (!record->recording)
		return;
	if (breaks && random_below(&play->random, 40) == 0) {
		record_end(play, record, random_below(&play->random, 2) == 0 ? "DISK" : "RECORD_BYTES");
		return;
	}
	bool begins = record->written == 0 && record->count > 0;
	while (record->written < record->count)
		record->written = message_play(record, record->written);
	if (begins) {
		const struct worlds_file_news news = { .text = "", .bytes = record->written };
		server_enter();
		worlds_on_file(record->recording, &news);
		server_leave();
	}
	if (record->closed)
		record_end(play, record, NULL);
}

bool
records_are_over(const struct play *play)
{
	for (size_t i = 0; i < RECORDS; i++)
		if (play->record[i].recording)
			return false;
	return true;
}

/* ---- requests */

void
record_ask(struct play *play, struct play_world *world)
{
	Collide__V1__Record record = COLLIDE__V1__RECORD__INIT;
	Collide__V1__EndRecord end = COLLIDE__V1__END_RECORD__INIT;
	struct wire_problem problem = { .status = STATUS_OK };
	struct worlds_client *client = &play_connection_any(play)->client;
	uint64_t request_id = ++play->requests_next;
	enum status status;
	if (world->gone)
		return;
	record.world = end.world = world->name;
	record.secret = end.secret = (ProtobufCBinaryData){ WORLDS_SECRET_BYTES, world->owner_secret };
	if (random_below(&play->random, 6) > 0) {
		record.every = 1 + (uint32_t)random_below(&play->random, 4);
		record.ticks = random_below(&play->random, 2) == 0 ? 0 : 1 + random_below(&play->random, 30);
		play->record_world = world;
		server_enter();
		status = worlds_record(client, request_id, &record, &problem);
		server_leave();
	} else {
		server_enter();
		status = worlds_end_record(client, request_id, &end, &problem);
		server_leave();
	}
	if (status != STATUS_OK)
		assert_true(strcmp(problem.reason, "RECORDING") == 0 || strcmp(problem.reason, "SERVER_MEMORY") == 0 ||
		            strcmp(problem.reason, "SEATS") == 0);
	else if (random_below(&play->random, 8) == 0 && worlds_client_has_request(client, request_id))
		assert_true(worlds_client_cancel(client, request_id));
}
