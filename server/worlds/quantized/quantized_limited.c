/* Updates with bytes limited. What an update has room for is chosen before it is coded, by estimates of the last ones.
 *
 * Happy path: all that is too far off fits, and is told as without a limit. Else the most important circles are told
 * (limited_choice.h); of the others a bit says that they are stale. Circles that readers do not have yet go before, the nearest
 * first, in up to half of the room. What can go wrong: the estimates. Then it is coded again, of fewer circles. */
#include "worlds/quantized/quantized_list.h"

#include "base/pause.h"
#include "worlds/commands/room.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Importance: a circle so many parts of the region's half side away from its middle counts half. */
#define HALF_IMPORTANCE 0.125
/* Bits of a row without its numbers, and what a new circle takes before there was one. */
#define ROW_BITS 12.0
#define ENTRY_BYTES 80.0
/* The weight of the last update in means. */
#define LATEST 0.125
/* A row as it is, in numbers of 64 bits, takes about so many times what others do. */
#define ROW_SCALE_MAX 16.0
/* How often an update is coded anew that has become too large. */
#define TRIES_MAX 4
#define MOTION_UNITS 4u

/* Within a region what is near to its middle matters most. */
static double
importance(const struct quantized_states *states, const struct body_motion *motion)
{
	const double *box = states->box;
	double side = fmax(box[2] - box[0], box[3] - box[1]);

	if (states->region.kind == REGION_ALL || !(side > 0.0))
		return 1.0;

	double x = motion->x - 0.5 * (box[0] + box[2]), y = motion->y - 0.5 * (box[1] + box[3]);

	return 1.0 / (1.0 + sqrt(x * x + y * y) / (HALF_IMPORTANCE * 0.5 * side));
}

static bool
rooms_take(struct quantized_states *states)
{
	struct limited_choice *choice = &states->choice;
	size_t count = states->motion_count;

	return room_reserve(&choice->motions, &choice->motion_capacity, count, sizeof *choice->motions) &&
	       room_reserve(&choice->rows.items, &choice->rows.capacity, count, sizeof *choice->rows.items) &&
	       room_reserve(&choice->entries.items, &choice->entries.capacity, count, sizeof *choice->entries.items);
}

/* One that readers have: a row, if it is too far off. */
static void
known_judge(struct quantized_states *states, size_t place, const struct quantized_circle *circle, uint64_t ticks)
{
	const struct body_motion *motion = &states->motions[place];
	struct quantized_error off = quantized_circle_error(states, circle, motion, ticks);

	if (off.error <= off.allowed)
		return;

	double part = fmin(off.error / off.allowed, DBL_MAX); /* it may be no number */

	states->choice.motions[place].error = off.error;
	states->choice.motions[place].bits = ROW_BITS + 2.0 * bits_of(1.0 + part);
	limited_row_add(&states->choice.rows, &(struct limited_row){ .weight = part * importance(states, motion),
	                                                             .bits = states->choice.motions[place].bits,
	                                                             .stale = circle->stale,
	                                                             .place = (uint32_t)place });
}

/* Notes what could be told. Returns how many are told anew anyhow. */
static size_t
motions_judge(struct quantized_states *states, const struct quantized_telling *telling)
{
	struct limited_choice *choice = &states->choice;
	size_t old = 0, next = 0, anyhow = 0;

	choice->rows.count = choice->entries.count = 0;
	for (size_t i = 0; i < states->motion_count && !pause_after(MOTION_UNITS); i++) {
		const struct body_motion *motion = &states->motions[i];

		while (old < states->count && states->circles[old].id < motion->id)
			old++;
		while (next < telling->defined_count && telling->defined[next] < motion->id)
			next++;

		bool known = old < states->count && states->circles[old].id == motion->id;

		choice->motions[i] = (struct limited_motion){ .known = known };
		if (!known)
			limited_row_add(&choice->entries, &(struct limited_row){ .weight = importance(states, motion),
			                                                         .bits = 8.0 * choice->entry_bytes,
			                                                         .place = (uint32_t)i });
		else if (next < telling->defined_count && telling->defined[next] == motion->id)
			anyhow++;
		else
			known_judge(states, i, &states->circles[old], telling->ticks);
	}
	return anyhow;
}

static double
bits_sum(const struct limited_rows *rows)
{
	double sum = 0.0;

	for (size_t i = 0; i < rows->count; i++)
		sum += rows->items[i].bits;
	return sum;
}

/* Gives those that were chosen their rank. */
static bool
ranks_set(struct limited_choice *choice, const struct limited_rows *rows, uint64_t turn, double bits, size_t *count)
{
	if (!limited_choice_make(choice, rows, turn, bits, count))
		return false;
	for (size_t i = 0; i < *count; i++)
		choice->motions[choice->order[i]].rank = (uint32_t)i + 1;
	return true;
}

/* New circles that must wait are left out of this update's motions. */
static void
motions_drop(struct quantized_states *states)
{
	struct limited_motion *judged = states->choice.motions;
	size_t kept = 0;

	for (size_t i = 0; i < states->motion_count && !pause_after(1); i++) {
		if (!judged[i].known && judged[i].rank == 0)
			continue;
		states->motions[kept] = states->motions[i];
		judged[kept++] = judged[i];
	}
	states->waiting_count = states->motion_count - kept;
	states->motion_count = kept;
}

/* Chooses what is told. *told: how many rows; *bits: what they are to take. */
static bool
told_choose(struct quantized_states *states, const struct quantized_telling *telling, double *bits, size_t *told)
{
	struct limited_choice *choice = &states->choice;
	size_t anyhow = motions_judge(states, telling), entered;

	for (size_t i = 0; i < choice->rows.count; i++)
		choice->rows.items[i].bits *= choice->row_scale;
	*bits -= choice->rest_bits + 8.0 * choice->entry_bytes * (double)anyhow;

	double entry_bits = fmax(0.5 * *bits, *bits - bits_sum(&choice->rows));

	if (!ranks_set(choice, &choice->entries, 0, entry_bits, &entered))
		return false;
	*bits -= 8.0 * choice->entry_bytes * (double)entered;
	if (!ranks_set(choice, &choice->rows, choice->turn, *bits, told))
		return false;
	motions_drop(states);
	return true;
}

/* The largest error of those that are left out; and what it all took, for the next estimates. */
static void
update_note(struct quantized_states *states, size_t told, size_t bytes)
{
	struct limited_choice *choice = &states->choice;
	double thought = 0.0;

	states->stale_error = 0.0;
	for (size_t i = 0; i < states->motion_count && !pause_after(1); i++) {
		const struct limited_motion *judged = &choice->motions[i];

		if (judged->known && judged->rank > 0 && judged->rank <= told)
			thought += judged->bits;
		else if (judged->known)
			states->stale_error = fmax(states->stale_error, judged->error);
	}
	if (thought > 0.0)
		choice->row_scale += LATEST * (fmin(choice->row_bits / thought, ROW_SCALE_MAX) - choice->row_scale);
	choice->turn += told;
	choice->rest_bits = fmax(8.0 * (double)bytes - choice->row_bits, 0.0);
}

/* Codes the list, of fewer rows if it would be too large. */
static bool
list_code(struct quantized_states *states, struct quantized_telling *telling, double bits, size_t *told, struct buffer *out)
{
	const struct quantized_contexts contexts = states->contexts;
	size_t first = out->count;

	for (unsigned tries = 0;; tries++) {
		telling->told_most = (uint32_t)*told;
		if (!quantized_list_make(states, telling, out))
			return false;

		double took = 8.0 * (double)(out->count - first);

		if (took <= bits || *told <= 1 || tries == TRIES_MAX)
			return true;
		*told = (size_t)fmax(1.0, fmin((double)*told - 1.0, 0.9 * (double)*told * bits / took));
		out->count = first;
		states->contexts = contexts;
	}
}

bool
quantized_states_update_limited(struct quantized_states *states, const struct world *world, uint64_t ticks,
                                const uint32_t *defined, size_t defined_count, size_t bytes, struct buffer *out)
{
	struct quantized_telling telling = { ticks, defined, defined_count, 0 };
	struct limited_choice *choice = &states->choice;
	size_t told, first = out->count;
	double bits = 8.0 * (double)bytes;

	if (choice->row_scale == 0.0) {
		choice->row_scale = 1.0;
		choice->entry_bytes = ENTRY_BYTES;
	}
	if (!quantized_motions_take(states, world, ticks) || !rooms_take(states) || !told_choose(states, &telling, &bits, &told) ||
	    !list_code(states, &telling, bits + choice->rest_bits, &told, out))
		return false;
	update_note(states, told, out->count - first);
	quantized_list_accept(states);
	return true;
}

void
quantized_states_note_anew(struct quantized_states *states, size_t bytes)
{
	struct limited_choice *choice = &states->choice;

	if (states->anew_count > 0)
		choice->entry_bytes += LATEST * ((double)bytes / (double)states->anew_count - choice->entry_bytes);
}
