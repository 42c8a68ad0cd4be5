/* bench_run_box2d3: Box2D 3 for the benchmark, from a source folder that the user names. Its interface is C. */
#include "bench/runner.h"

#include <box2d/box2d.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct own {
	b2WorldId world;
	b2BodyId *bodies;
	size_t body_count;
	float dt;
	uint8_t *bytes; /* a snapshot */
	int size, capacity;
};

static const char *const settings[] = {
	"4 sub-steps, as its samples have; warm starting and continuous collision with walls as by default",
	"bullets flagged as such; restitution threshold 0; no limit of speeds or spins that bites",
	"one worker, built with -O3, NDEBUG and " BENCH_SIMD,
#if BENCH_SNAPSHOTS
	"snapshots are restored in place; the same calls keep a state and return to it",
#endif
	NULL,
};

/* Above any speed of the scenes. */
static const float speed_max = 1e6F;

static b2ShapeDef
surface_of(double density, double restitution, double friction)
{
	b2ShapeDef def = b2DefaultShapeDef();
	def.density = (float)density;
	def.material.restitution = (float)restitution;
	def.material.friction = (float)friction;
	return def;
}

static b2Vec2
vector_of(double x, double y)
{
	return (b2Vec2){ (float)x, (float)y };
}

static void
circle_add(struct own *own, const struct scene_circle *from, bool bullet)
{
	const bool fixed = isinf(from->mass);
	const double area = 3.14159265358979 * from->radius * from->radius;
	const b2ShapeDef surface = surface_of(fixed ? 0 : from->mass / area, from->restitution, from->friction);
	const b2Circle shape = { { 0, 0 }, (float)from->radius };
	b2BodyDef def = b2DefaultBodyDef();
	def.type = fixed ? b2_staticBody : b2_dynamicBody;
	def.position.x = (float)from->x;
	def.position.y = (float)from->y;
	def.linearVelocity = vector_of(from->vx, from->vy);
	def.isBullet = bullet;
	def.allowFastRotation = true;
	own->bodies[own->body_count] = b2CreateBody(own->world, &def);
	b2CreateCircleShape(own->bodies[own->body_count++], &surface, &shape);
}

static void *
own_create(const struct scene *scene, const struct scene_world *from)
{
	struct own *own = calloc(1, sizeof *own);
	if (!own)
		return NULL;
	own->bodies = calloc(from->circle_count + 1, sizeof *own->bodies);
	own->dt = (float)scene->head.dt;
	b2WorldDef def = b2DefaultWorldDef();
	def.gravity = vector_of(scene->head.gravity[0], scene->head.gravity[1]);
	def.restitutionThreshold = 0;
	def.maximumLinearSpeed = speed_max;
	def.enableSleep = (scene->head.flags & SCENE_SLEEP) != 0;
	def.workerCount = 1;
	own->world = b2CreateWorld(&def);
	if (!own->bodies || !b2World_IsValid(own->world)) {
		free(own->bodies);
		free(own);
		return NULL;
	}
	const b2BodyDef ground_def = b2DefaultBodyDef();
	const b2BodyId ground = b2CreateBody(own->world, &ground_def);
	for (uint64_t i = 0; i < from->segment_count; i++) {
		const struct scene_segment *s = &from->segments[i];
		const b2ShapeDef surface = surface_of(0, s->restitution, s->friction);
		const b2Segment shape = { vector_of(s->x1, s->y1), vector_of(s->x2, s->y2) };
		b2CreateSegmentShape(ground, &surface, &shape);
	}
	for (uint64_t i = 0; i < from->circle_count; i++)
		circle_add(own, &from->circles[i], (scene->head.flags & SCENE_BULLETS) != 0);
	return own;
}

static bool
own_step(void *context)
{
	struct own *own = context;
	b2World_Step(own->world, own->dt, 4);
	return true;
}

static bool
own_steer(void *context, const struct scene_velocity *velocities, uint64_t count)
{
	struct own *own = context;
	for (uint64_t i = 0; i < count; i++)
		b2Body_SetLinearVelocity(own->bodies[i], vector_of(velocities[i].vx, velocities[i].vy));
	return true;
}

static void
own_states(const void *context, struct frame_state *out)
{
	const struct own *own = context;
	for (size_t i = 0; i < own->body_count; i++) {
		const b2Vec2 v = b2Body_GetLinearVelocity(own->bodies[i]);
		out[i].x = b2Body_GetPosition(own->bodies[i]).x;
		out[i].y = b2Body_GetPosition(own->bodies[i]).y;
		out[i].vx = v.x;
		out[i].vy = v.y;
	}
}

#if BENCH_SNAPSHOTS
static bool
own_snapshot(void *context)
{
	struct own *own = context;
	own->size = b2World_Snapshot(own->world, own->bytes, own->capacity);
	if (own->size > own->capacity) {
		free(own->bytes);
		own->capacity = 2 * own->size;
		own->bytes = malloc((size_t)own->capacity);
		own->size = own->bytes ? b2World_Snapshot(own->world, own->bytes, own->capacity) : 0;
	}
	return own->size > 0;
}

static bool
own_restore(void *context)
{
	struct own *own = context;
	return b2World_Restore(own->world, own->bytes, own->size);
}
#endif

static void
own_destroy(void *context)
{
	struct own *own = context;
	b2DestroyWorld(own->world);
	free(own->bytes);
	free(own->bodies);
	free(own);
}

int
main(void)
{
	const b2Version v = b2GetVersion();
	char version[48];
	snprintf(version, sizeof version, "%d.%d.%d%s", v.major, v.minor, v.revision, BENCH_COMMIT);
	const struct bench_engine engine = {
		.name = "box2d3",
		.version = version,
		.settings = settings,
		.world_create = own_create,
		.world_step = own_step,
		.world_steer = own_steer,
		.world_states = own_states,
		.world_destroy = own_destroy,
#if BENCH_SNAPSHOTS
		.world_snapshot = own_snapshot,
		.world_restore = own_restore,
		.world_keep = own_snapshot,
		.world_return = own_restore,
#endif
	};
	return runner_run(&engine);
}
