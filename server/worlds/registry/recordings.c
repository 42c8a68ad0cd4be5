/* Happy path: Record enters an encoder and opens a file; the key that comes next is its beginning, updates follow, and at the
 * end the file is closed. What can go wrong: the file, at any time; then it ends by itself, and the recording with it. */
#include "worlds/registry/recordings.h"

#include "base/check.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FILE_SUFFIX ".rec"
/* Of all messages of a file, as if one subscription had got them. */
#define FILE_REQUEST_ID 1

/* A request that is answered once its file has begun, or ended. */
struct record_wait {
	struct worlds_client *client; /* NULL: none waits */
	uint64_t request_id;
};

struct file_recording {
	struct file_recording *next; /* of all */
	struct worlds *worlds;
	struct hosted *world;        /* NULL: it is gone */
	void *file;                  /* the host's; NULL: it has ended */
	struct encoder_use *encoder; /* NULL: nothing more comes */
	char name[WORLDS_NAME_BYTES_MAX + 1];
	uint64_t epoch;
	bool has_key, begun; /* the key was given to the file; and the file says so */
	uint64_t first_tick, tick, ticks, bytes;
	uint64_t key_bytes; /* of these, its first state */
	const char *ended;  /* static reason; NULL: it goes on */
	char text[128];
	struct record_wait begin, end;
};

/* Charged to the world while it goes on: what may wait, too. */
static uint64_t
recording_bytes(const struct worlds *worlds)
{
	return sizeof(struct file_recording) + worlds->options.limits.record_waiting_bytes_max;
}

/* ---- requests that wait */

static void
wait_begin(struct record_wait *wait, struct worlds_client *client, uint64_t request_id)
{
	*wait = (struct record_wait){ client, request_id };
	client->ask_count++;
	client->record_count++;
}

/* NULL: none waits. */
static struct worlds_client *
wait_end(struct record_wait *wait)
{
	struct worlds_client *client = wait->client;
	wait->client = NULL;
	if (client) {
		client->ask_count--;
		client->record_count--;
	}
	return client;
}

static void
recorded_fill(const struct file_recording *recording, Collide__V1__Recorded *out)
{
	union {
		const char *in;
		char *out;
	} file = { recording->name }, ended = { recording->ended ? recording->ended : "" }, text = { recording->text };
	collide__v1__recorded__init(out);
	out->file = file.out;
	out->first_tick = recording->first_tick;
	out->tick = recording->tick;
	out->bytes = recording->bytes;
	out->ended = ended.out;
	out->text = text.out;
}

static void
wait_answer(const struct file_recording *recording, struct record_wait *wait)
{
	Collide__V1__Recorded recorded;
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	struct worlds_client *client = wait_end(wait);
	if (!client)
		return;
	recorded_fill(recording, &recorded);
	message.request_id = wait->request_id;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_RECORDED;
	message.recorded = &recorded;
	recording->worlds->options.upward->reply(client->context, &message, true);
}

static void
wait_refuse(const struct file_recording *recording, struct record_wait *wait, enum status status, const char *reason,
            const char *field, const char *text)
{
	struct wire_problem problem = { .status = STATUS_OK };
	struct worlds_client *client = wait_end(wait);
	if (!client)
		return;
	(void)wire_problem_set(&problem, status, reason, field, "%s", text);
	recording->worlds->options.upward->refuse(client->context, wait->request_id, &problem);
}

bool
recordings_have_request(const struct worlds_client *client, uint64_t request_id)
{
	if (client->record_count == 0)
		return false; /* of all worlds there may be very many that have ended */
	for (const struct file_recording *each = client->worlds->recordings; each; each = each->next)
		if ((each->begin.client == client && each->begin.request_id == request_id) ||
		    (each->end.client == client && each->end.request_id == request_id))
			return true;
	return false;
}

static void
forget(struct record_wait *wait, const struct worlds_client *client, const uint64_t *request_id)
{
	if (wait->client == client && (!request_id || wait->request_id == *request_id))
		(void)wait_end(wait);
}

void
recordings_forget(struct worlds_client *client, uint64_t request_id)
{
	for (struct file_recording *each = client->worlds->recordings; each; each = each->next) {
		forget(&each->begin, client, &request_id);
		forget(&each->end, client, &request_id);
	}
}

void
recordings_forget_client(struct worlds_client *client)
{
	for (struct file_recording *each = client->worlds->recordings; each; each = each->next) {
		forget(&each->begin, client, NULL);
		forget(&each->end, client, NULL);
	}
}

/* ---- its life */

static void
recording_free(struct file_recording *recording)
{
	struct file_recording **link = &recording->worlds->recordings;
	while (*link != recording)
		link = &(*link)->next;
	*link = recording->next;
	if (recording->world)
		recording->world->recording = NULL;
	CHECK(!recording->begin.client && !recording->end.client && !recording->encoder);
	memory_free(recording);
}

/* Nothing more comes of its world. */
static void
recording_leave(struct file_recording *recording)
{
	struct hosted *world = recording->world;
	if (!recording->encoder)
		return;
	encoder_leave(world, recording->encoder);
	recording->encoder = NULL;
	world->own_bytes -= recording_bytes(world->worlds);
	entry_charge(world);
}

/* `text`: for people; NULL: none. */
static void
recording_close(struct file_recording *recording, const char *reason, const char *text)
{
	recording_leave(recording);
	if (recording->ended)
		return;
	recording->ended = reason;
	(void)snprintf(recording->text, sizeof recording->text, "%s", text ? text : "");
	recording->worlds->options.files.close(recording->file);
}

void
recording_end(struct hosted *world, const char *reason)
{
	struct file_recording *recording = world->recording;
	if (!recording || !recording->encoder)
		return;
	recording_close(recording, reason, NULL);
	if (!recording->begun)
		wait_refuse(recording, &recording->begin, STATUS_CANCELLED, reason, "", "before the recording had begun");
}

void
recording_lose(struct hosted *world, const struct encoder_use *encoder)
{
	struct file_recording *recording = world->recording;
	if (!recording || recording->encoder != encoder)
		return;
	recording_close(recording, "MEMORY", "no memory for it in its world");
	if (!recording->begun)
		wait_refuse(recording, &recording->begin, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "record", recording->text);
}

void
recording_drop(struct hosted *world)
{
	struct file_recording *recording = world->recording;
	if (!recording)
		return;
	if (recording->encoder)
		recording_close(recording, "WORLD_GONE", NULL);
	recording->world = NULL;
	world->recording = NULL;
	if (!recording->file)
		recording_free(recording);
}

void
worlds_close_files(struct worlds *worlds)
{
	for (struct file_recording *each = worlds->recordings; each; each = each->next)
		if (each->encoder)
			recording_close(each, "WORLD_GONE", NULL);
}

void
recordings_free(struct worlds *worlds)
{
	while (worlds->recordings) {
		(void)wait_end(&worlds->recordings->begin);
		(void)wait_end(&worlds->recordings->end);
		recording_free(worlds->recordings);
	}
}

bool
recording_tell(const struct hosted *world, Collide__V1__Recorded *out)
{
	if (!world->recording || !world->recording->begun)
		return false;
	recorded_fill(world->recording, out);
	return true;
}

static void
recording_log(const struct file_recording *recording, const char *ended)
{
	const struct worlds_files *files = &recording->worlds->options.files;
	const struct recording_line line = {
		.world = recording->world ? recording->world->name : "",
		.file = recording->name,
		.epoch = recording->epoch,
		.first_tick = recording->first_tick,
		.tick = recording->tick,
		.bytes = recording->bytes,
		.ended = ended,
		.text = recording->text,
	};
	files->tell(files->context, &line);
}

/* ---- what comes */

static size_t
varint_put(uint8_t *at, uint64_t value)
{
	size_t count = 0;
	for (; value >= 0x80; value >>= 7)
		at[count++] = (uint8_t)(value | 0x80);
	at[count++] = (uint8_t)value;
	return count;
}

/* A ServerMessage with an update: its length, and what is in front of the block. */
static size_t
front_put(uint8_t front[WORLDS_FILE_FRONT_BYTES_MAX], size_t block_count)
{
	uint8_t inner[WORLDS_FILE_FRONT_BYTES_MAX];
	size_t count = 0;
	inner[count++] = 1 << 3; /* request_id */
	inner[count++] = FILE_REQUEST_ID;
	inner[count++] = COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE << 3 | 2;
	count += varint_put(inner + count, block_count);
	size_t length = varint_put(front, count + block_count);
	memcpy(front + length, inner, count);
	return length + count;
}

/* False: no memory. */
static bool
blocks_append(struct file_recording *recording, struct shared_bytes *const *blocks, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint8_t front[WORLDS_FILE_FRONT_BYTES_MAX];
		size_t front_count = front_put(front, blocks[i]->count);
		if (!recording->worlds->options.files.append(recording->file, front, front_count, blocks[i]))
			return false;
		recording->bytes += front_count + blocks[i]->count;
	}
	return true;
}

/* A gap would make the file useless from there on: it ends instead. */
static void
recording_take(struct file_recording *recording, struct shared_bytes *const *blocks, size_t count, uint64_t tick)
{
	if (!blocks_append(recording, blocks, count)) {
		recording_close(recording, "SERVER_MEMORY", "no memory for what waits for the disk");
		return;
	}
	recording->tick = tick;
	if (recording->ticks > 0 && tick - recording->first_tick >= recording->ticks)
		recording_close(recording, "DONE", NULL);
}

/* Whether more waits for the disk than may, behind the first state. */
static bool
is_slow(const struct file_recording *recording)
{
	uint64_t waiting = recording->worlds->options.files.waiting(recording->file),
			 since = recording->bytes - recording->key_bytes;
	return (waiting < since ? waiting : since) > recording->worlds->options.limits.record_waiting_bytes_max;
}

void
recording_update(struct hosted *world, const struct encoder_use *encoder, const struct update *update)
{
	struct file_recording *recording = world->recording;
	if (!recording || recording->encoder != encoder)
		return;
	uint32_t others = update->row_count + update->state_count;
	if (recording->has_key && is_slow(recording)) {
		recording_close(recording, "DISK_SLOW", "more waits for the disk than may");
	} else if (recording->has_key) {
		recording_take(recording, update->blocks, others, update->tick);
	} else if (update->key_count > 0) {
		recording->has_key = true;
		recording->first_tick = update->tick;
		recording_take(recording, update->blocks + others, update->key_count, update->tick);
		recording->key_bytes = recording->bytes;
	}
}

/* ---- what becomes of the file */

static void
file_begun(struct file_recording *recording)
{
	recording->begun = true;
	recording_log(recording, NULL);
	wait_answer(recording, &recording->begin);
}

static void
begin_fail(struct file_recording *recording, const struct worlds_file_news *news)
{
	const char *text = recording->text[0] != '\0' ? recording->text : "the file has not begun";
	if (news->reason && strcmp(news->reason, "NAME_TAKEN") == 0)
		wait_refuse(recording, &recording->begin, STATUS_ALREADY_EXISTS, "NAME_TAKEN", "record.file", "there is such a file");
	else if (news->reason && (strcmp(news->reason, "RECORD_BYTES") == 0 || strcmp(news->reason, "RECORD_FILES") == 0))
		wait_refuse(recording, &recording->begin, STATUS_RESOURCE_EXHAUSTED, news->reason, "", text);
	else
		wait_refuse(recording, &recording->begin, STATUS_RESOURCE_EXHAUSTED, "DISK", "", text);
}

void
worlds_on_file(void *context, const struct worlds_file_news *news)
{
	struct file_recording *recording = context;
	if (!news->ended) {
		file_begun(recording);
		return;
	}
	recording->file = NULL;
	recording->bytes = news->bytes;
	recording_leave(recording);
	if (news->reason)
		recording->ended = news->reason;
	if (news->text[0] != '\0')
		(void)snprintf(recording->text, sizeof recording->text, "%s", news->text);
	recording_log(recording, recording->ended);
	if (!recording->begun)
		begin_fail(recording, news);
	wait_answer(recording, &recording->end);
	if (!recording->begun || !recording->world)
		recording_free(recording);
}

/* ---- requests */

static enum status
file_name_read(struct worlds *worlds, const struct hosted *world, const char *text, char out[WORLDS_NAME_BYTES_MAX + 1],
               struct wire_problem *problem)
{
	size_t count = strlen(text), suffix = strlen(FILE_SUFFIX);
	if (count == 0) {
		(void)snprintf(out, WORLDS_NAME_BYTES_MAX + 1, "%016" PRIx64 "-%" PRIu64 FILE_SUFFIX, world->epoch,
		               ++worlds->recording_next);
		return STATUS_OK;
	}
	if (count > WORLDS_NAME_BYTES_MAX) {
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "record.file", "has more than %d bytes",
		                        WORLDS_NAME_BYTES_MAX);
	}
	for (size_t i = 0; i < count; i++) {
		bool good = (text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z') ||
		            (text[i] >= '0' && text[i] <= '9') || text[i] == '-' || text[i] == '_' || (text[i] == '.' && i > 0);
		if (!good) {
			return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "record.file",
			                        "may have letters, digits and \"-_.\", and must not begin with \".\"");
		}
	}
	if (count <= suffix || strcmp(text + count - suffix, FILE_SUFFIX) != 0)
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "record.file",
		                        "must end in \"" FILE_SUFFIX "\"");
	memcpy(out, text, count + 1);
	return STATUS_OK;
}

static enum status
record_check(struct hosted *world, const Collide__V1__Record *message, struct encoder_options *options,
             struct wire_problem *problem)
{
	*options = (struct encoder_options){ .every = WORLDS_RECORD_EVERY, .commands = true };
	if (!world->worlds->options.files.open) {
		return wire_problem_set(problem, STATUS_FAILED_PRECONDITION, "NO_RECORDINGS", "",
		                        "the server has no folder for recordings");
	}
	if (world->recording && world->recording->file) {
		return wire_problem_set(problem, STATUS_FAILED_PRECONDITION, "RECORDING", "",
		                        world->recording->encoder ? "the world is recorded already"
		                                                  : "the world's last recording is still being closed");
	}
	if (subscription_wish(NULL, message->every, "record", options, problem) != STATUS_OK ||
	    subscription_choose(world, NULL, "record", options, problem) != STATUS_OK)
		return problem->status;
	return entry_check_room(world, recording_bytes(world->worlds), problem);
}

/* The world's, with an encoder that was asked for a key, and a file. NULL without memory. */
static struct file_recording *
recording_create(struct hosted *world, const struct encoder_options *options, const char *name)
{
	const struct worlds_files *files = &world->worlds->options.files;
	struct file_recording *recording = memory_zeroed(1, sizeof *recording);
	struct encoder_use *encoder = recording ? encoder_enter(world, options) : NULL;
	void *file = encoder && encoder_ask_key(world, encoder)
	                 ? files->open(files->context, name, world->tenant->account, recording)
	                 : NULL;
	if (!file) {
		if (encoder)
			encoder_leave(world, encoder);
		memory_free(recording);
		return NULL;
	}
	recording->worlds = world->worlds;
	recording->world = world;
	recording->file = file;
	recording->encoder = encoder;
	recording->epoch = world->epoch;
	(void)snprintf(recording->name, sizeof recording->name, "%s", name);
	if (world->recording)
		recording_drop(world); /* the last one, which has ended */
	recording->next = world->worlds->recordings;
	world->worlds->recordings = world->recording = recording;
	world->own_bytes += recording_bytes(world->worlds);
	entry_charge(world);
	return recording;
}

enum status
worlds_record(struct worlds_client *client, uint64_t request_id, const Collide__V1__Record *message,
              struct wire_problem *problem)
{
	struct hosted *world = NULL;
	struct encoder_options options;
	char name[WORLDS_NAME_BYTES_MAX + 1];
	enum secret_kind kind = SECRET_NONE;
	enum status status = entry_open(client->worlds, message->world, message->epoch, &message->secret, SECRET_OWNER, "record",
	                                &world, &kind, problem);
	if (status == STATUS_OK)
		status = record_check(world, message, &options, problem);
	if (status == STATUS_OK)
		status = file_name_read(client->worlds, world, message->file, name, problem);
	if (status != STATUS_OK)
		return status;
	struct file_recording *recording = recording_create(world, &options, name);
	if (!recording)
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SERVER_MEMORY", "", "no memory for a recording");
	recording->ticks = message->ticks;
	wait_begin(&recording->begin, client, request_id);
	return STATUS_OK;
}

enum status
worlds_end_record(struct worlds_client *client, uint64_t request_id, const Collide__V1__EndRecord *message,
                  struct wire_problem *problem)
{
	struct hosted *world = NULL;
	enum secret_kind kind = SECRET_NONE;
	enum status status = entry_open(client->worlds, message->world, message->epoch, &message->secret, SECRET_OWNER,
	                                "end_record", &world, &kind, problem);
	if (status != STATUS_OK)
		return status;
	struct file_recording *recording = world->recording;
	if (!recording || !recording->begun || recording->end.client) {
		return wire_problem_set(problem, STATUS_FAILED_PRECONDITION, "RECORDING", "",
		                        recording && recording->begun ? "another request ends it already"
		                                                      : "the world has no recording");
	}
	wait_begin(&recording->end, client, request_id);
	if (recording->file)
		recording_close(recording, "DONE", NULL);
	else
		wait_answer(recording, &recording->end);
	return STATUS_OK;
}
