/* eight: eight bytes at once, each of another body. Pure. */
#ifndef COLLIDED_MATH_DOUBLE8_H
#define COLLIDED_MATH_DOUBLE8_H

#include <stdint.h>

/* The top bit of each of eight bytes that is 0. */
static inline uint64_t
zeros_of(uint64_t eight)
{
	const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);

	return ~(((eight & low) + low) | eight | low);
}

/* The top bits of eight bytes as eight bits, the lowest for the first byte in memory. */
static inline uint64_t
tops_of(uint64_t eight)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	eight = __builtin_bswap64(eight);
#endif
	return (eight >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

#endif
