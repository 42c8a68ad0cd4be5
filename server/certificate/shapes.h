/* shapes: what the certificate keeps of a scene: circles and walls by ascending id, and which may touch.
 *
 * Immutable after init, but for what rules.h says. Owns its arrays. */
#ifndef COLLIDED_CERTIFICATE_SHAPES_H
#define COLLIDED_CERTIFICATE_SHAPES_H

#include "certificate/certificate.h"
#include "certificate/vec.h"

struct cert_body {
	uint32_t id;
	enum certificate_kind kind;
	double radius, mass, restitution;
	uint32_t category, mask;
	double surface_speed, linear_damping, angular_damping;
	bool resists;            /* rolling */
	struct cert_vec gravity; /* as it feels it */
	enum certificate_response response;
	bool sensor;
	int32_t filter_group;
	uint32_t group;
	uint64_t stop_groups, remove_groups, report_groups;
	uint32_t ignored;
	enum certificate_ignore ignore; /* changes in the course of ticks, as the next four: rules.h */
	uint32_t ticks_left;
	double seconds_left;
	bool lives; /* it has a lifetime */
	bool gone;  /* it ended in a tick before */
};

struct cert_wall {
	uint32_t id;
	uint32_t category, mask;
	bool sensor;
	int32_t filter_group;
	uint32_t group;
	struct cert_vec p1, p2;
	struct cert_vec along; /* unit, p1 to p2 */
	double length;
	double restitution;
	double surface_speed;
	bool resists;
	double radius;
	bool one_sided;
	struct cert_vec v;              /* p1 and p2 are where it is at the tick's start; how it moves in it: wall_motion.h */
	struct cert_vec end_1, end_2;   /* at its end */
	struct cert_vec home_1, home_2; /* at the very first state */
	struct cert_vec moved;          /* since then */
	bool disabled;
	double reach, slop; /* the larger coordinate that it has in the tick, and the rounding that comes of moving */
};

struct cert_shapes {
	struct cert_body *bodies;
	size_t body_count;
	struct cert_wall *walls;
	size_t wall_count;
	uint32_t *moving; /* walls that move, ascending */
	size_t moving_count;
	double speed_max; /* 0: none */
	double restitution_threshold;
	struct certificate_relation *relations;
	size_t relation_count;
	uint16_t related[CERTIFICATE_GROUPS][CERTIFICATE_GROUPS]; /* 1 + the index of the relation of two groups; 0: none */
	uint64_t reported;                                        /* groups that some body reports */
	bool has_bounds;
	double bounds[4];
	double usual_diameter; /* of circles: nine of ten are not wider */
};

static inline bool
cert_wall_moves(const struct cert_wall *wall)
{
	return wall->v.x != 0 || wall->v.y != 0;
}

/* Copies and sorts; the start states go to start_p, start_v and start_spin, which have scene->circle_count elements. False: no
 * memory. */
bool cert_shapes_init(struct cert_shapes *shapes, const struct certificate_scene *scene, struct cert_vec *start_p,
                      struct cert_vec *start_v, double *start_spin);
/* relation.c: cert_shapes_init's part of it. */
bool cert_relations_init(struct cert_shapes *shapes, const struct certificate_scene *scene);
void cert_shapes_finish(struct cert_shapes *shapes);
/* The index of the shape with this id, SIZE_MAX if there is none. */
size_t cert_body_find(const struct cert_shapes *shapes, uint32_t id);
size_t cert_wall_find(const struct cert_shapes *shapes, uint32_t id);
/* Whether the two collide at all: by filter group, category and mask, by the relation of their groups, because one of
 * them is dynamic and none a sensor. */
bool cert_bodies_meet(const struct cert_shapes *shapes, const struct cert_body *a, const struct cert_body *b);
/* The same, and two of which one ignores the other until they are apart: they may have parted in this tick. */
bool cert_bodies_may_meet(const struct cert_shapes *shapes, const struct cert_body *a, const struct cert_body *b);
bool cert_body_meets_wall(const struct cert_shapes *shapes, const struct cert_body *body, const struct cert_wall *wall);
/* Whether the wall stops the body only from the left of its direction (passage.h), by itself or by a relation. */
bool cert_wall_one_sided(const struct cert_shapes *shapes, const struct cert_body *body, const struct cert_wall *wall);
/* Whether b is told what is inside of it, and may be told of a: b is a sensor, or a relation makes the pair one. */
bool cert_body_sees(const struct cert_shapes *shapes, const struct cert_body *b, const struct cert_body *a);
bool cert_wall_sees(const struct cert_shapes *shapes, const struct cert_wall *wall, const struct cert_body *a);
/* Whether shapes of a group may see by a relation, or walls of it by the rules of bodies. */
bool cert_group_senses(const struct cert_shapes *shapes, uint32_t group);
/* What two groups are to each other; NULL: nothing. */
const struct certificate_relation *cert_relation(const struct cert_shapes *shapes, uint32_t group, uint32_t other);
/* Whether weights decide how much each of two dynamic bodies yields. */
bool cert_weighted(const struct cert_shapes *shapes, const struct cert_body *a, const struct cert_body *b);
/* How many times the impulse of its contact with `other` changes the momentum of `body`: 1 unless by weights. Of the change of
 * their relative velocity each takes the other's part of both weights, and the impulse is that of the masses. */
double cert_yield(const struct cert_shapes *shapes, const struct cert_body *body, const struct cert_body *other);
/* physics.h: contact is made this far before the surfaces meet. `reach` is the pair's larger coordinate. */
double cert_skin(double reach, double radius_min);

#endif
