#include "worlds/news.h"

#include "base/memory.h"

static void
decided_free(struct decided *decided)
{
	while (decided) {
		struct decided *next = decided->next;

		while (decided->outcomes) {
			struct outcome *after = decided->outcomes->next;

			memory_free(decided->outcomes);
			decided->outcomes = after;
		}
		memory_free(decided);
		decided = next;
	}
}

void
update_free(struct update *update)
{
	struct ledger *own = memory_enter(NULL);
	uint32_t count = update ? update->row_count + update->state_count + update->key_count : 0;

	for (uint32_t i = 0; i < count; i++)
		shared_bytes_release(update->blocks[i]);
	memory_free(update);
	(void)memory_enter(own);
}

static void
updates_free(struct update *update)
{
	while (update) {
		struct update *next = update->next;

		update_free(update);
		update = next;
	}
}

static void
answers_free(struct answer *answer)
{
	while (answer) {
		struct answer *next = answer->next;

		shared_bytes_release(answer->snapshot);
		shared_bytes_release(answer->waiting);
		shared_space_release(answer->space);
		memory_free(answer);
		answer = next;
	}
}

void
news_empty(struct news *news)
{
	/* Nothing of it was charged to the world. */
	struct ledger *own = memory_enter(NULL);

	decided_free(news->decided);
	updates_free(news->updates);
	answers_free(news->answers);
	news->decided = NULL;
	news->updates = NULL;
	news->answers = NULL;
	(void)memory_enter(own);
}

void
news_free(struct news *news)
{
	if (!news)
		return;
	news_empty(news);

	struct ledger *own = memory_enter(NULL);

	memory_free(news);
	(void)memory_enter(own);
}
