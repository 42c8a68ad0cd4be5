/* Whether each end and each stop has its cause, and each cause its end or stop: contact rules, lifetimes, bounds.
 *
 * That a contact is the first one, and that none is missing, follows from the paths. What goes on beyond it overlaps
 * (outside_pair.c). What is told too early does not touch (outside_contact.c). Lifetimes count down in long double; the
 * engine's own are doubles, rounded once a tick. */
#include "outside/inside.h"

static bool
has_group(uint64_t groups, uint32_t group)
{
	return groups >> group & 1;
}

uint32_t
outside_other_group(const struct outside *outside, const struct outside_contact *contact, bool of_a)
{
	if (!of_a)
		return outside->bodies[outside_body(outside, contact->a)].def.group;
	return contact->with_wall ? outside->walls[outside_wall(outside, contact->b)].def.group
	                          : outside->bodies[outside_body(outside, contact->b)].def.group;
}

/* As the engine documents, one that is parked or crushed does not end or stop by its rules. */
static unsigned
excuse_of(const struct body *body, real time)
{
	return body->parked_since <= time ? body->flags : 0;
}

static void
side_check(struct outside *outside, size_t index, bool of_a)
{
	const struct outside_contact *contact = &outside->tick->contacts[index];
	const struct body *body = &outside->bodies[outside_body(outside, of_a ? contact->a : contact->b)];
	const uint32_t group = outside_other_group(outside, contact, of_a);
	const bool held = outside->contact_company[index] & (of_a ? COMPANY_HELD_A : COMPANY_HELD_B);
	const bool ends = body->ends == contact->time && body->end->reason == OUTSIDE_END_CONTACT;

	if (has_group(body->def.remove_groups, group) && !ends)
		outside_find(outside, OUTSIDE_BAD_RULE, 1, excuse_of(body, contact->time),
		             "circle %u at time %.9g: a contact removes it, but it does not end", body->def.id, contact->time);
	if (has_group(body->def.stop_groups, group) && body->def.kind != OUTSIDE_STATIC && !held && !ends &&
	    !outside_change_at(outside, body, contact->time, OUTSIDE_STOPPED))
		outside_find(outside, OUTSIDE_BAD_RULE, 1, excuse_of(body, contact->time),
		             "circle %u at time %.9g: a contact stops it, but it goes on", body->def.id, contact->time);
}

/* Whether the body has a contact then with one of these groups; `moving`: before which it did not stand. */
static bool
has_contact(const struct outside *outside, const struct body *body, real time, uint64_t groups, bool moving)
{
	const struct outside_tick *tick = outside->tick;

	for (size_t i = 0; i < tick->contact_count; i++) {
		const struct outside_contact *contact = &tick->contacts[i];
		const bool is_a = contact->a == body->def.id, is_b = !contact->with_wall && contact->b == body->def.id;
		if (contact->time != time || !(is_a || is_b) || !has_group(groups, outside_other_group(outside, contact, is_a)))
			continue;
		if (!moving || !(outside->contact_company[i] & (is_a ? COMPANY_HELD_A : COMPANY_HELD_B)))
			return true;
	}
	return false;
}

static bool
out_of_bounds(const struct outside *outside, const struct body *body)
{
	const double *bounds = outside->scene.bounds;

	return outside->scene.has_bounds && body->def.kind != OUTSIDE_STATIC &&
	       (body->told.x < bounds[0] || body->told.y < bounds[1] || body->told.x > bounds[2] || body->told.y > bounds[3]);
}

static bool
mortal(const struct body *body)
{
	return body->def.lifetime_ticks > 0 || body->def.lifetime_s > 0;
}

/* When its lifetime ends; beyond the tick: not in it. */
static real
life_end(const struct outside *outside, const struct body *body)
{
	const real dt = outside->tick->dt;

	if (!mortal(body) || body->ticks_left > 1)
		return HUGE_VALL;
	if (body->ticks_left == 1)
		return body->def.lifetime_s > 0 ? HUGE_VALL : dt;
	return body->seconds_left <= dt + body->seconds_slop ? larger_of(body->seconds_left, 0) : HUGE_VALL;
}

static void
end_check(struct outside *outside, const struct body *body)
{
	const struct outside_end *end = body->end;
	bool fits = false;

	switch (end->reason) {
	case OUTSIDE_END_CONTACT: fits = has_contact(outside, body, end->time, body->def.remove_groups, false); break;
	case OUTSIDE_END_LIFETIME: fits = fabsl(life_end(outside, body) - end->time) <= body->seconds_slop; break;
	case OUTSIDE_END_BOUNDS: fits = end->time == outside->tick->dt && out_of_bounds(outside, body); break;
	case OUTSIDE_REASONS: break;
	}
	if (!fits)
		outside_find(outside, OUTSIDE_BAD_RULE, 1, 0, "circle %u ends at time %.9g without a cause", body->def.id, end->time);
	if (end->tag != body->def.tag)
		outside_find(outside, OUTSIDE_BAD_RULE, 1, 0, "circle %u ends with another tag", body->def.id);
}

/* It does not live too long, or stay outside. */
static void
body_check(struct outside *outside, const struct body *body)
{
	const real life = life_end(outside, body);

	if (life + body->seconds_slop < smaller_of(body->ends, outside->tick->dt) ||
	    (life == outside->tick->dt && body->seconds_slop == 0 && !body->end))
		outside_find(outside, OUTSIDE_BAD_RULE, 1, 0, "circle %u outlives its lifetime, which ends at %.9Lg", body->def.id,
		             life);
	if (!body->end && out_of_bounds(outside, body))
		outside_find(outside, OUTSIDE_BAD_RULE, 1, 0, "circle %u is outside of the bounds, and stays", body->def.id);
	if (body->end)
		end_check(outside, body);
}

static void
life_spend(const struct outside *outside, struct body *body)
{
	if (body->ticks_left > 0) {
		body->ticks_left--;
	} else if (mortal(body)) {
		body->seconds_left -= outside->tick->dt;
		body->seconds_slop += 0x1p-53L * body->def.lifetime_s;
	}
}

static bool
have_met(const struct outside *outside, const struct body *a, const struct body *b)
{
	const struct outside_tick *tick = outside->tick;

	for (size_t i = 0; i < tick->contact_count; i++)
		if (!tick->contacts[i].with_wall && ((tick->contacts[i].a == a->def.id && tick->contacts[i].b == b->def.id) ||
		                                     (tick->contacts[i].b == a->def.id && tick->contacts[i].a == b->def.id)))
			return true;
	return false;
}

/* The circle that it ignores until they are apart; NULL: none. */
static const struct body *
parting_other(const struct outside *outside, const struct body *body)
{
	const size_t k = outside_body(outside, body->def.ignored);

	return body->def.ignore == OUTSIDE_IGNORE_UNTIL_APART && k != NO_BODY && !outside->bodies[k].gone ? &outside->bodies[k]
	                                                                                                  : NULL;
}

static void
parting_judge(struct body *body, const struct body *other, real distance, real slop, bool met)
{
	const real skin = outside_skin(larger_of(body->reach, other->reach), smaller_of(body->def.radius, other->def.radius));
	const real least = outside_skin(0, smaller_of(body->def.radius, other->def.radius));
	const real gap = distance - body->def.radius - other->def.radius;

	if (met || gap > 2 * skin + slop)
		body->parting = PARTING_DONE;
	else if (body->parting == PARTING_NOT_YET && gap > 2 * least - slop)
		body->parting = PARTING_UNSURE;
}

/* Where a scene begins, before it is pushed. The engine compares rounded squares of the distance. */
void
outside_parting_begin(struct outside *outside)
{
	for (size_t i = 0; i < outside->body_count; i++) {
		struct body *body = &outside->bodies[i];
		const struct body *other = parting_other(outside, body);

		if (other) {
			const real slop = 0x1p-48L * (larger_of(body->reach, other->reach) + body->def.radius + other->def.radius);
			parting_judge(body, other, point_size(point_add(body->start, -1, other->start)), slop, false);
		}
	}
}

/* Between two ticks the gap at the end of the first one decides, and within it those at the circle's contacts. */
static void
parting_settle(struct outside *outside, struct body *body)
{
	const struct body *other = parting_other(outside, body);

	if (!other)
		return;
	const real slop = body->slop + other->slop, radii = body->def.radius + other->def.radius;
	const real least = outside_skin(0, smaller_of(body->def.radius, other->def.radius));
	parting_judge(body, other, point_size(point_add(body->told, -1, other->told)), slop, have_met(outside, body, other));
	if (body->parting == PARTING_NOT_YET && outside_apart_from(outside, body, other, radii + 2 * least - slop) < HUGE_VALL)
		body->parting = PARTING_UNSURE;
}

static void
stop_check(struct outside *outside, const struct outside_change *change)
{
	const struct body *body = &outside->bodies[outside_body(outside, change->body)];

	if (change->kind == OUTSIDE_STOPPED && !has_contact(outside, body, change->time, body->def.stop_groups, true))
		outside_find(outside, OUTSIDE_BAD_RULE, 1, 0, "circle %u stops at time %.9g without a cause", change->body,
		             change->time);
}

static void
tags_check(struct outside *outside)
{
	const struct outside_tick *tick = outside->tick;
	size_t k = 0;

	for (size_t i = 0; i < outside->body_count; i++) {
		const struct body *body = &outside->bodies[i];
		if (body->gone || body->end)
			continue;
		if ((tick->tag ? tick->tag[k] : 0) != body->def.tag)
			outside_find(outside, OUTSIDE_BAD_RULE, 1, 0, "circle %u has another tag", body->def.id);
		k++;
	}
}

void
outside_rules(struct outside *outside)
{
	const struct outside_tick *tick = outside->tick;

	for (size_t i = 0; i < tick->contact_count; i++) {
		side_check(outside, i, true);
		if (!tick->contacts[i].with_wall)
			side_check(outside, i, false);
	}
	for (size_t i = 0; i < tick->change_count; i++)
		stop_check(outside, &tick->changes[i]);
	tags_check(outside);
	for (size_t i = 0; i < outside->body_count; i++) {
		struct body *body = &outside->bodies[i];
		if (body->gone)
			continue;
		body_check(outside, body);
		life_spend(outside, body);
		parting_settle(outside, body);
	}
}
