#include "jobs/share_window.h"

static void
share_window_roll(struct share_window *window, uint64_t now_ns)
{
	if (now_ns - window->begin_ns < SHARE_WINDOW_NS)
		return;
	window->begin_ns = now_ns - (now_ns - window->begin_ns) % SHARE_WINDOW_NS;
	window->used_ns = 0;
}

void
share_window_charge(struct share_window *window, uint64_t from_ns, uint64_t to_ns)
{
	share_window_roll(window, to_ns);
	window->used_ns += to_ns - (from_ns > window->begin_ns ? from_ns : window->begin_ns);
}

uint64_t
share_window_pause_ns(struct share_window *window, const struct share_others *others, uint64_t now_ns)
{
	share_window_roll(window, now_ns);
	if (window->used_ns >= SHARE_CLASS_1_NS && (others->strict || others->wait))
		return window->begin_ns + SHARE_WINDOW_NS;
	if (!others->wait || others->strict)
		return now_ns;
	uint64_t since_ns = others->served_ns > window->gave_ns ? others->served_ns : window->gave_ns;
	if (now_ns < since_ns + SHARE_STARVED_NS)
		return now_ns;
	window->gave_ns = now_ns;
	return now_ns + SHARE_TURN_NS;
}
