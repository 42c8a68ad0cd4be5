/* The walls that a cell lists, against a body that is in it. Happy path: most walls that have not been predicted yet are missed
 * by the box around the body's path. What can go wrong: the queue finds no memory (world->failed). */
#include "physics/prediction/predict_private.h"
#include "physics/world/moving_walls.h"
#include "physics/world/substep.h"

/* The walls of one kind in a cell, ascending; and those of a cell with walls that were predicted before. */
struct wall_list {
	const uint32_t *item, *end, *known, *known_end;
};

static struct wall_list
wall_list(const uint32_t *starts, const uint32_t *items, uint32_t cell, uint32_t known)
{
	struct wall_list list = { .item = items + starts[cell], .end = items + starts[cell + 1] };

	if (known != NONE) {
		list.known = items + starts[known];
		list.known_end = items + starts[known + 1];
	}
	return list;
}

/* The next wall that is not known, or NONE. */
static inline uint32_t
wall_next(struct wall_list *list)
{
	for (; list->item < list->end; list->item++) {
		while (list->known < list->known_end && *list->known < *list->item)
			list->known++;
		if (list->known == list->known_end || *list->known != *list->item)
			return *list->item++;
	}
	return NONE;
}

/* An immovable wall has passed over a crushed circle already, and one that is gone is not there. Without the walls of the cell
 * `known`. */
static void
predict_moving(struct world *world, uint32_t body, uint32_t cell, uint32_t known)
{
	const struct grid_walls *walls = &world->grid.moving;
	const struct body *path = &world->bodies.paths[body];
	struct wall_list segments = wall_list(walls->segment_starts, walls->segment_items, cell, known);
	struct wall_list vertices = wall_list(walls->vertex_starts, walls->vertex_items, cell, known);

	if (world->bodies.infos[body].kind != BODY_DYNAMIC || world->bodies.infos[body].mode >= MODE_CRUSHED)
		return;
	for (uint32_t k = wall_next(&segments); k != NONE; k = wall_next(&segments)) {
		const struct segment *segment = &world->walls.segments[k];
		const struct body seen = path_seen(path, segment->vx, segment->vy);

		predict_face(world, body, &seen, k);
	}
	for (uint32_t k = wall_next(&vertices); k != NONE; k = wall_next(&vertices)) {
		const struct vertex *vertex = &world->walls.vertices[k];
		const struct body seen = path_seen(path, vertex->vx, vertex->vy);

		predict_vertex(world, body, &seen, k);
	}
}

/* A box that holds a circle on its path, with the right and upper side negated. Wider by far than the rounding of a contact. */
struct path_box {
	two low, high;
};

static inline struct path_box
path_box(const struct body *path, double duration)
{
	double half = 0.5 * duration, wide = path->radius + 4.0 * wall_skin(path, 0.0);
	two step = half * two_load(&path->vx), bend = half * duration * two_load(&path->ax);
	two reach = two_abs(step) + two_abs(bend), middle = two_load(&path->x) + step;

	wide += 0.0001 * (wide + reach[0] + reach[1]);
	reach += wide;
	return (struct path_box){ middle - reach, -(middle + reach) };
}

/* Whether a wall's box (grid_wall_boxes) is disjoint from it. */
static inline bool
box_misses(const struct path_box *box, const double *wall)
{
	two right = box->low + two_load(wall + 2), left = box->high + two_load(wall);

	return larger(larger(right[0], right[1]), larger(left[0], left[1])) > 0.0;
}

/* For a body without supports: it cannot meet a wall that its box misses. Without the walls of the cell `known`. */
static void
predict_near(struct world *world, uint32_t body, uint32_t cell, uint32_t known)
{
	const struct grid_walls *walls = &world->grid.still;
	const struct body *path = &world->bodies.paths[body];
	const double *boxes = grid_wall_boxes(&world->grid);
	struct wall_list segments = wall_list(walls->segment_starts, walls->segment_items, cell, known);
	struct wall_list vertices = wall_list(walls->vertex_starts, walls->vertex_items, cell, known);
	uint32_t segment = wall_next(&segments), vertex = wall_next(&vertices);

	if (segment == NONE && vertex == NONE)
		return;

	const struct path_box box = path_box(path, path_end(world, body) - path->t0);

	for (; segment != NONE; segment = wall_next(&segments))
		if (!box_misses(&box, boxes + 4 * (size_t)segment))
			predict_face(world, body, path, segment);
	boxes += 4 * (size_t)world->walls.segment_count;
	for (; vertex != NONE; vertex = wall_next(&vertices))
		if (!box_misses(&box, boxes + 4 * (size_t)vertex))
			predict_vertex(world, body, path, vertex);
}

void
predict_walls_new(struct world *world, uint32_t body, uint32_t cell, uint32_t before)
{
	/* All walls of its cell were predicted when its path began, by an event of this tick; since then, those of each cell that
	 * it came to. A domain does not have the events of another. */
	if (!world->bodies.marks[body].is_free || !(world->bodies.paths[body].t0 > 0.0) || world->gate.domain) {
		predict_walls(world, body, cell);
		return;
	}
	if (world->grid.moving.listed)
		predict_moving(world, body, cell, before);
	predict_near(world, body, cell, before);
}

void
predict_walls(struct world *world, uint32_t body, uint32_t cell)
{
	const struct grid *grid = &world->grid;
	const struct grid_walls *walls = &grid->still;
	const struct body *path = &world->bodies.paths[body];
	const struct body_info *info = &world->bodies.infos[body];
	/* A clean body's info need not be read. */
	bool clean = world->bodies.clean[body] != 0;

	if (!clean && handover_clear(world, body))
		return;
	if (grid->moving.listed)
		predict_moving(world, body, cell, NONE);
	if (!clean && body_lies(info))
		return;
	if (clean || info->support == NONE) {
		predict_near(world, body, cell, NONE);
		return;
	}
	for (uint32_t k = walls->segment_starts[cell]; k < walls->segment_starts[cell + 1]; k++)
		predict_face(world, body, path, walls->segment_items[k]);
	for (uint32_t k = walls->vertex_starts[cell]; k < walls->vertex_starts[cell + 1]; k++)
		predict_vertex(world, body, path, walls->vertex_items[k]);
}
