#include "certificate/escape.h"
#include "certificate/cert_problem.h"
#include "certificate/wall_motion.h"

/* The side of the wall's line that the point is on: -1, 0, 1. Within rounding it is on the line: a centre that a scene puts on
 * a wall has no side yet. */
static int
wall_side(const struct cert_wall *wall, struct cert_vec point)
{
	double across = cert_cross(wall->along, cert_sub(point, wall->p1));
	double margin = 0x1p-48 * (cert_reach(point) + cert_reach(wall->p1) + wall->length) + wall->slop;

	return (across > margin) - (across < -margin);
}

/* A centre that passes through an end point itself has crossed as well. */
static bool
wall_spans(const struct cert_wall *wall, struct cert_vec point)
{
	double along = cert_dot(wall->along, cert_sub(point, wall->p1)), margin = 0x1p-50 * (cert_reach(point) + wall->length);

	return along >= -margin && along <= wall->length + margin;
}

/* Follows the side through one piece. The roots of the distance from the line cut the piece into parts with one side each,
 * taken in their middle. A change of side belongs to the point between the parts, also where that is between two pieces. */
static int
piece_crossings(const struct cert_piece *piece, const struct cert_body *body, const struct cert_wall *wall, int side,
                struct certificate_report *report)
{
	struct cert_motion whole = cert_piece_motion(piece, piece->t0), motion = cert_motion_seen(wall, &whole, piece->t0);
	struct cert_vec from = cert_sub(motion.d, wall->p1);
	double h = piece->t1 - piece->t0, cuts[4] = { 0 };
	size_t count = 1 + cert_quadratic_roots(cert_cross(wall->along, from), cert_cross(wall->along, motion.w),
	                                        0.5 * cert_cross(wall->along, motion.q), h, cuts + 1);

	cuts[count] = h;
	for (size_t i = 0; i < count; i++) {
		int now = wall_side(wall, cert_motion_at(&motion, 0.5 * (cuts[i] + cuts[i + 1])));

		if (now != 0 && side == -now && wall_spans(wall, cert_motion_at(&motion, cuts[i])))
			cert_problem_escape(report, body->id, wall->id, piece->t0 + cuts[i]);
		side = now != 0 ? now : side;
	}
	return side;
}

int
cert_escapes_count(const struct cert_paths *paths, size_t index, const struct cert_body *body, const struct cert_wall *wall,
                   int side, struct certificate_report *report)
{
	/* A wall that moves passes over what is crushed. */
	for (size_t i = paths->first[index];
	     i < paths->first[index + 1] && (!cert_wall_moves(wall) || paths->pieces[i].t0 < paths->crushed[index]); i++)
		side = piece_crossings(&paths->pieces[i], body, wall, side, report);
	return side;
}

bool
cert_wall_crossed(const struct cert_wall *wall, bool one_sided, struct cert_vec from, struct cert_vec to)
{
	double a = cert_cross(wall->along, cert_sub(from, wall->p1)), b = cert_cross(wall->along, cert_sub(to, wall->p1));

	return wall_side(wall, from) * wall_side(wall, to) < 0 && !(one_sided && wall_side(wall, from) < 0) &&
	       wall_spans(wall, cert_along(from, a / (a - b), cert_sub(to, from)));
}
