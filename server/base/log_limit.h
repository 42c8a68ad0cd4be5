/* log_limit: how many lines of one kind are logged in a second, and how many were left out.
 *
 * A kind is what its lines call the event. Time is an argument. One thread at a time; owns nothing but its table. */
#ifndef COLLIDED_BASE_LOG_LIMIT_H
#define COLLIDED_BASE_LOG_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lines of a kind in a second; more are counted. A person reads fewer, and a disk takes more. */
#define LOG_LINES_PER_S_MAX 20
/* Kinds. All are ours, about 20; more than this many share the last one. */
#define LOG_KINDS_MAX 48

struct log_kind {
	const char *event; /* static text */
	uint64_t begin_ns; /* of its second */
	unsigned lines;    /* in it */
	uint64_t left_out; /* and not told yet */
};

struct log_limit {
	struct log_kind kinds[LOG_KINDS_MAX];
	size_t count;
};

/* Whether one more line may be logged now; else it is counted. */
bool log_limit_take(struct log_limit *limit, const char *event, uint64_t now_ns);
/* A kind with lines left out in a second that is over, and how many: they count as told. NULL: none. */
const char *log_limit_left_out(struct log_limit *limit, uint64_t now_ns, uint64_t *count);

#endif
