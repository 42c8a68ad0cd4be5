/* solver_lanes: the loops over contacts that measure and sweep, for several contacts at once. Internal:
 * included by solver_generic.c and solver_avx2.c, which each compile it for their CPU; the latter defines SOLVER_AVX2 before.
 *
 * Each lane performs the operations of its contact in the scalar order, so that all implementations give the same bits. Sums
 * over contacts are the exception: they are made two lanes after two. The slots of a group have one colour: no two move the
 * same body. */
#ifndef COLLIDED_REST_SOLVER_SOLVER_LANES_H
#define COLLIDED_REST_SOLVER_SOLVER_LANES_H

#include "physics/rest_solver/solver_kernels.h"

#include <string.h>

#ifdef SOLVER_AVX2
#include <immintrin.h>
#define WIDTH 4u
#define KERNEL __attribute__((target("avx2"), always_inline)) static inline
typedef double vec __attribute__((vector_size(32)));
typedef int64_t mask __attribute__((vector_size(32)));
#else
#define WIDTH 2u
#define KERNEL __attribute__((always_inline)) static inline
typedef pair2 vec;
typedef int64_t mask __attribute__((vector_size(16)));
#endif

/* The position of a slot in its group; a constant to the compiler where a whole group is handled at once. */
KERNEL uint32_t
slot_lane(uint32_t slot)
{
	return WIDTH == LANES ? 0 : slot % LANES;
}

/* Units (base/pause.h) of a contact in a sweep, and of a slot that is measured. */
#define SWEEP_UNITS 1u
#define MEASURE_UNITS 4u
/* More than rounding: below this fraction of the scene's `slow` a pair is certainly slow. */
#define SLOW_SURELY 0.9

KERNEL vec
vec_load(const double *from)
{
	vec out;

	memcpy(&out, from, sizeof out);
	return out;
}

KERNEL void
vec_store(double *to, vec value)
{
	memcpy(to, &value, sizeof value);
}

#ifdef SOLVER_AVX2

KERNEL vec
all(double value)
{
	return (vec){ value, value, value, value };
}

/* x < y ? x : y in each lane. */
KERNEL vec
vec_lesser(vec x, vec y)
{
	return _mm256_min_pd(x, y);
}

KERNEL vec
vec_greater(vec x, vec y)
{
	return _mm256_max_pd(x, y);
}

KERNEL vec
vec_root(vec x)
{
	return _mm256_sqrt_pd(x);
}

/* Whether the mask is set in each lane. */
KERNEL bool
mask_all(mask m)
{
	return _mm256_movemask_pd((vec)m) == 15;
}

KERNEL pair2
sum_add(pair2 sum, vec x)
{
	return sum + _mm256_castpd256_pd128(x) + _mm256_extractf128_pd(x, 1);
}

#else

KERNEL vec
all(double value)
{
	return both(value);
}

KERNEL vec
vec_lesser(vec x, vec y)
{
#ifdef __SSE2__
	return _mm_min_pd(x, y);
#else
	return (vec){ x[0] < y[0] ? x[0] : y[0], x[1] < y[1] ? x[1] : y[1] };
#endif
}

KERNEL vec
vec_greater(vec x, vec y)
{
#ifdef __SSE2__
	return _mm_max_pd(x, y);
#else
	return (vec){ x[0] > y[0] ? x[0] : y[0], x[1] > y[1] ? x[1] : y[1] };
#endif
}

KERNEL vec
vec_root(vec x)
{
#ifdef __SSE2__
	return _mm_sqrt_pd(x);
#else
	return (vec){ sqrt(x[0]), sqrt(x[1]) };
#endif
}

KERNEL bool
mask_all(mask m)
{
#ifdef __SSE2__
	return _mm_movemask_pd((vec)m) == 3;
#else
	return (m[0] & m[1]) != 0;
#endif
}

KERNEL pair2
sum_add(pair2 sum, vec x)
{
	return sum + x;
}

#endif

/* x where the mask is set, else y. */
KERNEL vec
vec_choose(mask m, vec x, vec y)
{
#ifdef SOLVER_AVX2
	return _mm256_blendv_pd(y, x, (vec)m);
#else
	return (vec)((m & (mask)x) | (~m & (mask)y));
#endif
}

/* Four numbers of each body, by columns: those of a solver_body or of a `position`. */
struct columns {
	vec x, y, p, q;
};

static_assert(sizeof(struct solver_body) == 32 && sizeof(struct solver_position) == 32, "four numbers in a row");

/* The rows of the bodies at these places. */
KERNEL void
rows_find(void *rows, const uint32_t *at, double *row[WIDTH])
{
	for (uint32_t l = 0; l < WIDTH; l++)
		row[l] = (double *)rows + 4 * (size_t)at[l];
}

#ifdef SOLVER_AVX2

/* Two numbers of each of two rows. */
KERNEL vec
halves_load(const double *low, const double *high)
{
	return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_load_pd(low)), _mm_load_pd(high), 1);
}

KERNEL void
halves_store(double *low, double *high, vec value)
{
	_mm_store_pd(low, _mm256_castpd256_pd128(value));
	_mm_store_pd(high, _mm256_extractf128_pd(value, 1));
}

KERNEL struct columns
columns_load(double *const row[WIDTH])
{
	vec a = halves_load(row[0], row[2]), c = halves_load(row[0] + 2, row[2] + 2);
	vec b = halves_load(row[1], row[3]), d = halves_load(row[1] + 2, row[3] + 2);

	return (struct columns){ _mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b), _mm256_unpacklo_pd(c, d),
		                     _mm256_unpackhi_pd(c, d) };
}

KERNEL void
columns_store(double *const row[WIDTH], const struct columns *c)
{
	halves_store(row[0], row[2], _mm256_unpacklo_pd(c->x, c->y));
	halves_store(row[1], row[3], _mm256_unpackhi_pd(c->x, c->y));
	halves_store(row[0] + 2, row[2] + 2, _mm256_unpacklo_pd(c->p, c->q));
	halves_store(row[1] + 2, row[3] + 2, _mm256_unpackhi_pd(c->p, c->q));
}

/* For rows of two numbers. */
KERNEL void
pairs_load(const double *rows, const uint32_t *at, vec *x, vec *y)
{
	vec a = halves_load(rows + 2 * (size_t)at[0], rows + 2 * (size_t)at[2]);
	vec b = halves_load(rows + 2 * (size_t)at[1], rows + 2 * (size_t)at[3]);

	*x = _mm256_unpacklo_pd(a, b);
	*y = _mm256_unpackhi_pd(a, b);
}

#else

KERNEL void
pairs_load(const double *rows, const uint32_t *at, vec *x, vec *y)
{
	vec a = vec_load(rows + 2 * (size_t)at[0]), b = vec_load(rows + 2 * (size_t)at[1]);

	*x = __builtin_shufflevector(a, b, 0, 2);
	*y = __builtin_shufflevector(a, b, 1, 3);
}

KERNEL struct columns
columns_load(double *const row[WIDTH])
{
	vec a = vec_load(row[0]), b = vec_load(row[1]), c = vec_load(row[0] + 2), d = vec_load(row[1] + 2);

	return (struct columns){ __builtin_shufflevector(a, b, 0, 2), __builtin_shufflevector(a, b, 1, 3),
		                     __builtin_shufflevector(c, d, 0, 2), __builtin_shufflevector(c, d, 1, 3) };
}

KERNEL void
columns_store(double *const row[WIDTH], const struct columns *c)
{
	vec_store(row[0], __builtin_shufflevector(c->x, c->y, 0, 2));
	vec_store(row[1], __builtin_shufflevector(c->x, c->y, 1, 3));
	vec_store(row[0] + 2, __builtin_shufflevector(c->p, c->q, 0, 2));
	vec_store(row[1] + 2, __builtin_shufflevector(c->p, c->q, 1, 3));
}

#endif

/* Changes velocities (of solver_body: p is the surface's, q the inverse mass) by impulses along the normals and the tangents.
 */
KERNEL void
impulses_apply(struct columns *a, struct columns *b, const struct contacts *c, uint32_t lane, vec normal, vec tangent)
{
	vec nx = vec_load(&c->nx[lane]), ny = vec_load(&c->ny[lane]);
	vec px = nx * normal - ny * tangent, py = ny * normal + nx * tangent, turn = tangent + tangent;

	a->x += px * a->q;
	a->y += py * a->q;
	a->p -= turn * vec_load(&c->arm_a[lane]) * a->q;
	b->x -= px * b->q;
	b->y -= py * b->q;
	b->p -= turn * vec_load(&c->arm_b[lane]) * b->q;
}

/* One projected Gauss-Seidel sweep; with `along`, after the step along the direction that is still to be made: direction_add. A
 * contact's normal and friction impulses do not act on each other's velocity, because they
 * are perpendicular and both act at the contact. So both are computed from the same relative velocity. */
KERNEL struct sweep_result
island_sweep(struct solver *solver, const struct island *island, struct impulses *change, const struct step *step,
             bool surfaces, bool along)
{
	struct pause_piece piece = { island->contact_start, island->contact_start };
	/* Copies, which the compiler knows to be constant. */
	const struct contacts *const all_contacts = solver->contacts;
	struct impulses *const all_impulses = solver->impulses, *const directions = along ? step->direction : NULL;
	struct solver_body *const hot = solver->hot;
	const double beta = along ? step->beta : 0.0;
	vec worst = all(0.0);
	pair2 norm = both(0.0);

	while (pause_piece_next(&piece, island->contact_end, SWEEP_UNITS)) {
		for (uint32_t slot = piece.first; slot < piece.end; slot += WIDTH) {
			uint32_t k = slot / LANES, lane = slot_lane(slot);
			const struct contacts *c = &all_contacts[k];
			struct impulses *impulses = &all_impulses[k];
			double *row_a[WIDTH], *row_b[WIDTH];

			rows_find(hot, &c->a[lane], row_a);
			rows_find(hot, &c->b[lane], row_b);

			struct columns a = columns_load(row_a), b = columns_load(row_b);
			vec nx = vec_load(&c->nx[lane]), ny = vec_load(&c->ny[lane]), wx = a.x - b.x, wy = a.y - b.y;
			vec excess = vec_load(&c->target[lane]) - (nx * wx + ny * wy);
			vec slip = nx * wy - ny * wx - (vec_load(&c->arm_a[lane]) * a.p + vec_load(&c->arm_b[lane]) * b.p);

			if (surfaces)
				slip += vec_load(&solver->surface_bias[k].slip[lane]);

			vec normal_before = vec_load(&impulses->normal[lane]), tangent_before = vec_load(&impulses->tangent[lane]);

			if (along) {
				struct impulses *direction = &directions[k];
				vec normal_along = all(beta) * vec_load(&direction->normal[lane]);
				vec tangent_along = all(beta) * vec_load(&direction->tangent[lane]);

				normal_before += normal_along;
				tangent_before += tangent_along;
				vec_store(&direction->normal[lane], normal_along + vec_load(&change[k].normal[lane]));
				vec_store(&direction->tangent[lane], tangent_along + vec_load(&change[k].tangent[lane]));
			}

			vec normal = vec_greater(normal_before + excess * vec_load(&c->mass[lane]), all(0.0));
			vec bound = vec_load(&c->friction[lane]) * normal;
			vec tangent = vec_greater(vec_lesser(tangent_before - slip * vec_load(&c->slip_mass[lane]), bound), -bound);
			vec dn = normal - normal_before, dt = tangent - tangent_before;

			vec_store(&impulses->normal[lane], normal);
			vec_store(&impulses->tangent[lane], tangent);
			vec_store(&change[k].normal[lane], dn);
			vec_store(&change[k].tangent[lane], dt);
			worst = vec_greater(excess, worst);
			norm = sum_add(norm, (dn * dn + all(3.0) * (dt * dt)) * (a.q + b.q));
			impulses_apply(&a, &b, c, lane, dn, dt);
			columns_store(row_a, &a);
			columns_store(row_b, &b);
		}
	}

	double most = worst[0];

	for (uint32_t l = 1; l < WIDTH; l++)
		most = worst[l] > most ? worst[l] : most;
	return (struct sweep_result){ most, norm[0] + norm[1] };
}

/* Compiled for each case, so that surfaces cost nothing where none moves. */
KERNEL struct sweep_result
island_sweep_any(struct solver *solver, const struct island *island, struct impulses *change, const struct step *step)
{
	bool along = step->direction != NULL;

	if (solver->any_surface)
		return along ? island_sweep(solver, island, change, step, true, true)
		             : island_sweep(solver, island, change, step, true, false);
	return along ? island_sweep(solver, island, change, step, false, true)
	             : island_sweep(solver, island, change, step, false, false);
}

/* direction_add for the velocities. */
KERNEL void
bodies_step(struct solver *solver, const struct island *island, double beta)
{
	double *now = (double *)&solver->hot[island->body_start], *before = (double *)&solver->hot_before[island->body_start];
	double *direction = (double *)&solver->hot_direction[island->body_start];
	struct pause_piece piece = { 0, 0 };

	/* The inverse mass, the last of each four, does not change: its direction stays 0. */
	while (pause_piece_next(&piece, island->body_end - island->body_start, 1)) {
		for (size_t k = 4 * (size_t)piece.first; k < 4 * (size_t)piece.end; k += WIDTH) {
			vec v = vec_load(&now[k]), change = v - vec_load(&before[k]), along = all(beta) * vec_load(&direction[k]);

			v += along;
			vec_store(&now[k], v);
			vec_store(&before[k], v);
			vec_store(&direction[k], along + change);
		}
	}
}

/* Whether all sides were solver-driven in the last substep. */
KERNEL bool
lanes_were_driven(const struct solver *solver, const struct contacts *c, uint32_t lane)
{
	uint8_t driven = 1;

	for (uint32_t l = lane; l < lane + WIDTH; l++)
		driven &= solver->was_driven[c->a[l]] & solver->was_driven[c->b[l]];
	return driven != 0;
}

/* Gaps and normals of as many slots as there are lanes, as if each were of two bodies; any other gets NaN as its normal. Data
 * of contacts only is left unchanged where `kind` is another: if such slots become contacts, they get other slots. True if all
 * are certainly contacts. */
KERNEL bool
lanes_measure(struct solver *solver, uint32_t slot, double rate, double slow, uint8_t kind, mask *deep)
{
	uint32_t k = slot / LANES, lane = slot_lane(slot);
	struct contacts *c = &solver->contacts[k];
	struct spacings *s = &solver->spacings[k];
	double *row_a[WIDTH], *row_b[WIDTH];

	rows_find(solver->positions, &c->a[lane], row_a);
	rows_find(solver->positions, &c->b[lane], row_b);

	struct columns a = columns_load(row_a), b = columns_load(row_b);
	vec dx = a.x - b.x, dy = a.y - b.y, square = dx * dx + dy * dy;
	vec distance = vec_root(square);
	/* NaN for two in one point. */
	vec inverse = (vec)((distance < all(ONE_POINT)) | (mask)(all(1.0) / distance));
	vec radii = vec_load(&s->radii[lane]), skin_least = vec_load(&s->skin_least[lane]);
	vec skin = vec_greater(b.p, vec_greater(a.p, skin_least));
	vec cushion = vec_load(&s->cushion[lane]), gap = distance - (radii + skin), above = gap - cushion;

	vec_store(&s->gap[lane], gap);
	vec_store(&c->nx[lane], dx * inverse);
	vec_store(&c->ny[lane], dy * inverse);

	if (kind != PAIR_CONTACT)
		return false;

	/* Also false for NaN. */
	mask near = gap <= a.q + b.q;

	/* As arms_measure. */
	vec lever = distance / radii, rim_a = vec_load(&s->rim_a[lane]), rim_b = vec_load(&s->rim_b[lane]);
	mask close = lever < all(LEVER_MAX);

	vec_store(&c->friction[lane], (vec)(close & (mask)vec_load(&s->friction[lane])));
	vec_store(&c->arm_a[lane], vec_choose(close, lever * rim_a, rim_a));
	vec_store(&c->arm_b[lane], vec_choose(close, lever * rim_b, rim_b));
	vec_store(&c->target[lane], vec_lesser(-above * all(rate), all(0.0)));
	*deep |= gap < all(-2.0) * skin_least;
	near &= distance >= all(ONE_POINT);

	mask unused = vec_load(&c->mass[lane]) == all(0.0);

	/* As slot_owner; a pair that moves is within its reach. */
	vec restitution = vec_load(&s->restitution[lane]);
	mask carries = vec_load(&solver->impulses[k].normal[lane]) > all(0.0), dull = restitution == all(0.0);

	if (!solver->scene.asks && mask_all((near & carries & dull) | unused))
		return true;
	near &= (carries & (restitution < all(1.0))) | (dull & (a.q + b.q < all(SLOW_SURELY * slow) * cushion));
	near |= unused;
	return solver->scene.heaps && mask_all(near) && lanes_were_driven(solver, c, lane);
}

/* Applies the impulses of the last substep again. */
KERNEL void
lanes_warm(struct solver *solver, uint32_t slot)
{
	uint32_t k = slot / LANES, lane = slot_lane(slot);
	const struct contacts *c = &solver->contacts[k];
	const struct impulses *impulses = &solver->impulses[k];
	double *row_a[WIDTH], *row_b[WIDTH];

	rows_find(solver->hot, &c->a[lane], row_a);
	rows_find(solver->hot, &c->b[lane], row_b);

	struct columns a = columns_load(row_a), b = columns_load(row_b);

	impulses_apply(&a, &b, c, lane, vec_load(&impulses->normal[lane]), vec_load(&impulses->tangent[lane]));
	columns_store(row_a, &a);
	columns_store(row_b, &b);
}

/* The slots of one kind; see solver_kernels.measure. */
KERNEL bool
range_measure(struct solver *solver, const struct solver_bodies *bodies, double h, const struct range *range, bool *deep)
{
	/* A copy, which the compiler knows to be constant. */
	struct solver own = *solver;
	double rate = range->rate, slow = solver->scene.slow / solver->tune.cushion;
	bool same = true;

	mask overlap = (mask)all(0.0);
	struct pause_piece piece = { range->start, range->start };

	while (pause_piece_next(&piece, range->end, MEASURE_UNITS)) {
		for (uint32_t slot = piece.first; slot < piece.end; slot += WIDTH) {
			if (lanes_measure(&own, slot, rate, slow, range->kind, &overlap)) {
				memset(&own.slot_kind[slot], range->kind, WIDTH);
			} else {
				const struct range slots = { slot, slot + WIDTH, range->kind, range->warm, rate };

				same &= slots_decide(solver, bodies, h, &slots, deep);
			}
			if (range->kind == PAIR_CONTACT && range->warm && same)
				lanes_warm(&own, slot);
		}
	}
	*deep |= !mask_all(~overlap);
	return same;
}

/* See solver_kernels.again. */
KERNEL void
island_again(struct solver *solver, const struct solver_bodies *bodies, const struct island *island, double half)
{
	struct solver own = *solver;
	double rate = 1.0 / half;
	mask overlap = (mask)all(0.0);
	struct pause_piece piece = { island->contact_start, island->contact_start };

	while (pause_piece_next(&piece, island->contact_end, MEASURE_UNITS)) {
		for (uint32_t slot = piece.first; slot < piece.end; slot += WIDTH) {
			(void)lanes_measure(&own, slot, rate, 0.0, PAIR_CONTACT, &overlap);

			vec nx = vec_load(&own.contacts[slot / LANES].nx[slot_lane(slot)]);

			if (!mask_all(nx == nx))
				slots_again(solver, bodies, slot, slot + WIDTH, rate);
			lanes_warm(&own, slot);
		}
	}
}

/* The kind is a constant in each compiled copy. */
KERNEL bool
range_measure_any(struct solver *solver, const struct solver_bodies *bodies, double h, const struct range *range, bool *deep)
{
	const struct range contacts = { range->start, range->end, PAIR_CONTACT, range->warm, range->rate };
	const struct range others = { range->start, range->end, PAIR_EVENT, false, range->rate };

	return range->kind == PAIR_CONTACT ? range_measure(solver, bodies, h, &contacts, deep)
	                                   : range_measure(solver, bodies, h, &others, deep);
}

#endif
