/* daemon_process: collided as a child process of the test, listening on a free port of 127.0.0.1. */
#ifndef COLLIDED_TESTS_INTEGRATION_DAEMON_PROCESS_H
#define COLLIDED_TESTS_INTEGRATION_DAEMON_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct daemon_process {
	pid_t pid;
	unsigned port;
	char folder[64]; /* of the port file and the log; removed at the end */
	char log_path[96];
};

/* Starts it with --listen 127.0.0.1:0 and the flags (NULL-terminated) and waits until it is ready. */
void daemon_start(struct daemon_process *daemon, const char *const flags[]);
/* Sends SIGTERM. */
void daemon_terminate(const struct daemon_process *daemon);
/* Waits for its end; returns the exit status. A signal, or a sanitizer's report, is a failure of the test. */
int daemon_wait(struct daemon_process *daemon);
/* daemon_terminate, daemon_wait, and the status must be 0. */
void daemon_stop(struct daemon_process *daemon);
/* Runs it with exactly these arguments until it ends by itself; its output goes to `out`. Returns the exit status. */
int daemon_run_once(const char *const arguments[], const char *const environment[], char *out, size_t out_bytes);
/* The whole log so far, in memory that the next call reuses. */
const char *daemon_log(const struct daemon_process *daemon);
/* Asks for the counters (SIGUSR1) and returns one of them; 0 if it was never counted. */
uint64_t daemon_counter(const struct daemon_process *daemon, const char *group, const char *name);
/* The same of the line about the present state: "connections", "requests", "running"... */
uint64_t daemon_state(const struct daemon_process *daemon, const char *name);
/* Resident memory, bytes. */
uint64_t daemon_memory(const struct daemon_process *daemon);

#endif
