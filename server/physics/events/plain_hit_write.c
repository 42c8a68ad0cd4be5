/* Happy path: one contact, and two new paths, predicted among the neighbours that are known. What can go wrong: memory
 * (world->failed). */
#include "physics/events/plain_hit_write.h"

#include "physics/events/contact_rows.h"
#include "physics/prediction/neighbours.h"
#include "physics/prediction/predict_private.h"
#include "physics/reports/watch.h"
#include "physics/world/ledger.h"

/* Ends a member's path and begins the next. Its change of energy is the result. */
static inline double
path_replace(struct world *world, const struct cluster *cluster, const struct member *member)
{
	struct body *path = &world->bodies.paths[member->body];
	struct body_info *info = &world->bodies.infos[member->body];
	const two velocity = two_load(&member->vx), earlier = two_load(&member->before_x), sum = velocity + earlier;
	const two after = velocity * velocity, before = earlier * earlier, change = (velocity - earlier) * sum;
	double duration = cluster->time - path->t0;

	ledger_free_end(world, info->mass, duration, (const double[]){ path->ax, path->ay });
	if (world->watch)
		watch_path_end(world, member->body, cluster->time);
	info->angle += info->spin * duration;
	two_store(&path->x, two_load(&member->x));
	two_store(&path->vx, velocity);
	two_store(&path->ax, two_load(&member->ax));
	path->t0 = cluster->time;
	info->events++;
	info->fastest = larger(info->fastest, larger(before[0] + before[1], after[0] + after[1]));
	world->bodies.marks[member->body].epoch++;
	world->bodies.marks[member->body].is_free = 1;
	return 0.5 * info->mass * (change[0] + change[1]);
}

void
plain_hit_write(struct world *world, const struct cluster *cluster)
{
	const struct member *members = cluster->members;
	uint32_t a = members[0].body, b = members[1].body;

	contact_report(world, cluster, &cluster->pairs[0]);
	hits_remember(world, cluster, &cluster->pairs[0]);
	/* As ledger_cluster. */
	double first = path_replace(world, cluster, &members[0]);

	world->report.energy.contact += first + path_replace(world, cluster, &members[1]);
	predict_among(world, a, cluster->neighbours, cluster->around[0]);
	predict_among(world, b, cluster->neighbours, cluster->around[1]);
	predict_again(world, a, b);
}
