/* The command line of `collide gen`, and the table of kinds. */
#include "client/cli/gen.h"

#include "client/cli/commands.h"
#include "client/cli/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

/* Letters in gen_kind.takes: f fraction, v speed, r radius, g gap, m moving, w segments. */
static const struct gen_kind kinds[] = {
	{
		.name = "gas",
		.takes = "fvrg",
		.count_of = "circles",
		.count_min = 1,
		.count_max = GEN_COUNT_MAX,
		.fraction_max = GEN_GAS_FRACTION_MAX,
		.about = "equal circles in a closed square, at random places, with equal speeds in random directions",
		.proves = "many contacts at once: energy stays constant, nothing overlaps, nothing leaves the box; the scene that "
				  "engines are compared on (radius 0.5, fraction 0.3)",
		.defaults = { .count = 1000, .seed = 1, .fraction = 0.3, .speed = 3, .radius = 0.5, .gap = 1e-3, .restitution = 1 },
		.run = "",
		.build = gen_gas,
	},
	{
		.name = "break",
		.takes = "vrg",
		.count_of = "circles in the rack",
		.count_min = 1,
		.count_max = 100000,
		.about = "a cue ball into a triangular rack on a closed table",
		.proves = "touching circles are resolved together: with seed 0 the break is symmetric and stays so until rounding "
				  "grows; other seeds aim a little off the centre",
		.defaults = { .count = 15, .seed = 0, .speed = 60, .radius = 0.5, .restitution = 1 },
		.run = "--ticks 120",
		.build = gen_break,
	},
	{
		.name = "cradle",
		.takes = "vrgm",
		.count_of = "circles",
		.count_min = 2,
		.count_max = GEN_COUNT_MAX,
		.about = "Newton's cradle: a row of touching equal circles, the first --moving of which come in",
		.proves = "as many leave at the far end as came in, with exactly their speed, and the others stay where they are",
		.defaults = { .count = 5, .seed = 0, .speed = 4, .radius = 0.5, .moving = 1, .restitution = 1 },
		.run = "",
		.build = gen_cradle,
	},
	{
		.name = "bullets",
		.takes = "vrgw",
		.count_of = "circles",
		.count_min = 1,
		.count_max = 20000,
		.segments_max = 10000,
		.about = "small fast circles in an arena 400 radii wide with --segments walls inside",
		.proves = "nothing tunnels: no circle leaves the arena or crosses a wall or another circle, however fast",
		.defaults = { .count = 1000, .seed = 1, .speed = 200, .radius = 0.05, .gap = 0.01, .segments = 40, .restitution = 1 },
		.run = "--ticks 10",
		.build = gen_bullets,
	},
	{
		.name = "galperin",
		.takes = "vr",
		.count_of = "digits of pi after the first",
		.count_min = 0,
		.count_max = 5,
		.about = "a wall, a circle of mass 1 and one of mass 100^count that pushes it against the wall",
		.proves = "no collision is lost or added: there are exactly 3, 31, 314, 3141, ... of them, the digits of pi",
		.defaults = { .count = 2, .seed = 0, .speed = 8, .radius = 0.5, .restitution = 1 },
		.run = "--ticks 120",
		.build = gen_galperin,
	},
	{
		.name = "loop",
		.takes = "vrg",
		.count_of = "circles",
		.count_min = 1,
		.count_max = GEN_COUNT_MAX,
		.about = "very fast circles in a closed polygon about 20 radii wide with no side along an axis",
		.proves = "hundreds of bounces in one tick: never outside, energy constant (1,000 radii per tick of 1/60 s)",
		.defaults = { .count = 1, .seed = 1, .speed = 30000, .radius = 0.5, .gap = 0.01, .restitution = 1 },
		.run = "--ticks 5",
		.build = gen_loop,
	},
	{
		.name = "galton",
		.takes = "rw",
		.count_of = "balls",
		.count_min = 1,
		.count_max = 2000,
		.segments_min = 2,
		.segments_max = 60,
		.about = "balls from a hopper fall through --segments rows of pegs into bins",
		.proves = "many small decisions add up to a bell curve, and no ball ends up inside a peg or another ball",
		.defaults = { .count = 100, .seed = 1, .radius = 0.5, .segments = 12, .restitution = 0.3 },
		.run = "--ticks 1500 --every 5",
		.build = gen_galton,
	},
	{
		.name = "pinball",
		.takes = "vr",
		.count_of = "balls",
		.count_min = 1,
		.count_max = 20,
		.about = "a table with bumpers, slings and a launch lane under a round top, all under gravity",
		.proves = "a ball follows a curved wall and hits bumpers however fast it is launched",
		.defaults = { .count = 3, .seed = 1, .speed = 34, .radius = 0.5, .restitution = 0.9 },
		.run = "--ticks 600",
		.build = gen_pinball,
	},
	{
		.name = "pile",
		.takes = "rg",
		.count_of = "circles",
		.count_min = 1,
		.count_max = 5000,
		.about = "circles of three sizes, masses as their areas, fall into a bowl",
		.proves = "nothing overlaps while a heap comes to rest",
		.defaults = { .count = 40, .seed = 1, .radius = 0.5, .gap = 0.05, .restitution = 0.9 },
		.run = "--ticks 300",
		.build = gen_pile,
	},
	{
		.name = "crowd",
		.takes = "fvrg",
		.count_of = "circles",
		.count_min = 1,
		.count_max = 20000,
		.fraction_max = GEN_CROWD_FRACTION_MAX,
		.about = "everyone in a room heads for its one door, two widths wide, behind a pillar",
		.proves = "a jam at a door without overlap: nobody passes through anybody or the wall",
		.defaults = { .count = 200, .seed = 1, .fraction = 0.3, .speed = 5, .radius = 0.5, .gap = 0.05, .restitution = 0.9 },
		.run = "--ticks 700",
		.build = gen_crowd,
	},
	{
		.name = "maze",
		.takes = "vrgw",
		.count_of = "circles",
		.count_min = 1,
		.count_max = 20000,
		.segments_min = 1,
		.segments_max = 300,
		.about = "fast circles in a maze of --segments cells along a side, five radii each",
		.proves = "no wall is crossed: who got somewhere found the way",
		.defaults = { .count = 12, .seed = 1, .speed = 30, .radius = 0.5, .gap = 0.05, .segments = 16, .restitution = 1 },
		.run = "--ticks 300",
		.build = gen_maze,
	},
};

enum { KIND_COUNT = sizeof kinds / sizeof kinds[0], OPTION_OUTPUT = 'o', OPTION_HELP = 'h' };

static const struct option long_options[] = {
	{ "count", required_argument, NULL, 'n' },
	{ "seed", required_argument, NULL, 's' },
	{ "fraction", required_argument, NULL, 'f' },
	{ "speed", required_argument, NULL, 'v' },
	{ "radius", required_argument, NULL, 'r' },
	{ "gap", required_argument, NULL, 'g' },
	{ "moving", required_argument, NULL, 'm' },
	{ "segments", required_argument, NULL, 'w' },
	{ "restitution", required_argument, NULL, 'e' },
	{ "friction", required_argument, NULL, 'u' },
	{ "output", required_argument, NULL, OPTION_OUTPUT },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

/* Lead and text in lines of at most HELP_COLUMNS, each behind HELP_INDENT blanks; the cursor is there already. */
static void
help_wrap(const char *lead, const char *text)
{
	enum { HELP_COLUMNS = 100, HELP_INDENT = 12 };
	int column = HELP_INDENT + printf("%s", lead);
	bool first = true;
	while (*text != '\0') {
		int length = (int)strcspn(text, " ");
		if (!first && column + 1 + length > HELP_COLUMNS) {
			(void)printf("\n%*s", HELP_INDENT, "");
			column = HELP_INDENT;
			first = true;
		}
		column += printf("%s%.*s", first ? "" : " ", length, text);
		first = false;
		text += length;
		text += strspn(text, " ");
	}
	(void)putchar('\n');
}

/* What a kind takes, with its defaults. */
static void
help_defaults(const struct gen_kind *kind)
{
	const struct gen_options *defaults = &kind->defaults;
	(void)printf("%12s--count %llu (%s) --seed %llu", "", (unsigned long long)defaults->count, kind->count_of,
	             (unsigned long long)defaults->seed);
	for (const char *letter = kind->takes; *letter != '\0'; letter++) {
		switch (*letter) {
		case 'v': (void)printf(" --speed %g", defaults->speed); break;
		case 'r': (void)printf(" --radius %g", defaults->radius); break;
		case 'g': (void)printf(" --gap %g", defaults->gap); break;
		case 'f': (void)printf(" --fraction %g (at most %g)", defaults->fraction, kind->fraction_max); break;
		case 'm': (void)printf(" --moving %llu", (unsigned long long)defaults->moving); break;
		case 'w': (void)printf(" --segments %llu", (unsigned long long)defaults->segments); break;
		default: break;
		}
	}
	(void)printf(" --restitution %g\n", defaults->restitution);
	(void)printf("%12sTry: collide gen %s | collide run - --local%s%s --png %s.png\n", "", kind->name,
	             kind->run[0] != '\0' ? " " : "", kind->run, kind->name);
}

static void
help_print(void)
{
	(void)fputs("usage: collide gen KIND [options]\n\n"
	            "Makes a scene, as JSON. The same options make the same file everywhere.\n\n"
	            "Options:\n"
	            "  --count N              how many: of what, see the kinds\n"
	            "  --seed S               of what is drawn at random, 0 or more\n"
	            "  --speed V              of what moves, length/s\n"
	            "  --radius R             of each circle\n"
	            "  --gap G                between circles at the start, in radii\n"
	            "  --fraction F           area covered by circles\n"
	            "  --moving K             circles that come in\n"
	            "  --segments N           walls inside; rows of pegs; cells along a side\n"
	            "  --restitution E        of everything, 0 to 1\n"
	            "  --friction MU          of everything (default 0)\n"
	            "  -o, --output FILE      instead of stdout\n"
	            "  --help                 this text\n\n"
	            "Kinds, with the options that each takes and their defaults:\n",
	            stdout);
	for (int i = 0; i < KIND_COUNT; i++) {
		(void)printf("  %-9s ", kinds[i].name);
		help_wrap("", kinds[i].about);
		(void)printf("%12s", "");
		help_wrap("Shows: ", kinds[i].proves);
		help_defaults(&kinds[i]);
	}
	(void)fputs(
		"\nExample:\n  collide gen bullets --count 200 --speed 2000 | collide run - --local --certify --png bullets.png\n",
		stdout);
}

static const struct gen_kind *
kind_find(const char *name)
{
	for (int i = 0; i < KIND_COUNT; i++) {
		if (strcmp(kinds[i].name, name) == 0) {
			return &kinds[i];
		}
	}
	return NULL;
}

static const char *
option_name(int letter)
{
	for (const struct option *option = long_options; option->name != NULL; option++) {
		if (option->val == letter) {
			return option->name;
		}
	}
	return "?";
}

/* One option into *options. Radii are at least 0.001 so that a place rounded to 1e-6 is still where it was meant. */
static bool
option_set(const struct gen_kind *kind, int letter, const char *text, struct gen_options *options)
{
	switch (letter) {
	case 'n': return option_integer("gen", "--count", text, kind->count_min, kind->count_max, &options->count);
	case 's': return option_integer("gen", "--seed", text, 0, UINT64_MAX, &options->seed);
	case 'e': return option_number("gen", "--restitution", text, 0, 1, &options->restitution);
	case 'u': return option_number("gen", "--friction", text, 0, 1e6, &options->friction);
	case 'f': return option_number("gen", "--fraction", text, 1e-6, kind->fraction_max, &options->fraction);
	case 'v': return option_number("gen", "--speed", text, 0, 1e9, &options->speed);
	case 'r': return option_number("gen", "--radius", text, 1e-3, 1e3, &options->radius);
	case 'g': return option_number("gen", "--gap", text, 0, 100, &options->gap);
	case 'm': return option_integer("gen", "--moving", text, 0, GEN_COUNT_MAX, &options->moving);
	case 'w': return option_integer("gen", "--segments", text, kind->segments_min, kind->segments_max, &options->segments);
	default: return false;
	}
}

static bool
option_take(const struct gen_kind *kind, int letter, const char *text, struct gen_options *options)
{
	if (strchr("nseu", letter) == NULL && strchr(kind->takes, letter) == NULL) {
		(void)fprintf(stderr, "collide gen: %s takes no --%s\n", kind->name, option_name(letter));
		return false;
	}
	return option_set(kind, letter, text, options);
}

static enum exit_status
scene_generate(const struct gen_kind *kind, const struct gen_options *options, const char *path)
{
	struct scene_build build;
	scene_build_init(&build);
	char error[200];
	bool done = kind->build(options, &build, error, sizeof error);
	scene_build_friction(&build, options->friction);
	if (!done) {
		(void)fprintf(stderr, "collide gen: %s\n", error);
	}
	done = done && option_scene_write("gen", &build, path);
	scene_build_finish(&build);
	return done ? EXIT_STATUS_DONE : EXIT_STATUS_FAILED;
}

enum exit_status
cmd_gen(int argc, char **argv)
{
	if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		help_print();
		return EXIT_STATUS_DONE;
	}
	const struct gen_kind *kind = argc >= 2 ? kind_find(argv[1]) : NULL;
	if (kind == NULL) {
		(void)fprintf(stderr, "collide gen: the first argument must be one of");
		for (int i = 0; i < KIND_COUNT; i++) {
			(void)fprintf(stderr, "%s%s", i == 0 ? " " : ", ", kinds[i].name);
		}
		(void)fprintf(stderr, " (collide gen --help)\n");
		return EXIT_STATUS_USAGE;
	}
	struct gen_options options = kind->defaults;
	const char *path = NULL;
	static char name[] = "collide gen"; /* for getopt's own messages */
	argv[1] = name;
	optind = 1;
	for (int letter; (letter = getopt_long(argc - 1, argv + 1, "o:h", long_options, NULL)) != -1;) {
		if (letter == OPTION_HELP) {
			help_print();
			return EXIT_STATUS_DONE;
		}
		if (letter == OPTION_OUTPUT) {
			path = optarg;
		} else if (letter == '?' || !option_take(kind, letter, optarg, &options)) {
			return EXIT_STATUS_USAGE;
		}
	}
	if (optind != argc - 1) {
		(void)fprintf(stderr, "collide gen: unexpected argument '%s'\n", argv[1 + optind]);
		return EXIT_STATUS_USAGE;
	}
	return scene_generate(kind, &options, path);
}
