/* tally: totals of a run, added up frame by frame, and the summary at its end.
 *
 * One thread at a time. Owns nothing. */
#ifndef COLLIDE_CLI_TALLY_H
#define COLLIDE_CLI_TALLY_H

#include "certificate/certificate.h"
#include "client/lib/collide.h"

#include <stdio.h>

/* Sums over consecutive frames, as the server would have sent them in one frame. */
struct frame_sums {
	uint64_t frames;
	uint64_t events, collisions, clusters, clips;
	bool has_energy;
	struct collide_energy energy;
	bool has_momentum;
	struct collide_momentum momentum;
};

void frame_sums_add(struct frame_sums *sums, const struct collide_frame *frame);

enum { SHORTFALL_KINDS = 4, END_KINDS = 3 };

struct tally {
	bool commanded; /* commands change energies and momenta between ticks: what no ledger has is theirs */
	struct frame_sums whole;
	double kinetic_most; /* the largest kinetic energy of a frame; the scale of the drift */
	uint64_t shortfalls[SHORTFALL_KINDS];
	double shortfall_most[SHORTFALL_KINDS]; /* the largest amount of each */
	uint64_t stops;                         /* by contact rules */
	uint64_t ends[END_KINDS];               /* by enum collide_end_reason, from the first */
	size_t circles;
	uint64_t asleep; /* in the last frame */
	uint64_t first;  /* the tick that the run begins after */
	uint64_t tick;   /* of the last frame */
	double time;     /* of the scene, at the last frame */
	uint64_t hash;
};

void tally_add(struct tally *tally, const struct collide_frame *frame);
/* Relative change of the total energy over the run. The scale is the largest kinetic energy seen, because potential energy has
 * no natural zero. */
double tally_energy_drift(const struct tally *tally);

/* Prints the summary. `done` may be NULL: the run ended early, and only the frames' figures are known. `certificate` may be
 * NULL: it was not asked for. `wall_seconds`: from the request to the last reply. */
void tally_print(const struct tally *tally, const struct collide_done *done, double wall_seconds,
                 const struct certificate_report *certificate, FILE *out);

/* "contact" and so on, for a reason less the first of enum collide_end_reason. */
const char *end_name(size_t kind);
/* "BUDGET" and so on, for a flag's bit number below SHORTFALL_KINDS. */
const char *shortfall_name(size_t kind);

#endif
