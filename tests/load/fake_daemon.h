/* fake_daemon: speaks collide.v1 and does nothing, in the ways that a test asks for: it stalls, refuses, answers out of order,
 * hangs up. One thread of its own; the plan is fixed before it starts. */
#ifndef COLLIDED_TESTS_LOAD_FAKE_DAEMON_H
#define COLLIDED_TESTS_LOAD_FAKE_DAEMON_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { FAKE_CONNECTIONS_MAX = 64, FAKE_SCENES_MAX = 16 };

struct fake_plan {
	uint64_t stall_at, stall_ms; /* at this Simulate, from 1, all stands still */
	uint64_t refuse_every;       /* each so manieth Simulate: QUEUE_FULL, try again after 5 ms */
	uint64_t fail_at;            /* this Simulate gets INTERNAL, SELF_CHECK */
	uint64_t fatal_at;           /* this one BAD_FIELD */
	uint64_t close_at;           /* at this one its connection is closed */
	uint64_t mute_from;          /* from this one on none is answered */
	bool backwards;              /* of what is read at once the last is answered first */
	uint32_t requests_in_flight_max;
};

struct fake_daemon {
	struct fake_plan plan;
	char address[32];
	pthread_t thread;
	int listener, ending; /* a pipe's end that is closed to end it */
	int ending_other;
	/* Written by the thread; the first ones may be read at any time. */
	_Atomic(uint64_t) simulates, answered, refused, pings;
	_Atomic(uint64_t) stalled_pings; /* that had come when it stood still; UINT64_MAX: it has not */
	uint64_t under_way_most;
	uint64_t of_circles[FAKE_SCENES_MAX]; /* Simulates of scenes with so many circles */
};

void fake_daemon_start(struct fake_daemon *daemon, const struct fake_plan *plan);
void fake_daemon_stop(struct fake_daemon *daemon);

#endif
