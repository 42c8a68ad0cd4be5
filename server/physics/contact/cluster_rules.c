/* What contact rules make of the members of a cluster. Happy path: the velocities are found as if all bounced; a contact that
 * is told decides what becomes of its two sides. What stops or is removed neither supports nor carries anything from here on.
 * What can go wrong: nothing. */
#include "physics/contact/cluster.h"
#include "physics/world/contact_rules.h"

static uint8_t
fate_of(const struct world *world, uint32_t body, uint8_t group)
{
	const struct body_rule *rule = &world->bodies.rules[body];
	const struct body_info *info = &world->bodies.infos[body];

	if (groups_have(rule->remove_groups, group))
		return FATE_REMOVE;
	return groups_have(rule->stop_groups, group) && info->kind != BODY_STATIC && info->mode != MODE_STOPPED ? FATE_STOP
	                                                                                                        : FATE_NONE;
}

static void
member_judge(struct cluster *cluster, uint32_t index, uint8_t group)
{
	struct member *member = &cluster->members[index];
	uint8_t fate = fate_of(cluster->world, member->body, group);

	member->fate = fate > member->fate ? fate : member->fate;
	cluster->fated = cluster->fated || fate != FATE_NONE;
}

void
cluster_judge(struct cluster *cluster)
{
	const struct world *world = cluster->world;

	cluster_tell(cluster);
	for (size_t k = 0; k < cluster->pair_count; k++) {
		const struct pair *pair = &cluster->pairs[k];

		if (!pair->told)
			continue;
		if (pair->j == NONE) {
			member_judge(cluster, pair->i, world->walls.segments[pair->segment].group);
			continue;
		}
		member_judge(cluster, pair->i, world->bodies.infos[cluster->members[pair->j].body].group);
		member_judge(cluster, pair->j, world->bodies.infos[cluster->members[pair->i].body].group);
	}
	for (size_t k = 0; k < cluster->pair_count && cluster->fated; k++) {
		struct pair *pair = &cluster->pairs[k];

		pair->dropped = cluster->members[pair->i].fate != FATE_NONE ||
		                (pair->j != NONE && cluster->members[pair->j].fate != FATE_NONE);
	}
}
