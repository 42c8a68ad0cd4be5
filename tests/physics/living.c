#include "physics/living.h"

#include "physics/followers.h"
#include "physics/scenario.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct world *
twin_of(const struct world *world)
{
	struct snapshot snapshot = snapshot_take(world);
	struct world *twin = snapshot_restored(&snapshot);
	free(snapshot.bytes);
	return twin;
}

static void
twins_compare(const struct living *living)
{
	struct snapshot a = snapshot_take(living->world), b = snapshot_take(living->twin);
	assert_int_equal(a.size, b.size);
	assert_memory_equal(a.bytes, b.bytes, a.size);
	free(a.bytes);
	free(b.bytes);
	assert_true(world_hash(living->world) == world_hash(living->twin));
}

static bool
is_told(const struct living *living, uint32_t id)
{
	for (size_t i = 0; i < living->told_count; i++)
		if (living->told[i] == id)
			return true;
	return false;
}

static void
tell(struct living *living, uint32_t id, bool asleep)
{
	size_t kept = 0;
	for (size_t i = 0; i < living->told_count; i++)
		if (living->told[i] != id)
			living->told[kept++] = living->told[i];
	living->told_count = kept;
	if (!asleep)
		return;
	if (kept == living->told_capacity) {
		living->told_capacity = 2 * kept + 16;
		living->told = realloc(living->told, living->told_capacity * sizeof *living->told);
		assert_non_null(living->told);
	}
	living->told[living->told_count++] = id;
}

/* The world as it is, to a certificate that knows nothing of what was before. */
static void
certify_anew(struct living *living)
{
	struct world_def def = living->def;
	def.events = 0; /* the book has them, and what is inside what: to the certificate those pairs just pass */
	struct relation_def *relations = calloc(def.relation_count + 1, sizeof *relations);
	assert_non_null(relations);
	for (size_t i = 0; i < def.relation_count; i++) {
		relations[i] = def.relations[i];
		if (relations[i].kind == RELATION_KIND_SENSOR)
			relations[i].kind = RELATION_KIND_NONE;
	}
	def.relations = relations;
	def.circle_count = world_body_count(living->world);
	def.segment_count = world_segment_count(living->world);
	struct circle_def *circles = calloc(def.circle_count + 1, sizeof *circles);
	struct segment_def *segments = calloc(def.segment_count + 1, sizeof *segments);
	bool *asleep = calloc(def.circle_count + 1, sizeof *asleep);
	assert_true(circles && segments && asleep);
	for (size_t i = 0; i < def.circle_count; i++) {
		circles[i] = world_circle(living->world, i);
		/* What was inside before it cannot know; the book does. */
		if (circles[i].sensor)
			circles[i].mask = 0;
		asleep[i] = circles[i].kind == BODY_DYNAMIC && is_told(living, circles[i].id);
	}
	for (size_t i = 0; i < def.segment_count; i++) {
		segments[i] = world_segment(living->world, i);
		if (segments[i].sensor)
			segments[i].mask = 0;
	}
	def.circles = circles;
	def.segments = segments;
	certified_destroy(living->certified);
	living->certified = certified_resume(&def, asleep);
	assert_non_null(living->certified);
	free(circles);
	free(segments);
	free(asleep);
	free(relations);
}

void
living_start(struct living *living, const struct world_def *def, bool certify, uint64_t seed)
{
	struct def_problem problem;
	*living = (struct living){ .def = *def, .certify = certify, .random = seed, .twin_ticks = 1 + seed % 9 };
	assert_int_equal(world_create(def, &problem, &living->world), STATUS_OK);
	living->twin = twin_of(living->world);
	living->def.circles = NULL;
	living->def.segments = NULL;
	living->def.circle_count = living->def.segment_count = 0;
}

void
living_finish(struct living *living)
{
	world_destroy(living->world);
	world_destroy(living->twin);
	certified_destroy(living->certified);
	event_book_finish(&living->book);
	free(living->told);
}

static void
shuffle(struct edit *edits, size_t count, uint64_t *random)
{
	for (size_t i = count; i > 1; i--) {
		const size_t k = (size_t)random_below(random, i);
		const struct edit swap = edits[i - 1];
		edits[i - 1] = edits[k];
		edits[k] = swap;
	}
}

enum status
living_edit(struct living *living, const struct edit *edits, size_t count, struct def_problem *problem)
{
	struct def_problem other;
	struct edit *shuffled = calloc(count + 1, sizeof *shuffled);
	assert_non_null(shuffled);
	for (size_t i = 0; i < count; i++)
		shuffled[i] = edits[i];
	shuffle(shuffled, count, &living->random);

	struct snapshot before = snapshot_take(living->world);
	const enum status status = world_edit(living->world, edits, count, problem);
	assert_int_equal(world_edit(living->twin, shuffled, count, &other), status);
	twins_compare(living);
	if (status == STATUS_OK) {
		living->edits += count;
		for (size_t i = 0; i < count; i++)
			if (edits[i].kind == EDIT_CIRCLE_REMOVE ||
			    (edits[i].fields & edit_field(DEF_CIRCLE_KIND) && edits[i].circle.kind != BODY_DYNAMIC))
				tell(living, edits[i].circle.id, false);
		certified_destroy(living->certified);
		living->certified = NULL;
	} else {
		struct snapshot after = snapshot_take(living->world);
		assert_int_equal(after.size, before.size);
		assert_memory_equal(after.bytes, before.bytes, before.size);
		free(after.bytes);
		living->refused++;
	}
	free(before.bytes);
	free(shuffled);
	return status;
}

void
living_edited(struct living *living, const struct edit *edits, size_t count)
{
	struct def_problem problem;
	const enum status status = living_edit(living, edits, count, &problem);
	if (status != STATUS_OK)
		print_error("edit %zu, field %d: %s\n", problem.index, (int)problem.field, problem.text);
	assert_int_equal(status, STATUS_OK);
}

void
living_step(struct living *living, double dt)
{
	struct tick_report report;
	if (living->certify && !living->certified)
		certify_anew(living);
	assert_int_equal(world_step(living->world, dt, &living->report), STATUS_OK);
	assert_int_equal(world_step(living->twin, dt, &report), STATUS_OK);
	reports_same(&living->report, &report);
	twins_compare(living);
	event_book_take(&living->book, &living->report, dt,
	                living->def.events & WORLD_EVENTS_TOUCH && !(living->def.hit_speed > 0));
	for (size_t i = 0; i < living->report.path_change_count; i++) {
		const struct path_change *change = &living->report.path_changes[i];
		if (change->kind == PATH_ASLEEP || change->kind == PATH_WOKEN)
			tell(living, change->body, change->kind == PATH_ASLEEP);
		living->woken += change->kind == PATH_WOKEN;
	}
	for (size_t i = 0; i < living->report.shortfall_count; i++)
		living->flags |= living->report.shortfalls[i].flag;
	/* Of pair events it would miss the beginnings, and know the ids of those that are gone no more. */
	report = living->report;
	report.pair_event_count = 0;
	if (living->certify)
		assert_int_equal(certified_tick(living->certified, living->world, dt, &report), STATUS_OK);
	if (++living->ticks % living->twin_ticks == 0) {
		world_destroy(living->twin);
		living->twin = twin_of(living->world);
	}
}

void
living_certify(const struct living *living)
{
	if (!living->certified || certified_clean(living->certified))
		return;
	const struct certificate_report *report = certified_report(living->certified);
	fail_msg("tick %llu: certificate: %llu overlaps (largest %g), %llu escapes, %llu jumps (largest %g), unexplained parts of "
	         "the energy %g and of the momentum %g: %s",
	         (unsigned long long)living->ticks, (unsigned long long)report->overlaps, report->largest_overlap,
	         (unsigned long long)report->escapes, (unsigned long long)report->jumps, report->largest_jump,
	         certified_energy_error(living->certified), certified_momentum_error(living->certified), report->first_problem);
}

double
living_room(const struct living *living, double x, double y, double radius)
{
	double room = INFINITY;
	for (size_t i = 0; i < world_body_count(living->world); i++) {
		const struct body_state body = world_body(living->world, i);
		room = fmin(room, hypot(body.x - x, body.y - y) - body.radius - radius);
	}
	for (size_t i = 0; i < world_segment_count(living->world); i++) {
		const struct segment_def segment = world_segment(living->world, i);
		room = fmin(room, segment_distance(&segment, x, y) - radius);
	}
	return room;
}

double
living_wall_room(const struct living *living, const struct segment_def *segment)
{
	double room = INFINITY;
	for (size_t i = 0; i < world_body_count(living->world); i++) {
		const struct body_state body = world_body(living->world, i);
		room = fmin(room, segment_distance(segment, body.x, body.y) - body.radius);
	}
	return room;
}
