/* physics: the exact 2D engine. Worlds of moving circles and segments, stepped in exact time order.
 *
 * This is the whole public interface; it needs nothing of the server. A world belongs to one thread at a time (any thread). It
 * allocates with malloc, has no clock and keeps no global state. Units are free: one length unit, one time unit (called
 * second), one mass unit. All numbers are doubles. Only + - * / sqrt fma are used, so the same input gives the same bits on
 * every machine.
 *
 * Semantics, in one place:
 * - Paths. A body's path inside a tick is pieces x(t) = p + v (t-t0) + a (t-t0)^2 / 2, from its last own event. `a` is the
 *   world's gravity for a free dynamic circle, and zero for kinematic and static ones. For a resting circle it is what contacts
 *   leave of gravity (struct path_change).
 * - Contact. A pair makes contact at the first time at which its gap is <= 0 and shrinking. The gap is distance - (r1 + r2 +
 *   skin); a segment has radius 0 unless it is thick, and its skin counts the circle's radius. skin = max(2^-46 * the larger
 *   coordinate, 1e-9 * the smaller radius). Receding pairs make no contact, even while they overlap.
 * - Joints. Segments that end in the same point with the same radius are joined: nothing that rolls over the joint feels it.
 *   The same holds for an end that lies, within 16 ulp, on another segment's line between its ends (a T-junction).
 * - One-sided segments. Such a segment makes contact only with a circle that has its centre left of the segment's line. A
 *   circle that is deeper in it than a skin passes, whatever it does, until it has left. Of its ends only the left half counts.
 * - Moving segments. A segment with a velocity moves along a straight line through every tick, and never turns. For one that
 *   turns, the times of contacts would have no closed form, and all promises here rest on exact times. In its own frame it is a
 *   segment like any other. Its ends are those defined, plus one sum of velocity times dt, rounded once: its length and its
 *   direction never change. Moving segments and immovable bodies pass through each other.
 * - Order. Contacts are resolved in the order (time, lower id, higher id, feature). Touching pairs around a contact (gap <= two
 *   skins) are resolved together. Among pairs that approach, get an impulse and share bodies, the lowest restitution applies.
 * - Lost rebounds. Where restitution < 1 there is no rebound if it would end within dt/1024, or if the pair met within dt/1024
 *   before. Nor is there one after eight contacts of a body within dt/1024 of each other. Below the speed that gravity gives in
 *   a tick there is none either for bodies with restitutions in this tick that multiply to less than 1/1024. A contact without
 *   rebound gets none from friction either: where the friction of others in its cluster would separate it, its impulse is
 *   reduced. At restitution 1 a hop under gravity shorter than dt/16384 becomes rest: this takes at most (gravity dt / 32768)^2
 *   / 2 of energy per unit mass, once. Otherwise only an immovable thing that moves takes energy from an elastic contact, after
 *   64 reflections.
 * - Rest solver. Bodies that rest on each other in numbers (nine and more, or any with friction) are driven by a rest solver.
 *   Four times a tick each gets a velocity and a straight displacement, certified free of all other solver-driven bodies and
 *   walls. The events of all others find it on that path. Among solver-driven bodies there is no rebound below the speed that
 *   gravity gives in a substep. Nor is there one where they have pressed on each other in the substep before, unless
 *   restitution is 1. In a long tick the number of substeps doubles, up to 1,024, until gravity moves nothing by 1/64 of the
 *   least radius in one. Resting bodies keep a cushion of up to 1 % of the smaller radius.
 * - First contacts. A first contact is always an event, as is every one with a rebound. There are two exceptions. One is
 *   circles that a scene begins with at rest so near, or overlapping: they are solver-driven at once, and gravity waits until
 *   they are apart. The other is kinematic circles that come to solver-driven ones. The solver's changes of velocity are not
 *   reported as contacts. Momentum is conserved, energy up to what the solver leaves unsolved (energy_ledger).
 * - Damping. At a tick's start damping and the world's speed limit change velocities, all at once (PATH_KICKED). Gravity is not
 *   such a change: it is part of every path, times the circle's gravity_scale.
 * - Contact rules. At its first contact with a shape of some groups a circle stops, or is removed (stop_groups, remove_groups).
 *   Before that the cluster is resolved as if all bounced, so the others feel its impulse. Only a contact that is told counts.
 * A circle that stops stands for the rest of the tick, and to contacts it is immovable. Where a kinematic circle or a moving
 *   segment comes to it, or presses something against it, it goes on (PATH_RELEASED). One that is removed is gone from that
 *   time on: nothing meets it, and what it carried falls. report_groups is the strongest: those pairs have no contact. They are
 *   reported as with RELATION_KIND_SENSOR; of two circles that both move the one with the rule detects, or of two such the one
 *   with the higher id. Removal is stronger than a stop. Pairs that a rule stops or removes are never the rest solver's.
 * - Ends. A circle ends at a contact, or when its lifetime is over: then at its exact time, after all contacts at that time.
 *   After the tick what has ended is removed as by an edit: what slept on it wakes in the next tick.
 * - Ignored circles. Two that ignore each other until they are apart have no contact before their gap was more than a skin.
 * That is along their paths: one that leaves and comes back within a tick hits. Between two ticks the gap at the tick's end
 * decides.
 * - Edits. Between two ticks a batch of edits may spawn, change and remove circles and segments: world_edit.
 * - State. At the end of a tick every body is moved to its path's end. The next tick needs position, velocity, angle
 *   and spin, which bodies are solver-driven, and the solver's list of near pairs with their impulses; and nothing else. They
 *   are had as bytes (world_snapshot), or in memory (world_keep in keep.h).
 * README.md beside this file says how to use all that without the server. */
#ifndef COLLIDED_PHYSICS_PHYSICS_H
#define COLLIDED_PHYSICS_PHYSICS_H

#include "base/status.h"
#include "physics/def_problem.h"
#include "physics/push_def.h"
#include "physics/relation_def.h"
#include "physics/tick_cost.h"
#include "physics/tick_report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum body_kind {
	BODY_DYNAMIC = 0,   /* moves, is pushed */
	BODY_KINEMATIC = 1, /* moves and turns at its given velocities, pushes, is never pushed */
	BODY_STATIC = 2,    /* never moves or turns; its velocities must be zero */
};

/* How the restitution of a contact follows from those of its two sides. */
enum restitution_mix {
	RESTITUTION_MIX_MAX = 0, /* the bouncier side decides */
	RESTITUTION_MIX_MIN = 1,
	RESTITUTION_MIX_PRODUCT = 2,
	RESTITUTION_MIX_MEAN = 3,
};

/* How the coefficient of friction of a contact follows from those of its two sides. */
enum friction_mix {
	FRICTION_MIX_GEOMETRIC = 0, /* sqrt(a b): ice is slippery for all that slides on it */
	FRICTION_MIX_MAX = 1,
	FRICTION_MIX_MIN = 2,
	FRICTION_MIX_PRODUCT = 3,
	FRICTION_MIX_MEAN = 4,
};

/* What a contact does to the movements of its two sides. Of two circles' responses the stronger one applies; the later in this
 * list is the stronger. */
enum movement_response {
	RESPONSE_BOUNCE = 0, /* by restitution and friction of the two materials */
	RESPONSE_SLIDE = 1,  /* restitution 0, no friction, no rolling resistance: only the approach ends */
	RESPONSE_STOP = 2,   /* the contact takes all relative velocity of the two centres, or of the centre and the wall's surface,
	                        as far as momentum permits. It takes the rest as long as the two are pressed together: it holds on
	                        slopes and is carried by belts. Spins stay as they are */
};

/* Whether a circle does not meet another one, whatever the masks. */
enum ignore {
	IGNORE_NONE = 0,
	IGNORE_ALWAYS = 1,
	IGNORE_UNTIL_APART = 2, /* until their gap was more than a skin once; from then on it is IGNORE_NONE */
};

struct circle_def {
	uint32_t id; /* unique among circles; the order of ids, not of definition, decides ties */
	enum body_kind kind;
	double x, y;        /* centre */
	double vx, vy;      /* velocity */
	double radius;      /* > 0 */
	double mass;        /* > 0; ignored unless dynamic */
	double restitution; /* 0..1 */
	double friction;    /* Coulomb's coefficient, >= 0 */
	double
		rolling_resistance;  /* >= 0: as a part of the radius, how far the normal force is ahead of the centre while it rolls */
	double angle;            /* radians, counter-clockwise; not reduced to one turn */
	double angular_velocity; /* radians/s */
	double moment_of_inertia; /* about the centre, > 0; 0: that of a disc, mass radius^2 / 2. Ignored unless dynamic */
	uint32_t category; /* the layers this circle is in; two shapes meet if each one's mask has a bit of the other's category */
	uint32_t mask;
	double surface_speed;   /* of its circumference, counter-clockwise, in addition to its spin; only friction feels it */
	double linear_damping;  /* 1/s, >= 0: at a tick's start the velocity is multiplied by 1 / (1 + dt * damping) */
	double angular_damping; /* the same for the spin. Both dampings and gravity_scale are ignored unless dynamic */
	double gravity_scale;   /* its acceleration is the world's gravity times this; may be 0 or negative */
	enum movement_response response;
	bool sensor; /* makes no contacts, moves as any other; PAIR_EVENT_ENTER and PAIR_EVENT_EXIT report what is inside */
	int32_t filter_group; /* two shapes of the same one always meet if it is > 0, never if it is < 0, whatever the masks; 0, or
	                         different ones: the masks decide */
	uint32_t group;       /* 0..PHYSICS_GROUPS - 1; see struct relation_def */
	/* Bit g: what becomes of this circle at its first contact with a circle or segment of group g. Disjoint; it bounces with
	 * what is in none of them. See "Contact rules" above. */
	uint64_t stop_groups;    /* it stands there to the tick's end (PATH_STOPPED) */
	uint64_t remove_groups;  /* it is removed there (END_CONTACT) */
	uint64_t report_groups;  /* there is no contact: the pair is reported as with a sensor */
	uint32_t lifetime_ticks; /* it lives for so many ticks, */
	double lifetime_s;  /* then for so many seconds of the ticks after; 0..PHYSICS_LIFETIME_MAX. Both 0: for ever. What is left
	                       is state */
	enum ignore ignore; /* whether it meets ignored_circle */
	uint32_t ignored_circle; /* id; need not exist */
	uint64_t tag;            /* of no effect: told with its end and its state, not in the hash */
};

struct segment_def {
	uint32_t id;           /* unique among segments */
	double x1, y1, x2, y2; /* two different points */
	double restitution;    /* 0..1 */
	double friction;       /* as a circle's */
	double rolling_resistance;
	uint32_t category;
	uint32_t mask;
	double surface_speed; /* of both sides, from the first point to the second: a conveyor */
	bool sensor;          /* as a circle's */
	double radius;  /* 0: thin. Else PHYSICS_RADIUS_MIN..PHYSICS_RADIUS_MAX: all points within it of the segment are wall (a
	                   capsule) */
	bool one_sided; /* stops only circles that come with their centre from the left of (x1, y1) -> (x2, y2); see above */
	int32_t filter_group;
	uint32_t group;
	double vx, vy; /* it moves with this velocity, without turning, in every step; the ends are where it begins. It pushes as a
	                  kinematic circle does, and is immovable. It passes through other immovable things. Segments are joined
	                  only with those of the same velocity */
	bool disabled; /* as if it were not there: what it hid is felt again, and what it joins has an end. It moves on, if it
	                  moves; a sensor counts in a tick's work; and friction and movement make the world one that has them */
};

/* Further reports that a world should make: bits of world_def.events. None of them changes what happens, or a hash. */
enum world_event {
	WORLD_EVENTS_TOUCH = 1 << 0,   /* PAIR_EVENT_BEGIN, PAIR_EVENT_HIT and PAIR_EVENT_END */
	WORLD_EVENTS_PERSIST = 1 << 1, /* these, and PAIR_EVENT_PERSIST */
	WORLD_EVENTS_PATHS = 1 << 2,   /* tick_report.paths */
	/* tick_report.paths of those circles alone that got another path in the tick. All others go on from where they were, under
	   damping, speed_max and gravity. By world_events_set only; a snapshot does not keep it. Without memory for them, or for
	   what else of the tick needs theirs, the tick is made and they are lost: tick_report.paths_lost. */
	WORLD_EVENTS_CHANGED_PATHS = 1 << 3,
};

struct world_def {
	double gravity_x, gravity_y; /* acceleration of every dynamic circle */
	enum restitution_mix restitution_mix;
	enum friction_mix friction_mix;
	double restitution_threshold; /* approach speed below which restitution counts as 0; may be 0 */
	double sleep_after; /* s: circles at rest on something for this long fall asleep (PATH_ASLEEP), with all that they lie on
	                       and that lies on them. 0: never */
	uint32_t events_per_body_max; /* in one tick; a body that reaches it is parked. 1..1,000,000 */
	uint64_t work_per_tick_max;   /* limit of a tick's counted work (tick_report.work): this much, and for each circle this */
	uint64_t
		work_per_body_max; /* much more. When it is used up, a body is parked at its next event. 1..PHYSICS_WORK_..._MOST */
	size_t contacts_per_tick_max;     /* a tick with more fails with STATUS_RESOURCE_EXHAUSTED */
	const struct circle_def *circles; /* borrowed during world_create only */
	size_t circle_count;
	/* So many of the circles, from the first on, differ from it in nothing but id, place, velocity and radius. Taken at its
	 * word: what else they have is not looked at. 0: not known */
	size_t circles_alike;
	const struct segment_def *segments;
	size_t segment_count;
	double speed_max; /* 0: none. Dynamic circles that are faster at a tick's start, after damping, are slowed to it; within the
	                     tick gravity and contacts may still make them faster */
	unsigned events;  /* bits of enum world_event. Sensor events are reported whenever there are sensors */
	double hit_speed; /* >= 0: the least approach speed of a PAIR_EVENT_HIT */
	const struct relation_def *relations; /* in any order; borrowed during world_create only */
	size_t relation_count;
	struct wall_map *map; /* walls besides `segments` that other worlds have too: wall_map.h. NULL: none */
	/* Circles that are not static and have their centre outside this box at a tick's end are removed then (END_BOUNDS).
	 * Housekeeping and not a rule of a game: within a tick nothing happens at the box. Without has_bounds it is ignored. */
	bool has_bounds;
	double bounds_x_min, bounds_y_min, bounds_x_max, bounds_y_max;
};

/* Defaults: dynamic, id 0, radius 0 (must be set), mass 1, restitution 1, no friction, at rest at angle 0. Category 1, mask
 * all, gravity_scale 1, BOUNCE, no damping, surface at rest. */
struct circle_def circle_def_default(void);
/* Defaults: id 0, both ends at the origin (must be set), restitution 1, no friction, category 1, mask all, thin, two-sided, at
 * rest. */
struct segment_def segment_def_default(void);
/* Defaults: no gravity, mixes MAX and GEOMETRIC, threshold 0, 10,000 events per body, 4,194,304 contacts per tick, empty. */
struct world_def world_def_default(void);

/* The checks of world_create without a world: false: *problem is the first in reading order. */
bool world_def_check(const struct world_def *def, struct def_problem *problem);

/* Default: of group 0 with itself, BOUNCE, nothing given. */
struct relation_def relation_def_default(void);

struct world;

/* Builds a world. Sorts by id, so the order of definition changes nothing. Copies everything it needs. STATUS_INVALID_ARGUMENT:
 * *problem is the first problem found (fields checked in the order of enum def_field, arrays in their order).
 * STATUS_RESOURCE_EXHAUSTED: no memory, or more than 1024 + 8 per circle pairs overlap. On failure *out is not written. */
STATUS_MUST_USE enum status world_create(const struct world_def *def, struct def_problem *problem, struct world **out);
void world_destroy(struct world *world);

/* The largest magnitudes that a definition may hold: squares and cubes stay finite and the skin still covers rounding. */
#define PHYSICS_COORDINATE_MAX 1e12
#define PHYSICS_SPEED_MAX 1e12
#define PHYSICS_RADIUS_MAX 1e9
#define PHYSICS_RADIUS_MIN 1e-9
#define PHYSICS_MASS_MAX 1e15
#define PHYSICS_MASS_MIN 1e-15
#define PHYSICS_INERTIA_MAX 1e33 /* a disc of the largest radius and mass; effectively keeps a small one from turning */
#define PHYSICS_INERTIA_MIN 1e-34
#define PHYSICS_FRICTION_MAX 1e6
#define PHYSICS_DAMPING_MAX 1e12
#define PHYSICS_GRAVITY_SCALE_MAX 1e6
#define PHYSICS_SLEEP_AFTER_MAX 1e12
#define PHYSICS_LIFETIME_MAX 1e9
#define PHYSICS_DT_MAX 1e3
#define PHYSICS_DT_MIN 1e-9
/* Displacement per tick, in radii of the circle, up to which the skin covers the rounding of a path's ends. A body that exceeds
 * it during a tick is flagged BODY_FLAG_FAST. */
#define PHYSICS_TRAVEL_MAX_RADII 1048576.0

/* Advances the world by dt > 0. STATUS_INVALID_ARGUMENT: dt is not in PHYSICS_DT_MIN..PHYSICS_DT_MAX; nothing happened.
 * STATUS_CANCELLED: world_stop_set. STATUS_RESOURCE_EXHAUSTED: memory or contacts_per_tick_max. STATUS_OUT_OF_RANGE: a state is
 * not finite (world_failure). After these three the world is at an undefined time and must be destroyed. */
STATUS_MUST_USE enum status world_step(struct world *world, double dt, struct tick_report *out);

/* Which circle's state was not finite at the end of a tick. Definitions, edits and snapshots are checked, and
 * gravity adds at most 1e21 to a speed in a tick. So this tells of an error in the engine or in memory. */
struct world_failure {
	uint64_t tick;        /* the tick that failed, counted from 1 */
	uint32_t circle_id;   /* the least that is concerned */
	enum def_field field; /* the first that is not finite of x, y, vx, vy, angle, angular_velocity; VX too where the square of
	                         the speed is not */
};

/* After STATUS_OUT_OF_RANGE of world_step: true, and *out is written. */
bool world_failure(const struct world *world, struct world_failure *out);

/* Lets a tick be cancelled: `stop` is called now and then within world_step. If it returns true, world_step returns
 * STATUS_CANCELLED and leaves the world at an undefined time; it must then be destroyed. Never changes the result of a finished
 * tick. NULL: never called (default). A world with a task scheduler calls it on the threads of its tasks, several at once. */
void world_stop_set(struct world *world, bool (*stop)(void *context), void *context);

/* Lends a world a clock, which is read some seven times a tick, or 17: nanoseconds since some moment. NULL: none (default). */
void world_clock_set(struct world *world, uint64_t (*now_ns)(void));

/* The task scheduler: runs tasks of one tick in parallel. The engine has no threads of its own; a program that has some lends
 * them by this. */
struct workers {
	/* How many tasks could run at once now, the caller's thread included; 1: only that one. Called at most twice a tick. */
	unsigned (*count)(void *context);
	/* A parallel for: calls piece(argument, index) once for each index under `count`, on any threads, in any order, and returns
	 * when all calls have returned. The tasks see what was written before the call, and the caller sees what they wrote after
	 * it. */
	void (*run)(void *context, unsigned count, void (*piece)(void *argument, unsigned index), void *argument);
	void *context;
	unsigned bodies_min; /* worlds of fewer bodies do not use it, all others do; 0: those use it for which it pays */
	unsigned
		rows_min; /* of cells in a domain (partition.h); 0: the best number, and worlds under 32 cells wide do not use it */
};

/* Lends a world a task scheduler, up to the next call; NULL: none (default). The struct is copied, its context borrowed. Every
 * tick gives the same result, bit by bit and row by row, whatever threads run the tasks, and however many at once. Nothing else
 * that belongs to the process is state of the world either, and a snapshot contains none of it. */
void world_workers_set(struct world *world, const struct workers *workers);

/* Memory that ticks and edits need and that is no state: the queue of events, clusters, reports. A world has its own, unless it
 * is lent one. Many small worlds that one thread steps in turn are faster with a common one, which stays in the cache, and they
 * take a third of the memory. Every tick gives the same result with it and without, bit by bit and row by row.
 *
 * A workspace belongs to one thread at a time, and to one world during a call. world_step and world_edit abort the program if
 * another world's call is under way in it. It grows with the largest tick stepped in it, and outlives the worlds that have
 * it. */
struct workspace;

/* STATUS_RESOURCE_EXHAUSTED: no memory. */
STATUS_MUST_USE enum status workspace_create(struct workspace **out);
void workspace_destroy(struct workspace *workspace);
size_t workspace_memory_bytes(const struct workspace *workspace);
/* Lends a world a workspace, up to the next call; NULL: none (default). Borrowed. The world's own memory of this kind is freed,
 * and its report with it. From then on the contacts, path changes and shortfalls of a report are in the workspace. They are
 * valid until the next call, other than a query, on any world that has it. If the workspace is taken away (NULL) before then,
 * they move to the world and stay valid as before. world_memory_bytes counts of a workspace what the world's last tick used. */
void world_workspace_set(struct world *world, struct workspace *workspace);
/* As world_workspace_set(world, NULL), but the last report is not valid any more. The workspace keeps its memory, and may be
 * destroyed or lent on another thread. */
void world_workspace_drop(struct world *world);

/* Selects, between two ticks, other events than the definition (bits of enum world_event). Pairs that touch while they are not
 * selected begin with their next contact, or when the rest solver next has them carry force. If they are selected no longer,
 * they end without a report. Sensors are not affected. Of the last report the paths and pair events are not valid any more.
 * STATUS_INVALID_ARGUMENT: other bits. STATUS_RESOURCE_EXHAUSTED: no memory; the world is unchanged. */
STATUS_MUST_USE enum status world_events_set(struct world *world, unsigned events);

struct body_state {
	uint32_t id;
	enum body_kind kind;
	double x, y, vx, vy;
	double angle, angular_velocity;
	double radius, mass; /* mass is infinity unless dynamic */
	bool asleep;
	uint64_t tag;
};

size_t world_body_count(const struct world *world);
/* Bodies in ascending order of id, index < world_body_count. At a tick's boundary. */
struct body_state world_body(const struct world *world, size_t index);
/* The same in columns, ascending by id; each of `count` = world_body_count elements, NULL to skip. */
void world_copy_bodies(const struct world *world, uint32_t *id, double *x, double *y, double *vx, double *vy);
/* Columns of an output buffer, at any address, aligned or not: ids as uint32_t, all else as doubles. */
struct body_bytes {
	unsigned char *id, *x, *y, *vx, *vy;
	unsigned char *angle, *spin; /* both NULL: skipped */
	unsigned char *tag;          /* uint64_t; NULL: skipped */
};
/* The same for bodies first .. first + count. */
void world_write_bodies(const struct world *world, size_t first, size_t count, const struct body_bytes *out);
/* How a circle moves from here on if nothing comes to it. At a tick's start velocity and spin of one that
 * is dynamic and awake are multiplied by 1 / (1 + dt * damping), each with its own damping. Then a velocity beyond speed_max is
 * multiplied by speed_max / sqrt(vx * vx + vy * vy). Its acceleration is (ax, ay), unless tick_report.paths has another. */
struct body_motion {
	double x, y, vx, vy;
	double angle, spin;
	double ax, ay; /* gravity times gravity_scale; 0 unless dynamic */
	double linear_damping, angular_damping;
	double radius, gravity_scale;
	double mass; /* infinity unless dynamic */
	uint64_t tag;
	uint32_t id;
	enum body_kind kind;
	bool driven; /* the rest solver has driven it in the last substep, or it sleeps */
	bool asleep;
};

/* Those of bodies first .. first + count, ascending by id. */
void world_copy_motions(const struct world *world, size_t first, size_t count, struct body_motion *out);
/* Where a segment was defined, and its way from there, x and y: at the end of each tick of dt, dt times its velocity is added
 * to each. Its ends are the sums. */
struct segment_motion {
	uint32_t id;
	double x1, y1, x2, y2, moved_x, moved_y;
};

/* Of the segments that have a velocity; index < world_moving_count. */
size_t world_moving_count(const struct world *world);
struct segment_motion world_segment_motion(const struct world *world, size_t index);
/* Whether anything in this world turns or can be made to turn, or some circle has RESPONSE_STOP. Otherwise all angles, angular
 * velocities and friction impulses are 0 for ever. */
bool world_turns(const struct world *world);
/* Whether some circle has, or had at the last edit, a tag other than 0. */
bool world_tagged(const struct world *world);
/* A definition of the circle or segment in its present state; indices as those of world_body, and ascending by id too. The mass
 * and the gravity_scale of a circle that is not dynamic are 1, and its moment of inertia is 0. */
struct circle_def world_circle(const struct world *world, size_t index);
size_t world_segment_count(const struct world *world);
/* Its ends are at their present places. */
struct segment_def world_segment(const struct world *world, size_t index);
uint64_t world_tick(const struct world *world);
/* A hash of all ids, positions and velocities, of nonzero angles and spins, and of the rest solver's state; of lifetimes, and
 * of ignored circles, too. The same on every machine. Reads every body in each call. */
uint64_t world_hash(const struct world *world);
/* Bytes held by the world now, but for small tables: of small worlds up to a third is not counted (test_physics_blocks). */
size_t world_memory_bytes(const struct world *world);

/* Handles: values that name one circle or segment for ever. An id may be used again once its owner is removed; a handle of the
 * removed one does not find the new one. They are state: also valid in a world restored from a snapshot. A world that is edited
 * 2^32 times would reuse generations. */
struct body_handle {
	uint32_t id, generation;
};

struct segment_handle {
	uint32_t id, generation;
};

struct body_handle world_body_handle(const struct world *world, size_t index);
struct segment_handle world_segment_handle(const struct world *world, size_t index);
/* The index, valid until the next edit. False, leaving *index unchanged: nothing has that id, or the handle is stale. */
STATUS_MUST_USE bool world_body_find(const struct world *world, uint32_t id, size_t *index);
STATUS_MUST_USE bool world_segment_find(const struct world *world, uint32_t id, size_t *index);
STATUS_MUST_USE bool world_body_of(const struct world *world, struct body_handle handle, size_t *index);
STATUS_MUST_USE bool world_segment_of(const struct world *world, struct segment_handle handle, size_t *index);

/* Edits: changes from outside between two ticks. */
enum edit_kind {
	EDIT_CIRCLE_SPAWN,
	EDIT_CIRCLE_CHANGE,
	EDIT_CIRCLE_REMOVE,
	EDIT_SEGMENT_SPAWN,
	EDIT_SEGMENT_CHANGE,
	EDIT_SEGMENT_REMOVE,
	EDIT_CIRCLE_ADD_VELOCITY, /* these three: push_def.h */
	EDIT_CIRCLE_IMPULSE,
	EDIT_EXPLOSION,
	EDIT_CIRCLE_SWEEP,
	EDIT_GRAVITY,
};

struct edit {
	enum edit_kind kind;
	bool exact; /* unless it is a spawn, an explosion or gravity: only if the id has this generation */
	uint32_t generation;
	uint64_t fields; /* of a change: edit_field of each member of the definition below that counts */
	union {
		struct circle_def circle; /* of a change its id and what `fields` names; of a removal its id; of a sweep id, x, y */
		struct segment_def segment;
		struct circle_push push;
		struct explosion explosion;
		double gravity[2];
	};
};

/* Its bit in edit.fields; of circles from DEF_CIRCLE_KIND on, of segments from DEF_SEGMENT_X1 on. */
static inline uint64_t
edit_field(enum def_field field)
{
	return UINT64_C(1) << (field >= DEF_SEGMENT_ID ? field - DEF_SEGMENT_ID : field - DEF_CIRCLE_ID);
}

/* Edits without conditions. */
struct edit edit_circle_spawn(const struct circle_def *circle);
struct edit edit_circle_change(const struct circle_def *circle, uint64_t fields);
struct edit edit_circle_remove(uint32_t id);
struct edit edit_segment_spawn(const struct segment_def *segment);
struct edit edit_segment_change(const struct segment_def *segment, uint64_t fields);
struct edit edit_segment_remove(uint32_t id);
struct edit edit_circle_add_velocity(uint32_t id, double vx, double vy);
struct edit edit_circle_impulse(const struct circle_push *impulse);
struct edit edit_explosion(const struct explosion *explosion);
struct edit edit_circle_sweep(uint32_t id, double x, double y);
struct edit edit_gravity(double x, double y);

/* Makes all edits of a batch, or none. The order within the batch does not matter: first all removals, then everything else. So
 * an id may be removed and spawned in one batch, which replaces its owner. Otherwise each id has one edit, or changes of
 * different fields. A change that makes no difference is no edit at all.
 * - What is spawned, or placed by a change (position, radius, kind, ends), begins its next tick as in a new scene. Overlap is
 *   undone or reported (BODY_FLAG_INITIAL_OVERLAP), and a circle at rest on others may be solver-driven at once. A place behind
 *   a wall is not refused.
 * - A change of velocity is nothing else: what rests on others stays with the rest solver, and does not bounce.
 * - A circle that becomes dynamic needs its mass too. With another kind, mass or radius it has the inertia of a disc, if none
 *   is given.
 * - What is added to velocities (push_def.h) comes after the changes. Any number of additions to one circle sum up; the sum is
 *   rounded once. It must be within the range of a definition. An explosion reaches circles where they were before the batch,
 *   and none that it removes or spawns.
 * - A sweep places a circle as a change does, but stops it at the first thing on the straight way to (x, y). That is its first
 *   contact if it flew there at once while all else stood still, and stayed there: so the gap is a skin then. It is a contact
 *   as in a tick. Passed are what filters, groups, relations and report_groups let pass, sensors, disabled segments, an ignored
 *   circle, and one-sided segments from the right or from within. What it touches or overlaps at its start stops it there if it
 *   would approach it, and else never. A circle that is not dynamic is stopped by dynamic circles only. Nothing is told or
 *   bounces, velocities stay, and no rule acts. Sweeps come after all other edits of the batch, by ascending id: each meets
 *   the world as it is by then. A circle has one place in a batch.
 * - Gravity is the world's from then on, for all dynamic circles at once: all that slept wakes. Once in a batch.
 * - All that slept in contact with what is edited, or overlaps it now, wakes with its island. PATH_WOKEN comes with the next
 *   tick, except for what is not dynamic any more.
 * - A pair that touched, or was inside a sensor, and cannot any more, ends at the start of the next tick (struct pair_event).
 * - All other bodies continue unaffected. The next tick's ledgers begin with the world as edited.
 * Costs a sort of the batch, and a pass over the world if anything but velocities, angles and spins changes; another pass over
 * its circles and segments for each sweep.
 * STATUS_INVALID_ARGUMENT: *problem is the first one found, with its index in the batch and its field.
 * STATUS_RESOURCE_EXHAUSTED: no memory, or too many overlaps, as world_create. STATUS_FAILED_PRECONDITION: the world failed
 * within a tick. On failure nothing has changed. */
STATUS_MUST_USE enum status world_edit(struct world *world, const struct edit *edits, size_t count,
                                       struct def_problem *problem);

/* Enables or disables a segment, as world_edit with an EDIT_SEGMENT_CHANGE of DEF_SEGMENT_DISABLED, in its effect and its bits.
 * It costs a pass over the circles and, where the rest solver drives some, what that has listed. It costs what an edit costs,
 * - if something sleeps or touches there, or the segment is a sensor, or a circle stands where it is enabled;
 * - if no circle could ever touch some end at the segment, until it has been disabled once.
 * In the latter case an edit gives a world in a map walls of its own; so in a map define such segments as disabled. A kept
 * state can be returned to over switches. STATUS_INVALID_ARGUMENT: there is no such segment. Otherwise as world_edit. */
STATUS_MUST_USE enum status world_segment_enable(struct world *world, uint32_t id, bool enabled);

/* Snapshots: everything that influences the future of a world between two ticks, as bytes (snapshot.h has the format). A world
 * restored from them continues with the same hashes, contacts, paths and ledgers, bit for bit and for ever, on any machine.
 *
 * PHYSICS_SEMANTICS numbers the engine's behaviour: it is raised by every change after which some world would continue with
 * other bits. An engine refuses snapshots of another number, unless told otherwise. */
#define PHYSICS_SEMANTICS 19u

/* The size of a snapshot of the world's present state. */
size_t world_snapshot_bytes(const struct world *world);
/* How many of its bytes each body takes: rows, one behind the other, of which the next is mostly like the one before. */
size_t world_snapshot_body_bytes(void);
/* Writes a snapshot into the caller's memory; `size` must be world_snapshot_bytes. Changes nothing in the world and allocates
 * nothing. STATUS_INVALID_ARGUMENT: another size. STATUS_FAILED_PRECONDITION: the world failed within a tick. */
STATUS_MUST_USE enum status world_snapshot(const struct world *world, void *out, size_t size);

enum restore_flag {
	RESTORE_OTHER_SEMANTICS = 1 << 0, /* accepts a snapshot of other semantics too: it continues with those of this engine */
};

/* What is wrong with a snapshot: "pairs.b", row 17, "must ascend". Texts are static; empty where memory was missing. */
struct snapshot_problem {
	const char *field;
	size_t index; /* row of its table */
	const char *text;
};

/* Makes a world from a snapshot's bytes (borrowed), which may be anything: damaged or hostile ones are refused, never trusted.
 * What belongs to the process is not in it: world_stop_set. STATUS_INVALID_ARGUMENT: *problem is the first problem found.
 * STATUS_RESOURCE_EXHAUSTED: no memory, or too many overlaps, as world_create. On failure *out is not written. */
STATUS_MUST_USE enum status world_restore(const void *snapshot, size_t size, unsigned flags, struct snapshot_problem *problem,
                                          struct world **out);

#endif
