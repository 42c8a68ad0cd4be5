/* Keep and return: worlds that go back to states that were kept, and on from there another time. Random schedules make a tree
 * of states: each is left by some steps and edits, returned to, and left again, by the same or by others. What was once reached
 * from a state must be reached from it again, bit for bit: the snapshot, and all that the ticks report. Beside them worlds
 * restored from snapshots make the same ticks. argv[1]: schedules (default 2,000), argv[2]: the first one's seed. */
#include "physics/followers.h"
#include "physics/keep.h"
#include "physics/scenes.h"
#include "physics/soup.h"
#include "physics/velocities.h"

#include "support/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OPS 48
#define SLOTS 3
#define NONE UINT32_MAX

static uint64_t schedule_first = 1, schedule_count = 2000, schedule_at;
static uint64_t returns, again, edits, refused, walls_refused, slept, led, touched, moved, twins;

/* A state that was reached, and how one was left for the first time. */
struct node {
	uint64_t state; /* of the snapshot */
	uint64_t told;  /* of the reports on the way there */
	uint64_t op;    /* seed of what leads to `child` */
	uint32_t child; /* NONE: it was not left yet */
	uint64_t wall_edits;
};

struct timeline {
	struct soup soup;
	struct world *world;
	struct workspace *workspace;
	struct node nodes[2 * OPS];
	uint32_t count, at;
	struct world_kept *kept[SLOTS];
	uint32_t kept_at[SLOTS]; /* NONE: nothing, or of a world that is gone */
	uint64_t random, told, wall_edits;
};

static uint64_t
mix(uint64_t sum, uint64_t value)
{
	sum = (sum ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return sum ^ sum >> 29;
}

static uint64_t
mix_doubles(uint64_t sum, const double *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t bits;
		memcpy(&bits, &values[i], sizeof bits);
		sum = mix(sum, bits);
	}
	return sum;
}

/* Everything that a tick says, except what it cost. */
static uint64_t
report_sum(const struct tick_report *r)
{
	uint64_t sum = mix(mix(mix(mix(r->tick, r->events), r->collisions), r->clusters), r->asleep);
	sum = mix(mix(sum, r->clips), r->work);
	sum = mix_doubles(sum, (const double *)&r->energy, sizeof r->energy / sizeof(double));
	sum = mix_doubles(sum, (const double *)&r->momentum, sizeof r->momentum / sizeof(double));
	for (size_t i = 0; i < r->contact_count; i++) {
		const struct contact *c = &r->contacts[i];
		sum = mix(mix_doubles(sum, &c->time, 1), (uint64_t)c->a << 32 | c->b);
		sum = mix(sum, (uint64_t)(c->other << 16 | c->feature << 8 | c->flags));
		sum = mix_doubles(sum, c->point, (sizeof *c - offsetof(struct contact, point)) / sizeof(double));
	}
	for (size_t i = 0; i < r->path_change_count; i++) {
		const struct path_change *c = &r->path_changes[i];
		sum = mix_doubles(mix(mix_doubles(sum, &c->time, 1), (uint64_t)c->body << 8 | c->kind), c->vector, 2);
	}
	for (size_t i = 0; i < r->shortfall_count; i++)
		sum = mix_doubles(mix(sum, (uint64_t)r->shortfalls[i].body << 32 | r->shortfalls[i].flag), &r->shortfalls[i].amount, 1);
	for (size_t i = 0; i < r->pair_event_count; i++) {
		const struct pair_event *e = &r->pair_events[i];
		sum = mix(mix_doubles(sum, &e->time, 1), (uint64_t)e->a << 32 | e->b);
		sum = mix(sum, (uint64_t)(e->kind << 16 | e->other << 8 | e->feature));
		sum = mix_doubles(sum, e->point, (sizeof *e - offsetof(struct pair_event, point)) / sizeof(double));
	}
	for (size_t i = 0; i < r->path_count; i++)
		sum = mix_doubles(mix(sum, r->paths[i].body), r->paths[i].position, 6);
	for (size_t i = 0; i < r->place_count; i++)
		sum = mix_doubles(mix(sum, r->places[i].id), &r->places[i].x1, 4);
	return sum;
}

static uint64_t
state_sum(const struct world *world)
{
	struct snapshot snapshot = snapshot_take(world);
	uint64_t sum = snapshot.size;
	for (size_t i = 0; i < snapshot.size; i += 8) {
		uint64_t word = 0;
		memcpy(&word, snapshot.bytes + i, snapshot.size - i < 8 ? snapshot.size - i : 8);
		sum = mix(sum, word);
	}
	free(snapshot.bytes);
	return sum;
}

/* What belongs to the process, and must not matter: by another random sequence, so that it differs where the rest repeats. */
static void
process_vary(struct timeline *t)
{
	switch (random_below(&t->random, 12)) {
	case 0: world_workers_set(t->world, &workers_in_turn); break;
	case 1: world_workers_set(t->world, NULL); break;
	case 2: world_workspace_set(t->world, t->workspace); break;
	case 3: world_workspace_set(t->world, NULL); break;
	default: break;
	}
}

static struct edit
circle_edit(struct timeline *t, uint64_t *random)
{
	const struct scenario *scenario = &t->soup.scenario;
	const size_t count = world_body_count(t->world);
	struct circle_def circle = scenario->circles[random_below(random, scenario->circle_count)];
	if (count == 0 || random_below(random, 4) == 0) {
		circle.id = (uint32_t)random_below(random, 200);
		circle.x = random_between(random, -6, 6);
		circle.y = random_between(random, -6, 6);
		return edit_circle_spawn(&circle);
	}
	circle = world_circle(t->world, (size_t)random_below(random, count));
	switch (random_below(random, 5)) {
	case 0: return edit_circle_remove(circle.id);
	case 1: circle.x = random_between(random, -6, 6); return edit_circle_change(&circle, edit_field(DEF_CIRCLE_X));
	case 2:
		circle.radius *= random_between(random, 0.5, 1.2);
		return edit_circle_change(&circle, edit_field(DEF_CIRCLE_RADIUS));
	case 3:
		circle.friction = random_between(random, 0, 1);
		circle.sensor = random_below(random, 4) == 0;
		return edit_circle_change(&circle, edit_field(DEF_CIRCLE_FRICTION) | edit_field(DEF_CIRCLE_SENSOR));
	default:
		circle.vx = circle.kind == BODY_STATIC ? 0 : random_between(random, -5, 5);
		circle.angular_velocity = circle.kind == BODY_STATIC ? 0 : random_between(random, -5, 5);
		return edit_circle_change(&circle, edit_field(DEF_CIRCLE_VX) | edit_field(DEF_CIRCLE_ANGULAR_VELOCITY));
	}
}

static struct edit
segment_edit(struct timeline *t, uint64_t *random)
{
	const size_t count = world_segment_count(t->world);
	struct segment_def segment = segment_def_default();
	if (count > 0 && random_below(random, 2)) {
		segment = world_segment(t->world, (size_t)random_below(random, count));
		segment.friction = random_between(random, 0, 1);
		return random_below(random, 2) ? edit_segment_remove(segment.id)
		                               : edit_segment_change(&segment, edit_field(DEF_SEGMENT_FRICTION));
	}
	segment.id = (uint32_t)random_below(random, 100);
	segment.x1 = random_between(random, -6, 6);
	segment.y1 = random_between(random, -6, 6);
	segment.x2 = segment.x1 + random_between(random, 1, 4);
	segment.y2 = segment.y1;
	segment.vy = random_below(random, 2) ? 1 : 0;
	return edit_segment_spawn(&segment);
}

static void
op_edit(struct timeline *t, uint64_t *random, bool walls)
{
	struct def_problem problem;
	struct edit batch[4];
	size_t count = 1 + (size_t)random_below(random, 4);
	for (size_t i = 0; i < count; i++)
		batch[i] = walls && i == 0 ? segment_edit(t, random) : circle_edit(t, random);
	const enum status status = world_edit(t->world, batch, count, &problem);
	edits += status == STATUS_OK;
	refused += status != STATUS_OK;
	t->wall_edits += status == STATUS_OK && walls;
}

static void
op_velocities(struct timeline *t, uint64_t *random)
{
	uint32_t ids[8];
	double vx[8], vy[8];
	size_t count = 0, bodies = world_body_count(t->world);
	struct def_problem problem;
	for (size_t i = (size_t)random_below(random, 3); i < bodies && count < 8; i += 1 + (size_t)random_below(random, 4)) {
		const struct body_state body = world_body(t->world, i);
		ids[count] = body.id;
		vx[count] = body.kind == BODY_STATIC ? 0 : random_between(random, -5, 5);
		vy[count++] = body.kind == BODY_STATIC ? 0 : random_between(random, -5, 5);
	}
	assert_int_equal(world_velocities_set(t->world, ids, vx, vy, count, &problem), STATUS_OK);
}

/* False: the world is over. */
static bool
op_step(struct timeline *t, uint64_t *random)
{
	const double dt = random_below(random, 8) ? t->soup.dt : t->soup.dt / 3;
	const bool doubled = random_below(&t->random, 6) == 0;
	struct tick_report report, own;
	struct snapshot before = { 0 };
	if (doubled)
		before = snapshot_take(t->world);
	const enum status status = world_step(t->world, dt, &report);
	if (status != STATUS_OK) {
		free(before.bytes);
		assert_true(t->soup.hostile);
		return false;
	}
	t->told = report_sum(&report);
	slept += report.asleep > 0;
	touched += report.pair_event_count > 0;
	moved += report.place_count > 0;
	for (size_t i = 0; i < report.path_change_count; i++)
		led += report.path_changes[i].kind == PATH_LED;
	if (!doubled)
		return true;
	struct world *twin = snapshot_restored(&before);
	free(before.bytes);
	assert_int_equal(world_step(twin, dt, &own), STATUS_OK);
	reports_same(&report, &own);
	assert_true(state_sum(twin) == state_sum(t->world));
	if (random_below(&t->random, 6) == 0) {
		/* It goes on as the world; what was kept is of no use to it. */
		for (size_t k = 0; k < SLOTS; k++) {
			assert_int_equal(world_return(twin, t->kept[k]), STATUS_INVALID_ARGUMENT);
			t->kept_at[k] = NONE;
		}
		struct world *swap = t->world;
		t->world = twin;
		twin = swap;
	}
	world_destroy(twin);
	return true;
}

static bool
op_make(struct timeline *t, uint64_t op)
{
	uint64_t random = op;
	t->told = 0;
	switch (random_below(&random, 8)) {
	case 0:
	case 1: op_edit(t, &random, false); return true;
	case 2: op_edit(t, &random, random_below(&random, 4) == 0); return true;
	case 3:
	case 4: op_velocities(t, &random); return true;
	case 5: assert_int_equal(world_events_set(t->world, (unsigned)random_below(&random, 8)), STATUS_OK); return true;
	default: return op_step(t, &random);
	}
}

/* Goes on from the present state: as before, or in a new way. */
static bool
onward(struct timeline *t)
{
	struct node *node = &t->nodes[t->at];
	if (node->child != NONE && random_below(&t->random, 4)) {
		const struct node *child = &t->nodes[node->child];
		assert_true(op_make(t, node->op));
		if (t->told != child->told || state_sum(t->world) != child->state)
			fail_msg("state %u is not reached again from %u%s", node->child, t->at,
			         t->told != child->told ? " (told otherwise)" : "");
		t->at = node->child;
		again++;
		return true;
	}
	const uint64_t op = random_below(&t->random, UINT64_MAX);
	if (!op_make(t, op))
		return false;
	if (node->child == NONE) {
		node->child = t->count;
		node->op = op;
	}
	t->nodes[t->count] = (struct node){
		.state = state_sum(t->world), .told = t->told, .child = NONE, .wall_edits = t->wall_edits
	};
	t->at = t->count++;
	return true;
}

static void
slot_use(struct timeline *t, size_t slot)
{
	if (t->kept_at[slot] == NONE || random_below(&t->random, 3) == 0) {
		const uint64_t before = state_sum(t->world);
		assert_int_equal(world_keep(t->world, t->kept[slot]), STATUS_OK);
		assert_true(state_sum(t->world) == before);
		assert_true(world_kept_holds(t->kept[slot]) && world_kept_tick(t->kept[slot]) == world_tick(t->world));
		t->kept_at[slot] = t->at;
		return;
	}
	const struct node *node = &t->nodes[t->kept_at[slot]];
	const enum status status = world_return(t->world, t->kept[slot]);
	if (node->wall_edits != t->wall_edits) {
		assert_int_equal(status, STATUS_FAILED_PRECONDITION);
		assert_true(state_sum(t->world) == t->nodes[t->at].state);
		walls_refused++;
		return;
	}
	assert_int_equal(status, STATUS_OK);
	if (state_sum(t->world) != node->state)
		fail_msg("returned to another state than %u", t->kept_at[slot]);
	t->at = t->kept_at[slot];
	returns++;
}

/* Another world takes over: one restored from a snapshot of the present becomes a twin, and returns to a state of the past. */
static void
twin_swap(struct timeline *t, size_t slot)
{
	if (t->kept_at[slot] == NONE || t->nodes[t->kept_at[slot]].wall_edits != t->wall_edits)
		return;
	struct snapshot now = snapshot_take(t->world);
	struct world *twin = snapshot_restored(&now);
	free(now.bytes);
	assert_int_equal(world_return(twin, t->kept[slot]), STATUS_INVALID_ARGUMENT);
	world_become_twin(twin, t->kept[slot]);
	assert_int_equal(world_return(twin, t->kept[slot]), STATUS_OK);
	if (state_sum(twin) != t->nodes[t->kept_at[slot]].state)
		fail_msg("a twin returned to another state than %u", t->kept_at[slot]);
	world_destroy(t->world);
	t->world = twin;
	t->at = t->kept_at[slot];
	twins++;
}

/* Every seventh is a pile that has just fallen asleep, and wakes where it is edited. */
static bool
soup_or_pile_make(struct timeline *t, uint64_t seed)
{
	struct def_problem problem;
	struct tick_report report = { 0 };
	const bool pile = seed % 7 == 3;
	if (pile) {
		t->soup = (struct soup){ .dt = 1.0 / 60 };
		scenario_init(&t->soup.scenario);
		scene_pile(&t->soup.scenario, 12 + seed % 20, 6, 0.5, 0.5, seed);
		for (size_t i = 0; i < t->soup.scenario.circle_count; i++)
			t->soup.scenario.circles[i].rolling_resistance = 0.1;
	} else {
		soup_make(&t->soup, seed, seed % 4 == 0);
	}
	t->soup.scenario.def.events = seed % 3 == 0 ? WORLD_EVENTS_TOUCH | WORLD_EVENTS_PATHS : 0;
	if (pile || seed % 5 == 0)
		t->soup.scenario.def.sleep_after = 0.05;
	if (t->soup.scenario.circle_count == 0 || world_create(scenario_def(&t->soup.scenario), &problem, &t->world) != STATUS_OK)
		return false;
	for (int i = 0; i < 300 && pile && report.asleep == 0; i++)
		assert_int_equal(world_step(t->world, t->soup.dt, &report), STATUS_OK);
	return true;
}

static void
schedule_run(uint64_t seed)
{
	struct timeline t = { .random = seed * 77 + 5, .nodes = { { .child = NONE } }, .count = 1 };
	if (!soup_or_pile_make(&t, seed)) {
		soup_finish(&t.soup);
		return;
	}
	assert_int_equal(workspace_create(&t.workspace), STATUS_OK);
	for (size_t k = 0; k < SLOTS; k++) {
		assert_int_equal(world_kept_create(&t.kept[k]), STATUS_OK);
		assert_int_equal(world_return(t.world, t.kept[k]), STATUS_INVALID_ARGUMENT);
		t.kept_at[k] = NONE;
	}
	t.nodes[0].state = state_sum(t.world);
	for (int i = 0; i < OPS; i++) {
		process_vary(&t);
		if (random_below(&t.random, 4) == 0)
			slot_use(&t, (size_t)random_below(&t.random, SLOTS));
		else if (random_below(&t.random, 12) == 0)
			twin_swap(&t, (size_t)random_below(&t.random, SLOTS));
		if (!onward(&t))
			break;
	}
	world_destroy(t.world);
	for (size_t k = 0; k < SLOTS; k++)
		world_kept_destroy(t.kept[k]);
	workspace_destroy(t.workspace);
	soup_finish(&t.soup);
}

static void
test_random_schedules(void **state)
{
	(void)state;
	for (uint64_t seed = schedule_first; seed < schedule_first + schedule_count; seed++) {
		schedule_at = seed;
		schedule_run(seed);
	}
	print_message(
		"%llu returns, %llu states reached again, %llu edits, %llu refused, %llu returns over walls refused, ticks with "
		"sleepers %llu, pair events %llu, moving walls %llu, substeps led %llu, twins %llu\n",
		(unsigned long long)returns, (unsigned long long)again, (unsigned long long)edits, (unsigned long long)refused,
		(unsigned long long)walls_refused, (unsigned long long)slept, (unsigned long long)touched, (unsigned long long)moved,
		(unsigned long long)led, (unsigned long long)twins);
	assert_true(schedule_count < 1000 || (returns > schedule_count && again > schedule_count && twins > schedule_count / 2 &&
	                                      slept && led && moved && touched));
}

/* Schedules that showed something wrong once. */
static void
test_schedules_found(void **state)
{
	static const uint64_t found[] = {
		274,  /* the tree of sensors that move was that of another tick */
		3058, /* an edit looked for overlaps with moving walls where they were listed before the return */
	};
	(void)state;
	for (size_t i = 0; i < sizeof found / sizeof found[0]; i++)
		schedule_run(found[i]);
}

static void
test_what_is_refused(void **state)
{
	(void)state;
	struct scenario scenario;
	struct world_kept *kept = NULL;
	struct tick_report report;
	struct def_problem problem;
	scenario_init(&scenario);
	scene_gas(&scenario, 20, 40, 1);
	scenario.def.contacts_per_tick_max = 30;
	struct world *world = scenario_world(&scenario), *other = scenario_world(&scenario);
	assert_int_equal(world_kept_create(&kept), STATUS_OK);
	assert_false(world_kept_holds(kept));
	assert_int_equal(world_return(world, kept), STATUS_INVALID_ARGUMENT);
	assert_int_equal(world_keep(world, kept), STATUS_OK);
	assert_int_equal(world_return(other, kept), STATUS_INVALID_ARGUMENT);

	const struct edit edit = edit_segment_remove(0);
	assert_int_equal(world_edit(world, &edit, 1, &problem), STATUS_OK);
	const uint64_t edited = state_sum(world);
	assert_int_equal(world_return(world, kept), STATUS_FAILED_PRECONDITION);
	assert_true(state_sum(world) == edited);
	/* Kept anew, it is good again; and of another world when it is kept there. */
	assert_int_equal(world_keep(world, kept), STATUS_OK);
	assert_int_equal(world_return(world, kept), STATUS_OK);
	assert_int_equal(world_keep(other, kept), STATUS_OK);
	assert_int_equal(world_return(world, kept), STATUS_INVALID_ARGUMENT);

	while (world_step(other, 1, &report) == STATUS_OK)
		continue;
	assert_int_equal(world_return(other, kept), STATUS_FAILED_PRECONDITION);
	assert_int_equal(world_keep(other, kept), STATUS_FAILED_PRECONDITION);
	/* It outlives its world, and the world's address may be used again. */
	world_destroy(other);
	other = scenario_world(&scenario);
	assert_int_equal(world_return(other, kept), STATUS_INVALID_ARGUMENT);
	world_destroy(other);
	world_destroy(world);
	world_kept_destroy(kept);
	scenario_finish(&scenario);
}

/* Not only the same bits: the same searches, by the same schedule and in the same cells. */
static void
test_ticks_cost_what_they_did(void **state)
{
	(void)state;
	for (int pile = 0; pile < 2; pile++) {
		struct scenario scenario;
		struct world_kept *kept = NULL;
		struct tick_report first[16], report;
		scenario_init(&scenario);
		if (pile)
			scene_pile(&scenario, 64, 8, 0.5, 1, 3);
		else
			scene_gas(&scenario, 400, 4, 3);
		struct world *world = scenario_world(&scenario);
		assert_int_equal(world_kept_create(&kept), STATUS_OK);
		for (int i = 0; i < 200; i++)
			assert_int_equal(world_step(world, 1.0 / 60, &report), STATUS_OK);
		assert_int_equal(world_keep(world, kept), STATUS_OK);
		for (int i = 0; i < 16; i++)
			assert_int_equal(world_step(world, 1.0 / 60, &first[i]), STATUS_OK);
		assert_int_equal(world_return(world, kept), STATUS_OK);
		for (int i = 0; i < 16; i++) {
			assert_int_equal(world_step(world, 1.0 / 60, &report), STATUS_OK);
			assert_int_equal(report.cost.looks, first[i].cost.looks);
			assert_int_equal(report.cost.foreseen, first[i].cost.foreseen);
			assert_int_equal(report.cost.transfers, first[i].cost.transfers);
			assert_int_equal(report.cost.sweeps, first[i].cost.sweeps);
			assert_true(pile || report.cost.looks < 400);
		}
		world_destroy(world);
		world_kept_destroy(kept);
		scenario_finish(&scenario);
	}
}

/* Back over spawns and removals, and on again over the same ones: each of the ten times the same. */
static void
test_over_spawns_and_removals(void **state)
{
	(void)state;
	struct scenario scenario;
	struct world_kept *kept[10];
	uint64_t sums[10];
	struct tick_report report;
	struct def_problem problem;
	scenario_init(&scenario);
	scene_pile(&scenario, 30, 8, 0.5, 0.5, 3);
	scenario.def.sleep_after = 0.1;
	scenario.def.events = WORLD_EVENTS_PERSIST;
	struct world *world = scenario_world(&scenario);
	for (uint32_t i = 0; i < 10; i++) {
		struct circle_def ball = circle_def_default();
		ball.id = 1000 - i;
		ball.x = 1 + i % 7;
		ball.y = 14 + i;
		ball.radius = 0.3;
		const struct edit batch[] = { edit_circle_spawn(&ball), edit_circle_remove(i) };
		assert_int_equal(world_kept_create(&kept[i]), STATUS_OK);
		sums[i] = state_sum(world);
		assert_int_equal(world_keep(world, kept[i]), STATUS_OK);
		assert_int_equal(world_edit(world, batch, i % 3 ? 2 : 1, &problem), STATUS_OK);
		for (int k = 0; k < 40; k++)
			assert_int_equal(world_step(world, 1.0 / 60, &report), STATUS_OK);
	}
	for (uint32_t i = 0; i < 100; i++) {
		const uint32_t k = i * 7 % 10;
		assert_int_equal(world_return(world, kept[k]), STATUS_OK);
		assert_true(state_sum(world) == sums[k]);
		for (uint32_t t = 0; t < i % 3; t++)
			assert_int_equal(world_step(world, 1.0 / 60, &report), STATUS_OK);
	}
	world_destroy(world);
	for (size_t i = 0; i < 10; i++)
		world_kept_destroy(kept[i]);
	scenario_finish(&scenario);
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		schedule_count = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		schedule_first = strtoull(argv[2], NULL, 10);

	const struct CMUnitTest tests[] = { cmocka_unit_test(test_what_is_refused), cmocka_unit_test(test_ticks_cost_what_they_did),
		                                cmocka_unit_test(test_over_spawns_and_removals), cmocka_unit_test(test_schedules_found),
		                                cmocka_unit_test(test_random_schedules) };
	const int failed = cmocka_run_group_tests(tests, NULL, NULL);
	if (failed)
		print_error("the last schedule was that of seed %llu\n", (unsigned long long)schedule_at);
	return failed;
}
