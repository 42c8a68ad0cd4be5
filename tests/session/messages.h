/* messages: what a client of collide.v1 says, framed, for tests of both sides of the socket. Appends to the buffer. */
#ifndef COLLIDED_TESTS_SESSION_MESSAGES_H
#define COLLIDED_TESTS_SESSION_MESSAGES_H

#include "base/buffer.h"

#include "collide/v1/collide.pb-c.h"

#include <stdint.h>

void pack_message(struct buffer *out, const Collide__V1__ClientMessage *message);
void pack_hello(struct buffer *out, uint64_t id, uint32_t version_min, uint32_t version_max);
void pack_ping(struct buffer *out, uint64_t id, const char *payload);
void pack_cancel(struct buffer *out, uint64_t id, uint64_t target);
void pack_describe(struct buffer *out, uint64_t id);
/* `count` circles flying apart, stepped `ticks` times, a frame each. */
void pack_simulate(struct buffer *out, uint64_t id, uint32_t count, uint64_t ticks, uint32_t deadline_ms);
/* The same with a frame only after every `every`-th tick, so that a worker is busy and nothing waits for the reader. */
void pack_simulate_every(struct buffer *out, uint64_t id, uint32_t count, uint64_t ticks, uint64_t every);

#endif
