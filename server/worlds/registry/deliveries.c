/* Snapshots on their way to clients. A client is given a part when it has read the one before. So a slow reader costs the
 * snapshot's bytes, charged to its account, and not those of messages as well. Deliveries outlive their world. */
#include "base/memory.h"
#include "worlds/registry/registry_private.h"

/* Bytes of a part: so few that the client's requests are still read, though one waits. */
#define PART_BYTES 32768u
/* Parts that are given at once, so that the loop sees to others in between. */
#define PARTS_AT_ONCE 16

struct delivery {
	struct delivery *next;
	uint64_t request_id, tick;
	struct shared_bytes *whole; /* held */
	size_t sent;
};

static const struct worlds_upward *
upward_of(const struct worlds_client *client)
{
	return client->worlds->options.upward;
}

bool
delivery_begin(struct worlds_client *client, uint64_t request_id, uint64_t tick, struct shared_bytes *whole)
{
	struct delivery *delivery = memory_zeroed(1, sizeof *delivery), **end = &client->deliveries;
	if (!delivery)
		return false;
	*delivery = (struct delivery){ .request_id = request_id, .tick = tick, .whole = shared_bytes_hold(whole) };
	while (*end)
		end = &(*end)->next;
	*end = delivery;
	client->ask_count++;
	upward_of(client)->account_charge(client->account, 0, whole->count);
	return true;
}

struct delivery **
delivery_find(struct worlds_client *client, uint64_t request_id)
{
	struct delivery **link = &client->deliveries;
	while (*link && (*link)->request_id != request_id)
		link = &(*link)->next;
	return *link ? link : NULL;
}

void
delivery_end(struct worlds_client *client, struct delivery **link)
{
	struct delivery *delivery = *link;
	*link = delivery->next;
	client->ask_count--;
	upward_of(client)->account_charge(client->account, delivery->whole->count, 0);
	shared_bytes_release(delivery->whole);
	memory_free(delivery);
}

/* The next part; the last one is the final reply. */
static void
part_send(const struct worlds_client *client, struct delivery *delivery)
{
	Collide__V1__Snapshot part = COLLIDE__V1__SNAPSHOT__INIT;
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	union {
		const uint8_t *in;
		uint8_t *out;
	} bytes = { delivery->whole->bytes + delivery->sent };
	size_t left = delivery->whole->count - delivery->sent;
	part.tick = delivery->tick;
	part.data.len = left < PART_BYTES ? left : PART_BYTES;
	part.data.data = bytes.out;
	part.size = delivery->whole->count;
	part.more = left > part.data.len;
	delivery->sent += part.data.len;
	message.request_id = delivery->request_id;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_SNAPSHOT;
	message.snapshot = &part;
	upward_of(client)->reply(client->context, &message, !part.more);
}

bool
worlds_client_deliver(struct worlds_client *client)
{
	for (unsigned i = 0; client->deliveries && upward_of(client)->has_room(client->context); i++) {
		if (i == PARTS_AT_ONCE)
			return true;
		part_send(client, client->deliveries);
		if (client->deliveries->sent == client->deliveries->whole->count)
			delivery_end(client, &client->deliveries);
	}
	return false;
}
