/* inside: what the parts of the checker share. Private to tests/outside.
 *
 * One thread. All positions, velocities and times of a tick in long double. */
#ifndef COLLIDED_TESTS_OUTSIDE_INSIDE_H
#define COLLIDED_TESTS_OUTSIDE_INSIDE_H

#include "outside/checker.h"
#include "outside/curve.h"

#include <math.h>

#define NO_BODY SIZE_MAX
#define NO_STRETCH SIZE_MAX

/* A part of a body's path: p + v s + a s^2 / 2 from t0 to t1. */
struct stretch {
	real t0, t1;
	struct point p, v, a;
	bool held;   /* by contacts, not by the resting solver */
	size_t next; /* of the same body */
};

/* A straight move at time 0, in the stream's order. */
struct push {
	size_t body;
	struct point move;
};

/* What is known of two that ignore each other until they are apart. */
enum parting { PARTING_NOT_YET, PARTING_UNSURE, PARTING_DONE };

struct body {
	struct outside_circle def;
	struct point gravity; /* what acts on it */
	real inertia;
	/* Between ticks. */
	struct point p, v;
	real spin;
	bool asleep;
	bool spin_known;
	bool been_crushed; /* and has not been free of overlap since */
	bool gone;         /* it has ended in an earlier tick: everything below is of then */
	bool out;          /* the bounds removed it, in the tick before */
	uint32_t ticks_left;
	real seconds_left, seconds_slop;
	enum parting parting; /* of the circle that it ignores until they are apart */
	/* Of the tick under way. */
	struct point start, start_v; /* as told at its beginning */
	real start_spin;
	struct point told, told_v; /* as told at its end, or at the circle's own */
	real told_spin;
	const struct outside_end *end;                       /* NULL: it is still there after the tick */
	real ends;                                           /* at that time; beyond the tick if it does not */
	bool stopped;                                        /* by a rule, at the time under way */
	bool removed_held;                                   /* a contact removed it while it was stopped */
	real stopped_since, parked_since, released, removed; /* when it last was so; beyond the tick: never */
	size_t first, last;                                  /* its stretches */
	real t;                                              /* the path is known up to here */
	struct point a;                                      /* p and v above are those at t */
	bool led, parked, kicked, pushed;
	bool overlaps; /* something, at the tick's end */
	real crushed;  /* from when on; beyond the tick if it is not */
	unsigned flags;
	real amounts[OUTSIDE_FLAGS];
	real reach, speed;      /* largest coordinate and speed of the path */
	size_t roundings;       /* of its path: stretches, and what begins them */
	real slop;              /* how far rounding may have moved the path */
	struct point low, high; /* a box around the path, pushes and radius */
	/* Contacts at time t. */
	bool touching;
	struct point touch_before, cluster_before, cluster_after, impulse;
	real impulse_size, together, momenta;
	size_t touches;
	bool clustered;
	const char *pending; /* what its contact's velocities before did not match, unless the solver explains it */
	real pending_size;
};

struct wall {
	struct outside_wall def;
	struct point e1, e2; /* at the tick's start */
	struct point v;
	struct bar bar; /* so too */
	real reach;     /* its largest coordinate, then or as defined */
	real slop;
};

/* What came together with a contact. */
enum company {
	COMPANY_CONTACTS = 1,
	COMPANY_SOLVER = 2,
	COMPANY_HELD_A = 4, /* a rule has stopped a: here it is immovable */
	COMPANY_HELD_B = 8,
};

/* Of a body and a one-sided wall. */
enum passing { PASSING_APART, PASSING_WITHIN, PASSING_BROKEN };

struct outside {
	struct outside_scene scene; /* its arrays are not kept */
	struct body *bodies;        /* ascending by id */
	size_t body_count;
	struct wall *walls;
	size_t wall_count;
	struct outside_relation *relations;
	size_t relation_count;
	uint8_t *passing; /* body_count x wall_count, only if something is one-sided */
	int8_t *sides;    /* so too: of the wall, where the centre was when last seen near it; 0: not known */
	struct stretch *stretches;
	size_t stretch_count, stretch_capacity;
	struct push *pushes;
	size_t push_count, push_capacity;
	struct point *contact_places; /* two a contact: the centres of a and b */
	uint8_t *contact_company;     /* bits of enum company */
	size_t place_capacity, company_capacity;
	uint8_t *open;       /* body_count x (body_count + wall_count): bits of what events have told */
	real together;       /* the impulses of all contacts at the time under way */
	real momenta;        /* of the circles of those contacts */
	real fastest_before; /* of all ticks so far */
	real fastest;        /* speed of the tick */
	real gravity;        /* largest acceleration */
	real untold;         /* events of the tick of which no contact is told, at most */
	real clusters;       /* times at which contacts of a cluster are told */
	real extent;         /* largest coordinate of the walls */
	real reach;          /* and of what moves in the tick */
	bool strict;         /* the scene can neither lose nor gain energy */
	bool closed;         /* it cannot gain energy */
	real energy;         /* of the state */
	const struct outside_tick *tick;
	struct outside_report report;
	bool failed; /* no memory */
};

static inline struct point
point_of(const double pair[2])
{
	return (struct point){ pair[0], pair[1] };
}

static inline struct point
point_add(struct point a, real times, struct point b)
{
	return (struct point){ a.x + times * b.x, a.y + times * b.y };
}

static inline real
point_dot(struct point a, struct point b)
{
	return a.x * b.x + a.y * b.y;
}

static inline real
point_size(struct point a)
{
	return sqrtl(a.x * a.x + a.y * a.y);
}

static inline bool
points_equal(struct point a, struct point b)
{
	return a.x == b.x && a.y == b.y;
}

static inline real
larger_of(real a, real b)
{
	/* NaN wins. */
	return a <= b ? b : a;
}

static inline real
smaller_of(real a, real b)
{
	return a < b ? a : b;
}

static inline real
point_reach(struct point a)
{
	return larger_of(fabsl(a.x), fabsl(a.y));
}

/* The index; NO_BODY if there is none. */
size_t outside_body(const struct outside *outside, uint32_t id);
size_t outside_wall(const struct outside *outside, uint32_t id);
/* At least so many elements; false without memory. */
bool outside_reserve(void **array, size_t *capacity, size_t count, size_t size);

/* Adds a finding, or an excused one if a bit of `flags` is set. */
void outside_find(struct outside *outside, enum outside_finding finding, real size, unsigned flags, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* Which pairs meet, and with what materials (outside_meet.c). */
struct manner {
	real restitution, friction;
	bool stop, rolls;
	real share_a, share_b; /* what of the told impulse each gets: 1 by the masses */
};

bool outside_circles_meet(const struct outside *outside, const struct body *a, const struct body *b);
bool outside_wall_meets(const struct outside *outside, const struct body *a, const struct wall *b);
/* Whether they ignore each other until they are apart, and what is known of that. Those that do are said to meet. */
enum parting outside_parting(const struct outside *outside, const struct body *a, const struct body *b);
bool outside_circle_senses(const struct outside *outside, const struct body *sensor, const struct body *a);
bool outside_wall_senses(const struct outside *outside, const struct wall *sensor, const struct body *a);
bool outside_wall_one_sided(const struct outside *outside, const struct body *a, const struct wall *b);
struct manner outside_manner(const struct outside *outside, const struct body *a, const struct body *b, const struct wall *wall,
                             bool by_mass);

/* Parts of the walk along the paths (outside_path.c). First what rounding may do to a velocity on the body's path, and what
 * events that are not told may. Then a fault that is kept until something explains it, and the extent of the body's path. */
real outside_velocity_slop(const struct outside *outside, const struct body *body);
real outside_untold_slop(const struct outside *outside);
void outside_pend(struct body *body, const char *what, real size);
void outside_note(struct body *body);
/* A contact with the body after a rule has stopped it: it must be told as of something that does not move. */
void outside_held_take(struct outside *outside, struct body *body, const struct outside_contact *contact, bool is_a);
/* A contact moves the body; if it is stopped it must have been let go. */
void outside_stop_leave(struct outside *outside, struct body *body, real time);
/* A contact with a shape of the group; `same`: as another one of its cluster told it; `held`: a rule had stopped it. */
void outside_removed_note(struct outside *outside, struct body *body, const struct outside_contact *contact, uint32_t group,
                          bool same, bool held);
void outside_stop_take(struct outside *outside, struct body *body, const struct outside_change *change);
void outside_release_take(struct outside *outside, struct body *body, const struct outside_change *change);

/* Before the first tick's paths: which of those that ignore each other until they are apart are so from the start. */
void outside_parting_begin(struct outside *outside);

/* The parts of judging a tick, in this order. */
bool outside_numbers(struct outside *outside);      /* false: nothing can be rebuilt */
void outside_paths(struct outside *outside);        /* outside_path.c */
void outside_contacts(struct outside *outside);     /* outside_contact.c */
void outside_pairs(struct outside *outside);        /* outside_pair.c */
void outside_sums(struct outside *outside);         /* outside_energy.c */
void outside_rules(struct outside *outside);        /* outside_rule.c */
void outside_events(struct outside *outside);       /* outside_event.c */
void outside_energy_begin(struct outside *outside); /* which energies a scene must keep */

/* The group of the side that is not a, or not b. */
uint32_t outside_other_group(const struct outside *outside, const struct outside_contact *contact, bool of_a);
/* Whether a change of that kind is told of the body at that time. */
bool outside_change_at(const struct outside *outside, const struct body *body, real time, enum outside_change_kind kind);
/* The first time from which on the two circles' paths are farther apart than `reach`; HUGE_VALL: never in this tick. */
real outside_apart_from(const struct outside *outside, const struct body *a, const struct body *b, real reach);
/* What a wall's core is at that time. */
struct bar outside_bar_at(const struct wall *wall, real time);
/* The skin that the engine's documents state. */
real outside_skin(real reach, real radius);

#endif
