/* One thread that waits for sockets and for the next intended start.
 *
 * Happy path: connections are made, requests go out as the model says, replies free their places. Seconds are closed, the
 * window ends, requests in flight drain.
 *
 * What can go wrong: a connection breaks, or the daemon refuses with an error that every such request would get. Then the load
 * ends with that error, and the figures so far are kept. Refusals that may pass are counted. This thread may be too slow for
 * the load: struct load_generator shows that. */
#include "client/load/load.h"

#include "client/lib/failure.h"
#include "client/load/load_clock.h"
#include "client/load/load_schedule.h"
#include "client/load/pinger.h"
#include "client/load/window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { EVENTS_MAX = 64 };
/* An interrupt that comes just before a wait is noticed after this time at the latest. */
static const int64_t WAIT_NS_MAX = 100000000;
static const uint64_t TIMER_TAG = UINT64_MAX;

struct load {
	const struct load_plan *plan;
	struct load_result *result;
	struct collide_error *error;
	struct load_conn *conns;
	struct prepared prepared[MIX_SCENES_MAX];
	struct mix mix;
	struct window window;
	struct pinger *pinger;
	int epoll, timer;

	struct load_schedule schedule; /* open model */
	uint64_t released;             /* how many of its starts are due so far */
	int64_t armed_ns;              /* the time that the timer is set to */
	int64_t retry_ns;              /* closed model: the next time at which a refused connection may continue; INT64_MAX: none */
	int64_t hard_end_ns;           /* end of the drain */
	uint64_t under_way, waiting;
};

static bool
system_failed(struct collide_error *error, const char *what)
{
	return failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_RESOURCE_EXHAUSTED, "SYSTEM", "%s: %s", what, strerror(errno));
}

static bool
is_open_model(const struct load *load)
{
	return load->plan->rate > 0;
}

/* ---- Sending ---- */

static bool
conn_send_one(struct load *load, struct load_conn *conn, int64_t intended_ns, int64_t now_ns)
{
	const struct flight flight = { .intended_ns = intended_ns, .sent_ns = now_ns, .scene = mix_next(&load->mix) };
	if (!load_conn_ask(conn, &load->prepared[flight.scene], &flight))
		return failure_memory(load->error);
	load->under_way++;
	return true;
}

/* Open model: requests that are due go out in order while there is room. */
static bool
conn_fill_open(struct load *load, struct load_conn *conn)
{
	while (conn->taken < conn->released && conn->under_way < conn->pipeline) {
		uint64_t index = load_schedule_index(&load->schedule, (uint64_t)(conn - load->conns), conn->taken);
		int64_t intended_ns = load_schedule_time(&load->schedule, index), now_ns = clock_ns();
		/* Lateness is this program's fault only if the connection had room in time. */
		if (conn->room_since_ns <= intended_ns && window_has(&load->window, intended_ns))
			histogram_add(&load->result->generator.late, (uint64_t)(now_ns - intended_ns));
		if (!conn_send_one(load, conn, intended_ns, now_ns))
			return false;
		conn->taken++;
		load->waiting--;
	}
	return true;
}

static bool
conn_fill_closed(struct load *load, struct load_conn *conn)
{
	while (conn->under_way < conn->pipeline) {
		int64_t now_ns = clock_ns();
		if (now_ns >= load->window.end_ns || now_ns < conn->retry_ns)
			return true;
		if (!conn_send_one(load, conn, now_ns, now_ns))
			return false;
		load->result->scheduled += window_has(&load->window, now_ns) ? 1 : 0;
	}
	return true;
}

/* Sends what may be sent, and waits for the socket only while it is full. */
static bool
conn_fill(struct load *load, struct load_conn *conn)
{
	if (conn->broken)
		return true;
	if (!(is_open_model(load) ? conn_fill_open(load, conn) : conn_fill_closed(load, conn)))
		return false;
	/* The daemon may have said why the connection broke, so the input is read first. */
	struct collide_error ignored;
	conn->broken = !load_conn_flush(conn, &ignored);
	bool writing = !conn->broken && bytes_count(&conn->output) > 0;
	if (writing == conn->writing)
		return true;
	struct epoll_event event = { .events = writing ? EPOLLIN | EPOLLOUT : EPOLLIN, .data.u64 = (uint64_t)(conn - load->conns) };
	if (epoll_ctl(load->epoll, EPOLL_CTL_MOD, conn->descriptor, &event) != 0)
		return system_failed(load->error, "epoll_ctl");
	conn->writing = writing;
	return true;
}

/* Hands out the starts that are due by now. */
static bool
schedule_release(struct load *load, int64_t now_ns)
{
	uint64_t due = load_schedule_due(&load->schedule, now_ns < load->window.end_ns ? now_ns : load->window.end_ns - 1);
	for (; load->released < due; load->released++) {
		struct load_conn *conn = &load->conns[load->released % load->plan->connections];
		int64_t intended_ns = load_schedule_time(&load->schedule, load->released);
		load->result->scheduled += window_has(&load->window, intended_ns) ? 1 : 0;
		conn->released++;
		load->waiting++;
		if (!conn_fill(load, conn))
			return false;
	}
	return true;
}

/* Closed model: connections continue after their pause for a refusal. */
static bool
retries_release(struct load *load, int64_t now_ns)
{
	if (now_ns < load->retry_ns)
		return true;
	load->retry_ns = INT64_MAX;
	for (uint64_t i = 0; i < load->plan->connections; i++) {
		struct load_conn *conn = &load->conns[i];
		if (!conn_fill(load, conn))
			return false;
		if (conn->retry_ns > now_ns && conn->retry_ns < load->retry_ns)
			load->retry_ns = conn->retry_ns;
	}
	return true;
}

/* ---- Receiving ---- */

/* Whether the error may pass. If not, every request like this one would get it. */
static bool
error_passes(const struct collide_error *error)
{
	switch (error->code) {
	case COLLIDE_RESOURCE_EXHAUSTED: return error->retry_after_ms > 0;
	case COLLIDE_CANCELLED:
	case COLLIDE_UNKNOWN:
	case COLLIDE_DEADLINE_EXCEEDED:
	case COLLIDE_INTERNAL:
	case COLLIDE_UNAVAILABLE: return true;
	default: return false;
	}
}

static bool
error_take(struct load *load, struct load_conn *conn, const struct load_reply *reply, const struct flight *flight,
           int64_t now_ns)
{
	struct collide_error error;
	if (!load_reply_error(reply, &error))
		return failure_memory(load->error);
	window_failed(&load->window, flight, error.reason);
	if (!error_passes(&error)) {
		*load->error = error;
		return false;
	}
	conn->retry_ns = now_ns + (int64_t)error.retry_after_ms * 1000000;
	if (!is_open_model(load) && conn->retry_ns < load->retry_ns)
		load->retry_ns = conn->retry_ns;
	return true;
}

static bool
reply_take(struct load *load, struct load_conn *conn, const struct load_reply *reply, const struct flight *flight,
           int64_t now_ns)
{
	switch (reply->kind) {
	case REPLY_PART: return true;
	case REPLY_FRAME: load->result->frames += load->window.open ? 1 : 0; return true;
	case REPLY_DONE:
		load->under_way--;
		window_completed(&load->window, flight, reply, load->plan->scenes[flight->scene].circles, now_ns);
		return true;
	case REPLY_ERROR: load->under_way--; return error_take(load, conn, reply, flight, now_ns);
	}
	return true;
}

/* Requests in flight on a broken connection have failed. */
static void
conn_lost(struct load *load, struct load_conn *conn)
{
	for (uint64_t i = 0; i < conn->pipeline; i++)
		if (conn->flights[i].request_id != 0)
			window_failed(&load->window, &conn->flights[i], load->error->reason);
	conn->under_way = 0;
}

static bool
conn_serve(struct load *load, struct load_conn *conn)
{
	struct load_reply reply;
	struct flight flight;
	enum load_conn_result next = CONN_FAULT;
	if (load_conn_receive(conn, load->error)) {
		int64_t now_ns = clock_ns();
		while ((next = load_conn_next(conn, &reply, &flight, now_ns, load->error)) == CONN_MESSAGE)
			if (!reply_take(load, conn, &reply, &flight, now_ns))
				return false;
	}
	if (next == CONN_MORE)
		return conn_fill(load, conn);
	conn_lost(load, conn);
	return false;
}

/* ---- Time ---- */

static bool
timer_arm(struct load *load, int64_t moment_ns)
{
	const struct itimerspec when = { .it_value = { .tv_sec = (time_t)(moment_ns / 1000000000),
		                                           .tv_nsec = (long)(moment_ns % 1000000000) } };
	if (load->armed_ns == moment_ns)
		return true;
	load->armed_ns = moment_ns;
	return timerfd_settime(load->timer, TFD_TIMER_ABSTIME, &when, NULL) == 0 || system_failed(load->error, "timerfd_settime");
}

/* The next time at which there is something to do without any input. */
static int64_t
next_moment(const struct load *load, int64_t now_ns)
{
	int64_t next = now_ns + WAIT_NS_MAX;
	const int64_t moments[] = { load->window.open ? load->window.end_ns : load->window.begin_ns, load->retry_ns,
		                        load->hard_end_ns,
		                        is_open_model(load) ? load_schedule_time(&load->schedule, load->released) : INT64_MAX };
	for (size_t i = 0; i < sizeof moments / sizeof moments[0]; i++)
		if (moments[i] > now_ns && moments[i] < next)
			next = moments[i];
	return next;
}

/* All that was due at `now_ns` is done. */
static bool
wait_and_serve(struct load *load, int64_t now_ns)
{
	struct epoll_event events[EVENTS_MAX];
	int64_t before_ns = clock_ns();
	if (!timer_arm(load, next_moment(load, now_ns)))
		return false;
	/* If something became due meanwhile, this does not wait: an absolute timer in the past fires at once. */
	int count = epoll_wait(load->epoll, events, EVENTS_MAX, (int)(WAIT_NS_MAX / 1000000));
	if (load->window.open)
		load->window.waited_ns += clock_ns() - before_ns;
	if (count < 0 && errno != EINTR)
		return system_failed(load->error, "epoll_wait");
	for (int i = 0; i < count; i++) {
		if (events[i].data.u64 == TIMER_TAG) {
			uint64_t times;
			if (read(load->timer, &times, sizeof times) > 0)
				load->armed_ns = 0;
			continue;
		}
		struct load_conn *conn = &load->conns[events[i].data.u64];
		if (events[i].events == EPOLLOUT ? !conn_fill(load, conn) : !conn_serve(load, conn))
			return false;
	}
	return true;
}

static void
traffic_count(const struct load *load, uint64_t *sent, uint64_t *received)
{
	*sent = *received = 0;
	for (uint64_t i = 0; i < load->plan->connections; i++) {
		*sent += load->conns[i].bytes_sent;
		*received += load->conns[i].bytes_received;
	}
}

/* Opens and closes the window, and its seconds, when their time has come. */
static bool
window_turn(struct load *load, int64_t now_ns)
{
	struct load_result *result = load->result;
	struct window *window = &load->window;
	const struct load_second state = { .under_way = load->under_way, .waiting = load->waiting };
	uint64_t sent, received;
	if (!window->open && result->seconds == 0 && now_ns >= window->begin_ns) {
		traffic_count(load, &result->bytes_sent, &result->bytes_received);
		window_begin(window);
		pinger_measure(load->pinger, true);
	}
	if (window->open && !window_seconds(window, now_ns, &state, load->plan))
		return failure_memory(load->error);
	if (window->open && now_ns >= window->end_ns) {
		pinger_measure(load->pinger, false);
		window_end(window, now_ns);
		traffic_count(load, &sent, &received);
		result->bytes_sent = sent - result->bytes_sent;
		result->bytes_received = received - result->bytes_received;
	}
	return true;
}

/* ---- The whole ---- */

/* Whether starts of the window are not handed out yet: this program may have stood still over the end. */
static bool
is_owed(const struct load *load)
{
	return is_open_model(load) && load->released < load_schedule_due(&load->schedule, load->window.end_ns - 1);
}

static bool
is_over(const struct load *load, int64_t now_ns)
{
	if (now_ns < load->window.end_ns)
		return false;
	return now_ns >= load->hard_end_ns || (load->under_way == 0 && load->waiting == 0 && !is_owed(load));
}

static bool
load_turns(struct load *load)
{
	const struct load_plan *plan = load->plan;
	for (;;) {
		int64_t now_ns = clock_ns();
		if (!window_turn(load, now_ns))
			return false;
		if (is_over(load, now_ns))
			return true;
		if (plan->stop && plan->stop(plan->context)) {
			load->result->stopped = true;
			return true;
		}
		if (!(is_open_model(load) ? schedule_release(load, now_ns) : retries_release(load, now_ns)) ||
		    !wait_and_serve(load, now_ns))
			return false;
	}
}

/* Ends a window that is still open, and counts unfinished requests. */
static void
load_close(struct load *load)
{
	struct load_result *result = load->result;
	int64_t now_ns = clock_ns(), oldest_ns = now_ns;
	if (load->window.open) {
		load->window.end_ns = now_ns < load->window.end_ns ? now_ns : load->window.end_ns;
		/* Without memory for the last second the rest is still reported. */
		(void)window_turn(load, now_ns);
	}
	result->unfinished = result->scheduled - result->completed - result->failed;
	for (uint64_t i = 0; i < load->plan->connections; i++) {
		const struct load_conn *conn = &load->conns[i];
		for (uint64_t f = 0; conn->under_way > 0 && f < conn->pipeline; f++)
			if (conn->flights[f].request_id != 0 && window_has(&load->window, conn->flights[f].intended_ns) &&
			    conn->flights[f].intended_ns < oldest_ns)
				oldest_ns = conn->flights[f].intended_ns;
		if (conn->taken < conn->released) {
			int64_t waiting_ns = load_schedule_time(&load->schedule, load_schedule_index(&load->schedule, i, conn->taken));
			oldest_ns = window_has(&load->window, waiting_ns) && waiting_ns < oldest_ns ? waiting_ns : oldest_ns;
		}
	}
	result->oldest_unfinished_ns = result->unfinished > 0 ? (uint64_t)(now_ns - oldest_ns) : 0;
}

/* Sets the times, which start now, and lets the closed model send. */
static bool
load_start(struct load *load)
{
	const struct load_plan *plan = load->plan;
	int64_t now_ns = clock_ns();
	int64_t begin_ns = now_ns + (int64_t)(plan->warm_up_seconds * 1e9), end_ns = begin_ns + (int64_t)(plan->seconds * 1e9);
	load->hard_end_ns = end_ns + (int64_t)(plan->drain_seconds * 1e9);
	load->retry_ns = is_open_model(load) ? INT64_MAX : now_ns;
	load->schedule = (struct load_schedule){ .start_ns = now_ns, .rate = plan->rate, .connections = plan->connections };
	return window_init(&load->window, load->result, begin_ns, end_ns) || failure_memory(load->error);
}

static bool
conns_open(struct load *load)
{
	const struct load_plan *plan = load->plan;
	const struct collide_options options = {
		.client_name = "collide bench", .client_version = COLLIDED_VERSION, .stop = plan->stop, .stop_context = plan->context
	};
	for (uint64_t i = 0; i < plan->connections; i++) {
		struct epoll_event event = { .events = EPOLLIN, .data.u64 = i };
		if (!load_conn_open(&load->conns[i], plan->address, plan->pipeline, &options, load->error))
			return false;
		if (epoll_ctl(load->epoll, EPOLL_CTL_ADD, load->conns[i].descriptor, &event) != 0)
			return system_failed(load->error, "epoll_ctl");
		if (plan->stop && plan->stop(plan->context))
			return true;
	}
	memcpy(load->result->server, collide_client_welcome(load->conns[0].client)->server, sizeof load->result->server);
	return true;
}

static bool
load_prepare(struct load *load)
{
	const struct load_plan *plan = load->plan;
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = TIMER_TAG };
	load->mix.count = plan->scene_count;
	for (size_t i = 0; i < plan->scene_count; i++) {
		struct collide_simulation simulation = plan->simulation;
		simulation.scene = plan->scenes[i].scene;
		load->mix.weight[i] = (int64_t)plan->scenes[i].weight;
		if (!prepared_make(&simulation, &load->prepared[i], load->error))
			return false;
	}
	load->conns = calloc(plan->connections, sizeof *load->conns);
	if (!load->conns)
		return failure_memory(load->error);
	for (uint64_t i = 0; i < plan->connections; i++)
		load->conns[i].descriptor = -1;
	load->epoll = epoll_create1(EPOLL_CLOEXEC);
	load->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (load->epoll < 0 || load->timer < 0 || epoll_ctl(load->epoll, EPOLL_CTL_ADD, load->timer, &event) != 0)
		return system_failed(load->error, "epoll");
	load->pinger = pinger_create(plan->address, load->error);
	return load->pinger != NULL && conns_open(load);
}

static void
load_finish(struct load *load)
{
	pinger_destroy(load->pinger, load->result);
	for (uint64_t i = 0; load->conns && i < load->plan->connections; i++)
		load_conn_finish(&load->conns[i]);
	free(load->conns);
	for (size_t i = 0; i < load->plan->scene_count; i++)
		prepared_finish(&load->prepared[i]);
	window_finish(&load->window);
	if (load->epoll >= 0)
		close(load->epoll);
	if (load->timer >= 0)
		close(load->timer);
}

bool
load_run(const struct load_plan *plan, struct load_result *result, struct collide_error *error)
{
	struct load load = { .plan = plan, .result = result, .error = error, .epoll = -1, .timer = -1 };
	bool good = load_prepare(&load) && load_start(&load);
	if (good) {
		good = load_turns(&load);
		load_close(&load);
	}
	load_finish(&load);
	return good;
}
