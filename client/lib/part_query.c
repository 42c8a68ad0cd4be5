/* A part of a Queried: four tables, each with rows or left out. */
#include "client/lib/part.h"

#include <assert.h>

static_assert(sizeof(Collide__V1__Question) == sizeof(uint32_t) && sizeof(Collide__V1__MoveEnd) == sizeof(uint32_t),
              "columns of enums are passed on as they are");

static bool
hits_view(const Collide__V1__HitColumns *from, struct collide_hits *out)
{
	if (!part_columns_fit(&from->base, from->n_row, UINT32_MAX))
		return false;
	out->count = from->n_row;
	out->question = (const uint32_t *)from->question;
	out->row = from->row;
	out->id = from->id;
	out->feature = (const uint32_t *)from->feature;
	out->relation = (const uint32_t *)from->relation;
	out->fraction = from->fraction;
	out->gap = from->gap;
	out->x = from->x;
	out->y = from->y;
	out->point_x = from->point_x;
	out->point_y = from->point_y;
	out->normal_x = from->normal_x;
	out->normal_y = from->normal_y;
	return true;
}

static bool
moves_view(const Collide__V1__MoveColumns *from, struct collide_moved *out)
{
	if (!part_columns_fit(&from->base, from->n_row, UINT32_MAX))
		return false;
	out->count = from->n_row;
	out->row = from->row;
	out->end = (const uint32_t *)from->end;
	out->x = from->x;
	out->y = from->y;
	out->fraction = from->fraction;
	out->remaining_x = from->remaining_x;
	out->remaining_y = from->remaining_y;
	out->skin = from->skin;
	out->depth = from->depth;
	out->legs = from->legs;
	return true;
}

static bool
legs_view(const Collide__V1__LegColumns *from, struct collide_legs *out)
{
	if (!part_columns_fit(&from->base, from->n_row, UINT32_MAX))
		return false;
	out->count = from->n_row;
	out->row = from->row;
	out->x = from->x;
	out->y = from->y;
	out->fraction = from->fraction;
	return true;
}

static bool
presses_view(const Collide__V1__PressColumns *from, struct collide_presses *out)
{
	if (!part_columns_fit(&from->base, from->n_row, UINT32_MAX))
		return false;
	out->count = from->n_row;
	out->row = from->row;
	out->leg = from->leg;
	out->id = from->id;
	out->feature = (const uint32_t *)from->feature;
	out->gap = from->gap;
	out->point_x = from->point_x;
	out->point_y = from->point_y;
	out->normal_x = from->normal_x;
	out->normal_y = from->normal_y;
	return true;
}

static struct collide_query_counts
counts_view(const Collide__V1__QueryCounts *from)
{
	return (struct collide_query_counts){
		.casts = from->casts,
		.casts_hit = from->casts_hit,
		.in_circles = from->in_circles,
		.in_circles_hit = from->in_circles_hit,
		.in_boxes = from->in_boxes,
		.in_boxes_hit = from->in_boxes_hit,
		.in_segments = from->in_segments,
		.in_segments_hit = from->in_segments_hit,
		.nearest = from->nearest,
		.nearest_hit = from->nearest_hit,
		.moves_done = from->moves_done,
		.moves_blocked = from->moves_blocked,
		.moves_out_of_legs = from->moves_out_of_legs,
		.hits = from->hits,
	};
}

bool
part_view_queried(struct part_view *view, const Collide__V1__Queried *message)
{
	struct collide_queried *out = &view->queried;
	*out = (struct collide_queried){ .more = message->more };
	if (message->optional_counts_case == COLLIDE__V1__QUERIED__OPTIONAL_COUNTS_COUNTS) {
		view->query_counts = counts_view(message->counts);
		out->counts = &view->query_counts;
	}
	return (message->optional_hits_case != COLLIDE__V1__QUERIED__OPTIONAL_HITS_HITS || hits_view(message->hits, &out->hits)) &&
	       (message->optional_moves_case != COLLIDE__V1__QUERIED__OPTIONAL_MOVES_MOVES ||
	        moves_view(message->moves, &out->moves)) &&
	       (message->optional_legs_case != COLLIDE__V1__QUERIED__OPTIONAL_LEGS_LEGS || legs_view(message->legs, &out->legs)) &&
	       (message->optional_presses_case != COLLIDE__V1__QUERIED__OPTIONAL_PRESSES_PRESSES ||
	        presses_view(message->presses, &out->presses));
}
