/* collide import: a map as a scene. The file shows which kind of map it is. maps/import.h says what is made of a Doom map. */
#include "client/cli/commands/commands.h"

#include "client/cli/gen/gen.h"
#include "client/cli/maps/import.h"
#include "client/cli/maps/tiled.h"
#include "client/cli/scene/scene_file.h"
#include "client/cli/terminal/options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct option long_options[] = {
	{ "map", required_argument, NULL, 'm' },
	{ "circles", required_argument, NULL, 'n' },
	{ "seed", required_argument, NULL, 's' },
	{ "speed", required_argument, NULL, 'v' },
	{ "radius", required_argument, NULL, 'r' },
	{ "radii-per-tick", required_argument, NULL, 'k' },
	{ "dt", required_argument, NULL, 't' },
	{ "gap", required_argument, NULL, 'g' },
	{ "restitution", required_argument, NULL, 'e' },
	{ "friction", required_argument, NULL, 'f' },
	{ "gravity", required_argument, NULL, 'G' },
	{ "doors", no_argument, NULL, 'd' },
	{ "scale", required_argument, NULL, 'p' },
	{ "names", required_argument, NULL, 'N' },
	{ "skip", no_argument, NULL, 'S' },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static void
help_print(FILE *out)
{
	fputs("usage: collide import [options] --map NAME MAP.wad\n"
	      "       collide import [options] MAP.json (\"-\": stdin)\n\n"
	      "Makes a scene, as JSON, of the walls of a Doom map, with circles at random places inside it. Debian's\n"
	      "package freedoom has maps in /usr/share/games/doom/freedoom1.wad and freedoom2.wad.\n\n"
	      "Or of a map that Tiled (mapeditor.org) has exported as JSON: of its object layers, polylines, polygons and\n"
	      "rectangles become walls, ellipses with equal axes circles, hidden ones too. Tiled's y points down and a\n"
	      "scene's up: y, vertical velocities and gravity change sign. Custom properties: vx, vy (pixels/s), mass,\n"
	      "restitution, friction, rollingResistance, angularVelocity (radians/s, clockwise), kind (dynamic,\n"
	      "kinematic, static), category, mask, id; an object without one takes it from its layer, the groups around\n"
	      "that, or the map (id apart). The map may have gravityX and gravityY.\n\n"
	      "Options for both:\n"
	      "  --restitution E        of everything that does not say otherwise, 0 to 1 (default 1)\n"
	      "  -o, --output FILE      instead of stdout\n\n"
	      "Options for Tiled's maps:\n"
	      "  --scale S              length units per pixel (default 1)\n"
	      "  --names FILE           which circle or segment came of which named object, one a line\n"
	      "  --skip                 go on without objects that cannot be had (unequal ellipses, tiles, templates);\n"
	      "                         they are told either way\n\n"
	      "Options for Doom's maps:\n"
	      "  --map NAME             E1M1, MAP01, ...\n"
	      "  --circles N            how many (default 100)\n"
	      "  --seed S               of places and directions (default 1)\n"
	      "  --speed V              in map units per second (default 600; Doom's player runs at about 580)\n"
	      "  --radii-per-tick K     instead of --speed: K radii in each tick; K1:K2: each circle at a speed of\n"
	      "                         its own between them\n"
	      "  --dt S                 seconds of that tick, also as a fraction (default 1/60)\n"
	      "  --radius R[,R...]      in map units (default 8; Doom's player has 16); several: drawn at random,\n"
	      "                         with masses in proportion to their areas\n"
	      "  --friction F           of everything (default 0)\n"
	      "  --gravity X,Y          (default 0,0)\n"
	      "  --doors                doors become sensors: they report what enters and leaves\n"
	      "  --gap G                kept between all things at the start, in radii (default 0.01)\n"
	      "  --help                 this text\n\n"
	      "Example:\n"
	      "  collide import --map E1M1 --circles 300 /usr/share/games/doom/freedoom1.wad |\n"
	      "    collide run - --local --ticks 300 --every 60 --certify --png e1m1.png\n",
	      out);
}

static bool
radii_set(const char *text, struct import_options *options)
{
	char copy[200];
	if (strlen(text) >= sizeof copy) {
		fprintf(stderr, "collide import: --radius is too long\n");
		return false;
	}
	memcpy(copy, text, strlen(text) + 1);
	options->radius_count = 0;
	char *rest = NULL;
	for (char *one = strtok_r(copy, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
		if (options->radius_count == IMPORT_RADII_MAX) {
			fprintf(stderr, "collide import: --radius takes at most %d radii\n", IMPORT_RADII_MAX);
			return false;
		}
		if (!option_number("import", "--radius", one, 0.01, 1000, &options->radii[options->radius_count]))
			return false;
		options->radius_count++;
	}
	if (options->radius_count == 0) {
		fprintf(stderr, "collide import: --radius must be a number or a list of numbers\n");
		return false;
	}
	return true;
}

/* "K" or "K1:K2". */
static bool
radii_per_tick_set(const char *text, struct import_options *options)
{
	char copy[100];
	const char *colon = strchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : strlen(text);
	if (length >= sizeof copy) {
		fprintf(stderr, "collide import: --radii-per-tick is too long\n");
		return false;
	}
	memcpy(copy, text, length);
	copy[length] = '\0';
	double least;
	if (!option_number("import", "--radii-per-tick", copy, 0, 1e6, &least))
		return false;
	double most = least;
	if (colon && !option_number("import", "--radii-per-tick", colon + 1, least, 1e6, &most))
		return false;
	options->radii_per_tick_least = least;
	options->radii_per_tick_most = most;
	return true;
}

/* "X,Y". */
static bool
gravity_set(const char *text, struct import_options *options)
{
	const char *comma = strchr(text, ',');
	char x[100];
	size_t length = comma ? (size_t)(comma - text) : 0;
	if (!comma || length >= sizeof x) {
		fprintf(stderr, "collide import: --gravity must be two numbers, as in 0,-500\n");
		return false;
	}
	memcpy(x, text, length);
	x[length] = '\0';
	return option_number("import", "--gravity", x, -1e12, 1e12, &options->gravity_x) &&
	       option_number("import", "--gravity", comma + 1, -1e12, 1e12, &options->gravity_y);
}

static bool
option_set(int letter, const char *text, struct import_options *options)
{
	switch (letter) {
	case 'S': options->skip = true; return true;
	case 'N': options->names = text; return true;
	case 'p': return option_number("import", "--scale", text, 1e-6, 1e6, &options->scale);
	case 'm': options->map = text; return true;
	case 'o': options->output = text; return true;
	case 'n': return option_integer("import", "--circles", text, 0, GEN_COUNT_MAX, &options->circles);
	case 's': return option_integer("import", "--seed", text, 0, UINT64_MAX, &options->seed);
	case 'v': return option_number("import", "--speed", text, 0, 1e9, &options->speed);
	case 'k': return radii_per_tick_set(text, options);
	case 't': return option_seconds("import", "--dt", text, &options->dt);
	case 'g': return option_number("import", "--gap", text, 1e-6, 100, &options->gap);
	case 'e': return option_number("import", "--restitution", text, 0, 1, &options->restitution);
	case 'f': return option_number("import", "--friction", text, 0, 1e6, &options->friction);
	case 'G': return gravity_set(text, options);
	case 'd': options->doors = true; return true;
	case 'r': return radii_set(text, options);
	default: return false;
	}
}

/* Whether the options given fit this kind of map. */
static bool
options_fit(const struct import_options *options, bool tiled)
{
	for (const struct option *option = long_options; option->name; option++) {
		bool given = strchr(options->letters, option->val) != NULL;
		bool fits = strchr("eo", option->val) != NULL || (strchr("pNS", option->val) != NULL) == tiled;
		if (given && !fits) {
			fprintf(stderr, "collide import: --%s is for %s maps\n", option->name, tiled ? "Doom's" : "Tiled's");
			return false;
		}
	}
	return true;
}

/* false: the command ends with *status, after reporting why. */
static bool
options_read(int argc, char **argv, struct import_options *options, enum exit_status *status)
{
	static char name[] = "collide import"; /* for getopt's own messages */
	argv[0] = name;
	optind = 1;
	*status = EXIT_STATUS_USAGE;
	for (int letter; (letter = getopt_long(argc, argv, "o:h", long_options, NULL)) != -1;) {
		if (letter == 'h') {
			help_print(stdout);
			*status = EXIT_STATUS_DONE;
			return false;
		}
		if (!option_set(letter, optarg, options))
			return false;
		if (!strchr(options->letters, letter))
			options->letters[strlen(options->letters)] = (char)letter;
	}
	if (optind != argc - 1) {
		fprintf(stderr, "collide import: needs one map (collide import --help)\n");
		return false;
	}
	options->wad = argv[optind];
	errno = 0;
	options->kind = tiled_kind_of(options->wad);
	bool tiled = options->kind == TILED_JSON;
	if (options->kind == TILED_UNREADABLE) {
		fprintf(stderr, "collide import: %s: %s\n", options->wad, strerror(errno));
		return false;
	}
	if (options->kind == TILED_XML) {
		fprintf(stderr, "collide import: %s is no JSON: export it as JSON from Tiled (File, Export As)\n", options->wad);
		return false;
	}
	if (!options_fit(options, tiled))
		return false;
	if (!tiled && !options->map) {
		fprintf(stderr, "collide import: needs --map for a WAD file (collide import --help)\n");
		return false;
	}
	if (!isnan(options->speed) && !isnan(options->radii_per_tick_least)) {
		fprintf(stderr, "collide import: --speed and --radii-per-tick exclude each other\n");
		return false;
	}
	return true;
}

enum exit_status
cmd_import(int argc, char **argv)
{
	struct import_options options = {
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
	};
	enum exit_status status;
	if (!options_read(argc, argv, &options, &status))
		return status;
	if (options.kind == TILED_JSON)
		return import_tiled(&options);
	if (isnan(options.speed))
		options.speed = 600;
	struct wad_map map;
	char error[400];
	if (!wad_map_load(options.wad, options.map, &map, error, sizeof error)) {
		fprintf(stderr, "collide import: %s\n", error);
		return EXIT_STATUS_FAILED;
	}
	struct scene_build build;
	double area = 0;
	scene_build_init(&build);
	bool done = import_scene(&options, &map, &build, &area, error, sizeof error);
	if (!done)
		fprintf(stderr, "collide import: %s: %s\n", options.map, error);
	done = done && scene_file_write("import", &build, options.output);
	if (done)
		fprintf(stderr, "%s: %zu walls from %zu lines, closed; %zu circles in %.0f square units\n", options.map,
		        build.segment_count, map.line_count, build.circle_count, area);
	scene_build_finish(&build);
	wad_map_finish(&map);
	return done ? EXIT_STATUS_DONE : EXIT_STATUS_FAILED;
}
