/* command_plan: what a batch of commands makes of a world: the edits of its rows, and what follows them.
 *
 * The worker that has the world. Lives in an arena. Happy path: rows are looked up, checked against the seat's rights, and
 * become edits. The engine makes all of these or none.
 *
 * What can go wrong is told with its reason and field. An id is not there (NO_SUCH_ID), or is (ID_TAKEN). The seat may not do
 * it (RIGHT). A value cannot be (BAD_FIELD). It is too much (LIMIT, MEMORY). Nothing has changed then. */
#ifndef COLLIDED_WORLDS_COMMANDS_COMMAND_PLAN_H
#define COLLIDED_WORLDS_COMMANDS_COMMAND_PLAN_H

#include "base/arena.h"
#include "scene/scene.h"
#include "worlds/commands/command_tables.h"
#include "worlds/commands/force_list.h"
#include "worlds/commands/owner_list.h"
#include "worlds/post.h"

/* What may be done, and to what. Borrowed. */
struct command_target {
	struct world *world;
	const struct owner_list *owners;
	const struct force_list *forces;
	const struct scene_limits *limits;
	uint32_t rows_max;
	double dt;
	bool again; /* it was accepted once, in the same state: rights are not looked at */
	uint32_t seat;
	enum seat_right right;
	uint32_t id_first, id_count;
	uint32_t circles_max; /* that there may be after a spawn; 0: any number */
	uint32_t seat_next;
};

/* How the rows go to the engine. */
enum command_way { COMMAND_BY_EDITS, COMMAND_BY_SET, COMMAND_BY_ADD, COMMAND_BY_IMPULSE, COMMAND_BY_SWITCH };

struct command_row {
	uint32_t table; /* enum command_table */
	uint32_t row;
};

struct command_plan {
	struct command_tables tables;
	uint32_t missing; /* rows that were left out */
	enum command_way way;
	struct command_row *rows; /* each edit's, or each id's */
	size_t count;
	struct edit *edits; /* BY_EDITS, BY_SWITCH */
	uint32_t *ids;      /* in the other ways */
	double *x, *y;

	/* What follows, once the engine has made it. */
	struct force *forces;
	size_t force_count;
	uint32_t *removed; /* circles that are there no more, or others now; sorted as they are used */
	size_t removed_count;
	struct owner *spawned, *given;
	size_t spawned_count, given_count;
	bool edits_walls; /* adds or removes segments */
};

/* The bytes are a serialized Commands and may be anything. */
STATUS_MUST_USE enum status command_plan_make(struct arena *arena, const struct command_target *target, const uint8_t *bytes,
                                              size_t count, struct command_plan *out, struct wire_problem *problem);
/* Makes it, or nothing. */
STATUS_MUST_USE enum status command_plan_apply(const struct command_plan *plan, struct world *world,
                                               struct wire_problem *problem);

#endif
