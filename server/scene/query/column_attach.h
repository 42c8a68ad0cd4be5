/* column_attach: makes a column of a protobuf-c message point at values of our own, without a copy.
 *
 * Any thread. The columns must outlive the message's use. */
#ifndef COLLIDED_SCENE_QUERY_COLUMN_ATTACH_H
#define COLLIDED_SCENE_QUERY_COLUMN_ATTACH_H

#include "wire/wire.h"

/* protobuf-c has no const for what it only reads, and a struct of pointers and counts: by number, set from its descriptor. */
static inline void
column_attach(ProtobufCMessage *message, unsigned field_number, const void *values, size_t count)
{
	const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(message->descriptor, field_number);
	char *base = (char *)message;

	*(size_t *)(void *)(base + field->quantifier_offset) = count;
	*(const void **)(void *)(base + field->offset) = values;
}

#endif
