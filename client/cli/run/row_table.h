/* row_table: rows of several ticks in the columns of one message, such as ContactColumns.
 *
 * One thread at a time. Owns its columns; the message points into them. */
#ifndef COLLIDE_CLI_ROW_TABLE_H
#define COLLIDE_CLI_ROW_TABLE_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>

/* Columns of ContactColumns, which has most. */
enum { FRAME_COLUMNS_MAX = 25 };

struct row_table {
	size_t count, capacity; /* rows */
	void *columns[FRAME_COLUMNS_MAX];
};

void row_table_finish(struct row_table *table);
/* Adds `rows` rows. `columns` are in the order of the message's fields, as in the structs of collide_frame.h. One that is NULL
 * is 0 in these rows; the table has none where it is so in all. false: no memory, and nothing was added. */
bool row_table_add(struct row_table *table, const ProtobufCMessageDescriptor *type, const void *const *columns, size_t rows);
/* Points the message's fields at `rows` rows of columns; those that are NULL are left empty. The message is initialized. */
void frame_columns_set(ProtobufCMessage *message, const void *const *columns, size_t rows);

#endif
