/* Events of solver-driven bodies between two substeps. Happy path: none, because the solver has prevented them. What can go
 * wrong: a displacement meets something that the solver did not know, or knew with another velocity. Then bodies stand still,
 * follow their own velocity, or collide. */
#include "physics/contact/park.h"
#include "physics/prediction/predict.h"
#include "physics/reports/watch.h"
#include "physics/rest_solver/loaded.h"
#include "physics/resting/handover_private.h"
#include "physics/world/contact_rules.h"
#include "physics/world/ignored_circle.h"
#include "physics/world/ledger.h"
#include "physics/world/material.h"
#include "physics/world/report.h"
#include "physics/world/substep.h"

#include <math.h>

/* A solver-driven body that was stopped this often in a substep, and still has something immovable behind it, cannot get out of
 * its way. */
#define STANDS_MAX 8
enum dullness
pair_dullness(const struct world *world, const struct encounter *meeting, bool both)
{
	double pull = fabs(world->settings.gravity_x * meeting->nx + world->settings.gravity_y * meeting->ny) * meeting->scale;
	double gravity = world->settings.gravity * meeting->scale;

	if (meeting->restitution == 0.0 || meeting->approach < world->settings.restitution_threshold)
		return DULL_NEAR;
	if (both && meeting->restitution < 1.0 && meeting->approach < gravity * (world->step.dt / world->step.substeps))
		return DULL_NEAR;
	if (!(pull > gravity * PULL_PART))
		return DULL_NOT;
	return material_stays(world, meeting->restitution, meeting->approach, pull) ? DULL_TOUCHING : DULL_NOT;
}

void
path_begin(struct world *world, uint32_t i, double time, double vx, double vy, double ax, double ay)
{
	struct body *path = &world->bodies.paths[i];
	struct body_info *info = &world->bodies.infos[i];
	double position[2], velocity[2];

	body_touch(world, i);
	if (world->settings.ignores)
		circle_part_at(world, i, time);
	body_at(path, time, position, velocity);
	ledger_path_end(world, i, time, position, velocity);
	if (world->watch)
		watch_path_end(world, i, time);
	info->angle += info->spin * (time - path->t0);
	info->steady = false;
	world->bodies.marks[i].epoch++;
	info->support = NONE;
	*path = (struct body){
		.x = position[0], .y = position[1], .vx = vx, .vy = vy, .ax = ax, .ay = ay, .t0 = time, .radius = path->radius
	};
}

/* Whether a solver-driven body stands still already. */
static bool
body_stands(const struct world *world, uint32_t i)
{
	const struct body *path = &world->bodies.paths[i];

	return world->bodies.infos[i].mode == MODE_LED && path->vx == 0.0 && path->vy == 0.0 && path->ax == 0.0 && path->ay == 0.0;
}

/* Lets a body stand still up to the substep's end. One that does so already is not stopped once more, however many come to
 * it: else a crowd would soon be full of circles that may not stand (STANDS_MAX). */
static void
body_stand(struct world *world, uint32_t i, double time)
{
	struct body_info *info = &world->bodies.infos[i];
	double position[2], velocity[2];

	if (info->inverse_mass == 0.0 || (info->mode != MODE_LED && info->mode != MODE_MOVING) || body_stands(world, i))
		return;
	body_at(&world->bodies.paths[i], time, position, velocity);
	handover_velocity(world, i, velocity);
	path_begin(world, i, time, 0.0, 0.0, 0.0, 0.0);
	info->stands = (uint8_t)(info->stands < UINT8_MAX ? info->stands + 1 : UINT8_MAX);
	info->mode = MODE_LED;
	info->handover |= HANDOVER_LED;
	info->kept_vx = velocity[0];
	info->kept_vy = velocity[1];
	world->report.clips++;
	path_change_report(world, time, i, PATH_LED, 0.0, 0.0);
}

/* Up to the substep's end the body follows its own velocity. */
static void
body_go(struct world *world, uint32_t i, double time)
{
	struct body_info *info = &world->bodies.infos[i];

	if (info->mode != MODE_LED)
		return;
	path_begin(world, i, time, info->kept_vx, info->kept_vy, 0.0, 0.0);
	info->stands = (uint8_t)(info->stands < UINT8_MAX ? info->stands + 1 : UINT8_MAX);
	path_change_report(world, time, i, PATH_LED, info->kept_vx, info->kept_vy);
	predict_body(world, i);
}

/* Whether its path agrees with its velocity. */
static bool
body_goes(const struct world *world, uint32_t i)
{
	const struct body_info *info = &world->bodies.infos[i];
	const struct body *path = &world->bodies.paths[i];

	return info->mode != MODE_LED || (path->vx == info->kept_vx && path->vy == info->kept_vy);
}

/* Whether a circle must not stand still any more: it has stood still again and again, and was pushed on each time. */
static bool
body_driven(const struct body_info *info)
{
	return info->driven || info->stands >= STANDS_MAX;
}

static bool
mass_ploughs(const struct body_info *heavy, const struct body_info *light)
{
	return heavy->inverse_mass > 0.0 && PLOUGH_MASSES * heavy->inverse_mass < light->inverse_mass;
}

/* Whether neither circle may stand still. Then that holds for the rest of the substep, whatever they meet. Otherwise a body
 * that stood and moves now would be stopped by the next one, and pushed on, without end. */
static bool
pair_driven(struct body_info *a, struct body_info *b)
{
	if (!body_driven(a) && !body_driven(b) && !mass_ploughs(a, b) && !mass_ploughs(b, a))
		return false;
	bool shoved = mass_ploughs(a, b) || mass_ploughs(b, a) || a->shoved || b->shoved;

	a->driven = a->inverse_mass > 0.0;
	b->driven = b->inverse_mass > 0.0;
	a->shoved = a->driven && shoved;
	b->shoved = b->driven && shoved;
	return true;
}

/* A steady body that meets something has the velocity of that moment, and not yet that of the substep's end, which the solver
 * gave it. It leaves the solver for the rest of the substep: it goes on freely, and what it lay on is an event like others. In
 * the next substep it still counts as driven: else what it leans on slowly would be left to events, and free it each time. */
static void
steady_end(struct world *world, uint32_t i, double time)
{
	const struct solver_bodies *from = &world->handover->bodies;
	struct body_info *info = &world->bodies.infos[i];
	const two after = two_load(&info->kept_vx), before = { from->vx_before[i], from->vy_before[i] };
	double left = world->step.until - time, part = left / world->handover->h, turn = info->spin - from->spin_before[i];
	double mass = info->mass, gravity[2], velocity[2];
	two gained = part * (after - before), now = after - gained;

	body_gravity(world, i, gravity);
	two_store(velocity, now);
	world->report.energy.support -= body_kinetic(info, after, info->spin);
	ledger_momentum_add(world->report.momentum.gravity, -mass * left, gravity[0], gravity[1]);
	ledger_momentum_add(world->report.momentum.outside, -mass, gained[0] - left * gravity[0], gained[1] - left * gravity[1]);
	path_begin(world, i, time, velocity[0], velocity[1], gravity[0], gravity[1]);
	/* As if it had turned with the spin of each moment so far. */
	info->angle += 0.5 * turn * left * part;
	info->spin -= turn * part;
	world->report.energy.support += body_kinetic(info, now, info->spin);
	info->mode = MODE_MOVING;
	info->handover = HANDOVER_HIT | HANDOVER_LED;
	info->driven = info->shoved = false;
	info->released = time;
	path_change_report(world, time, i, PATH_RELEASED, velocity[0], velocity[1]);
	predict_body(world, i);
}

/* The same for those sides of an event that are steady. The event comes again, of what they are then. */
static bool
event_ends_steady(struct world *world, const struct event *event)
{
	bool a = world->bodies.infos[event->a].steady && world->bodies.infos[event->a].mode == MODE_LED;
	bool b = event->kind == EVENT_CIRCLES && world->bodies.infos[event->b].steady &&
	         world->bodies.infos[event->b].mode == MODE_LED;

	if (a)
		steady_end(world, event->a, event->time);
	if (b)
		steady_end(world, event->b, event->time);
	return a || b;
}

/* How two sides, both solver-driven, meet by their velocities. */
static struct encounter
event_encounter(const struct world *world, const struct event *event)
{
	struct encounter encounter = { .scale = world->settings.scale_most };
	const struct body *path = &world->bodies.paths[event->a];
	double p[2], v[2];

	body_at(path, event->time, p, v);
	handover_velocity(world, event->a, v);
	if (event->kind == EVENT_CIRCLES) {
		double q[2], u[2];

		body_at(&world->bodies.paths[event->b], event->time, q, u);
		handover_velocity(world, event->b, u);
		encounter.nx = p[0] - q[0];
		encounter.ny = p[1] - q[1];
		v[0] -= u[0];
		v[1] -= u[1];
		encounter.restitution = material_of_circles(world, event->a, event->b).restitution;
	} else if (event->kind == EVENT_FACE) {
		const struct segment *wall = &world->walls.segments[event->b];

		v[0] -= wall->vx;
		v[1] -= wall->vy;
		encounter.nx = event->side > 0 ? -wall->uy : wall->uy;
		encounter.ny = event->side > 0 ? wall->ux : -wall->ux;
		encounter.restitution = material_of_wall(world, event->a, wall).restitution;
	} else {
		const struct vertex *vertex = &world->walls.vertices[event->b];

		v[0] -= vertex->vx;
		v[1] -= vertex->vy;
		encounter.nx = (p[0] - vertex->vx * event->time) - vertex->x;
		encounter.ny = (p[1] - vertex->vy * event->time) - vertex->y;
		encounter.restitution = material_of_wall(world, event->a, &world->walls.segments[event->order]).restitution;
	}

	double size = sqrt(encounter.nx * encounter.nx + encounter.ny * encounter.ny);

	if (size > 0.0) {
		encounter.nx /= size;
		encounter.ny /= size;
		encounter.approach = -(v[0] * encounter.nx + v[1] * encounter.ny);
	}
	return encounter;
}

static bool
event_wall_moves(const struct world *world, const struct event *event)
{
	if (event->kind == EVENT_FACE)
		return world->walls.segments[event->b].moving;
	if (event->kind != EVENT_VERTEX)
		return false;
	const struct vertex *vertex = &world->walls.vertices[event->b];
	return vertex->vx != 0.0 || vertex->vy != 0.0;
}

/* Whether its sides rest on each other; at a vertex, whether the circle rests on any of its segments. */
static bool
event_is_loaded(const struct world *world, const struct event *event)
{
	if (event->kind == EVENT_CIRCLES)
		return pair_is_loaded(world, event->a, event->b);
	if (event->kind == EVENT_FACE)
		return pair_is_loaded(world, event->a, event->b | SOLVER_WALL);

	const struct vertex *vertex = &world->walls.vertices[event->b];

	for (uint32_t k = vertex->first_spoke; k < vertex->first_spoke + vertex->spoke_count; k++)
		if (pair_is_loaded(world, event->a, world->walls.spokes[k].segment | SOLVER_WALL))
			return true;
	return false;
}

/* Whether its pair is never the rest solver's. */
static bool
event_only(const struct world *world, const struct event *event)
{
	if (event->kind == EVENT_CIRCLES)
		return circles_are_for_events(world, event->a, event->b);
	return wall_is_for_events(world, event->a, &world->walls.segments[event->kind == EVENT_FACE ? event->b : event->order]);
}

/* Whether a side that falls may not stand still. It hung through several substeps, or has come to the end of a wall that the
 * solver has no force of: that will not be otherwise in the next one. Faces are hit far more often in a crowd, and what stands
 * there soon gets room. */
static bool
event_hung(const struct world *world, const struct event *event)
{
	if (event->kind == EVENT_CIRCLES)
		return body_hangs(world, event->a) || body_hangs(world, event->b);
	return body_hangs(world, event->a) ||
	       (event->kind == EVENT_VERTEX && body_falls(world, &world->bodies.infos[event->a]) && !event_is_loaded(world, event));
}

/* Whether it is one of a crowd: then neither side is stopped too often, nor hangs too long, to be stopped once more. What is
 * shoved must go on. */
static bool
event_crowded(const struct world *world, const struct event *event, const struct encounter *encounter)
{
	const struct body_info *a = &world->bodies.infos[event->a], *b = &world->bodies.infos[event->b];

	if (encounter->restitution >= 1.0 || a->shoved || a->stands >= CROWD_STANDS_MAX || event_wall_moves(world, event) ||
	    event_only(world, event))
		return false;
	if (event->kind != EVENT_CIRCLES)
		return body_crowded(world, a);
	return a->inverse_mass > 0.0 && b->inverse_mass > 0.0 && !b->shoved && b->stands < CROWD_STANDS_MAX &&
	       !mass_ploughs(a, b) && !mass_ploughs(b, a) && (body_crowded(world, a) || body_crowded(world, b));
}

/* The same of two circles that the solver does not drive yet, as far as one look tells. What meets a wall goes on. */
static inline bool
event_may_crowd(const struct world *world, const struct event *event)
{
	return world->step.has_substeps && event->kind == EVENT_CIRCLES &&
	       (body_crowded(world, &world->bodies.infos[event->a]) || body_crowded(world, &world->bodies.infos[event->b]));
}

/* Both sides stand still up to the substep's end. */
static void
event_stop(struct world *world, const struct event *event, bool crowded)
{
	bool circles = event->kind == EVENT_CIRCLES;

	body_stand(world, event->a, event->time);
	world->bodies.infos[event->a].crowded |= crowded;
	if (circles) {
		body_stand(world, event->b, event->time);
		world->bodies.infos[event->b].crowded |= crowded;
	}
	predict_body(world, event->a);
	if (circles)
		predict_body(world, event->b);
}

bool
handover_event(struct world *world, const struct event *event)
{
	bool a_driven = world->bodies.infos[event->a].mode == MODE_LED;
	bool b_driven = event->kind == EVENT_CIRCLES && world->bodies.infos[event->b].mode == MODE_LED;

	if (!a_driven && !b_driven && !event_may_crowd(world, event))
		return false;
	if (event_ends_steady(world, event))
		return true;

	struct encounter encounter = event_encounter(world, event);
	bool crowded = event_crowded(world, event, &encounter);

	if (!a_driven && !b_driven && !crowded)
		return false;
	body_touch(world, event->a);
	if (event->kind == EVENT_CIRCLES)
		body_touch(world, event->b);

	bool wall_moves = event_wall_moves(world, event);
	bool both = crowded || (event->kind == EVENT_CIRCLES ? a_driven && b_driven : !wall_moves), driven = false;

	if (!crowded)
		driven = event->kind == EVENT_CIRCLES ? pair_driven(&world->bodies.infos[event->a], &world->bodies.infos[event->b])
		                                      : world->bodies.infos[event->a].driven;
	bool goes = driven || (both && !crowded && event_hung(world, event));

	/* To stand still would mean to be crushed. And some pairs are resolved by events only. */
	if (goes || event_only(world, event))
		both = false;
	if (encounter.approach > 0.0 && !(both && (pair_dullness(world, &encounter, true) != DULL_NOT ||
	                                           (encounter.restitution < 1.0 && (crowded || event_is_loaded(world, event))))))
		return false;
	/* An immovable thing moves on. A body in its way moves along with it, or, if others have stopped it again and again, is
	 * crushed. */
	if (wall_moves || (event->kind == EVENT_CIRCLES && (world->bodies.infos[event->a].inverse_mass == 0.0 ||
	                                                    world->bodies.infos[event->b].inverse_mass == 0.0))) {
		uint32_t driven_side = a_driven ? event->a : event->b;

		if (encounter.approach > 0.0)
			return false;
		world->bodies.infos[driven_side].driven = world->bodies.infos[driven_side].shoved = true;
		if (world->bodies.infos[driven_side].stands < STANDS_MAX) {
			body_go(world, driven_side, event->time);
			return true;
		}
		body_park(world, driven_side, event->time, MODE_CRUSHED);
		predict_body(world, driven_side);
		return true;
	}
	/* A stopped or solver-driven body that has since been hit follows its own velocity. It does so along a wall, too: if it
	 * stood there, it would be pushed on again, without end. */
	if (goes) {
		bool a_goes = body_goes(world, event->a), b_goes = event->kind != EVENT_CIRCLES || body_goes(world, event->b);

		if (a_goes && b_goes)
			return false;
		if (!a_goes)
			body_go(world, event->a, event->time);
		if (!b_goes)
			body_go(world, event->b, event->time);
		return true;
	}
	event_stop(world, event, crowded);
	return true;
}
