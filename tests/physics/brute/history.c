/* What the tick and the one before have seen: how fast things were, and what met what when. */
#include "physics/brute/state.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

struct brute_vec
brute_gravity(const struct brute *brute, const struct brute_body *body)
{
	real scale = body->def.gravity_scale;

	return (struct brute_vec){ scale * brute->def.gravity_x, scale * brute->def.gravity_y };
}

real
brute_gravity_most(const struct brute *brute)
{
	double most = 0;

	for (size_t i = 0; i < brute->def.circle_count; i++) {
		const double scale = fabs(brute->bodies[i].def.gravity_scale);

		most = scale > most ? scale : most;
	}
	return (real)most * hypot(brute->def.gravity_x, brute->def.gravity_y);
}

real
brute_velocity_rounding(const struct brute *brute, const struct brute_body *body)
{
	real gravity = brute_gravity_most(brute);

	/* A velocity is told exactly at each contact; since then the engine has rounded a product and a sum per path change. */
	return (real)DBL_EPSILON * (16 + (real)body->events) * (brute->fastest + brute->dt * gravity);
}

static double
fastest_of(const double velocity[2], double fastest)
{
	return fmax(fastest, fmax(fabs(velocity[0]), fabs(velocity[1])));
}

void
brute_fastest_find(struct brute *brute, const struct tick_report *report)
{
	brute->fastest = 0;
	for (size_t i = 0; i < brute->def.circle_count; i++) {
		const struct brute_body *body = &brute->bodies[i];
		const double velocity[2] = { (double)body->v.x, (double)body->v.y };
		const double rim[2] = { (double)body->spin * body->def.radius, 0 };

		brute->fastest = fastest_of(rim, fastest_of(velocity, brute->fastest));
	}
	for (size_t i = 0; i < report->contact_count; i++) {
		brute->fastest = fastest_of(report->contacts[i].a_before, brute->fastest);
		brute->fastest = fastest_of(report->contacts[i].a_after, brute->fastest);
		brute->fastest = fastest_of(report->contacts[i].b_after, brute->fastest);
	}
}

/* A report may name what there is not. */
static real
rebound_of(const struct brute *brute, const struct contact *contact)
{
	bool known = brute_body_find(brute, contact->a) != NULL &&
	             (contact->other == CONTACT_CIRCLE ? brute_body_find(brute, contact->b) != NULL
	                                               : brute_segment_find(brute, contact->b) != NULL);

	return known && (contact->flags & CONTACT_RESTING) == 0 ? brute_restitution(brute, contact) : 1;
}

bool
brute_meetings_keep(struct brute *brute, const struct tick_report *report)
{
	size_t old = 0, kept = 0, wanted;

	while (old < brute->meeting_count && brute->meetings[old].time < brute->clock - brute->dt)
		old++;
	while (old < brute->meeting_count)
		brute->meetings[kept++] = brute->meetings[old++];
	wanted = kept + report->contact_count;
	if (wanted > brute->meeting_capacity) {
		struct brute_meeting *grown = realloc(brute->meetings, 2 * wanted * sizeof *grown);

		if (!grown)
			return false;
		brute->meetings = grown;
		brute->meeting_capacity = 2 * wanted;
	}
	for (size_t i = 0; i < report->contact_count; i++) {
		const struct contact *contact = &report->contacts[i];

		brute->meetings[kept++] = (struct brute_meeting){ brute->clock + contact->time, contact->a, contact->b, contact->other,
			                                              rebound_of(brute, contact) };
	}
	brute->meeting_count = kept;
	return true;
}

/* physics.h: eight contacts of a body; the one at hand may be the eighth. */
#define CONTACT_ROW 7

/* How many contacts before `now` follow each other by at most `window` until it; each of a cluster counts. */
static size_t
contacts_in_row(const struct brute *brute, uint32_t id, real now, real window)
{
	real last = now;
	size_t count = 0;

	for (size_t i = brute->meeting_count; i-- > 0;) {
		const struct brute_meeting *meeting = &brute->meetings[i];

		if (meeting->time >= now || !(meeting->a == id || (meeting->other == CONTACT_CIRCLE && meeting->b == id)))
			continue;
		if (last - meeting->time > window)
			break;
		last = meeting->time;
		count++;
	}
	return count;
}

bool
brute_met_lately(const struct brute *brute, const struct contact *contact)
{
	real now = brute->clock + contact->time, window = brute->dt / 1024 * (1 + 1e-9L);

	for (size_t i = 0; i < brute->meeting_count; i++) {
		const struct brute_meeting *meeting = &brute->meetings[i];

		if (meeting->time < now && now - meeting->time <= window && meeting->a == contact->a && meeting->b == contact->b &&
		    meeting->other == contact->other)
			return true;
	}
	return contacts_in_row(brute, contact->a, now, window) >= CONTACT_ROW ||
	       (contact->other == CONTACT_CIRCLE && contacts_in_row(brute, contact->b, now, window) >= CONTACT_ROW);
}

/* physics.h: the product of the restitutions of a tick; those of 0 count for nothing. */
#define SPENT (1 / 1024.0L)

static bool
circle_spent(const struct brute *brute, uint32_t id, real now)
{
	real product = 1;

	if (brute_body_fixed(brute_body_find(brute, id)))
		return true;
	for (size_t i = 0; i < brute->meeting_count; i++) {
		const struct brute_meeting *meeting = &brute->meetings[i];

		/* One at the same time may have been before. */
		if (meeting->time >= brute->clock && meeting->time <= now && meeting->rebound > 0 &&
		    (meeting->a == id || (meeting->other == CONTACT_CIRCLE && meeting->b == id)))
			product *= meeting->rebound;
	}
	return product < SPENT * (1 + 1e-9L);
}

bool
brute_spent(const struct brute *brute, const struct contact *contact)
{
	real now = brute->clock + contact->time;

	return circle_spent(brute, contact->a, now) && (contact->other != CONTACT_CIRCLE || circle_spent(brute, contact->b, now));
}
