/* edit: what the files of world_edit share. Internal.
 *
 * A batch becomes a plan: one entry for each circle and segment that it concerns, with a complete and checked definition. If a
 * plan changes more than velocities, it gets a map, which says where each index goes.
 *
 * The room state/: a world's life: create, edit, snapshot, restore, keep, return, hash, self-check, describe. It uses all of
 * the above. It is called by the program that uses the engine. */
#ifndef COLLIDED_STATE_EDIT_H
#define COLLIDED_STATE_EDIT_H

#include "physics/world/edit_map.h"
#include "physics/world/world.h"

enum plan_action {
	PLAN_NOTHING, /* the change makes no difference */
	PLAN_CHANGE,
	PLAN_SPAWN,
	PLAN_REMOVE,
	PLAN_REPLACE, /* removed and spawned */
};

/* What an edit does to one circle or segment. */
struct planned {
	uint32_t id;
	uint32_t at;    /* its index before; NONE: none */
	uint32_t to;    /* its index afterwards, unless it is removed: edit_map_make */
	uint8_t action; /* enum plan_action */
	bool swept;     /* to sweep_x, sweep_y, once all else is done: `circle` has the place where that begins */
	double sweep_x, sweep_y;
	uint64_t changed; /* of a change: the fields that differ, by edit_field */
	union {
		struct circle_def circle; /* after the edit */
		struct segment_def segment;
	};
};

struct edit_order {
	uint32_t id;
	uint8_t segment, phase;
	size_t index; /* in the batch */
};

/* Entries ascend by id. Scratch of a world, kept for its next batch. */
struct edit_plan {
	struct planned *circles, *segments;
	size_t circle_count, segment_count, circle_capacity, segment_capacity;
	struct edit_order *order;
	size_t order_count, order_capacity;
	bool has_gravity; /* the batch gives the world another one */
	double gravity[2];
	/* Scratch of velocities.c: by row the body, by body a bit, and the rows as edits. */
	uint32_t *found;
	uint64_t *seen;
	struct edit *edits;
	size_t found_capacity, seen_capacity, edit_capacity;
	/* Scratch of edit_push.c: what is added to one circle's velocities. */
	double *sums;
	size_t sum_capacity;
};

/* edit_fields.c: definitions and their members. */
struct circle_def circle_of(const struct world *world, uint32_t body);
struct segment_def segment_of(const struct world *world, uint32_t segment);
/* As it is defined, whatever a world's switch says. */
struct segment_def segment_defined(const struct segment *segment);
/* All bits that a change may have. */
uint64_t circle_fields_all(void);
uint64_t segment_fields_all(void);
/* Copies the fields from one definition to another. */
void circle_fields_copy(struct circle_def *to, const struct circle_def *from, uint64_t fields);
void segment_fields_copy(struct segment_def *to, const struct segment_def *from, uint64_t fields);
/* The fields in which two definitions differ by a bit. */
uint64_t circle_fields_differing(const struct circle_def *a, const struct circle_def *b);
uint64_t segment_fields_differing(const struct segment_def *a, const struct segment_def *b);
/* What a change of these fields affects: TOUCH bits; none for a tag alone. */
uint8_t circle_fields_touch(uint64_t changed);
uint8_t segment_fields_touch(uint64_t changed);
/* Whether a change of these fields changes a circle's moment of inertia. */
bool circle_fields_inertia(uint64_t changed);

/* The definition for its checks: what no edit gives is within its range. */
struct circle_def circle_judged(struct circle_def circle, uint64_t fields);
struct segment_def segment_judged(struct segment_def segment, uint64_t fields);

/* edit_push.c: what is added to velocities. The checks need the edit alone. */
struct push {
	double x, y, turn; /* added to velocity and spin */
};
bool push_check(const struct circle_push *push, size_t index, struct def_problem *problem);
bool explosion_check(const struct explosion *explosion, size_t index, struct def_problem *problem);
/* Whether it gives this body an impulse. */
bool explosion_reaches(const struct world *world, const struct explosion *explosion, uint32_t body);
/* What an edit adds to a circle, as it is after the batch's changes. */
struct push edit_push(const struct world *world, const struct edit *edit, const struct circle_def *circle, uint32_t body);
/* Memory for the pushes of one circle. */
bool pushes_ready(struct edit_plan *plan, size_t count);
/* Adds the pushes of one circle, of which those by explosions come last, to its definition. False with a problem. */
bool pushes_merge(struct edit_plan *plan, struct planned *planned, const struct world *world, const struct edit *edits,
                  const struct edit_order *order, size_t count, struct def_problem *problem);

/* edit_sweep.c. Adds a sweep to the place `to` to a circle, after its changes. False with a problem. */
bool sweep_plan(struct planned *planned, const struct circle_def *to, size_t index, struct def_problem *problem);
/* Makes all sweeps of a plan, ascending by id, in a world that is otherwise made, but for its cells. */
void sweeps_make(struct world *next, const struct edit_plan *plan);

/* edit_plan.c: checks a batch and plans it; does not write the world. STATUS_INVALID_ARGUMENT with a problem, or
 * STATUS_RESOURCE_EXHAUSTED. */
STATUS_MUST_USE enum status edit_plan_make(struct edit_plan *plan, const struct world *world, const struct edit *edits,
                                           size_t count, struct def_problem *problem);
void edit_plan_finish(struct edit_plan *plan);

/* world_edit.c: the world becomes the next one, and owns what the next one owns; frees what is a world's own, or, after the
 * exchange, what is the old world's. */
void edit_next_take(struct world *world, const struct world *next);
void edit_columns_free(struct world *world, bool walls);

/* world_edit.c: makes the world's plan if it has none, false without memory; to be called before a body's velocity, angle or
 * spin is written. */
bool edit_plan_ready(struct world *world);
void edit_motion_begin(struct world *world, uint32_t body);

/* edit_plan.c: whether the world's gravity will be another, by a bit. */
bool plan_turns_gravity(const struct edit_plan *plan, const struct world *world);

/* edit_map.c: makes the map of a plan, and which bodies wake; fills in planned.to. False without memory. */
bool edit_map_make(struct edit_map *map, struct edit_plan *plan, const struct world *world);
void edit_map_finish(struct edit_map *map);

#endif
