#include "physics/event_book.h"

#include "support/assert_double.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t
book_find(const struct event_book *book, uint32_t a, uint32_t b, uint8_t other, bool sensed)
{
	size_t i = 0;
	while (i < book->open_count &&
	       !(book->open[i].a == a && book->open[i].b == b && book->open[i].other == other && book->open[i].sensed == sensed))
		i++;
	return i;
}

bool
event_book_has(const struct event_book *book, uint32_t a, uint32_t b, uint8_t other, bool sensed)
{
	return book_find(book, a, b, other, sensed) < book->open_count;
}

static void
book_open(struct event_book *book, const struct pair_event *event, bool sensed)
{
	if (book->open_count == book->open_capacity) {
		book->open_capacity = book->open_capacity ? 2 * book->open_capacity : 64;
		book->open = realloc(book->open, book->open_capacity * sizeof *book->open);
		assert_non_null(book->open);
	}
	book->open[book->open_count++] = (struct book_pair){ event->a, event->b, event->other, sensed };
}

static void
event_take(struct event_book *book, const struct pair_event *event, const struct tick_report *report)
{
	const bool sensed = event->kind == PAIR_EVENT_ENTER || event->kind == PAIR_EVENT_EXIT;
	const bool begins = event->kind == PAIR_EVENT_BEGIN || event->kind == PAIR_EVENT_ENTER;
	const size_t at = book_find(book, event->a, event->b, event->other, sensed);
	if ((at < book->open_count) == begins)
		fail_msg("tick %llu, time %.17g: kind %d of %u and %s %u, which %s", (unsigned long long)report->tick, event->time,
		         event->kind, event->a, event->other == CONTACT_SEGMENT ? "segment" : "circle", event->b,
		         begins ? "had begun" : "had not begun");
	if (begins)
		book_open(book, event, sensed);
	else if (event->kind == PAIR_EVENT_END || event->kind == PAIR_EVENT_EXIT)
		book->open[at] = book->open[--book->open_count];
	book->counts[event->kind]++;
}

static bool
is_hit_of(const struct pair_event *event, const struct contact *contact)
{
	return event->kind == PAIR_EVENT_HIT && event->time == contact->time && event->a == contact->a && event->b == contact->b &&
	       event->other == contact->other && event->feature == contact->feature && event->impulse == contact->impulse &&
	       event->approach_speed == contact->approach_speed && event->normal[0] == contact->normal[0] &&
	       event->normal[1] == contact->normal[1] && event->point[0] == contact->point[0] &&
	       event->point[1] == contact->point[1];
}

/* HITs are the contacts, in their order. */
static void
hits_check(const struct tick_report *report)
{
	size_t contact = 0;
	for (size_t i = 0; i < report->pair_event_count; i++) {
		if (report->pair_events[i].kind != PAIR_EVENT_HIT)
			continue;
		assert_true(contact < report->contact_count);
		assert_true(is_hit_of(&report->pair_events[i], &report->contacts[contact]));
		contact++;
	}
	assert_int_equal(contact, report->contact_count);
}

void
event_book_take(struct event_book *book, const struct tick_report *report, double dt, bool hits)
{
	double last = 0;
	bool persists = false;
	for (size_t i = 0; i < report->pair_event_count; i++) {
		const struct pair_event *event = &report->pair_events[i];
		assert_true(event->time >= last && event->time <= dt);
		last = event->time;
		assert_in_range(event->kind, PAIR_EVENT_BEGIN, PAIR_EVENT_EXIT);
		assert_true(event->kind == PAIR_EVENT_PERSIST || !persists);
		persists = event->kind == PAIR_EVENT_PERSIST;
		assert_true(isfinite(event->point[0]) && isfinite(event->point[1]) && isfinite(event->impulse));
		event_take(book, event, report);
	}
	if (hits)
		hits_check(report);
}

void
event_book_finish(struct event_book *book)
{
	free(book->open);
	*book = (struct event_book){ 0 };
}
