/* Happy path: one circle or two among neighbours and walls that are apart. What can go wrong: nothing; in doubt the cluster is
 * gathered (cluster_build.c). */
#include "physics/contact/plain_hit.h"

#include "physics/contact/work.h"
#include "physics/prediction/predict.h"
#include "physics/prediction/rounding_drift.h"
#include "physics/world/material.h"
#include "physics/world/vertex.h"

#include <math.h>

/* Whether a face does not touch a circle: the circle is not over it (centre_over), or so high that rounding does not matter. */
static inline bool
face_is_clear(const struct segment *segment, two centre, double radii, double skin)
{
	two p = centre - two_load(&segment->x1);
	double along = p[0] * segment->ux + p[1] * segment->uy, across = fabs(segment->ux * p[1] - segment->uy * p[0]);

	return !(along >= -skin * segment->length && along <= (segment->length + skin) * segment->length) ||
	       across > (radii + 4.0 * skin) * segment->length;
}

/* The same of a wall's end. */
static inline bool
vertex_is_clear(const struct vertex *vertex, two centre, double radii, double skin)
{
	two d = centre - two_load(&vertex->x), square = d * d;
	double reach = radii + 2.0 * skin;

	return square[0] + square[1] > reach * reach;
}

/* Whether no wall of a cell touches a member but that of the pair. */
static bool
cell_is_clear(const struct cluster *cluster, const struct member *member, uint32_t cell)
{
	const struct world *world = cluster->world;
	const struct pair *pair = &cluster->pairs[0];
	const struct grid_walls *walls = &world->grid.still;
	uint32_t face = pair->kind == EVENT_FACE ? pair->other : NONE, end = pair->kind == EVENT_VERTEX ? pair->other : NONE;
	const two centre = two_load(&member->x);
	double skin = wall_skin(&world->bodies.paths[member->body], 0.0);

	if (world->grid.moving.listed || grid_walls_many(&world->grid, cell))
		return false;
	for (uint32_t k = walls->segment_starts[cell]; k < walls->segment_starts[cell + 1]; k++) {
		const struct segment *segment = &world->walls.segments[walls->segment_items[k]];

		if (walls->segment_items[k] != face &&
		    !face_is_clear(segment, centre, member->radius + segment->radius, larger(skin, segment->rounding)))
			return false;
	}
	for (uint32_t k = walls->vertex_starts[cell]; k < walls->vertex_starts[cell + 1]; k++) {
		const struct vertex *vertex = &world->walls.vertices[walls->vertex_items[k]];

		if (walls->vertex_items[k] != end &&
		    !vertex_is_clear(vertex, centre, member->radius + vertex->radius, larger(skin, vertex->rounding)))
			return false;
	}
	return true;
}

static inline bool
walls_are_clear(const struct cluster *cluster, const struct member *member)
{
	uint32_t cell = cluster->world->grid.rows[member->body].cell;

	return !grid_has_walls(&cluster->world->grid, cell) || cell_is_clear(cluster, member, cell);
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

/* A member with only the fields that are read of such a hit. False: the path is bent by more than gravity. */
static inline bool
member_free(struct cluster *cluster, struct member *member, uint32_t body)
{
	const struct world *world = cluster->world;
	const struct body *path = &world->bodies.paths[body];
	const struct body_place place = body_place_at(path, cluster->time);
	const two gravity = { world->settings.gravity_x, world->settings.gravity_y };

	member_fill(cluster, member, body, place.position, place.velocity);
	two_store(&member->ax, world->bodies.infos[body].gravity_scale * gravity + 0.0);
	member->crushed = member->park = false;
	return member->ax == path->ax && member->ay == path->ay;
}

/* The pair with only such fields; those of its kind follow. */
static inline void
pair_begin(struct pair *pair, const struct event *event, struct material material)
{
	pair->i = 0;
	pair->other = event->b;
	pair->kind = event->kind;
	pair->feature = 0;
	pair->primary = true;
	pair->resting = pair->by_mass = pair->dropped = pair->weights = false;
	pair->wall_vx = pair->wall_vy = 0.0;
	pair->restitution = material.restitution;
	pair->friction = material.friction;
	pair->rolling = material.rolling;
	pair->central = material.central;
	pair->surface = 0.0;
	pair->yield_i = pair->yield_j = 1.0;
	pair->impulse = pair->friction_impulse = pair->rolling_impulse = 0.0;
}

static inline void
pair_circles(struct cluster *cluster, const struct event *event)
{
	struct pair *pair = &cluster->pairs[0];
	const struct member *i = &cluster->members[0], *j = &cluster->members[1];
	const struct body *here = &cluster->world->bodies.paths[i->body], *there = &cluster->world->bodies.paths[j->body];

	pair_begin(pair, event, material_of_circles(cluster->world, i->body, j->body));
	pair->j = 1;
	pair->inverse_i = i->inverse_mass;
	pair->inverse_j = j->inverse_mass;
	pair->skin = circles_skin(here, there);
	pair->radii = here->radius + there->radius;
	pair_normal_set(pair, two_load(&i->x) - two_load(&j->x));
}

static inline void
pair_wall(struct cluster *cluster, const struct event *event, const struct segment *segment, double rounding, double radius)
{
	struct pair *pair = &cluster->pairs[0];
	const struct member *i = &cluster->members[0];

	pair_begin(pair, event, material_of_wall(cluster->world, i->body, segment));
	pair->j = NONE;
	pair->segment = (uint32_t)(segment - cluster->world->walls.segments);
	pair->inverse_i = i->inverse_mass;
	pair->inverse_j = 0.0;
	pair->skin = wall_skin(&cluster->world->bodies.paths[i->body], rounding);
	pair->radii = i->radius + radius;
}

static inline void
pair_face(struct cluster *cluster, const struct event *event)
{
	struct pair *pair = &cluster->pairs[0];
	const struct member *i = &cluster->members[0];
	const struct segment *segment = &cluster->world->walls.segments[event->b];
	double sign = event->side > 0 ? 1.0 : -1.0;

	pair_wall(cluster, event, segment, segment->rounding, segment->radius);
	pair->feature = FEATURE_FACE;
	pair->side = event->side;
	pair->nx = -sign * (segment->uy / segment->length);
	pair->ny = sign * (segment->ux / segment->length);
	pair->distance = fabs(cross_exact(segment->ux, segment->uy, i->x - segment->x1, i->y - segment->y1) / segment->length);
}

static inline void
pair_vertex(struct cluster *cluster, const struct event *event)
{
	const struct world *world = cluster->world;
	const struct member *i = &cluster->members[0];
	const struct vertex *vertex = &world->walls.vertices[event->b];
	const struct spoke *owner = vertex_spoke(world, event->b, event->order, event->feature);

	pair_wall(cluster, event, &world->walls.segments[owner->segment], vertex->rounding, vertex->radius);
	cluster->pairs[0].feature = owner->feature;
	pair_normal_set(&cluster->pairs[0], two_load(&i->x) - two_load(&vertex->x));
}

/* Fills in the members and the pair. False: a path is bent by more than gravity, or a surface moves. */
static bool
plain_hit_fill(struct cluster *cluster, const struct event *event)
{
	const struct world *world = cluster->world;

	if (!member_free(cluster, &cluster->members[0], event->a))
		return false;
	cluster->member_count = cluster->pair_count = 1;
	if (event->kind == EVENT_CIRCLES) {
		if (!member_free(cluster, &cluster->members[1], event->b))
			return false;
		cluster->member_count = 2;
		pair_circles(cluster, event);
	} else if (event->kind == EVENT_FACE) {
		pair_face(cluster, event);
	} else {
		pair_vertex(cluster, event);
	}
	return !(world->settings.surfaces && cluster->pairs[0].friction > 0.0);
}

static bool
plain_hit_reserve(struct cluster *cluster)
{
	return array_reserve(&cluster->members, &cluster->member_capacity, 2, sizeof *cluster->members) &&
	       array_reserve(&cluster->pairs, &cluster->pair_capacity, 1, sizeof *cluster->pairs);
}

/* Whether the event may be such a hit. */
static bool
event_is_plain(const struct world *world, const struct event *event)
{
	if (world->settings.rules || world->settings.ignores || world->settings.relations ||
	    !body_is_plain(world, event->a, event->time))
		return false;
	if (event->kind == EVENT_CIRCLES)
		return event->a < event->b && body_is_plain(world, event->b, event->time);
	return (event->kind == EVENT_FACE || event->kind == EVENT_VERTEX) && !world->grid.moving.listed;
}

/* Whether nothing else touches, and nothing is nearer than it should be: that may have to be raised (cluster_raise.c). */
static bool
plain_hit_is_alone(struct cluster *cluster)
{
	const struct pair *pair = &cluster->pairs[0];

	if (pair->distance - pair->radii < DRIFT_BELOW * pair->skin || !cluster_hit_alone(cluster))
		return false;
	for (size_t k = 0; k < cluster->member_count; k++)
		if (!walls_are_clear(cluster, &cluster->members[k]))
			return false;
	return true;
}

bool
plain_hit_resolve(struct world *world, struct cluster *cluster, const struct event *event)
{
	struct work_meter work = world->step.work;

	if (!event_is_plain(world, event) || !plain_hit_reserve(cluster))
		return false;
	cluster_clear(cluster, world, event);
	cluster->work = &work;
	if (!plain_hit_fill(cluster, event) || !plain_hit_is_alone(cluster) || !cluster_bounce(cluster))
		return false;

	const struct pair *pair = &cluster->pairs[0];

	if (pair->effective == 0.0 || !pair_is_worth_it(cluster, pair) || (cluster->gravity > 0.0 && pair_rests(cluster, pair)) ||
	    world->report.contact_count >= world->settings.contacts_per_tick_max)
		return false;

	uint64_t units = cluster_units(world, cluster);

	if (!work_take(&work, units))
		return false;
	units_note(units);
	world->step.work = work;
	for (size_t k = 0; k < cluster->member_count; k++)
		body_touch(world, cluster->members[k].body);
	cluster->hit = (uint32_t)cluster->member_count;
	cluster->plain = true;
	return true;
}
