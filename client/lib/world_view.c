#include "client/lib/world_view.h"

#include "client/lib/failure.h"
#include "client/lib/scene_view.h"

#include <stdlib.h>
#include <string.h>

void
world_view_finish(struct world_view *view)
{
	free(view->infos);
	free(view->sent);
	free(view->outcomes);
	*view = (struct world_view){ 0 };
}

struct collide_world_limits
world_limits_of(const Collide__V1__WorldLimits *limits)
{
	return (struct collide_world_limits){
		.worlds_max = limits->worlds_max,
		.worlds_per_account_max = limits->worlds_per_account_max,
		.maps_max = limits->maps_max,
		.seats_per_world_max = limits->seats_per_world_max,
		.subscriptions_per_world_max = limits->subscriptions_per_world_max,
		.tick_hz_max = limits->tick_hz_max,
		.batches_waiting_max = limits->batches_waiting_max,
		.batch_rows_max = limits->batch_rows_max,
		.batch_bytes_max = limits->batch_bytes_max,
		.ahead_ticks_max = limits->ahead_ticks_max,
		.history_ticks_max = limits->history_ticks_max,
		.world_bytes_max = limits->world_bytes_max,
		.journal_bytes_max = limits->journal_bytes_max,
		.owed_bytes_max = limits->owed_bytes_max,
		.kept_bytes_max = limits->kept_bytes_max,
		.batches_per_second_max = limits->batches_per_second_max,
		.bytes_per_second_max = limits->bytes_per_second_max,
		.outcomes_max = limits->outcomes_max,
		.resimulated_ticks_max = limits->resimulated_ticks_max,
	};
}

void
map_info_copy(struct collide_map_info *to, const Collide__V1__MapInfo *from)
{
	*to = (struct collide_map_info){
		.hash = from->hash, .segments = from->segments, .worlds = from->worlds, .bytes = from->bytes
	};
	failure_copy_text(to->name, sizeof to->name, from->name);
}

bool
map_segments_view(const Collide__V1__MapSegments *from, struct collide_map_segments *to)
{
	*to = (struct collide_map_segments){ .hash = from->hash, .more = from->more };
	failure_copy_text(to->name, sizeof to->name, from->name);
	return from->optional_segments_case != COLLIDE__V1__MAP_SEGMENTS__OPTIONAL_SEGMENTS_SEGMENTS ||
	       segments_told(from->segments, &to->segments);
}

static struct collide_world_policy
policy_of(const Collide__V1__WorldPolicy *policy)
{
	return (struct collide_world_policy){
		.clock = (enum collide_clock)policy->clock,
		.dt = policy->dt,
		.tick_hz = policy->tick_hz,
		.late = (enum collide_late)policy->late,
		.history_ticks = policy->history_ticks,
		.catch_up_ticks = policy->catch_up_ticks,
		.idle_ttl_ms = policy->idle_ttl_ms,
		.pause_unseen = policy->pause_unseen != 0,
		.seat_ttl_ms = policy->seat_ttl_ms,
		.hash_every = policy->hash_every,
		.seats_max = policy->seats_max,
		.events = (enum collide_events)policy->events,
		.cpu_permille_max = policy->cpu_permille_max,
		.join_ids_max = policy->join_ids_max,
		.join_circles_max = policy->join_circles_max,
	};
}

/* true: it has the length of a secret, and was copied. */
static bool
secret_copy(uint8_t to[COLLIDE_SECRET_BYTES], const ProtobufCBinaryData *from)
{
	if (from->len != COLLIDE_SECRET_BYTES)
		return false;
	memcpy(to, from->data, COLLIDE_SECRET_BYTES);
	return true;
}

void
recorded_copy(struct collide_recorded *to, const Collide__V1__Recorded *from)
{
	*to = (struct collide_recorded){ .first_tick = from->first_tick, .tick = from->tick, .bytes = from->bytes };
	failure_copy_text(to->file, sizeof to->file, from->file);
	failure_copy_text(to->ended, sizeof to->ended, from->ended);
	failure_copy_text(to->text, sizeof to->text, from->text);
}

void
world_info_copy(struct collide_world_info *to, const Collide__V1__WorldInfo *from)
{
	*to = (struct collide_world_info){
		.epoch = from->epoch,
		.tick = from->tick,
		.hash = from->hash,
		.hash_tick = from->hash_tick,
		.has_policy = from->optional_policy_case == COLLIDE__V1__WORLD_INFO__OPTIONAL_POLICY_POLICY,
		.circles = from->circles,
		.segments = from->segments,
		.seats = from->seats,
		.subscriptions = from->subscriptions,
		.encodings = from->encodings,
		.bytes = from->bytes,
		.overruns = from->overruns,
		.lost_ticks = from->lost_ticks,
		.batches = from->batches,
		.resimulated_ticks = from->resimulated_ticks,
		.self_checks = from->self_checks,
		.self_checks_skipped = from->self_checks_skipped,
		.self_checks_differing = from->self_checks_differing,
		.tick_seconds = from->tick_seconds,
		.late_seconds_max = from->late_seconds_max,
	};
	failure_copy_text(to->name, sizeof to->name, from->name);
	failure_copy_text(to->map, sizeof to->map, from->map);
	failure_copy_text(to->failed, sizeof to->failed, from->failed);
	to->has_recorded = from->optional_recorded_case == COLLIDE__V1__WORLD_INFO__OPTIONAL_RECORDED_RECORDED;
	if (to->has_recorded)
		recorded_copy(&to->recorded, from->recorded);
	if (to->has_policy)
		to->policy = policy_of(from->policy);
	to->label_count = from->n_labels < COLLIDE_LABELS_MAX ? from->n_labels : COLLIDE_LABELS_MAX;
	for (size_t i = 0; i < to->label_count; i++) {
		failure_copy_text(to->labels[i].key, sizeof to->labels[i].key, from->labels[i]->key);
		failure_copy_text(to->labels[i].value, sizeof to->labels[i].value, from->labels[i]->value);
	}
	to->has_secrets = secret_copy(to->owner_secret, &from->owner_secret) && secret_copy(to->join_secret, &from->join_secret);
}

bool
attached_copy(struct collide_attached *to, const Collide__V1__Attached *from)
{
	*to = (struct collide_attached){
		.handle = from->handle,
		.seat = from->seat,
		.epoch = from->epoch,
		.tick = from->tick,
		.next_due_ns = from->next_due_ns,
		.sequence = from->sequence,
		.id_first = from->id_first,
		.id_count = from->id_count,
		.right = (enum collide_right)from->right,
		.has_info = from->optional_info_case == COLLIDE__V1__ATTACHED__OPTIONAL_INFO_INFO,
	};
	if (to->has_info)
		world_info_copy(&to->info, from->info);
	return secret_copy(to->token, &from->token);
}

void
outcome_copy(struct collide_outcome *to, const Collide__V1__Outcome *from)
{
	*to = (struct collide_outcome){
		.sequence = from->sequence,
		.tick = from->tick,
		.code = (enum collide_code)from->code,
		.missing = from->missing,
		.not_received = from->not_received != 0,
	};
	failure_copy_text(to->reason, sizeof to->reason, from->reason);
	failure_copy_text(to->field, sizeof to->field, from->field);
	failure_copy_text(to->text, sizeof to->text, from->text);
}

/* Room for `count` elements; contents are not kept. */
static bool
array_reserve(void *array, size_t *capacity, size_t count, size_t size)
{
	void **memory = array;
	if (count <= *capacity)
		return true;
	free(*memory);
	*memory = calloc(count, size);
	*capacity = *memory ? count : 0;
	return *memory != NULL;
}

/* Delays, as far as both columns go. */
static bool
sent_copy(struct world_view *view, const Collide__V1__Delays *from)
{
	size_t count = from->n_below_ns < from->n_count ? from->n_below_ns : from->n_count;
	if (!array_reserve(&view->sent, &view->sent_capacity, 2 * count + 1, sizeof *view->sent))
		return false;
	for (size_t i = 0; i < count; i++) {
		view->sent[i] = from->below_ns[i];
		view->sent[count + i] = from->count[i];
	}
	view->worlds.sent_count = count;
	view->worlds.sent_below_ns = view->sent;
	view->worlds.sent_counts = view->sent + count;
	return true;
}

bool
world_view_worlds(struct world_view *view, const Collide__V1__Worlds *from)
{
	if (!array_reserve(&view->infos, &view->info_capacity, from->n_worlds, sizeof *view->infos))
		return false;
	for (size_t i = 0; i < from->n_worlds; i++)
		world_info_copy(&view->infos[i], from->worlds[i]);
	view->worlds = (struct collide_worlds){ .more = from->more != 0, .count = from->n_worlds, .infos = view->infos };
	return from->optional_sent_case != COLLIDE__V1__WORLDS__OPTIONAL_SENT_SENT || sent_copy(view, from->sent);
}

bool
world_view_acks(struct world_view *view, const Collide__V1__Acks *from)
{
	if (!array_reserve(&view->outcomes, &view->outcome_capacity, from->n_outcomes, sizeof *view->outcomes))
		return false;
	for (size_t i = 0; i < from->n_outcomes; i++)
		outcome_copy(&view->outcomes[i], from->outcomes[i]);
	view->acks = (struct collide_acks){ .through = from->through,
		                                .tick = from->tick,
		                                .margin_min_ns = from->margin_min_ns,
		                                .outcome_count = from->n_outcomes,
		                                .outcomes = view->outcomes };
	return true;
}
