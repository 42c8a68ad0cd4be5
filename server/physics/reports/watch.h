/* watch: observes a world: the paths of the tick as pieces, and the reports about pairs (struct pair_event).
 *
 * All of it is computed from the paths when the sweep is done, before bodies are moved to their ends. It changes no path and no
 * hash, and a world that asks for no events has no watch. Belongs to the world; one thread.
 *
 * What can go wrong: memory, or more rows than world.settings.contacts_per_tick_max allows (world->failed). Without memory for
 * the paths of WORLD_EVENTS_CHANGED_PATHS these are lost, and nothing fails.
 *
 * The room reports/: what is told of paths, touches and sensors, from the paths of a tick. It uses prediction, rest_solver,
 * world. It is called by contact, resting, events, phases, tick, state. */
#ifndef COLLIDED_REPORTS_WATCH_H
#define COLLIDED_REPORTS_WATCH_H

#include "physics/geometry/toi.h"
#include "physics/world/world.h"

/* A path that has ended in this tick, and when. The last path of each body is in world->bodies.paths. */
struct piece {
	struct body path;
	double angle, spin; /* where it began */
	double end;
	uint32_t body;
	uint32_t next; /* next piece of the same body, or NONE */
	uint8_t kind;  /* enum path_piece_kind */
};

/* Where a body's pieces are in watch.ordered. */
struct piece_range {
	uint32_t begin, end;
};

/* State between ticks, for snapshots: a pair that touches, or one that is inside a sensor. */
enum { TIE_TOUCH = 0, TIE_INSIDE = 1 };

struct tie_row {
	uint32_t a, b;
	uint8_t kind;
};

/* Two shapes: a is a body; b is a body, or a segment | PARTNER_SEGMENT. */
struct tie {
	uint32_t a, b;
};

/* A pair that an edit ended between two ticks. It is reported at the start of the next tick, by ids, because the shapes may be
 * gone. */
struct drop {
	uint32_t a, b;
	uint8_t kind;  /* PAIR_EVENT_END or PAIR_EVENT_EXIT */
	uint8_t other; /* enum contact_other */
};

/* A report with what determines its place in the order. */
struct told {
	struct pair_event event;
	uint32_t cause; /* TOLD_DROP, TOLD_PATH, TOLD_FIRST + number of the cause, TOLD_LAST */
	uint32_t rank;  /* among reports of one cause */
};

enum { TOLD_DROP = 0, TOLD_PATH = 1, TOLD_FIRST = 2 };
#define TOLD_LAST UINT32_MAX

struct touches;
struct sensor_watch;

struct watch {
	/* Within a tick. */
	struct piece *pieces;
	size_t piece_count, piece_capacity;
	uint32_t *first, *last; /* piece of each body, or NONE */
	bool *replaced;         /* whether a body's path was replaced or moved: WORLD_EVENTS_CHANGED_PATHS */
	/* At the tick's end: the pieces of one body after the other, in order of time; and where those of each body are. */
	uint32_t *ordered;
	size_t ordered_capacity;
	struct piece_range *ranges;

	struct touches *touches;           /* NULL: not wanted */
	struct sensor_watch *sensor_watch; /* NULL: there are no sensors */

	struct drop *drops; /* state between ticks */
	size_t drop_count, drop_capacity;

	/* What the last tick reports. */
	struct told *told;
	size_t told_count, told_capacity;
	struct pair_event *events; /* the same in order */
	size_t event_count, event_capacity;
	struct path_piece *rows;
	size_t row_count, row_capacity;

	/* WORLD_EVENTS_CHANGED_PATHS. */
	bool lost; /* the tick has no memory for the rows: none are made, nor pieces, unless reports need these */
	bool busy; /* an array of these grows, and is not to be freed meanwhile */
};

/* Gives a world the watch that its definition asks for, or none. False without memory. */
bool watch_create(struct world *world);
/* Whether or not the definition asks for it. */
bool watch_make(struct world *world);
void watch_destroy(struct watch *watch);
size_t watch_memory_bytes(const struct watch *watch);

/* Rows ascend by (kind, a, b). */
size_t watch_tie_count(const struct world *world);
struct tie_row watch_tie(const struct world *world, size_t index);
int watch_tie_compare(const struct tie_row *left, const struct tie_row *right);
/* Whether such a pair is possible. */
bool watch_tie_fits(const struct world *world, const struct tie_row *row);
/* Restores a watch that is empty; all rows are possible and ascend. False without memory. */
bool watch_restore(struct world *world, const struct tie_row *rows, size_t count, const struct drop *drops, size_t drop_count);

/* The state between ticks in memory, for a return (keep.h): counts, and the ties and drops themselves. */
struct watch_kept {
	bool watched, touched; /* there is a watch; it follows touches */
	bool requery;          /* its sensors look at all bodies next */
	size_t touch_count, inside_count, drop_count;
};

struct watch_kept watch_kept_of(const struct world *world);
size_t watch_kept_bytes(const struct watch_kept *kept);
void watch_kept_write(const struct world *world, void *out);
/* Makes room for a return, in a world that watches the same. False without memory; then nothing has changed. */
bool watch_kept_reserve(struct world *world, const struct watch_kept *kept);
/* Returns to it. */
void watch_kept_return(struct world *world, const struct watch_kept *kept, const void *in);

struct edit_map;

/* Between two ticks, when shapes are added, removed or changed. Gives the world that replaces `world` a watch that continues
 * its watch. Pairs that end by the edit are reported at time 0 of the next tick. False without memory; the caller must then
 * call watch_destroy(next->watch). */
bool watch_follow(struct world *next, const struct world *world, const struct edit_map *map);

/* Gives one watch the rows of the last tick that are another's, so that they stay valid. */
void watch_rows_take(struct watch *to, struct watch *from);

void watch_begin(struct world *world);
/* To be called before a body's path is replaced at `time`, or moved at 0. */
void watch_path_end(struct world *world, uint32_t body, double time);
/* Makes the tick's rows; bodies still have their last paths. Failure sets world->failed. */
void watch_finish(struct world *world);

/* watch_spare.c */
/* The body has no pieces; none has. */
void watch_body_forget(struct watch *watch, uint32_t body);
void watch_pieces_forget(struct watch *watch);
void watch_rows_free(struct watch *watch);
/* After the last look at a tick's reports: the memory of small ones is for the next world's tick on this thread. */
void watch_leave(struct watch *watch);
/* Whether the tick can do without its paths, and without pieces: reports of pairs are made of these, too. */
bool watch_paths_are_spare(const struct world *world);
bool watch_pieces_are_spare(const struct world *world);
/* It does without them. */
void watch_paths_lose(struct world *world);
/* What a tick can do without, and then what its caller can: the paths of WORLD_EVENTS_CHANGED_PATHS. */
struct memory_spare watch_spare(struct world *world);
/* Whether the last tick has none of these for want of memory. */
bool watch_has_lost(const struct world *world);
/* Whether a world can be without a watch until the next world_events_set: the paths are lost then. */
bool watch_is_spare(const struct world *world);

#endif
