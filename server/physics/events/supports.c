/* Supports of paths: what rests on what after a cluster, and which paths that changes. */
#include "physics/events/supports.h"

#include "physics/prediction/predict_private.h"

static void
support_add(struct world *world, uint32_t body, uint8_t kind, uint32_t other, int8_t side)
{
	if (!array_reserve(&world->scratch.supports, &world->scratch.support_capacity, world->scratch.support_count + 1,
	                   sizeof *world->scratch.supports)) {
		world->failed = true;
		return;
	}
	world->scratch.supports[world->scratch.support_count] = (struct support){
		.next = world->bodies.infos[body].support,
		.other = other,
		.kind = kind,
		.side = side,
	};
	world->bodies.infos[body].support = (uint32_t)world->scratch.support_count++;
}

/* Notes of a resting pair's side, which the other side supports, whether it did so before. */
static void
support_compare(const struct world *world, struct member *member, uint8_t kind, uint32_t other)
{
	if (supported_by(world, member->body, kind, other))
		member->supports_left--;
	else
		member->supports_change = true;
}

void
supports_compare(const struct world *world, struct cluster *cluster)
{
	bool any = false;

	for (size_t k = 0; k < cluster->member_count; k++) {
		struct member *member = &cluster->members[k];

		member->supports_left = 0;
		member->supports_change = false;
		for (uint32_t s = world->bodies.infos[member->body].support; s != NONE; s = world->scratch.supports[s].next)
			member->supports_left++;
		any = any || member->supports_left > 0;
	}
	for (size_t k = 0; k < cluster->pair_count; k++) {
		const struct pair *pair = &cluster->pairs[k];

		if (!pair->resting)
			continue;
		any = true;
		support_compare(world, &cluster->members[pair->i], pair->kind,
		                pair->j == NONE ? pair->other : cluster->members[pair->j].body);
		if (pair->j != NONE)
			support_compare(world, &cluster->members[pair->j], pair->kind, cluster->members[pair->i].body);
	}
	for (size_t k = 0; any && k < cluster->member_count; k++)
		cluster->members[k].supports_change |= cluster->members[k].supports_left != 0;
}

void
supports_write(struct world *world, const struct cluster *cluster)
{
	for (size_t k = 0; k < cluster->member_count; k++)
		world->bodies.infos[cluster->members[k].body].support = NONE;
	for (size_t k = 0; k < cluster->pair_count; k++) {
		const struct pair *pair = &cluster->pairs[k];

		if (!pair->resting)
			continue;
		if (world->watch && world->watch->touches)
			touch_note_rest(world, pair_tie(cluster, pair), cluster->time);
		support_add(world, cluster->members[pair->i].body, pair->kind,
		            pair->j == NONE ? pair->other : cluster->members[pair->j].body, pair->side);
		if (pair->j != NONE)
			support_add(world, cluster->members[pair->j].body, pair->kind, cluster->members[pair->i].body, pair->side);
	}
}
