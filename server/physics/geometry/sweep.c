/* Two moving shapes: the first time at which their distance is R and shrinking.
 *
 * All shapes are convex. Along a straight path the distance therefore falls, turns once and rises. A pair that does not
 * approach at the start never will, and there is one entry. The quadratic's discriminant is computed from exact products. The
 * early-outs come in the order of Pool Hall Lessons, cheap ones first. */
#include "physics/geometry/skin.h"
#include "physics/geometry/view.h"

/* Slower velocities are scaled up, and the duration down by the same factor, because their squares would underflow. */
#define SLOW 0x1p-300
#define FASTER 0x1p700

/* A point d that moves at w, and its displacement. */
struct motion {
	struct dd2 d, w;
	struct dd speed;
	double duration;
	double scale; /* of time: 1, or FASTER; true times are `scale` times the computed ones */
};

static struct dd
distance_of(struct dd2 d)
{
	return dd_root(dd_dot(d, d));
}

static struct motion
motion_of(struct dd2 d, struct dd2 w, double duration)
{
	struct motion motion = { .d = d, .w = w, .duration = duration, .scale = 1.0 };

	if (fabs(w.x.high) < SLOW && fabs(w.y.high) < SLOW) {
		motion.w.x = dd_multiply(w.x, dd_of(FASTER));
		motion.w.y = dd_multiply(w.y, dd_of(FASTER));
		motion.duration = duration / FASTER;
		motion.scale = FASTER;
	}
	motion.speed = distance_of(motion.w);
	return motion;
}

static bool
motion_is_none(const struct motion *motion)
{
	return dd_sign(motion->w.x) == 0.0 && dd_sign(motion->w.y) == 0.0;
}

/* The gap is longer than the whole displacement. */
static bool
out_of_reach(const struct motion *motion, struct dd gap)
{
	return dd_compare(gap, dd_multiply(motion->speed, dd_of(motion->duration))) > 0.0;
}

/* The outcome for a time that was found: the same for all shapes. */
static enum sweep_outcome
judge_time(const struct motion *motion, struct dd found, double *time)
{
	if (dd_compare(found, dd_of(motion->duration)) > 0.0)
		return SWEEP_ENDS_BEFORE;
	*time = dd_value(found) * motion->scale;
	return SWEEP_HIT;
}

/* (speed R)^2 - (d x w)^2: > 0 if the path's line enters the circle of radius R around the origin. */
static struct dd
discriminant(struct dd2 d, const struct motion *motion, struct dd R)
{
	struct dd across = dd_cross(d, motion->w);

	return dd_subtract(dd_multiply(dd_dot(motion->w, motion->w), dd_square(R)), dd_square(across));
}

/* When the path of an approaching point at d, outside the circle, enters it. False: never. */
static bool
circle_enter(struct dd2 d, const struct motion *motion, struct dd R, struct dd *time)
{
	struct dd disc = discriminant(d, motion, R), nearer = dd_negative(dd_dot(d, motion->w));

	if (!(dd_sign(nearer) > 0.0) || !(dd_sign(disc) > 0.0))
		return false;
	*time = dd_divide(dd_subtract(dd_dot(d, d), dd_square(R)), dd_add(nearer, dd_root(disc)));
	return true;
}

/* When the path of a point at d inside the circle leaves it. */
static struct dd
circle_leave(struct dd2 d, const struct motion *motion, struct dd R)
{
	struct dd root = dd_root(discriminant(d, motion, R)), nearer = dd_negative(dd_dot(d, motion->w));

	if (dd_sign(nearer) > 0.0)
		return dd_divide(dd_add(nearer, root), dd_dot(motion->w, motion->w));
	return dd_divide(dd_subtract(dd_square(R), dd_dot(d, d)), dd_subtract(root, nearer));
}

/* Moves both to sweep->time. */
static void
sweep_move(struct sweep *sweep, const struct disc *a, const double b_start[2], const double b_velocity[2], double duration)
{
	if (sweep->outcome != SWEEP_HIT && sweep->outcome != SWEEP_AT_START)
		sweep->time = duration;
	sweep->fraction = sweep->time / duration;
	sweep->a[0] = fma(a->vx, sweep->time, a->x);
	sweep->a[1] = fma(a->vy, sweep->time, a->y);
	sweep->a_move[0] = a->vx * sweep->time;
	sweep->a_move[1] = a->vy * sweep->time;
	for (int i = 0; i < 2; i++) {
		sweep->b[i] = fma(b_velocity[i], sweep->time, b_start[i]);
		sweep->b_move[i] = b_velocity[i] * sweep->time;
	}
}

/* The contact of a hit, when the normal is known and the shapes are where they touch. `reach` is a's radius, or less than 0 if
 * a is on the other side of its line. */
static void
sweep_contact(struct sweep *sweep, double reach, struct dd2 velocity)
{
	struct dd2 normal = { dd_of(sweep->normal[0]), dd_of(sweep->normal[1]) };

	sweep->point[0] = fma(sweep->normal[0], -reach, sweep->a[0]);
	sweep->point[1] = fma(sweep->normal[1], -reach, sweep->a[1]);
	sweep->approach_speed = larger(-dd_value(dd_dot(normal, velocity)), 0.0);
}

static enum sweep_outcome
circles_outcome(const struct motion *motion, struct dd R, double *time)
{
	struct dd square = dd_dot(motion->d, motion->d), found;
	bool nearer = dd_sign(dd_dot(motion->d, motion->w)) < 0.0;

	if (motion_is_none(motion))
		return SWEEP_NOT_MOVING;
	if (dd_compare(square, dd_square(R)) <= 0.0)
		return nearer ? SWEEP_AT_START : SWEEP_MOVING_AWAY;
	if (out_of_reach(motion, dd_subtract(dd_root(square), R)))
		return SWEEP_OUT_OF_REACH;
	if (!nearer)
		return SWEEP_MOVING_AWAY;
	if (!circle_enter(motion->d, motion, R, &found))
		return SWEEP_PASSES;
	return judge_time(motion, found, time);
}

struct sweep
sweep_circles(const struct disc *a, const struct disc *b, double margin, double duration)
{
	struct dd2 d = view_offset(a->x, a->y, b->x, b->y), w = view_offset(a->vx, a->vy, b->vx, b->vy);
	struct motion motion = motion_of(d, w, duration);
	struct dd R = dd_add(dd_sum(a->radius, b->radius), dd_of(margin));
	struct sweep sweep = { .feature = FEATURE_FACE };
	const double start[2] = { b->x, b->y }, velocity[2] = { b->vx, b->vy };

	sweep.outcome = circles_outcome(&motion, R, &sweep.time);
	sweep_move(&sweep, a, start, velocity, duration);
	if (sweep.outcome == SWEEP_HIT || sweep.outcome == SWEEP_AT_START) {
		(void)view_unit(dd_along(d, w, sweep.time), sweep.normal);
		sweep_contact(&sweep, a->radius, w);
	}
	return sweep;
}

/* When the distance to the face falls to R, from outside: a linear equation. False: never. */
static bool
face_enter(const struct wall_view *view, const struct motion *motion, struct dd R, struct dd *time)
{
	struct dd above = dd_subtract(dd_magnitude(view->turn), dd_multiply(R, view->length));
	struct dd rate = dd_cross(view->along, motion->w);
	struct dd sinking = view->side > 0.0 ? dd_negative(rate) : rate;

	if (!(dd_sign(above) > 0.0) || !(dd_sign(sinking) > 0.0))
		return false;
	*time = dd_divide(above, sinking);
	return true;
}

static bool
face_covers(const struct wall_view *view, const struct motion *motion, struct dd time)
{
	struct dd foot = dd_add(view->foot, dd_multiply(dd_dot(view->along, motion->w), time));

	return dd_sign(foot) >= 0.0 && dd_compare(foot, view->square) <= 0.0;
}

/* The first entry of a point outside into the capsule around the segment. */
static bool
capsule_enter(const struct wall_view *view, const struct motion *motion, struct dd R, struct dd *time,
              enum contact_feature *feature)
{
	struct dd found;
	bool hit = false;

	if (face_enter(view, motion, R, &found) && face_covers(view, motion, found)) {
		*time = found;
		*feature = FEATURE_FACE;
		hit = true;
	}
	if (circle_enter(view->from_1, motion, R, &found) && (!hit || dd_compare(found, *time) < 0.0)) {
		*time = found;
		*feature = FEATURE_END_1;
		hit = true;
	}
	if (circle_enter(view->from_2, motion, R, &found) && (!hit || dd_compare(found, *time) < 0.0)) {
		*time = found;
		*feature = FEATURE_END_2;
		hit = true;
	}
	return hit;
}

/* The distance of the centre from the nearest point now, and whether it decreases. */
static struct dd
wall_distance(const struct wall_view *view, const struct motion *motion, enum contact_feature nearest, bool *falls)
{
	struct dd2 from = nearest == FEATURE_END_1 ? view->from_1 : view->from_2;

	if (nearest == FEATURE_FACE) {
		*falls = dd_sign(dd_cross(view->along, motion->w)) * view->side < 0.0;
		return dd_divide(dd_magnitude(view->turn), view->length);
	}
	*falls = dd_sign(dd_dot(from, motion->w)) < 0.0;
	return distance_of(from);
}

/* Shared by lines and segments; `feature` is the nearest one now and, on return, the one hit. */
static enum sweep_outcome
wall_outcome(const struct wall_view *view, const struct motion *motion, bool has_ends, struct dd R, double *time,
             enum contact_feature *feature)
{
	struct dd found = dd_of(0.0);
	bool falls;
	struct dd gap = dd_subtract(wall_distance(view, motion, *feature, &falls), R);

	if (motion_is_none(motion))
		return SWEEP_NOT_MOVING;
	if (dd_sign(gap) <= 0.0)
		return falls ? SWEEP_AT_START : SWEEP_MOVING_AWAY;
	if (out_of_reach(motion, gap))
		return SWEEP_OUT_OF_REACH;
	if (!falls)
		return SWEEP_MOVING_AWAY;
	if (has_ends ? !capsule_enter(view, motion, R, &found, feature) : !face_enter(view, motion, R, &found))
		return SWEEP_PASSES;
	return judge_time(motion, found, time);
}

/* Fills in everything except the outcome, the time and the feature. */
static void
wall_finish(struct sweep *sweep, const struct disc *a, const struct wall *wall, const struct wall_view *view, bool inside,
            double duration)
{
	const double start[2] = { wall->x1, wall->y1 }, velocity[2] = { wall->vx, wall->vy };
	struct dd2 from = sweep->feature == FEATURE_END_1 ? view->from_1 : view->from_2;

	sweep_move(sweep, a, start, velocity, duration);
	if (sweep->outcome != SWEEP_HIT && sweep->outcome != SWEEP_AT_START) {
		sweep->feature = FEATURE_FACE;
		return;
	}
	if (sweep->feature == FEATURE_FACE)
		wall_view_normal(view, sweep->normal);
	else
		(void)view_unit(dd_along(from, view->movement, sweep->time), sweep->normal);
	for (int i = 0; inside && i < 2; i++)
		sweep->normal[i] = 0.0 - sweep->normal[i];
	sweep_contact(sweep, inside ? -a->radius : a->radius, view->movement);
}

enum status
sweep_line(const struct disc *a, const struct wall *line, double margin, double duration, struct sweep *out)
{
	if (wall_is_point(line))
		return STATUS_INVALID_ARGUMENT;

	struct wall_view view = wall_view_of(a, line);
	struct motion motion = motion_of(view.from_1, view.movement, duration);
	struct sweep sweep = { .feature = FEATURE_FACE };

	sweep.outcome = wall_outcome(&view, &motion, false, dd_sum(a->radius, margin), &sweep.time, &sweep.feature);
	wall_finish(&sweep, a, line, &view, false, duration);
	*out = sweep;
	return STATUS_OK;
}

/* Whether both ends are inside the circle or on its outline; *gap: how far the farther one is from the outline. */
static bool
inside_outline(const struct wall_view *view, struct dd R, struct dd *gap)
{
	struct dd first = dd_subtract(R, distance_of(view->from_1)), second = dd_subtract(R, distance_of(view->from_2));

	*gap = dd_compare(first, second) < 0.0 ? first : second;
	return dd_sign(*gap) >= 0.0;
}

/* For a segment inside the outline: when its first end reaches the outline. */
static enum sweep_outcome
leave_outcome(const struct wall_view *view, const struct motion *motion, struct dd R, struct dd gap, double *time,
              enum contact_feature *feature)
{
	if (motion_is_none(motion))
		return SWEEP_NOT_MOVING;
	if (out_of_reach(motion, gap))
		return SWEEP_OUT_OF_REACH;

	struct dd first = circle_leave(view->from_1, motion, R), second = circle_leave(view->from_2, motion, R);
	bool is_second = dd_compare(second, first) < 0.0;
	enum sweep_outcome outcome = judge_time(motion, is_second ? second : first, time);

	*feature = is_second ? FEATURE_END_2 : FEATURE_END_1;
	return outcome == SWEEP_HIT && *time == 0.0 ? SWEEP_AT_START : outcome;
}

/* Whether a one-sided segment stops a movement that hits it: the movement does not start in the segment, and its centre is left
 * of the line at the hit. */
static bool
one_sided_hit(const struct wall_view *view, struct dd R, const struct sweep *sweep)
{
	struct dd2 from = view->feature == FEATURE_END_1 ? view->from_1 : view->from_2;
	struct dd start = view->feature == FEATURE_FACE ? dd_divide(dd_magnitude(view->turn), view->length) : distance_of(from);

	if (dd_compare(start, R) < 0.0)
		return false;
	/* Before it reaches the face itself, it does not cross the line there. */
	if (sweep->feature == FEATURE_FACE)
		return dd_sign(view->turn) > 0.0;
	struct dd height = dd_add(view->turn, dd_multiply(view->rate, dd_of(sweep->time)));
	return dd_sign(height) > 0.0;
}

enum status
sweep_segment(const struct disc *a, const struct wall *segment, enum reading reading, double margin, double duration,
              struct sweep *out)
{
	if (wall_is_point(segment))
		return STATUS_INVALID_ARGUMENT;

	struct wall_view view = wall_view_of(a, segment);
	struct motion motion = motion_of(view.from_1, view.movement, duration);
	struct sweep sweep = { .feature = view.feature };
	struct dd gap, room = dd_difference(a->radius, segment->radius), R = dd_sum(a->radius, segment->radius);
	bool inside = reading == READING_OUTLINE && inside_outline(&view, room, &gap);

	if (inside)
		sweep.outcome = leave_outcome(&view, &motion, room, gap, &sweep.time, &sweep.feature);
	else
		sweep.outcome = wall_outcome(&view, &motion, true, dd_add(R, dd_of(margin)), &sweep.time, &sweep.feature);
	if (segment->one_sided && (sweep.outcome == SWEEP_HIT || sweep.outcome == SWEEP_AT_START) &&
	    !one_sided_hit(&view, R, &sweep)) {
		sweep.outcome = SWEEP_PASSES;
		sweep.time = 0.0;
	}
	wall_finish(&sweep, a, segment, &view, inside, duration);
	*out = sweep;
	return STATUS_OK;
}

double
skin_circles(const struct disc *a, const struct disc *b)
{
	double size = larger(larger(fabs(a->x), fabs(a->y)), larger(fabs(b->x), fabs(b->y)));

	return larger(size * SKIN_PER_COORDINATE, (a->radius < b->radius ? a->radius : b->radius) * SKIN_PER_RADIUS);
}

double
skin_wall(const struct disc *a, const struct wall *wall)
{
	double ends = larger(larger(fabs(wall->x1), fabs(wall->y1)), larger(fabs(wall->x2), fabs(wall->y2)));
	double size = larger(larger(fabs(a->x), fabs(a->y)), ends);

	return larger(size * SKIN_PER_COORDINATE, a->radius * SKIN_PER_RADIUS);
}
