#include "client/lib/worlds/batch_queue.h"

#include "client/lib/failure.h"

#include <stdlib.h>
#include <string.h>

static size_t
kept_bytes(const struct batch_bytes *batch)
{
	return sizeof(struct queued_batch) + sizeof *batch + batch->count;
}

void
queued_batch_free(struct queued_batch *batch)
{
	if (!batch)
		return;
	free(batch->batch);
	free(batch);
}

void
batch_queue_finish(struct batch_queue *queue)
{
	while (queue->first) {
		struct queued_batch *next = queue->first->next;
		queued_batch_free(queue->first);
		queue->first = next;
	}
	*queue = (struct batch_queue){ 0 };
}

uint64_t
batch_queue_push(struct batch_queue *queue, struct batch_bytes *batch, struct collide_error *error)
{
	struct queued_batch *queued = calloc(1, sizeof *queued);
	if (!queued || queue->count == BATCH_QUEUE_COUNT_MAX || kept_bytes(batch) > BATCH_QUEUE_BYTES_MAX - queue->bytes) {
		if (queued)
			failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_RESOURCE_EXHAUSTED, "BATCHES_WAIT",
			            "%zu batches of this seat wait for the server", queue->count);
		else
			failure_memory(error);
		free(queued);
		free(batch);
		return 0;
	}
	queued->batch = batch;
	queued->number = ++queue->number_last;
	if (queue->last)
		queue->last->next = queued;
	else
		queue->first = queued;
	queue->last = queued;
	if (!queue->unsent)
		queue->unsent = queued;
	queue->count++;
	queue->bytes += kept_bytes(queued->batch);
	return queued->number;
}

bool
batch_queue_begin(struct batch_queue *queue, uint64_t sequence, uint64_t acked)
{
	if (sequence > UINT64_MAX / 2)
		return false; /* ours are counted on from it, and must not come to 0 */
	queue->sequence_last = queue->sequence_base = queue->sent_last = queue->through = sequence;
	queue->acked = acked;
	queue->acked_sent = 0;
	return true;
}

static void
refuse_here(struct queued_batch *queued, enum collide_code code, const char *reason, const char *text)
{
	queued->refused_here = true;
	queued->outcome = (struct collide_outcome){ .sequence = queued->sequence, .code = code };
	failure_copy_text(queued->outcome.reason, sizeof queued->outcome.reason, reason);
	failure_copy_text(queued->outcome.text, sizeof queued->outcome.text, text);
}

/* Sets `unsent` to the first batch that the server does not have. */
static void
rewind_to(struct batch_queue *queue, uint64_t received)
{
	struct queued_batch *queued = queue->first;
	while (queued && (queued->refused_here || (queued->sequence != 0 && queued->sequence <= received)))
		queued = queued->next;
	queue->unsent = queued;
	queue->sent_last = received;
	queue->acked_sent = 0;
}

bool
batch_queue_resume(struct batch_queue *queue, uint64_t sequence, bool restored)
{
	if (sequence > queue->sequence_last || sequence < queue->through)
		return false;
	rewind_to(queue, sequence);
	if (!restored)
		return true;
	for (struct queued_batch *queued = queue->unsent; queued; queued = queued->next)
		if (!queued->refused_here) {
			queued->sequence = 0;
			refuse_here(queued, COLLIDE_CANCELLED, "RESTORED",
			            "the world was given another past before the batch was received");
		}
	queue->unsent = NULL;
	queue->sequence_last = sequence;
	return true;
}

bool
batch_queue_is_unsent(const struct batch_queue *queue, uint64_t number)
{
	return queue->unsent && queue->unsent->number <= number;
}

uint64_t
batch_queue_sequence(const struct batch_queue *queue, uint64_t number)
{
	uint64_t sequence = queue->sequence_last;
	for (const struct queued_batch *queued = queue->first; queued && queued->number <= number; queued = queued->next) {
		bool is_to_come = queued->sequence == 0 && !queued->refused_here;
		sequence += is_to_come;
		if (queued->number == number && !queued->refused_here)
			return is_to_come ? sequence : queued->sequence;
	}
	return 0;
}

static void
run_note(struct batch_queue *queue, const struct queued_batch *queued)
{
	const struct batch_run run = { .from = queued->sequence, .more = queued->number - queued->sequence };
	/* After a world was restored sequences come again. */
	while (queue->run_count > 0 && queue->runs[queue->run_count - 1].from >= run.from)
		queue->run_count--;
	if (queue->run_count > 0 && queue->runs[queue->run_count - 1].more == run.more)
		return;
	if (queue->run_count == BATCH_QUEUE_RUNS_MAX)
		memmove(&queue->runs[0], &queue->runs[1], --queue->run_count * sizeof run);
	queue->runs[queue->run_count++] = run;
}

uint64_t
batch_queue_given(const struct batch_queue *queue, uint64_t sequence)
{
	size_t run = queue->run_count;
	while (run > 0 && queue->runs[run - 1].from > sequence)
		run--;
	return run == 0 || sequence > queue->acked ? 0 : sequence + queue->runs[run - 1].more;
}

bool
batch_queue_next(struct batch_queue *queue, size_t window, bool whatever, size_t bytes_max, struct batch_place *place)
{
	while (queue->unsent) {
		struct queued_batch *queued = queue->unsent;
		/* Not the batch's own numbers, but the most that they may take. */
		if (!queued->refused_here && bytes_max > 0 && queued->batch->count + BATCH_NUMBERS_BYTES_MAX > bytes_max)
			refuse_here(queued, COLLIDE_RESOURCE_EXHAUSTED, "LIMIT", "larger than a batch may be");
		if (!queued->refused_here) {
			if (!whatever && queue->sent_last - queue->through >= window)
				return false;
			if (queued->sequence == 0) {
				queued->sequence = ++queue->sequence_last;
				run_note(queue, queued);
			}
			queue->sent_last = queued->sequence;
			place->batch = queued->batch;
			place->numbers = (struct collide_numbers){ .sequence = queued->sequence };
			if (queue->acked > queue->acked_sent)
				place->numbers.acked = queue->acked_sent = queue->acked;
			queue->unsent = queued->next;
			return true;
		}
		queue->unsent = queued->next;
	}
	return false;
}

static struct queued_batch *
queued_find(const struct batch_queue *queue, uint64_t sequence)
{
	struct queued_batch *queued = queue->first;
	while (queued && queued->sequence != sequence)
		queued = queued->next;
	return queued;
}

bool
batch_queue_acks(struct batch_queue *queue, const struct collide_acks *acks)
{
	bool again = false;
	for (size_t i = 0; i < acks->outcome_count; i++) {
		const struct collide_outcome *outcome = &acks->outcomes[i];
		struct queued_batch *queued = outcome->sequence == 0 ? NULL : queued_find(queue, outcome->sequence);
		if (!queued || queued->refused_here)
			continue; /* of an earlier holder, or told before */
		if (!outcome->not_received) {
			queued->told = true;
			queued->outcome = *outcome;
		} else if (outcome->sequence <= queue->sent_last) {
			rewind_to(queue, outcome->sequence - 1);
			again = true;
		}
	}
	/* No more than was sent: a server that says otherwise errs, and what was not sent is not decided. */
	uint64_t through = acks->through < queue->sequence_last ? acks->through : queue->sequence_last;
	if (through > queue->through)
		queue->through = through;
	if (queue->sent_last < queue->through)
		rewind_to(queue, queue->through);
	uint64_t earlier = acks->through < queue->sequence_base ? acks->through : queue->sequence_base;
	if (earlier > queue->acked)
		queue->acked = earlier;
	return again;
}

void
batch_queue_end(struct batch_queue *queue, const char *reason)
{
	for (struct queued_batch *queued = queue->first; queued; queued = queued->next) {
		if (queued->refused_here || (queued->sequence != 0 && queued->sequence <= queue->through))
			continue;
		if (queued->told)
			queued->refused_here = true; /* what is told is told, in its place */
		else if (queued->sequence == 0)
			refuse_here(queued, COLLIDE_UNAVAILABLE, reason, "the seat ended before the batch was sent");
		else
			refuse_here(queued, COLLIDE_UNKNOWN, reason, "the seat ended before it was told what became of the batch");
	}
	queue->unsent = NULL;
}

struct queued_batch *
batch_queue_decided(struct batch_queue *queue, struct collide_outcome *outcome)
{
	struct queued_batch *queued = queue->first;
	if (!queued)
		return NULL;
	bool by_server = queued->sequence != 0 && queued->sequence <= queue->through;
	if (!queued->refused_here && !by_server)
		return NULL;
	if (queued->refused_here || queued->told)
		*outcome = queued->outcome;
	else
		*outcome = (struct collide_outcome){ .sequence = queued->sequence, .tick = queued->batch->tick };
	if (by_server)
		queue->acked = queued->sequence;
	if (queue->unsent == queued)
		queue->unsent = queued->next;
	queue->first = queued->next;
	queue->last = queue->first ? queue->last : NULL;
	queue->count--;
	queue->bytes -= kept_bytes(queued->batch);
	return queued;
}
