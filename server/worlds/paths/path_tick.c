/* Happy path: a circle that nothing came to is where its reader puts it, and nothing is told. Of another each piece of its path
 * becomes a row, unless the reader would go the same way. At the tick's end what differs is told, whatever the reason. What can
 * go wrong: memory. */
#include "worlds/paths/path_tick.h"

#include "base/memory.h"
#include "base/pause.h"
#include "physics/describe.h"
#include "worlds/commands/room.h"
#include "worlds/paths/motion_walk.h"
#include "worlds/paths/path_spans.h"
#include "worlds/paths/path_told.h"

/* Units (base/pause.h) of a circle in a tick. */
#define CIRCLE_UNITS 2u
#define STARTS_MAX 256u

void
path_tick_init(struct path_tick *tick, double dt)
{
	*tick = (struct path_tick){ .dt = dt };
}

void
path_tick_finish(struct path_tick *tick)
{
	memory_free(tick->circles);
	reader_kinds_finish(&tick->kinds);
	memory_free(tick->starts);
	memory_free(tick->befores);
	memory_free(tick->ends);
	memory_free(tick->spans);
	for (size_t k = 0; k < PATH_TOLD_COUNT; k++) {
		memory_free(tick->told[k].rows.rows);
		memory_free(tick->told[k].end_rows.rows);
	}
	*tick = (struct path_tick){ .dt = tick->dt, .spans_wanted = tick->spans_wanted, .legs_wanted = tick->legs_wanted };
}

static void
told_clear(struct path_tick *tick)
{
	for (size_t k = 0; k < PATH_TOLD_COUNT; k++)
		tick->told[k].rows.count = tick->told[k].end_rows.count = 0;
}

bool
path_tick_start(struct path_tick *tick, const struct world *world)
{
	struct world_def def;
	struct motion_walk walk;

	tick->count = 0;
	told_clear(tick);
	tick->edited = false;
	world_describe_settings(world, &def);
	tick->speed_max = def.speed_max;
	motion_walk_begin(&walk, world);
	if (!room_reserve(&tick->circles, &tick->capacity, walk.count, sizeof *tick->circles))
		return false;
	tick->kinds.count = 0;
	for (size_t i = 0; i < walk.count && !pause_after(CIRCLE_UNITS); i++) {
		const struct body_motion *motion = motion_at(&walk, i);
		uint32_t kind;

		if (!reader_kinds_enter(&tick->kinds, motion, tick->dt, &kind))
			return false;
		tick->circles[i] = reader_circle_of(motion, kind);
		if (motion->asleep)
			reader_circle_sleep(&tick->circles[i]);
	}
	tick->count = walk.count;
	return true;
}

/* The list with what was removed left out and what is told anew in it. Kinds are made anew: that of a circle which is not told
 * anew has not changed. */
static bool
list_follow(struct path_tick *tick, const struct world *world, const uint32_t *anew, size_t anew_count)
{
	struct motion_walk walk;

	motion_walk_begin(&walk, world);

	struct reader_circle *circles = memory_alloc((walk.count + 1) * sizeof *circles);
	size_t old = 0, next = 0;
	bool kinds = circles != NULL;

	tick->kinds.count = 0;
	for (size_t i = 0; kinds && i < walk.count && !pause_after(CIRCLE_UNITS); i++) {
		const struct body_motion *motion = motion_at(&walk, i);
		uint32_t id = motion->id, kind = 0;

		kinds = reader_kinds_enter(&tick->kinds, motion, tick->dt, &kind);

		while (old < tick->count && tick->circles[old].id < id)
			old++;
		while (next < anew_count && anew[next] < id)
			next++;
		if (old < tick->count && tick->circles[old].id == id && !(next < anew_count && anew[next] == id))
			circles[i] = tick->circles[old];
		else
			circles[i] = reader_circle_of(motion, kind);
		circles[i].kind = kind & READER_KIND_BITS;
	}
	if (!kinds) {
		memory_free(circles);
		return false;
	}
	memory_free(tick->circles);
	tick->circles = circles;
	tick->count = walk.count;
	tick->capacity = walk.count + 1;
	return true;
}

bool
path_tick_begin(struct path_tick *tick, const struct world *world, const uint32_t *anew, size_t anew_count, bool listed,
                bool edited)
{
	struct motion_walk walk;

	told_clear(tick);
	tick->edited = listed || edited;
	if (!tick->edited)
		return true;
	motion_walk_begin(&walk, world);
	if (!room_reserve(&tick->starts, &tick->start_capacity, walk.count, sizeof *tick->starts) ||
	    (listed && !list_follow(tick, world, anew, anew_count)))
		return false;
	for (size_t i = 0; i < walk.count && !pause_after(CIRCLE_UNITS); i++) {
		const struct body_motion *motion = motion_at(&walk, i);
		struct reader_kind *kind = &tick->kinds.items[tick->circles[i].kind];

		/* The world's gravity may be another, which is told. */
		kind->gravity_x = motion->ax;
		kind->gravity_y = motion->ay;
		tick->starts[i] = reader_circle_of(motion, tick->circles[i].kind);
		tick->starts[i].asleep = motion->asleep;
	}
	return true;
}

/* ---- rows */

/* What a row is made of: the circle as its reader has it there, and what it is to be. */
struct row_writer {
	struct path_row *row;
	struct reader_circle *circle;
	const struct reader_kind *kind;
};

static void
number_add(struct row_writer *writer, uint32_t bit, double value, double base, double *at)
{
	struct path_row *row = writer->row;

	row->what |= bit;
	row->numbers[row->number_count] = value;
	row->bases[row->number_count++] = base;
	*at = value;
}

static void
number_follow(struct row_writer *writer, uint32_t bit, double value, double *at)
{
	if (!bits_equal(value, *at))
		number_add(writer, bit, value, *at, at);
}

/* At the tick's end with PATH_BIT_END. NULL without memory. */
static struct path_row *
row_begin(struct path_tick *tick, double time, size_t body, uint32_t what)
{
	struct path_told *told = &tick->told[tick->teller];
	struct path_row_list *list = what & PATH_BIT_END ? &told->end_rows : &told->rows;

	if (!room_reserve(&list->rows, &list->capacity, list->count + 1, sizeof *list->rows))
		return NULL;

	struct path_row *row = &list->rows[list->count];

	row->time = time;
	row->body = (uint32_t)body;
	row->what = what;
	row->order = (uint32_t)list->count++;
	row->number_count = 0;
	row->mass = 0.0;
	row->leg = false;
	return row;
}

/* What a piece has, in the words of a reader. */
struct piece_state {
	double x, y, vx, vy, ax, ay, spin, angle;
};

static bool
states_equal(const struct reader_circle *circle, const struct piece_state *piece)
{
	return bits_equal(circle->x, piece->x) && bits_equal(circle->y, piece->y) && bits_equal(circle->vx, piece->vx) &&
	       bits_equal(circle->vy, piece->vy) && bits_equal(circle->ax, piece->ax) && bits_equal(circle->ay, piece->ay) &&
	       bits_equal(circle->spin, piece->spin) && bits_equal(circle->angle, piece->angle);
}

static void
piece_write(struct row_writer *writer, const struct piece_state *piece)
{
	struct reader_circle *circle = writer->circle;

	writer->row->mass = writer->kind->mass;
	number_follow(writer, PATH_BIT_VX, piece->vx, &circle->vx);
	number_follow(writer, PATH_BIT_VY, piece->vy, &circle->vy);
	number_follow(writer, PATH_BIT_X, piece->x, &circle->x);
	number_follow(writer, PATH_BIT_Y, piece->y, &circle->y);
	number_follow(writer, PATH_BIT_SPIN, piece->spin, &circle->spin);
	number_follow(writer, PATH_BIT_ANGLE, piece->angle, &circle->angle);
	number_follow(writer, PATH_BIT_AX, piece->ax, &circle->ax);
	number_follow(writer, PATH_BIT_AY, piece->ay, &circle->ay);
}

/* A piece of the path that begins at `time`, in which the circle moves or stands. `last` of the tick. */
static bool
piece_tell(struct path_tick *tick, size_t body, double time, const struct piece_state *piece, bool last)
{
	struct reader_circle *circle = &tick->circles[body];
	const struct reader_kind *kind = path_tick_kind(tick, circle);
	bool bends = !bits_equal(piece->ax, kind->gravity_x) || !bits_equal(piece->ay, kind->gravity_y);
	bool restarts = time > tick->at.t0 && !circle->driven && !circle->asleep;
	uint32_t what = 0;

	reader_circle_go(circle, kind, &tick->at, time);
	if (circle->driven || (circle->asleep && !states_equal(circle, piece)) || (circle->held && last && !bends))
		what = PATH_BIT_FREE;
	else if (states_equal(circle, piece) && !restarts && (circle->held || circle->asleep || !bends || !last))
		return true;

	struct path_row *row = row_begin(tick, time, body, what);
	struct row_writer writer = { row, circle, kind };

	if (!row)
		return false;
	if (what & PATH_BIT_FREE)
		reader_circle_free(circle, kind);
	piece_write(&writer, piece);
	if (last && bends && !circle->held && !circle->asleep) {
		row->what |= PATH_BIT_HELD;
		circle->held = true;
	}
	return true;
}

static bool
driven_tell(struct path_tick *tick, size_t body, double time)
{
	struct reader_circle *circle = &tick->circles[body];

	if (circle->driven)
		return true;
	reader_circle_go(circle, path_tick_kind(tick, circle), &tick->at, time);
	circle->asleep = circle->held = false;
	circle->driven = true;
	return row_begin(tick, time, body, PATH_BIT_DRIVEN) != NULL;
}

/* The same with `driven_legs`: each straight piece of its way, as rounding begins anew there. */
static bool
leg_tell(struct path_tick *tick, size_t body, const struct path_piece *piece)
{
	struct reader_circle *circle = &tick->circles[body];

	const struct reader_kind *kind = path_tick_kind(tick, circle);

	reader_circle_go(circle, kind, &tick->at, piece->time);

	struct path_row *row = row_begin(tick, piece->time, body, circle->driven ? 0 : PATH_BIT_DRIVEN);
	struct row_writer writer = { row, circle, kind };

	if (!row)
		return false;
	if (!circle->driven)
		circle->asleep = circle->held = circle->leg = false;
	circle->driven = row->leg = true;
	number_add(&writer, PATH_BIT_VX, piece->velocity[0], circle->leg ? tick->at.leg_x : circle->vx, &tick->at.leg_x);
	number_add(&writer, PATH_BIT_VY, piece->velocity[1], circle->leg ? tick->at.leg_y : circle->vy, &tick->at.leg_y);
	circle->leg = true;
	number_follow(&writer, PATH_BIT_X, piece->position[0], &circle->x);
	number_follow(&writer, PATH_BIT_Y, piece->position[1], &circle->y);
	number_follow(&writer, PATH_BIT_SPIN, piece->spin, &circle->spin);
	number_follow(&writer, PATH_BIT_ANGLE, piece->angle, &circle->angle);
	return true;
}

static bool
removal_tell(struct path_tick *tick, size_t body, double time)
{
	struct reader_circle *circle = &tick->circles[body];

	reader_circle_go(circle, path_tick_kind(tick, circle), &tick->at, time);
	return row_begin(tick, time, body, PATH_BIT_REMOVED) != NULL;
}

/* ---- the end of a tick */

static bool
end_differs(const struct reader_circle *circle, const struct body_motion *motion)
{
	return !bits_equal(circle->x, motion->x) || !bits_equal(circle->y, motion->y) || !bits_equal(circle->vx, motion->vx) ||
	       !bits_equal(circle->vy, motion->vy) || !bits_equal(circle->spin, motion->spin) ||
	       !bits_equal(circle->angle, motion->angle) || circle->asleep != motion->asleep;
}

static bool
end_tell(struct path_tick *tick, size_t body, const struct body_motion *motion)
{
	struct reader_circle *circle = &tick->circles[body];
	const struct reader_kind *kind = path_tick_kind(tick, circle);
	struct path_row *row = row_begin(tick, tick->dt, body, PATH_BIT_END);
	struct row_writer writer = { row, circle, kind };
	bool still = circle->driven && !circle->leg;

	if (!row)
		return false;
	if (circle->asleep && !motion->asleep) {
		row->what |= PATH_BIT_FREE;
		reader_circle_free(circle, kind);
	}
	/* One that falls asleep has no velocity then, which is not told. */
	if (!motion->asleep) {
		number_follow(&writer, PATH_BIT_VX, motion->vx, &circle->vx);
		number_follow(&writer, PATH_BIT_VY, motion->vy, &circle->vy);
	}
	if (!bits_equal(circle->x, motion->x))
		number_add(&writer, PATH_BIT_X, motion->x, still ? circle->x + tick->dt * circle->vx : circle->x, &circle->x);
	if (!bits_equal(circle->y, motion->y))
		number_add(&writer, PATH_BIT_Y, motion->y, still ? circle->y + tick->dt * circle->vy : circle->y, &circle->y);
	if (!motion->asleep)
		number_follow(&writer, PATH_BIT_SPIN, motion->spin, &circle->spin);
	number_follow(&writer, PATH_BIT_ANGLE, motion->angle, &circle->angle);
	if (motion->asleep && !circle->asleep) {
		row->what |= PATH_BIT_ASLEEP;
		reader_circle_sleep(circle);
	}
	return true;
}

/* ---- a circle in a tick */

/* From the tick's start on, if nothing replaced its path: as the world has it there. */
static bool
start_tell(struct path_tick *tick, size_t body, struct reader_circle start)
{
	struct reader_circle *circle = &tick->circles[body];
	bool asleep = start.asleep;

	if (asleep && circle->asleep)
		return true;
	start.driven = start.held = false;
	reader_circle_begin(&start, path_tick_kind(tick, &start), tick->speed_max);
	if (asleep) {
		struct path_row *row = row_begin(tick, 0.0, body, PATH_BIT_ASLEEP);

		reader_circle_sleep(circle);
		return row != NULL;
	}
	return piece_tell(
		tick, body, 0.0,
		&(struct piece_state){ start.x, start.y, start.vx, start.vy, start.ax, start.ay, start.spin, start.angle }, true);
}

static bool
pieces_tell(struct path_tick *tick, size_t body, const struct circle_ways *ways)
{
	for (size_t k = 0; k < ways->count; k++) {
		const struct path_piece *piece = &ways->pieces[k];
		const struct piece_state state = {
			piece->position[0],     piece->position[1],     piece->velocity[0], piece->velocity[1],
			piece->acceleration[0], piece->acceleration[1], piece->spin,        piece->angle
		};
		bool last = k + 1 == ways->count && piece->kind != PIECE_STANDS;

		if (piece->kind != PIECE_DRIVEN      ? !piece_tell(tick, body, piece->time, &state, last)
		    : tick->teller == PATH_TOLD_LEGS ? !leg_tell(tick, body, piece)
		                                     : !driven_tell(tick, body, piece->time))
			return false;
	}
	return true;
}

/* `before`: the circle as its reader had it before the tick began. */
static bool
circle_tell(struct path_tick *tick, size_t body, const struct reader_circle *before, const struct circle_ways *ways)
{
	bool gone = ways->end && ways->end->time == 0.0, told = true;

	if (ways->count > 0)
		told = pieces_tell(tick, body, ways);
	else if (!gone)
		told = start_tell(tick, body, tick->edited ? tick->starts[body] : *before);
	return told && (!ways->end || removal_tell(tick, body, ways->end->time));
}

/* Whether its reader goes on by itself. */
static bool
goes_on(const struct path_tick *tick, const struct reader_circle *circle, size_t body)
{
	if (circle->driven || circle->held)
		return false;
	if (!tick->edited)
		return true;

	const struct reader_circle *start = &tick->starts[body];

	return bits_equal(circle->x, start->x) && bits_equal(circle->y, start->y) && bits_equal(circle->vx, start->vx) &&
	       bits_equal(circle->vy, start->vy) && bits_equal(circle->spin, start->spin) &&
	       bits_equal(circle->angle, start->angle) && circle->asleep == start->asleep;
}

/* ---- the tick */

/* Where the tick's reports are, circle by circle. */
struct report_walk {
	const struct tick_report *report;
	size_t piece;
};

/* Notes which circles of the list end, so that it need not be looked for. False without memory. */
static bool
ends_note(struct path_tick *tick, const struct tick_report *report)
{
	if (report->end_count == 0)
		return true;
	if (!room_reserve(&tick->ends, &tick->ends_capacity, tick->count, sizeof *tick->ends))
		return false;
	(void)pause_fill(tick->ends, 0, tick->count * sizeof *tick->ends);
	for (size_t k = 0; k < report->end_count && !pause_after(2); k++) {
		size_t low = 0, high = tick->count;

		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (tick->circles[middle].id < report->ends[k].body)
				low = middle + 1;
			else
				high = middle;
		}
		if (low < tick->count && tick->circles[low].id == report->ends[k].body)
			tick->ends[low] = (uint32_t)k + 1;
	}
	return true;
}

/* Of the circle at that place in the list. */
static struct circle_ways
ways_take(const struct path_tick *tick, struct report_walk *walk, size_t place)
{
	const struct tick_report *report = walk->report;
	uint32_t id = tick->circles[place].id;
	struct circle_ways ways = { .count = 0 };

	while (walk->piece < report->path_count && report->paths[walk->piece].body < id)
		walk->piece++;
	for (; walk->piece < report->path_count && report->paths[walk->piece].body == id; walk->piece++)
		if (ways.count++ == 0)
			ways.pieces = &report->paths[walk->piece];
	if (report->end_count > 0 && tick->ends[place] > 0)
		ways.end = &report->ends[tick->ends[place] - 1];
	return ways;
}

/* Whether the reports have something of it. */
static bool
is_reported(const struct report_walk *walk, uint32_t id)
{
	return walk->report->end_count > 0 ||
	       (walk->piece < walk->report->path_count && walk->report->paths[walk->piece].body == id);
}

/* ---- with driven_legs */

/* Whether its rows for them are others. */
static bool
has_legs(const struct reader_circle *before, const struct circle_ways *ways)
{
	bool driven = before->driven;

	for (size_t k = 0; k < ways->count && !driven; k++)
		driven = ways->pieces[k].kind == PIECE_DRIVEN;
	return driven;
}

/* ---- the tick */

/* Takes a circle through the tick. `by_itself`: its readers need no row before the end. `motion`: what it is there, if it has
 * not ended. */
static inline bool
circle_make(struct path_tick *tick, size_t body, bool by_itself, const struct circle_ways *ways,
            const struct body_motion *motion)
{
	struct reader_circle *circle = &tick->circles[body];
	const struct reader_kind *kind = path_tick_kind(tick, circle);

	if (by_itself) {
		reader_circle_go_on(circle, kind, tick->speed_max, tick->dt);
	} else {
		const struct reader_circle before = *circle;

		tick->at.t0 = 0.0;
		reader_circle_begin(circle, kind, tick->speed_max);
		if (!circle_tell(tick, body, &before, ways))
			return false;
		if (ways->end)
			return true;
		reader_circle_go(circle, kind, &tick->at, tick->dt);
	}
	return !end_differs(circle, motion) || end_tell(tick, body, motion);
}

/* The same with `driven_legs` too. */
static bool
circle_make_twice(struct path_tick *tick, size_t body, bool by_itself, const struct circle_ways *ways,
                  const struct body_motion *motion)
{
	struct path_told *plain = &tick->told[PATH_TOLD_PLAIN], *legs = &tick->told[PATH_TOLD_LEGS];
	size_t row = plain->rows.count, end_row = plain->end_rows.count;
	const struct reader_circle before = tick->circles[body];

	if (!circle_make(tick, body, by_itself, ways, motion))
		return false;
	if (!has_legs(&before, ways))
		return path_told_repeat(&plain->rows, row, &legs->rows) && path_told_repeat(&plain->end_rows, end_row, &legs->end_rows);
	tick->circles[body] = before;
	tick->teller = PATH_TOLD_LEGS;

	bool made = circle_make(tick, body, false, ways, motion);

	tick->teller = PATH_TOLD_PLAIN;
	tick->circles[body].leg = false;
	return made;
}

/* Of a small world: the next world's tick on this thread gets the same memory, still in its cache. */
static void
starts_leave(struct path_tick *tick)
{
	if (tick->start_capacity <= STARTS_MAX) {
		memory_free(tick->starts);
		tick->starts = NULL, tick->start_capacity = 0;
	}
}

bool
path_tick_make(struct path_tick *tick, const struct world *world, const struct tick_report *report)
{
	struct report_walk walk = { report, 0 };
	struct motion_walk motions;
	size_t kept = 0;

	motion_walk_begin(&motions, world);
	if (!path_spans_begin(tick) || !ends_note(tick, report))
		return false;
	for (size_t i = 0; i < tick->count && !pause_after(CIRCLE_UNITS); i++) {
		struct reader_circle *circle = &tick->circles[i];
		struct circle_ways ways = { .count = 0 };
		bool by_itself = !is_reported(&walk, circle->id) && goes_on(tick, circle, i);

		if (!by_itself)
			ways = ways_take(tick, &walk, i);

		/* One that has ended is in the list only. */
		if (!ways.end && kept == motions.count)
			return false;

		const struct body_motion *motion = ways.end ? NULL : motion_at(&motions, kept);

		if (tick->legs_wanted ? !circle_make_twice(tick, i, by_itself, &ways, motion)
		                      : !circle_make(tick, i, by_itself, &ways, motion))
			return false;
		kept += !ways.end;
		if (tick->spans_wanted)
			path_span_set(tick, i, &ways);
	}
	for (size_t k = 0; k < PATH_TOLD_COUNT; k++)
		path_told_order(&tick->told[k].rows);
	if (kept < tick->count) {
		/* Those that have ended leave the list. */
		kept = 0;
		motion_walk_begin(&motions, world);
		for (size_t i = 0; i < tick->count; i++)
			if (kept < motions.count && tick->circles[i].id == motion_at(&motions, kept)->id)
				tick->circles[kept++] = tick->circles[i];
		tick->count = kept;
	}
	tick->edited = false;
	starts_leave(tick);
	return kept == motions.count;
}
