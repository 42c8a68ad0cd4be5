/* Crowds in a world that is much wider: circles of radius 0.5 at 0.1 radius a tick, elastic, in a closed square. */
#include "bench/scenes_make.h"

#include <math.h>
#include <stdlib.h>

static const double radius = 0.5, area_fraction = 0.6, speed = 0.1 * 0.5 * 60;

/* The side of a square that so many circles fill densely. */
static double
block_side(size_t count)
{
	return sqrt((double)count * 180 * DEGREE * radius * radius / area_fraction);
}

struct place {
	double x, y;
};

struct square {
	double x, y, side;
};

static bool
square_has(const struct square *square, double x, double y, double gap)
{
	return x > square->x - gap && y > square->y - gap && x < square->x + square->side + gap &&
	       y < square->y + square->side + gap;
}

static void
circle_fly(struct scenario *scenario, double x, double y, uint64_t *seed)
{
	const double angle = random_between(seed, 0, 360 * DEGREE);
	scenario_circle(scenario, x, y, speed * cos(angle), speed * sin(angle), radius);
}

/* So many, evenly over the square on a jittered grid, in random directions, and none within a diameter of `hole`. The grid has
 * some more places than are needed: which of them are taken is drawn. */
static void
square_fill(struct scenario *scenario, size_t count, const struct square *square, const struct square *hole, uint64_t *seed)
{
	const double apart = 2 * radius, kept = hole ? 1 - pow((hole->side + 2 * apart) / square->side, 2) : 1;
	const size_t columns = (size_t)ceil(sqrt((double)count / kept)) + (hole ? 2 : 0);
	const double pitch = square->side / (double)columns, jitter = (pitch - 2 * radius) * 0.98;
	struct place *places = malloc(columns * columns * sizeof *places);
	size_t found = 0, made = 0;
	assert_non_null(places);
	for (size_t i = 0; i < columns * columns; i++) {
		const double x = square->x + ((double)(i % columns) + 0.5) * pitch + random_between(seed, -0.5, 0.5) * jitter;
		const double y = square->y + ((double)(i / columns) + 0.5) * pitch + random_between(seed, -0.5, 0.5) * jitter;
		if (!hole || !square_has(hole, x, y, apart))
			places[found++] = (struct place){ x, y };
	}
	for (size_t i = 0; i < found && made < count; i++) {
		if (random_below(seed, found - i) >= count - made)
			continue;
		circle_fly(scenario, places[i].x, places[i].y, seed);
		made++;
	}
	free(places);
	assert_int_equal(made, count);
}

static void
world_end(struct scene *scene, struct scenario *scenario, double side)
{
	scenario_box(scenario, 0, 0, side, side);
	world_take(scene, scenario);
	scenario_finish(scenario);
	bounds_set(scene, 0, 0, side, side);
	scene->head.flags |= SCENE_ELASTIC;
}

static struct square
middle_of(double side, double inner)
{
	return (struct square){ (side - inner) / 2, (side - inner) / 2, inner };
}

/* Circles in a dense block, circles around it, the world's width by the block's. */
void
make_uneven(struct scene *scene, const double *numbers)
{
	const double block = block_side((size_t)numbers[0]), side = numbers[2] * block;
	const struct square inner = middle_of(side, block), outer = { 0, 0, side };
	uint64_t seed = 1;
	struct scenario scenario;
	scenario_init(&scenario);
	square_fill(&scenario, (size_t)numbers[0], &inner, NULL, &seed);
	square_fill(&scenario, (size_t)numbers[1], &outer, &inner, &seed);
	world_end(scene, &scenario, side);
}

/* Circles, in so many dense blocks apart from each other, the world's width by that of a block of half of them. */
void
make_clusters(struct scene *scene, const double *numbers)
{
	const size_t clusters = (size_t)numbers[1], each = (size_t)numbers[0] / clusters;
	const double block = block_side(each), side = numbers[2] * block_side((size_t)numbers[0] / 2);
	struct square *placed = malloc(clusters * sizeof *placed);
	uint64_t seed = 1;
	struct scenario scenario;
	assert_non_null(placed);
	scenario_init(&scenario);
	for (size_t i = 0; i < clusters;) {
		const struct square next = { random_between(&seed, 0, side - block), random_between(&seed, 0, side - block), block };
		bool clear = true;
		for (size_t k = 0; k < i; k++)
			clear = clear && (fabs(placed[k].x - next.x) > 2 * block || fabs(placed[k].y - next.y) > 2 * block);
		if (!clear)
			continue;
		placed[i++] = next;
		square_fill(&scenario, each, &next, NULL, &seed);
	}
	free(placed);
	world_end(scene, &scenario, side);
}

/* Circles of a crowd to be, circles around it, the world's width by the crowd's. The crowd begins ten times as wide as it will
 * be. Each of its circles flies at the middle, all as if to be there after 300 ticks: after 240 they are twice as wide as the
 * block. */
void
make_forming(struct scene *scene, const double *numbers)
{
	const double block = block_side((size_t)numbers[0]), side = numbers[2] * block, arrival = 300 * dt;
	const struct square inner = middle_of(side, 10 * block), outer = { 0, 0, side };
	uint64_t seed = 1;
	struct scenario scenario;
	scenario_init(&scenario);
	square_fill(&scenario, (size_t)numbers[0], &inner, NULL, &seed);
	for (size_t i = 0; i < scenario.circle_count; i++) {
		scenario.circles[i].vx = (side / 2 - scenario.circles[i].x) / arrival;
		scenario.circles[i].vy = (side / 2 - scenario.circles[i].y) / arrival;
	}
	square_fill(&scenario, (size_t)numbers[1], &outer, &inner, &seed);
	world_end(scene, &scenario, side);
	scene->head.flags |= SCENE_BULLETS;
}
