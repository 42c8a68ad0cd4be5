/* Posts to live worlds. */
#include "worlds/registry/registry_private.h"

struct post *
hosted_post(const struct hosted *world, enum post_kind kind, size_t bytes)
{
	struct post *post = post_create(kind, bytes);
	if (post)
		post->arrived_ns = world->worlds->options.host.now_ns();
	return post;
}

void
post_send(struct hosted *world, struct post *post, bool now)
{
	live_world_post(world->live, post);
	if (now || world->policy.clock != WORLD_CLOCK_SERVER || world->stats.failed)
		world->worlds->options.host.want(world->task);
}

void
post_clock_send(struct hosted *world, struct post *post, const struct world_policy *policy)
{
	const struct worlds_host *host = &world->worlds->options.host;
	post->clock.clock = policy->clock;
	post->clock.tick_hz = policy->tick_hz;
	post->clock.base_ns = host->first_due_ns(world->task, policy->tick_hz, post->arrived_ns);
	/* Until its next news says so: clients that attach meanwhile aim by it. */
	if (policy->clock == WORLD_CLOCK_SERVER && !policy->pause_unseen)
		world->stats.next_due_ns = post->clock.base_ns;
	post_send(world, post, true);
}
