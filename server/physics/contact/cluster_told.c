/* Which impulses of a resolved cluster are reported as contacts: those that change a velocity by more than rounding, or turn a
 * body. What can go wrong: nothing. */
#include "physics/contact/cluster.h"

#include <math.h>

/* Changes of speed below this fraction of the speeds around are the separation of rounding (separation.c), not worth a
 * contact. */
#define LIFT_PART 0x1p-49

static void
pair_note(struct cluster *cluster, struct pair *pair)
{
	pair->told = true;
	cluster->members[pair->i].told = true;
	if (pair->j != NONE)
		cluster->members[pair->j].told = true;
}

bool
pair_is_worth_it(const struct cluster *cluster, const struct pair *pair)
{
	double sum = cluster->members[pair->i].inverse_mass;

	if (pair->j != NONE)
		sum += cluster->members[pair->j].inverse_mass;
	return pair->impulse * sum > cluster->speed_scale * LIFT_PART || pair->friction_impulse != 0.0 ||
	       pair->rolling_impulse != 0.0;
}

/* Several impulses, each of which is rounding, may together be more than that. Then all that press on the member are
 * reported. */
static void
lifts_tell(struct cluster *cluster)
{
	bool any = false;

	for (size_t k = 0; k < cluster->member_count; k++) {
		struct member *m = &cluster->members[k];

		m->lifted = !m->told && fabs(m->vx - m->before_x) + fabs(m->vy - m->before_y) > cluster->speed_scale * LIFT_PART;
		any = any || m->lifted;
	}
	for (size_t k = 0; any && k < cluster->pair_count; k++) {
		struct pair *pair = &cluster->pairs[k];

		if (pair->impulse > 0.0 && (cluster->members[pair->i].lifted || (pair->j != NONE && cluster->members[pair->j].lifted)))
			pair_note(cluster, pair);
	}
}

void
cluster_tell(struct cluster *cluster)
{
	for (size_t k = 0; k < cluster->pair_count; k++)
		if (pair_is_worth_it(cluster, &cluster->pairs[k]))
			pair_note(cluster, &cluster->pairs[k]);
	if (cluster->pair_count > 1)
		lifts_tell(cluster);
}
