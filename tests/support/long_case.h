/* long_case: a case of a cmocka program that takes long. The unit run leaves it out and says so. The property tests full_* have
 * it. Under a sanitizer, where these are not run, no case is left out. */
#ifndef COLLIDED_TESTS_SUPPORT_LONG_CASE_H
#define COLLIDED_TESTS_SUPPORT_LONG_CASE_H

#include "support/effort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static inline bool
long_cases_run(void)
{
#ifdef COLLIDED_SANITIZED
	return true;
#else
	return effort(0, 1) > 0;
#endif
}

static inline void
long_case_left_out(void **state)
{
	(void)state;
	skip();
}

/* Beside cmocka_unit_test in the list of a program that collided_full names. */
#define long_case(function)                                                             \
	{                                                                                   \
#function, long_cases_run() ? (function) : long_case_left_out, NULL, NULL, NULL \
	}

#endif
