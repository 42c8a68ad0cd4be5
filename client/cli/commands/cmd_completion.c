/* collide completion: what a shell reads to complete the command line. */
#include "client/cli/commands/commands.h"

#include "client/cli/commands/program_page.h"

#include <string.h>

enum exit_status
cmd_completion(int argc, char **argv)
{
	static const char *const shells[] = { "bash", "zsh", "fish", NULL };
	static void (*const print[])(const struct page_program *program, FILE *out) = { completion_bash_print, completion_zsh_print,
		                                                                            completion_fish_print };
	const char *shell = NULL;
	const struct command_line line = {
		.command = "completion",
		.about = "Prints what makes a shell complete commands, options, values and file names of collide. A Debian package\n"
				 "installs it; else source it: in ~/.bashrc as below, zsh the same, fish: collide completion fish | source",
		.example = "source <(collide completion bash)",
		.operand = "SHELL",
		.operand_required = true,
		.operand_choices = shells,
		.operand_out = &shell,
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	struct program_page page;
	bool good = program_page_init(&page);
	for (size_t i = 0; good && shells[i]; i++)
		if (strcmp(shells[i], shell) == 0)
			print[i](&page.program, stdout);
	program_page_finish(&page);
	if (!good)
		fprintf(stderr, "collide completion: no memory\n");
	return good ? EXIT_STATUS_DONE : EXIT_STATUS_FAILED;
}
