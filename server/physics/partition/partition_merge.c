/* Happy path: the domains' events, each domain's in its own order, are merged by the queue's order. This gives the places of
 * their reports in the real world; the workers that finish the tick copy them there. The result is the serial order: the
 * earliest event of one thread's queue is the earliest of the domains' next events. What can go wrong: memory, or more contacts
 * than the world allows. */
#include "physics/partition/partition.h"

/* Other threads wrote the events: they are prefetched this many ahead. */
#define EVENTS_AHEAD 8

/* Restores the order of a heap of readers in which the one at `hole` may be later than those below it. */
static void
readers_sift(struct domain_reader *readers, size_t count, size_t hole)
{
	struct domain_reader moved = readers[hole];

	for (;;) {
		size_t child = 2 * hole + 1;

		if (child >= count)
			break;
		if (child + 1 < count && event_before(&readers[child + 1].next->event, &readers[child].next->event))
			child++;
		if (!event_before(&readers[child].next->event, &moved.next->event))
			break;
		readers[hole] = readers[child];
		hole = child;
	}
	readers[hole] = moved;
}

static void
reader_take(struct domain_reader *reader, struct world *world)
{
	struct domain_event *taken = reader->next++;

	line_fetch(taken + EVENTS_AHEAD);
	taken->contact_at = world->report.contact_count;
	taken->change_at = world->report.path_change_count;
	world->report.contact_count += taken->contact_end - reader->contact;
	world->report.path_change_count += taken->change_end - reader->change;
	reader->contact = taken->contact_end;
	reader->change = taken->change_end;
	ledger_part_add(world, &taken->ledger);
}

void
domain_report(const struct domain *domain, struct world *world)
{
	const struct world *own = &domain->world;
	size_t contact = 0, change = 0;

	for (size_t k = 0; k < domain->taken_count && !pause_after(8); k++) {
		const struct domain_event *taken = &domain->taken[k];
		size_t contact_at = taken->contact_at, change_at = taken->change_at;

		if (k + DOMAIN_AHEAD < domain->taken_count)
			lines_fetch_ahead(world->report.contacts, sizeof *world->report.contacts,
			                  domain->taken[k + DOMAIN_AHEAD].contact_at);
		lines_fetch_ahead(own->report.contacts, sizeof *own->report.contacts, contact + DOMAIN_AHEAD);
		while (contact < taken->contact_end)
			world->report.contacts[contact_at++] = own->report.contacts[contact++];
		while (change < taken->change_end)
			world->report.path_changes[change_at++] = own->report.path_changes[change++];
	}
}

static bool
reports_reserve(const struct partition *partition, struct world *world)
{
	struct tick_rows *all = &world->report;
	size_t contacts = all->contact_count, changes = all->path_change_count;
	size_t ends = all->end_count + partition->domains[0].world.report.end_count;

	for (size_t s = 0; s <= partition->count; s++) {
		contacts += partition->domains[s].world.report.contact_count;
		changes += partition->domains[s].world.report.path_change_count;
	}
	return contacts <= world->settings.contacts_per_tick_max &&
	       array_reserve(&all->contacts, &all->contact_capacity, contacts, sizeof *all->contacts) &&
	       array_reserve(&all->path_changes, &all->path_change_capacity, changes, sizeof *all->path_changes) &&
	       array_reserve(&all->ends, &all->end_capacity, ends, sizeof *all->ends);
}

static void
counts_add(const struct partition *partition, struct world *world)
{
	for (size_t s = 0; s <= partition->count; s++) {
		const struct world *own = &partition->domains[s].world;

		world->report.events += own->report.events;
		world->report.collisions += own->report.collisions;
		world->report.clusters += own->report.clusters;
		world->report.clips += own->report.clips;
		world->step.work.used += own->step.work.used;
		world->report.cost.looks += own->report.cost.looks;
		world->report.cost.transfers += own->report.cost.transfers;
		world->report.cost.foreseen += own->scratch.queue.pushes;
	}
}

bool
partition_merge(struct partition *partition, struct world *world)
{
	struct domain_reader *readers = partition->readers;
	size_t count = 0;

	if (!reports_reserve(partition, world))
		return false;
	counts_add(partition, world);
	for (size_t s = 0; s <= partition->count; s++) {
		const struct domain *domain = &partition->domains[s];

		if (domain->taken_count > 0)
			readers[count++] = (struct domain_reader){ .next = domain->taken, .end = domain->taken + domain->taken_count };
	}
	for (size_t hole = count / 2; hole-- > 0;)
		readers_sift(readers, count, hole);
	while (count > 0 && !world_pause(world, 8)) {
		reader_take(&readers[0], world);
		if (readers[0].next == readers[0].end)
			readers[0] = readers[--count];
		if (count > 1)
			readers_sift(readers, count, 0);
	}
	return true;
}
