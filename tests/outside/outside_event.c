/* Events of pairs: a touch that begins had not begun, one that ends had; sensors hold at the tick's end what they should. */
#include "outside/inside.h"

enum { OPEN_TOUCH = 1, OPEN_INSIDE = 2 };

static uint8_t *
open_of(struct outside *outside, const struct outside_event *event, bool sensed)
{
	const size_t columns = outside->body_count + outside->wall_count;
	size_t a = outside_body(outside, event->a);
	size_t b = event->with_wall ? outside_wall(outside, event->b) : outside_body(outside, event->b);

	if (a == NO_BODY || b == NO_BODY)
		return NULL;
	if (!sensed && !event->with_wall && b < a) {
		const size_t swap = a;
		a = b;
		b = swap;
	}
	return &outside->open[a * columns + (event->with_wall ? outside->body_count + b : b)];
}

/* When events of the body may be: up to its end, or at the start of the tick after that of the bounds. */
static bool
event_in_time(const struct outside *outside, uint32_t id, real time)
{
	const struct body *body = &outside->bodies[outside_body(outside, id)];

	return body->gone ? body->out && time == 0 : time <= body->ends;
}

static void
event_take(struct outside *outside, const struct outside_event *event, real *last)
{
	const bool sensed = event->kind == OUTSIDE_ENTER || event->kind == OUTSIDE_EXIT;
	uint8_t *open = open_of(outside, event, sensed), bit = sensed ? OPEN_INSIDE : OPEN_TOUCH;
	const bool begins = event->kind == OUTSIDE_BEGIN || event->kind == OUTSIDE_ENTER;

	if (!open || !(event->time >= *last && event->time <= outside->tick->dt)) {
		outside_find(outside, OUTSIDE_BAD_EVENT, 1, 0, "an event of %u and %u at time %.9g is out of order or of nobody",
		             event->a, event->b, event->time);
		return;
	}
	*last = event->time;
	if (!event_in_time(outside, event->a, event->time) || (!event->with_wall && !event_in_time(outside, event->b, event->time)))
		outside_find(outside, OUTSIDE_BAD_RULE, 1, 0, "an event of %u and %u at time %.9g is after the end of one", event->a,
		             event->b, event->time);
	/* A touch's end may be that of one that began before the first tick: an edit's, or a snapshot's. There is none here. */
	if (begins == ((*open & bit) != 0))
		outside_find(outside, OUTSIDE_BAD_EVENT, 1, 0, "%u and %u %s at time %.9g although they %s", event->a, event->b,
		             begins ? "begin" : "go on or end", event->time, begins ? "have" : "have not");
	if (begins)
		*open |= bit;
	if (event->kind == OUTSIDE_END || event->kind == OUTSIDE_EXIT)
		*open &= (uint8_t)~bit;
}

static void
inside_check(struct outside *outside, size_t i, size_t column, real distance, real radii, real slop, uint32_t sensor)
{
	const bool told = (outside->open[i * (outside->body_count + outside->wall_count) + column] & OPEN_INSIDE) != 0;
	const real gap = distance - radii;
	const struct body *body = &outside->bodies[i];

	if ((gap < -slop && !told) || (gap > slop && told))
		outside_find(outside, OUTSIDE_BAD_EVENT, fabsl(gap) / body->def.radius, 0,
		             "circle %u is %s sensor %u by %.3Lg, told is %s", body->def.id, gap < 0 ? "in" : "out of", sensor,
		             fabsl(gap), told ? "in" : "out");
}

static void
sensors_check(struct outside *outside, size_t i)
{
	const struct outside_tick *tick = outside->tick;
	const struct body *a = &outside->bodies[i];
	const struct point p = a->told;

	for (size_t k = 0; k < outside->body_count; k++) {
		const struct body *b = &outside->bodies[k];
		const struct point q = b->told;
		if (k == i || b->end || !outside_circle_senses(outside, b, a) || outside_parting(outside, a, b) == PARTING_UNSURE)
			continue;
		const real reach = larger_of(a->reach, b->reach) + tick->dt * (a->speed + b->speed + 2 * outside->gravity * tick->dt);
		inside_check(outside, i, k, point_size(point_add(p, -1, q)), (real)a->def.radius + b->def.radius,
		             0x1p-44L * reach + 4 * (a->slop + b->slop), b->def.id);
	}
	for (size_t k = 0; k < outside->wall_count; k++) {
		const struct wall *b = &outside->walls[k];
		if (!outside_wall_senses(outside, b, a))
			continue;
		const struct bar bar = outside_bar_at(b, tick->dt);
		const real reach = larger_of(a->reach, point_reach(bar.from)) + larger_of(point_reach(bar.to), point_reach(b->e1)) +
		                   tick->dt * (a->speed + outside->gravity * tick->dt);
		inside_check(outside, i, outside->body_count + k, bar_distance(&bar, p), (real)a->def.radius + b->def.radius,
		             0x1p-44L * reach + 4 * (a->slop + b->slop), b->def.id);
	}
}

/* What has ended touches nothing, and is in no sensor. */
static void
closed_check(struct outside *outside, size_t i)
{
	const size_t columns = outside->body_count + outside->wall_count;

	for (size_t k = 0; k < columns; k++)
		if (outside->open[i * columns + k] || (k < outside->body_count && outside->open[k * columns + i])) {
			outside_find(outside, OUTSIDE_BAD_EVENT, 1, 0, "circle %u has ended, and a pair of it goes on",
			             outside->bodies[i].def.id);
			return;
		}
}

void
outside_events(struct outside *outside)
{
	real last = 0;

	for (size_t i = 0; i < outside->tick->event_count; i++)
		event_take(outside, &outside->tick->events[i], &last);
	for (size_t i = 0; i < outside->body_count; i++) {
		const struct body *body = &outside->bodies[i];
		if (!body->gone && !body->end)
			sensors_check(outside, i);
		else if (!body->end || body->end->reason != OUTSIDE_END_BOUNDS)
			closed_check(outside, i);
	}
}
