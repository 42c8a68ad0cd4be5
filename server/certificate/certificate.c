#include "certificate/certificate.h"
#include "certificate/broad_phase.h"
#include "certificate/cert_damping.h"
#include "certificate/cert_problem.h"
#include "certificate/contact_check.h"
#include "certificate/energy.h"
#include "certificate/escape.h"
#include "certificate/overlap.h"
#include "certificate/pair_events.h"
#include "certificate/path.h"
#include "certificate/push.h"
#include "certificate/rules.h"
#include "certificate/shapes.h"
#include "certificate/wall_motion.h"

#include <inttypes.h>
#include <stdlib.h>

struct certificate {
	struct cert_shapes shapes;
	struct cert_paths paths;
	struct cert_sweep sweep;
	struct cert_overlaps overlaps;
	double *start_spin;
	struct cert_pair_events events;
	struct cert_energies energies;
	size_t *state; /* of each body: its place in the tick's columns, or its row of ends; SIZE_MAX: it is gone */
	struct cert_vec *start_p, *start_v; /* of each body: the state that the next tick starts from */
	struct certificate_report report;
};

enum status
certificate_create(const struct certificate_scene *scene, struct certificate **out)
{
	struct certificate *certificate = calloc(1, sizeof *certificate);

	if (!certificate)
		return STATUS_RESOURCE_EXHAUSTED;
	certificate->start_p = calloc(scene->circle_count + 1, sizeof *certificate->start_p);
	certificate->start_v = calloc(scene->circle_count + 1, sizeof *certificate->start_v);
	certificate->start_spin = calloc(scene->circle_count + 1, sizeof *certificate->start_spin);
	certificate->state = calloc(scene->circle_count + 1, sizeof *certificate->state);
	if (!certificate->start_p || !certificate->start_v || !certificate->start_spin || !certificate->state ||
	    !cert_shapes_init(&certificate->shapes, scene, certificate->start_p, certificate->start_v, certificate->start_spin) ||
	    !cert_paths_init(&certificate->paths, scene->circle_count) ||
	    !cert_sweep_init(&certificate->sweep, &certificate->shapes) ||
	    !cert_energies_init(&certificate->energies, scene->circle_count)) {
		certificate_destroy(certificate);
		return STATUS_RESOURCE_EXHAUSTED;
	}
	for (size_t i = 0; i < scene->circle_count; i++)
		certificate->paths.asleep[cert_body_find(&certificate->shapes, scene->circles[i].id)] = scene->circles[i].asleep;
	cert_overlaps_init(&certificate->overlaps);
	for (size_t i = 0; i < scene->open_count; i++) {
		if (!cert_pair_events_open(&certificate->events, &certificate->shapes, &scene->open[i])) {
			certificate_destroy(certificate);
			return STATUS_RESOURCE_EXHAUSTED;
		}
	}
	certificate->report.start_tick = scene->start_tick;
	*out = certificate;
	return STATUS_OK;
}

void
certificate_destroy(struct certificate *certificate)
{
	if (!certificate)
		return;
	cert_overlaps_finish(&certificate->overlaps);
	cert_pair_events_finish(&certificate->events);
	cert_energies_finish(&certificate->energies);
	cert_sweep_finish(&certificate->sweep);
	cert_paths_finish(&certificate->paths);
	cert_shapes_finish(&certificate->shapes);
	free(certificate->start_p);
	free(certificate->start_v);
	free(certificate->start_spin);
	free(certificate->state);
	free(certificate);
}

const struct certificate_report *
certificate_report(const struct certificate *certificate)
{
	return &certificate->report;
}

static bool
pair_finite(const double pair[2])
{
	return isfinite(pair[0]) && isfinite(pair[1]);
}

static bool
contact_valid(const struct cert_shapes *shapes, const struct certificate_contact *contact)
{
	bool known = cert_body_find(shapes, contact->a) != SIZE_MAX &&
	             (contact->with_segment ? cert_wall_find(shapes, contact->b) : cert_body_find(shapes, contact->b)) != SIZE_MAX;

	return known && isfinite(contact->time) && isfinite(contact->approach_speed) && isfinite(contact->impulse) &&
	       isfinite(contact->friction_impulse) && pair_finite(contact->point) && pair_finite(contact->normal) &&
	       isfinite(contact->a_spin_before) && isfinite(contact->a_spin_after) && isfinite(contact->b_spin_before) &&
	       isfinite(contact->b_spin_after) && pair_finite(contact->a_before) && pair_finite(contact->a_after) &&
	       pair_finite(contact->b_before) && pair_finite(contact->b_after);
}

/* Which bodies end, and where the states of the others are. False: that cannot be told. */
static bool
ends_valid(struct certificate *certificate, const struct certificate_tick *tick)
{
	const struct cert_shapes *shapes = &certificate->shapes;
	double *ended = certificate->paths.ended;
	size_t next = 0;

	for (size_t i = 0; i < shapes->body_count; i++)
		ended[i] = HUGE_VAL;
	for (size_t k = 0; k < tick->end_count; k++) {
		const struct certificate_end *end = &tick->ends[k];
		size_t i = cert_body_find(shapes, end->body);

		if (i == SIZE_MAX || shapes->bodies[i].gone || ended[i] < HUGE_VAL || !(end->time >= 0 && end->time <= tick->dt) ||
		    !pair_finite(end->position) || !pair_finite(end->velocity) || (unsigned)end->reason > CERTIFICATE_END_BOUNDS) {
			cert_problem_jump(&certificate->report, 0, "end %zu is not finite, or not of a circle that is there", k);
			return false;
		}
		ended[i] = end->time;
		certificate->state[i] = k;
	}
	for (size_t i = 0; i < shapes->body_count; i++)
		if (!shapes->bodies[i].gone && ended[i] == HUGE_VAL)
			certificate->state[i] = next++;
	if (tick->state_count != 0 && tick->state_count != next) {
		cert_problem_jump(&certificate->report, 0, "%zu states of %zu circles", tick->state_count, next);
		return false;
	}
	return true;
}

/* Unknown ids and numbers that are none: nothing can be rebuilt from them. */
static bool
tick_valid(struct certificate *certificate, const struct certificate_tick *tick)
{
	const struct cert_shapes *shapes = &certificate->shapes;
	struct certificate_report *report = &certificate->report;

	if (!isfinite(tick->dt) || tick->dt <= 0) {
		cert_problem_jump(report, 0, "the tick's length is %g", tick->dt);
		return false;
	}
	if (!ends_valid(certificate, tick))
		return false;
	for (size_t i = 0; i < shapes->body_count; i++) {
		size_t k = certificate->state[i];

		if (shapes->bodies[i].gone || certificate->paths.ended[i] < HUGE_VAL)
			continue;
		if (!isfinite(tick->x[k]) || !isfinite(tick->y[k]) || !isfinite(tick->vx[k]) || !isfinite(tick->vy[k]) ||
		    (tick->spin && !isfinite(tick->spin[k]))) {
			cert_problem_jump(report, 0, "the state of circle %" PRIu32 " is not finite", shapes->bodies[i].id);
			return false;
		}
	}
	for (size_t i = 0; i < tick->contact_count; i++) {
		if (!contact_valid(shapes, &tick->contacts[i])) {
			cert_problem_jump(report, 0, "contact %zu is not finite or names an unknown id", i);
			return false;
		}
	}
	for (size_t i = 0; i < tick->place_count; i++) {
		const struct certificate_place *place = &tick->places[i];

		if (!isfinite(place->x1) || !isfinite(place->y1) || !isfinite(place->x2) || !isfinite(place->y2)) {
			cert_problem_jump(report, 0, "the place of segment %" PRIu32 " is not finite", place->id);
			return false;
		}
	}
	for (size_t i = 0; i < tick->path_change_count; i++) {
		const struct certificate_path_change *change = &tick->path_changes[i];

		if (cert_body_find(shapes, change->body) == SIZE_MAX || !isfinite(change->time) || !pair_finite(change->vector) ||
		    (unsigned int)change->kind > CERTIFICATE_STOPPED) {
			cert_problem_jump(report, 0, "path change %zu is not finite or names an unknown id or kind", i);
			return false;
		}
	}
	return true;
}

/* For the broad phase's search around the way from the rebuilt end to the streamed one. */
struct leap {
	struct certificate *certificate;
	struct cert_vec from, to;
	double time;
};

static void
on_leap_wall(void *context, const struct cert_stretch *stretch, size_t index)
{
	struct leap *leap = context;
	const struct cert_shapes *shapes = &leap->certificate->shapes;

	const struct cert_body *body = &shapes->bodies[stretch->body];
	const struct cert_wall *wall = &shapes->walls[index];

	if (cert_body_meets_wall(shapes, body, wall) &&
	    cert_wall_crossed(wall, cert_wall_one_sided(shapes, body, wall), cert_point_seen(wall, leap->from, leap->time),
	                      cert_point_seen(wall, leap->to, leap->time)))
		cert_problem_escape(&leap->certificate->report, body->id, wall->id, HUGE_VAL);
}

/* A state that is not where its path ends may have been put behind a wall. */
static void
leap_check(struct certificate *certificate, size_t index, struct cert_vec from, struct cert_vec to, double time)
{
	struct leap leap = { certificate, from, to, time };
	struct cert_stretch stretch = { .box = { { cert_min(from.x, to.x), cert_min(from.y, to.y) },
		                                     { cert_max(from.x, to.x), cert_max(from.y, to.y) } },
		                            .body = (uint32_t)index };

	cert_sweep_walls(&certificate->sweep, &certificate->shapes, &stretch, on_leap_wall, &leap);
}

/* The streamed end of every body is where its path ends, with the velocity it has there. */
static void
ends_check(struct certificate *certificate, const struct certificate_tick *tick)
{
	const struct cert_paths *paths = &certificate->paths;
	struct certificate_report *report = &certificate->report;

	for (size_t i = 0; i < certificate->shapes.body_count; i++) {
		const struct cert_body *body = &certificate->shapes.bodies[i];
		if (body->gone)
			continue;
		size_t k = certificate->state[i];
		bool ends = paths->ended[i] < HUGE_VAL;
		struct cert_vec p = ends ? cert_vec_from(tick->ends[k].position) : (struct cert_vec){ tick->x[k], tick->y[k] };
		struct cert_vec v = ends ? cert_vec_from(tick->ends[k].velocity) : (struct cert_vec){ tick->vx[k], tick->vy[k] };
		double off = cert_length(cert_sub(p, paths->p[i])), speed_off = cert_reach(cert_sub(v, paths->v[i]));
		double speed = cert_max(cert_max(cert_reach(v), cert_reach(paths->v[i])), paths->fastest);

		if (!(off <= 2 * paths->slop[i])) {
			cert_problem_jump(report, off / body->radius, "circle %" PRIu32 " ends %.3g away from its path", body->id, off);
			leap_check(certificate, i, paths->p[i], p, tick->dt);
		}
		if (!(speed_off <= paths->velocity_slop[i])) {
			cert_problem_jump(report, speed_off / speed, "circle %" PRIu32 " ends with a velocity %.3g off its path's",
			                  body->id, speed_off);
		}
		if (tick->spin && !ends && paths->spin_known[i] && !cert_spin_same(tick->spin[k], paths->spin[i])) {
			cert_problem_jump(report, 1, "circle %" PRIu32 " ends with a spin of %.17g where it should have %.17g", body->id,
			                  tick->spin[k], paths->spin[i]);
		}
	}
}

static enum status
tick_check(struct certificate *certificate, const struct certificate_tick *tick)
{
	const struct cert_shapes *shapes = &certificate->shapes;
	struct cert_paths *paths = &certificate->paths;
	struct certificate_report *report = &certificate->report;
	struct cert_scan scan = { .shapes = shapes,
		                      .paths = paths,
		                      .sweep = &certificate->sweep,
		                      .start_p = report->ticks == 1 ? certificate->start_p : NULL,
		                      .dt = tick->dt,
		                      .report = report };

	cert_walls_begin(&certificate->shapes, tick, report);

	for (size_t i = 0; i < shapes->body_count; i++) {
		paths->p[i] = certificate->start_p[i];
		paths->v[i] = certificate->start_v[i];
		paths->spin[i] = certificate->start_spin[i];
	}
	if (!cert_paths_build(paths, shapes, tick, report))
		return STATUS_RESOURCE_EXHAUSTED;
	cert_touches_check(shapes, paths, tick, report);
	if (!cert_energies_check(&certificate->energies, shapes, paths, tick, report))
		return STATUS_RESOURCE_EXHAUSTED;
	ends_check(certificate, tick);
	cert_rules_check(shapes, paths, tick, report);
	if (tick->told != 0 && !cert_pair_events_check(&certificate->events, shapes, paths, tick, report))
		return STATUS_RESOURCE_EXHAUSTED;
	if (!cert_pushes_check(shapes, paths, certificate->start_p, &certificate->sweep, report) ||
	    !cert_sweep_fill(&certificate->sweep, shapes, paths, tick->dt) || !cert_overlaps_scan(&certificate->overlaps, &scan))
		return STATUS_RESOURCE_EXHAUSTED;
	return STATUS_OK;
}

enum status
certificate_tick(struct certificate *certificate, const struct certificate_tick *tick)
{
	certificate->report.ticks++;
	certificate->report.contacts += tick->contact_count;
	if (!tick_valid(certificate, tick))
		return STATUS_INVALID_ARGUMENT;
	enum status status = tick_check(certificate, tick);
	cert_walls_finish(&certificate->shapes);
	for (size_t i = 0; i < certificate->shapes.body_count; i++) {
		struct cert_body *body = &certificate->shapes.bodies[i];
		size_t k = certificate->state[i];

		body->gone = body->gone || certificate->paths.ended[i] < HUGE_VAL;
		if (body->gone)
			continue;
		certificate->start_p[i] = (struct cert_vec){ tick->x[k], tick->y[k] };
		certificate->start_v[i] = (struct cert_vec){ tick->vx[k], tick->vy[k] };
		certificate->start_spin[i] = tick->spin ? tick->spin[k] : 0;
	}
	cert_rules_settle(&certificate->shapes, certificate->start_p, tick->dt);
	return status;
}
