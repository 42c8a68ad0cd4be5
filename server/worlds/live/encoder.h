/* encoder: what readers with the same options are told of a world: every so many ticks an update, encoded once for all of them.
 *
 * The worker that has the world. Rows of ticks are copied into columns until an update is due. Where a table is full, what is
 * there becomes a block of its own, and an update is due after that tick; and so it is after many changes. Blocks are charged
 * to no ledger; all else is to the world's. */
#ifndef COLLIDED_WORLDS_LIVE_ENCODER_H
#define COLLIDED_WORLDS_LIVE_ENCODER_H

#include "scene/run/frame_rows.h"
#include "scene/run/report_sums.h"
#include "worlds/coded/batch_coder.h"
#include "worlds/paths/path_rows.h"
#include "worlds/paths/region_members.h"
#include "worlds/post.h"
#include "worlds/quantized/byte_allowance.h"
#include "worlds/quantized/quantized_states.h"

struct live_world;

/* Blocks of one update in the making. */
struct encoder_blocks {
	struct shared_bytes **items;
	size_t count, capacity;
};

struct encoder {
	struct encoder *next;
	uint32_t number;
	struct encoder_options options;
	bool key_asked;
	bool failed;         /* for want of memory: it tells nothing more, and is to end */
	struct update *last; /* what the loop is told then */
	/* Up to where all has been told. */
	uint64_t tick_told;
	uint64_t begun; /* the tick after which it began */
	uint64_t hash_tick_told;
	uint64_t changes_told; /* number of the next entry of the log */
	uint64_t clock_told;   /* live_world.clock_changes */
	uint64_t lost_told;    /* tick_clock.lost */
	uint32_t ticks_told;   /* by the last update that had any; 0: none that all have */

	struct frame_rows contacts, path_changes, shortfalls, pair_events, ends; /* not yet in a block */
	struct path_rows paths;                                                  /* STREAM_PATHS: rows up to now */
	struct quantized_states *states; /* STREAM_STATES with a tolerance, behind the encoder; else NULL */
	struct buffer batches;           /* STREAM_COMMANDS: fields of a WorldUpdate */
	struct batch_coder coder;        /* the same in few bytes; what is left is in batches */
	struct region_members members;   /* of a region; */
	bool members_known;              /* they have begun */
	struct byte_allowance allowance; /* with bytes limited */
	struct report_sums *sums;        /* of all other STREAM_STATES, in the same place; else NULL */
	struct encoder_blocks parts;     /* rows that were too many */
};

/* Makes one that begins now. NULL without memory. */
struct encoder *encoder_create(const struct live_world *world, uint32_t number, const struct encoder_options *options);
void encoder_destroy(struct encoder *encoder);
/* It fails, and has no memory of its world's any more. */
void encoder_release(struct encoder *encoder);
/* What the loop is told of one that has failed. Once. */
struct update *encoder_last_take(struct encoder *encoder, const struct live_world *world);
/* The world has another state: nothing of the one before is told. */
void encoder_restart(struct encoder *encoder, const struct live_world *world);
/* Whether its readers have states within a tolerance. */
static inline bool
encoder_is_quantized(const struct encoder *encoder)
{
	return encoder->options.tolerance > 0.0;
}

/* Whether what they have is within bytes a second, so that not all of it is within a tolerance. */
static inline bool
encoder_is_limited(const struct encoder *encoder)
{
	return encoder->options.bytes_per_second > 0;
}

/* Whether its readers have a model that goes on from update to update, so that only a key or what it expects can follow. */
static inline bool
encoder_has_model(const struct encoder *encoder)
{
	return encoder_is_quantized(encoder) || encoder->options.coded;
}

/* Whether its readers have the paths only of what is near to a region. */
static inline bool
encoder_has_region(const struct encoder *encoder)
{
	return encoder->options.region.kind != REGION_ALL && !encoder_is_quantized(encoder);
}

/* Whether its readers are told contacts and events when they are final. */
bool encoder_waits_for_finals(const struct encoder *encoder, const struct live_world *world);
/* Takes contacts and events of a tick that has become final. False without memory. */
STATUS_MUST_USE bool encoder_final(struct encoder *encoder, const struct live_world *world, const struct tick_report *report);
/* Whether an update is due after the world's tick: at each tick divisible by `every`, or when much waits to be told. */
bool encoder_is_due(const struct encoder *encoder, const struct live_world *world);
/* Takes the rows of a tick. False without memory. */
STATUS_MUST_USE bool encoder_tick(struct encoder *encoder, struct live_world *world, const struct tick_report *report);
/* Tells what there is since the last update, with a key if one was asked for. False without memory. */
STATUS_MUST_USE bool encoder_update(struct encoder *encoder, struct live_world *world);
/* Blocks of what there is since the last update, for one reader: all others are told the same later. Blocks of rows come first.
 */
STATUS_MUST_USE bool encoder_rest(struct encoder *encoder, struct live_world *world, struct encoder_blocks *out,
                                  uint32_t *row_count);
/* An update of blocks that are made, with no counts yet; it takes them. NULL without memory. */
struct update *encoder_update_create(const struct encoder *encoder, const struct live_world *world,
                                     struct encoder_blocks *blocks);

/* encoder_blocks.c */
/* How many ticks the next update tells of. */
uint32_t encoder_ticks(const struct encoder *encoder, const struct live_world *world);
/* The block of what is in the rows, which are empty then: with `more` another one follows. */
STATUS_MUST_USE bool encoder_rows_block(struct encoder *encoder, const struct live_world *world, bool more,
                                        struct encoder_blocks *out);
STATUS_MUST_USE bool encoder_states_blocks(struct encoder *encoder, struct live_world *world, struct encoder_blocks *out);
/* The same of STREAM_PATHS. */
STATUS_MUST_USE bool encoder_paths_block(struct encoder *encoder, struct live_world *world, struct encoder_blocks *out);
/* Appends the front of an update without a frame, behind which other fields may come: its tick, and changes of the clock. Of
 * coded batches without what readers have from the update before. False without memory in the arena; `out` says whether the
 * bytes had room. */
STATUS_MUST_USE bool encoder_head_append(const struct encoder *encoder, struct live_world *world, struct buffer *out);
/* What an update says of its tick. */
void encoder_head(Collide__V1__WorldUpdate *head, const struct encoder *encoder, const struct live_world *world);
/* A block with the states of bodies first .. first + count in it. */
STATUS_MUST_USE bool encoder_bodies_block(const struct live_world *world, const Collide__V1__WorldUpdate *head,
                                          struct wire_frame *frame, size_t first, size_t count, struct encoder_blocks *out);
/* What the last part of a frame says besides rows. */
void encoder_frame_close(struct wire_frame *frame, const struct encoder *encoder, const struct live_world *world);
/* Takes the bytes. */
STATUS_MUST_USE bool encoder_blocks_add(struct encoder_blocks *blocks, struct buffer *bytes);
void encoder_blocks_finish(struct encoder_blocks *blocks);
/* What they take on their way, with what is around each. */
size_t encoder_blocks_bytes(const struct encoder_blocks *blocks);

/* encoder_paths.c: of STREAM_PATHS. False without memory. */
/* The rows of a tick, and what enters its region before it. */
STATUS_MUST_USE bool encoder_paths_tick(struct encoder *encoder, struct live_world *world);
/* What commands have made of definitions before the next tick; in the world's arena, as is what is needed besides. */
STATUS_MUST_USE bool encoder_paths_change(struct encoder *encoder, struct live_world *world,
                                          const Collide__V1__WorldChange *all);

/* Room in the arena for how `count` circles of a change move. */
bool encoder_motion_rooms(struct arena *arena, size_t count, Collide__V1__WorldChange *change);
/* How that at this place of the change moves. */
void encoder_motion_tell(const struct reader_circle *circle, uint32_t place, Collide__V1__WorldChange *change);

/* encoder_bridge.c */
/* A block of no ticks, by which a reader with the list of circles of one encoder has that of another. *bridged: false, and no
 * block: it would be as large as a key. */
STATUS_MUST_USE bool encoder_bridge(const struct encoder *from, const struct encoder *to, struct live_world *world,
                                    struct encoder_blocks *out, bool *bridged);

/* encoder_commands.c: of STREAM_COMMANDS. */
STATUS_MUST_USE bool encoder_commands_block(struct encoder *encoder, struct live_world *world, struct encoder_blocks *out);
STATUS_MUST_USE bool encoder_commands_key(const struct encoder *encoder, struct live_world *world, struct encoder_blocks *out);

/* encoder_quantized.c: of STREAM_STATES with a tolerance. False without memory. */
STATUS_MUST_USE bool encoder_quantized_block(struct encoder *encoder, struct live_world *world, struct encoder_blocks *out);
/* A circle of a key as its readers have it. */
void encoder_quantized_circle(const struct encoder *encoder, size_t index, struct circle_def *circle);
/* With bytes limited: what an update says of what is left out. */
void encoder_quantized_head(const struct encoder *encoder, Collide__V1__WorldUpdate *head);
/* What the last update took without a circle; 0: nothing was left out. */
size_t encoder_quantized_envelope(const struct encoder *encoder);
/* What a part of a key says besides: of the circles first .. first + count. `leads`: it is the first part. */
STATUS_MUST_USE bool encoder_quantized_key(const struct encoder *encoder, struct arena *arena, size_t first, size_t count,
                                           bool leads, Collide__V1__Key *key);

/* encoder_key.c */
/* Definitions in one part of a key: some 60 bytes each with few columns, up to 250 with all. */
#define ENCODER_KEY_ROWS_MAX 16384u
/* Of the circles that its readers have, the index in the world of that at this place. */
size_t encoder_circle_index(const struct encoder *encoder, const struct live_world *world, size_t place);
/* How many they have. */
size_t encoder_circle_count(const struct encoder *encoder, const struct live_world *world);
STATUS_MUST_USE bool encoder_key_blocks(struct encoder *encoder, struct live_world *world, struct encoder_blocks *out);

/* encoder_changes.c: what the log has from its entry of that number on, in the world's arena. *any: something. */
STATUS_MUST_USE bool encoder_log_tell(struct live_world *world, uint64_t from, Collide__V1__WorldChange *out, bool *any);
/* The same of these circles, ascending; what is told besides them stays as it is. */
STATUS_MUST_USE bool encoder_circles_tell(struct live_world *world, const struct circle_def *circles, size_t count,
                                          Collide__V1__WorldChange *out);
/* Of all segments with a velocity, in the world's arena. NULL: it is used up. */
Collide__V1__SegmentMotions *encoder_motions_tell(struct live_world *world);
/* What the log and the clock have since the encoder's last update, in the world's arena. *any: something. */
STATUS_MUST_USE bool encoder_changes(const struct encoder *encoder, struct live_world *world, Collide__V1__WorldChange *out,
                                     bool *any);

#endif
