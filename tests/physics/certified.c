#include "physics/certified.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a tick, relative to what moved in it. */
#define LEDGER_ERROR_MAX 1e-9

struct certified {
	struct certificate *certificate;
	size_t body_count;
	double *columns; /* x, y, vx, vy, spin of all bodies */
	struct certificate_contact *contacts;
	size_t contact_capacity;
	struct certificate_path_change *changes;
	size_t change_capacity;
	struct certificate_pair_event *events;
	size_t event_capacity;
	struct certificate_place *places; /* as many as segments */
	struct certificate_end *ends;
	size_t end_capacity;
	unsigned told;
	double hit_speed;
	double energy_error, momentum_error;
};

/* The engine's enums and the certificate's have the same numbers by contract; a cast relies on it. */
static_assert((int)BODY_DYNAMIC == (int)CERTIFICATE_DYNAMIC && (int)BODY_KINEMATIC == (int)CERTIFICATE_KINEMATIC &&
                  (int)BODY_STATIC == (int)CERTIFICATE_STATIC,
              "kinds differ");
static_assert((int)PAIR_EVENT_BEGIN == (int)CERTIFICATE_BEGIN && (int)PAIR_EVENT_HIT == (int)CERTIFICATE_HIT &&
                  (int)PAIR_EVENT_PERSIST == (int)CERTIFICATE_PERSIST && (int)PAIR_EVENT_END == (int)CERTIFICATE_END &&
                  (int)PAIR_EVENT_ENTER == (int)CERTIFICATE_ENTER && (int)PAIR_EVENT_EXIT == (int)CERTIFICATE_EXIT,
              "kinds of events differ");
static_assert((int)PATH_PUSHED == (int)CERTIFICATE_PUSHED && (int)PATH_SUPPORTED == (int)CERTIFICATE_SUPPORTED &&
                  (int)PATH_FREE == (int)CERTIFICATE_FREE && (int)PATH_PARKED == (int)CERTIFICATE_PARKED &&
                  (int)PATH_CRUSHED == (int)CERTIFICATE_CRUSHED && (int)PATH_LED == (int)CERTIFICATE_LED &&
                  (int)PATH_RELEASED == (int)CERTIFICATE_RELEASED && (int)PATH_ASLEEP == (int)CERTIFICATE_ASLEEP &&
                  (int)PATH_WOKEN == (int)CERTIFICATE_WOKEN && (int)PATH_KICKED == (int)CERTIFICATE_KICKED &&
                  (int)PATH_STOPPED == (int)CERTIFICATE_STOPPED,
              "path kinds differ");
static_assert((int)END_CONTACT == (int)CERTIFICATE_END_CONTACT && (int)END_LIFETIME == (int)CERTIFICATE_END_LIFETIME &&
                  (int)END_BOUNDS == (int)CERTIFICATE_END_BOUNDS && (int)IGNORE_NONE == (int)CERTIFICATE_IGNORE_NONE &&
                  (int)IGNORE_ALWAYS == (int)CERTIFICATE_IGNORE_ALWAYS &&
                  (int)IGNORE_UNTIL_APART == (int)CERTIFICATE_IGNORE_UNTIL_APART,
              "rules differ");
static_assert((int)RESPONSE_BOUNCE == (int)CERTIFICATE_BOUNCE && (int)RESPONSE_SLIDE == (int)CERTIFICATE_SLIDE &&
                  (int)RESPONSE_STOP == (int)CERTIFICATE_STOP,
              "responses differ");
static_assert((int)RELATION_KIND_BOUNCE == (int)CERTIFICATE_RELATION_BOUNCE &&
                  (int)RELATION_KIND_NONE == (int)CERTIFICATE_RELATION_NONE &&
                  (int)RELATION_KIND_SENSOR == (int)CERTIFICATE_RELATION_SENSOR &&
                  (int)RELATION_KIND_MOVE == (int)CERTIFICATE_RELATION_MOVE &&
                  (int)RELATION_KIND_ONE_SIDED == (int)CERTIFICATE_RELATION_ONE_SIDED,
              "kinds of relations differ");

static struct certificate_circle
circle_convert(const struct circle_def *def)
{
	return (struct certificate_circle){
		.id = def->id,
		.kind = (enum certificate_kind)def->kind,
		.x = def->x,
		.y = def->y,
		.vx = def->vx,
		.vy = def->vy,
		.radius = def->radius,
		.mass = def->mass,
		.restitution = def->restitution,
		.category = def->category,
		.mask = def->mask,
		.angular_velocity = def->angular_velocity,
		.surface_speed = def->surface_speed,
		.rolling_resistance = def->rolling_resistance,
		.linear_damping = def->linear_damping,
		.angular_damping = def->angular_damping,
		.gravity_scale = def->gravity_scale,
		.response = (enum certificate_response)def->response,
		.sensor = def->sensor,
		.filter_group = def->filter_group,
		.group = def->group,
		.stop_groups = def->stop_groups,
		.remove_groups = def->remove_groups,
		.report_groups = def->report_groups,
		.lifetime_ticks = def->lifetime_ticks,
		.lifetime_s = def->lifetime_s,
		.ignore = (enum certificate_ignore)def->ignore,
		.ignored_circle = def->ignored_circle,
	};
}

static struct certificate_segment
segment_convert(const struct segment_def *def)
{
	return (struct certificate_segment){
		.id = def->id,
		.x1 = def->x1,
		.y1 = def->y1,
		.x2 = def->x2,
		.y2 = def->y2,
		.restitution = def->restitution,
		.category = def->category,
		.mask = def->mask,
		.surface_speed = def->surface_speed,
		.rolling_resistance = def->rolling_resistance,
		.sensor = def->sensor,
		.radius = def->radius,
		.one_sided = def->one_sided,
		.filter_group = def->filter_group,
		.group = def->group,
		.vx = def->vx,
		.vy = def->vy,
		.disabled = def->disabled,
	};
}

static struct certificate_relation
relation_convert(const struct relation_def *def)
{
	return (struct certificate_relation){
		.group_a = def->group_a,
		.group_b = def->group_b,
		.kind = (enum certificate_relation_kind)def->kind,
		.has_weight_a = def->has_weight_a,
		.has_weight_b = def->has_weight_b,
		.has_elasticity = def->has_elasticity,
		.weight_a = def->weight_a,
		.weight_b = def->weight_b,
		.elasticity = def->elasticity,
	};
}

static struct certificate_contact
contact_convert(const struct contact *contact)
{
	struct certificate_contact out = {
		.time = contact->time,
		.a = contact->a,
		.b = contact->b,
		.with_segment = contact->other == CONTACT_SEGMENT,
		.by_mass = (contact->flags & CONTACT_BY_MASS) != 0,
		.a_stopped = (contact->flags & CONTACT_A_STOPPED) != 0,
		.b_stopped = (contact->flags & CONTACT_B_STOPPED) != 0,
		.feature = contact->feature,
		.approach_speed = contact->approach_speed,
		.impulse = contact->impulse,
		.friction_impulse = contact->friction_impulse,
		.a_spin_before = contact->a_spin_before,
		.a_spin_after = contact->a_spin_after,
		.b_spin_before = contact->b_spin_before,
		.b_spin_after = contact->b_spin_after,
	};
	memcpy(out.point, contact->point, sizeof out.point);
	memcpy(out.normal, contact->normal, sizeof out.normal);
	memcpy(out.a_before, contact->a_before, sizeof out.a_before);
	memcpy(out.a_after, contact->a_after, sizeof out.a_after);
	memcpy(out.b_before, contact->b_before, sizeof out.b_before);
	memcpy(out.b_after, contact->b_after, sizeof out.b_after);
	return out;
}

static struct certificate_pair_event
pair_event_convert(const struct pair_event *event)
{
	return (struct certificate_pair_event){
		.time = event->time,
		.a = event->a,
		.b = event->b,
		.with_segment = event->other == CONTACT_SEGMENT,
		.kind = (enum certificate_pair_event_kind)event->kind,
		.impulse = event->impulse,
	};
}

static struct certificate *
certificate_of(const struct world_def *def, const bool *asleep)
{
	/* One more than needed, so that an empty scene is not a NULL that means "no memory". */
	struct certificate_circle *circles = calloc(def->circle_count + 1, sizeof *circles);
	struct certificate_segment *segments = calloc(def->segment_count + 1, sizeof *segments);
	struct certificate_relation *relations = calloc(def->relation_count + 1, sizeof *relations);
	struct certificate *certificate = NULL;
	if (circles && segments && relations) {
		for (size_t i = 0; i < def->relation_count; i++)
			relations[i] = relation_convert(&def->relations[i]);
		for (size_t i = 0; i < def->circle_count; i++)
			circles[i] = circle_convert(&def->circles[i]);
		for (size_t i = 0; i < def->circle_count && asleep; i++)
			circles[i].asleep = asleep[i];
		for (size_t i = 0; i < def->segment_count; i++)
			segments[i] = segment_convert(&def->segments[i]);
		const struct certificate_scene scene = {
			.gravity_x = def->gravity_x,
			.gravity_y = def->gravity_y,
			.circles = circles,
			.circle_count = def->circle_count,
			.segments = segments,
			.segment_count = def->segment_count,
			.speed_max = def->speed_max,
			.restitution_threshold = def->restitution_threshold,
			.relations = relations,
			.relation_count = def->relation_count,
			.has_bounds = def->has_bounds,
			.bounds = { def->bounds_x_min, def->bounds_y_min, def->bounds_x_max, def->bounds_y_max },
		};
		if (certificate_create(&scene, &certificate) != STATUS_OK)
			certificate = NULL;
	}
	free(circles);
	free(segments);
	free(relations);
	return certificate;
}

struct certified *
certified_resume(const struct world_def *def, const bool *asleep)
{
	struct certified *certified = calloc(1, sizeof *certified);
	if (!certified)
		return NULL;
	certified->body_count = def->circle_count;
	certified->columns = calloc(5 * def->circle_count + 1, sizeof *certified->columns);
	certified->places = calloc(def->segment_count + 1, sizeof *certified->places);
	certified->certificate = certificate_of(def, asleep);
	certified->told = CERTIFICATE_TOLD_SENSORS;
	if (def->events & (WORLD_EVENTS_TOUCH | WORLD_EVENTS_PERSIST))
		certified->told |= CERTIFICATE_TOLD_TOUCHES;
	if (def->events & WORLD_EVENTS_PERSIST)
		certified->told |= CERTIFICATE_TOLD_PERSIST;
	certified->hit_speed = def->hit_speed;
	if (!certified->columns || !certified->places || !certified->certificate) {
		certified_destroy(certified);
		return NULL;
	}
	return certified;
}

struct certified *
certified_create(const struct world_def *def)
{
	return certified_resume(def, NULL);
}

void
certified_destroy(struct certified *certified)
{
	if (!certified)
		return;
	certificate_destroy(certified->certificate);
	free(certified->columns);
	free(certified->contacts);
	free(certified->changes);
	free(certified->events);
	free(certified->places);
	free(certified->ends);
	free(certified);
}

static bool
scratch_reserve(struct certified *certified, size_t contacts, size_t changes, size_t events)
{
	if (events > certified->event_capacity) {
		void *grown = realloc(certified->events, 2 * events * sizeof *certified->events);
		if (!grown)
			return false;
		certified->events = grown;
		certified->event_capacity = 2 * events;
	}
	if (contacts > certified->contact_capacity) {
		void *grown = realloc(certified->contacts, 2 * contacts * sizeof *certified->contacts);
		if (!grown)
			return false;
		certified->contacts = grown;
		certified->contact_capacity = 2 * contacts;
	}
	if (changes > certified->change_capacity) {
		void *grown = realloc(certified->changes, 2 * changes * sizeof *certified->changes);
		if (!grown)
			return false;
		certified->changes = grown;
		certified->change_capacity = 2 * changes;
	}
	return true;
}

static double
worse(double worst, double value)
{
	/* So that NaN is the worst. */
	return value <= worst ? worst : value;
}

/* What the ledgers leave unexplained, of all that moved. */
static void
ledgers_check(struct certified *certified, const struct world *world, const struct tick_report *report)
{
	const struct energy_ledger *e = &report->energy;
	const double kinetic = e->kinetic_after - e->kinetic_before, potential = e->potential_after - e->potential_before;
	const double rest = kinetic + potential -
	                    (e->contact + e->work + e->push + e->clip + e->support + e->sleep + e->damping + e->removed);
	/* The potential energy is as large as the coordinates are: its rounding too. */
	const double energies = fabs(e->kinetic_before) + fabs(e->kinetic_after) + fabs(e->potential_before) +
	                        fabs(e->potential_after) + fabs(e->contact) + fabs(e->work) + fabs(e->push) + fabs(e->clip) +
	                        fabs(e->support) + fabs(e->sleep) + fabs(e->damping) + fabs(e->removed);
	double momenta = 0;
	for (size_t i = 0; i < world_body_count(world); i++) {
		const struct body_state body = world_body(world, i);
		if (body.kind == BODY_DYNAMIC)
			momenta += body.mass * (fabs(body.vx) + fabs(body.vy));
	}
	const struct momentum_ledger *m = &report->momentum;
	for (int k = 0; k < 2; k++)
		momenta += fabs(m->gravity[k]) + fabs(m->outside[k]);
	for (size_t i = 0; i < report->contact_count; i++)
		momenta += fabs(report->contacts[i].impulse);
	certified->energy_error = worse(certified->energy_error, energies > 0 ? fabs(rest) / energies : fabs(rest));
	for (int k = 0; k < 2; k++) {
		const double left = fabs(m->after[k] - m->before[k] - m->gravity[k] - m->outside[k]);
		certified->momentum_error = worse(certified->momentum_error, momenta > 0 ? left / momenta : left);
	}
}

double
certified_energy_error(const struct certified *certified)
{
	return certified->energy_error;
}

double
certified_momentum_error(const struct certified *certified)
{
	return certified->momentum_error;
}

static bool
ends_convert(struct certified *certified, const struct tick_report *report)
{
	if (report->end_count > certified->end_capacity) {
		void *grown = realloc(certified->ends, 2 * report->end_count * sizeof *certified->ends);
		if (!grown)
			return false;
		certified->ends = grown;
		certified->end_capacity = 2 * report->end_count;
	}
	for (size_t i = 0; i < report->end_count; i++) {
		const struct body_end *end = &report->ends[i];
		certified->ends[i] = (struct certificate_end){
			.time = end->time,
			.body = end->body,
			.reason = (enum certificate_end_reason)end->reason,
			.position = { end->position[0], end->position[1] },
			.velocity = { end->velocity[0], end->velocity[1] },
		};
	}
	return true;
}

enum status
certified_tick(struct certified *certified, const struct world *world, double dt, const struct tick_report *report)
{
	if (!scratch_reserve(certified, report->contact_count, report->path_change_count, report->pair_event_count) ||
	    !ends_convert(certified, report))
		return STATUS_RESOURCE_EXHAUSTED;
	const size_t n = world_body_count(world);
	assert(n <= certified->body_count);
	double *x = certified->columns, *y = x + n, *vx = y + n, *vy = vx + n, *spin = vy + n;
	world_copy_bodies(world, NULL, x, y, vx, vy);
	for (size_t i = 0; i < n; i++)
		spin[i] = world_body(world, i).angular_velocity;
	for (size_t i = 0; i < report->contact_count; i++)
		certified->contacts[i] = contact_convert(&report->contacts[i]);
	for (size_t i = 0; i < report->path_change_count; i++) {
		const struct path_change *change = &report->path_changes[i];
		certified->changes[i] = (struct certificate_path_change){
			.time = change->time,
			.body = change->body,
			.kind = (enum certificate_path_kind)change->kind,
			.vector = { change->vector[0], change->vector[1] },
		};
	}
	for (size_t i = 0; i < report->pair_event_count; i++)
		certified->events[i] = pair_event_convert(&report->pair_events[i]);
	for (size_t i = 0; i < report->place_count; i++) {
		const struct segment_place *place = &report->places[i];
		certified->places[i] = (struct certificate_place){ place->id, place->x1, place->y1, place->x2, place->y2 };
	}
	const struct certificate_tick tick = {
		.dt = dt,
		.state_count = n,
		.x = x,
		.y = y,
		.vx = vx,
		.vy = vy,
		.spin = spin,
		.contacts = certified->contacts,
		.contact_count = report->contact_count,
		.path_changes = certified->changes,
		.path_change_count = report->path_change_count,
		.pair_events = certified->events,
		.pair_event_count = report->pair_event_count,
		.told = certified->told,
		.hit_speed = certified->hit_speed,
		.places_told = true,
		.places = certified->places,
		.place_count = report->place_count,
		.ends = certified->ends,
		.end_count = report->end_count,
	};
	ledgers_check(certified, world, report);
	return certificate_tick(certified->certificate, &tick);
}

const struct certificate_report *
certified_report(const struct certified *certified)
{
	return certificate_report(certified->certificate);
}

bool
certified_clean(const struct certified *certified)
{
	const struct certificate_report *report = certified_report(certified);
	return report->overlaps == 0 && report->escapes == 0 && report->jumps == 0 && report->energy_faults == 0 &&
	       report->event_faults == 0 && certified->energy_error <= LEDGER_ERROR_MAX &&
	       certified->momentum_error <= LEDGER_ERROR_MAX;
}
