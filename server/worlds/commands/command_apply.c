/* Makes a plan, in the way that costs least, and says which row of the message the engine refuses. */
#include "physics/velocities.h"
#include "scene/definition/def_field.h"
#include "worlds/commands/command_plan.h"

/* What a table calls the field in which the engine has found something. */
static const char *
column_name(enum command_table table, enum def_field field)
{
	if (field == DEF_FIELD_COUNT || field == DEF_CIRCLE_ID || field == DEF_SEGMENT_ID)
		return "";
	if (table == COMMAND_EXPLOSIONS && field == DEF_CIRCLE_VX)
		return "impulse_per_length";
	if (table == COMMAND_GRAVITY)
		return field == DEF_WORLD_GRAVITY_Y ? "y" : "x";
	if (table == COMMAND_PUSHES)
		return field == DEF_CIRCLE_VX                 ? "impulse_x"
		       : field == DEF_CIRCLE_VY               ? "impulse_y"
		       : field == DEF_CIRCLE_ANGULAR_VELOCITY ? "angular_impulse"
		                                              : "";
	return def_field_name(field);
}

static enum status
refuse(const struct command_plan *plan, const struct def_problem *found, struct wire_problem *problem)
{
	const struct command_row *row = &plan->rows[found->index];
	enum command_table table = (enum command_table)row->table;
	bool id = found->field == DEF_CIRCLE_ID || found->field == DEF_SEGMENT_ID;

	/* That all others are there was found before. */
	if (id && (table == COMMAND_SPAWN || table == COMMAND_SPAWN_SEGMENTS))
		return command_problem(&plan->tables, table, row->row, "", STATUS_ALREADY_EXISTS, "ID_TAKEN", found->text, problem);
	return command_problem(&plan->tables, table, row->row, column_name(table, found->field), STATUS_INVALID_ARGUMENT,
	                       "BAD_FIELD", found->text, problem);
}

static enum status
plan_make(const struct command_plan *plan, struct world *world, struct def_problem *found)
{
	switch (plan->way) {
	case COMMAND_BY_SET: return world_velocities_set(world, plan->ids, plan->x, plan->y, plan->count, found);
	case COMMAND_BY_ADD: return world_velocities_add(world, plan->ids, plan->x, plan->y, plan->count, found);
	case COMMAND_BY_IMPULSE: return world_impulses_add(world, plan->ids, plan->x, plan->y, plan->count, found);
	case COMMAND_BY_SWITCH: return world_segment_enable(world, plan->edits->segment.id, !plan->edits->segment.disabled);
	case COMMAND_BY_EDITS: break;
	}
	return world_edit(world, plan->edits, plan->count, found);
}

enum status
command_plan_apply(const struct command_plan *plan, struct world *world, struct wire_problem *problem)
{
	struct def_problem found = { .field = DEF_FIELD_COUNT };

	if (plan->count == 0)
		return STATUS_OK;
	enum status status = plan_make(plan, world, &found);

	if (status == STATUS_INVALID_ARGUMENT)
		return refuse(plan, &found, problem);
	if (status != STATUS_OK)
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "commands",
		                        "no memory for it, or too many circles would overlap");
	return STATUS_OK;
}
