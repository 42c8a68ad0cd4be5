#include "fuzz/client_script.h"

#include "client/lib/core.h"

#include <string.h>

#define COLUMN(values)                           \
	{                                            \
		(values), sizeof values / sizeof *values \
	}

static const double places[] = { -3, 0, 3 }, speeds[] = { 4, 0, -4 }, sizes[] = { 1 }, walls_x[] = { -6, 6 },
					room_x1[] = { -6, 6, -9 }, room_y1[] = { -9, -9, -1 }, room_x2[] = { -6, 6, 9 }, room_y2[] = { 9, 9, -1 },
					walls_low[] = { -9, -9 }, walls_high[] = { 9, 9 };
static const uint32_t ids[] = { 0, 1 }, wall_ids[] = { 1 }, new_ids[] = { 9 };
static const char WORLD[] = "w";

static const double masses[] = { 2 };
static const struct collide_circles circles = { .x = COLUMN(places), .vx = COLUMN(speeds), .radius = COLUMN(sizes) };
/* They turn, have tags, and one of them goes its own way; another lives for a while only. */
static const double spins[] = { 3, 0, -1 }, rough[] = { 0.5 };
static const uint32_t kinds[] = { COLLIDE_DYNAMIC, COLLIDE_DYNAMIC, COLLIDE_KINEMATIC }, lifetimes[] = { 0, 5, 0 };
static const uint64_t tags[] = { 7, 0, 9 };
static const struct collide_circles circles_unlike = { .x = COLUMN(places),
	                                                   .vx = COLUMN(speeds),
	                                                   .radius = COLUMN(sizes),
	                                                   .angular_velocity = COLUMN(spins),
	                                                   .friction = COLUMN(rough),
	                                                   .kind = COLUMN(kinds),
	                                                   .lifetime_ticks = COLUMN(lifetimes),
	                                                   .tag = COLUMN(tags) };
/* With a floor, on which circles come to rest. */
static const struct collide_segments walls = { .x1 = COLUMN(room_x1),
	                                           .y1 = COLUMN(room_y1),
	                                           .x2 = COLUMN(room_x2),
	                                           .y2 = COLUMN(room_y2) };
static const struct collide_segments wall = { .x1 = { walls_x, 1 },
	                                          .y1 = { walls_low, 1 },
	                                          .x2 = { walls_x, 1 },
	                                          .y2 = { walls_high, 1 } };

static struct collide_scene
scene_make(void)
{
	return (struct collide_scene){ .circles = circles, .segments = walls, .hit_speed = 1 };
}

static uint64_t
ask_simulation(struct collide_core *core, bool paths)
{
	struct collide_scene scene = scene_make();
	if (paths)
		scene.circles = circles_unlike;
	const struct collide_simulation simulation = { .scene = &scene,
		                                           .dt = 0.25,
		                                           .ticks = 6,
		                                           .events = paths ? COLLIDE_EVENTS_TOUCHES : 0,
		                                           .paths = paths,
		                                           .snapshot_every = paths ? 0 : 4 };
	return collide_core_simulate(core, &simulation, NULL);
}

static uint64_t
ask_questions(struct collide_core *core, size_t step)
{
	const struct collide_scene scene = scene_make();
	const struct collide_pairs pairs = { .a = circles, .segments = &wall };
	const struct collide_pairs overlapping = { .a = circles, .circles = &circles };
	const struct collide_detection detection = { .pairs = &pairs, .dt = 2 };
	const struct collide_response response = { .pairs = &overlapping, .push_out = true, .bounce = true };
	const struct collide_casts casts = {
		.x = COLUMN(places), .y = COLUMN(sizes), .move_x = COLUMN(speeds), .move_y = COLUMN(sizes)
	};
	const struct collide_moves moves = {
		.x = COLUMN(places), .y = COLUMN(sizes), .radius = COLUMN(sizes), .move_x = COLUMN(speeds), .move_y = COLUMN(speeds)
	};
	const struct collide_nearest nearest = { .x = COLUMN(places), .y = COLUMN(places) };
	const struct collide_questions questions = { .scene = &scene, .casts = &casts, .nearest = &nearest, .moves = &moves };
	return step == 0   ? collide_core_detect(core, &detection, NULL)
	       : step == 1 ? collide_core_respond(core, &response, NULL)
	                   : collide_core_query(core, &questions, NULL);
}

static uint64_t
ask_world(struct collide_core *core)
{
	/* Its walls are the map's. */
	const struct collide_scene inside = {
		.circles = circles_unlike, .gravity_y = -2, .sleep_after = 0.3, .speed_max = 5, .hit_speed = 1
	};
	const struct collide_world_policy policy = {
		.clock = COLLIDE_CLOCK_CLIENT, .dt = 0.25, .tick_hz = 60, .history_ticks = 16, .events = COLLIDE_EVENTS_TOUCHES
	};
	const struct collide_label label = { "game", "chess" };
	const struct collide_world_creation creation = {
		.name = WORLD, .scene = &inside, .map = "m", .policy = &policy, .labels = &label, .label_count = 1
	};
	return collide_core_create_world(core, &creation, NULL);
}

static uint64_t
ask_subscription(struct collide_core *core, uint32_t handle, size_t kind)
{
	const struct collide_interest interest = { .handle = handle,
		                                       .stream = (enum collide_stream)(1 + kind % 3),
		                                       .every = 1,
		                                       .contacts = kind == 0,
		                                       .pair_events = kind == 0,
		                                       .tolerance = kind == 3 ? 0.01 : 0,
		                                       .driven_tolerance = kind == 3 ? 0.01 : 0 };
	return core_subscribe(core, &interest, interest.stream == COLLIDE_STREAM_COMMANDS, NULL);
}

static uint64_t
ask_batch(struct collide_core *core, uint32_t handle, uint64_t sequence)
{
	const struct collide_numbers numbers = { .handle = handle, .sequence = sequence };
	const struct collide_circles newcomer = {
		.id = COLUMN(new_ids), .x = { places, 1 }, .y = { walls_high, 1 }, .radius = COLUMN(sizes)
	};
	const struct collide_circles changed = { .id = { ids + 1, 1 }, .mass = COLUMN(masses) };
	const struct collide_segments roof = {
		.id = COLUMN(new_ids), .x1 = { walls_x, 1 }, .y1 = { walls_high, 1 }, .x2 = { walls_x + 1, 1 }, .y2 = { walls_high, 1 }
	};
	const struct collide_batch batches[] = {
		{ .spawn = &newcomer,
		  .velocities = { .id = COLUMN(ids), .vx = { speeds, 2 }, .vy = { speeds, 2 } },
		  .pushes = { .id = COLUMN(ids), .impulse_x = { speeds, 2 }, .impulse_y = { speeds, 2 } },
		  .disable_segments = COLUMN(wall_ids) },
		{ .changes = &changed,
		  .add_velocities = { .id = { ids, 1 }, .vx = { speeds, 1 }, .vy = { speeds, 1 } },
		  .places = { .id = { ids, 1 }, .x = { places, 1 }, .y = { walls_high, 1 } },
		  .pushes = { .id = { ids, 1 }, .force_x = { speeds, 1 }, .force_y = { speeds, 1 }, .ticks = COLUMN(wall_ids) },
		  .spawn_segments = &roof,
		  .enable_segments = COLUMN(wall_ids),
		  .has_gravity = true,
		  .gravity_y = -3 },
	};
	const struct collide_batch batch = batches[sequence - 1];
	return collide_core_commands(core, &numbers, &batch, sequence == 1, NULL);
}

static uint64_t
ask_about_map(const struct client_script *script, struct collide_core *core, bool make)
{
	const struct collide_map_creation creation = { .name = "m", .segments = &walls };
	const struct collide_map_key key = { .handle = script->handle };
	return make ? collide_core_create_map(core, &creation, NULL) : collide_core_get_map(core, &key, NULL);
}

static uint64_t
ask_of_world(const struct client_script *script, size_t step, struct collide_core *core)
{
	const struct collide_world_key key = { .name = WORLD,
		                                   .secret = script->owner_secret,
		                                   .secret_bytes = COLLIDE_SECRET_BYTES };
	const struct collide_attachment attachment = { .world = WORLD,
		                                           .secret = script->owner_secret,
		                                           .secret_bytes = COLLIDE_SECRET_BYTES,
		                                           .right = COLLIDE_RIGHT_STEP,
		                                           .ids = 4 };
	const struct collide_world_setting setting = { .tick_hz = 30 };
	const struct collide_world_filter filter = { .limit = 5 };
	const struct collide_world_moment moment = { .has_tick = true, .at_tick = 2 };
	const struct collide_world_fork fork = { .name = "v" };
	const struct collide_step ticks = { .ticks = 4 };
	const struct collide_region region = { .kind = COLLIDE_REGION_BOX, .x_max = 5, .y_max = 5 };
	switch (step) {
	case 0: return collide_core_attach(core, &attachment, NULL);
	case 1:
	case 2:
	case 3:
	case 4: return ask_subscription(core, script->handle, step - 1);
	case 5:
	case 6: return ask_batch(core, script->handle, step - 4);
	case 7: return collide_core_step_world(core, script->handle, &ticks, NULL);
	case 8: return collide_core_set_world(core, &key, &setting, NULL);
	case 9: return collide_core_list_worlds(core, &filter, NULL);
	case 10: return collide_core_snapshot_world(core, &key, &moment, NULL);
	case 11: return collide_core_fork_world(core, &key, &fork, NULL);
	case 12: return collide_core_steer(core, 15, &region, 2, NULL);
	case 13: return collide_core_step_world(core, script->handle, &ticks, NULL);
	case 14: return collide_core_detach(core, script->handle, NULL);
	case 15: return collide_core_destroy_world(core, &key, NULL);
	default: return 0;
	}
}

bool
client_script_ask(const struct client_script *script, size_t step, struct collide_core *core)
{
	enum { BEFORE_WORLD = 11 };
	switch (step) {
	case 0: return collide_core_hello(core, NULL) != 0;
	case 1: return collide_core_ping(core, "ping", 4, NULL) != 0;
	case 2: return collide_core_describe(core, NULL) != 0;
	case 3:
	case 4: return ask_simulation(core, step == 4) != 0;
	case 5:
	case 6:
	case 7: return ask_questions(core, step - 5) != 0;
	case 8: return collide_core_cancel(core, 3, NULL) != 0;
	case 9: return ask_about_map(script, core, true) != 0;
	case 10: return ask_world(core) != 0;
	case 11: return ask_of_world(script, 0, core) != 0;
	case 12: return ask_about_map(script, core, false) != 0;
	default: return ask_of_world(script, step - BEFORE_WORLD - 1, core) != 0;
	}
}

void
client_script_hear(struct client_script *script, const struct collide_event *event)
{
	/* The fork has secrets of its own. */
	if (event->kind == COLLIDE_EVENT_WORLD_INFO && event->as.world_info->has_secrets && script->handle == 0)
		memcpy(script->owner_secret, event->as.world_info->owner_secret, sizeof script->owner_secret);
	if (event->kind == COLLIDE_EVENT_ATTACHED)
		script->handle = event->as.attached->handle;
}
