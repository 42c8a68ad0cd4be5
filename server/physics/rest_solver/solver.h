/* solver: the contact solver for piles and crowds at rest.
 *
 * One call per substep. It adds gravity to the velocities. It makes the velocities of all near pairs compatible (rigid
 * contacts, Coulomb friction, rolling resistance). It gives every body a straight displacement for the substep, along which no
 * pair comes nearer than its contact distance r1 + r2 + skin. The caller moves the bodies: `x += displacement`, `angle += spin
 * * h`.
 *
 * It owns its scratch memory and the list of near pairs with their impulses (the warm start; the only state between substeps
 * that changes bits). It allocates only while its arrays still grow. One thread at a time, any thread. Only + - * / sqrt fma
 * are used. Every order is that of indices, which must ascend with the ids, so the same input gives the same bits
 * everywhere.
 *
 * The room rest_solver/: velocities and displacements of bodies that rest on each other; alone usable. It uses world,
 * geometry, math. It is called by contact, reports, resting, state. */
#ifndef COLLIDED_REST_SOLVER_SOLVER_H
#define COLLIDED_REST_SOLVER_SOLVER_H

#include "physics/world/awake_set.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct solver;

/* Columns of `count` elements, ascending by id. */
struct solver_bodies {
	uint64_t work_most; /* limit of contacts times sweeps, shared evenly; one sweep is always made. 0: no limit */
	bool thorough;   /* bodies at rest get as many sweeps as others, in the first round: otherwise they would come to rest ever
	                    more slowly */
	bool two_rounds; /* of islands with more than SOLVER_EXACT_MAX contacts; may change between substeps */
	uint32_t count;
	const uint32_t *movers; /* ascending: in a world without sleepers the columns of all others stay as they are */
	uint32_t mover_count;
	struct awake awake; /* all others sleep: none of them is active, and their columns are not read. Empty: none sleeps */
	const double *x, *y, *radius;
	const double *inverse_mass; /* 0: static or kinematic, moves at its velocity and is never pushed */
	const double *inverse_inertia;
	const uint8_t *active; /* 0: does not take part, nothing is written; 1: may; SOLVER_LED: was driven in the last substep */
	const double *gravity_scale; /* a body's gravity is the scene's times this; NULL: 1 for all */
	const double *surface_speed; /* of the circumference, counterclockwise, in addition to the spin; NULL: 0 for all */
	double *vx, *vy, *spin;      /* in: before the substep; out: after it. Counterclockwise > 0 */
	double *displacement_x, *displacement_y; /* out: the path of the substep is straight from `x` to `x + displacement` */
	uint8_t *driven; /* out: whether its island was solved: 1 or SOLVER_CLEAR. For all others the columns above are unchanged
	                 and the displacements mean nothing: the caller handles their paths, and collisions */
	uint8_t *steady; /* out, for driven ones: its acceleration is constant in the substep, and its displacement the mean of its
	                 velocities before and after, times h, up to pushes and clips. NULL: not asked for, and never so */
	double *vx_before, *vy_before, *spin_before; /* out, for steady ones: before the substep */
};

enum {
	SOLVER_LED = 2,   /* in `active` */
	SOLVER_CLEAR = 2, /* in `driven`: on its displacement it meets no wall, nothing of infinite mass, and no other body that is
	                     clear: no test is needed */
	SOLVER_WAITS = 3, /* in `driven`: gravity was withheld, as something in its island overlaps */
};

/* Gravity presses a pair together if this fraction of it is along their normal; the rest is rounding. So a wall supports
 * nothing if its normal is off the direction of gravity by less. */
#define PULL_PART 0x1p-20

#define SOLVER_WALL 0x80000000u /* in the second index of a pair: it is a segment's */

/* The material of a pair. */
struct solver_material {
	double friction;    /* coefficient */
	double rolling;     /* a length: the torque is at most this times the normal force */
	double restitution; /* only passed on, in a solver_question */
	bool central;       /* friction acts on the centres: it causes no rotation, and of moving surfaces feels only walls' */
};

/* Called for each near pair when the list is made (a < b, or b = segment | SOLVER_WALL): false if the pair never meets. */
typedef bool (*solver_pair_fn)(void *context, uint32_t a, uint32_t b, struct solver_material *material);
/* Called for each near pair in each substep: false if the pair is left to events. Not called for pairs of restitution 0 that
 * carried impulse, which stay with the solver; nor for the other pairs of solver_scene.heaps. */
struct solver_question {
	uint32_t a, b;
	double gap;      /* beyond the contact distance */
	double approach; /* speed along the normal */
	double travel;   /* tangential displacement in the substep */
	double impulse;  /* that it carried in the last substep */
	double restitution;
	double nx, ny; /* normal, from b to a */
};

typedef bool (*solver_mine_fn)(void *context, const struct solver_question *question);

/* What a segment is to a body with its centre at (x, y). The pair never meets; or the segment is one-sided and does not stop
 * the body there; or it is one-sided and does; or it has two sides. */
enum solver_wall { SOLVER_WALL_NONE, SOLVER_WALL_PASSED, SOLVER_WALL_LEFT, SOLVER_WALL_SOLID };

/* A body's centre, and when it is there: so long after the scene's moving walls were where it has them. */
struct solver_place {
	double x, y, time;
};

/* Called for one-sided segments and for those that meet others. */
typedef enum solver_wall (*solver_wall_fn)(void *context, uint32_t body, uint32_t segment, const struct solver_place *at);
/* Called where segments meet at acute angles: whether another one lies between the body and its foot on this one. */
typedef bool (*solver_hidden_fn)(void *context, uint32_t body, uint32_t segment, const struct solver_place *at);

struct segment;
struct vertex;
struct spoke;

/* Walls of which none moves as the solver has them, for the solvers of many worlds. Immutable: any thread. */
struct solver_walls;

struct solver_scene {
	const struct segment *segments; /* of the world (world.h), as the next two: borrowed for the solver's lifetime */
	const struct vertex *vertices;
	const struct spoke *spokes;
	uint32_t segment_count;
	const struct solver_walls *shared; /* made of these segments; borrowed too. NULL: the solver makes its own */
	const uint32_t *moving;            /* the moving segments, ascending; borrowed too */
	uint32_t moving_count;
	double gravity_x, gravity_y;
	solver_pair_fn pair;
	solver_mine_fn mine;
	solver_wall_fn wall;
	solver_hidden_fn hidden;
	bool heaps; /* no call for pairs of restitution < 1 that carried force, of bodies that were driven: they stay; nor for two
	               bodies without restitution. Those are the solver's if their gap is within the cushion, or if both were driven
	               and move less than `slow` of the smaller radius */
	bool asks;  /* pairs of restitution 0 that carried impulse are no exception */
	double slow;
	uint32_t bodies_min; /* islands of fewer bodies are solved only if there is friction, or if they have been before */
	void *context;
};

/* Constants of the method. The defaults are the best by measurement; a tune changes results, never the guarantee. */
struct solver_tune {
	double cushion;    /* fraction of the smaller radius: the gap at which circles rest. Larger is visible; smaller lets the
	                      solver's error reach the clip */
	double push_from;  /* fraction of the cushion: a nearer contact starts the position pass */
	double push_below; /* fraction of the cushion: the pass works on all contacts below it. They are pushed towards it in ever
	                      smaller steps, and left alone above push_from */
	double push_share; /* fraction of the missing gap that the position pass restores for each round of a substep */
	double tolerance;  /* times cushion / h: the remaining approach speed at which the sweeps end */
	double calm;       /* times the same, and the speeds that a sweep still changes: below this one sweep is enough, except in a
	                      thorough substep */
	unsigned sweeps_min, sweeps_max;
	unsigned cold_sweeps;    /* at most, where nothing carried force before: layers of circles need a few sweeps each */
	unsigned hard_sweeps;    /* of the position pass while a predicted gap is negative */
	unsigned overlap_sweeps; /* the same where a scene began with overlap. What is lifted lifts all that lies on it, one body
	                            farther in a sweep or two. With too few the clip stops a deep pile as it is */
	double flow;             /* an island flows while its kinetic energy, without that of its common velocity, is more than so
	                            many times that of gravity's change of velocity */
	unsigned flow_sweeps;    /* at most while it flows, if something carried force before. Also in place of gain_sweeps */
	double gain; /* fraction of an island's kinetic energy: a substep must not return more energy than this. The sweeps
	                continue, and at gain_sweeps the impulses are reduced to what takes energy */
	unsigned gain_sweeps;
};

struct solver_tune solver_tune_default(void);

/* Energies of one substep: kinetic_after - kinetic_before + lift = kick + contact + work + push + clip, to rounding. Spin is
 * kinetic too. */
struct solver_ledger {
	double kinetic_before, kinetic_after;
	double lift;    /* potential energy gained along the displacements */
	double kick;    /* kinetic energy gained from gravity less the potential energy lost along the straight displacements */
	double contact; /* kinetic energy that the impulses took, friction included. kick + contact <= 0 if solved exactly */
	double work;    /* done by immovable bodies, impulse times their velocity, and by moving surfaces */
	double push;    /* potential energy gained by the position pass */
	double clip;    /* potential energy gained by the clip */
};

struct solver_report {
	struct solver_ledger energy;
	uint64_t work;            /* contacts times sweeps of all kinds */
	uint32_t cut;             /* islands with fewer sweeps than needed: solver_cut_visit */
	uint32_t pairs, contacts; /* near pairs; those active in this substep */
	uint32_t islands, placed; /* placed: the bodies in islands */
	uint32_t sweeps;          /* the most of any island */
	uint32_t hard_sweeps;
	uint32_t clips;    /* bodies that got less than their displacement */
	double clip_most;  /* the largest fraction of a displacement that was taken away */
	double gap_min;    /* the smallest predicted gap after the clip; linear, so the true one may be larger */
	double outside[2]; /* momentum from walls, and bodies of infinite mass, to the driven ones: {x, y} */
	bool rebuilt;      /* the list of near pairs was */
};

/* NULL without memory. Copies `scene`. */
struct solver *solver_create(const struct solver_scene *scene, const struct solver_tune *tune);
void solver_destroy(struct solver *solver);
size_t solver_memory_bytes(const struct solver *solver);

/* solver_walls.c. NULL without memory. */
struct solver_walls *solver_walls_create(const struct solver_scene *scene);
void solver_walls_destroy(struct solver_walls *walls);
size_t solver_walls_memory_bytes(const struct solver_walls *walls);

/* One substep of h > 0. It begins `time` after the moment at which moving walls were where the scene has them. False without
 * memory; then what was written means nothing. The number of bodies, their radii and masses may change between calls only with
 * solver_edit. */
bool solver_step(struct solver *solver, const struct solver_bodies *bodies, double time, double h,
                 struct solver_report *report);

/* How much longer walls may move before the list is rebuilt; part of the state. A substep without solver_step must set it to 0,
 * except in a world without moving walls. */
double solver_wall_room(const struct solver *solver);
void solver_wall_room_set(struct solver *solver, double room);
/* Changes solver_scene.heaps and solver_scene.asks: which pairs need no call. */
void solver_calls_set(struct solver *solver, bool heaps, bool asks);
/* Gravity from the next step on: an edit may change the scene's. */
void solver_gravity_set(struct solver *solver, double x, double y);

/* The warm start: pairs that carry impulse after the last substep, in no order. */
struct solver_warm {
	uint32_t a, b; /* body index; body index or segment | SOLVER_WALL */
	double normal, tangent, rolling;
};

void solver_warm_visit(const struct solver *solver, void (*visit)(void *context, const struct solver_warm *warm),
                       void *context);

/* Visits the bodies in islands that had fewer sweeps than needed in the last substep, because of bodies.work_most. */
void solver_cut_visit(const struct solver *solver, void (*visit)(void *context, uint32_t body), void *context);

/* The island in which a body was solved, by its lowest movable body; UINT32_MAX if in none. Valid after a substep. */
uint32_t solver_island(const struct solver *solver, uint32_t body);

struct solver_touch {
	uint32_t a, b; /* as in solver_warm */
	uint32_t island;
	double impulse;
};

/* Whether a pair carries force since the last substep; a and b as in solver_warm, bodies in any order. */
bool solver_carries(const struct solver *solver, uint32_t a, uint32_t b);

/* Visits all contacts of solved islands, in no order. */
void solver_touches_visit(const struct solver *solver, void (*visit)(void *context, const struct solver_touch *touch),
                          void *context);

/* Makes the impulses of bodies that fall asleep dormant. `fallen` has no immovable one; asleep[] by index is 1 for them and 0
 * for all awake ones. The impulses return to their pairs in the substep in which both sides take part again. From now on these
 * bodies are not active. False without memory. */
bool solver_dormant_take(struct solver *solver, const uint8_t *asleep, const uint32_t *fallen, size_t count);
/* Restores dormant pairs, into a solver that has none. False without memory. */
bool solver_dormant_restore(struct solver *solver, const struct solver_warm *warm, size_t count);
size_t solver_dormant_count(const struct solver *solver);
/* Visits the dormant pairs; they are state, as the warm start is. Ascends by (a, b). */
void solver_dormant_visit(const struct solver *solver, void (*visit)(void *context, const struct solver_warm *warm),
                          void *context);

/* The state between calls, with which another solver continues with the same bits. It is the list of near pairs with their
 * impulses, and the place of each body when the list was made. */
struct solver_listing {
	bool listed; /* bodies.active then; if 0, the rest means nothing and is 0 */
	double x, y;
	double share; /* how far the body may move before the list is rebuilt */
};

/* Whether there is a list: some substep was made. */
bool solver_has_list(const struct solver *solver);
size_t solver_pair_count(const struct solver *solver);
struct solver_listing solver_listing(const struct solver *solver, uint32_t body);
/* Visits every pair of the list with its index, in no order; the list ascends by (a, b). What carried no impulse is all 0. */
void solver_pairs_visit(const struct solver *solver, void (*visit)(void *context, size_t index, const struct solver_warm *warm),
                        void *context);
/* Restores a list, into a solver that has none. `bodies` has its masses and radii; `pairs` ascend by (a, b) and are listed.
 * False without memory, with *bad SIZE_MAX; or if a pair never meets, *bad. The solver must then be destroyed. */
bool solver_restore(struct solver *solver, const struct solver_bodies *bodies, const struct solver_listing *listings,
                    const struct solver_warm *pairs, size_t pair_count, size_t *bad);

/* The same state in memory, for a return (keep.h). */
struct solver_kept {
	bool list_valid; /* else there is nothing but the wall room */
	bool woken, any_rolling;
	double wall_room;
	size_t pair_count, dormant_count;
};

struct solver_kept solver_kept_of(const struct solver *solver);
/* Bytes of the rest, for a world of so many bodies. */
size_t solver_kept_bytes(const struct solver *solver, const struct solver_kept *kept, uint32_t body_count);
/* Writes the rest, aligned as a double. */
void solver_kept_write(const struct solver *solver, uint32_t body_count, void *out);
/* Makes room for a return. False without memory; then nothing has changed. */
bool solver_kept_reserve(struct solver *solver, const struct solver_kept *kept, uint32_t body_count);
/* Returns to that state, in the same scene and with the same bodies. */
void solver_kept_return(struct solver *solver, const struct solver_kept *kept, uint32_t body_count, const void *in);

/* The changes of bodies and walls between two substeps. Indices keep their order. */
struct solver_change {
	uint32_t body_count;                        /* before */
	const uint32_t *body_to, *segment_to;       /* by old index: the new one, UINT32_MAX if removed */
	const uint8_t *body_touched, *wall_touched; /* by new index: bits below; others are ignored */
	bool walls;                                 /* the walls have changed: solver_walls_swap */
};

enum {
	SOLVER_TOUCH_OTHER = 2, /* meets others, or has another material or mass */
	SOLVER_TOUCH_ANEW = 4,  /* is new, or has another place or size: none of its state is kept */
};

/* Makes room for as many bodies. False without memory; then nothing has changed. */
bool solver_edit_reserve(struct solver *solver, uint32_t body_count);
/* Updates the list and the dormant pairs after the change: the columns have masses and radii. scene.pair is called for every
 * pair. The next substep rebuilds the list if any body may meet others than before. */
void solver_edit(struct solver *solver, const struct solver_bodies *bodies, const struct solver_change *change);
/* Exchanges the scenes and walls of the two. */
void solver_walls_swap(struct solver *solver, struct solver *other);

#endif
