/* kinds: enums of the wire and of the engine, into each other. Numbers that the wire's enums do not name are refused.
 *
 * Any thread. */
#ifndef COLLIDED_SCENE_FIELDS_KINDS_H
#define COLLIDED_SCENE_FIELDS_KINDS_H

#include "physics/physics.h"
#include "wire/wire.h"

/* false: the number has no name. */
bool kind_body(Collide__V1__BodyKind wire, enum body_kind *out);
bool kind_response(Collide__V1__MovementResponse wire, enum movement_response *out);
bool kind_ignore(Collide__V1__Ignore wire, enum ignore *out);
bool kind_restitution_mix(Collide__V1__RestitutionMix wire, enum restitution_mix *out);
bool kind_relation(Collide__V1__RelationKind wire, enum relation_kind *out);
bool kind_friction_mix(Collide__V1__FrictionMix wire, enum friction_mix *out);
/* Whether contacts and path changes are wanted. */
bool kind_detail(Collide__V1__Detail wire, bool *contacts);

/* As bits of enum world_event. */
bool kind_events(Collide__V1__Events wire, unsigned *out);

uint8_t kind_contact_feature(const struct contact *contact);
uint8_t kind_pair_event(const struct pair_event *event);
uint8_t kind_pair_event_feature(const struct pair_event *event);
uint8_t kind_contact_flags(const struct contact *contact);
uint8_t kind_path_change(const struct path_change *change);
uint8_t kind_end(const struct body_end *end);
uint8_t kind_shortfall(const struct shortfall *shortfall);

#endif
