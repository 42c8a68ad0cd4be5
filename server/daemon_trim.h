/* daemon_trim: memory that was freed goes back to the system, once the daemon is quiet.
 *
 * malloc gives back what lies at the end of its heaps. Whatever stays there, as a connection that came last, keeps all below
 * it: tens of megabytes after large messages, and more with every few hours of mixed load. memory_trim gives back the pages in
 * between. It takes 1 ms for each 8 MB or so, and a thread that wants memory of the same heap waits meanwhile. So nothing may
 * be running, and no tick be due soon. Under load nothing is given back: it is used again soon.
 *
 * It is no work of the background class: with the least priority it could lose its core while others wait for the heap.
 *
 * Loop only. */
#ifndef COLLIDED_DAEMON_TRIM_H
#define COLLIDED_DAEMON_TRIM_H

#include <stdbool.h>
#include <stdint.h>

struct pool;

/* All 0 at the start. */
struct trim {
	uint64_t looked_ns;  /* 0: never */
	uint64_t trimmed_ns; /* the last one; before it the first look */
	uint64_t left_bytes; /* resident and not allocated after the last one, or the least since */
	bool settled;        /* nothing is left to do until something happens */
};

/* Does it if it is time. To be called as long as it is not settled, as often as one likes. `active`: something may have taken
 * memory since the last call, or still takes some. */
void trim_look(struct trim *trim, struct pool *pool, bool active, uint64_t now_ns);

#endif
