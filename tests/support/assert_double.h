/* assert_double: what cmocka 1.1.5 lacks: assertions on doubles that say both numbers when they fail.
 *
 * Include after <cmocka.h> or instead of it. */
#ifndef COLLIDED_TESTS_SUPPORT_ASSERT_DOUBLE_H
#define COLLIDED_TESTS_SUPPORT_ASSERT_DOUBLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Fails unless |actual - expected| <= tolerance. NaN never passes. */
#define assert_double_near(actual, expected, tolerance) \
	assert_double_near_at((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)

/* Fails unless both have the same 64 bits: tells -0 from 0, and one NaN equals itself. */
#define assert_double_same_bits(actual, expected) assert_double_same_bits_at((actual), (expected), #actual, __FILE__, __LINE__)

/* Fails unless low <= actual <= high. */
#define assert_double_in_range(actual, low, high) \
	assert_double_in_range_at((actual), (low), (high), #actual, __FILE__, __LINE__)

static inline uint64_t
double_bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static inline void
assert_double_near_at(double actual, double expected, double tolerance, const char *text, const char *file, int line)
{
	if (fabs(actual - expected) <= tolerance || actual == expected)
		return;
	print_error("%s is %.17g, not %.17g within %.3g: off by %.3g\n", text, actual, expected, tolerance, actual - expected);
	_fail(file, line);
}

static inline void
assert_double_same_bits_at(double actual, double expected, const char *text, const char *file, int line)
{
	if (double_bits(actual) == double_bits(expected))
		return;
	print_error("%s is %.17g (%a), not %.17g (%a)\n", text, actual, actual, expected, expected);
	_fail(file, line);
}

static inline void
assert_double_in_range_at(double actual, double low, double high, const char *text, const char *file, int line)
{
	if (actual >= low && actual <= high)
		return;
	print_error("%s is %.17g, not in %.17g .. %.17g\n", text, actual, low, high);
	_fail(file, line);
}

#endif
