#include "physics/map/map_row.h"

#include "client/cli/maps/map_region.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The walls as the region wants them; NULL without memory. */
static struct build_segment *
walls_copy(const struct world_def *def, size_t *count)
{
	struct build_segment *walls = calloc(def->segment_count + 1, sizeof *walls);
	for (size_t i = 0; walls && i < def->segment_count; i++) {
		const struct segment_def *segment = &def->segments[i];
		if (!segment->sensor)
			walls[(*count)++] = segment_between(segment->x1, segment->y1, segment->x2, segment->y2, segment->restitution);
	}
	return walls;
}

/* The closed rooms that the circles begin in, by flooding a grid: a second witness beside the certificate, which neither it nor
 * the engine has a part in. Borrows the walls. */
static struct map_region *
rooms_find(const struct world_def *def, const struct build_segment *walls, size_t wall_count, struct map_row *row)
{
	struct map_region *rooms = NULL;
	for (size_t i = 0; i < def->circle_count; i++) {
		const struct circle_def *circle = &def->circles[i];
		if (!rooms) {
			rooms = map_region_create(walls, wall_count, circle->x, circle->y, circle->radius, row->problem,
			                          sizeof row->problem);
			if (!rooms)
				return NULL;
		} else if (!map_region_add(rooms, circle->x, circle->y, row->problem, sizeof row->problem)) {
			map_region_destroy(rooms);
			return NULL;
		}
	}
	return rooms;
}

static uint64_t
strays_count(const struct map_scene *map, const struct map_region *rooms)
{
	uint64_t strays = 0;
	for (size_t i = 0; i < world_body_count(map->world); i++) {
		const struct body_state body = world_body(map->world, i);
		strays += !map_region_holds(rooms, body.x, body.y);
	}
	return strays;
}

static void
certificate_take(struct map_row *row, const struct certificate_report *report)
{
	row->escapes = report->escapes;
	row->overlaps = report->overlaps;
	row->jumps = report->jumps;
	row->largest_overlap = report->largest_overlap;
	row->event_faults = report->event_faults;
}

/* What the ledger leaves unexplained, in parts of its terms. */
static double
ledger_off(const struct energy_ledger *e)
{
	const double off = e->kinetic_after - e->kinetic_before + e->potential_after - e->potential_before -
	                   (e->contact + e->work + e->push + e->clip + e->support + e->sleep);
	return fabs(off) / (e->kinetic_before + fabs(e->potential_before) + fabs(e->potential_after) + 1e-300);
}

static bool
tick_run(struct map_scene *map, const struct map_region *rooms, double kinetic_first, struct map_row *row)
{
	struct tick_report report;
	if (!map_scene_tick(map, &report, row->problem, sizeof row->problem))
		return false;
	row->engine_seconds = map->engine_seconds;
	row->ticks++;
	row->events += report.events;
	row->collisions += report.collisions;
	row->shortfalls += report.shortfall_count;
	if (map->def.events != 0)
		row->drift = fmax(row->drift, ledger_off(&report.energy));
	else
		row->drift = fmax(row->drift, fabs(map_scene_kinetic(map) / kinetic_first - 1));
	row->strays += strays_count(map, rooms);
	for (size_t i = 0; i < report.pair_event_count; i++) {
		row->begins += report.pair_events[i].kind == PAIR_EVENT_BEGIN;
		row->enters += report.pair_events[i].kind == PAIR_EVENT_ENTER;
	}
	certificate_take(row, certified_report(map->certified));
	return true;
}

/* Says what a whole run has against it. */
static void
row_judge(const struct map_scene *map, uint64_t ticks, struct map_row *row)
{
	const struct certificate_report *report = certified_report(map->certified);
	if (report->first_problem[0] != '\0')
		(void)snprintf(row->problem, sizeof row->problem, "%s", report->first_problem);
	else if (row->escapes + row->overlaps + row->jumps > 0 || row->largest_overlap > 0)
		(void)snprintf(row->problem, sizeof row->problem, "largest overlap %.3g", row->largest_overlap);
	else if (report->ticks != ticks)
		(void)snprintf(row->problem, sizeof row->problem, "only %" PRIu64 " ticks were certified", report->ticks);
	else if (row->strays > 0)
		(void)snprintf(row->problem, sizeof row->problem, "%" PRIu64 " times a circle was outside", row->strays);
	else if (row->shortfalls > 0)
		(void)snprintf(row->problem, sizeof row->problem, "%" PRIu64 " shortfalls", row->shortfalls);
	else if (!(row->drift <= MAP_DRIFT_MAX))
		(void)snprintf(row->problem, sizeof row->problem, "energy drift %.3g", row->drift);
	else if (row->event_faults > 0)
		(void)snprintf(row->problem, sizeof row->problem, "%" PRIu64 " faults of events", row->event_faults);
	else if (row->collisions == 0)
		(void)snprintf(row->problem, sizeof row->problem, "nothing ever collided");
}

void
map_row_measure(const struct map_order *order, uint64_t ticks, map_row_tick_fn on_tick, void *context, struct map_row *row)
{
	struct map_scene map;
	*row = (struct map_row){ 0 };
	if (!map_scene_init(&map, order, row->problem, sizeof row->problem))
		return;
	struct build_segment *walls = walls_copy(&map.def, &row->walls);
	row->doors = map.def.segment_count - row->walls;
	struct map_region *rooms = walls ? rooms_find(&map.def, walls, row->walls, row) : NULL;
	const double kinetic = map_scene_kinetic(&map);
	bool good = rooms != NULL;
	for (uint64_t tick = 0; tick < ticks && good; tick++) {
		good = tick_run(&map, rooms, kinetic, row);
		on_tick(context, row);
	}
	if (good)
		row_judge(&map, ticks, row);
	else if (row->problem[0] == '\0')
		(void)snprintf(row->problem, sizeof row->problem, "no memory");
	map_region_destroy(rooms);
	free(walls);
	map_scene_finish(&map);
}
