/* bench_space: thousands of questions a second to a space, one thread: a crowd of circles, and the walls of a labyrinth. Usage:
 * bench_space [seconds per question, default 1]. */
#include "physics/mover.h"
#include "support/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CROWD = 10000, CELLS = 50 };

struct bench {
	struct space *space;
	double side; /* of the square */
	uint64_t random;
	struct space_filter filter;
	struct space_hits hits;
	struct mover_path path;
};

static double
now_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double
place(struct bench *bench)
{
	return random_between(&bench->random, 0, bench->side);
}

/* A way of that length. */
static void
way(struct bench *bench, double length, double out[2])
{
	double t = random_between(&bench->random, -1, 1), cosine = (1 - t * t) / (1 + t * t), sine = 2 * t / (1 + t * t);
	double sign = random_below(&bench->random, 2) ? 1 : -1;
	out[0] = length * sign * cosine;
	out[1] = length * sign * sine;
}

static enum status
ask_cast(struct bench *bench, double radius, double length, size_t limit)
{
	struct space_cast cast = { .x = place(bench), .y = place(bench), .radius = radius, .start = START_PASSES };
	double v[2];
	way(bench, length, v);
	cast.move_x = v[0];
	cast.move_y = v[1];
	return space_cast(bench->space, &cast, &bench->filter, limit, &bench->hits);
}

static enum status
ask_ray(struct bench *bench)
{
	return ask_cast(bench, 0, bench->side, 1);
}

static enum status
ask_ray_all(struct bench *bench)
{
	return ask_cast(bench, 0, bench->side, SIZE_MAX);
}

static enum status
ask_short_ray(struct bench *bench)
{
	return ask_cast(bench, 0, 5, 1);
}

static enum status
ask_wide(struct bench *bench)
{
	return ask_cast(bench, 0.25, bench->side, 1);
}

static enum status
ask_circle(struct bench *bench)
{
	const struct space_circle circle = { place(bench), place(bench), 2 };
	const struct tolerance none = { 0, 0 };
	return space_overlap_circle(bench->space, &circle, &none, &bench->filter, SIZE_MAX, &bench->hits);
}

static enum status
ask_box(struct bench *bench)
{
	const double x = place(bench), y = place(bench);
	const struct space_box box = { x, y, x + 4, y + 4 };
	const struct tolerance none = { 0, 0 };
	return space_overlap_box(bench->space, &box, &none, &bench->filter, SIZE_MAX, &bench->hits);
}

static enum status
ask_nearest(struct bench *bench)
{
	const struct space_circle circle = { place(bench), place(bench), 0 };
	const struct tolerance none = { 0, 0 };
	return space_nearest(bench->space, &circle, (double)INFINITY, &none, &bench->filter, 8, &bench->hits);
}

static enum status
ask_move(struct bench *bench)
{
	struct mover mover = { .x = place(bench), .y = place(bench), .radius = 0.25, .legs_max = MOVER_LEGS_MAX };
	double v[2];
	way(bench, 2, v);
	mover.move_x = v[0];
	mover.move_y = v[1];
	return space_move(bench->space, &mover, &bench->filter, &bench->path);
}

static const struct {
	const char *name;
	enum status (*ask)(struct bench *bench);
} questions[] = {
	{ "ray of 5, the first", ask_short_ray }, { "ray across, the first", ask_ray },  { "ray across, all", ask_ray_all },
	{ "circle across, the first", ask_wide }, { "what is in a circle", ask_circle }, { "what is in a box", ask_box },
	{ "the 8 nearest", ask_nearest },         { "a character by 2", ask_move },
};

static bool
bench_run(struct bench *bench, const char *scene, double seconds)
{
	for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
		double best = 0, begin = now_seconds();
		while (now_seconds() - begin < seconds) {
			enum { ROUND = 500 };
			double start = now_seconds();
			for (int k = 0; k < ROUND; k++)
				if (questions[i].ask(bench) != STATUS_OK)
					return false;
			best = fmax(best, ROUND / (now_seconds() - start));
		}
		printf("%-20s %-26s %10.0f\n", scene, questions[i].name, best / 1e3);
		fflush(stdout);
	}
	return true;
}

static bool
space_of(const struct world_def *def, struct bench *bench)
{
	struct def_problem problem;
	return space_create(def, &problem, &bench->space) == STATUS_OK;
}

static bool
crowd_measure(double seconds)
{
	struct world_def def = world_def_default();
	struct circle_def *circles = calloc(CROWD, sizeof *circles);
	struct bench bench = { .side = 200, .random = 1, .filter = space_filter_default() };
	bool good = circles != NULL;
	for (uint32_t i = 0; good && i < CROWD; i++) {
		circles[i] = circle_def_default();
		circles[i].id = i;
		circles[i].x = place(&bench);
		circles[i].y = place(&bench);
		circles[i].radius = 0.5;
	}
	def.circles = circles;
	def.circle_count = CROWD;
	good = good && space_of(&def, &bench) && bench_run(&bench, "10,000 circles", seconds);
	space_destroy(bench.space);
	space_hits_finish(&bench.hits);
	mover_path_finish(&bench.path);
	free(circles);
	return good;
}

/* Each cell of a grid has a wall on its left or below it. */
static bool
labyrinth_measure(double seconds)
{
	struct world_def def = world_def_default();
	struct segment_def *walls = calloc((size_t)CELLS * CELLS, sizeof *walls);
	struct bench bench = { .side = CELLS * 2.0, .random = 2, .filter = space_filter_default() };
	bool good = walls != NULL;
	for (uint32_t i = 0; good && i < CELLS * CELLS; i++) {
		double x = (i % CELLS) * 2.0, y = (i / CELLS) * 2.0;
		bool left = random_below(&bench.random, 2) != 0;
		walls[i] = segment_def_default();
		walls[i].id = i;
		walls[i].x1 = x;
		walls[i].y1 = y;
		walls[i].x2 = left ? x : x + 2;
		walls[i].y2 = left ? y + 2 : y;
	}
	def.segments = walls;
	def.segment_count = CELLS * CELLS;
	good = good && space_of(&def, &bench) && bench_run(&bench, "2,500 walls", seconds);
	space_destroy(bench.space);
	space_hits_finish(&bench.hits);
	mover_path_finish(&bench.path);
	free(walls);
	return good;
}

int
main(int argc, char **argv)
{
	const double seconds = argc > 1 ? strtod(argv[1], NULL) : 1;
	if (seconds <= 0) {
		fprintf(stderr, "usage: bench_space [seconds per question]\n");
		return 2;
	}
	printf("%-20s %-26s %10s\n", "scene", "question", "1000/s");
	if (!crowd_measure(seconds) || !labyrinth_measure(seconds)) {
		fprintf(stderr, "bench_space: a scene or a question was refused\n");
		return 1;
	}
	return 0;
}
