/* The gap and the normal of each near pair at a substep's begin, and what the pair is then: a contact, only certified, or left
 * to events. */
#include "physics/math/larger.h"
#include "physics/rest_solver/solver_kernels.h"
#include "physics/world/spoke.h"

#include <math.h>

/* More than any speed: a contact with this target, negative, does not act. */
#define TARGET_NONE 0x1p900

/* The nearest point of something to a circle. */
struct nearest {
	double nx, ny, distance;
	uint8_t kind; /* PAIR_CONTACT: if near enough; PAIR_FAR: another segment of the joint is between, the pair is only
	                 certified; PAIR_EVENT: it passes a one-sided segment */
};

static struct nearest
nearest_to_point(double dx, double dy)
{
	double distance = sqrt(dx * dx + dy * dy);

	if (distance >= ONE_POINT) {
		double inverse = 1.0 / distance;

		return (struct nearest){ dx * inverse, dy * inverse, distance, PAIR_CONTACT };
	}
	return (struct nearest){ 0.0, 1.0, 0.0, PAIR_CONTACT };
}

/* A circle beside the end of a segment that it has a pair with. */
struct beside {
	uint32_t body, segment;
	bool sided; /* the segment stops it from the left only */
	struct solver_place place;
	double dx, dy; /* from the end */
	double ux, uy; /* from the end along the segment */
};

/* The circle is over another segment of a joint, which leaves the joint along (sx, sy). The joint may be a ridge: then that
 * segment's own face supports the circle, and a contact with the point would be a ghost bump. Or it is a valley: then the line
 * of this segment bounds the free space as its face does. */
static void
nearest_over(const struct beside *at, double sx, double sy, struct nearest *best)
{
	double side = sx * at->dy - sy * at->dx, turn = sx * at->uy - sy * at->ux;

	if (side * turn > 0.0) {
		double height = at->ux * at->dy - at->uy * at->dx;
		double sign = height >= 0.0 ? 1.0 : -1.0;

		/* Otherwise the valley is so deep that the line turns away from the centre, and only the point remains. */
		if (height * turn < 0.0)
			*best = (struct nearest){ -at->uy * sign, at->ux * sign, height * sign, PAIR_CONTACT };
	} else {
		best->kind = PAIR_FAR;
	}
}

/* Beyond an end that other segments share, or that lies on others. */
static struct nearest
nearest_at_joint(const struct solver *solver, const struct beside *at, const struct vertex *vertex)
{
	const struct solver_scene *scene = &solver->scene;
	struct nearest best = nearest_to_point(at->dx, at->dy);
	double reach = best.distance;

	for (uint32_t k = vertex->first_spoke; k < vertex->first_spoke + vertex->spoke_count && !pause_after(1); k++) {
		const struct spoke *s = &scene->spokes[k];
		double along = at->dx * s->ux + at->dy * s->uy;

		if (s->segment == at->segment || !spoke_hides_vertex(s, at->dx, at->dy, 0.0, reach))
			continue;

		enum solver_wall wall = scene->wall(scene->context, at->body, s->segment, &at->place);

		if (wall == SOLVER_WALL_SOLID || wall == SOLVER_WALL_LEFT) {
			double sign = along < 0.0 ? -1.0 : 1.0;
			double end = s->feature == FEATURE_FACE ? s->high : s->length;

			/* Beyond the other's far end that end is nearer. */
			if (along < s->low * s->length || along > end * s->length) {
				best.kind = PAIR_FAR;
				return best;
			}
			nearest_over(at, sign * s->ux, sign * s->uy, &best);
			return best;
		}
		/* A chain of one-sided segments is passed as a whole. */
		if (wall == SOLVER_WALL_PASSED && (s->begins || s->ends) && at->sided) {
			best.kind = PAIR_EVENT;
			return best;
		}
	}
	return best;
}

static struct nearest
nearest_on_wall(const struct solver *solver, uint32_t body, uint32_t segment, double x, double y)
{
	const struct wall_copy *w = &solver->walls[segment];
	const struct segment *s = &solver->scene.segments[segment];
	double dx = x - w->x1, dy = y - w->y1;
	double along = dx * w->ux + dy * w->uy;

	const struct solver_place place = { x, y, solver->time };
	enum solver_wall own = w->sided ? solver->scene.wall(solver->scene.context, body, segment, &place) : SOLVER_WALL_SOLID;

	if (own == SOLVER_WALL_PASSED)
		return (struct nearest){ 0.0, 1.0, (double)INFINITY, PAIR_EVENT };
	if (along <= 0.0 || along >= w->length) {
		uint32_t end = along > 0.0;
		const struct vertex *vertex = &solver->scene.vertices[s->vertex[end]];
		const struct beside at = {
			.body = body,
			.segment = segment,
			.sided = own == SOLVER_WALL_LEFT,
			.place = place,
			.dx = end ? x - w->x2 : dx,
			.dy = end ? y - w->y2 : dy,
			.ux = end ? -w->ux : w->ux,
			.uy = end ? -w->uy : w->uy,
		};

		return vertex->spoke_count > 1 ? nearest_at_joint(solver, &at, vertex) : nearest_to_point(at.dx, at.dy);
	}

	double across = w->ux * dy - w->uy * dx;
	double sign = across >= 0.0 ? 1.0 : -1.0;

	bool hidden = w->acute && solver->scene.hidden(solver->scene.context, body, segment, &place);

	return (struct nearest){ -w->uy * sign, w->ux * sign, across * sign, hidden ? PAIR_FAR : PAIR_CONTACT };
}

static double
slot_impulse(const struct solver *solver, uint32_t slot)
{
	return slot < solver->contact_end ? solver->impulses[slot / LANES].normal[slot % LANES] : 0.0;
}

/* Decides whether a near pair is a contact of the solver, if that needs a callback. */
static __attribute__((noinline)) uint8_t
slot_ask(const struct solver *solver, const struct solver_bodies *bodies, double h, uint32_t slot)
{
	const struct spacings *spacings = &solver->spacings[slot / LANES];

	const struct near_pair *pair = &solver->pairs[solver->pair_of[slot]];
	double wx = bodies->vx[pair->a], wy = bodies->vy[pair->a];
	pair2 n = slot_normal(solver, slot);

	if (pair->b & SOLVER_WALL) {
		wx -= solver->scene.segments[pair->b & ~SOLVER_WALL].vx;
		wy -= solver->scene.segments[pair->b & ~SOLVER_WALL].vy;
	} else {
		wx -= bodies->vx[pair->b];
		wy -= bodies->vy[pair->b];
	}

	struct solver_question question = {
		.a = pair->a,
		.b = pair->b,
		.gap = spacings->gap[slot % LANES],
		.approach = -(wx * n[0] + wy * n[1]),
		.travel = fabs(n[0] * wy - n[1] * wx) * h,
		.impulse = slot_impulse(solver, slot),
		.restitution = pair->material.restitution,
		.nx = n[0],
		.ny = n[1],
	};

	return solver->scene.mine(solver->scene.context, &question) ? PAIR_CONTACT : PAIR_EVENT;
}

/* The same for two bodies without restitution that carried nothing, in a world of heaps. */
static inline uint8_t
slot_decide(const struct solver *solver, const struct solver_bodies *bodies, double h, uint32_t slot)
{
	const struct spacings *spacings = &solver->spacings[slot / LANES];
	uint32_t place_a = slot_a(solver, slot), place_b = slot_b(solver, slot);

	if (spacings->gap[slot % LANES] <= spacings->cushion[slot % LANES])
		return PAIR_CONTACT;
	if (!solver->was_driven[place_a] || !solver->was_driven[place_b])
		return PAIR_EVENT;

	uint32_t a = solver->body[place_a], b = solver->body[place_b];
	pair2 n = slot_normal(solver, slot);
	double wx = bodies->vx[a] - bodies->vx[b], wy = bodies->vy[a] - bodies->vy[b];
	double travel = fabs(n[0] * wy - n[1] * wx) * h;

	return travel < solver->scene.slow * lesser(bodies->radius[a], bodies->radius[b]) ? PAIR_CONTACT : PAIR_EVENT;
}

static inline uint8_t
slot_owner(const struct solver *solver, const struct solver_bodies *bodies, double h, uint32_t slot)
{
	double restitution = solver->spacings[slot / LANES].restitution[slot % LANES];

	if (!solver->scene.mine)
		return PAIR_CONTACT;
	if (slot_impulse(solver, slot) > 0.0) {
		if ((restitution == 0.0 && !solver->scene.asks) ||
		    (solver->scene.heaps && restitution < 1.0 && solver->was_driven[slot_a(solver, slot)] &&
		     solver->was_driven[slot_b(solver, slot)]))
			return PAIR_CONTACT;
	} else if (solver->scene.heaps && restitution == 0.0 && slot_b(solver, slot) < bodies->count) {
		return slot_decide(solver, bodies, h, slot);
	}
	return slot_ask(solver, bodies, h, slot);
}

/* Friction between circles acts on levers that add up to the whole distance: with the radii alone a cushion would cost angular
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

/* Gap, normal and target of a slot, as lanes_measure. Returns what is nearest, as far as geometry goes. */
static uint8_t
slot_nearest(struct solver *solver, const struct solver_bodies *bodies, uint32_t slot, double rate)
{
	struct contacts *c = &solver->contacts[slot / LANES];
	struct spacings *s = &solver->spacings[slot / LANES];
	uint32_t lane = slot % LANES;
	const struct solver_position *a = &solver->positions[c->a[lane]], *b = &solver->positions[c->b[lane]];
	double skin = a->rest[0] > s->skin_least[lane] ? a->rest[0] : s->skin_least[lane];
	struct nearest n;

	if (c->b[lane] >= bodies->count) {
		const struct near_pair *pair = &solver->pairs[solver->pair_of[slot]];

		n = nearest_on_wall(solver, pair->a, pair->b & ~SOLVER_WALL, a->at[0], a->at[1]);
		skin = b->rest[0] > skin ? b->rest[0] : skin;
		c->friction[lane] = s->friction[lane];
		c->arm_a[lane] = s->rim_a[lane];
		c->arm_b[lane] = s->rim_b[lane];
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
	return n.kind;
}

/* The same; returns its kind. */
static uint8_t
slot_measure(struct solver *solver, const struct solver_bodies *bodies, double h, uint32_t slot, double rate)
{
	const struct near_pair *pair = &solver->pairs[solver->pair_of[slot]];
	uint8_t kind = slot_nearest(solver, bodies, slot, rate);
	uint32_t a = slot_a(solver, slot), b = slot_b(solver, slot);
	double near = solver->positions[a].rest[1] + solver->positions[b].rest[1];

	if (b >= bodies->count) {
		near += ACTIVE_RADII * bodies->radius[pair->a];
		/* The line of a valley's side may be nearer than the side itself. */
		if (pair_apart(solver, bodies, h, &(struct pair_key){ pair->a, pair->b, 0 }))
			kind = PAIR_FAR;
	}
	if (kind != PAIR_CONTACT || solver->spacings[slot / LANES].gap[slot % LANES] > near)
		return kind == PAIR_EVENT ? PAIR_EVENT : PAIR_FAR;
	return slot_owner(solver, bodies, h, slot);
}

bool
slots_decide(struct solver *solver, const struct solver_bodies *bodies, double h, const struct range *range, bool *deep)
{
	bool same = true;

	for (uint32_t slot = range->start; slot < range->end; slot++) {
		struct contacts *c = &solver->contacts[slot / LANES];
		struct spacings *s = &solver->spacings[slot / LANES];
		uint32_t lane = slot % LANES;

		if (solver->pair_of[slot] == NONE) {
			solver->slot_kind[slot] = PAIR_APART;
			continue;
		}
		if (isnan(c->nx[lane])) {
			solver->slot_kind[slot] = slot_measure(solver, bodies, h, slot, range->rate);
			*deep |= s->gap[lane] < -2.0 * s->skin_least[lane];
		} else {
			double near = solver->positions[c->a[lane]].rest[1] + solver->positions[c->b[lane]].rest[1];

			solver->slot_kind[slot] = s->gap[lane] > near ? PAIR_FAR : slot_owner(solver, bodies, h, slot);
		}
		same &= (solver->slot_kind[slot] == PAIR_CONTACT) == (range->kind == PAIR_CONTACT);
	}
	return same;
}

void
slots_again(struct solver *solver, const struct solver_bodies *bodies, uint32_t start, uint32_t end, double rate)
{
	for (uint32_t slot = start; slot < end; slot++) {
		struct contacts *c = &solver->contacts[slot / LANES];
		struct impulses *impulses = &solver->impulses[slot / LANES];
		uint32_t lane = slot % LANES;

		if (solver->pair_of[slot] == NONE || !isnan(c->nx[lane]) || slot_nearest(solver, bodies, slot, rate) == PAIR_CONTACT)
			continue;
		/* It has gone past. */
		c->target[lane] = -TARGET_NONE;
		impulses->normal[lane] = impulses->tangent[lane] = 0.0;
		solver->rollers[slot].impulse = 0.0;
	}
}

/* What moving surfaces add to the slip of contacts, along the normal turned left. */
static void
surface_bias_measure(struct solver *solver, const struct solver_bodies *bodies, uint32_t start, uint32_t end)
{
	for (uint32_t slot = start; slot < end && !pause_after(SOLVER_UNITS); slot++) {
		pair2 n = slot_normal(solver, slot);
		double bias = 0.0;

		if (solver->pair_of[slot] == NONE)
			continue;
		const struct near_pair *pair = &solver->pairs[solver->pair_of[slot]];
		if (bodies->surface_speed && !pair->material.central)
			bias -= bodies->surface_speed[pair->a];
		if (pair->b & SOLVER_WALL) {
			const struct wall_copy *wall = &solver->walls[pair->b & ~SOLVER_WALL];

			bias -= solver->scene.segments[pair->b & ~SOLVER_WALL].surface_speed * (wall->uy * n[0] - wall->ux * n[1]);
		} else if (bodies->surface_speed && !pair->material.central) {
			bias -= bodies->surface_speed[pair->b];
		}
		solver->surface_bias[slot / LANES].slip[slot % LANES] = bias;
	}
}

bool
others_measure(struct solver *solver, const struct solver_bodies *bodies, double h, bool *deep)
{
	const struct range others = { solver->contact_end, solver->slot_end, PAIR_EVENT, false, 1.0 / h };

	return solver->way->measure(solver, bodies, h, &others, deep);
}

bool
contacts_measure(struct solver *solver, const struct solver_bodies *bodies, double h, bool warm, bool *deep)
{
	bool same = true;

	/* Islands with the same number of rounds together. */
	for (uint32_t n = 0, next; n < solver->island_count && !pause_after(1); n = next) {
		bool halved = solver->islands[n].halved;

		for (next = n + 1; next < solver->island_count && solver->islands[next].halved == halved; next++)
			;
		const struct range contacts = {
			.start = solver->islands[n].contact_start,
			.end = solver->islands[next - 1].contact_end,
			.kind = PAIR_CONTACT,
			.warm = warm && same,
			.rate = 1.0 / island_time(&solver->islands[n], h),
		};

		same &= solver->way->measure(solver, bodies, h, &contacts, deep);
	}
	if (same && warm && solver->any_surface)
		surface_bias_measure(solver, bodies, 0, solver->contact_end);
	return same;
}

void
island_measure_again(struct solver *solver, const struct solver_bodies *bodies, const struct island *island, double half)
{
	solver->way->again(solver, bodies, island, half);
	if (solver->any_surface)
		surface_bias_measure(solver, bodies, island->contact_start, island->contact_end);
}
