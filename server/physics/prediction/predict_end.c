/* Happy path: when a path that a wall's end supports must be computed anew, because it has left the end or would gain energy
 * from the end's force. What can go wrong: the queue finds no memory (world->failed, the tick fails). */
#include "physics/prediction/predict_private.h"
#include "physics/world/material.h"
#include "physics/world/spoke.h"

#include <math.h>

/* Fraction of a path's duration: more than the rounding of its end. */
#define END_PART 0x1p-50

/* With restitution 1 the force of a vertex does no work in total up to this time (resting_contact.c, force_turn); after it, it
 * would. */
static double
turn_end(const struct world *world, uint32_t body, const struct body *path, uint32_t index)
{
	const struct spoke *spoke = vertex_touched(world, &world->bodies.infos[body], path, index, path->x, path->y);
	double gravity[2];

	if (!spoke || world->scratch.supports[world->bodies.infos[body].support].next != NONE)
		return (double)INFINITY;

	const struct material material = material_of_wall(world, body, &world->walls.segments[spoke->segment]);

	body_gravity(world, body, gravity);

	double fx = path->ax - gravity[0], fy = path->ay - gravity[1];
	double time = -2.0 * (fx * path->vx + fy * path->vy) / (fx * path->ax + fy * path->ay);

	return material.restitution == 1.0 && material.friction == 0.0 && time > 0.0 ? time : (double)INFINITY;
}

/* A vertex supports a path as long as the path stays near it. */
void
predict_vertex_leave(struct world *world, uint32_t body, const struct body *path, uint32_t index)
{
	const struct vertex *vertex = &world->walls.vertices[index];
	struct relative r = { path->x - vertex->x, path->y - vertex->y, path->vx, path->vy, path->ax, path->ay };
	double radii = path->radius + vertex->radius, distance = sqrt(r.dx * r.dx + r.dy * r.dy);
	double end = path_end(world, body), leave = toi_leave(&r, leaving_distance(radii, distance), end - path->t0);
	const struct spoke *spoke = &world->walls.spokes[vertex->first_spoke];

	leave = fmin(leave, turn_end(world, body, path, index));
	/* At the tick's end it is computed anew in any case. */
	if (leave < (end - path->t0) * (1.0 - END_PART))
		event_push(world, &(struct event){
							  .time = fmin(path->t0 + leave, end),
							  .a = body,
							  .b = spoke->segment,
							  .order = spoke->segment,
							  .kind = EVENT_SUPPORT_END,
							  .side = 1,
							  .epoch_a = world->bodies.marks[body].epoch,
						  });
}
