#include "physics/contact/park.h"

#include "physics/reports/watch.h"
#include "physics/world/ledger.h"
#include "physics/world/report.h"
#include "physics/world/substep.h"

void
path_halt(struct world *world, uint32_t body, double time, enum body_mode mode)
{
	struct body *path = &world->bodies.paths[body];
	struct body_info *info = &world->bodies.infos[body];
	double position[2], velocity[2];

	body_touch(world, body);
	body_at(path, time, position, velocity);
	ledger_path_end(world, body, time, position, velocity);
	if (world->watch)
		watch_path_end(world, body, time);
	if (!mode_halts(info->mode)) {
		handover_velocity(world, body, velocity);
		info->angle += info->spin * (time - path->t0);
		info->kept_vx = velocity[0];
		info->kept_vy = velocity[1];
	}
	*path = (struct body){ .x = position[0], .y = position[1], .t0 = time, .radius = path->radius };
	world->bodies.marks[body].epoch++;
	info->support = NONE;
	info->mode = (uint8_t)mode;
}

void
body_park(struct world *world, uint32_t body, double time, enum body_mode mode)
{
	struct body_info *info = &world->bodies.infos[body];

	if (mode_stands(info->mode)) {
		body_touch(world, body);
		info->mode = (uint8_t)mode;
	} else {
		path_halt(world, body, time, mode);
	}
	path_change_report(world, time, body, mode == MODE_CRUSHED ? PATH_CRUSHED : PATH_PARKED, 0.0, 0.0);
}
