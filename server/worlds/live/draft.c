#include "worlds/live/draft.h"

#include "base/memory.h"

#include <string.h>

static void *
zeroed(size_t bytes)
{
	struct ledger *own = memory_enter_common();
	void *memory = memory_zeroed(1, bytes);

	(void)memory_enter(own);
	return memory;
}

static void
release(void *memory)
{
	struct ledger *own = memory_enter(NULL);

	memory_free(memory);
	(void)memory_enter(own);
}

static void
clear(struct draft *draft)
{
	draft->decided = NULL;
	draft->updates = NULL;
	draft->answers = NULL;
	draft->decided_end = &draft->decided;
	draft->update_end = &draft->updates;
	draft->answer_end = &draft->answers;
}

static void
move(struct draft *draft, struct news *news)
{
	news->decided = draft->decided;
	news->updates = draft->updates;
	news->answers = draft->answers;
	clear(draft);
}

bool
draft_init(struct draft *draft)
{
	*draft = (struct draft){ .reserve = NULL };
	clear(draft);
	return draft_reserve(draft);
}

void
draft_finish(struct draft *draft)
{
	struct news rest = { .next = NULL };

	move(draft, &rest);
	news_empty(&rest);
	news_free(draft->reserve);
	draft->reserve = NULL;
}

bool
draft_reserve(struct draft *draft)
{
	if (!draft->reserve)
		draft->reserve = zeroed(sizeof *draft->reserve);
	return draft->reserve != NULL;
}

bool
draft_is_empty(const struct draft *draft)
{
	return !draft->decided && !draft->updates && !draft->answers;
}

/* Of this seat in this turn. NULL without memory. */
static struct decided *
decided_of(struct draft *draft, struct seat_entry *seat)
{
	if (seat->decided)
		return seat->decided;

	struct decided *decided = zeroed(sizeof *decided);

	if (!decided)
		return NULL;
	decided->seat = seat->seat;
	decided->sender = seat->sender;
	*draft->decided_end = decided;
	draft->decided_end = &decided->next;
	seat->decided = decided;
	seat->outcome_end = &decided->outcomes;
	return decided;
}

static bool
is_exceptional(const struct batch *batch, const struct verdict *verdict)
{
	return verdict->problem.status != STATUS_OK || verdict->missing > 0 ||
	       (batch->tick_asked != 0 && batch->tick_asked != verdict->tick);
}

static struct outcome *
outcome_create(const struct batch *batch, const struct verdict *verdict)
{
	Collide__V1__Outcome message;
	struct wire_problem problem = verdict->problem; /* protobuf-c declares strings char * */
	char reason[32] = "";

	collide__v1__outcome__init(&message);
	message.sequence = batch->sequence;
	message.missing = verdict->missing;
	if (problem.status == STATUS_OK) {
		message.tick = verdict->tick;
	} else {
		memcpy(reason, problem.reason, strnlen(problem.reason, sizeof reason - 1));
		message.code = (Collide__V1__Code)problem.status;
		message.reason = reason;
		message.field = problem.field;
		message.text = problem.text;
	}

	size_t count = collide__v1__outcome__get_packed_size(&message);
	struct outcome *outcome = zeroed(sizeof *outcome + count);

	if (!outcome)
		return NULL;
	outcome->sequence = batch->sequence;
	outcome->tick = message.tick;
	outcome->exceptional = is_exceptional(batch, verdict);
	outcome->margin_ns = verdict->has_margin ? verdict->margin_ns : 0;
	outcome->count = collide__v1__outcome__pack(&message, outcome->bytes);
	return outcome;
}

bool
draft_decide(struct draft *draft, struct seat_entry *seat, const struct batch *batch, const struct verdict *verdict)
{
	bool tells = batch->wants_outcome || is_exceptional(batch, verdict);
	struct outcome *outcome = tells ? outcome_create(batch, verdict) : NULL;
	struct decided *decided = tells && !outcome ? NULL : decided_of(draft, seat);

	if (!decided) {
		release(outcome);
		return false;
	}
	if (outcome) {
		*seat->outcome_end = outcome;
		seat->outcome_end = &outcome->next;
	}
	if (verdict->has_margin && (!decided->has_margin || verdict->margin_ns < decided->margin_min_ns)) {
		decided->has_margin = true;
		decided->margin_min_ns = verdict->margin_ns;
	}
	decided->through = batch->sequence;
	decided->count++;
	decided->bytes += batch->count;
	decided->effective_count += verdict->problem.status == STATUS_OK;
	return true;
}

bool
draft_undo(struct draft *draft, struct seat_entry *seat, const struct batch *batch, const struct wire_problem *problem)
{
	struct verdict verdict = { .missing = 0 };

	(void)wire_problem_set(&verdict.problem, problem->status, "UNDONE", problem->field, "in the new past: %s: %s",
	                       problem->reason, problem->text);

	struct outcome *outcome = outcome_create(batch, &verdict);
	struct decided *decided = outcome ? decided_of(draft, seat) : NULL;

	if (!decided) {
		release(outcome);
		return false;
	}
	outcome->undone = true;
	*seat->outcome_end = outcome;
	seat->outcome_end = &outcome->next;
	return true;
}

struct answer *
draft_answer_create(uint64_t ask)
{
	struct answer *answer = zeroed(sizeof *answer);

	if (answer)
		answer->ask = ask;
	return answer;
}

void
draft_answer(struct draft *draft, struct answer *answer)
{
	*draft->answer_end = answer;
	draft->answer_end = &answer->next;
}

void
draft_update(struct draft *draft, struct update *update)
{
	*draft->update_end = update;
	draft->update_end = &update->next;
}

struct news *
draft_take(struct draft *draft)
{
	struct news *news = zeroed(sizeof *news);

	if (!news) {
		news = draft->reserve;
		draft->reserve = NULL;
	} else if (!draft->reserve) {
		draft->reserve = zeroed(sizeof *draft->reserve);
	}
	if (news)
		move(draft, news);
	return news;
}
