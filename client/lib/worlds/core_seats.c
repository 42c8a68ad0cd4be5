/* Requests of seats and readers of worlds. */
#include "client/lib/borrow.h"
#include "client/lib/core.h"
#include "client/lib/failure.h"

#include <stdlib.h>

uint64_t
collide_core_attach(struct collide_core *core, const struct collide_attachment *attachment, struct collide_error *error)
{
	Collide__V1__Attach attach;
	Collide__V1__ClientMessage message = core_envelope(COLLIDE__V1__CLIENT_MESSAGE__REQUEST_ATTACH);
	collide__v1__attach__init(&attach);
	attach.world = text_borrow(attachment->world);
	attach.epoch = attachment->epoch;
	attach.secret = bytes_borrow(attachment->secret, attachment->secret_bytes);
	attach.right = (Collide__V1__Right)attachment->right;
	attach.label = text_borrow(attachment->label);
	attach.token = bytes_borrow(attachment->token, COLLIDE_SECRET_BYTES);
	attach.outcomes_after = attachment->outcomes_after;
	attach.ids = attachment->ids;
	message.attach = &attach;
	return core_begin(core, &message, NULL, error);
}

uint64_t
collide_core_detach(struct collide_core *core, uint32_t handle, struct collide_error *error)
{
	Collide__V1__Detach detach;
	Collide__V1__ClientMessage message = core_envelope(COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DETACH);
	collide__v1__detach__init(&detach);
	detach.handle = handle;
	message.detach = &detach;
	return core_begin(core, &message, NULL, error);
}

uint64_t
collide_core_step_world(struct collide_core *core, uint32_t handle, const struct collide_step *step,
                        struct collide_error *error)
{
	Collide__V1__StepWorld request;
	Collide__V1__ClientMessage message = core_envelope(COLLIDE__V1__CLIENT_MESSAGE__REQUEST_STEP_WORLD);
	collide__v1__step_world__init(&request);
	request.handle = handle;
	request.ticks = step->ticks;
	if (step->has_expect) {
		request.optional_expect_tick_case = COLLIDE__V1__STEP_WORLD__OPTIONAL_EXPECT_TICK_EXPECT_TICK;
		request.expect_tick = step->expect_tick;
	}
	message.step_world = &request;
	return core_begin(core, &message, NULL, error);
}

struct region_room {
	Collide__V1__Region region;
	Collide__V1__Bounds box;
	Collide__V1__Around around;
};

/* NULL: all. */
static Collide__V1__Region *
region_put(const struct collide_region *from, struct region_room *room)
{
	if (!from || from->kind == COLLIDE_REGION_ALL)
		return NULL;
	collide__v1__region__init(&room->region);
	if (from->kind == COLLIDE_REGION_BOX) {
		collide__v1__bounds__init(&room->box);
		room->box.x_min = from->x_min, room->box.y_min = from->y_min;
		room->box.x_max = from->x_max, room->box.y_max = from->y_max;
		room->region.what_case = COLLIDE__V1__REGION__WHAT_BOX;
		room->region.box = &room->box;
	} else {
		collide__v1__around__init(&room->around);
		room->around.circle = from->circle;
		room->around.radius = from->radius;
		room->region.what_case = COLLIDE__V1__REGION__WHAT_AROUND;
		room->region.around = &room->around;
	}
	return &room->region;
}

uint64_t
core_subscribe(struct collide_core *core, const struct collide_interest *interest, bool coded, struct collide_error *error)
{
	Collide__V1__Subscribe subscribe;
	Collide__V1__SpectatorOf spectator;
	struct region_room region;
	Collide__V1__ClientMessage message = core_envelope(COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SUBSCRIBE);
	collide__v1__subscribe__init(&subscribe);
	if (interest->handle != 0) {
		subscribe.of_case = COLLIDE__V1__SUBSCRIBE__OF_HANDLE;
		subscribe.handle = interest->handle;
	} else {
		collide__v1__spectator_of__init(&spectator);
		spectator.world = text_borrow(interest->world);
		spectator.secret = bytes_borrow(interest->secret, interest->secret_bytes);
		spectator.epoch = interest->epoch;
		subscribe.of_case = COLLIDE__V1__SUBSCRIBE__OF_SPECTATOR;
		subscribe.spectator = &spectator;
	}
	subscribe.stream = interest->stream == COLLIDE_STREAM_DEFAULT ? COLLIDE__V1__STREAM__STREAM_STATES
	                                                              : (Collide__V1__Stream)interest->stream;
	subscribe.every = interest->every;
	subscribe.contacts = interest->contacts;
	subscribe.pair_events = interest->pair_events;
	subscribe.provisional = interest->provisional;
	subscribe.credit = interest->credit;
	subscribe.tolerance = interest->tolerance;
	subscribe.driven_tolerance = interest->driven_tolerance;
	subscribe.bytes_per_second = interest->bytes_per_second;
	subscribe.driven_legs = interest->driven_legs;
	subscribe.after_tick = interest->after_tick;
	subscribe.after_encoding = interest->after_encoding;
	subscribe.coded = coded;
	subscribe.region = region_put(&interest->region, &region);
	if (subscribe.region)
		subscribe.optional_region_case = COLLIDE__V1__SUBSCRIBE__OPTIONAL_REGION_REGION;
	message.subscribe = &subscribe;
	return core_begin(core, &message, NULL, error);
}

uint64_t
collide_core_subscribe(struct collide_core *core, const struct collide_interest *interest, struct collide_error *error)
{
	return core_subscribe(core, interest, false, error);
}

uint64_t
collide_core_steer(struct collide_core *core, uint64_t subscription, const struct collide_region *region, uint32_t every,
                   struct collide_error *error)
{
	Collide__V1__Steer steer;
	struct region_room room;
	Collide__V1__ClientMessage message = core_envelope(COLLIDE__V1__CLIENT_MESSAGE__REQUEST_STEER);
	collide__v1__steer__init(&steer);
	steer.subscription = subscription;
	steer.every = every;
	steer.region = region_put(region, &room);
	if (steer.region)
		steer.optional_region_case = COLLIDE__V1__STEER__OPTIONAL_REGION_REGION;
	message.steer = &steer;
	return core_begin(core, &message, NULL, error);
}

uint64_t
collide_core_commands(struct collide_core *core, const struct collide_numbers *numbers, const struct collide_batch *batch,
                      bool ask, struct collide_error *error)
{
	struct batch_bytes *packed = batch_pack(batch, error);
	if (!packed)
		return 0;
	const struct batch_place place = { .numbers = *numbers, .batch = packed };
	uint64_t request_id = core_batches(core, &place, 1, ask, error);
	free(packed);
	return request_id;
}

bool
collide_core_credit(struct collide_core *core, uint64_t subscription, uint32_t updates, struct collide_error *error)
{
	Collide__V1__Credit credit;
	Collide__V1__ClientMessage message = core_envelope(COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CREDIT);
	collide__v1__credit__init(&credit);
	credit.subscription = subscription;
	credit.updates = updates;
	message.credit = &credit;
	return core_tell(core, &message, error);
}
