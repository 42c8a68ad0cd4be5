/* checker: judges what a simulation told a client, from outside.
 *
 * A second checker beside the certificate. It shares no code with the engine, with the certificate or with other tests, and
 * works by other means. Everything is in long double. Paths are Bezier curves, bounded by their control points, and distances
 * come by branch and bound on those. No root is ever solved for. Its input is plain columns, as a client gets them.
 *
 * Use: fill a scene, outside_create; after each tick fill a tick, outside_tick; read outside_report at any time. From a world
 * of the engine feed.h does both. One thread. Owns copies of what it is given.
 *
 *     struct outside *outside = outside_create(&scene);
 *     while (...) outside_tick(outside, &tick);
 *     if (!outside_clean(outside)) print_error("%s\n", outside_first(outside));
 *     outside_destroy(outside);
 *
 * What a tick must be, by kind of finding: see enum outside_finding. What a shortfall flag of one of the two bodies excuses is
 * counted beside, by flag (outside_report.excused), and is no finding. */
#ifndef COLLIDED_TESTS_OUTSIDE_CHECKER_H
#define COLLIDED_TESTS_OUTSIDE_CHECKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum outside_kind { OUTSIDE_DYNAMIC, OUTSIDE_KINEMATIC, OUTSIDE_STATIC };
enum outside_response { OUTSIDE_BOUNCE, OUTSIDE_SLIDE, OUTSIDE_STOP };
enum outside_restitution_mix { OUTSIDE_E_MAX, OUTSIDE_E_MIN, OUTSIDE_E_PRODUCT, OUTSIDE_E_MEAN };
enum outside_friction_mix { OUTSIDE_MU_GEOMETRIC, OUTSIDE_MU_MAX, OUTSIDE_MU_MIN, OUTSIDE_MU_PRODUCT, OUTSIDE_MU_MEAN };
enum outside_relation_kind {
	OUTSIDE_RELATION_BOUNCE,
	OUTSIDE_RELATION_NONE,
	OUTSIDE_RELATION_SENSOR,
	OUTSIDE_RELATION_MOVE,
	OUTSIDE_RELATION_ONE_SIDED
};
enum outside_ignore { OUTSIDE_IGNORE_NONE, OUTSIDE_IGNORE_ALWAYS, OUTSIDE_IGNORE_UNTIL_APART };

struct outside_circle {
	uint32_t id;
	enum outside_kind kind;
	double x, y, vx, vy, radius, mass, spin, inertia; /* inertia 0: that of a disc */
	double restitution, friction, rolling, surface_speed, linear_damping, angular_damping, gravity_scale;
	uint32_t category, mask, group;
	int32_t filter_group;
	enum outside_response response;
	bool sensor;
	uint64_t stop_groups, remove_groups, report_groups;
	uint32_t lifetime_ticks;
	double lifetime_s;
	enum outside_ignore ignore;
	uint32_t ignored; /* id */
	uint64_t tag;
};

struct outside_wall {
	uint32_t id;
	double x1, y1, x2, y2, radius, vx, vy;
	double restitution, friction, rolling, surface_speed;
	uint32_t category, mask, group;
	int32_t filter_group;
	bool one_sided, sensor, disabled;
};

struct outside_relation {
	uint32_t group_a, group_b; /* 0..63 */
	enum outside_relation_kind kind;
	bool has_weight_a, has_weight_b, has_elasticity;
	double weight_a, weight_b, elasticity;
};

struct outside_scene {
	double gravity_x, gravity_y, speed_max, restitution_threshold, sleep_after;
	enum outside_restitution_mix restitution_mix;
	enum outside_friction_mix friction_mix;
	const struct outside_circle *circles;
	size_t circle_count;
	const struct outside_wall *walls;
	size_t wall_count;
	const struct outside_relation *relations;
	size_t relation_count;
	bool has_bounds;
	double bounds[4]; /* x and y from, x and y to */
};

enum {
	OUTSIDE_CONTACT_RESTING = 1,
	OUTSIDE_CONTACT_SECONDARY = 2,
	OUTSIDE_CONTACT_BY_MASS = 4,
	OUTSIDE_CONTACT_A_STOPPED = 8, /* by a rule, before it */
	OUTSIDE_CONTACT_B_STOPPED = 16
};

struct outside_contact {
	double time;
	uint32_t a, b;
	bool with_wall;
	uint8_t feature; /* of the wall: 0 face, 1 and 2 ends */
	uint8_t flags;
	double point[2], normal[2], approach, impulse, friction_impulse;
	double a_before[2], a_after[2], b_before[2], b_after[2];
	double a_spin_before, a_spin_after, b_spin_before, b_spin_after;
};

enum outside_change_kind {
	OUTSIDE_PUSHED,
	OUTSIDE_SUPPORTED,
	OUTSIDE_FREE,
	OUTSIDE_PARKED,
	OUTSIDE_CRUSHED,
	OUTSIDE_LED,
	OUTSIDE_RELEASED,
	OUTSIDE_ASLEEP,
	OUTSIDE_WOKEN,
	OUTSIDE_KICKED,
	OUTSIDE_STOPPED
};

struct outside_change {
	double time;
	uint32_t body;
	enum outside_change_kind kind;
	double vector[2];
};

enum outside_event_kind { OUTSIDE_BEGIN, OUTSIDE_HIT, OUTSIDE_PERSIST, OUTSIDE_END, OUTSIDE_ENTER, OUTSIDE_EXIT };

struct outside_event {
	double time;
	uint32_t a, b;
	bool with_wall;
	enum outside_event_kind kind;
};

enum outside_reason { OUTSIDE_END_CONTACT, OUTSIDE_END_LIFETIME, OUTSIDE_END_BOUNDS, OUTSIDE_REASONS };

/* A circle that ended: no later tick has it. */
struct outside_end {
	double time;
	uint32_t body;
	enum outside_reason reason;
	uint64_t tag;
	double position[2], velocity[2];
};

/* Bits of a shortfall's flag; SOLVER is any that is not known here. */
enum {
	OUTSIDE_FLAG_BUDGET = 1,
	OUTSIDE_FLAG_INITIAL_OVERLAP = 2,
	OUTSIDE_FLAG_CRUSHED = 4,
	OUTSIDE_FLAG_FAST = 8,
	OUTSIDE_FLAGS = 5 /* kinds, for counting: the four, and any other */
};

struct outside_shortfall {
	uint32_t body, flag;
	double amount;
};

struct outside_place {
	uint32_t id;
	double x1, y1, x2, y2;
};

/* One tick as told: states at its end ascending by id, of all circles that are still there, then what happened, in the
 * stream's order. */
struct outside_tick {
	double dt;
	size_t state_count; /* of x and the others */
	const double *x, *y, *vx, *vy;
	const double *spin;  /* NULL: nothing turns */
	const uint64_t *tag; /* NULL: no circle has one */
	uint64_t resolved;   /* events, also those of which no contact is told */
	const struct outside_contact *contacts;
	size_t contact_count;
	const struct outside_change *changes;
	size_t change_count;
	const struct outside_event *events;
	size_t event_count;
	const struct outside_shortfall *shortfalls;
	size_t shortfall_count;
	const struct outside_end *ends;
	size_t end_count;
	const struct outside_place *places; /* of walls that move, at the tick's end */
	size_t place_count;
	bool has_ledger;
	double energy_parts; /* contact + work + push + clip + support + sleep + damping + removed */
	double energy_gross; /* the sum of their sizes, each of which is rounded */
	double energy_removed;
	double kinetic_before, kinetic_after, potential_before, potential_after;
	double momentum_before[2], momentum_after[2], momentum_gravity[2], momentum_outside[2];
};

/* What can be wrong. Each has a "size" for outside_report.worst. */
enum outside_finding {
	OUTSIDE_BAD_NUMBERS,     /* not finite, an id that is not there, times out of order or out of the tick */
	OUTSIDE_BAD_POSITION,    /* an end that is not where the path ends (radii) */
	OUTSIDE_BAD_VELOCITY,    /* a change of velocity or spin that nothing told of explains (of the tick's fastest) */
	OUTSIDE_BAD_MOMENTUM,    /* impulses that are not the change of momentum (relative) */
	OUTSIDE_BAD_OVERLAP,     /* two overlap on their paths, deeper than when the tick began (radii of the smaller) */
	OUTSIDE_BAD_REST_DEPTH,  /* two overlap at the tick's end, and no flag tells of it (radii of the smaller) */
	OUTSIDE_BAD_CROSSING,    /* a centre got through a wall, or a gap too narrow for its circle (1) */
	OUTSIDE_BAD_CONTACT,     /* not where the two touch; a normal, point or feature that is another (radii) */
	OUTSIDE_BAD_LAW,         /* restitution or friction other than the materials say (relative) */
	OUTSIDE_BAD_ENERGY_LOSS, /* at restitution 1, without friction (relative) */
	OUTSIDE_BAD_ENERGY_GAIN, /* without anything that could have given it (relative) */
	OUTSIDE_BAD_SUPPORT,   /* gained, or lost at restitution 1, no more than what gravity does along the way of a circle that is
	                          held up   (relative) */
	OUTSIDE_BAD_HEAP_GAIN, /* the same where the resting solver leads (relative) */
	OUTSIDE_BAD_LEDGER,    /* the told sums do not close, or are not those of the states (relative) */
	OUTSIDE_BAD_EVENT,     /* a pair begins twice or ends unbegun; a sensor's inside is not */
	OUTSIDE_BAD_FLAG,      /* a flag's amount is not what happened (radii) */
	OUTSIDE_BAD_RULE,      /* an end or a stop without cause, or none where a rule, a lifetime or the bounds ask for one; what
	                          happens to one that has ended (1) */
	OUTSIDE_FINDINGS
};

struct outside_report {
	uint64_t ticks, contacts;
	uint64_t found[OUTSIDE_FINDINGS];                  /* without a flag that would excuse it */
	uint64_t excused[OUTSIDE_FINDINGS][OUTSIDE_FLAGS]; /* with one, by the flag: bit n is column n */
	double worst[OUTSIDE_FINDINGS];                    /* of the found */
	double worst_excused[OUTSIDE_FINDINGS];
	uint64_t first_tick[OUTSIDE_FINDINGS];
	char first[OUTSIDE_FINDINGS][160]; /* a sentence naming tick and ids */
	uint64_t flagged[OUTSIDE_FLAGS];   /* rows of shortfalls */
	uint64_t judged_energy;            /* ticks in which energy had to stay the same */
};

struct outside;

/* NULL: no memory. */
struct outside *outside_create(const struct outside_scene *scene);
void outside_destroy(struct outside *outside);
void outside_tick(struct outside *outside, const struct outside_tick *tick);
const struct outside_report *outside_report(const struct outside *outside);
/* Nothing found. */
bool outside_clean(const struct outside *outside);
/* Bit f is set if a finding of kind f was made. */
unsigned outside_found(const struct outside *outside);
/* The first sentence of the gravest kind found; empty if none. */
const char *outside_first(const struct outside *outside);
const char *outside_finding_name(enum outside_finding finding);
/* Whether some overlap or depth larger than `radii` of the smaller circle was found, or any crossing: "something got through".
 */
bool outside_leaked(const struct outside *outside, double radii);

#endif
