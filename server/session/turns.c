#include "session/turns.h"

#include "session/limits.h"
#include "session/session_private.h"

/* One account alone keeps no other from anything. */
static bool
turns_count(const struct service *service)
{
	return service->round != 0 && service->accounts_connected > 1;
}

void
turn_leave(struct session *session)
{
	struct account *account = session->account;
	if (!session->in_line)
		return;
	struct session **link = &account->line_first, *before = NULL;
	for (; *link != session; link = &before->next_in_line)
		before = *link;
	*link = session->next_in_line;
	if (account->line_last == session)
		account->line_last = before;
	session->next_in_line = NULL;
	session->in_line = false;
}

static void
turn_wait(struct session *session)
{
	struct account *account = session->account;
	if (session->in_line)
		return;
	*(account->line_first ? &account->line_last->next_in_line : &account->line_first) = session;
	account->line_last = session;
	session->in_line = true;
}

uint64_t
turn_begin(struct session *session)
{
	struct account *account = session->account;
	if (!turns_count(session->service)) {
		turn_leave(session);
		return SESSION_TURN_NS;
	}
	if (account->round != session->service->round) {
		account->round = session->service->round;
		account->turn_left_ns = SESSION_TURN_NS;
	}
	if (account->turn_left_ns == 0 || (account->line_first && account->line_first != session)) {
		turn_wait(session);
		return 0;
	}
	turn_leave(session);
	return account->turn_left_ns;
}

void
turn_end(struct session *session, uint64_t took_ns)
{
	uint64_t *left_ns = &session->account->turn_left_ns;
	*left_ns -= took_ns < *left_ns ? took_ns : *left_ns;
}
