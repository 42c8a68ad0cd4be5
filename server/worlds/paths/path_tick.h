/* path_tick: the rows of a tick for readers of paths, made once for all of them. Readers with `driven_legs` get other rows of
 * circles that the rest solver drives, and have the same after the tick.
 *
 * path_tick_begin is called before the engine's step, when commands have changed what they change, path_tick_make after it. A
 * false answer of either is for want of memory; then only path_tick_finish may follow. */
#ifndef COLLIDED_WORLDS_PATHS_PATH_TICK_H
#define COLLIDED_WORLDS_PATHS_PATH_TICK_H

#include "base/buffer.h"
#include "worlds/paths/path_code.h"
#include "worlds/paths/reader_circle.h"

/* Bits of a row, PathWhat of the schema. Numbers are told in the order of their bits. */
enum path_what {
	PATH_BIT_TIME = 1,
	PATH_BIT_FREE = 2,
	PATH_BIT_DRIVEN = 4,
	PATH_BIT_VX = 8,
	PATH_BIT_VY = 16,
	PATH_BIT_X = 32,
	PATH_BIT_Y = 64,
	PATH_BIT_END = 128,
	PATH_BIT_SPIN = 256,
	PATH_BIT_ANGLE = 512,
	PATH_BIT_AX = 1024,
	PATH_BIT_AY = 2048,
	PATH_BIT_HELD = 4096,
	PATH_BIT_ASLEEP = 8192,
	PATH_BIT_REMOVED = 16384,
};

#define PATH_NUMBERS_MAX 8
#define PATH_NUMBER_BITS \
	(PATH_BIT_VX | PATH_BIT_VY | PATH_BIT_X | PATH_BIT_Y | PATH_BIT_SPIN | PATH_BIT_ANGLE | PATH_BIT_AX | PATH_BIT_AY)

struct path_row {
	double time;
	uint32_t body;  /* place in the reader's list */
	uint32_t what;  /* without PATH_BIT_TIME */
	uint32_t order; /* in which it was made */
	uint32_t number_count;
	double mass; /* of the circle; 0: it is not dynamic */
	bool leg;    /* it begins a straight piece of a driven circle: nothing foretells its velocity but its base */
	/* In the order of their bits; and what the reader takes each for, before it is told. */
	double numbers[PATH_NUMBERS_MAX], bases[PATH_NUMBERS_MAX];
};

/* Where the centre of a circle was in a tick, and at its end. */
struct path_span {
	double x0, y0, x1, y1;
	double x, y;
	bool ended;
};

struct path_row_list {
	struct path_row *rows;
	size_t count, capacity;
};

/* Rows in the order in which they are told: within the tick, and at its end. */
struct path_told {
	struct path_row_list rows, end_rows;
};

/* Which readers. */
enum { PATH_TOLD_PLAIN, PATH_TOLD_LEGS, PATH_TOLD_COUNT };

struct path_tick {
	struct reader_circle *circles; /* as all readers have them after the last tick, ascending by id */
	size_t count, capacity;
	struct reader_kinds kinds;
	struct reader_circle *starts; /* edited: as the world has them before the step */
	size_t start_capacity;
	bool edited;
	double dt, speed_max;

	/* Of the last tick, if regions need it: what readers had before it, in the order of its list, and where that was then. */
	bool spans_wanted;
	struct reader_circle *befores;
	struct path_span *spans;
	size_t before_count, before_capacity, span_capacity;

	/* Of the last tick. */
	struct path_told told[PATH_TOLD_COUNT];
	bool legs_wanted;      /* else there is nothing in told[PATH_TOLD_LEGS] */
	unsigned teller;       /* in the making: for which of them, */
	struct reader_time at; /* and of which circle */
	/* Of each circle of the list 1 + the place of its end in the report, 0: none; NULL: none has ended so far. */
	uint32_t *ends;
	size_t ends_capacity;
};

/* What it is, in a list of the tick. */
static inline const struct reader_kind *
path_tick_kind(const struct path_tick *tick, const struct reader_circle *circle)
{
	return &tick->kinds.items[circle->kind];
}

void path_tick_init(struct path_tick *tick, double dt);
void path_tick_finish(struct path_tick *tick);
/* Takes the world as it is: readers begin with a key. False without memory. */
bool path_tick_start(struct path_tick *tick, const struct world *world);
/* `anew`: ids of circles that are told anew before this tick, ascending, `anew_count` of them; `listed`: they, or what was
 * removed, have changed the list. `edited`: commands or forces may have changed states. */
bool path_tick_begin(struct path_tick *tick, const struct world *world, const uint32_t *anew, size_t anew_count, bool listed,
                     bool edited);
/* Makes the rows of the step. */
bool path_tick_make(struct path_tick *tick, const struct world *world, const struct tick_report *report);

#endif
