/* touch: which pairs touch, from their first contact until they separate: PAIR_EVENT_BEGIN, PAIR_EVENT_HIT, PAIR_EVENT_PERSIST
 * and PAIR_EVENT_END.
 *
 * physics.h defines them. Within a tick, contacts, resting pairs and pairs that carry force in the rest solver are only noted.
 * At its end each pair is followed along both paths. One thread; belongs to the watch. */
#ifndef COLLIDED_REPORTS_TOUCH_H
#define COLLIDED_REPORTS_TOUCH_H

#include "physics/reports/watch.h"

struct solver_touch;

struct touches *touches_create(void);
void touches_destroy(struct touches *touches);
size_t touches_memory_bytes(const struct touches *touches);

void touches_begin(struct touches *touches);
/* The last reported contact belongs to this pair. */
void touch_note_contact(struct world *world, struct tie tie);
/* The pair rests from `time` on, held by `force` (resting_contact.c), until the path of one of its bodies changes. */
void touch_note_rest(struct world *world, struct tie tie, double time);
/* For the substep that the rest solver has just solved: touch_note for each of its touches that carry force, with the notes of
 * that substep. Failure sets world->failed. */
struct substep_notes {
	struct world *world;
	uint8_t part;
};
struct substep_notes touch_notes(struct world *world, unsigned substep);
void touch_note(void *notes, const struct solver_touch *touch);
void touches_finish(struct world *world);

/* The state between ticks: pairs ascending by (a, b). */
size_t touches_count(const struct touches *touches);
struct tie touches_at(const struct touches *touches, size_t index);
/* For a return: all pairs, ascending, in memory; makes room for so many, false without memory; replaces all pairs by them. */
void touches_write(const struct touches *touches, struct tie *out);
bool touches_reserve(struct touches *touches, size_t count);
void touches_return(struct touches *touches, const struct tie *in, size_t count);
/* For restoring: appends a pair after all others. False without memory. */
bool touches_add(struct touches *touches, struct tie tie);

#endif
