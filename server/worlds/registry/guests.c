#include "worlds/registry/guests.h"

#include "base/check.h"
#include "base/memory.h"

/* To each that is left, one may have so many. */
#define GUEST_PARTS 15

struct guest *
guest_enter(struct hosted *world, const struct worlds_client *client)
{
	struct guest *guest = world->guests;
	while (guest && guest->account != client->account)
		guest = guest->next;
	if (guest)
		return guest;
	guest = memory_zeroed(1, sizeof *guest);
	if (!guest)
		return NULL;
	*guest = (struct guest){ .next = world->guests, .account = client->account };
	world->guests = guest;
	world->own_bytes += sizeof *guest;
	world->worlds->options.upward->account_hold(guest->account);
	return guest;
}

enum status
guest_come(const struct hosted *world, struct guest *guest, struct wire_problem *problem)
{
	const struct worlds *worlds = world->worlds;
	uint64_t now_ns = worlds->options.host.now_ns(), each_ns = NS_PER_S / worlds->options.limits.joins_per_second_max;
	uint64_t until_ns = (guest->paid_until_ns > now_ns ? guest->paid_until_ns : now_ns) + each_ns;
	uint64_t most_ns = now_ns + WORLDS_JOINS_BURST_MS * NS_PER_MS;
	if (until_ns <= most_ns) {
		guest->paid_until_ns = until_ns;
		return STATUS_OK;
	}
	(void)wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "RATE", "",
	                       "this address attaches and subscribes to the world more often than it may, %u times a second",
	                       worlds->options.limits.joins_per_second_max);
	problem->retry_after_ms = (uint32_t)((until_ns - most_ns) / NS_PER_MS + 1);
	return problem->status;
}

bool
guest_may_have(uint64_t own, uint64_t more, uint64_t left)
{
	/* Ids are 32 bits, and all else is less. */
	return more <= left && own + more <= GUEST_PARTS * (left - more + 1);
}

static uint64_t
left_of(uint64_t most, uint64_t taken)
{
	return taken < most ? most - taken : 0;
}

bool
guest_may_wait(const struct hosted *world, const struct guest *guest, size_t bytes)
{
	uint64_t most = batches_waiting_most(&world->worlds->options.limits);
	return guest_may_have(guest->waiting, 1, left_of(most, world->guests_waiting)) &&
	       guest_may_have(guest->waiting_bytes, bytes, left_of(WORLDS_GUESTS_WAITING_BYTES_MAX, world->guests_waiting_bytes));
}

void
guest_waits(struct hosted *world, struct guest *guest, uint64_t count, uint64_t bytes)
{
	if (!guest)
		return;
	guest->waiting += count;
	guest->waiting_bytes += bytes;
	world->guests_waiting += count;
	world->guests_waiting_bytes += bytes;
}

void
guest_decided(struct hosted *world, struct guest *guest, uint64_t count, uint64_t bytes)
{
	if (!guest)
		return;
	CHECK(count <= guest->waiting && bytes <= guest->waiting_bytes);
	guest->waiting -= count;
	guest->waiting_bytes -= bytes;
	world->guests_waiting -= count;
	world->guests_waiting_bytes -= bytes;
}

/* Whether it reads the encoding, and no other does. */
static bool
reads_alone(const struct hosted *world, const struct guest *guest, const struct encoder_use *encoder)
{
	bool reads = false;
	for (const struct subscription *each = world->subscriptions; each; each = each->next) {
		if (each->encoder != encoder && each->next_encoder != encoder)
			continue;
		if (each->guest != guest)
			return false;
		reads = true;
	}
	return reads;
}

size_t
guest_encodings(const struct hosted *world, const struct guest *guest)
{
	size_t count = 0;
	for (const struct encoder_use *encoder = world->encoders; encoder; encoder = encoder->next)
		count += encoder->readers > 0 && encoder->options.region.kind == REGION_ALL && reads_alone(world, guest, encoder);
	return count;
}

static void
guest_free(struct hosted *world, struct guest **link)
{
	struct guest *guest = *link;
	*link = guest->next;
	world->own_bytes -= sizeof *guest;
	world->worlds->options.upward->account_release(guest->account);
	memory_free(guest);
}

void
guests_on_time(struct hosted *world)
{
	uint64_t now_ns = world->worlds->options.host.now_ns();
	for (struct guest **link = &world->guests; *link;) {
		const struct guest *guest = *link;
		if (guest->seats + guest->subscriptions == 0 && guest->ids == 0 && guest->waiting == 0 &&
		    guest->paid_until_ns <= now_ns)
			guest_free(world, link);
		else
			link = &(*link)->next;
	}
}

void
guests_drop(struct hosted *world)
{
	while (world->guests)
		guest_free(world, &world->guests);
}
