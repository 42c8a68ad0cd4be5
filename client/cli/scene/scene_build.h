/* scene_build: a scene under construction, from plain rows of circles and segments to a Scene message.
 *
 * One thread at a time. Owns its rows. Running out of memory is remembered and told by scene_build_message. */
#ifndef COLLIDE_CLI_SCENE_BUILD_H
#define COLLIDE_CLI_SCENE_BUILD_H

#include "collide/v1/collide.pb-c.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Up to this many circles and segments are written one by one, which is easy to read and edit. More of them go into columns,
 * which are half the size and have no limit of their own on the wire. */
#define SCENE_HAND_WRITTEN_MAX 100

/* What a row gives besides its numbers. Everything else keeps the protocol's default. */
enum build_given { BUILD_ID = 1, BUILD_CATEGORY = 2, BUILD_MASK = 4 };

/* A row. Either all circles have ids, or none has, and they count from 0 in the order of rows. The same holds for segments. */
struct build_circle {
	double x, y, vx, vy, radius, mass, restitution;
	double friction, rolling_resistance, angle, angular_velocity, moment_of_inertia;
	Collide__V1__BodyKind kind; /* 0: dynamic */
	unsigned given;             /* bits of enum build_given */
	uint32_t id, category, mask;
	/* As in the message; 0: the default. */
	int32_t filter_group;
	uint32_t group;
	uint64_t remove_groups;
	double lifetime_s;
	Collide__V1__Ignore ignore;
	uint32_t ignored_circle;
	uint64_t tag;
};

struct build_segment {
	double x1, y1, x2, y2, restitution;
	double friction, rolling_resistance;
	bool sensor;
	unsigned given;
	uint32_t id, category, mask;
	uint32_t group;
};

struct scene_build {
	struct build_circle *circles;
	size_t circle_count, circle_capacity;
	struct build_segment *segments;
	size_t segment_count, segment_capacity;
	uint32_t events_per_body_max; /* as Scene.events_per_body_max; 0: the default */
	uint32_t work_per_tick_max;   /* as Scene.work_per_tick_max; 0: the default */
	double gravity_x, gravity_y;
	Collide__V1__RestitutionMix restitution_mix; /* 0: the default */
	bool failed;                                 /* there was no memory for some row */
};

void scene_build_init(struct scene_build *build);
void scene_build_finish(struct scene_build *build);
void scene_build_circle(struct scene_build *build, struct build_circle circle);
void scene_build_segment(struct scene_build *build, struct build_segment segment);
/* Four segments with common corners, counter-clockwise from the lower left. */
void scene_build_box(struct scene_build *build, double x1, double y1, double x2, double y2, double restitution);
/* Sets the same friction for all shapes so far. */
void scene_build_friction(struct scene_build *build, double friction);
/* Whether a point is farther than `reach` from every segment so far. */
bool scene_build_is_clear(const struct scene_build *build, double x, double y, double reach);
/* The message, to be freed with scene_json_free; NULL without memory. The rows stay. */
Collide__V1__Scene *scene_build_message(const struct scene_build *build);

/* A wall with the protocol's other defaults. */
static inline struct build_segment
segment_between(double x1, double y1, double x2, double y2, double restitution)
{
	return (struct build_segment){ .x1 = x1, .y1 = y1, .x2 = x2, .y2 = y2, .restitution = restitution };
}

/* The nearest multiple of 1e-6 and of 1e-9. Scenes stay short to read and to write, and are exact nevertheless. Positions are
 * rounded before they are checked. */
double round_position(double value);
double round_speed(double value);
struct build_segment segment_rounded(struct build_segment segment);

#endif
