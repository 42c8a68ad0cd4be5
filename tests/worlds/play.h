/* play: worlds, their seats and clients, in one thread from one seed. The seed picks what goes next: when turns come and news
 * arrive, which connection is cut and resumes, what is lost on the way, which allocation fails. One play at a time. */
#ifndef COLLIDED_TESTS_WORLDS_PLAY_H
#define COLLIDED_TESTS_WORLDS_PLAY_H

#include "client/lib/collide.h"
#include "client/mirror/mirror.h"
#include "support/random.h"
#include "worlds/live/live_check.h"
#include "worlds/live/live_private.h"
#include "worlds/play_model.h"
#include "worlds/registry/worlds.h"

#define NS_PER_MS UINT64_C(1000000)

enum {
	WORLDS = 2,
	PLAYERS = 5,
	CONNECTIONS = 4,
	SENT = 256,
	STEPS = 170,
	IDS = 6,
	READERS = 3,
	PASTS = 24,
	PAST_TICKS = 1024,
	STEERS = 8,
	MOMENTS = 8,
	FORKS = 4,
	RECORDS = 3,
	WORKERS = 3,
	DETACHES_MAX = 3 /* in a play: a new seat has new ids, and MODEL_CIRCLES is their bound */
};

/* A live world and its turns: the host. */
struct play_task {
	struct live_world *live;
	bool wanted, ended;
	uint64_t due_ns; /* 0: at rest */
	struct play_world *world;
};

/* A circle after a tick: a digest of its numbers, and where it was. 0: there was none. */
struct play_seen {
	uint64_t digest;
	double x, y;
};

/* All circles, by id, after each tick of one epoch. */
struct play_past {
	uint64_t epoch;
	struct play_seen *seen[PAST_TICKS]; /* NULL: it was never at that tick, */
	bool unseen[PAST_TICKS];            /* or the model was not */
	uint64_t hash[PAST_TICKS];          /* of the state */
};

struct play_world {
	struct play_task task;
	struct model model;
	bool by_server; /* its clock */
	bool restoring; /* a turn has yet to take a RestoreWorld */
	bool blind;     /* for want of memory the model does not know what comes of the next turn */
	size_t worker;  /* that gives it its turns */
	char name[WORLDS_NAME_BYTES_MAX + 1];
	uint8_t owner_secret[WORLDS_SECRET_BYTES], join_secret[WORLDS_SECRET_BYTES];
	uint32_t join_circles_max;
	uint64_t steps_asked;                     /* request id of a StepWorld under way; 0: none */
	struct play_connection *steps_connection; /* that it came by */
	uint64_t steps_tick;                      /* to which the latest one leads */
	uint64_t steps_answer;                    /* what it must be told, whatever was restored since */
	bool gone;

	uint64_t snapshot_asked; /* request id of a SnapshotWorld under way; 0: none */
	struct play_connection *snapshot_connection;
	bool snapshot_taken; /* a turn has taken it: that state is kept */
	struct model_state kept;
	uint8_t *bytes; /* of the snapshot; NULL: they have not come */
	size_t byte_count;

	struct play_past past[PASTS];
	size_t past_count;
};

/* What part of a world a reader asks for. */
struct reader_region {
	bool is_box;   /* else all */
	double box[4]; /* x0, y0, x1, y1 */
};

/* Follows a world by its paths, or by its commands. */
struct reader {
	struct play_world *world;
	struct play_connection *connection; /* NULL: none; with a follower it is to come back */
	uint64_t request_id, encoding;
	struct collide_follower *follower; /* NULL: */
	struct collide_mirror *mirror;
	struct batch_reader *coded; /* of a mirror with coded batches */
	uint32_t every;
	bool contacts;
	double tolerance;                    /* 0: of paths */
	uint32_t bytes_per_second;           /* 0: no limit */
	bool legs;                           /* of paths: driven circles within ticks too */
	struct reader_region region;         /* in force */
	struct reader_region steers[STEERS]; /* that were asked for by these requests and are not in force */
	uint64_t steer_ids[STEERS];
	size_t steer_count;
	bool deaf, returns; /* what comes is lost on the way; it has come back, and nothing was told since */
};

/* A moment of a world that was asked for. */
struct play_moment {
	struct play_connection *connection; /* NULL: none */
	struct play_world *world;
	uint64_t request_id, tick;
	bool within; /* not at the tick, but on the way to the next */
};

/* A fork that was asked for. */
struct play_fork {
	struct play_connection *connection; /* NULL: none */
	struct play_world *world;
	uint64_t request_id, tick;
	struct world_wish *wish;
};

/* A file of a recording. */
struct play_record {
	void *recording; /* NULL: none */
	struct play_world *world;
	struct collide_mirror *mirror;
	uint8_t *bytes;
	size_t count, capacity, written; /* given, and with the disk */
	bool closed;
};

/* What a player knows: its seat, what it has sent, and what it was told. */
struct player {
	size_t world;
	struct play_connection *connection; /* NULL: none */
	bool attaching;
	uint64_t attach_id;
	uint32_t handle, seat, right;
	bool joins; /* by the join secret */
	uint32_t id_first, id_count;
	uint8_t token[WORLDS_SECRET_BYTES];
	bool seated;

	struct model_batch sent[SENT];   /* sent[i] has the sequence i + 1 */
	size_t made, delivered;          /* how many there are; how many have reached the server */
	struct model_batch *known[SENT]; /* in the model; NULL: refused before it came there */
	uint64_t through, acked;
	Collide__V1__Outcome *told[SENT];
};

struct play_connection {
	bool open;
	bool failed; /* for want of memory: nothing comes by it any more, and it is to be cut */
	struct worlds_client client;
	struct play *play;
};

struct play {
	uint64_t random, check_random, move_random, join_random, now_ns, ids_next, requests_next;
	struct workspace *workspace[WORKERS]; /* of each worker; NULL: it has none to lend */
	struct worlds *worlds;
	struct map_store *maps;
	struct play_world world[WORLDS];
	struct player player[PLAYERS];
	struct reader reader[READERS];
	struct play_moment moment[MOMENTS];
	struct play_fork fork[FORKS];
	struct play_record record[RECORDS];
	struct play_world *record_world; /* that the next file is of */
	struct play_connection connection[CONNECTIONS];
	struct news *news, **news_end;
	struct live_check_share check_share; /* which worlds are under self-check */
	bool late;                           /* of late batches above all: they remove and spawn the same few circles */
	bool short_of_memory;                /* at times */
	uint64_t memory_random, failures, refused_memory, failed_connections, failed_worlds, restored_worlds, blind_turns;
	uint64_t lost_readers; /* that ended for want of memory in their world, which went on */
	size_t accounts_held;
	int64_t charged;
	uint64_t checked;                               /* ticks that were made again for a self-check */
	uint64_t partly;                                /* states of followers with a region that had more than what is near */
	uint64_t moments, forks;                        /* that were as the world was */
	uint64_t recorded, records_ended, records_slow; /* messages in files that were played; files; too slow */
	uint64_t mirrored, coded;                       /* states that mirrors had; updates of theirs with coded batches */
	uint64_t within, stale;           /* states of readers with a tolerance; circles in them that were beyond it */
	uint64_t followed, gaps;          /* states that followers had; keys after ticks that were missed */
	uint64_t moves, detaches, leaves; /* worlds to another worker; seats that ended; and that were left */
	uint64_t went_on, bridged;        /* readers that came back and got no key; regions that came into force without one */
	int tenant;
};

/* The play that is on: of what the functions without a context are about. */
extern struct play *play_here;

/* play_outside.c: what is around the registry. */
extern const struct worlds_upward play_upward;
struct worlds_host play_host(struct play *play);

/* play_worlds.c */
void play_world_make(struct play *play, size_t index);
bool play_turn_is_due(const struct play *play, const struct play_world *world);
/* A turn now. What it has made of time, the model makes too. */
void play_turn(struct play *play, struct play_world *world);
void play_news_deliver(struct play *play);
/* Now and then the self-check of a world, if one waits; or another share of worlds is under check. By random numbers of its
 * own: so the play is the same with and without. */
void play_check(struct play *play);
/* Now and then a world goes to another worker: with other scratch memory, or none, or one that shares out its ticks. By random
 * numbers of its own, too. */
void play_move(struct play *play);

/* By any connection. */
void play_snapshot(struct play *play, struct play_world *world);
/* To the last snapshot, if there is one. */
void play_restore(struct play *play, struct play_world *world);

/* play_memory.c */
/* From here on what the server allocates may fail, until play_memory_enough; by random numbers of its own. */
void play_memory_short(struct play *play);
/* All that failed is over: connections that have to be are cut. */
void play_memory_enough(struct play *play);
/* The server, in which allocations may fail, is called, and has returned. */
void server_enter(void);
void server_leave(void);
/* It calls the test, and goes on: with what was given. */
bool test_enter(void);
void test_leave(bool paused);
/* Whether a request was taken. It may be refused for want of memory, if there has been any. */
bool play_allows(const struct play *play, enum status status, const struct wire_problem *problem);
/* Whether that reason is one of failing memory, and is allowed. */
bool play_memory_reason(const char *reason);
/* Before the model makes a turn's ticks: it learns which batches there was no memory for. */
void play_memory_turn(struct play_world *world, const struct live_turn *turn);
/* After them: where it could not know all, it takes the world's state. */
void play_memory_follow(struct play_world *world);

/* play_readers.c */
/* Anew, or again. */
void reader_subscribe(struct play *play, struct reader *reader);
void reader_steer(struct play *play, struct reader *reader);
void readers_end(struct play *play);
/* Some come back later. */
void readers_of_connection_lost(const struct play_connection *connection);
void reader_unsubscribed(const struct play_connection *connection, uint64_t request_id, const char *reason);
void reader_update(const struct play_connection *connection, uint64_t request_id, const uint8_t *bytes, size_t count);
/* After an update a mirror's whole state is as the world's was. */
void play_mirror_take(struct collide_mirror *mirror, struct play_world *world, const Collide__V1__WorldUpdate *update);
/* What there is to see in the world now. */
void play_past_note(struct play_world *world);
void play_past_free(struct play_world *world);
/* The model was at that tick in no way that is known. */
bool play_unseen(const struct play_world *world, uint64_t tick);

/* play_moments.c */
void moment_ask(struct play *play, struct play_world *world);
void moment_tell(const struct play_connection *connection, uint64_t request_id, struct shared_space *space,
                 const struct wire_problem *problem);
/* The connection is lost: no answer comes by it. */
void moments_forget(struct play *play, const struct play_connection *connection);

/* play_forks.c */
void fork_ask(struct play *play, struct play_world *world);
void fork_tell(const struct play_connection *connection, uint64_t request_id, struct shared_bytes *state,
               const struct wire_problem *problem);
/* The connection is lost: no answer comes by it. */
void forks_forget(struct play *play, const struct play_connection *connection);

/* play_records.c */
struct worlds_files play_files(struct play *play);
/* Begins a recording, or ends it. */
void record_ask(struct play *play, struct play_world *world);
/* The disk has time for a file; `breaks`: or none any more, at times. */
void records_turn(struct play *play, bool breaks);
bool records_are_over(const struct play *play);

/* play_players.c */
/* One that is open. */
struct play_connection *play_connection_any(struct play *play);
void play_connection_cut(struct play_connection *connection);
void player_attach(struct play *play, struct player *player);
/* A batch of one row. Ids are few, so that batches meet. */
void player_make_batch(struct play *play, struct player *player);
/* The next of those that have not arrived. */
void player_deliver(struct player *player);
void player_step(struct play *play, struct player *player);
/* Its seat ends, with all that it has sent still to take effect; or it only leaves it, and can come back. */
void player_detach(struct play *play, struct player *player);
/* What it was told of the batches up to a sequence is what the model says. */
void player_check(const struct player *player, size_t through);

#endif
