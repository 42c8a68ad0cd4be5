#include "client/cli/run/row_table.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_FIRST = 64 };

void
row_table_finish(struct row_table *table)
{
	for (size_t i = 0; i < FRAME_COLUMNS_MAX; i++)
		free(table->columns[i]);
	*table = (struct row_table){ 0 };
}

static size_t
value_bytes(const ProtobufCFieldDescriptor *field)
{
	switch (field->type) {
	case PROTOBUF_C_TYPE_FIXED32:
	case PROTOBUF_C_TYPE_UINT32:
	case PROTOBUF_C_TYPE_ENUM: return 4;
	default: return 8;
	}
}

static bool
table_reserve(struct row_table *table, const ProtobufCMessageDescriptor *type, size_t rows)
{
	if (table->capacity - table->count >= rows)
		return true;
	size_t capacity = 2 * table->capacity > table->count + rows ? 2 * table->capacity : table->count + rows;
	capacity = capacity < ROWS_FIRST ? ROWS_FIRST : capacity;
	for (unsigned i = 0; i < type->n_fields; i++) {
		if (!table->columns[i])
			continue;
		void *grown = realloc(table->columns[i], capacity * value_bytes(&type->fields[i]));
		if (!grown)
			return false; /* columns that have grown already are merely longer than needed */
		table->columns[i] = grown;
	}
	table->capacity = capacity;
	return true;
}

/* Columns that come for the first time, and those that no row has any more. */
static bool
columns_follow(struct row_table *table, const ProtobufCMessageDescriptor *type, const void *const *columns)
{
	for (unsigned i = 0; i < type->n_fields; i++) {
		if (columns[i] && !table->columns[i]) {
			table->columns[i] = calloc(table->capacity, value_bytes(&type->fields[i]));
			if (!table->columns[i])
				return false;
		} else if (!columns[i] && table->count == 0) {
			free(table->columns[i]);
			table->columns[i] = NULL;
		}
	}
	return true;
}

bool
row_table_add(struct row_table *table, const ProtobufCMessageDescriptor *type, const void *const *columns, size_t rows)
{
	assert(type->n_fields <= FRAME_COLUMNS_MAX);
	if (rows == 0)
		return true;
	if (!table_reserve(table, type, rows) || !columns_follow(table, type, columns))
		return false;
	for (unsigned i = 0; i < type->n_fields; i++) {
		size_t bytes = value_bytes(&type->fields[i]);
		if (columns[i])
			memcpy((char *)table->columns[i] + table->count * bytes, columns[i], rows * bytes);
		else if (table->columns[i])
			memset((char *)table->columns[i] + table->count * bytes, 0, rows * bytes);
	}
	table->count += rows;
	return true;
}

void
frame_columns_set(ProtobufCMessage *message, const void *const *columns, size_t rows)
{
	const ProtobufCMessageDescriptor *type = message->descriptor;
	for (unsigned i = 0; i < type->n_fields; i++) {
		if (!columns[i])
			continue;
		memcpy((char *)message + type->fields[i].offset, &columns[i], sizeof(void *));
		memcpy((char *)message + type->fields[i].quantifier_offset, &rows, sizeof rows);
	}
}
