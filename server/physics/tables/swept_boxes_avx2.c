/* Tests boxes with AVX2, all four sides at once. */
#include "physics/tables/swept_boxes_search.h"

#ifdef SWEPT_BOXES_AVX2

#include <immintrin.h>

__attribute__((target("avx2"), always_inline)) static inline size_t
range_search(const double *boxes, uint32_t slot, uint32_t first, uint32_t end, struct swept_box_pair *found, size_t count)
{
	/* The slot's own box, with its right and upper sides first. */
	__m256d box = _mm256_permute4x64_pd(_mm256_load_pd(boxes + 4 * (size_t)slot), _MM_SHUFFLE(1, 0, 3, 2));

	for (uint32_t k = first; k < end; k++) {
		__m256d sums = _mm256_add_pd(_mm256_load_pd(boxes + 4 * (size_t)k), box);

		found[count] = (struct swept_box_pair){ slot, k };
		count += _mm256_movemask_pd(_mm256_cmp_pd(sums, _mm256_setzero_pd(), _CMP_GT_OQ)) == 0;
	}
	return count;
}

__attribute__((target("avx2"))) static size_t
search_wide(const struct swept_boxes *swept_boxes, uint32_t slot, uint32_t first, uint32_t end, struct swept_box_pair *found)
{
	return range_search(swept_boxes->boxes, slot, first, end, found, 0);
}

__attribute__((target("avx2"))) static size_t
row_wide(const struct swept_boxes *swept_boxes, const struct grid_level *level, uint32_t row, uint32_t *slot,
         struct swept_box_pair *found)
{
	return swept_boxes_row_loop(swept_boxes, level, row, slot, found, range_search);
}

const struct swept_boxes_kernels swept_boxes_avx2 = { search_wide, row_wide };

#endif
