/* fixture: the one conversation of a test program, open before each of its tests and finished after it. */
#ifndef COLLIDED_TESTS_SESSION_FIXTURE_H
#define COLLIDED_TESTS_SESSION_FIXTURE_H

#include "session/conversation.h"

extern struct conversation conversation;

/* For cmocka, which passes a state that is not used. */
/* After Hello and Welcome, with conversation_limits(). */
int fixture_open(void **state);
/* Also lets the clock stand still again. */
int fixture_finish(void **state);

#define TEST_AFTER(name, setup) cmocka_unit_test_setup_teardown(name, setup, fixture_finish)
#define TEST(name) TEST_AFTER(name, fixture_open)

#endif
