/* registry_private: the entries of the registry, shared by the files of this folder.
 *
 * Loop only. */
#ifndef COLLIDED_WORLDS_REGISTRY_REGISTRY_PRIVATE_H
#define COLLIDED_WORLDS_REGISTRY_REGISTRY_PRIVATE_H

#include "worlds/rate.h"
#include "worlds/registry/delay_counts.h"
#include "worlds/registry/kept_updates.h"
#include "worlds/registry/names.h"
#include "worlds/registry/worlds.h"

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)

/* What an account has of worlds. */
struct tenant {
	struct tenant *next;
	void *account;
	size_t world_count;
	uint64_t reserved_ns; /* a second */
	/* Of updates of its worlds: from a tick's due time until they had been given to the system. NULL: none so far. */
	struct delay_counts *sent;
};

/* An encoder of a live world, and how many subscriptions share it. */
struct encoder_use {
	struct encoder_use *next;
	struct encoder_options options;
	uint32_t number; /* by which the live world knows it */
	uint64_t name;   /* by which readers know it, and what it tells; of this process only */
	size_t readers;
	uint64_t left_ns;         /* since when it has none */
	bool key_asked;           /* its next update has a key too */
	struct kept_updates kept; /* for readers that come back */
	bool has_told;            /* some update of this epoch: the last one of that tick */
	uint64_t tick_told;
};

struct guest; /* guests.h */

/* An entry: a world and all that the loop knows of it. */
struct hosted {
	struct worlds *worlds;
	char name[WORLDS_NAME_BYTES_MAX + 1];
	uint64_t epoch;
	uint8_t owner_secret[WORLDS_SECRET_BYTES], join_secret[WORLDS_SECRET_BYTES];
	bool has_ticket;
	uint8_t ticket[WORLDS_SECRET_BYTES];
	uint64_t created_ns;
	struct labels labels;
	struct world_policy policy;
	struct named_map *map; /* NULL: none */
	struct tenant *tenant;
	struct live_world *live; /* only to post to */
	void *task;              /* the host's */
	struct world_stats stats;
	uint64_t charged_bytes, reserved_ns;
	uint64_t own_bytes;              /* of seats, outcomes, subscriptions, updates that are kept, and labels */
	uint64_t waiting, waiting_bytes; /* batches with the world, those of seats that have ended too, and their bytes */
	uint64_t guests_waiting, guests_waiting_bytes; /* of these, those by the join secret */

	struct seat *seats;                 /* newest first */
	size_t seat_count, connected_count; /* those with a connection */
	uint64_t seats_due_ns;              /* before this no seat has been without one for its time; 0: all have one */
	uint32_t seat_next;
	uint64_t id_next;  /* of circles: the first that is not reserved */
	uint64_t join_ids; /* those before it that were reserved by the join secret, since it is here */
	struct guest *guests;
	struct subscription *subscriptions;
	size_t subscription_count;
	bool behind; /* some subscription may be */
	struct encoder_use *encoders;
	uint32_t encoder_next;
	struct file_recording *recording; /* that is made, or that ended last; NULL: none (recordings.h) */
	struct ask *asks;
	bool stepping;                 /* a StepWorld is under way */
	enum world_clock clock_handed; /* its clock before a handover stopped it; 0: none has */

	bool seen;                /* as the live world was told */
	uint64_t unused_since_ns; /* without seats and subscriptions; 0: it has some */
	bool ending;              /* has its POST_END: no name any more */
	struct hosted *next_ending;
	uint32_t seats_at_end, subscriptions_at_end, encodings_at_end; /* what it had then, for the answer to DestroyWorld */
};

/* A batch that CommandsDone is to be sent for. */
struct done_wanted {
	struct done_wanted *next;
	uint64_t sequence, request_id;
};

struct seat {
	struct seat *next; /* of the world */
	struct hosted *world;
	struct guest *guest; /* by the join secret; NULL: by the owner's, or with a handover */
	uint32_t number;
	uint8_t token[WORLDS_SECRET_BYTES];
	uint32_t id_first, id_count;
	uint32_t handle; /* of its connection */

	uint64_t received, tick_named;   /* sequence of the last batch received; and the latest tick that one named */
	uint64_t through;                /* all up to here are decided */
	uint32_t waiting, waiting_bytes; /* batches with the world, and their bytes */
	struct outcome *outcomes;        /* kept, ascending */
	struct outcome *outcome_last;    /* of them */
	struct done_wanted *dones;       /* ascending; of the connection that it has */
	struct rate batches, bytes;      /* within the limits' */
	struct worlds_client *client;    /* its connection; NULL: none */
	uint64_t request_id;             /* of its connection */
	uint64_t left_ns;                /* since when it has none */
	uint64_t heard_ns;               /* since it came, or sent a batch */
	uint32_t outcome_count;
	uint8_t right; /* enum seat_right */
	bool by_owner; /* by the owner's secret */

	char label[]; /* ends with a 0 */
};

enum subscription_state { SUBSCRIPTION_WAITS, SUBSCRIPTION_LIVE, SUBSCRIPTION_BEHIND };

struct subscription {
	struct subscription *next; /* of the world */
	struct subscription *next_of_client;
	struct hosted *world;
	struct worlds_client *client;
	uint64_t request_id;
	uint32_t handle;     /* of the seat that it ends with; 0: none */
	bool by_owner;       /* by the owner's secret */
	struct guest *guest; /* else */
	struct encoder_use *encoder;
	enum subscription_state state; /* WAITS: for a key */
	bool limited;                  /* has a credit */
	uint64_t credit;
	bool begun; /* it was told some state: that of this tick */
	uint64_t told_tick;
	/* Steer. Request ids are 0 if there is none. */
	uint64_t number;                  /* by which the live world knows it */
	struct encoder_use *next_encoder; /* that it goes over to, if any, for this request: */
	uint64_t next_request;
	struct encoder_options wish; /* asked for meanwhile, as it was asked for, by this request: */
	uint64_t wish_request;
	uint64_t steered; /* the request that is in force; 0: that was told */
};

enum ask_kind {
	ASK_STEP,
	ASK_SNAPSHOT,
	ASK_RESTORE,
	ASK_CLOCK, /* SetWorld, that changes clock or rate */
	ASK_MOMENT,
	ASK_FORK,
	ASK_PARTING, /* the Attach of a seat that has left: its Detached waits for the tick and hash that the world stood at */
	ASK_END      /* DestroyWorld */
};

/* What a seat had sent when a handover was asked for. */
struct received {
	uint32_t seat;
	uint64_t sequence;
};

/* A request that the live world answers: those of the last two kinds with its last news, or a parting's handover. */
struct ask {
	struct ask *next; /* of the world */
	struct ask *next_of_client;
	uint64_t number;
	enum ask_kind kind;
	struct worlds_client *client; /* NULL: it is gone, or has cancelled it */
	void *account;                /* the client's, held */
	uint64_t request_id;
	uint64_t charged_bytes; /* to the asker's account */
	bool handover;
	const char *parting;       /* of ASK_PARTING: the reason, static */
	uint64_t parting_from;     /* the number of the handover's; 0: the world ends */
	struct received *received; /* of a handover: of each seat, descending by number */
	size_t received_count;
	struct post *pause; /* of a handover: to stop the world's clock by; NULL: that was sent */
};

struct worlds {
	struct worlds_options options;
	struct hosted **entries; /* ascending by name; those that end are not in it */
	size_t count, capacity;
	struct hosted *ending;
	struct tenant *tenants;
	struct file_recording *recordings;
	struct worlds_client *sending; /* those with updates on their way */
	uint64_t epoch_next, ask_next, name_next, reader_next;
	uint64_t recording_next; /* for names of files */
	uint64_t reserved_ns;
	uint64_t looked_ns, stalled_ns; /* the last look at the clock; what the process stood still, all together */
	bool draining;
};

/* Batches that all seats of a world may have wait. Seats by the join secret have no more together, those that have ended too.
 * By the owner's as many again may be there of seats that have ended: no new seat comes then. */
static inline uint64_t
batches_waiting_most(const struct worlds_limits *limits)
{
	return ((uint64_t)limits->seats_per_world_max + WORLDS_OWNER_MORE) * limits->batches_waiting_max;
}

/* info.c */
/* Adds a WorldInfo as a reply. */
struct info_parts {
	Collide__V1__WorldPolicy policy;
	Collide__V1__Recorded recorded;
};
/* Encodings that have readers. */
uint32_t encodings_used(const struct hosted *world);
void info_fill(const struct hosted *world, Collide__V1__WorldInfo *info, struct info_parts *parts);
/* What else it takes: labels, as pointers. NULL without memory; to be freed after use. */
Collide__V1__Label **info_labels(const struct hosted *world);
void reply_info(struct worlds_client *client, uint64_t request_id, const struct hosted *world);

/* entries.c */
struct hosted *entry_find(const struct worlds *worlds, const char *name);
/* The place of the first name that is not less. */
size_t entry_place(const struct worlds *worlds, const char *name);
/* The world of a name and epoch that the secret opens: for its owner, or for those that join. */
enum secret_kind { SECRET_NONE, SECRET_JOIN, SECRET_OWNER };
STATUS_MUST_USE enum status entry_open(const struct worlds *worlds, const char *name, uint64_t epoch,
                                       const ProtobufCBinaryData *secret, enum secret_kind least, const char *path,
                                       struct hosted **out, enum secret_kind *kind, struct wire_problem *problem);
/* Its last post; seats, readers and asks end. */
void entry_end(struct hosted *world, const char *reason);
void entry_free(struct hosted *world);
/* Seats or readers have come or gone. */
void entry_use_changed(struct hosted *world);
/* To its account: what it takes now, on both sides. */
void entry_charge(struct hosted *world);
/* Whether its account may take so many bytes more. */
STATUS_MUST_USE enum status entry_check_room(const struct hosted *world, uint64_t bytes, struct wire_problem *problem);
/* What its stats call for. */
void entry_reserve(struct hosted *world);
/* Whether so much CPU time a second can be reserved for one more world. */
bool tenant_may_reserve(const struct worlds *worlds, const struct tenant *tenant, uint64_t ns);
struct tenant *tenant_enter(struct worlds *worlds, void *account);
void tenant_leave(struct worlds *worlds, struct tenant *tenant);

/* sendings.c */
/* The client has been told of a tick of the world that was due then (0: by no clock). */
void sending_note(struct worlds_client *client, const struct hosted *world, uint64_t due_ns);
/* The client is gone. */
void sendings_drop(struct worlds_client *client);
/* The tenant is gone. */
void sendings_forget(struct worlds *worlds, const struct tenant *tenant);

/* posting.c */
/* A post with room for so many bytes; NULL without memory. */
struct post *hosted_post(const struct hosted *world, enum post_kind kind, size_t bytes);
/* `now`: it is not to wait for the next tick. */
void post_send(struct hosted *world, struct post *post, bool now);
/* Its clock and rate from now on, by a POST_CLOCK. */
void post_clock_send(struct hosted *world, struct post *post, const struct world_policy *policy);

/* seats.c */
void seat_end(struct seat *seat, const char *reason);        /* for good, with a Detached if it has a connection */
void seat_leave(struct seat *seat);                          /* its connection; no reply */
void seat_detached(struct seat *seat, const char *reason);   /* the same with the reply: of a world that ends, later */
void seat_handed_over(struct seat *seat, uint64_t handover); /* the same, with the answer to the ask of that number */
struct seat *seat_of_handle(const struct worlds_client *client, uint32_t handle);
/* NULL without memory. */
struct seat *seat_create(struct hosted *world, const char *label);
/* That its world may have after a spawn of it; 0: any number. */
uint32_t seat_circles_max(const struct seat *seat);

/* Whether the client may have one more seat or subscription. */
STATUS_MUST_USE enum status client_check_lasting(const struct worlds_client *client, struct wire_problem *problem);
/* The clock by which seats and worlds wait: without the time that the process stood still. */
uint64_t worlds_patient_ns(struct worlds *worlds);
/* Those without a connection end in their time, and no more than *ends_left, which it counts down. */
void seats_on_time(struct hosted *world, uint64_t now_ns, size_t *ends_left);

/* batches.c */
/* One more waits. */
void batch_count(struct seat *seat, size_t bytes);

/* outcomes.c */
void seat_outcomes_free(struct seat *seat);
/* That it takes while it is kept. */
uint64_t outcome_bytes(const struct outcome *outcome);
/* Takes what a turn decided. */
/* Takes an outcome into its place among those kept. */
void seat_keep(struct seat *seat, struct outcome *outcome);
void seat_decided(struct seat *seat, struct decided *decided);
/* A batch that the loop refuses; used: it has used its sequence. */
void seat_refuse(struct seat *seat, uint64_t request_id, uint64_t sequence, bool used, const struct wire_problem *problem);
void seat_acked(struct seat *seat, uint64_t acked);
/* Tells what is kept after that sequence, and how far it is. */
void seat_tell(struct seat *seat, uint64_t after);
/* The same of one batch. */
void seat_tell_one(struct seat *seat, uint64_t sequence);
void seat_dones_drop(struct seat *seat, const struct wire_problem *problem);

/* encodings.c */
/* What a reader is told: what it asked for, of a class of regions; or of all, if there are many regions and none holds its
 * own. False: there are too many kinds. guest NULL: by the owner's secret. */
bool encoder_options_choose(const struct hosted *world, const struct guest *guest, struct encoder_options *options);
/* One reader more. NULL without memory. */
struct encoder_use *encoder_enter(struct hosted *world, const struct encoder_options *options);
/* One less. */
void encoder_leave(struct hosted *world, struct encoder_use *encoder);
/* The next update is to have a key. False: no memory; it is asked for again with the next reader. */
bool encoder_ask_key(struct hosted *world, struct encoder_use *encoder);
/* It is no more: the live world has ended it. None reads it. */
void encoder_lose(struct hosted *world, struct encoder_use *encoder);
/* For readers that come back. */
void encoder_keep(struct hosted *world, struct encoder_use *encoder, const struct update *update);
/* Whether a reader that has its state after this tick can go on from there: with *first and those after it, or, NULL, with the
 * next one. To be freed with kept_updates_free. False without memory, too. */
bool encoder_goes_on(const struct encoder_use *encoder, uint64_t name, uint64_t tick, struct update **first);
/* The world has another past: nothing of the one before is told, and all have other names. */
void encoders_forget(struct hosted *world);
/* Those that have had no readers for their time end. */
void encoders_on_time(struct hosted *world, uint64_t now_ns);
/* All of them, of a world that ends. */
void encoders_drop(struct hosted *world);

/* subscriptions.c */
/* NULL: the client has none of this request. */
struct subscription *subscription_find(const struct worlds_client *client, uint64_t request_id);
/* A region (NULL: all) and an `every` (0: as it is) of the message of that name. *options has what is asked for besides. */
STATUS_MUST_USE enum status subscription_wish(const Collide__V1__Region *region, uint32_t every, const char *path,
                                              struct encoder_options *options, struct wire_problem *problem);
/* Makes of it what will be told, which may be more. */
STATUS_MUST_USE enum status subscription_choose(const struct hosted *world, const struct guest *guest, const char *path,
                                                struct encoder_options *options, struct wire_problem *problem);
/* Rows of an update. */
void subscription_send(const struct subscription *subscription, struct shared_bytes *const *blocks, size_t count);
/* States. */
void subscription_send_states(struct subscription *subscription, struct shared_bytes *const *blocks, size_t count);
/* Bytes that wait for it. */
size_t subscription_waiting(const struct subscription *subscription);
/* False: so much more waited for it than may, before this update. It has ended. */
bool subscription_keeps_up(struct subscription *subscription, size_t waiting);
/* Whether it is sent states: it keeps pace, with so much that waited before this update, and has credit. */
bool subscription_takes_states(const struct subscription *subscription, size_t waiting);
/* One that has read what was on its way gets a key with the next update. */
void subscription_catch_up(struct subscription *subscription);
void subscription_end(struct subscription *subscription, const char *reason);
void subscription_free(struct subscription *subscription);
void subscriptions_update(struct hosted *world, struct update *update);
void subscriptions_catch_up(struct hosted *world);
/* Those of a client that go by this handle. */
void subscriptions_end_of_handle(struct worlds_client *client, uint32_t handle, const char *reason);

/* steer.c */
/* A reader goes over to its next encoder. */
void subscription_steered(struct hosted *world, const struct update *update);
/* What it has asked for meanwhile. Without memory, or if there are too many kinds, that is tried again on time. */
void subscription_steer_on(struct subscription *subscription);

/* asks.c */
/* Whether the client's account may ask the world for one more of that kind. What was cancelled is on its way to it
 * nevertheless.
 */
STATUS_MUST_USE enum status asks_check_share(const struct hosted *world, const struct worlds_client *client, enum ask_kind kind,
                                             struct wire_problem *problem);
struct ask *ask_create(struct hosted *world, struct worlds_client *client, enum ask_kind kind, uint64_t request_id);
void ask_free(struct hosted *world, struct ask *ask);
void ask_forget(struct ask *ask); /* the client's side of it */
void asks_answer(struct hosted *world, struct answer *answer);
/* All but those that wait for the world's end. */
void asks_end(struct hosted *world, const char *reason);

/* partings.c */
/* The seat has left for good, or with a handover (0: none): its Detached comes with what the world stood at. Its reason is
 * static. False: no memory, and it is to be told without. */
bool parting_create(const struct seat *seat, const char *reason, uint64_t handover);
/* The final reply to an Attach. Hash 0: it is not told. */
void detached_tell(const struct worlds_client *client, uint64_t request_id, uint64_t tick, uint64_t hash, const char *reason);
/* The world has ended, and its stats are the last ones. */
void partings_end(struct hosted *world);
/* The handover of that number is answered. */
void partings_hand_over(struct hosted *world, const struct answer *answer);

/* deliveries.c */
/* Holds the bytes until all parts are given. False: no memory. */
bool delivery_begin(struct worlds_client *client, uint64_t request_id, uint64_t tick, struct shared_bytes *whole);
/* NULL: there is none of this request. */
struct delivery **delivery_find(struct worlds_client *client, uint64_t request_id);
/* Without a reply. */
void delivery_end(struct worlds_client *client, struct delivery **link);

/* handover.c */
/* The world's snapshot with all that the loop knows of it, for another process; NULL without memory. */
struct shared_bytes *handover_create(const struct hosted *world, const struct ask *ask, const struct answer *answer);
/* The seats and the rest of a handover, of a world that was just made. */
STATUS_MUST_USE enum status handover_take(struct hosted *world, const Collide__V1__Handover *handover,
                                          struct wire_problem *problem);

#endif
