/* collide gen: the command line, and help made from the table of kinds. */
#include "client/cli/commands/commands.h"

#include "client/cli/gen/gen_kinds.h"
#include "client/cli/scene/scene_file.h"
#include "client/cli/terminal/arguments.h"
#include "client/cli/terminal/colour.h"
#include "client/cli/terminal/options.h"

#include <stdio.h>
#include <string.h>

/* The options that describe a scene, by the letters of struct gen_kind. Their bounds depend on the kind, so they are read as
 * texts first. */
static const struct gen_option {
	const char *name, *value, *help;
	char letter; /* of gen_kind.takes */
	char key;    /* on the command line: -n */
} gen_options[] = {
	{ "--count", "N", "how many: of what, see the kinds", 'n', 'n' },
	{ "--seed", "S", "of what is drawn at random, 0 or more", 's', 's' },
	{ "--speed", "V", "of what moves, length/s", 'v', 0 },
	{ "--radius", "R", "of each circle", 'r', 0 },
	{ "--gap", "G", "between circles at the start, in radii", 'g', 0 },
	{ "--fraction", "F", "area covered by circles", 'f', 0 },
	{ "--moving", "K", "circles that come in; bullets of each fighter", 'm', 0 },
	{ "--segments", "N", "walls inside; rows of pegs; cells along a side", 'w', 0 },
	{ "--restitution", "E", "of everything, 0 to 1", 'e', 0 },
	{ "--friction", "MU", "of everything (default 0)", 'u', 0 },
};
enum { GEN_OPTIONS = sizeof gen_options / sizeof gen_options[0] };

/* The command line as it was given. */
struct gen_words {
	const char *kind, *output;
	const char *texts[GEN_OPTIONS]; /* NULL: not given */
};

/* Prints lead and text in lines of at most HELP_COLUMNS, each indented by HELP_INDENT. The cursor is already there. */
static void
help_wrap(const char *lead, const char *text, FILE *out)
{
	enum { HELP_COLUMNS = 100, HELP_INDENT = 12 };
	int column = HELP_INDENT + fprintf(out, "%s", lead);
	bool first = true;
	while (*text != '\0') {
		int length = (int)strcspn(text, " ");
		if (!first && column + 1 + length > HELP_COLUMNS) {
			fprintf(out, "\n%*s", HELP_INDENT, "");
			column = HELP_INDENT;
			first = true;
		}
		column += fprintf(out, "%s%.*s", first ? "" : " ", length, text);
		first = false;
		text += length;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

/* The options that a kind takes, with their defaults. */
static void
help_defaults(const struct gen_kind *kind, FILE *out)
{
	const struct gen_options *defaults = &kind->defaults;
	fprintf(out, "%12s--count %llu (%s) --seed %llu", "", (unsigned long long)defaults->count, kind->count_of,
	        (unsigned long long)defaults->seed);
	for (const char *letter = kind->takes; *letter != '\0'; letter++) {
		switch (*letter) {
		case 'v': (void)fprintf(out, " --speed %g", defaults->speed); break;
		case 'r': (void)fprintf(out, " --radius %g", defaults->radius); break;
		case 'g': (void)fprintf(out, " --gap %g", defaults->gap); break;
		case 'f': (void)fprintf(out, " --fraction %g (at most %g)", defaults->fraction, kind->fraction_max); break;
		case 'm': (void)fprintf(out, " --moving %llu", (unsigned long long)defaults->moving); break;
		case 'w': (void)fprintf(out, " --segments %llu", (unsigned long long)defaults->segments); break;
		default: break;
		}
	}
	fprintf(out, " --restitution %g\n", defaults->restitution);
	fprintf(out, "%12sTry: collide gen %s | collide run - --local%s%s --png %s.png\n", "", kind->name,
	        kind->run[0] != '\0' ? " " : "", kind->run, kind->name);
}

static void
kinds_print(FILE *out)
{
	fprintf(out, "\n%sKinds, with the options that each takes and their defaults:%s\n", colour(out, COLOUR_HEADING),
	        colour(out, COLOUR_END));
	for (int i = 0; i < GEN_KIND_COUNT; i++) {
		fprintf(out, "  %-9s ", gen_kinds[i].name);
		help_wrap("", gen_kinds[i].about, out);
		fprintf(out, "%12s", "");
		help_wrap("Shows: ", gen_kinds[i].proves, out);
		help_defaults(&gen_kinds[i], out);
	}
}

/* Always false. */
static bool
refuse_whole(const struct gen_option *option, const char *text, uint64_t minimum, uint64_t maximum)
{
	problem_begin("gen");
	if (maximum == UINT64_MAX)
		fprintf(stderr, "%s %s: must be a whole number from %llu up, below 2^64\n", option->name, text,
		        (unsigned long long)minimum);
	else
		fprintf(stderr, "%s %s: must be a whole number from %llu to %llu\n", option->name, text, (unsigned long long)minimum,
		        (unsigned long long)maximum);
	return false;
}

static bool
whole_set(const struct gen_option *option, const char *text, uint64_t minimum, uint64_t maximum, uint64_t *out)
{
	return count_parse(text, minimum, maximum, out) || refuse_whole(option, text, minimum, maximum);
}

static bool
number_set(const struct gen_option *option, const char *text, double minimum, double maximum, double *out)
{
	if (range_parse(text, minimum, maximum, out))
		return true;
	problem_begin("gen");
	fprintf(stderr, "%s %s: must be a number from %g to %g\n", option->name, text, minimum, maximum);
	return false;
}

/* Sets one option. Radii are at least 0.001, so that rounding a position to 1e-6 hardly moves a circle. */
static bool
option_set(const struct gen_kind *kind, const struct gen_option *option, const char *text, struct gen_options *out)
{
	switch (option->letter) {
	case 'n': return whole_set(option, text, kind->count_min, kind->count_max, &out->count);
	case 's': return whole_set(option, text, 0, UINT64_MAX, &out->seed);
	case 'e': return number_set(option, text, 0, 1, &out->restitution);
	case 'u': return number_set(option, text, 0, 1e6, &out->friction);
	case 'f': return number_set(option, text, 1e-6, kind->fraction_max, &out->fraction);
	case 'v': return number_set(option, text, 0, 1e9, &out->speed);
	case 'r': return number_set(option, text, 1e-3, 1e3, &out->radius);
	case 'g': return number_set(option, text, 0, 100, &out->gap);
	case 'm': return whole_set(option, text, 0, GEN_COUNT_MAX, &out->moving);
	case 'w': return whole_set(option, text, kind->segments_min, kind->segments_max, &out->segments);
	default: return false;
	}
}

static bool
options_set(const struct gen_kind *kind, const struct gen_words *words, struct gen_options *out)
{
	for (size_t i = 0; i < GEN_OPTIONS; i++) {
		const struct gen_option *option = &gen_options[i];
		if (!words->texts[i])
			continue;
		if (!strchr("nseu", option->letter) && !strchr(kind->takes, option->letter)) {
			problem_begin("gen");
			fprintf(stderr, "%s takes no %s\n", kind->name, option->name);
			return false;
		}
		if (!option_set(kind, option, words->texts[i], out))
			return false;
	}
	return true;
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

static enum arguments_result
words_read(struct gen_words *words, int argc, char **argv)
{
	/* The names have the life of the table of kinds. */
	static const char *kinds[GEN_KIND_COUNT + 1];
	struct argument arguments[GEN_OPTIONS + 1];
	for (size_t i = 0; i < GEN_KIND_COUNT; i++)
		kinds[i] = gen_kinds[i].name;
	for (size_t i = 0; i < GEN_OPTIONS; i++)
		arguments[i] = (struct argument){ .name = gen_options[i].name,
			                              .letter = gen_options[i].key,
			                              .kind = ARGUMENT_TEXT,
			                              .out = &words->texts[i],
			                              .value = gen_options[i].value,
			                              .help = gen_options[i].help };
	arguments[GEN_OPTIONS] = (struct argument){ .name = "--output",
		                                        .letter = 'o',
		                                        .kind = ARGUMENT_FILE,
		                                        .out = &words->output,
		                                        .value = "FILE",
		                                        .help = "instead of stdout" };
	const struct command_line line = {
		.command = "gen",
		.about = "Makes a scene, as JSON. The same options make the same file everywhere.",
		.example = "collide gen bullets --count 200 --speed 2000 | collide run - --local --certify --png bullets.png",
		.operand = "KIND",
		.operand_required = true,
		.operand_choices = kinds,
		.operand_out = &words->kind,
		.arguments = arguments,
		.count = GEN_OPTIONS + 1,
		.more = kinds_print,
	};
	return arguments_read(&line, argc, argv);
}

enum exit_status
cmd_gen(int argc, char **argv)
{
	struct gen_words words = { 0 };
	enum arguments_result result = words_read(&words, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	const struct gen_kind *kind = gen_kind_find(words.kind);
	struct gen_options options = kind->defaults;
	return options_set(kind, &words, &options) ? scene_generate(kind, &options, words.output) : EXIT_STATUS_USAGE;
}
