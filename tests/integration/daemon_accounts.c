/* What an address has, whatever connections it has at the moment. */
#include "client_account.h"
#include "session/service.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct service service;
static struct pool *pool;
static struct client_accounts accounts;

static uint64_t
clock_stands(void)
{
	return 1;
}

static void
wake(void *context)
{
	(void)context;
}

static void
discard(struct job *job)
{
	(void)job;
	abort(); /* there was none */
}

static int
begin(void **state)
{
	(void)state;
	const struct session_limits limits = session_limits_default();
	const struct pool_options options = { .worker_count = 1, .jobs_max = 1, .queue_max = { 1, 1 }, .wake = wake };
	service_init(&service, &limits, 42, clock_stands);
	assert_int_equal(pool_create(&options, &pool), STATUS_OK);
	accounts = (struct client_accounts){ .service = &service, .pool = pool, .weights = "" };
	return 0;
}

static int
finish(void **state)
{
	(void)state;
	client_accounts_leave_pool(&accounts);
	assert_true(pool_stop(pool, 1000));
	pool_destroy(pool, discard);
	return 0;
}

/* A world's ticks are charged to the flow that its address had when it was made. With another one for its next connections the
 * address would have the share of two, and of any number in the end. */
static void
an_address_has_one_share(void **state)
{
	(void)state;
	struct address_key key, other_key;
	assert_true(address_key_parse("10.0.0.1", &key) && address_key_parse("10.0.0.2", &other_key));
	struct client_account *account = client_account_enter(&accounts, &key);
	assert_non_null(account);
	const struct flow *flow = account->flow;
	account_hold(&account->share); /* as worlds do, and their turns */
	struct flow *turns = pool_flow_create(pool, account->flow, 1);
	assert_non_null(turns);
	client_account_leave(account);
	assert_ptr_equal(client_account_enter(&accounts, &key), account);
	assert_ptr_equal(account->flow, flow);
	struct client_account *other = client_account_enter(&accounts, &other_key);
	assert_non_null(other);
	assert_ptr_not_equal(other->flow, flow);
	client_account_leave(other);
	client_account_leave(account);
	client_accounts_weigh(&accounts, "10.0.0.1=4"); /* without connections, too */
	assert_int_equal(client_account_connections(&accounts, &key), 0);
	client_accounts_leave_pool(&accounts); /* worlds outlive it */
	pool_flow_release(turns);
	account_release(&account->share);
	assert_null(accounts.first);
	service_finish(&service);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_address_has_one_share, begin, finish),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
