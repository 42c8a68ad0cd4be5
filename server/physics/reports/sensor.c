/* Happy path: a tree is built over the boxes that sensors sweep in the tick, and every body queries it with its own box. The
 * bodies found, and those inside from before, are followed along their paths. What can go wrong: memory (world->failed). */
#include "physics/reports/sensor.h"

#include "base/memory.h"
#include "base/pause.h"
#include "physics/geometry/box_tree.h"
#include "physics/math/sort.h"
#include "physics/prediction/predict.h"
#include "physics/reports/walk.h"
#include "physics/world/collision_filter.h"

#include <math.h>
#include <string.h>

struct sensor_watch {
	uint32_t *sensors; /* bodies, then segments | PARTNER_SEGMENT */
	uint32_t sensor_count;
	struct box *boxes;    /* of each */
	struct box_tree tree; /* over them */
	bool dirty;           /* query for all bodies */
	struct tie *inside;   /* pairs that are inside, ascending */
	size_t inside_count, inside_capacity;
	struct tie *found; /* scratch: pairs that may be inside at some time of the tick */
	size_t found_count, found_capacity;
};

static bool
group_senses(const struct world *world, uint8_t group)
{
	return world->settings.relations && (world->settings.relations->sensing >> group & 1) != 0;
}

/* The groups that some circle's rule reports. */
static uint64_t
groups_reported(const struct world *world)
{
	uint64_t groups = 0;

	for (uint32_t i = 0; i < world->bodies.count && world->settings.rules && !pause_after(1); i++)
		groups |= world->bodies.rules[i].report_groups;
	return groups;
}

/* `reported`: groups_reported. What does not move detects those that report it. */
static bool
body_is_sensor_pair(const struct world *world, uint32_t body, uint64_t reported)
{
	const struct body_info *info = &world->bodies.infos[body];

	return info->sensor || group_senses(world, info->group) ||
	       (reported != 0 && (world->bodies.rules[body].report_groups != 0 ||
	                          (info->kind == BODY_STATIC && (reported >> info->group & 1) != 0)));
}

static bool
segment_senses(const struct world *world, uint32_t segment, uint64_t reported)
{
	uint8_t group = world->walls.segments[segment].group;

	return world->walls.segments[segment].sensor || group_senses(world, group) || (reported >> group & 1) != 0;
}

bool
senses_wanted(const struct world *world)
{
	uint64_t reported = groups_reported(world), groups = world->walls.groups;
	bool plain = reported == 0 && !world->settings.relations, found = world->walls.sensors;

	for (struct pause_piece p = { 0 }; !found && pause_piece_next(&p, world->bodies.count, 1);)
		for (uint32_t i = p.first; i < p.end && !found; i++)
			found = plain ? world->bodies.infos[i].sensor : body_is_sensor_pair(world, i, reported);
	return found || (world->settings.relations && (world->settings.relations->sensing & groups) != 0);
}

struct sensor_watch *
senses_create(const struct world *world)
{
	struct sensor_watch *sensor_watch = memory_zeroed(1, sizeof *sensor_watch);
	size_t most = (size_t)world->bodies.count + world->walls.segment_count;
	uint64_t reported = groups_reported(world);

	if (!sensor_watch)
		return NULL;
	sensor_watch->sensors = memory_alloc((most + 1) * sizeof *sensor_watch->sensors);
	if (!sensor_watch->sensors) {
		senses_destroy(sensor_watch);
		return NULL;
	}
	for (uint32_t i = 0; i < world->bodies.count && !pause_after(1); i++)
		if (body_is_sensor_pair(world, i, reported))
			sensor_watch->sensors[sensor_watch->sensor_count++] = i;
	for (uint32_t i = 0; i < world->walls.segment_count && !pause_after(1); i++)
		if (segment_senses(world, i, reported))
			sensor_watch->sensors[sensor_watch->sensor_count++] = i | PARTNER_SEGMENT;
	sensor_watch->boxes = memory_alloc(((size_t)sensor_watch->sensor_count + 1) * sizeof *sensor_watch->boxes);
	sensor_watch->dirty = true;
	if (!sensor_watch->boxes) {
		senses_destroy(sensor_watch);
		return NULL;
	}
	return sensor_watch;
}

void
senses_destroy(struct sensor_watch *sensor_watch)
{
	if (!sensor_watch)
		return;
	box_tree_finish(&sensor_watch->tree);
	memory_free(sensor_watch->sensors);
	memory_free(sensor_watch->boxes);
	memory_free(sensor_watch->inside);
	memory_free(sensor_watch->found);
	memory_free(sensor_watch);
}

size_t
senses_memory_bytes(const struct sensor_watch *sensor_watch)
{
	return sensor_watch
	           ? sizeof *sensor_watch +
	                 sensor_watch->sensor_count * (sizeof *sensor_watch->sensors + sizeof *sensor_watch->boxes) +
	                 box_tree_memory_bytes(&sensor_watch->tree) + sensor_watch->inside_capacity * sizeof *sensor_watch->inside +
	                 sensor_watch->found_capacity * sizeof *sensor_watch->found
	           : 0;
}

void
sensor_watch_requery(struct sensor_watch *sensor_watch)
{
	sensor_watch->dirty = true;
}

static bool
body_stands(const struct world *world, uint32_t body)
{
	const struct body *path = &world->bodies.paths[body];

	return world->watch->first[body] == NONE && path->vx == 0.0 && path->vy == 0.0 && path->ax == 0.0 && path->ay == 0.0;
}

static bool
sensor_stands(const struct world *world, uint32_t sensor)
{
	return sensor & PARTNER_SEGMENT ? !world->walls.segments[sensor & ~PARTNER_SEGMENT].moving : body_stands(world, sensor);
}

/* The box of a body in the whole tick, with room for rounding. */
static struct box
body_box(const struct world *world, uint32_t body)
{
	struct grid_box centre = watch_box(world, body);
	double room = world->bodies.paths[body].radius * 1.0001 +
	              4.0 * SKIN_PER_COORDINATE *
	                  (larger(fabs(centre.x0), fabs(centre.x1)) + larger(fabs(centre.y0), fabs(centre.y1)));

	return (struct box){ centre.x0 - room, centre.y0 - room, centre.x1 + room, centre.y1 + room };
}

static struct box
sensor_box(const struct world *world, uint32_t sensor)
{
	if (!(sensor & PARTNER_SEGMENT))
		return body_box(world, sensor);

	const struct segment *s = &world->walls.segments[sensor & ~PARTNER_SEGMENT];

	double x = s->vx * world->step.dt, y = s->vy * world->step.dt, room = s->radius + (s->moving ? s->rounding : 0.0);

	return (struct box){ lesser(s->x1, s->x2) - room + lesser(x, 0.0), lesser(s->y1, s->y2) - room + lesser(y, 0.0),
		                 larger(s->x1, s->x2) + room + larger(x, 0.0), larger(s->y1, s->y2) + room + larger(y, 0.0) };
}

/* The tree for this tick; *still is set to whether no sensor moves. */
static bool
tree_make(const struct world *world, struct sensor_watch *sensor_watch, bool *still)
{
	*still = true;
	for (uint32_t k = 0; k < sensor_watch->sensor_count && *still && !pause_after(2); k++)
		*still = sensor_stands(world, sensor_watch->sensors[k]);
	if (*still && !sensor_watch->dirty)
		return true;
	for (uint32_t k = 0; k < sensor_watch->sensor_count && !pause_after(2); k++)
		sensor_watch->boxes[k] = sensor_box(world, sensor_watch->sensors[k]);
	box_tree_finish(&sensor_watch->tree);
	if (box_tree_build(&sensor_watch->tree, sensor_watch->boxes, sensor_watch->sensor_count))
		return true;
	sensor_watch->tree = (struct box_tree){ 0 };
	return false;
}

struct seeker {
	struct world *world;
	uint32_t body;
};

static bool
sensor_found(void *context, uint32_t index)
{
	struct seeker *seeker = context;
	struct world *world = seeker->world;
	struct sensor_watch *sensor_watch = world->watch->sensor_watch;
	uint32_t a = seeker->body, b = sensor_watch->sensors[index];

	if (b & PARTNER_SEGMENT) {
		if (body_meeting_segment(world, &world->bodies.infos[a], &world->walls.segments[b & ~PARTNER_SEGMENT]) != MEET_SENSOR)
			return true;
	} else if (a == b || bodies_meeting(world, a, b) != MEET_SENSOR || !body_sees(world, b, a)) {
		return true;
	}
	if (!array_reserve(&sensor_watch->found, &sensor_watch->found_capacity, sensor_watch->found_count + 1,
	                   sizeof *sensor_watch->found)) {
		world->failed = true;
		return false;
	}
	sensor_watch->found[sensor_watch->found_count++] = (struct tie){ a, b };
	return true;
}

static int
tie_compare(const void *left, const void *right)
{
	const struct tie *l = left, *r = right;

	if (l->a != r->a)
		return l->a < r->a ? -1 : 1;
	return l->b < r->b ? -1 : l->b > r->b;
}

/* All pairs that may be inside at some time of the tick, and those that were inside before it: ascending, each once. */
static bool
pairs_find(struct world *world, struct sensor_watch *sensor_watch)
{
	bool still;
	size_t kept = 0;

	sensor_watch->found_count = 0;
	if (!tree_make(world, sensor_watch, &still) || !array_reserve(&sensor_watch->found, &sensor_watch->found_capacity,
	                                                              sensor_watch->inside_count + 1, sizeof *sensor_watch->found))
		return false;
	for (; sensor_watch->found_count < sensor_watch->inside_count && !pause_after(1); sensor_watch->found_count++)
		sensor_watch->found[sensor_watch->found_count] = sensor_watch->inside[sensor_watch->found_count];
	for (uint32_t i = 0; i < world->bodies.count && !pause_after(4); i++) {
		if (world->bodies.infos[i].kind == BODY_STATIC || (still && !sensor_watch->dirty && body_stands(world, i)))
			continue;

		const struct box box = body_box(world, i);

		if (!box_tree_query(&sensor_watch->tree, &box, sensor_found, &(struct seeker){ world, i }))
			return false;
	}
	if (sensor_watch->found_count > 1)
		array_sort(sensor_watch->found, sensor_watch->found_count, sizeof *sensor_watch->found, tie_compare);
	for (size_t k = 0; k < sensor_watch->found_count && !pause_after(1); k++)
		if (kept == 0 || tie_compare(&sensor_watch->found[kept - 1], &sensor_watch->found[k]) != 0)
			sensor_watch->found[kept++] = sensor_watch->found[k];
	sensor_watch->found_count = kept;
	sensor_watch->dirty = false;
	return true;
}

/* 64 ulp of the coordinates of a path in this tick: more than the rounding of its places and of the reported times. */
static double
path_rounding(const struct world *world, const struct body *path)
{
	double speed = fabs(path->vx) + fabs(path->vy) + (fabs(path->ax) + fabs(path->ay)) * world->step.dt;

	return (larger(fabs(path->x), fabs(path->y)) + speed * world->step.dt) * SKIN_PER_COORDINATE;
}

/* The hysteresis of an interval: rounding alone never makes the state flicker, and each event is later than the one before. */
static double
walk_rounding(const struct walk *walk)
{
	return larger(path_rounding(walk->world, walk->a),
	              walk->b ? path_rounding(walk->world, walk->b)
	                      : walk->world->walls.segments[walk->tie.b & ~PARTNER_SEGMENT].rounding);
}

/* Follows a pair through the tick; returns whether it is inside at the end. */
static bool
pair_follow(struct world *world, struct tie tie, bool inside)
{
	double until = tie_end(world, tie), radii = tie_radii(world, tie);
	struct walk walk = walk_begin(world, tie, 0.0, until);

	while (walk_next(&walk) && !world->failed) {
		double rounding = walk_rounding(&walk);
		double time = walk_crossing(&walk, inside ? radii + rounding : radii, inside);

		if (!(time < (double)INFINITY))
			continue;

		struct pair_event event = tie_event(world, tie, time, inside ? PAIR_EVENT_EXIT : PAIR_EVENT_ENTER);

		watch_report(world, &event, TOLD_PATH, 0);
		inside = !inside;
		walk.time = time;
		/* The rest of the interval, from there on. */
		if (!(time > walk.start))
			walk.time = walk.start;
	}
	if (inside && tie_is_over(world, tie) && !world->failed) {
		struct pair_event event = tie_event(world, tie, until, PAIR_EVENT_EXIT);

		watch_report(world, &event, TOLD_PATH, 0);
		return false;
	}
	return inside;
}

static bool
was_inside(const struct sensor_watch *sensor_watch, size_t *next, struct tie tie)
{
	while (*next < sensor_watch->inside_count && tie_compare(&sensor_watch->inside[*next], &tie) < 0 && !pause_after(1))
		++*next;
	return *next < sensor_watch->inside_count && tie_compare(&sensor_watch->inside[*next], &tie) == 0;
}

void
senses_finish(struct world *world)
{
	struct sensor_watch *sensor_watch = world->watch->sensor_watch;
	size_t next = 0, kept = 0;

	if (!pairs_find(world, sensor_watch)) {
		world->failed = true;
		return;
	}
	for (size_t k = 0; k < sensor_watch->found_count && !world->failed && !pause_after(FOLLOW_UNITS); k++) {
		struct tie tie = sensor_watch->found[k];

		if (pair_follow(world, tie, was_inside(sensor_watch, &next, tie)))
			sensor_watch->found[kept++] = tie;
	}

	struct tie *inside = sensor_watch->found;
	size_t capacity = sensor_watch->found_capacity;

	sensor_watch->found = sensor_watch->inside;
	sensor_watch->found_capacity = sensor_watch->inside_capacity;
	sensor_watch->inside = inside;
	sensor_watch->inside_capacity = capacity;
	sensor_watch->inside_count = kept;
}

size_t
senses_sensor_count(const struct sensor_watch *sensor_watch)
{
	return sensor_watch ? sensor_watch->sensor_count : 0;
}

size_t
senses_count(const struct sensor_watch *sensor_watch)
{
	return sensor_watch ? sensor_watch->inside_count : 0;
}

struct tie
senses_at(const struct sensor_watch *sensor_watch, size_t index)
{
	return sensor_watch->inside[index];
}

bool
senses_add(struct sensor_watch *sensor_watch, struct tie tie)
{
	if (!array_reserve(&sensor_watch->inside, &sensor_watch->inside_capacity, sensor_watch->inside_count + 1,
	                   sizeof *sensor_watch->inside))
		return false;
	sensor_watch->inside[sensor_watch->inside_count++] = tie;
	return true;
}

bool
senses_requery(const struct sensor_watch *sensor_watch)
{
	return sensor_watch && sensor_watch->dirty;
}

void
senses_write(const struct sensor_watch *sensor_watch, struct tie *out)
{
	if (sensor_watch->inside_count > 0)
		memcpy(out, sensor_watch->inside, sensor_watch->inside_count * sizeof *out);
}

bool
senses_reserve(struct sensor_watch *sensor_watch, size_t count)
{
	return array_reserve(&sensor_watch->inside, &sensor_watch->inside_capacity, count, sizeof *sensor_watch->inside);
}

/* Whether no sensor ever moves, unless it is edited: then the tree is that of any tick. */
static bool
sensors_are_fixed(const struct world *world, const struct sensor_watch *sensor_watch)
{
	bool fixed = true;

	for (uint32_t k = 0; k < sensor_watch->sensor_count && fixed && !pause_after(2); k++) {
		uint32_t sensor = sensor_watch->sensors[k];

		fixed = sensor & PARTNER_SEGMENT ? !world->walls.segments[sensor & ~PARTNER_SEGMENT].moving
		                                 : world->bodies.infos[sensor].kind == BODY_STATIC;
	}
	return fixed;
}

void
senses_return(const struct world *world, const struct tie *in, size_t count, bool requery)
{
	struct sensor_watch *sensor_watch = world->watch->sensor_watch;

	if (count > 0)
		memcpy(sensor_watch->inside, in, count * sizeof *in);
	sensor_watch->inside_count = count;
	sensor_watch->dirty = sensor_watch->dirty || requery || !sensors_are_fixed(world, sensor_watch);
}
