#include "jobs/clockwork.h"

#include "base/check.h"

/* Of a period of two seconds and more all phases lie in the first of them: to look for a slot takes as many steps. */
#define PHASE_SLOTS_MAX 4096

static bool
due_before(const struct heap_node *a, const struct heap_node *b)
{
	const struct due *x = (const struct due *)a, *y = (const struct due *)b;
	return x->key_ns < y->key_ns || (x->key_ns == y->key_ns && x->order < y->order);
}

static struct due *
clockwork_first(const struct clockwork *clockwork)
{
	return (struct due *)clockwork->heap.least;
}

void
clockwork_init(struct clockwork *clockwork, uint64_t slot_ns)
{
	*clockwork = (struct clockwork){ .slot_ns = slot_ns };
}

void
clockwork_arm_at(struct clockwork *clockwork, struct due *due, uint64_t due_ns, uint64_t key_ns)
{
	CHECK(!due->armed);
	due->due_ns = due_ns;
	due->key_ns = key_ns;
	due->order = clockwork->orders++;
	due->armed = true;
	heap_insert(&clockwork->heap, &due->node, due_before);
}

void
clockwork_arm(struct clockwork *clockwork, struct due *due, uint64_t due_ns, uint64_t now_ns)
{
	clockwork_arm_at(clockwork, due, due_ns, due_ns > now_ns ? due_ns : now_ns);
}

static void
clockwork_remove(struct clockwork *clockwork, struct due *due)
{
	heap_remove(&clockwork->heap, &due->node, due_before);
	due->armed = false;
}

void
clockwork_disarm(struct clockwork *clockwork, struct due *due)
{
	if (due->armed)
		clockwork_remove(clockwork, due);
}

uint64_t
clockwork_wake_ns(const struct clockwork *clockwork)
{
	const struct due *first = clockwork_first(clockwork);
	if (!first)
		return CLOCKWORK_NEVER;
	uint64_t earliest_ns = clockwork->woken_ns + clockwork->slot_ns;
	return first->key_ns > earliest_ns ? first->key_ns : earliest_ns;
}

bool
clockwork_is_due(const struct clockwork *clockwork, uint64_t now_ns)
{
	const struct due *first = clockwork_first(clockwork);
	return first && first->key_ns <= now_ns;
}

/* A slot begins when it was to wake, not when it did: else each delay would move all slots after it. */
void
clockwork_wake(struct clockwork *clockwork, uint64_t now_ns)
{
	uint64_t wake_ns = clockwork_wake_ns(clockwork);
	clockwork->woken_ns = wake_ns < now_ns ? wake_ns : now_ns;
}

struct due *
clockwork_take(struct clockwork *clockwork, uint64_t now_ns)
{
	struct due *first = clockwork_first(clockwork);
	if (!first || first->key_ns > now_ns)
		return NULL;
	clockwork_remove(clockwork, first);
	return first;
}

static uint64_t
bits_reversed(uint64_t number, unsigned bits)
{
	uint64_t reversed = 0;
	for (unsigned i = 0; i < bits; i++)
		reversed |= (number >> i & 1) << (bits - 1 - i);
	return reversed;
}

/* The order-th slot, order < slots: as van der Corput's sequence takes them, halves first, then quarters, eighths and so on.
 * Its numbers beyond the slots are passed over. */
static uint64_t
slot_spread(uint64_t order, uint64_t slots)
{
	unsigned bits = 0;
	while (UINT64_C(1) << bits < slots)
		bits++;
	for (uint64_t number = 0;; number++) {
		uint64_t slot = bits_reversed(number, bits);
		if (slot < slots && order-- == 0)
			return slot;
	}
}

uint64_t
clockwork_phase_ns(uint64_t order, unsigned keeper, unsigned keepers, uint64_t period_ns, uint64_t slot_ns)
{
	CHECK(keepers > 0 && keeper < keepers && period_ns > 0);
	uint64_t slots = slot_ns > 0 && period_ns > slot_ns ? period_ns / slot_ns : 1;
	if (slots > PHASE_SLOTS_MAX)
		slots = PHASE_SLOTS_MAX;
	uint64_t slot = slot_spread(order / CLOCKWORK_PHASE_GROUP % slots, slots);
	uint64_t width_ns = slots > 1 ? slot_ns : period_ns;
	return slot * width_ns + width_ns * keeper / keepers;
}
