/* A world with its seats as bytes, for another process. */
#include "base/buffer.h"
#include "base/memory.h"
#include "worlds/registry/registry_private.h"

#include <string.h>

/* These fields are written behind what is there: fields of a message may come in any order. */
#define WORLD_STATE_HANDOVER 8
#define HANDOVER_SEATS 9
#define SEAT_STATE_OUTCOMES 9
#define BYTES_TYPE 2
/* Of one that was made by a server: its texts are those of a struct wire_problem. */
#define OUTCOME_BYTES_MAX 1024

static char *
text_of(const char *text)
{
	union {
		const char *in;
		char *out;
	} either = { text };
	return either.out;
}

static ProtobufCBinaryData
bytes_of(const uint8_t *bytes, size_t count)
{
	union {
		const uint8_t *in;
		uint8_t *out;
	} either = { bytes };
	return (ProtobufCBinaryData){ count, either.out };
}

/* What a Handover says of a seat. Its outcomes are bytes already, and are written behind. */
struct seat_part {
	const struct seat *seat;
	Collide__V1__SeatState state;
	size_t state_bytes, outcome_bytes;
};

/* All that a Handover points to. */
struct parts {
	struct seat_part *seats; /* descending by number */
	Collide__V1__Label **labels;
	size_t seat_count;
};

static void
parts_free(struct parts *parts)
{
	memory_free(parts->seats);
	memory_free(parts->labels);
}

static size_t
span_bytes(size_t count)
{
	size_t head_count = 2;
	for (size_t left = count; left >= 0x80; left >>= 7)
		head_count++;
	return head_count + count;
}

/* Not those of what came later. */
static bool
is_handed_over(const struct outcome *outcome, const Collide__V1__SeatState *state)
{
	return outcome->sequence <= state->sequence;
}

static void
fill_seat(const struct seat *seat, uint64_t received, struct seat_part *part)
{
	Collide__V1__SeatState *out = &part->state;
	part->seat = seat;
	collide__v1__seat_state__init(out);
	out->seat = seat->number;
	out->token = bytes_of(seat->token, sizeof seat->token);
	out->label = text_of(seat->label);
	out->right = (Collide__V1__Right)seat->right;
	out->id_first = seat->id_first;
	out->id_count = seat->id_count;
	out->by_owner = seat->by_owner;
	out->sequence = received;
	out->through = seat->through < received ? seat->through : received;
	part->state_bytes = collide__v1__seat_state__get_packed_size(out);
	part->outcome_bytes = 0;
	for (const struct outcome *outcome = seat->outcomes; outcome; outcome = outcome->next)
		part->outcome_bytes += is_handed_over(outcome, out) ? span_bytes(outcome->count) : 0;
}

/* The seats that were there when the handover was asked for and still are. In the world's list newer ones come first; of those
 * that came since, nothing is told. False: no memory. */
static bool
fill_seats(const struct hosted *world, const struct ask *ask, struct parts *parts)
{
	size_t noted = 0;
	parts->seats = memory_zeroed(world->seat_count + 1, sizeof *parts->seats);
	for (const struct seat *seat = world->seats; parts->seats && seat; seat = seat->next) {
		while (noted < ask->received_count && ask->received[noted].seat > seat->number)
			noted++;
		if (noted < ask->received_count && ask->received[noted].seat == seat->number)
			fill_seat(seat, ask->received[noted].sequence, &parts->seats[parts->seat_count++]);
	}
	return parts->seats != NULL;
}

static void
append_span(struct buffer *out, uint32_t number, size_t count)
{
	uint8_t head[16];
	size_t head_count = 0;
	head[head_count++] = (uint8_t)(number << 3 | BYTES_TYPE);
	for (; count >= 0x80; count >>= 7)
		head[head_count++] = (uint8_t)(count | 0x80);
	head[head_count++] = (uint8_t)count;
	buffer_append(out, head, head_count);
}

static void
append_seat(const struct seat_part *part, struct buffer *out)
{
	append_span(out, HANDOVER_SEATS, part->state_bytes + part->outcome_bytes);
	uint8_t *room = buffer_extend(out, part->state_bytes);
	if (room)
		(void)collide__v1__seat_state__pack(&part->state, room);
	for (const struct outcome *outcome = part->seat->outcomes; outcome; outcome = outcome->next) {
		if (is_handed_over(outcome, &part->state)) {
			append_span(out, SEAT_STATE_OUTCOMES, outcome->count);
			buffer_append(out, outcome->bytes, outcome->count);
		}
	}
}

static void
append_handover(const struct hosted *world, const struct parts *parts, const struct shared_bytes *waiting, struct buffer *out)
{
	Collide__V1__Handover handover = COLLIDE__V1__HANDOVER__INIT;
	Collide__V1__WorldPolicy policy = COLLIDE__V1__WORLD_POLICY__INIT;
	struct world_policy told = world->policy;
	told.clock = world->clock_handed != 0 ? world->clock_handed : told.clock;
	world_policy_tell(&told, &policy);
	handover.name = text_of(world->name);
	handover.epoch = world->epoch;
	handover.optional_policy_case = COLLIDE__V1__HANDOVER__OPTIONAL_POLICY_POLICY;
	handover.policy = &policy;
	handover.labels = parts->labels;
	handover.n_labels = world->labels.count;
	handover.owner_secret = bytes_of(world->owner_secret, sizeof world->owner_secret);
	handover.join_secret = bytes_of(world->join_secret, sizeof world->join_secret);
	handover.seat_next = world->seat_next;
	handover.id_next = world->id_next;
	size_t count = collide__v1__handover__get_packed_size(&handover), waiting_count = waiting ? waiting->count : 0;
	size_t seat_bytes = 0;
	for (size_t i = 0; i < parts->seat_count; i++)
		seat_bytes += span_bytes(parts->seats[i].state_bytes + parts->seats[i].outcome_bytes);
	buffer_reserve(out, out->count + span_bytes(count + seat_bytes + waiting_count));
	append_span(out, WORLD_STATE_HANDOVER, count + seat_bytes + waiting_count);
	uint8_t *room = buffer_extend(out, count);
	if (room)
		(void)collide__v1__handover__pack(&handover, room);
	for (size_t i = parts->seat_count; i-- > 0;)
		append_seat(&parts->seats[i], out);
	if (waiting)
		buffer_append(out, waiting->bytes, waiting->count);
}

struct shared_bytes *
handover_create(const struct hosted *world, const struct ask *ask, const struct answer *answer)
{
	struct parts parts = { .labels = info_labels(world) };
	struct buffer out;
	struct shared_bytes *block = NULL;
	uint8_t *bytes = NULL;
	size_t count = 0;
	buffer_init(&out);
	if (parts.labels && fill_seats(world, ask, &parts)) {
		buffer_append(&out, answer->snapshot->bytes, answer->snapshot->count);
		append_handover(world, &parts, answer->waiting, &out);
		if (!out.failed) {
			buffer_take(&out, &bytes, &count);
			block = shared_bytes_create(bytes, count);
			if (!block)
				memory_free(bytes);
		}
	}
	parts_free(&parts);
	buffer_finish(&out);
	return block;
}

/* ---- and back */

/* Told after the batch was decided: these do not ascend. */
static bool
is_undone(const Collide__V1__Outcome *message)
{
	return strcmp(message->reason, "UNDONE") == 0;
}

static struct outcome *
outcome_of_message(const Collide__V1__Outcome *message)
{
	size_t count = collide__v1__outcome__get_packed_size(message);
	struct outcome *outcome = memory_zeroed(1, sizeof *outcome + count);
	if (!outcome)
		return NULL;
	outcome->sequence = message->sequence;
	outcome->tick = message->tick;
	outcome->exceptional = true;
	outcome->undone = is_undone(message);
	outcome->count = collide__v1__outcome__pack(message, outcome->bytes);
	return outcome;
}

static bool
seat_take_outcomes(struct seat *seat, const Collide__V1__SeatState *state)
{
	for (size_t i = 0; i < state->n_outcomes; i++) {
		struct outcome *outcome = outcome_of_message(state->outcomes[i]);
		if (!outcome)
			return false;
		seat_keep(seat, outcome);
	}
	return true;
}

static enum status
bad(struct wire_problem *problem, const char *field, const char *text)
{
	return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", field, "%s", text);
}

static enum status
seat_check(const struct hosted *world, const Collide__V1__SeatState *state, struct wire_problem *problem)
{
	const char *path = "create_world.snapshot.handover.seats";
	if (state->token.len != WORLDS_SECRET_BYTES || strnlen(state->label, WORLDS_NAME_BYTES_MAX + 1) > WORLDS_NAME_BYTES_MAX)
		return bad(problem, path, "has a token or a label of another length");
	if (state->right < COLLIDE__V1__RIGHT__RIGHT_LOOK || state->right > COLLIDE__V1__RIGHT__RIGHT_STEP)
		return bad(problem, path, "has no right");
	if (state->seat == 0 || state->seat >= world->seat_next || (world->seats && state->seat <= world->seats->number))
		return bad(problem, path, "do not ascend by their numbers");
	if ((uint64_t)state->id_first + state->id_count > world->id_next || state->through > state->sequence)
		return bad(problem, path, "has ids, or a sequence, that cannot be");
	if (state->n_outcomes > world->worlds->options.limits.outcomes_max)
		return bad(problem, path, "has more outcomes than may be kept");
	uint64_t before = 0;
	for (size_t i = 0; i < state->n_outcomes; i++) {
		const Collide__V1__Outcome *outcome = state->outcomes[i];
		bool ascends = is_undone(outcome) || outcome->sequence > before;
		before = is_undone(outcome) ? before : outcome->sequence;
		if (collide__v1__outcome__get_packed_size(outcome) > OUTCOME_BYTES_MAX)
			return bad(problem, path, "has an outcome that is too long");
		if (!ascends || outcome->sequence == 0 || outcome->sequence > state->sequence)
			return bad(problem, path, "has outcomes that do not ascend, or of batches that were never sent");
	}
	return STATUS_OK;
}

static enum status
seat_take(struct hosted *world, const Collide__V1__SeatState *state, struct wire_problem *problem)
{
	enum status status = seat_check(world, state, problem);
	if (status != STATUS_OK)
		return status;
	struct seat *seat = seat_create(world, state->label);
	if (!seat)
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SERVER_MEMORY", "", "no memory for the seats");
	seat->number = state->seat;
	memcpy(seat->token, state->token.data, sizeof seat->token);
	seat->right = (uint8_t)state->right;
	seat->id_first = state->id_first;
	seat->id_count = state->id_count;
	seat->by_owner = state->by_owner || state->right > COLLIDE__V1__RIGHT__RIGHT_OWN;
	seat->received = state->sequence;
	seat->through = state->through;
	if (!seat_take_outcomes(seat, state))
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SERVER_MEMORY", "", "no memory for the seats");
	return STATUS_OK;
}

/* The seats of a handover that have been taken, ascending by number. */
struct taken {
	struct seat **seats;
	size_t count;
};

static struct seat *
seat_of_number(const struct taken *taken, uint32_t number)
{
	size_t low = 0, high = taken->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (taken->seats[middle]->number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < taken->count && taken->seats[low]->number == number ? taken->seats[low] : NULL;
}

static enum status
batch_check(const struct hosted *world, const struct seat *seat, const Collide__V1__WaitingBatch *batch,
            struct wire_problem *problem)
{
	const char *path = "create_world.snapshot.handover.waiting";
	const struct worlds_limits *limits = &world->worlds->options.limits;
	if (batch->seat == 0 || batch->seat >= world->seat_next || batch->sequence == 0 ||
	    (seat && (batch->sequence > seat->received || batch->sequence <= seat->through)))
		return bad(problem, path, "has a batch of no seat, or one that was decided");
	if (batch->commands.len > limits->batch_bytes_max)
		return bad(problem, path, "has a batch that is too long");
	if (seat &&
	    (seat->waiting >= limits->batches_waiting_max || seat->waiting_bytes + batch->commands.len > WORLDS_WAITING_BYTES_MAX))
		return bad(problem, path, "has more batches of a seat than may wait");
	if (!seat && (batch->right < COLLIDE__V1__RIGHT__RIGHT_OWN || batch->right > COLLIDE__V1__RIGHT__RIGHT_STEP ||
	              (uint64_t)batch->id_first + batch->id_count > world->id_next))
		return bad(problem, path, "has a batch of a seat that has ended, and not what that might do");
	return STATUS_OK;
}

/* Of a seat, or of one that has ended: NULL. */
static enum status
batch_take(struct hosted *world, const struct taken *taken, const Collide__V1__WaitingBatch *batch,
           struct wire_problem *problem)
{
	struct seat *seat = seat_of_number(taken, batch->seat);
	if (batch_check(world, seat, batch, problem) != STATUS_OK)
		return problem->status;
	struct post *post = hosted_post(world, POST_BATCH, batch->commands.len);
	if (!post)
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SERVER_MEMORY", "", "no memory for the batches");
	post->batch.seat = batch->seat;
	post->batch.right = (enum seat_right)(seat ? seat->right : batch->right);
	post->batch.id_first = seat ? seat->id_first : batch->id_first;
	post->batch.id_count = seat ? seat->id_count : batch->id_count;
	post->batch.circles_max = batch->circles_max;
	post->batch.seat_next = world->seat_next;
	post->batch.sequence = batch->sequence;
	post->batch.tick = batch->tick;
	if (batch->commands.len > 0)
		memcpy(post->bytes, batch->commands.data, batch->commands.len);
	if (seat) {
		batch_count(seat, batch->commands.len);
	} else {
		world->waiting++;
		world->waiting_bytes += batch->commands.len;
	}
	live_world_post(world->live, post);
	return STATUS_OK;
}

/* Behind all batches: those of which the seat has ended are its last. */
static enum status
ends_take(struct hosted *world, const struct taken *taken, const Collide__V1__Handover *handover, struct wire_problem *problem)
{
	uint32_t told = 0; /* the same twice does no harm */
	for (size_t i = 0; i < handover->n_waiting; i++) {
		uint32_t number = handover->waiting[i]->seat;
		if (number == told || seat_of_number(taken, number))
			continue;
		struct post *post = hosted_post(world, POST_SEAT_ENDED, 0);
		if (!post)
			return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SERVER_MEMORY", "", "no memory for the batches");
		post->seat_ended = told = number;
		live_world_post(world->live, post);
	}
	return STATUS_OK;
}

/* Seats, and what waits of them; the world is woken once. */
static enum status
seats_take(struct hosted *world, const Collide__V1__Handover *handover, struct taken *taken, struct wire_problem *problem)
{
	enum status status = STATUS_OK;
	for (size_t i = 0; i < handover->n_seats && status == STATUS_OK; i++) {
		status = seat_take(world, handover->seats[i], problem);
		if (status == STATUS_OK)
			taken->seats[taken->count++] = world->seats;
	}
	for (size_t i = 0; i < handover->n_waiting && status == STATUS_OK; i++)
		status = batch_take(world, taken, handover->waiting[i], problem);
	if (status == STATUS_OK)
		status = ends_take(world, taken, handover, problem);
	world->worlds->options.host.want(world->task);
	return status;
}

enum status
handover_take(struct hosted *world, const Collide__V1__Handover *handover, struct wire_problem *problem)
{
	enum status status = STATUS_OK;
	uint64_t labels_before = world->labels.count * sizeof *world->labels.rows;
	if (handover->n_seats > world->worlds->options.limits.seats_per_world_max + WORLDS_OWNER_MORE)
		return bad(problem, "create_world.snapshot.handover.seats", "are more than a world may have");
	if (handover->n_waiting > 3 * batches_waiting_most(&world->worlds->options.limits))
		return bad(problem, "create_world.snapshot.handover.waiting", "are more than may wait for a world");
	if (world->labels.count == 0)
		status = labels_read(handover->labels, handover->n_labels, "create_world.snapshot.handover.labels", &world->labels,
		                     problem);
	world->own_bytes += world->labels.count * sizeof *world->labels.rows - labels_before;
	if (handover->seat_next > 0)
		world->seat_next = handover->seat_next;
	if (handover->id_next > world->id_next && handover->id_next <= UINT64_C(1) << 32)
		world->id_next = handover->id_next;
	struct taken taken = { .seats = memory_zeroed(handover->n_seats + 1, sizeof *taken.seats) };
	if (!taken.seats)
		status = wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SERVER_MEMORY", "", "no memory for the seats");
	if (status == STATUS_OK)
		status = seats_take(world, handover, &taken, problem);
	memory_free(taken.seats);
	entry_charge(world);
	if (status == STATUS_OK)
		entry_use_changed(world);
	return status;
}
