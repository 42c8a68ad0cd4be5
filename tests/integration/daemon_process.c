#include "integration/daemon_process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { ARGUMENTS_MAX = 32, LOG_BYTES = 1 << 20 };

/* How often something that a process does in its own time is looked at, and for how long before the test fails. */
#define POLL_MS 5
#define PATIENCE_MS 600000

static void
wait_a_little(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = POLL_MS * 1000000L }, NULL);
}

static bool
read_port(const char *path, unsigned *port)
{
	FILE *file = fopen(path, "r");
	if (!file)
		return false;
	int found = fscanf(file, "%u", port);
	fclose(file);
	/* Written whole or not at all. */
	assert_int_equal(found, 1);
	return true;
}

void
daemon_start(struct daemon_process *daemon, const char *const flags[])
{
	char port_path[96];
	const char *arguments[ARGUMENTS_MAX] = { COLLIDED_PROGRAM, "--listen", "127.0.0.1:0", "--port-file", port_path };
	size_t count = 5;
	for (size_t i = 0; flags && flags[i]; i++) {
		assert_true(count + 1 < ARGUMENTS_MAX);
		arguments[count++] = flags[i];
	}
	*daemon = (struct daemon_process){ .pid = -1 };
	snprintf(daemon->folder, sizeof daemon->folder, "/tmp/collided-test-XXXXXX");
	assert_non_null(mkdtemp(daemon->folder));
	snprintf(port_path, sizeof port_path, "%s/port", daemon->folder);
	snprintf(daemon->log_path, sizeof daemon->log_path, "%s/log", daemon->folder);
	int log = open(daemon->log_path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
	assert_true(log >= 0);
	daemon->pid = fork();
	assert_true(daemon->pid >= 0);
	if (daemon->pid == 0) {
		/* Should the test fail, its daemon goes with it. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* AddressSanitizer keeps freed memory for a while; little of it here, or it would look like a leak. */
		setenv("ASAN_OPTIONS", "quarantine_size_mb=1", 0);
		/* A test may be silent for as long as its machine makes it; flags say otherwise where that is what is tested. */
		setenv("COLLIDED_PING_INTERVAL_MS", "3600000", 0);
		setenv("COLLIDED_HELLO_TIMEOUT_MS", "3600000", 0);
		setenv("COLLIDED_FRAME_TIMEOUT_MS", "3600000", 0);
		dup2(log, STDERR_FILENO);
		execv(COLLIDED_PROGRAM, (char *const *)(uintptr_t)arguments);
		_exit(127);
	}
	close(log);
	for (unsigned ms = 0; !read_port(port_path, &daemon->port); ms += POLL_MS) {
		if (ms > PATIENCE_MS || waitpid(daemon->pid, NULL, WNOHANG) != 0)
			fail_msg("the daemon did not get ready: %s", daemon_log(daemon));
		wait_a_little();
	}
}

void
daemon_terminate(const struct daemon_process *daemon)
{
	assert_int_equal(kill(daemon->pid, SIGTERM), 0);
}

int
daemon_wait(struct daemon_process *daemon)
{
	int status = 0;
	char path[96];
	while (waitpid(daemon->pid, &status, 0) < 0)
		assert_int_equal(errno, EINTR);
	if (!WIFEXITED(status) || strstr(daemon_log(daemon), "Sanitizer"))
		fail_msg("the daemon ended badly (%d): %s", status, daemon_log(daemon));
	/* It took the port file away itself. */
	snprintf(path, sizeof path, "%s/port", daemon->folder);
	assert_int_equal(access(path, F_OK), -1);
	unlink(daemon->log_path);
	assert_int_equal(rmdir(daemon->folder), 0);
	return WEXITSTATUS(status);
}

void
daemon_stop(struct daemon_process *daemon)
{
	daemon_terminate(daemon);
	assert_int_equal(daemon_wait(daemon), 0);
}

int
daemon_run_once(const char *const arguments[], const char *const environment[], char *out, size_t out_bytes)
{
	int ends[2];
	int status = 0;
	size_t count = 0;
	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(ends[1], STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		execve(COLLIDED_PROGRAM, (char *const *)(uintptr_t)arguments, (char *const *)(uintptr_t)environment);
		_exit(127);
	}
	close(ends[1]);
	for (ssize_t got = 1; got > 0 && count + 1 < out_bytes; count += got > 0 ? (size_t)got : 0)
		got = read(ends[0], out + count, out_bytes - 1 - count);
	out[count] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* As much as there is room for, from this byte on. */
static const char *
log_from(const struct daemon_process *daemon, long from)
{
	static char text[LOG_BYTES];
	FILE *file = fopen(daemon->log_path, "r");
	bool good = file && fseek(file, from, SEEK_SET) == 0;
	size_t count = good ? fread(text, 1, sizeof text - 1, file) : 0;
	text[count] = '\0';
	if (file)
		fclose(file);
	return text;
}

const char *
daemon_log(const struct daemon_process *daemon)
{
	return log_from(daemon, 0);
}

static long
log_bytes(const struct daemon_process *daemon)
{
	FILE *file = fopen(daemon->log_path, "r");
	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	long bytes = ftell(file);
	fclose(file);
	assert_true(bytes >= 0);
	return bytes;
}

/* Behind what was there before, up to the line that ends a dump of the counters. */
static const char *
wait_for_dump(const struct daemon_process *daemon, long from)
{
	for (unsigned ms = 0; ms < PATIENCE_MS; ms += POLL_MS) {
		const char *log = log_from(daemon, from);
		const char *end = strstr(log, " running=");
		if (end && strchr(end, '\n'))
			return log;
		wait_a_little();
	}
	fail_msg("no counters in the log");
	return "";
}

/* The number after `wanted` in a fresh dump; 0 if that is not in it. */
static uint64_t
dump_value(const struct daemon_process *daemon, const char *wanted)
{
	uint64_t value = 0;
	long from = log_bytes(daemon); /* however much that is */
	assert_int_equal(kill(daemon->pid, SIGUSR1), 0);
	const char *at = strstr(wait_for_dump(daemon, from), wanted);
	if (at)
		assert_int_equal(sscanf(at + strlen(wanted), "%" SCNu64, &value), 1);
	return value;
}

uint64_t
daemon_counter(const struct daemon_process *daemon, const char *group, const char *name)
{
	char wanted[128];
	snprintf(wanted, sizeof wanted, "group=%s name=%s value=", group, name);
	return dump_value(daemon, wanted);
}

uint64_t
daemon_state(const struct daemon_process *daemon, const char *name)
{
	char wanted[128];
	snprintf(wanted, sizeof wanted, " %s=", name);
	return dump_value(daemon, wanted);
}

uint64_t
daemon_memory(const struct daemon_process *daemon)
{
	char path[64];
	char line[256];
	uint64_t kib = 0;
	snprintf(path, sizeof path, "/proc/%d/status", (int)daemon->pid);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof line, file) && sscanf(line, "VmRSS: %" SCNu64, &kib) != 1) {
	}
	fclose(file);
	assert_true(kib > 0);
	return kib * 1024;
}
