/* guests: what each account has in a world by its join secret, so that one does not keep the others out.
 *
 * Loop only. A world has one for each account that has seats or readers there, has reserved ids, or came lately. */
#ifndef COLLIDED_WORLDS_REGISTRY_GUESTS_H
#define COLLIDED_WORLDS_REGISTRY_GUESTS_H

#include "worlds/registry/registry_private.h"

struct guest {
	struct guest *next; /* of the world */
	void *account;      /* held */
	size_t seats, subscriptions;
	uint64_t ids;           /* reserved, those of seats that have ended too: none are given back */
	uint64_t paid_until_ns; /* what it came for is paid by time up to here (guest_come) */
	/* Batches of it with the world, those of seats that have ended too, and their bytes. */
	uint64_t waiting, waiting_bytes;
};

/* That of the client's account; NULL without memory. */
struct guest *guest_enter(struct hosted *world, const struct worlds_client *client);
/* It attaches or subscribes now: at most so often. Otherwise than STATUS_OK: RATE, with a time to try again. */
STATUS_MUST_USE enum status guest_come(const struct hosted *world, struct guest *guest, struct wire_problem *problem);
/* Whether one that has `own` may have `more` of what is left to all guests. One alone may have fifteen parts of sixteen. So
 * those that have none find some, as long as there is any. */
bool guest_may_have(uint64_t own, uint64_t more, uint64_t left);
/* Whether it may have one more batch of so many bytes wait. A world that stands decides none, and seats that end leave theirs.
 */
bool guest_may_wait(const struct hosted *world, const struct guest *guest, size_t bytes);
/* So many more wait, or, `decided`, less. NULL is fine: that of no guest. */
void guest_waits(struct hosted *world, struct guest *guest, uint64_t count, uint64_t bytes);
void guest_decided(struct hosted *world, struct guest *guest, uint64_t count, uint64_t bytes);
/* Option sets of subscriptions that none but this one reads, regions apart. */
size_t guest_encodings(const struct hosted *world, const struct guest *guest);
/* Those that have nothing there are forgotten. */
void guests_on_time(struct hosted *world);
void guests_drop(struct hosted *world);

#endif
