/* floor: what the daemon is compared with: the same rooms, but each has a thread of its own, or a process of its own.
 *
 * A process of its own is the floor's first server. It takes the map, over the protocol, and then makes a server for each room
 * (floor_server.h). A thread has the map in shared memory. A process has it as it was when it was forked, so that its pages are
 * shared as long as none is written. Each server has a port of its own.
 *
 *     collide bench -- control --> first server -- fork or thread --> servers of rooms
 *
 * All of it ends with floor_stop, or when the process that called floor_start ends in whatever way.
 *
 * One thread at a time, and the only one of its process when it calls floor_start: that forks. */
#ifndef COLLIDE_LOAD_FLOOR_H
#define COLLIDE_LOAD_FLOOR_H

#include "client/load/rooms/rooms.h"

enum floor_kind { FLOOR_THREADS, FLOOR_PROCESSES };

struct floor;

/* `realtime`: the threads of rooms take the priority of the daemon's workers with --realtime, if they may. NULL: *error says
 * why. */
struct floor *floor_start(enum floor_kind kind, bool realtime, struct collide_error *error);
/* False: it did not end well. NULL is fine. */
bool floor_stop(struct floor *floor);
/* "127.0.0.1:PORT" of the first server, which has the maps. Valid as long as the floor. */
const char *floor_address(const struct floor *floor);
/* For a plan of rooms; its context is the floor. Rooms are opened once. */
struct rooms_site floor_site(struct floor *floor);

#endif
