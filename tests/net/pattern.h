/* pattern: the bytes of every long stream in the tests of net/. */
#ifndef COLLIDED_TESTS_NET_PATTERN_H
#define COLLIDED_TESTS_NET_PATTERN_H

#include "base/shared_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static inline uint8_t
pattern(size_t i)
{
	return (uint8_t)(i * 31 + (i >> 10));
}

/* The first `count` bytes as two bodies, the first of which is small, as an envelope is. */
static inline void
pattern_bodies(struct shared_bytes *bodies[static 2], size_t count)
{
	size_t begin = 0, ends[2] = { count < 7 ? count : 7, count };
	for (size_t i = 0; i < 2; begin = ends[i++]) {
		uint8_t *bytes = malloc(count);
		assert_non_null(bytes);
		for (size_t at = begin; at < ends[i]; at++)
			bytes[at - begin] = pattern(at);
		bodies[i] = shared_bytes_create(bytes, ends[i] - begin);
		assert_non_null(bodies[i]);
	}
}

#endif
