/* limits: the fixed bounds of the network layer. Those that a server may configure are in struct net_options (net/net.h). */
#ifndef COLLIDED_NET_LIMITS_H
#define COLLIDED_NET_LIMITS_H

/* Descriptors kept back from connections: the listener, epoll, pipes, stderr, the port file, refused connections. libuv
 * 1.44 spins when accept fails for want of one, so connections_max is lowered until this many remain. */
#define NET_DESCRIPTORS_RESERVED 64
/* Refused connections that may be told why at the same time; any more are closed without a word. Part of the reserve. */
#define NET_REFUSED_MAX 32
/* Connections that the kernel may hold for us before they are accepted. */
#define NET_BACKLOG 1024
/* Bytes taken from one connection before the others are served; also the one buffer that all reads share. */
#define NET_READ_BYTES 65536
/* Bytes written to one connection before the others are served: about 50 us. */
#define NET_WRITE_BYTES 131072
/* Bytes that the kernel takes for a peer beyond what it may send now (TCP_NOTSENT_LOWAT); it adds a segment of up to 64 KiB. So
 * a peer that does not read costs the kernel 80 KiB rather than 4 MiB. */
#define NET_UNSENT_BYTES 16384
/* Bodies of one conn_send: an envelope and what is in it, with room to spare. */
#define NET_BLOCKS_MAX 8
/* How often deadlines are looked at while there are connections: their precision. */
#define NET_TICK_MS 100
/* More time than this between two of these: the process stood still (SIGSTOP, a machine that pauses). No peer is to blame. */
#define NET_STOOD_MS 1000
/* After our last byte: time for the client to read it and close, so that no reset overtakes it. */
#define NET_LINGER_MS 1000
/* Silence after which the kernel asks whether the peer still exists. */
#define NET_KEEPALIVE_S 60
/* Text of an address and port: an IPv6 address, a scope, brackets. */
#define NET_ADDRESS_BYTES 80

#endif
