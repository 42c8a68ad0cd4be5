/* Insertion sort for few elements, heap sort for many: no recursion, and at most n log n comparisons in any case. */
#include "physics/math/sort.h"

#include "base/check.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Up to this many elements are sorted by insertion. */
#define FEW 16
/* Ranges that shrink by less than a third a round, as those of an adversary, are sorted then. */
#define SELECT_ROUNDS_MAX 40

struct sorting {
	char *array;
	size_t size;
	int (*compare)(const void *left, const void *right);
};

static char *
element(const struct sorting *s, size_t index)
{
	return s->array + index * s->size;
}

static void
insert_all(const struct sorting *s, size_t count)
{
	_Alignas(max_align_t) char lifted[SORT_ELEMENT_MAX];

	for (size_t k = 1; k < count; k++) {
		size_t hole = k;

		while (hole > 0 && s->compare(element(s, hole - 1), element(s, k)) > 0)
			hole--;
		if (hole == k)
			continue;
		memcpy(lifted, element(s, k), s->size);
		memmove(element(s, hole + 1), element(s, hole), (k - hole) * s->size);
		memcpy(element(s, hole), lifted, s->size);
	}
}

/* Sifts the lifted element down from the place `hole`, in a heap of `count` that is in order below it. */
static void
heap_sink(const struct sorting *s, const char *lifted, size_t hole, size_t count)
{
	for (size_t child = 2 * hole + 1; child < count; child = 2 * hole + 1) {
		if (child + 1 < count && s->compare(element(s, child + 1), element(s, child)) > 0)
			child++;
		if (s->compare(element(s, child), lifted) <= 0)
			break;
		memcpy(element(s, hole), element(s, child), s->size);
		hole = child;
	}
	memcpy(element(s, hole), lifted, s->size);
}

void
array_sort(void *array, size_t count, size_t size, int (*compare)(const void *left, const void *right))
{
	const struct sorting s = { .array = array, .size = size, .compare = compare };
	_Alignas(max_align_t) char lifted[SORT_ELEMENT_MAX];

	CHECK(size <= SORT_ELEMENT_MAX);
	if (count <= FEW) {
		insert_all(&s, count);
		return;
	}
	for (size_t k = count / 2; k-- > 0;) {
		memcpy(lifted, element(&s, k), size);
		heap_sink(&s, lifted, k, count);
	}
	for (size_t end = count - 1; end > 0; end--) {
		memcpy(lifted, element(&s, end), size);
		memcpy(element(&s, end), element(&s, 0), size);
		heap_sink(&s, lifted, 0, end);
	}
}

static int
double_compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

static double
median_of(double a, double b, double c)
{
	double low = a < b ? a : b, high = a < b ? b : a;

	return c < low ? low : c > high ? high : c;
}

/* Moves what is less than the pivot to the front of *low .. *high and what is greater to its end, and narrows the range to the
 * part with the rank. False: the rank is among those that equal the pivot. */
static bool
range_narrow(double *values, size_t *low, size_t *high, size_t rank, double pivot)
{
	size_t less = *low, more = *high;

	for (size_t at = less; at < more;) {
		double value = values[at];

		if (value < pivot) {
			values[at++] = values[less];
			values[less++] = value;
		} else if (value > pivot) {
			values[at] = values[--more];
			values[more] = value;
		} else {
			at++;
		}
	}
	if (rank < less)
		*high = less;
	else if (rank >= more)
		*low = more;
	else
		return false;
	return true;
}

double
double_select(double *values, size_t count, size_t rank)
{
	size_t low = 0, high = count;

	CHECK(rank < count);
	for (int round = 0; high - low > FEW && round < SELECT_ROUNDS_MAX; round++) {
		double pivot = median_of(values[low], values[low + (high - low) / 2], values[high - 1]);

		if (!range_narrow(values, &low, &high, rank, pivot))
			return pivot;
	}
	array_sort(values + low, high - low, sizeof *values, double_compare);
	return values[rank];
}
