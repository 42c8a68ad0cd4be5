#include "wire/commands_peek.h"

#include "wire/reader.h"

/* Fields of Commands and ManyCommands. */
enum { FIELD_HANDLE = 1, FIELD_SEQUENCE = 2, FIELD_TICK = 3, FIELD_ACKED = 4, FIELD_BATCHES = 1 };

static bool
field_next(struct reader *reader, struct wire_field *field)
{
	return !reader_tag(reader, &field->number, &field->type) && !reader_value(reader, field);
}

/* The bytes of the request of that field in a ClientMessage. */
static bool
request_find(const uint8_t *bytes, size_t count, uint32_t number, struct reader *out)
{
	struct reader reader = reader_of(bytes, count);
	bool found = false;
	while (!reader_at_end(&reader)) {
		struct wire_field field;
		if (!field_next(&reader, &field))
			return false;
		if (field.number != number)
			continue;
		if (field.type != WIRE_BYTES || found)
			return false;
		*out = field.value;
		found = true;
	}
	return found;
}

/* Whatever is wrong beyond these numbers is found by the worker that unpacks it. */
static bool
commands_peek(struct reader reader, struct commands_peek *out)
{
	*out = (struct commands_peek){ .bytes = reader.at, .count = reader_left(&reader) };
	while (!reader_at_end(&reader)) {
		struct wire_field field;
		if (!field_next(&reader, &field))
			return false;
		if (field.number > FIELD_ACKED)
			continue;
		if (field.type != WIRE_VARINT || (field.number == FIELD_HANDLE && field.varint > UINT32_MAX))
			return false;
		switch (field.number) {
		case FIELD_HANDLE: out->handle = (uint32_t)field.varint; break;
		case FIELD_SEQUENCE: out->sequence = field.varint; break;
		case FIELD_TICK: out->tick = field.varint; break;
		case FIELD_ACKED: out->acked = field.varint; break;
		default: break;
		}
	}
	return true;
}

bool
wire_commands_peek(const uint8_t *bytes, size_t count, struct commands_peek *out)
{
	struct reader reader = { 0 };
	return request_find(bytes, count, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_COMMANDS, &reader) && commands_peek(reader, out);
}

bool
wire_many_commands_begin(const uint8_t *bytes, size_t count, struct many_commands *out)
{
	struct reader reader = { 0 };
	if (!request_find(bytes, count, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_MANY_COMMANDS, &reader))
		return false;
	*out = (struct many_commands){ .at = reader.at, .end = reader.end };
	return true;
}

bool
wire_many_commands_next(struct many_commands *many, struct commands_peek *out)
{
	struct reader reader = { many->at, many->end };
	struct wire_field field = { 0 };
	if (reader_at_end(&reader))
		return false;
	if (!field_next(&reader, &field) || field.number != FIELD_BATCHES || field.type != WIRE_BYTES ||
	    !commands_peek(field.value, out)) {
		many->malformed = true;
		return false;
	}
	many->at = reader.at;
	return true;
}
