/* shared_bytes: bytes that do not change any more and that several hold: one message on its way to many, say.
 *
 * Any thread, each with a hold of its own. The last release frees it. */
#ifndef COLLIDED_BASE_SHARED_BYTES_H
#define COLLIDED_BASE_SHARED_BYTES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct shared_bytes {
	/* Immutable. */
	const uint8_t *bytes;
	size_t count;
	void *owned; /* `bytes`, to be freed; NULL: nothing is freed, not the block either */

	/* Any thread. */
	atomic_size_t holders;
};

/* Takes the bytes (freed with free()), for one holder. NULL without memory; the bytes are the caller's still. */
struct shared_bytes *shared_bytes_create(uint8_t *bytes, size_t count);
/* In the caller's memory, of bytes that outlive it. Its maker is one of the holders, and the last. */
void shared_bytes_init(struct shared_bytes *block, const uint8_t *bytes, size_t count);
/* One holder more; returns the block. */
struct shared_bytes *shared_bytes_hold(struct shared_bytes *block);
/* One less. NULL is fine. */
void shared_bytes_release(struct shared_bytes *block);

#endif
