#include "worlds/paths/path_code.h"

#include <float.h>
#include <math.h>

#define CODE_SINGLE 4u
#define CODE_WHOLE 8u
#define CODE_NEGATED 6u
#define CODE_BASE 7u
/* Codes of so many first bytes; those of more are other codes. */
#define CODE_FIRST_MAX 3u

/* Bytes up to the last that is not 0, the most significant first. */
static size_t
first_bytes(uint64_t bits)
{
	return bits == 0 ? 0 : 8 - (size_t)__builtin_ctzll(bits) / 8;
}

/* Whether it is a number of single precision, as most programs have; *bits: of that. */
static bool
is_single(double value, uint32_t *bits)
{
	if (!(fabs(value) <= (double)FLT_MAX))
		return false;

	float single = (float)value;

	memcpy(bits, &single, sizeof *bits);
	return bits_equal((double)single, value);
}

/* Bytes up to the most significant that is not 0. */
static size_t
last_bytes(uint64_t bits)
{
	return bits == 0 ? 0 : 8 - (size_t)__builtin_clzll(bits) / 8;
}

uint8_t
path_code(double value, double base, uint8_t out[PATH_CODE_BYTES_MAX], size_t *count)
{
	uint64_t bits = double_bits(value), step = bits - double_bits(base), sign = 0 - (step >> 63);
	size_t first = first_bytes(bits);
	uint32_t single = 0;

	*count = 0;
	if (step == 0)
		return CODE_BASE;
	if (bits_equal(value, -base))
		return CODE_NEGATED;
	bool singles = first > 3 && is_single(value, &single);
	if (singles)
		first = 4;
	else if (first > CODE_FIRST_MAX)
		first = 8;

	/* Twice the step, or its complement: small for a step of either sign. */
	uint64_t folded = (step << 1) ^ sign;
	size_t last = last_bytes(folded);

	if (last < first) {
		for (size_t i = 0; i < last; i++)
			out[i] = (uint8_t)(folded >> (8 * i));
		*count = last;
		return (uint8_t)(CODE_WHOLE + last);
	}
	if (singles)
		bits = (uint64_t)single << 32;
	for (size_t i = 0; i < first; i++)
		out[i] = (uint8_t)(bits >> (56 - 8 * i));
	*count = first;
	return singles ? CODE_SINGLE : (uint8_t)first;
}
