/* The checker must see what is wrong with ends and stops: rules that the engine was not told of, and ticks spoiled in one way
 * each. Nothing is found in what is good. */
#include "outside/spoil.h"
#include "outside/spoil_scenes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Rules that the engine was not told of, and none where it was. */
static void
no_removal_lie(struct draft *draft)
{
	draft->circles[0].remove_groups = 0;
}

static void
removal_lie(struct draft *draft)
{
	draft->circles[4].remove_groups = 1;
}

static void
no_stop_lie(struct draft *draft)
{
	draft->circles[1].stop_groups = 0;
}

static void
stop_lie(struct draft *draft)
{
	draft->circles[5].stop_groups = 1;
}

static void
report_lie(struct draft *draft)
{
	draft->circles[4].report_groups = 1;
}

static void
ignore_lie(struct draft *draft)
{
	draft->circles[5].ignore = IGNORE_ALWAYS;
	draft->circles[5].ignored_circle = 4;
}

static void
apart_lie(struct draft *draft)
{
	draft->circles[5].ignore = IGNORE_UNTIL_APART;
	draft->circles[5].ignored_circle = 4;
}

static void
longer_life_lie(struct draft *draft)
{
	draft->circles[2].lifetime_s *= 1 + 1e-12;
}

static void
life_lie(struct draft *draft)
{
	draft->circles[5].lifetime_s = 1e-4;
}

static void
ticks_lie(struct draft *draft)
{
	draft->circles[5].lifetime_ticks = 1;
}

static void
bounds_lie(struct draft *draft)
{
	draft->def.bounds_x_max = 6.4;
}

static void
no_bounds_lie(struct draft *draft)
{
	draft->def.has_bounds = false;
}

static void
disabled_lie(struct draft *draft)
{
	draft->walls[0].disabled = true;
}

static void
tag_lie(struct draft *draft)
{
	draft->circles[5].tag = 8;
}

/* The end of circle 0, if the tick has it. */
static struct outside_end *
end_of(struct told *told, uint32_t body)
{
	for (size_t i = 0; i < told->tick->end_count; i++)
		if (told->columns.ends[i].body == body)
			return &told->columns.ends[i];
	return NULL;
}

static bool
end_drop(struct told *told)
{
	const bool some = told->tick->end_count > 0;

	told->tick->end_count -= some;
	return some;
}

static bool
end_double(struct told *told)
{
	struct outside_end *end = end_of(told, 0);

	/* There is room: arrays grow by half at least. */
	if (end)
		told->columns.ends[told->tick->end_count++] = *end;
	return end != NULL;
}

static bool
end_hasten(struct told *told)
{
	struct outside_end *end = end_of(told, 0);

	if (end)
		end->time *= 1 - 1e-9;
	return end != NULL;
}

static bool
end_delay(struct told *told)
{
	struct outside_end *end = end_of(told, 2);

	if (end)
		end->time *= 1 + 1e-9;
	return end != NULL;
}

static bool
end_move(struct told *told)
{
	struct outside_end *end = end_of(told, 0);

	if (end)
		end->position[1] += 1e-9;
	return end != NULL;
}

static bool
end_speed(struct told *told)
{
	struct outside_end *end = end_of(told, 0);

	if (end)
		end->velocity[0] *= 1 + 1e-9;
	return end != NULL;
}

static bool
end_reason(struct told *told)
{
	struct outside_end *end = end_of(told, 0);

	if (end)
		end->reason = OUTSIDE_END_LIFETIME;
	return end != NULL;
}

static bool
end_reason_bounds(struct told *told)
{
	struct outside_end *end = end_of(told, 3);

	if (end)
		end->reason = OUTSIDE_END_CONTACT;
	return end != NULL;
}

static bool
end_of_another(struct told *told)
{
	struct outside_end *end = end_of(told, 0);

	if (end)
		end->body = 5;
	return end != NULL;
}

static bool
end_tag(struct told *told)
{
	struct outside_end *end = end_of(told, 0);

	if (end)
		end->tag ^= UINT64_C(1) << 63;
	return end != NULL;
}

static bool
tag_change(struct told *told)
{
	told->columns.tag[5] = 0;
	return true;
}

static bool
stop_drop(struct told *told)
{
	return spoil_change_drop(told, OUTSIDE_STOPPED, 0);
}

static bool
stop_delay(struct told *told)
{
	struct outside_change *changes = told->columns.changes;

	for (size_t i = 0; i < told->tick->change_count; i++)
		if (changes[i].kind == OUTSIDE_STOPPED) {
			changes[i].time *= 1 + 1e-6;
			return true;
		}
	return false;
}

static bool
stop_release(struct told *told)
{
	struct outside_change *changes = told->columns.changes;

	for (size_t i = 0; i < told->tick->change_count; i++)
		if (changes[i].kind == OUTSIDE_STOPPED) {
			changes[i].kind = OUTSIDE_RELEASED;
			return true;
		}
	return false;
}

/* A contact of what has stopped, told as one of what moves. */
static bool
stopped_flag_drop(struct told *told)
{
	const uint8_t both = OUTSIDE_CONTACT_A_STOPPED | OUTSIDE_CONTACT_B_STOPPED;

	for (size_t i = 0; i < told->tick->contact_count; i++)
		if (told->columns.contacts[i].flags & both) {
			told->columns.contacts[i].flags &= (uint8_t)~both;
			return true;
		}
	return false;
}

/* A contact of what moves, told as one of what has stopped. */
static bool
stopped_flag_add(struct told *told)
{
	if (told->tick->contact_count == 0 || told->columns.contacts[0].flags & OUTSIDE_CONTACT_A_STOPPED)
		return false;
	told->columns.contacts[0].flags |= OUTSIDE_CONTACT_A_STOPPED;
	return true;
}

static bool
removed_change(struct told *told)
{
	const bool some = told->tick->end_count > 0;

	told->tick->energy_removed += some ? 1e-6 * (1 + told->tick->kinetic_before) : 0;
	return some;
}

/* It touches on. */
static bool
end_event_drop(struct told *told)
{
	struct outside_event *events = told->columns.events;

	if (!end_of(told, 0))
		return false;
	for (size_t i = 0; i < told->tick->event_count; i++)
		if (events[i].kind == OUTSIDE_END) {
			events[i].kind = OUTSIDE_PERSIST;
			return true;
		}
	return false;
}

static bool
end_event_delay(struct told *told)
{
	struct outside_event *events = told->columns.events;

	if (!end_of(told, 0) || told->tick->event_count == 0)
		return false;
	events[told->tick->event_count - 1].time = told->tick->dt;
	return true;
}

static void
test_what_is_good_is_clean(void **state)
{
	(void)state;
	assert_int_equal(spoil_found_by(spoil_ruled, NULL, NULL), 0);
}

static void
test_each_lie_about_rules_is_found(void **state)
{
	(void)state;
	assert_true(spoil_found_by(spoil_ruled, no_removal_lie, NULL) & spoil_bit(OUTSIDE_BAD_RULE));
	assert_true(spoil_found_by(spoil_ruled, removal_lie, NULL) & spoil_bit(OUTSIDE_BAD_RULE));
	assert_true(spoil_found_by(spoil_ruled, no_stop_lie, NULL) & spoil_bit(OUTSIDE_BAD_RULE));
	assert_true(spoil_found_by(spoil_ruled, stop_lie, NULL) & spoil_bit(OUTSIDE_BAD_RULE));
	assert_true(spoil_found_by(spoil_ruled, report_lie, NULL) & spoil_bit(OUTSIDE_BAD_CONTACT));
	assert_true(spoil_found_by(spoil_ruled, ignore_lie, NULL) & spoil_bit(OUTSIDE_BAD_CONTACT));
	assert_true(spoil_found_by(spoil_ruled, apart_lie, NULL) & spoil_bit(OUTSIDE_BAD_RULE));
	assert_true(spoil_found_by(spoil_ruled, longer_life_lie, NULL) & spoil_bit(OUTSIDE_BAD_RULE));
	assert_true(spoil_found_by(spoil_ruled, life_lie, NULL) & spoil_bit(OUTSIDE_BAD_RULE));
	assert_true(spoil_found_by(spoil_ruled, ticks_lie, NULL) & spoil_bit(OUTSIDE_BAD_RULE));
	assert_true(spoil_found_by(spoil_ruled, bounds_lie, NULL) & spoil_bit(OUTSIDE_BAD_RULE));
	assert_true(spoil_found_by(spoil_ruled, no_bounds_lie, NULL) & spoil_bit(OUTSIDE_BAD_RULE));
	assert_true(spoil_found_by(spoil_ruled, disabled_lie, NULL) & spoil_bit(OUTSIDE_BAD_CONTACT));
	assert_true(spoil_found_by(spoil_ruled, tag_lie, NULL) & spoil_bit(OUTSIDE_BAD_RULE));
}

static void
test_each_spoiled_end_is_found(void **state)
{
	static const struct {
		spoil_fn spoil;
		enum outside_finding finding;
	} cases[] = {
		{ end_drop, OUTSIDE_BAD_NUMBERS },
		{ end_double, OUTSIDE_BAD_NUMBERS },
		{ end_hasten, OUTSIDE_BAD_RULE },
		{ end_delay, OUTSIDE_BAD_RULE },
		{ end_move, OUTSIDE_BAD_POSITION },
		{ end_speed, OUTSIDE_BAD_VELOCITY },
		{ end_reason, OUTSIDE_BAD_RULE },
		{ end_reason_bounds, OUTSIDE_BAD_RULE },
		{ end_of_another, OUTSIDE_BAD_RULE },
		{ end_tag, OUTSIDE_BAD_RULE },
		{ tag_change, OUTSIDE_BAD_RULE },
		{ stop_drop, OUTSIDE_BAD_RULE },
		{ stop_delay, OUTSIDE_BAD_POSITION },
		{ stop_delay, OUTSIDE_BAD_RULE },
		{ stop_release, OUTSIDE_BAD_RULE },
		{ removed_change, OUTSIDE_BAD_LEDGER },
		{ end_event_drop, OUTSIDE_BAD_EVENT },
		{ end_event_delay, OUTSIDE_BAD_RULE },
		{ stopped_flag_drop, OUTSIDE_BAD_VELOCITY },
		{ stopped_flag_add, OUTSIDE_BAD_RULE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const unsigned found = spoil_found_by(spoil_ruled, NULL, cases[i].spoil);
		if (!(found & spoil_bit(cases[i].finding)))
			print_error("case %zu: %s was not found, but %x\n", i, outside_finding_name(cases[i].finding), found);
		assert_true(found & spoil_bit(cases[i].finding));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_good_is_clean),
		cmocka_unit_test(test_each_lie_about_rules_is_found),
		cmocka_unit_test(test_each_spoiled_end_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
