/* build: what the builders of peers' scenes share. Private to this folder.
 *
 * Angles in radians. Everything is added with restitution 0: what the peers take unless told otherwise. */
#ifndef COLLIDED_TESTS_PHYSICS_PEERS_BUILD_H
#define COLLIDED_TESTS_PHYSICS_PEERS_BUILD_H

#include "physics/peers/peers.h"

#define PI 3.141592653589793

/* Defaults of Box2D 2.4 and 3, and of Rapier, for what a sample leaves open. */
#define BOX2D_FRICTION 0.2
#define BOX2D3_FRICTION 0.6
#define RAPIER_FRICTION 0.5

/* A moment of inertia with which nothing in these scenes turns by a visible angle: a body with a fixed rotation, or a box that
 * slides and does not tip. */
#define UPRIGHT 1e30

struct segment_def *edge_add(struct scenario *scenario, double x1, double y1, double x2, double y2, double friction);
/* Mass from the density: density * pi * radius^2. */
struct circle_def *ball_add(struct scenario *scenario, double x, double y, double radius, double density, double friction);
/* Points are x, y, x, y... Edges from each to the next one, and from the last to the first if it is a loop. */
void chain_add(struct scenario *scenario, const double *points, size_t count, bool loop, double friction);
/* The four sides of a box with these half sides, turned about its centre: what a static polygon is to circles outside. */
void block_add(struct scenario *scenario, double x, double y, double half_x, double half_y, double angle, double friction);
/* Gravity along y, Box2D's restitution threshold of 1 m/s not taken over: restitution holds at all speeds. */
void gravity_set(struct scenario *scenario, double y);

/* Box2D: stacks and weights. */
void build_heavy_on_light(struct scenario *scenario);
void build_heavy_on_light_two(struct scenario *scenario);
void build_sphere_stack(struct scenario *scenario);
void build_circle_stack(struct scenario *scenario);
void build_vertical_stack(struct scenario *scenario);
void build_confined(struct scenario *scenario);
void build_confined_grid(struct scenario *scenario);
void build_cliff(struct scenario *scenario);
void build_overlap_recovery(struct scenario *scenario);
void build_barrel(struct scenario *scenario);
/* Box2D: materials. */
void build_varying_restitution(struct scenario *scenario);
void build_restitution_forty(struct scenario *scenario);
void build_single_restitution(struct scenario *scenario);
void build_varying_friction(struct scenario *scenario);
void build_rolling_resistance(struct scenario *scenario);
void build_rolling_up(struct scenario *scenario);
void build_conveyor_belt(struct scenario *scenario);
void build_conveyor_discs(struct scenario *scenario);
void build_tangent_speed(struct scenario *scenario);
/* Box2D: events and filters. */
void build_sensor_test(struct scenario *scenario);
void build_sensor_bookend(struct scenario *scenario);
void build_collision_filtering(struct scenario *scenario);
void build_shape_filter(struct scenario *scenario);
void build_custom_filter(struct scenario *scenario);
void build_one_sided_platform(struct scenario *scenario);
/* Box2D: edges and chains. */
void build_edge_test(struct scenario *scenario);
void build_character_collision(struct scenario *scenario);
void build_chain_shape(struct scenario *scenario);
void build_chain_segment(struct scenario *scenario);
void build_chain_link(struct scenario *scenario);
void build_ghost_bumps(struct scenario *scenario);
/* Box2D: fast bodies. */
void build_ghost_test(struct scenario *scenario);
void build_fast_slow(struct scenario *scenario);
void build_continuous_test(struct scenario *scenario);
void build_bounce_house(struct scenario *scenario);
void build_fast_chain(struct scenario *scenario);
void build_pinball(struct scenario *scenario);
void build_add_pair(struct scenario *scenario);
/* Chipmunk. */
void build_logo_smash(struct scenario *scenario);
void build_one_way(struct scenario *scenario);
void build_simple(struct scenario *scenario);
void build_contact_graph(struct scenario *scenario);
void build_chipmunk_sensors(struct scenario *scenario);
void build_query(struct scenario *scenario);
void build_terrain_circles(struct scenario *scenario);
/* Rapier. */
void build_rapier_balls(struct scenario *scenario);
void build_rapier_restitution(struct scenario *scenario);
void build_rapier_damping(struct scenario *scenario);
void build_rapier_groups(struct scenario *scenario);
void build_rapier_one_way(struct scenario *scenario);
void build_rapier_ccd(struct scenario *scenario);
void build_rapier_polyline(struct scenario *scenario);
void build_rapier_overlap(struct scenario *scenario);
void build_rapier_intersection(struct scenario *scenario);
/* planck. */
void build_eight_ball(struct scenario *scenario);
void build_soccer(struct scenario *scenario);
void build_shuffle(struct scenario *scenario);

#endif
