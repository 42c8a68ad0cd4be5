/* snapshot_layout: where things are in a snapshot, by the description in snapshot.h; its checksum and the state's hash by code
 * of its own. For tests that change snapshots by hand. */
#ifndef COLLIDED_TESTS_PHYSICS_SNAPSHOT_LAYOUT_H
#define COLLIDED_TESTS_PHYSICS_SNAPSHOT_LAYOUT_H

#include "physics/followers.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Places in a snapshot, by the description in snapshot.h. */
enum {
	AT_FORMAT = 8,
	AT_SEMANTICS = 12,
	AT_SIZE = 16,
	AT_COUNTS = 24, /* bodies, segments, listings, pairs, calms, dormant, ties, drops, relations, rules, tags, switches */
	AT_WORLD = AT_COUNTS + 96,
	AT_HASH = AT_WORLD + 8,
	AT_MIX = AT_WORLD + 32,
	AT_TURNS = AT_WORLD + 32 + 8 + 8 + 4 + 8,
	AT_EVENTS = AT_TURNS + 2 + 16,
	AT_WALL_ROOM = AT_EVENTS + 4 + 8 + 4,
	AT_BOUNDS = AT_WALL_ROOM + 8 + 16,
	AT_DT = AT_BOUNDS + 33,
	AT_BODIES = AT_DT + 8,
	BODY_BYTES = 13 + 12 * 8 + 1 + 4 * 8 + 2 + 4 + 5,
	SEGMENT_BYTES = 12 + 8 * 8 + 1 + 4 + 8 + 1 + 5 + 4 * 8 + 1,
	RELATION_BYTES = 3 * 4 + 3 + 3 * 8,
	RULE_BYTES = 4 * 8 + 2 * 4 + 1,
	TAG_BYTES = 8,
	LISTING_BYTES = 25,
	PAIR_BYTES = 32,
	IN_BODY_KIND = 4,
	IN_BODY_MASS = 13 + 8,
	IN_BODY_X = 13 + 48,
	IN_BODY_VX = 13 + 64,
	IN_BODY_ANGLE = 13 + 80,
	IN_BODY_SETTLE = 13 + 96,
	IN_BODY_GRAVITY_SCALE = IN_BODY_SETTLE + 1 + 24,
	IN_BODY_RESPONSE = IN_BODY_GRAVITY_SCALE + 8,
	IN_BODY_GROUP = IN_BODY_RESPONSE + 10
};

static inline uint64_t
number_get(const uint8_t *bytes, size_t size)
{
	uint64_t number = 0;
	for (size_t i = 0; i < size; i++)
		number |= (uint64_t)bytes[i] << (8 * i);
	return number;
}

static inline void
number_put(uint8_t *bytes, size_t size, uint64_t number)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(number >> (8 * i));
}

static inline void
double_put(uint8_t *bytes, double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	number_put(bytes, 8, bits);
}

static inline uint64_t
mix(uint64_t bits)
{
	bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
	return bits ^ (bits >> 31);
}

static inline uint64_t
sum_step(uint64_t sum, uint64_t group)
{
	return mix(sum ^ group) + UINT64_C(0x9e3779b97f4a7c15);
}

/* Puts the checksum that the bytes have now. */
static inline void
snapshot_seal(struct snapshot *s)
{
	uint64_t sum = s->size - 8, lanes[] = { 0, 1, 2, 3 };
	for (size_t at = 0; at < s->size - 8; at += 8)
		lanes[at / 8 % 4] = sum_step(lanes[at / 8 % 4], number_get(s->bytes + at, s->size - 8 - at < 8 ? s->size - 8 - at : 8));
	for (size_t k = 0; k < 4; k++)
		sum = sum_step(sum, lanes[k]);
	number_put(s->bytes + s->size - 8, 8, sum);
}

static inline uint64_t
hash_add(uint64_t hash, uint64_t bits)
{
	return mix(hash ^ bits) + UINT64_C(0x9e3779b97f4a7c15);
}

static inline bool
zero_double(const uint8_t *bytes)
{
	return number_get(bytes, 8) << 1 == 0;
}

/* Puts the hash of the state that the bytes describe now, so that a made-up state is not refused for that alone. */
static inline void
snapshot_rehash(struct snapshot *s)
{
	const size_t bodies = number_get(s->bytes + AT_COUNTS, 8), segments = number_get(s->bytes + AT_COUNTS + 8, 8);
	const size_t listings = number_get(s->bytes + AT_COUNTS + 16, 8), pairs = number_get(s->bytes + AT_COUNTS + 24, 8);
	uint64_t sum = mix(bodies);
	const uint8_t *at = s->bytes + AT_BODIES;
	for (size_t i = 0; i < bodies; i++, at += BODY_BYTES) {
		uint64_t hash = mix(number_get(at, 4) + UINT64_C(0x9e3779b97f4a7c15));
		for (size_t k = 0; k < 4; k++)
			hash = hash_add(hash, number_get(at + IN_BODY_X + 8 * k, 8));
		if (!zero_double(at + IN_BODY_ANGLE) || !zero_double(at + IN_BODY_ANGLE + 8))
			hash = hash_add(hash_add(hash, number_get(at + IN_BODY_ANGLE, 8)), number_get(at + IN_BODY_ANGLE + 8, 8));
		if (at[IN_BODY_SETTLE] != 0)
			hash = mix(hash + at[IN_BODY_SETTLE]);
		sum += mix(hash);
	}
	const size_t relations = number_get(s->bytes + AT_COUNTS + 64, 8);
	if (relations > 2)
		return; /* made up, and refused for it */
	at += segments * SEGMENT_BYTES + relations * RELATION_BYTES + listings * LISTING_BYTES;
	for (size_t k = 0; k < pairs; k++, at += PAIR_BYTES) {
		uint64_t hash = mix((number_get(at, 4) << 32 | number_get(at + 4, 4)) + UINT64_C(0x9e3779b97f4a7c15));
		if (zero_double(at + 8) && zero_double(at + 16) && zero_double(at + 24))
			continue;
		hash = hash_add(hash_add(hash, number_get(at + 8, 8)), number_get(at + 16, 8));
		sum += mix(hash_add(hash, number_get(at + 24, 8)));
	}
	const uint8_t *rule = s->bytes + s->size - 8 - bodies * (RULE_BYTES + TAG_BYTES);
	at = s->bytes + AT_BODIES;
	for (size_t i = 0; i < bodies && number_get(s->bytes + AT_COUNTS + 72, 8) == bodies; i++, rule += RULE_BYTES) {
		const uint64_t seconds = number_get(rule + 24, 8), ticks = number_get(rule + 32, 4), ignore = rule[40];
		if (ticks == 0 && zero_double(rule + 24) && ignore == 0)
			continue;
		uint64_t hash = mix(number_get(at + i * BODY_BYTES, 4) + UINT64_C(0xbb67ae8584caa73b));
		hash = mix(hash + (ticks << 8 | ignore)) + UINT64_C(0x9e3779b97f4a7c15);
		hash = mix(hash + (ignore != 0 ? number_get(rule + 36, 4) : 0)) + UINT64_C(0x9e3779b97f4a7c15);
		sum += mix(hash_add(hash, seconds));
	}
	number_put(s->bytes + AT_HASH, 8, sum);
}

#endif
