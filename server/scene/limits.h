/* limits: what a scene and a Simulate may ask for unless the server is configured otherwise, and the sizes of what is sent.
 * Over one of the announced limits: RESOURCE_EXHAUSTED, reason LIMIT (or MEMORY). */
#ifndef COLLIDED_SCENE_LIMITS_H
#define COLLIDED_SCENE_LIMITS_H

/* Defaults of struct scene_limits. */
#define SCENE_CIRCLES_MAX 1000000u /* what the engine is built for */
#define SCENE_SEGMENTS_MAX 1000000u
#define SCENE_HAND_WRITTEN_MAX 10000u      /* of either form; one costs about 200 bytes to unpack, a row of columns 50 */
#define SCENE_TICKS_MAX 10000000u          /* a Simulate; two days of game time at 60 ticks a second */
#define SCENE_EVENTS_PER_BODY_MAX 1000000u /* the most that the engine takes */
/* Of counted work (tick_cost.h): a tick of some seconds, and of as many more as there are thousands of circles. */
#define SCENE_WORK_PER_TICK_MAX UINT64_C(1000000000)
#define SCENE_WORK_PER_BODY_MAX UINT64_C(1000000)
#define SCENE_CONTACTS_PER_TICK_MAX 4194304u       /* four for each of the most circles; half a gigabyte in the engine */
#define SCENE_DEADLINE_MS_MAX 3600000u             /* ms; an hour: a forgotten Simulate ends */
#define SCENE_MEMORY_BYTES_MAX (UINT64_C(2) << 30) /* of a world and its scene: the largest scene with its contacts */

/* Of Detect and Respond. A tolerance in length units, as large as any coordinate; weights, as masses. */
#define SCENE_TOLERANCE_MAX 1e12
#define SCENE_WEIGHT_MAX 1e15
/* Rows of one part of a Detected, Responded or Queried (there of each table): under a megabyte, so that a slow reader costs
 * little. */
#define SCENE_QUERY_ROWS_MAX 4096u

/* What a world will hold, for refusing before building; the world is measured again once built and after every tick. */
#define SCENE_BYTES_PER_CIRCLE 640u  /* definition, body, grid and queue entries, rows on their way out */
#define SCENE_BYTES_PER_SEGMENT 768u /* definition, segment and where it moves, its two vertices, cells of the grid */

/* What a request's arena may take (scene_arena_bytes). Packed columns unpack to at most four times their bytes (an enum: one
 * to four), shapes by hand to about 190 bytes each. Elements sent one by one unpack to 6 times (all columns) or 34 times
 * (enums alone). */
#define SCENE_ARENA_BYTES_PER_MESSAGE_BYTE 8u
#define SCENE_ARENA_BYTES_PER_HAND_WRITTEN 320u /* with the unpacker's own bookkeeping */
#define SCENE_ARENA_BYTES_MIN 65536u            /* messages so small that their form does not matter */

/* Worlds of more circles have scratch memory of their own. Shared memory would grow with the largest of them, and would not be
 * counted as theirs. */
#define SCENE_WORKSPACE_CIRCLES_MAX 1024u

/* Bytes of one part of a Snapshot: as many as a frame of 20,000 circles has. Stated in collide.proto. */
#define SCENE_SNAPSHOT_PART_BYTES 1048576u

/* Rows of one part of a frame. Bounds a message to SCENE_PART_BYTES_MAX, and what a Simulate keeps between ticks. */
#define SCENE_BODY_ROWS_MAX 65536u
#define SCENE_CONTACT_ROWS_MAX 16384u /* also of each other table */
#define SCENE_BODY_ROW_BYTES 52u      /* on the wire */
#define SCENE_CONTACT_ROW_BYTES 178u
#define SCENE_PATH_CHANGE_ROW_BYTES 37u
#define SCENE_SHORTFALL_ROW_BYTES 21u
#define SCENE_PAIR_EVENT_ROW_BYTES 74u
#define SCENE_PATH_ROW_BYTES 68u
#define SCENE_PART_OVERHEAD_BYTES 1024u /* tags, lengths, scalars and energy */
#define SCENE_PART_BYTES_MAX                                                                                       \
	(SCENE_BODY_ROWS_MAX * SCENE_BODY_ROW_BYTES +                                                                  \
	 SCENE_CONTACT_ROWS_MAX * (SCENE_CONTACT_ROW_BYTES + SCENE_PATH_CHANGE_ROW_BYTES + SCENE_SHORTFALL_ROW_BYTES + \
	                           SCENE_PAIR_EVENT_ROW_BYTES + SCENE_PATH_ROW_BYTES) +                                \
	 SCENE_PART_OVERHEAD_BYTES)

#endif
