/* What a load of rooms says and is told. */
#include "client/load/rooms/rooms_private.h"

#include "client/lib/failure.h"
#include "client/load/load_clock.h"

#include <stdio.h>
#include <sys/epoll.h>

/* Between two pings of a connection: less than a daemon waits for them. */
#define PING_NS (5 * NS_PER_S)

enum {
	PING_ID = 1,
	CLOCK_ID = 2,
	SUMS_ID = 3,
	FIRST_ID = 16,       /* of requests: players have even ones from here on, readers odd ones */
	INPUT_SLOT_MS = 1,   /* inputs that are due within it go out together */
	STOP_NS = 100000000, /* between two questions whether to stop */
};

/* Rooms of one connection follow each other, so that what is due together goes out together. */
static struct room_conn *
conn_of_room(const struct rooms_load *load, uint64_t room)
{
	return &load->conns[room * load->plan->connections / load->plan->rooms];
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

bool
rooms_player_attach(struct rooms_load *load, uint64_t player)
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

bool
rooms_reader_subscribe(struct rooms_load *load, uint64_t number)
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

bool
rooms_clocks_start(struct rooms_load *load)
{
	Collide__V1__SetWorld set = COLLIDE__V1__SET_WORLD__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	bool good = true;
	set.clock = COLLIDE__V1__CLOCK__CLOCK_SERVER;
	message.request_id = CLOCK_ID;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SET_WORLD;
	message.set_world = &set;
	for (uint64_t i = 0; good && i < load->plan->rooms; i++) {
		struct room *room = &load->rooms[i];
		room->base_ns = INT64_MAX; /* updates until now were due at no time */
		set.name = room->name;
		set.secret = (ProtobufCBinaryData){ sizeof room->secret, room->secret };
		good = room_conn_ask(conn_mark(load, conn_of_room(load, i)), &message, load->error);
	}
	return good;
}

bool
rooms_sums_request(struct rooms_load *load, const char *name)
{
	Collide__V1__ListWorlds list = COLLIDE__V1__LIST_WORLDS__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	char prefix[COLLIDE_NAME_BYTES];
	bool good = true;
	(void)snprintf(prefix, sizeof prefix, "%.40s/", name);
	list.prefix = prefix;
	message.request_id = SUMS_ID;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_LIST_WORLDS;
	message.list_worlds = &list;
	load->sums_answered = 0;
	for (uint64_t i = 0; good && i < load->plan->connections; i++)
		good = room_conn_ask(conn_mark(load, &load->conns[i]), &message, load->error);
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

static bool
take_worlds(struct rooms_load *load, const struct room_reply *reply)
{
	struct rooms_sums *sums = load->sums;
	Collide__V1__Worlds *worlds = collide__v1__worlds__unpack(NULL, reply->count, reply->bytes);
	if (!worlds)
		return failure_memory(load->error);
	for (size_t i = 0; i < worlds->n_worlds; i++) {
		const Collide__V1__WorldInfo *info = worlds->worlds[i];
		sums->overruns += info->overruns;
		sums->lost_ticks += info->lost_ticks;
		sums->resimulated_ticks += info->resimulated_ticks;
		sums->failed += info->failed[0] != '\0';
	}
	if (worlds->optional_sent_case == COLLIDE__V1__WORLDS__OPTIONAL_SENT_SENT)
		for (size_t i = 0; i < worlds->sent->n_below_ns && i < worlds->sent->n_count; i++)
			histogram_add_many(sums->given, worlds->sent->below_ns[i], worlds->sent->count[i]);
	collide__v1__worlds__free_unpacked(worlds, NULL);
	load->sums_answered++;
	return true;
}

/* false: the load is over, and *load->error says why. */
static bool
take_reply(struct rooms_load *load, const struct room_reply *reply, int64_t now_ns)
{
	uint64_t at = (reply->request_id - FIRST_ID) / 2;
	bool is_player = reply->request_id % 2 == 0;
	if (reply->kind == ROOM_OTHER)
		return true;
	if (reply->kind == ROOM_WORLDS)
		return take_worlds(load, reply);
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

bool
rooms_talk_until(struct rooms_load *load, int64_t end_ns, bool (*done)(const struct rooms_load *load))
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
