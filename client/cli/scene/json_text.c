#include "client/cli/scene/json_text.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Numbers with at most nine decimals, as the generators make them. n / 1e9 is correctly rounded because both are exact, so the
 * decimal n·1e-9 reads as exactly this double. Ten times as fast as the general way. */
static bool
decimal_format(double value, char out[static JSON_DOUBLE_BYTES])
{
	double magnitude = fabs(value);
	if (!(magnitude < 4e6))
		return false;
	int64_t units = (int64_t)(magnitude * 1e9 + 0.5);
	if ((double)units / 1e9 != magnitude)
		return false;
	int64_t whole = units / 1000000000, part = units % 1000000000;
	int used = snprintf(out, JSON_DOUBLE_BYTES, "%s%" PRId64, value < 0 ? "-" : "", whole);
	if (used < 0 || part == 0)
		return used > 0;
	char *at = out + used;
	*at++ = '.';
	for (int64_t unit = 100000000; part > 0; unit /= 10) {
		*at++ = (char)('0' + part / unit);
		part %= unit;
	}
	*at = '\0';
	return true;
}

/* Adds one unit to the last digit before the exponent. false: that would carry. */
static bool
digit_raise(char *text)
{
	size_t mantissa = strcspn(text, "e");
	if (mantissa == 0 || text[mantissa - 1] < '0' || text[mantissa - 1] >= '9')
		return false;
	text[mantissa - 1]++;
	return true;
}

/* The fewest digits of a magnitude. If any decimal of so many digits reads back, the nearest one does, apart from powers of
 * two. Doubles below these are twice as dense, so the next decimal above may do where the nearest does not. "%.15g" drops
 * zeros, so fewer digits than 15 need no trial, but for subnormal numbers, which are coarser. */
static void
magnitude_format(double magnitude, char out[static JSON_DOUBLE_BYTES])
{
	int exponent;
	bool power = frexp(magnitude, &exponent) == 0.5;
	for (int digits = magnitude < DBL_MIN ? 1 : DBL_DIG; digits < 17; digits++) {
		snprintf(out, JSON_DOUBLE_BYTES, "%.*g", digits, magnitude);
		if (strtod(out, NULL) == magnitude)
			return;
		if (power && digits > 1) {
			snprintf(out, JSON_DOUBLE_BYTES, "%.*e", digits - 1, magnitude);
			if (digit_raise(out) && strtod(out, NULL) == magnitude)
				return;
		}
	}
	snprintf(out, JSON_DOUBLE_BYTES, "%.17g", magnitude);
}

/* "1e+22" as "1e22", and "5e-05" as "5e-5". */
static void
exponent_shorten(char *text)
{
	char *to = strchr(text, 'e');
	if (!to)
		return;
	const char *from = ++to;
	if (*from == '-')
		to++;
	from++;
	from += strspn(from, "0");
	memmove(to, from, strlen(from) + 1);
}

const char *
json_double(double value, char to[static JSON_DOUBLE_BYTES])
{
	const char *word = NULL;
	if (isnan(value))
		word = "\"NaN\"";
	else if (isinf(value))
		word = value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
	else if (value == 0)
		word = signbit(value) ? "-0.0" : "0";
	if (word)
		snprintf(to, JSON_DOUBLE_BYTES, "%s", word);
	if (word || decimal_format(value, to))
		return to;
	bool negative = value < 0;
	char digits[JSON_DOUBLE_BYTES];
	magnitude_format(fabs(value), digits);
	exponent_shorten(digits);
	snprintf(to, JSON_DOUBLE_BYTES, "%s%.*s", negative ? "-" : "", JSON_DOUBLE_BYTES - 2, digits);
	return to;
}

int
json_string_write(FILE *out, const char *string)
{
	int count = 0;
	fputc('"', out);
	for (; *string != '\0'; string++, count++) {
		unsigned char c = (unsigned char)*string;
		if (c < 0x20 || c == 0x7f)
			fprintf(out, "\\u%04x", c);
		else
			fprintf(out, c == '"' || c == '\\' ? "\\%c" : "%c", c);
	}
	fputc('"', out);
	return count;
}

static void tree_write(const json_t *tree, FILE *out);

static void
object_write(const json_t *object, FILE *out)
{
	/* The iterators take no const object although they change nothing. */
	json_t *members = (json_t *)(uintptr_t)object;
	fputc('{', out);
	for (void *at = json_object_iter(members); at; at = json_object_iter_next(members, at)) {
		json_string_write(out, json_object_iter_key(at));
		fputs(": ", out);
		tree_write(json_object_iter_value(at), out);
		fputs(json_object_iter_next(members, at) ? ", " : "", out);
	}
	fputc('}', out);
}

static void
array_write(const json_t *array, FILE *out)
{
	fputc('[', out);
	for (size_t i = 0; i < json_array_size(array); i++) {
		fputs(i > 0 ? ", " : "", out);
		tree_write(json_array_get(array, i), out);
	}
	fputc(']', out);
}

static void
tree_write(const json_t *tree, FILE *out)
{
	char number[JSON_DOUBLE_BYTES];
	switch (json_typeof(tree)) {
	case JSON_OBJECT: object_write(tree, out); break;
	case JSON_ARRAY: array_write(tree, out); break;
	case JSON_STRING: json_string_write(out, json_string_value(tree)); break;
	case JSON_INTEGER: fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(tree)); break;
	case JSON_REAL: fputs(json_double(json_real_value(tree), number), out); break;
	case JSON_TRUE: fputs("true", out); break;
	case JSON_FALSE: fputs("false", out); break;
	case JSON_NULL: fputs("null", out); break;
	}
}

bool
json_tree_print(json_t *tree, FILE *out)
{
	if (!tree) {
		fprintf(stderr, "collide: no memory for the JSON\n");
		return false;
	}
	tree_write(tree, out);
	fputc('\n', out);
	json_decref(tree);
	return ferror(out) == 0;
}
