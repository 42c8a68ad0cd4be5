/* engine_alone: what a Simulate costs without the service: making the world and stepping it, in this process, on one thread.
 * Not a test: `./dev bench service` divides by it.
 *
 * Usage: engine_alone SCENE.json TICKS REPETITIONS. Prints the milliseconds of each repetition, one a line. */
#include "base/arena.h"
#include "client/cli/scene/scene_json.h"
#include "scene/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double
now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* false: the scene is refused, or a tick failed. */
static bool
simulate_once(const Collide__V1__Scene *scene, long ticks, double *ms)
{
	const struct scene_limits limits = scene_limits_default();
	struct wire_problem problem;
	struct tick_report report;
	struct world *world = NULL;
	struct arena arena;
	arena_init(&arena, limits.memory_bytes_max);
	double start = now_ms();
	bool good = scene_world_create(&arena, scene, &limits, "scene", &world, &problem) == STATUS_OK;
	for (long tick = 0; good && tick < ticks; tick++)
		good = world_step(world, 1.0 / 60, &report) == STATUS_OK;
	*ms = now_ms() - start;
	world_destroy(world);
	arena_finish(&arena);
	return good;
}

int
main(int argc, char **argv)
{
	Collide__V1__Scene *scene = NULL;
	char error[300];
	double ms;
	if (argc != 4 || !scene_json_load(argv[1], &scene, error, sizeof error)) {
		fprintf(stderr, "engine_alone: %s\n", argc == 4 ? error : "usage: engine_alone SCENE.json TICKS REPETITIONS");
		return 2;
	}
	for (long i = 0; i < strtol(argv[3], NULL, 10); i++) {
		if (!simulate_once(scene, strtol(argv[2], NULL, 10), &ms)) {
			fprintf(stderr, "engine_alone: the scene is refused, or a tick failed\n");
			return 1;
		}
		printf("%.6f\n", ms);
	}
	scene_json_free(scene);
	return 0;
}
