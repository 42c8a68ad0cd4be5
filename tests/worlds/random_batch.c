#include "worlds/random_batch.h"

#include "support/random.h"

static double
number(struct batch_maker *maker, double size)
{
	return random_between(&maker->seed, -size, size);
}

/* Mostly the id of a circle that is there. */
static uint32_t
some_circle(struct batch_maker *maker)
{
	size_t count = world_body_count(maker->world);

	if (count == 0 || random_below(&maker->seed, 30) == 0)
		return 1000000;
	return world_body(maker->world, random_below(&maker->seed, count)).id;
}

static size_t
rows(struct batch_maker *maker)
{
	return 1 + random_below(&maker->seed, BATCH_ROWS_MAX);
}

static void
edit_put(struct spec *spec, struct edit edit)
{
	spec->edits[spec->edit_count++] = edit;
}

static void
velocities_make(struct batch_maker *maker, struct spec *spec, struct columns *c, bool adds)
{
	Collide__V1__VelocityColumns *columns = adds ? &c->add : &c->velocities;
	size_t n = rows(maker), k = adds ? 1 : 0;
	bool spins = random_below(&maker->seed, 3) == 0, one = random_below(&maker->seed, 4) == 0;

	collide__v1__velocity_columns__init(columns);
	for (size_t i = 0; i < n; i++) {
		uint32_t id = c->ids[k][i] = some_circle(maker);
		size_t v = one ? 0 : i;

		c->a[k][i] = number(maker, 5), c->b[k][i] = number(maker, 5), c->c[k][i] = number(maker, 2);
		if (adds) {
			edit_put(spec,
			         (struct edit){ .kind = EDIT_CIRCLE_ADD_VELOCITY,
			                        .push = { .id = id, .x = c->a[k][v], .y = c->b[k][i], .turn = spins ? c->c[k][i] : 0 } });
		} else {
			struct circle_def def = { .id = id, .vx = c->a[k][v], .vy = c->b[k][i], .angular_velocity = c->c[k][i] };

			edit_put(spec, edit_circle_change(&def, edit_field(DEF_CIRCLE_VX) | edit_field(DEF_CIRCLE_VY) |
			                                            (spins ? edit_field(DEF_CIRCLE_ANGULAR_VELOCITY) : 0)));
		}
	}
	columns->n_id = n, columns->id = c->ids[k];
	columns->n_vx = one ? 1 : n, columns->vx = c->a[k];
	columns->n_vy = n, columns->vy = c->b[k];
	columns->n_angular_velocity = spins ? n : 0, columns->angular_velocity = c->c[k];
	if (adds) {
		c->message.optional_add_velocities_case = COLLIDE__V1__COMMANDS__OPTIONAL_ADD_VELOCITIES_ADD_VELOCITIES;
		c->message.add_velocities = columns;
	} else {
		c->message.optional_velocities_case = COLLIDE__V1__COMMANDS__OPTIONAL_VELOCITIES_VELOCITIES;
		c->message.velocities = columns;
	}
}

static void
places_make(struct batch_maker *maker, struct spec *spec, struct columns *c)
{
	size_t n = rows(maker);

	collide__v1__place_columns__init(&c->places);
	c->places.swept = random_below(&maker->seed, 2) == 0;
	for (size_t i = 0; i < n; i++) {
		struct circle_def def = { .id = c->ids[2][i] = some_circle(maker),
			                      .x = c->a[2][i] = random_between(&maker->seed, 1, 27),
			                      .y = c->b[2][i] = random_between(&maker->seed, 1, 27) };

		if (c->places.swept)
			edit_put(spec, edit_circle_sweep(def.id, def.x, def.y));
		else
			edit_put(spec, edit_circle_change(&def, edit_field(DEF_CIRCLE_X) | edit_field(DEF_CIRCLE_Y)));
	}
	c->places.n_id = c->places.n_x = c->places.n_y = n;
	c->places.id = c->ids[2], c->places.x = c->a[2], c->places.y = c->b[2];
	c->message.optional_places_case = COLLIDE__V1__COMMANDS__OPTIONAL_PLACES_PLACES;
	c->message.places = &c->places;
}

static void
pushes_make(struct batch_maker *maker, struct spec *spec, struct columns *c)
{
	size_t n = rows(maker), kind = random_below(&maker->seed, 3);
	bool impulses = kind != 1, forces = kind != 0;

	collide__v1__push_columns__init(&c->pushes);
	for (size_t i = 0; i < n; i++) {
		uint32_t id = c->ids[3][i] = some_circle(maker);

		c->a[3][i] = number(maker, 3), c->b[3][i] = number(maker, 3);
		c->c[3][i] = number(maker, 9), c->d[3][i] = number(maker, 9);
		c->ticks[i] = (uint32_t)random_below(&maker->seed, 20);
		edit_put(spec, (struct edit){ .kind = EDIT_CIRCLE_IMPULSE,
		                              .push = { .id = id, .x = impulses ? c->a[3][i] : 0, .y = impulses ? c->b[3][i] : 0 } });
		if (forces && c->ticks[i] > 0)
			spec->forces[spec->force_count++] = (struct model_force){ id, c->ticks[i], c->c[3][i], c->d[3][i] };
	}
	c->pushes.n_id = n, c->pushes.id = c->ids[3];
	c->pushes.n_impulse_x = c->pushes.n_impulse_y = impulses ? n : 0;
	c->pushes.impulse_x = c->a[3], c->pushes.impulse_y = c->b[3];
	c->pushes.n_force_x = c->pushes.n_force_y = c->pushes.n_ticks = forces ? n : 0;
	c->pushes.force_x = c->c[3], c->pushes.force_y = c->d[3], c->pushes.ticks = c->ticks;
	c->message.optional_pushes_case = COLLIDE__V1__COMMANDS__OPTIONAL_PUSHES_PUSHES;
	c->message.pushes = &c->pushes;
}

static void
spawn_make(struct batch_maker *maker, struct spec *spec, struct columns *c)
{
	size_t n = rows(maker);

	collide__v1__circle_columns__init(&c->spawn);
	for (size_t i = 0; i < n; i++) {
		struct circle_def def = circle_def_default();

		def.id = c->ids[4][i] = random_below(&maker->seed, 20) == 0 ? some_circle(maker) : maker->next_id++;
		def.x = c->a[4][i] = random_between(&maker->seed, 1, 27);
		def.y = c->b[4][i] = random_between(&maker->seed, 1, 27);
		def.vx = c->c[4][i] = number(maker, 4);
		def.radius = c->d[4][i] = random_between(&maker->seed, 0.2, 0.6);
		def.lifetime_ticks = 40;
		edit_put(spec, edit_circle_spawn(&def));
	}
	c->spawn.n_id = n, c->spawn.id = c->ids[4];
	c->spawn.n_x = c->spawn.n_y = c->spawn.n_vx = c->spawn.n_radius = n;
	c->spawn.x = c->a[4], c->spawn.y = c->b[4], c->spawn.vx = c->c[4], c->spawn.radius = c->d[4];
	c->ids[8][0] = 40;
	c->spawn.n_lifetime_ticks = 1, c->spawn.lifetime_ticks = c->ids[8];
	c->message.optional_spawn_case = COLLIDE__V1__COMMANDS__OPTIONAL_SPAWN_SPAWN;
	c->message.spawn = &c->spawn;
}

static void
changes_make(struct batch_maker *maker, struct spec *spec, struct columns *c)
{
	size_t n = rows(maker);

	collide__v1__circle_columns__init(&c->changes);
	c->e[0] = random_between(&maker->seed, 0, 1);
	for (size_t i = 0; i < n; i++) {
		struct circle_def def = { .id = c->ids[5][i] = some_circle(maker),
			                      .radius = c->a[5][i] = random_between(&maker->seed, 0.2, 0.7),
			                      .restitution = c->e[0] };

		edit_put(spec, edit_circle_change(&def, edit_field(DEF_CIRCLE_RADIUS) | edit_field(DEF_CIRCLE_RESTITUTION)));
	}
	c->changes.n_id = c->changes.n_radius = n, c->changes.id = c->ids[5], c->changes.radius = c->a[5];
	c->changes.n_restitution = 1, c->changes.restitution = c->e;
	c->message.optional_changes_case = COLLIDE__V1__COMMANDS__OPTIONAL_CHANGES_CHANGES;
	c->message.changes = &c->changes;
}

static void
remove_make(struct batch_maker *maker, struct spec *spec, struct columns *c)
{
	size_t n = 1 + random_below(&maker->seed, 2);

	for (size_t i = 0; i < n; i++)
		edit_put(spec, edit_circle_remove(c->ids[6][i] = some_circle(maker)));
	c->message.n_remove = n, c->message.remove = c->ids[6];
}

/* A wall in the box: added, switched or taken away. */
static void
walls_make(struct batch_maker *maker, struct spec *spec, struct columns *c)
{
	struct segment_def def = segment_def_default();
	uint32_t id = c->ids[7][0] = 100 + (uint32_t)random_below(&maker->seed, 4);

	def.id = id;
	switch (random_below(&maker->seed, 4)) {
	case 0:
		collide__v1__segment_columns__init(&c->walls);
		def.x1 = c->a[7][0] = random_between(&maker->seed, 1, 27), def.y1 = c->b[7][0] = random_between(&maker->seed, 1, 27);
		def.x2 = c->c[7][0] = def.x1 + 2, def.y2 = c->d[7][0] = def.y1 + 1;
		edit_put(spec, edit_segment_spawn(&def));
		c->walls.n_id = c->walls.n_x1 = c->walls.n_y1 = c->walls.n_x2 = c->walls.n_y2 = 1, c->walls.id = c->ids[7];
		c->walls.x1 = c->a[7], c->walls.y1 = c->b[7], c->walls.x2 = c->c[7], c->walls.y2 = c->d[7];
		c->message.optional_spawn_segments_case = COLLIDE__V1__COMMANDS__OPTIONAL_SPAWN_SEGMENTS_SPAWN_SEGMENTS;
		c->message.spawn_segments = &c->walls;
		break;
	case 1:
		edit_put(spec, edit_segment_remove(id));
		c->message.n_remove_segments = 1, c->message.remove_segments = c->ids[7];
		break;
	case 2:
		edit_put(spec, edit_segment_change(&def, edit_field(DEF_SEGMENT_DISABLED)));
		c->message.n_enable_segments = 1, c->message.enable_segments = c->ids[7];
		break;
	default:
		def.disabled = true;
		edit_put(spec, edit_segment_change(&def, edit_field(DEF_SEGMENT_DISABLED)));
		c->message.n_disable_segments = 1, c->message.disable_segments = c->ids[7];
	}
}

static void
explosion_make(struct batch_maker *maker, struct spec *spec, struct columns *c)
{
	struct explosion explosion = { .x = random_between(&maker->seed, 0, 28),
		                           .y = random_between(&maker->seed, 0, 28),
		                           .radius = 2,
		                           .falloff = 3,
		                           .impulse_per_length = 2,
		                           .mask = UINT32_MAX };

	collide__v1__explosion__init(&c->explosion);
	c->explosion.x = explosion.x, c->explosion.y = explosion.y, c->explosion.radius = 2, c->explosion.falloff = 3;
	c->explosion.impulse_per_length = 2;
	c->explosions[0] = &c->explosion;
	c->message.n_explosions = 1, c->message.explosions = c->explosions;
	edit_put(spec, edit_explosion(&explosion));
}

static void
gravity_make(struct batch_maker *maker, struct spec *spec, struct columns *c)
{
	collide__v1__vector__init(&c->gravity);
	c->gravity.x = number(maker, 20), c->gravity.y = number(maker, 20);
	c->message.optional_gravity_case = COLLIDE__V1__COMMANDS__OPTIONAL_GRAVITY_GRAVITY;
	c->message.gravity = &c->gravity;
	edit_put(spec, edit_gravity(c->gravity.x, c->gravity.y));
}

void
batch_make_random(struct batch_maker *maker, struct spec *spec, struct columns *c)
{
	size_t kinds = 1 + random_below(&maker->seed, 2);

	collide__v1__commands__init(&c->message);
	spec->skip_missing = random_below(&maker->seed, 2) == 0;
	c->message.skip_missing = spec->skip_missing;
	for (size_t i = 0; i < kinds; i++) {
		switch (random_below(&maker->seed, 13)) {
		case 0:
		case 1:
		case 2:
			if (!c->message.velocities)
				velocities_make(maker, spec, c, false);
			break;
		case 3:
		case 4:
			if (!c->message.add_velocities)
				velocities_make(maker, spec, c, true);
			break;
		case 5:
			if (!c->message.places)
				places_make(maker, spec, c);
			break;
		case 6:
			if (!c->message.pushes)
				pushes_make(maker, spec, c);
			break;
		case 7:
			if (!c->message.spawn)
				spawn_make(maker, spec, c);
			break;
		case 8:
			if (!c->message.changes)
				changes_make(maker, spec, c);
			break;
		case 9:
			if (!c->message.n_remove)
				remove_make(maker, spec, c);
			break;
		case 10:
			if (!c->message.spawn_segments &&
			    c->message.n_remove_segments + c->message.n_enable_segments + c->message.n_disable_segments == 0)
				walls_make(maker, spec, c);
			break;
		case 11:
			if (!c->message.gravity)
				gravity_make(maker, spec, c);
			break;
		default:
			if (!c->message.n_explosions)
				explosion_make(maker, spec, c);
		}
	}
}
