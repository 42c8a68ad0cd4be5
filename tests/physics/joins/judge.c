/* Happy path: each piece of a path against each wall around it; the distance is looked at where it may turn (way.h), and at the
 * ends. What can go wrong: memory, which fails the test. */
#include "physics/joins/judge.h"

#include "physics/joins/way.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A box, with room to spare. */
struct extent {
	double x1, y1, x2, y2;
};

struct wall {
	double x1, y1, x2, y2; /* at the tick's start */
	double home[4];        /* the same as defined */
	double vx, vy, radius;
	uint32_t id, category, mask;
	bool one_sided;
	struct extent extent; /* of all it sweeps in the tick */
};

struct ball {
	uint32_t id, category, mask;
	double x, y, radius; /* at the tick's start */
	bool moves;
};

/* A one-sided wall and a circle that is in it, within a piece. */
struct stay {
	long double enter, leave, height; /* height: at the entry; not positive for a circle that was in it before */
	long double depth;
	bool found;
	bool allowed; /* it came in from where it is not stopped, or at an end, along a chain that it passes */
};

struct judge {
	struct wall *walls;
	size_t wall_count;
	struct ball *balls; /* ascending by id, as the world has them */
	size_t ball_count;
	bool *inside; /* of one-sided walls, by ball and wall */
	struct stay *stays;
	struct judge_finding findings[JUDGE_FAULTS];
	uint64_t tick;
	long double rounding; /* what overlap may be */
};

static int
wall_compare(const void *left, const void *right)
{
	const struct wall *a = left, *b = right;
	return a->id < b->id ? -1 : a->id > b->id;
}

static int
ball_compare(const void *left, const void *right)
{
	const struct ball *a = left, *b = right;
	return a->id < b->id ? -1 : a->id > b->id;
}

static void *
zeroed(size_t count, size_t size)
{
	void *memory = calloc(count + 1, size);
	assert_non_null(memory);
	return memory;
}

static struct way
way_from(const struct ball *ball, const struct wall *wall)
{
	return (struct way){ .px = (long double)ball->x - wall->x1,
		                 .py = (long double)ball->y - wall->y1,
		                 .lx = (long double)wall->x2 - wall->x1,
		                 .ly = (long double)wall->y2 - wall->y1 };
}

struct judge *
judge_create(const struct world_def *def, long double rounding)
{
	struct judge *judge = zeroed(1, sizeof *judge);
	judge->rounding = rounding;
	judge->wall_count = def->segment_count;
	judge->ball_count = def->circle_count;
	judge->walls = zeroed(def->segment_count, sizeof *judge->walls);
	judge->balls = zeroed(def->circle_count, sizeof *judge->balls);
	judge->stays = zeroed(def->segment_count, sizeof *judge->stays);
	judge->inside = zeroed(def->circle_count * def->segment_count, sizeof *judge->inside);
	for (size_t i = 0; i < def->segment_count; i++) {
		const struct segment_def *s = &def->segments[i];
		judge->walls[i] = (struct wall){
			.x1 = s->x1,
			.y1 = s->y1,
			.x2 = s->x2,
			.y2 = s->y2,
			.home = { s->x1, s->y1, s->x2, s->y2 },
			.vx = s->vx,
			.vy = s->vy,
			.radius = s->radius,
			.id = s->id,
			.category = s->category,
			.mask = s->mask,
			.one_sided = s->one_sided,
		};
	}
	for (size_t i = 0; i < def->circle_count; i++) {
		const struct circle_def *c = &def->circles[i];
		judge->balls[i] = (struct ball){ c->id, c->category, c->mask, c->x, c->y, c->radius, c->kind == BODY_DYNAMIC };
	}
	qsort(judge->walls, judge->wall_count, sizeof *judge->walls, wall_compare);
	qsort(judge->balls, judge->ball_count, sizeof *judge->balls, ball_compare);
	for (size_t i = 0; i < judge->ball_count; i++) {
		for (size_t k = 0; k < judge->wall_count; k++) {
			const struct way way = way_from(&judge->balls[i], &judge->walls[k]);
			judge->inside[i * judge->wall_count + k] = judge->walls[k].one_sided &&
			                                           way_distance(&way, 0) < judge->balls[i].radius + judge->walls[k].radius;
		}
	}
	return judge;
}

void
judge_destroy(struct judge *judge)
{
	if (!judge)
		return;
	free(judge->walls);
	free(judge->balls);
	free(judge->stays);
	free(judge->inside);
	free(judge);
}

static void
fault_add(struct judge *judge, enum judge_fault fault, uint32_t circle, uint32_t segment, long double time, long double depth)
{
	struct judge_finding *finding = &judge->findings[fault];
	if (finding->count++ == 0) {
		finding->tick = judge->tick;
		finding->circle = circle;
		finding->segment = segment;
		finding->time = (double)time;
	}
	finding->depth = fmax(finding->depth, (double)depth);
}

static void
depth_add(struct judge *judge, const struct ball *ball, const struct wall *wall, long double time, long double distance)
{
	const long double reach = (long double)ball->radius + wall->radius;
	fault_add(judge, distance < reach / 2 ? JUDGE_THROUGH : JUDGE_OVERLAP, ball->id, wall->id, time, reach - distance);
}

/* Around a straight way, wider by `margin` and by rounding. */
static struct extent
extent_of(double x1, double y1, double x2, double y2, double margin)
{
	const double more = margin + 1e-9 * fmax(fmax(fabs(x1), fabs(y1)), fmax(fabs(x2), fabs(y2)));
	return (struct extent){ fmin(x1, x2) - more, fmin(y1, y2) - more, fmax(x1, x2) + more, fmax(y1, y2) + more };
}

static struct extent
piece_extent(const struct path_piece *piece, double until, double radius)
{
	const double d = until - piece->time, x = piece->position[0], y = piece->position[1];
	const double bend = d * d * (fabs(piece->acceleration[0]) + fabs(piece->acceleration[1])) / 2;
	return extent_of(x, y, x + d * piece->velocity[0], y + d * piece->velocity[1], radius + bend);
}

static void
wall_extend(struct wall *wall, double dt)
{
	const double moves = dt * (fabs(wall->vx) + fabs(wall->vy));
	wall->extent = extent_of(wall->x1, wall->y1, wall->x2, wall->y2, wall->radius + moves);
}

static bool
extents_apart(const struct extent *a, const struct extent *b)
{
	return a->x1 > b->x2 || b->x1 > a->x2 || a->y1 > b->y2 || b->y1 > a->y2;
}

/* A piece of a path up to `until`, as the wall sees it. The length and direction of the wall never change. */
static struct way
way_of(const struct path_piece *piece, long double until, const struct wall *wall)
{
	const long double t = piece->time, wx = wall->x1 + t * wall->vx, wy = wall->y1 + t * wall->vy;
	return (struct way){
		.px = piece->position[0] - wx,
		.py = piece->position[1] - wy,
		.vx = (long double)piece->velocity[0] - wall->vx,
		.vy = (long double)piece->velocity[1] - wall->vy,
		.ax = piece->acceleration[0],
		.ay = piece->acceleration[1],
		.duration = until - t,
		.lx = (long double)wall->home[2] - wall->home[0],
		.ly = (long double)wall->home[3] - wall->home[1],
	};
}

static long double
largest(long double a, long double b, long double c, long double d)
{
	return fmaxl(fmaxl(fabsl(a), fabsl(b)), fmaxl(fabsl(c), fabsl(d)));
}

/* How far numbers of this size may be off: places, and how far the piece goes. */
static long double
rounding_of(const struct path_piece *piece, const struct way *way, const struct wall *wall)
{
	const long double d = way->duration, goes = d * way_length(way->vx, way->vy) + d * d * way_length(way->ax, way->ay) / 2;
	const long double moves = (piece->time + d) * largest(wall->vx, wall->vy, 0, 0);
	return JUDGE_ROUNDING * (largest(wall->x1, wall->y1, wall->x2, wall->y2) + moves +
	                         largest(piece->position[0], piece->position[1], 0, 0) + goes);
}

static void
solid_check(struct judge *judge, const struct ball *ball, const struct wall *wall, const struct way *way,
            const struct path_piece *piece)
{
	long double times[WAY_TIMES_MAX], least = INFINITY, at = 0;
	const long double reach = (long double)ball->radius + wall->radius,
					  limit = reach - judge->rounding / JUDGE_ROUNDING * rounding_of(piece, way, wall);
	const int count = way_times(way, times);
	for (int i = 0; i < count; i++) {
		const long double distance = way_distance(way, times[i]);
		if (distance < least) {
			least = distance;
			at = times[i];
		}
	}
	if (!(least >= limit))
		depth_add(judge, ball, wall, piece->time + at, least);
}

/* When the distance falls below the limit between two times. */
static long double
entry_find(const struct way *way, long double limit, long double before, long double after)
{
	for (int step = 0; step < 80; step++) {
		const long double middle = (before + after) / 2;
		if (way_distance(way, middle) >= limit)
			before = middle;
		else
			after = middle;
	}
	return after;
}

/* Where a circle is in a one-sided wall along a piece, from its first entry on. */
static void
stay_find(const struct way *way, long double limit, bool *inside, struct stay *stay)
{
	long double times[WAY_TIMES_MAX], least = INFINITY;
	const int count = way_times(way, times);
	*stay = (struct stay){ .found = *inside, .enter = 0, .leave = 0, .height = -INFINITY };
	for (int i = 0; i < count; i++) {
		const long double distance = way_distance(way, times[i]);
		const bool in = distance < limit;
		if (in && !*inside && !stay->found) {
			stay->found = true;
			stay->enter = i > 0 ? entry_find(way, limit, times[i - 1], times[i]) : 0;
			stay->height = way_height(way, stay->enter);
		}
		if (in || *inside)
			stay->leave = times[i];
		*inside = in;
		least = fminl(least, distance);
	}
	stay->depth = limit - least;
}

/* By categories and masks alone. */
static bool
meets(const struct ball *ball, const struct wall *wall)
{
	return (ball->category & wall->mask) != 0 && (wall->category & ball->mask) != 0;
}

/* How far an end may be from another that it counts as joined with: 16 ulp in each coordinate, and some for the measure. */
#define JOINED 0x1p-47L

/* Whether an end of a wall was defined where this one's first or second end is, or nearly, and both are as thick. */
static bool
joined_at(const struct wall *wall, bool second, const struct wall *other, bool other_second)
{
	const double *a = &wall->home[second ? 2 : 0], *b = &other->home[other_second ? 2 : 0];
	const long double far = way_length((long double)a[0] - b[0], (long double)a[1] - b[1]);
	const long double size = fmaxl(largest(wall->home[0], wall->home[1], wall->home[2], wall->home[3]),
	                               largest(other->home[0], other->home[1], other->home[2], other->home[3]));
	return wall->radius == other->radius && far <= JOINED * size;
}

/* A circle that comes to an end of a one-sided wall, in a piece of its path. */
struct arrival {
	const struct path_piece *piece;
	long double until, time; /* time: from the piece's start */
	long double skin;
	size_t wall;
	bool second; /* the end */
};

/* Whether then the circle is in another one-sided wall that is joined to that end, or just comes into it and may. It is to a
 * skin, because two ends that are off by ulps are not met at one time. It is no link that holds the circle if that is beyond
 * the joint. */
static bool
passes_link(const struct judge *judge, const struct ball *ball, const struct arrival *arrival)
{
	for (size_t k = 0; k < judge->wall_count; k++) {
		const struct wall *other = &judge->walls[k], *wall = &judge->walls[arrival->wall];
		const struct stay *stay = &judge->stays[k];
		if (k == arrival->wall || !other->one_sided || !meets(ball, other))
			continue;
		const struct way way = way_of(arrival->piece, arrival->until, other);
		const long double along = way_along(&way, arrival->time), length = way_length(way.lx, way.ly);
		if (!(joined_at(wall, arrival->second, other, false) && along >= -arrival->skin) &&
		    !(joined_at(wall, arrival->second, other, true) && along <= length + arrival->skin))
			continue;
		if (stay->found && stay->enter < arrival->time && arrival->time <= stay->leave)
			return true;
		if (way_distance(&way, arrival->time) < (long double)ball->radius + other->radius + arrival->skin &&
		    (way_height(&way, arrival->time) < 0 || (stay->found && stay->allowed)))
			return true;
	}
	return false;
}

/* Of a circle that came into a one-sided wall from its left: whether it may. A chain is one thing: a circle that passes one
 * link is not stopped by the end of the next. */
static bool
may_enter(const struct judge *judge, const struct ball *ball, const struct path_piece *piece, long double until, size_t wall)
{
	const struct stay *stay = &judge->stays[wall];
	const struct way way = way_of(piece, until, &judge->walls[wall]);
	const long double skin = 16 * rounding_of(piece, &way, &judge->walls[wall]) + 1e-9L * ball->radius;
	const long double along = way_along(&way, stay->enter), length = way_length(way.lx, way.ly);
	/* Along its line, to a skin, an end may be met or not. */
	if (stay->height <= skin)
		return true;
	const struct arrival first = { piece, until, stay->enter, skin, wall, false },
						 second = { piece, until, stay->enter, skin, wall, true };
	return (along <= skin && passes_link(judge, ball, &first)) || (along >= length - skin && passes_link(judge, ball, &second));
}

/* What came into one-sided walls in a piece, once all that it is in is known. */
static void
stays_check(struct judge *judge, const struct ball *ball, const struct path_piece *piece, long double until)
{
	/* Links may be shorter than a skin: then one is allowed for another that is. */
	for (bool again = true; again;) {
		again = false;
		for (size_t k = 0; k < judge->wall_count; k++) {
			struct stay *stay = &judge->stays[k];
			if (!stay->found || stay->allowed || !may_enter(judge, ball, piece, until, k))
				continue;
			stay->allowed = true;
			again = true;
		}
	}
	for (size_t k = 0; k < judge->wall_count; k++) {
		const struct wall *wall = &judge->walls[k];
		const struct stay *stay = &judge->stays[k];
		if (stay->found && !stay->allowed)
			depth_add(judge, ball, wall, piece->time + stay->enter, (long double)ball->radius + wall->radius - stay->depth);
	}
}

static void
piece_check(struct judge *judge, size_t b, const struct path_piece *piece, long double until)
{
	const struct ball *ball = &judge->balls[b];
	const struct extent extent = piece_extent(piece, (double)until, ball->radius);
	bool sided = false;
	for (size_t k = 0; k < judge->wall_count; k++) {
		const struct wall *wall = &judge->walls[k];
		bool *inside = &judge->inside[b * judge->wall_count + k];
		judge->stays[k].found = false;
		if (extents_apart(&extent, &wall->extent) || !meets(ball, wall)) {
			*inside = false;
			continue;
		}
		const struct way way = way_of(piece, until, wall);
		if (!wall->one_sided) {
			solid_check(judge, ball, wall, &way, piece);
		} else {
			stay_find(&way, (long double)ball->radius + wall->radius - rounding_of(piece, &way, wall), inside,
			          &judge->stays[k]);
			sided = sided || judge->stays[k].found;
		}
	}
	if (sided)
		stays_check(judge, ball, piece, until);
}

/* Of the coordinate: what docs/physics.md has as the skin. */
#define JOINT_SKIN 0x1p-46L

/* Whether a path that was at `from` `goes` later is where it is said to be. Where many contacts each round a place, as in
 * heaps, the engine raises what would else sink by that: within the skin. */
static void
joint_check(struct judge *judge, const struct ball *ball, const struct path_piece *piece, long double until, double x, double y)
{
	const long double t = until - piece->time;
	const long double dx = t * (piece->velocity[0] + t * piece->acceleration[0] / 2),
					  dy = t * (piece->velocity[1] + t * piece->acceleration[1] / 2);
	const long double parts = judge->rounding > JUDGE_ROUNDING ? JOINT_SKIN : 2 * JUDGE_ROUNDING;
	const long double rounding = parts * (largest(x, y, piece->position[0], piece->position[1]) + fabsl(dx) + fabsl(dy));
	const long double off = way_length(piece->position[0] + dx - x, piece->position[1] + dy - y);
	if (!(off <= rounding))
		fault_add(judge, JUDGE_JUMP, ball->id, 0, until, off);
}

/* What pushes the circle out of overlap before the tick is a way too, of no time at all. Returns where it then is. */
static void
pushes_check(struct judge *judge, size_t b, const struct tick_report *report, double place[2])
{
	const struct ball *ball = &judge->balls[b];
	place[0] = ball->x;
	place[1] = ball->y;
	for (size_t i = 0; i < report->path_change_count; i++) {
		const struct path_change *change = &report->path_changes[i];
		if (change->kind != PATH_PUSHED || change->body != ball->id)
			continue;
		const double brief = 0x1p-60;
		const struct path_piece piece = { .body = ball->id,
			                              .position = { place[0], place[1] },
			                              .velocity = { change->vector[0] / brief, change->vector[1] / brief } };
		piece_check(judge, b, &piece, brief);
		place[0] += change->vector[0];
		place[1] += change->vector[1];
	}
}

/* All pieces of one circle; returns how many. */
static size_t
ball_check(struct judge *judge, size_t b, const struct tick_report *report, size_t first, double dt, double x, double y)
{
	struct ball *ball = &judge->balls[b];
	size_t end = first;
	while (end < report->path_count && report->paths[end].body == ball->id)
		end++;
	if (ball->moves && (first == end || report->paths[first].time != 0)) {
		fault_add(judge, JUDGE_JUMP, ball->id, 0, 0, INFINITY);
	} else if (ball->moves) {
		const double *begin = report->paths[first].position;
		double place[2];
		pushes_check(judge, b, report, place);
		const long double off = way_length(begin[0] - place[0], begin[1] - place[1]);
		/* What slides along a wall may begin where rounding has not brought it nearer. */
		if (!(off <= JUDGE_ROUNDING * largest(place[0], place[1], 0, 0)))
			fault_add(judge, JUDGE_JUMP, ball->id, 0, 0, off);
	}
	for (size_t i = first; i < end && ball->moves; i++) {
		const struct path_piece *piece = &report->paths[i], *next = piece + 1;
		const bool last = i + 1 == end;
		const double until = last ? dt : next->time;
		piece_check(judge, b, piece, until);
		joint_check(judge, ball, piece, until, last ? x : next->position[0], last ? y : next->position[1]);
	}
	ball->x = x;
	ball->y = y;
	return end - first;
}

/* Walls that moved are where the tick's end has them. */
static void
places_take(struct judge *judge, const struct tick_report *report)
{
	size_t at = 0;
	for (size_t k = 0; k < judge->wall_count; k++) {
		struct wall *wall = &judge->walls[k];
		while (at < report->place_count && report->places[at].id < wall->id)
			at++;
		if (at == report->place_count || report->places[at].id != wall->id)
			continue;
		wall->x1 = report->places[at].x1;
		wall->y1 = report->places[at].y1;
		wall->x2 = report->places[at].x2;
		wall->y2 = report->places[at].y2;
	}
}

void
judge_tick(struct judge *judge, const struct world *world, double dt, const struct tick_report *report)
{
	size_t at = 0;
	judge->tick++;
	for (size_t k = 0; k < judge->wall_count; k++)
		wall_extend(&judge->walls[k], dt);
	for (size_t i = 0; i < judge->ball_count; i++) {
		const struct body_state state = world_body(world, i);
		assert_int_equal(state.id, judge->balls[i].id);
		at += ball_check(judge, i, report, at, dt, state.x, state.y);
	}
	assert_int_equal(at, report->path_count);
	places_take(judge, report);
}

const struct judge_finding *
judge_findings(const struct judge *judge, enum judge_fault fault)
{
	return &judge->findings[fault];
}

bool
judge_clean(const struct judge *judge)
{
	for (int i = 0; i < JUDGE_FAULTS; i++)
		if (judge->findings[i].count > 0)
			return false;
	return true;
}
