/* daemon_client: a plain blocking client for tests; it knows nothing of libcollide. Every wait is bounded. */
#ifndef COLLIDED_TESTS_INTEGRATION_DAEMON_CLIENT_H
#define COLLIDED_TESTS_INTEGRATION_DAEMON_CLIENT_H

#include "session/messages.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct daemon_client {
	int fd;
	uint8_t *bytes; /* received and not yet looked at */
	size_t count, capacity;
};

/* Connects; says nothing. */
void client_connect(struct daemon_client *client, unsigned port);
/* Connects, says Hello and takes the Welcome. */
void client_open(struct daemon_client *client, unsigned port);
void client_close(struct daemon_client *client);
/* Closes with a reset. */
void client_reset(struct daemon_client *client);
/* Asks the kernel for a small receive buffer, before connecting matters: a client that stops reading fills it soon. */
void client_connect_small(struct daemon_client *client, unsigned port);

void client_send_bytes(struct daemon_client *client, const void *bytes, size_t count);
/* Sends what the buffer holds and empties it. */
void client_send(struct daemon_client *client, struct buffer *message);
void client_simulate(struct daemon_client *client, uint64_t id, uint32_t circles, uint64_t ticks, uint32_t deadline_ms);
void client_ping(struct daemon_client *client, uint64_t id);
void client_end_input(struct daemon_client *client);

/* The next message, or NULL at the end of the stream (a reset is one too). Freed with protobuf-c. */
Collide__V1__ServerMessage *client_receive(struct daemon_client *client);
void client_expect_pong(struct daemon_client *client, uint64_t id);
void client_expect_error(struct daemon_client *client, uint64_t id, const char *reason);
void client_expect_end(struct daemon_client *client);

/* Takes frames and the end of a Simulate that has the connection to itself. */
struct simulated {
	uint64_t frames;
	uint64_t hash; /* of the last frame */
	bool done;     /* SimulateDone came; else an Error: */
	char reason[64];
};
struct simulated client_take_simulation(struct daemon_client *client, uint64_t id);

#endif
