#include "worlds/commands/command_plan.h"

#include "base/check.h"
#include "base/pause.h"
#include "scene/definition/def_field.h"
#include "scene/definition/shape_defs.h"
#include "scene/fields/columns.h"
#include "worlds/commands/ids.h"
#include "worlds/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is being made, and of what. */
struct planner {
	const struct command_target *target;
	struct command_plan *plan;
	struct wire_problem *problem;
	uint32_t *spawned; /* ids that the batch spawns, sorted; for circles that are given away at once */
	size_t spawned_count;
};

static enum status
row_refuse(const struct planner *planner, enum command_table table, size_t row, enum status status, const char *reason,
           const char *text)
{
	return command_problem(&planner->plan->tables, table, row, "", status, reason, text, planner->problem);
}

/* Of a seat with RIGHT_OWN: what it may not do at all. */
static enum status
tables_allow(const struct planner *planner)
{
	const struct command_target *target = planner->target;
	const struct command_tables *tables = &planner->plan->tables;

	if (target->again || target->right == SEAT_ALL || target->right == SEAT_STEP)
		return STATUS_OK;
	for (int table = 0; table < COMMAND_TABLES; table++) {
		bool circles = table < COMMAND_SPAWN_SEGMENTS || table == COMMAND_GIVE;

		if (tables->of[table].rows > 0 && (target->right != SEAT_OWN || !circles))
			return row_refuse(planner, (enum command_table)table, 0, STATUS_PERMISSION_DENIED, "RIGHT",
			                  "the seat's right does not allow it");
	}
	return STATUS_OK;
}

/* Whether the seat may spawn the circle, or change it; `own`: it belongs to the seat. */
static enum status
row_allows(const struct planner *planner, enum command_table table, size_t row, uint32_t id, bool own)
{
	const struct command_target *target = planner->target;

	if (target->again || target->right != SEAT_OWN)
		return STATUS_OK;
	if (table == COMMAND_SPAWN) {
		if (id >= target->id_first && id - target->id_first < target->id_count)
			return STATUS_OK;
		return row_refuse(planner, table, row, STATUS_PERMISSION_DENIED, "RIGHT", "is not one of the seat's ids");
	}
	if (own)
		return STATUS_OK;
	return row_refuse(planner, table, row, STATUS_PERMISSION_DENIED, "RIGHT", "is not the seat's own circle");
}

/* Whether what a row is about is there, and the seat may change it. *left_out: it is not there, and that is no problem. */
static enum status
row_check(struct planner *planner, enum command_table table, size_t row, bool *left_out)
{
	struct command_plan *plan = planner->plan;
	const struct command_target *target = planner->target;
	uint32_t id = plan->tables.of[table].ids[row];
	bool segment = table >= COMMAND_SPAWN_SEGMENTS && table <= COMMAND_DISABLE_SEGMENTS;
	bool spawned = table == COMMAND_GIVE && ids_have(planner->spawned, planner->spawned_count, id);
	size_t index;

	*left_out = false;
	if (!spawned && !(segment ? world_segment_find(target->world, id, &index) : world_body_find(target->world, id, &index))) {
		*left_out = plan->tables.message->skip_missing != 0;
		plan->missing += *left_out;
		return *left_out ? STATUS_OK
		                 : row_refuse(planner, table, row, STATUS_NOT_FOUND, "NO_SUCH_ID", "must be that of one that exists");
	}
	if (segment)
		return STATUS_OK;
	return row_allows(planner, table, row, id, spawned || owner_list_seat(target->owners, id) == target->seat);
}

static void
edit_add(struct command_plan *plan, enum command_table table, size_t row, struct edit edit)
{
	plan->rows[plan->count] = (struct command_row){ .table = (uint32_t)table, .row = (uint32_t)row };
	plan->edits[plan->count++] = edit;
}

/* A change of what the table's columns give: three fields of which each may be unchanged. */
static struct edit
columns_change(const struct command_rows *rows, size_t row, const enum def_field fields[3])
{
	struct edit edit = { .kind = EDIT_CIRCLE_CHANGE, .circle = { .id = rows->ids[row] } };
	double *values[DEF_FIELD_COUNT] = {
		[DEF_CIRCLE_X] = &edit.circle.x,         [DEF_CIRCLE_Y] = &edit.circle.y,
		[DEF_CIRCLE_ANGLE] = &edit.circle.angle, [DEF_CIRCLE_VX] = &edit.circle.vx,
		[DEF_CIRCLE_VY] = &edit.circle.vy,       [DEF_CIRCLE_ANGULAR_VELOCITY] = &edit.circle.angular_velocity,
	};

	for (size_t i = 0; i < 3; i++) {
		if (rows->columns[i].count == 0)
			continue;
		*values[fields[i]] = command_value(&rows->columns[i], row);
		edit.fields |= edit_field(fields[i]);
	}
	return edit;
}

/* Placed, each where its way there ends, and turned. */
static void
place_add(struct planner *planner, size_t row)
{
	static const enum def_field places[] = { DEF_CIRCLE_X, DEF_CIRCLE_Y, DEF_CIRCLE_ANGLE };
	const uint64_t place = edit_field(DEF_CIRCLE_X) | edit_field(DEF_CIRCLE_Y);
	struct command_plan *plan = planner->plan;
	struct edit edit = columns_change(&plan->tables.of[COMMAND_PLACES], row, places);
	size_t index;

	if (plan->tables.message->places->swept && edit.fields & place) {
		CHECK(world_body_find(planner->target->world, edit.circle.id, &index));

		const struct body_state now = world_body(planner->target->world, index);
		const double x = edit.fields & edit_field(DEF_CIRCLE_X) ? edit.circle.x : now.x;
		const double y = edit.fields & edit_field(DEF_CIRCLE_Y) ? edit.circle.y : now.y;

		edit_add(plan, COMMAND_PLACES, row, edit_circle_sweep(edit.circle.id, x, y));
		edit.fields &= ~place;
		if (edit.fields == 0)
			return;
	}
	edit_add(plan, COMMAND_PLACES, row, edit);
}

static struct edit
columns_push(const struct command_rows *rows, size_t row, enum edit_kind kind)
{
	return (struct edit){ .kind = kind,
		                  .push = { .id = rows->ids[row],
		                            .x = command_value(&rows->columns[0], row),
		                            .y = command_value(&rows->columns[1], row),
		                            .turn = command_value(&rows->columns[2], row) } };
}

/* Fields that the columns of a change give. */
static uint64_t
change_fields(const Collide__V1__CircleColumns *columns)
{
	struct column_list list = circle_columns_list("", columns);
	uint64_t fields = 0;

	for (int field = DEF_CIRCLE_KIND; field <= DEF_CIRCLE_TAG; field++)
		if (column_list_count(&list, def_field_name((enum def_field)field)) > 0)
			fields |= edit_field((enum def_field)field);
	return fields;
}

/* A row of CircleColumns. */
static enum status
circle_add(struct planner *planner, enum command_table table, size_t row, uint64_t fields)
{
	const Collide__V1__Commands *message = planner->plan->tables.message;
	bool spawns = table == COMMAND_SPAWN;
	struct circle_def def;
	enum status status = shapes_circle_row(spawns ? message->spawn : message->changes, "commands", spawns ? "spawn" : "changes",
	                                       row, &def, planner->problem);

	if (status != STATUS_OK)
		return status;
	edit_add(planner->plan, table, row, spawns ? edit_circle_spawn(&def) : edit_circle_change(&def, fields));
	return STATUS_OK;
}

/* A force that acts for some ticks, if the row has one. */
static enum status
force_add(struct planner *planner, size_t row)
{
	struct command_plan *plan = planner->plan;
	const Collide__V1__PushColumns *columns = plan->tables.message->pushes;
	const struct command_rows *rows = &plan->tables.of[COMMAND_PUSHES];
	double x = command_value(&rows->columns[3], row), y = command_value(&rows->columns[4], row);
	uint32_t ticks = column_uint32(columns->ticks, columns->n_ticks, row, 0);
	char text[sizeof planner->problem->text];

	if (columns->n_force_x + columns->n_force_y == 0)
		return STATUS_OK;
	if (ticks > WORLDS_FORCE_TICKS_MAX) {
		(void)snprintf(text, sizeof text, "must be at most %d", WORLDS_FORCE_TICKS_MAX);
		return command_problem(&plan->tables, COMMAND_PUSHES, row, "ticks", STATUS_INVALID_ARGUMENT, "BAD_FIELD", text,
		                       planner->problem);
	}
	for (size_t i = 3; i < 5; i++) {
		double impulse = planner->target->dt * command_value(&rows->columns[i], row);

		if (!(impulse - impulse == 0.0))
			return command_problem(&plan->tables, COMMAND_PUSHES, row, rows->columns[i].name, STATUS_INVALID_ARGUMENT,
			                       "BAD_FIELD", "must be finite, and its impulse in a tick too", planner->problem);
	}
	if (ticks > 0)
		plan->forces[plan->force_count++] = (struct force){ .id = rows->ids[row], .ticks = ticks, .x = x, .y = y, .row = row };
	return STATUS_OK;
}

static struct edit
explosion_edit(const Collide__V1__Explosion *message)
{
	bool masked = message->optional_mask_case == COLLIDE__V1__EXPLOSION__OPTIONAL_MASK_MASK;
	struct explosion explosion = { .x = message->x,
		                           .y = message->y,
		                           .radius = message->radius,
		                           .falloff = message->falloff,
		                           .impulse_per_length = message->impulse_per_length,
		                           .mask = masked ? message->mask : UINT32_MAX };

	return edit_explosion(&explosion);
}

static struct edit
switch_edit(uint32_t id, bool enabled)
{
	struct segment_def segment = { .id = id, .disabled = !enabled };

	return edit_segment_change(&segment, edit_field(DEF_SEGMENT_DISABLED));
}

static void
given_add(struct command_plan *plan, size_t row)
{
	const Collide__V1__OwnerColumns *columns = plan->tables.message->give;

	plan->given[plan->given_count++] = (struct owner){ .id = columns->id[row],
		                                               .seat = column_uint32(columns->seat, columns->n_seat, row, 0) };
}

/* The edit of a row, which is there and allowed. */
static enum status
row_add(struct planner *planner, enum command_table table, size_t row, uint64_t change)
{
	static const enum def_field motions[] = { DEF_CIRCLE_VX, DEF_CIRCLE_VY, DEF_CIRCLE_ANGULAR_VELOCITY };
	struct command_plan *plan = planner->plan;
	const struct command_rows *rows = &plan->tables.of[table];
	const Collide__V1__Commands *message = plan->tables.message;
	struct segment_def segment;

	switch (table) {
	case COMMAND_SPAWN:
		plan->spawned[plan->spawned_count++] = (struct owner){ .id = rows->ids[row], .seat = planner->target->seat };
		return circle_add(planner, table, row, 0);
	case COMMAND_CHANGES: return circle_add(planner, table, row, change);
	case COMMAND_REMOVE:
		plan->removed[plan->removed_count++] = rows->ids[row];
		edit_add(plan, table, row, edit_circle_remove(rows->ids[row]));
		break;
	case COMMAND_VELOCITIES: edit_add(plan, table, row, columns_change(rows, row, motions)); break;
	case COMMAND_PLACES: place_add(planner, row); break;
	case COMMAND_ADD_VELOCITIES: edit_add(plan, table, row, columns_push(rows, row, EDIT_CIRCLE_ADD_VELOCITY)); break;
	case COMMAND_PUSHES:
		/* One without an impulse too, so that the engine looks at its circle. */
		edit_add(plan, table, row, columns_push(rows, row, EDIT_CIRCLE_IMPULSE));
		return force_add(planner, row);
	case COMMAND_SPAWN_SEGMENTS:
		segment = shapes_column_segment(message->spawn_segments, row, true);
		edit_add(plan, table, row, edit_segment_spawn(&segment));
		break;
	case COMMAND_REMOVE_SEGMENTS: edit_add(plan, table, row, edit_segment_remove(rows->ids[row])); break;
	case COMMAND_ENABLE_SEGMENTS: edit_add(plan, table, row, switch_edit(rows->ids[row], true)); break;
	case COMMAND_DISABLE_SEGMENTS: edit_add(plan, table, row, switch_edit(rows->ids[row], false)); break;
	case COMMAND_EXPLOSIONS: edit_add(plan, table, row, explosion_edit(message->explosions[row])); break;
	case COMMAND_GRAVITY: edit_add(plan, table, row, edit_gravity(message->gravity->x, message->gravity->y)); break;
	case COMMAND_GIVE: given_add(plan, row); break;
	case COMMAND_TABLES: break;
	}
	return STATUS_OK;
}

static enum status
rows_plan(struct planner *planner)
{
	struct command_plan *plan = planner->plan;
	const Collide__V1__Commands *message = plan->tables.message;
	uint64_t change = plan->tables.of[COMMAND_CHANGES].rows > 0 ? change_fields(message->changes) : 0;
	enum status status = STATUS_OK;

	for (int t = 0; t < COMMAND_TABLES; t++) {
		enum command_table table = (enum command_table)t;
		bool about_none = table == COMMAND_EXPLOSIONS || table == COMMAND_GRAVITY;
		bool spawns = table == COMMAND_SPAWN || table == COMMAND_SPAWN_SEGMENTS;

		for (size_t row = 0; status == STATUS_OK && row < plan->tables.of[t].rows && !pause_after(8); row++) {
			bool left_out = false;

			if (table == COMMAND_SPAWN)
				status = row_allows(planner, table, row, plan->tables.of[t].ids[row], false);
			else if (!spawns && !about_none)
				status = row_check(planner, table, row, &left_out);
			if (status == STATUS_OK && !left_out)
				status = row_add(planner, table, row, change);
		}
	}
	return status;
}

/* Memory for as many rows as there may be. */
static bool
plan_reserve(struct arena *arena, struct planner *planner)
{
	struct command_plan *plan = planner->plan;
	const struct command_rows *of = plan->tables.of;
	/* One that is placed may be swept and turned: two edits. */
	size_t rows = plan->tables.rows + of[COMMAND_PLACES].rows, spawns = of[COMMAND_SPAWN].rows;

	plan->rows = arena_room(arena, rows, sizeof *plan->rows);
	plan->edits = arena_room(arena, rows, sizeof *plan->edits);
	plan->forces = arena_room(arena, of[COMMAND_PUSHES].rows, sizeof *plan->forces);
	plan->removed = arena_room(arena, of[COMMAND_REMOVE].rows, sizeof *plan->removed);
	plan->spawned = arena_room(arena, spawns, sizeof *plan->spawned);
	plan->given = arena_room(arena, of[COMMAND_GIVE].rows, sizeof *plan->given);
	planner->spawned = arena_room(arena, spawns, sizeof *planner->spawned);
	if (!plan->rows || !plan->edits || !plan->forces || !plan->removed || !plan->spawned || !plan->given || !planner->spawned)
		return false;
	if (of[COMMAND_GIVE].rows > 0 && spawns > 0) {
		memcpy(planner->spawned, of[COMMAND_SPAWN].ids, spawns * sizeof *planner->spawned);
		planner->spawned_count = spawns;
		ids_sort(planner->spawned, spawns);
	}
	return true;
}

/* A circle is given to one seat, and one that there was. */
static enum status
gifts_check(const struct planner *planner, struct arena *arena)
{
	const struct command_plan *plan = planner->plan;
	const struct command_rows *rows = &plan->tables.of[COMMAND_GIVE];
	const Collide__V1__OwnerColumns *give = plan->tables.message->give;
	uint32_t *sorted = arena_room(arena, plan->given_count, sizeof *sorted);

	for (size_t row = 0; row < rows->rows && !planner->target->again; row++) {
		char field[64];

		if (column_uint32(give->seat, give->n_seat, row, 0) < planner->target->seat_next)
			continue;
		(void)snprintf(field, sizeof field, "commands.give.seat[%zu]", row);
		return wire_problem_set(planner->problem, STATUS_NOT_FOUND, "NO_SUCH_ID", field, "must be that of a seat, or 0");
	}
	if (!sorted)
		return wire_problem_set(planner->problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "commands", "no memory for its rows");
	for (size_t i = 0; i < plan->given_count; i++)
		sorted[i] = plan->given[i].id;
	ids_sort(sorted, plan->given_count);
	for (size_t i = 1; i < plan->given_count; i++) {
		size_t row = rows->rows;

		if (sorted[i] != sorted[i - 1])
			continue;
		while (rows->ids[--row] != sorted[i])
			;
		return row_refuse(planner, COMMAND_GIVE, row, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "must be unique");
	}
	return STATUS_OK;
}

/* Whether the world would have more than it may. */
static enum status
counts_check(const struct planner *planner)
{
	const struct command_plan *plan = planner->plan;
	const struct scene_limits *limits = planner->target->limits;
	const struct command_rows *of = plan->tables.of;
	size_t circles = world_body_count(planner->target->world) + of[COMMAND_SPAWN].rows;
	size_t segments = world_segment_count(planner->target->world) + of[COMMAND_SPAWN_SEGMENTS].rows;
	size_t joined_max = planner->target->circles_max == 0 ? SIZE_MAX : planner->target->circles_max;

	if (of[COMMAND_SPAWN].rows > 0 && circles - plan->removed_count > limits->circles_max)
		return wire_problem_set(planner->problem, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "commands.spawn",
		                        "the world would have more than %" PRIu32 " circles", limits->circles_max);
	/* One that is replaced is no more than there was. */
	if (of[COMMAND_SPAWN].rows > plan->removed_count && circles - plan->removed_count > joined_max)
		return wire_problem_set(planner->problem, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "commands.spawn",
		                        "by the join secret there may be at most %zu circles in the world", joined_max);
	if (of[COMMAND_SPAWN_SEGMENTS].rows > 0 && segments - of[COMMAND_REMOVE_SEGMENTS].rows > limits->segments_max)
		return wire_problem_set(planner->problem, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "commands.spawn_segments",
		                        "the world would have more than %" PRIu32 " segments", limits->segments_max);
	return STATUS_OK;
}

static int
force_compare(const void *left, const void *right)
{
	const struct force *a = left, *b = right;

	pause_give_way(1); /* a batch has up to 65,536 rows, in any order */
	return a->id != b->id ? (a->id < b->id ? -1 : 1) : a->row < b->row ? -1 : a->row > b->row;
}

/* Whether a circle would have more forces than it may. */
static enum status
forces_check(const struct planner *planner)
{
	struct command_plan *plan = planner->plan;
	char text[sizeof planner->problem->text];

	if (plan->force_count > 1)
		qsort(plan->forces, plan->force_count, sizeof *plan->forces, force_compare);
	for (size_t i = 0, n; i < plan->force_count; i += n) {
		size_t acting = force_list_count(planner->target->forces, plan->forces[i].id);

		for (n = 1; i + n < plan->force_count && plan->forces[i + n].id == plan->forces[i].id;)
			n++;
		if (acting + n <= WORLDS_FORCES_PER_CIRCLE_MAX)
			continue;
		size_t first = acting < WORLDS_FORCES_PER_CIRCLE_MAX ? WORLDS_FORCES_PER_CIRCLE_MAX - acting : 0;
		(void)snprintf(text, sizeof text, "would have more than %d forces at a time", WORLDS_FORCES_PER_CIRCLE_MAX);
		return row_refuse(planner, COMMAND_PUSHES, plan->forces[i + first].row, STATUS_RESOURCE_EXHAUSTED, "LIMIT", text);
	}
	return STATUS_OK;
}

/* Batches of velocities alone need no edit for each row. */
static enum command_way
way_of(const struct command_plan *plan)
{
	const struct command_rows *of = plan->tables.of;
	size_t rows = plan->tables.rows;

	if (rows == of[COMMAND_ENABLE_SEGMENTS].rows + of[COMMAND_DISABLE_SEGMENTS].rows && plan->count == 1)
		return COMMAND_BY_SWITCH;
	for (int table = COMMAND_VELOCITIES; table <= COMMAND_PUSHES; table++) {
		const struct command_column *columns = of[table].columns;
		bool planar = of[table].column_count > 0 && columns[0].count > 0 && columns[1].count > 0 && columns[2].count == 0;

		if (rows != of[table].rows || !planar)
			continue;
		if (table == COMMAND_VELOCITIES)
			return COMMAND_BY_SET;
		if (table == COMMAND_ADD_VELOCITIES)
			return COMMAND_BY_ADD;
		if (table == COMMAND_PUSHES && columns[3].count + columns[4].count == 0)
			return COMMAND_BY_IMPULSE;
	}
	return COMMAND_BY_EDITS;
}

static enum status
way_choose(struct planner *planner, struct arena *arena)
{
	struct command_plan *plan = planner->plan;

	plan->way = way_of(plan);
	if (plan->way == COMMAND_BY_EDITS || plan->way == COMMAND_BY_SWITCH)
		return STATUS_OK;
	plan->ids = arena_room(arena, plan->count, sizeof *plan->ids);
	plan->x = arena_room(arena, 2 * plan->count, sizeof *plan->x);
	if (!plan->ids || !plan->x)
		return wire_problem_set(planner->problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "commands", "no memory for its rows");
	plan->y = plan->x + plan->count;
	for (size_t i = 0; i < plan->count; i++) {
		const struct command_rows *rows = &plan->tables.of[plan->rows[i].table];

		plan->ids[i] = rows->ids[plan->rows[i].row];
		plan->x[i] = command_value(&rows->columns[0], plan->rows[i].row);
		plan->y[i] = command_value(&rows->columns[1], plan->rows[i].row);
	}
	return STATUS_OK;
}

static enum status
message_read(struct arena *arena, const struct command_target *target, const uint8_t *bytes, size_t count,
             struct command_tables *out, struct wire_problem *problem)
{
	const struct wire_limits limits = { 0, target->rows_max, target->rows_max };
	const ProtobufCMessage *message;
	enum status status = wire_message_unpack(arena, &collide__v1__commands__descriptor, &limits, "commands", bytes, count,
	                                         &message, problem);

	return status != STATUS_OK ? status
	                           : command_tables_read((const Collide__V1__Commands *)message, target->rows_max, out, problem);
}

enum status
command_plan_make(struct arena *arena, const struct command_target *target, const uint8_t *bytes, size_t count,
                  struct command_plan *out, struct wire_problem *problem)
{
	struct planner planner = { .target = target, .plan = out, .problem = problem };

	*out = (struct command_plan){ .missing = 0 };
	enum status status = message_read(arena, target, bytes, count, &out->tables, problem);

	if (status == STATUS_OK)
		status = tables_allow(&planner);
	if (status == STATUS_OK && !plan_reserve(arena, &planner))
		status = wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "commands", "no memory for its rows");
	if (status == STATUS_OK)
		status = rows_plan(&planner);
	if (status == STATUS_OK)
		status = counts_check(&planner);
	if (status == STATUS_OK && out->given_count > 0)
		status = gifts_check(&planner, arena);
	if (status == STATUS_OK)
		status = forces_check(&planner);
	if (status == STATUS_OK)
		status = way_choose(&planner, arena);
	out->edits_walls = out->tables.of[COMMAND_SPAWN_SEGMENTS].rows + out->tables.of[COMMAND_REMOVE_SEGMENTS].rows > 0;
	return status;
}
