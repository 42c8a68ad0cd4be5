#include "client/lib/part.h"

#include <assert.h>
#include <string.h>

/* PairColumns: the fields from here on exist only if a sweep was asked for. */
enum { SWEEP_FIELD_FIRST = 12 };

static_assert(sizeof(Collide__V1__Feature) == sizeof(uint32_t) && sizeof(Collide__V1__Relation) == sizeof(uint32_t) &&
                  sizeof(Collide__V1__Sweep) == sizeof(uint32_t) && sizeof(Collide__V1__BounceOutcome) == sizeof(uint32_t),
              "columns of enums are passed on as they are");

bool
part_columns_fit(const ProtobufCMessage *message, size_t rows, unsigned optional_from)
{
	const ProtobufCMessageDescriptor *descriptor = message->descriptor;
	size_t optional_rows = SIZE_MAX;
	for (unsigned i = 0; i < descriptor->n_fields; i++) {
		size_t count;
		memcpy(&count, (const char *)message + descriptor->fields[i].quantifier_offset, sizeof count);
		if (descriptor->fields[i].id < optional_from) {
			if (count != rows)
				return false;
			continue;
		}
		if (optional_rows == SIZE_MAX)
			optional_rows = count;
		if (count != optional_rows || (count != 0 && count != rows))
			return false;
	}
	return true;
}

bool
part_view_detected(struct part_view *view, const Collide__V1__Detected *message)
{
	struct collide_detected *out = &view->detected;
	const Collide__V1__PairColumns *from = message->pairs;
	const Collide__V1__DetectCounts *counts = message->counts;
	*out = (struct collide_detected){ .more = message->more };
	if (message->optional_counts_case == COLLIDE__V1__DETECTED__OPTIONAL_COUNTS_COUNTS) {
		view->detect_counts = (struct collide_detect_counts){
			.tested = counts->tested,
			.none = counts->none,
			.touching = counts->touching,
			.overlapping = counts->overlapping,
			.hit = counts->hit,
			.at_start = counts->at_start,
			.not_moving = counts->not_moving,
			.out_of_reach = counts->out_of_reach,
			.moving_away = counts->moving_away,
			.passes = counts->passes,
			.ends_before = counts->ends_before,
		};
		out->counts = &view->detect_counts;
	}
	if (message->optional_pairs_case != COLLIDE__V1__DETECTED__OPTIONAL_PAIRS_PAIRS)
		return true;
	if (!part_columns_fit(&from->base, from->n_a, SWEEP_FIELD_FIRST))
		return false;
	out->count = from->n_a;
	out->a = from->a;
	out->b = from->b;
	out->feature = (const uint32_t *)from->feature;
	out->relation = (const uint32_t *)from->relation;
	out->gap = from->gap;
	out->normal_x = from->normal_x;
	out->normal_y = from->normal_y;
	out->a_point_x = from->a_point_x;
	out->a_point_y = from->a_point_y;
	out->b_point_x = from->b_point_x;
	out->b_point_y = from->b_point_y;
	if (from->n_sweep == 0)
		return true;
	out->sweep = (const uint32_t *)from->sweep;
	out->time = from->time;
	out->fraction = from->fraction;
	out->hit_feature = (const uint32_t *)from->hit_feature;
	out->a_x = from->a_x;
	out->a_y = from->a_y;
	out->b_x = from->b_x;
	out->b_y = from->b_y;
	out->a_move_x = from->a_move_x;
	out->a_move_y = from->a_move_y;
	out->b_move_x = from->b_move_x;
	out->b_move_y = from->b_move_y;
	out->hit_x = from->hit_x;
	out->hit_y = from->hit_y;
	out->hit_normal_x = from->hit_normal_x;
	out->hit_normal_y = from->hit_normal_y;
	out->approach_speed = from->approach_speed;
	return true;
}

bool
part_view_responded(struct part_view *view, const Collide__V1__Responded *message)
{
	struct collide_responded *out = &view->responded;
	const Collide__V1__ResponseColumns *from = message->rows;
	const Collide__V1__RespondCounts *counts = message->counts;
	*out = (struct collide_responded){ .more = message->more };
	if (message->optional_counts_case == COLLIDE__V1__RESPONDED__OPTIONAL_COUNTS_COUNTS) {
		view->respond_counts = (struct collide_respond_counts){ .rows = counts->rows,
			                                                    .pushed = counts->pushed,
			                                                    .bounced = counts->bounced,
			                                                    .receding = counts->receding,
			                                                    .apart = counts->apart };
		out->counts = &view->respond_counts;
	}
	if (message->optional_rows_case != COLLIDE__V1__RESPONDED__OPTIONAL_ROWS_ROWS)
		return true;
	if (!part_columns_fit(&from->base, from->n_row, UINT32_MAX))
		return false;
	out->count = from->n_row;
	out->row = from->row;
	out->relation = (const uint32_t *)from->relation;
	out->gap = from->gap;
	out->normal_x = from->normal_x;
	out->normal_y = from->normal_y;
	out->pushed = from->pushed;
	out->a_x = from->a_x;
	out->a_y = from->a_y;
	out->b_x = from->b_x;
	out->b_y = from->b_y;
	out->bounce = (const uint32_t *)from->bounce;
	out->a_vx = from->a_vx;
	out->a_vy = from->a_vy;
	out->b_vx = from->b_vx;
	out->b_vy = from->b_vy;
	out->impulse = from->impulse;
	out->approach_speed = from->approach_speed;
	return true;
}
