/* watch: who looks at a world: the paths of the tick as pieces, and what is told of pairs (struct pair_event).
 *
 * All of it is computed from the paths when the sweep is done, before bodies are moved to their ends. It changes no path and no
 * hash, and a world that asks for nothing has no watch. Belongs to the world; one thread.
 *
 * What can go wrong: memory, or more rows than world.settings.contacts_per_tick_max allows (world->failed). */
#ifndef COLLIDED_REPORTS_WATCH_H
#define COLLIDED_REPORTS_WATCH_H

#include "physics/geometry/toi.h"
#include "physics/world/world.h"

/* A path that has ended in this tick, and when. The last one of each body is in world->bodies.paths. */
struct piece {
	struct body path;
	double end;
	uint32_t body;
	uint32_t next; /* of the same body, or NONE */
};

/* State between ticks, for snapshots: a pair that touches, or one that is inside. */
enum { TIE_TOUCH = 0, TIE_INSIDE = 1 };

struct tie_row {
	uint32_t a, b;
	uint8_t kind;
};

/* Two shapes: a is a body; b is a body, or a segment | PARTNER_SEGMENT. */
struct tie {
	uint32_t a, b;
};

/* What ended from outside between two ticks: told at the start of the next one, by ids, for the shapes may be gone. */
struct drop {
	uint32_t a, b;
	uint8_t kind;  /* PAIR_EVENT_END or PAIR_EVENT_EXIT */
	uint8_t other; /* enum contact_other */
};

/* An event with what decides its place in the order. */
struct told {
	struct pair_event event;
	uint32_t cause; /* TOLD_DROP, TOLD_PATH, TOLD_FIRST + number of what caused it, TOLD_LAST */
	uint32_t rank;  /* of equal cause */
};

enum { TOLD_DROP = 0, TOLD_PATH = 1, TOLD_FIRST = 2 };
#define TOLD_LAST UINT32_MAX

struct touches;
struct senses;

struct watch {
	/* Within a tick. */
	struct piece *pieces;
	size_t piece_count, piece_capacity;
	uint32_t *first, *last; /* piece of each body, or NONE */

	struct touches *touches; /* NULL: not asked for */
	struct senses *senses;   /* NULL: there is nothing that senses */

	struct drop *drops; /* state between ticks */
	size_t drop_count, drop_capacity;

	/* What the last tick reports. */
	struct told *told;
	size_t told_count, told_capacity;
	struct pair_event *events; /* the same in order */
	size_t event_count, event_capacity;
	struct path_piece *rows;
	size_t row_count, row_capacity;
};

/* Gives a world the watch that its definition asks for, or none. False without memory. */
bool watch_create(struct world *world);
/* Whether the definition asks or not. */
bool watch_make(struct world *world);
void watch_destroy(struct watch *watch);
size_t watch_memory_bytes(const struct watch *watch);

/* Rows ascend by (kind, a, b). */
size_t watch_tie_count(const struct world *world);
struct tie_row watch_tie(const struct world *world, size_t index);
int watch_tie_compare(const struct tie_row *left, const struct tie_row *right);
/* Whether such a pair can be. */
bool watch_tie_fits(const struct world *world, const struct tie_row *row);
/* Into a watch that has none; all fit and ascend. False without memory. */
bool watch_restore(struct world *world, const struct tie_row *rows, size_t count, const struct drop *drops, size_t drop_count);

struct edit_map;

/* Between two ticks, when shapes come, go or change: gives the world that takes `world`'s place a watch that goes on from its.
 * What ends by it is told at time 0 of the next tick. False without memory; watch_destroy(next->watch) is then the caller's. */
bool watch_follow(struct world *next, const struct world *world, const struct edit_map *map);

void watch_begin(struct world *world);
/* A body's path is about to be replaced at `time`. */
void watch_path_end(struct world *world, uint32_t body, double time);
/* Makes the tick's rows; bodies still have their last paths. Failure sets world->failed. */
void watch_finish(struct world *world);

#endif
