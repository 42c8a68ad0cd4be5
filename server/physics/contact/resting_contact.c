/* Accelerations of a cluster: what gravity leaves of the paths of bodies that rest on something.
 *
 * Gauss's principle of least constraint: consider all accelerations that do not drive touching, not separating pairs into each
 * other. The one nearest to gravity, weighted by mass, is the solution. It is a complementarity problem like that of the
 * velocities. A pair of circles that slide around each other may approach along the normal with the acceleration v^2/distance.
 * At constant speed the parabola with that acceleration stays outside the circle to fourth order. */
#include "physics/contact/cluster.h"
#include "physics/math/larger.h"
#include "physics/prediction/predict_private.h"
#include "physics/world/material.h"

#include <math.h>

/* In skins: how far a pair may recede in a tick after a contact without rebound, and still rests. */
#define SKIN_OF_TRACE 0.25
/* By what fraction of its coordinates a place may be rounded in a hop. */
#define PLACE_ROUNDING 0x1p-50
/* Fraction of gravity: more than the rounding that a sum of supporting forces leaves of it. */
#define FORCE_ROUNDING 0x1p-50
/* Fraction of the room above a face: how far rounding may sink a supported path into it. And the least room, in skins. */
#define SINK_PART 0.5
#define ROOM_MIN 0x1p-6
/* How often forces are solved again until nothing sinks, each time with at least twice the hold. */
#define SINK_TRIES 16
/* Fraction of gravity: by how much the solved forces may miss the least acceleration. */
#define SQUEEZE_PART 0x1p-40
/* How many times all holds together a body's acceleration may change by them. Between walls that are off parallel by rounding,
 * any acceleration would make room for a row: the last of it is thrown out along its wall. A wedge as narrow as 1 in so many
 * may still win back what it lost. */
#define THROW_MOST 64.0
/* How long, in ticks, a path around a curve should last. A shorter one follows the curve more closely (the gap opens with the
 * cube) and costs an event each. */
#define HOLD_TICKS 0x1p-4
/* Tries to find a time over which a force does no work, and as many steps to its direction. */
#define TURN_TRIES 16
/* Fraction of the time after which a path leaves its vertex: a shorter one to try. */
#define TURN_PART 0.75

double
pair_trace(const struct cluster *cluster, const struct pair *pair)
{
	return SKIN_OF_TRACE * pair->skin / cluster->world->step.dt;
}

/* The speed of a hop that is no higher than the rounding of its body's place. */
static double
hop_least(const struct cluster *cluster, const struct pair *pair)
{
	const struct member *i = &cluster->members[pair->i];

	return sqrt(2.0 * cluster->gravity * (PLACE_ROUNDING * (fabs(i->x) + fabs(i->y))));
}

/* Friction at one contact may leave another, without rebound, receding by a trace. If gravity had to end that, it would do so
 * again and again. So what does not get out of the skin within a tick rests, and continues to. The speed may exceed a trace
 * where friction throws a body off, or where normal impulses and friction do not converge (press.c). There the rule is that of
 * restitution: a rebound that would end so soon is not given, if it is too low to get smaller from hop to hop. A higher one is:
 * at rest the body would go on at that speed, without gravity, for as long as the tick lasts. */
static double
trace_speed(const struct cluster *cluster, const struct pair *pair)
{
	const struct world *world = cluster->world;
	uint32_t body = cluster->members[pair->i].body;
	uint32_t other = pair->j == NONE ? pair->other : cluster->members[pair->j].body;
	bool dull = pair->impulse > 0.0 && pair->effective == 0.0;
	double trace = pair_trace(cluster, pair);

	if (dull && cluster->rubbed)
		return larger(
			trace, lesser(0.5 * cluster->gravity * material_rebound_least(world, pair->restitution), hop_least(cluster, pair)));
	return dull || supported_by(world, body, pair->kind, other) ? trace : 0.0;
}

bool
pair_rests(const struct cluster *cluster, const struct pair *pair)
{
	return pair_speed(cluster, pair) <= fmax(cluster->speed_scale * REST_PART, trace_speed(cluster, pair));
}

/* The relative velocity of a pair. */
static void
pair_velocity(const struct cluster *cluster, const struct pair *pair, double w[2])
{
	const struct member *i = &cluster->members[pair->i];

	pair_other_velocity(cluster, pair, w);
	w[0] = i->vx - w[0];
	w[1] = i->vy - w[1];
}

/* The least acceleration of the gap along the normal that keeps a pair apart. */
static double
acceleration_least(const struct cluster *cluster, const struct pair *pair)
{
	double w[2];

	if (pair->kind == EVENT_FACE || !(pair->distance > 0.0))
		return 0.0;
	pair_velocity(cluster, pair, w);

	double along = w[0] * pair->ny - w[1] * pair->nx;

	return -along * along / pair->distance;
}

/* The acceleration that regains used up skin within `duration`. It is limited to free fall, because over a very short tick it
 * would be an impact, and is at least what rounding may take. */
static double
acceleration_win(const struct cluster *cluster, double lost, double duration)
{
	return fmin(fmax(2.0 * lost / (duration * duration), cluster->gravity * FORCE_ROUNDING), cluster->gravity);
}

/* The additional acceleration with which a pair on a curve stays apart for HOLD_TICKS. The third derivative of the distance is
 * 3 w.q / distance (differentiate x.x three times where x.w = 0). Where it is negative the parabola dips under the curve at
 * once. An acceleration of a third of it times a duration lets the gap open and close within that duration. No more is needed
 * than w.w / distance, with which the path along the normal is straight: one that turns back sooner would only be thrown up.
 * Used up skin is regained within a tick. */
static double
acceleration_hold(const struct cluster *cluster, const struct pair *pair)
{
	const struct member *i = &cluster->members[pair->i];
	double hold = cluster->world->step.dt * HOLD_TICKS, w[2], qx = i->ax, qy = i->ay;
	double lost = fmin(pair->radii + pair->skin - pair->distance, pair->skin);

	/* A body that is carried by a wall is rounded away from it in every tick. */
	if (pair->kind == EVENT_FACE && pair_wall_moves(pair))
		return lost > 0.25 * pair->skin ? acceleration_win(cluster, lost, cluster->world->step.dt) : 0.0;
	if (pair->kind == EVENT_FACE || !(pair->distance > 0.0))
		return 0.0;
	pair_velocity(cluster, pair, w);
	if (pair->j != NONE) {
		qx -= cluster->members[pair->j].ax;
		qy -= cluster->members[pair->j].ay;
	}

	double turn = w[0] * qx + w[1] * qy,
		   win = lost > 0.25 * pair->skin ? acceleration_win(cluster, lost, cluster->world->step.dt) : 0.0;

	return turn < 0.0 ? lesser(-turn * hold, w[0] * w[0] + w[1] * w[1]) / pair->distance + win : win;
}

static double
acceleration_normal(const struct cluster *cluster, const struct pair *pair)
{
	const struct member *i = &cluster->members[pair->i];
	double x = i->ax, y = i->ay;

	if (pair->j != NONE) {
		x -= cluster->members[pair->j].ax;
		y -= cluster->members[pair->j].ay;
	}
	return x * pair->nx + y * pair->ny;
}

/* By how much a pair's gap opens faster than it must. */
static double
acceleration_excess(const struct cluster *cluster, const struct pair *pair)
{
	return acceleration_normal(cluster, pair) - acceleration_least(cluster, pair) - pair->hold;
}

/* Solves for the forces of the n chosen pairs from gravity, each pair with its hold. */
static bool
forces_solve(struct cluster *cluster, size_t n)
{
	for (size_t k = 0; k < cluster->member_count; k++) {
		struct member *member = &cluster->members[k];
		double gravity[2];

		body_gravity(cluster->world, member->body, gravity);
		member->ax = member->inverse_mass > 0.0 ? gravity[0] : 0.0;
		member->ay = member->inverse_mass > 0.0 ? gravity[1] : 0.0;
	}
	/* The solution of no pairs; most clusters have none. */
	if (n == 0) {
		for (size_t k = 0; k < cluster->member_count; k++) {
			cluster->members[k].ax += 0.0;
			cluster->members[k].ay += 0.0;
		}
		return true;
	}
	for (size_t k = 0; k < n; k++)
		cluster->rhs[k] = acceleration_excess(cluster, &cluster->pairs[cluster->chosen[k]]);

	enum lcp_result result = cluster_solve(cluster, n, cluster->gravity * ROUNDING_PART);

	if (result == LCP_INFEASIBLE || result == LCP_SPENT)
		return false;
	for (size_t k = 0; k < cluster->member_count; k++) {
		struct member *member = &cluster->members[k];
		double weight = sqrt(member->inverse_mass);

		member->ax += weight * cluster->change[2 * k];
		member->ay += weight * cluster->change[2 * k + 1];
	}
	for (size_t k = 0; k < n; k++)
		cluster->pairs[cluster->chosen[k]].force = cluster->x[k];
	return true;
}

/* How far a supported path comes down to a face until the tick's end, because of the gravity that rounding left. Its velocity
 * does not: the reflections ensure that, by the same exact product. */
static double
pair_sink(const struct cluster *cluster, const struct pair *pair)
{
	const struct member *i = &cluster->members[pair->i];
	const struct segment *segment = &cluster->world->walls.segments[pair->other];
	double left = cluster->world->step.dt - cluster->time;
	double up = cross_exact(segment->ux, segment->uy, i->ax, i->ay) / segment->length * (pair->side > 0 ? 1.0 : -1.0);

	return -0.5 * up * left * left;
}

/* Where there is no room to rise, what rounding left of gravity is set to 0. */
static void
rounding_drop(struct cluster *cluster)
{
	for (size_t k = 0; k < cluster->member_count; k++) {
		struct member *member = &cluster->members[k];

		if (fabs(member->ax) + fabs(member->ay) <= cluster->gravity * FORCE_ROUNDING)
			member->ax = member->ay = 0.0;
	}
}

/* A path that rests on a face is supported for the rest of the tick, and no event checks how far it sinks. Gravity may be so
 * large, or the tick so long, that the rounding of the forces alone would use up the skin. Then the path is made to rise by as
 * little instead. */
static void
sinking_hold(struct cluster *cluster, size_t n)
{
	for (int try = 0; try < SINK_TRIES; try++) {
		bool sinks = false;

		for (size_t k = 0; k < n; k++) {
			struct pair *pair = &cluster->pairs[cluster->chosen[k]];
			double room = fmax(pair->distance - pair->radii, pair->skin * ROOM_MIN);

			if (pair->kind != EVENT_FACE || !(pair_sink(cluster, pair) > SINK_PART * room))
				continue;
			pair->hold = fmax(2.0 * pair->hold, cluster->gravity * FORCE_ROUNDING);
			sinks = true;
		}
		if (!sinks)
			return;
		if (!forces_solve(cluster, n))
			break;
	}
	/* There is no room: one hold drives another pair together, however often they grow. */
	for (size_t k = 0; k < n; k++)
		cluster->pairs[cluster->chosen[k]].hold = 0.0;
	if (forces_solve(cluster, n))
		rounding_drop(cluster);
}

/* The way that a pair may be driven together: its gap, or the rounding of places where it has none. */
static double
squeeze_room(const struct cluster *cluster, const struct pair *pair)
{
	const struct member *i = &cluster->members[pair->i];

	return fmax(pair->distance - pair->radii, larger(fabs(i->x), fabs(i->y)) * (SKIN_PER_COORDINATE * ROOM_MIN));
}

/* Whether a solution drives some pair together, by more than its room: the solver ignores a contradiction that is small beside
 * gravity, and a hold is small. */
static bool
holds_squeeze(const struct cluster *cluster, size_t n)
{
	double left = cluster->world->step.dt - cluster->time;

	for (size_t k = 0; k < n; k++) {
		const struct pair *pair = &cluster->pairs[cluster->chosen[k]];
		double room = squeeze_room(cluster, pair);
		double closing = acceleration_least(cluster, pair) - acceleration_normal(cluster, pair);

		if (closing > cluster->gravity * SQUEEZE_PART && 0.5 * closing * left * left > SINK_PART * room)
			return true;
	}
	return false;
}

/* Whether the holds of the n chosen pairs throw some body, beyond its acceleration without them. */
static bool
holds_throw(const struct cluster *cluster, size_t n)
{
	double holds = 0.0;

	for (size_t k = 0; k < n; k++)
		holds += cluster->pairs[cluster->chosen[k]].hold;
	for (size_t k = 0; k < cluster->member_count; k++) {
		const struct member *member = &cluster->members[k];

		if (fabs(member->ax - member->plain_ax) + fabs(member->ay - member->plain_ay) > THROW_MOST * holds)
			return true;
	}
	return false;
}

/* How long a path that one vertex supports will last if nothing meets it. */
static double
turn_time(const struct cluster *cluster, const struct pair *pair)
{
	const struct member *i = &cluster->members[pair->i];
	struct relative r = { pair->dx, pair->dy, i->vx, i->vy, i->ax, i->ay };
	double left = cluster->world->step.dt - cluster->time;
	double leave = toi_leave(&r, leaving_distance(pair->radii, pair->distance), left);
	double back = toi_curved(&r, resting_distance(pair->radii, pair->skin), left);

	return lesser(left, lesser(leave, back));
}

/* The normal turns while a path goes around a vertex, so that a force along the initial normal does work against the motion.
 * For a force of mass * m that is m v^2 t^2 / 2R of energy after a time t. Where restitution is 1 nothing may be lost. There
 * the force is turned perpendicular to the line from the path's beginning to its end, and does no work over it. The gap opens
 * as before. */
static bool
force_turn_for(struct cluster *cluster, const struct pair *pair, double along, double time)
{
	struct member *i = &cluster->members[pair->i];
	double gravity[2], force;

	body_gravity(cluster->world, i->body, gravity);
	force = along - (gravity[0] * pair->nx + gravity[1] * pair->ny);
	for (int try = 0; try < TURN_TRIES; try++) {
		double x = i->vx + 0.5 * time * i->ax, y = i->vy + 0.5 * time * i->ay;
		double rise = y * pair->nx - x * pair->ny; /* of that line, turned to the right, along the normal */

		if (!(fabs(rise) > 0.5 * (fabs(x) + fabs(y))))
			return false;

		double ax = gravity[0] + force * (y / rise), ay = gravity[1] - force * (x / rise);

		if (ax == i->ax && ay == i->ay)
			break;
		i->ax = ax;
		i->ay = ay;
	}
	return true;
}

/* Whether no other pair of the body is driven together. */
static bool
others_apart(const struct cluster *cluster, size_t n, const struct pair *pair)
{
	for (size_t k = 0; k < n; k++) {
		const struct pair *other = &cluster->pairs[cluster->chosen[k]];

		if (other != pair && (other->i == pair->i || other->j == pair->i) &&
		    acceleration_excess(cluster, other) < -cluster->gravity * SQUEEZE_PART)
			return false;
	}
	return true;
}

static void
force_turn(struct cluster *cluster, size_t n, const struct pair *pair)
{
	struct member *i = &cluster->members[pair->i];
	double ax = i->ax, ay = i->ay, along = pair->nx * ax + pair->ny * ay, time = turn_time(cluster, pair);

	for (int try = 0; try < TURN_TRIES; try++) {
		if (!force_turn_for(cluster, pair, along, time))
			break;
		double lasts = turn_time(cluster, pair);
		if (!(lasts < time)) {
			if (others_apart(cluster, n, pair))
				return;
			break;
		}
		/* The turned force lifts it off sooner. */
		i->ax = ax;
		i->ay = ay;
		time = TURN_PART * lasts;
	}
	i->ax = ax;
	i->ay = ay;
}

/* Whether one of the n chosen pairs is a static vertex that alone supports a body, and nothing may take the body's energy.
 * Other things that the body touches may follow it, but not press. */
static bool
turns_alone(const struct cluster *cluster, size_t n, const struct pair *pair)
{
	if (pair->kind != EVENT_VERTEX || !pair->resting || pair->restitution != 1.0 || pair->friction != 0.0 ||
	    pair_wall_moves(pair) || !(cluster->members[pair->i].inverse_mass > 0.0))
		return false;
	for (size_t k = 0; k < n; k++) {
		const struct pair *other = &cluster->pairs[cluster->chosen[k]];

		if (other != pair && (other->i == pair->i || other->j == pair->i) && other->force > 0.0)
			return false;
	}
	return true;
}

void
cluster_rest(struct cluster *cluster)
{
	bool held = false;
	size_t n = 0;

	/* Weights are for impacts; what rests is held by the masses, as in the rest solver. */
	cluster->weighted = false;
	if (cluster->gravity == 0.0) {
		for (size_t k = 0; k < cluster->member_count; k++)
			two_store(&cluster->members[k].ax, (two){ 0.0, 0.0 });
		return;
	}
	if (!cluster_reserve_lcp(cluster, cluster->pair_count))
		return;
	for (uint32_t k = 0; k < cluster->pair_count; k++)
		if (!cluster->pairs[k].dropped && pair_rests(cluster, &cluster->pairs[k]))
			cluster->chosen[n++] = k;
	/* Infeasibility is impossible up to the small holds: accelerations of 0 satisfy every pair. */
	if (!forces_solve(cluster, n))
		return;
	for (size_t k = 0; k < n; k++) {
		struct pair *pair = &cluster->pairs[cluster->chosen[k]];

		pair->hold = pair->force > 0.0 ? acceleration_hold(cluster, pair) : 0.0;
		held = held || pair->hold > 0.0;
	}
	for (size_t k = 0; held && k < cluster->member_count; k++)
		two_store(&cluster->members[k].plain_ax, two_load(&cluster->members[k].ax));
	if (held && (!forces_solve(cluster, n) || holds_squeeze(cluster, n) || holds_throw(cluster, n))) {
		/* Jammed: there is no room to regain what was lost. */
		for (size_t k = 0; k < n; k++)
			cluster->pairs[cluster->chosen[k]].hold = 0.0;
		if (!forces_solve(cluster, n))
			return;
	}
	sinking_hold(cluster, n);
	for (size_t k = 0; k < n; k++) {
		struct pair *pair = &cluster->pairs[cluster->chosen[k]];

		pair->resting = acceleration_excess(cluster, pair) <= cluster->gravity * 0x1p-30;
	}
	for (size_t k = 0; k < n; k++)
		if (turns_alone(cluster, n, &cluster->pairs[cluster->chosen[k]]))
			force_turn(cluster, n, &cluster->pairs[cluster->chosen[k]]);
}
