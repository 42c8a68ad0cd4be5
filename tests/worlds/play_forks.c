/* Forks in a play: each is answered once, with a state that the world had after that tick, or why not. */
#include "worlds/play.h"

#include "worlds/live/live_private.h"
#include "worlds/registry/wish.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct world_wish *
wish_make(const struct play_fork *fork)
{
	Collide__V1__ForkWorld message = COLLIDE__V1__FORK_WORLD__INIT;
	struct wire_problem problem = { .status = STATUS_OK };
	struct world_wish *wish = NULL;
	message.world = fork->world->name;
	message.secret = (ProtobufCBinaryData){ WORLDS_SECRET_BYTES, fork->world->owner_secret };
	message.optional_at_case = COLLIDE__V1__FORK_WORLD__OPTIONAL_AT_AT_TICK;
	message.at_tick = fork->tick;
	assert_int_equal(fork_wish_create(&message, &wish, &problem), STATUS_OK);
	return wish;
}

static void
fork_end(struct play_fork *fork)
{
	world_wish_destroy(fork->wish);
	*fork = (struct play_fork){ .connection = NULL };
}

void
fork_ask(struct play *play, struct play_world *world)
{
	struct wire_problem problem = { .status = STATUS_OK };
	struct play_fork *fork = &play->fork[random_below(&play->random, FORKS)];
	uint64_t back = random_below(&play->random, 8);
	if (world->gone || fork->connection)
		return;
	fork->connection = play_connection_any(play);
	fork->world = world;
	fork->request_id = ++play->requests_next;
	fork->tick = world->model.tick < back ? 0 : world->model.tick - back;
	fork->wish = wish_make(fork);
	server_enter();
	enum status status = worlds_fork(&fork->connection->client, fork->request_id, fork->wish, &problem);
	server_leave();
	if (!play_allows(play, status, &problem))
		fork_end(fork);
}

/* Whether the world had a state of that hash after the tick, in one of its pasts. */
static bool
was_so(const struct play_world *world, uint64_t tick, uint64_t hash)
{
	for (size_t i = 0; i < world->past_count; i++)
		if (tick < PAST_TICKS && world->past[i].seen[tick] && world->past[i].hash[tick] == hash)
			return true;
	return false;
}

static void
fork_check(struct play *play, const struct play_fork *fork, struct shared_bytes *state)
{
	struct wire_problem problem = { .status = STATUS_OK };
	fork_wish_give(fork->wish, state);
	assert_int_equal(fork_wish_make(play->worlds, fork->wish, &problem), STATUS_OK);
	const struct world_start *start = fork->wish->start;
	assert_int_equal(world_start_tick(start), fork->tick);
	assert_int_equal(start->owners.count, 0);
	/* Of a world that goes back, what was seen first need not be what was in the end. */
	if (fork->world->model.history > 0)
		return;
	assert_true(play_unseen(fork->world, fork->tick) || was_so(fork->world, fork->tick, start->hash));
	play->forks++;
}

void
fork_tell(const struct play_connection *connection, uint64_t request_id, struct shared_bytes *state,
          const struct wire_problem *problem)
{
	struct play_fork *fork = NULL;
	for (size_t i = 0; i < FORKS; i++)
		if (play_here->fork[i].connection == connection && play_here->fork[i].request_id == request_id)
			fork = &play_here->fork[i];
	assert_non_null(fork);
	if (!fork)
		return;
	if (state)
		fork_check(play_here, fork, state);
	else
		assert_true(strcmp(problem->reason, "TICK_GONE") == 0 || strcmp(problem->reason, "WORLD_GONE") == 0 ||
		            play_memory_reason(problem->reason));
	fork_end(fork);
}

void
forks_forget(struct play *play, const struct play_connection *connection)
{
	for (size_t i = 0; i < FORKS; i++)
		if (play->fork[i].connection == connection)
			fork_end(&play->fork[i]);
}
