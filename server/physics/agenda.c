/* Happy path: the bodies that are due are looked at all around, in the order of their indices; who may touch in this tick is
 * predicted, and each is due again when it may touch something next. What can go wrong: memory (world->failed); too much is
 * stirred (the world is predicted as a whole for some ticks). */
#include "physics/agenda.h"

#include "physics/predict_parts.h"
#include "physics/settle.h"
#include "physics/two.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Used while not more than this part of the bodies is stirred, begun when not more than that part is. */
#define BUSY_PART 2u
#define BUSY_PART_BEGIN 3u
/* Nor longer when all but this part of the bodies are looked at. */
#define CALM_PART 8u
/* In a workspace: agenda_suits. */
#define BODIES_MIN 16u
/* With so many hands for a world of up to so many bodies, and fewer than this part of them, each time as many hands, stirred,
 * one of them with the agenda is the fastest. Once it is there this is so for more. */
#define SPARE_BODIES_MAX 65536u
#define SPARE_PART 6u
#define SPARE_PART_THERE 4u
/* Ticks without it once there were too many, or somebody strayed. */
#define REST_TICKS 32u
#define LAST_TICK (AGENDA_TICKS - 1u)
/* Of radii: more than what rounding does to a path in AGENDA_TICKS. */
#define SLACK 1e-4
/* How many bodies are looked at between two questions whether to go on; and how many looks before its own a body is fetched,
 * and those around it are listed and fetched. */
#define BODIES_PER_QUESTION 256u
#define CELLS_AHEAD 16u
#define AROUND_AHEAD 8u
/* As many around a body as are listed before it is looked at; of equal circles, not even half as many find room. */
#define AROUND_MAX 24u
/* Of the time up to something: what counting in whole ticks and rounding cost. */
#define PART_SURE 0.999

void
agenda_init(struct agenda *agenda)
{
	*agenda = (struct agenda){ 0 };
}

void
agenda_finish(struct agenda *agenda)
{
	free(agenda->due);
	agenda_init(agenda);
}

size_t
agenda_memory_bytes(const struct agenda *agenda)
{
	return agenda->body_capacity * sizeof *agenda->due;
}

void
agenda_forget(struct agenda *agenda)
{
	agenda->made = false;
}

void
agenda_begin(struct agenda *agenda, const struct world *world)
{
	if (agenda->dt != world->dt)
		agenda_forget(agenda);
	agenda->stirred = 0;
}

/* Whether it is sure that something that comes at a time, or later, does not come in this tick; what is no number may. */
static inline bool
comes_later(const struct world *world, double time)
{
	return PART_SURE * time >= world->dt;
}

/* A calm body that looks about. */
struct looker {
	two position, velocity;
	double radius; /* more than what its own, slack and rounding add to another's */
	uint32_t body;
};

static inline struct looker
looker_of(const struct world *world, uint32_t body)
{
	const struct body *path = &world->bodies[body];

	/* Calm bodies are no strays: the coordinates of none are rounded by more (cell_look). */
	return (struct looker){ two_load(&path->x), two_load(&path->vx), path->radius + 4.0 * world->grid.rounding, body };
}

/* A time before which it cannot touch another calm one; INFINITY if that is `late` or later. They fall alike, so each sees the
 * other on a straight line. */
static inline double
pair_reached(const struct looker *i, const struct body *j, double late)
{
	two d = i->position - two_load(&j->x), w = i->velocity - two_load(&j->vx);
	two squares = d * d, along = d * w, speeds = w * w;
	double radii = (1.0 + SLACK) * (i->radius + j->radius);
	double room = squares[0] + squares[1] - radii * radii, closing = along[0] + along[1];

	if (!(room > 0.0))
		return 0.0;
	/* It takes them half as long to meet as if they came at each other along the line between them, or longer. */
	if (closing >= 0.0 || room > -2.0001 * closing * late)
		return (double)INFINITY;

	/* As in toi.c: not the difference of the squares, which from afar are nearly the same. What rounding does to the cross
	 * product is little beside what it does to coordinates so large, and that is in the radii. */
	double cross = d[0] * w[1] - d[1] * w[0], left = (speeds[0] + speeds[1]) * (radii * radii) - cross * cross;

	if (left < 0.0)
		return (double)INFINITY;

	double time = room / (sqrt(left) - closing);

	/* What is no number is at once. */
	return time > 0.0 ? time : 0.0;
}

/* How fast a calm body may become before it is looked at again. */
static inline double
speed_most(const struct world *world, const struct body *path)
{
	return path_rate(path->vx, path->vy, path->ax, path->ay, AGENDA_TICKS * world->dt);
}

/* The time before which a centre whose offset from the nearest point of something convex is (x, y) cannot be as near to it as
 * `radii`. */
static inline double
wall_reached(const struct body *path, double x, double y, double radii, double speed)
{
	if (path->ax == 0.0 && path->ay == 0.0 && x * path->vx + y * path->vy >= 0.0)
		return x * x + y * y > radii * radii ? (double)INFINITY : 0.0;
	return (sqrt(x * x + y * y) - radii) / speed;
}

static double
segment_reached(const struct body *path, const struct segment *segment, double radii, double speed)
{
	double px = path->x - segment->x1, py = path->y - segment->y1;
	double along = (px * segment->ux + py * segment->uy) / (segment->length * segment->length);

	along = larger(0.0, lesser(along, 1.0));
	return wall_reached(path, px - along * segment->ux, py - along * segment->uy, radii, speed);
}

/* A time before which a calm body cannot touch a wall of its cell. */
static double
walls_reached(const struct world *world, const struct body *path, uint32_t cell)
{
	const struct grid_walls *walls = &world->grid.still;
	double speed = speed_most(world, path), own = (1.0 + SLACK) * path->radius + 4.0 * body_rounding(path);
	double first = (double)INFINITY;

	for (uint32_t k = walls->segment_starts[cell]; k < walls->segment_starts[cell + 1]; k++) {
		const struct segment *segment = &world->segments[walls->segment_items[k]];

		first = lesser(first, segment_reached(path, segment, own + segment->radius + 4.0 * segment->rounding, speed));
	}
	for (uint32_t k = walls->vertex_starts[cell]; k < walls->vertex_starts[cell + 1]; k++) {
		const struct vertex *vertex = &world->vertices[walls->vertex_items[k]];

		first = lesser(first, wall_reached(path, path->x - vertex->x, path->y - vertex->y,
		                                   own + vertex->radius + 4.0 * vertex->rounding, speed));
	}
	return first;
}

/* A body that is not calm will be looked at in the next tick anyway. */
static void
uncalm_look(struct world *world, uint32_t body)
{
	double leave = predict_leave(world, body, 0.0);

	if (grid_has_walls(&world->grid, world->grid.cell_of[body]))
		predict_walls(world, body, world->grid.cell_of[body]);
	world->agenda.strayed = world->agenda.strayed || is_stray(world, body);
	if (world->grid.level_count > 1 || is_stray(world, body))
		predict_levels(world, body, 0, 0.0, leave);
}

/* A calm body's cell: the lesser of `soon` and a time before which it does not leave it, nor touch a wall there. */
static double
cell_look(struct world *world, uint32_t body, double soon)
{
	const struct grid *grid = &world->grid;
	const struct body *path = &world->bodies[body];
	uint32_t cell = grid->cell_of[body];
	double far = AGENDA_TICKS * world->dt * speed_most(world, path);

	if ((larger(fabs(path->x), fabs(path->y)) + far) * SKIN_PER_COORDINATE > grid->rounding) {
		world->agenda.strayed = true;
		uncalm_look(world, body);
		return 0.0;
	}

	double stays = grid_stays(grid, body, path, AGENDA_TICKS * world->dt);

	if (!comes_later(world, stays))
		(void)predict_leave(world, body, 0.0);
	soon = lesser(soon, stays);
	if (grid_has_walls(grid, cell)) {
		double walls = walls_reached(world, path, cell);

		if (!comes_later(world, walls))
			predict_walls(world, body, cell);
		soon = lesser(soon, walls);
	}
	return soon;
}

/* Whether a body that is due looks at another: of two that are due, the later one does. All who are not calm are due. */
static inline bool
looks_at(const struct world *world, uint32_t body, uint32_t other)
{
	return (other != body) & ((other < body) | (world->agenda.due[other] != (uint8_t)world->tick));
}

/* A calm body at another: the lesser of `soon` and a time before which they do not meet. */
static inline double
calm_look(struct world *world, const struct looker *looker, uint32_t other, double soon)
{
	bool calm = world->untouched[other] != 0;
	double late = larger(soon, world->dt / PART_SURE);
	double reached = calm ? pair_reached(looker, &world->bodies[other], late) : 0.0;

	if (!comes_later(world, reached))
		predict_circles(world, looker->body < other ? looker->body : other, looker->body < other ? other : looker->body);
	return calm ? lesser(soon, reached) : soon;
}

/* A calm body's look at the other levels: where it comes in the ticks for which it may be left alone. */
static double
levels_look(struct world *world, const struct looker *looker, double soon)
{
	uint32_t body = looker->body;
	const struct grid *grid = &world->grid;
	const struct body *path = &world->bodies[body];
	const struct grid_box box = path_sweep(path, LAST_TICK * world->dt);
	struct grid_look look = grid_look_begin(grid, 0, grid->level_of[body], &box, look_radius(path));

	for (uint32_t cell = grid_look_next(&look); cell != NONE; cell = grid_look_next(&look))
		for (uint32_t other = grid->heads[cell]; other != NONE; other = grid->next[other])
			if (looks_at(world, body, other))
				soon = calm_look(world, looker, other, soon);
	return soon;
}

/* Those around a body that is due, whom it looks at. */
struct around {
	uint32_t count; /* more than AROUND_MAX: they are not listed */
	uint32_t others[AROUND_MAX + 1];
};

/* Lists and fetches them. */
static void
around_list(const struct world *world, uint32_t body, struct around *around)
{
	const struct grid *grid = &world->grid;
	struct grid_ring ring = grid_ring(grid, body);
	uint32_t count = 0;

	while (ring.cells != 0 && count <= AROUND_MAX) {
		for (uint32_t other = grid->heads[grid_ring_next(&ring)]; other != NONE && count <= AROUND_MAX;
		     other = grid->next[other]) {
			__builtin_prefetch(&world->bodies[other]);
			around->others[count] = other;
			count += looks_at(world, body, other);
		}
	}
	around->count = count;
}

/* A calm body at those around it. */
static double
around_look_calm(struct world *world, const struct looker *looker, const struct around *around, double soon)
{
	struct grid_ring ring;

	if (around->count <= AROUND_MAX) {
		for (uint32_t k = 0; k < around->count; k++)
			soon = calm_look(world, looker, around->others[k], soon);
		return soon;
	}
	for (ring = grid_ring(&world->grid, looker->body); ring.cells != 0;)
		for (uint32_t other = world->grid.heads[grid_ring_next(&ring)]; other != NONE; other = world->grid.next[other])
			if (looks_at(world, looker->body, other))
				soon = calm_look(world, looker, other, soon);
	return soon;
}

/* One that is not calm. */
static void
around_look_stirred(struct world *world, uint32_t body)
{
	bool clear = settle_clear(world, body);

	for (struct grid_ring ring = grid_ring(&world->grid, body); ring.cells != 0;)
		for (uint32_t other = world->grid.heads[grid_ring_next(&ring)]; other != NONE; other = world->grid.next[other])
			if (looks_at(world, body, other) && !(clear && !world->untouched[other] && settle_clear(world, other)))
				predict_circles(world, body < other ? body : other, body < other ? other : body);
}

/* All around a body that is due. In how many ticks it is due again. */
static unsigned
around_look(struct world *world, uint32_t body, const struct around *around)
{
	double soon = LAST_TICK * world->dt / PART_SURE, ticks;

	if (!world->untouched[body]) {
		around_look_stirred(world, body);
		uncalm_look(world, body);
		return 1;
	}

	const struct looker looker = looker_of(world, body);

	soon = around_look_calm(world, &looker, around, soon);
	if (world->grid.level_count > 1)
		soon = levels_look(world, &looker, soon);
	soon = cell_look(world, body, soon);
	ticks = PART_SURE * soon / world->dt;
	/* What is no number is at once. */
	if (!(ticks >= 1.0))
		return 1;
	return ticks < (double)LAST_TICK ? (unsigned)ticks : LAST_TICK;
}

/* Room for all bodies; false without memory. */
static bool
agenda_reserve(struct agenda *agenda, const struct world *world)
{
	size_t bodies = world->body_count;

	if (bodies <= agenda->body_capacity)
		return true;
	free(agenda->due);
	agenda->body_capacity = 0;
	/* Read by eight. */
	agenda->due = calloc(bodies + sizeof(uint64_t), sizeof *agenda->due);
	if (!agenda->due)
		return false;
	agenda->body_capacity = bodies;
	return true;
}

/* Everybody is due. False without memory: the prediction as a whole gets its own too, which may be wanted in the middle of a
 * run. */
static bool
agenda_make(struct world *world)
{
	if (!rims_reserve(&world->rims, world))
		return false;
	memset(world->agenda.due, (uint8_t)world->tick, world->body_count);
	world->agenda.dt = world->dt;
	return true;
}

/* Whether the world is of the kind that it is for. The few of a small one that takes turns with others are looked at as a whole
 * in less time than it takes to have one line more from memory. */
static bool
agenda_suits(const struct world *world)
{
	if (world->workspace && world->body_count < BODIES_MIN)
		return false;
	return world->body_count > 1 && !world->kicks && !world->parted && world->moving_count == 0 && !world->grid.stale;
}

/* Whether it is to be used in this tick, and is there. Failure sets world->failed. */
static bool
agenda_ready(struct world *world)
{
	struct agenda *agenda = &world->agenda;
	bool there = agenda_is_for(agenda, world->tick);
	uint32_t bodies = world->body_count;
	bool busy = agenda->stirred > bodies / (there ? BUSY_PART : BUSY_PART_BEGIN) ||
	            (there && agenda->looks > bodies - bodies / CALM_PART);

	if (agenda->rest > 0) {
		agenda->rest--;
		return false;
	}
	if (!agenda_suits(world))
		return false;
	/* Also while too many are stirred: it may be wanted in the middle of a run. */
	if (!agenda_reserve(agenda, world)) {
		world->failed = true;
		return false;
	}
	if (busy) {
		agenda->rest = there ? REST_TICKS : 0;
		return false;
	}
	if (!there && !agenda_make(world))
		world->failed = true;
	return !world->failed;
}

bool
agenda_spares(const struct world *world, unsigned hands)
{
	const struct agenda *agenda = &world->agenda;
	uint64_t part = agenda_is_for(agenda, world->tick) ? SPARE_PART_THERE : SPARE_PART;

	return world->body_count <= SPARE_BODIES_MAX && agenda->rest == 0 && agenda_suits(world) &&
	       part * hands * agenda->stirred < world->body_count;
}

#ifndef NDEBUG
/* Whether everybody who is not calm is due. */
static bool
agenda_has_stirred(const struct world *world)
{
	for (uint32_t i = 0; i < world->body_count; i++)
		if (!world->untouched[i] && world->agenda.due[i] != (uint8_t)world->tick)
			return false;
	return true;
}
#endif

/* Of eight bytes: the top bit of those that are 0. */
static inline uint64_t
zeros_of(uint64_t eight)
{
	const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);

	return ~(((eight & low) + low) | eight | low);
}

/* The bodies from *first on that are due in this tick. Writes their indices, as long as there is room, and where to go on. */
static uint32_t
due_take(const struct world *world, uint32_t *first, uint32_t out[BODIES_PER_QUESTION])
{
	const uint64_t all = UINT64_C(0x0101010101010101) * (uint8_t)world->tick;
	uint32_t count = 0, i = *first, end = world->body_count;

	for (; i < end && count + sizeof all <= BODIES_PER_QUESTION; i += (uint32_t)sizeof all) {
		uint64_t eight, due;

		memcpy(&eight, world->agenda.due + i, sizeof eight);
		due = zeros_of(eight ^ all);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		due = __builtin_bswap64(due);
#endif
		for (; due != 0; due &= due - 1)
			out[count++] = i + (uint32_t)__builtin_ctzll(due) / 8;
	}
	/* Behind the last body there is room for as many bytes as are read. */
	while (count > 0 && out[count - 1] >= end)
		count--;
	*first = i;
	return count;
}

/* Looks at all who are due. */
static void
due_look(struct world *world)
{
	struct agenda *agenda = &world->agenda;
	struct around around[AROUND_AHEAD];
	uint32_t bodies[BODIES_PER_QUESTION], first = 0, end = world->body_count, count, looks = 0;

	while (first < end && !world->failed) {
		count = due_take(world, &first, bodies);
		/* Listed some looks ahead. */
		for (uint32_t k = 0; k < count + AROUND_AHEAD && !world->failed; k++) {
			if (k + CELLS_AHEAD < count) {
				__builtin_prefetch(&world->bodies[bodies[k + CELLS_AHEAD]]);
				__builtin_prefetch(&world->grid.cell_of[bodies[k + CELLS_AHEAD]]);
			}
			if (k >= AROUND_AHEAD) {
				uint32_t body = bodies[k - AROUND_AHEAD];

				agenda->due[body] = (uint8_t)(world->tick + around_look(world, body, &around[k % AROUND_AHEAD]));
			}
			if (k < count)
				around_list(world, bodies[k], &around[k % AROUND_AHEAD]);
		}
		looks += count;
		if (world_asked_to_stop(world))
			return;
	}
	world->cost.looks += looks;
	agenda->looks = (uint32_t)((3 * (uint64_t)agenda->looks + looks) / 4);
}

bool
agenda_predict(struct world *world)
{
	struct agenda *agenda = &world->agenda;

	if (!agenda_ready(world))
		return world->failed;
	assert(agenda_has_stirred(world));

	bool anew = !agenda_is_for(agenda, world->tick);

	agenda->strayed = false;
	due_look(world);
	if (anew)
		agenda->looks = 0;
	agenda->ticks++;
	agenda->tick = world->tick + 1;
	agenda->made = true;
	if (agenda->strayed) {
		agenda_forget(agenda);
		agenda->rest = REST_TICKS;
	}
	return true;
}
