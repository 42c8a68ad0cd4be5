#include "client/cli/commands/command_rows.h"

const struct command command_rows[] = {
	{ "run", "simulate a scene; print frames, check them, draw them", cmd_run },
	{ "check", "tell every problem of a scene file, with line and column", cmd_check },
	{ "gen", "make a scene: gas, break, bullets, galton, pinball ... (gen --help)", cmd_gen },
	{ "import", "make a scene from a map of Tiled or of a Doom WAD file", cmd_import },
	{ "detect", "tell which shapes touch, now and while they move", cmd_detect },
	{ "query", "cast rays and circles, find what is where, move a character", cmd_query },
	{ "respond", "push pairs apart and bounce them off", cmd_respond },
	{ "decode", "print a recording, or any delimited messages, as JSON", cmd_decode },
	{ "view", "show a run that moves, in the terminal", cmd_view },
	{ "render", "draw a run that moves: a page, an animated SVG or a GIF", cmd_render },
	{ "replay", "play a recording: print its frames, check them, draw them", cmd_replay },
	{ "verify", "simulate a recording again and compare every tick", cmd_verify },
	{ "schema", "print the protocol's schema", cmd_schema },
	{ "ping", "measure the round trip to the daemon", cmd_ping },
	{ "info", "show what the daemon is and its limits", cmd_info },
	{ "bench", "put load on the daemon; measure throughput and latency", cmd_bench },
	{ "completion", "print what makes a shell complete commands, options and values", cmd_completion },
	{ "help", "this text; collide help COMMAND: that of a command", cmd_help },
	{ "version", "the version of this program", cmd_version },
};
const size_t command_row_count = sizeof command_rows / sizeof command_rows[0];
