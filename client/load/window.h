/* window: the figures between warm-up and end: requests, seconds, and the generator's own. One thread at a time; writes into a
 * result that it borrows. */
#ifndef COLLIDE_LOAD_WINDOW_H
#define COLLIDE_LOAD_WINDOW_H

#include "client/load/load_conn.h"
#include "client/load/load_result.h"

struct window {
	struct load_result *result;
	int64_t begin_ns, end_ns; /* an early end moves end_ns */
	bool open;
	/* Of the current second. */
	int64_t second_begin_ns;
	uint64_t second_completed, second_failed;
	struct histogram *second;
	/* Of the generator. */
	int64_t waited_ns, cpu_begin_ns, run_queue_begin_ns;
};

bool window_init(struct window *window, struct load_result *result, int64_t begin_ns, int64_t end_ns);
void window_finish(struct window *window);

/* Whether a request with this intended start is measured. */
static inline bool
window_has(const struct window *window, int64_t intended_ns)
{
	return intended_ns >= window->begin_ns && intended_ns < window->end_ns;
}

/* window_begin: begins. window_end: ends, at end_ns or at now_ns, whichever is earlier. */
void window_begin(struct window *window);
void window_end(struct window *window, int64_t now_ns);

void window_completed(struct window *window, const struct flight *flight, const struct load_reply *done, uint64_t circles,
                      int64_t now_ns);
/* A request that ended with this reason instead of an answer. */
void window_failed(struct window *window, const struct flight *flight, const char *reason);

/* Closes the seconds that are over; false: no memory. `state` has what is in flight and waiting now. */
bool window_seconds(struct window *window, int64_t now_ns, const struct load_second *state, const struct load_plan *plan);

#endif
