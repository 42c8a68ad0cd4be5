/* findings: whether to stop at the first problem of a scene, as for a request, or to go on and report every one.
 *
 * One thread at a time; owns nothing. */
#ifndef COLLIDED_SCENE_FINDINGS_H
#define COLLIDED_SCENE_FINDINGS_H

#include "scene/scene.h"

struct findings {
	struct wire_problem *problem; /* the latest */
	scene_problem_fn report;      /* NULL: stop at the first */
	void *context;
	size_t count; /* reported */
};

/* Passes on the status of a check that wrote findings->problem if it failed; STATUS_OK if the problem was reported instead, so
 * that the caller goes on. Whatever was wrong then keeps its default. */
STATUS_MUST_USE static inline enum status
findings_add(struct findings *findings, enum status status)
{
	if (status == STATUS_OK || findings->report == NULL) {
		return status;
	}
	findings->report(findings->context, findings->problem);
	findings->count++;
	return STATUS_OK;
}

/* scene_world_def with findings. */
STATUS_MUST_USE enum status scene_define(struct arena *arena, const Collide__V1__Scene *scene,
                                         const struct scene_limits *limits, const char *path, struct world_def *def,
                                         struct findings *findings);

#endif
