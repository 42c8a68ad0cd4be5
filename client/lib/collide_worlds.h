/* collide_worlds.h: worlds that live on the server. A part of collide.h, which includes it: include that.
 *
 * Here is what is said of worlds, and the calls that create, list, save and end them. collide_seats.h acts in them. The meaning
 * of every field is that of the message of the same name in collide/v1/collide.proto. Strings and bytes that are NULL are
 * empty. */
#ifndef COLLIDE_WORLDS_H
#define COLLIDE_WORLDS_H

#ifndef COLLIDE_H
#error "include collide.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define COLLIDE_NAME_BYTES 65        /* of a name or label with its end */
#define COLLIDE_LABELS_MAX 16        /* of a world; the protocol's limit */
#define COLLIDE_SECRET_BYTES 16      /* of secrets, tokens and tickets */
#define COLLIDE_TTL_NEVER UINT32_MAX /* a time to live without an end */

struct collide_client;

/* ---- What a world is made of ---- */

enum collide_clock {
	COLLIDE_CLOCK_DEFAULT = 0, /* SERVER; of a setting: as it is */
	COLLIDE_CLOCK_SERVER = 1,  /* ticks are due by the server's clock */
	COLLIDE_CLOCK_CLIENT = 2,  /* ticks are made when a seat steps */
	COLLIDE_CLOCK_PAUSED = 3,  /* none; commands wait */
};

/* What becomes of a batch for a tick that has been made already. */
enum collide_late {
	COLLIDE_LATE_DEFAULT = 0, /* NEXT_TICK */
	COLLIDE_LATE_NEXT_TICK = 1,
	COLLIDE_LATE_REFUSE = 2,
	COLLIDE_LATE_RESIMULATE = 3, /* it takes effect at its tick: all ticks since are made again. With history_ticks */
};

/* What a seat may do. */
enum collide_right {
	COLLIDE_RIGHT_DEFAULT = 0, /* OWN */
	COLLIDE_RIGHT_LOOK = 1,    /* no commands */
	COLLIDE_RIGHT_OWN = 2,     /* with its own circles */
	COLLIDE_RIGHT_ALL = 3,     /* everything in the world */
	COLLIDE_RIGHT_STEP = 4,    /* ALL, and steps */
};

struct collide_label {
	const char *key, *value;
};

/* How a world goes. 0: the server's default, except for dt. */
struct collide_world_policy {
	enum collide_clock clock;
	double dt; /* seconds of the world per tick; required */
	uint32_t tick_hz;
	enum collide_late late;
	uint32_t history_ticks, catch_up_ticks, idle_ttl_ms;
	bool pause_unseen;
	uint32_t seat_ttl_ms, hash_every, seats_max;
	enum collide_events events;
	uint32_t cpu_permille_max;
	/* Of seats by the join secret: ids of one, and the circles of the world up to which they spawn. */
	uint32_t join_ids_max, join_circles_max;
};

/* Walls that many worlds have in common. */
struct collide_map_creation {
	const char *name; /* NULL: the server makes one */
	const struct collide_segments *segments;
	uint32_t ttl_ms;
	/* Instead of the segments: a serialized collide.v1.SegmentColumns, sent as it is. */
	const void *message;
	size_t message_bytes;
};

struct collide_world_creation {
	const char *name; /* NULL: the server makes one */
	/* One of the two: */
	const struct collide_scene *scene;
	const void *snapshot;
	size_t snapshot_bytes;
	const char *map;                           /* NULL: none */
	const struct collide_world_policy *policy; /* NULL: that of the snapshot, which is a handover */
	const void *ticket; /* COLLIDE_SECRET_BYTES at random, so that a retry makes no second world; NULL: none */
	const struct collide_label *labels;
	size_t label_count;
};

/* Which world, and the right to do it. */
struct collide_world_key {
	const char *name;
	uint64_t epoch; /* 0: any */
	const void *secret;
	size_t secret_bytes;
};

/* Which map: that of a name; or of a world, even one that was dropped, by a seat's handle or by a secret of the world. */
struct collide_map_key {
	const char *name;
	uint32_t handle;                       /* 0: none */
	const struct collide_world_key *world; /* NULL: none */
};

/* What is not given stays. */
struct collide_world_setting {
	enum collide_clock clock;
	uint32_t tick_hz;
	bool has_idle_ttl;
	uint32_t idle_ttl_ms;
	uint32_t join_ids_max, join_circles_max; /* 0: not given */
	const struct collide_label *labels;      /* replace all, if there are any */
	size_t label_count;
};

/* Which worlds to list; all 0: all. */
struct collide_world_filter {
	const char *prefix, *after;
	const struct collide_label *labels;
	size_t label_count;
	uint32_t limit;
};

/* What of a world to save; all 0: its state as it stands, to the bit. */
struct collide_world_moment {
	bool has_tick;
	uint64_t at_tick; /* within the world's history */
	bool handover;    /* with its policy, secrets, seats and the batches that wait: for another process */
	bool as_scene;    /* instead a serialized Scene, which is not exact to the bit */
};

/* A new world that goes on from another; all 0: from where that stands, with a name that the server makes. */
struct collide_world_fork {
	const char *name;
	bool has_tick;
	uint64_t at_tick;         /* within the history of the other world */
	enum collide_clock clock; /* DEFAULT: as the other's; the rest of the policy is the other's */
	const void *ticket;       /* as in struct collide_world_creation */
	const struct collide_label *labels;
	size_t label_count;
};

/* ---- What the server says of it ---- */

struct collide_map_info {
	char name[COLLIDE_NAME_BYTES];
	uint64_t hash;
	uint32_t segments, worlds;
	uint64_t bytes;
};

/* A map's segments, or a part of them, ascending by id. */
struct collide_map_segments {
	char name[COLLIDE_NAME_BYTES];
	uint64_t hash;
	struct collide_segments segments;
	bool more; /* another part follows */
};

struct collide_world_label {
	char key[COLLIDE_NAME_BYTES], value[COLLIDE_NAME_BYTES];
};

/* A recording that the server writes into a folder of its own. */
struct collide_recording {
	const char *file; /* its name there, which ends in ".rec"; NULL: the server makes one */
	uint64_t ticks;   /* after so many it ends; 0: only for another reason */
	uint32_t every;   /* ticks from one update in it to the next; 0: 30 */
};

struct collide_recorded {
	char file[COLLIDE_NAME_BYTES];
	uint64_t first_tick, tick; /* of its first state; of the last update that was given to it */
	uint64_t bytes;
	char ended[48]; /* empty: it goes on. "DONE", "WORLD_GONE", "RESTORED", "DISK", "RECORD_BYTES", "DISK_SLOW" ... */
	char text[160];
};

struct collide_world_info {
	char name[COLLIDE_NAME_BYTES], map[COLLIDE_NAME_BYTES];
	uint64_t epoch, tick;
	uint64_t hash, hash_tick; /* the state's hash at that tick, the last for which it was made */
	bool has_policy;
	struct collide_world_policy policy;
	size_t label_count;
	struct collide_world_label labels[COLLIDE_LABELS_MAX];
	uint32_t circles, segments, seats, subscriptions;
	uint32_t encodings; /* of updates, that the subscriptions share */
	uint64_t bytes, overruns, lost_ticks, batches;
	uint64_t resimulated_ticks; /* that were made again for late batches */
	/* That the server made again to check itself; that it had to leave out; and of the former those with other bits. */
	uint64_t self_checks, self_checks_skipped, self_checks_differing;
	double tick_seconds, late_seconds_max;
	bool has_recorded; /* the server's recording of it, or the last one that ended: */
	struct collide_recorded recorded;
	char failed[48];  /* why no tick can be made; empty: it can */
	bool has_secrets; /* in the answer to a creation */
	uint8_t owner_secret[COLLIDE_SECRET_BYTES], join_secret[COLLIDE_SECRET_BYTES];
};

struct collide_worlds {
	bool more; /* there are more than were asked for */
	size_t count;
	const struct collide_world_info *infos;
	/* Of all updates of the asker's worlds: how many were given to the server's system how long after their tick was due.
	 * Bounds are at most a sixteenth too long, and ascend. Counts never go down as long as there is such a world. */
	size_t sent_count;
	const uint64_t *sent_below_ns, *sent_counts;
};

/* ---- Seats ---- */

/* To get a seat, by a secret; or the same seat again, by its token. */
struct collide_attachment {
	const char *world;
	uint64_t epoch;
	const void *secret;
	size_t secret_bytes;
	enum collide_right right;
	const char *label;       /* for the server's log */
	const void *token;       /* COLLIDE_SECRET_BYTES of collide_attached; NULL: a new seat */
	uint64_t outcomes_after; /* with a token */
	uint32_t ids;            /* how many ids of circles to reserve */
};

struct collide_attached {
	uint32_t handle, seat;
	uint8_t token[COLLIDE_SECRET_BYTES]; /* keep it secret */
	uint64_t epoch, tick;
	uint64_t next_due_ns; /* until the next tick; 0: not by the server's clock */
	uint64_t sequence;    /* of the last batch that the server has */
	uint32_t id_first, id_count;
	enum collide_right right;
	bool has_info;
	struct collide_world_info info;
};

/* DETACHED, SEAT_TAKEN, OVER_SHARE, WORLD_GONE, RESTORED, HANDOVER; of a subscription also SLOW_READER, MEMORY, WORLD_FAILED.
 */
struct collide_detached {
	uint64_t tick;
	uint64_t hash; /* of the state then, of a seat with WORLD_GONE or HANDOVER; 0: it is not told */
	char reason[48];
};

/* What became of a batch. */
struct collide_outcome {
	uint64_t sequence;
	uint64_t tick; /* at the start of which it took effect; 0: it did not, or it was for the next one and that is not told */
	enum collide_code code; /* COLLIDE_OK: it took effect */
	char reason[48];
	char field[160]; /* "commands.velocities.vx[3]" */
	char text[160];
	uint32_t missing;  /* rows that were left out */
	bool not_received; /* it is to be sent again */
};

struct collide_acks {
	uint64_t through, tick;
	int64_t margin_min_ns;
	size_t outcome_count;
	const struct collide_outcome *outcomes;
};

struct collide_commands_done {
	struct collide_outcome outcome;
	int64_t margin_ns;
};

struct collide_step {
	uint64_t ticks;
	bool has_expect; /* otherwise any; of a seat: the tick that it was told last */
	uint64_t expect_tick;
};

struct collide_stepped {
	uint64_t tick, hash;
};

struct collide_velocities {
	struct collide_uint32s id;
	struct collide_doubles vx, vy, angular_velocity;
};

struct collide_places {
	struct collide_uint32s id;
	struct collide_doubles x, y, angle;
	bool swept; /* stop at the first thing on the way: PlaceColumns in collide.proto */
};

struct collide_pushes {
	struct collide_uint32s id;
	struct collide_doubles impulse_x, impulse_y, angular_impulse;
	struct collide_doubles force_x, force_y; /* in each of so many ticks: */
	struct collide_uint32s ticks;
};

struct collide_owners {
	struct collide_uint32s id, seat;
};

struct collide_explosion {
	double x, y, radius, falloff, impulse_per_length;
	bool has_mask;
	uint32_t mask;
};

/* What happens at the start of one tick, as a whole or not at all. Tables that are NULL or all 0 have no rows. */
struct collide_batch {
	uint64_t tick; /* 0: the next one that can be */
	const struct collide_circles *spawn;
	struct collide_uint32s remove;
	struct collide_velocities velocities, add_velocities;
	struct collide_places places;
	struct collide_pushes pushes;
	const struct collide_circles *changes;
	const struct collide_segments *spawn_segments;
	struct collide_uint32s remove_segments, enable_segments, disable_segments;
	const struct collide_explosion *explosions;
	size_t explosion_count;
	struct collide_owners give;
	bool has_gravity; /* the world's becomes this, length / s²: what sleeps wakes */
	double gravity_x, gravity_y;
	bool skip_missing; /* leave out rows of what is not there */
	/* Instead of all this: a serialized collide.v1.Commands, of which handle, sequence and acked do not count. */
	const void *message;
	size_t message_bytes;
};

/* Where a batch belongs. */
struct collide_numbers {
	uint32_t handle;
	uint64_t sequence, acked;
};

/* ---- Readers ---- */

enum collide_stream {
	COLLIDE_STREAM_DEFAULT = 0, /* STATES */
	COLLIDE_STREAM_STATES = 1,  /* a frame at every so many ticks */
	COLLIDE_STREAM_PATHS =
		2, /* for a follower (collide_follow.h): exact, in far fewer bytes; updates have no frames with states */
	COLLIDE_STREAM_COMMANDS = 3, /* for a mirror or a recording: what commands were given, and the state to begin with */
};

enum collide_region_kind { COLLIDE_REGION_ALL = 0, COLLIDE_REGION_BOX = 1, COLLIDE_REGION_AROUND = 2 };

/* Only circles that may touch it; like regions share an encoding, so that some more may come. */
struct collide_region {
	enum collide_region_kind kind;
	double x_min, y_min, x_max, y_max; /* of a box */
	uint32_t circle;                   /* AROUND: a square about this circle, which moves with it, */
	double radius;                     /* half a side */
};

/* What to tell of a world's ticks. By a seat's handle; or, with handle 0, by a secret. */
struct collide_interest {
	uint32_t handle;
	const char *world;
	const void *secret;
	size_t secret_bytes;
	uint64_t epoch;
	enum collide_stream stream;
	uint32_t every; /* 0: 3 */
	bool contacts, pair_events;
	bool provisional;             /* of a world with RESIMULATE: these at once, though they may still change */
	uint32_t credit;              /* 0: no limit */
	struct collide_region region; /* of COLLIDE_STREAM_PATHS, and with a tolerance */
	/* Of COLLIDE_STREAM_STATES, length units: places at updates are told within these, for a follower; 0: to the bit. */
	double tolerance, driven_tolerance;
	/* With a tolerance: what does not fit is left out, and that is told; 0: no limit. collide_follower has what came of it. */
	uint32_t bytes_per_second;
	bool driven_legs; /* of COLLIDE_STREAM_PATHS: circles that the rest solver drives are exact within ticks too */
	/* With an encoding (collide_world_update): the reader has the state after this tick, and is to be told what came since.
	 * Subscriptions of a channel see to it themselves. */
	uint64_t after_tick, after_encoding;
};

/* What a reader that was steered will be told: a region that holds what it asked for. */
struct collide_steered {
	struct collide_region region;
	uint32_t every;
};

/* All that there is after an update's tick. Of a world of more than 16,384 circles or segments it has the definitions of so
 * many; frames and followers have all. Columns are as in a request: none, one or all values. But each row has its id. That of
 * COLLIDE_STREAM_COMMANDS has no scene. */
struct collide_key {
	uint64_t epoch;
	struct collide_scene scene;
	char map[COLLIDE_NAME_BYTES];
	uint64_t map_hash;
	double dt;
	enum collide_clock clock;
	uint32_t tick_hz;
};

/* What commands have made of definitions since the last update. */
struct collide_world_change {
	struct collide_uint32s removed_circles, removed_segments;
	struct collide_circles circles;
	struct collide_segments segments;
	enum collide_clock clock; /* DEFAULT: as it was */
	uint32_t tick_hz;
	bool has_gravity; /* it has changed to this */
	double gravity_x, gravity_y;
};

struct collide_world_update {
	uint64_t tick;
	uint32_t ticks, missed_ticks;
	uint64_t hash, hash_tick, lost_ticks, late_ns;
	uint64_t final_tick;                        /* of a world with RESIMULATE: up to here nothing is made again */
	bool provisional;                           /* contacts and pair events may still change */
	uint64_t steered;                           /* the request id of a Steer that is in force from here on; 0: none */
	uint64_t encoding;                          /* with a key and with `steered`: names what is told from here on */
	const struct collide_key *key;              /* NULL: none */
	const struct collide_world_change *changes; /* NULL: none */
	/* NULL: none. Contacts, path changes, pair events, ends and shortfalls come in an update of their own, with a frame without
	 * bodies. That with the tick's states comes after it. */
	const struct collide_frame *frame;
};

/* ---- Calls that wait ---- */

/* As all calls of a struct collide_client: what lasts is waited for as long as the server answers pings, and until its stop
 * function says otherwise. `info` may be NULL. Of a client that has seats or subscriptions of its own through
 * collide_client_core, these calls skip events. */
COLLIDE_MUST_USE bool collide_create_map(struct collide_client *client, const struct collide_map_creation *creation,
                                         struct collide_map_info *info, struct collide_error *error);
COLLIDE_MUST_USE bool collide_drop_map(struct collide_client *client, const char *name, struct collide_map_info *info,
                                       struct collide_error *error);
/* The segments of a map, which no stream of a world has. `on_part`, which may be NULL, is called with part after part; what it
 * is given is valid until it returns, and if it returns false the request is cancelled. */
typedef bool (*collide_map_segments_fn)(void *context, const struct collide_map_segments *part);
COLLIDE_MUST_USE bool collide_get_map(struct collide_client *client, const struct collide_map_key *key,
                                      collide_map_segments_fn on_part, void *context, struct collide_error *error);
COLLIDE_MUST_USE bool collide_create_world(struct collide_client *client, const struct collide_world_creation *creation,
                                           struct collide_world_info *info, struct collide_error *error);
COLLIDE_MUST_USE bool collide_destroy_world(struct collide_client *client, const struct collide_world_key *key,
                                            struct collide_world_info *info, struct collide_error *error);
COLLIDE_MUST_USE bool collide_set_world(struct collide_client *client, const struct collide_world_key *key,
                                        const struct collide_world_setting *setting, struct collide_world_info *info,
                                        struct collide_error *error);
/* *worlds is valid until the next call. */
COLLIDE_MUST_USE bool collide_list_worlds(struct collide_client *client, const struct collide_world_filter *filter,
                                          struct collide_worlds *worlds, struct collide_error *error);
/* `moment` may be NULL; *snapshot is valid until the next call. */
COLLIDE_MUST_USE bool collide_snapshot_world(struct collide_client *client, const struct collide_world_key *key,
                                             const struct collide_world_moment *moment, struct collide_snapshot *snapshot,
                                             struct collide_error *error);
COLLIDE_MUST_USE bool collide_restore_world(struct collide_client *client, const struct collide_world_key *key,
                                            const void *snapshot, size_t snapshot_bytes, struct collide_world_info *info,
                                            struct collide_error *error);

/* The server writes the world into a file, from which every state since can be made again. It ends by itself, or by
 * collide_end_recording, which waits until the file is whole. By the owner secret. `recorded` may be NULL. */
COLLIDE_MUST_USE bool collide_record_world(struct collide_client *client, const struct collide_world_key *key,
                                           const struct collide_recording *recording, struct collide_recorded *recorded,
                                           struct collide_error *error);
COLLIDE_MUST_USE bool collide_end_recording(struct collide_client *client, const struct collide_world_key *key,
                                            struct collide_recorded *recorded, struct collide_error *error);

/* `key` is that of the other world; *info is the new one's, with its secrets. */
COLLIDE_MUST_USE bool collide_fork_world(struct collide_client *client, const struct collide_world_key *key,
                                         const struct collide_world_fork *fork, struct collide_world_info *info,
                                         struct collide_error *error);

#ifdef __cplusplus
}
#endif

#endif
