/* Updates within a tolerance, by the rule of Quantized in collide.proto. */
#include "client/lib/follow/follower.h"

#include <math.h>
#include <string.h>

enum { RULE_KEEP, RULE_MEAN, RULE_STOP, RULE_TOLD };

/* Where `stale` ends to be counted. */
#define STALE_MAX (1u << 20)

static const double GRID_PER_TOLERANCE = 1.414;
static const double VELOCITY_UPDATES = 16.0;

/* So many ticks on. */
static void
circle_go(struct follow_circle *circle, uint32_t ticks, double dt, double speed_max)
{
	struct collide_followed_circle *seen = &circle->seen;
	bool is_free = circle->mode == FOLLOW_FREE && seen->kind == COLLIDE_DYNAMIC;
	double gx = is_free ? circle->gravity_x : 0.0, gy = is_free ? circle->gravity_y : 0.0;
	for (uint32_t i = 0; i < ticks; i++) {
		if (is_free)
			follow_circle_kick(circle, speed_max);
		seen->x += dt * (seen->vx + 0.5 * dt * gx);
		seen->y += dt * (seen->vy + 0.5 * dt * gy);
		seen->vx += dt * gx;
		seen->vy += dt * gy;
		seen->angle += dt * seen->spin;
	}
}

/* What is told of numbers on a grid. */
struct quantized_reader {
	struct bit_reader bits;
	struct follow_quantized *from;
	double time;   /* of the update, */
	double waited; /* and with what was before, while the circle was stale */
};

static double
exact_read(struct quantized_reader *reader)
{
	uint64_t bits = bits_read(&reader->bits, 64);
	double number;
	memcpy(&number, &bits, sizeof number);
	return number;
}

static double
velocity_read(struct quantized_reader *reader, unsigned rule, double velocity, double way, double grid,
              struct follow_context *contexts)
{
	switch (rule) {
	case RULE_MEAN: return velocity + way / reader->waited;
	case RULE_STOP: return 0.0;
	case RULE_TOLD:
		return (velocity + way / reader->waited) +
		       bits_number_read(&reader->bits, contexts) * (grid / (VELOCITY_UPDATES * reader->time));
	default: return velocity;
	}
}

static void
angle_read(struct quantized_reader *reader, struct collide_followed_circle *seen, double grid)
{
	struct follow_contexts *contexts = &reader->from->contexts;
	double way = bits_number_read(&reader->bits, contexts->angle) * grid;
	unsigned rule = tree_read(&reader->bits, contexts->spin_rule);
	seen->spin = velocity_read(reader, rule, seen->spin, way, grid, contexts->spin);
	seen->angle += way;
}

static void
exactly_read(struct quantized_reader *reader, struct follow_circle *circle)
{
	struct collide_followed_circle *seen = &circle->seen;
	double *const numbers[] = { &seen->x, &seen->y, &seen->vx, &seen->vy, &seen->angle, &seen->spin };
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		*numbers[i] = exact_read(reader);
	circle->rule = RULE_KEEP;
}

static void
circle_read(struct quantized_reader *reader, struct follow_circle *circle)
{
	struct follow_contexts *contexts = &reader->from->contexts;
	struct collide_followed_circle *seen = &circle->seen;
	struct bit_reader *bits = &reader->bits;
	unsigned before = circle->mode;
	circle->mode = FOLLOW_FREE;
	if (bit_read(bits, &contexts->straight[before]))
		circle->mode = bit_read(bits, &contexts->driven[before]) ? FOLLOW_DRIVEN : FOLLOW_STRAIGHT;
	seen->driven = circle->mode == FOLLOW_DRIVEN;
	if (bit_read(bits, &contexts->exact)) {
		exactly_read(reader, circle);
		return;
	}
	double grid = GRID_PER_TOLERANCE * (seen->driven ? reader->from->driven_tolerance : reader->from->tolerance);
	struct follow_context *places = contexts->place[circle->history & 1];
	double i = bits_number_read(bits, places), j = bits_number_read(bits, places);
	unsigned rule = tree_read(bits, contexts->rule[circle->rule]);
	circle->rule = (uint8_t)rule;
	seen->vx = velocity_read(reader, rule, seen->vx, i * grid, grid, contexts->velocity[i == 0.0]);
	seen->vy = velocity_read(reader, rule, seen->vy, j * grid, grid, contexts->velocity[j == 0.0]);
	seen->x += i * grid;
	seen->y += j * grid;
	if (bit_read(bits, &contexts->turns[seen->spin != 0.0]))
		angle_read(reader, seen, grid / seen->radius);
}

/* What is told of one that has gone on. */
static void
circle_follow(struct quantized_reader *reader, struct follow_circle *circle, uint32_t ticks, double dt)
{
	struct follow_contexts *contexts = &reader->from->contexts;
	struct collide_followed_circle *seen = &circle->seen;
	bool told = bit_read(&reader->bits, seen->stale == 0 ? &contexts->told[circle->mode][circle->history]
	                                                     : &contexts->told_stale[circle->history]);
	reader->waited = (double)(seen->stale + ticks) * dt;
	if (told)
		circle_read(reader, circle);
	if (told || reader->from->bytes_per_second == 0 ||
	    !bit_read(&reader->bits, &contexts->stale[circle->mode][seen->stale != 0]))
		seen->stale = 0;
	else
		seen->stale = seen->stale + ticks < STALE_MAX ? seen->stale + ticks : STALE_MAX;
	circle->history = (uint8_t)((circle->history << 1 | told) & 7);
}

static void
gone_mark_one(struct collide_follower *follower, uint32_t id)
{
	struct follow_circle *circle = follow_circle_find(follower, id);
	if (circle)
		circle->gone = true;
}

/* Those that the update's changes leave out. */
static void
gone_mark(struct collide_follower *follower, const Collide__V1__WorldChange *changes)
{
	bool defines = changes->optional_circles_case == COLLIDE__V1__WORLD_CHANGE__OPTIONAL_CIRCLES_CIRCLES;
	size_t defined = defines ? changes->circles->n_id : 0;
	for (size_t i = 0; i < changes->n_removed_circles; i++)
		gone_mark_one(follower, changes->removed_circles[i]);
	for (size_t i = 0; i < defined; i++)
		gone_mark_one(follower, changes->circles->id[i]);
}

/* false: bytes are left over, or no memory. */
static bool
states_read(struct collide_follower *follower, const Collide__V1__WorldUpdate *update, bool *memory)
{
	struct quantized_reader reader = { .from = &follower->quantized, .time = (double)update->ticks * follower->world.dt };
	bit_reader_begin(&reader.bits, update->quantized.data, update->quantized.len);
	*memory = follow_past_begin(follower);
	if (!*memory)
		return false;
	for (size_t i = 0; i < follower->circle_count; i++) {
		struct follow_circle *circle = &follower->circles[i];
		if (circle->gone)
			continue;
		circle_go(circle, update->ticks, follower->world.dt, follower->speed_max);
		circle_follow(&reader, circle, update->ticks, follower->world.dt);
	}
	follow_past_straight(follower, reader.time);
	for (uint32_t t = 0; t < update->ticks; t++)
		follow_segments_go(follower);
	return bit_reader_ends(&reader.bits);
}

bool
follow_quantized(struct collide_follower *follower, const Collide__V1__WorldUpdate *update, bool *memory)
{
	const Collide__V1__WorldChange *changes = update->optional_changes_case ==
	                                                  COLLIDE__V1__WORLD_UPDATE__OPTIONAL_CHANGES_CHANGES
	                                              ? update->changes
	                                              : NULL;
	if (changes)
		gone_mark(follower, changes);
	if (update->ticks > 0 && !states_read(follower, update, memory))
		return false;
	if (changes && !follow_change(follower, changes, memory))
		return false;
	follower->world.tick = update->tick;
	if (follower->on_tick && update->ticks > 0)
		follower->on_tick(follower->context, follower);
	return true;
}
