/* scenario: small scenes for tests of the engine, stepped with every tick certified and every contact kept.
 *
 * One thread. A scenario owns its definitions; a run owns a world, its certificate and the log. Failures are cmocka's, so a
 * failing test leaks what it had: the program ends anyway. */
#ifndef COLLIDED_TESTS_PHYSICS_SCENARIO_H
#define COLLIDED_TESTS_PHYSICS_SCENARIO_H

#include "physics/certified.h"
#include "physics/physics.h"

#include "support/assert_double.h"

#define DEGREE 0.017453292519943295 /* pi / 180 */

struct scenario {
	struct world_def def; /* its arrays are filled in by scenario_def */
	struct circle_def *circles;
	size_t circle_count, circle_capacity;
	struct segment_def *segments;
	size_t segment_count, segment_capacity;
};

void scenario_init(struct scenario *scenario);
void scenario_finish(struct scenario *scenario);
/* Adds one with the next free id (0, 1, 2...); the pointer, for setting the other fields, lives until the next addition. */
struct circle_def *scenario_circle(struct scenario *scenario, double x, double y, double vx, double vy, double radius);
struct segment_def *scenario_segment(struct scenario *scenario, double x1, double y1, double x2, double y2);
/* Four segments that share their corners, counter-clockwise from the lower left one. */
void scenario_box(struct scenario *scenario, double x1, double y1, double x2, double y2);
/* The same restitution for everything that there is so far. */
void scenario_restitution(struct scenario *scenario, double restitution);
/* Restitution 0, and the same friction and rolling resistance for everything that there is so far. */
void scenario_dull(struct scenario *scenario, double friction, double rolling);
/* Lengths times `length`, times times `time`, masses as they are. */
void scenario_scale(struct scenario *scenario, double length, double time);
/* Quarter turns around the origin, counter-clockwise. */
void scenario_turn(struct scenario *scenario, int quarters);
/* A definition to create a world of; borrows from the scenario. */
const struct world_def *scenario_def(struct scenario *scenario);
/* A world of it, or the test fails. */
struct world *scenario_world(struct scenario *scenario);

/* Three hands of one thread, in turn, for worlds of any size: domains without threads. */
extern const struct workers workers_in_turn;

/* A contact and when it happened since the run's start. */
struct logged_contact {
	double at;
	uint64_t tick; /* counted from 1 */
	struct contact contact;
};

struct logged_change {
	double at;
	uint64_t tick;
	struct path_change change;
};

struct logged_event {
	double at;
	uint64_t tick;
	struct pair_event event;
};

struct run {
	struct world *world;
	struct certified *certified; /* NULL: not asked for */
	double time;
	struct logged_contact *contacts; /* all ticks */
	size_t contact_count, contact_capacity;
	struct logged_change *changes; /* all ticks */
	size_t change_count, change_capacity;
	struct logged_event *pair_events; /* all ticks */
	size_t pair_event_count, pair_event_capacity;
	uint64_t events, collisions, clusters;
	uint64_t shortfall_count;  /* all ticks, all flags */
	uint32_t shortfall_flags;  /* of all ticks, or-ed */
	struct tick_report report; /* of the last tick */
};

/* Certified: every tick is checked, and run_finish fails the test if the certificate has anything to say. */
void run_start(struct run *run, struct scenario *scenario);
void run_start_uncertified(struct run *run, struct scenario *scenario);
/* Steps; fails the test when the engine does or when a state is not finite. */
void run_ticks(struct run *run, double dt, uint64_t ticks);
/* As run_ticks, without keeping contacts and changes: for long runs. */
void run_ticks_unlogged(struct run *run, double dt, uint64_t ticks);
void run_finish(struct run *run);
/* Finishes both, if nothing fell short. */
void run_end(struct run *run, struct scenario *scenario);
/* As run_finish where something was expected of the certificate: nothing is asserted. */
void run_abandon(struct run *run);

/* The body with this id. */
struct body_state run_body(const struct run *run, uint32_t id);
/* The shortfall of this body and flag in the last tick, or NULL. */
const struct shortfall *run_shortfall(const struct run *run, uint32_t body, enum body_flag flag);
/* Kinetic energy plus -m g.x, by this file's own sum. */
double run_energy(const struct run *run, const struct scenario *scenario);
/* The largest r1 + r2 - distance among circles and to segments of two sides that meet by their masks; <= 0 if none. */
double run_overlap(const struct run *run, const struct scenario *scenario);

/* The pair's skin as physics.h states it. For a circle and a segment "the smaller radius" is read as the circle's. */
double pair_skin(double largest_coordinate, double smaller_radius);
/* Distance of a point from a segment, less its radius. */
double segment_distance(const struct segment_def *segment, double x, double y);

void same_check(double actual, double expected, const char *what, const char *file, int line);

/* Equal doubles; +0 and -0 are equal, NaN equals nothing. */
#define assert_same(actual, expected) same_check(actual, expected, #actual, __FILE__, __LINE__)
/* Prints the values that a failed inequality was about. */
#define assert_at_most(actual, bound) at_most_check(actual, bound, #actual, __FILE__, __LINE__)
void at_most_check(double actual, double bound, const char *what, const char *file, int line);

#endif
