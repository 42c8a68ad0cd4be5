/* Keys of a mirror: they become its world. In doubt about the world that it has, the two are compared. */
#include "client/mirror/mirror.h"

#include "base/memory.h"
#include "client/lib/failure.h"
#include "physics/self_check.h"
#include "worlds/live/live_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Its turns are not measured. */
static uint64_t
no_clock(void)
{
	return 0;
}

void
mirror_key_finish(struct collide_mirror *mirror)
{
	buffer_finish(&mirror->key.state);
	buffer_finish(&mirror->key.update);
	mirror->key = (struct mirror_key){ .whole = false };
}

/* ---- what differs */

static bool
number_differs(struct collide_mirror_difference *out, const char *field, double mirror, double server)
{
	if (memcmp(&mirror, &server, sizeof mirror) == 0)
		return false;
	(void)snprintf(out->field, sizeof out->field, "%s", field);
	out->mirror = mirror;
	out->server = server;
	return true;
}

static bool
circle_differs(struct collide_mirror_difference *out, const struct body_state *a, const struct body_state *b)
{
	out->circle = a->id < b->id ? a->id : b->id;
	return number_differs(out, "id", a->id, b->id) || number_differs(out, "x", a->x, b->x) ||
	       number_differs(out, "y", a->y, b->y) || number_differs(out, "vx", a->vx, b->vx) ||
	       number_differs(out, "vy", a->vy, b->vy) || number_differs(out, "angle", a->angle, b->angle) ||
	       number_differs(out, "spin", a->angular_velocity, b->angular_velocity);
}

/* The first circle and field. */
static bool
circles_differ(struct collide_mirror_difference *out, const struct world *mirror, const struct world *server)
{
	const struct body_state none = { .id = UINT32_MAX };
	size_t mirrors = world_body_count(mirror), servers = world_body_count(server);
	for (size_t i = 0; i < mirrors || i < servers; i++) {
		const struct body_state a = i < mirrors ? world_body(mirror, i) : none, b = i < servers ? world_body(server, i) : none;
		if (circle_differs(out, &a, &b))
			return true;
	}
	return false;
}

/* What is in no circle's state: what the engine's snapshots have besides. */
static void
snapshots_differ(struct collide_mirror_difference *out, const struct world *mirror, const struct world *server)
{
	size_t mirrors = world_snapshot_bytes(mirror), servers = world_snapshot_bytes(server);
	uint8_t *a = memory_alloc(mirrors), *b = memory_alloc(servers);
	struct difference difference = { .text = "" };
	if (a && b && world_snapshot(mirror, a, mirrors) == STATUS_OK && world_snapshot(server, b, servers) == STATUS_OK &&
	    !snapshots_compare(a, mirrors, b, servers, &difference))
		(void)snprintf(out->text, sizeof out->text, "%s", difference.text);
	memory_free(a);
	memory_free(b);
}

static void
worlds_compare(struct collide_mirror_difference *out, const struct world *mirror, const struct world *server)
{
	out->compared = true;
	out->in_circle = circles_differ(out, mirror, server);
	if (!out->in_circle)
		snapshots_differ(out, mirror, server);
	else if (strcmp(out->field, "id") == 0)
		(void)snprintf(out->text, sizeof out->text, "after tick %" PRIu64 " circle %" PRIu32 " is only in the %s", out->tick,
		               out->circle, out->mirror < out->server ? "mirror" : "server");
	else
		(void)snprintf(out->text, sizeof out->text,
		               "after tick %" PRIu64 " circle %" PRIu32 ": %s is %.17g in the mirror, %.17g on the server", out->tick,
		               out->circle, out->field, out->mirror, out->server);
}

/* The key beside the world in doubt. */
static void
doubt_end(struct collide_mirror *mirror, const struct world *server, uint64_t tick)
{
	struct world_moment moment;
	mirror->difference = (struct collide_mirror_difference){ .hash_tick = mirror->doubt_tick, .tick = tick };
	mirror->differed = true;
	mirror->told.in_doubt = false;
	if (!mirror->live || mirror->told.told_tick < tick || predictions_tick(&mirror->predictions) <= tick)
		return;
	struct ledger *own = memory_enter(&mirror->live->ledger);
	if (live_mirrored_at(mirror->live, tick, &moment)) {
		worlds_compare(&mirror->difference, moment.world, server);
		world_moment_finish(&moment);
	}
	(void)memory_enter(own);
}

/* ---- its world */

static struct live_world *
key_world(struct collide_mirror *mirror, struct collide_error *error)
{
	const struct mirror_key *key = &mirror->key;
	struct wire_problem problem = { .status = STATUS_OK };
	struct world_start *start = NULL;
	struct arena arena;
	arena_init(&arena, SIZE_MAX / 2);
	enum status status = world_start_bytes(&arena, key->state.bytes, key->state.count, &mirror->scene_limits, NULL, "key",
	                                       &start, &problem);
	arena_finish(&arena);
	if (status != STATUS_OK) {
		failure_set(error, COLLIDE_FROM_LIBRARY, (enum collide_code)status, "BAD_KEY", "%s: %s", problem.field, problem.text);
		return NULL;
	}
	struct live_world_options options = {
		.limits = &mirror->limits,
		.scene_limits = &mirror->scene_limits,
		.policy = { .clock = WORLD_CLOCK_CLIENT,
		            .dt = key->dt,
		            .tick_hz = 1,
		            .late = WORLD_LATE_RESIMULATE,
		            .history_ticks = WORLDS_HISTORY_TICKS_MAX + COLLIDE_MIRROR_AHEAD_MAX,
		            .hash_every = UINT32_MAX },
		.epoch = key->epoch,
		.map_name = "",
		.owner = mirror,
		.cpu_ns = no_clock,
	};
	struct live_world *live = live_world_create(&options, start);
	if (!live) {
		world_start_destroy(start);
		failure_memory(error);
	}
	return live;
}

/* What is still on its way to the server is predicted in the new world, too. */
static bool
predictions_carry(struct collide_mirror *mirror, bool restored)
{
	bool good = true;
	for (struct prediction *each = mirror->predictions.first, *next; good && each; each = next) {
		next = each->next;
		if (!restored && each->tick > mirror->live->tick) {
			good = mirror_post(mirror, each->seat, each->sequence, each->tick, each->bytes, each->count);
			continue;
		}
		/* Whether it is in the key is not known. */
		mirror->told.dropped++;
		prediction_remove(&mirror->predictions, each);
	}
	return good;
}

/* The update that came with the key, and again to the tick that was displayed. */
static bool
key_follow(struct collide_mirror *mirror, uint64_t displayed, struct collide_error *error)
{
	struct buffer bytes = mirror->key.update;
	mirror->key.update = (struct buffer){ .count = 0 };
	Collide__V1__WorldUpdate *update = collide__v1__world_update__unpack(NULL, bytes.count, bytes.bytes);
	bool followed = update ? mirror_follow(mirror, update, error) : failure_memory(error);
	if (update)
		collide__v1__world_update__free_unpacked(update, NULL);
	buffer_finish(&bytes);
	if (followed && displayed <= mirror->told.told_tick + COLLIDE_MIRROR_AHEAD_MAX && !mirror_ticks(mirror, displayed))
		return mirror_broken(mirror, error, "ENGINE", "a tick could not be made");
	return followed;
}

/* What is elsewhere now, at the tick that was displayed. */
static void
key_correct(struct collide_mirror *mirror, uint64_t displayed)
{
	struct collide_mirror_corrections corrections = { .tick = displayed, .key = true };
	if (mirror->live->tick == displayed && places_compare(&mirror->before, mirror->live->world)) {
		corrections.circles = mirror->before.differences;
		corrections.count = mirror->before.difference_count;
	}
	mirror->told.corrections += corrections.count > 0;
	mirror->told.corrected += corrections.count;
	mirror->corrections = corrections;
}

bool
mirror_key_open(struct collide_mirror *mirror, struct collide_error *error)
{
	struct live_world *live = key_world(mirror, error);
	bool had = mirror->live != NULL, restored = mirror->key.epoch != mirror->told.epoch;
	uint64_t displayed = mirror->told.tick;
	mirror->key.state.count = 0;
	mirror->key.whole = false;
	if (live && live->tick > mirror->key.tick) {
		live_world_destroy(live);
		return mirror_broken(mirror, error, "BAD_KEY", "the key's snapshot is of a later tick than its update");
	}
	if (live && mirror->key.tick - live->tick > MIRROR_KEY_TICKS_MAX) {
		live_world_destroy(live);
		return mirror_broken(mirror, error, "TOO_FAR", "the key's snapshot is of a tick long before its update");
	}
	if (live && mirror->told.in_doubt)
		doubt_end(mirror, live->world, live->tick);
	bool looked = had && !restored && places_take(&mirror->before, mirror->live->world);
	mirror->told.hashes_left += mirror->hash.tick != 0;
	mirror_drop(mirror);
	if (!live)
		return false;
	mirror->live = live;
	mirror->told.ready = true;
	if (restored)
		mirror->newest_tick = 0;
	mirror->told.epoch = mirror->key.epoch;
	mirror->told.dt = mirror->key.dt;
	mirror->told.tick = mirror->told.told_tick = mirror->told.final_tick = live->tick;
	if (!predictions_carry(mirror, restored)) {
		mirror_drop(mirror);
		return failure_memory(error);
	}
	if (!key_follow(mirror, looked ? displayed : 0, error))
		return false;
	if (looked)
		key_correct(mirror, displayed);
	return true;
}

bool
mirror_key_ready(const struct collide_mirror *mirror, uint64_t tick)
{
	return mirror->key.whole && (!mirror->live || !mirror->told.in_doubt || tick >= mirror->key.tick);
}

/* Besides its key: it is taken when the key is. */
static bool
rest_keep(struct collide_mirror *mirror, const Collide__V1__WorldUpdate *update)
{
	Collide__V1__WorldUpdate rest = *update;
	rest.optional_key_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_KEY__NOT_SET;
	rest.optional_frame_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_FRAME__NOT_SET;
	mirror->key.update.count = 0;
	uint8_t *to = buffer_extend(&mirror->key.update, collide__v1__world_update__get_packed_size(&rest));
	if (to)
		(void)collide__v1__world_update__pack(&rest, to);
	return to != NULL;
}

bool
mirror_key_part(struct collide_mirror *mirror, const Collide__V1__WorldUpdate *update, struct collide_error *error)
{
	const Collide__V1__Key *key = update->key;
	bool more = update->optional_frame_case == COLLIDE__V1__WORLD_UPDATE__OPTIONAL_FRAME_FRAME && update->frame->more;
	if (key->dt > 0) {
		mirror->key.whole = false;
		mirror->key.state.count = 0;
		mirror->key.dt = key->dt;
		mirror->key.epoch = key->epoch;
	}
	if (update->hash_tick > update->tick || update->final_tick > update->tick)
		return mirror_broken(mirror, error, "MALFORMED", "the key has a hash, or calls final, what it does not tell");
	buffer_append(&mirror->key.state, key->snapshot.data, key->snapshot.len);
	if (!more && !mirror->key.state.failed && rest_keep(mirror, update)) {
		mirror->key.tick = update->tick;
		mirror->key.whole = true;
	}
	if (mirror->key.whole || more)
		return !mirror->key.state.failed || failure_memory(error);
	mirror_key_finish(mirror);
	return failure_memory(error);
}
