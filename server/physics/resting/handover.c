/* Happy path: candidates go to the solver. Bodies that it takes get its velocity and displacement; bodies that it releases are
 * free again with their present velocity. All bodies with a changed path are predicted again. What can go wrong: memory
 * (world->failed); a pair that the solver could not keep apart is cut short by its clip, or by an event (handover_event.c). */
#include "base/memory.h"
#include "physics/contact/park.h"
#include "physics/prediction/predict.h"
#include "physics/reports/touch.h"
#include "physics/rest_solver/solver.h"
#include "physics/resting/handover_map.h"
#include "physics/resting/handover_private.h"
#include "physics/world/contact_rules.h"
#include "physics/world/edit_map.h"
#include "physics/world/ignored_circle.h"
#include "physics/world/ledger.h"
#include "physics/world/map_walls.h"
#include "physics/world/material.h"
#include "physics/world/one_sided.h"
#include "physics/world/report.h"
#include "physics/world/vertex.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static_assert((int)TOUCH_CHANGED == (int)SOLVER_TOUCH_OTHER && (int)TOUCH_PLACED == (int)SOLVER_TOUCH_ANEW,
              "the solver knows an edit by the same bits");

/* Fraction of the smaller radius: the gap at which bodies rest. */
#define CUSHION_PER_RADIUS 0.01
/* Pairs of solver-driven bodies go to the solver before they touch if they move less than this fraction of a radius along each
 * other in a substep. */
#define SLOW_PER_RADIUS 0.14
/* Pairs with restitution count as having touched if they are nearer than this: some skins. */
#define TOUCH_PER_RADIUS 1e-8

void
handover_destroy(struct handover *handover)
{
	if (!handover)
		return;
	solver_destroy(handover->solver);
	memory_free(handover->columns);
	memory_free(handover->ids);
	memory_free(handover->active);
	memory_free(handover->driven);
	memory_free(handover->steady);
	memory_free(handover->movers);
	memory_free(handover);
}

size_t
handover_memory_bytes(const struct handover *handover)
{
	return handover ? sizeof *handover + handover->bodies.count * (COLUMNS * sizeof(double) + 2 * sizeof(uint32_t) + 3) +
	                      solver_memory_bytes(handover->solver)
	                : 0;
}

void
handover_visit(const struct handover *handover, void (*visit)(void *context, const struct solver_warm *warm), void *context)
{
	solver_warm_visit(handover->solver, visit, context);
}

void
handover_visit_dormant(const struct handover *handover, void (*visit)(void *context, const struct solver_warm *warm),
                       void *context)
{
	solver_dormant_visit(handover->solver, visit, context);
}

uint32_t
handover_island(const struct handover *handover, uint32_t body)
{
	return handover ? solver_island(handover->solver, body) : NONE;
}

void
handover_touches(const struct handover *handover, void (*visit)(void *context, const struct solver_touch *touch), void *context)
{
	solver_touches_visit(handover->solver, visit, context);
}

bool
handover_forget(struct world *world, const uint8_t *asleep, const uint32_t *fallen, size_t count)
{
	/* They are not offered any more. */
	for (size_t k = 0; k < count && !pause_after(1); k++)
		world->handover->active[fallen[k]] = 0;
	return solver_dormant_take(world->handover->solver, asleep, fallen, count);
}

static bool
pair_material(void *context, uint32_t a, uint32_t b, struct solver_material *out)
{
	const struct world *world = context;
	const struct segment *wall = b & SOLVER_WALL ? &world->walls.segments[b & ~SOLVER_WALL] : NULL;

	if (wall ? !body_meets_segment(world, &world->bodies.infos[a], wall) : !bodies_meet_apart(world, a, b))
		return false;

	struct material material = wall ? material_of_wall(world, a, wall) : material_of_circles(world, a, b);

	*out = (struct solver_material){ material.friction, material.rolling, material.restitution, material.central };
	return true;
}

static enum solver_wall
wall_of_body(void *context, uint32_t body, uint32_t index, const struct solver_place *at)
{
	const struct world *world = context;
	const struct segment *segment = &world->walls.segments[index];
	const struct body_info *info = &world->bodies.infos[body];
	double radius = world->bodies.paths[body].radius;

	if (!body_meets_segment(world, info, segment))
		return SOLVER_WALL_NONE;
	if (!wall_one_sided(world, info, segment))
		return SOLVER_WALL_SOLID;

	double x = at->x - segment->vx * at->time, y = at->y - segment->vy * at->time;

	/* As wall_skin, for a body at this place. */
	double skin = larger(larger(larger(fabs(x), fabs(y)) * SKIN_PER_COORDINATE, segment->rounding), radius * SKIN_PER_RADIUS);

	return one_sided_stops(segment, x, y, radius + segment->radius, skin) ? SOLVER_WALL_LEFT : SOLVER_WALL_PASSED;
}

static bool
wall_hidden_from_body(void *context, uint32_t body, uint32_t index, const struct solver_place *at)
{
	const struct world *world = context;
	const struct segment *segment = &world->walls.segments[index];

	return wall_is_hidden(world, &world->bodies.infos[body], segment, at->x - segment->vx * at->time,
	                      at->y - segment->vy * at->time, world->bodies.paths[body].radius);
}

static bool
body_was_driven(const struct body_info *info)
{
	return info->inverse_mass == 0.0 || (info->handover & HANDOVER_LED) != 0;
}

/* Pairs that carry force, or that came to rest on each other; among bodies that are already solver-driven also slow pairs about
 * to touch. A pair with restitution must have touched: it comes nearer than the cushion first. */
static bool
pair_is_driven(void *context, const struct solver_question *question)
{
	const struct world *world = context;
	uint32_t a = question->a, b = question->b;
	double radius = world->bodies.paths[a].radius;
	bool both = body_was_driven(&world->bodies.infos[a]);

	if (b & SOLVER_WALL ? wall_is_for_events(world, a, &world->walls.segments[b & ~SOLVER_WALL])
	                    : circles_are_for_events(world, a, b))
		return false;
	if (!(b & SOLVER_WALL)) {
		radius = radius < world->bodies.paths[b].radius ? radius : world->bodies.paths[b].radius;
		both = both && body_was_driven(&world->bodies.infos[b]);
	}

	/* Bodies that lay together do not bounce off each other, however they are struck: the impact goes through the heap. */
	if (both && question->restitution < 1.0 && question->impulse > 0.0)
		return true;

	double scale = both                ? world->settings.scale_most
	               : (b & SOLVER_WALL) ? fabs(world->bodies.infos[a].gravity_scale)
	                                   : material_scale(world, a, b);
	enum dullness dull = pair_dullness(world,
	                                   &(struct encounter){ .approach = question->approach,
	                                                        .restitution = question->restitution,
	                                                        .nx = question->nx,
	                                                        .ny = question->ny,
	                                                        .scale = scale },
	                                   both);

	if (dull == DULL_NOT)
		return false;
	if (question->impulse > 0.0)
		return true; /* it has restitution, but not here */
	if (dull == DULL_TOUCHING)
		return question->gap <= TOUCH_PER_RADIUS * radius;
	return question->gap <= CUSHION_PER_RADIUS * radius || (both && question->travel < SLOW_PER_RADIUS * radius);
}

/* Only solver-driven bodies can fall asleep. */
static uint32_t
bodies_min(const struct world *world)
{
	return world->bodies.calms ? 1 : HANDOVER_BODIES_MIN;
}

/* The solver for a world's walls. `context` is passed to its callbacks: the world, at its own address. NULL without memory. */
static struct solver *
handover_solver(const struct world *world, struct world *context)
{
	struct solver_scene scene = {
		.segments = world->walls.segments,
		.vertices = world->walls.vertices,
		.spokes = world->walls.spokes,
		.segment_count = world->walls.segment_count,
		.moving = world->walls.moving,
		.moving_count = world->walls.moving_count,
		.gravity_x = world->settings.gravity_x,
		.gravity_y = world->settings.gravity_y,
		.slow = SLOW_PER_RADIUS,
		.bodies_min = bodies_min(world),
		.pair = pair_material,
		.mine = pair_is_driven,
		.wall = wall_of_body,
		.hidden = wall_hidden_from_body,
		.context = context,
	};
	struct solver_tune tune = solver_tune_default();

	tune.cushion = CUSHION_PER_RADIUS;
	if (world->walls.map)
		scene.shared = handover_map_walls(world->walls.map, &scene);
	return solver_create(&scene, &tune);
}

/* Columns for a world's bodies, with the values that are constant within a tick. False without memory. */
static bool
columns_fill(struct handover *handover, const struct world *world)
{
	size_t count = (size_t)world->bodies.count + 1;
	double *c = memory_alloc(COLUMNS * count * sizeof *c);

	handover->columns = c;
	handover->ids = memory_alloc(count * sizeof *handover->ids);
	handover->active = memory_zeroed(count, 1);
	handover->driven = memory_zeroed(count, 1);
	handover->steady = memory_zeroed(count, 1);
	handover->movers = memory_alloc(count * sizeof *handover->movers);
	if (!handover->columns || !handover->ids || !handover->active || !handover->driven || !handover->steady ||
	    !handover->movers)
		return false;
	handover->bodies = (struct solver_bodies){
		.count = world->bodies.count,
		.x = c,
		.y = c + count,
		.radius = c + 2 * count,
		.inverse_mass = c + 3 * count,
		.inverse_inertia = c + 4 * count,
		.vx = c + 5 * count,
		.vy = c + 6 * count,
		.spin = c + 7 * count,
		.displacement_x = c + 8 * count,
		.displacement_y = c + 9 * count,
		.active = handover->active,
		.driven = handover->driven,
		.steady = handover->steady,
		.vx_before = c + 13 * count,
		.vy_before = c + 14 * count,
		.spin_before = c + 15 * count,
		.movers = handover->movers,
	};
	handover->kinetic = c + 12 * count;
	for (uint32_t i = 0; i < world->bodies.count && !pause_after(BODY_UNITS); i++) {
		handover->ids[i] = world->bodies.infos[i].id;
		if (world->bodies.infos[i].kind != BODY_STATIC)
			handover->movers[handover->mover_count++] = i;
		c[2 * count + i] = world->bodies.paths[i].radius;
		c[3 * count + i] = world->bodies.infos[i].inverse_mass;
		c[4 * count + i] = world->bodies.infos[i].inverse_inertia;
		/* An immovable body gets the strongest fall of any: 1 where nothing is scaled. */
		c[10 * count + i] = world->bodies.infos[i].inverse_mass > 0.0 ? world->bodies.infos[i].gravity_scale
		                                                              : world->settings.scale_most;
		c[11 * count + i] = world->bodies.infos[i].surface_speed;
		if (world->bodies.infos[i].inverse_mass > 0.0 && world->bodies.infos[i].gravity_scale != 1.0)
			handover->bodies.gravity_scale = c + 10 * count;
		if (world->bodies.infos[i].surface_speed != 0.0)
			handover->bodies.surface_speed = c + 11 * count;
	}
	handover->bodies.mover_count = handover->mover_count;
	return !pause_stopped();
}

static struct handover *
handover_create(struct world *world)
{
	struct handover *handover = memory_zeroed(1, sizeof *handover);

	if (!handover)
		return NULL;
	if (columns_fill(handover, world))
		handover->solver = handover_solver(world, world);
	if (!handover->solver) {
		handover_destroy(handover);
		return NULL;
	}
	return handover;
}

/* Gives a world its hand-over. False without memory. */
static bool
handover_start_up(struct world *world)
{
	world->handover = handover_create(world);
	world->solver = world->handover ? world->handover->solver : NULL;
	return world->handover != NULL;
}

struct handover *
handover_edit_prepare(struct world *world, const struct world *next, bool walls)
{
	struct handover *aside = memory_zeroed(1, sizeof *aside);

	if (aside && columns_fill(aside, next) && solver_edit_reserve(world->handover->solver, next->bodies.count)) {
		if (!walls)
			return aside;
		aside->solver = handover_solver(next, world);
		if (aside->solver)
			return aside;
	}
	handover_destroy(aside);
	return NULL;
}

void
handover_edit(struct world *world, struct handover *aside, const struct edit_map *map)
{
	struct handover *handover = world->handover;
	struct solver *solver = handover->solver, *walls = aside->solver;
	const struct solver_change change = {
		.body_count = map->body_count,
		.body_to = map->body_to,
		.segment_to = map->segment_to,
		.body_touched = map->body_touched,
		.wall_touched = map->segment_touched,
		.walls = map->walls || map->switched,
	};

	if (walls)
		solver_walls_swap(solver, walls);
	if (change.walls) {
		solver_wall_room_set(solver, 0.0);
		world->wall_room = 0.0;
	}
	aside->solver = solver;
	handover->solver = walls;
	world->handover = aside;
	world->solver = aside->solver;
	handover_destroy(handover);
	solver_edit(solver, &aside->bodies, &change);
}

const struct solver *
handover_solver_of(const struct handover *handover)
{
	return handover ? handover->solver : NULL;
}

bool
handover_kept_reserve(struct world *world, const struct solver_kept *kept, uint32_t body_count)
{
	if (!world->handover && !kept->list_valid)
		return true;
	if (!world->handover && !handover_start_up(world))
		return false;
	return solver_kept_reserve(world->handover->solver, kept, body_count);
}

void
handover_kept_return(struct world *world, struct handover *aside, const struct solver_kept *kept, const void *in)
{
	struct handover *handover = world->handover;

	if (!handover)
		return;
	if (aside) {
		aside->solver = handover->solver;
		handover->solver = NULL;
		world->handover = aside;
		handover_destroy(handover);
	}
	(void)pause_fill(world->handover->active, 0, world->handover->bodies.count);
	world->handover->stills_offered = false;
	solver_kept_return(world->handover->solver, kept, world->handover->bodies.count, in);
}

const struct solver *
handover_list(const struct handover *handover)
{
	return handover && solver_has_list(handover->solver) ? handover->solver : NULL;
}

enum status
handover_restore(struct world *world, const struct solver_listing *listings, const struct solver_warm *pairs, size_t pair_count,
                 size_t *bad)
{
	if (!handover_start_up(world))
		return STATUS_RESOURCE_EXHAUSTED;
	solver_wall_room_set(world->handover->solver, world->wall_room);
	if (solver_restore(world->handover->solver, &world->handover->bodies, listings, pairs, pair_count, bad))
		return STATUS_OK;
	return *bad == SIZE_MAX ? STATUS_RESOURCE_EXHAUSTED : STATUS_INVALID_ARGUMENT;
}

bool
handover_restore_dormant(struct world *world, const struct solver_warm *pairs, size_t count)
{
	return solver_dormant_restore(world->handover->solver, pairs, count);
}

bool
handover_enough(const struct world *world, uint32_t candidates)
{
	return candidates >= (world->settings.turns ? 1 : bodies_min(world));
}

bool
handover_wanted(const struct world *world)
{
	return world->step.handover_asked || handover_enough(world, world->step.handover_candidates);
}

void
handover_pass(struct world *world)
{
	world->wall_room = 0.0;
	world->step.led_bodies = 0;
	if (!world->handover)
		return;
	world->handover->quiet = false;
	solver_wall_room_set(world->handover->solver, 0.0);
}

/* The contacts times sweeps that the remaining work allows: 1 if none, as 0 would mean no limit. */
static uint64_t
substep_may_take(const struct world *world)
{
	uint64_t left = (world->step.work.most - world->step.work.used) / WORK_CONTACT;

	return world->step.work.spent || left == 0 ? 1 : left;
}

static void
body_is_cut(void *context, uint32_t body)
{
	struct world *world = context;

	shortfall_report(world, body, BODY_FLAG_BUDGET, (world->step.dt - world->handover->time) / world->step.dt);
}

/* What a substep takes beside its sweeps. The list of near pairs is the same in a restored world: it is state, as positions
 * are.
 */
static uint64_t
substep_looks(const struct solver_report *report)
{
	return (uint64_t)WORK_PART_BODY * report->placed + (uint64_t)WORK_PART_PAIR * report->pairs;
}

/* Counts the work of a substep. A body with fewer sweeps than needed is reported; the clip keeps its displacement free of
 * others all the same. */
static void
substep_pay(struct world *world, const struct solver_report *report)
{
	struct work_meter *work = &world->step.work;
	bool fits = work_take(work, WORK_CONTACT * report->work + substep_looks(report));

	/* One sweep is made although no work is left for it. */
	if (!fits)
		work->used = work->most;
	work->spent = !fits || report->cut > 0;
	if (report->cut > 0)
		solver_cut_visit(world->handover->solver, body_is_cut, world);
}

/* How far gravity moves a body in a substep, in units of the least radius. */
static double
substep_fall(const struct world *world, double dt, uint32_t substeps)
{
	double h = dt / substeps;

	return 0.5 * world->settings.gravity * world->settings.scale_most * h * h / world->settings.radius_least;
}

uint32_t
handover_substeps(const struct world *world, double dt)
{
	uint32_t substeps = SUBSTEPS_LEAST;

	if (substep_fall(world, dt, substeps) > HANDOVER_FALL_LEAST ||
	    PLOUGH_MASSES * world->settings.inverse_mass_least < world->settings.inverse_mass_most)
		substeps *= 2;
	while (substeps < HANDOVER_SUBSTEPS_MAX && substep_fall(world, dt, substeps) > HANDOVER_FALL_MAX)
		substeps *= 2;
	return substeps;
}

bool
handover_falls_short(const struct world *world)
{
	return world->step.substeps == HANDOVER_SUBSTEPS_MAX &&
	       substep_fall(world, world->step.dt, world->step.substeps) > HANDOVER_FALL_MAX;
}

void
handover_substep(struct world *world, unsigned substep)
{
	struct solver_report report;

	if (!world->handover && !handover_start_up(world)) {
		world->failed = true;
		return;
	}

	struct handover *handover = world->handover;
	double time = substep_time(world, substep);

	if (substep > 0)
		circles_part_within(world, time);
	world->step.led_bodies = 0;
	handover->quiet = false;
	handover->time = time;
	handover->h = world->step.dt / world->step.substeps;
	handover->bodies.awake = world->bodies.awake;
	if (!bodies_offer(world, time)) {
		handover_pass(world);
		return;
	}
	/* Weights and rules may matter for any pair: pair_is_driven. An edit may have given some circle its rules. */
	solver_gravity_set(handover->solver, world->settings.gravity_x, world->settings.gravity_y);
	solver_calls_set(handover->solver, !world->settings.relations && !world->bodies.rules, world->bodies.rules != NULL);
	handover->bodies.thorough = substep == 0;
	handover->bodies.two_rounds = world->step.substeps == SUBSTEPS_LEAST;
	handover->bodies.work_most = substep_may_take(world);
	if (!solver_step(handover->solver, &handover->bodies, time, handover->h, &report)) {
		world->failed = true;
		return;
	}
	world->wall_room = solver_wall_room(handover->solver);
	substep_pay(world, &report);
	/* The energy that gravity's velocity change adds, and that the straight displacement takes, nearly cancel: the solver's
	 * error is its own loss. */
	double lost = report.energy.contact + report.energy.kick;

	world->report.energy.contact += lost;
	world->report.energy.work += report.energy.work;
	world->report.energy.push += report.energy.push;
	world->report.energy.clip += report.energy.clip;
	world->report.energy.support -= lost + report.energy.work + report.energy.push + report.energy.clip;
	world->report.momentum.outside[0] += report.outside[0];
	world->report.momentum.outside[1] += report.outside[1];
	world->report.clips += report.clips;
	world->report.cost.sweeps += report.sweeps + report.hard_sweeps;
	if (pause_stopped())
		return;
	if (world->watch && world->watch->touches) {
		struct substep_notes notes = touch_notes(world, substep);

		handover_touches(handover, touch_note, &notes);
	}
	bodies_lead(world, time);
}

void
handover_cut(struct world *world, unsigned substep)
{
	const struct awake *awake = &world->bodies.awake;
	double time = substep_time(world, substep);

	handover_pass(world);
	for (uint32_t i = awake_from(awake, 0, world->bodies.count); i < world->bodies.count;
	     i = awake_from(awake, i + 1, world->bodies.count)) {
		if (world_pause(world, BODY_UNITS))
			return;
		if (world->bodies.infos[i].mode == MODE_LED) {
			body_park(world, i, time, MODE_PARKED);
			/* Also where it came to lie on others in the substep before: handover_predict. */
			world->handover->active[i] = 1;
		}
	}
}
