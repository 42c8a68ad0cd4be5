/* Reading. Happy path: header, checksum and counts agree with the size, so that nothing is read outside it. Every row is within
 * its table's bounds; the rest of the world is computed from it, and its hash is the one written. What can go wrong: anything,
 * because the bytes are untrusted; each refusal names the field. Memory used is a multiple of the size given. */
#include "base/memory.h"
#include "physics/broadphase/grid_build.h"
#include "physics/phases/depenetration.h"
#include "physics/resting/handover.h"
#include "physics/resting/sleep.h"
#include "physics/state/snapshot.h"
#include "physics/state/snapshot_rows.h"
#include "physics/world/body_rule.h"
#include "physics/world/map_walls.h"
#include "physics/world/relation.h"
#include "physics/world/vertex.h"

#include <math.h>
#include <string.h>

static const char *const out_of_range = "is out of its range";
static bool
problem_set(struct snapshot_problem *problem, const char *field, size_t index, const char *text)
{
	*problem = (struct snapshot_problem){ .field = field, .index = index, .text = text };
	return false;
}

/* Row `index` of the table that begins at `rows`. */
static bool
row_get(const uint8_t *rows, size_t index, const struct snapshot_table *table, void *const bases[],
        struct snapshot_problem *problem)
{
	const struct snapshot_field *bad = snapshot_row_get(rows, index, table, bases);

	return !bad || problem_set(problem, bad->name, index, out_of_range);
}

/* Bytes, and the map that their world is in; NULL: they have all walls. */
struct snapshot_bytes {
	const uint8_t *at;
	size_t size;
	struct wall_map *map;
};

static bool
magic_is(const struct snapshot_bytes *snapshot, const uint8_t *magic)
{
	return snapshot->size >= SNAPSHOT_MAGIC_BYTES && memcmp(snapshot->at, magic, SNAPSHOT_MAGIC_BYTES) == 0;
}

static bool
magic_check(const struct snapshot_bytes *snapshot, struct snapshot_problem *problem)
{
	bool plain = magic_is(snapshot, snapshot_magic), in_map = magic_is(snapshot, snapshot_map_magic);

	if (!plain && !in_map)
		return problem_set(problem, "header.magic", 0, "is not that of a snapshot");
	if (plain && snapshot->map)
		return problem_set(problem, "header.magic", 0, "is that of a snapshot with walls of its own");
	if (in_map && !snapshot->map)
		return problem_set(problem, "header.magic", 0, "is that of a snapshot in a map, which must be given");
	return true;
}

static bool
header_check(const struct snapshot_bytes *snapshot, unsigned flags, struct snapshot_problem *problem)
{
	const uint8_t *bytes = snapshot->at;
	size_t size = snapshot->size;

	if (!magic_check(snapshot, problem))
		return false;
	if (size < SNAPSHOT_HEADER_BYTES + SNAPSHOT_CHECKSUM_BYTES)
		return problem_set(problem, "header.size", 0, "is more than there is: the snapshot is cut short");
	if (snapshot_number_get(bytes + SNAPSHOT_MAGIC_BYTES, 4) != SNAPSHOT_FORMAT)
		return problem_set(problem, "header.format", 0, "is one that this engine does not know");

	uint64_t told = snapshot_number_get(bytes + SNAPSHOT_MAGIC_BYTES + 8, 8);

	if (told > size)
		return problem_set(problem, "header.size", 0, "is more than there is: the snapshot is cut short");
	if (told < size)
		return problem_set(problem, "header.size", 0, "is less than there is");
	if (snapshot_number_get(bytes + size - SNAPSHOT_CHECKSUM_BYTES, SNAPSHOT_CHECKSUM_BYTES) !=
	    snapshot_checksum(bytes, size - SNAPSHOT_CHECKSUM_BYTES))
		return problem_set(problem, "checksum", 0, "is not that of the bytes: the snapshot is damaged");
	if (snapshot_number_get(bytes + SNAPSHOT_MAGIC_BYTES + 4, 4) != PHYSICS_SEMANTICS && !(flags & RESTORE_OTHER_SEMANTICS))
		return problem_set(problem, "header.semantics", 0, "is of an engine that would go on with other bits");
	return true;
}

static bool
counts_get(const struct snapshot_bytes *snapshot, struct snapshot_counts *counts, struct snapshot_places *places,
           struct snapshot_problem *problem)
{
	size_t head = SNAPSHOT_HEADER_BYTES + (snapshot->map ? SNAPSHOT_MAP_BYTES : 0);

	if (snapshot->size < head + snapshot_row_bytes(&snapshot_counts_table) + SNAPSHOT_CHECKSUM_BYTES)
		return problem_set(problem, "header.size", 0, "leaves no room for counts");
	if (snapshot->map &&
	    snapshot_number_get(snapshot->at + SNAPSHOT_HEADER_BYTES, SNAPSHOT_MAP_BYTES) != wall_map_hash(snapshot->map))
		return problem_set(problem, "header.map", 0, "is another map than the one given");
	if (!row_get(snapshot->at + head, 0, &snapshot_counts_table, (void *const[]){ counts }, problem))
		return false;
	if (snapshot->map && counts->segments != 0)
		return problem_set(problem, "counts.segments", 0, "must be 0: the walls are the map's");
	if (counts->listings != 0 && counts->listings != counts->bodies)
		return problem_set(problem, "counts.listings", 0, "must be as many as bodies, or none");
	if (counts->listings == 0 && counts->pairs != 0)
		return problem_set(problem, "counts.pairs", 0, "must be 0 without listings");
	if (counts->calms != 0 && counts->calms != counts->bodies)
		return problem_set(problem, "counts.calms", 0, "must be as many as bodies, or none");
	if (counts->rules != 0 && counts->rules != counts->bodies)
		return problem_set(problem, "counts.rules", 0, "must be as many as bodies, or none");
	if (counts->tags != 0 && counts->tags != counts->bodies)
		return problem_set(problem, "counts.tags", 0, "must be as many as bodies, or none");
	if (counts->switches != 0 && !snapshot->map)
		return problem_set(problem, "counts.switches", 0, "must be 0: the walls say it");
	if (counts->listings == 0 && counts->dormant != 0)
		return problem_set(problem, "counts.dormant", 0, "must be 0 without listings");
	if (!snapshot_places_find(counts, snapshot->map != NULL, places) || places->end != snapshot->size)
		return problem_set(problem, "counts", 0, "do not make up the snapshot's size");
	return true;
}

static bool
body_check(const struct world *world, uint32_t i, struct snapshot_problem *problem)
{
	const struct body_info *info = &world->bodies.infos[i];
	const struct body *body = &world->bodies.paths[i];

	if (i > 0 && info->id <= world->bodies.infos[i - 1].id)
		return problem_set(problem, "bodies.id", i, "must ascend");
	if (info->kind == BODY_DYNAMIC) {
		if (!(info->mass <= PHYSICS_MASS_MAX))
			return problem_set(problem, "bodies.mass", i, out_of_range);
		if (!(info->inverse_inertia >= 1.0 / PHYSICS_INERTIA_MAX))
			return problem_set(problem, "bodies.inverse_inertia", i, out_of_range);
		return true;
	}
	if (info->mass != (double)INFINITY)
		return problem_set(problem, "bodies.mass", i, "must be infinite: the body is not dynamic");
	if (info->inverse_inertia != 0.0)
		return problem_set(problem, "bodies.inverse_inertia", i, "must be 0: the body is not dynamic");
	if (!is_plain_zero(info->gravity_scale))
		return problem_set(problem, "bodies.gravity_scale", i, "must be 0: the body is not dynamic");
	if (info->kind == BODY_STATIC && (body->vx != 0.0 || body->vy != 0.0 || info->spin != 0.0))
		return problem_set(problem, "bodies.vx", i, "must be 0, as all its velocities: the body is static");
	return true;
}

static bool
bodies_get(struct world *world, const uint8_t *rows, struct snapshot_problem *problem)
{
	const struct snapshot_target targets[] = { { world->bodies.paths, sizeof *world->bodies.paths },
		                                       { world->bodies.infos, sizeof *world->bodies.infos } };
	bool all = snapshot_rows_get(rows, &snapshot_body_table, world->bodies.count, targets);

	for (uint32_t i = 0; i < world->bodies.count && !pause_after(2); i++) {
		if ((!all && !row_get(rows, i, &snapshot_body_table,
		                      (void *const[]){ &world->bodies.paths[i], &world->bodies.infos[i] }, problem)) ||
		    !body_check(world, i, problem))
			return false;
		body_derive(world, i);
	}
	return true;
}

/* A sleeping body has no velocity, and its sleep island is named by the first sleeping body of that island. */
static bool
calm_check(const struct world *world, uint32_t i, struct snapshot_problem *problem)
{
	const struct body *body = &world->bodies.paths[i];
	const struct body_info *info = &world->bodies.infos[i];
	const struct calm *calm = &world->bodies.calms[i];

	if (((info->handover & HANDOVER_ASLEEP) != 0) != (calm->bed != NONE))
		return problem_set(problem, "calms.bed", i, "must be one if and only if the body sleeps");
	if (calm->bed == NONE)
		return true;
	if (calm->bed > i || world->bodies.calms[calm->bed].bed != calm->bed)
		return problem_set(problem, "calms.bed", i, "must be the first body of those that sleep together");
	if (info->kind != BODY_DYNAMIC || info->handover != (HANDOVER_LED | HANDOVER_ASLEEP))
		return problem_set(problem, "bodies.settle", i, "must be that of a sleeper, which is dynamic");
	if (body->vx != 0.0 || body->vy != 0.0 || info->spin != 0.0)
		return problem_set(problem, "bodies.vx", i, "must be 0, as all its velocities: the body sleeps");
	if (calm->x != 0.0 || calm->y != 0.0 || calm->angle != 0.0 || calm->duration != 0.0 || calm->calm)
		return problem_set(problem, "calms.x", i, "must be 0, as the rest: the body sleeps");
	return true;
}

static bool
calms_get(struct world *world, const uint8_t *rows, struct snapshot_problem *problem)
{
	const struct snapshot_target targets[] = { { world->bodies.calms, sizeof *world->bodies.calms } };
	bool all = world->bodies.calms && snapshot_rows_get(rows, &snapshot_calm_table, world->bodies.count, targets);

	for (uint32_t i = 0; i < world->bodies.count && !pause_after(2); i++) {
		if (!world->bodies.calms) {
			if (world->bodies.infos[i].handover & (HANDOVER_ASLEEP | HANDOVER_WOKEN))
				return problem_set(problem, "bodies.settle", i, "must be awake: nothing may sleep here");
			continue;
		}
		if ((!all && !row_get(rows, i, &snapshot_calm_table, (void *const[]){ &world->bodies.calms[i] }, problem)) ||
		    !calm_check(world, i, problem))
			return false;
	}
	sleep_restore(world);
	return true;
}

static bool
segments_get(struct world *world, const uint8_t *rows, struct snapshot_problem *problem)
{
	const struct snapshot_target targets[] = { { world->walls.segments, sizeof *world->walls.segments } };
	bool all = snapshot_rows_get(rows, &snapshot_segment_table, world->walls.segment_count, targets);
	for (uint32_t i = 0; i < world->walls.segment_count && !pause_after(4); i++) {
		struct segment *segment = &world->walls.segments[i];
		if (!all && !row_get(rows, i, &snapshot_segment_table, (void *const[]){ segment }, problem))
			return false;
		if (i > 0 && segment->id <= world->walls.segments[i - 1].id)
			return problem_set(problem, "segments.id", i, "must ascend");
		if (!segment_has_length(segment->home[0], segment->home[1], segment->home[2], segment->home[3]))
			return problem_set(problem, "segments.x2", i, "must not be the first point: a segment needs a length");
		if (!segment_radius_good(segment->radius))
			return problem_set(problem, "segments.radius", i, "must be 0, or 1e-9 and more");
		if (is_minus_zero(segment->vx) || is_minus_zero(segment->vy))
			return problem_set(problem, is_minus_zero(segment->vx) ? "segments.vx" : "segments.vy", i, "must be 0, not -0");
		segment->loose = segment->disabled;
		segment_derive(segment);
	}
	walls_derive(&world->walls);
	return true;
}

/* The state of the rest solver while it is read. */
struct listings {
	struct solver_listing *bodies;
	struct solver_warm *pairs, *dormant;
};

static bool
dormant_check(const struct world *world, const struct solver_warm *pairs, size_t k, struct snapshot_problem *problem)
{
	const struct solver_warm *pair = &pairs[k], *before = k > 0 ? pair - 1 : NULL;
	bool wall = (pair->b & SOLVER_WALL) != 0;

	if (pair->a >= world->bodies.count)
		return problem_set(problem, "dormant.a", k, "must be the index of a body");
	if (wall ? (pair->b & ~SOLVER_WALL) >= world->walls.segment_count : pair->b >= world->bodies.count || pair->b <= pair->a)
		return problem_set(problem, "dormant.b", k, "must be the index of a body behind the first, or of a segment");
	if (before && (before->a > pair->a || (before->a == pair->a && before->b >= pair->b)))
		return problem_set(problem, "dormant.b", k, "must ascend");
	return true;
}

static bool
pair_check(const struct world *world, const struct listings *list, size_t k, struct snapshot_problem *problem)
{
	const struct solver_warm *pair = &list->pairs[k], *before = k > 0 ? pair - 1 : NULL;
	bool wall = (pair->b & SOLVER_WALL) != 0;

	if (pair->a >= world->bodies.count || !list->bodies[pair->a].listed)
		return problem_set(problem, "pairs.a", k, "must be the index of a listed body");
	if (wall ? (pair->b & ~SOLVER_WALL) >= world->walls.segment_count
	         : pair->b >= world->bodies.count || pair->b <= pair->a || !list->bodies[pair->b].listed)
		return problem_set(problem, "pairs.b", k, "must be the index of a listed body behind the first, or of a segment");
	if (world->bodies.infos[pair->a].inverse_mass == 0.0 && (wall || world->bodies.infos[pair->b].inverse_mass == 0.0))
		return problem_set(problem, "pairs.b", k, "must yield, as the first does not");
	if (before && (before->a > pair->a || (before->a == pair->a && before->b >= pair->b)))
		return problem_set(problem, "pairs.b", k, "must ascend");
	return true;
}

static bool
list_get(const struct world *world, const uint8_t *bytes, const struct snapshot_counts *counts,
         const struct snapshot_places *places, struct listings *list, struct snapshot_problem *problem)
{
	const struct snapshot_target listings = { list->bodies, sizeof *list->bodies };
	const struct snapshot_target pairs = { list->pairs, sizeof *list->pairs };
	const struct snapshot_target dormant = { list->dormant, sizeof *list->dormant };
	bool all = snapshot_rows_get(bytes + places->listings, &snapshot_listing_table, (size_t)counts->listings, &listings) &&
	           snapshot_rows_get(bytes + places->pairs, &snapshot_pair_table, (size_t)counts->pairs, &pairs) &&
	           snapshot_rows_get(bytes + places->dormant, &snapshot_dormant_table, (size_t)counts->dormant, &dormant);

	for (size_t i = 0; i < counts->listings && !pause_after(2); i++) {
		struct solver_listing *listing = &list->bodies[i];

		if (!all && !row_get(bytes + places->listings, i, &snapshot_listing_table, (void *const[]){ listing }, problem))
			return false;
		if (!listing->listed && !(is_plain_zero(listing->x) && is_plain_zero(listing->y) && is_plain_zero(listing->share)))
			return problem_set(problem, "listings.x", i, "must be 0, as the rest: the body is not listed");
	}
	for (size_t k = 0; k < counts->pairs && !pause_after(2); k++)
		if ((!all && !row_get(bytes + places->pairs, k, &snapshot_pair_table, (void *const[]){ &list->pairs[k] }, problem)) ||
		    !pair_check(world, list, k, problem))
			return false;
	for (size_t k = 0; k < counts->dormant && !pause_after(2); k++)
		if ((!all &&
		     !row_get(bytes + places->dormant, k, &snapshot_dormant_table, (void *const[]){ &list->dormant[k] }, problem)) ||
		    !dormant_check(world, list->dormant, k, problem))
			return false;
	return true;
}

static enum status
handover_get(struct world *world, const uint8_t *bytes, const struct snapshot_counts *counts,
             const struct snapshot_places *places, struct snapshot_problem *problem)
{
	struct listings list = {
		.bodies = memory_zeroed((size_t)counts->listings + 1, sizeof *list.bodies),
		.pairs = memory_zeroed((size_t)counts->pairs + 1, sizeof *list.pairs),
		.dormant = memory_zeroed((size_t)counts->dormant + 1, sizeof *list.dormant),
	};
	enum status status = STATUS_RESOURCE_EXHAUSTED;
	size_t bad;

	if (list.bodies && list.pairs && list.dormant) {
		status = STATUS_INVALID_ARGUMENT;
		if (list_get(world, bytes, counts, places, &list, problem)) {
			status = handover_restore(world, list.bodies, list.pairs, (size_t)counts->pairs, &bad);
			if (status == STATUS_INVALID_ARGUMENT)
				problem_set(problem, "pairs.b", bad, "never meets the first");
			if (status == STATUS_OK && !handover_restore_dormant(world, list.dormant, (size_t)counts->dormant))
				status = STATUS_RESOURCE_EXHAUSTED;
		}
	}
	memory_free(list.bodies);
	memory_free(list.pairs);
	memory_free(list.dormant);
	return status;
}

/* Everything except the solver's list, which needs the rest. */
static enum status
world_get(struct world *world, const uint8_t *bytes, const struct snapshot_places *places, struct snapshot_problem *problem)
{
	bool all;

	if (!bodies_get(world, bytes + places->bodies, problem) || !calms_get(world, bytes + places->calms, problem) ||
	    !snapshot_rules_get(world, bytes, places, problem) ||
	    (!world->walls.map && !segments_get(world, bytes + places->segments, problem)))
		return STATUS_INVALID_ARGUMENT;

	enum status status = snapshot_switches_get(world, bytes + places->switches,
	                                           (places->checksum - places->switches) / sizeof(uint64_t), problem);
	if (status != STATUS_OK)
		return status;
	if (world_turns_find(world, false) && !world->settings.turns) {
		problem_set(problem, "world.turns", 0, "must be true: something turns, or could");
		return STATUS_INVALID_ARGUMENT;
	}
	world_derive(world, false);
	if ((!world->walls.map && !vertices_build(world)) || !grid_build(&world->grid, world) ||
	    overlaps_too_many(world, NULL, &all) || world->failed || !watch_create(world))
		return STATUS_RESOURCE_EXHAUSTED;
	return STATUS_OK;
}

/* The state of the watch. */
static enum status
watch_get(struct world *world, const uint8_t *bytes, const struct snapshot_counts *counts, const struct snapshot_places *places,
          struct snapshot_problem *problem)
{
	struct tie_row *ties = memory_zeroed((size_t)counts->ties + 1, sizeof *ties);
	struct drop *drops = memory_zeroed((size_t)counts->drops + 1, sizeof *drops);
	enum status status = STATUS_RESOURCE_EXHAUSTED;
	/* What was watched may be gone, with that still to be reported. */
	bool made = world->watch || counts->drops == 0 || watch_make(world);
	bool good = ties && drops && made;

	if (good && !world->watch && counts->ties > 0)
		good = problem_set(problem, "counts.ties", 0, "must be 0: nothing is watched");
	for (size_t i = 0; good && i < counts->ties && !pause_after(4); i++) {
		good = row_get(bytes + places->ties, i, &snapshot_tie_table, (void *const[]){ &ties[i] }, problem);
		if (good && !watch_tie_fits(world, &ties[i]))
			good = problem_set(problem, "ties.b", i, "is not what can touch the first, or have it inside");
		if (good && i > 0 && watch_tie_compare(&ties[i - 1], &ties[i]) >= 0)
			good = problem_set(problem, "ties.b", i, "must ascend, by kind first");
	}
	for (size_t i = 0; good && i < counts->drops && !pause_after(4); i++) {
		good = row_get(bytes + places->drops, i, &snapshot_drop_table, (void *const[]){ &drops[i] }, problem);
		if (good && drops[i].kind != PAIR_EVENT_END && drops[i].kind != PAIR_EVENT_EXIT)
			good = problem_set(problem, "drops.kind", i, out_of_range);
	}
	if (good)
		status = watch_restore(world, ties, (size_t)counts->ties, drops, (size_t)counts->drops) ? STATUS_OK : status;
	else if (ties && drops && made)
		status = STATUS_INVALID_ARGUMENT;
	memory_free(ties);
	memory_free(drops);
	return status;
}

/* The name of the field that relations_check objected to. */
static const char *
relation_field_name(enum def_field field)
{
	switch (field) {
	case DEF_RELATION_GROUP_A: return "relations.group_a";
	case DEF_RELATION_GROUP_B: return "relations.group_b";
	case DEF_RELATION_KIND: return "relations.kind";
	case DEF_RELATION_WEIGHT_A: return "relations.weight_a";
	case DEF_RELATION_WEIGHT_B: return "relations.weight_b";
	default: return "relations.elasticity";
	}
}

/* Reads `count` rows; NULL without memory or with a problem. */
static struct relation_def *
relations_get(const uint8_t *rows, size_t count, struct snapshot_problem *problem, enum status *status)
{
	struct relation_def *defs = memory_zeroed(count + 1, sizeof *defs);
	struct def_problem found;
	uint32_t last = 0;

	*status = STATUS_RESOURCE_EXHAUSTED;
	if (!defs)
		return NULL;
	*status = STATUS_INVALID_ARGUMENT;
	for (size_t i = 0; i < count; i++) {
		if (!row_get(rows, i, &snapshot_relation_table, (void *const[]){ &defs[i] }, problem)) {
			memory_free(defs);
			return NULL;
		}
		uint32_t low = defs[i].group_a < defs[i].group_b ? defs[i].group_a : defs[i].group_b;
		uint32_t high = defs[i].group_a < defs[i].group_b ? defs[i].group_b : defs[i].group_a;
		if (i > 0 && low * PHYSICS_GROUPS + high <= last) {
			problem_set(problem, "relations.group_b", i, "must ascend");
			memory_free(defs);
			return NULL;
		}
		last = low * PHYSICS_GROUPS + high;
	}
	if (!relations_check(defs, count, &found)) {
		problem_set(problem, relation_field_name(found.field), found.index, found.text);
		memory_free(defs);
		return NULL;
	}
	*status = STATUS_OK;
	return defs;
}

/* A world with these counts and the snapshot's own fields; NULL without memory or with a problem. */
static struct world *
world_begin(const struct snapshot_bytes *snapshot, const struct snapshot_places *places, const struct snapshot_counts *counts,
            struct snapshot_problem *problem, enum status *status, uint64_t *hash)
{
	const uint8_t *bytes = snapshot->at;
	const uint8_t *row = bytes + places->world;
	struct snapshot_world fields = { 0 };

	*status = STATUS_INVALID_ARGUMENT;
	if (!row_get(row, 0, &snapshot_world_table, (void *const[]){ &fields }, problem))
		return NULL;
	if (fields.settings.sleep_after > 0.0 ? counts->calms != counts->bodies : counts->calms != 0) {
		problem_set(problem, "counts.calms", 0, "must be as many as bodies if they may sleep, else 0");
		return NULL;
	}
	const char *wrong = snapshot_bounds_wrong(&fields);

	if (wrong) {
		problem_set(problem, "world.bounds_x_max", 0, wrong);
		return NULL;
	}

	struct relation_def *relations = relations_get(bytes + places->relations, (size_t)counts->relations, problem, status);
	if (!relations)
		return NULL;
	if (snapshot->map && !wall_map_suits(snapshot->map, relations, (size_t)counts->relations)) {
		problem_set(problem, "relations.kind", 0, "make walls of the map one-sided: such a world has walls of its own");
		*status = STATUS_INVALID_ARGUMENT;
		memory_free(relations);
		return NULL;
	}

	struct world *world = world_alloc(&(struct world_def){
		.gravity_x = fields.settings.gravity_x,
		.gravity_y = fields.settings.gravity_y,
		.restitution_mix = fields.settings.restitution_mix,
		.friction_mix = fields.settings.friction_mix,
		.restitution_threshold = fields.settings.restitution_threshold,
		.events_per_body_max = fields.settings.events_per_body_max,
		.work_per_tick_max = fields.settings.work_per_tick_max,
		.work_per_body_max = fields.settings.work_per_body_max,
		.contacts_per_tick_max = fields.settings.contacts_per_tick_max,
		.sleep_after = fields.settings.sleep_after,
		.speed_max = fields.settings.speed_max,
		.events = fields.settings.watched,
		.hit_speed = fields.settings.hit_speed,
		.has_bounds = fields.settings.has_bounds,
		.bounds_x_min = fields.settings.bounds[0],
		.bounds_y_min = fields.settings.bounds[1],
		.bounds_x_max = fields.settings.bounds[2],
		.bounds_y_max = fields.settings.bounds[3],
		.circle_count = (size_t)counts->bodies,
		.segment_count = (size_t)counts->segments,
		.relations = relations,
		.relation_count = (size_t)counts->relations,
		.map = snapshot->map,
	});

	memory_free(relations);
	*status = STATUS_RESOURCE_EXHAUSTED;
	*hash = fields.hash;
	if (world && !body_rules_alloc(&world->bodies, counts->rules != 0, counts->tags != 0)) {
		world_destroy(world);
		return NULL;
	}
	if (world) {
		world->tick = fields.tick;
		world->bodies.generation = fields.generation;
		world->settings.turns = fields.settings.turns;
		world->overlap_possible = fields.overlap_possible;
		world->wall_room = fields.wall_room;
		world->step.dt_restored = fields.dt;
	}
	return world;
}

/* Everything except the test of the hash; NULL with the problem and status. */
static struct world *
world_read(const struct snapshot_bytes *snapshot, unsigned flags, struct snapshot_problem *problem, enum status *status,
           uint64_t *hash)
{
	const uint8_t *bytes = snapshot->at;
	struct snapshot_counts counts = { 0 };
	struct snapshot_places places;

	*problem = (struct snapshot_problem){ .field = "", .text = "" };
	*status = STATUS_INVALID_ARGUMENT;
	if (!header_check(snapshot, flags, problem) || !counts_get(snapshot, &counts, &places, problem))
		return NULL;

	struct world *world = world_begin(snapshot, &places, &counts, problem, status, hash);

	if (!world)
		return NULL;
	*status = world_get(world, bytes, &places, problem);
	if (*status == STATUS_OK && counts.listings > 0)
		*status = handover_get(world, bytes, &counts, &places, problem);
	if (*status == STATUS_OK)
		*status = watch_get(world, bytes, &counts, &places, problem);
	if (*status == STATUS_OK)
		return world;
	world_destroy(world);
	return NULL;
}

static enum status
world_restored(const struct snapshot_bytes *snapshot, unsigned flags, struct snapshot_problem *problem, struct world **out)
{
	enum status status;
	uint64_t hash;
	struct world *world = world_read(snapshot, flags, problem, &status, &hash);

	if (world && world_hash(world) == hash && !pause_stopped()) {
		*out = world;
		return STATUS_OK;
	}
	if (pause_stopped())
		status = STATUS_CANCELLED;
	else if (world && !problem_set(problem, "world.hash", 0, "is not that of the state"))
		status = STATUS_INVALID_ARGUMENT;
	world_destroy(world);
	return status;
}

enum status
world_restore(const void *snapshot, size_t size, unsigned flags, struct snapshot_problem *problem, struct world **out)
{
	return world_restored(&(struct snapshot_bytes){ snapshot, size, NULL }, flags, problem, out);
}

enum status
world_restore_in_map(struct wall_map *map, const void *snapshot, size_t size, unsigned flags, struct snapshot_problem *problem,
                     struct world **out)
{
	return world_restored(&(struct snapshot_bytes){ snapshot, size, map }, flags, problem, out);
}

/* The world's second field is the hash. */
void
snapshot_forge(uint8_t *bytes, size_t size)
{
	size_t end = size - SNAPSHOT_CHECKSUM_BYTES;
	struct snapshot_problem problem;
	enum status status;
	uint64_t hash;

	snapshot_number_put(bytes + end, SNAPSHOT_CHECKSUM_BYTES, snapshot_checksum(bytes, end));

	struct world *world = world_read(&(struct snapshot_bytes){ bytes, size, NULL }, RESTORE_OTHER_SEMANTICS, &problem, &status,
	                                 &hash);

	if (!world)
		return;
	snapshot_number_put(bytes + SNAPSHOT_HEADER_BYTES + snapshot_row_bytes(&snapshot_counts_table) + 8, 8, world_hash(world));
	world_destroy(world);
	snapshot_number_put(bytes + end, SNAPSHOT_CHECKSUM_BYTES, snapshot_checksum(bytes, end));
}
