/* What a connection asks of the loop: its mark that it is awake, its timer, and to be called later. */
#include "net/net_private.h"

#include "base/check.h"
#include "base/clock.h"

#include <sys/timerfd.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)

void
net_mark_awake(struct net *net)
{
	int asleep = NET_ASLEEP;
	(void)atomic_compare_exchange_strong(&net->wakefulness, &asleep, NET_AWAKE);
}

void
net_update_tick(struct net *net)
{
	bool wanted = net->conns != NULL || net->accept_pending || net->keeps_ticking;
	if (wanted && !uv_is_active((uv_handle_t *)&net->tick) && !uv_is_closing((uv_handle_t *)&net->tick)) {
		net->tick_ns = clock_now_ns();
		uv_timer_again(&net->tick);
	} else if (!wanted) {
		uv_timer_stop(&net->tick);
	}
}

void
net_keep_ticking(struct net *net, bool keep)
{
	if (keep == net->keeps_ticking)
		return;
	net->keeps_ticking = keep;
	net_update_tick(net);
}

void
net_on_later(uv_poll_t *poll, int status, int events)
{
	struct net *net = poll->data;
	uint64_t count = 0;
	(void)status;
	(void)events;
	if (read(net->later_fd, &count, sizeof count) != (ssize_t)sizeof count)
		return;
	net->later_set = false;
	net->handlers->on_wake(net->context);
}

void
net_wake_after(struct net *net, uint64_t ns)
{
	const struct itimerspec when = { .it_value = { .tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S) } };
	if (net->later_set)
		return;
	net->later_set = true;
	CHECK(timerfd_settime(net->later_fd, 0, &when, NULL) == 0);
}

static void
on_idle(uv_idle_t *idle)
{
	struct net *net = idle->data;
	struct conn *last = net->later_last;
	for (bool more = last != NULL; more;) {
		struct conn *conn = net->later_first;
		CHECK(conn); /* the last one is reached before the end */
		more = conn != last;
		net->later_first = conn->next_later;
		net->later_last = !net->later_first ? NULL : net->later_last;
		conn->later_asked = false;
		if (conn->state == CONN_OPEN)
			net->handlers->on_later(conn->context);
	}
	if (!net->later_first)
		uv_idle_stop(&net->later_calls);
}

void
conn_call_later(struct conn *conn)
{
	struct net *net = conn->net;
	if (conn->state != CONN_OPEN || conn->later_asked)
		return;
	conn->later_asked = true;
	conn->next_later = NULL;
	if (net->later_last)
		net->later_last->next_later = conn;
	else
		net->later_first = conn;
	net->later_last = conn;
	/* An active idle handle keeps the loop from sleeping; it lets every socket be served in between. */
	uv_idle_start(&net->later_calls, on_idle);
}

void
conn_forget_later(struct conn *conn)
{
	struct net *net = conn->net;
	struct conn *before = NULL;
	for (struct conn *at = net->later_first; at && conn->later_asked; at = at->next_later) {
		if (at == conn) {
			*(before ? &before->next_later : &net->later_first) = conn->next_later;
			net->later_last = net->later_last == conn ? before : net->later_last;
			conn->later_asked = false;
		}
		before = at;
	}
}
