/* check: assertions about our own code. Client input never reaches one.
 *
 * CHECK is always on and cheap; VALIDATE guards heavy invariants and is on in test builds (COLLIDED_VALIDATE). */
#ifndef COLLIDED_BASE_CHECK_H
#define COLLIDED_BASE_CHECK_H

/* Prints where and what to stderr, then aborts. */
_Noreturn void check_failed(const char *condition, const char *file, int line);

#define CHECK(condition) ((condition) ? (void)0 : check_failed(#condition, __FILE__, __LINE__))

#ifdef COLLIDED_VALIDATE
#define VALIDATE(condition) CHECK(condition)
#else
#define VALIDATE(condition) ((void)sizeof condition)
#endif

#endif
