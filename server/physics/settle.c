/* Happy path: candidates go to the solver; those it holds get its velocity and its leg, those it let go are free again with the
 * velocity that they have; all whose path changed are predicted anew. What can go wrong: memory (world->failed); a pair that
 * the solver could not keep apart is cut short by it (its clip), or here by an event, and the body stands still up to the
 * part's end. */
#include "physics/settle.h"

#include "physics/dense.h"
#include "physics/ledger.h"
#include "physics/material.h"
#include "physics/predict.h"
#include "physics/resolve.h"
#include "physics/step.h"

#include <math.h>
#include <stdlib.h>

/* Of the smaller radius: the gap at which bodies rest. */
#define CUSHION_PER_RADIUS 0.01
/* Pairs of led bodies slower than this part of a radius along each other in a part are the solver's before they touch. */
#define SLOW_PER_RADIUS 0.14
/* Pairs with restitution that are nearer than this have touched: some skins. */
#define TOUCH_PER_RADIUS 1e-8
/* A led body that was stopped so often in a part, and still has something that cannot yield behind it, cannot get out of its
 * way. */
#define STANDS_MAX 8
/* Gravity presses a pair together if this part of it is along their normal; the rest is rounding. */
#define PULL_PART 0x1p-20

struct settler {
	struct dense *dense;
	double *columns; /* of all bodies, one after the other */
	uint8_t *active, *led;
	struct dense_bodies bodies;
	double h;
};

void
settler_destroy(struct settler *settler)
{
	if (!settler)
		return;
	dense_destroy(settler->dense);
	free(settler->columns);
	free(settler->active);
	free(settler->led);
	free(settler);
}

size_t
settler_memory_bytes(const struct settler *settler)
{
	return settler ? sizeof *settler + settler->bodies.count * (10 * sizeof(double) + 2) + dense_memory_bytes(settler->dense)
	               : 0;
}

void
settler_visit(const struct settler *settler, void (*visit)(void *context, const struct dense_warm *warm), void *context)
{
	dense_warm_visit(settler->dense, visit, context);
}

void
settler_visit_dormant(const struct settler *settler, void (*visit)(void *context, const struct dense_warm *warm), void *context)
{
	dense_dormant_visit(settler->dense, visit, context);
}

uint64_t
settler_dormant_version(const struct settler *settler)
{
	return dense_dormant_version(settler->dense);
}

uint32_t
settler_island(const struct settler *settler, uint32_t body)
{
	return settler ? dense_island(settler->dense, body) : NONE;
}

void
settler_touches(const struct settler *settler, void (*visit)(void *context, const struct dense_touch *touch), void *context)
{
	dense_touches_visit(settler->dense, visit, context);
}

bool
settler_forget(struct world *world)
{
	uint8_t *asleep = world->settler->active;

	for (uint32_t i = 0; i < world->body_count; i++)
		asleep[i] = world->infos[i].mode == MODE_ASLEEP;
	return dense_dormant_take(world->settler->dense, asleep, world->body_count);
}

static bool
pair_material(void *context, uint32_t a, uint32_t b, struct dense_material *out)
{
	const struct world *world = context;
	const struct segment *wall = b & DENSE_WALL ? &world->segments[b & ~DENSE_WALL] : NULL;

	if (wall ? !body_meets_segment(&world->infos[a], wall) : !bodies_meet(world, a, b))
		return false;

	struct material material = wall ? material_of_wall(world, a, wall) : material_of_circles(world, a, b);

	*out = (struct dense_material){ material.friction, material.rolling, material.restitution };
	return true;
}

/* Whether a pair gives no rebound, and if so, of which sort: its materials have none at this speed; or gravity, which must
 * press the pair together, would end it at once. */
enum dullness { DULL_NOT, DULL_TOUCHING, DULL_NEAR };

/* `both`: whether both sides are led. Then what gravity gives in a tick is no speed to bounce at: nobody could see it, and in a
 * heap it would never end. */
static enum dullness
pair_dullness(const struct world *world, double restitution, double approach, double nx, double ny, bool both)
{
	double pull = fabs(world->gravity_x * nx + world->gravity_y * ny);

	if (restitution == 0.0 || approach < world->restitution_threshold)
		return DULL_NEAR;
	if (both && restitution < 1.0 && approach < world->gravity * (world->dt / SETTLE_SUBSTEPS))
		return DULL_NEAR;
	if (!(pull > world->gravity * PULL_PART))
		return DULL_NOT;
	return material_stays(world, restitution, approach, pull) ? DULL_TOUCHING : DULL_NOT;
}

static bool
body_was_led(const struct body_info *info)
{
	return info->inverse_mass == 0.0 || (info->settle & SETTLE_LED) != 0;
}

/* Pairs that carry, or that came to rest on each other; among those that are led already also slow ones about to touch. One
 * with restitution must have touched: it comes nearer than the cushion without. */
static bool
pair_is_led(void *context, const struct dense_question *question)
{
	const struct world *world = context;
	uint32_t a = question->a, b = question->b;
	double radius = world->bodies[a].radius;
	bool both = body_was_led(&world->infos[a]);

	if (!(b & DENSE_WALL)) {
		radius = radius < world->bodies[b].radius ? radius : world->bodies[b].radius;
		both = both && body_was_led(&world->infos[b]);
	}

	enum dullness dull = pair_dullness(world, question->restitution, question->approach, question->nx, question->ny, both);

	if (dull == DULL_NOT)
		return false;
	if (question->impulse > 0.0)
		return true; /* has restitution, but not here */
	if (dull == DULL_TOUCHING)
		return question->gap <= TOUCH_PER_RADIUS * radius;
	return question->gap <= CUSHION_PER_RADIUS * radius || (both && question->travel < SLOW_PER_RADIUS * radius);
}

/* Only what the solver leads can fall asleep. */
static uint32_t
bodies_min(const struct world *world)
{
	return world->calms ? 1 : SETTLE_BODIES_MIN;
}

static bool
settler_fill(struct settler *settler, struct world *world)
{
	size_t count = (size_t)world->body_count + 1;
	struct dense_segment *segments = malloc(((size_t)world->segment_count + 1) * sizeof *segments);

	settler->columns = malloc(10 * count * sizeof *settler->columns);
	settler->active = calloc(count, 1);
	settler->led = calloc(count, 1);
	if (!segments || !settler->columns || !settler->active || !settler->led) {
		free(segments);
		return false;
	}
	for (uint32_t s = 0; s < world->segment_count; s++) {
		const struct segment *from = &world->segments[s];

		segments[s] = (struct dense_segment){ from->x1, from->y1, from->x2, from->y2 };
	}

	struct dense_scene scene = {
		.segments = segments,
		.segment_count = world->segment_count,
		.gravity_x = world->gravity_x,
		.gravity_y = world->gravity_y,
		.bodies_min = bodies_min(world),
		.pair = pair_material,
		.mine = pair_is_led,
		.context = world,
	};
	struct dense_tune tune = dense_tune_default();
	double *c = settler->columns;

	tune.cushion = CUSHION_PER_RADIUS;
	settler->dense = dense_create(&scene, &tune);
	settler->bodies = (struct dense_bodies){
		.count = world->body_count,
		.x = c,
		.y = c + count,
		.radius = c + 2 * count,
		.inverse_mass = c + 3 * count,
		.inverse_inertia = c + 4 * count,
		.vx = c + 5 * count,
		.vy = c + 6 * count,
		.spin = c + 7 * count,
		.leg_x = c + 8 * count,
		.leg_y = c + 9 * count,
		.active = settler->active,
		.led = settler->led,
	};
	for (uint32_t i = 0; i < world->body_count; i++) {
		c[2 * count + i] = world->bodies[i].radius;
		c[3 * count + i] = world->infos[i].inverse_mass;
		c[4 * count + i] = world->infos[i].inverse_inertia;
	}
	free(segments);
	return settler->dense != NULL;
}

static struct settler *
settler_create(struct world *world)
{
	struct settler *settler = calloc(1, sizeof *settler);

	if (settler && !settler_fill(settler, world)) {
		settler_destroy(settler);
		settler = NULL;
	}
	return settler;
}

const struct dense *
settler_list(const struct settler *settler)
{
	return settler && dense_has_list(settler->dense) ? settler->dense : NULL;
}

enum status
settler_restore(struct world *world, const struct dense_listing *listings, const struct dense_warm *pairs, size_t pair_count,
                size_t *bad)
{
	struct dense_material material;

	world->settler = settler_create(world);
	if (!world->settler)
		return STATUS_RESOURCE_EXHAUSTED;
	for (size_t k = 0; k < pair_count; k++) {
		if (!pair_material(world, pairs[k].a, pairs[k].b, &material)) {
			*bad = k;
			return STATUS_INVALID_ARGUMENT;
		}
	}
	return dense_restore(world->settler->dense, &world->settler->bodies, listings, pairs, pair_count)
	           ? STATUS_OK
	           : STATUS_RESOURCE_EXHAUSTED;
}

bool
settler_restore_dormant(struct world *world, const struct dense_warm *pairs, size_t count)
{
	return dense_dormant_restore(world->settler->dense, pairs, count);
}

bool
settle_enough(const struct world *world, uint32_t candidates)
{
	return candidates >= (world->turns ? 1 : bodies_min(world));
}

bool
settle_wanted(const struct world *world)
{
	return world->settle_asked || settle_enough(world, world->settle_candidates);
}

void
settle_velocity(const struct world *world, uint32_t body, double velocity[2])
{
	if (world->infos[body].mode == MODE_LED) {
		velocity[0] = world->infos[body].kept_vx;
		velocity[1] = world->infos[body].kept_vy;
	}
}

/* All bodies as they are at `time`; nothing is written to them. False: none of them takes part. */
static bool
columns_read(struct world *world, double time)
{
	bool any = false;
	struct settler *settler = world->settler;
	size_t count = (size_t)world->body_count + 1;
	double *c = settler->columns;

	for (uint32_t i = 0; i < world->body_count; i++) {
		const struct body_info *info = &world->infos[i];
		double position[2], velocity[2];

		body_at(&world->bodies[i], time, position, velocity);
		settle_velocity(world, i, velocity);
		c[i] = position[0];
		c[count + i] = position[1];
		c[5 * count + i] = velocity[0];
		c[6 * count + i] = velocity[1];
		c[7 * count + i] = info->spin;
		settler->active[i] = info->inverse_mass == 0.0          ? 1
		                     : mode_stands(info->mode)          ? 0
		                     : info->mode == MODE_ASLEEP        ? 0
		                     : (info->settle & SETTLE_LED) != 0 ? DENSE_LED
		                                                        : info->settle != 0;
		any = any || (settler->active[i] != 0 && info->inverse_mass > 0.0);
	}
	return any;
}

/* A path ends and another begins, at the same place. */
static void
path_begin(struct world *world, uint32_t i, double time, double vx, double vy, double ax, double ay)
{
	struct body *path = &world->bodies[i];
	struct body_info *info = &world->infos[i];
	double position[2], velocity[2];

	body_at(path, time, position, velocity);
	ledger_path_end(world, i, time, position, velocity);
	info->angle += info->spin * (time - path->t0);
	info->epoch++;
	info->support = NONE;
	*path = (struct body){
		.x = position[0], .y = position[1], .vx = vx, .vy = vy, .ax = ax, .ay = ay, .t0 = time, .radius = path->radius
	};
}

static double
kinetic(const struct body_info *info, double vx, double vy, double spin)
{
	double turning = info->inverse_inertia > 0.0 ? spin * spin / info->inverse_inertia : 0.0;

	return 0.5 * (info->mass * (vx * vx + vy * vy) + turning);
}

static void
body_lead(struct world *world, uint32_t i, double time)
{
	struct settler *settler = world->settler;
	const struct dense_bodies *from = &settler->bodies;
	struct body_info *info = &world->infos[i];
	double vx = from->leg_x[i] / settler->h, vy = from->leg_y[i] / settler->h;
	double position[2], before[2];

	body_at(&world->bodies[i], time, position, before);
	settle_velocity(world, i, before);
	world->energy.support += kinetic(info, from->vx[i], from->vy[i], from->spin[i]) -
	                         kinetic(info, before[0], before[1], info->spin);
	path_begin(world, i, time, vx, vy, 0.0, 0.0);
	if (from->led[i] != DENSE_WAITS)
		ledger_kick(world, i, settler->h);
	info->mode = MODE_LED;
	info->settle = SETTLE_LED;
	info->stands = 0;
	info->driven = false;
	info->kept_vx = from->vx[i];
	info->kept_vy = from->vy[i];
	info->spin = from->spin[i];
	info->fastest = larger(info->fastest, sqrt(vx * vx + vy * vy));
	info->clear = settler->led[i] == DENSE_CLEAR ? info->epoch : info->epoch - 1;
	path_change_report(world, time, i, PATH_LED, vx, vy);
}

static void
body_release(struct world *world, uint32_t i, double time)
{
	struct body_info *info = &world->infos[i];

	path_begin(world, i, time, info->kept_vx, info->kept_vy, world->gravity_x, world->gravity_y);
	info->mode = MODE_MOVING;
	info->driven = false;
	info->released = time;
	path_change_report(world, time, i, PATH_RELEASED, info->kept_vx, info->kept_vy);
}

void
settle_part(struct world *world, unsigned part)
{
	struct dense_report report;

	if (!world->settler && !(world->settler = settler_create(world))) {
		world->failed = true;
		return;
	}

	struct settler *settler = world->settler;
	double time = part_time(world, part);

	settler->h = world->dt / SETTLE_SUBSTEPS;
	if (!columns_read(world, time))
		return;
	if (!dense_step(settler->dense, &settler->bodies, settler->h, &report)) {
		world->failed = true;
		return;
	}
	/* What gravity's kick wins and the straight leg loses of it is the same but for a little: the solver's error is its own
	 * loss. */
	double lost = report.energy.contact + report.energy.kick;

	world->energy.contact += lost;
	world->energy.work += report.energy.work;
	world->energy.push += report.energy.push;
	world->energy.clip += report.energy.clip;
	world->energy.support -= lost + report.energy.work + report.energy.push + report.energy.clip;
	world->momentum.outside[0] += report.outside[0];
	world->momentum.outside[1] += report.outside[1];
	world->clips += report.clips;
	for (uint32_t i = 0; i < world->body_count; i++) {
		struct body_info *info = &world->infos[i];

		if (!settler->active[i] || info->inverse_mass == 0.0)
			continue;
		if (settler->led[i]) {
			body_lead(world, i, time);
		} else {
			if (info->mode == MODE_LED)
				body_release(world, i, time);
			else
				settler->active[i] = false; /* as it was */
			info->settle = 0;
		}
	}
}

/* Whether some body could meet anything: one that is free, or one that moves while others sleep. */
static bool
world_stirs(const struct world *world)
{
	bool moving = false;

	for (uint32_t i = 0; i < world->body_count; i++) {
		const struct body_info *info = &world->infos[i];

		if (info->mode == MODE_ASLEEP)
			continue;
		if (!settle_clear(info))
			return true;
		moving = moving || info->kind != BODY_STATIC;
	}
	return moving && world->asleep_count > 0;
}

void
settle_predict(struct world *world, unsigned part)
{
	double time = part_time(world, part);

	if (!world_stirs(world)) {
		/* There is nothing to look for, and nobody will look into the cells. */
		world->grid.stale = true;
		return;
	}
	if (part == 0 || world->grid.stale) {
		predict_all(world, time);
		return;
	}
	for (uint32_t i = 0; i < world->body_count; i++)
		if (world->settler->active[i] && world->infos[i].inverse_mass > 0.0)
			predict_body(world, i);
}

static void
body_stand(struct world *world, uint32_t i, double time)
{
	struct body_info *info = &world->infos[i];
	double position[2], velocity[2];

	if (info->inverse_mass == 0.0 || (info->mode != MODE_LED && info->mode != MODE_MOVING))
		return;
	body_at(&world->bodies[i], time, position, velocity);
	settle_velocity(world, i, velocity);
	path_begin(world, i, time, 0.0, 0.0, 0.0, 0.0);
	info->stands = (uint8_t)(info->stands < UINT8_MAX ? info->stands + 1 : UINT8_MAX);
	info->mode = MODE_LED;
	info->settle |= SETTLE_LED;
	info->kept_vx = velocity[0];
	info->kept_vy = velocity[1];
	world->clips++;
	path_change_report(world, time, i, PATH_LED, 0.0, 0.0);
}

/* Up to the part's end the body goes where its own velocity takes it. */
static void
body_go(struct world *world, uint32_t i, double time)
{
	struct body_info *info = &world->infos[i];

	if (info->mode != MODE_LED)
		return;
	path_begin(world, i, time, info->kept_vx, info->kept_vy, 0.0, 0.0);
	info->stands = (uint8_t)(info->stands < UINT8_MAX ? info->stands + 1 : UINT8_MAX);
	path_change_report(world, time, i, PATH_LED, info->kept_vx, info->kept_vy);
	predict_body(world, i);
}

/* How two sides meet, by the velocities that they have. */
struct meeting {
	double approach, restitution, nx, ny;
};

static struct meeting
event_meeting(const struct world *world, const struct event *event)
{
	struct meeting meeting = { 0 };
	const struct body *path = &world->bodies[event->a];
	double p[2], v[2];

	body_at(path, event->time, p, v);
	settle_velocity(world, event->a, v);
	if (event->kind == EVENT_CIRCLES) {
		double q[2], u[2];

		body_at(&world->bodies[event->b], event->time, q, u);
		settle_velocity(world, event->b, u);
		meeting.nx = p[0] - q[0];
		meeting.ny = p[1] - q[1];
		v[0] -= u[0];
		v[1] -= u[1];
		meeting.restitution = material_of_circles(world, event->a, event->b).restitution;
	} else if (event->kind == EVENT_FACE) {
		const struct segment *wall = &world->segments[event->b];

		meeting.nx = event->side > 0 ? -wall->uy : wall->uy;
		meeting.ny = event->side > 0 ? wall->ux : -wall->ux;
		meeting.restitution = material_of_wall(world, event->a, wall).restitution;
	} else {
		const struct vertex *vertex = &world->vertices[event->b];
		const struct spoke *owner = vertex_owner(world, &world->infos[event->a], vertex);

		meeting.nx = p[0] - vertex->x;
		meeting.ny = p[1] - vertex->y;
		meeting.restitution = material_of_wall(world, event->a, &world->segments[owner->segment]).restitution;
	}

	double size = sqrt(meeting.nx * meeting.nx + meeting.ny * meeting.ny);

	if (size > 0.0) {
		meeting.nx /= size;
		meeting.ny /= size;
		meeting.approach = -(v[0] * meeting.nx + v[1] * meeting.ny);
	}
	return meeting;
}

bool
settle_event(struct world *world, const struct event *event)
{
	bool a_led = world->infos[event->a].mode == MODE_LED;
	bool b_led = event->kind == EVENT_CIRCLES && world->infos[event->b].mode == MODE_LED;

	if (!a_led && !b_led)
		return false;

	struct meeting meeting = event_meeting(world, event);
	bool both = event->kind == EVENT_CIRCLES ? a_led && b_led : true;

	bool driven = world->infos[event->a].driven || (event->kind == EVENT_CIRCLES && world->infos[event->b].driven);

	/* To stand still would be to be crushed. */
	if (driven)
		both = false;
	if (meeting.approach > 0.0 &&
	    !(both && pair_dullness(world, meeting.restitution, meeting.approach, meeting.nx, meeting.ny, true) != DULL_NOT))
		return false;
	/* What cannot yield goes on. Who is in its way moves along with it, or, if others have stopped it again and again, is
	 * crushed. */
	if (event->kind == EVENT_CIRCLES &&
	    (world->infos[event->a].inverse_mass == 0.0 || world->infos[event->b].inverse_mass == 0.0)) {
		uint32_t led = a_led ? event->a : event->b;

		if (meeting.approach > 0.0)
			return false;
		world->infos[led].driven = true;
		if (world->infos[led].stands < STANDS_MAX) {
			body_go(world, led, event->time);
			return true;
		}
		body_park(world, led, event->time, MODE_CRUSHED);
		predict_body(world, led);
		return true;
	}
	/* Who stood, or was on his leg, has got a blow meanwhile: he goes where that takes him. */
	if (driven && event->kind == EVENT_CIRCLES && world->infos[event->a].stands < STANDS_MAX &&
	    world->infos[event->b].stands < STANDS_MAX) {
		world->infos[event->a].driven = world->infos[event->b].driven = true;
		body_go(world, event->a, event->time);
		body_go(world, event->b, event->time);
		return true;
	}
	body_stand(world, event->a, event->time);
	if (event->kind == EVENT_CIRCLES)
		body_stand(world, event->b, event->time);
	predict_body(world, event->a);
	if (event->kind == EVENT_CIRCLES)
		predict_body(world, event->b);
	return true;
}
