#include "physics/map/map_scene.h"

#include "client/cli/scene/scene_json.h"
#include "client/cli/terminal/progress.h"
#include "scene/scene.h"
#include "support/freedoom.h"
#include "support/random.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Room for a scene of 200 to 500 circles and some 5,000 walls. */
#define ARENA_BYTES ((size_t)1 << 28)

bool
maps_available(void)
{
	return access(freedoom_path(1), R_OK) == 0 && access(freedoom_path(2), R_OK) == 0;
}

/* The child's side: `collide import` into `path`, with what it says in `messages`. */
static _Noreturn void
import_exec(const struct map_order *order, const char *path, int messages)
{
	char circles[16], seed[16], dt[32];
	(void)snprintf(circles, sizeof circles, "%u", order->circles);
	(void)snprintf(seed, sizeof seed, "%u", order->seed);
	(void)snprintf(dt, sizeof dt, "%.17g", order->dt);
	(void)dup2(messages, STDERR_FILENO);
	const char *arguments[32] = { COLLIDE_COMMAND,       "import", order->wad, "--map",    order->map,
		                          "--circles",           circles,  "--seed",   seed,       "--radii-per-tick",
		                          order->radii_per_tick, "--dt",   dt,         "--output", path };
	size_t count = 15;
	for (const char *const *option = order->options; option && *option && count < 31; option++)
		arguments[count++] = *option;
	(void)execv(COLLIDE_COMMAND, (char *const *)(uintptr_t)arguments);
	_exit(127);
}

/* The first line of a file. */
static void
line_read(int file, char *text, size_t size)
{
	const ssize_t count = pread(file, text, size - 1, 0);
	text[count > 0 ? count : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
}

/* Writes the scene to `path`. */
static bool
import_run(const struct map_order *order, const char *path, char *error, size_t error_size)
{
	char messages_path[] = "/tmp/map-messages-XXXXXX";
	const int messages = mkstemp(messages_path);
	if (messages < 0) {
		(void)snprintf(error, error_size, "no file can be made in /tmp");
		return false;
	}
	(void)unlink(messages_path);
	const pid_t child = fork();
	if (child == 0)
		import_exec(order, path, messages);
	int status = 0;
	const bool ended = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status);
	const bool good = ended && WEXITSTATUS(status) == 0;
	if (!good) {
		line_read(messages, error, error_size);
		if (error[0] == '\0')
			(void)snprintf(error, error_size, "%s import ended with status %d", COLLIDE_COMMAND, status);
	}
	(void)close(messages);
	return good;
}

static bool
scene_import(const struct map_order *order, Collide__V1__Scene **scene, char *error, size_t error_size)
{
	char path[] = "/tmp/map-XXXXXX";
	const int file = mkstemp(path);
	if (file < 0) {
		(void)snprintf(error, error_size, "no file can be made in /tmp");
		return false;
	}
	(void)close(file);
	const bool good = import_run(order, path, error, error_size) && scene_json_load(path, scene, error, error_size);
	(void)unlink(path);
	return good;
}

static double
jittered(double value, unsigned ulps, uint64_t *random)
{
	const uint64_t steps = random_below(random, 2 * (uint64_t)ulps + 1);
	for (uint64_t i = ulps; i < steps; i++)
		value = nextafter(value, INFINITY);
	for (uint64_t i = steps; i < ulps; i++)
		value = nextafter(value, -INFINITY);
	return value;
}

/* Each end on its own, so that joints part and cross. False without memory. */
static bool
walls_jitter(struct map_scene *map, const struct map_order *order)
{
	const size_t count = map->def.segment_count;
	struct segment_def *moved = calloc(count + 1, sizeof *moved);
	uint64_t random = order->jitter_seed;
	if (!moved)
		return false;
	for (size_t i = 0; i < count; i++) {
		struct segment_def *wall = &moved[i];
		*wall = map->def.segments[i];
		wall->x1 = jittered(wall->x1, order->jitter_ulps, &random);
		wall->y1 = jittered(wall->y1, order->jitter_ulps, &random);
		wall->x2 = jittered(wall->x2, order->jitter_ulps, &random);
		wall->y2 = jittered(wall->y2, order->jitter_ulps, &random);
	}
	map->jittered = moved;
	map->def.segments = moved;
	return true;
}

static bool
world_make(struct map_scene *map, const Collide__V1__Scene *scene, const struct map_order *order, char *error,
           size_t error_size)
{
	const struct scene_limits limits = scene_limits_default();
	struct wire_problem problem = { 0 };
	if (scene_world_def(&map->arena, scene, &limits, "scene", &map->def, &problem) != STATUS_OK) {
		(void)snprintf(error, error_size, "%s: %s", problem.field, problem.text);
		return false;
	}
	map->def.events = order->events;
	if (order->jitter_ulps > 0 && !walls_jitter(map, order)) {
		(void)snprintf(error, error_size, "no memory for moved walls");
		return false;
	}
	struct def_problem refused = { .text = "no memory" };
	if (world_create(&map->def, &refused, &map->world) != STATUS_OK) {
		(void)snprintf(error, error_size, "field %d of %zu %s", (int)refused.field, refused.index, refused.text);
		return false;
	}
	map->certified = certified_create(&map->def);
	if (!map->certified)
		(void)snprintf(error, error_size, "no memory for the certificate");
	return map->certified != NULL;
}

bool
map_scene_init(struct map_scene *map, const struct map_order *order, char *error, size_t error_size)
{
	Collide__V1__Scene *scene = NULL;
	if (!scene_import(order, &scene, error, error_size))
		return false;
	*map = (struct map_scene){ .dt = order->dt };
	arena_init(&map->arena, ARENA_BYTES);
	const bool good = world_make(map, scene, order, error, error_size);
	scene_json_free(scene);
	if (!good)
		map_scene_finish(map);
	return good;
}

void
map_scene_finish(struct map_scene *map)
{
	certified_destroy(map->certified);
	world_destroy(map->world);
	arena_finish(&map->arena);
	free(map->jittered);
}

bool
map_scene_tick(struct map_scene *map, struct tick_report *report, char *error, size_t error_size)
{
	const double begin = clock_now_seconds();
	const enum status stepped = world_step(map->world, map->dt, report);
	map->engine_seconds += clock_now_seconds() - begin;
	if (stepped != STATUS_OK) {
		(void)snprintf(error, error_size, "world_step: %s", status_name(stepped));
		return false;
	}
	const enum status checked = certified_tick(map->certified, map->world, map->dt, report);
	if (checked != STATUS_OK)
		(void)snprintf(error, error_size, "certificate_tick: %s", status_name(checked));
	return checked == STATUS_OK;
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
