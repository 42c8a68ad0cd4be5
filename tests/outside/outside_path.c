/* Every body's path through a tick, from its state at the start, its contacts and its path changes.
 *
 * Both streams are merged by time and walked once for all bodies. Of one time: kicks, pushes and wakings, then contacts, then
 * the other changes. Rounding: the engine's places are double, p + v t + a t^2 / 2 at each own event. So each stretch, and what
 * begins one, may be off by an ulp of the coordinates, of the way, and of the tick's length times the speed. It may be off by
 * two more where the engine raises what would else sink by rounding. Velocities are told to the bit; what gravity adds is
 * rounded once a stretch. An event with impulses that are all rounding is not told, but rounds the places of its bodies like
 * any. There are as many of these as events for which no contact of their own is told. A cluster may take away, untold, an
 * approach that is rounding: of the fastest there. */
#include "outside/inside.h"

#define ULP 0x1p-52L
/* An impulse that is told is a sum: of reflections, and of what separates. Each of twice so many is rounded by half an ulp. */
#define SUMS_ROUNDED 8
/* Doubles below 2^-1022 have this for an ulp. */
#define SUBNORMAL_ULP 0x1p-1074L
/* What is slower counts as this where rounding is measured, as the engine documents: products of such speeds lose their digits
 * to underflow. */
#define SPEEDS_LEAST 1e-280L
/* Of the impulses of a cluster, which are found together: what the engine documents for momentum. */
#define CLUSTER_PRECISION 1e-9L
/* The engine documents so many reflections of a cluster, one by one; each rounds a velocity by half an ulp in each
 * coordinate. Of two that take turns in a slot each is far smaller than the speed along it. */
#define REFLECTIONS_MAX 4096
/* Times the momenta that there are: impulses beyond that excuse nothing but the rounding of what is told, of each and of its
 * normal. The engine takes no joint solution with more than half of that; in a narrow wedge there are more. */
#define IMPULSES_MAX 0x1p21L
/* Roundings of a velocity, beside one a stretch. */
#define VELOCITY_ROUNDINGS 16
/* What an event that is not told may change a velocity by: 2^-49 of the speeds there, each the sum of its coordinates' sizes.
 */
#define UNTOLD_ROUNDINGS 12

real
outside_velocity_slop(const struct outside *outside, const struct body *body)
{
	return ULP * (real)(VELOCITY_ROUNDINGS + body->roundings) * (outside->fastest + outside->gravity * outside->tick->dt);
}

/* As the engine documents, an event that changes a velocity by rounding is not told, however many there are. Nor is that of a
 * member of a cluster, some other contacts of which are told. */
real
outside_untold_slop(const struct outside *outside)
{
	return ULP * UNTOLD_ROUNDINGS * (outside->untold + outside->clusters) *
	       (outside->fastest + outside->gravity * outside->tick->dt);
}

static void
box_add(struct body *body, struct point p, real more)
{
	body->low = (struct point){ smaller_of(body->low.x, p.x - more), smaller_of(body->low.y, p.y - more) };
	body->high = (struct point){ larger_of(body->high.x, p.x + more), larger_of(body->high.y, p.y + more) };
}

void
outside_note(struct body *body)
{
	body->reach = larger_of(body->reach, point_reach(body->p));
	body->speed = larger_of(body->speed, point_size(body->v));
	box_add(body, body->p, body->def.radius);
}

static void
stretch_add(struct outside *outside, struct body *body, real until)
{
	const bool still = body->parked || body->asleep || body->stopped;
	const struct point none = { 0, 0 };
	const real h = until - body->t;

	if (!outside_reserve((void **)&outside->stretches, &outside->stretch_capacity, outside->stretch_count + 1,
	                     sizeof *outside->stretches)) {
		outside->failed = true;
		return;
	}
	struct stretch *stretch = &outside->stretches[outside->stretch_count];
	*stretch = (struct stretch){
		.t0 = body->t,
		.t1 = until,
		.p = body->p,
		.v = still ? none : body->v,
		.a = still ? none : body->a,
		.held = !still && !body->led && body->def.kind == OUTSIDE_DYNAMIC && !points_equal(body->a, body->gravity),
		.next = NO_STRETCH,
	};
	if (body->first == NO_STRETCH)
		body->first = outside->stretch_count;
	else
		outside->stretches[body->last].next = outside->stretch_count;
	body->last = outside->stretch_count++;
	body->roundings++;
	outside_note(body);
	box_add(body, point_add(body->p, h / 2, stretch->v), body->def.radius);
	body->p = point_add(point_add(body->p, h, stretch->v), h * h / 2, stretch->a);
	if (!still)
		body->v = point_add(body->v, h, body->a);
	body->t = until;
	outside_note(body);
}

/* The velocities after the last contact at a time are those before the first, and all impulses. */
static void
touch_close(struct outside *outside, struct body *body)
{
	if (!body->touching)
		return;
	body->touching = false;
	if (body->pending)
		outside_find(outside, OUTSIDE_BAD_VELOCITY, body->pending_size, 0, "circle %u at time %.9Lg: %s", body->def.id, body->t,
		             body->pending);
	body->pending = NULL;
	if (body->def.kind != OUTSIDE_DYNAMIC)
		return;
	const real mass = body->def.mass;
	const struct point change = point_add(body->cluster_after, -1, body->touch_before);
	const struct point off = { mass * change.x - body->impulse.x, mass * change.y - body->impulse.y };
	const real change_size = point_size(body->cluster_after) + point_size(body->touch_before);
	const real size = mass * change_size + body->impulse_size;
	const real counted = smaller_of(body->together, IMPULSES_MAX * body->momenta);
	const real room = ULP * SUMS_ROUNDED * body->impulse_size +
	                  0x1p-43L * (mass * change_size + smaller_of(body->impulse_size, counted)) +
	                  (body->clustered ? CLUSTER_PRECISION * counted + ULP * REFLECTIONS_MAX * mass * change_size : 0) +
	                  (real)(1 + body->touches) * mass * outside_velocity_slop(outside, body);

	if (!(point_size(off) <= room))
		outside_find(outside, OUTSIDE_BAD_MOMENTUM, point_size(off) / size,
		             body->flags & (OUTSIDE_FLAG_CRUSHED | OUTSIDE_FLAG_FAST),
		             "circle %u at time %.9Lg: impulses are off the change of momentum by %.3Lg of %.3Lg", body->def.id,
		             body->t, point_size(off), size);
}

static void
body_advance(struct outside *outside, struct body *body, real time)
{
	if (time <= body->t)
		return;
	touch_close(outside, body);
	stretch_add(outside, body, time);
}

void
outside_pend(struct body *body, const char *what, real size)
{
	if (!body->pending || size > body->pending_size) {
		body->pending = what;
		body->pending_size = size;
	}
}

static bool
contacts_share(const struct outside_contact *one, const struct outside_contact *two)
{
	return two->a == one->a || (!one->with_wall && two->a == one->b) ||
	       (!two->with_wall && (two->b == one->a || (!one->with_wall && two->b == one->b)));
}

/* Whether others at the contact's time share a circle with it: their impulses are found together with its own. */
static bool
contact_has_company(const struct outside_tick *tick, size_t index)
{
	const struct outside_contact *contact = &tick->contacts[index];

	for (size_t i = index + 1; i < tick->contact_count && tick->contacts[i].time == contact->time; i++)
		if (contacts_share(contact, &tick->contacts[i]))
			return true;
	for (size_t i = index; i-- > 0 && tick->contacts[i].time == contact->time;)
		if (contacts_share(contact, &tick->contacts[i]))
			return true;
	return false;
}

static void
touch_add(struct outside *outside, struct body *body, size_t index, bool is_a, real share)
{
	const struct outside_contact *contact = &outside->tick->contacts[index];
	const struct point before = point_of(is_a ? contact->a_before : contact->b_before);
	const struct point after = point_of(is_a ? contact->a_after : contact->b_after);
	const real spin_before = is_a ? contact->a_spin_before : contact->b_spin_before;
	const real sign = is_a ? share : -share;
	const struct point normal = point_of(contact->normal), tangent = { -normal.y, normal.x };
	const bool same = body->touching && points_equal(before, body->cluster_before) && points_equal(after, body->cluster_after);

	const bool held = outside->contact_company[index] & (is_a ? COMPANY_HELD_A : COMPANY_HELD_B);

	outside_removed_note(outside, body, contact, outside_other_group(outside, contact, is_a), same, held);
	if (held) {
		outside_held_take(outside, body, contact, is_a);
		return;
	}
	outside_stop_leave(outside, body, contact->time);
	if (!body->touching) {
		body->touching = true;
		body->touches = 0;
		body->touch_before = before;
		body->impulse = (struct point){ 0, 0 };
		body->impulse_size = body->together = body->momenta = 0;
		body->clustered = false;
	}
	if (!same && !body->led) {
		const real off = point_size(point_add(before, -1, body->v));
		if (!(off <= outside_velocity_slop(outside, body) + outside_untold_slop(outside)))
			outside_pend(body, "a contact's velocity before is not the path's", off / outside->fastest);
		if (outside->tick->spin && body->spin_known && !(fabsl(spin_before - body->spin) <= 0x1p-48L * fabsl(body->spin)))
			outside_pend(body, "a contact's spin before is not its own", 1);
	}
	if (body->def.kind != OUTSIDE_DYNAMIC && !points_equal(before, after))
		outside_pend(body, "a contact moves what does not yield", 1);
	body->touches++;
	body->roundings++;
	body->together = larger_of(body->together, outside->together);
	body->momenta = larger_of(body->momenta, outside->momenta);
	body->clustered = body->clustered || (contact->flags & OUTSIDE_CONTACT_SECONDARY) ||
	                  contact_has_company(outside->tick, index);
	body->cluster_before = before;
	body->cluster_after = after;
	body->impulse = point_add(point_add(body->impulse, sign * contact->impulse, normal), sign * contact->friction_impulse,
	                          tangent);
	body->impulse_size += fabsl(share) * (fabsl(contact->impulse) + fabsl(contact->friction_impulse));
	body->v = after;
	body->spin = is_a ? contact->a_spin_after : contact->b_spin_after;
	body->spin_known = true;
	outside_note(body);
}

/* Of all contacts at one time: the impulses of a cluster are found together, each with the rounding of the largest. */
static real
impulses_at(const struct outside_tick *tick, size_t first)
{
	real sum = 0;

	for (size_t i = first; i < tick->contact_count && tick->contacts[i].time == tick->contacts[first].time; i++)
		sum += fabsl((real)tick->contacts[i].impulse) + fabsl((real)tick->contacts[i].friction_impulse);
	return sum;
}

static real
momentum_of(const struct outside *outside, uint32_t id, const double before[2], const double after[2])
{
	const struct body *body = &outside->bodies[outside_body(outside, id)];

	return body->def.kind == OUTSIDE_DYNAMIC ? body->def.mass * (point_size(point_of(before)) + point_size(point_of(after)))
	                                         : 0;
}

/* The momenta of their circles, before and after; of one in several contacts as often. */
static real
momenta_at(const struct outside *outside, size_t first)
{
	const struct outside_tick *tick = outside->tick;
	real sum = 0;

	for (size_t i = first; i < tick->contact_count && tick->contacts[i].time == tick->contacts[first].time; i++) {
		const struct outside_contact *contact = &tick->contacts[i];
		sum += momentum_of(outside, contact->a, contact->a_before, contact->a_after);
		sum += contact->with_wall ? 0 : momentum_of(outside, contact->b, contact->b_before, contact->b_after);
	}
	return sum;
}

static void
contact_take(struct outside *outside, size_t index)
{
	const struct outside_contact *contact = &outside->tick->contacts[index];
	struct body *a = &outside->bodies[outside_body(outside, contact->a)], *b = NULL;
	const struct wall *wall = NULL;

	if (index == 0 || contact[-1].time != contact->time) {
		outside->together = impulses_at(outside->tick, index);
		outside->momenta = momenta_at(outside, index);
	}
	body_advance(outside, a, contact->time);
	if (contact->with_wall) {
		wall = &outside->walls[outside_wall(outside, contact->b)];
	} else {
		b = &outside->bodies[outside_body(outside, contact->b)];
		body_advance(outside, b, contact->time);
	}
	const uint8_t held = (uint8_t)((contact->flags & OUTSIDE_CONTACT_A_STOPPED ? COMPANY_HELD_A : 0) |
	                               (b && contact->flags & OUTSIDE_CONTACT_B_STOPPED ? COMPANY_HELD_B : 0));
	const struct manner manner = outside_manner(outside, a, b, wall,
	                                            (contact->flags & OUTSIDE_CONTACT_BY_MASS) != 0 || held != 0);
	const bool first = !a->touching && !(b && b->touching) && !(contact->flags & OUTSIDE_CONTACT_SECONDARY);
	outside->contact_company[index] = (uint8_t)((first ? 0 : COMPANY_CONTACTS) |
	                                            (a->led || (b && b->led) ? COMPANY_SOLVER : 0) | held);
	if (contact->time > a->ends || (b && contact->time > b->ends))
		outside_find(outside, OUTSIDE_BAD_RULE, 1, 0, "a contact of %u and %u at time %.9g is after the end of one", contact->a,
		             contact->b, contact->time);
	outside->contact_places[2 * index] = a->p;
	touch_add(outside, a, index, true, manner.share_a);
	if (b) {
		outside->contact_places[2 * index + 1] = b->p;
		touch_add(outside, b, index, false, manner.share_b);
	}
}

static void
push_take(struct outside *outside, struct body *body, const struct outside_change *change)
{
	if (!outside_reserve((void **)&outside->pushes, &outside->push_capacity, outside->push_count + 1,
	                     sizeof *outside->pushes)) {
		outside->failed = true;
		return;
	}
	outside->pushes[outside->push_count++] = (struct push){ (size_t)(body - outside->bodies), point_of(change->vector) };
	body->p = point_add(body->p, 1, point_of(change->vector));
	body->pushed = true;
	if (change->time != 0)
		outside_find(outside, OUTSIDE_BAD_VELOCITY, 1, 0, "circle %u is pushed at time %.9g", body->def.id, change->time);
}

static void
kick_take(struct outside *outside, struct body *body, const struct outside_change *change)
{
	const struct point to = point_of(change->vector);
	const real dt = outside->tick->dt, slower = 1 / (1 + dt * body->def.linear_damping), most = outside->scene.speed_max;
	struct point wanted = { slower * body->start_v.x, slower * body->start_v.y };
	const real speed = point_size(wanted);

	if (most > 0 && speed > most)
		wanted = (struct point){ wanted.x * (most / speed), wanted.y * (most / speed) };
	if (body->kicked || change->time != 0 ||
	    !(point_size(point_add(to, -1, wanted)) <= 16 * ULP * (speed + point_size(wanted)) + 16 * SUBNORMAL_ULP))
		outside_find(outside, OUTSIDE_BAD_VELOCITY, 1, 0,
		             "circle %u is kicked to (%.9g, %.9g) at %.9g, not as its damping says", body->def.id, change->vector[0],
		             change->vector[1], change->time);
	body->kicked = true;
	body->v = to;
}

static void
change_take(struct outside *outside, const struct outside_change *change)
{
	struct body *body = &outside->bodies[outside_body(outside, change->body)];

	body_advance(outside, body, change->time);
	body->roundings++;
	if (change->time > body->ends)
		outside_find(outside, OUTSIDE_BAD_RULE, 1, 0, "the path of circle %u changes at time %.9g, after its end", change->body,
		             change->time);
	if (change->kind == OUTSIDE_STOPPED) {
		outside_stop_take(outside, body, change);
		return;
	}
	if (change->kind == OUTSIDE_RELEASED && (body->stopped || body->released == change->time)) {
		outside_release_take(outside, body, change);
		return;
	}
	if (body->def.kind != OUTSIDE_DYNAMIC) {
		outside_find(outside, OUTSIDE_BAD_VELOCITY, 1, 0, "circle %u is not dynamic, but its path changes", change->body);
		return;
	}
	switch (change->kind) {
	case OUTSIDE_PUSHED: push_take(outside, body, change); break;
	case OUTSIDE_KICKED: kick_take(outside, body, change); break;
	case OUTSIDE_SUPPORTED: body->a = point_of(change->vector); break;
	case OUTSIDE_FREE: body->a = body->gravity; break;
	case OUTSIDE_CRUSHED:
		body->crushed = smaller_of(body->crushed, change->time);
		body->parked = body->been_crushed = true;
		body->parked_since = smaller_of(body->parked_since, change->time);
		break;
	case OUTSIDE_PARKED:
		body->parked = true;
		body->parked_since = smaller_of(body->parked_since, change->time);
		break;
	case OUTSIDE_STOPPED: break;
	case OUTSIDE_LED:
	case OUTSIDE_RELEASED:
		body->led = change->kind == OUTSIDE_LED;
		body->spin_known = body->spin_known && !body->led;
		body->v = point_of(change->vector);
		body->a = body->led ? (struct point){ 0, 0 } : body->gravity;
		body->pending = NULL;
		break;
	case OUTSIDE_ASLEEP:
	case OUTSIDE_WOKEN:
		if (body->asleep == (change->kind == OUTSIDE_ASLEEP))
			outside_find(outside, OUTSIDE_BAD_VELOCITY, 1, 0, "circle %u falls asleep, or wakes, twice", change->body);
		body->asleep = change->kind == OUTSIDE_ASLEEP;
		body->led = !body->asleep;
		body->v = body->a = (struct point){ 0, 0 };
		body->spin = 0;
		body->spin_known = body->asleep;
		body->pending = NULL;
		break;
	}
	/* Of one that ends no flag is told. */
	if (body->end && body->parked)
		body->flags |= change->kind == OUTSIDE_CRUSHED ? OUTSIDE_FLAG_CRUSHED : OUTSIDE_FLAG_BUDGET;
	outside_note(body);
}

static void
body_begin(struct outside *outside, struct body *body)
{
	const bool free = body->def.kind == OUTSIDE_DYNAMIC && !body->asleep;

	body->start = body->p;
	body->start_v = body->v;
	body->start_spin = body->spin;
	if (free && body->def.angular_damping > 0)
		body->spin /= 1 + outside->tick->dt * (real)body->def.angular_damping;
	body->a = free ? body->gravity : (struct point){ 0, 0 };
	body->t = 0;
	body->first = body->last = NO_STRETCH;
	body->roundings = 0;
	body->led = body->parked = body->kicked = body->pushed = body->touching = body->overlaps = false;
	body->pending = NULL;
	body->crushed = body->stopped_since = body->parked_since = body->released = body->removed = HUGE_VALL;
	body->stopped = false;
	body->reach = body->speed = 0;
	body->low = body->high = body->p;
	outside_note(body);
}

static void
body_end(struct outside *outside, struct body *body)
{
	const struct outside_tick *tick = outside->tick;
	const struct point p = body->told, v = body->told_v;
	const real dt = tick->dt, until = smaller_of(dt, body->ends);
	const bool dynamic = body->def.kind == OUTSIDE_DYNAMIC;
	const bool awake = dynamic && (body->def.linear_damping > 0 || outside->scene.speed_max > 0);

	body_advance(outside, body, until);
	touch_close(outside, body);
	if (body->first == NO_STRETCH)
		stretch_add(outside, body, until);
	const real size = body->reach + dt * (body->speed + outside->gravity * dt);
	body->slop = ULP * (real)(4 + 3 * body->roundings) * size + dt * outside_velocity_slop(outside, body);
	const real off = point_size(point_add(p, -1, body->p)), v_off = point_size(point_add(v, -1, body->v));
	const real untold = dynamic ? outside->untold : 0;
	/* What is raised so as not to sink is raised by ulps of what it rests on. Once it may be raised by the way of an approach
	 * that is rounding of its speed: 2^-44 of it in each coordinate. */
	const real way = dynamic ? 0x1p-43L * dt * (body->speed + outside->gravity * dt) : 0;
	if (!(off <= body->slop + way + ULP * (3 * untold * size + 2 * ((real)body->roundings + untold) * outside->reach)))
		outside_find(outside, OUTSIDE_BAD_POSITION, off / body->def.radius, 0, "circle %u ends %.3Lg away from its path",
		             body->def.id, off);
	if (!body->led && !(v_off <= outside_velocity_slop(outside, body) + (dynamic ? outside_untold_slop(outside) : 0)))
		outside_find(outside, OUTSIDE_BAD_VELOCITY, v_off / outside->fastest, 0,
		             "circle %u ends with a velocity %.3Lg off its path's", body->def.id, v_off);
	if (awake && !body->kicked && !body->asleep) {
		const real slower = 1 / (1 + dt * (real)body->def.linear_damping), speed = point_size(body->start_v);
		const bool cut = outside->scene.speed_max > 0 && slower * speed > outside->scene.speed_max * (1 + 8 * ULP);
		if (cut || (1 - slower) * speed > 8 * ULP * speed + SUBNORMAL_ULP)
			outside_find(outside, OUTSIDE_BAD_VELOCITY, 1, 0, "circle %u is damped, or too fast, and no kick is told",
			             body->def.id);
	}
	if (tick->spin && !body->end && body->spin_known && !(fabsl(body->told_spin - body->spin) <= 0x1p-48L * fabsl(body->spin)))
		outside_find(outside, OUTSIDE_BAD_VELOCITY, 1, 0, "circle %u ends with a spin of %.9Lg, not %.9Lg", body->def.id,
		             body->told_spin, body->spin);
}

/* Of what is gone nothing reaches anywhere. */
static void
body_hide(struct body *body)
{
	body->low = (struct point){ HUGE_VALL, HUGE_VALL };
	body->high = (struct point){ -HUGE_VALL, -HUGE_VALL };
	body->reach = 0;
}

static bool
comes_first(enum outside_change_kind kind)
{
	return kind == OUTSIDE_PUSHED || kind == OUTSIDE_KICKED || kind == OUTSIDE_WOKEN;
}

static bool
change_is_next(const struct outside_tick *tick, size_t contact, size_t change)
{
	if (change == tick->change_count || contact == tick->contact_count)
		return change < tick->change_count;
	const struct outside_change *next = &tick->changes[change];
	const double time = tick->contacts[contact].time;
	return next->time < time || (next->time == time && comes_first(next->kind));
}

static void
fastest_set(struct outside *outside)
{
	const struct outside_tick *tick = outside->tick;
	real fastest = 0, rims = 0, belts = 0;

	for (size_t i = 0; i < outside->body_count; i++) {
		fastest = larger_of(fastest, point_size(outside->bodies[i].v));
		rims = larger_of(rims, fabsl(outside->bodies[i].def.surface_speed));
	}
	for (size_t i = 0; i < outside->wall_count; i++) {
		fastest = larger_of(fastest, point_size(outside->walls[i].v));
		belts = larger_of(belts, fabsl(outside->walls[i].def.surface_speed));
	}
	/* After a contact too: a light one between heavy ones leaves faster than anything came. */
	for (size_t i = 0; i < tick->contact_count; i++) {
		const double *const told[] = { tick->contacts[i].a_before, tick->contacts[i].b_before, tick->contacts[i].a_after,
			                           tick->contacts[i].b_after };
		for (size_t k = 0; k < 4; k++)
			fastest = larger_of(fastest, point_size(point_of(told[k])));
	}
	/* And what the resting solver leads, from the speed that it gave. */
	for (size_t i = 0; i < tick->change_count; i++)
		if (tick->changes[i].kind == OUTSIDE_LED || tick->changes[i].kind == OUTSIDE_RELEASED)
			fastest = larger_of(fastest, point_size(point_of(tick->changes[i].vector)));
	outside->fastest = larger_of(larger_of(fastest, rims + belts), SPEEDS_LEAST);
}

static void
untold_set(struct outside *outside)
{
	const struct outside_tick *tick = outside->tick;
	uint64_t told = 0;
	double cluster = -1;

	outside->clusters = 0;
	for (size_t i = 0; i < tick->contact_count; i++) {
		const bool secondary = tick->contacts[i].flags & OUTSIDE_CONTACT_SECONDARY;
		told += !secondary;
		outside->clusters += secondary && tick->contacts[i].time != cluster;
		cluster = secondary ? tick->contacts[i].time : cluster;
	}
	for (size_t i = 0; i < tick->end_count; i++)
		told += tick->ends[i].reason == OUTSIDE_END_LIFETIME;
	outside->untold = tick->resolved > told ? (real)(tick->resolved - told) : 0;
}

/* The first contact at a time does not reflect those that follow it. */
static void
company_tell(struct outside *outside, size_t i)
{
	const struct outside_contact *contacts = outside->tick->contacts;

	for (size_t j = i; j-- > 0 && contacts[j].time == contacts[i].time;)
		if (contacts_share(&contacts[i], &contacts[j]))
			outside->contact_company[j] |= COMPANY_CONTACTS;
}

void
outside_paths(struct outside *outside)
{
	const struct outside_tick *tick = outside->tick;

	outside->stretch_count = outside->push_count = 0;
	outside->fastest_before = larger_of(outside->fastest, outside->fastest_before);
	fastest_set(outside);
	untold_set(outside);
	for (size_t i = 0; i < outside->body_count; i++) {
		body_begin(outside, &outside->bodies[i]);
		if (outside->bodies[i].gone)
			body_hide(&outside->bodies[i]);
	}
	if (outside->report.ticks == 1)
		outside_parting_begin(outside);
	for (size_t c = 0, k = 0; c < tick->contact_count || k < tick->change_count;)
		if (change_is_next(tick, c, k))
			change_take(outside, &tick->changes[k++]);
		else
			contact_take(outside, c++);
	outside->reach = outside->extent;
	for (size_t i = 0; i < outside->body_count; i++)
		outside->reach = larger_of(outside->reach, outside->bodies[i].reach);
	for (size_t i = 0; i < outside->body_count; i++)
		if (!outside->bodies[i].gone)
			body_end(outside, &outside->bodies[i]);
	for (size_t i = tick->contact_count; i-- > 1;)
		if (outside->contact_company[i] & COMPANY_CONTACTS)
			company_tell(outside, i);
}
