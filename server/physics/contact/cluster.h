/* cluster: the bodies and touching pairs around one event. They are collected, then solved in velocity and in acceleration.
 *
 * cluster_build.c and single_pair.c build it. impulse.c, wedge.c, friction.c, separation.c and resting_contact.c compute on it
 * alone (no world is written). resolve.c writes the outcome back. Everything is in ascending order of bodies and pairs, so the
 * outcome depends on ids and geometry only.
 *
 * The room contact/: what happens at one contact: which bodies touch, impulses, friction, rest, separation, counted work. It
 * uses reports, rest_solver, prediction. It is called by resting, events, partition, tick. */
#ifndef COLLIDED_CONTACT_CLUSTER_H
#define COLLIDED_CONTACT_CLUSTER_H

#include "physics/geometry/toi.h"
#include "physics/math/lcp.h"
#include "physics/tables/event_queue.h"
#include "physics/world/world.h"

/* The most pairs that are resolved together. A larger cluster (a pile of hundreds) is cut where it is farthest from the event
 * in touching steps; the rest reacts in events of its own. The active set method costs up to n^4/6, 3 ms at 64. */
#define CLUSTER_PAIRS_MAX 64
/* In a wedge speeds decay to nothing; below this, products with them would lose their bits to underflow. */
#define SPEED_SCALE_MIN 1e-280
/* Speeds and accelerations below this fraction of the approach of a pair are rounding. */
#define ROUNDING_PART 0x1p-44
/* A pair that separates slower than this fraction of the speeds around, or of what gravity gives in a tick, rests. */
#define REST_PART 0x1p-40

struct neighbours;

/* What a contact rule makes of a member after the cluster is resolved; the later is the stronger. */
enum fate { FATE_NONE, FATE_STOP, FATE_REMOVE };

struct member {
	uint32_t body;
	double inverse_mass, inverse_inertia, radius;
	double x, y;               /* at the event */
	double before_x, before_y; /* velocity before it */
	double vx, vy;             /* velocity now */
	double before_spin, spin;  /* angular velocity before it, and now */
	double undo_x, undo_y;     /* velocity before a reflection that may be undone */
	double ax, ay;             /* acceleration of the path: before, then after the solution at rest */
	double plain_ax, plain_ay; /* the latter without holds, while they are solved, resting_contact.c */
	double part_restitution;   /* of the part that it belongs to in a solution, joint_solution.c */
	uint32_t relieved;         /* how often it got less of an impulse, press.c */
	uint32_t lock;             /* lowest member that shares its velocity, separation.c, or its impulses, joint_solution.c */
	bool primary;              /* the event is its own */
	bool turned;               /* friction or rolling resistance acts on it */
	bool told;                 /* a contact of it is reported */
	bool lifted;               /* none of its impulses is worth a contact, but their sum is */
	bool crushed;
	bool pressed;           /* a solution gives it an impulse, joint_solution.c */
	bool join;              /* comes to rest on a solver-driven body, handover.h */
	uint8_t fate;           /* enum fate */
	bool park;              /* reached something that stands still for the rest of the tick */
	uint32_t supports_left; /* of those that it had, how many it has not got again */
	bool supports_change;   /* it gets other supports than it had */
};

struct pair {
	uint32_t i, j;      /* members; j NONE for a wall */
	uint32_t other;     /* body, segment or vertex index of j's side */
	uint32_t segment;   /* of a wall: the one that gives material and id */
	uint32_t tested_at; /* changes of its sides when it was last tested, press.c */
	uint8_t kind;       /* enum event_kind */
	uint8_t feature;
	int8_t side;
	bool approaching;        /* as last seen by reflection_choose, impulse.c */
	double nx, ny;           /* unit, from j to i */
	double dx, dy;           /* circles and vertices: from j's centre to i's */
	double distance;         /* of the centres, or of a centre and the wall */
	double wall_vx, wall_vy; /* of a wall: its velocity; of circles 0 */
	double skin, radii;
	double restitution;          /* from the materials */
	double friction;             /* from the materials */
	double surface;              /* what moving surfaces add to the slip, material.h */
	double rolling;              /* from the materials: a length */
	double inverse_i, inverse_j; /* inverse masses of its sides towards each other: the bodies' own, or by weights */
	double yield_i, yield_j;     /* those as fractions of the bodies' own: 1 without weights */
	double effective;            /* restitution by the guards, at its approach */
	double approach;             /* speed when it was first seen approaching; 0 before */
	double impulse;
	double friction_impulse; /* along the normal turned left */
	double rolling_impulse;  /* i's spin gets it, j's its opposite */
	double hold;             /* acceleration in addition to what just keeps it apart, resting_contact.c */
	double force;            /* the force of the support, resting_contact.c */
	bool central;            /* friction acts on the centres */
	bool primary, resting;
	bool weights; /* it has weights that differ from the masses */
	bool hop;     /* rests because the rebound would end at once; restitution 1 only, impulse.c */
	bool by_mass; /* its weights do not count here (weights.c) */
	bool told;    /* it is reported as a contact, cluster_told.c */
	bool dropped; /* a side of it does not move on from here: it supports nothing, cluster_rules.c */
};

/* A pair on which friction acts, and what of it stays the same throughout its passes. Scratch of friction.c. */
struct rub {
	struct pair *pair;
	struct member *i, *j;    /* j NULL for a wall */
	double lever_i, lever_j; /* how far from the centre friction acts */
	double turn_i, turn_j;   /* inverse inertias, by weights */
	double inverse;          /* change of the slip by an impulse of 1 */
	double inverse_roll;     /* change of the difference of the spins by a torque of 1 */
	double bound;            /* of the friction impulse */
	bool slips, rolls;       /* whether it has an impulse along the tangent, or one against rolling */
};

struct cluster {
	const struct world *world;
	double time;
	double friction_loss; /* change of energy by friction: <= 0 */
	double locked[2];     /* momentum that locks to what does not yield took, which no pair's impulse has, separation.c */
	double gravity;       /* the largest acceleration by it of a member */
	double speed_scale; /* the largest speed among the members before, or what gravity gives in a tick: the scale of rounding */
	struct member *members;
	size_t member_count, member_capacity;
	struct pair *pairs;
	size_t pair_count, pair_capacity;
	struct neighbours *neighbours; /* those around the members, if these are only the first `hit`: 1 or 2 */
	uint32_t hit;
	unsigned around[2]; /* the cells around each of them, as bits of neighbours */
	uint32_t *touched;  /* scratch: bodies that touch the current one */
	size_t touched_count, touched_capacity;
	/* Of the complementarity problems: */
	double *rhs, *x, *change, *scratch;
	double *all_rhs, *all_x;   /* of all pairs, not only of those chosen */
	bool *all_active, *absent; /* of all pairs */
	uint32_t *chosen, *index;
	bool *active;
	struct lcp_line *lines; /* of all pairs, */
	bool lines_made;        /* if they are made; */
	size_t lines_known;     /* and how many of them the solution of the last problem has computed (lcp.h) */
	size_t lcp_capacity, lcp_width;
	struct rub *rubs;        /* lcp_capacity of them */
	bool weighted;           /* some pair has weights that count */
	bool jammed;             /* and with them there is no solution */
	bool rubbed;             /* friction changed something */
	struct work_meter *work; /* the world's: work is counted, and the solution stops when it is used up */
	double *matrix;          /* scratch of weights.c */
	size_t matrix_capacity;
	bool fated;  /* some member has a fate */
	bool plain;  /* it is a plain hit (plain_hit.h), and has been resolved */
	bool fenced; /* some body is not the domain's to change; nothing else is valid then */
	bool failed; /* no memory */
};

/* The work that a surface with a velocity of its own does on a cluster, by the friction impulses. */
static inline double
pair_surface_work(const struct pair *pair)
{
	return pair->surface != 0.0 ? -pair->friction_impulse * pair->surface : 0.0;
}

/* What a member is of its body, and what that adds to the cluster's scales. Field by field in place: members are large. All
 * that is not set here is the caller's. */
static inline void
member_fill(struct cluster *cluster, struct member *member, uint32_t body, two position, two velocity)
{
	const struct world *world = cluster->world;
	const struct body_info *info = &world->bodies.infos[body];
	const two rates = two_abs(velocity);

	cluster->gravity = larger(cluster->gravity, fabs(info->gravity_scale) * world->settings.gravity);
	cluster->speed_scale = larger(cluster->speed_scale, rates[0] + rates[1]);
	cluster->speed_scale = larger(cluster->speed_scale, cluster->gravity * world->step.dt);
	member->body = body;
	member->inverse_mass = info->inverse_mass;
	member->inverse_inertia = info->inverse_inertia;
	member->fate = FATE_NONE;
	member->radius = world->bodies.paths[body].radius;
	two_store(&member->x, position);
	two_store(&member->before_x, velocity);
	two_store(&member->vx, velocity);
	member->before_spin = member->spin = info->spin;
}

/* The member stands still for the rest of the tick, and that is reported. */
static inline void
member_park(struct member *member)
{
	member->park = member->inverse_mass > 0.0;
}

/* Whether its wall moves. */
static inline bool
pair_wall_moves(const struct pair *pair)
{
	return pair->wall_vx != 0.0 || pair->wall_vy != 0.0;
}

/* The velocity of the other side. */
static inline void
pair_other_velocity(const struct cluster *cluster, const struct pair *pair, double v[2])
{
	v[0] = pair->j == NONE ? pair->wall_vx : cluster->members[pair->j].vx;
	v[1] = pair->j == NONE ? pair->wall_vy : cluster->members[pair->j].vy;
}

/* Builds the cluster around an event: all pairs that touch (gap <= two skins) and are connected to it through dynamic
 * bodies. */
void cluster_gather(struct cluster *cluster, const struct world *world, const struct event *event);
/* An empty cluster for the event. */
void cluster_clear(struct cluster *cluster, const struct world *world, const struct event *event);
/* Sets the distance and the normal of a pair of circles or vertices from the offset of their centres. */
void pair_normal_set(struct pair *pair, two offset);

/* For most events: one or two bodies that no other body touches. Their neighbours are then searched only once, and kept for the
 * prediction after the impact. False: all that touches must be searched. */
bool cluster_hit_alone(struct cluster *cluster);

/* The rate of the gap of a pair times a positive number that depends on the pair only. It is the expression by which
 * predictions decide whether the pair approaches. */
static inline double
pair_approach(const struct cluster *cluster, const struct pair *pair)
{
	const struct member *i = &cluster->members[pair->i];

	if (pair->kind == EVENT_FACE) {
		const struct segment *segment = &cluster->world->walls.segments[pair->other];
		double rate = cross_exact(segment->ux, segment->uy, i->vx - pair->wall_vx, i->vy - pair->wall_vy) / segment->length;

		return pair->side > 0 ? rate : -rate;
	}

	double v[2];

	pair_other_velocity(cluster, pair, v);
	return pair->dx * (i->vx - v[0]) + pair->dy * (i->vy - v[1]);
}

/* The normal relative velocity, negative when approaching. */
static inline double
pair_speed(const struct cluster *cluster, const struct pair *pair)
{
	const struct member *i = &cluster->members[pair->i];
	double v[2];

	if (pair->kind == EVENT_FACE)
		return pair_approach(cluster, pair);
	pair_other_velocity(cluster, pair, v);
	return (i->vx - v[0]) * pair->nx + (i->vy - v[1]) * pair->ny;
}

/* The sum of both sides' inverse masses. */
static inline double
pair_inverse_mass(const struct pair *pair)
{
	return pair->inverse_i + pair->inverse_j;
}

/* Whether a pair separates, if at all, slower than rounding: it rests. */
bool pair_rests(const struct cluster *cluster, const struct pair *pair);

/* The speed at which a pair may recede after a contact without rebound, and still rests. */
double pair_trace(const struct cluster *cluster, const struct pair *pair);

/* Velocities: reflects the cluster until no pair approaches. */
void cluster_collide(struct cluster *cluster);
/* The same, to the bit, for a cluster of a single pair both sides of which can move, or one is a static wall. Usually one
 * reflection is all that is to be done, and then friction. False: it is not, or the cluster is of another kind; nothing was
 * changed then. */
bool cluster_bounce(struct cluster *cluster);
/* For two pairs that share a body and are reflected alternately at restitution 1, the first of which approaches. Makes all
 * pairs of reflections after which the first approaches again, at once, wedge.c. False: there are none, or none in closed form;
 * nothing was changed. Not with weights. */
bool cluster_unfold(struct cluster *cluster, struct pair *first, struct pair *second);
/* For two pairs that share a body between them and both approach at restitution 1: reflects both at once. False: they form no
 * narrow wedge; nothing was changed. Not with weights. */
bool cluster_turn_back(struct cluster *cluster, struct pair *first, struct pair *second);
/* Friction, bounded by the present normal impulses. Changes velocities and spins, and may make other pairs approach. False if
 * there was nothing to do. */
bool cluster_friction(struct cluster *cluster);
/* Reduces the impulses of pairs without rebound to what is needed with the present friction: press.c. False if none was too
 * large. */
bool cluster_press(struct cluster *cluster);
/* Whether a pair should only have ended its approach, but separates by more than a trace, because of *surplus of its
 * impulse. */
bool pair_presses(const struct cluster *cluster, const struct pair *pair, double *surplus);
/* Whether some pair has RESPONSE_STOP: its friction, which stops all slip, is bounded by no impulse, and must not be
 * limited. */
bool cluster_stops(const struct cluster *cluster);
/* Friction, the impulses that hold what it makes approach, and the reduction of those that it makes too large, in common
 * sweeps: friction.c. They need not converge: what approaches is still to be held exactly. False if there was nothing to
 * do. */
bool cluster_relax(struct cluster *cluster);

/* rebound.c. The restitution of a pair at this approach speed: that of its materials, or 0 by one of the guards. */
double pair_restitution(const struct cluster *cluster, const struct pair *pair, double approach);
/* Sets it for the present approach. */
void pair_approach_set(const struct cluster *cluster, struct pair *pair, double approach);
/* The same for a pair that friction makes approach, unless it has approached before. */
void pair_approach_note(const struct cluster *cluster, struct pair *pair, double approach);
/* Separates pairs that approach by rounding only, or parks them if that takes more than rounding, separation.c. */
void cluster_separate(struct cluster *cluster);
/* Accelerations: what gravity leaves of every member's path where contacts support it; marks resting pairs. */
void cluster_rest(struct cluster *cluster);

/* weights.c: cluster_solve where weights count. LCP_INFEASIBLE: there is no solution, or none was found. */
enum lcp_result cluster_solve_weighted(struct cluster *cluster, size_t n, double precision);
/* Whether weights added energy, and something is faster than the skin covers. What they give others may return, more of it each
 * time: without this test there is no end to that. */
bool cluster_weights_run_away(const struct cluster *cluster);
/* Restores the cluster to its state before, from now on without weights. */
void cluster_drop_weights(struct cluster *cluster);

/* Makes room for problems of n pairs; false without memory. */
bool cluster_reserve_lcp(struct cluster *cluster, size_t n);
/* The doubles from rhs on. */
#define CLUSTER_LCP_DOUBLES(capacity, width) (4 * (capacity) + (width) + LCP_DOUBLES(capacity, width))
/* Solves for the impulses or forces x of the pairs chosen[0..n) from their speeds or accelerations rhs, to `precision`. Also
 * gives their effect: M^1/2 times the change, two numbers for each member. */
enum lcp_result cluster_solve(struct cluster *cluster, size_t n, double precision);

/* Adds `factor` times a solution to the velocities and impulses of the pairs chosen[0..n). */
void cluster_change(struct cluster *cluster, size_t n, double factor);
/* The factor of a solution that conserves energy to the last digits. The reflection at the plane perpendicular to the solution
 * always conserves it, whatever the error of the solution. 2, if the error is only rounding. */
double cluster_reflection_factor(const struct cluster *cluster);
/* For pressing pairs of different restitutions that share no body, directly or through others. Multiplies a solution by 1 + the
 * lowest restitution of each part, or by 1 + `lowest` where all pairs of a part are hops. False: all have the same restitution,
 * nothing was changed. */
bool cluster_scale_parts(struct cluster *cluster, size_t n, double lowest);
/* Adds a solution times `factor`. If that would increase the energy by more than rounding, or if the impulses are out of all
 * proportion to the momentum, returns false and changes nothing. */
bool cluster_impulses_add(struct cluster *cluster, size_t n, double factor, bool fed);
/* Adds a solution that parts what approaches by rounding, and may add energy by that. False, and nothing is changed, if the
 * impulses are out of all proportion to the momentum. */
bool cluster_impulses_part(struct cluster *cluster, size_t n);

/* cluster_raise.c. Raises the members of a resolved cluster that would sink into a wall or each other, before they are written.
 * Solver-driven members are left to the rest solver. */
void cluster_raise(struct cluster *cluster);
/* cluster_ledger.c. The effect of a cluster's impulses, before it is written. */
void ledger_cluster(struct world *world, const struct cluster *cluster);

/* cluster_told.c. Whether an impulse is more than the separation of rounding, or turned a body, however little: rotation is
 * reported. */
bool pair_is_worth_it(const struct cluster *cluster, const struct pair *pair);
/* Notes which pairs are reported as contacts, and of which members one is. */
void cluster_tell(struct cluster *cluster);

/* cluster_rules.c. What contact rules make of the members, when the velocities are found and before what rests. */
void cluster_judge(struct cluster *cluster);

/* neighbours_list.c. For a cluster of one or two bodies: lists the bodies in the cells around two members of different levels.
 * False: too many. */
bool neighbours_list_apart(struct cluster *cluster);
/* Adds those of other levels that may touch a member. */
bool neighbours_add_beyond(struct cluster *cluster);

#endif
