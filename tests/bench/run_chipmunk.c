/* bench_run_chipmunk, bench_run_chipmunk_ndebug: Chipmunk for the benchmark, as Debian builds it and from source. Usage:
 * bench_run_chipmunk [tree|hash]: its broad phase. */
#include "bench/runner.h"

#include <chipmunk/chipmunk.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct own {
	cpSpace *space;
	cpBody **bodies;
	cpShape **shapes;
	size_t body_count, shape_count;
	cpFloat dt;
};

static bool use_hash;

static const char *const settings_tree[] = {
	"broad phase: the bounding box tree, its default",
	"10 iterations, slop 0.1 and bias as by default; " BENCH_BUILD,
	"no continuous collision (it has none)",
	NULL,
};

static const char *const settings_hash[] = {
	"broad phase: the spatial hash, cells as wide as the mean circle, ten per circle, as its manual says",
	"10 iterations, slop 0.1 and bias as by default; " BENCH_BUILD,
	"no continuous collision (it has none)",
	NULL,
};

/* Chipmunk multiplies the two sides' coefficients. */
static cpShape *
shape_add(struct own *own, cpShape *shape, double restitution, double friction)
{
	cpShapeSetElasticity(shape, sqrt(restitution));
	cpShapeSetFriction(shape, sqrt(friction));
	cpSpaceAddShape(own->space, shape);
	own->shapes[own->shape_count++] = shape;
	return shape;
}

static void
circle_add(struct own *own, const struct scene_circle *from)
{
	const bool fixed = isinf(from->mass);
	cpBody *body = fixed ? cpBodyNewStatic() : cpBodyNew(from->mass, cpMomentForCircle(from->mass, 0, from->radius, cpvzero));
	cpBodySetPosition(body, cpv(from->x, from->y));
	if (!fixed)
		cpBodySetVelocity(body, cpv(from->vx, from->vy));
	cpSpaceAddBody(own->space, body);
	own->bodies[own->body_count++] = body;
	shape_add(own, cpCircleShapeNew(body, from->radius, cpvzero), from->restitution, from->friction);
}

static void
hash_use(struct own *own, const struct scene_world *from)
{
	double sum = 0;
	for (uint64_t i = 0; i < from->circle_count; i++)
		sum += 2 * from->circles[i].radius;
	cpSpaceUseSpatialHash(own->space, sum / (double)from->circle_count, (int)(10 * from->circle_count));
}

static void *
own_create(const struct scene *scene, const struct scene_world *from)
{
	struct own *own = calloc(1, sizeof *own);
	if (!own)
		return NULL;
	own->bodies = calloc(from->circle_count + 1, sizeof(cpBody *));
	own->shapes = calloc(from->circle_count + from->segment_count + 1, sizeof(cpShape *));
	own->space = cpSpaceNew();
	own->dt = scene->head.dt;
	if (use_hash && from->circle_count)
		hash_use(own, from);
	cpSpaceSetGravity(own->space, cpv(scene->head.gravity[0], scene->head.gravity[1]));
	if (scene->head.flags & SCENE_SLEEP)
		cpSpaceSetSleepTimeThreshold(own->space, 0.5);
	for (uint64_t i = 0; i < from->segment_count; i++) {
		const struct scene_segment *s = &from->segments[i];
		cpShape *shape = cpSegmentShapeNew(cpSpaceGetStaticBody(own->space), cpv(s->x1, s->y1), cpv(s->x2, s->y2), 0);
		shape_add(own, shape, s->restitution, s->friction);
	}
	for (uint64_t i = 0; i < from->circle_count; i++)
		circle_add(own, &from->circles[i]);
	return own;
}

static bool
own_step(void *context)
{
	struct own *own = context;
	cpSpaceStep(own->space, own->dt);
	return true;
}

static bool
own_steer(void *context, const struct scene_velocity *velocities, uint64_t count)
{
	struct own *own = context;
	for (uint64_t i = 0; i < count; i++)
		cpBodySetVelocity(own->bodies[i], cpv(velocities[i].vx, velocities[i].vy));
	return true;
}

static void
own_states(const void *context, struct frame_state *out)
{
	const struct own *own = context;
	for (size_t i = 0; i < own->body_count; i++) {
		const cpVect p = cpBodyGetPosition(own->bodies[i]), v = cpBodyGetVelocity(own->bodies[i]);
		out[i] = (struct frame_state){ p.x, p.y, v.x, v.y };
	}
}

static void
own_destroy(void *context)
{
	struct own *own = context;
	for (size_t i = 0; i < own->shape_count; i++) {
		cpSpaceRemoveShape(own->space, own->shapes[i]);
		cpShapeFree(own->shapes[i]);
	}
	for (size_t i = 0; i < own->body_count; i++) {
		cpSpaceRemoveBody(own->space, own->bodies[i]);
		cpBodyFree(own->bodies[i]);
	}
	cpSpaceFree(own->space);
	free(own->bodies);
	free(own->shapes);
	free(own);
}

int
main(int argc, char **argv)
{
	if (argc > 2 || (argc == 2 && strcmp(argv[1], "tree") != 0 && strcmp(argv[1], "hash") != 0)) {
		fprintf(stderr, "usage: bench_run_chipmunk [tree|hash]\n");
		return 2;
	}
	use_hash = argc == 2 && strcmp(argv[1], "hash") == 0;
	const struct bench_engine engine = {
		.name = use_hash ? BENCH_NAME "-hash" : BENCH_NAME "-tree",
		.version = cpVersionString,
		.settings = use_hash ? settings_hash : settings_tree,
		.world_create = own_create,
		.world_step = own_step,
		.world_steer = own_steer,
		.world_states = own_states,
		.world_destroy = own_destroy,
	};
	return runner_run(&engine);
}
