#include "worlds/registry/give_way.h"

/* Whether it has more than `own` and one more, which another is about to have. */
static bool
has_more(size_t has, size_t own)
{
	return has > own + 1;
}

static bool
is_unused(const struct seat *seat, uint64_t now_ns)
{
	uint64_t ttl_ns = seat->world->policy.seat_ttl_ms * NS_PER_MS;
	return !seat->client || (now_ns > seat->heard_ns && now_ns - seat->heard_ns > ttl_ns);
}

/* Whether it is to end before the other one. */
static bool
goes_first(const struct seat *seat, const struct seat *other)
{
	if (seat->guest->seats != other->guest->seats)
		return seat->guest->seats > other->guest->seats;
	if (!seat->client != !other->client)
		return !seat->client;
	return seat->client ? seat->heard_ns < other->heard_ns : seat->left_ns < other->left_ns;
}

struct seat *
seat_to_give_way(const struct hosted *world, const struct guest *guest, uint64_t now_ns)
{
	struct seat *first = NULL;
	for (struct seat *seat = world->seats; seat; seat = seat->next) {
		bool may = seat->guest && has_more(seat->guest->seats, guest->seats) && is_unused(seat, now_ns);
		if (may && (!first || goes_first(seat, first)))
			first = seat;
	}
	return first;
}

struct subscription *
reader_to_give_way(const struct hosted *world, const struct guest *guest)
{
	struct subscription *newest = NULL;
	for (struct subscription *each = world->subscriptions; each; each = each->next) {
		bool may = each->guest && has_more(each->guest->subscriptions, guest->subscriptions);
		if (may && (!newest || each->guest->subscriptions > newest->guest->subscriptions))
			newest = each; /* newer ones come first */
	}
	return newest;
}
