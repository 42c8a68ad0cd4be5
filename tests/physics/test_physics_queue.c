/* The event queue against a list that is searched from end to end. Ticks of several parts, pushes between takes, many equal
 * times, and ticks of which the one before says nothing about the next. */
#include "physics/scenario.h"
#include "physics/tables/event_queue.h"

#include "support/effort.h"
#include "support/long_case.h"
#include "support/random.h"

#include <stdlib.h>

enum { TICKS = 60, EVENTS_MAX = 4000, PARTS = 4 };

struct list {
	struct event events[EVENTS_MAX];
	size_t count;
};

/* The order that the header promises, of events with their other fields equal. */
static bool
comes_first(const struct event *l, const struct event *r)
{
	if (l->time != r->time)
		return l->time < r->time;
	if ((l->kind == EVENT_TRANSFER) != (r->kind == EVENT_TRANSFER))
		return l->kind == EVENT_TRANSFER;
	return l->a != r->a ? l->a < r->a : l->order < r->order;
}

static size_t
list_first(const struct list *list)
{
	size_t first = 0;
	for (size_t i = 1; i < list->count; i++)
		if (comes_first(&list->events[i], &list->events[first]))
			first = i;
	return first;
}

/* Few times, so that many are equal, or any. */
static void
push_random(struct event_queue *queue, struct list *list, uint64_t *random, double from, double duration, uint32_t *next)
{
	const double eighth = from + (duration - from) * (double)random_below(random, 9) / 8;
	const double time = random_below(random, 2) ? eighth : random_between(random, from, duration);
	struct event event = {
		.time = time < duration ? time : duration,
		.a = (uint32_t)random_below(random, 5),
		.kind = random_below(random, 3) ? EVENT_CIRCLES : EVENT_TRANSFER,
		.order = (*next)++,
	};
	if (list->count == EVENTS_MAX)
		return;
	list->events[list->count++] = event;
	assert_true(event_queue_push(queue, &event));
}

/* Takes all up to `until`, pushing more on the way. */
static size_t
take(struct event_queue *queue, struct list *list, uint64_t *random, double until, double duration, uint32_t *next)
{
	struct event event;
	size_t taken = 0;
	bool failed = false;
	while (event_queue_pop_until(queue, until, until == duration, &event, &failed)) {
		const size_t first = list_first(list);
		assert_true(list->count > 0);
		assert_true(event.time == list->events[first].time);
		assert_int_equal(event.order, list->events[first].order);
		assert_true(event.time < until || until == duration);
		list->events[first] = list->events[--list->count];
		taken++;
		if (random_below(random, 3) == 0)
			push_random(queue, list, random, event.time, duration, next);
	}
	assert_false(failed);
	for (size_t i = 0; i < list->count; i++)
		assert_true(list->events[i].time >= until && until < duration);
	return taken;
}

static void
test_takes_are_in_order(void **state)
{
	struct event_queue queue;
	struct list *list = calloc(1, sizeof *list);
	uint64_t random = 11;
	size_t taken = 0;
	(void)state;
	assert_non_null(list);
	event_queue_init(&queue);
	for (int tick = 0; tick < TICKS; tick++) {
		const double duration = tick % 7 == 0 ? 1e-9 : random_between(&random, 0.001, 10);
		const uint64_t pushes = random_below(&random, tick % 5 == 0 ? 2000 : 30);
		uint32_t next = 0;
		list->count = 0;
		assert_true(event_queue_begin(&queue, duration));
		for (uint64_t i = 0; i < pushes; i++)
			push_random(&queue, list, &random, 0, duration, &next);
		for (int part = 1; part <= PARTS; part++)
			taken += take(&queue, list, &random, part == PARTS ? duration : duration * part / PARTS, duration, &next);
		assert_int_equal(list->count, 0);
	}
	assert_true(taken > 10000);
	/* What was left untaken is gone with its tick. */
	assert_true(event_queue_begin(&queue, 1));
	assert_true(event_queue_push(&queue, &(struct event){ .time = 0.5 }));
	assert_true(event_queue_begin(&queue, 1));
	assert_null(event_queue_next(&queue));
	assert_false(event_queue_pop_until(&queue, 1, true, &(struct event){ .time = 0 }, &(bool){ false }));
	event_queue_finish(&queue);
	free(list);
}

/* What comes first at one time, as numbers that are compared one after the other. */
static void
rank_of(const struct event *event, int rank[7])
{
	rank[0] = event->kind != EVENT_TRANSFER;
	rank[1] = (int)event->a;
	/* Faces and vertices are resolved as what they are of: segments. */
	rank[2] = event->kind == EVENT_VERTEX ? EVENT_FACE : event->kind;
	rank[3] = (int)event->order;
	rank[4] = event->feature;
	rank[5] = event->side;
	rank[6] = (int)event->b;
}

static bool
ranks_before(const struct event *l, const struct event *r)
{
	int left[7], right[7];
	rank_of(l, left);
	rank_of(r, right);
	for (size_t i = 0; i < 7; i++)
		if (left[i] != right[i])
			return left[i] < right[i];
	return false;
}

static void
test_the_order_at_one_time_is_total(void **state)
{
	enum { ALL = 5 * 2 * 2 * 2 * 3 * 2 };
	static struct event events[ALL];
	(void)state;
	for (unsigned i = 0; i < ALL; i++)
		events[i] = (struct event){ .kind = (uint8_t)(i % 5),
			                        .a = i / 5 % 2,
			                        .order = i / 10 % 2,
			                        .feature = (uint8_t)(i / 20 % 2),
			                        .side = (int8_t)((int)(i / 40 % 3) - 1),
			                        .b = i / 120 };
	for (size_t l = 0; l < ALL; l++) {
		for (size_t r = 0; r < ALL; r++) {
			assert_int_equal(event_before_in_time(&events[l], &events[r]), ranks_before(&events[l], &events[r]));
			assert_int_equal(event_before(&events[l], &events[r]), ranks_before(&events[l], &events[r]));
		}
	}
}

/* However many more a tick has than the one before, and whenever they come: few are in the heap, and all come in order. */
static void
test_a_crowded_tick_keeps_its_heap_small(void **state)
{
	enum { HEAP_MOST = 64, FEW = 20, CROWD = 3000 };
	struct list *list = calloc(1, sizeof *list);
	uint64_t random = 13;
	(void)state;
	assert_non_null(list);
	for (int burst = 0; burst < FEW; burst += (int)effort(4, 1)) {
		const double duration = random_between(&random, 0.001, 10);
		struct event_queue queue;
		struct event event = { .time = 0 };
		bool failed = false;
		uint32_t next = 0;
		event_queue_init(&queue);
		list->count = 0;
		assert_true(event_queue_begin(&queue, duration));
		for (uint32_t i = 0; i < FEW + CROWD; i++) {
			/* After so many, which leave free places behind. */
			for (int k = 0; i == FEW && k < burst; k++) {
				const size_t first = list_first(list);
				assert_true(event_queue_pop_until(&queue, duration, true, &event, &failed));
				assert_int_equal(event.order, list->events[first].order);
				list->events[first] = list->events[--list->count];
			}
			const double time = random_between(&random, event.time, duration);
			list->events[list->count] = (struct event){ .time = time, .kind = EVENT_CIRCLES, .order = next++ };
			assert_true(event_queue_push(&queue, &list->events[list->count++]));
			assert_true(queue.count <= HEAP_MOST);
		}
		(void)take(&queue, list, &random, duration, duration, &next);
		assert_int_equal(list->count, 0);
		event_queue_finish(&queue);
	}
	free(list);
}

enum { BODIES = 5, MOVING_EVENTS = 500 };

static bool
is_void(const struct event *event, const struct body_mark *marks)
{
	return event->epoch_a != marks[event->a].epoch || (event->kind == EVENT_CIRCLES && event->epoch_b != marks[event->b].epoch);
}

/* The queue may drop what its bodies' epochs say is void, and nothing else; of what is not a body's, b is no body. */
static void
test_only_void_events_are_dropped(void **state)
{
	struct list *list = calloc(1, sizeof *list);
	struct event_queue queue;
	struct body_mark marks[BODIES] = { { 0 } };
	uint64_t random = 12;
	size_t taken = 0, voids = 0;
	(void)state;
	assert_non_null(list);
	event_queue_init(&queue);
	for (int tick = 0; tick < TICKS; tick++) {
		struct event event;
		bool failed = false;
		assert_true(event_queue_begin(&queue, 1));
		queue.marks = marks;
		list->count = 0;
		for (uint32_t i = 0; i < MOVING_EVENTS; i++) {
			const uint32_t a = (uint32_t)random_below(&random, BODIES), b = (uint32_t)random_below(&random, BODIES);
			const bool circles = random_below(&random, 2) != 0;
			event = (struct event){ .time = (double)random_below(&random, 300) / 300, .a = a, .order = i };
			event.b = circles ? b : UINT32_MAX;
			event.kind = circles ? EVENT_CIRCLES : EVENT_FACE;
			event.epoch_a = marks[a].epoch;
			event.epoch_b = circles ? marks[b].epoch : 0;
			list->events[list->count++] = event;
			assert_true(event_queue_push(&queue, &event));
		}
		while (event_queue_pop_until(&queue, 1, true, &event, &failed)) {
			if (is_void(&event, marks))
				continue;
			for (size_t i = list->count; i-- > 0;)
				if (is_void(&list->events[i], marks))
					list->events[i] = list->events[--list->count], voids++;
			const size_t first = list_first(list);
			assert_true(list->count > 0 && event.time == list->events[first].time);
			list->events[first] = list->events[--list->count];
			taken++;
			if (random_below(&random, 50) == 0)
				marks[random_below(&random, BODIES)].epoch++;
		}
		assert_false(failed);
		for (size_t i = 0; i < list->count; i++)
			assert_true(is_void(&list->events[i], marks));
	}
	assert_true(taken > 1000 && voids > 1000);
	event_queue_finish(&queue);
	free(list);
}

/* Many events of nearly one time, most of them void before the next comes. The queue makes room by dropping these, again and
 * again. Every other one comes out, in order. */
static void
test_a_crowd_of_void_events_hides_no_other(void **state)
{
	struct list *list = calloc(1, sizeof *list);
	struct event_queue queue;
	struct body_mark marks[BODIES] = { { 0 } };
	uint64_t random = 31;
	struct event event;
	(void)state;
	assert_non_null(list);
	event_queue_init(&queue);
	for (int tick = 0; tick < TICKS; tick++) {
		bool failed = false;
		uint32_t pushed = 0;
		assert_true(event_queue_begin(&queue, 1));
		queue.marks = marks;
		list->count = 0;
		while (pushed < 8000 + 10 * (uint32_t)tick) {
			const uint32_t a = pushed % 8 == 0 ? 1 + (uint32_t)random_below(&random, BODIES - 1) : 0;
			event = (struct event){ .time = 1e-9 * random_between(&random, 0, 1), .a = a, .b = UINT32_MAX, .order = pushed++ };
			event.kind = EVENT_FACE;
			event.epoch_a = marks[a].epoch;
			if (a > 0)
				list->events[list->count++] = event;
			assert_true(event_queue_push(&queue, &event));
			if (pushed % 7 == 0)
				marks[0].epoch++;
		}
		marks[0].epoch++;
		while (event_queue_pop_until(&queue, 1, true, &event, &failed)) {
			if (is_void(&event, marks))
				continue;
			const size_t first = list_first(list);
			assert_true(list->count > 0 && event.time == list->events[first].time);
			list->events[first] = list->events[--list->count];
		}
		assert_false(failed);
		assert_int_equal(list->count, 0);
	}
	event_queue_finish(&queue);
	free(list);
}

static void
pushed_and_taken(struct event_queue *queue, uint64_t *random, uint32_t count)
{
	struct event event;
	bool failed = false;
	uint32_t taken = 0;
	assert_true(event_queue_begin(queue, 1));
	for (uint32_t i = 0; i < count; i++) {
		event = (struct event){ .time = random_between(random, 0, 1), .kind = EVENT_CIRCLES, .order = i };
		assert_true(event_queue_push(queue, &event));
	}
	while (event_queue_pop_until(queue, 1, true, &event, &failed))
		taken++;
	assert_int_equal(taken, count);
}

/* However few the tick before it had, for which its spans were made. */
static void
test_a_tick_no_larger_than_others_asks_for_no_memory(void **state)
{
	enum { CROWD = 3000 };
	struct event_queue queue;
	uint64_t random = 17;
	(void)state;
	event_queue_init(&queue);
	for (int i = 0; i < 3; i++)
		pushed_and_taken(&queue, &random, CROWD);
	const size_t bytes = event_queue_memory_bytes(&queue);
	for (uint32_t few = 0; few < CROWD; few += 7) {
		pushed_and_taken(&queue, &random, few);
		pushed_and_taken(&queue, &random, CROWD);
		assert_int_equal(event_queue_memory_bytes(&queue), bytes);
	}
	event_queue_finish(&queue);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_takes_are_in_order),
		cmocka_unit_test(test_the_order_at_one_time_is_total),
		long_case(test_a_crowded_tick_keeps_its_heap_small),
		cmocka_unit_test(test_a_tick_no_larger_than_others_asks_for_no_memory),
		cmocka_unit_test(test_only_void_events_are_dropped),
		cmocka_unit_test(test_a_crowd_of_void_events_hides_no_other),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
