/* draft: the news of a turn, as they come together.
 *
 * The worker that has the world. What is in it is charged to no ledger: the loop frees it. Without memory for the news
 * themselves it stays for those of a later turn. One is kept in reserve. */
#ifndef COLLIDED_WORLDS_LIVE_DRAFT_H
#define COLLIDED_WORLDS_LIVE_DRAFT_H

#include "worlds/commands/batch.h"
#include "worlds/live/seat_list.h"
#include "worlds/news.h"

struct draft {
	struct decided *decided, **decided_end;
	struct update *updates, **update_end;
	struct answer *answers, **answer_end;
	struct news *reserve; /* NULL: used up, and no memory since */
};

/* What becomes of a batch. */
struct verdict {
	struct wire_problem problem; /* STATUS_OK: it has taken effect */
	uint64_t tick;               /* it takes effect at the start of this one */
	uint32_t missing;
	bool has_margin;
	int64_t margin_ns;
};

/* False without memory for the reserve. */
bool draft_init(struct draft *draft);
void draft_finish(struct draft *draft);
/* The next news will not want for memory. False: there is none. */
STATUS_MUST_USE bool draft_reserve(struct draft *draft);
bool draft_is_empty(const struct draft *draft);
/* False without memory: nothing is decided. */
STATUS_MUST_USE bool draft_decide(struct draft *draft, struct seat_entry *seat, const struct batch *batch,
                                  const struct verdict *verdict);
/* One that had taken effect has not after all (UNDONE): `problem` says why. False without memory. */
STATUS_MUST_USE bool draft_undo(struct draft *draft, struct seat_entry *seat, const struct batch *batch,
                                const struct wire_problem *problem);
/* An answer that is still to be added. NULL without memory. */
struct answer *draft_answer_create(uint64_t ask);
/* Takes it. */
void draft_answer(struct draft *draft, struct answer *answer);
void draft_update(struct draft *draft, struct update *update);
/* The news, which is the caller's from now on. NULL: no memory, and nothing is taken. */
struct news *draft_take(struct draft *draft);

#endif
