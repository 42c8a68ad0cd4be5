/* Stops by contact rules, and how they end; what a contact that removes a circle is told with.
 *
 * A circle that a rule stops stands, keeps its velocity, and is to contacts what does not move. Of one time the walk takes
 * contacts first, and changes after them. */
#include "outside/inside.h"

bool
outside_change_at(const struct outside *outside, const struct body *body, real time, enum outside_change_kind kind)
{
	const struct outside_tick *tick = outside->tick;
	size_t low = 0, high = tick->change_count;

	while (low < high) {
		const size_t middle = (low + high) / 2;
		if (tick->changes[middle].time < time)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < tick->change_count && tick->changes[low].time == time; low++)
		if (tick->changes[low].body == body->def.id && tick->changes[low].kind == kind)
			return true;
	return false;
}

void
outside_held_take(struct outside *outside, struct body *body, const struct outside_contact *contact, bool is_a)
{
	const struct point none = { 0, 0 };
	const double *before = is_a ? contact->a_before : contact->b_before, *after = is_a ? contact->a_after : contact->b_after;

	body->roundings++;
	if (!points_equal(point_of(before), none) || !points_equal(point_of(after), none))
		outside_pend(body, "a contact moves what a rule has stopped", 1);
	if ((is_a ? contact->a_spin_before : contact->b_spin_before) != (is_a ? contact->a_spin_after : contact->b_spin_after))
		outside_pend(body, "a contact turns what a rule has stopped", 1);
	if (!body->stopped && !outside_change_at(outside, body, contact->time, OUTSIDE_STOPPED))
		outside_find(outside, OUTSIDE_BAD_RULE, 1, 0, "circle %u at time %.9g: a contact has it stopped, and no rule does",
		             body->def.id, contact->time);
}

/* A stopped circle that a contact moves was let go at that time. */
void
outside_stop_leave(struct outside *outside, struct body *body, real time)
{
	if (!body->stopped)
		return;
	if (!outside_change_at(outside, body, time, OUTSIDE_RELEASED))
		outside_pend(body, "a contact moves what a rule has stopped", 1);
	body->stopped = false;
	body->released = time;
	body->a = body->gravity;
}

/* A circle that a contact removes is in that contact's cluster, and in no other one at that time. */
void
outside_removed_note(struct outside *outside, struct body *body, const struct outside_contact *contact, uint32_t group,
                     bool same, bool held)
{
	if (body->removed <= contact->time && !(held ? body->removed_held : same))
		outside_find(outside, OUTSIDE_BAD_RULE, 1, 0, "circle %u at time %.9g: something meets it after its removal",
		             body->def.id, contact->time);
	if (body->def.remove_groups >> group & 1 && !(body->removed <= contact->time)) {
		body->removed = contact->time;
		body->removed_held = held;
	}
}

void
outside_stop_take(struct outside *outside, struct body *body, const struct outside_change *change)
{
	if (body->stopped || body->def.kind == OUTSIDE_STATIC)
		outside_find(outside, OUTSIDE_BAD_RULE, 1, 0, "circle %u stops at time %.9g, and stands", change->body, change->time);
	/* Contacts tell its own velocity, if the rest solver drove it. */
	if (body->led && body->touching)
		body->v = body->cluster_after;
	body->stopped = true;
	body->stopped_since = change->time;
	body->led = false;
	body->a = body->gravity;
	body->pending = NULL;
}

/* Whether a contact of that time tells that velocity of the body, up to `slop`: before it, or after it. */
static bool
is_told(const struct outside *outside, const struct body *body, const struct outside_change *change, bool after, real slop)
{
	const struct outside_tick *tick = outside->tick;
	const struct point to = point_of(change->vector);

	for (size_t i = 0; i < tick->contact_count; i++) {
		const struct outside_contact *contact = &tick->contacts[i];
		const double *a = after ? contact->a_after : contact->a_before, *b = after ? contact->b_after : contact->b_before;
		if (contact->time != change->time)
			continue;
		if (contact->a == body->def.id && point_size(point_add(to, -1, point_of(a))) <= slop)
			return true;
		if (!contact->with_wall && contact->b == body->def.id && point_size(point_add(to, -1, point_of(b))) <= slop)
			return true;
	}
	return false;
}

/* It goes on with what it had when it stopped. Contacts of that time may have come after it, which this walk has taken first.
 */
void
outside_release_take(struct outside *outside, struct body *body, const struct outside_change *change)
{
	const struct point to = point_of(change->vector);
	const real slop = outside_velocity_slop(outside, body) + outside_untold_slop(outside);

	if (point_size(point_add(to, -1, body->v)) <= slop || is_told(outside, body, change, true, 0))
		body->v = to;
	else if (!is_told(outside, body, change, false, slop))
		outside_find(outside, OUTSIDE_BAD_VELOCITY, 1, 0, "circle %u at time %.9g goes on with another velocity than it had",
		             change->body, change->time);
	body->stopped = false;
	body->released = change->time;
	body->a = body->gravity;
	outside_note(body);
}
