/* The players of a play: they attach, send, lose their connections and resume. */
#include "worlds/play.h"
#include "worlds/registry/registry_private.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- players */

void
play_connection_cut(struct play_connection *connection)
{
	for (size_t i = 0; i < PLAYERS; i++) {
		if (play_here->player[i].connection == connection) {
			play_here->player[i].connection = NULL;
			play_here->player[i].attaching = false;
		}
	}
	for (size_t i = 0; i < WORLDS; i++) {
		if (play_here->world[i].steps_connection == connection)
			play_here->world[i].steps_asked = 0;
		if (play_here->world[i].snapshot_connection == connection)
			play_here->world[i].snapshot_asked = 0;
	}
	readers_of_connection_lost(connection);
	moments_forget(play_here, connection);
	forks_forget(play_here, connection);
	worlds_client_gone(&connection->client);
	connection->open = connection->failed = false;
}

struct play_connection *
play_connection_any(struct play *play)
{
	struct play_connection *connection = &play->connection[random_below(&play->random, CONNECTIONS)];
	if (!connection->open) {
		*connection = (struct play_connection){ .open = true, .play = play };
		worlds_client_init(&connection->client, play->worlds, connection, &play->tenant);
	}
	return connection;
}

void
player_attach(struct play *play, struct player *player)
{
	Collide__V1__Attach attach = COLLIDE__V1__ATTACH__INIT;
	struct wire_problem problem = { .status = STATUS_OK };
	struct play_world *world = &play->world[player->world];
	if (player->connection || world->gone)
		return;
	player->connection = play_connection_any(play);
	player->attach_id = ++play->requests_next;
	player->attaching = true;
	attach.world = world->name;
	attach.right = (Collide__V1__Right)player->right;
	attach.ids = IDS;
	attach.secret = (ProtobufCBinaryData){ WORLDS_SECRET_BYTES, player->joins ? world->join_secret : world->owner_secret };
	attach.outcomes_after = player->acked;
	if (player->seated)
		attach.token = (ProtobufCBinaryData){ WORLDS_SECRET_BYTES, player->token };
	server_enter();
	enum status status = worlds_attach(&player->connection->client, player->attach_id, &attach, &problem);
	server_leave();
	if (!play_allows(play, status, &problem)) {
		player->connection = NULL;
		player->attaching = false;
	}
}

void
player_make_batch(struct play *play, struct player *player)
{
	struct play_world *world = &play->world[player->world];
	if (player->made == SENT || !player->seated)
		return;
	struct model_batch *batch = &player->sent[player->made];
	uint64_t named = 0;
	for (size_t i = player->made; i-- > 0 && named == 0;)
		named = player->sent[i].tick_asked;
	*batch = (struct model_batch){
		.seat = player->seat,
		.right = player->right,
		.id_first = player->id_first,
		.id_count = player->id_count,
		.circles_max = player->joins ? world->join_circles_max : 0,
		.sequence = ++player->made,
		.kind = (enum model_kind)random_below(&play->random, MODEL_KINDS),
		.id = (uint32_t)(1 + random_below(&play->random, 8)),
		.x = random_between(&play->random, 1, 19),
		.y = random_between(&play->random, 1, 19),
		.ticks = (uint32_t)random_below(&play->random, 5),
		.other = 1 + (uint32_t)random_below(&play->random, 3),
		.skip_missing = random_below(&play->random, 3) == 0,
	};
	/* Often one of a few, as players choose. */
	if (random_below(&play->random, 2) == 0)
		batch->x = 1 + (double)random_below(&play->random, 6) / 7, batch->y = batch->x + 1.0 / 3;
	if (random_below(&play->random, 2) == 0 && player->id_count > 0)
		batch->id = player->id_first + (uint32_t)random_below(&play->random, player->id_count + 1);
	/* Bounded in what it spawns: it wants all of its ids. */
	if (player->joins && player->right == SEAT_OWN && random_below(&play->join_random, 2) == 0) {
		batch->kind = MODEL_SPAWN;
		batch->id = player->id_first + (uint32_t)random_below(&play->join_random, IDS);
	}
	if (batch->kind == MODEL_GIVE)
		batch->other = player->seat;
	if (play->late && random_below(&play->random, 2) == 0) {
		batch->kind = random_below(&play->random, 3) == 0 ? MODEL_SPAWN : MODEL_REMOVE;
		batch->id = 1 + (uint32_t)random_below(&play->random, 4);
	}
	if (play->late || random_below(&play->random, 2) == 0) {
		batch->tick_asked = world->model.tick + random_below(&play->random, 6);
		if (world->model.history > 0 && batch->tick_asked > 1)
			batch->tick_asked -= random_below(&play->random, batch->tick_asked < 12 ? batch->tick_asked : 12);
		batch->tick_asked = batch->tick_asked < named ? named : batch->tick_asked;
	}
}

static size_t
batch_pack(const struct player *player, const struct model_batch *batch, uint8_t *out, size_t room)
{
	Collide__V1__Commands commands = COLLIDE__V1__COMMANDS__INIT;
	Collide__V1__VelocityColumns velocities = COLLIDE__V1__VELOCITY_COLUMNS__INIT;
	Collide__V1__PlaceColumns places = COLLIDE__V1__PLACE_COLUMNS__INIT;
	Collide__V1__PushColumns pushes = COLLIDE__V1__PUSH_COLUMNS__INIT;
	Collide__V1__CircleColumns spawn = COLLIDE__V1__CIRCLE_COLUMNS__INIT;
	Collide__V1__OwnerColumns give = COLLIDE__V1__OWNER_COLUMNS__INIT;
	Collide__V1__Vector gravity = COLLIDE__V1__VECTOR__INIT;
	uint32_t id = batch->id, ticks = batch->ticks, other = batch->other;
	double x = batch->x, y = batch->y, radius = 0.25;
	commands.handle = player->handle;
	commands.sequence = batch->sequence;
	commands.tick = batch->tick_asked;
	commands.acked = player->acked;
	commands.skip_missing = batch->skip_missing;
	velocities.id = places.id = pushes.id = spawn.id = give.id = &id;
	velocities.n_id = places.n_id = pushes.n_id = spawn.n_id = give.n_id = 1;
	velocities.vx = places.x = pushes.force_x = spawn.x = &x;
	velocities.vy = places.y = pushes.force_y = spawn.y = &y;
	velocities.n_vx = places.n_x = pushes.n_force_x = spawn.n_x = 1;
	velocities.n_vy = places.n_y = pushes.n_force_y = spawn.n_y = 1;
	pushes.ticks = &ticks;
	pushes.n_ticks = 1;
	spawn.radius = &radius;
	spawn.n_radius = 1;
	give.seat = &other;
	give.n_seat = 1;
	switch (batch->kind) {
	case MODEL_SET:
		commands.optional_velocities_case = COLLIDE__V1__COMMANDS__OPTIONAL_VELOCITIES_VELOCITIES;
		commands.velocities = &velocities;
		break;
	case MODEL_ADD:
		commands.optional_add_velocities_case = COLLIDE__V1__COMMANDS__OPTIONAL_ADD_VELOCITIES_ADD_VELOCITIES;
		commands.add_velocities = &velocities;
		break;
	case MODEL_SPAWN:
		commands.optional_spawn_case = COLLIDE__V1__COMMANDS__OPTIONAL_SPAWN_SPAWN;
		commands.spawn = &spawn;
		break;
	case MODEL_REMOVE:
		commands.remove = &id;
		commands.n_remove = 1;
		break;
	case MODEL_PLACE:
		commands.optional_places_case = COLLIDE__V1__COMMANDS__OPTIONAL_PLACES_PLACES;
		commands.places = &places;
		break;
	case MODEL_FORCE:
		commands.optional_pushes_case = COLLIDE__V1__COMMANDS__OPTIONAL_PUSHES_PUSHES;
		commands.pushes = &pushes;
		break;
	case MODEL_SWEEP:
		commands.optional_places_case = COLLIDE__V1__COMMANDS__OPTIONAL_PLACES_PLACES;
		commands.places = &places;
		places.swept = true;
		break;
	case MODEL_GRAVITY:
		commands.optional_gravity_case = COLLIDE__V1__COMMANDS__OPTIONAL_GRAVITY_GRAVITY;
		commands.gravity = &gravity;
		gravity.x = x;
		gravity.y = y;
		break;
	case MODEL_GIVE:
		commands.optional_give_case = COLLIDE__V1__COMMANDS__OPTIONAL_GIVE_GIVE;
		commands.give = &give;
		break;
	case MODEL_KINDS: break;
	}
	assert_true(collide__v1__commands__get_packed_size(&commands) <= room);
	return collide__v1__commands__pack(&commands, out);
}

void
player_deliver(struct player *player)
{
	uint8_t bytes[512];
	struct wire_problem problem = { .status = STATUS_OK };
	struct play_world *world = &play_here->world[player->world];
	if (!player->connection || player->attaching || player->delivered == player->made || world->gone)
		return;
	const struct model_batch *batch = &player->sent[player->delivered];
	struct commands_peek peek = {
		.handle = player->handle, .sequence = batch->sequence, .tick = batch->tick_asked, .acked = player->acked, .bytes = bytes
	};
	peek.count = batch_pack(player, batch, bytes, sizeof bytes);
	const struct worlds_client *client = &player->connection->client;
	struct seat *seat = NULL;
	for (size_t i = 0; i < client->seat_count && !seat; i++)
		if (client->seats[i]->handle == player->handle)
			seat = client->seats[i];
	assert_non_null(seat);
	if (!seat)
		return;
	uint64_t waiting = seat->waiting;
	player->delivered++;
	server_enter();
	assert_int_equal(worlds_batch(&player->connection->client, 0, &peek, &problem), STATUS_OK);
	server_leave();
	/* Without memory the world may not get it. */
	bool comes = seat->waiting > waiting;
	assert_true(comes || player->right < SEAT_OWN || play_here->short_of_memory || player->known[batch->sequence - 1]);
	if (comes) {
		assert_null(player->known[batch->sequence - 1]);
		player->known[batch->sequence - 1] = model_receive(&world->model, batch, world->steps_tick);
	}
}

void
player_step(struct play *play, struct player *player)
{
	Collide__V1__StepWorld step = COLLIDE__V1__STEP_WORLD__INIT;
	struct wire_problem problem = { .status = STATUS_OK };
	struct play_world *world = &play->world[player->world];
	if (world->by_server || world->gone || !player->connection || player->attaching || player->right < SEAT_STEP ||
	    world->steps_asked != 0 || world->task.live->steps.first)
		return;
	step.handle = player->handle;
	step.ticks = 1 + random_below(&play->random, 4);
	uint64_t id = ++play->requests_next;
	server_enter();
	enum status status = worlds_step(&player->connection->client, id, &step, &problem);
	server_leave();
	if (status != STATUS_OK && play_memory_reason(problem.reason))
		return;
	if (status == STATUS_OK) {
		world->steps_asked = id;
		world->steps_connection = player->connection;
		world->steps_tick = world->steps_answer = world->model.tick + step.ticks;
	} else {
		assert_string_equal(problem.reason, "CLOCK"); /* of a step after which the connection was cut */
	}
}

/* Every batch has had what the model says. */
void
player_check(const struct player *player, size_t through)
{
	for (size_t i = 0; i < through; i++) {
		const struct model_batch *must = player->known[i];
		const Collide__V1__Outcome *told = player->told[i];
		if (!must) {
			assert_non_null(told);
			if (!play_memory_reason(told->reason))
				assert_string_equal(told->reason, "RIGHT");
			continue;
		}
		if (must->unsure)
			continue;
		assert_true(must->decided || must->reason); /* one that is too late may be refused before its tick */
		bool moved = must->tick_asked != 0 && must->tick_asked != must->tick;
		if (must->reason[0] == '\0' && must->missing == 0 && !moved) {
			assert_true(!told || told->code == COLLIDE__V1__CODE__CODE_UNSPECIFIED);
			continue;
		}
		assert_non_null(told);
		if (!must->restored || (strcmp(told->reason, "RESTORED") != 0 && !play_memory_reason(told->reason)))
			assert_string_equal(told->reason, must->reason);
		assert_int_equal(told->missing, must->missing);
		assert_int_equal(told->tick, must->reason[0] == '\0' ? must->tick : 0);
	}
}

/* It begins anew, as another seat. */
static void
player_forget(struct player *player)
{
	for (size_t i = 0; i < player->made; i++)
		if (player->told[i])
			collide__v1__outcome__free_unpacked(player->told[i], NULL);
	*player = (struct player){ .world = player->world, .right = player->right, .joins = player->joins };
}

void
player_detach(struct play *play, struct player *player)
{
	Collide__V1__Detach detach = COLLIDE__V1__DETACH__INIT;
	struct wire_problem problem = { .status = STATUS_OK };
	const struct play_world *world = &play->world[player->world];
	if (!player->connection || player->attaching || world->gone)
		return;
	struct worlds_client *client = &player->connection->client;
	if (random_below(&play->random, 2) == 0) {
		server_enter();
		assert_true(worlds_client_cancel(client, player->attach_id));
		server_leave();
		assert_null(player->connection);
		play->leaves++;
		return;
	}
	if (play->detaches == DETACHES_MAX)
		return;
	detach.handle = player->handle;
	server_enter();
	assert_int_equal(worlds_detach(client, ++play->requests_next, &detach, &problem), STATUS_OK);
	server_leave();
	assert_null(player->connection);
	assert_false(worlds_client_has_request(client, player->attach_id));
	/* In a world that goes back, more may be told of what it was told; and while news are on their way. */
	if (world->model.history == 0 && !play->news)
		player_check(player, (size_t)player->through);
	play->detaches++;
	player_forget(player);
}
