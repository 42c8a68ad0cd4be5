/* A resolved cluster keeps clear of the walls that its members go along (rounding_drift.h). */
#include "physics/contact/cluster.h"
#include "physics/prediction/rounding_drift.h"

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

void
cluster_raise(struct cluster *cluster)
{
	for (size_t k = 0; k < cluster->pair_count; k++) {
		const struct pair *pair = &cluster->pairs[k];
		struct member *member = &cluster->members[pair->i];

		const struct body_info *info = &cluster->world->bodies.infos[member->body];

		/* Once a tick is enough, as each tick rounds a place once; more would push it about where there is no room. */
		if (pair->kind != EVENT_FACE || !(pair->distance - pair->radii < SINK_BELOW * pair->skin) || info->events != 0 ||
		    member->inverse_mass == 0.0 || member->join || info->mode == MODE_LED)
			continue;

		const struct body after = member_path(cluster, member);
		double raise = face_raise(&cluster->world->walls.segments[pair->segment], &after, pair->side, cluster->world->step.dt);

		member->primary = member->primary || raise > 0.0;
		member->x += raise * pair->nx;
		member->y += raise * pair->ny;
	}
}
