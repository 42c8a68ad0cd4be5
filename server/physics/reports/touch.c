/* Happy path: a contact that bounces begins, hits and ends at once, and is never stored. A pair that stays together is stored
 * in a hash table until its paths show that it has separated. What can go wrong: memory (world->failed). */
#include "physics/reports/touch.h"

#include "base/memory.h"
#include "base/pause.h"
#include "physics/math/sort.h"
#include "physics/prediction/predict.h"
#include "physics/reports/walk.h"
#include "physics/rest_solver/solver.h"
#include "physics/world/substep.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Distances beyond the distance of contact, as fractions of the smaller radius. A resting body lies a cushion of .01 above what
 * supports it. Between the two distances nothing begins or ends, so that the small motions of a heap cause no reports. */
#define BEGIN_PER_RADIUS 0.0125
#define END_PER_RADIUS 0.02
/* A pair recedes from a contact if it does so by this fraction of its speeds; less is rounding. */
#define RECEDE_PART 0x1p-40

struct touch {
	struct tie tie;
	uint32_t cause; /* of its last report, and when */
	double caused;
	double clock;   /* it has been followed up to this time */
	double impulse; /* in this tick */
	uint32_t rank;  /* rows reported since that cause */
	uint8_t parts;  /* of the tick, SUBSTEPS_LEAST equal ones, in which the solver had it carry force: a bit each */
	bool touches;
};

/* What happened to a pair, in order of time. */
struct note {
	struct tie tie;
	double time;
	uint32_t contact; /* row of world.report.contacts, or NONE: the pair rests */
};

struct touches {
	struct touch *pairs;
	size_t count, capacity;
	uint32_t *table;   /* open addressing: index of a pair, or NONE */
	size_t table_size; /* a power of 2, or 0 */
	struct note *notes;
	size_t note_count, note_capacity;
};

struct touches *
touches_create(void)
{
	return memory_zeroed(1, sizeof(struct touches));
}

void
touches_destroy(struct touches *touches)
{
	if (!touches)
		return;
	memory_free(touches->pairs);
	memory_free(touches->table);
	memory_free(touches->notes);
	memory_free(touches);
}

size_t
touches_memory_bytes(const struct touches *touches)
{
	return touches ? sizeof *touches + touches->capacity * sizeof *touches->pairs +
	                     touches->table_size * sizeof *touches->table + touches->note_capacity * sizeof *touches->notes
	               : 0;
}

static size_t
tie_place(const struct touches *touches, struct tie tie)
{
	uint64_t bits = (uint64_t)tie.a << 32 | tie.b;

	bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (size_t)(bits ^ (bits >> 31)) & (touches->table_size - 1);
}

/* The place of the pair in the table, or the free place where it belongs. */
static uint32_t *
table_find(const struct touches *touches, struct tie tie)
{
	size_t at = tie_place(touches, tie);

	while (touches->table[at] != NONE) {
		const struct touch *pair = &touches->pairs[touches->table[at]];

		if (pair->tie.a == tie.a && pair->tie.b == tie.b)
			break;
		at = (at + 1) & (touches->table_size - 1);
	}
	return &touches->table[at];
}

static void
table_fill(struct touches *touches)
{
	if (touches->table_size > 0)
		memset(touches->table, 0xff, touches->table_size * sizeof *touches->table);
	for (size_t i = 0; i < touches->count && !pause_after(4); i++)
		*table_find(touches, touches->pairs[i].tie) = (uint32_t)i;
}

bool
touches_reserve(struct touches *touches, size_t count)
{
	size_t size = touches->table_size > 0 ? touches->table_size : 64;

	if (!array_reserve(&touches->pairs, &touches->capacity, count + 1, sizeof *touches->pairs))
		return false;
	assert(touches->pairs);
	/* The table is at most half full. */
	while (size < 2 * count)
		size *= 2;
	if (size == touches->table_size)
		return true;

	uint32_t *table = memory_alloc(size * sizeof *table);

	if (!table)
		return false;
	memory_free(touches->table);
	touches->table = table;
	touches->table_size = size;
	table_fill(touches);
	return true;
}

static struct touch *
touch_find(const struct touches *touches, struct tie tie)
{
	uint32_t index = touches->table_size > 0 ? *table_find(touches, tie) : NONE;

	return index == NONE ? NULL : &touches->pairs[index];
}

/* The pair's entry, made if there is none; NULL without memory. */
static struct touch *
touch_take(struct touches *touches, struct tie tie)
{
	struct touch *pair = touch_find(touches, tie);

	if (pair)
		return pair;
	if (!touches_reserve(touches, touches->count + 1))
		return NULL;
	*table_find(touches, tie) = (uint32_t)touches->count;
	pair = &touches->pairs[touches->count++];
	*pair = (struct touch){ .tie = tie, .cause = TOLD_PATH };
	return pair;
}

void
touches_begin(struct touches *touches)
{
	touches->note_count = 0;
}

static void
note_add(struct world *world, struct tie tie, double time, uint32_t contact)
{
	struct touches *touches = world->watch->touches;

	if (!array_reserve(&touches->notes, &touches->note_capacity, touches->note_count + 1, sizeof *touches->notes)) {
		world->failed = true;
		return;
	}
	touches->notes[touches->note_count++] = (struct note){ .tie = tie, .time = time, .contact = contact };
}

void
touch_note_contact(struct world *world, struct tie tie)
{
	if (world->failed)
		return;

	size_t row = world->report.contact_count - 1;

	if (row >= NONE)
		world->failed = true;
	else
		note_add(world, tie, world->report.contacts[row].time, (uint32_t)row);
}

void
touch_note_rest(struct world *world, struct tie tie, double time)
{
	note_add(world, tie, time, NONE);
}

void
touch_note(void *context, const struct solver_touch *touch)
{
	struct substep_notes *notes = context;
	struct world *world = notes->world;
	bool wall = (touch->b & SOLVER_WALL) != 0;

	if (!(touch->impulse > 0.0))
		return;

	struct tie tie = { touch->a, wall ? (touch->b & ~SOLVER_WALL) | PARTNER_SEGMENT : touch->b };
	struct touch *pair = touch_take(world->watch->touches, tie);

	if (!pair) {
		world->failed = true;
		return;
	}
	pair->parts = (uint8_t)(pair->parts | notes->part);
	pair->impulse += touch->impulse;
}

struct substep_notes
touch_notes(struct world *world, unsigned substep)
{
	return (struct substep_notes){ .world = world, .part = (uint8_t)(1u << (substep * SUBSTEPS_LEAST / world->step.substeps)) };
}

/* The distance of centres, or of a centre and a segment, that exceeds that of contact by `part` of the smaller radius and by
 * `skins` skins. */
static double
distance_of(const struct walk *walk, double part, double skins)
{
	const struct world *world = walk->world;
	double radius = world->bodies.paths[walk->tie.a].radius;

	if (walk->b)
		radius = lesser(radius, walk->b->radius);
	return tie_radii(world, walk->tie) + skins * walk_skin(walk) + part * radius;
}

static double
distance_begin(const struct walk *walk)
{
	return distance_of(walk, BEGIN_PER_RADIUS, 1.0);
}

static double
distance_end(const struct walk *walk)
{
	return distance_of(walk, END_PER_RADIUS, 2.0);
}

/* Whether a pair stays so near during the whole tick that it cannot separate. */
static bool
pair_stays(const struct world *world, struct tie tie)
{
	struct walk walk = walk_begin(world, tie, 0.0, world->step.dt);
	struct grid_box a = watch_box(world, tie.a), b;
	double x = 0.5 * (a.x0 + a.x1), y = 0.5 * (a.y0 + a.y1), size = a.x1 - a.x0 + a.y1 - a.y0;

	if (walk.b) {
		b = watch_box(world, tie.b);
		x -= 0.5 * (b.x0 + b.x1);
		y -= 0.5 * (b.y0 + b.y1);
		size += b.x1 - b.x0 + b.y1 - b.y0;
	} else {
		const struct segment *segment = &world->walls.segments[tie.b & ~PARTNER_SEGMENT];
		double offset[2];

		size += 2.0 * (fabs(segment->vx) + fabs(segment->vy)) * world->step.dt;
		(void)wall_offset(segment, (const double[]){ x, y }, offset);
		x = offset[0];
		y = offset[1];
	}
	return 1.0001 * (sqrt(x * x + y * y) + 0.5 * size) < distance_end(&walk);
}

/* The first time in from..until at which the pair has separated (`parts`), or at which it has come near (not `parts`). */
static double
pair_passes(const struct world *world, struct tie tie, double from, double until, bool parts)
{
	struct walk walk = walk_begin(world, tie, from, until);

	while (walk_next(&walk)) {
		double time = walk_crossing(&walk, parts ? distance_end(&walk) : distance_begin(&walk), parts);

		if (time < (double)INFINITY)
			return time;
	}
	return (double)INFINITY;
}

/* When a pair on which the solver has put force comes near enough. */
static double
pair_solver_driven(const struct world *world, const struct touch *pair, double until)
{
	unsigned span = world->step.substeps / SUBSTEPS_LEAST;

	for (unsigned k = 0; k < SUBSTEPS_LEAST; k++) {
		double from = larger(pair->clock, substep_time(world, k * span)),
			   end = lesser(until, substep_time(world, (k + 1) * span));
		double time = pair->parts >> k & 1 ? pair_passes(world, pair->tie, from, end, false) : (double)INFINITY;

		if (time < (double)INFINITY)
			return time;
	}
	return (double)INFINITY;
}

static void
pair_report(struct world *world, struct touch *pair, const struct pair_event *event)
{
	/* At the time of its last cause, a row comes after those of that cause. */
	bool path = pair->cause == TOLD_PATH || event->time > pair->caused;

	if (path) {
		pair->cause = TOLD_PATH;
		pair->rank = 0;
	}
	watch_report(world, event, pair->cause, path ? 0 : pair->rank++);
}

/* Follows a pair along its paths, and reports the changes that these alone cause. */
static void
pair_follow(struct world *world, struct touch *pair, double until)
{
	while (pair->clock < until && !world->failed) {
		double time = (double)INFINITY;

		if (pair->touches)
			time = pair_passes(world, pair->tie, pair->clock, until, true);
		else if (pair->parts)
			time = pair_solver_driven(world, pair, until);
		if (!(time < until))
			break;

		struct pair_event event = tie_event(world, pair->tie, time, pair->touches ? PAIR_EVENT_END : PAIR_EVENT_BEGIN);

		pair_report(world, pair, &event);
		pair->touches = !pair->touches;
		pair->clock = time;
	}
	pair->clock = until;
}

static bool
contact_recedes(const struct contact *c)
{
	double wx = c->a_after[0] - c->b_after[0], wy = c->a_after[1] - c->b_after[1];
	double speeds = fabs(c->a_after[0]) + fabs(c->a_after[1]) + fabs(c->b_after[0]) + fabs(c->b_after[1]);

	return !(c->flags & CONTACT_RESTING) && wx * c->normal[0] + wy * c->normal[1] > RECEDE_PART * speeds;
}

static struct pair_event
contact_event(const struct contact *contact, enum pair_event_kind kind)
{
	struct pair_event event = {
		.time = contact->time,
		.a = contact->a,
		.b = contact->b,
		.kind = (uint8_t)kind,
		.other = contact->other,
		.feature = contact->feature,
		.point = { contact->point[0], contact->point[1] },
		.normal = { contact->normal[0], contact->normal[1] },
	};

	if (kind != PAIR_EVENT_END) {
		event.approach_speed = contact->approach_speed;
		event.impulse = contact->impulse;
	}
	return event;
}

/* An impact from which its pair recedes, and which did not touch before: nothing of it is stored. */
static void
bounce_report(struct world *world, const struct contact *contact, uint32_t cause, uint32_t rank)
{
	struct pair_event event = contact_event(contact, PAIR_EVENT_BEGIN);

	watch_report(world, &event, cause, rank);
	if (contact->approach_speed >= world->settings.hit_speed) {
		event.kind = PAIR_EVENT_HIT;
		watch_report(world, &event, cause, rank + 1);
	}
	event = contact_event(contact, PAIR_EVENT_END);
	watch_report(world, &event, cause, rank + 2);
}

static void
pair_struck(struct world *world, struct touch *pair, const struct contact *contact)
{
	struct pair_event event = contact_event(contact, PAIR_EVENT_BEGIN);

	pair->impulse += contact->impulse;
	if (!pair->touches && contact_recedes(contact)) {
		bounce_report(world, contact, pair->cause, pair->rank);
		pair->rank += 3;
		return;
	}
	if (!pair->touches)
		pair_report(world, pair, &event);
	pair->touches = true;
	event.kind = PAIR_EVENT_HIT;
	if (contact->approach_speed >= world->settings.hit_speed)
		pair_report(world, pair, &event);
}

static void
pair_lies(struct world *world, struct touch *pair, double time)
{
	if (!pair->touches) {
		struct pair_event event = tie_event(world, pair->tie, time, PAIR_EVENT_BEGIN);

		pair_report(world, pair, &event);
	}
	pair->touches = true;
}

static void
note_take(struct world *world, uint32_t number)
{
	struct touches *touches = world->watch->touches;
	const struct note *note = &touches->notes[number];
	const struct contact *contact = note->contact == NONE ? NULL : &world->report.contacts[note->contact];
	uint32_t cause = TOLD_FIRST + number;

	if (contact && !touch_find(touches, note->tie) && contact_recedes(contact)) {
		bounce_report(world, contact, cause, 0);
		return;
	}

	struct touch *pair = touch_take(touches, note->tie);

	if (!pair) {
		world->failed = true;
		return;
	}
	pair_follow(world, pair, note->time);
	pair->cause = cause;
	pair->caused = note->time;
	pair->rank = 0;
	if (contact)
		pair_struck(world, pair, contact);
	else
		pair_lies(world, pair, note->time);
}

/* With the end of one of its sides. */
static void
pair_ends(struct world *world, struct touch *pair)
{
	struct pair_event event = tie_event(world, pair->tie, tie_end(world, pair->tie), PAIR_EVENT_END);

	pair_report(world, pair, &event);
	pair->touches = false;
}

static void
pair_persists(struct world *world, const struct touch *pair)
{
	struct pair_event event = tie_event(world, pair->tie, world->step.dt, PAIR_EVENT_PERSIST);

	event.impulse = pair->impulse;
	watch_report(world, &event, TOLD_LAST, 0);
}

static int
touch_compare(const void *left, const void *right)
{
	const struct touch *l = left, *r = right;

	if (l->tie.a != r->tie.a)
		return l->tie.a < r->tie.a ? -1 : 1;
	return l->tie.b < r->tie.b ? -1 : l->tie.b > r->tie.b;
}

/* Keeps the pairs in ascending order, at no cost if none was added. */
static void
touches_order(struct touches *touches, bool changed)
{
	bool ordered = true;

	for (size_t i = 1; i < touches->count && ordered && !pause_after(1); i++)
		ordered = touch_compare(&touches->pairs[i - 1], &touches->pairs[i]) < 0;
	if (!ordered)
		array_sort(touches->pairs, touches->count, sizeof *touches->pairs, touch_compare);
	if (!ordered || changed)
		table_fill(touches);
}

void
touches_finish(struct world *world)
{
	struct touches *touches = world->watch->touches;
	size_t kept = 0, count;

	if (touches->note_count >= TOLD_LAST - TOLD_FIRST)
		world->failed = true;
	for (uint32_t k = 0; k < touches->note_count && !world->failed && !pause_after(FOLLOW_UNITS); k++)
		note_take(world, k);
	count = touches->count;
	for (size_t i = 0; i < touches->count && !world->failed && !pause_after(FOLLOW_UNITS); i++) {
		struct touch *pair = &touches->pairs[i];

		bool over = tie_is_over(world, pair->tie);

		if (!pair->touches || pair->clock > 0.0 || over || !pair_stays(world, pair->tie))
			pair_follow(world, pair, tie_end(world, pair->tie));
		if (over && pair->touches)
			pair_ends(world, pair);
		if (!pair->touches)
			continue;
		if (world->settings.watched & WORLD_EVENTS_PERSIST)
			pair_persists(world, pair);
		touches->pairs[kept++] = (struct touch){ .tie = pair->tie, .cause = TOLD_PATH, .touches = true };
	}
	if (world->failed)
		return;
	touches->count = kept;
	touches_order(touches, kept < count);
}

size_t
touches_count(const struct touches *touches)
{
	return touches ? touches->count : 0;
}

struct tie
touches_at(const struct touches *touches, size_t index)
{
	return touches->pairs[index].tie;
}

bool
touches_add(struct touches *touches, struct tie tie)
{
	struct touch *pair = touch_take(touches, tie);

	if (pair)
		pair->touches = true;
	return pair != NULL;
}

void
touches_write(const struct touches *touches, struct tie *out)
{
	for (size_t i = 0; i < touches->count && !pause_after(1); i++)
		out[i] = touches->pairs[i].tie;
}

void
touches_return(struct touches *touches, const struct tie *in, size_t count)
{
	for (size_t i = 0; i < count && !pause_after(1); i++)
		touches->pairs[i] = (struct touch){ .tie = in[i], .cause = TOLD_PATH, .touches = true };
	touches->count = count;
	touches->note_count = 0;
	table_fill(touches);
}
