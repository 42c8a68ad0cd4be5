#include "client/load/rooms/rooms.h"

#include "client/lib/failure.h"
#include "client/load/knee.h"
#include "client/load/load_clock.h"
#include "client/load/process_cpu.h"
#include "client/load/process_memory.h"
#include "client/load/rooms/rooms_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	SLOT_NS = 500000, /* how often the bare wait wakes at most: as the daemon's keepers */
	DESCRIPTORS_MORE = 64,
	SUMS_SECONDS_MAX = 10,
	THREADS_EVERY_NS = 1000000000,
	SETUP_SECONDS_MAX = 60, /* until every player has a seat and every reader its key */
	SETTLE_NS = 200000000,  /* for what came while the server was asked */
};

/* Where a room is; valid until the next call. */
static const char *
address_of(const struct rooms_load *load, uint64_t room)
{
	const struct rooms_site *site = load->plan->site;
	return site ? site->address(site->context, room) : load->plan->address;
}

static bool
server_cpu_seconds(const struct rooms_load *load, double *seconds)
{
	const struct rooms_site *site = load->plan->site;
	return site ? site->cpu_seconds(site->context, seconds)
	            : load->plan->server_pid != 0 && process_cpu_seconds(load->plan->server_pid, seconds);
}

/* Of a daemon that has all rooms: servers of a site have a thread each. */
static bool
server_threads(const struct rooms_load *load, struct process_threads *out)
{
	return !load->plan->site && load->plan->server_pid != 0 && process_threads_read(load->plan->server_pid, out);
}

/* 0: it is not known. */
static uint64_t
server_memory_bytes(const struct rooms_load *load)
{
	const struct rooms_site *site = load->plan->site;
	uint64_t bytes = 0;
	bool known = site ? site->memory_bytes(site->context, &bytes)
	                  : load->plan->server_pid != 0 && process_memory_bytes(load->plan->server_pid, &bytes);
	return known ? bytes : 0;
}

/* ---- Setting up */

/* A descriptor for each connection, and some more. */
static void
descriptors_allow(uint64_t connections)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= connections + DESCRIPTORS_MORE)
		return;
	limit.rlim_cur = limit.rlim_max < connections + DESCRIPTORS_MORE ? limit.rlim_max : connections + DESCRIPTORS_MORE;
	(void)setrlimit(RLIMIT_NOFILE, &limit); /* else connecting says what is missing */
}

static bool
conns_open(struct rooms_load *load)
{
	load->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (load->epoll < 0)
		return failure_set(load->error, COLLIDE_FROM_LIBRARY, COLLIDE_INTERNAL, "NO_EPOLL", "no epoll");
	for (uint64_t i = 0; i < load->plan->connections; i++) {
		struct epoll_event event = { .events = EPOLLIN, .data.u64 = i };
		/* Of a site, connections are rooms. */
		if (!room_conn_open(&load->conns[i], address_of(load, i), load->error))
			return false;
		if (epoll_ctl(load->epoll, EPOLL_CTL_ADD, load->conns[i].descriptor, &event) != 0)
			return failure_set(load->error, COLLIDE_FROM_LIBRARY, COLLIDE_INTERNAL, "NO_EPOLL", "no room in epoll");
	}
	bool good = true;
	for (uint64_t i = 0; good && i < load->plan->rooms; i++)
		good = rooms_reader_subscribe(load, i);
	for (uint64_t i = 0; good && i < player_count(load); i++)
		good = rooms_player_attach(load, i);
	return good;
}

static bool
is_set_up(const struct rooms_load *load)
{
	return load->attached == player_count(load) && load->seen == load->plan->rooms;
}

/* ---- The window */

static uint64_t
inputs_decided(const struct rooms_load *load)
{
	uint64_t sum = 0;
	for (uint64_t i = 0; i < player_count(load); i++)
		sum += load->players[i].through;
	return sum;
}

static void
traffic(const struct rooms_load *load, uint64_t *sent, uint64_t *received)
{
	*sent = *received = 0;
	for (uint64_t i = 0; i < load->plan->connections; i++) {
		*sent += load->conns[i].bytes_sent;
		*received += load->conns[i].bytes_received;
	}
}

/* The rest of the window, with a look at the server's threads each second: what they do may change. */
static bool
window_talk(struct rooms_load *load, int64_t end_ns)
{
	struct process_threads threads[2];
	struct rooms_result *result = load->result;
	bool good = true, more = server_threads(load, &threads[0]);
	result->has_threads = more;
	for (unsigned i = 1; good && clock_ns() < end_ns; i++) {
		int64_t until_ns = clock_ns() + THREADS_EVERY_NS;
		good = rooms_talk_until(load, !more || until_ns > end_ns ? end_ns : until_ns, NULL);
		more = more && server_threads(load, &threads[i % 2]);
		if (more)
			process_threads_since(&threads[(i + 1) % 2], &threads[i % 2], result->server_threads);
	}
	return good;
}

static bool
window_run(struct rooms_load *load, struct bare_wait *bare)
{
	const struct rooms_plan *plan = load->plan;
	struct rooms_result *result = load->result;
	uint64_t sent, received, decided = inputs_decided(load), inputs = load->inputs_sent;
	double server_before, server_after;
	bool server = server_cpu_seconds(load, &server_before);
	int64_t begin_ns = clock_ns(), cpu_ns = clock_ns_of(CLOCK_PROCESS_CPUTIME_ID);
	traffic(load, &sent, &received);
	load->measures = true;
	if (bare)
		bare_wait_measure(bare, true);
	bool good = window_talk(load, begin_ns + (int64_t)(plan->seconds * 1e9));
	if (bare)
		bare_wait_measure(bare, false);
	load->measures = false;
	result->seconds = (double)(clock_ns() - begin_ns) * 1e-9;
	result->client_cpu = (double)(clock_ns_of(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns) * 1e-9 / result->seconds;
	result->server_cpu = -1;
	if (server && server_cpu_seconds(load, &server_after))
		result->server_cpu = (server_after - server_before) / result->seconds;
	for (size_t i = 0; i < THREAD_KINDS; i++)
		result->server_threads[i] /= result->seconds;
	result->inputs = load->inputs_sent - inputs;
	result->inputs_decided = inputs_decided(load) - decided;
	traffic(load, &result->bytes_sent, &result->bytes_received);
	result->bytes_sent -= sent;
	result->bytes_received -= received;
	return good;
}

static const struct collide_options owner_options = { .client_name = "collide bench rooms" };

static bool
timed_out(struct rooms_load *load, const char *what)
{
	return load->result->stopped ||
	       failure_set(load->error, COLLIDE_FROM_CONNECTION, COLLIDE_DEADLINE_EXCEEDED, "TIMEOUT", "%s", what);
}

static bool
sums_are_in(const struct rooms_load *load)
{
	return load->sums_answered == load->plan->rooms;
}

/* What a site's servers say, all at once: one after the other would take a busy machine minutes. */
static bool
sums_ask_site(struct rooms_load *load, const char *name, struct rooms_sums *sums)
{
	load->sums = sums;
	if (!rooms_sums_request(load, name) || !rooms_talk_until(load, clock_ns() + SUMS_SECONDS_MAX * NS_PER_S, sums_are_in))
		return false;
	return sums_are_in(load) || timed_out(load, "not all servers said in time how their rooms are");
}

/* What the daemon says of the rooms. A connection for it: one that was kept would have to ping. */
static bool
sums_ask(struct rooms_load *load, const char *name, struct rooms_sums *sums)
{
	if (load->plan->site)
		return sums_ask_site(load, name, sums);
	struct collide_client *client = collide_connect(load->plan->address, &owner_options, load->error);
	bool good = client && rooms_sum(client, name, sums, load->error);
	collide_close(client);
	return good;
}

/* The same between warm-up and window. Inputs that were due meanwhile are put off, so that they do not come all at once. */
static bool
sums_ask_between(struct rooms_load *load, const char *name, struct rooms_sums *sums)
{
	int64_t begin_ns = clock_ns();
	bool good = sums_ask(load, name, sums);
	load->inputs_from_ns += clock_ns() - begin_ns;
	return good && rooms_talk_until(load, clock_ns() + SETTLE_NS, NULL);
}

/* Only when all else has been said, as what the server counts goes on after the window. To look at a process's memory keeps it
 * from changing its map of that, for milliseconds. */
static void
memory_look(struct rooms_load *load)
{
	struct rooms_result *result = load->result;
	result->server_bytes = server_memory_bytes(load);
	result->rooms_bytes = result->server_bytes > load->bytes_before ? result->server_bytes - load->bytes_before : 0;
}

/* Rooms, players and readers are there: measures them. */
static bool
load_run_rooms(struct rooms_load *load, const char *name)
{
	const struct rooms_plan *plan = load->plan;
	struct rooms_sums before = { .given = load->given_before }, after = { .given = &load->result->given };
	const struct bare_wait_plan bare_plan = { .rate_hz = plan->rooms * plan->tick_hz,
		                                      .slot_ns = SLOT_NS,
		                                      .realtime = plan->realtime };
	load->inputs_from_ns = INT64_MAX;
	if (!rooms_talk_until(load, clock_ns() + SETUP_SECONDS_MAX * NS_PER_S, is_set_up))
		return false;
	if (!is_set_up(load))
		return timed_out(load, "not all players and readers were let in within a minute");
	if (plan->site && !rooms_clocks_start(load))
		return false;
	struct bare_wait *bare = bare_wait_start(&bare_plan);
	load->inputs_from_ns = clock_ns();
	bool good = rooms_talk_until(load, clock_ns() + (int64_t)(plan->warm_up_seconds * 1e9), NULL) &&
	            sums_ask_between(load, name, &before) && window_run(load, bare) && sums_ask(load, name, &after);
	bare_wait_stop(bare, &load->result->bare);
	if (!good)
		return false; /* sums that are not whole say nothing */
	memory_look(load);
	histogram_since(&load->result->given, load->given_before);
	load->result->overruns = after.overruns - before.overruns;
	load->result->failed_worlds = after.failed;
	load->result->resimulated_ticks = after.resimulated_ticks - before.resimulated_ticks;
	load->result->self_checks = after.self_checks - before.self_checks;
	load->result->self_checks_skipped = after.self_checks_skipped - before.self_checks_skipped;
	load->result->self_checks_differing = after.self_checks_differing - before.self_checks_differing;
	if (after.lost_ticks - before.lost_ticks > load->result->lost_ticks)
		load->result->lost_ticks = after.lost_ticks - before.lost_ticks; /* those too that no update told of */
	return true;
}

static void
result_clear(struct rooms_result *result, const struct rooms_plan *plan)
{
	memset(result, 0, sizeof *result);
	histogram_clear(&result->late);
	histogram_clear(&result->received);
	histogram_clear(&result->given);
	histogram_clear(&result->margin);
	histogram_clear(&result->bare.late);
	result->rooms = plan->rooms;
	result->server_cpu = -1;
}

static void
load_finish(struct rooms_load *load)
{
	for (uint64_t i = 0; load->conns && i < load->plan->connections; i++)
		room_conn_finish(&load->conns[i]);
	if (load->epoll >= 0)
		close(load->epoll);
	free(load->given_before);
	free(load->pending);
	free(load->conns);
	free(load->players);
	free(load->rooms);
}

/* The map and the rooms; *made: how many rooms there are. */
static bool
rooms_open(struct rooms_load *load, const char *name, uint64_t *made)
{
	const struct rooms_plan *plan = load->plan;
	struct collide_client *client = collide_connect(plan->address, &owner_options, load->error);
	load->bytes_before = server_memory_bytes(load);
	bool good = client && room_map_make(client, plan, name, load->error);
	if (good && !plan->site)
		good = rooms_make(client, plan, name, load->rooms, made, load->error);
	collide_close(client);
	if (!good || !plan->site)
		return good;
	good = plan->site->open(plan->site->context, plan->rooms, load->error);
	while (good && *made < plan->rooms) {
		client = collide_connect(address_of(load, *made), &owner_options, load->error);
		good = client && room_make(client, plan, name, *made, &load->rooms[*made], load->error);
		*made += good;
		collide_close(client);
	}
	return good;
}

/* Of a daemon: a site ends with its rooms. Without a connection they end by themselves. */
static void
rooms_close(const struct rooms_load *load, const char *name, uint64_t made)
{
	struct collide_error ignored;
	struct collide_client *client = made > 0 && !load->plan->site
	                                    ? collide_connect(load->plan->address, &owner_options, &ignored)
	                                    : NULL;
	if (client)
		rooms_end(client, name, load->rooms, made);
	collide_close(client);
}

bool
rooms_run(const struct rooms_plan *asked, struct rooms_result *result, struct collide_error *error)
{
	struct rooms_plan plan = *asked;
	plan.connections = plan.site ? plan.rooms : plan.connections;
	struct rooms_load load = { .plan = &plan, .result = result, .epoll = -1, .error = error };
	uint64_t made = 0;
	char name[COLLIDE_NAME_BYTES];
	result_clear(result, &plan);
	descriptors_allow(plan.connections);
	load.rooms = calloc(plan.rooms, sizeof *load.rooms);
	load.players = calloc(plan.rooms * plan.players + 1, sizeof *load.players);
	load.conns = calloc(plan.connections, sizeof *load.conns);
	for (uint64_t i = 0; load.conns && i < plan.connections; i++)
		load.conns[i].descriptor = -1;
	load.given_before = calloc(1, sizeof *load.given_before);
	load.pending = calloc(plan.connections, sizeof *load.pending);
	if (!load.rooms || !load.players || !load.conns || !load.pending || !load.given_before) {
		load_finish(&load);
		return failure_memory(error);
	}
	/* Of this run alone: another may be on the same daemon. */
	(void)snprintf(name, sizeof name, "bench-%lld-%llu", (long long)getpid(), (unsigned long long)clock_ns());
	bool good = rooms_open(&load, name, &made) && conns_open(&load) && load_run_rooms(&load, name);
	rooms_close(&load, name, made);
	load_finish(&load);
	return good;
}

double
rooms_update_seconds(const struct rooms_plan *plan)
{
	return (double)plan->every / (double)plan->tick_hz;
}

double
rooms_step_seconds(const struct rooms_plan *plan, uint64_t rooms)
{
	/* Of each room so many are due for certain, whenever its ticks are. */
	uint64_t of_each = (KNEE_STEP_STARTS + rooms - 1) / rooms;
	return fmin(fmax(plan->seconds, (double)of_each * rooms_update_seconds(plan)), KNEE_STEP_LONGER * plan->seconds);
}

bool
rooms_hold(const struct rooms_result *result, uint64_t late_p99_bound_ns)
{
	return result->updates > 0 && result->lost_ticks == 0 && result->updates_missed == 0 && result->failed_worlds == 0 &&
	       histogram_quantile(&result->late, 990000) <= late_p99_bound_ns;
}
