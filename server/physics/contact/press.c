/* What friction leaves of the normal impulses. They are found before it. Where it carries a body off one of the contacts that
 * struck it (a disc that spins in a corner is lifted off the floor by the wall), that contact has pressed too much: it would
 * throw the body up, though it gives no rebound. Gravity would bring the body back, and so on; and where a place is rounded to
 * more than such a hop is high, the hops do not even get smaller. They meet the cap of events.
 *
 * So a contact without rebound that parts gives back the part of its impulse that drives it apart (impulse >= 0, no approach,
 * and no impulse beyond what ends the approach: the complementarity of an inelastic contact). Each such step takes energy.
 * Friction is bounded by less after it, and both take turns (impulse.c). Where a contact would have to give back all of it,
 * friction throws the body off: it is left as it is. */
#include "physics/contact/cluster.h"

/* Passes over a cluster; what they leave the next turn sees. */
#define PASSES_MAX 16

/* Of what rests although it parts: slower is slow enough. */
#define TRACE_PART 0.25

/* Whether a pair was to end its approach and no more, and parts by more than a trace, by *surplus of its impulse. */
static bool
pair_presses(const struct cluster *cluster, const struct pair *pair, double *surplus)
{
	double speed, sum = pair_inverse_mass(pair);

	if (!(pair->impulse > 0.0) || pair->effective != 0.0 || !(sum > 0.0))
		return false;
	speed = pair_speed(cluster, pair);
	/* Most do not part. */
	if (!(speed > cluster->speed_scale * REST_PART) || !(speed > TRACE_PART * pair_trace(cluster, pair)))
		return false;
	*surplus = speed / sum;
	/* What is left of it is told as a contact, so that what changed is told too. */
	return (pair->impulse - *surplus) * sum > cluster->speed_scale * REST_PART;
}

static void
impulse_give_back(struct cluster *cluster, struct pair *pair, double surplus)
{
	struct member *i = &cluster->members[pair->i];
	double by_i = surplus * pair->inverse_i, by_j = surplus * pair->inverse_j;

	i->vx -= by_i * pair->nx;
	i->vy -= by_i * pair->ny;
	if (pair->j != NONE) {
		struct member *j = &cluster->members[pair->j];

		j->vx += by_j * pair->nx;
		j->vy += by_j * pair->ny;
	}
	pair->impulse -= surplus;
}

/* Whether something has RESPONSE_STOP: friction that stops whatever slides is bounded by no impulse, and is to have its way. */
static bool
something_stops(const struct cluster *cluster)
{
	for (size_t k = 0; k < cluster->pair_count; k++)
		if (cluster->pairs[k].central)
			return true;
	return false;
}

bool
cluster_press(struct cluster *cluster)
{
	bool any = false, more = !something_stops(cluster);

	for (int pass = 0; pass < PASSES_MAX && more; pass++) {
		if (!work_take(cluster->work, WORK_PRESS * cluster->pair_count))
			break;
		more = false;
		for (size_t k = 0; k < cluster->pair_count; k++) {
			struct pair *pair = &cluster->pairs[k];
			double surplus;

			if (!pair_presses(cluster, pair, &surplus))
				continue;
			impulse_give_back(cluster, pair, surplus);
			more = any = true;
		}
	}
	return any;
}
