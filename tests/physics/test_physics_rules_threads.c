/* Contact rules with threads: bullets through a crowd, in one tick and over many, by 1, 2 and 8 threads. Definitions are
 * shuffled, and worlds are restored in the middle. All say the same, bit by bit. argv[1]: how many crowds (default 4). */
#include "jobs/pool.h"
#include "physics/followers.h"
#include "physics/scenario.h"
#include "support/effort.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CROWD 1000u
#define BULLETS 60u
#define TICKS 40
#define THREADS 3u

static uint64_t crowds_asked;
static const unsigned thread_counts[THREADS] = { 1, 2, 8 };

/* Threads lent to a world: the caller's own is one of them. */
struct lent {
	struct pool *pool;
	unsigned count;
};

static unsigned
lent_count(void *context)
{
	return ((const struct lent *)context)->count;
}

static void
lent_run(void *context, unsigned count, void (*piece)(void *argument, unsigned index), void *argument)
{
	const struct lent *lent = context;

	if (lent->pool) {
		pool_share(lent->pool, count, piece, argument);
		return;
	}
	for (unsigned i = 0; i < count; i++)
		piece(argument, i);
}

static void
threads_lend(struct world *world, struct lent *lent)
{
	world_workers_set(
		world, &(struct workers){ .count = lent_count, .run = lent_run, .context = lent, .bodies_min = 1, .rows_min = 8 });
}

/* Its owner is in the crowd, and it leaves from within. */
static void
bullet_add(struct scenario *scenario, uint64_t *random, bool told)
{
	static const double speeds[] = { 20, 200, 2000 };
	const struct circle_def owner = scenario->circles[random_below(random, CROWD)];
	const double angle = random_between(random, 0, 6.28), speed = speeds[random_below(random, 3)];
	struct circle_def *bullet = scenario_circle(scenario, owner.x, owner.y, owner.vx + speed * cos(angle),
	                                            owner.vy + speed * sin(angle), 0.05);

	bullet->mass = 0.02;
	bullet->group = 1;
	bullet->remove_groups = 1;
	bullet->stop_groups = random_below(random, 4) == 0 ? 2 : 0;
	bullet->report_groups = told && random_below(random, 4) == 0 ? 4 : 0;
	bullet->ignore = random_below(random, 5) > 0 ? IGNORE_UNTIL_APART : IGNORE_ALWAYS;
	bullet->ignored_circle = owner.id;
	bullet->lifetime_s = random_below(random, 2) ? random_between(random, 0, TICKS / 60.0) : 0;
	bullet->tag = random_bits(random);
}

/* `told`: with events, paths and sensors. Such ticks are not made in domains. */
static void
crowd_make(struct scenario *scenario, uint64_t seed)
{
	uint64_t random = seed;
	const bool told = seed % 2 == 0;

	scenario_init(scenario);
	for (unsigned k = 0; k < CROWD; k++) {
		struct circle_def *c = scenario_circle(scenario, k % 40 + random_between(&random, -0.2, 0.2),
		                                       k / 40 + random_between(&random, -0.2, 0.2), random_between(&random, -3, 3),
		                                       random_between(&random, -3, 3), random_between(&random, 0.1, 0.25));

		c->mass = random_between(&random, 0.5, 4);
		c->group = random_below(&random, 10) == 0 ? 2 : 0;
		c->stop_groups = random_below(&random, 10) == 0 ? 6 : 0;
		c->lifetime_ticks = random_below(&random, 20) == 0 ? 1 + (uint32_t)random_below(&random, TICKS) : 0;
	}
	for (unsigned k = 0; k < BULLETS; k++)
		bullet_add(scenario, &random, told);
	scenario_box(scenario, -3, -3, 43, 28);
	scenario->def.events = told ? WORLD_EVENTS_TOUCH | WORLD_EVENTS_PATHS : 0;
	scenario->def.has_bounds = true;
	scenario->def.bounds_x_min = scenario->def.bounds_y_min = -2.5;
	scenario->def.bounds_x_max = scenario->def.bounds_y_max = 42.5;
}

static void
shuffle(struct scenario *scenario, uint64_t seed)
{
	uint64_t random = seed;

	for (size_t i = scenario->circle_count; i > 1; i--) {
		const size_t j = random_below(&random, i);
		const struct circle_def other = scenario->circles[j];

		scenario->circles[j] = scenario->circles[i - 1];
		scenario->circles[i - 1] = other;
	}
}

static struct world *
world_make(struct scenario *scenario)
{
	struct world *world = NULL;
	struct def_problem problem;

	assert_int_equal(world_create(scenario_def(scenario), &problem, &world), STATUS_OK);
	return world;
}

static void
world_renew(struct world **world, struct lent *lent)
{
	struct snapshot snapshot = snapshot_take(*world);
	struct world *restored = snapshot_restored(&snapshot);

	world_destroy(*world);
	free(snapshot.bytes);
	*world = restored;
	threads_lend(restored, lent);
}

/* What the ticks came to. */
struct seen {
	uint64_t ends[3], stops, enters, partitioned;
};

static void
report_count(struct seen *seen, const struct tick_report *report)
{
	for (size_t k = 0; k < report->end_count; k++)
		seen->ends[report->ends[k].reason]++;
	for (size_t k = 0; k < report->path_change_count; k++)
		seen->stops += report->path_changes[k].kind == PATH_STOPPED;
	for (size_t k = 0; k < report->pair_event_count; k++)
		seen->enters += report->pair_events[k].kind == PAIR_EVENT_ENTER;
}

/* The first world has no threads. Of the others one is restored in each of the ticks. */
static void
crowd_run(uint64_t seed, struct lent *lent, struct seen *seen)
{
	struct scenario scenario;
	struct world *serial, *worlds[THREADS];

	crowd_make(&scenario, seed);
	serial = world_make(&scenario);
	for (size_t w = 0; w < THREADS; w++) {
		shuffle(&scenario, seed + w);
		worlds[w] = world_make(&scenario);
		threads_lend(worlds[w], &lent[w]);
	}
	for (int tick = 0; tick < TICKS; tick++) {
		struct tick_report one, other;

		world_renew(&worlds[(unsigned)tick % THREADS], &lent[(unsigned)tick % THREADS]);
		assert_int_equal(world_step(serial, 1.0 / 60, &one), STATUS_OK);
		report_count(seen, &one);
		for (size_t w = 0; w < THREADS; w++) {
			assert_int_equal(world_step(worlds[w], 1.0 / 60, &other), STATUS_OK);
			reports_same(&one, &other);
			assert_true(world_hash(serial) == world_hash(worlds[w]));
			seen->partitioned += thread_counts[w] > 1 && other.cost.partition;
		}
	}
	for (size_t w = 0; w < THREADS; w++)
		world_destroy(worlds[w]);
	world_destroy(serial);
	scenario_finish(&scenario);
}

static void
test_bullets_by_threads(void **state)
{
	struct lent lent[THREADS];
	struct seen seen = { 0 };
	const uint64_t crowds = crowds_asked > 0 ? crowds_asked : effort(4, 10);

	(void)state;
	for (size_t w = 0; w < THREADS; w++) {
		lent[w] = (struct lent){ NULL, thread_counts[w] };
		if (thread_counts[w] > 1)
			assert_int_equal(pool_create_helpers(thread_counts[w] - 1, &lent[w].pool), STATUS_OK);
	}
	for (uint64_t seed = 1; seed <= crowds; seed++)
		crowd_run(seed, lent, &seen);
	print_message("ends %d by contact, %d by lifetime, %d by bounds; %d stops, %d enters, %d ticks by threads\n",
	              (int)seen.ends[0], (int)seen.ends[1], (int)seen.ends[2], (int)seen.stops, (int)seen.enters,
	              (int)seen.partitioned);
	assert_true(seen.ends[END_CONTACT] > 20 * crowds && seen.ends[END_LIFETIME] > 20 * crowds && seen.stops > 10 * crowds);
	assert_true(seen.ends[END_BOUNDS] > 0 && seen.enters > 0 && seen.partitioned > TICKS * crowds / 3);
	for (size_t w = 0; w < THREADS; w++) {
		if (lent[w].pool)
			assert_true(pool_stop(lent[w].pool, 10000));
		pool_destroy(lent[w].pool, NULL);
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_bullets_by_threads) };

	if (argc > 1)
		crowds_asked = strtoull(argv[1], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
