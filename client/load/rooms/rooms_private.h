/* rooms_private: a load of rooms under way, shared by the files of this folder. One thread. */
#ifndef COLLIDE_LOAD_ROOMS_PRIVATE_H
#define COLLIDE_LOAD_ROOMS_PRIVATE_H

#include "client/load/rooms/room_conn.h"
#include "client/load/rooms/room_make.h"
#include "client/load/rooms/rooms.h"

#define NS_PER_S INT64_C(1000000000)

struct room_player {
	uint32_t handle;
	uint64_t sequence, through;
};

struct rooms_load {
	const struct rooms_plan *plan;
	struct rooms_result *result;
	struct room *rooms;
	struct room_player *players; /* of all rooms, one room after the other */
	struct room_conn *conns;
	struct room_conn **pending; /* those with something to send: to ask thousands for each input would cost more than sending */
	uint64_t pending_count;
	int epoll;
	uint64_t attached, seen; /* players, readers */
	bool measures;
	int64_t inputs_from_ns; /* when the first input is due */
	uint64_t inputs_sent;
	struct rooms_sums *sums; /* what servers say of their rooms is added to them */
	uint64_t sums_answered;
	int64_t pinged_ns;
	int64_t asked_ns;               /* stop */
	struct histogram *given_before; /* of updates before the window, and their ticks' due times */
	uint64_t bytes_before;          /* the server's memory without rooms; 0: not measured */
	struct collide_error *error;
};

static inline uint64_t
player_count(const struct rooms_load *load)
{
	return load->plan->rooms * load->plan->players;
}

/* Puts the request of a player or a reader, of all rooms, into the output of its connection. */
bool rooms_player_attach(struct rooms_load *load, uint64_t player);
bool rooms_reader_subscribe(struct rooms_load *load, uint64_t number);
/* Of a site: its rooms, which were made standing, go by their clocks from now on. */
bool rooms_clocks_start(struct rooms_load *load);
/* Of a site: asks all servers for sums (load->sums); load->sums_answered says how many have answered. */
bool rooms_sums_request(struct rooms_load *load, const char *name);
/* Moves bytes until then, or until `done` (NULL: only until then). false: *load->error says what ended it. */
bool rooms_talk_until(struct rooms_load *load, int64_t end_ns, bool (*done)(const struct rooms_load *load));

#endif
