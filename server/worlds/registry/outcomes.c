/* What became of batches: kept for their seat until it has acknowledged them, so that no lost connection loses one. */
#include "base/check.h"
#include "base/memory.h"
#include "worlds/registry/registry_private.h"

#include <string.h>

uint64_t
outcome_bytes(const struct outcome *outcome)
{
	return sizeof *outcome + outcome->count + MEMORY_BLOCK_BYTES;
}

void
seat_outcomes_free(struct seat *seat)
{
	for (struct outcome *outcome = seat->outcomes, *next = NULL; outcome; outcome = next) {
		next = outcome->next;
		seat->world->own_bytes -= outcome_bytes(outcome);
		memory_free(outcome);
	}
	seat->outcomes = seat->outcome_last = NULL;
}

/* Acks as bytes: outcomes are bytes already. */
struct acks {
	uint8_t *bytes;
	size_t count, capacity;
};

static size_t
varint_write(uint8_t *out, uint64_t value)
{
	size_t count = 0;
	for (; value >= 0x80; value >>= 7)
		out[count++] = (uint8_t)(value | 0x80);
	out[count++] = (uint8_t)value;
	return count;
}

#define ACKS_HEAD_BYTES 33u    /* three tags and varints */
#define ACKS_OUTCOME_BYTES 11u /* the tag and length of one */

/* Room for so many outcomes of so many bytes in all; bytes NULL without memory. */
static struct acks
acks_begin(const struct seat *seat, int64_t margin_ns, size_t outcome_count, size_t outcome_bytes)
{
	struct acks acks = { .capacity = ACKS_HEAD_BYTES + outcome_count * ACKS_OUTCOME_BYTES + outcome_bytes };
	acks.bytes = memory_alloc(acks.capacity);
	if (!acks.bytes)
		return acks;
	acks.bytes[acks.count++] = 1 << 3;
	acks.count += varint_write(acks.bytes + acks.count, seat->through);
	acks.bytes[acks.count++] = 2 << 3;
	acks.count += varint_write(acks.bytes + acks.count, seat->world->stats.tick);
	acks.bytes[acks.count++] = 3 << 3;
	acks.count += varint_write(acks.bytes + acks.count, ((uint64_t)margin_ns << 1) ^ (uint64_t)(margin_ns >> 63));
	return acks;
}

static void
acks_add(struct acks *acks, const struct outcome *outcome)
{
	if (!acks->bytes)
		return;
	acks->bytes[acks->count++] = 4 << 3 | 2;
	acks->count += varint_write(acks->bytes + acks->count, outcome->count);
	memcpy(acks->bytes + acks->count, outcome->bytes, outcome->count);
	acks->count += outcome->count;
	CHECK(acks->count <= acks->capacity);
}

/* Something that was promised cannot be said for want of memory. The next Acks would be taken for all there is; so the
 * conversation ends, and the seat's next connection is told what is kept. */
static void
tell_nothing(const struct seat *seat)
{
	seat->world->worlds->options.upward->fail(seat->client->context);
}

static void
acks_send(const struct seat *seat, struct acks *acks)
{
	struct shared_bytes *block = acks->bytes ? shared_bytes_create(acks->bytes, acks->count) : NULL;
	if (!block) {
		memory_free(acks->bytes);
		tell_nothing(seat);
		return;
	}
	seat->world->worlds->options.upward->reply_shared(seat->client->context, seat->request_id,
	                                                  COLLIDE__V1__SERVER_MESSAGE__REPLY_ACKS, NULL, 0, block);
	shared_bytes_release(block);
}

/* Of those kept the ones that wait for a sequence after `after`, or those of one sequence (not 0). */
static void
tell_some(struct seat *seat, uint64_t after, uint64_t sequence)
{
	size_t count = 0, bytes = 0;
	for (const struct outcome *outcome = seat->outcomes; outcome; outcome = outcome->next) {
		bool told = sequence != 0 ? outcome->sequence == sequence : outcome->kept_to > after;
		count += told ? 1 : 0;
		bytes += told ? outcome->count : 0;
	}
	struct acks acks = acks_begin(seat, 0, count, bytes);
	for (const struct outcome *outcome = seat->outcomes; outcome; outcome = outcome->next)
		if (sequence != 0 ? outcome->sequence == sequence : outcome->kept_to > after)
			acks_add(&acks, outcome);
	acks_send(seat, &acks);
}

void
seat_tell(struct seat *seat, uint64_t after)
{
	tell_some(seat, after, 0);
}

void
seat_tell_one(struct seat *seat, uint64_t sequence)
{
	tell_some(seat, 0, sequence);
}

static void
tell_done(const struct seat *seat, uint64_t request_id, const struct outcome *outcome)
{
	/* CommandsDone: the outcome, then the margin. */
	uint8_t head[24];
	size_t count = 0;
	head[count++] = 2 << 3;
	count += varint_write(head + count, ((uint64_t)outcome->margin_ns << 1) ^ (uint64_t)(outcome->margin_ns >> 63));
	head[count++] = 1 << 3 | 2;
	count += varint_write(head + count, outcome->count);
	uint8_t *copy = memory_alloc(outcome->count + 1);
	struct shared_bytes *block = copy ? shared_bytes_create(copy, outcome->count) : NULL;
	if (!block) {
		memory_free(copy);
		tell_nothing(seat);
		return;
	}
	memcpy(copy, outcome->bytes, outcome->count);
	seat->world->worlds->options.upward->reply_shared(seat->client->context, request_id,
	                                                  COLLIDE__V1__SERVER_MESSAGE__REPLY_COMMANDS_DONE, head, count, block);
	shared_bytes_release(block);
}

/* The CommandsDone that waits for this outcome, if one does. */
static void
seat_done(struct seat *seat, const struct outcome *outcome)
{
	for (struct done_wanted **link = &seat->dones; *link; link = &(*link)->next) {
		struct done_wanted *done = *link;
		if (done->sequence != outcome->sequence)
			continue;
		*link = done->next;
		seat->client->done_count--;
		tell_done(seat, done->request_id, outcome);
		memory_free(done);
		return;
	}
}

void
seat_dones_drop(struct seat *seat, const struct wire_problem *problem)
{
	for (struct done_wanted *done = seat->dones, *next = NULL; done; done = next) {
		next = done->next;
		if (seat->client) {
			seat->client->done_count--;
			if (problem)
				seat->world->worlds->options.upward->refuse(seat->client->context, done->request_id, problem);
		}
		memory_free(done);
	}
	seat->dones = NULL;
}

/* That of its batch before, if it is still kept, is no longer true. */
static void
seat_forget(struct seat *seat, uint64_t sequence)
{
	struct outcome **link = &seat->outcomes, *before = NULL;
	for (; *link && (*link)->sequence != sequence; link = &before->next)
		before = *link;
	if (!*link)
		return;
	struct outcome *gone = *link;
	*link = gone->next;
	if (seat->outcome_last == gone)
		seat->outcome_last = before;
	seat->outcome_count--;
	seat->world->own_bytes -= outcome_bytes(gone);
	memory_free(gone);
}

/* One that is undone is told after its batch was decided, and the client may have acknowledged that already. So it is kept
 * until the client has something that came later. */
void
seat_keep(struct seat *seat, struct outcome *outcome)
{
	if (outcome->undone)
		seat_forget(seat, outcome->sequence);
	outcome->kept_to = outcome->undone ? seat->through + 1 : outcome->sequence;
	struct outcome **link = &seat->outcomes;
	/* Nearly all come in their order. */
	if (seat->outcome_last && seat->outcome_last->kept_to < outcome->kept_to)
		link = &seat->outcome_last->next;
	while (*link && (*link)->kept_to < outcome->kept_to)
		link = &(*link)->next;
	outcome->next = *link;
	*link = outcome;
	if (!outcome->next)
		seat->outcome_last = outcome;
	seat->outcome_count++;
	seat->world->own_bytes += outcome_bytes(outcome);
}

/* What the loop has refused counts as decided once all before it is. */
static void
seat_advance(struct seat *seat)
{
	for (const struct outcome *outcome = seat->outcomes; outcome; outcome = outcome->next)
		if (outcome->sequence == seat->through + 1)
			seat->through++;
	if (seat->waiting == 0)
		seat->through = seat->received;
}

void
seat_decided(struct seat *seat, struct decided *decided)
{
	size_t count = 0, bytes = 0;
	struct outcome *outcomes = decided->outcomes;
	decided->outcomes = NULL;
	CHECK(decided->count <= seat->waiting && decided->bytes <= seat->waiting_bytes);
	seat->waiting -= decided->count;
	seat->waiting_bytes -= (uint32_t)decided->bytes;
	seat->through = decided->through > seat->through ? decided->through : seat->through;
	seat_advance(seat);
	for (const struct outcome *outcome = outcomes; outcome; outcome = outcome->next) {
		count += outcome->exceptional ? 1 : 0;
		bytes += outcome->exceptional ? outcome->count : 0;
	}
	struct acks acks = { 0 };
	if (seat->client)
		acks = acks_begin(seat, decided->margin_min_ns, count, bytes);
	for (struct outcome *outcome = outcomes, *next = NULL; outcome; outcome = next) {
		next = outcome->next;
		if (seat->client)
			seat_done(seat, outcome);
		if (outcome->exceptional) {
			acks_add(&acks, outcome);
			seat_keep(seat, outcome);
		} else {
			memory_free(outcome);
		}
	}
	if (seat->client)
		acks_send(seat, &acks);
}

static struct outcome *
outcome_of_problem(uint64_t sequence, bool used, const struct wire_problem *problem)
{
	Collide__V1__Outcome message = COLLIDE__V1__OUTCOME__INIT;
	struct wire_problem copy = *problem;
	char reason[32];
	(void)strncpy(reason, problem->reason, sizeof reason - 1);
	reason[sizeof reason - 1] = '\0';
	message.sequence = sequence;
	message.code = (Collide__V1__Code)problem->status;
	message.reason = reason;
	message.field = copy.field;
	message.text = copy.text;
	message.not_received = !used;
	size_t count = collide__v1__outcome__get_packed_size(&message);
	struct outcome *outcome = memory_zeroed(1, sizeof *outcome + count);
	if (!outcome)
		return NULL;
	outcome->sequence = sequence;
	outcome->exceptional = true;
	outcome->count = collide__v1__outcome__pack(&message, outcome->bytes);
	return outcome;
}

void
seat_refuse(struct seat *seat, uint64_t request_id, uint64_t sequence, bool used, const struct wire_problem *problem)
{
	struct outcome *outcome = outcome_of_problem(sequence, used, problem);
	if (!outcome) {
		tell_nothing(seat);
		return;
	}
	if (used) {
		seat->received = sequence;
		seat_keep(seat, outcome);
		seat_advance(seat);
	}
	if (request_id != 0) {
		tell_done(seat, request_id, outcome);
	} else {
		struct acks acks = acks_begin(seat, 0, 1, outcome->count);
		acks_add(&acks, outcome);
		acks_send(seat, &acks);
	}
	if (!used)
		memory_free(outcome);
}

void
seat_acked(struct seat *seat, uint64_t acked)
{
	while (seat->outcomes && seat->outcomes->kept_to <= acked && seat->outcomes->kept_to <= seat->through) {
		struct outcome *first = seat->outcomes;
		seat->outcomes = first->next;
		if (!seat->outcomes)
			seat->outcome_last = NULL;
		seat->outcome_count--;
		seat->world->own_bytes -= outcome_bytes(first);
		memory_free(first);
	}
}
