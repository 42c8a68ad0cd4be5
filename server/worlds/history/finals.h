/* finals: contacts and events of ticks that may still be made again, until they are final and readers are told of them.
 *
 * The worker that has the world. Owns copies of the reports' rows. */
#ifndef COLLIDED_WORLDS_HISTORY_FINALS_H
#define COLLIDED_WORLDS_HISTORY_FINALS_H

#include "physics/physics.h"

/* Rows of a tick. */
struct final_rows {
	uint64_t tick;
	struct contact *contacts;
	struct path_change *path_changes;
	struct pair_event *pair_events;
	size_t contact_count, path_change_count, pair_event_count;
	size_t contact_capacity, path_change_capacity, pair_event_capacity;
};

struct finals {
	bool kept;               /* some reader waits for them */
	uint64_t told;           /* of ticks up to here */
	struct final_rows *ring; /* by tick modulo its capacity */
	size_t capacity;
};

/* Begins with the tick after this one; at most so many ticks are not final. False without memory. */
STATUS_MUST_USE bool finals_begin(struct finals *finals, uint64_t tick, uint32_t history_ticks);
void finals_finish(struct finals *finals);
/* Takes the rows of a tick, in place of those that it had before. False without memory. */
STATUS_MUST_USE bool finals_note(struct finals *finals, const struct tick_report *report);
/* Of the first tick that was not told so far and is at or before `final`: a report that has its rows alone, valid until
 * finals_note. False: there is none. */
bool finals_next(struct finals *finals, uint64_t final, struct tick_report *out);

#endif
