#include "worlds/paths/path_spans.h"

#include "base/pause.h"
#include "worlds/commands/room.h"

bool
path_spans_begin(struct path_tick *tick)
{
	size_t count = tick->count;

	tick->before_count = 0;
	if (!tick->spans_wanted)
		return true;
	if (!room_reserve(&tick->befores, &tick->before_capacity, count, sizeof *tick->befores) ||
	    !room_reserve(&tick->spans, &tick->span_capacity, count, sizeof *tick->spans))
		return false;
	(void)pause_copy(tick->befores, tick->circles, count * sizeof *tick->befores);
	tick->before_count = count;
	return true;
}

static void
span_add(struct path_span *span, double x, double y)
{
	span->x0 = fmin(span->x0, x), span->x1 = fmax(span->x1, x);
	span->y0 = fmin(span->y0, y), span->y1 = fmax(span->y1, y);
}

void
path_span_set(struct path_tick *tick, size_t body, const struct circle_ways *ways)
{
	const struct reader_circle *circle = &tick->circles[body];
	struct path_span *span = &tick->spans[body];
	const struct reader_circle *before = &tick->befores[body];
	double part = 0.125 * tick->dt * tick->dt, bend_x = fabs(circle->ax), bend_y = fabs(circle->ay);

	*span = (struct path_span){ before->x, before->y, before->x, before->y, circle->x, circle->y, ways->end != NULL };
	for (size_t k = 0; k < ways->count; k++) {
		span_add(span, ways->pieces[k].position[0], ways->pieces[k].position[1]);
		bend_x = fmax(bend_x, fabs(ways->pieces[k].acceleration[0]));
		bend_y = fmax(bend_y, fabs(ways->pieces[k].acceleration[1]));
	}
	if (ways->end)
		span_add(span, ways->end->position[0], ways->end->position[1]);
	span_add(span, circle->x, circle->y);
	span->x0 -= part * bend_x, span->x1 += part * bend_x;
	span->y0 -= part * bend_y, span->y1 += part * bend_y;
}
