#include "scene/run/report_sums.h"

void
report_sums_begin(struct report_sums *sums)
{
	*sums = (struct report_sums){ .summed = false };
	collide__v1__energy__init(&sums->energy);
	collide__v1__momentum__init(&sums->momentum);
}

void
report_sums_add(struct report_sums *sums, const struct tick_report *report)
{
	const struct energy_ledger *ledger = &report->energy;
	Collide__V1__Energy *energy = &sums->energy;
	Collide__V1__Momentum *momentum = &sums->momentum;

	if (!sums->summed) {
		sums->summed = true;
		energy->kinetic_before = ledger->kinetic_before;
		energy->potential_before = ledger->potential_before;
		momentum->before_x = report->momentum.before[0];
		momentum->before_y = report->momentum.before[1];
	}
	momentum->after_x = report->momentum.after[0];
	momentum->after_y = report->momentum.after[1];
	momentum->gravity_x += report->momentum.gravity[0];
	momentum->gravity_y += report->momentum.gravity[1];
	momentum->outside_x += report->momentum.outside[0];
	momentum->outside_y += report->momentum.outside[1];
	energy->kinetic_after = ledger->kinetic_after;
	energy->potential_after = ledger->potential_after;
	energy->contact += ledger->contact;
	energy->work += ledger->work;
	energy->push += ledger->push;
	energy->support += ledger->support;
	energy->friction += ledger->friction;
	energy->clip += ledger->clip;
	energy->sleep += ledger->sleep;
	energy->damping += ledger->damping;
	energy->removed += ledger->removed;
	sums->events += report->events;
	sums->collisions += report->collisions;
	sums->clusters += report->clusters;
	sums->clips += report->clips;
	sums->asleep = report->asleep;
}

void
report_sums_attach(const struct report_sums *sums, struct wire_frame *frame)
{
	frame->energy = &sums->energy;
	frame->momentum = &sums->momentum;
	frame->asleep = sums->asleep;
	frame->events = sums->events;
	frame->collisions = sums->collisions;
	frame->clusters = sums->clusters;
	frame->clips = sums->clips;
}
