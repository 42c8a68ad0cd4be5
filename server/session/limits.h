/* limits: the bounds of a conversation. Those that a server may configure are in struct session_limits (session/service.h)
 * and announced in Welcome; these are fixed. */
#ifndef COLLIDED_SESSION_LIMITS_H
#define COLLIDED_SESSION_LIMITS_H

/* Bytes of a Hello, Ping or Cancel, which the loop reads itself; also of the first message of a connection. The longest
 * Hello that the schema allows has about 2,500. Over it: INVALID_ARGUMENT, CONTROL_TOO_LARGE; before Hello the frame is
 * refused as FRAME_TOO_LARGE. */
#define SESSION_CONTROL_BYTES_MAX 4096
/* Bytes that unpacking a control message may take: each of its few fields costs tens. Over it: RESOURCE_EXHAUSTED, MEMORY. */
#define SESSION_CONTROL_ARENA_BYTES_MAX 65536
/* Bytes of replies that may wait for the client before its requests are no longer read and no slice is asked for. About what a
 * socket takes at once: a client that keeps up never notices. Reading goes on at half. */
#define SESSION_QUEUE_PAUSE_BYTES 65536
/* Messages handled before other clients are served: about 100 us of Pings. */
#define SESSION_MESSAGES_AT_ONCE 64
/* The same in time, since some messages take much longer: a list of worlds, say. Of all connections of an account together,
 * while there are others (turns.h). */
#define SESSION_TURN_NS 200000
/* Frames of one slice; it is over once they are this long, so it is longer by up to one part of a frame (scene/limits.h).
 * A quarter of a millisecond of a 10 Gbit/s line; with SESSION_SLICES_SUBMITTED_MAX what a slow reader costs. */
#define SESSION_SLICE_BYTES 262144
/* Bytes of a stream chunk (stream_chunk.h): a worker hands it over once it is this long. Long enough that waking the loop costs
 * little, short enough that little is left to be sent at the end. */
#define SESSION_CHUNK_BYTES 98304
/* A longer one, because a frame is long, is not handed over: the request is returned with it. So a slow reader costs one chunk
 * that waits for it, one that is not fetched, and one in the making. That is about what a returned slice costs while others
 * wait. */
#define SESSION_CHUNK_BYTES_MAX 131072
/* The same for a client that was sent its last streamed reply as fast as it was made, and asks again with nothing else under
 * way. The first chunk stays short, as the client waits for it. That halves the wakes, each of which takes 5 to 30 us of a
 * worker on a virtual machine. Should the client stop reading, it costs up to 1 MB once. Chunks of twice this length leave a
 * core's cache before they are sent, which costs more than it saves. */
#define SESSION_CHUNK_LONG_BYTES 196608
/* Longest slice or chunk for a client that has not shown that it reads. One that never reads so costs at most
 * SESSION_QUEUE_PAUSE_BYTES and two of these for each of SESSION_SLICES_SUBMITTED_MAX requests: 128 KiB, beside a frame of
 * each. */
#define SESSION_SLICE_BYTES_LEAST 8192
/* Bytes that a client is sent before it has shown that it reads: somewhat more than the kernels of both ends take for one that
 * does not. Of what it takes beyond, slices and chunks grow by a quarter, so that full ones come after a few milliseconds. */
#define SESSION_UNREAD_BYTES 262144
/* A slice up to this long is copied behind other replies that wait for the same write; a longer one gets a write of its own.
 * Copying so much costs about a tenth of a write. To let what is to be written grow in a worker's memory would cost more:
 * malloc locks that while the worker uses it. */
#define SESSION_TOGETHER_BYTES 8192
/* Requests of one connection that may be submitted to workers at once; the others under way are ready and wait. */
#define SESSION_SLICES_SUBMITTED_MAX 4
/* The same while slices are short: all of them together no longer than SESSION_SLICES_SUBMITTED_MAX full ones. Enough that the
 * workers of a few cores do not run out of work before the loop runs again. */
#define SESSION_SHORT_SUBMITTED_MAX 16
/* Stepping of one slice, so that a worker serves many clients in turn and `ping` under load stays a matter of the loop. A
 * tick is never cut, so a slice may be longer by one tick. */
#define SESSION_SLICE_MS 20
/* Bytes a second at which a message has to come, on average since its first byte, once session_limits.frame_timeout_ms have
 * passed: a line of 64 kbit/s. So a message of 128 MiB may take hours, and one that comes at a byte a second 10 s. Slower:
 * CLOSE, FRAME_TIMEOUT. */
#define SESSION_MESSAGE_BYTES_PER_S_MIN 8192
/* First bytes of a message that are read into; more come with what was received. */
#define SESSION_BODY_BYTES_MIN 512
/* A message up to this long is kept as long as its request. A thread that frees what another has allocated, as a worker would,
 * takes the lock of that thread's memory in malloc, and has it wait. */
#define SESSION_BODY_BYTES_KEPT 4096
/* After which it makes sense to try again when the server's queue or memory, or this connection's share, was full: a few
 * slices later. */
#define SESSION_RETRY_BUSY_MS 100
/* The same for a connection that gave way to another, or was refused: about as long as many are open. */
#define SESSION_RETRY_CONNECTION_MS 1000
/* The same when the server is going away: about a restart. */
#define SESSION_RETRY_SHUTDOWN_MS 1000
/* Ping intervals without a byte from the client, and with nothing under way, after which it is gone: CLOSE, IDLE. */
#define SESSION_IDLE_INTERVALS 3

#endif
