/* collide.h: the client library of collided, exact 2D physics over TCP (protocol collide.v1).
 *
 * Three layers, usable apart:
 *  - struct collide_client: a blocking socket with deadlines. Connect, ping, simulate, detect and query with a callback per
 *    frame or part, create worlds, close.
 *  - struct collide_channel: a connection that comes again by itself, with seats in worlds and subscriptions; blocking or not.
 *  - struct collide_core: the protocol without input or output. Requests become bytes to send, bytes received become
 *    events; for programs that have an event loop of their own.
 *
 * Threads: an object belongs to one thread at a time, any thread; different objects are independent. There is
 * no global state; no signals are raised, nothing is printed. What a request points to is borrowed for the call only. What
 * an event or a callback points to is valid until the next call on the same object.
 *
 * Functions that can fail return false, NULL or 0 and then fill *error, which may be NULL. The meaning of every field is
 * that of the message of the same name in collide/v1/collide.proto, which is the specification.
 *
 * Link with `pkg-config --libs collide` or CMake's collide::collide. */
#ifndef COLLIDE_H
#define COLLIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define COLLIDE_MUST_USE __attribute__((warn_unused_result))
#else
#define COLLIDE_MUST_USE
#endif

#define COLLIDE_PROTOCOL_VERSION 1u /* the only version of collide.v1 that this library supports */
#define COLLIDE_PORT_DEFAULT "7878" /* used when an address has none */
#define COLLIDE_VIOLATIONS_MAX 8    /* field violations kept of one error; the server sends few */
#define COLLIDE_PING_BYTES_MAX 64   /* of a ping's payload; the protocol's limit */

/* ---- Errors ---- */

/* Numbers of google.rpc.Code. */
enum collide_code {
	COLLIDE_OK = 0,
	COLLIDE_CANCELLED = 1,
	COLLIDE_UNKNOWN = 2,
	COLLIDE_INVALID_ARGUMENT = 3,
	COLLIDE_DEADLINE_EXCEEDED = 4,
	COLLIDE_NOT_FOUND = 5,
	COLLIDE_ALREADY_EXISTS = 6,
	COLLIDE_PERMISSION_DENIED = 7,
	COLLIDE_RESOURCE_EXHAUSTED = 8,
	COLLIDE_FAILED_PRECONDITION = 9,
	COLLIDE_OUT_OF_RANGE = 11,
	COLLIDE_UNIMPLEMENTED = 12,
	COLLIDE_INTERNAL = 13,
	COLLIDE_UNAVAILABLE = 14,
};

/* Where an error comes from. */
enum collide_origin {
	COLLIDE_FROM_SERVER = 0,     /* an Error message: the server refused or gave up */
	COLLIDE_FROM_CONNECTION = 1, /* no connection, a lost one, silence until the deadline, bytes that are not collide.v1 */
	COLLIDE_FROM_LIBRARY = 2,    /* this side: a bad argument, no memory, a limit of the library */
};

struct collide_violation {
	char field[160]; /* "simulate.scene.circle_columns.radius[17]" */
	char text[160];  /* "must be greater than 0" */
};

struct collide_error {
	enum collide_code code;
	enum collide_origin origin;
	char reason[48];         /* a stable name for programs: "BAD_FIELD", "QUEUE_FULL", "CONNECT_FAILED", "TIMEOUT" ... */
	char text[256];          /* a sentence for people */
	uint32_t retry_after_ms; /* 0: trying again is no help by itself */
	size_t violation_count;  /* kept below, at most COLLIDE_VIOLATIONS_MAX */
	struct collide_violation violations[COLLIDE_VIOLATIONS_MAX];
};

/* "INVALID_ARGUMENT"; "UNKNOWN" for a number that is no code. Static. */
const char *collide_code_name(enum collide_code code);

/* ---- Requests ---- */

enum collide_kind {
	COLLIDE_DYNAMIC = 1,   /* moves and is pushed */
	COLLIDE_KINEMATIC = 2, /* moves at its given velocity, pushes, is never pushed */
	COLLIDE_STATIC = 3,    /* never moves */
};

enum collide_restitution_mix {
	COLLIDE_MIX_DEFAULT = 0, /* MAX */
	COLLIDE_MIX_MAX = 1,
	COLLIDE_MIX_MIN = 2,
	COLLIDE_MIX_PRODUCT = 3,
	COLLIDE_MIX_MEAN = 4,
};

enum collide_friction_mix {
	COLLIDE_FRICTION_DEFAULT = 0, /* GEOMETRIC */
	COLLIDE_FRICTION_GEOMETRIC = 1,
	COLLIDE_FRICTION_MAX = 2,
	COLLIDE_FRICTION_MIN = 3,
	COLLIDE_FRICTION_PRODUCT = 4,
	COLLIDE_FRICTION_MEAN = 5,
};

/* A column of a table: no values mean the default for every row, one value the same for every row, else one per row. */
struct collide_doubles {
	const double *values;
	size_t count;
};

struct collide_uint32s {
	const uint32_t *values;
	size_t count;
};

/* How contacts change a circle's velocity; collide.proto has the details. */
enum collide_movement_response {
	COLLIDE_RESPONSE_BOUNCE = 1,
	COLLIDE_RESPONSE_SLIDE = 2,
	COLLIDE_RESPONSE_STOP = 3,
};

struct collide_int32s {
	const int32_t *values;
	size_t count;
};

struct collide_uint64s {
	const uint64_t *values;
	size_t count;
};

/* Whether a circle meets its ignored_circle. */
enum collide_ignore {
	COLLIDE_IGNORE_NONE = 1,
	COLLIDE_IGNORE_ALWAYS = 2,
	COLLIDE_IGNORE_UNTIL_APART = 3,
};

struct collide_circles {
	uint32_t count;            /* rows; 0: the length of the longest column */
	struct collide_uint32s id; /* default: 0, 1, 2 ... */
	struct collide_doubles x, y, vx, vy;
	struct collide_doubles radius;      /* must be given */
	struct collide_doubles mass;        /* default 1 */
	struct collide_doubles restitution; /* default 1 */
	struct collide_uint32s kind;        /* enum collide_kind, default COLLIDE_DYNAMIC */
	struct collide_uint32s category;    /* default 1 */
	struct collide_uint32s mask;        /* default all bits */
	/* Default 0 each; a moment of inertia of 0 is that of a disc. */
	struct collide_doubles friction, rolling_resistance, angle, angular_velocity, moment_of_inertia;
	struct collide_doubles surface_speed, linear_damping, angular_damping;
	struct collide_doubles gravity_scale; /* default 1 */
	struct collide_uint32s response;      /* enum collide_movement_response, default BOUNCE */
	struct collide_uint32s sensor;        /* 0 or 1 */
	struct collide_int32s filter_group;   /* default 0; of the same one: > 0 meet, < 0 pass, whatever the masks */
	struct collide_uint32s group;         /* default 0; 0..63, for relations and contact rules */
	/* Contact rules: bit g says what becomes of the circle at a contact with group g. Default 0: it bounces. */
	struct collide_uint64s stop_groups, remove_groups, report_groups;
	struct collide_uint32s lifetime_ticks; /* it lives for so many ticks, then for so many seconds; both 0: for ever */
	struct collide_doubles lifetime_s;
	struct collide_uint32s ignore; /* enum collide_ignore, default NONE */
	struct collide_uint32s ignored_circle;
	struct collide_uint64s tag; /* told with its states and its end */
};

struct collide_segments {
	uint32_t count;
	struct collide_uint32s id;
	struct collide_doubles x1, y1, x2, y2;
	struct collide_doubles restitution;
	struct collide_uint32s category, mask;
	struct collide_doubles friction, rolling_resistance; /* default 0 */
	struct collide_doubles surface_speed;                /* default 0 */
	struct collide_uint32s sensor;                       /* 0 or 1 */
	struct collide_doubles radius;                       /* default 0: thin */
	struct collide_uint32s one_sided;                    /* 1: stops only circles from the left; default 0 */
	struct collide_int32s filter_group;                  /* both as for circles */
	struct collide_uint32s group;
	struct collide_doubles vx, vy;   /* default 0; collide_frame.moving_segments has the current position */
	struct collide_uint32s disabled; /* 1: as if it were not there; default 0 */
};

/* Circles that have their centre outside at a tick's end are removed. */
struct collide_bounds {
	double x_min, y_min, x_max, y_max;
};

enum collide_group_relation_kind {
	COLLIDE_RELATION_DEFAULT = 0, /* BOUNCE */
	COLLIDE_RELATION_BOUNCE = 1,
	COLLIDE_RELATION_NONE = 2,
	COLLIDE_RELATION_SENSOR = 3,
	COLLIDE_RELATION_MOVE = 4,
	COLLIDE_RELATION_ONE_SIDED = 5,
};

/* How two groups interact: GroupRelation in collide.proto. */
struct collide_group_relation {
	uint32_t group_a, group_b;
	enum collide_group_relation_kind kind;
	bool has_weight_a, has_weight_b, has_elasticity; /* otherwise by mass, and by material */
	double weight_a, weight_b, elasticity;
};

struct collide_scene {
	struct collide_circles circles;
	struct collide_segments segments;
	double gravity_x, gravity_y;
	enum collide_restitution_mix restitution_mix;
	enum collide_friction_mix friction_mix;
	double restitution_threshold;
	double sleep_after;           /* s, 0: never */
	uint32_t events_per_body_max; /* 0: the server's default */
	double speed_max;             /* 0: none */
	/* Instead of all of this: a serialized collide.v1.Scene, sent as it is. */
	const void *message;
	size_t message_bytes;
	double hit_speed;                               /* the least approach speed of a COLLIDE_PAIR_HIT */
	const struct collide_group_relation *relations; /* in any order */
	size_t relation_count;                          /* at most 2,080 */
	/* What one tick may cost, in counted work: a sum for the tick, and one for each circle. 0: the server's defaults. */
	uint32_t work_per_tick_max, work_per_body_max;
	const struct collide_bounds *bounds; /* NULL: none */
};

/* Which events of touching pairs are sent, in collide_frame.pair_events. */
enum collide_events {
	COLLIDE_EVENTS_NONE = 0,    /* only what sensors see */
	COLLIDE_EVENTS_TOUCHES = 2, /* begin, hit and end */
	COLLIDE_EVENTS_PERSIST = 3, /* and one in each tick in between */
};

/* All that influences the future of a world, in bytes that can be kept and sent back. */
struct collide_snapshot {
	uint64_t tick; /* its state is that after this tick */
	const void *bytes;
	size_t count;
};

/* Called for each complete snapshot of a simulation, with the same context as for its frames. false ends it with
 * COLLIDE_CANCELLED. */
typedef bool (*collide_snapshot_fn)(void *context, const struct collide_snapshot *snapshot);

struct collide_simulation {
	const struct collide_scene *scene; /* the scene to begin with; or NULL, and: */
	const void *snapshot;              /* the bytes of a snapshot to continue. At most collide_limits.message_bytes_max */
	size_t snapshot_bytes;
	double dt; /* seconds per tick */
	uint64_t ticks;
	uint64_t every;       /* a frame after every so many ticks and after the last; 0: 1 */
	bool states_only;     /* no contacts and path changes */
	uint32_t deadline_ms; /* from the server's receipt; 0: none */
	enum collide_events events;
	bool paths;              /* collide_frame.paths */
	uint64_t snapshot_every; /* a snapshot after every so many ticks and after the last; 0: none */
	bool self_check;         /* every tick is made twice, the second time from a snapshot; COLLIDE_INTERNAL if they differ */
	collide_snapshot_fn on_snapshot; /* of collide_simulate; may be NULL */
};

/* How a circle counts when a segment meets it. */
enum collide_reading {
	COLLIDE_FILLED = 1,  /* the whole disc; the default */
	COLLIDE_OUTLINE = 2, /* its circumference only */
};

/* Explicit pairs, one a row; a side with one row stands for all rows. Exactly one kind of b is given, the others are NULL. */
struct collide_pairs {
	struct collide_circles a;
	const struct collide_circles *circles;
	const struct collide_segments *segments, *lines;
};

struct collide_detection {
	/* One of the two: */
	const struct collide_pairs *pairs;
	const struct collide_scene *scene; /* all its pairs */
	double dt;                         /* how far to look ahead, in seconds; 0: only the current positions */
	double tolerance;                  /* |gap| up to which shapes still touch */
	double tolerance_relative;         /* the same in parts of the sum of the radii */
	enum collide_reading reading;      /* 0: COLLIDE_FILLED */
	bool with_skin;                    /* hits at the distance at which Simulate makes contact */
	uint32_t deadline_ms;              /* as in collide_simulation */
	/* Instead of all the above: a serialized collide.v1.Detect, sent as it is. */
	const void *message;
	size_t message_bytes;
};

struct collide_response {
	const struct collide_pairs *pairs;
	bool push_out;                             /* separate them until they just touch */
	struct collide_doubles weight_a, weight_b; /* default 1; 0 yields completely */
	bool bounce;                               /* with a's and b's mass and kind */
	struct collide_doubles elasticity;         /* default 1 */
	double tolerance, tolerance_relative;
	uint32_t deadline_ms;
	/* Instead of all the above: a serialized collide.v1.Respond, sent as it is. */
	const void *message;
	size_t message_bytes;
};

#include "collide_query.h" /* struct collide_questions, struct collide_queried */

/* ---- Replies ---- */

/* Of worlds that live on the server. */
struct collide_world_limits {
	uint32_t worlds_max, worlds_per_account_max, maps_max, seats_per_world_max, subscriptions_per_world_max, tick_hz_max;
	uint32_t batches_waiting_max, batch_rows_max, batch_bytes_max, ahead_ticks_max, history_ticks_max;
	uint64_t world_bytes_max, journal_bytes_max, owed_bytes_max, kept_bytes_max;
	uint32_t batches_per_second_max, bytes_per_second_max, outcomes_max, resimulated_ticks_max;
};

struct collide_limits {
	uint32_t message_bytes_max, frame_bytes_max, requests_in_flight_max;
	uint32_t circles_max, segments_max, hand_written_max;
	uint64_t ticks_max;
	uint32_t events_per_body_max;
	uint64_t contacts_per_tick_max, memory_bytes_max;
	uint32_t deadline_ms_max;
	uint64_t work_per_tick_max, work_per_body_max;
	struct collide_world_limits worlds;
};

struct collide_welcome {
	uint32_t version;
	char server[64]; /* "collided" and its version */
	uint64_t instance_id;
	uint32_t ping_interval_ms;
	struct collide_limits limits; /* 0 where the server announced none */
};

enum collide_feature {
	COLLIDE_CIRCLE = 1,        /* b is a circle */
	COLLIDE_SEGMENT_FACE = 2,  /* b is a segment, hit between its ends */
	COLLIDE_SEGMENT_END_1 = 3, /* ... at (x1, y1) */
	COLLIDE_SEGMENT_END_2 = 4, /* ... at (x2, y2) */
};

enum collide_contact_flag {
	COLLIDE_CONTACT_RESTING = 1,    /* the pair stays in contact after it */
	COLLIDE_CONTACT_SECONDARY = 2,  /* resolved together with the contact that happened */
	COLLIDE_CONTACT_BY_MASS = 4,    /* the weights of its relation allow no solution: resolved by the masses */
	COLLIDE_CONTACT_A_STOPPED = 8,  /* a contact rule has stopped a before it: here a is immovable */
	COLLIDE_CONTACT_B_STOPPED = 16, /* so too b, a circle */
};

#include "collide_frame.h"  /* struct collide_frame */
#include "collide_worlds.h" /* worlds that live on the server */

/* What a run took on that server at that time; it is no property of the scene. All 0 if the server does not say. */
struct collide_cost {
	/* Parts of worker_seconds beside engine_seconds: unpacking and checking the request; making the world; hashes, frames and
	 * snapshots. */
	double read_seconds, world_seconds, reply_seconds;
	/* Sums over all ticks. */
	uint64_t looks;          /* neighbourhood searches of a circle when a tick, or a substep, began */
	uint64_t foreseen;       /* events predicted, including those that never came and the changes of cells */
	uint64_t transfers;      /* changes of cells */
	uint64_t sweeps;         /* of the rest solver over its contacts */
	uint64_t shared_ticks;   /* made by several workers together */
	uint64_t repeated_ticks; /* attempted by several workers, and made again by one */
	/* Where engine_seconds went, measured in this number of ticks. */
	uint64_t timed_ticks;
	double begin_seconds, rest_seconds, predict_seconds, event_seconds, strip_seconds, end_seconds;
	uint64_t work;         /* counted, as in collide_scene */
	double work_share_max; /* the largest part of its limit that a tick used, 0..1 */
};

struct collide_done {
	uint64_t ticks, events, collisions, clusters, clips, shortfalls;
	uint64_t hash;
	double engine_seconds, worker_seconds, waiting_seconds;
	uint64_t start_tick; /* of the snapshot that it continued; 0 for a scene */
	struct collide_cost cost;
};

enum collide_relation { COLLIDE_APART = 1, COLLIDE_TOUCHING = 2, COLLIDE_OVERLAPPING = 3 };

/* How the search for a hit ended. */
enum collide_sweep {
	COLLIDE_HIT = 1,
	COLLIDE_AT_START = 2,
	COLLIDE_NOT_MOVING = 3,
	COLLIDE_OUT_OF_REACH = 4,
	COLLIDE_MOVING_AWAY = 5,
	COLLIDE_PASSES = 6,
	COLLIDE_ENDS_BEFORE = 7,
};

struct collide_detect_counts {
	uint64_t tested, none, touching, overlapping;
	uint64_t hit, at_start, not_moving, out_of_reach, moving_away, passes, ends_before;
};

/* A part of the reply to a detection: `count` rows; the columns of the sweep are NULL without dt. */
struct collide_detected {
	bool more; /* more parts follow; the last may have no rows */
	size_t count;
	const uint32_t *a, *b;    /* rows of the pairs, or ids */
	const uint32_t *feature;  /* enum collide_feature: what b is */
	const uint32_t *relation; /* enum collide_relation */
	const double *gap, *normal_x, *normal_y, *a_point_x, *a_point_y, *b_point_x, *b_point_y;
	const uint32_t *sweep; /* enum collide_sweep */
	const double *time, *fraction;
	const uint32_t *hit_feature;
	const double *a_x, *a_y, *b_x, *b_y, *a_move_x, *a_move_y, *b_move_x, *b_move_y;
	const double *hit_x, *hit_y, *hit_normal_x, *hit_normal_y, *approach_speed;
	const struct collide_detect_counts *counts; /* in the last part, else NULL */
};

enum collide_bounced { COLLIDE_BOUNCED = 1, COLLIDE_RECEDING = 2, COLLIDE_BOUNCE_APART = 3 };

struct collide_respond_counts {
	uint64_t rows, pushed, bounced, receding, apart;
};

/* A part of the reply to a response. */
struct collide_responded {
	bool more;
	size_t count;
	const uint32_t *row;
	const uint32_t *relation; /* before, as are gap and normal */
	const double *gap, *normal_x, *normal_y;
	const int *pushed;                       /* not 0: it was */
	const double *a_x, *a_y, *b_x, *b_y;     /* after */
	const uint32_t *bounce;                  /* enum collide_bounced; 0: not asked for */
	const double *a_vx, *a_vy, *b_vx, *b_vy; /* after */
	const double *impulse, *approach_speed;
	const struct collide_respond_counts *counts; /* in the last part, else NULL */
};

/* ---- The blocking client ---- */

struct collide_client;
struct collide_core;

struct collide_options {
	const char *client_name;    /* for the server's log; NULL: "libcollide" */
	const char *client_version; /* NULL: this library's */
	const void *token;
	size_t token_bytes;
	uint32_t connect_timeout_ms; /* to connect and be welcomed; 0: 5,000 */
	uint32_t reply_timeout_ms;   /* for immediate answers, and for any sign of life; 0: 10,000 */
	size_t frame_bytes_max;      /* of one frame's joined tables in memory, and of one snapshot; 0: 4 GiB */
	/* Called while a simulation, detection, response or query is in progress, about ten times a second and when a signal comes.
	 * true cancels it: the call ends with COLLIDE_CANCELLED as soon as the server confirms. Replies on their way still reach
	 * the callback, and the connection stays usable. NULL: never. */
	bool (*stop)(void *context);
	void *stop_context;
};

/* Connects to "HOST:PORT", "HOST" or "[V6]:PORT" and says hello. `options` may be NULL. NULL on failure. */
COLLIDE_MUST_USE struct collide_client *collide_connect(const char *address, const struct collide_options *options,
                                                        struct collide_error *error);
/* Closes the connection, which cancels requests in progress. NULL is fine. */
void collide_close(struct collide_client *client);
/* The server's Welcome; valid until collide_close. */
const struct collide_welcome *collide_client_welcome(const struct collide_client *client);

/* A round trip; *seconds (may be NULL) is its duration. */
COLLIDE_MUST_USE bool collide_ping(struct collide_client *client, double *seconds, struct collide_error *error);

/* Called for each frame of a simulation; false ends it with COLLIDE_CANCELLED. */
typedef bool (*collide_frame_fn)(void *context, const struct collide_frame *frame);

/* Simulates and waits for the end, as long as the server answers pings. `on_frame` and `done` may be NULL. A callback that does
 * not return for long makes the server wait and, some seconds later, close the connection. */
COLLIDE_MUST_USE bool collide_simulate(struct collide_client *client, const struct collide_simulation *simulation,
                                       collide_frame_fn on_frame, void *context, struct collide_done *done,
                                       struct collide_error *error);

/* Called for each part of a reply, the last included; false ends it with COLLIDE_CANCELLED. */
typedef bool (*collide_detected_fn)(void *context, const struct collide_detected *part);
typedef bool (*collide_responded_fn)(void *context, const struct collide_responded *part);
typedef bool (*collide_queried_fn)(void *context, const struct collide_queried *part);

/* Whether shapes touch, now and while they move. Waits as collide_simulate does. */
COLLIDE_MUST_USE bool collide_detect(struct collide_client *client, const struct collide_detection *detection,
                                     collide_detected_fn on_part, void *context, struct collide_error *error);
/* How pairs respond when they meet: pushed apart, bounced off. */
COLLIDE_MUST_USE bool collide_respond(struct collide_client *client, const struct collide_response *response,
                                      collide_responded_fn on_part, void *context, struct collide_error *error);
/* Rays, circle casts, overlaps, nearest shapes, moves of a circle. */
COLLIDE_MUST_USE bool collide_query(struct collide_client *client, const struct collide_questions *questions,
                                    collide_queried_fn on_part, void *context, struct collide_error *error);

/* The server's schema, a serialized google.protobuf.FileDescriptorSet; *bytes is valid until the next call. */
COLLIDE_MUST_USE bool collide_describe(struct collide_client *client, const void **bytes, size_t *count,
                                       struct collide_error *error);

/* For poll loops: the non-blocking socket, and the conversation on it. */
int collide_client_descriptor(const struct collide_client *client);
struct collide_core *collide_client_core(struct collide_client *client);
/* Moves the bytes that can be moved, both ways. Waits at most `wait_ms` for the first (negative: no limit). */
COLLIDE_MUST_USE bool collide_client_exchange(struct collide_client *client, int wait_ms, struct collide_error *error);

#include "collide_core.h"   /* the protocol without input and output */
#include "collide_follow.h" /* a world from its stream of paths */
#include "collide_seats.h"  /* seats of worlds over connections that come again */

#ifdef __cplusplus
}
#endif

#endif
