#include "client/cli/check/audit.h"

#include "client/cli/recording/start_def.h"
#include "physics/describe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct audit {
	double dt;
	struct certificate *certificate;
	struct certificate_report report; /* the certificate's, plus the frames that it could not be given */
	uint64_t foreign_frames;
	char foreign_problem[sizeof(((struct certificate_report *)0)->first_problem)];
	uint32_t *ids; /* of the scene's circles that have not had their end, ascending */
	size_t circle_count;
	struct certificate_contact *contacts; /* of the current frame, as the certificate takes them */
	size_t contact_capacity;
	struct certificate_path_change *changes;
	size_t change_capacity;
	struct certificate_pair_event *events;
	size_t event_capacity;
	struct certificate_place *places;
	size_t place_capacity;
	struct certificate_end *ends;
	size_t end_capacity;
	unsigned told;
	double hit_speed;
};

static enum certificate_kind
kind_of(enum body_kind kind)
{
	switch (kind) {
	case BODY_KINEMATIC: return CERTIFICATE_KINEMATIC;
	case BODY_STATIC: return CERTIFICATE_STATIC;
	case BODY_DYNAMIC: break;
	}
	return CERTIFICATE_DYNAMIC;
}

static enum certificate_response
response_of(enum movement_response response)
{
	switch (response) {
	case RESPONSE_SLIDE: return CERTIFICATE_SLIDE;
	case RESPONSE_STOP: return CERTIFICATE_STOP;
	case RESPONSE_BOUNCE: break;
	}
	return CERTIFICATE_BOUNCE;
}

static void
circle_copy(struct certificate_circle *to, const struct circle_def *from)
{
	*to = (struct certificate_circle){
		.id = from->id,
		.kind = kind_of(from->kind),
		.x = from->x,
		.y = from->y,
		.vx = from->vx,
		.vy = from->vy,
		.radius = from->radius,
		.mass = from->mass,
		.restitution = from->restitution,
		.category = from->category,
		.mask = from->mask,
		.angular_velocity = from->angular_velocity,
		.surface_speed = from->surface_speed,
		.rolling_resistance = from->rolling_resistance,
		.linear_damping = from->linear_damping,
		.angular_damping = from->angular_damping,
		.gravity_scale = from->gravity_scale,
		.response = response_of(from->response),
		.sensor = from->sensor,
		.filter_group = from->filter_group,
		.group = from->group,
		.stop_groups = from->stop_groups,
		.remove_groups = from->remove_groups,
		.report_groups = from->report_groups,
		.lifetime_ticks = from->lifetime_ticks,
		.lifetime_s = from->lifetime_s,
		/* The numbers of what is ignored are the same by contract. */
		.ignore = (enum certificate_ignore)from->ignore,
		.ignored_circle = from->ignored_circle,
	};
}

static void
segment_copy(struct certificate_segment *to, const struct segment_def *from)
{
	*to = (struct certificate_segment){
		.id = from->id,
		.x1 = from->x1,
		.y1 = from->y1,
		.x2 = from->x2,
		.y2 = from->y2,
		.restitution = from->restitution,
		.category = from->category,
		.mask = from->mask,
		.surface_speed = from->surface_speed,
		.rolling_resistance = from->rolling_resistance,
		.sensor = from->sensor,
		.radius = from->radius,
		.one_sided = from->one_sided,
		.filter_group = from->filter_group,
		.group = from->group,
		.vx = from->vx,
		.vy = from->vy,
		.disabled = from->disabled,
	};
}

static void
relation_copy(struct certificate_relation *to, const struct relation_def *from)
{
	/* The numbers of the kinds are the same by contract. */
	*to = (struct certificate_relation){
		.group_a = from->group_a,
		.group_b = from->group_b,
		.kind = (enum certificate_relation_kind)from->kind,
		.has_weight_a = from->has_weight_a,
		.has_weight_b = from->has_weight_b,
		.has_elasticity = from->has_elasticity,
		.weight_a = from->weight_a,
		.weight_b = from->weight_b,
		.elasticity = from->elasticity,
	};
}

/* The certificate's copy of a definition. `world`: the definition describes this world, which has made ticks already; NULL: it
 * has not begun. Only reading the scene's columns, and snapshots, is code shared with the server. */
static bool
certificate_from_def(const struct world_def *def, const struct world *world, struct arena *arena, struct certificate **out)
{
	struct certificate_circle *circles = arena_array(arena, def->circle_count, sizeof *circles);
	struct certificate_segment *segments = arena_array(arena, def->segment_count, sizeof *segments);
	struct certificate_relation *relations = arena_array(arena, def->relation_count, sizeof *relations);
	size_t open_count = world ? world_open_pair_count(world) : 0;
	struct certificate_pair *open = arena_array(arena, open_count, sizeof *open);
	if (!circles || !segments || !open || !relations)
		return false;
	for (size_t i = 0; i < open_count; i++) {
		const struct open_pair pair = world_open_pair(world, i);
		open[i] = (struct certificate_pair){
			.a = pair.a, .b = pair.b, .with_segment = pair.other == CONTACT_SEGMENT, .inside = pair.inside
		};
	}
	for (size_t i = 0; i < def->relation_count; i++)
		relation_copy(&relations[i], &def->relations[i]);
	for (size_t i = 0; i < def->circle_count; i++)
		circle_copy(&circles[i], &def->circles[i]);
	for (size_t i = 0; world && i < def->circle_count; i++)
		circles[i].asleep = world_body(world, i).asleep;
	for (size_t i = 0; i < def->segment_count; i++)
		segment_copy(&segments[i], &def->segments[i]);
	const struct certificate_scene scene = {
		.gravity_x = def->gravity_x,
		.gravity_y = def->gravity_y,
		.circles = circles,
		.circle_count = def->circle_count,
		.segments = segments,
		.segment_count = def->segment_count,
		.speed_max = def->speed_max,
		.restitution_threshold = def->restitution_threshold,
		.start_tick = world ? world_tick(world) : 0,
		.open = open,
		.open_count = open_count,
		.relations = relations,
		.relation_count = def->relation_count,
		.has_bounds = def->has_bounds,
		.bounds = { def->bounds_x_min, def->bounds_y_min, def->bounds_x_max, def->bounds_y_max },
	};
	return certificate_create(&scene, out) == STATUS_OK;
}

static int
id_compare(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	return (a > b) - (a < b);
}

/* Keeps the ids that every frame must have, ascending. */
static bool
ids_keep(struct audit *audit, const struct world_def *def)
{
	audit->circle_count = def->circle_count;
	audit->ids = calloc(def->circle_count + 1, sizeof *audit->ids);
	if (!audit->ids)
		return false;
	for (size_t i = 0; i < def->circle_count; i++)
		audit->ids[i] = def->circles[i].id;
	qsort(audit->ids, def->circle_count, sizeof *audit->ids, id_compare);
	return true;
}

struct audit *
audit_create_start(const struct start *start, double dt, enum collide_events events, char *error, size_t error_size)
{
	struct start_def read;
	struct audit *audit = calloc(1, sizeof *audit);
	if (!audit)
		return NULL;
	bool good = start_def_read(&read, start, error, error_size);
	if (good &&
	    (!ids_keep(audit, &read.def) || !certificate_from_def(&read.def, read.world, &read.arena, &audit->certificate))) {
		good = false;
		snprintf(error, error_size, "no memory for the certificate");
	}
	audit->hit_speed = good ? read.def.hit_speed : 0;
	start_def_finish(&read);
	if (good) {
		audit->dt = dt;
		audit->told = CERTIFICATE_TOLD_SENSORS | (events >= COLLIDE_EVENTS_TOUCHES ? (unsigned)CERTIFICATE_TOLD_TOUCHES : 0) |
		              (events >= COLLIDE_EVENTS_PERSIST ? (unsigned)CERTIFICATE_TOLD_PERSIST : 0);
		return audit;
	}
	audit_destroy(audit);
	return NULL;
}

struct audit *
audit_create(const Collide__V1__Scene *scene, double dt, enum collide_events events, char *error, size_t error_size)
{
	return audit_create_start(&(struct start){ .scene = scene }, dt, events, error, error_size);
}

void
audit_destroy(struct audit *audit)
{
	if (!audit)
		return;
	certificate_destroy(audit->certificate);
	free(audit->ids);
	free(audit->contacts);
	free(audit->changes);
	free(audit->events);
	free(audit->places);
	free(audit->ends);
	free(audit);
}

/* Makes room for `count` elements. Their contents may be lost. */
static bool
room_make(void **memory, size_t *capacity, size_t count, size_t size)
{
	if (*capacity >= count)
		return true;
	void *grown = calloc(count, size);
	if (!grown)
		return false;
	free(*memory);
	*memory = grown;
	*capacity = count;
	return true;
}

static void
contact_copy(struct certificate_contact *to, const struct collide_contacts *from, size_t i)
{
	bool with_segment = from->feature[i] != COLLIDE_CIRCLE;
	*to = (struct certificate_contact){
		.time = from->time[i],
		.a = from->a[i],
		.b = from->b[i],
		.with_segment = with_segment,
		.by_mass = (from->flags[i] & COLLIDE_CONTACT_BY_MASS) != 0,
		.a_stopped = (from->flags[i] & COLLIDE_CONTACT_A_STOPPED) != 0,
		.b_stopped = (from->flags[i] & COLLIDE_CONTACT_B_STOPPED) != 0,
		.feature = (uint8_t)(with_segment ? from->feature[i] - COLLIDE_SEGMENT_FACE : 0),
		.point = { from->point_x[i], from->point_y[i] },
		.normal = { from->normal_x[i], from->normal_y[i] },
		.approach_speed = from->approach_speed[i],
		.impulse = from->impulse[i],
		.a_before = { from->a_vx_before[i], from->a_vy_before[i] },
		.a_after = { from->a_vx_after[i], from->a_vy_after[i] },
		.b_before = { from->b_vx_before[i], from->b_vy_before[i] },
		.b_after = { from->b_vx_after[i], from->b_vy_after[i] },
	};
	if (from->friction_impulse) {
		to->friction_impulse = from->friction_impulse[i];
		to->a_spin_before = from->a_spin_before[i];
		to->a_spin_after = from->a_spin_after[i];
		to->b_spin_before = from->b_spin_before[i];
		to->b_spin_after = from->b_spin_after[i];
	}
}

static void
change_copy(struct certificate_path_change *to, const struct collide_path_changes *from, size_t i)
{
	*to = (struct certificate_path_change){
		.time = from->time[i],
		.body = from->body[i],
		.kind = (enum certificate_path_kind)(from->kind[i] - COLLIDE_PATH_PUSHED + CERTIFICATE_PUSHED),
		.vector = { from->vector_x[i], from->vector_y[i] },
	};
}

static void
event_copy(struct certificate_pair_event *to, const struct collide_pair_events *from, size_t i)
{
	*to = (struct certificate_pair_event){
		.time = from->time[i],
		.a = from->a[i],
		.b = from->b[i],
		.with_segment = from->feature[i] != COLLIDE_CIRCLE,
		.kind = (enum certificate_pair_event_kind)(from->kind[i] - COLLIDE_PAIR_BEGIN + CERTIFICATE_BEGIN),
		.impulse = from->impulse[i],
	};
}

static void
end_copy(struct certificate_end *to, const struct collide_ends *from, size_t i)
{
	*to = (struct certificate_end){
		.time = from->time[i],
		.body = from->body[i],
		.reason = (enum certificate_end_reason)(from->reason[i] - COLLIDE_END_CONTACT + CERTIFICATE_END_CONTACT),
		.position = { from->x[i], from->y[i] },
		.velocity = { from->vx[i], from->vy[i] },
	};
}

/* Takes the circles that end out of those that a frame must have. */
static void
ids_end(struct audit *audit, const struct collide_ends *ends)
{
	for (size_t i = 0; i < ends->count; i++) {
		uint32_t *id = bsearch(&ends->body[i], audit->ids, audit->circle_count, sizeof *audit->ids, id_compare);
		if (!id)
			continue; /* the certificate tells */
		size_t after = audit->circle_count - (size_t)(id - audit->ids) - 1;
		memmove(id, id + 1, after * sizeof *id);
		audit->circle_count--;
	}
}

static bool
bodies_are_the_scenes(const struct audit *audit, const struct collide_bodies *bodies)
{
	return bodies->count == audit->circle_count &&
	       (bodies->count == 0 || memcmp(bodies->id, audit->ids, bodies->count * sizeof *bodies->id) == 0);
}

static bool
rows_convert(struct audit *audit, const struct collide_frame *frame)
{
	size_t contacts = frame->contacts.count, changes = frame->path_changes.count;
	void *contact_memory = audit->contacts, *change_memory = audit->changes, *event_memory = audit->events;
	void *place_memory = audit->places, *end_memory = audit->ends;
	const struct collide_moving_segments *moving = &frame->moving_segments;
	bool room = room_make(&end_memory, &audit->end_capacity, frame->ends.count, sizeof *audit->ends) &&
	            room_make(&place_memory, &audit->place_capacity, moving->count, sizeof *audit->places) &&
	            room_make(&contact_memory, &audit->contact_capacity, contacts, sizeof *audit->contacts) &&
	            room_make(&change_memory, &audit->change_capacity, changes, sizeof *audit->changes) &&
	            room_make(&event_memory, &audit->event_capacity, frame->pair_events.count, sizeof *audit->events);
	audit->places = place_memory;
	audit->ends = end_memory;
	audit->contacts = contact_memory;
	audit->changes = change_memory;
	audit->events = event_memory;
	if (!room)
		return false;
	for (size_t i = 0; i < moving->count; i++)
		audit->places[i] = (struct certificate_place){ moving->id[i], moving->x1[i], moving->y1[i], moving->x2[i],
			                                           moving->y2[i] };
	for (size_t i = 0; i < contacts; i++)
		contact_copy(&audit->contacts[i], &frame->contacts, i);
	for (size_t i = 0; i < changes; i++)
		change_copy(&audit->changes[i], &frame->path_changes, i);
	for (size_t i = 0; i < frame->pair_events.count; i++)
		event_copy(&audit->events[i], &frame->pair_events, i);
	for (size_t i = 0; i < frame->ends.count; i++)
		end_copy(&audit->ends[i], &frame->ends, i);
	return true;
}

/* The certificate's report, plus the frames that did not fit the scene, counted as jumps. */
static void
report_update(struct audit *audit)
{
	audit->report = *certificate_report(audit->certificate);
	audit->report.jumps += audit->foreign_frames;
	if (audit->foreign_frames > 0 && audit->report.first_problem[0] == '\0')
		memcpy(audit->report.first_problem, audit->foreign_problem, sizeof audit->foreign_problem);
}

bool
audit_frame(struct audit *audit, const struct collide_frame *frame)
{
	ids_end(audit, &frame->ends);
	if (!bodies_are_the_scenes(audit, &frame->bodies)) {
		if (audit->foreign_frames++ == 0)
			snprintf(audit->foreign_problem, sizeof audit->foreign_problem, "tick %llu: the bodies are not those of the scene",
			         (unsigned long long)frame->tick);
		report_update(audit);
		return true;
	}
	if (!rows_convert(audit, frame))
		return false;
	const struct certificate_tick tick = {
		.dt = audit->dt,
		.state_count = frame->bodies.count,
		.x = frame->bodies.x,
		.y = frame->bodies.y,
		.vx = frame->bodies.vx,
		.vy = frame->bodies.vy,
		.spin = frame->bodies.angular_velocity,
		.contacts = audit->contacts,
		.contact_count = frame->contacts.count,
		.path_changes = audit->changes,
		.path_change_count = frame->path_changes.count,
		.pair_events = audit->events,
		.pair_event_count = frame->pair_events.count,
		.told = audit->told,
		.hit_speed = audit->hit_speed,
		.places_told = true,
		.places = audit->places,
		.place_count = frame->moving_segments.count,
		.ends = audit->ends,
		.end_count = frame->ends.count,
	};
	/* The certificate has counted what it cannot follow (an unknown id, a value that is not a number) as a jump. */
	enum status status = certificate_tick(audit->certificate, &tick);
	report_update(audit);
	return status == STATUS_OK || status == STATUS_INVALID_ARGUMENT;
}

const struct certificate_report *
audit_report(const struct audit *audit)
{
	return &audit->report;
}

bool
audit_found(const struct audit *audit)
{
	const struct certificate_report *report = &audit->report;
	return report->overlaps > 0 || report->escapes > 0 || report->jumps > 0 || report->energy_faults > 0 ||
	       report->event_faults > 0;
}
