/* Rolls over links with ends that are off by up to 8 ulp from each other, crossing or parted, along and across. The velocity
 * after it is that over exact joints. Without gravity, within the skin or above it; under gravity without a rebound; and with
 * friction, driven by the resting solver.
 *
 * What a circle may feel: a link of length L that has one end `off` aside is turned by off / L. It turns what rolls on it, or
 * is reflected by it, by twice that, once for coming and once for going. That and 1e-12 of the speed is the bound.
 *
 * -rolls N (default 1,200), -seed S (1), -roll R: one of them. */
#include "physics/joins/shots.h"

#include <math.h>
#include <stdio.h>

#define LINKS 10
#define ULPS 4 /* of each end: two are 8 apart at most */

static uint64_t seed = 1, rolls = 1200, only = UINT64_MAX;

enum kind { FREE, SUPPORTED, LED, KINDS };
static const char *const kind_names[] = { "free", "supported", "led" };

struct roll {
	uint64_t random;
	enum kind kind;
	bool axis, across;
	double heading, x, y, thick;
	double unit;          /* ulp of the largest coordinate */
	double at[LINKS + 1]; /* the joints, along */
	double radius, speed, gravity, lift;
	double tilt; /* what all links are turned by, at most */
};

static double
pick(struct roll *r, double low, double high)
{
	return random_between(&r->random, low, high);
}

static bool
one_in(struct roll *r, uint64_t count)
{
	return random_below(&r->random, count) == 0;
}

static void
roll_make(struct roll *r, uint64_t index)
{
	static const double offsets[] = { 0, 1, 1e3, 1e6, 1e9 };
	*r = (struct roll){ .random = (seed << 32) + index };
	const double offset = offsets[random_below(&r->random, 5)];
	r->kind = (enum kind)random_below(&r->random, KINDS);
	r->axis = one_in(r, 2);
	r->across = one_in(r, 2);
	r->heading = r->axis ? JOINS_PI / 2 * (double)random_below(&r->random, 4) : pick(r, 0, 2 * JOINS_PI);
	r->x = offset + pick(r, -3, 3);
	r->y = offset * (one_in(r, 2) ? 1 : pick(r, -1, 1)) + pick(r, -3, 3);
	r->thick = one_in(r, 4) ? pick(r, 0.01, 0.5) : 0;
	for (int i = 0; i < LINKS; i++)
		r->at[i + 1] = r->at[i] + pick(r, 0.5, 3);
	r->unit = ulp_of(fmax(fabs(r->x), fabs(r->y)) + r->at[LINKS]);
	r->radius = pick(r, 0.1, 1);
	r->speed = pick(r, 2, 20);
	r->gravity = r->kind == FREE ? 0 : 10;
	r->lift = one_in(r, 2) ? 1.5 : 0.3;
	/* Coordinates themselves are off by half an ulp but along an axis. */
	const double off = (r->across ? ULPS + 1 : r->axis ? 0 : 1) * 1.5 * r->unit;
	for (int i = 0; i < LINKS; i++)
		r->tilt += 2 * off / (r->at[i + 1] - r->at[i]);
}

/* Some ulp of the coordinates that a joint has. */
static double
few(struct roll *r, const double joint[2])
{
	return ulp_of(fmax(fabs(joint[0]), fabs(joint[1]))) * ((double)random_below(&r->random, 2 * ULPS + 1) - ULPS);
}

/* Along an axis exactly. */
static void
direction(const struct roll *r, double u[2])
{
	u[0] = r->axis ? round(cos(r->heading)) : cos(r->heading);
	u[1] = r->axis ? round(sin(r->heading)) : sin(r->heading);
}

static void
floor_add(struct roll *r, struct trial *trial, bool exact)
{
	double u[2];
	const uint64_t random = r->random;
	direction(r, u);
	for (int i = 0; i < LINKS; i++) {
		double ends[2][2];
		for (int k = 0; k < 2; k++) {
			const double joint[2] = { r->x + r->at[i + k] * u[0], r->y + r->at[i + k] * u[1] };
			const double along = exact ? 0 : few(r, joint), across = exact || !r->across ? 0 : few(r, joint);
			ends[k][0] = joint[0] + along * u[0] - across * u[1];
			ends[k][1] = joint[1] + along * u[1] + across * u[0];
		}
		const int first = i & 1;
		scenario_segment(&trial->scenario, ends[first][0], ends[first][1], ends[!first][0], ends[!first][1])->radius = r->thick;
	}
	r->random = random;
}

/* The velocity when the ball is past the last joint but one. */
static bool
roll_run(struct roll *r, bool exact, double velocity[2])
{
	struct trial trial;
	double u[2];
	trial_init(&trial);
	direction(r, u);
	floor_add(r, &trial, exact);
	const double size = fmax(fabs(r->x), fabs(r->y)) + r->at[LINKS];
	const double height = r->radius + r->thick + (r->kind == LED ? 0.005 * r->radius : r->lift * pair_skin(size, r->radius));
	const double along = r->at[1] / 2;
	struct circle_def *ball = scenario_circle(&trial.scenario, r->x + along * u[0] - height * u[1],
	                                          r->y + along * u[1] + height * u[0], r->speed * u[0], r->speed * u[1], r->radius);
	trial.scenario.def.gravity_x = r->gravity * u[1];
	trial.scenario.def.gravity_y = -r->gravity * u[0];
	if (r->kind == LED) {
		ball->angular_velocity = -r->speed / r->radius;
		scenario_dull(&trial.scenario, 1, 0);
	} else if (r->kind == SUPPORTED) {
		scenario_restitution(&trial.scenario, 0);
	}
	trial.ticks = (int)((r->at[LINKS - 1] - along) / r->speed / trial.dt);
	struct tally tally = { .name = "roll", .shown = (unsigned)trial_shown_max };
	struct run run;
	(void)trial_run(&trial, &tally, "roll", 0);
	const bool clear = tally.faults[JUDGE_THROUGH] == 0 && tally.faults[JUDGE_JUMP] == 0 && tally.drifts == 0 &&
	                   tally.deepest == 0;
	run_start_uncertified(&run, &trial.scenario);
	run_ticks(&run, trial.dt, (uint64_t)trial.ticks);
	const struct body_state end = run_body(&run, 0);
	velocity[0] = end.vx;
	velocity[1] = end.vy;
	run_finish(&run);
	trial_finish(&trial);
	return clear;
}

struct sum {
	uint64_t rolls, wrong, leaks;
	double worst, worst_part; /* of the speed; of the bound */
};

static void
roll_judge(uint64_t index, struct sum sums[KINDS])
{
	struct roll r;
	double exact[2], moved[2];
	roll_make(&r, index);
	const bool clear = roll_run(&r, true, exact) && roll_run(&r, false, moved);
	struct sum *sum = &sums[r.kind];
	sum->rolls++;
	sum->leaks += !clear;
	if (!clear)
		return;
	const double off = hypot(moved[0] - exact[0], moved[1] - exact[1]) / r.speed, bound = 1e-12 + 2 * r.tilt;
	sum->worst = fmax(sum->worst, off);
	sum->worst_part = fmax(sum->worst_part, off / bound);
	if (off <= bound)
		return;
	if (sum->wrong++ < trial_shown_max)
		printf("roll %llu, %s, %s%s, at (%g, %g): off by %.3g of the speed, at most %.3g\n", (unsigned long long)index,
		       kind_names[r.kind], r.axis ? "along an axis" : "in any direction", r.across ? ", ends off across" : "", r.x, r.y,
		       off, bound);
}

static void
test_rolls_over_ends_that_are_off(void **state)
{
	(void)state;
	struct sum sums[KINDS] = { 0 };
	uint64_t wrong = 0;
	for (uint64_t i = only < UINT64_MAX ? only : 0; i < (only < UINT64_MAX ? only + 1 : rolls); i++)
		roll_judge(i, sums);
	for (int i = 0; i < KINDS; i++) {
		printf("%s: %llu rolls, %llu wrong, %llu through; worst %.3g of the speed, %.3g of its bound\n", kind_names[i],
		       (unsigned long long)sums[i].rolls, (unsigned long long)sums[i].wrong, (unsigned long long)sums[i].leaks,
		       sums[i].worst, sums[i].worst_part);
		wrong += sums[i].wrong + sums[i].leaks;
	}
	assert_int_equal(wrong, 0);
}

int
main(int argc, char **argv)
{
	trial_shown_max = argument_read(argc, argv, "-show", trial_shown_max);
	seed = argument_read(argc, argv, "-seed", seed);
	rolls = argument_read(argc, argv, "-rolls", rolls);
	only = argument_read(argc, argv, "-roll", only);
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rolls_over_ends_that_are_off) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
