#define _GNU_SOURCE /* accept4 */
#include "client/load/floor/floor_server.h"

#include "base/clock.h"
#include "client/load/floor/floor_conn.h"
#include "physics/physics.h"
#include "session/limits.h"
#include "session/world_replies.h"
#include "worlds/registry/worlds.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define TIME_NS (100 * CLOCK_NS_PER_MS) /* between two looks at deadlines: as the daemon's loop */

enum { READ_BYTES = 65536, UNSENT_BYTES = 16384, EVENTS_MAX = 32, BACKLOG = 64 };

/* What an event is about, if it is no connection. */
static char about_listener, about_timer, about_extra;

struct floor_server {
	struct floor_server_options options;
	struct service service;
	struct floor_jobs jobs;
	struct floor_conn *conns;
	struct workspace *workspace;
	int epoll, timer;
	/* Its world; NULL: none yet, or it has ended. */
	struct live_world *live;
	bool wanted, runs; /* a turn is wanted now; its next tick is due then: */
	uint64_t due_ns;
	uint64_t time_ns;  /* when deadlines are looked at next */
	uint64_t armed_ns; /* what the timer is set to */
	uint8_t room[READ_BYTES];
};

/* ---- The registry's host */

static void *
host_start(void *context, struct live_world *live, void *account)
{
	struct floor_server *server = context;
	(void)account;
	if (server->live)
		return NULL; /* a server for one room */
	server->live = live;
	server->wanted = true;
	return server;
}

static void
host_want(void *task)
{
	((struct floor_server *)task)->wanted = true;
}

static void
host_reserve(void *task, uint64_t ns_per_s)
{
	(void)task;
	(void)ns_per_s;
}

/* Nothing is reserved, so nothing is measured for it. */
static uint64_t
host_turn_ns(void *task)
{
	(void)task;
	return 0;
}

/* Neighbours are as far apart as can be (steps of the golden ratio), though none knows of another. */
static uint64_t
host_first_due_ns(void *task, uint32_t tick_hz, uint64_t now_ns)
{
	const struct floor_server *server = task;
	uint64_t period_ns = CLOCK_NS_PER_S / tick_hz;
	uint64_t phase = (server->options.number * UINT64_C(0x9E3779B97F4A7C15)) >> 32;
	uint64_t due_ns = now_ns - now_ns % period_ns + (phase * period_ns >> 32);
	return due_ns > now_ns ? due_ns : due_ns + period_ns;
}

static void
host_random(uint8_t *out, size_t count)
{
	for (size_t done = 0; done < count;) {
		ssize_t got = getrandom(out + done, count - done, 0);
		done += got > 0 ? (size_t)got : 0;
	}
}

/* ---- Setting up */

static bool
watch(struct floor_server *server, int descriptor, uint32_t events, void *about)
{
	struct epoll_event event = { .events = events, .data.ptr = about };
	return epoll_ctl(server->epoll, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

static bool
server_start(struct floor_server *server)
{
	struct session_limits limits = session_limits_default();
	/* The thread is the room's alone. */
	limits.worlds.cpu_percent_max = limits.worlds.cpu_percent_per_account_max = 100;
	service_init(&server->service, &limits, server->options.number + 1, clock_now_ns);
	const struct worlds_options options = {
		.limits = limits.worlds,
		.scene_limits = &server->service.limits.scene,
		.host = { .start = host_start,
		          .want = host_want,
		          .reserve = host_reserve,
		          .turn_ns = host_turn_ns,
		          .first_due_ns = host_first_due_ns,
		          .now_ns = clock_now_ns,
		          .cpu_ns = clock_thread_ns,
		          .random = host_random,
		          .cores = 1,
		          .context = server },
		.upward = &session_worlds_upward,
		.maps = server->options.maps,
		.epoch_first = server->options.number + 1,
	};
	server->service.worlds = worlds_create(&options);
	server->epoll = epoll_create1(EPOLL_CLOEXEC);
	server->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	/* Of the timer each expiry is told once, and needs no read. */
	return server->service.worlds && workspace_create(&server->workspace) == STATUS_OK && server->epoll >= 0 &&
	       server->timer >= 0 && watch(server, server->timer, EPOLLIN | EPOLLET, &about_timer) &&
	       watch(server, server->options.listener, EPOLLIN, &about_listener) &&
	       (server->options.extra < 0 || watch(server, server->options.extra, EPOLLIN, &about_extra));
}

struct floor_server *
floor_server_create(const struct floor_server_options *options)
{
	struct floor_server *server = calloc(1, sizeof *server);
	if (!server)
		return NULL;
	server->options = *options;
	errno = ENOMEM; /* unless the system says more */
	if (server_start(server))
		return server;
	/* Its process ends with it, so no more is given back. */
	free(server);
	return NULL;
}

int
floor_listen(uint16_t *port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof address;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (listener >= 0 && bind(listener, (struct sockaddr *)&address, size) == 0 && listen(listener, BACKLOG) == 0 &&
	    getsockname(listener, (struct sockaddr *)&address, &size) == 0) {
		*port = ntohs(address.sin_port);
		return listener;
	}
	if (listener >= 0)
		close(listener);
	return -1;
}

/* ---- Serving */

/* With the daemon's own settings of a socket. */
static void
accept_one(struct floor_server *server)
{
	const int yes = 1, unsent = UNSENT_BYTES;
	int socket = accept4(server->options.listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (socket < 0)
		return;
	(void)setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
	(void)setsockopt(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent);
	struct floor_conn *conn = floor_conn_create(&server->service, &server->jobs, server->epoll, socket);
	if (conn) {
		conn->next = server->conns;
		server->conns = conn;
	}
}

/* false: it is over. */
static bool
event_take(struct floor_server *server, const struct epoll_event *event)
{
	void *about = event->data.ptr;
	if (about == &about_extra)
		return server->options.on_extra(server->options.context);
	if (about == &about_listener) {
		accept_one(server);
	} else if (about != &about_timer) {
		if ((event->events & EPOLLOUT) != 0) {
			floor_conn_writable(about);
			worlds_on_sent(server->service.worlds);
		}
		if ((event->events & EPOLLIN) != 0)
			floor_conn_readable(about, server->room, sizeof server->room);
		if ((event->events & (EPOLLHUP | EPOLLERR)) != 0)
			((struct floor_conn *)about)->over = true;
	}
	return true;
}

static void
jobs_run(struct floor_server *server)
{
	struct floor_jobs *jobs = &server->jobs;
	while (jobs->count > 0) {
		struct job *job = jobs->jobs[jobs->first];
		jobs->first = (jobs->first + 1) % (sizeof jobs->jobs / sizeof jobs->jobs[0]);
		jobs->count--;
		job->run(job);
		job->done(job);
		session_settle_returned(&server->service);
	}
}

/* A turn of the world, if one is due or wanted; what it brought goes out at once. */
static void
world_turn(struct floor_server *server)
{
	uint64_t now_ns = clock_now_ns();
	if (!server->live || !(server->wanted || (server->runs && server->due_ns <= now_ns)))
		return;
	server->wanted = false;
	struct live_turn turn = live_world_turn(server->live, now_ns, server->workspace, NULL);
	if (turn.next == TURN_ENDED) {
		/* Once the registry has had its last news. */
		struct live_world *ended = server->live;
		server->live = NULL;
		worlds_on_news(server->service.worlds, turn.news);
		live_world_destroy(ended);
	} else if (turn.news) {
		worlds_on_news(server->service.worlds, turn.news);
	}
	session_settle_returned(&server->service);
	worlds_on_sent(server->service.worlds);
	server->runs = turn.next == TURN_AT;
	server->due_ns = turn.due_ns;
	server->wanted = server->wanted || turn.next == TURN_SOON;
}

static void
deadlines_look(struct floor_server *server)
{
	uint64_t now_ns = clock_now_ns();
	if (now_ns < server->time_ns)
		return;
	server->time_ns = now_ns + TIME_NS;
	for (struct floor_conn *conn = server->conns; conn; conn = conn->next)
		if (!conn->over && !conn->ending)
			session_on_time(conn->session);
	worlds_on_time(server->service.worlds);
	session_settle_returned(&server->service);
}

/* What sessions asked for, and the connections that have ended. True: there is more. */
static bool
conns_settle(struct floor_server *server)
{
	bool more = false;
	for (struct floor_conn **link = &server->conns; *link;) {
		struct floor_conn *conn = *link;
		if (conn->later && !conn->over) {
			conn->later = false;
			session_on_later(conn->session);
		}
		if (conn->over) {
			*link = conn->next;
			floor_conn_destroy(conn);
			session_settle_returned(&server->service);
			continue;
		}
		more = more || conn->later;
		link = &conn->next;
	}
	return more || server->jobs.count > 0;
}

/* To the next tick, or to the next look at deadlines if that comes long before. */
static void
timer_arm(struct floor_server *server)
{
	uint64_t at_ns = server->runs && server->due_ns < server->time_ns + TIME_NS ? server->due_ns : server->time_ns;
	if (at_ns == server->armed_ns)
		return;
	const struct itimerspec when = { .it_value = { .tv_sec = (time_t)(at_ns / CLOCK_NS_PER_S),
		                                           .tv_nsec = (long)(at_ns % CLOCK_NS_PER_S) } };
	server->armed_ns = at_ns;
	(void)timerfd_settime(server->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

void
floor_server_run(struct floor_server *server)
{
	struct epoll_event events[EVENTS_MAX];
	bool more = false, goes_on = true;
	while (goes_on) {
		if (!more)
			timer_arm(server);
		int count = epoll_wait(server->epoll, events, EVENTS_MAX, more ? 0 : -1);
		/* The tick first: it is due. */
		world_turn(server);
		for (int i = 0; i < count && goes_on; i++)
			goes_on = event_take(server, &events[i]);
		jobs_run(server);
		deadlines_look(server);
		more = conns_settle(server) || server->wanted;
	}
}
