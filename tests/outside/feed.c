#include "outside/feed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct feed {
	struct outside *outside;
	struct feed_writable columns;
	size_t contact_capacity, change_capacity, event_capacity, shortfall_capacity, end_capacity;
	struct outside_tick tick;
};

static struct outside_circle
circle_of(const struct circle_def *c)
{
	return (struct outside_circle){ .id = c->id,
		                            .kind = (enum outside_kind)c->kind,
		                            .x = c->x,
		                            .y = c->y,
		                            .vx = c->vx,
		                            .vy = c->vy,
		                            .radius = c->radius,
		                            .mass = c->mass,
		                            .spin = c->angular_velocity,
		                            .inertia = c->moment_of_inertia,
		                            .restitution = c->restitution,
		                            .friction = c->friction,
		                            .rolling = c->rolling_resistance,
		                            .surface_speed = c->surface_speed,
		                            .linear_damping = c->linear_damping,
		                            .angular_damping = c->angular_damping,
		                            .gravity_scale = c->gravity_scale,
		                            .category = c->category,
		                            .mask = c->mask,
		                            .group = c->group,
		                            .filter_group = c->filter_group,
		                            .response = (enum outside_response)c->response,
		                            .sensor = c->sensor,
		                            .stop_groups = c->stop_groups,
		                            .remove_groups = c->remove_groups,
		                            .report_groups = c->report_groups,
		                            .lifetime_ticks = c->lifetime_ticks,
		                            .lifetime_s = c->lifetime_s,
		                            .ignore = (enum outside_ignore)c->ignore,
		                            .ignored = c->ignored_circle,
		                            .tag = c->tag };
}

static struct outside_wall
wall_of(const struct segment_def *s)
{
	return (struct outside_wall){ .id = s->id,
		                          .x1 = s->x1,
		                          .y1 = s->y1,
		                          .x2 = s->x2,
		                          .y2 = s->y2,
		                          .radius = s->radius,
		                          .vx = s->vx,
		                          .vy = s->vy,
		                          .restitution = s->restitution,
		                          .friction = s->friction,
		                          .rolling = s->rolling_resistance,
		                          .surface_speed = s->surface_speed,
		                          .category = s->category,
		                          .mask = s->mask,
		                          .group = s->group,
		                          .filter_group = s->filter_group,
		                          .one_sided = s->one_sided,
		                          .sensor = s->sensor,
		                          .disabled = s->disabled };
}

static struct outside_relation
relation_of(const struct relation_def *r)
{
	return (struct outside_relation){ .group_a = r->group_a,
		                              .group_b = r->group_b,
		                              .kind = (enum outside_relation_kind)r->kind,
		                              .has_weight_a = r->has_weight_a,
		                              .has_weight_b = r->has_weight_b,
		                              .has_elasticity = r->has_elasticity,
		                              .weight_a = r->weight_a,
		                              .weight_b = r->weight_b,
		                              .elasticity = r->elasticity };
}

static struct outside *
outside_of(const struct world_def *def)
{
	struct outside_circle *circles = calloc(def->circle_count + 1, sizeof *circles);
	struct outside_wall *walls = calloc(def->segment_count + 1, sizeof *walls);
	struct outside_relation *relations = calloc(def->relation_count + 1, sizeof *relations);
	struct outside *outside = NULL;

	if (circles && walls && relations) {
		for (size_t i = 0; i < def->circle_count; i++)
			circles[i] = circle_of(&def->circles[i]);
		for (size_t i = 0; i < def->segment_count; i++)
			walls[i] = wall_of(&def->segments[i]);
		for (size_t i = 0; i < def->relation_count; i++)
			relations[i] = relation_of(&def->relations[i]);
		outside = outside_create(&(struct outside_scene){
			.gravity_x = def->gravity_x,
			.gravity_y = def->gravity_y,
			.speed_max = def->speed_max,
			.restitution_threshold = def->restitution_threshold,
			.sleep_after = def->sleep_after,
			.restitution_mix = (enum outside_restitution_mix)def->restitution_mix,
			.friction_mix = (enum outside_friction_mix)def->friction_mix,
			.circles = circles,
			.circle_count = def->circle_count,
			.walls = walls,
			.wall_count = def->segment_count,
			.relations = relations,
			.relation_count = def->relation_count,
			.has_bounds = def->has_bounds,
			.bounds = { def->bounds_x_min, def->bounds_y_min, def->bounds_x_max, def->bounds_y_max } });
	}
	free(circles);
	free(walls);
	free(relations);
	return outside;
}

struct feed *
feed_create(const struct world_def *def)
{
	struct feed *feed = calloc(1, sizeof *feed);

	if (!feed)
		return NULL;
	feed->columns.x = calloc(5 * def->circle_count + 1, sizeof(double));
	feed->columns.tag = calloc(def->circle_count + 1, sizeof *feed->columns.tag);
	feed->columns.places = calloc(def->segment_count + 1, sizeof *feed->columns.places);
	feed->outside = outside_of(def);
	if (!feed->columns.x || !feed->columns.tag || !feed->columns.places || !feed->outside) {
		feed_destroy(feed);
		return NULL;
	}
	feed->columns.y = feed->columns.x + def->circle_count;
	feed->columns.vx = feed->columns.y + def->circle_count;
	feed->columns.vy = feed->columns.vx + def->circle_count;
	feed->columns.spin = feed->columns.vy + def->circle_count;
	return feed;
}

void
feed_destroy(struct feed *feed)
{
	if (!feed)
		return;
	outside_destroy(feed->outside);
	free(feed->columns.x);
	free(feed->columns.tag);
	free(feed->columns.places);
	free(feed->columns.ends);
	free(feed->columns.contacts);
	free(feed->columns.changes);
	free(feed->columns.events);
	free(feed->columns.shortfalls);
	free(feed);
}

static void *
grown(void *array, size_t *capacity, size_t count, size_t size)
{
	if (count <= *capacity)
		return array;
	*capacity = 2 * count;
	void *larger = realloc(array, *capacity * size);
	if (!larger)
		abort();
	return larger;
}

static struct outside_contact
contact_of(const struct contact *c)
{
	struct outside_contact out = { .time = c->time,
		                           .a = c->a,
		                           .b = c->b,
		                           .with_wall = c->other == CONTACT_SEGMENT,
		                           .feature = c->feature,
		                           .flags = c->flags,
		                           .approach = c->approach_speed,
		                           .impulse = c->impulse,
		                           .friction_impulse = c->friction_impulse,
		                           .a_spin_before = c->a_spin_before,
		                           .a_spin_after = c->a_spin_after,
		                           .b_spin_before = c->b_spin_before,
		                           .b_spin_after = c->b_spin_after };

	memcpy(out.point, c->point, sizeof out.point);
	memcpy(out.normal, c->normal, sizeof out.normal);
	memcpy(out.a_before, c->a_before, sizeof out.a_before);
	memcpy(out.a_after, c->a_after, sizeof out.a_after);
	memcpy(out.b_before, c->b_before, sizeof out.b_before);
	memcpy(out.b_after, c->b_after, sizeof out.b_after);
	return out;
}

static void
lists_fill(struct feed *feed, const struct tick_report *r)
{
	struct feed_writable *c = &feed->columns;

	c->contacts = grown(c->contacts, &feed->contact_capacity, r->contact_count, sizeof *c->contacts);
	c->changes = grown(c->changes, &feed->change_capacity, r->path_change_count, sizeof *c->changes);
	c->events = grown(c->events, &feed->event_capacity, r->pair_event_count, sizeof *c->events);
	c->shortfalls = grown(c->shortfalls, &feed->shortfall_capacity, r->shortfall_count, sizeof *c->shortfalls);
	for (size_t i = 0; i < r->contact_count; i++)
		c->contacts[i] = contact_of(&r->contacts[i]);
	for (size_t i = 0; i < r->path_change_count; i++) {
		const struct path_change *p = &r->path_changes[i];
		c->changes[i] = (struct outside_change){
			p->time, p->body, (enum outside_change_kind)p->kind, { p->vector[0], p->vector[1] }
		};
	}
	for (size_t i = 0; i < r->pair_event_count; i++) {
		const struct pair_event *e = &r->pair_events[i];
		c->events[i] = (struct outside_event){ e->time, e->a, e->b, e->other == CONTACT_SEGMENT,
			                                   (enum outside_event_kind)e->kind };
	}
	for (size_t i = 0; i < r->shortfall_count; i++)
		c->shortfalls[i] = (struct outside_shortfall){ r->shortfalls[i].body, r->shortfalls[i].flag, r->shortfalls[i].amount };
	c->ends = grown(c->ends, &feed->end_capacity, r->end_count, sizeof *c->ends);
	for (size_t i = 0; i < r->end_count; i++) {
		const struct body_end *e = &r->ends[i];
		c->ends[i] = (struct outside_end){ e->time,
			                               e->body,
			                               (enum outside_reason)e->reason,
			                               e->tag,
			                               { e->position[0], e->position[1] },
			                               { e->velocity[0], e->velocity[1] } };
	}
	for (size_t i = 0; i < r->place_count; i++) {
		const struct segment_place *p = &r->places[i];
		c->places[i] = (struct outside_place){ p->id, p->x1, p->y1, p->x2, p->y2 };
	}
}

static void
ledgers_fill(struct outside_tick *tick, const struct tick_report *r)
{
	const struct energy_ledger *e = &r->energy;

	tick->has_ledger = true;
	const double parts[] = { e->contact, e->work, e->push, e->clip, e->support, e->sleep, e->damping, e->removed };
	tick->energy_parts = tick->energy_gross = 0;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		tick->energy_parts += parts[i];
		tick->energy_gross += fabs(parts[i]);
	}
	tick->energy_removed = e->removed;
	tick->kinetic_before = e->kinetic_before;
	tick->kinetic_after = e->kinetic_after;
	tick->potential_before = e->potential_before;
	tick->potential_after = e->potential_after;
	memcpy(tick->momentum_before, r->momentum.before, sizeof tick->momentum_before);
	memcpy(tick->momentum_after, r->momentum.after, sizeof tick->momentum_after);
	memcpy(tick->momentum_gravity, r->momentum.gravity, sizeof tick->momentum_gravity);
	memcpy(tick->momentum_outside, r->momentum.outside, sizeof tick->momentum_outside);
}

struct outside_tick *
feed_columns(struct feed *feed, const struct world *world, double dt, const struct tick_report *r)
{
	struct feed_writable *c = &feed->columns;

	world_copy_bodies(world, NULL, c->x, c->y, c->vx, c->vy);
	for (size_t i = 0; i < world_body_count(world); i++) {
		c->spin[i] = world_body(world, i).angular_velocity;
		c->tag[i] = world_body(world, i).tag;
	}
	lists_fill(feed, r);
	feed->tick = (struct outside_tick){ .dt = dt,
		                                .state_count = world_body_count(world),
		                                .x = c->x,
		                                .y = c->y,
		                                .vx = c->vx,
		                                .vy = c->vy,
		                                .spin = c->spin,
		                                .tag = c->tag,
		                                .resolved = r->events,
		                                .contacts = c->contacts,
		                                .contact_count = r->contact_count,
		                                .changes = c->changes,
		                                .change_count = r->path_change_count,
		                                .events = c->events,
		                                .event_count = r->pair_event_count,
		                                .shortfalls = c->shortfalls,
		                                .shortfall_count = r->shortfall_count,
		                                .ends = c->ends,
		                                .end_count = r->end_count,
		                                .places = c->places,
		                                .place_count = r->place_count };
	ledgers_fill(&feed->tick, r);
	return &feed->tick;
}

void
feed_tick(struct feed *feed, const struct world *world, double dt, const struct tick_report *report)
{
	outside_tick(feed->outside, feed_columns(feed, world, dt, report));
}

struct feed_writable
feed_writable(struct feed *feed)
{
	return feed->columns;
}

struct outside *
feed_outside(struct feed *feed)
{
	return feed->outside;
}
