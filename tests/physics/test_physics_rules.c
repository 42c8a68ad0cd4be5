/* Contact rules and lifetimes, judged by quadratics in long double, by the formulas of elastic impacts, and by worlds that
 * never had what has ended. */
#include "physics/scenario.h"
#include "support/effort.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BULLET 1000000u
#define TEAM (UINT64_C(1) << 1)

static const double dt = 1.0 / 60;

static struct world *
world_make(struct scenario *scenario)
{
	struct world *world;
	struct def_problem problem;

	assert_int_equal(world_create(scenario_def(scenario), &problem, &world), STATUS_OK);
	return world;
}

static struct tick_report
step(struct world *world)
{
	struct tick_report report;

	assert_int_equal(world_step(world, dt, &report), STATUS_OK);
	return report;
}

/* What is in the books adds up. */
static void
books_check(const struct tick_report *report)
{
	const struct energy_ledger *e = &report->energy;
	const struct momentum_ledger *m = &report->momentum;
	double change = e->kinetic_after - e->kinetic_before + e->potential_after - e->potential_before;
	double told = e->contact + e->work + e->push + e->clip + e->support + e->sleep + e->damping + e->removed;
	double size = fabs(e->kinetic_before) + fabs(e->kinetic_after) + fabs(e->potential_before) + fabs(e->removed) + 1;

	assert_at_most(fabs(change - told), 1e-9 * size);
	for (int i = 0; i < 2; i++)
		assert_at_most(fabs(m->after[i] - m->before[i] - m->gravity[i] - m->outside[i]), 1e-9 * (fabs(m->before[i]) + size));
}

static struct body_state
body(const struct world *world, uint32_t id)
{
	size_t index;

	assert_true(world_body_find(world, id, &index));
	return world_body(world, index);
}

static bool
there(const struct world *world, uint32_t id)
{
	size_t index;

	return world_body_find(world, id, &index);
}

static bool
states_same(const struct world *a, const struct world *b, uint32_t id)
{
	struct body_state i = body(a, id), j = body(b, id);

	return memcmp(&i.x, &j.x, 4 * sizeof i.x) == 0;
}

/* When the surfaces of two circles meet, the first time, along straight paths: the smaller root, in long double. INFINITY:
 * never. */
static long double
meeting(const struct circle_def *a, const struct circle_def *b)
{
	long double dx = (long double)a->x - b->x, dy = (long double)a->y - b->y, wx = (long double)a->vx - b->vx,
				wy = (long double)a->vy - b->vy, R = (long double)a->radius + b->radius;
	long double along = dx * wx + dy * wy, speed = wx * wx + wy * wy, left = dx * dx + dy * dy - R * R;
	long double inside = along * along - speed * left;

	if (along >= 0 || inside < 0)
		return (long double)INFINITY;
	return left / (-along + sqrtl(inside));
}

/* A thousand circles of which none meets another in the tick, and a bullet that flies at them. */
static void
crowd_make(struct scenario *scenario, uint64_t seed, double speed, bool still)
{
	uint64_t state = seed;

	scenario_init(scenario);
	for (int k = 0; k < 1000; k++) {
		struct circle_def *c = scenario_circle(scenario, k % 40 + random_between(&state, -0.2, 0.2),
		                                       k / 40 + random_between(&state, -0.2, 0.2),
		                                       still ? 0 : random_between(&state, -1, 1),
		                                       still ? 0 : random_between(&state, -1, 1), random_between(&state, 0.1, 0.25));

		c->group = 1;
		c->mass = random_between(&state, 0.5, 4);
		if (still)
			c->kind = BODY_STATIC;
	}
	struct circle_def *bullet = scenario_circle(scenario, -1, random_between(&state, 3, 20), speed,
	                                            random_between(&state, -0.2, 0.2) * speed, 0.05);
	bullet->id = BULLET;
	bullet->mass = 0.01;
	bullet->remove_groups = TEAM;
	bullet->tag = 77;
}

static void
hit_check(const struct scenario *scenario, const struct world *world, const struct tick_report *report, uint32_t victim,
          long double when)
{
	const struct circle_def *bullet = &scenario->circles[1000], *target = &scenario->circles[victim];
	const struct contact *contact = &report->contacts[0];

	assert_int_equal(report->contact_count, 1);
	assert_int_equal(report->end_count, 1);
	assert_int_equal(report->ends[0].reason, END_CONTACT);
	assert_int_equal(report->ends[0].body, BULLET);
	assert_int_equal(report->ends[0].tag, 77);
	/* The skin is 1e-9 of the smaller radius. */
	assert_at_most((double)fabsl(report->ends[0].time - when) * hypot(bullet->vx, bullet->vy), 1e-9);
	assert_same(report->ends[0].time, contact->time);
	assert_int_equal(contact->a, victim);
	assert_int_equal(contact->b, BULLET);
	/* An elastic impact by the two masses. */
	double nx = contact->normal[0], ny = contact->normal[1];
	double approach = (bullet->vx - target->vx) * nx + (bullet->vy - target->vy) * ny;
	double inverse = target->kind == BODY_STATIC ? 0 : 1 / target->mass, impulse = 2 * approach / (inverse + 1 / bullet->mass);
	assert_double_near(contact->impulse, impulse, 1e-9 * impulse);
	assert_double_near(body(world, victim).vx, target->vx + impulse * inverse * nx, 1e-9 * fabs(bullet->vx));
	assert_double_near(report->ends[0].velocity[0], bullet->vx - impulse / bullet->mass * nx, 1e-9 * fabs(bullet->vx));
	assert_same(report->ends[0].position[0], bullet->x + report->ends[0].time * bullet->vx);
	assert_false(there(world, BULLET));
	books_check(report);
}

/* Both worlds go on alike. */
static void
goes_on_alike(struct world *world, struct world *other, int ticks)
{
	for (int tick = 0; tick < ticks; tick++) {
		struct tick_report report = step(world);

		(void)step(other);
		assert_true(world_hash(world) == world_hash(other));
		books_check(&report);
	}
}

/* The bullet dies at its first hit. What is not hit then is as in a world without the bullet, bit by bit. Once the one that was
 * hit has its velocity there as well, that world goes on alike. */
static void
test_bullet_through_a_crowd(void **state)
{
	static const double speeds[] = { 20, 200, 2000 };
	size_t hits = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= effort(6, 20); seed++) {
		for (size_t s = 0; s < 3; s++) {
			struct scenario scenario;
			uint32_t victim = 0;
			long double first = (long double)INFINITY;

			crowd_make(&scenario, seed, speeds[s], seed % 2 != 0);
			for (uint32_t k = 0; k < 1000; k++) {
				long double when = meeting(&scenario.circles[1000], &scenario.circles[k]);

				if (when < first)
					first = when, victim = k;
			}

			struct world *world = world_make(&scenario);
			scenario.circle_count--;
			struct world *without = world_make(&scenario);
			scenario.circle_count++;
			int tick = 0;
			for (; tick < 3 && there(world, BULLET); tick++) {
				struct tick_report report = step(world);
				(void)step(without);
				if (tick > 0 || first > dt)
					continue;
				hit_check(&scenario, world, &report, victim, first);
				hits++;
			}
			if (first < dt) {
				struct body_state hit = body(world, victim);
				struct def_problem problem;

				for (uint32_t k = 0; k < 1000; k++)
					assert_true(k == victim || states_same(world, without, k));
				struct circle_def def = { .id = victim, .x = hit.x, .y = hit.y, .vx = hit.vx, .vy = hit.vy };
				struct edit edit = edit_circle_change(&def, edit_field(DEF_CIRCLE_X) | edit_field(DEF_CIRCLE_Y) |
				                                                edit_field(DEF_CIRCLE_VX) | edit_field(DEF_CIRCLE_VY));
				assert_int_equal(world_edit(without, &edit, 1, &problem), STATUS_OK);
				goes_on_alike(world, without, 20);
			}
			world_destroy(world);
			world_destroy(without);
			scenario_finish(&scenario);
		}
	}
	assert_true(hits > effort(4, 30));
}

/* A lifetime in seconds ends at its time within a tick, after the contacts of that time; one in ticks at a tick's end. */
static void
test_lifetimes(void **state)
{
	struct scenario scenario;

	(void)state;
	scenario_init(&scenario);
	scenario_circle(&scenario, 0, 0, 3, 4, 0.5)->lifetime_s = 2.5 * dt;
	scenario_circle(&scenario, 0, 10, 3, 4, 0.5)->lifetime_ticks = 2;
	scenario_circle(&scenario, 0, 20, 3, 4, 0.5)->lifetime_ticks = 1;
	scenario.circles[2].lifetime_s = 0.25 * dt;
	/* Two that meet when one of them ends, after exactly half a tick: 1 / 60 is not a power of two, so it is given as the same
	 * double. */
	scenario_circle(&scenario, 0, 30, 0, 0, 0.5)->lifetime_s = 0.5 * dt;
	scenario_circle(&scenario, 5, 40, 0, 0, 0.5);
	struct world *world = world_make(&scenario);
	struct tick_report report = step(world);
	assert_int_equal(report.end_count, 1);
	assert_int_equal(report.ends[0].body, 3);
	assert_int_equal(report.ends[0].reason, END_LIFETIME);
	assert_same(report.ends[0].time, 0.5 * dt);
	books_check(&report);
	report = step(world);
	assert_int_equal(report.end_count, 2);
	assert_int_equal(report.ends[0].body, 2);
	assert_same(report.ends[0].time, 0.25 * dt);
	assert_int_equal(report.ends[1].body, 1);
	assert_same(report.ends[1].time, dt);
	assert_double_near(report.ends[1].position[0], 3 * 2 * dt, 1e-15);
	books_check(&report);
	report = step(world);
	assert_int_equal(report.end_count, 1);
	assert_double_near(report.ends[0].time, 0.5 * dt, 1e-16);
	assert_double_near(report.ends[0].position[1], 4 * 2.5 * dt, 1e-15);
	assert_int_equal(world_body_count(world), 1);
	books_check(&report);
	world_destroy(world);
	scenario_finish(&scenario);
}

/* What has ended is met by nothing later in that tick; what comes before is met. */
static void
test_after_its_life_nothing_meets_it(void **state)
{
	(void)state;
	for (int late = 0; late < 2; late++) {
		struct scenario scenario;

		scenario_init(&scenario);
		scenario_circle(&scenario, 0, 0, 0, 0, 0.5)->lifetime_s = 0.5 * dt;
		/* It needs .4 or .6 of the tick. */
		scenario_circle(&scenario, 1 + (late ? 0.6 : 0.4) * 60 * dt, 0, -60, 0, 0.5);
		struct world *world = world_make(&scenario);
		struct tick_report report = step(world);
		assert_int_equal(report.contact_count, late ? 0 : 1);
		assert_int_equal(report.end_count, 1);
		assert_double_near(report.ends[0].velocity[0], late ? 0 : -60, 1e-9);
		assert_double_near(body(world, 1).vx, late ? -60 : 0, 1e-9);
		books_check(&report);
		world_destroy(world);
		scenario_finish(&scenario);
	}
}

/* A ball that rests on another one falls from the time at which that one ends. */
static void
test_what_rested_falls(void **state)
{
	(void)state;
	for (int kind = 0; kind < 2; kind++) {
		struct scenario scenario;
		const double g = 10, ends = 0.3 * dt;

		scenario_init(&scenario);
		scenario.def.gravity_y = -g;
		scenario_circle(&scenario, 0, 0, 0, 0, 0.5)->kind = BODY_STATIC;
		scenario_circle(&scenario, 0, 1 + 1e-9, 0, 0, 0.5);
		scenario_restitution(&scenario, 0);
		struct world *world = world_make(&scenario);
		for (int tick = 0; tick < 5; tick++)
			(void)step(world);
		double y = body(world, 1).y;
		assert_double_near(body(world, 1).vy, 0, 1e-9);
		struct def_problem problem;
		struct circle_def def = { .id = 0, .lifetime_s = ends, .remove_groups = TEAM };
		struct edit edits[2] = { edit_circle_change(&def,
			                                        edit_field(kind ? DEF_CIRCLE_REMOVE_GROUPS : DEF_CIRCLE_LIFETIME_S)) };
		struct circle_def shot = circle_def_default();
		shot.id = 2;
		shot.radius = 0.01;
		shot.x = -0.51 - ends * 100;
		shot.vx = 100;
		shot.group = 1;
		edits[1] = edit_circle_spawn(&shot);
		assert_int_equal(world_edit(world, edits, (size_t)(1 + kind), &problem), STATUS_OK);
		struct tick_report report = step(world);
		assert_int_equal(report.end_count, 1);
		assert_double_near(report.ends[0].time, ends, 1e-9);
		double t = dt - report.ends[0].time;
		assert_double_near(body(world, 1).vy, -g * t, 1e-9);
		assert_double_near(body(world, 1).y, y - 0.5 * g * t * t, 1e-9);
		books_check(&report);
		world_destroy(world);
		scenario_finish(&scenario);
	}
}

/* Its touches end with it, and what is inside a sensor is not any more. */
static void
test_pairs_end_with_it(void **state)
{
	struct scenario scenario;
	int ends = 0, exits = 0;

	(void)state;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	scenario.def.events = WORLD_EVENTS_TOUCH | WORLD_EVENTS_PATHS;
	scenario_segment(&scenario, -5, 0, 5, 0);
	scenario_circle(&scenario, 0, 0.5 + 1e-9, 0, 0, 0.5)->lifetime_s = 10.5 * dt;
	scenario_circle(&scenario, 0, 0.5, 0, 0, 3)->sensor = true;
	scenario.circles[1].kind = BODY_STATIC;
	scenario_restitution(&scenario, 0);
	struct world *world = world_make(&scenario);
	for (int tick = 1; tick <= 12; tick++) {
		struct tick_report report = step(world);

		for (size_t k = 0; k < report.pair_event_count; k++) {
			const struct pair_event *event = &report.pair_events[k];

			if (event->kind != PAIR_EVENT_END && event->kind != PAIR_EVENT_EXIT)
				continue;
			assert_int_equal(tick, 11);
			assert_same(event->time, report.ends[0].time);
			ends += event->kind == PAIR_EVENT_END;
			exits += event->kind == PAIR_EVENT_EXIT;
		}
		for (size_t k = 0; k < report.path_count; k++)
			assert_true(tick < 11 || (tick == 11 && report.paths[k].time < report.ends[0].time));
	}
	assert_int_equal(ends, 1);
	assert_int_equal(exits, 1);
	world_destroy(world);
	scenario_finish(&scenario);
}

/* A circle that stops stands from the contact on, is hit as an immovable one, and leaves in the next tick as it came off. */
static void
test_stop(void **state)
{
	struct scenario scenario;

	(void)state;
	scenario_init(&scenario);
	scenario_segment(&scenario, 0, -5, 0, 5)->group = 1;
	/* It comes to the wall after .25 of the tick. The other one comes to it after .75. */
	scenario_circle(&scenario, 0.5 + 0.25 * 60 * dt, 0, -60, 7, 0.5)->stop_groups = TEAM;
	double y = 7 * 0.25 * dt;
	scenario_circle(&scenario, 1.5 + 0.75 * 30 * dt, y, -30, 0, 0.5);
	struct world *world = world_make(&scenario);
	struct tick_report report = step(world);
	assert_int_equal(report.path_change_count, 1);
	assert_int_equal(report.path_changes[0].kind, PATH_STOPPED);
	assert_double_near(report.path_changes[0].time, 0.25 * dt, 1e-10);
	assert_int_equal(report.shortfall_count, 0);
	assert_int_equal(report.contact_count, 2);
	assert_int_equal(report.contacts[0].flags & (CONTACT_A_STOPPED | CONTACT_B_STOPPED), 0);
	assert_int_equal(report.contacts[1].flags & (CONTACT_A_STOPPED | CONTACT_B_STOPPED), CONTACT_A_STOPPED);
	assert_double_near(report.contacts[1].time, 0.75 * dt, 1e-9);
	assert_double_near(report.contacts[1].impulse, 60, 1e-6);
	assert_double_near(body(world, 0).x, 0.5, 1e-8);
	assert_double_near(body(world, 0).y, y, 1e-9);
	assert_double_near(body(world, 0).vx, 60, 1e-9);
	assert_double_near(body(world, 0).vy, 7, 1e-9);
	assert_double_near(body(world, 1).vx, 30, 1e-6);
	books_check(&report);
	report = step(world);
	assert_int_equal(report.path_change_count, 0);
	/* It is twice as fast as the other, which is .25 of a tick of its own ahead. */
	assert_int_equal(report.contact_count, 1);
	books_check(&report);
	world_destroy(world);
	scenario_finish(&scenario);
}

/* What is struck and stops, and is then reached by a kinematic circle, alone or through a third one, or by a moving wall, goes
 * on and is pushed. */
static void
test_stopped_and_pushed(void **state)
{
	(void)state;
	for (int third = 0; third < 3; third++) {
		struct scenario scenario;
		double released = -1, speed = 12;

		scenario_init(&scenario);
		scenario_circle(&scenario, 0, 0, 0, 0, 0.5)->stop_groups = TEAM;
		/* It strikes from above at .25 of the tick. */
		scenario_circle(&scenario, 0, 0.6 + 0.25 * 60 * dt, 0, -60, 0.1)->group = 1;
		if (third < 2)
			scenario_circle(&scenario, 1 + third + 0.75 * speed * dt, 0, -speed, 0, 0.5)->kind = BODY_KINEMATIC;
		if (third == 1)
			scenario_circle(&scenario, 1.01, 0, 0, 0, 0.5);
		if (third == 2)
			scenario_segment(&scenario, 0.5 + 0.75 * speed * dt, -5, 0.5 + 0.75 * speed * dt, 5)->vx = -speed;
		scenario_restitution(&scenario, 0);
		scenario.circles[1].restitution = 1;
		struct world *world = world_make(&scenario);
		struct tick_report report = step(world);
		for (size_t k = 0; k < report.path_change_count; k++) {
			assert_int_equal(report.path_changes[k].body, 0);
			if (report.path_changes[k].kind == PATH_RELEASED)
				released = report.path_changes[k].time;
		}
		assert_double_near(released, 0.75 * dt, 1e-9);
		assert_int_equal(report.shortfall_count, 0);
		assert_double_near(body(world, 0).vx, -speed, 1e-9);
		/* It kept what the shot of the same mass gave it. */
		assert_double_near(body(world, 0).vy, -60, 1e-9);
		assert_double_near(body(world, 0).x, -0.25 * speed * dt, 1e-7);
		assert_double_near(body(world, 0).y, -0.25 * 60 * dt, 1e-7);
		books_check(&report);
		world_destroy(world);
		scenario_finish(&scenario);
	}
}

/* A rule that reports lets through what it reports, and tells when it is inside; of two the higher id detects. */
static void
test_report(void **state)
{
	(void)state;
	for (int way = 0; way < 4; way++) {
		struct scenario scenario;

		scenario_init(&scenario);
		scenario_circle(&scenario, -2, 0, 60, 0, 0.5)->group = 1;
		scenario_circle(&scenario, 0, 0, 0, 0, 0.5)->group = 1;
		if (way != 1)
			scenario.circles[0].report_groups = TEAM;
		if (way != 0)
			scenario.circles[1].report_groups = TEAM;
		if (way == 3) {
			/* The other's removal loses against the report. */
			scenario.circles[1].report_groups = 0;
			scenario.circles[1].remove_groups = TEAM;
		}
		struct world *world = world_make(&scenario);
		int enters = 0, exits = 0;
		for (int tick = 0; tick < 4; tick++) {
			struct tick_report report = step(world);

			assert_int_equal(report.contact_count, 0);
			assert_int_equal(report.end_count, 0);
			for (size_t k = 0; k < report.pair_event_count; k++) {
				const struct pair_event *event = &report.pair_events[k];
				double at = tick * dt + event->time;

				assert_int_equal(event->b, way == 1 || way == 2 ? 1 : 0);
				assert_double_near(at, event->kind == PAIR_EVENT_ENTER ? 1.0 / 60 : 3.0 / 60, 1e-9);
				enters += event->kind == PAIR_EVENT_ENTER;
				exits += event->kind == PAIR_EVENT_EXIT;
			}
		}
		assert_int_equal(enters, 1);
		assert_int_equal(exits, 1);
		world_destroy(world);
		scenario_finish(&scenario);
	}
}

/* A shell that is thrown up from within its owner leaves it, falls back within the same tick, and hits it then, not before. */
static void
test_ignored_until_apart(void **state)
{
	const double g = 14400, v = 200, r = 0.1, R = 0.5; /* up for 1/72 s, 1.39 high */

	(void)state;
	for (int always = 0; always < 2; always++) {
		struct scenario scenario;

		scenario_init(&scenario);
		scenario.def.gravity_y = -g;
		scenario_circle(&scenario, 0, 0, 0, 0, R)->kind = BODY_STATIC;
		struct circle_def *shell = scenario_circle(&scenario, 0, 0.1, 0, v, r);
		shell->ignore = always ? IGNORE_ALWAYS : IGNORE_UNTIL_APART;
		shell->ignored_circle = 0;
		struct world *world = world_make(&scenario);
		struct tick_report report;
		/* .1 + v t - g t^2 / 2 = R + r, on the way down. */
		double t = (v + sqrt(v * v - 2 * g * (R + r - 0.1))) / g;
		assert_true(t > dt && t < 2 * dt);
		assert_int_equal(world_step(world, 2 * dt, &report), STATUS_OK);
		assert_int_equal(report.contact_count > 0, !always);
		if (!always)
			assert_double_near(report.contacts[0].time, t, 1e-8);
		world_destroy(world);
		scenario_finish(&scenario);
	}
}

/* Two that have stopped form a corner. A third one that stops at whatever it meets is squeezed into it by a kinematic circle.
 * With each push it goes on, strikes one of the two and stops again. All of that is at one time, up to the most events that it
 * may have. Then the tick ends, and says so. */
enum { PUSHER, SQUEEZED, ABOVE, BESIDE };

static void
squeeze_make(struct scenario *scenario, uint32_t events_most)
{
	const double u = 1e-6;

	scenario_init(scenario);
	scenario_circle(scenario, 49 * u, -11 * u, 7.5 * u, 7.42 * u, u)->kind = BODY_KINEMATIC;
	scenario_circle(scenario, 56.5 * u, -3.5 * u, 0, 0, 0.9 * u)->stop_groups = 1;
	scenario_circle(scenario, 56.5 * u, 4 * u, 0, 0, 0.8 * u)->stop_groups = 1;
	scenario_circle(scenario, 64 * u, 4 * u, -6e7, -8e7, 0.8 * u)->stop_groups = 1;
	scenario->circles[SQUEEZED].restitution = scenario->circles[ABOVE].restitution = 0.5;
	scenario->def.gravity_y = -1e9;
	scenario->def.events_per_body_max = events_most;
	scenario->def.contacts_per_tick_max = 100000;
}

static void
test_stopped_and_let_go_within_bounds(void **state)
{
	(void)state;
	for (uint32_t most = 3; most <= 300; most *= 10) {
		struct scenario scenario;
		struct run run;
		size_t stops = 0;

		squeeze_make(&scenario, most);
		run_start(&run, &scenario);
		run_ticks(&run, 1, 1);
		for (size_t k = 0; k < run.report.path_change_count; k++)
			stops += run.report.path_changes[k].body == SQUEEZED && run.report.path_changes[k].kind == PATH_STOPPED;
		/* A stop and what ends it are two events. */
		assert_true(stops >= most / 2 && stops <= most);
		assert_true(run.report.events <= 4 * most + 8);

		const struct shortfall *parked = run_shortfall(&run, SQUEEZED, BODY_FLAG_BUDGET);
		const struct shortfall *crushed = run_shortfall(&run, SQUEEZED, BODY_FLAG_CRUSHED);

		assert_non_null(parked);
		assert_non_null(crushed);
		assert_true(parked->amount > 0.1 && parked->amount < 0.2);
		/* The one pushed on for that long. */
		assert_double_near(run_overlap(&run, &scenario), crushed->amount, 1e-12);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bullet_through_a_crowd),
		cmocka_unit_test(test_lifetimes),
		cmocka_unit_test(test_after_its_life_nothing_meets_it),
		cmocka_unit_test(test_what_rested_falls),
		cmocka_unit_test(test_pairs_end_with_it),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_stopped_and_pushed),
		cmocka_unit_test(test_stopped_and_let_go_within_bounds),
		cmocka_unit_test(test_report),
		cmocka_unit_test(test_ignored_until_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
