/* solver_private: what the files of the solver share. Internal.
 *
 * A substep has these steps: pairs (near pairs, from a list with a margin) -> order (islands, colours) -> measure (gaps and
 * normals) -> solve (velocities) -> push (displacements) -> clip (the guarantee).
 *
 * A body has two numbers: the caller's index, and a place. Places run through the islands one after the other. Then come the
 * bodies without contacts, then one place for all static walls, with one for each moving wall after it, and last two for the
 * sides of unused slots. A pair has two
 * numbers too: its id, and a slot if it is near enough to meet in this substep. Slots of contacts are in the order of the
 * sweeps; they and the places in islands depend on which pairs are contacts, and on nothing else. All other slots and places
 * come after them, in any order. */
#ifndef COLLIDED_REST_SOLVER_SOLVER_PRIVATE_H
#define COLLIDED_REST_SOLVER_SOLVER_PRIVATE_H

#include "base/pause.h"
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
 * requires more rebuilds. */
#define SHARE_RADII 0.15
/* The same, in search ranges of the substep in which it was looked up: for those that move. */
#define SHARE_REACHES 3.0
/* Pairs nearer than this many radii of each (plus their motion in the substep) are contacts. Farther ones cannot carry impulse
 * unless something else hits them first; then the clip keeps them apart. */
#define ACTIVE_RADII 0.02
#define COLOURS 64
/* What a contact is counted in a sweep if it has a group to itself, because a body of it has contacts of all colours. A group
 * takes about as long with one contact as with all: as 3 contacts of the usual groups. */
#define SWEEP_ALONE 3u
/* Number of substeps for which a list covers moving walls: more make it longer, fewer require more rebuilds. */
#define WALL_STEPS 8.0

/* Two numbers at once: the same operations on each, so the same bits as one after the other. */
typedef double pair2 __attribute__((vector_size(16)));

static inline pair2
both(double value)
{
	return (pair2){ value, value };
}

/* Slots form groups of this size, of one colour: a CPU handles some of a group at once (solver_lanes.h). */
#define LANES 4u

/* A contact; near, but no contact: only certified; left to events; without a slot, as it cannot meet: pair_apart. */
enum { PAIR_CONTACT = 0, PAIR_FAR = 1, PAIR_EVENT = 2, PAIR_APART = 3 };

/* A near pair. b is a body or segment | SOLVER_WALL. Its id, the index in solver.pairs, stays while it is in the list. */
struct near_pair {
	uint32_t a, b;
	struct solver_material material;
	double normal, tangent, rolling; /* impulses; of a pair with a slot up to date only while no slots are in use, else 0 */
};

/* A pair in the list, which ascends by (a, b). */
struct pair_key {
	uint32_t a, b, id;
};

/* Pairs that carry impulse are contacts at first, because only contacts apply impulses. For all others the next substep finds
 * their kinds. A signed zero counts as an impulse: it can change the sign of another zero. */
static inline bool
impulse_carries(double normal, double tangent, double rolling)
{
	return normal != 0.0 || signbit(normal) || tangent != 0.0 || signbit(tangent) || rolling != 0.0 || signbit(rolling);
}

/* A group of contacts of one colour, slots LANES * k and on: the data of the sweeps. An unused slot holds a contact of two
 * points far from each other, of no mass, which does nothing. */
struct contacts {
	double nx[LANES], ny[LANES]; /* from b to a */
	double target[LANES];        /* least normal velocity */
	double friction[LANES];
	double mass[LANES];                /* 1 / (sum of inverse masses) */
	double arm_a[LANES], arm_b[LANES]; /* factors of the surfaces' speeds: see solver_body and solver_measure.c */
	double slip_mass[LANES];           /* 1 / (inverse masses along the tangent, rotation included) */
	uint32_t a[LANES], b[LANES];       /* places */
};

/* Separate from the contacts, so that the conjugate gradient steps read little memory. */
struct impulses {
	double normal[LANES], tangent[LANES]; /* tangent: counterclockwise from the normal */
};

/* What moving surfaces add to the slip. */
struct surface_bias {
	double slip[LANES];
};

/* The contact geometry, and other data of slots. */
struct spacings {
	double radii[LANES]; /* the sum */
	double skin_least[LANES];
	double cushion[LANES];
	double gap[LANES];                                  /* infinite in an unused slot */
	double friction[LANES], rim_a[LANES], rim_b[LANES]; /* of the material: the contact's friction and arms are made of them */
	double restitution[LANES];
};

/* Rolling resistance, only where a pair has any. */
struct roller {
	double impulse, length, inverse_ra, inverse_rb, inertia;
	double change, direction; /* as of the contacts' impulses */
};

struct solver_body {
	pair2 v;
	pair2 rest; /* first the surface's speed by spin in units of surface_unit, in which its inverse mass is 2 inverse_mass;
	               then inverse_mass */
};

/* A body's position, for the measurement. */
struct solver_position {
	pair2 at;   /* of a wall NaN */
	pair2 rest; /* SKIN_PER_COORDINATE times its larger coordinate; its search range in this substep: see ACTIVE_RADII */
};

struct displacement {
	pair2 v;
};

/* A connected set of contacts; solved alone, so that nothing remote changes its bits. */
struct island {
	uint32_t contact_start, contact_end; /* slots, whole groups */
	uint32_t outside_start, outside_end; /* in solver.outside */
	uint32_t colour;                     /* of the last contact, while they are assigned */
	uint32_t contact_count;
	uint32_t sweep_count;          /* what a sweep over them is counted, in contacts: SWEEP_ALONE */
	uint32_t body_start, body_end; /* places */
	double cushion;                /* the least of its contacts */
	bool idle;                     /* too small, or in free fall: left to events */
	bool slack, held; /* solver_free_fall.c: none of its contacts acts; something supports it. `held` is known only if it is
	                     slack or overlaps */
	bool overlaps;    /* some contact overlaps at the substep's start */
	bool push;        /* its displacements come too near: solver_positions.c */
	bool cut;         /* it had fewer sweeps than needed */
	bool halved;      /* it is solved in two rounds: solver_rounds.c */
};

/* What the second round of a group of contacts writes over and later steps need: its geometry when the substep begins, and the
 * impulses of the first round. */
struct first_round {
	double nx[LANES], ny[LANES], gap[LANES];
	struct impulses impulses; /* in the end the normal ones are those of both rounds */
};

/* Where a body is, and the radius within which it may meet others in this substep: skin and search range included. */
struct near_spot {
	double x, y, range;
};

/* Copies of what the loops need of a segment. */
struct wall_copy {
	double x1, y1, x2, y2; /* of a moving one: at the substep's start */
	double ux, uy, length; /* u: unit direction */
	uint32_t place;        /* of a moving one: offset from the place of all static walls, else 0 */
	double radius;
	double slack; /* for the search: more than its skin at present */
	bool sided;   /* it may be one-sided */
	bool acute;   /* as a segment's */
};

/* Which walls pass through which cells. */
struct wall_grid {
	double x0, y0, inverse;
	uint32_t columns, rows;
	uint32_t *start, *items; /* of cell c: items[start[c]..start[c + 1]) */
	uint32_t *seen, stamp;   /* of a wall: the query that found it last */
	bool shared;             /* all but the last is another's, and the walls too (solver_walls_create) */
};

/* A listed body in the cells, at the place where it was listed. */
struct near_row {
	double x, y, reach; /* its radius and its share */
	int32_t column, row;
	uint32_t next; /* in its bucket */
	uint8_t level; /* NEAR_LEVELS: it is in no cell */
	bool movable;
};

#define NEAR_LEVELS 24u

/* The cells of the listed bodies, in levels for bodies of like reach; hashed, so that only bodies take memory. */
struct near_cells {
	bool valid;
	double upper[NEAR_LEVELS], inverse[NEAR_LEVELS]; /* of each level: a bound of its reaches; 1 / the size of its cells */
	double most[NEAR_LEVELS];                        /* the largest reach in it since the cells were made */
	uint32_t counts[NEAR_LEVELS], count;             /* bodies */
	uint32_t *buckets;
	size_t bucket_count, bucket_capacity; /* the first a power of two */
	struct near_row *rows;                /* by body; as long as the other columns */
};

struct solver_kernels;

struct solver {
	struct solver_scene scene;
	struct solver_tune tune;
	const struct solver_kernels *way;
	/* Of the walls: only solver_walls_swap changes it. */
	bool belts; /* some segment's surface moves */
	struct wall_copy *walls;
	struct wall_grid wall_grid;

	/* State between substeps (solver_restore.c): the list with its impulses, and where it was made. All else follows. */
	struct pair_key *keys;
	size_t pair_count, key_capacity;
	struct near_pair *pairs; /* by id */
	size_t pair_capacity;
	uint32_t id_end, *free_ids; /* all ids in use are below; those below that are free */
	size_t free_count, free_capacity;
	size_t rolling_count; /* pairs with rolling resistance */
	bool list_valid;
	bool listing_given;          /* by solver_restore or solver_edit: it may even list sleeping bodies */
	double wall_room;            /* solver_wall_room */
	struct solver_warm *dormant; /* see solver_dormant_take */
	size_t dormant_count, dormant_capacity;
	uint8_t *bedded; /* by index: it may have dormant pairs */
	bool woken;      /* such a body may be in the list again: dormant_carry must check */
	/* The place of each body when its pairs were looked up last, and how far it may move from there; by index. */
	double *built_x, *built_y, *share;
	double *mass;                    /* by index; 0 if immovable or without part */
	double *rim;                     /* by index: surface_unit */
	uint8_t *listed;                 /* by index: whether it was active when it was looked up last */
	double *reach;                   /* by index: a body's search range in this substep */
	struct near_spot *spots;         /* by index */
	struct solver_listing *listings; /* scratch of solver_edit.c */
	size_t listing_capacity;
	size_t body_capacity;

	/* Order: places and slots. */
	bool ordered;       /* slots are in use and hold the impulses */
	bool contacts_left; /* some contact has left the list since the order was made */
	bool two_rounds;    /* large islands have; any_halved: some island has */
	bool any_halved;
	uint32_t *place;       /* of a body */
	uint32_t *body;        /* at a place */
	uint32_t *pair_of;     /* in a slot, NONE if unused */
	uint32_t *slot_of;     /* a pair's, while slots are in use */
	uint8_t *slot_kind;    /* as measured last */
	size_t slot_capacity;  /* of all arrays of slots, */
	size_t group_capacity; /* and of those by slot / LANES */
	uint8_t *kinds;        /* of pairs, by id: as measured last, or a guess */
	size_t id_capacity;    /* of the arrays by id */
	uint32_t contact_count;
	uint32_t contact_end, slot_end; /* slots: contacts, and others up to other_end, each in whole groups */
	uint32_t other_end;
	uint32_t *others, other_count;   /* slots of the pairs that are near, but no contacts, in the order of the list */
	uint32_t *members, member_count; /* bodies with a place; those in islands ascend */
	uint64_t *member_bits;           /* 0 between calls */
	struct contacts *contacts;       /* by slot / LANES, as the next */
	struct impulses *impulses;
	struct spacings *spacings;
	struct surface_bias *surface_bias;
	uint32_t *outside; /* slots of contacts with one immovable side, ascending */
	struct roller *rollers;
	bool any_rolling;
	double still_h;   /* the h for which the ranges of bodies that are no movers are known; 0: none */
	bool drives;      /* some body of infinite mass moves, whether it is near or not */
	bool any_driver;  /* the same, or a wall in a contact does */
	bool any_surface; /* some surface moves: surface_bias is in use, and otherwise not written */
	struct island *islands;
	uint32_t island_count, placed;  /* bodies in islands */
	uint32_t place_end;             /* number of bodies with a place: those in slots */
	uint32_t *root;                 /* of islands, by body */
	uint64_t *colour_mask;          /* by body */
	uint32_t *colour;               /* of a pair, by id */
	uint32_t *contact_ids, *sorted; /* contacts in the order of the list, and by colour */

	/* Scratch of a substep, by place. */
	struct solver_body *hot, *hot_direction;
	struct solver_body *hot_before; /* after the sweeps: the displacements by the velocities alone */
	struct solver_body *hot_start;  /* after gravity, before any impulse; with the mass in place of its inverse */
	struct solver_position *positions;
	struct displacement *displacements;
	double *kept;                        /* fraction of its displacement that each body keeps */
	uint8_t *halved;                     /* in an island of two rounds; by place in an island, as long as the order stays */
	uint8_t *was_driven;                 /* in the last substep, or immovable */
	uint8_t *driven;                     /* in an island that is solved, or immovable */
	uint8_t *steady;                     /* as solver_bodies.steady */
	uint8_t *unclear;                    /* some pair of it is left to events, or touches all the same; 0 between substeps */
	struct impulses *change, *direction; /* nonlinear conjugate gradients; by slot / LANES */
	struct first_round *first;           /* by slot / LANES; only where some island has two rounds */
	size_t first_capacity;
	double *exact; /* scratch of solver_exact.c */
	size_t exact_capacity;
	bool failed; /* no memory, within a substep */
	double time; /* for which moving walls are placed */

	/* Scratch of solver_pairs.c */
	struct near_cells cells;
	uint32_t *near; /* bodies and walls near the current one */
	size_t near_count, near_capacity;
	uint32_t *stale, stale_count; /* bodies that are looked up anew, ascending */
	uint8_t *is_stale;            /* by body; 0 between calls */
	struct pair_key *fresh, *fresh_sorted, *next_keys;
	size_t fresh_count, fresh_capacity, sorted_capacity, next_capacity;
	uint32_t *tally;
};

/* Grows *array (*capacity elements of `size` bytes) to hold `count`, and zeroes what is new; false without memory. It begins on
 * a cache line. */
bool solver_reserve(void *array_pointer, size_t *capacity, size_t count, size_t size);

/* solver_walls.c: the walls and their grid. False without memory. */
bool walls_build(struct solver *solver);
void wall_grid_finish(struct wall_grid *grid);
size_t walls_bytes(const struct solver *solver);
/* Calls found(solver, wall | SOLVER_WALL) for each wall within `reach` of the point; false if a call returned false. */
bool walls_near(struct solver *solver, double x, double y, double reach, bool (*found)(struct solver *, uint32_t));

/* Whether the segment comes within `reach` of the point, its radius and slack included. */
bool wall_near(const struct wall_copy *w, double x, double y, double reach);
/* Places the moving walls `time` after the scene's start. */
void walls_move(struct solver *solver, double time);
/* An upper bound of a wall's speed. */
static inline double
segment_speed(const struct segment *segment)
{
	return fabs(segment->vx) + fabs(segment->vy);
}
/* As walls_near, for moving walls; they may approach for `duration`. */
bool walls_moving_near(struct solver *solver, double x, double y, double reach, double duration,
                       bool (*found)(struct solver *, uint32_t));

/* solver_pairs.c: looks up the pairs of bodies that may have used up their share. False without memory. */
bool pairs_update(struct solver *solver, const struct solver_bodies *bodies, double h, bool *changed);
/* solver_list.c: makes room for so many ids, and for as many pairs in the list. False without memory. */
bool ids_reserve(struct solver *solver, size_t count);
bool pairs_reserve(struct solver *solver, size_t count);
/* The id of a pair; NONE: it is not in the list. */
uint32_t pair_find(const struct solver *solver, uint32_t a, uint32_t b);
/* Frees the id of a pair that leaves the list. */
void pair_drop(struct solver *solver, uint32_t id);
/* After solver.pairs was filled with pair_count pairs in the order of the list. */
void pairs_index(struct solver *solver);

/* solver_near.c: moves the stale bodies to their cells, or rebuilds the cells. False without memory. */
bool near_cells_update(struct solver *solver, const struct solver_bodies *bodies);
/* Adds the listed bodies near body i to solver.near, in no order: without those that are stale and below i. False without
 * memory. */
bool near_bodies_find(struct solver *solver, const struct solver_bodies *bodies, uint32_t i);
bool near_add(struct solver *solver, uint32_t b);

/* Makes room for `count` bodies, slots or ids. False without memory. */
bool body_arrays_reserve(struct solver *solver, size_t count);
bool slot_arrays_reserve(struct solver *solver, size_t count);
bool id_arrays_reserve(struct solver *solver, size_t count);
/* Sets the place of a body for the list, and what follows from its being listed. */
void listing_set(struct solver *solver, const struct solver_bodies *bodies, uint32_t i, const struct solver_listing *listing);

/* solver_dormant.c: returns dormant impulses to pairs that are listed again, if there may be any. */
void dormant_carry(struct solver *solver);

/* solver_kinds.c: whether a pair certainly cannot meet in a substep of h: its sides are farther apart than both together may
 * move. Such a pair is no contact, and has no effect. What an impact takes farther is left to events: displacement_beyond. */
bool pair_apart(const struct solver *solver, const struct solver_bodies *bodies, double h, const struct pair_key *key);
/* Guesses the kinds of the pairs while there is no order. */
void kinds_guess(struct solver *solver, const struct solver_bodies *bodies, double h);
/* Gives slots to those that have come near since the order was made. False without memory. */
bool others_add(struct solver *solver, const struct solver_bodies *bodies, double h);
/* Takes the kinds as measured. */
void kinds_take(struct solver *solver, const struct solver_bodies *bodies, double h);
/* solver_order.c: assigns slots to pairs and places to bodies by the kinds. False without memory. */
bool order_build(struct solver *solver, const struct solver_bodies *bodies);
/* Gives a pair the next slot after the contacts', and places to its sides. False without memory. */
bool other_deal(struct solver *solver, const struct solver_bodies *bodies, uint32_t id);
/* Makes a slot unused. */
void slot_clear(struct solver *solver, uint32_t slot, uint32_t body_count);
/* The first of the two places of unused slots; all places are before places_end. */
static inline uint32_t
place_unused(const struct solver *solver, uint32_t body_count)
{
	return body_count + 1 + solver->scene.moving_count;
}
static inline size_t
places_end(const struct solver *solver, uint32_t body_count)
{
	return (size_t)place_unused(solver, body_count) + 2;
}
/* Chooses the islands to solve. Their bodies, and immovable ones, are solver-driven. */
void islands_choose(struct solver *solver, const struct solver_bodies *bodies);
/* Writes the slots' impulses back to the pairs. */
void order_release(struct solver *solver);
/* The impulses that the next substep begins with, of a slot or of a pair: those of half a substep are told for a whole one. */
struct warmth {
	double normal, tangent, rolling;
};
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
/* Units (base/pause.h) of a step of a loop over bodies, pairs or slots that reads each from another line of memory. */
#define SOLVER_UNITS 2u
/* Whether a body has a place. */
static inline bool
body_is_member(const struct solver *solver, uint32_t body)
{
	return solver->place[body] < solver->place_end && solver->body[solver->place[body]] == body;
}
/* Whether the body at a place is movable: then it is in an island, if it has a contact. */
static inline bool
place_yields(const struct solver *solver, uint32_t place)
{
	return place < solver->placed;
}
/* Whether the island of a contact has two rounds. */
static inline bool
slot_halved(const struct solver *solver, uint32_t slot)
{
	uint32_t a = slot_a(solver, slot);

	return solver->any_halved && solver->halved[place_yields(solver, a) ? a : slot_b(solver, slot)];
}
/* What a contact carried, for a whole substep. */
static inline struct warmth
slot_warmth(const struct solver *solver, uint32_t slot)
{
	const struct impulses *impulses = &solver->impulses[slot / LANES];
	double parts = slot_halved(solver, slot) ? 2.0 : 1.0;

	return (struct warmth){
		.normal = parts * impulses->normal[slot % LANES],
		.tangent = parts * impulses->tangent[slot % LANES],
		.rolling = solver->any_rolling ? parts * solver->rollers[slot].impulse : 0.0,
	};
}
/* The normal impulse of a contact in this substep, of all rounds. */
static inline double
slot_carried(const struct solver *solver, uint32_t slot)
{
	return slot_halved(solver, slot) ? solver->first[slot / LANES].impulses.normal[slot % LANES]
	                                 : solver->impulses[slot / LANES].normal[slot % LANES];
}
static inline pair2
slot_normal(const struct solver *solver, uint32_t slot)
{
	const struct contacts *c = &solver->contacts[slot / LANES];

	return (pair2){ c->nx[slot % LANES], c->ny[slot % LANES] };
}

/* solver_measure.c: gaps and normals of the slots of no contacts. False if some is a contact now. *deep is set if some pair may
 * overlap. */
bool others_measure(struct solver *solver, const struct solver_bodies *bodies, double h, bool *deep);
/* The same and the targets of contacts; false if some is none any more. With `warm` their impulses change the velocities after
 * gravity, as long as all are contacts. */
bool contacts_measure(struct solver *solver, const struct solver_bodies *bodies, double h, bool warm, bool *deep);
/* The same for an island where its bodies are in the middle of a substep, half of which is `half`. What is no contact there
 * does not act. The impulses of the first half change the velocities. */
void island_measure_again(struct solver *solver, const struct solver_bodies *bodies, const struct island *island, double half);

/* The speed of a circle's surface by its spin, spin times radius, has the inverse mass radius^2 / inertia; for a disc that is 2
 * / mass. In units of this it is 2 / mass for any moment of inertia; 1 for a disc and for immovable bodies. */
static inline double
surface_unit(double inverse_mass, double inverse_inertia, double radius)
{
	return inverse_mass > 0.0 ? radius * sqrt(0.5 * inverse_inertia / inverse_mass) : 1.0;
}

/* Whether the solver must keep a pair apart: both sides are solver-driven, or immovable. */
static inline bool
slot_driven(const struct solver *solver, uint32_t slot)
{
	return solver->driven[slot_a(solver, slot)] && solver->driven[slot_b(solver, slot)];
}

/* solver_free_fall.c: leaves islands without support to events. None of their contacts carries, approaches, overlaps or is
 * pressed by gravity against something immovable. To be called after slots_measure. */
void islands_let_go(struct solver *solver, const struct solver_bodies *bodies, double h, struct solver_ledger *energy);

/* solver_sweeps.c: velocities, in each round of each island. `time` is that of the substep's begin. */
void islands_solve(struct solver *solver, const struct solver_bodies *bodies, double time, double h,
                   struct solver_report *report);

/* solver_rounds.c: the time of a round of an island. */
static inline double
island_time(const struct island *island, double h)
{
	return island->halved ? 0.5 * h : h;
}
/* The same for the body at a place. */
static inline double
place_time(const struct solver *solver, uint32_t place, double h)
{
	return place_yields(solver, place) && solver->halved[place] ? 0.5 * h : h;
}
/* Takes all to the middle of a substep, after the first round. */
void rounds_middle(struct solver *solver, double time, double h);
/* Begins the second round of an island: gravity, geometry, impulses of the first round. */
void island_round_second(struct solver *solver, const struct solver_bodies *bodies, const struct island *island, double h,
                         struct solver_ledger *energy);
/* After it: the geometry as it was when the substep began. */
void island_round_end(struct solver *solver, const struct island *island);
/* The bodies and walls, too. */
void rounds_end(struct solver *solver, const struct solver_bodies *bodies, double time);

/* Limit of contacts for an island that is solved exactly; the method costs up to n^4 / 6. */
#define SOLVER_EXACT_MAX 64u

enum solver_exact {
	SOLVER_EXACT_NOT,    /* too many contacts, squeezed, or driven: nothing was changed */
	SOLVER_EXACT_SPENT,  /* the same, because the work ran out */
	SOLVER_EXACT_SOLVED, /* no contact approaches beyond its target */
};

struct work_meter;

/* solver_exact.c: gives the contacts of an island, with the present friction, the least additional impulses with which none
 * approaches (lcp.h). They conserve momentum and only take energy. Sweeps do not converge where something heavy lies on
 * something light: each comes nearer by about the ratio of the masses. `worst`: the fastest approach that they left; a solution
 * that leaves as much is not taken. `anew`: the least impulses in place of those that they found. */
enum solver_exact island_solve_exactly(struct solver *solver, const struct island *island, double worst, bool anew,
                                       struct work_meter *work);

/* Whether its masses are so unlike that sweeps may end far from the solution, or its contacts so few that it is always asked.
 */
bool island_is_hard(const struct solver *solver, const struct island *island);

/* A pair with predicted overlap gets this fraction of its cushion, so that rounding does not bring it back. */
#define SOLVER_HARD_BELOW 0.05

/* The same for displacements: the least changes with which no contact of an island has a predicted gap below `below` of its
 * cushion, or below its gap now. Nothing is changed if a body had to be pushed by more than a cushion. */
enum solver_exact island_push_exactly(struct solver *solver, const struct island *island, double below,
                                      struct work_meter *work);

/* solver_steady.c: which bodies are steady, from their velocities before the substep and after it. To be called once the
 * velocities are solved. */
void steady_find(struct solver *solver, const struct solver_bodies *bodies, double h);

/* solver_positions.c: pushes displacements away from what is too near. */
void displacements_push(struct solver *solver, const struct solver_bodies *bodies, struct solver_report *report);

/* Parts what is driven side by side, in touch, and left to events. The rounding of its places, the same in each substep, would
 * bring it into each other, without an approach that an event would see. True if that changed a displacement. */
bool displacements_part(struct solver *solver);

/* solver_clip.c: the least gaps along the displacements. */
struct gap_summary {
	double gap_least; /* of any pair */
	bool push;        /* some contact comes nearer than the tune's push_from */
};
struct gap_summary gaps_measure(struct solver *solver);
/* Cuts displacements until no pair can touch. Once report->work is work_most (0: no limit), all that must be cut stands
 * still. False: nothing touched, and no displacement was changed. */
bool displacements_clip(struct solver *solver, uint64_t work_most, struct solver_report *report);
/* Whether an impact takes a body farther than its search range (bodies_range_set): the list of near pairs need not be complete
 * there, so that events are predicted for it. */
static inline bool
displacement_beyond(const struct solver *solver, uint32_t place)
{
	pair2 displacement = solver->displacements[place].v;

	return solver->hot[place].rest[1] > 0.0 && fabs(displacement[0]) + fabs(displacement[1]) > solver->positions[place].rest[1];
}

/* The multiple of gravity that acts on a body; `place` may hold an immovable one. */
static inline double
body_scale(const struct solver_bodies *bodies, uint32_t body)
{
	return bodies->gravity_scale ? bodies->gravity_scale[body] : 1.0;
}

#endif
