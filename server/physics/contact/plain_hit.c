/* Happy path: two circles among neighbours that are apart. What can go wrong: nothing; in doubt the cluster is gathered
 * (cluster_build.c). */
#include "physics/contact/plain_hit.h"

#include "physics/contact/work.h"
#include "physics/prediction/predict.h"
#include "physics/prediction/rounding_drift.h"
#include "physics/world/material.h"

#include <math.h>

/* More than rounding: a wall within this many times its reach is not surely apart. */
#define WALL_NEAR 1.001

/* Whether a face is farther from a circle than touching, by more than rounding. NaN is not. */
static inline bool
face_is_far(const struct segment *segment, two centre, double reach)
{
	two p = centre - two_load(&segment->x1);
	double across = fabs(segment->ux * p[1] - segment->uy * p[0]), along = segment->ux * p[0] + segment->uy * p[1];
	double far = reach * segment->length;

	return across > far || along < -far || along > far + segment->length * segment->length;
}

/* Whether no wall touches a member. */
static bool
walls_are_far(const struct world *world, const struct member *member)
{
	const struct grid_walls *walls = &world->grid.still;
	uint32_t cell = world->grid.rows[member->body].cell;
	const two centre = two_load(&member->x);

	if (!grid_has_walls(&world->grid, cell))
		return true;
	if (world->grid.moving.listed || walls->many)
		return false;
	for (uint32_t k = walls->segment_starts[cell]; k < walls->segment_starts[cell + 1]; k++) {
		const struct segment *segment = &world->walls.segments[walls->segment_items[k]];
		double skin = wall_skin(&world->bodies.paths[member->body], segment->rounding);

		if (!face_is_far(segment, centre, WALL_NEAR * (member->radius + segment->radius) + 4.0 * skin))
			return false;
	}
	for (uint32_t k = walls->vertex_starts[cell]; k < walls->vertex_starts[cell + 1]; k++) {
		const struct vertex *vertex = &world->walls.vertices[walls->vertex_items[k]];
		double skin = wall_skin(&world->bodies.paths[member->body], vertex->rounding);
		double reach = WALL_NEAR * (member->radius + vertex->radius) + 4.0 * skin;
		two d = centre - two_load(&vertex->x), square = d * d;

		if (!(square[0] + square[1] > reach * reach))
			return false;
	}
	return true;
}

/* Whether a body is free and may have one more event, the path of which ends in none of the ways that are rare. */
static inline bool
body_is_plain(const struct world *world, uint32_t body, double time)
{
	const struct body_info *info = &world->bodies.infos[body];

	return world->bodies.marks[body].is_free && info->events + 1 < world->settings.events_per_body_max &&
	       !(world->step.has_substeps && info->released == time) &&
	       !(world->gate.domain && !world->gate.has(world->gate.domain, body, time));
}

/* As cluster_build.c makes it, but only the fields that are read of such a hit. False: the path is bent by more than gravity.
 */
static inline bool
member_fill(struct cluster *cluster, struct member *member, uint32_t body)
{
	const struct world *world = cluster->world;
	const struct body *path = &world->bodies.paths[body];
	const struct body_info *info = &world->bodies.infos[body];
	const struct body_place place = body_place_at(path, cluster->time);
	const two rates = two_abs(place.velocity), gravity = { world->settings.gravity_x, world->settings.gravity_y };

	cluster->gravity = larger(cluster->gravity, fabs(info->gravity_scale) * world->settings.gravity);
	cluster->speed_scale = larger(cluster->speed_scale, rates[0] + rates[1]);
	cluster->speed_scale = larger(cluster->speed_scale, cluster->gravity * world->step.dt);
	member->body = body;
	member->inverse_mass = info->inverse_mass;
	member->fate = FATE_NONE;
	member->radius = path->radius;
	two_store(&member->x, place.position);
	two_store(&member->before_x, place.velocity);
	two_store(&member->vx, place.velocity);
	member->before_spin = member->spin = info->spin;
	two_store(&member->ax, info->gravity_scale * gravity + 0.0);
	member->crushed = member->park = false;
	return member->ax == path->ax && member->ay == path->ay;
}

/* The same of the pair. False: it has friction. */
static inline bool
pair_fill(struct cluster *cluster, struct pair *pair)
{
	const struct member *i = &cluster->members[0], *j = &cluster->members[1];
	const struct body *here = &cluster->world->bodies.paths[i->body], *there = &cluster->world->bodies.paths[j->body];
	const struct material material = material_of_circles(cluster->world, i->body, j->body);

	pair->i = 0;
	pair->j = 1;
	pair->other = j->body;
	pair->kind = EVENT_CIRCLES;
	pair->feature = 0;
	pair->primary = true;
	pair->resting = pair->by_mass = pair->dropped = false;
	pair->wall_vx = pair->wall_vy = 0.0;
	pair->restitution = material.restitution;
	pair->friction = material.friction;
	pair->rolling = material.rolling;
	pair->inverse_i = i->inverse_mass;
	pair->inverse_j = j->inverse_mass;
	pair->impulse = pair->friction_impulse = pair->rolling_impulse = 0.0;
	pair->skin = circles_skin(here, there);
	pair->radii = here->radius + there->radius;
	pair_normal_set(pair, two_load(&i->x) - two_load(&j->x));
	return !(pair->friction > 0.0 || pair->rolling > 0.0);
}

static bool
plain_hit_reserve(struct cluster *cluster)
{
	return array_reserve(&cluster->members, &cluster->member_capacity, 2, sizeof *cluster->members) &&
	       array_reserve(&cluster->pairs, &cluster->pair_capacity, 1, sizeof *cluster->pairs);
}

/* Whether there is room for all that the outcome takes. */
static bool
plain_hit_fits(const struct world *world, uint64_t units)
{
	return world->report.contact_count < world->settings.contacts_per_tick_max && work_has(&world->step.work, units);
}

bool
plain_hit_resolve(struct world *world, struct cluster *cluster, const struct event *event)
{
	if (event->kind != EVENT_CIRCLES || event->a > event->b || world->settings.rules || world->settings.ignores ||
	    world->settings.relations || !body_is_plain(world, event->a, event->time) ||
	    !body_is_plain(world, event->b, event->time) || !plain_hit_reserve(cluster))
		return false;
	cluster_begin(cluster, world, event);

	struct member *members = cluster->members;
	struct pair *pair = cluster->pairs;

	if (!member_fill(cluster, &members[0], event->a) || !member_fill(cluster, &members[1], event->b) ||
	    !pair_fill(cluster, pair))
		return false;
	cluster->member_count = 2;
	cluster->pair_count = 1;
	/* What is nearer may have to be raised (cluster_raise.c). */
	if (pair->distance - pair->radii < DRIFT_BELOW * pair->skin || !cluster_hit_alone(cluster) ||
	    !walls_are_far(world, &members[0]) || !walls_are_far(world, &members[1]) || !cluster_bounce(cluster) ||
	    pair->effective == 0.0 || !pair_is_worth_it(cluster, pair) || (cluster->gravity > 0.0 && pair_rests(cluster, pair)))
		return false;

	uint64_t units = cluster_units(world, cluster);

	if (!plain_hit_fits(world, units))
		return false;
	(void)work_take(&world->step.work, units);
	body_touch(world, event->a);
	body_touch(world, event->b);
	cluster->hit = 2;
	cluster->plain = true;
	return true;
}
