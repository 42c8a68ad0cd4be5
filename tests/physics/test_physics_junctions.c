/* The search for ends that lie on other segments, against asking every segment about every end. Random walls lie on a lattice
 * or off it by some ulp: thick, thin, crossing, on each other, tiny, far away. They are few, which are searched by their boxes,
 * or more, which are searched by a sweep; or many that move or are long, which are searched by a tree. */
#include "physics/geometry/toi.h"
#include "physics/physics.h"
#include "physics/world/junction.h"
#include "physics/world/moving_walls.h"

#include "support/assert_double.h"
#include "support/effort.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>

/* Above this the search uses a tree; of more than JUNCTION_SEGMENTS_MAX segments at an end it then takes any. */
#define FEW 128
#define WALLS_MAX 300

static uint64_t junctions_seen, crowded_seen;

static double
size_of(const double *values, size_t count)
{
	double most = 0;
	for (size_t i = 0; i < count; i++)
		most = fmax(most, fabs(values[i]));
	return most;
}

/* Whether the vertex's cap is inside the segment and touches its surface, to 16 ulp of the larger coordinate: vertex.h. */
static bool
lies_on(const struct world *world, const struct vertex *vertex, const struct segment *segment)
{
	const struct spoke *end = &world->walls.spokes[vertex->first_spoke];
	const struct segment *own = &world->walls.segments[end->segment];
	double at[4], ends[4];
	segment_ends(own, at);
	segment_ends(segment, ends);
	const double *p = end->feature == FEATURE_END_2 ? at + 2 : at;
	if (segment->radius < vertex->radius || !segments_move_together(segment, own))
		return false;
	const double off = 0.25 * fmax(SKIN_PER_COORDINATE * size_of(p, 2), SKIN_PER_COORDINATE * size_of(ends, 4));
	const double px = p[0] - ends[0], py = p[1] - ends[1];
	const double foot = (px * segment->ux + py * segment->uy) / segment->length;
	const double height = fabs(cross_exact(segment->ux, segment->uy, px, py)) / segment->length;
	return foot >= -off && foot <= segment->length + off && fabs(height - (segment->radius - vertex->radius)) <= off;
}

static void
vertex_check(const struct world *world, uint32_t index)
{
	const struct vertex *vertex = &world->walls.vertices[index];
	const struct spoke *spokes = &world->walls.spokes[vertex->first_spoke];
	uint32_t expected[WALLS_MAX], count = 0, found = 0, ends = 0;
	for (uint32_t k = 0; k < world->walls.segment_count; k++) {
		const struct segment *s = &world->walls.segments[k];
		if (s->vertex[0] != index && s->vertex[1] != index && lies_on(world, vertex, s))
			expected[count++] = k;
	}
	while (ends < vertex->spoke_count && spokes[ends].feature != FEATURE_FACE)
		ends++;
	found = vertex->spoke_count - ends;
	assert_int_equal(found, count < JUNCTION_SEGMENTS_MAX ? count : JUNCTION_SEGMENTS_MAX);
	junctions_seen += found;
	crowded_seen += count > JUNCTION_SEGMENTS_MAX;
	if (count > JUNCTION_SEGMENTS_MAX && world->walls.segment_count > FEW)
		return;
	for (uint32_t k = 0; k < found; k++) {
		assert_int_equal(spokes[ends + k].feature, FEATURE_FACE);
		assert_int_equal(spokes[ends + k].segment, expected[k]);
	}
}

/* A coordinate of a lattice, or some ulp off it. */
static double
coordinate(uint64_t *random, uint64_t lattice, double scale, double offset)
{
	double x = offset + scale * (double)random_below(random, lattice);
	for (uint64_t k = random_below(random, 4) ? 0 : random_below(random, 40); k > 0; k--)
		x = nextafter(x, random_below(random, 2) ? INFINITY : -INFINITY);
	return x;
}

static void
walls_check(uint64_t seed)
{
	static const double scales[] = { 1, 1.0 / 3, 1e-3, 1e6, 0.1 }, offsets[] = { 0, 0, -7, 1e3, 1e9 };
	uint64_t random = seed * 77 + 1;
	const size_t count = 1 + (size_t)random_below(&random, random_below(&random, 4) ? 60 : WALLS_MAX);
	const bool moving = seed % 2, wide = seed % 8 == 2;
	const uint64_t lattice = wide ? 60 : 2 + random_below(&random, 12);
	const double scale = scales[random_below(&random, 5)], offset = offsets[random_below(&random, 5)];
	struct segment_def walls[WALLS_MAX];
	struct world_def def = world_def_default();
	for (size_t i = 0; i < count; i++) {
		struct segment_def *w = &walls[i];
		*w = segment_def_default();
		w->id = (uint32_t)i;
		do {
			w->x1 = coordinate(&random, lattice, scale, offset);
			w->y1 = coordinate(&random, lattice, scale, offset);
			w->x2 = random_below(&random, 3) ? coordinate(&random, lattice, scale, offset) : w->x1;
			w->y2 = random_below(&random, 3) ? coordinate(&random, lattice, scale, offset) : w->y1;
			/* Short ones of a wide field. */
			w->x2 = wide ? fmin(w->x2, w->x1 + 3 * scale) : w->x2;
		} while (hypot(w->x2 - w->x1, w->y2 - w->y1) < 0.1 * scale);
		if (random_below(&random, 4) == 0)
			w->radius = 0.5 * scale * (double)(1 + random_below(&random, 2));
		if (moving && random_below(&random, 8) == 0)
			w->vx = (double)random_below(&random, 2);
	}
	struct def_problem problem;
	struct world *world = NULL;
	def.segments = walls;
	def.segment_count = count;
	assert_int_equal(world_create(&def, &problem, &world), STATUS_OK);
	for (uint32_t i = 0; i < world->walls.vertex_count; i++)
		vertex_check(world, i);
	world_destroy(world);
}

static void
test_every_end_against_every_segment(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= (uint64_t)effort_most(100, 3000, 8000); seed++)
		walls_check(seed);
	print_message("%llu junctions, %llu ends with too many\n", (unsigned long long)junctions_seen,
	              (unsigned long long)crowded_seen);
	assert_true(junctions_seen > effort(1300, 10000) && crowded_seen > effort(0, 10));
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_every_end_against_every_segment) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
