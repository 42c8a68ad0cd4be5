/* relay: a TCP relay on a free port of 127.0.0.1 that cuts its connections after some bytes, in the midst of messages, or
 * delays what it moves. One thread: the test pumps it. */
#ifndef COLLIDED_TESTS_INTEGRATION_RELAY_H
#define COLLIDED_TESTS_INTEGRATION_RELAY_H

#include <stddef.h>
#include <stdint.h>

enum { RELAY_PAIRS_MAX = 16, RELAY_BYTES = 65536, RELAY_MARKS = 256 };

/* Bytes of one direction that the other side has not taken. */
struct relay_pipe {
	uint8_t bytes[RELAY_BYTES];
	size_t count;
	/* When which of them may go on: so many at a time, in order. */
	struct {
		size_t count;
		uint64_t due_ns;
	} marks[RELAY_MARKS];
	size_t mark_count;
};

struct relay {
	int listener;
	unsigned port, target_port;
	uint64_t random, cuts;
	uint64_t delay_ns, jitter_ns; /* of what comes; each way, and up to so much more */
	uint64_t cut_bytes_max;       /* a connection ends after 1 .. so many bytes; 0: never */
	struct {
		int client, server; /* -1: this place is free */
		uint64_t left;      /* bytes until the cut */
		struct relay_pipe to_server, to_client;
	} pairs[RELAY_PAIRS_MAX];
};

void relay_start(struct relay *relay, unsigned target_port, uint64_t seed, uint64_t cut_bytes_max);
/* The same from now on, for the connections that are there, too. */
void relay_cut_after(struct relay *relay, uint64_t cut_bytes_max);
/* From now on bytes are delayed by delay_ms, and by a random time up to jitter_ms more, in order. */
void relay_delay(struct relay *relay, uint64_t delay_ms, uint64_t jitter_ms);
void relay_stop(struct relay *relay);
/* Moves what can be moved. */
void relay_pump(struct relay *relay);

#endif
