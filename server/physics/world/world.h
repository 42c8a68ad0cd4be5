/* world: the engine's state. Internal to physics/; physics.h is the public interface.
 *
 * Bodies and segments are stored in ascending order of id, so that indices compare as ids do and ties never depend on how the
 * scene was written. One thread at a time.
 *
 * The room world/: the state: bodies, walls and their joints, materials, filters, ledgers, what a tick reports. It uses
 * tables, geometry, math. It is called by all above. */
#ifndef COLLIDED_WORLD_WORLD_H
#define COLLIDED_WORLD_WORLD_H

#include "base/memory_spare.h"
#include "base/pause.h"
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

/* Restitution < 1 only. A rebound that would end within this fraction of a tick is not given, and a pair that meets again
 * within it does not bounce. Prevents Zeno behaviour; a larger value cuts visible bounces. */
#define REBOUND_TICKS_MIN 0x1p-10
/* Restitution < 1 only. If the restitutions of a body's contacts in a tick multiply to less than this, it has lost the velocity
 * that it came with. Two such bodies, or one and a wall, do not bounce any more in this tick. Otherwise a heap of restitution
 * .3 would have hundreds of events for each body and tick. */
#define REBOUND_SPENT 0x1p-10
/* Restitution 1 under gravity: hops shorter than this fraction of a tick become a supported contact, because the limit of
 * 10,000 events could not follow them through a tick. Costs at most (g dt 2^-15)^2 / 2 of energy per unit mass, once. */
#define HOP_TICKS_MIN 0x1p-14

#define NONE UINT32_MAX
#define WORLD_EVENTS_ALL ((unsigned)(WORLD_EVENTS_TOUCH | WORLD_EVENTS_PERSIST | WORLD_EVENTS_PATHS))
/* Those that belong to no definition. */
#define WORLD_EVENTS_OBSERVED ((unsigned)WORLD_EVENTS_CHANGED_PATHS)

struct body_rule;
struct cluster;
struct domain;
struct solver;

struct id_order {
	uint32_t id;
	size_t index;
};

/* The first problem in reading order; false if there is one. As world_def_check. */
bool circle_def_check(const struct circle_def *circle, size_t index, struct def_problem *problem);
/* world_def_check. Besides, *alike: there are circles, and they differ in nothing but id, place, velocity and radius. It may be
 * false though that is so. */
bool world_def_check_alike(const struct world_def *def, bool *alike, struct def_problem *problem);
bool segment_def_check(const struct segment_def *segment, size_t index, struct def_problem *problem);
/* Whether two points are far enough apart for a segment. */
bool segment_has_length(double x1, double y1, double x2, double y2);
bool segment_radius_good(double radius);
/* Sorts by id; false and a problem with `field` if an id is given twice. */
bool id_order_sort(struct id_order *order, size_t count, enum def_field field, struct def_problem *problem);

/* The path since the body's last own event: x(t) = x + v (t-t0) + a (t-t0)^2/2. It is written at own events and at the tick's
 * end, never by the grid, the queue or a prediction. That makes the bits independent of all of them. */
struct body {
	double x, y, vx, vy, ax, ay, t0;
	double radius;
};

/* The place and velocity of a body at a time of the tick at or after its last own event. */
static inline void
body_at(const struct body *body, double time, double position[2], double velocity[2])
{
	double t = time - body->t0;

	position[0] = body->x + t * (body->vx + 0.5 * t * body->ax);
	position[1] = body->y + t * (body->vy + 0.5 * t * body->ay);
	velocity[0] = body->vx + t * body->ax;
	velocity[1] = body->vy + t * body->ay;
}

/* The same, with both axes in one vector. */
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
	MODE_ASLEEP,  /* it stands still over ticks, until it is woken (sleep.h) */
	MODE_LED,     /* its path is a displacement of the rest solver; its velocity is kept_vx, kept_vy (handover.h) */
	MODE_STOPPED, /* by a contact rule: to contacts it is immovable */
	MODE_PARKED,
	MODE_CRUSHED,
	MODE_GONE, /* it has ended in this tick (ends.h): nothing meets it any more */
};

/* Bits of body_info.handover. */
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
mode_halts(uint8_t mode)
{
	return mode >= MODE_STOPPED;
}

/* Whether it takes no part in contacts either: it cannot be followed any more, or is gone. */
static inline bool
mode_stands(uint8_t mode)
{
	return mode >= MODE_PARKED;
}

/* What a body is, and its bookkeeping within a tick. By cache lines: what every tick writes, what else a contact reads, what
 * most contacts do not read. */
struct body_info {
	_Alignas(64) double fastest; /* square of the largest speed at an end of a piece of its path in this tick */
	double last_hit_time;        /* of the last contact in this tick */
	double rebound;              /* product of the restitutions of its contacts in this tick */
	double gravity_scale;        /* 0 unless dynamic */
	uint32_t last_partner;       /* its other side: body index, or segment index | PARTNER_SEGMENT; NONE */
	uint32_t burst_hits;         /* consecutive contacts, each within REBOUND_TICKS_MIN of the one before */
	uint32_t events;             /* own events in this tick */
	uint32_t support;            /* head of the list of supports, NONE */
	uint32_t clear; /* epoch of a displacement certified free of walls and of others that are certified: handover_clear */
	uint32_t id;
	uint8_t mode;    /* enum body_mode */
	uint8_t stands;  /* how often events cut its displacement short in this substep, at most 255 */
	bool driven : 1; /* pushed this substep, directly or through others, by an immovable or much heavier body: its contacts with
	                    solver-driven bodies are events */
	bool shoved : 1; /* it is driven, and not only because it stood still so often */
	bool crowded : 1; /* in this tick: it stood still in a crowd (body_crowded) */
	bool fresh : 1;   /* in this tick: part of a new scene, or NEW */
	bool steady : 1;  /* the solver's: its acceleration is constant in this substep: steady_end */
	uint8_t hung : 2; /* through how many substeps before this one it hung, at most HUNG_MOST (body_hung) */
	uint8_t handover; /* HANDOVER_HIT: a contact without rebound since the last substep; CANDIDATE: in the last tick;
	                     HANDOVER_LED: solver-driven in the last substep; ASLEEP. NEW: spawned or placed since the last tick;
	                     WOKEN: by an edit since then, reported by the next tick. The only state besides the path and the
	                     solver's that the next tick needs */
	uint8_t kind;     /* enum body_kind */
	bool sensor;      /* makes no contacts: collision_filter.h */
	uint8_t response; /* enum movement_response */
	uint8_t group;

	double inverse_mass;    /* 0 unless dynamic */
	double mass;            /* INFINITY unless dynamic */
	double inverse_inertia; /* 0 unless dynamic */
	double angle, spin;     /* spin: angular velocity; the angle at the body's own last event */
	double restitution, friction, rolling;

	double released;         /* when the rest solver released it in this tick; -1: not */
	double kept_vx, kept_vy; /* velocity of a body that stands still or is solver-driven, restored when that ends */
	double surface_speed;
	double linear_damping, angular_damping;
	uint32_t category, mask;
	int32_t filter_group;
	uint32_t generation; /* world.bodies.generation when it was spawned */
};

#define PARTNER_SEGMENT 0x80000000u

struct segment {
	double x1, y1, x2, y2; /* its place; within a tick: the place at its start (moving_walls.h) */
	double ux, uy;         /* from the first point to the second */
	double length;
	double rounding; /* SKIN_PER_COORDINATE * largest coordinate; within a tick: the largest in that tick */
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
	double home[4], moved[2]; /* x1, y1, x2, y2 as defined; its displacement since, x and y */
	bool disabled;            /* as if it were not there; of a map's wall as the map has it: wall_switch.h */
	bool loose, closes;       /* wall_switch.h */
	bool acute;               /* another segment leaves an end of it at less than a right angle, or passes through there */
};

/* A point where segments end. Segments of the same radius that end in exactly the same point share it. */
struct vertex {
	double x, y, radius;
	double vx, vy;                     /* of the segments of all its spokes */
	double rounding;                   /* as a segment's */
	uint32_t first_spoke, spoke_count; /* in world.walls.spokes: ends ascending by segment, then those it lies on */
	bool dead;                         /* from no direction a circle could touch it before a segment, whatever the masks */
	bool sided;                        /* some segment of it may be one-sided */
};

/* A segment at a vertex: one that ends there, or one that the vertex lies on (junction.h). Lengths along a spoke are measured
 * from the vertex. */
struct spoke {
	double ux, uy; /* from the vertex along the segment; for one that it lies on, the segment's own direction */
	double length;
	double low, high; /* where the segment begins and ends; for one that ends there 0 and INFINITY */
	/* The largest distances of a centre from the vertex at which the segment still hides the vertex beyond its beginning, and
	 * beyond its end: there that end is nearer (spoke_bounds). 0: at none. */
	double before_max, behind_max;
	uint32_t segment;
	uint8_t feature;   /* FEATURE_END_1 or FEATURE_END_2; FEATURE_FACE if the vertex lies on it */
	bool begins, ends; /* the segment begins there, or ends there, with the same radius: exactly, or up to rounding */
};

/* A support of a body's path: predictions of the two must not see the rounding of the acceleration. */
struct support {
	uint32_t next;
	uint32_t other; /* body, segment or vertex index */
	uint8_t kind;   /* enum event_kind: EVENT_CIRCLES, EVENT_FACE or EVENT_VERTEX */
	int8_t side;    /* of a face: +1 left of its direction, -1 right */
};

/* The calls of a world that is a domain of a partitioned tick to its partition (partition.h); NULL in any other world. */
struct domain_gate {
	struct domain *domain; /* NULL: it is a whole world */
	/* Whether the domain may change a body at a time; the other logs the members of a cluster before they are written. */
	bool (*has)(struct domain *domain, uint32_t body, double time);
	bool (*keeps)(struct domain *domain, const struct cluster *cluster);
	/* What the domain writes by body and by cell, for prefetching. */
	const uint8_t *kept;
	const double *latest;
};

/* What a definition says about the whole world, and what follows from it and from the bodies (world_derive). Changed by edits
 * only. */
struct world_settings {
	double gravity_x, gravity_y, gravity; /* the vector and its length */
	double restitution_threshold;
	enum restitution_mix restitution_mix;
	enum friction_mix friction_mix;
	bool turns;           /* physics.h: world_turns */
	double speed_max;     /* 0: none */
	uint32_t bent_bodies; /* bodies that do not fall with the world's gravity, WORK_NEAR_BODIES at most */
	double scale_most;    /* the largest magnitude of any gravity_scale */
	double radius_least;  /* of dynamic circles; INFINITY: there are none */
	double inverse_mass_least, inverse_mass_most; /* of dynamic circles; INFINITY and 0: there are none */
	bool statics;                                 /* some circle is static */
	bool kicks;                                   /* some body is damped, or there is a speed limit */
	bool surfaces;                                /* some surface has a velocity of its own */
	double sleep_after;                           /* 0: never */
	bool all_meet;                                /* all pairs with a dynamic body collide: none passes or senses */
	bool rules;                                   /* some circle has a contact rule: body_rule's groups */
	bool lifetimes;                               /* some circle has a lifetime, or had one since the last edit */
	bool ignores;                                 /* some circle ignores another one, or did since the last edit */
	bool has_bounds;                              /* what is outside of `bounds` at a tick's end is removed */
	double bounds[4];                             /* x_min, y_min, x_max, y_max; 0 without has_bounds */
	bool filtered; /* not only masks filter collisions: there are filter groups, relations, or bits of disabled walls */
	struct relations *relations; /* NULL: none */
	uint32_t events_per_body_max;
	uint64_t work_per_tick_max, work_per_body_max;
	size_t contacts_per_tick_max;
	unsigned watched; /* world_def.events */
	double hit_speed;
};

/* Of a body's bookkeeping, in bodies.clean. A function that changes a path or an info calls body_touch first. A world may make
 * any body dirty at any time. */
enum body_upkeep {
	BODY_DIRTY = 0,
	/* It is free and dynamic, does not turn, and nothing has disturbed it since its last tick began. Then its bookkeeping is as
	 * at a tick's start, except `fastest`. Its epoch is 0, its acceleration is the world's gravity, and no tick need read its
	 * info. */
	BODY_CLEAN = 1,
	/* It is static, and its bookkeeping is as at a tick's start. So a tick neither begins nor ends it. In all else it counts as
	 * dirty. */
	BODY_STILL = 2,
	/* As BODY_CLEAN, but it turns: a tick's end reads its info, and turns it. */
	BODY_TURNS = 3,
};

/* Whether a body is clean, turning or not. */
static inline bool
upkeep_is_clean(uint8_t upkeep)
{
	return (upkeep & BODY_CLEAN) != 0;
}

/* The bodies, in columns by index. One block of memory (body_columns_alloc). */
struct bodies {
	uint32_t count;
	uint32_t generation;     /* number of edit batches so far that spawned something */
	struct body *paths;      /* state between ticks, with the part of the infos that the next tick needs */
	struct body_info *infos; /* mass, id, kind...; bookkeeping within a tick */
	uint8_t *clean;          /* enum body_upkeep */
	double *masses;          /* of those */
	struct body_mark *marks; /* event_queue.h */
	uint32_t *ids;           /* copies of those in infos, for loops that need nothing else of them */
	struct calm *calms;      /* sleep timers; NULL if no body may sleep */
	struct body_rule *rules; /* NULL: no body has one (body_rule.h) */
	uint64_t *tags;          /* NULL: all are 0 */
	struct awake awake;      /* the bodies that a tick goes through: those that do not sleep */
	uint32_t asleep_count;
	uint8_t *sleep_flags; /* scratch of sleep.c */
	uint32_t *fallen;     /* the same: bodies that fall asleep */
};

/* The walls: segments, the vertices where they end, and the segments at each vertex. */
struct walls {
	uint32_t segment_count, vertex_count, spoke_count;
	struct segment *segments;
	struct vertex *vertices;
	struct spoke *spokes;
	uint32_t *moving; /* segments that move, ascending, then vertices (moving_walls.h) */
	uint32_t moving_count, moving_vertex_count;
	struct segment_place *places; /* of those that move, as the last tick reports them */
	uint64_t *off;        /* a bit for each segment: it is disabled (wall_switch.h). A world's own; NULL: all are enabled */
	struct wall_map *map; /* segments, vertices and spokes are of this map, and only read; NULL: they are the world's own */
	/* Whether some segment has friction, a filter group, a moving surface, is a sensor; and bits of their groups. */
	bool rough, grouped, belts, sensors;
	uint64_t groups;
};

/* What the caller lends: called within a tick. */
struct world_host {
	bool (*stop)(void *context); /* whether to cancel the tick; NULL: never */
	void *stop_context;
	struct workers workers;    /* `run` is NULL: none */
	struct memory_spare given; /* what the caller of a tick can do without */
	struct memory_spare spare; /* the same, and before it what the watch can do without */
	uint64_t (*now_ns)(void);  /* NULL: nothing is timed */
};

/* The current tick. */
struct tick_step {
	double dt, ticks_per_second;                  /* the latter rounded: for inexact use only */
	double dt_restored;                           /* as dt, of the tick before a restore: what is predicted does not use it */
	double until;                                 /* end of the substep: paths of solver-driven bodies are valid up to it */
	unsigned substep_end;                         /* the substep that begins there */
	uint32_t substeps;                            /* substeps of this tick: handover.h */
	bool has_substeps;                            /* the tick has substeps: the rest solver drives something */
	uint32_t led_bodies;                          /* how many it drives from the substep's start on */
	bool had_substeps;                            /* so did the one before */
	bool handover_asked;                          /* this tick has substeps, however few the candidates: some overlap */
	uint32_t handover_candidates;                 /* bodies with handover != 0 at the tick's start */
	size_t depenetration_tries;                   /* moves of the depenetration left in this tick */
	uint32_t walls_counted, moving_walls_counted; /* work_begin */
	struct work_meter work;
};

/* A lifetime that ends in the current tick. */
struct life {
	double time;
	uint32_t body;
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
	struct cluster_body *overlap_bodies; /* overlap clusters, by overlap and by body */
	uint32_t *overlap_parents;
	size_t overlap_body_capacity, overlap_parent_capacity;
	struct life *lives; /* lifetimes.h: ascending by time, then by body; up to life_next they have ended */
	size_t life_count, life_next, life_capacity;
};

/* What the last tick reports. */
struct tick_rows {
	struct contact *contacts;
	size_t contact_count, contact_capacity;
	struct path_change *path_changes;
	size_t path_change_count, path_change_capacity;
	struct shortfall *shortfalls;
	size_t shortfall_count, shortfall_capacity;
	struct body_end *ends;
	size_t end_count, end_capacity;
	uint64_t events, collisions, clusters, clips;
	struct energy_ledger energy;
	struct momentum_ledger momentum;
	bool measured; /* the ledgers' sums after the last tick still hold for the bodies */
	struct tick_cost cost;
	uint64_t phase_ns; /* when the current phase began */
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
	uint64_t tick;                /* number of ticks so far */
	bool overlap_possible;        /* the scene is new, or the last tick had a shortfall: test for overlap at the next start */
	bool overlap_free;            /* but there is none: it was tested when the scene was made, and nothing has moved since */
	bool stopped;                 /* host.stop returned true */
	bool failed;                  /* stopped, out of memory or contacts, or not finite: the tick cannot be completed */
	struct world_failure failure; /* tick 0: all was finite */
	double wall_room;             /* of the rest solver's list (solver_wall_room) */

	/* What a kept state is compared with (keep.c). */
	struct world_identity *identity; /* NULL until it is kept for the first time */
	uint64_t edition, editions;      /* number of its set of bodies, and of such sets so far: edits that make the columns
	                                    anew make another */
	uint64_t wall_edits;             /* number of edits of segments so far */
	bool moving_elsewhere;           /* the moving walls are not where the grid lists them: the world was returned */

	struct handover *handover;   /* NULL until something is handed over */
	const struct solver *solver; /* its rest solver: which pairs it has loaded */
	struct partition *partition; /* NULL until a task scheduler was needed */
	struct domain_gate gate;     /* for a world that is one domain of a partitioned tick */
	struct workspace *workspace; /* NULL: all scratch is its own */
	struct watch *watch;         /* NULL: no events are wanted */
	struct edit_plan *plan;      /* scratch of world_edit.c, NULL before the first edit */
};

/* Allocates the columns for the world's number of bodies, all in one block; the other frees them. False without memory. */
bool body_columns_alloc(struct world *world);
void body_columns_free(struct world *world);
/* A world with the definition's own fields and counts, and room for its bodies and segments. NULL without memory, or if there
 * are more of them than indices. */
struct world *world_alloc(const struct world_def *def);
/* Makes a body or segment from its definition. */
void body_define(struct world *world, uint32_t index, const struct circle_def *def);
/* The same of a circle that is alike the one of body 0 (world_def_check_alike), which is defined. */
void body_define_alike(struct world *world, uint32_t index, const struct circle_def *def);
void segment_define(struct segment *segment, const struct segment_def *def);
/* Computes the derived fields of a body or segment. */
void body_derive(struct world *world, uint32_t index);
void segment_derive(struct segment *segment);
/* Computes what the world derives from all its bodies and from walls_derive. `alike`: all bodies are as circles that are alike
 * (world_def_check_alike), and nothing has happened to them yet. */
void world_derive(struct world *world, bool alike);
/* Whether the schedule of the next tick is being written. */
static inline bool
schedule_listens(const struct world *world)
{
	return schedule_is_for(&world->schedule, world->tick + 1);
}
/* To be called when a body's path or info changes: the body is due in the next tick, unless its new path is queried at once. */
static inline void
body_touch(struct world *world, uint32_t body)
{
	const struct body *path = &world->bodies.paths[body];

	world->bodies.marks[body].is_free = 0;
	if (schedule_listens(world))
		schedule_list(&world->schedule, body);
	if (world->bodies.clean[body] == BODY_DIRTY)
		return;
	world->bodies.clean[body] = BODY_DIRTY;
	world->bodies.infos[body].fastest = path->vx * path->vx + path->vy * path->vy;
}
/* The acceleration of a body by gravity. */
static inline void
body_gravity(const struct world *world, uint32_t body, double out[2])
{
	out[0] = world->bodies.infos[body].gravity_scale * world->settings.gravity_x;
	out[1] = world->bodies.infos[body].gravity_scale * world->settings.gravity_y;
}
/* Whether anything turns, or friction could make it turn. */
bool world_turns_find(const struct world *world, bool alike);

/* Sets world->failed if the work is not wanted any more (base/pause.h). Returns world->failed. */
bool world_given_up(struct world *world);
/* Units of a pause (base/pause.h) for an event by itself, and for a body that looks for its partners. What they come to besides
 * is counted where it is done. */
#define EVENT_UNITS 32u
#define LOOK_UNITS 16u
/* And of a step of a loop over bodies that reads or writes more than one of their lines. */
#define BODY_UNITS 4u
/* And of a wall that a body is compared with. */
#define WALL_UNITS 2u
/* After so much work of a tick, as pause_after. True: the tick is not wanted any more, and world->failed. */
static inline bool
world_pause(struct world *world, uint32_t units)
{
	return __builtin_expect(pause_after(units), 0) && world_given_up(world);
}
/* As the host's workers.run, with the caller's question at the pauses of each piece. */
void world_share(struct world *world, unsigned count, void (*piece)(void *argument, unsigned index), void *argument);

#endif
