/* collide import: a map as a scene. The file shows which kind of map it is. maps/import.h says what is made of a Doom map. */
#include "client/cli/commands/commands.h"

#include "client/cli/gen/gen.h"
#include "client/cli/maps/import.h"
#include "client/cli/maps/tiled.h"
#include "client/cli/scene/scene_file.h"
#include "client/cli/terminal/arguments.h"
#include "client/cli/terminal/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Bounds of options that hold several numbers; map units, radii, map units/s^2. */
#define RADIUS_MIN 0.01
#define RADIUS_MAX 1000.0
#define RADII_PER_TICK_MAX 1e6
#define GRAVITY_MAX 1e12
/* Bytes of one of these numbers. */
enum { PART_BYTES = 100 };

/* A comma-separated list. */
static bool
radii_parse(void *out, const char *text, char problem[static ARGUMENT_PROBLEM_BYTES])
{
	struct import_options *options = out;
	char copy[200];
	if (strlen(text) >= sizeof copy) {
		snprintf(problem, ARGUMENT_PROBLEM_BYTES, "too long");
		return false;
	}
	memcpy(copy, text, strlen(text) + 1);
	options->radius_count = 0;
	char *rest = NULL;
	for (char *one = strtok_r(copy, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
		if (options->radius_count == IMPORT_RADII_MAX) {
			snprintf(problem, ARGUMENT_PROBLEM_BYTES, "takes at most %d radii", IMPORT_RADII_MAX);
			return false;
		}
		if (!range_parse(one, RADIUS_MIN, RADIUS_MAX, &options->radii[options->radius_count++])) {
			snprintf(problem, ARGUMENT_PROBLEM_BYTES, "must be numbers from %g to %g, with commas between", RADIUS_MIN,
			         RADIUS_MAX);
			return false;
		}
	}
	if (options->radius_count == 0)
		snprintf(problem, ARGUMENT_PROBLEM_BYTES, "must be a number or a list of numbers");
	return options->radius_count > 0;
}

/* The part of a text up to a separator, which it may lack; `rest` is what follows. false: too long for any number. */
static bool
part_copy(const char *text, char separator, char part[static PART_BYTES], const char **rest)
{
	const char *at = strchr(text, separator);
	size_t length = at ? (size_t)(at - text) : strlen(text);
	if (length >= PART_BYTES)
		return false;
	memcpy(part, text, length);
	part[length] = '\0';
	*rest = at ? at + 1 : NULL;
	return true;
}

/* "K" or "K1:K2". */
static bool
radii_per_tick_parse(void *out, const char *text, char problem[static ARGUMENT_PROBLEM_BYTES])
{
	struct import_options *options = out;
	char part[PART_BYTES];
	const char *rest = NULL;
	double least = 0;
	bool good = part_copy(text, ':', part, &rest) && range_parse(part, 0, RADII_PER_TICK_MAX, &least);
	double most = least;
	if (!good || (rest && !range_parse(rest, least, RADII_PER_TICK_MAX, &most))) {
		snprintf(problem, ARGUMENT_PROBLEM_BYTES, "must be a number from 0 to %g, or two in ascending order: 5:20",
		         RADII_PER_TICK_MAX);
		return false;
	}
	options->radii_per_tick_least = least;
	options->radii_per_tick_most = most;
	return true;
}

/* "X,Y". */
static bool
gravity_parse(void *out, const char *text, char problem[static ARGUMENT_PROBLEM_BYTES])
{
	struct import_options *options = out;
	char part[PART_BYTES];
	const char *rest = NULL;
	if (part_copy(text, ',', part, &rest) && rest && range_parse(part, -GRAVITY_MAX, GRAVITY_MAX, &options->gravity_x) &&
	    range_parse(rest, -GRAVITY_MAX, GRAVITY_MAX, &options->gravity_y))
		return true;
	snprintf(problem, ARGUMENT_PROBLEM_BYTES, "must be two numbers, as in 0,-500");
	return false;
}

/* ---- The command line ---- */

/* Which maps an option is for. */
enum import_for { FOR_BOTH, FOR_TILED, FOR_DOOM };

/* The options of the command, and whether each was given. */
enum { IMPORT_ARGUMENTS = 16 };
struct import_command {
	struct import_options options;
	bool given[IMPORT_ARGUMENTS];
	enum import_for is_for[IMPORT_ARGUMENTS];
	struct argument arguments[IMPORT_ARGUMENTS];
};

static void
arguments_fill(struct import_command *command)
{
	struct import_options *options = &command->options;
	const struct argument arguments[IMPORT_ARGUMENTS] = {
		{ .name = "--restitution",
		  .kind = ARGUMENT_NUMBER,
		  .out = &options->restitution,
		  .most = 1,
		  .value = "E",
		  .group = "Options for both",
		  .help = "of everything that does not say otherwise, 0 to 1 (default 1)" },
		{ .name = "--output",
		  .letter = 'o',
		  .kind = ARGUMENT_FILE,
		  .out = &options->output,
		  .value = "FILE",
		  .help = "instead of stdout" },
		{ .name = "--scale",
		  .kind = ARGUMENT_NUMBER,
		  .out = &options->scale,
		  .least = 1e-6,
		  .most = 1e6,
		  .value = "S",
		  .group = "Options for Tiled's maps",
		  .help = "length units per pixel (default 1)" },
		{ .name = "--names",
		  .kind = ARGUMENT_FILE,
		  .out = &options->names,
		  .value = "FILE",
		  .help = "which circle or segment came of which named object, one a line" },
		{ .name = "--skip",
		  .kind = ARGUMENT_SWITCH,
		  .out = &options->skip,
		  .help = "go on without objects that cannot be had (unequal ellipses,\n"
		          "tiles, templates); they are told either way" },
		{ .name = "--map",
		  .kind = ARGUMENT_TEXT,
		  .out = &options->map,
		  .value = "NAME",
		  .group = "Options for Doom's maps",
		  .help = "E1M1, MAP01, ...; without it the names are told" },
		{ .name = "--circles",
		  .letter = 'n',
		  .kind = ARGUMENT_COUNT,
		  .out = &options->circles,
		  .maximum = GEN_COUNT_MAX,
		  .value = "N",
		  .help = "how many (default 100)" },
		{ .name = "--seed",
		  .letter = 's',
		  .kind = ARGUMENT_COUNT,
		  .out = &options->seed,
		  .maximum = UINT64_MAX,
		  .value = "S",
		  .help = "of places and directions (default 1)" },
		{ .name = "--speed",
		  .kind = ARGUMENT_NUMBER,
		  .out = &options->speed,
		  .most = 1e9,
		  .value = "V",
		  .help = "in map units per second (default 600; Doom's player runs at\n"
		          "about 580)" },
		{ .name = "--radii-per-tick",
		  .kind = ARGUMENT_PARSED,
		  .out = options,
		  .parse = radii_per_tick_parse,
		  .value = "K",
		  .help = "instead of --speed: K radii in each tick; K1:K2: each circle at\n"
		          "a speed of its own between them" },
		{ .name = "--dt",
		  .letter = 't',
		  .kind = ARGUMENT_SECONDS,
		  .out = &options->dt,
		  .least = 1e-9,
		  .most = 1000,
		  .value = "S",
		  .help = "seconds of that tick, also as a fraction (default 1/60)" },
		{ .name = "--radius",
		  .kind = ARGUMENT_PARSED,
		  .out = options,
		  .parse = radii_parse,
		  .value = "R[,R...]",
		  .help = "in map units (default 8; Doom's player has 16); several: drawn\n"
		          "at random, with masses in proportion to their areas" },
		{ .name = "--friction",
		  .kind = ARGUMENT_NUMBER,
		  .out = &options->friction,
		  .most = 1e6,
		  .value = "F",
		  .help = "of everything (default 0)" },
		{ .name = "--gravity",
		  .kind = ARGUMENT_PARSED,
		  .out = options,
		  .parse = gravity_parse,
		  .value = "X,Y",
		  .help = "(default 0,0)" },
		{ .name = "--doors",
		  .kind = ARGUMENT_SWITCH,
		  .out = &options->doors,
		  .help = "doors become sensors: they report what enters and leaves" },
		{ .name = "--gap",
		  .kind = ARGUMENT_NUMBER,
		  .out = &options->gap,
		  .least = 1e-6,
		  .most = 100,
		  .value = "G",
		  .help = "kept between all things at the start, in radii (default 0.01)" },
	};
	enum import_for is_for = FOR_BOTH;
	memcpy(command->arguments, arguments, sizeof arguments);
	for (size_t i = 0; i < IMPORT_ARGUMENTS; i++) {
		/* A heading begins the options of the next kind of map. */
		if (arguments[i].group && i > 0)
			is_for = is_for == FOR_BOTH ? FOR_TILED : FOR_DOOM;
		command->is_for[i] = is_for;
		command->arguments[i].given = &command->given[i];
	}
}

static const char ABOUT[] =
	"Makes a scene, as JSON, of the walls of a Doom map, with circles at random places inside it. Debian's\n"
	"package freedoom has maps in /usr/share/games/doom/freedoom1.wad and freedoom2.wad.\n\n"
	"Or of a map that Tiled (mapeditor.org) has exported as JSON (\"-\": stdin): of its object layers, polylines,\n"
	"polygons and rectangles become walls, ellipses with equal axes circles, hidden ones too. Tiled's y points down\n"
	"and a scene's up: y, vertical velocities and gravity change sign. Custom properties: vx, vy (pixels/s), mass,\n"
	"restitution, friction, rollingResistance, angularVelocity (radians/s, clockwise), kind (dynamic, kinematic,\n"
	"static), category, mask, id; an object without one takes it from its layer, the groups around that, or the map\n"
	"(id apart). The map may have gravityX and gravityY.";

/* Whether the options given fit this kind of map. */
static bool
options_fit(const struct import_command *command, bool tiled)
{
	for (size_t i = 0; i < IMPORT_ARGUMENTS; i++)
		if (command->given[i] && command->is_for[i] != FOR_BOTH && (command->is_for[i] == FOR_TILED) != tiled) {
			fprintf(stderr, "collide import: %s is for %s maps\n", command->arguments[i].name, tiled ? "Doom's" : "Tiled's");
			return false;
		}
	return true;
}

/* Looks which kind of map it is, and whether the options are for it. */
static bool
map_check(struct import_command *command)
{
	struct import_options *options = &command->options;
	errno = 0;
	options->kind = tiled_kind_of(options->wad);
	if (options->kind == TILED_UNREADABLE) {
		fprintf(stderr, "collide import: %s: %s\n", options->wad, strerror(errno));
		return false;
	}
	if (options->kind == TILED_XML) {
		fprintf(stderr, "collide import: %s is no JSON: export it as JSON from Tiled (File, Export As)\n", options->wad);
		return false;
	}
	if (!options_fit(command, options->kind == TILED_JSON))
		return false;
	if (!isnan(options->speed) && !isnan(options->radii_per_tick_least)) {
		fprintf(stderr, "collide import: --speed and --radii-per-tick exclude each other\n");
		return false;
	}
	return true;
}

static enum exit_status
doom_import(struct import_options *options)
{
	struct wad_map map;
	char error[700];
	if (isnan(options->speed))
		options->speed = 600;
	if (!wad_map_load(options->wad, options->map, &map, error, sizeof error)) {
		fprintf(stderr, "collide import: %s\n", error);
		return options->map ? EXIT_STATUS_FAILED : EXIT_STATUS_USAGE;
	}
	struct scene_build build;
	double area = 0;
	scene_build_init(&build);
	bool done = import_scene(options, &map, &build, &area, error, sizeof error);
	if (!done)
		fprintf(stderr, "collide import: %s: %s\n", options->map, error);
	done = done && scene_file_write("import", &build, options->output);
	if (done)
		fprintf(stderr, "%s: %zu walls from %zu lines, closed; %zu circles in %.0f square units\n", options->map,
		        build.segment_count, map.line_count, build.circle_count, area);
	scene_build_finish(&build);
	wad_map_finish(&map);
	return done ? EXIT_STATUS_DONE : EXIT_STATUS_FAILED;
}

enum exit_status
cmd_import(int argc, char **argv)
{
	struct import_command command = { .options = {
										  .circles = 100,
										  .seed = 1,
										  .radii = { 8 },
										  .radius_count = 1,
										  .speed = (double)NAN,
										  .radii_per_tick_least = (double)NAN,
										  .radii_per_tick_most = (double)NAN,
										  .dt = 1.0 / 60,
										  .gap = 0.01,
										  .restitution = 1,
										  .scale = 1,
									  } };
	arguments_fill(&command);
	const struct command_line line = {
		.command = "import",
		.about = ABOUT,
		.example = "collide import --map E1M1 --circles 300 /usr/share/games/doom/freedoom1.wad |\n"
				   "    collide run - --local --ticks 300 --every 60 --certify --png e1m1.png",
		.operand = "MAP.wad|MAP.json",
		.operand_required = true,
		.operand_out = &command.options.wad,
		.arguments = command.arguments,
		.count = IMPORT_ARGUMENTS,
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	if (!map_check(&command))
		return EXIT_STATUS_USAGE;
	return command.options.kind == TILED_JSON ? import_tiled(&command.options) : doom_import(&command.options);
}
