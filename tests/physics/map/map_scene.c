#include "physics/map/map_scene.h"

#include "client/cli/scene_json.h"
#include "scene/scene.h"
#include "support/assert_double.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char wad_path[] = "/usr/share/games/doom/freedoom1.wad";

bool
map_available(void)
{
	return access(wad_path, R_OK) == 0;
}

/* Runs `collide import` with its output in a new file whose name is put into `path`, a mkstemp template. */
static void
map_import(char *path, unsigned circles, unsigned seed, double dt)
{
	char count_text[16], seed_text[16], dt_text[32];
	(void)snprintf(count_text, sizeof count_text, "%u", circles);
	(void)snprintf(seed_text, sizeof seed_text, "%u", seed);
	(void)snprintf(dt_text, sizeof dt_text, "%.17g", dt);
	const int file = mkstemp(path);
	assert_true(file >= 0);
	(void)close(file);
	const pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		(void)execl(COLLIDE_COMMAND, COLLIDE_COMMAND, "import", wad_path, "--map", "E1M1", "--circles", count_text, "--seed",
		            seed_text, "--radii-per-tick", "10", "--dt", dt_text, "--output", path, (char *)NULL);
		_exit(127);
	}
	int status = 0;
	assert_true(waitpid(child, &status, 0) == child);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		fail_msg("%s import failed with status %d", COLLIDE_COMMAND, status);
}

void
map_scene_init(struct map_scene *map, unsigned circles, unsigned seed, double dt)
{
	char path[] = "map-XXXXXX";
	map_import(path, circles, seed, dt);
	Collide__V1__Scene *scene = NULL;
	char error[300] = "";
	const bool loaded = scene_json_load(path, &scene, error, sizeof error);
	(void)unlink(path);
	if (!loaded)
		fail_msg("%s", error);

	*map = (struct map_scene){ 0 };
	arena_init(&map->arena, (size_t)1 << 28);
	const struct scene_limits limits = scene_limits_default();
	struct wire_problem problem = { 0 };
	if (scene_world_def(&map->arena, scene, &limits, "scene", &map->def, &problem) != STATUS_OK)
		fail_msg("%s: %s", problem.field, problem.text);
	struct def_problem refused = { 0 };
	if (world_create(&map->def, &refused, &map->world) != STATUS_OK)
		fail_msg("field %d of %zu %s", (int)refused.field, refused.index, refused.text ? refused.text : "");
	map->certified = certified_create(&map->def);
	assert_non_null(map->certified);
	scene_json_free(scene);
}

void
map_scene_finish(struct map_scene *map)
{
	certified_destroy(map->certified);
	world_destroy(map->world);
	arena_finish(&map->arena);
}

struct tick_report
map_scene_tick(struct map_scene *map, double dt)
{
	struct tick_report report = { 0 };
	const enum status stepped = world_step(map->world, dt, &report);
	if (stepped != STATUS_OK)
		fail_msg("world_step: %s", status_name(stepped));
	assert_int_equal(certified_tick(map->certified, map->world, dt, &report), STATUS_OK);
	return report;
}

double
map_scene_kinetic(const struct map_scene *map)
{
	double energy = 0;
	for (size_t i = 0; i < world_body_count(map->world); i++) {
		const struct body_state body = world_body(map->world, i);
		if (body.kind == BODY_DYNAMIC)
			energy += body.mass * (body.vx * body.vx + body.vy * body.vy) / 2;
	}
	return energy;
}
