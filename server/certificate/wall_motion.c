#include "certificate/wall_motion.h"
#include "certificate/cert_problem.h"

#include <inttypes.h>

/* The sum of a wall's movements is rounded in every tick; a checker that begins in the middle of a run does not know it. */
static double
place_slop(const struct cert_wall *wall, uint64_t ticks)
{
	return 0x1p-51 * (4 + (double)ticks) *
	       (cert_max(cert_reach(wall->end_1), cert_reach(wall->end_2)) + cert_reach(wall->moved));
}

static void
told_take(struct cert_wall *wall, const struct certificate_place *place, struct certificate_report *report)
{
	struct cert_vec p1 = { place->x1, place->y1 }, p2 = { place->x2, place->y2 };
	double off = cert_max(cert_reach(cert_sub(p1, wall->end_1)), cert_reach(cert_sub(p2, wall->end_2)));

	if (!(off <= place_slop(wall, report->ticks))) {
		cert_problem_jump(report, off / wall->length, "segment %" PRIu32 " is told to be %.3g from where it moved to", wall->id,
		                  off);
	}
	wall->end_1 = p1;
	wall->end_2 = p2;
}

static void
wall_begin(struct cert_wall *wall, double dt)
{
	wall->moved = cert_along(wall->moved, dt, wall->v);
	wall->end_1 = cert_add(wall->home_1, wall->moved);
	wall->end_2 = cert_add(wall->home_2, wall->moved);
}

void
cert_walls_begin(struct cert_shapes *shapes, const struct certificate_tick *tick, struct certificate_report *report)
{
	size_t next = 0;

	for (size_t k = 0; k < shapes->moving_count; k++) {
		struct cert_wall *wall = &shapes->walls[shapes->moving[k]];

		wall_begin(wall, tick->dt);
		if (tick->places_told && next < tick->place_count && tick->places[next].id == wall->id)
			told_take(wall, &tick->places[next++], report);
		else if (tick->places_told)
			cert_problem_jump(report, 1, "segment %" PRIu32 " moves, and is not told where to", wall->id);
		/* The skin counts where it was defined as well. */
		wall->reach = cert_max(cert_max(cert_max(cert_reach(wall->p1), cert_reach(wall->p2)),
		                                cert_max(cert_reach(wall->end_1), cert_reach(wall->end_2))),
		                       cert_max(cert_reach(wall->home_1), cert_reach(wall->home_2)));
		wall->slop = 0x1p-50 * wall->reach;
	}
	if (next < tick->place_count)
		cert_problem_jump(report, 1, "segment %" PRIu32 " is told to move, which it does not", tick->places[next].id);
}

void
cert_walls_finish(struct cert_shapes *shapes)
{
	for (size_t k = 0; k < shapes->moving_count; k++) {
		struct cert_wall *wall = &shapes->walls[shapes->moving[k]];

		wall->p1 = wall->end_1;
		wall->p2 = wall->end_2;
	}
}
