#include "base/log_limit.h"

#include "base/clock.h"

#include <string.h>

static struct log_kind *
find_kind(struct log_limit *limit, const char *event)
{
	for (size_t i = 0; i < limit->count; i++)
		if (limit->kinds[i].event == event || strcmp(limit->kinds[i].event, event) == 0)
			return &limit->kinds[i];
	if (limit->count == LOG_KINDS_MAX)
		return &limit->kinds[LOG_KINDS_MAX - 1];
	struct log_kind *kind = &limit->kinds[limit->count++];
	*kind = (struct log_kind){ .event = limit->count == LOG_KINDS_MAX ? "other" : event };
	return kind;
}

bool
log_limit_take(struct log_limit *limit, const char *event, uint64_t now_ns)
{
	struct log_kind *kind = find_kind(limit, event);
	if (now_ns - kind->begin_ns >= CLOCK_NS_PER_S) {
		kind->begin_ns = now_ns;
		kind->lines = 0;
	}
	if (kind->lines == LOG_LINES_PER_S_MAX) {
		kind->left_out++;
		return false;
	}
	kind->lines++;
	return true;
}

const char *
log_limit_left_out(struct log_limit *limit, uint64_t now_ns, uint64_t *count)
{
	for (size_t i = 0; i < limit->count; i++) {
		struct log_kind *kind = &limit->kinds[i];
		if (kind->left_out > 0 && now_ns - kind->begin_ns >= CLOCK_NS_PER_S) {
			*count = kind->left_out;
			kind->left_out = 0;
			return kind->event;
		}
	}
	return NULL;
}
