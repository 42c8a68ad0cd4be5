#include "bench/runner.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINE_BYTES = 4096, TICKS_MAX = 1000000 };

struct runner {
	const struct bench_engine *engine;
	struct scene scene;
	void **worlds;
	uint64_t world_count; /* those that were created */
	uint64_t tick;        /* the next one, from 0 */
	struct frame_state *states;
	struct scene_velocity *velocities; /* for edits: of all circles of a world */
};

enum { TICKS_BACK = 8 };

static uint64_t
now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* What is measured is told by this clock; limits are by the one on the wall. */
static clockid_t clock_measured = CLOCK_MONOTONIC;

static uint64_t
measured_ns(void)
{
	struct timespec now;
	clock_gettime(clock_measured, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

double
scene_travel(const struct scene *scene)
{
	double most = 0;
	for (uint64_t i = 0; i < scene->head.worlds; i++)
		for (uint64_t k = 0; k < scene->worlds[i].circle_count; k++)
			most = fmax(most, hypot(scene->worlds[i].circles[k].vx, scene->worlds[i].circles[k].vy));
	return most * scene->head.dt;
}

static void
runner_unload(struct runner *runner)
{
	for (uint64_t i = 0; i < runner->world_count; i++)
		runner->engine->world_destroy(runner->worlds[i]);
	free(runner->worlds);
	free(runner->states);
	free(runner->velocities);
	scene_finish(&runner->scene);
	*runner = (struct runner){ .engine = runner->engine };
}

static const char *
runner_load(struct runner *runner, const char *path)
{
	const char *problem;
	runner_unload(runner);
	if (!scene_read(path, &runner->scene, &problem))
		return problem;
	const uint64_t circles = scene_circle_count(&runner->scene);
	runner->worlds = calloc(runner->scene.head.worlds + 1, sizeof *runner->worlds);
	runner->states = malloc(circles * sizeof *runner->states + 1);
	runner->velocities = malloc(circles * sizeof *runner->velocities + 1);
	if (!runner->worlds || !runner->states || !runner->velocities)
		return "no memory";
	const char *note = runner->engine->scene_note ? runner->engine->scene_note(&runner->scene) : NULL;
	if (note)
		printf("note %s\n", note);
	const uint64_t begin = now_ns();
	while (runner->world_count < runner->scene.head.worlds) {
		void *world = runner->engine->world_create(&runner->scene, &runner->scene.worlds[runner->world_count]);
		if (!world)
			return "the engine refused the scene";
		runner->worlds[runner->world_count++] = world;
	}
	printf("loaded %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", runner->world_count, circles, now_ns() - begin);
	return NULL;
}

/* One tick of all worlds. */
static bool
runner_tick(struct runner *runner)
{
	const struct scene_velocity *velocities = scene_steered(&runner->scene, runner->tick++);
	for (uint64_t i = 0; i < runner->world_count; i++) {
		if (velocities && !runner->engine->world_steer(runner->worlds[i], velocities, runner->scene.steering.count))
			return false;
		if (!runner->engine->world_step(runner->worlds[i]))
			return false;
	}
	return true;
}

static bool
runner_ticks(struct runner *runner, int count)
{
	for (int i = 0; i < count; i++)
		if (!runner_tick(runner))
			return false;
	return true;
}

static bool
runner_each(struct runner *runner, bool (*work)(void *world))
{
	for (uint64_t i = 0; i < runner->world_count; i++)
		if (!work(runner->worlds[i]))
			return false;
	return true;
}

static void
times_print(const char *answer, const uint64_t *ns, long count)
{
	printf("%s %ld", answer, count);
	for (long i = 0; i < count; i++)
		printf(" %" PRIu64, ns[i]);
	putchar('\n');
}

static const char *
runner_step(struct runner *runner, long ticks, double limit_ms)
{
	uint64_t *ns = malloc((size_t)ticks * sizeof *ns + 1);
	if (!ns)
		return "no memory";
	const uint64_t begin = now_ns();
	long made = 0;
	bool good = true;
	while (good && made < ticks && (double)(now_ns() - begin) < 1e6 * limit_ms) {
		const uint64_t before = measured_ns();
		good = runner_tick(runner);
		ns[made++] = measured_ns() - before;
	}
	if (good)
		times_print("stepped", ns, made);
	free(ns);
	return good ? NULL : "the engine failed in a tick";
}

static bool
runner_frame(struct runner *runner, FILE *file)
{
	struct frame_state *next = runner->states;
	for (uint64_t i = 0; i < runner->world_count; i++) {
		runner->engine->world_states(runner->worlds[i], next);
		next += runner->scene.worlds[i].circle_count;
	}
	const size_t count = (size_t)(next - runner->states);
	return fwrite(runner->states, sizeof *runner->states, count, file) == count;
}

static const char *
runner_trace(struct runner *runner, const char *path, long ticks, double limit_ms)
{
	FILE *file = fopen(path, "wb");
	if (!file)
		return "cannot write the trace";
	const uint64_t begin = now_ns();
	bool written = runner_frame(runner, file), good = true;
	long made = 0;
	while (good && written && made < ticks && (double)(now_ns() - begin) < 1e6 * limit_ms) {
		good = runner_tick(runner);
		written = good && runner_frame(runner, file);
		made++;
	}
	written = fclose(file) == 0 && written;
	if (!good)
		return "the engine failed in a tick";
	if (!written)
		return "cannot write the trace";
	printf("traced %ld\n", made);
	return NULL;
}

/* --- work beside ticks: begin and what is timed; false: failed --- */

static bool
begin_tick(struct runner *runner)
{
	return runner_tick(runner);
}

static bool
time_snapshot(struct runner *runner)
{
	return runner_each(runner, runner->engine->world_snapshot);
}

/* A snapshot of the state, and another state. */
static bool
begin_restore(struct runner *runner)
{
	return time_snapshot(runner) && runner_tick(runner);
}

static bool
time_restore(struct runner *runner)
{
	return runner_each(runner, runner->engine->world_restore);
}

static bool
time_keep(struct runner *runner)
{
	return runner_each(runner, runner->engine->world_keep);
}

static bool
begin_return(struct runner *runner)
{
	return time_keep(runner) && runner_ticks(runner, TICKS_BACK);
}

static bool
time_return(struct runner *runner)
{
	runner->tick -= TICKS_BACK;
	return runner_each(runner, runner->engine->world_return);
}

static bool
time_eight(struct runner *runner)
{
	return time_return(runner) && runner_ticks(runner, TICKS_BACK);
}

/* All circles back where they came from. */
static bool
begin_edit(struct runner *runner)
{
	if (!runner_tick(runner))
		return false;
	runner->engine->world_states(runner->worlds[0], runner->states);
	for (uint64_t i = 0; i < runner->scene.worlds[0].circle_count; i++)
		runner->velocities[i] = (struct scene_velocity){ -runner->states[i].vx, -runner->states[i].vy };
	return true;
}

/* Of the scene's first world. */
static bool
time_edit(struct runner *runner)
{
	return runner->engine->world_steer(runner->worlds[0], runner->velocities, runner->scene.worlds[0].circle_count);
}

/* Players' inputs; as much back with the next. */
#define ADD_CIRCLES 16

static bool
begin_add(struct runner *runner)
{
	const double push = runner->tick % 2 ? 1e-3 : -1e-3;
	if (!runner_tick(runner) || runner->scene.worlds[0].circle_count < ADD_CIRCLES)
		return false;
	for (uint64_t i = 0; i < ADD_CIRCLES; i++)
		runner->velocities[i] = (struct scene_velocity){ push, -push };
	return true;
}

/* As edit, of the first world. */
static bool
time_add(struct runner *runner)
{
	return runner->engine->world_add(runner->worlds[0], runner->velocities, ADD_CIRCLES);
}

static bool
time_switch(struct runner *runner)
{
	return runner->engine->world_switch(runner->worlds[0], runner->tick % 2 == 0);
}

static bool
begin_nothing(struct runner *runner)
{
	return runner->world_count > 0;
}

static bool
time_create(struct runner *runner)
{
	for (uint64_t i = 0; i < runner->world_count; i++) {
		void *world = runner->engine->world_create(&runner->scene, &runner->scene.worlds[i]);
		if (!world)
			return false;
		runner->engine->world_destroy(world);
	}
	return true;
}

struct work {
	const char *name;
	bool (*begin)(struct runner *runner);
	bool (*time)(struct runner *runner);
	bool there; /* the engine can */
};

static const char *
runner_work(struct runner *runner, const char *name, long count, double limit_ms)
{
	const struct bench_engine *engine = runner->engine;
	const bool snapshots = engine->world_snapshot && engine->world_restore, keeps = engine->world_keep && engine->world_return;
	const struct work works[] = {
		{ "snapshot", begin_tick, time_snapshot, snapshots },
		{ "restore", begin_restore, time_restore, snapshots },
		{ "keep", begin_tick, time_keep, keeps },
		{ "return", begin_return, time_return, keeps },
		{ "eight", begin_return, time_eight, keeps },
		{ "edit", begin_edit, time_edit, true },
		{ "add", begin_add, time_add, engine->world_add != NULL },
		{ "switch", begin_tick, time_switch, engine->world_switch != NULL },
		{ "create", begin_nothing, time_create, true },
	};
	const struct work *work = NULL;
	for (size_t i = 0; i < sizeof works / sizeof works[0]; i++)
		if (strcmp(works[i].name, name) == 0)
			work = &works[i];
	if (!work)
		return "no such work";
	if (!work->there)
		return "it has no such thing";
	const uint64_t parts = work->time == time_edit ? runner->scene.worlds[0].circle_count : 1;
	uint64_t *ns = malloc((size_t)count * sizeof *ns + 1);
	if (!ns)
		return "no memory";
	const uint64_t begin = now_ns();
	long made = 0;
	bool good = true;
	while (good && made < count && (double)(now_ns() - begin) < 1e6 * limit_ms) {
		good = work->begin(runner);
		const uint64_t before = measured_ns();
		good = good && work->time(runner);
		ns[made++] = (measured_ns() - before) / parts;
	}
	if (good)
		times_print("worked", ns, made);
	free(ns);
	return good ? NULL : "the engine failed";
}

/* What is wrong, or NULL after an answer. */
static const char *
runner_command(struct runner *runner, const char *line)
{
	char path[LINE_BYTES], name[16];
	long ticks;
	double limit_ms;
	if (sscanf(line, "load %4095[^\n]", path) == 1)
		return runner_load(runner, path);
	if (!runner->world_count)
		return "nothing is loaded";
	if (sscanf(line, "step %ld %lf", &ticks, &limit_ms) == 2 && ticks >= 0 && ticks <= TICKS_MAX)
		return runner_step(runner, ticks, limit_ms);
	if (sscanf(line, "trace %ld %lf %4095[^\n]", &ticks, &limit_ms, path) == 3 && ticks >= 0 && ticks <= TICKS_MAX)
		return runner_trace(runner, path, ticks, limit_ms);
	if (sscanf(line, "work %15s %ld %lf", name, &ticks, &limit_ms) == 3 && ticks >= 0 && ticks <= TICKS_MAX)
		return runner_work(runner, name, ticks, limit_ms);
	return "no such command";
}

int
runner_run(const struct bench_engine *engine)
{
	struct runner runner = { .engine = engine };
	char line[LINE_BYTES];
	const char *clock = getenv("COLLIDED_BENCH_CLOCK");
	if (clock && strcmp(clock, "thread") == 0)
		clock_measured = CLOCK_THREAD_CPUTIME_ID;
	printf("runner %s %s\n", engine->name, engine->version);
	for (const char *const *setting = engine->settings; *setting; setting++)
		printf("setting %s\n", *setting);
	printf("ready\n");
	(void)fflush(stdout);
	while (fgets(line, sizeof line, stdin)) {
		line[strcspn(line, "\n")] = '\0';
		const char *problem = runner_command(&runner, line);
		if (problem) {
			runner_unload(&runner);
			printf("error %s\n", problem);
		}
		(void)fflush(stdout);
	}
	runner_unload(&runner);
	return 0;
}
