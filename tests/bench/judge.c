#include "bench/judge.h"

#include "bench/boxes.h"
#include "bench/region.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A tick is straight if position and velocity at its end are those of free flight, to this part of the radius and of the speed.
 * Single precision is: positions have 2^-24 of the coordinate. */
static const double straight_radii = 1e-3, straight_speed = 1e-5, straight_coordinate = 4e-7;
/* How near two ways must come to count as a hit that was missed, in sums of radii. */
static const double miss_reach = 0.95;

struct judge {
	const struct scene *scene;
	struct region **regions; /* of each world; NULL without SCENE_REGIONS */
	struct frame_state *before, *first;
	bool *escaped, *was_outside; /* now, and at the frame before */
	struct box *boxes;
	double energy_first, overlap_sum;
	uint64_t tick; /* the one after the last frame */
	bool begun;
	struct verdict verdict;
};

/* One world of one frame. */
struct view {
	struct judge *judge;
	const struct scene_world *world;
	const struct frame_state *now;
	struct frame_state *before;
	bool *escaped, *was_outside;
	double dt;
	const struct scene_segment *segment; /* that boxes_near was asked about */
};

static bool
regions_make(struct judge *judge)
{
	judge->regions = calloc(judge->scene->head.worlds + 1, sizeof(struct region *));
	if (!judge->regions)
		return false;
	for (uint64_t i = 0; i < judge->scene->head.worlds; i++) {
		judge->regions[i] = region_create(&judge->scene->worlds[i]);
		if (!judge->regions[i])
			return false;
		judge->verdict.rooms_open |= region_is_open(judge->regions[i]);
	}
	return true;
}

struct judge *
judge_create(const struct scene *scene)
{
	struct judge *judge = calloc(1, sizeof *judge);
	if (!judge)
		return NULL;
	const size_t count = scene_circle_count(scene);
	judge->scene = scene;
	judge->verdict.circles = count;
	judge->verdict.misses_judged = scene->head.gravity[0] == 0 && scene->head.gravity[1] == 0;
	judge->before = calloc(count + 1, sizeof *judge->before);
	judge->first = calloc(count + 1, sizeof *judge->first);
	judge->escaped = calloc(count + 1, sizeof *judge->escaped);
	judge->was_outside = calloc(count + 1, sizeof *judge->was_outside);
	judge->boxes = calloc(count + 1, sizeof *judge->boxes);
	const bool good = judge->before && judge->first && judge->escaped && judge->was_outside && judge->boxes &&
	                  (!(scene->head.flags & SCENE_REGIONS) || regions_make(judge));
	if (!good) {
		judge_destroy(judge);
		return NULL;
	}
	return judge;
}

void
judge_destroy(struct judge *judge)
{
	if (!judge)
		return;
	for (uint64_t i = 0; judge->regions && i < judge->scene->head.worlds; i++)
		region_destroy(judge->regions[i]);
	free(judge->regions);
	free(judge->before);
	free(judge->first);
	free(judge->escaped);
	free(judge->was_outside);
	free(judge->boxes);
	free(judge);
}

static double
segment_distance(const struct scene_segment *s, double x, double y)
{
	const double ux = s->x2 - s->x1, uy = s->y2 - s->y1;
	const double t = fmin(1, fmax(0, ((x - s->x1) * ux + (y - s->y1) * uy) / (ux * ux + uy * uy)));
	return hypot(x - s->x1 - t * ux, y - s->y1 - t * uy);
}

/* --- escapes --- */

static bool
state_is_outside(const struct judge *judge, uint64_t world, const struct frame_state *state)
{
	const double *bounds = judge->scene->head.bounds;
	if (!isfinite(state->x) || !isfinite(state->y) || !isfinite(state->vx) || !isfinite(state->vy))
		return true;
	if (judge->scene->head.flags & SCENE_CLOSED &&
	    (state->x < bounds[0] || state->y < bounds[1] || state->x > bounds[2] || state->y > bounds[3]))
		return true;
	return judge->regions && !judge->verdict.rooms_open && region_is_outside(judge->regions[world], state->x, state->y);
}

static void
escapes_judge(struct view *view, uint64_t world)
{
	for (uint64_t i = 0; i < view->world->circle_count; i++) {
		if (!view->escaped[i] && state_is_outside(view->judge, world, &view->now[i])) {
			view->escaped[i] = true;
			view->judge->verdict.escapes++;
		}
	}
}

/* --- overlap --- */

static void
overlap_note(struct judge *judge, double depth)
{
	struct verdict *verdict = &judge->verdict;
	if (depth <= 0)
		return;
	verdict->overlap_max = fmax(verdict->overlap_max, depth);
	verdict->overlaps++;
	judge->overlap_sum += depth;
}

static void
on_overlap_pair(void *context, uint32_t a, uint32_t b)
{
	struct view *view = context;
	const double r = view->world->circles[a].radius, s = view->world->circles[b].radius;
	const double distance = hypot(view->now[a].x - view->now[b].x, view->now[a].y - view->now[b].y);
	overlap_note(view->judge, (r + s - distance) / fmin(r, s));
}

static void
on_overlap_wall(void *context, uint32_t item)
{
	struct view *view = context;
	const double r = view->world->circles[item].radius;
	overlap_note(view->judge, (r - segment_distance(view->segment, view->now[item].x, view->now[item].y)) / r);
}

static bool
overlaps_judge(struct view *view)
{
	struct box *list = view->judge->boxes;
	size_t count = 0;
	for (uint64_t i = 0; i < view->world->circle_count; i++) {
		const double r = view->world->circles[i].radius, x = view->now[i].x, y = view->now[i].y;
		if (!view->escaped[i])
			list[count++] = (struct box){ x - r, y - r, x + r, y + r, (uint32_t)i };
	}
	struct boxes *boxes = boxes_create(list, count);
	if (!boxes)
		return false;
	boxes_pairs(boxes, on_overlap_pair, view);
	for (uint64_t i = 0; i < view->world->segment_count; i++) {
		view->segment = &view->world->segments[i];
		boxes_near(boxes, view->segment->x1, view->segment->y1, view->segment->x2, view->segment->y2, on_overlap_wall, view);
	}
	boxes_destroy(boxes);
	return true;
}

/* --- missed hits --- */

static bool
flew_straight(const struct view *view, uint64_t i)
{
	const struct frame_state *from = &view->before[i], *to = &view->now[i];
	const double speed = hypot(from->vx, from->vy);
	const double far = fmax(fmax(fabs(from->x), fabs(from->y)), fmax(fabs(to->x), fabs(to->y)));
	const double error = hypot(to->x - from->x - from->vx * view->dt, to->y - from->y - from->vy * view->dt);
	return hypot(to->vx - from->vx, to->vy - from->vy) <= straight_speed * speed &&
	       error <= straight_radii * view->world->circles[i].radius + straight_coordinate * far;
}

static void
on_missed_pair(void *context, uint32_t a, uint32_t b)
{
	struct view *view = context;
	const struct frame_state *p = &view->before[a], *q = &view->before[b];
	const double reach = miss_reach * (view->world->circles[a].radius + view->world->circles[b].radius);
	const double dx = p->x - q->x, dy = p->y - q->y, ux = p->vx - q->vx, uy = p->vy - q->vy;
	const double closing = dx * ux + dy * uy, square = ux * ux + uy * uy;
	/* Those that still approach at the tick's end may be late, not missed. */
	if (closing >= 0 || -closing >= square * view->dt)
		return;
	const double t = -closing / square;
	if (hypot(dx + t * ux, dy + t * uy) < reach)
		view->judge->verdict.missed_pairs++;
}

/* On which side of the line from (x1, y1) to (x2, y2): its sign. */
static double
side_of(double x1, double y1, double x2, double y2, double x, double y)
{
	return (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1);
}

static void
on_missed_wall(void *context, uint32_t item)
{
	struct view *view = context;
	const struct scene_segment *s = view->segment;
	const struct frame_state *from = &view->before[item], *to = &view->now[item];
	if (side_of(s->x1, s->y1, s->x2, s->y2, from->x, from->y) * side_of(s->x1, s->y1, s->x2, s->y2, to->x, to->y) < 0 &&
	    side_of(from->x, from->y, to->x, to->y, s->x1, s->y1) * side_of(from->x, from->y, to->x, to->y, s->x2, s->y2) < 0)
		view->judge->verdict.missed_walls++;
}

/* A way that left the bounds still crossed a wall: those that just escaped are in. */
static bool
misses_judge(struct view *view)
{
	struct box *list = view->judge->boxes;
	size_t count = 0;
	for (uint64_t i = 0; i < view->world->circle_count; i++) {
		const struct frame_state *from = &view->before[i], *to = &view->now[i];
		const double r = view->world->circles[i].radius;
		if (view->was_outside[i] || !isfinite(to->x) || !isfinite(to->y) || !flew_straight(view, i))
			continue;
		list[count++] = (struct box){ fmin(from->x, to->x) - r, fmin(from->y, to->y) - r, fmax(from->x, to->x) + r,
			                          fmax(from->y, to->y) + r, (uint32_t)i };
	}
	struct boxes *boxes = boxes_create(list, count);
	if (!boxes)
		return false;
	boxes_pairs(boxes, on_missed_pair, view);
	for (uint64_t i = 0; i < view->world->segment_count; i++) {
		view->segment = &view->world->segments[i];
		boxes_near(boxes, view->segment->x1, view->segment->y1, view->segment->x2, view->segment->y2, on_missed_wall, view);
	}
	boxes_destroy(boxes);
	return true;
}

/* --- energy --- */

/* The escaped count too, unless they are no numbers. */
static double
energy_of(const struct judge *judge, const struct frame_state *states)
{
	const double *gravity = judge->scene->head.gravity;
	double energy = 0;
	for (uint64_t w = 0; w < judge->scene->head.worlds; w++) {
		const struct scene_world *world = &judge->scene->worlds[w];
		for (uint64_t i = 0; i < world->circle_count; i++, states++) {
			const double square = states->vx * states->vx + states->vy * states->vy;
			const double height = gravity[0] * states->x + gravity[1] * states->y;
			if (isfinite(square) && isfinite(height) && isfinite(world->circles[i].mass))
				energy += world->circles[i].mass * (square / 2 - height);
		}
	}
	return energy;
}

static void
energy_judge(struct judge *judge, const struct frame_state *states)
{
	const double energy = energy_of(judge, states);
	const double drift = judge->energy_first != 0 ? (energy - judge->energy_first) / fabs(judge->energy_first) : 0;
	judge->verdict.energy_gain = fmax(judge->verdict.energy_gain, drift);
	if (fabs(drift) > fabs(judge->verdict.energy_drift))
		judge->verdict.energy_drift = drift;
}

/* --- frames --- */

static bool
world_judge(struct judge *judge, uint64_t w, const struct frame_state *states, size_t offset)
{
	struct view view = {
		.judge = judge,
		.world = &judge->scene->worlds[w],
		.now = states + offset,
		.before = judge->before + offset,
		.escaped = judge->escaped + offset,
		.was_outside = judge->was_outside + offset,
		.dt = judge->scene->head.dt,
	};
	memcpy(view.was_outside, view.escaped, view.world->circle_count * sizeof *view.escaped);
	escapes_judge(&view, w);
	return overlaps_judge(&view) && (!judge->verdict.misses_judged || misses_judge(&view));
}

/* The velocities that the next tick begins with. */
static void
steer(struct judge *judge)
{
	const struct scene_velocity *velocities = scene_steered(judge->scene, judge->tick++);
	struct frame_state *first = judge->before;
	for (uint64_t w = 0; velocities && w < judge->scene->head.worlds; w++) {
		for (uint64_t i = 0; i < judge->scene->steering.count; i++) {
			first[i].vx = velocities[i].vx;
			first[i].vy = velocities[i].vy;
		}
		first += judge->scene->worlds[w].circle_count;
	}
}

bool
judge_frame(struct judge *judge, const struct frame_state *states)
{
	const size_t count = scene_circle_count(judge->scene);
	if (!judge->begun) {
		judge->begun = true;
		memcpy(judge->first, states, count * sizeof *states);
		judge->energy_first = energy_of(judge, states);
	} else {
		size_t offset = 0;
		for (uint64_t w = 0; w < judge->scene->head.worlds; w++) {
			if (!world_judge(judge, w, states, offset))
				return false;
			offset += judge->scene->worlds[w].circle_count;
		}
		judge->verdict.frames++;
		energy_judge(judge, states);
	}
	memcpy(judge->before, states, count * sizeof *states);
	steer(judge);
	return true;
}

/* --- head-on pairs --- */

/* Whether the pair hit; its error goes to *error. */
static bool
pair_judge(const struct scene_circle *circles, const struct frame_state *first, const struct frame_state *last, double *error)
{
	const double dx = first[0].x - first[1].x, dy = first[0].y - first[1].y, square = dx * dx + dy * dy;
	const double closing = ((first[0].vx - first[1].vx) * dx + (first[0].vy - first[1].vy) * dy) / square;
	const double receding = ((last[0].vx - last[1].vx) * dx + (last[0].vy - last[1].vy) * dy) / square;
	if (!(closing < 0) || !(receding > 0))
		return false;
	/* Elastic impact along the line of centres: each gives 2 m / (m + M) of the speed of approach to the other. */
	const double total = circles[0].mass + circles[1].mass;
	const double a = 2 * circles[1].mass / total * closing, b = 2 * circles[0].mass / total * closing;
	const double error_a = hypot(last[0].vx - (first[0].vx - a * dx), last[0].vy - (first[0].vy - a * dy));
	const double error_b = hypot(last[1].vx - (first[1].vx + b * dx), last[1].vy - (first[1].vy + b * dy));
	*error = fmax(error_a, error_b) / (-closing * sqrt(square));
	return true;
}

static int
doubles_compare(const void *left, const void *right)
{
	const double l = *(const double *)left, r = *(const double *)right;
	return (l > r) - (l < r);
}

static void
pairs_judge(const struct judge *judge, struct verdict *verdict)
{
	double *errors = malloc(scene_circle_count(judge->scene) / 2 * sizeof *errors + 1);
	const struct frame_state *first = judge->first, *last = judge->before;
	for (uint64_t w = 0; errors && w < judge->scene->head.worlds; w++) {
		const struct scene_world *world = &judge->scene->worlds[w];
		for (uint64_t i = 0; i + 1 < world->circle_count; i += 2)
			verdict->pairs_hit += pair_judge(&world->circles[i], &first[i], &last[i], &errors[verdict->pairs_hit]);
		first += world->circle_count;
		last += world->circle_count;
	}
	if (errors && verdict->pairs_hit) {
		qsort(errors, verdict->pairs_hit, sizeof *errors, doubles_compare);
		verdict->pair_error_median = errors[verdict->pairs_hit / 2];
		verdict->pair_error_max = errors[verdict->pairs_hit - 1];
	}
	free(errors);
}

struct verdict
judge_verdict(const struct judge *judge)
{
	struct verdict verdict = judge->verdict;
	verdict.overlap_mean = verdict.overlaps ? judge->overlap_sum / (double)verdict.overlaps : 0;
	if (judge->scene->head.flags & SCENE_PAIRS && judge->begun)
		pairs_judge(judge, &verdict);
	return verdict;
}
