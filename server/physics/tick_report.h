/* tick_report: what a tick says: contacts, events of pairs, paths and their changes, ends, shortfalls, ledgers. Part of the
 * public header, physics.h, which includes it. */
#ifndef COLLIDED_PHYSICS_TICK_REPORT_H
#define COLLIDED_PHYSICS_TICK_REPORT_H

#include "physics/tick_cost.h"

#include <stddef.h>
#include <stdint.h>

enum contact_other { CONTACT_CIRCLE = 0, CONTACT_SEGMENT = 1 };
enum contact_feature { FEATURE_FACE = 0, FEATURE_END_1 = 1, FEATURE_END_2 = 2 }; /* of the segment; FACE for circles */
enum contact_flag {
	CONTACT_RESTING = 1 << 0,   /* the pair stays together: no rebound although restitution > 0, or a supporting contact */
	CONTACT_SECONDARY = 1 << 1, /* not the contact that happened, but one resolved together with it in its cluster */
	CONTACT_BY_MASS = 1 << 2,   /* the pair has weights, but without a solution, or they ran away: resolved by the masses */
	CONTACT_A_STOPPED = 1 << 3, /* a contact rule has stopped a before it: here a is immovable, with no velocity */
	CONTACT_B_STOPPED = 1 << 4, /* so too b, a circle. The contact that stops it has no such flag */
};

/* One collision. Several with the same time and a shared body are one cluster: the velocities before are those before the whole
 * cluster, the velocities after those after it. 2D vectors are {x, y}. An event that changes a velocity by no more than 2^-49
 * of the speeds around, which is rounding, is not told. */
struct contact {
	double time;             /* in the tick, 0..dt */
	uint32_t a;              /* id of a circle; the lower id if both are circles */
	uint32_t b;              /* id of a circle or a segment */
	uint8_t other;           /* enum contact_other: what b is */
	uint8_t feature;         /* enum contact_feature */
	uint8_t flags;           /* enum contact_flag */
	double point[2];         /* on the surface of a, towards b */
	double normal[2];        /* unit, from b to a: a gets +impulse * normal, b gets -impulse * normal */
	double approach_speed;   /* >= 0, along the normal, when the pair was first seen approaching in its cluster */
	double impulse;          /* >= 0, mass * length / second; with weights see struct relation_def */
	double friction_impulse; /* a gets it times the normal turned left, b its opposite; |it| <= friction * impulse, unless
	                            RESPONSE_STOP */
	double a_before[2], a_after[2];     /* velocities of a */
	double b_before[2], b_after[2];     /* velocities of b; a segment's is its own, and never changes */
	double a_spin_before, a_spin_after; /* angular velocities */
	double b_spin_before, b_spin_after; /* zero for a segment */
};

/* Events of pairs. `gap` is their distance less both radii (a thin segment has none) and, except for sensors, less the skin.
 * The cushion is 1 % of the smaller radius.
 *
 * A pair touches from its BEGIN to its END, over any number of ticks, with neither in between. It begins
 * - with a contact, at its time;
 * - when few bodies come to rest together without one (as where one rolls from a wall onto the next);
 * - when the rest solver has it carry force, in the substep in which it does, once the gap is at most 1.25 cushions. The same
 *   holds for pairs that a scene begins with at rest.
 * It ends
 * - at the time of the contact that it began with, if the two recede from it: BEGIN, HIT and END, in this order;
 * - else at the first time at which the gap is more than 2 cushions and a skin;
 * - at time 0 of the tick after a side was removed, or changed so that they do not meet any more.
 * A contact of a pair that touches already is a HIT, and nothing else. A circle that rolls over a joint of two walls touches
 * both.
 *
 * A sensor detects dynamic and kinematic circles that it meets by category, mask and filter group; no static circles, no
 * segments and no other sensors. A pair may have no sensor and yet be made one by RELATION_KIND_SENSOR. Then the segment
 * detects the circle. Of two circles the static one detects, else the one in the relation's group_b, and in one group the one
 * with the higher id. A detected circle enters at the first time at which the gap is <= 0. It exits at the first time at which
 * the gap is more than 2^-46 of the largest coordinate that either could have within a tick along its path. That is 64 ulp, so
 * that rounding alone does not count. For a circle that is where the path began, plus dt (|vx| + |vy|) and dt^2 (|ax| + |ay|).
 * This may happen several times in a tick. Circles that are inside when a scene begins enter at time 0 of the first tick. All
 * this includes sleeping, solver-driven, parked and pushed circles.
 *
 * Times are exact: to a few ulp of the gap along the paths that contacts and path changes give. The order is by time. At one
 * time pairs that an edit ended come first. Then come events without a contact, in the order BEGIN, ENTER, EXIT, END, each kind
 * by a, circles before segments, by b. Then those that contacts caused, in the order of the contacts; last PERSIST, by a,
 * circles before segments, by b. */
enum pair_event_kind {
	PAIR_EVENT_BEGIN = 0,
	PAIR_EVENT_HIT = 1,     /* a contact with an approach speed of at least world_def.hit_speed */
	PAIR_EVENT_PERSIST = 2, /* at the tick's end: the pair touches then */
	PAIR_EVENT_END = 3,
	PAIR_EVENT_ENTER = 4, /* b detects, and a is now inside */
	PAIR_EVENT_EXIT = 5,
};

struct pair_event {
	double time;           /* in the tick, 0..dt */
	uint32_t a;            /* id of a circle; the lower id if both are circles; with a sensor the detected circle */
	uint32_t b;            /* id of a circle or a segment */
	uint8_t kind;          /* enum pair_event_kind */
	uint8_t other;         /* enum contact_other: what b is */
	uint8_t feature;       /* enum contact_feature: the nearest part of the segment */
	uint64_t a_tag, b_tag; /* circle_def.tag; 0 of a segment, and of a circle that an edit has removed before the tick */
	double point[2];       /* on the surface of a, towards b. Like the normal 0 if an edit ended the pair */
	double normal[2];      /* unit, from b to a; 0 if concentric */
	double approach_speed; /* the contact's, if one began it or hit; else 0 */
	double impulse; /* the same; PERSIST: of the tick's contacts, and what the rest solver had it carry. The forces by which a
	                   few bodies rest without impacts (resting_contact.c) are not in it */
};

enum path_piece_kind {
	PIECE_MOVES = 0,
	PIECE_DRIVEN = 1, /* by the rest solver: the circle's own velocity is another */
	PIECE_STANDS = 2, /* parked, crushed or stopped: its velocity is kept for the next tick */
};

/* A piece of a circle's path: from `time` in the tick to its next piece, or the tick's end. */
struct path_piece {
	double time;
	uint32_t body; /* circle id */
	uint8_t kind;  /* enum path_piece_kind */
	double position[2], velocity[2], acceleration[2];
	double angle, spin; /* there; while it stands, it does not turn */
};

enum path_change_kind {
	PATH_PUSHED = 0,    /* moved by `vector` at time 0, to undo overlap found at the start; velocity unchanged */
	PATH_SUPPORTED = 1, /* from `time` on the path's acceleration is `vector` (gravity less what contacts support) */
	PATH_FREE = 2,      /* from `time` on the path's acceleration is gravity again */
	PATH_PARKED = 3,    /* from `time` to the tick's end the body stands still; its velocity is kept for the next tick */
	PATH_CRUSHED = 4,   /* as PARKED, because it is squeezed between immovable things */
	PATH_LED = 5, /* from `time` on the path is straight with the velocity `vector`, driven by the rest solver; contacts and
	                 states give the body's own velocity, which is another */
	PATH_RELEASED = 6, /* from `time` on the path is free again: velocity `vector`, acceleration gravity */
	PATH_ASLEEP = 7,   /* at the tick's end it falls asleep: it has no velocity, and stands still until PATH_WOKEN */
	PATH_WOKEN = 8,    /* at `time` it wakes; it stands still up to its next change */
	PATH_KICKED = 9,   /* at time 0 its velocity became `vector`, by damping or by the world's speed limit. Before all else */
	PATH_STOPPED = 10, /* by a contact rule: from `time` to the tick's end it stands still; its velocity is kept for the next
	                      tick. PATH_RELEASED ends it earlier */
};

/* Changes of a path other than contacts, which leave accelerations as they were. With them every path can be reconstructed
 * exactly. */
struct path_change {
	double time;
	uint32_t body; /* circle id */
	uint8_t kind;  /* enum path_change_kind */
	double vector[2];
};

enum end_reason {
	END_CONTACT = 0,  /* circle_def.remove_groups */
	END_LIFETIME = 1, /* circle_def.lifetime_ticks, lifetime_s */
	END_BOUNDS = 2,   /* world_def.has_bounds */
};

/* The end of a circle: from `time` on it is not there, and after the tick it is removed as by an edit. */
struct body_end {
	double time;
	uint32_t body;      /* circle id */
	uint8_t reason;     /* enum end_reason */
	uint64_t tag;       /* circle_def.tag */
	double position[2]; /* then */
	double velocity[2]; /* the same; after the contact */
};

/* Why a body's tick was not, or not exactly, what was asked for. That one which ends was parked or crushed before is told by
 * its path changes alone. */
enum body_flag {
	BODY_FLAG_BUDGET = 1 << 0, /* parked at its limit of events, by a parked one, or when the tick's work was used up. Or
	                              solver-driven with fewer sweeps than needed. amount = fraction of the tick from then on */
	BODY_FLAG_INITIAL_OVERLAP = 1 << 1, /* overlap at the tick's start that could not be undone; amount = depth left */
	BODY_FLAG_CRUSHED = 1 << 2,         /* squeezed by immovable things; amount = depth at the tick's end */
	BODY_FLAG_FAST = 1 << 3, /* faster than the skin covers, or the rest solver can follow; amount = radii per tick */
};

struct shortfall {
	uint32_t body;
	uint32_t flag; /* one enum body_flag */
	double amount;
};

/* Energies at the tick's end (kinetic: of translation and of spin) and where they went within it. after - before = contact +
 * work + push + clip + support + sleep + damping + removed, to rounding. */
struct energy_ledger {
	double kinetic_before, kinetic_after;
	double potential_before, potential_after; /* -mass * gravity_scale * gravity . position, dynamic circles */
	double contact;  /* lost in collisions, also with kinematic circles: <= 0, apart from a small part that the rest solver
	                    leaves unsolved */
	double friction; /* the part of `contact` that friction and rolling resistance took: <= 0 */
	double work; /* done by kinematic circles and segments (impulse times surface velocity), by surface_speed (friction impulse
	                times it), and by weights other than the masses */
	double push; /* potential energy changed by depenetration */
	double clip; /* potential energy changed by clipping displacements of the rest solver */
	double support; /* change by the paths of resting and parked bodies */
	double sleep;   /* kinetic energy of bodies that fell asleep: <= 0 */
	double damping; /* kinetic energy that damping and the speed limit took at the tick's start: <= 0 */
	double removed; /* less the energy, kinetic and potential, of circles at their ends (struct body_end) */
};

/* Momenta {x, y} of all dynamic circles at the tick's ends, and what changed them: after - before = gravity + outside. */
struct momentum_ledger {
	double before[2], after[2];
	double gravity[2];
	double outside[2]; /* from segments, static and kinematic circles, and weights other than the masses; less what bodies that
	                      fell asleep, damping and the speed limit took, and what ended */
};

/* The place of a segment. */
struct segment_place {
	uint32_t id;
	double x1, y1, x2, y2;
};

struct tick_report {
	uint64_t tick;       /* number of ticks, this one included */
	uint64_t events;     /* resolved, all kinds */
	uint64_t collisions; /* contacts that are not RESTING */
	uint64_t clusters;   /* resolved with more than one pair */
	uint64_t asleep;     /* bodies asleep at the tick's end */
	uint64_t clips;      /* solver-driven paths that had to be clipped */
	uint64_t work;       /* counted, at most work_max: events, cluster iterations, sweeps. The same with any cells or threads */
	uint64_t work_max;   /* the limit of this tick */
	struct energy_ledger energy;
	struct momentum_ledger momentum;
	struct tick_cost cost;
	/* In order of time. Valid until the next call on the world that is not a query, or as world_workspace_set says. The memory
	 * is the world's own: it grows with the largest tick, and a tick that is no larger allocates nothing. */
	const struct contact *contacts;
	size_t contact_count;
	const struct path_change *path_changes;
	size_t path_change_count;
	const struct shortfall *shortfalls; /* ascending by body id */
	size_t shortfall_count;
	const struct pair_event *pair_events; /* as world_def.events and the sensors require */
	size_t pair_event_count;
	const struct path_piece *paths; /* of circles that are not static, ascending by id, then by time: WORLD_EVENTS_PATHS of all,
	                                   WORLD_EVENTS_CHANGED_PATHS of those */
	size_t path_count;
	bool paths_lost;                    /* those of WORLD_EVENTS_CHANGED_PATHS, for want of memory: there are none */
	const struct segment_place *places; /* at the tick's end, of all segments that have a velocity, ascending by id */
	size_t place_count;
	const struct body_end *ends;
	size_t end_count;
};

#endif
