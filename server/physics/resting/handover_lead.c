/* Bodies on their way to the rest solver and back, in each substep. Happy path: nothing happened to a body since the substep
 * before, and a few cache lines are read and written. */
#include "physics/math/larger.h"
#include "physics/reports/watch.h"
#include "physics/resting/handover_private.h"
#include "physics/world/ledger.h"
#include "physics/world/report.h"
#include "physics/world/substep.h"

#include <math.h>

static inline uint8_t
body_substep(const struct body_info *info)
{
	if (info->inverse_mass == 0.0)
		return info->mode != MODE_GONE;
	if (mode_halts(info->mode) || info->mode == MODE_ASLEEP)
		return 0;
	return (info->handover & HANDOVER_LED) != 0 ? SOLVER_LED : info->handover != 0;
}

/* Whether it is movable and takes part. */
static inline bool
body_offer(const struct world *world, struct handover *handover, uint32_t i, double time)
{
	size_t count = (size_t)world->bodies.count + 1;
	double *c = handover->columns;
	const struct body_info *info = &world->bodies.infos[i];
	struct body_place at = body_place_at(&world->bodies.paths[i], time);

	if (info->mode == MODE_LED)
		at.velocity = two_load(&info->kept_vx);
	c[i] = at.position[0];
	c[count + i] = at.position[1];
	c[5 * count + i] = at.velocity[0];
	c[6 * count + i] = at.velocity[1];
	c[7 * count + i] = info->spin;
	handover->active[i] = body_substep(info);
	handover->kinetic[i] = body_kinetic(info, at.velocity, info->spin);
	return handover->active[i] != 0 && info->inverse_mass > 0.0;
}

bool
bodies_offer(struct world *world, double time)
{
	const struct awake *awake = &world->bodies.awake;
	struct handover *handover = world->handover;
	uint32_t count = world->bodies.count;
	bool any = false;

	if (handover->stills_offered && !awake->words) {
		for (struct pause_piece piece = { 0 }; pause_piece_next(&piece, handover->mover_count, BODY_UNITS);)
			for (uint32_t k = piece.first; k < piece.end; k++)
				any |= body_offer(world, handover, handover->movers[k], time);
		return any;
	}
	for (struct span s = awake_span(awake, 0, count); s.first < s.end; s = awake_span(awake, s.end, count))
		for (uint32_t i = s.first; i < s.end && !pause_after(BODY_UNITS); i++)
			any |= body_offer(world, handover, i, time);
	handover->stills_offered = true;
	return any;
}

/* What the paths of a substep add to the world's ledgers; kept apart while the paths are written. */
struct sums {
	double support, gravity[2];
};

static inline struct sums
sums_take(const struct world *world)
{
	return (struct sums){ world->report.energy.support,
		                  { world->report.momentum.gravity[0], world->report.momentum.gravity[1] } };
}

static inline void
sums_give(struct world *world, const struct sums *sums)
{
	world->report.energy.support = sums->support;
	world->report.momentum.gravity[0] = sums->gravity[0];
	world->report.momentum.gravity[1] = sums->gravity[1];
}

/* path_begin for a displacement, where ledger_path_end has a displacement before it to end, or nothing. */
static inline void
displacement_begin(struct world *world, uint32_t i, double time, const double gravity[2], two displacement, struct sums *sums)
{
	struct body *path = &world->bodies.paths[i];
	struct body_info *info = &world->bodies.infos[i];
	const struct solver_bodies *from = &world->handover->bodies;
	const two position = { from->x[i], from->y[i] };

	if (time != path->t0) {
		two way = position - two_load(&path->x);
		double potential = -(gravity[0] * way[0] + gravity[1] * way[1]);

		sums->support += info->mass * potential;
	}
	if (world->watch)
		watch_path_end(world, i, time);
	info->angle += info->spin * (time - path->t0);
	world->bodies.marks[i].epoch++;
	info->support = NONE;
	two_store(&path->x, position);
	two_store(&path->vx, displacement);
	path->ax = path->ay = 0.0;
	path->t0 = time;
}

static inline void
displacement_report(struct world *world, uint32_t i, double time, two displacement)
{
	if (world->report.path_change_count == world->report.path_change_capacity) {
		path_change_report(world, time, i, PATH_LED, displacement[0], displacement[1]);
		return;
	}
	world->report.path_changes[world->report.path_change_count++] = (struct path_change){
		.time = time,
		.body = world->handover->ids[i],
		.kind = PATH_LED,
		.vector = { displacement[0], displacement[1] },
	};
}

/* In which part of a substep a body must have stood still to hang in it. */
#define HANG_PART (1.0 - 0x1p-6)

/* body_info.hung for the substep that begins. A body hangs in a substep if it falls, but stands still from near the beginning
 * on, stopped by an event or by the solver's clip. It keeps the speed of a fall that it does not make, gravity adds to that,
 * and what stopped it is there again in the next one. */
static inline unsigned
body_hung(const struct world *world, uint32_t i, double time)
{
	const struct body *path = &world->bodies.paths[i];
	const struct body_info *info = &world->bodies.infos[i];

	if (path->vx != 0.0 || path->vy != 0.0 || time - path->t0 < world->handover->h * HANG_PART || !body_falls(world, info))
		return 0;
	return info->hung < HUNG_MOST ? info->hung + 1u : HUNG_MOST;
}

/* Takes the speed of a body that the clip has stopped in substep after substep: what holds it has taken that. */
static inline void
body_halt(struct world *world, const struct body_info *info, double velocity[2])
{
	ledger_momentum_add(world->report.momentum.outside, -info->mass, velocity[0], velocity[1]);
	velocity[0] = velocity[1] = 0.0;
}

static inline void
body_lead(struct world *world, uint32_t i, double time, struct sums *sums)
{
	const struct handover *handover = world->handover;
	const struct solver_bodies *from = &handover->bodies;
	struct body_info *info = &world->bodies.infos[i];
	two displacement = (two){ from->displacement_x[i], from->displacement_y[i] } / handover->h;
	double velocity[] = { from->vx[i], from->vy[i] }, spin = from->spin[i], gravity[2];
	unsigned hung = body_hung(world, i, time);

	if (hung >= hung_most(world) && displacement[0] == 0.0 && displacement[1] == 0.0)
		body_halt(world, info, velocity);
	body_gravity(world, i, gravity);
	sums->support += body_kinetic(info, two_load(velocity), spin) - handover->kinetic[i];
	if (info->mode == MODE_LED || world->bodies.paths[i].t0 == time) {
		body_touch(world, i);
		displacement_begin(world, i, time, gravity, displacement, sums);
	} else {
		sums_give(world, sums);
		path_begin(world, i, time, displacement[0], displacement[1], 0.0, 0.0);
		*sums = sums_take(world);
	}
	if (from->driven[i] != SOLVER_WAITS) {
		double mass = info->mass * handover->h;

		sums->gravity[0] += mass * gravity[0];
		sums->gravity[1] += mass * gravity[1];
	}
	info->mode = MODE_LED;
	info->handover = HANDOVER_LED;
	info->stands = 0;
	info->hung = hung & HUNG_MOST;
	info->steady = handover->steady[i] != 0;
	/* It turns by the mean of its spins: angles are made of the spin after. */
	if (info->steady)
		info->angle -= 0.5 * (spin - from->spin_before[i]) * handover->h;
	info->driven = info->shoved = false;
	info->kept_vx = velocity[0];
	info->kept_vy = velocity[1];
	info->spin = spin;
	info->fastest = larger(info->fastest, displacement[0] * displacement[0] + displacement[1] * displacement[1]);
	info->clear = handover->driven[i] == SOLVER_CLEAR ? world->bodies.marks[i].epoch : world->bodies.marks[i].epoch - 1;
	displacement_report(world, i, time, displacement);
}

static void
body_release(struct world *world, uint32_t i, double time)
{
	struct body_info *info = &world->bodies.infos[i];
	double gravity[2];

	body_gravity(world, i, gravity);
	path_begin(world, i, time, info->kept_vx, info->kept_vy, gravity[0], gravity[1]);
	info->mode = MODE_MOVING;
	info->driven = info->shoved = false;
	info->released = time;
	path_change_report(world, time, i, PATH_RELEASED, info->kept_vx, info->kept_vy);
}

/* Whether a driven body may come to most of the others in the rest of the tick. */
static bool
leads_far(const struct world *world, uint32_t i, double time)
{
	const struct body *path = &world->bodies.paths[i];

	return (fabs(path->vx) + fabs(path->vy)) * (world->step.dt - time) > WORK_NEAR_RADII * path->radius;
}

/* Counts the predictions of a substep: each driven body has a new path, which is predicted with those that are not driven.
 * `far`: how many of them may come to most of these. */
static void
predictions_pay(struct world *world, uint32_t others, uint32_t far)
{
	struct work_meter *work = &world->step.work;
	uint64_t near = others < WORK_NEAR_BODIES ? others : WORK_NEAR_BODIES;

	if (!work_take(work, near * (WORK_PART_MEET * world->step.led_bodies + WORK_PART_FAR * far)))
		work->used = work->most;
}

void
bodies_lead(struct world *world, double time)
{
	struct handover *handover = world->handover;
	struct sums sums = sums_take(world);
	bool quiet = true;
	struct mover_walk walk = movers_walk(world);
	uint32_t others = 0, far = 0;

	while (movers_piece(&walk, BODY_UNITS)) {
		for (uint32_t i = mover_next(&walk); i != NONE; i = mover_next(&walk)) {
			if (handover->bodies.inverse_mass[i] == 0.0)
				continue;
			if (handover->active[i] && handover->driven[i]) {
				body_lead(world, i, time, &sums);
				world->step.led_bodies++;
				far += leads_far(world, i, time);
				quiet &= handover->driven[i] == SOLVER_CLEAR;
				continue;
			}

			struct body_info *info = &world->bodies.infos[i];

			quiet = false;
			others++;
			if (!handover->active[i])
				continue;
			if (info->mode == MODE_LED) {
				sums_give(world, &sums);
				body_release(world, i, time);
				sums = sums_take(world);
			} else {
				handover->active[i] = false; /* as it was */
			}
			info->handover = 0;
		}
	}
	sums_give(world, &sums);
	handover->quiet = quiet;
	predictions_pay(world, others, far);
}

void
handover_leave(struct world *world, uint32_t body)
{
	if (!world->handover)
		return;
	world->handover->active[body] = 0;
	world->handover->stills_offered = false;
}
