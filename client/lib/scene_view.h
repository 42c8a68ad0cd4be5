/* scene_view: a received Scene as the structs of collide.h, which point into it: the way back of request_append.
 *
 * Any thread; owns nothing. */
#ifndef COLLIDE_CLIENT_LIB_SCENE_VIEW_H
#define COLLIDE_CLIENT_LIB_SCENE_VIEW_H

#include "client/lib/collide.h"
#include "collide/v1/collide.pb-c.h"

enum scene_view_result { SCENE_VIEWED, SCENE_MALFORMED, SCENE_NO_MEMORY };

/* What a server tells. false: columns of unequal length, neither empty nor of one element; or rows without an id each, as a
 * number alone would say that there is any number of them. */
bool circles_told(const Collide__V1__CircleColumns *from, struct collide_circles *to);
bool segments_told(const Collide__V1__SegmentColumns *from, struct collide_segments *to);
/* A scene in columns that a server tells. *bounds is filled if there are any; *relations is made, NULL if there are none, and
 * the caller's to free. */
enum scene_view_result scene_view(const Collide__V1__Scene *from, struct collide_scene *to, struct collide_bounds *bounds,
                                  struct collide_group_relation **relations);

#endif
