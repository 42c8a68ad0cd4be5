/* Two contacts of one body that alternate: a ball in a narrow gap, or a light one between two heavy ones. Happy path: thousands
 * of elastic reflections would follow; all except the last few are made at once, in closed form. What can go wrong: a third
 * contact intervenes (then only those before it are made), or there is no closed form (then none is).
 *
 * Why it is exact. Let a body of inverse mass w touch two others of inverse masses wa and wb (0: immovable). Let n1 and n2 be
 * the unit normals towards the body, c = n1 . n2, x = n1 x n2. Multiply each velocity by the square root of its mass. A
 * reflection is then a reflection in space, at the plane perpendicular to
 *     a1 = (sqrt(w) n1, -sqrt(wa) n1, 0), or a2 = (sqrt(w) n2, 0, -sqrt(wb) n2).
 *
 * It preserves lengths, which are energies. All that two such reflections change lies in the plane spanned by a1 and a2. The
 * allowed velocities there, those that approach neither, form a wedge of angle A with
 *     cos A = -a1 . a2 / |a1| |a2| = -w c / sqrt((w + wa) (w + wb)),
 *     sin A = sqrt(D / ((w + wa) (w + wb))), D = w^2 x^2 + w wa + w wb + wa wb.
 *
 * D is a sum of positive terms: no digit cancels, however narrow the wedge. One reflection after the other is a rotation by 2
 * A, and m such pairs of reflections are a rotation by 2 A m. With p along a1 and q perpendicular to it, the velocity is (p, q)
 * = r (-sin f, cos f). The first contact approaches for 0 < f < pi; both reflections together reduce f by 2 A. So m pairs of
 * reflections would take place if and only if f - 2 A (m - 1) > 0. The first contact still approaches after them if f - 2 A m >
 * 0. While a rotation is at most a right angle, the sign of p alone decides that. So the greatest m is found bit by bit, from
 * the largest power of two down. The powers come from doubling the angle: sin 2a = 2 sin a (1 - d), 1 - cos 2a = 2 sin^2 a,
 * where d is 1 - cos a. The one or two reflections that remain are made as usual.
 *
 * Where both contacts approach, f is between pi - A and pi. The nearest velocity that approaches neither is then that of the
 * wedge's edge, and the reflection at it reverses (p, q). The joint solution finds the same, but the digits that the angle
 * loses are then missing in its energy.
 *
 * A third contact's speed is a constant plus g . (p, q), and (p, q) moves along an arc, mirrored after each odd reflection. Its
 * minimum is at an end of the arcs, or where they come to -g. So no contact is missed. */
#include "physics/contact/cluster.h"

#include <math.h>

/* Number of powers of the rotation: the narrowest wedge that doubles can represent is wider than 2^-120. */
#define POWERS_MAX 128
/* The largest power turns by more than a quarter of a half turn, and the total is less than a half turn. */
#define LARGEST_TURNS 4
/* Up to this sine of twice the wedge's angle, two approaching contacts are solved here. In a wider wedge the joint solution is
 * accurate. */
#define NARROW 0x1p-6

struct wedge {
	struct cluster *cluster;
	struct pair *first, *second;
	struct member *body, *beside_first, *beside_second; /* NULL: a wall */
	double n1[2], n2[2];
	double c, x;
	double w, wa, wb;
	double length_1;      /* |a1| */
	double height;        /* of a2 over a1 */
	double p, q;          /* before */
	double sine, versine; /* of twice its angle: versine is 1 - cosine */
};

/* A rotation, with a cosine of 1 - `versine`. */
struct turn {
	double sine, versine;
};

static struct member *
member_beside(const struct cluster *cluster, const struct pair *pair, uint32_t body)
{
	uint32_t other = pair->i == body ? pair->j : pair->i;

	return other == NONE ? NULL : &cluster->members[other];
}

/* The movable body that both pairs share, or NONE. */
static uint32_t
shared_find(const struct cluster *cluster, const struct pair *a, const struct pair *b)
{
	const uint32_t sides[] = { a->i, a->j };

	for (int k = 0; k < 2; k++)
		if (sides[k] != NONE && (sides[k] == b->i || sides[k] == b->j) && cluster->members[sides[k]].inverse_mass > 0.0)
			return sides[k];
	return NONE;
}

static void
velocity_beside(const struct member *beside, const struct pair *pair, double v[2])
{
	v[0] = beside ? beside->vx : pair->wall_vx;
	v[1] = beside ? beside->vy : pair->wall_vy;
}

/* The wedge's angle. False: it would not take many reflections. */
static bool
wedge_measure(struct wedge *wedge)
{
	const double *n1 = wedge->n1, *n2 = wedge->n2;
	double w = wedge->w, a = w + wedge->wa, b = w + wedge->wb;

	wedge->c = n1[0] * n2[0] + n1[1] * n2[1];
	wedge->x = cross_exact(n1[0], n1[1], n2[0], n2[1]);

	double d = (w * wedge->x) * (w * wedge->x) + (w * wedge->wa + w * wedge->wb + wedge->wa * wedge->wb);
	double sine = sqrt(d / (a * b)), cosine = -w * wedge->c / sqrt(a * b);

	wedge->length_1 = sqrt(a);
	wedge->height = sqrt(d / a);
	wedge->sine = 2.0 * sine * cosine;
	wedge->versine = 2.0 * sine * sine;
	return cosine > 0.0 && wedge->versine <= 1.0 && sine > 0.0;
}

/* Where the velocities are in the wedge's plane, relative to the first neighbour, so that their common part costs no digits.
 * False: two immovable things move differently, which is no rotation. */
static bool
wedge_place(struct wedge *wedge)
{
	double v1[2], v2[2];

	velocity_beside(wedge->beside_first, wedge->first, v1);
	velocity_beside(wedge->beside_second, wedge->second, v2);

	const double *n1 = wedge->n1, *n2 = wedge->n2;
	double vx = wedge->body->vx - v1[0], vy = wedge->body->vy - v1[1];
	double along = n1[0] * vx + n1[1] * vy, across = n1[0] * vy - n1[1] * vx;
	double other = n2[0] * (v2[0] - v1[0]) + n2[1] * (v2[1] - v1[1]);

	if (wedge->wa == 0.0 && wedge->wb == 0.0 && (v1[0] != v2[0] || v1[1] != v2[1]))
		return false;
	wedge->p = along / wedge->length_1;
	wedge->q = (wedge->c * (wedge->wa / (wedge->w + wedge->wa)) * along + wedge->x * across - other) / wedge->height;
	return wedge->p < 0.0;
}

static bool
wedge_make(struct wedge *wedge, struct cluster *cluster, struct pair *first, struct pair *second)
{
	uint32_t body = shared_find(cluster, first, second);

	if (body == NONE)
		return false;

	double turn_1 = first->i == body ? 1.0 : -1.0, turn_2 = second->i == body ? 1.0 : -1.0;

	*wedge = (struct wedge){
		.cluster = cluster,
		.first = first,
		.second = second,
		.body = &cluster->members[body],
		.beside_first = member_beside(cluster, first, body),
		.beside_second = member_beside(cluster, second, body),
		.n1 = { turn_1 * first->nx, turn_1 * first->ny },
		.n2 = { turn_2 * second->nx, turn_2 * second->ny },
	};
	wedge->w = wedge->body->inverse_mass;
	wedge->wa = wedge->beside_first ? wedge->beside_first->inverse_mass : 0.0;
	wedge->wb = wedge->beside_second ? wedge->beside_second->inverse_mass : 0.0;
	return wedge_measure(wedge) && wedge_place(wedge);
}

/* The effect of a change of p and q on a member's velocity. */
static void
member_change(const struct wedge *wedge, const struct member *member, double dp, double dq, double out[2])
{
	const double *n1 = wedge->n1, *n2 = wedge->n2;
	double k1 = dp / wedge->length_1, k2 = dq / wedge->height, sum = wedge->w + wedge->wa;

	out[0] = out[1] = 0.0;
	if (member == wedge->body) {
		double along = k1 + k2 * wedge->c * (wedge->wa / sum), across = k2 * wedge->x;

		out[0] = wedge->w * (along * n1[0] - across * n1[1]);
		out[1] = wedge->w * (along * n1[1] + across * n1[0]);
	}
	if (member && member == wedge->beside_first) {
		double impulse = k1 - k2 * wedge->c * (wedge->w / sum);

		out[0] -= wedge->wa * impulse * n1[0];
		out[1] -= wedge->wa * impulse * n1[1];
	}
	if (member && member == wedge->beside_second) {
		out[0] -= wedge->wb * k2 * n2[0];
		out[1] -= wedge->wb * k2 * n2[1];
	}
}

/* The change of a pair's speed by a unit of p, or of q. */
static double
pair_response(const struct wedge *wedge, const struct pair *pair, double dp, double dq)
{
	const struct member *members = wedge->cluster->members;
	double i[2], j[2];

	member_change(wedge, &members[pair->i], dp, dq, i);
	member_change(wedge, pair->j == NONE ? NULL : &members[pair->j], dp, dq, j);
	return (i[0] - j[0]) * pair->nx + (i[1] - j[1]) * pair->ny;
}

/* The minimum of g . (q, p) on the clockwise arc from one place to another, less than half a turn. */
static double
arc_least(const double g[2], const double from[2], const double to[2])
{
	double least = lesser(g[0] * from[0] + g[1] * from[1], g[0] * to[0] + g[1] * to[1]);
	bool after = g[0] * from[1] - g[1] * from[0]<0.0, before = g[0] * to[1] - g[1] * to[0]> 0.0;

	if (after && before)
		least = -sqrt((g[0] * g[0] + g[1] * g[1]) * (from[0] * from[0] + from[1] * from[1]));
	return least;
}

/* Whether no other pair starts to approach on the way from (p, q) of the wedge to another place. */
static bool
others_stay(const struct wedge *wedge, const double to[2])
{
	const struct cluster *cluster = wedge->cluster;
	/* In terms of (q, p): counterclockwise from the one to the other; after the first of two reflections clockwise,
	 * mirrored. */
	const double from_even[] = { wedge->q, wedge->p }, from_odd[] = { wedge->q, -wedge->p };
	const double to_even[] = { to[1], to[0] }, to_odd[] = { to[1], -to[0] };

	for (size_t k = 0; k < cluster->pair_count; k++) {
		const struct pair *pair = &cluster->pairs[k];

		if (pair == wedge->first || pair == wedge->second || !(pair_inverse_mass(pair) > 0.0))
			continue;

		const double g[2] = { pair_response(wedge, pair, 0.0, 1.0), pair_response(wedge, pair, 1.0, 0.0) };
		double least = lesser(arc_least(g, to_even, from_even), arc_least(g, from_odd, to_odd));

		if (pair_speed(cluster, pair) + (least - (g[0] * wedge->q + g[1] * wedge->p)) < 0.0)
			return false;
	}
	return true;
}

/* Rotates (p, q) as long as both contacts alternate. */
static void
wedge_turn(const struct wedge *wedge, double place[2])
{
	struct turn powers[POWERS_MAX] = { { wedge->sine, wedge->versine } };
	int top = 0;

	for (; top + 1 < POWERS_MAX && 2.0 * powers[top].sine * powers[top].sine <= 1.0 && powers[top].versine < 0.5; top++) {
		powers[top + 1].sine = 2.0 * powers[top].sine * (1.0 - powers[top].versine);
		powers[top + 1].versine = 2.0 * powers[top].sine * powers[top].sine;
	}
	/* The largest power may fit several times, each other one once: twice would have been the power before. The limit also ends
	 * the loop for a wedge so narrow that the smallest power changes no bit. */
	for (int k = top, left = LARGEST_TURNS; k >= 0;) {
		double p = place[0], q = place[1];
		const double turned[2] = { p + (powers[k].sine * q - powers[k].versine * p),
			                       q - (powers[k].sine * p + powers[k].versine * q) };
		bool good = turned[0] < 0.0 && others_stay(wedge, turned);

		if (good) {
			place[0] = turned[0];
			place[1] = turned[1];
		}
		if (!good || --left == 0) {
			k--;
			left = 1;
		}
	}
}

/* Moves the velocities, and the impulses with them, to another place in the plane. */
static void
wedge_write(const struct wedge *wedge, const double place[2])
{
	/* Rounding may have changed the length, which is the energy. */
	double before = wedge->p * wedge->p + wedge->q * wedge->q, after = place[0] * place[0] + place[1] * place[1];
	double size = sqrt(before / after), dp = place[0] * size - wedge->p, dq = place[1] * size - wedge->q;
	struct member *const members[] = { wedge->body, wedge->beside_first, wedge->beside_second };

	for (int k = 0; k < 3; k++) {
		double change[2];

		if (!members[k] || members[k]->inverse_mass == 0.0)
			continue;
		member_change(wedge, members[k], dp, dq, change);
		members[k]->vx += change[0];
		members[k]->vy += change[1];
	}
	wedge->second->impulse += dq / wedge->height;
	wedge->first->impulse += dp / wedge->length_1 - dq / wedge->height * wedge->c * (wedge->w / (wedge->w + wedge->wa));
}

bool
cluster_unfold(struct cluster *cluster, struct pair *first, struct pair *second)
{
	struct wedge wedge;

	if (!wedge_make(&wedge, cluster, first, second))
		return false;

	double place[] = { wedge.p, wedge.q };

	wedge_turn(&wedge, place);
	if (place[0] == wedge.p && place[1] == wedge.q)
		return false;
	wedge_write(&wedge, place);
	return true;
}

bool
cluster_turn_back(struct cluster *cluster, struct pair *first, struct pair *second)
{
	struct wedge wedge;

	if (!wedge_make(&wedge, cluster, first, second) || wedge.sine > NARROW)
		return false;
	wedge_write(&wedge, (const double[]){ -wedge.p, -wedge.q });
	return true;
}
