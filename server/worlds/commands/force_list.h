/* force_list: forces that still act: at the start of each tick an impulse of dt * force on their circle.
 *
 * The worker that has the world. Ascending by circle, and of one circle in the order in which they came. */
#ifndef COLLIDED_WORLDS_COMMANDS_FORCE_LIST_H
#define COLLIDED_WORLDS_COMMANDS_FORCE_LIST_H

#include "physics/physics.h"

struct force {
	uint32_t id;
	uint32_t ticks; /* left; never 0 in a list */
	double x, y;
	size_t row; /* of its batch */
};

struct force_list {
	struct force *forces;
	size_t count, capacity;
	/* Columns of one tick's impulses, as many as there are forces. */
	uint32_t *ids;
	double *impulses; /* x, then y */
	size_t id_capacity, impulse_capacity;
};

void force_list_finish(struct force_list *list);
/* How many act on the circle. */
size_t force_list_count(const struct force_list *list, uint32_t id);
/* Room for so many more, so that force_list_add and force_list_act cannot fail for want of it. False without memory. */
bool force_list_reserve(struct force_list *list, size_t count);
/* Adds them, which it sorts by circle and row. There must be room. */
void force_list_add(struct force_list *list, struct force *forces, size_t count);
/* Those on these circles act no more. Sorts the ids. */
void force_list_remove(struct force_list *list, uint32_t *ids, size_t count);
/* Lets all act for one tick. One that cannot act any more is dropped: the circle is not dynamic now, or would be too fast.
 * STATUS_RESOURCE_EXHAUSTED: no memory in the engine; none has acted. */
STATUS_MUST_USE enum status force_list_act(struct force_list *list, struct world *world, double dt);
/* A copy of what acts. False without memory: `to` is as it was. */
bool force_list_copy(struct force_list *to, const struct force_list *from);

#endif
