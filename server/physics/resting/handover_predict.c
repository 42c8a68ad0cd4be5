/* What is predicted when a substep has made its paths. Happy path: all that moves is clear, and nothing is. What can go wrong:
 * memory (world->failed). */
#include "physics/prediction/predict.h"
#include "physics/resting/handover_private.h"
#include "physics/world/substep.h"

/* Whether some body could meet anything: a free one, or one that moves while others sleep. */
bool
world_stirs(const struct world *world)
{
	const struct awake *awake = &world->bodies.awake;
	uint32_t count = world->bodies.count;
	bool moving = false;

	/* handover_substep has already found this. */
	if (world->handover && world->handover->quiet && world->bodies.asleep_count == 0)
		return false;
	for (uint32_t i = awake_from(awake, 0, count); i < count && !pause_after(1); i = awake_from(awake, i + 1, count)) {
		if (!handover_clear(world, i))
			return true;
		moving = moving || world->bodies.infos[i].kind != BODY_STATIC;
	}
	return (moving || world->walls.moving_count > 0) && world->bodies.asleep_count > 0;
}

static bool
body_takes_part(const struct handover *handover, uint32_t i)
{
	return handover->active[i] && handover->bodies.inverse_mass[i] > 0.0;
}

/* Predicts the bodies that have taken part, each with all around it. */
static void
bodies_predict_all(struct world *world)
{
	struct mover_walk walk = movers_walk(world);

	while (movers_piece(&walk, 2 * LOOK_UNITS) && !world->failed)
		for (uint32_t i = mover_next(&walk); i != NONE && !pause_stopped(); i = mover_next(&walk))
			if (body_takes_part(world->handover, i)) {
				predict_body(world, i);
				world->report.cost.looks++;
			}
}

/* The same in a world of one level in which nothing sleeps, each pair once. */
static void
bodies_predict(struct world *world)
{
	const struct handover *handover = world->handover;
	struct predict_pass pass = { handover->active, handover->bodies.inverse_mass, false };
	struct mover_walk walk = movers_walk(world);
	uint32_t clear = 0, others = 0;

	while (movers_piece(&walk, 1))
		for (uint32_t i = mover_next(&walk); i != NONE; i = mover_next(&walk)) {
			bool part = body_takes_part(handover, i);

			clear += part && handover_clear(world, i);
			others += !part;
		}
	pass.free_look = others < clear;
	walk = movers_walk(world);
	while (movers_piece(&walk, 2 * LOOK_UNITS) && !world->failed)
		for (uint32_t i = mover_next(&walk); i != NONE && !pause_stopped(); i = mover_next(&walk))
			if (body_takes_part(handover, i))
				predict_passed(world, &pass, i);
			else if (pass.free_look && !handover_clear(world, i))
				predict_free(world, &pass, i);
}

void
handover_predict(struct world *world, unsigned substep)
{
	double time = substep_time(world, substep);

	if (!world_stirs(world)) {
		/* There is nothing to search for, and no query will read the cells. */
		world->grid.stale = true;
		return;
	}
	if (substep == 0 || world->grid.stale) {
		predict_all(world, time);
		return;
	}
	if (world->grid.level_count == 1 && world->bodies.asleep_count == 0)
		bodies_predict(world);
	else
		bodies_predict_all(world);
}
