/* socket: a non-blocking TCP connection, with deadlines on the monotonic clock.
 *
 * One thread at a time; the caller closes the descriptor. No signal is ever raised. */
#ifndef COLLIDE_CLIENT_LIB_SOCKET_H
#define COLLIDE_CLIENT_LIB_SOCKET_H

#include "client/lib/collide.h"

#include <netdb.h>

/* Milliseconds since some point in the past. */
int64_t clock_ms(void);

/* Host and port of "HOST:PORT", "HOST", ":PORT", "[V6]:PORT" or "[V6]". An empty host means 127.0.0.1, no port
 * COLLIDE_PORT_DEFAULT. false: it has no such form, or is too long. */
bool address_split(const char *address, char *host, size_t host_size, char *port, size_t port_size);

/* "HOST:PORT" with its end. */
#define SOCKET_ADDRESS_BYTES 300

/* The endpoints of an address, for freeaddrinfo; and what was asked for, with the port that is the default if none was given.
 * May wait for a name server. */
bool address_resolve(const char *address, struct addrinfo **endpoints, char *tried, size_t tried_size,
                     struct collide_error *error);
/* Begins to connect. The descriptor, or the negative of an errno. */
int socket_begin(const struct addrinfo *endpoint);
/* Waits until it is connected. 0, or an errno; ETIMEDOUT at the deadline (of clock_ms). */
int socket_finish(int descriptor, int64_t deadline_ms);
/* Says that there is no connection to this address, for this errno. Always -1. */
int socket_failed(struct collide_error *error, const char *address, int number);

/* Connects to the first of the address's endpoints that accepts before `deadline_ms` (of clock_ms). -1 on failure. */
int socket_connect(const char *address, int64_t deadline_ms, struct collide_error *error);

/* Waits until the socket can be read, or written if that is asked for, or until wait_ms are over (negative: for ever). */
bool socket_wait(int descriptor, bool for_write, int wait_ms, bool *readable, bool *writable, struct collide_error *error);

/* Bytes moved; 0: none can be moved now; -1: failure, and *error says why. The end of the stream is a failure when reading. */
ptrdiff_t socket_send(int descriptor, const void *bytes, size_t count, struct collide_error *error);
ptrdiff_t socket_receive(int descriptor, void *bytes, size_t room, struct collide_error *error);

#endif
