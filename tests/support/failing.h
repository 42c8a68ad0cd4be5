/* failing: allocations of base/memory.h that fail on demand, in a program that collided_failing (tests/CMakeLists.txt) names.
 *
 * One thread. */
#ifndef COLLIDED_TESTS_SUPPORT_FAILING_H
#define COLLIDED_TESTS_SUPPORT_FAILING_H

#include <stdbool.h>
#include <stddef.h>

/* From this one on so many fail, of those counted by `allocations`. 0: none. */
extern size_t fail_from, fail_count, allocations;
/* What the test itself allocates in between: that does not fail, and is not counted. */
extern bool fail_paused;

#endif
