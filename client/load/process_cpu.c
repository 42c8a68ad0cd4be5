#include "client/load/process_cpu.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

bool
process_cpu_seconds(uint64_t pid, double *seconds)
{
	struct timespec spent;
	clockid_t clock;

	if (pid > INT_MAX || clock_getcpuclockid((pid_t)pid, &clock) != 0 || clock_gettime(clock, &spent) != 0)
		return false;
	*seconds = (double)spent.tv_sec + 1e-9 * (double)spent.tv_nsec;
	return true;
}

/* ---- by thread */

/* The first line of a file of a thread. */
static bool
task_line(uint64_t pid, uint64_t task, const char *file, char *out, size_t room)
{
	char path[96];
	(void)snprintf(path, sizeof path, "/proc/%" PRIu64 "/task/%" PRIu64 "/%s", pid, task, file);
	FILE *in = fopen(path, "r");
	bool good = in && fgets(out, (int)room, in);
	if (in)
		(void)fclose(in);
	if (good)
		out[strcspn(out, "\n")] = '\0';
	return good;
}

static enum thread_kind
kind_of(uint64_t pid, uint64_t task, const char *name)
{
	static const struct {
		const char *name;
		enum thread_kind kind;
	} names[] = {
		{ "keeper", THREAD_TICKS }, { "worker", THREAD_REQUESTS }, { "background", THREAD_BACKGROUND }, { "disk", THREAD_DISK }
	};
	if (task == pid)
		return THREAD_LOOP;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(name, names[i].name) == 0)
			return names[i].kind;
	return THREAD_OTHER;
}

bool
process_threads_read(uint64_t pid, struct process_threads *out)
{
	char path[64];
	(void)snprintf(path, sizeof path, "/proc/%" PRIu64 "/task", pid);
	DIR *tasks = opendir(path);
	out->count = 0;
	for (const struct dirent *entry = tasks ? readdir(tasks) : NULL; entry; entry = readdir(tasks)) {
		char name[64], spent[96];
		uint64_t task = strtoull(entry->d_name, NULL, 10);
		/* The first number of schedstat: nanoseconds on a core. One that has ended meanwhile has none. */
		if (task == 0 || out->count == PROCESS_THREADS_MAX || !task_line(pid, task, "comm", name, sizeof name) ||
		    !task_line(pid, task, "schedstat", spent, sizeof spent))
			continue;
		out->threads[out->count++] = (struct process_thread){ task, kind_of(pid, task, name), strtoull(spent, NULL, 10) };
	}
	if (tasks)
		(void)closedir(tasks);
	return out->count > 0;
}

void
process_threads_since(const struct process_threads *before, const struct process_threads *now, double seconds[THREAD_KINDS])
{
	for (size_t i = 0; i < now->count; i++) {
		const struct process_thread *thread = &now->threads[i];
		uint64_t spent_ns = thread->spent_ns;
		for (size_t k = 0; k < before->count; k++)
			if (before->threads[k].task == thread->task && before->threads[k].spent_ns <= spent_ns)
				spent_ns = thread->spent_ns - before->threads[k].spent_ns;
		seconds[thread->kind] += 1e-9 * (double)spent_ns;
	}
}
