#include "certificate/overlap.h"
#include "certificate/cert_problem.h"
#include "certificate/escape.h"
#include "certificate/memory.h"
#include "certificate/passage.h"
#include "certificate/wall_motion.h"

#include <stdlib.h>

/* Of the coordinates: contact is made with so much to spare for rounding, and no more is let pass as rounding. */
#define ROUNDING 0x1p-46

/* A scan under way, for the broad phase's callbacks. */
struct overlap_search {
	struct cert_overlaps *overlaps;
	const struct cert_scan *scan;
};

/* One pair's way through the tick. */
struct judgement {
	const struct cert_scan *scan;
	struct cert_pair pair;
	const struct cert_body *a, *b; /* b is NULL for a wall */
	const struct cert_wall *wall;
	double radii, radius_min, slop, reach;
	bool excused;
	double allowed; /* depth that is excused */
	double lent;    /* depth that is excused with a wall that shares an end with this one */
	double worst;   /* overlap beyond it */
	double end_gap; /* at the tick's end */
};

void
cert_overlaps_init(struct cert_overlaps *overlaps)
{
	*overlaps = (struct cert_overlaps){ 0 };
}

void
cert_overlaps_finish(struct cert_overlaps *overlaps)
{
	free(overlaps->suspects);
	free(overlaps->known);
	free(overlaps->next);
	*overlaps = (struct cert_overlaps){ 0 };
}

static int
order_pairs(const struct cert_pair *a, const struct cert_pair *b)
{
	if (a->with_wall != b->with_wall)
		return a->with_wall ? 1 : -1;
	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	return (a->b > b->b) - (a->b < b->b);
}

static int
order_suspects(const void *left, const void *right)
{
	return order_pairs(left, right);
}

static const struct cert_overlap *
overlap_find(const struct cert_overlaps *overlaps, const struct cert_pair *pair)
{
	size_t low = 0, high = overlaps->known_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (order_pairs(&overlaps->known[middle].pair, pair) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < overlaps->known_count && order_pairs(&overlaps->known[low].pair, pair) == 0 ? &overlaps->known[low] : NULL;
}

static void
suspect_add(struct cert_overlaps *overlaps, struct cert_pair pair)
{
	if (!CERT_RESERVE(&overlaps->suspects, &overlaps->suspect_capacity, overlaps->suspect_count + 1)) {
		overlaps->failed = true;
		return;
	}
	overlaps->suspects[overlaps->suspect_count++] = pair;
}

static struct cert_motion
motion_between(const struct cert_piece *a, const struct cert_piece *b, double time)
{
	struct cert_motion one = cert_piece_motion(a, time), two = cert_piece_motion(b, time);

	return (struct cert_motion){ cert_sub(one.d, two.d), cert_sub(one.w, two.w), cert_sub(one.q, two.q) };
}

static void
on_pair(void *context, const struct cert_stretch *left, const struct cert_stretch *right)
{
	struct overlap_search *search = context;
	const struct cert_shapes *shapes = search->scan->shapes;
	const struct cert_body *a = &shapes->bodies[left->body], *b = &shapes->bodies[right->body];
	double from = cert_max(left->t0, right->t0), h = cert_min(left->t1, right->t1) - from, radii = a->radius + b->radius;

	if (!cert_bodies_meet(shapes, a, b))
		return;
	struct cert_motion motion = motion_between(&search->scan->paths->pieces[left->piece],
	                                           &search->scan->paths->pieces[right->piece], from);
	if (cert_motion_bound(&motion, h) < radii && cert_motion_nearest(&motion, h) < radii) {
		bool swap = left->body > right->body;

		suspect_add(search->overlaps,
		            (struct cert_pair){ swap ? right->body : left->body, swap ? left->body : right->body, false });
	}
}

static void
on_wall(void *context, const struct cert_stretch *stretch, size_t index)
{
	struct overlap_search *search = context;
	const struct cert_shapes *shapes = search->scan->shapes;
	const struct cert_body *body = &shapes->bodies[stretch->body];
	const struct cert_wall *wall = &shapes->walls[index];

	if (!cert_body_meets_wall(shapes, body, wall))
		return;
	struct cert_motion motion = cert_piece_motion(&search->scan->paths->pieces[stretch->piece], stretch->t0);
	motion = cert_motion_seen(wall, &motion, stretch->t0);
	if (cert_motion_bound_wall(&motion, stretch->t1 - stretch->t0, wall) < body->radius + wall->radius &&
	    cert_motion_nearest_wall(&motion, stretch->t1 - stretch->t0, wall) < body->radius + wall->radius)
		suspect_add(search->overlaps, (struct cert_pair){ stretch->body, (uint32_t)index, true });
}

/* One common stretch of both paths. An excused pair counts from the first end of a stretch at which it is apart. Before
 * that it counts only for what it gets deeper, and rounding may do that a little. */
static void
judge_stretch(struct judgement *judgement, const struct cert_piece *a, const struct cert_piece *b, double from, double until)
{
	struct cert_motion start = judgement->wall ? cert_piece_motion(a, from) : motion_between(a, b, from);
	double h = until - from, nearest, start_gap, over;

	judgement->reach = cert_max(judgement->reach, cert_max(cert_reach(a->p), b ? cert_reach(b->p) : 0));
	if (judgement->wall) {
		start = cert_motion_seen(judgement->wall, &start, from);
		nearest = cert_motion_nearest_wall(&start, h, judgement->wall);
		start_gap = cert_wall_distance(judgement->wall, start.d, NULL) - judgement->radii;
		judgement->end_gap = cert_wall_distance(judgement->wall, cert_motion_at(&start, h), NULL) - judgement->radii;
	} else {
		nearest = cert_motion_nearest(&start, h);
		start_gap = cert_length(start.d) - judgement->radii;
		judgement->end_gap = cert_length(cert_motion_at(&start, h)) - judgement->radii;
	}
	if (judgement->excused && start_gap >= 0) {
		judgement->excused = false;
		judgement->allowed = 0;
	}
	over = judgement->radii - nearest - cert_max(judgement->allowed, judgement->lent);
	if (over > (judgement->excused || judgement->lent > 0 ? judgement->slop : 0))
		judgement->worst = cert_max(judgement->worst, over);
	if (judgement->excused && judgement->end_gap >= 0) {
		judgement->excused = false;
		judgement->allowed = 0;
	}
}

static void
judge_wall(struct judgement *judgement, double until)
{
	const struct cert_paths *paths = judgement->scan->paths;

	for (size_t i = paths->first[judgement->pair.a]; i < paths->first[judgement->pair.a + 1]; i++) {
		const struct cert_piece *piece = &paths->pieces[i];

		if (piece->t0 < until)
			judge_stretch(judgement, piece, NULL, piece->t0, piece->t1);
	}
}

/* Walks both paths together; being crushed begins a piece, so none reaches across `until`. */
static void
judge_circles(struct judgement *judgement, double until)
{
	const struct cert_paths *paths = judgement->scan->paths;
	size_t i = paths->first[judgement->pair.a], k = paths->first[judgement->pair.b];

	while (i < paths->first[judgement->pair.a + 1] && k < paths->first[judgement->pair.b + 1]) {
		const struct cert_piece *a = &paths->pieces[i], *b = &paths->pieces[k];
		double from = cert_max(a->t0, b->t0);

		if (from >= until)
			return;
		judge_stretch(judgement, a, b, from, cert_min(a->t1, b->t1));
		i += a->t1 <= b->t1;
		k += b->t1 <= a->t1;
	}
}

static struct judgement
judgement_begin(const struct cert_scan *scan, struct cert_pair pair)
{
	struct judgement judgement = {
		.scan = scan, .pair = pair, .a = &scan->shapes->bodies[pair.a], .slop = scan->paths->slop[pair.a]
	};

	judgement.radii = judgement.radius_min = judgement.a->radius;
	if (pair.with_wall) {
		judgement.wall = &scan->shapes->walls[pair.b];
		judgement.radii += judgement.wall->radius;
		judgement.reach = judgement.wall->reach;
		judgement.slop += judgement.wall->slop;
	} else {
		judgement.b = &scan->shapes->bodies[pair.b];
		judgement.radii += judgement.b->radius;
		judgement.radius_min = cert_min(judgement.radius_min, judgement.b->radius);
		judgement.slop += scan->paths->slop[pair.b];
	}
	return judgement;
}

static double
pair_gap(const struct judgement *judgement, const struct cert_vec *p, double time)
{
	struct cert_vec a = p[judgement->pair.a];

	if (judgement->wall)
		a = cert_point_seen(judgement->wall, a, time);

	return (judgement->wall ? cert_wall_distance(judgement->wall, a, NULL) : cert_length(cert_sub(a, p[judgement->pair.b]))) -
	       judgement->radii;
}

/* An end that two walls share, or that lies on the other wall, is no surface of its own from beside that wall. A circle that
 * overlaps the other wall may slide along it past the end. So it comes into the reach of this one, no deeper than it is in
 * the other. */
static double
depth_lent(const struct cert_overlaps *overlaps, const struct judgement *judgement)
{
	const struct cert_shapes *shapes = judgement->scan->shapes;
	double depth = 0;

	if (judgement->scan->start_p)
		return cert_wall_depth_near(shapes, judgement->a, judgement->wall, judgement->scan->start_p[judgement->pair.a]);
	for (size_t i = 0; i < overlaps->known_count; i++) {
		const struct cert_overlap *known = &overlaps->known[i];

		if (known->excused && known->pair.with_wall && known->pair.a == judgement->pair.a &&
		    !cert_wall_one_sided(shapes, judgement->a, &shapes->walls[known->pair.b]) &&
		    cert_wall_joins(&shapes->walls[known->pair.b], judgement->wall))
			depth = cert_max(depth, known->depth);
	}
	return depth;
}

/* Takes over what is known of the pair: from the last tick, or from the very first state. */
static void
judgement_excuse(struct judgement *judgement, const struct cert_overlap *known)
{
	if (known) {
		judgement->excused = known->excused;
		judgement->allowed = known->excused ? known->depth : 0;
	} else if (judgement->scan->start_p) {
		double gap = pair_gap(judgement, judgement->scan->start_p, 0);

		judgement->excused = gap < 0;
		judgement->allowed = cert_max(0, -gap);
	}
}

static void
overlap_keep(struct cert_overlaps *overlaps, const struct judgement *judgement, bool crushed, int side)
{
	double gap = pair_gap(judgement, judgement->scan->paths->p, judgement->scan->dt);

	if (gap >= 0)
		return;
	if (!CERT_RESERVE(&overlaps->next, &overlaps->next_capacity, overlaps->next_count + 1)) {
		overlaps->failed = true;
		return;
	}
	overlaps->next[overlaps->next_count++] = (struct cert_overlap){ judgement->pair,
		                                                            judgement->excused || judgement->lent > 0 || crushed, -gap,
		                                                            side };
}

/* The largest coordinate of the walls that a body touches on its way, up to twice the room that rounding has there. What rests
 * on a wall is rounded as its coordinates are, and whatever touches the body has that rounding before it. */
static double
walls_reach(const struct cert_scan *scan, uint32_t index)
{
	const struct cert_body *body = &scan->shapes->bodies[index];
	double reach = 0;

	for (size_t k = 0; k < scan->shapes->wall_count; k++) {
		const struct cert_wall *wall = &scan->shapes->walls[k];
		double near = body->radius + wall->radius + 2 * ROUNDING * wall->reach;

		if (wall->reach <= reach || !cert_body_meets_wall(scan->shapes, body, wall))
			continue;
		for (size_t i = scan->paths->first[index]; i < scan->paths->first[index + 1]; i++) {
			const struct cert_piece *piece = &scan->paths->pieces[i];
			struct cert_motion motion = cert_piece_motion(piece, piece->t0);

			motion = cert_motion_seen(wall, &motion, piece->t0);
			if (cert_motion_bound_wall(&motion, piece->t1 - piece->t0, wall) < near &&
			    cert_motion_nearest_wall(&motion, piece->t1 - piece->t0, wall) < near) {
				reach = wall->reach;
				break;
			}
		}
	}
	return reach;
}

static void
worst_tell(const struct judgement *judgement)
{
	double reach = cert_max(judgement->reach, judgement->radius_min);

	if (!(judgement->worst > 0))
		return;
	reach = cert_max(reach, walls_reach(judgement->scan, judgement->pair.a));
	if (judgement->b)
		reach = cert_max(reach, walls_reach(judgement->scan, judgement->pair.b));
	cert_problem_overlap(judgement->scan->report, judgement->worst, ROUNDING * reach, judgement->radius_min, judgement->a->id,
	                     judgement->wall ? judgement->wall->id : judgement->b->id, judgement->pair.with_wall);
}

/* A one-sided wall. A circle that is in it already at the start passes: scenes may begin so. */
static void
judge_one_sided(struct cert_overlaps *overlaps, struct judgement *judgement, const struct cert_overlap *known)
{
	const struct cert_paths *paths = judgement->scan->paths;
	uint32_t a = judgement->pair.a;
	struct cert_passage passage = { .state = known && !known->excused ? CERT_BROKEN : CERT_PASSING };

	for (size_t i = paths->first[a]; i < paths->first[a + 1]; i++) {
		const struct cert_piece *piece = &paths->pieces[i];

		if (piece->t0 < paths->crushed[a]) {
			struct cert_motion whole = cert_piece_motion(piece, piece->t0);
			struct cert_motion motion = cert_motion_seen(judgement->wall, &whole, piece->t0);

			judgement->reach = cert_max(judgement->reach, cert_reach(piece->p));
			cert_passage_follow(&passage, judgement->scan->shapes, judgement->a, judgement->wall, &motion,
			                    piece->t1 - piece->t0, piece->t0, judgement->slop);
		}
	}
	judgement->worst = passage.worst;
	/* A body that is crushed as the wall comes over it is in the wall, and passes from then on. */
	judgement->excused = passage.state == CERT_PASSING || paths->crushed[a] < HUGE_VAL;
	if (passage.crossed)
		cert_problem_escape(judgement->scan->report, judgement->a->id, judgement->wall->id, passage.crossed_at);
	worst_tell(judgement);
	overlap_keep(overlaps, judgement, false, 0);
}

static void
judge_pair(struct cert_overlaps *overlaps, const struct cert_scan *scan, struct cert_pair pair)
{
	struct judgement judgement = judgement_begin(scan, pair);
	const struct cert_overlap *known = overlap_find(overlaps, &pair);
	double crushed = scan->paths->crushed[pair.a];
	int side = 0;

	if (pair.with_wall && cert_wall_one_sided(scan->shapes, judgement.a, judgement.wall)) {
		judge_one_sided(overlaps, &judgement, known);
		return;
	}
	judgement_excuse(&judgement, known);
	if (pair.with_wall) {
		judgement.lent = depth_lent(overlaps, &judgement);
		judge_wall(&judgement, crushed);
		side = cert_escapes_count(scan->paths, pair.a, judgement.a, judgement.wall, known ? known->side : 0, scan->report);
		side = crushed < HUGE_VAL && cert_wall_moves(judgement.wall) ? 0 : side;
	} else {
		crushed = cert_min(crushed, scan->paths->crushed[pair.b]);
		judge_circles(&judgement, crushed);
	}
	worst_tell(&judgement);
	overlap_keep(overlaps, &judgement, crushed < HUGE_VAL, side);
}

bool
cert_overlaps_scan(struct cert_overlaps *overlaps, const struct cert_scan *scan)
{
	struct overlap_search search = { overlaps, scan };
	struct cert_overlap *old = overlaps->known;
	size_t old_capacity = overlaps->known_capacity;

	overlaps->suspect_count = overlaps->next_count = 0;
	cert_sweep_pairs(scan->sweep, on_pair, &search);
	for (size_t i = 0; i < scan->sweep->stretch_count; i++)
		cert_sweep_walls(scan->sweep, scan->shapes, &scan->sweep->stretches[i], on_wall, &search);
	if (overlaps->suspect_count > 0)
		qsort(overlaps->suspects, overlaps->suspect_count, sizeof *overlaps->suspects, order_suspects);
	for (size_t i = 0; i < overlaps->suspect_count; i++)
		if (i == 0 || order_pairs(&overlaps->suspects[i], &overlaps->suspects[i - 1]) != 0)
			judge_pair(overlaps, scan, overlaps->suspects[i]);
	overlaps->known = overlaps->next;
	overlaps->known_count = overlaps->next_count;
	overlaps->known_capacity = overlaps->next_capacity;
	overlaps->next = old;
	overlaps->next_capacity = old_capacity;
	return !overlaps->failed;
}
