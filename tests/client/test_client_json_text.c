/* Doubles as JSON: they read back to the same bits, and no decimal with a digit less does. */
#include "client/cli/scene/json_text.h"

#include "support/assert_double.h"
#include "support/effort.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uint64_t
random_next(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (*state >> 32) ^ *state;
}

/* Significant digits of a decimal: between its first and its last that is not 0. */
static int
digits_of(const char *text)
{
	int count = 0, zeros = 0;
	for (; *text != '\0' && *text != 'e'; text++) {
		if (*text < '0' || *text > '9')
			continue;
		zeros = *text == '0' ? zeros + 1 : 0;
		count += count > 0 || *text != '0';
	}
	return zeros < count ? count - zeros : count;
}

/* Whether one of the two decimals of so many digits around the value reads as it: the nearest one, and those beside it. */
static bool
fewer_do(double value, int digits)
{
	char text[64];
	if (digits < 1)
		return false;
	snprintf(text, sizeof text, "%.*e", digits - 1, value);
	if (strtod(text, NULL) == value)
		return true;
	double nearest = strtod(text, NULL), unit = fabs(value) * pow(10, 1 - digits);
	for (int i = -1; i <= 1; i += 2) {
		snprintf(text, sizeof text, "%.*e", digits - 1, nearest + i * unit);
		if (strtod(text, NULL) == value)
			return true;
	}
	return false;
}

static void
value_try(double value)
{
	char text[JSON_DOUBLE_BYTES];
	assert_ptr_equal(json_double(value, text), text);
	assert_double_same_bits(strtod(text, NULL), value);
	assert_true(strspn(text, "-0123456789.e") == strlen(text));
	if (fewer_do(value, digits_of(text) - 1))
		fail_msg("%.17g has %d digits: %s", value, digits_of(text), text);
}

static void
they_are_exact_and_short(void **state)
{
	(void)state;
	static const double some[] = {
		0.1,
		1e22,
		1e23,
		5e-324,
		DBL_MIN,
		DBL_MAX,
		1.0 / 3,
		2.0 / 3,
		9007199254740993.0,
		123456789.123456789,
		1e-5,
		1e15,
		1e16,
		1e17,
		4e6,
		3999999.5,
		-0.5,
		100,
		1234567890123456789.0,
		0x1p-44,
		1e300,
		2e-308,
		3e-320,
		4.35,
		0x1p1023,
		0.000123456789,
		1e-9,
		-1e-300,
		5e-9,
		2.5e-10,
	};
	for (size_t i = 0; i < sizeof some / sizeof some[0]; i++)
		value_try(some[i]);
	/* At powers of two the doubles below are denser. */
	for (int exponent = -1074; exponent < 1024; exponent++)
		value_try(ldexp(1, exponent));
	uint64_t seed = 7;
	for (int i = 0; i < (int)effort(4000, 20000); i++) {
		uint64_t bits = random_next(&seed);
		double value;
		memcpy(&value, &bits, sizeof value);
		if (isfinite(value) && value != 0)
			value_try(value);
		value_try((double)(int64_t)(random_next(&seed) % 2000000000 + 1) * 1e-6);
	}
}

static void
words_and_zeros(void **state)
{
	(void)state;
	char text[JSON_DOUBLE_BYTES];
	assert_string_equal(json_double((double)NAN, text), "\"NaN\"");
	assert_string_equal(json_double((double)INFINITY, text), "\"Infinity\"");
	assert_string_equal(json_double(-(double)INFINITY, text), "\"-Infinity\"");
	assert_string_equal(json_double(0, text), "0");
	assert_string_equal(json_double(-0.0, text), "-0.0");
	assert_string_equal(json_double(1e22, text), "1e22");
	assert_string_equal(json_double(5e-5, text), "0.00005");
	assert_string_equal(json_double(5e-324, text), "5e-324");
	assert_string_equal(json_double(-1e-10, text), "-1e-10");
}

static void
trees_keep_their_order(void **state)
{
	(void)state;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	assert_true(json_tree_print(json_pack("{s:s,s:[i,f,n,b],s:{}}", "b", "a\"\\\n\x7f", "a", 7, 0.1, 1, "c"), out));
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, "{\"b\": \"a\\\"\\\\\\u000a\\u007f\", \"a\": [7, 0.1, null, true], \"c\": {}}\n");
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(they_are_exact_and_short), cmocka_unit_test(words_and_zeros),
		                                cmocka_unit_test(trees_keep_their_order) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
