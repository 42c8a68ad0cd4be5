/* Complementarity problems as contacts make them, their solutions held against the conditions that define one, in long double.
 * Velocities or accelerations of 0 satisfy every contact, so none of these is infeasible. */
#include "physics/math/lcp.h"

#include "support/effort.h"
#include "support/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { BODIES_MAX = 12, CONTACTS_MAX = 40, WIDTH_MAX = 2 * BODIES_MAX };

static const double PRECISION = 1e-8;

struct contacts {
	size_t bodies, n;
	double size[CONTACTS_MAX]; /* of the terms of b */
	double weight[BODIES_MAX]; /* of each body: the square root of its inverse mass */
	double rows[CONTACTS_MAX * WIDTH_MAX], b[CONTACTS_MAX], x[CONTACTS_MAX], d[WIDTH_MAX];
	double scratch[LCP_DOUBLES(CONTACTS_MAX, WIDTH_MAX)];
	struct lcp_line lines[CONTACTS_MAX];
	bool active[CONTACTS_MAX];
	uint32_t index[CONTACTS_MAX];
};

/* A contact of body i with body j, or with a wall if they are the same. */
static void
contact_add(struct contacts *contacts, size_t i, size_t j, double angle, const double weight[])
{
	double *row = contacts->rows + contacts->n++ * 2 * contacts->bodies;

	for (size_t k = 0; k < 2 * contacts->bodies; k++)
		row[k] = 0.0;
	row[2 * i] = weight[i] * cos(angle);
	row[2 * i + 1] = weight[i] * sin(angle);
	if (i != j) {
		row[2 * j] = -weight[j] * cos(angle);
		row[2 * j + 1] = -weight[j] * sin(angle);
	}
}

/* Speeds of approach by gravity. */
static void
contacts_fall(struct contacts *contacts)
{
	double fall[WIDTH_MAX];

	for (size_t k = 0; k < contacts->bodies; k++) {
		fall[2 * k] = 0.0;
		fall[2 * k + 1] = -9.81 / contacts->weight[k];
	}
	for (size_t r = 0; r < contacts->n; r++) {
		const double *row = contacts->rows + r * 2 * contacts->bodies;

		contacts->b[r] = contacts->size[r] = 0.0;
		for (size_t k = 0; k < 2 * contacts->bodies; k++) {
			contacts->b[r] += row[k] * fall[k];
			contacts->size[r] += fabs(row[k] * fall[k]);
		}
	}
}

/* Gravity on bodies of masses 1 : `spread`^2 with contacts at random, some given twice and some nearly twice. */
static void
contacts_make(struct contacts *contacts, uint64_t *random, double spread)
{
	double *weight = contacts->weight;
	size_t wanted = 1 + (size_t)random_between(random, 0, CONTACTS_MAX - 0.01);

	contacts->bodies = 1 + (size_t)random_between(random, 0, BODIES_MAX - 0.01);
	contacts->n = 0;
	for (size_t k = 0; k < contacts->bodies; k++)
		weight[k] = exp(random_between(random, -log(spread), log(spread)));
	while (contacts->n < wanted) {
		size_t i = (size_t)random_between(random, 0, (double)contacts->bodies - 0.01);
		size_t j = (size_t)random_between(random, 0, (double)contacts->bodies - 0.01);
		double angle = random_between(random, 0, 6.283185307179586), kind = random_between(random, 0, 10);

		contact_add(contacts, i, j, angle, weight);
		if (kind < 1 && contacts->n < wanted)
			contact_add(contacts, i, j, angle, weight);
		else if (kind < 3 && contacts->n < wanted)
			contact_add(contacts, i, j, angle + 3.141592653589793 + random_between(random, -1e-4, 1e-4), weight);
	}
	contacts_fall(contacts);
}

/* The same, but each contact comes two to four times, 1e-15 to 1e-5 apart: circles in almost the same place on another. */
static void
contacts_repeat(struct contacts *contacts, uint64_t *random, double spread)
{
	contacts->bodies = 1 + (size_t)random_between(random, 0, BODIES_MAX - 0.01);
	contacts->n = 0;
	for (size_t k = 0; k < contacts->bodies; k++)
		contacts->weight[k] = exp(random_between(random, -log(spread), log(spread)));
	while (contacts->n + 4 <= CONTACTS_MAX) {
		size_t i = (size_t)random_between(random, 0, (double)contacts->bodies - 0.01);
		size_t j = (size_t)random_between(random, 0, (double)contacts->bodies - 0.01);
		double angle = random_between(random, 0, 6.283185307179586), times = random_between(random, 1, 3);

		contact_add(contacts, i, j, angle, contacts->weight);
		for (double k = 0.0; k < times; k += 1.0)
			contact_add(contacts, i, j, angle + pow(10.0, random_between(random, -15, -5)), contacts->weight);
	}
	contacts_fall(contacts);
}

/* By how much the impulses do not make up the change, as velocities, in parts of the fastest that any of them alone would
 * make. */
static double
contacts_unaccounted(const struct contacts *contacts)
{
	size_t width = 2 * contacts->bodies;
	long double fastest = 0.0L, off = 0.0L;

	for (size_t k = 0; k < width; k++) {
		long double change = 0.0L, terms = 0.0L;

		for (size_t r = 0; r < contacts->n; r++) {
			long double part = (long double)contacts->rows[r * width + k] * contacts->x[r];

			change += part;
			terms += fabsl(part);
		}
		fastest = fmaxl(fastest, terms * contacts->weight[k / 2]);
		off = fmaxl(off, fabsl(change - contacts->d[k]) * contacts->weight[k / 2]);
	}
	return fastest > 0.0L ? (double)(off / fastest) : 0.0;
}

/* By how much the solution misses its conditions, in parts of the terms that make each up. No contact approaches, those with an
 * impulse part at no speed, and the impulses make up the change. */
static double
contacts_miss(const struct contacts *contacts)
{
	size_t width = 2 * contacts->bodies;
	long double worst = contacts_unaccounted(contacts);

	for (size_t r = 0; r < contacts->n; r++) {
		const double *row = contacts->rows + r * width;
		long double gap = contacts->b[r], size = contacts->size[r];

		if (!(contacts->x[r] >= 0.0))
			return (double)INFINITY;
		for (size_t k = 0; k < width; k++) {
			gap += (long double)row[k] * contacts->d[k];
			size += fabsl((long double)row[k] * contacts->d[k]);
		}
		if (size > 0.0L)
			worst = fmaxl(worst, (contacts->x[r] > 0.0 ? fabsl(gap) : -gap) / size);
	}
	return (double)worst;
}

/* By how much d is not what the impulses make, relative to their sizes. */
static double
effect_miss(const struct contacts *contacts)
{
	const size_t width = 2 * contacts->bodies;
	long double worst = 0.0L, most = 0.0L;

	for (size_t k = 0; k < width; k++) {
		long double sum = 0.0L;
		for (size_t r = 0; r < contacts->n; r++) {
			const long double part = (long double)contacts->rows[r * width + k] * contacts->x[r];
			sum += part;
			most = fmaxl(most, fabsl(part));
		}
		worst = fmaxl(worst, fabsl(sum - contacts->d[k]));
		most = fmaxl(most, fabsl((long double)contacts->d[k]));
	}
	return most > 0.0L ? (double)(worst / most) : 0.0;
}

static enum lcp_result
contacts_solve_knowing(struct contacts *contacts, const bool *absent, size_t *known)
{
	return lcp_solve(&(struct lcp_problem){
		.n = contacts->n,
		.width = 2 * contacts->bodies,
		.rows = known ? NULL : contacts->rows,
		.b = contacts->b,
		.absent = absent,
		.tolerance = 1e-12,
		.d = contacts->d,
		.x = contacts->x,
		.active = contacts->active,
		.index = contacts->index,
		.scratch = contacts->scratch,
		.lines = contacts->lines,
		.known = known,
	});
}

static enum lcp_result
contacts_solve(struct contacts *contacts)
{
	return contacts_solve_knowing(contacts, NULL, NULL);
}

static void
solve_many(double spread, size_t count)
{
	static struct contacts contacts;
	uint64_t random = 1;
	size_t infeasible = 0, stalled = 0, missed = 0, unmade = 0;

	for (size_t k = 0; k < count; k++) {
		contacts_make(&contacts, &random, spread);

		enum lcp_result result = contacts_solve(&contacts);

		infeasible += result == LCP_INFEASIBLE;
		stalled += result == LCP_STALLED;
		missed += result == LCP_SOLVED && contacts_miss(&contacts) > PRECISION;
		unmade += effect_miss(&contacts) > 0x1p-30;
	}
	printf("masses 1 : %g: of %zu problems %zu infeasible, %zu stalled, %zu missed by more than %g, %zu unmade\n",
	       spread * spread, count, infeasible, stalled, missed, PRECISION, unmade);
	assert_int_equal(infeasible, 0);
	assert_int_equal(stalled, 0);
	/* Contacts that are dependent up to the last digits leave impulses undetermined to that. */
	assert_true(missed <= count / 1000);
	/* Momentum: the change is what the impulses make, whichever they are, but for the same contacts. */
	assert_int_equal(unmade, 0);
}

static void
equal_masses(void **state)
{
	(void)state;
	solve_many(1.0, effort(2000, 20000));
}

static void
masses_up_to_1_to_10000(void **state)
{
	(void)state;
	solve_many(100.0, effort(4000, 20000));
}

/* Which of them get the impulse may be undetermined. What they give together is not. */
static void
nearly_equal_contacts_add_up(void **state)
{
	static struct contacts contacts;
	uint64_t random = 1;
	double worst = 0.0;
	size_t solved = 0;

	(void)state;
	for (size_t k = 0; k < effort(2000, 20000); k++) {
		contacts_repeat(&contacts, &random, k % 2 == 0 ? 1.0 : 30.0);
		if (contacts_solve(&contacts) != LCP_SOLVED)
			continue;
		solved++;
		worst = fmax(worst, contacts_unaccounted(&contacts));
	}
	printf("nearly equal contacts: %zu solved, impulses off the change by up to %.2g of it\n", solved, worst);
	assert_int_equal(solved, effort(2000, 20000));
	assert_true(worst < 1e-13);
}

/* The nonzero numbers of the rows, as a caller without rows gives them. */
static void
lines_fill(struct contacts *contacts)
{
	for (size_t r = 0; r < contacts->n; r++) {
		contacts->lines[r] = (struct lcp_line){ 0 };
		for (uint32_t k = 0; k < 2 * contacts->bodies; k++)
			lcp_line_add(&contacts->lines[r], k, contacts->rows[r * 2 * contacts->bodies + k]);
	}
}

/* The contacts that count, by themselves. */
static void
contacts_take(const struct contacts *all, const bool *absent, struct contacts *some)
{
	const size_t width = 2 * all->bodies;

	some->bodies = all->bodies;
	some->n = 0;
	for (size_t k = 0; k < all->bodies; k++)
		some->weight[k] = all->weight[k];
	for (size_t r = 0; r < all->n; r++) {
		if (absent[r])
			continue;
		memcpy(some->rows + some->n * width, all->rows + r * width, width * sizeof *some->rows);
		some->size[some->n] = all->size[r];
		some->b[some->n++] = all->b[r];
	}
}

/* By how much the two changes differ, relative to the larger. */
static double
changes_differ(const struct contacts *one, const struct contacts *other)
{
	double off = 0, most = 0;

	for (size_t k = 0; k < 2 * one->bodies; k++) {
		off = fmax(off, fabs(one->d[k] - other->d[k]));
		most = fmax(most, fmax(fabs(one->d[k]), fabs(other->d[k])));
	}
	return most > 0 ? off / most : 0;
}

/* Problems of some of the same rows one after the other. What is known of the one before changes which constraint enters first,
 * and no solution: it is what these contacts have by themselves, and meets the conditions. Some problems are so much alike that
 * the constraints enter in the same order, some differ in it, and some have constraints that leave or contradict. */
static void
same_rows_one_after_the_other(void **state)
{
	static struct contacts kept, anew;
	uint64_t random = 7;
	size_t solved = 0, other = 0, used = 0, missed = 0, missed_anew = 0, differ = 0, results = 0;

	(void)state;
	for (size_t k = 0; k < effort(500, 20000); k++) {
		size_t known = 0;

		if (k % 3 == 0)
			contacts_repeat(&kept, &random, k % 2 == 0 ? 1.0 : 30.0);
		else
			contacts_make(&kept, &random, k % 2 == 0 ? 1.0 : 100.0);
		lines_fill(&kept);
		for (int again = 0; again < 6; again++) {
			bool absent[CONTACTS_MAX];
			for (size_t r = 0; r < kept.n; r++) {
				if (again > 0)
					kept.b[r] = again % 3 == 0
					                ? random_between(&random, -1, 0.3)
					                : kept.b[r] * (1 + random_between(&random, -1, 1) * (again % 3 == 1 ? 1e-3 : 0.3));
				kept.size[r] = again > 0 ? fabs(kept.b[r]) : kept.size[r];
				absent[r] = again % 2 == 1 && random_below(&random, 4) == 0;
			}
			used += known;
			enum lcp_result result = contacts_solve_knowing(&kept, absent, &known);
			assert_true(known <= kept.n);
			for (size_t r = 0; r < kept.n; r++)
				assert_true(!absent[r] || (kept.x[r] == 0 && !kept.active[r]));
			contacts_take(&kept, absent, &anew);
			const bool same = contacts_solve(&anew) == result;
			results += !same;
			solved += result == LCP_SOLVED;
			other += result != LCP_SOLVED;
			if (!same || result != LCP_SOLVED)
				continue;
			differ += changes_differ(&kept, &anew) > 1e-6;
			missed_anew += contacts_miss(&anew) > PRECISION;
			for (size_t r = 0, at = 0; r < kept.n; r++)
				if (!absent[r])
					anew.x[at++] = kept.x[r];
			memcpy(anew.d, kept.d, sizeof anew.d);
			missed += contacts_miss(&anew) > PRECISION;
		}
	}
	printf(
		"same rows: %zu solved, %zu not, %zu known; %zu missed by more than %g, by themselves %zu; %zu differ, %zu otherwise\n",
		solved, other, used, missed, PRECISION, missed_anew, differ, results);
	assert_true(solved > 0 && other > 0 && used > solved);
	/* Nearly equal contacts are met to less. */
	assert_true(missed <= missed_anew + missed_anew / 10);
	assert_true(differ <= solved / 1000);
	assert_true(results <= (solved + other) / 1000);
}

/* Among more bodies than a set has bits, most of which no contact has, a problem has the same solution to the last bit. */
static void
bodies_without_contacts_change_no_bit(void **state)
{
	enum { MANY = 70, WIDE = 2 * MANY };
	static struct contacts contacts;
	static double rows[CONTACTS_MAX * WIDE], d[WIDE], x[CONTACTS_MAX], scratch[LCP_DOUBLES(CONTACTS_MAX, WIDE)];
	static struct lcp_line lines[CONTACTS_MAX];
	static bool active[CONTACTS_MAX];
	static uint32_t index[CONTACTS_MAX];
	uint64_t random = 9;

	(void)state;
	for (size_t round = 0; round < effort(300, 3000); round++) {
		size_t place[BODIES_MAX];

		contacts_make(&contacts, &random, round % 2 == 0 ? 1.0 : 100.0);
		for (size_t k = 0; k < contacts.bodies; k++)
			place[k] = k == 0 ? (size_t)random_below(&random, 5) : place[k - 1] + 1 + (size_t)random_below(&random, 5);
		for (size_t r = 0; r < contacts.n; r++) {
			for (size_t k = 0; k < WIDE; k++)
				rows[r * WIDE + k] = 0.0;
			for (size_t k = 0; k < 2 * contacts.bodies; k++)
				rows[r * WIDE + 2 * place[k / 2] + k % 2] = contacts.rows[r * 2 * contacts.bodies + k];
		}
		enum lcp_result few = contacts_solve(&contacts);
		enum lcp_result many = lcp_solve(&(struct lcp_problem){ .n = contacts.n,
		                                                        .width = WIDE,
		                                                        .rows = rows,
		                                                        .b = contacts.b,
		                                                        .tolerance = 1e-12,
		                                                        .d = d,
		                                                        .x = x,
		                                                        .active = active,
		                                                        .index = index,
		                                                        .scratch = scratch,
		                                                        .lines = lines });
		assert_int_equal(many, few);
		for (size_t r = 0; r < contacts.n; r++) {
			assert_true(x[r] == contacts.x[r]);
			assert_int_equal(active[r], contacts.active[r]);
		}
		for (size_t k = 0; k < 2 * contacts.bodies; k++)
			assert_true(d[2 * place[k / 2] + k % 2] == contacts.d[k]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_masses),
		cmocka_unit_test(masses_up_to_1_to_10000),
		cmocka_unit_test(nearly_equal_contacts_add_up),
		cmocka_unit_test(same_rows_one_after_the_other),
		cmocka_unit_test(bodies_without_contacts_change_no_bit),
	};

	return cmocka_run_group_tests_name("lcp", tests, NULL, NULL);
}
