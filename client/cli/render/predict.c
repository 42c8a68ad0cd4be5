#include "client/cli/render/predict.h"

#include <math.h>

double
predict_point_time(const struct motion_piece *piece, double x, double y, double radius)
{
	double dx = piece->x - x, dy = piece->y - y, a = piece->vx * piece->vx + piece->vy * piece->vy;
	double b = dx * piece->vx + dy * piece->vy, c = dx * dx + dy * dy - radius * radius, disc = b * b - a * c;
	return disc >= 0 && b < 0 ? c / (sqrt(disc) - b) : 0;
}

double
predict_wall_time(const struct motion_piece *piece, const struct motion_wall *wall, double radius)
{
	double dx = wall->x2 - wall->x1, dy = wall->y2 - wall->y1, length = sqrt(dx * dx + dy * dy);
	double nx = -dy / length, ny = dx / length, d = (piece->x - wall->x1) * nx + (piece->y - wall->y1) * ny;
	double vn = piece->vx * nx + piece->vy * ny;
	if (d < 0) {
		d = -d;
		vn = -vn;
	}
	if (vn < 0) {
		double s = (d - radius) / -vn, x = piece->x + piece->vx * s, y = piece->y + piece->vy * s;
		double along = (x - wall->x1) * dx + (y - wall->y1) * dy;
		if (along >= 0 && along <= length * length)
			return s;
	}
	double first = predict_point_time(piece, wall->x1, wall->y1, radius);
	double second = predict_point_time(piece, wall->x2, wall->y2, radius);
	return first > 0 && (second <= 0 || first < second) ? first : second;
}

double
predict_pair_time(const struct motion_piece *a, const struct motion_piece *b, double radius)
{
	double t = a->t > b->t ? a->t : b->t;
	if (a->ax != b->ax || a->ay != b->ay)
		return t;
	struct piece_point a_at = piece_at(a, t), b_at = piece_at(b, t), a_v = piece_velocity_at(a, t),
					   b_v = piece_velocity_at(b, t);
	const struct motion_piece apart = { .x = a_at.x - b_at.x, .y = a_at.y - b_at.y, .vx = a_v.x - b_v.x, .vy = a_v.y - b_v.y };
	return t + predict_point_time(&apart, 0, 0, radius);
}

void
predict_point_reflect(double x, double y, double at_x, double at_y, struct piece_point *v)
{
	double nx = x - at_x, ny = y - at_y, twice = 2 * (v->x * nx + v->y * ny) / (nx * nx + ny * ny);
	v->x = v->x - twice * nx;
	v->y = v->y - twice * ny;
}

void
predict_wall_reflect(const struct motion_wall *wall, double x, double y, struct piece_point *v)
{
	double dx = wall->x2 - wall->x1, dy = wall->y2 - wall->y1;
	double along = ((x - wall->x1) * dx + (y - wall->y1) * dy) / (dx * dx + dy * dy);
	along = along < 0 ? 0 : along > 1 ? 1 : along;
	predict_point_reflect(x, y, wall->x1 + along * dx, wall->y1 + along * dy, v);
}

void
predict_pair_reflect(struct piece_point a, struct piece_point b, double a_mass, double b_mass, struct piece_point *a_v,
                     struct piece_point *b_v)
{
	double nx = a.x - b.x, ny = a.y - b.y;
	double twice = 2 * ((a_v->x - b_v->x) * nx + (a_v->y - b_v->y) * ny) / (nx * nx + ny * ny) / (a_mass + b_mass);
	a_v->x = a_v->x - twice * b_mass * nx;
	a_v->y = a_v->y - twice * b_mass * ny;
	b_v->x = b_v->x + twice * a_mass * nx;
	b_v->y = b_v->y + twice * a_mass * ny;
}
