/* path_rows: rows of ticks that wait for the next update of an encoder, as they will stand in its Paths. */
#ifndef COLLIDED_WORLDS_PATHS_PATH_ROWS_H
#define COLLIDED_WORLDS_PATHS_PATH_ROWS_H

#include "base/buffer.h"
#include "base/status.h"
#include "worlds/paths/path_names.h"
#include "worlds/paths/path_tick.h"

/* Initialize with all 0. A failed append is noted in the buffers. */
struct path_rows {
	struct buffer changes;                  /* whole fields */
	struct buffer rows_in_tick, body, what; /* contents of packed fields */
	struct buffer codes, values;            /* a code in each byte */
	/* Velocities that are named. NULL: none so far. */
	struct path_names *names;
	uint32_t name_next; /* how many went there: the next one's place, modulo PATH_NAMES */
	bool names_anew;    /* readers are to be told that the table is empty */
	size_t told;        /* bytes of rows_in_tick up to the last tick with rows */
	size_t row_count;
};

void path_rows_finish(struct path_rows *rows);
/* Nothing waits, and some reader has another table: for all it is empty from here on, and the next rows say so. */
void path_rows_forget_names(struct path_rows *rows);
/* Whether there is something in it. */
static inline bool
path_rows_have_names(const struct path_rows *rows)
{
	return rows->name_next > 0;
}
/* False without memory; to be finished in any case. */
STATUS_MUST_USE bool path_rows_copy(struct path_rows *to, const struct path_rows *from);
/* A serialized WorldChange before the next tick. */
void path_rows_add_change(struct path_rows *rows, const uint8_t *bytes, size_t count);
/* The rows of the last tick, `told` for such readers. `places`: of each circle of its list its place in the reader's list, or
 * PATH_NO_PLACE; NULL: the same. `leaves`: places in the tick's list of circles that leave the reader's at the end. */
#define PATH_NO_PLACE UINT32_MAX
void path_rows_add_tick(struct path_rows *rows, const struct path_told *told, const uint32_t *places, const uint32_t *leaves,
                        size_t leave_count);
/* Of all that waits. */
size_t path_rows_bytes(const struct path_rows *rows);
bool path_rows_failed(const struct path_rows *rows);
/* Appends WorldUpdate.paths with all that waits, if there is something, and forgets it. */
void path_rows_take(struct path_rows *rows, struct buffer *out);

#endif
