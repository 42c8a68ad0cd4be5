/* event_book: what pair events say of touches and of what is inside, kept by its own rules: fails the test where they do not
 * match.
 *
 * One thread. Owns its list. */
#ifndef COLLIDED_TESTS_PHYSICS_EVENT_BOOK_H
#define COLLIDED_TESTS_PHYSICS_EVENT_BOOK_H

#include "physics/physics.h"

struct book_pair {
	uint32_t a, b;
	uint8_t other;
	bool sensed; /* inside; else touching */
};

struct event_book {
	struct book_pair *open;
	size_t open_count, open_capacity;
	uint64_t counts[PAIR_EVENT_EXIT + 1];
};

/* Takes a tick's events: in the stated order; no begin of what has begun, no end, hit or persist of what has not. With `hits`
 * (events of touches asked for, hit_speed 0) every contact must be a HIT of that time, and no HIT without one. */
void event_book_take(struct event_book *book, const struct tick_report *report, double dt, bool hits);
bool event_book_has(const struct event_book *book, uint32_t a, uint32_t b, uint8_t other, bool sensed);
void event_book_finish(struct event_book *book);

#endif
