/* Ticks, by the rule of Paths in collide.proto. */
#include "client/lib/follow/follower.h"

#include <string.h>

static void
circle_begin(struct follow_circle *circle, double speed_max)
{
	struct collide_followed_circle *seen = &circle->seen;
	circle->t0 = 0.0;
	circle->leg = false;
	if (seen->kind != COLLIDE_DYNAMIC || seen->driven || seen->asleep)
		return;
	follow_circle_kick(circle, speed_max);
	if (!circle->held) {
		circle->ax = circle->gravity_x;
		circle->ay = circle->gravity_y;
	}
}

static void
circle_go(struct follow_circle *circle, double time)
{
	struct collide_followed_circle *seen = &circle->seen;
	double s = time - circle->t0;
	circle->t0 = time;
	if ((seen->driven && !circle->leg) || seen->asleep || seen->kind == COLLIDE_STATIC)
		return;
	if (seen->driven) {
		seen->x += s * circle->leg_x;
		seen->y += s * circle->leg_y;
	} else {
		seen->x += s * (seen->vx + 0.5 * s * circle->ax);
		seen->y += s * (seen->vy + 0.5 * s * circle->ay);
		seen->vx += s * circle->ax;
		seen->vy += s * circle->ay;
	}
	if (seen->spin != 0.0)
		seen->angle += s * seen->spin;
}

/* A byte that names a velocity. */
#define CODE_NAME 5u

/* Numbers as they are told, one after the other. */
struct number_reader {
	const uint8_t *codes, *values;
	size_t code_count, value_count; /* half bytes; bytes */
	size_t code, value;             /* the next ones */
	bool short_of;                  /* there were too few, or a name of none */
	struct follow_names *names;
	bool begins; /* of rows at a tick's begin: their velocities may be named */
};

static uint64_t
double_to_bits(double number)
{
	uint64_t bits;
	memcpy(&bits, &number, sizeof bits);
	return bits;
}

static double
single_of(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float number;
	memcpy(&number, &low, sizeof number);
	return (double)number;
}

static double
number_read(struct number_reader *reader, double base)
{
	if (reader->code >= reader->code_count) {
		reader->short_of = true;
		return base;
	}
	unsigned code = (unsigned)reader->codes[reader->code / 2] >> (reader->code % 2 * 4) & 15u;
	reader->code++;
	if (code == 6 || code == 7)
		return code == 7 ? base : -base;
	size_t count = code <= 8 ? code : code - 8;
	if (code == CODE_NAME || count > reader->value_count - reader->value) {
		reader->short_of = true;
		return base;
	}
	uint64_t bits = 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t byte = reader->values[reader->value++];
		bits |= byte << (code <= 8 ? 56 - 8 * i : 8 * i);
	}
	if (code == 4)
		return single_of(bits >> 32);
	if (code > 8)
		bits = double_to_bits(base) + (bits & 1 ? ~(bits >> 1) : bits >> 1);
	double number;
	memcpy(&number, &bits, sizeof number);
	return number;
}

/* A velocity: named, or to be named from then on. */
static double
number_or_name_read(struct number_reader *reader, double base)
{
	struct follow_names *names = reader->names;
	size_t before = reader->value;
	unsigned code = 0;
	if (reader->begins && reader->code < reader->code_count)
		code = (unsigned)reader->codes[reader->code / 2] >> (reader->code % 2 * 4) & 15u;
	if (code == CODE_NAME && reader->value < reader->value_count) {
		size_t place = reader->values[reader->value++];
		reader->code++;
		reader->short_of = reader->short_of || place >= names->told;
		return names->velocities[place];
	}
	double number = number_read(reader, base);
	if (reader->begins && reader->value - before >= 2)
		names->velocities[names->told++ % FOLLOW_NAMES] = number;
	return number;
}

/* What a row made of the velocities, for the row after it. */
struct row_before {
	const struct follow_circle *circle; /* NULL: none that counts */
	bool has[2];
	double change[2]; /* before less after */
};

/* vx or vy of the row, by the pair's momentum if there is one. */
static void
velocity_read(struct number_reader *reader, const struct follow_circle *circle, const struct row_before *before,
              struct row_before *own, size_t axis, double *velocity)
{
	double old = *velocity, base = old;
	if (before->circle && before->has[axis] && circle->seen.kind == COLLIDE_DYNAMIC)
		base = old + before->circle->seen.mass / circle->seen.mass * before->change[axis];
	*velocity = number_or_name_read(reader, base);
	own->has[axis] = true;
	own->change[axis] = old - *velocity;
}

/* The numbers of a row that begins a straight piece. */
static void
leg_read(struct number_reader *reader, struct follow_circle *circle)
{
	circle->leg_x = number_read(reader, circle->leg ? circle->leg_x : circle->seen.vx);
	circle->leg_y = number_read(reader, circle->leg ? circle->leg_y : circle->seen.vy);
	circle->leg = true;
}

static void
row_take(struct number_reader *reader, struct follow_circle *circle, uint32_t what, double dt, struct row_before *before)
{
	struct collide_followed_circle *seen = &circle->seen;
	struct row_before own = { .circle = seen->kind == COLLIDE_DYNAMIC && circle->t0 > 0.0 ? circle : NULL };
	if (what & COLLIDE__V1__PATH_WHAT__PATH_FREE)
		follow_circle_free(circle);
	if (what & COLLIDE__V1__PATH_WHAT__PATH_DRIVEN) {
		seen->driven = true;
		seen->asleep = circle->held = false;
	}
	bool at_end = what & COLLIDE__V1__PATH_WHAT__PATH_END, still = at_end && seen->driven && !circle->leg;
	if (seen->driven && !at_end && (what & COLLIDE__V1__PATH_WHAT__PATH_VX)) {
		leg_read(reader, circle);
		own.circle = NULL;
		what &= ~(uint32_t)(COLLIDE__V1__PATH_WHAT__PATH_VX | COLLIDE__V1__PATH_WHAT__PATH_VY);
	}
	if (what & COLLIDE__V1__PATH_WHAT__PATH_VX)
		velocity_read(reader, circle, before, &own, 0, &seen->vx);
	if (what & COLLIDE__V1__PATH_WHAT__PATH_VY)
		velocity_read(reader, circle, before, &own, 1, &seen->vy);
	if (what & COLLIDE__V1__PATH_WHAT__PATH_X)
		seen->x = number_read(reader, still ? seen->x + dt * seen->vx : seen->x);
	if (what & COLLIDE__V1__PATH_WHAT__PATH_Y)
		seen->y = number_read(reader, still ? seen->y + dt * seen->vy : seen->y);
	if (what & COLLIDE__V1__PATH_WHAT__PATH_SPIN)
		seen->spin = number_read(reader, seen->spin);
	if (what & COLLIDE__V1__PATH_WHAT__PATH_ANGLE)
		seen->angle = number_read(reader, seen->angle);
	if (what & COLLIDE__V1__PATH_WHAT__PATH_AX)
		circle->ax = number_read(reader, circle->ax);
	if (what & COLLIDE__V1__PATH_WHAT__PATH_AY)
		circle->ay = number_read(reader, circle->ay);
	circle->held = circle->held || (what & COLLIDE__V1__PATH_WHAT__PATH_HELD);
	if (what & COLLIDE__V1__PATH_WHAT__PATH_ASLEEP)
		follow_circle_sleep(circle);
	circle->gone = circle->gone || (what & COLLIDE__V1__PATH_WHAT__PATH_REMOVED);
	*before = own;
}

static bool
rows_take(struct collide_follower *follower, const Collide__V1__Paths *paths, size_t first, size_t count,
          struct number_reader *reader, bool *memory)
{
	struct row_before before = { .circle = NULL };
	double time = 0.0, dt = follower->world.dt;
	for (size_t i = first; i < first + count; i++) {
		uint32_t what = paths->what[i];
		if (paths->body[i] >= follower->circle_count)
			return false;
		struct follow_circle *circle = &follower->circles[paths->body[i]];
		if (what & (COLLIDE__V1__PATH_WHAT__PATH_TIME | COLLIDE__V1__PATH_WHAT__PATH_END))
			before.circle = NULL;
		if (what & COLLIDE__V1__PATH_WHAT__PATH_TIME)
			time = number_read(reader, time);
		if (what & COLLIDE__V1__PATH_WHAT__PATH_END)
			time = dt;
		circle_go(circle, time);
		reader->begins = time == 0.0 && !(what & COLLIDE__V1__PATH_WHAT__PATH_END);
		row_take(reader, circle, what, dt, &before);
		if (!(what & COLLIDE__V1__PATH_WHAT__PATH_END) && !follow_past_add(follower, paths->body[i])) {
			*memory = false;
			return false;
		}
	}
	return !reader->short_of;
}

void
follow_segments_go(struct collide_follower *follower)
{
	double dt = follower->world.dt;
	for (size_t i = 0; i < follower->segment_count; i++) {
		struct follow_segment *segment = &follower->segments[i];
		struct collide_followed_segment *seen = &segment->seen;
		if (!segment->moves)
			continue;
		segment->moved[0] += seen->vx * dt;
		segment->moved[1] += seen->vy * dt;
		seen->x1 = segment->home[0] + segment->moved[0], seen->y1 = segment->home[1] + segment->moved[1];
		seen->x2 = segment->home[2] + segment->moved[0], seen->y2 = segment->home[3] + segment->moved[1];
	}
}

/* The end of the tick: circles go there, segments move on. */
static void
tick_end(struct collide_follower *follower)
{
	size_t kept = 0;
	double dt = follower->world.dt;
	follow_past_end(follower);
	for (size_t i = 0; i < follower->circle_count; i++) {
		circle_go(&follower->circles[i], dt);
		if (!follower->circles[i].gone)
			follower->circles[kept++] = follower->circles[i];
	}
	follower->circle_count = kept;
	follow_segments_go(follower);
	follower->world.tick++;
	if (follower->on_tick)
		follower->on_tick(follower->context, follower);
}

bool
follow_paths(struct collide_follower *follower, const Collide__V1__WorldUpdate *update, bool *memory)
{
	static const Collide__V1__Paths none = COLLIDE__V1__PATHS__INIT;
	bool told = update->optional_paths_case == COLLIDE__V1__WORLD_UPDATE__OPTIONAL_PATHS_PATHS;
	const Collide__V1__Paths *paths = told ? update->paths : &none;
	struct number_reader reader = { .codes = paths->codes.data,
		                            .values = paths->values.data,
		                            .code_count = 2 * paths->codes.len,
		                            .value_count = paths->values.len,
		                            .names = &follower->names };
	size_t row = 0, change = 0;
	if (paths->anew)
		follower->names.told = 0;
	if (paths->n_body != paths->n_what || paths->n_rows_in_tick > update->ticks)
		return false;
	for (; update->ticks == 0 && change < paths->n_changes; change++)
		if (!follow_change(follower, paths->changes[change], memory))
			return false;
	for (size_t t = 0; t < update->ticks; t++) {
		size_t count = t < paths->n_rows_in_tick ? paths->rows_in_tick[t] : 0;
		for (; change < paths->n_changes && paths->changes[change]->tick <= follower->world.tick + 1; change++)
			if (!follow_change(follower, paths->changes[change], memory))
				return false;
		for (size_t i = 0; i < follower->circle_count; i++)
			circle_begin(&follower->circles[i], follower->speed_max);
		*memory = follow_past_begin(follower);
		if (!*memory || count > paths->n_body - row || !rows_take(follower, paths, row, count, &reader, memory))
			return false;
		row += count;
		tick_end(follower);
	}
	return row == paths->n_body && change == paths->n_changes;
}
