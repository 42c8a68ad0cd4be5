/* bench_workers: one world by one thread, in domains by one thread, and in domains by several, in turns, and whether they
 * agree. Usage: bench_workers CIRCLES RADII_PER_TICK THREADS [TICKS [pretend] [small] [apart]]. Prints the least and the median
 * milliseconds of a tick, and how many times as fast as one thread that is. The latter is of the least, and the median over the
 * ticks of what each made of it. It also prints where the time goes, for each function that the threads run in pieces, in the
 * order in which a tick first comes to them. With `pretend` one thread runs all pieces, one after the other. The tick is taken
 * to last as long as the longest piece of each run and what is between the runs. That is processor time, on as many cores as
 * one likes. With `small` worlds are cut that the engine would leave to one thread. With `apart` there are also as many worlds
 * as threads, each made by one of these, side by side. What they lose to each other is the machine's limit, whatever domains
 * do. */
#include "jobs/pool.h"
#include "physics/partition/partition.h"
#include "physics/scenes.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TICKS_MAX = 1000, TICKS_BEFORE = 2, TICKS_PER_TURN = 5, PHASES_MAX = 12, PIECES_MAX = 64, BESIDE_MAX = 15 };

typedef void piece_fn(void *argument, unsigned index);

/* The runs of one function in all ticks. */
struct phase {
	piece_fn *piece;
	unsigned runs;
	double before_ms, run_ms;     /* between this run and the one before, or the tick's begin; of the runs */
	double longest_ms, pieces_ms; /* of the runs' pieces */
};

/* Threads, or, without a pool, one for all. */
struct timed_workers {
	struct pool *pool;
	unsigned count;
	bool pretend;
	double saved_ms; /* by the pieces that would run side by side, in this tick */
	double since_ms; /* when the last run ended */
	struct phase phases[PHASES_MAX];
	unsigned phase_count;
	double after_ms; /* from the last run to the tick's end */
	piece_fn *piece; /* of the run under way */
	void *argument;
	double took_ms[PIECES_MAX];
};

/* One that makes ticks. */
struct racer {
	const char *name;
	struct world *world;
	struct timed_workers timed;
	struct racer *beside; /* others that make the same ticks in threads of their own */
	unsigned beside_count;
	double ms[TICKS_MAX];
};

/* Ticks that a racer is to make. */
struct turn {
	struct racer *racer;
	unsigned first, end;
	uint64_t events;
	bool good;
};

static double
clock_ms(bool spent)
{
	struct timespec now;
	clock_gettime(spent ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
	return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static int
doubles_compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static unsigned
hands_count(void *context)
{
	return ((struct timed_workers *)context)->count;
}

static void
piece_timed(void *context, unsigned index)
{
	struct timed_workers *timed = context;
	const double begin = clock_ms(timed->pretend);
	timed->piece(timed->argument, index);
	if (index < PIECES_MAX)
		timed->took_ms[index] = clock_ms(timed->pretend) - begin;
}

static struct phase *
phase_of(struct timed_workers *timed, piece_fn *piece)
{
	unsigned k = 0;
	while (k < timed->phase_count && timed->phases[k].piece != piece)
		k++;
	if (k == timed->phase_count && k + 1 < PHASES_MAX)
		timed->phases[timed->phase_count++] = (struct phase){ .piece = piece };
	return &timed->phases[k];
}

static void
hands_run(void *context, unsigned count, piece_fn *piece, void *argument)
{
	struct timed_workers *timed = context;
	struct phase *phase = phase_of(timed, piece);
	const double begin = clock_ms(timed->pretend);
	double longest = 0, all = 0;
	timed->piece = piece;
	timed->argument = argument;
	if (timed->pool)
		pool_share(timed->pool, count, piece_timed, timed);
	for (unsigned i = 0; !timed->pool && i < count; i++)
		piece_timed(timed, i);
	for (unsigned i = 0; i < count && i < PIECES_MAX; i++) {
		longest = timed->took_ms[i] > longest ? timed->took_ms[i] : longest;
		all += timed->took_ms[i];
	}
	phase->runs++;
	phase->before_ms += begin - timed->since_ms;
	timed->since_ms = clock_ms(timed->pretend);
	phase->run_ms += timed->since_ms - begin;
	phase->longest_ms += longest;
	phase->pieces_ms += all;
	timed->saved_ms += timed->pretend ? all - longest : 0;
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

/* Makes some ticks; false: one failed. Adds their events. */
static bool
ticks_run(struct racer *racer, unsigned first, unsigned end, uint64_t *events)
{
	struct timed_workers *timed = &racer->timed;
	for (unsigned tick = first; tick < end; tick++) {
		struct tick_report report;
		const double begin = clock_ms(timed->pretend);
		timed->since_ms = begin;
		timed->saved_ms = 0;
		if (world_step(racer->world, 1.0 / 60, &report) != STATUS_OK)
			return false;
		const double over = clock_ms(timed->pretend);
		timed->after_ms += over - timed->since_ms;
		racer->ms[tick] = over - begin - timed->saved_ms;
		*events += report.events;
	}
	return true;
}

static void *
turn_run(void *argument)
{
	struct turn *turn = argument;
	turn->good = ticks_run(turn->racer, turn->first, turn->end, &turn->events);
	return NULL;
}

/* The same, with those beside it. */
static bool
racer_run(struct racer *racer, unsigned first, unsigned end, uint64_t *events)
{
	struct turn turns[BESIDE_MAX];
	pthread_t threads[BESIDE_MAX];
	unsigned begun = 0;
	bool good = true;
	for (; begun < racer->beside_count && good; begun++) {
		turns[begun] = (struct turn){ &racer->beside[begun], first, end, 0, false };
		good = pthread_create(&threads[begun], NULL, turn_run, &turns[begun]) == 0;
	}
	good = good && ticks_run(racer, first, end, events);
	for (unsigned k = 0; k < begun; k++)
		good = pthread_join(threads[k], NULL) == 0 && turns[k].good && good;
	return good;
}

/* The median over the ticks of how many times as fast one was as another. */
static double
median_ratio(const struct racer *slow, const struct racer *fast, unsigned ticks)
{
	static double ratios[TICKS_MAX];
	for (unsigned t = 0; t < ticks; t++)
		ratios[t] = slow->ms[t] / fast->ms[t];
	qsort(ratios, ticks, sizeof ratios[0], doubles_compare);
	return ratios[ticks / 2];
}

static void
racer_print(struct racer *racer, struct racer *first, unsigned ticks)
{
	const double ratio = median_ratio(first, racer, ticks);
	static double sorted[2][TICKS_MAX];
	for (int k = 0; k < 2; k++) {
		memcpy(sorted[k], k == 0 ? first->ms : racer->ms, ticks * sizeof sorted[k][0]);
		qsort(sorted[k], ticks, sizeof sorted[k][0], doubles_compare);
	}
	printf("%-22s %8.2f (%8.2f) ms  %.2f (%.2f) x\n", racer->name, sorted[1][0], sorted[1][ticks / 2],
	       sorted[0][0] / sorted[1][0], ratio);
}

/* Where the ticks' time went. */
static void
phases_print(const struct timed_workers *timed, unsigned ticks)
{
	double outside = timed->after_ms, all = outside;
	printf("  ms a tick, in the mean:  runs  before them     run  longest  in all\n");
	for (unsigned k = 0; k < timed->phase_count; k++) {
		const struct phase *phase = &timed->phases[k];
		outside += phase->before_ms;
		all += phase->before_ms + phase->run_ms;
		printf("  pieces %u               %6.1f %12.3f %7.3f  %7.3f %7.3f\n", k + 1, (double)phase->runs / ticks,
		       phase->before_ms / ticks, phase->run_ms / ticks, phase->longest_ms / ticks, phase->pieces_ms / ticks);
	}
	printf("  after them %32.3f; outside of pieces %.1f %%\n", timed->after_ms / ticks, 100 * outside / all);
}

static void
timed_reset(struct timed_workers *timed)
{
	memset(timed->phases, 0, sizeof timed->phases);
	timed->phase_count = 0;
	timed->after_ms = 0;
}

/* In turns; false: a tick failed, or states differ. */
static bool
race(struct racer *racers, size_t count, unsigned ticks)
{
	uint64_t events = 0;
	/* The first ones get memory, and look at what a scene begins with. */
	for (size_t k = 0; k < count; k++) {
		if (!racer_run(&racers[k], 0, TICKS_BEFORE, &events))
			return false;
		timed_reset(&racers[k].timed);
	}
	events = 0;
	for (unsigned tick = 0; tick < ticks; tick += TICKS_PER_TURN) {
		const unsigned end = tick + TICKS_PER_TURN < ticks ? tick + TICKS_PER_TURN : ticks;
		for (size_t k = 0; k < count; k++)
			if (!racer_run(&racers[(k + tick) % count], tick, end, &events))
				return false;
		for (size_t k = 1; k < count; k++) {
			if (world_hash(racers[k].world) != world_hash(racers[0].world)) {
				printf("the hashes differ after tick %u\n", end);
				return false;
			}
		}
	}
	printf("%.0f events a tick\n", (double)events / (double)count / ticks);
	return true;
}

static bool
racer_begin(struct racer *racer, const char *name, size_t circles, double speed, unsigned threads)
{
	racer->name = name;
	racer->timed.count = threads;
	return (racer->world = gas_create(circles, speed)) != NULL;
}

static void
racer_lend(struct racer *racer, bool small)
{
	const struct workers workers = { hands_count, hands_run, &racer->timed, small ? 1 : 0, 0 };
	world_workers_set(racer->world, &workers);
}

/* Whether one of the arguments after the numbers is the word. */
static bool
is_asked(int argc, char **argv, const char *word)
{
	for (int k = 5; k < argc; k++)
		if (strcmp(argv[k], word) == 0)
			return true;
	return false;
}

/* A racer that makes its world beside others like it. */
static bool
racer_begin_apart(struct racer *racer, const char *name, size_t circles, double speed, unsigned threads)
{
	static struct racer beside[BESIDE_MAX];
	racer->beside = beside;
	racer->beside_count = threads - 1 < BESIDE_MAX ? threads - 1 : BESIDE_MAX;
	for (unsigned k = 0; k < racer->beside_count; k++)
		if (!racer_begin(&beside[k], name, circles, speed, 1))
			return false;
	return racer_begin(racer, name, circles, speed, 1);
}

int
main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: bench_workers CIRCLES RADII_PER_TICK THREADS [TICKS [pretend] [small] [apart]]\n");
		return 2;
	}
	const size_t circles = strtoul(argv[1], NULL, 10);
	const double speed = strtod(argv[2], NULL);
	const unsigned threads = (unsigned)strtoul(argv[3], NULL, 10);
	const unsigned asked = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 20, ticks = asked > TICKS_MAX ? TICKS_MAX : asked;
	const bool pretend = is_asked(argc, argv, "pretend"), small = is_asked(argc, argv, "small");
	const bool apart = is_asked(argc, argv, "apart") && threads > 1;
	static struct racer racers[4];
	const size_t lent = pretend ? 2 : 3, count = lent + apart;
	char name[64], name_apart[64];
	snprintf(name, sizeof name, "%u threads%s", threads, pretend ? ", pretended" : "");
	snprintf(name_apart, sizeof name_apart, "beside %u such worlds", threads - 1);
	if (!racer_begin(&racers[0], "one thread", circles, speed, 1) ||
	    !racer_begin(&racers[1], pretend ? name : "one thread, strips", circles, speed, threads) ||
	    (!pretend && !racer_begin(&racers[2], name, circles, speed, threads)) ||
	    (apart && !racer_begin_apart(&racers[lent], name_apart, circles, speed, threads)))
		return 1;
	racers[0].timed.pretend = racers[1].timed.pretend = pretend;
	if (!pretend && pool_create_helpers(threads > 1 ? threads - 1 : 1, &racers[2].timed.pool) != STATUS_OK)
		return 1;
	for (size_t k = 1; k < lent; k++)
		racer_lend(&racers[k], small);
	printf("%zu circles, %g radii a tick: least (median), times one thread\n", circles, speed);
	if (!race(racers, count, ticks))
		return 1;
	for (size_t k = 0; k < count; k++) {
		racer_print(&racers[k], &racers[0], ticks);
		if (racers[k].timed.phase_count > 0)
			phases_print(&racers[k].timed, ticks);
	}
	const struct partition_counts counts = partition_counts(racers[1].world);
	printf("in strips %" PRIu64 " ticks, %" PRIu64 " clashes, %.1f %% of the events left to one thread\n", counts.ticks,
	       counts.conflict_count, counts.events > 0 ? 100.0 * (double)counts.left_events / (double)counts.events : 0.0);
	return 0;
}
