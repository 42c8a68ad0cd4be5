/* Which pairs meet, and how: by filter groups, categories and masks, then relations; the materials mixed. */
#include "outside/inside.h"

struct filter {
	uint32_t category, mask, group;
	int32_t filter_group;
};

static struct filter
filter_of_body(const struct body *body)
{
	return (struct filter){ body->def.category, body->def.mask, body->def.group, body->def.filter_group };
}

static struct filter
filter_of_wall(const struct wall *wall)
{
	return (struct filter){ wall->def.category, wall->def.mask, wall->def.group, wall->def.filter_group };
}

static bool
filters_let(struct filter a, struct filter b)
{
	if (a.filter_group == b.filter_group && a.filter_group != 0)
		return a.filter_group > 0;
	return (a.category & b.mask) != 0 && (a.mask & b.category) != 0;
}

static const struct outside_relation *
relation_of(const struct outside *outside, uint32_t a, uint32_t b)
{
	for (size_t i = 0; i < outside->relation_count; i++) {
		const struct outside_relation *relation = &outside->relations[i];
		if ((relation->group_a == a && relation->group_b == b) || (relation->group_a == b && relation->group_b == a))
			return relation;
	}
	return NULL;
}

static enum outside_relation_kind
kind_of(const struct outside *outside, uint32_t a, uint32_t b)
{
	const struct outside_relation *relation = relation_of(outside, a, b);

	return relation ? relation->kind : OUTSIDE_RELATION_BOUNCE;
}

static bool
passes(enum outside_relation_kind kind)
{
	return kind == OUTSIDE_RELATION_NONE || kind == OUTSIDE_RELATION_SENSOR;
}

static bool
reports(const struct body *body, uint32_t group)
{
	return body->def.report_groups >> group & 1;
}

static bool
ignores(const struct body *a, const struct body *b, enum outside_ignore how)
{
	return (a->def.ignore == how && a->def.ignored == b->def.id) || (b->def.ignore == how && b->def.ignored == a->def.id);
}

/* What is known of both is what one of them waits for. */
enum parting
outside_parting(const struct outside *outside, const struct body *a, const struct body *b)
{
	const enum outside_ignore how = OUTSIDE_IGNORE_UNTIL_APART;
	enum parting least = PARTING_DONE;

	(void)outside;
	if (a->def.ignore == how && a->def.ignored == b->def.id && a->parting < least)
		least = a->parting;
	if (b->def.ignore == how && b->def.ignored == a->def.id && b->parting < least)
		least = b->parting;
	return least;
}

bool
outside_circles_meet(const struct outside *outside, const struct body *a, const struct body *b)
{
	if (a->gone || b->gone || ignores(a, b, OUTSIDE_IGNORE_ALWAYS) || reports(a, b->def.group) || reports(b, a->def.group))
		return false;
	if (a->def.sensor || b->def.sensor || (a->def.kind != OUTSIDE_DYNAMIC && b->def.kind != OUTSIDE_DYNAMIC))
		return false;
	return filters_let(filter_of_body(a), filter_of_body(b)) && !passes(kind_of(outside, a->def.group, b->def.group));
}

bool
outside_wall_meets(const struct outside *outside, const struct body *a, const struct wall *b)
{
	if (a->gone || b->def.disabled || reports(a, b->def.group))
		return false;
	if (a->def.sensor || b->def.sensor || a->def.kind != OUTSIDE_DYNAMIC)
		return false;
	return filters_let(filter_of_body(a), filter_of_wall(b)) && !passes(kind_of(outside, a->def.group, b->def.group));
}

bool
outside_circle_senses(const struct outside *outside, const struct body *sensor, const struct body *a)
{
	const struct outside_relation *relation = relation_of(outside, a->def.group, sensor->def.group);
	const bool by_sensor = reports(sensor, a->def.group), by_a = reports(a, sensor->def.group);

	if (a->gone || sensor->gone || ignores(a, sensor, OUTSIDE_IGNORE_ALWAYS) ||
	    outside_parting(outside, a, sensor) == PARTING_NOT_YET)
		return false;
	if (a->def.kind == OUTSIDE_STATIC || a->def.sensor || !filters_let(filter_of_body(a), filter_of_body(sensor)) ||
	    (relation && relation->kind == OUTSIDE_RELATION_NONE))
		return false;
	if (sensor->def.sensor)
		return true;
	if (!by_sensor && !by_a && (!relation || relation->kind != OUTSIDE_RELATION_SENSOR))
		return false;
	if (sensor->def.kind == OUTSIDE_STATIC)
		return true;
	if (by_sensor != by_a)
		return by_sensor;
	if (by_sensor)
		return sensor->def.id > a->def.id;
	if (a->def.group == sensor->def.group)
		return sensor->def.id > a->def.id;
	return relation && relation->group_b == sensor->def.group;
}

bool
outside_wall_senses(const struct outside *outside, const struct wall *sensor, const struct body *a)
{
	const enum outside_relation_kind kind = kind_of(outside, a->def.group, sensor->def.group);

	if (a->gone || sensor->def.disabled || a->def.kind == OUTSIDE_STATIC || a->def.sensor || kind == OUTSIDE_RELATION_NONE ||
	    !filters_let(filter_of_body(a), filter_of_wall(sensor)))
		return false;
	return sensor->def.sensor || kind == OUTSIDE_RELATION_SENSOR || reports(a, sensor->def.group);
}

bool
outside_wall_one_sided(const struct outside *outside, const struct body *a, const struct wall *b)
{
	return b->def.one_sided || kind_of(outside, a->def.group, b->def.group) == OUTSIDE_RELATION_ONE_SIDED;
}

static real
restitution_of(enum outside_restitution_mix mix, real a, real b)
{
	switch (mix) {
	case OUTSIDE_E_MIN: return smaller_of(a, b);
	case OUTSIDE_E_PRODUCT: return a * b;
	case OUTSIDE_E_MEAN: return (a + b) / 2;
	default: return larger_of(a, b);
	}
}

static real
friction_of(enum outside_friction_mix mix, real a, real b)
{
	switch (mix) {
	case OUTSIDE_MU_MAX: return larger_of(a, b);
	case OUTSIDE_MU_MIN: return smaller_of(a, b);
	case OUTSIDE_MU_PRODUCT: return a * b;
	case OUTSIDE_MU_MEAN: return (a + b) / 2;
	default: return sqrtl(a * b);
	}
}

/* By weights a takes w_b / (w_a + w_b) of the change of their relative velocity, by the masses m_b / (m_a + m_b). */
static void
shares_set(struct manner *manner, const struct outside_relation *relation, const struct body *a, const struct body *b)
{
	real of_a = 1, of_b = 1;

	if (relation->kind == OUTSIDE_RELATION_ONE_SIDED) {
		if (relation->group_a == relation->group_b)
			return;
		of_a = 0;
	} else {
		if (!relation->has_weight_a && !relation->has_weight_b)
			return;
		of_a = relation->has_weight_a ? relation->weight_a : 1;
		of_b = relation->has_weight_b ? relation->weight_b : 1;
	}
	if (relation->group_a != a->def.group) {
		const real swap = of_a;
		of_a = of_b;
		of_b = swap;
	}
	const real masses = (real)a->def.mass + b->def.mass;
	manner->share_a = of_b / (of_a + of_b) * masses / b->def.mass;
	manner->share_b = of_a / (of_a + of_b) * masses / a->def.mass;
}

struct manner
outside_manner(const struct outside *outside, const struct body *a, const struct body *b, const struct wall *wall, bool by_mass)
{
	const struct outside_scene *scene = &outside->scene;
	const real e = b ? b->def.restitution : wall->def.restitution, mu = b ? b->def.friction : wall->def.friction;
	const real rolling = b ? b->def.rolling : wall->def.rolling;
	const struct outside_relation *relation = relation_of(outside, a->def.group, b ? b->def.group : wall->def.group);
	struct manner manner = { .restitution = restitution_of(scene->restitution_mix, a->def.restitution, e),
		                     .friction = friction_of(scene->friction_mix, a->def.friction, mu),
		                     .rolls = a->def.rolling > 0 || rolling > 0,
		                     .share_a = 1,
		                     .share_b = 1 };
	enum outside_response response = a->def.response;

	if (relation && relation->kind == OUTSIDE_RELATION_MOVE)
		manner.restitution = manner.friction = 0;
	if (relation && relation->has_elasticity)
		manner.restitution = relation->elasticity;
	if (relation && b && !by_mass && a->def.kind == OUTSIDE_DYNAMIC && b->def.kind == OUTSIDE_DYNAMIC)
		shares_set(&manner, relation, a, b);
	if (b && b->def.response > response)
		response = b->def.response;
	if (response != OUTSIDE_BOUNCE)
		manner.restitution = manner.friction = 0;
	manner.stop = response == OUTSIDE_STOP;
	return manner;
}
