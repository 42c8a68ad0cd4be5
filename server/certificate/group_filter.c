/* Which shapes meet, by groups and relations; the certificate's own reading of them. */
#include "certificate/shapes.h"

#include <stdlib.h>

bool
cert_relations_init(struct cert_shapes *shapes, const struct certificate_scene *scene)
{
	shapes->relation_count = scene->relation_count;
	shapes->relations = calloc(scene->relation_count + 1, sizeof *shapes->relations);
	for (size_t i = 0; shapes->relations && i < scene->relation_count; i++) {
		const struct certificate_relation *relation = &scene->relations[i];

		shapes->relations[i] = *relation;
		shapes->related[relation->group_a][relation->group_b] = (uint16_t)(i + 1);
		shapes->related[relation->group_b][relation->group_a] = (uint16_t)(i + 1);
	}
	return shapes->relations != NULL;
}

const struct certificate_relation *
cert_relation(const struct cert_shapes *shapes, uint32_t group, uint32_t other)
{
	uint16_t place = shapes->related[group][other];

	return place ? &shapes->relations[place - 1] : NULL;
}

/* What decides, of either kind of shape. */
struct group_filter {
	uint32_t category, mask;
	int32_t filter_group;
};

static bool
filters_meet(const struct group_filter *a, const struct group_filter *b)
{
	if (a->filter_group != 0 && a->filter_group == b->filter_group)
		return a->filter_group > 0;
	return (a->mask & b->category) && (b->mask & a->category);
}

static struct group_filter
body_filter(const struct cert_body *body)
{
	return (struct group_filter){ body->category, body->mask, body->filter_group };
}

static struct group_filter
wall_filter(const struct cert_wall *wall)
{
	return (struct group_filter){ wall->category, wall->mask, wall->filter_group };
}

static bool
groups_are(const struct cert_shapes *shapes, uint32_t group, uint32_t other, enum certificate_relation_kind kind)
{
	const struct certificate_relation *relation = cert_relation(shapes, group, other);

	return relation && relation->kind == kind;
}

static bool
groups_collide(const struct cert_shapes *shapes, uint32_t group, uint32_t other)
{
	return !groups_are(shapes, group, other, CERTIFICATE_RELATION_NONE) &&
	       !groups_are(shapes, group, other, CERTIFICATE_RELATION_SENSOR);
}

static bool
reports(const struct cert_body *body, uint32_t group)
{
	return (body->report_groups >> group & 1) != 0;
}

/* The stronger of what the two say. */
static enum certificate_ignore
ignores(const struct cert_body *a, const struct cert_body *b)
{
	enum certificate_ignore by_a = a->ignored == b->id ? a->ignore : CERTIFICATE_IGNORE_NONE;
	enum certificate_ignore by_b = b->ignored == a->id ? b->ignore : CERTIFICATE_IGNORE_NONE;

	if (by_a == CERTIFICATE_IGNORE_ALWAYS || by_b == CERTIFICATE_IGNORE_ALWAYS)
		return CERTIFICATE_IGNORE_ALWAYS;
	return by_a != CERTIFICATE_IGNORE_NONE ? by_a : by_b;
}

bool
cert_bodies_meet(const struct cert_shapes *shapes, const struct cert_body *a, const struct cert_body *b)
{
	return ignores(a, b) == CERTIFICATE_IGNORE_NONE && cert_bodies_may_meet(shapes, a, b);
}

bool
cert_bodies_may_meet(const struct cert_shapes *shapes, const struct cert_body *a, const struct cert_body *b)
{
	struct group_filter one = body_filter(a), two = body_filter(b);

	return !a->gone && !b->gone && !reports(a, b->group) && !reports(b, a->group) &&
	       ignores(a, b) != CERTIFICATE_IGNORE_ALWAYS && filters_meet(&one, &two) && !a->sensor && !b->sensor &&
	       (a->kind == CERTIFICATE_DYNAMIC || b->kind == CERTIFICATE_DYNAMIC) && groups_collide(shapes, a->group, b->group);
}

bool
cert_body_meets_wall(const struct cert_shapes *shapes, const struct cert_body *body, const struct cert_wall *wall)
{
	struct group_filter one = body_filter(body), two = wall_filter(wall);

	return !body->gone && !wall->disabled && !reports(body, wall->group) && filters_meet(&one, &two) && !body->sensor &&
	       !wall->sensor && body->kind == CERTIFICATE_DYNAMIC && groups_collide(shapes, body->group, wall->group);
}

bool
cert_wall_one_sided(const struct cert_shapes *shapes, const struct cert_body *body, const struct cert_wall *wall)
{
	return wall->one_sided || groups_are(shapes, body->group, wall->group, CERTIFICATE_RELATION_ONE_SIDED);
}

bool
cert_group_senses(const struct cert_shapes *shapes, uint32_t group)
{
	for (uint32_t other = 0; other < CERTIFICATE_GROUPS; other++)
		if (groups_are(shapes, group, other, CERTIFICATE_RELATION_SENSOR))
			return true;
	return (shapes->reported >> group & 1) != 0;
}

bool
cert_body_sees(const struct cert_shapes *shapes, const struct cert_body *b, const struct cert_body *a)
{
	struct group_filter one = body_filter(a), two = body_filter(b);

	bool by_a = reports(a, b->group), by_b = reports(b, a->group);

	if (a->gone || b->gone || ignores(a, b) != CERTIFICATE_IGNORE_NONE || !filters_meet(&one, &two) ||
	    a->kind == CERTIFICATE_STATIC || a->sensor || groups_are(shapes, a->group, b->group, CERTIFICATE_RELATION_NONE))
		return false;
	if (b->sensor)
		return true;
	if (!by_a && !by_b && !groups_are(shapes, a->group, b->group, CERTIFICATE_RELATION_SENSOR))
		return false;
	if (b->kind == CERTIFICATE_STATIC)
		return true;
	if (by_a || by_b)
		return by_a == by_b ? b->id > a->id : by_b;
	return a->group == b->group ? b->id > a->id : cert_relation(shapes, a->group, b->group)->group_b == b->group;
}

bool
cert_wall_sees(const struct cert_shapes *shapes, const struct cert_wall *wall, const struct cert_body *a)
{
	struct group_filter one = body_filter(a), two = wall_filter(wall);

	return !a->gone && !wall->disabled && filters_meet(&one, &two) && a->kind != CERTIFICATE_STATIC && !a->sensor &&
	       !groups_are(shapes, a->group, wall->group, CERTIFICATE_RELATION_NONE) &&
	       (wall->sensor || reports(a, wall->group) || groups_are(shapes, a->group, wall->group, CERTIFICATE_RELATION_SENSOR));
}

bool
cert_weighted(const struct cert_shapes *shapes, const struct cert_body *a, const struct cert_body *b)
{
	const struct certificate_relation *relation = cert_relation(shapes, a->group, b->group);

	if (!relation || a->kind != CERTIFICATE_DYNAMIC || b->kind != CERTIFICATE_DYNAMIC)
		return false;
	if (relation->kind == CERTIFICATE_RELATION_ONE_SIDED)
		return a->group != b->group;
	return relation->has_weight_a || relation->has_weight_b;
}

double
cert_yield(const struct cert_shapes *shapes, const struct cert_body *body, const struct cert_body *other)
{
	const struct certificate_relation *relation = cert_relation(shapes, body->group, other->group);
	double weight, weight_of_other;

	if (!cert_weighted(shapes, body, other))
		return 1;
	bool is_a = relation->group_a == body->group;
	if (relation->kind == CERTIFICATE_RELATION_ONE_SIDED) {
		weight = is_a ? 0 : 1;
		weight_of_other = is_a ? 1 : 0;
	} else {
		double a = relation->has_weight_a ? relation->weight_a : 1, b = relation->has_weight_b ? relation->weight_b : 1;

		weight = is_a ? a : b;
		weight_of_other = is_a ? b : a;
	}
	/* By the masses it would take other->mass / (both masses) of the change. */
	return weight_of_other / (weight + weight_of_other) * (body->mass + other->mass) / other->mass;
}
