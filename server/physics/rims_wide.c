/* rims_meet, four slots at a time. */
#include "physics/rims.h"

#ifdef RIMS_WIDE

#include <immintrin.h>

/* Which of the four slots from `first` on meet the box whose sides are given: a bit for each. */
__attribute__((target("avx2"))) static inline unsigned
four_meet(const struct rims *rims, uint32_t first, __m256d left, __m256d low, __m256d right, __m256d high)
{
	__m256d x0 = _mm256_add_pd(_mm256_loadu_pd(rims->x0 + first), right);
	__m256d x1 = _mm256_add_pd(_mm256_loadu_pd(rims->x1 + first), left);
	__m256d y0 = _mm256_add_pd(_mm256_loadu_pd(rims->y0 + first), high);
	__m256d y1 = _mm256_add_pd(_mm256_loadu_pd(rims->y1 + first), low);
	__m256d apart = _mm256_max_pd(_mm256_max_pd(x0, x1), _mm256_max_pd(y0, y1));

	return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(apart, _mm256_setzero_pd(), _CMP_NGT_UQ));
}

__attribute__((target("avx2"))) size_t
rims_meet_wide(const struct rims *rims, uint32_t slot, uint32_t first, uint32_t end, uint32_t *found)
{
	__m256d left = _mm256_set1_pd(rims->x0[slot]), low = _mm256_set1_pd(rims->y0[slot]);
	__m256d right = _mm256_set1_pd(rims->x1[slot]), high = _mm256_set1_pd(rims->y1[slot]);
	size_t count = 0;

	for (; first < end; first += RIMS_LANES) {
		unsigned bits = four_meet(rims, first, left, low, right, high);

		if (end - first < RIMS_LANES)
			bits &= (1u << (end - first)) - 1;
		for (; bits != 0; bits &= bits - 1)
			found[count++] = first + (uint32_t)__builtin_ctz(bits);
	}
	return count;
}

#else

size_t
rims_meet_wide(const struct rims *rims, uint32_t slot, uint32_t first, uint32_t end, uint32_t *found)
{
	return rims_meet(rims, slot, first, end, found);
}

#endif
