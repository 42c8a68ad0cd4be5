/* Happy path: a path that ends is stored as a piece. At the tick's end touch.c and sensor.c walk over the pieces and report;
 * then the reports are sorted. */
#include "physics/reports/watch.h"

#include "base/memory.h"
#include "base/pause.h"
#include "physics/math/sort.h"
#include "physics/prediction/predict.h"
#include "physics/reports/crossing.h"
#include "physics/reports/sensor.h"
#include "physics/reports/touch.h"
#include "physics/reports/walk.h"
#include "physics/world/collision_filter.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static bool
touches_wanted(unsigned events)
{
	return (events & (WORLD_EVENTS_TOUCH | WORLD_EVENTS_PERSIST)) != 0;
}

static bool
watch_fill(struct world *world, struct watch *watch)
{
	size_t count = (size_t)world->bodies.count + 1;

	watch->first = memory_alloc(count * sizeof *watch->first);
	watch->last = memory_alloc(count * sizeof *watch->last);
	watch->ranges = memory_alloc(count * sizeof *watch->ranges);
	watch->replaced = memory_alloc(count * sizeof *watch->replaced);
	if (!watch->first || !watch->last || !watch->ranges || !watch->replaced)
		return false;
	for (size_t i = 0; i < count && !pause_after(1); i++)
		watch_body_forget(watch, (uint32_t)i);
	if (touches_wanted(world->settings.watched) && !(watch->touches = touches_create()))
		return false;
	return !senses_wanted(world) || (watch->sensor_watch = senses_create(world)) != NULL;
}

bool
watch_create(struct world *world)
{
	return (world->settings.watched == 0 && !senses_wanted(world)) || watch_make(world);
}

bool
watch_make(struct world *world)
{
	struct watch *watch = memory_zeroed(1, sizeof *watch);

	world->watch = watch;
	return watch && watch_fill(world, watch);
}

enum status
world_events_set(struct world *world, unsigned events)
{
	unsigned before = world->settings.watched;
	struct touches *touches = NULL;

	if (events & ~(WORLD_EVENTS_ALL | WORLD_EVENTS_OBSERVED))
		return STATUS_INVALID_ARGUMENT;
	if (events == before && !world->watch) /* as the world was made */
		return STATUS_OK;
	world->settings.watched = events;
	if (!world->watch) {
		if (watch_create(world))
			return STATUS_OK;
		watch_destroy(world->watch);
		world->watch = NULL;
		world->settings.watched = before;
		return STATUS_RESOURCE_EXHAUSTED;
	}
	if (touches_wanted(events) && !world->watch->touches && !(touches = touches_create())) {
		world->settings.watched = before;
		return STATUS_RESOURCE_EXHAUSTED;
	}
	if (touches)
		world->watch->touches = touches;
	if (!touches_wanted(events)) {
		touches_destroy(world->watch->touches);
		world->watch->touches = NULL;
	}
	if (!(events & (WORLD_EVENTS_PATHS | WORLD_EVENTS_CHANGED_PATHS)))
		watch_rows_free(world->watch);
	/* Nothing is watched any more: ticks need not note their paths, and may be made by several threads. */
	if (events == 0 && !world->watch->sensor_watch && world->watch->drop_count == 0) {
		watch_destroy(world->watch);
		world->watch = NULL;
	}
	return STATUS_OK;
}

void
watch_destroy(struct watch *watch)
{
	if (!watch)
		return;
	touches_destroy(watch->touches);
	senses_destroy(watch->sensor_watch);
	memory_free(watch->pieces);
	memory_free(watch->first);
	memory_free(watch->last);
	memory_free(watch->ordered);
	memory_free(watch->ranges);
	memory_free(watch->replaced);
	memory_free(watch->drops);
	memory_free(watch->told);
	memory_free(watch->events);
	memory_free(watch->rows);
	memory_free(watch);
}

size_t
watch_memory_bytes(const struct watch *watch)
{
	return watch ? sizeof *watch + watch->piece_capacity * sizeof *watch->pieces + watch->drop_capacity * sizeof *watch->drops +
	                   watch->told_capacity * sizeof *watch->told + watch->event_capacity * sizeof *watch->events +
	                   watch->row_capacity * sizeof *watch->rows + watch->ordered_capacity * sizeof *watch->ordered +
	                   touches_memory_bytes(watch->touches) + senses_memory_bytes(watch->sensor_watch)
	             : 0;
}

size_t
watch_tie_count(const struct world *world)
{
	return world->watch ? touches_count(world->watch->touches) + senses_count(world->watch->sensor_watch) : 0;
}

struct tie_row
watch_tie(const struct world *world, size_t index)
{
	size_t touches = touches_count(world->watch->touches);
	struct tie tie = index < touches ? touches_at(world->watch->touches, index)
	                                 : senses_at(world->watch->sensor_watch, index - touches);

	return (struct tie_row){ .a = tie.a, .b = tie.b, .kind = index < touches ? TIE_TOUCH : TIE_INSIDE };
}

int
watch_tie_compare(const struct tie_row *left, const struct tie_row *right)
{
	if (left->kind != right->kind)
		return left->kind < right->kind ? -1 : 1;
	if (left->a != right->a)
		return left->a < right->a ? -1 : 1;
	return left->b < right->b ? -1 : left->b > right->b;
}

bool
watch_tie_fits(const struct world *world, const struct tie_row *row)
{
	uint32_t wall = row->b & ~PARTNER_SEGMENT;

	if (row->a >= world->bodies.count ||
	    (row->b & PARTNER_SEGMENT ? wall >= world->walls.segment_count : row->b >= world->bodies.count))
		return false;
	enum meeting meeting = row->b & PARTNER_SEGMENT
	                           ? body_meeting_segment(world, &world->bodies.infos[row->a], &world->walls.segments[wall])
	                           : bodies_meeting(world, row->a, row->b);
	if (row->kind == TIE_TOUCH)
		return meeting == MEET_CONTACT && row->a < row->b && touches_wanted(world->settings.watched);
	return meeting == MEET_SENSOR && (row->b & PARTNER_SEGMENT || body_sees(world, row->b, row->a));
}

bool
watch_restore(struct world *world, const struct tie_row *rows, size_t count, const struct drop *drops, size_t drop_count)
{
	struct watch *watch = world->watch;

	for (size_t i = 0; i < count && !pause_after(4); i++) {
		struct tie tie = { rows[i].a, rows[i].b };

		if (!(rows[i].kind == TIE_TOUCH ? touches_add(watch->touches, tie) : senses_add(watch->sensor_watch, tie)))
			return false;
	}
	if (drop_count == 0)
		return true;
	if (!array_reserve(&watch->drops, &watch->drop_capacity, drop_count, sizeof *drops))
		return false;
	memcpy(watch->drops, drops, drop_count * sizeof *drops);
	watch->drop_count = drop_count;
	return true;
}

struct watch_kept
watch_kept_of(const struct world *world)
{
	const struct watch *watch = world->watch;

	if (!watch)
		return (struct watch_kept){ .watched = false };
	return (struct watch_kept){
		.watched = true,
		.touched = watch->touches != NULL,
		.requery = senses_requery(watch->sensor_watch),
		.touch_count = touches_count(watch->touches),
		.inside_count = senses_count(watch->sensor_watch),
		.drop_count = watch->drop_count,
	};
}

size_t
watch_kept_bytes(const struct watch_kept *kept)
{
	return (kept->touch_count + kept->inside_count) * sizeof(struct tie) + kept->drop_count * sizeof(struct drop);
}

void
watch_kept_write(const struct world *world, void *out)
{
	const struct watch *watch = world->watch;
	struct tie *ties = out;
	size_t count = 0;

	if (!watch)
		return;
	if (watch->touches)
		touches_write(watch->touches, ties);
	count += touches_count(watch->touches);
	if (watch->sensor_watch)
		senses_write(watch->sensor_watch, ties + count);
	count += senses_count(watch->sensor_watch);
	if (watch->drop_count > 0)
		memcpy(ties + count, watch->drops, watch->drop_count * sizeof *watch->drops);
}

bool
watch_kept_reserve(struct world *world, const struct watch_kept *kept)
{
	struct watch *watch = world->watch;

	if (!watch)
		return true;
	return (!watch->touches || touches_reserve(watch->touches, kept->touch_count)) &&
	       (!watch->sensor_watch || senses_reserve(watch->sensor_watch, kept->inside_count)) &&
	       array_reserve(&watch->drops, &watch->drop_capacity, kept->drop_count, sizeof *watch->drops);
}

void
watch_kept_return(struct world *world, const struct watch_kept *kept, const void *in)
{
	struct watch *watch = world->watch;
	const struct tie *ties = in;

	if (!watch)
		return;
	if (watch->touches)
		touches_return(watch->touches, ties, kept->touch_count);
	ties += kept->touch_count;
	if (watch->sensor_watch)
		senses_return(world, ties, kept->inside_count, kept->requery);
	ties += kept->inside_count;
	if (kept->drop_count > 0)
		memcpy(watch->drops, ties, kept->drop_count * sizeof *watch->drops);
	watch->drop_count = kept->drop_count;
}

void
watch_rows_take(struct watch *to, struct watch *from)
{
	const struct watch own = *to;

	to->told = from->told;
	to->told_count = from->told_count;
	to->told_capacity = from->told_capacity;
	to->events = from->events;
	to->event_count = from->event_count;
	to->event_capacity = from->event_capacity;
	to->rows = from->rows;
	to->row_count = from->row_count;
	to->row_capacity = from->row_capacity;
	from->told = own.told;
	from->events = own.events;
	from->rows = own.rows;
	from->told_count = from->event_count = from->row_count = 0;
	from->told_capacity = from->event_capacity = from->row_capacity = 0;
}

/* Grows an array that watch_paths_lose frees. */
static bool
spare_reserve(struct watch *watch, void *array_pointer, size_t *capacity, size_t count, size_t size)
{
	watch->busy = true;
	bool grown = array_reserve(array_pointer, capacity, count, size);

	watch->busy = false;
	return grown;
}

void
watch_begin(struct world *world)
{
	struct watch *watch = world->watch;

	watch_pieces_forget(watch);
	watch->lost = false;
	watch->piece_count = watch->told_count = watch->event_count = watch->row_count = 0;
	if (watch->touches)
		touches_begin(watch->touches);
	if (world->settings.watched & WORLD_EVENTS_CHANGED_PATHS)
		memset(watch->replaced, 0, world->bodies.count * sizeof *watch->replaced);
}

static uint8_t
piece_kind(uint8_t mode)
{
	if (mode_halts(mode))
		return PIECE_STANDS;
	return mode == MODE_LED ? PIECE_DRIVEN : PIECE_MOVES;
}

void
watch_path_end(struct world *world, uint32_t body, double time)
{
	struct watch *watch = world->watch;
	uint32_t index = (uint32_t)watch->piece_count;
	const struct body_info *info = &world->bodies.infos[body];

	watch->replaced[body] = true;
	/* A path of zero duration is nowhere. */
	if (!(time > world->bodies.paths[body].t0))
		return;
	if (watch->lost && watch_pieces_are_spare(world))
		return;
	if (index == NONE ||
	    !spare_reserve(watch, &watch->pieces, &watch->piece_capacity, watch->piece_count + 1, sizeof *watch->pieces)) {
		if (watch_pieces_are_spare(world))
			watch_paths_lose(world);
		else
			world->failed = true;
		return;
	}
	watch->pieces[watch->piece_count++] = (struct piece){
		.path = world->bodies.paths[body],
		.angle = info->angle,
		.spin = info->spin,
		.end = time,
		.body = body,
		.next = NONE,
		.kind = piece_kind(info->mode),
	};
	if (watch->last[body] == NONE)
		watch->first[body] = index;
	else
		watch->pieces[watch->last[body]].next = index;
	watch->last[body] = index;
}

/* Order among events without a contact: beginnings come before ends, so that a circle that rolls over a joint never lacks a
 * touch. */
static int
kind_rank(uint8_t kind)
{
	static const int ranks[] = { [PAIR_EVENT_BEGIN] = 0, [PAIR_EVENT_HIT] = 1,  [PAIR_EVENT_PERSIST] = 2,
		                         [PAIR_EVENT_ENTER] = 3, [PAIR_EVENT_EXIT] = 4, [PAIR_EVENT_END] = 5 };

	return ranks[kind];
}

static int
number_compare(uint32_t left, uint32_t right)
{
	return left < right ? -1 : left > right;
}

static int
watch_row_compare(const void *left, const void *right)
{
	const struct told *l = left, *r = right;
	int order;

	if (l->event.time != r->event.time)
		return l->event.time < r->event.time ? -1 : 1;
	if ((order = number_compare(l->cause, r->cause)) != 0 || (order = number_compare(l->rank, r->rank)) != 0 ||
	    (order = kind_rank(l->event.kind) - kind_rank(r->event.kind)) != 0 ||
	    (order = number_compare(l->event.a, r->event.a)) != 0 || (order = l->event.other - r->event.other) != 0)
		return order;
	return number_compare(l->event.b, r->event.b);
}

static bool
events_order(struct watch *watch)
{
	bool ordered = true;

	for (size_t i = 1; i < watch->told_count && ordered && !pause_after(2); i++)
		ordered = watch_row_compare(&watch->told[i - 1], &watch->told[i]) <= 0;
	if (!ordered)
		array_sort(watch->told, watch->told_count, sizeof *watch->told, watch_row_compare);
	if (!array_reserve(&watch->events, &watch->event_capacity, watch->told_count, sizeof *watch->events))
		return false;
	for (size_t i = 0; i < watch->told_count && !pause_after(2); i++)
		watch->events[i] = watch->told[i].event;
	watch->event_count = watch->told_count;
	return true;
}

static uint64_t
tag_of(const struct world *world, uint32_t id)
{
	uint32_t low = 0, high = world->bodies.count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (world->bodies.ids[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < world->bodies.count && world->bodies.ids[low] == id ? world->bodies.tags[low] : 0;
}

static void
tags_add(const struct world *world, struct watch *watch)
{
	for (size_t i = 0; i < watch->event_count && !pause_after(BODY_UNITS); i++) {
		struct pair_event *event = &watch->events[i];

		event->a_tag = tag_of(world, event->a);
		event->b_tag = event->other == CONTACT_CIRCLE ? tag_of(world, event->b) : 0;
	}
}

/* For path_find. */
static bool
pieces_order(struct watch *watch)
{
	uint32_t count = 0;

	if (!array_reserve(&watch->ordered, &watch->ordered_capacity, watch->piece_count, sizeof *watch->ordered))
		return false;
	for (size_t k = 0; k < watch->piece_count && !pause_after(2); k++) {
		uint32_t body = watch->pieces[k].body;

		if (watch->first[body] != k)
			continue;
		watch->ranges[body].begin = count;
		for (uint32_t p = (uint32_t)k; p != NONE && !pause_after(2); p = watch->pieces[p].next)
			watch->ordered[count++] = p;
		watch->ranges[body].end = count;
	}
	return !pause_stopped();
}

static void
row_add(struct watch *watch, uint32_t id, const struct piece *piece)
{
	const struct body *path = &piece->path;

	watch->rows[watch->row_count++] = (struct path_piece){
		.time = path->t0,
		.body = id,
		.kind = piece->kind,
		.position = { path->x, path->y },
		.velocity = { path->vx, path->vy },
		.acceleration = { path->ax, path->ay },
		.angle = piece->angle,
		.spin = piece->kind == PIECE_STANDS ? 0.0 : piece->spin,
	};
}

static void
body_rows_add(const struct world *world, struct watch *watch, uint32_t body)
{
	const struct body_info *info = &world->bodies.infos[body];
	const struct piece last = {
		.path = world->bodies.paths[body], .angle = info->angle, .spin = info->spin, .kind = piece_kind(info->mode)
	};

	for (uint32_t p = watch->first[body]; p != NONE && !pause_after(4); p = watch->pieces[p].next)
		row_add(watch, info->id, &watch->pieces[p]);
	if (last.path.t0 < world->step.dt && (world->report.end_count == 0 || info->mode != MODE_GONE))
		row_add(watch, info->id, &last);
}

/* At most: what its bodies have ended, and the last piece of each. */
static size_t
rows_most(const struct world *world, const struct watch *watch, bool all)
{
	size_t bodies = all ? world->bodies.count : 0;

	for (uint32_t i = 0; !all && i < world->bodies.count && !pause_after(1); i++)
		bodies += watch->replaced[i];
	return watch->piece_count + bodies;
}

static bool
rows_make(const struct world *world, struct watch *watch)
{
	bool all = (world->settings.watched & WORLD_EVENTS_PATHS) != 0;

	if (!spare_reserve(watch, &watch->rows, &watch->row_capacity, rows_most(world, watch, all), sizeof *watch->rows))
		return false;
	for (uint32_t i = 0; i < world->bodies.count && !pause_after(2); i++)
		if ((all || watch->replaced[i]) && world->bodies.infos[i].kind != BODY_STATIC)
			body_rows_add(world, watch, i);
	return true;
}

void
watch_finish(struct world *world)
{
	struct watch *watch = world->watch;

	if (!pieces_order(watch)) {
		if (!watch_pieces_are_spare(world) || pause_stopped()) {
			world->failed = true;
			return;
		}
		watch_paths_lose(world);
	}
	for (size_t i = 0; i < watch->drop_count && !pause_after(2); i++) {
		const struct drop *drop = &watch->drops[i];

		watch_report(world, &(struct pair_event){ .a = drop->a, .b = drop->b, .kind = drop->kind, .other = drop->other },
		             TOLD_DROP, 0);
	}
	watch->drop_count = 0;
	if (watch->touches)
		touches_finish(world);
	if (watch->sensor_watch)
		senses_finish(world);
	if (!world->failed && !events_order(watch))
		world->failed = true;
	if (!world->failed && !watch->lost && (world->settings.watched & (WORLD_EVENTS_PATHS | WORLD_EVENTS_CHANGED_PATHS)) &&
	    !rows_make(world, watch)) {
		if (watch_paths_are_spare(world))
			watch_paths_lose(world);
		else
			world->failed = true;
	}
	if (!world->failed && world->bodies.tags)
		tags_add(world, watch);
}
