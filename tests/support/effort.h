/* effort: how much a test tries. A unit run is quick. With COLLIDED_TESTS_FULL in the environment, as the property tests full_*
 * have it, all is tried that the promise is about. Of random rounds that is a part; TESTS_STRESS, which `./dev test --stress`
 * sets, has them try more. */
#ifndef COLLIDED_TESTS_SUPPORT_EFFORT_H
#define COLLIDED_TESTS_SUPPORT_EFFORT_H

#include <stddef.h>
#include <stdlib.h>

static inline size_t
effort(size_t quick, size_t full)
{
	return getenv("COLLIDED_TESTS_FULL") ? full : quick;
}

static inline size_t
effort_most(size_t quick, size_t full, size_t most)
{
	return effort(quick, getenv("TESTS_STRESS") ? most : full);
}

#endif
