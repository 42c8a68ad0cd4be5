/* world: the engine's state. Internal to physics/; physics.h is the public face.
 *
 * Bodies and segments are stored in ascending order of id, so that an index compares as an id does and ties never depend on
 * how the scene was written. One thread at a time. */
#ifndef COLLIDED_WORLD_WORLD_H
#define COLLIDED_WORLD_WORLD_H

#include "physics/geometry/skin.h"
#include "physics/math/array.h"
#include "physics/math/double2.h"
#include "physics/math/larger.h"
#include "physics/math/work_meter.h"
#include "physics/physics.h"
#include "physics/tables/event_queue.h"
#include "physics/tables/grid.h"
#include "physics/tables/schedule.h"
#include "physics/tables/swept_boxes.h"
#include "physics/world/awake_set.h"

/* Restitution < 1 only: a rebound that would end within this part of a tick is not given, a pair that meets again within
 * it does not bounce. Against Zeno; larger cuts visible bounces. */
#define REBOUND_TICKS_MIN 0x1p-10
/* Restitution < 1 only: a body whose contacts of a tick have had restitutions of this product has lost what it came with. Two
 * such, or one and a wall, do not bounce any more in this tick: a heap of restitution .3 would else have hundreds of events for
 * each body and tick. */
#define REBOUND_SPENT 0x1p-10
/* Restitution 1 under gravity: hops shorter than this part of a tick become a supported contact. The cap of 10,000 events
 * could not follow them through a tick. Costs at most (g dt 2^-15)^2 / 2 of energy per unit mass, once. */
#define HOP_TICKS_MIN 0x1p-14

#define NONE UINT32_MAX
#define WORLD_EVENTS_ALL ((unsigned)(WORLD_EVENTS_TOUCH | WORLD_EVENTS_PERSIST | WORLD_EVENTS_PATHS))

struct cluster;
struct domain;
struct solver;

struct id_order {
	uint32_t id;
	size_t index;
};

/* The first problem in reading order, if any: false. As world_def_check. */
bool circle_def_check(const struct circle_def *circle, size_t index, struct def_problem *problem);
bool segment_def_check(const struct segment_def *segment, size_t index, struct def_problem *problem);
/* Whether two points are far enough apart to be a segment's. */
bool segment_has_length(double x1, double y1, double x2, double y2);
bool segment_radius_good(double radius);
/* Sorts by id; false and a problem with `field` when an id is given twice. */
bool id_order_sort(struct id_order *order, size_t count, enum def_field field, struct def_problem *problem);

/* The path since the body's last own event: x(t) = x + v (t-t0) + a (t-t0)^2/2. Written at own events and at the tick's end,
 * never by the grid, the queue or a prediction: that is what makes the bits independent of all of them. */
struct body {
	double x, y, vx, vy, ax, ay, t0;
	double radius;
};

/* Where a body is at a time of the tick at or after its last own event, and how fast. */
static inline void
body_at(const struct body *body, double time, double position[2], double velocity[2])
{
	double t = time - body->t0;

	position[0] = body->x + t * (body->vx + 0.5 * t * body->ax);
	position[1] = body->y + t * (body->vy + 0.5 * t * body->ay);
	velocity[0] = body->vx + t * body->ax;
	velocity[1] = body->vy + t * body->ay;
}

/* The same with both axes at once. */
struct body_place {
	two position, velocity;
};

static inline struct body_place
body_place_at(const struct body *body, double time)
{
	double t = time - body->t0;
	two velocity = two_load(&body->vx), acceleration = two_load(&body->ax);

	return (struct body_place){ two_load(&body->x) + t * (velocity + 0.5 * t * acceleration), velocity + t * acceleration };
}

enum body_mode {
	MODE_MOVING,
	MODE_ASLEEP, /* it stands still, over the ticks, until it is woken (sleep.h) */
	MODE_LED,    /* its path is a leg of the resting solver; its velocity is kept_vx, kept_vy (handover.h) */
	MODE_PARKED,
	MODE_CRUSHED,
};

/* Bits of body_info.settle. */
enum {
	HANDOVER_HIT = 1,
	HANDOVER_CANDIDATE = 2,
	HANDOVER_LED = 4,
	HANDOVER_ASLEEP = 8,
	HANDOVER_NEW = 16,
	HANDOVER_WOKEN = 32
};

/* Whether a body stands still for the rest of the tick. */
static inline bool
mode_stands(uint8_t mode)
{
	return mode >= MODE_PARKED;
}

/* What a body is, and its bookkeeping within a tick. By cache lines: what every tick writes, what else a contact asks for, what
 * most contacts do not. */
struct body_info {
	_Alignas(64) double fastest; /* square of the largest speed that a part of its path ended or began with in this tick */
	double last_hit_time;        /* of the last contact in this tick */
	double rebound;              /* product of the restitutions that its contacts had in this tick */
	double gravity_scale;        /* 0 unless dynamic */
	uint32_t last_partner;       /* its other side: body index, or segment index | PARTNER_SEGMENT; NONE */
	uint32_t burst_hits;         /* contacts in a row, each within REBOUND_TICKS_MIN of the one before */
	uint32_t events;             /* own events in this tick */
	uint32_t support;            /* head of the list of supports, NONE */
	uint32_t clear;              /* the epoch of a leg that meets no wall and no other such leg (handover.h): handover_clear */
	uint32_t id;
	uint8_t mode;     /* enum body_mode */
	uint8_t stands;   /* how often its leg was cut short by an event in this part of the tick, at most 255 */
	bool driven : 1;  /* pushed on in this part of the tick by what does not yield or is much heavier, or by what is so pushed:
	                     its contacts with led bodies are events */
	bool fresh : 1;   /* in this tick: what a scene begins with, or NEW */
	uint8_t handover; /* HANDOVER_HIT: a contact without rebound since the last part of a tick; CANDIDATE: in the last tick;
	                   LED: led in the last part; ASLEEP. NEW: spawned or placed since the last tick; WOKEN: by an edit, since
	                   then, which the next tick tells. The only state besides the path, and what the solver keeps, that the
	                   next tick needs */
	uint8_t kind;     /* enum body_kind */
	bool sensor;      /* makes no contacts: collision_filter.h */
	uint8_t response; /* enum movement_response */
	uint8_t group;

	double inverse_mass;    /* 0 unless dynamic */
	double mass;            /* INFINITY unless dynamic */
	double inverse_inertia; /* 0 unless dynamic */
	double angle, spin;     /* spin: angular velocity; the angle is that at the body's own last event */
	double restitution, friction, rolling;

	double released;         /* when the resting solver let it go in this tick, -1: not */
	double kept_vx, kept_vy; /* velocity of a body that stands or is led, given back when that ends */
	double surface_speed;
	double linear_damping, angular_damping;
	uint32_t category, mask;
	int32_t filter_group;
	uint32_t generation; /* world.bodies.generation when it was spawned */
};

#define PARTNER_SEGMENT 0x80000000u

struct segment {
	double x1, y1, x2, y2; /* where it is; within a tick: where it was at its start (moving_walls.h) */
	double ux, uy;         /* from the first point to the second */
	double length;
	double rounding; /* SKIN_PER_COORDINATE * largest coordinate; within a tick: that it has in it */
	double radius;   /* 0: thin */
	double restitution, friction, rolling, surface_speed;
	uint32_t id, category, mask;
	bool sensor; /* makes no contacts: collision_filter.h */
	int32_t filter_group;
	uint32_t vertex[2];
	uint32_t generation; /* as a body's */
	uint8_t group;
	bool one_sided;
	bool moving; /* vx or vy is not 0; neither is -0 */
	double vx, vy;
	double home[4], moved[2]; /* x1, y1, x2, y2 as defined; how far it has come since, x and y */
	bool acute;               /* another segment leaves an end of it at less than a right angle, or goes through there */
};

/* A point where segments end; segments of one radius that end in exactly the same point share it. */
struct vertex {
	double x, y, radius;
	double vx, vy;                     /* of all its spokes' segments */
	double rounding;                   /* as a segment's */
	uint32_t first_spoke, spoke_count; /* in world.walls.spokes: ends ascending by segment, then those that it lies on */
	bool dead;  /* no direction from which a circle could touch it before a segment, whatever the masks */
	bool sided; /* some segment of it may be one-sided */
};

/* A segment at a vertex: one that ends there, or one that the vertex lies on (junction.h). Lengths along a spoke are measured
 * from the vertex. */
struct spoke {
	double ux, uy; /* from the vertex along the segment; of one that it lies on, the segment's own direction */
	double length;
	double low, high; /* where the segment begins and ends; of one that ends there 0 and INFINITY */
	/* The largest distance of a centre from the vertex at which the segment also hides the vertex beyond its begin, and beyond
	 * its end: there that end is nearer (spoke_bounds). 0: at none. */
	double before_max, behind_max;
	uint32_t segment;
	uint8_t feature;   /* FEATURE_END_1 or FEATURE_END_2; FEATURE_FACE of one that it lies on */
	bool begins, ends; /* the segment begins there, or ends there, with the same radius: to the bit, or but for rounding */
};

/* That a body's path rests on something: predictions against it must not see the rounding of the acceleration. */
struct support {
	uint32_t next;
	uint32_t other; /* body, segment or vertex index */
	uint8_t kind;   /* enum event_kind: EVENT_CIRCLES, EVENT_FACE or EVENT_VERTEX */
	int8_t side;    /* of a face: +1 left of its direction, -1 right */
};

/* What a world that is one domain of a partitioned tick asks its partition (partition.h), and no other. */
struct domain_gate {
	struct domain *domain; /* NULL: it is a whole world */
	/* Whether the domain may change a body at a time; and keeps the members of a cluster before they are written. */
	bool (*has)(struct domain *domain, uint32_t body, double time);
	bool (*keeps)(struct domain *domain, const struct cluster *cluster);
	/* What the domain writes by body and by cell, for fetching ahead. */
	const uint8_t *kept;
	const double *latest;
};

/* What a definition says of the whole world, and what follows from it and from the bodies (world_derive). Changed by edits
 * only. */
struct world_settings {
	double gravity_x, gravity_y, gravity; /* the vector and its length */
	double restitution_threshold;
	enum restitution_mix restitution_mix;
	enum friction_mix friction_mix;
	bool turns;                  /* physics.h: world_turns */
	double speed_max;            /* 0: none */
	uint32_t bent_bodies;        /* bodies that do not fall with the world's gravity, WORK_NEAR_BODIES at most */
	double scale_most;           /* the largest magnitude of any gravity_scale */
	double radius_least;         /* of dynamic circles; INFINITY: there is none */
	bool kicks;                  /* something is damped, or there is a greatest speed */
	bool surfaces;               /* some surface moves by itself */
	double sleep_after;          /* 0: never */
	bool all_meet;               /* no two bodies of which one is dynamic pass each other, or sense */
	bool filtered;               /* collisions are filtered by more than masks: filter groups, or relations */
	struct relations *relations; /* NULL: none */
	uint32_t events_per_body_max;
	uint64_t work_per_tick_max, work_per_body_max;
	size_t contacts_per_tick_max;
	unsigned watched; /* world_def.events */
	double hit_speed;
};

/* The bodies, in columns by index. One block of memory (body_columns_alloc). */
struct bodies {
	uint32_t count;
	uint32_t generation;     /* batches of edits so far that spawned something */
	struct body *paths;      /* state between ticks, with what the next tick needs of the infos */
	struct body_info *infos; /* mass, id, kind...; bookkeeping within a tick */
	/* Not 0: it is free and dynamic, does not turn, and nothing has come to it since its last tick began. Then its bookkeeping
	 * is as a tick's start would make it, `fastest` aside, its epoch is 0, its acceleration is the world's gravity, and no tick
	 * need look at its infos. A function that changes its path or infos says so first (body_touch). A world may forget it at
	 * any time. */
	uint8_t *untouched;
	double *masses;          /* of those */
	struct body_mark *marks; /* event_queue.h */
	uint32_t *ids;           /* those in infos, for loops that want nothing else of them */
	struct calm *calms;      /* NULL if nothing may sleep */
	struct awake awake;      /* the bodies that a tick goes through: those that do not sleep */
	uint32_t asleep_count;
	uint8_t *sleep_flags; /* scratch of sleep.c */
	uint32_t *fallen;     /* the same: what falls asleep */
};

/* The walls: segments, the points where they end, and which segments are at each. */
struct walls {
	uint32_t segment_count, vertex_count, spoke_count;
	struct segment *segments;
	struct vertex *vertices;
	struct spoke *spokes;
	uint32_t *moving; /* segments that move, ascending, then vertices (moving_walls.h) */
	uint32_t moving_count, moving_vertex_count;
	struct segment_place *places; /* of those that move, as the last tick reports them */
};

/* What the caller lends: asked within a tick. */
struct world_host {
	bool (*stop)(void *context); /* whether to give the tick up; NULL: never */
	void *stop_context;
	struct crew crew;         /* run NULL: none */
	uint64_t (*now_ns)(void); /* NULL: nothing is timed */
};

/* The tick at hand. */
struct tick_step {
	double dt, ticks_per_second;  /* which is rounded: for what is not exact anyway */
	double until;                 /* end of the substep: up to where the paths of solver-driven bodies hold */
	unsigned part_end;            /* the substep that begins there */
	uint32_t parts;               /* substeps of this tick: handover.h */
	bool parted;                  /* the tick has substeps: the rest solver drives something */
	bool parted_before;           /* so had the one before */
	bool handover_asked;          /* this tick has substeps, however few the candidates: some overlap */
	uint32_t handover_candidates; /* bodies with handover != 0 at the tick's start */
	size_t push_tries;            /* left in this tick */
	struct work_meter work;
};

/* Scratch of a tick; a workspace may lend it (workspace.h). */
struct tick_scratch {
	struct event_queue queue;
	struct swept_boxes swept_boxes;
	struct resolver *resolver; /* NULL before the first tick */
	struct support *supports;
	size_t support_count, support_capacity;
	struct overlap *overlaps; /* depenetration.c */
	size_t overlap_count, overlap_capacity;
	struct knot_body *knots; /* and of these, by overlap and by body */
	uint32_t *knot_parents;
	size_t knot_capacity, knot_parent_capacity;
};

/* What the last tick reports. */
struct tick_rows {
	struct contact *contacts;
	size_t contact_count, contact_capacity;
	struct path_change *path_changes;
	size_t path_change_count, path_change_capacity;
	struct shortfall *shortfalls;
	size_t shortfall_count, shortfall_capacity;
	uint64_t events, collisions, clusters, clips;
	struct energy_ledger energy;
	struct momentum_ledger momentum;
	bool measured; /* the ledgers' sums after the last tick are those of the bodies as they are */
	struct tick_cost cost;
	uint64_t phase_ns; /* when the phase at hand began */
};

struct world {
	struct world_settings settings;
	struct bodies bodies;
	struct walls walls;
	struct tick_step step;
	struct tick_scratch scratch;
	struct tick_rows report;
	struct world_host host;
	struct grid grid;
	struct schedule schedule;
	uint64_t tick;         /* ticks so far */
	bool overlap_possible; /* the scene is new, or the last tick had a shortfall: look for overlap at the next start */
	bool overlap_free;     /* but nothing does: it was looked for when the scene was made, and nothing has moved since */
	bool stopped;          /* host.stop said so */
	bool failed;           /* stopped, or out of memory or contacts: the tick cannot be finished */
	double wall_room;      /* of the rest solver's list (solver_wall_room) */

	struct handover *handover;   /* NULL until something is handed over */
	const struct solver *solver; /* its rest solver: which pairs it has loaded */
	struct partition *partition; /* NULL until a crew was needed */
	struct domain_gate gate;     /* of a world that is one domain of a partitioned tick */
	struct workspace *workspace; /* NULL: all scratch is its own */
	struct watch *watch;         /* NULL: nothing is asked for */
	struct edit_plan *plan;      /* scratch of world_edit.c, NULL before the first edit */
};

/* The columns of as many bodies as the world has, all in one block, and what frees them. False without memory. */
bool body_columns_alloc(struct world *world);
void body_columns_free(struct world *world);
/* A world of the definition's own fields and counts, with room for its bodies and segments. NULL without memory, or where
 * there are more of them than indices. */
struct world *world_alloc(const struct world_def *def);
/* Makes a body or segment of its definition. */
void body_define(struct world *world, uint32_t index, const struct circle_def *def);
void segment_define(struct segment *segment, const struct segment_def *def);
/* The rest of a body or segment, from the fields that define it. */
void body_derive(struct world *world, uint32_t index);
void segment_derive(struct segment *segment);
/* What the world knows of all its bodies and segments, from them. */
void world_derive(struct world *world);
/* Whether the schedule of the next tick is being written. */
static inline bool
schedule_listens(const struct world *world)
{
	return schedule_is_for(&world->schedule, world->tick + 1);
}
/* Says that something comes to a body: it is looked at in the next tick, unless its new path is looked at at once. */
static inline void
body_touch(struct world *world, uint32_t body)
{
	const struct body *path = &world->bodies.paths[body];

	world->bodies.marks[body].roams = 0;
	if (schedule_listens(world))
		schedule_list(&world->schedule, body);
	if (!world->bodies.untouched[body])
		return;
	world->bodies.untouched[body] = 0;
	world->bodies.infos[body].fastest = path->vx * path->vx + path->vy * path->vy;
}
/* Gravity as a body feels it. */
static inline void
body_gravity(const struct world *world, uint32_t body, double out[2])
{
	out[0] = world->bodies.infos[body].gravity_scale * world->settings.gravity_x;
	out[1] = world->bodies.infos[body].gravity_scale * world->settings.gravity_y;
}
/* Whether anything turns, or friction could make it turn. */
bool world_turns_find(const struct world *world);

/* Asks whether to give the tick up; true, and world->failed, if so. Costs a call: not for every event. */
bool world_asked_to_stop(struct world *world);

#endif
