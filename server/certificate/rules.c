#include "certificate/rules.h"

#include "certificate/cert_problem.h"

#include <inttypes.h>

/* Two count as parted from this many skins on. The engine says one; between the two they may meet, or not. */
#define SKINS_APART 4

static bool
has_group(uint64_t groups, uint32_t group)
{
	return (groups >> group & 1) != 0;
}

/* A side of a contact that has a rule for the other's group. */
static void
side_check(const struct cert_shapes *shapes, const struct cert_paths *paths, const struct certificate_contact *contact,
           size_t index, uint32_t group, struct certificate_report *report)
{
	const struct cert_body *body = &shapes->bodies[index];

	if (has_group(body->remove_groups, group) && paths->ended[index] != contact->time) {
		cert_problem_jump(report, 0, "circle %" PRIu32 " at time %.9g: a contact removes it, but it does not end", body->id,
		                  contact->time);
	}
	if (body->kind != CERTIFICATE_STATIC && has_group(body->stop_groups, group) && paths->ended[index] != contact->time &&
	    !(paths->stopped[index] <= contact->time || paths->parked[index] <= contact->time)) {
		cert_problem_jump(report, 0, "circle %" PRIu32 " at time %.9g: a contact stops it, but it goes on", body->id,
		                  contact->time);
	}
}

static uint32_t
group_of(const struct cert_shapes *shapes, const struct certificate_contact *contact, bool of_a)
{
	if (of_a)
		return shapes->bodies[cert_body_find(shapes, contact->a)].group;
	return contact->with_segment ? shapes->walls[cert_wall_find(shapes, contact->b)].group
	                             : shapes->bodies[cert_body_find(shapes, contact->b)].group;
}

/* Whether the body has a contact at that time with a group among these. */
static bool
has_contact(const struct cert_shapes *shapes, const struct certificate_tick *tick, const struct cert_body *body, double time,
            uint64_t groups)
{
	for (size_t i = 0; i < tick->contact_count; i++) {
		const struct certificate_contact *contact = &tick->contacts[i];

		if (contact->time != time)
			continue;
		if (contact->a == body->id && has_group(groups, group_of(shapes, contact, false)))
			return true;
		if (!contact->with_segment && contact->b == body->id && has_group(groups, group_of(shapes, contact, true)))
			return true;
	}
	return false;
}

/* When a body's lifetime ends in this tick; HUGE_VAL: it does not. */
static double
lifetime_end(const struct cert_body *body, double dt)
{
	if (!body->lives)
		return HUGE_VAL;
	if (body->ticks_left > 0)
		return body->ticks_left == 1 && body->seconds_left == 0 ? dt : HUGE_VAL;
	return body->seconds_left <= dt ? body->seconds_left : HUGE_VAL;
}

/* By more than `room`. */
static bool
is_outside(const struct cert_shapes *shapes, const struct cert_body *body, struct cert_vec p, double room)
{
	const double *bounds = shapes->bounds;

	return shapes->has_bounds && body->kind != CERTIFICATE_STATIC &&
	       !(p.x >= bounds[0] - room && p.y >= bounds[1] - room && p.x <= bounds[2] + room && p.y <= bounds[3] + room);
}

static void
end_check(const struct cert_shapes *shapes, const struct certificate_tick *tick, const struct certificate_end *end,
          struct certificate_report *report)
{
	const struct cert_body *body = &shapes->bodies[cert_body_find(shapes, end->body)];
	bool fits = false;

	switch (end->reason) {
	case CERTIFICATE_END_CONTACT: fits = has_contact(shapes, tick, body, end->time, body->remove_groups); break;
	case CERTIFICATE_END_LIFETIME: fits = end->time == lifetime_end(body, tick->dt); break;
	case CERTIFICATE_END_BOUNDS:
		fits = end->time == tick->dt && is_outside(shapes, body, cert_vec_from(end->position), 0);
		break;
	}
	if (!fits)
		cert_problem_jump(report, 0, "circle %" PRIu32 " at time %.9g: it ends without a reason", body->id, end->time);
}

/* It does not live too long, or stay outside, or stop without a reason. */
static void
body_check(const struct cert_shapes *shapes, const struct cert_paths *paths, const struct certificate_tick *tick, size_t index,
           struct certificate_report *report)
{
	const struct cert_body *body = &shapes->bodies[index];

	if (paths->ended[index] > lifetime_end(body, tick->dt))
		cert_problem_jump(report, 0, "circle %" PRIu32 ": it outlives its lifetime", body->id);
	if (paths->ended[index] == HUGE_VAL && is_outside(shapes, body, paths->p[index], 2 * paths->slop[index]))
		cert_problem_jump(report, 0, "circle %" PRIu32 ": it is outside of the bounds and stays", body->id);
	if (paths->stopped[index] < HUGE_VAL && !has_contact(shapes, tick, body, paths->stopped[index], body->stop_groups)) {
		cert_problem_jump(report, 0, "circle %" PRIu32 " at time %.9g: it stops without a reason", body->id,
		                  paths->stopped[index]);
	}
}

void
cert_rules_check(const struct cert_shapes *shapes, const struct cert_paths *paths, const struct certificate_tick *tick,
                 struct certificate_report *report)
{
	double last = 0;

	for (size_t i = 0; i < tick->contact_count; i++) {
		const struct certificate_contact *contact = &tick->contacts[i];

		/* Two that only lie beside each other are told too, where others of their cluster are. */
		if (!(contact->impulse > 0))
			continue;
		side_check(shapes, paths, contact, cert_body_find(shapes, contact->a), group_of(shapes, contact, false), report);
		if (!contact->with_segment)
			side_check(shapes, paths, contact, cert_body_find(shapes, contact->b), group_of(shapes, contact, true), report);
	}
	for (size_t i = 0; i < tick->end_count; i++) {
		if (tick->ends[i].time < last)
			cert_problem_jump(report, 0, "end %zu at time %.17g is out of order", i, tick->ends[i].time);
		last = tick->ends[i].time;
		end_check(shapes, tick, &tick->ends[i], report);
	}
	for (size_t i = 0; i < shapes->body_count; i++)
		if (!shapes->bodies[i].gone)
			body_check(shapes, paths, tick, i, report);
}

static void
lifetime_settle(struct cert_body *body, double dt)
{
	if (body->ticks_left > 0)
		body->ticks_left--;
	else if (body->lives)
		body->seconds_left -= dt;
}

void
cert_rules_settle(struct cert_shapes *shapes, const struct cert_vec *places, double dt)
{
	for (size_t i = 0; i < shapes->body_count; i++) {
		struct cert_body *body = &shapes->bodies[i];
		size_t k = body->gone || body->ignore != CERTIFICATE_IGNORE_UNTIL_APART ? SIZE_MAX
		                                                                        : cert_body_find(shapes, body->ignored);

		if (!body->gone)
			lifetime_settle(body, dt);
		if (k == SIZE_MAX || shapes->bodies[k].gone)
			continue;

		double radius = cert_min(body->radius, shapes->bodies[k].radius);
		double reach = cert_max(cert_reach(places[i]), cert_reach(places[k]));
		double gap = cert_length(cert_sub(places[i], places[k])) - body->radius - shapes->bodies[k].radius;

		if (gap > SKINS_APART * cert_skin(reach, radius))
			body->ignore = CERTIFICATE_IGNORE_NONE;
	}
}
