/* Happy path: the bodies that are due are looked at all around, in the order of their indices; who may touch in this tick is
 * predicted, and each is due again when it may touch something next. What can go wrong: memory (world->failed); too much is
 * stirred (the world is predicted as a whole for some ticks). */
#include "physics/agenda.h"

#include "base/pages.h"
#include "physics/ahead.h"
#include "physics/eight.h"
#include "physics/outlook.h"
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
/* So many bodies that nothing comes to, of which each that is stirred costs as much as some, are done before others have woken
 * up. */
#define SPARE_BODIES 40960u
#define SPARE_PER_STIRRED 64u
/* Ticks without it once there were too many, or somebody strayed. */
#define REST_TICKS 32u
/* How many looks before its own a body is fetched, and those around it are listed and fetched. */
#define CELLS_AHEAD 16u
#define AROUND_AHEAD 8u
/* In large worlds, where they are hardly in the cache: how many before that the cells around it are. */
#define HEADS_AHEAD 8u
/* As many around a body as are listed before it is looked at; of equal circles, not even half as many find room. */
#define AROUND_MAX 48u

/* Of agenda.now, for so many bodies. */
static inline size_t
words_of(size_t bodies)
{
	return (bodies + 63) / 64;
}

void
agenda_init(struct agenda *agenda)
{
	*agenda = (struct agenda){ 0 };
}

void
agenda_finish(struct agenda *agenda)
{
	free(agenda->eights);
	free(agenda->now);
	agenda_init(agenda);
}

size_t
agenda_memory_bytes(const struct agenda *agenda)
{
	return agenda->body_capacity / 8 * sizeof *agenda->eights + words_of(agenda->body_capacity) * sizeof *agenda->now;
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

/* A calm body that looks about. */
struct looker {
	two position, velocity;
	double radius; /* outlook_radius */
	uint32_t body;
};

static inline struct looker
looker_of(const struct world *world, uint32_t body)
{
	const struct body *path = &world->bodies[body];

	return (struct looker){ two_load(&path->x), two_load(&path->vx), outlook_radius(world, path), body };
}

/* A body that is not calm will be looked at in the next tick anyway. */
static void
uncalm_look(struct world *world, uint32_t body)
{
	double leave = predict_leave(world, body, 0.0);

	if (grid_has_walls(&world->grid, world->grid.rows[body].cell))
		predict_walls(world, body, world->grid.rows[body].cell);
	world->agenda.strayed = world->agenda.strayed || is_stray(world, body);
	if (world->grid.level_count > 1 || is_stray(world, body))
		predict_levels(world, body, 0, 0.0, leave);
}

/* When a calm body may leave its cell. In how many ticks that is asked again. */
static unsigned
leave_look(struct world *world, uint32_t body)
{
	const struct body *path = &world->bodies[body];
	const struct body_place place = { two_load(&path->x), two_load(&path->vx) };

	if (outlook_strays(world, path)) {
		world->agenda.strayed = true;
		uncalm_look(world, body);
		return 1;
	}

	double leave = outlook_leave(world, body, &place);

	if (!outlook_is_later(world, 0.0, leave))
		predict_leave_soon(world, body, 0.0, leave);
	return outlook_cell_ticks(world, 0.0, leave);
}

/* A calm body at the walls of its cell. */
static void
walls_look(struct world *world, const struct looker *looker, struct outlook *outlook)
{
	const struct body *path = &world->bodies[looker->body];
	const struct body_place place = { looker->position, looker->velocity };
	uint32_t cell = world->grid.rows[looker->body].cell;
	double reached;

	if (!grid_has_walls(&world->grid, cell))
		return;
	reached = outlook_walls(world, path, &place, cell);
	if (!outlook_is_later(world, 0.0, reached))
		predict_walls(world, looker->body, cell);
	outlook->then = lesser(outlook->then, reached);
}

/* Whether a body that is due looks at another: of two that are due, the later one does. All who are not calm are due. Asks who
 * was due when the looks began, so the order in which they are taken does not matter. */
static inline bool
looks_at(const struct world *world, uint32_t body, uint32_t other)
{
	return (other != body) & ((other < body) | !(world->agenda.now[other / 64] >> (other % 64) & 1));
}

/* A calm body at another, that is calm too. */
static inline double
pair_look(struct world *world, const struct looker *looker, uint32_t other, double late)
{
	const struct body *that = &world->bodies[other];
	uint32_t body = looker->body;
	double reached = outlook_pair(looker->position - two_load(&that->x), looker->velocity - two_load(&that->vx),
	                              looker->radius + that->radius, larger(late, world->dt / OUTLOOK_SURE));

	if (!outlook_is_later(world, 0.0, reached))
		predict_circles(world, body < other ? body : other, body < other ? other : body);
	return reached;
}

/* The same at one that may not be. */
static inline void
calm_look(struct world *world, const struct looker *looker, uint32_t other, struct outlook *outlook)
{
	uint32_t body = looker->body;

	if (world->untouched[other])
		outlook_add(outlook, other, pair_look(world, looker, other, outlook->then));
	else
		predict_circles(world, body < other ? body : other, body < other ? other : body);
}

/* A calm body's look at the other levels: where it comes in its cell in the ticks for which it may be left alone. */
static void
levels_look(struct world *world, const struct looker *looker, struct outlook *outlook)
{
	uint32_t body = looker->body;
	const struct grid *grid = &world->grid;
	const struct body_place here = { looker->position, looker->velocity };
	struct grid_look look = look_beyond(world, body, &here, AGENDA_LAST * world->dt);

	for (uint32_t cell = grid_look_next(&look); cell != NONE; cell = grid_look_next(&look))
		for (uint32_t place = grid->heads[cell]; place != NONE; place = grid_onward(grid, place))
			if (looks_at(world, body, grid_body(place)))
				calm_look(world, looker, grid_body(place), outlook);
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
		for (uint32_t place = grid->heads[grid_ring_next(&ring)]; place != NONE && count <= AROUND_MAX;
		     place = grid_onward(grid, place)) {
			uint32_t other = grid_body(place);

			line_fetch(&world->bodies[other]);
			around->others[count] = other;
			count += looks_at(world, body, other);
		}
	}
	around->count = count;
}

/* Whether a body that is to be looked at is to be so all around. */
static inline bool
looks_around(const struct world *world, uint32_t body)
{
	return *agenda_due(&world->agenda, body) == (uint8_t)world->tick;
}

/* A calm body at those around it. */
static void
around_look_calm(struct world *world, const struct looker *looker, const struct around *around, struct outlook *outlook)
{
	const struct grid *grid = &world->grid;
	struct grid_ring ring;

	if (around->count <= AROUND_MAX) {
		for (uint32_t k = 0; k < around->count; k++)
			calm_look(world, looker, around->others[k], outlook);
		return;
	}
	for (ring = grid_ring(grid, looker->body); ring.cells != 0;)
		for (uint32_t place = grid->heads[grid_ring_next(&ring)]; place != NONE; place = grid_onward(grid, place))
			if (looks_at(world, looker->body, grid_body(place)))
				calm_look(world, looker, grid_body(place), outlook);
}

/* One that is not calm. */
static void
around_look_stirred(struct world *world, uint32_t body)
{
	const struct grid *grid = &world->grid;
	bool clear = settle_clear(world, body);

	for (struct grid_ring ring = grid_ring(grid, body); ring.cells != 0;) {
		for (uint32_t place = grid->heads[grid_ring_next(&ring)]; place != NONE; place = grid_onward(grid, place)) {
			uint32_t other = grid_body(place);

			if (looks_at(world, body, other) && !(clear && !world->untouched[other] && settle_clear(world, other)))
				predict_circles(world, body < other ? body : other, body < other ? other : body);
		}
	}
}

/* A calm body all around, and when it is due again. */
static void
around_look(struct world *world, uint32_t body, const struct around *around)
{
	const struct looker looker = looker_of(world, body);
	struct agenda_eight *eight = &world->agenda.eights[body / 8];
	struct outlook outlook = outlook_clear();

	around_look_calm(world, &looker, around, &outlook);
	if (world->grid.level_count > 1)
		levels_look(world, &looker, &outlook);
	walls_look(world, &looker, &outlook);
	eight->due[body % 8] = (uint8_t)(world->tick + outlook_ticks(world, 0.0, outlook.then));
	eight->meets[body % 8] = (uint8_t)(world->tick + outlook_ticks(world, 0.0, outlook.soon));
	eight->partners[body % 8] = outlook.with;
}

/* A calm body at its partner only. One that is not calm has looked at it himself. */
static void
partner_look(struct world *world, uint32_t body)
{
	const struct looker looker = looker_of(world, body);
	struct agenda_eight *eight = &world->agenda.eights[body / 8];
	uint32_t other = eight->partners[body % 8];
	double reached = (double)INFINITY;

	if (other != NONE && world->untouched[other])
		reached = pair_look(world, &looker, other, (double)INFINITY);
	eight->meets[body % 8] = (uint8_t)(world->tick + outlook_ticks(world, 0.0, reached));
	eight->partners[body % 8] = reached < (double)INFINITY ? other : NONE;
}

/* A body that is to be looked at all around. */
static void
body_look(struct world *world, uint32_t body, const struct around *around)
{
	world->cost.looks++;
	if (world->untouched[body]) {
		around_look(world, body, around);
		return;
	}
	around_look_stirred(world, body);
	uncalm_look(world, body);
	*agenda_due(&world->agenda, body) = *agenda_leaves(&world->agenda, body) = (uint8_t)(world->tick + 1);
}

/* Room for all bodies; false without memory. */
static bool
agenda_reserve(struct agenda *agenda, const struct world *world)
{
	/* Read by eight. */
	size_t bodies = (world->body_count + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);

	if (bodies <= agenda->body_capacity)
		return true;
	free(agenda->eights);
	free(agenda->now);
	agenda->body_capacity = 0;
	agenda->eights = pages_alloc(bodies / 8 * sizeof *agenda->eights);
	agenda->now = calloc(words_of(bodies), sizeof *agenda->now);
	if (!agenda->eights || !agenda->now)
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
	for (uint32_t k = 0; 8 * k < world->body_count; k++) {
		struct agenda_eight *eight = &world->agenda.eights[k];

		memset(eight, (uint8_t)world->tick, sizeof *eight);
		memset(eight->partners, 0xff, sizeof eight->partners); /* NONE */
	}
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
agenda_spares(const struct world *world)
{
	const struct agenda *agenda = &world->agenda;

	return agenda->rest == 0 && agenda_suits(world) &&
	       world->body_count + SPARE_PER_STIRRED * (uint64_t)agenda->stirred < SPARE_BODIES;
}

#ifndef NDEBUG
/* Whether everybody who is not calm is due. */
static bool
agenda_has_stirred(const struct world *world)
{
	for (uint32_t i = 0; i < world->body_count; i++)
		if (!world->untouched[i] && *agenda_due(&world->agenda, i) != (uint8_t)world->tick)
			return false;
	return true;
}
#endif

/* Eight times the last byte of the tick's number. */
static inline uint64_t
ticks_of(const struct world *world)
{
	return UINT64_C(0x0101010101010101) * (uint8_t)world->tick;
}

bool
agenda_enter(struct world *world)
{
	if (!agenda_ready(world))
		return false;
	assert(agenda_has_stirred(world));
	world->agenda.strayed = false;
	return true;
}

void
agenda_mark(const struct world *world, uint32_t first, uint32_t end)
{
	const struct agenda *agenda = &world->agenda;
	uint64_t ticks = ticks_of(world), bits = 0, eight;

	/* Behind the last body there is room for as many bytes as are read; what they say of none is never asked. */
	for (uint32_t i = first; i < end; i += (uint32_t)sizeof eight) {
		memcpy(&eight, agenda->eights[i / 8].due, sizeof eight);
		bits |= tops_of(zeros_of(eight ^ ticks)) << i % 64;
		agenda->now[i / 64] = bits;
		bits = i % 64 == 56 ? 0 : bits;
	}
}

/* Who of eight bodies is due, or may leave his cell, a bit each. */
static inline uint64_t
eight_is_due(const struct agenda_eight *eight, uint64_t ticks)
{
	uint64_t looks, meets, leaves;

	memcpy(&looks, eight->due, sizeof looks);
	memcpy(&meets, eight->meets, sizeof meets);
	memcpy(&leaves, eight->leaves, sizeof leaves);
	return tops_of(zeros_of(looks ^ ticks) | zeros_of(meets ^ ticks) | zeros_of(leaves ^ ticks));
}

uint32_t
agenda_take(const struct world *world, uint32_t *first, uint32_t end, uint32_t out[AGENDA_TAKEN_MAX])
{
	uint64_t ticks = ticks_of(world), due;
	uint32_t count = 0, i = *first;

	/* As many as a word has bits, since nobody can guess how many of them are due. */
	for (; i < end && count + 64 <= AGENDA_TAKEN_MAX; i += 64) {
		due = 0;
		for (uint32_t k = i; k < i + 64 && k < end; k += 8)
			due |= eight_is_due(&world->agenda.eights[k / 8], ticks) << (k - i);
		for (; due != 0; due &= due - 1)
			out[count++] = i + (uint32_t)__builtin_ctzll(due);
	}
	/* Behind the last body there is room for as many bytes as are read. */
	while (count > 0 && out[count - 1] >= end)
		count--;
	*first = i;
	return count;
}

/* Bodies that are due, by what for: what comes next for each of them nobody could guess. Who may leave his cell may be due for
 * something else too. */
struct dues {
	uint32_t around_count, partner_count, leave_count;
	uint32_t around[AGENDA_TAKEN_MAX], partner[AGENDA_TAKEN_MAX], leave[AGENDA_TAKEN_MAX];
};

static void
dues_sort(const struct world *world, const uint32_t *bodies, uint32_t count, struct dues *dues)
{
	const struct agenda *agenda = &world->agenda;
	uint8_t tick = (uint8_t)world->tick;

	dues->around_count = dues->partner_count = dues->leave_count = 0;
	for (uint32_t k = 0; k < count; k++) {
		uint32_t body = bodies[k];
		bool around = looks_around(world, body);

		dues->around[dues->around_count] = body;
		dues->around_count += around;
		dues->partner[dues->partner_count] = body;
		dues->partner_count += !around & (*agenda_meets(agenda, body) == tick);
		/* Who is not calm is asked when he looks around. */
		dues->leave[dues->leave_count] = body;
		dues->leave_count += (world->untouched[body] != 0) & (*agenda_leaves(agenda, body) == tick);
	}
}

static inline void
row_fetch(const struct world *world, const uint32_t *bodies, uint32_t count, uint32_t k)
{
	if (k < count) {
		line_fetch(&world->bodies[bodies[k]]);
		line_fetch(&world->grid.rows[bodies[k]]);
	}
}

static void
dues_look_around(struct world *world, const uint32_t *bodies, uint32_t count)
{
	struct around around[AROUND_AHEAD];
	bool far = world->body_count >= FETCH_BODIES_MIN;

	/* Listed some looks ahead. */
	for (uint32_t k = 0; k < count + AROUND_AHEAD && !world->failed; k++) {
		row_fetch(world, bodies, count, k + CELLS_AHEAD);
		if (far && k + HEADS_AHEAD < count)
			grid_fetch_around(&world->grid, bodies[k + HEADS_AHEAD]);
		if (k >= AROUND_AHEAD)
			body_look(world, bodies[k - AROUND_AHEAD], &around[k % AROUND_AHEAD]);
		if (k < count)
			around_list(world, bodies[k], &around[k % AROUND_AHEAD]);
	}
}

static void
dues_look_partner(struct world *world, const uint32_t *bodies, uint32_t count)
{
	const struct agenda *agenda = &world->agenda;

	for (uint32_t k = 0; k < count && !world->failed; k++) {
		row_fetch(world, bodies, count, k + CELLS_AHEAD);
		uint32_t partner = k + AROUND_AHEAD < count ? *agenda_partner(agenda, bodies[k + AROUND_AHEAD]) : NONE;

		if (partner != NONE)
			line_fetch(&world->bodies[partner]);
		partner_look(world, bodies[k]);
	}
}

static void
dues_look_leave(struct world *world, const uint32_t *bodies, uint32_t count)
{
	for (uint32_t k = 0; k < count && !world->failed; k++) {
		row_fetch(world, bodies, count, k + CELLS_AHEAD);
		*agenda_leaves(&world->agenda, bodies[k]) = (uint8_t)(world->tick + leave_look(world, bodies[k]));
	}
}

void
agenda_look(struct world *world, const uint32_t *bodies, uint32_t count)
{
	struct dues dues;

	dues_sort(world, bodies, count, &dues);
	dues_look_around(world, dues.around, dues.around_count);
	dues_look_partner(world, dues.partner, dues.partner_count);
	dues_look_leave(world, dues.leave, dues.leave_count);
}

void
agenda_leave(struct world *world, uint64_t looks)
{
	struct agenda *agenda = &world->agenda;
	bool anew = !agenda_is_for(agenda, world->tick);

	agenda->looks = anew ? 0 : (uint32_t)((3 * (uint64_t)agenda->looks + looks) / 4);
	agenda->ticks++;
	agenda->tick = world->tick + 1;
	agenda->made = true;
	if (agenda->strayed) {
		agenda_forget(agenda);
		agenda->rest = REST_TICKS;
	}
}

bool
agenda_predict(struct world *world)
{
	uint32_t bodies[AGENDA_TAKEN_MAX], first = 0, count;
	uint64_t before = world->cost.looks;

	if (!agenda_enter(world))
		return world->failed;
	agenda_mark(world, 0, world->body_count);
	while (!world->failed && (count = agenda_take(world, &first, world->body_count, bodies)) > 0) {
		agenda_look(world, bodies, count);
		(void)world_asked_to_stop(world);
	}
	agenda_leave(world, world->cost.looks - before);
	return true;
}
