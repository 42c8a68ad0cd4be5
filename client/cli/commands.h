/* commands: the sub-commands of `collide`, one function each.
 *
 * argv[0] is the command's own name ("run"), so getopt works on argc and argv as given. Each prints its results on stdout and
 * what went wrong on stderr. */
#ifndef COLLIDE_CLI_COMMANDS_H
#define COLLIDE_CLI_COMMANDS_H

enum exit_status {
	EXIT_STATUS_DONE = 0,
	EXIT_STATUS_FAILED = 1,        /* the work itself went wrong: a violation found, a file not written, no memory */
	EXIT_STATUS_USAGE = 2,         /* used wrongly, or an unreadable scene file */
	EXIT_STATUS_REFUSED = 3,       /* the server answered with an error */
	EXIT_STATUS_NO_CONNECTION = 4, /* none could be made, or it was lost */
	EXIT_STATUS_INTERRUPTED = 130, /* by Ctrl-C, after telling what there was to tell; as a shell counts */
	EXIT_STATUS_TERMINATED = 143,  /* the same by SIGTERM */
};

enum exit_status cmd_ping(int argc, char **argv);
enum exit_status cmd_info(int argc, char **argv);
enum exit_status cmd_check(int argc, char **argv);
enum exit_status cmd_run(int argc, char **argv);
enum exit_status cmd_detect(int argc, char **argv);
enum exit_status cmd_query(int argc, char **argv);
enum exit_status cmd_respond(int argc, char **argv);
enum exit_status cmd_bench(int argc, char **argv);
enum exit_status cmd_gen(int argc, char **argv);
enum exit_status cmd_import(int argc, char **argv);
enum exit_status cmd_decode(int argc, char **argv);
enum exit_status cmd_replay(int argc, char **argv);
enum exit_status cmd_verify(int argc, char **argv);
enum exit_status cmd_schema(int argc, char **argv);

#endif
