/* Insertion sort for few elements, quicksort for many, heap sort where that goes wrong: no recursion, and of the order of
 * n log n comparisons in any case. */
#include "physics/math/sort.h"

#include "base/check.h"
#include "base/pause.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Up to this many elements are sorted by insertion. */
#define FEW 16
/* Of a step of heap sort, in units of a pause: a dozen comparisons. */
#define SORT_UNITS 12
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

static void
heap_sort(const struct sorting *s, size_t count)
{
	_Alignas(max_align_t) char lifted[SORT_ELEMENT_MAX];

	for (size_t k = count / 2; k-- > 0 && !pause_after(SORT_UNITS);) {
		memcpy(lifted, element(s, k), s->size);
		heap_sink(s, lifted, k, count);
	}
	for (size_t end = count - 1; end > 0 && !pause_after(SORT_UNITS); end--) {
		memcpy(lifted, element(s, end), s->size);
		memcpy(element(s, end), element(s, 0), s->size);
		heap_sink(s, lifted, 0, end);
	}
}

static void
element_swap(const struct sorting *s, size_t i, size_t j)
{
	_Alignas(max_align_t) char lifted[SORT_ELEMENT_MAX];

	memcpy(lifted, element(s, i), s->size);
	memcpy(element(s, i), element(s, j), s->size);
	memcpy(element(s, j), lifted, s->size);
}

/* Brings the median of three elements to the front. */
static void
pivot_choose(const struct sorting *s, size_t count)
{
	size_t low = count / 4, middle = count / 2, high = count - 1 - count / 4;

	if (s->compare(element(s, low), element(s, middle)) > 0)
		element_swap(s, low, middle);
	if (s->compare(element(s, middle), element(s, high)) > 0)
		element_swap(s, middle, high);
	if (s->compare(element(s, low), element(s, middle)) > 0)
		element_swap(s, low, middle);
	element_swap(s, 0, middle);
}

/* Hoare's partition by the first element. Returns where that ends up: before it are elements that are not greater, behind it
 * elements that are not less. */
static size_t
elements_part(const struct sorting *s, size_t count)
{
	size_t low = 0, high = count;

	for (;;) {
		do
			low++;
		while (low < count && s->compare(element(s, low), element(s, 0)) < 0 && !pause_after(1));
		do
			high--;
		while (s->compare(element(s, high), element(s, 0)) > 0 && !pause_after(1));
		if (low >= high)
			break;
		element_swap(s, low, high);
		if (pause_after(1))
			break;
	}
	element_swap(s, 0, high);
	return high;
}

/* Introsort (Musser 1997), by a stack of its own: the larger part waits, so the stack is no deeper than a logarithm. */
static void
quick_sort(struct sorting s, size_t count)
{
	struct {
		char *array;
		size_t count;
		unsigned rounds;
	} waiting[64];
	unsigned depth = 0, rounds = 0;

	for (size_t left = count; left > 1; left /= 2)
		rounds += 2;
	for (;;) {
		if (count <= FEW) {
			insert_all(&s, count);
		} else if (rounds == 0) {
			heap_sort(&s, count);
		} else {
			pivot_choose(&s, count);

			size_t at = elements_part(&s, count);
			bool first = at < count - at - 1;

			rounds--;
			waiting[depth].array = first ? element(&s, at + 1) : s.array;
			waiting[depth].count = first ? count - at - 1 : at;
			waiting[depth++].rounds = rounds;
			s.array = first ? s.array : element(&s, at + 1);
			count = first ? at : count - at - 1;
			if (!pause_after((uint32_t)(count < FEW ? FEW : 2)))
				continue;
			return;
		}
		if (depth == 0)
			return;
		s.array = waiting[--depth].array;
		count = waiting[depth].count;
		rounds = waiting[depth].rounds;
	}
}

void
array_sort(void *array, size_t count, size_t size, int (*compare)(const void *left, const void *right))
{
	const struct sorting s = { .array = array, .size = size, .compare = compare };

	CHECK(size <= SORT_ELEMENT_MAX);
	if (count <= FEW)
		insert_all(&s, count);
	else
		quick_sort(s, count);
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
