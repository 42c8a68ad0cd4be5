/* bench_encoders: what a reader costs a world's ticks, by kind of stream: thread time of ticks of worlds with the same scene,
 * in turns, and the bytes of updates. Not a test; figures hold for the machine and the moment.
 *
 * Usage: bench_encoders [CIRCLES [EVERY]]: 64 circles, an update at every third tick. */
#include "base/clock.h"
#include "worlds/stage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { STREAMS = 4, ROUNDS = 200, TICKS = 60 };
static const char *const names[STREAMS] = { "no reader", "STREAM_STATES", "STREAM_PATHS", "within .0005" };

struct watched {
	struct stage stage;
	uint64_t bytes, ns[ROUNDS];
};

static void
on_update(struct stage *stage, const struct update *update)
{
	struct watched *watched = stage->context;

	for (size_t i = 0; i < update->row_count + update->state_count; i++)
		watched->bytes += update->blocks[i]->count;
}

static void
encoder_ask(struct watched *watched, bool paths, double tolerance, uint32_t every)
{
	struct post *post = post_create(POST_ENCODER, 0);

	post->encoder.wanted = true;
	post->encoder.options = (struct encoder_options){
		.every = every, .paths = paths, .tolerance = tolerance, .driven_tolerance = tolerance
	};
	live_world_post(watched->stage.world, post);
}

static int
number_compare(const void *left, const void *right)
{
	const uint64_t *l = left, *r = right;

	return *l < *r ? -1 : *l > *r;
}

static double
median_us(struct watched *watched)
{
	qsort(watched->ns, ROUNDS, sizeof watched->ns[0], number_compare);
	return (double)watched->ns[ROUNDS / 2] * 1e-3 / TICKS;
}

/* `fast`: of a gas; else nothing touches anything. */
static void
bench(const char *title, size_t circles, uint32_t every, double speed, double gravity)
{
	static struct watched worlds[STREAMS];
	static struct stage_scene scene;

	scene_gas(&scene, circles);
	for (size_t i = 0; i < circles; i++) {
		scene.vx[i] *= speed;
		scene.vy[i] *= speed;
	}
	scene.message.gravity_y = gravity;
	for (size_t k = 0; k < STREAMS; k++) {
		worlds[k] = (struct watched){ .bytes = 0 };
		stage_init(&worlds[k].stage);
		worlds[k].stage.on_update = on_update;
		worlds[k].stage.context = &worlds[k];
		stage_open(&worlds[k].stage, &scene);
		if (k > 0)
			encoder_ask(&worlds[k], k == 2, k == 3 ? 0.0005 : 0.0, every);
		stage_step(&worlds[k].stage, TICKS);
		worlds[k].bytes = 0;
	}
	for (size_t round = 0; round < ROUNDS; round++) {
		for (size_t k = 0; k < STREAMS; k++) {
			uint64_t began_ns = clock_thread_ns();

			stage_step(&worlds[k].stage, TICKS);
			worlds[k].ns[round] = clock_thread_ns() - began_ns;
		}
	}

	double alone_us = median_us(&worlds[0]);

	printf("%s\n", title);
	for (size_t k = 0; k < STREAMS; k++) {
		double us = k == 0 ? alone_us : median_us(&worlds[k]);

		printf("  %-14s %8.2f us a tick  %+7.2f  %10.0f bytes a second at 60 Hz\n", names[k], us, us - alone_us,
		       (double)worlds[k].bytes / ROUNDS);
		stage_finish(&worlds[k].stage);
	}
}

int
main(int argc, char **argv)
{
	size_t circles = argc > 1 ? strtoul(argv[1], NULL, 10) : 64;
	uint32_t every = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 3;

	if (circles == 0 || circles > STAGE_CIRCLES_MAX || every == 0) {
		fprintf(stderr, "usage: bench_encoders [CIRCLES [EVERY]]: at most %d circles\n", STAGE_CIRCLES_MAX);
		return 2;
	}
	printf("%zu circles, an update at every %" PRIu32 " ticks; medians of %d rounds\n", circles, every, ROUNDS);
	bench("nothing happens", circles, every, 1e-9, 0);
	bench("gas", circles, every, 1, 0);
	bench("bouncing", circles, every, 1, -9.81);
	return 0;
}
