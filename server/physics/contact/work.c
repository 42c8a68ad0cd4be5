#include "physics/contact/work.h"

#include "physics/contact/cluster.h"
#include "physics/contact/park.h"
#include "physics/math/larger.h"
#include "physics/prediction/predict.h"
#include "physics/reports/sensor.h"
#include "physics/reports/watch.h"
#include "physics/world/wall_switch.h"

#include <math.h>

/* Of the units, which are upper bounds: what counts up to the next question (base/pause.h). */
#define PAUSE_PART 4u

/* The segments that are not disabled, WORK_WALLS at most. */
static uint32_t
walls_counted(const struct walls *walls)
{
	uint32_t count = 0;

	if (!walls->off)
		return walls->segment_count < WORK_WALLS ? walls->segment_count : WORK_WALLS;
	for (uint32_t i = 0; i < walls->segment_count && count < WORK_WALLS; i++)
		count += !wall_is_off(walls, i);
	return count;
}

/* Those of them that move. */
static uint32_t
moving_walls_counted(const struct walls *walls)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < walls->moving_count && count < WORK_WALLS; k++)
		count += !wall_is_off(walls, walls->moving[k]);
	return count;
}

void
work_begin(struct world *world)
{
	world->step.walls_counted = walls_counted(&world->walls);
	world->step.moving_walls_counted = moving_walls_counted(&world->walls);
	world->step.work = (struct work_meter){ .most = world->settings.work_per_tick_max +
		                                            world->settings.work_per_body_max * world->bodies.count };
}

static bool
member_is_bent(const struct world *world, const struct member *member)
{
	return member->ax != world->settings.gravity_x || member->ay != world->settings.gravity_y;
}

/* For a member's displacement since its last event. */
static inline uint64_t
member_crossings(const struct cluster *cluster, const struct member *member)
{
	double way = (fabs(member->before_x) + fabs(member->before_y)) *
	             (cluster->time - cluster->world->bodies.paths[member->body].t0);

	if (way <= WORK_CROSSING_RADII * member->radius)
		return 0;
	way /= WORK_CROSSING_RADII * member->radius;
	return way < WORK_CROSSINGS_MAX ? (uint64_t)way : WORK_CROSSINGS_MAX;
}

static bool
member_curves(const struct member *member)
{
	return member->ax != 0.0 || member->ay != 0.0;
}

/* What the members of a cluster have in common. */
struct member_terms {
	double others; /* bodies around, as counted */
	double way;    /* how far one may go before the tick ends */
	double moving; /* for moving walls */
	uint64_t crossing, walls, sensors;
};

/* The fraction of other bodies that a member may reach before the tick ends. */
static inline double
member_near(const struct member_terms *terms, const struct member *member)
{
	double way = terms->way, reach = WORK_NEAR_RADII * member->radius;

	return way < reach ? (way * way) / (reach * reach) : 1.0;
}

static uint64_t
bodies_counted(const struct world *world)
{
	return world->bodies.count < WORK_NEAR_BODIES ? world->bodies.count : WORK_NEAR_BODIES;
}

/* The bodies that a member's path is curved relative to. */
static double
bodies_bent(const struct world *world, const struct member *member, double others)
{
	if (member_is_bent(world, member))
		return others;
	return lesser(others, (double)world->settings.bent_bodies + world->step.led_bodies);
}

/* The work of a member's prediction. */
static inline uint64_t
member_predictions(const struct world *world, const struct member_terms *terms, const struct member *member)
{
	double bent = world->settings.gravity > 0.0 ? bodies_bent(world, member, terms->others) : 0.0;
	double near = terms->others * WORK_NEAR + bent * WORK_BENT + terms->moving;

	return (uint64_t)(member_near(terms, member) * near) + (member_is_bent(world, member) ? WORK_LEAVE : 0) + terms->walls;
}

/* The work of a path in the search for sensors. */
static uint64_t
path_senses(const struct world *world)
{
	size_t sensors = world->watch ? senses_sensor_count(world->watch->sensor_watch) : 0;

	return WORK_SENSOR * (sensors < WORK_SENSORS_MAX ? sensors : WORK_SENSORS_MAX);
}

static inline struct member_terms
member_terms(const struct world *world, const struct cluster *cluster)
{
	uint64_t walls = world->step.walls_counted, moving = world->step.moving_walls_counted;
	double left = world->step.dt - cluster->time;

	return (struct member_terms){
		.others = (double)bodies_counted(world),
		.way = left * (cluster->speed_scale + left * world->settings.gravity),
		.moving = (double)(moving * WORK_WALL_MOVING),
		.crossing = WORK_CROSSING + walls / WORK_CROSSING_WALLS + WORK_CROSSING_MOVING * moving,
		.walls = walls * (world->settings.gravity > 0.0 ? WORK_WALL_BENT : WORK_WALL),
		.sensors = path_senses(world),
	};
}

uint64_t
cluster_units(const struct world *world, const struct cluster *cluster)
{
	const struct member_terms terms = member_terms(world, cluster);
	uint64_t units = cluster->member_count > 2 ? WORK_MEMBER * (cluster->member_count - 2) : 0;

	units += WORK_CROWD * bodies_counted(world) / WORK_CROWD_BODIES;
	for (size_t k = 0; k < cluster->member_count; k++) {
		const struct member *member = &cluster->members[k];

		if (!(member->inverse_mass > 0.0))
			continue;

		uint64_t crossings = member_crossings(cluster, member);

		units += terms.sensors + member_predictions(world, &terms, member);
		if (crossings > 0)
			units += (terms.crossing + (member_curves(member) ? WORK_CROSSING_BENT : 0)) * crossings;
	}
	return units;
}

void
units_note(uint64_t units)
{
	(void)pause_after((uint32_t)(units / PAUSE_PART));
}

bool
cluster_pay(struct world *world, const struct cluster *cluster)
{
	uint64_t units = cluster_units(world, cluster);

	units_note(units);
	return work_take(&world->step.work, units);
}

static void
body_cut(struct world *world, uint32_t body, double time)
{
	struct body_info *info = &world->bodies.infos[body];

	if (info->kind != BODY_DYNAMIC || mode_halts(info->mode))
		return;
	body_touch(world, body);
	info->events++;
	body_park(world, body, time, MODE_PARKED);
}

void
event_cut(struct world *world, const struct event *event)
{
	body_cut(world, event->a, event->time);
	if (event->kind == EVENT_CIRCLES)
		body_cut(world, event->b, event->time);
	predict_body(world, event->a);
	if (event->kind == EVENT_CIRCLES)
		predict_body(world, event->b);
}
