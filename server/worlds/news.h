/* news: what a turn of a live world brought: batches decided, updates for readers, answers, and how the world is.
 *
 * The worker makes one for each turn that brought something; the loop takes it, hands on what is in it, and frees it
 * (news_free). All of a world's news come in order. */
#ifndef COLLIDED_WORLDS_NEWS_H
#define COLLIDED_WORLDS_NEWS_H

#include "base/shared_bytes.h"
#include "scene/shared_space.h"
#include "wire/wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What became of a batch, if more is to be said of it than that it took effect at its tick. */
struct outcome {
	struct outcome *next;
	uint64_t sequence;
	uint64_t tick;    /* 0: it did not take effect */
	bool exceptional; /* to be kept until it is acknowledged; else only CommandsDone wants it */
	bool undone;      /* of a batch that was decided before */
	uint64_t kept_to; /* the loop's: it is kept until the client has the outcome of this sequence */
	int64_t margin_ns;
	size_t count;
	uint8_t bytes[]; /* a serialized Outcome */
};

/* Of one seat, in this turn. */
struct decided {
	struct decided *next;
	uint32_t seat;
	void *sender;     /* of the seat's batches, as they were posted */
	uint64_t through; /* all of its batches that were posted up to here are decided */
	bool has_margin;  /* of some of them it is known: */
	int64_t margin_min_ns;
	uint64_t bytes;           /* of the batches, as they were posted */
	uint32_t count;           /* of batches, */
	uint32_t effective_count; /* and of those that took effect */
	struct outcome *outcomes; /* ascending by sequence, but for those that are undone */
};

/* Of one encoder, after one tick. Each block is the body of a WorldUpdate: the same for all readers. */
struct update {
	struct update *next;
	uint32_t encoder;
	bool failed; /* there was no memory for what its readers are to be told, and the encoder is no more. Nothing else is told */
	uint64_t epoch;
	uint64_t since;  /* tells what there is after this tick, */
	uint64_t tick;   /* up to this one */
	uint64_t due_ns; /* when that was due; 0: not by the server's clock */
	/* Counts of blocks, which are in `blocks` in this order. */
	uint32_t row_count;   /* contacts, events, ends, shortfalls: never left out */
	uint32_t state_count; /* states, and changes of definitions; 0: those that keep pace have all, as the world stands */
	uint64_t
		reader; /* to a POST_STEER: for this one alone, which has what both encoders have told up to `since`. With it the reader
	               has the second encoder's state after `tick`, if `bridged`; else it needs a key of that. 0: for all readers */
	bool bridged;
	uint32_t key_count; /* instead of the states, for those that begin, or begin anew; 0: no key was asked for. Ticks that such
	                       a reader missed are put in front of the block by the loop, as a field of their own */
	struct shared_bytes *blocks[];
};

/* To a POST_STEP, POST_SNAPSHOT, POST_RESTORE, POST_MOMENT or POST_CLOCK. */
struct answer {
	struct answer *next;
	uint64_t ask;
	struct wire_problem problem; /* status STATUS_OK unless it failed */
	uint64_t tick, hash;
	struct shared_bytes *snapshot; /* of POST_SNAPSHOT: a serialized WorldState without handover, or a Scene */
	struct shared_space *space;    /* of POST_MOMENT; held */
	struct shared_bytes *waiting;  /* if asked for: fields `waiting` of a Handover, serialized; NULL: none wait */
};

/* How a world is after a turn. */
struct world_stats {
	uint64_t epoch;
	uint64_t tick, hash_tick, hash;
	uint64_t next_due_ns; /* 0: not by the server's clock */
	uint64_t circles, segments, bytes;
	uint64_t overruns, lost_ticks, batches, resimulated_ticks;
	uint64_t self_checks, self_checks_skipped, self_checks_differing; /* ticks (worlds/live/live_check.h) */
	uint64_t tick_ns_mean, tick_ns_p95; /* CPU time of those timed among the last 256 (tick_times.h) */
	uint64_t late_ns_max;               /* in the last ten seconds */
	const char *failed;                 /* static reason; NULL: it has not */
};

struct live_world;

struct news {
	struct news *next; /* in the outbox, and then the loop's */
	struct live_world *world;
	void *owner; /* what the loop knows the world by: live_world_options.owner */
	struct world_stats stats;
	struct decided *decided;
	struct update *updates;
	struct answer *answers;
	bool ended; /* after POST_END: the world's last news. The loop then destroys it */
};

void news_free(struct news *news);
/* Frees what is in it. */
void news_empty(struct news *news);
/* One that is in no news. NULL is fine. */
void update_free(struct update *update);

#endif
