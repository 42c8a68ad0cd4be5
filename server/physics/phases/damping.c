/* Damping is that of dv/dt = -c v, with an implicit step over the tick: v / (1 + dt c). It never reverses a velocity, however
 * large dt c is, and needs no exponential. What can go wrong: no memory for the report (world->failed). */
#include "physics/phases/damping.h"

#include "physics/world/ledger.h"
#include "physics/world/report.h"

#include <math.h>

static void
speed_limit(double speed_max, double v[2])
{
	double speed = sqrt(v[0] * v[0] + v[1] * v[1]);

	if (speed_max > 0.0 && speed > speed_max) {
		double part = speed_max / speed;

		v[0] *= part;
		v[1] *= part;
	}
}

static void
body_damp(struct world *world, uint32_t i)
{
	struct body *body = &world->bodies.paths[i];
	struct body_info *info = &world->bodies.infos[i];
	double keep = 1.0 / (1.0 + world->step.dt * info->linear_damping);
	double velocity[2] = { body->vx * keep, body->vy * keep };
	double spin = info->spin * (1.0 / (1.0 + world->step.dt * info->angular_damping));

	speed_limit(world->settings.speed_max, velocity);
	ledger_damp(world, i, velocity, spin);
	info->spin = spin;
	if (velocity[0] == body->vx && velocity[1] == body->vy)
		return;
	body->vx = velocity[0];
	body->vy = velocity[1];
	/* A body that an edit has woken reports next that it wakes, with this velocity (sleep_begin). */
	if (!(info->handover & HANDOVER_WOKEN))
		path_change_report(world, 0.0, i, PATH_KICKED, velocity[0], velocity[1]);
}

void
damping_apply(struct world *world)
{
	const struct awake *awake = &world->bodies.awake;
	uint32_t count = world->bodies.count;

	for (uint32_t i = awake_from(awake, 0, count); i < count && !pause_after(BODY_UNITS); i = awake_from(awake, i + 1, count))
		if (world->bodies.infos[i].kind == BODY_DYNAMIC)
			body_damp(world, i);
}
