/* Simulate as work of a request: created, run slice by slice with its frames, released. */
#include "session/request_work.h"

#include "scene/run/simulation.h"
#include "session/request.h"
#include "session/stream_chunk.h"

#define NS_PER_S 1e9

enum status
work_simulate_create(struct request *request, const Collide__V1__ClientMessage *message, struct arena *arena)
{
	struct simulation *simulation = NULL;
	enum status status = simulation_create(message->simulate, &request->service->limits.scene, request->service->maps,
	                                       request->id, arena, &simulation, &request->problem);
	request->work = simulation;
	return status;
}

static double
seconds(uint64_t ns)
{
	return (double)ns / NS_PER_S;
}

/* One slice, or up to the next chunk. */
static void
simulate_slice(struct request *request)
{
	request_slice_begin(request);
	enum simulation_progress progress = simulation_run(request->work, stream_chunk_room(request), request_slice_should_stop,
	                                                   request, &request->out, &request->problem);
	uint64_t now_ns = request->service->now_ns();
	/* A tick given up fails as the cancel or the deadline that it was given up for. */
	request_slice_end(request, progress == SIMULATION_FAILED, now_ns);
	if (!request->finished && progress == SIMULATION_DONE) {
		uint64_t worker_ns = request->worker_ns + (now_ns - request->begin_ns);
		const struct simulation_times times = {
			.read = seconds(request->read_ns),
			.world = seconds(request->create_ns),
			.worker = seconds(worker_ns),
			.waiting = seconds(now_ns - request->arrived_ns - worker_ns),
		};
		simulation_done_append(request->work, &times, &request->out);
		request->finished = true;
	}
}

static struct workspace *
workspace_take(const struct workspaces *workspaces)
{
	struct ledger *own = memory_enter_common();
	struct workspace *workspace = workspaces->take ? workspaces->take(workspaces->context) : NULL;
	(void)memory_enter(own);
	return workspace;
}

/* In a workspace, which is warm from another request's slice. */
void
work_simulate_run(struct request *request)
{
	const struct workspaces *workspaces = &request->service->workspaces;
	struct workspace *workspace = workspace_take(workspaces);
	size_t workspace_bytes = workspace ? workspace_memory_bytes(workspace) : 0;
	struct simulation *simulation = request->work;
	simulation_workspace_set(simulation, workspace);
	simulation_workers_set(simulation, &request->service->workers);
	simulation_clock_set(simulation, request->service->now_ns);
	do {
		simulate_slice(request);
	} while (!request->finished && stream_chunk_hand_over(request));
	if (request->finished)
		request_drop_work(request); /* before the workspace, which holds its last report */
	else
		simulation_workspace_set(simulation, NULL);
	if (workspace) {
		/* It has grown for the next, too. */
		ledger_disown(&request->ledger, (int64_t)workspace_memory_bytes(workspace) - (int64_t)workspace_bytes);
		struct ledger *own = memory_enter_common();
		workspaces->give(workspaces->context, workspace);
		(void)memory_enter(own);
	}
}

void
work_simulate_release(void *simulation)
{
	simulation_destroy(simulation);
}

size_t
work_simulate_memory_bytes(const void *simulation)
{
	return simulation_memory_bytes(simulation);
}
