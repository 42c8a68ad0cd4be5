#include "client/cli/commands/program_page.h"

static const struct page_section sections[] = {
	{ "ENVIRONMENT",
	  "COLLIDE_CONNECT is the daemon's address, HOST:PORT, where --connect gives none. Other variables that begin with COLLIDE_ are "
	  "refused, so that a mistyped one does not go unnoticed.\n\n"
	  "NO_COLOR, if it is not empty, leaves colours out on a terminal, and so does TERM=dumb." },
	{ "EXIT STATUS",
	  "0: done. 1: failed, such as by a violation that --certify found. 2: used wrongly. 3: refused by the server. 4: no connection "
	  "or a lost one. 130: ended by Ctrl-C; 143: by SIGTERM." },
	{ "JSON",
	  "What run, replay, detect, respond, query, info and decode print as JSON are messages of the schema, in protobuf's JSON form, "
	  "one a line: Frame, Detected, Responded, Queried, Welcome, ClientMessage and ServerMessage. What ping, check, version and bench "
	  "print is no message; their help names the members. Numbers have the fewest digits that read back to the same bits." },
	{ "SEE ALSO", "collided(8), collide-scene(5)" },
};

bool
program_page_init(struct program_page *page)
{
	*page = (struct program_page){
		.program = { .name = "collide",
		             .section = "1",
		             .version = COLLIDED_VERSION,
		             .about = "client of collided, exact 2D physics over TCP",
		             .description = "Simulates scenes of circles and walls by the daemon or in its own process, "
		                            "checks and draws what comes, and puts questions to scenes. Scenes are JSON files: "
		                            "collide-scene(5). A file called \"-\" is stdin or stdout.\n\n"
		                            "The daemon is found by --connect HOST:PORT, else by the variable "
		                            "COLLIDE_CONNECT, else at 127.0.0.1:7878.",
		             .sections = sections,
		             .section_count = sizeof sections / sizeof sections[0] }
	};
	page->program.commands = page->commands;
	for (size_t i = 0; i < command_count; i++) {
		page->commands[i].name = command_list[i].name;
		page->commands[i].about = command_list[i].about;
		if (!command_line_copy(&command_list[i], &page->commands[i].line))
			return false;
		page->program.count++;
	}
	return true;
}

void
program_page_finish(struct program_page *page)
{
	for (size_t i = 0; i < page->program.count; i++)
		command_line_finish(&page->commands[i].line);
}
