/* commands_peek: what the loop must know of a batch of commands before a worker unpacks it: the numbers in front.
 *
 * Any thread; allocates nothing; the bytes are borrowed. O(number of the batch's top-level fields): columns are skipped whole.
 */
#ifndef COLLIDED_WIRE_COMMANDS_PEEK_H
#define COLLIDED_WIRE_COMMANDS_PEEK_H

#include "wire/wire.h"

struct commands_peek {
	uint32_t handle;
	uint64_t sequence, tick, acked;
	const uint8_t *bytes; /* of the serialized Commands */
	size_t count;
};

/* Of a ClientMessage that holds a Commands. false: it is malformed. */
bool wire_commands_peek(const uint8_t *bytes, size_t count, struct commands_peek *out);

/* Of one that holds a ManyCommands: its batches, one after the other. */
struct many_commands {
	const uint8_t *at, *end;
	bool malformed;
};
bool wire_many_commands_begin(const uint8_t *bytes, size_t count, struct many_commands *out);
/* false: there are no more, or what follows is malformed. */
bool wire_many_commands_next(struct many_commands *many, struct commands_peek *out);

#endif
