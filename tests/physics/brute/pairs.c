#include "physics/brute/state.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

bool
brute_body_fixed(const struct brute_body *body)
{
	return body->def.kind != BODY_DYNAMIC || body->stopped;
}

struct brute_filter
brute_filter_of_circle(const struct circle_def *circle)
{
	return (struct brute_filter){ circle->category, circle->mask, circle->filter_group, circle->group };
}

struct brute_filter
brute_filter_of_segment(const struct segment_def *segment)
{
	return (struct brute_filter){ segment->category, segment->mask, segment->filter_group, segment->group };
}

const struct relation_def *
brute_relation(const struct brute *brute, uint32_t a, uint32_t b)
{
	for (size_t i = 0; i < brute->def.relation_count; i++) {
		const struct relation_def *relation = &brute->def.relations[i];

		if ((relation->group_a == a && relation->group_b == b) || (relation->group_a == b && relation->group_b == a))
			return relation;
	}
	return NULL;
}

bool
brute_filters_meet(const struct brute *brute, struct brute_filter a, struct brute_filter b)
{
	const struct relation_def *relation = brute_relation(brute, a.group, b.group);

	if (relation && (relation->kind == RELATION_KIND_NONE || relation->kind == RELATION_KIND_SENSOR))
		return false;
	if (a.filter_group == b.filter_group && a.filter_group != 0)
		return a.filter_group > 0;
	return (a.mask & b.category) != 0 && (b.mask & a.category) != 0;
}

real
brute_skin(real reach, real radius_min)
{
	return brute_most(0x1p-46L * reach, 1e-9L * radius_min);
}

struct brute_motion
brute_body_motion(const struct brute_body *body, real t)
{
	struct brute_motion whole = { body->p, body->v, body->a }, out;
	real s = t - body->t;

	if (body->still)
		return (struct brute_motion){ body->p, { 0, 0 }, { 0, 0 } };
	out.d = brute_at(&whole, s);
	out.w = (struct brute_vec){ body->v.x + s * body->a.x, body->v.y + s * body->a.y };
	out.q = body->a;
	return out;
}

struct brute_motion
brute_pair_motion(const struct brute *brute, const struct brute_pair *pair, real t)
{
	struct brute_motion a = brute_body_motion(&brute->bodies[pair->body], t), b;

	if (pair->other < 0) {
		const struct segment_def *segment = &brute->segments[pair->segment];

		b = (struct brute_motion){ brute_segment_way(brute, segment, t), { segment->vx, segment->vy }, { 0, 0 } };
	} else {
		b = brute_body_motion(&brute->bodies[pair->other], t);
	}
	return (struct brute_motion){ brute_sub(a.d, b.d), brute_sub(a.w, b.w), brute_sub(a.q, b.q) };
}

/* The engine rounds a body's position once per own event and its evaluation a few times more, at the size of the coordinates.
 * It rounds times as well, at that of the tick, while the body moves. What it may take of a velocity without a word moves the
 * body for no more than a tick. */
real
brute_body_slop(const struct brute *brute, const struct brute_body *body)
{
	real acceleration = brute_gravity_most(brute), dt = brute->dt;

	return (real)DBL_EPSILON * (8 + 2 * (real)body->events) * (body->reach_max + dt * (body->speed_max + dt * acceleration)) +
	       dt * brute_velocity_rounding(brute, body);
}

static real
vec_reach(struct brute_vec v)
{
	return brute_most(fabsl(v.x), fabsl(v.y));
}

static real
segment_reach(const struct segment_def *segment)
{
	return fmax(fmax(fabs(segment->x1), fabs(segment->y1)), fmax(fabs(segment->x2), fabs(segment->y2)));
}

struct brute_vec
brute_segment_way(const struct brute *brute, const struct segment_def *segment, real t)
{
	return (struct brute_vec){ (brute->clock + t) * segment->vx, (brute->clock + t) * segment->vy };
}

/* Seen from a wall that moves a circle has larger coordinates than it has. */
real
brute_segment_reach(const struct brute *brute, const struct segment_def *segment)
{
	return segment_reach(segment) + vec_reach(brute_segment_way(brute, segment, brute->dt));
}

real
brute_pair_band(const struct brute *brute, const struct brute_pair *pair)
{
	const struct brute_body *body = &brute->bodies[pair->body];

	if (pair->other >= 0)
		return brute_body_slop(brute, body) + brute_body_slop(brute, &brute->bodies[pair->other]);
	return brute_body_slop(brute, body) + 16 * (real)DBL_EPSILON * brute_segment_reach(brute, &brute->segments[pair->segment]);
}

/* Contact is made at the radii and the skin, as physics.h says; a segment has no radius, so the circle's is the smaller. */
static void
pair_reach(const struct brute *brute, struct brute_pair *pair, real t)
{
	const struct brute_body *a = &brute->bodies[pair->body];
	real reach = vec_reach(brute_body_motion(a, t).d), radius = a->def.radius;

	if (pair->other >= 0) {
		const struct brute_body *b = &brute->bodies[pair->other];

		reach = brute_most(reach, vec_reach(brute_body_motion(b, t).d));
		pair->skin = brute_skin(reach, fminl(radius, b->def.radius));
		pair->feature.reach = radius + (real)b->def.radius + pair->skin;
	} else {
		reach = brute_most(reach, brute_segment_reach(brute, &brute->segments[pair->segment]));
		pair->skin = brute_skin(reach, radius);
		/* The distance is known, and the engine decides, to within rounding of the size of the coordinates: not of the skin. */
		pair->feature.reach = radius + (real)brute->segments[pair->segment].radius + pair->skin;
		pair->feature.within = 2 * pair->skin;
	}
}

static void
pair_predict(struct brute *brute, struct brute_pair *pair, real t)
{
	pair->since = t;
	pair->due = HUGE_VALL;
	pair->allowed = 0;
	pair_reach(brute, pair, t);
	if (brute->bodies[pair->body].still || (pair->other >= 0 && brute->bodies[pair->other].still))
		return;
	struct brute_motion motion = brute_pair_motion(brute, pair, t);
	real s = brute_first_contact(&pair->feature, &motion, brute->dt - t);
	brute->counts->pairs++;
	if (pair->parting)
		s = brute_parted_contact(pair, &motion, brute->dt - t);
	if (s >= 0) {
		pair->due = t + s;
		/* A face may be in the circle already when the centre comes over it, past an end that it overlaps. */
		pair->allowed = brute_most(0, -brute_gap(&pair->feature, brute_at(&motion, s)));
	}
}

void
brute_pairs_predict(struct brute *brute, real t)
{
	for (size_t i = 0; i < brute->pair_count; i++) {
		struct brute_pair *pair = &brute->pairs[i];

		if (brute->bodies[pair->body].changed || (pair->other >= 0 && brute->bodies[pair->other].changed))
			pair_predict(brute, pair, t);
	}
	for (size_t i = 0; i < brute->def.circle_count; i++)
		brute->bodies[i].changed = false;
}

static bool
pair_is_among(const struct brute *brute, const struct brute_pair *pair, const struct contact *contacts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		bool of_segment = contacts[i].other == CONTACT_SEGMENT;

		if (contacts[i].a == brute->bodies[pair->body].def.id && of_segment == (pair->other < 0) &&
		    (of_segment || contacts[i].b == brute->bodies[pair->other].def.id))
			return true;
	}
	return false;
}

bool
brute_pairs_check(struct brute *brute, real t, const struct contact *contacts, size_t count, size_t *ties)
{
	*ties = 0;
	for (size_t i = 0; i < brute->pair_count; i++) {
		const struct brute_pair *pair = &brute->pairs[i];

		if (pair->due >= t)
			continue;
		*ties += !pair->held && !pair_is_among(brute, pair, contacts, count);
		struct brute_motion motion = brute_pair_motion(brute, pair, pair->due);
		real depth = -brute_least_gap(&pair->feature, &motion, 0, t - pair->due) - pair->allowed;
		real band = pair->held ? pair->skin : brute_pair_band(brute, pair);
		if (depth > band) {
			return brute_fail(brute, "nothing at %.17Lg, where circle %u meets %s %u: %.3Lg deep by %.17Lg, %.3Lg is rounding",
			                  pair->due, brute->bodies[pair->body].def.id, pair->other >= 0 ? "circle" : "segment",
			                  pair->other >= 0 ? brute->bodies[pair->other].def.id : brute->segments[pair->segment].id, depth,
			                  t, band);
		}
	}
	return true;
}

static bool
pair_has(const struct brute *brute, const struct brute_pair *pair, const struct brute_body *body)
{
	long index = body - brute->bodies;

	return (long)pair->body == index || pair->other == index;
}

/* What ends with the tick holds others up to there. */
static bool
body_is_away(const struct brute *brute, const struct brute_body *body)
{
	return body->gone && body->gone_at < brute->dt;
}

/* On its way from a face to its end a circle is on the edge of the vertex's cone; so the cone does not count here. */
static real
pair_gap(const struct brute *brute, const struct brute_pair *pair, real t)
{
	struct brute_motion motion = brute_pair_motion(brute, pair, t);

	if (brute_is_passed(&pair->feature, motion.d) || pair->parting || body_is_away(brute, &brute->bodies[pair->body]) ||
	    (pair->other >= 0 && body_is_away(brute, &brute->bodies[pair->other])))
		return HUGE_VALL;
	return pair->feature.kind == BRUTE_POINT ? brute_gap(&pair->feature, motion.d)
	                                         : brute_least_gap(&pair->feature, &motion, 0, 0);
}

size_t
brute_body_hold(struct brute *brute, const struct brute_body *body, real t, real *least)
{
	size_t count = 0;

	*least = HUGE_VALL;

	for (size_t i = 0; i < brute->pair_count; i++) {
		struct brute_pair *pair = &brute->pairs[i];

		if (pair_has(brute, pair, body)) {
			real gap = pair_gap(brute, pair, t);

			pair->held_at = brute_pair_motion(brute, pair, t).d;
			pair->held = gap <= 2 * pair->skin + brute_pair_band(brute, pair);
			count += pair->held;
			*least = fminl(*least, gap);
		}
	}
	return count;
}

size_t
brute_body_touches(const struct brute *brute, const struct brute_body *body, real t)
{
	size_t count = 0, segment = SIZE_MAX;

	for (size_t i = 0; i < brute->pair_count; i++) {
		const struct brute_pair *pair = &brute->pairs[i];

		/* A segment's face and ends follow each other among the pairs of one body. */
		if (pair_has(brute, pair, body) && !(pair->other < 0 && pair->segment == segment) &&
		    pair_gap(brute, pair, t) <= 2 * pair->skin + brute_pair_band(brute, pair)) {
			count++;
			segment = pair->other < 0 ? pair->segment : SIZE_MAX;
		}
	}
	return count;
}

/* The engine holds a circle on a round thing along the tangent for a part of the tick. The tangent of length s leaves a circle
 * of radius R by sqrt(R^2 + s^2) - R, which is less than s^2 / 2 R. So does one that slides from a face over its end. */
bool
brute_body_is_held(const struct brute *brute, const struct brute_body *body, real t, real *off)
{
	*off = HUGE_VALL;
	for (size_t i = 0; i < brute->pair_count; i++) {
		const struct brute_pair *pair = &brute->pairs[i];

		if (pair_has(brute, pair, body)) {
			real way = brute_length(brute_sub(brute_pair_motion(brute, pair, t).d, pair->held_at));
			real leave = pair->feature.kind == BRUTE_POINT ? way * way / (2 * pair->feature.reach) : 0;
			real gap = pair_gap(brute, pair, t);

			*off = fminl(*off, gap - leave - 2 * pair->skin - brute_pair_band(brute, pair));
		}
	}
	return *off <= 0;
}

/* What still holds the other side keeps its pair. */
void
brute_body_release(struct brute *brute, const struct brute_body *body)
{
	for (size_t i = 0; i < brute->pair_count; i++) {
		struct brute_pair *pair = &brute->pairs[i];

		if (pair_has(brute, pair, body)) {
			const struct brute_body *other = &brute->bodies[pair->body];

			if (other == body && pair->other >= 0)
				other = &brute->bodies[pair->other];
			pair->held = pair->held && other != body && other->supported;
		}
	}
}

static bool
vertex_same(const struct segment_def *a, int end_a, const struct segment_def *b, int end_b)
{
	if (a->vx != b->vx || a->vy != b->vy)
		return false;
	return (end_a ? a->x2 : a->x1) == (end_b ? b->x2 : b->x1) && (end_a ? a->y2 : a->y1) == (end_b ? b->y2 : b->y1);
}

static struct brute_vec
segment_end(const struct segment_def *segment, int end)
{
	return end ? (struct brute_vec){ segment->x2, segment->y2 } : (struct brute_vec){ segment->x1, segment->y1 };
}

static struct brute_vec
segment_along(const struct segment_def *segment, int from)
{
	struct brute_vec edge = brute_sub(segment_end(segment, !from), segment_end(segment, from));
	real length = brute_length(edge);

	return (struct brute_vec){ edge.x / length, edge.y / length };
}

static struct brute_vec
segment_left(const struct segment_def *segment)
{
	struct brute_vec along = segment_along(segment, 0);

	return (struct brute_vec){ -along.y, along.x };
}

bool
brute_one_sided(const struct brute *brute, const struct brute_body *body, const struct segment_def *segment)
{
	const struct relation_def *relation = brute_relation(brute, body->def.group, segment->group);

	return segment->one_sided || (relation && relation->kind == RELATION_KIND_ONE_SIDED);
}

/* Whether the segment's end lies on another one that the circle meets, up to 16 ulp, and is no thicker: it cannot be touched.
 */
static bool
end_is_covered(const struct brute *brute, const struct brute_body *body, const struct segment_def *segment, int end)
{
	struct brute_vec point = segment_end(segment, end);

	for (size_t i = 0; i < brute->def.segment_count; i++) {
		const struct segment_def *other = &brute->segments[i];
		struct brute_vec along = segment_along(other, 0), from = brute_sub(point, segment_end(other, 0));
		real s = brute_dot(from, along), across = fabsl(along.x * from.y - along.y * from.x);
		real length = brute_length(brute_sub(segment_end(other, 1), segment_end(other, 0)));
		real rounding = 0x1p-48L * brute_most(segment_reach(other), vec_reach(point));

		if (other != segment && other->vx == segment->vx && other->vy == segment->vy && brute_body_meets(brute, body, other) &&
		    s > 0 && s < length && !vertex_same(segment, end, other, 0) && !vertex_same(segment, end, other, 1) &&
		    other->radius >= segment->radius && across <= (real)other->radius - (real)segment->radius + rounding)
			return true;
	}
	return false;
}

/* A vertex with all segments that leave it, have its radius, and that the circle meets; false if an earlier one of them has
 * made it already. One-sided ones have a vertex each: it matters to which wall the half of the cap belongs. */
static bool
vertex_make(const struct brute *brute, const struct brute_body *body, size_t index, int end, struct brute_feature *feature)
{
	const struct segment_def *segment = &brute->segments[index];

	*feature = (struct brute_feature){ .kind = BRUTE_POINT,
		                               .point = segment_end(segment, end),
		                               .one_sided = brute_one_sided(brute, body, segment),
		                               .left = segment_left(segment) };
	if (end_is_covered(brute, body, segment, end))
		return false;
	for (size_t i = 0; i < brute->def.segment_count; i++) {
		const struct segment_def *other = &brute->segments[i];

		for (int e = 0; e < 2; e++) {
			if (!brute_body_meets(brute, body, other) || !vertex_same(segment, end, other, e) ||
			    other->radius != segment->radius)
				continue;
			if (i < index && !feature->one_sided)
				return false;
			if (feature->along_count < BRUTE_CONE_MAX)
				feature->along[feature->along_count++] = segment_along(other, e);
		}
	}
	return true;
}

static void
body_pairs(struct brute *brute, size_t index)
{
	const struct brute_body *body = &brute->bodies[index];

	for (size_t k = index + 1; k < brute->def.circle_count; k++) {
		const struct brute_body *other = &brute->bodies[k];

		if (brute_bodies_meet(brute, body, other) && !(brute_body_fixed(body) && brute_body_fixed(other))) {
			brute->pairs[brute->pair_count++] = (struct brute_pair){
				.body = index, .other = (long)k, .parting = brute_bodies_part(body, other), .feature = { .kind = BRUTE_POINT }
			};
		}
	}
	for (size_t i = 0; i < brute->def.segment_count && !brute_body_fixed(body); i++) {
		const struct segment_def *segment = &brute->segments[i];
		struct brute_feature feature = { .kind = BRUTE_FACE,
			                             .point = segment_end(segment, 0),
			                             .along_count = 1,
			                             .one_sided = brute_one_sided(brute, body, segment),
			                             .left = segment_left(segment) };

		if (!brute_body_meets(brute, body, segment))
			continue;
		feature.along[0] = segment_along(segment, 0);
		feature.length = brute_length(brute_sub(segment_end(segment, 1), segment_end(segment, 0)));
		brute->pairs[brute->pair_count++] = (struct brute_pair){ .body = index, .other = -1, .segment = i, .feature = feature };
		for (int end = 0; end < 2; end++) {
			if (vertex_make(brute, body, i, end, &feature)) {
				brute->pairs[brute->pair_count++] = (struct brute_pair){
					.body = index, .other = -1, .segment = i, .feature = feature
				};
			}
		}
	}
}

bool
brute_pairs_create(struct brute *brute)
{
	size_t circles = brute->def.circle_count, most = circles * circles / 2 + 3 * circles * brute->def.segment_count + 1;

	brute->pairs = calloc(most, sizeof *brute->pairs);
	if (!brute->pairs)
		return false;
	for (size_t i = 0; i < circles; i++)
		body_pairs(brute, i);
	return true;
}
