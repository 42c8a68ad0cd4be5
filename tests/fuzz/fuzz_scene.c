/* A Simulate from its bytes to a world and 20 ticks of it, with the certificate as assertion. No centre of a circle crosses a
 * wall, and no pair overlaps beyond LEAK_RADII, and rounding. Frames come tick by tick. A request that is refused is told which
 * field is wrong. The rest of what the certificate looks at is left to `./dev search`, which judges with excuses. */
#include "fuzz/fuzz_target.h"
#include "fuzz/message_mutator.h"

#include "base/check.h"
#include "base/pause.h"
#include "client/cli/check/audit.h"
#include "client/lib/merge.h"
#include "proto/frame.h"
#include "scene/run/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TICKS = 20, SHAPES_MAX = 24, QUESTIONS_MAX = 20000 };
#define ARENA_BYTES ((size_t)1 << 20)
/* Depth in radii of the smaller circle: far above rounding, far below what could be seen. */
static const double LEAK_RADII = 1e-6;
/* Of coordinates, and of the way of a tick: what rounding adds to a place. */
static const double ROUNDING = 0x1p-50;

struct run {
	struct audit *audit;
	struct merge *merge;
	uint64_t tick;
	double reach;        /* the farthest that a coordinate was, and that a tick's way could have been */
	double radius_least; /* of a circle */
};

static bool
never_stop(void *context)
{
	(void)context;
	return false;
}

/* After so many questions whether to go on the run is given up: some made-up worlds are squeezed for ever. */
static bool
stop_at_last(void *context)
{
	unsigned *asked = context;
	return ++*asked > QUESTIONS_MAX;
}

static void
problem_check(const struct wire_problem *problem, enum status status)
{
	CHECK(problem->status == status && status != STATUS_OK && problem->reason && problem->reason[0] != '\0');
	CHECK(problem->text[0] != '\0' && memchr(problem->field, '\0', sizeof problem->field));
	if (status == STATUS_INVALID_ARGUMENT)
		CHECK(strncmp(problem->field, "simulate", 8) == 0);
}

static void
certificate_check(const struct run *run)
{
	const struct certificate_report *report = audit_report(run->audit);
	if (report->escapes == 0 && report->largest_overlap_radii <= LEAK_RADII + ROUNDING * run->reach / run->radius_least)
		return;
	(void)fprintf(stderr, "%llu escapes, an overlap of %g radii: %s\n", (unsigned long long)report->escapes,
	              report->largest_overlap_radii, report->first_problem);
	abort();
}

/* A tick's way with the speed at its end, and with gravity's. */
static void
run_reach(struct run *run, const struct collide_bodies *bodies, const Collide__V1__Simulate *request)
{
	double dt = request->dt, fall = dt * dt * (fabs(request->scene->gravity_x) + fabs(request->scene->gravity_y));
	for (size_t i = 0; i < bodies->count; i++)
		run->reach = fmax(run->reach, fmax(fabs(bodies->x[i]), fabs(bodies->y[i])) + fall +
		                                  dt * (fabs(bodies->vx[i]) + fabs(bodies->vy[i])));
}

static double
radius_least(const Collide__V1__Scene *scene)
{
	bool columns = scene->optional_circle_columns_case == COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
	double least = (double)INFINITY;
	for (size_t i = 0; i < scene->n_circles; i++)
		least = fmin(least, scene->circles[i]->radius);
	for (size_t i = 0; columns && i < scene->circle_columns->n_radius; i++)
		least = fmin(least, scene->circle_columns->radius[i]);
	return least;
}

static void
replies_check(struct run *run, const struct buffer *out, const Collide__V1__Simulate *request)
{
	size_t at = 0, header;
	uint32_t body;
	while (at < out->count) {
		CHECK(frame_header_read(out->bytes + at, out->count - at, UINT32_MAX, &header, &body) == FRAME_OK);
		Collide__V1__ServerMessage *reply = collide__v1__server_message__unpack(NULL, body, out->bytes + at + header);
		CHECK(reply && reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_FRAME);
		enum merge_result result = merge_add(run->merge, reply->frame);
		CHECK(result == MERGE_WHOLE || result == MERGE_MORE);
		if (result == MERGE_WHOLE) {
			const struct collide_frame *frame = merge_frame(run->merge);
			CHECK(frame->tick == ++run->tick && audit_frame(run->audit, frame));
			run_reach(run, &frame->bodies, request);
		}
		collide__v1__server_message__free_unpacked(reply, NULL);
		at += header + body;
	}
}

static void
simulation_check(struct simulation *simulation, const Collide__V1__Simulate *request)
{
	enum simulation_progress progress = SIMULATION_MORE;
	struct wire_problem problem;
	struct buffer out;
	char error[400];
	unsigned asked = 0;
	struct pause before;
	struct run run = { .audit = audit_create(request->scene, request->dt, (enum collide_events)request->events, error,
		                                     sizeof error),
		               .merge = merge_create((size_t)1 << 24),
		               .radius_least = radius_least(request->scene) };
	CHECK(run.audit && run.merge);
	buffer_init(&out);
	pause_begin(&before, stop_at_last, &asked);
	while (progress == SIMULATION_MORE)
		progress = simulation_run(simulation, 1 << 16, never_stop, NULL, &out, &problem);
	pause_end(&before);
	if (progress == SIMULATION_FAILED)
		CHECK(problem.status == STATUS_RESOURCE_EXHAUSTED || problem.status == STATUS_CANCELLED);
	replies_check(&run, &out, request);
	CHECK(progress == SIMULATION_FAILED || run.tick == request->ticks);
	certificate_check(&run);
	buffer_finish(&out);
	merge_destroy(run.merge);
	audit_destroy(run.audit);
}

static void
request_run(struct arena *arena, Collide__V1__Simulate *request, const struct scene_limits *limits)
{
	struct simulation *simulation = NULL;
	struct wire_problem problem;
	request->ticks = request->ticks < TICKS ? request->ticks : TICKS;
	request->every = 1;
	request->detail = COLLIDE__V1__DETAIL__DETAIL_UNSPECIFIED;
	request->snapshot_every = 0;
	request->paths = request->self_check = false;
	if (request->optional_scene_case != COLLIDE__V1__SIMULATE__OPTIONAL_SCENE_SCENE)
		return;
	enum status status = simulation_create(request, limits, NULL, 1, arena, &simulation, &problem);
	if (status == STATUS_OK)
		simulation_check(simulation, request);
	else
		problem_check(&problem, status);
	simulation_destroy(simulation);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct scene_limits limits = scene_limits_default();
	const ProtobufCMessage *message = NULL;
	struct wire_problem problem;
	struct arena arena;
	limits.circles_max = limits.segments_max = limits.hand_written_max = SHAPES_MAX;
	limits.events_per_body_max = 40;
	limits.work_per_tick_max = limits.work_per_body_max = 200000;
	limits.contacts_per_tick_max = 10000;
	limits.memory_bytes_max = 64 << 20;
	const struct wire_limits wire_limits = scene_limits_wire(&limits);
	arena_init(&arena, ARENA_BYTES);
	enum status status = wire_message_unpack(&arena, &collide__v1__simulate__descriptor, &wire_limits, "simulate", bytes, count,
	                                         &message, &problem);
	if (status == STATUS_OK) {
		Collide__V1__Simulate request;
		memcpy(&request, message, sizeof request);
		request_run(&arena, &request, &limits);
	} else {
		CHECK(problem.text[0] != '\0' && problem.status == status);
	}
	arena_finish(&arena);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *bytes, size_t count, size_t count_max, unsigned mutation)
{
	uint64_t seed = mutation;
	return message_mutate(&collide__v1__simulate__descriptor, bytes, count, count_max, &seed);
}
