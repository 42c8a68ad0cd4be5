/* alike: elements of a repeated field that differ from the one before them only in their doubles. Most circles of a scene do,
 * and what was found of the first then holds for all.
 *
 * Any thread; reads the caller's bytes in place. */
#ifndef COLLIDED_WIRE_ALIKE_H
#define COLLIDED_WIRE_ALIKE_H

#include "wire/fields.h"

/* Elements of a repeated field behind one of it, each with as many bytes, and the same tag and length in front. */
struct alike {
	const uint8_t *before; /* the element before, from its tag on */
	size_t bytes;          /* of an element, that too */
	size_t head;           /* bytes of the tag and length */
};

/* Whether such may follow the one of the field that begins at `before` and ends at `at`. */
static inline bool
alike_begin(struct alike *alike, const ProtobufCFieldDescriptor *field, const uint8_t *before, const uint8_t *at,
            const uint8_t *end)
{
	struct reader head = { .at = before, .end = at };
	uint32_t number;
	enum wire_type type;
	uint64_t count;

	/* One look at the tag of what follows spares most fields the rest. */
	if (field->label != PROTOBUF_C_LABEL_REPEATED || field->type != PROTOBUF_C_TYPE_MESSAGE || at == end || *at != *before)
		return false;
	if (reader_tag(&head, &number, &type) || reader_varint(&head, &count))
		return false;
	*alike = (struct alike){ before, (size_t)(at - before), (size_t)(head.at - before) };
	return true;
}

/* Whether the next element, which is behind the one before, has that tag and length, and is all there. */
static inline bool
alike_has_next(const struct alike *alike, const uint8_t *end)
{
	const uint8_t *before = alike->before, *next = before + alike->bytes;

	if ((size_t)(end - next) < alike->bytes)
		return false;
	for (size_t i = 0; i < alike->head; i++)
		if (before[i] != next[i])
			return false;
	return true;
}

/* Whether an element is nothing but singular doubles behind tags of one byte. */
static inline bool
alike_is_doubles(const struct alike *alike, const ProtobufCMessageDescriptor *message)
{
	const uint8_t *at = alike->before + alike->head, *end = alike->before + alike->bytes;

	while (wire_double_next(message, at, end))
		at += READER_DOUBLE_BYTES;
	return at == end;
}

/* Elements that are looked at between two questions (base/pause.h). */
#define ALIKE_AT_ONCE 16u

/* How many of `count` elements, which are all there, have that byte as the one before has it, up to the first that has not. */
static inline size_t
alike_count_byte(const struct alike *alike, size_t at, size_t count)
{
	const uint8_t byte = alike->before[at], *next = alike->before + at;

	for (size_t i = 0; i < count; i++)
		if (*(next += alike->bytes) != byte)
			return i;
	return count;
}

/* How many elements follow, at most ALIKE_AT_ONCE and `most`, that are of the same doubles as the one before, which is of
 * doubles. One byte of all of them after the other: such short loops are quicker than one over the bytes of each. */
static inline size_t
alike_count_same(const struct alike *alike, const uint8_t *end, size_t most)
{
	size_t left = (size_t)(end - alike->before) / alike->bytes - 1;
	size_t count = most < ALIKE_AT_ONCE ? most : ALIKE_AT_ONCE;

	count = left < count ? left : count;
	for (size_t i = 0; i < alike->head; i++)
		count = alike_count_byte(alike, i, count);
	for (size_t i = alike->head; i < alike->bytes; i += READER_DOUBLE_BYTES)
		count = alike_count_byte(alike, i, count);
	return count;
}

#endif
