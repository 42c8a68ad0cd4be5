/* edit_map: maps each index to its new one when an edit adds or removes bodies and segments (state/edit_map.c makes it). All
 * data that is kept by index over ticks follows it. */
#ifndef COLLIDED_WORLD_EDIT_MAP_H
#define COLLIDED_WORLD_EDIT_MAP_H

#include <stdbool.h>
#include <stdint.h>

/* Bits: what an edit did to a body or segment that stays. */
enum {
	TOUCH_MOTION = 1, /* its velocity, angle or spin */
	TOUCH_CHANGED = 2,
	TOUCH_PLACED = 4, /* it is new, or its place, size or kind has changed */
};

/* Old indices to new ones, in ascending order. Arrays are by old index unless they say otherwise. */
struct edit_map {
	uint32_t body_count, segment_count;         /* old */
	uint32_t body_count_new, segment_count_new; /* new */
	uint32_t *body_to, *segment_to;             /* NONE: removed, or replaced */
	uint8_t *body_touched, *segment_touched;    /* by new index */
	uint8_t *wakes;                             /* by the first body of each sleep island: whether it wakes */
	bool walls;                                 /* the walls' columns are made anew */
	bool switched;                              /* some segment is enabled or disabled */
	bool segments_edited;                       /* more is done to some segment than that */
	bool spawns;                                /* something is new */
	bool meets;                                 /* something may overlap that did not */
	bool gravity;                               /* the world's is another: all that sleeps wakes */
};

#endif
