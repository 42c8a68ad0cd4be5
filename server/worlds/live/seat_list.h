/* seat_list: what the worker knows of the seats that have sent batches.
 *
 * The worker that has the world. */
#ifndef COLLIDED_WORLDS_LIVE_SEAT_LIST_H
#define COLLIDED_WORLDS_LIVE_SEAT_LIST_H

#include "worlds/news.h"
#include "worlds/post.h"

struct seat_entry {
	uint32_t seat;
	uint32_t waiting : 31; /* batches of it */
	bool ended : 1;        /* its circles belong to no seat once nothing of it waits */
	uint64_t tick_last;    /* the tick of the latest that there was */
	void *sender;          /* as its batches were posted */
	/* Batches that there was no memory for, ascending: they are refused after those that wait. NULL: none. */
	struct post *lost, *lost_last;
	struct decided *decided; /* of this turn; NULL: nothing was */
	struct outcome **outcome_end;
};

struct seat_list {
	struct seat_entry *entries; /* ascending by seat */
	size_t count, capacity;
};

/* None has lost any. */
void seat_list_finish(struct seat_list *list);
/* NULL: it has sent nothing. Valid until the next seat_list_get or seat_list_drop. */
struct seat_entry *seat_list_find(const struct seat_list *list, uint32_t seat);
/* Makes one if need be. NULL without memory. */
struct seat_entry *seat_list_get(struct seat_list *list, uint32_t seat);
/* One that has lost nothing. */
void seat_list_drop(struct seat_list *list, uint32_t seat);
/* Takes the post of a batch. */
void seat_entry_lose(struct seat_entry *seat, struct post *post);
/* The first of those, which is the caller's from then on. NULL: there is none. */
struct post *seat_entry_lost(struct seat_entry *seat);

#endif
