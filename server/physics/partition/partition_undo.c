/* Happy path: each body that an event of a domain is about to write is logged once, until the next tick. What can go wrong:
 * memory (the domain's world fails). */
#include "physics/partition/partition.h"
#include "physics/world/body_rule.h"

#include <assert.h>
#include <string.h>

/* The bookkeeping of body_info within a tick is its first cache line. Behind it, events change only what
 * is kept by itself, and kept_vx and kept_vy. The latter mean nothing for a free body, and before the domains all bodies are
 * free. */
#define BOOKKEEPING_BYTES 64
static_assert(offsetof(struct body_info, inverse_mass) == BOOKKEEPING_BYTES, "what is kept of a body is its first line");

struct domain_undo_entry {
	struct body body;
	uint8_t bookkeeping[BOOKKEEPING_BYTES];
	double angle, spin, released;
	uint32_t index, epoch;
	uint8_t clean, is_free, ignore;
};

void
domain_log(struct domain *domain, uint32_t body)
{
	const struct world *world = &domain->world;
	const struct body_info *info = &world->bodies.infos[body];

	if (domain->all->touched[body] == domain->all->touch)
		return;
	if (!array_reserve(&domain->kept, &domain->kept_capacity, domain->kept_count + 1, sizeof *domain->kept)) {
		domain->world.failed = true;
		return;
	}

	struct domain_undo_entry *kept = &domain->kept[domain->kept_count++];

	lines_fetch_ahead(kept, sizeof *kept, DOMAIN_AHEAD);
	domain->all->touched[body] = domain->all->touch;
	kept->body = world->bodies.paths[body];
	memcpy(kept->bookkeeping, info, BOOKKEEPING_BYTES);
	kept->angle = info->angle;
	kept->spin = info->spin;
	kept->released = info->released;
	kept->ignore = world->bodies.rules ? world->bodies.rules[body].ignore : (uint8_t)IGNORE_NONE;
	kept->index = body;
	kept->clean = world->bodies.clean[body];
	kept->is_free = world->bodies.marks[body].is_free;
	kept->epoch = world->bodies.marks[body].epoch;
}

void
domain_undo(struct domain *domain)
{
	for (size_t k = 0; k < domain->kept_count && !pause_after(BODY_UNITS); k++) {
		const struct domain_undo_entry *kept = &domain->kept[k];
		struct body_info *info = &domain->world.bodies.infos[kept->index];

		domain->world.bodies.paths[kept->index] = kept->body;
		memcpy(info, kept->bookkeeping, BOOKKEEPING_BYTES);
		domain->world.bodies.clean[kept->index] = kept->clean;
		domain->world.bodies.marks[kept->index].is_free = kept->is_free;
		domain->world.bodies.marks[kept->index].epoch = kept->epoch;
		info->angle = kept->angle;
		info->spin = kept->spin;
		info->released = kept->released;
		if (domain->world.bodies.rules)
			domain->world.bodies.rules[kept->index].ignore = kept->ignore;
	}
}

size_t
domain_kept_bytes(const struct domain *domain)
{
	return domain->kept_capacity * sizeof *domain->kept;
}
