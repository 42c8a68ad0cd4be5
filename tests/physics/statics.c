#include "physics/statics.h"

#include <math.h>
#include <stdlib.h>

/* Of the forces, which are some weights. */
#define ROUNDING 1e-9

/* Least sum of the rows' errors, where column `width - 1` is the right side and the last row holds the sums to be brought to 0.
 */
struct tableau {
	size_t height, width;
	double *cells;
	size_t *basis;
};

static double *
row_of(const struct tableau *t, size_t row)
{
	return t->cells + row * t->width;
}

static void
pivot(struct tableau *t, size_t row, size_t column)
{
	double *chosen = row_of(t, row);
	const double scale = 1 / chosen[column];
	for (size_t k = 0; k < t->width; k++)
		chosen[k] *= scale;
	for (size_t i = 0; i <= t->height; i++) {
		double *other = row_of(t, i);
		const double factor = other[column];
		for (size_t k = 0; i != row && factor != 0 && k < t->width; k++)
			other[k] -= factor * chosen[k];
	}
	t->basis[row] = column;
}

/* The error that is left. Bland's rule: the first column that helps, of the rows that bound it the one with the first basic
 * column; it cannot go round in circles. */
static double
errors_minimize(struct tableau *t)
{
	const double *sums = row_of(t, t->height);
	for (;;) {
		size_t column = 0, best = t->height;
		while (column + 1 < t->width && sums[column] <= ROUNDING)
			column++;
		if (column + 1 == t->width)
			return sums[t->width - 1];
		double least = INFINITY;
		for (size_t i = 0; i < t->height; i++) {
			const double *row = row_of(t, i);
			if (row[column] <= ROUNDING)
				continue;
			const double ratio = row[t->width - 1] / row[column];
			if (best == t->height || ratio < least - 1e-12 || (ratio <= least + 1e-12 && t->basis[i] < t->basis[best])) {
				best = i;
				least = ratio;
			}
		}
		if (best == t->height)
			return sums[t->width - 1];
		pivot(t, best, column);
	}
}

/* Columns of a contact: normal force, friction to the left of the normal and to the right, torque to the left and to the right.
 * Then what is left of the friction's and of the torque's bounds. */
enum { NORMAL, LEFT, RIGHT, TURN_LEFT, TURN_RIGHT, FRICTION_LEFT, ROLLING_LEFT, COLUMNS };

static void
disc_rows_add(struct tableau *t, size_t disc, size_t first, const struct statics_contact *c, double sign)
{
	double *x = row_of(t, 3 * disc), *y = row_of(t, 3 * disc + 1), *torque = row_of(t, 3 * disc + 2);
	x[first + NORMAL] = sign * c->nx;
	y[first + NORMAL] = sign * c->ny;
	x[first + LEFT] = -sign * c->ny;
	y[first + LEFT] = sign * c->nx;
	x[first + RIGHT] = sign * c->ny;
	y[first + RIGHT] = -sign * c->nx;
	/* The point of contact is at -sign * normal, the force sign * (normal turned left). */
	torque[first + LEFT] = -1;
	torque[first + RIGHT] = 1;
	torque[first + TURN_LEFT] = sign;
	torque[first + TURN_RIGHT] = -sign;
}

bool
statics_stands(size_t discs, const struct statics_contact *contacts, size_t contact_count, double friction, double rolling)
{
	struct tableau t = { .height = 3 * discs + 2 * contact_count, .width = COLUMNS * contact_count + 1 };
	bool stands = false;
	t.cells = calloc((t.height + 1) * t.width, sizeof *t.cells);
	t.basis = calloc(t.height, sizeof *t.basis);
	if (t.cells && t.basis) {
		for (size_t k = 0; k < contact_count; k++) {
			const size_t first = COLUMNS * k;
			double *slide = row_of(&t, 3 * discs + 2 * k), *roll = slide + t.width;
			disc_rows_add(&t, contacts[k].upper, first, &contacts[k], 1);
			if (contacts[k].lower != STATICS_GROUND)
				disc_rows_add(&t, contacts[k].lower, first, &contacts[k], -1);
			slide[first + NORMAL] = friction;
			slide[first + LEFT] = slide[first + RIGHT] = slide[first + FRICTION_LEFT] = -1;
			roll[first + NORMAL] = rolling;
			roll[first + TURN_LEFT] = roll[first + TURN_RIGHT] = roll[first + ROLLING_LEFT] = -1;
		}
		for (size_t i = 0; i < discs; i++)
			row_of(&t, 3 * i + 1)[t.width - 1] = 1;
		/* Each row begins with its own error as its basic column, which is not kept: it never comes back. */
		for (size_t i = 0; i < t.height; i++) {
			t.basis[i] = t.width + i;
			for (size_t k = 0; k < t.width; k++)
				row_of(&t, t.height)[k] += row_of(&t, i)[k];
		}
		stands = errors_minimize(&t) <= ROUNDING * 1e3;
	}
	free(t.cells);
	free(t.basis);
	return stands;
}

double
statics_friction_least(size_t discs, const struct statics_contact *contacts, size_t contact_count, double rolling)
{
	double low = 0, high = 8;
	if (!statics_stands(discs, contacts, contact_count, high, rolling))
		return INFINITY;
	while (high - low > 1e-6) {
		const double middle = (low + high) / 2;
		if (statics_stands(discs, contacts, contact_count, middle, rolling))
			high = middle;
		else
			low = middle;
	}
	return high;
}
