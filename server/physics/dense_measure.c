#include "physics/dense_state.h"

#include <math.h>

/* A circle's nearest way to something. */
struct nearest {
	double nx, ny, distance;
	uint8_t kind; /* PAIR_CONTACT: if near enough; PAIR_FAR: another segment of the joint stands between, the pair is only
	                 certified; PAIR_EVENT: it passes a one-sided segment */
};

static struct nearest
nearest_to_point(double dx, double dy)
{
	double distance = sqrt(dx * dx + dy * dy);

	if (distance > 0.0) {
		double inverse = 1.0 / distance;

		return (struct nearest){ dx * inverse, dy * inverse, distance, PAIR_CONTACT };
	}
	return (struct nearest){ 0.0, 1.0, 0.0, PAIR_CONTACT };
}

/* A circle beside the end of a segment that it has a pair with. */
struct beside {
	uint32_t body, segment;
	bool sided;    /* that stops it from the left only */
	double x, y;   /* its centre */
	double dx, dy; /* from the end */
	double ux, uy; /* from the end along the segment */
};

/* Over another segment of a joint, which leaves it along (sx, sy): the joint is either a ridge, where that segment's own face
 * holds the circle and a contact with the point would be a ghost bump; or a valley, where the line of this segment bounds the
 * free space as its face does. */
static void
nearest_over(const struct beside *at, double sx, double sy, struct nearest *best)
{
	double side = sx * at->dy - sy * at->dx, turn = sx * at->uy - sy * at->ux;

	if (side * turn > 0.0) {
		double height = at->ux * at->dy - at->uy * at->dx;
		double sign = height >= 0.0 ? 1.0 : -1.0;

		/* Else so deep a valley that the line turns away from the centre, and only the point is left. */
		if (height * turn < 0.0)
			*best = (struct nearest){ -at->uy * sign, at->ux * sign, height * sign, PAIR_CONTACT };
	} else {
		best->kind = PAIR_FAR;
	}
}

/* Beyond an end that other segments share, or go through. */
static struct nearest
nearest_at_joint(const struct dense *dense, const struct beside *at, const struct vertex *vertex)
{
	const struct dense_scene *scene = &dense->scene;
	struct nearest best = nearest_to_point(at->dx, at->dy);

	for (uint32_t k = vertex->first_spoke; k < vertex->first_spoke + vertex->spoke_count; k++) {
		const struct spoke *s = &scene->spokes[k];
		double along = at->dx * s->ux + at->dy * s->uy;
		bool through = s->feature == FEATURE_FACE;

		if (s->segment == at->segment || !(along > 0.0 || through))
			continue;

		enum dense_wall wall = scene->wall(scene->context, at->body, s->segment, at->x, at->y);

		if (wall == DENSE_WALL_SOLID || wall == DENSE_WALL_LEFT) {
			double sign = along < 0.0 ? -1.0 : 1.0;

			nearest_over(at, sign * s->ux, sign * s->uy, &best);
			return best;
		}
		/* A chain of one-sided segments is passed as a whole. */
		if (wall == DENSE_WALL_PASSED && !through && at->sided) {
			best.kind = PAIR_EVENT;
			return best;
		}
	}
	return best;
}

static struct nearest
nearest_on_wall(const struct dense *dense, uint32_t body, uint32_t segment, double x, double y)
{
	const struct wall *w = &dense->walls[segment];
	const struct segment *s = &dense->scene.segments[segment];
	double dx = x - w->x1, dy = y - w->y1;
	double along = dx * w->ux + dy * w->uy;

	enum dense_wall own = w->sided ? dense->scene.wall(dense->scene.context, body, segment, x, y) : DENSE_WALL_SOLID;

	if (own == DENSE_WALL_PASSED)
		return (struct nearest){ 0.0, 1.0, (double)INFINITY, PAIR_EVENT };
	if (along <= 0.0 || along >= w->length) {
		uint32_t end = along > 0.0;
		const struct vertex *vertex = &dense->scene.vertices[s->vertex[end]];
		const struct beside at = {
			.body = body,
			.segment = segment,
			.sided = own == DENSE_WALL_LEFT,
			.x = x,
			.y = y,
			.dx = end ? x - w->x2 : dx,
			.dy = end ? y - w->y2 : dy,
			.ux = end ? -w->ux : w->ux,
			.uy = end ? -w->uy : w->uy,
		};

		return vertex->spoke_count > 1 ? nearest_at_joint(dense, &at, vertex) : nearest_to_point(at.dx, at.dy);
	}

	double across = w->ux * dy - w->uy * dx;
	double sign = across >= 0.0 ? 1.0 : -1.0;

	bool hidden = w->acute && dense->scene.hidden(dense->scene.context, body, segment, x, y);

	return (struct nearest){ -w->uy * sign, w->ux * sign, across * sign, hidden ? PAIR_FAR : PAIR_CONTACT };
}

static double
slot_impulse(const struct dense *dense, uint32_t slot)
{
	return slot < dense->contact_end ? dense->impulses[slot / LANES].normal[slot % LANES] : 0.0;
}

/* Whose a pair is that is near enough to be a contact, but for those that need no question. */
static __attribute__((noinline)) uint8_t
slot_ask(const struct dense *dense, const struct dense_bodies *bodies, double h, uint32_t slot)
{
	const struct spacings *spacings = &dense->spacings[slot / LANES];

	const struct pair *pair = &dense->pairs[dense->pair_of[slot]];
	double wx = bodies->vx[pair->a], wy = bodies->vy[pair->a];
	pair2 n = slot_normal(dense, slot);

	if (pair->b & DENSE_WALL) {
		wx -= dense->scene.segments[pair->b & ~DENSE_WALL].vx;
		wy -= dense->scene.segments[pair->b & ~DENSE_WALL].vy;
	} else {
		wx -= bodies->vx[pair->b];
		wy -= bodies->vy[pair->b];
	}

	struct dense_question question = {
		.a = pair->a,
		.b = pair->b,
		.gap = spacings->gap[slot % LANES],
		.approach = -(wx * n[0] + wy * n[1]),
		.travel = fabs(n[0] * wy - n[1] * wx) * h,
		.impulse = slot_impulse(dense, slot),
		.restitution = pair->material.restitution,
		.nx = n[0],
		.ny = n[1],
	};

	return dense->scene.mine(dense->scene.context, &question) ? PAIR_CONTACT : PAIR_EVENT;
}

static inline uint8_t
slot_owner(const struct dense *dense, const struct dense_bodies *bodies, double h, uint32_t slot)
{
	double restitution = dense->spacings[slot / LANES].restitution[slot % LANES];

	if (!dense->scene.mine ||
	    (slot_impulse(dense, slot) > 0.0 &&
	     (restitution == 0.0 || (dense->scene.heaps && restitution < 1.0 && dense->was_led[slot_a(dense, slot)] &&
	                             dense->was_led[slot_b(dense, slot)]))))
		return PAIR_CONTACT;
	return slot_ask(dense, bodies, h, slot);
}

/* Circles whose distance is longer than their radii by more than this part are still on their way: no friction yet. At rest it
 * is a cushion; the step of the sweeps (slip_mass) does not know of longer levers and must not become a jump. */
#define LEVER_MAX 1.02

/* Friction between circles acts on levers that make up the whole distance: with the radii alone a cushion would cost angular
 * momentum. */
static void
arms_measure(struct contacts *c, const struct spacings *s, uint32_t lane, double distance)
{
	double lever = distance / s->radii[lane];
	bool near = lever < LEVER_MAX;

	c->friction[lane] = near ? s->friction[lane] : 0.0;
	c->arm_a[lane] = near ? lever * s->rim_a[lane] : s->rim_a[lane];
	c->arm_b[lane] = near ? lever * s->rim_b[lane] : s->rim_b[lane];
}

/* Gap and normal of a slot; gives its kind. */
static uint8_t
slot_measure(struct dense *dense, const struct dense_bodies *bodies, uint32_t slot, double rate)
{
	struct contacts *c = &dense->contacts[slot / LANES];
	struct spacings *s = &dense->spacings[slot / LANES];
	uint32_t lane = slot % LANES;
	const struct spot *a = &dense->spots[c->a[lane]], *b = &dense->spots[c->b[lane]];
	double skin = a->rest[0] > s->skin_least[lane] ? a->rest[0] : s->skin_least[lane];
	double near = a->rest[1] + b->rest[1];
	struct nearest n;

	if (c->b[lane] >= bodies->count) {
		const struct pair *pair = &dense->pairs[dense->pair_of[slot]];

		n = nearest_on_wall(dense, pair->a, pair->b & ~DENSE_WALL, a->at[0], a->at[1]);
		near += ACTIVE_RADII * bodies->radius[pair->a];
		skin = b->rest[0] > skin ? b->rest[0] : skin;
	} else {
		n = nearest_to_point(a->at[0] - b->at[0], a->at[1] - b->at[1]);
		skin = b->rest[0] > skin ? b->rest[0] : skin;
		arms_measure(c, s, lane, n.distance);
	}

	double gap = n.distance - (s->radii[lane] + skin), above = gap - s->cushion[lane];

	s->gap[lane] = gap;
	c->nx[lane] = n.nx;
	c->ny[lane] = n.ny;
	c->target[lane] = above > 0.0 ? -above * rate : 0.0;
	if (n.kind != PAIR_CONTACT || gap > near)
		return n.kind == PAIR_EVENT ? PAIR_EVENT : PAIR_FAR;
	return slot_owner(dense, bodies, 1.0 / rate, slot);
}

/* arms_measure for two. */
static inline void
lanes_arms_measure(struct contacts *c, const struct spacings *s, pair2 distance)
{
	pair2 lever = distance / s->radii;
	mask2 near = lever < both(LEVER_MAX);

	c->friction = (pair2)(near & (mask2)s->friction);
	c->arm_a = lanes_choose(near, lever * s->rim_a, s->rim_a);
	c->arm_b = lanes_choose(near, lever * s->rim_b, s->rim_b);
}

/* slot_measure for two pairs of bodies at once, with the same bits. False if two centres are in one point: then nothing is
 * done. What only contacts have is left as it is where `kind` is another: should they become some, they get other slots. */
static inline __attribute__((always_inline)) bool
lanes_measure(struct dense *dense, const struct dense_bodies *bodies, uint32_t k, double rate, uint8_t kind)
{
	struct contacts *c = &dense->contacts[k];
	struct spacings *s = &dense->spacings[k];
	const struct spot *a0 = &dense->spots[c->a[0]], *a1 = &dense->spots[c->a[1]];
	const struct spot *b0 = &dense->spots[c->b[0]], *b1 = &dense->spots[c->b[1]];
	pair2 d0 = a0->at - b0->at, d1 = a1->at - b1->at;
	pair2 dx = __builtin_shufflevector(d0, d1, 0, 2), dy = __builtin_shufflevector(d0, d1, 1, 3);
	pair2 square = dx * dx + dy * dy;
	pair2 distance = lanes_root(square), inverse = both(1.0) / distance;

	if (!(distance[0] > 0.0 && distance[1] > 0.0))
		return false;

	pair2 skin = lanes_greater(__builtin_shufflevector(a0->rest, a1->rest, 0, 2), s->skin_least);
	pair2 reach_0 = a0->rest + b0->rest, reach_1 = a1->rest + b1->rest;

	skin = lanes_greater(__builtin_shufflevector(b0->rest, b1->rest, 0, 2), skin);

	pair2 gap = distance - (s->radii + skin), above = gap - s->cushion;

	s->gap = gap;
	c->nx = dx * inverse;
	c->ny = dy * inverse;
	if (kind == PAIR_CONTACT) {
		lanes_arms_measure(c, s, distance);
		c->target = lanes_lesser(-above * both(rate), both(0.0));
	}
	dense->slot_kind[LANES * k] = gap[0] > reach_0[1] ? PAIR_FAR : slot_owner(dense, bodies, 1.0 / rate, LANES * k);
	dense->slot_kind[LANES * k + 1] = gap[1] > reach_1[1] ? PAIR_FAR : slot_owner(dense, bodies, 1.0 / rate, LANES * k + 1);
	return true;
}

/* Whether both lanes hold pairs of bodies. */
static bool
lanes_plain(const struct dense *dense, uint32_t k, uint32_t wall)
{
	const struct contacts *c = &dense->contacts[k];

	return c->b[0] < wall && c->b[1] < wall;
}

/* The slots of one kind; false if some pair is of another now. */
static inline __attribute__((always_inline)) bool
range_measure(struct dense *dense, const struct dense_bodies *bodies, double h, uint32_t start, uint32_t end, uint8_t kind)
{
	double rate = 1.0 / h;
	bool same = true;

	for (uint32_t slot = start; slot < end; slot += LANES) {
		if (lanes_plain(dense, slot / LANES, bodies->count) && lanes_measure(dense, bodies, slot / LANES, rate, kind)) {
			same &= dense->slot_kind[slot] == kind && dense->slot_kind[slot + 1] == kind;
			continue;
		}
		for (uint32_t s = slot; s < slot + LANES; s++) {
			if (dense->pair_of[s] == NONE)
				continue;
			dense->slot_kind[s] = slot_measure(dense, bodies, s, rate);
			same &= dense->slot_kind[s] == kind;
		}
	}
	return same;
}

/* The impulses of the sub-step before act again. */
static void
warm_start(struct dense *dense)
{
	for (uint32_t k = 0; k < dense->contact_end / LANES; k++) {
		const struct contacts *c = &dense->contacts[k];
		struct hot_body *a0 = &dense->hot[c->a[0]], *a1 = &dense->hot[c->a[1]];
		struct hot_body *b0 = &dense->hot[c->b[0]], *b1 = &dense->hot[c->b[1]];
		struct lanes a = lanes_load(a0, a1), b = lanes_load(b0, b1);

		impulses_apply(&a, &b, c, dense->impulses[k].normal, dense->impulses[k].tangent);
		lanes_store(&a, a0, a1);
		lanes_store(&b, b0, b1);
	}
}

/* What moving surfaces add to the slip of the contacts, along the normal turned left. */
static void
drives_measure(struct dense *dense, const struct dense_bodies *bodies)
{
	for (uint32_t slot = 0; slot < dense->contact_end; slot++) {
		const struct pair *pair;
		pair2 n = slot_normal(dense, slot);
		double drive = 0.0;

		if (dense->pair_of[slot] == NONE)
			continue;
		pair = &dense->pairs[dense->pair_of[slot]];
		if (bodies->surface_speed && !pair->material.central)
			drive -= bodies->surface_speed[pair->a];
		if (pair->b & DENSE_WALL) {
			const struct wall *wall = &dense->walls[pair->b & ~DENSE_WALL];

			drive -= dense->scene.segments[pair->b & ~DENSE_WALL].surface_speed * (wall->uy * n[0] - wall->ux * n[1]);
		} else if (bodies->surface_speed && !pair->material.central) {
			drive -= bodies->surface_speed[pair->b];
		}
		dense->drives[slot / LANES][slot % LANES] = drive;
	}
}

bool
slots_measure(struct dense *dense, const struct dense_bodies *bodies, double h)
{
	bool contacts_same = range_measure(dense, bodies, h, 0, dense->contact_end, PAIR_CONTACT);
	bool far_same = range_measure(dense, bodies, h, dense->contact_end, dense->far_end, PAIR_FAR);
	bool events_same = range_measure(dense, bodies, h, dense->far_end, dense->slot_end, PAIR_EVENT);

	if (contacts_same && far_same && events_same) {
		if (dense->any_surface)
			drives_measure(dense, bodies);
		warm_start(dense);
		return true;
	}
	for (uint32_t slot = 0; slot < dense->slot_end; slot++) {
		if (dense->pair_of[slot] != NONE)
			dense->pairs[dense->pair_of[slot]].kind = dense->slot_kind[slot];
	}
	return false;
}
