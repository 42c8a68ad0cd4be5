/* The last step of a substep, and its guarantee: displacements that would bring a pair into touch are cut until none does. */
#include "physics/geometry/toi.h"
#include "physics/rest_solver/solver_kernels.h"

#include <math.h>

/* A smaller fraction of a displacement counts as 0: bounds the number of passes. */
#define KEPT_MIN 0x1p-20
/* Number of passes after which a body that must be cut again stands still. */
#define PASSES_SOFT 40
/* A cut leaves a gap that exceeds the contact distance by this fraction of it: more than the cut's rounding. */
#define CUT_MARGIN 0x1p-46
/* See displacement_graze. */
#define GRAZE_PART 0x1p-6
#define GRAZE_ROUNDING 0x1p-48
/* A smaller fraction of a displacement by the position pass is rounding. */
#define PUSHED_MIN 0x1p-40
/* The counted work of a pass that cut: for each body, in contacts of a sweep; and one for so many near pairs. */
#define WORK_CLIP 16u
#define WORK_CLIP_PAIRS 2u

static double
wall_impact(const struct solver *solver, uint32_t segment, double x, double y, pair2 l, double R)
{
	const struct wall_copy *w = &solver->walls[segment];
	double dx = x - w->x1, dy = y - w->y1;
	double across = w->ux * dy - w->uy * dx, rate = w->ux * l[1] - w->uy * l[0];
	double sign = across >= 0.0 ? 1.0 : -1.0;
	double time = toi_height(across * sign, rate * sign, 0.0, R, 1.0);
	double first = (double)INFINITY;

	if (time <= 1.0) {
		double along = (dx + time * l[0]) * w->ux + (dy + time * l[1]) * w->uy;

		if (along >= 0.0 && along <= w->length)
			first = time;
	}

	struct relative end_1 = { .dx = dx, .dy = dy, .wx = l[0], .wy = l[1] };
	struct relative end_2 = { .dx = x - w->x2, .dy = y - w->y2, .wx = l[0], .wy = l[1] };

	return fmin(first, fmin(toi_straight(&end_1, R, 1.0), toi_straight(&end_2, R, 1.0)));
}

/* Whether a slot's pair touches on its displacements. */
static bool
slot_touches(const struct solver *solver, uint32_t slot, pair2 la, pair2 lb)
{
	const struct spacings *spacings = &solver->spacings[slot / LANES];
	const struct solver_position *a = &solver->positions[slot_a(solver, slot)], *b = &solver->positions[slot_b(solver, slot)];
	double skin = fmax(spacings->skin_least[slot % LANES], fmax(a->rest[0], b->rest[0]));
	double R = spacings->radii[slot % LANES] + skin;

	uint32_t other = solver->pairs[solver->pair_of[slot]].b;

	if (other & SOLVER_WALL)
		return wall_impact(solver, other & ~SOLVER_WALL, a->at[0], a->at[1], la - lb, R) <= 1.0;

	struct relative r = { .dx = a->at[0] - b->at[0], .dy = a->at[1] - b->at[1], .wx = la[0] - lb[0], .wy = la[1] - lb[1] };

	return toi_straight(&r, R, 1.0) <= 1.0;
}

/* True if that changed the displacement. */
static bool
displacement_scale(struct solver *solver, uint32_t place, double part)
{
	pair2 *displacement = &solver->displacements[place].v;

	if ((*displacement)[0] == 0.0 && (*displacement)[1] == 0.0)
		return false;
	if (!(part > 0.0) || solver->kept[place] * part < KEPT_MIN)
		part = 0.0;
	solver->kept[place] *= part;
	*displacement *= both(part);
	return true;
}

/* For a displacement along the other side that leads towards it by less than GRAZE_PART of its length. Only that part is taken
 * away, and a little more than rounding. To cut it as a whole would stop a body that keeps its velocity, because of hardly any
 * approach. True if that changed the displacement. */
static bool
displacement_graze(struct solver *solver, uint32_t place, pair2 away, double towards, double closing)
{
	pair2 *displacement = &solver->displacements[place].v, square = *displacement * *displacement;
	double length = sqrt(square[0] + square[1]);

	if (!(towards < GRAZE_PART * length && closing < GRAZE_PART * length))
		return false;
	*displacement += both(towards + GRAZE_ROUNDING * length) * away;
	return true;
}

/* How far the position pass has pushed a body along `towards`, beyond what its velocities give in the substep. 0 if it has not,
 * or if the displacement leads more that way than across: then a cut takes little else. */
static double
displacement_pushed(const struct solver *solver, uint32_t place, pair2 towards)
{
	pair2 displacement = solver->displacements[place].v, pushed = displacement - solver->hot_before[place].v,
		  along = towards * pushed;
	double by = along[0] + along[1], across = towards[0] * displacement[1] - towards[1] * displacement[0];

	if (!(fabs(across) > fabs(towards[0] * displacement[0] + towards[1] * displacement[1])))
		return 0.0;
	return by > PUSHED_MIN * (fabs(displacement[0]) + fabs(displacement[1])) ? by : 0.0;
}

/* What the position pass has pushed into each other parts by taking back of the push what is too much, along the normal. To cut
 * the whole displacements would hold bodies that fall beside each other where there is no room between walls. They would keep
 * the speed of a fall that is not made. True if that was enough. */
static bool
slot_unpush(struct solver *solver, uint32_t slot, pair2 n, double excess)
{
	uint32_t a = slot_a(solver, slot), b = slot_b(solver, slot);
	double by_a = solver->hot[a].rest[1] > 0.0 ? displacement_pushed(solver, a, -n) : 0.0;
	double by_b = solver->hot[b].rest[1] > 0.0 ? displacement_pushed(solver, b, n) : 0.0;
	double wanted = excess * (1.0 + PUSHED_MIN), part = wanted < by_a + by_b ? wanted / (by_a + by_b) : 1.0;

	if (!(excess > 0.0 && by_a + by_b > 0.0))
		return false;
	solver->displacements[a].v += both(part * by_a) * n;
	solver->displacements[b].v -= both(part * by_b) * n;
	return part < 1.0;
}

static inline double
slot_closing(const struct solver *solver, uint32_t slot)
{
	pair2 closing = slot_normal(solver, slot) *
	                (solver->displacements[slot_a(solver, slot)].v - solver->displacements[slot_b(solver, slot)].v);

	return -(closing[0] + closing[1]);
}

/* Shortens the displacements of a touching pair, only those that lead towards the other, both by the same factor. Along the
 * normal at the start the linear gap is less than the true one, so the rest is free. */
static bool
slot_cut(struct solver *solver, uint32_t slot, bool hard)
{
	uint32_t a = slot_a(solver, slot), b = slot_b(solver, slot);
	pair2 n = slot_normal(solver, slot);
	const struct spacings *spacings = &solver->spacings[slot / LANES];
	double room = spacings->gap[slot % LANES] - CUT_MARGIN * spacings->radii[slot % LANES];

	room = room > 0.0 ? room : 0.0;
	if (!hard && slot_unpush(solver, slot, n, slot_closing(solver, slot) - room))
		return true;

	pair2 la = solver->displacements[a].v, lb = solver->displacements[b].v;
	double towards_a = solver->hot[a].rest[1] > 0.0 ? -(n[0] * la[0] + n[1] * la[1]) : 0.0;
	double towards_b = solver->hot[b].rest[1] > 0.0 ? n[0] * lb[0] + n[1] * lb[1] : 0.0;
	double closing = -(n[0] * (la[0] - lb[0]) + n[1] * (la[1] - lb[1]));
	double approach = (towards_a > 0.0 ? towards_a : 0.0) + (towards_b > 0.0 ? towards_b : 0.0);
	/* The part of the approach that remains: the gap and what the receding side frees. */
	double allowed = room + (approach - closing);
	double part = approach > 0.0 && !hard ? allowed / approach : 0.0;

	part = part < 1.0 ? part * (1.0 - 0x1p-40) : 1.0 - 0x1p-40;

	bool a_cut = towards_a > 0.0 &&
	             ((!hard && displacement_graze(solver, a, n, towards_a, closing)) || displacement_scale(solver, a, part));
	bool b_cut = towards_b > 0.0 &&
	             ((!hard && displacement_graze(solver, b, -n, towards_b, closing)) || displacement_scale(solver, b, part));

	return a_cut || b_cut;
}

static inline double
slot_gap(const struct solver *solver, uint32_t slot)
{
	return solver->spacings[slot / LANES].gap[slot % LANES] - slot_closing(solver, slot);
}

/* Each island by itself, so that nothing remote decides whether it is pushed. */
struct gap_summary
gaps_measure(struct solver *solver)
{
	struct gap_summary all = { .gap_least = (double)INFINITY };

	for (uint32_t n = 0; n < solver->island_count && !pause_after(1); n++) {
		struct island *island = &solver->islands[n];

		island->push = false;
		if (island->idle)
			continue;
		struct gap_summary found = solver->way->gaps(solver, island);
		island->push = found.push;
		all.push |= found.push;
		all.gap_least = found.gap_least < all.gap_least ? found.gap_least : all.gap_least;
	}
	for (uint32_t n = 0; n < solver->other_count && !pause_after(1); n++) {
		uint32_t slot = solver->others[n];
		double gap = slot_gap(solver, slot);

		if (solver->slot_kind[slot] == PAIR_FAR && gap < all.gap_least && slot_driven(solver, slot))
			all.gap_least = gap;
	}
	return all;
}

/* What a pass over the pairs has found so far. */
struct pass {
	bool hard;    /* what must be cut stands still */
	bool changed; /* some pair was cut */
	bool touches; /* some pair touched */
	double gap_min;
};

/* Cuts a pair that is driven and touches. Marks one that touches and cannot be cut, so that events are predicted for it. */
static void
slot_try(struct solver *solver, uint32_t slot, struct pass *pass)
{
	double gap = slot_gap(solver, slot);

	pass->gap_min = gap < pass->gap_min ? gap : pass->gap_min;
	if (!(gap < 0.0) || !slot_touches(solver, slot, solver->displacements[slot_a(solver, slot)].v,
	                                  solver->displacements[slot_b(solver, slot)].v))
		return;
	/* Some of the push may be taken back although that does not count as a change. */
	pass->touches = true;
	if (slot_cut(solver, slot, pass->hard))
		pass->changed = true;
	else
		solver->unclear[slot_a(solver, slot)] = solver->unclear[slot_b(solver, slot)] = true;
}

/* The contacts of an island. Most groups of slots do not close, and are only looked at together. */
static void
island_cut_slots(struct solver *solver, const struct island *island, struct pass *pass)
{
	uint32_t slot = island->contact_start, end = island->contact_end;

	while ((slot = solver->way->closing(solver, slot, end, &pass->gap_min)) < end && !pause_after(SOLVER_UNITS)) {
		uint32_t group = slot + LANES;

		for (; slot < group; slot++)
			if (solver->pair_of[slot] != UINT32_MAX)
				slot_try(solver, slot, pass);
	}
}

/* One pass over all pairs; true if it cut. *touches is set if some pair touched. After the last pass, which cut nothing, the
 * marks are right; marks of earlier passes do no harm. */
static bool
slots_cut(struct solver *solver, bool hard, struct solver_report *report, bool *touches)
{
	struct pass pass = { .hard = hard, .gap_min = (double)INFINITY };

	for (uint32_t n = 0; n < solver->island_count && !pause_after(SOLVER_UNITS); n++)
		if (!solver->islands[n].idle)
			island_cut_slots(solver, &solver->islands[n], &pass);
	for (uint32_t n = 0; n < solver->other_count && !pause_after(SOLVER_UNITS); n++) {
		uint32_t slot = solver->others[n];

		/* Left to events too: only some of these pairs are near. */
		if (slot_driven(solver, slot) && solver->slot_kind[slot] == PAIR_FAR &&
		    !displacement_beyond(solver, slot_a(solver, slot)) && !displacement_beyond(solver, slot_b(solver, slot)))
			slot_try(solver, slot, &pass);
	}
	report->gap_min = pass.gap_min;
	*touches |= pass.touches;
	return pass.changed;
}

/* Reports that all displacements were cut sooner than needed. */
static void
islands_tell(struct solver *solver, struct solver_report *report)
{
	for (uint32_t n = 0; n < solver->island_count && !pause_after(1); n++) {
		struct island *island = &solver->islands[n];

		if (island->idle || island->cut)
			continue;
		island->cut = true;
		report->cut++;
	}
}

bool
displacements_clip(struct solver *solver, uint64_t work_most, struct solver_report *report)
{
	bool touches = false;

	for (unsigned pass = 0;; pass++) {
		bool spent = work_most > 0 && report->work >= work_most;

		if (!slots_cut(solver, spent || pass > PASSES_SOFT, report, &touches))
			return touches;
		report->work += WORK_CLIP * solver->placed + solver->pair_count / WORK_CLIP_PAIRS;
		if (spent)
			islands_tell(solver, report);
	}
}
