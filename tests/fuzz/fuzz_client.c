/* The client library's reader, with the answers of a hostile server to a client that has asked for one thing of every kind.
 *
 * However the bytes are cut up, the events are the same. Nothing is said of a request that has had its end, or that was never
 * made. A conversation that has failed stays so, with a reason. Columns are as long as they say. Followers have circles and
 * segments in the order of their ids, and after an update that they refuse they wait for a key. Coded batches can be looked at.
 */
#include "fuzz/client_script.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/stream_mutator.h"

#include "base/check.h"
#include "client/lib/follow/batch_reader.h"
#include "collide/v1/collide.pb-c.h"
#include "proto/frame.h"

#include <stdlib.h>
#include <string.h>

enum { IDS_MAX = 64, FOLLOWERS = 2 };
/* The subscriptions of the script that followers are for. */
static const uint64_t followed[FOLLOWERS] = { 15, 17 };
/* The one of which batches are coded. */
enum { CODED = 16 };

struct listener {
	struct collide_core *core;
	struct collide_follower *followers[FOLLOWERS];
	struct batch_reader *batches; /* NULL: none has come */
	uint64_t batches_sum;
	uint64_t requests;
	bool ended[IDS_MAX];
	bool failed;
	uint64_t digest; /* of all events */
};

static void
digest_bytes(struct listener *listener, const void *bytes, size_t count)
{
	const uint8_t *at = bytes;
	for (size_t i = 0; i < count; i++)
		listener->digest = (listener->digest ^ at[i]) * UINT64_C(0x100000001b3);
}

static void
digest_doubles(struct listener *listener, const double *values, size_t count)
{
	if (values)
		digest_bytes(listener, values, count * sizeof *values);
}

static void
frame_digest(struct listener *listener, const struct collide_frame *frame)
{
	const struct collide_contacts *contacts = &frame->contacts;
	digest_bytes(listener, &frame->tick, sizeof frame->tick);
	digest_doubles(listener, frame->bodies.x, frame->bodies.count);
	digest_doubles(listener, frame->bodies.vy, frame->bodies.count);
	digest_doubles(listener, contacts->time, contacts->count);
	digest_doubles(listener, contacts->impulse, contacts->count);
	digest_doubles(listener, contacts->b_vy_after, contacts->count);
	digest_doubles(listener, frame->path_changes.time, frame->path_changes.count);
	digest_doubles(listener, frame->shortfalls.amount, frame->shortfalls.count);
	digest_doubles(listener, frame->pair_events.time, frame->pair_events.count);
	digest_doubles(listener, frame->paths.x, frame->paths.count);
	digest_doubles(listener, frame->ends.time, frame->ends.count);
}

static void
error_check(struct listener *listener, const struct collide_error *error)
{
	CHECK(memchr(error->reason, '\0', sizeof error->reason) && memchr(error->text, '\0', sizeof error->text));
	CHECK(error->violation_count <= COLLIDE_VIOLATIONS_MAX);
	digest_bytes(listener, error->reason, strlen(error->reason));
}

/* After it nothing more is said of its request. */
static bool
is_end(const struct collide_event *event)
{
	switch (event->kind) {
	case COLLIDE_EVENT_WELCOME:
	case COLLIDE_EVENT_PONG:
	case COLLIDE_EVENT_CANCEL_DONE:
	case COLLIDE_EVENT_DESCRIBED:
	case COLLIDE_EVENT_SIMULATE_DONE:
	case COLLIDE_EVENT_MAP_INFO:
	case COLLIDE_EVENT_WORLD_INFO:
	case COLLIDE_EVENT_WORLDS:
	case COLLIDE_EVENT_DETACHED:
	case COLLIDE_EVENT_DETACH_DONE:
	case COLLIDE_EVENT_STEPPED:
	case COLLIDE_EVENT_COMMANDS_DONE:
	case COLLIDE_EVENT_STEERED:
	case COLLIDE_EVENT_RECORDED:
	case COLLIDE_EVENT_ERROR: return event->request_id != 0;
	case COLLIDE_EVENT_DETECTED: return !event->as.detected->more;
	case COLLIDE_EVENT_RESPONDED: return !event->as.responded->more;
	case COLLIDE_EVENT_QUERIED: return !event->as.queried->more;
	case COLLIDE_EVENT_MAP_SEGMENTS: return !event->as.map_segments->more;
	default: return false;
	}
}

static void
event_check(struct listener *listener, const struct collide_event *event)
{
	digest_bytes(listener, &event->kind, sizeof event->kind);
	digest_bytes(listener, &event->request_id, sizeof event->request_id);
	if (event->kind == COLLIDE_EVENT_FAILED) {
		error_check(listener, event->as.error);
		CHECK(event->as.error->reason[0] != '\0' && event->as.error->text[0] != '\0');
		listener->failed = true;
		return;
	}
	CHECK(!listener->failed && event->request_id <= listener->requests);
	CHECK(event->request_id != 0 || event->kind == COLLIDE_EVENT_DRAINING || event->kind == COLLIDE_EVENT_ERROR);
	CHECK(event->request_id == 0 || !listener->ended[event->request_id]);
	listener->ended[event->request_id] = is_end(event);
	if (event->kind == COLLIDE_EVENT_ERROR)
		error_check(listener, event->as.error);
	else if (event->kind == COLLIDE_EVENT_FRAME)
		frame_digest(listener, event->as.frame);
	else if (event->kind == COLLIDE_EVENT_WORLD_UPDATE && event->as.world_update->frame)
		frame_digest(listener, event->as.world_update->frame);
	else if (event->kind == COLLIDE_EVENT_SNAPSHOT)
		digest_bytes(listener, event->as.snapshot->bytes, event->as.snapshot->count);
	else if (event->kind == COLLIDE_EVENT_PONG || event->kind == COLLIDE_EVENT_DESCRIBED)
		digest_bytes(listener, event->as.data.bytes, event->as.data.count);
}

/* ---- followers */

static void
follower_check(const struct collide_follower *follower)
{
	struct collide_followed world = collide_follower_world(follower);
	struct collide_place place;
	size_t index, known = 0;
	uint32_t before = 0;
	for (size_t i = 0; i < world.circle_count; i++) {
		struct collide_followed_circle circle = collide_follower_circle(follower, i);
		CHECK((i == 0 || circle.id > before) && collide_follower_find(follower, circle.id, &index) && index == i);
		known += collide_follower_place(follower, circle.id, world.dt * ((double)world.tick - 0.5), &place);
		before = circle.id;
	}
	for (size_t i = 1; i < world.segment_count; i++)
		CHECK(collide_follower_segment(follower, i - 1).id < collide_follower_segment(follower, i).id);
	CHECK(known <= world.circle_count);
}

static void
follower_feed(struct collide_follower *follower, const Collide__V1__WorldUpdate *update)
{
	struct collide_error error = { .code = COLLIDE_OK };
	size_t count = collide__v1__world_update__get_packed_size(update);
	uint8_t *bytes = malloc(count + 1);
	CHECK(bytes);
	collide__v1__world_update__pack(update, bytes);
	if (collide_follower_update(follower, bytes, count, &error))
		follower_check(follower);
	else
		CHECK(!collide_follower_world(follower).ready && error.reason[0] != '\0' && error.text[0] != '\0');
	free(bytes);
}

static uint64_t
batches_sum(Collide__V1__AppliedBatch *const *list, size_t count)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < count; i++) {
		sum += list[i]->tick + list[i]->seat + list[i]->sequence;
		for (size_t k = 0; k < list[i]->commands.len; k++)
			sum += list[i]->commands.data[k];
	}
	return sum;
}

/* All that was read can be looked at, as a sanitizer sees. */
static void
batches_feed(struct listener *listener, const Collide__V1__WorldUpdate *update)
{
	struct collide_error error = { .code = COLLIDE_OK };
	Collide__V1__WorldUpdate plain;
	if (!listener->batches)
		listener->batches = batch_reader_create();
	CHECK(listener->batches);
	if (!batch_reader_take(listener->batches, update, &plain, &error)) {
		CHECK(error.reason[0] != '\0' && error.text[0] != '\0');
		return;
	}
	CHECK(plain.coded.len == 0 && plain.n_applied >= update->n_applied && plain.n_undone >= update->n_undone);
	listener->batches_sum += batches_sum(plain.applied, plain.n_applied) + batches_sum(plain.undone, plain.n_undone);
}

/* A collide_record_fn: each message as it comes. */
static void
on_message(void *context, bool sent, const void *bytes, size_t count)
{
	struct listener *listener = context;
	size_t header;
	uint32_t body;
	if (sent || frame_header_read(bytes, count, UINT32_MAX, &header, &body) != FRAME_OK)
		return;
	Collide__V1__ServerMessage *message = collide__v1__server_message__unpack(NULL, body, (const uint8_t *)bytes + header);
	for (size_t i = 0; message && i < FOLLOWERS; i++)
		if (message->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE && message->request_id == followed[i])
			follower_feed(listener->followers[i], message->world_update);
	if (message && message->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE && message->request_id == CODED)
		batches_feed(listener, message->world_update);
	if (message)
		collide__v1__server_message__free_unpacked(message, NULL);
}

/* ---- the conversation */

static void
listener_start(struct listener *listener)
{
	const struct collide_options options = { .frame_bytes_max = 1 << 20 };
	const struct client_script script = { .handle = 1 };
	*listener = (struct listener){ .core = collide_core_create(&options), .digest = 1 };
	CHECK(listener->core);
	for (size_t step = 0; client_script_ask(&script, step, listener->core);)
		step++;
	/* What the seeds' server cannot do. */
	const struct collide_world_key key = { .name = "w" };
	const struct collide_recording recording = { .file = "w.rec" };
	listener->requests = collide_core_record_world(listener->core, &key, &recording, NULL);
	CHECK(listener->requests > 20 && listener->requests < IDS_MAX);
}

static void
listener_follow(struct listener *listener)
{
	for (size_t i = 0; i < FOLLOWERS; i++) {
		listener->followers[i] = collide_follower_create(4);
		CHECK(listener->followers[i]);
	}
	collide_core_record(listener->core, on_message, listener);
}

static void
listener_finish(struct listener *listener)
{
	for (size_t i = 0; i < FOLLOWERS; i++)
		if (listener->followers[i])
			collide_follower_destroy(listener->followers[i]);
	batch_reader_destroy(listener->batches);
	collide_core_destroy(listener->core);
}

static void
listener_hear(struct listener *listener, const uint8_t *bytes, size_t count)
{
	struct collide_event event;
	while (count > 0 && !listener->failed) {
		size_t room;
		void *to = collide_core_input(listener->core, &room);
		CHECK(to && room > 0);
		size_t piece = room < count ? room : count;
		memcpy(to, bytes, piece);
		collide_core_received(listener->core, piece);
		bytes += piece;
		count -= piece;
		while (!listener->failed && collide_core_next(listener->core, &event))
			event_check(listener, &event);
	}
	if (listener->failed) /* for ever */
		CHECK(collide_core_next(listener->core, &event) && event.kind == COLLIDE_EVENT_FAILED);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct listener whole, pieces;
	listener_start(&whole);
	listener_follow(&whole);
	listener_hear(&whole, bytes, count);
	listener_start(&pieces);
	for (size_t at = 0, piece; at < count; at += piece) {
		piece = 1 + (at * 31 + count) % 97;
		piece = piece < count - at ? piece : count - at;
		listener_hear(&pieces, bytes + at, piece);
	}
	CHECK(whole.failed == pieces.failed && whole.digest == pieces.digest);
	listener_finish(&whole);
	listener_finish(&pieces);
	return 0;
}

static const ProtobufCMessageDescriptor *
type_of(size_t index)
{
	(void)index;
	return &collide__v1__server_message__descriptor;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *bytes, size_t count, size_t count_max, unsigned mutation)
{
	return stream_mutate(type_of, bytes, count, count_max, mutation);
}
