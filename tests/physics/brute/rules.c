/* Contact rules, lifetimes and ignored circles, as physics.h states them. */
#include "physics/brute/state.h"

#include <math.h>

/* Steps in which a motion is looked through for the first time at which two are apart. */
#define STEPS 512

static bool
groups_have(uint64_t groups, uint32_t group)
{
	return (groups >> group & 1) != 0;
}

bool
brute_body_meets(const struct brute *brute, const struct brute_body *body, const struct segment_def *segment)
{
	return brute_filters_meet(brute, brute_filter_of_circle(&body->def), brute_filter_of_segment(segment)) &&
	       !groups_have(body->def.report_groups, segment->group);
}

static enum ignore
body_ignores(const struct brute_body *body, const struct brute_body *other)
{
	return body->def.ignored_circle == other->def.id ? body->def.ignore : IGNORE_NONE;
}

bool
brute_bodies_meet(const struct brute *brute, const struct brute_body *a, const struct brute_body *b)
{
	return brute_filters_meet(brute, brute_filter_of_circle(&a->def), brute_filter_of_circle(&b->def)) &&
	       !groups_have(a->def.report_groups, b->def.group) && !groups_have(b->def.report_groups, a->def.group) &&
	       body_ignores(a, b) != IGNORE_ALWAYS && body_ignores(b, a) != IGNORE_ALWAYS;
}

bool
brute_bodies_part(const struct brute_body *a, const struct brute_body *b)
{
	return body_ignores(a, b) == IGNORE_UNTIL_APART || body_ignores(b, a) == IGNORE_UNTIL_APART;
}

static bool
are_apart(const struct brute_pair *pair, const struct brute_motion *motion, real s)
{
	return brute_length(brute_at(motion, s)) > pair->feature.reach + pair->skin;
}

real
brute_parted_contact(const struct brute_pair *pair, const struct brute_motion *motion, real h)
{
	real low = 0, high = 0;

	for (int k = 0; k <= STEPS && !are_apart(pair, motion, high); k++) {
		low = high;
		high = h * k / STEPS;
	}
	if (!are_apart(pair, motion, high))
		return -1;
	for (int k = 0; k < 80; k++) {
		real middle = (low + high) / 2;

		if (are_apart(pair, motion, middle))
			high = middle;
		else
			low = middle;
	}

	const struct brute_motion from = { brute_at(motion, high),
		                               { motion->w.x + high * motion->q.x, motion->w.y + high * motion->q.y },
		                               motion->q };
	real s = brute_first_contact(&pair->feature, &from, h - high);

	return s >= 0 ? high + s : s;
}

void
brute_life_spend(const struct brute *brute, struct brute_body *body)
{
	struct circle_def *def = &body->def;

	body->ends_at = HUGE_VAL;
	if (def->lifetime_ticks > 0) {
		if (--def->lifetime_ticks == 0 && !(def->lifetime_s > 0))
			body->ends_at = brute->dt;
	} else if (def->lifetime_s > brute->dt) {
		def->lifetime_s -= brute->dt;
	} else if (def->lifetime_s > 0) {
		body->ends_at = def->lifetime_s;
	}
}

void
brute_body_stop(struct brute *brute, struct brute_body *body, double time)
{
	brute->counts->stops++;
	body->stopped_at = time;
	body->kept = body->led ? body->own : body->v;
	body->kept_spin = body->spin;
	body->v = body->a = body->own = (struct brute_vec){ 0, 0 };
	body->spin = 0;
	body->led = body->supported = false;
	body->stopped = body->changed = true;
}

void
brute_body_go_on(const struct brute *brute, struct brute_body *body)
{
	body->v = body->own = body->kept;
	body->spin = body->kept_spin;
	body->stopped = false;
	body->a = brute_body_fixed(body) ? (struct brute_vec){ 0, 0 } : brute_gravity(brute, body);
	body->changed = true;
}

bool
brute_change_is_told(const struct brute *brute, const struct brute_body *body, double time, enum path_change_kind kind)
{
	for (size_t i = 0; i < brute->report->path_change_count; i++) {
		const struct path_change *change = &brute->report->path_changes[i];

		if (change->body == body->def.id && change->time == time && change->kind == kind)
			return true;
	}
	return false;
}

bool
brute_end_is_told(const struct brute *brute, const struct brute_body *body, double time)
{
	for (size_t i = 0; i < brute->report->end_count; i++) {
		const struct body_end *end = &brute->report->ends[i];

		if (end->body == body->def.id && end->time == time && end->reason == END_CONTACT)
			return true;
	}
	return false;
}

bool
brute_stop_follows(const struct brute *brute, const struct path_change *change)
{
	const struct path_change *end = brute->report->path_changes + brute->report->path_change_count;

	for (const struct path_change *later = change + 1; later < end && later->time == change->time; later++)
		if (later->body == change->body && later->kind == PATH_STOPPED)
			return true;
	return false;
}

void
brute_stop_follow(struct brute *brute, struct brute_body *body, double time, const double before[2], const double after[2])
{
	bool stood = before[0] == 0 && before[1] == 0, stands = after[0] == 0 && after[1] == 0;

	if (!body->stopped && stood && (body->v.x != 0 || body->v.y != 0) && brute_change_is_told(brute, body, time, PATH_STOPPED))
		brute_body_stop(brute, body, time);
	else if (body->stopped && !(stood && stands) && brute_change_is_told(brute, body, time, PATH_RELEASED))
		brute_body_go_on(brute, body);
}

void
brute_contacts_part(struct brute *brute, const struct contact *contacts, size_t count)
{
	for (size_t i = 0; i < brute->pair_count; i++) {
		struct brute_pair *pair = &brute->pairs[i];

		for (size_t k = 0; k < count && pair->parting; k++) {
			uint32_t a = brute->bodies[pair->body].def.id, b = brute->bodies[pair->other].def.id;

			pair->parting = !(contacts[k].other == CONTACT_CIRCLE && contacts[k].a == a && contacts[k].b == b);
		}
	}
}

/* The groups of all that a body is in contact with. */
static uint64_t
groups_met(const struct brute *brute, const struct brute_body *body, const struct contact *contacts, size_t count)
{
	uint64_t groups = 0;

	for (size_t i = 0; i < count; i++) {
		const struct contact *contact = &contacts[i];
		bool wall = contact->other == CONTACT_SEGMENT;

		if (contact->a == body->def.id)
			groups |= UINT64_C(1) << (wall ? brute_segment_find(brute, contact->b)->group
			                               : brute_body_find(brute, contact->b)->def.group);
		else if (!wall && contact->b == body->def.id)
			groups |= UINT64_C(1) << brute_body_find(brute, contact->a)->def.group;
	}
	return groups;
}

bool
brute_rules_check(struct brute *brute, double time, const struct contact *contacts, size_t count)
{
	for (size_t i = 0; i < brute->def.circle_count; i++) {
		const struct brute_body *body = &brute->bodies[i];
		uint64_t groups = groups_met(brute, body, contacts, count);
		bool ends = (groups & body->def.remove_groups) != 0, stops = (groups & body->def.stop_groups) != 0;
		bool end = brute_end_is_told(brute, body, time), stop = brute_change_is_told(brute, body, time, PATH_STOPPED);

		if (ends != end)
			return brute_fail(brute, "at %.17g circle %u %s", time, body->def.id, end ? "ends without cause" : "does not end");
		/* One that stood already does not stop; one that ends need not; one that goes on may. */
		if ((stop && !stops) || (stops && !stop && !ends && !body->stopped && body->def.kind != BODY_STATIC))
			return brute_fail(brute, "at %.17g circle %u %s", time, body->def.id,
			                  stop ? "stops without cause" : "does not stop");
	}
	return true;
}
