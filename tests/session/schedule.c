#include "session/schedule.h"

#include "session/messages.h"
#include "support/random.h"

#include <math.h>
#include <string.h>

static void
batch_make(struct scheduled_batch *batch, uint64_t *random, uint32_t phase, uint64_t named)
{
	*batch = (struct scheduled_batch){ .phase = phase,
		                               .kind = (enum scheduled_kind)random_below(random, SCHEDULED_KINDS),
		                               .rows = 1 + (uint32_t)random_below(random, 2),
		                               .ticks = (uint32_t)random_below(random, 6),
		                               .seat = (uint32_t)random_below(random, SCHEDULE_SEATS + 2),
		                               .skip_missing = random_below(random, 4) == 0 };
	for (int i = 0; i < 2; i++) {
		bool own = batch->kind == SCHEDULED_SPAWN || random_below(random, 2) == 0;
		batch->id[i] = own ? SCHEDULE_CIRCLES + (uint32_t)random_below(random, SCHEDULE_IDS + 1)
		                   : (uint32_t)random_below(random, SCHEDULE_CIRCLES);
		batch->x[i] = random_between(random, 1, 19);
		batch->y[i] = random_between(random, 1, 19);
	}
	if (batch->id[0] == batch->id[1])
		batch->rows = 1;
	switch (random_below(random, 8)) {
	case 0:
	case 1:
	case 2: batch->tick = phase + 1 + random_below(random, SCHEDULE_AHEAD); break;
	case 3: batch->tick = phase > 2 ? phase - random_below(random, 3) : 0; break; /* late */
	case 4: batch->tick = random_below(random, 4) == 0 ? UINT64_C(1) << 40 : 0; break;
	default: break;
	}
	/* Now and then below that of the batch before. */
	if (batch->tick != 0 && batch->tick < named && random_below(random, 4) != 0)
		batch->tick = named;
}

void
schedule_make(struct seat_schedule *schedule, uint64_t seed)
{
	uint64_t random = seed * 1000003;
	memset(schedule, 0, sizeof *schedule);
	schedule->late = (Collide__V1__Late)(1 + random_below(&random, 3));
	schedule->seed = random_bits(&random);
	for (size_t i = 0; i < SCHEDULE_SEATS; i++) {
		uint64_t named = 0;
		schedule->right[i] = random_below(&random, 3) == 0 ? COLLIDE__V1__RIGHT__RIGHT_OWN : COLLIDE__V1__RIGHT__RIGHT_ALL;
		for (uint32_t phase = 0; phase < SCHEDULE_PHASES; phase++) {
			for (uint64_t left = random_below(&random, 4); left > 0; left--) {
				struct scheduled_batch *batch = &schedule->batches[i][schedule->count[i]++];
				batch_make(batch, &random, phase, named);
				if (batch->tick > named && batch->tick <= SCHEDULE_TICKS)
					named = batch->tick;
			}
		}
	}
}

void
schedule_pack_world(struct buffer *out, const struct seat_schedule *schedule, uint64_t request_id)
{
	static const double corners[5][2] = { { 0, 0 }, { 20, 0 }, { 20, 20 }, { 0, 20 }, { 0, 0 } };
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	Collide__V1__CreateWorld create = COLLIDE__V1__CREATE_WORLD__INIT;
	Collide__V1__WorldPolicy policy = COLLIDE__V1__WORLD_POLICY__INIT;
	Collide__V1__Scene scene = COLLIDE__V1__SCENE__INIT;
	Collide__V1__Circle circles[SCHEDULE_CIRCLES], *circle_list[SCHEDULE_CIRCLES];
	Collide__V1__Segment segments[4], *segment_list[4];
	uint64_t random = schedule->seed;
	for (uint32_t i = 0; i < SCHEDULE_CIRCLES; i++) {
		collide__v1__circle__init(&circles[i]);
		circles[i].optional_id_case = COLLIDE__V1__CIRCLE__OPTIONAL_ID_ID;
		circles[i].id = i + 1;
		circles[i].x = 3 + 4 * (double)(i % 4);
		circles[i].y = 3 + 4 * (double)(i / 4);
		circles[i].vx = random_between(&random, -9, 9);
		circles[i].vy = random_between(&random, -9, 9);
		circles[i].radius = 0.5;
		circle_list[i] = &circles[i];
	}
	for (size_t i = 0; i < 4; i++) {
		collide__v1__segment__init(&segments[i]);
		segments[i].x1 = corners[i][0], segments[i].y1 = corners[i][1];
		segments[i].x2 = corners[i + 1][0], segments[i].y2 = corners[i + 1][1];
		segment_list[i] = &segments[i];
	}
	scene.circles = circle_list, scene.n_circles = SCHEDULE_CIRCLES;
	scene.segments = segment_list, scene.n_segments = 4;
	scene.gravity_y = random_below(&random, 2) == 0 ? 0 : -9.81;
	policy.dt = 1.0 / 64;
	policy.clock = COLLIDE__V1__CLOCK__CLOCK_CLIENT;
	policy.late = schedule->late;
	policy.history_ticks = schedule->late == COLLIDE__V1__LATE__LATE_RESIMULATE ? 8 : 0;
	create.optional_begin_case = COLLIDE__V1__CREATE_WORLD__OPTIONAL_BEGIN_SCENE;
	create.scene = &scene;
	create.optional_policy_case = COLLIDE__V1__CREATE_WORLD__OPTIONAL_POLICY_POLICY;
	create.policy = &policy;
	message.request_id = request_id;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CREATE_WORLD;
	message.create_world = &create;
	pack_message(out, &message);
}

/* The rows of a batch, in every kind of columns. */
struct schedule_columns {
	uint32_t id[2], ticks[2], seat[2];
	double x[2], y[2], radius[2];
	Collide__V1__VelocityColumns velocities;
	Collide__V1__PlaceColumns places;
	Collide__V1__PushColumns pushes;
	Collide__V1__CircleColumns spawn;
	Collide__V1__OwnerColumns give;
	Collide__V1__Explosion explosion, *explosions[1];
	Collide__V1__Vector gravity;
};

static void
columns_fill(struct schedule_columns *columns, const struct scheduled_batch *batch, uint32_t id_first)
{
	size_t rows = batch->rows;
	for (size_t i = 0; i < rows; i++) {
		uint32_t own = batch->id[i] - SCHEDULE_CIRCLES;
		/* Behind a seat's own ids come those of the next. */
		columns->id[i] = batch->id[i] < SCHEDULE_CIRCLES ? batch->id[i] + 1 : id_first + own;
		columns->x[i] = batch->kind == SCHEDULED_NOT_A_NUMBER && i + 1 == rows ? (double)NAN : batch->x[i];
		columns->y[i] = batch->y[i];
		columns->radius[i] = 0.25;
		columns->ticks[i] = batch->ticks;
		columns->seat[i] = batch->seat;
	}
	collide__v1__velocity_columns__init(&columns->velocities);
	collide__v1__place_columns__init(&columns->places);
	collide__v1__push_columns__init(&columns->pushes);
	collide__v1__circle_columns__init(&columns->spawn);
	collide__v1__owner_columns__init(&columns->give);
	collide__v1__explosion__init(&columns->explosion);
	collide__v1__vector__init(&columns->gravity);
	columns->velocities.id = columns->places.id = columns->pushes.id = columns->spawn.id = columns->give.id = columns->id;
	columns->velocities.n_id = columns->places.n_id = columns->pushes.n_id = columns->spawn.n_id = columns->give.n_id = rows;
	columns->velocities.vx = columns->places.x = columns->spawn.x = columns->x;
	columns->velocities.vy = columns->places.y = columns->spawn.y = columns->y;
	columns->velocities.n_vx = columns->places.n_x = columns->spawn.n_x = rows;
	columns->velocities.n_vy = columns->places.n_y = columns->spawn.n_y = rows;
	columns->places.swept = batch->kind == SCHEDULED_SWEEP;
	if (batch->kind == SCHEDULED_FORCE) {
		columns->pushes.force_x = columns->x, columns->pushes.n_force_x = rows;
		columns->pushes.ticks = columns->ticks, columns->pushes.n_ticks = rows;
	} else {
		columns->pushes.impulse_y = columns->y, columns->pushes.n_impulse_y = rows;
	}
	columns->spawn.radius = columns->radius, columns->spawn.n_radius = rows;
	columns->give.seat = columns->seat, columns->give.n_seat = rows;
	columns->explosion.x = batch->x[0], columns->explosion.y = batch->y[0];
	columns->explosion.radius = 4, columns->explosion.impulse_per_length = 2;
	columns->explosions[0] = &columns->explosion;
	columns->gravity.x = batch->x[0] - 10, columns->gravity.y = batch->y[0] - 10;
}

void
schedule_pack(struct buffer *out, const struct scheduled_batch *batch, uint32_t handle, uint32_t id_first, uint64_t sequence,
              uint64_t acked)
{
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	Collide__V1__Commands commands = COLLIDE__V1__COMMANDS__INIT;
	struct schedule_columns columns;
	columns_fill(&columns, batch, id_first);
	commands.handle = handle;
	commands.sequence = sequence;
	commands.tick = batch->tick;
	commands.acked = acked;
	commands.skip_missing = batch->skip_missing;
	switch (batch->kind) {
	case SCHEDULED_SET:
	case SCHEDULED_NOT_A_NUMBER:
		commands.optional_velocities_case = COLLIDE__V1__COMMANDS__OPTIONAL_VELOCITIES_VELOCITIES;
		commands.velocities = &columns.velocities;
		break;
	case SCHEDULED_ADD:
		commands.optional_add_velocities_case = COLLIDE__V1__COMMANDS__OPTIONAL_ADD_VELOCITIES_ADD_VELOCITIES;
		commands.add_velocities = &columns.velocities;
		break;
	case SCHEDULED_SPAWN:
		commands.optional_spawn_case = COLLIDE__V1__COMMANDS__OPTIONAL_SPAWN_SPAWN;
		commands.spawn = &columns.spawn;
		break;
	case SCHEDULED_REMOVE:
		commands.remove = columns.id;
		commands.n_remove = batch->rows;
		break;
	case SCHEDULED_PLACE:
	case SCHEDULED_SWEEP:
		commands.optional_places_case = COLLIDE__V1__COMMANDS__OPTIONAL_PLACES_PLACES;
		commands.places = &columns.places;
		break;
	case SCHEDULED_PUSH:
	case SCHEDULED_FORCE:
		commands.optional_pushes_case = COLLIDE__V1__COMMANDS__OPTIONAL_PUSHES_PUSHES;
		commands.pushes = &columns.pushes;
		break;
	case SCHEDULED_GIVE:
		commands.optional_give_case = COLLIDE__V1__COMMANDS__OPTIONAL_GIVE_GIVE;
		commands.give = &columns.give;
		break;
	case SCHEDULED_EXPLOSION:
		commands.explosions = columns.explosions;
		commands.n_explosions = 1;
		break;
	case SCHEDULED_GRAVITY:
		commands.optional_gravity_case = COLLIDE__V1__COMMANDS__OPTIONAL_GRAVITY_GRAVITY;
		commands.gravity = &columns.gravity;
		break;
	case SCHEDULED_KINDS: break;
	}
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_COMMANDS;
	message.commands = &commands;
	pack_message(out, &message);
}
