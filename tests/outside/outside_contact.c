/* Whether each contact is where its two shapes touch at that time, and does what their materials say.
 *
 * Geometry holds to three skins: the contact that happens is made within one, those resolved with it within two of that; a skin
 * is what the engine's documents state. Laws hold to 2^-40 of the tick's speeds. A contact beside others at the same time has
 * only bounds, to 2^-34 and to the rounding of the impulses, because what the others did comes in between. */
#include "outside/inside.h"

#define LAW_PRECISION 0x1p-40L
#define CLUSTER_PRECISION 0x1p-34L

struct meeting {
	struct outside *outside;
	const struct outside_contact *contact;
	size_t index;
	const struct body *a, *b;
	const struct wall *wall;
	struct bar bar;           /* of the wall, then */
	struct point place, from; /* a's centre, and what of b is nearest to it */
	real distance, radii, room;
	unsigned flags;
};

static void
meeting_tell(const struct meeting *meeting, enum outside_finding finding, real size, const char *what)
{
	outside_find(meeting->outside, finding, size, meeting->flags, "contact of circle %u and %s %u at time %.9g: %s (%.3Lg)",
	             meeting->contact->a, meeting->contact->with_wall ? "segment" : "circle", meeting->contact->b,
	             meeting->contact->time, what, size);
}

static void
meeting_set(struct meeting *meeting)
{
	struct outside *outside = meeting->outside;
	const struct outside_contact *contact = meeting->contact;
	const struct body *a = &outside->bodies[outside_body(outside, contact->a)];
	real reach, slop = a->slop, smaller = a->def.radius;

	meeting->a = a;
	meeting->place = outside->contact_places[2 * meeting->index];
	meeting->radii = a->def.radius;
	meeting->flags = a->flags;
	reach = point_reach(meeting->place);
	if (contact->with_wall) {
		const struct wall *wall = &outside->walls[outside_wall(outside, contact->b)];
		meeting->wall = wall;
		meeting->bar = outside_bar_at(wall, contact->time);
		meeting->from = point_add(meeting->bar.from, bar_foot(&meeting->bar, meeting->place), meeting->bar.along);
		meeting->distance = bar_distance(&meeting->bar, meeting->place);
		meeting->radii += wall->def.radius;
		slop += wall->slop;
		/* The skin counts the wall's coordinates too, also those that are far from the contact. */
		reach = larger_of(larger_of(reach, a->reach), larger_of(point_reach(wall->e1), point_reach(wall->e2)));
		reach = larger_of(reach, 0x1p50L * wall->slop);
	} else {
		const struct body *b = &outside->bodies[outside_body(outside, contact->b)];
		meeting->b = b;
		meeting->from = outside->contact_places[2 * meeting->index + 1];
		meeting->distance = point_size(point_add(meeting->place, -1, meeting->from));
		meeting->radii += b->def.radius;
		meeting->flags |= b->flags;
		slop += b->slop;
		smaller = smaller_of(smaller, b->def.radius);
		reach = larger_of(larger_of(reach, a->reach), larger_of(point_reach(meeting->from), b->reach));
	}
	meeting->room = 3 * outside_skin(reach, smaller) + 8 * slop;
}

static void
geometry_check(const struct meeting *meeting)
{
	const struct outside_contact *contact = meeting->contact;
	const struct point normal = point_of(contact->normal), line = point_add(meeting->place, -1, meeting->from);
	const real radius = meeting->a->def.radius, gap = meeting->distance - meeting->radii;
	const struct point off = point_add(line, -meeting->distance, normal);
	const struct point surface = point_add(meeting->place, -radius, normal);

	if (!(gap <= meeting->room))
		meeting_tell(meeting, OUTSIDE_BAD_CONTACT, gap / radius, "they do not touch");
	if (!(fabsl(point_size(normal) - 1) <= 0x1p-50L))
		meeting_tell(meeting, OUTSIDE_BAD_CONTACT, fabsl(point_size(normal) - 1), "the normal is no unit vector");
	if (meeting->distance > meeting->room && !(point_size(off) <= meeting->room))
		meeting_tell(meeting, OUTSIDE_BAD_CONTACT, point_size(off) / radius, "the normal leads elsewhere");
	if (!(point_size(point_add(point_of(contact->point), -1, surface)) <= meeting->room))
		meeting_tell(meeting, OUTSIDE_BAD_CONTACT, point_size(point_add(point_of(contact->point), -1, surface)) / radius,
		             "the point is not on the surface");
	if (!(contact->approach >= 0 && contact->impulse >= 0))
		meeting_tell(meeting, OUTSIDE_BAD_CONTACT, 1, "a negative approach or impulse");
}

/* The told feature is one that touches. */
static void
feature_check(const struct meeting *meeting)
{
	const struct bar *bar = &meeting->bar;
	real distance;

	if (!meeting->wall) {
		if (meeting->contact->feature != 0)
			meeting_tell(meeting, OUTSIDE_BAD_CONTACT, 1, "a circle has no ends");
		return;
	}
	switch (meeting->contact->feature) {
	case 0: distance = fabsl(bar_height(bar, meeting->place)); break;
	case 1: distance = point_size(point_add(meeting->place, -1, bar->from)); break;
	case 2: distance = point_size(point_add(meeting->place, -1, bar->to)); break;
	default: distance = HUGE_VALL;
	}
	if (!(fabsl(distance - meeting->distance) <= meeting->room))
		meeting_tell(meeting, OUTSIDE_BAD_CONTACT, fabsl(distance - meeting->distance) / meeting->a->def.radius,
		             "another feature touches");
	if (meeting->wall->v.x != (real)meeting->contact->b_before[0] ||
	    meeting->wall->v.y != (real)meeting->contact->b_before[1] || meeting->wall->v.x != (real)meeting->contact->b_after[0] ||
	    meeting->wall->v.y != (real)meeting->contact->b_after[1])
		meeting_tell(meeting, OUTSIDE_BAD_CONTACT, 1, "the segment has another velocity");
	if (outside_wall_one_sided(meeting->outside, meeting->a, meeting->wall)) {
		if (!(bar_height(bar, meeting->place) >= -meeting->room))
			meeting_tell(meeting, OUTSIDE_BAD_CONTACT, 1, "it is one-sided, and the circle on its right");
		else if (!(meeting->distance - meeting->radii >= -meeting->room))
			meeting_tell(meeting, OUTSIDE_BAD_CONTACT, 1, "it is one-sided, and the circle passing");
	}
}

static real
inverse_mass(const struct body *body)
{
	return body && body->def.kind == OUTSIDE_DYNAMIC ? 1 / (real)body->def.mass : 0;
}

/* What rounding may leave of an approach in a jam. The impulses of one time are the solution of one linear problem. A solver
 * that is backward stable leaves a residual of an ulp or so of their sum, as the change of speed that it would be here. */
static real
jam_slop(const struct meeting *meeting)
{
	const struct outside_tick *tick = meeting->outside->tick;
	real sum = 0;

	for (size_t i = meeting->index; i < tick->contact_count && tick->contacts[i].time == meeting->contact->time; i++)
		sum += tick->contacts[i].impulse;
	for (size_t i = meeting->index; i-- > 0 && tick->contacts[i].time == meeting->contact->time;)
		sum += tick->contacts[i].impulse;
	return 4 * 0x1p-52L * sum * (inverse_mass(meeting->a) + inverse_mass(meeting->b));
}

static void
law_check(const struct meeting *meeting)
{
	const struct outside *outside = meeting->outside;
	const struct outside_contact *contact = meeting->contact;
	const struct manner manner = outside_manner(outside, meeting->a, meeting->b, meeting->wall,
	                                            (contact->flags & OUTSIDE_CONTACT_BY_MASS) != 0);
	const struct point normal = point_of(contact->normal);
	const struct point before = point_add(point_of(contact->a_before), -1, point_of(contact->b_before));
	const struct point after = point_add(point_of(contact->a_after), -1, point_of(contact->b_after));
	const real speed = outside->fastest + outside->gravity * outside->tick->dt;
	const real approach = -point_dot(before, normal), parting = point_dot(after, normal);
	const bool resting = (contact->flags & OUTSIDE_CONTACT_RESTING) != 0,
			   led = outside->contact_company[meeting->index] & COMPANY_SOLVER;
	const bool alone = !(outside->contact_company[meeting->index] & COMPANY_CONTACTS);
	const real e = contact->approach < outside->scene.restitution_threshold ? 0 : manner.restitution;

	if (!(parting >= -(alone ? LAW_PRECISION : CLUSTER_PRECISION) * speed) && !(!alone && parting >= -jam_slop(meeting)))
		meeting_tell(meeting, OUTSIDE_BAD_LAW, -parting / speed, "they still approach after it");
	if (!manner.stop && !(fabsl((real)contact->friction_impulse) <= manner.friction * contact->impulse * (1 + LAW_PRECISION)))
		meeting_tell(meeting, OUTSIDE_BAD_LAW, fabsl((real)contact->friction_impulse) / contact->impulse,
		             "more friction than the coefficient lets");
	if (!alone)
		return;
	if (!(fabsl(contact->approach - larger_of(approach, 0)) <= LAW_PRECISION * speed))
		meeting_tell(meeting, OUTSIDE_BAD_LAW, fabsl(contact->approach - approach) / speed, "another speed of approach");
	if (!(parting <= e * larger_of(approach, 0) + LAW_PRECISION * speed))
		meeting_tell(meeting, OUTSIDE_BAD_LAW, (parting - e * approach) / speed, "they part faster than restitution lets");
	if (!resting && !led && !(parting >= e * approach - LAW_PRECISION * speed))
		meeting_tell(meeting, OUTSIDE_BAD_LAW, (e * approach - parting) / speed, "they part slower than restitution says");
}

/* Two that ignore each other until they are apart have been: their gap, less a skin, was more than one. */
static void
parting_check(const struct meeting *meeting)
{
	const struct outside *outside = meeting->outside;
	const struct body *a = meeting->a, *b = meeting->b;

	if (!b || outside_parting(outside, a, b) != PARTING_NOT_YET)
		return;
	const real skin = outside_skin(0, smaller_of(a->def.radius, b->def.radius));
	const real reach = meeting->radii + 2 * skin - a->slop - b->slop;
	if (!(outside_apart_from(outside, a, b, reach) <= meeting->contact->time))
		meeting_tell(meeting, OUTSIDE_BAD_RULE, 1, "they ignore each other, and have not been apart");
}

void
outside_contacts(struct outside *outside)
{
	for (size_t i = 0; i < outside->tick->contact_count; i++) {
		struct meeting meeting = { .outside = outside, .contact = &outside->tick->contacts[i], .index = i };
		meeting_set(&meeting);
		geometry_check(&meeting);
		feature_check(&meeting);
		law_check(&meeting);
		parting_check(&meeting);
		if (meeting.b ? !outside_circles_meet(outside, meeting.a, meeting.b)
		              : !outside_wall_meets(outside, meeting.a, meeting.wall))
			meeting_tell(&meeting, OUTSIDE_BAD_CONTACT, 1, "the two do not meet by kind, filter or group");
	}
}
