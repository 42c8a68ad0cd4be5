/* Questions about space against asking every shape by itself: 100,000 random ones, the same bits. */
#include "physics/geometry/clearance.h"
#include "physics/geometry/view.h"
#include "physics/space_scene.h"
#include "support/assert_double.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

static unsigned questions = 100000;

/* Which shapes are asked: of the question, and of the test. */
struct asked {
	struct space_filter filter;
	uint32_t circle, segment;
};

static void
filter_make(const struct space_scene *scene, struct asked *asked, uint64_t *random)
{
	asked->filter = space_filter_default();
	if (random_below(random, 4) == 0) {
		asked->filter.category = 1u << random_below(random, 3);
		asked->filter.mask = (uint32_t)random_below(random, 8);
	}
	if (random_below(random, 3) == 0 && scene->def.circle_count > 0) {
		asked->circle = scene->circles[random_below(random, scene->def.circle_count)].id;
		asked->filter.ignore_circles = &asked->circle;
		asked->filter.ignore_circle_count = 1;
	}
	if (random_below(random, 3) == 0 && scene->def.segment_count > 0) {
		asked->segment = scene->segments[random_below(random, scene->def.segment_count)].id;
		asked->filter.ignore_segments = &asked->segment;
		asked->filter.ignore_segment_count = 1;
	}
}

static bool
asks(const struct asked *asked, bool segment, uint32_t id, uint32_t category, uint32_t mask)
{
	const struct space_filter *f = &asked->filter;

	if (!(f->category & mask) || !(category & f->mask))
		return false;
	return segment ? !f->ignore_segment_count || id != asked->segment : !f->ignore_circle_count || id != asked->circle;
}

/* The answers of asking one by one, in no order yet. */
static struct space_hit all[SPACE_SCENE_CIRCLES_MAX + SPACE_SCENE_SEGMENTS_MAX];
static size_t all_count;

static int
by_fraction(const void *left, const void *right)
{
	const struct space_hit *a = left, *b = right;

	if (a->fraction != b->fraction)
		return a->fraction < b->fraction ? -1 : 1;
	if (a->segment != b->segment)
		return a->segment ? 1 : -1;
	return a->id < b->id ? -1 : 1;
}

static int
by_gap(const void *left, const void *right)
{
	const struct space_hit *a = left, *b = right;

	if (a->gap != b->gap)
		return a->gap < b->gap ? -1 : 1;
	if (a->segment != b->segment)
		return a->segment ? 1 : -1;
	return a->id < b->id ? -1 : 1;
}

static int
by_id(const void *left, const void *right)
{
	const struct space_hit *a = left, *b = right;

	if (a->segment != b->segment)
		return a->segment ? 1 : -1;
	return a->id < b->id ? -1 : 1;
}

static void
expect_hits(const struct space_hits *hits, size_t limit, bool is_ray, int (*order)(const void *left, const void *right))
{
	qsort(all, all_count, sizeof all[0], order);
	assert_int_equal(hits->count, all_count < limit ? all_count : limit);
	for (size_t i = 0; i < hits->count; i++) {
		const struct space_hit *hit = &hits->hits[i], *other = &all[i];

		assert_int_equal(hit->segment, other->segment);
		assert_int_equal(hit->id, other->id);
		assert_int_equal(hit->feature, other->feature);
		assert_int_equal(hit->relation, other->relation);
		/* Of rays some fractions, points and normals are made by other means here. */
		if (is_ray)
			assert_double_near(hit->fraction, other->fraction, hit->fraction * 0x1p-52);
		else
			assert_double_same_bits(hit->fraction, other->fraction);
		assert_double_same_bits(hit->gap, other->gap);
		for (int k = 0; k < 2; k++) {
			if (is_ray) {
				assert_double_near(hit->point[k], other->point[k], (fabs(other->point[k]) + 1e9) * 0x1p-52);
				assert_double_near(hit->normal[k], other->normal[k], 0x1p-52);
			} else {
				assert_double_same_bits(hit->point[k], other->point[k]);
				assert_double_same_bits(hit->normal[k], other->normal[k]);
			}
		}
	}
}

static void
keep_distance(bool segment, uint32_t id, const struct shape_distance *c)
{
	all[all_count++] = (struct space_hit){ .segment = segment,
		                                   .id = id,
		                                   .feature = c->feature,
		                                   .relation = c->relation,
		                                   .gap = c->gap,
		                                   .point = { c->b_point[0], c->b_point[1] },
		                                   .normal = { c->normal[0], c->normal[1] } };
}

/* What a cast makes of one shape, in the words of space.h. */
static void
keep_cast(const struct space_cast *cast, bool segment, uint32_t id, const struct shape_distance *c, const struct sweep *s)
{
	bool nearer = s->outcome == SWEEP_HIT || s->outcome == SWEEP_AT_START;

	if (c->gap < 0) {
		if (cast->start == START_PASSES || (cast->start == START_APPROACHES && !nearer))
			return;
		keep_distance(segment, id, c);
		all[all_count - 1].relation = RELATION_OVERLAPPING;
	} else if (nearer) {
		all[all_count++] = (struct space_hit){ .segment = segment,
			                                   .id = id,
			                                   .feature = s->feature,
			                                   .relation = RELATION_TOUCHING,
			                                   .fraction = s->time,
			                                   .point = { s->point[0], s->point[1] },
			                                   .normal = { s->normal[0], s->normal[1] } };
	}
}

static void
face_normal(long double ux, long double uy, long double turn, double normal[2])
{
	long double length = sqrtl(ux * ux + uy * uy) * (turn < 0 ? -1 : 1);

	normal[0] = (double)(-uy / length);
	normal[1] = (double)(ux / length);
}

/* Rays have no width to meet an end with: whether one meets a segment is decided here by the sides on which the ends lie, in
 * long doubles. That is exact where rays go through ends and along segments, which is on the grid and along axes. What sweep.c
 * also finds is left to it. */
static void
ray_told(const struct space_cast *cast, const struct segment_def *w, struct sweep *s)
{
	long double ux = (long double)w->x2 - w->x1, uy = (long double)w->y2 - w->y1, mx = cast->move_x, my = cast->move_y;
	long double dx = (long double)cast->x - w->x1, dy = (long double)cast->y - w->y1, turn = ux * dy - uy * dx;
	long double rate = ux * my - uy * mx, side_1 = mx * dy - my * dx, side_2 = mx * (dy - uy) - my * (dx - ux);
	long double foot = ux * dx + uy * dy, square = ux * ux + uy * uy, move2 = mx * mx + my * my;

	bool found = s->outcome == SWEEP_HIT;

	s->outcome = SWEEP_PASSES;
	if (w->one_sided && turn <= 0)
		return;
	if (rate == 0 && turn == 0 && (foot < 0 || foot > square)) {
		long double ex = foot < 0 ? w->x1 : w->x2, ey = foot < 0 ? w->y1 : w->y2;
		long double nearer = (ex - cast->x) * mx + (ey - cast->y) * my, length;

		if (nearer <= 0 || nearer > move2)
			return;
		length = sqrtl((cast->x - ex) * (cast->x - ex) + (cast->y - ey) * (cast->y - ey));
		s->outcome = SWEEP_HIT;
		s->feature = foot < 0 ? FEATURE_END_1 : FEATURE_END_2;
		s->time = (double)(nearer / move2);
		s->point[0] = (double)ex;
		s->point[1] = (double)ey;
		s->normal[0] = (double)((cast->x - ex) / length);
		s->normal[1] = (double)((cast->y - ey) / length);
	} else if (side_1 * side_2 <= 0 && turn * rate < 0 && fabsl(turn) <= fabsl(rate)) {
		s->outcome = SWEEP_HIT;
		if (found)
			return;
		face_normal(ux, uy, turn, s->normal);
		s->feature = FEATURE_FACE;
		s->time = (double)(fabsl(turn) / fabsl(rate));
		s->point[0] = fma(cast->move_x, s->time, cast->x);
		s->point[1] = fma(cast->move_y, s->time, cast->y);
	}
}

static void
check_cast(const struct space_scene *scene, const struct space *space, struct asked *asked, uint64_t *random, size_t limit,
           struct space_hits *hits)
{
	const struct tolerance none = { 0, 0 };
	double place[2], way[2];

	space_scene_place(scene, random, place);
	space_scene_way(scene, random, way);

	const struct space_cast cast = {
		place[0], place[1], way[0], way[1], space_scene_radius(scene, random), (enum space_start)random_below(random, 3)
	};
	const struct disc a = { cast.x, cast.y, cast.radius, cast.move_x, cast.move_y };
	struct shape_distance c;
	struct sweep s;

	assert_int_equal(space_cast(space, &cast, &asked->filter, limit, hits), STATUS_OK);
	for (size_t i = 0; i < scene->def.circle_count; i++) {
		const struct circle_def *q = &scene->circles[i];
		const struct disc b = { q->x, q->y, q->radius, 0, 0 };

		if (!asks(asked, false, q->id, q->category, q->mask))
			continue;
		c = distance_circles(&a, &b, &none);
		s = sweep_circles(&a, &b, 0, 1);
		keep_cast(&cast, false, q->id, &c, &s);
	}
	for (size_t i = 0; i < scene->def.segment_count; i++) {
		const struct segment_def *q = &scene->segments[i];
		const struct wall b = { q->x1, q->y1, q->x2, q->y2, q->radius, q->one_sided, 0, 0 };

		if (!asks(asked, true, q->id, q->category, q->mask))
			continue;
		assert_int_equal(distance_segment(&a, &b, READING_FILLED, &none, &c), STATUS_OK);
		assert_int_equal(sweep_segment(&a, &b, READING_FILLED, 0, 1, &s), STATUS_OK);
		if (q->one_sided && c.gap < 0)
			continue;
		if (cast.radius == 0 && q->radius == 0 && c.gap > 0)
			ray_told(&cast, q, &s);
		keep_cast(&cast, true, q->id, &c, &s);
	}
	expect_hits(hits, limit, cast.radius == 0, by_fraction);
}

static void
check_circle(const struct space_scene *scene, const struct space *space, struct asked *asked, uint64_t *random, size_t limit,
             bool nearest, struct space_hits *hits)
{
	const struct tolerance tolerance = { random_below(random, 4) == 0 ? 0.5 : 0.0, random_below(random, 8) == 0 ? 0.25 : 0.0 };
	double gap_max = random_below(random, 2) ? (double)INFINITY : (double)random_below(random, 4), place[2];

	space_scene_place(scene, random, place);

	const struct space_circle circle = { place[0], place[1], space_scene_radius(scene, random) };
	const struct disc a = { circle.x, circle.y, circle.radius, 0, 0 };
	struct shape_distance c;

	if (nearest)
		assert_int_equal(space_nearest(space, &circle, gap_max, &tolerance, &asked->filter, limit, hits), STATUS_OK);
	else
		assert_int_equal(space_overlap_circle(space, &circle, &tolerance, &asked->filter, limit, hits), STATUS_OK);
	for (size_t i = 0; i < scene->def.circle_count; i++) {
		const struct circle_def *q = &scene->circles[i];
		const struct disc b = { q->x, q->y, q->radius, 0, 0 };

		c = distance_circles(&a, &b, &tolerance);
		if (asks(asked, false, q->id, q->category, q->mask) && (nearest ? c.gap <= gap_max : c.relation != RELATION_NONE))
			keep_distance(false, q->id, &c);
	}
	for (size_t i = 0; i < scene->def.segment_count; i++) {
		const struct segment_def *q = &scene->segments[i];
		const struct wall b = { q->x1, q->y1, q->x2, q->y2, q->radius, q->one_sided, 0, 0 };

		assert_int_equal(distance_segment(&a, &b, READING_FILLED, &tolerance, &c), STATUS_OK);
		if (asks(asked, true, q->id, q->category, q->mask) && (nearest ? c.gap <= gap_max : c.relation != RELATION_NONE))
			keep_distance(true, q->id, &c);
	}
	expect_hits(hits, limit, false, nearest ? by_gap : by_id);
}

static double
size_of(const double *values, size_t count)
{
	double size = 0;

	for (size_t i = 0; i < count; i++)
		size = fmax(size, fabs(values[i]));
	return size;
}

/* Boxes and segments: by clearance.h, which the oracle holds to exact arithmetic. */
static void
check_core(const struct space_scene *scene, const struct space *space, struct asked *asked, uint64_t *random, size_t limit,
           bool is_box, struct space_hits *hits)
{
	const struct tolerance tolerance = { random_below(random, 4) == 0 ? 0.5 : 0.0, 0.0 };
	double place[2], way[2];

	space_scene_place(scene, random, place);
	space_scene_way(scene, random, way);
	if (fabs(way[0]) > 1e3 * scene->extent)
		way[0] = 0;

	const struct wall wall = { place[0], place[1], place[0] + way[0], place[1] + way[1], 0, false, 0, 0 };
	const struct space_box box = { fmin(wall.x1, wall.x2), fmin(wall.y1, wall.y2), fmax(wall.x1, wall.x2),
		                           fmax(wall.y1, wall.y2) };
	struct core core = is_box ? core_box(box.x0, box.y0, box.x1, box.y1) : core_segment(wall.x1, wall.y1, wall.x2, wall.y2);
	const double own = size_of(&box.x0, 4);

	if (is_box)
		assert_int_equal(space_overlap_box(space, &box, &tolerance, &asked->filter, limit, hits), STATUS_OK);
	else
		assert_int_equal(space_overlap_segment(space, &wall, &tolerance, &asked->filter, limit, hits), STATUS_OK);
	for (size_t i = 0; i < scene->def.circle_count; i++) {
		const struct circle_def *q = &scene->circles[i];
		struct core centre = core_point(q->x, q->y);
		const double numbers[4] = { q->x, q->y, q->radius, own };
		struct space_hit hit = { .id = q->id };

		hit.gap = dd_value(dd_subtract(clearance(&core, &centre), dd_of(q->radius)));
		hit.relation = view_relation(hit.gap, q->radius, size_of(numbers, 4), &tolerance);
		if (hit.relation != RELATION_NONE && asks(asked, false, q->id, q->category, q->mask))
			all[all_count++] = hit;
	}
	for (size_t i = 0; i < scene->def.segment_count; i++) {
		const struct segment_def *q = &scene->segments[i];
		struct core other = core_segment(q->x1, q->y1, q->x2, q->y2);
		const double numbers[6] = { q->x1, q->y1, q->x2, q->y2, q->radius, own };
		struct space_hit hit = { .segment = true, .id = q->id };

		hit.gap = dd_value(dd_subtract(clearance(&core, &other), dd_of(q->radius)));
		hit.relation = view_relation(hit.gap, q->radius, size_of(numbers, 6), &tolerance);
		if (hit.relation != RELATION_NONE && asks(asked, true, q->id, q->category, q->mask))
			all[all_count++] = hit;
	}
	expect_hits(hits, limit, false, by_id);
}

/* One question of every kind. */
static void
ask(const struct space_scene *scene, const struct space *space, unsigned kind, uint64_t *random, struct space_hits *hits)
{
	struct asked asked = { .circle = 0 };
	size_t limit = random_below(random, 3) == 0 ? SIZE_MAX : random_below(random, 6);

	filter_make(scene, &asked, random);
	all_count = 0;
	if (kind < 4)
		check_cast(scene, space, &asked, random, kind == 0 ? 1 : limit, hits);
	else if (kind < 6)
		check_circle(scene, space, &asked, random, limit, kind == 4, hits);
	else
		check_core(scene, space, &asked, random, limit, kind == 6, hits);
}

static void
test_every_shape_is_asked(void **state)
{
	(void)state;
	static struct space_scene scene;
	uint64_t random = 11, answers = 0;
	struct space_hits hits = { .count = 0 };

	for (unsigned done = 0; done < questions;) {
		space_scene_make(&scene, (enum space_scene_kind)random_below(&random, SPACE_SCENE_KINDS), &random);

		struct space *space = space_scene_space(&scene);

		for (unsigned i = 0; i < 200 && done < questions; i++, done++) {
			ask(&scene, space, i % 8, &random, &hits);
			answers += hits.count;
		}
		space_destroy(space);
	}
	assert_true(answers > questions); /* they were not asked of nothing */
	space_hits_finish(&hits);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_every_shape_is_asked) };

	if (argc > 1)
		questions = (unsigned)strtoul(argv[1], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
