/* floor_first: the first server of a floor, in its process, and what it tells the one that asked for it. */
#ifndef COLLIDE_LOAD_FLOOR_FIRST_H
#define COLLIDE_LOAD_FLOOR_FIRST_H

#include "client/load/floor/floor.h"

#include <sys/types.h>

/* Over the control socket: a number of rooms, in bytes of this machine, is answered by as many of these. The first of all comes
 * unasked, of the first server. */
struct floor_told {
	int64_t pid; /* that has the server */
	int error;   /* 0, or the errno of what failed: there is no such server, and none after it */
	uint16_t port;
};

/* Serves until the control socket is closed, then ends the process. `parent`: what called fork. */
_Noreturn void floor_first_main(enum floor_kind kind, bool realtime, int control, pid_t parent);

#endif
