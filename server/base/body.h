/* body: bytes that do not change any more and that several hold: one message on its way to many, say.
 *
 * Any thread, each with a hold of its own. The last release frees it. */
#ifndef COLLIDED_BASE_BODY_H
#define COLLIDED_BASE_BODY_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct body {
	/* Immutable. */
	const uint8_t *bytes;
	size_t count;
	void *owned; /* `bytes`, to be freed; NULL: nothing is freed, not the body either */

	/* Any thread. */
	atomic_size_t holders;
};

/* Takes the bytes (freed with free()), for one holder. NULL without memory; the bytes are the caller's still. */
struct body *body_create(uint8_t *bytes, size_t count);
/* In the caller's memory, of bytes that outlive it. Its maker is one of the holders, and the last. */
void body_init(struct body *body, const uint8_t *bytes, size_t count);
/* One holder more; returns the body. */
struct body *body_hold(struct body *body);
/* One less. NULL is fine. */
void body_release(struct body *body);

#endif
