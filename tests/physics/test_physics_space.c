/* What the questions about space mean, told by hand: starting inside, touching, grazing, going nowhere, ties, which shapes are
 * asked. */
#include "physics/space.h"
#include "support/assert_double.h"

enum { MANY = 8 };

static struct circle_def circles[MANY];
static struct segment_def segments[MANY];
static struct world_def def;
static struct space *space;
static struct space_hits hits;
static struct space_filter filter;
static const struct tolerance none = { 0, 0 };

static int
scene_begin(void **state)
{
	(void)state;
	def = world_def_default();
	def.circles = circles;
	def.segments = segments;
	filter = space_filter_default();
	space = NULL;
	return 0;
}

static int
scene_end(void **state)
{
	(void)state;
	space_destroy(space);
	space_hits_finish(&hits);
	return 0;
}

static void
circle(uint32_t id, double x, double y, double radius)
{
	struct circle_def *c = &circles[def.circle_count++];

	*c = circle_def_default();
	c->id = id;
	c->x = x;
	c->y = y;
	c->radius = radius;
}

static void
segment(uint32_t id, double x1, double y1, double x2, double y2)
{
	struct segment_def *s = &segments[def.segment_count++];

	*s = segment_def_default();
	s->id = id;
	s->x1 = x1;
	s->y1 = y1;
	s->x2 = x2;
	s->y2 = y2;
}

static void
made(void)
{
	struct def_problem problem;

	assert_int_equal(space_create(&def, &problem, &space), STATUS_OK);
}

static size_t
cast(double x, double y, double move_x, double move_y, double radius, enum space_start start)
{
	const struct space_cast c = { x, y, move_x, move_y, radius, start };

	assert_int_equal(space_cast(space, &c, &filter, SIZE_MAX, &hits), STATUS_OK);
	return hits.count;
}

static void
expect(size_t i, bool is_segment, uint32_t id, double fraction)
{
	assert_true(i < hits.count);
	assert_int_equal(hits.hits[i].segment, is_segment);
	assert_int_equal(hits.hits[i].id, id);
	assert_double_same_bits(hits.hits[i].fraction, fraction);
}

static void
test_a_ray_hits_in_order(void **state)
{
	(void)state;
	circle(7, 5, 0, 1);
	circle(3, 9, 0.5, 1);
	segment(1, 2, -1, 2, 3);
	segment(0, 20, -1, 20, 1);
	segment(4, 3, 1, 8, 1); /* beside it */
	made();
	assert_int_equal(cast(0, 0, 16, 0, 0, START_HITS), 3);
	expect(0, true, 1, 2.0 / 16);
	expect(1, false, 7, 4.0 / 16);
	expect(2, false, 3, (9 - sqrt(0.75)) / 16);
	assert_double_same_bits(hits.hits[0].normal[0], -1.0);
	assert_double_same_bits(hits.hits[0].normal[1], 0.0);
	assert_int_equal(hits.hits[0].feature, FEATURE_FACE);
	assert_double_same_bits(hits.hits[1].point[0], 4.0);
	assert_double_same_bits(hits.hits[1].x, 4.0);
	assert_double_near(hits.hits[2].normal[1], -0.5, 1e-15);
	/* A wider one meets them earlier, and the wall beside. */
	assert_int_equal(cast(0, 0, 16, 0, 1, START_HITS), 3);
	expect(0, true, 1, 1.0 / 16);
	expect(1, false, 7, 3.0 / 16);
	assert_int_equal(cast(0, 0, 16, 0, 1.25, START_HITS), 4);
	expect(1, true, 4, (3 - 0.75) / 16);
	assert_int_equal(hits.hits[1].feature, FEATURE_END_1);
	assert_double_near(hits.hits[1].normal[0], -0.6, 1e-15);
}

static void
test_the_first_are_kept(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		circle(i, 10.0 * (i * 5 % 8 + 1), 0, 1);
	made();

	const struct space_cast ray = { .move_x = 100 };

	for (size_t limit = 0; limit <= 9; limit++) {
		assert_int_equal(space_cast(space, &ray, &filter, limit, &hits), STATUS_OK);
		assert_int_equal(hits.count, limit < 8 ? limit : 8);
		for (size_t i = 0; i < hits.count; i++)
			assert_double_same_bits(hits.hits[i].fraction, (10.0 * (double)(i + 1) - 1) / 100);
	}
}

/* The three readings of starting in something. */
static void
test_starting_inside(void **state)
{
	(void)state;
	circle(0, 0, 0, 2);
	circle(1, 6, 0, 1);
	made();
	/* From off the middle: towards it, and away. */
	for (int away = 0; away < 2; away++) {
		double move = away ? 8 : -8;

		assert_int_equal(cast(1, 0, move, 0, 0, START_HITS), away ? 2 : 1);
		expect(0, false, 0, 0.0);
		assert_int_equal(hits.hits[0].relation, RELATION_OVERLAPPING);
		assert_double_same_bits(hits.hits[0].gap, -1.0);
		assert_double_same_bits(hits.hits[0].normal[0], 1.0);
		assert_double_same_bits(hits.hits[0].point[0], 2.0);
		assert_int_equal(cast(1, 0, move, 0, 0, START_APPROACHES), 1);
		expect(0, false, away ? 1 : 0, away ? 0.5 : 0.0);
		assert_int_equal(cast(1, 0, move, 0, 0, START_PASSES), away ? 1 : 0);
	}
	/* Without a way only what is there counts. */
	assert_int_equal(cast(1, 0, 0, 0, 0, START_HITS), 1);
	assert_int_equal(cast(1, 0, 0, 0, 0, START_APPROACHES), 0);
	assert_int_equal(cast(1, 0, 0, 0, 0, START_PASSES), 0);
	/* At the very middle every way leads out; the normal is a rule. */
	assert_int_equal(cast(0, 0, 0, 1, 0, START_HITS), 1);
	assert_double_same_bits(hits.hits[0].normal[0], 1.0);
	assert_int_equal(cast(0, 0, 0, 1, 0, START_APPROACHES), 0);
}

/* Touching at the start is no overlap: only what comes nearer hits, whatever is said of overlaps. */
static void
test_starting_at_a_touch(void **state)
{
	(void)state;
	circle(0, 5, 0, 1);
	segment(0, 0, -1, 10, -1);
	made();
	for (int i = 0; i < 3; i++) {
		enum space_start start = (enum space_start)i;

		assert_int_equal(cast(3, 0, 1, 0, 1, start), 1); /* into the circle, along the floor */
		expect(0, false, 0, 0.0);
		assert_int_equal(hits.hits[0].relation, RELATION_TOUCHING);
		assert_double_same_bits(hits.hits[0].gap, 0.0);
		assert_int_equal(cast(3, 0, -1, 0, 1, start), 0);
		assert_int_equal(cast(3, 0, 0, 1, 1, start), 0);
		assert_int_equal(cast(3, 0, 0, -1, 1, start), 1);
		expect(0, true, 0, 0.0);
		assert_int_equal(cast(3, 0, 0, 0, 1, start), 0);
	}
}

static void
test_grazing_is_no_hit(void **state)
{
	(void)state;
	circle(0, 5, 1, 1);
	segment(0, 8, 1, 8, 3);
	made();
	assert_int_equal(cast(0, 0, 10, 0, 0, START_HITS), 0);
	assert_int_equal(cast(0, 0, 10, 0, 1, START_HITS), 1); /* the circle's lower half; the segment's end is grazed */
	assert_int_equal(cast(0, 0, 10, 0x1p-60, 0, START_HITS), 1);
	assert_int_equal(cast(0, 0, 10, -0x1p-60, 0, START_HITS), 0);
	assert_int_equal(cast(0, 0, 3.9999999999, 0, 1, START_HITS), 1);
	assert_int_equal(cast(0, 0, 2, 0, 1, START_HITS), 0);
}

/* A ray has no width: what it makes of ends, of shared points and of segments that it runs along. */
static void
test_rays_at_ends(void **state)
{
	(void)state;
	segment(5, 4, 0, 4, 2);
	segment(2, 4, 0, 6, -2);
	segment(3, 8, 0, 9, 0); /* along it */
	segment(4, 12, 0, 10, 0);
	made();
	/* Through a shared point it meets both, the lower id first; then the near ends of those that it runs along. */
	assert_int_equal(cast(0, 0, 16, 0, 0, START_HITS), 4);
	expect(0, true, 2, 0.25);
	expect(1, true, 5, 0.25);
	expect(2, true, 3, 0.5);
	assert_int_equal(hits.hits[2].feature, FEATURE_END_1);
	assert_double_same_bits(hits.hits[2].normal[0], -1.0);
	assert_double_same_bits(hits.hits[2].point[0], 8.0);
	expect(3, true, 4, 0.625);
	assert_int_equal(hits.hits[3].feature, FEATURE_END_2);
	/* As far as the end and no farther. */
	assert_int_equal(cast(7, 0, 1, 0, 0, START_HITS), 1);
	expect(0, true, 3, 1.0);
	assert_int_equal(cast(7, 0, 0.9999999999999999, 0, 0, START_HITS), 0);
	assert_int_equal(cast(7, 0, -1, 0, 0, START_HITS), 0);
	/* From on a segment: at once, but not along it. */
	assert_int_equal(cast(8.5, 0, 0, 1, 0, START_HITS), 1);
	expect(0, true, 3, 0.0);
	assert_double_same_bits(hits.hits[0].normal[1], -1.0); /* the side it came from */
	assert_int_equal(cast(8.5, 0, 0.5, 0, 0, START_HITS), 0);
	/* Movements so small that their squares are 0. */
	assert_int_equal(cast(8 - 0x1p-49, 0, 0x1p-48, 0, 0, START_HITS), 1);
	expect(0, true, 3, 0.5);
}

/* From within a closed polygon a ray straight through any of its corners, or beside it by an ulp, meets a wall. */
static void
test_nothing_slips_through_a_corner(void **state)
{
	(void)state;
	const double corners[6][2] = { { 0.1, -3.3 }, { 4.7, -2.9 }, { 6.3, 1.7 }, { 2.9, 5.1 }, { -1.3, 4.3 }, { -2.7, 0.7 } };

	for (uint32_t i = 0; i < 6; i++)
		segment(i, corners[i][0], corners[i][1], corners[(i + 1) % 6][0], corners[(i + 1) % 6][1]);
	made();
	for (int i = 0; i < 6; i++)
		for (int k = 0; k < 400; k++) {
			double x = 0.5 + k * 0.01, y = 0.3 + (k % 17) * 0.07;
			double way[2] = { (corners[i][0] - x) * 3, (corners[i][1] - y) * 3 };

			way[0] *= 1 + (k % 5 - 2) * 0x1p-52;
			assert_true(cast(x, y, way[0], way[1], 0, START_HITS) >= 1);
			assert_double_near(hits.hits[0].fraction, 1.0 / 3, 1e-14);
		}
}

static void
test_ends_and_faces(void **state)
{
	(void)state;
	segment(0, 0, 0, 4, 0);
	made();
	assert_int_equal(cast(4, 3, 0, -4, 1, START_HITS), 1); /* just over the end: the face has it */
	expect(0, true, 0, 0.5);
	assert_int_equal(hits.hits[0].feature, FEATURE_FACE);
	assert_int_equal(cast(4.6, 3, 0, -4, 1, START_HITS), 1);
	assert_int_equal(hits.hits[0].feature, FEATURE_END_2);
	assert_double_near(hits.hits[0].fraction, 2.2 / 4, 2e-16);
	assert_double_near(hits.hits[0].normal[0], 0.6, 1e-15);
	assert_int_equal(cast(2, -3, 0, 4, 1, START_HITS), 1); /* both sides are solid */
	assert_double_same_bits(hits.hits[0].normal[1], -1.0);
}

static void
test_who_is_asked(void **state)
{
	(void)state;
	const uint32_t ignore[] = { 9, 1 }; /* 9 is not there */

	for (uint32_t i = 0; i < 3; i++)
		circle(i, 4.0 * (i + 1), 0, 1);
	segment(1, 14, -1, 14, 1);
	circles[2].category = 4;
	segments[0].mask = 2;
	made();
	assert_int_equal(cast(0, 0, 20, 0, 0, START_HITS), 3); /* the segment's mask has not category 1 */
	filter.mask = 4;
	assert_int_equal(cast(0, 0, 20, 0, 0, START_HITS), 1);
	expect(0, false, 2, 11.0 / 20);
	filter.mask = UINT32_MAX;
	filter.category = 2;
	assert_int_equal(cast(0, 0, 20, 0, 0, START_HITS), 4);
	filter.ignore_circles = ignore;
	filter.ignore_circle_count = 2;
	assert_int_equal(cast(0, 0, 20, 0, 0, START_HITS), 3);
	expect(2, true, 1, 0.7); /* a segment of that id is another */
	filter.ignore_segments = ignore;
	filter.ignore_segment_count = 2;
	assert_int_equal(cast(0, 0, 20, 0, 0, START_HITS), 2);
}

static void
test_overlaps(void **state)
{
	(void)state;
	const struct space_circle disc = { 0, 0, 1 }, point = { 3, 4, 0 };
	const struct space_box box = { -1, -1, 1, 1 }, flat = { -5, 2, 5, 2 };
	const struct wall cut = { 0, -5, 0, 5, 0, false, 0, 0 };

	circle(4, 2, 0, 1);   /* touches the disc, and the box's side */
	circle(2, 0.5, 0, 1); /* in both */
	circle(3, 2, 2, 1);   /* 0.41 from the box's corner */
	segment(0, 0, 1, 5, 1);
	segment(1, -0.5, 0.1, 0.5, 0.1); /* wholly inside */
	segment(7, 3, 4, 6, 8);
	made();
	assert_int_equal(space_overlap_circle(space, &disc, &none, &filter, SIZE_MAX, &hits), STATUS_OK);
	assert_int_equal(hits.count, 4);
	expect(0, false, 2, 0.0);
	expect(1, false, 4, 0.0);
	expect(2, true, 0, 0.0);
	expect(3, true, 1, 0.0);
	assert_int_equal(hits.hits[0].relation, RELATION_OVERLAPPING);
	assert_int_equal(hits.hits[1].relation, RELATION_TOUCHING);
	assert_int_equal(hits.hits[2].relation, RELATION_TOUCHING);
	assert_double_same_bits(hits.hits[0].gap, -1.5);
	assert_double_near(hits.hits[3].gap, -0.9, 1e-16);
	assert_int_equal(space_overlap_circle(space, &point, &none, &filter, SIZE_MAX, &hits), STATUS_OK);
	assert_int_equal(hits.count, 1);
	expect(0, true, 7, 0.0);
	assert_int_equal(space_overlap_box(space, &box, &none, &filter, SIZE_MAX, &hits), STATUS_OK);
	assert_int_equal(hits.count, 4);
	expect(1, false, 4, 0.0);
	assert_int_equal(hits.hits[1].relation, RELATION_TOUCHING);
	assert_double_same_bits(hits.hits[0].gap, -1.5); /* 0.5 to the side, 1 of radius */
	assert_double_near(hits.hits[3].gap, -0.9, 1e-15);
	assert_int_equal(space_overlap_box(space, &box, &(struct tolerance){ 0.5, 0 }, &filter, 2, &hits), STATUS_OK);
	assert_int_equal(hits.count, 2);
	expect(1, false, 3, 0.0); /* within the tolerance now, and the list is cut off */
	assert_double_near(hits.hits[1].gap, sqrt(2) - 1, 1e-15);
	assert_int_equal(space_overlap_box(space, &flat, &none, &filter, SIZE_MAX, &hits), STATUS_OK);
	assert_int_equal(hits.count, 1);
	expect(0, false, 3, 0.0);
	assert_double_same_bits(hits.hits[0].gap, -1.0);
	assert_int_equal(space_overlap_segment(space, &cut, &none, &filter, SIZE_MAX, &hits), STATUS_OK);
	assert_int_equal(hits.count, 3);
	assert_int_equal(hits.hits[1].relation, RELATION_TOUCHING); /* comes to its end */
	assert_double_same_bits(hits.hits[2].gap, -0.5);            /* sticks out by that on either side */
}

static void
test_nearest(void **state)
{
	(void)state;
	const struct space_circle here = { 0, 0, 0.5 };

	circle(1, 3, 0, 1);
	circle(0, -3, 0, 1);
	circle(5, 0.5, 0, 1);
	circle(6, 0, 10, 1);
	segment(2, -1, 2, 1, 2);
	segment(9, 2, 2, 2, 3);
	made();
	assert_int_equal(space_nearest(space, &here, (double)INFINITY, &none, &filter, SIZE_MAX, &hits), STATUS_OK);
	assert_int_equal(hits.count, 6);
	expect(0, false, 5, 0.0);
	assert_double_same_bits(hits.hits[0].gap, -1.0);
	assert_double_same_bits(hits.hits[0].normal[0], -1.0);
	expect(1, false, 0, 0.0); /* a tie of three: circles first, by id */
	expect(2, false, 1, 0.0);
	expect(3, true, 2, 0.0);
	assert_double_same_bits(hits.hits[3].gap, 1.5);
	assert_double_same_bits(hits.hits[3].point[1], 2.0);
	expect(4, true, 9, 0.0);
	assert_int_equal(hits.hits[4].feature, FEATURE_END_1);
	assert_int_equal(space_nearest(space, &here, 1.5, &none, &filter, 3, &hits), STATUS_OK);
	assert_int_equal(hits.count, 3);
	expect(2, false, 1, 0.0);
	assert_int_equal(space_nearest(space, &here, 1.5, &none, &filter, 100, &hits), STATUS_OK);
	assert_int_equal(hits.count, 4); /* 1.5 is at most 1.5 */
	assert_int_equal(space_nearest(space, &here, 0, &none, &filter, 100, &hits), STATUS_OK);
	assert_int_equal(hits.count, 1);
}

/* Far away, to and from, and with lengths that are nothing beside the way. */
static void
test_far_and_small(void **state)
{
	(void)state;
	circle(0, 1e12, 1e12, 1e-9);
	circle(1, 0, 0, 1e-9);
	made();
	assert_int_equal(cast(-1e12, -1e12, 1e13, 1e13, 0, START_HITS), 2);
	expect(0, false, 1, (1e12 * sqrt(2) - 1e-9) / (1e13 * sqrt(2)));
	assert_double_near(hits.hits[1].fraction, 0.2, 1e-16);
	assert_int_equal(cast(-1e12, -1e12, 1e13, 1e13 - 0.01, 0, START_HITS), 0); /* past both, by a part in 1e14 */
	assert_int_equal(cast(0, 2e-9, 0, -1e-320, 0, START_HITS), 0);
	assert_int_equal(cast(0, 0, 1e-320, 0, 1e9, START_HITS), 1);
}

/* Nothing stops at a sensor, in a scene and in a world. */
static void
test_sensors_are_not_asked(void **state)
{
	(void)state;
	struct def_problem problem;
	struct world *world;

	circle(0, 5, 0, 1);
	circle(1, 9, 0, 1);
	segment(0, 2, -1, 2, 1);
	segment(1, 20, -1, 20, 1);
	circles[0].sensor = segments[0].sensor = true;
	made();
	assert_int_equal(cast(0, 0, 32, 0, 0, START_HITS), 2);
	expect(0, false, 1, 8.0 / 32);
	expect(1, true, 1, 20.0 / 32);
	assert_int_equal(world_create(&def, &problem, &world), STATUS_OK);
	space_destroy(space);
	assert_int_equal(space_create_of_world(world, &space), STATUS_OK);
	assert_int_equal(cast(0, 0, 32, 0, 0, START_HITS), 2);
	world_destroy(world);
}

/* What is disabled is not there, in a scene and in a world; its id is still taken. */
static void
test_disabled_walls_are_not_asked(void **state)
{
	(void)state;
	struct def_problem problem;
	struct world *world;

	segment(0, 2, -1, 2, 1);
	segment(1, 5, -1, 5, 1);
	segment(2, 8, -1, 8, 1);
	segments[0].disabled = segments[2].disabled = true;
	made();
	assert_int_equal(cast(0, 0, 32, 0, 0, START_HITS), 1);
	expect(0, true, 1, 5.0 / 32);
	assert_int_equal(world_create(&def, &problem, &world), STATUS_OK);
	space_destroy(space);
	assert_int_equal(space_create_of_world(world, &space), STATUS_OK);
	assert_int_equal(cast(0, 0, 32, 0, 0, START_HITS), 1);
	expect(0, true, 1, 5.0 / 32);
	world_destroy(world);
}

/* Of a world: at each tick's end the same as of a scene with the circles where they are then. */
static void
test_of_a_world(void **state)
{
	(void)state;
	struct def_problem problem;
	struct world *world;
	struct tick_report report;
	struct space *later;
	struct space_hits other = { .count = 0 };
	const struct space_cast ray = { .x = -20, .y = 0.25, .move_x = 60 };

	for (uint32_t i = 0; i < 5; i++) {
		circle(7 * i % 5, 4.0 * i, 0.1 * i, 1);
		circles[i].vx = 3.0 - i;
		circles[i].vy = 0.5;
	}
	circles[2].mask = 2;
	segment(3, -10, -10, -10, 10);
	segment(1, 30, -10, 30, 10);
	made();
	assert_int_equal(world_create(&def, &problem, &world), STATUS_OK);
	for (int tick = 0; tick <= 20; tick++) {
		assert_int_equal(space_create_of_world(world, &later), STATUS_OK);
		for (size_t i = 0; i < 5; i++) {
			struct body_state body = world_body(world, i);

			for (size_t k = 0; k < 5; k++)
				if (circles[k].id == body.id) {
					circles[k].x = body.x;
					circles[k].y = body.y;
				}
		}
		space_destroy(space);
		assert_int_equal(space_create(&def, &problem, &space), STATUS_OK);
		assert_int_equal(space_cast(space, &ray, &filter, SIZE_MAX, &hits), STATUS_OK);
		assert_int_equal(space_cast(later, &ray, &filter, SIZE_MAX, &other), STATUS_OK);
		assert_int_equal(hits.count, other.count);
		assert_true(hits.count >= 3);
		for (size_t i = 0; i < hits.count; i++) {
			assert_int_equal(hits.hits[i].id, other.hits[i].id);
			assert_double_same_bits(hits.hits[i].fraction, other.hits[i].fraction);
		}
		space_destroy(later);
		assert_int_equal(world_step(world, 0.1, &report), STATUS_OK);
	}
	space_hits_finish(&other);
	world_destroy(world);
}

static void
test_empty_and_wrong(void **state)
{
	(void)state;
	const struct space_cast wrong[] = {
		{ .x = (double)NAN, .move_x = 1 },      { .y = 2e12, .move_x = 1 },       { .move_x = 2e13 },
		{ .move_y = -(double)INFINITY },        { .move_x = 1, .radius = 1e-10 }, { .move_x = 1, .radius = -1 },
		{ .move_x = 1, .radius = (double)NAN }, { .move_x = 1, .radius = 2e9 },
	};
	const struct space_circle good = { 0, 0, 1 }, bad = { 0, 0, -1 };
	const struct space_box box = { 1, 0, 0, 1 };
	const struct wall wall = { 0, 0, 0, 2e12, 0, false, 0, 0 };

	made();
	assert_int_equal(cast(0, 0, 1, 0, 1, START_HITS), 0);
	assert_int_equal(space_nearest(space, &good, 1, &none, &filter, 1, &hits), STATUS_OK);
	assert_int_equal(hits.count, 0);
	assert_true(space_memory_bytes(space) > 0);
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		assert_int_equal(space_cast(space, &wrong[i], &filter, 1, &hits), STATUS_INVALID_ARGUMENT);
	assert_int_equal(space_overlap_circle(space, &bad, &none, &filter, 1, &hits), STATUS_INVALID_ARGUMENT);
	assert_int_equal(space_overlap_circle(space, &good, &(struct tolerance){ -1, 0 }, &filter, 1, &hits),
	                 STATUS_INVALID_ARGUMENT);
	assert_int_equal(space_overlap_box(space, &box, &none, &filter, 1, &hits), STATUS_INVALID_ARGUMENT);
	assert_int_equal(space_overlap_segment(space, &wall, &none, &filter, 1, &hits), STATUS_INVALID_ARGUMENT);
	assert_int_equal(space_nearest(space, &bad, 1, &none, &filter, 1, &hits), STATUS_INVALID_ARGUMENT);
	assert_int_equal(space_nearest(space, &good, -1, &none, &filter, 1, &hits), STATUS_INVALID_ARGUMENT);
	assert_int_equal(space_nearest(space, &good, (double)NAN, &none, &filter, 1, &hits), STATUS_INVALID_ARGUMENT);
	space_destroy(space);
	space = NULL;
	circle(0, 0, 0, 1);
	circle(0, 3, 0, 1);

	struct def_problem problem;

	assert_int_equal(space_create(&def, &problem, &space), STATUS_INVALID_ARGUMENT);
	assert_int_equal(problem.field, DEF_CIRCLE_ID);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scene_begin, scene_end)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_ray_hits_in_order),
		TEST(test_the_first_are_kept),
		TEST(test_starting_inside),
		TEST(test_starting_at_a_touch),
		TEST(test_grazing_is_no_hit),
		TEST(test_rays_at_ends),
		TEST(test_nothing_slips_through_a_corner),
		TEST(test_ends_and_faces),
		TEST(test_who_is_asked),
		TEST(test_overlaps),
		TEST(test_nearest),
		TEST(test_far_and_small),
		TEST(test_of_a_world),
		TEST(test_sensors_are_not_asked),
		TEST(test_disabled_walls_are_not_asked),
		TEST(test_empty_and_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
