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
	struct frame_state *states;
};

static uint64_t
now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
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
	if (!runner->worlds || !runner->states)
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
	for (uint64_t i = 0; i < runner->world_count; i++)
		if (!runner->engine->world_step(runner->worlds[i]))
			return false;
	return true;
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
		const uint64_t before = now_ns();
		good = runner_tick(runner);
		ns[made++] = now_ns() - before;
	}
	if (good) {
		printf("stepped %ld", made);
		for (long i = 0; i < made; i++)
			printf(" %" PRIu64, ns[i]);
		putchar('\n');
	}
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

/* What is wrong, or NULL after an answer. */
static const char *
runner_command(struct runner *runner, const char *line)
{
	char path[LINE_BYTES];
	long ticks;
	double limit_ms;
	if (sscanf(line, "load %4095s", path) == 1)
		return runner_load(runner, path);
	if (!runner->world_count)
		return "nothing is loaded";
	if (sscanf(line, "step %ld %lf", &ticks, &limit_ms) == 2 && ticks >= 0 && ticks <= TICKS_MAX)
		return runner_step(runner, ticks, limit_ms);
	if (sscanf(line, "trace %4095s %ld %lf", path, &ticks, &limit_ms) == 3 && ticks >= 0 && ticks <= TICKS_MAX)
		return runner_trace(runner, path, ticks, limit_ms);
	return "no such command";
}

int
runner_run(const struct bench_engine *engine)
{
	struct runner runner = { .engine = engine };
	char line[LINE_BYTES];
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
