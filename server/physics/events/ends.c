/* Happy path: a path ends, and another that stands still begins at the same place. What can go wrong: memory
 * (world->failed). */
#include "physics/events/ends.h"

#include "physics/broadphase/look.h"
#include "physics/contact/cluster.h"
#include "physics/contact/park.h"
#include "physics/math/sort.h"
#include "physics/prediction/predict_private.h"
#include "physics/reports/watch.h"
#include "physics/resting/handover.h"
#include "physics/world/body_rule.h"
#include "physics/world/ignored_circle.h"
#include "physics/world/ledger.h"
#include "physics/world/report.h"
#include "physics/world/skins.h"
#include "physics/world/substep.h"

#include <stdlib.h>

void
body_end(struct world *world, uint32_t body, double time, enum end_reason reason)
{
	path_halt(world, body, time, MODE_GONE);
	end_report(world, time, body, reason);
	handover_leave(world, body);
	followers_release(world, body, time);
}

void
body_stop(struct world *world, uint32_t body, double time)
{
	path_halt(world, body, time, MODE_STOPPED);
	path_change_report(world, time, body, PATH_STOPPED, 0.0, 0.0);
	followers_release(world, body, time);
}

void
body_go_on(struct world *world, uint32_t body, double time)
{
	struct body *path = &world->bodies.paths[body];
	struct body_info *info = &world->bodies.infos[body];
	double gravity[2];

	body_touch(world, body);
	if (world->watch)
		watch_path_end(world, body, time);
	body_gravity(world, body, gravity);
	path->vx = info->kept_vx;
	path->vy = info->kept_vy;
	path->ax = info->kind == BODY_DYNAMIC ? gravity[0] : 0.0;
	path->ay = info->kind == BODY_DYNAMIC ? gravity[1] : 0.0;
	path->t0 = time;
	world->bodies.marks[body].epoch++;
	info->support = NONE;
	info->mode = MODE_MOVING;
	info->released = time;
	info->events++;
	path_change_report(world, time, body, PATH_RELEASED, info->kept_vx, info->kept_vy);
	predict_body(world, body);
}

void
fates_write(struct world *world, struct cluster *cluster)
{
	for (size_t k = 0; k < cluster->member_count; k++) {
		struct member *member = &cluster->members[k];

		if (member->fate == FATE_NONE)
			continue;
		/* A stop that changes no velocity is an event, too. */
		if (member->fate == FATE_STOP && !member->primary)
			world->bodies.infos[member->body].events++;
		member->primary = member->fate == FATE_STOP;
		/* Where the cluster was cut short its velocity is not that of the laws, which this tells. */
		if (member->park && member->inverse_mass > 0.0)
			body_park(world, member->body, cluster->time, MODE_PARKED);
		else if (member->fate == FATE_STOP)
			body_stop(world, member->body, cluster->time);
		if (member->fate == FATE_REMOVE)
			body_end(world, member->body, cluster->time, END_CONTACT);
	}
}

/* The event computes the path of what rests on it anew. */
static void
follower_release(struct world *world, uint32_t other, uint32_t body, double time)
{
	if (world->bodies.infos[other].mode != MODE_MOVING || world->bodies.infos[other].inverse_mass == 0.0 ||
	    !supported_by(world, other, EVENT_CIRCLES, body))
		return;
	event_push(world, &(struct event){
						  .time = time,
						  .a = other,
						  .b = other,
						  .order = other,
						  .kind = EVENT_SUPPORT_END,
						  .side = 1,
						  .epoch_a = world->bodies.marks[other].epoch,
					  });
}

void
followers_release(struct world *world, uint32_t body, double time)
{
	const struct body *path = &world->bodies.paths[body];
	const struct grid_box box = { path->x, path->y, path->x, path->y };

	/* Otherwise nothing rests on anything, or nothing more will happen. */
	if (world->scratch.support_count == 0 || !(time < world->step.dt))
		return;
	struct grid_look look = look_near(world, body, &box);
	for (uint32_t cell = grid_look_next(&look); cell != NONE; cell = grid_look_next(&look))
		for (uint32_t place = world->grid.heads[cell]; place != NONE && !pause_after(2);
		     place = grid_onward(&world->grid, place))
			follower_release(world, grid_body(place), body, time);
}

/* What a circle that ends had in the ledgers. */
static struct ledger_sums
end_sums(const struct world *world, uint32_t body, const struct body_end *end)
{
	const struct body_info *info = &world->bodies.infos[body];
	const struct body last = { .x = end->position[0], .y = end->position[1], .vx = end->velocity[0], .vy = end->velocity[1] };
	struct ledger_sums sums = { 0 };

	if (info->kind != BODY_DYNAMIC)
		return sums;
	ledger_sums_path(&sums, world, &last, info->mass, info->gravity_scale);
	if (info->spin != 0.0)
		sums.kinetic += 0.5 * info->spin * info->spin / info->inverse_inertia;
	return sums;
}

/* Takes the energy and momentum that a circle has at its end out of the ledgers. */
static void
end_account(struct world *world, const struct body_end *end)
{
	struct ledger_sums sums = end_sums(world, world_circle_index(world, end->body), end);

	world->report.energy.removed -= sums.kinetic + sums.potential;
	ledger_momentum_add(world->report.momentum.outside, -1.0, sums.momentum[0], sums.momentum[1]);
}

static bool
bounds_hold(const struct world *world, const struct body *body)
{
	const double *bounds = world->settings.bounds;

	return body->x >= bounds[0] && body->y >= bounds[1] && body->x <= bounds[2] && body->y <= bounds[3];
}

void
bounds_apply(struct world *world, struct ledger_sums *left)
{
	for (uint32_t i = 0; i < world->bodies.count && world->settings.has_bounds && !world->failed && !pause_after(2); i++) {
		const struct body *body = &world->bodies.paths[i];

		if (world->bodies.infos[i].kind == BODY_STATIC || world->bodies.infos[i].mode == MODE_GONE || bounds_hold(world, body))
			continue;
		end_report(world, world->step.dt, i, END_BOUNDS);
		if (world->failed)
			return;

		struct body_end *end = &world->report.ends[world->report.end_count - 1];

		end->position[0] = body->x, end->position[1] = body->y;
		end->velocity[0] = body->vx, end->velocity[1] = body->vy;

		const struct ledger_sums own = end_sums(world, i, end);

		ledger_sums_add(left, &own);
	}
}

static int
end_compare(const void *left, const void *right)
{
	const struct body_end *l = left, *r = right;

	if (l->time != r->time)
		return l->time < r->time ? -1 : 1;
	return l->body < r->body ? -1 : l->body > r->body;
}

void
ends_finish(struct world *world)
{
	struct tick_rows *rows = &world->report;

	if (rows->end_count > 1)
		array_sort(rows->ends, rows->end_count, sizeof *rows->ends, end_compare);
	for (size_t k = 0; k < rows->end_count && !pause_after(16); k++)
		end_account(world, &rows->ends[k]);
}
