/* Requests about worlds that live on the server. */
#include "client/lib/borrow.h"
#include "client/lib/core.h"
#include "client/lib/failure.h"

/* Labels as messages, and pointers to them. */
struct label_view {
	Collide__V1__Label labels[COLLIDE_LABELS_MAX], *at[COLLIDE_LABELS_MAX];
};

static bool
labels_borrow(const struct collide_label *labels, size_t count, struct label_view *view, struct collide_error *error)
{
	if (count > COLLIDE_LABELS_MAX)
		return request_bad_argument(error, "a world has at most 16 labels");
	if (count > 0 && !labels)
		return request_null_column(error);
	for (size_t i = 0; i < count; i++) {
		collide__v1__label__init(&view->labels[i]);
		view->labels[i].key = text_borrow(labels[i].key);
		view->labels[i].value = text_borrow(labels[i].value);
		view->at[i] = &view->labels[i];
	}
	return true;
}

uint64_t
collide_core_create_map(struct collide_core *core, const struct collide_map_creation *creation, struct collide_error *error)
{
	Collide__V1__CreateMap create;
	Collide__V1__SegmentColumns segments;
	Collide__V1__ClientMessage message = core_envelope(COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CREATE_MAP);
	collide__v1__create_map__init(&create);
	create.name = text_borrow(creation->name);
	create.ttl_ms = creation->ttl_ms;
	if (creation->message) {
		const struct collide_scene body = { .message = creation->message, .message_bytes = creation->message_bytes };
		const struct request_body request = { .field = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CREATE_MAP,
			                                  .scene = &body,
			                                  .scene_field = COLLIDE__V1__CREATE_MAP__OPTIONAL_SEGMENTS_SEGMENTS,
			                                  .rest = &create.base };
		return core_begin_body(core, &request, error);
	}
	if (!creation->segments)
		return request_bad_argument(error, "a map needs segments");
	segments_borrow(creation->segments, &segments);
	if (!columns_are_there(&segments.base))
		return request_null_column(error);
	create.optional_segments_case = COLLIDE__V1__CREATE_MAP__OPTIONAL_SEGMENTS_SEGMENTS;
	create.segments = &segments;
	message.create_map = &create;
	return core_begin(core, &message, NULL, error);
}

uint64_t
collide_core_drop_map(struct collide_core *core, const char *name, struct collide_error *error)
{
	Collide__V1__DropMap drop;
	Collide__V1__ClientMessage message = core_envelope(COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DROP_MAP);
	collide__v1__drop_map__init(&drop);
	drop.name = text_borrow(name);
	message.drop_map = &drop;
	return core_begin(core, &message, NULL, error);
}

uint64_t
collide_core_get_map(struct collide_core *core, const struct collide_map_key *key, struct collide_error *error)
{
	Collide__V1__GetMap get;
	Collide__V1__SpectatorOf spectator;
	Collide__V1__ClientMessage message = core_envelope(COLLIDE__V1__CLIENT_MESSAGE__REQUEST_GET_MAP);
	collide__v1__get_map__init(&get);
	if ((key->name != NULL) + (key->handle != 0) + (key->world != NULL) != 1)
		return request_bad_argument(error, "a map is asked for by its name, a handle or a world: one of the three is needed");
	if (key->world) {
		collide__v1__spectator_of__init(&spectator);
		spectator.world = text_borrow(key->world->name);
		spectator.secret = bytes_borrow(key->world->secret, key->world->secret_bytes);
		spectator.epoch = key->world->epoch;
		get.of_case = COLLIDE__V1__GET_MAP__OF_SPECTATOR;
		get.spectator = &spectator;
	} else if (key->name) {
		get.of_case = COLLIDE__V1__GET_MAP__OF_NAME;
		get.name = text_borrow(key->name);
	} else {
		get.of_case = COLLIDE__V1__GET_MAP__OF_HANDLE;
		get.handle = key->handle;
	}
	message.get_map = &get;
	return core_begin(core, &message, NULL, error);
}

static void
policy_fill(const struct collide_world_policy *from, Collide__V1__WorldPolicy *to)
{
	collide__v1__world_policy__init(to);
	to->clock = (Collide__V1__Clock)from->clock;
	to->dt = from->dt;
	to->tick_hz = from->tick_hz;
	to->late = (Collide__V1__Late)from->late;
	to->history_ticks = from->history_ticks;
	to->catch_up_ticks = from->catch_up_ticks;
	to->idle_ttl_ms = from->idle_ttl_ms;
	to->pause_unseen = from->pause_unseen;
	to->seat_ttl_ms = from->seat_ttl_ms;
	to->hash_every = from->hash_every;
	to->seats_max = from->seats_max;
	to->events = (Collide__V1__Events)from->events;
	to->cpu_permille_max = from->cpu_permille_max;
	to->join_ids_max = from->join_ids_max;
	to->join_circles_max = from->join_circles_max;
}

uint64_t
collide_core_create_world(struct collide_core *core, const struct collide_world_creation *creation, struct collide_error *error)
{
	Collide__V1__CreateWorld create;
	Collide__V1__WorldPolicy policy;
	struct label_view labels;
	/* On the wire a snapshot is like a serialized scene: bytes in a field. */
	const struct collide_scene snapshot = { .message = creation->snapshot, .message_bytes = creation->snapshot_bytes };
	if ((creation->scene != NULL) == (creation->snapshot != NULL))
		return request_bad_argument(error, "a world begins with a scene or a snapshot: one of the two is needed");
	if (!labels_borrow(creation->labels, creation->label_count, &labels, error))
		return 0;
	collide__v1__create_world__init(&create);
	create.name = text_borrow(creation->name);
	create.map = text_borrow(creation->map);
	create.ticket = bytes_borrow(creation->ticket, COLLIDE_SECRET_BYTES);
	create.labels = labels.at;
	create.n_labels = creation->label_count;
	if (creation->policy) {
		policy_fill(creation->policy, &policy);
		create.optional_policy_case = COLLIDE__V1__CREATE_WORLD__OPTIONAL_POLICY_POLICY;
		create.policy = &policy;
	}
	const struct request_body body = { .field = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CREATE_WORLD,
		                               .scene = creation->scene ? creation->scene : &snapshot,
		                               .scene_field = creation->scene ? COLLIDE__V1__CREATE_WORLD__OPTIONAL_BEGIN_SCENE
		                                                              : COLLIDE__V1__CREATE_WORLD__OPTIONAL_BEGIN_SNAPSHOT,
		                               .rest = &create.base };
	return core_begin_body(core, &body, error);
}

uint64_t
collide_core_destroy_world(struct collide_core *core, const struct collide_world_key *key, struct collide_error *error)
{
	Collide__V1__DestroyWorld destroy;
	Collide__V1__ClientMessage message = core_envelope(COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DESTROY_WORLD);
	collide__v1__destroy_world__init(&destroy);
	destroy.name = text_borrow(key->name);
	destroy.epoch = key->epoch;
	destroy.secret = bytes_borrow(key->secret, key->secret_bytes);
	message.destroy_world = &destroy;
	return core_begin(core, &message, NULL, error);
}

uint64_t
collide_core_set_world(struct collide_core *core, const struct collide_world_key *key,
                       const struct collide_world_setting *setting, struct collide_error *error)
{
	Collide__V1__SetWorld set;
	struct label_view labels;
	Collide__V1__ClientMessage message = core_envelope(COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SET_WORLD);
	if (!labels_borrow(setting->labels, setting->label_count, &labels, error))
		return 0;
	collide__v1__set_world__init(&set);
	set.name = text_borrow(key->name);
	set.epoch = key->epoch;
	set.secret = bytes_borrow(key->secret, key->secret_bytes);
	set.clock = (Collide__V1__Clock)setting->clock;
	set.tick_hz = setting->tick_hz;
	set.join_ids_max = setting->join_ids_max;
	set.join_circles_max = setting->join_circles_max;
	if (setting->has_idle_ttl) {
		set.optional_idle_ttl_ms_case = COLLIDE__V1__SET_WORLD__OPTIONAL_IDLE_TTL_MS_IDLE_TTL_MS;
		set.idle_ttl_ms = setting->idle_ttl_ms;
	}
	set.labels = labels.at;
	set.n_labels = setting->label_count;
	message.set_world = &set;
	return core_begin(core, &message, NULL, error);
}

uint64_t
collide_core_list_worlds(struct collide_core *core, const struct collide_world_filter *filter, struct collide_error *error)
{
	Collide__V1__ListWorlds list;
	struct label_view labels;
	Collide__V1__ClientMessage message = core_envelope(COLLIDE__V1__CLIENT_MESSAGE__REQUEST_LIST_WORLDS);
	if (!labels_borrow(filter->labels, filter->label_count, &labels, error))
		return 0;
	collide__v1__list_worlds__init(&list);
	list.prefix = text_borrow(filter->prefix);
	list.after = text_borrow(filter->after);
	list.limit = filter->limit;
	list.labels = labels.at;
	list.n_labels = filter->label_count;
	message.list_worlds = &list;
	return core_begin(core, &message, NULL, error);
}

uint64_t
collide_core_snapshot_world(struct collide_core *core, const struct collide_world_key *key,
                            const struct collide_world_moment *moment, struct collide_error *error)
{
	Collide__V1__SnapshotWorld snapshot;
	Collide__V1__ClientMessage message = core_envelope(COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SNAPSHOT_WORLD);
	collide__v1__snapshot_world__init(&snapshot);
	snapshot.name = text_borrow(key->name);
	snapshot.epoch = key->epoch;
	snapshot.secret = bytes_borrow(key->secret, key->secret_bytes);
	if (moment && moment->has_tick) {
		snapshot.optional_at_case = COLLIDE__V1__SNAPSHOT_WORLD__OPTIONAL_AT_AT_TICK;
		snapshot.at_tick = moment->at_tick;
	}
	snapshot.handover = moment && moment->handover;
	snapshot.as_scene = moment && moment->as_scene;
	message.snapshot_world = &snapshot;
	return core_begin(core, &message, NULL, error);
}

uint64_t
collide_core_restore_world(struct collide_core *core, const struct collide_world_key *key, const void *snapshot,
                           size_t snapshot_bytes, struct collide_error *error)
{
	Collide__V1__RestoreWorld restore;
	const struct collide_scene bytes = { .message = snapshot, .message_bytes = snapshot_bytes };
	if (!snapshot)
		return request_bad_argument(error, "a snapshot is needed");
	collide__v1__restore_world__init(&restore);
	restore.name = text_borrow(key->name);
	restore.epoch = key->epoch;
	restore.secret = bytes_borrow(key->secret, key->secret_bytes);
	const struct request_body body = { .field = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_RESTORE_WORLD,
		                               .scene = &bytes,
		                               .scene_field = 4, /* RestoreWorld.snapshot */
		                               .rest = &restore.base };
	return core_begin_body(core, &body, error);
}

uint64_t
collide_core_fork_world(struct collide_core *core, const struct collide_world_key *key, const struct collide_world_fork *fork,
                        struct collide_error *error)
{
	Collide__V1__ForkWorld message_fork;
	struct label_view labels;
	Collide__V1__ClientMessage message = core_envelope(COLLIDE__V1__CLIENT_MESSAGE__REQUEST_FORK_WORLD);
	if (!labels_borrow(fork->labels, fork->label_count, &labels, error))
		return 0;
	collide__v1__fork_world__init(&message_fork);
	message_fork.world = text_borrow(key->name);
	message_fork.epoch = key->epoch;
	message_fork.secret = bytes_borrow(key->secret, key->secret_bytes);
	message_fork.name = text_borrow(fork->name);
	if (fork->has_tick) {
		message_fork.optional_at_case = COLLIDE__V1__FORK_WORLD__OPTIONAL_AT_AT_TICK;
		message_fork.at_tick = fork->at_tick;
	}
	message_fork.clock = (Collide__V1__Clock)fork->clock;
	message_fork.ticket = bytes_borrow(fork->ticket, COLLIDE_SECRET_BYTES);
	message_fork.labels = labels.at;
	message_fork.n_labels = fork->label_count;
	message.fork_world = &message_fork;
	return core_begin(core, &message, NULL, error);
}

uint64_t
collide_core_record_world(struct collide_core *core, const struct collide_world_key *key,
                          const struct collide_recording *recording, struct collide_error *error)
{
	Collide__V1__Record record;
	Collide__V1__ClientMessage message = core_envelope(COLLIDE__V1__CLIENT_MESSAGE__REQUEST_RECORD);
	collide__v1__record__init(&record);
	record.world = text_borrow(key->name);
	record.epoch = key->epoch;
	record.secret = bytes_borrow(key->secret, key->secret_bytes);
	record.file = text_borrow(recording->file);
	record.ticks = recording->ticks;
	record.every = recording->every;
	message.record = &record;
	return core_begin(core, &message, NULL, error);
}

uint64_t
collide_core_end_recording(struct collide_core *core, const struct collide_world_key *key, struct collide_error *error)
{
	Collide__V1__EndRecord end;
	Collide__V1__ClientMessage message = core_envelope(COLLIDE__V1__CLIENT_MESSAGE__REQUEST_END_RECORD);
	collide__v1__end_record__init(&end);
	end.world = text_borrow(key->name);
	end.epoch = key->epoch;
	end.secret = bytes_borrow(key->secret, key->secret_bytes);
	message.end_record = &end;
	return core_begin(core, &message, NULL, error);
}
