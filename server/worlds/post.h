/* post: what the loop asks of a live world: a message in its inbox.
 *
 * The loop makes it and puts it into the inbox (live_world_post), which is the only thing of a live world that the loop
 * touches. The worker that has the world takes all of them at the start of its turn, in order, and frees them. */
#ifndef COLLIDED_WORLDS_POST_H
#define COLLIDED_WORLDS_POST_H

#include "worlds/policy.h"
#include "worlds/region.h"

#include <stddef.h>
#include <stdint.h>

enum seat_right { SEAT_LOOK = 1, SEAT_OWN = 2, SEAT_ALL = 3, SEAT_STEP = 4 }; /* as the schema's Right */

enum post_kind {
	POST_BATCH,      /* commands of a seat */
	POST_STEP,       /* make ticks: answered (news.h) */
	POST_SNAPSHOT,   /* answered */
	POST_RESTORE,    /* another state: answered */
	POST_UNDO,       /* of a mirror: a batch that has taken effect has not, after all */
	POST_REMAKE,     /* of a mirror: late batches take effect now, not with the next tick */
	POST_MOMENT,     /* the shapes at a moment, for queries: answered */
	POST_CLOCK,      /* clock and rate; answered if it has an `ask` */
	POST_SEEN,       /* whether a seat with a connection or a subscription is there (pause_unseen) */
	POST_ENCODER,    /* updates are wanted by one more option set, or no longer */
	POST_KEY,        /* the encoder's next update is to have a key too */
	POST_STEER,      /* a reader goes over from one encoder to another (news.h) */
	POST_SEAT_ENDED, /* its circles belong to no seat any more */
	POST_END,        /* the world is destroyed: its last turn. What waits is answered with WORLD_GONE */
};

/* An option set of subscriptions: all with the same share an encoder. */
struct encoder_options {
	uint32_t every;
	bool contacts, pair_events;
	bool provisional;                   /* of a world with LATE_RESIMULATE: contacts and events at once */
	bool paths, commands;               /* STREAM_PATHS, STREAM_COMMANDS; else STREAM_STATES: */
	bool driven_legs;                   /* of STREAM_PATHS: how circles move that the rest solver drives */
	bool coded;                         /* of STREAM_COMMANDS: in few bytes */
	double tolerance, driven_tolerance; /* 0: in bytes of doubles; else: */
	uint32_t bytes_per_second;          /* what does not fit is left out; 0: no limit */
	struct region region;
};

struct world_start; /* live_world.h */

struct post {
	struct post *next; /* in the inbox */
	enum post_kind kind;
	uint64_t arrived_ns;
	uint64_t ask; /* given back with the answer: what the loop knows it by */
	union {
		struct {
			uint32_t seat;
			enum seat_right right;
			uint32_t id_first, id_count; /* that it may spawn */
			uint32_t circles_max;        /* that there may be after a spawn; 0: any number */
			uint32_t seat_next;          /* the least number that no seat has had */
			void *sender;                /* given back (news.h): what the loop knows it by; NULL: none */
			uint64_t sequence, tick;     /* 0: the next one */
			bool wants_outcome;          /* whatever becomes of it: CommandsDone */
			bool stays;                  /* of a mirror: it is decided elsewhere (live_mirrored.c) */
		} batch;                         /* `bytes` is a serialized Commands */
		struct {
			uint64_t ticks;
			bool has_expect;
			uint64_t expect_tick;
			uint32_t seat;
		} step;
		struct {
			bool has_tick;
			uint64_t at_tick;
			bool as_scene;
			bool waiting; /* for a handover: also the batches that wait */
			bool fork;    /* for a ForkWorld: which the problem is to name */
		} snapshot;
		struct {
			uint32_t seat;
			uint64_t sequence, tick;
		} undo;
		struct {
			bool has_tick;
			uint64_t tick;
			double time;
			uint64_t asker; /* those of one take turns with others' */
		} moment;
		struct {
			struct world_start *start; /* the world's from now on */
			uint64_t epoch;
		} restore;
		struct {
			enum world_clock clock;
			uint32_t tick_hz;
			uint64_t base_ns; /* when tick 0 from now is due, by the server's clock */
		} clock;
		bool seen;
		struct {
			uint32_t encoder; /* its number, chosen by the loop */
			bool wanted;
			struct encoder_options options;
		} encoder;
		uint32_t key_of; /* number of an encoder */
		struct {
			uint32_t from, to; /* numbers of encoders */
			uint64_t reader;   /* given back: what the loop knows it by */
		} steer;
		uint32_t seat_ended;
	};
	size_t count;
	uint8_t bytes[]; /* of a batch */
};

#endif
