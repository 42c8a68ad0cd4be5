/* Which neighbours come near, four at once: compiled for any CPU, and for AVX2, which holds four in a register. Most do not,
 * and which do cannot be predicted, so the loops have no branch. What can go wrong: nothing. */
#include "physics/prediction/neighbours.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define NEIGHBOURS_WIDE
#include <immintrin.h>
#endif

#define LANES 4u
static_assert(NEIGHBOURS_MAX % LANES == 0, "the last ones are looked at together with places behind them");

typedef double four __attribute__((vector_size(32)));
typedef int64_t four_mask __attribute__((vector_size(32)));
typedef uint32_t four_cells __attribute__((vector_size(16)));

/* A bit for each lane that is set. */
typedef uint64_t mask_bits_fn(const four_mask *mask);

/* Of four neighbours. */
__attribute__((always_inline)) static inline void
four_near(const struct neighbours *all, size_t n, const struct neighbours_asker *asker, bool alike, four_mask *near)
{
	const struct body_place *here = asker->here;
	const four_mask sign = (four_mask){ 0 } + INT64_MAX;
	four_cells cell;
	four x, y, vx, vy, ax, ay, radii;

	memcpy(&cell, all->cell + n, sizeof cell);
	memcpy(&x, all->x + n, sizeof x);
	memcpy(&y, all->y + n, sizeof y);
	memcpy(&vx, all->vx + n, sizeof vx);
	memcpy(&vy, all->vy + n, sizeof vy);
	memcpy(&radii, all->reach + n, sizeof radii);

	four dx = here->position[0] - x, dy = here->position[1] - y, wx = here->velocity[0] - vx, wy = here->velocity[1] - vy;
	four R = asker->reach + radii, apart = dx * dx + dy * dy;
	/* On straight paths: the square of the distance at which they pass, and of the distance to which they must come, both times
	 * the square of their speed. The addition to the second covers the rounding of the first. Where squares underflow, nothing
	 * counts as passing. */
	four square = 1.0015 * (R * R), cross = dx * wy - dy * wx, touch = (wx * wx + wy * wy) * (square + 2e-28 * apart);
	four_mask parts = ~(dx * wx + dy * wy < 0.0) & (apart > square);
	four_mask passes = (touch > 1e-280) & (cross * cross > touch);
	four_mask around = __builtin_convertvector((cell & asker->around) != 0, four_mask);

	if (alike) {
		*near = around & ~(parts | passes);
		return;
	}
	memcpy(&ax, all->ax + n, sizeof ax);
	memcpy(&ay, all->ay + n, sizeof ay);

	four bend = (four)((four_mask)(asker->path->ax - ax) & sign) + (four)((four_mask)(asker->path->ay - ay) & sign);
	four speed = (four)((four_mask)wx & sign) + (four)((four_mask)wy & sign);
	four far = 1.0001 * (R + asker->left * (speed + asker->left * bend));

	*near = around & ~((apart > far * far) | ((bend == 0.0) & (parts | passes)));
}

__attribute__((always_inline)) static inline uint64_t
near_loop(const struct neighbours *all, const struct neighbours_asker *asker, bool alike, mask_bits_fn *bits)
{
	uint64_t found = 0;

	for (size_t n = 0; n < all->count; n += LANES) {
		four_mask near;

		four_near(all, n, asker, alike, &near);
		found |= bits(&near) << n;
	}
	/* Behind the last there may be anything. */
	return found & (all->count < NEIGHBOURS_MAX ? (UINT64_C(1) << all->count) - 1 : UINT64_MAX);
}

/* Each of the two is a loop of its own. */
__attribute__((always_inline)) static inline uint64_t
near_find(const struct neighbours *all, const struct neighbours_asker *asker, mask_bits_fn *bits)
{
	return asker->alike ? near_loop(all, asker, true, bits) : near_loop(all, asker, false, bits);
}

__attribute__((always_inline)) static inline uint64_t
bits_plain(const four_mask *mask)
{
	return (uint64_t)(((*mask)[0] & 1) | ((*mask)[1] & 2) | ((*mask)[2] & 4) | ((*mask)[3] & 8));
}

static uint64_t
near_plain(const struct neighbours *all, const struct neighbours_asker *asker)
{
	return near_find(all, asker, bits_plain);
}

#ifdef NEIGHBOURS_WIDE
__attribute__((target("avx2"), always_inline)) static inline uint64_t
bits_wide(const four_mask *mask)
{
	return (uint64_t)_mm256_movemask_pd((__m256d)*mask);
}

__attribute__((target("avx2"))) static uint64_t
near_wide(const struct neighbours *all, const struct neighbours_asker *asker)
{
	return near_find(all, asker, bits_wide);
}
#endif

uint64_t
neighbours_near(const struct neighbours *all, const struct neighbours_asker *asker)
{
#ifdef NEIGHBOURS_WIDE
	if (__builtin_cpu_supports("avx2"))
		return near_wide(all, asker);
#endif
	return near_plain(all, asker);
}
