/* Failing memory in a play: in the loop's calls of the registry, and in turns. Whatever fails, no batch is lost, doubled or
 * without outcome, and what took effect is what was told. A world that fails stands, and can be restored. */
#include "support/failing.h"
#include "worlds/play.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- when */

void
play_memory_short(struct play *play)
{
	allocations = 0;
	fail_paused = true;
	fail_from = 0;
	if (!play->short_of_memory || random_below(&play->memory_random, 3) != 0)
		return;
	fail_from = 1 + random_below(&play->memory_random, random_below(&play->memory_random, 2) == 0 ? 4 : 40);
	fail_count = 1 + random_below(&play->memory_random, 3);
}

void
play_memory_enough(struct play *play)
{
	play->failures += fail_from != 0 && allocations >= fail_from;
	fail_from = 0;
	for (size_t i = 0; i < CONNECTIONS; i++)
		if (play->connection[i].failed)
			play_connection_cut(&play->connection[i]);
}

void
server_enter(void)
{
	fail_paused = false;
}

void
server_leave(void)
{
	fail_paused = true;
}

bool
test_enter(void)
{
	bool paused = fail_paused;
	fail_paused = true;
	return paused;
}

void
test_leave(bool paused)
{
	fail_paused = paused;
}

bool
play_memory_reason(const char *reason)
{
	return play_here->short_of_memory &&
	       (strcmp(reason, "SERVER_MEMORY") == 0 || strcmp(reason, "MEMORY") == 0 || strcmp(reason, "WORLD_FAILED") == 0);
}

bool
play_allows(const struct play *play, enum status status, const struct wire_problem *problem)
{
	if (status == STATUS_OK)
		return true;
	assert_true(play->short_of_memory);
	assert_true(strcmp(problem->reason, "SERVER_MEMORY") == 0 || strcmp(problem->reason, "WORLD_FAILED") == 0);
	return false;
}

/* ---- what it comes to */

static struct model_batch *
batch_of(struct play_world *world, uint32_t seat, uint64_t sequence)
{
	for (size_t i = world->model.batch_count; i-- > 0;) {
		struct model_batch *batch = &world->model.batches[i];
		if (batch->seat == seat && batch->sequence == sequence)
			return batch;
	}
	return NULL;
}

/* It never came to its turn: what its seat sends later does not wait for its tick. */
static void
batch_lost(struct play_world *world, uint32_t seat, uint64_t sequence)
{
	struct model_batch *batch = batch_of(world, seat, sequence);
	if (!batch || batch->decided)
		return;
	batch->reason = "MEMORY";
	batch->decided = batch->old = true;
	play_here->refused_memory++;
}

static void
outcome_look(struct play_world *world, uint32_t seat, const struct outcome *outcome)
{
	Collide__V1__Outcome *message = collide__v1__outcome__unpack(NULL, outcome->count, outcome->bytes);
	struct model_batch *batch = batch_of(world, seat, outcome->sequence);
	assert_non_null(message);
	if (strcmp(message->reason, "MEMORY") == 0 && message->field[0] == '\0') {
		batch_lost(world, seat, outcome->sequence);
	} else if (strcmp(message->reason, "MEMORY") == 0 && batch && !batch->decided && !batch->reason) {
		batch->reason = "MEMORY"; /* when its turn comes, now */
		play_here->refused_memory++;
	}
	collide__v1__outcome__free_unpacked(message, NULL);
}

static void
decided_look(struct play_world *world, const struct decided *decided)
{
	for (; decided; decided = decided->next)
		for (const struct outcome *outcome = decided->outcomes; outcome; outcome = outcome->next)
			outcome_look(world, decided->seat, outcome);
}

static bool
answers_want_memory(const struct answer *answer)
{
	for (; answer; answer = answer->next)
		if (answer->problem.status != STATUS_OK && strcmp(answer->problem.reason, "MEMORY") == 0)
			return true;
	return false;
}

/* What the world has not decided is as unsure as what it has, but for what was told. */
static void
batches_unsure(struct model *model)
{
	for (size_t i = 0; i < model->batch_count; i++) {
		struct model_batch *batch = &model->batches[i];
		if (batch->decided)
			continue;
		batch->reason = batch->reason ? batch->reason : "";
		batch->decided = batch->old = batch->unsure = true;
	}
}

static void
unseen_note(struct play_world *world, uint64_t from)
{
	const struct live_world *live = world->task.live;
	play_past_note(world); /* so that there is a past of its epoch */
	for (size_t i = 0; i < world->past_count; i++)
		for (uint64_t tick = from; world->past[i].epoch == live->epoch && tick <= live->tick + 1 && tick < PAST_TICKS; tick++)
			world->past[i].unseen[tick] = true;
}

void
play_memory_turn(struct play_world *world, const struct live_turn *turn)
{
	const struct live_world *live = world->task.live;
	if (!play_here->short_of_memory)
		return;
	decided_look(world, turn->news ? turn->news->decided : NULL);
	decided_look(world, live->draft.decided);
	for (size_t i = 0; i < live->seats.count; i++)
		for (const struct post *post = live->seats.entries[i].lost; post; post = post->next)
			batch_lost(world, post->batch.seat, post->batch.sequence);
	bool asks = world->snapshot_asked != 0;
	for (const struct post *post = live->posts; post; post = post->next)
		world->snapshot_taken = world->snapshot_taken && !(asks && post->kind == POST_SNAPSHOT && !post->snapshot.fork);
	/* Posts that wait, or steps that are not made: the next turn finds them in other places than the model. */
	world->blind = world->blind || live->posts || answers_want_memory(turn->news ? turn->news->answers : NULL) ||
	               answers_want_memory(live->draft.answers);
	if (live->failed && !world->model.failed) {
		assert_string_equal(live->failed, "LIMIT");
		play_here->failed_worlds++;
		world->blind = true;
	}
	if (world->blind && !world->model.failed)
		unseen_note(world, world->model.tick + 1);
}

/* ---- the world's state as the model's */

static void
state_take(struct model *model, const struct live_world *live)
{
	struct snapshot_problem problem;
	size_t count = world_snapshot_bytes(live->world);
	uint8_t *bytes = malloc(count);
	assert_non_null(bytes);
	assert_int_equal(world_snapshot(live->world, bytes, count), STATUS_OK);
	world_destroy(model->world);
	assert_int_equal(world_restore(bytes, count, 0, &problem, &model->world), STATUS_OK);
	free(bytes);
	for (uint32_t id = 0; id < MODEL_CIRCLES; id++)
		model->owner[id] = owner_list_seat(&live->owners, id);
	model->force_count = live->forces.count;
	assert_true(model->force_count <= MODEL_FORCES);
	for (size_t i = 0; i < live->forces.count; i++) {
		const struct force *force = &live->forces.forces[i];
		model->forces[i] = (struct model_force){ force->id, force->ticks, force->x, force->y };
	}
}

/* Those that wait take effect when the world says. All others that the model takes for undecided are not. */
static void
batches_take(struct play_world *world)
{
	const struct live_world *live = world->task.live;
	struct model_batch *waiting[SENT];
	size_t count = 0;
	for (size_t i = 0; i < live->waiting.count; i++) {
		const struct batch *batch = live->waiting.heap[i];
		struct model_batch *known = batch_of(world, batch->seat, batch->sequence);
		if (!known || known->decided)
			continue;
		known->tick = batch->tick;
		if (batch->too_late)
			known->reason = "TOO_LATE";
		known->decided = true;
		assert_true(count < SENT);
		waiting[count++] = known;
	}
	for (const struct post *post = live->posts; post; post = post->next) {
		struct model_batch *known = post->kind == POST_BATCH ? batch_of(world, post->batch.seat, post->batch.sequence) : NULL;
		if (!known || known->decided)
			continue;
		/* The world goes on while it waits, and may be past its tick when it has memory for it. */
		if (!known->reason && world->model.refuses_late && known->tick_asked != 0 && known->tick_asked <= live->tick)
			known->reason = "TOO_LATE";
		known->decided = true;
		assert_true(count < SENT);
		waiting[count++] = known;
	}
	batches_unsure(&world->model);
	while (count > 0)
		waiting[--count]->decided = false;
}

void
play_memory_follow(struct play_world *world)
{
	const struct live_world *live = world->task.live;
	struct model *model = &world->model;
	if (!world->blind)
		return;
	play_here->blind_turns++;
	model->tick = live->tick;
	if (live->failed) {
		batches_unsure(model);
		model->failed = true;
		world->blind = live->posts != NULL;
		return;
	}
	state_take(model, live);
	batches_take(world);
	world->steps_tick = live->steps.first ? live->steps.horizon : 0;
	/* Of what is still to be looked at the next turn says more. */
	world->blind = live->posts != NULL;
}
