/* good_scene: a scene that the server accepts, for tests to spoil. One thread; failures are cmocka's. */
#ifndef COLLIDED_TESTS_SCENE_GOOD_SCENE_H
#define COLLIDED_TESTS_SCENE_GOOD_SCENE_H

#include "scene/scene.h"

#define ROWS 4

/* A good scene of four circles in columns, two by hand, two segments in columns, one by hand; tests spoil it. */
struct fixture {
	struct arena arena;
	struct scene_limits limits;
	Collide__V1__Scene scene;
	Collide__V1__CircleColumns circle_columns;
	Collide__V1__SegmentColumns segment_columns;
	Collide__V1__Circle circles[2], *circle_list[2];
	Collide__V1__Segment segments[1], *segment_list[1];
	double x[ROWS], y[ROWS], vx[ROWS], vy[ROWS], radius[ROWS], mass[ROWS], restitution[ROWS];
	Collide__V1__BodyKind kind[ROWS];
	uint32_t id[ROWS], category[ROWS], mask[ROWS], segment_id[2];
	double x1[2], y1[2], x2[2], y2[2], segment_restitution[2];
	struct world_def def;
	struct wire_problem problem;
};

int fixture_setup(void **state);
int fixture_teardown(void **state);
/* The scene as it is now makes a world. */
void assert_accepted(struct fixture *f);
/* The scene as it is now is refused, naming simulate.scene.<field>. */
void assert_refused(struct fixture *f, enum status status, const char *reason, const char *field);
void assert_bad(struct fixture *f, const char *field);
/* Reads the scene into f->def. */
void def_make(struct fixture *f);

#endif
