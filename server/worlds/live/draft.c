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

bool
draft_init(struct draft *draft)
{
	*draft = (struct draft){ .reserve = zeroed(sizeof(struct news)) };
	return draft->reserve != NULL;
}

void
draft_finish(struct draft *draft)
{
	news_free(draft->news);
	news_free(draft->reserve);
	*draft = (struct draft){ .news = NULL };
}

bool
draft_begin(struct draft *draft)
{
	if (draft->news)
		return true;
	draft->news = zeroed(sizeof *draft->news);
	if (!draft->news) {
		draft->news = draft->reserve;
		draft->reserve = NULL;
	} else if (!draft->reserve) {
		draft->reserve = zeroed(sizeof *draft->reserve);
	}
	if (!draft->news)
		return false;
	draft->decided_end = &draft->news->decided;
	draft->update_end = &draft->news->updates;
	draft->answer_end = &draft->news->answers;
	return true;
}

/* Of this seat in this turn. NULL without memory. */
static struct decided *
decided_of(struct draft *draft, struct seat_entry *seat)
{
	if (seat->decided)
		return seat->decided;
	if (!draft_begin(draft))
		return NULL;

	struct decided *decided = zeroed(sizeof *decided);

	if (!decided)
		return NULL;
	decided->seat = seat->seat;
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

bool
draft_answer(struct draft *draft, struct answer *answer)
{
	if (!draft_begin(draft))
		return false;
	*draft->answer_end = answer;
	draft->answer_end = &answer->next;
	return true;
}

bool
draft_update(struct draft *draft, struct update *update)
{
	if (!draft_begin(draft))
		return false;
	*draft->update_end = update;
	draft->update_end = &update->next;
	return true;
}

struct news *
draft_take(struct draft *draft)
{
	struct news *news = draft->news;

	draft->news = NULL;
	return news;
}
