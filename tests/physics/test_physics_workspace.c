/* Worlds that take turns in one workspace give what worlds with memory of their own give: every report row by row, every state
 * bit by bit. Each room is stepped twice, once by a world of its own and once by a guest of the workspace that all rooms
 * share.
 *
 * argv: how many houses of rooms (default 4). */
#include "physics/scenes.h"
#include "physics/self_check.h"
#include "physics/soup.h"

#include "support/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOMS 9
#define TICKS 80

static unsigned long houses = 4;

struct room {
	struct world *own, *guest;
	double dt;
	uint32_t spawned;
};

/* What the rooms of all houses came to: that nothing is the same as nothing would prove little. */
static struct {
	uint64_t contacts, pair_events, paths, asleep, places, clusters, edits, restored, failed;
} seen;

static void
room_open(struct room *room, const struct world_def *def, double dt, struct workspace *workspace)
{
	struct def_problem problem;
	*room = (struct room){ .dt = dt };
	assert_int_equal(world_create(def, &problem, &room->own), STATUS_OK);
	assert_int_equal(world_create(def, &problem, &room->guest), STATUS_OK);
	world_workspace_set(room->guest, workspace);
}

static void
room_open_soup(struct room *room, uint64_t seed, bool hostile, struct workspace *workspace)
{
	struct soup soup;
	soup_make(&soup, seed, hostile);
	if (seed % 2 == 0)
		soup.scenario.def.events = WORLD_EVENTS_TOUCH | WORLD_EVENTS_PERSIST | WORLD_EVENTS_PATHS;
	room_open(room, scenario_def(&soup.scenario), soup.dt, workspace);
	soup_finish(&soup);
}

/* A large one in domains, a heap that falls asleep, a gas, and soups, every second of them watched. */
static void
rooms_open(struct room *rooms, uint64_t seed, struct workspace *workspace)
{
	struct scenario scenario;
	scenario_init(&scenario);
	scene_gas(&scenario, 1500, 20, seed);
	room_open(&rooms[0], scenario_def(&scenario), 1.0 / 60, workspace);
	world_workers_set(rooms[0].guest, &workers_in_turn);
	scenario_finish(&scenario);
	scenario_init(&scenario);
	scene_pile(&scenario, 40, 8, 0.5, 0.5, seed);
	scenario.def.sleep_after = 0.1;
	room_open(&rooms[1], scenario_def(&scenario), 1.0 / 60, workspace);
	scenario_finish(&scenario);
	scenario_init(&scenario);
	scene_gas(&scenario, 8 + seed % 50, 6, seed);
	room_open(&rooms[2], scenario_def(&scenario), 1.0 / 60, workspace);
	scenario_finish(&scenario);
	for (uint64_t i = 3; i < ROOMS; i++)
		room_open_soup(&rooms[i], ROOMS * seed + i, i % 3 == 0, workspace);
}

static void
room_close(struct room *room)
{
	world_destroy(room->own);
	world_destroy(room->guest);
	*room = (struct room){ .own = NULL };
}

static void
room_compare(const struct room *room)
{
	assert_true(world_hash(room->own) == world_hash(room->guest));
}

/* A velocity, a new circle, and one less. */
static void
room_edit(struct room *room, uint64_t *random)
{
	const size_t count = world_body_count(room->own);
	struct def_problem problem;
	if (count == 0)
		return;
	struct circle_def kicked = world_circle(room->own, random_below(random, count)), made = circle_def_default();
	kicked.vx = random_between(random, -9, 9);
	made.id = UINT32_MAX - room->spawned++;
	made.x = random_between(random, -8, 8);
	made.y = random_between(random, -8, 8);
	made.radius = 0.3;
	const struct edit edits[] = {
		edit_circle_change(&kicked, edit_field(DEF_CIRCLE_VX)),
		edit_circle_spawn(&made),
		edit_circle_remove(world_circle(room->own, random_below(random, count)).id),
	};
	const size_t first = random_below(random, 3), number = first == 0 ? 2 : 1;
	const enum status status = world_edit(room->own, edits + first, number, &problem);
	assert_int_equal(world_edit(room->guest, edits + first, number, &problem), status);
	seen.edits += status == STATUS_OK;
	room_compare(room);
}

/* The guest goes, and one restored from its snapshot, which is that of the other, comes in its place. */
static void
room_restore(struct room *room, struct workspace *workspace)
{
	const size_t size = world_snapshot_bytes(room->own);
	uint8_t *bytes = malloc(size), *others = malloc(size);
	struct snapshot_problem problem;
	assert_true(bytes && others);
	assert_int_equal(world_snapshot_bytes(room->guest), size);
	assert_int_equal(world_snapshot(room->own, bytes, size), STATUS_OK);
	assert_int_equal(world_snapshot(room->guest, others, size), STATUS_OK);
	assert_memory_equal(bytes, others, size);
	world_destroy(room->guest);
	assert_int_equal(world_restore(others, size, 0, &problem, &room->guest), STATUS_OK);
	world_workspace_set(room->guest, workspace);
	free(bytes);
	free(others);
	seen.restored++;
}

static void
seen_add(const struct tick_report *report)
{
	seen.contacts += report->contact_count;
	seen.pair_events += report->pair_event_count;
	seen.paths += report->path_count;
	seen.asleep += report->asleep;
	seen.places += report->place_count;
	seen.clusters += report->clusters;
}

static void
room_step(struct room *room)
{
	struct tick_report own, guest;
	struct difference difference;
	const enum status status = world_step(room->own, room->dt, &own);
	assert_int_equal(world_step(room->guest, room->dt, &guest), status);
	if (status != STATUS_OK) {
		seen.failed++;
		room_close(room);
		return;
	}
	if (!reports_compare(&own, &guest, &difference))
		fail_msg("tick %llu: %s", (unsigned long long)own.tick, difference.text);
	seen_add(&own);
	room_compare(room);
}

static void
test_rooms_in_turn(void **state)
{
	(void)state;
	struct workspace *workspace;
	uint64_t random = 5;
	assert_int_equal(workspace_create(&workspace), STATUS_OK);
	for (uint64_t house = 0; house < houses; house++) {
		struct room rooms[ROOMS];
		rooms_open(rooms, house, workspace);
		for (int turn = 0; turn < TICKS * ROOMS; turn++) {
			/* Mostly one after the other. */
			const size_t i = random_below(&random, 4) == 0 ? random_below(&random, ROOMS) : (size_t)turn % ROOMS;
			struct room *room = &rooms[i];
			if (room->own && random_below(&random, 16) == 0)
				room_edit(room, &random);
			if (room->own && random_below(&random, 32) == 0)
				room_restore(room, workspace);
			if (room->own)
				room_step(room);
		}
		for (size_t i = 0; i < ROOMS; i++)
			room_close(&rooms[i]);
	}
	workspace_destroy(workspace);
	assert_true(seen.contacts > 0 && seen.pair_events > 0 && seen.paths > 0 && seen.asleep > 0 && seen.places > 0);
	assert_true(seen.clusters > 0 && seen.edits > 0 && seen.restored > 0);
	printf("%llu contacts, %llu pair events, %llu edits, %llu restored, %llu failed\n", (unsigned long long)seen.contacts,
	       (unsigned long long)seen.pair_events, (unsigned long long)seen.edits, (unsigned long long)seen.restored,
	       (unsigned long long)seen.failed);
}

/* Two gases that are the same. */
static void
gases_open(struct room *room, struct workspace *workspace)
{
	struct scenario scenario;
	scenario_init(&scenario);
	scene_gas(&scenario, 64, 12, 3);
	room_open(room, scenario_def(&scenario), 1.0 / 60, workspace);
	scenario_finish(&scenario);
}

/* Up to a tick with contacts. */
static void
gases_step(struct room *room, struct tick_report *own, struct tick_report *guest)
{
	for (int tick = 0; tick < 20; tick++) {
		assert_int_equal(world_step(room->own, room->dt, own), STATUS_OK);
		assert_int_equal(world_step(room->guest, room->dt, guest), STATUS_OK);
		if (own->contact_count > 0)
			return;
	}
	fail_msg("no contacts");
}

/* A world that leaves the workspace takes its last report along; what comes after it in the workspace does not show there. */
static void
test_a_report_is_taken_along(void **state)
{
	(void)state;
	struct workspace *workspace;
	struct tick_report own, guest, others;
	struct difference difference;
	struct room room, other;
	assert_int_equal(workspace_create(&workspace), STATUS_OK);
	gases_open(&room, workspace);
	gases_open(&other, workspace);
	for (int turn = 0; turn < 8; turn++) {
		gases_step(&room, &own, &guest);
		world_workspace_set(room.guest, NULL);
		for (int tick = 0; tick < 5; tick++)
			assert_int_equal(world_step(other.guest, other.dt, &others), STATUS_OK);
		assert_ptr_not_equal(others.contacts, guest.contacts);
		assert_true(reports_compare(&own, &guest, &difference));
		/* One tick on its own, then in the workspace again. */
		gases_step(&room, &own, &guest);
		assert_true(reports_compare(&own, &guest, &difference));
		world_workspace_set(room.guest, workspace);
	}
	room_compare(&room);
	room_close(&room);
	room_close(&other);
	workspace_destroy(workspace);
}

/* From one workspace to another, and the first one ends. */
static void
test_a_world_moves(void **state)
{
	(void)state;
	struct workspace *workspaces[2];
	struct tick_report own, guest;
	struct difference difference;
	struct room room;
	assert_int_equal(workspace_create(&workspaces[0]), STATUS_OK);
	assert_int_equal(workspace_create(&workspaces[1]), STATUS_OK);
	gases_open(&room, workspaces[0]);
	gases_step(&room, &own, &guest);
	world_workspace_set(room.guest, workspaces[1]);
	workspace_destroy(workspaces[0]);
	for (int turn = 0; turn < 5; turn++) {
		gases_step(&room, &own, &guest);
		assert_true(reports_compare(&own, &guest, &difference));
	}
	room_compare(&room);
	room_close(&room);
	workspace_destroy(workspaces[1]);
	workspace_destroy(NULL);
}

static bool
stop_at_once(void *context)
{
	(void)context;
	return true;
}

/* A tick that was given up leaves the workspace as good as it was. */
static void
test_one_gives_up(void **state)
{
	(void)state;
	struct workspace *workspace;
	struct tick_report own, guest, none;
	struct difference difference;
	struct room room;
	struct scenario scenario;
	struct world *large;
	struct def_problem problem;
	assert_int_equal(workspace_create(&workspace), STATUS_OK);
	gases_open(&room, workspace);
	scenario_init(&scenario);
	scene_gas(&scenario, 4000, 40, 3);
	assert_int_equal(world_create(scenario_def(&scenario), &problem, &large), STATUS_OK);
	scenario_finish(&scenario);
	world_workspace_set(large, workspace);
	world_stop_set(large, stop_at_once, NULL);
	assert_int_equal(world_step(large, 1.0 / 60, &none), STATUS_CANCELLED);
	assert_int_equal(world_step(large, 1.0 / 60, &none), STATUS_FAILED_PRECONDITION);
	for (int turn = 0; turn < 5; turn++) {
		gases_step(&room, &own, &guest);
		assert_true(reports_compare(&own, &guest, &difference));
	}
	world_destroy(large);
	room_compare(&room);
	room_close(&room);
	workspace_destroy(workspace);
}

/* Guests hold their state and count of the workspace what their last tick told; the rest is there once. */
static void
test_memory_is_counted(void **state)
{
	(void)state;
	struct workspace *workspace;
	struct tick_report own, guest;
	struct room room;
	assert_int_equal(workspace_create(&workspace), STATUS_OK);
	const size_t empty = workspace_memory_bytes(workspace);
	gases_open(&room, workspace);
	gases_step(&room, &own, &guest);
	const size_t used = workspace_memory_bytes(workspace);
	assert_true(used > empty);
	assert_true(world_memory_bytes(room.guest) + (used - empty) / 2 < world_memory_bytes(room.own));
	assert_true(world_memory_bytes(room.guest) > guest.contact_count * sizeof *guest.contacts);
	/* It leaves with its contacts only. */
	world_workspace_set(room.guest, NULL);
	assert_true(workspace_memory_bytes(workspace) < used);
	assert_true(world_memory_bytes(room.guest) < world_memory_bytes(room.own));
	room_close(&room);
	workspace_destroy(workspace);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rooms_in_turn),     cmocka_unit_test(test_a_report_is_taken_along),
		cmocka_unit_test(test_a_world_moves),     cmocka_unit_test(test_one_gives_up),
		cmocka_unit_test(test_memory_is_counted),
	};
	if (argc > 1)
		houses = strtoul(argv[1], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
