/* collide_query.h: the questions of collide_query and their answers. A part of collide.h, which includes it: include that.
 *
 * The meaning of every field is that of the message of the same name in collide/v1/collide.proto. */
#ifndef COLLIDE_QUERY_H
#define COLLIDE_QUERY_H

#ifndef COLLIDE_H
#error "include collide.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The query's filter: it meets a shape if the mask of each has a bit of the other's category. Columns of as many rows as the
 * questions. */
struct collide_asker {
	struct collide_uint32s category;      /* default 1 */
	struct collide_uint32s mask;          /* default all bits */
	struct collide_int32s filter_group;   /* default 0; as a circle's */
	struct collide_uint32s ignore_circle; /* an id that the row leaves out; default none */
	struct collide_uint32s ignore_segment;
};

/* How a cast treats shapes that it overlaps where it starts. */
enum collide_cast_start {
	COLLIDE_START_HITS = 1,       /* they are hit at fraction 0; the default */
	COLLIDE_START_APPROACHES = 2, /* only if it goes deeper into them */
	COLLIDE_START_PASSES = 3,     /* they are not hit */
};

/* Rays, and circles that move straight from (x, y) by (move_x, move_y). */
struct collide_casts {
	uint32_t count; /* rows; 0: the length of the longest column */
	struct collide_doubles x, y, move_x, move_y;
	struct collide_doubles radius; /* default 0: a ray */
	struct collide_uint32s start;  /* enum collide_cast_start */
	struct collide_uint32s limit;  /* hits, the first of them; 0: all; default 1 */
	struct collide_asker asker;
};

/* The shapes that are in, or touch, a circle or a point; */
struct collide_in_circles {
	uint32_t count;
	struct collide_doubles x, y;
	struct collide_doubles radius; /* default 0: a point */
	struct collide_uint32s limit;  /* 0, the default: all */
	struct collide_asker asker;
};

/* an axis-aligned box; */
struct collide_in_boxes {
	uint32_t count;
	struct collide_doubles x_min, y_min, x_max, y_max;
	struct collide_uint32s limit;
	struct collide_asker asker;
};

/* a segment. */
struct collide_in_segments {
	uint32_t count;
	struct collide_doubles x1, y1, x2, y2;
	struct collide_uint32s limit;
	struct collide_asker asker;
};

/* The shapes nearest to a circle or a point. */
struct collide_nearest {
	uint32_t count;
	struct collide_doubles x, y;
	struct collide_doubles radius;  /* default 0: a point */
	struct collide_doubles gap_max; /* default: no limit */
	struct collide_uint32s limit;   /* how many; 0: all; default 1 */
	struct collide_asker asker;
};

/* Circles that are pushed by (move_x, move_y) and slide along obstacles, never into them. */
struct collide_moves {
	uint32_t count;
	struct collide_doubles x, y;
	struct collide_doubles radius; /* must be given */
	struct collide_doubles move_x, move_y;
	struct collide_doubles skin;     /* distance at which they stop; 0, the default: a millionth of the radius */
	struct collide_uint32s legs_max; /* 0, the default: 256 */
	struct collide_asker asker;
};

/* Questions about a scene, or a snapshot. At least one kind is given; the others are NULL. */
/* A moment of a world on the server: `time` seconds after the state of a tick. By a seat's handle; or, with handle 0, by any of
 * the world's secrets. */
struct collide_moment {
	uint32_t handle;
	const char *world;
	const void *secret;
	size_t secret_bytes;
	uint64_t epoch;
	bool has_tick; /* else the last one made */
	uint64_t tick; /* within its history */
	double time;   /* 0 to the world's dt */
};

struct collide_questions {
	/* What is asked, one of three; the others NULL: */
	const struct collide_scene *scene;
	const void *snapshot; /* the bytes of a snapshot */
	size_t snapshot_bytes;
	const struct collide_moment *moment;
	const struct collide_casts *casts;
	const struct collide_in_circles *in_circles;
	const struct collide_in_boxes *in_boxes;
	const struct collide_in_segments *in_segments;
	const struct collide_nearest *nearest;
	const struct collide_moves *moves;
	double tolerance, tolerance_relative;                   /* as in collide_detection; not of casts and moves */
	struct collide_uint32s ignore_circles, ignore_segments; /* ids that all questions leave out, at most 64 each */
	uint32_t deadline_ms;
	/* Instead of all the above: a serialized collide.v1.Query, sent as it is. */
	const void *message;
	size_t message_bytes;
};

/* ---- Replies ---- */

enum collide_question {
	COLLIDE_CAST = 1,
	COLLIDE_IN_CIRCLE = 2,
	COLLIDE_IN_BOX = 3,
	COLLIDE_IN_SEGMENT = 4,
	COLLIDE_NEAREST = 5,
};

/* Answers to all questions but moves. A question without an answer has no row. */
struct collide_hits {
	size_t count;
	const uint32_t *question; /* enum collide_question */
	const uint32_t *row;      /* of the questions of that kind */
	const uint32_t *id;
	const uint32_t *feature;           /* enum collide_feature of the shape */
	const uint32_t *relation;          /* enum collide_relation */
	const double *fraction;            /* of a cast's path */
	const double *gap;                 /* < 0: the depth of the overlap */
	const double *x, *y;               /* of a cast: its centre at the hit */
	const double *point_x, *point_y;   /* on the shape */
	const double *normal_x, *normal_y; /* unit, from the shape to the query */
};

enum collide_move_end {
	COLLIDE_MOVE_DONE = 1,
	COLLIDE_MOVE_BLOCKED = 2, /* the push leads nowhere */
	COLLIDE_MOVE_LEGS = 3,    /* legs_max was reached */
};

/* One row for each move. */
struct collide_moved {
	size_t count;
	const uint32_t *row;
	const uint32_t *end; /* enum collide_move_end */
	const double *x, *y; /* final position */
	const double *fraction, *remaining_x, *remaining_y, *skin, *depth;
	const uint32_t *legs; /* how many */
};

struct collide_legs {
	size_t count;
	const uint32_t *row;
	const double *x, *y, *fraction; /* final position, and the part of the push that is made by then */
};

/* Shapes that took a part of a move's push. */
struct collide_presses {
	size_t count;
	const uint32_t *row, *leg, *id;
	const uint32_t *feature; /* enum collide_feature */
	const double *gap, *point_x, *point_y, *normal_x, *normal_y;
};

struct collide_query_counts {
	uint64_t casts, casts_hit, in_circles, in_circles_hit, in_boxes, in_boxes_hit, in_segments, in_segments_hit, nearest,
		nearest_hit;
	uint64_t moves_done, moves_blocked, moves_out_of_legs;
	uint64_t hits;
};

/* A part of the reply to questions. */
struct collide_queried {
	bool more; /* more parts follow; the last may have no rows */
	struct collide_hits hits;
	struct collide_moved moves;
	struct collide_legs legs;
	struct collide_presses presses;
	const struct collide_query_counts *counts; /* in the last part, else NULL */
};

#ifdef __cplusplus
}
#endif

#endif
