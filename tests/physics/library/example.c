/* A room of a game: balls fall, a bullet is removed at its first hit, and all is played once more from a snapshot. */
#include "physics/physics.h"
#include <stdio.h>
#include <stdlib.h>

static struct def_problem problem; /* tells what is wrong with a definition or an edit: which field of which row, and why */

static void
must(enum status status)
{
	if (status != STATUS_OK)
		exit(EXIT_FAILURE);
}

static void
play(struct world *world)
{
	struct circle_def ball = { .id = 7, .vy = 6 }, bullet = circle_def_default();
	bullet.id = 500, bullet.x = -12, bullet.y = 0.9, bullet.vx = 300, bullet.radius = 0.05, bullet.mass = 0.01;
	bullet.remove_groups = 1; /* it ends at its first contact with group 0, which all are in */
	struct edit edits[2] = { edit_circle_change(&ball, edit_field(DEF_CIRCLE_VY)), edit_circle_spawn(&bullet) };
	must(world_edit(world, edits, 2, &problem));
	for (int tick = 1; tick <= 30; tick++) {
		struct tick_report report;
		must(world_step(world, 1.0 / 60, &report));
		for (size_t i = 0; i < report.end_count; i++)
			printf("tick %d, %.4f s: %u ends at a hit, at (%.3f, %.3f)\n", tick, report.ends[i].time,
			       (unsigned)report.ends[i].body, report.ends[i].position[0], report.ends[i].position[1]);
	}
	printf("hash %016llx\n", (unsigned long long)world_hash(world));
}

int
main(void)
{
	struct circle_def balls[40];
	struct segment_def floor = segment_def_default();
	struct world_def def = world_def_default();
	struct snapshot_problem damage;
	struct world *world, *past;
	for (uint32_t i = 0; i < 40; i++) {
		balls[i] = circle_def_default(), balls[i].id = i, balls[i].radius = 0.5, balls[i].friction = 0.5;
		balls[i].x = 1.9 * (i % 9) - 8, balls[i].y = 1.2 * (i / 9) + 1, balls[i].restitution = 0.2;
	}
	floor.x1 = -10, floor.x2 = 10, floor.friction = 0.5, def.segments = &floor, def.segment_count = 1;
	def.gravity_y = -10, def.circles = balls, def.circle_count = 40;
	must(world_create(&def, &problem, &world));
	size_t size = world_snapshot_bytes(world);
	static char bytes[1 << 16];
	must(size <= sizeof bytes ? world_snapshot(world, bytes, size) : STATUS_RESOURCE_EXHAUSTED);
	must(world_restore(bytes, size, 0, &damage, &past));
	play(world);
	play(past);
	world_destroy(world);
	world_destroy(past);
}
