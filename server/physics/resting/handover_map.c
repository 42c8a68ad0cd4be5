/* Happy path: it is there. What can go wrong: memory; two threads at once, of which one frees what it has made. */
#include "physics/resting/handover_map.h"

#include "base/memory.h"
#include "physics/world/map_walls.h"

struct solver_part {
	struct map_part part; /* first */
	struct solver_walls *walls;
};

static void
part_destroy(struct map_part *part)
{
	struct solver_part *own = (struct solver_part *)part;

	solver_walls_destroy(own->walls);
	memory_free(own);
}

static const struct solver_walls *
walls_make(struct wall_map *map, const struct solver_scene *scene)
{
	struct map_part *part = NULL;

	struct solver_part *made = memory_zeroed(1, sizeof *made);

	if (!made || !(made->walls = solver_walls_create(scene)) || pause_stopped()) {
		if (made)
			solver_walls_destroy(made->walls);
		memory_free(made);
		return NULL;
	}
	made->part = (struct map_part){ part_destroy, sizeof *made + solver_walls_memory_bytes(made->walls) };
	if (atomic_compare_exchange_strong_explicit(&map->solver_walls, &part, &made->part, memory_order_acq_rel,
	                                            memory_order_acquire))
		return made->walls;
	part_destroy(&made->part);
	return ((struct solver_part *)part)->walls;
}

const struct solver_walls *
handover_map_walls(struct wall_map *map, const struct solver_scene *scene)
{
	struct map_part *part = atomic_load_explicit(&map->solver_walls, memory_order_acquire);

	if (part)
		return ((struct solver_part *)part)->walls;

	struct ledger *own = memory_enter_common();
	const struct solver_walls *walls = walls_make(map, scene);

	(void)memory_enter(own);
	return walls;
}
