/* cluster: the bodies and touching pairs around one event, gathered, then resolved in velocity and in acceleration.
 *
 * cluster_build.c and single_pair.c find it; impulse.c, wedge.c, friction.c, separation.c and resting_contact.c compute on it
 * alone (no world is written), resolve.c writes the outcome back. Everything is in ascending order of bodies and pairs, so the
 * outcome depends on ids and geometry only. */
#ifndef COLLIDED_CONTACT_CLUSTER_H
#define COLLIDED_CONTACT_CLUSTER_H

#include "physics/geometry/toi.h"
#include "physics/math/lcp.h"
#include "physics/tables/event_queue.h"
#include "physics/world/world.h"

/* The most pairs that are resolved together. A cluster beyond it (a pile of hundreds) is cut where it is furthest in touching
 * steps from the event; its rest reacts in events of its own. The active set method costs up to n^4/6, 3 ms at 64. */
#define CLUSTER_PAIRS_MAX 64
/* Speeds decay to nothing in a wedge; under this one, products with them would lose their bits to underflow. */
#define SPEED_SCALE_MIN 1e-280
/* Speeds and accelerations under this part of what meets in a pair are rounding. */
#define ROUNDING_PART 0x1p-44
/* A pair separates slower than this part of the speeds around, or of what gravity gives in a tick: it rests. */
#define REST_PART 0x1p-40

struct neighbours;

struct member {
	uint32_t body;
	double inverse_mass, inverse_inertia, radius;
	double x, y;               /* at the event */
	double before_x, before_y; /* velocity before it */
	double vx, vy;             /* velocity now */
	double before_spin, spin;  /* angular velocity before it, and now */
	double undo_x, undo_y;     /* and before a reflection that may be undone */
	double ax, ay;             /* acceleration of the path: before, then after rest */
	double part_restitution;   /* of what moves together with it by a solution, joint_solution.c */
	uint32_t lock; /* the lowest member that it moves as one with, separation.c, or gets impulses with, joint_solution.c */
	bool primary;  /* its event */
	bool turned;   /* friction or rolling resistance acts on it */
	bool told;     /* a contact of it was reported */
	bool crushed;
	bool pressed; /* a solution gives it an impulse, joint_solution.c */
	bool join;    /* comes to rest on a led body, handover.h */
	bool park;    /* reached something that stands still for the rest of the tick */
};

struct pair {
	uint32_t i, j;    /* members; j NONE for a wall */
	uint32_t other;   /* body, segment or vertex index of j's side */
	uint32_t segment; /* of a wall: the one that gives material and name */
	uint8_t kind;     /* enum event_kind */
	uint8_t feature;
	int8_t side;
	double nx, ny;           /* unit, from j to i */
	double dx, dy;           /* circles and vertices: from j's centre to i's */
	double distance;         /* of centres, or of a centre and the wall */
	double wall_vx, wall_vy; /* of a wall: its velocity; of circles 0 */
	double skin, radii;
	double restitution;          /* by the materials */
	double friction;             /* by the materials */
	double surface;              /* what moving surfaces add to the slip, material.h */
	double rolling;              /* by the materials: a length */
	double inverse_i, inverse_j; /* inverse masses of its sides towards each other: the bodies' own, or by weights */
	double yield_i, yield_j;     /* those in parts of the bodies' own: 1 without weights */
	double effective;            /* with the guards, at its approach */
	double approach;             /* speed when it was first seen approaching; 0 before */
	double impulse;
	double friction_impulse; /* along the normal turned left */
	double rolling_impulse;  /* i's spin gets it, j's its opposite */
	double hold;             /* acceleration on top of what just keeps it apart, resting_contact.c */
	double force;            /* that holds it, resting_contact.c */
	bool central;            /* friction acts on the centres */
	bool primary, resting;
	bool weights; /* it has weights that are not those of the masses */
	bool hop;     /* rests because it would be back at once; restitution 1 only, impulse.c */
	bool by_mass; /* which do not count here (weights.c) */
};

struct cluster {
	const struct world *world;
	double time;
	double friction_loss; /* energy that friction changed: <= 0 */
	double gravity;       /* the largest acceleration that it gives a member */
	double speed_scale;   /* the largest speed among the members before, or what gravity gives in a tick: rounding's measure */
	struct member *members;
	size_t member_count, member_capacity;
	struct pair *pairs;
	size_t pair_count, pair_capacity;
	struct neighbours *neighbours; /* those around the members, if there are just the first `hit` of them: 1 or 2 */
	uint32_t hit;
	unsigned around[2]; /* the cells around each of them, as neighbours tell them */
	uint32_t *touched;  /* scratch: bodies that touch the one being visited */
	size_t touched_count, touched_capacity;
	/* Of the complementarity problems: */
	double *rows, *rhs, *x, *change, *scratch;
	uint32_t *chosen, *index;
	bool *active;
	struct lcp_line *lines;
	size_t lcp_capacity, lcp_width;
	bool weighted;           /* weights count in some pair */
	bool jammed;             /* and leave no way */
	bool rubbed;             /* friction changed something */
	struct work_meter *work; /* the world's: what is solved here is counted, and ends when it is used up */
	double *matrix;          /* scratch of weights.c */
	size_t matrix_capacity;
	bool fenced; /* somebody is not the domain's to change; nothing else holds then */
	bool failed; /* no memory */
};

/* What a surface that moves by itself does to a cluster's energy, by the friction impulses. */
static inline double
pair_surface_work(const struct pair *pair)
{
	return pair->surface != 0.0 ? -pair->friction_impulse * pair->surface : 0.0;
}

/* It stands still for the rest of the tick, and that is told. */
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

/* The velocity of what is on the other side. */
static inline void
pair_other_velocity(const struct cluster *cluster, const struct pair *pair, double v[2])
{
	v[0] = pair->j == NONE ? pair->wall_vx : cluster->members[pair->j].vx;
	v[1] = pair->j == NONE ? pair->wall_vy : cluster->members[pair->j].vy;
}

/* Fills the cluster around an event: all pairs that touch (gap <= two skins) and are connected to it through dynamic bodies. */
void cluster_gather(struct cluster *cluster, const struct world *world, const struct event *event);

/* Most events are of one or two bodies that nobody else touches. Then those around them are looked for but once: kept for when
 * the blow is done. False: all that touches must be looked for. */
bool cluster_hit_alone(struct cluster *cluster);

/* The rate of the gap of a pair times a positive number that depends on the pair only: the very expression by which
 * predictions decide whether it approaches. */
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

/* The speed at which a pair that a contact left without rebound may recede, and rests. */
double pair_trace(const struct cluster *cluster, const struct pair *pair);

/* Velocities: reflects the cluster until nothing approaches. */
void cluster_collide(struct cluster *cluster);
/* Of two pairs that share a body, take turns at restitution 1 and of which the first approaches: makes all pairs of reflections
 * that end with the first approaching again, at once, wedge.c. False: there are none, or none in closed form; nothing was
 * changed. Not with weights. */
bool cluster_unfold(struct cluster *cluster, struct pair *first, struct pair *second);
/* Of two that share a body between them and both approach at restitution 1: reflects both at once. False: what is between them
 * is no narrow wedge; nothing was changed. Not with weights. */
bool cluster_turn_back(struct cluster *cluster, struct pair *first, struct pair *second);
/* Friction, bounded by the impulses that there are: changes velocities and spins and may drive other pairs together. False if
 * there was nothing to do. */
bool cluster_friction(struct cluster *cluster);
/* Makes pairs without rebound press no more than it takes, with the friction that there is: press.c. False if none pressed
 * too much. */
bool cluster_press(struct cluster *cluster);
/* Makes pairs part that approach by rounding only, or parks them where that takes more than rounding, separation.c. */
void cluster_lift(struct cluster *cluster);
/* Accelerations: what gravity leaves of every member's path where contacts hold it; marks resting pairs. */
void cluster_rest(struct cluster *cluster);

/* weights.c: cluster_solve where weights count. LCP_INFEASIBLE: there is no solution, or none was found. */
enum lcp_result cluster_solve_weighted(struct cluster *cluster, size_t n, double precision);
/* Whether weights gave energy, and something is faster than the skin covers. What they give others may give back to them, each
 * time more of it: without this there is no end to that. */
bool cluster_weights_run_away(const struct cluster *cluster);
/* Puts the cluster back to what it was before, from now on without weights. */
void cluster_drop_weights(struct cluster *cluster);

/* Room for problems of n pairs; false without memory. */
bool cluster_reserve_lcp(struct cluster *cluster, size_t n);
/* Over the pairs chosen[0..n): rows = J M^-1/2, as lcp.h wants them. */
void cluster_rows(struct cluster *cluster, size_t n);
/* Solves for the impulses or forces x of the pairs chosen[0..n) from their speeds or accelerations rhs, to `precision`, and
 * for what they change: M^1/2 times it, two for each member. */
enum lcp_result cluster_solve(struct cluster *cluster, size_t n, double precision);

/* Adds `factor` times a solution to the velocities and impulses of the pairs chosen[0..n). */
void cluster_change(struct cluster *cluster, size_t n, double factor);
/* By what a solution is to be multiplied so that energy is kept to the last digits: the reflection at the plane at right angles
 * to it is always one, whatever the solution is off by. 2, where rounding is all that it is off by. */
double cluster_reflection_factor(const struct cluster *cluster);
/* Where pressing pairs that share no body, nor others between them, have different restitutions: multiplies a solution by 1 +
 * the lowest restitution of each part, or by 1 + `lowest` where all of a part are hops. False: all have one, nothing was
 * changed. */
bool cluster_scale_parts(struct cluster *cluster, size_t n, double lowest);
/* Adds a solution times `factor`, unless energy grows by that more than by rounding; false then, and nothing is changed. */
bool cluster_impulses_add(struct cluster *cluster, size_t n, double factor, bool fed);

/* cluster_raise.c. Raises the members of a resolved cluster that would sink into a wall or each other, before they are written.
 * What is led is the rest solver's. */
void cluster_raise(struct cluster *cluster);
/* cluster_ledger.c. What the impulses of a cluster did, before it is written. */
void ledger_cluster(struct world *world, const struct cluster *cluster);

/* neighbours_list.c. Of a cluster of one or two bodies: lists the bodies in the cells around two members of different levels.
 * False: too many. */
bool neighbours_list_apart(struct cluster *cluster);
/* Adds those of other levels that may touch a member. */
bool neighbours_add_beyond(struct cluster *cluster);

#endif
