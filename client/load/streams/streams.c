#include "client/load/streams/streams.h"

#include "client/lib/failure.h"
#include "client/load/load_clock.h"
#include "client/load/rooms/room_conn.h"
#include "client/load/streams/lossy.h"
#include "client/load/streams/streams_scene.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVERY_MAX = 60, WAIT_MS = 100, SUBSCRIBE_ID = 16, NUMBERS = 6 };

/* What there is after one tick: x, y, vx, vy, angle and spin of all circles. */
struct followed_tick {
	uint64_t tick;
	double numbers[NUMBERS][STREAMS_CIRCLES_MAX];
};

struct streams_reader {
	struct room_conn conn;
	uint64_t tick;
	bool has_key;
};

struct streams_load {
	const struct streams_plan *plan;
	struct streams_result *result;
	struct streams_world world;
	uint64_t random;

	struct collide_client *owner;
	struct collide_world_info info;
	struct collide_channel *channel;
	struct collide_seat *seat, *players[STREAMS_CIRCLES_MAX];
	unsigned keys[STREAMS_CIRCLES_MAX]; /* that players hold */
	uint64_t stepped;                   /* ticks that were answered */
	bool step_failed;
	char refused[200]; /* why an input was */

	struct streams_reader states, paths, near, commands, coded;
	struct collide_follower *follower, *near_follower;
	struct followed_tick followed[EVERY_MAX]; /* of the last ticks, by tick */
	bool strange;                             /* a circle is not there */

	bool measures;
	struct lossy at_updates, at_ticks;       /* encoders */
	struct lossy update_reader, tick_reader; /* and the other sides */
	double shown[2][STREAMS_CIRCLES_MAX];    /* places as of the update before, as a reader of at_updates has them */
	uint64_t grid_bytes, delta_bytes, tick_bytes;
	int64_t begun_ns; /* when the first step was sent */
	struct collide_error *error;
};

static bool
broken(struct streams_load *load, const char *what)
{
	return failure_set(load->error, COLLIDE_FROM_LIBRARY, COLLIDE_INTERNAL, "STREAMS", "%s", what);
}

/* ---- what the follower has */

static void
on_tick(void *context, const struct collide_follower *follower)
{
	struct streams_load *load = context;
	const struct collide_followed world = collide_follower_world(follower);
	struct followed_tick *moment = &load->followed[world.tick % EVERY_MAX];
	moment->tick = world.tick;
	load->strange = load->strange || world.circle_count != load->world.count;
	for (size_t i = 0; i < world.circle_count && !load->strange; i++) {
		struct collide_followed_circle circle = collide_follower_circle(follower, i);
		const double numbers[NUMBERS] = { circle.x, circle.y, circle.vx, circle.vy, circle.angle, circle.spin };
		for (size_t k = 0; k < NUMBERS; k++)
			moment->numbers[k][i] = numbers[k];
	}
}

/* ---- readers */

static bool
subscribe(struct streams_load *load, struct streams_reader *reader, Collide__V1__Stream stream, double tolerance, bool coded)
{
	Collide__V1__Subscribe message = COLLIDE__V1__SUBSCRIBE__INIT;
	Collide__V1__SpectatorOf spectator = COLLIDE__V1__SPECTATOR_OF__INIT;
	Collide__V1__ClientMessage envelope = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	spectator.world = load->info.name;
	spectator.secret = (ProtobufCBinaryData){ sizeof load->info.join_secret, load->info.join_secret };
	message.of_case = COLLIDE__V1__SUBSCRIBE__OF_SPECTATOR;
	message.spectator = &spectator;
	message.stream = stream;
	message.every = (uint32_t)load->plan->every;
	message.tolerance = tolerance;
	message.coded = coded;
	message.bytes_per_second = tolerance > 0 ? (uint32_t)load->plan->bytes_per_second : 0;
	envelope.request_id = SUBSCRIBE_ID;
	envelope.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SUBSCRIBE;
	envelope.subscribe = &message;
	return room_conn_open(&reader->conn, load->plan->address, load->error) &&
	       room_conn_ask(&reader->conn, &envelope, load->error) && room_conn_flush(&reader->conn, load->error);
}

static bool
differs(double a, double b)
{
	return memcmp(&a, &b, sizeof a) != 0;
}

static double
angle_at(const double *column, size_t count, size_t i)
{
	return count > 0 ? column[i] : 0;
}

/* States as the server has them, against those of the follower. */
static bool
states_compare(struct streams_load *load, const struct room_reply *reply)
{
	Collide__V1__WorldUpdate *update = collide__v1__world_update__unpack(NULL, reply->count, reply->bytes);
	if (!update)
		return failure_memory(load->error);
	const struct followed_tick *moment = &load->followed[update->tick % EVERY_MAX];
	const Collide__V1__BodyColumns *bodies = update->frame ? update->frame->bodies : NULL;
	bool compares = bodies && bodies->n_id == load->world.count && moment->tick == update->tick && update->tick > 0;
	for (size_t i = 0; compares && i < bodies->n_id; i++) {
		load->result->differences += differs(bodies->x[i], moment->numbers[0][i]) ||
		                             differs(bodies->y[i], moment->numbers[1][i]) ||
		                             differs(bodies->vx[i], moment->numbers[2][i]) ||
		                             differs(bodies->vy[i], moment->numbers[3][i]) ||
		                             differs(angle_at(bodies->angle, bodies->n_angle, i), moment->numbers[4][i]) ||
		                             differs(angle_at(bodies->angular_velocity, bodies->n_angular_velocity, i),
		                                     moment->numbers[5][i]);
		load->result->compared++;
	}
	collide__v1__world_update__free_unpacked(update, NULL);
	return true;
}

static double
distance(double x1, double y1, double x2, double y2)
{
	return sqrt((x1 - x2) * (x1 - x2) + (y1 - y2) * (y1 - y2));
}

/* Places within the tolerance, against those of the follower of paths: of the last update's tick. */
static bool
near_compare(struct streams_load *load)
{
	const struct collide_followed world = collide_follower_world(load->near_follower);
	const struct followed_tick *moment = &load->followed[world.tick % EVERY_MAX];
	struct streams_result *result = load->result;
	if (world.tick == 0 || moment->tick != world.tick)
		return true;
	if (world.circle_count != load->world.count)
		return broken(load, "a follower of states within a tolerance has another number of circles than there are");
	for (size_t i = 0; i < world.circle_count; i++) {
		struct collide_followed_circle circle = collide_follower_circle(load->near_follower, i);
		double angle = fabs(circle.angle - moment->numbers[4][i]) * circle.radius;
		double place = distance(circle.x, circle.y, moment->numbers[0][i], moment->numbers[1][i]), off = fmax(angle, place);
		if (off > (circle.stale > 0 ? world.stale_error : result->near_tolerance))
			return broken(load, "a place is not within its tolerance, or what is said of it");
		if (!load->measures)
			continue;
		result->near_error = fmax(result->near_error, off);
		result->near_square_sum += off * off;
		result->near_stale += circle.stale > 0;
		result->near_count++;
	}
	return true;
}

static bool
near_take(struct streams_load *load, const struct room_reply *reply)
{
	return collide_follower_update(load->near_follower, reply->bytes, reply->count, load->error) && near_compare(load);
}

static bool
reply_take(struct streams_load *load, struct streams_reader *reader, const struct room_reply *reply)
{
	if (reply->kind == ROOM_ERROR)
		return room_reply_error(reply, load->error) ? false : broken(load, "an error that cannot be read");
	if (reply->kind == ROOM_END)
		return broken(load, reply->reason);
	if (reply->kind != ROOM_UPDATE)
		return true;
	reader->has_key = reader->has_key || reply->has_key;
	bool paths = reader == &load->paths, near = reader == &load->near, rows = reply->has_frame && !reply->has_key;
	if (near && !near_take(load, reply))
		return false;
	if (paths && !collide_follower_update(load->follower, reply->bytes, reply->count, load->error))
		return false;
	if (reader == &load->states && load->measures && !states_compare(load, reply))
		return false;
	/* Of paths, shortfalls come besides; of states the frame is all. */
	if (reader == &load->states || !rows)
		reader->tick = reply->tick;
	return reply->missed_ticks == 0 || broken(load, "a reader was behind");
}

/* Reads what has come. */
static bool
reader_read(struct streams_load *load, struct streams_reader *reader)
{
	struct room_reply reply;
	for (bool more = true; more;) {
		if (!room_conn_receive(&reader->conn, &more, load->error))
			return false;
		while (room_conn_next(&reader->conn, &reply, load->error))
			if (!reply_take(load, reader, &reply))
				return false;
		if (load->error->code != COLLIDE_OK)
			return false;
	}
	return true;
}

/* Reads until the reader has the state after the tick. With bytes limited it may come later. */
static bool
reader_until(struct streams_load *load, struct streams_reader *reader, uint64_t tick)
{
	if (reader == &load->near && load->plan->bytes_per_second > 0 && reader->has_key)
		return reader_read(load, reader);
	while (!reader->has_key || reader->tick < tick) {
		struct pollfd wait = { .fd = reader->conn.descriptor, .events = POLLIN };
		if (poll(&wait, 1, WAIT_MS) < 0 && errno != EINTR)
			return broken(load, "poll");
		if (load->plan->stop && load->plan->stop(load->plan->context))
			return failure_set(load->error, COLLIDE_FROM_LIBRARY, COLLIDE_CANCELLED, "CANCELLED", "stopped");
		if (!reader_read(load, reader))
			return false;
	}
	return true;
}

/* ---- the owner */

static void
on_stepped(void *context, struct collide_seat *seat, const struct collide_stepped *stepped, const struct collide_error *error)
{
	struct streams_load *load = context;
	(void)seat;
	if (stepped) {
		load->stepped = stepped->tick;
		return;
	}
	load->step_failed = true;
	*load->error = *error;
}

static void
on_outcome(void *context, struct collide_seat *seat, uint64_t number, const struct collide_outcome *outcome)
{
	struct streams_load *load = context;
	(void)seat;
	(void)number;
	if (outcome->code != COLLIDE_OK)
		(void)snprintf(load->refused, sizeof load->refused, "an input was refused: %s", outcome->text);
}

/* A seat for each, once all are there: their batches then come before the step. */
static bool
players_attach(struct streams_load *load)
{
	const struct collide_attachment attachment = { .world = load->info.name,
		                                           .secret = load->info.owner_secret,
		                                           .secret_bytes = sizeof load->info.owner_secret,
		                                           .right = COLLIDE_RIGHT_ALL };
	const struct collide_seat_handler handler = { .on_outcome = on_outcome, .context = load };
	for (size_t i = 0; i < load->world.players; i++) {
		load->players[i] = collide_seat_attach(load->channel, &attachment, &handler, load->error);
		while (load->players[i] && !collide_seat_attached(load->players[i]))
			if (!collide_channel_wait(load->channel, WAIT_MS, load->error))
				return false;
		if (!load->players[i])
			return false;
	}
	return true;
}

/* Inputs of one tick. */
static bool
inputs_send(struct streams_load *load, uint64_t tick)
{
	const struct streams_world *world = &load->world;
	for (size_t i = 0; i < world->players; i++) {
		if (streams_unit(&load->random) >= world->inputs_hz / (double)load->plan->tick_hz)
			continue;
		uint32_t id = (uint32_t)i;
		double vx, vy;
		streams_input(load->plan->inputs, &load->random, world->input_speed, &load->keys[i], &vx, &vy);
		const struct collide_batch batch = { .tick = tick,
			                                 .velocities = { .id = { &id, 1 }, .vx = { &vx, 1 }, .vy = { &vy, 1 } } };
		load->result->inputs += load->measures;
		if (collide_seat_send(load->players[i], &batch, load->error) == 0)
			return false;
	}
	return true;
}

/* Waits until no player sends more than half of the batches a second that it may, up to that tick. */
static bool
rate_keep(struct streams_load *load, uint64_t tick)
{
	double most = 0.5 * collide_client_welcome(load->owner)->limits.worlds.batches_per_second_max;
	double batches = (double)tick * load->world.inputs_hz / (double)load->plan->tick_hz;
	load->begun_ns = load->begun_ns == 0 ? clock_ns() : load->begun_ns;
	while (batches > most * 1e-9 * (double)(clock_ns() - load->begun_ns) + most)
		if (!collide_channel_wait(load->channel, 1, load->error))
			return false;
	return true;
}

static bool
step(struct streams_load *load)
{
	const struct collide_step step = { .ticks = load->plan->every };
	uint64_t tick = load->stepped + load->plan->every;
	if (!rate_keep(load, tick))
		return false;
	for (uint64_t t = load->stepped + 1; t <= tick; t++)
		if (!inputs_send(load, t))
			return false;
	if (!collide_seat_step(load->seat, &step, on_stepped, load, load->error))
		return false;
	while (load->stepped < tick && !load->step_failed)
		if (!collide_channel_wait(load->channel, WAIT_MS, load->error))
			return false;
	return !load->step_failed && (load->refused[0] == '\0' || broken(load, load->refused)) &&
	       reader_until(load, &load->paths, tick) && reader_until(load, &load->states, tick) &&
	       reader_until(load, &load->near, tick) && reader_until(load, &load->commands, tick) &&
	       reader_until(load, &load->coded, tick);
}

/* ---- other formats */

/* What a drawing that goes straight from one update to the next has, against what was. */
static void
straight_compare(struct streams_load *load, const double *x, const double *y)
{
	uint64_t every = load->plan->every, last = load->stepped;
	for (uint64_t k = 1; k <= every; k++) {
		const struct followed_tick *moment = &load->followed[(last - every + k) % EVERY_MAX];
		double part = (double)k / (double)every;
		for (size_t i = 0; i < load->world.count; i++) {
			double drawn_x = load->shown[0][i] + part * (x[i] - load->shown[0][i]);
			double drawn_y = load->shown[1][i] + part * (y[i] - load->shown[1][i]);
			double off = distance(drawn_x, drawn_y, moment->numbers[0][i], moment->numbers[1][i]);
			load->result->grid_error = fmax(load->result->grid_error, load->measures ? off : 0);
		}
	}
}

static bool
tick_encode(struct streams_load *load, const struct followed_tick *moment, struct lossy *writer, struct lossy *reader,
            double *x, double *y, uint64_t *sum)
{
	uint8_t bytes[LOSSY_BYTES_MAX];
	size_t count = lossy_encode(writer, moment->numbers[0], moment->numbers[1], bytes);
	*sum += load->measures ? count + LOSSY_HEAD_BYTES : 0;
	return lossy_decode(reader, bytes, count, x, y) || broken(load, "a lossy update cannot be read");
}

/* The last update's ticks in the other formats. */
static bool
others_take(struct streams_load *load)
{
	double x[STREAMS_CIRCLES_MAX], y[STREAMS_CIRCLES_MAX];
	uint64_t every = load->plan->every;
	for (uint64_t k = 1; k <= every; k++) {
		const struct followed_tick *moment = &load->followed[(load->stepped - every + k) % EVERY_MAX];
		if (!tick_encode(load, moment, &load->at_ticks, &load->tick_reader, x, y, &load->tick_bytes))
			return false;
		for (size_t i = 0; i < load->world.count; i++)
			load->result->tick_error = fmax(load->result->tick_error,
			                                distance(x[i], y[i], moment->numbers[0][i], moment->numbers[1][i]));
	}
	if (!tick_encode(load, &load->followed[load->stepped % EVERY_MAX], &load->at_updates, &load->update_reader, x, y,
	                 &load->delta_bytes))
		return false;
	load->grid_bytes += load->measures ? 4 * load->world.count + LOSSY_HEAD_BYTES : 0;
	straight_compare(load, x, y);
	memcpy(load->shown[0], x, sizeof x);
	memcpy(load->shown[1], y, sizeof y);
	return true;
}

static void
others_begin(struct streams_load *load)
{
	const struct streams_world *world = &load->world;
	struct lossy *const all[] = { &load->at_updates, &load->at_ticks, &load->update_reader, &load->tick_reader };
	double quantum = load->plan->tolerance > 0 ? load->plan->tolerance / sqrt(0.5) : world->side / 65536;
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		lossy_init(all[i], world->count, world->left, world->low, quantum);
	/* Half of a cell's diagonal. */
	load->result->near_tolerance = quantum * sqrt(0.5);
}

/* ---- all of it */

static bool
world_open(struct streams_load *load)
{
	const struct streams_plan *plan = load->plan;
	const struct collide_world_policy policy = { .dt = 1 / (double)plan->tick_hz, .clock = COLLIDE_CLOCK_CLIENT };
	const struct collide_world_creation creation = { .scene = &load->world.scene, .policy = &policy };
	load->owner = collide_connect(plan->address, NULL, load->error);
	if (!load->owner || !collide_create_world(load->owner, &creation, &load->info, load->error))
		return false;
	const struct collide_attachment attachment = { .world = load->info.name,
		                                           .secret = load->info.owner_secret,
		                                           .secret_bytes = sizeof load->info.owner_secret,
		                                           .right = COLLIDE_RIGHT_STEP };
	load->channel = collide_channel_create(plan->address, NULL, load->error);
	load->seat = load->channel ? collide_seat_attach(load->channel, &attachment, NULL, load->error) : NULL;
	load->follower = collide_follower_create(0);
	load->near_follower = collide_follower_create(0);
	if (!load->follower || !load->near_follower)
		return failure_memory(load->error);
	collide_follower_on_tick(load->follower, on_tick, load);
	return load->seat && players_attach(load) && subscribe(load, &load->states, COLLIDE__V1__STREAM__STREAM_STATES, 0, false) &&
	       subscribe(load, &load->paths, COLLIDE__V1__STREAM__STREAM_PATHS, 0, false) &&
	       subscribe(load, &load->near, COLLIDE__V1__STREAM__STREAM_STATES, load->result->near_tolerance, false) &&
	       subscribe(load, &load->commands, COLLIDE__V1__STREAM__STREAM_COMMANDS, 0, false) &&
	       subscribe(load, &load->coded, COLLIDE__V1__STREAM__STREAM_COMMANDS, 0, true) &&
	       reader_until(load, &load->states, 0) && reader_until(load, &load->paths, 0) && reader_until(load, &load->near, 0) &&
	       reader_until(load, &load->commands, 0) && reader_until(load, &load->coded, 0);
}

static void
world_close(struct streams_load *load)
{
	const struct collide_world_key key = { .name = load->info.name,
		                                   .secret = load->info.owner_secret,
		                                   .secret_bytes = sizeof load->info.owner_secret };
	struct collide_error ignored;
	room_conn_finish(&load->states.conn);
	room_conn_finish(&load->paths.conn);
	room_conn_finish(&load->near.conn);
	room_conn_finish(&load->commands.conn);
	room_conn_finish(&load->coded.conn);
	collide_channel_destroy(load->channel);
	/* It ends by itself if that fails. */
	if (load->info.name[0] != '\0')
		(void)!collide_destroy_world(load->owner, &key, NULL, &ignored);
	collide_close(load->owner);
	collide_follower_destroy(load->follower);
	collide_follower_destroy(load->near_follower);
}

static bool
steps_make(struct streams_load *load, double seconds)
{
	uint64_t count = (uint64_t)ceil(seconds * (double)load->plan->tick_hz / (double)load->plan->every);
	for (uint64_t i = 0; i < count; i++) {
		if (!step(load))
			return false;
		if (load->strange)
			return broken(load, "a follower has another number of circles than there are");
		if (!others_take(load))
			return false;
	}
	return true;
}

bool
streams_run(const struct streams_plan *plan, enum streams_scene scene, struct streams_result *result,
            struct collide_error *error)
{
	struct streams_load *load = calloc(1, sizeof *load);
	if (!load)
		return failure_memory(error);
	*result = (struct streams_result){ .ticks = 0 };
	*load = (struct streams_load){ .plan = plan, .result = result, .random = plan->seed, .error = error };
	load->states.conn.descriptor = load->paths.conn.descriptor = load->near.conn.descriptor = -1;
	load->commands.conn.descriptor = load->coded.conn.descriptor = -1;
	streams_world_make(&load->world, scene, plan->tick_hz, &load->random);
	others_begin(load);
	result->circles = load->world.count;
	bool good = plan->every > 0 && plan->every <= EVERY_MAX ? world_open(load) && steps_make(load, plan->warm_up_seconds)
	                                                        : broken(load, "too many ticks between updates");
	uint64_t states = load->states.conn.bytes_received, paths = load->paths.conn.bytes_received;
	uint64_t near = load->near.conn.bytes_received, commands = load->commands.conn.bytes_received;
	uint64_t coded = load->coded.conn.bytes_received, first = load->stepped;
	load->measures = true;
	good = good && steps_make(load, plan->seconds);
	result->ticks = load->stepped - first;
	double per_second = good ? (double)plan->tick_hz / (double)result->ticks : 0;
	result->states = (double)(load->states.conn.bytes_received - states) * per_second;
	result->paths = (double)(load->paths.conn.bytes_received - paths) * per_second;
	result->near = (double)(load->near.conn.bytes_received - near) * per_second;
	result->commands = (double)(load->commands.conn.bytes_received - commands) * per_second;
	result->coded = (double)(load->coded.conn.bytes_received - coded) * per_second;
	result->grid = (double)load->grid_bytes * per_second;
	result->delta = (double)load->delta_bytes * per_second;
	result->delta_tick = (double)load->tick_bytes * per_second;
	world_close(load);
	free(load);
	return good;
}
