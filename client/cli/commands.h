/* commands: the sub-commands of `collide`, one function each.
 *
 * argv[0] is the command's own name ("run"), so getopt works on argc and argv as given. Each prints its results on stdout and
 * what went wrong on stderr, and returns the exit status: 0 done, 1 failed, 2 used wrongly. */
#ifndef COLLIDE_CLI_COMMANDS_H
#define COLLIDE_CLI_COMMANDS_H

int cmd_ping(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_gen(int argc, char **argv);
int cmd_import(int argc, char **argv);

#endif
