#include "worlds/play_model.h"

#include "support/random.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SEAT_ALL_RIGHT 3

struct world_def
model_def(uint64_t seed, size_t circles, struct circle_def *circle_rows, struct segment_def *segment_rows)
{
	static const double corners[5][2] = { { 0, 0 }, { 20, 0 }, { 20, 20 }, { 0, 20 }, { 0, 0 } };
	struct world_def def = world_def_default();
	for (size_t i = 0; i < circles; i++) {
		circle_rows[i] = circle_def_default();
		circle_rows[i].id = (uint32_t)i + 1;
		circle_rows[i].x = 2 + 4 * (double)(i % 4);
		circle_rows[i].y = 2 + 4 * (double)(i / 4);
		circle_rows[i].radius = 0.5;
		circle_rows[i].vx = random_between(&seed, -8, 8);
		circle_rows[i].vy = random_between(&seed, -8, 8);
	}
	for (size_t i = 0; i < 4; i++) {
		segment_rows[i] = segment_def_default();
		segment_rows[i].id = (uint32_t)i;
		segment_rows[i].x1 = corners[i][0];
		segment_rows[i].y1 = corners[i][1];
		segment_rows[i].x2 = corners[i + 1][0];
		segment_rows[i].y2 = corners[i + 1][1];
	}
	def.circles = circle_rows;
	def.circle_count = circles;
	def.segments = segment_rows;
	def.segment_count = 4;
	return def;
}

void
model_init(struct model *model, double dt, uint64_t seed, size_t circles)
{
	struct circle_def circle_rows[16];
	struct segment_def segment_rows[4];
	struct def_problem problem;
	struct world_def def = model_def(seed, circles, circle_rows, segment_rows);
	memset(model, 0, sizeof *model);
	model->dt = dt;
	model->dirty = UINT64_MAX;
	assert_int_equal(world_create(&def, &problem, &model->world), STATUS_OK);
}

void
model_finish(struct model *model)
{
	world_destroy(model->world);
	for (size_t i = 0; i <= MODEL_HISTORY_MAX; i++)
		model_state_free(&model->states[i]);
}

static uint32_t
bits_reversed(uint32_t value)
{
	uint32_t out = 0;
	for (int i = 0; i < 32; i++)
		out |= (value >> i & 1) << (31 - i);
	return out;
}

/* The tick of the last batch of its seat in this past; 0: there is none. */
static uint64_t
tick_before(const struct model *model, uint32_t seat)
{
	uint64_t tick = 0;
	for (size_t i = 0; i < model->batch_count; i++)
		if (model->batches[i].seat == seat && !model->batches[i].old && model->batches[i].tick > tick)
			tick = model->batches[i].tick;
	return tick;
}

struct model_batch *
model_receive(struct model *model, const struct model_batch *batch, uint64_t steps_tick)
{
	assert_true(model->batch_count < MODEL_BATCHES);
	uint64_t before = tick_before(model, batch->seat);
	struct model_batch *kept = &model->batches[model->batch_count++];
	*kept = *batch;
	bool late = batch->tick_asked != 0 && batch->tick_asked <= model->tick;
	kept->tick = batch->tick_asked > model->tick ? batch->tick_asked : model->tick + 1;
	if (batch->tick_asked == 0 && steps_tick >= kept->tick)
		kept->tick = steps_tick + 1;
	if (late && model->history > 0) {
		uint64_t final = model->tick > model->history ? model->tick - model->history : 0;
		final = final < model->begun ? model->begun : final;
		uint64_t wish = before > batch->tick_asked ? before : batch->tick_asked;
		kept->tick = wish > final ? wish : kept->tick;
	}
	kept->tick = before > kept->tick ? before : kept->tick;
	if (kept->tick <= model->tick && kept->tick < model->dirty)
		model->dirty = kept->tick;
	kept->reason = late && model->refuses_late ? "TOO_LATE" : NULL;
	if (model->failed) {
		kept->reason = "WORLD_FAILED";
		kept->decided = kept->old = kept->unsure = true;
	}
	return kept;
}

static bool
has_circle(const struct model *model, uint32_t id)
{
	size_t index = 0;
	return world_body_find(model->world, id, &index);
}

static const char *
model_bounded(struct model *model)
{
	model->bounded++;
	return "LIMIT";
}

/* Why it cannot be; "": it can. */
static const char *
refusal(struct model *model, const struct model_batch *batch)
{
	bool there = has_circle(model, batch->id);
	if (batch->kind == MODEL_GRAVITY)
		return batch->right < SEAT_ALL_RIGHT ? "RIGHT" : "";
	if (batch->kind == MODEL_SPAWN) {
		if (batch->right < SEAT_ALL_RIGHT && (batch->id < batch->id_first || batch->id - batch->id_first >= batch->id_count))
			return "RIGHT";
		if (batch->circles_max > 0 && world_body_count(model->world) >= batch->circles_max)
			return model_bounded(model);
		return there ? "ID_TAKEN" : "";
	}
	if (!there)
		return batch->skip_missing ? "" : "NO_SUCH_ID";
	return batch->right < SEAT_ALL_RIGHT && model->owner[batch->id] != batch->seat ? "RIGHT" : "";
}

static void
forces_drop(struct model *model, uint32_t id)
{
	size_t kept = 0;
	for (size_t i = 0; i < model->force_count; i++)
		if (model->forces[i].id != id)
			model->forces[kept++] = model->forces[i];
	model->force_count = kept;
}

static struct circle_def
spawned(const struct model_batch *batch)
{
	struct circle_def circle = circle_def_default();
	circle.id = batch->id;
	circle.x = batch->x;
	circle.y = batch->y;
	circle.radius = 0.25;
	return circle;
}

static void
edit_one(struct model *model, const struct edit *edit)
{
	struct def_problem problem;
	assert_int_equal(world_edit(model->world, edit, 1, &problem), STATUS_OK);
}

static void
take_effect(struct model *model, struct model_batch *batch)
{
	struct circle_def circle = { .id = batch->id, .x = batch->x, .y = batch->y, .vx = batch->x, .vy = batch->y };
	struct edit edit;
	switch (batch->kind) {
	case MODEL_SET:
		edit = edit_circle_change(&circle, edit_field(DEF_CIRCLE_VX) | edit_field(DEF_CIRCLE_VY));
		edit_one(model, &edit);
		break;
	case MODEL_ADD:
		edit = edit_circle_add_velocity(batch->id, batch->x, batch->y);
		edit_one(model, &edit);
		break;
	case MODEL_SPAWN:
		circle = spawned(batch);
		edit = edit_circle_spawn(&circle);
		edit_one(model, &edit);
		model->owner[batch->id] = batch->seat;
		break;
	case MODEL_REMOVE:
		edit = edit_circle_remove(batch->id);
		edit_one(model, &edit);
		model->owner[batch->id] = 0;
		forces_drop(model, batch->id);
		break;
	case MODEL_PLACE:
		edit = edit_circle_change(&circle, edit_field(DEF_CIRCLE_X) | edit_field(DEF_CIRCLE_Y));
		edit_one(model, &edit);
		break;
	case MODEL_FORCE:
		if (batch->ticks > 0)
			model->forces[model->force_count++] = (struct model_force){ batch->id, batch->ticks, batch->x, batch->y };
		break;
	case MODEL_SWEEP:
		edit = edit_circle_sweep(batch->id, batch->x, batch->y);
		edit_one(model, &edit);
		break;
	case MODEL_GRAVITY:
		edit = edit_gravity(batch->x, batch->y);
		edit_one(model, &edit);
		break;
	case MODEL_GIVE: model->owner[batch->id] = batch->other; break;
	case MODEL_KINDS: break;
	}
}

static size_t
forces_on(const struct model *model, uint32_t id)
{
	size_t count = 0;
	for (size_t i = 0; i < model->force_count; i++)
		count += model->forces[i].id == id ? 1 : 0;
	return count;
}

static void
decide(struct model *model, struct model_batch *batch)
{
	bool again = batch->decided;
	batch->decided = true;
	if (batch->reason && !again)
		return;
	batch->reason = refusal(model, batch);
	if (batch->reason[0] == '\0' && batch->kind == MODEL_FORCE && batch->ticks > 0 && has_circle(model, batch->id) &&
	    forces_on(model, batch->id) == 8)
		batch->reason = "LIMIT";
	bool of_circle = batch->kind != MODEL_SPAWN && batch->kind != MODEL_GRAVITY;
	bool refused = batch->reason[0] != '\0', missing = of_circle && !has_circle(model, batch->id);
	if (again && refused) {
		batch->reason = "UNDONE";
		batch->missing = 0;
		model->undone++;
	}
	if (!refused && !missing)
		take_effect(model, batch);
	/* Told once. */
	if (!refused && missing && !again)
		batch->missing = 1;
}

static bool
goes_before(const struct model_batch *a, const struct model_batch *b, uint64_t tick)
{
	uint32_t first = bits_reversed((uint32_t)(a->seat + tick)), second = bits_reversed((uint32_t)(b->seat + tick));
	return first != second ? first < second : a->sequence < b->sequence;
}

static struct model_batch *
next_of_tick(struct model *model, uint64_t tick)
{
	struct model_batch *next = NULL;
	for (size_t i = 0; i < model->batch_count; i++) {
		struct model_batch *batch = &model->batches[i];
		bool counts = !batch->old && batch->pass != model->pass && (!batch->decided || batch->reason[0] == '\0');
		if (counts && batch->tick == tick && (!next || goes_before(batch, next, tick)))
			next = batch;
	}
	return next;
}

/* An impulse of dt times the force, each in the order in which they came. */
static void
forces_act(struct model *model)
{
	struct edit edits[MODEL_FORCES];
	struct def_problem problem;
	size_t kept = 0;
	for (size_t i = 0; i < model->force_count; i++) {
		struct circle_push push = { .id = model->forces[i].id,
			                        .x = model->dt * model->forces[i].x,
			                        .y = model->dt * model->forces[i].y };
		edits[i] = edit_circle_impulse(&push);
	}
	if (model->force_count > 0)
		assert_int_equal(world_edit(model->world, edits, model->force_count, &problem), STATUS_OK);
	for (size_t i = 0; i < model->force_count; i++) {
		struct model_force force = model->forces[i];
		if (--force.ticks > 0)
			model->forces[kept++] = force;
	}
	model->force_count = kept;
}

static void
tick_make(struct model *model)
{
	struct tick_report report;
	uint64_t tick = model->tick + 1;
	if (model->history > 0)
		model_keep(model, &model->states[model->tick % (MODEL_HISTORY_MAX + 1)]);
	model->pass++;
	for (struct model_batch *batch = next_of_tick(model, tick); batch; batch = next_of_tick(model, tick)) {
		batch->pass = model->pass;
		decide(model, batch);
	}
	forces_act(model);
	assert_int_equal(world_step(model->world, model->dt, &report), STATUS_OK);
	model->tick = tick;
}

static void
state_take(struct model *model, const struct model_state *state)
{
	struct snapshot_problem problem;
	world_destroy(model->world);
	assert_int_equal(world_restore(state->snapshot, state->count, 0, &problem, &model->world), STATUS_OK);
	memcpy(model->owner, state->owner, sizeof state->owner);
	memcpy(model->forces, state->forces, sizeof state->forces);
	model->force_count = state->force_count;
	model->tick = state->tick;
}

void
model_tick(struct model *model)
{
	uint64_t present = model->tick;
	if (model->dirty <= present) {
		const struct model_state *state = &model->states[(model->dirty - 1) % (MODEL_HISTORY_MAX + 1)];
		assert_int_equal(state->tick, model->dirty - 1);
		state_take(model, state);
	}
	model->dirty = UINT64_MAX;
	model->remade += present - model->tick;
	while (model->tick <= present)
		tick_make(model);
}

void
model_keep(const struct model *model, struct model_state *state)
{
	model_state_free(state);
	state->count = world_snapshot_bytes(model->world);
	state->snapshot = malloc(state->count);
	assert_non_null(state->snapshot);
	assert_int_equal(world_snapshot(model->world, state->snapshot, state->count), STATUS_OK);
	memcpy(state->owner, model->owner, sizeof state->owner);
	memcpy(state->forces, model->forces, sizeof state->forces);
	state->force_count = model->force_count;
	state->tick = model->tick;
}

void
model_return(struct model *model, const struct model_state *state)
{
	state_take(model, state);
	model->begun = state->tick;
	model->dirty = UINT64_MAX;
	model->failed = false;
	for (size_t i = 0; i < model->batch_count; i++) {
		struct model_batch *batch = &model->batches[i];
		batch->old = true;
		batch->restored = batch->restored || !batch->decided;
		if (!batch->decided && !batch->reason)
			batch->reason = "RESTORED";
		batch->decided = true;
	}
}

void
model_state_free(struct model_state *state)
{
	free(state->snapshot);
	memset(state, 0, sizeof *state);
}
