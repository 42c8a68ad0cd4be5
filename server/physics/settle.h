/* settle: bodies that rest on each other in numbers are led by the resting solver (dense.h) instead of by events.
 *
 * A tick with led bodies is made of SETTLE_SUBSTEPS parts, a long one of more (world.parts). At the start of each the solver
 * gives every led body new velocities and a straight leg, certified free of all other led bodies, walls, kinematic and static
 * circles. The legs are the paths that the event sweep then sees: a free body meets a led one in an exact event, of the led
 * one's own velocity, which its leg need not have.
 *
 * Who is led: a first contact is always an event, but for bodies that a scene begins with at rest on each other. Bodies in
 * contacts that gave no rebound are handed over at the next part of a tick, if they are more than SETTLE_BODIES_MIN together or
 * friction acts; few and smooth ones are the events' (rest.c). A body without contacts is free again at the next part, and so
 * are all that touch each other and are held up by nothing (dense_fall.c). One thread; belongs to the world. */
#ifndef COLLIDED_PHYSICS_SETTLE_H
#define COLLIDED_PHYSICS_SETTLE_H

#include "physics/dense.h"
#include "physics/event_queue.h"
#include "physics/world.h"

/* Parts of a tick. One or two keep a deep pile moving (measured by a prototype); more cost their multiple. */
#define SETTLE_SUBSTEPS 4
/* In a part gravity alone must not move a body by more than this part of the least radius: the solver gives a body the velocity
 * of the part's end, and what it leaves unsolved is a part of that. Larger, and heaps win energy in long ticks; smaller costs
 * more parts. */
#define SETTLE_FALL_MAX 0x1p-6
/* The most parts of a tick: each tells of a leg of every led body. */
#define SETTLE_PARTS_MAX 1024u
/* Smooth bodies that rest on each other and are led if there are as many: fewer are cheap as events, and exact. */
#define SETTLE_BODIES_MIN 9

struct edit_map;
struct settler;

void settler_destroy(struct settler *settler);
size_t settler_memory_bytes(const struct settler *settler);
/* The impulses that the solver keeps for the next part: state, as positions are. */
void settler_visit(const struct settler *settler, void (*visit)(void *context, const struct dense_warm *warm), void *context);
/* The list of near pairs that the solver keeps, for snapshots; NULL if it has made none. */
const struct dense *settler_list(const struct settler *settler);
/* Gives a world without a settler one with such a list (dense_restore). STATUS_INVALID_ARGUMENT: pair *bad never meets. */
STATUS_MUST_USE enum status settler_restore(struct world *world, const struct dense_listing *listings,
                                            const struct dense_warm *pairs, size_t pair_count, size_t *bad);

/* And with what is aside (dense_dormant_restore). */
bool settler_restore_dormant(struct world *world, const struct dense_warm *pairs, size_t count);

/* For sleep.h. The island of a body that is led, UINT32_MAX: none, or it is not. */
uint32_t settler_island(const struct settler *settler, uint32_t body);
void settler_touches(const struct settler *settler, void (*visit)(void *context, const struct dense_touch *touch),
                     void *context);
/* Puts aside what the solver keeps of those who fall asleep: `asleep` is 1 for them, 0 for all who are awake. False without
 * memory. */
bool settler_forget(struct world *world, const uint8_t *asleep, const uint32_t *fallen, size_t count);
/* The impulses that are aside. */
void settler_visit_dormant(const struct settler *settler, void (*visit)(void *context, const struct dense_warm *warm),
                           void *context);

/* Edits (edit.h). What a world with a settler will need as `next`; NULL without memory, else for settler_edit or
 * settler_destroy. */
struct settler *settler_edit_prepare(struct world *world, const struct world *next, bool walls);
/* After the world has become `next`; takes what was prepared. */
void settler_edit(struct world *world, struct settler *aside, const struct edit_map *map);

/* A scene may begin with bodies that lie on each other, and edits may add some: in its first tick whatever is at rest is a
 * candidate. As events they would be without friction up to the tick's end, which is enough to bring down what only friction
 * holds. */
void settle_start(struct world *world);
/* Whether a pair that overlaps at a tick's start is the solver's: it moves both apart along their legs, under whatever load,
 * and keeps the rest from falling meanwhile. Then both are led from now on. (nx, ny): from b to a. */
bool settle_overlap(struct world *world, uint32_t a, uint32_t b, bool wall, double nx, double ny);
/* Whether there are enough candidates for the solver. */
bool settle_enough(const struct world *world, uint32_t candidates);
/* Whether this tick has parts. */
bool settle_wanted(const struct world *world);
/* How many parts a tick is to have: a power of two times SETTLE_SUBSTEPS. */
uint32_t settle_parts(const struct world *world, double dt);
/* Whether its parts are longer than the solver can do with: then it says so of all that it leads (BODY_FLAG_FAST). */
bool settle_falls_short(const struct world *world);
/* Starts part 0..world.parts-1 of the tick: solves, and writes the paths of all that are led or let go. In the first part
 * nothing is predicted yet; in later ones all events up to the part's start have been taken. Failure sets world->failed. */
void settle_part(struct world *world, unsigned part);
/* In place of settle_part where a part has no solver: walls move without it. */
void settle_pass(struct world *world);
/* Whether anything moves, or is moved by walls: else there are no events. */
bool world_stirs(const struct world *world);
/* Predicts all paths that settle_part has made, or everything if nothing is predicted. */
void settle_predict(struct world *world, unsigned part);

/* When a part begins. */
static inline double
part_time(const struct world *world, unsigned part)
{
	return part == world->parts ? world->dt : world->dt * ((double)part / world->parts);
}

/* The part under way, or several in one, ends where `part` begins. */
static inline void
part_end_set(struct world *world, unsigned part)
{
	world->part_end = part;
	world->until = part_time(world, part);
}

/* Whether the solver has certified that a body meets nothing on its present path that is certified too, nor any wall. All that
 * does not yield is, towards those that are led. */
static inline bool
settle_clear(const struct world *world, uint32_t body)
{
	const struct body_info *info = &world->infos[body];

	return info->inverse_mass == 0.0 || (info->mode == MODE_LED && info->clear == world->marks[body].epoch);
}

/* Whether a led body and another, or a segment (its index | DENSE_WALL), lie on each other: the solver has loaded the pair in
 * this part of the tick. Such pairs do not bounce, however they are struck: the blow goes through the heap (settle.c). */
bool settle_heaped(const struct world *world, uint32_t a, uint32_t b);
/* The velocity that a body has, which its path shows only if it is not led. */
static inline void
settle_velocity(const struct world *world, uint32_t body, double velocity[2])
{
	if (world->infos[body].mode == MODE_LED) {
		velocity[0] = world->infos[body].kept_vx;
		velocity[1] = world->infos[body].kept_vy;
	}
}
/* An event of a led body that is no collision: the solver's own business, or of a leg and not of a velocity. Both sides stand
 * still up to the end of the part. False: resolve it. */
bool settle_event(struct world *world, const struct event *event);
#endif
