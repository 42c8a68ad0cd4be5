/* owner_list: which seat a circle belongs to, ascending by id. A circle that is not in it belongs to none.
 *
 * The worker that has the world. */
#ifndef COLLIDED_WORLDS_COMMANDS_OWNER_LIST_H
#define COLLIDED_WORLDS_COMMANDS_OWNER_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct owner {
	uint32_t id, seat;
};

struct owner_list {
	struct owner *owners;
	size_t count, capacity;
};

void owner_list_finish(struct owner_list *list);
/* 0: none. */
uint32_t owner_list_seat(const struct owner_list *list, uint32_t id);
/* Room for so many more, so that owner_list_set cannot fail. False without memory. */
bool owner_list_reserve(struct owner_list *list, size_t count);
/* Sets them, which it sorts; each id once. A seat of 0: none. There must be room. */
void owner_list_set(struct owner_list *list, struct owner *owners, size_t count);
/* These circles are there no more. Sorts the ids. */
void owner_list_remove(struct owner_list *list, uint32_t *ids, size_t count);
/* A copy. False without memory: `to` is as it was. */
bool owner_list_copy(struct owner_list *to, const struct owner_list *from);
/* What belonged to the seat belongs to none. */
void owner_list_free_seat(struct owner_list *list, uint32_t seat);

#endif
