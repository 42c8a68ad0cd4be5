/* floor_server: a server for one room, of one thread: one epoll, one absolute timer, and nothing that is shared but the map.
 *
 * Conversations are the daemon's own (server/session), and so are the world, its encoders and its clock (server/worlds). What
 * differs is what is compared: which thread makes a tick, and when. One that is due is made by this thread, which then writes
 * its updates to their sockets. No worker, wake or queue lies in between.
 *
 * One thread calls all functions. A server is never ended: its process is. */
#ifndef COLLIDE_LOAD_FLOOR_SERVER_H
#define COLLIDE_LOAD_FLOOR_SERVER_H

#include "worlds/registry/map_store.h"

#include <stdbool.h>
#include <stdint.h>

struct floor_server;

struct floor_server_options {
	struct map_store *maps; /* all servers of a floor have it */
	int listener;           /* a listening socket that does not block; taken */
	uint64_t number;        /* of the room: epochs begin there, and ticks of neighbours are spread by it */
	/* Watched besides; -1: none. on_extra is called when there is something to read. */
	int extra;
	bool (*on_extra)(void *context); /* false: floor_server_run is to return */
	void *context;
};

/* NULL: no memory or no descriptor, as errno says. */
struct floor_server *floor_server_create(const struct floor_server_options *options);
/* Serves, until on_extra says so. */
void floor_server_run(struct floor_server *server);
/* A socket that listens on a free port of the loopback, which *port tells. -1: errno says why not. */
int floor_listen(uint16_t *port);

#endif
