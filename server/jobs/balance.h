/* balance: which keeper is late for so long that it gives a task to another, and to which. A pure structure: time and cost are
 * arguments; one thread at a time. */
#ifndef COLLIDED_JOBS_BALANCE_H
#define COLLIDED_JOBS_BALANCE_H

#include <stdbool.h>
#include <stdint.h>

/* A keeper has turns that begin more than a period late, again and again, for so long: then it gives tasks away. */
#define BALANCE_LATE_NS UINT64_C(1000000000)
/* Without one for so long it is not late any more. */
#define BALANCE_QUIET_NS UINT64_C(100000000)
/* One at a time, no closer together than this: what the last one changed is to be seen first. */
#define BALANCE_STEP_NS UINT64_C(100000000)
/* Of a core, in thousandths: where more is used by class 1, none is taken in. */
#define BALANCE_ROOM_PERMILLE 600u
/* Over which use is measured. */
#define BALANCE_SPAN_NS UINT64_C(1000000000)

struct balance {
	uint64_t late_since_ns, late_last_ns; /* 0: not late */
	uint64_t gave_ns;
	uint64_t span_ns, used_ns; /* of the span that began then */
	unsigned permille;         /* of the span before, and what was taken in since */
};

/* A turn began so late, and cost so much. Its period is how far apart its due times are. */
void balance_turn(struct balance *balance, uint64_t late_ns, uint64_t period_ns, uint64_t cost_ns, uint64_t now_ns);
/* Whether a task is to be given away. */
bool balance_is_late(const struct balance *balance, uint64_t now_ns);
/* Ends a span that is over; also where no turn does. */
void balance_roll(struct balance *balance, uint64_t now_ns);
/* One was given away, or taken in, with so much reserved per second. */
void balance_give(struct balance *balance, uint64_t now_ns);
unsigned balance_permille(uint64_t ns_per_s);
/* The one with the least use, other than `from`; `count`: none has room for so much more. */
unsigned balance_choose(const unsigned *permille, unsigned count, unsigned from, unsigned more);

#endif
