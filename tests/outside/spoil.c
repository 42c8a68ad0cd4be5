#include "outside/spoil.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

unsigned
spoil_found_by(void (*make)(struct draft *), lie_fn lie, spoil_fn spoil)
{
	struct draft draft, known;
	struct def_problem problem;
	struct world *world = NULL;
	bool spoiled = !spoil;

	draft_init(&draft, 1);
	draft.def.events = WORLD_EVENTS_TOUCH;
	make(&draft);
	draft_copy(&known, &draft);
	if (lie)
		lie(&known);
	assert_int_equal(world_create(draft_def(&draft), &problem, &world), STATUS_OK);
	struct feed *feed = feed_create(draft_def(&known));
	assert_non_null(feed);
	for (unsigned i = 0; i < draft.ticks; i++) {
		struct tick_report report;
		assert_int_equal(world_step(world, draft.dt, &report), STATUS_OK);
		struct told told = { feed_columns(feed, world, draft.dt, &report), feed_writable(feed) };
		const bool now = !spoiled && spoil(&told);
		outside_tick(feed_outside(feed), told.tick);
		spoiled = spoiled || now;
		if (now)
			break;
	}
	if (!spoiled)
		print_error("there was nothing to spoil\n");
	assert_true(spoiled);
	const unsigned found = outside_found(feed_outside(feed));
	if (!lie && !spoil && found)
		print_error("%s\n", outside_first(feed_outside(feed)));
	assert_true((found != 0) == (outside_first(feed_outside(feed))[0] != '\0'));
	assert_true((found == 0) == outside_clean(feed_outside(feed)));
	feed_destroy(feed);
	world_destroy(world);
	draft_finish(&draft);
	draft_finish(&known);
	return found;
}

bool
spoil_change_drop(struct told *told, enum outside_change_kind kind, double least)
{
	struct outside_change *changes = told->columns.changes;

	for (size_t i = 0; i < told->tick->change_count; i++) {
		if (changes[i].kind != kind || hypot(changes[i].vector[0], changes[i].vector[1]) < least)
			continue;
		told->tick->change_count--;
		for (; i < told->tick->change_count; i++)
			changes[i] = changes[i + 1];
		return true;
	}
	return false;
}
