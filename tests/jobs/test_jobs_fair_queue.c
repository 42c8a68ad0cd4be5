/* The fair queue: the least first, as a search through all says; the bound on what two get; newcomers without end; debts, of
 * time got outside of the queue too. */
#include "jobs/fair_queue.h"
#include "support/effort.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { ACCOUNTS = 5, CONNECTIONS = 3, ITEMS = 4, PERMITS_MAX = 3 };

/* What an item's owner knows of it. */
enum place { IDLE, QUEUED, SERVED };

struct tree {
	struct fair_node root, accounts[ACCOUNTS], connections[ACCOUNTS][CONNECTIONS], items[ACCOUNTS][CONNECTIONS][ITEMS];
	enum place places[ACCOUNTS][CONNECTIONS][ITEMS];
	struct fair_node *served[PERMITS_MAX];
	unsigned served_count;
};

static void
tree_init(struct tree *tree, uint64_t *seed)
{
	memset(tree, 0, sizeof *tree);
	fair_node_init(&tree->root, NULL, FAIR_WEIGHT_ONE);
	for (unsigned a = 0; a < ACCOUNTS; a++) {
		uint32_t weight = FAIR_WEIGHT_ONE << random_below(seed, 3);
		fair_node_init(&tree->accounts[a], &tree->root, weight);
		for (unsigned c = 0; c < CONNECTIONS; c++) {
			fair_node_init(&tree->connections[a][c], &tree->accounts[a], FAIR_WEIGHT_ONE);
			for (unsigned i = 0; i < ITEMS; i++)
				fair_node_init(&tree->items[a][c][i], &tree->connections[a][c], FAIR_WEIGHT_ONE);
		}
	}
}

static enum place *
place_of(struct tree *tree, const struct fair_node *item)
{
	return &tree->places[0][0][0] + (item - &tree->items[0][0][0]);
}

/* By what the owners of the items know, not by what the queue says of itself. */
static unsigned
count_places(const struct tree *tree, unsigned a, int c, enum place place)
{
	unsigned count = 0;
	for (unsigned k = c < 0 ? 0 : (unsigned)c; k < (c < 0 ? CONNECTIONS : (unsigned)c + 1); k++)
		for (unsigned i = 0; i < ITEMS; i++)
			count += tree->places[a][k][i] == place;
	return count;
}

/* `node` is the first of those of `count` siblings that have something queued. */
static void
assert_first(const struct fair_node *node, const struct fair_node *siblings, unsigned count, const bool *has)
{
	for (unsigned i = 0; i < count; i++) {
		const struct fair_node *other = &siblings[i];
		if (!has[i] || other == node)
			continue;
		int64_t between = (int64_t)(other->start - node->start);
		assert_true(between > 0 || (between == 0 && other->order > node->order));
	}
}

/* The next one must be the first at each level, of all that have something queued. */
static struct fair_node *
take_checked(struct tree *tree)
{
	bool has[ACCOUNTS + CONNECTIONS + ITEMS];
	const struct tree before = *tree;
	struct fair_node *item = fair_take(&tree->root);
	size_t at = item ? (size_t)(item - &tree->items[0][0][0]) : 0;
	size_t a = at / (CONNECTIONS * ITEMS), c = at / ITEMS % CONNECTIONS, i = at % ITEMS;
	unsigned queued = 0;
	for (unsigned k = 0; k < ACCOUNTS; k++)
		queued += count_places(tree, k, -1, QUEUED);
	assert_int_equal(item != NULL, queued > 0);
	if (!item)
		return NULL;
	assert_int_equal(tree->places[a][c][i], QUEUED);
	for (unsigned k = 0; k < ACCOUNTS; k++)
		has[k] = count_places(tree, k, -1, QUEUED) > 0;
	assert_first(&before.accounts[a], before.accounts, ACCOUNTS, has);
	for (unsigned k = 0; k < CONNECTIONS; k++)
		has[k] = count_places(tree, (unsigned)a, (int)k, QUEUED) > 0;
	assert_first(&before.connections[a][c], before.connections[a], CONNECTIONS, has);
	for (unsigned k = 0; k < ITEMS; k++)
		has[k] = tree->places[a][c][k] == QUEUED;
	assert_first(&before.items[a][c][i], before.items[a][c], ITEMS, has);
	tree->places[a][c][i] = SERVED;
	tree->served[tree->served_count++] = item;
	return item;
}

static void
assert_consistent(const struct tree *tree)
{
	uint64_t weight = 0;
	for (unsigned a = 0; a < ACCOUNTS; a++) {
		unsigned queued = count_places(tree, a, -1, QUEUED), served = count_places(tree, a, -1, SERVED);
		assert_int_equal(tree->accounts[a].queued, queued > 0);
		assert_int_equal(tree->accounts[a].in_service, served);
		weight += queued + served > 0 ? tree->accounts[a].weight : 0;
	}
	assert_int_equal(tree->root.active_weight, weight);
}

static void
end_served(struct tree *tree, unsigned k, uint64_t cost_ns, bool again)
{
	struct fair_node *item = tree->served[k];
	fair_charge(item, cost_ns);
	if (again)
		fair_put_back(item);
	else
		fair_end(item);
	*place_of(tree, item) = again ? QUEUED : IDLE;
	tree->served[k] = tree->served[--tree->served_count];
}

/* 400,000 operations of all kinds, with virtual times that wrap around meanwhile. */
static void
the_first_is_what_a_search_finds(void **state)
{
	(void)state;
	for (uint64_t run = 0; run < 20; run++) {
		uint64_t seed = run;
		struct tree tree;
		tree_init(&tree, &seed);
		tree.root.now = run % 2 == 0 ? 0 : UINT64_MAX - 50 * FAIR_QUANTUM_NS;
		for (unsigned a = 0; a < ACCOUNTS; a++)
			tree.accounts[a].start = tree.root.now;
		for (unsigned turn = 0; turn < 20000; turn++) {
			unsigned at = (unsigned)random_below(&seed, ACCOUNTS * CONNECTIONS * ITEMS);
			struct fair_node *item = &tree.items[0][0][0] + at;
			unsigned served = (unsigned)random_below(&seed, PERMITS_MAX);
			switch (random_below(&seed, 8)) {
			case 0:
			case 1:
			case 2:
				if (*place_of(&tree, item) == IDLE) {
					fair_push(item);
					*place_of(&tree, item) = QUEUED;
				}
				break;
			case 3:
				if (*place_of(&tree, item) == QUEUED && random_below(&seed, 4) == 0) {
					fair_remove(item);
					*place_of(&tree, item) = IDLE;
				}
				break;
			case 4: fair_weight_set(&tree.accounts[at % ACCOUNTS], (uint32_t)(1 + random_below(&seed, 4096))); break;
			case 5:
				if (served < tree.served_count)
					end_served(&tree, served, random_below(&seed, 3 * FAIR_QUANTUM_NS), random_below(&seed, 3) > 0);
				break;
			default:
				if (tree.served_count < PERMITS_MAX)
					(void)take_checked(&tree);
			}
			assert_consistent(&tree);
		}
	}
}

/* Accounts that have work all the while: what each gets over its weight stays within the stated bound of every other, over
 * every interval, while others come and go. */
static void
what_two_get_stays_within_the_bound(void **state)
{
	(void)state;
	enum { STEADY = 3 };
	for (uint64_t run = 0; run < effort(8, 60); run++) {
		uint64_t seed = 1000 + run;
		unsigned permits = 1 + (unsigned)(run % PERMITS_MAX);
		uint64_t cost_max = FAIR_QUANTUM_NS / 4 << run % 4; /* up to two quanta, as a stretch may be */
		double got[STEADY] = { 0 }, low[STEADY][STEADY] = { { 0 } }, high[STEADY][STEADY] = { { 0 } };
		struct tree tree;
		tree_init(&tree, &seed);
		for (unsigned a = 0; a < STEADY; a++)
			for (unsigned c = 0; c < CONNECTIONS; c++)
				for (unsigned i = 0; i < ITEMS; i++) {
					fair_push(&tree.items[a][c][i]);
					tree.places[a][c][i] = QUEUED;
				}
		for (unsigned turn = 0; turn < 20000; turn++) {
			unsigned a = STEADY + (unsigned)random_below(&seed, ACCOUNTS - STEADY);
			unsigned c = (unsigned)random_below(&seed, CONNECTIONS);
			if (tree.places[a][c][0] == IDLE) {
				fair_push(&tree.items[a][c][0]);
				tree.places[a][c][0] = QUEUED;
			}
			while (tree.served_count < permits && take_checked(&tree)) {
			}
			unsigned k = (unsigned)random_below(&seed, tree.served_count);
			size_t account = (size_t)(tree.served[k] - &tree.items[0][0][0]) / (CONNECTIONS * ITEMS);
			uint64_t cost = 1 + random_below(&seed, cost_max);
			end_served(&tree, k, cost, account < STEADY);
			if (account >= STEADY)
				continue;
			got[account] += (double)cost * FAIR_WEIGHT_ONE / tree.accounts[account].weight;
			for (unsigned g = 0; g < STEADY; g++) {
				double between = got[account] - got[g];
				low[account][g] = between < low[account][g] ? between : low[account][g];
				high[account][g] = between > high[account][g] ? between : high[account][g];
			}
		}
		for (unsigned f = 0; f < STEADY; f++)
			for (unsigned g = 0; g < STEADY; g++) {
				double wf = (double)tree.accounts[f].weight / FAIR_WEIGHT_ONE;
				double wg = (double)tree.accounts[g].weight / FAIR_WEIGHT_ONE;
				double c = (double)cost_max, bound = permits * (c / wf + c / wg + (double)FAIR_QUANTUM_NS);
				assert_true(high[f][g] <= bound && low[f][g] >= -bound);
				assert_true(high[f][g] - low[f][g] <= 2 * bound);
			}
	}
}

/* One that has been served once, and after that a newcomer for each taking, always new, always at the front. */
static void
newcomers_without_end_do_not_keep_one_waiting(void **state)
{
	(void)state;
	enum { NEWCOMERS = 4000 };
	static struct fair_node newcomers[NEWCOMERS];
	struct fair_node root, old;
	unsigned old_count = 0;
	fair_node_init(&root, NULL, FAIR_WEIGHT_ONE);
	fair_node_init(&old, &root, FAIR_WEIGHT_ONE);
	fair_push(&old);
	assert_ptr_equal(fair_take(&root), &old);
	for (unsigned i = 0; i < 3; i++) {
		fair_node_init(&newcomers[i], &root, FAIR_WEIGHT_ONE);
		fair_push(&newcomers[i]);
	}
	fair_charge(&old, FAIR_QUANTUM_NS);
	fair_put_back(&old);
	for (unsigned i = 3; i < NEWCOMERS; i++) {
		/* It comes while one is in service, so there are always some. */
		struct fair_node *taken = fair_take(&root);
		if (taken != &old) {
			fair_node_init(&newcomers[i], &root, FAIR_WEIGHT_ONE);
			fair_push(&newcomers[i]);
		}
		fair_charge(taken, FAIR_QUANTUM_NS);
		old_count += taken == &old;
		if (taken == &old)
			fair_put_back(&old);
		else
			fair_end(taken);
	}
	/* It and three newcomers have work at any time, a fourth for a moment. */
	assert_in_range(old_count, NEWCOMERS / 6, NEWCOMERS / 3);
}

/* To leave and to come back at once gains nothing. */
static void
a_debt_is_not_lost_by_leaving(void **state)
{
	(void)state;
	struct fair_node root, f, g;
	uint64_t got[2] = { 0 };
	fair_node_init(&root, NULL, FAIR_WEIGHT_ONE);
	fair_node_init(&f, &root, FAIR_WEIGHT_ONE);
	fair_node_init(&g, &root, FAIR_WEIGHT_ONE);
	fair_push(&f);
	fair_push(&g);
	for (unsigned i = 0; i < 3000; i++) {
		struct fair_node *taken = fair_take(&root);
		uint64_t cost = taken == &f ? 2 * FAIR_QUANTUM_NS : FAIR_QUANTUM_NS / 10;
		got[taken == &g] += cost;
		fair_charge(taken, cost);
		if (taken == &g) {
			fair_put_back(taken);
		} else {
			fair_end(taken);
			fair_push(taken);
		}
	}
	assert_true(got[0] < got[1] + 4 * FAIR_QUANTUM_NS && got[1] < got[0] + 4 * FAIR_QUANTUM_NS);
}

/* One item beside many on four permits gets one of them; that it could not use more is no credit for later. */
static void
what_could_not_be_used_is_not_saved_up(void **state)
{
	(void)state;
	struct fair_node root, accounts[2], many[8], one, more[4];
	unsigned count[2] = { 0 };
	fair_node_init(&root, NULL, FAIR_WEIGHT_ONE);
	for (unsigned i = 0; i < 2; i++)
		fair_node_init(&accounts[i], &root, FAIR_WEIGHT_ONE);
	fair_node_init(&one, &accounts[0], FAIR_WEIGHT_ONE);
	fair_push(&one);
	for (unsigned i = 0; i < 8; i++) {
		fair_node_init(&many[i], &accounts[1], FAIR_WEIGHT_ONE);
		fair_push(&many[i]);
	}
	for (unsigned turn = 0; turn < 1000; turn++) { /* four permits, in step */
		struct fair_node *taken[4];
		for (unsigned k = 0; k < 4; k++)
			taken[k] = fair_take(&root);
		for (unsigned k = 0; k < 4; k++) {
			fair_charge(taken[k], FAIR_QUANTUM_NS);
			fair_put_back(taken[k]);
		}
	}
	for (unsigned i = 0; i < 4; i++) {
		fair_node_init(&more[i], &accounts[0], FAIR_WEIGHT_ONE);
		fair_push(&more[i]);
	}
	for (unsigned turn = 0; turn < 100; turn++) {
		struct fair_node *taken = fair_take(&root);
		count[taken->parent == &accounts[1]]++;
		fair_charge(taken, FAIR_QUANTUM_NS);
		fair_put_back(taken);
	}
	assert_in_range(count[1], 44, 56);
}

/* Two accounts with work all the while; one gets time outside of the queue too, `outside` times what the queue gives in all.
 * What each has got in the queue goes to *in_queue. */
static void
serve_with_debt(double outside, uint64_t in_queue[2])
{
	struct fair_node root, accounts[2], flows[2], items[2];
	uint64_t seed = 6, owed_ns = 0;
	fair_node_init(&root, NULL, FAIR_WEIGHT_ONE);
	for (unsigned i = 0; i < 2; i++) {
		in_queue[i] = 0;
		fair_node_init(&accounts[i], &root, FAIR_WEIGHT_ONE);
		fair_node_init(&flows[i], &accounts[i], FAIR_WEIGHT_ONE);
		fair_node_init(&items[i], &flows[i], FAIR_WEIGHT_ONE);
		fair_push(&items[i]);
	}
	for (unsigned turn = 0; turn < 100000; turn++) {
		struct fair_node *taken = fair_take(&root);
		uint64_t cost_ns = 1 + random_below(&seed, FAIR_QUANTUM_NS);
		in_queue[taken == &items[1]] += cost_ns;
		owed_ns += (uint64_t)(outside * (double)cost_ns);
		if (random_below(&seed, 3) == 0) {
			fair_owe(&flows[1], owed_ns);
			owed_ns = 0;
		}
		fair_charge(taken, cost_ns);
		fair_put_back(taken);
	}
}

/* In all both get the same, as long as that is possible; what gets more outside keeps its part in the queue. */
static void
time_got_outside_of_the_queue_is_paid_for(void **state)
{
	(void)state;
	for (unsigned i = 0; i <= 6; i++) {
		uint64_t in_queue[2];
		serve_with_debt(i * 0.1, in_queue);
		double all = (double)in_queue[0] + (double)in_queue[1], outside = i * 0.1 * all;
		double between = ((double)in_queue[1] + outside - (double)in_queue[0]) / all;
		assert_true(between < 0.01 && between > -0.01);
	}
	for (unsigned i = 1; i <= 4; i++) {
		uint64_t in_queue[2];
		serve_with_debt(i, in_queue);
		double part = (double)in_queue[1] / (double)in_queue[0];
		assert_true(part < 1.01 / FAIR_DEBT_TIMES && part > 0.99 / FAIR_DEBT_TIMES);
	}
}

/* What was got for a year while nothing else was wanted is forgotten, but for a second; of it all is paid. */
static void
a_debt_ends(void **state)
{
	(void)state;
	struct fair_node root, accounts[2];
	uint64_t got[2] = { 0 };
	fair_node_init(&root, NULL, FAIR_WEIGHT_ONE);
	for (unsigned i = 0; i < 2; i++)
		fair_node_init(&accounts[i], &root, FAIR_WEIGHT_ONE);
	for (unsigned i = 0; i < 365; i++)
		fair_owe(&accounts[1], UINT64_C(86400000000000));
	for (unsigned i = 0; i < 2; i++)
		fair_push(&accounts[i]);
	for (unsigned i = 0; i < 3000; i++) {
		struct fair_node *taken = fair_take(&root);
		got[taken == &accounts[1]] += FAIR_QUANTUM_NS;
		fair_charge(taken, FAIR_QUANTUM_NS);
		fair_put_back(taken);
	}
	uint64_t between = got[0] - got[1];
	assert_in_range(between, FAIR_DEBT_NS - 3 * FAIR_QUANTUM_NS, FAIR_DEBT_NS + 3 * FAIR_QUANTUM_NS);
	assert_int_equal(accounts[1].owed_ns, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_is_what_a_search_finds),
		cmocka_unit_test(what_two_get_stays_within_the_bound),
		cmocka_unit_test(newcomers_without_end_do_not_keep_one_waiting),
		cmocka_unit_test(a_debt_is_not_lost_by_leaving),
		cmocka_unit_test(what_could_not_be_used_is_not_saved_up),
		cmocka_unit_test(time_got_outside_of_the_queue_is_paid_for),
		cmocka_unit_test(a_debt_ends),
	};
	return cmocka_run_group_tests_name("jobs/fair_queue", tests, NULL, NULL);
}
