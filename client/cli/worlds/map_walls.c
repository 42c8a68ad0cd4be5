#include "client/cli/worlds/map_walls.h"

#include "client/cli/scene/scene_build.h"
#include "client/cli/scene/scene_json.h"
#include "client/cli/worlds/walls.h"
#include "client/lib/follow/column.h"

#include <stdlib.h>

/* What is the schema's default is left out. */
static void
row_fill(const struct collide_segments *part, size_t row, Collide__V1__Segment *out)
{
	collide__v1__segment__init(out);
	out->optional_id_case = COLLIDE__V1__SEGMENT__OPTIONAL_ID_ID;
	out->id = part->id.values[row];
	out->x1 = doubles_at(&part->x1, row, 0);
	out->y1 = doubles_at(&part->y1, row, 0);
	out->x2 = doubles_at(&part->x2, row, 0);
	out->y2 = doubles_at(&part->y2, row, 0);
	out->restitution = doubles_at(&part->restitution, row, 1);
	if (out->restitution < 1)
		out->optional_restitution_case = COLLIDE__V1__SEGMENT__OPTIONAL_RESTITUTION_RESTITUTION;
	out->category = uint32s_at(&part->category, row, 1);
	if (out->category != 1)
		out->optional_category_case = COLLIDE__V1__SEGMENT__OPTIONAL_CATEGORY_CATEGORY;
	out->mask = uint32s_at(&part->mask, row, UINT32_MAX);
	if (out->mask != UINT32_MAX)
		out->optional_mask_case = COLLIDE__V1__SEGMENT__OPTIONAL_MASK_MASK;
	out->friction = doubles_at(&part->friction, row, 0);
	out->rolling_resistance = doubles_at(&part->rolling_resistance, row, 0);
	out->surface_speed = doubles_at(&part->surface_speed, row, 0);
	out->sensor = uint32s_at(&part->sensor, row, 0) != 0;
	out->radius = doubles_at(&part->radius, row, 0);
	out->one_sided = uint32s_at(&part->one_sided, row, 0) != 0;
	out->filter_group = int32s_at(&part->filter_group, row, 0);
	out->group = uint32s_at(&part->group, row, 0);
	out->disabled = uint32s_at(&part->disabled, row, 0) != 0;
}

bool
map_walls_take(void *context, const struct collide_map_segments *part)
{
	struct map_walls *walls = context;
	const struct collide_segments *segments = &part->segments;
	size_t count = walls->count + segments->count;
	if (count > walls->capacity) {
		size_t capacity = 2 * walls->capacity > count ? 2 * walls->capacity : count;
		Collide__V1__Segment *rows = realloc(walls->rows, capacity * sizeof *rows);
		walls->failed = walls->failed || !rows;
		walls->rows = rows ? rows : walls->rows;
		walls->capacity = rows ? capacity : walls->capacity;
	}
	/* Ids are told of each, as those of a map ascend. */
	if (walls->failed || segments->id.count != segments->count)
		return false;
	for (size_t row = 0; row < segments->count; row++)
		row_fill(segments, row, &walls->rows[walls->count++]);
	return true;
}

/* Many are written in columns: see SCENE_HAND_WRITTEN_MAX. */
static bool
columns_write(const Collide__V1__Scene *rows, FILE *out)
{
	const char *problem = NULL;
	size_t count = 0;
	Collide__V1__Scene scene;
	uint8_t *bytes = walls_pack(rows, &count, &problem);
	Collide__V1__SegmentColumns *columns = bytes ? collide__v1__segment_columns__unpack(NULL, count, bytes) : NULL;
	free(bytes);
	if (!columns)
		return false;
	collide__v1__scene__init(&scene);
	scene.optional_segment_columns_case = COLLIDE__V1__SCENE__OPTIONAL_SEGMENT_COLUMNS_SEGMENT_COLUMNS;
	scene.segment_columns = columns;
	bool good = scene_json_write(out, &scene);
	collide__v1__segment_columns__free_unpacked(columns, NULL);
	return good;
}

bool
map_walls_write(const struct map_walls *walls, FILE *out)
{
	Collide__V1__Scene scene;
	Collide__V1__Segment **at = calloc(walls->count + 1, sizeof *at);
	if (!at)
		return false;
	for (size_t i = 0; i < walls->count; i++)
		at[i] = &walls->rows[i];
	collide__v1__scene__init(&scene);
	scene.segments = at;
	scene.n_segments = walls->count;
	bool good = walls->count > SCENE_HAND_WRITTEN_MAX ? columns_write(&scene, out) : scene_json_write(out, &scene);
	free(at);
	return good;
}

void
map_walls_finish(struct map_walls *walls)
{
	free(walls->rows);
	*walls = (struct map_walls){ 0 };
}
