/* echo: what it costs to receive bytes and to send them back, and nothing else: beside what a daemon takes for batches of as
 * many bytes (docs/load.md). Not a test.
 *
 * Usage: echo BYTES_PER_S [CONNECTIONS [SECONDS]], over 4 connections of the loopback and for 5 seconds unless told otherwise.
 * One thread echoes, by an epoll. Another one sends each millisecond what is due, as a load of rooms does, and reads it back.
 */
#define _GNU_SOURCE /* accept4 */
#include "client/load/load_clock.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTIONS_MAX = 64, CHUNK_BYTES = 65536 };

struct echo {
	int sockets[CONNECTIONS_MAX]; /* the server's ends */
	size_t count;
	atomic_bool over;
	int64_t cpu_ns; /* the server's thread's */
	uint64_t reads;
};

static _Noreturn void
die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t
number(const char *text, uint64_t most)
{
	char *end = NULL;
	errno = 0;
	unsigned long long value = strtoull(text, &end, 10);
	if (errno != 0 || *end != '\0' || *text == '-' || value < 1 || value > most) {
		fprintf(stderr, "echo: \"%s\" is not a whole number from 1 to %" PRIu64 "\n", text, most);
		exit(2);
	}
	return value;
}

static void
send_all(int socket, const char *bytes, size_t count)
{
	for (size_t done = 0; done < count;) {
		ssize_t sent = send(socket, bytes + done, count - done, MSG_NOSIGNAL);
		if (sent < 0 && errno != EINTR)
			die("send");
		done += sent > 0 ? (size_t)sent : 0;
	}
}

static void *
echo_main(void *context)
{
	struct echo *echo = context;
	static char bytes[CHUNK_BYTES];
	struct epoll_event events[CONNECTIONS_MAX];
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	for (size_t i = 0; i < echo->count; i++) {
		struct epoll_event event = { .events = EPOLLIN, .data.fd = echo->sockets[i] };
		if (epoll_ctl(epoll, EPOLL_CTL_ADD, echo->sockets[i], &event) != 0)
			die("epoll_ctl");
	}
	while (!atomic_load(&echo->over)) {
		int ready = epoll_wait(epoll, events, CONNECTIONS_MAX, 100);
		for (int i = 0; i < ready; i++) {
			ssize_t got = recv(events[i].data.fd, bytes, sizeof bytes, 0);
			if (got > 0)
				send_all(events[i].data.fd, bytes, (size_t)got);
			echo->reads += got > 0;
		}
	}
	echo->cpu_ns = clock_ns_of(CLOCK_THREAD_CPUTIME_ID);
	close(epoll);
	return NULL;
}

/* Both ends of so many connections. */
static void
connections_make(struct echo *echo, int *ends)
{
	const int yes = 1;
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof address;
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, CONNECTIONS_MAX) != 0 ||
	    getsockname(listener, (struct sockaddr *)&address, &size) != 0)
		die("listen");
	for (size_t i = 0; i < echo->count; i++) {
		ends[i] = socket(AF_INET, SOCK_STREAM, 0);
		if (ends[i] < 0 || connect(ends[i], (struct sockaddr *)&address, size) != 0)
			die("connect");
		echo->sockets[i] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (echo->sockets[i] < 0)
			die("accept");
		(void)setsockopt(ends[i], IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
		(void)setsockopt(echo->sockets[i], IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
	}
	close(listener);
}

int
main(int argc, char **argv)
{
	static struct echo echo;
	static char bytes[CHUNK_BYTES];
	int ends[CONNECTIONS_MAX];
	if (argc < 2 || argc > 4) {
		fprintf(stderr, "usage: echo BYTES_PER_S [CONNECTIONS [SECONDS]]\n");
		return 2;
	}
	const uint64_t rate = number(argv[1], 1000000000);
	const int64_t seconds = (int64_t)(argc > 3 ? number(argv[3], 3600) : 5);
	echo.count = argc > 2 ? number(argv[2], CONNECTIONS_MAX) : 4;
	pthread_t thread;
	connections_make(&echo, ends);
	if (pthread_create(&thread, NULL, echo_main, &echo) != 0)
		die("pthread_create");
	uint64_t sent = 0, received = 0;
	const int64_t begin_ns = clock_ns();
	for (int64_t now_ns = begin_ns; now_ns < begin_ns + seconds * 1000000000; now_ns = clock_ns()) {
		uint64_t due = (uint64_t)((double)(now_ns - begin_ns) * 1e-9 * (double)rate);
		for (size_t i = 0; i < echo.count && sent < due; i++) {
			uint64_t part = (due - sent) / (echo.count - i);
			part = part < CHUNK_BYTES ? part : CHUNK_BYTES;
			send_all(ends[i], bytes, part);
			sent += part;
		}
		for (size_t i = 0; i < echo.count; i++) {
			ssize_t got = recv(ends[i], bytes, sizeof bytes, MSG_DONTWAIT);
			received += got > 0 ? (uint64_t)got : 0;
		}
		(void)usleep(1000);
	}
	atomic_store(&echo.over, true);
	(void)pthread_join(thread, NULL);
	printf("%.0f bytes/s sent, %.0f echoed, in %" PRIu64 " reads: %.3f cores of the server\n", (double)sent / (double)seconds,
	       (double)received / (double)seconds, echo.reads, (double)echo.cpu_ns * 1e-9 / (double)seconds);
	return 0;
}
