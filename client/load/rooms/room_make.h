/* room_make: the worlds of a load of rooms: a map, and rooms in it that begin alike but for their seeds.
 *
 * One thread at a time. Blocks while it makes and ends them. */
#ifndef COLLIDE_LOAD_ROOM_MAKE_H
#define COLLIDE_LOAD_ROOM_MAKE_H

#include "client/load/rooms/rooms.h"

struct room {
	char name[COLLIDE_NAME_BYTES];
	uint8_t secret[COLLIDE_SECRET_BYTES]; /* the owner's */
	int64_t base_ns;                      /* when tick 0 was due, by this side's clock; INT64_MAX: not known yet */
	uint64_t tick, lost_ticks;            /* told last */
	bool seen;
};

/* Places on a grid: circles at its corners, walls in its cells, so that none overlap. */
struct room_grid {
	uint64_t side; /* cells of a row */
	double cell;
};

struct room_grid room_grid_of(const struct rooms_plan *plan);

/* Makes the map that all rooms are in. */
bool room_map_make(struct collide_client *client, const struct rooms_plan *plan, const char *name, struct collide_error *error);
/* Makes one room; `name` is that of the map, and begins that of the room. */
bool room_make(struct collide_client *client, const struct rooms_plan *plan, const char *name, uint64_t number,
               struct room *room, struct collide_error *error);
/* Makes all rooms. false: what was made so far is to be ended as well (rooms_end). */
bool rooms_make(struct collide_client *client, const struct rooms_plan *plan, const char *name, struct room *rooms,
                uint64_t *made, struct collide_error *error);
/* Ends them; what is gone already is fine. */
void rooms_end(struct collide_client *client, const char *name, const struct room *rooms, uint64_t made);
/* Sums over the rooms, as a daemon lists them: rooms_sum adds to them. */
struct rooms_sums {
	struct histogram *given; /* the caller's: from a tick's due time until its update had been given to the server's system */
	uint64_t overruns, lost_ticks, failed, resimulated_ticks;
	uint64_t self_checks, self_checks_skipped, self_checks_differing;
};

bool rooms_sum(struct collide_client *client, const char *name, struct rooms_sums *sums, struct collide_error *error);

#endif
