/* limits: the bounds of a conversation. Those that a server may configure are in struct session_limits (session/service.h)
 * and announced in Welcome; these are fixed. */
#ifndef COLLIDED_SESSION_LIMITS_H
#define COLLIDED_SESSION_LIMITS_H

/* Bytes of a Hello, Ping or Cancel, which the loop reads itself; also of the first message, whoever sends it. The longest
 * Hello that the schema allows has about 2,500. Over it: INVALID_ARGUMENT, CONTROL_TOO_LARGE; before Hello the frame is
 * refused as FRAME_TOO_LARGE. */
#define SESSION_CONTROL_BYTES_MAX 4096
/* Bytes that unpacking a control message may take: each of its few fields costs tens. Over it: RESOURCE_EXHAUSTED, MEMORY. */
#define SESSION_CONTROL_ARENA_BYTES_MAX 65536
/* Bytes of replies that may wait for the client before its requests are no longer read and no slice is asked for; about what
 * a socket takes at once, so that a client that keeps up never notices. Reading goes on at half. */
#define SESSION_QUEUE_PAUSE_BYTES 65536
/* Messages handled before other clients get their turn: about 100 us of Pings. */
#define SESSION_MESSAGES_PER_TURN 64
/* Frames of one slice; it is over once they are this long, so it is longer by up to one part of a frame (scene/limits.h).
 * A quarter of a millisecond of a 10 Gbit/s line; with SESSION_SLICES_SUBMITTED_MAX what a slow reader costs. */
#define SESSION_SLICE_BYTES 262144
/* A worker that goes on with a simulation hands over what it has of the slice once it is this long: so long that waking the
 * loop for it costs little, so short that little is left to be sent at the end. */
#define SESSION_CHUNK_BYTES 98304
/* Longer ones, because a frame is long, are not handed over: the request comes home with them. So a slow reader costs one that
 * waits for him, one that is not fetched and one in the making: about what a slice costs that comes home while others wait. */
#define SESSION_CHUNK_BYTES_MAX 131072
/* The same for a client that was sent all of its last streamed reply as soon as it was made, and asks again with nothing else
 * under way, but for the first chunk, which he is waiting for: half as many wakes, each of which is 5 to 30 us of a worker on
 * a virtual machine. Should he stop reading, he costs up to 1 MB once. Twice as long ones leave the cache of a core before they
 * are sent, which takes more time than it saves. */
#define SESSION_CHUNK_LONG_BYTES 196608
/* A slice up to this long is copied behind other replies that wait for the same write; a longer one gets a write of its own.
 * Copying so much costs about a tenth of a write. */
#define SESSION_TOGETHER_BYTES 8192
/* Requests of one connection that workers may be busy with at once; the others of those in flight wait their turn. */
#define SESSION_SLICES_SUBMITTED_MAX 4
/* The same while slices are so short that all of them together are no longer than SESSION_SLICES_SUBMITTED_MAX full ones: then
 * it is enough for the workers of a few cores never to run dry before the loop has had its turn. */
#define SESSION_SHORT_SUBMITTED_MAX 16
/* Stepping of one slice, so that a worker serves many clients in turn and `ping` under load stays a matter of the loop. A
 * tick is never cut, so a slice may be longer by one tick. */
#define SESSION_SLICE_MS 20
/* First bytes of a message that are read into; more come with what was received. */
#define SESSION_BODY_BYTES_MIN 512
/* After which it makes sense to try again when the server's queue or memory, or this connection's share, was full: a few
 * slices later. */
#define SESSION_RETRY_BUSY_MS 100
/* The same when the server is going away: about a restart. */
#define SESSION_RETRY_SHUTDOWN_MS 1000
/* Ping intervals without a byte from the client, and with nothing under way, after which it is gone: CLOSE, IDLE. */
#define SESSION_IDLE_INTERVALS 3

#endif
