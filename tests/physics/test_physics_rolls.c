/* Rolls over random smooth chains: in every direction, on both sides, with random ids and each segment in a random direction
 * (there is no winding rule). Walls are thick and thin, one-sided and not, with stubs that end at random places on the other
 * side. No joint and no stub may be felt: where the chain is straight, or falls away, no bit of the velocity changes. Else
 * every contact is with the chain, with a face's own normal or, at an edge, one between those of its two faces.
 *
 * argv: number of rolls (default 20,000), and the first (1). */
#include "physics/scenario.h"

#include "support/random.h"

#include <math.h>
#include <stdlib.h>

#define LINKS 12

/* What a chain does from one segment to the next, as seen from the ball's side. */
enum style { STRAIGHT, FALLS_AWAY, RISES, WAVES, STYLES };

struct roll {
	uint64_t random;
	struct scenario scenario;
	enum style style;
	double x[LINKS + 1], y[LINKS + 1]; /* the chain's points */
	double side;                       /* the ball's, as seen along the chain: +1 left */
	double radius, thick, speed, gravity;
	double bend_most;   /* radians */
	bool led;           /* friction: the resting solver's */
	bool above;         /* it does not start within the skin */
	uint32_t id[LINKS]; /* of its segments */
};

static double
pick(struct roll *r, double low, double high)
{
	return random_between(&r->random, low, high);
}

static bool
toss(struct roll *r)
{
	return random_below(&r->random, 2) != 0;
}

/* Points of a straight chain with exact numbers: whole steps along a direction of whole length. */
static void
points_straight(struct roll *r)
{
	static const int triples[][2] = { { 1, 0 }, { 3, 4 }, { 5, 12 }, { 8, 15 }, { 7, 24 }, { 20, 21 } };
	const int *triple = triples[random_below(&r->random, 6)];
	const int swap = toss(r);
	const double ux = (toss(r) ? 1 : -1) * triple[swap], uy = (toss(r) ? 1 : -1) * triple[!swap];
	double at = 0;
	for (int i = 0; i <= LINKS; i++) {
		r->x[i] = at * ux;
		r->y[i] = at * uy;
		at += 1 + (double)random_below(&r->random, 3);
	}
}

static void
points_bent(struct roll *r)
{
	double heading = pick(r, 0, 360 * DEGREE), length = pick(r, 0.3, 3);
	r->x[0] = pick(r, -5, 5);
	r->y[0] = pick(r, -5, 5);
	for (int i = 0; i < LINKS; i++) {
		const double step = length * pick(r, 0.5, 1.5), away = -r->side * pick(r, 0, r->bend_most);
		r->x[i + 1] = r->x[i] + step * cos(heading);
		r->y[i + 1] = r->y[i] + step * sin(heading);
		heading += r->style == FALLS_AWAY ? away : r->style == RISES ? -away : toss(r) ? away : -away;
	}
}

/* The unit normal of a link, towards the ball. */
static void
link_normal(const struct roll *r, int link, double n[2])
{
	const double ux = r->x[link + 1] - r->x[link], uy = r->y[link + 1] - r->y[link], length = hypot(ux, uy);
	n[0] = -r->side * uy / length;
	n[1] = r->side * ux / length;
}

static struct segment_def *
wall_add(struct roll *r, double x1, double y1, double x2, double y2, bool turned)
{
	return turned ? scenario_segment(&r->scenario, x2, y2, x1, y1) : scenario_segment(&r->scenario, x1, y1, x2, y2);
}

/* Stubs on the other side: from within a link, from a joint, or a copy of a part of a link. */
static void
stubs_add(struct roll *r, int count)
{
	for (int i = 0; i < count; i++) {
		const int link = (int)random_below(&r->random, LINKS);
		const double t = toss(r) ? pick(r, 0.02, 0.98) : toss(r) ? 0.5 : 0;
		const double ux = r->x[link + 1] - r->x[link], uy = r->y[link + 1] - r->y[link];
		double n[2], x = r->x[link] + t * ux, y = r->y[link] + t * uy;
		link_normal(r, link, n);
		const double down = pick(r, 0.2, 2), along = pick(r, -1, 1);
		struct segment_def *stub = wall_add(r, x, y, x - down * n[0] + along * ux, y - down * n[1] + along * uy, toss(r));
		/* At a joint a stub of another radius would be no part of it. */
		stub->radius = t == 0 || toss(r) ? r->thick : r->thick * pick(r, 0.01, 0.9);
	}
}

static void
ids_shuffle(struct roll *r)
{
	struct segment_def *all = r->scenario.segments;
	const size_t count = r->scenario.segment_count;
	for (size_t i = count; i-- > 1;) {
		const size_t k = (size_t)random_below(&r->random, i + 1);
		const uint32_t id = all[i].id;
		all[i].id = all[k].id;
		all[k].id = id;
	}
	for (int i = 0; i < LINKS; i++)
		r->id[i] = all[i].id;
}

/* The ball starts on the middle of the second link, touching it, within the skin or above, along it. */
static void
ball_add(struct roll *r)
{
	double n[2];
	link_normal(r, 1, n);
	const double ux = r->x[2] - r->x[1], uy = r->y[2] - r->y[1], length = hypot(ux, uy), wanted = r->speed / length;
	/* On a straight chain its velocity is along it exactly: a number of halves of the whole step. */
	const double scale = r->style == STRAIGHT ? fmax(round(2 * wanted), 1) / 2 : wanted;
	r->above = toss(r);
	const double skin = pair_skin(100, r->radius);
	const double lift = r->radius + r->thick + skin * (r->above ? 1.5 : toss(r) ? 0.3 : 0) + (r->led ? 0.005 * r->radius : 0);
	struct circle_def *ball = scenario_circle(&r->scenario, (r->x[1] + r->x[2]) / 2 + lift * n[0],
	                                          (r->y[1] + r->y[2]) / 2 + lift * n[1], scale * ux, scale * uy, r->radius);
	r->speed = hypot(ball->vx, ball->vy);
	if (r->gravity > 0) {
		r->scenario.def.gravity_x = -r->gravity * n[0];
		r->scenario.def.gravity_y = -r->gravity * n[1];
		scenario_restitution(&r->scenario, 0);
	}
	if (r->led) {
		ball->friction = 1;
		ball->angular_velocity = -r->side * r->speed / r->radius;
		for (size_t i = 0; i < r->scenario.segment_count; i++)
			r->scenario.segments[i].friction = 1;
	}
}

static void
roll_make(struct roll *r, uint64_t seed)
{
	*r = (struct roll){ .random = seed };
	scenario_init(&r->scenario);
	r->style = (enum style)random_below(&r->random, STYLES);
	r->side = toss(r) ? 1 : -1;
	r->radius = r->style == STRAIGHT ? 0.5 : pick(r, 0.05, 1);
	r->thick = toss(r) ? 0 : r->style == STRAIGHT ? 0.25 : pick(r, 0.01, 0.5);
	r->bend_most = pick(r, 0.001, 0.3) * DEGREE;
	r->gravity = random_below(&r->random, 3) ? 0 : 10;
	r->led = r->style == STRAIGHT && r->gravity > 0 && toss(r);
	if (r->style == STRAIGHT)
		points_straight(r);
	else
		points_bent(r);
	const bool sided = random_below(&r->random, 4) == 0;
	for (int i = 0; i < LINKS; i++) {
		/* A one-sided chain has a winding: its left is the ball's side. */
		struct segment_def *link = wall_add(r, r->x[i], r->y[i], r->x[i + 1], r->y[i + 1], sided ? r->side < 0 : toss(r));
		link->radius = r->thick;
		link->one_sided = sided;
	}
	stubs_add(r, (int)random_below(&r->random, 8));
	ids_shuffle(r);
	r->speed = r->gravity > 0 ? pick(r, 4, 20) : pick(r, 1, 100);
	ball_add(r);
}

static int
link_of(const struct roll *r, uint32_t id)
{
	for (int i = 0; i < LINKS; i++)
		if (r->id[i] == id)
			return i;
	return -1;
}

/* The joint that a contact with an end is at. */
static int
joint_of(const struct roll *r, int link, uint8_t feature)
{
	const struct segment_def *all = r->scenario.segments;
	for (size_t i = 0; i < r->scenario.segment_count; i++) {
		if (all[i].id == r->id[link]) {
			const double x = feature == FEATURE_END_1 ? all[i].x1 : all[i].x2;
			const double y = feature == FEATURE_END_1 ? all[i].y1 : all[i].y2;
			return x == r->x[link] && y == r->y[link] ? link : link + 1;
		}
	}
	return -1;
}

static void
contact_check(const struct roll *r, const struct contact *contact)
{
	int link = link_of(r, contact->b);
	double n[2], m[2];
	if (link < 0 && contact->feature != FEATURE_FACE) {
		/* A stub that begins at a joint may have the lowest id there, and so name its edge. */
		for (size_t i = 0; i < r->scenario.segment_count; i++) {
			const struct segment_def *stub = &r->scenario.segments[i];
			const double x = contact->feature == FEATURE_END_1 ? stub->x1 : stub->x2;
			const double y = contact->feature == FEATURE_END_1 ? stub->y1 : stub->y2;
			for (int k = 1; k < LINKS && stub->id == contact->b; k++)
				link = x == r->x[k] && y == r->y[k] ? k : link;
		}
	}
	assert_true(link >= 0);
	if (contact->feature == FEATURE_FACE) {
		link_normal(r, link, n);
		assert_double_near(contact->normal[0], n[0], 1e-12);
		assert_double_near(contact->normal[1], n[1], 1e-12);
		return;
	}
	const int joint = link_of(r, contact->b) < 0 ? link : joint_of(r, link, contact->feature);
	assert_true(joint > 0 && joint < LINKS);
	link_normal(r, joint - 1, n);
	link_normal(r, joint, m);
	/* Turning from the one to the other: away from the ball's side, or it is no edge. */
	const double turn = -r->side * (n[0] * m[1] - n[1] * m[0]);
	assert_true(turn > -1e-12);
	assert_true(-r->side * (n[0] * contact->normal[1] - n[1] * contact->normal[0]) >= -1e-9);
	assert_true(-r->side * (contact->normal[0] * m[1] - contact->normal[1] * m[0]) >= -1e-9);
}

/* How far the ball is along the chain: the last link that its centre is not yet past. */
static int
progress(const struct roll *r, const struct body_state *body)
{
	int link = 0;
	while (link < LINKS - 1 && (body->x - r->x[link + 1]) * (r->x[link + 1] - r->x[link]) +
	                                   (body->y - r->y[link + 1]) * (r->y[link + 1] - r->y[link]) >
	                               0)
		link++;
	return link;
}

static double
energy(const struct roll *r, const struct body_state *body)
{
	return (body->vx * body->vx + body->vy * body->vy) / 2 - r->scenario.def.gravity_x * body->x -
	       r->scenario.def.gravity_y * body->y;
}

/* A ball that flies over edges lands again: at most with what the whole chain bends, and what gravity gives on the way. */
static double
approach_most(const struct roll *r)
{
	return r->speed * 1.5 * sin(2 * LINKS * r->bend_most) + 1e-7 * r->speed +
	       (r->led ? sqrt(r->gravity * 0.011 * r->radius) : 0);
}

static void
velocity_check(const struct roll *r, const struct body_state *body, double energy_before)
{
	const struct circle_def *start = &r->scenario.circles[0];
	if (r->gravity == 0 && (r->style == STRAIGHT || (r->style == FALLS_AWAY && r->above))) {
		assert_same(body->vx, start->vx);
		assert_same(body->vy, start->vy);
	} else if (r->gravity == 0 && r->style == FALLS_AWAY) {
		/* Within the skin it may come nearer by the rounding of its direction, which is taken away. */
		assert_double_near(body->vx, start->vx, 0x1p-50 * r->speed);
		assert_double_near(body->vy, start->vy, 0x1p-50 * r->speed);
	} else if (r->style == STRAIGHT) {
		/* Gravity's normal is rounded, the axes' is not. */
		assert_double_near(body->vx, start->vx, (r->led ? 1e-6 : 1e-12) * r->speed);
		assert_double_near(body->vy, start->vy, (r->led ? 1e-6 : 1e-12) * r->speed);
	} else if (r->gravity == 0) {
		assert_double_near(hypot(body->vx, body->vy), r->speed, 1e-12 * r->speed);
	} else {
		const double lost = energy_before - energy(r, body);
		/* A ball that touches up to rounding may be pushed to the skin's rim. */
		assert_at_most(-1e-9 * fabs(energy_before) - 2 * r->gravity * pair_skin(100, r->radius), lost);
		assert_at_most(lost, LINKS * approach_most(r) * approach_most(r) + 1e-9 * fabs(energy_before));
	}
}

static void
roll_run(uint64_t seed)
{
	struct roll r;
	roll_make(&r, seed);
	struct run run;
	if (seed % 20 == 0)
		run_start(&run, &r.scenario);
	else
		run_start_uncertified(&run, &r.scenario);
	struct body_state body = run_body(&run, 0);
	const double before = energy(&r, &body);
	for (int tick = 0; tick < 400 && progress(&r, &body) < LINKS - 2; tick++) {
		run_ticks(&run, 1.0 / 32, 1);
		body = run_body(&run, 0);
		velocity_check(&r, &body, before);
		/* A ball that flies off a chain that falls away does not come to its end's side. */
		if (hypot(body.x - r.x[1], body.y - r.y[1]) > hypot(r.x[LINKS] - r.x[1], r.y[LINKS] - r.y[1]))
			break;
	}
	if (r.gravity == 0 && (r.style == STRAIGHT || r.style == FALLS_AWAY))
		assert_int_equal(run.contact_count, 0);
	for (size_t i = 0; i < run.contact_count; i++) {
		contact_check(&r, &run.contacts[i].contact);
		assert_at_most(run.contacts[i].contact.approach_speed, approach_most(&r));
	}
	assert_int_equal(run.shortfall_count, 0);
	run_finish(&run);
	scenario_finish(&r.scenario);
}

static uint64_t first = 1, rolls = 20000, present;

static void
test_rolls(void **state)
{
	(void)state;
	for (present = first; present < first + rolls; present++)
		roll_run(present);
}

static int
tell(void **state)
{
	(void)state;
	if (present < first + rolls)
		print_message("it was roll %llu\n", (unsigned long long)present);
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		rolls = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		first = strtoull(argv[2], NULL, 10);
	const struct CMUnitTest tests[] = { cmocka_unit_test_teardown(test_rolls, tell) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
