/* Derives bodies, segments and the world from their definitions, and reads them. */
#include "physics/world/world.h"

#include "base/check.h"
#include "base/memory.h"
#include "physics/world/body_rule.h"
#include "physics/world/moving_walls.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

void
body_derive(struct world *world, uint32_t index)
{
	struct body *body = &world->bodies.paths[index];
	struct body_info *info = &world->bodies.infos[index];
	bool dynamic = info->kind == BODY_DYNAMIC;
	double gravity[2];

	if (!dynamic)
		info->gravity_scale = 0.0;
	body_gravity(world, index, gravity);
	body->ax = dynamic ? gravity[0] : 0.0;
	body->ay = dynamic ? gravity[1] : 0.0;
	body->t0 = 0.0;
	info->inverse_mass = dynamic ? 1.0 / info->mass : 0.0;
	info->support = NONE;
	info->last_partner = NONE;
	info->released = -1.0;
}

static double
inverse_inertia(const struct circle_def *def)
{
	double inertia = def->moment_of_inertia > 0.0 ? def->moment_of_inertia : 0.5 * def->mass * def->radius * def->radius;

	return def->kind == BODY_DYNAMIC ? 1.0 / inertia : 0.0;
}

static void
body_rule_define(struct world *world, uint32_t index, const struct circle_def *def)
{
	if (world->bodies.rules)
		world->bodies.rules[index] = body_rule_of(def);
	if (world->bodies.tags)
		world->bodies.tags[index] = def->tag;
}

void
body_define(struct world *world, uint32_t index, const struct circle_def *def)
{
	bool dynamic = def->kind == BODY_DYNAMIC;

	world->bodies.paths[index] = (struct body){ .x = def->x, .y = def->y, .vx = def->vx, .vy = def->vy, .radius = def->radius };
	world->bodies.infos[index] = (struct body_info){
		.id = def->id,
		.kind = (uint8_t)def->kind,
		.category = def->category,
		.mask = def->mask,
		.sensor = def->sensor,
		.filter_group = def->filter_group,
		.group = (uint8_t)def->group,
		.restitution = def->restitution,
		.friction = def->friction,
		.rolling = def->rolling_resistance,
		.surface_speed = def->surface_speed,
		.gravity_scale = def->gravity_scale,
		.linear_damping = def->linear_damping,
		.angular_damping = def->angular_damping,
		.response = (uint8_t)def->response,
		.angle = def->angle,
		.spin = def->angular_velocity,
		.mass = dynamic ? def->mass : (double)INFINITY,
		.inverse_inertia = inverse_inertia(def),
	};
	body_rule_define(world, index, def);
	body_derive(world, index);
}

void
body_define_alike(struct world *world, uint32_t index, const struct circle_def *def)
{
	struct body *body = &world->bodies.paths[index];
	struct body_info *info = &world->bodies.infos[index];

	*body = world->bodies.paths[0];
	*info = world->bodies.infos[0];
	info->id = def->id;
	if (body->radius != def->radius)
		info->inverse_inertia = inverse_inertia(def);
	body->x = def->x;
	body->y = def->y;
	body->vx = def->vx;
	body->vy = def->vy;
	body->radius = def->radius;
	body_rule_define(world, index, def);
}

void
segment_derive(struct segment *segment)
{
	segment->ux = segment->home[2] - segment->home[0];
	segment->uy = segment->home[3] - segment->home[1];
	segment->length = sqrt(segment->ux * segment->ux + segment->uy * segment->uy);
	/* A difference from 0 must change nothing, not even the sign of a 0. */
	segment->vx = segment->vx == 0.0 ? 0.0 : segment->vx;
	segment->vy = segment->vy == 0.0 ? 0.0 : segment->vy;
	segment->moving = segment->vx != 0.0 || segment->vy != 0.0;
	segment_place(segment);
}

void
segment_define(struct segment *segment, const struct segment_def *def)
{
	*segment = (struct segment){
		.home = { def->x1, def->y1, def->x2, def->y2 },
		.vx = def->vx,
		.vy = def->vy,
		.restitution = def->restitution,
		.friction = def->friction,
		.rolling = def->rolling_resistance,
		.surface_speed = def->surface_speed,
		.id = def->id,
		.category = def->category,
		.mask = def->mask,
		.sensor = def->sensor,
		.radius = def->radius,
		.one_sided = def->one_sided,
		.filter_group = def->filter_group,
		.group = (uint8_t)def->group,
		.disabled = def->disabled,
		.loose = def->disabled,
	};
	segment_derive(segment);
}

/* How many bodies are to be looked at for what is the same of alike ones. */
static uint32_t
bodies_different(const struct world *world, bool alike)
{
	return alike && world->bodies.count > 0 ? 1 : world->bodies.count;
}

bool
world_turns_find(const struct world *world, bool alike)
{
	bool rough = false;

	for (struct pause_piece p = { 0 }; pause_piece_next(&p, bodies_different(world, alike), 2);) {
		for (const struct body_info *info = &world->bodies.infos[p.first]; info != &world->bodies.infos[p.end]; info++) {
			if (info->spin != 0.0 || info->angle != 0.0)
				return true;
			rough = rough || info->friction > 0.0 || info->response == RESPONSE_STOP;
		}
	}
	return rough || world->walls.rough;
}

/* Whether there are filter groups, relations, or walls that may be disabled. */
static bool
filtered_find(const struct world *world, bool alike)
{
	bool grouped = world->settings.relations != NULL || world->walls.grouped || world->walls.off != NULL;

	for (struct pause_piece p = { 0 }; !grouped && pause_piece_next(&p, bodies_different(world, alike), 1);)
		for (uint32_t i = p.first; i < p.end && !grouped; i++)
			grouped = world->bodies.infos[i].filter_group != 0;
	return grouped;
}

/* What the world is by these bodies, added to what was found of those before. */
static void
bodies_derive(struct world *world, struct world_settings *found, uint32_t first, uint32_t end)
{
	const struct body_info *infos = world->bodies.infos;
	uint32_t category = infos[0].category, mask = infos[0].mask, bent = found->bent_bodies;
	double scale_most = found->scale_most, radius_least = found->radius_least;
	double least = found->inverse_mass_least, most = found->inverse_mass_most;
	bool all_meet = found->all_meet && (category & mask) != 0, kicks = found->kicks, surfaces = found->surfaces;
	bool statics = found->statics;

	for (uint32_t i = first; i < end; i++) {
		const struct body_info *info = &infos[i];
		bool dynamic = info->kind == BODY_DYNAMIC;

		world->bodies.ids[i] = info->id;
		all_meet = all_meet && !info->sensor && info->category == category && info->mask == mask;
		scale_most = larger(scale_most, fabs(info->gravity_scale));
		radius_least = dynamic ? lesser(radius_least, world->bodies.paths[i].radius) : radius_least;
		least = dynamic ? lesser(least, info->inverse_mass) : least;
		most = larger(most, info->inverse_mass);
		bent += info->gravity_scale != 1.0 || !dynamic;
		kicks = kicks || info->linear_damping > 0.0 || info->angular_damping > 0.0;
		surfaces = surfaces || info->surface_speed != 0.0;
		statics = statics || info->kind == BODY_STATIC;
	}
	found->statics = statics;
	found->all_meet = all_meet;
	found->kicks = kicks;
	found->surfaces = surfaces;
	found->scale_most = scale_most;
	found->radius_least = radius_least;
	found->inverse_mass_least = least;
	found->inverse_mass_most = most;
	found->bent_bodies = bent < WORK_NEAR_BODIES ? bent : WORK_NEAR_BODIES;
}

/* The same of bodies that are alike the first, of which it has been found. */
static void
bodies_derive_alike(struct world *world, struct world_settings *found, uint32_t first, uint32_t end)
{
	const struct body_info *infos = world->bodies.infos;
	double radius_least = found->radius_least, least = found->inverse_mass_least, most = found->inverse_mass_most;
	bool dynamic = infos[0].kind == BODY_DYNAMIC;

	for (uint32_t i = first; i < end; i++) {
		world->bodies.ids[i] = infos[i].id;
		radius_least = dynamic ? lesser(radius_least, world->bodies.paths[i].radius) : radius_least;
		least = dynamic ? lesser(least, infos[i].inverse_mass) : least;
		most = larger(most, infos[i].inverse_mass);
	}
	found->radius_least = radius_least;
	found->inverse_mass_least = least;
	found->inverse_mass_most = most;
}

void
world_derive(struct world *world, bool alike)
{
	struct world_settings *settings = &world->settings;
	const uint32_t different = bodies_different(world, alike);

	settings->filtered = filtered_find(world, alike);
	settings->kicks = settings->speed_max > 0.0;
	settings->surfaces = world->walls.belts;
	settings->scale_most = 0.0;
	settings->radius_least = (double)INFINITY;
	settings->inverse_mass_least = (double)INFINITY;
	settings->inverse_mass_most = 0.0;
	settings->bent_bodies = 0;
	settings->statics = false;
	settings->all_meet = !settings->filtered && !world->bodies.rules;
	for (struct pause_piece p = { 0 }; pause_piece_next(&p, different, 2);)
		bodies_derive(world, settings, p.first, p.end);
	if (different < world->bodies.count && settings->bent_bodies > 0)
		settings->bent_bodies = world->bodies.count < WORK_NEAR_BODIES ? world->bodies.count : WORK_NEAR_BODIES;
	for (struct pause_piece p = { different, different }; pause_piece_next(&p, world->bodies.count, 1);)
		bodies_derive_alike(world, settings, p.first, p.end);
	body_rules_derive(world);
}

size_t
world_body_count(const struct world *world)
{
	return world->bodies.count;
}

struct body_state
world_body(const struct world *world, size_t index)
{
	const struct body *body = &world->bodies.paths[index];
	const struct body_info *info = &world->bodies.infos[index];

	return (struct body_state){
		.id = info->id,
		.kind = (enum body_kind)info->kind,
		.x = body->x,
		.y = body->y,
		.vx = body->vx,
		.vy = body->vy,
		.angle = info->angle,
		.angular_velocity = info->spin,
		.radius = body->radius,
		.mass = info->mass,
		.asleep = info->mode == MODE_ASLEEP,
		.tag = world->bodies.tags ? world->bodies.tags[index] : 0,
	};
}

void
world_copy_motions(const struct world *world, size_t first, size_t count, struct body_motion *out)
{
	CHECK(first <= world->bodies.count && count <= world->bodies.count - first);
	for (size_t k = 0; k < count && !pause_after(2); k++) {
		const struct body *body = &world->bodies.paths[first + k];
		const struct body_info *info = &world->bodies.infos[first + k];
		bool dynamic = info->kind == BODY_DYNAMIC;

		out[k] = (struct body_motion){
			.x = body->x,
			.y = body->y,
			.vx = body->vx,
			.vy = body->vy,
			.angle = info->angle,
			.spin = info->spin,
			.ax = dynamic ? info->gravity_scale * world->settings.gravity_x : 0.0,
			.ay = dynamic ? info->gravity_scale * world->settings.gravity_y : 0.0,
			.linear_damping = info->linear_damping,
			.angular_damping = info->angular_damping,
			.radius = body->radius,
			.gravity_scale = dynamic ? info->gravity_scale : 1.0,
			.mass = info->mass,
			.tag = world->bodies.tags ? world->bodies.tags[first + k] : 0,
			.id = info->id,
			.kind = (enum body_kind)info->kind,
			.driven = (info->handover & HANDOVER_LED) != 0,
			.asleep = info->mode == MODE_ASLEEP,
		};
	}
}

size_t
world_moving_count(const struct world *world)
{
	return world->walls.moving_count;
}

struct segment_motion
world_segment_motion(const struct world *world, size_t index)
{
	const struct segment *segment = &world->walls.segments[world->walls.moving[index]];

	CHECK(index < world->walls.moving_count);
	return (struct segment_motion){ segment->id,      segment->home[0],  segment->home[1], segment->home[2],
		                            segment->home[3], segment->moved[0], segment->moved[1] };
}

void
world_copy_bodies(const struct world *world, uint32_t *id, double *x, double *y, double *vx, double *vy)
{
	for (uint32_t i = 0; i < world->bodies.count && !pause_after(2); i++) {
		const struct body *body = &world->bodies.paths[i];

		if (id)
			id[i] = world->bodies.infos[i].id;
		if (x)
			x[i] = body->x;
		if (y)
			y[i] = body->y;
		if (vx)
			vx[i] = body->vx;
		if (vy)
			vy[i] = body->vy;
	}
}

void
world_write_bodies(const struct world *world, size_t first, size_t count, const struct body_bytes *out)
{
	const struct body *bodies = world->bodies.paths + first;
	const struct body_info *infos = world->bodies.infos + first;

	CHECK(first <= world->bodies.count && count <= world->bodies.count - first);
	(void)pause_copy(out->id, world->bodies.ids + first, count * sizeof *world->bodies.ids);
	for (struct pause_piece p = { 0 }; pause_piece_next(&p, (uint32_t)count, 2);) {
		for (size_t i = p.first; i < p.end; i++) {
			memcpy(out->x + sizeof bodies[i].x * i, &bodies[i].x, sizeof bodies[i].x);
			memcpy(out->y + sizeof bodies[i].y * i, &bodies[i].y, sizeof bodies[i].y);
			memcpy(out->vx + sizeof bodies[i].vx * i, &bodies[i].vx, sizeof bodies[i].vx);
			memcpy(out->vy + sizeof bodies[i].vy * i, &bodies[i].vy, sizeof bodies[i].vy);
		}
	}
	for (size_t i = 0; out->angle && i < count && !pause_after(1); i++) {
		memcpy(out->angle + sizeof infos[i].angle * i, &infos[i].angle, sizeof infos[i].angle);
		memcpy(out->spin + sizeof infos[i].spin * i, &infos[i].spin, sizeof infos[i].spin);
	}
	if (out->tag && world->bodies.tags)
		(void)pause_copy(out->tag, world->bodies.tags + first, count * sizeof *world->bodies.tags);
	else if (out->tag)
		(void)pause_fill(out->tag, 0, count * sizeof *world->bodies.tags);
}

bool
world_turns(const struct world *world)
{
	return world->settings.turns;
}

bool
world_tagged(const struct world *world)
{
	return world->bodies.tags != NULL;
}

void
world_stop_set(struct world *world, bool (*stop)(void *context), void *context)
{
	world->host.stop = stop;
	world->host.stop_context = context;
}

bool
world_given_up(struct world *world)
{
	if (pause_stopped())
		world->stopped = world->failed = true;
	return world->failed;
}

struct shared_pieces {
	void (*piece)(void *argument, unsigned index);
	void *argument;
	/* Of the thread that shares them. */
	struct pause pause;
	struct ledger *ledger;
	atomic_bool stopped;
};

static void
piece_run(void *context, unsigned index)
{
	struct shared_pieces *shared = context;
	struct pause before;

	struct ledger *own = memory_enter(shared->ledger);

	pause_join(&before, &shared->pause);
	shared->piece(shared->argument, index);
	if (pause_stopped())
		atomic_store(&shared->stopped, true);
	pause_end(&before);
	(void)memory_enter(own);
}

void
world_share(struct world *world, unsigned count, void (*piece)(void *argument, unsigned index), void *argument)
{
	struct shared_pieces shared = {
		.piece = piece, .argument = argument, .pause = pause_of_thread(), .ledger = memory_ledger()
	};

	atomic_init(&shared.stopped, false);
	world->host.workers.run(world->host.workers.context, count, piece_run, &shared);
	if (atomic_load(&shared.stopped)) {
		pause_stop();
		world->stopped = world->failed = true;
	}
}

void
world_clock_set(struct world *world, uint64_t (*now_ns)(void))
{
	world->host.now_ns = now_ns;
}

void
world_workers_set(struct world *world, const struct workers *workers)
{
	world->host.workers = workers ? *workers : (struct workers){ 0 };
}

uint64_t
world_tick(const struct world *world)
{
	return world->tick;
}
