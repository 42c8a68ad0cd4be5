#include "worlds/quantized/quantized_circle.h"

#include "base/pause.h"

#include <math.h>
#include <string.h>

/* The grid's lines are so many tolerances apart: a little less than sqrt(2), so that corners of a cell are near enough. */
#define GRID_PER_TOLERANCE 1.414
/* Velocities are told so exactly that a place is off by a step of the grid after so many updates. */
#define VELOCITY_UPDATES 16.0
/* The first number that is too large to be told in steps. */
#define STEPS_END 16777216.0

static struct quantized_motion
motion_of(const struct body_motion *from)
{
	return (struct quantized_motion){ { from->x, from->y }, { from->vx, from->vy }, from->angle, from->spin };
}

struct quantized_circle
quantized_circle_of(const struct body_motion *from, double dt)
{
	struct quantized_motion motion = motion_of(from);
	bool dynamic = from->kind == BODY_DYNAMIC;

	return (struct quantized_circle){
		.seen = motion,
		.real = motion,
		.mean = { from->vx, from->vy },
		.gravity = { from->ax, from->ay },
		.keep = 1.0 / (1.0 + dt * from->linear_damping),
		.spin_keep = 1.0 / (1.0 + dt * from->angular_damping),
		.radius = from->radius,
		.id = from->id,
		.dynamic = dynamic,
		.mode = QUANTIZED_FREE,
		.scores = { .told_hits = 1.0f },
	};
}

static void
motion_kick(struct quantized_motion *motion, const struct quantized_circle *circle, double speed_max)
{
	motion->velocity[0] *= circle->keep;
	motion->velocity[1] *= circle->keep;
	motion->spin *= circle->spin_keep;
	if (!(speed_max > 0.0))
		return;

	double x = motion->velocity[0], y = motion->velocity[1], speed = sqrt(x * x + y * y);

	if (speed > speed_max) {
		double part = speed_max / speed;

		motion->velocity[0] = x * part;
		motion->velocity[1] = y * part;
	}
}

/* So many ticks on. */
static struct quantized_motion
motion_go(struct quantized_motion motion, const struct quantized_circle *circle, enum quantized_mode mode,
          const struct quantized_states *states, uint64_t ticks)
{
	double dt = states->dt;
	bool is_free = mode == QUANTIZED_FREE && circle->dynamic;

	for (uint64_t i = 0; i < ticks && !pause_after(1); i++) {
		if (is_free)
			motion_kick(&motion, circle, states->speed_max);
		for (unsigned axis = 0; axis < 2; axis++) {
			double acceleration = is_free ? circle->gravity[axis] : 0.0;

			motion.place[axis] += dt * (motion.velocity[axis] + 0.5 * dt * acceleration);
			motion.velocity[axis] += dt * acceleration;
		}
		motion.angle += dt * motion.spin;
	}
	return motion;
}

static double
place_error(const struct quantized_motion *a, const struct quantized_motion *b)
{
	double x = a->place[0] - b->place[0], y = a->place[1] - b->place[1];

	return sqrt(x * x + y * y);
}

/* Length units at the rim. */
static double
angle_error(const struct quantized_motion *a, const struct quantized_motion *b, double radius)
{
	return fabs(a->angle - b->angle) * radius;
}

/* ---- what is told of a circle */

/* Whether a circle is told. */
static struct bit_context *
told_context(struct quantized_states *states, const struct quantized_circle *circle)
{
	return circle->stale == 0 ? &states->contexts.told[circle->mode][circle->history]
	                          : &states->contexts.told_stale[circle->history];
}

/* A circle that is told: from where readers have it, and what it is to be. */
struct telling {
	struct quantized_states *states;
	struct quantized_circle *circle;
	struct bit_coder *coder;
	const struct quantized_motion *now;
	struct quantized_motion seen; /* as the rule has it, and then as it is told */
	enum quantized_mode mode;
	double allowed; /* its tolerance */
	uint64_t ticks;
	double time;   /* of these ticks, */
	double waited; /* and with those before in which it was stale */
};

static void
tree_put(struct bit_coder *coder, struct bit_context tree[3], unsigned symbol)
{
	bit_put(coder, &tree[0], symbol >> 1);
	bit_put(coder, &tree[1 + (symbol >> 1)], symbol & 1);
}

static void
exact_put(struct bit_coder *coder, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	bits_put(coder, bits, 64);
}

static double
nearest_step(double way, double grid)
{
	return fmin(fmax(nearbyint(way / grid), 1.0 - STEPS_END), STEPS_END - 1.0);
}

/* The mode that would have been the better one, and notes how the rules for velocities would have done. */
static void
rules_judge(struct telling *telling, bool driven)
{
	struct quantized_circle *circle = telling->circle;
	double errors[VELOCITY_RULES];
	struct quantized_motion starts[VELOCITY_RULES] = { circle->real, circle->real, circle->real, circle->real }, gone;

	telling->mode = driven ? QUANTIZED_DRIVEN : QUANTIZED_STRAIGHT;
	if (!driven && circle->dynamic) {
		struct quantized_motion flown = motion_go(circle->real, circle, QUANTIZED_FREE, telling->states, telling->ticks);

		gone = motion_go(circle->real, circle, QUANTIZED_STRAIGHT, telling->states, telling->ticks);
		if (place_error(&flown, telling->now) <= place_error(&gone, telling->now))
			telling->mode = QUANTIZED_FREE;
	}
	memcpy(starts[VELOCITY_KEEP].velocity, circle->seen.velocity, sizeof starts[0].velocity);
	memcpy(starts[VELOCITY_MEAN].velocity, circle->mean, sizeof starts[0].velocity);
	starts[VELOCITY_STOP].velocity[0] = starts[VELOCITY_STOP].velocity[1] = 0.0;
	for (unsigned rule = 0; rule < VELOCITY_RULES; rule++) {
		gone = motion_go(starts[rule], circle, telling->mode, telling->states, telling->ticks);
		errors[rule] = place_error(&gone, telling->now) / telling->allowed;
	}
	rule_scores_add(&circle->scores, errors);
}

/* What a step to a place does to a velocity, by its rule; `time` is how long it took, `steps` of `unit` are of VELOCITY_TOLD.
 */
static double
velocity_after(enum velocity_rule rule, double velocity, double way, double time, double steps, double unit)
{
	switch (rule) {
	case VELOCITY_MEAN: return velocity + way / time;
	case VELOCITY_STOP: return 0.0;
	case VELOCITY_TOLD: return (velocity + way / time) + steps * unit;
	default: return velocity;
	}
}

/* False: places are too far off for the grid. Then nothing has been told. */
static bool
places_find(const struct telling *telling, double grid, double steps[2])
{
	struct quantized_motion found = telling->seen;

	for (unsigned axis = 0; axis < 2; axis++) {
		double way = telling->now->place[axis] - telling->seen.place[axis];

		steps[axis] = nearest_step(way, grid);
		found.place[axis] = telling->seen.place[axis] + steps[axis] * grid;
	}
	return place_error(&found, telling->now) <= telling->allowed;
}

/* The same of the angle. */
static bool
angle_find(const struct telling *telling, double grid, double *steps)
{
	struct quantized_motion found = telling->seen;

	*steps = nearest_step(telling->now->angle - telling->seen.angle, grid);
	found.angle = telling->seen.angle + *steps * grid;
	return angle_error(&found, telling->now, telling->circle->radius) <= telling->allowed;
}

static void
velocities_tell(struct telling *telling, double grid, const double steps[2])
{
	struct quantized_circle *circle = telling->circle;
	struct quantized_contexts *contexts = &telling->states->contexts;
	struct quantized_motion *seen = &telling->seen;
	double unit = grid / (VELOCITY_UPDATES * telling->time), fine[2], bits = 0.0;

	for (unsigned axis = 0; axis < 2; axis++) {
		double mean = seen->velocity[axis] + steps[axis] * grid / telling->waited;

		fine[axis] = nearest_step(telling->now->velocity[axis] - mean, unit);
		bits += 2.0 + bits_of(1.0 + fabs(fine[axis]));
	}

	bool stands = fabs(telling->now->velocity[0]) < 0.5 * unit && fabs(telling->now->velocity[1]) < 0.5 * unit;
	enum velocity_rule rule = stands ? VELOCITY_STOP : rule_scores_choose(&circle->scores, circle->rule, bits);

	tree_put(telling->coder, contexts->rule[circle->rule], rule);
	circle->rule = (uint8_t)rule;
	for (unsigned axis = 0; axis < 2; axis++) {
		if (rule == VELOCITY_TOLD)
			number_put(telling->coder, contexts->velocity[steps[axis] == 0.0], (int32_t)fine[axis]);
		seen->velocity[axis] = velocity_after(rule, seen->velocity[axis], steps[axis] * grid, telling->waited, fine[axis],
		                                      unit);
	}
}

/* An angle is told with the spin that it has. */
static void
angle_tell(struct telling *telling, double grid, double steps)
{
	struct quantized_contexts *contexts = &telling->states->contexts;
	struct quantized_motion *seen = &telling->seen;
	double unit = grid / (VELOCITY_UPDATES * telling->time), mean = seen->spin + steps * grid / telling->waited;
	double fine = nearest_step(telling->now->spin - mean, unit);
	enum velocity_rule rule = telling->now->spin == 0.0 ? VELOCITY_STOP : VELOCITY_TOLD;

	number_put(telling->coder, contexts->angle, (int32_t)steps);
	tree_put(telling->coder, contexts->spin_rule, rule);
	if (rule == VELOCITY_TOLD)
		number_put(telling->coder, contexts->spin, (int32_t)fine);
	seen->angle += steps * grid;
	seen->spin = velocity_after(rule, seen->spin, steps * grid, telling->waited, fine, unit);
}

/* In numbers as they are. */
static void
exactly_tell(struct telling *telling)
{
	const struct quantized_motion *now = telling->now;
	const double numbers[] = { now->place[0], now->place[1], now->velocity[0], now->velocity[1], now->angle, now->spin };

	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		exact_put(telling->coder, numbers[i]);
	telling->seen = *now;
	telling->circle->rule = VELOCITY_KEEP;
}

static void
circle_tell(struct telling *telling, bool driven)
{
	struct quantized_circle *circle = telling->circle;
	struct quantized_contexts *contexts = &telling->states->contexts;
	double steps[2], angle_steps, grid = GRID_PER_TOLERANCE * telling->allowed, angle_grid = grid / circle->radius;

	rules_judge(telling, driven);
	bit_put(telling->coder, &contexts->straight[circle->mode], telling->mode != QUANTIZED_FREE);
	if (telling->mode != QUANTIZED_FREE)
		bit_put(telling->coder, &contexts->driven[circle->mode], telling->mode == QUANTIZED_DRIVEN);

	bool places = places_find(telling, grid, steps), angles = angle_find(telling, angle_grid, &angle_steps);

	bit_put(telling->coder, &contexts->exact, !places || !angles);
	if (!places || !angles) {
		exactly_tell(telling);
	} else {
		bool turns = angle_steps != 0.0 || (telling->seen.spin != 0.0) != (telling->now->spin != 0.0);

		number_put(telling->coder, contexts->place[circle->history & 1], (int32_t)steps[0]);
		number_put(telling->coder, contexts->place[circle->history & 1], (int32_t)steps[1]);
		velocities_tell(telling, grid, steps);
		telling->seen.place[0] += steps[0] * grid;
		telling->seen.place[1] += steps[1] * grid;
		bit_put(telling->coder, &contexts->turns[telling->seen.spin != 0.0], turns);
		if (turns)
			angle_tell(telling, angle_grid, angle_steps);
	}
	circle->mode = (uint8_t)telling->mode;
}

static bool
is_driven(const struct body_motion *motion)
{
	return motion->driven || motion->asleep;
}

static double
tolerance_of(const struct quantized_states *states, const struct body_motion *motion)
{
	return is_driven(motion) ? states->driven_tolerance : states->tolerance;
}

struct quantized_error
quantized_circle_error(const struct quantized_states *states, const struct quantized_circle *circle,
                       const struct body_motion *motion, uint64_t ticks)
{
	struct quantized_motion seen = motion_go(circle->seen, circle, circle->mode, states, ticks), now = motion_of(motion);
	double place = place_error(&seen, &now), angle = angle_error(&seen, &now, circle->radius);

	return (struct quantized_error){ .error = place > angle || isnan(place) ? place : angle,
		                             .allowed = tolerance_of(states, motion) };
}

/* With bytes limited: whether one that is not told is within its tolerance. */
static void
stale_follow(struct telling *telling, bool told, bool beyond)
{
	struct quantized_circle *circle = telling->circle;
	struct quantized_contexts *contexts = &telling->states->contexts;

	if (!told)
		bit_put(telling->coder, &contexts->stale[circle->mode][circle->stale != 0], beyond);
	if (told || !beyond)
		circle->stale = 0;
	else
		circle->stale = circle->stale + telling->ticks < QUANTIZED_STALE_MAX ? circle->stale + (uint32_t)telling->ticks
		                                                                     : QUANTIZED_STALE_MAX;
}

void
quantized_circle_follow(struct quantized_states *states, struct quantized_circle *circle, const struct body_motion *motion,
                        uint64_t ticks, bool may_tell, struct bit_coder *coder)
{
	struct quantized_motion now = motion_of(motion);
	struct telling telling = { .states = states,
		                       .circle = circle,
		                       .coder = coder,
		                       .now = &now,
		                       .seen = motion_go(circle->seen, circle, circle->mode, states, ticks),
		                       .allowed = tolerance_of(states, motion),
		                       .ticks = ticks,
		                       .time = (double)ticks * states->dt,
		                       .waited = (double)(circle->stale + ticks) * states->dt };
	bool beyond = !(place_error(&telling.seen, &now) <= telling.allowed) ||
	              !(angle_error(&telling.seen, &now, circle->radius) <= telling.allowed);
	bool told = beyond && may_tell;

	bit_put(coder, told_context(states, circle), told);
	if (told) {
		double before = states->limited ? bit_coder_bits(coder) : 0.0;

		circle_tell(&telling, is_driven(motion));
		states->choice.row_bits += states->limited ? bit_coder_bits(coder) - before : 0.0;
	} else if (!beyond) {
		rule_scores_calm(&circle->scores);
	}
	if (states->limited)
		stale_follow(&telling, told, beyond);
	circle->history = (uint8_t)((circle->history << 1 | told) & (QUANTIZED_HISTORIES - 1));
	for (unsigned axis = 0; axis < 2; axis++)
		circle->mean[axis] = (now.place[axis] - circle->real.place[axis]) / telling.time;
	circle->seen = telling.seen;
	circle->real = now;
	/* From the next update on, as its readers are told in this one. */
	circle->gravity[0] = motion->ax;
	circle->gravity[1] = motion->ay;
}
