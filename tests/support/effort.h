/* effort: how much a test tries. A unit run is quick. With COLLIDED_TESTS_FULL in the environment, as the property tests full_*
 * have it, all is tried that the promise is about. */
#ifndef COLLIDED_TESTS_SUPPORT_EFFORT_H
#define COLLIDED_TESTS_SUPPORT_EFFORT_H

#include <stddef.h>
#include <stdlib.h>

static inline size_t
effort(size_t quick, size_t full)
{
	return getenv("COLLIDED_TESTS_FULL") ? full : quick;
}

#endif
