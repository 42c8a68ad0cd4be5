#include "client/cli/run/tally.h"

#include "client/cli/terminal/text.h"

#include <inttypes.h>
#include <math.h>

const char *
shortfall_name(size_t kind)
{
	static const char *const names[SHORTFALL_KINDS] = { "BUDGET", "INITIAL_OVERLAP", "CRUSHED", "FAST" };
	return names[kind];
}

const char *
end_name(size_t kind)
{
	static const char *const names[END_KINDS] = { "contact", "lifetime", "bounds" };
	return kind < END_KINDS ? names[kind] : "?";
}

static void
frame_sums_add_momentum(struct frame_sums *sums, const struct collide_frame *frame)
{
	const struct collide_momentum *momentum = &frame->momentum;
	if (!frame->has_momentum)
		return;
	if (!sums->has_momentum) {
		sums->has_momentum = true;
		sums->momentum.before_x = momentum->before_x;
		sums->momentum.before_y = momentum->before_y;
	}
	sums->momentum.after_x = momentum->after_x;
	sums->momentum.after_y = momentum->after_y;
	sums->momentum.gravity_x += momentum->gravity_x;
	sums->momentum.gravity_y += momentum->gravity_y;
	sums->momentum.outside_x += momentum->outside_x;
	sums->momentum.outside_y += momentum->outside_y;
}

void
frame_sums_add(struct frame_sums *sums, const struct collide_frame *frame)
{
	const struct collide_energy *energy = &frame->energy;
	if (!sums->has_energy && frame->has_energy) {
		sums->has_energy = true;
		sums->energy.kinetic_before = energy->kinetic_before;
		sums->energy.potential_before = energy->potential_before;
	}
	if (frame->has_energy) {
		sums->energy.kinetic_after = energy->kinetic_after;
		sums->energy.potential_after = energy->potential_after;
		sums->energy.contact += energy->contact;
		sums->energy.work += energy->work;
		sums->energy.push += energy->push;
		sums->energy.clip += energy->clip;
		sums->energy.support += energy->support;
		sums->energy.friction += energy->friction;
		sums->energy.sleep += energy->sleep;
		sums->energy.damping += energy->damping;
		sums->energy.removed += energy->removed;
	}
	frame_sums_add_momentum(sums, frame);
	sums->frames++;
	sums->events += frame->events;
	sums->collisions += frame->collisions;
	sums->clusters += frame->clusters;
	sums->clips += frame->clips;
}

void
tally_add(struct tally *tally, const struct collide_frame *frame)
{
	frame_sums_add(&tally->whole, frame);
	tally->kinetic_most = fmax(tally->kinetic_most, fmax(frame->energy.kinetic_before, frame->energy.kinetic_after));
	for (size_t i = 0; i < frame->shortfalls.count; i++)
		for (size_t kind = 0; kind < SHORTFALL_KINDS; kind++)
			if ((frame->shortfalls.flag[i] >> kind & 1) != 0) {
				tally->shortfalls[kind]++;
				tally->shortfall_most[kind] = fmax(tally->shortfall_most[kind], frame->shortfalls.amount[i]);
			}
	for (size_t i = 0; i < frame->path_changes.count; i++)
		tally->stops += frame->path_changes.kind[i] == COLLIDE_PATH_STOPPED;
	for (size_t i = 0; i < frame->ends.count; i++)
		for (size_t kind = 0; kind < END_KINDS; kind++)
			tally->ends[kind] += frame->ends.reason[i] == COLLIDE_END_CONTACT + kind;
	tally->circles = frame->bodies.count;
	tally->asleep = frame->asleep;
	tally->tick = frame->tick;
	tally->time = frame->time;
	tally->hash = frame->hash;
}

static double
energy_change(const struct collide_energy *energy)
{
	return (energy->kinetic_after - energy->kinetic_before) + (energy->potential_after - energy->potential_before);
}

double
tally_energy_drift(const struct tally *tally)
{
	double change = energy_change(&tally->whole.energy);
	return tally->kinetic_most > 0 ? change / tally->kinetic_most : change;
}

/* Parts of the ledger: what took energy, or gave it. Only changes beyond rounding are printed. */
static void
energy_parts_print(const struct tally *tally, bool given, FILE *out)
{
	const struct collide_energy *energy = &tally->whole.energy;
	double told = energy->contact + energy->work + energy->push + energy->clip + energy->support + energy->sleep +
	              energy->damping + energy->removed;
	const struct {
		const char *name;
		double value;
	} parts[] = {
		{ "restitution", energy->contact - energy->friction },
		{ "friction", energy->friction },
		{ "moving walls and surfaces", energy->work },
		{ "push-out of overlaps", energy->push },
		{ "clips", energy->clip },
		{ "support of resting circles", energy->support },
		{ "falling asleep", energy->sleep },
		{ "damping", energy->damping },
		{ "ends", energy->removed },
		{ "commands", tally->commanded ? energy_change(energy) - told : 0 },
	};
	const char *before = given ? "  given by       " : "  taken by       ";
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		if (fabs(parts[i].value) <= 1e-9 * tally->kinetic_most || (parts[i].value > 0) != given)
			continue;
		fprintf(out, "%s%s %.6g", before, parts[i].name, fabs(parts[i].value));
		before = ", ";
	}
	if (before[0] == ',')
		fprintf(out, "\n");
}

/* Energies have the scene's unit, mass times length squared over time squared; the part of the largest kinetic energy has none.
 */
static void
energy_print(const struct tally *tally, FILE *out)
{
	const struct collide_energy *energy = &tally->whole.energy;
	if (!tally->whole.has_energy)
		return;
	fprintf(out, "energy drift     %.6g", energy_change(energy));
	if (tally->kinetic_most > 0)
		fprintf(out, ", %.2g of the largest kinetic energy", tally_energy_drift(tally));
	fprintf(out, " (kinetic %.6g -> %.6g", energy->kinetic_before, energy->kinetic_after);
	if (energy->potential_before != 0 || energy->potential_after != 0)
		fprintf(out, ", potential %.6g -> %.6g", energy->potential_before, energy->potential_after);
	fprintf(out, ")\n");
	energy_parts_print(tally, false, out);
	energy_parts_print(tally, true, out);
}

/* What the ledger does not explain is 0 up to rounding. The scale is the momentum of all circles. */
static void
momentum_print(const struct frame_sums *sums, bool commanded, FILE *out)
{
	const struct collide_momentum *m = &sums->momentum;
	if (!sums->has_momentum)
		return;
	double left_x = m->after_x - m->before_x - m->gravity_x - m->outside_x;
	double left_y = m->after_y - m->before_y - m->gravity_y - m->outside_y;
	fprintf(out, "momentum         (%.6g, %.6g) -> (%.6g, %.6g)", m->before_x, m->before_y, m->after_x, m->after_y);
	if (m->gravity_x != 0 || m->gravity_y != 0)
		fprintf(out, ", gravity (%.6g, %.6g)", m->gravity_x, m->gravity_y);
	if (m->outside_x != 0 || m->outside_y != 0)
		fprintf(out, ", walls (%.6g, %.6g)", m->outside_x, m->outside_y);
	if (commanded)
		fprintf(out, ", commands (%.6g, %.6g)\n", left_x, left_y);
	else
		fprintf(out, ", unexplained %.1g\n", hypot(left_x, left_y));
}

/* Overlaps that the engine has reported are not counted by the certificate: then its 0 covers the others only. */
static bool
overlaps_told(const struct tally *tally)
{
	for (size_t kind = 0; kind < SHORTFALL_KINDS; kind++) {
		enum collide_shortfall_flag flag = (enum collide_shortfall_flag)(1U << kind);
		if ((flag == COLLIDE_SHORTFALL_INITIAL_OVERLAP || flag == COLLIDE_SHORTFALL_CRUSHED) && tally->shortfalls[kind] > 0)
			return true;
	}
	return false;
}

static void
certificate_print(const struct tally *tally, const struct certificate_report *report, FILE *out)
{
	if (!report) {
		fprintf(out, "certificate      not asked for (--certify)\n");
		return;
	}
	fprintf(out,
	        "certificate      %" PRIu64 " escapes, %" PRIu64 " overlaps, %" PRIu64 " jumps in %" PRIu64 " ticks and %" PRIu64
	        " contacts\n",
	        report->escapes, report->overlaps, report->jumps, report->ticks, report->contacts);
	fprintf(out, "largest overlap  %.3g (%.3g radii)%s\n", report->largest_overlap, report->largest_overlap_radii,
	        overlaps_told(tally) ? " apart from shortfalls" : "");
	if (report->energy_faults > 0)
		fprintf(out, "elastic contacts %" PRIu64 " clusters of them change their energy, one by %.3g of it\n",
		        report->energy_faults, report->largest_energy_fault);
	if (report->pair_events > 0)
		fprintf(out, "events of pairs  %" PRIu64 ", %" PRIu64 " of them not as the paths are\n", report->pair_events,
		        report->event_faults);
	if (report->first_problem[0] != '\0')
		fprintf(out, "first problem    %s\n", report->first_problem);
}

static void
shortfalls_print(const struct tally *tally, FILE *out)
{
	/* The unit of an amount, by kind. */
	static const char *const units[SHORTFALL_KINDS] = { "of the tick", "deep", "deep", "radii per tick" };
	char digits[DIGITS_GROUPED_BYTES];
	const char *before = "shortfalls       ";
	for (size_t kind = 0; kind < SHORTFALL_KINDS; kind++) {
		if (tally->shortfalls[kind] == 0)
			continue;
		fprintf(out, "%s%s %s (at most %.3g %s)", before, digits_grouped(tally->shortfalls[kind], digits), shortfall_name(kind),
		        tally->shortfall_most[kind], units[kind]);
		before = ", ";
	}
	fprintf(out, "%s\n", before[0] == ',' ? "" : "shortfalls       none");
}

/* Stops, too. */
static void
ends_print(const struct tally *tally, FILE *out)
{
	char digits[DIGITS_GROUPED_BYTES];
	const char *before = "ends             ";
	if (tally->stops > 0)
		fprintf(out, "stops            %s by contact rules\n", digits_grouped(tally->stops, digits));
	for (size_t kind = 0; kind < END_KINDS; kind++) {
		if (tally->ends[kind] == 0)
			continue;
		fprintf(out, "%s%s by %s", before, digits_grouped(tally->ends[kind], digits), end_name(kind));
		before = ", ";
	}
	if (before[0] == ',')
		fputc('\n', out);
}

/* The totals that the server would have sent at the end, from the frames so far. */
static struct collide_done
done_so_far(const struct tally *tally)
{
	return (struct collide_done){
		.ticks = tally->tick - tally->first,
		.events = tally->whole.events,
		.collisions = tally->whole.collisions,
		.clusters = tally->whole.clusters,
		.clips = tally->whole.clips,
		.hash = tally->hash,
	};
}

/* Prints where the engine's time went, and how much work there was. */
static void
cost_print(const struct collide_done *done, FILE *out)
{
	const struct collide_cost *cost = &done->cost;
	const struct {
		const char *name;
		double seconds;
	} phases[] = {
		{ "begin", cost->begin_seconds },  { "rest", cost->rest_seconds },    { "prediction", cost->predict_seconds },
		{ "events", cost->event_seconds }, { "strips", cost->strip_seconds }, { "end", cost->end_seconds },
	};
	char digits[4][DIGITS_GROUPED_BYTES];
	const char *before = "engine time      ";
	double sum = 0;
	for (size_t k = 0; k < sizeof phases / sizeof phases[0]; k++)
		sum += phases[k].seconds;
	for (size_t k = 0; k < sizeof phases / sizeof phases[0] && sum > 0; k++) {
		if (phases[k].seconds == 0)
			continue;
		fprintf(out, "%s%s %.0f %%", before, phases[k].name, 100 * phases[k].seconds / sum);
		before = ", ";
	}
	if (sum > 0 && cost->timed_ticks < done->ticks)
		fprintf(out, ", by %s of the ticks", digits_grouped(cost->timed_ticks, digits[0]));
	if (sum > 0)
		fputc('\n', out);
	fprintf(out, "work             %s looks around, %s events foreseen, %s changes of cells",
	        digits_grouped(cost->looks, digits[0]), digits_grouped(cost->foreseen, digits[1]),
	        digits_grouped(cost->transfers, digits[2]));
	if (cost->sweeps > 0)
		fprintf(out, ", %s sweeps", digits_grouped(cost->sweeps, digits[3]));
	if (cost->work > 0)
		fprintf(out, ", at most %.3g %% of what a tick may take", 100 * cost->work_share_max);
	if (cost->shared_ticks > 0)
		fprintf(out, ", %s ticks by several threads", digits_grouped(cost->shared_ticks, digits[0]));
	if (cost->repeated_ticks > 0)
		fprintf(out, ", %s made again by one", digits_grouped(cost->repeated_ticks, digits[1]));
	fputc('\n', out);
}

/* If the run ended early, the engine's time is unknown. */
static void
times_print(const struct tally *tally, const struct collide_done *done, double wall_seconds, FILE *out)
{
	char digits[2][DIGITS_GROUPED_BYTES];
	bool told = done->worker_seconds > 0;
	double elsewhere = fmax(0, wall_seconds - done->worker_seconds - done->waiting_seconds);
	double stepping = done->engine_seconds > 0 ? done->engine_seconds : wall_seconds;
	fprintf(out, "speed            %s events/s, %s circle-ticks/s%s\n",
	        digits_grouped((uint64_t)((double)done->events / stepping), digits[0]),
	        digits_grouped((uint64_t)((double)done->ticks * (double)tally->circles / stepping), digits[1]),
	        told ? " of engine time" : "");
	fprintf(out, "time             %.3f s", wall_seconds);
	if (told)
		fprintf(out, ": engine %.3f, coding %.3f, waiting %.3f, wire and client %.3f", done->engine_seconds,
		        fmax(0, done->worker_seconds - done->engine_seconds), done->waiting_seconds, elsewhere);
	fputc('\n', out);
	if (done->cost.looks > 0)
		cost_print(done, out);
}

void
tally_print(const struct tally *tally, const struct collide_done *done, double wall_seconds,
            const struct certificate_report *certificate, FILE *out)
{
	char digits[3][DIGITS_GROUPED_BYTES];
	const struct collide_done so_far = done_so_far(tally);
	if (!done)
		done = &so_far;
	fprintf(out, "ticks            %s of %s circles, %.6g s of the scene\n", digits_grouped(done->ticks, digits[0]),
	        digits_grouped(tally->circles, digits[1]), tally->time);
	fprintf(out, "collisions       %s in %s events, %s of them clusters\n", digits_grouped(done->collisions, digits[0]),
	        digits_grouped(done->events, digits[1]), digits_grouped(done->clusters, digits[2]));
	ends_print(tally, out);
	if (tally->asleep > 0)
		fprintf(out, "asleep           %s circles at the end\n", digits_grouped(tally->asleep, digits[0]));
	if (done->clips > 0)
		fprintf(out, "clips            %s paths of resting circles cut short\n", digits_grouped(done->clips, digits[0]));
	certificate_print(tally, certificate, out);
	energy_print(tally, out);
	momentum_print(&tally->whole, tally->commanded, out);
	times_print(tally, done, wall_seconds, out);
	shortfalls_print(tally, out);
	fprintf(out, "state hash       %016" PRIx64 "\n", done->hash);
}
