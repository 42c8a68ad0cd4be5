/* Friction of a cluster, after its normal impulses are known: Coulomb's law and rolling resistance for every pair with an
 * impulse. By the principle of maximum dissipation the tangential impulses are those within the pairs' bounds that leave the
 * least kinetic energy. They are computed pair by pair with projected Gauss-Seidel. Each step minimizes the energy over one
 * impulse, so that it can only fall, even where the steps end before they converge.
 *
 * In a cluster of several pairs friction changes the normal impulses, and these its bounds. There both are found in the same
 * sweeps (cluster_relax). To solve each exactly with the other fixed, in turns, takes three to five times the work.
 *
 * What can go wrong: nothing; in a cluster of many pairs a little sliding may remain that friction could have stopped. */
#include "physics/contact/cluster.h"
#include "physics/geometry/toi.h"
#include "physics/math/larger.h"

#include <math.h>

/* Passes over a cluster; one does for a single pair without rolling resistance. With it slip and rolling are solved
 * alternately, and each pass leaves 1 / (1 + I / m r^2) of the rest. For a disc that is 2/3, so that 70 passes are enough; this
 * many suffice for an I of m r^2 / 8. */
#define PASSES_MAX 256
/* The passes end when no slip changes by more than this fraction of the speeds around. */
#define PASS_PART 0x1p-40
/* The most sweeps over all impulses of a cluster. For a body alone, as a disc in a notch, it is the first. For others it is the
 * second divided by the pairs, and the third at least. They end when no speed changes by more than the fourth. In a jam they
 * converge slowly or not at all, and more of them were half of the work of the worst rooms. */
#define SWEEPS_ALONE 64
#define SWEEP_PAIRS_MAX 48
#define SWEEPS_MIN 5
#define RELAX_PART 0x1p-20
/* Passes of a sweep that reduce normal impulses. */
#define PRESSES_MAX 2

/* How far from the centre friction acts. */
static double
pair_lever(const struct pair *pair, const struct member *member)
{
	return pair->central ? 0.0 : member->radius;
}

/* Whether any impulse may act along the tangent. The unlimited friction of RESPONSE_STOP must not be caused by rounding. */
static bool
pair_rubs(const struct cluster *cluster, const struct pair *pair, double inverse)
{
	double least = pair->central ? cluster->speed_scale * ROUNDING_PART : 0.0;

	return pair->friction > 0.0 && inverse > 0.0 && pair->impulse * inverse > least;
}

__attribute__((always_inline)) static inline double
clamp(double value, double bound)
{
	return value > bound ? bound : value < -bound ? -bound : value;
}

/* What a pair has throughout the passes. */
static struct rub
rub_of(struct cluster *cluster, struct pair *pair)
{
	struct member *i = &cluster->members[pair->i], *j = pair->j == NONE ? NULL : &cluster->members[pair->j];
	struct rub rub = {
		.pair = pair,
		.i = i,
		.j = j,
		.lever_i = pair_lever(pair, i),
		.lever_j = j ? pair_lever(pair, j) : 0.0,
		.turn_i = i->inverse_inertia * pair->yield_i,
		.turn_j = j ? j->inverse_inertia * pair->yield_j : 0.0,
		.bound = pair->friction * pair->impulse,
	};

	rub.inverse = pair->inverse_i + rub.lever_i * rub.lever_i * rub.turn_i;
	if (j)
		rub.inverse += pair->inverse_j + rub.lever_j * rub.lever_j * rub.turn_j;
	rub.slips = pair_rubs(cluster, pair, rub.inverse);
	rub.inverse_roll = rub.turn_i + rub.turn_j;
	rub.rolls = pair->rolling > 0.0 && rub.inverse_roll > 0.0;
	return rub;
}

/* The relative speed of the two surfaces along the tangent, which is the normal turned left. */
__attribute__((always_inline)) static inline double
rub_slip(const struct rub *rub)
{
	const struct pair *pair = rub->pair;
	const struct member *i = rub->i, *j = rub->j;
	double turn = -rub->lever_i * i->spin;

	if (j)
		turn -= rub->lever_j * j->spin;
	/* Adding 0 could still change the sign of a zero. */
	if (pair->surface != 0.0)
		turn += pair->surface;
	return cross_exact_inline(pair->nx, pair->ny, i->vx - (j ? j->vx : pair->wall_vx), i->vy - (j ? j->vy : pair->wall_vy)) +
	       turn;
}

/* Stops the slip as far as the bound allows; returns how much it changed. */
__attribute__((always_inline)) static inline double
slip_stop(struct cluster *cluster, const struct rub *rub)
{
	struct pair *pair = rub->pair;
	struct member *i = rub->i, *j = rub->j;
	double slip = rub_slip(rub);
	double total = clamp(pair->friction_impulse - slip / rub->inverse, rub->bound);
	double change = total - pair->friction_impulse;

	pair->friction_impulse = total;
	cluster->friction_loss += change * (slip + 0.5 * change * rub->inverse);
	i->vx -= change * pair->inverse_i * pair->ny;
	i->vy += change * pair->inverse_i * pair->nx;
	i->spin -= change * rub->lever_i * rub->turn_i;
	if (j) {
		j->vx += change * pair->inverse_j * pair->ny;
		j->vy -= change * pair->inverse_j * pair->nx;
		j->spin -= change * rub->lever_j * rub->turn_j;
	}
	return fabs(change * rub->inverse);
}

/* Stops the rolling of the two surfaces over each other as far as the bound allows; returns how much the spins changed at the
 * surface. */
__attribute__((always_inline)) static inline double
roll_stop(struct cluster *cluster, const struct rub *rub)
{
	struct pair *pair = rub->pair;
	struct member *i = rub->i, *j = rub->j;
	double roll = i->spin - (j ? j->spin : 0.0);
	double total = clamp(pair->rolling_impulse - roll / rub->inverse_roll, pair->rolling * pair->impulse);
	double change = total - pair->rolling_impulse;

	pair->rolling_impulse = total;
	cluster->friction_loss += change * (roll + 0.5 * change * rub->inverse_roll);
	i->spin += change * rub->turn_i;
	if (j)
		j->spin -= change * rub->turn_j;
	return fabs(change * rub->inverse_roll) * pair->radii;
}

/* Lists the pairs on which friction or rolling resistance may act. */
static size_t
rubs_list(struct cluster *cluster)
{
	size_t count = 0;

	for (size_t k = 0; k < cluster->pair_count; k++) {
		struct pair *pair = &cluster->pairs[k];

		if (!(pair->impulse > 0.0) || !(pair->friction > 0.0 || pair->rolling > 0.0))
			continue;
		cluster->rubs[count] = rub_of(cluster, pair);
		count += cluster->rubs[count].slips || cluster->rubs[count].rolls;
	}
	return count;
}

/* One pass over the first `count` of cluster->rubs; the largest change of a slip. */
__attribute__((always_inline)) static inline double
rubs_pass(struct cluster *cluster, size_t count)
{
	double largest = 0.0;

	for (size_t k = 0; k < count; k++) {
		const struct rub *rub = &cluster->rubs[k];

		/* Not a number is no change. */
		double slipped = rub->slips ? slip_stop(cluster, rub) : 0.0;
		largest = slipped > largest ? slipped : largest;
		double rolled = rub->rolls ? roll_stop(cluster, rub) : 0.0;
		largest = rolled > largest ? rolled : largest;
	}
	return largest;
}

/* Passes until nothing changes any more. Whether anything did. */
__attribute__((always_inline)) static inline bool
rubs_run(struct cluster *cluster, size_t count)
{
	bool any = false;

	for (int pass = 0; pass < PASSES_MAX; pass++) {
		if (!work_take_part(cluster->work, WORK_RUB * count))
			break;

		double largest = rubs_pass(cluster, count);

		any = any || largest > cluster->speed_scale * PASS_PART;
		if (!(largest > cluster->speed_scale * PASS_PART))
			break;
	}
	return any;
}

#ifdef MAY_BE_FUSED
__attribute__((target("fma"))) static bool
rubs_run_fused(struct cluster *cluster, size_t count)
{
	return rubs_run(cluster, count);
}
#endif

bool
cluster_friction(struct cluster *cluster)
{
	size_t count = rubs_list(cluster);

#ifdef MAY_BE_FUSED
	if (__builtin_cpu_supports("fma"))
		return rubs_run_fused(cluster, count);
#endif
	return rubs_run(cluster, count);
}

/* --- normal impulses and friction together --- */

/* What the sweeps over a cluster have. */
struct relaxation {
	struct cluster *cluster;
	size_t count; /* of cluster->rubs: the pairs with a side that yields */
	bool presses; /* normal impulses that are too large may be reduced */
};

/* Changes a pair's normal impulse; returns by how much its speed changes. */
__attribute__((always_inline)) static inline double
normal_change(const struct cluster *cluster, struct pair *pair, double change)
{
	struct member *i = &cluster->members[pair->i];

	pair->impulse += change;
	i->vx += change * pair->inverse_i * pair->nx;
	i->vy += change * pair->inverse_i * pair->ny;
	if (pair->j != NONE) {
		struct member *j = &cluster->members[pair->j];

		j->vx -= change * pair->inverse_j * pair->nx;
		j->vy -= change * pair->inverse_j * pair->ny;
	}
	return fabs(change * pair_inverse_mass(pair));
}

/* Gives back what separates pairs without rebound. */
__attribute__((always_inline)) static inline double
press_pass(const struct relaxation *relaxation)
{
	const struct cluster *cluster = relaxation->cluster;
	double largest = 0.0;

	for (size_t k = 0; k < relaxation->count; k++) {
		struct pair *pair = cluster->rubs[k].pair;
		double surplus;

		if (pair->impulse > 0.0 && pair->effective == 0.0 && pair_presses(cluster, pair, &surplus))
			largest = larger(largest, normal_change(cluster, pair, -surplus));
	}
	return largest;
}

/* Ends the approach of pairs. */
__attribute__((always_inline)) static inline double
hold_pass(const struct relaxation *relaxation)
{
	const struct cluster *cluster = relaxation->cluster;
	double largest = 0.0;

	for (size_t k = 0; k < relaxation->count; k++) {
		struct pair *pair = cluster->rubs[k].pair;
		double speed = pair_speed(cluster, pair);

		if (!(speed < -cluster->speed_scale * ROUNDING_PART))
			continue;
		pair_approach_note(cluster, pair, -speed);
		largest = larger(largest, normal_change(cluster, pair, -speed / pair_inverse_mass(pair)));
	}
	return largest;
}

/* One sweep over the pairs; the largest change of a speed. What presses too much gives way before anything is held: otherwise
 * two opposite walls would hold a disc between them, each against the other. */
__attribute__((always_inline)) static inline double
relax_sweep(const struct relaxation *relaxation)
{
	struct cluster *cluster = relaxation->cluster;
	double largest = 0.0;

	for (size_t k = 0; k < relaxation->count; k++) {
		struct rub *rub = &cluster->rubs[k];

		rub->bound = rub->pair->friction * rub->pair->impulse;
		rub->slips = pair_rubs(cluster, rub->pair, rub->inverse);
	}
	largest = rubs_pass(cluster, relaxation->count);
	for (int pass = 0; pass < PRESSES_MAX && relaxation->presses; pass++) {
		double pressed = press_pass(relaxation);

		largest = larger(largest, pressed);
		if (pressed == 0.0)
			break;
	}
	return larger(largest, hold_pass(relaxation));
}

/* Sweeps until nothing changes any more, or they have been enough. Whether anything did. */
__attribute__((always_inline)) static inline bool
relax_run(const struct relaxation *relaxation)
{
	const struct cluster *cluster = relaxation->cluster;
	size_t most = cluster->member_count == 1 ? SWEEPS_ALONE : SWEEP_PAIRS_MAX / (relaxation->count + 1);
	bool any = false;

	most = most < SWEEPS_MIN ? SWEEPS_MIN : most;
	for (size_t sweep = 0; sweep < most; sweep++) {
		if (!work_take_part(cluster->work, WORK_RELAX * relaxation->count))
			break;

		double largest = relax_sweep(relaxation);

		any = any || largest > cluster->speed_scale * PASS_PART;
		if (!(largest > cluster->speed_scale * RELAX_PART))
			break;
	}
	return any;
}

#ifdef MAY_BE_FUSED
__attribute__((target("fma"))) static bool
relax_run_fused(const struct relaxation *relaxation)
{
	return relax_run(relaxation);
}
#endif

bool
cluster_relax(struct cluster *cluster)
{
	struct relaxation relaxation = { .cluster = cluster, .presses = !cluster_stops(cluster) };
	bool rubs = false;

	for (size_t k = 0; k < cluster->pair_count; k++) {
		struct pair *pair = &cluster->pairs[k];

		if (!(pair_inverse_mass(pair) > 0.0))
			continue;
		cluster->rubs[relaxation.count++] = rub_of(cluster, pair);
		rubs = rubs || (pair->impulse > 0.0 && (pair->friction > 0.0 || pair->rolling > 0.0));
	}
	if (!rubs)
		return false;
#ifdef MAY_BE_FUSED
	if (__builtin_cpu_supports("fma"))
		return relax_run_fused(&relaxation);
#endif
	return relax_run(&relaxation);
}
