/* Generators, seen from the command line: each scene is what its kind promises, by brute force over all pairs. */
#include "client/cli/commands/commands.h"
#include "client/cli/scene/packing.h"
#include "client/cli/scene/random.h"
#include "client/cli/scene/scene_json.h"

#include "support/assert_double.h"
#include "support/effort.h"
#include "support/long_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 20 };

/* Runs `collide gen` with the words of a line and returns its status; the output goes to `path`. */
static enum exit_status
gen_run(const char *line, const char *path)
{
	static char words[300];
	char *arguments[ARGUMENTS_MAX + 4] = { words };
	(void)snprintf(words, sizeof words, "gen %s", line);
	int count = 0;
	char *rest = NULL;
	for (char *word = strtok_r(words, " ", &rest); word && count < ARGUMENTS_MAX; word = strtok_r(NULL, " ", &rest))
		arguments[count++] = word;
	char option[] = "-o", target[100];
	(void)snprintf(target, sizeof target, "%s", path);
	arguments[count++] = option;
	arguments[count++] = target;
	return cmd_gen(count, arguments);
}

/* The file's bytes, ended by NUL. */
static char *
file_text(const char *path)
{
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	long size = ftell(file);
	assert_true(size > 0);
	rewind(file);
	char *text = calloc((size_t)size + 1, 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, (size_t)size, file), size);
	(void)fclose(file);
	return text;
}

static void
path_make(char path[40])
{
	strcpy(path, "/tmp/test_client_gen_XXXXXX");
	int descriptor = mkstemp(path);
	assert_true(descriptor >= 0);
	(void)close(descriptor);
}

static char *
gen_text(const char *line)
{
	char path[40];
	path_make(path);
	enum exit_status status = gen_run(line, path);
	assert_int_equal(status, 0);
	char *text = file_text(path);
	(void)unlink(path);
	return text;
}

/* A scene in plain rows, whichever form it was written in. */
struct rows {
	size_t circles, segments;
	struct circle {
		double x, y, vx, vy, radius, mass;
	} * circle;
	struct segment {
		double x1, y1, x2, y2;
	} * segment;
	bool hand_written;
	uint32_t events_per_body_max;
};

static double
at(const double *column, size_t count, size_t row, double standard)
{
	return count == 0 ? standard : column[count == 1 ? 0 : row];
}

static struct rows
rows_from(const Collide__V1__Scene *scene)
{
	struct rows rows = { .hand_written = scene->n_circles > 0, .events_per_body_max = scene->events_per_body_max };
	const Collide__V1__CircleColumns *c = scene->circle_columns;
	const Collide__V1__SegmentColumns *s = scene->segment_columns;
	rows.circles = rows.hand_written ? scene->n_circles : c->count;
	rows.segments = scene->n_segments > 0 ? scene->n_segments : s ? s->count : 0;
	rows.circle = calloc(rows.circles + 1, sizeof *rows.circle);
	rows.segment = calloc(rows.segments + 1, sizeof *rows.segment);
	assert_non_null(rows.circle);
	assert_non_null(rows.segment);
	for (size_t i = 0; i < rows.circles; i++) {
		if (rows.hand_written) {
			const Collide__V1__Circle *one = scene->circles[i];
			rows.circle[i] = (struct circle){ one->x,  one->y,      one->vx,
				                              one->vy, one->radius, one->optional_mass_case != 0 ? one->mass : 1 };
		} else {
			rows.circle[i] = (struct circle){ at(c->x, c->n_x, i, 0),           at(c->y, c->n_y, i, 0),
				                              at(c->vx, c->n_vx, i, 0),         at(c->vy, c->n_vy, i, 0),
				                              at(c->radius, c->n_radius, i, 0), at(c->mass, c->n_mass, i, 1) };
		}
	}
	for (size_t i = 0; i < rows.segments; i++) {
		if (scene->n_segments > 0) {
			const Collide__V1__Segment *one = scene->segments[i];
			rows.segment[i] = (struct segment){ one->x1, one->y1, one->x2, one->y2 };
		} else {
			rows.segment[i] = (struct segment){ at(s->x1, s->n_x1, i, 0), at(s->y1, s->n_y1, i, 0), at(s->x2, s->n_x2, i, 0),
				                                at(s->y2, s->n_y2, i, 0) };
		}
	}
	return rows;
}

static struct rows
gen_rows(const char *line)
{
	char *text = gen_text(line), error[300];
	Collide__V1__Scene *scene = NULL;
	bool good = scene_json_parse("gen", text, strlen(text), &scene, error, sizeof error);
	free(text);
	if (!good)
		fail_msg("%s", error);
	struct rows rows = rows_from(scene);
	scene_json_free(scene);
	return rows;
}

static void
rows_free(struct rows *rows)
{
	free(rows->circle);
	free(rows->segment);
}

/* Smallest distance between surfaces, over all pairs. */
static double
least_gap(const struct rows *rows)
{
	double least = HUGE_VAL;
	for (size_t i = 0; i < rows->circles; i++) {
		for (size_t j = 0; j < i; j++) {
			const struct circle *a = &rows->circle[i], *b = &rows->circle[j];
			least = fmin(least, hypot(a->x - b->x, a->y - b->y) - a->radius - b->radius);
		}
	}
	return least;
}

/* The distance between a point and a segment by trying its foot and its ends. */
static double
distance_to(const struct segment *s, double x, double y)
{
	double dx = s->x2 - s->x1, dy = s->y2 - s->y1, length = hypot(dx, dy);
	double along = ((x - s->x1) * dx + (y - s->y1) * dy) / length;
	double ends = fmin(hypot(x - s->x1, y - s->y1), hypot(x - s->x2, y - s->y2));
	return along > 0 && along < length ? fabs((x - s->x1) * dy - (y - s->y1) * dx) / length : ends;
}

static double
least_wall_gap(const struct rows *rows)
{
	double least = HUGE_VAL;
	for (size_t i = 0; i < rows->circles; i++) {
		for (size_t j = 0; j < rows->segments; j++) {
			const struct circle *circle = &rows->circle[i];
			least = fmin(least, distance_to(&rows->segment[j], circle->x, circle->y) - circle->radius);
		}
	}
	return least;
}

/* Even-odd rule over the first `sides` segments, which must close. */
static bool
is_inside(const struct rows *rows, size_t sides, double x, double y)
{
	bool inside = false;
	for (size_t i = 0; i < sides; i++) {
		const struct segment *s = &rows->segment[i];
		if ((s->y1 > y) != (s->y2 > y) && x < s->x1 + (y - s->y1) / (s->y2 - s->y1) * (s->x2 - s->x1))
			inside = !inside;
	}
	return inside;
}

static void
assert_inside(const struct rows *rows, size_t sides)
{
	for (size_t i = 0; i < sides; i++) {
		const struct segment *s = &rows->segment[i], *next = &rows->segment[(i + 1) % sides];
		assert_double_same_bits(s->x2, next->x1);
		assert_double_same_bits(s->y2, next->y1);
	}
	for (size_t i = 0; i < rows->circles; i++)
		assert_true(is_inside(rows, sides, rows->circle[i].x, rows->circle[i].y));
}

static void
assert_speeds(const struct rows *rows, double speed)
{
	for (size_t i = 0; i < rows->circles; i++)
		assert_double_near(hypot(rows->circle[i].vx, rows->circle[i].vy), speed, 2e-9);
}

static void
gas_is_a_gas(void **state)
{
	(void)state;
	struct rows rows = gen_rows("gas --count 2000 --seed 7 --speed 4");
	assert_int_equal(rows.circles, 2000);
	assert_int_equal(rows.segments, 4);
	assert_false(rows.hand_written);
	assert_true(least_gap(&rows) >= 0.5e-3);
	assert_true(least_wall_gap(&rows) >= 0.5e-3);
	assert_inside(&rows, 4);
	assert_speeds(&rows, 4);
	double side = rows.segment[0].x2, sum_x = 0, sum_y = 0;
	assert_double_near(2000 * 3.141592653589793 * 0.25 / (side * side), 0.3, 1e-6);
	for (size_t i = 0; i < rows.circles; i++) {
		assert_double_same_bits(rows.circle[i].radius, 0.5);
		sum_x += rows.circle[i].vx;
		sum_y += rows.circle[i].vy;
	}
	/* Directions are random: the mean of 2,000 unit vectors has a deviation of 0.016 a component. */
	assert_double_near(sum_x / 2000 / 4, 0, 0.08);
	assert_double_near(sum_y / 2000 / 4, 0, 0.08);
	rows_free(&rows);
}

static void
dense_gas_fits(void **state)
{
	(void)state;
	static const char *const lines[] = { "gas --count 900 --fraction 0.45",
		                                 "gas --count 900 --fraction 0.6 --gap 0.0001",
		                                 "gas --count 2500 --fraction 0.75 --gap 0.0001",
		                                 "gas --count 1000 --fraction 0.86",
		                                 "gas --count 1 --fraction 0.78 --gap 0",
		                                 "gas --count 2 --fraction 0.53 --gap 0",
		                                 "gas --count 3 --fraction 0.588 --gap 0",
		                                 "gas --count 39 --fraction 0.8 --gap 0.0001",
		                                 "gas --count 4 --fraction 0.78 --gap 0",
		                                 "gas --count 10000 --fraction 0.8955 --gap 0" };
	/* The last one is long, and so is the third. */
	for (size_t i = 0; i < sizeof lines / sizeof lines[0] - effort(1, 0); i += i == 1 ? effort(2, 1) : 1) {
		struct rows rows = gen_rows(lines[i]);
		assert_true(least_gap(&rows) > 0);
		assert_true(least_wall_gap(&rows) > 0);
		assert_inside(&rows, 4);
		rows_free(&rows);
	}
	/* Two that lie at random can leave no room for a third. */
	for (int seed = 1; seed <= 8; seed++) {
		char line[80];
		(void)snprintf(line, sizeof line, "gas --count 3 --fraction 0.45 --seed %d", seed);
		struct rows rows = gen_rows(line);
		assert_int_equal(rows.circles, 3);
		assert_true(least_gap(&rows) > 0);
		rows_free(&rows);
	}
}

static void
bullets_are_clear_of_walls(void **state)
{
	(void)state;
	struct rows rows = gen_rows("bullets --seed 3");
	assert_int_equal(rows.circles, 1000);
	assert_int_equal(rows.segments, 44);
	assert_double_same_bits(rows.segment[0].x2, 20);
	assert_true(least_gap(&rows) > 0);
	assert_true(least_wall_gap(&rows) > 0);
	assert_inside(&rows, 4);
	assert_speeds(&rows, 200);
	rows_free(&rows);
}

static void
break_is_symmetric_with_seed_0(void **state)
{
	(void)state;
	for (int radius = 1; radius <= 7; radius += 3) {
		char line[80];
		(void)snprintf(line, sizeof line, "break --count 21 --radius 0.%d", radius);
		struct rows rows = gen_rows(line);
		assert_int_equal(rows.circles, 22);
		assert_true(rows.hand_written);
		/* Touching, as decimals that a double cannot hold exactly allow; the engine's skin is 1e-9 of a radius. */
		assert_double_in_range(least_gap(&rows), -1e-15, 2e-6);
		assert_true(least_wall_gap(&rows) > 0);
		assert_inside(&rows, 4);
		assert_double_same_bits(rows.circle[0].y, 0);
		assert_true(rows.circle[0].vx > 0);
		for (size_t i = 1; i < rows.circles; i++) {
			bool mirrored = false;
			for (size_t j = 1; j < rows.circles; j++)
				mirrored = mirrored || (rows.circle[j].x == rows.circle[i].x && rows.circle[j].y == -rows.circle[i].y);
			assert_true(mirrored);
		}
		rows_free(&rows);
	}
	struct rows beside = gen_rows("break --seed 5");
	assert_true(beside.circle[0].y != 0 && fabs(beside.circle[0].y) < 0.5);
	rows_free(&beside);
}

static void
large_rack_fits_its_table(void **state)
{
	(void)state;
	struct rows rows = gen_rows("break --count 3000");
	assert_int_equal(rows.circles, 3001);
	assert_false(rows.hand_written);
	assert_true(least_gap(&rows) >= -1e-12);
	assert_true(least_wall_gap(&rows) > 0);
	assert_inside(&rows, 4);
	rows_free(&rows);
}

static void
cradle_touches(void **state)
{
	(void)state;
	struct rows rows = gen_rows("cradle --count 7 --moving 2 --speed 3");
	assert_int_equal(rows.circles, 7);
	assert_int_equal(rows.segments, 0);
	for (size_t i = 0; i < 7; i++) {
		assert_double_same_bits(rows.circle[i].vx, i < 2 ? 3 : 0);
		assert_double_same_bits(rows.circle[i].vy, 0);
		assert_double_same_bits(rows.circle[i].y, 0);
		if (i > 0 && i != 2)
			assert_double_same_bits(rows.circle[i].x - rows.circle[i - 1].x, 1);
	}
	assert_double_same_bits(rows.circle[2].x - rows.circle[1].x, 3);
	rows_free(&rows);
	rows = gen_rows("cradle --count 4 --gap 0.5");
	assert_double_same_bits(rows.circle[3].x - rows.circle[2].x, 1.25);
	rows_free(&rows);
}

static void
galperin_has_its_masses(void **state)
{
	(void)state;
	for (int digits = 0; digits <= 5; digits++) {
		char line[60];
		(void)snprintf(line, sizeof line, "galperin --count %d", digits);
		struct rows rows = gen_rows(line);
		assert_int_equal(rows.circles, 2);
		assert_int_equal(rows.segments, 1);
		assert_double_same_bits(rows.circle[0].mass, 1);
		assert_double_near(rows.circle[1].mass, pow(100, digits), 0);
		assert_true(rows.circle[0].x > rows.circle[0].radius && rows.circle[1].x - rows.circle[0].x > 1);
		assert_true(rows.circle[1].vx < 0);
		/* 31,415 collisions and more need more than the usual cap. */
		assert_int_equal(rows.events_per_body_max, digits >= 4 ? 1000000 : 0);
		rows_free(&rows);
	}
}

static void
loop_is_closed_and_aligned_with_nothing(void **state)
{
	(void)state;
	for (int count = 1; count <= 200; count += 199) {
		char line[60];
		(void)snprintf(line, sizeof line, "loop --count %d --seed 2", count);
		struct rows rows = gen_rows(line);
		assert_int_equal(rows.circles, count);
		assert_inside(&rows, rows.segments);
		assert_true(least_gap(&rows) > 0);
		assert_true(least_wall_gap(&rows) > 0);
		assert_speeds(&rows, 30000);
		for (size_t i = 0; i < rows.segments; i++) {
			const struct segment *s = &rows.segment[i];
			assert_true(fabs(s->x2 - s->x1) > 0.1 && fabs(s->y2 - s->y1) > 0.1);
		}
		rows_free(&rows);
	}
}

/* FNV-1a of all bytes: a change of a generator changes every file that people made with it, so it must be meant. */
static uint64_t
text_hash(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	for (; *text != '\0'; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return hash;
}

static void
same_seed_same_bytes(void **state)
{
	(void)state;
	static const struct {
		const char *line;
		uint64_t hash;
	} pinned[] = {
		{ "gas --count 300 --seed 1", UINT64_C(0x2f8e71694fca8726) },
		{ "gas --count 300 --fraction 0.7 --seed 2", UINT64_C(0x43eac9c0ae0f8558) },
		{ "break --seed 1", UINT64_C(0x4b75081be9a96d3f) },
		{ "cradle --count 5", UINT64_C(0xd67098656d0ac0c8) },
		{ "bullets --count 200 --seed 1", UINT64_C(0xd2caec35c633f0aa) },
		{ "galperin --count 3", UINT64_C(0x3167893761129205) },
		{ "loop --count 3 --seed 9", UINT64_C(0x714c0ba88f77afc7) },
	};
	for (size_t i = 0; i < sizeof pinned / sizeof pinned[0]; i++) {
		char *text = gen_text(pinned[i].line);
		if (text_hash(text) != pinned[i].hash)
			fail_msg("'%s' makes other bytes than it did: 0x%016llx", pinned[i].line, (unsigned long long)text_hash(text));
		free(text);
	}
	char *one = gen_text("gas --count 300 --seed 1"), *other = gen_text("gas --count 300 --seed 2");
	assert_string_not_equal(one, other);
	free(one);
	free(other);
}

static void
million_circles_work(void **state)
{
	(void)state;
	const size_t count = effort(20000, 1000000);
	char line[80];
	(void)snprintf(line, sizeof line, "gas --count %zu", count);
	struct rows rows = gen_rows(line);
	assert_int_equal(rows.circles, count);
	/* All pairs are too many here: the packing, tested above, finds each circle's own neighbours. */
	struct packing *packing = packing_create(0, 0, rows.segment[0].x2, rows.segment[0].x2, 0.5, rows.circles);
	assert_non_null(packing);
	for (size_t i = 0; i < rows.circles; i++) {
		assert_true(packing_is_free(packing, rows.circle[i].x, rows.circle[i].y, 0.5, 0));
		packing_add(packing, rows.circle[i].x, rows.circle[i].y, 0.5);
	}
	packing_destroy(packing);
	rows_free(&rows);
}

static void
wrong_use_is_refused(void **state)
{
	(void)state;
	static const char *const lines[] = { "",
		                                 "gass",
		                                 "gas --count 0",
		                                 "gas --count 1000001",
		                                 "gas --count -1",
		                                 "gas --count 1e3",
		                                 "gas --count",
		                                 "gas --seed 18446744073709551616",
		                                 "gas --fraction nan",
		                                 "gas --fraction 0.907",
		                                 "crowd --fraction 0.41",
		                                 "gas --radius 0",
		                                 "gas --speed inf",
		                                 "gas --moving 1",
		                                 "gas --what 1",
		                                 "gas extra",
		                                 "cradle --fraction 0.3",
		                                 "galperin --count 6",
		                                 "gas --restitution 1.5" };
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		if (gen_run(lines[i], "/tmp/never_written.json") != 2)
			fail_msg("'gen %s' was not refused", lines[i]);
		assert_int_equal(access("/tmp/never_written.json", F_OK), -1);
	}
	static const char *const failing[] = { "cradle --count 3 --moving 3", "bullets --count 20000 --gap 5",
		                                   "gas --count 2 --fraction 0.54", "gas --fraction 0.9068" };
	for (size_t i = 0; i < sizeof failing / sizeof failing[0] - effort(3, 0); i++) {
		assert_int_equal(gen_run(failing[i], "/tmp/never_written.json"), 1);
		assert_int_equal(access("/tmp/never_written.json", F_OK), -1);
	}
	assert_int_equal(gen_run("cradle", "/nonexistent/x.json"), 1);
}

/* Published first outputs of splitmix64 for seed 1234567 (https://rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64)
 * are the state that xoshiro256** starts from. */
static void
random_numbers_are_the_published_ones(void **state)
{
	(void)state;
	struct random random;
	random_init(&random, 1234567);
	assert_true(random.state[0] == UINT64_C(6457827717110365317));
	assert_true(random.state[1] == UINT64_C(3203168211198807973));
	/* xoshiro256** from the state 1, 2, 3, 4: 11520, 0, 1509978240, 1215971899390074240. */
	random = (struct random){ { 1, 2, 3, 4 } };
	assert_true(random_next(&random) == 11520);
	assert_true(random_next(&random) == 0);
	assert_true(random_next(&random) == 1509978240);
	assert_true(random_next(&random) == UINT64_C(1215971899390074240));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gas_is_a_gas),
		cmocka_unit_test(dense_gas_fits),
		cmocka_unit_test(bullets_are_clear_of_walls),
		cmocka_unit_test(break_is_symmetric_with_seed_0),
		cmocka_unit_test(large_rack_fits_its_table),
		cmocka_unit_test(cradle_touches),
		cmocka_unit_test(galperin_has_its_masses),
		cmocka_unit_test(loop_is_closed_and_aligned_with_nothing),
		cmocka_unit_test(same_seed_same_bytes),
		long_case(million_circles_work),
		cmocka_unit_test(wrong_use_is_refused),
		cmocka_unit_test(random_numbers_are_the_published_ones),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
