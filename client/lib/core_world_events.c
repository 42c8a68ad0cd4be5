/* Replies about worlds that live on the server. */
#include "client/lib/core_state.h"
#include "client/lib/failure.h"

static bool
event_no_memory(struct collide_core *core, struct collide_event *event)
{
	failure_memory(&core->error);
	return event_failed(core, event);
}

static bool
event_map_info(struct collide_core *core, struct pending *pending, struct collide_event *event)
{
	(void)pending;
	map_info_copy(&core->world.map, core->message->map_info);
	event->kind = COLLIDE_EVENT_MAP_INFO;
	event->as.map_info = &core->world.map;
	return true;
}

static bool
event_world_info(struct collide_core *core, struct pending *pending, struct collide_event *event)
{
	(void)pending;
	world_info_copy(&core->world.info, core->message->world_info);
	event->kind = COLLIDE_EVENT_WORLD_INFO;
	event->as.world_info = &core->world.info;
	return true;
}

static bool
event_worlds(struct collide_core *core, struct pending *pending, struct collide_event *event)
{
	(void)pending;
	if (!world_view_worlds(&core->world, core->message->worlds))
		return event_no_memory(core, event);
	event->kind = COLLIDE_EVENT_WORLDS;
	event->as.worlds = &core->world.worlds;
	return true;
}

static bool
event_attached(struct collide_core *core, struct pending *pending, struct collide_event *event)
{
	(void)pending;
	if (!attached_copy(&core->world.attached, core->message->attached))
		return event_malformed(core, event, "a token has another length than 16");
	event->kind = COLLIDE_EVENT_ATTACHED;
	event->as.attached = &core->world.attached;
	return true;
}

static bool
event_acks(struct collide_core *core, struct pending *pending, struct collide_event *event)
{
	(void)pending;
	if (!world_view_acks(&core->world, core->message->acks))
		return event_no_memory(core, event);
	event->kind = COLLIDE_EVENT_ACKS;
	event->as.acks = &core->world.acks;
	return true;
}

static bool
event_end(struct collide_core *core, enum collide_event_kind kind, uint64_t tick, const char *reason,
          struct collide_event *event)
{
	core->world.detached = (struct collide_detached){ .tick = tick };
	failure_copy_text(core->world.detached.reason, sizeof core->world.detached.reason, reason);
	event->kind = kind;
	event->as.detached = &core->world.detached;
	return true;
}

static bool
event_detached(struct collide_core *core, struct pending *pending, struct collide_event *event)
{
	const Collide__V1__Detached *detached = core->message->detached;
	(void)pending;
	(void)event_end(core, COLLIDE_EVENT_DETACHED, detached->tick, detached->reason, event);
	core->world.detached.hash = detached->hash;
	return true;
}

static bool
event_detach_done(struct collide_core *core, struct pending *pending, struct collide_event *event)
{
	(void)pending;
	event->kind = COLLIDE_EVENT_DETACH_DONE;
	event->as.found = core->message->detach_done->found != 0;
	return true;
}

static bool
event_commands_done(struct collide_core *core, struct pending *pending, struct collide_event *event)
{
	const Collide__V1__CommandsDone *done = core->message->commands_done;
	(void)pending;
	core->world.commands_done = (struct collide_commands_done){ .margin_ns = done->margin_ns };
	if (done->optional_outcome_case == COLLIDE__V1__COMMANDS_DONE__OPTIONAL_OUTCOME_OUTCOME)
		outcome_copy(&core->world.commands_done.outcome, done->outcome);
	event->kind = COLLIDE_EVENT_COMMANDS_DONE;
	event->as.commands_done = &core->world.commands_done;
	return true;
}

static bool
event_stepped(struct collide_core *core, struct pending *pending, struct collide_event *event)
{
	const Collide__V1__Stepped *stepped = core->message->stepped;
	(void)pending;
	core->world.stepped = (struct collide_stepped){ .tick = stepped->tick, .hash = stepped->hash };
	event->kind = COLLIDE_EVENT_STEPPED;
	event->as.stepped = &core->world.stepped;
	return true;
}

static bool
event_world_update(struct collide_core *core, struct pending *pending, struct collide_event *event)
{
	const Collide__V1__WorldUpdate *part = core->message->world_update;
	if (pending->follow.take && !pending->follow.take(pending->follow.context, part, &core->error))
		return event_failed(core, event);
	enum merge_result result = update_join_add(pending->update, &core->message);
	if (event_of_part(core, result, "world update", event))
		return true;
	event->kind = COLLIDE_EVENT_WORLD_UPDATE;
	event->as.world_update = update_join_update(pending->update);
	return result == MERGE_WHOLE;
}

static bool
event_steered(struct collide_core *core, struct pending *pending, struct collide_event *event)
{
	const Collide__V1__Steered *steered = core->message->steered;
	const Collide__V1__Region *region = steered->region;
	struct collide_region *out = &core->world.steered.region;
	(void)pending;
	core->world.steered = (struct collide_steered){ .every = steered->every };
	if (steered->optional_region_case == COLLIDE__V1__STEERED__OPTIONAL_REGION_REGION &&
	    region->what_case == COLLIDE__V1__REGION__WHAT_BOX) {
		out->kind = COLLIDE_REGION_BOX;
		out->x_min = region->box->x_min, out->y_min = region->box->y_min;
		out->x_max = region->box->x_max, out->y_max = region->box->y_max;
	} else if (steered->optional_region_case == COLLIDE__V1__STEERED__OPTIONAL_REGION_REGION &&
	           region->what_case == COLLIDE__V1__REGION__WHAT_AROUND) {
		out->kind = COLLIDE_REGION_AROUND;
		out->circle = region->around->circle;
		out->radius = region->around->radius;
	}
	event->kind = COLLIDE_EVENT_STEERED;
	event->as.steered = &core->world.steered;
	return true;
}

static bool
event_recorded(struct collide_core *core, struct pending *pending, struct collide_event *event)
{
	(void)pending;
	recorded_copy(&core->world.recorded, core->message->recorded);
	event->kind = COLLIDE_EVENT_RECORDED;
	event->as.recorded = &core->world.recorded;
	return true;
}

static bool
event_map_segments(struct collide_core *core, struct pending *pending, struct collide_event *event)
{
	if (!map_segments_view(core->message->map_segments, &core->world.map_segments))
		return event_malformed(core, event, "the columns of a map do not fit together");
	event->kind = COLLIDE_EVENT_MAP_SEGMENTS;
	event->as.map_segments = &core->world.map_segments;
	if (!core->world.map_segments.more)
		pending_finish(core, pending);
	return true;
}

static bool
event_unsubscribed(struct collide_core *core, struct pending *pending, struct collide_event *event)
{
	const Collide__V1__Unsubscribed *unsubscribed = core->message->unsubscribed;
	if (update_join_is_partial(pending->update))
		return event_malformed(core, event, "a subscription ended within an update");
	return event_end(core, COLLIDE_EVENT_UNSUBSCRIBED, unsubscribed->tick, unsubscribed->reason, event);
}

static const struct reply_kind REPLIES[] = {
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_MAP_INFO] = { REQUEST_BIT(CREATE_MAP) | REQUEST_BIT(DROP_MAP), false, event_map_info },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_INFO] = { REQUEST_BIT(CREATE_WORLD) | REQUEST_BIT(DESTROY_WORLD) |
	                                                        REQUEST_BIT(SET_WORLD) | REQUEST_BIT(RESTORE_WORLD) |
	                                                        REQUEST_BIT(FORK_WORLD),
	                                                    false, event_world_info },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLDS] = { REQUEST_BIT(LIST_WORLDS), false, event_worlds },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_ATTACHED] = { REQUEST_BIT(ATTACH), true, event_attached },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_ACKS] = { REQUEST_BIT(ATTACH), true, event_acks },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_DETACHED] = { REQUEST_BIT(ATTACH), false, event_detached },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_DETACH_DONE] = { REQUEST_BIT(DETACH), false, event_detach_done },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_COMMANDS_DONE] = { REQUEST_BIT(COMMANDS), false, event_commands_done },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_STEPPED] = { REQUEST_BIT(STEP_WORLD), false, event_stepped },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE] = { REQUEST_BIT(SUBSCRIBE), true, event_world_update },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_STEERED] = { REQUEST_BIT(STEER), false, event_steered },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_RECORDED] = { REQUEST_BIT(RECORD) | REQUEST_BIT(END_RECORD), false, event_recorded },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_MAP_SEGMENTS] = { REQUEST_BIT(GET_MAP), true, event_map_segments },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_UNSUBSCRIBED] = { REQUEST_BIT(SUBSCRIBE), false, event_unsubscribed },
};

const struct reply_kind *
world_reply_find(Collide__V1__ServerMessage__ReplyCase reply)
{
	size_t number = (size_t)reply;
	return number < sizeof REPLIES / sizeof REPLIES[0] && REPLIES[number].event ? &REPLIES[number] : NULL;
}
