/* long_requests: a request of each kind that makes a worker compute for long, of any size. */
#ifndef COLLIDED_TESTS_SESSION_LONG_REQUESTS_H
#define COLLIDED_TESTS_SESSION_LONG_REQUESTS_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stdint.h>

struct long_request {
	const char *name;
	uint32_t large, small; /* sizes: of the full form, and of one that a sanitizer does in some 10 ms */
	uint32_t kind;
	bool slow; /* even when small: not in the unit run */
};

/* Ends with a NULL name. */
extern const struct long_request long_requests[];

/* Appends the framed message of that size. */
void long_request_pack(struct buffer *out, const struct long_request *request, uint64_t id, uint32_t size,
                       uint32_t deadline_ms);

#endif
