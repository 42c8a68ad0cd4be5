#include "outside/spoil_scenes.h"

/* Elastic balls in a box. */
void
spoil_gas(struct draft *draft)
{
	draft->ticks = 20;
	draft_box(draft, -4, -4, 4, 4);
	for (int i = 0; i < 9; i++)
		draft_circle(draft, -2.5 + 2.3 * (i % 3), -2.5 + 2.2 * (i / 3.0), 40 * (i % 4) - 55, 30 * (i % 5) - 61, 0.5 + 0.05 * i)
			->mass = 1 + i;
}

/* Rough ones that fall, bounce, come to rest, and are driven by the resting solver. */
void
spoil_rough(struct draft *draft)
{
	spoil_gas(draft);
	draft->ticks = 60;
	draft->def.gravity_y = -10;
	draft_materials(draft, 0.5, 0.4);
	for (size_t i = 0; i < draft->circle_count; i++)
		draft->circles[i].linear_damping = 0.1;
}

void
spoil_overlapped(struct draft *draft)
{
	draft->ticks = 3;
	draft_wall(draft, -5, 0, 5, 0);
	draft_wall(draft, -5, 0.9, 5, 0.9);
	draft_circle(draft, 0, 0.45, 1, 0, 0.5);
}

/* A heap that the resting solver leads from the start. */
void
spoil_heap(struct draft *draft)
{
	draft->ticks = 10;
	draft->def.gravity_y = -10;
	draft_wall(draft, -5, 0, 5, 0);
	for (int i = 0; i < 12; i++)
		draft_circle(draft, i % 4 - 1.5, 0.5 + (double)(i / 4), 0, 0, 0.5);
	draft_materials(draft, 0, 0.5);
}

/* In a wall, with room to get out. */
void
spoil_sunk(struct draft *draft)
{
	draft->ticks = 3;
	draft_wall(draft, -5, 0, 5, 0);
	draft_circle(draft, 0, 0.3, 1, 0, 0.5);
}

/* What goes straight on. */
void
spoil_straight(struct draft *draft)
{
	draft->ticks = 10;
	draft_circle(draft, 0, -1, 0, 30, 0.5);
	draft_circle(draft, 4, -1, 0, 30, 0.5)->sensor = true;
	draft_circle(draft, 4, 0.5, 0, 0, 0.1);
}

void
spoil_resting(struct draft *draft)
{
	draft->ticks = 30;
	draft->def.gravity_y = -10;
	draft_wall(draft, -5, 0, 5, 0);
	draft_circle(draft, 0, 0.5 + 1e-9, 0, 0, 0.5);
	draft_materials(draft, 0, 0);
}

/* 0 is removed by a wall, 1 stops there, 2 has had its time, 3 leaves the bounds, and 4 pushes 5. */
void
spoil_ruled(struct draft *draft)
{
	draft->ticks = 12;
	draft->def.has_bounds = true;
	draft->def.bounds_x_min = draft->def.bounds_y_min = -8;
	draft->def.bounds_x_max = draft->def.bounds_y_max = 8;
	draft_wall(draft, -4, -8, -4, 8)->group = 1;
	struct circle_def *bullet = draft_circle(draft, 0, 0, -60, 0, 0.5);
	bullet->remove_groups = 2;
	bullet->tag = UINT64_C(1) << 63 | 5;
	draft_circle(draft, 2, 3, -60, 7, 0.5)->stop_groups = 2;
	draft_circle(draft, 0, 6, 1, 0, 0.5)->lifetime_s = 2.3 / 60;
	draft_circle(draft, 6, -3, 30, 0, 0.5);
	draft_circle(draft, 0, -6, 2, 0, 0.5);
	draft_circle(draft, 1, -6, 0, 0, 0.5)->tag = 9;
	/* It comes to the one that has stopped, in the same tick. */
	draft_circle(draft, 3.3, 3, -60, 7, 0.5);
}
