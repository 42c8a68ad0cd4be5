/* settle: bodies that rest on each other in numbers are led by the resting solver (solver.h) instead of by events.
 *
 * A tick with led bodies is made of SUBSTEPS_LEAST parts, a long one of more (world.step.parts). At the start of each the
 * solver gives every led body new velocities and a straight leg, certified free of all other led bodies, walls, kinematic and
 * static circles. The legs are the paths that the event sweep then sees: a free body meets a led one in an exact event, of the
 * led one's own velocity, which its leg need not have.
 *
 * Who is led: a first contact is always an event, but for bodies that a scene begins with at rest on each other. Bodies in
 * contacts that gave no rebound are handed over at the next part of a tick, if they are more than HANDOVER_BODIES_MIN together
 * or friction acts; few and smooth ones are the events' (resting_contact.c). A body without contacts is free again at the next
 * part, and so are all that touch each other and are held up by nothing (solver_free_fall.c). One thread; belongs to the world.
 */
#ifndef COLLIDED_RESTING_HANDOVER_H
#define COLLIDED_RESTING_HANDOVER_H

#include "physics/rest_solver/solver.h"
#include "physics/tables/event_queue.h"
#include "physics/world/substep.h"

/* In a part gravity alone must not move a body by more than this part of the least radius: the solver gives a body the velocity
 * of the part's end, and what it leaves unsolved is a part of that. Larger, and heaps win energy in long ticks; smaller costs
 * more parts. */
#define HANDOVER_FALL_MAX 0x1p-6
/* The most parts of a tick: each tells of a leg of every led body. */
#define HANDOVER_PARTS_MAX 1024u
/* Smooth bodies that rest on each other and are led if there are as many: fewer are cheap as events, and exact. */
#define HANDOVER_BODIES_MIN 9

struct edit_map;
struct handover;

void handover_destroy(struct handover *handover);
size_t handover_memory_bytes(const struct handover *handover);
/* The impulses that the solver keeps for the next part: state, as positions are. */
void handover_visit(const struct handover *handover, void (*visit)(void *context, const struct solver_warm *warm),
                    void *context);
/* The list of near pairs that the solver keeps, for snapshots; NULL if it has made none. */
const struct solver *handover_list(const struct handover *handover);
/* Gives a world without a handover one with such a list (solver_restore). STATUS_INVALID_ARGUMENT: pair *bad never meets. */
STATUS_MUST_USE enum status handover_restore(struct world *world, const struct solver_listing *listings,
                                             const struct solver_warm *pairs, size_t pair_count, size_t *bad);

/* And with what is aside (solver_dormant_restore). */
bool handover_restore_dormant(struct world *world, const struct solver_warm *pairs, size_t count);

/* For sleep.h. The island of a body that is led, UINT32_MAX: none, or it is not. */
uint32_t handover_island(const struct handover *handover, uint32_t body);
void handover_touches(const struct handover *handover, void (*visit)(void *context, const struct solver_touch *touch),
                      void *context);
/* Puts aside what the solver keeps of those who fall asleep: `asleep` is 1 for them, 0 for all who are awake. False without
 * memory. */
bool handover_forget(struct world *world, const uint8_t *asleep, const uint32_t *fallen, size_t count);
/* The impulses that are aside. */
void handover_visit_dormant(const struct handover *handover, void (*visit)(void *context, const struct solver_warm *warm),
                            void *context);

/* Edits (edit.h). What a world with a handover will need as `next`; NULL without memory, else for handover_edit or
 * handover_destroy. */
struct handover *handover_edit_prepare(struct world *world, const struct world *next, bool walls);
/* After the world has become `next`; takes what was prepared. */
void handover_edit(struct world *world, struct handover *aside, const struct edit_map *map);

/* A scene may begin with bodies that lie on each other, and edits may add some: in its first tick whatever is at rest is a
 * candidate. As events they would be without friction up to the tick's end, which is enough to bring down what only friction
 * holds. */
void handover_start(struct world *world);
/* Whether a pair that overlaps at a tick's start is the solver's: it moves both apart along their legs, under whatever load,
 * and keeps the rest from falling meanwhile. Then both are led from now on. (nx, ny): from b to a. */
bool handover_overlap(struct world *world, uint32_t a, uint32_t b, bool wall, double nx, double ny);
/* Whether there are enough candidates for the solver. */
bool handover_enough(const struct world *world, uint32_t candidates);
/* Whether this tick has parts. */
bool handover_wanted(const struct world *world);
/* How many parts a tick is to have: a power of two times SUBSTEPS_LEAST. */
uint32_t handover_parts(const struct world *world, double dt);
/* Whether its parts are longer than the solver can do with: then it says so of all that it leads (BODY_FLAG_FAST). */
bool handover_falls_short(const struct world *world);
/* Starts part 0..world.step.parts-1 of the tick: solves, and writes the paths of all that are led or let go. In the first part
 * nothing is predicted yet; in later ones all events up to the part's start have been taken. Failure sets world->failed. */
void handover_part(struct world *world, unsigned part);
/* In place of handover_part where a part has no solver: walls move without it. */
void handover_pass(struct world *world);
/* In place of handover_part, and of all after it, once there is no work left: whatever is led stands still from there on. */
void handover_cut(struct world *world, unsigned part);
/* Whether anything moves, or is moved by walls: else there are no events. */
bool world_stirs(const struct world *world);
/* Predicts all paths that handover_part has made, or everything if nothing is predicted. */
void handover_predict(struct world *world, unsigned part);

/* An event of a led body that is no collision: the solver's own business, or of a leg and not of a velocity. Both sides stand
 * still up to the end of the part. False: resolve it. */
bool handover_event(struct world *world, const struct event *event);
#endif
