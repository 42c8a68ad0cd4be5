/* What an update tells a mirror: batches that took effect, beside those that were predicted. Happy path: all are as they were
 * predicted, or of ticks to come, and nothing is made again. Otherwise the world goes back once, and what is elsewhere then is
 * told. */
#include "client/mirror/mirror.h"

#include "base/memory.h"
#include "client/lib/failure.h"
#include "worlds/live/live_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Ticks after which a batch of which nothing is heard is given up. */
#define LATE_TICKS_MAX 120

static void
note_back(struct collide_mirror *mirror, uint64_t tick, uint32_t *cause)
{
	if (tick > mirror->live->tick)
		return;
	mirror->goes_back = true;
	(*cause)++;
}

/* ---- predictions */

static bool
prediction_drop(struct collide_mirror *mirror, struct prediction *prediction)
{
	note_back(mirror, prediction->tick, &mirror->corrections.own);
	mirror->told.dropped++;
	bool posted = mirror_post_undo(mirror, prediction->seat, prediction->sequence, prediction->tick);
	prediction_remove(&mirror->predictions, prediction);
	return posted;
}

static bool
prediction_move(struct collide_mirror *mirror, struct prediction *prediction, uint64_t tick)
{
	note_back(mirror, prediction->tick, &mirror->corrections.own);
	mirror->told.moved++;
	bool posted = mirror_post_undo(mirror, prediction->seat, prediction->sequence, prediction->tick) &&
	              mirror_post(mirror, prediction->seat, prediction->sequence, tick, prediction->bytes, prediction->count);
	prediction->tick = tick;
	return posted;
}

/* Whether a later batch of its seat is decided: then it was, too. */
static bool
is_decided(const struct prediction *prediction, const Collide__V1__WorldUpdate *update)
{
	for (size_t i = 0; i < update->n_applied; i++)
		if (update->applied[i]->seat == prediction->seat && update->applied[i]->sequence > prediction->sequence &&
		    update->applied[i]->commands.len > 0)
			return true;
	return false;
}

/* Whether it was impossible here as well. */
static bool
is_idle(const struct collide_mirror *mirror, const struct prediction *prediction)
{
	const struct batch *batch = mirror->live->journal.first;
	while (batch && (batch->undone || batch->tick != prediction->tick || batch->seat != prediction->seat ||
	                 batch->sequence != prediction->sequence))
		batch = batch->next;
	return batch && batch->idle;
}

/* Those that should have been told by now, but were not. */
static bool
predictions_pass(struct collide_mirror *mirror, const Collide__V1__WorldUpdate *update)
{
	bool good = true;
	for (struct prediction *each = mirror->predictions.first, *next; good && each; each = next) {
		next = each->next;
		if (is_decided(each, update) || each->first + LATE_TICKS_MAX < update->tick)
			good = prediction_drop(mirror, each);
		else if (each->tick <= mirror->told.final_tick)
			good = is_idle(mirror, each) ? prediction_drop(mirror, each) : prediction_move(mirror, each, update->tick + 1);
	}
	return good;
}

/* ---- what is told */

/* Batches of a list, ascending. Of one that ends a seat the sequence is 0, and it is none of them. */
struct batch_names {
	struct batch_name {
		uint32_t seat;
		uint64_t sequence;
	} * items;
	size_t count;
};

static int
name_compare(const void *left, const void *right)
{
	const struct batch_name *l = left, *r = right;
	if (l->seat != r->seat)
		return l->seat < r->seat ? -1 : 1;
	return l->sequence < r->sequence ? -1 : l->sequence > r->sequence;
}

/* False without memory. */
static bool
names_take(Collide__V1__AppliedBatch *const *list, size_t count, struct batch_names *out)
{
	out->items = memory_alloc((count + 1) * sizeof *out->items);
	out->count = 0;
	if (!out->items)
		return false;
	for (size_t i = 0; i < count; i++)
		if (list[i]->sequence != 0)
			out->items[out->count++] = (struct batch_name){ list[i]->seat, list[i]->sequence };
	qsort(out->items, out->count, sizeof *out->items, name_compare);
	return true;
}

static bool
names_have(const struct batch_names *names, const Collide__V1__AppliedBatch *batch)
{
	const struct batch_name name = { batch->seat, batch->sequence };
	return names->count > 0 && bsearch(&name, names->items, names->count, sizeof name, name_compare) != NULL;
}

static bool
undone_take(struct collide_mirror *mirror, const Collide__V1__AppliedBatch *undone)
{
	mirror->told.undone++;
	note_back(mirror, undone->tick, &mirror->corrections.others);
	return mirror_post_undo(mirror, undone->seat, undone->sequence, undone->tick);
}

static bool
seat_ended_take(struct collide_mirror *mirror, const Collide__V1__AppliedBatch *ended)
{
	mirror->goes_back = mirror->goes_back || ended->tick <= mirror->live->tick;
	return mirror_post(mirror, ended->seat, UINT64_MAX, ended->tick, NULL, 0);
}

static bool
applied_take(struct collide_mirror *mirror, const Collide__V1__AppliedBatch *applied)
{
	struct prediction *prediction = prediction_find(&mirror->predictions, applied->seat, applied->sequence);
	if (applied->commands.len == 0)
		return seat_ended_take(mirror, applied);
	mirror->told.batches++;
	if (prediction && prediction->tick == applied->tick && prediction->count == applied->commands.len &&
	    memcmp(prediction->bytes, applied->commands.data, prediction->count) == 0) {
		mirror->told.confirmed++;
		prediction_remove(&mirror->predictions, prediction);
		return true;
	}
	bool undone = true;
	if (prediction) {
		mirror->told.moved++;
		undone = mirror_post_undo(mirror, prediction->seat, prediction->sequence, prediction->tick);
		note_back(mirror, prediction->tick, &mirror->corrections.own);
		note_back(mirror, applied->tick, &mirror->corrections.own);
		prediction_remove(&mirror->predictions, prediction);
	} else
		note_back(mirror, applied->tick, &mirror->corrections.others);
	return undone &&
	       mirror_post(mirror, applied->seat, applied->sequence, applied->tick, applied->commands.data, applied->commands.len);
}

/* `applied` and `undone`: what there is of both. */
static bool
lists_take(struct collide_mirror *mirror, const Collide__V1__WorldUpdate *update, const struct batch_names *applied,
           const struct batch_names *undone)
{
	bool good = true;
	for (size_t i = 0; good && i < update->n_undone; i++)
		if (!names_have(applied, update->undone[i]))
			good = undone_take(mirror, update->undone[i]);
	for (size_t i = 0; good && i < update->n_applied; i++) {
		struct prediction *prediction = prediction_find(&mirror->predictions, update->applied[i]->seat,
		                                                update->applied[i]->sequence);
		/* Of those that were undone meanwhile the mirror has not heard, but it may have sent them. */
		if (!names_have(undone, update->applied[i]))
			good = applied_take(mirror, update->applied[i]);
		else if (prediction)
			good = prediction_drop(mirror, prediction);
	}
	return good;
}

static bool
batches_take(struct collide_mirror *mirror, const Collide__V1__WorldUpdate *update)
{
	struct batch_names applied = { .count = 0 }, undone = { .count = 0 };
	/* Without those that were undone nothing is in both. */
	bool both = update->n_undone > 0 && update->n_applied > 0;
	bool good = !both || (names_take(update->applied, update->n_applied, &applied) &&
	                      names_take(update->undone, update->n_undone, &undone));
	good = good && lists_take(mirror, update, &applied, &undone);
	memory_free(applied.items);
	memory_free(undone.items);
	return good;
}

/* ---- hashes */

/* One that was told before is void if something else has happened up to its tick. */
static void
hash_note(struct collide_mirror *mirror, const Collide__V1__WorldUpdate *update)
{
	bool is_void = update->hash_tick != 0;
	for (size_t i = 0; i < update->n_applied; i++)
		is_void = is_void || update->applied[i]->tick <= mirror->hash.tick;
	for (size_t i = 0; i < update->n_undone; i++)
		is_void = is_void || update->undone[i]->tick <= mirror->hash.tick;
	if (mirror->hash.tick != 0 && is_void) {
		mirror->told.hashes_left++;
		mirror->hash.tick = 0;
	}
	if (update->hash_tick != 0 && !mirror->told.in_doubt)
		mirror->hash = (struct hash_told){ update->hash_tick, update->hash };
}

/* The one that was told, once nothing that is only predicted is in it. False: it differs. */
static bool
hash_check(struct collide_mirror *mirror, struct collide_error *error)
{
	struct hash_told told = mirror->hash;
	uint64_t hash = 0;
	if (told.tick == 0 || predictions_tick(&mirror->predictions) <= told.tick)
		return true;
	mirror->hash.tick = 0;
	struct ledger *own = memory_enter(&mirror->live->ledger);
	bool made = live_mirrored_hash(mirror->live, told.tick, &hash);
	(void)memory_enter(own);
	if (!made) {
		mirror->told.hashes_left++;
		return !mirror->live->failed || mirror_broken(mirror, error, "ENGINE", "a state could not be kept");
	}
	if (hash == told.hash) {
		mirror->told.hashes++;
		mirror->told.hash_tick = told.tick;
		mirror->told.hash = hash;
		return true;
	}
	mirror->told.in_doubt = true;
	mirror->doubt_tick = told.tick;
	return failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_FAILED_PRECONDITION, "HASH",
	                   "after tick %" PRIu64 " the state's hash is %016" PRIx64 ", and the server's %016" PRIx64, told.tick,
	                   hash, told.hash);
}

/* ---- to the update's tick */

/* One that the server has let take effect must do so here, where nothing is only predicted. */
static bool
batches_are_good(const struct collide_mirror *mirror)
{
	uint64_t tick = predictions_tick(&mirror->predictions);
	for (const struct batch *batch = mirror->live->journal.first; batch; batch = batch->next)
		if (batch->idle && !batch->undone && batch->tick < tick)
			return false;
	return true;
}

/* Back, and again to the displayed tick. */
static bool
go_back(struct collide_mirror *mirror)
{
	struct collide_mirror_corrections *corrections = &mirror->corrections;
	bool looked = places_take(&mirror->before, mirror->live->world);
	if (!mirror_settle(mirror))
		return false;
	if (!looked || !places_compare(&mirror->before, mirror->live->world))
		return true; /* without memory nothing is said of it */
	corrections->circles = mirror->before.differences;
	corrections->count = mirror->before.difference_count;
	mirror->told.corrections += corrections->count > 0;
	mirror->told.corrected += corrections->count;
	return true;
}

bool
mirror_refused(struct collide_mirror *mirror, struct prediction *prediction)
{
	mirror->goes_back = false;
	return prediction_drop(mirror, prediction) && (!mirror->goes_back || go_back(mirror));
}

/* Up to here nothing will be made again. In its first ticks it is not known of a world whether it makes ticks again. */
static void
past_forget(struct collide_mirror *mirror, const Collide__V1__WorldUpdate *update)
{
	if (update->final_tick == 0 && update->tick <= WORLDS_HISTORY_TICKS_MAX)
		return;
	struct ledger *own = memory_enter(&mirror->live->ledger);
	live_forget(mirror->live, mirror->told.final_tick);
	(void)memory_enter(own);
}

bool
mirror_follow(struct collide_mirror *mirror, const Collide__V1__WorldUpdate *update, struct collide_error *error)
{
	uint64_t final = update->final_tick != 0 ? update->final_tick : update->tick;
	mirror->goes_back = false;
	mirror->told.final_tick = final > mirror->told.final_tick ? final : mirror->told.final_tick;
	hash_note(mirror, update);
	if (!batches_take(mirror, update) || !predictions_pass(mirror, update)) {
		mirror_drop(mirror);
		return failure_memory(error);
	}
	mirror->told.told_tick = update->tick;
	uint64_t hash_tick = mirror->hash.tick;
	if ((mirror->goes_back && !go_back(mirror)) || !mirror_ticks(mirror, hash_tick))
		return mirror_broken(mirror, error, "ENGINE", "a tick could not be made");
	bool good = hash_check(mirror, error);
	if (!mirror->live)
		return false;
	if (!mirror_ticks(mirror, update->tick))
		return mirror_broken(mirror, error, "ENGINE", "a tick could not be made");
	if (!batches_are_good(mirror))
		return mirror_broken(mirror, error, "ENGINE", "a batch did not take effect as it did on the server");
	past_forget(mirror, update);
	return good;
}
