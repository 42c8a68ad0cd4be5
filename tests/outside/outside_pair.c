/* Whether any two overlap on their paths, and whether a centre got through a wall.
 *
 * A pair that overlaps when the tick begins may be as deep as it was then, at most; any other may not overlap at all. What is
 * allowed beyond: how far rounding may have moved both paths (outside_path.c), which the engine's skin is there to cover. */
#include "outside/inside.h"

#include <stdlib.h>

/* Of a radius: what a told depth may be off by, as the engine documents. */
#define DEPTH_PRECISION 1e-6L
/* Of the radii: a gap is the difference of a distance and of their sum, doubles both, each rounded by half an ulp. */
#define GAP_PRECISION 0x1p-52L

struct pair {
	struct outside *outside;
	struct body *a, *b; /* b is NULL for a wall */
	struct wall *wall;
	real radii, smaller, slop;
	real allowed; /* nearer than this is an overlap that is new */
	real nearest;
	bool parting; /* they ignore each other until they are apart: */
	real from;    /* judged from then on */
	bool crossed;
	int side; /* of the wall, where the centre was last seen */
	unsigned flags;
	/* One-sided walls. */
	real skin;
	bool one_sided, inside, broken;
	real lowest; /* height above the wall, since it was so near that it may be in it */
	uint8_t *passing;
	int8_t *last_side;
};

struct bar
outside_bar_at(const struct wall *wall, real time)
{
	struct bar bar = wall->bar;

	bar.from = point_add(bar.from, time, wall->v);
	bar.to = point_add(bar.to, time, wall->v);
	return bar;
}

real
outside_skin(real reach, real radius)
{
	return larger_of(0x1p-46L * reach, 1e-9L * radius);
}

/* Whether the point is on the other wall up to rounding. The engine's documents speak of 16 ulp of the coordinates as defined;
 * those that have moved may be off by as many again. */
static bool
joins_at(const struct wall *wall, const struct wall *other, struct point end)
{
	const real reach = larger_of(wall->reach, other->reach);

	return wall->v.x == other->v.x && wall->v.y == other->v.y && wall->def.radius == other->def.radius &&
	       bar_distance(&other->bar, end) <= 0x1p-47L * reach + wall->slop;
}

/* The next link of a chain that it is in already, at the end that both share. */
static bool
in_next_link(const struct pair *pair, struct point seen)
{
	const struct bar *bar = &pair->wall->bar;
	const real foot = bar_foot(bar, seen);
	const struct point end = foot <= 0 ? bar->from : bar->to;

	if (foot > 0 && foot < bar->length)
		return false;
	for (size_t i = 0; i < pair->outside->wall_count; i++) {
		const struct wall *other = &pair->outside->walls[i];
		if (other != pair->wall && joins_at(pair->wall, other, end) && outside_wall_one_sided(pair->outside, pair->a, other) &&
		    outside_wall_meets(pair->outside, pair->a, other) &&
		    bar_distance(&other->bar, seen) < pair->a->def.radius + other->def.radius)
			return true;
	}
	return false;
}

static void
on_away(void *context)
{
	struct pair *pair = context;

	pair->lowest = HUGE_VALL;
}

static void
on_beside(void *context, const struct curve *part)
{
	struct pair *pair = context;

	for (int k = 0; k < 3; k++)
		pair->lowest = smaller_of(pair->lowest, bar_height(&pair->wall->bar, part->p[k]));
}

/* It is in for certain only by as much as the slop, and came in since it was farther away by as much. It came in from the left
 * for certain if it was left of the wall all the while. */
static void
on_entry(void *context, struct point seen)
{
	struct pair *pair = context;
	const real lowest = smaller_of(pair->lowest, bar_height(&pair->wall->bar, seen));

	pair->broken = lowest > pair->slop && !in_next_link(pair, seen);
	pair->side = pair->broken ? 1 : pair->side;
}

static void
on_within(void *context, const struct curve *part)
{
	struct pair *pair = context;

	if (!pair->broken)
		return;
	pair->nearest = curve_nearest_bar(part, &pair->wall->bar, pair->nearest, pair->radii);
	pair->crossed = curve_crosses(part, &pair->wall->bar, pair->slop, &pair->side) || pair->crossed;
}

/* A one-sided wall stops a circle that comes from its left; one that comes in from the right passes until it has left.
 *
 * The engine documents that a circle passes, wherever it turns, while it is deeper than a skin. Its own path may be off the one
 * rebuilt here by the slop. So the circle has left for certain only where it is rebuilt as no deeper than a skin less the slop.
 * Far from the origin, after many events, the slop is several skins, and that is beyond the radii. */
static void
judge_one_sided(struct pair *pair, const struct curve *curve)
{
	const real leave = larger_of(pair->radii - pair->slop / 2, pair->radii - pair->skin + pair->slop);
	const struct curve_follower follower = { .away = on_away,
		                                     .beside = on_beside,
		                                     .entry = on_entry,
		                                     .within = on_within,
		                                     .context = pair,
		                                     .reach = larger_of(pair->radii - pair->slop, 0),
		                                     .leave = leave,
		                                     .near = larger_of(pair->radii + pair->slop, leave) };

	curve_follow(curve, &pair->wall->bar, &pair->inside, &follower);
}

/* One stretch as the wall, or the other circle, sees it. */
static void
judge_curve(struct pair *pair, const struct curve *curve)
{
	if (!pair->wall) {
		pair->nearest = curve_nearest(curve, pair->nearest, pair->radii);
		return;
	}
	if (pair->one_sided) {
		judge_one_sided(pair, curve);
		return;
	}
	const real nearest = curve_nearest_bar(curve, &pair->wall->bar, pair->nearest, pair->radii);
	if (nearest < pair->nearest || pair->allowed < pair->radii - pair->slop)
		pair->crossed = curve_crosses(curve, &pair->wall->bar, pair->slop, &pair->side) || pair->crossed;
	pair->nearest = nearest;
}

static void
judge_pushes(struct pair *pair)
{
	struct point d = pair->b ? point_add(pair->a->start, -1, pair->b->start) : pair->a->start;
	const struct point none = { 0, 0 };

	if (pair->parting || (!pair->a->pushed && !(pair->b && pair->b->pushed)))
		return;
	for (size_t i = 0; i < pair->outside->push_count; i++) {
		const struct push *push = &pair->outside->pushes[i];
		const struct body *body = &pair->outside->bodies[push->body];
		if (body != pair->a && body != pair->b)
			continue;
		const struct point move = body == pair->a ? push->move : (struct point){ -push->move.x, -push->move.y };
		const struct curve curve = curve_of(d, move, none, 1);
		judge_curve(pair, &curve);
		d = point_add(d, 1, move);
	}
}

static struct curve
curve_between(const struct stretch *a, const struct stretch *b, const struct wall *wall, real from, real until)
{
	struct point p = point_add(point_add(a->p, from - a->t0, a->v), (from - a->t0) * (from - a->t0) / 2, a->a);
	struct point v = point_add(a->v, from - a->t0, a->a), acceleration = a->a;

	if (b) {
		p = point_add(p, -1, point_add(point_add(b->p, from - b->t0, b->v), (from - b->t0) * (from - b->t0) / 2, b->a));
		v = point_add(v, -1, point_add(b->v, from - b->t0, b->a));
		acceleration = point_add(acceleration, -1, b->a);
	} else {
		p = point_add(p, -from, wall->v);
		v = point_add(v, -1, wall->v);
	}
	return curve_of(p, v, acceleration, until - from);
}

static void
judge_paths(struct pair *pair)
{
	const struct stretch *all = pair->outside->stretches;
	const real until = pair->b ? smaller_of(pair->a->crushed, pair->b->crushed) : pair->a->crushed;

	for (size_t i = pair->a->first, k = pair->b ? pair->b->first : NO_STRETCH; i != NO_STRETCH;) {
		const struct stretch *a = &all[i], *b = pair->b ? &all[k] : NULL;
		const real from = larger_of(b ? larger_of(a->t0, b->t0) : a->t0, pair->from);
		const real to = b ? smaller_of(a->t1, b->t1) : a->t1;
		if (from >= until && from > 0)
			return;
		if (from <= to) {
			const struct curve curve = curve_between(a, b, pair->wall, from, to);
			judge_curve(pair, &curve);
		}
		if (!b) {
			i = a->next;
			continue;
		}
		i = a->t1 <= to ? a->next : i;
		k = b->t1 <= to ? b->next : k;
		if (k == NO_STRETCH)
			return;
	}
}

real
outside_apart_from(const struct outside *outside, const struct body *a, const struct body *b, real reach)
{
	const struct stretch *all = outside->stretches;

	for (size_t i = a->first, k = b->first; i != NO_STRETCH && k != NO_STRETCH;) {
		const real from = larger_of(all[i].t0, all[k].t0), to = smaller_of(all[i].t1, all[k].t1);
		const struct curve curve = curve_between(&all[i], &all[k], NULL, from, to);
		const real part = curve_leaves(&curve, reach);
		if (part <= 1)
			return from + part * (to - from);
		const bool next = all[i].t1 <= to;
		k = all[k].t1 <= to ? all[k].next : k;
		i = next ? all[i].next : i;
	}
	return HUGE_VALL;
}

static real
distance_at(const struct pair *pair, struct point a, struct point b, real time)
{
	if (pair->b)
		return point_size(point_add(a, -1, b));
	return bar_distance(&pair->wall->bar, point_add(a, -time, pair->wall->v));
}

static void
deepest_tell(struct pair *pair)
{
	const uint32_t id = pair->b ? pair->b->def.id : pair->wall->def.id;
	const char *what = pair->b ? "circle" : "segment";
	const real depth = pair->allowed - pair->nearest;

	if (depth > 0)
		outside_find(pair->outside, OUTSIDE_BAD_OVERLAP, depth / pair->smaller, pair->flags,
		             "circle %u and %s %u overlap by %.3Lg, %.3Lg radii, on their paths", pair->a->def.id, what, id,
		             pair->radii - pair->nearest, (pair->radii - pair->nearest) / pair->smaller);
	/* What moves passes over a crushed circle. */
	const bool over = pair->wall && pair->a->been_crushed && point_size(pair->wall->v) > 0;
	if (pair->crossed)
		outside_find(pair->outside, OUTSIDE_BAD_CROSSING, 1, over ? OUTSIDE_FLAG_CRUSHED : 0,
		             "circle %u got through segment %u", pair->a->def.id, id);
}

static real
told_depth(const struct body *body)
{
	real depth = 0;

	for (unsigned bit = 1; bit <= 2; bit++)
		if (body->flags >> bit & 1)
			depth = larger_of(depth, body->amounts[bit]);
	return depth;
}

/* What is told to overlap is no deeper than that. */
static void
told_check(const struct pair *pair, real depth)
{
	const real told = larger_of(told_depth(pair->a), pair->b ? told_depth(pair->b) : 0);

	if ((pair->flags & (OUTSIDE_FLAG_INITIAL_OVERLAP | OUTSIDE_FLAG_CRUSHED)) && !pair->one_sided &&
	    depth - told > DEPTH_PRECISION * pair->smaller)
		outside_find(pair->outside, OUTSIDE_BAD_FLAG, (depth - told) / pair->smaller, 0,
		             "circle %u and %s %u overlap by %.3Lg at the tick's end, told is %.3Lg", pair->a->def.id,
		             pair->b ? "circle" : "segment", pair->b ? pair->b->def.id : pair->wall->def.id, depth, told);
}

static bool
walls_join(const struct wall *wall, const struct wall *other)
{
	return joins_at(wall, other, wall->bar.from) || joins_at(wall, other, wall->bar.to) ||
	       joins_at(wall, other, other->bar.from) || joins_at(wall, other, other->bar.to);
}

/* By how much an end may stand out of the face on which it counts as lying: 16 ulp. Contact is made a skin before, which is
 * more, but a circle may begin nearer than that, and roll on over it. */
static real
joint_height(const struct pair *pair)
{
	return 0x1p-48L * pair->outside->extent;
}

/* The same for what rests: on a wall that stands out it stays as deep as that. 0 if nothing is joined to the wall. */
static real
rest_height(const struct pair *pair)
{
	for (size_t i = 0; pair->wall && i < pair->outside->wall_count; i++)
		if (&pair->outside->walls[i] != pair->wall && walls_join(pair->wall, &pair->outside->walls[i]))
			return joint_height(pair);
	return 0;
}

/* How many circles stand in a row with the pair's at the tick's end, each within two skins of another. */
static size_t
row_count(const struct pair *pair)
{
	const struct outside *outside = pair->outside;
	size_t count = 0, *row = calloc(outside->body_count, sizeof *row);
	bool *in_row = calloc(outside->body_count, sizeof *in_row);

	if (row && in_row) {
		row[count++] = (size_t)(pair->a - outside->bodies);
		in_row[row[0]] = true;
	}
	for (size_t n = 0; n < count; n++) {
		const size_t i = row[n];
		for (size_t k = 0; k < outside->body_count; k++) {
			const struct body *a = &outside->bodies[i], *b = &outside->bodies[k];
			const struct point d = point_add(a->told, -1, b->told);
			const real skin = outside_skin(larger_of(a->reach, b->reach), smaller_of(a->def.radius, b->def.radius));
			if (in_row[k] || b->gone || b->end || !(point_size(d) <= (real)a->def.radius + b->def.radius + 2 * skin))
				continue;
			in_row[k] = true;
			row[count++] = k;
		}
	}
	free(row);
	free(in_row);
	return count;
}

/* How deep rounding may press circles of a row into each other, that move side by side without gaps.
 *
 * A pair comes nearer by an ulp of the reach in a tick, as both places are rounded. The engine then raises each of the two by 2
 * ulp, but not deeper into its next than they are in each other. So neighbouring pairs differ by 2 ulp and by a tick's one, up
 * to the row's nearer end, which is free: half of the row at most. There the last circle is raised when it is 2 ulp deep. A
 * raise is rounded to an ulp, too. In all 4 ulp a pair. Of two circles alone the slop of their paths is enough. */
static real
row_depth(const struct pair *pair)
{
	const size_t count = pair->b ? row_count(pair) : 0;

	return count > 2 ? 4 * GAP_PRECISION * (real)(count / 2 + 1) * larger_of(pair->a->reach, pair->b->reach) : 0;
}

/* Overlap at a tick's end is told. */
static void
rest_tell(struct pair *pair, real before)
{
	const struct point end_a = pair->a->told, end_b = pair->b ? pair->b->told : end_a;
	const real after = distance_at(pair, end_a, end_b, pair->outside->tick->dt), rough = pair->radii - pair->slop - after;
	const real depth = rough > 0 ? rough - rest_height(pair) - row_depth(pair) : rough;

	told_check(pair, depth);
	pair->a->overlaps = pair->a->overlaps || depth > 0;
	if (pair->b)
		pair->b->overlaps = pair->b->overlaps || depth > 0;
	if (depth > 0 && !(pair->one_sided && !pair->broken))
		outside_find(pair->outside, OUTSIDE_BAD_REST_DEPTH, depth / pair->smaller, pair->flags,
		             "circle %u and %s %u overlap by %.3Lg radii at the tick's end; at its start by %.3Lg", pair->a->def.id,
		             pair->b ? "circle" : "segment", pair->b ? pair->b->def.id : pair->wall->def.id,
		             (pair->radii - after) / pair->smaller, (pair->radii - before) / pair->smaller);
}

/* Where a circle overlaps the wall, the side is followed along its path; elsewhere its end tells. */
static int
side_at_end(const struct pair *pair)
{
	const struct point end = point_add(pair->a->told, -pair->outside->tick->dt, pair->wall->v);
	const real height = bar_height(&pair->wall->bar, end);

	return fabsl(height) > pair->slop ? (height > 0 ? 1 : -1) : pair->side;
}

/* How near a circle that overlaps the wall counts as. The engine documents that a face goes on for a skin beyond its ends,
 * where it hides them. There the height tells how near it is. For what is in touch that is the distance but for skin^2 / 2R. A
 * centre that is on the wall, and beyond its end by less than a skin, is nearer by as much as that. */
static real
face_before(const struct pair *pair, real before)
{
	const real height = fabsl(bar_height(&pair->wall->bar, pair->a->start));
	const real skin = outside_skin(larger_of(pair->a->reach, pair->outside->extent), pair->a->def.radius);
	const bool beside = before * before - height * height <= skin * skin;

	return beside ? smaller_of(before, height) : before;
}

/* How near the circle was, when the tick began, to the wall or to one that is joined to it. Joined walls are one obstacle: the
 * end of one that lies on the other is hidden by the other's face. What overlaps that face already is in the obstacle, and
 * nothing stops it at the end, which is no nearer to it than the face is. So it may get as deep into the one as it was in the
 * other, and by the joint's height more. A one-sided wall stops only what is no deeper in it than a skin. */
static real
joined_before(const struct pair *pair, real before)
{
	const struct wall *wall = pair->wall;
	const real apart = before, held = pair->radii - pair->skin - joint_height(pair);

	before = face_before(pair, before);
	for (size_t i = 0; i < pair->outside->wall_count; i++) {
		const struct wall *other = &pair->outside->walls[i];
		const real there = bar_distance(&other->bar, pair->a->start) - joint_height(pair);
		if (other != wall && there < before && outside_wall_meets(pair->outside, pair->a, other) && walls_join(wall, other))
			before = there;
	}
	return pair->one_sided ? smaller_of(apart, larger_of(before, held)) : before;
}

/* Whether a circle counts as passing a one-sided wall that it is in when the scene begins. The engine documents that it passes
 * if it is deeper than a skin. What is deeper than the slop counts too, of which less is asked. But the slop is of the path,
 * and may be many skins, while the first place is told to the bit. Depth and skin are doubles in the engine, a few ulp of the
 * coordinates off, of which a skin is 64 or more. So what is deeper than half of a skin may pass. */
static bool
begins_inside(const struct pair *pair, real before)
{
	return before < pair->radii - smaller_of(pair->slop, pair->skin / 2);
}

static void
pair_judge(struct pair *pair)
{
	const struct body *a = pair->a, *b = pair->b;

	pair->radii = a->def.radius + (b ? (real)b->def.radius : (real)pair->wall->def.radius);
	pair->smaller = b ? smaller_of(a->def.radius, b->def.radius) : a->def.radius;
	pair->slop = a->slop + (b ? b->slop : pair->wall->slop) + GAP_PRECISION * pair->radii;
	pair->flags = a->flags | (b ? b->flags : 0);
	const real before = distance_at(pair, a->start, b ? b->start : a->start, 0);
	pair->parting = b && outside_parting(pair->outside, a, b) != PARTING_DONE;
	if (pair->parting) {
		const real skin = outside_skin(larger_of(a->reach, b->reach), pair->smaller);
		pair->from = outside_apart_from(pair->outside, a, b, pair->radii + 2 * skin + pair->slop);
		if (pair->from == HUGE_VALL)
			return;
	}
	pair->allowed = smaller_of(pair->parting ? pair->radii : before, pair->radii) - pair->slop;
	/* A wall that moves passes over what it has crushed, for as many ticks as that takes. */
	if (pair->wall && a->been_crushed && point_size(pair->wall->v) > 0 && before < pair->radii)
		pair->flags |= OUTSIDE_FLAG_CRUSHED;
	pair->nearest = pair->allowed;
	if (pair->wall) {
		const real height = bar_height(&pair->wall->bar, a->start);
		pair->side = (height > pair->slop) - (height < -pair->slop);
		/* On the wall itself it is where it came from. */
		pair->side = pair->side ? pair->side : *pair->last_side;
	}
	if (pair->one_sided) {
		pair->skin = outside_skin(larger_of(a->reach, pair->outside->extent), a->def.radius);
		/* A tick's first place is told to the bit. */
		pair->inside = *pair->passing != PASSING_APART && before < pair->radii - pair->wall->slop;
		pair->broken = *pair->passing == PASSING_BROKEN;
		pair->lowest = HUGE_VALL;
		if (pair->outside->report.ticks == 1)
			pair->inside = begins_inside(pair, before);
	}
	judge_pushes(pair);
	judge_paths(pair);
	if (pair->wall && pair->nearest < pair->allowed)
		pair->allowed = smaller_of(joined_before(pair, before), pair->radii) - pair->slop;
	deepest_tell(pair);
	if (a->end || (b && b->end))
		return;
	rest_tell(pair, before);
	if (pair->last_side)
		*pair->last_side = (int8_t)side_at_end(pair);
	if (pair->one_sided)
		*pair->passing = !pair->inside ? PASSING_APART : pair->broken ? PASSING_BROKEN : PASSING_WITHIN;
	/* A circle crushed in its way is in it, and passes from then on. */
	if (pair->one_sided && pair->inside && a->crushed < HUGE_VALL)
		*pair->passing = PASSING_WITHIN;
}

static bool
boxes_apart(struct point low_a, struct point high_a, struct point low_b, struct point high_b)
{
	return low_a.x > high_b.x || low_b.x > high_a.x || low_a.y > high_b.y || low_b.y > high_a.y;
}

static void
wall_box(const struct wall *wall, real dt, struct point *low, struct point *high)
{
	const struct point to_1 = point_add(wall->e1, dt, wall->v), to_2 = point_add(wall->e2, dt, wall->v);
	const real more = wall->def.radius + wall->slop;

	low->x = smaller_of(smaller_of(wall->e1.x, wall->e2.x), smaller_of(to_1.x, to_2.x)) - more;
	low->y = smaller_of(smaller_of(wall->e1.y, wall->e2.y), smaller_of(to_1.y, to_2.y)) - more;
	high->x = larger_of(larger_of(wall->e1.x, wall->e2.x), larger_of(to_1.x, to_2.x)) + more;
	high->y = larger_of(larger_of(wall->e1.y, wall->e2.y), larger_of(to_1.y, to_2.y)) + more;
}

static void
wall_judge(struct outside *outside, size_t i, size_t k)
{
	struct body *a = &outside->bodies[i];
	struct wall *wall = &outside->walls[k];
	struct pair pair = { .outside = outside, .a = a, .wall = wall };

	if (!outside_wall_meets(outside, a, wall))
		return;
	pair.one_sided = outside_wall_one_sided(outside, a, wall);
	pair.last_side = &outside->sides[i * outside->wall_count + k];
	if (pair.one_sided)
		pair.passing = &outside->passing[i * outside->wall_count + k];
	pair_judge(&pair);
}

static void
wall_forget(struct outside *outside, size_t i, size_t k)
{
	if (outside->passing)
		outside->passing[i * outside->wall_count + k] = PASSING_APART;
	outside->sides[i * outside->wall_count + k] = 0;
}

void
outside_pairs(struct outside *outside)
{
	for (size_t k = 0; k < outside->wall_count; k++) {
		struct point low, high;
		wall_box(&outside->walls[k], outside->tick->dt, &low, &high);
		for (size_t i = 0; i < outside->body_count; i++) {
			const struct body *a = &outside->bodies[i];
			if (!boxes_apart(a->low, a->high, low, high))
				wall_judge(outside, i, k);
			else
				wall_forget(outside, i, k);
		}
	}
	for (size_t i = 0; i < outside->body_count; i++)
		for (size_t k = i + 1; k < outside->body_count; k++) {
			struct body *a = &outside->bodies[i], *b = &outside->bodies[k];
			if (boxes_apart(a->low, a->high, b->low, b->high) || !outside_circles_meet(outside, a, b))
				continue;
			struct pair pair = { .outside = outside, .a = a, .b = b };
			pair_judge(&pair);
		}
}
