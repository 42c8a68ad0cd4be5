/* collide gen: the command line, and help made from the table of kinds. */
#include "client/cli/commands/commands.h"

#include "client/cli/gen/gen_kinds.h"
#include "client/cli/scene/scene_file.h"
#include "client/cli/terminal/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum { OPTION_OUTPUT = 'o', OPTION_HELP = 'h' };

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

/* Prints lead and text in lines of at most HELP_COLUMNS, each indented by HELP_INDENT. The cursor is already there. */
static void
help_wrap(const char *lead, const char *text)
{
	enum { HELP_COLUMNS = 100, HELP_INDENT = 12 };
	int column = HELP_INDENT + printf("%s", lead);
	bool first = true;
	while (*text != '\0') {
		int length = (int)strcspn(text, " ");
		if (!first && column + 1 + length > HELP_COLUMNS) {
			printf("\n%*s", HELP_INDENT, "");
			column = HELP_INDENT;
			first = true;
		}
		column += printf("%s%.*s", first ? "" : " ", length, text);
		first = false;
		text += length;
		text += strspn(text, " ");
	}
	putchar('\n');
}

/* The options that a kind takes, with their defaults. */
static void
help_defaults(const struct gen_kind *kind)
{
	const struct gen_options *defaults = &kind->defaults;
	printf("%12s--count %llu (%s) --seed %llu", "", (unsigned long long)defaults->count, kind->count_of,
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
	printf(" --restitution %g\n", defaults->restitution);
	printf("%12sTry: collide gen %s | collide run - --local%s%s --png %s.png\n", "", kind->name,
	       kind->run[0] != '\0' ? " " : "", kind->run, kind->name);
}

static void
help_print(void)
{
	fputs("usage: collide gen KIND [options]\n\n"
	      "Makes a scene, as JSON. The same options make the same file everywhere.\n\n"
	      "Options:\n"
	      "  --count N              how many: of what, see the kinds\n"
	      "  --seed S               of what is drawn at random, 0 or more\n"
	      "  --speed V              of what moves, length/s\n"
	      "  --radius R             of each circle\n"
	      "  --gap G                between circles at the start, in radii\n"
	      "  --fraction F           area covered by circles\n"
	      "  --moving K             circles that come in; bullets of each fighter\n"
	      "  --segments N           walls inside; rows of pegs; cells along a side\n"
	      "  --restitution E        of everything, 0 to 1\n"
	      "  --friction MU          of everything (default 0)\n"
	      "  -o, --output FILE      instead of stdout\n"
	      "  --help                 this text\n\n"
	      "Kinds, with the options that each takes and their defaults:\n",
	      stdout);
	for (int i = 0; i < GEN_KIND_COUNT; i++) {
		printf("  %-9s ", gen_kinds[i].name);
		help_wrap("", gen_kinds[i].about);
		printf("%12s", "");
		help_wrap("Shows: ", gen_kinds[i].proves);
		help_defaults(&gen_kinds[i]);
	}
	fputs("\nExample:\n  collide gen bullets --count 200 --speed 2000 | collide run - --local --certify --png bullets.png\n",
	      stdout);
}

static const char *
option_name(int letter)
{
	for (const struct option *option = long_options; option->name; option++)
		if (option->val == letter)
			return option->name;
	return "?";
}

/* Sets one option. Radii are at least 0.001, so that rounding a position to 1e-6 hardly moves a circle. */
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
	if (!strchr("nseu", letter) && !strchr(kind->takes, letter)) {
		fprintf(stderr, "collide gen: %s takes no --%s\n", kind->name, option_name(letter));
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
	if (!done)
		fprintf(stderr, "collide gen: %s\n", error);
	done = done && scene_file_write("gen", &build, path);
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
	const struct gen_kind *kind = argc >= 2 ? gen_kind_find(argv[1]) : NULL;
	if (!kind) {
		fprintf(stderr, "collide gen: the first argument must be one of");
		for (int i = 0; i < GEN_KIND_COUNT; i++)
			fprintf(stderr, "%s%s", i == 0 ? " " : ", ", gen_kinds[i].name);
		fprintf(stderr, " (collide gen --help)\n");
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
		if (letter == OPTION_OUTPUT)
			path = optarg;
		else if (letter == '?' || !option_take(kind, letter, optarg, &options))
			return EXIT_STATUS_USAGE;
	}
	if (optind != argc - 1) {
		fprintf(stderr, "collide gen: unexpected argument '%s'\n", argv[1 + optind]);
		return EXIT_STATUS_USAGE;
	}
	return scene_generate(kind, &options, path);
}
