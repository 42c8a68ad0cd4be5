/* Sendings: updates on their way to readers, and how long after their ticks were due they had been given to the system.
 *
 * A client that has been told something of a tick is in a list until nothing waits for it any more. Its updates then count for
 * the accounts of their worlds. */
#include "base/memory.h"
#include "worlds/registry/registry_private.h"

/* Of one client; more have no place and are not counted. A reader with so many has not read for long. */
#define SENDINGS_MAX 4096

struct sending {
	uint64_t due_ns;
	struct tenant *tenant; /* NULL: it has no worlds any more */
};

void
sending_note(struct worlds_client *client, const struct hosted *world, uint64_t due_ns)
{
	if (due_ns == 0 || client->sending_count >= SENDINGS_MAX)
		return;
	if (client->sending_count == client->sending_room) {
		size_t room = client->sending_room == 0 ? 8 : 2 * client->sending_room;
		struct sending *more = memory_resize(client->sendings, room * sizeof *more);
		if (!more)
			return;
		client->sendings = more;
		client->sending_room = room;
	}
	if (client->sending_count == 0) {
		client->next_sending = client->worlds->sending;
		client->worlds->sending = client;
	}
	client->sendings[client->sending_count++] = (struct sending){ due_ns, world->tenant };
}

static void
sendings_count(struct worlds_client *client, uint64_t now_ns)
{
	for (size_t i = 0; i < client->sending_count; i++) {
		const struct sending *sending = &client->sendings[i];
		struct tenant *tenant = sending->tenant;
		if (tenant && !tenant->sent)
			tenant->sent = memory_zeroed(1, sizeof *tenant->sent);
		if (tenant && tenant->sent)
			tenant->sent->count[delay_counter(now_ns > sending->due_ns ? now_ns - sending->due_ns : 0)]++;
	}
	client->sending_count = 0;
}

void
worlds_on_sent(struct worlds *worlds)
{
	if (!worlds->sending)
		return;
	uint64_t now_ns = worlds->options.host.now_ns();
	for (struct worlds_client **link = &worlds->sending; *link;) {
		struct worlds_client *client = *link;
		if (worlds->options.upward->waiting(client->context) > 0) {
			link = &client->next_sending;
			continue;
		}
		*link = client->next_sending;
		sendings_count(client, now_ns);
	}
}

void
sendings_drop(struct worlds_client *client)
{
	struct worlds_client **link = client->worlds ? &client->worlds->sending : NULL;
	while (client->sending_count > 0 && *link != client)
		link = &(*link)->next_sending;
	if (client->sending_count > 0)
		*link = client->next_sending;
	client->sending_count = client->sending_room = 0;
	memory_free(client->sendings);
	client->sendings = NULL;
}

void
sendings_forget(struct worlds *worlds, const struct tenant *tenant)
{
	for (struct worlds_client *client = worlds->sending; client; client = client->next_sending)
		for (size_t i = 0; i < client->sending_count; i++)
			if (client->sendings[i].tenant == tenant)
				client->sendings[i].tenant = NULL;
}
