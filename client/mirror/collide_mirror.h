/* collide_mirror.h: a live world with the engine in the client, as a subscription to STREAM_COMMANDS tells it: every state to
 * the bit, from the few bytes of what players did. And ahead of that: the ticks to come, with the batches that this program has
 * sent and that the server has not told yet. Of libcollide-mirror; include collide.h first.
 *
 * A mirror is fed by a subscription (collide_reader.take = collide_mirror_take), or by collide_mirror_update with updates from
 * elsewhere. One thread at a time. It owns its memory; pointers into it are valid until the next call that changes it.
 *
 * Prediction: each batch that a seat sends is given to the mirror too (collide_mirror_predict), with its seat and sequence
 * (collide_seat_sequence). collide_mirror_advance makes ticks up to the one that is displayed, which may be ahead of what the
 * server has told. Where the server tells the same, nothing is made again. Where it tells something else, the mirror goes back
 * once, makes these ticks again, and says which circles are now elsewhere (collide_mirror_corrections). Outcomes of the seat
 * go to collide_mirror_outcome, so that a refused batch is taken back at once.
 *
 * What can go wrong: an update that is not the next one, or that the engine cannot follow; memory; a hash that differs. Then
 * the mirror needs a key. A subscription that feeds it asks for one by itself. After a hash that differs the mirror goes on,
 * as well as it can, until the key is there, and then says what differed (collide_mirror_difference). */
#ifndef COLLIDE_MIRROR_H
#define COLLIDE_MIRROR_H

#ifndef COLLIDE_H
#error "include collide.h first"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* How far a mirror goes ahead of what it was told, in ticks. */
#define COLLIDE_MIRROR_AHEAD_MAX 240

struct collide_mirror;

/* What it knows of the world. */
struct collide_mirrored {
	bool ready;    /* there was a key */
	bool in_doubt; /* a hash differed, and there was no key since */
	uint64_t epoch;
	uint64_t tick;       /* made last, by collide_mirror_advance or for an update: what is displayed */
	uint64_t told_tick;  /* up to here the server has told what happened */
	uint64_t final_tick; /* up to here it will tell nothing else; before told_tick if late batches take effect at their ticks */
	double dt;           /* seconds of the world per tick */
	size_t circle_count;
	/* Counts, since it was created: */
	uint64_t batches;         /* that the server told, */
	uint64_t undone;          /* and of these that did not take effect after all */
	uint64_t remade;          /* ticks that were made again */
	uint64_t predicted;       /* batches given to collide_mirror_predict: */
	uint64_t confirmed;       /* they took effect as was predicted */
	uint64_t moved;           /* they took, or are now expected to take, effect in another tick; counted each time */
	uint64_t dropped;         /* they did not take effect, or that is not known */
	uint64_t corrections;     /* updates and outcomes after which some circle was elsewhere */
	uint64_t corrected;       /* circles in these, in all */
	uint64_t hashes;          /* that it was told, and are its own */
	uint64_t hashes_left;     /* that it was told and could not compare: late batches made them void, or a key came */
	uint64_t hash_tick, hash; /* the last of them */
};

/* Where a circle is after an update, at the tick that was displayed before, less where it was. */
struct collide_mirror_corrected {
	uint32_t id;
	bool appeared, gone; /* it is there only now, or was only before; then the rest is 0 */
	double x, y;         /* lengths of the world */
	double angle;        /* radians */
};

/* What the last update has corrected, or the last outcome. */
struct collide_mirror_corrections {
	uint64_t tick; /* that was displayed */
	size_t count;
	const struct collide_mirror_corrected *circles; /* ascending by id */
	uint32_t others;                                /* batches that brought it about, and that were not predicted: of others, */
	uint32_t own;                                   /* and predicted ones that took effect otherwise, or not */
	bool key;                                       /* it was a key */
};

/* What a hash that differed was about. */
struct collide_mirror_difference {
	uint64_t hash_tick; /* after this tick the hash differed */
	uint64_t tick;      /* after this one the states were compared: that of the key */
	bool compared;      /* false: the key was of a tick that the mirror could not make */
	bool in_circle;     /* the first difference is in this circle's state: */
	uint32_t circle;
	char field[24];        /* "x", "y", "vx", "vy", "angle", "spin"; "id": only one of them has it */
	double mirror, server; /* the numbers */
	char text[200];        /* all that, or where else they differ, in words; empty: they are the same again */
};

/* NULL without memory. */
COLLIDE_MUST_USE struct collide_mirror *collide_mirror_create(void);
void collide_mirror_destroy(struct collide_mirror *mirror); /* NULL is fine */
/* Called after each new tick; not after those that are made again. NULL ends it. */
void collide_mirror_on_tick(struct collide_mirror *mirror, void (*on_tick)(void *context, struct collide_mirror *mirror),
                            void *context);

/* Takes a serialized WorldUpdate, or a part of one. false: *error says why, and a key is needed. HASH: the state is not the
 * server's. TOO_FAR: more ticks than a server tells at once. CODED: its batches are in few bytes (Subscribe.coded), which a
 * subscription reads before it gives them. Else NOT_NEXT, NO_KEY, BAD_KEY, ENGINE, MALFORMED, or memory. */
COLLIDE_MUST_USE bool collide_mirror_update(struct collide_mirror *mirror, const void *update, size_t bytes,
                                            struct collide_error *error);
/* The same, for collide_reader.take; `mirror` is its take_context. */
COLLIDE_MUST_USE bool collide_mirror_take(void *mirror, const void *update, size_t bytes, struct collide_error *error);

/* The batch of this seat and sequence is on its way. It is taken to have effect in batch->tick, or in that of batch->message if
 * this names one; 0: the next that is not made. The batch is copied. One for a tick that is made already has effect there, if
 * the server has not told of that tick. Else it is taken for the next after those. As on the server, none has effect before one
 * of the same seat that is on its way. false: it cannot be a batch, its sequence is 0, as that of one which was not sent, there
 * was no key, or no memory; then it is not predicted. */
COLLIDE_MUST_USE bool collide_mirror_predict(struct collide_mirror *mirror, uint32_t seat, uint64_t sequence,
                                             const struct collide_batch *batch, struct collide_error *error);
/* The same of a serialized collide.v1.Commands as it was sent, for programs without libcollide: its `tick` counts, its handle,
 * sequence and acked do not. BAD_ARGUMENT: it is no Commands. */
COLLIDE_MUST_USE bool collide_mirror_predict_commands(struct collide_mirror *mirror, uint32_t seat, uint64_t sequence,
                                                      const void *commands, size_t bytes, struct collide_error *error);
/* What the seat was told of a batch (collide_seat_handler.on_outcome): one that was refused is taken back. That may put circles
 * elsewhere, as an update may. */
void collide_mirror_outcome(struct collide_mirror *mirror, uint32_t seat, const struct collide_outcome *outcome);
/* Makes ticks up to that one, but no more than COLLIDE_MIRROR_AHEAD_MAX beyond what was told. The tick that it is at then; 0:
 * there was no key. */
uint64_t collide_mirror_advance(struct collide_mirror *mirror, uint64_t tick);

struct collide_mirrored collide_mirror_state(const struct collide_mirror *mirror);
/* Ascending by id; index < circle_count. `driven` is not told. */
struct collide_followed_circle collide_mirror_circle(const struct collide_mirror *mirror, size_t index);
/* false: there is none with this id. */
COLLIDE_MUST_USE bool collide_mirror_find(const struct collide_mirror *mirror, uint32_t id, size_t *index);
/* Of the last update or outcome; count 0: it changed no place. */
struct collide_mirror_corrections collide_mirror_corrections(const struct collide_mirror *mirror);
/* Of the last hash that differed and was followed by a key. false: there was none. */
COLLIDE_MUST_USE bool collide_mirror_difference(const struct collide_mirror *mirror,
                                                struct collide_mirror_difference *difference);
/* The state after the displayed tick as bytes of a snapshot (WorldState), from which a world can be created. To be freed with
 * free(). NULL without memory or key. */
void *collide_mirror_snapshot(struct collide_mirror *mirror, size_t *bytes);

#ifdef __cplusplus
}
#endif

#endif
