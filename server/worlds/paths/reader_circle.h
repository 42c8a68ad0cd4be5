/* reader_circle: what a reader of paths has of a circle, and the rule by which it goes on: that of Paths in the schema. */
#ifndef COLLIDED_WORLDS_PATHS_READER_CIRCLE_H
#define COLLIDED_WORLDS_PATHS_READER_CIRCLE_H

#include "physics/physics.h"

#include <math.h>

struct reader_circle {
	double x, y, vx, vy, ax, ay;
	double spin, angle;
	double t0; /* time in the tick of the numbers above */
	/* Of its definition: gravity times its scale; what damping leaves in a tick. */
	double gravity_x, gravity_y;
	double keep, spin_keep;
	double mass; /* 0 unless dynamic */
	double linear_damping, angular_damping, gravity_scale, radius;
	uint64_t tag;
	uint32_t id;
	enum body_kind kind;
	bool moves, dynamic;
	bool driven, asleep, held;
	/* Driven, while a tick is made for readers with `driven_legs`: from t0 in the tick on it goes straight with this velocity.
	 */
	bool leg;
	double leg_x, leg_y;
};

/* As it is told anew. */
static inline struct reader_circle
reader_circle_of(const struct body_motion *motion, double dt)
{
	return (struct reader_circle){
		.x = motion->x,
		.y = motion->y,
		.vx = motion->vx,
		.vy = motion->vy,
		.spin = motion->spin,
		.angle = motion->angle,
		.gravity_x = motion->ax,
		.gravity_y = motion->ay,
		.keep = 1.0 / (1.0 + dt * motion->linear_damping),
		.spin_keep = 1.0 / (1.0 + dt * motion->angular_damping),
		.mass = motion->kind == BODY_DYNAMIC ? motion->mass : 0.0,
		.linear_damping = motion->linear_damping,
		.angular_damping = motion->angular_damping,
		.gravity_scale = motion->gravity_scale,
		.radius = motion->radius,
		.tag = motion->tag,
		.id = motion->id,
		.kind = motion->kind,
		.moves = motion->kind != BODY_STATIC,
		.dynamic = motion->kind == BODY_DYNAMIC,
	};
}

/* Neither driven nor asleep nor held. */
static inline void
reader_circle_free(struct reader_circle *circle)
{
	circle->driven = circle->asleep = circle->held = circle->leg = false;
	circle->ax = circle->gravity_x;
	circle->ay = circle->gravity_y;
}

static inline void
reader_circle_sleep(struct reader_circle *circle)
{
	circle->driven = circle->held = circle->leg = false;
	circle->asleep = true;
	circle->vx = circle->vy = circle->spin = circle->ax = circle->ay = 0.0;
}

/* What damping and the greatest speed make of it at a tick's start. */
static inline void
reader_circle_kick(struct reader_circle *circle, double speed_max)
{
	circle->vx *= circle->keep;
	circle->vy *= circle->keep;
	circle->spin *= circle->spin_keep;
	if (speed_max > 0.0) {
		double speed = sqrt(circle->vx * circle->vx + circle->vy * circle->vy);

		if (speed > speed_max) {
			double part = speed_max / speed;

			circle->vx *= part;
			circle->vy *= part;
		}
	}
}

/* The start of a tick. */
static inline void
reader_circle_begin(struct reader_circle *circle, double speed_max)
{
	circle->t0 = 0.0;
	if (!circle->dynamic || circle->driven || circle->asleep)
		return;
	reader_circle_kick(circle, speed_max);
	if (!circle->held) {
		circle->ax = circle->gravity_x;
		circle->ay = circle->gravity_y;
	}
}

/* On a straight piece; else it stays where it is. */
static inline void
reader_circle_go_driven(struct reader_circle *circle, double s)
{
	if (!circle->leg)
		return;
	circle->x += s * circle->leg_x;
	circle->y += s * circle->leg_y;
	if (circle->spin != 0.0)
		circle->angle += s * circle->spin;
}

static inline void
reader_circle_go(struct reader_circle *circle, double time)
{
	double s = time - circle->t0;

	circle->t0 = time;
	if (!circle->moves || circle->driven || circle->asleep) {
		reader_circle_go_driven(circle, s);
		return;
	}
	circle->x += s * (circle->vx + 0.5 * s * circle->ax);
	circle->y += s * (circle->vy + 0.5 * s * circle->ay);
	circle->vx += s * circle->ax;
	circle->vy += s * circle->ay;
	if (circle->spin != 0.0)
		circle->angle += s * circle->spin;
}

#endif
