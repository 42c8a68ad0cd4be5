/* sense: who is inside a sensor, from the paths: PAIR_EVENT_ENTER and PAIR_EVENT_EXIT. physics.h says what they mean.
 *
 * One thread; belongs to the watch. */
#ifndef COLLIDED_REPORTS_SENSOR_H
#define COLLIDED_REPORTS_SENSOR_H

#include "physics/reports/watch.h"

/* Whether anything in the world senses. */
bool senses_wanted(const struct world *world);
/* NULL without memory. */
struct senses *senses_create(const struct world *world);
void senses_destroy(struct senses *senses);
size_t senses_memory_bytes(const struct senses *senses);

/* Bodies were moved otherwise than along their paths, or what there is has changed: look for all. */
void senses_stir(struct senses *senses);
void senses_finish(struct world *world);

/* The state between ticks: pairs ascending by (a, b). */
size_t senses_count(const struct senses *senses);
struct tie senses_at(const struct senses *senses, size_t index);
/* For restoring: behind all others. False without memory. */
bool senses_add(struct senses *senses, struct tie tie);

#endif
