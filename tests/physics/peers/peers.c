#include "physics/peers/build.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TICK (1 / 60.0)
#define BOX2D "Box2D 2.4 testbed, "
#define BOX2D3 "Box2D 3 samples, "
#define CHIPMUNK "Chipmunk 7 demo, "
#define RAPIER "Rapier examples2d, "
#define PLANCK "planck example, "

const struct peer_scene peer_scenes[] = {
	{ "heavy-on-light", BOX2D "Solver: Heavy 1", build_heavy_on_light, TICK, 600 },
	{ "heavy-on-light-two", BOX2D "Solver: Heavy 2", build_heavy_on_light_two, TICK, 600 },
	{ "sphere-stack", BOX2D "Stacking: Circles", build_sphere_stack, TICK, 600 },
	{ "circle-stack", BOX2D3 "Stacking: Circle Stack", build_circle_stack, TICK, 600 },
	{ "vertical-stack", BOX2D3 "Stacking: Vertical Stack", build_vertical_stack, TICK, 300 },
	{ "confined", BOX2D "Solver: Confined", build_confined, TICK, 600 },
	{ "confined-grid", BOX2D3 "Stacking: Confined", build_confined_grid, TICK, 60 },
	{ "cliff", BOX2D3 "Stacking: Cliff", build_cliff, TICK, 600 },
	{ "overlap-recovery", BOX2D3 "Robustness: Overlap Recovery", build_overlap_recovery, TICK, 600 },
	{ "barrel", BOX2D3 "Benchmark: Barrel", build_barrel, TICK, 1200 },
	{ "varying-restitution", BOX2D "Forces: Restitution", build_varying_restitution, TICK, 1200 },
	{ "restitution-forty", BOX2D3 "Shapes: Restitution", build_restitution_forty, TICK, 1200 },
	{ "single-restitution", BOX2D3 "Shapes: Single Circle Restitution", build_single_restitution, TICK, 36000 },
	{ "varying-friction", BOX2D "Forces: Friction", build_varying_friction, TICK, 900 },
	{ "rolling-resistance", BOX2D3 "Shapes: Rolling Resistance", build_rolling_resistance, TICK, 1800 },
	{ "rolling-up", BOX2D3 "Shapes: Rolling Resistance, key 2", build_rolling_up, TICK, 1800 },
	{ "conveyor-belt", BOX2D "Examples: Conveyor Belt", build_conveyor_belt, TICK, 600 },
	{ "conveyor-discs", BOX2D "Examples: Conveyor Belt", build_conveyor_discs, TICK, 720 },
	{ "tangent-speed", BOX2D3 "Shapes: Tangent Speed", build_tangent_speed, TICK, 1500 },
	{ "sensor-test", BOX2D "Collision: Sensors", build_sensor_test, TICK, 300 },
	{ "sensor-bookend", BOX2D3 "Events: Sensor Bookend", build_sensor_bookend, TICK, 300 },
	{ "collision-filtering", BOX2D "Examples: Collision Filtering", build_collision_filtering, TICK, 3600 },
	{ "shape-filter", BOX2D3 "Shapes: Filter", build_shape_filter, TICK, 600 },
	{ "custom-filter", BOX2D3 "Shapes: Custom Filter", build_custom_filter, TICK, 600 },
	{ "one-sided-platform", BOX2D "Examples: Platformer", build_one_sided_platform, TICK, 600 },
	{ "edge-test", BOX2D "Geometry: Edge Test", build_edge_test, TICK, 300 },
	{ "character-collision", BOX2D "Examples: Character Collision", build_character_collision, TICK, 180 },
	{ "chain-shape", BOX2D3 "Shapes: Chain Shape", build_chain_shape, TICK, 3600 },
	{ "chain-segment", BOX2D3 "Shapes: Chain Segment", build_chain_segment, TICK, 1800 },
	{ "chain-link", BOX2D3 "Shapes: Chain Link", build_chain_link, TICK, 120 },
	{ "ghost-bumps", BOX2D3 "Continuous: Ghost Bumps", build_ghost_bumps, TICK, 1200 },
	{ "ghost-test", BOX2D "Continuous: Ghost Test", build_ghost_test, TICK, 30 },
	{ "fast-slow", BOX2D "Continuous: Fast Slow", build_fast_slow, TICK, 60 },
	{ "continuous-test", BOX2D "Continuous: Continuous Test", build_continuous_test, TICK, 300 },
	{ "bounce-house", BOX2D3 "Continuous: Bounce House", build_bounce_house, TICK, 3600 },
	{ "fast-chain", BOX2D3 "Continuous: Fast Chain", build_fast_chain, TICK, 120 },
	{ "pinball", BOX2D3 "Continuous: Pinball", build_pinball, TICK, 1800 },
	{ "add-pair", BOX2D "Benchmark: Add Pair", build_add_pair, TICK, 360 },
	{ "logo-smash", CHIPMUNK "Logo Smash", build_logo_smash, TICK, 240 },
	{ "one-way", CHIPMUNK "One Way Platforms", build_one_way, TICK, 600 },
	{ "simple", "Chipmunk 5 demo, Simple", build_simple, TICK, 600 },
	{ "contact-graph", CHIPMUNK "Contact Graph", build_contact_graph, TICK, 900 },
	{ "sensors", "Chipmunk 5 demo, Sensors", build_chipmunk_sensors, TICK, 1200 },
	{ "query", CHIPMUNK "Segment Query", build_query, TICK, 1 },
	{ "terrain-circles", "Chipmunk 7 bench, SimpleTerrainCircles_1000", build_terrain_circles, TICK, 300 },
	{ "rapier-balls", "Rapier stress_tests, balls2", build_rapier_balls, TICK, 120 },
	{ "rapier-restitution", RAPIER "restitution2", build_rapier_restitution, TICK, 600 },
	{ "rapier-damping", RAPIER "damping2", build_rapier_damping, TICK, 300 },
	{ "rapier-groups", RAPIER "collision_groups2", build_rapier_groups, TICK, 300 },
	{ "rapier-one-way", RAPIER "one_way_platforms2", build_rapier_one_way, TICK, 1200 },
	{ "rapier-ccd", RAPIER "ccd2", build_rapier_ccd, TICK, 300 },
	{ "rapier-polyline", RAPIER "polyline2", build_rapier_polyline, TICK, 300 },
	{ "rapier-overlap", RAPIER "debug_total_overlap2", build_rapier_overlap, TICK, 180 },
	{ "rapier-intersection", RAPIER "debug_intersection2", build_rapier_intersection, TICK, 1 },
	{ "eight-ball", PLANCK "8-Ball", build_eight_ball, TICK, 600 },
	{ "soccer", PLANCK "Soccer", build_soccer, TICK, 1200 },
	{ "shuffle", PLANCK "Shuffle", build_shuffle, TICK, 960 },
};

const size_t peer_scene_count = sizeof peer_scenes / sizeof *peer_scenes;

const struct peer_scene *
peer_scene(const char *name)
{
	for (size_t i = 0; i < peer_scene_count; i++)
		if (strcmp(peer_scenes[i].name, name) == 0)
			return &peer_scenes[i];
	fail_msg("no scene \"%s\"", name);
	return NULL;
}

/* run_overlap knows masks, and nothing else that lets shapes pass. */
static bool
all_solid(const struct scenario *scenario)
{
	if (scenario->def.relation_count > 0)
		return false;
	for (size_t i = 0; i < scenario->circle_count; i++)
		if (scenario->circles[i].sensor || scenario->circles[i].filter_group != 0)
			return false;
	for (size_t i = 0; i < scenario->segment_count; i++)
		if (scenario->segments[i].sensor || scenario->segments[i].one_sided)
			return false;
	return true;
}

void
peer_start(struct peer_run *peer, const char *name)
{
	*peer = (struct peer_run){ .scene = peer_scene(name), .overlap = -INFINITY };
	scenario_init(&peer->scenario);
	peer->scene->build(&peer->scenario);
	peer->pairwise = peer->scenario.circle_count + peer->scenario.segment_count <= 200 && all_solid(&peer->scenario);
	run_start(&peer->run, &peer->scenario);
}

void
peer_ticks(struct peer_run *peer, uint64_t ticks)
{
	for (uint64_t i = 0; i < ticks; i++) {
		run_ticks(&peer->run, peer->scene->dt, 1);
		if (peer->pairwise)
			peer->overlap = fmax(peer->overlap, run_overlap(&peer->run, &peer->scenario));
	}
}

void
peer_rest(struct peer_run *peer)
{
	const uint64_t made = world_tick(peer->run.world);
	peer_ticks(peer, peer->scene->ticks > made ? peer->scene->ticks - made : 0);
}

double
peer_speed(const struct peer_run *peer)
{
	double speed = 0;
	for (size_t i = 0; i < world_body_count(peer->run.world); i++) {
		const struct body_state body = world_body(peer->run.world, i);
		if (body.kind == BODY_DYNAMIC)
			speed = fmax(speed, hypot(body.vx, body.vy));
	}
	return speed;
}

void
peer_end(struct peer_run *peer)
{
	assert_int_equal(peer->run.shortfall_count, 0);
	peer_end_told(peer, 0);
}

void
peer_end_told(struct peer_run *peer, uint32_t flags)
{
	const char *name = peer->scene->name;
	const unsigned long long ticks = world_tick(peer->run.world);
	const double energy = certified_energy_error(peer->run.certified), momentum = certified_momentum_error(peer->run.certified);
	if (peer->pairwise) {
		peer_tell(name, "%llu ticks, largest overlap %g, ledgers to %.1e and %.1e", ticks, fmax(peer->overlap, 0), energy,
		          momentum);
		assert_at_most(peer->overlap, 0);
	} else {
		peer_tell(name, "%llu ticks certified, ledgers to %.1e and %.1e", ticks, energy, momentum);
	}
	assert_int_equal(peer->run.shortfall_flags & ~flags, 0);
	run_finish(&peer->run);
	scenario_finish(&peer->scenario);
}

void
peer_live(struct living *living, const char *name, unsigned events)
{
	struct scenario scenario;
	scenario_init(&scenario);
	peer_scene(name)->build(&scenario);
	scenario.def.events |= events;
	living_start(living, scenario_def(&scenario), true, 1);
	scenario_finish(&scenario);
}

bool
peer_find(const struct living *living, uint32_t id, struct body_state *out)
{
	size_t index;
	if (!world_body_find(living->world, id, &index))
		return false;
	*out = world_body(living->world, index);
	return true;
}

void
peer_push(struct living *living, uint32_t id, double vx, double vy)
{
	const struct edit push = edit_circle_change(&(struct circle_def){ .id = id, .vx = vx, .vy = vy },
	                                            edit_field(DEF_CIRCLE_VX) | edit_field(DEF_CIRCLE_VY));
	living_edited(living, &push, 1);
}

void
peer_tell(const char *scene, const char *format, ...)
{
	char text[256];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	print_message("%s: %s\n", scene, text);
}
