#include "base/body.h"

#include "base/check.h"

#include <stdlib.h>

void
body_init(struct body *body, const uint8_t *bytes, size_t count)
{
	body->bytes = bytes;
	body->count = count;
	body->owned = NULL;
	atomic_init(&body->holders, 1);
}

struct body *
body_create(uint8_t *bytes, size_t count)
{
	struct body *body = malloc(sizeof *body);
	if (body) {
		body_init(body, bytes, count);
		body->owned = bytes;
	}
	return body;
}

struct body *
body_hold(struct body *body)
{
	CHECK(atomic_fetch_add_explicit(&body->holders, 1, memory_order_relaxed) > 0);
	return body;
}

void
body_release(struct body *body)
{
	if (!body)
		return;
	size_t before = atomic_fetch_sub_explicit(&body->holders, 1, memory_order_acq_rel);
	CHECK(before > 0);
	if (before == 1 && body->owned) {
		free(body->owned);
		free(body);
	}
}
