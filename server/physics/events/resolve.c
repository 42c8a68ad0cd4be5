/* The outcome of an event, written to the world. Happy path: build the cluster, collide, rest. Every member with a changed
 * velocity or acceleration gets a new path from here on and is predicted again. What can go wrong: a body at its limit of
 * events is parked, and so is what reaches it. A body between immovable things is crushed. Memory and the limit of contacts
 * fail the tick. */
#include "physics/events/resolve.h"

#include "base/memory.h"
#include "physics/contact/cluster.h"
#include "physics/contact/park.h"
#include "physics/contact/plain_hit.h"
#include "physics/contact/work.h"
#include "physics/events/contact_rows.h"
#include "physics/events/ends.h"
#include "physics/events/plain_hit_write.h"
#include "physics/events/supports.h"
#include "physics/prediction/neighbours.h"
#include "physics/prediction/predict_private.h"
#include "physics/prediction/rounding_drift.h"
#include "physics/reports/touch.h"
#include "physics/resting/handover.h"
#include "physics/resting/sleep.h"
#include "physics/world/contact_rules.h"
#include "physics/world/ignored_circle.h"
#include "physics/world/ledger.h"
#include "physics/world/material.h"
#include "physics/world/report.h"

#include <math.h>

/* Units (base/pause.h) to predict a member of a cluster of more than the first number. What an event of few is counted
 * (events_run) has room for these. */
#define FEW_MEMBERS 4
#define MEMBER_UNITS 128u

struct resolver {
	struct cluster cluster;
};

struct resolver *
resolver_create(void)
{
	struct resolver *resolver = memory_zeroed(1, sizeof *resolver);

	if (!resolver)
		return NULL;
	resolver->cluster.neighbours = memory_zeroed(1, sizeof *resolver->cluster.neighbours);
	if (resolver->cluster.neighbours)
		return resolver;
	memory_free(resolver);
	return NULL;
}

void
resolver_destroy(struct resolver *resolver)
{
	if (!resolver)
		return;
	memory_free(resolver->cluster.members);
	memory_free(resolver->cluster.pairs);
	memory_free(resolver->cluster.neighbours);
	memory_free(resolver->cluster.touched);
	memory_free(resolver->cluster.rhs);
	memory_free(resolver->cluster.chosen);
	memory_free(resolver->cluster.active);
	memory_free(resolver->cluster.lines);
	memory_free(resolver->cluster.rubs);
	memory_free(resolver->cluster.matrix);
	memory_free(resolver);
}

size_t
resolver_memory_bytes(const struct resolver *resolver)
{
	const struct cluster *cluster = &resolver->cluster;
	size_t n = cluster->lcp_capacity, width = cluster->lcp_width;

	return sizeof *resolver + cluster->member_capacity * sizeof *cluster->members +
	       cluster->pair_capacity * sizeof *cluster->pairs + cluster->touched_capacity * sizeof *cluster->touched +
	       (n > 0 ? CLUSTER_LCP_DOUBLES(n, width) : 0) * sizeof *cluster->rhs +
	       n * (2 * sizeof *cluster->chosen + 3 * sizeof *cluster->active + sizeof *cluster->lines + sizeof *cluster->rubs) +
	       cluster->matrix_capacity * sizeof *cluster->matrix;
}

static bool
member_changed(const struct world *world, const struct member *member)
{
	const struct body *path = &world->bodies.paths[member->body];

	return member->primary || member->park || member->supports_change || member->vx != member->before_x ||
	       member->vy != member->before_y || member->ax != path->ax || member->ay != path->ay ||
	       member->spin != member->before_spin;
}

static void
member_write(struct world *world, const struct cluster *cluster, const struct member *member)
{
	struct body *path = &world->bodies.paths[member->body];
	struct body_info *info = &world->bodies.infos[member->body];
	bool turned = member->ax != path->ax || member->ay != path->ay, again = false;
	double before = member->before_x * member->before_x + member->before_y * member->before_y;
	double speed = member->vx * member->vx + member->vy * member->vy;

	ledger_path_end(world, member->body, cluster->time, (const double[]){ member->x, member->y },
	                (const double[]){ member->before_x, member->before_y });
	if (world->watch)
		watch_path_end(world, member->body, cluster->time);
	info->angle += info->spin * (cluster->time - path->t0);
	info->spin = member->spin;
	/* In pairs, because they will soon be read in pairs. */
	two_store(&path->x, two_load(&member->x));
	two_store(&path->vx, two_load(&member->vx));
	two_store(&path->ax, two_load(&member->ax));
	path->t0 = cluster->time;
	world->bodies.marks[member->body].epoch++;
	info->events++;
	info->fastest = larger(info->fastest, larger(before, speed));
	if (info->mode == MODE_LED || member->join) {
		/* As below. */
		if (info->mode != MODE_LED && info->released == cluster->time)
			path_change_report(world, cluster->time, member->body, PATH_RELEASED, member->vx, member->vy);
		info->mode = MODE_LED;
		info->steady = false;
		info->handover |= HANDOVER_LED;
		info->kept_vx = member->vx;
		info->kept_vy = member->vy;
		path_change_report(world, cluster->time, member->body, PATH_LED, member->vx, member->vy);
	} else if ((world->step.has_substeps || world->settings.rules) &&
	           info->released == cluster->time) { /* it is in a cache line that most events do not read */
		/* Once more after the contact: at one time readers take contacts first. */
		path_change_report(world, cluster->time, member->body, PATH_RELEASED, member->vx, member->vy);
		again = true;
	}
	if ((turned || again) && info->mode != MODE_LED) {
		double gravity[2];

		body_gravity(world, member->body, gravity);

		bool free = member->ax == gravity[0] && member->ay == gravity[1];

		/* To a reader, what is released has gravity alone. */
		if (turned || !free)
			path_change_report(world, cluster->time, member->body, free ? PATH_FREE : PATH_SUPPORTED, member->ax, member->ay);
	}
}

/* Impacts that cancel out leave a solver-driven body on its path. A reader of the contacts must be told: they give its own
 * velocity. */
static void
displacement_report(struct world *world, const struct cluster *cluster, const struct member *member)
{
	const struct body *path = &world->bodies.paths[member->body];

	if (member->told && world->bodies.infos[member->body].mode == MODE_LED)
		path_change_report(world, cluster->time, member->body, PATH_LED, path->vx, path->vy);
}

/* Restores the velocities: the cluster could not be resolved, and its crushed members stop instead. */
static void
cluster_crush(struct world *world, struct cluster *cluster)
{
	for (size_t k = 0; k < cluster->member_count; k++) {
		const struct member *member = &cluster->members[k];

		if (!member->crushed)
			continue;
		world->bodies.infos[member->body].events++;
		body_park(world, member->body, cluster->time, MODE_CRUSHED);
	}
	for (size_t k = 0; k < cluster->member_count; k++) {
		const struct member *member = &cluster->members[k];

		if (member->inverse_mass > 0.0 && !member->crushed) {
			world->bodies.marks[member->body].epoch++;
			predict_body(world, member->body);
		}
	}
	for (size_t k = 0; k < cluster->member_count; k++)
		if (cluster->members[k].crushed)
			predict_body(world, cluster->members[k].body);
}

/* Notes that the rest solver may take both sides at the next substep. */
static void
handover_note(struct world *world, const struct cluster *cluster, const struct pair *pair)
{
	uint32_t body = cluster->members[pair->i].body;

	if (pair->j != NONE ? circles_are_for_events(world, body, cluster->members[pair->j].body)
	                    : wall_is_for_events(world, body, &world->walls.segments[pair->segment]))
		return;
	world->bodies.infos[body].handover |= HANDOVER_HIT;
	if (pair->j != NONE && cluster->members[pair->j].inverse_mass > 0.0)
		world->bodies.infos[cluster->members[pair->j].body].handover |= HANDOVER_HIT;
}

/* A kinematic circle, or a moving wall, does not stop where it pushes, so the bodies that it pushes must not stop either. */
static void
belt_note(struct world *world, const struct cluster *cluster)
{
	bool driven = false;

	for (size_t k = 0; k < cluster->pair_count; k++) {
		const struct pair *pair = &cluster->pairs[k];

		driven = driven ||
		         (pair->impulse > 0.0 &&
		          (pair_wall_moves(pair) || world->bodies.infos[cluster->members[pair->i].body].kind == BODY_KINEMATIC ||
		           (pair->j != NONE && world->bodies.infos[cluster->members[pair->j].body].kind == BODY_KINEMATIC)));
	}
	for (size_t k = 0; driven && k < cluster->member_count; k++)
		world->bodies.infos[cluster->members[k].body].driven = cluster->members[k].inverse_mass > 0.0;
}

static void
is_free_write(struct world *world, uint32_t body)
{
	const struct body_info *info = &world->bodies.infos[body];

	world->bodies.marks[body].is_free = info->kind == BODY_DYNAMIC && info->mode == MODE_MOVING && info->support == NONE;
}

/* For one or two bodies with known neighbours. */
static void
hit_predict(struct world *world, const struct cluster *cluster)
{
	const struct member *members = cluster->members;

	for (uint32_t k = 0; k < cluster->hit; k++)
		if (members[k].primary)
			predict_among(world, members[k].body, cluster->neighbours, cluster->around[k]);
	if (cluster->hit == 2 && (members[0].primary || members[1].primary))
		predict_again(world, members[0].body, members[1].body);
}

static void
cluster_write(struct world *world, struct cluster *cluster)
{
	size_t hits = 0;

	belt_note(world, cluster);
	cluster_tell(cluster);

	for (size_t k = 0; k < cluster->pair_count; k++) {
		const struct pair *pair = &cluster->pairs[k];

		/* Also contacts that rested from the start, without an impact. */
		if (pair->resting)
			handover_note(world, cluster, pair);
		if (!pair->told)
			continue;
		hits++;
		contact_report(world, cluster, pair);
		hits_remember(world, cluster, pair);
		if (pair->effective == 0.0)
			handover_note(world, cluster, pair);
	}
	if (hits > 1)
		world->report.clusters++;
	cluster_raise(cluster);
	ledger_cluster(world, cluster);
	supports_compare(world, cluster);
	bool halted = false;

	for (size_t k = 0; k < cluster->member_count; k++) {
		struct member *member = &cluster->members[k];

		if (member->inverse_mass == 0.0) {
			member->primary = false;
			continue;
		}
		member->primary = member_changed(world, member);
		if (!member->primary) {
			displacement_report(world, cluster, member);
			continue;
		}
		if (world->settings.ignores)
			circle_part_at(world, member->body, cluster->time);
		member_write(world, cluster, member);
		if ((world->bodies.infos[member->body].events >= world->settings.events_per_body_max || member->park) &&
		    member->fate == FATE_NONE) {
			body_park(world, member->body, cluster->time, MODE_PARKED);
			halted = true;
		}
	}
	supports_write(world, cluster);
	if (cluster->fated) {
		fates_write(world, cluster);
		halted = true;
	}
	for (size_t k = 0; k < cluster->member_count; k++)
		is_free_write(world, cluster->members[k].body);
	if (cluster->hit == cluster->member_count && !halted) {
		hit_predict(world, cluster);
		return;
	}
	/* `primary` now says which paths are new. */
	for (size_t k = 0; k < cluster->member_count && !(k >= FEW_MEMBERS && pause_after(MEMBER_UNITS)); k++)
		if (cluster->members[k].primary)
			predict_body(world, cluster->members[k].body);
}

/* Lets a stopped circle go on. One that has no events left is parked instead: else it might stop and go on without end at one
 * time, between what moves and what does not yield. */
static void
stopped_release(struct world *world, uint32_t body, double time)
{
	if (world->bodies.infos[body].events < world->settings.events_per_body_max) {
		body_go_on(world, body, time);
		return;
	}
	body_park(world, body, time, MODE_PARKED);
	predict_body(world, body);
}

/* What is moved and immovable has reached a stopped circle, which therefore goes on. */
static void
stopped_reached(struct world *world, const struct event *event)
{
	const struct body_info *infos = world->bodies.infos;

	/* Only a moving wall comes to such a body. */
	if (infos[event->a].mode == MODE_STOPPED && (event->kind != EVENT_CIRCLES || infos[event->b].kind == BODY_KINEMATIC))
		stopped_release(world, event->a, event->time);
	if (event->kind == EVENT_CIRCLES && infos[event->b].mode == MODE_STOPPED && infos[event->a].kind == BODY_KINEMATIC)
		stopped_release(world, event->b, event->time);
}

/* Lets the stopped members of a cluster go on in which something is crushed between them and what moves. False: there are
 * none. */
static bool
stopped_yield(struct world *world, const struct cluster *cluster)
{
	bool crushed = false, yielded = false;

	for (size_t k = 0; k < cluster->member_count && !crushed; k++)
		crushed = cluster->members[k].crushed;
	for (size_t k = 0; k < cluster->member_count && crushed; k++) {
		uint32_t body = cluster->members[k].body;

		if (world->bodies.infos[body].mode != MODE_STOPPED)
			continue;
		stopped_release(world, body, cluster->time);
		yielded = true;
	}
	return yielded;
}

/* A body has reached one that stands still for the rest of the tick. */
static bool
parked_reached(struct world *world, const struct event *event)
{
	if (event->kind != EVENT_CIRCLES) {
		/* Only a moving wall comes to such a body. */
		if (!mode_stands(world->bodies.infos[event->a].mode))
			return false;
		body_park(world, event->a, event->time, MODE_CRUSHED);
		return true;
	}

	uint32_t still = mode_stands(world->bodies.infos[event->a].mode) ? event->a : event->b;
	uint32_t moving = still == event->a ? event->b : event->a;

	if (!mode_stands(world->bodies.infos[still].mode))
		return false;
	if (world->bodies.infos[moving].kind == BODY_DYNAMIC) {
		body_touch(world, moving);
		world->bodies.infos[moving].events++;
		body_park(world, moving, event->time, MODE_PARKED);
		predict_body(world, moving);
	} else {
		/* The one is immovable, and the other cannot move any more. */
		body_park(world, still, event->time, MODE_CRUSHED);
	}
	return true;
}

static bool
cluster_has_driven(const struct cluster *cluster)
{
	for (size_t k = 0; k < cluster->member_count; k++)
		if (cluster->world->bodies.infos[cluster->members[k].body].mode == MODE_LED)
			return true;
	return false;
}

/* A body that came to rest on a solver-driven one moves uniformly to the end of the substep, as that one does; then the solver
 * takes it. */
static void
cluster_join(struct cluster *cluster)
{
	for (size_t k = 0; k < cluster->pair_count; k++) {
		const struct pair *pair = &cluster->pairs[k];

		if (pair->dropped || (!(pair->impulse > 0.0 && pair->effective == 0.0) && !pair_rests(cluster, pair)))
			continue;
		cluster->members[pair->i].join = true;
		if (pair->j != NONE)
			cluster->members[pair->j].join = true;
	}
	for (size_t k = 0; k < cluster->member_count; k++) {
		struct member *member = &cluster->members[k];

		member->join = member->join && member->inverse_mass > 0.0;
		if (member->join) {
			member->ax = member->ay = 0.0;
		} else if (member->inverse_mass > 0.0 && cluster->world->bodies.infos[member->body].mode == MODE_MOVING) {
			/* It has left what supported it. */
			double gravity[2];

			body_gravity(cluster->world, member->body, gravity);
			member->ax = gravity[0];
			member->ay = gravity[1];
		}
	}
}

struct cluster *
resolve_prepare(struct world *world, const struct event *event)
{
	struct cluster *cluster = &world->scratch.resolver->cluster;

	if (plain_hit_resolve(world, cluster, event))
		return cluster;
	cluster_gather(cluster, world, event);
	if (cluster->fenced)
		return cluster;
	sleep_wake_cluster(world, cluster);
	for (size_t k = 0; k < cluster->member_count; k++)
		body_touch(world, cluster->members[k].body);
	cluster->work = &world->step.work;
	if (!cluster->failed && cluster_pay(world, cluster) && !cluster_bounce(cluster))
		cluster_collide(cluster);
	for (size_t k = 0; k < cluster->member_count && !cluster->failed; k++)
		if (cluster->members[k].crushed)
			return cluster;
	if (world->settings.rules && !cluster->failed)
		cluster_judge(cluster);
	if (!cluster->failed && !world->step.work.spent && cluster_has_driven(cluster))
		cluster_join(cluster);
	else if (!cluster->failed && !world->step.work.spent)
		cluster_rest(cluster);
	for (size_t k = 0; k < cluster->member_count && world->step.work.spent; k++)
		cluster->members[k].park = true;
	return cluster;
}

void
resolve_write(struct world *world, struct cluster *cluster)
{
	if (cluster->failed) {
		world->failed = true;
		return;
	}
	if (cluster->plain) {
		plain_hit_write(world, cluster);
		return;
	}
	for (size_t k = 0; k < cluster->member_count; k++) {
		if (cluster->members[k].crushed) {
			cluster_crush(world, cluster);
			return;
		}
	}
	cluster_write(world, cluster);
}

/* Whether an immovable thing passes over a crushed body. Such events are not predicted. But one may have been while the body
 * was only parked, as the body was then in the cells around. */
static bool
passes_over(const struct world *world, const struct event *event)
{
	if (event->kind != EVENT_CIRCLES)
		return world->bodies.infos[event->a].mode == MODE_CRUSHED;
	return crushed_between(world, event->a, event->b);
}

void
resolve_event(struct world *world, const struct event *event)
{
	/* A free body is not parked, solver-driven or asleep. */
	bool roam = world->bodies.marks[event->a].is_free &&
	            (event->kind != EVENT_CIRCLES || world->bodies.marks[event->b].is_free);

	if (!roam && passes_over(world, event))
		return;
	world->report.events++;
	sleep_wake_event(world, event);
	if (!roam && world->settings.rules)
		stopped_reached(world, event);
	if (!roam && parked_reached(world, event))
		return;
	if (!work_take(&world->step.work, WORK_EVENT)) {
		event_cut(world, event);
		return;
	}
	/* Two that ignore each other until they are apart have no event before. */
	if (world->settings.ignores && event->kind == EVENT_CIRCLES)
		circles_part(world, event->a, event->b);
	if (!roam && handover_event(world, event))
		return;
	struct cluster *cluster = resolve_prepare(world, event);
	if (world->gate.domain && !world->gate.keeps(world->gate.domain, cluster))
		return;
	if (world->settings.rules && stopped_yield(world, cluster)) {
		if (parked_reached(world, event))
			return;
		cluster = resolve_prepare(world, event);
		if (world->gate.domain && !world->gate.keeps(world->gate.domain, cluster))
			return;
	}
	resolve_write(world, cluster);
}
