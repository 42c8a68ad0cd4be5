/* Happy path: nothing overlaps. Otherwise the overlapping pairs, in ascending order, are moved apart along their normals, each
 * body by its share of the masses and as far as its way is free. This is done in rounds, because a move may free the way for
 * another. Pairs that rest on each other are left to the rest solver: what is lifted here under gravity would only fall back.
 * What can go wrong: there is no room. The remaining depth is reported, and tried again at the next tick. */
#include "physics/phases/depenetration.h"

#include "base/pause.h"
#include "physics/broadphase/small_world.h"
#include "physics/geometry/toi.h"
#include "physics/math/sort.h"
#include "physics/phases/depenetration_path.h"
#include "physics/prediction/predict.h"
#include "physics/reports/sensor.h"
#include "physics/reports/watch.h"
#include "physics/resting/handover.h"
#include "physics/resting/sleep.h"
#include "physics/world/material.h"
#include "physics/world/one_sided.h"
#include "physics/world/report.h"

#include <math.h>
#include <stdlib.h>

/* Rounds of moves in one tick. A row of n circles squeezed into each other needs about n rounds. What is left after these
 * continues in the next tick. */
#define ROUNDS_MAX 64
/* Moves tried in one tick, per overlapping body and in all. Bounds the work for hundreds in one place; the rest continues in
 * the next tick. */
#define TRIES_PER_BODY 16
#define TRIES_MIN 256
/* Circles that one move may push along in a row. */
#define CHAIN_MAX 16
/* How far a body of an overlap cluster moves from the middle in one move, as a fraction of its distance from it. */
#define SPREAD 0.25
/* Pairs tested for overlap when a world is made, about 100 ms. */
#define TESTS_AT_CREATION 25000000
/* A round in which no body moves by more than this fraction of a radius is the last. */
#define MOVE_MIN_PART 1e-12

static void
overlap_add(struct world *world, uint32_t a, uint32_t b, bool wall)
{
	if (!array_reserve(&world->scratch.overlaps, &world->scratch.overlap_capacity, world->scratch.overlap_count + 1,
	                   sizeof *world->scratch.overlaps)) {
		world->failed = true;
		return;
	}
	world->scratch.overlaps[world->scratch.overlap_count++] = (struct overlap){ .a = a, .b = b, .wall = wall };
}

/* The offset of a body's centre from the nearest point of a segment. */
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

/* A pair's gap without its skin, its skin, and the unit normal from b to a. */
struct overlap_view {
	double gap, skin, nx, ny;
};

static struct overlap_view
overlap_view(const struct world *world, const struct overlap *overlap)
{
	const struct body *a = &world->bodies.paths[overlap->a];
	double offset[2], radii = a->radius, skin, nx = 1.0, ny = 0.0;

	if (overlap->wall) {
		const struct segment *segment = &world->walls.segments[overlap->b];

		segment_offset(segment, a, offset);
		radii += segment->radius;
		skin = wall_skin(a, segment->rounding);
		/* A centre on the segment moves to its left. */
		nx = -segment->uy / segment->length;
		ny = segment->ux / segment->length;
	} else {
		const struct body *b = &world->bodies.paths[overlap->b];

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

/* Whether a body is in a wall that it must not be in. A one-sided wall that it passes from the other side does not count. */
static bool
wall_overlaps(const struct world *world, const struct overlap *overlap)
{
	const struct body *path = &world->bodies.paths[overlap->a];
	const struct body_info *info = &world->bodies.infos[overlap->a];
	const struct segment *segment = &world->walls.segments[overlap->b];

	return body_meets_segment(world, info, segment) && overlap_view(world, overlap).gap < 0.0 &&
	       (!wall_one_sided(world, info, segment) ||
	        one_sided_stops(segment, path->x, path->y, path->radius + segment->radius, wall_skin(path, segment->rounding)));
}

static bool
pair_overlaps(const struct world *world, uint32_t a, uint32_t b, bool touching)
{
	const struct body *i = &world->bodies.paths[a], *j = &world->bodies.paths[b];
	double dx = i->x - j->x, dy = i->y - j->y;
	double radii = i->radius + j->radius + (touching ? 2.0 * circles_skin(i, j) : 0.0);

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

/* Whether a circle is outside a wall's box (grid_wall_boxes), by far more than the rounding of its gap. */
static bool
apart_from_box(const struct body *path, const double *box)
{
	double reach = 1.0001 * path->radius;

	return path->x + reach < box[0] || path->y + reach < box[1] || reach - path->x < box[2] || reach - path->y < box[3];
}

/* Lists the walls that overlap a body; static walls have boxes, moving ones have none. Returns how many were tested. */
static uint64_t
walls_overlap(struct world *world, uint32_t body, const struct grid_walls *walls)
{
	uint32_t cell = world->grid.rows[body].cell, start = walls->segment_starts[cell], end = walls->segment_starts[cell + 1];
	const double *boxes = walls == &world->grid.still ? grid_wall_boxes(&world->grid) : NULL;

	for (uint32_t k = start; k < end && !pause_after(4); k++) {
		struct overlap overlap = { .a = body, .b = walls->segment_items[k], .wall = true };

		if (!(boxes && apart_from_box(&world->bodies.paths[body], boxes + 4 * (size_t)overlap.b)) &&
		    wall_overlaps(world, &overlap))
			overlap_add(world, body, overlap.b, true);
	}
	return end - start;
}

/* Lists the circles that overlap a body, each pair once. Returns how many were tested. */
static uint64_t
circles_overlap(struct world *world, uint32_t i, bool touching, const uint8_t *touched)
{
	const struct grid *grid = &world->grid;
	const struct body *path = &world->bodies.paths[i];
	const struct grid_box box = { path->x, path->y, path->x, path->y };
	struct grid_look look = look_near(world, i, &box);
	uint64_t tests = 0;

	for (uint32_t near = grid_look_next(&look); near != NONE; near = grid_look_next(&look))
		for (uint32_t at = grid->heads[near], j = grid_body(at); at != NONE && !pause_after(2);
		     at = grid_onward(grid, at), j = grid_body(at), tests++)
			if ((j > i || (touched && j != i && !touched[j])) && pair_overlaps(world, i, j, touching))
				overlap_add(world, i < j ? i : j, i < j ? j : i, false);
	return tests;
}

/* The same without the grid. `may`: some later circle may overlap it. Usually none does. */
static uint64_t
circles_overlap_few(struct world *world, bool may, uint32_t i, bool touching)
{
	if (may)
		for (uint32_t j = i + 1; j < world->bodies.count && !pause_after(1); j++)
			if (pair_overlaps(world, i, j, touching))
				overlap_add(world, i, j, false);
	return world->bodies.count - i;
}

/* Lists the pairs that overlap, or those that touch too (circles only). It ends early when there are too many, when `tests_max`
 * pairs have been tested (then false), or when it is told to stop. `touched` (NULL: all): for each body, whether its pairs are
 * wanted. */
static bool
overlaps_find(struct world *world, bool touching, uint64_t tests_max, const uint8_t *touched)
{
	const struct grid *grid = &world->grid;
	const bool is_small_world = world->bodies.count <= SMALL_WORLD_BODIES && !touched;
	uint64_t tests = 0, may = UINT64_MAX;

	if (is_small_world && !touching)
		may = small_world_overlapping(world);
	world->scratch.overlap_count = 0;
	for (uint32_t i = 0; i < world->bodies.count && tests < tests_max; i++) {
		if (world_pause(world, 1))
			return false;

		if (touched && !touched[i])
			continue;

		tests += is_small_world ? circles_overlap_few(world, (may >> i & 1) != 0, i, touching)
		                        : circles_overlap(world, i, touching, touched);
		if (world->scratch.overlap_count > OVERLAPS_MIN + (size_t)OVERLAPS_PER_BODY * world->bodies.count)
			break;
		if (world->bodies.infos[i].kind != BODY_DYNAMIC)
			continue;

		tests += walls_overlap(world, i, &grid->still);
		if (grid->moving.listed)
			tests += walls_overlap(world, i, &grid->moving);
	}
	if (world->scratch.overlap_count > 1)
		array_sort(world->scratch.overlaps, world->scratch.overlap_count, sizeof *world->scratch.overlaps, overlap_compare);
	return tests < tests_max;
}

static void
body_place(struct world *world, uint32_t body, double x, double y)
{
	struct body *path = &world->bodies.paths[body];

	sleep_wake(world, body, 0.0);
	body_touch(world, body);
	if (world->watch)
		watch_path_end(world, body, 0.0);
	path->x += x;
	path->y += y;
	grid_move(&world->grid, body, grid_cell(&world->grid, body, path->x, path->y));
	world->report.energy.push -= world->bodies.infos[body].mass * world->bodies.infos[body].gravity_scale *
	                             (world->settings.gravity_x * x + world->settings.gravity_y * y);
	path_change_report(world, 0.0, body, PATH_PUSHED, x, y);
	if (world->watch && world->watch->sensor_watch)
		sensor_watch_requery(world->watch->sensor_watch);
}

/* Moves a body by up to (x, y), as far as its way is free. Circles in the way are pushed along, up to `depth` of them in a row.
 * `wall` is the segment that it is pushed from, or NONE. Returns how far it went; *largest becomes at least the longest move
 * made. */
static double
body_push(struct world *world, uint32_t body, double x, double y, uint32_t wall, int depth, double *largest)
{
	uint32_t blocker;

	if (world->step.depenetration_tries == 0)
		return 0.0;
	world->step.depenetration_tries--;

	double free = way_free(world, body, x, y, wall, &blocker);

	if (free < 1.0 && blocker != NONE && depth > 0 && world->bodies.infos[blocker].inverse_mass > 0.0) {
		const struct body *path = &world->bodies.paths[body], *that = &world->bodies.paths[blocker];
		double dx = that->x - (path->x + free * x), dy = that->y - (path->y + free * y);
		double distance = sqrt(dx * dx + dy * dy);
		double along = distance > 0.0 ? (1.0 - free) * (x * dx + y * dy) / (distance * distance) : 0.0;

		/* Even a blocker that stays may have pushed others, and they this one or into its way. */
		if (along > 0.0) {
			(void)body_push(world, blocker, dx * along, dy * along, NONE, depth - 1, largest);
			free = way_free(world, body, x, y, wall, &blocker);
		}
	}
	x *= free;
	y *= free;
	if (x == 0.0 && y == 0.0)
		return 0.0;
	body_place(world, body, x, y);

	double length = sqrt(x * x + y * y);

	*largest = fmax(*largest, length);
	return length;
}

/* Whether the rest solver resolves it. Less than the skin may be the rounding of a scene that is built touching; that is
 * resolved here at once. */
static bool
overlap_is_solver_driven(struct world *world, const struct overlap *overlap, const struct overlap_view *view)
{
	return view->gap < -view->skin && handover_overlap(world, overlap->a, overlap->b, overlap->wall, view->nx, view->ny);
}

/* Moves one pair apart; returns the longest move, in radii. */
static double
overlap_push(struct world *world, const struct overlap *overlap)
{
	struct overlap_view view = overlap_view(world, overlap);

	if (view.gap >= 0.0 || overlap_is_solver_driven(world, overlap, &view))
		return 0.0;

	double wanted = view.skin - view.gap, largest = 0.0, went = 0.0;
	double inverse[2] = { world->bodies.infos[overlap->a].inverse_mass, 0.0 };
	bool weights = !overlap->wall && material_weights(world, overlap->a, overlap->b, inverse);
	double a = inverse[0], b = inverse[1], share = wanted * a / (a + b);
	uint32_t wall = overlap->wall ? overlap->b : NONE;

	if (a > 0.0)
		went = body_push(world, overlap->a, view.nx * share, view.ny * share, wall, CHAIN_MAX, &largest);
	wanted -= went;
	if (b > 0.0)
		(void)body_push(world, overlap->b, -view.nx * wanted, -view.ny * wanted, NONE, CHAIN_MAX, &largest);
	/* What the second body could not move, the first may. */
	view = overlap_view(world, overlap);
	wanted = view.skin - view.gap;
	if (view.gap < 0.0 && (weights || (a > 0.0 && b > 0.0)))
		(void)body_push(world, overlap->a, view.nx * wanted, view.ny * wanted, NONE, CHAIN_MAX, &largest);
	return largest / world->bodies.paths[overlap->a].radius;
}

static uint32_t
overlap_cluster_find(uint32_t *parents, uint32_t body)
{
	while (parents[body] != body) {
		parents[body] = parents[parents[body]];
		body = parents[body];
	}
	return body;
}

static int
cluster_body_compare(const void *left, const void *right)
{
	const struct cluster_body *l = left, *r = right;

	if (l->knot != r->knot)
		return l->knot < r->knot ? -1 : 1;
	if (l->distance != r->distance)
		return l->distance > r->distance ? -1 : 1;
	return l->body < r->body ? -1 : l->body > r->body;
}

/* Moves a body away from the middle, or past what blocks it: by 45 and by 90 degrees to either side. */
static void
cluster_body_move(struct world *world, uint32_t body, double x, double y, double *largest)
{
	const double ways[5][2] = { { x, y }, { x - y, x + y }, { x + y, y - x }, { -y, x }, { y, -x } };

	for (int i = 0; i < 5; i++)
		if (body_push(world, body, ways[i][0], ways[i][1], NONE, i == 0 ? CHAIN_MAX : 0, largest) > 0.0)
			return;
}

/* Spreads one overlap cluster from its middle, the outermost body first. A body that moves straight away from a point comes no
 * nearer to any body that is nearer to that point. Returns the longest move in radii. */
static double
overlap_cluster_spread(struct world *world, struct cluster_body *bodies, size_t count)
{
	double x = 0.0, y = 0.0, largest = 0.0, radius = 0.0;
	size_t loose = 0;

	for (size_t i = 0; i < count; i++) {
		x += world->bodies.paths[bodies[i].body].x / (double)count;
		y += world->bodies.paths[bodies[i].body].y / (double)count;
		loose += world->bodies.infos[bodies[i].body].inverse_mass > 0.0;
	}
	/* A single movable body is squeezed, and spreading does not help. */
	if (loose < 2)
		return 0.0;
	for (size_t i = 0; i < count; i++) {
		double dx = world->bodies.paths[bodies[i].body].x - x, dy = world->bodies.paths[bodies[i].body].y - y;

		bodies[i].distance = sqrt(dx * dx + dy * dy);
	}
	array_sort(bodies, count, sizeof *bodies, cluster_body_compare);
	for (size_t i = 0; i < count; i++) {
		const struct body *body = &world->bodies.paths[bodies[i].body];

		radius = fmax(radius, body->radius);
		if (world->bodies.infos[bodies[i].body].inverse_mass > 0.0)
			cluster_body_move(world, bodies[i].body, SPREAD * (body->x - x), SPREAD * (body->y - y), &largest);
	}
	return largest / radius;
}

/* Fills in, for every circle that touches another, the lowest body of its overlap cluster; sorted by cluster. Returns their
 * number. */
static size_t
overlap_clusters_collect(const struct world *world, uint32_t *parents, struct cluster_body *bodies)
{
	size_t count = 0, kept = 0;

	for (uint32_t i = 0; i < world->bodies.count && !pause_after(1); i++)
		parents[i] = i;
	for (size_t k = 0; k < world->scratch.overlap_count && !pause_after(4); k++) {
		const struct overlap *overlap = &world->scratch.overlaps[k];

		if (overlap->wall)
			continue;

		uint32_t a = overlap_cluster_find(parents, overlap->a), b = overlap_cluster_find(parents, overlap->b);

		parents[a > b ? a : b] = a < b ? a : b;
		bodies[count++].body = overlap->a;
		bodies[count++].body = overlap->b;
	}
	for (size_t i = 0; i < count && !pause_after(4); i++) {
		bodies[i].knot = overlap_cluster_find(parents, bodies[i].body);
		bodies[i].distance = 0.0;
	}
	if (count > 0)
		array_sort(bodies, count, sizeof *bodies, cluster_body_compare);
	for (size_t i = 0; i < count && !pause_after(2); i++)
		if (i == 0 || bodies[i].body != bodies[i - 1].body)
			bodies[kept++] = bodies[i];
	return kept;
}

static bool
overlap_cluster_overlaps(struct world *world, uint32_t *parents, uint32_t knot)
{
	for (size_t k = 0; k < world->scratch.overlap_count && !pause_after(4); k++) {
		const struct overlap *overlap = &world->scratch.overlaps[k];
		struct overlap_view view = overlap_view(world, overlap);

		if (!overlap->wall && view.gap < 0.0 && overlap_cluster_find(parents, overlap->a) == knot &&
		    !overlap_is_solver_driven(world, overlap, &view))
			return true;
	}
	return false;
}

/* Spreads every cluster in which circles overlap; returns the longest move in radii. */
static double
overlap_clusters_spread(struct world *world)
{
	double moved = 0.0;

	(void)overlaps_find(world, true, UINT64_MAX, NULL);

	if (array_reserve(&world->scratch.overlap_parents, &world->scratch.overlap_parent_capacity, (size_t)world->bodies.count + 1,
	                  sizeof *world->scratch.overlap_parents) &&
	    array_reserve(&world->scratch.overlap_bodies, &world->scratch.overlap_body_capacity,
	                  2 * world->scratch.overlap_count + 1, sizeof *world->scratch.overlap_bodies)) {
		uint32_t *parents = world->scratch.overlap_parents;
		struct cluster_body *bodies = world->scratch.overlap_bodies;
		size_t count = overlap_clusters_collect(world, parents, bodies);

		for (size_t i = 0, n; i < count && !world_pause(world, EVENT_UNITS); i += n) {
			for (n = 1; i + n < count && bodies[i + n].knot == bodies[i].knot; n++)
				continue;
			if (overlap_cluster_overlaps(world, parents, bodies[i].knot))
				moved = fmax(moved, overlap_cluster_spread(world, &bodies[i], n));
		}
	} else {
		world->failed = true;
	}
	(void)overlaps_find(world, false, UINT64_MAX, NULL);
	return moved;
}

bool
overlaps_too_many(struct world *world, const uint8_t *touched, bool *all)
{
	*all = overlaps_find(world, false, TESTS_AT_CREATION, touched);
	return world->scratch.overlap_count > OVERLAPS_MIN + (size_t)OVERLAPS_PER_BODY * world->bodies.count;
}

struct overlap_sides
overlap_sides(const struct world *world, size_t index)
{
	const struct overlap *overlap = &world->scratch.overlaps[index];

	return (struct overlap_sides){ .a = overlap->a, .b = overlap->b, .wall = overlap->wall };
}

/* Reports the depth that is left. */
static void
overlap_report(struct world *world, const struct overlap *overlap)
{
	double gap = overlap_view(world, overlap).gap;

	if (gap >= 0.0)
		return;
	if (world->bodies.infos[overlap->a].kind == BODY_DYNAMIC)
		shortfall_report(world, overlap->a, BODY_FLAG_INITIAL_OVERLAP, -gap);
	if (!overlap->wall && world->bodies.infos[overlap->b].kind == BODY_DYNAMIC)
		shortfall_report(world, overlap->b, BODY_FLAG_INITIAL_OVERLAP, -gap);
}

void
push_out(struct world *world)
{
	(void)overlaps_find(world, false, UINT64_MAX, NULL);
	world->step.depenetration_tries = TRIES_MIN + 2 * TRIES_PER_BODY * world->scratch.overlap_count;
	for (int round = 0; round < ROUNDS_MAX && world->scratch.overlap_count > 0; round++) {
		double moved = 0.0;

		for (size_t k = 0; k < world->scratch.overlap_count && !world->failed && !world_pause(world, EVENT_UNITS); k++)
			moved = fmax(moved, overlap_push(world, &world->scratch.overlaps[k]));
		if (!(moved > MOVE_MIN_PART) && !(overlap_clusters_spread(world) > MOVE_MIN_PART))
			break;
	}
	size_t left = 0;

	for (size_t k = 0; k < world->scratch.overlap_count && !pause_after(8); k++) {
		const struct overlap *overlap = &world->scratch.overlaps[k];
		struct overlap_view view = overlap_view(world, overlap);

		if (overlap_is_solver_driven(world, overlap, &view))
			world->scratch.overlaps[left++] = *overlap;
		else
			overlap_report(world, overlap);
	}
	world->scratch.overlap_count = left;
}

void
push_finish(struct world *world)
{
	for (size_t k = 0; k < world->scratch.overlap_count && !pause_after(8); k++)
		overlap_report(world, &world->scratch.overlaps[k]);
	world->scratch.overlap_count = 0;
}
