/* collide schema: the protocol's schema, as this program was built with it. */
#include "client/cli/commands/commands.h"

#include "client/cli/terminal/arguments.h"
#include "proto/descriptor_set.h"

#include <stdio.h>

enum exit_status
cmd_schema(int argc, char **argv)
{
	static const char *const formats[] = { "proto", "binary", NULL };
	unsigned format = 0;
	const struct argument arguments[] = {
		{ .name = "--format",
		  .letter = 'f',
		  .kind = ARGUMENT_CHOICE,
		  .out = &format,
		  .choices = formats,
		  .value = "proto|binary",
		  .help = "proto: the commented .proto file (default);\n"
		          "binary: the same as a google.protobuf.FileDescriptorSet" },
	};
	const struct command_line line = {
		.command = "schema",
		.about =
			"Prints the schema that this program was built with: every message, field, unit, default and limit. The daemon's\n"
			"own comes from collide info --schema.",
		.example = "collide schema --format binary >collide.binpb && collide schema | grep -A 3 '^message Circle '",
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	const void *bytes = format == 0 ? collide_schema_text : collide_descriptor_set;
	size_t count = format == 0 ? collide_schema_text_bytes : collide_descriptor_set_bytes;
	return fwrite(bytes, 1, count, stdout) == count ? EXIT_STATUS_DONE : EXIT_STATUS_FAILED;
}
