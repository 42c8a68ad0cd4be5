#include "physics/brute/state.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* By how much more than a tangent does a path may leave a round support in a tick. Held by what it touched at the last support,
 * a circle leans outwards a little rather than inwards. Measured: up to 1.8e-4. */
#define SUPPORT_LEAVES_RADII 1e-3L

bool
brute_fail(struct brute *brute, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(brute->why, brute->why_bytes, format, arguments);
	va_end(arguments);
	return false;
}

static int
order_bodies(const void *left, const void *right)
{
	const struct brute_body *a = left, *b = right;

	return (a->def.id > b->def.id) - (a->def.id < b->def.id);
}

struct brute *
brute_create(const struct world_def *def)
{
	struct brute *brute = calloc(1, sizeof *brute);

	if (!brute)
		return NULL;
	brute->def = *def;
	brute->bodies = calloc(def->circle_count + 1, sizeof *brute->bodies);
	brute->segments = calloc(def->segment_count + 1, sizeof *brute->segments);
	if (!brute->bodies || !brute->segments) {
		brute_destroy(brute);
		return NULL;
	}
	for (size_t i = 0; i < def->circle_count; i++) {
		const struct circle_def *circle = &def->circles[i];

		brute->bodies[i] = (struct brute_body){ .def = *circle,
			                                    .p = { circle->x, circle->y },
			                                    .v = { circle->vx, circle->vy },
			                                    .angle = circle->angle,
			                                    .spin = circle->angular_velocity };
	}
	qsort(brute->bodies, def->circle_count, sizeof *brute->bodies, order_bodies);
	for (size_t i = 0; i < def->segment_count; i++)
		brute->segments[i] = def->segments[i];
	brute->def.circles = NULL;
	brute->def.segments = NULL;
	if (!brute_pairs_create(brute)) {
		brute_destroy(brute);
		return NULL;
	}
	return brute;
}

void
brute_destroy(struct brute *brute)
{
	if (!brute)
		return;
	free(brute->bodies);
	free(brute->segments);
	free(brute->pairs);
	free(brute->meetings);
	free(brute);
}

struct brute_body *
brute_body_find(const struct brute *brute, uint32_t id)
{
	for (size_t i = 0; i < brute->def.circle_count; i++)
		if (brute->bodies[i].def.id == id)
			return &brute->bodies[i];
	return NULL;
}

const struct segment_def *
brute_segment_find(const struct brute *brute, uint32_t id)
{
	for (size_t i = 0; i < brute->def.segment_count; i++)
		if (brute->segments[i].id == id)
			return &brute->segments[i];
	return NULL;
}

static void
body_note(struct brute_body *body)
{
	body->angle_max = brute_most(body->angle_max, fabsl(body->angle));
	body->reach_max = brute_most(body->reach_max, brute_most(fabsl(body->p.x), fabsl(body->p.y)));
	body->speed_max = brute_most(body->speed_max, brute_most(fabsl(body->v.x), fabsl(body->v.y)));
}

/* Moves the body's own time to t, and says that its path changes there. */
static void
body_advance(struct brute_body *body, real t)
{
	struct brute_motion now = brute_body_motion(body, t);

	if (t > body->t) {
		body->p = now.d;
		if (!body->still) {
			body->v = now.w;
			body->angle += body->spin * (t - body->t);
		}
		body->t = t;
		body->events++;
	}
	body->changed = true;
	body_note(body);
}

static bool
velocity_check(struct brute *brute, const struct brute_body *body, const double told[2], double spin, const char *what)
{
	struct brute_vec v = body->led ? body->own : body->v;
	real off = brute_most(fabsl(told[0] - v.x), fabsl(told[1] - v.y));

	if (!body->own_hidden && off > brute_velocity_rounding(brute, body)) {
		return brute_fail(brute, "circle %u: velocity %s is %.17g, %.17g, not %.17Lg, %.17Lg", body->def.id, what, told[0],
		                  told[1], v.x, v.y);
	}
	if (!body->spin_hidden && spin != body->spin)
		return brute_fail(brute, "circle %u: spin %s is %.17g, not %.17Lg", body->def.id, what, spin, body->spin);
	return true;
}

/* Distance of the centre from a segment, and the vector to it from the nearest point. */
static real
segment_distance(const struct segment_def *segment, struct brute_vec p, struct brute_vec *line)
{
	struct brute_vec a = { segment->x1, segment->y1 }, b = { segment->x2, segment->y2 }, edge = brute_sub(b, a);
	real share = brute_dot(brute_sub(p, a), edge) / brute_dot(edge, edge);

	share = brute_most(0, fminl(1, share));
	*line = (struct brute_vec){ p.x - a.x - share * edge.x, p.y - a.y - share * edge.y };
	return brute_length(*line);
}

/* A contact with an end point must not come from where another segment of that vertex is nearer: a ghost. */
static bool
ghost_check(struct brute *brute, const struct contact *contact, const struct brute_body *body, struct brute_vec p,
            real distance, real band)
{
	const struct segment_def *segment = brute_segment_find(brute, contact->b);

	for (size_t i = 0; i < brute->def.segment_count; i++) {
		const struct segment_def *other = &brute->segments[i];
		struct brute_vec line;

		if (other != segment && other->vx == segment->vx && other->vy == segment->vy && brute_body_meets(brute, body, other) &&
		    segment_distance(other, p, &line) < distance - 2 * band - (contact->flags ? 3e-9L * body->def.radius : 0)) {
			bool first = contact->feature == FEATURE_END_1;
			double x = first ? segment->x1 : segment->x2, y = first ? segment->y1 : segment->y2;

			/* Of two one-sided ones that meet with opposite sides, the other does not stop what this one stops. */
			bool sided = brute_one_sided(brute, body, segment);
			bool begins = other->x1 == x && other->y1 == y, ends = other->x2 == x && other->y2 == y;

			if (other->radius == segment->radius && brute_one_sided(brute, body, other) == sided &&
			    ((begins && !(sided && first)) || (ends && !(sided && !first)))) {
				return brute_fail(brute, "at %.17g circle %u hits the end of segment %u while segment %u is nearer",
				                  contact->time, contact->a, contact->b, other->id);
			}
		}
	}
	return true;
}

/* What the contact's geometry is, by this file's own reckoning. */
struct meeting {
	struct brute_body *a, *b; /* b is NULL for a segment */
	struct brute_vec line;    /* to a's centre */
	real distance, reach, skin, band;
};

static bool
meeting_make(struct brute *brute, const struct contact *contact, struct meeting *out)
{
	struct brute_vec p, q = { 0, 0 };

	*out = (struct meeting){ .a = brute_body_find(brute, contact->a) };
	if (contact->other == CONTACT_CIRCLE)
		out->b = brute_body_find(brute, contact->b);
	if (!out->a || (contact->other == CONTACT_CIRCLE ? !out->b : !brute_segment_find(brute, contact->b)))
		return brute_fail(brute, "a contact of %u and %u, which are not there", contact->a, contact->b);
	p = brute_body_motion(out->a, contact->time).d;
	out->reach = out->a->def.radius;
	out->band = brute_body_slop(brute, out->a);
	if (out->b) {
		q = brute_body_motion(out->b, contact->time).d;
		out->line = brute_sub(p, q);
		out->distance = brute_length(out->line);
		out->skin = fminl(out->a->def.radius, out->b->def.radius);
		out->reach += out->b->def.radius;
		out->band += brute_body_slop(brute, out->b);
	} else {
		const struct segment_def *segment = brute_segment_find(brute, contact->b);

		p = brute_sub(p, brute_segment_way(brute, segment, contact->time));
		out->distance = segment_distance(segment, p, &out->line);
		out->band += 16 * (real)DBL_EPSILON * brute_segment_reach(brute, segment);
		out->reach += brute_segment_find(brute, contact->b)->radius;
		out->skin = out->a->def.radius;
		out->band += 8 * (real)DBL_EPSILON * out->a->reach_max;
	}
	real reach = brute_most(out->a->reach_max, brute_most(fabsl(q.x), fabsl(q.y)));
	if (!out->b)
		reach = brute_most(reach, brute_segment_reach(brute, brute_segment_find(brute, contact->b)));
	out->skin = brute_skin(reach, out->skin);
	out->reach += out->skin;
	return out->b || contact->feature == FEATURE_FACE || ghost_check(brute, contact, out->a, p, out->distance, out->band);
}

/* The contact is where its pair touches, with its normal. Where a face and its end tie within the band, their normals differ by
 * the angle at which the distances tie. That is the root of twice the band over the radius. */
static bool
contact_check(struct brute *brute, const struct contact *contact)
{
	struct meeting meeting;

	if (!meeting_make(brute, contact, &meeting))
		return false;
	real gap = meeting.distance - meeting.reach;
	real room = contact->flags ? 2 * meeting.skin + meeting.band : meeting.band;
	if (gap > room) {
		return brute_fail(brute, "at %.17g circle %u does not touch %s %u: gap %.3Lg, %.3Lg is rounding, flags %u",
		                  contact->time, contact->a, meeting.b ? "circle" : "segment", contact->b, gap, room, contact->flags);
	}
	real off = hypotl(meeting.line.x - meeting.distance * contact->normal[0],
	                  meeting.line.y - meeting.distance * contact->normal[1]);
	if (meeting.distance > meeting.skin &&
	    off > (meeting.b ? 8 * meeting.band : sqrtl(8 * meeting.band * meeting.reach) + room)) {
		return brute_fail(brute, "at %.17g circle %u and %s %u: the normal is off by %.3Lg", contact->time, contact->a,
		                  meeting.b ? "circle" : "segment", contact->b, off);
	}
	return true;
}

/* Contacts of one cluster share the velocities before and after; a later cluster at the same time goes on from there. */
static bool
contact_apply_to(struct brute *brute, struct brute_body *body, const struct contact *contact, const struct contact *previous,
                 bool was_a)
{
	bool is_a = contact->a == body->def.id;
	const double *before = is_a ? contact->a_before : contact->b_before, *after = is_a ? contact->a_after : contact->b_after;
	double spin_before = is_a ? contact->a_spin_before : contact->b_spin_before;
	const double *last_before = NULL, *last_after = NULL;

	if (previous) {
		last_before = was_a ? previous->a_before : previous->b_before;
		last_after = was_a ? previous->a_after : previous->b_after;
	}
	if (previous && last_before[0] == before[0] && last_before[1] == before[1] && last_after[0] == after[0] &&
	    last_after[1] == after[1])
		return true;
	brute_stop_follow(brute, body, contact->time, before, after);
	if (!brute_led_just_then(brute, body, contact->time) &&
	    !velocity_check(brute, body, before, spin_before, "before a contact"))
		return false;
	body->v = body->own = (struct brute_vec){ after[0], after[1] };
	body->spin = is_a ? contact->a_spin_after : contact->b_spin_after;
	body->own_hidden = body->spin_hidden = false;
	body->told = contact->time;
	body->events += !previous;
	body_note(body);
	return true;
}

/* The latest contact of the body among the first `count`, and whether the body is its a. */
static const struct contact *
contact_before(const struct contact *contacts, size_t count, uint32_t id, bool *is_a)
{
	for (size_t i = count; i-- > 0;) {
		*is_a = contacts[i].a == id;
		if (*is_a || (contacts[i].other == CONTACT_CIRCLE && contacts[i].b == id))
			return &contacts[i];
	}
	return NULL;
}

static bool
contacts_apply(struct brute *brute, const struct contact *contacts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct contact *contact = &contacts[i];
		struct brute_body *a = brute_body_find(brute, contact->a);
		struct brute_body *b = contact->other == CONTACT_CIRCLE ? brute_body_find(brute, contact->b) : NULL;
		bool a_was_a = false, b_was_a = false;
		const struct contact *of_a = contact_before(contacts, i, contact->a, &a_was_a);
		const struct contact *of_b = b ? contact_before(contacts, i, contact->b, &b_was_a) : NULL;

		if (!contact_apply_to(brute, a, contact, of_a, a_was_a) || (b && !contact_apply_to(brute, b, contact, of_b, b_was_a)))
			return false;
	}
	return true;
}

static void
contacts_count(struct brute *brute, const struct contact *contacts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		brute->counts->secondary += (contacts[i].flags & CONTACT_SECONDARY) != 0;
		brute->counts->resting += (contacts[i].flags & CONTACT_RESTING) != 0;
		brute->counts->contacts += contacts[i].flags == 0;
	}
}

/* All contacts at one time. */
static bool
contacts_follow(struct brute *brute, const struct contact *contacts, size_t count)
{
	uint64_t stopped = brute->counts->stops;

	for (size_t i = 0; i < count; i++) {
		if (!contact_check(brute, &contacts[i]))
			return false;
		body_advance(brute_body_find(brute, contacts[i].a), contacts[i].time);
		if (contacts[i].other == CONTACT_CIRCLE)
			body_advance(brute_body_find(brute, contacts[i].b), contacts[i].time);
	}
	contacts_count(brute, contacts, count);
	brute_contacts_part(brute, contacts, count);
	/* Of several clusters at one time, of which one stopped what the next one met, the response is not judged. */
	return contacts_apply(brute, contacts, count) &&
	       (brute->counts->stops > stopped || brute_response_check(brute, contacts, count));
}

static bool
change_follow(struct brute *brute, const struct path_change *change)
{
	struct brute_body *body = brute_body_find(brute, change->body);
	real least;

	if (!body)
		return brute_fail(brute, "a path change of %u, which is not there", change->body);
	body_advance(body, change->time);
	brute->counts->changes++;
	switch (change->kind) {
	case PATH_PUSHED:
		body->p = (struct brute_vec){ body->p.x + change->vector[0], body->p.y + change->vector[1] };
		body->events++;
		break;
	case PATH_SUPPORTED:
		body->a = (struct brute_vec){ change->vector[0], change->vector[1] };
		body->supported = true;
		if (brute_body_hold(brute, body, change->time, &least) == 0) {
			return brute_fail(brute, "at %.17g circle %u is supported by what is %.3Lg away", change->time, body->def.id,
			                  least);
		}
		break;
	case PATH_KICKED:
		/* tick_begin has kicked it, if it is to be. */
		if (change->time != 0 || !velocity_check(brute, body, change->vector, (double)body->spin, "after its kick"))
			return false;
		body->v = body->own = (struct brute_vec){ change->vector[0], change->vector[1] };
		break;
	case PATH_FREE:
		body->a = brute_gravity(brute, body);
		body->supported = false;
		brute_body_release(brute, body);
		break;
	case PATH_PARKED:
	case PATH_CRUSHED:
		brute->counts->still += !body->still;
		body->still = true;
		break;
	case PATH_STOPPED:
		if (!body->stopped)
			brute_body_stop(brute, body, change->time);
		/* What was told before it at this time is void. */
		body->a = (struct brute_vec){ 0, 0 };
		body->supported = false;
		brute_body_release(brute, body);
		break;
	case PATH_LED:
	case PATH_RELEASED:
		/* It went on, and stopped again at this time. */
		if (body->stopped && body->stopped_at == change->time && brute_stop_follows(brute, change))
			break;
		if (body->stopped && change->kind == PATH_RELEASED) {
			brute_body_go_on(brute, body);
			return velocity_check(brute, body, change->vector, (double)body->spin, "when it goes on");
		}
		brute_led_follow(brute, body, change);
		break;
	default: return brute_fail(brute, "a path change of kind %u", change->kind);
	}
	body_note(body);
	return true;
}

static bool
end_follow(struct brute *brute, const struct body_end *end)
{
	struct brute_body *body = brute_body_find(brute, end->body);

	if (!body || body->gone)
		return brute_fail(brute, "the end of %u, which is not there", end->body);
	if (end->reason == END_LIFETIME && end->time != body->ends_at)
		return brute_fail(brute, "circle %u ends at %.17g, not %.17g", end->body, end->time, body->ends_at);
	body_advance(body, end->time);
	if (body->stopped)
		brute_body_go_on(brute, body);
	real off = hypotl(end->position[0] - body->p.x, end->position[1] - body->p.y);
	if (off > brute_body_slop(brute, body))
		return brute_fail(brute, "circle %u ends %.3Lg away from its path", end->body, off);
	brute->counts->ends++;
	body->gone = body->still = true;
	body->gone_at = end->time;
	return velocity_check(brute, body, end->velocity, (double)body->spin, "at its end");
}

/* Damping over the tick, then the greatest speed. */
static void
body_damp(const struct brute *brute, struct brute_body *body)
{
	real part = 1 / (1 + brute->dt * (real)body->def.linear_damping), speed = part * brute_length(body->v);

	if (brute->def.speed_max > 0 && speed > brute->def.speed_max)
		part *= brute->def.speed_max / speed;
	body->v.x *= part;
	body->v.y *= part;
	/* Spins are compared to the bit. */
	body->spin = (double)body->spin * (1.0 / (1.0 + brute->dt * body->def.angular_damping));
}

static void
tick_begin(struct brute *brute)
{
	for (size_t i = 0; i < brute->def.circle_count; i++) {
		struct brute_body *body = &brute->bodies[i];

		body->t = body->reach_max = body->speed_max = body->angle_max = 0;
		body->events = 0;
		body->still = body->gone;
		body->gone_at = 0;
		body->supported = body->led = false;
		brute_life_spend(brute, body);
		body->own_hidden = body->spin_hidden = body->angle_hidden = false;
		body->told = -1;
		body->changed = true;
		body->a = (struct brute_vec){ 0, 0 };
		if (body->def.kind == BODY_DYNAMIC) {
			body->a = brute_gravity(brute, body);
			body_damp(brute, body);
		}
		body_note(body);
	}
	for (size_t i = 0; i < brute->pair_count; i++)
		brute->pairs[i].held = false;
}

/* The engine rounds the angle once per own event, and so does this. */
static bool
angle_check(struct brute *brute, const struct brute_body *body, double told)
{
	real size = body->angle_max + fabsl(body->angle) + brute->dt * fabsl(body->spin);

	return body->angle_hidden || fabsl(told - body->angle) <= (real)DBL_EPSILON * (8 + 2 * (real)body->events) * size ||
	       brute_fail(brute, "circle %u: the angle at the tick's end is %.17g, not %.17Lg", body->def.id, told, body->angle);
}

/* The states at the tick's end are those of the paths, and the next tick starts from the engine's. */
static bool
tick_end(struct brute *brute, const struct world *world)
{
	for (size_t i = 0; i < brute->def.circle_count; i++) {
		struct brute_body *body = &brute->bodies[i];
		size_t index;

		if (world_body_find(world, body->def.id, &index) == body->gone)
			return brute_fail(brute, "circle %u is %s", body->def.id, body->gone ? "still there" : "not there any more");
		if (body->gone)
			continue;
		if (body->ends_at <= brute->dt)
			return brute_fail(brute, "circle %u has outlived its time", body->def.id);

		struct body_state state = world_body(world, index);
		const double velocity[2] = { state.vx, state.vy };
		real off;

		if (body->supported && !body->still && !brute_body_is_held(brute, body, brute->dt, &off) &&
		    off > SUPPORT_LEAVES_RADII * body->def.radius) {
			return brute_fail(brute, "circle %u is still supported at the tick's end, by what is %.3Lg of its radius too far",
			                  body->def.id, off / body->def.radius);
		}
		body_advance(body, brute->dt);
		if (body->stopped)
			brute_body_go_on(brute, body);
		off = hypotl(state.x - body->p.x, state.y - body->p.y);
		if (off > brute_body_slop(brute, body))
			return brute_fail(brute, "circle %u ends %.3Lg away from its path", body->def.id, off);
		if (!velocity_check(brute, body, velocity, state.angular_velocity, "at the tick's end") ||
		    !angle_check(brute, body, state.angle))
			return false;
		body->p = (struct brute_vec){ state.x, state.y };
		body->v = (struct brute_vec){ state.vx, state.vy };
		body->angle = state.angle;
		body->spin = state.angular_velocity;
	}
	for (size_t i = 0; i < brute->pair_count; i++) {
		struct brute_pair *pair = &brute->pairs[i];

		if (pair->parting)
			pair->parting = brute_length(brute_sub(brute->bodies[pair->body].p, brute->bodies[pair->other].p)) <=
			                pair->feature.reach + pair->skin;
	}
	brute->clock += brute->dt;
	return true;
}

static bool
time_check(struct brute *brute, double last, double time)
{
	return (time >= last && time <= brute->dt) || brute_fail(brute, "time %.17g after %.17g", time, last);
}

bool
brute_tick(struct brute *brute, const struct world *world, double dt, const struct tick_report *report,
           struct brute_counts *counts, char *why, size_t why_bytes)
{
	size_t c = 0, k = 0, e = 0;
	double time = 0;
	size_t ties;

	brute->report = report;
	brute->dt = dt;
	brute->counts = counts;
	brute->why = why;
	brute->why_bytes = why_bytes;
	brute_fastest_find(brute, report);
	if (!brute_meetings_keep(brute, report))
		return brute_fail(brute, "no memory");
	tick_begin(brute);
	while (k < report->path_change_count &&
	       (report->path_changes[k].kind == PATH_PUSHED || report->path_changes[k].kind == PATH_KICKED))
		if (!change_follow(brute, &report->path_changes[k++]))
			return false;
	brute_pairs_predict(brute, 0);
	while (c < report->contact_count || k < report->path_change_count || e < report->end_count) {
		double next = c < report->contact_count ? report->contacts[c].time : (double)HUGE_VAL;
		size_t first = c;

		if (e < report->end_count && report->ends[e].time < next)
			next = report->ends[e].time;

		if (k < report->path_change_count && report->path_changes[k].time < next)
			next = report->path_changes[k].time;
		while (c < report->contact_count && report->contacts[c].time == next)
			c++;
		if (!time_check(brute, time, next) || !brute_pairs_check(brute, next, report->contacts + first, c - first, &ties))
			return false;
		counts->ties += ties;
		time = next;
		if (c > first && !contacts_follow(brute, report->contacts + first, c - first))
			return false;
		if (!brute_rules_check(brute, time, report->contacts + first, c - first))
			return false;
		while (k < report->path_change_count && report->path_changes[k].time == time)
			if (!change_follow(brute, &report->path_changes[k++]))
				return false;
		while (e < report->end_count && report->ends[e].time == time)
			if (!end_follow(brute, &report->ends[e++]))
				return false;
		brute_pairs_predict(brute, time);
	}
	return brute_pairs_check(brute, dt, NULL, 0, &ties) && tick_end(brute, world);
}
