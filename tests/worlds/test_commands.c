/* Random batches of several seats, of every kind of command, against a plain world of the engine. To that the test itself
 * applies edits, in the order that the schema says. The hash is the same after every tick, and so is which batches took effect,
 * and when. */
#include "worlds/random_batch.h"

#include "support/effort.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

#define SEATS 5
#define FORCES_MAX 512
#define BATCHES_MAX 4096

struct model {
	struct batch_maker maker;
	struct model_force forces[FORCES_MAX];
	size_t force_count;
	uint64_t tick;
	uint64_t last[SEATS + 1];  /* tick of the latest batch of a seat that waits, */
	size_t waiting[SEATS + 1]; /* and how many do */
	uint64_t sequence[SEATS + 1];
	struct spec *specs;
	size_t count;
};

static uint32_t
reversed(uint32_t bits)
{
	uint32_t out = 0;

	for (int i = 0; i < 32; i++)
		out |= (bits >> i & 1) << (31 - i);
	return out;
}

static int
spec_compare(const void *left, const void *right)
{
	const struct spec *const *a = left, *const *b = right;
	uint32_t rank_a = reversed((*a)->seat + (uint32_t)(*a)->tick), rank_b = reversed((*b)->seat + (uint32_t)(*b)->tick);

	if (rank_a != rank_b)
		return rank_a < rank_b ? -1 : 1;
	return (*a)->sequence < (*b)->sequence ? -1 : 1;
}

static bool
edit_is_there(const struct world *world, const struct edit *edit)
{
	size_t index;

	switch (edit->kind) {
	case EDIT_CIRCLE_SPAWN:
	case EDIT_SEGMENT_SPAWN:
	case EDIT_EXPLOSION:
	case EDIT_GRAVITY: return true;
	case EDIT_SEGMENT_CHANGE:
	case EDIT_SEGMENT_REMOVE: return world_segment_find(world, edit->segment.id, &index);
	case EDIT_CIRCLE_ADD_VELOCITY:
	case EDIT_CIRCLE_IMPULSE: return world_body_find(world, edit->push.id, &index);
	default: return world_body_find(world, edit->circle.id, &index);
	}
}

static size_t
forces_on(const struct model *model, uint32_t id)
{
	size_t count = 0;

	for (size_t i = 0; i < model->force_count; i++)
		count += model->forces[i].id == id;
	return count;
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

static void
spec_apply(struct model *model, struct spec *spec)
{
	struct edit edits[64];
	struct model_force forces[BATCH_ROWS_MAX];
	struct def_problem problem;
	size_t count = 0, force_count = 0, index;

	spec->decided = true;
	for (size_t i = 0; i < spec->edit_count; i++)
		if (edit_is_there(model->maker.world, &spec->edits[i]))
			edits[count++] = spec->edits[i];
		else if (spec->skip_missing)
			spec->missing++;
		else
			return;
	for (size_t i = 0; i < spec->force_count; i++) {
		size_t same = forces_on(model, spec->forces[i].id);

		if (!world_body_find(model->maker.world, spec->forces[i].id, &index))
			continue;
		forces[force_count++] = spec->forces[i];
		for (size_t k = 0; k < force_count; k++)
			same += forces[k].id == spec->forces[i].id;
		if (same > WORLDS_FORCES_PER_CIRCLE_MAX)
			return;
	}
	if (world_edit(model->maker.world, edits, count, &problem) != STATUS_OK)
		return;
	spec->effective = true;
	for (size_t i = 0; i < count; i++)
		if (edits[i].kind == EDIT_CIRCLE_REMOVE)
			forces_drop(model, edits[i].circle.id);
	for (size_t i = 0; i < force_count; i++)
		model->forces[model->force_count++] = forces[i];
	assert_true(model->force_count < FORCES_MAX - BATCH_ROWS_MAX);
}

static void
forces_act(struct model *model, double dt)
{
	struct edit edits[FORCES_MAX];
	struct def_problem problem;
	size_t kept = 0;

	for (size_t i = 0; i < model->force_count; i++)
		edits[i] = (struct edit){ .kind = EDIT_CIRCLE_IMPULSE,
			                      .push = {
									  .id = model->forces[i].id, .x = dt * model->forces[i].x, .y = dt * model->forces[i].y } };
	assert_int_equal(world_edit(model->maker.world, edits, model->force_count, &problem), STATUS_OK);
	for (size_t i = 0; i < model->force_count; i++)
		if (--model->forces[i].ticks > 0)
			model->forces[kept++] = model->forces[i];
	model->force_count = kept;
}

static void
model_tick(struct model *model, double dt)
{
	struct spec *due[BATCHES_MAX];
	struct tick_report report;
	size_t count = 0;

	for (size_t i = 0; i < model->count; i++)
		if (!model->specs[i].decided && model->specs[i].tick == model->tick + 1)
			due[count++] = &model->specs[i];
	qsort(due, count, sizeof *due, spec_compare);
	for (size_t i = 0; i < count; i++) {
		spec_apply(model, due[i]);
		model->waiting[due[i]->seat]--;
	}
	forces_act(model, dt);
	assert_int_equal(world_step(model->maker.world, dt, &report), STATUS_OK);
	for (size_t i = 0; i < report.end_count; i++)
		forces_drop(model, report.ends[i].body);
	model->tick++;
}

/* ---- both */

/* One more batch of a seat, posted. */
static void
batch_post(struct model *model, struct stage *stage, uint32_t seat)
{
	struct spec *spec = &model->specs[model->count++];
	static struct columns columns;
	uint64_t ask = random_below(&model->maker.seed, 4);

	memset(&columns, 0, sizeof columns);
	memset(spec, 0, sizeof *spec);
	assert_true(model->count <= BATCHES_MAX);
	batch_make_random(&model->maker, spec, &columns);
	spec->seat = seat;
	spec->sequence = ++model->sequence[seat];
	spec->asked = ask == 0 ? 0 : model->tick + 1 + random_below(&model->maker.seed, 4) - (ask == 1 && model->tick > 1 ? 2 : 0);
	spec->tick = spec->asked > model->tick ? spec->asked : model->tick + 1;
	if (model->waiting[seat] > 0 && model->last[seat] > spec->tick)
		spec->tick = model->last[seat];
	model->last[seat] = spec->tick;
	model->waiting[seat]++;
	stage_send(stage, seat, spec->sequence, spec->asked, &columns.message);
}

static void
outcomes_check(const struct model *model, const struct stage *stage)
{
	for (size_t i = 0; i < model->count; i++) {
		const struct spec *spec = &model->specs[i];
		const struct told *told = stage_told(stage, spec->seat, spec->sequence);

		assert_int_equal(told != NULL, spec->decided);
		if (!told)
			continue;
		if ((told->code == 0) != spec->effective)
			fail_msg("seat %u, sequence %llu: %s %s: %s", spec->seat, (unsigned long long)spec->sequence, told->reason,
			         told->field, told->text);
		assert_int_equal(told->tick, spec->effective ? spec->tick : 0);
		if (spec->effective)
			assert_int_equal(told->missing, spec->missing);
		assert_int_equal(told->exceptional,
		                 !spec->effective || spec->missing > 0 || (spec->asked != 0 && spec->asked != spec->tick));
	}
}

static void
play(uint64_t seed, size_t ticks)
{
	static struct stage_scene scene;
	static struct stage stage;
	static struct model model;

	memset(&model, 0, sizeof model);
	model.specs = calloc(BATCHES_MAX, sizeof *model.specs);
	model.maker.seed = seed;
	model.maker.next_id = 1000;
	stage_init(&stage);
	stage.policy.events = seed % 2 == 0 ? 0 : WORLD_EVENTS_TOUCH;
	if (seed % 2 == 0)
		assert_int_equal(workspace_create(&stage.workspace), STATUS_OK);
	scene_gas(&scene, 24);
	stage_open(&stage, &scene);
	model.maker.world = scene_world(&scene, &stage);
	for (size_t t = 0; t < ticks; t++) {
		size_t count = random_below(&model.maker.seed, 4);

		for (size_t i = 0; i < count; i++)
			batch_post(&model, &stage, 1 + (uint32_t)random_below(&model.maker.seed, SEATS));
		model_tick(&model, stage.policy.dt);
		stage_step(&stage, 1);
		assert_int_equal(stage.answer.problem.status, STATUS_OK);
		outcomes_check(&model, &stage);
		if (stage.answer.hash != world_hash(model.maker.world))
			fail_msg("seed %llu: another state after tick %zu", (unsigned long long)seed, t + 1);
	}
	world_destroy(model.maker.world);
	free(model.specs);
	stage_finish(&stage);
}

static void
test_against_plain_world(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= effort(12, 400); seed++)
		play(seed, 120);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_against_plain_world) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
