/* The certificate's own geometry against sampling, and its broad phase against all pairs. */
#include "certificate/broad_phase.h"
#include "support/assert_double.h"
#include "support/random.h"

#include <stdlib.h>

#define SAMPLES 2000

static struct cert_vec
random_vec(uint64_t *state, double size)
{
	return (struct cert_vec){ random_between(state, -size, size), random_between(state, -size, size) };
}

static struct cert_motion
random_motion(uint64_t *state)
{
	struct cert_motion motion = { random_vec(state, 5), random_vec(state, 10), random_vec(state, 10) };

	switch (random_below(state, 4)) {
	case 0: motion.q = (struct cert_vec){ 0, 0 }; break;
	case 1: motion.q = (struct cert_vec){ motion.q.x * 1e-9, motion.q.y * 1e-9 }; break;
	case 2: motion.w = (struct cert_vec){ 0, 0 }; break;
	default: break;
	}
	return motion;
}

/* Sampling finds no less, and not much more than the spacing of the samples explains. */
static void
test_nearest_against_sampling(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct cert_motion motion = random_motion(&seed);
		struct cert_wall wall = { .p1 = random_vec(&seed, 5), .p2 = random_vec(&seed, 5) };
		struct cert_vec edge = cert_sub(wall.p2, wall.p1);
		double h = random_between(&seed, 0.1, 2), least = HUGE_VAL, least_wall = HUGE_VAL;
		double speed = cert_length(motion.w) + h * cert_length(motion.q), spacing = speed * h / SAMPLES;

		wall.length = cert_length(edge);
		wall.along = (struct cert_vec){ edge.x / wall.length, edge.y / wall.length };
		for (int i = 0; i <= SAMPLES; i++) {
			struct cert_vec p = cert_motion_at(&motion, h * i / SAMPLES);

			least = fmin(least, cert_length(p));
			least_wall = fmin(least_wall, cert_wall_distance(&wall, p, NULL));
		}
		assert_double_in_range(least - cert_motion_nearest(&motion, h), -1e-13, spacing);
		assert_double_in_range(least_wall - cert_motion_nearest_wall(&motion, h, &wall), -1e-13, spacing);
		assert_true(cert_motion_bound(&motion, h) <= least + 1e-12);
		assert_true(cert_motion_bound_wall(&motion, h, &wall) <= least_wall + 1e-12);
	}
}

/* Bodies with two pieces each, from points to giants and from rest to a thousand radii per tick. */
struct crowd {
	struct cert_shapes shapes;
	struct cert_paths paths;
	struct cert_sweep sweep;
	struct certificate_circle *circles;
	struct certificate_segment *segments;
	unsigned char *pairs; /* times that a pair of stretches was told */
};

static void
crowd_make(struct crowd *crowd, size_t count, size_t walls, uint64_t seed)
{
	struct certificate_scene scene = { .circle_count = count, .segment_count = walls };
	struct certificate_report report = { 0 };
	double *ends = calloc(4 * count + 1, sizeof *ends);
	struct certificate_path_change *changes = calloc(count + 1, sizeof *changes);
	struct certificate_tick tick = { .dt = 1,
		                             .x = ends,
		                             .y = ends + count,
		                             .vx = ends + 2 * count,
		                             .vy = ends + 3 * count,
		                             .path_changes = changes,
		                             .path_change_count = count };

	assert_non_null(ends);
	assert_non_null(changes);
	crowd->circles = calloc(count + 1, sizeof *crowd->circles);
	crowd->segments = calloc(walls + 1, sizeof *crowd->segments);
	assert_non_null(crowd->circles);
	assert_non_null(crowd->segments);
	for (size_t i = 0; i < count; i++) {
		struct cert_vec p = random_vec(&seed, 100), v = random_vec(&seed, random_below(&seed, 8) ? 5 : 1000);

		crowd->circles[i] = (struct certificate_circle){ .id = (uint32_t)(7 * i),
			                                             .x = p.x,
			                                             .y = p.y,
			                                             .vx = v.x,
			                                             .vy = v.y,
			                                             .mass = 1,
			                                             .gravity_scale = 1,
			                                             .radius = random_below(&seed, 20) ? 0.5
			                                                                               : random_between(&seed, 0.01, 80) };
		changes[i] = (struct certificate_path_change){
			.time = 0.5, .body = (uint32_t)(7 * i), .kind = CERTIFICATE_SUPPORTED, .vector = { random_between(&seed, -9, 9), 0 }
		};
	}
	for (size_t i = 0; i < walls; i++) {
		struct cert_vec p = random_vec(&seed, 100), q = cert_add(p, random_vec(&seed, random_below(&seed, 9) ? 5 : 100));

		crowd->segments[i] = (struct certificate_segment){ .id = (uint32_t)i, .x1 = p.x, .y1 = p.y, .x2 = q.x, .y2 = q.y };
	}
	scene.circles = crowd->circles;
	scene.segments = crowd->segments;
	assert_true(cert_paths_init(&crowd->paths, count));
	assert_true(cert_shapes_init(&crowd->shapes, &scene, crowd->paths.p, crowd->paths.v, crowd->paths.spin));
	assert_true(cert_sweep_init(&crowd->sweep, &crowd->shapes));
	assert_true(cert_paths_build(&crowd->paths, &crowd->shapes, &tick, &report));
	assert_true(cert_sweep_fill(&crowd->sweep, &crowd->shapes, &crowd->paths, tick.dt));
	free(ends);
	free(changes);
}

static void
crowd_finish(struct crowd *crowd)
{
	cert_sweep_finish(&crowd->sweep);
	cert_paths_finish(&crowd->paths);
	cert_shapes_finish(&crowd->shapes);
	free(crowd->circles);
	free(crowd->segments);
	free(crowd->pairs);
}

static void
on_pair(void *context, const struct cert_stretch *left, const struct cert_stretch *right)
{
	struct crowd *crowd = context;
	size_t a = (size_t)(left - crowd->sweep.stretches), b = (size_t)(right - crowd->sweep.stretches);

	crowd->pairs[a < b ? a * crowd->sweep.stretch_count + b : b * crowd->sweep.stretch_count + a]++;
}

static bool
ranges_meet(double low_a, double high_a, double low_b, double high_b)
{
	return low_a <= high_b && low_b <= high_a;
}

static bool
boxes_meet(const struct cert_box *a, const struct cert_box *b)
{
	return ranges_meet(a->low.x, a->high.x, b->low.x, b->high.x) && ranges_meet(a->low.y, a->high.y, b->low.y, b->high.y);
}

static void
test_pairs_are_all_told_and_once(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct crowd crowd;
		size_t count, told = 0;

		crowd_make(&crowd, 150, 0, seed);
		count = crowd.sweep.stretch_count;
		crowd.pairs = calloc(count * count, 1);
		assert_non_null(crowd.pairs);
		cert_sweep_pairs(&crowd.sweep, on_pair, &crowd);
		for (size_t i = 0; i < count; i++) {
			for (size_t k = i + 1; k < count; k++) {
				const struct cert_stretch *a = &crowd.sweep.stretches[i], *b = &crowd.sweep.stretches[k];
				bool meet = a->body != b->body && a->t0 < b->t1 && b->t0 < a->t1 && boxes_meet(&a->box, &b->box);

				assert_int_equal(crowd.pairs[i * count + k], meet);
				told += meet;
			}
		}
		assert_true(told > 100);
		/* However fast some are, cutting costs no more than four times the pieces. */
		assert_true(count <= 4 * (crowd.paths.piece_count + 1));
		crowd_finish(&crowd);
	}
}

static void
on_wall(void *context, const struct cert_stretch *stretch, size_t wall)
{
	struct crowd *crowd = context;

	crowd->pairs[(size_t)(stretch - crowd->sweep.stretches) * crowd->shapes.wall_count + wall]++;
}

/* Every wall that a stretch's box holds a point of is told, and none twice. */
static void
test_walls_are_all_told_and_once(void **state)
{
	size_t needed = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct crowd crowd;
		size_t walls = seed % 4 == 0 ? seed / 4 : 200;

		crowd_make(&crowd, 60, walls, seed);
		crowd.pairs = calloc(crowd.sweep.stretch_count * walls, 1);
		assert_non_null(crowd.pairs);
		for (size_t i = 0; i < crowd.sweep.stretch_count; i++) {
			cert_sweep_walls(&crowd.sweep, &crowd.shapes, &crowd.sweep.stretches[i], on_wall, &crowd);
			for (size_t k = 0; k < walls; k++) {
				const struct cert_wall *wall = &crowd.shapes.walls[k];
				bool inside = false;

				for (int s = 0; s <= 200; s++) {
					struct cert_vec p = cert_along(wall->p1, wall->length * s / 200, wall->along);

					inside = inside || boxes_meet(&crowd.sweep.stretches[i].box, &(struct cert_box){ p, p });
				}
				assert_true(crowd.pairs[i * walls + k] <= 1);
				assert_true(crowd.pairs[i * walls + k] == 1 || !inside);
				needed += inside;
			}
		}
		crowd_finish(&crowd);
	}
	assert_true(needed > 1000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nearest_against_sampling),
		cmocka_unit_test(test_pairs_are_all_told_and_once),
		cmocka_unit_test(test_walls_are_all_told_and_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
