/* wish: a world that a worker has made and that the loop is to enter.
 *
 * Owned by one thread at a time: the worker that makes it, then the loop. */
#ifndef COLLIDED_WORLDS_REGISTRY_WISH_H
#define COLLIDED_WORLDS_REGISTRY_WISH_H

#include "base/arena.h"
#include "worlds/registry/registry_private.h"

/* Of a ForkWorld: what it goes on from. */
struct fork {
	char world[WORLDS_NAME_BYTES_MAX + 1];
	uint64_t epoch;
	uint8_t secret[WORLDS_SECRET_BYTES];
	size_t secret_count; /* 0: it cannot be right */
	bool has_tick;
	uint64_t at_tick;
	Collide__V1__Clock clock;
	struct shared_bytes *state; /* held; NULL: it is asked for still */
};

struct world_wish {
	const char *name_field;               /* as a problem names it */
	char name[WORLDS_NAME_BYTES_MAX + 1]; /* "": the server makes one */
	struct world_policy policy;
	struct labels labels;
	bool has_ticket;
	uint8_t ticket[WORLDS_SECRET_BYTES];
	struct named_map *map;                 /* held; NULL: none */
	struct world_start *start;             /* NULL: taken */
	struct arena arena;                    /* holds the handover */
	const Collide__V1__Handover *handover; /* NULL: none */
	struct fork fork;
};

STATUS_MUST_USE enum status wish_read_ticket(const ProtobufCBinaryData *ticket, const char *field, struct world_wish *wish,
                                             struct wire_problem *problem);

struct restore_wish {
	char name[WORLDS_NAME_BYTES_MAX + 1];
	uint64_t epoch;
	uint8_t secret[WORLDS_SECRET_BYTES];
	size_t secret_count;
	double dt; /* 0: the bytes do not say */
	struct named_map *map;
	struct world_start *start;   /* NULL: taken, or there is none: */
	struct wire_problem problem; /* what is wrong with the bytes; told to those only that may restore the world */
};

#endif
