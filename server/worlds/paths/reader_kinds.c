#include "worlds/paths/reader_kinds.h"

#include "base/memory.h"
#include "worlds/paths/path_code.h"

/* A circle is compared with so many of the kinds before it: scenes have them in runs, or by turns. */
#define COMPARED_MAX 4u

void
reader_kinds_finish(struct reader_kinds *kinds)
{
	memory_free(kinds->items);
	*kinds = (struct reader_kinds){ .items = NULL };
}

static bool
kind_is(const struct reader_kind *kind, const struct body_motion *motion)
{
	return bits_equal(kind->radius, motion->radius) && bits_equal(kind->gravity_x, motion->ax) &&
	       bits_equal(kind->gravity_y, motion->ay) && bits_equal(kind->linear_damping, motion->linear_damping) &&
	       bits_equal(kind->angular_damping, motion->angular_damping) &&
	       bits_equal(kind->gravity_scale, motion->gravity_scale) && kind->kind == motion->kind && kind->tag == motion->tag &&
	       bits_equal(kind->mass, motion->kind == BODY_DYNAMIC ? motion->mass : 0.0);
}

/* In a world of one kind there is room for one. */
static bool
kinds_reserve(struct reader_kinds *kinds)
{
	uint32_t capacity = kinds->capacity == 0 ? 1 : kinds->capacity * 2;

	if (kinds->count < kinds->capacity)
		return true;

	struct reader_kind *items = capacity > kinds->capacity ? memory_resize(kinds->items, capacity * sizeof *items) : NULL;
	if (!items)
		return false;
	kinds->items = items;
	kinds->capacity = capacity;
	return true;
}

bool
reader_kinds_enter(struct reader_kinds *kinds, const struct body_motion *motion, double dt, uint32_t *number)
{
	for (uint32_t k = kinds->count; k > 0 && kinds->count - k < COMPARED_MAX; k--) {
		if (kind_is(&kinds->items[k - 1], motion)) {
			*number = k - 1;
			return true;
		}
	}
	if (!kinds_reserve(kinds))
		return false;

	struct reader_kind *kind = &kinds->items[kinds->count];

	*number = kinds->count++;
	*kind = (struct reader_kind){
		.gravity_x = motion->ax,
		.gravity_y = motion->ay,
		.keep = 1.0 / (1.0 + dt * motion->linear_damping),
		.spin_keep = 1.0 / (1.0 + dt * motion->angular_damping),
		.mass = motion->kind == BODY_DYNAMIC ? motion->mass : 0.0,
		.linear_damping = motion->linear_damping,
		.angular_damping = motion->angular_damping,
		.gravity_scale = motion->gravity_scale,
		.radius = motion->radius,
		.tag = motion->tag,
		.kind = motion->kind,
		.moves = motion->kind != BODY_STATIC,
		.dynamic = motion->kind == BODY_DYNAMIC,
	};
	kind->damped = kind->keep != 1.0 || kind->spin_keep != 1.0;
	return true;
}
