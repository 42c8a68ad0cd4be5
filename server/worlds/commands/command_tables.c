#include "worlds/commands/command_tables.h"

#include "scene/fields/columns.h"
#include "scene/fields/field_path.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const table_names[COMMAND_TABLES] = {
	[COMMAND_SPAWN] = "spawn",
	[COMMAND_REMOVE] = "remove",
	[COMMAND_VELOCITIES] = "velocities",
	[COMMAND_ADD_VELOCITIES] = "add_velocities",
	[COMMAND_PLACES] = "places",
	[COMMAND_PUSHES] = "pushes",
	[COMMAND_CHANGES] = "changes",
	[COMMAND_SPAWN_SEGMENTS] = "spawn_segments",
	[COMMAND_REMOVE_SEGMENTS] = "remove_segments",
	[COMMAND_ENABLE_SEGMENTS] = "enable_segments",
	[COMMAND_DISABLE_SEGMENTS] = "disable_segments",
	[COMMAND_EXPLOSIONS] = "explosions",
	[COMMAND_GRAVITY] = "gravity",
	[COMMAND_GIVE] = "give",
};

static enum status
place_problem(struct wire_problem *problem, const char *list, const char *name, const char *text)
{
	struct path_place place = { .path = "commands", .list = list, .name = name, .by_column = true, .index = PATH_NO_INDEX };

	return path_problem(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", place, text);
}

/* Whether a column's length fits the rows. */
static enum status
length_check(enum command_table table, const char *name, size_t count, size_t rows, bool one_for_all,
             struct wire_problem *problem)
{
	char text[sizeof problem->text];

	if (count == 0 || count == rows || (count == 1 && one_for_all))
		return STATUS_OK;
	(void)snprintf(text, sizeof text, "has %zu element%s for %zu id%s", count, count == 1 ? "" : "s", rows,
	               rows == 1 ? "" : "s");
	return place_problem(problem, table_names[table], name, text);
}

static void
column_add(struct command_rows *rows, const char *name, size_t count, const double *values)
{
	rows->columns[rows->column_count++] = (struct command_column){ .name = name, .count = count, .values = values };
}

static void
ids_set(struct command_rows *rows, size_t count, const uint32_t *ids)
{
	rows->rows = count;
	rows->ids = ids;
}

static void
velocities_set(struct command_rows *rows, const Collide__V1__VelocityColumns *columns)
{
	ids_set(rows, columns->n_id, columns->id);
	column_add(rows, "vx", columns->n_vx, columns->vx);
	column_add(rows, "vy", columns->n_vy, columns->vy);
	column_add(rows, "angular_velocity", columns->n_angular_velocity, columns->angular_velocity);
}

static void
places_set(struct command_rows *rows, const Collide__V1__PlaceColumns *columns)
{
	ids_set(rows, columns->n_id, columns->id);
	column_add(rows, "x", columns->n_x, columns->x);
	column_add(rows, "y", columns->n_y, columns->y);
	column_add(rows, "angle", columns->n_angle, columns->angle);
}

static void
pushes_set(struct command_rows *rows, const Collide__V1__PushColumns *columns)
{
	ids_set(rows, columns->n_id, columns->id);
	column_add(rows, "impulse_x", columns->n_impulse_x, columns->impulse_x);
	column_add(rows, "impulse_y", columns->n_impulse_y, columns->impulse_y);
	column_add(rows, "angular_impulse", columns->n_angular_impulse, columns->angular_impulse);
	column_add(rows, "force_x", columns->n_force_x, columns->force_x);
	column_add(rows, "force_y", columns->n_force_y, columns->force_y);
}

/* The tables that have columns of their own kind of message, and those that are lists. */
static void
tables_set(struct command_tables *tables, const Collide__V1__Commands *m)
{
	struct command_rows *of = tables->of;

	if (m->optional_velocities_case == COLLIDE__V1__COMMANDS__OPTIONAL_VELOCITIES_VELOCITIES)
		velocities_set(&of[COMMAND_VELOCITIES], m->velocities);
	if (m->optional_add_velocities_case == COLLIDE__V1__COMMANDS__OPTIONAL_ADD_VELOCITIES_ADD_VELOCITIES)
		velocities_set(&of[COMMAND_ADD_VELOCITIES], m->add_velocities);
	if (m->optional_places_case == COLLIDE__V1__COMMANDS__OPTIONAL_PLACES_PLACES)
		places_set(&of[COMMAND_PLACES], m->places);
	if (m->optional_pushes_case == COLLIDE__V1__COMMANDS__OPTIONAL_PUSHES_PUSHES)
		pushes_set(&of[COMMAND_PUSHES], m->pushes);
	if (m->optional_give_case == COLLIDE__V1__COMMANDS__OPTIONAL_GIVE_GIVE)
		ids_set(&of[COMMAND_GIVE], m->give->n_id, m->give->id);
	ids_set(&of[COMMAND_REMOVE], m->n_remove, m->remove);
	ids_set(&of[COMMAND_REMOVE_SEGMENTS], m->n_remove_segments, m->remove_segments);
	ids_set(&of[COMMAND_ENABLE_SEGMENTS], m->n_enable_segments, m->enable_segments);
	ids_set(&of[COMMAND_DISABLE_SEGMENTS], m->n_disable_segments, m->disable_segments);
	ids_set(&of[COMMAND_EXPLOSIONS], m->n_explosions, NULL);
	ids_set(&of[COMMAND_GRAVITY], m->optional_gravity_case == COLLIDE__V1__COMMANDS__OPTIONAL_GRAVITY_GRAVITY, NULL);
}

/* Columns of a scene's kind: the same rules, and ids that must be there. */
static enum status
shapes_set(struct command_rows *rows, const struct column_list *columns, size_t id_count, const uint32_t *ids,
           const char *required, struct wire_problem *problem)
{
	struct diagnostics first = { .problem = problem };
	enum status status = column_list_check(columns, "commands", &first);

	if (status != STATUS_OK || columns->rows == 0)
		return status;
	if (id_count == 0)
		return place_problem(problem, columns->list, "id", "is required");
	if (required && column_list_count(columns, required) == 0)
		return place_problem(problem, columns->list, required, "is required");
	ids_set(rows, columns->rows, ids);
	return STATUS_OK;
}

/* Of circles that are changed: what only other tables may change. */
static enum status
changes_check(const struct column_list *columns, struct wire_problem *problem)
{
	static const char *const others[] = { "x", "y", "vx", "vy", "angle", "angular_velocity" };

	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (column_list_count(columns, others[i]) > 0)
			return place_problem(problem, columns->list, others[i], "must be empty: places and velocities change it");
	return STATUS_OK;
}

static enum status
shape_tables_set(struct command_tables *tables, const Collide__V1__Commands *m, struct wire_problem *problem)
{
	enum status status = STATUS_OK;

	if (m->optional_spawn_case == COLLIDE__V1__COMMANDS__OPTIONAL_SPAWN_SPAWN) {
		struct column_list columns = circle_columns_list("spawn", m->spawn);

		status = shapes_set(&tables->of[COMMAND_SPAWN], &columns, m->spawn->n_id, m->spawn->id, "radius", problem);
	}
	if (status == STATUS_OK && m->optional_changes_case == COLLIDE__V1__COMMANDS__OPTIONAL_CHANGES_CHANGES) {
		struct column_list columns = circle_columns_list("changes", m->changes);

		status = shapes_set(&tables->of[COMMAND_CHANGES], &columns, m->changes->n_id, m->changes->id, NULL, problem);
		if (status == STATUS_OK)
			status = changes_check(&columns, problem);
	}
	if (status == STATUS_OK &&
	    m->optional_spawn_segments_case == COLLIDE__V1__COMMANDS__OPTIONAL_SPAWN_SEGMENTS_SPAWN_SEGMENTS) {
		const Collide__V1__SegmentColumns *segments = m->spawn_segments;
		struct column_list columns = segment_columns_list("spawn_segments", segments);

		status = shapes_set(&tables->of[COMMAND_SPAWN_SEGMENTS], &columns, segments->n_id, segments->id, NULL, problem);
	}
	return status;
}

static enum status
lengths_check(const struct command_tables *tables, struct wire_problem *problem)
{
	const Collide__V1__Commands *m = tables->message;
	enum status status = STATUS_OK;

	for (int table = 0; status == STATUS_OK && table < COMMAND_TABLES; table++) {
		const struct command_rows *rows = &tables->of[table];

		for (size_t i = 0; status == STATUS_OK && i < rows->column_count; i++)
			status = length_check((enum command_table)table, rows->columns[i].name, rows->columns[i].count, rows->rows, true,
			                      problem);
	}
	if (status == STATUS_OK && m->optional_give_case == COLLIDE__V1__COMMANDS__OPTIONAL_GIVE_GIVE) {
		status = length_check(COMMAND_GIVE, "seat", m->give->n_seat, m->give->n_id, true, problem);
		if (status == STATUS_OK && m->give->n_id > 0 && m->give->n_seat == 0)
			status = place_problem(problem, "give", "seat", "is required");
	}
	if (status == STATUS_OK && m->optional_pushes_case == COLLIDE__V1__COMMANDS__OPTIONAL_PUSHES_PUSHES) {
		const Collide__V1__PushColumns *pushes = m->pushes;

		status = length_check(COMMAND_PUSHES, "ticks", pushes->n_ticks, pushes->n_id, true, problem);
		if (status == STATUS_OK && pushes->n_id > 0 && pushes->n_ticks == 0 && pushes->n_force_x + pushes->n_force_y > 0)
			status = place_problem(problem, "pushes", "ticks", "is required with a force");
	}
	return status;
}

enum status
command_tables_read(const Collide__V1__Commands *message, uint32_t rows_max, struct command_tables *out,
                    struct wire_problem *problem)
{
	*out = (struct command_tables){ .message = message };
	tables_set(out, message);
	enum status status = shape_tables_set(out, message, problem);

	if (status == STATUS_OK)
		status = lengths_check(out, problem);
	for (int table = 0; table < COMMAND_TABLES; table++)
		out->rows += out->of[table].rows;
	if (status == STATUS_OK && out->rows > rows_max) {
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "commands",
		                        "has %zu rows, at most %" PRIu32 " are allowed", out->rows, rows_max);
	}
	return status;
}

double
command_value(const struct command_column *column, size_t row)
{
	return column_double(column->values, column->count, row, 0);
}

/* How many elements the column of that name has; 0: the table has no such column. */
static size_t
column_count(const struct command_tables *tables, enum command_table table, const char *name)
{
	const struct command_rows *rows = &tables->of[table];
	struct column_list list = { .column_count = 0 };

	if (table == COMMAND_SPAWN)
		list = circle_columns_list("", tables->message->spawn);
	else if (table == COMMAND_CHANGES)
		list = circle_columns_list("", tables->message->changes);
	else if (table == COMMAND_SPAWN_SEGMENTS)
		list = segment_columns_list("", tables->message->spawn_segments);
	else if (table == COMMAND_PUSHES && strcmp(name, "ticks") == 0)
		return tables->message->pushes->n_ticks;
	for (size_t i = 0; i < rows->column_count; i++)
		if (strcmp(rows->columns[i].name, name) == 0)
			return rows->columns[i].count;
	return column_list_count(&list, name);
}

enum status
command_problem(const struct command_tables *tables, enum command_table table, size_t row, const char *name, enum status status,
                const char *reason, const char *text, struct wire_problem *problem)
{
	struct path_place place = { .path = "commands", .list = table_names[table], .index = row };

	if (table == COMMAND_EXPLOSIONS || table == COMMAND_GRAVITY) {
		place.name = name[0] == '\0' ? NULL : name;
		place.index = table == COMMAND_GRAVITY ? PATH_NO_INDEX : row;
	} else if (table == COMMAND_REMOVE || (table >= COMMAND_REMOVE_SEGMENTS && table <= COMMAND_DISABLE_SEGMENTS)) {
		place.name = NULL;
	} else {
		size_t count = column_count(tables, table, name);
		bool shapes = table == COMMAND_SPAWN || table == COMMAND_CHANGES || table == COMMAND_SPAWN_SEGMENTS;

		/* A field that a shape must have is named even where its column is not there. */
		place.by_column = true;
		place.name = count > 0 || (shapes && name[0] != '\0') ? name : "id";
		place.index = count > 0 ? path_column_index(count, row) : shapes && name[0] != '\0' ? PATH_NO_INDEX : row;
	}
	return path_problem(problem, status, reason, place, text);
}
