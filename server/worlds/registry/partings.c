/* The last that seats are told: what tick and hash their world stood at when it ended, or was handed over. */
#include "worlds/registry/registry_private.h"

#include <string.h>

bool
parting_create(const struct seat *seat, const char *reason, uint64_t handover)
{
	struct ask *ask = ask_create(seat->world, seat->client, ASK_PARTING, seat->request_id);
	if (!ask)
		return false;
	ask->parting = reason;
	ask->parting_from = handover;
	return true;
}

void
detached_tell(const struct worlds_client *client, uint64_t request_id, uint64_t tick, uint64_t hash, const char *reason)
{
	Collide__V1__Detached detached = COLLIDE__V1__DETACHED__INIT;
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	char text[32];
	(void)strncpy(text, reason, sizeof text - 1);
	text[sizeof text - 1] = '\0';
	detached.tick = tick;
	detached.hash = hash;
	detached.reason = text;
	message.request_id = request_id;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_DETACHED;
	message.detached = &detached;
	client->worlds->options.upward->reply(client->context, &message, true);
}

/* The session looks again what it still waits for. */
static void
parting_tell(struct hosted *world, struct ask *ask, uint64_t tick, uint64_t hash)
{
	struct worlds_client *client = ask->client;
	if (client)
		detached_tell(client, ask->request_id, tick, hash, ask->parting);
	ask_free(world, ask);
}

void
partings_end(struct hosted *world)
{
	const struct world_stats *stats = &world->stats;
	uint64_t hash = stats->hash_tick == stats->tick && !stats->failed ? stats->hash : 0;
	for (struct ask *next = NULL, *ask = world->asks; ask; ask = next) {
		next = ask->next;
		if (ask->kind == ASK_PARTING) {
			parting_tell(world, ask, stats->tick, hash);
		} else {
			if (ask->client)
				reply_info(ask->client, ask->request_id, world);
			ask_free(world, ask);
		}
	}
}

void
partings_hand_over(struct hosted *world, const struct answer *answer)
{
	bool whole = answer->problem.status == STATUS_OK;
	for (struct ask *next = NULL, *ask = world->asks; ask; ask = next) {
		next = ask->next;
		if (ask->kind == ASK_PARTING && ask->parting_from == answer->ask)
			parting_tell(world, ask, whole ? answer->tick : world->stats.tick, whole ? answer->hash : 0);
	}
}
