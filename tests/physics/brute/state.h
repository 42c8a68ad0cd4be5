/* state: what the brute-force simulator knows of the moment it has come to, and of every pair.
 *
 * Shared by its own files only. */
#ifndef COLLIDED_TESTS_PHYSICS_BRUTE_STATE_H
#define COLLIDED_TESTS_PHYSICS_BRUTE_STATE_H

#include "physics/brute/brute.h"

/* Each pass over friction adds to the velocities and spins of each contact's sides, and to its impulse, and rounds half an ulp
 * of each. There are at most 256 passes a turn, and 18 turns. */
#define BRUTE_PASSES_ROUNDING (256 * 18 * 0x1p-53L)

struct brute_body {
	struct circle_def def;
	real t;                   /* of its last own event in the tick */
	struct brute_vec p, v, a; /* of its path, at t */
	real angle, spin;         /* at t */
	bool still;               /* parked, crushed or gone: stands, and what it touches is not predicted any more */
	bool gone;                /* it has ended, for good */
	double gone_at;           /* when, in this tick; 0: in an earlier one */
	bool stopped;             /* by a rule: it stands, and is immovable to the tick's end or until it goes on */
	struct brute_vec kept;    /* its velocity then, */
	real kept_spin;           /* and its spin */
	double stopped_at;        /* when */
	double ends_at;           /* when its lifetime ends in this tick; +infinity: later */
	bool led;                 /* driven by the resting solver: its own velocity is not the path's */
	struct brute_vec own;     /* that velocity meanwhile */
	bool own_hidden;          /* only the solver knows its velocity */
	bool spin_hidden;         /* nor its spin */
	bool angle_hidden;        /* nor, since that was so in this tick, its angle */
	real told;                /* time of its last contact in the tick; -1: none */
	bool supported;
	bool changed;                         /* since the last predictions */
	unsigned int events;                  /* in this tick */
	real reach_max, speed_max, angle_max; /* in this tick */
};

/* A circle with another circle (`other` >= 0) or with a feature of the segments. */
struct brute_pair {
	size_t body;
	long other;     /* body, or -1 */
	size_t segment; /* one that has the feature */
	struct brute_feature feature;
	bool parting;             /* one ignores the other until they are apart, and they are not yet */
	bool held;                /* by what holds the circle up: the engine keeps such a pair within its skin */
	struct brute_vec held_at; /* the pair's motion then */
	real skin;                /* part of the feature's reach */
	real since;               /* when `due` was predicted */
	real allowed;             /* depth at that time: an overlap that may stay, not grow */
	real due;                 /* +infinity: none in this tick */
};

/* That two shapes were in contact. */
struct brute_meeting {
	real time; /* since the world's start */
	uint32_t a, b;
	uint8_t other;
	real rebound; /* its restitution, 1 if it gave no rebound */
};

struct brute {
	struct world_def def;
	struct brute_body *bodies;
	struct segment_def *segments;
	struct brute_pair *pairs;
	size_t pair_count;
	const struct tick_report *report;
	double dt;
	double fastest;                 /* largest component of any velocity told of this tick, speeds of rims included */
	real clock;                     /* at the tick's start, since the world's */
	struct brute_meeting *meetings; /* of this tick and the one before, in order */
	size_t meeting_count, meeting_capacity;
	struct brute_counts *counts;
	char *why;
	size_t why_bytes;
};

/* Whatever moves at a fixed velocity. */
bool brute_body_fixed(const struct brute_body *body);
struct brute_body *brute_body_find(const struct brute *brute, uint32_t id);
const struct segment_def *brute_segment_find(const struct brute *brute, uint32_t id);
/* What decides whether two shapes meet. */
struct brute_filter {
	uint32_t category, mask;
	int32_t filter_group;
	uint32_t group;
};

struct brute_filter brute_filter_of_circle(const struct circle_def *circle);
struct brute_filter brute_filter_of_segment(const struct segment_def *segment);
/* As physics.h says: filter groups, then masks, then the relation of the groups. */
bool brute_filters_meet(const struct brute *brute, struct brute_filter a, struct brute_filter b);
/* Whether the segment stops the body from its left only, by itself or by the relation of their groups. */
bool brute_one_sided(const struct brute *brute, const struct brute_body *body, const struct segment_def *segment);
/* The relation of two groups; NULL: none. */
const struct relation_def *brute_relation(const struct brute *brute, uint32_t a, uint32_t b);
/* How far the segment has come by time t of the tick from where it was defined. */
struct brute_vec brute_segment_way(const struct brute *brute, const struct segment_def *segment, real t);
/* The larger coordinate that it has by the tick's end. */
real brute_segment_reach(const struct brute *brute, const struct segment_def *segment);
/* The body's motion from `t` on, s = 0 at t. */
struct brute_motion brute_body_motion(const struct brute_body *body, real t);
struct brute_motion brute_pair_motion(const struct brute *brute, const struct brute_pair *pair, real t);
/* How far rounding may have moved the body by now, in the engine. */
real brute_body_slop(const struct brute *brute, const struct brute_body *body);
real brute_pair_band(const struct brute *brute, const struct brute_pair *pair);
real brute_skin(real reach, real radius_min);
/* Formats `why`; always false. */
bool brute_fail(struct brute *brute, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Makes all pairs that can meet. False: no memory. */
bool brute_pairs_create(struct brute *brute);
/* Predicts anew the pairs of changed bodies, from time t. */
void brute_pairs_predict(struct brute *brute, real t);
/* False if a contact was due before t and the pair is deeper by then than rounding explains. *ties: how many other pairs
 * than those of the `count` contacts at t were due before t. */
bool brute_pairs_check(struct brute *brute, real t, const struct contact *contacts, size_t count, size_t *ties);
/* Marks as held the body's pairs that touch at time t, within a cluster's reach; how many. *least: the least gap. */
size_t brute_body_hold(struct brute *brute, const struct brute_body *body, real t, real *least);
/* Whether anything touches the body at time t, or is only as far as a straight way since it was held leaves a round thing.
 * *off: how much farther the nearest is. */
bool brute_body_is_held(const struct brute *brute, const struct brute_body *body, real t, real *off);
/* How many pairs of the body touch at time t, within a cluster's reach, this of a face and its end counted once. */
size_t brute_body_touches(const struct brute *brute, const struct brute_body *body, real t);
/* Marks none, but those that hold up the other side. */
void brute_body_release(struct brute *brute, const struct brute_body *body);
/* What the engine may lose of a velocity without a word: it resolves clusters, and lets things rest, to within the rounding of
 * the fastest that they may have met. */
real brute_velocity_rounding(const struct brute *brute, const struct brute_body *body);
/* Sets brute->fastest for the tick. */
void brute_fastest_find(struct brute *brute, const struct tick_report *report);
/* Keeps this tick's meetings and those of the one before. False: no memory. */
bool brute_meetings_keep(struct brute *brute, const struct tick_report *report);
/* Whether the contact's two shapes met before in the last dt / 1024, or one of its circles had a row of contacts which ends
 * with this one. Each of these comes that soon after the one before. */
bool brute_met_lately(const struct brute *brute, const struct contact *contact);
/* Whether the circles of the contact have had so many in this tick that nothing is left of what they came with. */
bool brute_spent(const struct brute *brute, const struct contact *contact);
/* Gravity as a dynamic body feels it; the largest that any does. */
struct brute_vec brute_gravity(const struct brute *brute, const struct brute_body *body);
real brute_gravity_most(const struct brute *brute);
/* The restitution of the materials, as far as the responses let it be. */
real brute_restitution(const struct brute *brute, const struct contact *contact);
/* Checks the responses of `count` contacts at one time. */
bool brute_response_check(struct brute *brute, const struct contact *contacts, size_t count);

/* rules.c: contact rules, lifetimes and ignored circles. */

/* Whether neither a rule of the circle nor a filter keeps it and a segment, or two circles, from contacts. Ignored circles only
 * where that is for good. */
bool brute_body_meets(const struct brute *brute, const struct brute_body *body, const struct segment_def *segment);
bool brute_bodies_meet(const struct brute *brute, const struct brute_body *a, const struct brute_body *b);
/* Whether one of two ignores the other until they are apart. */
bool brute_bodies_part(const struct brute_body *a, const struct brute_body *b);
/* When two that are to part first meet, within h; -1: not. */
real brute_parted_contact(const struct brute_pair *pair, const struct brute_motion *motion, real h);
/* What is left of a lifetime at a tick's start. */
void brute_life_spend(const struct brute *brute, struct brute_body *body);
/* Stops a body where it is, and lets it go on. */
void brute_body_stop(struct brute *brute, struct brute_body *body, double time);
void brute_body_go_on(const struct brute *brute, struct brute_body *body);
/* Whether such a change of its path is told at a time. */
bool brute_change_is_told(const struct brute *brute, const struct brute_body *body, double time, enum path_change_kind kind);
/* Whether the body of a change stops after it at the same time. */
bool brute_stop_follows(const struct brute *brute, const struct path_change *change);
/* Of contacts at one time: a body may have stopped in the cluster before, or go on in this one. */
void brute_stop_follow(struct brute *brute, struct brute_body *body, double time, const double before[2],
                       const double after[2]);
/* What is in these contacts has been apart. */
void brute_contacts_part(struct brute *brute, const struct contact *contacts, size_t count);
/* Whether a contact at a time ends a body. */
bool brute_end_is_told(const struct brute *brute, const struct brute_body *body, double time);
/* Whether `count` contacts at one time stop and end what they must, and nothing else. */
bool brute_rules_check(struct brute *brute, double time, const struct contact *contacts, size_t count);

/* led.c: bodies driven by the resting solver. The stream says nothing of their velocities between their contacts. */

/* Follows PATH_LED and PATH_RELEASED. */
void brute_led_follow(struct brute *brute, struct brute_body *body, const struct path_change *change);
/* Whether the velocity and spin that a contact at `time` found may be what the solver has made of them at that very time. */
bool brute_led_just_then(const struct brute *brute, const struct brute_body *body, real time);

/* friction.c: Coulomb's law, rolling resistance and what both do to spins. */

/* The coefficient of the materials, and the rolling resistance as a length. */
real brute_friction(const struct brute *brute, const struct contact *contact);
real brute_rolling(const struct brute *brute, const struct contact *contact);
/* About the centre; +infinity for what does not yield. */
real brute_inertia(const struct brute_body *body);
/* The stronger of the two responses. */
enum movement_response brute_response(const struct brute *brute, const struct contact *contact);
/* What surfaces that move by themselves add to the speed of a's surface along b's, along the normal turned left. */
real brute_surface(const struct brute *brute, const struct contact *contact);
/* What the friction of `count` contacts at one time did to the body's spin. */
bool brute_spin_check(struct brute *brute, const struct brute_body *body, const struct contact *contacts, size_t count);
/* Coulomb's bound; of a contact that is `alone` also that it stopped the slip or is at the bound, and against the slip. */
bool brute_friction_check(struct brute *brute, const struct contact *contact, bool alone);

#endif
