/* sensor: which bodies are inside a sensor, from the paths: PAIR_EVENT_ENTER and PAIR_EVENT_EXIT. physics.h defines them.
 *
 * One thread; belongs to the watch. */
#ifndef COLLIDED_REPORTS_SENSOR_H
#define COLLIDED_REPORTS_SENSOR_H

#include "physics/reports/watch.h"

/* Whether the world has any sensors. */
bool senses_wanted(const struct world *world);
/* NULL without memory. */
struct sensor_watch *senses_create(const struct world *world);
void senses_destroy(struct sensor_watch *sensor_watch);
size_t senses_memory_bytes(const struct sensor_watch *sensor_watch);

/* Bodies were moved otherwise than along their paths, or the set of shapes has changed: all must be queried. */
void sensor_watch_requery(struct sensor_watch *sensor_watch);
void senses_finish(struct world *world);

/* The state between ticks: pairs ascending by (a, b). */
size_t senses_count(const struct sensor_watch *sensor_watch);
struct tie senses_at(const struct sensor_watch *sensor_watch, size_t index);
/* For a return: whether all bodies are queried next; all pairs, ascending, in memory; makes room for so many, false without
 * memory; replaces all pairs by them. */
bool senses_requery(const struct sensor_watch *sensor_watch);
void senses_write(const struct sensor_watch *sensor_watch, struct tie *out);
bool senses_reserve(struct sensor_watch *sensor_watch, size_t count);
void senses_return(const struct world *world, const struct tie *in, size_t count, bool requery);
/* For restoring: appends a pair after all others. False without memory. */
bool senses_add(struct sensor_watch *sensor_watch, struct tie tie);
/* The sensors, and what lies in groups that sense. */
size_t senses_sensor_count(const struct sensor_watch *sensor_watch);

#endif
