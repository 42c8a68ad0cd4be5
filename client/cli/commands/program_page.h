/* program_page: collide as its manual page and the completions know it: all commands with their tables. One thread at a time.
 */
#ifndef COLLIDE_CLI_PROGRAM_PAGE_H
#define COLLIDE_CLI_PROGRAM_PAGE_H

#include "client/cli/commands/command_list.h"
#include "client/cli/manual/page.h"

struct program_page {
	struct page_program program;
	struct page_command commands[COMMANDS_MAX];
};

/* false: no memory. To be finished in either case; it must not be moved. */
bool program_page_init(struct program_page *page);
void program_page_finish(struct program_page *page);

#endif
