/* The velocities of a substep: sweeps over the contacts of each island until they converge. They end earlier if they would add
 * energy, or where the exact solution takes over. */
#include "physics/math/larger.h"
#include "physics/math/work_meter.h"
#include "physics/rest_solver/solver_kernels.h"

#include <math.h>

/* What a sweep over a contact with rolling resistance takes, of one without. */
#define ROLLING_WORK 3u

/* Fraction of the kinetic energy: what a solution may gain by rounding. */
#define GAIN_ROUNDING 0x1p-42

/* Of the cushion: how far the position pass may lift the bodies of an island on the average, by weight. */
#define LIFT_MOST 0.1

/* Fraction of the kinetic energy: a sweep that changes less changes nothing any more; some 1e-11 of the speeds. */
#define COLD_PART 0x1p-70

static inline double
clamp(double value, double bound)
{
	value = value < bound ? value : bound;
	return value > -bound ? value : -bound;
}

/* The rolling part of the warm start; the rest is done with the measurement. */
static void
rollers_apply(struct solver *solver, const struct island *island)
{
	for (uint32_t s = island->contact_start; s < island->contact_end && !pause_after(1); s++) {
		const struct roller *r = &solver->rollers[s];
		struct solver_body *a = &solver->hot[slot_a(solver, s)], *b = &solver->hot[slot_b(solver, s)];

		a->rest[0] += 2.0 * a->rest[1] * r->inverse_ra * r->impulse;
		b->rest[0] -= 2.0 * b->rest[1] * r->inverse_rb * r->impulse;
	}
}

static void
rollers_sweep(struct solver *solver, const struct island *island)
{
	for (uint32_t s = island->contact_start; s < island->contact_end && !pause_after(1); s++) {
		struct roller *r = &solver->rollers[s];
		struct solver_body *a = &solver->hot[slot_a(solver, s)], *b = &solver->hot[slot_b(solver, s)];
		double spin = a->rest[0] * r->inverse_ra - b->rest[0] * r->inverse_rb;
		double bound = r->length * solver->impulses[s / LANES].normal[s % LANES];
		double impulse = clamp(r->impulse - spin * r->inertia, bound);
		double change = impulse - r->impulse;

		r->impulse = impulse;
		r->change = change;
		a->rest[0] += 2.0 * a->rest[1] * r->inverse_ra * change;
		b->rest[0] -= 2.0 * b->rest[1] * r->inverse_rb * change;
	}
}

/* Nonsmooth nonlinear conjugate gradients (Silcowitz-Hansen, Niebe, Erleben 2010): a sweep's change is the gradient. The
 * direction of the steps before is added, to impulses and velocities alike; to the contacts' impulses only within the next
 * sweep, which reads them anyway. Also copies the velocities to hot_before for that sweep. */
static struct step
direction_add(struct solver *solver, const struct island *island, struct impulses *direction, double beta)
{
	for (uint32_t s = island->contact_start; solver->any_rolling && s < island->contact_end && !pause_after(1); s++) {
		struct roller *r = &solver->rollers[s];

		r->impulse += beta * r->direction;
		r->direction = beta * r->direction + r->change;
	}
	solver->way->step(solver, island, beta);
	return (struct step){ direction, beta };
}

/* The first step's direction is its change; for the impulses that is done by exchanging the arrays. */
static void
direction_start(struct solver *solver, const struct island *island)
{
	for (uint32_t s = island->contact_start; solver->any_rolling && s < island->contact_end && !pause_after(1); s++)
		solver->rollers[s].direction = solver->rollers[s].change;
	for (struct pause_piece piece = { island->body_start, island->body_start }; pause_piece_next(&piece, island->body_end, 1);)
		for (uint32_t i = piece.first; i < piece.end; i++) {
			const struct solver_body *v = &solver->hot[i];
			struct solver_body *p = &solver->hot_direction[i], *before = &solver->hot_before[i];

			p->v = v->v - before->v;
			p->rest = v->rest - before->rest;
			*before = *v;
		}
}

/* From here on as at the first sweep. */
static void
direction_drop(struct solver *solver, const struct island *island)
{
	(void)pause_copy(&solver->hot_before[island->body_start], &solver->hot[island->body_start],
	                 (island->body_end - island->body_start) * sizeof *solver->hot);
}

/* What an island's kinetic and potential energy would gain in the substep along straight displacements, less what kinematic
 * bodies do, if its impulses were taken `part`-fold: part * work + part^2 * heat - fall. Let d be the change of velocity by the
 * impulses, and v the velocity before gravity's change gh. Then work, heat and fall are the sums of m d.v, m d.d / 2 and m
 * gh.gh / 2. (From v' = v + gh + part d and the displacement v' h.) */
struct gain {
	double work, heat, fall;
};

/* Work of the impulses from bodies of infinite mass, impulse times their velocity at the contact, and of those from moving
 * surfaces. */
static double
drivers_work(const struct solver *solver, const struct island *island)
{
	double work = 0.0;

	for (uint32_t s = island->contact_start; s < island->contact_end && !pause_after(1); s++) {
		const struct solver_body *a = &solver->hot[slot_a(solver, s)], *b = &solver->hot[slot_b(solver, s)];
		double sign = b->rest[1] == 0.0 ? 1.0 : -1.0;
		const struct solver_body *driver = b->rest[1] == 0.0 ? b : a;
		pair2 n = slot_normal(solver, s), along = n * driver->v;
		double arm = (driver == b ? solver->contacts[s / LANES].arm_b : solver->contacts[s / LANES].arm_a)[s % LANES];
		double slide = n[0] * driver->v[1] - n[1] * driver->v[0] + (arm != 0.0 ? sign * driver->rest[0] : 0.0);
		const struct impulses *impulses = &solver->impulses[s / LANES];

		if (solver->any_surface)
			work -= impulses->tangent[s % LANES] * solver->surface_bias[s / LANES].slip[s % LANES];
		if (driver->rest[1] != 0.0)
			continue;
		work += sign * (impulses->normal[s % LANES] * (along[0] + along[1]) + impulses->tangent[s % LANES] * slide);
		if (solver->any_rolling) {
			const struct roller *r = &solver->rollers[s];

			work += sign * r->impulse * driver->rest[0] * (driver == b ? r->inverse_rb : r->inverse_ra);
		}
	}
	return work;
}

static struct gain
island_gain(const struct solver *solver, const struct solver_bodies *bodies, const struct island *island, double h)
{
	struct gain gain = { 0.0, 0.0, 0.0 };
	const pair2 whole = { solver->scene.gravity_x * h, solver->scene.gravity_y * h };
	double mass = 0.0; /* as far as gravity is concerned: the square of the scale is included */

	for (struct pause_piece p = { island->body_start, island->body_start };
	     pause_piece_next(&p, island->body_end, SOLVER_UNITS);)
		for (uint32_t i = p.first; i < p.end; i++) {
			const struct solver_body *now = &solver->hot[i], *start = &solver->hot_start[i];
			double scale = body_scale(bodies, solver->body[i]);
			pair2 d = now->v - start->v, ds = now->rest - start->rest;
			pair2 vd = d * (start->v - whole * both(scale)), dd = d * d;
			double m = start->rest[1], s = start->rest[0], spin = ds[0];

			gain.work += m * (vd[0] + vd[1] + 0.5 * spin * s);
			gain.heat += m * (0.5 * (dd[0] + dd[1] + 0.5 * spin * spin));
			mass += m * (scale * scale);
		}
	gain.fall = 0.5 * mass * (whole[0] * whole[0] + whole[1] * whole[1]);
	if (solver->any_driver || solver->any_surface)
		gain.work -= drivers_work(solver, island);
	return gain;
}

/* Multiplies all impulses of the island by the factor at which no energy is gained. They come in pairs, so momentum is
 * conserved. */
static void
island_cut(struct solver *solver, const struct island *island, const struct gain *gain)
{
	double part = (sqrt(gain->work * gain->work + 4.0 * gain->heat * gain->fall) - gain->work) / (2.0 * gain->heat);

	part = part > 0.0 ? part : 0.0;
	for (uint32_t i = island->body_start; i < island->body_end && !pause_after(1); i++) {
		struct solver_body *now = &solver->hot[i];
		const struct solver_body *start = &solver->hot_start[i];

		now->v = start->v + both(part) * (now->v - start->v);
		now->rest[0] = start->rest[0] + part * (now->rest[0] - start->rest[0]);
	}
	for (uint32_t s = island->contact_start; s < island->contact_end && !pause_after(1); s++) {
		solver->impulses[s / LANES].normal[s % LANES] *= part;
		solver->impulses[s / LANES].tangent[s % LANES] *= part;
	}
	for (uint32_t s = island->contact_start; solver->any_rolling && s < island->contact_end && !pause_after(1); s++)
		solver->rollers[s].impulse *= part;
}

/* Whether nothing in the island carried impulse in the last substep. */
static bool
island_is_cold(const struct solver *solver, const struct island *island)
{
	for (uint32_t s = island->contact_start; s < island->contact_end && !pause_after(1); s++)
		if (solver->impulses[s / LANES].normal[s % LANES] > 0.0)
			return false;
	return true;
}

/* After gravity. *flows is set to whether the bodies of a heap move past each other much faster than gravity makes them in a
 * substep. Few contacts are swept in no time, and are solved exactly if that does not help. */
static double
island_kinetic(const struct solver *solver, const struct solver_bodies *bodies, const struct island *island, double h,
               bool *flows)
{
	const pair2 whole = { solver->scene.gravity_x * h, solver->scene.gravity_y * h };
	double sum = 0.0, mass = 0.0, pull = 0.0; /* pull: the mass, as in island_gain */
	pair2 momentum = { 0.0, 0.0 };

	for (struct pause_piece p = { island->body_start, island->body_start };
	     pause_piece_next(&p, island->body_end, SOLVER_UNITS);)
		for (uint32_t i = p.first; i < p.end; i++) {
			const struct solver_body *start = &solver->hot_start[i];
			double scale = body_scale(bodies, solver->body[i]), m = start->rest[1];
			pair2 square = start->v * start->v;

			sum += m * (0.5 * (square[0] + square[1] + 0.5 * start->rest[0] * start->rest[0]));
			momentum += both(m) * start->v;
			mass += m;
			pull += m * (scale * scale);
		}

	double fall = 0.5 * pull * (whole[0] * whole[0] + whole[1] * whole[1]);
	double common = 0.5 * (momentum[0] * momentum[0] + momentum[1] * momentum[1]) / mass;

	*flows = island->contact_count > SOLVER_EXACT_MAX && fall > 0.0 && sum - common > solver->tune.flow * fall;
	return sum;
}

/* When the sweeps may end. The rest of friction, and of the load of many layers, is left to the sweeps of the next substeps,
 * which start from there. But an island that begins without any impulse would sink and slide in its first step; it is swept to
 * the end. */
struct goal {
	double unit;    /* of speed */
	double kinetic; /* energy after gravity */
	bool cold, thorough;
	bool flows;    /* what a few sweeps leave is left to the next substeps: the contacts will be others */
	uint64_t most; /* number of sweeps that the work allows */
	double change; /* of a sweep, as energy: less counts as none, when cold */
};

static bool
sweeps_enough(const struct solver *solver, const struct goal *goal, uint32_t sweep, const struct sweep_result *found)
{
	const struct solver_tune *tune = &solver->tune;

	if (goal->cold)
		return sweep >= tune->cold_sweeps || (sweep >= tune->sweeps_min && found->norm <= goal->change);
	/* A body at rest needs only the sweep that shows it. */
	if (!goal->thorough && found->worst <= tune->calm * goal->unit && found->norm <= tune->calm * tune->calm * goal->kinetic)
		return true;
	return sweep >= (goal->flows ? tune->flow_sweeps : tune->sweeps_max) ||
	       (sweep >= tune->sweeps_min && found->worst <= tune->tolerance * goal->unit);
}

/* Whether the impulses may stay as they are. */
static bool
gain_settle(struct solver *solver, const struct solver_bodies *bodies, const struct island *island, const struct goal *goal,
            uint32_t sweep, double h)
{
	struct gain gain = island_gain(solver, bodies, island, h);

	/* At rest the kinetic energy is that of gravity's change. Faster bodies may not gain more than that, and without gravity
	 * nothing but rounding. */
	double most = goal->kinetic < gain.fall ? goal->kinetic : gain.fall;

	if (!(gain.work + gain.heat - gain.fall > solver->tune.gain * most + GAIN_ROUNDING * goal->kinetic))
		return true;
	if (sweep < (goal->flows && !goal->cold ? solver->tune.flow_sweeps : solver->tune.gain_sweeps) && sweep < goal->most)
		return false;
	island_cut(solver, island, &gain);
	return true;
}

/* What a sweep over so many contacts is counted. */
static uint64_t
sweep_work(const struct solver *solver, uint64_t contacts)
{
	return solver->any_rolling ? ROLLING_WORK * contacts : contacts;
}

/* Whether sweeps may end far from the solution, and some contact would close beyond its gap. */
static bool
island_closes(const struct solver *solver, const struct island *island, double h)
{
	if (island->contact_count > SOLVER_EXACT_MAX || !island_is_hard(solver, island))
		return false;
	for (uint32_t s = island->contact_start; s < island->contact_end && !pause_after(1); s++) {
		pair2 along = slot_normal(solver, s) * (solver->hot[slot_a(solver, s)].v - solver->hot[slot_b(solver, s)].v);

		if (solver->pair_of[s] != UINT32_MAX && solver->spacings[s / LANES].gap[s % LANES] + h * (along[0] + along[1]) < 0.0)
			return true;
	}
	return false;
}

/* Whether the straight displacements by the present velocities are such that the position pass cannot part them, or by lifting
 * what falls, as in a narrow wedge. A little approach there is too much: what the pass holds goes on to gain speed. */
static bool
island_strays(struct solver *solver, const struct solver_bodies *bodies, const struct island *island, double h,
              struct work_meter *work)
{
	pair2 g = { solver->scene.gravity_x, solver->scene.gravity_y }, square = g * g;
	double weight = 0.0, lift = 0.0;

	if (!island_closes(solver, island, h))
		return false;
	/* They are computed later, those of immovable sides too. */
	for (uint32_t s = island->contact_start; s < island->contact_end && !pause_after(1); s++) {
		if (solver->pair_of[s] == UINT32_MAX)
			continue;
		uint32_t a = slot_a(solver, s), b = slot_b(solver, s);

		solver->displacements[a].v = solver->hot[a].v * both(h);
		solver->displacements[b].v = solver->hot[b].v * both(h);
	}
	if (island_push_exactly(solver, island, SOLVER_HARD_BELOW, work) == SOLVER_EXACT_NOT)
		return true;
	for (uint32_t i = island->body_start; i < island->body_end && !pause_after(1); i++) {
		double mass = solver->hot_start[i].rest[1] * body_scale(bodies, solver->body[i]);
		pair2 along = g * (solver->displacements[i].v - solver->hot[i].v * both(h));

		weight += fabs(mass);
		lift -= mass * (along[0] + along[1]);
	}
	return lift > LIFT_MOST * island->cushion * weight * sqrt(square[0] + square[1]);
}

/* Where the sweeps end without having reached their goal, the contacts are solved exactly, if they are few. A heap would else
 * fall without moving: the clip holds it, gravity's speed stays, and is won from nothing. */
static enum solver_exact
approach_end(struct solver *solver, const struct solver_bodies *bodies, const struct island *island, const struct goal *goal,
             uint32_t sweep, double worst, double h, struct solver_report *report)
{
	struct work_meter work = { .most = UINT64_MAX };
	enum solver_exact result = SOLVER_EXACT_NOT;

	if (goal->most < UINT64_MAX)
		work.most = goal->most > sweep ? (goal->most - sweep) * sweep_work(solver, island->sweep_count) * WORK_CONTACT : 0;
	if (worst > solver->tune.tolerance * goal->unit)
		result = island_solve_exactly(solver, island, worst, false, &work);
	else if (worst > 0.0 && island_strays(solver, bodies, island, h, &work))
		result = island_solve_exactly(solver, island, worst, true, &work);
	report->work += (work.used + WORK_CONTACT - 1) / WORK_CONTACT;
	return result;
}

/* One round of an island, of the time h. */
static void
island_solve(struct solver *solver, const struct solver_bodies *bodies, struct island *island, double h, bool thorough,
             uint64_t most, struct solver_report *report)
{
	struct impulses *change = solver->change, *direction = solver->direction;
	struct step step = { 0 };
	double previous = 0.0;
	struct goal goal = {
		.unit = island->cushion / h,
		.cold = island_is_cold(solver, island),
		.thorough = thorough,
		.most = most,
	};

	enum solver_exact exact = SOLVER_EXACT_NOT;
	bool tried = false, fresh = true; /* fresh: there is no direction */

	goal.kinetic = island_kinetic(solver, bodies, island, h, &goal.flows);
	goal.change = COLD_PART * goal.kinetic;
	if (solver->any_rolling)
		rollers_apply(solver, island);
	direction_drop(solver, island);
	for (uint32_t sweep = 1;; sweep++) {
		struct sweep_result found = solver->way->sweep(solver, island, change, &step);

		if (solver->any_rolling)
			rollers_sweep(solver, island);
		if (pause_stopped())
			return;
		bool enough = sweeps_enough(solver, &goal, sweep, &found);

		if (enough && !tried) {
			exact = approach_end(solver, bodies, island, &goal, sweep, found.worst, h, report);
			tried = true;
		}
		/* Sweeps after an exact solution would only undo it. */
		if ((enough || sweep >= goal.most) &&
		    gain_settle(solver, bodies, island, &goal, exact == SOLVER_EXACT_SOLVED ? UINT32_MAX : sweep, h)) {
			report->sweeps = sweep > report->sweeps ? sweep : report->sweeps;
			report->work += sweep_work(solver, island->sweep_count) * sweep;
			bool cut = !enough || exact == SOLVER_EXACT_SPENT;

			report->cut += cut && !island->cut;
			island->cut |= cut;
			return;
		}
		if (sweep > 1 && found.norm > previous) {
			direction_drop(solver, island);
			step = (struct step){ 0 };
			fresh = true;
		} else if (fresh) {
			struct impulses *swap = change;

			change = direction;
			direction = swap;
			direction_start(solver, island);
			fresh = false;
		} else {
			step = direction_add(solver, island, direction, previous > 0.0 ? found.norm / previous : 0.0);
		}
		previous = found.norm;
	}
}

/* The impulses of walls and of bodies of infinite mass. */
static void
outside_add(const struct solver *solver, const struct island *island, double sum[2])
{
	for (uint32_t k = island->outside_start; k < island->outside_end; k++) {
		uint32_t s = solver->outside[k];
		const struct impulses *impulses = &solver->impulses[s / LANES];
		double normal = impulses->normal[s % LANES], tangent = impulses->tangent[s % LANES];
		pair2 n = slot_normal(solver, s);
		double side = place_yields(solver, slot_a(solver, s)) ? 1.0 : -1.0;

		sum[0] += side * (normal * n[0] - tangent * n[1]);
		sum[1] += side * (normal * n[1] + tangent * n[0]);
	}
}

/* Number of sweeps that the work allows, the same in all islands, so that the order in which they are solved does not
 * matter. */
static uint64_t
sweeps_most(const struct solver *solver, const struct solver_bodies *bodies)
{
	uint64_t contacts = 0;

	if (bodies->work_most == 0)
		return UINT64_MAX;
	for (uint32_t n = 0; n < solver->island_count && !pause_after(1); n++)
		contacts += solver->islands[n].idle ? 0
		                                    : (solver->islands[n].halved ? 2 : 1) * (uint64_t)solver->islands[n].sweep_count;
	return contacts > 0 ? bodies->work_most / sweep_work(solver, contacts) : UINT64_MAX;
}

/* One round, and what it adds to the report. */
static void
island_round(struct solver *solver, const struct solver_bodies *bodies, struct island *island, double h, bool thorough,
             uint64_t most, struct solver_report *report)
{
	island_solve(solver, bodies, island, island_time(island, h), thorough, most, report);
	outside_add(solver, island, report->outside);
	if (solver->any_driver || solver->any_surface)
		report->energy.work += drivers_work(solver, island);
}

void
islands_solve(struct solver *solver, const struct solver_bodies *bodies, double time, double h, struct solver_report *report)
{
	uint64_t most = sweeps_most(solver, bodies);
	bool again = false;

	for (uint32_t n = 0; n < solver->island_count && !pause_after(SOLVER_UNITS); n++) {
		struct island *island = &solver->islands[n];

		island->cut = false;
		if (island->idle)
			continue;
		island_round(solver, bodies, island, h, bodies->thorough, most, report);
		again |= island->halved;
	}
	if (!again || solver->failed || pause_stopped())
		return;
	rounds_middle(solver, time, h);
	for (uint32_t n = 0; n < solver->island_count && !pause_after(SOLVER_UNITS); n++) {
		struct island *island = &solver->islands[n];

		if (island->idle || !island->halved)
			continue;
		island_round_second(solver, bodies, island, h, &report->energy);
		island_round(solver, bodies, island, h, false, most, report);
		island_round_end(solver, island);
	}
	rounds_end(solver, bodies, time);
}
