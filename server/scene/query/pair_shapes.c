/* Each side is a table of columns: lengths, then enums, then values (as the definition of a world), then copied small. */
#include "scene/query/pair_shapes.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/pause.h"
#include "scene/definition/def_field.h"
#include "scene/definition/shape_defs.h"
#include "scene/fields/columns.h"
#include "scene/fields/field_path.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* One side on its way in. */
struct pair_side {
	const char *path;
	struct column_list columns;
	const Collide__V1__CircleColumns *circles;   /* or */
	const Collide__V1__SegmentColumns *segments; /* those */
	bool is_lines;                               /* they are */
	struct circle_def *circle_defs;
	struct segment_def *segment_defs;
};

static enum status
side_refuse(const struct pair_side *side, enum status status, const char *name, size_t index, const char *text,
            struct wire_problem *problem)
{
	struct path_place place = {
		.path = side->path, .list = side->columns.list, .name = name, .by_column = true, .index = index
	};

	return path_problem(problem, status, status == STATUS_INVALID_ARGUMENT ? "BAD_FIELD" : "LIMIT", place, text);
}

/* A field that would be ignored is refused: its sender expects something of it. */
static enum status
meaningless_check(const struct pair_side *side, struct wire_problem *problem)
{
	static const char *const names[] = { "id",
		                                 "restitution",
		                                 "category",
		                                 "mask",
		                                 "friction",
		                                 "rolling_resistance",
		                                 "angle",
		                                 "angular_velocity",
		                                 "moment_of_inertia",
		                                 "surface_speed",
		                                 "linear_damping",
		                                 "angular_damping",
		                                 "gravity_scale",
		                                 "response",
		                                 "filter_group",
		                                 "group",
		                                 "sensor",
		                                 "stop_groups",
		                                 "remove_groups",
		                                 "report_groups",
		                                 "lifetime_ticks",
		                                 "lifetime_s",
		                                 "ignore",
		                                 "ignored_circle",
		                                 "tag",
		                                 "disabled" };

	/* A line has no ends to be thick around, and goes on for ever to both sides. */
	static const char *const line_names[] = { "radius", "one_sided" };

	for (size_t i = 0; side->is_lines && i < sizeof line_names / sizeof line_names[0]; i++) {
		if (column_list_count(&side->columns, line_names[i]) > 0) {
			return side_refuse(side, STATUS_INVALID_ARGUMENT, line_names[i], PATH_NO_INDEX, "has no meaning for a line",
			                   problem);
		}
	}
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (column_list_count(&side->columns, names[i]) > 0) {
			return side_refuse(side, STATUS_INVALID_ARGUMENT, names[i], PATH_NO_INDEX, "has no meaning here; leave it out",
			                   problem);
		}
	}
	return STATUS_OK;
}

static enum status
columns_check(const struct pair_side *side, const struct scene_limits *limits, struct wire_problem *problem)
{
	struct diagnostics first = { .problem = problem };
	uint32_t rows_max = side->circles ? limits->circles_max : limits->segments_max;
	char text[sizeof problem->text];

	if (side->columns.rows > rows_max) {
		(void)snprintf(text, sizeof text, "has %zu rows, at most %" PRIu32 " are allowed", side->columns.rows, rows_max);
		return side_refuse(side, STATUS_RESOURCE_EXHAUSTED, NULL, PATH_NO_INDEX, text, problem);
	}
	if (side->columns.rows == 0)
		return side_refuse(side, STATUS_INVALID_ARGUMENT, NULL, PATH_NO_INDEX, "must have at least one row", problem);
	enum status status = meaningless_check(side, problem);
	if (status == STATUS_OK)
		status = column_list_check(&side->columns, side->path, &first);
	if (status == STATUS_OK && side->circles && column_list_count(&side->columns, "radius") == 0)
		return side_refuse(side, STATUS_INVALID_ARGUMENT, "radius", PATH_NO_INDEX, "is required", problem);
	return status;
}

static enum status
circles_define(struct pair_side *side, struct arena *arena, struct wire_problem *problem)
{
	size_t rows = side->columns.rows;
	char text[sizeof problem->text];

	side->circle_defs = arena_array(arena, rows, sizeof *side->circle_defs);
	if (!side->circle_defs)
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", side->path, "no memory for its circles");
	for (size_t i = 0; i < rows && !pause_after(8); i++) {
		if (!shapes_column_circle(side->circles, i, false, &side->circle_defs[i])) {
			size_t index = path_column_index(side->circles->n_kind, i);

			(void)snprintf(text, sizeof text, "%d is not a BodyKind", (int)side->circles->kind[index]);
			return side_refuse(side, STATUS_INVALID_ARGUMENT, "kind", index, text, problem);
		}
	}
	return STATUS_OK;
}

static enum status
segments_define(struct pair_side *side, struct arena *arena, struct wire_problem *problem)
{
	side->segment_defs = arena_array(arena, side->columns.rows, sizeof *side->segment_defs);
	if (!side->segment_defs)
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", side->path, "no memory for its segments");
	for (size_t i = 0; i < side->columns.rows && !pause_after(8); i++)
		side->segment_defs[i] = shapes_column_segment(side->segments, i, false);
	return STATUS_OK;
}

/* Lengths, enums and values. */
static enum status
side_read(struct pair_side *side, struct arena *arena, const struct scene_limits *limits, struct wire_problem *problem)
{
	struct world_def def = world_def_default();
	struct def_problem found;
	enum status status = columns_check(side, limits, problem);

	if (status == STATUS_OK)
		status = side->circles ? circles_define(side, arena, problem) : segments_define(side, arena, problem);
	if (status != STATUS_OK)
		return status;
	def.circles = side->circle_defs;
	def.circle_count = side->circles ? side->columns.rows : 0;
	def.segments = side->segment_defs;
	def.segment_count = side->circles ? 0 : side->columns.rows;
	if (!world_def_check(&def, &found)) {
		const char *name = def_field_name(found.field);
		size_t index = path_column_index(column_list_count(&side->columns, name), found.index);

		return side_refuse(side, STATUS_INVALID_ARGUMENT, name, index, found.text, problem);
	}
	return STATUS_OK;
}

/* The message's two sides, unread. */
static enum status
sides_find(const Collide__V1__Pairs *message, const char *path, struct pair_side *a, struct pair_side *b, enum pairs_kind *kind,
           struct wire_problem *problem)
{
	struct path_place place = { .path = path, .name = "a", .index = PATH_NO_INDEX };

	*a = (struct pair_side){ .path = path };
	*b = (struct pair_side){ .path = path };
	if (message->optional_a_case != COLLIDE__V1__PAIRS__OPTIONAL_A_A)
		return path_problem(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", place, "is required");
	a->circles = message->a;
	a->columns = circle_columns_list("a", a->circles);
	switch (message->b_case) {
	case COLLIDE__V1__PAIRS__B_CIRCLES:
		*kind = PAIRS_CIRCLES;
		b->circles = message->circles;
		b->columns = circle_columns_list("circles", b->circles);
		return STATUS_OK;
	case COLLIDE__V1__PAIRS__B_SEGMENTS:
		*kind = PAIRS_SEGMENTS;
		b->segments = message->segments;
		b->columns = segment_columns_list("segments", b->segments);
		return STATUS_OK;
	case COLLIDE__V1__PAIRS__B_LINES:
		*kind = PAIRS_LINES;
		b->segments = message->lines;
		b->columns = segment_columns_list("lines", b->segments);
		b->is_lines = true;
		return STATUS_OK;
	default: break;
	}
	return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", path,
	                        "must have circles, segments or lines besides a");
}

static bool
discs_copy(const struct pair_side *side, struct disc **discs, double **masses)
{
	size_t rows = side->columns.rows;

	*discs = memory_zeroed(rows, sizeof **discs);
	*masses = memory_zeroed(rows, sizeof **masses);
	if (!*discs || !*masses)
		return false;
	for (size_t i = 0; i < rows && !pause_after(4); i++) {
		const struct circle_def *def = &side->circle_defs[i];

		(*discs)[i] = (struct disc){ def->x, def->y, def->radius, def->vx, def->vy };
		(*masses)[i] = def->kind == BODY_DYNAMIC ? def->mass : (double)INFINITY;
	}
	return true;
}

static bool
walls_copy(const struct pair_side *side, struct wall **walls)
{
	*walls = memory_zeroed(side->columns.rows, sizeof **walls);
	for (size_t i = 0; *walls && i < side->columns.rows && !pause_after(4); i++) {
		const struct segment_def *def = &side->segment_defs[i];

		(*walls)[i] = (struct wall){ def->x1, def->y1, def->x2, def->y2, def->radius, def->one_sided, def->vx, def->vy };
	}
	return *walls != NULL;
}

enum status
pairs_read(struct arena *arena, const Collide__V1__Pairs *message, const struct scene_limits *limits, const char *path,
           struct pairs *out, struct wire_problem *problem)
{
	struct pairs pairs = { .rows = 0 };
	struct pair_side a, b;
	char text[sizeof problem->text];
	enum status status = sides_find(message, path, &a, &b, &pairs.kind, problem);

	if (status == STATUS_OK)
		status = side_read(&a, arena, limits, problem);
	if (status == STATUS_OK)
		status = side_read(&b, arena, limits, problem);
	if (status != STATUS_OK)
		return status;
	pairs.a_rows = a.columns.rows;
	pairs.b_rows = b.columns.rows;
	pairs.rows = pairs.a_rows > pairs.b_rows ? pairs.a_rows : pairs.b_rows;
	if (pairs.a_rows != pairs.b_rows && pairs.a_rows != 1 && pairs.b_rows != 1) {
		(void)snprintf(text, sizeof text, "has %zu rows, a has %zu; must be as many, or one of them one", pairs.b_rows,
		               pairs.a_rows);
		return side_refuse(&b, STATUS_INVALID_ARGUMENT, NULL, PATH_NO_INDEX, text, problem);
	}
	if (!discs_copy(&a, &pairs.a, &pairs.a_mass) ||
	    !(pairs.kind == PAIRS_CIRCLES ? discs_copy(&b, &pairs.b, &pairs.b_mass) : walls_copy(&b, &pairs.walls))) {
		pairs_finish(&pairs);
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", path, "no memory for its rows");
	}
	*out = pairs;
	return STATUS_OK;
}

void
pairs_finish(struct pairs *pairs)
{
	memory_free(pairs->a);
	memory_free(pairs->b);
	memory_free(pairs->walls);
	memory_free(pairs->a_mass);
	memory_free(pairs->b_mass);
	*pairs = (struct pairs){ .rows = 0 };
}

size_t
pairs_memory_bytes(const struct pairs *pairs)
{
	size_t circle = sizeof *pairs->a + sizeof *pairs->a_mass;

	return pairs->a_rows * circle + pairs->b_rows * (pairs->kind == PAIRS_CIRCLES ? circle : sizeof *pairs->walls);
}

static size_t
b_row(const struct pairs *pairs, size_t row)
{
	return pairs->b_rows == 1 ? 0 : row;
}

double
pairs_b_mass(const struct pairs *pairs, size_t row)
{
	return pairs->kind == PAIRS_CIRCLES ? pairs->b_mass[b_row(pairs, row)] : (double)INFINITY;
}

void
pairs_b_start(const struct pairs *pairs, size_t row, double position[2], double velocity[2])
{
	bool circle = pairs->kind == PAIRS_CIRCLES;
	const struct disc *disc = circle ? &pairs->b[b_row(pairs, row)] : NULL;
	const struct wall *wall = circle ? NULL : &pairs->walls[b_row(pairs, row)];

	position[0] = circle ? disc->x : wall->x1;
	position[1] = circle ? disc->y : wall->y1;
	velocity[0] = circle ? disc->vx : wall->vx;
	velocity[1] = circle ? disc->vy : wall->vy;
}

struct shape_distance
pairs_distance(const struct pairs *pairs, size_t row, enum reading reading, const struct tolerance *tolerance)
{
	const struct disc *a = pairs_a(pairs, row);
	struct shape_distance out = { .gap = 0 };

	switch (pairs->kind) {
	case PAIRS_CIRCLES: return distance_circles(a, &pairs->b[b_row(pairs, row)], tolerance);
	case PAIRS_SEGMENTS:
		CHECK(distance_segment(a, &pairs->walls[b_row(pairs, row)], reading, tolerance, &out) == STATUS_OK);
		break;
	case PAIRS_LINES: CHECK(distance_line(a, &pairs->walls[b_row(pairs, row)], tolerance, &out) == STATUS_OK); break;
	}
	return out;
}

struct sweep
pairs_sweep(const struct pairs *pairs, size_t row, enum reading reading, bool skin, double duration)
{
	const struct disc *a = pairs_a(pairs, row);
	const struct wall *wall = pairs->kind == PAIRS_CIRCLES ? NULL : &pairs->walls[b_row(pairs, row)];
	const struct disc *b = pairs->kind == PAIRS_CIRCLES ? &pairs->b[b_row(pairs, row)] : NULL;
	double margin = !skin ? 0 : b ? skin_circles(a, b) : skin_wall(a, wall);
	struct sweep out = { .time = 0 };

	switch (pairs->kind) {
	case PAIRS_CIRCLES: return sweep_circles(a, b, margin, duration);
	case PAIRS_SEGMENTS: CHECK(sweep_segment(a, wall, reading, margin, duration, &out) == STATUS_OK); break;
	case PAIRS_LINES: CHECK(sweep_line(a, wall, margin, duration, &out) == STATUS_OK); break;
	}
	return out;
}
