/* The hash of a world's state: a sum over its bodies, moving segments and warm contacts. */
#include "physics/state/state_hash.h"

#include "physics/prediction/dirty_bodies.h"
#include "physics/rest_solver/solver.h"
#include "physics/resting/handover.h"
#include "physics/resting/sleep.h"
#include "physics/world/body_rule.h"
#include "physics/world/world.h"

#include <string.h>

/* Number of bodies hashed in an interleaved way: a single chain of multiplications keeps a core a quarter busy. */
#define HASH_TOGETHER 4
/* Bodies between two pauses. */
#define HASH_PART 2048u

/* A bijective mix of 64 bits (the finalizer of splitmix64: Steele, Lea, Flood 2014). */
static uint64_t
bits_mix(uint64_t bits)
{
	bits = (bits ^ (bits >> 30)) * HASH_MIX_FIRST;
	bits = (bits ^ (bits >> 27)) * HASH_MIX_SECOND;
	return bits ^ (bits >> 31);
}

static uint64_t
bits_add(uint64_t hash, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits_mix(hash ^ bits) + HASH_STEP;
}

static void
warm_add(void *context, const struct solver_warm *warm)
{
	uint64_t *sum = context, hash = bits_mix(((uint64_t)warm->a << 32 | warm->b) + UINT64_C(0x9e3779b97f4a7c15));

	hash = bits_add(hash, warm->normal);
	hash = bits_add(hash, warm->tangent);
	*sum += bits_mix(bits_add(hash, warm->rolling));
}

static uint64_t
calm_add(uint64_t hash, const struct calm *calm)
{
	if (calm->bed != NONE)
		return bits_mix(hash + calm->bed);
	if (calm->duration == 0.0 && !calm->calm)
		return hash;
	hash = bits_mix(hash + calm->calm);
	hash = bits_add(bits_add(hash, calm->x), calm->y);
	return bits_add(bits_add(hash, calm->angle), calm->duration);
}

static uint64_t
body_hash(const struct world *world, uint32_t i)
{
	const struct body *body = &world->bodies.paths[i];
	uint64_t hash = bits_mix(world->bodies.infos[i].id + HASH_ID);

	hash = bits_add(hash, body->x);
	hash = bits_add(hash, body->y);
	hash = bits_add(hash, body->vx);
	hash = bits_add(hash, body->vy);
	if (world->bodies.infos[i].angle != 0.0 || world->bodies.infos[i].spin != 0.0)
		hash = bits_add(bits_add(hash, world->bodies.infos[i].angle), world->bodies.infos[i].spin);
	if (world->bodies.infos[i].handover != 0)
		hash = bits_mix(hash + world->bodies.infos[i].handover);
	if (world->bodies.calms)
		hash = calm_add(hash, &world->bodies.calms[i]);
	return bits_mix(hash);
}

/* What ticks change of a rule. */
static uint64_t
rule_hash(uint32_t id, const struct body_rule *rule)
{
	uint64_t hash = bits_mix(id + UINT64_C(0xbb67ae8584caa73b));

	hash = bits_mix(hash + ((uint64_t)rule->lifetime_ticks << 8 | rule->ignore)) + HASH_STEP;
	hash = bits_mix(hash + (rule->ignore != IGNORE_NONE ? rule->ignored : 0)) + HASH_STEP;
	return bits_mix(bits_add(hash, rule->lifetime_s));
}

/* For a moving segment. */
static uint64_t
segment_hash(const struct segment *segment)
{
	uint64_t hash = bits_mix(segment->id + UINT64_C(0x6a09e667f3bcc909));

	hash = bits_add(bits_add(hash, segment->x1), segment->y1);
	hash = bits_add(bits_add(hash, segment->moved[0]), segment->moved[1]);
	return bits_mix(bits_add(bits_add(hash, segment->vx), segment->vy));
}

/* The sum of body_hash over `count` plain bodies. The multiplications of one body depend on each other, so several bodies are
 * interleaved. */
static uint64_t
sum_plain(const struct body *bodies, const uint32_t *ids, uint32_t count)
{
	uint64_t hashes[HASH_TOGETHER], sum = 0;

	for (uint32_t i = 0; i < count; i += HASH_TOGETHER) {
		for (uint32_t k = 0; k < HASH_TOGETHER; k++)
			hashes[k] = bits_mix(ids[i + k] + HASH_ID);
		for (uint32_t k = 0; k < HASH_TOGETHER; k++)
			hashes[k] = bits_add(hashes[k], bodies[i + k].x);
		for (uint32_t k = 0; k < HASH_TOGETHER; k++)
			hashes[k] = bits_add(hashes[k], bodies[i + k].y);
		for (uint32_t k = 0; k < HASH_TOGETHER; k++)
			hashes[k] = bits_add(hashes[k], bodies[i + k].vx);
		for (uint32_t k = 0; k < HASH_TOGETHER; k++)
			hashes[k] = bits_add(hashes[k], bodies[i + k].vy);
		for (uint32_t k = 0; k < HASH_TOGETHER; k++)
			sum += bits_mix(hashes[k]);
	}
	return sum;
}

const struct hash_way hash_plain = { sum_plain };

const struct hash_way *
hash_best(void)
{
#ifdef HASH_WIDE
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
		return &hash_wide;
#endif
	return &hash_plain;
}

/* The first body from `i` on with more state than body_hash always reads, or `end`, in a world without rotation and sleeping. A
 * clean body is known to have none without its info. */
static uint32_t
next_not_plain(const struct world *world, uint32_t i, uint32_t end)
{
	i = dirty_next(world, i, end);
	while (i < end && world->bodies.infos[i].handover == 0)
		i = dirty_next(world, i + 1, end);
	return i;
}

/* The hash of all bodies. It is a sum, so it can be computed in any order or in parts. */
static uint64_t
all_hash(const struct world *world)
{
	const struct hash_way *way = hash_best();
	bool may_be_plain = !world->settings.turns && !world->bodies.calms;
	uint32_t end = world->bodies.count;
	uint64_t sum = 0;

	for (uint32_t i = 0, begin = 0; i < end; begin = ++i) {
		uint32_t part = end - i < HASH_PART ? end : i + HASH_PART;
		uint32_t next = may_be_plain ? next_not_plain(world, i, part) : i;
		uint32_t together = (next - i) / HASH_GROUP * HASH_GROUP;

		sum += way->sum(world->bodies.paths + i, world->bodies.ids + i, together);
		for (i += together; i < next; i++)
			sum += body_hash(world, i);
		if (next < end)
			sum += body_hash(world, next);
		if (pause_after(next - begin + 8))
			break;
	}
	return sum;
}

uint64_t
world_hash(const struct world *world)
{
	uint64_t sum = bits_mix(world->bodies.count) + all_hash(world);

	for (uint32_t i = 0; i < world->bodies.count && world->bodies.rules && !pause_after(2); i++) {
		const struct body_rule *rule = &world->bodies.rules[i];

		if (rule->lifetime_ticks != 0 || rule->lifetime_s != 0.0 || rule->ignore != IGNORE_NONE)
			sum += rule_hash(world->bodies.ids[i], rule);
	}
	for (uint32_t k = 0; k < world->walls.moving_count && !pause_after(8); k++)
		sum += segment_hash(&world->walls.segments[world->walls.moving[k]]);
	if (world->handover) {
		handover_visit(world->handover, warm_add, &sum);
		handover_visit_dormant(world->handover, warm_add, &sum);
	}
	return sum;
}
