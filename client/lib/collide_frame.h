/* collide_frame.h: the frames of a simulation. A part of collide.h, which includes it: include that.
 *
 * The meaning of every field is that of the message of the same name in collide/v1/collide.proto. */
#ifndef COLLIDE_FRAME_H
#define COLLIDE_FRAME_H

#ifndef COLLIDE_H
#error "include collide.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Every circle that has not had its end, ascending by id. Each column has `count` elements, as in all tables of a frame. */
struct collide_bodies {
	size_t count;
	const uint32_t *id;
	const double *x, *y, *vx, *vy;
	const double *angle, *angular_velocity; /* NULL if nothing can turn in this scene */
	const uint64_t *tag;                    /* NULL if no circle has one */
};

/* Collisions in exact time order. */
struct collide_contacts {
	size_t count;
	const uint64_t *tick; /* counted from 1 */
	const double *time;   /* within that tick */
	const uint32_t *a, *b;
	const uint32_t *feature;                               /* enum collide_feature */
	const uint32_t *flags;                                 /* bits of enum collide_contact_flag */
	const double *point_x, *point_y, *normal_x, *normal_y; /* normal: unit, from b to a */
	const double *approach_speed, *impulse;
	const double *a_vx_before, *a_vy_before, *a_vx_after, *a_vy_after;
	const double *b_vx_before, *b_vy_before, *b_vx_after, *b_vy_after;
	/* a gets friction_impulse times the normal turned left. All five NULL if nothing can turn in this scene. */
	const double *friction_impulse, *a_spin_before, *a_spin_after, *b_spin_before, *b_spin_after;
};

enum collide_path_kind {
	COLLIDE_PATH_PUSHED = 1,
	COLLIDE_PATH_SUPPORTED = 2,
	COLLIDE_PATH_FREE = 3,
	COLLIDE_PATH_PARKED = 4,
	COLLIDE_PATH_CRUSHED = 5,
	COLLIDE_PATH_LED = 6,
	COLLIDE_PATH_RELEASED = 7,
	COLLIDE_PATH_ASLEEP = 8, /* holds in the following ticks, up to WOKEN */
	COLLIDE_PATH_WOKEN = 9,
	COLLIDE_PATH_KICKED = 10,
	COLLIDE_PATH_STOPPED = 11,
};

struct collide_path_changes {
	size_t count;
	const uint64_t *tick;
	const double *time;
	const uint32_t *body;
	const uint32_t *kind; /* enum collide_path_kind */
	const double *vector_x, *vector_y;
};

enum collide_pair_event {
	COLLIDE_PAIR_BEGIN = 1,
	COLLIDE_PAIR_HIT = 2,
	COLLIDE_PAIR_PERSIST = 3,
	COLLIDE_PAIR_END = 4,
	COLLIDE_PAIR_ENTER = 5, /* b is a sensor, and a is now inside */
	COLLIDE_PAIR_EXIT = 6,
};

/* Events of touching pairs that were asked for, and what sensors see. The schema says what each means, and their order. */
struct collide_pair_events {
	size_t count;
	const uint64_t *tick;
	const double *time;
	const uint32_t *kind; /* enum collide_pair_event */
	const uint32_t *a, *b;
	const uint32_t *feature; /* enum collide_feature */
	const double *approach_speed, *impulse;
	const double *normal_x, *normal_y, *point_x, *point_y;
	const uint64_t *a_tag, *b_tag; /* of the circles; NULL: all are 0 */
};

/* Every circle's path, apart from static ones: x + v t + a t^2/2 from `time` on, up to its next row of that tick or the tick's
 * end. */
struct collide_paths {
	size_t count;
	const uint64_t *tick;
	const double *time;
	const uint32_t *body;
	const double *x, *y, *vx, *vy, *ax, *ay;
};

/* Current positions of the segments that have a velocity, ascending by id. */
struct collide_moving_segments {
	size_t count;
	const uint32_t *id;
	const double *x1, *y1, *x2, *y2;
};

enum collide_end_reason {
	COLLIDE_END_CONTACT = 1,
	COLLIDE_END_LIFETIME = 2,
	COLLIDE_END_BOUNDS = 3,
};

/* Circles that were removed, in order of time. */
struct collide_ends {
	size_t count;
	const uint64_t *tick;
	const double *time;
	const uint32_t *body;
	const uint32_t *reason; /* enum collide_end_reason */
	const uint64_t *tag;
	const double *x, *y, *vx, *vy; /* then, after the contact */
};

enum collide_shortfall_flag {
	COLLIDE_SHORTFALL_BUDGET = 1,
	COLLIDE_SHORTFALL_INITIAL_OVERLAP = 2,
	COLLIDE_SHORTFALL_CRUSHED = 4,
	COLLIDE_SHORTFALL_FAST = 8,
};

/* Every way in which a body's tick differs from what was asked for. Empty: everything was exact. */
struct collide_shortfalls {
	size_t count;
	const uint64_t *tick;
	const uint32_t *body;
	const uint32_t *flag; /* one enum collide_shortfall_flag */
	const double *amount;
};

struct collide_energy {
	double kinetic_before, kinetic_after, potential_before, potential_after;
	double contact, work, push, support, friction, clip, sleep, damping, removed; /* friction is a part of contact */
};

/* after - before = gravity + outside. `outside` is what walls, static and kinematic circles gave. */
struct collide_momentum {
	double before_x, before_y, after_x, after_y, gravity_x, gravity_y, outside_x, outside_y;
};

/* The complete state after a tick. A large state travels in parts, which have been joined. */
struct collide_frame {
	uint64_t tick;
	double time; /* since the start of the scene */
	uint64_t hash;
	struct collide_bodies bodies;
	struct collide_contacts contacts;
	struct collide_path_changes path_changes;
	struct collide_shortfalls shortfalls;
	bool has_energy;
	struct collide_energy energy;
	bool has_momentum;
	struct collide_momentum momentum;
	uint64_t events, collisions, clusters, clips; /* since the frame before */
	uint64_t asleep;                              /* circles that sleep now */
	struct collide_pair_events pair_events;
	struct collide_paths paths; /* if asked for */
	struct collide_moving_segments moving_segments;
	struct collide_ends ends;
};

#ifdef __cplusplus
}
#endif

#endif
