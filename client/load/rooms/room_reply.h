/* room_reply: what a load of rooms needs of a ServerMessage, read without unpacking it: states are skipped. Any thread; borrows
 * the bytes. */
#ifndef COLLIDE_LOAD_ROOM_REPLY_H
#define COLLIDE_LOAD_ROOM_REPLY_H

#include "client/lib/collide.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum room_reply_kind {
	ROOM_UPDATE,
	ROOM_ACKS,
	ROOM_ATTACHED,
	ROOM_WORLDS, /* `bytes` is the Worlds */
	ROOM_ERROR,  /* `bytes` is the Error */
	ROOM_END,    /* a seat or a subscription has ended: `reason`; or the server drains */
	ROOM_OTHER,  /* a pong, or the like */
};

struct room_reply {
	enum room_reply_kind kind;
	uint64_t request_id;
	/* ROOM_UPDATE */
	uint64_t tick, missed_ticks, lost_ticks, late_ns;
	bool has_key, has_frame;
	/* ROOM_ACKS */
	uint64_t through;
	uint64_t outcomes; /* exceptional ones */
	int64_t margin_ns;
	char reason[24]; /* of ROOM_END */
	/* ROOM_ATTACHED; its tick is `tick` */
	uint32_t handle;
	uint64_t next_due_ns;
	const uint8_t *bytes;
	size_t count;
};

/* Reads the body of one message. false: it is no ServerMessage. */
bool room_reply_read(const uint8_t *body, size_t count, struct room_reply *out);
/* Unpacks a ROOM_ERROR's error. false: it cannot be read, or there is no memory. */
bool room_reply_error(const struct room_reply *reply, struct collide_error *error);

#endif
