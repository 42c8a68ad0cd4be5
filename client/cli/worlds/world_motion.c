#include "client/cli/worlds/world_motion.h"

#include "client/cli/motion/motion_rows.h"
#include "physics/describe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lengths, as a part of a wall's coordinates, by which one that moves may be off where it was extrapolated. */
static const double wall_rounding = 0x1p-40;

static bool
rows_add(struct world_motion_rows *rows, const struct world_motion_row *row)
{
	if (rows->count == rows->capacity) {
		size_t capacity = 2 * rows->capacity + 64;
		struct world_motion_row *grown = realloc(rows->rows, capacity * sizeof *grown);
		if (!grown)
			return false;
		rows->rows = grown;
		rows->capacity = capacity;
	}
	rows->rows[rows->count++] = *row;
	return true;
}

static struct world_motion_row *
rows_find(const struct world_motion_rows *rows, uint32_t id)
{
	size_t low = 0, high = rows->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (rows->rows[middle].id == id)
			return &rows->rows[middle];
		if (rows->rows[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Of the state after the world's tick, from the start of the motion. */
static double
seconds_now(const struct world_motion *motion)
{
	return (double)(motion->tick - motion->motion->scene.tick) * motion->motion->dt;
}

static bool
same_bits(double a, double b)
{
	return memcmp(&a, &b, sizeof a) == 0;
}

/* ---- circles */

static struct motion_circle
circle_of(const struct circle_def *def, bool asleep)
{
	bool dynamic = def->kind == BODY_DYNAMIC, moves = def->kind != BODY_STATIC;
	return (struct motion_circle){ .id = def->id,
		                           .dynamic = dynamic,
		                           .moves = moves,
		                           .sensor = def->sensor,
		                           .asleep = asleep,
		                           .radius = def->radius,
		                           .mass = dynamic ? def->mass : HUGE_VAL,
		                           .x = def->x,
		                           .y = def->y,
		                           .vx = moves ? def->vx : 0,
		                           .vy = moves ? def->vy : 0,
		                           .angle = def->angle,
		                           .spin = def->angular_velocity };
}

/* Whether a circle is the one of that row, which goes on. */
static bool
circle_goes_on(const struct world_motion *motion, const struct world_motion_row *row, const struct motion_circle *circle)
{
	const struct motion_circle *was = &motion->motion->scene.circles[row->row];
	return was->dynamic == circle->dynamic && was->moves == circle->moves && was->sensor == circle->sensor &&
	       same_bits(was->radius, circle->radius) && same_bits(was->mass, circle->mass) && same_bits(row->x, circle->x) &&
	       same_bits(row->y, circle->y);
}

/* Those of the world beside those there were. */
static bool
circles_compare(struct world_motion *motion, const struct world *world, const struct circle_def *circles, size_t count)
{
	double t = seconds_now(motion);
	motion->next.count = 0;
	for (size_t i = 0; i < count; i++) {
		struct motion_circle circle = circle_of(&circles[i], world_body(world, i).asleep);
		const struct world_motion_row *was = rows_find(&motion->circles, circle.id);
		struct world_motion_row row = { .id = circle.id, .x = circle.x, .y = circle.y };
		circle.first = was ? motion->motion->scene.circles[was->row].first : motion->motion->scene.circle_count;
		if (was && circle_goes_on(motion, was, &circle))
			row.row = was->row;
		else if (!motion_circle_add(motion->motion, &circle, t, &row.row))
			return false;
		if (!rows_add(&motion->next, &row))
			return false;
	}
	for (size_t i = 0; i < motion->circles.count; i++) {
		const struct world_motion_row *was = &motion->circles.rows[i], *now = rows_find(&motion->next, was->id);
		if (!now || now->row != was->row)
			motion->motion->tracks[was->row].end = t;
	}
	struct world_motion_rows old = motion->circles;
	motion->circles = motion->next;
	motion->next = old;
	return true;
}

/* ---- walls */

/* Its ends where they would have been at 0. */
static struct motion_wall
wall_of(const struct segment_def *def, double t)
{
	return (struct motion_wall){ .id = def->id,
		                         .x1 = def->x1 - def->vx * t,
		                         .y1 = def->y1 - def->vy * t,
		                         .x2 = def->x2 - def->vx * t,
		                         .y2 = def->y2 - def->vy * t,
		                         .vx = def->vx,
		                         .vy = def->vy,
		                         .begin = t,
		                         .end = HUGE_VAL,
		                         .radius = def->radius,
		                         .restitution = def->restitution,
		                         .sensor = def->sensor,
		                         .one_sided = def->one_sided,
		                         .disabled = def->disabled };
}

static bool
is_near(double a, double b, double reach)
{
	return fabs(a - b) <= wall_rounding * reach;
}

static bool
wall_goes_on(const struct motion_wall *was, const struct motion_wall *wall, double t)
{
	double reach = fabs(wall->x1) + fabs(wall->y1) + fabs(wall->x2) + fabs(wall->y2) + t * (fabs(wall->vx) + fabs(wall->vy));
	return was->disabled == wall->disabled && was->sensor == wall->sensor && was->one_sided == wall->one_sided &&
	       same_bits(was->radius, wall->radius) && same_bits(was->vx, wall->vx) && same_bits(was->vy, wall->vy) &&
	       is_near(was->x1, wall->x1, reach) && is_near(was->y1, wall->y1, reach) && is_near(was->x2, wall->x2, reach) &&
	       is_near(was->y2, wall->y2, reach);
}

static bool
walls_compare(struct world_motion *motion, const struct segment_def *segments, size_t count)
{
	double t = seconds_now(motion);
	struct motion_scene *scene = &motion->motion->scene;
	motion->next.count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct motion_wall wall = wall_of(&segments[i], t);
		const struct world_motion_row *was = rows_find(&motion->walls, wall.id);
		struct world_motion_row row = { .id = wall.id, .row = scene->wall_count };
		if (was && wall_goes_on(&scene->walls[was->row], &wall, t))
			row.row = was->row;
		else if (!motion_wall_add(motion->motion, &wall))
			return false;
		if (!rows_add(&motion->next, &row))
			return false;
	}
	for (size_t i = 0; i < motion->walls.count; i++) {
		const struct world_motion_row *was = &motion->walls.rows[i], *now = rows_find(&motion->next, was->id);
		if (!now || now->row != was->row)
			scene->walls[was->row].end = t;
	}
	struct world_motion_rows old = motion->walls;
	motion->walls = motion->next;
	motion->next = old;
	return true;
}

static bool
shapes_compare(struct world_motion *motion, const struct world *world)
{
	size_t circle_count = world_body_count(world), segment_count = world_segment_count(world);
	struct circle_def *circles = calloc(circle_count + 1, sizeof *circles);
	struct segment_def *segments = calloc(segment_count + 1, sizeof *segments);
	struct world_def def;
	bool good = circles && segments;
	if (good) {
		world_describe(world, circles, segments, &def);
		good = circles_compare(motion, world, circles, circle_count) && walls_compare(motion, segments, segment_count);
	}
	free(circles);
	free(segments);
	return good;
}

/* ---- ticks */

bool
world_motion_begin(struct world_motion *out, struct run_motion *motion, const struct world *world, double dt)
{
	*out = (struct world_motion){ .motion = motion, .tick = world_tick(world) };
	motion_begin(motion, out->tick, dt);
	motion->hash = world_hash(world);
	return shapes_compare(out, world);
}

void
world_motion_finish(struct world_motion *motion)
{
	free(motion->circles.rows);
	free(motion->walls.rows);
	free(motion->next.rows);
	*motion = (struct world_motion){ .motion = NULL };
}

void
world_motion_tick_begun(struct world_motion *motion, const struct world *world, bool edited)
{
	if (edited && !motion->failed)
		motion->failed = !shapes_compare(motion, world);
}

/* The first contact at that time or later: they are in order of time. */
static size_t
contact_at(const struct tick_report *report, double time)
{
	size_t low = 0, high = report->contact_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (report->contacts[middle].time < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* What a circle hit in the contact that begins a piece; of several at one time the last. */
static void
cause_find(const struct world_motion *motion, const struct tick_report *report, const struct path_piece *path,
           struct motion_piece *piece)
{
	for (size_t i = contact_at(report, path->time); i < report->contact_count && report->contacts[i].time <= path->time; i++) {
		const struct contact *contact = &report->contacts[i];
		bool with_wall = contact->other == CONTACT_SEGMENT, is_b = !with_wall && contact->b == path->body;
		if (contact->a != path->body && !is_b)
			continue;
		uint32_t other = is_b ? contact->a : contact->b;
		const struct world_motion_row *row = rows_find(with_wall ? &motion->walls : &motion->circles, other);
		piece->cause = (uint8_t)(!row ? PIECE_GOES_ON : with_wall ? PIECE_BY_WALL : PIECE_BY_CIRCLE);
		piece->other = row ? (uint32_t)row->row : 0;
	}
}

/* When the circle had its end in this tick; `until`: it had none. */
static double
end_find(const struct tick_report *report, uint32_t body, double start, double until)
{
	for (size_t i = 0; i < report->end_count; i++)
		if (report->ends[i].body == body)
			return start + report->ends[i].time;
	return until;
}

static bool
path_take(struct world_motion *motion, const struct tick_report *report, size_t i, double start, double stop)
{
	const struct path_piece *path = &report->paths[i], *next = i + 1 < report->path_count ? path + 1 : NULL;
	const struct world_motion_row *row = rows_find(&motion->circles, path->body);
	struct motion_piece piece = { .t = start + path->time,
		                          .x = path->position[0],
		                          .y = path->position[1],
		                          .vx = path->velocity[0],
		                          .vy = path->velocity[1],
		                          .ax = path->acceleration[0],
		                          .ay = path->acceleration[1] };
	if (!row)
		return true;
	double until = next && next->body == path->body ? start + next->time : end_find(report, path->body, start, stop);
	double spin = path->kind == PIECE_STANDS ? 0 : path->spin;
	const struct motion_track *track = &motion->motion->tracks[row->row];
	bool turns = track->turn_count > 0 || path->angle != 0 || spin != 0;
	cause_find(motion, report, path, &piece);
	return motion_piece_add(motion->motion, row->row, &piece, until) &&
	       (!turns || motion_turn_add(motion->motion, row->row, piece.t, path->angle, spin));
}

/* The rows of what is there still, and where that is now. */
static void
places_keep(struct world_motion *motion, const struct world *world)
{
	size_t count = world_body_count(world), kept = 0;
	for (size_t i = 0; i < motion->circles.count && kept < count; i++) {
		const struct body_state body = world_body(world, kept);
		struct world_motion_row *row = &motion->circles.rows[i];
		if (row->id == body.id)
			motion->circles.rows[kept++] = (struct world_motion_row){ row->id, row->row, body.x, body.y };
	}
	motion->circles.count = kept;
}

void
world_motion_tick_made(struct world_motion *motion, const struct world *world, const struct tick_report *report)
{
	struct run_motion *out = motion->motion;
	double start = seconds_now(motion), stop;
	if (motion->failed)
		return;
	motion->tick++;
	stop = seconds_now(motion);
	for (size_t i = 0; i < report->path_count && !motion->failed; i++)
		motion->failed = !path_take(motion, report, i, start, stop);
	for (size_t i = 0; i < report->end_count; i++) {
		const struct world_motion_row *row = rows_find(&motion->circles, report->ends[i].body);
		if (row)
			out->tracks[row->row].end = start + report->ends[i].time;
	}
	places_keep(motion, world);
	out->tick = motion->tick;
	out->hash = world_hash(world);
	out->contacts += report->collisions;
	out->duration = stop;
}
