/* solver: the resting contact solver for piles and crowds.
 *
 * One call per sub-step: it kicks the bodies by gravity, makes the velocities of all near pairs compatible (rigid contacts,
 * Coulomb friction, rolling resistance) and gives every body a straight leg for the sub-step, along which no pair comes
 * nearer than its contact distance r1 + r2 + skin. The caller moves the bodies: x += leg, angle += spin * h.
 *
 * It owns the list of near pairs with their impulses (the warm start; the only state between sub-steps that changes bits) and
 * its scratch memory; it allocates only while its arrays still grow. One thread at a time, any thread. Only + - * / sqrt fma;
 * every order is that of indices, which must ascend with the ids, so the same input gives the same bits everywhere. */
#ifndef COLLIDED_REST_SOLVER_SOLVER_H
#define COLLIDED_REST_SOLVER_SOLVER_H

#include "physics/world/awake_set.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct solver;

/* Columns of `count` elements, ascending by id. */
struct solver_bodies {
	uint64_t work_most; /* contacts times sweeps that it may take, shared evenly; one sweep is always made. 0: what it takes */
	bool thorough;      /* sweeps what lies still as often as what does not: else it would come to rest ever more slowly */
	uint32_t count;
	struct awake awake; /* all others sleep: none of them is active, and their columns are not read. Empty: nobody does */
	const double *x, *y, *radius;
	const double *inverse_mass; /* 0: static or kinematic, moves at its velocity and is never pushed */
	const double *inverse_inertia;
	const uint8_t *active; /* 0: does not take part, nothing is written; 1: may; SOLVER_LED: was led in the sub-step before */
	const double *gravity_scale; /* the scene's gravity times it is a body's; NULL: 1 for all */
	const double *surface_speed; /* of the rims, counterclockwise, on top of the spins; NULL: 0 for all */
	double *vx, *vy, *spin;      /* in: before the sub-step; out: after it. Counterclockwise > 0 */
	double *leg_x, *leg_y;       /* out: the path of the sub-step goes straight from x to x + leg */
	uint8_t *led; /* out: whether it is in an island that was solved: 1 or SOLVER_CLEAR. For all others the columns
	                 before are as they were and the legs mean nothing: the caller looks after their paths, and
	                 collisions */
};

enum {
	SOLVER_LED = 2,   /* of active */
	SOLVER_CLEAR = 2, /* of led: on its leg it meets no wall, none of infinite mass, and none that is clear too: nobody needs to
	                    look */
	SOLVER_WAITS = 3, /* of led: gravity's kick was withheld, as something in its island overlaps */
};

/* Gravity presses a pair together if this part of it is along their normal; the rest is rounding. So a wall bears nothing whose
 * direction is off gravity's by less. */
#define PULL_PART 0x1p-20

#define SOLVER_WALL 0x80000000u /* in the second index of a pair: it is a segment's */

/* What a pair is made of. */
struct solver_material {
	double friction;    /* coefficient */
	double rolling;     /* a length: the torque is at most this times the normal force */
	double restitution; /* only handed on, in a solver_question */
	bool central;       /* friction acts on the centres: it turns nothing, and of surfaces feels only walls' */
};

/* Asked for each near pair when the list is made (a < b, or b = segment | SOLVER_WALL): false if the pair never meets. */
typedef bool (*solver_pair_fn)(void *context, uint32_t a, uint32_t b, struct solver_material *material);
/* Asked for each near pair in each sub-step: false if the pair is an event's, not the solver's. Not asked for pairs of
 * restitution 0 that carried impulse: they stay the solver's; nor for others of solver_scene.heaps. */
struct solver_question {
	uint32_t a, b;
	double gap;      /* beyond the contact distance */
	double approach; /* speed along the normal */
	double travel;   /* way along each other in the sub-step */
	double impulse;  /* that it carried in the sub-step before */
	double restitution;
	double nx, ny; /* normal, from b to a */
};

typedef bool (*solver_mine_fn)(void *context, const struct solver_question *question);

/* What a segment is to a body whose centre is at (x, y): the pair never meets; it is one-sided and does not stop the body
 * there; it is, and does; it has two sides. */
enum solver_wall { SOLVER_WALL_NONE, SOLVER_WALL_PASSED, SOLVER_WALL_LEFT, SOLVER_WALL_SOLID };

/* Asked of one-sided segments and of those that meet others. */
typedef enum solver_wall (*solver_wall_fn)(void *context, uint32_t body, uint32_t segment, double x, double y);
/* Asked where segments meet at acute angles: whether another one stands between the body and its foot on this one. */
typedef bool (*solver_hidden_fn)(void *context, uint32_t body, uint32_t segment, double x, double y);

struct segment;
struct vertex;
struct spoke;

struct solver_scene {
	const struct segment *segments; /* of the world (world.h), as the next two: borrowed for as long as the solver lives */
	const struct vertex *vertices;
	const struct spoke *spokes;
	uint32_t segment_count;
	const uint32_t *moving; /* the segments that move, ascending; borrowed too */
	uint32_t moving_count;
	double gravity_x, gravity_y;
	solver_pair_fn pair;
	solver_mine_fn mine;
	solver_wall_fn wall;
	solver_hidden_fn hidden;
	bool heaps; /* no question about pairs of restitution < 1 that carried, of bodies that were led: they stay; nor
	               about two bodies without restitution: they are the solver's where their gap is within the cushion, or
	               where both were led and travel less than `slow` of the smaller radius */
	double slow;
	uint32_t bodies_min; /* islands of fewer bodies are solved only where there is friction, or where they have been */
	void *context;
};

/* Constants of the method. Defaults are what was measured to be best; a tune changes results, never the guarantee. */
struct solver_tune {
	double cushion;    /* of the smaller radius: the gap at which circles rest. Larger shows; smaller lets the solver's error
	                      reach the clip */
	double push_from;  /* of the cushion: a contact nearer than it makes the position pass work */
	double push_below; /* of the cushion: on all contacts below it. What is pushed up to it in ever smaller parts is left alone
	                      when it is past the other */
	double push_share; /* part of what is missing that the position pass gives back in a sub-step */
	double tolerance;  /* of cushion / h: the approach speed left at which the sweeps end */
	double calm;       /* of the same, and of the speeds that a sweep still changes: so little, and one sweep was enough,
	                      but in a thorough sub-step */
	unsigned sweeps_min, sweeps_max;
	unsigned cold_sweeps;    /* at most, where nothing carried anything before: layers of circles need a few sweeps each */
	unsigned hard_sweeps;    /* of the position pass while a predicted gap is negative */
	unsigned overlap_sweeps; /* the same where a scene began with overlap: what is lifted lifts all that lies on it, one body
	                            farther in a sweep or two; with too few the clip holds a deep pile as it is */
	double gain; /* of an island's kinetic energy: more energy than this is not let come back in a sub-step; the sweeps
	                go on, and at gain_sweeps the impulses are cut to what takes energy */
	unsigned gain_sweeps;
};

struct solver_tune solver_tune_default(void);

/* Energies of one sub-step: kinetic_after - kinetic_before + lift = kick + contact + work + push + clip, to rounding. Spin is
 * kinetic too. */
struct solver_ledger {
	double kinetic_before, kinetic_after;
	double lift;    /* potential energy won along the legs */
	double kick;    /* kinetic energy won by gravity's kick less the potential energy lost along the straight legs */
	double contact; /* kinetic energy that the impulses took, friction included. kick + contact <= 0 when solved exactly */
	double work;    /* done by bodies that do not yield, impulse times their velocity, and by surfaces that move */
	double push;    /* potential energy won by the position pass */
	double clip;    /* potential energy won by the clip */
};

struct solver_report {
	struct solver_ledger energy;
	uint64_t work;            /* contacts times sweeps of all kinds */
	uint32_t cut;             /* islands that were given fewer sweeps than they need: solver_cut_visit */
	uint32_t pairs, contacts; /* near pairs; those active in this sub-step */
	uint32_t islands, placed; /* placed: the bodies in islands */
	uint32_t sweeps;          /* most of any island */
	uint32_t hard_sweeps;
	uint32_t clips;    /* bodies that were given less than their leg */
	double clip_most;  /* the largest part of a leg that was taken away */
	double gap_min;    /* the smallest predicted gap after the clip; linear, so the true one may be larger */
	double outside[2]; /* momentum that walls, and bodies of infinite mass, gave to the led ones: {x, y} */
	bool rebuilt;      /* the list of near pairs */
};

/* NULL without memory. Copies `scene`. */
struct solver *solver_create(const struct solver_scene *scene, const struct solver_tune *tune);
void solver_destroy(struct solver *solver);
size_t solver_memory_bytes(const struct solver *solver);

/* One sub-step of h > 0, which begins `time` after walls that move were where the scene has them. False without memory; then
 * nothing was written. The number of bodies, their radii and masses may change between calls only with solver_forget. */
bool solver_step(struct solver *solver, const struct solver_bodies *bodies, double time, double h,
                 struct solver_report *report);

/* For how long walls that move may still do so before the list is made anew; part of what is kept. A sub-step that passes
 * without solver_step, but for those of a world where no wall moves, must set it to 0. */
double solver_wall_room(const struct solver *solver);
void solver_wall_room_set(struct solver *solver, double room);

/* The warm start: pairs that carry impulse after the last sub-step, in no order. */
struct solver_warm {
	uint32_t a, b; /* body index; body index or segment | SOLVER_WALL */
	double normal, tangent, rolling;
};

void solver_warm_visit(const struct solver *solver, void (*visit)(void *context, const struct solver_warm *warm),
                       void *context);

/* The bodies whose islands had fewer sweeps than they need in the last sub-step, because of bodies.work_most. */
void solver_cut_visit(const struct solver *solver, void (*visit)(void *context, uint32_t body), void *context);

/* The island that a body was solved in, by its lowest body that yields; UINT32_MAX if in none. After a sub-step. */
uint32_t solver_island(const struct solver *solver, uint32_t body);

struct solver_touch {
	uint32_t a, b; /* as in solver_warm */
	uint32_t island;
	double impulse;
};

/* Whether a pair carries a load since the last sub-step; a and b as in solver_warm, bodies in any order. */
bool solver_carries(const struct solver *solver, uint32_t a, uint32_t b);

/* All contacts of solved islands, in no order. */
void solver_touches_visit(const struct solver *solver, void (*visit)(void *context, const struct solver_touch *touch),
                          void *context);

/* Puts the impulses of bodies that fall asleep (`fallen`, none that does not yield; asleep[] by index: 1 for them, 0 for all
 * who are awake) aside: they are given back to their pairs in the sub-step in which both sides take part again. From now on
 * they are not active. False without memory. */
bool solver_dormant_take(struct solver *solver, const uint8_t *asleep, const uint32_t *fallen, size_t count);
/* Puts aside what was, into a solver that has nothing aside. False without memory. */
bool solver_dormant_restore(struct solver *solver, const struct solver_warm *warm, size_t count);
size_t solver_dormant_count(const struct solver *solver);
/* What is aside; state, as the warm start is. Ascends by (a, b). */
void solver_dormant_visit(const struct solver *solver, void (*visit)(void *context, const struct solver_warm *warm),
                          void *context);

/* What is kept between calls, to go on elsewhere with the same bits: the list of near pairs with their impulses, and where each
 * body was when it was made. */
struct solver_listing {
	bool listed; /* bodies.active then; if not, the rest means nothing and is 0 */
	double x, y;
	double share; /* how far the body may go before the list is made anew */
};

/* Whether there is a list: some sub-step was made. */
bool solver_has_list(const struct solver *solver);
size_t solver_pair_count(const struct solver *solver);
struct solver_listing solver_listing(const struct solver *solver, uint32_t body);
/* Every pair of the list with its index, in no order; the list ascends by (a, b). What did not carry is all 0. */
void solver_pairs_visit(const struct solver *solver, void (*visit)(void *context, size_t index, const struct solver_warm *warm),
                        void *context);
/* Puts a list into a solver that has none. `bodies` has its masses and radii; `pairs` ascend by (a, b), are listed and meet.
 * False without memory; then only to be destroyed. */
bool solver_restore(struct solver *solver, const struct solver_bodies *bodies, const struct solver_listing *listings,
                    const struct solver_warm *pairs, size_t pair_count);

/* What happened to bodies and walls between two sub-steps. Indices keep their order. */
struct solver_change {
	uint32_t body_count;                        /* before */
	const uint32_t *body_to, *segment_to;       /* by index before: the one now, UINT32_MAX if gone */
	const uint8_t *body_touched, *wall_touched; /* by index now: bits below; others mean nothing */
	bool walls;                                 /* the walls are others: solver_walls_swap */
};

enum {
	SOLVER_TOUCH_OTHER = 2, /* meets others, or is of another material or mass */
	SOLVER_TOUCH_ANEW = 4,  /* is new, or somewhere else, or of another size: nothing is kept of it */
};

/* Room for as many bodies. False without memory; then nothing has changed. */
bool solver_edit_reserve(struct solver *solver, uint32_t body_count);
/* The list and what is put aside, after the change: the columns have masses and radii. scene.pair is asked for every pair. The
 * next sub-step makes the list anew if anybody could meet others. */
void solver_edit(struct solver *solver, const struct solver_bodies *bodies, const struct solver_change *change);
/* Gives each the other's scene and walls. */
void solver_walls_swap(struct solver *solver, struct solver *other);

#endif
