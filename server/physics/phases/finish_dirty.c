/* The ends of paths one by one: of the bodies that something came to, and what a loop over clean bodies leaves
 * (finish_pairs.h). What can go wrong: nothing; shortfalls are reported. */
#include "physics/phases/finish_pairs.h"

#include "physics/resting/handover.h"
#include "physics/world/report.h"

#include <assert.h>
#include <math.h>

void
speed_judge(struct world *world, uint32_t i, double fastest)
{
	double travel = sqrt(fastest) * world->step.dt / world->bodies.paths[i].radius;

	if (travel > PHYSICS_TRAVEL_MAX_RADII)
		shortfall_report(world, i, BODY_FLAG_FAST, travel);
}

/* The rest, for a body that stood still, was solver-driven, or is carried. */
static void
body_finish_rest(struct world *world, uint32_t i, const double position[2], double velocity[2])
{
	const struct body *body = &world->bodies.paths[i];
	const struct body_info *info = &world->bodies.infos[i];

	ledger_path_end(world, i, world->step.dt, position, velocity);
	if (info->mode == MODE_MOVING)
		return;
	if ((info->mode == MODE_PARKED || info->mode == MODE_CRUSHED) && body->t0 < world->step.dt)
		shortfall_report(world, i, BODY_FLAG_BUDGET, (world->step.dt - body->t0) / world->step.dt);
	if (info->mode == MODE_LED && handover_falls_short(world))
		shortfall_report(world, i, BODY_FLAG_FAST,
		                 0.5 * world->settings.gravity * world->step.dt * world->step.dt / body->radius);
	velocity[0] = info->kept_vx;
	velocity[1] = info->kept_vy;
}

static void
body_finish_any(struct world *world, uint32_t i, const double gravity[2])
{
	struct body *body = &world->bodies.paths[i];
	struct body_info *info = &world->bodies.infos[i];
	double position[2], velocity[2];

	body_at(body, world->step.dt, position, velocity);
	if (!mode_halts(info->mode))
		info->angle += info->spin * (world->step.dt - body->t0);
	body_finish_rest(world, i, position, velocity);
	body->x = position[0];
	body->y = position[1];
	body->vx = velocity[0];
	body->vy = velocity[1];
	body->ax = info->kind == BODY_DYNAMIC ? gravity[0] : 0.0;
	body->ay = info->kind == BODY_DYNAMIC ? gravity[1] : 0.0;
}

/* For a dynamic body that moves under gravity alone. */
static void
body_finish_free(struct world *world, struct body *body, struct body_info *info, const double gravity[2])
{
	double t = world->step.dt - body->t0;
	const struct body_place end = body_place_at(body, world->step.dt);

	info->angle += info->spin * t;
	ledger_free_end(world, info->mass, t, gravity);
	two_store(&body->x, end.position);
	two_store(&body->vx, end.velocity);
	body->ax = gravity[0];
	body->ay = gravity[1];
}

/* `plain`: speed_square_plain. */
static void
body_finish(struct world *world, uint32_t i, double plain)
{
	struct body *body = &world->bodies.paths[i];
	struct body_info *info = &world->bodies.infos[i];
	double gravity[2];

	body_gravity(world, i, gravity);
	if (info->mode == MODE_MOVING && body->ax == gravity[0] && body->ay == gravity[1] && info->kind == BODY_DYNAMIC)
		body_finish_free(world, body, info, gravity);
	else
		body_finish_any(world, i, gravity);
	body->t0 = 0.0;
	info->fastest = larger(info->fastest, body->vx * body->vx + body->vy * body->vy);
	if (info->fastest > plain * (body->radius * body->radius))
		speed_judge(world, i, info->fastest);
}

#ifndef NDEBUG
/* Whether a body is clean: the value of world.bodies.untouched. */
static bool
body_is_clean(const struct world *world, uint32_t i)
{
	const struct body *body = &world->bodies.paths[i];
	const struct body_info *info = &world->bodies.infos[i];

	return world->bodies.marks[i].is_free && info->kind == BODY_DYNAMIC && info->mode == MODE_MOVING && info->handover == 0 &&
	       (info->spin == 0.0) == (world->bodies.clean[i] == BODY_CLEAN) && world->bodies.marks[i].epoch == 0 &&
	       info->clear == NONE && info->events == 0 && info->support == NONE && info->stands == 0 && !info->driven &&
	       !info->fresh && info->released == -1.0 && info->last_partner == NONE && info->burst_hits == 0 &&
	       info->rebound == 1.0 && world->bodies.masses[i] == info->mass && info->gravity_scale == 1.0 && body->t0 == 0.0 &&
	       body->ax == world->settings.gravity_x && body->ay == world->settings.gravity_y;
}

/* The same for BODY_STILL. */
static bool
body_is_still(const struct world *world, uint32_t i)
{
	const struct body *body = &world->bodies.paths[i];
	const struct body_info *info = &world->bodies.infos[i];

	return info->kind == BODY_STATIC && info->mode == MODE_MOVING && info->handover == 0 && info->spin == 0.0 &&
	       world->bodies.marks[i].epoch == 0 && info->clear == NONE && info->events == 0 && info->support == NONE &&
	       info->stands == 0 && !info->driven && !info->fresh && info->last_partner == NONE && info->burst_hits == 0 &&
	       info->rebound == 1.0 && body->t0 == 0.0 && body->vx == 0.0 && body->vy == 0.0;
}
#endif

/* For a clean body, one that turns, or a flier. */
static inline void
clean_finish(struct world *world, uint32_t i, struct ledger_sums *sums, double plain)
{
	const double gravity[2] = { world->settings.gravity_x, world->settings.gravity_y };
	struct body *body = &world->bodies.paths[i];
	double position[2], velocity[2];
	double before = body->vx * body->vx + body->vy * body->vy, after;
	assert(world->bodies.clean[i] >= BODY_FLIES || body_is_clean(world, i));

	if (world->bodies.clean[i] & BODY_SPINS)
		sums->kinetic += spin_finish(world, &world->bodies.infos[i], world->bodies.clean[i]);
	body_at(body, world->step.dt, position, velocity);
	body->x = position[0];
	body->y = position[1];
	body->vx = velocity[0];
	body->vy = velocity[1];
	ledger_free_end(world, world->bodies.masses[i], world->step.dt - body->t0, gravity);
	ledger_sums_path(sums, world, body, world->bodies.masses[i], 1.0);
	after = body->vx * body->vx + body->vy * body->vy;
	if (larger(before, after) > plain * (body->radius * body->radius))
		speed_judge(world, i, larger(before, after));
}

/* Where a run of still bodies ends. */
static uint32_t
stills_end(const struct world *world, uint32_t i, uint32_t end)
{
	const uint8_t *clean = world->bodies.clean;
	const uint64_t all = UINT64_C(0x0101010101010101) * BODY_STILL;
	uint64_t eight;

	for (; i + sizeof eight <= end; i += (uint32_t)sizeof eight) {
		memcpy(&eight, clean + i, sizeof eight);
		if (eight != all)
			break;
	}
	for (; i < end && clean[i] == BODY_STILL; i++)
		assert(body_is_still(world, i));
	return i;
}

/* Whether a dirty body does nothing but fly on, at an ordinary speed so far. */
static inline bool
body_flies(const struct world *world, uint32_t i, double plain)
{
	const struct body *body = &world->bodies.paths[i];
	const struct body_info *info = &world->bodies.infos[i];

	return info->mode == MODE_MOVING && info->kind == BODY_DYNAMIC && info->gravity_scale == 1.0 &&
	       info->mass == world->bodies.masses[i] && memcmp(&body->ax, &world->settings.gravity_x, sizeof body->ax) == 0 &&
	       memcmp(&body->ay, &world->settings.gravity_y, sizeof body->ay) == 0 &&
	       info->fastest <= plain * (body->radius * body->radius);
}

uint32_t
fliers_mark(struct world *world, uint32_t first, uint32_t end, struct finish_others *others, uint32_t *out)
{
	struct dirty_walk walk = dirty_walk(first, end);
	uint32_t count = 0;

	/* Then most dirty bodies are solver-driven. */
	if (world->step.has_substeps)
		return 0;
	for (uint32_t i; (i = dirty_walk_next(world, &walk)) < end;) {
		struct body_info *info = &world->bodies.infos[i];

		dirty_fetch(world, &others->ahead);
		if (!body_flies(world, i, others->plain))
			continue;
		info->angle += info->spin * (world->step.dt - world->bodies.paths[i].t0);
		world->bodies.clean[i] = info->spin == 0.0 ? BODY_FLIES | BODY_CLEAN : BODY_FLIES | BODY_TURNS;
		out[count++] = i;
	}
	return count;
}

void
fliers_end(struct world *world, const uint32_t *fliers, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++) {
		world->bodies.clean[fliers[k]] = BODY_DIRTY;
		world->bodies.paths[fliers[k]].t0 = 0.0;
	}
}

uint32_t
finish_dirty(struct world *world, uint32_t i, uint32_t end, struct ledger_sums *sums, struct finish_others *others)
{
	if (world->bodies.clean[i] & BODY_CLEAN) {
		clean_finish(world, i, sums, others->plain);
		i++;
	}
	if (i < end && (world->bodies.clean[i] & BODY_CLEAN))
		return i;
	if (i < end && world->bodies.clean[i] == BODY_STILL)
		return stills_end(world, i, end);
	if (i < end) {
		if (world->step.has_substeps)
			dirty_fetch(world, &others->ahead);
		body_finish(world, i, others->plain);
		ledger_sums_body(sums, world, i);
		others->crushed |= world->bodies.infos[i].mode == MODE_CRUSHED;
	}
	return i + 1;
}
