#include "client/lib/done.h"

static struct collide_cost
cost_of(const Collide__V1__Cost *cost)
{
	if (!cost)
		return (struct collide_cost){ 0 };
	return (struct collide_cost){
		.read_seconds = cost->read_seconds,
		.world_seconds = cost->world_seconds,
		.reply_seconds = cost->reply_seconds,
		.looks = cost->looks,
		.foreseen = cost->foreseen,
		.transfers = cost->transfers,
		.sweeps = cost->sweeps,
		.work = cost->work,
		.work_share_max = cost->work_share_max,
		.shared_ticks = cost->shared_ticks,
		.repeated_ticks = cost->repeated_ticks,
		.timed_ticks = cost->timed_ticks,
		.begin_seconds = cost->begin_seconds,
		.rest_seconds = cost->rest_seconds,
		.predict_seconds = cost->predict_seconds,
		.event_seconds = cost->event_seconds,
		.strip_seconds = cost->strip_seconds,
		.end_seconds = cost->end_seconds,
	};
}

struct collide_done
done_of(const Collide__V1__SimulateDone *done)
{
	return (struct collide_done){
		.ticks = done->ticks,
		.events = done->events,
		.collisions = done->collisions,
		.clusters = done->clusters,
		.clips = done->clips,
		.shortfalls = done->shortfalls,
		.hash = done->hash,
		.engine_seconds = done->engine_seconds,
		.worker_seconds = done->worker_seconds,
		.waiting_seconds = done->waiting_seconds,
		.start_tick = done->start_tick,
		.cost = cost_of(done->optional_cost_case == COLLIDE__V1__SIMULATE_DONE__OPTIONAL_COST_COST ? done->cost : NULL),
	};
}
