/* Builds the cluster of an event. Happy path: the event's own pair and nothing else, which costs one query of the cells around.
 * What can go wrong: the cluster is large (cut at CLUSTER_PAIRS_MAX); memory (cluster->failed). */
#include "physics/contact/cluster.h"
#include "physics/contact/touching.h"
#include "physics/geometry/toi.h"
#include "physics/math/sort.h"
#include "physics/prediction/predict.h"
#include "physics/rest_solver/loaded.h"
#include "physics/world/contact_rules.h"
#include "physics/world/moving_walls.h"
#include "physics/world/one_sided.h"
#include "physics/world/vertex.h"

#include <math.h>
#include <stdlib.h>

static uint32_t
member_find(const struct cluster *cluster, uint32_t body)
{
	for (uint32_t i = 0; i < cluster->member_count; i++)
		if (cluster->members[i].body == body)
			return i;
	return NONE;
}

/* For a body that is not a member yet. */
static uint32_t
member_new(struct cluster *cluster, uint32_t body)
{
	const struct world *world = cluster->world;

	if (!array_reserve(&cluster->members, &cluster->member_capacity, cluster->member_count + 1, sizeof *cluster->members)) {
		cluster->failed = true;
		return NONE;
	}

	const struct body *path = &world->bodies.paths[body];
	const struct body_info *info = &world->bodies.infos[body];
	const struct body_place place = body_place_at(path, cluster->time);
	/* As handover_velocity. */
	const two velocity = info->mode == MODE_LED ? two_load(&info->kept_vx) : place.velocity;
	struct member *member = &cluster->members[cluster->member_count];

	/* The velocities for undoing are written before they are read. */
	member_fill(cluster, member, body, place.position, velocity);
	two_store(&member->ax, two_load(&path->ax));
	member->lock = member->relieved = 0;
	member->primary = member->turned = member->told = member->crushed = member->join = member->park = false;
	if (info->mode == MODE_STOPPED) {
		member->inverse_mass = member->inverse_inertia = 0.0;
		member->before_spin = member->spin = 0.0;
	}
	return (uint32_t)cluster->member_count++;
}

static uint32_t
member_add(struct cluster *cluster, uint32_t body)
{
	uint32_t found = member_find(cluster, body);

	return found != NONE ? found : member_new(cluster, body);
}

static void
pair_material_set(struct pair *pair, struct material material)
{
	pair->restitution = material.restitution;
	pair->friction = material.friction;
	pair->rolling = material.rolling;
	pair->central = material.central;
}

/* The normal must be known. */
static void
pair_surface_set(struct cluster *cluster, struct pair *pair)
{
	const struct world *world = cluster->world;
	uint32_t body = cluster->members[pair->i].body;

	if (!world->settings.surfaces || pair->friction == 0.0)
		return;
	pair->surface = pair->j != NONE
	                    ? material_surface_circles(world, body, cluster->members[pair->j].body)
	                    : material_surface_wall(world, body, &world->walls.segments[pair->segment], pair->nx, pair->ny);
	cluster->speed_scale = larger(cluster->speed_scale, fabs(pair->surface));
}

/* For a wall that moves at (vx, vy). */
static void
pair_wall_set(struct cluster *cluster, struct pair *pair, double vx, double vy)
{
	pair->wall_vx = vx;
	pair->wall_vy = vy;
	cluster->speed_scale = larger(cluster->speed_scale, fabs(vx) + fabs(vy));
}

/* Without weights. */
static void
pair_weigh_by_mass(const struct cluster *cluster, struct pair *pair)
{
	pair->inverse_i = cluster->members[pair->i].inverse_mass;
	pair->inverse_j = pair->j == NONE ? 0.0 : cluster->members[pair->j].inverse_mass;
	pair->yield_i = pair->yield_j = 1.0;
}

/* For two circles. */
static void
pair_weigh(struct cluster *cluster, struct pair *pair)
{
	const struct member *i = &cluster->members[pair->i], *j = &cluster->members[pair->j];
	double inverse[2];

	pair_weigh_by_mass(cluster, pair);
	if (!cluster->world->settings.relations || i->inverse_mass == 0.0 || j->inverse_mass == 0.0 ||
	    !material_weights(cluster->world, i->body, j->body, inverse))
		return;
	pair->inverse_i = inverse[0];
	pair->inverse_j = inverse[1];
	pair->yield_i = inverse[0] / i->inverse_mass;
	pair->yield_j = inverse[1] / j->inverse_mass;
	pair->weights = cluster->weighted = true;
}

static struct pair *
pair_add(struct cluster *cluster)
{
	if (!array_reserve(&cluster->pairs, &cluster->pair_capacity, cluster->pair_count + 1, sizeof *cluster->pairs)) {
		cluster->failed = true;
		return NULL;
	}
	return &cluster->pairs[cluster->pair_count++];
}

void
pair_normal_set(struct pair *pair, two d)
{
	const two square = d * d, aside = { 1.0, 0.0 };

	pair->distance = sqrt(square[0] + square[1]);
	two_store(&pair->dx, d);
	/* Concentric: any direction will do, so always the same. */
	two_store(&pair->nx, pair->distance > 0.0 ? d / pair->distance : aside);
}

/* Whether a body and a wall are already a pair. */
static bool
wall_known(const struct cluster *cluster, uint8_t kind, uint32_t i, uint32_t other)
{
	for (size_t k = 0; k < cluster->pair_count; k++)
		if (cluster->pairs[k].kind == kind && cluster->pairs[k].i == i && cluster->pairs[k].other == other)
			return true;
	return false;
}

static void
circles_add(struct cluster *cluster, uint32_t a, uint32_t b, bool primary)
{
	const struct world *world = cluster->world;
	uint32_t low = a < b ? a : b, high = a < b ? b : a;

	if (cluster->pair_count >= CLUSTER_PAIRS_MAX)
		return;

	uint32_t i = member_add(cluster, low), j = member_add(cluster, high);
	struct pair *pair;

	if (cluster->failed || !(pair = pair_add(cluster)))
		return;

	const double skin = circles_skin(&world->bodies.paths[low], &world->bodies.paths[high]);
	const double radii = world->bodies.paths[low].radius + world->bodies.paths[high].radius;

	*pair = (struct pair){
		.i = i,
		.j = j,
		.other = high,
		.kind = EVENT_CIRCLES,
		.primary = primary,
		.skin = skin,
		.radii = radii,
	};
	pair_material_set(pair, material_of_circles(world, low, high));
	pair_weigh(cluster, pair);
	pair_normal_set(pair, two_load(&cluster->members[i].x) - two_load(&cluster->members[j].x));
	pair_surface_set(cluster, pair);
}

static void
face_add(struct cluster *cluster, uint32_t i, uint32_t index, int side, double height, bool primary)
{
	const struct world *world = cluster->world;
	const struct segment *segment = &world->walls.segments[index];
	uint32_t body = cluster->members[i].body;
	struct pair *pair;
	double sign = side > 0 ? 1.0 : -1.0;

	if ((!primary && cluster->pair_count >= CLUSTER_PAIRS_MAX) || wall_known(cluster, EVENT_FACE, i, index) ||
	    !(pair = pair_add(cluster)))
		return;
	*pair = (struct pair){
		.i = i,
		.j = NONE,
		.other = index,
		.segment = index,
		.kind = EVENT_FACE,
		.feature = FEATURE_FACE,
		.side = (int8_t)side,
		.primary = primary,
		.nx = -sign * (segment->uy / segment->length),
		.ny = sign * (segment->ux / segment->length),
		.distance = height,
		.skin = wall_skin(&world->bodies.paths[body], segment->rounding),
		.radii = world->bodies.paths[body].radius + segment->radius,
	};
	pair_wall_set(cluster, pair, segment->vx, segment->vy);
	pair_material_set(pair, material_of_wall(world, body, segment));
	pair_surface_set(cluster, pair);
	pair_weigh_by_mass(cluster, pair);
}

/* The place of a member's centre in the frame of a wall that moves at (vx, vy). */
static void
member_seen(const struct cluster *cluster, uint32_t i, double vx, double vy, double out[2])
{
	out[0] = cluster->members[i].x - vx * cluster->time;
	out[1] = cluster->members[i].y - vy * cluster->time;
}

static void
vertex_add(struct cluster *cluster, uint32_t i, uint32_t index, const struct spoke *owner, bool primary)
{
	const struct world *world = cluster->world;
	const struct vertex *vertex = &world->walls.vertices[index];
	uint32_t body = cluster->members[i].body;
	double seen[2];
	struct pair *pair;

	if ((!primary && cluster->pair_count >= CLUSTER_PAIRS_MAX) || wall_known(cluster, EVENT_VERTEX, i, index) ||
	    !(pair = pair_add(cluster)))
		return;
	*pair = (struct pair){
		.i = i,
		.j = NONE,
		.other = index,
		.segment = owner->segment,
		.kind = EVENT_VERTEX,
		.feature = owner->feature,
		.primary = primary,
		.skin = wall_skin(&world->bodies.paths[body], vertex->rounding),
		.radii = world->bodies.paths[body].radius + vertex->radius,
	};
	pair_wall_set(cluster, pair, vertex->vx, vertex->vy);
	pair_material_set(pair, material_of_wall(world, body, &world->walls.segments[owner->segment]));
	pair_weigh_by_mass(cluster, pair);
	member_seen(cluster, i, vertex->vx, vertex->vy, seen);
	pair_normal_set(pair, (two){ seen[0] - vertex->x, seen[1] - vertex->y });
	pair_surface_set(cluster, pair);
}

/* The signed height of a centre over a segment, in its frame, and whether its foot is on the segment. */
static bool
centre_over(const double centre[2], const struct segment *segment, double seam, double *height)
{
	double px = centre[0] - segment->x1, py = centre[1] - segment->y1;
	double s = px * segment->ux + py * segment->uy;

	*height = cross_exact(segment->ux, segment->uy, px, py) / segment->length;
	return s >= -seam * segment->length && s <= (segment->length + seam) * segment->length;
}

static bool
body_settled(const struct world *world, uint32_t body)
{
	const struct body_info *info = &world->bodies.infos[body];

	return (info->mode == MODE_LED || info->mode == MODE_ASLEEP) && !info->driven && !body_hangs(world, body);
}

/* Whether the rest solver has a pair that does not rebound, or not where it lies. Such a pair does not belong in a cluster
 * around another event. */
static bool
driven_together(const struct world *world, uint32_t a, uint32_t b)
{
	if (!body_settled(world, a) || !body_settled(world, b) || circles_are_for_events(world, a, b))
		return false;
	double restitution = material_of_circles(world, a, b).restitution;
	bool crowded = body_crowded(world, &world->bodies.infos[a]) || body_crowded(world, &world->bodies.infos[b]);
	return restitution == 0.0 || (restitution < 1.0 && (crowded || pair_is_loaded(world, a, b)));
}

static bool
driven_on(const struct world *world, uint32_t body, const struct segment *wall)
{
	if (!body_settled(world, body) || wall->moving || wall_is_for_events(world, body, wall))
		return false;
	double restitution = material_of_wall(world, body, wall).restitution;
	return restitution == 0.0 ||
	       (restitution < 1.0 && (body_crowded(world, &world->bodies.infos[body]) ||
	                              pair_is_loaded(world, body, (uint32_t)(wall - world->walls.segments) | SOLVER_WALL)));
}

static void
face_collect(struct cluster *cluster, uint32_t i, const struct event *event, uint32_t index)
{
	const struct world *world = cluster->world;
	uint32_t body = cluster->members[i].body;
	const struct body *path = &world->bodies.paths[body];
	const struct body_info *info = &world->bodies.infos[body];
	const struct segment *segment = &world->walls.segments[index];
	double skin = wall_skin(path, segment->rounding), radii = path->radius + segment->radius, height, seen[2];

	if (!body_meets_segment(world, info, segment) || driven_on(world, body, segment) ||
	    (event->kind == EVENT_SUPPORT_END && event->side == 0 && event->a == body && event->b == index))
		return;
	member_seen(cluster, i, segment->vx, segment->vy, seen);
	if (centre_over(seen, segment, skin, &height) && fabs(height) <= radii + 2.0 * skin &&
	    (!wall_one_sided(world, info, segment) || one_sided_stops(segment, seen[0], seen[1], radii, skin)) &&
	    !(segment->acute && wall_is_hidden(world, info, segment, seen[0], seen[1], path->radius)))
		face_add(cluster, i, index, height >= 0.0 ? 1 : -1, fabs(height), false);
}

static void
vertex_collect(struct cluster *cluster, uint32_t i, uint32_t index)
{
	const struct world *world = cluster->world;
	uint32_t body = cluster->members[i].body;
	const struct body *path = &world->bodies.paths[body];
	const struct body_info *info = &world->bodies.infos[body];
	const struct vertex *vertex = &world->walls.vertices[index];
	double seen[2];

	member_seen(cluster, i, vertex->vx, vertex->vy, seen);

	double dx = seen[0] - vertex->x, dy = seen[1] - vertex->y;
	double skin = wall_skin(path, vertex->rounding), reach = path->radius + vertex->radius + 2.0 * skin;
	const struct spoke *owner;

	if (dx * dx + dy * dy <= reach * reach && (owner = vertex_touched(world, info, path, index, seen[0], seen[1])) &&
	    !driven_on(world, body, &world->walls.segments[owner->segment]))
		vertex_add(cluster, i, index, owner, false);
}

static void
walls_collect(struct cluster *cluster, uint32_t i, const struct event *event, const struct grid_walls *walls)
{
	uint32_t cell = cluster->world->grid.rows[cluster->members[i].body].cell;

	for (uint32_t k = walls->segment_starts[cell]; k < walls->segment_starts[cell + 1] && !pause_after(WALL_UNITS); k++)
		face_collect(cluster, i, event, walls->segment_items[k]);
	for (uint32_t k = walls->vertex_starts[cell]; k < walls->vertex_starts[cell + 1] && !pause_after(WALL_UNITS); k++)
		vertex_collect(cluster, i, walls->vertex_items[k]);
}

static void
touching_walls(struct cluster *cluster, uint32_t i, const struct event *event)
{
	if (!grid_has_walls(&cluster->world->grid, cluster->world->grid.rows[cluster->members[i].body].cell))
		return;
	walls_collect(cluster, i, event, &cluster->world->grid.still);
	if (cluster->world->grid.moving.listed)
		walls_collect(cluster, i, event, &cluster->world->grid.moving);
}

/* Adds one within touching distance. Separate from the search, which finds few. */
__attribute__((noinline)) static void
touched_add(struct cluster *cluster, uint32_t body, uint32_t other)
{
	const struct world *world = cluster->world;

	if (mode_stands(world->bodies.infos[other].mode) || driven_together(world, body, other) || !bodies_meet(world, body, other))
		return;
	if (!array_reserve(&cluster->touched, &cluster->touched_capacity, cluster->touched_count + 1, sizeof *cluster->touched)) {
		cluster->failed = true;
		return;
	}
	cluster->touched[cluster->touched_count++] = other;
}

static inline void
touching_collect(struct cluster *cluster, const struct toucher *who, uint32_t cell)
{
	const struct world *world = cluster->world;

	for (uint32_t place = world->grid.heads[cell]; place != NONE; place = grid_onward(&world->grid, place)) {
		uint32_t other = grid_body(place);
		const struct body *that = &world->bodies.paths[other];

		if (touches(who, that, body_place_at(that, cluster->time).position) && other != who->body)
			touched_add(cluster, who->body, other);
	}
}

/* Whether the two are already a pair. */
static bool
circles_known(const struct cluster *cluster, uint32_t a, uint32_t b)
{
	for (size_t k = 0; k < cluster->pair_count; k++) {
		const struct pair *pair = &cluster->pairs[k];

		if (pair->kind != EVENT_CIRCLES)
			continue;

		uint32_t i = cluster->members[pair->i].body, j = cluster->members[pair->j].body;

		if ((i == a && j == b) || (i == b && j == a))
			return true;
	}
	return false;
}

static int
index_compare(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

/* Adds the circles that touch a member, in ascending order. */
static void
touching_circles(struct cluster *cluster, uint32_t i)
{
	const struct world *world = cluster->world;
	const struct member *member = &cluster->members[i];
	const struct toucher who = toucher_of(cluster, i);
	uint32_t body = who.body;

	cluster->touched_count = 0;
	if (world->grid.level_count > 1 || is_outlier(world, body)) {
		const struct grid_box box = { member->x, member->y, member->x, member->y };
		struct grid_look look = look_near(world, body, &box);

		for (uint32_t cell = grid_look_next(&look); cell != NONE; cell = grid_look_next(&look))
			touching_collect(cluster, &who, cell);
	} else {
		for (struct grid_ring ring = grid_ring(&world->grid, body); ring.cells != 0;)
			touching_collect(cluster, &who, grid_ring_next(&ring));
	}
	if (cluster->touched_count > 1)
		array_sort(cluster->touched, cluster->touched_count, sizeof *cluster->touched, index_compare);
	for (size_t k = 0; k < cluster->touched_count && !pause_after(1); k++)
		if (!circles_known(cluster, body, cluster->touched[k]))
			circles_add(cluster, body, cluster->touched[k], false);
}

/* Adds all that touches a member; `alone`: no circles do except those already found. */
static void
member_expand(struct cluster *cluster, uint32_t i, const struct event *event, bool alone)
{
	const struct world *world = cluster->world;
	uint32_t body = cluster->members[i].body;

	if (!alone)
		touching_circles(cluster, i);
	if (!cluster->failed)
		touching_walls(cluster, i, event);
	/* What rested on it or supported it must be tested again, touching or not. */
	for (uint32_t s = world->bodies.infos[body].support; s != NONE; s = world->scratch.supports[s].next)
		if (world->scratch.supports[s].kind == EVENT_CIRCLES &&
		    !mode_stands(world->bodies.infos[world->scratch.supports[s].other].mode))
			(void)member_add(cluster, world->scratch.supports[s].other);
}

static int
pair_compare(const void *left, const void *right)
{
	const struct pair *a = left, *b = right;

	/* i is the member's index, and members are in ascending order by now. */
	if (a->i != b->i)
		return a->i < b->i ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return a->other < b->other ? -1 : a->other > b->other;
}

static int
member_compare(const void *left, const void *right)
{
	const struct member *a = left, *b = right;

	return a->body < b->body ? -1 : a->body > b->body;
}

static void
cluster_sort(struct cluster *cluster)
{
	if (cluster->member_count > 2 || (cluster->member_count == 2 && cluster->members[0].body > cluster->members[1].body)) {
		/* Pairs refer to members by index; keep the bodies while the indices change. */
		for (size_t k = 0; k < cluster->pair_count; k++) {
			struct pair *pair = &cluster->pairs[k];

			pair->i = cluster->members[pair->i].body;
			pair->j = pair->j == NONE ? NONE : cluster->members[pair->j].body;
		}
		array_sort(cluster->members, cluster->member_count, sizeof *cluster->members, member_compare);
		for (size_t k = 0; k < cluster->pair_count; k++) {
			struct pair *pair = &cluster->pairs[k];

			pair->i = member_find(cluster, pair->i);
			pair->j = pair->j == NONE ? NONE : member_find(cluster, pair->j);
		}
	}
	if (cluster->pair_count > 1)
		array_sort(cluster->pairs, cluster->pair_count, sizeof *cluster->pairs, pair_compare);
}

/* The event's own pair, whatever rounding says about its gap. */
static void
primary_add(struct cluster *cluster, const struct event *event)
{
	const struct world *world = cluster->world;

	if (event->kind == EVENT_CIRCLES) {
		circles_add(cluster, event->a, event->b, true);
		for (size_t k = 0; k < cluster->member_count; k++)
			cluster->members[k].primary = true;
		return;
	}
	uint32_t i = member_new(cluster, event->a);
	if (cluster->failed)
		return;
	if (event->kind == EVENT_FACE) {
		double height;

		double seen[2];

		member_seen(cluster, i, world->walls.segments[event->b].vx, world->walls.segments[event->b].vy, seen);
		(void)centre_over(seen, &world->walls.segments[event->b], 0.0, &height);
		face_add(cluster, i, event->b, event->side, fabs(height), true);
	} else if (event->kind == EVENT_VERTEX) {
		vertex_add(cluster, i, event->b, vertex_spoke(world, event->b, event->order, event->feature), true);
	}
	if (!cluster->failed)
		cluster->members[i].primary = true;
}

void
cluster_clear(struct cluster *cluster, const struct world *world, const struct event *event)
{
	cluster->world = world;
	cluster->time = event->time;
	cluster->speed_scale = SPEED_SCALE_MIN;
	cluster->gravity = 0.0;
	cluster->friction_loss = 0.0;
	cluster->locked[0] = cluster->locked[1] = 0.0;
	cluster->member_count = 0;
	cluster->pair_count = 0;
	cluster->lines_made = false;
	cluster->weighted = cluster->jammed = cluster->rubbed = false;
	cluster->failed = cluster->fenced = cluster->fated = cluster->plain = false;
	cluster->hit = 0;
}

void
cluster_gather(struct cluster *cluster, const struct world *world, const struct event *event)
{
	cluster_clear(cluster, world, event);
	primary_add(cluster, event);
	if (cluster->failed)
		return;
	/* In rings of touching steps around the event; the list of members grows during the walk. */
	for (uint32_t i = 0, fenced = 0; i < cluster->member_count && !cluster->failed; i++) {
		for (; world->gate.domain && fenced < cluster->member_count; fenced++) {
			uint32_t body = cluster->members[fenced].body;

			if (!world->gate.has(world->gate.domain, body, event->time)) {
				cluster->fenced = true;
				return;
			}
		}
		if (i == 0 && cluster_hit_alone(cluster))
			cluster->hit = (uint32_t)cluster->member_count;
		if (cluster->members[i].inverse_mass > 0.0 && cluster->pair_count < CLUSTER_PAIRS_MAX)
			member_expand(cluster, i, event, i < cluster->hit);
	}
	if (!cluster->failed)
		cluster_sort(cluster);
}
