/* Correction of the normal impulses by friction. They are computed before it. Friction may carry a body off one of the contacts
 * that struck it: a disc that spins in a corner is lifted off the floor by the wall. Then that contact has pressed too much: it
 * would throw the body up, though it gives no rebound. Gravity would bring the body back, and so on. Where a place is rounded
 * by more than the height of such a hop, the hops do not even get smaller, and reach the limit of events.
 *
 * So a contact without rebound that separates gives back the part of its impulse that separates it. The conditions are impulse
 * >= 0, no approach, and no impulse beyond what ends the approach: the complementarity of an inelastic contact. Each such step
 * takes energy. Friction has a smaller bound after it, and both alternate (impulse.c). If a contact would have to give back all
 * of its impulse, friction throws the body off: then it is left as it is. */
#include "physics/contact/cluster.h"

/* Passes over a cluster; what they leave, the next iteration takes up. */
#define PASSES_MAX 16

/* As a fraction of the speed at which a pair still rests although it separates: below this it is slow enough. */
#define TRACE_PART 0.25

bool
pair_presses(const struct cluster *cluster, const struct pair *pair, double *surplus)
{
	double speed = pair_speed(cluster, pair), sum = pair_inverse_mass(pair);

	/* Most do not separate. */
	if (!(speed > cluster->speed_scale * REST_PART) || !(speed > TRACE_PART * pair_trace(cluster, pair)))
		return false;
	*surplus = speed / sum;
	/* The rest of it is reported as a contact, so that the change is reported too. */
	return (pair->impulse - *surplus) * sum > cluster->speed_scale * REST_PART;
}

static void
impulse_give_back(struct cluster *cluster, struct pair *pair, double surplus)
{
	struct member *i = &cluster->members[pair->i];
	double by_i = surplus * pair->inverse_i, by_j = surplus * pair->inverse_j;

	i->vx -= by_i * pair->nx;
	i->vy -= by_i * pair->ny;
	i->relieved++;
	if (pair->j != NONE) {
		struct member *j = &cluster->members[pair->j];

		j->vx += by_j * pair->nx;
		j->vy += by_j * pair->ny;
		j->relieved++;
	}
	pair->impulse -= surplus;
}

bool
cluster_stops(const struct cluster *cluster)
{
	for (size_t k = 0; k < cluster->pair_count; k++)
		if (cluster->pairs[k].central)
			return true;
	return false;
}

/* Lists the pairs that should only have ended their approach, in cluster->chosen. */
static size_t
pressing_list(struct cluster *cluster)
{
	size_t count = 0;

	for (uint32_t k = 0; k < cluster->pair_count; k++) {
		const struct pair *pair = &cluster->pairs[k];

		if (pair->impulse > 0.0 && pair->effective == 0.0 && pair_inverse_mass(pair) > 0.0)
			cluster->chosen[count++] = k;
	}
	return count;
}

/* How often the velocities of both sides were changed here. */
static uint32_t
pair_changes(const struct cluster *cluster, const struct pair *pair)
{
	return cluster->members[pair->i].relieved + (pair->j == NONE ? 0 : cluster->members[pair->j].relieved);
}

bool
cluster_press(struct cluster *cluster)
{
	bool any = false, more = !cluster_stops(cluster);
	size_t count = more ? pressing_list(cluster) : 0;

	for (int pass = 0; pass < PASSES_MAX && more; pass++) {
		if (!work_take_part(cluster->work, count / WORK_PRESS + 1))
			break;
		more = false;
		for (size_t k = 0; k < count; k++) {
			struct pair *pair = &cluster->pairs[cluster->chosen[k]];
			double surplus;

			/* A pair with sides that have not changed since it was tested does not press now either. */
			if (pass > 0 && pair->tested_at == pair_changes(cluster, pair))
				continue;
			pair->tested_at = pair_changes(cluster, pair);
			if (!pair_presses(cluster, pair, &surplus))
				continue;
			impulse_give_back(cluster, pair, surplus);
			more = any = true;
		}
	}
	return any;
}
