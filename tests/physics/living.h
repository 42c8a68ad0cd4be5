/* living: a world that is edited and stepped, beside a twin restored from its snapshot that gets the same edits in another
 * order. Each tick is certified from the world as it was edited.
 *
 * One thread. Failures are cmocka's. */
#ifndef COLLIDED_TESTS_PHYSICS_LIVING_H
#define COLLIDED_TESTS_PHYSICS_LIVING_H

#include "physics/certified.h"
#include "physics/event_book.h"
#include "physics/physics.h"

struct living {
	struct world_def def; /* of the world as it was made; no shapes */
	struct world *world, *twin;
	struct certified *certified; /* NULL: not asked for, or to be made anew */
	bool certify;
	uint64_t random;
	uint32_t *told; /* ids that have been told to sleep */
	size_t told_count, told_capacity;
	struct event_book book; /* what def.events and sensors tell must match, whatever is edited */
	uint64_t twin_ticks;    /* after which the twin is restored anew */
	uint64_t edits, ticks, woken, refused;
	uint32_t flags; /* of all shortfalls */
	struct tick_report report;
};

void living_start(struct living *living, const struct world_def *def, bool certify, uint64_t seed);
void living_finish(struct living *living);
/* Edits both; they must say the same and be the same. A batch that is refused must leave no trace. */
enum status living_edit(struct living *living, const struct edit *edits, size_t count, struct def_problem *problem);
/* living_edit of what must be accepted. */
void living_edited(struct living *living, const struct edit *edits, size_t count);
void living_step(struct living *living, double dt);
/* Fails the test if the certificate has anything to say. */
void living_certify(const struct living *living);

/* How far a circle would be from everything, kinds and masks apart; and a segment from all circles. */
double living_room(const struct living *living, double x, double y, double radius);
double living_wall_room(const struct living *living, const struct segment_def *segment);

#endif
