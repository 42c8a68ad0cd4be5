/* reader_circle: what a reader of paths has of a circle, and the rule by which it goes on: that of Paths in the schema. */
#ifndef COLLIDED_WORLDS_PATHS_READER_CIRCLE_H
#define COLLIDED_WORLDS_PATHS_READER_CIRCLE_H

#include "worlds/paths/reader_kinds.h"

#include <math.h>

/* Numbers of kinds are below 2^28: a world has not so many circles. */
#define READER_KIND_BITS 0xfffffffu

struct reader_circle {
	double x, y, vx, vy, ax, ay;
	double spin, angle;
	uint32_t id;
	uint32_t kind : 28; /* number of its reader_kind */
	bool driven : 1, asleep : 1, held : 1;
	/* Driven, while a tick is made for readers with `driven_legs`: it goes straight on (reader_time). */
	bool leg : 1;
};

/* In a tick: the time of a circle's numbers, and the velocity with which it goes straight on from then. */
struct reader_time {
	double t0;
	double leg_x, leg_y;
};

/* As it is told anew. */
static inline struct reader_circle
reader_circle_of(const struct body_motion *motion, uint32_t kind)
{
	return (struct reader_circle){
		.x = motion->x,
		.y = motion->y,
		.vx = motion->vx,
		.vy = motion->vy,
		.spin = motion->spin,
		.angle = motion->angle,
		.id = motion->id,
		.kind = kind & READER_KIND_BITS,
	};
}

/* Neither driven nor asleep nor held. */
static inline void
reader_circle_free(struct reader_circle *circle, const struct reader_kind *kind)
{
	circle->driven = circle->asleep = circle->held = circle->leg = false;
	circle->ax = kind->gravity_x;
	circle->ay = kind->gravity_y;
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
reader_circle_kick(struct reader_circle *circle, const struct reader_kind *kind, double speed_max)
{
	if (kind->damped) {
		circle->vx *= kind->keep;
		circle->vy *= kind->keep;
		circle->spin *= kind->spin_keep;
	}
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
reader_circle_begin(struct reader_circle *circle, const struct reader_kind *kind, double speed_max)
{
	if (!kind->dynamic || circle->driven || circle->asleep)
		return;
	reader_circle_kick(circle, kind, speed_max);
	if (!circle->held) {
		circle->ax = kind->gravity_x;
		circle->ay = kind->gravity_y;
	}
}

/* On a straight piece; else it stays where it is. */
static inline void
reader_circle_go_driven(struct reader_circle *circle, const struct reader_time *time, double s)
{
	if (!circle->leg)
		return;
	circle->x += s * time->leg_x;
	circle->y += s * time->leg_y;
	if (circle->spin != 0.0)
		circle->angle += s * circle->spin;
}

/* Freely, whether it is dynamic or not. */
static inline void
reader_circle_fall(struct reader_circle *circle, double s)
{
	circle->x += s * (circle->vx + 0.5 * s * circle->ax);
	circle->y += s * (circle->vy + 0.5 * s * circle->ay);
	circle->vx += s * circle->ax;
	circle->vy += s * circle->ay;
	if (circle->spin != 0.0)
		circle->angle += s * circle->spin;
}

static inline void
reader_circle_go(struct reader_circle *circle, const struct reader_kind *kind, struct reader_time *at, double time)
{
	double s = time - at->t0;

	at->t0 = time;
	if (!kind->moves || circle->driven || circle->asleep)
		reader_circle_go_driven(circle, at, s);
	else
		reader_circle_fall(circle, s);
}

/* From a tick's start to its end, of one that is neither driven nor held. */
static inline void
reader_circle_go_on(struct reader_circle *circle, const struct reader_kind *kind, double speed_max, double dt)
{
	if (!kind->moves || circle->asleep)
		return;
	if (kind->dynamic) {
		reader_circle_kick(circle, kind, speed_max);
		circle->ax = kind->gravity_x;
		circle->ay = kind->gravity_y;
	}
	reader_circle_fall(circle, dt);
}

#endif
