/* Velocities of a cluster, by generalized reflections (Smith, Kaufman, Vouga, Tamstorf, Grinspun 2012, "Reflections on
 * simultaneous impact"). All approaching pairs are reflected at once, at the velocities at which they would just not approach,
 * and again until no pair approaches. This conserves momentum, and energy at restitution 1; it terminates (Vouga et al. 2017).
 * Pairs that share bodies have one restitution in a reflection, the lowest of those that get an impulse: mixed ones can gain
 * energy.
 *
 * What can go wrong: with restitution < 1 it may converge without terminating. After REFLECTIONS_MAX all that touches is then
 * projected at once, at restitution 0. A body may also be between immovable things, exactly or to rounding; then it is
 * crushed. */
#include "physics/contact/cluster.h"
#include "physics/geometry/toi.h"

#include <math.h>

/* Reflections before restitution is dropped where it is < 1 or something kinematic adds energy. They converge geometrically,
 * and 64 leave 2^-64 at a factor of 1/2. */
#define REFLECTIONS_MAX 64
/* Elastic reflections terminate by themselves; what has not by then is parked. */
#define ELASTIC_REFLECTIONS_MAX 4096
/* Reflections without rebound before all that touches is held at once: what they hold makes others approach, and so on. */
#define HOLDS_MAX 2
/* After two contacts have alternated this often, the rest is made at once; less than REFLECTIONS_MAX. */
#define RALLY_TURNS 32
/* Iterations of friction and of the remaining normal impulses, for one pair or two; a single one needs one. */
#define FRICTION_TURNS 8
/* More iterations while some impulse is too large: a disc in a corner gets nearer by the coefficient in each. No more than the
 * second. */
#define FRICTION_TURNS_CALM 5
#define FRICTION_TURNS_MAX 16
/* From so many pairs on friction and normal impulses are computed in common sweeps. */
#define RELAX_PAIRS_MIN 3
/* Times the fastest of some short hops: what coming to rest may change a velocity by. */
#define HOP_CHANGE_MAX 0x1p10
/* Times the speeds before: more than one collision with something immovable can give. */
#define SQUEEZE_FACTOR 4.0

/* A pair that was a short hop rests, or separates by so much that it has bounced. That is final from now on. */
static void
hops_end(struct cluster *cluster)
{
	for (size_t k = 0; k < cluster->pair_count; k++) {
		struct pair *pair = &cluster->pairs[k];

		if (pair->hop)
			pair->effective = pair_restitution(cluster, pair, pair_speed(cluster, pair));
		pair->hop = false;
	}
}

/* The change of pair a's normal speed by an impulse of 1 at pair b. */
static double
coupling(const struct cluster *cluster, const struct pair *a, const struct pair *b)
{
	double turn = a->nx * b->nx + a->ny * b->ny, sum = 0.0;

	if (a->i == b->i)
		sum += cluster->members[a->i].inverse_mass;
	if (a->j != NONE && a->j == b->j)
		sum += cluster->members[a->j].inverse_mass;
	if (b->j != NONE && a->i == b->j)
		sum -= cluster->members[a->i].inverse_mass;
	if (a->j != NONE && a->j == b->i)
		sum -= cluster->members[a->j].inverse_mass;
	return sum * turn;
}

/* Whether a pair really approaches, beyond rounding; *speed is its normal speed. */
static bool
approaches(const struct cluster *cluster, const struct pair *pair, double *speed)
{
	*speed = pair_speed(cluster, pair);
	return *speed < -cluster->speed_scale * ROUNDING_PART;
}

enum choice {
	CHOOSE_HOPS,        /* short hops before all else, at restitution 0; if there are none all approaching pairs */
	CHOOSE_APPROACHING, /* all at once */
	CHOOSE_ALL,         /* everything that touches, at restitution 0 */
};

/* Chooses the pairs of the next reflection and its restitution. */
static size_t
reflection_choose(struct cluster *cluster, enum choice choice, double *restitution)
{
	size_t approaching = 0, hops = 0, count = 0;

	*restitution = 1.0;
	for (size_t k = 0; k < cluster->pair_count; k++) {
		struct pair *pair = &cluster->pairs[k];
		double speed;

		pair->approaching = approaches(cluster, pair, &speed);
		if (!pair->approaching)
			continue;
		if (pair->approach == 0.0 || pair->hop)
			pair_approach_set(cluster, pair, -speed);
		if (!pair->hop)
			*restitution = lesser(*restitution, pair->effective);
		hops += pair->hop;
		approaching++;
	}

	bool all = choice == CHOOSE_ALL, rest = hops > 0 && (choice == CHOOSE_HOPS || hops == approaching);

	if (all || rest)
		*restitution = 0.0;
	if (approaching == 0)
		return 0;
	for (uint32_t k = 0; k < cluster->pair_count; k++) {
		const struct pair *pair = &cluster->pairs[k];

		/* At restitution 0 touching pairs that do not bounce are constrained too; otherwise the reflections would not end. */
		if (all || (!rest && approaching == cluster->pair_count) || (pair->approaching && (!rest || pair->hop)) ||
		    (*restitution == 0.0 && (pair->restitution == 0.0 || (pair->approach > 0.0 && pair->effective == 0.0))))
			cluster->chosen[count++] = k;
	}
	return count;
}

/* Whether no two of the chosen pairs share a movable body: then each is solved alone, exactly. */
static bool
reflection_separate(const struct cluster *cluster, size_t n)
{
	for (size_t r = 0; r < n; r++)
		for (size_t c = 0; c < r; c++)
			if (coupling(cluster, &cluster->pairs[cluster->chosen[r]], &cluster->pairs[cluster->chosen[c]]) != 0.0)
				return false;
	return true;
}

/* A single pair, between bodies of masses 1/wi and 1/wj. It works with speeds, not impulses, so that equal masses exchange them
 * exactly. */
static void
pair_reflect(struct cluster *cluster, struct pair *pair, double restitution)
{
	struct member *i = &cluster->members[pair->i];
	double speed = pair_speed(cluster, pair), sum = pair_inverse_mass(pair);

	if (!(speed < 0.0) || !(sum > 0.0))
		return;

	/* The normal's length is 1 up to rounding, but with the same rounding at every hit on the same wall: a million bounces
	 * would gain or lose energy. So the reflection is along this very normal, of this very length. */
	double v[2];

	pair_other_velocity(cluster, pair, v);

	double along = cross_exact(i->vx - v[0], -(i->vy - v[1]), pair->ny, pair->nx);
	double change = -(1.0 + restitution) * along * (1.0 - unit_excess(pair->nx, pair->ny));
	const two normal = two_load(&pair->nx);

	/* Both axes at once, because they are read in this way when the body is written. */
	two_store(&i->vx, two_load(&i->vx) + change * (pair->inverse_i / sum) * normal);
	if (pair->j != NONE) {
		struct member *j = &cluster->members[pair->j];

		two_store(&j->vx, two_load(&j->vx) - change * (pair->inverse_j / sum) * normal);
	}
	pair->impulse += change / sum;
}

static void
crush(struct cluster *cluster, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		const struct pair *pair = &cluster->pairs[cluster->chosen[k]];

		if (!cluster->active[k])
			continue;
		if (cluster->members[pair->i].inverse_mass > 0.0)
			cluster->members[pair->i].crushed = true;
		if (pair->j != NONE && cluster->members[pair->j].inverse_mass > 0.0)
			cluster->members[pair->j].crushed = true;
	}
}

/* The lowest restitution of the chosen pairs to which the solution gives an impulse. If there is none, `lowest`, that of all
 * that approach. A pair that others separate anyway has no part in this, and must not take their rebound. Otherwise a slow
 * contact that rests would cost a fast elastic one beside it all its energy. The same holds for a short hop that they press
 * on. */
static double
restitution_pressing(const struct cluster *cluster, size_t n, double lowest)
{
	double restitution = (double)INFINITY;

	for (size_t k = 0; k < n; k++)
		if (cluster->x[k] > 0.0 && !cluster->pairs[cluster->chosen[k]].hop)
			restitution = fmin(restitution, cluster->pairs[cluster->chosen[k]].effective);
	return restitution < (double)INFINITY ? restitution : lowest;
}

/* Whether elastic pairs, which are to come to rest together because they only hop, would thereby take far more than a hop has.
 * What is jammed between walls, off a straight line by 1e-9 of a radius, approaches so much slower than it goes aside, and
 * would lose half of that. Then they rebound, for good. */
static bool
hops_rebound(struct cluster *cluster, size_t n)
{
	double fastest = 0.0, most = 0.0;

	for (size_t k = 0; k < n; k++) {
		if (cluster->pairs[cluster->chosen[k]].restitution != 1.0)
			return false;
		fastest = larger(fastest, -cluster->rhs[k]);
	}
	for (size_t k = 0; k < cluster->member_count; k++) {
		const double *change = cluster->change + 2 * k;

		most = larger(most, sqrt(cluster->members[k].inverse_mass) * larger(fabs(change[0]), fabs(change[1])));
	}
	if (!(most > HOP_CHANGE_MAX * fastest))
		return false;
	for (size_t k = 0; k < n; k++) {
		cluster->pairs[cluster->chosen[k]].hop = false;
		cluster->pairs[cluster->chosen[k]].effective = 1.0;
	}
	return true;
}

/* One reflection of the chosen pairs, at `restitution` or more unless it must not bounce. False if it is impossible: a body was
 * crushed, or weights have no solution. `fed`: something kinematic pushes, or weights count. */
static bool
reflect(struct cluster *cluster, size_t n, double restitution, bool bounce, bool fed)
{
	bool separate = n == 1 || reflection_separate(cluster, n);

	if (!separate && n == 2 && bounce && restitution == 1.0 && !cluster->weighted &&
	    cluster_turn_back(cluster, &cluster->pairs[cluster->chosen[0]], &cluster->pairs[cluster->chosen[1]]))
		return true;
	if (!separate) {
		for (size_t k = 0; k < n; k++)
			cluster->rhs[k] = pair_speed(cluster, &cluster->pairs[cluster->chosen[k]]);
		/* Solved more closely than `approaches` tests; otherwise rounding of the one would be an approach to the other. */
		enum lcp_result result = cluster_solve(cluster, n, 0.25 * cluster->speed_scale * ROUNDING_PART);

		if (result == LCP_SPENT)
			return true;
		if (result == LCP_INFEASIBLE && cluster->weighted) {
			cluster->jammed = true;
			return false;
		}
		if (result == LCP_INFEASIBLE && fed) {
			crush(cluster, n);
			return false;
		}
		if (bounce && restitution == 0.0 && !fed && result != LCP_INFEASIBLE && hops_rebound(cluster, n))
			restitution = 1.0;
		bool parts = bounce && cluster_scale_parts(cluster, n, restitution);
		if (bounce)
			restitution = restitution_pressing(cluster, n, restitution);
		double factor = parts ? 1.0 : restitution == 1.0 && !fed ? cluster_reflection_factor(cluster) : 1.0 + restitution;

		if (result != LCP_INFEASIBLE && cluster_impulses_add(cluster, n, factor, fed))
			return true;
		/* Jammed so that all digits are lost. Elastic ones continue pair by pair, which always conserves energy. Coming to rest
		 * would satisfy all others, and they reach that pair by pair. */
		if (restitution < 1.0 || fed)
			restitution = 0.0;
	}
	for (size_t k = 0; k < n; k++) {
		struct pair *pair = &cluster->pairs[cluster->chosen[k]];

		pair_reflect(cluster, pair, separate && bounce ? pair->effective : restitution);
	}
	return true;
}

static bool
kinematic_pushes(const struct cluster *cluster)
{
	for (size_t k = 0; k < cluster->member_count; k++)
		if (cluster->members[k].inverse_mass == 0.0 && (cluster->members[k].vx != 0.0 || cluster->members[k].vy != 0.0))
			return true;
	for (size_t k = 0; k < cluster->pair_count; k++)
		if (pair_wall_moves(&cluster->pairs[k]))
			return true;
	return false;
}

/* Parks all that still approaches: an elastic cluster that did not terminate. */
static void
park_approaching(struct cluster *cluster)
{
	for (size_t k = 0; k < cluster->pair_count; k++) {
		const struct pair *pair = &cluster->pairs[k];
		double speed;

		if (!approaches(cluster, pair, &speed))
			continue;
		member_park(&cluster->members[pair->i]);
		if (pair->j != NONE)
			member_park(&cluster->members[pair->j]);
	}
}

static bool
some_parked(const struct cluster *cluster)
{
	for (size_t k = 0; k < cluster->member_count; k++)
		if (cluster->members[k].park)
			return true;
	return false;
}

/* Two elastic contacts that alternate. */
struct rally {
	uint32_t pairs[2]; /* the latest last */
	int turns;
};

/* Notes the pair that is reflected next, alone. If the same two have alternated long enough, makes most of the reflections at
 * once. */
static void
rally_note(struct rally *rally, struct cluster *cluster, uint32_t pair)
{
	rally->turns = pair == rally->pairs[0] && pair != rally->pairs[1] ? rally->turns + 1 : 0;
	rally->pairs[0] = rally->pairs[1];
	rally->pairs[1] = pair;
	if (rally->turns < RALLY_TURNS || cluster->weighted)
		return;
	rally->turns = 0;
	(void)cluster_unfold(cluster, &cluster->pairs[pair], &cluster->pairs[rally->pairs[0]]);
}

/* Reflects until no pair approaches; without `bounce` at restitution 0. False: a body was crushed, or the weights have no
 * solution. */
static bool
reflections_run(struct cluster *cluster, bool bounce, bool fed)
{
	/* A cluster that the tick's work cuts short is parked as a whole: resolve_prepare. */
	struct rally rally = { .pairs = { NONE, NONE } };

	for (int turn = 0; turn < ELASTIC_REFLECTIONS_MAX; turn++) {
		double restitution;
		size_t n = reflection_choose(cluster, bounce && turn < REFLECTIONS_MAX ? CHOOSE_HOPS : CHOOSE_APPROACHING,
		                             &restitution);

		if (n > 0 && !bounce && turn >= HOLDS_MAX)
			n = reflection_choose(cluster, CHOOSE_ALL, &restitution);
		if (n == 0 || !work_take_part(cluster->work, WORK_TURN + WORK_REFLECT * (cluster->pair_count + n * n / WORK_TOGETHER)))
			break;
		if (!bounce)
			restitution = 0.0;
		if (turn >= REFLECTIONS_MAX && (restitution < 1.0 || fed)) {
			n = reflection_choose(cluster, CHOOSE_ALL, &restitution);
			hops_end(cluster);
			for (size_t k = 0; k < n; k++)
				cluster->pairs[cluster->chosen[k]].effective = 0.0;
			/* Twice more than enough: after a joint projection only rounding is left. */
			if (turn >= 4 * REFLECTIONS_MAX) {
				cluster->jammed = cluster->weighted;
				park_approaching(cluster);
				break;
			}
		}
		if (n == 1 && restitution == 1.0)
			rally_note(&rally, cluster, cluster->chosen[0]);
		else
			rally.turns = 0;
		if (!reflect(cluster, n, restitution, bounce, fed))
			return false;
		if (turn == ELASTIC_REFLECTIONS_MAX - 1)
			park_approaching(cluster);
	}
	return true;
}

/* As friction_run, for several pairs. */
static bool
relax_run(struct cluster *cluster, bool fed)
{
	if (!cluster_relax(cluster))
		return true;
	cluster->rubbed = true;
	if (!reflections_run(cluster, false, fed))
		return false;
	/* It comes last, as it is bounded by the normal impulses. */
	return !cluster_friction(cluster) || reflections_run(cluster, false, fed);
}

/* Friction may make other pairs of the cluster approach: those are held, not bounced. Or separate: those press less. False as
 * in reflections_run. */
static bool
friction_run(struct cluster *cluster, bool fed)
{
	int turn = 0;

	hops_end(cluster);
	if (cluster->pair_count >= RELAX_PAIRS_MIN)
		return relax_run(cluster, fed);
	for (int turns = FRICTION_TURNS; turn < turns && !cluster->work->spent && !pause_stopped() && cluster_friction(cluster);
	     turn++) {
		cluster->rubbed = true;
		/* Each of two contacts presses alternately too much and too little. */
		if (cluster_press(cluster) && turns < turn + FRICTION_TURNS_CALM)
			turns = turn + FRICTION_TURNS_CALM;
		if (!reflections_run(cluster, false, fed))
			return false;
		if (turn >= FRICTION_TURNS_MAX) /* it comes last, as it is bounded by the normal impulses */
			return !cluster_friction(cluster) || reflections_run(cluster, false, fed);
	}
	return true;
}

/* Iterations that cancelled out leave their rounding. A body with no torque in the end keeps its spin to the bit. */
static void
spins_restore(struct cluster *cluster)
{
	if (!cluster->rubbed)
		return;
	for (size_t k = 0; k < cluster->member_count; k++)
		cluster->members[k].turned = false;
	for (size_t k = 0; k < cluster->pair_count; k++) {
		const struct pair *pair = &cluster->pairs[k];
		bool turns = pair->friction_impulse != 0.0 || pair->rolling_impulse != 0.0;

		cluster->members[pair->i].turned |= turns;
		if (pair->j != NONE)
			cluster->members[pair->j].turned |= turns;
	}
	for (size_t k = 0; k < cluster->member_count; k++)
		if (!cluster->members[k].turned)
			cluster->members[k].spin = cluster->members[k].before_spin;
}

/* Something that moves on regardless may press on bodies that stand almost in a row before something immovable. It shoots them
 * out sideways, at its speed divided by their offset from the row, in radii. That has no bound, and in the end no correct
 * digit. If a body would get faster by it than the skin covers, it counts as between immovable things. */
static void
squeezed_crush(struct cluster *cluster)
{
	double before = SQUEEZE_FACTOR * cluster->speed_scale, dt = cluster->world->step.dt;

	for (size_t k = 0; k < cluster->member_count; k++) {
		struct member *m = &cluster->members[k];
		double most = larger(before, PHYSICS_TRAVEL_MAX_RADII * m->radius / dt);

		if (m->inverse_mass > 0.0 && m->vx * m->vx + m->vy * m->vy > most * most)
			m->crushed = true;
	}
}

static bool
velocities_finite(const struct cluster *cluster)
{
	double sum = 0.0;

	for (size_t k = 0; k < cluster->member_count; k++)
		sum += cluster->members[k].vx * cluster->members[k].vx + cluster->members[k].vy * cluster->members[k].vy;
	return isfinite(sum);
}

/* A speed that is not finite ends here: all are parked with the velocities from before. */
static void
overflow_park(struct cluster *cluster)
{
	if (velocities_finite(cluster))
		return;
	for (size_t k = 0; k < cluster->member_count; k++) {
		struct member *m = &cluster->members[k];

		m->vx = m->before_x;
		m->vy = m->before_y;
		m->spin = m->before_spin;
		member_park(m);
	}
	for (size_t k = 0; k < cluster->pair_count; k++) {
		struct pair *pair = &cluster->pairs[k];

		pair->impulse = pair->friction_impulse = pair->rolling_impulse = 0.0;
	}
}

static void
collide(struct cluster *cluster)
{
	/* Weights, too, may add energy. */
	bool fed = cluster->weighted || kinematic_pushes(cluster);

	if (!reflections_run(cluster, true, fed))
		return;
	/* Friction holds what it makes approach, and would hold what is parked and still approaches. */
	if (!some_parked(cluster) && !friction_run(cluster, fed))
		return;
	spins_restore(cluster);
	cluster_separate(cluster);
	overflow_park(cluster);
	if (fed && kinematic_pushes(cluster))
		squeezed_crush(cluster);
}

/* Friction of a single pair that has just been reflected, as friction_run. False: more is to be done than that. */
static bool
bounce_rub(struct cluster *cluster, const struct pair *pair)
{
	double speed;

	if (pair->effective == 0.0 || approaches(cluster, pair, &speed) || kinematic_pushes(cluster) ||
	    !cluster_reserve_lcp(cluster, 1) || !work_take_part(cluster->work, WORK_TURN + WORK_REFLECT))
		return false;
	for (int turn = 0; turn < FRICTION_TURNS; turn++) {
		if (!cluster_friction(cluster))
			break;
		cluster->rubbed = true;
		/* The search for what presses too much. */
		if (!work_take_part(cluster->work, 1) || approaches(cluster, pair, &speed))
			return false;
	}
	spins_restore(cluster);
	return !cluster->work->spent;
}

/* The state of a single pair's sides before it is reflected. */
struct bounce_start {
	two velocity_i, velocity_j;
	struct work_meter work;
};

static void
bounce_undo(struct cluster *cluster, const struct bounce_start *start)
{
	struct pair *pair = &cluster->pairs[0];
	struct member *i = &cluster->members[pair->i], *j = pair->j == NONE ? i : &cluster->members[pair->j];

	pair->approach = pair->impulse = pair->friction_impulse = 0.0;
	two_store(&i->vx, start->velocity_i);
	two_store(&j->vx, start->velocity_j);
	i->spin = i->before_spin;
	j->spin = j->before_spin;
	cluster->friction_loss = 0.0;
	cluster->rubbed = false;
	*cluster->work = start->work;
}

/* cluster_bounce of the only pair. */
static bool
pair_bounce(struct cluster *cluster)
{
	struct pair *pair = &cluster->pairs[0];
	const struct member *i = &cluster->members[pair->i], *j = pair->j == NONE ? i : &cluster->members[pair->j];
	const struct bounce_start start = { two_load(&i->vx), two_load(&j->vx), *cluster->work };
	double speed;

	if (cluster->weighted || pair->central || pair->rolling > 0.0 || i->inverse_mass == 0.0 || j->inverse_mass == 0.0 ||
	    pair_wall_moves(pair) || !approaches(cluster, pair, &speed))
		return false;
	pair->approach = -speed;
	pair->effective = pair_restitution(cluster, pair, -speed);
	pair_reflect(cluster, pair, pair->effective);
	if ((pair->friction > 0.0 ? bounce_rub(cluster, pair) && velocities_finite(cluster) : !approaches(cluster, pair, &speed)) &&
	    !(pair_approach(cluster, pair) < 0.0))
		return true;
	bounce_undo(cluster, &start);
	return false;
}

bool
cluster_bounce(struct cluster *cluster)
{
	return cluster->pair_count == 1 && pair_bounce(cluster);
}

void
cluster_collide(struct cluster *cluster)
{
	if (!cluster_reserve_lcp(cluster, cluster->pair_count))
		return;
	collide(cluster);
	if ((cluster->jammed || cluster_weights_run_away(cluster)) && !cluster->failed) {
		cluster_drop_weights(cluster);
		collide(cluster);
	}
}
