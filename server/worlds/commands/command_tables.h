/* command_tables: the tables of a Commands message, each a list of rows, with the lengths of their columns checked.
 *
 * Any thread; borrows the message. Columns have one element a row, one for all, or none; ids one a row. */
#ifndef COLLIDED_WORLDS_COMMANDS_COMMAND_TABLES_H
#define COLLIDED_WORLDS_COMMANDS_COMMAND_TABLES_H

#include "physics/physics.h"
#include "wire/wire.h"

enum command_table {
	COMMAND_SPAWN,
	COMMAND_REMOVE,
	COMMAND_VELOCITIES,
	COMMAND_ADD_VELOCITIES,
	COMMAND_PLACES,
	COMMAND_PUSHES,
	COMMAND_CHANGES,
	COMMAND_SPAWN_SEGMENTS,
	COMMAND_REMOVE_SEGMENTS,
	COMMAND_ENABLE_SEGMENTS,
	COMMAND_DISABLE_SEGMENTS,
	COMMAND_EXPLOSIONS,
	COMMAND_GRAVITY,
	COMMAND_GIVE,
	COMMAND_TABLES,
};

/* Columns of doubles of one table, but for CircleColumns and SegmentColumns. PushColumns has the most. */
#define COMMAND_COLUMNS_MAX 5

struct command_column {
	const char *name;
	size_t count; /* 0, 1 or one a row */
	const double *values;
};

struct command_rows {
	size_t rows;
	const uint32_t *ids; /* of each row; NULL: of explosions and gravity, which have none */
	size_t column_count;
	struct command_column columns[COMMAND_COLUMNS_MAX];
};

struct command_tables {
	const Collide__V1__Commands *message;
	struct command_rows of[COMMAND_TABLES];
	size_t rows; /* of all */
};

/* INVALID_ARGUMENT (BAD_FIELD) or, with more rows than rows_max in all, RESOURCE_EXHAUSTED (LIMIT). */
STATUS_MUST_USE enum status command_tables_read(const Collide__V1__Commands *message, uint32_t rows_max,
                                                struct command_tables *out, struct wire_problem *problem);
/* The value of a row. */
double command_value(const struct command_column *column, size_t row);
/* Fills in *problem: about the column of that name ("" or one that the table lacks: the ids) in a row of a table. Returns the
 * status. */
enum status command_problem(const struct command_tables *tables, enum command_table table, size_t row, const char *name,
                            enum status status, const char *reason, const char *text, struct wire_problem *problem);

#endif
