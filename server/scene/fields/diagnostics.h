/* diagnostics: whether to stop at the first problem of a scene, as for a request, or to go on and report every one.
 *
 * One thread at a time; owns nothing. */
#ifndef COLLIDED_SCENE_FIELDS_DIAGNOSTICS_H
#define COLLIDED_SCENE_FIELDS_DIAGNOSTICS_H

#include "scene/scene.h"

struct diagnostics {
	struct wire_problem *problem; /* the latest */
	scene_problem_fn report;      /* NULL: stop at the first */
	void *context;
	size_t count; /* reported */
	bool ended;   /* after one of them there was no way on */
};

/* Passes on the status of a check that wrote diagnostics->problem if it failed; STATUS_OK if the problem was reported instead,
 * so that the caller goes on. Whatever was wrong then keeps its default. */
STATUS_MUST_USE static inline enum status
diagnostics_add(struct diagnostics *diagnostics, enum status status)
{
	if (status == STATUS_OK || !diagnostics->report)
		return status;
	diagnostics->report(diagnostics->context, diagnostics->problem);
	diagnostics->count++;
	return STATUS_OK;
}

#endif
