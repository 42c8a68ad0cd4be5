/* The loop itself: its life, its tick, its signals, its wake. */
#include "net/net_private.h"

#include "base/check.h"
#include "base/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <unistd.h>

unsigned
net_connections_possible(unsigned connections_max)
{
	struct rlimit limit;
	rlim_t wanted = (rlim_t)connections_max + NET_DESCRIPTORS_RESERVED;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return connections_max;
	if (limit.rlim_cur < wanted) {
		limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
		CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	}
	rlim_t possible = limit.rlim_cur > NET_DESCRIPTORS_RESERVED ? limit.rlim_cur - NET_DESCRIPTORS_RESERVED : 1;
	return possible < connections_max ? (unsigned)possible : connections_max;
}

/* The mark is reset before the handler looks: what comes after that is seen before the loop sleeps again. */
static void
on_wake(uv_poll_t *poll, int status, int events)
{
	struct net *net = poll->data;
	uint64_t count = 0;
	(void)status;
	(void)events;
	CHECK(read(net->wake_fd, &count, sizeof count) == (ssize_t)sizeof count || errno == EAGAIN || errno == EINTR);
	(void)atomic_exchange(&net->wakefulness, NET_AWAKE);
	net->handlers->on_wake(net->context);
}

static void
on_before_poll(uv_prepare_t *prepare)
{
	struct net *net = prepare->data;
	net->iteration++;
	net->handlers->on_iteration(net->context);
	/* About to sleep. A net_wake from here on writes. */
	if (atomic_exchange(&net->wakefulness, NET_ASLEEP) == NET_CALLED)
		net->handlers->on_wake(net->context);
}

static void
on_tick(uv_timer_t *timer)
{
	struct net *net = timer->data;
	uint64_t now_ns = clock_now_ns(), passed_ns = now_ns - net->tick_ns;
	net->tick_ns = now_ns;
	/* Closing is never done before the call returns, so the list stays as it is. */
	for (struct conn *conn = net->conns; conn; conn = conn->next) {
		if (passed_ns > NET_STOOD_MS * CLOCK_NS_PER_MS)
			conn_on_stood(conn, passed_ns, now_ns);
		conn_on_tick(conn, now_ns);
	}
	listener_retry(net);
	net->handlers->on_tick(net->context);
	net_update_tick(net);
}

static void
on_signal(uv_signal_t *handle, int number)
{
	struct net *net = handle->data;
	net->handlers->on_signal(net->context, number);
}

enum status
net_handle_signal(struct net *net, int number)
{
	CHECK(net->signal_count < sizeof net->signals / sizeof net->signals[0]);
	uv_signal_t *handle = &net->signals[net->signal_count];
	if (uv_signal_init(&net->loop, handle) != 0)
		return STATUS_RESOURCE_EXHAUSTED;
	net->signal_count++;
	handle->data = net;
	return uv_signal_start(handle, on_signal, number) == 0 ? STATUS_OK : STATUS_RESOURCE_EXHAUSTED;
}

/* A peer that is gone is an error of a write, not the end of the process. */
static void
ignore_sigpipe(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigemptyset(&ignore.sa_mask);
	CHECK(sigaction(SIGPIPE, &ignore, NULL) == 0);
}

/* Has the loop look at a descriptor, if it is one; closes it where that fails. */
static bool
poll_open(struct net *net, uv_poll_t *poll, int *fd, int opened)
{
	*fd = opened;
	if (opened < 0)
		return false;
	poll->data = net;
	if (uv_poll_init(&net->loop, poll, opened) == 0)
		return true;
	CHECK(close(opened) == 0);
	return false;
}

/* These cannot fail in libuv 1.44, but for those that want a descriptor. */
static bool
net_init_handles(struct net *net)
{
	net->tick.data = net->before_poll.data = net->later_calls.data = net;
	if (!poll_open(net, &net->wake_poll, &net->wake_fd, eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)))
		return false;
	if (!poll_open(net, &net->later_poll, &net->later_fd, timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK))) {
		uv_close((uv_handle_t *)&net->wake_poll, NULL);
		uv_run(&net->loop, UV_RUN_DEFAULT);
		CHECK(close(net->wake_fd) == 0);
		return false;
	}
	uv_poll_start(&net->wake_poll, UV_READABLE, on_wake);
	uv_poll_start(&net->later_poll, UV_READABLE, net_on_later);
	/* Set up here, for net_update_tick to start and to stop. */
	uv_timer_init(&net->loop, &net->tick);
	uv_timer_start(&net->tick, on_tick, NET_TICK_MS, NET_TICK_MS);
	uv_timer_stop(&net->tick);
	uv_idle_init(&net->loop, &net->later_calls);
	uv_prepare_init(&net->loop, &net->before_poll);
	uv_prepare_start(&net->before_poll, on_before_poll);
	return true;
}

enum status
net_create(const struct net_options *options, const struct net_handlers *handlers, void *context, struct net **out)
{
	struct net *net = calloc(1, sizeof *net);
	if (!net)
		return STATUS_RESOURCE_EXHAUSTED;
	net->options = *options;
	net->handlers = handlers;
	net->context = context;
	net->iteration = 1;
	if (uv_loop_init(&net->loop) != 0) {
		free(net);
		return STATUS_RESOURCE_EXHAUSTED;
	}
	ignore_sigpipe();
	if (!net_init_handles(net)) {
		CHECK(uv_loop_close(&net->loop) == 0);
		free(net);
		return STATUS_RESOURCE_EXHAUSTED;
	}
	*out = net;
	return STATUS_OK;
}

static void
close_handle(uv_handle_t *handle, void *context)
{
	(void)context;
	if (!uv_is_closing(handle))
		uv_close(handle, NULL);
}

void
net_close_connections(struct net *net)
{
	net_stop_listening(net);
	net->accept_pending = false;
	for (struct conn *conn = net->conns; conn; conn = conn->next)
		conn_close(conn, "SHUTDOWN", false);
	while (net->conns)
		uv_run(&net->loop, UV_RUN_NOWAIT);
}

void
net_destroy(struct net *net)
{
	if (!net)
		return;
	net_close_connections(net);
	uv_walk(&net->loop, close_handle, NULL);
	uv_run(&net->loop, UV_RUN_DEFAULT);
	CHECK(uv_loop_close(&net->loop) == 0);
	CHECK(close(net->wake_fd) == 0);
	CHECK(close(net->later_fd) == 0);
	free(net);
}

void
net_run(struct net *net)
{
	uv_run(&net->loop, UV_RUN_DEFAULT);
}

void
net_stop(struct net *net)
{
	uv_stop(&net->loop);
}

void
net_wake(struct net *net)
{
	const uint64_t one = 1;
	if (atomic_exchange(&net->wakefulness, NET_CALLED) != NET_ASLEEP)
		return; /* it has been written to, or the loop looks before it sleeps */
	while (write(net->wake_fd, &one, sizeof one) != (ssize_t)sizeof one)
		CHECK(errno == EINTR);
}

const char *
net_address(const struct net *net)
{
	return net->address;
}

bool
net_is_loopback(const struct net *net)
{
	return net->loopback;
}

unsigned
net_port(const struct net *net)
{
	return net->port;
}

size_t
net_connection_count(const struct net *net)
{
	return net->conn_count;
}

void
net_for_each(struct net *net, void (*visit)(void *conn_context))
{
	for (struct conn *conn = net->conns; conn; conn = conn->next)
		if (conn->state == CONN_OPEN)
			visit(conn->context);
}
