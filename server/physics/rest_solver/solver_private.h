/* solver_state: what the files of the solver solver share. Internal.
 *
 * A sub-step goes: pairs (near pairs, from a list with a margin) -> order (islands, colours) -> measure (gaps and normals)
 * -> solve (velocities) -> push (legs) -> clip (the guarantee).
 *
 * Bodies have two numbers: the caller's index, and a place, which runs through the islands one after the other; then come
 * the bodies without contacts and at last one for all walls, with one for each that moves behind it. Pairs too: their index in
 * the list, and a slot, in which the contacts stand in the order of the sweeps. Places and slots depend on which pairs are
 * contacts, and on nothing else. */
#ifndef COLLIDED_REST_SOLVER_SOLVER_PRIVATE_H
#define COLLIDED_REST_SOLVER_SOLVER_PRIVATE_H

#include "physics/geometry/skin.h"
#include "physics/math/double2.h"
#include "physics/rest_solver/solver.h"
#include "physics/world/world.h"

#include <assert.h>
#include <math.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* A body's share of a pair's margin in the list of near pairs, in radii: a larger one makes the list longer, a smaller one
 * rebuilds it more often. */
#define SHARE_RADII 0.15
/* Pairs nearer than this many radii of each (and what they move in the sub-step) are contacts. Farther ones cannot carry
 * impulse unless something else hits them first; then the clip holds. */
#define ACTIVE_RADII 0.02
#define COLOURS 64
/* Sub-steps for which a list is wide enough for the walls that move: more make it longer, fewer make it more often. */
#define WALL_STEPS 8.0

/* Two numbers handled at once: the same operations on each, so the same bits as one after the other. */
typedef double pair2 __attribute__((vector_size(16)));

static inline pair2
both(double value)
{
	return (pair2){ value, value };
}

/* Slots stand in groups of so many, of one colour: a machine handles some of a group at once (solver_lanes.h). */
#define LANES 4u

enum { PAIR_CONTACT = 0, PAIR_FAR = 1, PAIR_EVENT = 2 }; /* near, but no contact: only certified; not the solver's at all */

/* Near pair; ascending by (a, b). b is a body or segment | SOLVER_WALL. */
struct pair {
	uint32_t a, b;
	struct solver_material material;
	double normal, tangent, rolling; /* impulses, up to date only while no slots are in use */
	uint8_t kind;
};

/* Pairs that carry must be contacts from the start: only of these do the impulses count. Of all others the next sub-step finds
 * out what they are. A zero with a sign is an impulse too: it can turn the sign of another. */
static inline bool
impulse_carries(double normal, double tangent, double rolling)
{
	return normal != 0.0 || signbit(normal) || tangent != 0.0 || signbit(tangent) || rolling != 0.0 || signbit(rolling);
}

/* A group of contacts of one colour, slots LANES * k and on: what the sweeps read. A slot left over holds a contact of the wall
 * with itself, which does nothing. */
struct contacts {
	double nx[LANES], ny[LANES]; /* from b to a */
	double target[LANES];        /* least normal velocity */
	double friction[LANES];
	double mass[LANES];                /* 1 / (sum of inverse masses) */
	double arm_a[LANES], arm_b[LANES]; /* what the rims' speeds count: see hot_body and solver_measure.c */
	double slip_mass[LANES];           /* 1 / (inverse masses along the tangent, of the rims included) */
	uint32_t a[LANES], b[LANES];       /* places */
};

/* Apart from the contacts, so that the steps along a direction pass over little memory. */
struct impulses {
	double normal[LANES], tangent[LANES]; /* tangent: counterclockwise from the normal */
};

/* What moving surfaces add to the slip. */
struct drives {
	double slip[LANES];
};

/* What else slots know. */
struct spacings {
	double radii[LANES]; /* the sum */
	double skin_least[LANES];
	double cushion[LANES];
	double gap[LANES];                                  /* infinite in a slot left over */
	double friction[LANES], rim_a[LANES], rim_b[LANES]; /* of the material; rim_unit: of these the contact's friction and arms
	                                                       are made */
	double restitution[LANES];
};

/* Rolling resistance, only where a pair has any. */
struct roller {
	double impulse, length, inverse_ra, inverse_rb, inertia;
	double change, direction; /* as of the contacts' impulses */
};

struct hot_body {
	pair2 v;
	pair2 rest; /* the rim's speed in units of rim_unit, in which its inverse mass is 2 inverse_mass; inverse_mass */
};

/* Where a body is, for the measuring. */
struct spot {
	pair2 at;   /* of a wall no number */
	pair2 rest; /* SKIN_PER_COORDINATE of its larger coordinate; how far it sees in this sub-step: see ACTIVE_RADII */
};

struct leg {
	pair2 v;
};

/* A connected set of contacts; solved alone, so that nothing remote changes its bits. */
struct island {
	uint32_t contact_start, contact_end; /* slots, whole groups */
	uint32_t outside_start, outside_end; /* in solver.outside */
	uint32_t colour;                     /* of the last one, while they are dealt */
	uint32_t contact_count;
	uint32_t body_start, body_end; /* places */
	double cushion;                /* the least of any contact */
	bool idle;                     /* too small, or in free fall: left to events */
	bool slack, held;              /* solver_free_fall.c: none of its contacts acts; something holds it up. `held` is known
	                                  only of what is slack or overlaps */
	bool overlaps;                 /* some contact overlaps at the sub-step's start */
	bool push;                     /* its legs come too near: solver_positions.c */
	bool cut;                      /* it had fewer sweeps than it needs */
};

/* What is wanted of a segment at once. */
struct wall {
	double x1, y1, x2, y2; /* of one that moves: at the sub-step's start */
	double ux, uy, length; /* u: unit direction */
	uint32_t place;        /* of one that moves: that many behind the place of all others, else 0 */
	double radius;
	bool sided; /* it may be one-sided */
	bool acute; /* as a segment's */
};

/* Which walls pass through which cells. */
struct wall_grid {
	double x0, y0, inverse;
	uint32_t columns, rows;
	uint32_t *start, *items; /* of cell c: items[start[c]..start[c + 1]) */
	uint32_t *seen, stamp;   /* of a wall: in which query it was found last */
};

struct solver_kernels;

struct solver {
	struct solver_scene scene;
	struct solver_tune tune;
	const struct solver_kernels *way;
	/* Immutable after create. */
	bool belts; /* some segment's surface moves */
	struct wall *walls;
	struct wall_grid wall_grid;

	/* State between sub-steps (solver_restore.c): the list with its impulses, and where it was made. All else follows. */
	struct pair *pairs;
	size_t pair_count, pair_capacity;
	struct pair *old_pairs;
	size_t old_count, old_capacity;
	bool list_valid;
	bool listing_given;          /* by solver_restore or solver_edit: it may list even who sleeps */
	double wall_room;            /* solver_wall_room */
	struct solver_warm *dormant; /* see solver_dormant_take */
	size_t dormant_count, dormant_capacity;
	uint8_t *bedded; /* by index: something may be put aside of it */
	bool woken;      /* somebody of whom it is may be in the list again: dormant_carry looks */
	/* Where each body was when the list was made, and how far it may go from there; by index. */
	double *built_x, *built_y, *share;
	double *mass;                    /* by index; 0 for what does not yield or take part */
	double *rim;                     /* by index: rim_unit */
	uint8_t *listed;                 /* by index: bodies.active when the list was made */
	double *reach;                   /* by index: how far a body sees in this sub-step */
	struct solver_listing *listings; /* scratch of solver_edit.c */
	size_t listing_capacity;
	size_t body_capacity;

	/* Order: places and slots. */
	bool ordered;         /* slots are in use and hold the impulses */
	uint32_t *place;      /* of a body */
	uint32_t *body;       /* at a place */
	uint32_t *pair_of;    /* in a slot, NONE if left over */
	uint32_t *slot_of;    /* a pair's, while slots are in use */
	uint8_t *slot_kind;   /* as measured last */
	size_t slot_capacity; /* of all arrays of slots */
	uint32_t contact_count;
	uint32_t contact_end, far_end, slot_end; /* slots: contacts, far pairs, events', each in whole groups */
	struct contacts *contacts;               /* by slot / LANES, as the next */
	struct impulses *impulses;
	struct spacings *spacings;
	struct drives *drives;
	uint32_t *outside; /* slots of contacts with one side that does not yield, ascending */
	struct roller *rollers;
	bool any_rolling;
	bool any_driver;  /* some body of infinite mass moves */
	bool any_surface; /* some surface moves: drives are in use */
	struct island *islands;
	uint32_t island_count, placed; /* bodies in islands */
	uint32_t place_end;            /* bodies that have a place: those who do not sleep */
	uint64_t order_added;          /* of awake, when the order was made */
	uint32_t *root;                /* of islands, by body */
	uint64_t *colour_mask;         /* by body */
	uint32_t *colour, *sorted;     /* by pair */

	/* Scratch of a sub-step, by place. */
	struct hot_body *hot, *hot_before, *hot_direction;
	struct hot_body *hot_start; /* kicked, before any impulse; with the mass in place of its inverse */
	struct spot *spots;
	struct leg *legs;
	double *kept;                        /* part of its leg that each body keeps */
	uint8_t *was_led;                    /* in the sub-step before, or does not yield */
	uint8_t *led;                        /* in an island that is solved, or does not yield */
	uint8_t *unclear;                    /* some pair of it is an event's, or touches all the same; 0 between sub-steps */
	struct impulses *change, *direction; /* NNCG; by slot / LANES */
	double *exact;                       /* of solver_exact.c */
	size_t exact_capacity;
	bool failed; /* no memory, amid a sub-step */

	/* Grid of solver_pairs.c */
	uint32_t *cell_start, *cell_items;
	size_t cell_capacity, item_capacity;
	uint32_t *near; /* what one body is near to */
	size_t near_count, near_capacity;
};

/* Grows *array (of *capacity elements of `size` bytes) to hold `count`, zeroing what is new; false without memory. It begins
 * where a line of the cache does. */
bool solver_reserve(void *array_pointer, size_t *capacity, size_t count, size_t size);

/* solver_walls.c: the walls and their grid. False without memory. */
bool walls_build(struct solver *solver);
void wall_grid_finish(struct wall_grid *grid);
/* Calls found(solver, wall | SOLVER_WALL) for each wall within `reach` of the point; false if that did. */
bool walls_near(struct solver *solver, double x, double y, double reach, bool (*found)(struct solver *, uint32_t));

/* Where the walls that move are `time` after the scene's start. */
void walls_move(struct solver *solver, double time);
/* How fast one is, at least. */
static inline double
segment_speed(const struct segment *segment)
{
	return fabs(segment->vx) + fabs(segment->vy);
}
/* As walls_near, of those that move; they may come nearer for `duration`. */
bool walls_moving_near(struct solver *solver, double x, double y, double reach, double duration,
                       bool (*found)(struct solver *, uint32_t));

/* solver_pairs.c: makes the list anew if some body may have used its share. False without memory. */
bool pairs_update(struct solver *solver, const struct solver_bodies *bodies, double h, bool *rebuilt);

/* Room for `count` bodies or slots. False without memory. */
bool body_arrays_reserve(struct solver *solver, size_t count);
bool slot_arrays_reserve(struct solver *solver, size_t count);
/* Where a body is taken to be when the list is made, and what follows from its being in it. */
void listing_set(struct solver *solver, const struct solver_bodies *bodies, uint32_t i, const struct solver_listing *listing);

/* solver_dormant.c: gives the impulses put aside back to pairs that are listed again, if there may be some. */
void dormant_carry(struct solver *solver);

/* solver_order.c: what pairs of a new list will probably be measured to be, so that they need not be ordered twice. */
void kinds_guess(struct solver *solver, const struct solver_bodies *bodies);
/* solver_order.c: gives pairs their slots and bodies their places after pair.kind. False without memory. */
bool order_build(struct solver *solver, const struct solver_bodies *bodies);
/* solver_order.c: makes a slot one that is left over; `wall` is the place of walls. */
void slot_clear(struct solver *solver, uint32_t slot, uint32_t wall);
/* Which islands are solved. Their bodies, and what does not yield, are led. */
void islands_choose(struct solver *solver, const struct solver_bodies *bodies);
/* Writes the slots' impulses back to the pairs. */
void order_release(struct solver *solver);
static inline uint32_t
slot_a(const struct solver *solver, uint32_t slot)
{
	return solver->contacts[slot / LANES].a[slot % LANES];
}
static inline uint32_t
slot_b(const struct solver *solver, uint32_t slot)
{
	return solver->contacts[slot / LANES].b[slot % LANES];
}
/* Whether what is at a place yields: then it is in an island, if it has a contact. */
static inline bool
place_yields(const struct solver *solver, uint32_t place)
{
	return place < solver->placed;
}
static inline pair2
slot_normal(const struct solver *solver, uint32_t slot)
{
	const struct contacts *c = &solver->contacts[slot / LANES];

	return (pair2){ c->nx[slot % LANES], c->ny[slot % LANES] };
}

/* solver_measure.c: gap, normal and target of every slot, and the warm start: the contacts' impulses act on the kicked
 * velocities. False if a pair's kind changed: pair.kind is then written, and order, kick and measure must be made anew. Whether
 * some contact may overlap goes to *deep. */
bool slots_measure(struct solver *solver, const struct solver_bodies *bodies, double h, bool *deep);

/* A rim's speed, spin times radius, has the inverse mass radius^2 / inertia, a disc's 2 / mass. In units of this it has 2 /
 * mass for any moment of inertia; 1 for a disc and for what does not yield. */
static inline double
swept_box_unit(double inverse_mass, double inverse_inertia, double radius)
{
	return inverse_mass > 0.0 ? radius * sqrt(0.5 * inverse_inertia / inverse_mass) : 1.0;
}

/* Whether a pair is ours to keep apart: both sides are led, or do not yield. */
static inline bool
slot_led(const struct solver *solver, uint32_t slot)
{
	return solver->led[slot_a(solver, slot)] && solver->led[slot_b(solver, slot)];
}

/* solver_free_fall.c: leaves islands to events that nothing holds up: none of their contacts carries, approaches, overlaps or
 * is pressed by gravity against what does not yield. After slots_measure. */
void islands_let_go(struct solver *solver, const struct solver_bodies *bodies, double h, struct solver_ledger *energy);

/* solver_sweeps.c: velocities. */
void islands_solve(struct solver *solver, const struct solver_bodies *bodies, double h, struct solver_report *report);

/* Contacts of an island that is solved exactly; the method costs up to n^4 / 6. */
#define SOLVER_EXACT_MAX 64u

enum solver_exact {
	SOLVER_EXACT_NOT,    /* too many contacts, squeezed, or driven: nothing was changed */
	SOLVER_EXACT_SPENT,  /* so too, as the work ran out */
	SOLVER_EXACT_SOLVED, /* nothing approaches beyond its target */
};

struct work_meter;

/* solver_exact.c: gives the contacts of an island, with the friction that there is, the least impulses on top of theirs so that
 * none approaches (lcp.h). They keep momentum and only take energy. Sweeps do not get there where something heavy lies on
 * something light: each comes nearer by about the ratio of the masses. */
enum solver_exact island_solve_exactly(struct solver *solver, const struct island *island, struct work_meter *work);

/* solver_positions.c: legs away from what is too near. */
void legs_push(struct solver *solver, const struct solver_bodies *bodies, struct solver_report *report);

/* solver_clip.c: how near the legs lead. */
struct survey {
	double gap_least; /* of any pair */
	bool push;        /* some contact comes nearer than the tune's push_from */
};
struct survey legs_survey(struct solver *solver);
/* Cuts legs until no pair can touch. Once report->work is work_most (0: no bound), whatever must be cut stands still. */
void legs_clip(struct solver *solver, uint64_t work_most, struct solver_report *report);
/* Whether a blow takes a body farther than it saw (bodies_survey): the list of near pairs need not hold there, so that the
 * events look at it. */
static inline bool
leg_beyond(const struct solver *solver, uint32_t place)
{
	pair2 leg = solver->legs[place].v;

	return solver->hot[place].rest[1] > 0.0 && fabs(leg[0]) + fabs(leg[1]) > solver->spots[place].rest[1];
}

/* The part of gravity's kick that a body gets; `place` may hold a body that does not yield. */
static inline double
body_scale(const struct solver_bodies *bodies, uint32_t body)
{
	return bodies->gravity_scale ? bodies->gravity_scale[body] : 1.0;
}

#endif
