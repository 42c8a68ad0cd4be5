/* process_cpu: CPU time of a process of this machine. Any thread. */
#ifndef COLLIDE_LOAD_PROCESS_CPU_H
#define COLLIDE_LOAD_PROCESS_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Seconds that the process has computed so far, all its threads together. false: there is no such process, or it is not ours to
 * ask. */
bool process_cpu_seconds(uint64_t pid, double *seconds);

/* What a thread of a daemon does, by its name. The first thread is the loop. */
enum thread_kind {
	THREAD_LOOP,
	THREAD_TICKS,      /* that are due */
	THREAD_REQUESTS,   /* and ticks beyond what their worlds have reserved */
	THREAD_BACKGROUND, /* self-checks */
	THREAD_DISK,       /* recordings */
	THREAD_OTHER,
	THREAD_KINDS
};

#define PROCESS_THREADS_MAX 256

struct process_thread {
	uint64_t task;
	enum thread_kind kind;
	uint64_t spent_ns;
};

struct process_threads {
	size_t count;
	struct process_thread threads[PROCESS_THREADS_MAX];
};

/* What its threads have computed so far: those that there are now, as many as fit. */
bool process_threads_read(uint64_t pid, struct process_threads *out);
/* Adds what they have computed since. A thread that did one thing and then another is counted as what it does now: threads
 * change seldom, so this is to be read some times a second. */
void process_threads_since(const struct process_threads *before, const struct process_threads *now,
                           double seconds[THREAD_KINDS]);

#endif
