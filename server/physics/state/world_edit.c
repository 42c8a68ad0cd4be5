/* Edits between two ticks. Happy path: only velocities change, and they are written in place. Otherwise a second world is made
 * beside the present one (`next`: it owns all columns that change and shares the rest), checked, and put in its place.
 *
 * What can go wrong: an invalid edit (edit_plan.c), memory, too many overlaps: all before anything of the world is written.
 * Afterwards nothing can.
 *
 * All data that is kept over ticks by the index of a body or segment must follow an edit. That is: the columns of bodies,
 * infos, calms, rules, tags and segments (fill); vertices and grid (rebuilt). Which pairs touch or are inside follows too
 * (watch_follow), and so does the state of the rest solver (edit_follow). */
#include "base/memory.h"
#include "physics/broadphase/grid_build.h"
#include "physics/phases/depenetration.h"
#include "physics/reports/watch.h"
#include "physics/resting/handover.h"
#include "physics/resting/sleep.h"
#include "physics/state/edit.h"
#include "physics/tick/workspace.h"
#include "physics/world/body_rule.h"
#include "physics/world/map_walls.h"
#include "physics/world/vertex.h"
#include "physics/world/wall_switch.h"

#include <math.h>
#include <string.h>

/* The next world, and what is made for it. */
struct change {
	struct world next;
	struct edit_map map;
	struct handover *handover;
	bool grid_alike; /* both grids share their lists of walls */
};

/* A new body, or one with a changed definition. */
static void
body_make(struct world *next, const struct planned *planned, uint32_t generation)
{
	uint32_t to = planned->to;
	struct body_info before = next->bodies.infos[to];
	uint8_t touch = TOUCH_CHANGED | TOUCH_PLACED;
	bool dynamic = planned->circle.kind == BODY_DYNAMIC;

	if (planned->action == PLAN_CHANGE && circle_fields_touch(planned->changed) == 0) {
		if (next->bodies.tags)
			next->bodies.tags[to] = planned->circle.tag;
		return;
	}
	body_define(next, to, &planned->circle);
	next->bodies.infos[to].generation = generation;
	if (planned->action == PLAN_CHANGE) {
		touch = circle_fields_touch(planned->changed);
		if (!circle_fields_inertia(planned->changed))
			next->bodies.infos[to].inverse_inertia = before.inverse_inertia;
		next->bodies.infos[to].generation = before.generation;
		next->bodies.infos[to].handover = dynamic ? before.handover : 0;
	}
	if (touch & TOUCH_PLACED && dynamic)
		next->bodies.infos[to].handover = (uint8_t)((next->bodies.infos[to].handover & HANDOVER_WOKEN) | HANDOVER_NEW);
	if (next->bodies.calms)
		next->bodies.calms[to] = (struct calm){ .bed = NONE, .next = NONE };
}

/* A body that stays as it is, and may stay asleep. */
static void
body_keep(struct world *next, const struct world *world, const struct edit_map *map, uint32_t from)
{
	uint32_t to = map->body_to[from];

	next->bodies.paths[to] = world->bodies.paths[from];
	next->bodies.infos[to] = world->bodies.infos[from];
	if (next->bodies.rules && world->bodies.rules)
		next->bodies.rules[to] = world->bodies.rules[from];
	if (next->bodies.tags && world->bodies.tags)
		next->bodies.tags[to] = world->bodies.tags[from];
	if (!next->bodies.calms)
		return;
	next->bodies.calms[to] = world->bodies.calms[from];
	if (world->bodies.infos[from].mode != MODE_ASLEEP)
		return;
	if (map->wakes[world->bodies.calms[from].bed]) {
		body_wake(next, to);
		return;
	}
	/* All bodies of its sleep island stay. */
	next->bodies.calms[to].bed = map->body_to[world->bodies.calms[from].bed];
	next->bodies.calms[to].next = map->body_to[world->bodies.calms[from].next];
}

/* Of all dynamic bodies, those that have just been woken too: as at a tick's end. */
static void
gravity_fill(struct world *next)
{
	for (uint32_t i = 0; i < next->bodies.count && !pause_after(BODY_UNITS); i++) {
		double gravity[2];

		if (next->bodies.infos[i].kind != BODY_DYNAMIC)
			continue;
		body_gravity(next, i, gravity);
		next->bodies.paths[i].ax = gravity[0];
		next->bodies.paths[i].ay = gravity[1];
	}
}

static void
bodies_fill(struct world *next, const struct world *world, const struct edit_map *map, const struct edit_plan *plan)
{
	for (uint32_t i = 0; i < world->bodies.count && !pause_after(2 * BODY_UNITS); i++)
		if (map->body_to[i] != NONE)
			body_keep(next, world, map, i);
	for (size_t k = 0; k < plan->circle_count && !pause_after(2 * BODY_UNITS); k++) {
		const struct planned *planned = &plan->circles[k];

		if (planned->action != PLAN_NOTHING && planned->action != PLAN_REMOVE)
			body_make(next, planned, next->bodies.generation);
	}
}

/* If the segment stays, *segment holds its old state. If it keeps its place, it keeps its displacement too. */
static void
segment_make(struct segment *segment, const struct planned *planned)
{
	const uint64_t ends = edit_field(DEF_SEGMENT_X1) | edit_field(DEF_SEGMENT_Y1) | edit_field(DEF_SEGMENT_X2) |
	                      edit_field(DEF_SEGMENT_Y2);
	struct segment before = *segment;

	segment_define(segment, &planned->segment);
	segment->loose = segment->loose || before.loose || planned->changed & edit_field(DEF_SEGMENT_DISABLED);
	if (planned->action != PLAN_CHANGE || planned->changed & ends)
		return;
	memcpy(segment->home, before.home, sizeof segment->home);
	memcpy(segment->moved, before.moved, sizeof segment->moved);
	segment_derive(segment);
}

static void
segments_fill(struct world *next, const struct world *world, const struct edit_map *map, const struct edit_plan *plan)
{
	for (uint32_t i = 0; i < world->walls.segment_count && !pause_after(2 * BODY_UNITS); i++) {
		if (map->segment_to[i] == NONE)
			continue;
		next->walls.segments[map->segment_to[i]] = world->walls.segments[i];
		next->walls.segments[map->segment_to[i]].disabled = wall_is_off(&world->walls, i);
	}
	for (size_t k = 0; k < plan->segment_count && !pause_after(2 * BODY_UNITS); k++) {
		const struct planned *planned = &plan->segments[k];

		if (planned->action == PLAN_NOTHING || planned->action == PLAN_REMOVE)
			continue;

		bool stays = planned->action == PLAN_CHANGE;
		uint32_t generation = stays ? world->walls.segments[planned->at].generation : next->bodies.generation;

		segment_make(&next->walls.segments[planned->to], planned);
		next->walls.segments[planned->to].generation = generation;
	}
}

/* The bits of walls that are otherwise the present ones. */
static void
switches_fill(struct world *next, const struct edit_plan *plan)
{
	for (size_t k = 0; k < plan->segment_count && !pause_after(2 * BODY_UNITS); k++) {
		const uint32_t at = plan->segments[k].at;
		const uint64_t bit = UINT64_C(1) << at % 64;

		if (plan->segments[k].action == PLAN_NOTHING)
			continue;
		next->walls.off[at / 64] &= ~bit;
		next->walls.off[at / 64] |= plan->segments[k].segment.disabled ? bit : 0;
	}
}

/* What the next world has of the present one: its settings, its counts, the ids of its walls if no wall changes, and the
 * scratch in which overlaps are listed. All else is made anew. */
static void
next_begin(struct change *change, const struct world *world)
{
	const struct edit_map *map = &change->map;

	change->next = (struct world){
		.settings = world->settings,
		.bodies = { .count = map->body_count_new,
		            .generation = world->bodies.generation + map->spawns,
		            .asleep_count = world->bodies.asleep_count },
		.walls = world->walls,
		.step = world->step,
		.scratch = { .overlaps = world->scratch.overlaps, .overlap_capacity = world->scratch.overlap_capacity },
		.tick = world->tick,
		.overlap_possible = world->overlap_possible,
		.handover = world->handover,
		.solver = world->solver,
	};
	if (map->walls)
		change->next.walls = (struct walls){ .segment_count = map->segment_count_new };
}

static void
gravity_set(struct world_settings *settings, const double gravity[2])
{
	settings->gravity_x = gravity[0];
	settings->gravity_y = gravity[1];
	settings->gravity = sqrt(gravity[0] * gravity[0] + gravity[1] * gravity[1]);
}

/* Room for what few bodies have: where the world has it, or an edit gives it. */
static bool
rules_alloc(struct world *next, const struct world *world)
{
	const struct edit_plan *plan = world->plan;
	bool rules = world->bodies.rules != NULL, tags = world->bodies.tags != NULL;

	for (size_t k = 0; k < plan->circle_count && !pause_after(BODY_UNITS); k++) {
		struct body_rule rule = body_rule_of(&plan->circles[k].circle);

		rules = rules || body_rule_any(&rule);
		tags = tags || plan->circles[k].circle.tag != 0;
	}
	return body_rules_alloc(&next->bodies, rules, tags);
}

/* Allocates columns for all that changes. False without memory. */
static bool
next_alloc(struct change *change, const struct world *world)
{
	struct world *next = &change->next;

	if (change->map.walls)
		next->walls.segments = memory_zeroed((size_t)next->walls.segment_count + 1, sizeof *next->walls.segments);
	/* All are called, so that what edit_columns_free frees is there or NULL. */
	bool columns = body_columns_alloc(next), calms = sleep_alloc(next), rules = rules_alloc(next, world);
	bool switches = change->map.walls || !change->map.switched || walls_off_copy(&next->walls);

	return switches && columns && calms && rules && next->walls.segments && next->walls.segment_count < PARTNER_SEGMENT / 2;
}

void
edit_next_take(struct world *world, const struct world *next)
{
	world->settings = next->settings;
	world->bodies = next->bodies;
	world->walls = next->walls;
	world->grid = next->grid;
	world->watch = next->watch;
	world->overlap_possible = next->overlap_possible;
	world->overlap_free = next->overlap_free;
	world->scratch.overlap_count = 0;
}

void
edit_columns_free(struct world *world, bool walls)
{
	body_columns_free(world);
	memory_free(world->bodies.calms);
	memory_free(world->bodies.sleep_flags);
	memory_free(world->bodies.fallen);
	awake_free(&world->bodies.awake);
	grid_finish(&world->grid);
	watch_destroy(world->watch);
	if (walls)
		walls_finish(&world->walls);
}

/* Wakes sleeping bodies that overlap what is edited. False: too many overlap. */
static bool
overlaps_look(struct world *next, const struct edit_map *map)
{
	bool all;

	next->overlap_free = false;
	/* If nothing overlapped before, only the edited bodies can overlap. */
	if (overlaps_too_many(next, next->overlap_possible || map->walls || map->switched ? NULL : map->body_touched, &all) ||
	    next->failed)
		return false;
	next->overlap_possible = next->overlap_possible || !all;
	for (size_t k = 0; k < next->scratch.overlap_count && !pause_after(BODY_UNITS); k++) {
		struct overlap_sides sides = overlap_sides(next, k);
		bool touched = map->body_touched[sides.a] || (sides.wall ? map->segment_touched[sides.b] : map->body_touched[sides.b]);

		if (!touched)
			continue;
		next->overlap_possible = true;
		sleep_rouse(next, sides.a);
		if (!sides.wall)
			sleep_rouse(next, sides.b);
	}
	return true;
}

static bool
next_make(struct change *change, struct world *world)
{
	struct world *next = &change->next;
	const struct edit_map *map = &change->map;

	next_begin(change, world);
	if (map->gravity)
		gravity_set(&next->settings, world->plan->gravity);
	if (!next_alloc(change, world))
		return false;
	bodies_fill(next, world, map, world->plan);
	if (map->gravity)
		gravity_fill(next);
	if (pause_stopped())
		return false;
	body_rules_trim(&next->bodies);
	if (map->walls) {
		segments_fill(next, world, map, world->plan);
		walls_derive(&next->walls);
		if (!walls_off_find(&next->walls) || !vertices_build(next))
			return false;
	} else if (map->switched) {
		switches_fill(next, world->plan);
	}
	next->settings.turns = world_turns_find(next, false);
	world_derive(next, false);
	sweeps_make(next, world->plan);
	change->grid_alike = !map->walls && grid_build_like(&next->grid, next, &world->grid);
	if (!change->grid_alike && !grid_build(&next->grid, next))
		return false;
	if ((map->meets && !overlaps_look(next, map)) || !watch_follow(next, world, map))
		return false;
	if (pause_stopped())
		return false;
	if (!world->handover)
		return true;
	change->handover = handover_edit_prepare(world, next, map->walls);
	return change->handover != NULL;
}

/* Data outside the world's own columns that is kept by index over ticks; updated after the exchange. */
static void
edit_follow(struct world *world, struct change *change)
{
	if (world->handover)
		handover_edit(world, change->handover, &change->map);
}

/* Lists the moving walls where they are, if a return has left them elsewhere: the next world shares these lists. */
static bool
moving_listed(struct world *world)
{
	if (world->moving_elsewhere && !grid_list_moving(&world->grid, world))
		return false;
	world->moving_elsewhere = false;
	return true;
}

/* A world's own walls know that they are switched. */
static void
switches_note(struct world *world)
{
	for (size_t k = 0; k < world->plan->segment_count && world->walls.off && !pause_after(BODY_UNITS); k++) {
		const struct planned *planned = &world->plan->segments[k];

		if (planned->action == PLAN_CHANGE && planned->changed & edit_field(DEF_SEGMENT_DISABLED))
			wall_off_set(&world->walls, planned->to, planned->segment.disabled);
	}
}

static enum status
world_remake(struct world *world)
{
	struct change change = { 0 };
	bool mapped = edit_map_make(&change.map, world->plan, world), made = mapped && next_make(&change, world);

	if (mapped) {
		/* The scratch that both share may have grown. */
		world->scratch.overlaps = change.next.scratch.overlaps;
		world->scratch.overlap_capacity = change.next.scratch.overlap_capacity;
	}
	if (made) {
		if (change.grid_alike)
			grid_drop_walls(&world->grid);
		if (world->watch && change.next.watch)
			watch_rows_take(change.next.watch, world->watch);
		edit_columns_free(world, change.map.walls);
		if (world->walls.off != change.next.walls.off && !change.map.walls)
			memory_free(world->walls.off);
		edit_next_take(world, &change.next);
		switches_note(world);
		world->edition = ++world->editions;
		world->wall_edits += change.map.segments_edited;
		sleep_recount(world);
		edit_follow(world, &change);
		schedule_forget(&world->schedule);
		world->report.measured = false;
	} else {
		if (change.grid_alike)
			grid_drop_walls(&change.next.grid);
		if (world->walls.off != change.next.walls.off && !change.map.walls)
			memory_free(change.next.walls.off);
		edit_columns_free(&change.next, change.map.walls);
	}
	edit_map_finish(&change.map);
	return made ? STATUS_OK : STATUS_RESOURCE_EXHAUSTED;
}

/* Whether the plan changes velocities, angles and spins only, of bodies that no body sleeps on, and tags. */
static bool
plan_is_motion(const struct edit_plan *plan, const struct world *world)
{
	for (size_t k = 0; k < plan->segment_count && !pause_after(1); k++)
		if (plan->segments[k].action != PLAN_NOTHING)
			return false;
	for (size_t k = 0; k < plan->circle_count && !pause_after(2 * BODY_UNITS); k++) {
		const struct planned *planned = &plan->circles[k];

		if (planned->action == PLAN_NOTHING)
			continue;

		uint8_t touch = circle_fields_touch(planned->changed);

		if (planned->action != PLAN_CHANGE || (touch & ~TOUCH_MOTION) != 0 ||
		    (planned->changed & edit_field(DEF_CIRCLE_TAG) && !world->bodies.tags))
			return false;
		if (world->bodies.asleep_count > 0 && touch != 0 &&
		    (world->bodies.infos[planned->at].mode == MODE_ASLEEP || world->bodies.infos[planned->at].inverse_mass == 0.0))
			return false;
	}
	return true;
}

bool
edit_plan_ready(struct world *world)
{
	return world->plan || (world->plan = memory_zeroed(1, sizeof *world->plan));
}

void
edit_motion_begin(struct world *world, uint32_t i)
{
	world->bodies.clean[i] = BODY_DIRTY;
	if (schedule_is_for(&world->schedule, world->tick))
		schedule_list(&world->schedule, i);
	if (world->bodies.calms)
		world->bodies.calms[i] = (struct calm){ .bed = NONE, .next = NONE };
}

static void
motion_write(struct world *world, const struct planned *planned)
{
	uint32_t i = planned->at;

	if (world->bodies.tags)
		world->bodies.tags[i] = planned->circle.tag;
	if (circle_fields_touch(planned->changed) == 0)
		return;
	edit_motion_begin(world, i);
	world->bodies.paths[i].vx = planned->circle.vx;
	world->bodies.paths[i].vy = planned->circle.vy;
	world->bodies.infos[i].angle = planned->circle.angle;
	world->bodies.infos[i].spin = planned->circle.angular_velocity;
}

static void
motions_write(struct world *world)
{
	const uint64_t turn = edit_field(DEF_CIRCLE_ANGLE) | edit_field(DEF_CIRCLE_ANGULAR_VELOCITY);
	bool turned = false;

	for (size_t k = 0; k < world->plan->circle_count && !pause_after(BODY_UNITS); k++) {
		const struct planned *planned = &world->plan->circles[k];

		if (planned->action == PLAN_NOTHING)
			continue;
		motion_write(world, planned);
		turned = turned || (planned->changed & turn) != 0;
	}
	if (turned)
		world->settings.turns = world_turns_find(world, false);
	world->report.measured = false;
}

static enum status
edits_make(struct world *world, const struct edit *edits, size_t count, struct def_problem *problem)
{
	if (!edit_plan_ready(world))
		return STATUS_RESOURCE_EXHAUSTED;

	enum status status = edit_plan_make(world->plan, world, edits, count, problem);

	if (status != STATUS_OK)
		return status;
	if (plan_turns_gravity(world->plan, world) || !plan_is_motion(world->plan, world))
		return moving_listed(world) ? world_remake(world) : STATUS_RESOURCE_EXHAUSTED;
	motions_write(world);
	return STATUS_OK;
}

enum status
world_edit(struct world *world, const struct edit *edits, size_t count, struct def_problem *problem)
{
	*problem = (struct def_problem){ .field = DEF_FIELD_COUNT, .text = "" };
	if (world->failed)
		return STATUS_FAILED_PRECONDITION;

	enum status status = workspace_enter(world) ? edits_make(world, edits, count, problem) : STATUS_RESOURCE_EXHAUSTED;

	workspace_leave(world);
	if (pause_stopped()) {
		(void)world_given_up(world);
		status = STATUS_CANCELLED;
	}
	return status;
}
