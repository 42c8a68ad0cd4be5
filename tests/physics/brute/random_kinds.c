#include "physics/brute/random_kinds.h"

static void
rough_and_driven_add(struct random_scene *scene, uint64_t *state)
{
	random_driven_add(scene, state);
	random_rough_add(scene, state);
}

static void
rough_and_moved_add(struct random_scene *scene, uint64_t *state)
{
	random_moved_add(scene, state);
	random_rough_add(scene, state);
}

static void
rough_and_grouped_add(struct random_scene *scene, uint64_t *state)
{
	random_rough_add(scene, state);
	random_grouped_add(scene, state);
}

static void
drift_and_apart_add(struct random_scene *scene, uint64_t *state)
{
	random_drift_add(scene, state);
	random_apart_add(scene, state);
}

static void
ruled_and_driven_add(struct random_scene *scene, uint64_t *state)
{
	random_driven_add(scene, state);
	random_ruled_add(scene, state);
}

const struct random_kind random_kinds[] = {
	{ "plain", NULL },
	{ "rough", random_rough_add },
	{ "driven", random_driven_add },
	{ "rough, driven", rough_and_driven_add },
	{ "moved", random_moved_add },
	{ "rough, moved", rough_and_moved_add },
	{ "walls", random_walls_add },
	{ "grouped", random_grouped_add },
	{ "rough, grouped", rough_and_grouped_add },
	{ "moving walls", random_drift_add },
	{ "apart", random_apart_add },
	{ "moving walls, apart", drift_and_apart_add },
	{ "ruled", random_ruled_add },
	{ "ruled, driven", ruled_and_driven_add },
};

const size_t random_kind_count = sizeof random_kinds / sizeof random_kinds[0];

void
random_kind_make(struct random_scene *scene, const struct random_kind *kind, uint64_t seed)
{
	uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + 7;

	random_scene_make(scene, seed);
	if (kind->add)
		kind->add(scene, &state);
}
