/* snapshot: what the writer and the reader of snapshots share. Internal; physics.h has the public interface.
 *
 * The format, all numbers little-endian, doubles as their bits, no alignment:
 *
 *     magic, 8 bytes; format, u32; semantics, u32; size of everything in bytes, u64
 *     map, u64              its hash. Only in a snapshot in a map (wall_map.h), which has another magic and no segments
 *     counts, world         one row each
 *     bodies, segments      rows ascending by id
 *     relations             between groups (relation.h), ascending by the lower group, then by the higher
 *     listings, pairs       the state of the rest solver (solver.h); as many listings as bodies, or none of both
 *     `calms`               of all bodies if any may sleep (sleep.h), else none
 *     dormant               pairs with impulses that the solver has put aside; none without listings
 *     ties                  which pairs touch, and which are inside a sensor (watch.h)
 *     drops                 which of these an edit has ended without a report so far
 *     rules, tags           of all bodies if some has one (body_rule.h), else none
 *     switches              of a snapshot in a map: which walls are disabled, 64 a row, if the world has such bits
 *     checksum, u64         of all before it
 *
 * A row is the fields of its table, one after the other. To store more, add a row to a table and increase SNAPSHOT_FORMAT.
 * Everything that can change a later bit must be here; what follows from the rest (grid, vertices, inverse masses) is
 * recomputed. */
#ifndef COLLIDED_STATE_SNAPSHOT_H
#define COLLIDED_STATE_SNAPSHOT_H

#include "physics/reports/watch.h"
#include "physics/rest_solver/solver.h"
#include "physics/world/world.h"

#define SNAPSHOT_FORMAT 6u
#define SNAPSHOT_MAGIC_BYTES 8
#define SNAPSHOT_HEADER_BYTES (SNAPSHOT_MAGIC_BYTES + 4 + 4 + 8)
#define SNAPSHOT_CHECKSUM_BYTES 8

/* Of a snapshot in a map: behind the header is the map's hash, and there are no segments. */
#define SNAPSHOT_MAP_BYTES 8

extern const uint8_t snapshot_magic[SNAPSHOT_MAGIC_BYTES], snapshot_map_magic[SNAPSHOT_MAGIC_BYTES];

enum snapshot_type { SNAPSHOT_F64, SNAPSHOT_U64, SNAPSHOT_SIZE, SNAPSHOT_U32, SNAPSHOT_U8, SNAPSHOT_BOOL, SNAPSHOT_I32 };

struct snapshot_field {
	const char *name; /* as problems name it */
	uint16_t offset;  /* in its struct */
	uint8_t type;     /* enum snapshot_type; SNAPSHOT_SIZE also takes 8 bytes */
	uint8_t base;     /* which of the row's structs it is in */
	double low, high; /* accepted range */
};

struct snapshot_table {
	const char *name;
	const struct snapshot_field *fields;
	size_t field_count;
};

struct snapshot_counts {
	uint64_t bodies, segments, listings, pairs, calms, dormant, ties, drops, relations, rules, tags, switches;
};

/* The world's own row. */
struct snapshot_world {
	uint64_t tick, hash;
	struct world_settings settings;
	uint32_t generation;
	bool overlap_possible;
	double wall_room;
	double dt; /* of the last tick; 0: there was none. No later bit depends on it */
};

/* What is wrong with the bounds of one that was read; NULL: nothing. */
const char *snapshot_bounds_wrong(const struct snapshot_world *fields);

extern const struct snapshot_table snapshot_counts_table; /* struct snapshot_counts */
extern const struct snapshot_table snapshot_world_table;  /* struct snapshot_world */
extern const struct snapshot_table snapshot_body_table;   /* struct body, struct body_info */
extern const struct snapshot_table snapshot_segment_table;
extern const struct snapshot_table snapshot_relation_table; /* struct relation_def */
extern const struct snapshot_table snapshot_listing_table;  /* struct solver_listing */
extern const struct snapshot_table snapshot_pair_table;     /* struct solver_warm */
extern const struct snapshot_table snapshot_calm_table;     /* `struct calm` */
extern const struct snapshot_table snapshot_dormant_table;  /* struct solver_warm */
extern const struct snapshot_table snapshot_tie_table;      /* struct tie_row */
extern const struct snapshot_table snapshot_drop_table;     /* struct drop */
extern const struct snapshot_table snapshot_rule_table;     /* struct body_rule */
extern const struct snapshot_table snapshot_tag_table;      /* u64 */
extern const struct snapshot_table snapshot_switch_table;   /* u64 */

size_t snapshot_row_bytes(const struct snapshot_table *table);
/* Where each table of a snapshot begins, and the end with the checksum. False: more than memory could hold. */
struct snapshot_places {
	size_t counts, world, bodies, segments, relations, listings, pairs, calms, dormant, ties, drops, rules, tags, switches,
		checksum, end;
};

/* `in_map`: of a snapshot in a map. */
bool snapshot_places_find(const struct snapshot_counts *counts, bool in_map, struct snapshot_places *places);

/* snapshot_rules.c: reads the rows of rules and tags into columns that are there if they have rows. */
bool snapshot_rules_get(struct world *world, const uint8_t *bytes, const struct snapshot_places *places,
                        struct snapshot_problem *problem);
/* The same file: reads which walls are disabled, of `count` rows; without rows the walls say it. */
STATUS_MUST_USE enum status snapshot_switches_get(struct world *world, const uint8_t *rows, size_t count,
                                                  struct snapshot_problem *problem);

uint64_t snapshot_number_get(const uint8_t *bytes, size_t size);
void snapshot_number_put(uint8_t *bytes, size_t size, uint64_t number);

/* The bytes' groups of eight, the last filled up with zeros, are dealt to four sums in turn. These begin as 0, 1, 2, 3. A fifth
 * begins as the size, and takes the four in that order. To take a number is: exclusive or, the finalizer of splitmix64, plus
 * 0x9e3779b97f4a7c15.
 *
 * Against damage, not against forgery. Any change within one aligned group of 8 bytes is detected with certainty; any other
 * goes undetected with probability 2^-64. */
uint64_t snapshot_checksum(const uint8_t *bytes, size_t size);

/* Corrects the state's hash and the checksum, as far as the rest makes a world. No secret is needed for that; for tests of the
 * checks behind the two. */
void snapshot_forge(uint8_t *bytes, size_t size);

#endif
