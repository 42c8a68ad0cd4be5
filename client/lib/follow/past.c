/* Where circles were in the last ticks. */
#include "client/lib/follow/follower.h"

#include <stdlib.h>

static struct follow_tick *
tick_now(const struct collide_follower *follower)
{
	return &follower->past[(follower->past_next + follower->history - 1) % follower->history];
}

static struct follow_piece
piece_of(const struct follow_circle *circle)
{
	const struct collide_followed_circle *seen = &circle->seen;
	bool still = (seen->driven && !circle->leg) || seen->asleep || seen->kind == COLLIDE_STATIC;
	struct follow_piece piece = { .gone = circle->gone, .t0 = circle->t0, .x = seen->x, .y = seen->y, .angle = seen->angle };
	if (!still) {
		piece.vx = seen->driven ? circle->leg_x : seen->vx, piece.vy = seen->driven ? circle->leg_y : seen->vy;
		piece.ax = seen->driven ? 0.0 : circle->ax, piece.ay = seen->driven ? 0.0 : circle->ay;
		piece.spin = seen->spin;
	}
	return piece;
}

bool
follow_past_add(struct collide_follower *follower, size_t body)
{
	struct follow_tick *tick = tick_now(follower);
	if (!follow_reserve(&tick->pieces, &tick->piece_capacity, tick->piece_count + 1, sizeof *tick->pieces))
		return false;
	struct follow_piece *first = &tick->pieces[body];
	struct follow_piece *before = first->last ? &tick->pieces[first->last] : first;
	first->last = before->next = (uint32_t)tick->piece_count;
	tick->pieces[tick->piece_count++] = piece_of(&follower->circles[body]);
	return true;
}

bool
follow_past_begin(struct collide_follower *follower)
{
	struct follow_tick *tick = &follower->past[follower->past_next];
	size_t count = follower->circle_count;
	if (!follow_reserve(&tick->ids, &tick->id_capacity, count, sizeof *tick->ids) ||
	    !follow_reserve(&tick->pieces, &tick->piece_capacity, count, sizeof *tick->pieces))
		return false;
	follower->past_next = (follower->past_next + 1) % follower->history;
	follower->past_count += follower->past_count < follower->history;
	tick->start = (double)follower->world.tick * follower->world.dt;
	tick->length = follower->world.dt;
	tick->count = tick->piece_count = count;
	for (size_t i = 0; i < count; i++) {
		tick->ids[i] = follower->circles[i].seen.id;
		tick->pieces[i] = piece_of(&follower->circles[i]);
	}
	return true;
}

/* The last of a circle at or before a time in the tick. */
static struct follow_piece *
piece_at(const struct follow_tick *tick, size_t body, double time)
{
	struct follow_piece *found = &tick->pieces[body];
	for (uint32_t i = found->next; i != 0 && tick->pieces[i].t0 <= time; i = tick->pieces[i].next)
		found = &tick->pieces[i];
	return found;
}

void
follow_past_end(struct collide_follower *follower)
{
	const struct follow_tick *tick = tick_now(follower);
	for (size_t i = 0; i < follower->circle_count; i++) {
		const struct collide_followed_circle *seen = &follower->circles[i].seen;
		if (!seen->driven || follower->circles[i].leg)
			continue;
		struct follow_piece *first = &tick->pieces[i], *piece = first->last ? &tick->pieces[first->last] : first;
		double s = follower->world.dt - piece->t0;
		if (!(s > 0.0))
			continue;
		piece->vx = (seen->x - piece->x) / s;
		piece->vy = (seen->y - piece->y) / s;
	}
}

void
follow_past_straight(struct collide_follower *follower, double time)
{
	struct follow_tick *tick = tick_now(follower);
	tick->length = time;
	for (size_t i = 0; i < follower->circle_count; i++) {
		const struct follow_circle *circle = &follower->circles[i];
		struct follow_piece *piece = &tick->pieces[i];
		piece->gone = circle->gone;
		piece->vx = (circle->seen.x - piece->x) / time;
		piece->vy = (circle->seen.y - piece->y) / time;
		piece->spin = (circle->seen.angle - piece->angle) / time;
		piece->t0 = piece->ax = piece->ay = 0.0;
	}
}

void
follow_past_clear(struct collide_follower *follower)
{
	follower->past_next = follower->past_count = 0;
}

void
follow_past_finish(struct collide_follower *follower)
{
	for (size_t i = 0; i < follower->history; i++) {
		free(follower->past[i].ids);
		free(follower->past[i].pieces);
	}
}

static int
id_compare(const void *left, const void *right)
{
	const uint32_t *l = left, *r = right;
	return *l < *r ? -1 : *l > *r;
}

bool
collide_follower_place(const struct collide_follower *follower, uint32_t id, double time, struct collide_place *place)
{
	for (size_t back = 1; back <= follower->past_count; back++) {
		const struct follow_tick *tick = &follower->past[(follower->past_next + follower->history - back) % follower->history];
		if (time < tick->start)
			continue;
		const uint32_t *found = tick->count == 0 ? NULL : bsearch(&id, tick->ids, tick->count, sizeof id, id_compare);
		if (!found)
			return false;
		double t = time - tick->start < tick->length ? time - tick->start : tick->length;
		const struct follow_piece *piece = piece_at(tick, (size_t)(found - tick->ids), t);
		double s = t - piece->t0;
		*place = (struct collide_place){ piece->x + s * (piece->vx + 0.5 * s * piece->ax),
			                             piece->y + s * (piece->vy + 0.5 * s * piece->ay), piece->angle + s * piece->spin };
		return !piece->gone;
	}
	return false;
}
