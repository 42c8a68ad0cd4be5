/* bench_late: what it costs to keep the states that late batches need, and to go back: thread time of ticks of worlds with the
 * same scene, in turns. What the engine takes to return and make eight ticks again, against the same eight when they were made
 * first. And what the moments cost that questions are about. Not a test; figures hold for the machine and the moment.
 *
 * Usage: bench_late [CIRCLES [BACK]]: 64 circles, 8 ticks back. */
#include "base/clock.h"
#include "physics/keep.h"
#include "worlds/live/live_private.h"
#include "worlds/one_command.h"
#include "worlds/stage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORLDS = 3, TICKS = 20000, HISTORY = 16 };

/* A world as it is, one that keeps its past, and one that goes back in every 32nd tick. */
struct timed {
	struct stage stage;
	uint64_t ns[TICKS], back_ns[TICKS];
	size_t count, back_count;
	uint64_t sequence;
};

static int
number_compare(const void *left, const void *right)
{
	const uint64_t *l = left, *r = right;

	return *l < *r ? -1 : *l > *r;
}

static double
part_us(uint64_t *ns, size_t count, double part)
{
	qsort(ns, count, sizeof *ns, number_compare);
	return (double)ns[(size_t)(part * (double)(count - 1))] * 1e-3;
}

static void
batch_send(struct timed *timed, uint64_t tick)
{
	one_begin(10 + (uint32_t)(timed->sequence % 8));
	one_add_velocities();
	one.x[0] = timed->sequence % 2 == 0 ? 0.125 : -0.125;
	one.y[0] = 0;
	stage_send(&timed->stage, 1, ++timed->sequence, tick, &one.message);
}

/* All get a batch; that of the last comes late. */
static void
tick_time(struct timed *timed, uint64_t back)
{
	uint64_t next = timed->stage.stats.tick + 1;

	if (next % 32 == 0)
		batch_send(timed, next - back);

	uint64_t began_ns = clock_thread_ns();

	stage_step(&timed->stage, 1);

	uint64_t ns = clock_thread_ns() - began_ns;

	timed->stage.told_count = 0;
	if (next % 32 == 0)
		timed->back_ns[timed->back_count++] = ns;
	else
		timed->ns[timed->count++] = ns;
}

static void
bench(const char *title, void (*make)(struct stage_scene *, size_t), size_t circles, uint64_t back)
{
	static struct timed worlds[WORLDS];
	static struct stage_scene scene;
	static const char *const names[WORLDS] = { "as it is", "keeps its past", "goes back" };
	double plain_us = 0;

	make(&scene, circles);
	for (size_t k = 0; k < WORLDS; k++) {
		worlds[k] = (struct timed){ .count = 0 };
		stage_init(&worlds[k].stage);
		worlds[k].stage.limits.resimulated_ticks_max = UINT32_MAX;
		if (k > 0) {
			worlds[k].stage.policy.late = WORLD_LATE_RESIMULATE;
			worlds[k].stage.policy.history_ticks = HISTORY;
		}
		stage_open(&worlds[k].stage, &scene);
		stage_step(&worlds[k].stage, 320);
	}
	for (size_t tick = 0; tick < TICKS; tick++)
		for (size_t k = 0; k < WORLDS; k++)
			tick_time(&worlds[k], k == 2 ? back : 0);
	printf("%s\n", title);
	for (size_t k = 0; k < WORLDS; k++) {
		struct timed *timed = &worlds[k];
		double tick_us = part_us(timed->ns, timed->count, 0.5), mean = 0,
			   acted_us = part_us(timed->back_ns, timed->back_count, 0.5);

		for (size_t i = 0; i < timed->count; i++)
			mean += (double)timed->ns[i] * 1e-3 / (double)timed->count;
		plain_us = k == 0 ? tick_us : plain_us;
		printf("  %-16s %8.2f us a tick (mean %.2f, p99 %.2f)  with a batch %8.2f (p99 %.2f)", names[k], tick_us, mean,
		       part_us(timed->ns, timed->count, 0.99), acted_us, part_us(timed->back_ns, timed->back_count, 0.99));
		if (k == 2)
			printf("  back %" PRIu64 ": %.2f us, %.2f ticks", back, acted_us - tick_us, (acted_us - tick_us) / plain_us);
		printf("  %.0f KB\n", (double)ledger_used(&timed->stage.world->ledger) / 1000);
	}
	for (size_t k = 0; k < WORLDS; k++)
		stage_finish(&worlds[k].stage);
}

static void
moment_ask(struct stage *stage, uint64_t tick, double time)
{
	struct post *post = post_create(POST_MOMENT, 0);

	post->moment.has_tick = true;
	post->moment.tick = tick;
	post->moment.time = time;
	live_world_post(stage->world, post);
	stage_turn(stage);
}

/* In each tick one moment of a tick before, then others of the same tick, and one of them again. */
static void
bench_moments(const char *title, void (*make)(struct stage_scene *, size_t), size_t circles, uint64_t back)
{
	enum { ASKS = 4, ROUNDS = 4000 };
	static const char *const names[ASKS] = { "another tick", "another time", "another time", "the same again" };
	static struct stage stage;
	static struct stage_scene scene;
	static uint64_t ns[ASKS][ROUNDS];

	make(&scene, circles);
	stage_init(&stage);
	stage.policy.history_ticks = 64;
	stage_open(&stage, &scene);
	stage_step(&stage, 320);
	for (size_t round = 0; round < ROUNDS; round++) {
		stage_step(&stage, 1);
		for (size_t k = 0; k < ASKS; k++) {
			uint64_t began_ns = clock_thread_ns();

			moment_ask(&stage, stage.stats.tick - back, 0.002 * (double)(k == 3 ? 3 : k + 1));
			ns[k][round] = clock_thread_ns() - began_ns;
		}
	}
	printf("%s: moments %" PRIu64 " ticks back, us:", title, back);
	for (size_t k = 0; k < ASKS; k++)
		printf("  %s %.1f (p99 %.1f)", names[k], part_us(ns[k], ROUNDS, 0.5), part_us(ns[k], ROUNDS, 0.99));
	printf("\n");
	stage_finish(&stage);
}

/* Some circles are pushed at first, so that no tick is like those before. */
static void
circles_push(struct world *world, size_t circles, size_t round)
{
	for (size_t k = 0; k < 6; k++) {
		struct def_problem problem;
		struct edit edit = edit_circle_add_velocity(10 + (uint32_t)((6 * round + k) % circles), (round + k) % 2 ? 6 : -6, 8);

		(void)!world_edit(world, &edit, 1, &problem);
	}
}

/* Thread time of as many ticks; of each in ns, if that is not NULL. */
static double
ticks_us(struct world *world, double dt, uint64_t ticks, uint64_t *ns)
{
	uint64_t began_ns = clock_thread_ns(), at_ns = began_ns;
	struct tick_report report;

	for (uint64_t i = 0; i < ticks; i++) {
		(void)!world_step(world, dt, &report);
		if (!ns)
			continue;
		ns[i] = clock_thread_ns() - at_ns;
		at_ns += ns[i];
	}
	return (double)(clock_thread_ns() - began_ns) * 1e-3;
}

static void
bench_return(const char *title, void (*make)(struct stage_scene *, size_t), size_t circles, uint64_t back)
{
	enum { ROUNDS = 1000 };
	static struct stage stage;
	static struct stage_scene scene;
	static uint64_t ns[ROUNDS * HISTORY], again_ns[ROUNDS], beyond_ns[ROUNDS];
	const uint64_t offset_ns = 1000000000; /* differences may be below 0 */
	struct world_kept *kept = NULL;

	make(&scene, circles);
	stage_init(&stage);
	struct world *world = scene_world(&scene, &stage);
	if (world_kept_create(&kept) != STATUS_OK)
		abort();
	(void)ticks_us(world, stage.policy.dt, 320, NULL);
	for (size_t round = 0; round < ROUNDS; round++) {
		circles_push(world, circles, round);
		if (world_keep(world, kept) != STATUS_OK)
			abort();
		double first_us = ticks_us(world, stage.policy.dt, back, &ns[round * back]);
		uint64_t hash = world_hash(world), began_ns = clock_thread_ns();

		if (world_return(world, kept) != STATUS_OK)
			abort();
		(void)ticks_us(world, stage.policy.dt, back, NULL);
		again_ns[round] = clock_thread_ns() - began_ns;
		beyond_ns[round] = offset_ns + again_ns[round] - (uint64_t)(first_us * 1e3);
		if (world_hash(world) != hash)
			abort();
	}
	printf("%s: %.1f us a tick; return and %" PRIu64 " again %.1f us; beyond the same ticks %.1f us\n", title,
	       part_us(ns, ROUNDS * back, 0.5), back, part_us(again_ns, ROUNDS, 0.5),
	       part_us(beyond_ns, ROUNDS, 0.5) - (double)offset_ns * 1e-3);
	world_destroy(world);
	world_kept_destroy(kept);
}

int
main(int argc, char **argv)
{
	size_t circles = argc > 1 ? strtoul(argv[1], NULL, 10) : 64;
	uint64_t back = argc > 2 ? strtoul(argv[2], NULL, 10) : 8;

	if (circles == 0 || circles > STAGE_CIRCLES_MAX || back == 0 || back > HISTORY) {
		fprintf(stderr, "usage: bench_late [CIRCLES [BACK]]: at most %d circles, %d ticks\n", STAGE_CIRCLES_MAX, HISTORY);
		return 2;
	}
	printf("%zu circles; medians of %d ticks\n", circles, TICKS);
	bench("gas", scene_gas, circles, back);
	bench("heap", scene_heap, circles, back);
	bench_return("gas, pushed", scene_gas, circles, back);
	bench_return("heap, pushed", scene_heap, circles, back);
	bench_moments("gas", scene_gas, circles, back);
	bench_moments("heap", scene_heap, circles, back);
	return 0;
}
