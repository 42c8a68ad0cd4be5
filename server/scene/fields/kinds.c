#include "scene/fields/kinds.h"

#include "base/check.h"

#include <assert.h>

/* Flags are bits on both sides, and the same ones. */
static_assert((int)CONTACT_RESTING == (int)COLLIDE__V1__CONTACT_FLAG__CONTACT_FLAG_RESTING, "contact flags");
static_assert((int)CONTACT_SECONDARY == (int)COLLIDE__V1__CONTACT_FLAG__CONTACT_FLAG_SECONDARY, "contact flags");
static_assert((int)CONTACT_BY_MASS == (int)COLLIDE__V1__CONTACT_FLAG__CONTACT_FLAG_BY_MASS, "contact flags");
static_assert((int)CONTACT_A_STOPPED == (int)COLLIDE__V1__CONTACT_FLAG__CONTACT_FLAG_A_STOPPED, "contact flags");
static_assert((int)CONTACT_B_STOPPED == (int)COLLIDE__V1__CONTACT_FLAG__CONTACT_FLAG_B_STOPPED, "contact flags");
static_assert((int)BODY_FLAG_BUDGET == (int)COLLIDE__V1__BODY_FLAG__BODY_FLAG_BUDGET, "body flags");
static_assert((int)BODY_FLAG_INITIAL_OVERLAP == (int)COLLIDE__V1__BODY_FLAG__BODY_FLAG_INITIAL_OVERLAP, "body flags");
static_assert((int)BODY_FLAG_CRUSHED == (int)COLLIDE__V1__BODY_FLAG__BODY_FLAG_CRUSHED, "body flags");
static_assert((int)BODY_FLAG_FAST == (int)COLLIDE__V1__BODY_FLAG__BODY_FLAG_FAST, "body flags");

bool
kind_body(Collide__V1__BodyKind wire, enum body_kind *out)
{
	switch (wire) {
	case COLLIDE__V1__BODY_KIND__BODY_KIND_UNSPECIFIED:
	case COLLIDE__V1__BODY_KIND__BODY_KIND_DYNAMIC: *out = BODY_DYNAMIC; return true;
	case COLLIDE__V1__BODY_KIND__BODY_KIND_KINEMATIC: *out = BODY_KINEMATIC; return true;
	case COLLIDE__V1__BODY_KIND__BODY_KIND_STATIC: *out = BODY_STATIC; return true;
	default: return false;
	}
}

bool
kind_response(Collide__V1__MovementResponse wire, enum movement_response *out)
{
	switch (wire) {
	case COLLIDE__V1__MOVEMENT_RESPONSE__MOVEMENT_RESPONSE_UNSPECIFIED:
	case COLLIDE__V1__MOVEMENT_RESPONSE__MOVEMENT_RESPONSE_BOUNCE: *out = RESPONSE_BOUNCE; return true;
	case COLLIDE__V1__MOVEMENT_RESPONSE__MOVEMENT_RESPONSE_SLIDE: *out = RESPONSE_SLIDE; return true;
	case COLLIDE__V1__MOVEMENT_RESPONSE__MOVEMENT_RESPONSE_STOP: *out = RESPONSE_STOP; return true;
	default: return false;
	}
}

bool
kind_ignore(Collide__V1__Ignore wire, enum ignore *out)
{
	switch (wire) {
	case COLLIDE__V1__IGNORE__IGNORE_UNSPECIFIED:
	case COLLIDE__V1__IGNORE__IGNORE_NONE: *out = IGNORE_NONE; return true;
	case COLLIDE__V1__IGNORE__IGNORE_ALWAYS: *out = IGNORE_ALWAYS; return true;
	case COLLIDE__V1__IGNORE__IGNORE_UNTIL_APART: *out = IGNORE_UNTIL_APART; return true;
	default: return false;
	}
}

bool
kind_restitution_mix(Collide__V1__RestitutionMix wire, enum restitution_mix *out)
{
	switch (wire) {
	case COLLIDE__V1__RESTITUTION_MIX__RESTITUTION_MIX_UNSPECIFIED:
	case COLLIDE__V1__RESTITUTION_MIX__RESTITUTION_MIX_MAX: *out = RESTITUTION_MIX_MAX; return true;
	case COLLIDE__V1__RESTITUTION_MIX__RESTITUTION_MIX_MIN: *out = RESTITUTION_MIX_MIN; return true;
	case COLLIDE__V1__RESTITUTION_MIX__RESTITUTION_MIX_PRODUCT: *out = RESTITUTION_MIX_PRODUCT; return true;
	case COLLIDE__V1__RESTITUTION_MIX__RESTITUTION_MIX_MEAN: *out = RESTITUTION_MIX_MEAN; return true;
	default: return false;
	}
}

bool
kind_friction_mix(Collide__V1__FrictionMix wire, enum friction_mix *out)
{
	switch (wire) {
	case COLLIDE__V1__FRICTION_MIX__FRICTION_MIX_UNSPECIFIED:
	case COLLIDE__V1__FRICTION_MIX__FRICTION_MIX_GEOMETRIC: *out = FRICTION_MIX_GEOMETRIC; return true;
	case COLLIDE__V1__FRICTION_MIX__FRICTION_MIX_MAX: *out = FRICTION_MIX_MAX; return true;
	case COLLIDE__V1__FRICTION_MIX__FRICTION_MIX_MIN: *out = FRICTION_MIX_MIN; return true;
	case COLLIDE__V1__FRICTION_MIX__FRICTION_MIX_PRODUCT: *out = FRICTION_MIX_PRODUCT; return true;
	case COLLIDE__V1__FRICTION_MIX__FRICTION_MIX_MEAN: *out = FRICTION_MIX_MEAN; return true;
	default: return false;
	}
}

bool
kind_relation(Collide__V1__RelationKind wire, enum relation_kind *out)
{
	switch (wire) {
	case COLLIDE__V1__RELATION_KIND__RELATION_KIND_UNSPECIFIED:
	case COLLIDE__V1__RELATION_KIND__RELATION_KIND_BOUNCE: *out = RELATION_KIND_BOUNCE; return true;
	case COLLIDE__V1__RELATION_KIND__RELATION_KIND_NONE: *out = RELATION_KIND_NONE; return true;
	case COLLIDE__V1__RELATION_KIND__RELATION_KIND_SENSOR: *out = RELATION_KIND_SENSOR; return true;
	case COLLIDE__V1__RELATION_KIND__RELATION_KIND_MOVE: *out = RELATION_KIND_MOVE; return true;
	case COLLIDE__V1__RELATION_KIND__RELATION_KIND_ONE_SIDED: *out = RELATION_KIND_ONE_SIDED; return true;
	default: return false;
	}
}

bool
kind_detail(Collide__V1__Detail wire, bool *contacts)
{
	switch (wire) {
	case COLLIDE__V1__DETAIL__DETAIL_UNSPECIFIED:
	case COLLIDE__V1__DETAIL__DETAIL_CONTACTS: *contacts = true; return true;
	case COLLIDE__V1__DETAIL__DETAIL_STATES: *contacts = false; return true;
	default: return false;
	}
}

bool
kind_events(Collide__V1__Events wire, unsigned *out)
{
	switch (wire) {
	case COLLIDE__V1__EVENTS__EVENTS_UNSPECIFIED:
	case COLLIDE__V1__EVENTS__EVENTS_NONE: *out = 0; return true;
	case COLLIDE__V1__EVENTS__EVENTS_TOUCHES: *out = WORLD_EVENTS_TOUCH; return true;
	case COLLIDE__V1__EVENTS__EVENTS_PERSIST: *out = WORLD_EVENTS_PERSIST; return true;
	default: return false;
	}
}

static uint8_t
feature_number(uint8_t other, uint8_t feature)
{
	if (other == CONTACT_CIRCLE)
		return COLLIDE__V1__FEATURE__FEATURE_CIRCLE;
	switch ((enum contact_feature)feature) {
	case FEATURE_END_1: return COLLIDE__V1__FEATURE__FEATURE_SEGMENT_END_1;
	case FEATURE_END_2: return COLLIDE__V1__FEATURE__FEATURE_SEGMENT_END_2;
	case FEATURE_FACE: break;
	}
	return COLLIDE__V1__FEATURE__FEATURE_SEGMENT_FACE;
}

uint8_t
kind_contact_feature(const struct contact *contact)
{
	return feature_number(contact->other, contact->feature);
}

uint8_t
kind_pair_event_feature(const struct pair_event *event)
{
	return feature_number(event->other, event->feature);
}

uint8_t
kind_pair_event(const struct pair_event *event)
{
	switch ((enum pair_event_kind)event->kind) {
	case PAIR_EVENT_BEGIN: return COLLIDE__V1__PAIR_EVENT_KIND__PAIR_EVENT_KIND_BEGIN;
	case PAIR_EVENT_HIT: return COLLIDE__V1__PAIR_EVENT_KIND__PAIR_EVENT_KIND_HIT;
	case PAIR_EVENT_PERSIST: return COLLIDE__V1__PAIR_EVENT_KIND__PAIR_EVENT_KIND_PERSIST;
	case PAIR_EVENT_END: return COLLIDE__V1__PAIR_EVENT_KIND__PAIR_EVENT_KIND_END;
	case PAIR_EVENT_ENTER: return COLLIDE__V1__PAIR_EVENT_KIND__PAIR_EVENT_KIND_ENTER;
	case PAIR_EVENT_EXIT: return COLLIDE__V1__PAIR_EVENT_KIND__PAIR_EVENT_KIND_EXIT;
	}
	return COLLIDE__V1__PAIR_EVENT_KIND__PAIR_EVENT_KIND_UNSPECIFIED;
}

uint8_t
kind_contact_flags(const struct contact *contact)
{
	return contact->flags;
}

uint8_t
kind_path_change(const struct path_change *change)
{
	switch ((enum path_change_kind)change->kind) {
	case PATH_PUSHED: return COLLIDE__V1__PATH_KIND__PATH_KIND_PUSHED;
	case PATH_SUPPORTED: return COLLIDE__V1__PATH_KIND__PATH_KIND_SUPPORTED;
	case PATH_FREE: return COLLIDE__V1__PATH_KIND__PATH_KIND_FREE;
	case PATH_PARKED: return COLLIDE__V1__PATH_KIND__PATH_KIND_PARKED;
	case PATH_CRUSHED: return COLLIDE__V1__PATH_KIND__PATH_KIND_CRUSHED;
	case PATH_LED: return COLLIDE__V1__PATH_KIND__PATH_KIND_LED;
	case PATH_RELEASED: return COLLIDE__V1__PATH_KIND__PATH_KIND_RELEASED;
	case PATH_ASLEEP: return COLLIDE__V1__PATH_KIND__PATH_KIND_ASLEEP;
	case PATH_WOKEN: return COLLIDE__V1__PATH_KIND__PATH_KIND_WOKEN;
	case PATH_KICKED: return COLLIDE__V1__PATH_KIND__PATH_KIND_KICKED;
	case PATH_STOPPED: return COLLIDE__V1__PATH_KIND__PATH_KIND_STOPPED;
	}
	return COLLIDE__V1__PATH_KIND__PATH_KIND_UNSPECIFIED;
}

uint8_t
kind_end(const struct body_end *end)
{
	switch ((enum end_reason)end->reason) {
	case END_CONTACT: return COLLIDE__V1__END_REASON__END_REASON_CONTACT;
	case END_LIFETIME: return COLLIDE__V1__END_REASON__END_REASON_LIFETIME;
	case END_BOUNDS: return COLLIDE__V1__END_REASON__END_REASON_BOUNDS;
	}
	return COLLIDE__V1__END_REASON__END_REASON_UNSPECIFIED;
}

uint8_t
kind_shortfall(const struct shortfall *shortfall)
{
	CHECK(shortfall->flag <= UINT8_MAX);
	return (uint8_t)shortfall->flag;
}
