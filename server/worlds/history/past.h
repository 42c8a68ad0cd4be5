/* past: the world beside a live one that makes its ticks again for questions about moments that it had (WorldMoment), and the
 * spaces made of them.
 *
 * The worker that has the world. Made when it is first asked for, and gone some time after the last question. It goes
 * forward from moment to moment; back by states in memory, or from a snapshot of the journal. */
#ifndef COLLIDED_WORLDS_HISTORY_PAST_H
#define COLLIDED_WORLDS_HISTORY_PAST_H

#include "scene/shared_space.h"
#include "worlds/history/definitions.h"
#include "worlds/history/journal.h"
#include "worlds/history/recent.h"

#define PAST_SPACES 8

struct past_space {
	struct shared_space *space; /* NULL: none */
	uint64_t tick;
	double time;
	uint64_t asked; /* by the world's count of questions, last */
};

struct past {
	struct world_moment moment; /* its world is NULL: there is none */
	bool outdated;              /* its state is one that never was: only states kept of it are of use */
	struct recent_states recent;
	uint64_t stepped;          /* the tick that the world made last, with the paths of `report`; 0: none */
	struct definitions starts; /* what there was at its start, after commands */
	struct tick_report *report;
	struct past_space *spaces; /* PAST_SPACES; NULL: none so far */
	uint64_t asks;             /* counts questions */
	uint64_t asked_tick;       /* of the live world, when the last came */
};

void past_init(struct past *past, uint32_t history_ticks);
void past_finish(struct past *past);
/* What was after the state of a tick will be otherwise. */
void past_cut(struct past *past, uint64_t tick);
/* That of a moment, if it is there still; held for the caller. NULL: it is to be made. */
struct shared_space *past_space_find(struct past *past, uint64_t tick, double time);
/* Bytes of those that it holds; they are charged to no ledger. */
uint64_t past_spaces_bytes(const struct past *past);
/* Keeps one that was made, in place of the one that was asked for longest ago. */
void past_space_keep(struct past *past, uint64_t tick, double time, struct shared_space *space);

#endif
