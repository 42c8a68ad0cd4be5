#include "physics/brute/state.h"

/* physics.h: four times a tick. */
#define PARTS 4

/* At the same doubles as the engine's. */
static bool
time_is_parts(const struct brute *brute, double time)
{
	for (int part = 0; part < PARTS; part++) {
		if (time == brute->dt * ((double)part / PARTS)) {
			return true;
		}
	}
	return false;
}

bool
brute_led_just_then(const struct brute *brute, const struct brute_body *body, real time)
{
	if (!time_is_parts(brute, (double)time)) {
		return false;
	}
	for (size_t i = 0; i < brute->report->path_change_count; i++) {
		const struct path_change *change = &brute->report->path_changes[i];

		if (change->body == body->def.id && change->time == time &&
		    (change->kind == PATH_LED || change->kind == PATH_RELEASED)) {
			return true;
		}
	}
	return false;
}

/* At the start of a part the solver gives new velocities, told only by the contacts that follow: in the tick's first part those
 * at its very start are after it. Later a leg ends because something stands in its way, and the velocity stays. */
void
brute_led_follow(struct brute *brute, struct brute_body *body, const struct path_change *change)
{
	bool solved = time_is_parts(brute, change->time), told = body->told == 0 && change->time <= 0;

	if (!body->led) {
		body->own = body->v;
	}
	body->led = change->kind == PATH_LED;
	body->v = (struct brute_vec){ change->vector[0], change->vector[1] };
	body->a = (struct brute_vec){ 0, 0 };
	body->supported = false;
	brute_body_release(brute, body);
	if (solved && !told) {
		body->own_hidden = body->spin_hidden = body->angle_hidden = true;
	}
	if (!body->led) {
		body->a = brute_gravity(brute, body);
		body->own_hidden = false;
	}
	brute->counts->led += body->led;
}
