#include "session/conversation_worlds.h"

#include "session/session.h"
#include "session/world_replies.h"
#include "worlds/news.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void *
host_start(void *context, struct live_world *live, void *account)
{
	struct conversation_worlds *worlds = context;
	(void)account;
	for (size_t i = 0; i < CONVERSATION_WORLDS; i++) {
		if (!worlds->worlds[i].live) {
			worlds->worlds[i] = (struct conversation_world){ .live = live, .wanted = true };
			return &worlds->worlds[i];
		}
	}
	return NULL;
}

static void
host_want(void *task)
{
	((struct conversation_world *)task)->wanted = true;
}

static void
host_reserve(void *task, uint64_t ns_per_s)
{
	((struct conversation_world *)task)->reserved_ns = ns_per_s;
}

static uint64_t
host_turn_ns(void *task)
{
	return ((struct conversation_world *)task)->turn_ns;
}

static uint64_t
host_first_due_ns(void *task, uint32_t tick_hz, uint64_t now_ns)
{
	(void)task;
	(void)tick_hz;
	return now_ns + 1;
}

uint64_t conversation_worlds_cpu_step_ns;
static uint64_t cpu_ns;

static uint64_t
host_cpu_ns(void)
{
	return cpu_ns += conversation_worlds_cpu_step_ns;
}

static uint8_t random_next;

/* No secret: the same in each conversation. */
static void
host_random(uint8_t *out, size_t count)
{
	for (size_t i = 0; i < count; i++)
		out[i] = ++random_next;
}

void
conversation_worlds_start(struct conversation_worlds *worlds, struct service *service)
{
	*worlds = (struct conversation_worlds){ .service = service };
	random_next = 0;
	conversation_worlds_cpu_step_ns = 0;
	const struct map_store_options maps = { .maps_max = service->limits.worlds.maps_max,
		                                    .account_hold = session_worlds_upward.account_hold,
		                                    .account_release = session_worlds_upward.account_release,
		                                    .account_charge = session_worlds_upward.account_charge,
		                                    .account_check = session_worlds_upward.account_check,
		                                    .now_ns = service->now_ns };
	worlds->maps = map_store_create(&maps);
	const struct worlds_options options = {
		.limits = service->limits.worlds,
		.scene_limits = &service->limits.scene,
		.host = { host_start, host_want, host_reserve, host_turn_ns, host_first_due_ns, service->now_ns, host_cpu_ns, NULL,
		          host_random, 2, worlds },
		.upward = &session_worlds_upward,
		.maps = worlds->maps,
		.epoch_first = 7,
	};
	service->worlds = worlds_create(&options);
	assert_true(worlds->maps && service->worlds);
}

static bool
turn_is_due(const struct conversation_worlds *worlds, const struct conversation_world *world)
{
	return world->live && (world->wanted || (world->due_ns != 0 && world->due_ns <= worlds->service->now_ns()));
}

static struct news *
turn(struct conversation_worlds *worlds, struct conversation_world *world)
{
	world->wanted = false;
	struct live_turn done = live_world_turn(world->live, worlds->service->now_ns(), worlds->workspace, NULL);
	world->due_ns = done.next == TURN_AT ? done.due_ns : 0;
	world->wanted = world->wanted || done.next == TURN_SOON;
	if (done.next == TURN_ENDED) {
		live_world_destroy(world->live);
		*world = (struct conversation_world){ .live = NULL };
	}
	return done.news;
}

void
conversation_worlds_hear(struct conversation_worlds *worlds, struct news *news)
{
	if (news)
		worlds_on_news(worlds->service->worlds, news);
	session_settle_returned(worlds->service);
}

void
conversation_worlds_run(struct conversation_worlds *worlds)
{
	for (size_t i = 0; i < CONVERSATION_WORLDS; i++)
		while (turn_is_due(worlds, &worlds->worlds[i]))
			conversation_worlds_hear(worlds, turn(worlds, &worlds->worlds[i]));
}

struct news *
conversation_worlds_turns(struct conversation_worlds *worlds)
{
	struct news *first = NULL;
	for (size_t i = 0; i < CONVERSATION_WORLDS; i++) {
		struct news *news = turn_is_due(worlds, &worlds->worlds[i]) ? turn(worlds, &worlds->worlds[i]) : NULL;
		if (news)
			news->next = first, first = news;
	}
	return first;
}

void
conversation_worlds_run_together(struct conversation_worlds *worlds)
{
	conversation_worlds_hear(worlds, conversation_worlds_turns(worlds));
}

void
conversation_worlds_finish(struct conversation_worlds *worlds)
{
	worlds_end_all(worlds->service->worlds);
	conversation_worlds_run(worlds);
	worlds_destroy(worlds->service->worlds);
	worlds->service->worlds = NULL;
	map_store_destroy(worlds->maps);
}
