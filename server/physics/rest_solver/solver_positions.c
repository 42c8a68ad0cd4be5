/* The displacements of a substep: sweeps push apart what would come too near, each island until it is clear or its sweeps are
 * used up. */
#include "physics/math/larger.h"
#include "physics/math/work_meter.h"
#include "physics/rest_solver/solver_kernels.h"

#include <math.h>

/* Fraction of the skin at which rounding is noticed, and of the skin that coordinates cause (64 ulp) how far each side is then
 * parted: as in rounding_drift.h. */
#define DRIFT_PART 0.125
#define RAISE_OF_SKIN 0x1p-5

bool
displacements_part(struct solver *solver)
{
	bool parted = false;

	for (uint32_t k = 0; k < solver->other_count && !pause_after(SOLVER_UNITS); k++) {
		uint32_t slot = solver->others[k], a = slot_a(solver, slot), b = slot_b(solver, slot), lane = slot % LANES;
		const struct spacings *s = &solver->spacings[slot / LANES];

		if (solver->slot_kind[slot] != PAIR_EVENT || !slot_driven(solver, slot))
			continue;

		double by_a = RAISE_OF_SKIN * solver->positions[a].rest[0], by_b = RAISE_OF_SKIN * solver->positions[b].rest[0];
		double skin = larger(s->skin_least[lane], larger(solver->positions[a].rest[0], solver->positions[b].rest[0]));
		pair2 n = slot_normal(solver, slot), closing = n * (solver->displacements[a].v - solver->displacements[b].v);

		if (!(s->gap[lane] < -(1.0 - DRIFT_PART) * skin && fabs(closing[0] + closing[1]) <= by_a + by_b))
			continue;
		if (solver->hot[a].rest[1] > 0.0)
			solver->displacements[a].v += n * both(by_a);
		if (solver->hot[b].rest[1] > 0.0)
			solver->displacements[b].v -= n * both(by_b);
		parted = true;
	}
	return parted;
}

/* What the sweeps leave in each other is parted by the least displacements that do it, where contacts are few. Sweeps come
 * nearer by about the ratio of the masses each. The clip would hold something heavy on something light where it is, while
 * gravity goes on to add speed. `most`: what the work left allows, in sweeps. */
static void
island_push_exactly_within(struct solver *solver, struct island *island, uint64_t most, struct solver_report *report)
{
	struct work_meter work = { .most = UINT64_MAX };

	if (most < UINT64_MAX / (WORK_CONTACT * SOLVER_EXACT_MAX))
		work.most = most * island->sweep_count * WORK_CONTACT;
	if (island_push_exactly(solver, island, SOLVER_HARD_BELOW, &work) == SOLVER_EXACT_SPENT) {
		report->cut += !island->cut;
		island->cut = true;
	}
	report->work += (work.used + WORK_CONTACT - 1) / WORK_CONTACT;
}

/* What `most` sweeps leave too near is left to the clip. */
static void
island_push(struct solver *solver, struct island *island, uint64_t most, struct solver_report *report)
{
	const struct solver_tune *tune = &solver->tune;
	unsigned sweeps = island->overlaps ? tune->overlap_sweeps : tune->hard_sweeps;
	/* Two rounds restore as much as two substeps of one. Deep piles come to rest sooner by that. */
	double share = island->halved ? tune->push_share * (2.0 - tune->push_share) : tune->push_share;

	solver->way->push(solver, island, tune->push_below, share);
	for (unsigned i = 0; i < sweeps; i++) {
		if (i + 1 > most) {
			report->cut += !island->cut;
			island->cut = true;
			break;
		}
		report->work += island->sweep_count;
		if (solver->way->push(solver, island, SOLVER_HARD_BELOW, 1.0) >= 0.0 || pause_stopped())
			return;
		report->hard_sweeps++;
	}
	if (!island->cut && !island->overlaps && island_is_hard(solver, island))
		island_push_exactly_within(solver, island, most - sweeps, report);
}

void
displacements_push(struct solver *solver, const struct solver_bodies *bodies, struct solver_report *report)
{
	uint64_t contacts = 0, most = UINT64_MAX;

	for (uint32_t n = 0; n < solver->island_count && !pause_after(1); n++)
		contacts += solver->islands[n].push ? solver->islands[n].sweep_count : 0;
	if (bodies->work_most > 0 && contacts > 0)
		most = bodies->work_most > report->work ? (bodies->work_most - report->work) / contacts : 0;
	for (uint32_t n = 0; n < solver->island_count && !pause_after(1); n++)
		if (solver->islands[n].push)
			island_push(solver, &solver->islands[n], most, report);
}
