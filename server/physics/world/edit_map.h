/* edit_map: where each index goes when an edit adds or removes bodies and segments (state/edit_map.c makes it). Whatever is
 * kept by index over ticks follows it. */
#ifndef COLLIDED_WORLD_EDIT_MAP_H
#define COLLIDED_WORLD_EDIT_MAP_H

#include <stdbool.h>
#include <stdint.h>

/* Bits of what an edit did to one that stays. */
enum {
	TOUCH_MOTION = 1, /* its velocity, angle or spin */
	TOUCH_CHANGED = 2,
	TOUCH_PLACED = 4, /* it is new, or not where it was, or of another size or kind */
};

/* Old indices to new ones, which ascend. Arrays by old index, or by new one where it says so. */
struct edit_map {
	uint32_t body_count, segment_count;         /* old */
	uint32_t body_count_new, segment_count_new; /* new */
	uint32_t *body_to, *segment_to;             /* NONE: removed, or replaced */
	uint8_t *body_touched, *segment_touched;    /* by new index */
	uint8_t *wakes;                             /* by the first body of those that sleep together: whether they wake */
	bool walls;                                 /* some segment is edited */
	bool spawns;                                /* something is new */
	bool meets;                                 /* something may overlap that did not */
};

#endif
