/* Happy path: of a circle that is about where its readers have it, one bit is told, which costs next to nothing. What can go
 * wrong: numbers too large for the grid, which are told as they are; memory. */
#include "worlds/quantized/quantized_list.h"

#include "base/memory.h"
#include "base/pause.h"
#include "physics/describe.h"
#include "worlds/commands/room.h"

#include <math.h>
#include <string.h>

/* Units (base/pause.h) of a circle in an update; in each of its ticks it has another. */
#define CIRCLE_UNITS 4u
void
quantized_states_finish(struct quantized_states *states)
{
	memory_free(states->circles);
	memory_free(states->spare);
	memory_free(states->motions);
	memory_free(states->gone);
	memory_free(states->anew);
	limited_choice_finish(&states->choice);
	*states = (struct quantized_states){
		.tolerance = states->tolerance,
		.driven_tolerance = states->driven_tolerance,
		.dt = states->dt,
		.region = states->region,
		.limited = states->limited,
		.box = REGION_NOWHERE,
	};
}

/* ---- the list */

/* The square about a circle is where that is now; it stays there when the circle is gone. */
static void
box_follow(struct quantized_states *states, const struct world *world)
{
	const struct region *region = &states->region;
	size_t index;

	if (region->kind == REGION_BOX) {
		memcpy(states->box, (const double[]){ region->x0, region->y0, region->x1, region->y1 }, sizeof states->box);
	} else if (region->kind == REGION_AROUND && world_body_find(world, region->circle, &index)) {
		const struct body_motion *middle = &states->motions[index];
		double r = region->radius;

		memcpy(states->box, (const double[]){ middle->x - r, middle->y - r, middle->x + r, middle->y + r }, sizeof states->box);
	}
}

/* Whether a place is in the region, widened by `more`. */
static bool
box_has(const double box[4], double x, double y, double more)
{
	return x >= box[0] - more && x <= box[2] + more && y >= box[1] - more && y <= box[3] + more;
}

/* Whether it touches the region, or may do so before the next update; one that is known, whether it is still near. */
static bool
box_keeps(const double box[4], const struct body_motion *motion, bool known, double time)
{
	double x = motion->x + time * motion->vx, y = motion->y + time * motion->vy;

	return box_has(box, motion->x, motion->y, known ? 2.0 * motion->radius : motion->radius) ||
	       box_has(box, x, y, motion->radius);
}

/* Leaves those of the world's circles that are told. */
static void
motions_keep(struct quantized_states *states, double time)
{
	size_t old = 0, kept = 0;

	for (size_t i = 0; i < states->motion_count && !pause_after(1); i++) {
		const struct body_motion motion = states->motions[i];

		while (old < states->count && states->circles[old].id < motion.id)
			old++;

		bool known = old < states->count && states->circles[old].id == motion.id;

		if (box_keeps(states->box, &motion, known, time))
			states->motions[kept++] = motion;
	}
	states->motion_count = kept;
}

bool
quantized_motions_take(struct quantized_states *states, const struct world *world, uint64_t ticks)
{
	states->motion_count = world_body_count(world);
	if (!room_reserve(&states->motions, &states->motion_capacity, states->motion_count, sizeof *states->motions))
		return false;
	world_copy_motions(world, 0, states->motion_count, states->motions);
	if (states->region.kind == REGION_ALL)
		return true;
	box_follow(states, world);
	motions_keep(states, (double)ticks * states->dt);
	return true;
}

bool
quantized_states_begin(struct quantized_states *states, const struct world *world)
{
	struct bit_context *contexts = (struct bit_context *)&states->contexts;
	struct world_def def;

	if (!quantized_motions_take(states, world, 1) ||
	    !room_reserve(&states->circles, &states->capacity, states->motion_count, sizeof *states->circles))
		return false;
	for (size_t i = 0; i < states->motion_count && !pause_after(CIRCLE_UNITS); i++)
		states->circles[i] = quantized_circle_of(&states->motions[i], states->dt);
	for (size_t i = 0; i < sizeof states->contexts / sizeof *contexts; i++)
		contexts[i] = BIT_CONTEXT_EVEN;
	world_describe_settings(world, &def);
	states->speed_max = def.speed_max;
	states->count = states->motion_count;
	states->gone_count = states->anew_count = 0;
	states->stale_error = 0.0;
	states->waiting_count = 0;
	states->begun = true;
	return true;
}

/* Room for the lists of an update. */
static bool
rooms_take(struct quantized_states *states)
{
	return room_reserve(&states->spare, &states->spare_capacity, states->motion_count, sizeof *states->spare) &&
	       room_reserve(&states->gone, &states->gone_capacity, states->count, sizeof *states->gone) &&
	       room_reserve(&states->anew, &states->anew_capacity, states->motion_count, sizeof *states->anew);
}

/* Tells of those that stay, and notes the others. `old` and `defined` are walked along. */
static void
list_follow(struct quantized_states *states, const struct quantized_telling *telling, struct bit_coder *coder)
{
	const uint32_t *defined = telling->defined;
	struct quantized_circle *circles = states->spare;
	size_t old = 0, next = 0;

	states->gone_count = states->anew_count = 0;
	for (size_t i = 0; i < states->motion_count && !pause_after(CIRCLE_UNITS); i++) {
		const struct body_motion *motion = &states->motions[i];

		for (; old < states->count && states->circles[old].id < motion->id; old++)
			states->gone[states->gone_count++] = states->circles[old].id;
		while (next < telling->defined_count && defined[next] < motion->id)
			next++;

		bool known = old < states->count && states->circles[old].id == motion->id;

		if (known && !(next < telling->defined_count && defined[next] == motion->id)) {
			uint32_t rank = states->limited ? states->choice.motions[i].rank : 1;

			circles[i] = states->circles[old];
			quantized_circle_follow(states, &circles[i], motion, telling->ticks, rank != 0 && rank <= telling->told_most,
			                        coder);
		} else {
			circles[i] = quantized_circle_of(motion, states->dt);
			states->anew[states->anew_count++] = motion->id;
		}
		old += known;
	}
	for (; old < states->count; old++)
		states->gone[states->gone_count++] = states->circles[old].id;
}

bool
quantized_list_make(struct quantized_states *states, const struct quantized_telling *telling, struct buffer *out)
{
	struct bit_coder coder;

	if (!rooms_take(states))
		return false;
	bit_coder_begin(&coder, out);
	states->choice.row_bits = 0.0;
	list_follow(states, telling, &coder);
	bit_coder_end(&coder);
	return true;
}

void
quantized_list_accept(struct quantized_states *states)
{
	struct quantized_circle *circles = states->spare;
	size_t capacity = states->spare_capacity;

	states->spare = states->circles;
	states->spare_capacity = states->capacity;
	states->circles = circles;
	states->capacity = capacity;
	states->count = states->motion_count;
}

bool
quantized_states_update(struct quantized_states *states, const struct world *world, uint64_t ticks, const uint32_t *defined,
                        size_t defined_count, struct buffer *out)
{
	const struct quantized_telling telling = { ticks, defined, defined_count, UINT32_MAX };

	states->gone_count = states->anew_count = 0;
	if (!quantized_motions_take(states, world, ticks) || !quantized_list_make(states, &telling, out))
		return false;
	quantized_list_accept(states);
	return true;
}

bool
quantized_states_have(const struct quantized_states *states, uint32_t id)
{
	size_t low = 0, high = states->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (states->circles[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < states->count && states->circles[low].id == id;
}
