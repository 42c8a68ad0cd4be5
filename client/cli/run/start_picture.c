#include "client/cli/run/start_picture.h"

#include "client/cli/scene/scene_build.h"
#include "client/cli/scene/scene_json.h"
#include "physics/describe.h"

#include <stdlib.h>

/* What a picture shows of a world: a scene of its shapes at their current positions. */
static Collide__V1__Scene *
shapes_of_world(const struct world *world)
{
	size_t circle_count = world_body_count(world), segment_count = world_segment_count(world);
	struct circle_def *circles = calloc(circle_count + 1, sizeof *circles);
	struct segment_def *segments = calloc(segment_count + 1, sizeof *segments);
	struct scene_build build;
	struct world_def def;
	Collide__V1__Scene *scene = NULL;
	scene_build_init(&build);
	if (circles && segments) {
		world_describe(world, circles, segments, &def);
		for (size_t i = 0; i < circle_count; i++) {
			const struct circle_def *c = &circles[i];
			scene_build_circle(&build, (struct build_circle){ .x = c->x,
			                                                  .y = c->y,
			                                                  .radius = c->radius,
			                                                  .mass = 1,
			                                                  .restitution = 1,
			                                                  .kind = (Collide__V1__BodyKind)(c->kind + 1),
			                                                  .given = BUILD_ID,
			                                                  .id = c->id });
		}
		for (size_t i = 0; i < segment_count; i++)
			scene_build_segment(&build, segment_between(segments[i].x1, segments[i].y1, segments[i].x2, segments[i].y2, 1));
		scene = scene_build_message(&build);
	}
	scene_build_finish(&build);
	free(circles);
	free(segments);
	return scene;
}

struct picture *
start_picture(const struct start *start)
{
	if (start->scene)
		return picture_create(start->scene);
	struct world *world = start_restore(start->snapshot, start->snapshot_bytes);
	Collide__V1__Scene *scene = world ? shapes_of_world(world) : NULL;
	struct picture *picture = scene ? picture_create(scene) : NULL;
	scene_json_free(scene);
	world_destroy(world);
	return picture;
}
