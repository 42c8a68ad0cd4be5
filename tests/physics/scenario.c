#include "physics/scenario.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void
scenario_init(struct scenario *scenario)
{
	*scenario = (struct scenario){ .def = world_def_default() };
}

void
scenario_finish(struct scenario *scenario)
{
	free(scenario->circles);
	free(scenario->segments);
}

/* Room for one more element of `size` bytes. */
static void
grow(void *array_pointer, size_t count, size_t *capacity, size_t size)
{
	void **array = array_pointer;
	if (count < *capacity)
		return;
	*capacity = *capacity ? 2 * *capacity : 16;
	*array = realloc(*array, *capacity * size);
	assert_non_null(*array);
}

struct circle_def *
scenario_circle(struct scenario *scenario, double x, double y, double vx, double vy, double radius)
{
	grow(&scenario->circles, scenario->circle_count, &scenario->circle_capacity, sizeof *scenario->circles);
	struct circle_def *circle = &scenario->circles[scenario->circle_count];
	*circle = circle_def_default();
	circle->id = (uint32_t)scenario->circle_count++;
	circle->x = x;
	circle->y = y;
	circle->vx = vx;
	circle->vy = vy;
	circle->radius = radius;
	return circle;
}

struct segment_def *
scenario_segment(struct scenario *scenario, double x1, double y1, double x2, double y2)
{
	grow(&scenario->segments, scenario->segment_count, &scenario->segment_capacity, sizeof *scenario->segments);
	struct segment_def *segment = &scenario->segments[scenario->segment_count];
	*segment = segment_def_default();
	segment->id = (uint32_t)scenario->segment_count++;
	segment->x1 = x1;
	segment->y1 = y1;
	segment->x2 = x2;
	segment->y2 = y2;
	return segment;
}

void
scenario_box(struct scenario *scenario, double x1, double y1, double x2, double y2)
{
	scenario_segment(scenario, x1, y1, x2, y1);
	scenario_segment(scenario, x2, y1, x2, y2);
	scenario_segment(scenario, x2, y2, x1, y2);
	scenario_segment(scenario, x1, y2, x1, y1);
}

void
scenario_restitution(struct scenario *scenario, double restitution)
{
	for (size_t i = 0; i < scenario->circle_count; i++)
		scenario->circles[i].restitution = restitution;
	for (size_t i = 0; i < scenario->segment_count; i++)
		scenario->segments[i].restitution = restitution;
}

void
scenario_dull(struct scenario *scenario, double friction, double rolling)
{
	for (size_t i = 0; i < scenario->circle_count; i++) {
		scenario->circles[i].friction = friction;
		scenario->circles[i].rolling_resistance = rolling;
	}
	for (size_t i = 0; i < scenario->segment_count; i++) {
		scenario->segments[i].friction = friction;
		scenario->segments[i].rolling_resistance = rolling;
	}
	scenario_restitution(scenario, 0);
}

void
scenario_scale(struct scenario *scenario, double length, double time)
{
	const double speed = length / time;
	scenario->def.gravity_x *= speed / time;
	scenario->def.gravity_y *= speed / time;
	for (size_t i = 0; i < scenario->circle_count; i++) {
		struct circle_def *circle = &scenario->circles[i];
		circle->x *= length;
		circle->y *= length;
		circle->radius *= length;
		circle->vx *= speed;
		circle->vy *= speed;
		circle->angular_velocity /= time;
		circle->moment_of_inertia *= length * length;
	}
	for (size_t i = 0; i < scenario->segment_count; i++) {
		struct segment_def *segment = &scenario->segments[i];
		segment->x1 *= length;
		segment->y1 *= length;
		segment->x2 *= length;
		segment->y2 *= length;
	}
}

static void
point_turn(double *x, double *y)
{
	const double old = *x;
	*x = -*y;
	*y = old;
}

void
scenario_turn(struct scenario *scenario, int quarters)
{
	for (; quarters > 0; quarters--) {
		point_turn(&scenario->def.gravity_x, &scenario->def.gravity_y);
		for (size_t i = 0; i < scenario->circle_count; i++) {
			point_turn(&scenario->circles[i].x, &scenario->circles[i].y);
			point_turn(&scenario->circles[i].vx, &scenario->circles[i].vy);
		}
		for (size_t i = 0; i < scenario->segment_count; i++) {
			point_turn(&scenario->segments[i].x1, &scenario->segments[i].y1);
			point_turn(&scenario->segments[i].x2, &scenario->segments[i].y2);
		}
	}
}

const struct world_def *
scenario_def(struct scenario *scenario)
{
	scenario->def.circles = scenario->circles;
	scenario->def.circle_count = scenario->circle_count;
	scenario->def.segments = scenario->segments;
	scenario->def.segment_count = scenario->segment_count;
	return &scenario->def;
}

struct world *
scenario_world(struct scenario *scenario)
{
	struct def_problem problem;
	struct world *world = NULL;
	assert_int_equal(world_create(scenario_def(scenario), &problem, &world), STATUS_OK);
	return world;
}

void
run_start_uncertified(struct run *run, struct scenario *scenario)
{
	*run = (struct run){ 0 };
	struct def_problem problem = { 0 };
	const enum status status = world_create(scenario_def(scenario), &problem, &run->world);
	if (status != STATUS_OK)
		fail_msg("world_create: %s, field %d of %zu: %s", status_name(status), (int)problem.field, problem.index,
		         problem.text ? problem.text : "");
}

void
run_start(struct run *run, struct scenario *scenario)
{
	run_start_uncertified(run, scenario);
	run->certified = certified_create(scenario_def(scenario));
	assert_non_null(run->certified);
}

static void
log_tick(struct run *run, const struct tick_report *report)
{
	for (size_t i = 0; i < report->contact_count; i++) {
		grow(&run->contacts, run->contact_count, &run->contact_capacity, sizeof *run->contacts);
		run->contacts[run->contact_count++] = (struct logged_contact){ .at = run->time + report->contacts[i].time,
			                                                           .tick = report->tick,
			                                                           .contact = report->contacts[i] };
	}
	for (size_t i = 0; i < report->path_change_count; i++) {
		grow(&run->changes, run->change_count, &run->change_capacity, sizeof *run->changes);
		run->changes[run->change_count++] = (struct logged_change){ .at = run->time + report->path_changes[i].time,
			                                                        .tick = report->tick,
			                                                        .change = report->path_changes[i] };
	}
}

static void
log_pair_events(struct run *run, const struct tick_report *report)
{
	for (size_t i = 0; i < report->pair_event_count; i++) {
		grow(&run->pair_events, run->pair_event_count, &run->pair_event_capacity, sizeof *run->pair_events);
		run->pair_events[run->pair_event_count++] = (struct logged_event){ .at = run->time + report->pair_events[i].time,
			                                                               .tick = report->tick,
			                                                               .event = report->pair_events[i] };
	}
}

static void
step(struct run *run, double dt, bool logged)
{
	struct tick_report *report = &run->report;
	const enum status status = world_step(run->world, dt, report);
	if (status != STATUS_OK)
		fail_msg("world_step: %s", status_name(status));
	if (logged) {
		log_tick(run, report);
		log_pair_events(run, report);
	}
	if (run->certified) {
		const enum status checked = certified_tick(run->certified, run->world, dt, report);
		if (checked != STATUS_OK)
			fail_msg("certificate_tick: %s: %s", status_name(checked), certified_report(run->certified)->first_problem);
	}
	run->time += dt;
	run->events += report->events;
	run->collisions += report->collisions;
	run->clusters += report->clusters;
	run->shortfall_count += report->shortfall_count;
	for (size_t i = 0; i < report->shortfall_count; i++)
		run->shortfall_flags |= report->shortfalls[i].flag;
}

static void
states_check(const struct run *run)
{
	for (size_t i = 0; i < world_body_count(run->world); i++) {
		const struct body_state body = world_body(run->world, i);
		if (!isfinite(body.x) || !isfinite(body.y) || !isfinite(body.vx) || !isfinite(body.vy))
			fail_msg("body %u is at (%g, %g) with velocity (%g, %g)", (unsigned)body.id, body.x, body.y, body.vx, body.vy);
	}
}

void
run_ticks(struct run *run, double dt, uint64_t ticks)
{
	for (uint64_t i = 0; i < ticks; i++) {
		step(run, dt, true);
		states_check(run);
	}
}

void
run_ticks_unlogged(struct run *run, double dt, uint64_t ticks)
{
	for (uint64_t i = 0; i < ticks; i++)
		step(run, dt, false);
	states_check(run);
}

void
run_end(struct run *run, struct scenario *scenario)
{
	assert_int_equal(run->shortfall_count, 0);
	run_finish(run);
	scenario_finish(scenario);
}

void
run_abandon(struct run *run)
{
	certified_destroy(run->certified);
	world_destroy(run->world);
	free(run->contacts);
	free(run->changes);
	free(run->pair_events);
}

void
run_finish(struct run *run)
{
	if (run->certified && !certified_clean(run->certified)) {
		const struct certificate_report *report = certified_report(run->certified);
		fail_msg(
			"certificate: %llu overlaps (largest %g), %llu escapes, %llu jumps (largest %g), %llu changes of energy (largest %g), "
			"%llu faults of events, unexplained parts of the energy %g "
			"and of the momentum %g: %s",
			(unsigned long long)report->overlaps, report->largest_overlap, (unsigned long long)report->escapes,
			(unsigned long long)report->jumps, report->largest_jump, (unsigned long long)report->energy_faults,
			report->largest_energy_fault, (unsigned long long)report->event_faults, certified_energy_error(run->certified),
			certified_momentum_error(run->certified), report->first_problem);
	}
	run_abandon(run);
}

struct body_state
run_body(const struct run *run, uint32_t id)
{
	for (size_t i = 0; i < world_body_count(run->world); i++) {
		const struct body_state body = world_body(run->world, i);
		if (body.id == id)
			return body;
	}
	fail_msg("no body %u", (unsigned)id);
	return (struct body_state){ 0 };
}

const struct shortfall *
run_shortfall(const struct run *run, uint32_t body, enum body_flag flag)
{
	for (size_t i = 0; i < run->report.shortfall_count; i++)
		if (run->report.shortfalls[i].body == body && run->report.shortfalls[i].flag == (uint32_t)flag)
			return &run->report.shortfalls[i];
	return NULL;
}

double
run_energy(const struct run *run, const struct scenario *scenario)
{
	double energy = 0;
	for (size_t i = 0; i < world_body_count(run->world); i++) {
		const struct body_state body = world_body(run->world, i);
		if (body.kind != BODY_DYNAMIC)
			continue;
		energy += body.mass * ((body.vx * body.vx + body.vy * body.vy) / 2 - scenario->def.gravity_x * body.x -
		                       scenario->def.gravity_y * body.y);
	}
	return energy;
}

double
segment_distance(const struct segment_def *segment, double x, double y)
{
	const double ux = segment->x2 - segment->x1, uy = segment->y2 - segment->y1;
	const double s = fmin(1, fmax(0, ((x - segment->x1) * ux + (y - segment->y1) * uy) / (ux * ux + uy * uy)));
	return hypot(x - segment->x1 - s * ux, y - segment->y1 - s * uy) - segment->radius;
}

/* What a body's definition says, and where it is. */
struct place {
	const struct circle_def *def;
	double x, y;
};

static bool
layers_meet(uint32_t category_a, uint32_t mask_a, uint32_t category_b, uint32_t mask_b)
{
	return (mask_a & category_b) && (mask_b & category_a);
}

/* Ids mostly count from 0 in the order of definition. */
static const struct circle_def *
circle_of(const struct scenario *scenario, size_t guess, uint32_t id)
{
	if (scenario->circles[guess].id == id)
		return &scenario->circles[guess];
	for (size_t i = 0; i < scenario->circle_count; i++)
		if (scenario->circles[i].id == id)
			return &scenario->circles[i];
	fail_msg("no circle %u", (unsigned)id);
	return NULL;
}

/* The root only of the few that matter. */
static double
pair_overlap(const struct place *a, const struct place *b, double worst)
{
	const double dx = a->x - b->x, dy = a->y - b->y, R = a->def->radius + b->def->radius, square = dx * dx + dy * dy;
	if (square >= (R - worst) * (R - worst) || !layers_meet(a->def->category, a->def->mask, b->def->category, b->def->mask))
		return worst;
	return fmax(worst, R - hypot(dx, dy));
}

double
run_overlap(const struct run *run, const struct scenario *scenario)
{
	double worst = -INFINITY;
	const size_t count = world_body_count(run->world);
	struct place *places = calloc(count + 1, sizeof *places);
	assert_non_null(places);
	for (size_t i = 0; i < count; i++) {
		const struct body_state body = world_body(run->world, i);
		const struct circle_def *def = circle_of(scenario, i, body.id);
		places[i] = (struct place){ def, body.x, body.y };
		for (size_t k = 0; k < scenario->segment_count; k++) {
			const struct segment_def *segment = &scenario->segments[k];
			if (!segment->one_sided && layers_meet(def->category, def->mask, segment->category, segment->mask))
				worst = fmax(worst, def->radius - segment_distance(segment, body.x, body.y));
		}
		for (size_t k = 0; k < i; k++)
			worst = pair_overlap(&places[i], &places[k], worst);
	}
	free(places);
	return worst;
}

double
pair_skin(double largest_coordinate, double smaller_radius)
{
	return fmax(0x1p-46 * largest_coordinate, 1e-9 * smaller_radius);
}

void
same_check(double actual, double expected, const char *what, const char *file, int line)
{
	if (actual >= expected && actual <= expected)
		return;
	print_error("%s = %.17g, expected exactly %.17g (off by %g)\n", what, actual, expected, actual - expected);
	_fail(file, line);
}

void
at_most_check(double actual, double bound, const char *what, const char *file, int line)
{
	if (actual <= bound)
		return;
	print_error("%s = %.17g, expected at most %.17g\n", what, actual, bound);
	_fail(file, line);
}

static unsigned
three_workers(void *context)
{
	(void)context;
	return 3;
}

static void
run_in_turn(void *context, unsigned count, void (*piece)(void *argument, unsigned index), void *argument)
{
	(void)context;
	for (unsigned i = 0; i < count; i++)
		piece(argument, i);
}

const struct workers workers_in_turn = { .count = three_workers, .run = run_in_turn, .bodies_min = 1, .rows_min = 12 };
