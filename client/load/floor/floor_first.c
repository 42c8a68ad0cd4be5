#define _GNU_SOURCE /* close_range */
#include "client/load/floor/floor_first.h"

#include "base/clock.h"
#include "base/log.h"
#include "client/load/floor/floor_server.h"
#include "jobs/lock.h"
#include "jobs/realtime.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAPS_MAX 16
#define ROOM_STACK_BYTES ((size_t)1 << 20) /* as the daemon's spare threads have */

struct floor_first {
	enum floor_kind kind;
	bool realtime;
	int control;
	struct map_store *maps;
	pid_t *pids; /* of processes of rooms */
	uint64_t pid_count;
};

struct room_thread {
	struct floor_server *server;
	bool realtime;
};

/* ---- Maps, which are charged to none: a floor has no accounts */

static void
account_hold(void *account)
{
	(void)account;
}

static void
account_charge(void *account, uint64_t before_bytes, uint64_t bytes)
{
	(void)account;
	(void)before_bytes;
	(void)bytes;
}

static enum status
account_check(const void *account, uint64_t bytes, struct wire_problem *problem)
{
	(void)account;
	(void)bytes;
	(void)problem;
	return STATUS_OK;
}

/* The lock is for threads of rooms, which are made later. */
static struct map_store *
maps_create(void)
{
	struct lock *lock = lock_create();
	const struct map_store_options options = {
		.maps_max = MAPS_MAX,
		.account_hold = account_hold,
		.account_release = account_hold,
		.account_charge = account_charge,
		.account_check = account_check,
		.now_ns = clock_now_ns,
		.lock = lock_take,
		.unlock = lock_give,
		.context = lock,
	};
	return lock ? map_store_create(&options) : NULL;
}

/* ---- Rooms */

static struct floor_server *
room_create(const struct floor_first *first, int listener, uint64_t number)
{
	return floor_server_create(
		&(struct floor_server_options){ .maps = first->maps, .listener = listener, .number = number, .extra = -1 });
}

/* It is never left behind: the kernel ends it with the thread that forked it, which may have ended already. */
static void
end_with(pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
		_exit(EXIT_FAILURE);
}

static _Noreturn void
room_process_main(const struct floor_first *first, int listener, uint64_t number, pid_t parent)
{
	end_with(parent);
	/* What the first server has open is not this one's: connections would never seem to end. */
	int kept = STDERR_FILENO + 1;
	if (listener != kept && dup2(listener, kept) != kept)
		_exit(EXIT_FAILURE);
	(void)close_range((unsigned)kept + 1, ~0u, 0);
	struct floor_server *server = room_create(first, kept, number);
	if (!server)
		_exit(EXIT_FAILURE);
	if (first->realtime)
		(void)realtime_enter(REALTIME_HIGH);
	floor_server_run(server);
	_exit(EXIT_SUCCESS);
}

static void *
room_thread_main(void *context)
{
	struct room_thread *room = context;
	if (room->realtime)
		(void)realtime_enter(REALTIME_HIGH);
	floor_server_run(room->server);
	return NULL;
}

/* Takes the listener. */
static struct floor_told
room_fork(struct floor_first *first, int listener, uint64_t number)
{
	struct floor_told told = { .error = ENOMEM };
	pid_t *pids = realloc(first->pids, (first->pid_count + 1) * sizeof *pids);
	if (pids) {
		first->pids = pids;
		pid_t parent = getpid(), pid = fork();
		if (pid == 0)
			room_process_main(first, listener, number, parent);
		told = (struct floor_told){ .pid = pid, .error = pid < 0 ? errno : 0 };
		if (pid > 0)
			pids[first->pid_count++] = pid;
	}
	close(listener);
	return told;
}

/* Takes the listener. */
static struct floor_told
room_thread(struct floor_first *first, int listener, uint64_t number)
{
	struct room_thread *room = calloc(1, sizeof *room);
	struct floor_server *server = room ? room_create(first, listener, number) : NULL;
	pthread_attr_t attributes;
	pthread_t thread;
	if (!server) {
		const struct floor_told told = { .error = errno != 0 ? errno : ENOMEM };
		free(room);
		close(listener);
		return told;
	}
	*room = (struct room_thread){ server, first->realtime };
	int error = pthread_attr_init(&attributes);
	if (error == 0) {
		(void)pthread_attr_setstacksize(&attributes, ROOM_STACK_BYTES);
		(void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
		error = pthread_create(&thread, &attributes, room_thread_main, room);
		(void)pthread_attr_destroy(&attributes);
	}
	return (struct floor_told){ .pid = getpid(), .error = error };
}

static bool
tell(const struct floor_first *first, const struct floor_told *told)
{
	return send(first->control, told, sizeof *told, MSG_NOSIGNAL) == (ssize_t)sizeof *told;
}

/* What comes over the control socket: how many rooms there are to be, or its end. */
static bool
on_control(void *context)
{
	struct floor_first *first = context;
	uint64_t rooms = 0;
	if (recv(first->control, &rooms, sizeof rooms, MSG_WAITALL) != (ssize_t)sizeof rooms)
		return false;
	for (uint64_t i = 0; i < rooms; i++) {
		uint16_t port = 0;
		int listener = floor_listen(&port);
		struct floor_told told = listener < 0                     ? (struct floor_told){ .error = errno }
		                         : first->kind == FLOOR_PROCESSES ? room_fork(first, listener, i + 1)
		                                                          : room_thread(first, listener, i + 1);
		told.port = port;
		if (!tell(first, &told))
			return false;
		if (told.error != 0)
			break;
	}
	return true;
}

/* ---- The process */

/* Threads of rooms have four descriptors each. */
static void
descriptors_allow(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
}

void
floor_first_main(enum floor_kind kind, bool realtime, int control, pid_t parent)
{
	struct floor_first first = { .kind = kind, .realtime = realtime, .control = control };
	uint16_t port = 0;
	end_with(parent);
	/* A Ctrl-C is for the program that measures, and ends all in the end. */
	(void)signal(SIGINT, SIG_IGN);
	(void)signal(SIGTERM, SIG_IGN);
	log_level_set(LOG_LEVEL_ERROR);
	descriptors_allow();
	int listener = floor_listen(&port);
	first.maps = maps_create();
	struct floor_server *server =
		first.maps && listener >= 0
			? floor_server_create(&(struct floor_server_options){
				  .maps = first.maps, .listener = listener, .extra = control, .on_extra = on_control, .context = &first })
			: NULL;
	const struct floor_told told = { .pid = getpid(), .port = port, .error = server ? 0 : ENOMEM };
	if (tell(&first, &told) && server)
		floor_server_run(server);
	for (uint64_t i = 0; i < first.pid_count; i++)
		(void)kill(first.pids[i], SIGKILL);
	for (uint64_t i = 0; i < first.pid_count; i++)
		(void)waitpid(first.pids[i], NULL, 0);
	_exit(server ? EXIT_SUCCESS : EXIT_FAILURE);
}
