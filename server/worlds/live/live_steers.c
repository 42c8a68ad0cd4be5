/* Readers that go over from one encoder to another. Such a reader is told up to a tick after which the second encoder has told
 * all, and then what leaves its list, and what enters it. */
#include "base/memory.h"
#include "worlds/live/live_private.h"

/* Charged to no ledger: there is one at most of each reader. */
bool
live_steer_add(struct live_world *world, const struct post *post)
{
	struct ledger *own = memory_enter_common();
	struct steer *steer = memory_zeroed(1, sizeof *steer);

	(void)memory_enter(own);
	if (!steer)
		return false;
	*steer = (struct steer){ NULL, post->steer.from, post->steer.to, post->steer.reader };
	if (!world->steers)
		world->steers_end = &world->steers;
	*world->steers_end = steer;
	world->steers_end = &steer->next;
	return true;
}

static void
steer_drop(struct live_world *world, struct steer **link)
{
	struct steer *steer = *link;
	struct ledger *own = memory_enter(NULL);

	*link = steer->next;
	if (!steer->next)
		world->steers_end = link;
	memory_free(steer);
	(void)memory_enter(own);
}

void
live_steers_drop(struct live_world *world, const struct encoder *encoder)
{
	for (struct steer **link = &world->steers; *link;)
		if (!encoder || (*link)->from == encoder->number || (*link)->to == encoder->number)
			steer_drop(world, link);
		else
			link = &(*link)->next;
}

/* NULL: there is none of that number. */
static struct encoder *
find_encoder(const struct live_world *world, uint32_t number)
{
	struct encoder *encoder = world->encoders;

	while (encoder && encoder->number != number)
		encoder = encoder->next;
	return encoder;
}

static bool
steer_make(struct live_world *world, const struct steer *steer, struct encoder *from, struct encoder *to)
{
	struct encoder_blocks blocks = { .count = 0 };
	uint64_t since = from->tick_told;
	uint32_t row_count = 0;
	/* One that has a model of its own begins with a key. */
	bool bridged = !encoder_has_model(from) && !encoder_has_model(to);

	if (!encoder_rest(from, world, &blocks, &row_count) ||
	    (to->options.paths && !encoder_bridge(from, to, world, &blocks, &bridged))) {
		encoder_blocks_finish(&blocks);
		return false;
	}

	uint32_t state_count = (uint32_t)blocks.count - row_count;
	struct update *update = encoder_update_create(from, world, &blocks);

	encoder_blocks_finish(&blocks);
	if (!update)
		return false;
	path_rows_forget_names(&to->paths); /* this reader has those of another encoder, or none */
	update->reader = steer->reader;
	update->bridged = bridged;
	update->since = since;
	update->row_count = row_count;
	update->state_count = state_count;
	draft_update(&world->draft, update);
	return true;
}

/* Each costs as much as an update of its own. A tick that is due does not wait for all of them: some come in each turn. */
void
live_steers_make(struct live_world *world, bool flush)
{
	uint64_t began_ns = world->steers ? world->cpu_ns() : 0;

	world->steers_left = false;
	for (struct steer **link = &world->steers; *link;) {
		struct encoder *from = find_encoder(world, (*link)->from), *to = find_encoder(world, (*link)->to);

		if (from && to && flush && !to->failed && to->tick_told != world->tick)
			to->failed = !encoder_update(to, world);
		if (from && to && (from->failed || to->failed || to->tick_told != world->tick || !steer_make(world, *link, from, to))) {
			link = &(*link)->next;
			continue;
		}
		steer_drop(world, link);
		world->steers_left = world->cpu_ns() - began_ns >= LIVE_WORLD_TURN_NS;
		if (world->steers_left)
			return;
	}
}
