/* work: the cost of a tick, counted, so that a tick can be bounded without a clock. Internal.
 *
 * A tick may use world_def.work_per_tick_max and, for each body, work_per_body_max. Counted is what depends on the order of
 * events alone: resolved events, iterations within a cluster, sweeps of the rest solver. The cost of cells, threads,
 * predictions and repeated ticks is not counted, so that the same bodies are parked whatever these are. A unit is some 10 ns on
 * the machine of docs/performance.md. The weights (math/work_meter.h) are what each kind took there, fitted to searched scenes
 * and to rooms.
 *
 * What does not fit is not begun, nor is anything after it. A body that then has an event is parked there (event_cut); what the
 * rest solver drives is parked at the next substep (handover_cut). */
#ifndef COLLIDED_CONTACT_WORK_H
#define COLLIDED_CONTACT_WORK_H

#include "physics/math/work_meter.h"

struct cluster;
struct event;
struct world;

/* Sets the limit of the tick. */
void work_begin(struct world *world);
/* The work of a cluster's size and surroundings, and of the prediction of its members. */
uint64_t cluster_units(const struct world *world, const struct cluster *cluster);
/* Counts work that is paid for towards the next question whether to go on (base/pause.h). */
void units_note(uint64_t units);
/* Pays for it. */
bool cluster_pay(struct world *world, const struct cluster *cluster);
/* Replaces an event that does not fit: the bodies that it moves stand still from now on. */
void event_cut(struct world *world, const struct event *event);

#endif
