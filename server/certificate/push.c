#include "certificate/push.h"
#include "certificate/cert_problem.h"
#include "certificate/escape.h"
#include "certificate/passage.h"

#include <stdlib.h>

struct pushes {
	const struct cert_shapes *shapes;
	const struct cert_paths *paths;
	const struct cert_vec *start_p;
	struct certificate_report *report;
	size_t *first; /* of each body in `order`; body_count + 2 */
	size_t *order; /* indices of pushes, grouped by body, ascending */
};

/* Rounding of a distance between points this far out. */
static double
push_slop(const struct pushes *pushes, size_t body)
{
	return pushes->paths->slop[body] + 0x1p-50 * (cert_reach(pushes->start_p[body]) + pushes->shapes->bodies[body].radius);
}

static void
pushes_group(struct pushes *pushes)
{
	for (size_t i = 0; i < pushes->paths->push_count; i++)
		pushes->first[pushes->paths->pushes[i].body + 2]++;
	for (size_t i = 2; i < pushes->shapes->body_count + 2; i++)
		pushes->first[i] += pushes->first[i - 1];
	for (size_t i = 0; i < pushes->paths->push_count; i++)
		pushes->order[pushes->first[pushes->paths->pushes[i].body + 1]++] = i;
}

static void
boxes_fill(const struct pushes *pushes, struct cert_box *boxes)
{
	for (size_t i = 0; i < pushes->shapes->body_count; i++) {
		double radius = pushes->shapes->bodies[i].radius;
		struct cert_vec p = pushes->start_p[i], low = p, high = p;

		for (size_t k = pushes->first[i]; k < pushes->first[i + 1]; k++) {
			p = cert_add(p, pushes->paths->pushes[pushes->order[k]].move);
			low = (struct cert_vec){ cert_min(low.x, p.x), cert_min(low.y, p.y) };
			high = (struct cert_vec){ cert_max(high.x, p.x), cert_max(high.y, p.y) };
		}
		boxes[i] = (struct cert_box){ { low.x - radius, low.y - radius }, { high.x + radius, high.y + radius } };
	}
}

/* Both bodies' pushes in stream order, the other one standing still during each. */
static void
on_pair(void *context, const struct cert_stretch *left, const struct cert_stretch *right)
{
	struct pushes *pushes = context;
	size_t i = pushes->first[left->body], k = pushes->first[right->body];
	size_t i_end = pushes->first[left->body + 1], k_end = pushes->first[right->body + 1];
	const struct cert_body *a = &pushes->shapes->bodies[left->body], *b = &pushes->shapes->bodies[right->body];
	struct cert_motion motion = { .d = cert_sub(pushes->start_p[left->body], pushes->start_p[right->body]) };
	double radii = a->radius + b->radius, slop = push_slop(pushes, left->body) + push_slop(pushes, right->body);
	double worst = 0;

	if (!cert_bodies_meet(pushes->shapes, a, b))
		return;
	while (i < i_end || k < k_end) {
		bool of_left = k == k_end || (i < i_end && pushes->order[i] < pushes->order[k]);
		struct cert_vec move = pushes->paths->pushes[of_left ? pushes->order[i++] : pushes->order[k++]].move;
		double allowed = cert_max(0, radii - cert_length(motion.d));

		motion.w = of_left ? move : (struct cert_vec){ -move.x, -move.y };
		worst = cert_max(worst, radii - cert_motion_nearest(&motion, 1) - allowed);
		motion.d = cert_add(motion.d, motion.w);
	}
	if (worst > slop)
		cert_problem_overlap(pushes->report, worst, slop, cert_min(a->radius, b->radius), a->id, b->id, false);
}

/* Pushes may lead through it as any other way may. */
static void
on_one_sided(struct pushes *pushes, uint32_t index, const struct cert_wall *wall)
{
	const struct cert_body *body = &pushes->shapes->bodies[index];
	struct cert_motion motion = { .d = pushes->start_p[index] };
	struct cert_passage passage = { .state = CERT_PASSING };
	double slop = push_slop(pushes, index);

	for (size_t k = pushes->first[index]; k < pushes->first[index + 1]; k++) {
		motion.w = pushes->paths->pushes[pushes->order[k]].move;
		cert_passage_follow(&passage, pushes->shapes, body, wall, &motion, 1, 0, slop);
		motion.d = cert_add(motion.d, motion.w);
	}
	if (passage.crossed)
		cert_problem_escape(pushes->report, body->id, wall->id, 0);
	if (passage.worst > slop)
		cert_problem_overlap(pushes->report, passage.worst, slop, body->radius, body->id, wall->id, true);
}

static void
on_wall(void *context, const struct cert_stretch *stretch, size_t index)
{
	struct pushes *pushes = context;
	const struct cert_body *body = &pushes->shapes->bodies[stretch->body];
	const struct cert_wall *wall = &pushes->shapes->walls[index];
	struct cert_motion motion = { .d = pushes->start_p[stretch->body] };
	double slop = push_slop(pushes, stretch->body), worst = 0;

	if (!cert_body_meets_wall(pushes->shapes, body, wall))
		return;
	if (cert_wall_one_sided(pushes->shapes, body, wall)) {
		on_one_sided(pushes, stretch->body, wall);
		return;
	}
	for (size_t k = pushes->first[stretch->body]; k < pushes->first[stretch->body + 1]; k++) {
		motion.w = pushes->paths->pushes[pushes->order[k]].move;
		double depth = body->radius + wall->radius - cert_motion_nearest_wall(&motion, 1, wall);
		if (depth > 0)
			worst = cert_max(worst, depth - cert_wall_depth_near(pushes->shapes, body, wall, motion.d));
		if (cert_wall_crossed(wall, false, motion.d, cert_add(motion.d, motion.w)))
			cert_problem_escape(pushes->report, body->id, wall->id, 0);
		motion.d = cert_add(motion.d, motion.w);
	}
	if (worst > slop)
		cert_problem_overlap(pushes->report, worst, slop, body->radius, body->id, wall->id, true);
}

bool
cert_pushes_check(const struct cert_shapes *shapes, const struct cert_paths *paths, const struct cert_vec *start_p,
                  struct cert_sweep *sweep, struct certificate_report *report)
{
	struct pushes pushes = { shapes, paths, start_p, report, NULL, NULL };
	bool done = false;

	if (paths->push_count == 0)
		return true;
	pushes.first = calloc(shapes->body_count + 2, sizeof *pushes.first);
	pushes.order = malloc(paths->push_count * sizeof *pushes.order);
	struct cert_box *boxes = malloc(shapes->body_count * sizeof *boxes);
	if (pushes.first && pushes.order && boxes) {
		pushes_group(&pushes);
		boxes_fill(&pushes, boxes);
		done = cert_sweep_fill_boxes(sweep, shapes, boxes);
	}
	if (done) {
		cert_sweep_pairs(sweep, on_pair, &pushes);
		for (size_t i = 0; i < sweep->stretch_count; i++)
			if (pushes.first[i] < pushes.first[i + 1])
				cert_sweep_walls(sweep, shapes, &sweep->stretches[i], on_wall, &pushes);
	}
	free(pushes.first);
	free(pushes.order);
	free(boxes);
	return done;
}
