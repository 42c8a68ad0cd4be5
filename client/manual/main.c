/* collide_manual FOLDER: writes the manual pages and the completions of shells into a folder like /usr/share. It runs when all
 * is built, and is not installed: what it writes is. The tables that read the command lines of both programs are its only
 * source.
 *
 * The folder manual/ may use the command, its manual pages and the daemon's settings. */
#include "client/cli/commands/program_page.h"
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The daemon as a program without commands. */
struct daemon_page {
	struct page_program program;
	struct page_command command;
	struct config_option options[CONFIG_OPTIONS_MAX];
	struct argument arguments[CONFIG_OPTIONS_MAX + 2]; /* with those that are no settings */
};

static const struct page_section daemon_sections[] = {
	{ "SIGNALS AND EXIT STATUS", config_ends },
	{ "SEE ALSO", "collide(1), collide-scene(5)" },
};

static void
daemon_page_init(struct daemon_page *page)
{
	static const struct argument others[] = {
		{ .name = "--print-config", .kind = ARGUMENT_SWITCH, .help = "print every setting and where it came from, and end" },
		{ .name = "--version", .kind = ARGUMENT_SWITCH, .help = "print the version, and end" },
	};
	size_t count = 0;
	while (config_describe(count, &page->options[count])) {
		const struct config_option *option = &page->options[count];
		page->arguments[count] = (struct argument){ .name = option->flag,
			                                        .kind = option->choices   ? ARGUMENT_CHOICE
			                                                : option->is_file ? ARGUMENT_FILE
			                                                                  : ARGUMENT_TEXT,
			                                        .choices = option->choices,
			                                        .value = option->unit,
			                                        .help = option->help };
		count++;
	}
	memcpy(&page->arguments[count], others, sizeof others);
	page->command = (struct page_command){
		.name = "",
		.about = "",
		.line = { .command = "", .arguments = page->arguments, .count = count + sizeof others / sizeof others[0] },
	};
	page->program = (struct page_program){ .name = "collided",
		                                   .section = "8",
		                                   .version = COLLIDED_VERSION,
		                                   .about = "exact 2D physics over TCP",
		                                   .description = config_about,
		                                   .commands = &page->command,
		                                   .count = 1,
		                                   .sections = daemon_sections,
		                                   .section_count = sizeof daemon_sections / sizeof daemon_sections[0] };
}

/* Makes the folders of a path, apart from its last part. */
static bool
folders_make(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
		*slash = '/';
		if (!made)
			return false;
	}
	return true;
}

static FILE *
file_open(const char *folder, const char *name)
{
	char path[4096];
	FILE *file = NULL;
	if (snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path && folders_make(path))
		file = fopen(path, "w");
	if (!file)
		fprintf(stderr, "collide_manual: %s: %s\n", path, strerror(errno));
	return file;
}

static bool
program_write(const char *folder, const char *name, void (*print)(const struct page_program *program, FILE *out),
              const struct page_program *program)
{
	FILE *file = file_open(folder, name);
	if (!file)
		return false;
	print(program, file);
	bool good = !ferror(file);
	return fclose(file) == 0 && good;
}

static bool
scene_write(const char *folder)
{
	FILE *file = file_open(folder, "man/man5/collide-scene.5");
	if (!file)
		return false;
	page_scene_print(COLLIDED_VERSION, file);
	bool good = !ferror(file);
	return fclose(file) == 0 && good;
}

static bool
all_write(const char *folder, const struct page_program *command, const struct page_program *daemon)
{
	return program_write(folder, "man/man1/collide.1", page_print, command) &&
	       program_write(folder, "man/man8/collided.8", page_print, daemon) && scene_write(folder) &&
	       program_write(folder, "bash-completion/completions/collide", completion_bash_print, command) &&
	       program_write(folder, "bash-completion/completions/collided", completion_bash_print, daemon) &&
	       program_write(folder, "zsh/vendor-completions/_collide", completion_zsh_print, command) &&
	       program_write(folder, "zsh/vendor-completions/_collided", completion_zsh_print, daemon) &&
	       program_write(folder, "fish/vendor_completions.d/collide.fish", completion_fish_print, command) &&
	       program_write(folder, "fish/vendor_completions.d/collided.fish", completion_fish_print, daemon);
}

int
main(int argc, char **argv)
{
	static struct program_page command;
	static struct daemon_page daemon;
	if (argc != 2) {
		fprintf(stderr, "usage: collide_manual FOLDER\n");
		return EXIT_FAILURE;
	}
	daemon_page_init(&daemon);
	bool good = program_page_init(&command) && all_write(argv[1], &command.program, &daemon.program);
	program_page_finish(&command);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
