/* Tables, layout and writing. Happy path: the size is known in advance, and rows are written to their places; nothing is
 * allocated and nothing of the world is changed. */
#include "physics/state/snapshot.h"

#include "base/pause.h"
#include "physics/resting/handover.h"
#include "physics/resting/sleep.h"
#include "physics/state/snapshot_rows.h"
#include "physics/wall_map.h"
#include "physics/world/body_rule.h"
#include "physics/world/relation.h"
#include "physics/world/wall_switch.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* For coordinates, velocities and the like. Definitions limit them to 1e12, but a world may exceed that. Large enough to be out
 * of reach, small enough for squares and cubes to be finite. */
#define STATE_MAX 1e100
#define ANY_MAX 0x1p64

const uint8_t snapshot_magic[SNAPSHOT_MAGIC_BYTES] = { 'c', 'o', 'l', 'l', 'i', 'd', 'e', 0x1a };
const uint8_t snapshot_map_magic[SNAPSHOT_MAGIC_BYTES] = { 'c', 'o', 'l', 'l', 'm', 'a', 'p', 0x1a };

static_assert(sizeof(enum restitution_mix) == 4 && sizeof(enum friction_mix) == 4 && sizeof(unsigned) == 4,
              "these are written as u32");
static_assert(sizeof(enum relation_kind) == 4, "and kinds of relations");

static const struct snapshot_field counts_fields[] = {
	{ "counts.bodies", offsetof(struct snapshot_counts, bodies), SNAPSHOT_U64, 0, 0, PARTNER_SEGMENT - 1.0 },
	{ "counts.segments", offsetof(struct snapshot_counts, segments), SNAPSHOT_U64, 0, 0, PARTNER_SEGMENT / 2.0 - 1.0 },
	{ "counts.listings", offsetof(struct snapshot_counts, listings), SNAPSHOT_U64, 0, 0, PARTNER_SEGMENT - 1.0 },
	{ "counts.pairs", offsetof(struct snapshot_counts, pairs), SNAPSHOT_U64, 0, 0, PARTNER_SEGMENT - 1.0 },
	{ "counts.calms", offsetof(struct snapshot_counts, calms), SNAPSHOT_U64, 0, 0, PARTNER_SEGMENT - 1.0 },
	{ "counts.dormant", offsetof(struct snapshot_counts, dormant), SNAPSHOT_U64, 0, 0, PARTNER_SEGMENT - 1.0 },
	{ "counts.ties", offsetof(struct snapshot_counts, ties), SNAPSHOT_U64, 0, 0, PARTNER_SEGMENT - 1.0 },
	{ "counts.drops", offsetof(struct snapshot_counts, drops), SNAPSHOT_U64, 0, 0, PARTNER_SEGMENT - 1.0 },
	{ "counts.relations", offsetof(struct snapshot_counts, relations), SNAPSHOT_U64, 0, 0, RELATIONS_MAX },
	{ "counts.rules", offsetof(struct snapshot_counts, rules), SNAPSHOT_U64, 0, 0, PARTNER_SEGMENT - 1.0 },
	{ "counts.tags", offsetof(struct snapshot_counts, tags), SNAPSHOT_U64, 0, 0, PARTNER_SEGMENT - 1.0 },
	{ "counts.switches", offsetof(struct snapshot_counts, switches), SNAPSHOT_U64, 0, 0, PARTNER_SEGMENT - 1.0 },
};

static const struct snapshot_field world_fields[] = {
	{ "world.tick", offsetof(struct snapshot_world, tick), SNAPSHOT_U64, 0, 0, ANY_MAX },
	{ "world.hash", offsetof(struct snapshot_world, hash), SNAPSHOT_U64, 0, 0, ANY_MAX },
	{ "world.gravity_x", offsetof(struct snapshot_world, settings.gravity_x), SNAPSHOT_F64, 0, -PHYSICS_COORDINATE_MAX,
	  PHYSICS_COORDINATE_MAX },
	{ "world.gravity_y", offsetof(struct snapshot_world, settings.gravity_y), SNAPSHOT_F64, 0, -PHYSICS_COORDINATE_MAX,
	  PHYSICS_COORDINATE_MAX },
	{ "world.restitution_mix", offsetof(struct snapshot_world, settings.restitution_mix), SNAPSHOT_U32, 0, 0,
	  RESTITUTION_MIX_MEAN },
	{ "world.friction_mix", offsetof(struct snapshot_world, settings.friction_mix), SNAPSHOT_U32, 0, 0, FRICTION_MIX_MEAN },
	{ "world.restitution_threshold", offsetof(struct snapshot_world, settings.restitution_threshold), SNAPSHOT_F64, 0, 0,
	  PHYSICS_SPEED_MAX },
	{ "world.events_per_body_max", offsetof(struct snapshot_world, settings.events_per_body_max), SNAPSHOT_U32, 0, 1, 1e6 },
	{ "world.contacts_per_tick_max", offsetof(struct snapshot_world, settings.contacts_per_tick_max), SNAPSHOT_SIZE, 0, 0,
	  ANY_MAX },
	{ "world.turns", offsetof(struct snapshot_world, settings.turns), SNAPSHOT_BOOL, 0, 0, 1 },
	{ "world.overlap_possible", offsetof(struct snapshot_world, overlap_possible), SNAPSHOT_BOOL, 0, 0, 1 },
	{ "world.sleep_after", offsetof(struct snapshot_world, settings.sleep_after), SNAPSHOT_F64, 0, 0, PHYSICS_SLEEP_AFTER_MAX },
	{ "world.speed_max", offsetof(struct snapshot_world, settings.speed_max), SNAPSHOT_F64, 0, 0, PHYSICS_SPEED_MAX },
	{ "world.events", offsetof(struct snapshot_world, settings.watched), SNAPSHOT_U32, 0, 0,
	  WORLD_EVENTS_TOUCH | WORLD_EVENTS_PERSIST | WORLD_EVENTS_PATHS },
	{ "world.hit_speed", offsetof(struct snapshot_world, settings.hit_speed), SNAPSHOT_F64, 0, 0, PHYSICS_SPEED_MAX },
	{ "world.generation", offsetof(struct snapshot_world, generation), SNAPSHOT_U32, 0, 0, ANY_MAX },
	{ "world.wall_room", offsetof(struct snapshot_world, wall_room), SNAPSHOT_F64, 0, 0, STATE_MAX },
	{ "world.work_per_tick_max", offsetof(struct snapshot_world, settings.work_per_tick_max), SNAPSHOT_U64, 0, 1,
	  PHYSICS_WORK_PER_TICK_MOST },
	{ "world.work_per_body_max", offsetof(struct snapshot_world, settings.work_per_body_max), SNAPSHOT_U64, 0, 1,
	  PHYSICS_WORK_PER_BODY_MOST },
	{ "world.has_bounds", offsetof(struct snapshot_world, settings.has_bounds), SNAPSHOT_BOOL, 0, 0, 1 },
	{ "world.bounds_x_min", offsetof(struct snapshot_world, settings.bounds[0]), SNAPSHOT_F64, 0, -PHYSICS_COORDINATE_MAX,
	  PHYSICS_COORDINATE_MAX },
	{ "world.bounds_y_min", offsetof(struct snapshot_world, settings.bounds[1]), SNAPSHOT_F64, 0, -PHYSICS_COORDINATE_MAX,
	  PHYSICS_COORDINATE_MAX },
	{ "world.bounds_x_max", offsetof(struct snapshot_world, settings.bounds[2]), SNAPSHOT_F64, 0, -PHYSICS_COORDINATE_MAX,
	  PHYSICS_COORDINATE_MAX },
	{ "world.bounds_y_max", offsetof(struct snapshot_world, settings.bounds[3]), SNAPSHOT_F64, 0, -PHYSICS_COORDINATE_MAX,
	  PHYSICS_COORDINATE_MAX },
	{ "world.dt", offsetof(struct snapshot_world, dt), SNAPSHOT_F64, 0, 0, PHYSICS_DT_MAX }, /* snapshot_outline: the last */
};

enum { IN_BODY = 0, IN_INFO = 1 };

static const struct snapshot_field body_fields[] = {
	{ "bodies.id", offsetof(struct body_info, id), SNAPSHOT_U32, IN_INFO, 0, ANY_MAX },
	{ "bodies.kind", offsetof(struct body_info, kind), SNAPSHOT_U8, IN_INFO, 0, BODY_STATIC },
	{ "bodies.category", offsetof(struct body_info, category), SNAPSHOT_U32, IN_INFO, 0, ANY_MAX },
	{ "bodies.mask", offsetof(struct body_info, mask), SNAPSHOT_U32, IN_INFO, 0, ANY_MAX },
	{ "bodies.radius", offsetof(struct body, radius), SNAPSHOT_F64, IN_BODY, PHYSICS_RADIUS_MIN, PHYSICS_RADIUS_MAX },
	{ "bodies.mass", offsetof(struct body_info, mass), SNAPSHOT_F64, IN_INFO, PHYSICS_MASS_MIN, (double)INFINITY },
	{ "bodies.inverse_inertia", offsetof(struct body_info, inverse_inertia), SNAPSHOT_F64, IN_INFO, 0,
	  1 / PHYSICS_INERTIA_MIN },
	{ "bodies.restitution", offsetof(struct body_info, restitution), SNAPSHOT_F64, IN_INFO, 0, 1 },
	{ "bodies.friction", offsetof(struct body_info, friction), SNAPSHOT_F64, IN_INFO, 0, PHYSICS_FRICTION_MAX },
	{ "bodies.rolling", offsetof(struct body_info, rolling), SNAPSHOT_F64, IN_INFO, 0, PHYSICS_FRICTION_MAX },
	{ "bodies.x", offsetof(struct body, x), SNAPSHOT_F64, IN_BODY, -STATE_MAX, STATE_MAX },
	{ "bodies.y", offsetof(struct body, y), SNAPSHOT_F64, IN_BODY, -STATE_MAX, STATE_MAX },
	{ "bodies.vx", offsetof(struct body, vx), SNAPSHOT_F64, IN_BODY, -STATE_MAX, STATE_MAX },
	{ "bodies.vy", offsetof(struct body, vy), SNAPSHOT_F64, IN_BODY, -STATE_MAX, STATE_MAX },
	{ "bodies.angle", offsetof(struct body_info, angle), SNAPSHOT_F64, IN_INFO, -STATE_MAX, STATE_MAX },
	{ "bodies.spin", offsetof(struct body_info, spin), SNAPSHOT_F64, IN_INFO, -STATE_MAX, STATE_MAX },
	{ "bodies.settle", offsetof(struct body_info, handover), SNAPSHOT_U8, IN_INFO, 0,
	  HANDOVER_HIT | HANDOVER_CANDIDATE | HANDOVER_LED | HANDOVER_ASLEEP | HANDOVER_NEW | HANDOVER_WOKEN },
	{ "bodies.surface_speed", offsetof(struct body_info, surface_speed), SNAPSHOT_F64, IN_INFO, -PHYSICS_SPEED_MAX,
	  PHYSICS_SPEED_MAX },
	{ "bodies.linear_damping", offsetof(struct body_info, linear_damping), SNAPSHOT_F64, IN_INFO, 0, PHYSICS_DAMPING_MAX },
	{ "bodies.angular_damping", offsetof(struct body_info, angular_damping), SNAPSHOT_F64, IN_INFO, 0, PHYSICS_DAMPING_MAX },
	{ "bodies.gravity_scale", offsetof(struct body_info, gravity_scale), SNAPSHOT_F64, IN_INFO, -PHYSICS_GRAVITY_SCALE_MAX,
	  PHYSICS_GRAVITY_SCALE_MAX },
	{ "bodies.response", offsetof(struct body_info, response), SNAPSHOT_U8, IN_INFO, 0, RESPONSE_STOP },
	{ "bodies.sensor", offsetof(struct body_info, sensor), SNAPSHOT_BOOL, IN_INFO, 0, 1 },
	{ "bodies.generation", offsetof(struct body_info, generation), SNAPSHOT_U32, IN_INFO, 0, ANY_MAX },
	{ "bodies.filter_group", offsetof(struct body_info, filter_group), SNAPSHOT_I32, IN_INFO, -ANY_MAX, ANY_MAX },
	{ "bodies.group", offsetof(struct body_info, group), SNAPSHOT_U8, IN_INFO, 0, PHYSICS_GROUPS - 1 },
};

static const struct snapshot_field segment_fields[] = {
	{ "segments.id", offsetof(struct segment, id), SNAPSHOT_U32, 0, 0, ANY_MAX },
	{ "segments.category", offsetof(struct segment, category), SNAPSHOT_U32, 0, 0, ANY_MAX },
	{ "segments.mask", offsetof(struct segment, mask), SNAPSHOT_U32, 0, 0, ANY_MAX },
	{ "segments.x1", offsetof(struct segment, home[0]), SNAPSHOT_F64, 0, -PHYSICS_COORDINATE_MAX, PHYSICS_COORDINATE_MAX },
	{ "segments.y1", offsetof(struct segment, home[1]), SNAPSHOT_F64, 0, -PHYSICS_COORDINATE_MAX, PHYSICS_COORDINATE_MAX },
	{ "segments.x2", offsetof(struct segment, home[2]), SNAPSHOT_F64, 0, -PHYSICS_COORDINATE_MAX, PHYSICS_COORDINATE_MAX },
	{ "segments.y2", offsetof(struct segment, home[3]), SNAPSHOT_F64, 0, -PHYSICS_COORDINATE_MAX, PHYSICS_COORDINATE_MAX },
	{ "segments.restitution", offsetof(struct segment, restitution), SNAPSHOT_F64, 0, 0, 1 },
	{ "segments.friction", offsetof(struct segment, friction), SNAPSHOT_F64, 0, 0, PHYSICS_FRICTION_MAX },
	{ "segments.rolling", offsetof(struct segment, rolling), SNAPSHOT_F64, 0, 0, PHYSICS_FRICTION_MAX },
	{ "segments.surface_speed", offsetof(struct segment, surface_speed), SNAPSHOT_F64, 0, -PHYSICS_SPEED_MAX,
	  PHYSICS_SPEED_MAX },
	{ "segments.sensor", offsetof(struct segment, sensor), SNAPSHOT_BOOL, 0, 0, 1 },
	{ "segments.generation", offsetof(struct segment, generation), SNAPSHOT_U32, 0, 0, ANY_MAX },
	{ "segments.radius", offsetof(struct segment, radius), SNAPSHOT_F64, 0, 0, PHYSICS_RADIUS_MAX },
	{ "segments.one_sided", offsetof(struct segment, one_sided), SNAPSHOT_BOOL, 0, 0, 1 },
	{ "segments.filter_group", offsetof(struct segment, filter_group), SNAPSHOT_I32, 0, -ANY_MAX, ANY_MAX },
	{ "segments.group", offsetof(struct segment, group), SNAPSHOT_U8, 0, 0, PHYSICS_GROUPS - 1 },
	{ "segments.vx", offsetof(struct segment, vx), SNAPSHOT_F64, 0, -PHYSICS_SPEED_MAX, PHYSICS_SPEED_MAX },
	{ "segments.vy", offsetof(struct segment, vy), SNAPSHOT_F64, 0, -PHYSICS_SPEED_MAX, PHYSICS_SPEED_MAX },
	{ "segments.moved_x", offsetof(struct segment, moved[0]), SNAPSHOT_F64, 0, -STATE_MAX, STATE_MAX },
	{ "segments.moved_y", offsetof(struct segment, moved[1]), SNAPSHOT_F64, 0, -STATE_MAX, STATE_MAX },
	{ "segments.disabled", offsetof(struct segment, disabled), SNAPSHOT_BOOL, 0, 0, 1 },
};

/* A weight or elasticity that is not given is 0. */
static const struct snapshot_field relation_fields[] = {
	{ "relations.group_a", offsetof(struct relation_def, group_a), SNAPSHOT_U32, 0, 0, PHYSICS_GROUPS - 1 },
	{ "relations.group_b", offsetof(struct relation_def, group_b), SNAPSHOT_U32, 0, 0, PHYSICS_GROUPS - 1 },
	{ "relations.kind", offsetof(struct relation_def, kind), SNAPSHOT_U32, 0, 0, RELATION_KIND_ONE_SIDED },
	{ "relations.has_weight_a", offsetof(struct relation_def, has_weight_a), SNAPSHOT_BOOL, 0, 0, 1 },
	{ "relations.has_weight_b", offsetof(struct relation_def, has_weight_b), SNAPSHOT_BOOL, 0, 0, 1 },
	{ "relations.has_elasticity", offsetof(struct relation_def, has_elasticity), SNAPSHOT_BOOL, 0, 0, 1 },
	{ "relations.weight_a", offsetof(struct relation_def, weight_a), SNAPSHOT_F64, 0, 0, PHYSICS_WEIGHT_MAX },
	{ "relations.weight_b", offsetof(struct relation_def, weight_b), SNAPSHOT_F64, 0, 0, PHYSICS_WEIGHT_MAX },
	{ "relations.elasticity", offsetof(struct relation_def, elasticity), SNAPSHOT_F64, 0, 0, 1 },
};

static const struct snapshot_field listing_fields[] = {
	{ "listings.listed", offsetof(struct solver_listing, listed), SNAPSHOT_BOOL, 0, 0, 1 },
	{ "listings.x", offsetof(struct solver_listing, x), SNAPSHOT_F64, 0, -STATE_MAX, STATE_MAX },
	{ "listings.y", offsetof(struct solver_listing, y), SNAPSHOT_F64, 0, -STATE_MAX, STATE_MAX },
	{ "listings.share", offsetof(struct solver_listing, share), SNAPSHOT_F64, 0, 0, STATE_MAX },
};

static const struct snapshot_field calm_fields[] = {
	{ "calms.x", offsetof(struct calm, x), SNAPSHOT_F64, 0, -STATE_MAX, STATE_MAX },
	{ "calms.y", offsetof(struct calm, y), SNAPSHOT_F64, 0, -STATE_MAX, STATE_MAX },
	{ "calms.angle", offsetof(struct calm, angle), SNAPSHOT_F64, 0, -STATE_MAX, STATE_MAX },
	{ "calms.duration", offsetof(struct calm, duration), SNAPSHOT_F64, 0, 0, STATE_MAX },
	{ "calms.calm", offsetof(struct calm, calm), SNAPSHOT_BOOL, 0, 0, 1 },
	{ "calms.bed", offsetof(struct calm, bed), SNAPSHOT_U32, 0, 0, ANY_MAX },
};

static const struct snapshot_field dormant_fields[] = {
	{ "dormant.a", offsetof(struct solver_warm, a), SNAPSHOT_U32, 0, 0, ANY_MAX },
	{ "dormant.b", offsetof(struct solver_warm, b), SNAPSHOT_U32, 0, 0, ANY_MAX },
	{ "dormant.normal", offsetof(struct solver_warm, normal), SNAPSHOT_F64, 0, 0, STATE_MAX },
	{ "dormant.tangent", offsetof(struct solver_warm, tangent), SNAPSHOT_F64, 0, -STATE_MAX, STATE_MAX },
	{ "dormant.rolling", offsetof(struct solver_warm, rolling), SNAPSHOT_F64, 0, -STATE_MAX, STATE_MAX },
};

static const struct snapshot_field pair_fields[] = {
	{ "pairs.a", offsetof(struct solver_warm, a), SNAPSHOT_U32, 0, 0, ANY_MAX },
	{ "pairs.b", offsetof(struct solver_warm, b), SNAPSHOT_U32, 0, 0, ANY_MAX },
	{ "pairs.normal", offsetof(struct solver_warm, normal), SNAPSHOT_F64, 0, 0, STATE_MAX },
	{ "pairs.tangent", offsetof(struct solver_warm, tangent), SNAPSHOT_F64, 0, -STATE_MAX, STATE_MAX },
	{ "pairs.rolling", offsetof(struct solver_warm, rolling), SNAPSHOT_F64, 0, -STATE_MAX, STATE_MAX },
};

static const struct snapshot_field tie_fields[] = {
	{ "ties.a", offsetof(struct tie_row, a), SNAPSHOT_U32, 0, 0, ANY_MAX },
	{ "ties.b", offsetof(struct tie_row, b), SNAPSHOT_U32, 0, 0, ANY_MAX },
	{ "ties.kind", offsetof(struct tie_row, kind), SNAPSHOT_U8, 0, TIE_TOUCH, TIE_INSIDE },
};

static const struct snapshot_field drop_fields[] = {
	{ "drops.a", offsetof(struct drop, a), SNAPSHOT_U32, 0, 0, ANY_MAX },
	{ "drops.b", offsetof(struct drop, b), SNAPSHOT_U32, 0, 0, ANY_MAX },
	{ "drops.kind", offsetof(struct drop, kind), SNAPSHOT_U8, 0, PAIR_EVENT_END, PAIR_EVENT_EXIT },
	{ "drops.other", offsetof(struct drop, other), SNAPSHOT_U8, 0, CONTACT_CIRCLE, CONTACT_SEGMENT },
};

static const struct snapshot_field rule_fields[] = {
	{ "rules.stop_groups", offsetof(struct body_rule, stop_groups), SNAPSHOT_U64, 0, 0, ANY_MAX },
	{ "rules.remove_groups", offsetof(struct body_rule, remove_groups), SNAPSHOT_U64, 0, 0, ANY_MAX },
	{ "rules.report_groups", offsetof(struct body_rule, report_groups), SNAPSHOT_U64, 0, 0, ANY_MAX },
	{ "rules.lifetime_s", offsetof(struct body_rule, lifetime_s), SNAPSHOT_F64, 0, 0, PHYSICS_LIFETIME_MAX },
	{ "rules.lifetime_ticks", offsetof(struct body_rule, lifetime_ticks), SNAPSHOT_U32, 0, 0, ANY_MAX },
	{ "rules.ignored", offsetof(struct body_rule, ignored), SNAPSHOT_U32, 0, 0, ANY_MAX },
	{ "rules.ignore", offsetof(struct body_rule, ignore), SNAPSHOT_U8, 0, 0, IGNORE_UNTIL_APART },
};

static const struct snapshot_field tag_fields[] = {
	{ "tags.tag", 0, SNAPSHOT_U64, 0, 0, ANY_MAX },
};

static const struct snapshot_field switch_fields[] = {
	{ "switches.off", 0, SNAPSHOT_U64, 0, 0, ANY_MAX },
};

const struct snapshot_table snapshot_counts_table = { "counts", counts_fields, sizeof counts_fields / sizeof *counts_fields };
const struct snapshot_table snapshot_world_table = { "world", world_fields, sizeof world_fields / sizeof *world_fields };
const struct snapshot_table snapshot_body_table = { "bodies", body_fields, sizeof body_fields / sizeof *body_fields };
const struct snapshot_table snapshot_segment_table = { "segments", segment_fields,
	                                                   sizeof segment_fields / sizeof *segment_fields };
const struct snapshot_table snapshot_relation_table = { "relations", relation_fields,
	                                                    sizeof relation_fields / sizeof *relation_fields };
const struct snapshot_table snapshot_listing_table = { "listings", listing_fields,
	                                                   sizeof listing_fields / sizeof *listing_fields };
const struct snapshot_table snapshot_pair_table = { "pairs", pair_fields, sizeof pair_fields / sizeof *pair_fields };
const struct snapshot_table snapshot_calm_table = { "calms", calm_fields, sizeof calm_fields / sizeof *calm_fields };
const struct snapshot_table snapshot_dormant_table = { "dormant", dormant_fields,
	                                                   sizeof dormant_fields / sizeof *dormant_fields };
const struct snapshot_table snapshot_tie_table = { "ties", tie_fields, sizeof tie_fields / sizeof *tie_fields };
const struct snapshot_table snapshot_drop_table = { "drops", drop_fields, sizeof drop_fields / sizeof *drop_fields };
const struct snapshot_table snapshot_rule_table = { "rules", rule_fields, sizeof rule_fields / sizeof *rule_fields };
const struct snapshot_table snapshot_tag_table = { "tags", tag_fields, sizeof tag_fields / sizeof *tag_fields };
const struct snapshot_table snapshot_switch_table = { "switches", switch_fields, sizeof switch_fields / sizeof *switch_fields };

/* Adds the size of a table's rows. */
static bool
rows_add(size_t *at, const struct snapshot_table *table, uint64_t count)
{
	size_t row = snapshot_row_bytes(table);

	if (count > (SIZE_MAX - *at) / row)
		return false;
	*at += row * (size_t)count;
	return true;
}

const char *
snapshot_bounds_wrong(const struct snapshot_world *fields)
{
	const double *bounds = fields->settings.bounds;

	if (fields->settings.has_bounds)
		return bounds[0] <= bounds[2] && bounds[1] <= bounds[3] ? NULL : "must not be less than x_min, nor y_max than y_min";
	/* One snapshot for each world: what it does not keep is not in there. */
	for (size_t i = 0; i < sizeof fields->settings.bounds / sizeof fields->settings.bounds[0]; i++)
		if (bounds[i] != 0.0 || signbit(bounds[i]))
			return "must be 0, as all bounds of a world without";
	return NULL;
}

bool
snapshot_places_find(const struct snapshot_counts *counts, bool in_map, struct snapshot_places *places)
{
	size_t at = SNAPSHOT_HEADER_BYTES + (in_map ? SNAPSHOT_MAP_BYTES : 0);

	places->counts = at;
	places->world = at += snapshot_row_bytes(&snapshot_counts_table);
	places->bodies = at += snapshot_row_bytes(&snapshot_world_table);
	if (!rows_add(&at, &snapshot_body_table, counts->bodies))
		return false;
	places->segments = at;
	if (!rows_add(&at, &snapshot_segment_table, counts->segments))
		return false;
	places->relations = at;
	if (!rows_add(&at, &snapshot_relation_table, counts->relations))
		return false;
	places->listings = at;
	if (!rows_add(&at, &snapshot_listing_table, counts->listings))
		return false;
	places->pairs = at;
	if (!rows_add(&at, &snapshot_pair_table, counts->pairs))
		return false;
	places->calms = at;
	if (!rows_add(&at, &snapshot_calm_table, counts->calms))
		return false;
	places->dormant = at;
	if (!rows_add(&at, &snapshot_dormant_table, counts->dormant))
		return false;
	places->ties = at;
	if (!rows_add(&at, &snapshot_tie_table, counts->ties))
		return false;
	places->drops = at;
	if (!rows_add(&at, &snapshot_drop_table, counts->drops))
		return false;
	places->rules = at;
	if (!rows_add(&at, &snapshot_rule_table, counts->rules))
		return false;
	places->tags = at;
	if (!rows_add(&at, &snapshot_tag_table, counts->tags))
		return false;
	places->switches = at;
	if (!rows_add(&at, &snapshot_switch_table, counts->switches) || at > SIZE_MAX - SNAPSHOT_CHECKSUM_BYTES)
		return false;
	places->checksum = at;
	places->end = at + SNAPSHOT_CHECKSUM_BYTES;
	return true;
}

static struct snapshot_counts
counts_of(const struct world *world, bool in_map)
{
	const struct solver *list = handover_list(world->handover);

	return (struct snapshot_counts){
		.bodies = world->bodies.count,
		.segments = in_map ? 0 : world->walls.segment_count,
		.listings = list ? world->bodies.count : 0,
		.pairs = list ? solver_pair_count(list) : 0,
		.calms = world->bodies.calms ? world->bodies.count : 0,
		.dormant = list ? solver_dormant_count(list) : 0,
		.ties = watch_tie_count(world),
		.drops = world->watch ? world->watch->drop_count : 0,
		.relations = world->settings.relations ? world->settings.relations->count : 0,
		.rules = world->bodies.rules ? world->bodies.count : 0,
		.tags = world->bodies.tags ? world->bodies.count : 0,
		.switches = in_map && world->walls.off ? walls_off_words(&world->walls) : 0,
	};
}

static size_t
bytes_of(const struct world *world, bool in_map)
{
	struct snapshot_counts counts = counts_of(world, in_map);
	struct snapshot_places places;

	return snapshot_places_find(&counts, in_map, &places) ? places.end : SIZE_MAX;
}

size_t
world_snapshot_body_bytes(void)
{
	return snapshot_row_bytes(&snapshot_body_table);
}

size_t
world_snapshot_bytes(const struct world *world)
{
	return bytes_of(world, false);
}

size_t
world_snapshot_in_map_bytes(const struct world *world)
{
	return bytes_of(world, true);
}

/* The solver has them in columns. */
static void
listings_put(uint8_t *rows, const struct solver *list, size_t count)
{
	struct solver_listing some[32];
	size_t row_bytes = snapshot_row_bytes(&snapshot_listing_table), used = 0;

	for (size_t i = 0; i < count && !pause_after(16); i++) {
		some[used++] = solver_listing(list, (uint32_t)i);
		if (used < sizeof some / sizeof *some && i + 1 < count)
			continue;
		snapshot_rows_put(rows, &snapshot_listing_table, used, (const struct snapshot_source[]){ { some, sizeof *some } });
		rows += used * row_bytes;
		used = 0;
	}
}

/* Where pairs go, and the size of a row. */
struct solver_pair_rows {
	uint8_t *at;
	size_t row_bytes;
};

static void
pair_put(void *context, size_t index, const struct solver_warm *warm)
{
	const struct solver_pair_rows *rows = context;

	snapshot_row_put(rows->at + index * rows->row_bytes, &snapshot_pair_table, (const void *const[]){ warm });
}

/* Writes the next dormant pair. */
static void
dormant_put(void *context, const struct solver_warm *warm)
{
	struct solver_pair_rows *rows = context;

	snapshot_row_put(rows->at, &snapshot_dormant_table, (const void *const[]){ warm });
	rows->at += rows->row_bytes;
}

static void
watch_put(const struct world *world, uint8_t *bytes, const struct snapshot_counts *counts, const struct snapshot_places *places)
{
	for (size_t i = 0; i < counts->ties && !pause_after(8); i++) {
		struct tie_row tie = watch_tie(world, i);

		snapshot_row_put(bytes + places->ties + i * snapshot_row_bytes(&snapshot_tie_table), &snapshot_tie_table,
		                 (const void *const[]){ &tie });
	}
	for (size_t i = 0; i < counts->drops && !pause_after(8); i++)
		snapshot_row_put(bytes + places->drops + i * snapshot_row_bytes(&snapshot_drop_table), &snapshot_drop_table,
		                 (const void *const[]){ &world->watch->drops[i] });
}

static void
header_put(uint8_t *bytes, size_t size, const struct wall_map *map)
{
	memcpy(bytes, map ? snapshot_map_magic : snapshot_magic, sizeof snapshot_magic);
	snapshot_number_put(bytes + SNAPSHOT_MAGIC_BYTES, 4, SNAPSHOT_FORMAT);
	snapshot_number_put(bytes + SNAPSHOT_MAGIC_BYTES + 4, 4, PHYSICS_SEMANTICS);
	snapshot_number_put(bytes + SNAPSHOT_MAGIC_BYTES + 8, 8, size);
	if (map)
		snapshot_number_put(bytes + SNAPSHOT_HEADER_BYTES, SNAPSHOT_MAP_BYTES, wall_map_hash(map));
}

/* A map's walls are switched in the world's bits. */
static void
segments_put(const struct walls *walls, uint8_t *rows, size_t count)
{
	const size_t row_bytes = snapshot_row_bytes(&snapshot_segment_table);

	snapshot_rows_put(rows, &snapshot_segment_table, count,
	                  (const struct snapshot_source[]){ { walls->segments, sizeof *walls->segments } });
	for (uint32_t i = 0; i < count && walls->off && walls->map; i++) {
		struct segment segment = walls->segments[i];

		segment.disabled = wall_is_off(walls, i);
		snapshot_row_put(rows + i * row_bytes, &snapshot_segment_table, (const void *const[]){ &segment });
	}
}

/* `map`: in this map; NULL: with all walls. */
static enum status
snapshot_write(const struct world *world, const struct wall_map *map, void *out, size_t size)
{
	const struct solver *list = handover_list(world->handover);
	struct snapshot_counts counts = counts_of(world, map != NULL);
	struct snapshot_places places;
	struct world_settings settings = world->settings;
	uint8_t *bytes = out;

	settings.watched &= WORLD_EVENTS_ALL;
	if (world->failed)
		return STATUS_FAILED_PRECONDITION;
	if (!snapshot_places_find(&counts, map != NULL, &places) || size != places.end)
		return STATUS_INVALID_ARGUMENT;
	header_put(bytes, size, map);
	snapshot_row_put(bytes + places.counts, &snapshot_counts_table, (const void *const[]){ &counts });
	const struct snapshot_world head = {
		.tick = world->tick,
		.hash = world_hash(world),
		.settings = settings,
		.generation = world->bodies.generation,
		.overlap_possible = world->overlap_possible,
		.wall_room = world->wall_room,
		.dt = world->step.dt > 0.0 ? world->step.dt : world->step.dt_restored,
	};

	snapshot_row_put(bytes + places.world, &snapshot_world_table, (const void *const[]){ &head });
	snapshot_rows_put(bytes + places.bodies, &snapshot_body_table, world->bodies.count,
	                  (const struct snapshot_source[]){ { world->bodies.paths, sizeof *world->bodies.paths },
	                                                    { world->bodies.infos, sizeof *world->bodies.infos } });
	segments_put(&world->walls, bytes + places.segments, (size_t)counts.segments);
	snapshot_rows_put(bytes + places.switches, &snapshot_switch_table, (size_t)counts.switches,
	                  (const struct snapshot_source[]){ { world->walls.off, sizeof *world->walls.off } });
	for (size_t i = 0; i < counts.relations; i++)
		snapshot_row_put(bytes + places.relations + i * snapshot_row_bytes(&snapshot_relation_table), &snapshot_relation_table,
		                 (const void *const[]){ &world->settings.relations->defs[i] });
	listings_put(bytes + places.listings, list, (size_t)counts.listings);
	snapshot_rows_put(bytes + places.calms, &snapshot_calm_table, (size_t)counts.calms,
	                  (const struct snapshot_source[]){ { world->bodies.calms, sizeof *world->bodies.calms } });
	if (list) {
		struct solver_pair_rows pairs = { bytes + places.pairs, snapshot_row_bytes(&snapshot_pair_table) };
		struct solver_pair_rows dormant = { bytes + places.dormant, snapshot_row_bytes(&snapshot_dormant_table) };

		solver_pairs_visit(list, pair_put, &pairs);
		solver_dormant_visit(list, dormant_put, &dormant);
	}
	watch_put(world, bytes, &counts, &places);
	snapshot_rows_put(bytes + places.rules, &snapshot_rule_table, (size_t)counts.rules,
	                  (const struct snapshot_source[]){ { world->bodies.rules, sizeof *world->bodies.rules } });
	snapshot_rows_put(bytes + places.tags, &snapshot_tag_table, (size_t)counts.tags,
	                  (const struct snapshot_source[]){ { world->bodies.tags, sizeof *world->bodies.tags } });
	snapshot_number_put(bytes + places.checksum, SNAPSHOT_CHECKSUM_BYTES, snapshot_checksum(bytes, places.checksum));
	return pause_stopped() ? STATUS_CANCELLED : STATUS_OK;
}

enum status
world_snapshot(const struct world *world, void *out, size_t size)
{
	return snapshot_write(world, NULL, out, size);
}

enum status
world_snapshot_in_map(const struct world *world, void *out, size_t size)
{
	return world->walls.map ? snapshot_write(world, world->walls.map, out, size) : STATUS_FAILED_PRECONDITION;
}
