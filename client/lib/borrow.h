/* borrow: the caller's columns inside messages that are only packed.
 *
 * Any thread; owns nothing. */
#ifndef COLLIDE_CLIENT_LIB_BORROW_H
#define COLLIDE_CLIENT_LIB_BORROW_H

#include "client/lib/collide.h"
#include "collide/v1/collide.pb-c.h"

#include <string.h>

/* protobuf-c's structs have plain pointers, although packing only reads. The cast through an integer marks this as
 * deliberate. */
static inline double *
doubles_borrow(const struct collide_doubles *column, size_t *count)
{
	*count = column->count;
	return (double *)(uintptr_t)column->values;
}

static inline uint32_t *
uint32s_borrow(const struct collide_uint32s *column, size_t *count)
{
	*count = column->count;
	return (uint32_t *)(uintptr_t)column->values;
}

static inline uint64_t *
uint64s_borrow(const struct collide_uint64s *column, size_t *count)
{
	*count = column->count;
	return (uint64_t *)(uintptr_t)column->values;
}

static inline int32_t *
int32s_borrow(const struct collide_int32s *column, size_t *count)
{
	*count = column->count;
	return (int32_t *)(uintptr_t)column->values;
}

static inline char *
text_borrow(const char *text)
{
	return (char *)(uintptr_t)(text ? text : protobuf_c_empty_string);
}

static inline ProtobufCBinaryData
bytes_borrow(const void *bytes, size_t count)
{
	return (ProtobufCBinaryData){ bytes ? count : 0, (uint8_t *)(uintptr_t)bytes };
}

/* A column with a count but no pointer would be read out of bounds. */
static inline bool
columns_are_there(const ProtobufCMessage *message)
{
	const ProtobufCMessageDescriptor *descriptor = message->descriptor;
	for (unsigned i = 0; i < descriptor->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &descriptor->fields[i];
		if (field->label != PROTOBUF_C_LABEL_REPEATED)
			continue;
		size_t count;
		const void *values;
		memcpy(&count, (const char *)message + field->quantifier_offset, sizeof count);
		memcpy(&values, (const char *)message + field->offset, sizeof values);
		if (count > 0 && !values)
			return false;
	}
	return true;
}

#endif
