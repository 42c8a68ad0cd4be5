/* finish_pairs: moves bodies to the ends of their paths, clean ones (bodies.clean) and what flies like them two at a time.
 * Those that turn have a loop of their own. Internal to finish.c and finish_kernels.c, which compiles the loop for several
 * CPUs; the bits are the same. Belongs to the thread that finishes these bodies; other threads may finish other bodies
 * meanwhile. */
#ifndef COLLIDED_PHASES_FINISH_PAIRS_H
#define COLLIDED_PHASES_FINISH_PAIRS_H

#include "physics/math/double2.h"
#include "physics/phases/finish_kernels.h"
#include "physics/prediction/dirty_bodies.h"
#include "physics/world/ledger.h"

#include <string.h>

/* The state for the dirty bodies in between. */
struct finish_others {
	struct dirty_prefetch ahead;
	double plain; /* speed_square_plain */
	bool crushed; /* one of them was */
};

/* Finishes one dirty body, and one clean body before it, or the last, or still ones. Returns where to continue. */
__attribute__((noinline)) uint32_t finish_dirty(struct world *world, uint32_t first, uint32_t end, struct ledger_sums *sums,
                                                struct finish_others *others);
/* Reports a body that is faster than the bounds of rounding allow for; `fastest` is the square of its largest speed. */
void speed_judge(struct world *world, uint32_t body, double fastest);

/* This many bodies are finished together. */
#define FINISH_BLOCK 256u

/* Times the square of a body's radius: if the square of its speed is below that, speed_judge need not be called. */
static inline double
speed_square_plain(const struct world *world)
{
	return 0.99 * (PHYSICS_TRAVEL_MAX_RADII * PHYSICS_TRAVEL_MAX_RADII) / (world->step.dt * world->step.dt);
}

typedef double finish_four __attribute__((vector_size(32)));

/* Added to BODY_CLEAN or BODY_TURNS while a block of bodies is finished: a dirty body that flies on like such a one from its
 * last event on. */
#define BODY_FLIES 4u
/* The bits of an upkeep without that. */
#define UPKEEP_BITS 3u

/* Whether both are clean and do not turn; `turns`: or turn. */
static inline bool
both_clean(const uint8_t *clean, bool turns)
{
	const unsigned bits = turns ? BODY_CLEAN : UPKEEP_BITS;
	uint16_t both;

	memcpy(&both, clean, sizeof both);
	return (both & 0x0101 * bits) == 0x0101 * BODY_CLEAN;
}

/* What is added to BODY_CLEAN for a body that turns. */
#define BODY_SPINS (BODY_TURNS & ~BODY_CLEAN)

/* For a body that turns, with this upkeep: turns it to its path's end, a flier being turned already. Returns the energy. */
static inline double
spin_finish(const struct world *world, struct body_info *info, uint8_t upkeep)
{
	if (!(upkeep & BODY_FLIES))
		info->angle += info->spin * world->step.dt;
	return 0.5 * info->spin * info->spin / info->inverse_inertia;
}

/* Marks those of the dirty bodies first .. end, and returns how many are listed in `out`. Then one loop moves nearly all
 * bodies, and no branch has to guess which are dirty. */
uint32_t fliers_mark(struct world *world, uint32_t first, uint32_t end, struct finish_others *others, uint32_t *out);
/* Completes them when they are moved. */
void fliers_end(struct world *world, const uint32_t *fliers, uint32_t count);

/* Finishes clean bodies and fliers from `first` on, in pairs; returns where the run ends. `falls`: there is gravity; `fliers`:
 * some paths began within the tick; `turns`: those that turn, too. */
__attribute__((always_inline)) static inline uint32_t
finish_pairs(struct world *world, uint32_t first, uint32_t end, struct ledger_sums *all, double plain, bool falls, bool fliers,
             bool turns)
{
	const uint8_t *clean = world->bodies.clean;
	const double *masses = world->bodies.masses;
	const two gravity = { world->settings.gravity_x, world->settings.gravity_y };
	double dt = world->step.dt, kinetic = all->kinetic, potential = all->potential;
	two momentum = two_load(all->momentum), pull = two_load(world->report.momentum.gravity);
	struct body *bodies = world->bodies.paths;
	uint32_t i = first;

	for (; i + 1 < end && both_clean(clean + i, turns); i += 2) {
		struct body *a = &bodies[i], *b = a + 1;
		finish_four place = __builtin_shufflevector(two_load(&a->x), two_load(&b->x), 0, 1, 2, 3);
		finish_four velocity = __builtin_shufflevector(two_load(&a->vx), two_load(&b->vx), 0, 1, 2, 3);
		finish_four acceleration = __builtin_shufflevector(two_load(&a->ax), two_load(&b->ax), 0, 1, 2, 3);
		two both = two_load(&masses[i]), times = { dt, dt };

		if (fliers)
			times -= (two){ a->t0, b->t0 };
		finish_four t = __builtin_shufflevector(times, times, 0, 0, 1, 1);
		finish_four mass = __builtin_shufflevector(both, both, 0, 0, 1, 1);

		/* As body_at. */
		place += t * (velocity + 0.5 * t * acceleration);
		finish_four later = velocity + t * acceleration, after = later * later, before = velocity * velocity;
		two place_a = __builtin_shufflevector(place, place, 0, 1), place_b = __builtin_shufflevector(place, place, 2, 3);

		two_store(&a->x, place_a);
		two_store(&b->x, place_b);
		two_store(&a->vx, __builtin_shufflevector(later, later, 0, 1));
		two_store(&b->vx, __builtin_shufflevector(later, later, 2, 3));

		/* As ledger_sums_path and ledger_free_end. */
		finish_four square = after + __builtin_shufflevector(after, after, 1, 0, 3, 2), energy = 0.5 * mass * square;
		finish_four moved = mass * later;

		if (turns && (clean[i] & BODY_SPINS))
			kinetic += spin_finish(world, &world->bodies.infos[i], clean[i]);
		kinetic += energy[0];
		if (turns && (clean[i + 1] & BODY_SPINS))
			kinetic += spin_finish(world, &world->bodies.infos[i + 1], clean[i + 1]);
		kinetic += energy[2];
		momentum += __builtin_shufflevector(moved, moved, 0, 1);
		momentum += __builtin_shufflevector(moved, moved, 2, 3);

		double most_a = square[0], most_b = square[2];

		if (falls) {
			two high_a = gravity * place_a, high_b = gravity * place_b;

			pull += both[0] * times[0] * gravity;
			pull += both[1] * times[1] * gravity;
			potential -= both[0] * (high_a[0] + high_a[1]);
			potential -= both[1] * (high_b[0] + high_b[1]);
			most_a = larger(before[0] + before[1], most_a);
			most_b = larger(before[2] + before[3], most_b);
		}
		if (__builtin_expect(most_a > plain * (a->radius * a->radius), 0))
			speed_judge(world, i, most_a);
		if (__builtin_expect(most_b > plain * (b->radius * b->radius), 0))
			speed_judge(world, i + 1, most_b);
	}
	all->kinetic = kinetic;
	all->potential = potential;
	two_store(all->momentum, momentum);
	if (falls)
		two_store(world->report.momentum.gravity, pull);
	return i;
}

/* finish_pairs with those that turn, in a function of its own: the other loops have more registers then. */
typedef uint32_t finish_turning_fn(struct world *world, uint32_t first, uint32_t end, struct ledger_sums *all, double plain);

__attribute__((always_inline)) static inline uint32_t
finish_turning(struct world *world, uint32_t first, uint32_t end, struct ledger_sums *all, double plain)
{
	if (world->settings.gravity_x != 0.0 || world->settings.gravity_y != 0.0)
		return finish_pairs(world, first, end, all, plain, true, true, true);
	return finish_pairs(world, first, end, all, plain, false, true, true);
}

__attribute__((always_inline)) static inline void
finish_block(struct world *world, struct span block, struct ledger_sums *sums, struct finish_others *others,
             finish_turning_fn *turning, bool falls, bool fliers)
{
	for (uint32_t i = block.first;
	     (i = finish_pairs(world, i, block.end, sums, others->plain, falls, fliers, false)) < block.end;)
		i = i + 1 < block.end && both_clean(world->bodies.clean + i, true) ? turning(world, i, block.end, sums, others->plain)
		                                                                   : finish_dirty(world, i, block.end, sums, others);
}

__attribute__((always_inline)) static inline bool
finish_loop(struct world *world, struct span span, struct ledger_sums *sums, finish_turning_fn *turning, bool falls)
{
	struct finish_others others = { dirty_fetch_first(world, span.first, span.end), speed_square_plain(world), false };

	for (uint32_t first = span.first; first < span.end; first += FINISH_BLOCK) {
		uint32_t fliers[FINISH_BLOCK], end = span.end - first < FINISH_BLOCK ? span.end : first + FINISH_BLOCK;
		uint32_t count = fliers_mark(world, first, end, &others, fliers);

		if (count > 0)
			finish_block(world, (struct span){ first, end }, sums, &others, turning, falls, true);
		else
			finish_block(world, (struct span){ first, end }, sums, &others, turning, falls, false);
		fliers_end(world, fliers, count);
	}
	return others.crushed;
}

__attribute__((always_inline)) static inline bool
finish_span(struct world *world, struct span span, struct ledger_sums *sums, finish_turning_fn *turning)
{
	if (world->settings.gravity_x != 0.0 || world->settings.gravity_y != 0.0)
		return finish_loop(world, span, sums, turning, true);
	return finish_loop(world, span, sums, turning, false);
}

#endif
