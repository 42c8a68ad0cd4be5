#include "client/load/floor/floor.h"

#include "client/lib/failure.h"
#include "client/load/floor/floor_first.h"
#include "client/load/process_cpu.h"
#include "client/load/process_memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct floor_room {
	uint64_t pid;
	uint16_t port;
};

struct floor {
	enum floor_kind kind;
	pid_t pid; /* of the first server's process */
	int control;
	struct floor_room *rooms;
	uint64_t room_count;
	char address[32], room_address[32];
};

static void
address_write(char address[32], uint16_t port)
{
	(void)snprintf(address, 32, "127.0.0.1:%u", (unsigned)port);
}

static bool
hear(const struct floor *floor, struct floor_told *told, struct collide_error *error)
{
	if (recv(floor->control, told, sizeof *told, MSG_WAITALL) != (ssize_t)sizeof *told)
		return failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_INTERNAL, "FLOOR", "the floor's first server has ended");
	return told->error == 0 || failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_INTERNAL, "FLOOR",
	                                       "a server of the floor cannot be made: %s", strerror(told->error));
}

struct floor *
floor_start(enum floor_kind kind, bool realtime, struct collide_error *error)
{
	struct floor *floor = calloc(1, sizeof *floor);
	struct floor_told told;
	int ends[2];
	if (!floor || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
		free(floor);
		(void)failure_memory(error);
		return NULL;
	}
	pid_t parent = getpid();
	*floor = (struct floor){ .kind = kind, .control = ends[0], .pid = fork() };
	if (floor->pid == 0) {
		close(ends[0]);
		floor_first_main(kind, realtime, ends[1], parent);
	}
	close(ends[1]);
	if (floor->pid < 0)
		(void)failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_INTERNAL, "FLOOR", "no process for the floor: %s",
		                  strerror(errno));
	if (floor->pid < 0 || !hear(floor, &told, error)) {
		(void)floor_stop(floor);
		return NULL;
	}
	address_write(floor->address, told.port);
	return floor;
}

bool
floor_stop(struct floor *floor)
{
	int status = 0;
	if (!floor)
		return true;
	close(floor->control);
	bool good = floor->pid > 0;
	while (good && waitpid(floor->pid, &status, 0) < 0)
		good = errno == EINTR;
	free(floor->rooms);
	free(floor);
	return good && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
}

const char *
floor_address(const struct floor *floor)
{
	return floor->address;
}

/* ---- The site */

static bool
site_open(void *context, uint64_t rooms, struct collide_error *error)
{
	struct floor *floor = context;
	floor->rooms = calloc(rooms, sizeof *floor->rooms);
	if (!floor->rooms)
		return failure_memory(error);
	if (send(floor->control, &rooms, sizeof rooms, MSG_NOSIGNAL) != (ssize_t)sizeof rooms)
		return failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_INTERNAL, "FLOOR", "the floor's first server has ended");
	for (; floor->room_count < rooms; floor->room_count++) {
		struct floor_told told;
		if (!hear(floor, &told, error))
			return false;
		floor->rooms[floor->room_count] = (struct floor_room){ .pid = (uint64_t)told.pid, .port = told.port };
	}
	return true;
}

static const char *
site_address(void *context, uint64_t room)
{
	struct floor *floor = context;
	address_write(floor->room_address, floor->rooms[room].port);
	return floor->room_address;
}

/* Sums over its processes. */
static bool
site_cpu_seconds(void *context, double *seconds)
{
	const struct floor *floor = context;
	bool good = process_cpu_seconds((uint64_t)floor->pid, seconds);
	for (uint64_t i = 0; good && floor->kind == FLOOR_PROCESSES && i < floor->room_count; i++) {
		double own = 0;
		good = process_cpu_seconds(floor->rooms[i].pid, &own);
		*seconds += own;
	}
	return good;
}

static bool
site_memory_bytes(void *context, uint64_t *bytes)
{
	const struct floor *floor = context;
	bool good = process_memory_bytes((uint64_t)floor->pid, bytes);
	for (uint64_t i = 0; good && floor->kind == FLOOR_PROCESSES && i < floor->room_count; i++) {
		uint64_t own = 0;
		good = process_memory_bytes(floor->rooms[i].pid, &own);
		*bytes += own;
	}
	return good;
}

struct rooms_site
floor_site(struct floor *floor)
{
	return (struct rooms_site){ .open = site_open,
		                        .address = site_address,
		                        .cpu_seconds = site_cpu_seconds,
		                        .memory_bytes = site_memory_bytes,
		                        .context = floor };
}
