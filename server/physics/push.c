/* Happy path: nothing overlaps. Otherwise the overlapping pairs, in ascending order, are moved apart along their normals, each
 * body by its share of the masses and as far as the way is free; in rounds, because a move may open the way for another.
 * What can go wrong: there is no room; the depth left is reported, and tried again at the next tick. */
#include "physics/push.h"

#include "physics/predict.h"
#include "physics/step.h"
#include "physics/toi.h"

#include <math.h>
#include <stdlib.h>

/* Rounds of moves in one tick. A row of n circles squeezed into each other needs about n of them; what is left after these
 * goes on in the next tick. */
#define ROUNDS_MAX 64
/* A round that moves nobody by more than this part of a radius is the last. */
#define MOVE_MIN_PART 1e-12

struct overlap {
	uint32_t a, b; /* bodies a < b, or body and segment */
	bool wall;
};

static void
overlap_add(struct world *world, uint32_t a, uint32_t b, bool wall)
{
	if (!array_reserve(&world->overlaps, &world->overlap_capacity, world->overlap_count + 1, sizeof *world->overlaps)) {
		world->failed = true;
		return;
	}
	world->overlaps[world->overlap_count++] = (struct overlap){ .a = a, .b = b, .wall = wall };
}

/* From the nearest point of a segment to a body's centre. */
static void
segment_offset(const struct segment *s, const struct body *body, double offset[2])
{
	double px = body->x - s->x1, py = body->y - s->y1;
	double along = px * s->ux + py * s->uy;

	if (along <= 0.0) {
		offset[0] = px;
		offset[1] = py;
	} else if (along >= s->length * s->length) {
		offset[0] = body->x - s->x2;
		offset[1] = body->y - s->y2;
	} else {
		double height = cross_exact(s->ux, s->uy, px, py) / s->length;

		offset[0] = -height * (s->uy / s->length);
		offset[1] = height * (s->ux / s->length);
	}
}

/* The gap of a pair without its skin, its skin, and the unit normal from b to a. */
struct overlap_view {
	double gap, skin, nx, ny;
};

static struct overlap_view
overlap_view(const struct world *world, const struct overlap *overlap)
{
	const struct body *a = &world->bodies[overlap->a];
	double offset[2], radii = a->radius, skin, nx = 1.0, ny = 0.0;

	if (overlap->wall) {
		const struct segment *segment = &world->segments[overlap->b];

		segment_offset(segment, a, offset);
		skin = wall_skin(a, segment->rounding);
		/* A centre on the segment goes to its left. */
		nx = -segment->uy / segment->length;
		ny = segment->ux / segment->length;
	} else {
		const struct body *b = &world->bodies[overlap->b];

		offset[0] = a->x - b->x;
		offset[1] = a->y - b->y;
		radii += b->radius;
		skin = circles_skin(a, b);
	}

	double distance = sqrt(offset[0] * offset[0] + offset[1] * offset[1]);

	if (distance > 0.0) {
		nx = offset[0] / distance;
		ny = offset[1] / distance;
	}
	return (struct overlap_view){ .gap = distance - radii, .skin = skin, .nx = nx, .ny = ny };
}

static bool
pair_overlaps(const struct world *world, uint32_t a, uint32_t b)
{
	const struct body *i = &world->bodies[a], *j = &world->bodies[b];
	double dx = i->x - j->x, dy = i->y - j->y, radii = i->radius + j->radius;

	return dx * dx + dy * dy < radii * radii && bodies_meet(world, a, b);
}

static int
overlap_compare(const void *left, const void *right)
{
	const struct overlap *l = left, *r = right;

	if (l->a != r->a)
		return l->a < r->a ? -1 : 1;
	if (l->wall != r->wall)
		return l->wall ? 1 : -1;
	return l->b < r->b ? -1 : l->b > r->b;
}

static void
overlaps_find(struct world *world)
{
	const struct grid *grid = &world->grid;

	world->overlap_count = 0;
	for (uint32_t i = 0; i < world->body_count; i++) {
		uint32_t cell = grid->cell_of[i], column = cell % grid->columns, row = cell / grid->columns;
		uint32_t c0 = column > 0 ? column - 1 : 0, c1 = column + 1 < grid->columns ? column + 1 : column;
		uint32_t r0 = row > 0 ? row - 1 : 0, r1 = row + 1 < grid->rows ? row + 1 : row;

		for (uint32_t r = r0; r <= r1; r++)
			for (uint32_t c = c0; c <= c1; c++)
				for (uint32_t j = grid->heads[r * grid->columns + c]; j != NONE; j = grid->next[j])
					if (j > i && pair_overlaps(world, i, j))
						overlap_add(world, i, j, false);
		if (world->infos[i].kind != BODY_DYNAMIC)
			continue;
		for (uint32_t k = grid->segment_starts[cell]; k < grid->segment_starts[cell + 1]; k++) {
			struct overlap overlap = { .a = i, .b = grid->segment_items[k], .wall = true };

			if (body_meets_segment(&world->infos[i], &world->segments[overlap.b]) &&
			    overlap_view(world, &overlap).gap < 0.0)
				overlap_add(world, i, overlap.b, true);
		}
	}
	if (world->overlap_count > 1)
		qsort(world->overlaps, world->overlap_count, sizeof *world->overlaps, overlap_compare);
}

/* The part of the way along `path` (a velocity for one unit of time) that is free of walls in a cell. */
static double
way_to_walls(const struct world *world, uint32_t body, const struct body *path, uint32_t cell, double free)
{
	const struct grid *grid = &world->grid;
	const struct body_info *info = &world->infos[body];

	for (uint32_t k = grid->segment_starts[cell]; k < grid->segment_starts[cell + 1]; k++) {
		uint32_t index = grid->segment_items[k];
		int side;

		if (body_meets_segment(info, &world->segments[index]))
			free = fmin(free, impact_face(world, path, index, 1.0, &side));
	}
	for (uint32_t k = grid->vertex_starts[cell]; k < grid->vertex_starts[cell + 1]; k++) {
		uint32_t index = grid->vertex_items[k];
		double R = path->radius + wall_skin(path, world->vertices[index].rounding);

		if (vertex_owner(world, info, &world->vertices[index]))
			free = fmin(free, impact_vertex(world, info, path, index, R, 1.0));
	}
	return free;
}

static double
way_to_circles(const struct world *world, uint32_t body, const struct body *path, uint32_t cell, double free)
{
	for (uint32_t other = world->grid.heads[cell]; other != NONE; other = world->grid.next[other]) {
		const struct body *that = &world->bodies[other];
		struct relative r = { path->x - that->x, path->y - that->y, path->vx, path->vy, 0.0, 0.0 };

		if (other != body && bodies_meet(world, body, other))
			free = fmin(free, toi_straight(&r, path->radius + that->radius + circles_skin(path, that), 1.0));
	}
	return free;
}

/* Moves a body by up to (x, y), as far as the way is free; the part of it that it went. */
static double
body_push(struct world *world, uint32_t body, double x, double y)
{
	const struct grid *grid = &world->grid;
	struct body path = world->bodies[body];
	double length = sqrt(x * x + y * y), free = 1.0;

	/* Walls and circles are looked for one and two cells around. */
	if (length > 0.5 * grid->cell) {
		x *= 0.5 * grid->cell / length;
		y *= 0.5 * grid->cell / length;
	}
	path.vx = x;
	path.vy = y;
	path.ax = path.ay = 0.0;

	int64_t column = grid->cell_of[body] % grid->columns, row = grid->cell_of[body] / grid->columns;

	for (int64_t r = row - 2; r <= row + 2; r++) {
		for (int64_t c = column - 2; c <= column + 2; c++) {
			if (r < 0 || c < 0 || r >= grid->rows || c >= grid->columns)
				continue;

			uint32_t cell = (uint32_t)(r * grid->columns + c);

			free = way_to_circles(world, body, &path, cell, free);
			if (r >= row - 1 && r <= row + 1 && c >= column - 1 && c <= column + 1)
				free = way_to_walls(world, body, &path, cell, free);
		}
	}
	x *= free;
	y *= free;
	if (x == 0.0 && y == 0.0)
		return 0.0;
	world->bodies[body].x += x;
	world->bodies[body].y += y;
	grid_move(&world->grid, body, grid_cell(grid, world->bodies[body].x, world->bodies[body].y));
	world->energy.push -= world->infos[body].mass * (world->gravity_x * x + world->gravity_y * y);
	path_change_report(world, 0.0, body, PATH_PUSHED, x, y);
	return sqrt(x * x + y * y);
}

/* Moves one pair apart; the largest move in radii. */
static double
overlap_push(struct world *world, const struct overlap *overlap)
{
	struct overlap_view view = overlap_view(world, overlap);

	if (view.gap >= 0.0)
		return 0.0;

	double wanted = view.skin - view.gap, moved = 0.0;
	double a = world->infos[overlap->a].inverse_mass, b = overlap->wall ? 0.0 : world->infos[overlap->b].inverse_mass;
	double share = a / (a + b);

	if (a > 0.0)
		moved = body_push(world, overlap->a, view.nx * wanted * share, view.ny * wanted * share);
	if (b > 0.0)
		moved = fmax(moved, body_push(world, overlap->b, -view.nx * (wanted - moved), -view.ny * (wanted - moved)));
	/* What the second could not go, the first may. */
	view = overlap_view(world, overlap);
	if (view.gap < 0.0 && a > 0.0 && b > 0.0)
		moved = fmax(moved, body_push(world, overlap->a, view.nx * (view.skin - view.gap),
		                              view.ny * (view.skin - view.gap)));
	return moved / world->bodies[overlap->a].radius;
}

void
push_out(struct world *world)
{
	overlaps_find(world);
	for (int round = 0; round < ROUNDS_MAX && world->overlap_count > 0; round++) {
		double moved = 0.0;

		for (size_t k = 0; k < world->overlap_count && !world->failed; k++)
			moved = fmax(moved, overlap_push(world, &world->overlaps[k]));
		if (!(moved > MOVE_MIN_PART))
			break;
	}
	for (size_t k = 0; k < world->overlap_count; k++) {
		const struct overlap *overlap = &world->overlaps[k];
		double gap = overlap_view(world, overlap).gap;

		if (gap >= 0.0)
			continue;
		if (world->infos[overlap->a].kind == BODY_DYNAMIC)
			shortfall_report(world, overlap->a, BODY_FLAG_INITIAL_OVERLAP, -gap);
		if (!overlap->wall && world->infos[overlap->b].kind == BODY_DYNAMIC)
			shortfall_report(world, overlap->b, BODY_FLAG_INITIAL_OVERLAP, -gap);
	}
}
