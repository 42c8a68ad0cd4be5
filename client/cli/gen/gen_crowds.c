/* Many circles in little space: pile, crowd and maze. */
#include "client/cli/gen/gen.h"

#include "client/cli/gen/gen_place.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- pile ---- */

enum { BOWL_STEPS = 24 };

/* Three sizes, in radii. */
static const double pile_sizes[] = { 1, 0.7, 1.4 };

/* Whether the point is above the parabola. The walls are its chords, which are nowhere below it. */
static bool
bowl_holds(const void *context, double x, double y)
{
	const double *half = context;
	return y > x * x / *half;
}

bool
gen_pile(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size)
{
	struct random random;
	struct gen_placer placer;
	double r = options->radius;
	/* A bowl y = x² / width, about as wide as the finished pile is high. */
	double half = r * (6 + 1.7 * sqrt((double)options->count)), rim = half;
	for (int i = -BOWL_STEPS; i < BOWL_STEPS; i++) {
		double x1 = half * i / BOWL_STEPS, x2 = half * (i + 1) / BOWL_STEPS;
		scene_build_segment(build,
		                    segment_rounded(segment_between(x1, x1 * x1 / half, x2, x2 * x2 / half, options->restitution)));
	}
	double top = rim + 9 * r * r * (double)options->count / half;
	/* The impact throws circles higher than any starts. */
	double wall_top = 1.6 * top;
	scene_build_segment(build, segment_rounded(segment_between(-half, rim, -half, wall_top, options->restitution)));
	scene_build_segment(build, segment_rounded(segment_between(half, rim, half, wall_top, options->restitution)));
	build->gravity_y = -round_speed(20 * r);
	random_init(&random, options->seed);
	struct gen_area all = { -half, rim / 4, half, top };
	if (!gen_placer_init(&placer, build, &random, all, 1.4 * r, options->gap * r, options->count, error, error_size))
		return false;
	placer.inside = bowl_holds;
	placer.context = &half;
	bool placed = true;
	for (uint64_t i = 0; i < options->count && placed; i++) {
		double size = pile_sizes[i % 3];
		placed = gen_placer_put(&placer, all,
		                        (struct build_circle){
									.radius = round_position(size * r),
									.mass = round_position(size * size),
									.restitution = options->restitution,
								},
		                        error, error_size);
	}
	gen_placer_finish(&placer);
	return placed;
}

/* ---- crowd ---- */

bool
gen_crowd(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size)
{
	struct random random;
	struct gen_placer placer;
	double r = options->radius, room_for = sqrt(3.14159265358979 * (double)options->count / options->fraction);
	/* A small crowd gets more room than its fraction asks for: the door and the pillar need it. */
	double side = round_position(r * fmax(room_for, 14));
	double door = 2 * r, e = options->restitution, hall = 2 * side;
	/* Two rooms, a door between them that is two circles wide, and a pillar in front of it. */
	const struct gen_area room = { -side, -side / 2, 0, side / 2 };
	const double ends[][4] = {
		{ -side, -side / 2, hall - side, -side / 2 },
		{ hall - side, -side / 2, hall - side, side / 2 },
		{ hall - side, side / 2, -side, side / 2 },
		{ -side, side / 2, -side, -side / 2 },
		{ 0, -side / 2, 0, -door },
		{ 0, door, 0, side / 2 },
	};
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
		scene_build_segment(build, segment_rounded(segment_between(ends[i][0], ends[i][1], ends[i][2], ends[i][3], e)));
	struct build_circle pillar = { .x = round_position(-5 * r),
		                           .radius = round_position(1.6 * r),
		                           .mass = 1,
		                           .restitution = e,
		                           .kind = COLLIDE__V1__BODY_KIND__BODY_KIND_STATIC };
	random_init(&random, options->seed);
	if (!gen_placer_init(&placer, build, &random, room, 1.6 * r, options->gap * r, options->count + 1, error, error_size))
		return false;
	scene_build_circle(build, pillar);
	gen_placer_avoid(&placer, &pillar);
	bool placed = true;
	for (uint64_t i = 0; i < options->count && placed; i++) {
		placed = gen_placer_put(&placer, room, (struct build_circle){ .radius = r, .mass = 1, .restitution = e }, error,
		                        error_size);
		struct build_circle *last = &build->circles[build->circle_count - 1];
		double dx = 2 * r - last->x, dy = -last->y, length = sqrt(dx * dx + dy * dy);
		if (placed) {
			last->vx = round_speed(options->speed * dx / length);
			last->vy = round_speed(options->speed * dy / length);
		}
	}
	gen_placer_finish(&placer);
	return placed;
}

/* ---- maze ---- */

/* Walls between cells: to the right of a cell, and above it. */
struct maze {
	uint64_t side;
	bool *seen, *right, *above;
	uint64_t *stack;
};

static void
maze_finish(struct maze *maze)
{
	free(maze->seen);
	free(maze->right);
	free(maze->above);
	free(maze->stack);
}

/* Opens the wall between a cell and its neighbour. false: there is no neighbour, or it has been visited. */
static bool
maze_step(struct maze *maze, uint64_t cell, uint64_t way, uint64_t *next)
{
	uint64_t side = maze->side, column = cell % side, row = cell / side;
	bool inside = way == 0 ? column + 1 < side : way == 1 ? row + 1 < side : way == 2 ? column > 0 : row > 0;
	if (!inside)
		return false;
	*next = way == 0 ? cell + 1 : way == 1 ? cell + side : way == 2 ? cell - 1 : cell - side;
	if (maze->seen[*next])
		return false;
	if (way == 0 || way == 2)
		maze->right[way == 0 ? cell : *next] = false;
	else
		maze->above[way == 1 ? cell : *next] = false;
	return true;
}

/* Depth first from the middle: exactly one path between any two cells. */
static bool
maze_dig(struct maze *maze, struct random *random)
{
	uint64_t cells = maze->side * maze->side, depth = 0;
	maze->seen = calloc(cells, sizeof *maze->seen);
	maze->right = malloc(cells * sizeof *maze->right);
	maze->above = malloc(cells * sizeof *maze->above);
	maze->stack = calloc(cells, sizeof *maze->stack);
	if (!maze->seen || !maze->right || !maze->above || !maze->stack)
		return false;
	for (uint64_t i = 0; i < cells; i++)
		maze->right[i] = maze->above[i] = true;
	maze->stack[depth++] = cells / 2;
	maze->seen[cells / 2] = true;
	while (depth > 0) {
		uint64_t cell = maze->stack[depth - 1], next = cell, first = random_below(random, 4), turn = 0;
		while (turn < 4 && !maze_step(maze, cell, (first + turn) % 4, &next))
			turn++;
		if (turn == 4) {
			depth--;
			continue;
		}
		maze->seen[next] = true;
		maze->stack[depth++] = next;
	}
	return true;
}

/* Joins collinear neighbouring walls into one segment. */
static void
maze_walls(const struct maze *maze, double cell, double e, struct scene_build *build)
{
	uint64_t side = maze->side;
	scene_build_box(build, 0, 0, cell * (double)side, cell * (double)side, e);
	for (uint64_t line = 0; line + 1 < side; line++) {
		for (int upright = 0; upright < 2; upright++) {
			uint64_t start = 0;
			for (uint64_t i = 0; i <= side; i++) {
				bool wall = i < side && (upright ? maze->right[i * side + line] : maze->above[line * side + i]);
				if (wall)
					continue;
				double at = cell * (double)(line + 1), from = cell * (double)start, to = cell * (double)i;
				if (i > start && upright)
					scene_build_segment(build, segment_between(at, from, at, to, e));
				else if (i > start)
					scene_build_segment(build, segment_between(from, at, to, at, e));
				start = i + 1;
			}
		}
	}
}

bool
gen_maze(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size)
{
	struct random random;
	struct gen_placer placer;
	struct maze maze = { .side = options->segments };
	double r = options->radius, cell = round_position(5 * r), whole = cell * (double)options->segments;
	random_init(&random, options->seed);
	bool good = maze_dig(&maze, &random);
	if (good)
		maze_walls(&maze, cell, options->restitution, build);
	else
		snprintf(error, error_size, "no memory");
	maze_finish(&maze);
	struct gen_area all = { 0, 0, whole, whole };
	if (!good || !gen_placer_init(&placer, build, &random, all, r, options->gap * r, options->count, error, error_size))
		return false;
	for (uint64_t i = 0; i < options->count && good; i++) {
		struct build_circle circle = { .radius = r, .mass = 1, .restitution = options->restitution };
		random_direction(&random, options->speed, &circle.vx, &circle.vy);
		circle.vx = round_speed(circle.vx);
		circle.vy = round_speed(circle.vy);
		good = gen_placer_put(&placer, all, circle, error, error_size);
	}
	gen_placer_finish(&placer);
	return good;
}
