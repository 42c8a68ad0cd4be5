/* bench_crew: one world by one thread and by several, in turns, and whether they agree. Usage: bench_crew CIRCLES
 * RADII_PER_TICK THREADS [TICKS [pretend]]. Prints the least and the median milliseconds of a tick. With `pretend` one thread
 * runs all pieces, one after the other, and the tick is taken to last as long as the longest piece of each run and what is
 * between the runs: processor time, on as many cores as one likes. */
#include "jobs/pool.h"
#include "physics/scenes.h"
#include "physics/strips.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TICKS_MAX = 1000, TICKS_BEFORE = 2 };

static double
now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static int
doubles_compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Threads, or, without a pool, one that pretends to be `count` and takes the time of each piece. */
struct hands {
	struct pool *pool;
	unsigned count;
	double longest_ms, pieces_ms;
};

static double
spent_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static unsigned
hands_count(void *context)
{
	return ((struct hands *)context)->count;
}

static void
hands_run(void *context, unsigned count, void (*piece)(void *argument, unsigned index), void *argument)
{
	struct hands *hands = context;
	if (hands->pool) {
		pool_share(hands->pool, count, piece, argument);
		return;
	}
	double longest = 0, all = 0;
	for (unsigned i = 0; i < count; i++) {
		const double begin = spent_ms();
		piece(argument, i);
		const double took = spent_ms() - begin;
		longest = took > longest ? took : longest;
		all += took;
	}
	hands->longest_ms += longest;
	hands->pieces_ms += all;
}

static struct world *
gas_create(size_t count, double radii_per_tick)
{
	struct scenario scenario;
	struct def_problem problem;
	struct world *world = NULL;
	scenario_init(&scenario);
	scene_gas(&scenario, count, radii_per_tick * 0.5 * 60, 1);
	if (world_create(scenario_def(&scenario), &problem, &world) != STATUS_OK)
		world = NULL;
	scenario_finish(&scenario);
	return world;
}

/* Says what a tick of two took: one thread's, and that of the crew. */
static void
figures_print(size_t circles, double speed, unsigned threads, double (*ms)[TICKS_MAX], unsigned ticks)
{
	for (int w = 0; w < 2; w++)
		qsort(ms[w], ticks, sizeof ms[w][0], doubles_compare);
	printf("%zu circles, %g radii: 1 thread %.2f (%.2f) ms, %u threads %.2f (%.2f) ms: %.2f (%.2f) x\n", circles, speed,
	       ms[0][0], ms[0][ticks / 2], threads, ms[1][0], ms[1][ticks / 2], ms[0][0] / ms[1][0],
	       ms[0][ticks / 2] / ms[1][ticks / 2]);
}

int
main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: bench_crew CIRCLES RADII_PER_TICK THREADS [TICKS [pretend]]\n");
		return 2;
	}
	const size_t circles = strtoul(argv[1], NULL, 10);
	const double speed = strtod(argv[2], NULL);
	const unsigned threads = (unsigned)strtoul(argv[3], NULL, 10);
	const unsigned asked = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 20, ticks = asked > TICKS_MAX ? TICKS_MAX : asked;
	const bool pretend = argc > 5;
	struct hands hands = { .count = threads };
	const struct crew crew = { hands_count, hands_run, &hands, 0, 0 };
	struct world *worlds[2] = { gas_create(circles, speed), gas_create(circles, speed) };
	static double ms[2][TICKS_MAX];
	uint64_t events = 0;
	bool good = worlds[0] && worlds[1] &&
	            (pretend || pool_create_helpers(threads > 1 ? threads - 1 : 1, &hands.pool) == STATUS_OK);
	if (good)
		world_crew_set(worlds[1], &crew);
	double pieces_ms = 0, all_ms = 0;
	/* The first ones get memory, and look at what a scene begins with. */
	for (unsigned tick = 0; good && tick < 2 * TICKS_BEFORE; tick++) {
		struct tick_report report;
		good = world_step(worlds[tick % 2], 1.0 / 60, &report) == STATUS_OK;
	}
	for (unsigned tick = 0; good && tick < ticks; tick++) {
		for (int w = 0; good && w < 2; w++) {
			struct tick_report report;
			const double begin = pretend ? spent_ms() : now_ms();
			hands.longest_ms = hands.pieces_ms = 0;
			good = world_step(worlds[w], 1.0 / 60, &report) == STATUS_OK;
			const double took = (pretend ? spent_ms() : now_ms()) - begin;
			ms[w][tick] = took - hands.pieces_ms + hands.longest_ms;
			events += w == 0 ? report.events : 0;
			pieces_ms += w == 1 ? hands.pieces_ms : 0;
			all_ms += w == 1 ? took : 0;
		}
		if (good && world_hash(worlds[0]) != world_hash(worlds[1])) {
			printf("the hashes differ after tick %u\n", tick + 1);
			good = false;
		}
	}
	if (!good)
		return 1;
	const struct strips_counts counts = strips_counts(worlds[1]);
	figures_print(circles, speed, threads, ms, ticks);
	printf("%.0f events a tick; in strips %" PRIu64 " ticks, %" PRIu64 " clashes, %.1f %% of the events left to one thread\n",
	       (double)events / ticks, counts.ticks, counts.clashes,
	       counts.events > 0 ? 100.0 * (double)counts.left_events / (double)counts.events : 0.0);
	if (pretend)
		printf("outside of pieces: %.1f %%\n", 100 * (1 - pieces_ms / all_ms));
	return 0;
}
