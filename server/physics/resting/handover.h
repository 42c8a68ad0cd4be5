/* handover: bodies that rest on each other in numbers are handed over to the rest solver (solver.h), which drives them in place
 * of events.
 *
 * A tick with solver-driven bodies is made of SUBSTEPS_LEAST substeps, a long one of more (world.step.substeps). At the start
 * of each the solver gives every body it drives a new velocity and a straight displacement. The displacement is certified free
 * of all other solver-driven bodies, walls, kinematic and static circles. These displacements are the paths that the event
 * sweep then sees. A free body meets a solver-driven one in an exact event, with the velocity of the latter, which its
 * displacement need not have. A body alone on what stands (solver_steady.c) has that of the moment, and leaves the solver.
 *
 * Which bodies are solver-driven. A first contact is always an event, except for bodies that a scene begins with at rest on
 * each other. Bodies in contacts without rebound are handed over at the next substep if they are more than HANDOVER_BODIES_MIN
 * together, or if friction acts. Few and smooth ones are left to the events (resting_contact.c). A body without contacts is
 * free again at the next substep. So are all bodies that touch each other and that nothing supports (solver_free_fall.c). One
 * thread; belongs to the world.
 *
 * The room resting/: which bodies the rest solver drives, and what that does to events; sleep. It uses contact, reports,
 * rest_solver. It is called by events, phases, partition, tick, state. */
#ifndef COLLIDED_RESTING_HANDOVER_H
#define COLLIDED_RESTING_HANDOVER_H

#include "physics/rest_solver/solver.h"
#include "physics/tables/event_queue.h"
#include "physics/world/substep.h"

/* In a substep gravity alone must not move a body by more than this fraction of the least radius. The solver gives a body the
 * velocity of the substep's end, and what it leaves unsolved is a fraction of that. With a larger value heaps gain energy in
 * long ticks; a smaller one costs more substeps. */
#define HANDOVER_FALL_MAX 0x1p-6
/* By more than this: a tick has at least twice SUBSTEPS_LEAST. */
#define HANDOVER_FALL_LEAST 0x1p-8
/* The most substeps of a tick: each reports a displacement of every solver-driven body. */
#define HANDOVER_SUBSTEPS_MAX 1024u
/* Number of smooth bodies that rest on each other from which on they are solver-driven: fewer are cheap as events, and
 * exact. */
#define HANDOVER_BODIES_MIN 9

struct edit_map;
struct handover;

void handover_destroy(struct handover *handover);
size_t handover_memory_bytes(const struct handover *handover);
/* Visits the impulses that the solver keeps for the next substep: state, as positions are. */
void handover_visit(const struct handover *handover, void (*visit)(void *context, const struct solver_warm *warm),
                    void *context);
/* The list of near pairs that the solver keeps, for snapshots; NULL if it has none. */
const struct solver *handover_list(const struct handover *handover);
/* Gives a world without a hand-over one with such a list (solver_restore). STATUS_INVALID_ARGUMENT: pair *bad never meets. */
STATUS_MUST_USE enum status handover_restore(struct world *world, const struct solver_listing *listings,
                                             const struct solver_warm *pairs, size_t pair_count, size_t *bad);

/* The same for the dormant impulses (solver_dormant_restore). */
bool handover_restore_dormant(struct world *world, const struct solver_warm *pairs, size_t count);

/* For sleep.h. The island of a solver-driven body; UINT32_MAX: none, or the body is not driven. */
uint32_t handover_island(const struct handover *handover, uint32_t body);
void handover_touches(const struct handover *handover, void (*visit)(void *context, const struct solver_touch *touch),
                      void *context);
/* Puts aside the solver's state of bodies that fall asleep: `asleep` is 1 for them, 0 for all awake ones. False without
 * memory. */
bool handover_forget(struct world *world, const uint8_t *asleep, const uint32_t *fallen, size_t count);
/* Visits the dormant impulses. */
void handover_visit_dormant(const struct handover *handover, void (*visit)(void *context, const struct solver_warm *warm),
                            void *context);

/* Keep and return (keep.h). The solver, for keeping its state; NULL if there is none yet. */
const struct solver *handover_solver_of(const struct handover *handover);
/* Makes room for a return to such a state of so many bodies, and a hand-over where there is none. False without memory; then
 * nothing has changed. */
bool handover_kept_reserve(struct world *world, const struct solver_kept *kept, uint32_t body_count);
/* Returns to it. Takes what was prepared where the bodies are others than before; else NULL. */
void handover_kept_return(struct world *world, struct handover *aside, const struct solver_kept *kept, const void *in);

/* Edits (edit.h). Prepares what a world with a hand-over will need as `next`. NULL without memory; else it goes to
 * handover_edit or handover_destroy. */
struct handover *handover_edit_prepare(struct world *world, const struct world *next, bool walls);
/* After a wall was enabled or disabled, in a world with a hand-over, and nothing else changed: as handover_edit. False without
 * memory; then nothing has changed. */
bool handover_switch(struct world *world, uint32_t segment);
/* To be called after the world has become `next`; takes what was prepared. */
void handover_edit(struct world *world, struct handover *aside, const struct edit_map *map);

/* A scene may begin with bodies that lie on each other, and edits may add some. In its first tick all bodies at rest are
 * candidates. As events they would be without friction up to the tick's end, which is enough to bring down what only friction
 * supports. */
void handover_start(struct world *world);
/* Whether a pair that overlaps at a tick's start goes to the solver. It moves the two apart along their displacements, under
 * any load, and keeps the rest from falling meanwhile. Then both are solver-driven from now on. (nx, ny): from b to a. */
bool handover_overlap(struct world *world, uint32_t a, uint32_t b, bool wall, double nx, double ny);
/* Whether there are enough candidates for the solver. */
bool handover_enough(const struct world *world, uint32_t candidates);
/* Whether this tick has substeps. */
bool handover_wanted(const struct world *world);
/* The number of substeps of a tick: a power of two times SUBSTEPS_LEAST. */
uint32_t handover_substeps(const struct world *world, double dt);
/* Whether the substeps are longer than the solver can handle; this is then reported for all bodies that it drives
 * (BODY_FLAG_FAST). */
bool handover_falls_short(const struct world *world);
/* Starts substep 0..world.step.substeps-1 of the tick: solves, and writes the paths of all bodies that are driven or released.
 * In the first substep nothing is predicted yet; in later ones all events up to its start have been resolved. Failure sets
 * world->failed. */
void handover_substep(struct world *world, unsigned substep);
/* A body has ended: the solver is not offered it any more. */
void handover_leave(struct world *world, uint32_t body);
/* Replaces handover_substep in a substep without the solver: walls move all the same. */
void handover_pass(struct world *world);
/* Replaces handover_substep and all later ones once no work is left: solver-driven bodies stand still from there on. */
void handover_cut(struct world *world, unsigned substep);
/* Whether anything moves, or is moved by walls: otherwise there are no events. */
bool world_stirs(const struct world *world);
/* Predicts all paths that handover_substep has made, or everything if nothing is predicted yet. */
void handover_predict(struct world *world, unsigned substep);

/* Resolves an event of a solver-driven body that is no collision: the solver handles the pair itself, or the bodies approach by
 * their displacements and not by their velocities. Both sides stand still up to the end of the substep. False: resolve it as an
 * event. */
bool handover_event(struct world *world, const struct event *event);
#endif
