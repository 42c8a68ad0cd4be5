#include "session/long_requests.h"

#include "physics/physics.h"
#include "session/messages.h"
#include "support/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum kind {
	GAS,         /* Simulate: circles far apart that fly, with every row that a frame can have */
	CHECKED,     /* the same made twice */
	KEPT,        /* the same with a snapshot of each tick */
	PILE,        /* circles that fall on a floor, and on each other */
	ROUGH,       /* the same with friction and rolling resistance, some of infinite mass, in walls that move */
	WEIGHTS,     /* the same with weights between groups */
	SIZES,       /* a gas of unlike circles, in several levels of cells */
	CROWDS,      /* two crowds far apart, in hashed cells */
	ENDS,        /* a gas that leaves its bounds, lives short, and removes each other */
	POINT,       /* circles at one point */
	OVERLAPPING, /* a grid of circles, each in its neighbours */
	TOUCHES,     /* fast ones in a small box for a long tick, with events of pairs */
	FAST,        /* the same without */
	STAR,        /* walls that share an end */
	STARS_MOVE,  /* the same, and they move */
	CROSSED,     /* walls that all cross */
	SENSORS,     /* circles through sensors */
	RESTORED,    /* from a snapshot */
	ASLEEP,      /* a floor full of sleepers */
	DETECT_SCENE,
	DETECT_PAIRS,
	RESPOND,
	CASTS,
	IN_CIRCLES,
	IN_BOXES,
	IN_SEGMENTS,
	NEAREST,
	MOVES,
	NEAREST_POINT, /* among circles at one point */
	MOVES_POINT,
	BY_HAND /* circles as messages of their own */
};

const struct long_request long_requests[] = {
	{ "gas", 100000, 60, GAS, false },
	{ "gas of a million", 1000000, 60, GAS, false },
	{ "self-check", 100000, 40, CHECKED, false },
	{ "snapshots", 100000, 40, KEPT, false },
	{ "pile", 20000, 40, PILE, false },
	{ "rough pile", 20000, 40, ROUGH, false },
	{ "pile with weights", 5000, 40, WEIGHTS, false },
	{ "unlike circles", 100000, 60, SIZES, false },
	{ "two crowds", 100000, 60, CROWDS, false },
	{ "circles that end", 100000, 60, ENDS, false },
	{ "circles at one point", 1000000, 300, POINT, false },
	{ "overlapping circles", 10000, 49, OVERLAPPING, true },
	{ "touches", 120, 12, TOUCHES, true },
	{ "fast", 2, 2, FAST, true },
	{ "walls with a shared end", 1000000, 200, STAR, false },
	{ "moving walls with a shared end", 100000, 100, STARS_MOVE, false },
	{ "crossed walls", 3000, 60, CROSSED, false },
	{ "sensors", 20000, 40, SENSORS, false },
	{ "restored", 100000, 60, RESTORED, false },
	{ "sleepers", 20000, 30, ASLEEP, false },
	{ "detect of a scene", 1000000, 100, DETECT_SCENE, false },
	{ "detect of pairs", 1000000, 100, DETECT_PAIRS, false },
	{ "respond", 1000000, 100, RESPOND, false },
	{ "casts", 1000000, 100, CASTS, false },
	{ "in circles", 1000000, 100, IN_CIRCLES, false },
	{ "in boxes", 1000000, 100, IN_BOXES, false },
	{ "in segments", 1000000, 100, IN_SEGMENTS, false },
	{ "nearest", 1000000, 100, NEAREST, false },
	{ "moves", 1000000, 100, MOVES, false },
	{ "nearest at one point", 1000000, 300, NEAREST_POINT, false },
	{ "moves at one point", 1000000, 300, MOVES_POINT, true },
	{ "circles by hand", 10000, 40, BY_HAND, false },
	{ 0 },
};

#define SPACING 2.0

/* A scene in the making; columns are freed after it was packed. */
struct draft {
	Collide__V1__Scene scene;
	Collide__V1__CircleColumns circles;
	Collide__V1__SegmentColumns segments;
	void *columns[24];
	Collide__V1__GroupRelation relation, *relations[1];
	Collide__V1__Bounds bounds;
	size_t column_count;
};

static double *
column(struct draft *draft, uint32_t count)
{
	double *numbers = calloc((size_t)count + 1, sizeof *numbers);
	assert_non_null(numbers);
	assert_true(draft->column_count < sizeof draft->columns / sizeof *draft->columns);
	draft->columns[draft->column_count++] = numbers;
	return numbers;
}

static void
draft_begin(struct draft *draft)
{
	*draft = (struct draft){ .column_count = 0 };
	collide__v1__scene__init(&draft->scene);
	collide__v1__circle_columns__init(&draft->circles);
	collide__v1__segment_columns__init(&draft->segments);
}

static void
draft_finish(struct draft *draft)
{
	while (draft->column_count > 0)
		free(draft->columns[--draft->column_count]);
}

static void
radius_set(struct draft *draft, double radius)
{
	draft->circles.n_radius = 1;
	draft->circles.radius = column(draft, 1);
	draft->circles.radius[0] = radius;
	draft->scene.circle_columns = &draft->circles;
	draft->scene.optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
}

static void
point_add(struct draft *draft, uint32_t count)
{
	draft->circles.count = count;
	radius_set(draft, 0.5);
}

/* A square grid, with random velocities up to `speed`. */
static void
grid_add(struct draft *draft, uint32_t count, double spacing, double speed)
{
	uint32_t side = (uint32_t)ceil(sqrt(count));
	uint64_t random = 7;
	draft->circles.n_x = draft->circles.n_y = draft->circles.n_vx = draft->circles.n_vy = count;
	draft->circles.x = column(draft, count);
	draft->circles.y = column(draft, count);
	draft->circles.vx = column(draft, count);
	draft->circles.vy = column(draft, count);
	for (uint32_t i = 0; i < count; i++) {
		draft->circles.x[i] = spacing * (i % side);
		draft->circles.y[i] = spacing * (i / side);
		draft->circles.vx[i] = random_between(&random, -speed, speed);
		draft->circles.vy[i] = random_between(&random, -speed, speed);
	}
	radius_set(draft, 0.5);
}

static void
walls_begin(struct draft *draft, uint32_t count)
{
	draft->segments.n_x1 = draft->segments.n_y1 = draft->segments.n_x2 = draft->segments.n_y2 = count;
	draft->segments.x1 = column(draft, count);
	draft->segments.y1 = column(draft, count);
	draft->segments.x2 = column(draft, count);
	draft->segments.y2 = column(draft, count);
	draft->scene.segment_columns = &draft->segments;
	draft->scene.optional_segment_columns_case = COLLIDE__V1__SCENE__OPTIONAL_SEGMENT_COLUMNS_SEGMENT_COLUMNS;
}

static void
wall_set(struct draft *draft, uint32_t index, double x1, double y1, double x2, double y2)
{
	draft->segments.x1[index] = x1;
	draft->segments.y1[index] = y1;
	draft->segments.x2[index] = x2;
	draft->segments.y2[index] = y2;
}

static void
box_add(struct draft *draft, double half)
{
	walls_begin(draft, 4);
	wall_set(draft, 0, -half, -half, half, -half);
	wall_set(draft, 1, half, -half, half, half);
	wall_set(draft, 2, half, half, -half, half);
	wall_set(draft, 3, -half, half, -half, -half);
}

/* Spokes of a wheel around (0, 0), and a circle beside it. */
static void
star_add(struct draft *draft, uint32_t count, double speed)
{
	walls_begin(draft, count);
	for (uint32_t i = 0; i < count; i++) {
		double turn = 6.2831853 * i / count;
		wall_set(draft, i, 0, 0, 1000 * cos(turn), 1000 * sin(turn));
	}
	if (speed != 0.0) {
		draft->segments.n_vx = 1;
		draft->segments.vx = column(draft, 1);
		draft->segments.vx[0] = speed;
	}
	grid_add(draft, 1, 1, 0);
	draft->circles.x[0] = 1100;
	draft->circles.vx[0] = -600;
}

static void
crossed_add(struct draft *draft, uint32_t count)
{
	walls_begin(draft, count);
	for (uint32_t i = 0; i < count; i++)
		wall_set(draft, i, -1000, 0.7 * i - 900, 1000, 900 - 0.7 * i);
	grid_add(draft, 1, 1, 0);
	draft->circles.x[0] = 1100;
	draft->circles.vx[0] = -600;
}

static void
sensors_add(struct draft *draft, uint32_t count)
{
	protobuf_c_boolean *sensors = calloc(count + 1, sizeof *sensors);
	assert_non_null(sensors);
	grid_add(draft, count, 1.2, 60);
	for (uint32_t i = 0; i < count; i++)
		sensors[i] = i % 4 == 0;
	draft->circles.n_sensor = count;
	draft->circles.sensor = sensors;
	draft->columns[draft->column_count++] = sensors;
}

/* A pile on the floor of a box, as far as there is room. */
static void
pile_add(struct draft *draft, uint32_t count)
{
	const double side = ceil(sqrt(count));
	grid_add(draft, count, 1.001, 0.5);
	box_add(draft, 1.001 * side + 2);
	for (uint32_t i = 0; i < count; i++)
		draft->circles.y[i] -= 1.001 * side + 1.4;
	draft->scene.gravity_y = -10;
}

/* The same number for all rows of a column of circles. */
static double *
column_of(struct draft *draft, size_t *count, double number)
{
	double *numbers = column(draft, 1);
	*count = 1;
	numbers[0] = number;
	return numbers;
}

static void
rough_add(struct draft *draft, uint32_t count)
{
	pile_add(draft, count);
	draft->circles.friction = column_of(draft, &draft->circles.n_friction, 0.5);
	draft->circles.rolling_resistance = column_of(draft, &draft->circles.n_rolling_resistance, 0.1);
	draft->circles.restitution = column_of(draft, &draft->circles.n_restitution, 0.3);
	draft->segments.friction = column_of(draft, &draft->segments.n_friction, 0.5);
	draft->segments.surface_speed = column_of(draft, &draft->segments.n_surface_speed, 0.5);
	draft->segments.vx = column_of(draft, &draft->segments.n_vx, 0.2);
}

/* Numbers of groups: i % 2. */
static void
groups_add(struct draft *draft, uint32_t count)
{
	uint32_t *groups = (uint32_t *)(void *)column(draft, count);
	for (uint32_t i = 0; i < count; i++)
		groups[i] = i % 2;
	draft->circles.n_group = count;
	draft->circles.group = groups;
}

static void
weights_add(struct draft *draft, uint32_t count)
{
	pile_add(draft, count);
	groups_add(draft, count);
	collide__v1__group_relation__init(&draft->relation);
	draft->relation.group_b = 1;
	draft->relation.optional_weight_a_case = COLLIDE__V1__GROUP_RELATION__OPTIONAL_WEIGHT_A_WEIGHT_A;
	draft->relation.weight_a = 0.25;
	draft->relations[0] = &draft->relation;
	draft->scene.n_relations = 1;
	draft->scene.relations = draft->relations;
}

static void
sizes_add(struct draft *draft, uint32_t count)
{
	grid_add(draft, count, 14, 60);
	draft->circles.n_radius = count;
	draft->circles.radius = column(draft, count);
	for (uint32_t i = 0; i < count; i++)
		draft->circles.radius[i] = i % 64 == 0 ? 6.0 : i % 8 == 0 ? 0.5 : 0.02;
}

static void
crowds_add(struct draft *draft, uint32_t count)
{
	grid_add(draft, count, SPACING, 60);
	for (uint32_t i = 0; i < count; i++)
		draft->circles.x[i] += i % 2 == 0 ? 0.0 : 1e7;
}

static void
ends_add(struct draft *draft, uint32_t count)
{
	const double side = SPACING * ceil(sqrt(count));
	uint32_t *ticks = (uint32_t *)(void *)column(draft, count);
	uint64_t *groups = (uint64_t *)(void *)column(draft, 1);
	grid_add(draft, count, 1.2, 60);
	groups_add(draft, count);
	for (uint32_t i = 0; i < count; i++)
		ticks[i] = i % 16 == 0 ? 1 + i / 16 % 3 : 0;
	draft->circles.n_lifetime_ticks = count;
	draft->circles.lifetime_ticks = ticks;
	groups[0] = 2;
	draft->circles.n_remove_groups = 1;
	draft->circles.remove_groups = groups;
	collide__v1__bounds__init(&draft->bounds);
	draft->bounds.x_max = draft->bounds.y_max = 0.55 * side;
	draft->scene.bounds = &draft->bounds;
	draft->scene.optional_bounds_case = COLLIDE__V1__SCENE__OPTIONAL_BOUNDS_BOUNDS;
}

static void
message_pack(struct buffer *out, uint64_t id, Collide__V1__ClientMessage *message)
{
	message->request_id = id;
	pack_message(out, message);
}

static void
simulate_pack(struct buffer *out, uint64_t id, Collide__V1__Simulate *simulate, struct draft *draft, uint32_t deadline_ms)
{
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	if (draft) {
		simulate->optional_scene_case = COLLIDE__V1__SIMULATE__OPTIONAL_SCENE_SCENE;
		simulate->scene = &draft->scene;
	}
	simulate->dt = simulate->dt == 0.0 ? 1.0 / 60 : simulate->dt;
	simulate->ticks = simulate->ticks == 0 ? 2 : simulate->ticks;
	simulate->every = 1;
	simulate->deadline_ms = deadline_ms;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE;
	message.simulate = simulate;
	message_pack(out, id, &message);
}

/* The bytes of a world of flying circles that has made a tick. */
static void
restored_pack(struct buffer *out, uint64_t id, uint32_t size, uint32_t deadline_ms)
{
	uint32_t side = (uint32_t)ceil(sqrt(size));
	struct circle_def *circles = calloc(size, sizeof *circles);
	struct world_def def = world_def_default();
	struct def_problem problem;
	struct tick_report report;
	struct world *world = NULL;
	Collide__V1__Simulate simulate = COLLIDE__V1__SIMULATE__INIT;
	assert_non_null(circles);
	for (uint32_t i = 0; i < size; i++) {
		circles[i] = circle_def_default();
		circles[i].id = i;
		circles[i].x = SPACING * (i % side);
		circles[i].y = SPACING * (i / side);
		circles[i].vx = i % 7;
		circles[i].radius = 0.5;
	}
	def.circles = circles;
	def.circle_count = size;
	assert_int_equal(world_create(&def, &problem, &world), STATUS_OK);
	assert_int_equal(world_step(world, 1.0 / 60, &report), STATUS_OK);
	size_t bytes = world_snapshot_bytes(world);
	uint8_t *snapshot = malloc(bytes);
	assert_non_null(snapshot);
	assert_int_equal(world_snapshot(world, snapshot, bytes), STATUS_OK);
	simulate.optional_scene_case = COLLIDE__V1__SIMULATE__OPTIONAL_SCENE_SNAPSHOT;
	simulate.snapshot = (ProtobufCBinaryData){ .len = bytes, .data = snapshot };
	simulate_pack(out, id, &simulate, NULL, deadline_ms);
	free(snapshot);
	free(circles);
	world_destroy(world);
}

static void
by_hand_pack(struct buffer *out, uint64_t id, uint32_t size, uint32_t deadline_ms)
{
	Collide__V1__Circle *circles = calloc(size, sizeof *circles);
	Collide__V1__Circle **list = calloc(size, sizeof *list);
	Collide__V1__Simulate simulate = COLLIDE__V1__SIMULATE__INIT;
	struct draft draft;
	assert_non_null(circles);
	assert_non_null(list);
	draft_begin(&draft);
	for (uint32_t i = 0; i < size; i++) {
		collide__v1__circle__init(&circles[i]);
		circles[i].x = SPACING * i;
		circles[i].radius = 0.5;
		list[i] = &circles[i];
	}
	draft.scene.n_circles = size;
	draft.scene.circles = list;
	simulate_pack(out, id, &simulate, &draft, deadline_ms);
	draft_finish(&draft);
	free(list);
	free(circles);
}

static void
simulation_pack(struct buffer *out, enum kind kind, uint64_t id, uint32_t size, uint32_t deadline_ms)
{
	Collide__V1__Simulate simulate = COLLIDE__V1__SIMULATE__INIT;
	struct draft draft;
	draft_begin(&draft);
	switch (kind) {
	case GAS:
	case CHECKED:
	case KEPT:
		grid_add(&draft, size, SPACING, 60);
		simulate.events = COLLIDE__V1__EVENTS__EVENTS_PERSIST;
		simulate.paths = kind == GAS;
		simulate.self_check = kind == CHECKED;
		simulate.snapshot_every = kind == KEPT;
		break;
	case PILE:
	case ASLEEP:
		pile_add(&draft, size);
		draft.scene.sleep_after = kind == ASLEEP ? 0.2 : 0;
		simulate.ticks = kind == ASLEEP ? 30 : 12;
		simulate.events = COLLIDE__V1__EVENTS__EVENTS_PERSIST;
		break;
	case ROUGH:
	case WEIGHTS:
		kind == ROUGH ? rough_add(&draft, size) : weights_add(&draft, size);
		simulate.ticks = 4;
		simulate.events = COLLIDE__V1__EVENTS__EVENTS_PERSIST;
		break;
	case SIZES: sizes_add(&draft, size); break;
	case CROWDS: crowds_add(&draft, size); break;
	case ENDS:
		ends_add(&draft, size);
		simulate.ticks = 4;
		break;
	case POINT: point_add(&draft, size); break;
	case OVERLAPPING: grid_add(&draft, size, 0.7, 1); break;
	case TOUCHES:
	case FAST:
		grid_add(&draft, size, 1.1, 1e5);
		box_add(&draft, 1.1 * ceil(sqrt(size)) + 1);
		draft.scene.events_per_body_max = 1000000;
		draft.scene.work_per_tick_max = 1000000000;
		simulate.events = kind == TOUCHES ? COLLIDE__V1__EVENTS__EVENTS_TOUCHES : COLLIDE__V1__EVENTS__EVENTS_NONE;
		simulate.dt = kind == TOUCHES || size > 2 ? 0.05 : 1.0;
		simulate.ticks = 1;
		break;
	case STAR: star_add(&draft, size, 0); break;
	case STARS_MOVE: star_add(&draft, size, 3); break;
	case CROSSED: crossed_add(&draft, size); break;
	case SENSORS:
		sensors_add(&draft, size);
		simulate.events = COLLIDE__V1__EVENTS__EVENTS_PERSIST;
		break;
	default: fail();
	}
	simulate_pack(out, id, &simulate, &draft, deadline_ms);
	draft_finish(&draft);
}

static void
question_pack(struct buffer *out, enum kind kind, uint64_t id, uint32_t size, uint32_t deadline_ms)
{
	Collide__V1__Query query = COLLIDE__V1__QUERY__INIT;
	Collide__V1__Casts casts = COLLIDE__V1__CASTS__INIT;
	Collide__V1__InCircles circles = COLLIDE__V1__IN_CIRCLES__INIT;
	Collide__V1__InBoxes boxes = COLLIDE__V1__IN_BOXES__INIT;
	Collide__V1__InSegments segments = COLLIDE__V1__IN_SEGMENTS__INIT;
	Collide__V1__Nearest nearest = COLLIDE__V1__NEAREST__INIT;
	Collide__V1__Moves moves = COLLIDE__V1__MOVES__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	double far = 1e6, near = 0.5, low = -1;
	uint32_t all = 0;
	struct draft draft;
	draft_begin(&draft);
	if (kind == NEAREST_POINT || kind == MOVES_POINT)
		point_add(&draft, size);
	else
		grid_add(&draft, size, SPACING, 0);
	query.scene = &draft.scene;
	query.optional_scene_case = COLLIDE__V1__QUERY__OPTIONAL_SCENE_SCENE;
	query.deadline_ms = deadline_ms;
	casts.count = circles.count = boxes.count = segments.count = nearest.count = moves.count = 2;
	casts.n_move_x = casts.n_limit = circles.n_radius = circles.n_limit = boxes.n_x_min = boxes.n_y_min = boxes.n_x_max =
		boxes.n_y_max = segments.n_x2 = segments.n_y2 = nearest.n_limit = moves.n_radius = moves.n_move_x = moves.n_move_y = 1;
	casts.move_x = circles.radius = boxes.x_max = boxes.y_max = segments.x2 = segments.y2 = moves.move_x = moves.move_y = &far;
	boxes.x_min = boxes.y_min = &low;
	casts.limit = circles.limit = nearest.limit = &all;
	moves.radius = &near;
	switch (kind) {
	case CASTS: query.casts = &casts, query.optional_casts_case = COLLIDE__V1__QUERY__OPTIONAL_CASTS_CASTS; break;
	case IN_CIRCLES:
		query.in_circles = &circles, query.optional_in_circles_case = COLLIDE__V1__QUERY__OPTIONAL_IN_CIRCLES_IN_CIRCLES;
		break;
	case IN_BOXES:
		query.in_boxes = &boxes, query.optional_in_boxes_case = COLLIDE__V1__QUERY__OPTIONAL_IN_BOXES_IN_BOXES;
		break;
	case IN_SEGMENTS:
		query.in_segments = &segments, query.optional_in_segments_case = COLLIDE__V1__QUERY__OPTIONAL_IN_SEGMENTS_IN_SEGMENTS;
		break;
	case NEAREST:
	case NEAREST_POINT:
		query.nearest = &nearest, query.optional_nearest_case = COLLIDE__V1__QUERY__OPTIONAL_NEAREST_NEAREST;
		break;
	default: query.moves = &moves, query.optional_moves_case = COLLIDE__V1__QUERY__OPTIONAL_MOVES_MOVES; break;
	}
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_QUERY;
	message.query = &query;
	message_pack(out, id, &message);
	draft_finish(&draft);
}

static void
pairs_pack(struct buffer *out, enum kind kind, uint64_t id, uint32_t size, uint32_t deadline_ms)
{
	Collide__V1__Pairs pairs = COLLIDE__V1__PAIRS__INIT;
	Collide__V1__Detect detect = COLLIDE__V1__DETECT__INIT;
	Collide__V1__Respond respond = COLLIDE__V1__RESPOND__INIT;
	Collide__V1__PushOut push = COLLIDE__V1__PUSH_OUT__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	struct draft a, b;
	draft_begin(&a);
	draft_begin(&b);
	grid_add(&a, size, SPACING, 3);
	grid_add(&b, size, SPACING, 3);
	for (uint32_t i = 0; i < size; i++)
		b.circles.x[i] += 0.5;
	pairs.optional_a_case = COLLIDE__V1__PAIRS__OPTIONAL_A_A;
	pairs.a = &a.circles;
	pairs.b_case = COLLIDE__V1__PAIRS__B_CIRCLES;
	pairs.circles = &b.circles;
	detect.dt = respond.deadline_ms = 1;
	detect.deadline_ms = respond.deadline_ms = deadline_ms;
	detect.what_case = kind == DETECT_SCENE ? COLLIDE__V1__DETECT__WHAT_SCENE : COLLIDE__V1__DETECT__WHAT_PAIRS;
	if (kind == DETECT_SCENE)
		detect.scene = &a.scene;
	else
		detect.pairs = &pairs;
	respond.optional_pairs_case = COLLIDE__V1__RESPOND__OPTIONAL_PAIRS_PAIRS;
	respond.pairs = &pairs;
	respond.optional_push_out_case = COLLIDE__V1__RESPOND__OPTIONAL_PUSH_OUT_PUSH_OUT;
	respond.push_out = &push;
	if (kind == RESPOND) {
		message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_RESPOND;
		message.respond = &respond;
	} else {
		message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DETECT;
		message.detect = &detect;
	}
	message_pack(out, id, &message);
	draft_finish(&a);
	draft_finish(&b);
}

void
long_request_pack(struct buffer *out, const struct long_request *request, uint64_t id, uint32_t size, uint32_t deadline_ms)
{
	enum kind kind = (enum kind)request->kind;
	if (kind == RESTORED)
		restored_pack(out, id, size, deadline_ms);
	else if (kind == BY_HAND)
		by_hand_pack(out, id, size, deadline_ms);
	else if (kind < DETECT_SCENE)
		simulation_pack(out, kind, id, size, deadline_ms);
	else if (kind < CASTS)
		pairs_pack(out, kind, id, size, deadline_ms);
	else
		question_pack(out, kind, id, size, deadline_ms);
}
