/* Questions about moments in a play: each is answered once, with the shapes that the world had then, or why not. */
#include "physics/queries/space_private.h"
#include "worlds/play.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

void
moment_ask(struct play *play, struct play_world *world)
{
	Collide__V1__WorldMoment message = COLLIDE__V1__WORLD_MOMENT__INIT;
	struct wire_problem problem = { .status = STATUS_OK };
	struct play_moment *moment = &play->moment[random_below(&play->random, MOMENTS)];
	uint64_t back = random_below(&play->random, 8);
	if (world->gone || moment->connection)
		return;
	moment->connection = play_connection_any(play);
	moment->world = world;
	moment->request_id = ++play->requests_next;
	moment->tick = world->model.tick < back ? 0 : world->model.tick - back;
	moment->within = random_below(&play->random, 2) == 0;
	message.world = world->name;
	message.secret = (ProtobufCBinaryData){ WORLDS_SECRET_BYTES, world->owner_secret };
	message.optional_tick_case = COLLIDE__V1__WORLD_MOMENT__OPTIONAL_TICK_TICK;
	message.tick = moment->tick;
	message.time = moment->within ? 0.5 / 64 : 0;
	server_enter();
	enum status status = worlds_moment(&moment->connection->client, moment->request_id, &message, &problem);
	server_leave();
	if (!play_allows(play, status, &problem))
		moment->connection = NULL;
}

/* Whether these are the circles of that tick in one of the world's pasts. */
static bool
was_so(const struct play_world *world, uint64_t tick, const struct sorted_shapes *shapes)
{
	for (size_t i = 0; i < world->past_count; i++) {
		const struct play_seen *seen = tick < PAST_TICKS ? world->past[i].seen[tick] : NULL;
		size_t there = 0, same = 0;
		for (uint32_t id = 0; seen && id < MODEL_CIRCLES; id++)
			there += seen[id].digest != 0;
		for (uint32_t k = 0; seen && k < shapes->circle_count; k++) {
			const struct play_seen *circle = &seen[shapes->circles[k].id];
			same += circle->digest != 0 && memcmp(&circle->x, &shapes->discs[k].x, sizeof circle->x) == 0 &&
			        memcmp(&circle->y, &shapes->discs[k].y, sizeof circle->y) == 0;
		}
		if (seen && same == there && there == shapes->circle_count)
			return true;
	}
	return false;
}

void
moment_tell(const struct play_connection *connection, uint64_t request_id, struct shared_space *space,
            const struct wire_problem *problem)
{
	struct play_moment *moment = NULL;
	for (size_t i = 0; i < MOMENTS; i++)
		if (play_here->moment[i].connection == connection && play_here->moment[i].request_id == request_id)
			moment = &play_here->moment[i];
	assert_non_null(moment);
	if (!moment)
		return;
	if (!space) {
		bool known = strcmp(problem->reason, "TICK_GONE") == 0 || strcmp(problem->reason, "TOO_EARLY") == 0 ||
		             strcmp(problem->reason, "RESTORED") == 0 || strcmp(problem->reason, "WORLD_GONE") == 0 ||
		             play_memory_reason(problem->reason);
		assert_true(known);
	} else if (!moment->within && moment->world->model.history == 0) {
		/* Of a world that goes back, what was seen first need not be what was in the end. */
		assert_true(play_unseen(moment->world, moment->tick) || was_so(moment->world, moment->tick, &space->space->shapes));
		play_here->moments++;
	}
	shared_space_release(space);
	moment->connection = NULL;
}

void
moments_forget(struct play *play, const struct play_connection *connection)
{
	for (size_t i = 0; i < MOMENTS; i++)
		if (play->moment[i].connection == connection)
			play->moment[i].connection = NULL;
}
