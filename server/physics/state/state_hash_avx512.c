/* Eight bodies at once with AVX-512, which has 64-bit multiplication. */
#include "physics/state/state_hash.h"
#include "physics/world/world.h"

#ifdef HASH_WIDE

#include <assert.h>
#include <immintrin.h>
#include <stddef.h>

#define WIDE __attribute__((target("avx512f,avx512dq")))
#define KERNEL __attribute__((target("avx512f,avx512dq"), always_inline)) static inline

struct hash_columns {
	__m512i x, y, vx, vy;
};

static_assert(offsetof(struct body, y) == offsetof(struct body, x) + sizeof(double) &&
                  offsetof(struct body, vx) == offsetof(struct body, y) + sizeof(double) &&
                  offsetof(struct body, vy) == offsetof(struct body, vx) + sizeof(double),
              "they are loaded at once");

/* One body in the lower half and another in the upper. */
KERNEL __m512i
halves_load(const struct body *lower, const struct body *upper)
{
	__m512i both = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(const void *)&lower->x));

	return _mm512_inserti64x4(both, _mm256_loadu_si256((const __m256i *)(const void *)&upper->x), 1);
}

KERNEL struct hash_columns
columns_load(const struct body *bodies)
{
	__m512i even = halves_load(&bodies[0], &bodies[2]), odd = halves_load(&bodies[1], &bodies[3]);
	__m512i later_even = halves_load(&bodies[4], &bodies[6]), later_odd = halves_load(&bodies[5], &bodies[7]);
	__m512i first = _mm512_unpacklo_epi64(even, odd), second = _mm512_unpackhi_epi64(even, odd);
	__m512i later_first = _mm512_unpacklo_epi64(later_even, later_odd);
	__m512i later_second = _mm512_unpackhi_epi64(later_even, later_odd);

	return (struct hash_columns){
		.x = _mm512_shuffle_i64x2(first, later_first, _MM_SHUFFLE(2, 0, 2, 0)),
		.y = _mm512_shuffle_i64x2(second, later_second, _MM_SHUFFLE(2, 0, 2, 0)),
		.vx = _mm512_shuffle_i64x2(first, later_first, _MM_SHUFFLE(3, 1, 3, 1)),
		.vy = _mm512_shuffle_i64x2(second, later_second, _MM_SHUFFLE(3, 1, 3, 1)),
	};
}

KERNEL __m512i
all(uint64_t bits)
{
	return _mm512_set1_epi64((long long)bits);
}

KERNEL __m512i
wide_mix(__m512i bits)
{
	bits = _mm512_mullo_epi64(_mm512_xor_si512(bits, _mm512_srli_epi64(bits, 30)), all(HASH_MIX_FIRST));
	bits = _mm512_mullo_epi64(_mm512_xor_si512(bits, _mm512_srli_epi64(bits, 27)), all(HASH_MIX_SECOND));
	return _mm512_xor_si512(bits, _mm512_srli_epi64(bits, 31));
}

KERNEL __m512i
wide_add(__m512i hashes, __m512i values)
{
	return _mm512_add_epi64(wide_mix(_mm512_xor_si512(hashes, values)), all(HASH_STEP));
}

/* _mm512_reduce_add_epi64 adds them as signed numbers, which may overflow. An array for them on the stack makes gcc 12 with
 * AddressSanitizer misalign the whole frame. */
KERNEL uint64_t
lanes_add(__m512i values)
{
	__m256i four = _mm256_add_epi64(_mm512_castsi512_si256(values), _mm512_extracti64x4_epi64(values, 1));
	__m128i pair = _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));

	return (uint64_t)_mm_cvtsi128_si64(pair) + (uint64_t)_mm_extract_epi64(pair, 1);
}

WIDE static uint64_t
sum_wide(const struct body *bodies, const uint32_t *ids, uint32_t count)
{
	__m512i sum = _mm512_setzero_si512();

	for (uint32_t i = 0; i < count; i += HASH_GROUP) {
		__m512i own = _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)(const void *)(ids + i)));
		__m512i hashes = wide_mix(_mm512_add_epi64(own, all(HASH_ID)));
		struct hash_columns columns = columns_load(bodies + i);

		hashes = wide_add(wide_add(hashes, columns.x), columns.y);
		hashes = wide_add(wide_add(hashes, columns.vx), columns.vy);
		sum = _mm512_add_epi64(sum, wide_mix(hashes));
	}
	return lanes_add(sum);
}

const struct hash_way hash_wide = { sum_wide };

#endif
