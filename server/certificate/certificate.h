/* certificate: checks a tick from what was streamed, sharing no code with the engine.
 *
 * It is given the scene's shapes, the bodies' states at the start and end of a tick, its contacts and its path changes. From
 * these it rebuilds every body's path through the tick. It measures the largest overlap along all pairs of paths, and every
 * centre of a circle that crossed a segment or left through one. It measures every jump in position, velocity or spin that no
 * contact explains, and energy that elastic contacts take or give. End states alone could not show a crossing. What damping,
 * the greatest speed, gravity scales, moving surfaces and responses must do it works out from the scene.
 *
 * Any one thread. Owns copies of the shapes. May use base only; its input types are its own, so that a client that only
 * has the wire's columns can use it. */
#ifndef COLLIDED_CERTIFICATE_CERTIFICATE_H
#define COLLIDED_CERTIFICATE_CERTIFICATE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum certificate_kind { CERTIFICATE_DYNAMIC = 0, CERTIFICATE_KINEMATIC = 1, CERTIFICATE_STATIC = 2 };

enum certificate_ignore { CERTIFICATE_IGNORE_NONE = 0, CERTIFICATE_IGNORE_ALWAYS = 1, CERTIFICATE_IGNORE_UNTIL_APART = 2 };

enum certificate_response { CERTIFICATE_BOUNCE = 0, CERTIFICATE_SLIDE = 1, CERTIFICATE_STOP = 2 };

struct certificate_circle {
	uint32_t id;
	enum certificate_kind kind;
	double x, y, vx, vy, radius, mass, restitution;
	uint32_t category, mask;
	double angular_velocity, surface_speed, linear_damping, angular_damping;
	double rolling_resistance; /* whatever more than 0: slips are not judged, which it makes too */
	double gravity_scale;      /* 1 is usual; 0: gravity does not pull it */
	enum certificate_response response;
	bool sensor;
	bool asleep;          /* it fell asleep in a tick before the first, and has not been told to wake */
	int32_t filter_group; /* two of the same meet if it is > 0 and pass if it is < 0; 0: by the masks */
	uint32_t group;       /* 0..CERTIFICATE_GROUPS - 1 */
	/* Bits of groups: what becomes of it at a contact with one of them (rules.h). */
	uint64_t stop_groups, remove_groups, report_groups;
	uint32_t lifetime_ticks; /* it lives so long, */
	double lifetime_s;       /* then for so much of the ticks after; both 0: for ever */
	enum certificate_ignore ignore;
	uint32_t ignored_circle;
};

struct certificate_segment {
	uint32_t id;
	double x1, y1, x2, y2, restitution;
	uint32_t category, mask;
	double surface_speed; /* from the first point to the second */
	double rolling_resistance;
	bool sensor;
	double radius;  /* 0: thin */
	bool one_sided; /* stops only what comes from the left of its direction (passage.h) */
	int32_t filter_group;
	uint32_t group;
	double vx, vy;
	bool disabled; /* as if it were not there */
};

#define CERTIFICATE_GROUPS 64u

enum certificate_relation_kind {
	CERTIFICATE_RELATION_BOUNCE = 0,
	CERTIFICATE_RELATION_NONE = 1,
	CERTIFICATE_RELATION_SENSOR = 2,
	CERTIFICATE_RELATION_MOVE = 3,
	CERTIFICATE_RELATION_ONE_SIDED = 4
};

/* What two groups are to each other. */
struct certificate_relation {
	uint32_t group_a, group_b;
	enum certificate_relation_kind kind;
	bool has_weight_a, has_weight_b, has_elasticity;
	double weight_a, weight_b; /* 1 where only the other is given */
	double elasticity;
};

/* A pair that touches, or one that is inside a sensor (b). */
struct certificate_pair {
	uint32_t a, b;
	bool with_segment, inside;
};

struct certificate_scene {
	double gravity_x, gravity_y;
	const struct certificate_circle *circles; /* borrowed during create only; any order */
	size_t circle_count;
	const struct certificate_segment *segments;
	size_t segment_count;
	double speed_max;                    /* 0: none */
	double restitution_threshold;        /* approach speed below which restitution counts as 0 */
	uint64_t start_tick;                 /* ticks made before the first that is given; only names problems */
	const struct certificate_pair *open; /* what was told to begin, or enter, in these and not to end, or exit; borrowed too */
	size_t open_count;
	const struct certificate_relation *relations; /* at most one of each pair of groups */
	size_t relation_count;
	bool has_bounds;  /* circles that are not static and outside of `bounds` at a tick's end are removed */
	double bounds[4]; /* x_min, y_min, x_max, y_max */
};

/* The numbers of this enum and of the kinds of bodies and responses are those of the engine; the wire's are one higher. */
enum certificate_path_kind {
	CERTIFICATE_PUSHED = 0,
	CERTIFICATE_SUPPORTED = 1,
	CERTIFICATE_FREE = 2,
	CERTIFICATE_PARKED = 3,
	CERTIFICATE_CRUSHED = 4,
	CERTIFICATE_LED = 5,
	CERTIFICATE_RELEASED = 6,
	CERTIFICATE_ASLEEP = 7, /* holds over the ticks, up to WOKEN */
	CERTIFICATE_WOKEN = 8,
	CERTIFICATE_KICKED = 9,  /* at time 0, before all else, by damping or the greatest speed: recomputed here */
	CERTIFICATE_STOPPED = 10 /* by a contact rule: stands still, and is immovable, to the tick's end or to RELEASED */
};

/* The engine's numbers; the wire's are one higher. */
enum certificate_end_reason { CERTIFICATE_END_CONTACT = 0, CERTIFICATE_END_LIFETIME = 1, CERTIFICATE_END_BOUNDS = 2 };

/* A circle that is removed: it is in no later tick. */
struct certificate_end {
	double time;
	uint32_t body;
	enum certificate_end_reason reason;
	double position[2], velocity[2];
};

struct certificate_contact {
	double time;
	uint32_t a, b;
	bool with_segment;         /* b is a segment */
	bool by_mass;              /* whatever the weights of its relation */
	bool a_stopped, b_stopped; /* a contact rule has stopped it before: here it is immovable */
	uint8_t feature;           /* of the segment: 0 face, 1 first end, 2 second end */
	double point[2], normal[2], approach_speed, impulse;
	double friction_impulse; /* along the normal turned left */
	double a_before[2], a_after[2], b_before[2], b_after[2];
	double a_spin_before, a_spin_after, b_spin_before, b_spin_after; /* only where the tick has spins */
};

struct certificate_path_change {
	double time;
	uint32_t body;
	enum certificate_path_kind kind;
	double vector[2];
};

/* The engine's numbers; the wire's are one higher. */
enum certificate_pair_event_kind {
	CERTIFICATE_BEGIN = 0,
	CERTIFICATE_HIT = 1,
	CERTIFICATE_PERSIST = 2,
	CERTIFICATE_END = 3,
	CERTIFICATE_ENTER = 4, /* these two of a sensor */
	CERTIFICATE_EXIT = 5
};

struct certificate_pair_event {
	double time;
	uint32_t a, b;
	bool with_segment;
	enum certificate_pair_event_kind kind;
	double impulse;
};

/* What was asked for, so that it must all be there: from the scene's first tick on, or the open pairs are given. */
enum certificate_told {
	CERTIFICATE_TOLD_SENSORS = 1 << 0,
	CERTIFICATE_TOLD_TOUCHES = 1 << 1,
	CERTIFICATE_TOLD_PERSIST = 1 << 2,
};

/* Where a segment is at a tick's end. */
struct certificate_place {
	uint32_t id;
	double x1, y1, x2, y2;
};

/* One tick as streamed: states at its end in ascending id order, then what happened, in stream order. What has ended, in this
 * tick or before, has no state. */
struct certificate_tick {
	double dt;
	size_t state_count; /* elements of each column; 0: as many as there must be */
	const double *x, *y, *vx, *vy;
	const double *spin; /* angular velocities; NULL: not told, or nothing turns */
	const struct certificate_contact *contacts;
	size_t contact_count;
	const struct certificate_path_change *path_changes;
	size_t path_change_count;
	const struct certificate_pair_event *pair_events;
	size_t pair_event_count;
	unsigned told; /* bits of enum certificate_told; 0: events are not looked at */
	double hit_speed;
	bool places_told; /* of all segments that move, ascending by id: else they are worked out */
	const struct certificate_place *places;
	size_t place_count;
	const struct certificate_end *ends;
	size_t end_count;
};

/* Totals over all ticks given so far. */
struct certificate_report {
	uint64_t ticks;
	uint64_t start_tick; /* the scene's */
	uint64_t contacts;
	double largest_overlap;        /* deepest penetration along all paths, length units; 0 if none. Pairs overlapping at the
	                                  very first state are not counted until they have separated; CRUSHED bodies are not
	                                  counted while they are */
	double largest_overlap_radii;  /* the same in radii of the smaller circle */
	uint32_t overlap_a, overlap_b; /* the pair of the largest overlap; b may be a segment */
	bool overlap_with_segment;
	uint64_t overlap_tick;
	uint64_t overlaps;   /* pairs and ticks with an overlap beyond rounding: > 2^-46 of the coordinates' size, and of those of
	                        walls that they touch */
	uint64_t escapes;    /* centres that crossed a segment */
	uint64_t jumps;      /* positions or velocities that no contact or path change explains, impulses that do not
	                        match the change of momentum, contacts away from the surfaces or out of time order */
	double largest_jump; /* in radii (position) or relative to the fastest of the tick (velocity) */
	uint64_t energy_faults; /* contacts of one time that share bodies, all of restitution 1 and without friction, after which
	                           there is more or less energy than before, beyond rounding */
	double largest_energy_fault; /* as a part of their energy, seen from what they share or from their common centre of mass */
	uint64_t pair_events;        /* told of pairs */
	uint64_t event_faults;       /* of these: what does not match, is out of order, or not what the paths show */
	char first_problem[160];     /* a sentence naming tick and ids; empty if none */
};

struct certificate;

/* STATUS_RESOURCE_EXHAUSTED: no memory. The scene must be one that the engine accepted. */
STATUS_MUST_USE enum status certificate_create(const struct certificate_scene *scene, struct certificate **out);
void certificate_destroy(struct certificate *certificate);
/* Checks one tick and adds it to the report. STATUS_INVALID_ARGUMENT: an id that the scene does not have, or non-finite
 * numbers (also counted as a jump). */
STATUS_MUST_USE enum status certificate_tick(struct certificate *certificate, const struct certificate_tick *tick);
const struct certificate_report *certificate_report(const struct certificate *certificate);

#endif
