#include "physics/brute/state.h"

#include <math.h>

/* physics.h: four times a tick, and twice as often, up to 1,024 times, until gravity moves no circle by more than 1/64 of the
 * least radius in a part. */
static int
parts_of(const struct brute *brute)
{
	double scale = 0, least = INFINITY;
	int parts = 4;

	for (size_t i = 0; i < brute->def.circle_count; i++) {
		const struct circle_def *def = &brute->bodies[i].def;
		/* Nothing but dynamic circles falls. */
		if (def->kind == BODY_DYNAMIC) {
			scale = fmax(scale, fabs(def->gravity_scale));
			least = fmin(least, def->radius);
		}
	}
	const double pull = scale * hypot(brute->def.gravity_x, brute->def.gravity_y);
	while (parts < 1024 && pull * pow(brute->dt / parts, 2) / 2 > least / 64)
		parts *= 2;
	return parts;
}

/* At the same doubles as the engine's. */
static bool
time_is_parts(const struct brute *brute, double time)
{
	const int parts = parts_of(brute);

	for (int part = 0; part < parts; part++)
		if (time == brute->dt * ((double)part / parts))
			return true;
	return false;
}

bool
brute_led_just_then(const struct brute *brute, const struct brute_body *body, real time)
{
	if (!time_is_parts(brute, (double)time))
		return false;
	for (size_t i = 0; i < brute->report->path_change_count; i++) {
		const struct path_change *change = &brute->report->path_changes[i];

		if (change->body == body->def.id && change->time == time && (change->kind == PATH_LED || change->kind == PATH_RELEASED))
			return true;
	}
	return false;
}

/* At the start of a substep the solver gives new velocities, told only by the contacts that follow. In the tick's first substep
 * those at its very start are after it. Later a displacement ends because something stands in its way, and the velocity stays.
 * */
void
brute_led_follow(struct brute *brute, struct brute_body *body, const struct path_change *change)
{
	bool solved = time_is_parts(brute, change->time), told = body->told == 0 && change->time <= 0;

	if (!body->led)
		body->own = body->v;
	body->led = change->kind == PATH_LED;
	body->v = (struct brute_vec){ change->vector[0], change->vector[1] };
	body->a = (struct brute_vec){ 0, 0 };
	body->supported = false;
	brute_body_release(brute, body);
	if (solved && !told)
		body->own_hidden = body->spin_hidden = body->angle_hidden = true;
	if (!body->led) {
		body->a = brute_gravity(brute, body);
		body->own_hidden = false;
	}
	brute->counts->led += body->led;
}
