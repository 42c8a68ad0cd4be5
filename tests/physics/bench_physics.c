/* bench_physics: milliseconds per tick and events per second of the engine alone, one thread, on the scenes of the peers'
 * table (README). Usage: bench_physics [seconds per scene, default 5 [beginning of the names of the
 * scenes to run]]. */
#include "physics/scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double dt = 1.0 / 60;

/* Ticks of one scene at most: enough for a median. */
enum { TICKS_MAX = 2000 };

static double
now_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int
doubles_compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Of the last scene: medians' tick, events per tick, and time per event. */
static double measured_ms, measured_events, measured_event_us;

/* The engines of the table lose energy or bodies and then have cheaper ticks; this one must not, so all ticks count. */
static bool
scene_measure(const char *name, struct scenario *scenario, size_t ticks_before, size_t ticks_max, double seconds)
{
	struct def_problem problem;
	struct world *world;
	const double built_at = now_seconds();
	if (world_create(scenario_def(scenario), &problem, &world) != STATUS_OK)
		return false;
	const double build_ms = 1e3 * (now_seconds() - built_at);
	for (size_t i = 0; i < ticks_before; i++) {
		struct tick_report report;
		if (world_step(world, dt, &report) != STATUS_OK)
			return false;
	}
	static double ms[TICKS_MAX];
	size_t ticks = 0;
	uint64_t events = 0, shortfalls = 0;
	double total = 0, kinetic_first = 0, kinetic_last = 0;
	bool good = true;
	while (good && ticks < ticks_max && (total < seconds || ticks == 0)) {
		struct tick_report report;
		const double begin = now_seconds();
		good = world_step(world, dt, &report) == STATUS_OK;
		const double took = now_seconds() - begin;
		if (!good)
			break;
		ms[ticks++] = 1e3 * took;
		total += took;
		events += report.events;
		shortfalls += report.shortfall_count;
		if (ticks == 1)
			kinetic_first = report.energy.kinetic_before;
		kinetic_last = report.energy.kinetic_after;
	}
	if (good) {
		qsort(ms, ticks, sizeof *ms, doubles_compare);
		printf("%-22s %9.3f %9.3f %9.3f %7zu %12.0f %10.1e %6llu %8.1f %8.1f\n", name, ms[ticks / 2], ms[ticks * 99 / 100],
		       ms[0], ticks, (double)events / total, kinetic_first > 0 ? kinetic_last / kinetic_first - 1 : 0,
		       (unsigned long long)shortfalls, build_ms, (double)world_memory_bytes(world) / 1048576);
		fflush(stdout);
		measured_ms = ms[ticks / 2];
		measured_events = (double)events / (double)ticks;
		measured_event_us = events > 0 ? 1e6 * total / (double)events : 0;
	}
	world_destroy(world);
	return good;
}

/* Radii 1 : ratio; mixed ones have the same count, box, area fraction and speed. */
static bool
gas_measure(const char *name, size_t count, double ratio, double radii_per_tick, double seconds)
{
	struct scenario scenario;
	scenario_init(&scenario);
	if (ratio > 1)
		scene_gas_mixed(&scenario, count, ratio, radii_per_tick * 0.5 / dt, 1);
	else
		scene_gas(&scenario, count, radii_per_tick * 0.5 / dt, 1);
	const bool good = scene_measure(name, &scenario, 0, TICKS_MAX, seconds);
	scenario_finish(&scenario);
	return good;
}

static bool
bullets_measure(const char *name, double speed, double seconds)
{
	struct scenario scenario;
	scenario_init(&scenario);
	scene_bullets(&scenario, speed, 1);
	const bool good = scene_measure(name, &scenario, 0, TICKS_MAX, seconds);
	scenario_finish(&scenario);
	return good;
}

/* Settled: from the tick on at which it has been at rest, or all asleep, for long. */
static bool
pile_measure(const char *name, size_t count, double ratio, double sleep_after, double seconds)
{
	struct scenario scenario;
	scenario_init(&scenario);
	scene_pile(&scenario, count, 60, 0.5, 1 / ratio, 1);
	scenario.def.sleep_after = sleep_after;
	const bool good = scene_measure(name, &scenario, (sleep_after > 0 ? 30 : 15) * 60, TICKS_MAX, seconds);
	scenario_finish(&scenario);
	return good;
}

/* The slow gas of `count` and one circle more, of 500 units per tick. It flies in an empty lane beside it, or, for as long as
 * its energy is its own, through it. */
static bool
fast_measure(const char *name, size_t count, bool through, double seconds)
{
	struct scenario scenario;
	scenario_init(&scenario);
	const double side = scene_gas(&scenario, count, 0.1 * 0.5 / dt, 1), lane = 4;
	if (!through)
		scenario_box(&scenario, side, 0, side + lane, side);
	struct circle_def *fast = scenario_circle(&scenario, side + lane / 2, side / 2, 0, 500 / dt, 0.5);
	if (through) {
		/* In the place of the gas's first, which it is larger than by its speed only. */
		const struct circle_def first = scenario.circles[0];
		fast->x = first.x;
		fast->y = first.y;
		fast->vx = 300 / dt;
		fast->vy = 400 / dt;
		scenario.circles[0] = *fast;
		scenario.circles[0].id = first.id;
		scenario.circle_count--;
	}
	const bool good = scene_measure(name, &scenario, 0, through ? 3 : TICKS_MAX, seconds);
	scenario_finish(&scenario);
	return good;
}

/* What a row measures: the scene, and its number that is not the count. */
struct row {
	const char *name;
	enum { ROW_GAS, ROW_LANE, ROW_THROUGH, ROW_BULLETS, ROW_PILE, ROW_ASLEEP } kind;
	size_t count;
	double speed; /* gas: radii per tick; bullets: units per second */
	double ratio; /* of the largest radius to the smallest; above 1 compared to the row of equal ones before */
};

static const struct row rows[] = {
	{ "gas A 1k", ROW_GAS, 1000, 0.1, 1 },
	{ "gas A 1k, 1 : 10", ROW_GAS, 1000, 0.1, 10 },
	{ "gas A 10k", ROW_GAS, 10000, 0.1, 1 },
	{ "gas A 10k, 1 : 10", ROW_GAS, 10000, 0.1, 10 },
	{ "gas A 10k, 1 : 100", ROW_GAS, 10000, 0.1, 100 },
	{ "gas A 10k, fast, lane", ROW_LANE, 10000, 0, 1 },
	{ "gas A 10k, fast, thru", ROW_THROUGH, 10000, 0, 1 },
	{ "gas A 100k", ROW_GAS, 100000, 0.1, 1 },
	{ "gas A 100k, 1 : 10", ROW_GAS, 100000, 0.1, 10 },
	{ "gas B 1k", ROW_GAS, 1000, 2, 1 },
	{ "gas B 10k", ROW_GAS, 10000, 2, 1 },
	{ "gas B 10k, 1 : 10", ROW_GAS, 10000, 2, 10 },
	{ "gas B 100k", ROW_GAS, 100000, 2, 1 },
	{ "bullets 20", ROW_BULLETS, 0, 20, 1 },
	{ "bullets 200", ROW_BULLETS, 0, 200, 1 },
	{ "bullets 2000", ROW_BULLETS, 0, 2000, 1 },
	{ "pile 1k at rest", ROW_PILE, 1000, 0, 1 },
	{ "pile 1k, 1 : 10", ROW_PILE, 1000, 0, 10 },
	{ "pile 5k at rest", ROW_PILE, 5000, 0, 1 },
	{ "pile 5k asleep", ROW_ASLEEP, 5000, 0, 1 },
};

static bool
row_measure(const struct row *row, double seconds)
{
	switch (row->kind) {
	case ROW_GAS: return gas_measure(row->name, row->count, row->ratio, row->speed, seconds);
	case ROW_LANE:
	case ROW_THROUGH: return fast_measure(row->name, row->count, row->kind == ROW_THROUGH, seconds);
	case ROW_BULLETS: return bullets_measure(row->name, row->speed, seconds);
	default: return pile_measure(row->name, row->count, row->ratio, row->kind == ROW_ASLEEP ? 0.5 : 0, seconds);
	}
}

/* The last row of equal radii without a fast one. */
struct reference {
	double ms, events, event_us;
};

static void
row_compare(const struct row *row, struct reference *reference)
{
	const bool fast = row->kind == ROW_LANE || row->kind == ROW_THROUGH;
	if (row->ratio <= 1 && !fast) {
		*reference = (struct reference){ measured_ms, measured_events, measured_event_us };
	} else if (fast && reference->ms > 0 && reference->event_us > 0) {
		printf("%-22s %9.2f x the tick without the fast one, %.2f x the time of an event\n", "", measured_ms / reference->ms,
		       measured_event_us / reference->event_us);
	} else if (reference->ms > 0) {
		printf("%-22s %9.2f x the row of equal radii, %.2f x its events\n", "", measured_ms / reference->ms,
		       reference->events > 0 ? measured_events / reference->events : 0);
	}
}

int
main(int argc, char **argv)
{
	const double seconds = argc > 1 ? strtod(argv[1], NULL) : 5;
	const char *prefix = argc > 2 ? argv[2] : "";
	if (seconds <= 0 || argc > 3) {
		fprintf(stderr, "usage: bench_physics [seconds per scene [beginning of the scenes' names]]\n");
		return 2;
	}
	printf("%-22s %9s %9s %9s %7s %12s %10s %6s %8s %8s\n", "scene", "ms/tick", "p99", "least", "ticks", "events/s", "energy",
	       "flags", "build ms", "MiB");
	struct reference reference = { 0 };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (strncmp(rows[i].name, prefix, strlen(prefix)) != 0)
			continue;
		if (!row_measure(&rows[i], seconds)) {
			fprintf(stderr, "bench_physics: the engine refused a scene or failed\n");
			return 1;
		}
		row_compare(&rows[i], &reference);
	}
	return 0;
}
