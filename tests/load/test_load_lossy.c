/* The formats that streams are compared with can be read back, and are off by no more than they say. Players choose what their
 * kind of inputs has. */
#include "client/load/streams/lossy.h"
#include "client/load/streams/streams_scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { UPDATES = 300 };

/* Circles that go straight, are thrown about at times, and jump. */
static void
what_is_written_is_read(void **state)
{
	static struct lossy writer, reader;
	static double x[LOSSY_CIRCLES_MAX], y[LOSSY_CIRCLES_MAX], vx[LOSSY_CIRCLES_MAX], vy[LOSSY_CIRCLES_MAX];
	static double read_x[LOSSY_CIRCLES_MAX], read_y[LOSSY_CIRCLES_MAX];
	uint8_t bytes[LOSSY_BYTES_MAX];
	uint64_t random = 9;
	(void)state;
	for (size_t count = 1; count <= LOSSY_CIRCLES_MAX; count = count * 3 + 1) {
		const double quantum = 0.01;
		lossy_init(&writer, count, -50, 20, quantum);
		lossy_init(&reader, count, -50, 20, quantum);
		for (size_t i = 0; i < count; i++) {
			x[i] = 100 * streams_unit(&random);
			y[i] = 100 * streams_unit(&random);
			streams_velocity(&random, 0.3, &vx[i], &vy[i]);
		}
		for (int update = 0; update < UPDATES; update++) {
			for (size_t i = 0; i < count; i++) {
				if (streams_unit(&random) < 0.05)
					streams_velocity(&random, 30, &vx[i], &vy[i]);
				if (streams_unit(&random) < 0.001)
					x[i] = 1e7 * streams_unit(&random);
				x[i] += vx[i];
				y[i] += vy[i];
			}
			size_t written = lossy_encode(&writer, x, y, bytes);
			assert_in_range(written, 2, LOSSY_BYTES_MAX);
			assert_true(lossy_decode(&reader, bytes, written, read_x, read_y));
			for (size_t i = 0; i < count; i++)
				assert_true(fabs(read_x[i] - x[i]) <= quantum * 0.5001 && fabs(read_y[i] - y[i]) <= quantum * 0.5001);
		}
	}
}

/* What does not change costs a bit a number. */
static void
what_rests_is_small(void **state)
{
	static struct lossy writer;
	static double x[LOSSY_CIRCLES_MAX], y[LOSSY_CIRCLES_MAX];
	uint8_t bytes[LOSSY_BYTES_MAX];
	(void)state;
	lossy_init(&writer, 64, 0, 0, 0.25);
	for (size_t i = 0; i < 64; i++)
		x[i] = 3 * (double)i;
	for (int update = 0; update < 3; update++)
		(void)lossy_encode(&writer, x, y, bytes);
	assert_int_equal(lossy_encode(&writer, x, y, bytes), 17); /* 2 * (4 + 64) bits */
}

static void
what_is_cut_short_is_refused(void **state)
{
	static struct lossy writer, reader;
	static double x[LOSSY_CIRCLES_MAX], y[LOSSY_CIRCLES_MAX];
	uint8_t bytes[LOSSY_BYTES_MAX + 1];
	(void)state;
	for (size_t i = 0; i < 64; i++)
		x[i] = y[i] = 7.5 * (double)(i * i % 17);
	lossy_init(&writer, 64, 0, 0, 0.25);
	size_t written = lossy_encode(&writer, x, y, bytes);
	bytes[written] = 0;
	for (size_t count = 0; count <= written + 1; count++) {
		lossy_init(&reader, 64, 0, 0, 0.25);
		assert_int_equal(lossy_decode(&reader, bytes, count, x, y), count == written);
	}
}

/* How many velocities there are among 4,000, up to 400; all are as fast as was said, or those of no key. */
static size_t
velocities_of(enum streams_inputs inputs)
{
	static double seen[400][2];
	uint64_t random = 1;
	unsigned keys = 0;
	size_t count = 0;
	for (int i = 0; i < 4000 && count < 400; i++) {
		double vx, vy;
		size_t at = 0;
		streams_input(inputs, &random, 6, &keys, &vx, &vy);
		if (fabs(hypot(vx, vy) - 6) > 1e-5 && (inputs != STREAMS_KEYS || vx != 0 || vy != 0))
			fail_msg("%g, %g", vx, vy);
		assert_true(inputs != STREAMS_SINGLE || (double)(float)vx == vx);
		while (at < count && (seen[at][0] != vx || seen[at][1] != vy))
			at++;
		seen[at][0] = vx, seen[at][1] = vy;
		count += at == count;
	}
	return count;
}

static void
players_choose_as_their_kind_does(void **state)
{
	(void)state;
	assert_int_equal(velocities_of(STREAMS_SINGLE), 400);
	assert_int_equal(velocities_of(STREAMS_DOUBLE), 400);
	assert_int_equal(velocities_of(STREAMS_PAD), 16);
	assert_int_equal(velocities_of(STREAMS_STICK), 256);
	assert_int_equal(velocities_of(STREAMS_KEYS), 9);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(what_rests_is_small),
		cmocka_unit_test(what_is_cut_short_is_refused),
		cmocka_unit_test(players_choose_as_their_kind_does),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
