/* The coder of states within a tolerance. What the server's side writes, the library's side reads; they share no code. How
 * small it is, against the entropy. And carries, which chance seldom makes. */
#include "base/memory.h"
#include "client/lib/follow/bits.h"
#include "support/effort.h"
#include "support/random.h"
#include "worlds/quantized/bit_coder.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SYMBOLS = 4000, KINDS = 8 };

static struct buffer out;

static void
contexts_begin(struct bit_context *written, struct follow_context *read, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		written[i] = BIT_CONTEXT_EVEN;
		read[i] = (struct follow_context){ 16384, 16384 };
	}
}

/* Bits of kinds that are set so often, of eight parts of 2^20. */
static void
bits_there_and_back(uint64_t seed, const uint32_t likely[KINDS], size_t count)
{
	static uint8_t kind[SYMBOLS];
	static bool bit[SYMBOLS];
	struct bit_context written[KINDS];
	struct follow_context read[KINDS];
	struct bit_coder coder;
	struct bit_reader reader;
	uint64_t random = seed;

	contexts_begin(written, read, KINDS);
	out.count = 3; /* not at the beginning of its buffer */
	bit_coder_begin(&coder, &out);
	for (size_t i = 0; i < count; i++) {
		kind[i] = (uint8_t)random_below(&random, KINDS);
		bit[i] = random_below(&random, 1 << 20) < likely[kind[i]];
		bit_put(&coder, &written[kind[i]], bit[i]);
	}
	bit_coder_end(&coder);
	assert_true(out.count == 3 || out.bytes[out.count - 1] != 0);
	bit_reader_begin(&reader, out.bytes + 3, out.count - 3);
	for (size_t i = 0; i < count; i++)
		assert_true(bit_read(&reader, &read[kind[i]]) == bit[i]);
	assert_true(bit_reader_ends(&reader));
	assert_memory_equal(written, read, sizeof written);
}

static void
test_bits(void **state)
{
	uint64_t random = 1;

	(void)state;
	for (uint64_t seed = 0; seed < 3000; seed++) {
		uint32_t likely[KINDS];

		for (size_t k = 0; k < KINDS; k++)
			likely[k] = random_below(&random, 3) == 0 ? (uint32_t)random_below(&random, 1 << 20)
			                                          : (uint32_t)(1 << 20) * (uint32_t)random_below(&random, 2);
		bits_there_and_back(seed, likely, (size_t)random_below(&random, seed < 2000 ? 40 : SYMBOLS));
	}
}

/* Bits that are never set cost nothing in the end. */
static void
test_nothing(void **state)
{
	static const uint32_t never[KINDS] = { 0 };

	(void)state;
	for (size_t count = 0; count < 100; count++) {
		bits_there_and_back(1, never, count);
		assert_int_equal(out.count, 3);
	}
}

/* About as small as can be: the entropy, eight percent, and what it takes to learn. */
static void
test_size(void **state)
{
	(void)state;
	for (uint32_t parts = 1; parts < 16; parts++) {
		uint32_t likely[KINDS];
		double p = parts / 32.0, entropy = -(p * log2(p) + (1 - p) * log2(1 - p));

		for (size_t k = 0; k < KINDS; k++)
			likely[k] = parts << 15;
		bits_there_and_back(parts, likely, SYMBOLS);
		assert_true((double)(8 * (out.count - 3)) < SYMBOLS * entropy * 1.08 + KINDS * 40);
		assert_true((double)(8 * (out.count - 3)) > SYMBOLS * entropy * 0.8);
	}
}

/* After ones only, `low` is as high as it can be: a carry goes through all bytes that wait. */
static void
test_carries(void **state)
{
	size_t carried = 0;

	(void)state;
	for (uint64_t bits = 0; bits < 1 << 12; bits++) {
		struct bit_coder coder;
		struct bit_reader reader;

		out.count = 0;
		bit_coder_begin(&coder, &out);
		bits_put(&coder, UINT64_MAX, 20 + (unsigned)(bits & 31));
		bits_put(&coder, bits >> 5, 7);
		carried += coder.pending > 2;
		for (int i = 0; i < 5; i++)
			bits_put(&coder, UINT64_MAX, 64);
		carried += coder.pending > 2;
		bits_put(&coder, bits, 12);
		bit_coder_end(&coder);
		bit_reader_begin(&reader, out.bytes, out.count);
		assert_true(bits_read(&reader, 20 + (unsigned)(bits & 31)) == UINT64_MAX >> (44 - (bits & 31)));
		assert_true(bits_read(&reader, 7) == bits >> 5);
		for (int i = 0; i < 5; i++)
			assert_true(bits_read(&reader, 64) == UINT64_MAX);
		assert_true(bits_read(&reader, 12) == bits);
		assert_true(bit_reader_ends(&reader));
	}
	assert_true(carried > 1000);
}

static int32_t
number_any(uint64_t *random)
{
	int32_t size = (int32_t)(random_below(random, 1 << 24) >> random_below(random, 25));

	if (random_below(random, 50) == 0)
		size = (1 << 24) - 1;
	return random_below(random, 2) == 0 ? size : -size;
}

static void
test_numbers(void **state)
{
	static int32_t numbers[SYMBOLS];
	struct bit_context written[NUMBER_CONTEXTS];
	struct follow_context read[FOLLOW_NUMBER_CONTEXTS];
	uint64_t random = 7;

	(void)state;
	for (int k = 0; k < (int)effort(30, 200); k++) {
		struct bit_coder coder;
		struct bit_reader reader;

		contexts_begin(written, read, NUMBER_CONTEXTS);
		out.count = 0;
		bit_coder_begin(&coder, &out);
		for (size_t i = 0; i < SYMBOLS; i++) {
			numbers[i] = number_any(&random);
			number_put(&coder, written, numbers[i]);
		}
		bit_coder_end(&coder);
		bit_reader_begin(&reader, out.bytes, out.count);
		for (size_t i = 0; i < SYMBOLS; i++)
			assert_true(bits_number_read(&reader, read) == (double)numbers[i]);
		assert_true(bit_reader_ends(&reader));
		assert_memory_equal(written, read, sizeof written);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bits),    cmocka_unit_test(test_nothing), cmocka_unit_test(test_size),
		cmocka_unit_test(test_carries), cmocka_unit_test(test_numbers),
	};

	buffer_init(&out);
	buffer_append(&out, "abc", 3);

	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	buffer_finish(&out);
	return failed;
}
