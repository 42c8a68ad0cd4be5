/* Happy path: of a circle that is about where its readers have it, one bit is told, which costs next to nothing. What can go
 * wrong: numbers too large for the grid, which are told as they are; memory. */
#include "worlds/quantized/quantized_states.h"

#include "base/memory.h"
#include "base/pause.h"
#include "physics/describe.h"
#include "worlds/commands/room.h"

#include <math.h>
#include <string.h>

/* Units (base/pause.h) of a circle in an update, and in each of its ticks. */
#define CIRCLE_UNITS 4u
/* The grid's lines are so many tolerances apart: a little less than sqrt(2), so that corners of a cell are near enough. */
#define GRID_PER_TOLERANCE 1.414
/* Velocities are told so exactly that a place is off by a step of the grid after so many updates. */
#define VELOCITY_UPDATES 16.0
/* The first number that is too large to be told in steps. */
#define STEPS_END 16777216.0

void
quantized_states_finish(struct quantized_states *states)
{
	memory_free(states->circles);
	memory_free(states->spare);
	memory_free(states->motions);
	memory_free(states->gone);
	memory_free(states->anew);
	*states = (struct quantized_states){
		.tolerance = states->tolerance,
		.driven_tolerance = states->driven_tolerance,
		.dt = states->dt,
		.region = states->region,
		.box = REGION_NOWHERE,
	};
}

/* ---- circles */

static struct quantized_motion
motion_of(const struct body_motion *from)
{
	return (struct quantized_motion){ { from->x, from->y }, { from->vx, from->vy }, from->angle, from->spin };
}

/* As it is told anew. */
static struct quantized_circle
circle_of(const struct body_motion *from, double dt)
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
	double time; /* of these ticks */
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

/* What a step to a place does to a velocity, by its rule; `steps` of `unit` are of VELOCITY_TOLD. */
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
		double mean = seen->velocity[axis] + steps[axis] * grid / telling->time;

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
		seen->velocity[axis] = velocity_after(rule, seen->velocity[axis], steps[axis] * grid, telling->time, fine[axis], unit);
	}
}

/* An angle is told with the spin that it has. */
static void
angle_tell(struct telling *telling, double grid, double steps)
{
	struct quantized_contexts *contexts = &telling->states->contexts;
	struct quantized_motion *seen = &telling->seen;
	double unit = grid / (VELOCITY_UPDATES * telling->time), mean = seen->spin + steps * grid / telling->time;
	double fine = nearest_step(telling->now->spin - mean, unit);
	enum velocity_rule rule = telling->now->spin == 0.0 ? VELOCITY_STOP : VELOCITY_TOLD;

	number_put(telling->coder, contexts->angle, (int32_t)steps);
	tree_put(telling->coder, contexts->spin_rule, rule);
	if (rule == VELOCITY_TOLD)
		number_put(telling->coder, contexts->spin, (int32_t)fine);
	seen->angle += steps * grid;
	seen->spin = velocity_after(rule, seen->spin, steps * grid, telling->time, fine, unit);
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

/* One that its readers have. */
static void
circle_follow(struct quantized_states *states, struct quantized_circle *circle, const struct body_motion *motion,
              uint64_t ticks, struct bit_coder *coder)
{
	bool driven = motion->driven || motion->asleep;
	struct quantized_motion now = motion_of(motion);
	struct telling telling = { .states = states,
		                       .circle = circle,
		                       .coder = coder,
		                       .now = &now,
		                       .seen = motion_go(circle->seen, circle, circle->mode, states, ticks),
		                       .allowed = driven ? states->driven_tolerance : states->tolerance,
		                       .ticks = ticks,
		                       .time = (double)ticks * states->dt };
	bool told = !(place_error(&telling.seen, &now) <= telling.allowed) ||
	            !(angle_error(&telling.seen, &now, circle->radius) <= telling.allowed);

	bit_put(coder, &states->contexts.told[circle->mode][circle->history], told);
	if (told)
		circle_tell(&telling, driven);
	else
		rule_scores_calm(&circle->scores);
	circle->history = (uint8_t)((circle->history << 1 | told) & (QUANTIZED_HISTORIES - 1));
	for (unsigned axis = 0; axis < 2; axis++)
		circle->mean[axis] = (now.place[axis] - circle->real.place[axis]) / telling.time;
	circle->seen = telling.seen;
	circle->real = now;
	/* From the next update on, as its readers are told in this one. */
	circle->gravity[0] = motion->ax;
	circle->gravity[1] = motion->ay;
}

/* ---- the list */

/* The square about a circle is where that is now; it stays there when the circle is gone. */
static void
box_follow(struct quantized_states *states, const struct world *world)
{
	const struct region *region = &states->region;
	size_t index;

	if (region->kind == REGION_BOX) {
		memcpy(states->box, (const double[]){ region->x0, region->y0, region->x1, region->y1 }, sizeof states->box);
	} else if (region->kind == REGION_AROUND && world_body_find(world, region->circle, &index)) {
		const struct body_motion *middle = &states->motions[index];
		double r = region->radius;

		memcpy(states->box, (const double[]){ middle->x - r, middle->y - r, middle->x + r, middle->y + r }, sizeof states->box);
	}
}

/* Whether a place is in the region, widened by `more`. */
static bool
box_has(const double box[4], double x, double y, double more)
{
	return x >= box[0] - more && x <= box[2] + more && y >= box[1] - more && y <= box[3] + more;
}

/* Whether it touches the region, or may do so before the next update; one that is known, whether it is still near. */
static bool
box_keeps(const double box[4], const struct body_motion *motion, bool known, double time)
{
	double x = motion->x + time * motion->vx, y = motion->y + time * motion->vy;

	return box_has(box, motion->x, motion->y, known ? 2.0 * motion->radius : motion->radius) ||
	       box_has(box, x, y, motion->radius);
}

/* Leaves those of the world's circles that are told. */
static void
motions_keep(struct quantized_states *states, double time)
{
	size_t old = 0, kept = 0;

	for (size_t i = 0; i < states->motion_count && !pause_after(1); i++) {
		const struct body_motion motion = states->motions[i];

		while (old < states->count && states->circles[old].id < motion.id)
			old++;

		bool known = old < states->count && states->circles[old].id == motion.id;

		if (box_keeps(states->box, &motion, known, time))
			states->motions[kept++] = motion;
	}
	states->motion_count = kept;
}

static bool
motions_take(struct quantized_states *states, const struct world *world, uint64_t ticks)
{
	states->motion_count = world_body_count(world);
	if (!room_reserve(&states->motions, &states->motion_capacity, states->motion_count, sizeof *states->motions))
		return false;
	world_copy_motions(world, 0, states->motion_count, states->motions);
	if (states->region.kind == REGION_ALL)
		return true;
	box_follow(states, world);
	motions_keep(states, (double)ticks * states->dt);
	return true;
}

bool
quantized_states_begin(struct quantized_states *states, const struct world *world)
{
	struct bit_context *contexts = (struct bit_context *)&states->contexts;
	struct world_def def;

	if (!motions_take(states, world, 1) ||
	    !room_reserve(&states->circles, &states->capacity, states->motion_count, sizeof *states->circles))
		return false;
	for (size_t i = 0; i < states->motion_count && !pause_after(CIRCLE_UNITS); i++)
		states->circles[i] = circle_of(&states->motions[i], states->dt);
	for (size_t i = 0; i < sizeof states->contexts / sizeof *contexts; i++)
		contexts[i] = BIT_CONTEXT_EVEN;
	world_describe_settings(world, &def);
	states->speed_max = def.speed_max;
	states->count = states->motion_count;
	states->gone_count = states->anew_count = 0;
	states->begun = true;
	return true;
}

/* Room for the lists of an update. */
static bool
rooms_take(struct quantized_states *states)
{
	return room_reserve(&states->spare, &states->spare_capacity, states->motion_count, sizeof *states->spare) &&
	       room_reserve(&states->gone, &states->gone_capacity, states->count, sizeof *states->gone) &&
	       room_reserve(&states->anew, &states->anew_capacity, states->motion_count, sizeof *states->anew);
}

/* Tells of those that stay, and notes the others. `old` and `defined` are walked along. */
static void
list_follow(struct quantized_states *states, struct quantized_circle *circles, uint64_t ticks, const uint32_t *defined,
            size_t defined_count, struct bit_coder *coder)
{
	size_t old = 0, next = 0;

	for (size_t i = 0; i < states->motion_count && !pause_after(CIRCLE_UNITS); i++) {
		const struct body_motion *motion = &states->motions[i];

		for (; old < states->count && states->circles[old].id < motion->id; old++)
			states->gone[states->gone_count++] = states->circles[old].id;
		while (next < defined_count && defined[next] < motion->id)
			next++;

		bool known = old < states->count && states->circles[old].id == motion->id;

		if (known && !(next < defined_count && defined[next] == motion->id)) {
			circles[i] = states->circles[old];
			circle_follow(states, &circles[i], motion, ticks, coder);
		} else {
			circles[i] = circle_of(motion, states->dt);
			states->anew[states->anew_count++] = motion->id;
		}
		old += known;
	}
	for (; old < states->count; old++)
		states->gone[states->gone_count++] = states->circles[old].id;
}

bool
quantized_states_update(struct quantized_states *states, const struct world *world, uint64_t ticks, const uint32_t *defined,
                        size_t defined_count, struct buffer *out)
{
	struct bit_coder coder;

	states->gone_count = states->anew_count = 0;
	if (!motions_take(states, world, ticks) || !rooms_take(states))
		return false;
	bit_coder_begin(&coder, out);
	list_follow(states, states->spare, ticks, defined, defined_count, &coder);
	bit_coder_end(&coder);

	struct quantized_circle *circles = states->spare;
	size_t capacity = states->spare_capacity;

	states->spare = states->circles;
	states->spare_capacity = states->capacity;
	states->circles = circles;
	states->capacity = capacity;
	states->count = states->motion_count;
	return true;
}

bool
quantized_states_have(const struct quantized_states *states, uint32_t id)
{
	size_t low = 0, high = states->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (states->circles[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < states->count && states->circles[low].id == id;
}
