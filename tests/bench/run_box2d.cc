/* bench_run_box2d: Box2D 2.4 for the benchmark. The one C++ file of the project, because Box2D's interface is C++. */
#include "bench/runner.h"

#include <box2d/box2d.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace
{

/* b2_maxTranslation: what a body moves in one step at most; compiled into the library. */
const double translation_max = b2_maxTranslation;
/* Circles smaller than this are lost in the engine's slop of 0.005. */
const double radius_least = 0.025;

struct own {
	b2World world;
	std::vector<b2Body *> bodies;
	float dt;
	double scale;

	explicit own(b2Vec2 gravity) : world(gravity), dt(0), scale(1)
	{
	}
};

const char *const settings[] = {
	"8 velocity and 3 position iterations, slop 0.005, warm starting and continuous collision with walls as by default",
	"restitution threshold 0; Debian's 2.4.1 calls itself 2.4.0",
	"lengths scaled down where something would move more than 2 units in a step, its compiled-in limit, unless that makes "
	"circles smaller than 0.025",
	nullptr,
};

double
radius_smallest(const scene *scene)
{
	double least = 1e300;
	for (uint64_t i = 0; i < scene->head.worlds; i++)
		for (uint64_t k = 0; k < scene->worlds[i].circle_count; k++)
			least = std::min(least, scene->worlds[i].circles[k].radius);
	return least;
}

/* The scale that keeps clear of the limit of 2 units a step, or 1 if there is none. */
double
scale_of(const scene *scene)
{
	const double travel = scene_travel(scene);
	if (travel < translation_max)
		return 1;
	const double scale = 0.95 * translation_max / travel;
	return scale * radius_smallest(scene) >= radius_least ? scale : 1;
}

/* Of the scene that is loaded: a scene of thousands of worlds is looked through once. */
double scene_scale = 1;

const char *
own_note(const scene *scene)
{
	static char text[128];
	const double scale = scene_scale = scale_of(scene);
	if (scale < 1)
		std::snprintf(text, sizeof text, "lengths times %.3g", scale);
	else if (scene_travel(scene) >= translation_max)
		std::snprintf(text, sizeof text, "cut to its limit of 2 units a step: these circles are too small to be scaled down");
	else
		return nullptr;
	return text;
}

b2Vec2
vector_of(double x, double y, double scale)
{
	return b2Vec2(static_cast<float>(x * scale), static_cast<float>(y * scale));
}

void
fixture_add(b2Body *body, const b2Shape *shape, double density, double restitution, double friction)
{
	b2FixtureDef def;
	def.shape = shape;
	def.density = static_cast<float>(density);
	def.restitution = static_cast<float>(restitution);
	def.restitutionThreshold = 0;
	def.friction = static_cast<float>(friction);
	body->CreateFixture(&def);
}

void
circle_add(own *own, const scene_circle &from, bool bullet)
{
	b2BodyDef def;
	const bool fixed = std::isinf(from.mass);
	def.type = fixed ? b2_staticBody : b2_dynamicBody;
	def.position = vector_of(from.x, from.y, own->scale);
	def.linearVelocity = vector_of(from.vx, from.vy, own->scale);
	def.bullet = bullet;
	b2CircleShape shape;
	shape.m_radius = static_cast<float>(from.radius * own->scale);
	b2Body *body = own->world.CreateBody(&def);
	const double area = 3.14159265358979 * shape.m_radius * shape.m_radius;
	fixture_add(body, &shape, fixed ? 0 : from.mass / area, from.restitution, from.friction);
	own->bodies.push_back(body);
}

void *
own_create(const scene *scene, const scene_world *from)
{
	const double scale = scene_scale;
	own *made = new own(vector_of(scene->head.gravity[0], scene->head.gravity[1], scale));
	made->dt = static_cast<float>(scene->head.dt);
	made->scale = scale;
	made->world.SetAllowSleeping((scene->head.flags & SCENE_SLEEP) != 0);
	b2BodyDef ground_def;
	b2Body *ground = made->world.CreateBody(&ground_def);
	for (uint64_t i = 0; i < from->segment_count; i++) {
		const scene_segment &s = from->segments[i];
		b2EdgeShape edge;
		edge.SetTwoSided(vector_of(s.x1, s.y1, scale), vector_of(s.x2, s.y2, scale));
		fixture_add(ground, &edge, 0, s.restitution, s.friction);
	}
	for (uint64_t i = 0; i < from->circle_count; i++)
		circle_add(made, from->circles[i], (scene->head.flags & SCENE_BULLETS) != 0);
	return made;
}

bool
own_step(void *context)
{
	own *self = static_cast<own *>(context);
	self->world.Step(self->dt, 8, 3);
	return true;
}

bool
own_steer(void *context, const scene_velocity *velocities, uint64_t count)
{
	own *self = static_cast<own *>(context);
	for (uint64_t i = 0; i < count; i++)
		self->bodies[i]->SetLinearVelocity(vector_of(velocities[i].vx, velocities[i].vy, self->scale));
	return true;
}

void
own_states(const void *context, frame_state *out)
{
	const own *self = static_cast<const own *>(context);
	for (const b2Body *body : self->bodies) {
		const b2Vec2 &p = body->GetPosition(), &v = body->GetLinearVelocity();
		*out++ = { p.x / self->scale, p.y / self->scale, v.x / self->scale, v.y / self->scale };
	}
}

void
own_destroy(void *context)
{
	delete static_cast<own *>(context);
}

} // namespace

int
main()
{
	char version[32];
	std::snprintf(version, sizeof version, "%d.%d.%d", b2_version.major, b2_version.minor, b2_version.revision);
	bench_engine engine = {};
	engine.name = "box2d";
	engine.version = version;
	engine.settings = settings;
	engine.scene_note = own_note;
	engine.world_create = own_create;
	engine.world_step = own_step;
	engine.world_steer = own_steer;
	engine.world_states = own_states;
	engine.world_destroy = own_destroy;
	return runner_run(&engine);
}
