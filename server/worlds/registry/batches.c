/* Batches of commands on their way to a world: looked at from outside only. */
#include "base/memory.h"
#include "worlds/registry/guests.h"

#include <string.h>

/* What is wrong with a batch that is the next of its seat; it has used its sequence. */
static enum status
batch_check(struct seat *seat, const struct commands_peek *batch, struct wire_problem *problem)
{
	const struct hosted *world = seat->world;
	const struct worlds_limits *limits = &world->worlds->options.limits;
	uint64_t now_ns = world->worlds->options.host.now_ns();
	if (seat->right < SEAT_OWN)
		return wire_problem_set(problem, STATUS_PERMISSION_DENIED, "RIGHT", "commands", "the seat may only look on");
	if (batch->count > limits->batch_bytes_max) {
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "commands", "has more than %u bytes",
		                        limits->batch_bytes_max);
	}
	if (!rate_take(&seat->batches, limits->batches_per_second_max, 1, now_ns) ||
	    !rate_take(&seat->bytes, limits->bytes_per_second_max, batch->count, now_ns)) {
		(void)wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "RATE", "", "the seat sends more than it may");
		return problem->status;
	}
	if (batch->tick != 0 && batch->tick < seat->tick_named) {
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "TICK_ORDER", "commands.tick",
		                        "is below that of the batch before, %llu", (unsigned long long)seat->tick_named);
	}
	if (batch->tick > world->stats.tick && batch->tick - world->stats.tick > limits->ahead_ticks_max) {
		return wire_problem_set(problem, STATUS_OUT_OF_RANGE, "TOO_EARLY", "commands.tick",
		                        "is more than %u ticks after tick %llu", limits->ahead_ticks_max,
		                        (unsigned long long)world->stats.tick);
	}
	if (seat->waiting_bytes + batch->count > WORLDS_WAITING_BYTES_MAX) {
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "BATCHES_WAIT", "",
		                        "%llu bytes of this seat's batches wait already", (unsigned long long)seat->waiting_bytes);
	}
	if (seat->waiting >= limits->batches_waiting_max) {
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "BATCHES_WAIT", "", "%u batches of this seat wait already",
		                        limits->batches_waiting_max);
	}
	if (seat->guest && !guest_may_wait(world, seat->guest, batch->count)) {
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "BATCHES_WAIT", "",
		                        "%llu batches of this address wait for the world, those of seats that have ended among them",
		                        (unsigned long long)seat->guest->waiting);
	}
	return entry_check_room(world, batch->count, problem);
}

void
batch_count(struct seat *seat, size_t bytes)
{
	seat->waiting++;
	seat->waiting_bytes += (uint32_t)bytes;
	seat->world->waiting++;
	seat->world->waiting_bytes += bytes;
	guest_waits(seat->world, seat->guest, 1, bytes);
}

static bool
batch_post(struct seat *seat, const struct commands_peek *batch, bool wants_outcome)
{
	struct post *post = hosted_post(seat->world, POST_BATCH, batch->count);
	if (!post)
		return false;
	post->batch.seat = seat->number;
	post->batch.right = (enum seat_right)seat->right;
	post->batch.id_first = seat->id_first;
	post->batch.id_count = seat->id_count;
	post->batch.circles_max = seat_circles_max(seat);
	post->batch.seat_next = seat->world->seat_next;
	post->batch.sender = seat->guest;
	post->batch.sequence = batch->sequence;
	post->batch.tick = batch->tick;
	post->batch.wants_outcome = wants_outcome;
	if (batch->count > 0)
		memcpy(post->bytes, batch->bytes, batch->count);
	seat->received = batch->sequence;
	seat->tick_named = batch->tick != 0 ? batch->tick : seat->tick_named;
	batch_count(seat, batch->count);
	entry_charge(seat->world);
	/* No turn is asked for: the batch is filed when the next tick is made, and decided then. Of a world that has failed there
	 * is none. */
	live_world_post(seat->world->live, post);
	if (seat->world->stats.failed)
		seat->world->worlds->options.host.want(seat->world->task);
	return true;
}

/* One that was received before: its outcome again, if it is kept. */
static void
batch_tell_again(struct seat *seat, uint64_t request_id, uint64_t sequence)
{
	struct wire_problem problem = { .status = STATUS_OK };
	if (request_id != 0) {
		(void)wire_problem_set(&problem, STATUS_FAILED_PRECONDITION, "SEQUENCE", "commands.sequence",
		                       "was received before; its seat's Acks have its outcome");
		seat->world->worlds->options.upward->refuse(seat->client->context, request_id, &problem);
	}
	seat_tell_one(seat, sequence);
}

static enum status
batch_want_done(struct seat *seat, uint64_t request_id, uint64_t sequence, struct wire_problem *problem)
{
	if (seat->client->done_count >= WORLDS_DONES_MAX)
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "REQUESTS_IN_FLIGHT", "",
		                        "%d batches of this connection are to be answered by CommandsDone already", WORLDS_DONES_MAX);
	struct done_wanted *done = memory_alloc(sizeof *done);
	if (!done)
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SERVER_MEMORY", "", "no memory for a batch");
	*done = (struct done_wanted){ seat->dones, sequence, request_id };
	seat->dones = done;
	seat->client->done_count++;
	return STATUS_OK;
}

enum status
worlds_batch(struct worlds_client *client, uint64_t request_id, const struct commands_peek *batch, struct wire_problem *problem)
{
	struct seat *seat = seat_of_handle(client, batch->handle);
	struct wire_problem found = { .status = STATUS_OK };
	if (!seat)
		return wire_problem_set(problem, STATUS_NOT_FOUND, "HANDLE", "commands.handle", "this connection has no such handle");
	seat->heard_ns = worlds_patient_ns(client->worlds);
	seat_acked(seat, batch->acked);
	if (batch->sequence <= seat->received && batch->sequence != 0) {
		batch_tell_again(seat, request_id, batch->sequence);
		return STATUS_OK;
	}
	if (batch->sequence != seat->received + 1) {
		(void)wire_problem_set(&found, STATUS_FAILED_PRECONDITION, "SEQUENCE", "commands.sequence",
		                       "the next batch of this seat is %llu", (unsigned long long)(seat->received + 1));
		seat_refuse(seat, request_id, batch->sequence, false, &found);
		return STATUS_OK;
	}
	if (seat->outcome_count >= client->worlds->options.limits.outcomes_max) {
		(void)wire_problem_set(&found, STATUS_RESOURCE_EXHAUSTED, "OUTCOMES_WAIT", "commands.acked",
		                       "%u outcomes wait to be acknowledged", seat->outcome_count);
		seat_refuse(seat, request_id, batch->sequence, false, &found);
		return STATUS_OK;
	}
	if (batch_check(seat, batch, &found) != STATUS_OK) {
		seat_refuse(seat, request_id, batch->sequence, true, &found);
		return STATUS_OK;
	}
	if (request_id != 0 && batch_want_done(seat, request_id, batch->sequence, problem) != STATUS_OK)
		return problem->status;
	if (!batch_post(seat, batch, request_id != 0)) {
		(void)wire_problem_set(&found, STATUS_RESOURCE_EXHAUSTED, "SERVER_MEMORY", "", "no memory for a batch");
		if (request_id != 0) {
			struct done_wanted *done = seat->dones;
			seat->dones = done->next;
			client->done_count--;
			memory_free(done);
		}
		seat_refuse(seat, request_id, batch->sequence, true, &found);
	}
	return STATUS_OK;
}
