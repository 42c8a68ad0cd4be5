#include "certificate/contact_check.h"
#include "certificate/cert_problem.h"
#include "certificate/response.h"
#include "certificate/wall_motion.h"

#include <inttypes.h>

/* The contact that happened is made within one skin of the surfaces, those resolved with it within two skins of that. */
#define SKINS_MAX 3

/* One contact's geometry. */
struct contact_check {
	const struct certificate_contact *contact;
	const struct cert_body *a, *b; /* b is NULL for a wall */
	const struct cert_wall *wall;
	struct cert_vec p;     /* centre of a; as a wall sees it */
	struct cert_vec point; /* the contact's, so too */
	struct cert_vec from;  /* centre of b, or the wall's point nearest to p */
	double distance, radii;
	double slop; /* rounding of the distance */
	double room; /* how far apart the surfaces may be */
};

static struct contact_check
touch_of(const struct cert_shapes *shapes, const struct cert_paths *paths, const struct certificate_contact *contact,
         size_t index)
{
	size_t a = cert_body_find(shapes, contact->a);
	struct contact_check touch = {
		.contact = contact, .a = &shapes->bodies[a], .p = paths->contact_p[2 * index], .slop = paths->slop[a]
	};

	touch.point = cert_vec_from(contact->point);

	double reach = cert_reach(touch.p), radius_min = touch.a->radius;

	touch.radii = touch.a->radius;
	if (contact->with_segment) {
		touch.wall = &shapes->walls[cert_wall_find(shapes, contact->b)];
		touch.radii += touch.wall->radius;
		touch.p = cert_point_seen(touch.wall, touch.p, contact->time);
		touch.point = cert_point_seen(touch.wall, touch.point, contact->time);
		touch.slop += touch.wall->slop;
		touch.distance = cert_wall_distance(touch.wall, touch.p, &touch.from);
		reach = cert_max(reach, touch.wall->reach);
	} else {
		size_t b = cert_body_find(shapes, contact->b);

		touch.b = &shapes->bodies[b];
		touch.from = paths->contact_p[2 * index + 1];
		touch.distance = cert_length(cert_sub(touch.p, touch.from));
		touch.radii += touch.b->radius;
		touch.slop += paths->slop[b];
		radius_min = cert_min(radius_min, touch.b->radius);
		reach = cert_max(reach, cert_reach(touch.from));
	}
	/* The pair's larger coordinate may be that at another time of the tick; a path's slop knows it, at 2^-50 and more. */
	touch.room = SKINS_MAX * (cert_skin(reach, radius_min) + 16 * touch.slop);
	return touch;
}

static void
touch_problem(const struct contact_check *touch, struct certificate_report *report, double size, const char *what)
{
	cert_problem_jump(report, size, "contact of circle %" PRIu32 " and %s %" PRIu32 " at time %.9g: %s", touch->a->id,
	                  touch->wall ? "segment" : "circle", touch->wall ? touch->wall->id : touch->b->id, touch->contact->time,
	                  what);
}

/* The normal points from b to a. Its direction is only as good as the distance between the two points is long. A centre on
 * the wall itself has no side, and concentric circles have no direction at all. */
static void
touch_check_normal(const struct contact_check *touch, struct certificate_report *report)
{
	struct cert_vec normal = cert_vec_from(touch->contact->normal), line = cert_sub(touch->p, touch->from);
	struct cert_vec off = { touch->distance * normal.x - line.x, touch->distance * normal.y - line.y };

	if (!(fabs(cert_length(normal) - 1) <= 0x1p-48))
		touch_problem(touch, report, 0, "the normal's length is not 1");
	else if (touch->distance > touch->room && !(cert_length(off) <= touch->room))
		touch_problem(touch, report, 0, "the normal does not point from b to a");
}

static void
touch_check_point(const struct contact_check *touch, struct certificate_report *report)
{
	struct cert_vec surface = cert_along(touch->p, -touch->a->radius, cert_vec_from(touch->contact->normal));
	double off = cert_length(cert_sub(touch->point, surface));

	if (!(off <= touch->room))
		touch_problem(touch, report, off / touch->a->radius, "the point is not on the surface of a");
}

/* At the seam between face and end point either may be told. */
static void
touch_check_feature(const struct contact_check *touch, struct certificate_report *report)
{
	bool fits;

	if (!touch->wall) {
		if (touch->contact->feature != 0)
			touch_problem(touch, report, 0, "a circle has no end points");
		return;
	}
	double end_1 = cert_length(cert_sub(touch->p, touch->wall->p1));
	double end_2 = cert_length(cert_sub(touch->p, touch->wall->p2));
	switch (touch->contact->feature) {
	case 0:
		fits = fabs(cert_cross(touch->wall->along, cert_sub(touch->p, touch->wall->p1))) >= touch->distance - touch->room;
		break;
	case 1: fits = end_1 <= touch->distance + touch->room; break;
	case 2: fits = end_2 <= touch->distance + touch->room; break;
	default: fits = false; break;
	}
	if (!fits)
		touch_problem(touch, report, 0, "not the feature of the segment that touches");
}

/* A one-sided wall stops no circle on its right, nor one that is passing: deep in it. */
static void
touch_check_side(const struct contact_check *touch, const struct cert_shapes *shapes, struct certificate_report *report)
{
	if (!touch->wall || !cert_wall_one_sided(shapes, touch->a, touch->wall))
		return;
	double height = cert_cross(touch->wall->along, cert_sub(touch->p, touch->wall->p1));
	if (!(height >= -touch->room))
		touch_problem(touch, report, 0, "it is one-sided, and the circle not on its left");
	else if (!(touch->distance - touch->radii >= -touch->room))
		touch_problem(touch, report, 0, "it is one-sided, and the circle is passing it");
}

/* Within a cluster the pair may have begun to approach after other pairs were resolved, so only a lone contact's speed follows
 * from its velocities before. A parked body keeps a velocity that it does not move with. */
static void
touch_check_approach(const struct contact_check *touch, struct certificate_report *report, bool alone)
{
	const struct certificate_contact *contact = touch->contact;
	struct cert_vec a = cert_vec_from(contact->a_before), b = cert_vec_from(contact->b_before);
	double speed = -cert_dot(cert_sub(a, b), cert_vec_from(contact->normal)), size = cert_reach(a) + cert_reach(b);

	if (contact->approach_speed < 0 || contact->impulse < 0) {
		touch_problem(touch, report, 0, "a negative approach speed or impulse");
	} else if (alone && !(fabs(contact->approach_speed - cert_max(speed, 0)) <= 0x1p-46 * size)) {
		touch_problem(touch, report, fabs(contact->approach_speed - speed) / size,
		              "the approach speed does not match the velocities");
	}
}

/* Of a contact in a cluster the others have their part. */
static void
touch_check_response(const struct contact_check *touch, const struct cert_paths *paths, const struct certificate_tick *tick,
                     struct certificate_report *report)
{
	double gravity = cert_reach(touch->a->gravity) + (touch->b ? cert_reach(touch->b->gravity) : 0);
	const char *problem = cert_response_problem(&(struct cert_sides){
		.contact = touch->contact,
		.a = touch->a,
		.b = touch->b,
		.wall = touch->wall,
		.spins = tick->spin != NULL,
		.speed = paths->fastest + tick->dt * gravity,
	});

	if (problem)
		touch_problem(touch, report, 1, problem);
}

/* What the relation of two groups says of a contact. A lone one is all that happened to both. `rounding` is that of velocities,
 * which clusters are resolved to. */
static void
touch_check_relation(const struct contact_check *touch, const struct cert_shapes *shapes, struct certificate_report *report,
                     bool alone, double rounding)
{
	const struct certificate_contact *contact = touch->contact;
	const struct certificate_relation *relation = cert_relation(shapes, touch->a->group,
	                                                            touch->wall ? touch->wall->group : touch->b->group);
	struct cert_vec a = cert_vec_from(contact->a_after), b = cert_vec_from(contact->b_after);
	double parting = cert_dot(cert_sub(a, b), cert_vec_from(contact->normal));
	double size = cert_reach(a) + cert_reach(b) + cert_reach(cert_vec_from(contact->a_before)) +
	              cert_reach(cert_vec_from(contact->b_before));

	bool stops = touch->a->response == CERTIFICATE_STOP || (touch->b && touch->b->response == CERTIFICATE_STOP);

	if (contact->by_mass && (touch->wall || !cert_weighted(shapes, touch->a, touch->b)))
		touch_problem(touch, report, 1, "by the masses, but there are no weights");
	if (!relation)
		return;
	if (relation->kind == CERTIFICATE_RELATION_MOVE && contact->friction_impulse != 0 && !stops)
		touch_problem(touch, report, 1, "friction where a contact only moves");
	if (alone && (relation->kind == CERTIFICATE_RELATION_MOVE || relation->has_elasticity)) {
		double elasticity = relation->has_elasticity ? relation->elasticity : 0;

		if (!(parting <= elasticity * contact->approach_speed + 0x1p-40 * size + rounding))
			touch_problem(touch, report, parting / size, "they part faster than their relation lets them");
	}
}

static void
touch_check(const struct cert_shapes *shapes, const struct cert_paths *paths, const struct certificate_tick *tick, size_t i,
            struct certificate_report *report)
{
	struct contact_check touch = touch_of(shapes, paths, &tick->contacts[i], i);
	double gap = touch.distance - touch.radii, gravity;

	if (!(gap <= touch.room)) {
		touch_problem(&touch, report, gap / touch.a->radius, "the surfaces do not meet");
		return;
	}
	touch_check_normal(&touch, report);
	touch_check_point(&touch, report);
	touch_check_feature(&touch, report);
	touch_check_side(&touch, shapes, report);
	touch_check_approach(&touch, report, !paths->contact_shared[i]);
	gravity = cert_reach(touch.a->gravity) + (touch.b ? cert_reach(touch.b->gravity) : 0);
	touch_check_relation(&touch, shapes, report, !paths->contact_shared[i], 0x1p-44 * (paths->fastest + tick->dt * gravity));
	if (!paths->contact_shared[i])
		touch_check_response(&touch, paths, tick, report);
	if (touch.b && touch.a->id >= touch.b->id)
		touch_problem(&touch, report, 0, "a must have the lower id");
	if (touch.wall ? !cert_body_meets_wall(shapes, touch.a, touch.wall) : !cert_bodies_may_meet(shapes, touch.a, touch.b))
		touch_problem(&touch, report, 1, "the two do not collide by kind, category, mask and group");
	if (touch.wall && !(cert_same(cert_vec_from(tick->contacts[i].b_before), touch.wall->v) &&
	                    cert_same(cert_vec_from(tick->contacts[i].b_after), touch.wall->v)))
		touch_problem(&touch, report, 0, "a segment has another velocity");
}

void
cert_touches_check(const struct cert_shapes *shapes, const struct cert_paths *paths, const struct certificate_tick *tick,
                   struct certificate_report *report)
{
	double last = 0;

	for (size_t i = 0; i < tick->contact_count; i++) {
		if (!(tick->contacts[i].time >= last && tick->contacts[i].time <= tick->dt))
			cert_problem_jump(report, 0, "contact %zu at time %.17g is out of order", i, tick->contacts[i].time);
		last = tick->contacts[i].time;
		touch_check(shapes, paths, tick, i, report);
	}
	last = 0;
	for (size_t i = 0; i < tick->path_change_count; i++) {
		if (!(tick->path_changes[i].time >= last && tick->path_changes[i].time <= tick->dt))
			cert_problem_jump(report, 0, "path change %zu at time %.17g is out of order", i, tick->path_changes[i].time);
		last = tick->path_changes[i].time;
	}
}
