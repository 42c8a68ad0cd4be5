#include "client/load/rooms.h"

#include "client/lib/failure.h"
#include "client/load/load_clock.h"
#include "client/load/process_cpu.h"
#include "client/load/process_memory.h"
#include "client/load/room_conn.h"
#include "client/load/room_make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#define NS_PER_S INT64_C(1000000000)
/* Between two pings of a connection: less than a daemon waits for them. */
#define PING_NS (5 * NS_PER_S)

enum {
	PING_ID = 1,
	FIRST_ID = 16,     /* of requests: players have even ones from here on, readers odd ones */
	SLOT_NS = 500000,  /* how often the bare wait wakes at most: as the daemon's keepers */
	INPUT_SLOT_MS = 1, /* inputs that are due within it go out together */
	DESCRIPTORS_MORE = 64,
	SETUP_SECONDS_MAX = 60, /* until every player has a seat and every reader its key */
	STOP_NS = 100000000,    /* between two questions whether to stop */
	SETTLE_NS = 200000000,  /* for what came while the server was asked */
};

struct room_player {
	uint32_t handle;
	uint64_t sequence, through;
};

struct rooms_load {
	const struct rooms_plan *plan;
	struct rooms_result *result;
	struct room *rooms;
	struct room_player *players; /* of all rooms, one room after the other */
	struct room_conn *conns;
	struct room_conn **pending; /* those with something to send: to ask thousands for each input would cost more than sending */
	uint64_t pending_count;
	int epoll;
	uint64_t attached, seen; /* players, readers */
	bool measures;
	int64_t inputs_from_ns; /* when the first input is due */
	uint64_t inputs_sent;
	uint64_t decided_before, sent_before; /* inputs, when the window began */
	int64_t pinged_ns;
	int64_t asked_ns;      /* stop */
	uint64_t bytes_before; /* the server's memory without rooms; 0: not measured */
	struct collide_error *error;
};

static uint64_t
player_count(const struct rooms_load *load)
{
	return load->plan->rooms * load->plan->players;
}

/* Rooms of one connection follow each other, so that what is due together goes out together. */
static struct room_conn *
conn_of_room(const struct rooms_load *load, uint64_t room)
{
	return &load->conns[room * load->plan->connections / load->plan->rooms];
}

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

/* It has something to send. */
static struct room_conn *
conn_mark(struct rooms_load *load, struct room_conn *conn)
{
	if (!conn->pending)
		load->pending[load->pending_count++] = conn;
	conn->pending = true;
	return conn;
}

/* Sends what waits, as far as sockets take it. */
static bool
conns_flush(struct rooms_load *load)
{
	uint64_t kept = 0, count = load->pending_count;
	for (uint64_t i = 0; i < count; i++) {
		struct room_conn *conn = load->pending[i];
		if (!room_conn_flush(conn, load->error))
			return false;
		conn->pending = bytes_count(&conn->output) > 0;
		if (conn->pending)
			load->pending[kept++] = conn;
	}
	load->pending_count = kept;
	return true;
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
player_attach(struct rooms_load *load, uint64_t player)
{
	struct room *room = &load->rooms[player / load->plan->players];
	Collide__V1__Attach attach = COLLIDE__V1__ATTACH__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	attach.world = room->name;
	attach.secret = (ProtobufCBinaryData){ sizeof room->secret, room->secret };
	attach.right = COLLIDE__V1__RIGHT__RIGHT_ALL;
	message.request_id = FIRST_ID + 2 * player;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_ATTACH;
	message.attach = &attach;
	return room_conn_ask(conn_mark(load, conn_of_room(load, player / load->plan->players)), &message, load->error);
}

static bool
reader_subscribe(struct rooms_load *load, uint64_t number)
{
	struct room *room = &load->rooms[number];
	Collide__V1__Subscribe subscribe = COLLIDE__V1__SUBSCRIBE__INIT;
	Collide__V1__SpectatorOf spectator = COLLIDE__V1__SPECTATOR_OF__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	spectator.world = room->name;
	spectator.secret = (ProtobufCBinaryData){ sizeof room->secret, room->secret };
	subscribe.of_case = COLLIDE__V1__SUBSCRIBE__OF_SPECTATOR;
	subscribe.spectator = &spectator;
	subscribe.stream = load->plan->paths ? COLLIDE__V1__STREAM__STREAM_PATHS : COLLIDE__V1__STREAM__STREAM_STATES;
	subscribe.every = (uint32_t)load->plan->every;
	message.request_id = FIRST_ID + 2 * number + 1;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SUBSCRIBE;
	message.subscribe = &subscribe;
	return room_conn_ask(conn_mark(load, conn_of_room(load, number)), &message, load->error);
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
		good = reader_subscribe(load, i);
	for (uint64_t i = 0; good && i < player_count(load); i++)
		good = player_attach(load, i);
	return good;
}

/* ---- What comes */

/* When a tick was due. A clock that is set back moves all that follow. */
static int64_t
due_ns(const struct rooms_load *load, const struct room *room, uint64_t tick, uint64_t lost)
{
	uint64_t n = tick + lost, hz = load->plan->tick_hz;
	return room->base_ns + (int64_t)(n / hz) * NS_PER_S + (int64_t)(n % hz * (uint64_t)NS_PER_S / hz);
}

/* Something that was known at this tick's due time, or `later_ns` after it, arrived now. Of all such the one with the shortest
 * way here says best when the tick was due. By so much, some tenths of a millisecond, ways seem shorter than they are. */
static void
base_learn(const struct rooms_load *load, struct room *room, uint64_t tick, uint64_t lost, int64_t later_ns, int64_t now_ns)
{
	const struct room zero = { .base_ns = 0 };
	int64_t base_ns = now_ns - later_ns - due_ns(load, &zero, tick, lost);
	room->base_ns = base_ns < room->base_ns ? base_ns : room->base_ns;
}

static void
take_attached(struct rooms_load *load, uint64_t player, const struct room_reply *reply, int64_t now_ns)
{
	struct room *room = &load->rooms[player / load->plan->players];
	load->players[player].handle = reply->handle;
	load->attached++;
	if (reply->next_due_ns > 0)
		base_learn(load, room, reply->tick + 1, room->lost_ticks, -(int64_t)reply->next_due_ns, now_ns);
}

static void
take_update(struct rooms_load *load, struct room *room, const struct room_reply *reply, int64_t now_ns)
{
	struct rooms_result *result = load->result;
	uint64_t every = load->plan->every;
	load->seen += !room->seen;
	base_learn(load, room, reply->tick, reply->lost_ticks, (int64_t)reply->late_ns, now_ns);
	bool goes_on = room->seen && reply->tick > room->tick && !reply->has_key;
	if (load->measures && (reply->tick != room->tick || !room->seen)) {
		histogram_add(&result->late, reply->late_ns);
		histogram_add(&result->received, (uint64_t)(now_ns - due_ns(load, room, reply->tick, reply->lost_ticks)));
		result->updates++;
		result->updates_missed += goes_on ? (reply->tick - room->tick - 1) / every : 0;
		result->updates_missed += reply->missed_ticks / every;
		result->lost_ticks += reply->lost_ticks - room->lost_ticks;
	}
	room->seen = true;
	room->tick = reply->tick;
	room->lost_ticks = reply->lost_ticks;
}

static void
take_acks(struct rooms_load *load, struct room_player *player, const struct room_reply *reply)
{
	player->through = reply->through;
	if (!load->measures)
		return;
	load->result->inputs_refused += reply->outcomes;
	histogram_add(&load->result->margin, reply->margin_ns > 0 ? (uint64_t)reply->margin_ns : 0);
}

/* false: the load is over, and *load->error says why. */
static bool
take_reply(struct rooms_load *load, const struct room_reply *reply, int64_t now_ns)
{
	uint64_t at = (reply->request_id - FIRST_ID) / 2;
	bool is_player = reply->request_id % 2 == 0;
	if (reply->kind == ROOM_OTHER)
		return true;
	if (reply->kind == ROOM_ERROR)
		return room_reply_error(reply, load->error) ? false : failure_memory(load->error);
	if (reply->kind == ROOM_END)
		return failure_set(load->error, COLLIDE_FROM_SERVER, COLLIDE_CANCELLED, reply->reason,
		                   "a seat or a reader of a room ended: %s", reply->reason);
	if (reply->request_id < FIRST_ID || at >= (is_player ? player_count(load) : load->plan->rooms))
		return failure_set(load->error, COLLIDE_FROM_CONNECTION, COLLIDE_INTERNAL, "MALFORMED_REPLY", "a reply to no request");
	if (reply->kind == ROOM_UPDATE)
		take_update(load, &load->rooms[at], reply, now_ns);
	else if (reply->kind == ROOM_ACKS)
		take_acks(load, &load->players[at], reply);
	else
		take_attached(load, at, reply, now_ns);
	return true;
}

static bool
conn_take(struct rooms_load *load, struct room_conn *conn)
{
	bool more = true;
	while (more) {
		struct room_reply reply;
		if (!room_conn_receive(conn, &more, load->error))
			return false;
		int64_t now_ns = clock_ns();
		while (room_conn_next(conn, &reply, load->error))
			if (!take_reply(load, &reply, now_ns))
				return false;
		if (load->error->code != COLLIDE_OK)
			return false;
	}
	return true;
}

/* ---- What goes */

/* One input: a player turns its circle somewhere else. */
static bool
input_send(struct rooms_load *load, uint64_t number)
{
	uint64_t at = number % player_count(load);
	struct room_player *player = &load->players[at];
	uint32_t id = (uint32_t)(at % load->plan->players);
	/* Some direction that differs from input to input, of the same speed. */
	double x = (double)(number * 7919 % 2000) / 1000 - 1, vx = 3 * x, vy = (number & 1) != 0 ? 3 - 3 * x * x : 3 * x * x - 3;
	struct collide_batch batch = { .velocities = { .id = { &id, 1 }, .vx = { &vx, 1 }, .vy = { &vy, 1 } } };
	struct room *room = &load->rooms[at / load->plan->players];
	uint64_t back = 1 + number * 2654435761u / 256 % ROOMS_LATE_TICKS_MAX;
	if (number * 40503 % 100 < load->plan->late_percent && room->tick > back)
		batch.tick = room->tick - back;
	struct batch_bytes *packed = batch_pack(&batch, load->error);
	if (!packed)
		return false;
	const struct collide_numbers numbers = { .handle = player->handle,
		                                     .sequence = ++player->sequence,
		                                     .acked = player->through };
	return room_conn_input(conn_mark(load, conn_of_room(load, at / load->plan->players)), &numbers, packed, load->error);
}

/* A connection that only reads has to say now and then that it is there. */
static bool
pings_send(struct rooms_load *load, int64_t now_ns)
{
	Collide__V1__Ping ping = COLLIDE__V1__PING__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	if (now_ns - load->pinged_ns < PING_NS)
		return true;
	load->pinged_ns = now_ns;
	message.request_id = PING_ID;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_PING;
	message.ping = &ping;
	bool good = true;
	for (uint64_t i = 0; good && i < load->plan->connections; i++)
		good = room_conn_ask(conn_mark(load, &load->conns[i]), &message, load->error);
	return good;
}

/* Those that are due; then sends all that waits. */
static bool
inputs_send(struct rooms_load *load, int64_t now_ns)
{
	double rate = load->plan->inputs_hz * (double)player_count(load);
	uint64_t due = rate > 0 && now_ns > load->inputs_from_ns ? (uint64_t)((double)(now_ns - load->inputs_from_ns) * 1e-9 * rate)
	                                                         : 0;
	bool good = pings_send(load, now_ns);
	while (good && load->inputs_sent < due)
		good = input_send(load, load->inputs_sent++);
	return good && conns_flush(load);
}

static bool
is_stopped(struct rooms_load *load, int64_t now_ns)
{
	if (!load->plan->stop || now_ns - load->asked_ns < STOP_NS)
		return load->result->stopped;
	load->asked_ns = now_ns;
	load->result->stopped = load->plan->stop(load->plan->context);
	return load->result->stopped;
}

/* Moves bytes until then, or until `done`. */
static bool
run_until(struct rooms_load *load, int64_t end_ns, bool (*done)(const struct rooms_load *load))
{
	struct epoll_event events[64];
	int64_t now_ns = clock_ns();
	while (now_ns < end_ns && !(done && done(load)) && !is_stopped(load, now_ns)) {
		if (!inputs_send(load, now_ns))
			return false;
		int ready = epoll_wait(load->epoll, events, sizeof events / sizeof events[0], INPUT_SLOT_MS);
		for (int i = 0; i < ready; i++)
			if (!conn_take(load, &load->conns[events[i].data.u64]))
				return false;
		now_ns = clock_ns();
	}
	return true;
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
	bool good = run_until(load, begin_ns + (int64_t)(plan->seconds * 1e9), NULL);
	if (bare)
		bare_wait_measure(bare, false);
	load->measures = false;
	result->seconds = (double)(clock_ns() - begin_ns) * 1e-9;
	result->client_cpu = (double)(clock_ns_of(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns) * 1e-9 / result->seconds;
	result->server_cpu = -1;
	if (server && server_cpu_seconds(load, &server_after))
		result->server_cpu = (server_after - server_before) / result->seconds;
	result->server_bytes = server_memory_bytes(load);
	result->rooms_bytes = result->server_bytes > load->bytes_before ? result->server_bytes - load->bytes_before : 0;
	result->inputs = load->inputs_sent - inputs;
	result->inputs_decided = inputs_decided(load) - decided;
	traffic(load, &result->bytes_sent, &result->bytes_received);
	result->bytes_sent -= sent;
	result->bytes_received -= received;
	return good;
}

static const struct collide_options owner_options = { .client_name = "collide bench rooms" };

/* What the daemon says of the rooms, or each of a site's servers of its own. A connection for it: one that was kept would have
 * to ping. */
static bool
sums_ask(struct rooms_load *load, const char *name, struct rooms_sums *sums)
{
	uint64_t servers = load->plan->site ? load->plan->rooms : 1;
	bool good = true;
	*sums = (struct rooms_sums){ 0 };
	for (uint64_t i = 0; good && i < servers; i++) {
		struct collide_client *client = collide_connect(address_of(load, i), &owner_options, load->error);
		good = client && rooms_sum(client, name, sums, load->error);
		collide_close(client);
	}
	return good;
}

/* The same between warm-up and window. Inputs that were due meanwhile are put off, so that they do not come all at once. */
static bool
sums_ask_between(struct rooms_load *load, const char *name, struct rooms_sums *sums)
{
	int64_t begin_ns = clock_ns();
	bool good = sums_ask(load, name, sums);
	load->inputs_from_ns += clock_ns() - begin_ns;
	return good && run_until(load, clock_ns() + SETTLE_NS, NULL);
}

/* Rooms, players and readers are there: measures them. */
static bool
load_run_rooms(struct rooms_load *load, const char *name)
{
	const struct rooms_plan *plan = load->plan;
	struct rooms_sums before = { 0 }, after = { 0 };
	const struct bare_wait_plan bare_plan = { .rate_hz = plan->rooms * plan->tick_hz,
		                                      .slot_ns = SLOT_NS,
		                                      .realtime = plan->realtime };
	load->inputs_from_ns = INT64_MAX;
	if (!run_until(load, clock_ns() + SETUP_SECONDS_MAX * NS_PER_S, is_set_up))
		return false;
	if (!is_set_up(load))
		return load->result->stopped || failure_set(load->error, COLLIDE_FROM_CONNECTION, COLLIDE_DEADLINE_EXCEEDED, "TIMEOUT",
		                                            "not all players and readers were let in within %d s", SETUP_SECONDS_MAX);
	struct bare_wait *bare = bare_wait_start(&bare_plan);
	load->inputs_from_ns = clock_ns();
	bool good = run_until(load, clock_ns() + (int64_t)(plan->warm_up_seconds * 1e9), NULL) &&
	            sums_ask_between(load, name, &before) && window_run(load, bare) && sums_ask(load, name, &after);
	bare_wait_stop(bare, &load->result->bare);
	load->result->overruns = after.overruns - before.overruns;
	load->result->failed_worlds = after.failed;
	load->result->resimulated_ticks = after.resimulated_ticks - before.resimulated_ticks;
	load->result->self_checks = after.self_checks - before.self_checks;
	load->result->self_checks_skipped = after.self_checks_skipped - before.self_checks_skipped;
	load->result->self_checks_differing = after.self_checks_differing - before.self_checks_differing;
	if (after.lost_ticks - before.lost_ticks > load->result->lost_ticks)
		load->result->lost_ticks = after.lost_ticks - before.lost_ticks; /* those too that no update told of */
	return good;
}

static void
result_clear(struct rooms_result *result, const struct rooms_plan *plan)
{
	memset(result, 0, sizeof *result);
	histogram_clear(&result->late);
	histogram_clear(&result->received);
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
	load.pending = calloc(plan.connections, sizeof *load.pending);
	if (!load.rooms || !load.players || !load.conns || !load.pending) {
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

bool
rooms_hold(const struct rooms_result *result, uint64_t late_p99_bound_ns)
{
	return result->updates > 0 && result->lost_ticks == 0 && result->updates_missed == 0 && result->failed_worlds == 0 &&
	       histogram_quantile(&result->late, 990000) <= late_p99_bound_ns;
}
