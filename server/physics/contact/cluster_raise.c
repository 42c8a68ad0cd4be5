/* Keeps a resolved cluster clear of the walls that its members move along (rounding_drift.h). */
#include "physics/contact/cluster.h"
#include "physics/prediction/rounding_drift.h"

/* Fraction of a raise (2 ulp) by which it may lead towards something else. */
#define RAISE_SQUARE 0x1p-6

/* The path of a member after the event. */
static struct body
member_path(const struct cluster *cluster, const struct member *member)
{
	return (struct body){
		.x = member->x,
		.y = member->y,
		.vx = member->vx,
		.vy = member->vy,
		.ax = member->ax,
		.ay = member->ay,
		.radius = member->radius,
		.t0 = cluster->time,
	};
}

/* Whether something may be raised: once a tick, which rounds a place once, and by each event of its own, as each rounds it once
 * more. Where two circles that slide along a wall hold each other by forces that are rounding, there are tens a tick. */
static bool
member_rises(const struct cluster *cluster, const struct member *member)
{
	const struct body_info *info = &cluster->world->bodies.infos[member->body];

	return (info->events == 0 || member->primary) && member->inverse_mass > 0.0 && !member->join && info->mode != MODE_LED;
}

/* How far a side of a pair must be raised from the other. */
static double
pair_raise(const struct cluster *cluster, const struct pair *pair, uint32_t side)
{
	const struct world *world = cluster->world;
	const struct member *i = &cluster->members[pair->i];

	if (!(pair->distance - pair->radii < DRIFT_BELOW * pair->skin))
		return 0.0;

	const struct body after = member_path(cluster, i);

	if (pair->kind == EVENT_FACE)
		return face_raise(&world->walls.segments[pair->segment], &after, pair->side, world->step.dt);
	if (pair->kind != EVENT_CIRCLES)
		return 0.0;

	const struct body other = member_path(cluster, &cluster->members[pair->j]);

	const struct body_info *infos = world->bodies.infos;
	bool driven = infos[i->body].mode == MODE_LED || infos[cluster->members[pair->j].body].mode == MODE_LED;

	return circles_raise(&after, &other, side == pair->j, driven, world->step.dt);
}

/* Whether a member may be raised by (x, y). The raise may use up at most half of the gap to anything else that touches the
 * member. Or it may push into a circle, but no deeper than `deepest`, which is how deep the member is in what it is raised
 * from. So in a row without gaps each passes a raise on to the next, up to the row's end. Less than a fraction of an ulp
 * towards something is lost in rounding anyway: it is perpendicular to the raise. */
static bool
raise_has_room(const struct cluster *cluster, uint32_t member, double x, double y, double deepest)
{
	double least = -RAISE_SQUARE * (fabs(x) + fabs(y));

	for (size_t k = 0; k < cluster->pair_count; k++) {
		const struct pair *pair = &cluster->pairs[k];
		double gap = pair->distance - pair->radii, rise = x * pair->nx + y * pair->ny;

		if (pair->j == member)
			rise = -rise;
		else if (pair->i != member)
			continue;
		bool passes = pair->kind == EVENT_CIRCLES && gap + rise >= deepest;

		if (rise < least && !(gap + rise >= 0.5 * gap && gap > 0.0) && !passes)
			return false;
	}
	return true;
}

/* The least gap, if negative, of those from which a member must be raised. */
static double
deepest_raised(const struct cluster *cluster, uint32_t index)
{
	double deepest = 0.0;

	for (size_t k = 0; k < cluster->pair_count; k++) {
		const struct pair *pair = &cluster->pairs[k];
		double gap = pair->distance - pair->radii;

		if ((pair->i == index || pair->j == index) && gap < deepest && pair_raise(cluster, pair, index) > 0.0)
			deepest = gap;
	}
	return deepest;
}

static void
member_raise(struct cluster *cluster, uint32_t index)
{
	struct member *member = &cluster->members[index];
	double x = 0.0, y = 0.0, deepest = deepest_raised(cluster, index);

	for (size_t k = 0; k < cluster->pair_count; k++) {
		const struct pair *pair = &cluster->pairs[k];

		if (pair->i != index && pair->j != index)
			continue;

		double raise = pair_raise(cluster, pair, index);

		/* Between two, a member in a row is raised from the deeper one. */
		if (deepest < 0.0 && pair->distance - pair->radii > deepest + raise)
			continue;
		raise = pair->i == index ? raise : -raise;
		x += raise * pair->nx;
		y += raise * pair->ny;
	}
	if ((x == 0.0 && y == 0.0) || !raise_has_room(cluster, index, x, y, deepest))
		return;
	member->primary = true;
	member->x += x;
	member->y += y;
}

void
cluster_raise(struct cluster *cluster)
{
	bool any = false;

	for (size_t k = 0; k < cluster->pair_count && !any; k++)
		any = pair_raise(cluster, &cluster->pairs[k], cluster->pairs[k].j) > 0.0;
	for (uint32_t k = 0; k < cluster->member_count && any; k++)
		if (member_rises(cluster, &cluster->members[k]))
			member_raise(cluster, k);
}
