/* thread_name: what the system shows of a thread (top -H, /proc/PID/task/TID/comm), so that its CPU time can be told from that
 * of others.
 *
 * Any thread. */
#ifndef COLLIDED_BASE_THREAD_NAME_H
#define COLLIDED_BASE_THREAD_NAME_H

/* The calling thread's; at most 15 bytes of it count. `collide bench rooms` knows these by name. */
void thread_name_set(const char *name);

#define THREAD_NAME_KEEPER "keeper"         /* ticks that are due */
#define THREAD_NAME_WORKER "worker"         /* requests, and turns beyond reservations */
#define THREAD_NAME_BACKGROUND "background" /* self-checks */
#define THREAD_NAME_DISK "disk"             /* recordings */

#endif
